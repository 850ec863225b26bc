//! Classes whose instances keep their attributes in `__slots__`, not in `__dict__`.

use super::super::eval::{Eval, bindings_of};
use super::super::instance::Line;
use super::super::syntax::{Def, ExprKind, Module, Source};

/// Bases from outside that have no attributes of their own.
const EMPTY_BASES: &[&str] = &["object", "abc.ABC", "typing.Generic"];

/// Where instances keep their attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slots {
    /// In `__dict__`.
    None,
    /// In the `__slots__` of the class.
    Own,
    /// In those of its bases too.
    OfBases,
}

impl Slots {
    /// Returns the lines of `__getstate__` that take all attributes by name into `state`.
    pub(super) fn all(self) -> Vec<String> {
        let lines: &[&str] = match self {
            Self::None => &["state = self.__dict__.copy()"],
            Self::Own => &[
                "names = [n for n in self.__slots__ if hasattr(self, n)]",
                "state = {n: getattr(self, n) for n in names}",
            ],
            Self::OfBases => &[
                "slots = [getattr(c, \"__slots__\", ()) for c in type(self).__mro__]",
                "names = [n for of in slots for n in of if hasattr(self, n)]",
                "state = {n: getattr(self, n) for n in names}",
            ],
        };
        lines.iter().copied().map(str::to_owned).collect()
    }

    /// Returns the lines that set them again, for `__setstate__`.
    pub(super) fn update(self, unit: &str) -> Vec<String> {
        match self {
            Self::None => vec!["self.__dict__.update(state)".to_owned()],
            _ => vec![
                "for name, value in state.items():".to_owned(),
                format!("{unit}setattr(self, name, value)"),
            ],
        }
    }
}

/// Returns where the instances of a class keep their attributes, or why that cannot be told.
pub(super) fn slots(eval: &Eval, line: &Line) -> Result<Slots, String> {
    let mut names_all = true;
    let mut first = None;
    for (id, _) in &line.own {
        let module = eval.project.module(id.module);
        let class = &module.defs[id.def];
        if first.is_none() && has_slots(&module, class) {
            first = Some(class.name.to_string());
        }
        names_all &= names_them(&module, class);
    }
    let Some(first) = first else {
        return Ok(Slots::None);
    };
    let is_empty = |name: &str| EMPTY_BASES.contains(&name.trim_end_matches("()"));
    if !names_all || !line.outside.iter().all(|o| is_empty(o)) {
        return Err(format!("the class `{first}` has slots"));
    }
    Ok(match line.own.as_slice() {
        [_] => Slots::Own,
        _ => Slots::OfBases,
    })
}

fn has_slots(module: &Module, class: &Def) -> bool {
    let decorators = class.decorators.iter().map(|d| module.slice(d.at));
    let by_decorator = |text: &str| {
        text.contains("slots=True")
            || ["define", "mutable", "attr.s", "attrs.frozen"]
                .iter()
                .any(|name| text.contains(name))
    };
    bindings_of(class, "__slots__").next().is_some() || decorators.into_iter().any(by_decorator)
}

/// Returns whether a class has its slots in a list of names, none of them private to the class or
/// the `__dict__` of all others. A dataclass writes such a list.
fn names_them(module: &Module, class: &Def) -> bool {
    let mut bound = bindings_of(class, "__slots__");
    if let [decorator] = class.decorators.as_slice() {
        let text = module.slice(decorator.at);
        let takes = ["frozen=True", "weakref_slot", "attr"];
        return text.contains("dataclass(")
            && text.contains("slots=True")
            && !takes.iter().any(|t| text.contains(t));
    }
    if !class.decorators.is_empty() {
        return false;
    }
    let (Some(one), None) = (bound.next(), bound.next()) else {
        return false;
    };
    let Source::Value(value) = &one.source else {
        return false;
    };
    let ExprKind::Items(items) = &value.kind else {
        return false;
    };
    let is_name = |e: &ExprKind| matches!(e, ExprKind::Text(name) if !name.starts_with("__"));
    items.iter().all(|i| is_name(&i.kind))
}
