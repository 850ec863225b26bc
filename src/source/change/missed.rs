//! What a task uses of its own object that the plan leaves `None` of.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::objects::PROCESS;
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

/// Returns the methods that are sent as tasks, and the `run` of processes, with what they do.
fn tasks(eval: &Eval, sendings: &[Sending]) -> impl Iterator<Item = (Name, Work)> {
    let sent = sendings.iter().filter(|s| s.pickler != Pickler::Copy);
    let parts = sent.flat_map(|s| s.task.iter().chain(&s.parts));
    parts.filter_map(|part| {
        let (of, name) = match eval.force(&part.value) {
            Value::Method(of, function) => {
                let module = eval.project.module(function.id.module);
                let name = Rc::clone(&module.defs[function.id.def].name);
                (of.instance()?, name)
            }
            Value::Instance(of) if eval.line_of(of.class).derives_from(PROCESS) => {
                (of, Rc::from("run"))
            }
            _ => return None,
        };
        let line = eval.line(of.class, &of.class_env);
        let work = Work::of_method(eval, &line, &name);
        Some((name, work))
    })
}
