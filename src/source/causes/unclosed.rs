//! A pool that is joined while it still takes tasks.

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::sent::Stop;
use super::super::syntax::{Def, Kind, Module, Statement, StatementKind};
use super::super::text::above;

/// Finds the `pool.join()` of the last frame.
pub(in super::super) fn unclosed(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Found> {
    let stops = eval.stops(frames);
    let Stop { env, statement } = stops.last()?;
    let id = env.at.module;
    let module = eval.project.module(id);
    let [expr] = statement.exprs.as_slice() else {
        return None;
    };
    let call = expr.call()?;
    let (base, method) = call.method()?;
    let pool = base.dotted().filter(|_| &**method == "join")?;
    Some(Found::certain(
        pool.clone(),
        "which still takes tasks",
        (id, statement.at),
        closed(&module, id, statement, &pool),
    ))
}

/// What is in the names of methods after which nothing more is done.
const ENDS: [&str; 7] = [
    "close", "end", "exit", "finish", "shutdown", "stop", "__del__",
];

/// Closes the pool on the line above.
fn closed(module: &Module, id: ModuleId, statement: &Statement, pool: &str) -> Planned {
    let close = format!("{pool}.close()");
    // In a loop, or in front of more tasks, it would be closed too early.
    let again = ["apply", "map", "starmap", "imap"].map(|m| format!("{pool}.{m}"));
    let mut defs = module.defs.iter();
    let loops = defs.any(|d| d.loops(statement.at).next().is_some());
    let rest = &module.code[statement.at.end as usize..];
    // A pool that an object keeps may be given tasks again by its other methods.
    let functions = module.defs.iter().filter(|d| d.kind == Kind::Function);
    let (own, others): (Vec<&Def>, Vec<&Def>) = functions.partition(|d| d.at.holds(statement.at));
    let ends = own
        .iter()
        .any(|d| ENDS.iter().any(|end| d.name.contains(end)));
    let submits = |d: &&Def| again.iter().any(|a| module.code(d.at).contains(a.as_str()));
    let is_kept = pool.contains('.') && !ends && others.iter().any(submits);
    if loops || is_kept || again.iter().any(|a| rest.contains(a.as_str())) {
        return Err("the pool is used again after it".to_owned());
    }
    let edit = above(module, statement.at.start, &[&close])
        .filter(|_| statement.kind == StatementKind::Expr && !module.has_errors)
        .ok_or("it does not stand on a line of its own")?;
    let text = "Call `close()` before `join()`: the workers then end when the tasks are done:";
    let code = format!("{close}\n{}", module.slice(statement.at));
    Ok(Plan::new(id, text, code, vec![edit]))
}
