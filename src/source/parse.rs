//! From text to [`Module`]: the only file that meets tree-sitter.

use std::collections::HashSet;
use std::path::PathBuf;
use std::rc::Rc;

use tree_sitter::{Node, Parser};

use super::syntax::{
    Arg, Binding, Call, Comprehension, Def, Expr, ExprKind, Kind, Module, Name, Param, ParamKind,
    Place, Source, Statement, StatementKind, Target,
};

/// The deepest nesting that is followed; what lies deeper counts as an unknown expression.
const MAX_DEPTH: usize = 120;

/// Calls that put their arguments into what they are called on.
const FILLS: &[&str] = &[
    "append",
    "add",
    "insert",
    "extend",
    "update",
    "setdefault",
    "appendleft",
    "register",
];

/// Parses a file; `None` if nothing of it can be read as Python.
pub(super) fn parse(path: PathBuf, shown: String, text: String) -> Option<Module> {
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
        path,
        shown,
        text,
        lines,
        defs,
        filled,
        has_errors,
    })
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
    Place {
        start: offset(node.start_byte()),
        end: offset(node.end_byte()),
    }
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
        let at = Place {
            start: 0,
            end: offset(self.text.len()),
        };
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

    fn note(
        &mut self,
        kind: StatementKind,
        node: Node,
        head_end: usize,
        suite: Suite,
        exprs: Vec<Rc<Expr>>,
    ) {
        let at = place(node);
        let head_end = self.text[..head_end]
            .trim_end()
            .len()
            .max(node.start_byte());
        self.defs[suite.def].statements.push(Statement {
            kind,
            at,
            head: Place {
                start: at.start,
                end: offset(head_end),
            },
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

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of statement")]
    fn statement(&mut self, node: Node<'t>, suite: Suite) {
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
                let subject = field("subject").map(|n| self.expr(n, suite.def));
                self.note(
                    StatementKind::Other,
                    node,
                    head_end,
                    suite,
                    subject.into_iter().collect(),
                );
                for clause in fields(node, "body").into_iter().flat_map(named) {
                    for block in fields(clause, "consequence") {
                        self.inner(block, suite);
                    }
                }
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
    fn clause(&mut self, node: Node<'t>, suite: Suite) {
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
    fn simple(&mut self, node: Node<'t>, whole: Node<'t>, suite: Suite) {
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
    fn fills(&mut self, expr: &Rc<Expr>, node: Node, suite: Suite) {
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
                let many = matches!(&**name, "extend" | "update");
                for arg in &call.args {
                    let value = Rc::clone(&arg.value);
                    let is_one = !many || arg.label.is_some();
                    let source = if is_one {
                        Source::Value(value)
                    } else {
                        Source::Element(value)
                    };
                    self.bind(Target::Content(Rc::clone(base), None), source, node, suite);
                }
            }
            _ => {}
        }
    }

    /// Binds what stands left of `=`, after `for` or `as`.
    fn targets(
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

    /// Reads a class or function; `whole` includes the decorators.
    fn def(&mut self, node: Node<'t>, whole: Node<'t>, decorators: Vec<Rc<Expr>>, suite: Suite) {
        let Some(name) = node.child_by_field_name("name").map(|n| self.name(n)) else {
            return;
        };
        let is_class = node.kind() == "class_definition";
        let kind = if is_class {
            Kind::Class
        } else {
            Kind::Function
        };
        let bases = match node.child_by_field_name("superclasses") {
            Some(list) => self.args(list, suite.def),
            None => Vec::new(),
        };
        let params = match node.child_by_field_name("parameters") {
            Some(list) => self.params(list, suite.def),
            None => Vec::new(),
        };
        let is_async = node.child(0).is_some_and(|n| n.kind() == "async");
        let body = node.child_by_field_name("body");
        let id = self.scope(kind, &name, suite.def, place(whole));
        let def = &mut self.defs[id];
        def.head = place(node);
        (def.params, def.bases, def.decorators, def.is_async) =
            (params, bases, decorators, is_async);
        let head_end = body.map_or(node.end_byte(), |n| n.start_byte());
        self.note(StatementKind::Def, whole, head_end, suite, Vec::new());
        self.bind(Target::Name(name), Source::Def(id), whole, suite);
        if let Some(body) = body {
            self.block(
                body,
                Suite {
                    def: id,
                    at: place(body),
                },
            );
        }
    }

    fn scope(&mut self, kind: Kind, name: &Name, parent: usize, at: Place) -> usize {
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

    fn params(&mut self, list: Node<'t>, def: usize) -> Vec<Param> {
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

    fn args(&mut self, list: Node<'t>, def: usize) -> Vec<Arg> {
        if list.kind() == "generator_expression" {
            let value = self.expr(list, def);
            return vec![Arg {
                label: None,
                stars: 0,
                value,
            }];
        }
        let mut args = Vec::new();
        for node in named(list) {
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

    /// Reads what an f-string is made of.
    fn interpolated(&mut self, node: Node<'t>, def: usize) -> Vec<Rc<Expr>> {
        let mut found = Vec::new();
        for part in named(node) {
            match part.kind() {
                "interpolation" => {
                    if let Some(inner) = part.child_by_field_name("expression") {
                        found.push(self.expr(inner, def));
                    }
                }
                "string" => found.extend(self.interpolated(part, def)),
                _ => {}
            }
        }
        found
    }

    fn exprs(&mut self, nodes: Vec<Node<'t>>, def: usize) -> Vec<Rc<Expr>> {
        nodes.into_iter().map(|n| self.expr(n, def)).collect()
    }

    fn expr(&mut self, node: Node<'t>, def: usize) -> Rc<Expr> {
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
    fn expr_kind(&mut self, node: Node<'t>, def: usize) -> ExprKind {
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
