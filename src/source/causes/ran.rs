//! Whether a function of the program may have run in a worker, and whether it may run there again: what sets a global
//! is to give each process the same.

use super::super::change::reads_told;
use super::super::effects::{calls_on, changes, is_harmless, is_once, is_shared, opens_own_log};
use super::super::eval::{Eval, bindings_of};
use super::super::project::Frames;
use super::super::syntax::{
    Binding, Call, Def, Expr, ExprKind, Kind, Module, Name, Place, Source, Statement,
    StatementKind, Target,
};
use super::super::value::{DefId, Env, Value};
use super::of_module::modules_of;
use super::unset::{begins, mentions, needs_arguments};

/// The most functions that lead to the one that is looked at.
const MAX_CALLERS: usize = 24;
/// Methods of a logger, besides those that are known to leave their object as it was.
const LOGS: [&str; 3] = ["exception", "critical", "log"];

/// Returns whether a function may have run in a worker: by an import, by what is on the worker's
/// stack, or as an initializer; where that cannot be told, it may. Names tell who calls it, so a
/// method counts wherever one of its name is called.
pub(super) fn may_have_run(eval: &Eval, setter: DefId, frames: &Frames) -> bool {
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
pub(super) fn has_run(eval: &Eval, (at, place): (DefId, Place), frames: &Frames) -> bool {
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

/// Returns an error if a worker that runs a function while it starts would have another thing than its parent:
/// a lock of its own, a list that the parent has filled since.
pub(super) fn is_repeatable(eval: &Eval, setter: DefId) -> Result<(), String> {
    let module = eval.project.module(setter.module);
    let def = &module.defs[setter.def];
    if is_once(eval, setter) || reads_told(eval, setter) {
        return Err(format!(
            "`{}` does more than to set it, and each worker would do that again",
            def.name
        ));
    }
    if opens_own_log(eval, setter) {
        return Err(format!(
            "`{}` opens a log file, which each worker would open again",
            def.name
        ));
    }
    let counts = |name: &&Name| {
        let is_bound = bindings_of(def, name).next().is_some();
        !is_bound && changes(module.code(def.at), name)
    };
    // `runs += 1`
    if let Some(name) = def.globals.iter().find(counts) {
        return Err(format!("each worker would change a `{name}` of its own"));
    }
    // `load("b")`
    let is_told = |call: &Call| !call.args.is_empty() && call.func.last_name() == Some(&def.name);
    let modules = eval.project.modules();
    let mut calls = modules.iter().flat_map(|m| m.calls());
    if !needs_arguments(def) && calls.any(|c| is_told(c)) {
        return Err(format!("`{}` takes what only its caller knows", def.name));
    }
    let env = eval.scope(setter);
    for binding in &def.bindings {
        let (name, is_attribute) = match &binding.target {
            Target::Name(name) if def.declares(name) => (name, false),
            Target::Attribute(base, name) if is_kept(eval, base, &env) => (name, true),
            _ => continue,
        };
        if gives_shared(eval, binding, &env) {
            return Err("every process would make one of its own, which shares nothing".to_owned());
        }
        let written = if is_attribute {
            format!(".{name}")
        } else {
            name.to_string()
        };
        let is_lent =
            || def.returns.iter().any(|e| e.is_name(name)) && is_filled(eval, binding, &env);
        if is_changed_elsewhere(eval, setter, name, &written) || is_lent() {
            return Err(format!(
                "`{name}` is changed after `{}` has set it",
                def.name
            ));
        }
    }
    Ok(())
}

/// Returns whether what an expression stands for outlives the function: a class, `cls`, a module.
fn is_kept(eval: &Eval, base: &Expr, env: &Env) -> bool {
    let ExprKind::Name(name) = &base.kind else {
        return false;
    };
    let value = eval.name(name, env, None);
    &**name == "cls" || matches!(value, Value::Class(..) | Value::Module(_))
}

/// Returns what a binding may give its name.
fn values(eval: &Eval, binding: &Binding, env: &Env) -> Vec<Value> {
    match &binding.source {
        Source::Value(value) => eval.eval(value, env).alternatives(),
        _ => Vec::new(),
    }
}

/// Returns whether a binding makes what processes share, or what holds it.
fn gives_shared(eval: &Eval, binding: &Binding, env: &Env) -> bool {
    values(eval, binding, env).iter().any(|v| match v {
        Value::Instance(of) => eval.kept(of).iter().any(is_shared),
        Value::Items(items) => {
            let mut all = items.iter();
            all.any(|(_, v)| eval.force(v).may_be(is_shared))
        }
        other => is_shared(other),
    })
}

/// Returns whether a binding makes what may be filled by another name: a list, an object of the program.
fn is_filled(eval: &Eval, binding: &Binding, env: &Env) -> bool {
    let is_it = |v: &Value| matches!(v, Value::Items(_) | Value::Filled(..) | Value::Instance(_));
    values(eval, binding, env).iter().any(is_it)
}

/// Returns whether a statement calls a method, on what a name stands for, that may change it:
/// `model.train(2)`, `stop.set()`.
fn may_change(statement: &Statement, name: &Name) -> bool {
    let calls = calls_on(statement, &|e| e.is_name(name));
    let is_quiet = |method: &str| is_harmless(method) || LOGS.contains(&method);
    statement.kind == StatementKind::Expr && calls.iter().any(|(_, method)| !is_quiet(method))
}

/// Returns whether anything but its setter changes a global: `items.append(1)`, `config.debug = True`.
fn is_changed_elsewhere(eval: &Eval, setter: DefId, name: &Name, written: &str) -> bool {
    let own = eval.project.module(setter.module);
    let at = own.defs[setter.def].at;
    let (before, rest) = own.code.split_at(at.start as usize);
    let after = &rest[(at.end - at.start) as usize..];
    let sets = |b: &Binding| matches!(&b.target, Target::Attribute(of, _) if of.last_name() == Some(name) && !at.holds(b.at));
    let mut bound = own.bindings();
    let mut stated = own.defs.iter().flat_map(|d| &d.statements);
    let is_outside = |s: &Statement| !at.holds(s.at) && may_change(s, name);
    let is_called = written == &**name && stated.any(is_outside);
    if changes(before, written) || changes(after, written) || is_called || bound.any(sets) {
        return true;
    }
    let others = eval.project.ids().into_iter();
    others.filter(|id| *id != setter.module).any(|id| {
        let aliases = modules_of(eval, id).into_iter();
        let mut aliases = aliases.filter(|(_, of)| *of == setter.module);
        let text = &eval.project.module(id).code;
        aliases.any(|(alias, _)| changes(text, &format!("{alias}.{name}")))
    })
}
