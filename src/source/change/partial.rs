//! What stands for a function with some of its arguments given: `functools.partial(f, x)`.

use crate::object::Edit;

use super::super::syntax::{Def, Expr, ExprKind, Module, Name, Place};
use super::super::text::imported;
use super::captured::Captured;

/// Returns a call of a function with plain arguments, all of which are known before the call, as the
/// function with these: `partial(digest, text)` for `lambda: digest(text)`.
pub(super) fn called(module: &Module, def: &Def, body: &Expr) -> Option<(String, Option<Edit>)> {
    let call = body.call()?;
    let func = call.func.dotted()?;
    // An attribute that is set later would be another by then.
    let is_set = |name: &Name| module.bindings().any(|b| b.sets_attribute(name));
    let is_plain = |e: &Expr| match &e.kind {
        ExprKind::Text(_) | ExprKind::Constant | ExprKind::Name(_) => true,
        ExprKind::Attribute(_, name) => e.dotted().is_some() && !is_set(name),
        _ => false,
    };
    let args = call.args.iter();
    let is_early = def.params.is_empty() && args.clone().all(|a| is_plain(&a.value));
    let (first, last) = (call.args.first()?, call.args.last()?);
    let written = Place::new(call.func.at.end, first.value.at.start);
    // From the first argument's own start, its name or stars included.
    let before = module.slice(written).split_once('(')?.1;
    let args = module.slice(Place::new(first.value.at.start, last.value.at.end));
    if !is_early || call.args.iter().any(|a| a.stars > 0) || args.contains('\n') {
        return None;
    }
    let (partial, import) = imported(module, "functools", "partial");
    let args = format!("{}{args}", before.trim_start());
    Some((format!("{partial}({func}, {args})"), import))
}

/// Returns what stands for a function with some arguments given, and the import that it needs.
pub(super) fn bound(module: &Module, name: &str, captured: &Captured) -> (String, Option<Edit>) {
    if captured.is_empty() {
        return (name.to_owned(), None);
    }
    let (partial, import) = imported(module, "functools", "partial");
    let defaults = captured.defaults.iter().map(|(n, d)| format!("{n}={d}"));
    let all: Vec<String> = captured.given().into_iter().chain(defaults).collect();
    (format!("{partial}({name}, {})", all.join(", ")), import)
}
