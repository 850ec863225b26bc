//! Statements: what they bind, and which expressions are in them.

use std::rc::Rc;

use tree_sitter::Node;

use super::super::syntax::{Binding, Expr, ExprKind, Name, Source, StatementKind, Target};
use super::{FILLS, Reader, Suite, fields, named, place};

impl<'t> Reader<'t> {
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of statement")]
    pub(super) fn statement(&mut self, node: Node<'t>, suite: Suite) {
        let field = |name| node.child_by_field_name(name);
        let head_end = fields(node, "body")
            .first()
            .or(fields(node, "consequence").first())
            .map_or(node.end_byte(), Node::start_byte);
        match node.kind() {
            "function_definition" | "class_definition" => self.def(node, node, Vec::new(), suite),
            "decorated_definition" => {
                let decorators = named(node)
                    .into_iter()
                    .filter(|n| n.kind() == "decorator")
                    .filter_map(|n| n.named_child(0))
                    .map(|n| self.expr(n, suite.def))
                    .collect();
                if let Some(inner) = field("definition") {
                    self.def(inner, node, decorators, suite);
                }
            }
            "expression_statement" => {
                for child in named(node) {
                    self.simple(child, node, suite);
                }
            }
            "return_statement" => {
                let value = node.named_child(0).map(|n| self.expr(n, suite.def));
                self.note(
                    StatementKind::Return,
                    node,
                    head_end,
                    suite,
                    value.clone().into_iter().collect(),
                );
                self.defs[suite.def].returns.extend(value);
            }
            "if_statement" | "while_statement" | "elif_clause" => {
                let test: Vec<_> = field("condition")
                    .map(|n| self.expr(n, suite.def))
                    .into_iter()
                    .collect();
                let kind = if node.kind() == "while_statement" {
                    StatementKind::Other
                } else {
                    StatementKind::If
                };
                self.note(kind, node, head_end, suite, test);
                for block in fields(node, "consequence")
                    .into_iter()
                    .chain(fields(node, "body"))
                {
                    self.inner(block, suite);
                }
                for other in fields(node, "alternative") {
                    self.clause(other, suite);
                }
            }
            "for_statement" => {
                if let (Some(left), Some(right)) = (field("left"), field("right")) {
                    let iter = self.expr(right, suite.def);
                    self.note(
                        StatementKind::For,
                        node,
                        head_end,
                        suite,
                        vec![Rc::clone(&iter)],
                    );
                    self.targets(left, &Source::Element(iter), node, suite, None);
                }
                for block in fields(node, "body") {
                    self.inner(block, suite);
                }
                for other in fields(node, "alternative") {
                    self.clause(other, suite);
                }
            }
            "with_statement" => {
                let items: Vec<_> = named(node)
                    .into_iter()
                    .filter(|n| n.kind() == "with_clause")
                    .flat_map(named)
                    .flat_map(|n| {
                        if n.kind() == "with_item" {
                            fields(n, "value")
                        } else {
                            vec![n]
                        }
                    })
                    .collect();
                let mut exprs = Vec::new();
                for item in items {
                    let (value, alias) = if item.kind() == "as_pattern" {
                        let parts = named(item);
                        (
                            parts.first().copied(),
                            parts.get(1).and_then(|n| n.named_child(0)),
                        )
                    } else {
                        (Some(item), None)
                    };
                    let Some(value) = value.map(|n| self.expr(n, suite.def)) else {
                        continue;
                    };
                    exprs.push(Rc::clone(&value));
                    if let Some(alias) = alias {
                        self.targets(alias, &Source::Entered(value), node, suite, None);
                    }
                }
                self.note(StatementKind::With, node, head_end, suite, exprs);
                for block in fields(node, "body") {
                    // What a `with` holds is as sure as the `with` itself.
                    self.block(block, suite);
                }
            }
            "try_statement" => {
                self.note(StatementKind::Try, node, head_end, suite, Vec::new());
                for block in fields(node, "body") {
                    self.block(block, suite);
                }
                for clause in named(node).into_iter().filter(|n| n.kind() != "block") {
                    self.clause(clause, suite);
                }
            }
            "match_statement" => {
                self.match_statement(node, head_end, suite);
            }
            "import_statement" => {
                self.note(StatementKind::Import, node, head_end, suite, Vec::new());
                for item in fields(node, "name") {
                    if item.kind() == "aliased_import" {
                        let (Some(name), Some(alias)) = (
                            item.child_by_field_name("name"),
                            item.child_by_field_name("alias"),
                        ) else {
                            continue;
                        };
                        let (name, alias) = (self.name(name), self.name(alias));
                        self.bind(
                            Target::Name(alias),
                            Source::Import(name.to_string()),
                            node,
                            suite,
                        );
                    } else {
                        let name = self.name(item);
                        let first: Name = Rc::from(name.split('.').next().unwrap_or(&name));
                        let source = Source::Import(first.to_string());
                        self.bind(Target::Name(first), source, node, suite);
                    }
                }
            }
            "import_from_statement" => {
                self.note(StatementKind::Import, node, head_end, suite, Vec::new());
                let Some(module) = field("module_name").map(|n| self.name(n)) else {
                    return;
                };
                let module: String = module.chars().filter(|c| !c.is_whitespace()).collect();
                for item in fields(node, "name") {
                    let (name, alias) = if item.kind() == "aliased_import" {
                        (
                            item.child_by_field_name("name"),
                            item.child_by_field_name("alias"),
                        )
                    } else {
                        (Some(item), Some(item))
                    };
                    let (Some(name), Some(alias)) = (name, alias) else {
                        continue;
                    };
                    let (name, alias) = (self.name(name), self.name(alias));
                    self.bind(
                        Target::Name(alias),
                        Source::From(module.clone(), name),
                        node,
                        suite,
                    );
                }
                if named(node).iter().any(|n| n.kind() == "wildcard_import") {
                    let star: Name = Rc::from("*");
                    self.bind(
                        Target::Name(Rc::clone(&star)),
                        Source::From(module, star),
                        node,
                        suite,
                    );
                }
            }
            "global_statement" | "nonlocal_statement" => {
                let names: Vec<Name> = named(node).into_iter().map(|n| self.name(n)).collect();
                if node.kind() == "global_statement" {
                    self.defs[suite.def].globals.extend(names);
                }
            }
            "delete_statement" => {
                let exprs = named(node)
                    .into_iter()
                    .map(|n| self.expr(n, suite.def))
                    .collect();
                self.note(StatementKind::Delete, node, head_end, suite, exprs);
            }
            "future_import_statement" => {
                self.note(StatementKind::Import, node, head_end, suite, Vec::new());
            }
            _ => {
                let exprs = named(node)
                    .into_iter()
                    .map(|n| self.expr(n, suite.def))
                    .collect();
                self.note(StatementKind::Other, node, head_end, suite, exprs);
            }
        }
    }

