//! What a task uses of its own object that the plan leaves `None` of.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::sent::{Pickler, Sending};
use super::super::syntax::Name;
use super::super::value::Value;
use super::Plan;
use super::own_thread::Work;

/// Returns a method that is sent as a task, and an attribute that it uses though the plan leaves `None` of it.
pub(in super::super) fn missed(
    eval: &Eval,
    sendings: &[Sending],
    plan: &Plan,
) -> Option<(Name, Name)> {
    let is_empty = |name: &Name| {
        let empty = format!("self.{name} = None");
        // `if self.pool is not None:`
        let asks = [
            format!("self.{name} is"),
            format!("if self.{name}:"),
            format!("not self.{name}"),
        ];
        plan.code.lines().any(|line| line.trim() == empty)
            && !asks.iter().any(|ask| eval.project.says(ask))
    };
    tasks(eval, sendings).find_map(|(task, work)| {
        let missed = work.uses.iter().find(|name| is_empty(name))?;
        Some((task, Name::clone(missed)))
    })
}

/// Returns the methods that are sent as tasks, with what they do.
fn tasks(eval: &Eval, sendings: &[Sending]) -> impl Iterator<Item = (Name, Work)> {
    let sent = sendings.iter().filter(|s| s.pickler != Pickler::Copy);
    let tasks = sent.filter_map(|s| Some(eval.force(&s.task.as_ref()?.value)));
    tasks.filter_map(|task| {
        let Value::Method(of, function) = task else {
            return None;
        };
        let Value::Instance(instance) = &*of else {
            return None;
        };
        let module = eval.project.module(function.id.module);
        let name = Rc::clone(&module.defs[function.id.def].name);
        let line = eval.line(instance.class, &instance.class_env);
        let work = Work::of_method(eval, &line, &name);
        Some((name, work))
    })
}
