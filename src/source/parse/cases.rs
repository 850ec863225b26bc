//! `match` and its cases.

use std::rc::Rc;

use tree_sitter::Node;

use super::super::syntax::{Expr, Source, StatementKind, Target};
use super::{Reader, Suite, fields, named};

impl<'t> Reader<'t> {
    /// Reads a `match`: the patterns of its cases bind names and ask for values, before a guard.
    pub(super) fn match_statement(&mut self, node: Node<'t>, suite: Suite) {
        let subject = node.child_by_field_name("subject");
        let subject = subject.map(|n| self.expr(n, suite.def));
        let mut exprs: Vec<Rc<Expr>> = subject.into_iter().collect();
        let cases: Vec<Node<'t>> = fields(node, "body").into_iter().flat_map(named).collect();
        for part in cases.iter().flat_map(|case| named(*case)) {
            match part.kind() {
                "case_pattern" => self.pattern(part, suite, &mut exprs),
                "if_clause" => exprs.extend(self.exprs(named(part), suite.def)),
                _ => {}
            }
        }
        self.note(StatementKind::Other, node, suite, exprs);
        for block in cases.iter().flat_map(|case| fields(*case, "consequence")) {
            self.inner(block, suite);
        }
    }

    /// Reads a pattern: a name alone is bound; a dotted one, or that of a class, is asked for.
    fn pattern(&mut self, node: Node<'t>, suite: Suite, exprs: &mut Vec<Rc<Expr>>) {
        let parts = named(node);
        let inner = match (node.kind(), parts.as_slice()) {
            ("dotted_name", [name]) => return self.captured(*name, suite),
            ("identifier", _) => return self.captured(node, suite),
            ("dotted_name", [first, ..]) => return exprs.push(self.expr(*first, suite.def)),
            ("class_pattern", [class, rest @ ..]) => {
                exprs.extend(named(*class).first().map(|n| self.expr(*n, suite.def)));
                rest
            }
            ("keyword_pattern", [_, rest @ ..]) | (_, rest) => rest,
        };
        for part in inner {
            self.pattern(*part, suite, exprs);
        }
    }

    /// Binds the name of a capture pattern; `_` is none.
    fn captured(&mut self, node: Node<'t>, suite: Suite) {
        let name = self.name(node);
        if &*name != "_" {
            self.bind(Target::Name(name), Source::Nothing, node, suite);
        }
    }
}
