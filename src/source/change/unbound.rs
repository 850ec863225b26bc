//! A method that uses nothing of its object: as a static method it is sent by its name, without the object.

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::eval::{Eval, only_binding};
use super::super::objects::PROCESS;
use super::super::only::only;
use super::super::sent::Sending;
use super::super::syntax::{ExprKind, Kind, ParamKind};
use super::super::text::{indent_at, lists, newline};
use super::super::value::Value;
use super::Plan;

/// Methods that give a text or bytes.
const GIVE_TEXT: &str =
    "decode encode strip lower upper join format replace read readline hexdigest isoformat";

/// Finds the method that a call sends as its task, of an object that a library made part of, where the method does not
/// use that object.
pub(in super::super) fn unbound(eval: &Eval, sendings: &[Sending]) -> Option<Found> {
    let sending = only(sendings)?;
    let task = sending.task.as_ref()?;
    let Value::Method(of, function) = eval.force(&task.value) else {
        return None;
    };
    let (ExprKind::Attribute(..), Value::Instance(_)) = (&task.expr.kind, &*of) else {
        return None;
    };
    let module = eval.project.module(function.id.module);
    let def = &module.defs[function.id.def];
    let class = &module.defs[def.parent];
    let id = function.id.beside(def.parent);
    let line = eval.line_of(id);
    let is_plain = def.decorators.is_empty() && def.kind == Kind::Function && !def.is_async;
    let is_top = class.kind == Kind::Class && class.parent == 0;
    if !is_plain || !is_top || line.outside.is_empty() || line.derives_from(PROCESS) {
        return None;
    }
    let own = def.params.first().filter(|p| p.kind == ParamKind::Plain)?;
    let text = module.code(def.at);
    let says = |word: &str| text.contains(word);
    let is_unused = places_of(text, &own.name).count() == 1 && !says("super(") && !says("locals(");
    let name = &def.name;
    let others = eval.project.defs().filter(|(other, m)| {
        let other = &m.defs[other.def];
        other.name == *name && m.is_method(other)
    });
    // It is given an object there: `Handler.count(self, text)`, `type(self).count(self, text)`
    let is_given = |of: &str| eval.project.says(&format!("{of}.{name}"));
    let is_given = [&*class.name, "cls", "__class__", ")"]
        .into_iter()
        .any(is_given);
    if !is_unused || name.starts_with("__") || others.count() > 1 || is_given {
        return None;
    }
    let sender = eval.project.module(task.env.at.module);
    let path = sender.slice(task.expr.at).to_owned();
    let text = format!(
        "`{name}` does not use `{}`: make it a static method, which is sent without the object:",
        own.name
    );
    let head = module.slice(def.head).lines().next()?;
    let start = places_of(head, &own.name).next()?;
    let end = start + own.name.len();
    let rest = &head[end..];
    let skipped = rest.len() - rest.trim_start_matches([',', ' ']).len();
    if rest[skipped..].starts_with('/') {
        return None;
    }
    let new = format!("{}{}", &head[..start], &head[end + skipped..]);
    let code = format!("@staticmethod\n{new}");
    let indent = indent_at(&module, def.head.start);
    let caller = &sender.defs[task.env.at.def];
    let mut args = sending.call.args.iter().skip(1);
    // What else is sent may be what cannot be.
    let is_sure = args.all(|arg| {
        let name = arg.value.dotted().unwrap_or_default();
        let bound = only_binding(caller, &name);
        let given = bound.and_then(|b| b.source.given());
        let given = given.unwrap_or(&arg.value);
        let method = given.call().and_then(|c| Some(c.method()?.1));
        let is_text = method.is_some_and(|name| lists(GIVE_TEXT, name));
        is_text || matches!(eval.eval(&arg.value, &task.env), Value::Plain)
    });
    let mut edits = Vec::new();
    if is_sure && head.ends_with(':') {
        let at = def.head.start as usize;
        let newline = newline(&module);
        edits.push(Edit::insert(at, format!("@staticmethod{newline}{indent}")));
        edits.push(Edit::replace(at + start..at + end + skipped, ""));
    }
    Some(Found::likely(
        path,
        format!("a method that does not use `{}`", own.name),
        (function.id.module, def.head),
        Ok(Plan::new(function.id.module, text, code, edits)),
    ))
}
