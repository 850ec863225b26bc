//! What a task was started with, used as if it were the result: `total += future`.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::sent::Stop;
use super::super::syntax::{Expr, ExprKind, Module, Name, Statement};
use super::super::text::{above, edited_line};
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
const OWN: [&str; 11] = [
    "add_done_callback",
    "cancel",
    "cancelled",
    "done",
    "exception",
    "get",
    "ready",
    "result",
    "running",
    "successful",
    "wait",
];

/// What takes a list of results.
const READERS: [&str; 5] = ["join", "max", "min", "sorted", "sum"];

/// A handle, or a list of them, in the place of a result.
struct Use {
    expr: Rc<Expr>,
    made: Rc<Made>,
    /// The list, where it is one that has a name.
    list: Option<Name>,
    /// The method that was to fetch it, and is another kind's: `future.get()`.
    misnamed: Option<Name>,
}

/// Finds what the last frame uses before it is fetched.
pub(in super::super) fn unfetched(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Found> {
    let Stop { env, statement } = eval.stops(frames).pop()?;
    let mut uses = Vec::new();
    for expr in &statement.exprs {
        note(eval, expr, &env, &mut uses);
    }
    let has_one = uses.iter().any(|u| u.list.is_none());
    uses.retain(|u| u.list.is_none() || !has_one);
    let first = uses.first()?;
    let module = eval.project.module(env.at.module);
    Some(Found::certain(
        module.slice(first.expr.at).to_owned(),
        "whose result was not fetched",
        (first.made.env.at.module, first.made.call.at),
        fetched(&module, &env, &statement, &uses),
    ))
}

/// Notes the handles in an expression that something else than their own methods is asked of.
fn note(eval: &Eval, expr: &Rc<Expr>, env: &Env, uses: &mut Vec<Use>) {
    if let ExprKind::Attribute(base, name) = &expr.kind {
        let handle = handle(&eval.eval(base, env)).filter(|_| OWN.contains(&&**name));
        if let Some(made) = handle {
            let is_fetch = FETCHED.iter().any(|(_, method)| **name == **method);
            if is_fetch && method(&made) != Some(&**name) {
                let misnamed = Some(Rc::clone(name));
                uses.push(Use {
                    expr: Rc::clone(base),
                    made,
                    list: None,
                    misnamed,
                });
            }
            return;
        }
    }
    if let ExprKind::Comprehension(inner) = &expr.kind {
        note(eval, &inner.element, &eval.overlay(inner, env), uses);
    }
    let is_value = matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Call(_) | ExprKind::Subscript(..)
    );
    let value = if is_value {
        eval.eval(expr, env)
    } else {
        Value::Plain
    };
    if let Some(made) = handle(&value) {
        uses.push(Use {
            expr: Rc::clone(expr),
            made,
            list: None,
            misnamed: None,
        });
        return;
    }
    let listed = |e: &Rc<Expr>| {
        let ExprKind::Name(name) = &e.kind else {
            return None;
        };
        let made = handle(&eval.element_of(&eval.eval(e, env)))?;
        Some(Use {
            expr: Rc::clone(e),
            made,
            list: Some(Rc::clone(name)),
            misnamed: None,
        })
    };
    if let Some(call) = expr.call() {
        let is_sort = matches!(call.method(), Some((_, m)) if &**m == "sort");
        let is_reader = call
            .func
            .last_name()
            .is_some_and(|n| READERS.contains(&&**n));
        let of = call.method().filter(|_| is_sort).map(|(of, _)| of);
        let given = call.args.first().filter(|_| is_reader).map(|a| &a.value);
        uses.extend(of.or(given).and_then(listed));
    }
    for part in expr.parts() {
        note(eval, part, env, uses);
    }
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

/// Fetches the results where they are used, or those of a list in a line above.
fn fetched(module: &Module, env: &Env, statement: &Statement, uses: &[Use]) -> Planned {
    let mut edits = Vec::new();
    let mut names: Vec<&Name> = Vec::new();
    for Use {
        expr,
        made,
        list,
        misnamed,
    } in uses
    {
        let fetch = method(made).unwrap_or_default();
        let is_here = made.env.at == env.at;
        let started = if is_here { made.call.at } else { statement.at };
        let own = &module.defs[env.at.def].statements;
        let mut loops = own
            .iter()
            .filter(|s| s.is_loop() && s.at.holds(statement.at) && s.at != statement.at);
        let is_waiting = is_here && loops.clone().any(|s| s.at.holds(started));
        let is_again = list.is_some() && loops.any(|s| !s.at.holds(started));
        let has_ended =
            is_here && block_of(module, made).is_some_and(|b| !b.at.holds(statement.at));
        if fetch == "get" && (has_ended || module.text.contains(".terminate(")) {
            return Err("the pool has ended by then".to_owned());
        }
        if is_waiting || is_again {
            return Err("all tasks are to be started before one is waited for".to_owned());
        }
        let end = expr.at.end as usize;
        if let Some(name) = misnamed {
            let written = end + 1..end + 1 + name.len();
            if module.text.get(written.clone()) != Some(name) {
                return Err("the call is written over several lines".to_owned());
            }
            edits.push(Edit::replace(written, fetch));
            continue;
        }
        let Some(name) = list else {
            edits.push(Edit::insert(end, format!(".{fetch}()")));
            continue;
        };
        let rest = &module.text[statement.at.end as usize..module.defs[env.at.def].at.end as usize];
        if rest.contains(&format!(".{fetch}(")) {
            return Err("the results are fetched later".to_owned());
        }
        if !names.contains(&name) {
            let line = format!("{name} = [task.{fetch}() for task in {name}]");
            edits.push(
                above(module, statement.at.start, &[&line])
                    .ok_or("it is not on a line of its own")?,
            );
            names.push(name);
        }
    }
    let code = match (names.as_slice(), edits.first()) {
        ([_, ..], Some(line)) => line.text.trim().to_owned(),
        _ => edited_line(module, &edits, uses[0].expr.at),
    };
    Ok(Plan {
        text: "The call only starts the task; fetch what it returns:".to_owned(),
        code,
        edits,
        module: env.at.module,
    })
}
