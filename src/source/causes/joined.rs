//! What is joined and cannot end: a process above what reads its queue, or with a loop that never ends; a queue of which
//! nothing is done.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::sent::Stop;
use super::super::syntax::{
    Binding, Call, Def, Expr, ExprKind, Module, Param, Place, Statement, StatementKind,
};
use super::super::text::{above, after, free_name, indent_at, lines_of, unit};
use super::super::value::{DefId, Env, Value};
use super::alone::run_by;
use super::passed_over::passed_over;
use super::signalled::signalled;
use super::unset::mentions;
use super::untold::{flagged, kept_open, starved};

/// Queues between processes whose items a thread pickles, and which may be full.
pub(in super::super) const QUEUES: [&str; 2] =
    ["multiprocessing.Queue", "multiprocessing.JoinableQueue"];
/// What asks how much is there by now, or does not wait.
const ASKS: [&str; 5] = [".empty(", ".qsize(", "_nowait(", "get(False", "timeout"];

/// What leaves a loop, or ends its process.
pub(super) const ENDS: [&str; 6] = ["break", "return", "raise", "assert", "exit", "_exit"];
pub(super) const ENDED: [&str; 2] = [".terminate(", ".kill("];

/// Finds the `join()` of the last frame, if its function reads a queue that processes were given below it alone.
pub(in super::super) fn joined(eval: &Eval, frames: &Frames, is_spawned: bool) -> Option<Found> {
    let stops = eval.stops(frames);
    let Stop { env, statement } = stops.last()?;
    let id = env.at.module;
    let module = eval.project.module(id);
    let def = &module.defs[env.at.def];
    let joins = |c: &&Rc<Call>| c.func.is_attribute("join") && c.args.is_empty();
    let mut calls = statement.calls();
    let call = calls.find(joins)?;
    let process = eval.eval(call.method()?.0, env);
    let waiting = starved(eval, env.at, &process)
        .or_else(|| flagged(eval, &process))
        .or_else(|| kept_open(eval, env.at, &process).filter(|_| !is_spawned));
    if waiting.is_some() {
        return waiting;
    }
    let whole = outermost(def, statement);
    if let Some(found) = signalled(eval, env, &process, (call, whole)) {
        return Some(found);
    }
    let reads: Vec<(&Statement, String)> = (def.statements.iter())
        .filter_map(|s| Some((s, read(eval, &module, s, env)?)))
        .collect();
    let is_below = |(first, _): &(&Statement, String)| first.at.start >= whole.at.end;
    let is_read_below = reads.first().is_some_and(is_below);
    if let Some(found) = unending(eval, env, (call, statement), is_read_below) {
        return Some(found);
    }
    let (_, queue) = reads.first()?;
    let is_given = |c: &Rc<Call>| {
        let mut args = c.args.iter().flat_map(|a| a.value.walk());
        // `args=(queue,)`, or `target=self.solve` of an object that has it
        let own = queue.split_once('.').map(|(own, _)| own);
        let has = |e: &Rc<Expr>| {
            e.dotted().as_deref() == Some(queue) || own.is_some_and(|own| e.is_name(own))
        };
        c.at.end <= whole.at.start && args.any(has)
    };
    let is_below = is_read_below && reads.iter().all(|(_, q)| q == queue);
    // What this function puts itself is for the processes to take.
    let has_tasks = puts(&module, env.at.def, Some(queue));
    let mut others = eval.project.defs().filter(|(at, _)| *at != env.at);
    if has_tasks || !others.any(|(at, module)| puts(&module, at.def, None)) {
        return None;
    }
    if !is_below || !def.calls().any(is_given) {
        return None;
    }
    let last = outermost(def, reads.last()?.0);
    Some(Found::certain(
        format!("{}()", module.slice(call.func.at)),
        format!("which stands above `{queue}.get()`"),
        (id, statement.at),
        moved(&module, def, (whole, last), queue),
    ))
}

