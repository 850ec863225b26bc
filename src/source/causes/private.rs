//! A method whose name begins with two underscores: its class has it under another name.

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::text::{free_name, mangled};
use super::super::value::DefId;

/// Finds the private method of the one class of this name that another process asked for.
pub(in super::super) fn private(eval: &Eval, class: &str, name: &str) -> Option<Found> {
    if !name.starts_with("__") || name.ends_with("__") {
        return None;
    }
    let line = eval.line_of(eval.only_class(class)?);
    let method = eval.method(&line, name)?.id;
    let of = eval.project.module(method.module);
    let def = &of.defs[method.def];
    Some(Found::certain(
        format!("{class}.{name}"),
        "a private method",
        (method.module, def.head),
        renamed(eval, method, name),
    ))
}

/// Takes one of the underscores away, in all of the class.
fn renamed(eval: &Eval, method: DefId, name: &str) -> Planned {
    let module = eval.project.module(method.module);
    let class = &module.defs[module.defs[method.def].parent];
    let new = &name[1..];
    let mangled = mangled(&class.name, name);
    // `getattr(self, f"_Machine__{step}")`
    let prefix = format!("_{}__", class.name.trim_start_matches('_'));
    if eval.project.says(&prefix) {
        return Err(format!("the program uses `{prefix}…`, too"));
    }
    for other in eval.project.modules() {
        for taken in [new, mangled.as_str()] {
            if free_name(&other, taken) != taken {
                return Err(format!("the program uses `{taken}`, too"));
            }
        }
    }
    let head = module.line(module.line_of(module.defs[method.def].head.start));
    let text = format!(
        "Begin its name with one underscore instead of two, in all of class `{}`:",
        class.name
    );
    let edits = places_of(module.slice(class.at), name)
        .map(|at| class.at.start as usize + at)
        .map(|start| Edit::replace(start..start + 1, ""))
        .collect();
    Ok(Plan::new(
        method.module,
        text,
        head.trim().replace(name, new),
        edits,
    ))
}
