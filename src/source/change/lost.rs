//! What workers change on an object that they are sent: each of them changes a copy.

use std::rc::Rc;

use crate::python_name::places_of;
use crate::traceback::facts::Via;

use super::super::effects::changes;
use super::super::eval::{Eval, bindings_of, binds};
use super::super::objects::PROCESS;
use super::super::sent::Sending;
use super::super::syntax::{Binding, Def, Expr, ExprKind, Kind, Name, StatementKind};
use super::super::text::lists;
use super::super::value::{
    Attribute, DefId, Env, Instance, Made, Setting, Value, is_within_comprehension,
};
use super::arguments::{params, sent};
use super::handed::may_be;
use super::shared::reaches_workers;
use super::touched::{called_back, touched};
use super::workers::{Worker, workers};

/// Containers of libraries.
const DATA: &str = "collections. numpy. pandas. array. bytearray bytes";
/// What of Python's own functions gives a number or a text.
const COUNTS: &str = "sum len round abs int float str bool pow divmod";
/// The most classes of what is sent that are looked at, and how deep.
const MAX_CLASSES: usize = 16;
const MAX_DEPTH: usize = 6;
/// What each use takes a step further.
const STEPPED: &str = "random.Random numpy.random. itertools.count itertools.cycle";

/// What would go wrong with a copy in each worker.
pub(in super::super) struct Loss {
    /// Why nothing is changed.
    pub(in super::super) why: String,
    /// What to do about it, in front of the change.
    pub(in super::super) text: String,
}

impl Loss {
    /// What a task changes stays in the worker.
    pub(super) fn of(task: &Name, name: &Name) -> Self {
        Self {
            why: format!("what `{task}` changes in `{name}` would stay in the worker"),
            text: format!(
                "`{task}` changes `{name}` in the worker's copy only: let it return that."
            ),
        }
    }

    fn by(eval: &Eval, task: DefId, name: &Name) -> Self {
        let module = eval.project.module(task.module);
        let mut loss = Self::of(&module.defs[task.def].name, name);
        // What a process returns goes nowhere.
        if is_of_process(eval, task) {
            let way = "let it put that into a queue, which the parent reads.";
            loss.text = loss.text.replace("let it return that.", way);
        }
        loss
    }
}

/// Returns what a function that runs in workers fills or counts in and the rest of the program reads: an
/// attribute of objects of a class, a global, or what it is given; or what it takes further from task to task.
pub(in super::super) fn lost(
    eval: &Eval,
    sendings: &[Sending],
    class: Option<DefId>,
) -> Option<Loss> {
    if !sendings.iter().any(|s| reaches_workers(Some(s.via))) {
        return None;
    }
    let workers = workers(eval, sendings, class);
    let is_loader = sendings.iter().any(|s| s.via == Via::DataLoader);
    let has_tasks = !sendings.iter().any(|s| s.via == Via::Process);
    // A process's own attributes go with it alone.
    let is_process = |class: &DefId| eval.line_of(*class).derives_from(PROCESS);
    let objects = objects(eval, sendings, class);
    let stepped = class
        .filter(|class| !is_loader && !is_process(class) && !is_own_of_each(&objects, *class))
        .and_then(|class| stepped(eval, class, &workers, has_tasks));
    if stepped.is_some() {
        return stepped;
    }
    // What a worker sends comes back with its changes.
    let is_work = |at: DefId| workers.iter().any(|(id, _)| *id == at);
    let is_back = |s: &Sending| s.via == Via::Queue && s.parts.iter().any(|p| is_work(p.env.at));
    if sendings.iter().all(is_back) {
        return None;
    }
    let mut all = objects.iter();
    let found = all.find_map(|of| of_objects(eval, of.class, &workers));
    (found.map(|(task, name)| Loss::by(eval, task, &name))).or_else(|| of_scopes(eval, &workers))
}

