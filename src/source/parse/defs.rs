//! Classes and functions, their parameters, and the arguments of calls.

use std::rc::Rc;

use tree_sitter::Node;

use super::super::syntax::{
    Arg, Def, Expr, Kind, Name, Param, ParamKind, Place, Source, StatementKind, Target,
};
use super::{Reader, Suite, named, place};

impl<'t> Reader<'t> {
    /// Reads a class or function; `whole` includes the decorators.
    pub(super) fn def(
        &mut self,
        node: Node<'t>,
        whole: Node<'t>,
        decorators: Vec<Rc<Expr>>,
        suite: Suite,
    ) {
        let Some(name) = node.child_by_field_name("name").map(|n| self.name(n)) else {
            return;
        };
        let kind = match node.kind() {
            "class_definition" => Kind::Class,
            _ => Kind::Function,
        };
        let bases = node.child_by_field_name("superclasses");
        let bases = bases.map_or_else(Vec::new, |list| self.args(list, suite.def));
        let params = node.child_by_field_name("parameters");
        let params = params.map_or_else(Vec::new, |list| self.params(list, suite.def));
        let return_type = node.child_by_field_name("return_type");
        let return_type = return_type.map(|n| self.expr(n, suite.def));
        let is_async = node.child(0).is_some_and(|n| n.kind() == "async");
        let body = node.child_by_field_name("body");
        let id = self.scope(kind, &name, suite.def, place(whole));
        let def = &mut self.defs[id];
        def.head = place(node);
        def.return_type = return_type;
        (def.params, def.bases, def.decorators, def.is_async) =
            (params, bases, decorators, is_async);
        self.note(StatementKind::Def, whole, suite, Vec::new());
        self.bind(Target::Name(name), Source::Def(id), whole, suite);
        if let Some(body) = body {
            let at = place(body);
            self.block(body, Suite { def: id, at });
        }
    }

    pub(super) fn scope(&mut self, kind: Kind, name: &Name, parent: usize, at: Place) -> usize {
        let above = &self.defs[parent];
        let qualname = match above.kind {
            Kind::Module => name.to_string(),
            Kind::Class => format!("{}.{name}", above.qualname),
            Kind::Function | Kind::Lambda => format!("{}.<locals>.{name}", above.qualname),
        };
        self.defs
            .push(Def::empty(kind, Rc::clone(name), qualname, parent, at));
        self.defs.len() - 1
    }

    pub(super) fn params(&mut self, list: Node<'t>, def: usize) -> Vec<Param> {
        let mut params: Vec<Param> = Vec::new();
        let mut plain = ParamKind::Plain;
        for node in named(list) {
            let inner = if node.kind() == "typed_parameter" {
                node.named_child(0).unwrap_or(node)
            } else {
                node
            };
            let kind = match inner.kind() {
                "list_splat_pattern" => ParamKind::Rest,
                "dictionary_splat_pattern" => ParamKind::Keywords,
                "keyword_separator" => {
                    plain = ParamKind::KeywordOnly;
                    continue;
                }
                "positional_separator" => continue,
                _ => plain,
            };
            let name = node
                .child_by_field_name("name")
                .unwrap_or_else(|| match kind {
                    ParamKind::Rest | ParamKind::Keywords => inner.named_child(0).unwrap_or(inner),
                    _ => inner,
                });
            let annotation = node.child_by_field_name("type").map(|n| self.expr(n, def));
            let default = node.child_by_field_name("value").map(|n| self.expr(n, def));
            params.push(Param {
                name: self.name(name),
                kind,
                annotation,
                default,
            });
            if kind == ParamKind::Rest {
                plain = ParamKind::KeywordOnly;
            }
        }
        params
    }

    pub(super) fn args(&mut self, list: Node<'t>, def: usize) -> Vec<Arg> {
        // `sum(n for n in rows)`
        let nodes = match list.kind() {
            "generator_expression" => vec![list],
            _ => named(list),
        };
        let mut args = Vec::new();
        for node in nodes {
            let (label, stars, value) = match node.kind() {
                "keyword_argument" => (
                    node.child_by_field_name("name"),
                    0,
                    node.child_by_field_name("value"),
                ),
                "list_splat" => (None, 1, node.named_child(0)),
                "dictionary_splat" => (None, 2, node.named_child(0)),
                _ => (None, 0, Some(node)),
            };
            let Some(value) = value else { continue };
            let label = label.map(|n| self.name(n));
            let value = self.expr(value, def);
            args.push(Arg {
                label,
                stars,
                value,
            });
        }
        args
    }
}
