//! What was sent: the expressions that travel, from the frames that sent them.
//!
//! - [`stops`]: the frames; [`senders`]: which calls send something.

mod senders;
mod stops;

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::eval::{Eval, no_call};
use super::syntax::{Arg, Call, Expr, ExprKind};
use super::value::{Env, Function, Later, Made, Value};
use senders::{Args, by_method, sender};

pub(super) use senders::is_remote;
pub(super) use stops::Stop;

/// How objects are turned into bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pickler {
    /// `pickle`: functions and classes by name.
    Plain,
    /// `cloudpickle`: functions of the script with all that they use.
    Cloud,
    /// `copy.deepcopy`.
    Copy,
}

/// One expression that travels.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) expr: Rc<Expr>,
    pub(super) env: Env,
    pub(super) value: Later,
}

impl Part {
    /// What an expression gives.
    fn whole(expr: &Rc<Expr>, env: &Env) -> Self {
        Self::known(expr, env, Later::Expr(Rc::clone(expr), Rc::clone(env)))
    }

    /// What an expression gives, or iterating over it.
    fn of(expr: &Rc<Expr>, env: &Env, is_element: bool) -> Self {
        if is_element {
            Self::known(expr, env, Later::Element(Rc::clone(expr), Rc::clone(env)))
        } else {
            Self::whole(expr, env)
        }
    }

    fn known(expr: &Rc<Expr>, env: &Env, value: Later) -> Self {
        Self {
            expr: Rc::clone(expr),
            env: Rc::clone(env),
            value,
        }
    }
}

/// All that one call sends.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub(super) via: Via,
    pub(super) pickler: Pickler,
    /// In the order in which they are pickled; the task's function is first.
    pub(super) parts: Vec<Part>,
    /// The function that works on it, for what it returns.
    pub(super) task: Option<Part>,
    pub(super) call: Rc<Call>,
    /// Whether the statement of the frame itself sends it.
    pub(super) is_exact: bool,
}

