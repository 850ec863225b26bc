//! A daemonic process that starts processes: a pool in a task of a pool.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, call::dropped};
use super::super::eval::Eval;
use super::super::only::only;
use super::super::project::Frames;
use super::super::sent::argument;
use super::super::syntax::Module;
use super::super::text::imported;
use super::super::value::{DefId, Made, Value};

/// What a task does that is of the whole process: threads would do it to each other.
const OF_PROCESS: &str = "global |chdir(|seed(|environ[|environ.update(|putenv(|sys.stdout =|sys.stderr =|redirect_std|\
    signal.|get_event_loop(|catch_warnings(|getpid(";

/// Finds the pool that a task of another pool makes, or the one process that is daemonic.
pub(in super::super) fn daemonic(eval: &Eval, frames: &Frames, of_pool: bool) -> Option<Found> {
    let runs: Vec<DefId> = eval.stops(frames).iter().map(|s| s.env.at).collect();
    let is_daemon = |made: &Rc<Made>| {
        let module = eval.project.module(made.env.at.module);
        let given = made.call.labelled("daemon");
        let target = || argument(&made.call, 1, "target");
        let failed = || {
            let target = eval.eval(&target()?.value, &made.env);
            target.function().map(|f| runs.contains(&f.id))
        };
        made.is_process()
            && given.is_some_and(|a| module.slice(a.value.at) == "True")
            && failed() == Some(true)
    };
    let made: Vec<Rc<Made>> = if of_pool {
        let (stop, _) = eval.innermost(frames)?;
        let calls = stop.statement.calls();
        let made = calls.filter_map(|call| eval.made(call, &stop.env));
        made.filter(|made| &*made.of == "multiprocessing.Pool")
            .collect()
    } else {
        eval.all_made().filter(is_daemon).collect()
    };
    let made = only(made)?;
    let id = made.env.at.module;
    let module = eval.project.module(id);
    let (of, text, edits) = if of_pool {
        (
            "in a task of another pool",
            THREADS,
            threads(eval, &module, &made),
        )
    } else {
        (
            "whose process may start no others",
            JOINED,
            joined(eval, &module, &made),
        )
    };
    let path = module.first_line(made.call.at);
    let at = (id, made.call.at);
    let plan = edits.map(|edits| Plan::of_line(eval, at, text, edits));
    Some(Found::certain(path.to_owned(), of, at, plan))
}

const JOINED: &str = "Leave `daemon=True` out; what is joined needs none, and may have children:";

/// Lets a process have children; its parent waits for it.
fn joined(eval: &Eval, module: &Module, daemon: &Made) -> Result<Vec<Edit>, String> {
    let is_it = |v: &Value| matches!(v, Value::Made(made) if made.place() == daemon.place());
    let mut is_joined = false;
    eval.calls_of("join", &mut |call, env| {
        let of = call.method().map(|(of, _)| eval.eval(of, env));
        is_joined = call.args.is_empty() && of.is_some_and(|of| of.may_be(is_it));
        !is_joined
    });
    if !is_joined {
        return Err(
            "without it the program would wait for the process, which may never end".to_owned(),
        );
    }
    let edit = dropped(module, &daemon.call, "daemon").ok_or("`daemon` is not written there")?;
    Ok(vec![edit])
}

const THREADS: &str = "The outer pool's workers are the parallel part, and may start no processes. `ThreadPool` has the same methods:";

/// Lets threads do what the inner pool does.
fn threads(eval: &Eval, module: &Module, pool: &Made) -> Result<Vec<Edit>, String> {
    let args = &pool.call.args;
    let is_count = |label: Option<&str>| label.is_none_or(|label| label == "processes");
    if args.len() > 1 || !args.iter().all(|a| is_count(a.label.as_deref())) {
        return Err("the inner pool is given more than a number".to_owned());
    }
    if let Some(word) = OF_PROCESS.split('|').find(|word| eval.project.says(word)) {
        let word = word.trim_end_matches(['(', '[', ' ', '=', '.']);
        return Err(format!("the program says `{word}`, which threads share"));
    }
    let (threads, import) = imported(module, "multiprocessing.pool", "ThreadPool");
    let edit = Edit::replace(pool.call.func.at, threads);
    Ok(std::iter::once(edit).chain(import).collect())
}
