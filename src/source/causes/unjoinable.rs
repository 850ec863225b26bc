//! A queue that does not count its tasks, and is told that one is done: `queue.task_done()` of a `multiprocessing.Queue`.

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned, known};
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::syntax::{Expr, ExprKind};
use super::super::text::imported;
use super::super::value::{Made, Value};

/// Finds the queue on which the statement of the last frame calls a method that it does not have.
pub(in super::super) fn unjoinable(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    method: &str,
) -> Option<Found> {
    let stops = eval.stops(frames);
    let stop = stops.last()?;
    let mut calls = stop.statement.exprs.iter().flat_map(Expr::calls);
    let call = calls.find(|c| c.func.is_attribute(method))?;
    let of = call.method()?.0;
    let values = known(eval, of, &stop.env);
    let [Value::Made(made)] = values.as_slice() else {
        return None;
    };
    (&*made.of == "multiprocessing.Queue").then(|| {
        let module = eval.project.module(stop.env.at.module);
        Found::certain(
            module.slice(of.at).to_owned(),
            "a multiprocessing.Queue",
            (made.env.at.module, made.call.at),
            counting(eval, made),
        )
    })
}

/// Makes it one that counts them.
fn counting(eval: &Eval, made: &Made) -> Planned {
    const NAME: &str = "JoinableQueue";
    if !eval.project.says(".task_done(") {
        return Err("nothing calls `task_done()`, and `join()` would wait for it".to_owned());
    }
    let id = made.env.at.module;
    let module = eval.project.module(id);
    let func = &made.call.func;
    let edits = match &func.kind {
        // `mp.Queue`, `context.Queue`
        ExprKind::Attribute(base, _) => {
            vec![Edit::replace(
                base.at.end as usize..func.at.end as usize,
                format!(".{NAME}"),
            )]
        }
        ExprKind::Name(_) => {
            let (name, import) = imported(&module, "multiprocessing", NAME);
            let edit = Edit::replace(func.at, name);
            std::iter::once(edit).chain(import).collect()
        }
        _ => return Err("the call that makes it is of another form".to_owned()),
    };
    let text = "Make a queue that counts its tasks:";
    Ok(Plan::of_line(eval, (id, made.call.at), text, edits))
}
