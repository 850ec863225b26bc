//! An attribute of the one object that a module makes of a class, which the parent sets:
//! `settings.load(path)`.

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::{Handed, Planned, handed, stays_here};
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::syntax::{Binding, Expr, Name, Place, Target};
use super::super::value::{DefId, Value};
use super::ran::{has_run, place_of};
use super::set_there::attributes;

/// Finds what sets the attribute that a worker's innermost line uses, if it cannot have run there.
pub(in super::super) fn of_object(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    (used, via): (&Use, Option<Via>),
) -> Option<Found> {
    let stop = eval.innermost(frames)?;
    let module = eval.project.module(stop.env.at.module);
    let text = module.slice(stop.statement.head);
    let found = attributes(eval, &stop, text, used);
    let [(path, class, places)] = found.as_slice() else {
        return None;
    };
    let (_, attribute) = path.rsplit_once('.')?;
    let (owner, name) = only_one(eval, *class)?;
    let (by, at) = *places.first()?;
    if eval.project.is_cut.get()
        || by.def != 0 && !is_called(eval, by)
        || places.iter().any(|place| has_run(eval, *place, frames))
    {
        return None;
    }
    let path = format!("{name}.{attribute}");
    Some(Found::certain(
        path.clone(),
        format!("set {}", place_of(eval, by)),
        (by.module, at),
        match places.len() {
            1 => plan(eval, (owner, &name, &path), (by, at), via),
            _ => Err("it is set in several places".to_owned()),
        },
    ))
}

/// Returns whether the program calls a method.
fn is_called(eval: &Eval, by: DefId) -> bool {
    let name = Rc::clone(&eval.project.module(by.module).defs[by.def].name);
    let mut found = false;
    eval.calls_of(&name, &mut |call, env| {
        let func = eval.eval(&call.func, env);
        found |= func.function().is_some_and(|f| f.id == by);
        !found
    });
    found
}

/// Finds the global that is the one object of a class: the module whose import makes it, and its name there.
fn only_one(eval: &Eval, class: DefId) -> Option<(ModuleId, Name)> {
    let name = Rc::clone(&eval.project.module(class.module).defs[class.def].name);
    let is_it = |e: &Expr| e.last_name() == Some(&name);
    let modules = eval.project.modules();
    let calls = modules.iter().flat_map(|m| m.exprs()).flat_map(Expr::calls);
    let mentions = |e: &Rc<Expr>| e.walk().any(|e| is_it(e));
    if calls
        .filter(|call| is_it(&call.func) || call.args.iter().any(|a| mentions(&a.value)))
        .count()
        != 1
    {
        return None;
    }
    let ids = eval.project.ids().into_iter();
    ids.map(|id| (id, eval.project.module(id)))
        .find_map(|(id, module)| {
            let plain = module.defs[0]
                .bindings
                .iter()
                .filter(|b| !module.is_guarded(b.at));
            let mut named = plain.filter_map(Binding::named_value);
            let (global, _) =
                named.find(|(_, value)| value.call().is_some_and(|c| is_it(&c.func)))?;
            Some((id, Rc::clone(global)))
        })
}

/// Hands the attribute to the workers of the one pool while they start, or all of the object's where the same
/// method sets more of them.
fn plan(
    eval: &Eval,
    (owner, name, path): (ModuleId, &Name, &str),
    (by, at): (DefId, Place),
    via: Option<Via>,
) -> Planned {
    let module = eval.project.module(by.module);
    let mut set: Vec<&Name> = Vec::new();
    for binding in &module.defs[by.def].bindings {
        match &binding.target {
            Target::Attribute(_, attribute) if !set.contains(&attribute) => set.push(attribute),
            _ => {}
        }
    }
    let object = eval.name(name, &eval.scope(DefId::top(owner)), None);
    let Value::Instance(instance) = &object else {
        return Err("the object could not be made out".to_owned());
    };
    let kept = eval.kept(instance);
    if kept.iter().any(|v| stays_here(eval, v, Some(Via::Process))) {
        return Err(format!("what `{name}` holds cannot be sent to a worker"));
    }
    let (value, line) = match set.len() {
        1 => (path.to_owned(), format!("{path} = value")),
        _ => (
            format!("vars({name})"),
            format!("vars({name}).update(value)"),
        ),
    };
    handed(
        eval,
        &Handed {
            root: Rc::clone(name),
            value,
            made: None,
            lines: vec![line],
            by,
            at,
        },
        via,
    )
}
