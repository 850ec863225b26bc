//! Expressions.

use std::rc::Rc;

use tree_sitter::Node;

use super::super::syntax::{Call, Comprehension, Expr, ExprKind, Kind, Source, Target};
use super::{MAX_DEPTH, Reader, Suite, fields, named, place};

impl<'t> Reader<'t> {
    /// Reads what an f-string is made of.
    pub(super) fn interpolated(&mut self, node: Node<'t>, def: usize) -> Vec<Rc<Expr>> {
        let mut found = Vec::new();
        for part in named(node) {
            match part.kind() {
                "interpolation" | "format_expression" => {
                    if let Some(inner) = part.child_by_field_name("expression") {
                        found.push(self.expr(inner, def));
                    }
                    // `{x:>{width}}`
                    if let Some(format) = part.child_by_field_name("format_specifier") {
                        found.extend(self.interpolated(format, def));
                    }
                }
                "string" => found.extend(self.interpolated(part, def)),
                _ => {}
            }
        }
        found
    }

    pub(super) fn exprs(&mut self, nodes: Vec<Node<'t>>, def: usize) -> Vec<Rc<Expr>> {
        nodes.into_iter().map(|n| self.expr(n, def)).collect()
    }

    pub(super) fn expr(&mut self, node: Node<'t>, def: usize) -> Rc<Expr> {
        self.depth += 1;
        let kind = if self.depth > MAX_DEPTH {
            ExprKind::Other(Vec::new())
        } else {
            self.expr_kind(node, def)
        };
        self.depth -= 1;
        Rc::new(Expr {
            kind,
            at: place(node),
        })
    }

    pub(super) fn expr_kind(&mut self, node: Node<'t>, def: usize) -> ExprKind {
        let field = |name| node.child_by_field_name(name);
        let known = match node.kind() {
            "identifier" => Some(ExprKind::Name(self.name(node))),
            "attribute" => self.attribute(node, def),
            "call" => self.call(node, def),
            "lambda" => Some(self.lambda(node, def)),
            "list" | "tuple" | "set" | "expression_list" | "pattern_list" | "tuple_pattern"
            | "type_parameter" => Some(ExprKind::Items(self.exprs(named(node), def))),
            "dictionary" => Some(ExprKind::Dict(self.dict_items(node, def))),
            "string" => Some(self.string(node, def)),
            "concatenated_string" => Some(ExprKind::Data(self.interpolated(node, def))),
            "comparison_operator" | "not_operator" | "unary_operator" => {
                Some(ExprKind::Data(self.exprs(named(node), def)))
            }
            "integer" | "float" | "true" | "false" | "none" | "ellipsis" => {
                Some(ExprKind::Constant)
            }
            "parenthesized_expression" | "type" => Some(match node.named_child(0) {
                Some(inner) => self.expr_kind(inner, def),
                None => ExprKind::Constant,
            }),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => {
                field("body").map(|body| self.comprehension(node, body, def))
            }
            "subscript" => field("value").map(|value| self.subscript(node, value, def)),
            "generic_type" => Some(self.generic_type(node, def)),
            "boolean_operator" => Some(ExprKind::Either(self.exprs(named(node), def), None)),
            "conditional_expression" => {
                let mut parts = self.exprs(named(node), def);
                let test = (parts.len() == 3).then(|| parts.remove(1));
                Some(ExprKind::Either(parts, test))
            }
            "binary_operator" | "union_type" => Some(self.operation(node, def)),
            "await" => (node.named_child(0)).map(|inner| ExprKind::Await(self.expr(inner, def))),
            "list_splat" | "list_splat_pattern" => {
                (node.named_child(0)).map(|inner| ExprKind::Starred(self.expr(inner, def)))
            }
            "named_expression" => self.named_expression(node, def),
            "yield" => Some(self.yielded(node, def)),
            _ => Some(ExprKind::Other(self.exprs(named(node), def))),
        };
        known.unwrap_or_else(|| ExprKind::Other(Vec::new()))
    }

    fn attribute(&mut self, node: Node<'t>, def: usize) -> Option<ExprKind> {
        let object = node.child_by_field_name("object")?;
        let name = self.name(node.child_by_field_name("attribute")?);
        Some(ExprKind::Attribute(self.expr(object, def), name))
    }

    fn call(&mut self, node: Node<'t>, def: usize) -> Option<ExprKind> {
        let func = node.child_by_field_name("function")?;
        let list = node.child_by_field_name("arguments")?;
        let func = self.expr(func, def);
        let args = self.args(list, def);
        let at = place(node);
        Some(ExprKind::Call(Rc::new(Call { func, args, at })))
    }

