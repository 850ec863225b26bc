//! Another start method for the processes that a pool, an executor or a `Process` starts.

use std::rc::Rc;

use crate::object::Edit;
use crate::traceback::facts::Via;

use super::super::eval::Eval;
use super::super::objects::PROCESS;
use super::super::project::{Frames, ModuleId};
use super::super::sent::{Stop, argument};
use super::super::syntax::{Expr, ExprKind, Kind, Module, Place, Statement};
use super::super::text::{above, imported, lists, quoted_as};
use super::super::value::{DefId, Env, Function, Made, Value};
use super::bound::cannot_travel;
use super::call;
use super::inherited::{can_be_spawned, can_run};
use super::{Plan, Planned};

const METHOD: &str = "spawn";
/// What belongs to a start method, and goes with the processes.
pub(in super::super) const BOUND: &str = "Queue JoinableQueue SimpleQueue Lock RLock Semaphore BoundedSemaphore Condition Event Barrier Value \
    Array";

/// Plans `spawn` for the workers that a traceback tells of, whose parent stopped at `stops`.
pub(in super::super) fn spawned(
    eval: &Eval,
    stops: &[Stop],
    worker: &Frames,
    script: Option<ModuleId>,
    via: Option<Via>,
) -> Planned {
    if let (Some(Via::Process), Some(run), Some(script)) = (via, run(eval, worker), script) {
        return spawned_subclass(eval, &run, script);
    }
    let maker = maker(eval, stops, via)?;
    let module = eval.project.module(maker.env.at.module);
    module.is_parsed()?;
    let script = eval.project.module(script.unwrap_or(maker.env.at.module));
    let guard = script
        .main_guard()
        .ok_or("`spawn` needs a main guard, which the script lacks")?;
    let is_below = maker.env.at.def != 0
        || !std::ptr::eq(Rc::as_ptr(&script), Rc::as_ptr(&module))
        || guard.at.holds(maker.call.at);
    if !is_below {
        return Err("the processes are not started under the main guard".to_owned());
    }
    let (position, label) = match via {
        Some(Via::Process) => (1, "target"),
        Some(Via::Pool) => (1, "initializer"),
        _ => (2, "initializer"),
    };
    let own = argument(&maker.call, position, label);
    let own = own.map(|a| (Rc::clone(&a.value), Rc::clone(&maker.env)));
    let mut tasks: Vec<(Rc<Expr>, Env)> = own.into_iter().collect();
    let sendings = eval.sendings(stops, via);
    for task in sendings.iter().filter_map(|s| s.task.as_ref()) {
        tasks.push((Rc::clone(&task.expr), Rc::clone(&task.env)));
    }
    can_be_spawned(eval, &tasks)?;
    edits(eval, &maker, &module, &script, guard)
}

/// Returns the `run` of a `Process` subclass that a worker's frames are in.
fn run(eval: &Eval, worker: &Frames) -> Option<Function> {
    worker.iter().find_map(|(id, line)| {
        let module = eval.project.module(*id);
        let number = module.def_at(*line);
        let def = &module.defs[number];
        let class = DefId::new(*id, def.parent);
        let is_method = &*def.name == "run" && module.defs[class.def].kind == Kind::Class;
        let line = is_method.then(|| eval.line_of(class))?;
        let function = || Function::new(DefId::new(*id, number), eval.scope(class));
        line.derives_from(PROCESS).then(function)
    })
}

/// Plans `spawn` for the instances of a `Process` subclass, which have the default start method.
fn spawned_subclass(eval: &Eval, run: &Function, script: ModuleId) -> Planned {
    let module = eval.project.module(script);
    let guard = module
        .main_guard()
        .ok_or("`spawn` needs a main guard, which the script lacks")?;
    can_run(eval, std::slice::from_ref(run))?;
    let attributes = eval.attributes(&eval.instance(run.env.at));
    if let Some(kept) = attributes.iter().find(|a| cannot_travel(eval, a)) {
        return Err(format!("`spawn` would have to pickle `{}`", kept.name));
    }
    by_default(&module, guard, &module)
}

/// Finds the call that makes what starts the workers: what the parent's statement is called on, or
/// the only one of the program.
pub(super) fn maker(eval: &Eval, stops: &[Stop], via: Option<Via>) -> Result<Rc<Made>, String> {
    let wanted = match via {
        Some(Via::Pool) => "multiprocessing.Pool",
        Some(Via::Executor) => "concurrent.futures.ProcessPoolExecutor",
        Some(Via::Process) => PROCESS,
        _ => return Err("where to use CUDA instead is for you to say".to_owned()),
    };
    for stop in stops.iter().rev() {
        let mut all = stop.statement.walk();
        if let Some(found) = all.find_map(|e| made_below(eval, e, &stop.env, wanted)) {
            return Ok(found);
        }
    }
    let mut found = eval
        .all_made()
        .filter(|made| *made.of == *wanted)
        .collect::<Vec<_>>();
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) => Err("the call that starts the processes cannot be found".to_owned()),
        _ => Err("several calls start processes".to_owned()),
    }
}

