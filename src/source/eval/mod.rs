//! What expressions are: names to their assignments, calls to what they give.
//!
//! Nothing is run. A value that could be several things is all of them, and one that cannot be
//! made out is unknown. Steps and depth are limited, so that every search ends soon.
//!
//! - [`names`]: what a name is bound to; [`params`]: what a parameter is;
//! - [`sites`]: where the program calls what;
//! - [`calls`]: what a call gives; [`containers`]: what is in a list, a dict, a loop.

mod calls;
mod containers;
mod names;
mod params;
mod sites;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::attached::Attached;
use super::project::{ModuleId, Project};
use super::syntax::{Call, Comprehension, Expr, ExprKind, Name, Place, Source};
use super::text::lists;
use super::value::{
    DefId, Env, Function, Generator, Instance, Later, Made, Scope, Step, Value, WithAttributes,
};

pub(super) use calls::{no_call, own_alone};
pub(super) use containers::content_step;
pub(super) use names::{
    bindings_of, binds, is_body, is_decorated, is_own, is_under_guard, only_binding,
};

use sites::Sites;

/// Methods of a path that give another one.
const OF_PATHS: &str = "absolute expanduser joinpath resolve with_name with_stem with_suffix";
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
    sites: RefCell<HashMap<ModuleId, Rc<Sites>>>,
    /// The attributes of instances, by address. The values of an instance's attributes hold it, so it
    /// does not hold them: nothing would ever be freed.
    pub(super) attributes: RefCell<HashMap<*const Instance, WithAttributes>>,
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
            sites: RefCell::default(),
            attributes: RefCell::default(),
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
            self.scope(at.beside(def))
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

    /// Calls `seen` with each expression in the program's statements, and its scope.
    pub(super) fn each_expression(&self, seen: &mut dyn FnMut(&Rc<Expr>, &Env)) {
        for (id, module) in self.project.defs() {
            let env = self.scope(id);
            for expr in module.defs[id.def].statement_exprs().flat_map(Expr::walk) {
                seen(expr, &env);
            }
        }
    }

    /// Returns the calls in the program's statements, with their scopes.
    pub(super) fn calls(&self) -> impl Iterator<Item = (Rc<Call>, Env)> {
        self.project.defs().flat_map(|(id, module)| {
            let env = self.scope(id);
            let calls = module.defs[id.def].statement_exprs().flat_map(Expr::calls);
            let calls = calls.map(|call| (Rc::clone(call), Rc::clone(&env)));
            calls.collect::<Vec<_>>()
        })
    }

    /// Returns what a call gives, where that is of a thing outside.
    pub(super) fn made(&self, call: &Rc<Call>, env: &Env) -> Option<Rc<Made>> {
        let Value::Outside(of, from) = self.eval(&call.func, env) else {
            return None;
        };
        Some(Rc::new(Made {
            of,
            from,
            call: Rc::clone(call),
            env: Rc::clone(env),
            wrapped: None,
        }))
    }

    /// Returns what the program's calls of things outside give.
    pub(super) fn all_made(&self) -> impl Iterator<Item = Rc<Made>> {
        self.calls()
            .filter_map(|(call, env)| self.made(&call, &env))
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

    /// Works out what may be one of several values.
    pub(super) fn any_of(&self, all: &[Later]) -> Value {
        Value::one_of(all.iter().map(|later| self.force(later)).collect())
    }

    /// Works out an expression.
    pub(super) fn eval(&self, expr: &Rc<Expr>, env: &Env) -> Value {
        self.step(|| self.eval_kind(expr, env))
    }

    /// Takes a step that may take others: all that leads back to itself goes through here, for it
    /// ends where there were too many or it is too deep.
    fn step(&self, work: impl FnOnce() -> Value) -> Value {
        let steps = self.steps.get() + 1;
        let depth = self.depth.get() + 1;
        if steps > MAX_STEPS || depth > MAX_DEPTH {
            return Value::Unknown;
        }
        self.steps.set(steps);
        self.depth.set(depth);
        let value = work();
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
            ExprKind::Call(call) if self.is_path_opened(call, env) => {
                Value::made("pathlib.Path().open", None, call, env)
            }
            ExprKind::Call(call) if self.is_path_of_path(call, env) => {
                Value::made("pathlib.Path", None, call, env)
            }
            ExprKind::Call(call) => {
                let func = self.eval(&call.func, env);
                self.call(&func, call, env)
            }
            ExprKind::Lambda(def) => {
                Value::Function(Function::new(env.at.beside(*def), Rc::clone(env)))
            }
            ExprKind::Items(items) => {
                let item = |(n, item): (usize, &Rc<Expr>)| match &item.kind {
                    ExprKind::Starred(inner) => {
                        (Step::Any, Later::Element(Rc::clone(inner), Rc::clone(env)))
                    }
                    _ => (Step::Index(n), later(item)),
                };
                Value::Items(Rc::new(items.iter().enumerate().map(item).collect()))
            }
            ExprKind::Dict(items) => self.dict(items, env),
            ExprKind::Comprehension(inner) => self.comprehension(inner, expr.at, env),
            ExprKind::Subscript(base, key) => {
                let base = self.eval(base, env);
                self.subscript(&base, key, env)
            }
            ExprKind::Either(parts, _) => {
                Value::one_of(parts.iter().map(|p| self.eval(p, env)).collect())
            }
            ExprKind::Await(inner) => match self.eval(inner, env) {
                Value::Generator(g) if g.type_name == "coroutine" => self.any_of(&g.returns),
                Value::Plain => Value::Plain,
                _ => Value::Unknown,
            },
            ExprKind::Starred(inner) => self.element_of(&self.eval(inner, env)),
            ExprKind::Named(inner) => self.eval(inner, env),
            ExprKind::Operation(left, right) => self.operation(left, right, env),
            ExprKind::Other(_) => Value::Unknown,
        }
    }

    fn dict(&self, items: &[(Option<Rc<Expr>>, Rc<Expr>)], env: &Env) -> Value {
        let mut all = Vec::new();
        for (key, value) in items {
            let later = || Later::Expr(Rc::clone(value), Rc::clone(env));
            match key.as_ref().map(|k| &k.kind) {
                Some(ExprKind::Text(text)) => all.push((Step::Key(text.clone()), later())),
                Some(_) => all.push((Step::Any, later())),
                None => match self.eval(value, env) {
                    Value::Items(inner) => all.extend(inner.iter().cloned()),
                    inner => all.push((Step::Any, Later::Value(self.element_of(&inner)))),
                },
            }
        }
        Value::Items(Rc::new(all))
    }

    fn comprehension(&self, inner: &Comprehension, at: Place, env: &Env) -> Value {
        let overlay = self.overlay(inner, env);
        let element = |e: &Rc<Expr>| Later::Expr(Rc::clone(e), Rc::clone(&overlay));
        if let (ExprKind::Items(pair), true) = (&inner.element.kind, inner.is_dict) {
            let each = pair.iter().map(|part| (Step::Any, element(part)));
            return Value::Items(Rc::new(each.collect()));
        }
        let element = element(&inner.element);
        if !inner.is_generator {
            return Value::Items(Rc::new(vec![(Step::Any, element)]));
        }
        Value::Generator(Rc::new(Generator {
            type_name: "generator",
            module: env.at.module,
            at,
            elements: vec![element],
            returns: Vec::new(),
            of: "a generator expression".to_owned(),
        }))
    }

    /// Returns whether a call is `open` of plain data, or of an option of the command line: of those only a path
    /// has it.
    fn is_path_opened(&self, call: &Call, env: &Env) -> bool {
        let is_path = |value| match value {
            Value::Plain => true,
            Value::Outside(of, _) => of
                .strip_prefix("argparse.ArgumentParser().parse_args().")
                .is_some_and(|option| !option.contains('.')),
            _ => false,
        };
        let method = call.method().filter(|(_, name)| &***name == "open");
        method.is_some_and(|(base, _)| is_path(self.eval(base, env)))
    }

    /// Returns whether a call makes a path of a path.
    fn is_path_of_path(&self, call: &Call, env: &Env) -> bool {
        let is_path = |value| match value {
            Value::Plain => true,
            Value::Made(made) => &*made.of == "pathlib.Path",
            _ => false,
        };
        let method = call.method();
        method.is_some_and(|(base, name)| lists(OF_PATHS, name) && is_path(self.eval(base, env)))
    }

    fn operation(&self, left: &Rc<Expr>, right: &Rc<Expr>, env: &Env) -> Value {
        let sides = [self.eval(left, env), self.eval(right, env)];
        match &sides {
            // `ctypes.c_double * count`
            [Value::Outside(of, _), _] if of.starts_with("ctypes.") => {
                Value::outside("ctypes.Array", None)
            }
            [Value::Plain, Value::Plain] => Value::Plain,
            // `"%s" % x`, `2 * len(xs)`.
            [Value::Plain, _] if !matches!(left.kind, ExprKind::Name(_)) => Value::Plain,
            // `folder / "name"`
            [_, Value::Plain] if matches!(right.kind, ExprKind::Text(_)) => Value::Plain,
            [Value::Unknown, Value::Unknown] => Value::Unknown,
            _ => Value::one_of(sides.to_vec()),
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

    /// Works out what a binding gives.
    pub(super) fn source(&self, source: &Source, env: &Env) -> Value {
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
            Source::Def(def) => self.def_value(env.at.beside(*def), env),
            Source::Import(name) => self.import(name, env.at.module),
            Source::From(module, name) => self.import_from(module, name, env.at.module),
            Source::Nothing => Value::Unknown,
        }
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