    fn lambda(&mut self, node: Node<'t>, def: usize) -> ExprKind {
        let params = node.child_by_field_name("parameters");
        let params = params.map_or_else(Vec::new, |list| self.params(list, def));
        let id = self.scope(Kind::Lambda, &Rc::from("<lambda>"), def, place(node));
        self.defs[id].params = params;
        if let Some(body) = node.child_by_field_name("body") {
            let body = self.expr(body, id);
            self.defs[id].returns.push(body);
        }
        ExprKind::Lambda(id)
    }

    fn dict_items(&mut self, node: Node<'t>, def: usize) -> Vec<(Option<Rc<Expr>>, Rc<Expr>)> {
        let mut items = Vec::new();
        for item in named(node) {
            let field = |name| item.child_by_field_name(name);
            if item.kind() != "pair" {
                let value = item.named_child(0).map(|n| self.expr(n, def));
                items.extend(value.map(|value| (None, value)));
            } else if let (Some(key), Some(value)) = (field("key"), field("value")) {
                items.push((Some(self.expr(key, def)), self.expr(value, def)));
            }
        }
        items
    }

    fn string(&mut self, node: Node<'t>, def: usize) -> ExprKind {
        let parts = named(node);
        if parts.iter().any(|n| n.kind() == "interpolation") {
            return ExprKind::Data(self.interpolated(node, def));
        }
        if self.text[node.byte_range()].starts_with(['b', 'B']) {
            return ExprKind::Constant;
        }
        let content = parts.iter().filter(|n| n.kind() == "string_content");
        ExprKind::Text(content.map(|n| &self.text[n.byte_range()]).collect())
    }

    fn comprehension(&mut self, node: Node<'t>, body: Node<'t>, def: usize) -> ExprKind {
        let clauses = |kind| named(node).into_iter().filter(move |n| n.kind() == kind);
        let mut loops = Vec::new();
        for clause in clauses("for_in_clause") {
            let field = |name| clause.child_by_field_name(name);
            if let (Some(left), Some(right)) = (field("left"), field("right")) {
                loops.push((self.expr(left, def), self.expr(right, def)));
            }
        }
        let is_dict = body.kind() == "pair";
        let element = if is_dict {
            // Keys count too: `{pool.submit(f, x): x for x in xs}`.
            let kind = ExprKind::Items(self.exprs(named(body), def));
            let at = place(body);
            Rc::new(Expr { kind, at })
        } else {
            self.expr(body, def)
        };
        let tests = clauses("if_clause").flat_map(named).collect();
        ExprKind::Comprehension(Rc::new(Comprehension {
            element,
            loops,
            tests: self.exprs(tests, def),
            is_dict,
            is_generator: node.kind() == "generator_expression",
        }))
    }

    fn subscript(&mut self, node: Node<'t>, value: Node<'t>, def: usize) -> ExprKind {
        let value = self.expr(value, def);
        let mut keys = self.exprs(fields(node, "subscript"), def);
        let key = match keys.len() {
            1 => keys.remove(0),
            _ => Rc::new(Expr {
                kind: ExprKind::Items(keys),
                at: place(node),
            }),
        };
        ExprKind::Subscript(value, key)
    }

    /// Reads what an annotation holds in place of a subscript: `Optional[Net]`.
    fn generic_type(&mut self, node: Node<'t>, def: usize) -> ExprKind {
        let parts = self.exprs(named(node), def);
        match parts.as_slice() {
            [of, inner, ..] => ExprKind::Subscript(Rc::clone(of), Rc::clone(inner)),
            _ => ExprKind::Other(parts),
        }
    }

    fn operation(&mut self, node: Node<'t>, def: usize) -> ExprKind {
        let mut parts = self.exprs(named(node), def);
        match (parts.pop(), parts.pop()) {
            (Some(right), Some(left)) => ExprKind::Operation(left, right),
            _ => ExprKind::Other(parts),
        }
    }

    fn named_expression(&mut self, node: Node<'t>, def: usize) -> Option<ExprKind> {
        let name = node.child_by_field_name("name")?;
        let value = self.expr(node.child_by_field_name("value")?, def);
        let (target, source) = (self.name(name), Source::Value(Rc::clone(&value)));
        let at = place(node);
        let suite = Suite { def, at };
        self.bind(Target::Name(target), source, node, suite);
        Some(ExprKind::Named(value))
    }

    fn yielded(&mut self, node: Node<'t>, def: usize) -> ExprKind {
        let value = node.named_child(0).map(|n| self.expr(n, def));
        let (kind, at) = (ExprKind::Constant, place(node));
        let yielded = value.clone().unwrap_or_else(|| Rc::new(Expr { kind, at }));
        self.defs[def].yields.push(yielded);
        ExprKind::Other(value.into_iter().collect())
    }
}
