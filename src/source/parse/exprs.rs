//! Expressions.

use std::rc::Rc;

use tree_sitter::Node;

use super::super::syntax::{Binding, Call, Comprehension, Expr, ExprKind, Kind, Source, Target};
use super::{MAX_DEPTH, Reader, fields, named, place};

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

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    pub(super) fn expr_kind(&mut self, node: Node<'t>, def: usize) -> ExprKind {
        let field = |name| node.child_by_field_name(name);
        let first = || node.named_child(0);
        match node.kind() {
            "identifier" => ExprKind::Name(self.name(node)),
            "attribute" => match (field("object"), field("attribute")) {
                (Some(object), Some(name)) => {
                    let name = self.name(name);
                    ExprKind::Attribute(self.expr(object, def), name)
                }
                _ => ExprKind::Other(Vec::new()),
            },
            "call" => match (field("function"), field("arguments")) {
                (Some(func), Some(list)) => {
                    let func = self.expr(func, def);
                    let args = self.args(list, def);
                    ExprKind::Call(Rc::new(Call {
                        func,
                        args,
                        at: place(node),
                    }))
                }
                _ => ExprKind::Other(Vec::new()),
            },
            "lambda" => {
                let params = match field("parameters") {
                    Some(list) => self.params(list, def),
                    None => Vec::new(),
                };
                let id = self.scope(Kind::Lambda, &Rc::from("<lambda>"), def, place(node));
                self.defs[id].params = params;
                if let Some(body) = field("body") {
                    let body = self.expr(body, id);
                    self.defs[id].returns.push(body);
                }
                ExprKind::Lambda(id)
            }
            "list" | "tuple" | "set" | "expression_list" | "pattern_list" | "tuple_pattern" => {
                ExprKind::Items(self.exprs(named(node), def))
            }
            "dictionary" => {
                let mut items = Vec::new();
                for item in named(node) {
                    if item.kind() == "pair" {
                        let (Some(key), Some(value)) = (
                            item.child_by_field_name("key"),
                            item.child_by_field_name("value"),
                        ) else {
                            continue;
                        };
                        items.push((Some(self.expr(key, def)), self.expr(value, def)));
                    } else if let Some(value) = item.named_child(0) {
                        items.push((None, self.expr(value, def)));
                    }
                }
                ExprKind::Dict(items)
            }
            "string" => {
                let parts = named(node);
                let is_format = parts.iter().any(|n| n.kind() == "interpolation");
                let is_bytes = self.text[node.byte_range()].starts_with(['b', 'B']);
                if is_format {
                    return ExprKind::Data(self.interpolated(node, def));
                }
                if is_bytes {
                    return ExprKind::Constant;
                }
                let content = parts.iter().filter(|n| n.kind() == "string_content");
                ExprKind::Text(content.map(|n| &self.text[n.byte_range()]).collect())
            }
            "concatenated_string" => ExprKind::Data(self.interpolated(node, def)),
            "comparison_operator" | "not_operator" | "unary_operator" => {
                ExprKind::Data(self.exprs(named(node), def))
            }
            "integer" | "float" | "true" | "false" | "none" | "ellipsis" => ExprKind::Constant,
            "parenthesized_expression" | "type" => match first() {
                Some(inner) => self.expr_kind(inner, def),
                None => ExprKind::Constant,
            },
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => {
                let Some(body) = field("body") else {
                    return ExprKind::Other(Vec::new());
                };
                let mut loops = Vec::new();
                for clause in named(node)
                    .into_iter()
                    .filter(|n| n.kind() == "for_in_clause")
                {
                    if let (Some(left), Some(right)) = (
                        clause.child_by_field_name("left"),
                        clause.child_by_field_name("right"),
                    ) {
                        loops.push((self.expr(left, def), self.expr(right, def)));
                    }
                }
                let element = if body.kind() == "pair" {
                    // Keys count too: `{pool.submit(f, x): x for x in xs}`.
                    let kind = ExprKind::Items(self.exprs(named(body), def));
                    let at = place(body);
                    Rc::new(Expr { kind, at })
                } else {
                    self.expr(body, def)
                };
                let tests = named(node).into_iter().filter(|n| n.kind() == "if_clause");
                let tests = tests.flat_map(named).collect();
                let tests = self.exprs(tests, def);
                let is_generator = node.kind() == "generator_expression";
                ExprKind::Comprehension(Rc::new(Comprehension {
                    element,
                    loops,
                    tests,
                    is_dict: body.kind() == "pair",
                    is_generator,
                }))
            }
            "subscript" => match field("value") {
                Some(value) => {
                    let value = self.expr(value, def);
                    let mut keys = self.exprs(fields(node, "subscript"), def);
                    let at = place(node);
                    let key = match keys.len() {
                        1 => keys.remove(0),
                        _ => Rc::new(Expr {
                            kind: ExprKind::Items(keys),
                            at,
                        }),
                    };
                    ExprKind::Subscript(value, key)
                }
                None => ExprKind::Other(Vec::new()),
            },
            // `type` nodes hold generics of their own kind: `Optional[Net]`.
            "generic_type" => {
                let parts = self.exprs(named(node), def);
                match parts.as_slice() {
                    [of, inner, ..] => ExprKind::Subscript(Rc::clone(of), Rc::clone(inner)),
                    _ => ExprKind::Other(parts),
                }
            }
            "type_parameter" => ExprKind::Items(self.exprs(named(node), def)),
            "boolean_operator" => ExprKind::Either(self.exprs(named(node), def), None),
            "conditional_expression" => {
                let mut parts = self.exprs(named(node), def);
                let test = (parts.len() == 3).then(|| parts.remove(1));
                ExprKind::Either(parts, test)
            }
            "binary_operator" | "union_type" => {
                let mut parts = self.exprs(named(node), def);
                match (parts.pop(), parts.pop()) {
                    (Some(right), Some(left)) => ExprKind::Operation(left, right),
                    _ => ExprKind::Other(parts),
                }
            }
            "await" => match first() {
                Some(inner) => ExprKind::Await(self.expr(inner, def)),
                None => ExprKind::Other(Vec::new()),
            },
            "list_splat" | "list_splat_pattern" => match first() {
                Some(inner) => ExprKind::Starred(self.expr(inner, def)),
                None => ExprKind::Other(Vec::new()),
            },
            "named_expression" => match (field("name"), field("value")) {
                (Some(name), Some(value)) => {
                    let value = self.expr(value, def);
                    let name = self.name(name);
                    let at = place(node);
                    self.defs[def].bindings.push(Binding {
                        target: Target::Name(name),
                        source: Source::Value(Rc::clone(&value)),
                        at,
                        suite: at,
                        annotation: None,
                    });
                    ExprKind::Named(value)
                }
                _ => ExprKind::Other(Vec::new()),
            },
            "yield" => {
                let value = first().map(|n| self.expr(n, def));
                let at = place(node);
                let yielded = value.clone().unwrap_or_else(|| {
                    Rc::new(Expr {
                        kind: ExprKind::Constant,
                        at,
                    })
                });
                self.defs[def].yields.push(yielded);
                ExprKind::Other(value.into_iter().collect())
            }
            _ => ExprKind::Other(self.exprs(named(node), def)),
        }
    }
}
