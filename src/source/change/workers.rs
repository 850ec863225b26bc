//! What runs in workers: what is sent, what processes are started with, and all that these call; what these would miss
//! that a plan leaves out, and the queue of threads by which they are told something.

use crate::python_name::places_of;
use crate::traceback::facts::Via;

use super::super::eval::Eval;
use super::super::instance::Line;
use super::super::objects::PROCESS;
use super::super::sent::{Pickler, Sending};
use super::super::syntax::{Expr, ExprKind, Kind};
use super::super::value::{DefId, Value};
use super::super::walk::{Holder, Suspect};
use super::Plan;

/// The most functions of workers that are looked at.
const MAX_FUNCTIONS: usize = 100;
/// The most arguments that are looked at for callbacks.
const MAX_ITEMS: usize = 16;

/// What gives tasks to other processes.
pub(in super::super) const POOLS: [&str; 2] = [
    "multiprocessing.Pool().",
    "concurrent.futures.ProcessPoolExecutor().",
];

/// What takes a task of joblib's.
pub(in super::super) const DELAYED: &str = "joblib.delayed";

/// A function that runs in a worker, and the one that is sent and leads to it.
pub(in super::super) type Worker = (DefId, DefId);

/// Returns the functions that run in workers.
pub(in super::super) fn workers(
    eval: &Eval,
    sendings: &[Sending],
    class: Option<DefId>,
) -> Vec<Worker> {
    let mut tasks = Vec::new();
    for part in sendings.iter().flat_map(|s| &s.parts) {
        runs(eval, &eval.force(&part.value), &mut tasks);
    }
    starts(eval, &mut tasks);
    let mut all: Vec<Worker> = tasks.into_iter().map(|id| (id, id)).collect();
    let mut at = 0;
    while at < all.len().min(MAX_FUNCTIONS) {
        let (id, task) = all[at];
        for next in called(eval, id, class) {
            if !all.iter().any(|(known, _)| *known == next) {
                all.push((next, task));
            }
        }
        at += 1;
    }
    all
}

