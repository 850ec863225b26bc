//! Names of the scopes around a definition: those of comprehensions, and what the defaults of its parameters are
//! worked out of.

use std::rc::Rc;

use super::super::eval::{Eval, bindings_of, binds};
use super::super::sent::argument;
use super::super::syntax::{Arg, Call, Def, Expr, ExprKind, Module, Name, ParamKind, Place};
use super::super::text::{has_lambda, top_of};
use super::super::value::{DefId, Value};

/// Returns the parameters whose default is worked out of names around the definition, with it; refuses those
/// that no call can be given.
pub(super) fn defaults(module: &Module, def: &Def) -> Result<Vec<(Name, String)>, String> {
    let looped = loop_names(module, def);
    // Where it will stand, the module has not set what it sets from there on.
    let top = top_of(module, def.at).unwrap_or_default();
    let is_made_there = |name: &Name| {
        let mut set = bindings_of(&module.defs[0], name);
        is_around(module, def, name)
            || looped.contains(name)
            || set.any(|b| b.at.end as usize > top)
    };
    let (mut found, mut has_other) = (Vec::new(), false);
    for param in &def.params {
        let Some(default) = &param.default else {
            continue;
        };
        if !default.names().any(|(n, _)| is_made_there(n)) {
            has_other |= param.kind == ParamKind::Plain;
            continue;
        }
        let text = module.slice(default.at);
        // No parameter without a default may follow one that has it.
        if has_lambda(default) || text.contains('\n') || has_other {
            return Err(format!(
                "the default of `{}` is worked out in the function around it",
                param.name
            ));
        }
        found.push((Rc::clone(&param.name), text.to_owned()));
    }
    Ok(found)
}

/// Returns whether a call of a function, of what may be it, or of what calls it, has more arguments for it by
/// position than these.
pub(super) fn overrides(eval: &Eval, id: DefId, wanted: usize) -> bool {
    let is_it = |value: Value| matches!(value, Value::Function(f) if f.id == id);
    eval.calls().any(|(call, env)| {
        let by_position = call.args.iter().filter(|a| a.label.is_none());
        let calls_it = by_position.count() > wanted
            && match eval.eval(&call.func, &env) {
                Value::Unknown => true,
                func => is_it(func),
            };
        let gets_it = |a: &Arg| is_it(eval.eval(&a.value, &env));
        let at = call.args.iter().position(gets_it);
        calls_it || at.is_some_and(|at| hands_on(&call, at) > wanted)
    })
}

/// Returns how many arguments by position a function may get from a call that it is given to, as one of its
/// arguments: `submit(add, 1, 2)`, `apply(add, (1, 2))`.
fn hands_on(call: &Call, own: usize) -> usize {
    let behind = call.args.iter().skip(own + 1);
    let at = match call.func.last_name().map(|n| &**n) {
        Some("starmap" | "starmap_async") => return usize::MAX,
        Some("apply" | "apply_async") => 1,
        Some("Process") => 3,
        _ => return behind.filter(|a| a.label.is_none()).count(),
    };
    match argument(call, at, "args").map(|a| &a.value.kind) {
        None => 0,
        Some(ExprKind::Items(items)) => items.len(),
        Some(_) => usize::MAX,
    }
}

/// Returns the names that comprehensions around a definition bind.
pub(super) fn loop_names(module: &Module, def: &Def) -> Vec<Name> {
    let all = module.exprs();
    let around = all.filter(|e| e.at.holds(def.at));
    around.flat_map(comprehended).cloned().collect()
}

/// Returns whether a name is something else at a place than the global: a parameter or variable of a function
/// around it, or of a comprehension.
pub(super) fn is_another(module: &Module, place: Place, name: &Name) -> bool {
    let own = module.def_around(place);
    let mut around = module.outwards(own).map(|(_, def)| def);
    let first = around.find(|def| def.declares(name) || binds(def, name));
    let mut inner = module.defs[own].walk();
    first.is_some_and(|def| !def.declares(name))
        || inner.any(|e| e.at.holds(place) && comprehended(e).contains(&name))
}

/// Returns the names that an expression binds, if it is a comprehension.
fn comprehended(expr: &Rc<Expr>) -> Vec<&Name> {
    let ExprKind::Comprehension(inner) = &expr.kind else {
        return Vec::new();
    };
    let names = inner.loops.iter().flat_map(|(target, _)| target.names());
    names.map(|(name, _)| name).collect()
}

/// Returns whether a name is one that a comprehension in a definition binds.
pub(super) fn comprehends(def: &Def, module: &Module, name: &Name) -> bool {
    let all = module.within(def.at).flat_map(Def::walk);
    let mut names = all.flat_map(comprehended);
    names.any(|n| n == name)
}

/// Returns whether a scope around a definition, below the module's, has a name of its own.
pub(super) fn is_around(module: &Module, def: &Def, name: &Name) -> bool {
    module.outwards(def.parent).any(|(_, d)| binds(d, name))
}
