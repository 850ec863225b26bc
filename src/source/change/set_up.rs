//! What a method does to an attribute after it has made it: `self.db.row_factory = sqlite3.Row`.

use std::rc::Rc;

use super::super::eval::{Eval, bindings_of};
use super::super::syntax::{
    Call, Def, Expr, ExprKind, Name, Place, Source, Statement, StatementKind, Target,
};
use super::super::text::names_in;
use super::super::value::{Attribute, Instance, Setting, Value};
use super::remake::Remade;
use super::worded::worded;

/// What opens a file, whose place in it a new one does not have.
const FILES: &[&str] = &[
    "open",
    "io.open",
    "codecs.open",
    "gzip.open",
    "bz2.open",
    "lzma.open",
];
/// Methods of a file that leave a reader's place as it is.
const WRITES: &[&str] = &["write", "writelines", "flush", "close", "fileno", "isatty"];
/// Methods without which a new socket is of no use.
const CONNECTS: &[&str] = &["connect", "bind", "listen"];
/// How the names of methods begin that set something up.
const SETS: &[&str] = &["set", "load_", "create_", "register_", "enable_"];
/// Methods that set up what an object holds: `self.session.headers.update(…)`.
const FILLS: &[&str] = &["update", "append", "add", "extend"];
/// Objects on which nothing is repeated: a new one is not started.
const NOT_STARTED: &[&str] = &["threading.Thread", "threading.Timer"];

/// Adds the lines that set the attribute up again; refuses where that cannot be done in words of
/// `self`.
pub(super) fn set_up(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
    (setting, value): (&Setting, &Value),
    mut remade: Remade,
) -> Result<Remade, String> {
    let module = eval.project.module(setting.module);
    let method = &module.defs[setting.method];
    let Some(own) = method.params.first().filter(|_| setting.class.is_some()) else {
        return Ok(remade);
    };
    let of: Vec<Rc<str>> = value.alternatives().iter().filter_map(made_of).collect();
    let is_any = |names: &[&str]| of.iter().any(|o| names.iter().any(|n| o.starts_with(n)));
    if is_any(NOT_STARTED) {
        return Ok(remade);
    }
    let is_file = value.alternatives().iter().any(is_read);
    let suite = method.statements.iter().find(|s| s.at == setting.at);
    let suite = suite.map(|s| s.suite);
    let is_it = |e: &Expr| is_own(e, &own.name, &attribute.name);
    let later = method.statements.iter();
    for statement in later.filter(|s| s.at.start >= setting.at.end) {
        let set = assigned(method, statement, &is_it);
        let mut calls = Vec::new();
        for expr in &statement.exprs {
            calls_of(expr, &is_it, &mut calls);
        }
        let is_call = |names: &[&str]| calls.iter().any(|(_, name)| names.contains(&&**name));
        let writes = || !calls.is_empty() && calls.iter().all(|(_, n)| WRITES.contains(&&**n));
        let line = module.slice(statement.head).lines().next();
        let line = line.unwrap_or_default().trim().trim_end_matches(':');
        if is_file && statement.exprs.iter().any(|e| has(e, &is_it)) && !writes() {
            return Err(format!("a new one would not be where `{line}` leaves it"));
        }
        if is_any(&["socket."]) && is_call(CONNECTS) {
            return Err(format!("a new one would be without `{line}`"));
        }
        let is_set = |(call, name): &(Rc<Call>, Name)| {
            let holds = |e: &Expr| matches!(&e.kind, ExprKind::Attribute(base, _) if is_inner(base, &is_it));
            SETS.iter().any(|s| name.starts_with(s))
                || FILLS.contains(&&**name) && holds(&call.func)
                || &**name == "execute"
                    && module
                        .slice(call.at)
                        .to_ascii_uppercase()
                        .contains("PRAGMA ")
        };
        let given = match (&set, calls.as_slice()) {
            (Some(value), _) => vec![value],
            (None, [one]) if is_set(one) && statement.kind == StatementKind::Expr => {
                one.0.args.iter().map(|a| &a.value).collect()
            }
            (None, calls) if calls.iter().any(is_set) => Vec::new(),
            _ => continue,
        };
        let lost = || format!("a new one would be without `{line}`");
        let is_plain = !given.is_empty() && Some(statement.suite) == suite && &*own.name == "self";
        let text = module.slice(statement.at);
        if !is_plain || text.contains('\n') || setting.module != instance.class.module {
            return Err(lost());
        }
        // From behind, so that the places before stay.
        let mut text = text.to_owned();
        for value in given.into_iter().rev() {
            let mut names = Vec::new();
            names_in(value, &mut names);
            let is_late =
                |name: &Name| bindings_of(method, name).any(|b| b.at.start > setting.at.start);
            if names.iter().any(|(n, _)| is_late(n)) {
                return Err(lost());
            }
            let said = worded(eval, instance, setting, &module, value)?;
            let Place { start, end } = value.at;
            let at = |offset: u32| (offset - statement.at.start) as usize;
            text.replace_range(at(start)..at(end), &said.text);
            for edit in said.edits {
                if !remade.edits.contains(&edit) {
                    remade.edits.push(edit);
                }
            }
        }
        remade.then.push(text);
    }
    Ok(remade)
}

