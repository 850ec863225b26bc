//! What expressions are: names to their assignments, calls to what they give.
//!
//! Nothing is run. A value that could be several things is all of them, and one that cannot be
//! made out is unknown. Steps and depth are limited, so that every search ends soon.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::attached::Attached;
use super::objects::canonical;
use super::project::{ModuleId, Project};
use super::syntax::{
    Arg, Binding, Call, Comprehension, Def, Expr, ExprKind, Kind, Name, ParamKind, Place, Source,
    Target,
};
use super::value::{DefId, Env, Function, Generator, Instance, Later, Made, Scope, Step, Value};

/// The most steps of one search.
const MAX_STEPS: u32 = 60_000;
/// How deep values are followed.
const MAX_DEPTH: u32 = 48;
/// The most places that call a function, for what its parameters are.
const MAX_CALLERS: usize = 8;

/// Works out what expressions are.
pub(super) struct Eval<'p> {
    pub(super) project: &'p Project,
    steps: Cell<u32>,
    depth: Cell<u32>,
    tops: RefCell<HashMap<DefId, Env>>,
    /// What is set on objects from outside, found in so many modules.
    pub(super) attached: RefCell<Option<(usize, Rc<Vec<Attached>>)>>,
    pub(super) is_attaching: Cell<bool>,
    /// Parameters whose callers are being looked for.
    asked: RefCell<Vec<(DefId, Name)>>,
}

impl<'p> Eval<'p> {
    pub(super) fn new(project: &'p Project) -> Self {
        Self {
            project,
            steps: Cell::new(0),
            depth: Cell::new(0),
            tops: RefCell::default(),
            asked: RefCell::default(),
            attached: RefCell::default(),
            is_attaching: Cell::default(),
        }
    }

    /// Returns how many steps were made.
    pub(super) fn steps(&self) -> u32 {
        self.steps.get()
    }

    /// Counts steps from another number on.
    pub(super) fn set_steps(&self, steps: u32) {
        self.steps.set(steps);
    }

