//! A global of another module of the program, which is still `None` in a worker: `shared.log`.

use std::rc::Rc;

use crate::object::Edit;
use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::{Plan, Planned, is_set_again, open_pool, stays_here};
use super::super::effects::{calls_changing, changes, gives_away};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::only::only;
use super::super::project::{Frames, ModuleId};
use super::super::sent::Stop;
use super::super::syntax::{
    Arg, Binding, Call, Def, Expr, ExprKind, Module, Name, Place, Statement, Target,
};
use super::super::value::{DefId, Env, Value};
use super::global::{is_of_argv, starts};
use super::ran::{is_repeatable, may_have_run};
use super::unset::{is_empty, is_local, mentions, setters};

/// Functions that give the same for the same.
const CONVERTS: [&str; 5] = ["int", "float", "str", "bool", "len"];

/// Finds the function that sets what a worker's innermost line takes from another module, if it
/// cannot have run there.
pub(in super::super) fn of_module(
    eval: &Eval,
    frames: &Frames,
    (used, via): (&Use, Option<Via>),
) -> Option<Found> {
    let (Stop { env, statement }, module) = eval.innermost(frames)?;
    let id = env.at.module;
    let text = module.slice(statement.head);
    let mut found = Vec::new();
    for (alias, of) in modules_of(eval, id) {
        if of == id || is_local(&module, env.at.def, &alias) {
            continue;
        }
        let other = eval.project.module(of);
        for name in used.names(&other) {
            if used.is_in(text, &format!("{alias}.{name}")) && is_empty(&other, used, name) {
                found.push((alias.clone(), of, Name::from(name)));
            }
        }
    }
    let (alias, of, name) = only(&found)?;
    let other = eval.project.module(*of);
    let all = setters(&other, name);
    let (setter, binding) = *all.first()?;
    if setter == 0 || all.iter().any(|(def, _)| *def != setter) || is_set_outside(eval, name) {
        return None;
    }
    let start = DefId::new(*of, setter);
    if eval.project.is_cut.get() || may_have_run(eval, start, frames) {
        return None;
    }
    Some(Found::certain(
        format!("{alias}.{name}"),
        format!("set in {}()", other.defs[setter].qualname),
        (*of, binding.at),
        begun(eval, start, via),
    ))
}

/// Returns the modules of the program that a module knows by a name of its own.
pub(super) fn modules_of(eval: &Eval, id: ModuleId) -> Vec<(Name, ModuleId)> {
    let module = eval.project.module(id);
    let env = eval.scope(DefId::top(id));
    let mut found: Vec<(Name, ModuleId)> = Vec::new();
    for binding in &module.defs[0].bindings {
        if let Target::Name(name) = &binding.target
            && let Value::Module(of) = eval.name(name, &env, None)
            && !found.iter().any(|(n, _)| n == name)
        {
            found.push((Rc::clone(name), of));
        }
    }
    found
}

/// Returns whether the program sets an attribute of this name on anything: `shared.log = log`.
pub(super) fn is_set_outside(eval: &Eval, name: &Name) -> bool {
    let sets = |b: &Binding| b.sets_attribute(name);
    eval.project.any(|m| m.bindings().any(sets))
}

/// Lets each worker of the one pool call the function while it starts, as its parent does.
pub(super) fn begun(eval: &Eval, setter: DefId, via: Option<Via>) -> Planned {
    let (id, call, open) = open_pool(eval, via)?;
    let calls = eval
        .calls()
        .filter(|(call, env)| is_of(eval, call, env, setter));
    let calls: Vec<(Rc<Call>, Env)> = calls.collect();
    let [(own, env)] = calls.as_slice() else {
        return Err("it is set by several calls".to_owned());
    };
    let module = eval.project.module(id);
    let of = eval.project.module(setter.module);
    let def = &of.defs[setter.def];
    if env.at.module != id || def.is_async || !def.yields.is_empty() {
        return Err("what sets it is called elsewhere".to_owned());
    }
    is_repeatable(eval, setter)?;
    let around = module.def_around(call);
    let text = of.code(def.at);
    // A worker must not make a pool of its own.
    let is_itself = setter.module == id && setter.def == around;
    if is_itself || starts(text) || around != 0 && mentions(text, &module.defs[around].name) {
        return Err(format!("`{}` starts the workers", def.name));
    }
    let travels = |e: &Rc<Expr>| {
        let value = eval.eval(e, env);
        let mut all = value.alternatives().into_iter();
        !all.any(|v| stays_here(eval, &v, Some(Via::Process)))
    };
    let known = |e: &Rc<Expr>| is_known(&module, env, &module.defs[around], e);
    let is_later = |e: &Rc<Expr>| is_changed(eval, &module, (own, env), call, e);
    if own.args.iter().any(|a| is_later(&a.value)) {
        return Err(format!("what `{}` is given is changed later", def.name));
    }
    if own
        .args
        .iter()
        .any(|a| a.label.is_some() || a.stars > 0 || !known(&a.value) || !travels(&a.value))
    {
        return Err(format!("`{}` takes what only its caller knows", def.name));
    }
    let func = own
        .func
        .dotted()
        .ok_or("what sets it is called elsewhere")?;
    let args: Vec<&str> = own.args.iter().map(|a| module.slice(a.value.at)).collect();
    let given = match args.as_slice() {
        [] => String::new(),
        [one] => format!(", initargs=({one},)"),
        several => format!(", initargs=({})", several.join(", ")),
    };
    let new = format!("{open}initializer={func}{given})");
    let text = format!(
        "Let each worker run `{}` while it starts:",
        module.slice(own.at)
    );
    Ok(Plan::new(
        id,
        text,
        new.clone(),
        vec![Edit::replace(call, new)],
    ))
}

