//! A type that a call made under another name than its variable: `Vertex = namedtuple("Point", …)`.

use std::rc::Rc;

use crate::object::{Certainty, Edit};

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::{Eval, bindings_of};
use super::super::project::ModuleId;
use super::super::syntax::{Call, ExprKind, Module, Name, Source, Target};
use super::super::value::{DefId, Value};

/// What makes a type that goes by the name that it is given, with the word for such a type.
const MAKERS: &[(&str, &str)] = &[
    ("collections.namedtuple", "a namedtuple"),
    ("typing.NamedTuple", "a namedtuple"),
    ("enum.Enum", "an enum"),
    ("enum.IntEnum", "an enum"),
    ("enum.StrEnum", "an enum"),
    ("enum.Flag", "an enum"),
    ("enum.IntFlag", "an enum"),
    ("dataclasses.make_dataclass", "a dataclass"),
    ("type", "a class"),
];

/// Finds the variable that a type of this name is bound to at the top of a module.
pub(in super::super) fn renamed(
    eval: &Eval,
    script: Option<ModuleId>,
    module: &str,
    name: &str,
) -> Option<Found> {
    let is_it = |id: &ModuleId| match module {
        "__main__" | "__mp_main__" => Some(*id) == script,
        _ => is_module(&eval.project.module(*id), module),
    };
    let mut found = Vec::new();
    for id in eval.project.ids().into_iter().filter(is_it) {
        let of = eval.project.module(id);
        let top = eval.scope(DefId { module: id, def: 0 });
        if bindings_of(&of.defs[0], name).next().is_some() {
            return None;
        }
        for binding in &of.defs[0].bindings {
            let (Target::Name(bound), Source::Value(value)) = (&binding.target, &binding.source)
            else {
                continue;
            };
            let ExprKind::Call(call) = &value.kind else {
                continue;
            };
            let Value::Outside(full, _) = eval.eval(&call.func, &top) else {
                continue;
            };
            let maker = MAKERS.iter().find(|(m, _)| *m == &*full);
            let is_named = matches!(call.args.first().map(|a| &a.value.kind),
                Some(ExprKind::Text(text)) if text == name);
            if let (Some((_, kind)), true) = (maker, is_named) {
                found.push((id, Rc::clone(bound), Rc::clone(call), *kind));
            }
        }
    }
    let [(id, bound, call, kind)] = found.as_slice() else {
        return None;
    };
    Some(Found {
        path: bound.to_string(),
        of: format!("{kind} that goes by the name `{name}`"),
        module: *id,
        at: call.at,
        certainty: Certainty::Certain,
        plan: Ok(plan(&eval.project.module(*id), *id, bound, call)),
    })
}

/// Gives the type the name of its variable.
fn plan(module: &Module, id: ModuleId, bound: &Name, call: &Call) -> Plan {
    let given = call.args[0].value.at;
    let quote = &module.slice(given)[..1];
    let edit = Edit {
        start: given.start as usize,
        end: given.end as usize,
        text: format!("{quote}{bound}{quote}"),
    };
    let line = module.line(module.line_of(given.start));
    let code = line.trim().replacen(module.slice(given), &edit.text, 1);
    Plan {
        text: "Give the type the name of its variable, under which it can be looked up:".to_owned(),
        code,
        edits: vec![edit],
        module: id,
    }
}

/// Returns whether a file is the module of this dotted name.
fn is_module(module: &Module, name: &str) -> bool {
    let path = module.path.with_extension("");
    let mut parts: Vec<_> = path.iter().map(|p| p.to_string_lossy()).collect();
    if parts.last().is_some_and(|p| p == "__init__") {
        parts.pop();
    }
    let mut names = name.rsplit('.');
    names.all(|n| parts.pop().is_some_and(|p| p == n))
}
