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
pub(in super::super) fn unfetched(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Found> {
    let Stop { env, statement } = eval.stops(frames).pop()?;
    let mut uses = Vec::new();
    for expr in &statement.exprs {
        note(eval, expr, &env, &mut uses);
    }
    let is_listed = |u: &Use| matches!(u.misuse, Misuse::Listed(_));
    let are_all = uses.iter().all(is_listed);
    uses.retain(|u| are_all || !is_listed(u));
    let first = uses.first()?;
    let module = eval.project.module(env.at.module);
    let plan = fetched(&module, &env, &statement, &uses);
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
        && OWN.split(' ').any(|own| own == &**name)
        && let Some(made) = handle(&eval.eval(base, env))
    {
        let is_fetch = FETCHED.iter().any(|(_, method)| **name == **method);
        if is_fetch && method(&made) != Some(&**name) {
            add(base, made, Misuse::Misnamed(Rc::clone(name)));
        }
        return;
    }
    let is_one = matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Call(_) | ExprKind::Subscript(..)
    );
    if is_one && let Some(made) = handle(&eval.eval(expr, env)) {
        add(expr, made, Misuse::Itself);
        return;
    }
    if let Some(call) = expr.call()
        && let Some(reader) = call.func.last_name().filter(|n| READERS.contains(&&***n))
        && let of = call.method().filter(|_| &**reader == "sort")
        && let Some(list) = of.map(|(of, _)| of).or(call.args.first().map(|a| &a.value))
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
    for Use { expr, made, misuse } in uses {
        let fetch = method(made).unwrap_or_default();
        may_wait(
            module,
            env,
            statement,
            made,
            matches!(misuse, Misuse::Listed(_)),
        )?;
        let end = expr.at.end as usize;
        let edit = match misuse {
            Misuse::Itself => Edit::insert(end, format!(".{fetch}()")),
            Misuse::Misnamed(name) => {
                let written = end + 1..end + 1 + name.len();
                let is_there = module.text.get(written.clone()) == Some(name);
                let edit = is_there.then(|| Edit::replace(written, fetch));
                edit.ok_or("the call is written over several lines")?
            }
            Misuse::Listed(name) => {
                let line = format!("{name} = [task.{fetch}() for task in {name}]");
                above(module, statement.at.start, &[&line])
                    .ok_or("it is not on a line of its own")?
            }
        };
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    let code = match uses[0].misuse {
        Misuse::Listed(_) => edits[0].text.trim().to_owned(),
        _ => edited_line(module, &edits, uses[0].expr.at),
    };
    Ok(Plan {
        text: "The call only starts the task; fetch what it returns:".to_owned(),
        code,
        edits,
        module: env.at.module,
    })
}

/// Returns an error if a result cannot be waited for at a statement, or not for the first time.
fn may_wait(
    module: &Module,
    env: &Env,
    statement: &Statement,
    made: &Made,
    is_list: bool,
) -> Result<(), String> {
    let def = &module.defs[env.at.def];
    let is_here = made.env.at == env.at;
    let started = if is_here { made.call.at } else { statement.at };
    let around = def
        .statements
        .iter()
        .filter(|s| s.is_loop() && s.at.holds(statement.at) && s.at != statement.at);
    for around in around {
        if is_here && around.at.holds(started) || is_list && !around.at.holds(started) {
            return Err("all tasks are to be started before one is waited for".to_owned());
        }
    }
    let has_ended = is_here && block_of(module, made).is_some_and(|b| !b.at.holds(statement.at));
    if method(made) == Some("get") && (has_ended || module.text.contains(".terminate(")) {
        return Err("the pool has ended by then".to_owned());
    }
    let rest = &module.text[statement.at.end as usize..def.at.end as usize];
    if is_list
        && FETCHED
            .iter()
            .any(|(_, fetch)| rest.contains(&format!(".{fetch}(")))
    {
        return Err("the results are fetched later".to_owned());
    }
    Ok(())
}