/// Returns the outermost loop that a statement is in, or itself.
pub(super) fn outermost<'d>(def: &'d Def, of: &'d Statement) -> &'d Statement {
    def.loops(of.at)
        .max_by_key(|s| s.at.end - s.at.start)
        .unwrap_or(of)
}

/// Returns the queue from which a statement takes something.
fn read(eval: &Eval, module: &Module, statement: &Statement, env: &Env) -> Option<String> {
    let mut calls = statement.calls();
    calls.find_map(|call| {
        let (of, method) = call.method()?;
        let is_it = method.starts_with("get") && is_queue(&eval.eval(of, env));
        is_it.then(|| module.slice(of.at).to_owned())
    })
}

/// Returns whether a value may be a queue between processes.
fn is_queue(value: &Value) -> bool {
    let is_it = |v: &Value| matches!(v, Value::Made(made) if QUEUES.contains(&&*made.of));
    value.may_be(is_it)
}

/// Returns whether a function puts something into a queue, or into the one of this path.
fn puts(module: &Module, def: usize, queue: Option<&str>) -> bool {
    let mut calls = module.defs[def].calls();
    calls.any(|call| {
        let of = call.method().filter(|(_, name)| name.starts_with("put"));
        of.is_some_and(|(of, _)| queue.is_none_or(|queue| module.slice(of.at) == queue))
    })
}

/// Moves it below the last statement that reads the queue, where that waits for all that is put, and nothing between
/// them needs what the processes have done.
fn moved(
    module: &Module,
    def: &Def,
    (join, last): (&Statement, &Statement),
    queue: &str,
) -> Planned {
    let indent = indent_at(module, join.at.start);
    let lines_at = |at: Place| -> Vec<String> {
        let lines = module.slice(at).lines();
        lines
            .map(|l| l.strip_prefix(&*indent).unwrap_or(l).to_owned())
            .collect()
    };
    let lines = lines_at(join.at);
    let between = &module.code[join.at.end as usize..last.at.end as usize];
    let is_whole = lines.len() == if join.is_loop() { 2 } else { 1 };
    if !is_whole || join.suite != last.suite {
        return Err("what belongs above it is for its author to say".to_owned());
    }
    if ASKS.iter().any(|ask| between.contains(ask)) {
        let text = "Read the queue first, as often as the processes put something: a process ends when all is read, and `empty()` does not know what is still to come:";
        let code = format!("{queue}.get()  # for each of them\n{}", lines.join("\n"));
        return Ok(Plan::new(module.id, text, code, Vec::new()));
    }
    let code = [lines_at(last.at), lines.clone()].concat().join("\n");
    let is_between = |s: &&Statement| {
        s.suite == join.suite && s.at.start >= join.at.end && s.at.end < last.at.start
    };
    let is_idle = |s: &Statement| {
        s.kind == StatementKind::Assign && s.exprs.iter().all(|e| e.calls().next().is_none())
    };
    let mut edits = vec![
        Edit::replace(lines_of(module, join.at), ""),
        after(module, last.at.end as usize, &indent, &lines),
    ];
    if !def.statements.iter().filter(is_between).all(is_idle) {
        edits.clear();
    }
    let text = "Read the queue before `join()`: a process ends when all that it put is read:";
    Ok(Plan::new(module.id, text, code, edits))
}

