//! A daemonic process that starts processes: a pool in a task of a pool.

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned, call::dropped};
use super::super::eval::Eval;
use super::super::objects::PROCESS;
use super::super::project::ModuleId;
use super::super::syntax::Expr;
use super::super::text::{edited_line, imported};
use super::super::value::Made;

/// What a task does that is of the whole process: threads would do it to each other.
const OF_PROCESS: [&str; 4] = ["global ", "chdir(", "seed(", "environ["];

/// Finds the pool that a task of another pool makes, or the one process that is daemonic.
pub(in super::super) fn daemonic(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    of_pool: bool,
) -> Option<Found> {
    if of_pool {
        let stop = eval.innermost(frames)?;
        let calls = stop.statement.exprs.iter().flat_map(Expr::calls);
        let mut made = calls.filter_map(|call| eval.made(call, &stop.env));
        let pool = made.find(|made| &*made.of == "multiprocessing.Pool")?;
        return Some(found(
            eval,
            &pool,
            "in a task of another pool",
            threads(eval, &pool),
        ));
    }
    let mut daemons = eval.all_made().filter(|made| {
        let module = eval.project.module(made.env.at.module);
        let given = made.call.labelled("daemon");
        &*made.of == PROCESS && given.is_some_and(|a| module.slice(a.value.at) == "True")
    });
    let daemon = daemons.next().filter(|_| daemons.next().is_none())?;
    Some(found(
        eval,
        &daemon,
        "whose process may start no others",
        joined(eval, &daemon),
    ))
}

fn found(eval: &Eval, made: &Made, of: &str, plan: Planned) -> Found {
    let id = made.env.at.module;
    let call = eval.project.module(id).slice(made.call.at).to_owned();
    let path = call.lines().next().unwrap_or_default().to_owned();
    Found::certain(path, of, (id, made.call.at), plan)
}

/// Lets a process have children; its parent waits for it.
fn joined(eval: &Eval, daemon: &Made) -> Planned {
    let module = eval.project.module(daemon.env.at.module);
    if !module.text.contains(".join(") {
        return Err("the program does not wait for the process, which would hold it up".to_owned());
    }
    let edit = dropped(&module, &daemon.call, "daemon").ok_or("`daemon` is not written there")?;
    let edits = vec![edit];
    Ok(Plan {
        text: "Leave `daemon=True` out; what is joined needs none, and may have children:"
            .to_owned(),
        code: edited_line(&module, &edits, daemon.call.at),
        edits,
        module: daemon.env.at.module,
    })
}

/// Lets threads do what the inner pool does.
fn threads(eval: &Eval, pool: &Made) -> Planned {
    let module = eval.project.module(pool.env.at.module);
    let args = &pool.call.args;
    let is_count = |label: Option<&str>| label.is_none_or(|label| label == "processes");
    if args.len() > 1 || !args.iter().all(|a| is_count(a.label.as_deref())) {
        return Err("the inner pool is given more than a number".to_owned());
    }
    if let Some(word) = OF_PROCESS.iter().find(|word| eval.project.says(word)) {
        return Err(format!(
            "the program says `{}`, which threads share",
            word.trim_end_matches(['(', '[', ' '])
        ));
    }
    let (threads, import) = imported(&module, "multiprocessing.pool", "ThreadPool");
    let mut edits = vec![Edit::replace(pool.call.func.at, threads)];
    edits.extend(import);
    Ok(Plan {
        text: "The outer pool's workers are the parallel part, and may start no processes. `ThreadPool` has the same methods:".to_owned(),
        code: edited_line(&module, &edits, pool.call.at),
        edits,
        module: pool.env.at.module,
    })
}
