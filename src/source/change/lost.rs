//! What workers change on an object that they are sent: each of them changes a copy.

use std::rc::Rc;

use super::super::eval::{Eval, bindings_of};
use super::super::sent::Sending;
use super::super::syntax::{Expr, ExprKind, Kind, Name, Source, Target};
use super::super::value::{Attribute, DefId, Setting, Value};
use super::shared::reaches_workers;
use super::touched::touched;

/// The most functions of workers that are looked at.
const MAX_FUNCTIONS: usize = 100;
/// Containers of libraries.
const DATA: &[&str] = &[
    "collections.",
    "numpy.",
    "pandas.",
    "array.",
    "bytearray",
    "bytes",
];
/// The most arguments that are looked at for callbacks.
const MAX_ITEMS: usize = 16;

/// Returns a function that runs in workers, and what it fills or counts in and the rest of the program reads:
/// an attribute of objects of a class, or a global.
pub(in super::super) fn lost(
    eval: &Eval,
    sendings: &[Sending],
    class: Option<DefId>,
) -> Option<(Name, Name)> {
    if !sendings.iter().any(|s| reaches_workers(s.via)) {
        return None;
    }
    let workers = workers(eval, sendings, class);
    let of_objects = class.and_then(|class| of_objects(eval, class, &workers));
    let (task, name) = of_objects.or_else(|| global(eval, &workers))?;
    let module = eval.project.module(task.module);
    Some((Name::clone(&module.defs[task.def].name), name))
}

/// Returns the attribute, and what is sent to change it.
fn of_objects(eval: &Eval, class: DefId, workers: &[Worker]) -> Option<(DefId, Name)> {
    let Value::Instance(instance) = eval.any_instance(class, eval.around(class)) else {
        return None;
    };
    let attributes = eval.attributes(&instance);
    let data = attributes.iter().filter(|a| is_data(eval, a));
    let of_class = of_class(eval, class);
    let mut names = data.map(|a| &a.name).chain(&of_class);
    names.find_map(|name| {
        let mut all = workers.iter();
        let (_, task) = all.find(|(id, _)| changed_in(eval, *id, class, name))?;
        is_read(eval, class, name, workers).then(|| (*task, Name::clone(name)))
    })
}

/// Returns the global, a container, and what is sent to fill it.
fn global(eval: &Eval, workers: &[Worker]) -> Option<(DefId, Name)> {
    workers.iter().find_map(|(id, task)| {
        let module = eval.project.module(id.module);
        let mut found = Vec::new();
        touched(
            eval,
            &module.defs[id.def],
            &eval.scope(*id),
            &mut |base, name| {
                if base.is_none() {
                    found.push(Name::clone(name));
                }
            },
        );
        let is_container = |name: &Name| {
            let mut bound = bindings_of(&module.defs[0], name);
            bound.any(|b| {
                b.source
                    .given()
                    .is_some_and(|v| matches!(v.kind, ExprKind::Items(_) | ExprKind::Dict(_)))
            })
        };
        let is_read = |name: &Name| {
            let others = module.defs().filter(|(number, _)| {
                let id = id.beside(*number);
                workers.iter().all(|(known, _)| *known != id)
            });
            let mut names = others
                .flat_map(|(_, def)| def.exprs())
                .flat_map(Expr::names);
            names.any(|(n, _)| n == name)
        };
        let name = found.into_iter().find(|n| is_container(n) && is_read(n))?;
        Some((*task, name))
    })
}

/// Returns what the body of a class binds to data: `total = 0`.
fn of_class(eval: &Eval, class: DefId) -> Vec<Name> {
    let module = eval.project.module(class.module);
    let bound = module.defs[class.def].bindings.iter();
    let data = bound.filter_map(|b| match (&b.target, &b.source) {
        (Target::Name(name), Source::Value(value)) => match &value.kind {
            ExprKind::Constant | ExprKind::Items(_) | ExprKind::Dict(_) => Some(Name::clone(name)),
            _ => None,
        },
        _ => None,
    });
    data.collect()
}

