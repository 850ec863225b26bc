//! What leaves an attribute out of the bytes where nothing is known to make it again.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Expr, Name};
use super::super::text::{mangled, quoted, unit};
use super::super::value::{Instance, Value};
use super::super::walk::Holder;
use super::methods::Lines;
use super::state::{is_frozen, methods};

/// Returns code that leaves an attribute out of the bytes where nothing is known to make it again,
/// with the words for it.
pub(super) fn sketch(eval: &Eval, holder: &Holder, why: &str) -> Option<(String, String)> {
    let methods = methods(eval, holder).ok()?;
    let is_new = methods.getstate.is_none() && methods.setstate.is_none();
    let module = eval.project.module(methods.class.module);
    let class = &module.defs[methods.class.def];
    let name = &holder.attribute;
    let own = eval.project.module(holder.setting.module);
    let (value, verb) = match holder.setting.value.map(|at| own.slice(at)) {
        Some(empty @ ("[]" | "{}")) => (empty, "fill"),
        _ => ("None", "make"),
    };
    let instance = eval.instance(methods.class);
    let is_frozen = is_frozen(eval, &instance, &methods);
    let mut names = vec![Rc::clone(name)];
    names.extend(conditions_of(eval, &instance, name));
    let again = names.iter().map(|n| {
        let set = if is_frozen {
            format!("object.__setattr__(self, \"{n}\", {value})")
        } else {
            format!("self.{n} = {value}")
        };
        format!("{set}  # {verb} it again here")
    });
    let out = |n: &Name| {
        let key = mangled(&class.name, n);
        format!("{}.pop(\"{key}\", None)", methods.slots.holder())
    };
    let lines = Lines {
        unit: unit(&module, class),
        outs: names.iter().map(out).collect(),
        again: again.collect(),
    };
    let mut edits = Vec::new();
    let code = lines.put(&module, class, &methods, &mut edits).ok()?;
    let it = if names.len() == 1 { "it" } else { "them" };
    let text = format!(
        "Leave {} out of the bytes. If the other process needs {it}, make {it} again there: how is up to you ({why}). In class `{}`:",
        quoted(&names),
        class.name
    );
    is_new.then_some((text, code))
}

/// Returns the conditions that are made of a lock: `self.ready = threading.Condition(self.lock)`.
fn conditions_of(eval: &Eval, instance: &Rc<Instance>, lock: &Name) -> Vec<Name> {
    let is_lock = |e: &Expr| e.is_attribute(lock);
    let is_of_it = |value: &Value| {
        matches!(value, Value::Made(made) if &*made.of == "threading.Condition"
            && made.call.args.iter().any(|a| is_lock(&a.value)))
    };
    let attributes = eval.attributes(instance);
    let conditions = attributes
        .iter()
        .filter(|a| eval.values(a).iter().any(is_of_it));
    conditions.map(|a| Rc::clone(&a.name)).collect()
}
