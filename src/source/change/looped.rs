//! Functions that are made in a loop and kept: they read the loop's names only when they are called.

use std::rc::Rc;

use super::super::eval::bindings_of;
use super::super::syntax::{Binding, Def, Expr, ExprKind, Kind, Module, Name, Place, Statement};
use super::super::text::lists;

/// Calls that send what they are given, or run it, before the loop goes on.
const SENDS: &str = "submit apply apply_async map map_async imap imap_unordered starmap starmap_async run_in_executor \
    send dumps";
/// What a process is made by, and what a queue is given: it is sent when that is started, or later.
const SENDS_LATER: &[&str] = &["Process", "put", "put_nowait"];

/// Returns whether a loop binds a name again while a function made in it is kept:
/// `fns.append(lambda x: x * k)`.
pub(super) fn is_bound_again(module: &Module, scope: &Def, name: &Name, def: &Def) -> bool {
    let mut loops = scope.statements.iter().filter(|s| s.is_loop());
    let is_again = |s: &Statement| bindings_of(scope, name).any(|b| s.at.holds(b.at));
    let is_kept = |s: &Statement| {
        // A process that is started in the loop has it as it is then.
        let is_started = module.slice(s.at).contains(".start()");
        !is_sent(
            module,
            scope,
            def,
            if is_started { &["Process"] } else { &[] },
        )
    };
    loops.any(|s| s.at.holds(def.at) && is_again(s) && is_kept(s))
}

/// Returns whether all that is done with a function is to send it: `pool.apply_async(lambda: f(k))`.
pub(super) fn is_sent(module: &Module, scope: &Def, def: &Def, also: &[&str]) -> bool {
    let sends = |func: &Expr| {
        let name = func.last_name();
        name.is_some_and(|name| lists(SENDS, name) || also.contains(&&**name))
    };
    let name = match def.kind {
        Kind::Lambda => scope
            .bindings
            .iter()
            .filter_map(Binding::named_value)
            .find_map(|(name, value)| (value.at == def.at).then_some(name)),
        _ => Some(&def.name),
    };
    let calls = module.within(scope.at).flat_map(Def::calls);
    let mut calls = calls.filter(|c| sends(&c.func));
    let Some(name) = name else {
        return calls.any(|call| {
            let mut args = call.args.iter();
            args.any(|a| is_at(&a.value, def.at))
        });
    };
    let args: Vec<_> = calls.flat_map(|c| &c.args).map(|a| &a.value).collect();
    let used = module.within(scope.at).flat_map(Def::names);
    let mut used = used.filter(|(n, _)| *n == name);
    used.all(|(_, at)| args.iter().any(|a| is_at(a, at)))
}

/// Returns whether a call of a function sends what it is given.
pub(super) fn is_sender(func: &Expr) -> bool {
    func.last_name()
        .is_some_and(|name| lists(SENDS, name) || SENDS_LATER.contains(&&**name))
}

/// Returns whether an argument is what stands at a place, alone or in a tuple or list: `args=(task, q)`.
fn is_at(arg: &Rc<Expr>, at: Place) -> bool {
    match &arg.kind {
        ExprKind::Items(items) => items.iter().any(|i| is_at(i, at)),
        _ => arg.at == at,
    }
}