/// A function that runs in a worker, and the one that is sent and leads to it.
type Worker = (DefId, DefId);

/// Returns the functions that run in workers.
fn workers(eval: &Eval, sendings: &[Sending], class: Option<DefId>) -> Vec<Worker> {
    let mut tasks = Vec::new();
    for part in sendings.iter().flat_map(|s| &s.parts) {
        runs(eval, &eval.force(&part.value), &mut tasks);
    }
    starts(eval, &mut tasks);
    let mut all: Vec<Worker> = tasks.into_iter().map(|id| (id, id)).collect();
    let mut at = 0;
    while at < all.len().min(MAX_FUNCTIONS) {
        let (id, task) = all[at];
        for next in called(eval, id, class) {
            if !all.iter().any(|(known, _)| *known == next) {
                all.push((next, task));
            }
        }
        at += 1;
    }
    all
}

/// Adds the functions that a value runs in a worker: `work`, `stats.work`, `partial(work, 3)`.
fn runs(eval: &Eval, value: &Value, found: &mut Vec<DefId>) {
    for value in value.alternatives() {
        match value {
            Value::Function(function) | Value::Method(_, function) => add(found, function.id),
            Value::Made(made) if &*made.of == "functools.partial" => {
                if let Some(first) = made.call.args.first() {
                    runs(eval, &eval.eval(&first.value, &made.env), found);
                }
            }
            Value::Made(made) if made.of.starts_with("dask.delayed") => {
                if let Some(from) = &made.from {
                    runs(eval, from, found);
                }
                for arg in &made.call.args {
                    runs(eval, &eval.eval(&arg.value, &made.env), found);
                }
            }
            // A callback among the arguments.
            Value::Items(items) => {
                for (_, later) in items.iter().take(MAX_ITEMS) {
                    if let Value::Function(f) | Value::Method(_, f) = eval.force(later) {
                        add(found, f.id);
                    }
                }
            }
            Value::Instance(instance) => {
                let line = eval.line(instance.class, &instance.class_env);
                let is_process = |o: &Rc<str>| &**o == "multiprocessing.Process";
                let run = line.outside.iter().any(is_process).then_some("run");
                for name in run.into_iter().chain(["__call__"]) {
                    if let Some(method) = eval.method(&line, name) {
                        add(found, method.id);
                    }
                }
            }
            _ => {}
        }
    }
}

fn add(found: &mut Vec<DefId>, id: DefId) {
    if !found.contains(&id) {
        found.push(id);
    }
}

/// Adds what other processes are started with, or given to do: `Process(target=work)`, `initializer=init`,
/// `pool.map(work, items)`.
fn starts(eval: &Eval, found: &mut Vec<DefId>) {
    const POOLS: [&str; 2] = [
        "multiprocessing.Pool().",
        "concurrent.futures.ProcessPoolExecutor().",
    ];
    eval.each_expression(&mut |expr, env| {
        let ExprKind::Call(call) = &expr.kind else {
            return;
        };
        let Value::Outside(of, _) = eval.eval(&call.func, env) else {
            return;
        };
        let is_task = POOLS.iter().any(|pool| of.starts_with(pool));
        for (number, arg) in call.args.iter().enumerate() {
            let is_started = match arg.label.as_deref() {
                Some("initializer") => true,
                Some("target") => &*of == "multiprocessing.Process",
                None => is_task && number == 0,
                _ => false,
            };
            if is_started {
                runs(eval, &eval.eval(&arg.value, env), found);
            }
        }
    });
}

