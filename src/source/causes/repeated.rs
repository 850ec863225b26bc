//! Whether what sets a global gives each process that runs it again the same.

use super::super::change::reads_told;
use super::super::effects::{calls_on, changes, is_harmless, is_once, is_shared, opens_own_log};
use super::super::eval::{Eval, bindings_of};
use super::super::syntax::{
    Binding, Call, Expr, ExprKind, Name, Source, Statement, StatementKind, Target,
};
use super::super::value::{DefId, Env, Value};
use super::of_module::modules_of;
use super::unset::needs_arguments;

/// Methods of a logger, besides those that are known to leave their object as it was.
const LOGS: [&str; 3] = ["exception", "critical", "log"];

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
            Target::Name(name) if def.globals.contains(name) => (name, false),
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
            all.any(|(_, v)| eval.force(v).alternatives().iter().any(is_shared))
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
