//! An attribute that `__getstate__` leaves out and that nothing makes again.

use super::super::answer::Found;
use super::super::change;
use super::super::eval::Eval;
use super::super::instance::State;
use super::super::value::{Step, Value};

/// Finds the one class of this name whose `__getstate__` leaves the attribute out.
pub(in super::super) fn left_out(eval: &Eval, class: &str, name: &str) -> Option<Found> {
    let id = eval.only_class(class)?;
    let line = eval.line_of(id);
    let getstate = eval.method(&line, "__getstate__")?;
    let instance = eval.instance(id);
    // Without a certain `__init__` the object may never have had it.
    let attribute = eval.attribute_named(&instance, name)?;
    if !attribute.set.iter().any(|s| s.is_sure) {
        return None;
    }
    let deletes = format!("del self.{name}");
    if eval.project.says(&deletes) {
        return None;
    }
    let is_left = match eval.state(&instance, false) {
        State::Without(names) => names.iter().any(|n| n == name),
        State::Given(Value::Items(items)) => {
            let is_key = |step: &Step| matches!(step, Step::Key(_));
            items.iter().all(|(step, _)| is_key(step))
                && !items
                    .iter()
                    .any(|(step, _)| *step == Step::Key(name.to_owned()))
        }
        _ => false,
    };
    if !is_left {
        return None;
    }
    if let Some(setstate) = eval.method(&line, "__setstate__") {
        let of = eval.project.module(setstate.id.module);
        let text = of.code(of.defs[setstate.id.def].at);
        let calls = ["__init__", "self._", "setattr"];
        if text.contains(name) || calls.iter().any(|c| text.contains(c)) {
            return None;
        }
    }
    let of = eval.project.module(getstate.id.module);
    Some(Found::certain(
        format!("{class}.{name}"),
        "which `__getstate__` leaves out",
        (getstate.id.module, of.defs[getstate.id.def].head),
        change::again(eval, getstate.id, name),
    ))
}
