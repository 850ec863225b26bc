//! An initializer of workers that leaves the global as it was: it sets a local, or is called where it is to be given.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::bindings_of;
use super::super::project::ModuleId;
use super::super::sent::argument;
use super::super::syntax::{Call, Def, Expr, Kind, Module};
use super::super::text::above;
use super::unset::{begins, is_none};

/// Finds the one initializer that sets a local of the global's name.
pub(super) fn local(module: &Module, id: ModuleId, name: &str) -> Option<Found> {
    let mut all = module.defs.iter().filter_map(|def| {
        let is_param = def.params.iter().any(|p| &*p.name == name);
        let begins = def.kind == Kind::Function && begins(module, &def.name);
        let first = bindings_of(def, name).next()?;
        (begins && !is_param && !is_none(module, first)).then_some((def, first))
    });
    let (Some((def, first)), None) = (all.next(), all.next()) else {
        return None;
    };
    let is_plain = first.source.given().is_some() && first.annotation.is_none();
    let plan = declared(module, id, def, name).filter(|_| is_plain);
    Some(Found::certain(
        name.to_owned(),
        format!("set in {}(), as a local", def.qualname),
        (id, first.at),
        plan.ok_or_else(|| format!("`{}` sets it in a way of its own", def.name)),
    ))
}

/// Declares the global in the function.
fn declared(module: &Module, id: ModuleId, def: &Def, name: &str) -> Option<Plan> {
    let line = format!("global {name}");
    let edit = above(module, def.begin()?.at.start, &[&line])?;
    let text = format!("Declare it in `{}`, or that name is local there:", def.name);
    let head = module.first_line(def.head);
    let code = format!("{head}\n    {line}");
    Some(Plan::new(id, text, code, vec![edit]))
}

/// Finds the pool that gets what the one setter returns, which the parent calls: `initializer=init(3)`.
pub(super) fn called(module: &Module, id: ModuleId, setters: &[usize]) -> Option<Found> {
    let [setter] = setters else {
        return None;
    };
    let def = &module.defs[*setter];
    let given = |pool: &Rc<Call>| {
        let at = 1 + usize::from(pool.func.last_name()?.ends_with("Executor"));
        let expr = &argument(pool, at, "initializer")?.value;
        let is_it = expr.call()?.func.is_name(&def.name) && def.returns.is_empty();
        is_it.then(|| (Rc::clone(pool), Rc::clone(expr)))
    };
    let (pool, expr) = module.calls().find_map(given)?;
    Some(Found::certain(
        module.slice(expr.at).to_owned(),
        "called in the parent: the pool gets `None`",
        (id, expr.at),
        apart(module, id, (&pool, &expr)),
    ))
}

/// Gives a pool the function and its arguments apart.
fn apart(module: &Module, id: ModuleId, (pool, expr): (&Call, &Expr)) -> Planned {
    let is_placed = |call: &&Rc<Call>| call.args.iter().all(|a| a.label.is_none() && a.stars == 0);
    let is_open = pool.labelled("initargs").is_none() && pool.labelled("initializer").is_some();
    let call = expr.call().filter(is_placed).filter(|_| is_open);
    let call = call.ok_or("its arguments are given in another way")?;
    let args = module.arguments(call);
    let args = args.strip_suffix(')').unwrap_or(args);
    let args = args.trim_end_matches([',', ' ']);
    let name = module.slice(call.func.at);
    let new = match call.args.len() {
        0 => name.to_owned(),
        1 => format!("{name}, initargs={args},)"),
        _ => format!("{name}, initargs={args})"),
    };
    let text = "Give the function and its arguments apart: each worker calls it.";
    let code = format!("initializer={new}");
    Ok(Plan::new(id, text, code, vec![Edit::replace(expr.at, new)]))
}