/// Finds the endless loop of the process that a statement joins, where the program waits for its end: it has given
/// all tasks, or reads below what came of them.
fn unending(
    eval: &Eval,
    env: &Env,
    (call, statement): (&Call, &Statement),
    is_read_below: bool,
) -> Option<Found> {
    let process = eval.eval(call.method()?.0, env);
    let id = run_by(eval, &process)?;
    let module = eval.project.module(env.at.module);
    let own = eval.project.module(id.module);
    let task = &own.defs[id.def];
    let asks = |s: &Statement| {
        own.slice(s.head)
            .trim_end_matches(':')
            .ends_with(".is_set()")
    };
    let is_endless = |s: &&Statement| {
        let head = own.slice(s.head).trim_end_matches(':');
        // What asks an event only does so when something has come.
        let is_open =
            matches!(head, "while True" | "while 1") || asks(s) && !eval.project.says(".put(None");
        is_open && !ENDS.iter().any(|word| mentions(own.code(s.at), word))
    };
    let endless = task.of_kind(StatementKind::While).find(is_endless)?;
    let take = taken(eval, env, call, (&process, id), endless)?;
    let gives_all = puts(&module, env.at.def, Some(&take.path));
    if !is_read_below && !gives_all || ENDED.iter().any(|end| eval.project.says(end)) {
        return None;
    }
    Some(Found::certain(
        format!("{}()", task.qualname),
        if asks(endless) {
            format!("whose loop waits in `{}`", take.get)
        } else {
            "whose loop never ends".to_owned()
        },
        (id.module, endless.at),
        Ok(left(
            eval,
            env,
            statement,
            (&process, id),
            (&take, gives_all),
        )),
    ))
}

/// How a loop takes something from a queue.
struct Take {
    /// The statement.
    statement: Statement,
    /// The call in it, as it is written.
    get: String,
    /// The queue, as the loop's function calls it.
    queue: String,
    /// The same, as the joining function does.
    path: String,
}

/// Finds where the loop of a process takes something from a queue that the joining function has, too.
fn taken(
    eval: &Eval,
    env: &Env,
    call: &Call,
    (process, id): (&Value, DefId),
    endless: &Statement,
) -> Option<Take> {
    let module = eval.project.module(env.at.module);
    let own = eval.project.module(id.module);
    let task = &own.defs[id.def];
    let receiver = call.method()?.0;
    let asked = |of: &Rc<Expr>| -> Option<(String, Value)> {
        let param = |p: &Param| of.is_name(&p.name);
        let at = task.params.iter().position(param);
        if let (Some(at), Value::Made(made)) = (at, process) {
            let ExprKind::Items(items) = &made.call.labelled("args")?.value.kind else {
                return None;
            };
            let given = items.get(at)?;
            return Some((given.dotted()?, eval.eval(given, &made.env)));
        }
        let own = process
            .instance()
            .map_or("self", |_| module.slice(receiver.at));
        let path = of.dotted()?.replacen("self", own, 1);
        Some((path, eval.eval(of, &eval.scope(id))))
    };
    let mut takes = task.statements.iter().filter(|s| endless.at.holds(s.at));
    takes.find_map(|statement| {
        let mut calls = statement.calls();
        let get = calls.find(|c| c.func.is_attribute("get") && c.args.is_empty())?;
        let of = get.method()?.0;
        let (path, queue) = asked(of)?;
        is_queue(&queue).then(|| Take {
            statement: statement.clone(),
            get: own.slice(get.at).to_owned(),
            queue: own.slice(of.at).to_owned(),
            path,
        })
    })
}

