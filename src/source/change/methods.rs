//! `__getstate__` and `__setstate__` of a class: new ones, or more lines in its own.

use crate::object::Edit;

use super::super::eval::bindings_of;
use super::super::only::only;
use super::super::syntax::{Def, ExprKind, Module, Source, StatementKind};
use super::super::text::{after, indent_at, line_start, method_after, newline};
use super::super::value::DefId;
use super::slots::Slots;

/// Where the methods go, and what they call for the rest of the state.
pub(super) struct Methods {
    pub(super) class: DefId,
    /// A `__getstate__` of the class itself, by its number.
    pub(super) getstate: Option<usize>,
    /// A `__setstate__` of the class itself.
    pub(super) setstate: Option<usize>,
    /// Whether a base has them.
    pub(super) base_getstate: bool,
    pub(super) base_setstate: bool,
    pub(super) slots: Slots,
}

/// What goes into the two methods.
pub(super) struct Lines {
    /// One step of indentation.
    pub(super) unit: String,
    /// What leaves attributes out of `state`.
    pub(super) outs: Vec<String>,
    /// What makes them again.
    pub(super) again: Vec<String>,
}

impl Lines {
    /// Adds the edits that put them there, and returns them as code to show.
    pub(super) fn put(
        &self,
        module: &Module,
        class: &Def,
        methods: &Methods,
        edits: &mut Vec<Edit>,
    ) -> Result<String, String> {
        let (mut shown, mut added) = (Vec::new(), Vec::new());
        if self.outs.is_empty() {
            // What `__getstate__` returns stays as it is.
        } else if let Some(number) = methods.getstate {
            edits.push(longer_getstate(module, &module.defs[number], &self.outs)?);
            let outs = self.outs.iter();
            shown.extend(outs.map(|out| format!("{out}  # in __getstate__")));
        } else {
            added.extend(self.getstate(methods));
        }
        if self.again.is_empty() {
            // Unpickling fills `__dict__` by itself.
        } else if let Some(number) = methods.setstate {
            edits.push(longer_setstate(module, &module.defs[number], &self.again)?);
            let again = self.again.iter();
            shown.extend(again.map(|line| format!("{line}  # in __setstate__")));
        } else {
            if !added.is_empty() {
                added.push(String::new());
            }
            added.extend(self.setstate(methods));
        }
        if !added.is_empty() {
            edits.push(at_the_end(module, class, &self.unit, &added));
        }
        if !shown.is_empty() && !added.is_empty() {
            shown.push(String::new());
        }
        shown.extend(added);
        Ok(shown.join("\n"))
    }

    fn getstate(&self, methods: &Methods) -> Vec<String> {
        let unit = &self.unit;
        let all = if methods.base_getstate {
            vec!["state = dict(super().__getstate__())".to_owned()]
        } else {
            methods.slots.all()
        };
        let mut lines = vec!["def __getstate__(self):".to_owned()];
        lines.extend(all.iter().map(|line| format!("{unit}{line}")));
        lines.extend(self.outs.iter().map(|out| format!("{unit}{out}")));
        lines.push(format!("{unit}return state"));
        lines
    }

    fn setstate(&self, methods: &Methods) -> Vec<String> {
        let unit = &self.unit;
        let update = if methods.base_setstate {
            vec!["super().__setstate__(state)".to_owned()]
        } else {
            methods.slots.update(unit)
        };
        let mut lines = vec!["def __setstate__(self, state):".to_owned()];
        lines.extend(update.iter().map(|line| format!("{unit}{line}")));
        lines.extend(self.again.iter().map(|line| format!("{unit}{line}")));
        lines
    }
}

/// Adds lines to a `__getstate__` before it returns what it has copied.
fn longer_getstate(module: &Module, def: &Def, outs: &[String]) -> Result<Edit, String> {
    let strange = || "its own `__getstate__` is of another form".to_owned();
    let last = only(def.of_kind(StatementKind::Return)).ok_or_else(strange)?;
    let value = last.exprs.first().ok_or_else(strange)?;
    let newline = newline(module);
    let indent = indent_at(module, last.at.start);
    let is_copy = |text: &str| {
        text.contains("__dict__.copy()")
            || text.starts_with("dict(")
            || text.starts_with("copy.copy(")
            || text.starts_with('{')
    };
    let text = module.slice(value.at);
    if let ExprKind::Name(name) = &value.kind {
        let copies = bindings_of(def, name)
            .any(|b| matches!(&b.source, Source::Value(value) if is_copy(module.slice(value.at))));
        if !copies {
            return Err(strange());
        }
        let start = line_start(module, last.at.start as usize);
        let lines = outs.iter().map(|out| {
            let out = out.replacen("state", name, 1);
            format!("{indent}{out}{newline}")
        });
        return Ok(Edit::insert(start, lines.collect::<String>()));
    }
    let is_taken = bindings_of(def, "state").next().is_some();
    let copy = match text {
        "self.__dict__" => "self.__dict__.copy()",
        text if is_copy(text) => text,
        _ => return Err(strange()),
    };
    if is_taken {
        return Err(strange());
    }
    let mut lines = vec![format!("state = {copy}")];
    lines.extend(outs.iter().cloned());
    lines.push("return state".to_owned());
    Ok(Edit::replace(
        last.at,
        lines.join(&format!("{newline}{indent}")),
    ))
}

/// Adds lines at the end of a `__setstate__`.
fn longer_setstate(module: &Module, def: &Def, again: &[String]) -> Result<Edit, String> {
    let body = def.statements.first().map(|s| s.suite);
    let is_plain = def.of_kind(StatementKind::Return).next().is_none();
    let sets_all = module.code(def.at).contains("__dict__")
        || module.code(def.at).contains("super().__setstate__");
    let last = def.statements.iter().rfind(|s| Some(s.suite) == body);
    let (Some(last), true, true) = (last, is_plain, sets_all) else {
        return Err("its own `__setstate__` is of another form".to_owned());
    };
    if def.params.first().is_none_or(|p| &*p.name != "self") {
        return Err("its own `__setstate__` has no `self`".to_owned());
    }
    let indent = indent_at(module, last.at.start);
    Ok(after(module, last.at.end as usize, &indent, again))
}

/// Adds methods at the end of a class.
pub(super) fn at_the_end(module: &Module, class: &Def, unit: &str, lines: &[String]) -> Edit {
    let indent = format!("{}{unit}", indent_at(module, class.head.start));
    method_after(module, class.at.end as usize, &indent, lines)
}