/// Finds the pool that an expression is, or is taken from.
fn made_below(eval: &Eval, expr: &Rc<Expr>, env: &Env, wanted: &str) -> Option<Rc<Made>> {
    for value in eval.eval(expr, env).alternatives() {
        let mut at = Some(Rc::new(value));
        while let Some(value) = at.take() {
            match &*value {
                Value::Made(made) if &*made.of == wanted => {
                    return Some(Rc::clone(made));
                }
                Value::Made(made) => at.clone_from(&made.from),
                Value::Outside(_, from) => at.clone_from(from),
                _ => {}
            }
        }
    }
    None
}

/// Writes the start method where the context, the pool or the executor is made.
fn edits(
    eval: &Eval,
    maker: &Made,
    module: &Rc<Module>,
    script: &Rc<Module>,
    guard: &Statement,
) -> Planned {
    let call = &maker.call;
    let id = maker.env.at.module;
    let name = call.func.dotted().unwrap_or_default();
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_executor = matches!(
        eval.eval(&call.func, &maker.env),
        Value::Outside(of, _) if of.starts_with("concurrent.")
    );
    let planned = |edits: Vec<Edit>, at: Place| {
        let text = format!(
            "Let it start new processes by `{METHOD}`; they inherit nothing of the parent's CUDA:"
        );
        Ok(Plan::of_line(eval, (id, at), text, edits))
    };
    if is_executor {
        if let Some(given) = argument(call, 1, "mp_context") {
            let edit = of_context(eval, &given.value, &maker.env, id)?;
            return planned(vec![edit], given.value.at);
        }
        let (context, import) = imported(module, "multiprocessing", "get_context");
        let text = format!("mp_context={context}(\"{METHOD}\")");
        let mut edits = vec![call::added(call, &text)];
        edits.extend(import);
        return planned(edits, call.at);
    }
    match &call.func.kind {
        ExprKind::Attribute(base, _) => {
            if let Value::Made(_) = eval.eval(base, &maker.env) {
                let edit = of_context(eval, base, &maker.env, id)?;
                return planned(vec![edit], base.at);
            }
            if others_are_bound(eval) {
                return by_default(script, guard, module);
            }
            let at = base.at.end as usize;
            let text = format!(".get_context(\"{METHOD}\")");
            planned(vec![Edit::insert(at, text)], call.at)
        }
        ExprKind::Name(_) => {
            if others_are_bound(eval) {
                return by_default(script, guard, module);
            }
            let (context, import) = imported(module, "multiprocessing", "get_context");
            let mut edits = vec![Edit::replace(
                call.func.at,
                format!("{context}(\"{METHOD}\").{last}"),
            )];
            edits.extend(import);
            planned(edits, call.at)
        }
        _ => Err("the call that starts the processes is of another form".to_owned()),
    }
}

/// Writes the method into the `get_context(…)` that an expression leads to.
fn of_context(eval: &Eval, expr: &Rc<Expr>, env: &Env, id: ModuleId) -> Result<Edit, String> {
    let unwritten = || "the start method is not written in the program".to_owned();
    let Value::Made(made) = eval.eval(expr, env) else {
        return Err(unwritten());
    };
    let is_context = made.of.ends_with("get_context");
    if !is_context || made.env.at.module != id {
        return Err(unwritten());
    }
    let module = eval.project.module(id);
    match made.call.args.first().map(|a| &a.value) {
        None => Ok(call::added(&made.call, &format!("\"{METHOD}\""))),
        Some(given) => {
            let ExprKind::Text(_) = &given.kind else {
                return Err(unwritten());
            };
            Ok(Edit::replace(
                given.at,
                quoted_as(&module, given.at, METHOD),
            ))
        }
    }
}

/// Returns whether a call makes a queue, a lock or the like, which goes by the start method.
pub(in super::super) fn is_of_method(made: &Made) -> bool {
    let name = made.of.strip_prefix("multiprocessing.");
    name.is_some_and(|name| lists(BOUND, name))
}

/// Returns whether the program makes queues or locks of the default start method, which processes
/// of another one do not take.
fn others_are_bound(eval: &Eval) -> bool {
    eval.all_made().any(|made| is_of_method(&made))
}

/// Sets the start method of all under the guard.
fn by_default(script: &Rc<Module>, guard: &Statement, module: &Rc<Module>) -> Planned {
    if !Rc::ptr_eq(script, module) {
        return Err("the script that has the main guard is another file".to_owned());
    }
    if module.code.contains("set_start_method") {
        return Err("the program sets a start method of its own".to_owned());
    }
    let mut inside = module.defs[0].inside(guard);
    let body = inside.find(|s| s.at.start > guard.head.end);
    let body = body.ok_or("the guard is empty")?;
    let (set, import) = imported(module, "multiprocessing", "set_start_method");
    let line = format!("{set}(\"{METHOD}\")");
    let edit = above(module, body.at.start, &[&line]).ok_or("the guard is on one line")?;
    let mut edits = vec![edit];
    edits.extend(import);
    edits.sort();
    let shown = module.slice(guard.head).trim();
    let text = format!(
        "Let all be started by `{METHOD}`; queues, locks and `Process` subclasses go by the default start method. First under the guard:"
    );
    Ok(Plan::new(
        module.id,
        text,
        format!("{shown}\n    {line}"),
        edits,
    ))
}
