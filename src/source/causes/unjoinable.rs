//! A queue that does not count its tasks, and is told that one is done: `queue.task_done()` of a `multiprocessing.Queue`.

use std::rc::Rc;

use super::super::answer::Found;
use super::super::change::{Plan, Planned, known};
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::syntax::{Expr, Place};
use super::super::value::{DefId, Made, Value};
use super::passed_over::{is_same, puts_none, ways};

/// Finds the queue on which the statement of the last frame calls a method that it does not have.
pub(in super::super) fn unjoinable(eval: &Eval, frames: &Frames, method: &str) -> Option<Found> {
    let stops = eval.stops(frames);
    let stop = stops.last()?;
    let mut calls = stop.statement.calls();
    let call = calls.find(|c| c.func.is_attribute(method))?;
    let of = call.method()?.0;
    let values = known(eval, of, &stop.env);
    let [Value::Made(made)] = values.as_slice() else {
        return None;
    };
    let queue = &values[0];
    (&*made.of == "multiprocessing.Queue").then(|| {
        let module = eval.project.module(stop.env.at.module);
        Found::certain(
            module.slice(of.at).to_owned(),
            "a multiprocessing.Queue",
            made.place(),
            counting(eval, queue, made),
        )
    })
}

/// Makes it one that counts them.
fn counting(eval: &Eval, queue: &Value, made: &Made) -> Planned {
    let calls = |wanted: &'static str| {
        let mut found = Vec::new();
        for (id, module) in eval.project.defs() {
            let calls = module.defs[id.def].calls();
            for call in calls.filter(|c| c.func.is_attribute(wanted)) {
                let of = call.method().map(|(of, _)| Rc::clone(of));
                let is_it = |of: &Rc<Expr>| {
                    let values = known(eval, of, &eval.scope(id));
                    values.iter().any(|v| is_same(v, queue))
                };
                let of = of.filter(is_it);
                found.extend(of.map(|of| (id, call.at, module.slice(of.at).to_owned())));
            }
        }
        found
    };
    if calls("task_done").is_empty() {
        return Err("nothing calls `task_done()`, and `join()` would wait for it".to_owned());
    }
    let joins = calls("join");
    let passes_over = |counts_none: bool| {
        let mut all = eval.project.defs();
        all.any(|(id, m)| ways(&m, &m.defs[id.def], counts_none).is_some())
    };
    let counts_none = |(id, at, queue): &(DefId, Place, String)| puts_none(eval, (*id, *at), queue);
    if !joins.is_empty() && passes_over(joins.iter().any(counts_none)) {
        return Err("`join()` would wait for what is taken without `task_done()`".to_owned());
    }
    let text = "Make a queue that counts its tasks:";
    Plan::made_as(eval, made, "JoinableQueue", text)
}
