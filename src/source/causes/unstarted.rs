//! A queue that is filled before anything that could take from it has started.

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::syntax::{Def, Expr, Module, Statement};
use super::super::text::{indent_at, lines_of};
use super::super::value::Value;

/// What starts other takers than those that `start()` does.
const OTHERS: [&str; 8] = [
    "Pool(",
    "Executor(",
    "_executor(",
    "spawn(",
    "fork(",
    "Popen(",
    "thread(",
    "DataLoader(",
];

/// Finds what starts the processes, where all of it stands below the last frame's `put()` into a full queue, or below
/// the call that leads there.
pub(in super::super) fn unstarted(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Found> {
    let stops = eval.stops(frames);
    let last = stops.last()?;
    let mut calls = last.statement.exprs.iter().flat_map(Expr::calls);
    let put = calls.find(|c| c.func.is_attribute("put"))?;
    let (of, _) = put.method()?;
    let is_queue = |v: &Value| matches!(v, Value::Made(m) if QUEUES.contains(&&*m.of));
    if !eval.eval(of, &last.env).alternatives().iter().any(is_queue) {
        return None;
    }
    eval.project.add_imports();
    let mut count = 0;
    eval.project.any(|m| {
        count += m.code.matches(".start(").count();
        false
    });
    if OTHERS.iter().any(|o| eval.project.says(o)) || eval.project.is_cut.get() {
        return None;
    }
    stops.iter().rev().find_map(|stop| {
        let id = stop.env.at.module;
        let module = eval.project.module(id);
        let def = &module.defs[stop.env.at.def];
        let filling = outermost(def, &stop.statement);
        let below: Vec<&Statement> = (def.statements.iter())
            .filter(|s| s.at.start >= filling.at.end && module.code(s.head).contains(".start("))
            .collect();
        let first = outermost(def, below.first()?);
        if below.len() != count {
            return None;
        }
        let queue = eval.project.module(last.env.at.module);
        let queue = queue.slice(of.at);
        Some(Found::certain(
            module.first_line(below[0].at).trim().to_owned(),
            format!("which stands below the `put()` into `{queue}`"),
            (id, below[0].at),
            Ok(swapped(eval, &module, id, (def, filling, first))),
        ))
    })
}

/// Queues that can be full.
const QUEUES: [&str; 2] = ["multiprocessing.Queue", "multiprocessing.JoinableQueue"];

/// Returns the outermost loop that a statement is in, or itself.
fn outermost<'d>(def: &'d Def, of: &'d Statement) -> &'d Statement {
    let around = def.loops(of.at);
    around.max_by_key(|s| s.at.end - s.at.start).unwrap_or(of)
}

/// Starts the processes above what fills the queue; by itself where one follows the other, and no other queue may be
/// full next.
fn swapped(
    eval: &Eval,
    module: &Module,
    id: ModuleId,
    (def, filling, starting): (&Def, &Statement, &Statement),
) -> Plan {
    let lines = |s: &Statement| {
        let indent = indent_at(module, s.at.start);
        let lines = module.slice(s.at).lines();
        lines
            .map(|l| l.strip_prefix(&*indent).unwrap_or(l).to_owned())
            .collect::<Vec<_>>()
    };
    let text = "Start the processes before the queue is filled: `put()` waits while it is full, and nobody takes an item yet:";
    let code = [
        lines(starting),
        lines(filling).into_iter().take(3).collect(),
    ]
    .concat();
    let is_between = |s: &&Statement| {
        s.suite == filling.suite && s.at.start >= filling.at.end && s.at.end <= starting.at.start
    };
    let is_next = starting.suite == filling.suite && !def.statements.iter().any(|s| is_between(&s));
    let limited = eval.all_made().filter(|m| {
        let is_queue = m.of.starts_with("multiprocessing.") && m.of.ends_with("Queue");
        is_queue && !m.call.args.is_empty()
    });
    let mut edits = Vec::new();
    if is_next && limited.count() == 1 {
        let (from, to) = (lines_of(module, starting.at), lines_of(module, filling.at));
        let moved = module.text[from.clone()].to_owned();
        edits.push(Edit::insert(to.start, moved));
        edits.push(Edit::replace(from, ""));
    }
    Plan::new(id, text, code.join("\n"), edits)
}
