//! A method whose name begins with two underscores: its class has it under another name.

use crate::object::{Certainty, Edit};

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::syntax::Module;
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
    Some(Found {
        path: format!("{class}.{name}"),
        of: "a private method".to_owned(),
        module: method.module,
        at: def.head,
        certainty: Certainty::Certain,
        plan: renamed(eval, method, name),
    })
}

/// Takes one of the underscores away, in all of the class.
fn renamed(eval: &Eval, method: DefId, name: &str) -> Planned {
    let module = eval.project.module(method.module);
    let class = &module.defs[module.defs[method.def].parent];
    let new = &name[1..];
    let mangled = mangled(&class.name, name);
    for id in eval.project.ids() {
        let other = eval.project.module(id);
        for taken in [new, mangled.as_str()] {
            if free_name(&other, taken) != taken {
                return Err(format!("the program uses `{taken}`, too"));
            }
        }
    }
    let head = module.line(module.line_of(module.defs[method.def].head.start));
    Ok(Plan {
        text: format!(
            "Begin its name with one underscore instead of two, in all of class `{}`:",
            class.name
        ),
        code: head.trim().replace(name, new),
        edits: words(
            &module,
            (class.at.start as usize, class.at.end as usize),
            name,
        )
        .map(|start| Edit::replace(start..start + 1, ""))
        .collect(),
        module: method.module,
    })
}

/// Returns where a name begins in a stretch of the text.
fn words(module: &Module, (start, end): (usize, usize), name: &str) -> impl Iterator<Item = usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let text = &module.text;
    let all = text[start..end].match_indices(name);
    all.map(move |(at, _)| start + at).filter(move |at| {
        !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    })
}
