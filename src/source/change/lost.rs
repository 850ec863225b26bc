//! What a task changes on the object that it is a method of: a worker changes a copy.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::sent::{Pickler, Sending};
use super::super::syntax::{Expr, ExprKind, Kind, Name};
use super::super::value::{Attribute, DefId, Instance, Value};
use super::Plan;
use super::own_thread::Work;

/// Returns a method that is sent as a task, and an attribute that it fills or counts in and that the
/// rest of the program reads.
pub(in super::super) fn lost(eval: &Eval, sendings: &[Sending]) -> Option<(Name, Name)> {
    tasks(eval, sendings).find_map(|(instance, name, work)| {
        let attributes = eval.attributes(&instance);
        let mut changed = attributes
            .iter()
            .filter(|a| work.changes.contains(&a.name) && is_data(eval, a));
        let lost = changed.find(|a| is_read(eval, instance.class, &a.name, &work))?;
        Some((name, Name::clone(&lost.name)))
    })
}

/// Returns a method that is sent as a task, and an attribute that it uses though the plan leaves `None` of it.
pub(in super::super) fn missed(
    eval: &Eval,
    sendings: &[Sending],
    plan: &Plan,
) -> Option<(Name, Name)> {
    let modules = eval.project.modules();
    let is_empty = |name: &Name| {
        let empty = format!("self.{name} = None");
        // `if self.pool is not None:`
        let asks = [
            format!("self.{name} is"),
            format!("if self.{name}:"),
            format!("not self.{name}"),
        ];
        plan.code.lines().any(|line| line.trim() == empty)
            && !modules
                .iter()
                .any(|m| asks.iter().any(|ask| m.text.contains(ask.as_str())))
    };
    tasks(eval, sendings).find_map(|(_, task, work)| {
        let missed = work.uses.iter().find(|name| is_empty(name))?;
        Some((task, Name::clone(missed)))
    })
}

/// Returns the methods that are sent as tasks, with their objects and what they do.
fn tasks(eval: &Eval, sendings: &[Sending]) -> impl Iterator<Item = (Rc<Instance>, Name, Work)> {
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
        let name = Name::clone(&module.defs[function.id.def].name);
        let line = eval.line(instance.class, &instance.class_env);
        let work = Work::of_method(eval, &line, &name);
        Some((Rc::clone(instance), name, work))
    })
}

/// Returns whether an attribute is a number, a text or a container, wherever it is set.
fn is_data(eval: &Eval, attribute: &Attribute) -> bool {
    fn is_data(value: &Value) -> bool {
        match value {
            Value::Plain | Value::Items(_) => true,
            Value::Filled(base, _) => is_data(base),
            Value::Made(made) => made.of.starts_with("collections."),
            _ => false,
        }
    }
    let values = attribute.values.iter().map(|later| eval.force(later));
    let mut all = values.flat_map(|value| value.alternatives());
    all.all(|value| is_data(&value))
}

/// Returns whether something reads an attribute that is no part of the task's work.
fn is_read(eval: &Eval, class: DefId, name: &Name, work: &Work) -> bool {
    eval.project.defs().any(|(id, module)| {
        let def = &module.defs[id.def];
        let is_method = def.kind == Kind::Function && id.beside(def.parent) == class;
        let is_work = is_method && (work.uses.contains(&def.name) || def.name.starts_with("__"));
        let reads = |own: Option<&Name>| {
            let mut all = def.exprs().flat_map(Expr::walk);
            all.any(|e| match &e.kind {
                ExprKind::Attribute(base, n) => n == name && own.is_none_or(|o| base.is_name(o)),
                _ => false,
            })
        };
        !is_work && reads(def.params.first().map(|p| &p.name).filter(|_| is_method))
    })
}
