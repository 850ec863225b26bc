//! An attribute of a class or module that the parent sets: `Settings.folder = args.folder`.

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::Planned;
use super::super::eval::{Eval, bindings_of};
use super::super::only::only;
use super::super::project::Frames;
use super::super::syntax::{Binding, Kind, Name};
use super::super::value::{DefId, Value};
use super::of_module::begun;
use super::ran::{has_run, place_of};
use super::set_there::set_on;
use super::unset::{handed_over, is_none};

/// How a worker's line finds the attribute.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Lacking<'q> {
    /// A class of this name has no attribute of that name.
    Missing(&'q str, &'q str),
    /// It is `None`, and used so.
    None(&'q Use),
}

/// Finds what sets the attribute of a class that a worker's innermost line uses, if it cannot have run
/// there.
pub(in super::super) fn of_class(
    eval: &Eval,
    frames: &Frames,
    (lacking, via): (Lacking, Option<Via>),
) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let text = module.slice(stop.statement.head);
    let mut found: Vec<(String, DefId, Name)> = Vec::new();
    for expr in stop.statement.walk() {
        let Some((base, name)) = expr.attribute() else {
            continue;
        };
        let (Some(path), Some(class)) = (expr.dotted(), owner(&eval.eval(base, &stop.env))) else {
            continue;
        };
        let is_known = found.iter().any(|(p, ..)| *p == path);
        if !is_known && is_lacking(eval, class, name, lacking, (text, &path)) {
            found.push((path, class, Rc::clone(name)));
        }
    }
    let (path, class, name) = only(&found)?;
    let setters = setters(eval, *class, name);
    let (setter, binding) = setters.first()?;
    if eval.project.is_cut.get()
        || setters
            .iter()
            .any(|(at, b)| has_run(eval, (*at, b.at), frames))
    {
        return None;
    }
    Some(Found::certain(
        path.clone(),
        format!("set {}", place_of(eval, *setter)),
        (setter.module, binding.at),
        match setters.len() {
            1 => plan(eval, path, (*setter, binding), via),
            _ => Err("it is set in several places".to_owned()),
        },
    ))
}

/// Returns the scope that a class or a module of the program is.
fn owner(value: &Value) -> Option<DefId> {
    match value {
        Value::Class(class, _) => Some(*class),
        Value::Module(id) => Some(DefId::top(*id)),
        _ => None,
    }
}

/// Returns whether a class is made without the attribute, or with `None`.
fn is_lacking(
    eval: &Eval,
    class: DefId,
    name: &Name,
    lacking: Lacking,
    (text, path): (&str, &str),
) -> bool {
    let module = eval.project.module(class.module);
    let def = &module.defs[class.def];
    let mut own = bindings_of(def, name).peekable();
    match lacking {
        Lacking::Missing(of, attribute) => {
            *def.name == *of && **name == *attribute && own.peek().is_none()
        }
        Lacking::None(used) => {
            // What a module's own functions set is another cause.
            let is_own = class.def == 0 && module.has_global(name);
            let is_blank = own.peek().is_some() && own.all(|b| is_none(&module, b));
            is_blank && !is_own && used.is_in(text, path)
        }
    }
}

/// Returns what sets an attribute on a class: functions, and the main guard.
fn setters(eval: &Eval, class: DefId, name: &Name) -> Vec<(DefId, Binding)> {
    let mut all = set_on(eval, name);
    all.retain(|(by, _, base)| owner(&eval.eval(base, &eval.scope(*by))) == Some(class));
    all.into_iter()
        .map(|(by, binding, _)| (by, binding))
        .collect()
}

/// Lets each worker set it while it starts.
fn plan(eval: &Eval, path: &str, (by, binding): (DefId, &Binding), via: Option<Via>) -> Planned {
    let module = eval.project.module(by.module);
    if module.defs[by.def].kind == Kind::Function
        && let Ok(plan) = begun(eval, by, via)
    {
        return Ok(plan);
    }
    if path.starts_with("cls.") {
        return Err("the class goes by another name there".to_owned());
    }
    let line = format!("{path} = value");
    handed_over(eval, (path, &[line]), (by, binding), via)
}