/// Returns the functions that one calls; what is called on an unknown object may be a method of the class.
fn called(eval: &Eval, id: DefId, class: Option<DefId>) -> Vec<DefId> {
    let module = eval.project.module(id.module);
    let line = class.map(|class| eval.line_of(class));
    let mut found = Vec::new();
    let all = module.defs();
    for (number, def) in all.filter(|(_, d)| module.defs[id.def].at.holds(d.at)) {
        let env = eval.scope(id.beside(number));
        for call in def.exprs().flat_map(Expr::calls) {
            for func in eval.eval(&call.func, &env).alternatives() {
                match (&func, &call.func.kind) {
                    (Value::Function(f) | Value::Method(_, f), _) => found.push(f.id),
                    (Value::Unknown | Value::Outside(_, Some(_)), ExprKind::Attribute(_, name)) => {
                        let line = line.as_ref();
                        let method = line.and_then(|line| eval.method(line, name));
                        found.extend(method.map(|m| m.id));
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

/// Returns whether a function changes an attribute of what may be an object of the class.
fn changed_in(eval: &Eval, id: DefId, class: DefId, name: &Name) -> bool {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    if def.name.starts_with("__") && &*def.name != "__call__" {
        return false;
    }
    let mut found = false;
    for (number, inner) in module.defs().filter(|(_, d)| def.at.holds(d.at)) {
        let env = eval.scope(id.beside(number));
        touched(eval, inner, &env, &mut |base, n| {
            let is_it = |base: &Rc<Expr>| may_be(eval, &eval.eval(base, &env), class);
            found |= n == name && base.is_some_and(is_it);
        });
    }
    found
}

/// Returns whether a value may be an object of a class.
fn may_be(eval: &Eval, value: &Value, class: DefId) -> bool {
    let is_of = |a: DefId, b: DefId| eval.line_of(a).own.iter().any(|(c, _)| *c == b);
    value.alternatives().iter().any(|value| match value {
        Value::Instance(other) => is_of(other.class, class) || is_of(class, other.class),
        Value::Class(other, _) => is_of(class, *other),
        Value::Unknown => true,
        _ => false,
    })
}

/// Returns whether an attribute is a number, a text or a container, as far as it can be told, and is not only
/// made where it is missed.
fn is_data(eval: &Eval, attribute: &Attribute) -> bool {
    fn is_data(value: &Value) -> bool {
        match value {
            Value::Plain | Value::Items(_) | Value::Instance(_) => true,
            Value::Filled(base, _) => is_data(base),
            Value::Made(made) => DATA.iter().any(|d| made.of.starts_with(d)),
            _ => false,
        }
    }
    let values = attribute.values.iter().map(|later| eval.force(later));
    let all: Vec<Value> = values.flat_map(|value| value.alternatives()).collect();
    let is_open = |value: &Value| matches!(value, Value::Unknown);
    let is_lazy = || {
        attribute
            .set
            .iter()
            .any(|s| is_lazy(eval, s, &attribute.name))
    };
    all.iter().any(is_data)
        && all.iter().all(|value| is_data(value) || is_open(value))
        && (!all.iter().any(is_open) || !is_lazy())
}

/// Returns whether an attribute is set where it is missed: below `if self.model is None:`.
fn is_lazy(eval: &Eval, setting: &Setting, name: &Name) -> bool {
    let module = eval.project.module(setting.module);
    let tests = [format!(".{name} is None:"), format!("if not self.{name}:")];
    let method = &module.defs[setting.method];
    let mut around = method.statements.iter().filter(|s| s.at.holds(setting.at));
    around.any(|s| {
        let head = module.slice(s.head).trim_end();
        tests.iter().any(|test| head.ends_with(test.as_str()))
    })
}

/// Returns whether something that no worker runs reads an attribute.
fn is_read(eval: &Eval, class: DefId, name: &Name, workers: &[Worker]) -> bool {
    eval.project.defs().any(|(id, module)| {
        let def = &module.defs[id.def];
        let is_method = def.kind == Kind::Function && id.beside(def.parent) == class;
        let is_work = workers.iter().any(|(known, _)| *known == id)
            || is_method && def.name.starts_with("__");
        let own = def.params.first().map(|p| &p.name).filter(|_| is_method);
        let mut all = def.exprs().flat_map(Expr::walk);
        !is_work
            && all.any(|e| match &e.kind {
                ExprKind::Attribute(base, n) => n == name && own.is_none_or(|o| base.is_name(o)),
                _ => false,
            })
    })
}
