//! Classes whose instances keep their attributes in `__slots__`, not in `__dict__`.

use std::rc::Rc;

use super::super::eval::{Eval, bindings_of, only_binding};
use super::super::instance::Line;
use super::super::syntax::{Binding, Def, Expr, ExprKind, Module};
use super::super::text::is_private;
use super::super::value::{DefId, Value};

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
    /// In the slots that `attrs` makes of its fields.
    Attrs,
    /// In what pydantic keeps apart for its private attributes.
    Private,
}

impl Slots {
    /// Returns the name of the dict in `__getstate__` that has the attributes.
    pub(super) fn holder(self) -> &'static str {
        match self {
            Self::Private => "private",
            _ => "state",
        }
    }

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
            Self::Attrs => &[
                "names = [a.name for a in self.__attrs_attrs__ if hasattr(self, a.name)]",
                "state = {n: getattr(self, n) for n in names}",
            ],
            Self::Private => &[
                "state = dict(super().__getstate__())",
                "state[\"__pydantic_private__\"] = private = dict(self.__pydantic_private__)",
            ],
        };
        lines.iter().copied().map(str::to_owned).collect()
    }

    /// Returns the lines that set them again, for `__setstate__`.
    pub(super) fn update(self, unit: &str) -> Vec<String> {
        match self {
            Self::None => vec!["self.__dict__.update(state)".to_owned()],
            Self::Private => vec!["super().__setstate__(state)".to_owned()],
            Self::Attrs => vec![
                "for name, value in state.items():".to_owned(),
                format!("{unit}object.__setattr__(self, name, value)"),
            ],
            _ => vec![
                "for name, value in state.items():".to_owned(),
                format!("{unit}setattr(self, name, value)"),
            ],
        }
    }
}

/// Returns where the instances of a class keep their attributes, or why that cannot be told.
pub(super) fn slots(eval: &Eval, line: &Line) -> Result<Slots, String> {
    if let [(id, _)] = line.own.as_slice()
        && line.outside.iter().all(|o| is_empty(o))
        && has_fields_as_slots(eval, *id)
    {
        return Ok(Slots::Attrs);
    }
    let mut names_all = true;
    let mut first = None;
    for (id, _) in &line.own {
        let module = eval.project.module(id.module);
        let class = &module.defs[id.def];
        if first.is_none() && has_slots(eval, *id) {
            first = Some(class.name.to_string());
        }
        names_all &= names_them(&module, class);
    }
    let Some(first) = first else {
        return Ok(Slots::None);
    };
    if !names_all || !line.outside.iter().all(|o| is_empty(o)) {
        return Err(format!("the class `{first}` has slots"));
    }
    Ok(match line.own.as_slice() {
        [_] => Slots::Own,
        _ => Slots::OfBases,
    })
}

/// Returns whether a base from outside keeps nothing.
pub(super) fn is_empty(base: &str) -> bool {
    EMPTY_BASES.contains(&base.trim_end_matches("()"))
}

fn has_slots(eval: &Eval, id: DefId) -> bool {
    let module = eval.project.module(id.module);
    let class = &module.defs[id.def];
    let mut decorators = class.decorators.iter();
    let by_decorator = |d: &Rc<Expr>| {
        let text = module.code(d.at);
        text.contains("slots=True") || makes_slots(eval, id, d) && !text.contains("slots=False")
    };
    bindings_of(class, "__slots__").next().is_some() || decorators.any(by_decorator)
}

/// Returns whether a decorator is one of `attrs` that gives a class slots unless told otherwise.
fn makes_slots(eval: &Eval, id: DefId, decorator: &Rc<Expr>) -> bool {
    const MAKE: [&str; 3] = ["define", "mutable", "frozen"];
    let of = match &decorator.kind {
        ExprKind::Call(call) => &call.func,
        _ => decorator,
    };
    match eval.eval(of, &eval.around(id)) {
        Value::Outside(name, _) => name
            .strip_prefix("attrs.")
            .or_else(|| name.strip_prefix("attr."))
            .is_some_and(|last| MAKE.contains(&last)),
        _ => false,
    }
}

/// Returns whether a class has slots for the fields of `attrs`, and nothing else in them.
fn has_fields_as_slots(eval: &Eval, id: DefId) -> bool {
    let module = eval.project.module(id.module);
    let class = &module.defs[id.def];
    let [decorator] = class.decorators.as_slice() else {
        return false;
    };
    let takes = [
        "slots=",
        "getstate_setstate",
        "these=",
        "auto_detect",
        "cached_property",
    ];
    let mut names = class.bindings.iter().filter_map(Binding::name);
    makes_slots(eval, id, decorator)
        && !takes.iter().any(|t| module.code(class.at).contains(t))
        && !names.any(|name| is_private(name))
}

/// Returns whether a class has its slots in a list of names, none of them private to the class or
/// the `__dict__` of all others. A dataclass writes such a list.
fn names_them(module: &Module, class: &Def) -> bool {
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
    let one = only_binding(class, "__slots__").and_then(Binding::named_value);
    let Some(ExprKind::Items(items)) = one.map(|(_, value)| &value.kind) else {
        return false;
    };
    let is_name = |e: &ExprKind| matches!(e, ExprKind::Text(name) if !name.starts_with("__"));
    items.iter().all(|i| is_name(&i.kind))
}

/// Returns that an attribute is one that pydantic keeps apart, with its own two methods for them.
pub(super) fn private(eval: &Eval, line: &Line, attribute: &str) -> Result<Slots, String> {
    // Of the version before they have other keys.
    let mut old = "pydantic.v1 @validator @root_validator .parse_obj(".split(' ');
    let is_old = old.any(|old| eval.project.says(old));
    let mut own_ways = "__getstate__ __setstate__ __setattr__ __reduce__ __reduce_ex__".split(' ');
    let has_own = own_ways.any(|name| eval.method(line, name).is_some());
    if is_old || has_own || !attribute.starts_with('_') || attribute.starts_with("__") {
        return Err("its base class `BaseModel` may pickle in a way of its own".to_owned());
    }
    Ok(Slots::Private)
}
