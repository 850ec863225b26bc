//! A method that goes by the name of the function behind it: a wrapper's, or `<lambda>`; one that its class has under
//! another name, as it begins with two underscores.

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::{Plan, Planned, lambda_of, wrapper_of, wraps};
use super::super::eval::{Eval, is_decorated};
use super::super::only::only;
use super::super::syntax::Kind;
use super::super::text::{free_name, is_private, mangled};
use super::super::value::DefId;

/// Finds what makes the method of the one class of this name that another process asked for.
pub(in super::super) fn misnamed(eval: &Eval, class: &str, name: &str) -> Option<Found> {
    let line = eval.line_of(eval.only_class(class)?).own;
    let own: Vec<DefId> = line.into_iter().map(|(id, _)| id).collect();
    if name == "<lambda>" {
        lambda(eval, class, &own)
    } else {
        wrapper(eval, class, name, &own)
    }
}

/// Finds the one wrapper of this name whose decorator a method of these classes has.
fn wrapper(eval: &Eval, class: &str, name: &str, line: &[DefId]) -> Option<Found> {
    let mut found = Vec::new();
    for (id, module) in eval.project.defs() {
        let def = &module.defs[id.def];
        let Some(decorator) = wrapper_of(&module, def).filter(|_| *def.name == *name) else {
            continue;
        };
        let method = line.iter().find_map(|class| {
            let of = eval.project.module(class.module);
            let mut methods = of.defs.iter().filter(|d| d.parent == class.def);
            methods
                .find(|d| d.kind == Kind::Function && is_decorated(d, decorator))
                .map(|d| d.name.to_string())
        });
        found.extend(method.map(|method| (id, method)));
    }
    let (id, method) = only(&found)?;
    let module = eval.project.module(id.module);
    Some(Found::certain(
        format!("{class}.{method}"),
        format!("a method that goes by the name `{name}`"),
        (id.module, module.defs[id.def].head),
        wraps(eval, &module, *id),
    ))
}

/// Finds the one lambda that these classes have as a method.
fn lambda(eval: &Eval, class: &str, line: &[DefId]) -> Option<Found> {
    let mut found = Vec::new();
    for id in line {
        let module = eval.project.module(id.module);
        for binding in &module.defs[id.def].bindings {
            let Some((name, value)) = binding.named_value() else {
                continue;
            };
            let lambda = module
                .defs()
                .find(|(_, d)| d.kind == Kind::Lambda && d.at == value.at);
            found.extend(lambda.map(|(def, _)| (id.beside(def), name.to_string())));
        }
    }
    let (id, name) = only(&found)?;
    let module = eval.project.module(id.module);
    let path = format!("{class}.{name}");
    let plan = lambda_of(eval, &path, *id);
    Some(Found::certain(
        path,
        "a lambda",
        (id.module, module.defs[id.def].at),
        plan,
    ))
}

/// Finds the private method of the one class of this name that another process asked for.
pub(in super::super) fn private(eval: &Eval, class: &str, name: &str) -> Option<Found> {
    if !is_private(name) {
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
