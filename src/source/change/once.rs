//! Classes of which one object is made, by the parent alone: each object may start a manager.

use super::super::eval::Eval;
use super::super::syntax::{Expr, Kind};
use super::super::value::DefId;

/// How far the functions that make it are followed.
const MAX_CALLS: usize = 4;

/// Why a manager is not started where the object is made.
pub(super) const NOT_ONCE: &str =
    "each object would start a manager: start one in main, and pass in what it makes";

/// Returns whether one object of a class is made, where no worker makes it again.
pub(in super::super) fn is_made_once(eval: &Eval, class: DefId) -> bool {
    let classes = eval.project.defs().filter(|(id, module)| {
        module.defs[id.def].kind == Kind::Class && eval.line_of(*id).has(class)
    });
    let names: Vec<_> = classes
        .map(|(id, module)| module.defs[id.def].name.clone())
        .collect();
    let names: Vec<&str> = names.iter().map(|n| &**n).collect();
    runs_once(eval, &names, 0)
}

/// Returns whether the program has one call of these names, which runs once.
fn runs_once(eval: &Eval, names: &[&str], depth: usize) -> bool {
    let is_it = |e: &Expr| e.last_name().is_some_and(|n| names.contains(&&**n));
    let mut found = Vec::new();
    for (id, module) in eval.project.defs() {
        for call in module.defs[id.def].calls() {
            // `map(Task, names)`, `pool.submit(run, 1)`
            if call.args.iter().any(|a| is_it(&a.value)) {
                return false;
            }
            if is_it(&call.func) {
                found.push((id, call.at));
            }
        }
    }
    let &[(id, at)] = found.as_slice() else {
        return false;
    };
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    if depth > MAX_CALLS || def.repeats(at) {
        return false;
    }
    let parent = &module.defs[def.parent];
    match def.kind {
        Kind::Module => module.is_guarded(at),
        Kind::Function if &*def.name == "__init__" => runs_once(eval, &[&*parent.name], depth + 1),
        Kind::Function => runs_once(eval, &[&*def.name], depth + 1),
        Kind::Class | Kind::Lambda => false,
    }
}
