//! From text to [`Module`], by tree-sitter.
//!
//! - [`statements`]: what they bind, with [`cases`] of `match`; [`defs`]: classes, functions, arguments;
//!   [`exprs`]: expressions.

mod cases;
mod defs;
mod exprs;
mod statements;

use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;

use tree_sitter::{Node, Parser};

use super::project::ModuleId;
use super::syntax::{
    Binding, Def, Expr, ExprKind, Kind, Module, Name, Place, Source, Statement, StatementKind,
    Target,
};

/// The deepest nesting that is followed; what lies deeper counts as an unknown expression.
const MAX_DEPTH: usize = 120;

/// Calls that put their arguments into what they are called on.
const FILLS: &str = "append add insert extend update setdefault appendleft register";

/// Parses a file; `None` if nothing of it can be read as Python.
pub(super) fn parse(id: ModuleId, path: PathBuf, shown: String, text: String) -> Option<Module> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .ok()?;
    let tree = parser.parse(&text, None)?;
    let root = tree.root_node();
    let lines = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| offset(at + 1)))
        .collect();
    let mut reader = Reader {
        text: &text,
        defs: Vec::new(),
        depth: 0,
    };
    reader.module(root);
    let defs = reader.defs;
    let has_errors = root.has_error();
    let filled = filled(&defs);
    Some(Module {
        id,
        path,
        shown,
        code: without_notes(root, &text),
        text,
        lines,
        defs,
        filled,
        has_errors,
    })
}

/// Returns a text with blanks for what does nothing: comments, and texts that are statements.
fn without_notes(root: Node, text: &str) -> String {
    let mut code = text.to_owned();
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        let of_text = || node.named_child(0).is_some_and(|n| n.kind() == "string");
        let is_note = match node.kind() {
            "comment" => true,
            "expression_statement" => node.named_child_count() == 1 && of_text(),
            _ => false,
        };
        if is_note {
            let note = &text[node.byte_range()];
            let blank = |c: u8| if c == b'\n' { '\n' } else { ' ' };
            code.replace_range(
                node.byte_range(),
                &note.bytes().map(blank).collect::<String>(),
            );
        } else {
            let mut cursor = node.walk();
            left.extend(node.named_children(&mut cursor));
        }
    }
    code
}

/// Returns the names whose values get something from outside.
fn filled(defs: &[Def]) -> HashSet<Name> {
    let mut names = HashSet::new();
    for binding in defs.iter().flat_map(|d| &d.bindings) {
        let base = match &binding.target {
            Target::Content(base, _) => base.subscripted().0,
            Target::Attribute(base, _) => &**base,
            Target::Name(_) => continue,
        };
        if let ExprKind::Name(name) = &base.kind {
            names.insert(Rc::clone(name));
        }
    }
    names
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn place(node: Node) -> Place {
    Place::new(offset(node.start_byte()), offset(node.end_byte()))
}

fn named(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|n| n.kind() != "comment")
        .collect()
}

fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor)
        .filter(Node::is_named)
        .collect()
}

struct Reader<'t> {
    text: &'t str,
    defs: Vec<Def>,
    depth: usize,
}

/// Where statements are read into.
#[derive(Clone, Copy)]
struct Suite {
    def: usize,
    at: Place,
}

impl<'t> Reader<'t> {
    fn name(&self, node: Node) -> Name {
        Rc::from(&self.text[node.byte_range()])
    }

    fn module(&mut self, root: Node<'t>) {
        let at = Place::new(0, offset(self.text.len()));
        self.defs.push(Def {
            head: Place::default(),
            ..Def::empty(Kind::Module, Rc::from("<module>"), String::new(), 0, at)
        });
        self.block(root, Suite { def: 0, at });
    }

    /// Reads the statements of a block.
    fn block(&mut self, node: Node<'t>, suite: Suite) {
        if self.depth > MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for child in named(node) {
            self.statement(child, suite);
        }
        self.depth -= 1;
    }

    /// Reads a block that hangs on a statement.
    fn inner(&mut self, node: Node<'t>, suite: Suite) {
        let at = place(node);
        self.block(node, Suite { at, ..suite });
    }

    /// Adds a statement; its head ends before its first block, or where it ends itself.
    fn note(&mut self, kind: StatementKind, node: Node, suite: Suite, exprs: Vec<Rc<Expr>>) {
        let at = place(node);
        let of = node.child_by_field_name("definition").unwrap_or(node);
        let block = of.child_by_field_name("body");
        let block = block.or_else(|| of.child_by_field_name("consequence"));
        let head_end = block.map_or(node.end_byte(), |n| n.start_byte());
        let head_end = self.text[..head_end].trim_end().len();
        self.defs[suite.def].statements.push(Statement {
            kind,
            at,
            head: Place::new(at.start, offset(head_end).max(at.start)),
            suite: suite.at,
            exprs,
        });
    }

    fn bind(&mut self, target: Target, source: Source, node: Node, suite: Suite) {
        self.defs[suite.def].bindings.push(Binding {
            target,
            source,
            at: place(node),
            suite: suite.at,
            annotation: None,
        });
    }
}