/// Returns an object of each class that is sent, that of this class among them.
fn objects(eval: &Eval, sendings: &[Sending], class: Option<DefId>) -> Vec<Rc<Instance>> {
    let parts = sendings.iter().flat_map(|s| &s.parts);
    let parts = parts.map(|part| eval.force(&part.value));
    let holder = class.map(|class| Value::Instance(eval.instance(class)));
    let mut found = Vec::new();
    for value in parts.chain(holder) {
        held(eval, &value, 0, &mut found);
    }
    found
}

/// Returns whether each task has an object of its own of a class: `[Walk(seed) for seed in seeds]`.
fn is_own_of_each(objects: &[Rc<Instance>], class: DefId) -> bool {
    let of = objects.iter().find(|of| of.class == class);
    let Some((call, env)) = of.and_then(|of| of.made.as_ref()) else {
        return false;
    };
    let mut given = call.args.iter().flat_map(|a| a.value.names());
    is_within_comprehension(env) && given.any(|(name, _)| env.names.contains_key(name))
}

/// Returns whether a function is what a process runs: its target, or its `run`.
fn is_of_process(eval: &Eval, id: DefId) -> bool {
    let mut processes = eval.all_made().filter(|made| made.is_process());
    let is_target = |task: (DefId, _)| task.0 == id;
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let is_process = || eval.line_of(id.beside(def.parent)).derives_from(PROCESS);
    &*def.name == "run" && module.is_method(def) && is_process()
        || processes.any(|p| sent(eval, p.env.at, &p.call).is_some_and(is_target))
}

/// Returns what the functions that run in workers fill or count in, and the rest of the program reads: a global, or
/// what they are given.
pub(in super::super) fn lost_there(eval: &Eval) -> Option<Loss> {
    of_scopes(eval, &workers(eval, &[], None))
}

fn of_scopes(eval: &Eval, workers: &[Worker]) -> Option<Loss> {
    let (task, name) = global(eval, workers).or_else(|| given(eval))?;
    Some(Loss::by(eval, task, &name))
}

/// Returns whether each use takes a value a step further: a generator of random numbers, a counter.
pub(in super::super) fn is_stepped(value: &Value) -> bool {
    matches!(value, Value::Made(made) if STEPPED.split(' ').any(|s| made.of.starts_with(s)))
}

/// Returns whether a value is shared by the threads of a process: a lock, an event, a queue.
pub(in super::super) fn is_of_threads(made: &Made) -> bool {
    let is_shared = made.of.starts_with("threading.") || made.of.starts_with("queue.");
    is_shared && &*made.of != "threading.local"
}

/// Returns whether code takes the next item of what has this name: each copy would begin with the first.
pub(in super::super) fn takes_next(text: &str, name: &str) -> bool {
    let next = format!("next({name}");
    text.contains(&format!("{next})")) || text.contains(&format!("{next},"))
}

/// Returns why such a value is not given to each worker, or task.
pub(in super::super) fn same_state(each: &str, name: &str) -> String {
    format!("each {each} would get a copy of `{name}` in the same state")
}

/// Returns whether a function calls a method of what this tells, or takes its next item.
pub(super) fn steps(def: &Def, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    let mut calls = def.calls();
    calls.any(|call| match &call.func.kind {
        ExprKind::Attribute(of, _) => is_it(of),
        _ => call.func.is_name("next") && call.args.iter().any(|a| is_it(&a.value)),
    })
}

/// Returns an attribute that each use in a worker takes a step further: a generator of random numbers, a counter,
/// and where each worker has tasks, a generator's items.
fn stepped(eval: &Eval, class: DefId, workers: &[Worker], has_tasks: bool) -> Option<Loss> {
    let attributes = eval.attributes(&eval.instance(class));
    let is_any = |a: &Attribute, is_it: &dyn Fn(&Value) -> bool| eval.values(a).iter().any(is_it);
    let is_generator = |v: &Value| has_tasks && matches!(v, Value::Generator(_));
    let mut all = attributes
        .iter()
        .filter(|a| is_any(a, &is_stepped) || is_any(a, &is_generator));
    let found = all.find(|a| {
        let is_it = |e: &Expr| e.is_attribute(&a.name);
        workers.iter().any(|(id, _)| {
            let module = eval.project.module(id.module);
            steps(&module.defs[id.def], &is_it)
        })
    })?;
    let name = &found.name;
    Some(Loss {
        why: same_state("task", name),
        text: if is_any(found, &is_generator) {
            format!(
                "Each task would begin with the same item of `{name}`: send each task its own item instead. If each is to have them all:"
            )
        } else {
            format!(
                "Each task gets a copy of `{name}` in the same state: make one from what the task is given."
            )
        },
    })
}

