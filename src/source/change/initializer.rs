//! What a pool's workers are given while they start: values and arrays that no task can carry.

use crate::object::Change;
use crate::traceback::facts::Via;

use super::super::eval::Eval;
use super::super::sent::Stop;
use super::super::text::join;
use super::super::walk::Suspect;
use super::method::maker;

/// What a manager has no equal of.
const GIVEN: &[&str] = &["multiprocessing.Value", "multiprocessing.Array"];

/// Returns code that gives them to the workers, in the program's own names; the task's own
/// parameters are left to its author.
pub(in super::super) fn initializer(
    eval: &Eval,
    suspects: &[Suspect],
    stops: &[Stop],
    via: Option<Via>,
) -> Option<Change> {
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let all = suspects
        .iter()
        .filter(|s| s.of.starts_with("multiprocessing."));
    let names: Vec<String> = all.map(|s| s.path.clone()).collect();
    let is_plain = names.iter().all(|n| is_name(n));
    let has_value = suspects.first().is_some_and(|s| GIVEN.contains(&&*s.of));
    let is_pool = matches!(via, Some(Via::Pool | Via::Executor));
    if !is_plain || !has_value || !is_pool {
        return None;
    }
    let maker = maker(eval, stops, via).ok()?;
    let module = eval.project.module(maker.env.at.module);
    let text = module.slice(maker.call.at);
    let is_open = !text.contains("initializer") && !text.contains('\n');
    let call = text.strip_suffix(')').filter(|_| is_open)?;
    let comma = if maker.call.args.is_empty() { "" } else { ", " };
    let given = names.join(", ");
    let params: Vec<String> = names.iter().map(|n| format!("shared_{n}")).collect();
    let params = params.join(", ");
    let one = if names.len() == 1 { "," } else { "" };
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    Some(Change {
        text: format!(
            "Give {} to the workers while they start, and take {them} out of the tasks; the function finds {them} as a global:",
            join(&quoted)
        ),
        code: format!(
            "def init_worker({params}):\n    global {given}\n    {given} = {params}\n\n{call}{comma}initializer=init_worker, initargs=({given}{one}))"
        ),
        patch: None,
    })
}
