//! What was sent: the expressions that travel, from the frames that sent them.
//!
//! - [`stops`]: the frames; [`senders`]: which calls send something.

mod senders;
mod stops;

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::eval::Eval;
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
    /// Whether it is what iterating over the expression gives.
    pub(super) is_element: bool,
    pub(super) value: Later,
}

/// All that one call sends.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub(super) via: Option<Via>,
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
            for statement in &module.defs[stop.env.at.def].statements {
                for expr in &statement.exprs {
                    self.look(expr, &stop.env, via, &mut found);
                }
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
                            if let ExprKind::Attribute(_, method) = &call.func.kind
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
    #[expect(
        clippy::too_many_lines,
        reason = "one arm for each way of giving arguments"
    )]
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
            // `pool.apply_async(…).get()`, `executor.submit(…).result()`
            if let Some(from) = from
                && matches!(
                    name.rsplit('.').next(),
                    Some("result" | "get" | "wait" | "exception" | "join")
                )
            {
                self.note_value(from, found, 0);
            }
            return;
        };
        let mut parts = Vec::new();
        let given = |value: &Rc<Expr>, is_element: bool| Part {
            expr: Rc::clone(value),
            env: Rc::clone(env),
            is_element,
            value: if is_element {
                Later::Element(Rc::clone(value), Rc::clone(env))
            } else {
                Later::Expr(Rc::clone(value), Rc::clone(env))
            },
        };
        match args {
            Args::These(wanted) => {
                for (position, label) in wanted {
                    if let Some(arg) = argument(call, *position, label) {
                        parts.push(given(&arg.value, false));
                    }
                }
            }
            Args::All => parts.extend(call.args.iter().map(|a| given(&a.value, a.stars > 0))),
            Args::Task => {
                parts.extend(
                    call.args
                        .iter()
                        .skip(1)
                        .map(|a| given(&a.value, a.stars > 0)),
                );
            }
            Args::Mapped => {
                let positional = call.args.iter().filter(|a| {
                    !matches!(
                        a.label.as_deref(),
                        Some("chunksize" | "timeout" | "callback" | "error_callback")
                    )
                });
                for (n, arg) in positional.enumerate() {
                    parts.push(given(&arg.value, n > 0));
                }
            }
            Args::Receiver => match from.map(|f| &**f) {
                Some(Value::Made(made)) if !made.of.starts_with("dask.") => {
                    self.note(&made.of, made.from.as_ref(), &made.call, &made.env, found);
                    return;
                }
                Some(value @ (Value::Instance(_) | Value::Made(_))) => {
                    let expr = match &call.func.kind {
                        ExprKind::Attribute(base, _) => base,
                        _ => &call.func,
                    };
                    let mut part = given(expr, false);
                    part.value = Later::Value(value.clone());
                    parts.push(part);
                }
                _ => return,
            },
            Args::Delayed => {
                for arg in &call.args {
                    let element = self.element_of(&self.eval(&arg.value, env));
                    for task in element.alternatives() {
                        Self::delayed(&task, &mut parts);
                    }
                }
            }
        }
        if let Some(Value::Made(made)) = from.map(|f| &**f) {
            // The task itself, of a decorator such as `@ray.remote`.
            if let (Some(wrapped), true) = (&made.wrapped, is_remote(&made.of)) {
                parts.insert(
                    0,
                    Part {
                        expr: Rc::clone(&made.call.func),
                        env: Rc::clone(&made.env),
                        is_element: false,
                        value: Later::Value((**wrapped).clone()),
                    },
                );
            }
            // Workers start when there is work: their initializer goes with it.
            let initial: &[(usize, &str)] = match &*made.of {
                "concurrent.futures.ProcessPoolExecutor" => &[(2, "initializer"), (3, "initargs")],
                _ => &[],
            };
            for (position, label) in initial {
                if let Some(arg) = argument(&made.call, *position, label) {
                    parts.push(Part {
                        expr: Rc::clone(&arg.value),
                        env: Rc::clone(&made.env),
                        is_element: false,
                        value: Later::Expr(Rc::clone(&arg.value), Rc::clone(&made.env)),
                    });
                }
            }
        }
        if parts.is_empty() {
            return;
        }
        let task = parts.first().cloned();
        found.push(Sending {
            via,
            pickler,
            parts,
            task,
            call: Rc::clone(call),
            is_exact: true,
        });
    }

    /// Adds what `delayed(f)(x)` holds.
    fn delayed(task: &Value, parts: &mut Vec<Part>) {
        let Value::Made(outer) = task else { return };
        let part = |made: &Rc<Made>, arg: &Arg| Part {
            expr: Rc::clone(&arg.value),
            env: Rc::clone(&made.env),
            is_element: false,
            value: Later::Expr(Rc::clone(&arg.value), Rc::clone(&made.env)),
        };
        if let Some(Value::Made(inner)) = outer.from.as_deref() {
            parts.extend(inner.call.args.first().map(|a| part(inner, a)));
        }
        parts.extend(outer.call.args.iter().map(|a| part(outer, a)));
    }

    /// Works out what a task returns.
    pub(super) fn returned(&self, task: &Part) -> Option<(Function, Value)> {
        match self.force(&task.value) {
            Value::Function(function) => {
                let value = self.results(&function, None, None);
                Some((function, value))
            }
            Value::Method(of, function) => {
                let value = self.results(&function, Some(&of), None);
                Some((function, value))
            }
            _ => None,
        }
    }
}

/// Makes a sending of what is put into a manager's dict.
fn assigned(value: &Rc<Expr>, stop: &Stop) -> Sending {
    let call = Rc::new(Call {
        func: Rc::clone(value),
        args: Vec::new(),
        at: value.at,
    });
    let part = Part {
        expr: Rc::clone(value),
        env: Rc::clone(&stop.env),
        is_element: false,
        value: Later::Expr(Rc::clone(value), Rc::clone(&stop.env)),
    };
    Sending {
        via: Some(Via::Manager),
        pickler: Pickler::Plain,
        parts: vec![part],
        task: None,
        call,
        is_exact: true,
    }
}

/// Keeps the sendings of the way that the traceback shows, if there are any.
fn fitting(found: Vec<Sending>, via: Option<Via>) -> Vec<Sending> {
    let fits = |s: &Sending| via.is_none() || s.via == via;
    if found.iter().any(fits) {
        return found.into_iter().filter(fits).collect();
    }
    // An executor's tasks go through a queue.
    if via == Some(Via::Queue) {
        let others = [Some(Via::Executor), Some(Via::Joblib)];
        return found
            .into_iter()
            .filter(|s| others.contains(&s.via))
            .collect();
    }
    // A pool or executor is started with processes; a loader too.
    if via == Some(Via::Process) || via == Some(Via::Dump) || via.is_none() {
        return found;
    }
    Vec::new()
}

/// Returns the argument at a position or of a name.
pub(super) fn argument<'c>(call: &'c Call, position: usize, label: &str) -> Option<&'c Arg> {
    let named = call.args.iter().find(|a| a.label.as_deref() == Some(label));
    named.or_else(|| {
        let mut placed = call.args.iter().filter(|a| a.label.is_none());
        placed.nth(position).filter(|a| a.stars == 0)
    })
}
