//! What a task was started with, used as if it were the result: `total += future`.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::project::Frames;
use super::super::sent::Stop;
use super::super::syntax::{Expr, ExprKind, Module, Name, Statement};
use super::super::text::{above, lists};
use super::super::value::{Env, Made, Value};
use super::ended::block_of;

/// What starts tasks, and the method that fetches the result.
const FETCHED: [(&str, &str); 4] = [
    ("multiprocessing.Pool().apply_async", "get"),
    ("multiprocessing.Pool().map_async", "get"),
    ("multiprocessing.Pool().starmap_async", "get"),
    ("concurrent.futures.ProcessPoolExecutor().submit", "result"),
];

/// Methods that a handle has itself.
const OWN: &str =
    "add_done_callback cancel cancelled done exception get ready result running successful wait";

/// What takes a list of results.
const READERS: [&str; 6] = ["join", "max", "min", "sort", "sorted", "sum"];

/// A handle in the place of a result.
struct Use {
    expr: Rc<Expr>,
    made: Rc<Made>,
    misuse: Misuse,
}

/// How it is used.
enum Misuse {
    Itself,
    /// In a list of this name.
    Listed(Name),
    /// By the other kind's method: `future.get()`.
    Misnamed(Name),
}

/// Finds what the last frame uses before it is fetched.
pub(in super::super) fn unfetched(eval: &Eval, frames: &Frames) -> Option<Found> {
    let Stop { env, statement } = eval.stops(frames).pop()?;
    let module = eval.project.module(env.at.module);
    let line = |s: &Statement| module.line_of(s.at.start);
    let mut all = module.defs[env.at.def].statements.iter();
    // `print(one); print(two)`: which of them fails is not told.
    if all.any(|s| s.at != statement.at && line(s) == line(&statement)) {
        return None;
    }
    let mut uses = Vec::new();
    for expr in &statement.exprs {
        note(eval, expr, &env, &mut uses);
    }
    let is_listed = |u: &Use| matches!(u.misuse, Misuse::Listed(_));
    let are_all = uses.iter().all(is_listed);
    uses.retain(|u| are_all || !is_listed(u));
    let first = uses.first()?;
    let plan = fetched(eval, &env, &statement, &uses);
    Some(Found::certain(
        module.slice(first.expr.at).to_owned(),
        "whose result was not fetched",
        (first.made.env.at.module, first.made.call.at),
        plan,
    ))
}

/// Notes the handles in an expression that something else than their own methods is asked of.
fn note(eval: &Eval, expr: &Rc<Expr>, env: &Env, uses: &mut Vec<Use>) {
    let mut add = |expr: &Rc<Expr>, made, misuse| {
        let expr = Rc::clone(expr);
        uses.push(Use { expr, made, misuse });
    };
    if let Some((base, name)) = expr.attribute()
        && lists(OWN, name)
        && let Some(made) = handle(&eval.eval(base, env))
    {
        let is_fetch = FETCHED.iter().any(|(_, method)| **name == **method);
        if is_fetch && method(&made) != Some(&**name) {
            add(base, made, Misuse::Misnamed(Rc::clone(name)));
        }
        return;
    }
    let read = read(expr);
    let is_one = matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Call(_) | ExprKind::Subscript(..)
    );
    // `min(jobs)` fails before it gives one of them.
    if is_one
        && read.is_none()
        && let Some(made) = handle(&eval.eval(expr, env))
    {
        add(expr, made, Misuse::Itself);
        return;
    }
    if let Some(list) = read
        && let ExprKind::Name(name) = &list.kind
        && let Some(made) = handle(&eval.element_of(&eval.eval(list, env)))
    {
        add(list, made, Misuse::Listed(Rc::clone(name)));
    }
    if let ExprKind::Comprehension(inner) = &expr.kind {
        note(eval, &inner.element, &eval.overlay(inner, env), uses);
    }
    for part in expr.parts() {
        note(eval, part, env, uses);
    }
}

/// Returns what a call reads as a list of results: `jobs` of `sum(jobs)`; with a `key` handles may be meant.
fn read(expr: &Rc<Expr>) -> Option<&Rc<Expr>> {
    let call = expr.call().filter(|call| call.labelled("key").is_none())?;
    let reader = call.func.last_name().filter(|n| READERS.contains(&&***n))?;
    let of = call.method().filter(|_| &**reader == "sort");
    of.map(|(of, _)| of).or(call.args.first().map(|a| &a.value))
}

/// Returns the call that gave a handle; `None` where it may be something else.
fn handle(value: &Value) -> Option<Rc<Made>> {
    let all = value.alternatives();
    let made = all.iter().map(|v| match v {
        Value::Made(made) if method(made).is_some() => Some(Rc::clone(made)),
        _ => None,
    });
    made.collect::<Option<Vec<_>>>()?.into_iter().next()
}

