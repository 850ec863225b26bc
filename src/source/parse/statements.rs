//! Statements: what they bind, and which expressions are in them.

use std::rc::Rc;

use tree_sitter::Node;

use super::super::syntax::{Expr, ExprKind, Name, Source, StatementKind, Target};
use super::super::text::lists;
use super::{FILLS, Reader, Suite, fields, named};

impl<'t> Reader<'t> {
    pub(super) fn statement(&mut self, node: Node<'t>, suite: Suite) {
        match node.kind() {
            "function_definition" | "class_definition" => self.def(node, node, Vec::new(), suite),
            "decorated_definition" => self.decorated(node, suite),
            "expression_statement" => {
                for child in named(node) {
                    self.simple(child, node, suite);
                }
            }
            "return_statement" => {
                let value = node.named_child(0).map(|n| self.expr(n, suite.def));
                let exprs = value.iter().cloned().collect();
                self.note(StatementKind::Return, node, suite, exprs);
                self.defs[suite.def].returns.extend(value);
            }
            "if_statement" | "elif_clause" => self.branch(StatementKind::If, node, suite),
            "while_statement" => self.branch(StatementKind::While, node, suite),
            "for_statement" => self.for_statement(node, suite),
            "with_statement" => self.with_statement(node, suite),
            "try_statement" => {
                self.note(StatementKind::Try, node, suite, Vec::new());
                for block in fields(node, "body") {
                    self.block(block, suite);
                }
                for clause in named(node).into_iter().filter(|n| n.kind() != "block") {
                    self.clause(clause, suite);
                }
            }
            "match_statement" => self.match_statement(node, suite),
            "import_statement" => self.import(node, suite),
            "import_from_statement" => self.import_from(node, suite),
            "future_import_statement" => self.note(StatementKind::Import, node, suite, Vec::new()),
            "global_statement" => {
                let names: Vec<Name> = named(node).into_iter().map(|n| self.name(n)).collect();
                self.defs[suite.def].globals.extend(names);
            }
            "nonlocal_statement" => {}
            kind => {
                let exprs = self.exprs(named(node), suite.def);
                let kind = match kind {
                    "delete_statement" => StatementKind::Delete,
                    _ => StatementKind::Other,
                };
                self.note(kind, node, suite, exprs);
            }
        }
    }

    fn decorated(&mut self, node: Node<'t>, suite: Suite) {
        let decorators = named(node).into_iter().filter(|n| n.kind() == "decorator");
        let decorators = decorators.filter_map(|n| n.named_child(0)).collect();
        let decorators = self.exprs(decorators, suite.def);
        if let Some(inner) = node.child_by_field_name("definition") {
            self.def(inner, node, decorators, suite);
        }
    }