/// Adds an object of each class in a value, and in all that these hold.
fn held(eval: &Eval, value: &Value, depth: usize, found: &mut Vec<Rc<Instance>>) {
    if depth > MAX_DEPTH || found.len() >= MAX_CLASSES {
        return;
    }
    for value in value.alternatives() {
        let inner = match &value {
            Value::Instance(of) if found.iter().all(|known| known.class != of.class) => {
                found.push(Rc::clone(of));
                eval.kept(of)
            }
            Value::Method(of, _) => vec![(**of).clone()],
            Value::Items(items) | Value::Filled(_, items) => {
                let items = items.iter().take(MAX_CLASSES);
                items.map(|(_, item)| eval.force(item)).collect()
            }
            _ => Vec::new(),
        };
        for value in &inner {
            held(eval, value, depth + 1, found);
        }
    }
}

/// Returns what a call of an object of a class changes in it, and the rest of the program reads.
pub(super) fn lost_by_calls(eval: &Eval, class: DefId) -> Option<Loss> {
    let call = eval.method(&eval.line_of(class), "__call__")?.id;
    let (task, name) = of_objects(eval, class, &[(call, call)])?;
    Some(Loss::by(eval, task, &name))
}

/// Returns the attribute, and what is sent to change it.
fn of_objects(eval: &Eval, class: DefId, workers: &[Worker]) -> Option<(DefId, Name)> {
    let attributes = eval.attributes(&eval.instance(class));
    let data = attributes.iter().filter(|a| is_data(eval, a));
    let of_class = of_class(eval, class);
    let mut names = data.map(|a| &a.name).chain(&of_class);
    names.find_map(|name| {
        let mut all = workers.iter();
        let (_, task) = all.find(|(id, _)| changed_in(eval, *id, class, name))?;
        let is_missed = is_read(eval, class, name, workers) || is_counted(eval, name, workers);
        is_missed.then(|| (*task, Name::clone(name)))
    })
}

/// Returns whether a worker counts in an attribute while it holds a lock, and reads it: with the copy of each task
/// the count begins again.
fn is_counted(eval: &Eval, name: &Name, workers: &[Worker]) -> bool {
    let places = |text: &str| -> Vec<usize> {
        let all = places_of(text, name);
        all.filter(|at| text[..*at].ends_with('.')).collect()
    };
    let is_counted = |rest: &str| {
        let rest = rest.trim_start();
        rest.starts_with("+=") || rest.starts_with("-=")
    };
    workers.iter().any(|(id, _)| {
        let module = eval.project.module(id.module);
        let def = &module.defs[id.def];
        let mut held = def.of_kind(StatementKind::With);
        held.any(|s| {
            let text = module.slice(s.at);
            let counts = |at: &usize| is_counted(&text[at + name.len()..]);
            s.exprs.iter().all(|e| e.dotted().is_some()) && places(text).iter().any(counts)
        }) && places(module.code(def.at)).len() > 1
    })
}

