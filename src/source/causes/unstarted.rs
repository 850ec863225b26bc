//! A queue that is filled before anything that could take from it has started.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::effects::CHANGES;
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::sent::Stop;
use super::super::syntax::{Binding, Call, Def, Module, Place, Statement, StatementKind, Target};
use super::super::text::{indent_at, lines_of, lists};
use super::super::value::Value;
use super::joined::{QUEUES, outermost};

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
pub(in super::super) fn unstarted(eval: &Eval, frames: &Frames) -> Option<Found> {
    let stops = eval.stops(frames);
    let last = stops.last()?;
    let mut calls = last.statement.calls();
    let put = calls.find(|c| c.func.is_attribute("put"))?;
    let (of, _) = put.method()?;
    let is_queue = |v: &Value| matches!(v, Value::Made(m) if QUEUES.contains(&&*m.of));
    if !eval.eval(of, &last.env).may_be(is_queue) {
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
    stops.iter().enumerate().rev().find_map(|(number, stop)| {
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
            swapped(eval, &stops[number..], &module, (def, filling, first)),
        ))
    })
}

/// Returns whether what fills a queue changes more than that in one of its frames: a process that is forked later has
/// it, and one that is started before does not.
fn leaves(eval: &Eval, stops: &[Stop], stop: &Stop, filling: &Statement) -> bool {
    let module = eval.project.module(stop.env.at.module);
    let def = &module.defs[stop.env.at.def];
    let is_first = stop.env.at == stops[0].env.at;
    let whole = if is_first { filling.at } else { def.at };
    let is_within = |at: Place| whole.holds(at);
    let mut bindings = def.bindings.iter().filter(|b| is_within(b.at));
    let is_local = |b: &Binding| matches!(b.target, Target::Name(_));
    let mut all = def.statements.iter().filter(|s| is_within(s.at));
    let sets_global = |s: &Statement| {
        let is_assigned = s.kind == StatementKind::Assign && stop.env.at.def == 0;
        is_assigned || is_first && s.kind == StatementKind::Assign && s.at == filling.at
    };
    let changes = |call: &Rc<Call>| {
        let function = eval.eval(&call.func, &stop.env);
        let function = function.function().map(|f| f.id);
        let is_own = function.is_some_and(|id| !stops.iter().any(|s| s.env.at == id));
        is_own || call.method().is_some_and(|(_, name)| lists(CHANGES, name))
    };
    let mut calls = def.calls();
    let text = module.code(whole);
    ["global ", "nonlocal "]
        .iter()
        .any(|word| text.contains(word))
        || !bindings.all(is_local)
        || all.any(sets_global)
        || calls.any(|call| is_within(call.at) && changes(call))
}

/// Starts the processes above what fills the queue; by itself where one follows the other, and no other queue may be
/// full next.
fn swapped(
    eval: &Eval,
    stops: &[Stop],
    module: &Module,
    (def, filling, starting): (&Def, &Statement, &Statement),
) -> Planned {
    let id = stops[0].env.at.module;
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
    if stops.iter().any(|stop| leaves(eval, stops, stop, filling)) {
        return Err("what fills it changes more, which they may need at their start".to_owned());
    }
    if is_next && limited.count() == 1 {
        let (from, to) = (lines_of(module, starting.at), lines_of(module, filling.at));
        let moved = module.text[from.clone()].to_owned();
        edits.push(Edit::insert(to.start, moved));
        edits.push(Edit::replace(from, ""));
    }
    Ok(Plan::new(id, text, code.join("\n"), edits))
}
