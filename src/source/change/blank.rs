//! Fields to which nothing is given where the class names them.

use super::super::eval::Eval;
use super::super::value::Setting;

/// Private attributes of a model to which nothing is given yet.
const UNSET: [&str; 3] = [
    "PrivateAttr()",
    "PrivateAttr(None)",
    "PrivateAttr(default=None)",
];

/// Returns whether every instance has what a setting sets.
pub(super) fn is_certain(eval: &Eval, setting: &Setting) -> bool {
    let module = eval.project.module(setting.module);
    let text = setting.value.map_or("", |at| module.slice(at));
    setting.is_sure && setting.class.is_some() && !is_unset(setting, text)
}

/// Returns whether a setting gives `None`, as it is written.
pub(super) fn is_none(setting: &Setting, text: &str) -> bool {
    text == "None" || setting.is_field && UNSET[1..].contains(&text)
}

/// Returns whether a field says nothing of what is in it: `PrivateAttr()`, `field(init=False)`.
pub(super) fn is_unset(setting: &Setting, text: &str) -> bool {
    let says = || text.contains("default") || text.contains("factory");
    setting.is_field && (UNSET.contains(&text) || text.contains("init=False") && !says())
}
