//! What belongs to its process, so that no pickle takes it.

use super::super::eval::Eval;
use super::super::objects::inside;
use super::super::value::{Attribute, Step, Value};

/// Returns whether an attribute is something that no pickle takes.
pub(super) fn cannot_travel(eval: &Eval, attribute: &Attribute) -> bool {
    let is_it = |v: &Value| is_bound(v) || is_all_bound(eval, v) || is_filled_with(eval, v);
    eval.values(attribute).iter().any(is_it)
}

/// Returns whether a container is made of nothing but such values.
pub(super) fn is_all_bound(eval: &Eval, value: &Value) -> bool {
    let Value::Items(items) = value else {
        return false;
    };
    // Keys of a comprehension, and nothing that may have changed since.
    let is_key = |step: &Step, value: &Value| *step == Step::Any && matches!(value, Value::Plain);
    let all: Vec<(&Step, Value)> = items.iter().map(|(s, l)| (s, eval.force(l))).collect();
    all.iter().any(|(_, v)| is_bound(v)) && all.iter().all(|(s, v)| is_bound(v) || is_key(s, v))
}

/// Returns whether a value belongs to its process.
pub(in super::super) fn is_bound(value: &Value) -> bool {
    match value {
        Value::Made(made) => {
            !made.of.starts_with("multiprocessing.")
                && inside(&made.of).is_some_and(|i| !i.holds.is_empty() && !i.keeps)
        }
        Value::OutsideModule(_) => true,
        // `self.out = sys.stdout`
        Value::Outside(name, None) => name.starts_with("sys.std") || &**name == "os.environ",
        _ => false,
    }
}

/// Returns whether a container holds nothing but such values, put into it later.
pub(super) fn is_filled_with(eval: &Eval, value: &Value) -> bool {
    let Value::Filled(base, extra) = value else {
        return false;
    };
    matches!(&**base, Value::Items(items) if items.is_empty())
        && extra.iter().all(|(step, later)| {
            let value = eval.force(later);
            !matches!(step, Step::Attribute(_)) && (is_bound(&value) || is_process(&value))
        })
}

/// Returns whether a value is a process, which only the one that started it can wait for.
pub(super) fn is_process(value: &Value) -> bool {
    matches!(value, Value::Made(made) if made.is_process())
}