fn method(made: &Made) -> Option<&'static str> {
    let found = FETCHED.iter().find(|(of, _)| *of == &*made.of);
    found.map(|(_, method)| *method)
}

/// Fetches the results where they are used; in a line above where more is done with them.
fn fetched(eval: &Eval, env: &Env, statement: &Statement, uses: &[Use]) -> Planned {
    let module = &eval.project.module(env.at.module);
    let def = &module.defs[env.at.def];
    let rest = &module.code[statement.head.end as usize..def.at.end as usize];
    let mut edits = Vec::new();
    if module.slice(statement.head).contains(":=") {
        return Err("it gets a name in the same line".to_owned());
    }
    for Use { expr, made, misuse } in uses {
        let is_given = |name: &Name| &**name != "self" && def.has_param(name);
        if expr.names().any(|(name, _)| is_given(name)) {
            return Err("other calls may give it a result".to_owned());
        }
        let fetch = method(made).unwrap_or_default();
        let fetched = match (misuse, &expr.kind) {
            (Misuse::Listed(name), _) if !binds(def, name) => {
                return Err("the list is made in another function".to_owned());
            }
            (Misuse::Listed(name), _) => {
                Some((name, format!("[task.{fetch}() for task in {name}]")))
            }
            (Misuse::Itself, ExprKind::Name(name)) if binds(def, name) && is_read(rest, name) => {
                Some((name, format!("{name}.{fetch}()")))
            }
            _ => None,
        };
        may_wait(
            module,
            (env, statement),
            made,
            fetched.as_ref().map(|(name, _)| *name),
        )?;
        let end = expr.at.end as usize;
        let edit = match (misuse, fetched) {
            (_, Some((name, value))) => {
                let line = format!("{name} = {value}");
                above(module, statement.at.start, &[&line])
                    .ok_or("it is not on a line of its own")?
            }
            (Misuse::Misnamed(name), _) => {
                let start = end + module.text[end..].find(&**name).unwrap_or_default();
                Edit::replace(start..start + name.len(), fetch)
            }
            _ => Edit::insert(end, format!(".{fetch}()")),
        };
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    let text = "Fetch what the task returns:";
    let mut plan = Plan::of_line(eval, (env.at.module, uses[0].expr.at), text, edits);
    let mut lines = plan.edits.iter().filter(|e| e.text.ends_with('\n'));
    if let Some(line) = lines.next() {
        plan.code = line.text.trim().to_owned();
    }
    Ok(plan)
}

/// Returns whether a text reads a name as a whole: `print(one)`, no attribute and no key.
fn is_read(text: &str, name: &str) -> bool {
    places_of(text, name).any(|at| !text[at + name.len()..].starts_with(['.', ']']))
}

/// Returns whether a comprehension of a statement makes a call again and again.
fn is_repeated(statement: &Statement, made: &Made) -> bool {
    let is_around =
        |e: &Rc<Expr>| matches!(e.kind, ExprKind::Comprehension(_)) && e.at.holds(made.call.at);
    statement.walk().any(is_around)
}

/// Returns an error if a result cannot be waited for at a statement; for the first time, where it gets its name.
fn may_wait(
    module: &Module,
    (env, statement): (&Env, &Statement),
    made: &Made,
    name: Option<&Name>,
) -> Result<(), String> {
    let def = &module.defs[env.at.def];
    let is_here = made.env.at == env.at;
    let starts = |s: &Statement| is_here && s.at.holds(made.call.at);
    // The next run of a loop would ask a result for its result.
    let keeps =
        |s: &Statement| name.is_some_and(|n| bindings_of(def, n).any(|b| !s.at.holds(b.at)));
    if def.loops(statement.at).any(|s| starts(s) || keeps(s))
        || is_here && is_repeated(statement, made)
    {
        return Err("all tasks are to be started before one is waited for".to_owned());
    }
    let has_ended = is_here && block_of(module, made).is_some_and(|b| !b.at.holds(statement.at));
    if method(made) == Some("get") && (has_ended || module.code.contains(".terminate(")) {
        return Err("the pool has ended by then".to_owned());
    }
    let rest = &module.code[statement.head.end as usize..def.at.end as usize];
    let is_asked = |name: &str| rest.contains(&format!(".{name}("));
    let takes_handles = |name: &&str| rest.contains(*name);
    let is_fetched = ["as_completed(", "wait("].iter().any(takes_handles);
    match name.filter(|_| is_fetched || OWN.split(' ').any(is_asked)) {
        Some(_) => Err("the results are fetched later".to_owned()),
        None => Ok(()),
    }
}
