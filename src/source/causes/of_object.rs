//! An attribute of the one object that a module makes of a class, which the parent sets:
//! `settings.load(path)`.

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::change::{Planned, handed};
use super::super::eval::{Eval, binds};
use super::super::only::only;
use super::super::project::Frames;
use super::super::syntax::{Binding, Call, Expr, Name, Place};
use super::super::value::{DefId, Env, Value};
use super::of_class::Lacking;
use super::ran::{has_run, place_of};
use super::set_there::{attributes, missing};

/// Finds what sets the attribute that a worker's innermost line uses, if it cannot have run there.
pub(in super::super) fn of_object(
    eval: &Eval,
    frames: &Frames,
    (lacking, via): (Lacking, Option<Via>),
) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let text = module.slice(stop.statement.head);
    let found = match lacking {
        Lacking::None(used) => attributes(eval, &stop, text, used),
        Lacking::Missing(class, name) => missing(eval, frames, (class, name)).into_iter().collect(),
    };
    let (path, class, places) = only(&found)?;
    let attribute = Name::from(path.rsplit_once('.')?.1);
    let name = only_one(eval, *class)?;
    let (by, at) = *places.first()?;
    let is_call = |(call, env): (Rc<Call>, Env)| {
        let func = eval.eval(&call.func, &env);
        func.function().is_some_and(|f| f.id == by)
    };
    if eval.project.is_cut.get()
        || by.def != 0 && !eval.calls().any(is_call)
        || places.iter().any(|place| has_run(eval, *place, frames))
    {
        return None;
    }
    Some(Found::certain(
        format!("{name}.{attribute}"),
        format!("set {}", place_of(eval, by)),
        (by.module, at),
        match places.len() {
            1 => plan(eval, (&name, *class, &attribute), (by, at), via),
            _ => Err("it is set in several places".to_owned()),
        },
    ))
}

/// Returns the name of the global that is the one object of a class, which the import of its module makes.
fn only_one(eval: &Eval, class: DefId) -> Option<Name> {
    let name = Rc::clone(&eval.project.module(class.module).defs[class.def].name);
    let is_it = |e: &Expr| e.last_name() == Some(&name);
    let makes = |c: &&Rc<Call>| is_it(&c.func) || c.args.iter().any(|a| is_it(&a.value));
    let modules = eval.project.modules();
    let calls = modules.iter().flat_map(|m| m.exprs()).flat_map(Expr::calls);
    if calls.filter(makes).count() != 1 {
        return None;
    }
    let mut tops = eval.project.defs().filter(|(id, _)| id.def == 0);
    tops.find_map(|(_, module)| {
        let all = module.defs[0].bindings.iter();
        let mut named = all
            .filter(|b| !module.is_guarded(b.at))
            .filter_map(Binding::named_value);
        let (global, _) = named.find(|(_, value)| value.call().is_some_and(|c| is_it(&c.func)))?;
        Some(Rc::clone(global))
    })
}

/// Hands the attribute to the workers of the one pool while they start, or all of the object's where the same
/// method sets more of them.
fn plan(
    eval: &Eval,
    (name, class, attribute): (&Name, DefId, &Name),
    (by, at): (DefId, Place),
    via: Option<Via>,
) -> Planned {
    let object = eval.instance(class);
    let module = eval.project.module(by.module);
    let is_other = |b: &Binding| b.attribute().is_some_and(|(_, n)| n != attribute);
    let def = &module.defs[by.def];
    let sets_more = def.bindings.iter().any(is_other);
    // `settings.cfg.rate = 3` of a module that has imported another
    let path = def.bound_at(at).find_map(|b| b.attribute()?.0.dotted());
    let is_seen = |path: &String| !binds(def, path.split('.').next().unwrap_or_default());
    let name = path
        .filter(|path| by.def == 0 || is_seen(path))
        .unwrap_or(name.to_string());
    let (value, line, kept) = if sets_more {
        let all = format!("vars({name})");
        let line = format!("{all}.update(value)");
        (all, line, eval.kept(&object))
    } else {
        let path = format!("{name}.{attribute}");
        let line = format!("{path} = value");
        let own = eval.attribute_named(&object, attribute);
        (path, line, own.map_or_else(Vec::new, |a| eval.values(&a)))
    };
    handed(eval, (&value, &[line]), &Value::one_of(kept), (by, at), via)
}
