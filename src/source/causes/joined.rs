//! A process that is joined above what reads its queue: it ends only when that has been read.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::sent::Stop;
use super::super::syntax::{Call, Def, Expr, Module, Place, Statement, StatementKind};
use super::super::text::{after, indent_at, lines_of};
use super::super::value::{Env, Value};

/// What a process that has put something waits for.
const QUEUES: [&str; 2] = ["multiprocessing.Queue", "multiprocessing.JoinableQueue"];
/// What asks how much is there by now, or does not wait.
const ASKS: [&str; 5] = [".empty(", ".qsize(", "_nowait(", "get(False", "timeout"];

/// Finds the `join()` of the last frame, if its function reads a queue that processes were given below it alone.
pub(in super::super) fn joined(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Found> {
    let stops = eval.stops(frames);
    let Stop { env, statement } = stops.last()?;
    let id = env.at.module;
    let module = eval.project.module(id);
    let def = &module.defs[env.at.def];
    let joins = |c: &&Rc<Call>| c.func.is_attribute("join") && c.args.is_empty();
    let mut calls = statement.exprs.iter().flat_map(Expr::calls);
    let call = calls.find(joins)?;
    let whole = outermost(def, statement);
    let reads: Vec<(&Statement, String)> = (def.statements.iter())
        .filter_map(|s| Some((s, read(eval, &module, s, env)?)))
        .collect();
    let (first, queue) = reads.first()?;
    let is_given = |c: &Rc<Call>| {
        let mut args = c.args.iter().flat_map(|a| a.value.walk());
        // `args=(queue,)`, or `target=self.solve` of an object that has it
        let own = queue.split_once('.').map(|(own, _)| own);
        let has = |e: &Rc<Expr>| {
            e.dotted().as_deref() == Some(queue) || own.is_some_and(|own| e.is_name(own))
        };
        c.at.end <= whole.at.start && args.any(has)
    };
    let is_below = first.at.start >= whole.at.end && reads.iter().all(|(_, q)| q == queue);
    // What this function puts itself is for the processes to take.
    let has_tasks = puts(&module, env.at.def, Some(queue));
    let mut others = eval.project.defs().filter(|(at, _)| *at != env.at);
    if has_tasks || !others.any(|(at, module)| puts(&module, at.def, None)) {
        return None;
    }
    if !is_below || !def.exprs().flat_map(Expr::calls).any(is_given) {
        return None;
    }
    let last = outermost(def, reads.last()?.0);
    Some(Found::certain(
        format!("{}()", module.slice(call.func.at)),
        format!("which stands above `{queue}.get()`"),
        (id, statement.at),
        moved(&module, (id, def), (whole, last), queue),
    ))
}

/// Returns the outermost loop that a statement is in, or itself.
fn outermost<'d>(def: &'d Def, of: &'d Statement) -> &'d Statement {
    def.loops(of.at)
        .max_by_key(|s| s.at.end - s.at.start)
        .unwrap_or(of)
}

/// Returns the queue from which a statement takes something.
fn read(eval: &Eval, module: &Module, statement: &Statement, env: &Env) -> Option<String> {
    let is_queue = |v: &Value| matches!(v, Value::Made(made) if QUEUES.contains(&&*made.of));
    let mut calls = statement.exprs.iter().flat_map(Expr::calls);
    calls.find_map(|call| {
        let (of, method) = call.method()?;
        let is_it =
            method.starts_with("get") && eval.eval(of, env).alternatives().iter().any(is_queue);
        is_it.then(|| module.slice(of.at).to_owned())
    })
}

/// Returns whether a function puts something into a queue, or into the one of this path.
fn puts(module: &Module, def: usize, queue: Option<&str>) -> bool {
    let mut calls = module.defs[def].exprs().flat_map(Expr::calls);
    calls.any(|call| {
        let of = call.method().filter(|(_, name)| name.starts_with("put"));
        of.is_some_and(|(of, _)| queue.is_none_or(|queue| module.slice(of.at) == queue))
    })
}

/// Moves it below the last statement that reads the queue, where that waits for all that is put, and nothing between
/// them needs what the processes have done.
fn moved(
    module: &Module,
    (id, def): (ModuleId, &Def),
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
        return Ok(Plan::new(id, text, code, Vec::new()));
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
    Ok(Plan::new(id, text, code, edits))
}