    /// Reads an `elif`, `else`, `except` or `finally`.
    pub(super) fn clause(&mut self, node: Node<'t>, suite: Suite) {
        if node.kind() == "elif_clause" {
            return self.statement(node, suite);
        }
        for child in named(node) {
            match child.kind() {
                "block" => self.inner(child, suite),
                "as_pattern" => {
                    let alias = named(child).get(1).and_then(|n| n.named_child(0));
                    if let Some(alias) = alias.filter(|n| n.kind() == "identifier") {
                        let name = self.name(alias);
                        self.bind(Target::Name(name), Source::Nothing, node, suite);
                    }
                }
                _ => {}
            }
        }
    }

    /// Reads an assignment or an expression that stands alone.
    pub(super) fn simple(&mut self, node: Node<'t>, whole: Node<'t>, suite: Suite) {
        match node.kind() {
            "assignment" => {
                let mut lefts = Vec::new();
                let mut at = node;
                let mut annotation = None;
                let right = loop {
                    lefts.extend(at.child_by_field_name("left"));
                    let of = at.child_by_field_name("type");
                    annotation = annotation.or(of.map(|n| self.expr(n, suite.def)));
                    match at.child_by_field_name("right") {
                        Some(next) if next.kind() == "assignment" => at = next,
                        other => break other,
                    }
                };
                let value = right.map(|n| self.expr(n, suite.def));
                // The key of `state["lock"] = None` says something.
                let keys = lefts.iter().filter(|n| n.kind() == "subscript");
                let mut exprs: Vec<_> = keys.map(|n| self.expr(*n, suite.def)).collect();
                exprs.extend(value.clone());
                self.note(StatementKind::Assign, whole, whole.end_byte(), suite, exprs);
                let source = value.map_or(Source::Nothing, Source::Value);
                for left in lefts {
                    self.targets(left, &source, whole, suite, annotation.clone());
                }
            }
            "augmented_assignment" => {
                let value = node
                    .child_by_field_name("right")
                    .map(|n| self.expr(n, suite.def));
                let left = node
                    .child_by_field_name("left")
                    .map(|n| self.expr(n, suite.def));
                self.note(
                    StatementKind::Assign,
                    whole,
                    whole.end_byte(),
                    suite,
                    value.clone().into_iter().collect(),
                );
                if let (Some(left), Some(value)) = (left, value) {
                    let target = Target::Content(left, None);
                    self.bind(target, Source::Element(value), whole, suite);
                }
            }
            _ => {
                let expr = self.expr(node, suite.def);
                self.fills(&expr, whole, suite);
                self.note(
                    StatementKind::Expr,
                    whole,
                    whole.end_byte(),
                    suite,
                    vec![expr],
                );
            }
        }
    }

