//! An executor that is sent to its own workers: the parent submits what they would.

use crate::object::Change;

use super::super::eval::Eval;
use super::super::only::only;
use super::super::sent::Sending;
use super::super::value::Value;
use super::super::walk::Suspect;

/// Returns code that submits in the parent what a task was to submit.
pub(in super::super) fn executor(
    eval: &Eval,
    suspect: &Suspect,
    sendings: &[Sending],
) -> Option<Change> {
    let sending = only(sendings)?;
    if suspect.holder.is_some() || !suspect.of.ends_with("PoolExecutor") {
        return None;
    }
    let part = sending.task.as_ref()?;
    let module = eval.project.module(part.env.at.module);
    let (pool, method) = sending.call.method()?;
    let args = sending
        .call
        .args
        .iter()
        .filter(|a| !a.value.is_name(&suspect.path));
    let args: Vec<&str> = args.map(|a| module.slice(a.value.at)).collect();
    let is_given = args.len() < sending.call.args.len();
    let task = args.first().filter(|_| is_given && &**method == "submit")?;
    let Value::Function(function) = eval.force(&part.value) else {
        return None;
    };
    let own = eval.project.module(function.id.module);
    let mut calls = own.defs[function.id.def].calls();
    let next = calls.find_map(|call| {
        let is_sending = matches!(call.method(), Some((_, m)) if matches!(&**m, "submit" | "map"));
        let first = call.args.first().filter(|_| is_sending)?;
        Some(own.slice(first.value.at).to_owned())
    })?;
    let pool = module.slice(pool.at);
    Some(Change::new(
        format!(
            "An executor works only in the process that made it. Let `{task}` return what `{next}` is to be called with, and submit that here:"
        ),
        format!(
            "items = {pool}.submit({}).result()\nresults = list({pool}.map({next}, items))",
            args.join(", ")
        ),
    ))
}
