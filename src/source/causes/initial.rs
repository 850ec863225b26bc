//! A pool's initializer that leaves the global as it was: it sets a local, or is called where it is to be given.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::{Plan, Planned};
use super::super::eval::{Eval, bindings_of};
use super::super::project::ModuleId;
use super::super::sent::{Stop, argument};
use super::super::syntax::{Call, Def, Expr, ExprKind, Kind, Module};
use super::super::text::above;
use super::super::value::DefId;
use super::ran::place_of;
use super::unset::{begins, is_none, lacking, setters};

/// Finds it, for the global that a worker's innermost line uses in this way.
pub(in super::super) fn initial(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    used: &Use,
) -> Option<Found> {
    let Stop { env, statement } = eval.innermost(frames)?;
    let id = env.at.module;
    let module = eval.project.module(id);
    let text = module.slice(statement.head);
    let [name] = lacking(&module, env.at.def, used, text)[..] else {
        return None;
    };
    let set = setters(&module, name);
    if let [(of, _)] = set.as_slice() {
        return called(&module, id, &module.defs[*of]);
    }
    let is_local = |def: &Def| def.params.iter().all(|p| &*p.name != name);
    let mut locals = module.defs().filter_map(|(of, def)| {
        let is_one = def.kind == Kind::Function && is_local(def) && begins(&module, &def.name);
        let first = bindings_of(def, name).next().filter(|_| is_one)?;
        (!is_none(&module, first)).then_some((of, first))
    });
    let (of, first) = locals.next().filter(|_| set.is_empty())?;
    if locals.next().is_some() {
        return None;
    }
    let def = &module.defs[of];
    let is_plain = first.source.given().is_some() && first.annotation.is_none();
    Some(Found::certain(
        name.to_owned(),
        format!("set {}, as a local", place_of(eval, DefId::new(id, of))),
        (id, first.at),
        declared(&module, id, def, name)
            .filter(|_| is_plain)
            .ok_or_else(|| format!("`{}` sets it in a way of its own", def.name)),
    ))
}

/// Declares the global in the function.
fn declared(module: &Module, id: ModuleId, def: &Def, name: &str) -> Option<Plan> {
    let is_text = |e: &Rc<Expr>| matches!(e.kind, ExprKind::Text(_));
    let mut all = def.statements.iter();
    let first = all.find(|s| s.exprs.is_empty() || !s.exprs.iter().all(is_text))?;
    let line = format!("global {name}");
    let edit = above(module, first.at.start, &[&line])?;
    let text = format!("Declare it in `{}`, or that name is local there:", def.name);
    let head = module.slice(def.head).lines().next()?;
    let code = format!("{head}\n    {line}");
    Some(Plan::new(id, text, code, vec![edit]))
}

/// Finds the pool that gets what the function returns, which the parent calls: `initializer=init(3)`.
fn called(module: &Module, id: ModuleId, def: &Def) -> Option<Found> {
    let given = |call: &Rc<Call>| {
        let at = 1 + usize::from(call.func.last_name()?.ends_with("Executor"));
        let expr = &argument(call, at, "initializer")?.value;
        let own = expr.call()?;
        let is_it = own.func.is_name(&def.name) && def.returns.is_empty();
        is_it.then(|| (Rc::clone(call), Rc::clone(own), expr.at))
    };
    let (pool, call, at) = module.calls().find_map(given)?;
    let plan = || -> Planned {
        let is_plain = call.args.iter().all(|a| a.label.is_none() && a.stars == 0);
        if !is_plain
            || pool.labelled("initargs").is_some()
            || pool.labelled("initializer").is_none()
        {
            return Err("its arguments are given in another way".to_owned());
        }
        let args = module.arguments(&call);
        let args = args
            .strip_suffix(')')
            .unwrap_or(args)
            .trim_end_matches([',', ' ']);
        let args = match call.args.len() {
            0 => String::new(),
            1 => format!(", initargs={args},)"),
            _ => format!(", initargs={args})"),
        };
        let new = format!("{}{args}", def.name);
        let text = "Give the function and its arguments apart: each worker calls it.";
        Ok(Plan::new(
            id,
            text,
            format!("initializer={new}"),
            vec![Edit::replace(at, new)],
        ))
    };
    Some(Found::certain(
        module.slice(at).to_owned(),
        "called in the parent: the pool gets `None`",
        (id, at),
        plan(),
    ))
}