impl Eval<'_> {
    /// Finds what was sent; the innermost frame that tells it counts.
    pub(super) fn sendings(&self, stops: &[Stop], via: Option<Via>) -> Vec<Sending> {
        for stop in stops.iter().rev() {
            let mut found = Vec::new();
            for expr in &stop.statement.exprs {
                self.look(expr, &stop.env, via, &mut found);
            }
            if let (Some(Via::Manager), [target, value]) = (via, stop.statement.exprs.as_slice()) {
                // `shared["state"] = State()`
                if matches!(target.kind, ExprKind::Subscript(..)) {
                    found = vec![assigned(value, stop)];
                }
            }
            let found = fitting(found, via);
            if !found.is_empty() {
                return found;
            }
        }
        // The statement only waits for what another one sent.
        let mut found = Vec::new();
        for stop in stops.iter().rev() {
            let module = self.project.module(stop.env.at.module);
            for expr in module.defs[stop.env.at.def].statement_exprs() {
                self.look(expr, &stop.env, via, &mut found);
            }
            found = fitting(found, via);
            if !found.is_empty() {
                break;
            }
        }
        if found.is_empty() {
            for (id, module) in self.project.defs() {
                let env = self.scope(id);
                for expr in module.defs[id.def].statement_exprs() {
                    self.look(expr, &env, via, &mut found);
                }
            }
            found = fitting(found, via);
        }
        for sending in &mut found {
            sending.is_exact = false;
        }
        found
    }

    fn look(&self, expr: &Rc<Expr>, env: &Env, via: Option<Via>, found: &mut Vec<Sending>) {
        match &expr.kind {
            ExprKind::Comprehension(inner) => {
                let overlay = self.overlay(inner, env);
                self.look(&inner.element, &overlay, via, found);
                for (_, iter) in &inner.loops {
                    self.look(iter, env, via, found);
                }
                return;
            }
            ExprKind::Call(call) => {
                let func = self.eval(&call.func, env);
                let before = found.len();
                for value in func.alternatives() {
                    match value {
                        Value::Outside(name, from) => {
                            self.note(&name, from.as_ref(), call, env, found);
                        }
                        Value::Made(made) => {
                            let name = format!("{}()", made.of);
                            self.note(&name, Some(&Rc::new(Value::Made(made))), call, env, found);
                        }
                        Value::Unknown | Value::Plain => {
                            if let Some((_, method)) = call.method()
                                && let Some(name) = by_method(via, method)
                            {
                                self.note(&name, None, call, env, found);
                            }
                        }
                        _ => {}
                    }
                }
                // What it is called on, a pool, has sent its own before.
                if found.len() > before {
                    return;
                }
            }
            ExprKind::Name(_) | ExprKind::Attribute(..) if expr.dotted().is_some() => {
                for value in self.eval(expr, env).alternatives() {
                    self.note_value(&value, found, 0);
                }
                return;
            }
            ExprKind::Subscript(..) => {
                for value in self.eval(expr, env).alternatives() {
                    self.note_value(&value, found, 0);
                }
            }
            _ => {}
        }
        for part in expr.parts() {
            self.look(part, env, via, found);
        }
    }

    /// Notes what a value has sent, or sends when it is used: a future, a loader.
    fn note_value(&self, value: &Value, found: &mut Vec<Sending>, depth: usize) {
        if depth > 4 {
            return;
        }
        match value {
            Value::Made(made) => {
                self.note(&made.of, made.from.as_ref(), &made.call, &made.env, found);
                if matches!(
                    &*made.of,
                    "enumerate"
                        | "zip"
                        | "iter"
                        | "list"
                        | "tqdm.tqdm"
                        | "tqdm.auto.tqdm"
                        | "itertools.islice"
                        | "rich.progress.track"
                ) {
                    for arg in &made.call.args {
                        self.note_value(&self.eval(&arg.value, &made.env), found, depth + 1);
                    }
                }
            }
            Value::Outside(_, Some(from)) => self.note_value(from, found, depth + 1),
            Value::Items(_) | Value::Filled(..) => {
                for inner in self.element_of(value).alternatives().iter().take(6) {
                    if matches!(inner, Value::Made(_)) {
                        self.note_value(inner, found, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Notes what a call sends, if it sends anything.
    fn note(
        &self,
        name: &str,
        from: Option<&Rc<Value>>,
        call: &Rc<Call>,
        env: &Env,
        found: &mut Vec<Sending>,
    ) {
        if found.iter().any(|s| Rc::ptr_eq(&s.call, call)) {
            return;
        }
        let Some((via, pickler, args)) = sender(name) else {
            if let (Some(from), true) = (from, waits(name)) {
                self.note_value(from, found, 0);
            }
            return;
        };
        let from = from.map(|f| &**f);
        let mut parts = match (args, from) {
            (Args::Receiver, Some(Value::Made(made))) if !made.of.starts_with("dask.") => {
                self.note(&made.of, made.from.as_ref(), &made.call, &made.env, found);
                return;
            }
            (Args::Receiver, from) => receiver(from, call, env),
            (Args::Delayed, _) => self.delayed(call, env),
            (Args::These(wanted), _) => {
                let given = wanted
                    .iter()
                    .filter_map(|(n, name)| argument(call, *n, name));
                given.map(|a| Part::whole(&a.value, env)).collect()
            }
            (Args::All, _) => unpacked(&call.args, env),
            (Args::Task, _) => unpacked(call.args.get(1..).unwrap_or_default(), env),
            (Args::Mapped, _) => mapped(call, env),
        };
        if let Some(Value::Made(made)) = from {
            parts.splice(0..0, task(made));
            parts.extend(initializer(made));
        }
        if parts.is_empty() {
            return;
        }
        found.push(Sending {
            via,
            pickler,
            task: parts.first().cloned(),
            parts,
            call: Rc::clone(call),
            is_exact: true,
        });
    }

    /// Returns what each `delayed(f)(x)` holds of the tasks that a call is given.
    fn delayed(&self, call: &Call, env: &Env) -> Vec<Part> {
        let mut parts = Vec::new();
        for arg in &call.args {
            let element = self.element_of(&self.eval(&arg.value, env));
            for task in element.alternatives() {
                let Value::Made(outer) = task else { continue };
                if let Some(Value::Made(inner)) = outer.from.as_deref() {
                    let function = inner.call.args.first();
                    parts.extend(function.map(|a| Part::whole(&a.value, &inner.env)));
                }
                let args = outer.call.args.iter();
                parts.extend(args.map(|a| Part::whole(&a.value, &outer.env)));
            }
        }
        parts
    }

    /// Works out what a task returns.
    pub(super) fn returned(&self, task: &Part) -> Option<(Function, Value)> {
        let (of, function) = match self.force(&task.value) {
            Value::Function(function) => (None, function),
            Value::Method(of, function) => (Some(of), function),
            _ => return None,
        };
        let value = self.results(&function, of.as_ref(), None);
        Some((function, value))
    }
}

/// Returns whether a method waits for what was sent before:
/// `pool.apply_async(…).get()`, `executor.submit(…).result()`.
fn waits(name: &str) -> bool {
    let method = name.rsplit('.').next();
    matches!(
        method,
        Some("result" | "get" | "wait" | "exception" | "join")
    )
}

/// Returns what a call is made on, if it is of the program.
fn receiver(from: Option<&Value>, call: &Call, env: &Env) -> Vec<Part> {
    let Some(value @ (Value::Instance(_) | Value::Made(_))) = from else {
        return Vec::new();
    };
    let expr = match &call.func.kind {
        ExprKind::Attribute(base, _) => base,
        _ => &call.func,
    };
    vec![Part::known(expr, env, Later::Value(value.clone()))]
}

/// Returns arguments; those with a star go one by one.
fn unpacked(args: &[Arg], env: &Env) -> Vec<Part> {
    let part = |a: &Arg| Part::of(&a.value, env, a.stars > 0);
    args.iter().map(part).collect()
}

/// Returns the function of a `map` and the elements that it is called with.
fn mapped(call: &Call, env: &Env) -> Vec<Part> {
    let sent = ["func", "fn", "iterable"];
    let is_option = |a: &&Arg| a.label.as_deref().is_some_and(|l| !sent.contains(&l));
    let args = call.args.iter().filter(|a| !is_option(a)).enumerate();
    args.map(|(n, a)| Part::of(&a.value, env, n > 0)).collect()
}

/// Returns the task itself, of a decorator such as `@ray.remote`.
fn task(made: &Made) -> Option<Part> {
    let wrapped = made.wrapped.as_ref().filter(|_| is_remote(&made.of))?;
    let value = Later::Value((**wrapped).clone());
    Some(Part::known(&made.call.func, &made.env, value))
}

/// Returns the initializer of an executor: its workers start when there is work.
fn initializer(made: &Made) -> Vec<Part> {
    if *made.of != *"concurrent.futures.ProcessPoolExecutor" {
        return Vec::new();
    }
    let given = [(2, "initializer"), (3, "initargs")];
    let args = given
        .iter()
        .filter_map(|(n, name)| argument(&made.call, *n, name));
    args.map(|a| Part::whole(&a.value, &made.env)).collect()
}

/// Makes a sending of what is put into a manager's dict.
fn assigned(value: &Rc<Expr>, stop: &Stop) -> Sending {
    Sending {
        via: Via::Manager,
        pickler: Pickler::Plain,
        parts: vec![Part::whole(value, &stop.env)],
        task: None,
        call: no_call(value),
        is_exact: true,
    }
}

/// Keeps the sendings of the way that the traceback shows, if there are any.
fn fitting(found: Vec<Sending>, via: Option<Via>) -> Vec<Sending> {
    let fits = |s: &Sending| via.is_none_or(|via| s.via == via);
    if found.iter().any(fits) {
        return found.into_iter().filter(fits).collect();
    }
    // An executor's tasks go through a queue.
    if via == Some(Via::Queue) {
        let is_executor = |s: &Sending| matches!(s.via, Via::Executor | Via::Joblib);
        return found.into_iter().filter(is_executor).collect();
    }
    // A pool or executor is started with processes; a loader too.
    if via == Some(Via::Process) || via == Some(Via::Dump) || via.is_none() {
        return found;
    }
    Vec::new()
}

/// Returns the argument at a position or of a name.
pub(super) fn argument<'c>(call: &'c Call, position: usize, label: &str) -> Option<&'c Arg> {
    call.labelled(label).or_else(|| {
        let mut placed = call.args.iter().filter(|a| a.label.is_none());
        placed.nth(position).filter(|a| a.stars == 0)
    })
}