    /// Reads an `if`, `elif` or `while`.
    fn branch(&mut self, kind: StatementKind, node: Node<'t>, suite: Suite) {
        let test = node.child_by_field_name("condition");
        let test = test.map(|n| self.expr(n, suite.def));
        self.note(kind, node, suite, test.into_iter().collect());
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

    fn for_statement(&mut self, node: Node<'t>, suite: Suite) {
        let field = |name| node.child_by_field_name(name);
        if let (Some(left), Some(right)) = (field("left"), field("right")) {
            let iter = self.expr(right, suite.def);
            self.note(StatementKind::For, node, suite, vec![Rc::clone(&iter)]);
            self.targets(left, &Source::Element(iter), node, suite, None);
        }
        for block in fields(node, "body") {
            self.inner(block, suite);
        }
        for other in fields(node, "alternative") {
            self.clause(other, suite);
        }
    }

    fn with_statement(&mut self, node: Node<'t>, suite: Suite) {
        let clauses = named(node)
            .into_iter()
            .filter(|n| n.kind() == "with_clause");
        let items = clauses.flat_map(named).flat_map(|n| match n.kind() {
            "with_item" => fields(n, "value"),
            _ => vec![n],
        });
        let mut exprs = Vec::new();
        for item in items {
            let (value, alias) = if item.kind() == "as_pattern" {
                (named(item).first().copied(), alias(item))
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
        self.note(StatementKind::With, node, suite, exprs);
        for block in fields(node, "body") {
            // What a `with` holds is as sure as the `with` itself.
            self.block(block, suite);
        }
    }

    fn import(&mut self, node: Node<'t>, suite: Suite) {
        self.note(StatementKind::Import, node, suite, Vec::new());
        for item in fields(node, "name") {
            let Some((module, mut bound)) = self.imported(item) else {
                continue;
            };
            let mut module = module.to_string();
            if item.kind() != "aliased_import" {
                module.truncate(module.find('.').unwrap_or(module.len()));
                bound = Rc::from(module.as_str());
            }
            self.bind(Target::Name(bound), Source::Import(module), node, suite);
        }
    }

    fn import_from(&mut self, node: Node<'t>, suite: Suite) {
        self.note(StatementKind::Import, node, suite, Vec::new());
        let Some(module) = node.child_by_field_name("module_name") else {
            return;
        };
        let module = self.name(module);
        let module: String = module.chars().filter(|c| !c.is_whitespace()).collect();
        let names = fields(node, "name").into_iter();
        let mut names: Vec<(Name, Name)> = names.filter_map(|n| self.imported(n)).collect();
        if named(node).iter().any(|n| n.kind() == "wildcard_import") {
            names.push((Rc::from("*"), Rc::from("*")));
        }
        for (name, bound) in names {
            let source = Source::From(module.clone(), name);
            self.bind(Target::Name(bound), source, node, suite);
        }
    }

    /// Returns what is imported, and the name that it is bound to.
    fn imported(&self, item: Node) -> Option<(Name, Name)> {
        if item.kind() != "aliased_import" {
            return Some((self.name(item), self.name(item)));
        }
        let field = |name| item.child_by_field_name(name).map(|n| self.name(n));
        Some((field("name")?, field("alias")?))
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
                    if let Some(alias) = alias(child).filter(|n| n.kind() == "identifier") {
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
                self.note(StatementKind::Assign, whole, suite, exprs);
                let source = value.map_or(Source::Nothing, Source::Value);
                for left in lefts {
                    self.targets(left, &source, whole, suite, annotation.clone());
                }
            }
            "augmented_assignment" => {
                let field = |name| node.child_by_field_name(name);
                let value = field("right").map(|n| self.expr(n, suite.def));
                let left = field("left").map(|n| self.expr(n, suite.def));
                let exprs = value.clone().into_iter().collect();
                self.note(StatementKind::Assign, whole, suite, exprs);
                if let (Some(left), Some(value)) = (left, value) {
                    let target = Target::Content(left, None);
                    self.bind(target, Source::Element(value), whole, suite);
                }
            }
            _ => {
                let expr = self.expr(node, suite.def);
                self.fills(&expr, whole, suite);
                self.note(StatementKind::Expr, whole, suite, vec![expr]);
            }
        }
    }

    /// Notes what a call such as `x.append(y)` puts into `x`, or `setattr(x, "y", z)` sets.
    pub(super) fn fills(&mut self, expr: &Rc<Expr>, node: Node, suite: Suite) {
        let Some(call) = expr.call() else {
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
            ExprKind::Attribute(base, name) if lists(FILLS, name) => {
                let base = &subscript(base);
                let many = matches!(&**name, "extend" | "update");
                // A key or a place comes first.
                let first = usize::from(matches!(&**name, "setdefault" | "insert"));
                for arg in call.args.iter().skip(first) {
                    let value = Rc::clone(&arg.value);
                    let source = match arg.label {
                        None if many => Source::Element(value),
                        _ => Source::Value(value),
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
            _ => {
                let target = match &self.expr(left, suite.def).kind {
                    ExprKind::Name(name) => Target::Name(Rc::clone(name)),
                    ExprKind::Attribute(base, name) => {
                        Target::Attribute(Rc::clone(base), Rc::clone(name))
                    }
                    ExprKind::Subscript(base, key) => {
                        Target::Content(Rc::clone(base), key.text().map(str::to_owned))
                    }
                    _ => return,
                };
                self.bind(target, source.clone(), node, suite);
                let bound = self.defs[suite.def].bindings.last_mut();
                bound.expect("one was added").annotation = annotation;
            }
        }
    }
}

/// Returns `f` of `open(path) as f`.
fn alias(node: Node<'_>) -> Option<Node<'_>> {
    named(node).get(1).and_then(|n| n.named_child(0))
}

/// Returns `by_day[day]` for `by_day.setdefault(day, [])`, any other expression as it is.
fn subscript(expr: &Rc<Expr>) -> Rc<Expr> {
    if let Some(call) = expr.call()
        && let Some((of, name)) = call.method()
        && &**name == "setdefault"
        && let Some(key) = call.args.first()
    {
        let kind = ExprKind::Subscript(Rc::clone(of), Rc::clone(&key.value));
        return Rc::new(Expr { at: expr.at, kind });
    }
    Rc::clone(expr)
}
