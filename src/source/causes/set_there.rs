//! What a worker alone sets, in its copy of a global or of an object: in the parent it is still `None`.

use std::rc::Rc;

use crate::object::Certainty;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::sent::Stop;
use super::super::syntax::{Expr, ExprKind, Module, Name, Place, Target};
use super::super::value::{DefId, Setting, Value};
use super::alone::{Workers, brought_back, is_dynamic};
use super::ran::place_of;
use super::unset::{lacking, setters};

/// What is `None`, as it is written, and where it is set to anything else.
type Unset = (String, Vec<(DefId, Place)>);

/// Finds what sets the global or attribute that the parent's innermost line uses, if workers alone do.
pub(in super::super) fn set_there(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    used: &Use,
) -> Option<Found> {
    let (id, line) = *frames.last()?;
    let stops = eval.stops(&[(id, line)]);
    let stop = stops.last()?;
    let module = eval.project.module(id);
    let text = module.slice(stop.statement.head);
    let names = lacking(&module, module.def_at(line), used, text);
    let globals = names.into_iter().map(|name| {
        let all = setters(&module, name).into_iter();
        let places = all.map(|(of, binding)| (DefId::new(id, of), binding.at));
        (name.to_owned(), places.collect())
    });
    let found: Vec<Unset> = globals.chain(attributes(eval, stop, text, used)).collect();
    let [(path, places)] = found.as_slice() else {
        return None;
    };
    told(eval, frames, path.clone(), (places, None))
}

/// Finds what sets an attribute that an object of the one class of this name lacks in the parent, if workers
/// alone do.
pub(in super::super) fn lacks(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    (class, name): (&str, &str),
) -> Option<Found> {
    let id = eval.only_class(class)?;
    let Value::Instance(instance) = eval.any_instance(id, eval.around(id)) else {
        return None;
    };
    let attributes = eval.attributes(&instance);
    let own = attributes.iter().find(|a| *a.name == *name)?.set.first()?;
    // On whatever object another line sets it, that may be this one.
    let mut places = vec![place(own)];
    for (at, module) in eval.project.defs() {
        let is_it = |t: &Target| matches!(t, Target::Attribute(_, n) if **n == *name);
        let all = module.defs[at.def].bindings.iter();
        places.extend(all.filter(|b| is_it(&b.target)).map(|b| (at, b.at)));
    }
    if is_dynamic(eval) {
        return None;
    }
    let stops = eval.stops(&[*frames.last()?]);
    let used = |e: &Rc<Expr>| matches!(&e.kind, ExprKind::Attribute(_, n) if **n == *name);
    let mut all = stops.last()?.statement.exprs.iter().flat_map(Expr::walk);
    let path = all.find(|e| used(e))?.dotted();
    let path = path.unwrap_or_else(|| format!("{class}.{name}"));
    told(eval, frames, path, (&places, Some(id)))
}

/// Tells where workers set what the parent misses, if they alone do.
fn told(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    path: String,
    (places, class): (&[(DefId, Place)], Option<DefId>),
) -> Option<Found> {
    let (by, at) = *places.first()?;
    let workers = Workers::of(eval, class);
    let here =
        |(id, line): &(ModuleId, u32)| DefId::new(*id, eval.project.module(*id).def_at(*line));
    let is_there = frames.iter().any(|frame| workers.has(eval, here(frame)));
    let is_known = !eval.project.is_cut.get() && !is_there;
    if !is_known || !places.iter().all(|(by, _)| workers.run_alone(eval, *by)) {
        return None;
    }
    Some(Found {
        path,
        of: format!("set {}", place_of(eval, by)),
        module: by.module,
        at,
        certainty: Certainty::Certain,
        plan: brought_back(eval, by, at),
    })
}

/// Returns the attributes that a statement uses in this way, which `__init__` sets to `None`.
fn attributes(eval: &Eval, stop: &Stop, text: &str, used: &Use) -> Vec<Unset> {
    let mut found: Vec<Unset> = Vec::new();
    for expr in stop.statement.exprs.iter().flat_map(Expr::walk) {
        let ExprKind::Attribute(base, name) = &expr.kind else {
            continue;
        };
        let is_new = |path: &String| found.iter().all(|(known, _)| known != path);
        let path = expr.dotted().filter(|path| used.is_in(text, path));
        let Some(path) = path.filter(is_new) else {
            continue;
        };
        if let Some(places) = later_set(eval, &eval.eval(base, &stop.env), name) {
            found.push((path, places));
        }
    }
    found
}

/// Returns where an attribute of objects gets another value than `None`.
fn later_set(eval: &Eval, of: &Value, name: &Name) -> Option<Vec<(DefId, Place)>> {
    let Value::Instance(instance) = of else {
        return None;
    };
    let attributes = eval.attributes(instance);
    let attribute = attributes.iter().find(|a| a.name == *name)?;
    let is_none = |s: &Setting| {
        let module: Rc<Module> = eval.project.module(s.module);
        s.value.is_some_and(|at| module.slice(at) == "None")
    };
    let (none, set): (Vec<&Setting>, Vec<&Setting>) =
        attribute.set.iter().partition(|s| is_none(s));
    let places = set.iter().map(|s| place(s));
    none.iter().any(|s| s.is_sure).then(|| places.collect())
}

/// Returns the function that sets it, and where.
fn place(setting: &Setting) -> (DefId, Place) {
    (DefId::new(setting.module, setting.method), setting.at)
}