/// Lets each process leave its loop at a `None`, which is put above the statement that joins it.
fn left(
    eval: &Eval,
    env: &Env,
    statement: &Statement,
    (process, id): (&Value, DefId),
    (take, gives_all): (&Take, bool),
) -> Plan {
    let module = eval.project.module(env.at.module);
    let own = eval.project.module(id.module);
    let task = &own.defs[id.def];
    let (taken, get, path) = (&take.statement, &*take.get, &take.path);
    let mut bound = task.bound_at(taken.at);
    let item = bound.find_map(|b| b.named_value().filter(|(_, v)| own.slice(v.at) == get));
    let name = item.map_or_else(|| free_name(&own, "item"), |(name, _)| name.to_string());
    let (def, unit) = (&module.defs[env.at.def], unit(&own, task));
    let whole = outermost(def, statement);
    let lines: Vec<&str> = module.slice(whole.at).lines().collect();
    let is_loop = whole.kind == StatementKind::For && lines.len() == 2;
    let mut leave = vec![format!("if {name} is None:"), format!("{unit}break")];
    let taking = own.slice(taken.at);
    // `a, b = tasks.get()`, `work(tasks.get())`
    if item.is_none() {
        leave.push(taking.replacen(get, &name, 1));
    }
    let first = item.map_or_else(|| format!("{name} = {get}"), |_| taking.to_owned());
    let mut put = vec![format!("{path}.put(None)")];
    if is_loop {
        put = vec![lines[0].to_owned(), format!("{unit}{}", put[0])];
    }
    let code = format!(
        "# in `{}`\n{first}\n{}\n\n# above `{}`\n{}",
        task.name,
        leave.join("\n"),
        lines[0],
        put.join("\n"),
    );
    let is_alone = taking.matches(".get()").count() == 1
        && taken.at == taken.head
        && !taking.contains('\n')
        && id.module == env.at.module
        && gives_all
        && (is_loop || whole.at == statement.at && is_single(process, def))
        && task.loops(taken.at).count() == 1
        && !puts(&own, id.def, Some(&take.queue))
        && is_fed_here(eval, id, env.at)
        && !module.code[whole.at.end as usize..def.at.end as usize].contains(".put(");
    let edits = above(&module, whole.at.start, &put).filter(|_| is_alone);
    let edits = edits.map_or_else(Vec::new, |put| {
        let indent = indent_at(&own, taken.at.start);
        let below = after(&own, taken.at.end as usize, &indent, &leave);
        vec![Edit::replace(taken.at, first), below, put]
    });
    let text = "Put a `None` for each process when all is put, and leave the loop there:";
    Plan::new(env.at.module, text, code, edits)
}

/// Returns whether a function makes a process outside of its loops.
fn is_single(process: &Value, def: &Def) -> bool {
    let mut values = def.bindings.iter().filter_map(Binding::named_value);
    matches!(process, Value::Made(made)
        if values.any(|(_, v)| v.at == made.call.at) && def.loops(made.call.at).next().is_none())
}

/// Returns whether one call makes all processes, of this function, and only the joining one puts what they take.
fn is_fed_here(eval: &Eval, task: DefId, by: DefId) -> bool {
    let made = eval.all_made().filter(|made| made.is_process());
    let run: Vec<_> = made.map(|made| run_by(eval, &Value::Made(made))).collect();
    let mut all = eval.project.defs();
    let is_other = |id: DefId| id != task && id != by;
    run == [Some(task)] && !all.any(|(id, module)| is_other(id) && puts(&module, id.def, None))
}

/// Finds the `join()` of a queue in the last frame, where nothing tells that an item of it is done, or what passes that over.
pub(in super::super) fn undone(eval: &Eval, frames: &Frames) -> Option<Found> {
    let stops = eval.stops(frames);
    let Stop { env, statement } = stops.last()?;
    let mut calls = statement.calls();
    let call = calls.find(|c| c.func.is_attribute("join") && c.args.is_empty())?;
    let (of, _) = call.method()?;
    let is_queue =
        |v: &Value| matches!(v, Value::Made(m) if &*m.of == "multiprocessing.JoinableQueue");
    let joined = eval.eval(of, env).alternatives();
    let joined = joined.iter().find(|v| is_queue(v))?;
    eval.project.add_imports();
    if eval.project.is_cut.get() {
        return None;
    }
    let module = eval.project.module(env.at.module);
    let queue = module.slice(of.at);
    if eval.project.says("task_done") {
        return passed_over(eval, (env.at, call.at), (joined, queue));
    }
    let text = "Tell the queue of each item, where it was taken and is done:";
    let code = format!("item = {queue}.get()\n...\n{queue}.task_done()");
    Some(Found::certain(
        format!("{queue}.join()"),
        "and nothing calls `task_done()`",
        (env.at.module, call.at),
        Ok(Plan::new(env.at.module, text, code, Vec::new())),
    ))
}
