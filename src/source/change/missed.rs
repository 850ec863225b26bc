//! What a worker uses of an object that the plan leaves `None` of, or a thread that nothing starts there.

use crate::python_name::places_of;

use super::super::eval::Eval;
use super::super::sent::{Pickler, Sending};
use super::super::value::DefId;
use super::Plan;
use super::workers::workers;

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