/// Adds the functions that a value runs in a worker: `work`, `stats.work`, `partial(work, 3)`.
fn runs(eval: &Eval, value: &Value, found: &mut Vec<DefId>) {
    for value in value.alternatives() {
        match value {
            Value::Function(function) | Value::Method(_, function) => add(found, function.id),
            Value::Made(made) if &*made.of == "functools.partial" => {
                if let Some(first) = made.call.args.first() {
                    runs(eval, &eval.eval(&first.value, &made.env), found);
                }
            }
            Value::Made(made) if made.of.starts_with("dask.delayed") => {
                if let Some(from) = &made.from {
                    runs(eval, from, found);
                }
                for arg in &made.call.args {
                    runs(eval, &eval.eval(&arg.value, &made.env), found);
                }
            }
            // A callback among the arguments.
            Value::Items(items) => {
                for (_, later) in items.iter().take(MAX_ITEMS) {
                    if let Some(f) = eval.force(later).function() {
                        add(found, f.id);
                    }
                }
            }
            Value::Instance(instance) => {
                let line = eval.line(instance.class, &instance.class_env);
                runs_itself(eval, &line, found);
                for name in ["__call__", "__getitem__", "__iter__"] {
                    if let Some(method) = eval.method(&line, name) {
                        add(found, method.id);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Adds the `run` of a class of processes.
fn runs_itself(eval: &Eval, line: &Line, found: &mut Vec<DefId>) {
    if line.derives_from(PROCESS)
        && let Some(run) = eval.method(line, "run")
    {
        add(found, run.id);
    }
}

fn add(found: &mut Vec<DefId>, id: DefId) {
    if !found.contains(&id) {
        found.push(id);
    }
}

/// Adds what other processes are started with, or given to do: `Process(target=work)`, `initializer=init`,
/// `pool.map(work, items)`, `DataLoader(images, num_workers=2)`.
fn starts(eval: &Eval, found: &mut Vec<DefId>) {
    for (id, module) in eval.project.defs() {
        if module.defs[id.def].kind == Kind::Class {
            runs_itself(eval, &eval.line_of(id), found);
        }
    }
    for made in eval.all_made() {
        let is_pool = POOLS.iter().any(|pool| made.of.starts_with(pool));
        let read = made.call.labelled("num_workers").map(|a| &a.value);
        let at = |e: &Expr| eval.project.module(made.env.at.module).slice(e.at) != "0";
        let is_loader = &*made.of == "torch.utils.data.DataLoader" && read.is_some_and(|e| at(e));
        let is_task = is_pool || is_loader || &*made.of == DELAYED;
        for (number, arg) in made.call.args.iter().enumerate() {
            let is_started = match arg.label.as_deref() {
                Some("initializer") => true,
                Some("target") => made.is_process(),
                Some("dataset" | "collate_fn") => is_loader,
                None => is_task && number == 0,
                _ => false,
            };
            if is_started {
                runs(eval, &eval.eval(&arg.value, &made.env), found);
            }
        }
    }
}

/// Returns the functions that one calls; what is called on an unknown object may be a method of the class.
fn called(eval: &Eval, id: DefId, class: Option<DefId>) -> Vec<DefId> {
    let module = eval.project.module(id.module);
    let line = class.map(|class| eval.line_of(class));
    let mut found = Vec::new();
    let all = module.defs();
    for (number, def) in all.filter(|(_, d)| module.defs[id.def].at.holds(d.at)) {
        let env = eval.scope(id.beside(number));
        for call in def.calls() {
            for func in eval.eval(&call.func, &env).alternatives() {
                match (&func, &call.func.kind) {
                    (Value::Function(f) | Value::Method(_, f), _) => found.push(f.id),
                    (Value::Unknown | Value::Outside(_, Some(_)), ExprKind::Attribute(_, name)) => {
                        let line = line.as_ref();
                        let method = line.and_then(|line| eval.method(line, name));
                        found.extend(method.map(|m| m.id));
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

/// Returns why workers cannot do without what the plan leaves out of objects of a class.
pub(in super::super) fn missed(
    eval: &Eval,
    sendings: &[Sending],
    plan: &Plan,
    class: Option<DefId>,
) -> Option<String> {
    if sendings.iter().all(|s| s.pickler == Pickler::Copy) {
        return None;
    }
    let workers = workers(eval, sendings, class);
    let says = |words: String| eval.project.says(&words);
    let set = plan
        .code
        .lines()
        .filter_map(|l| l.trim().strip_prefix("self.")?.split_once(" = "));
    let mut lacking = set.filter_map(|(name, value)| match value {
        // `if self.pool is not None:`
        "None" => {
            let asks = [
                format!("self.{name} is"),
                format!("if self.{name}:"),
                format!("not self.{name}"),
            ];
            (!asks.into_iter().any(says)).then_some((name, "be `None`"))
        }
        _ => value
            .trim_start_matches("threading.")
            .starts_with("Thread(")
            .then_some((name, "not run")),
    });
    lacking.find_map(|(name, how)| {
        let starts = format!(".{name}.start(");
        let texts = workers.iter().map(|(id, _)| {
            let module = eval.project.module(id.module);
            let def = &module.defs[id.def];
            (def.name.clone(), module.code(def.at).to_owned())
        });
        let is_used = |text: &str| {
            places_of(text, name).any(|at| {
                let rest = text[at + name.len()..].trim_start();
                text[..at].ends_with('.') && (!rest.starts_with('=') || rest.starts_with("=="))
            })
        };
        let texts: Vec<_> = texts.collect();
        let is_started = how == "not run" && texts.iter().any(|(_, text)| text.contains(&starts));
        let (task, _) = texts
            .iter()
            .find(|(_, text)| !is_started && is_used(text))?;
        Some(format!("`{task}` uses `{name}`, which would {how} there"))
    })
}

/// What only a queue in the same process has.
const ONLY_IN_THREADS: [&str; 8] = [
    "queue",
    "mutex",
    "unfinished_tasks",
    "maxsize",
    "not_empty",
    "not_full",
    "all_tasks_done",
    "shutdown",
];

/// Returns whether a queue leads from the program to its workers, or through a pool from these to the program.
pub(super) fn leads_across(eval: &Eval, suspect: &Suspect, via: Option<Via>) -> bool {
    let Some(holder) = suspect.holder.as_ref().filter(|h| h.is_itself) else {
        return false;
    };
    let name = &holder.attribute;
    let uses = uses(eval, holder);
    let is_opened = || {
        let says = |inner: &&str| eval.project.says(&format!(".{name}.{inner}"));
        ONLY_IN_THREADS.iter().any(says)
    };
    // What asks for its type, or puts what cannot be sent.
    let own = format!(".{name}.put");
    let is_tied = |line: &str| {
        line.contains("isinstance(") && line.contains("Queue")
            || line.contains(&own) && line.contains("lambda")
    };
    let is_tied = || eval.project.any(|m| m.code.lines().any(is_tied));
    let is_fed = || uses("put", false) && uses("get", true);
    let gives = || uses("put", true) && uses("get", false);
    suspect.of == "queue.Queue"
        && !is_opened()
        && !is_tied()
        && match via {
            Some(Via::Process) => {
                let is_one_way = || !uses("put", false) && !uses("get", true);
                is_fed() && !uses("put", true) || gives() && is_one_way()
            }
            Some(Via::Pool | Via::Executor) => is_fed() || gives(),
            _ => false,
        }
}

/// Returns whether functions of workers, or others, call a method of an attribute.
fn uses(eval: &Eval, holder: &Holder) -> impl Fn(&str, bool) -> bool {
    let name = &holder.attribute;
    let all = workers(eval, &[], Some(holder.class));
    move |method, by_worker| {
        let call = format!(".{name}.{method}");
        eval.project.defs().any(|(id, module)| {
            let def = &module.defs[id.def];
            let is_worker = |id: DefId| all.iter().any(|(known, _)| *known == id);
            def.kind == Kind::Function
                && is_worker(id) == by_worker
                && module.code(def.at).contains(&call)
        })
    }
}

/// Returns whether a process that is given a queue may wait for its reader, who waits for the process: it ends when all
/// that it put is read, and what asks how much is there may come too early.
pub(super) fn is_read_late(eval: &Eval, suspect: &Suspect) -> bool {
    let Some(holder) = suspect.holder.as_ref() else {
        return false;
    };
    let gets = format!(".{}.get", holder.attribute);
    let reads_first = |text: &str| {
        let before = text.split(&gets).next().unwrap_or_default();
        before.contains(".start(") && !before.contains(".join(") && !text.contains("timeout")
    };
    let is_reader = |text: &str| text.contains(&gets);
    uses(eval, holder)("put", true)
        && (is_asked_early(eval, suspect)
            || eval.project.defs().any(|(id, module)| {
                let def = &module.defs[id.def];
                let text = module.code(def.at);
                def.kind == Kind::Function && is_reader(text) && !reads_first(text)
            }))
}

/// Returns whether something asks how much is in a queue: what was put between processes is there a little later.
pub(super) fn is_asked_early(eval: &Eval, suspect: &Suspect) -> bool {
    let attribute = suspect.holder.as_ref().map(|h| &h.attribute);
    let takes = attribute.map(|name| format!(".{name}.get_nowait("));
    takes.is_some_and(|takes| eval.project.says(&takes))
        || [".empty(", ".qsize("]
            .iter()
            .any(|ask| eval.project.says(ask))
}