    /// Returns whether the search has been given up for its size.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() >= MAX_STEPS
    }

    /// Returns a scope of which nothing is known but its source.
    pub(super) fn scope(&self, at: DefId) -> Env {
        if let Some(env) = self.tops.borrow().get(&at) {
            return Rc::clone(env);
        }
        let module = self.project.module(at.module);
        let outer = (at.def != 0).then(|| {
            let def = module.defs[at.def].parent;
            self.scope(DefId { def, ..at })
        });
        let env = Rc::new(Scope {
            at,
            names: HashMap::new(),
            outer,
            is_call: false,
        });
        self.tops.borrow_mut().insert(at, Rc::clone(&env));
        env
    }

    /// Works out a value that was put off.
    pub(super) fn force(&self, later: &Later) -> Value {
        match later {
            Later::Value(value) => value.clone(),
            Later::Expr(expr, env) => self.eval(expr, env),
            Later::Source(source, env) => self.source(source, env),
            Later::Element(expr, env) => self.element_of(&self.eval(expr, env)),
        }
    }

    /// Works out an expression.
    pub(super) fn eval(&self, expr: &Rc<Expr>, env: &Env) -> Value {
        let steps = self.steps.get() + 1;
        let depth = self.depth.get() + 1;
        if steps > MAX_STEPS || depth > MAX_DEPTH {
            return Value::Unknown;
        }
        self.steps.set(steps);
        self.depth.set(depth);
        let value = self.eval_kind(expr, env);
        self.depth.set(depth - 1);
        value
    }

    fn eval_kind(&self, expr: &Rc<Expr>, env: &Env) -> Value {
        let later = |e: &Rc<Expr>| Later::Expr(Rc::clone(e), Rc::clone(env));
        match &expr.kind {
            ExprKind::Text(_) | ExprKind::Constant | ExprKind::Data(_) => Value::Plain,
            ExprKind::Name(name) => self.name(name, env, Some(expr.at)),
            ExprKind::Attribute(base, name) => {
                let base = self.eval(base, env);
                self.attribute(&base, name)
            }
            ExprKind::Call(call) => {
                let func = self.eval(&call.func, env);
                self.call(&func, call, env)
            }
            ExprKind::Lambda(def) => Value::Function(Function {
                id: DefId {
                    def: *def,
                    ..env.at
                },
                env: Rc::clone(env),
                wraps: None,
            }),
            ExprKind::Items(items) => {
                let mut all = Vec::new();
                for (n, item) in items.iter().enumerate() {
                    if let ExprKind::Starred(inner) = &item.kind {
                        all.push((Step::Any, Later::Element(Rc::clone(inner), Rc::clone(env))));
                    } else {
                        all.push((Step::Index(n), later(item)));
                    }
                }
                Value::Items(Rc::new(all))
            }
            ExprKind::Dict(items) => {
                let mut all = Vec::new();
                for (key, value) in items {
                    match key.as_ref().map(|k| &k.kind) {
                        Some(ExprKind::Text(text)) => {
                            all.push((Step::Key(text.clone()), later(value)));
                        }
                        Some(_) => all.push((Step::Any, later(value))),
                        None => {
                            let inner = self.eval(value, env);
                            if let Value::Items(inner) = inner {
                                all.extend(inner.iter().cloned());
                            } else {
                                all.push((Step::Any, Later::Value(self.content_of(&inner))));
                            }
                        }
                    }
                }
                Value::Items(Rc::new(all))
            }
            ExprKind::Comprehension(inner) => {
                let overlay = self.overlay(inner, env);
                if let (ExprKind::Items(pair), true) = (&inner.element.kind, inner.is_dict) {
                    let each = pair
                        .iter()
                        .map(|part| (Step::Any, Later::Expr(Rc::clone(part), Rc::clone(&overlay))));
                    return Value::Items(Rc::new(each.collect()));
                }
                let element = Later::Expr(Rc::clone(&inner.element), overlay);
                if inner.is_generator {
                    return Value::Generator(Rc::new(Generator {
                        type_name: "generator",
                        module: env.at.module,
                        at: expr.at,
                        elements: vec![element],
                        returns: Vec::new(),
                        of: "a generator expression".to_owned(),
                    }));
                }
                Value::Items(Rc::new(vec![(Step::Any, element)]))
            }
            ExprKind::Subscript(base, key) => {
                let base = self.eval(base, env);
                self.subscript(&base, key)
            }
            ExprKind::Either(parts, _) => {
                Value::one_of(parts.iter().map(|p| self.eval(p, env)).collect())
            }
            ExprKind::Await(inner) => match self.eval(inner, env) {
                Value::Generator(generator) if generator.type_name == "coroutine" => {
                    Value::one_of(generator.returns.iter().map(|r| self.force(r)).collect())
                }
                Value::Plain => Value::Plain,
                _ => Value::Unknown,
            },
            ExprKind::Starred(inner) => self.element_of(&self.eval(inner, env)),
            ExprKind::Named(inner) => self.eval(inner, env),
            ExprKind::Operation(left, right) => {
                let sides = [self.eval(left, env), self.eval(right, env)];
                match &sides {
                    [Value::Plain, Value::Plain] => Value::Plain,
                    // `"%s" % x`, `2 * len(xs)`.
                    [Value::Plain, _] if !matches!(left.kind, ExprKind::Name(_)) => Value::Plain,
                    // `folder / "name"`
                    [_, Value::Plain] if matches!(right.kind, ExprKind::Text(_)) => Value::Plain,
                    [Value::Unknown, Value::Unknown] => Value::Unknown,
                    _ => Value::one_of(sides.to_vec()),
                }
            }
            ExprKind::Other(_) => Value::Unknown,
        }
    }

    /// Returns the scope within a comprehension.
    pub(super) fn overlay(&self, inner: &Comprehension, env: &Env) -> Env {
        let mut at = Rc::clone(env);
        for (target, iter) in &inner.loops {
            let mut names = HashMap::new();
            bind_target(
                target,
                &Later::Element(Rc::clone(iter), Rc::clone(&at)),
                &mut names,
                self,
            );
            at = Rc::new(Scope {
                at: env.at,
                names,
                outer: Some(Rc::clone(&at)),
                is_call: env.is_call,
            });
        }
        at
    }

    fn source(&self, source: &Source, env: &Env) -> Value {
        // Modules may import a name from each other in a circle.
        let depth = self.depth.get() + 1;
        if depth > MAX_DEPTH {
            return Value::Unknown;
        }
        self.depth.set(depth);
        let value = self.source_kind(source, env);
        self.depth.set(depth - 1);
        value
    }

    fn source_kind(&self, source: &Source, env: &Env) -> Value {
        match source {
            Source::Value(expr) => self.eval(expr, env),
            Source::Element(expr) => self.element_of(&self.eval(expr, env)),
            Source::Entered(expr) => self.entered(expr, env),
            Source::Part(inner, n) => self.part(&self.source(inner, env), *n),
            Source::Def(def) => self.def_value(
                DefId {
                    def: *def,
                    ..env.at
                },
                env,
            ),
            Source::Import(name) => self.import(name, env.at.module),
            Source::From(module, name) => self.import_from(module, name, env.at.module),
            Source::Nothing => Value::Unknown,
        }
    }

    /// Works out what `with expr as` binds.
    fn entered(&self, expr: &Rc<Expr>, env: &Env) -> Value {
        let value = self.eval(expr, env);
        match &value {
            Value::Instance(_) => match self.attribute(&value, "__enter__") {
                Value::Method(of, function) => self.results(&function, Some(&of), None),
                _ => Value::Unknown,
            },
            Value::Generator(generator) => {
                Value::one_of(generator.elements.iter().map(|e| self.force(e)).collect())
            }
            _ => value,
        }
    }

    /// Returns the n-th part of what is unpacked.
    fn part(&self, value: &Value, n: usize) -> Value {
        match value {
            Value::Items(items) => {
                let fixed = items.iter().all(|(step, _)| matches!(step, Step::Index(_)));
                match items.get(n).filter(|_| fixed) {
                    Some((_, later)) => self.force(later),
                    None => self.element_of(value),
                }
            }
            Value::Made(made) if &*made.of == "multiprocessing.Pipe" => {
                Value::Made(Rc::clone(made))
            }
            Value::Plain => Value::Plain,
            Value::OneOf(values) => Value::one_of(values.iter().map(|v| self.part(v, n)).collect()),
            Value::Made(_) | Value::Generator(_) | Value::Filled(..) => self.element_of(value),
            _ => Value::Unknown,
        }
    }

    fn subscript(&self, base: &Value, key: &Rc<Expr>) -> Value {
        match (base, &key.kind) {
            (Value::Items(items), ExprKind::Text(text)) => {
                let found = items.iter().find(|(s, _)| *s == Step::Key(text.clone()));
                match found {
                    Some((_, later)) => self.force(later),
                    None => self.element_of(base),
                }
            }
            (Value::Filled(_, extra), ExprKind::Text(text)) => {
                let found = extra.iter().find(|(s, _)| *s == Step::Key(text.clone()));
                match found {
                    Some((_, later)) => self.force(later),
                    None => self.element_of(base),
                }
            }
            // `Optional[Net]`, `list[int]`
            (Value::Outside(..) | Value::Class(..), _) => base.clone(),
            (Value::OneOf(values), _) => {
                Value::one_of(values.iter().map(|v| self.subscript(v, key)).collect())
            }
            (Value::Instance(_), _) => match self.attribute(base, "__getitem__") {
                Value::Method(of, function) => self.results(&function, Some(&of), None),
                _ => Value::Unknown,
            },
            _ => self.element_of(base),
        }
    }

    /// Returns all that is in a container.
    fn content_of(&self, value: &Value) -> Value {
        self.element_of(value)
    }

    /// Returns what iterating over a value gives; of a dict its values too.
    pub(super) fn element_of(&self, value: &Value) -> Value {
        match value {
            Value::Plain => Value::Plain,
            Value::Items(items) => {
                let items = items.iter().take(32);
                Value::one_of(items.map(|(_, later)| self.force(later)).collect())
            }
            Value::Filled(base, extra) => {
                let first = match &**base {
                    Value::Items(items) if items.is_empty() => None,
                    Value::Instance(_) => None,
                    other => Some(self.element_of(other)),
                };
                let within = extra
                    .iter()
                    .filter(|(s, _)| !matches!(s, Step::Attribute(_)));
                let rest = within.take(16).map(|(_, later)| self.force(later));
                Value::one_of(first.into_iter().chain(rest).collect())
            }
            Value::Generator(generator) => {
                Value::one_of(generator.elements.iter().map(|e| self.force(e)).collect())
            }
            Value::OneOf(values) => {
                Value::one_of(values.iter().map(|v| self.element_of(v)).collect())
            }
            Value::Instance(_) => {
                for name in ["__iter__", "__getitem__"] {
                    if let Value::Method(of, function) = self.attribute(value, name) {
                        let result = self.results(&function, Some(&of), None);
                        return if name == "__iter__" {
                            self.element_of(&result)
                        } else {
                            result
                        };
                    }
                }
                Value::Unknown
            }
            Value::Made(made) => self.made_element(made),
            _ => Value::Unknown,
        }
    }

    fn made_element(&self, made: &Rc<Made>) -> Value {
        let arg = |n: usize| {
            made.call
                .args
                .get(n)
                .map(|a| self.eval(&a.value, &made.env))
        };
        match &*made.of {
            "enumerate" => {
                let inner = arg(0).map_or(Value::Unknown, |v| self.element_of(&v));
                pair(Value::Plain, inner)
            }
            "dict.items" => {
                let inner = made
                    .from
                    .as_deref()
                    .map_or(Value::Unknown, |v| self.element_of(v));
                pair(Value::Plain, inner)
            }
            "dict.values" => made
                .from
                .as_deref()
                .map_or(Value::Unknown, |v| self.element_of(v)),
            "dict.keys" => Value::Plain,
            "zip" => {
                let parts = made.call.args.iter().enumerate();
                let items = parts.map(|(n, a)| {
                    let later = Later::Element(Rc::clone(&a.value), Rc::clone(&made.env));
                    (Step::Index(n), later)
                });
                Value::Items(Rc::new(items.collect()))
            }
            "map" => match (arg(0), made.call.args.get(1)) {
                (Some(Value::Function(function)), _) => self.results(&function, None, None),
                _ => Value::Unknown,
            },
            "filter" | "concurrent.futures.wait" => arg(1)
                .or_else(|| arg(0))
                .map_or(Value::Unknown, |v| self.element_of(&v)),
            of if of.ends_with("tqdm")
                || of.ends_with("track")
                || of.starts_with("itertools.")
                || matches!(
                    of,
                    "concurrent.futures.as_completed"
                        | "asyncio.as_completed"
                        | "reversed"
                        | "iter"
                        | "sorted"
                        | "collections.deque"
                        | "random.sample"
                        | "random.choices"
                ) =>
            {
                arg(0).map_or(Value::Unknown, |v| self.element_of(&v))
            }
            of => match super::objects::inside(of) {
                Some(inside) if inside.holds.is_empty() && !inside.keeps => Value::Plain,
                // Its parts hold what it holds: `random_split(dataset, …)`.
                Some(inside) if inside.keeps => Value::Made(Rc::clone(made)),
                _ => Value::Unknown,
            },
        }
    }

    /// Works out a name; `at` is where it is used, if that is in the scope itself.
    pub(super) fn name(&self, name: &Name, env: &Env, at: Option<Place>) -> Value {
        let mut env = Rc::clone(env);
        let mut at = at;
        let mut is_first = true;
        loop {
            if let Some(later) = env.names.get(name) {
                let later = later.clone();
                let value = self.force(&later);
                return self.with_contents(value, name, &env);
            }
            if let Some(outer) = env.outer.as_ref().filter(|o| o.at == env.at) {
                env = Rc::clone(outer);
                continue;
            }
            let module = self.project.module(env.at.module);
            let def = &module.defs[env.at.def];
            if def.globals.contains(name) {
                let top = self.scope(DefId { def: 0, ..env.at });
                return self.global(name, &top);
            }
            // The names of a class are not seen from its methods.
            if (def.kind != Kind::Class || is_first)
                && let Some(value) = self.local(name, &env, def, at)
            {
                return self.with_contents(value, name, &env);
            }
            if def.kind == Kind::Module {
                return self.global(name, &env);
            }
            let parent = DefId {
                def: def.parent,
                ..env.at
            };
            env = match &env.outer {
                Some(outer) => Rc::clone(outer),
                None => self.scope(parent),
            };
            is_first = false;
            at = None;
        }
    }

    /// Works out a name of a module that the module itself may not bind.
    pub(super) fn global(&self, name: &Name, top: &Env) -> Value {
        let module = self.project.module(top.at.module);
        let mut values = Vec::new();
        if let Some(value) = self.local(name, top, &module.defs[0], None) {
            values.push(value);
        }
        for (id, def) in module.defs().filter(|(_, d)| d.globals.contains(name)) {
            let env = self.scope(DefId { def: id, ..top.at });
            for binding in bindings_of(def, name) {
                values.push(self.source(&binding.source, &env));
            }
        }
        if !values.is_empty() {
            return self.with_contents(Value::one_of(values), name, top);
        }
        for binding in bindings_of(&module.defs[0], "*") {
            if let Source::From(from, _) = &binding.source
                && let Some(found) = self.project.import(top.at.module, from)
            {
                let other = self.project.module(found);
                if bindings_of(&other.defs[0], name).next().is_some() {
                    let env = self.scope(DefId {
                        module: found,
                        def: 0,
                    });
                    return self.global(name, &env);
                }
            }
        }
        if matches!(
            &**name,
            "True" | "False" | "None" | "__name__" | "__file__" | "__doc__"
        ) {
            return Value::Plain;
        }
        Value::Outside(Rc::clone(name), None)
    }

    /// Works out a name that a scope binds itself; `None` if it does not.
    fn local(&self, name: &Name, env: &Env, def: &Def, at: Option<Place>) -> Option<Value> {
        let mut found = Vec::new();
        let mut is_settled = false;
        let bindings: Vec<&Binding> = bindings_of(def, name).collect();
        let holds_use = |b: &Binding| match (&b.source, at) {
            (Source::Value(e) | Source::Element(e) | Source::Entered(e), Some(at)) => {
                e.at.holds(at)
            }
            _ => false,
        };
        let is_before = |b: &&&Binding| at.is_none_or(|at| b.at.start < at.start) && !holds_use(b);
        let mut before: Vec<&Binding> = bindings.iter().filter(is_before).copied().collect();
        if before.is_empty() && !def.params.iter().any(|p| p.name == *name) {
            // In a loop, what is bound further down.
            before = bindings.iter().filter(|b| !holds_use(b)).copied().collect();
        }
        for binding in before.iter().rev() {
            let value = match &binding.source {
                Source::Nothing => match &binding.annotation {
                    Some(annotation) => self.annotated(annotation, env),
                    None => continue,
                },
                source => self.source(source, env),
            };
            let value = match (&value, &binding.annotation) {
                (Value::Unknown, Some(annotation)) => self.annotated(annotation, env),
                _ => value,
            };
            found.push(value);
            let settles = match at {
                Some(at) => binding.suite.holds(at),
                None => {
                    binding.suite.holds(def.at)
                        || binding.suite.start <= def.at.start
                        || is_body(def, binding)
                }
            };
            if settles {
                is_settled = true;
                break;
            }
        }
        if !is_settled && def.params.iter().any(|p| p.name == *name) {
            found.push(self.param(name, env, def));
        }
        if found.is_empty() && bindings.is_empty() {
            return None;
        }
        found.reverse();
        Some(if found.is_empty() {
            Value::Unknown
        } else {
            Value::one_of(found)
        })
    }

    /// Adds what is put into a container, or set on an object of a library, under this name.
    fn with_contents(&self, value: Value, name: &Name, env: &Env) -> Value {
        let module = self.project.module(env.at.module);
        if !module.filled.contains(name) {
            return value;
        }
        let takes = match &value {
            Value::Items(_) | Value::Made(_) | Value::Plain => true,
            Value::Instance(instance) => self.is_container(instance),
            _ => false,
        };
        if !takes {
            return value;
        }
        let is_name = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if n == name);
        let mut extra = Vec::new();
        for (id, def) in module.defs() {
            let at = DefId { def: id, ..env.at };
            let is_same = at == env.at;
            let is_below = env.at.def == 0 && bindings_of(def, name).next().is_none();
            if !is_same && !is_below {
                continue;
            }
            for binding in &def.bindings {
                let step = match &binding.target {
                    Target::Content(base, key) if is_name(base.subscripted().0) => {
                        content_step(base, key.as_deref())
                    }
                    Target::Attribute(base, attribute)
                        if is_name(base) && matches!(value, Value::Made(_)) =>
                    {
                        Step::Attribute(Rc::clone(attribute))
                    }
                    _ => continue,
                };
                let scope = if is_same {
                    Rc::clone(env)
                } else {
                    self.scope(at)
                };
                extra.push((step, Later::Source(binding.source.clone(), scope)));
            }
        }
        if extra.is_empty() {
            return value;
        }
        Value::Filled(Rc::new(value), Rc::new(extra))
    }

    /// Returns whether a class derives from a list, dict or the like.
    fn is_container(&self, instance: &Instance) -> bool {
        let line = self.line(instance.class, &instance.class_env);
        line.outside.iter().any(|name| {
            matches!(
                &**name,
                "dict" | "list" | "set" | "collections.UserDict" | "collections.UserList"
            ) || matches!(
                &**name,
                "collections.OrderedDict" | "collections.defaultdict" | "collections.deque"
            )
        })
    }

    /// Works out a parameter whose argument is not known from the call.
    fn param(&self, name: &Name, env: &Env, def: &Def) -> Value {
        let Some(index) = def.params.iter().position(|p| p.name == *name) else {
            return Value::Unknown;
        };
        let param = &def.params[index];
        if param.kind == ParamKind::Rest || param.kind == ParamKind::Keywords {
            return if env.is_call {
                Value::Items(Rc::default())
            } else {
                Value::Unknown
            };
        }
        let default = || {
            let outer = self.scope(DefId {
                def: def.parent,
                ..env.at
            });
            param.default.as_ref().map(|d| self.eval(d, &outer))
        };
        if env.is_call {
            return default().unwrap_or(Value::Unknown);
        }
        if index == 0
            && def.kind == Kind::Function
            && let Some(value) = self.own(env, def)
        {
            return value;
        }
        let called = self.called_with(name, env.at, def);
        if let Some(annotation) = &param.annotation {
            let outer = self.scope(DefId {
                def: def.parent,
                ..env.at
            });
            let annotated = self.annotated(annotation, &outer);
            return match (&annotated, called) {
                (_, Some(called)) if !matches!(called, Value::Unknown) => called,
                (Value::Unknown, _) => default()
                    .filter(|d| !matches!(d, Value::Plain))
                    .unwrap_or(Value::Unknown),
                _ => annotated,
            };
        }
        match (called, default()) {
            (Some(called), _) => called,
            (None, Some(default)) => default,
            (None, None) => Value::Unknown,
        }
    }

    /// Returns what `self` or `cls` is in a method.
    fn own(&self, env: &Env, def: &Def) -> Option<Value> {
        let module = self.project.module(env.at.module);
        if module.defs[def.parent].kind != Kind::Class {
            return None;
        }
        let class = DefId {
            def: def.parent,
            ..env.at
        };
        let class_env = match &module.defs[class.def].parent {
            0 => self.scope(DefId { def: 0, ..env.at }),
            parent => self.scope(DefId {
                def: *parent,
                ..env.at
            }),
        };
        if is_decorated(def, "staticmethod") {
            return None;
        }
        if is_decorated(def, "classmethod") || &*def.name == "__new__" {
            return Some(Value::Class(class, class_env));
        }
        Some(self.any_instance(class, class_env))
    }

    /// Returns an instance of a class, as the only call of it makes it, if there is just one.
    pub(super) fn any_instance(&self, class: DefId, class_env: Env) -> Value {
        let module = self.project.module(class.module);
        let name = Rc::clone(&module.defs[class.def].name);
        let mut calls = Vec::new();
        let asked = (class, Rc::clone(&name));
        if !self.asked.borrow().contains(&asked) {
            self.asked.borrow_mut().push(asked);
            self.calls_of(&name, &mut |call, env| {
                if let Value::Class(id, _) = self.eval(&call.func, env)
                    && id == class
                {
                    calls.push((Rc::clone(call), Rc::clone(env)));
                }
                calls.len() <= 1
            });
            self.asked.borrow_mut().pop();
        }
        let made = if calls.len() == 1 { calls.pop() } else { None };
        Value::Instance(Rc::new(Instance {
            class,
            class_env,
            made,
            attributes: std::cell::OnceCell::new(),
        }))
    }

    /// Calls `seen` with each call of something of this name, until it says no.
    fn calls_of(&self, name: &str, seen: &mut dyn FnMut(&Rc<Call>, &Env) -> bool) {
        for id in self.project.ids() {
            let module = self.project.module(id);
            if !module.text.contains(name) {
                continue;
            }
            for (number, def) in module.defs() {
                let env = self.scope(DefId {
                    module: id,
                    def: number,
                });
                let values = def.bindings.iter().filter_map(|b| match &b.source {
                    Source::Value(e) if def.kind == Kind::Class => Some(e),
                    _ => None,
                });
                let all = def.statements.iter().flat_map(|s| &s.exprs);
                let lambda = def.returns.iter().filter(|_| def.kind == Kind::Lambda);
                for expr in all.chain(lambda) {
                    if !self.calls_in(expr, &env, name, seen) {
                        return;
                    }
                }
                drop(values);
            }
        }
    }

    fn calls_in(
        &self,
        expr: &Rc<Expr>,
        env: &Env,
        name: &str,
        seen: &mut dyn FnMut(&Rc<Call>, &Env) -> bool,
    ) -> bool {
        if let ExprKind::Comprehension(inner) = &expr.kind {
            let overlay = self.overlay(inner, env);
            return self.calls_in(&inner.element, &overlay, name, seen)
                && inner
                    .loops
                    .iter()
                    .all(|(_, iter)| self.calls_in(iter, env, name, seen));
        }
        if let ExprKind::Call(call) = &expr.kind {
            let is_named = match &call.func.kind {
                ExprKind::Name(n) | ExprKind::Attribute(_, n) => &**n == name,
                _ => false,
            };
            // `Process(target=f, args=(a,))` and the like call with what they are given.
            let given = call.args.iter().any(|a| match &a.value.kind {
                ExprKind::Name(n) | ExprKind::Attribute(_, n) => &**n == name,
                _ => false,
            });
            if (is_named || given) && !seen(call, env) {
                return false;
            }
        }
        expr.parts()
            .into_iter()
            .all(|part| self.calls_in(part, env, name, seen))
    }

    /// Works out a parameter from the places that call the function.
    fn called_with(&self, name: &Name, id: DefId, def: &Def) -> Option<Value> {
        let asked = (id, Rc::clone(name));
        if self.asked.borrow().len() > 3
            || self.asked.borrow().contains(&asked)
            || def.kind == Kind::Lambda
        {
            return None;
        }
        self.asked.borrow_mut().push(asked);
        let module = self.project.module(id.module);
        let is_init = &*def.name == "__init__" && module.defs[def.parent].kind == Kind::Class;
        let called = if is_init {
            Rc::clone(&module.defs[def.parent].name)
        } else {
            Rc::clone(&def.name)
        };
        let mut values = Vec::new();
        let mut count = 0;
        self.calls_of(&called, &mut |call, env| {
            let bound = match self.eval(&call.func, env) {
                Value::Function(f) if f.id == id => self.bind(def, call, env, None),
                Value::Method(of, f) if f.id == id => {
                    self.bind(def, call, env, Some(Later::Value((*of).clone())))
                }
                Value::Class(class, _)
                    if is_init && class.module == id.module && class.def == def.parent =>
                {
                    self.bind(def, call, env, Some(Later::Value(Value::Unknown)))
                }
                _ => return true,
            };
            count += 1;
            if let Some(later) = bound.get(name) {
                values.push(self.force(later));
            } else if let Some(default) = def
                .params
                .iter()
                .find(|p| p.name == *name)
                .and_then(|p| p.default.as_ref())
            {
                let outer = self.scope(DefId {
                    def: def.parent,
                    ..id
                });
                values.push(self.eval(default, &outer));
            } else {
                values.push(Value::Unknown);
            }
            count < MAX_CALLERS
        });
        self.asked.borrow_mut().pop();
        (!values.is_empty()).then(|| Value::one_of(values))
    }

    /// Returns what an annotation says that a value is.
    pub(super) fn annotated(&self, annotation: &Rc<Expr>, env: &Env) -> Value {
        let of = match &annotation.kind {
            // A name in quotes.
            ExprKind::Text(text) if text.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                self.name(&Rc::from(text.as_str()), env, None)
            }
            ExprKind::Subscript(base, inner) => {
                let base = self.eval(base, env);
                match &base {
                    Value::Outside(name, _)
                        if matches!(
                            &**name,
                            "typing.Optional"
                                | "typing.Annotated"
                                | "typing.Final"
                                | "typing.ClassVar"
                        ) =>
                    {
                        let first = match &inner.kind {
                            ExprKind::Items(items) => items.first().unwrap_or(inner),
                            _ => inner,
                        };
                        return self.annotated(first, env);
                    }
                    Value::Outside(name, _)
                        if matches!(
                            &**name,
                            "list"
                                | "dict"
                                | "tuple"
                                | "set"
                                | "typing.List"
                                | "typing.Dict"
                                | "typing.Tuple"
                                | "typing.Sequence"
                                | "typing.Iterable"
                        ) =>
                    {
                        let parts = match &inner.kind {
                            ExprKind::Items(items) => items.clone(),
                            _ => vec![Rc::clone(inner)],
                        };
                        let items = parts
                            .iter()
                            .map(|p| (Step::Any, Later::Value(self.annotated(p, env))));
                        return Value::Items(Rc::new(items.collect()));
                    }
                    other => other.clone(),
                }
            }
            ExprKind::Operation(left, right) => {
                let sides = [left, right].map(|side| self.annotated(side, env));
                return Value::one_of(sides.to_vec());
            }
            ExprKind::Constant => return Value::Plain,
            _ => self.eval(annotation, env),
        };
        match of {
            Value::Class(class, class_env) => self.any_instance(class, class_env),
            Value::Outside(name, _) => {
                let plain =
                    super::objects::inside(&name).is_some_and(|i| i.holds.is_empty() && !i.keeps);
                if plain { Value::Plain } else { Value::Unknown }
            }
            _ => Value::Unknown,
        }
    }

    /// Matches the arguments of a call to the parameters of a function.
    pub(super) fn bind(
        &self,
        def: &Def,
        call: &Call,
        env: &Env,
        receiver: Option<Later>,
    ) -> HashMap<Name, Later> {
        let mut names = HashMap::new();
        let mut positions: Vec<Later> = receiver.into_iter().collect();
        let mut labelled: Vec<(Name, Later)> = Vec::new();
        for Arg {
            label,
            stars,
            value,
        } in &call.args
        {
            let later = || Later::Expr(Rc::clone(value), Rc::clone(env));
            match (label, stars) {
                (Some(label), _) => labelled.push((Rc::clone(label), later())),
                (None, 0) => positions.push(later()),
                (None, 1) => match self.eval(value, env) {
                    Value::Items(items) => positions.extend(items.iter().map(|(_, l)| l.clone())),
                    other => {
                        let element = self.element_of(&other);
                        for _ in positions.len()..def.params.len() {
                            positions.push(Later::Value(element.clone()));
                        }
                    }
                },
                (None, _) => {
                    if let Value::Items(items) = self.eval(value, env) {
                        for (step, later) in items.iter() {
                            if let Step::Key(key) = step {
                                labelled.push((Rc::from(key.as_str()), later.clone()));
                            }
                        }
                    }
                }
            }
        }
        let mut positions = positions.into_iter();
        for param in &def.params {
            match param.kind {
                ParamKind::Plain => {
                    if let Some(later) = positions.next() {
                        names.insert(Rc::clone(&param.name), later);
                    }
                }
                ParamKind::Rest => {
                    let rest = positions.by_ref().enumerate();
                    let items = rest.map(|(n, later)| (Step::Index(n), later)).collect();
                    names.insert(
                        Rc::clone(&param.name),
                        Later::Value(Value::Items(Rc::new(items))),
                    );
                }
                ParamKind::KeywordOnly | ParamKind::Keywords => {}
            }
        }
        let mut rest = Vec::new();
        for (label, later) in labelled {
            if def.params.iter().any(|p| p.name == label) {
                names.insert(label, later);
            } else {
                rest.push((Step::Key(label.to_string()), later));
            }
        }
        if let Some(param) = def.params.iter().find(|p| p.kind == ParamKind::Keywords) {
            names.insert(
                Rc::clone(&param.name),
                Later::Value(Value::Items(Rc::new(rest))),
            );
        }
        names
    }

    /// Returns the scope of one run of a function.
    pub(super) fn run(function: &Function, names: HashMap<Name, Later>, is_call: bool) -> Env {
        Rc::new(Scope {
            at: function.id,
            names,
            outer: Some(Rc::clone(&function.env)),
            is_call,
        })
    }

    /// Works out what a function gives; with no call, its arguments are not known.
    pub(super) fn results(
        &self,
        function: &Function,
        receiver: Option<&Rc<Value>>,
        call: Option<(&Rc<Call>, &Env)>,
    ) -> Value {
        let module = self.project.module(function.id.module);
        let def = &module.defs[function.id.def];
        let depth = self.depth.get() + 3;
        if depth > MAX_DEPTH {
            return Value::Unknown;
        }
        self.depth.set(depth);
        let receiver = receiver.map(|r| Later::Value((**r).clone()));
        let env = if let Some((call, env)) = call {
            Self::run(function, self.bind(def, call, env, receiver), true)
        } else {
            let own = def.params.first().zip(receiver);
            let names = own
                .map(|(p, r)| (Rc::clone(&p.name), r))
                .into_iter()
                .collect();
            Self::run(function, names, false)
        };
        let later = |e: &Rc<Expr>| Later::Expr(Rc::clone(e), Rc::clone(&env));
        let is_generator = !def.yields.is_empty();
        let value = if is_generator || def.is_async {
            Value::Generator(Rc::new(Generator {
                type_name: match (def.is_async, is_generator) {
                    (true, true) => "async_generator",
                    (true, false) => "coroutine",
                    _ => "generator",
                },
                module: function.id.module,
                at: call.map_or(def.head, |(call, _)| call.at),
                elements: def.yields.iter().map(later).collect(),
                returns: def.returns.iter().map(later).collect(),
                of: format!("{}()", def.name),
            }))
        } else {
            Value::one_of(def.returns.iter().map(|r| self.eval(r, &env)).collect())
        };
        self.depth.set(depth - 3);
        value
    }

    /// Works out a call.
    pub(super) fn call(&self, func: &Value, call: &Rc<Call>, env: &Env) -> Value {
        match func {
            Value::Class(class, class_env) => Value::Instance(Rc::new(Instance {
                class: *class,
                class_env: Rc::clone(class_env),
                made: Some((Rc::clone(call), Rc::clone(env))),
                attributes: std::cell::OnceCell::new(),
            })),
            Value::Function(function) => self.results(function, None, Some((call, env))),
            Value::Method(of, function) => self.results(function, Some(of), Some((call, env))),
            Value::Outside(name, from) => self.outside_call(name, from.as_ref(), call, env),
            Value::Made(made) => Value::Made(Rc::new(Made {
                of: Rc::from(canonical(format!("{}()", made.of))),
                from: Some(Rc::new(func.clone())),
                call: Rc::clone(call),
                env: Rc::clone(env),
                wrapped: None,
            })),
            Value::Instance(_) => match self.attribute(func, "__call__") {
                Value::Method(of, function) => {
                    self.results(&function, Some(&of), Some((call, env)))
                }
                _ => Value::Unknown,
            },
            Value::OneOf(values) => Value::one_of(
                values
                    .iter()
                    .take(8)
                    .map(|v| self.call(v, call, env))
                    .collect(),
            ),
            Value::Plain => Value::Plain,
            _ => Value::Unknown,
        }
    }

    fn outside_call(
        &self,
        name: &Rc<str>,
        from: Option<&Rc<Value>>,
        call: &Rc<Call>,
        env: &Env,
    ) -> Value {
        let arg = |n: usize| call.args.get(n).map(|a| &a.value);
        let made = |of: &str| {
            Value::Made(Rc::new(Made {
                of: Rc::from(of),
                from: from.cloned(),
                call: Rc::clone(call),
                env: Rc::clone(env),
                wrapped: None,
            }))
        };
        match &**name {
            "list" | "tuple" | "set" | "frozenset" | "sorted" => match arg(0) {
                Some(inner) => match self.eval(inner, env) {
                    Value::Items(items) => Value::Items(items),
                    Value::Plain => Value::Plain,
                    Value::Filled(base, extra) => Value::Filled(base, extra),
                    _ => {
                        let element = Later::Element(Rc::clone(inner), Rc::clone(env));
                        Value::Items(Rc::new(vec![(Step::Any, element)]))
                    }
                },
                None => Value::Items(Rc::default()),
            },
            "dict" => {
                let mut items = Vec::new();
                for arg in &call.args {
                    let later = Later::Expr(Rc::clone(&arg.value), Rc::clone(env));
                    match &arg.label {
                        Some(label) => items.push((Step::Key(label.to_string()), later)),
                        None => match self.eval(&arg.value, env) {
                            Value::Items(inner) => items.extend(inner.iter().cloned()),
                            other => items.push((Step::Any, Later::Value(self.element_of(&other)))),
                        },
                    }
                }
                Value::Items(Rc::new(items))
            }
            "copy.copy" | "copy.deepcopy" => arg(0).map_or(Value::Unknown, |a| self.eval(a, env)),
            "vars" => match arg(0).map(|a| self.eval(a, env)) {
                Some(value @ Value::Instance(_)) => self.attribute(&value, "__dict__"),
                _ => Value::Unknown,
            },
            "getattr" => match (arg(0), arg(1).map(|a| &a.kind)) {
                (Some(base), Some(ExprKind::Text(text))) => {
                    let base = self.eval(base, env);
                    self.attribute(&base, text)
                }
                _ => Value::Unknown,
            },
            "next" => arg(0).map_or(Value::Unknown, |a| self.element_of(&self.eval(a, env))),
            "min" | "max" | "random.choice" => {
                arg(0).map_or(Value::Plain, |a| self.element_of(&self.eval(a, env)))
            }
            "super" => self.super_of(env).unwrap_or(Value::Unknown),
            "dict.get" | "dict.pop" | "dict.setdefault" | "dict.popitem" => {
                from.map_or(Value::Unknown, |of| match arg(0) {
                    Some(key) => self.subscript(of, key),
                    None => self.element_of(of),
                })
            }
            "dict.copy" => from.map_or(Value::Unknown, |of| (**of).clone()),
            "asyncio.run" | "asyncio.get_event_loop().run_until_complete" => {
                match arg(0).map(|a| self.eval(a, env)) {
                    Some(Value::Generator(g)) => {
                        Value::one_of(g.returns.iter().map(|r| self.force(r)).collect())
                    }
                    _ => Value::Unknown,
                }
            }
            other => made(other),
        }
    }

    /// Returns what `super()` is in a method.
    fn super_of(&self, env: &Env) -> Option<Value> {
        let mut env = Rc::clone(env);
        loop {
            let module = self.project.module(env.at.module);
            let def = &module.defs[env.at.def];
            let parent = &module.defs[def.parent];
            if def.kind == Kind::Function && parent.kind == Kind::Class {
                let class = DefId {
                    def: def.parent,
                    ..env.at
                };
                let own = def.params.first()?;
                let own = self.name(&own.name, &env, None);
                return Some(match self.bases(class).into_iter().next() {
                    Some(Value::Class(base, base_env)) => match own {
                        Value::Instance(instance) => Value::Instance(Rc::new(Instance {
                            class: base,
                            class_env: base_env,
                            made: instance.made.clone(),
                            attributes: instance.attributes.clone(),
                        })),
                        _ => Value::Class(base, base_env),
                    },
                    Some(Value::Outside(name, _)) => {
                        Value::Outside(Rc::from(format!("{name}()")), None)
                    }
                    _ => Value::Unknown,
                });
            }
            env = Rc::clone(env.outer.as_ref()?);
        }
    }

    /// Works out a class or function with its decorators.
    pub(super) fn def_value(&self, id: DefId, env: &Env) -> Value {
        let module = self.project.module(id.module);
        let def = &module.defs[id.def];
        let mut value = if def.kind == Kind::Class {
            Value::Class(id, Rc::clone(env))
        } else {
            Value::Function(Function {
                id,
                env: Rc::clone(env),
                wraps: None,
            })
        };
        for decorator in def.decorators.iter().rev() {
            let of = self.eval(decorator, env);
            value = match of {
                Value::Made(made) if &*made.of == "functools.wraps" => {
                    let wraps = made
                        .call
                        .args
                        .first()
                        .map(|a| Rc::new(self.eval(&a.value, &made.env)));
                    match value {
                        Value::Function(f) => Value::Function(Function { wraps, ..f }),
                        other => other,
                    }
                }
                Value::Outside(name, _) if super::sent::is_remote(&name) => {
                    Value::Made(Rc::new(Made {
                        of: Rc::clone(&name),
                        from: None,
                        call: no_call(decorator),
                        env: Rc::clone(env),
                        wrapped: Some(Rc::new(value)),
                    }))
                }
                Value::Made(made) if super::sent::is_remote(&made.of) => {
                    Value::Made(Rc::new(Made {
                        of: Rc::clone(&made.of),
                        from: None,
                        call: no_call(decorator),
                        env: Rc::clone(env),
                        wrapped: Some(Rc::new(value)),
                    }))
                }
                Value::Function(decorate) => self.decorated(&decorate, None, value),
                Value::Method(of, decorate) => self.decorated(&decorate, Some(&of), value),
                _ => value,
            };
        }
        value
    }

    fn decorated(&self, decorate: &Function, receiver: Option<&Rc<Value>>, value: Value) -> Value {
        let module = self.project.module(decorate.id.module);
        let def = &module.defs[decorate.id.def];
        let given = receiver.map(|r| Later::Value((**r).clone()));
        let all = given.into_iter().chain([Later::Value(value)]);
        let names = def
            .params
            .iter()
            .map(|p| Rc::clone(&p.name))
            .zip(all)
            .collect();
        let env = Self::run(decorate, names, true);
        Value::one_of(def.returns.iter().map(|r| self.eval(r, &env)).collect())
    }

    fn import(&self, name: &str, from: ModuleId) -> Value {
        match self.project.import(from, name) {
            Some(id) => Value::Module(id),
            None => Value::OutsideModule(Rc::from(canonical(name.to_owned()))),
        }
    }

    fn import_from(&self, module: &str, name: &Name, from: ModuleId) -> Value {
        // `from . import models` of a package's `__init__.py` is not its own name.
        let other = self.project.import(from, module).filter(|id| *id != from);
        if let Some(id) = other {
            let found = self.project.module(id);
            let is_bound = bindings_of(&found.defs[0], name).next().is_some()
                || bindings_of(&found.defs[0], "*").next().is_some();
            if is_bound {
                return self.global(name, &self.scope(DefId { module: id, def: 0 }));
            }
        }
        let dot = if module.ends_with('.') { "" } else { "." };
        let full = format!("{module}{dot}{name}");
        if let Some(id) = self.project.import(from, &full) {
            return Value::Module(id);
        }
        if module.starts_with('.') || self.project.import(from, module).is_some() {
            return Value::Unknown;
        }
        let full = canonical(full);
        // What is imported from a package is a module of it more often than not where it is one.
        Value::Outside(Rc::from(full), None)
    }
}