/// Returns whether an expression of one scope gives the same where the pool is made: `path`, `int(sys.argv[1])`.
fn is_known(module: &Module, env: &Env, pool: &Def, expr: &Rc<Expr>) -> bool {
    let is_known = |e: &Rc<Expr>| is_known(module, env, pool, e);
    match &expr.kind {
        ExprKind::Text(_) | ExprKind::Constant => true,
        ExprKind::Subscript(of, key) => is_known(of) && is_known(key),
        ExprKind::Call(call) => {
            let converts = CONVERTS.iter().any(|name| call.func.is_name(name));
            let is_plain = |a: &Arg| a.label.is_none() && a.stars == 0 && is_known(&a.value);
            converts && call.args.iter().all(is_plain)
        }
        _ => expr.dotted().is_some() && is_seen(module, env, pool, expr),
    }
}

/// Returns whether a name of one scope is the same where the pool is made.
fn is_seen(module: &Module, env: &Env, pool: &Def, expr: &Expr) -> bool {
    let name = expr.dotted().unwrap_or_default();
    let root = name.split('.').next().unwrap_or_default();
    let own = &module.defs[env.at.def];
    own.at == pool.at || !binds(own, root) && bindings_of(pool, root).next().is_none()
}

/// Returns whether what a call is given may be changed before the pool is made.
fn is_changed(
    eval: &Eval,
    module: &Module,
    (own, env): (&Call, &Env),
    pool: Place,
    expr: &Rc<Expr>,
) -> bool {
    let def = &module.defs[env.at.def];
    let is_after = |at: Place| own.at.end <= at.start;
    let is_part = |part: &Rc<Expr>| {
        let Some(name) = part.dotted() else {
            return false;
        };
        let root = name.split('.').next().unwrap_or_default();
        let is_local = env.at.def != 0 && binds(def, root);
        let (text, defs) = if is_local {
            let text = &module.code[own.at.end as usize..def.at.end as usize];
            (text, std::slice::from_ref(def))
        } else {
            (&*module.code, &module.defs[..])
        };
        let mut sets = defs.iter().flat_map(|d| &d.bindings);
        let is_it = |b: &Binding| match &b.target {
            Target::Attribute(of, n) => of.dotted().is_some_and(|of| format!("{of}.{n}") == name),
            Target::Name(_) | Target::Content(..) => false,
        };
        let is_another = if is_local {
            bindings_of(def, root).any(|b| is_after(b.at))
        } else {
            is_set_again(module, root)
        };
        is_another
            || changes(text, &name)
            || text.contains(&format!("del {name}"))
            || sets.any(|b| is_it(b) && (!is_local || is_after(b.at)))
    };
    // `options.rate`, which a function of that module sets
    let is_reset = |part: &Rc<Expr>| match &part.kind {
        ExprKind::Attribute(of, name) => match eval.eval(of, env) {
            Value::Module(id) => {
                let other = eval.project.module(id);
                other.has_global(name)
            }
            _ => false,
        },
        _ => false,
    };
    let is_between = |s: &&Statement| is_after(s.at) && s.at.end <= pool.start;
    let is_given_away = |name: &Name| {
        let between = def.statements.iter().filter(is_between);
        let mut exprs = between.flat_map(|s| &s.exprs);
        exprs.any(|e| gives_away(eval, e, name, env) || calls_changing(eval, e, name, env))
    };
    is_of_argv(eval, module, expr)
        || expr.walk().any(|part| is_part(part) || is_reset(part))
        || expr.names().any(|(name, _)| is_given_away(name))
}

/// Returns whether a call is one of a function.
fn is_of(eval: &Eval, call: &Call, env: &Env, of: DefId) -> bool {
    match eval.eval(&call.func, env) {
        Value::Function(f) => f.id == of,
        // A method of a class can be sent without an instance.
        Value::Method(on, f) => f.id == of && matches!(*on, Value::Class(..)),
        _ => false,
    }
}
