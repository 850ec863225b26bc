//! A progress bar that is kept where it is seen: around what the pool gives back.

use crate::object::Change;
use crate::traceback::facts::Via;

use super::super::eval::Eval;
use super::super::only::only;
use super::super::sent::Sending;
use super::super::syntax::{Arg, Call, ExprKind};
use super::super::walk::Suspect;

/// Returns code that wraps the bar around the call which sends the tasks.
pub(in super::super) fn bar(
    eval: &Eval,
    suspect: &Suspect,
    sendings: &[Sending],
) -> Option<Change> {
    let sending = only(sendings)?;
    if suspect.holder.is_none() {
        return given(eval, suspect, sending);
    }
    let holder = suspect.holder.as_ref().filter(|h| h.is_itself)?;
    if !suspect.of.starts_with("tqdm.") || !matches!(sending.via, Via::Pool | Via::Executor) {
        return None;
    }
    let part = sending.parts.first()?;
    let module = eval.project.module(part.env.at.module);
    let call = &sending.call;
    let (pool, method) = call.method()?;
    let text = |arg: &Arg| module.slice(arg.value.at);
    let (pool, function) = (module.slice(pool.at), text(call.args.first()?));
    let items = call.args.get(1).filter(|a| a.label.is_none());
    let items = items.filter(|a| a.value.dotted().is_some());
    let items = items.map_or("items", text);
    // A pool's `map` gives nothing before it has all.
    let method = match (&**method, sending.via) {
        ("map" | "imap", Via::Pool) => "imap",
        // Tasks of one argument each: `apply_async(work, (item,), callback=done)`.
        ("apply_async", Via::Pool) if takes_one(call) => "imap",
        ("imap_unordered", Via::Pool) => "imap_unordered",
        ("map" | "submit", Via::Executor) => method,
        _ => return None,
    };
    // As the program writes it: `tqdm.tqdm`.
    let setting = &holder.setting;
    let own = setting
        .value
        .filter(|_| setting.module == part.env.at.module);
    let written = own.and_then(|at| module.slice(at).split_once('('));
    let bar = written.map_or("tqdm", |(func, _)| func.trim());
    let bar = if bar.ends_with("tqdm") { bar } else { "tqdm" };
    let code = if method == "submit" {
        format!(
            "futures = [{pool}.submit({function}, item) for item in items]\nfor future in {bar}(concurrent.futures.as_completed(futures), total=len(futures)):\n    result = future.result()"
        )
    } else {
        format!("results = list({bar}({pool}.{method}({function}, {items}), total=len({items})))")
    };
    let class = &eval.project.module(holder.class.module).defs[holder.class.def].name;
    Some(Change::new(
        format!(
            "A bar counts in the process that shows it. Take `{}`, with its `update` calls, out of `{class}`, and wrap one around what the pool gives:",
            holder.attribute
        ),
        code,
    ))
}

/// Returns whether a task is called with one argument: `apply_async(work, (item,))`.
fn takes_one(call: &Call) -> bool {
    let args = call.args.get(1).map(|a| &a.value.kind);
    matches!(args, Some(ExprKind::Items(items)) if items.len() == 1)
}

/// Returns code that moves a bar, which the tasks were given, in the parent.
fn given(eval: &Eval, suspect: &Suspect, sending: &Sending) -> Option<Change> {
    let bar = &suspect.path;
    let step = match &*suspect.of {
        "rich.progress.Progress" => "advance(task)",
        of if of.starts_with("tqdm.") => "update()",
        _ => return None,
    };
    let part = sending.parts.first()?;
    let module = eval.project.module(part.env.at.module);
    let (pool, method) = sending.call.method()?;
    let pool = module.slice(pool.at);
    let head = match (&**method, sending.via) {
        ("submit", Via::Executor) => {
            "for future in concurrent.futures.as_completed(futures):\n    result = future.result()"
                .to_owned()
        }
        ("map" | "imap" | "starmap" | "imap_unordered", Via::Pool) => {
            format!("for result in {pool}.imap(work, items):")
        }
        ("map", Via::Executor) => format!("for result in {pool}.map(work, items):"),
        _ => return None,
    };
    let is_name = bar.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| {
        let text = format!(
            "A bar counts in the process that shows it. Take `{bar}` out of what the tasks are given, and move it here when a result comes:"
        );
        Change::new(text, format!("{head}\n    {bar}.{step}"))
    })
}