fn made_of(value: &Value) -> Option<Rc<str>> {
    match value {
        Value::Made(made) => Some(Rc::clone(&made.of)),
        _ => None,
    }
}

/// Returns whether a value is a file that is not only added to.
fn is_read(value: &Value) -> bool {
    let adds = |e: &Expr| matches!(&e.kind, ExprKind::Text(t) if ["a", "ab", "at"].contains(&&**t));
    matches!(value, Value::Made(made)
        if FILES.contains(&&*made.of) && !made.call.args.iter().any(|a| adds(&a.value)))
}

/// Returns whether an expression is the attribute, or something of it: `self.db`, `self.lib.add`.
fn is_own(expr: &Expr, own: &Name, attribute: &Name) -> bool {
    match &expr.kind {
        ExprKind::Attribute(base, name) => {
            name == attribute && matches!(&base.kind, ExprKind::Name(n) if n == own)
                || is_own(base, own, attribute)
        }
        _ => false,
    }
}

/// Returns whether an expression is something of the attribute, not the attribute itself.
fn is_inner(expr: &Expr, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    matches!(&expr.kind, ExprKind::Attribute(base, _) if is_it(base))
}

/// Returns what a statement sets on the attribute.
fn assigned(
    method: &Def,
    statement: &Statement,
    is_it: &dyn Fn(&Expr) -> bool,
) -> Option<Rc<Expr>> {
    let mut bound = method.bindings.iter().filter(|b| b.at == statement.at);
    bound.find_map(|b| match (&b.target, &b.source) {
        (Target::Attribute(base, _), Source::Value(value)) if is_it(base) => Some(Rc::clone(value)),
        // `self.session.headers["Accept"] = kind`
        (Target::Content(base, _), Source::Value(value))
            if is_inner(base, is_it) && statement.kind == StatementKind::Assign =>
        {
            Some(Rc::clone(value))
        }
        _ => None,
    })
}

/// Collects the calls of the attribute's methods.
fn calls_of(expr: &Expr, is_it: &dyn Fn(&Expr) -> bool, found: &mut Vec<(Rc<Call>, Name)>) {
    if let ExprKind::Call(call) = &expr.kind
        && let ExprKind::Attribute(base, name) = &call.func.kind
        && is_it(base)
    {
        found.push((Rc::clone(call), Rc::clone(name)));
    }
    for part in expr.parts() {
        calls_of(part, is_it, found);
    }
}

/// Returns whether the attribute is part of an expression.
fn has(expr: &Expr, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    is_it(expr) || expr.parts().into_iter().any(|p| has(p, is_it))
}
