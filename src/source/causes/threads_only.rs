//! A queue of the threads of one process, which processes were given: each has a copy of its own.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::syntax::Expr;
use super::super::text::imported;
use super::super::value::Value;
use super::super::walk::Suspect;
use super::alone::Workers;

/// What threads alone share.
const QUEUE: &str = "queue.Queue";
/// What counts on an item to be there as soon as it was put, and what no queue between processes has.
const OF_THREADS: [&str; 6] = [
    ".empty(",
    ".qsize(",
    "_nowait(",
    "block=False",
    ".task_done(",
    ".mutex",
];

/// Finds the queue that the statement of the last frame takes from, among what processes were `given`.
pub(in super::super) fn threads_only(
    eval: &Eval,
    frames: &Frames,
    given: &[Suspect],
) -> Option<Found> {
    let stops = eval.stops(frames);
    let stop = stops.last()?;
    let calls = stop.statement.calls();
    let gets = calls.filter_map(|call| call.method().filter(|(_, name)| name.starts_with("get")));
    let taken_from: Vec<&Rc<Expr>> = gets.map(|(of, _)| of).collect();
    let queues = || given.iter().filter(|s| s.of == QUEUE);
    let values = taken_from.iter().map(|of| eval.eval(of, &stop.env));
    let values: Vec<Value> = values.flat_map(|value| value.alternatives()).collect();
    let made = values.iter().find_map(|value| {
        let Value::Made(made) = value else {
            return None;
        };
        let place = made.place();
        queues().find(|s| (s.module, s.at) == place)
    });
    // A process's function knows it by a parameter.
    let def = &eval.project.module(stop.env.at.module).defs[stop.env.at.def];
    let is_given = || {
        let is_param = |of: &&Rc<Expr>| def.params.iter().any(|p| of.is_name(&p.name));
        values.iter().all(|v| matches!(v, Value::Unknown))
            && taken_from.iter().all(is_param)
            && Workers::of(eval, None).has(eval, stop.env.at)
    };
    let only = || {
        let one = queues().next().filter(|_| is_given())?;
        (queues().count() == 1).then_some(one)
    };
    let queue = made.or_else(only)?;
    Some(Found::certain(
        queue.path.clone(),
        "a queue for threads, given to processes",
        (queue.module, queue.at),
        between_processes(eval, queue, given),
    ))
}

/// Makes all queues that processes were given such that they share.
fn between_processes(eval: &Eval, queue: &Suspect, given: &[Suspect]) -> Planned {
    let id = queue.module;
    let module = eval.project.module(id);
    if let Some(word) = OF_THREADS.iter().find(|word| module.code.contains(*word)) {
        return Err(format!("`{word}` means another thing between processes"));
    }
    let (name, import) = imported(&module, "multiprocessing", "Queue");
    let mut edits: Vec<Edit> = import.into_iter().collect();
    for suspect in given.iter().filter(|s| s.of == QUEUE) {
        let call = module.slice(suspect.at);
        let function = call.split('(').next().unwrap_or_default();
        if suspect.module != id || !function.ends_with("Queue") {
            return Err("they are made in several places".to_owned());
        }
        let at = suspect.at.start as usize;
        let edit = Edit::replace(at..at + function.len(), name.clone());
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    let text = "Make a queue that processes share:";
    Ok(Plan::of_line(eval, (id, queue.at), text, edits))
}
