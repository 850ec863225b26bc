//! A `__getattr__` that reads what `__init__` sets, in an object that was made without it.

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::syntax::{Def, Kind, Module, Name, Place};
use super::super::text::{above, mangled, unit};
use super::super::value::DefId;

/// Finds the `__getattr__` of the last frame, and what it reads first of what `__init__` sets.
pub(in super::super) fn endless(eval: &Eval, frames: &Frames) -> Option<Found> {
    let (id, line) = *frames.last()?;
    let module = eval.project.module(id);
    let method = &module.defs[module.def_at(line)];
    let class = &module.defs[method.parent];
    if &*method.name != "__getattr__" || class.kind != Kind::Class {
        return None;
    }
    let class_id = DefId::new(id, method.parent);
    let own = &method.params.first()?.name;
    let asked = &method.params.get(1)?.name;
    let read = method.exprs().flat_map(|e| e.attributes_of(own));
    let known = eval.attributes(&eval.instance(class_id));
    let is_set = |name: &Name| {
        known
            .iter()
            .any(|a| a.name == *name && a.set.iter().any(|s| s.is_sure))
    };
    // What it passes the question on to, else what it reads first.
    let set: Vec<(&Name, Place)> = read.filter(|(n, _)| is_set(n)).collect();
    let asks = |at: Place| {
        let before = &module.text[..at.start as usize];
        before.ends_with("getattr(")
    };
    let (target, _) = set.iter().find(|(_, at)| asks(*at)).or(set.first())?;
    Some(Found::certain(
        format!("{}.__getattr__", class.name),
        format!("which reads `{target}`"),
        (id, method.head),
        guarded(&module, method, [own, asked, target]),
    ))
}

/// Leaves special names unanswered, and all while the object is empty.
fn guarded(module: &Module, method: &Def, names: [&Name; 3]) -> Planned {
    let [own, asked, target] = names;
    let class = &module.defs[method.parent];
    if module.has_errors || module.code(class.at).contains("__slots__") {
        return Err("the class has slots".to_owned());
    }
    let first = method.begin().ok_or("its body cannot be read")?;
    let unit = unit(module, class);
    let key = mangled(&class.name, target);
    let test = format!("if {asked}.startswith(\"__\") or \"{key}\" not in {own}.__dict__:");
    let raise = format!("{unit}raise AttributeError({asked})");
    let edit = above(module, first.at.start, &[&test, &raise])
        .ok_or("its body stands on one line with its head")?;
    let text = format!(
        "Leave special names unanswered, and all names while `{target}` is not there. At the top of `__getattr__`:"
    );
    Ok(Plan::new(
        module.id,
        text,
        format!("{test}\n{raise}"),
        vec![edit],
    ))
}