/// Binds what stands after `for` in a comprehension.
fn bind_target(target: &Rc<Expr>, later: &Later, names: &mut HashMap<Name, Later>, eval: &Eval) {
    match &target.kind {
        ExprKind::Name(name) => {
            names.insert(Rc::clone(name), later.clone());
        }
        ExprKind::Items(items) => {
            let value = eval.force(later);
            for (n, item) in items.iter().enumerate() {
                bind_target(item, &Later::Value(eval.part(&value, n)), names, eval);
            }
        }
        _ => {}
    }
}

/// Returns what binds a name in a scope, in order.
pub(super) fn bindings_of<'d>(def: &'d Def, name: &'d str) -> impl Iterator<Item = &'d Binding> {
    def.bindings
        .iter()
        .filter(move |b| matches!(&b.target, Target::Name(n) if &**n == name))
}

/// Returns whether a function has a decorator of this name.
pub(super) fn is_decorated(def: &Def, name: &str) -> bool {
    def.decorators.iter().any(|d| {
        let d = match &d.kind {
            ExprKind::Call(call) => &call.func,
            _ => d,
        };
        d.dotted()
            .is_some_and(|d| d == name || d.ends_with(&format!(".{name}")))
    })
}

/// Returns whether a binding stands directly in the body of a scope.
pub(super) fn is_body(def: &Def, binding: &Binding) -> bool {
    def.statements
        .first()
        .is_some_and(|first| first.suite == binding.suite)
}

/// Returns the way from a container to what is put into it.
pub(super) fn content_step(base: &Expr, key: Option<&str>) -> Step {
    let (_, keys) = base.subscripted();
    match key {
        Some(key) if keys.is_empty() => Step::Key(key.to_owned()),
        Some(key) => Step::Keys(format!("{keys}[\"{key}\"]")),
        None if keys.is_empty() => Step::Any,
        None => Step::Keys(format!("{keys}[...]")),
    }
}

fn pair(first: Value, second: Value) -> Value {
    let items = vec![
        (Step::Index(0), Later::Value(first)),
        (Step::Index(1), Later::Value(second)),
    ];
    Value::Items(Rc::new(items))
}

fn no_call(at: &Rc<Expr>) -> Rc<Call> {
    Rc::new(Call {
        func: Rc::clone(at),
        args: Vec::new(),
        at: at.at,
    })
}