    /// Notes what a call such as `x.append(y)` puts into `x`, or `setattr(x, "y", z)` sets.
    pub(super) fn fills(&mut self, expr: &Rc<Expr>, node: Node, suite: Suite) {
        let ExprKind::Call(call) = &expr.kind else {
            return;
        };
        match &call.func.kind {
            ExprKind::Name(name) if &**name == "setattr" => {
                let [base, attribute, value] = call.args.as_slice() else {
                    return;
                };
                if let ExprKind::Text(text) = &attribute.value.kind {
                    let target = Target::Attribute(Rc::clone(&base.value), Rc::from(text.as_str()));
                    self.bind(target, Source::Value(Rc::clone(&value.value)), node, suite);
                }
            }
            ExprKind::Attribute(base, name) if FILLS.contains(&&**name) => {
                let base = &subscript(base);
                let many = matches!(&**name, "extend" | "update");
                // A key or a place comes first.
                let first = usize::from(matches!(&**name, "setdefault" | "insert"));
                for arg in call.args.iter().skip(first) {
                    let value = Rc::clone(&arg.value);
                    let is_one = !many || arg.label.is_some();
                    let source = if is_one {
                        Source::Value(value)
                    } else {
                        Source::Element(value)
                    };
                    // `options.update(depth=3)`
                    let key = arg.label.as_ref().filter(|_| many).map(ToString::to_string);
                    self.bind(Target::Content(Rc::clone(base), key), source, node, suite);
                }
            }
            _ => {}
        }
    }

    /// Binds what stands left of `=`, after `for` or `as`.
    pub(super) fn targets(
        &mut self,
        left: Node<'t>,
        source: &Source,
        node: Node,
        suite: Suite,
        annotation: Option<Rc<Expr>>,
    ) {
        match left.kind() {
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list"
            | "expression_list" => {
                for (n, part) in named(left).into_iter().enumerate() {
                    let source = Source::Part(Box::new(source.clone()), n);
                    self.targets(part, &source, node, suite, None);
                }
            }
            "parenthesized_expression" | "as_pattern_target" => {
                for part in named(left) {
                    self.targets(part, source, node, suite, None);
                }
            }
            "list_splat_pattern" | "list_splat" => {
                for part in named(left) {
                    self.targets(part, &Source::Nothing, node, suite, None);
                }
            }
            kind => {
                let target = match kind {
                    "identifier" => Target::Name(self.name(left)),
                    "attribute" => {
                        let expr = self.expr(left, suite.def);
                        let ExprKind::Attribute(base, name) = &expr.kind else {
                            return;
                        };
                        Target::Attribute(Rc::clone(base), Rc::clone(name))
                    }
                    "subscript" => {
                        let expr = self.expr(left, suite.def);
                        let ExprKind::Subscript(base, key) = &expr.kind else {
                            return;
                        };
                        let key = match &key.kind {
                            ExprKind::Text(text) => Some(text.clone()),
                            _ => None,
                        };
                        Target::Content(Rc::clone(base), key)
                    }
                    _ => return,
                };
                self.defs[suite.def].bindings.push(Binding {
                    target,
                    source: source.clone(),
                    at: place(node),
                    suite: suite.at,
                    annotation,
                });
            }
        }
    }
}

/// Returns `by_day[day]` for `by_day.setdefault(day, [])`, any other expression as it is.
fn subscript(expr: &Rc<Expr>) -> Rc<Expr> {
    if let ExprKind::Call(call) = &expr.kind
        && let ExprKind::Attribute(of, name) = &call.func.kind
        && &**name == "setdefault"
        && let Some(key) = call.args.first()
    {
        let kind = ExprKind::Subscript(Rc::clone(of), Rc::clone(&key.value));
        return Rc::new(Expr { at: expr.at, kind });
    }
    Rc::clone(expr)
}
