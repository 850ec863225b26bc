//! A lock that a process takes while it holds it: `with self.lock:` in a method that is called below another one.

use std::rc::Rc;

use super::super::answer::Found;
use super::super::change::{Plan, Planned, known};
use super::super::eval::Eval;
use super::super::only::only;
use super::super::project::Frames;
use super::super::sent::Stop;
use super::super::syntax::{Call, Expr, ExprKind, Place, Statement, StatementKind};
use super::super::value::{Made, Value};
use super::got::argument_of;

/// What only its holder takes twice without waiting for itself has another name.
const LOCK: &str = "multiprocessing.Lock";

/// Finds the lock that the last frame waits for, and that one before it holds.
pub(in super::super) fn retaken(eval: &Eval, frames: &Frames) -> Option<Found> {
    let stops = eval.stops(frames);
    let (last, before) = stops.split_last()?;
    // The child of a fork waits for what its parent holds.
    if eval.project.says("os.fork(") {
        return None;
    }
    let (waited, lock) = taken(eval, &stops, &last.statement)?;
    let is_one = is_made_once(eval, &lock);
    let (number, at) = before.iter().enumerate().rev().find_map(|(number, stop)| {
        let module = eval.project.module(stop.env.at.module);
        let within = stop.statement.at;
        let with = module.defs[stop.env.at.def].of_kind(StatementKind::With);
        // `lock.release()` within its block.
        let is_released = |s: &&Statement| {
            let before = Place::new(s.head.end, within.start);
            module.code(before).contains(".release(")
        };
        let around = with.filter(|s| s.at.holds(within) && s.at != within);
        let mut around = around.filter(|s| !is_released(s));
        let holds = |s: &&Statement| {
            taken(eval, &stops[..=number], s).is_some_and(|(text, held)| {
                held.place() == lock.place()
                    && (is_one || text == waited && is_own(eval, &stops[number..]))
            })
        };
        around.find(holds).map(|s| (number, s.head))
    })?;
    let module = eval.project.module(before[number].env.at.module);
    let by = &module.defs[before[number].env.at.def].qualname;
    Some(Found::certain(
        waited,
        format!("which {by}() holds"),
        (before[number].env.at.module, at),
        again(eval, &lock),
    ))
}

/// Returns the lock that a statement of the last frame takes, and its name there.
fn taken(eval: &Eval, stops: &[Stop], statement: &Statement) -> Option<(String, Rc<Made>)> {
    let lock = only(&statement.exprs)?;
    let values = value(eval, stops, lock);
    let [Value::Made(made)] = values.as_slice() else {
        return None;
    };
    let is_lock = &*made.of == LOCK && statement.kind == StatementKind::With;
    is_lock.then_some((lock.dotted()?, Rc::clone(made)))
}

/// Returns what an expression of the last frame is, as the frames before have given it.
fn value(eval: &Eval, stops: &[Stop], expr: &Rc<Expr>) -> Vec<Value> {
    let Some((last, before)) = stops.split_last() else {
        return Vec::new();
    };
    let values = known(eval, expr, &last.env);
    let ExprKind::Name(name) = &expr.kind else {
        return values;
    };
    let is_told = values.iter().any(|v| !matches!(v, Value::Unknown));
    let given = before.last().filter(|_| !is_told);
    let given =
        given.and_then(|caller| Some((caller, argument_of(eval, caller, last.env.at, name)?)));
    let Some((caller, (_, _, given))) = given else {
        return values;
    };
    let mut names = caller.statement.walk();
    let named = names.find(|e| e.is_name(&given));
    named.map_or(values, |e| value(eval, before, e))
}

/// Returns whether the program makes one such lock: in no class, in no loop, and in no function that gives it.
fn is_made_once(eval: &Eval, made: &Made) -> bool {
    let of = made.env.at;
    let module = eval.project.module(of.module);
    let def = &module.defs[of.def];
    !module.is_method(def) && def.returns.is_empty() && !def.repeats(made.call.at)
}

/// Returns whether each frame calls the next one's method on its own object: `self.log()`.
fn is_own(eval: &Eval, stops: &[Stop]) -> bool {
    stops.windows(2).all(|pair| {
        let [from, to] = pair else { return false };
        let module = eval.project.module(from.env.at.module);
        let own = module.own_name(&module.defs[from.env.at.def]);
        let called = eval.project.module(to.env.at.module);
        let name = &called.defs[to.env.at.def].name;
        let calls_it = |call: &Rc<Call>| {
            let (of, method) = call.method()?;
            (method == name).then(|| own.is_some_and(|own| of.is_name(own)))
        };
        let calls = from.statement.calls();
        let found: Vec<bool> = calls.filter_map(calls_it).collect();
        !found.is_empty() && found.iter().all(|is_own| *is_own)
    })
}

/// Makes it one that its holder can take again.
fn again(eval: &Eval, made: &Made) -> Planned {
    if eval.project.says(".release(") {
        return Err("an `RLock` is released by its holder alone".to_owned());
    }
    if eval.project.says(".acquire(") {
        return Err("an `RLock` is free for its holder".to_owned());
    }
    if eval.project.says("signal.signal(") {
        return Err(
            "a handler of signals may come in the middle of what it keeps whole".to_owned(),
        );
    }
    let text = "Make a lock that its holder can take again:";
    Plan::made_as(eval, made, "RLock", text)
}
