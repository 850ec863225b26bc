//! A queue or lock of another start method than the process that it is given to: `mp.Queue()` beside
//! `mp.get_context("spawn").Process()`.

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{BOUND, Plan};
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::syntax::{ExprKind, Module, Source, Target};
use super::super::text::{edited_line, imported};
use super::super::value::{DefId, Value};
use super::spread::{Giving, everywhere};

/// Finds what is made by the default start method, and lets the process's own make it.
pub(in super::super) fn mixed(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Found> {
    // Two contexts: which one a process has is not told.
    if frames.is_empty() || eval.project.says("\"fork\"") || eval.project.says("'fork'") {
        return None;
    }
    let all = everywhere(eval).into_iter();
    let made: Vec<Giving> = all.filter(|made| is_default(eval, made)).collect();
    let first = made.first()?;
    let id = first.env.at.module;
    let module = eval.project.module(id);
    let mut edits = Vec::new();
    for made in &made {
        let name = made.call.func.last_name()?;
        let context = context_before(eval, &module, made).unwrap_or_else(|| {
            let (get, import) = imported(&module, "multiprocessing", "get_context");
            edits.extend(
                import.filter(|_| edits.iter().all(|e: &Edit| !e.text.starts_with("import"))),
            );
            format!("{get}(\"spawn\")")
        });
        edits.push(Edit::replace(
            made.call.func.at,
            format!("{context}.{name}"),
        ));
    }
    let code = edited_line(&module, &edits, first.call.at);
    let plan = Plan {
        text: "Let the context that starts the process make it:".to_owned(),
        code,
        edits,
        module: id,
    };
    let is_one_file = made.iter().all(|m| m.env.at.module == id);
    Some(Found::certain(
        format!("{}()", module.slice(first.call.func.at)),
        "of the default start method",
        (id, first.call.at),
        is_one_file
            .then_some(plan)
            .ok_or_else(|| "they are made in several files".to_owned()),
    ))
}

/// Returns whether a call makes something that goes by the start method, by `multiprocessing`'s own.
fn is_default(eval: &Eval, made: &Giving) -> bool {
    let name = made.of.strip_prefix("multiprocessing.");
    if !name.is_some_and(|name| BOUND.contains(&name)) {
        return false;
    }
    match &made.call.func.kind {
        ExprKind::Attribute(base, _) => {
            matches!(eval.eval(base, &made.env), Value::OutsideModule(_))
        }
        ExprKind::Name(name) => {
            let module = eval.project.module(made.env.at.module);
            let mut all = module.defs[0].bindings.iter();
            all.any(|b| {
                matches!(&b.target, Target::Name(bound) if bound == name)
                    && matches!(&b.source, Source::From(from, _) if from.ends_with("multiprocessing"))
            })
        }
        _ => false,
    }
}

/// Returns the name of a context that is made above a call, in its scope.
fn context_before(eval: &Eval, module: &Module, made: &Giving) -> Option<String> {
    let at = made.env.at;
    [at, DefId::top(at.module)].iter().find_map(|scope| {
        module.defs[scope.def].bindings.iter().find_map(|b| {
            let (name, value) = b.named_value()?;
            let text = module.slice(value.at);
            let is_new = text.contains("\"spawn\"")
                || text.contains("'spawn'")
                || text.contains("forkserver");
            let is_context = || {
                let value = eval.eval(value, &eval.scope(*scope));
                matches!(value, Value::Made(of) if &*of.of == "multiprocessing.get_context")
            };
            (is_new && b.at.end < made.call.at.start && is_context()).then(|| name.to_string())
        })
    })
}