/// Returns the global, a container or a count, and what is sent to change it.
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
        let def = &module.defs[id.def];
        for (of, env) in called_back(eval, def, &eval.scope(*id)) {
            let own = eval.project.module(env.at.module);
            if let ExprKind::Name(name) = &of.kind
                && env.at.module == id.module
                && (env.at.def == 0 || !binds(&own.defs[env.at.def], name))
            {
                found.push(Name::clone(name));
            }
        }
        // `global total`, `total += n`
        let is_counted = |name: &Name| def.declares(name) && changes(module.code(def.at), name);
        found.extend(def.globals.iter().filter(|n| is_counted(n)).cloned());
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
            let mut names = others.flat_map(|(_, def)| def.names());
            names.any(|(n, _)| n == name)
        };
        let name = found
            .into_iter()
            .find(|n| (is_container(n) || is_counted(n)) && is_read(n))?;
        Some((*task, name))
    })
}

/// Returns the parameter by which a task gets a container and fills it, where the function that gave it reads it
/// further down, and the task.
fn given(eval: &Eval) -> Option<(DefId, Name)> {
    let is_container =
        |v: &Value| is_data_itself(v) && !matches!(v, Value::Plain | Value::Instance(_));
    eval.project.defs().find_map(|(at, module)| {
        let env = eval.scope(at);
        let def = &module.defs[at.def];
        let mut calls = def.calls();
        calls.find_map(|call| {
            let (task, args) = sent(eval, at, call)?;
            let is_below = |name: &Name| {
                let mut all = def.names();
                all.any(|(n, place)| n == name && place.start >= call.at.end)
            };
            let is_read = |e: &Expr| match &e.kind {
                ExprKind::Name(name) => {
                    is_below(name) && is_container(&eval.name(name, &env, None))
                }
                _ => false,
            };
            let own = eval.project.module(task.module);
            let to = &own.defs[task.def];
            let returned: Vec<_> = to.returns.iter().flat_map(Expr::names).collect();
            let mut all = params(eval, task, &args, &is_read).into_iter();
            all.find(|(_, p)| changes(own.code(to.at), p) && returned.iter().all(|(n, _)| *n != p))
        })
    })
}

/// Returns what the body of a class binds to data: `total = 0`.
fn of_class(eval: &Eval, class: DefId) -> Vec<Name> {
    let module = eval.project.module(class.module);
    let bound = module.defs[class.def].bindings.iter();
    let is_data = |e: &Expr| {
        matches!(
            e.kind,
            ExprKind::Constant | ExprKind::Items(_) | ExprKind::Dict(_)
        )
    };
    let data = bound
        .filter_map(Binding::named_value)
        .filter(|(_, value)| is_data(value));
    data.map(|(name, _)| Name::clone(name)).collect()
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
        let is_it = |(of, env): &(Rc<Expr>, Env)| {
            let base = of.attribute().filter(|(_, n)| *n == name);
            base.is_some_and(|(base, _)| may_be(eval, &eval.eval(base, env), class))
        };
        found = found || called_back(eval, inner, &env).iter().any(is_it);
    }
    found
}

/// Returns whether an attribute is a number, a text or a container, as far as it can be told, and is not only
/// made where it is missed.
fn is_data(eval: &Eval, attribute: &Attribute) -> bool {
    let all = eval.values(attribute);
    let is_open = |value: &Value| matches!(value, Value::Unknown);
    let is_lazy = || {
        attribute
            .set
            .iter()
            .any(|s| is_lazy(eval, s, &attribute.name))
    };
    all.iter().any(is_data_itself)
        && all
            .iter()
            .all(|value| is_data_itself(value) || is_open(value))
        && (!all.iter().any(is_open) || !is_lazy())
}

/// Returns whether a value is a number, a text or a container, or an object of the program.
fn is_data_itself(value: &Value) -> bool {
    match value {
        Value::Plain | Value::Items(_) | Value::Instance(_) => true,
        Value::Filled(base, _) => is_data_itself(base),
        Value::Made(made) => {
            lists(COUNTS, &made.of) || DATA.split(' ').any(|d| made.of.starts_with(d))
        }
        _ => false,
    }
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
        let mut all = def.walk();
        !is_work
            && all.any(|e| matches!(&e.kind, ExprKind::Attribute(base, n) if n == name && own.is_none_or(|o| base.is_name(o))))
    })
}
