//! What workers change in a list or dict that lies in a manager's: it was a copy.

use std::rc::Rc;

use super::super::answer::Found;
use super::super::asked::Lack;
use super::super::change::Plan;
use super::super::eval::{Eval, bindings_of, only_binding};
use super::super::project::Frames;
use super::super::syntax::{Def, Expr, ExprKind, Name, Source, Statement, Target};
use super::super::value::DefId;
use super::alone::Workers;
use super::filled::asked;
use super::ran::place_of;
use super::stayed::{fills, given, kept};

/// What a manager makes that others can lie in.
const HOLDERS: [&str; 2] = [
    "multiprocessing.Manager().dict",
    "multiprocessing.Manager().list",
];

/// Finds the place in a worker that changes what lies in a manager's list or dict, of which the parent's innermost
/// line misses an item.
pub(in super::super) fn nested(eval: &Eval, frames: &Frames, lack: &Lack) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let at = stop.env.at;
    let base = asked(&module, &stop.statement, lack)?;
    let root = holder(&module.defs[at.def], &stop.statement, base)?;
    let kept = kept(eval, at, root)?;
    let owner = eval.project.module(kept.owner.module);
    let def = &owner.defs[kept.owner.def];
    let made = only_binding(def, &kept.name)?.source.given()?.call()?;
    let env = eval.scope(kept.owner);
    let is_holder = |of: &str| HOLDERS.contains(&of);
    // Where the manager makes what lies there, it is none.
    let is_one = eval.all_made().filter(|m| is_holder(&m.of)).count() == 1;
    if !is_holder(&eval.made(made, &env)?.of) || !is_one {
        return None;
    }
    let given = given(eval, &kept)?;
    let workers = Workers::of(eval, None);
    let (mut within, whole): (Vec<_>, Vec<_>) = fills(eval, &kept, &given)
        .into_iter()
        .partition(|f| f.is_within);
    let first = within.pop()?;
    let is_of_worker = |by: DefId| workers.has(eval, by);
    // It puts the copy back.
    if whole.iter().any(|f| is_of_worker(f.by)) || !is_of_worker(first.by) {
        return None;
    }
    let is_it = |e: &Expr| e.is_name(&kept.name);
    let put = def
        .bindings
        .iter()
        .find_map(|b| match (&b.target, &b.source) {
            (Target::Content(of, _), Source::Value(value)) if is_it(of) => inner(value),
            _ => None,
        });
    let inner = put.or_else(|| made.args.first().map(|a| &a.value).and_then(within_it))?;
    let text = owner.slice(inner.at);
    let (kind, args) = match &inner.kind {
        ExprKind::Dict(items) if items.is_empty() => ("dict", ""),
        ExprKind::Dict(_) => ("dict", text),
        ExprKind::Items(items) if items.is_empty() => ("list", ""),
        _ => ("list", text),
    };
    let manager = owner.slice(made.method()?.0.at);
    Some(Found::certain(
        module.slice(base.at).to_owned(),
        format!("changed {}", place_of(eval, first.by)),
        (first.by.module, first.at),
        Ok(Plan::new(
            kept.owner.module,
            format!(
                "What is taken out of `{}` is a copy. Let the manager make what lies in it, too:",
                kept.name
            ),
            format!("{manager}.{kind}({args})  # was: {text}"),
            Vec::new(),
        )),
    ))
}

/// Returns the name of what an expression is taken out of: `found` for `found["a"]`, or for `row` of `for row in found`.
fn holder<'s>(def: &'s Def, statement: &'s Statement, base: &'s Rc<Expr>) -> Option<&'s Name> {
    let of = match &base.kind {
        ExprKind::Subscript(..) => base.subscripted().0,
        ExprKind::Name(name) => {
            let all = statement.walk();
            let mut looped = all.filter_map(|e| match &e.kind {
                ExprKind::Comprehension(c) => {
                    c.loops.iter().find(|(target, _)| target.is_name(name))
                }
                _ => None,
            });
            let bound = || {
                bindings_of(def, name).find_map(|b| match &b.source {
                    Source::Element(of) => Some(of),
                    _ => None,
                })
            };
            looped.next().map(|(_, of)| of).or_else(bound)?
        }
        _ => return None,
    };
    let of = of.call().and_then(|c| c.method()).map_or(of, |(of, _)| of);
    match &of.kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    }
}

/// Returns an expression that is a list or dict as it is written.
fn inner(expr: &Rc<Expr>) -> Option<&Rc<Expr>> {
    matches!(expr.kind, ExprKind::Items(_) | ExprKind::Dict(_)).then_some(expr)
}

/// Returns the first list or dict that lies in one that is written so.
fn within_it(expr: &Rc<Expr>) -> Option<&Rc<Expr>> {
    match &expr.kind {
        ExprKind::Items(items) => inner(items.first()?),
        ExprKind::Dict(items) => inner(&items.first()?.1),
        ExprKind::Comprehension(of) => inner(&of.element),
        _ => None,
    }
}
