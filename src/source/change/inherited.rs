//! What a forked process has of its parent, and a new one does not.

use std::rc::Rc;

use super::super::eval::{Eval, bindings_of, is_own, is_under_guard};
use super::super::syntax::{Def, Expr, Kind, Module, Name};
use super::super::value::{DefId, Env, Function, Value};

/// Returns why a new process could not run these, if it could not.
pub(super) fn can_be_spawned(eval: &Eval, tasks: &[(Rc<Expr>, Env)]) -> Result<(), String> {
    let mut functions: Vec<Function> = Vec::new();
    for (expr, env) in tasks {
        for value in eval.eval(expr, env).alternatives() {
            match value {
                Value::Function(f) | Value::Method(_, f) => functions.push(f),
                // `functools.partial(work, model)`
                Value::Made(made) if &*made.of == "functools.partial" => {
                    for arg in &made.call.args {
                        if let Value::Function(f) = eval.eval(&arg.value, &made.env) {
                            functions.push(f);
                        }
                    }
                }
                _ => return Err("what the processes run cannot be read".to_owned()),
            }
        }
    }
    if functions.is_empty() {
        return Err("what the processes run cannot be read".to_owned());
    }
    can_run(eval, &functions)
}

/// Returns why a new process could not run these functions, if it could not.
pub(super) fn can_run(eval: &Eval, functions: &[Function]) -> Result<(), String> {
    for function in functions {
        let module = eval.project.module(function.id.module);
        let def = &module.defs[function.id.def];
        if def.kind == Kind::Lambda || def.qualname.contains("<locals>") {
            return Err("`spawn` would have to pickle a function made in a function".to_owned());
        }
    }
    let mut reached: Vec<DefId> = Vec::new();
    for function in functions {
        reach(eval, function, &mut reached);
    }
    for id in &reached {
        let module = eval.project.module(id.module);
        for name in names_of(&module, &module.defs[id.def]) {
            if is_inherited(&module, &name, &reached) {
                return Err(format!(
                    "`{}` uses `{name}`, which only a forked process has",
                    module.defs[id.def].name
                ));
            }
        }
    }
    Ok(())
}

/// Collects the functions of the program that a function calls.
fn reach(eval: &Eval, function: &Function, reached: &mut Vec<DefId>) {
    if reached.contains(&function.id) || reached.len() > 64 {
        return;
    }
    reached.push(function.id);
    let module = eval.project.module(function.id.module);
    for name in names_of(&module, &module.defs[function.id.def]) {
        if let Value::Function(inner) = eval.name(&name, &function.env, None) {
            reach(eval, &inner, reached);
        }
    }
}

/// Returns the names that a function uses and does not bind itself.
fn names_of(module: &Module, def: &Def) -> Vec<Name> {
    let names = module.within(def.at).flat_map(Def::names).map(|(n, _)| n);
    names.filter(|n| !is_own(def, n)).cloned().collect()
}

/// Returns whether a global has its value only in the process that ran the script to here.
fn is_inherited(module: &Module, name: &Name, reached: &[DefId]) -> bool {
    let set_elsewhere = module.defs().any(|(number, def)| {
        let own = DefId::new(module.id, number);
        def.declares(name) && !reached.contains(&own) && bindings_of(def, name).next().is_some()
    });
    is_under_guard(module, name) || set_elsewhere
}
