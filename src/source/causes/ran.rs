//! Whether a function of the program may have run in a worker.

use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::syntax::{Def, Kind, Module, Place};
use super::super::value::DefId;
use super::unset::{begins, mentions};

/// The most functions that lead to the one that is looked at.
const MAX_CALLERS: usize = 24;

/// Returns whether a function may have run in a worker: by an import, by what is on the worker's
/// stack, or as an initializer; where that cannot be told, it may. Names tell who calls it, so a
/// method counts wherever one of its name is called.
pub(super) fn may_have_run(eval: &Eval, setter: DefId, frames: &[(ModuleId, u32)]) -> bool {
    let stack: Vec<DefId> = frames
        .iter()
        .map(|(module, line)| DefId::new(*module, eval.project.module(*module).def_at(*line)))
        .collect();
    let mut known = vec![setter];
    let mut at = 0;
    while at < known.len() {
        let id = known[at];
        at += 1;
        let own = eval.project.module(id.module);
        let Some(name) = called_by(&own, id.def) else {
            return true;
        };
        if known.len() > MAX_CALLERS || stack.contains(&id) {
            return true;
        }
        if eval.project.any(|m| begins(m, name) || at_import(m, name)) {
            return true;
        }
        for (id, module) in eval.project.defs() {
            let caller = &module.defs[id.def];
            let is_new = caller.kind == Kind::Function && !known.contains(&id);
            if is_new && mentions(module.code(caller.at), name) {
                known.push(id);
            }
        }
    }
    false
}

/// Returns the name by which a function is called: of `__init__` that of its class; `None` if
/// Python calls it by itself.
fn called_by(module: &Module, of: usize) -> Option<&str> {
    let def = &module.defs[of];
    let parent = &module.defs[def.parent];
    let is_base = |d: &Def| {
        let mut bases = d.bases.iter();
        bases.any(|b| mentions(module.slice(b.value.at), &parent.name))
    };
    match &*def.name {
        _ if parent.kind != Kind::Class => Some(&def.name),
        // A subclass calls it too.
        "__init__" if !module.defs.iter().any(is_base) => Some(&parent.name),
        name if name.starts_with("__") || is_property(module, def) => None,
        name => Some(name),
    }
}

/// Returns whether a worker may have run a place in a scope.
pub(super) fn has_run(
    eval: &Eval,
    (at, place): (DefId, Place),
    frames: &[(ModuleId, u32)],
) -> bool {
    let module = eval.project.module(at.module);
    match module.defs[at.def].kind {
        Kind::Module => !module.is_guarded(place),
        Kind::Function => may_have_run(eval, at, frames),
        Kind::Class | Kind::Lambda => true,
    }
}

/// Returns in words where a scope has what no worker runs.
pub(super) fn place_of(eval: &Eval, at: DefId) -> String {
    let def = &eval.project.module(at.module).defs[at.def];
    match def.kind {
        Kind::Module => "under the main guard".to_owned(),
        Kind::Class => format!("in the class {}", def.qualname),
        _ => format!("in {}()", def.qualname),
    }
}

/// Returns whether a decorator may call a method where its name alone is read.
fn is_property(module: &Module, def: &Def) -> bool {
    let plain = ["classmethod", "staticmethod"];
    let mut all = def.decorators.iter();
    all.any(|d| !plain.contains(&module.code(d.at)))
}

/// Returns whether the import of a module uses a function.
fn at_import(module: &Module, name: &str) -> bool {
    let guard = module.main_guard();
    let mut decorators = module.defs.iter().flat_map(|d| &d.decorators);
    decorators.any(|d| mentions(module.code(d.at), name))
        || module.defs[0].statements.iter().any(|s| {
            let is_guarded = guard.is_some_and(|g| g.at.holds(s.at));
            let mut used = s.exprs.iter().map(|e| module.slice(e.at));
            !is_guarded && s.is_code() && used.any(|text| mentions(text, name))
        })
}
