//! Arguments of a call: put in, taken out, given another name.

use std::rc::Rc;

use crate::object::Edit;

use super::super::syntax::{Arg, Call, Module, Place};

/// Returns where an argument is, its name included.
fn place(module: &Module, arg: &Arg) -> Place {
    let before = &module.text[..arg.value.at.start as usize];
    let named = arg.label.as_ref().and_then(|label| before.rfind(&**label));
    let start = named.map_or(arg.value.at.start, |at| u32::try_from(at).unwrap_or(0));
    let stars = u32::from(arg.stars);
    Place::new(start - stars.min(start), arg.value.at.end)
}

/// Returns the edit that adds an argument behind the others.
pub(in super::super) fn added(call: &Call, text: &str) -> Edit {
    let (at, comma) = match call.args.last() {
        Some(last) => (last.value.at.end, ", "),
        None => (call.at.end - 1, ""),
    };
    Edit::insert(at as usize, format!("{comma}{text}"))
}

/// Returns the edit that takes an argument out.
pub(in super::super) fn dropped(module: &Module, call: &Call, label: &str) -> Option<Edit> {
    let is_it = |a: &Arg| a.label.as_deref() == Some(label);
    let at = call.args.iter().position(is_it)?;
    let own = place(module, &call.args[at]);
    let (start, end) = match (at.checked_sub(1), call.args.get(at + 1)) {
        (Some(before), _) => (call.args[before].value.at.end, own.end),
        (None, Some(next)) => (own.start, place(module, next).start),
        (None, None) => (own.start, own.end),
    };
    Some(Edit::replace(Place::new(start, end), ""))
}

/// Returns the edit that writes an argument of a name another way, its name too.
pub(in super::super) fn rewritten(
    module: &Module,
    call: &Call,
    label: &str,
    text: String,
) -> Option<Edit> {
    let is_it = |a: &&Arg| a.label.as_deref() == Some(label);
    let own = place(module, call.args.iter().find(is_it)?);
    Some(Edit::replace(own, text))
}

/// Returns the call at a place.
pub(super) fn call_at(module: &Module, at: Place) -> Option<Rc<Call>> {
    module.calls().find(|c| c.at == at).cloned()
}
