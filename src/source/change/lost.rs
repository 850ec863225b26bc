//! What a task changes on the object that it is a method of: a worker changes a copy.

use super::super::eval::Eval;
use super::super::sent::{Pickler, Sending};
use super::super::syntax::{Expr, ExprKind, Kind, Name};
use super::super::value::{Attribute, DefId, Value};
use super::own_thread::Work;

/// Returns a method that is sent as a task, and an attribute that it fills or counts in and that the
/// rest of the program reads.
pub(in super::super) fn lost(eval: &Eval, sendings: &[Sending]) -> Option<(Name, Name)> {
    let sent = sendings.iter().filter(|s| s.pickler != Pickler::Copy);
    let mut tasks = sent.filter_map(|s| Some(eval.force(&s.task.as_ref()?.value)));
    tasks.find_map(|task| {
        let Value::Method(of, function) = task else {
            return None;
        };
        let Value::Instance(instance) = &*of else {
            return None;
        };
        let module = eval.project.module(function.id.module);
        let name = &module.defs[function.id.def].name;
        let line = eval.line(instance.class, &instance.class_env);
        let work = Work::of_method(eval, &line, name);
        let attributes = eval.attributes(instance);
        let mut changed = attributes
            .iter()
            .filter(|a| work.changes.contains(&a.name) && is_data(eval, a));
        let lost = changed.find(|a| is_read(eval, instance.class, &a.name, &work))?;
        Some((Name::clone(name), Name::clone(&lost.name)))
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
