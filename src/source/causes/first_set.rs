//! What sets the start method before `set_start_method` does.

use std::ops::Range;
use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{BOUND, Plan, Planned};
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::sent::Stop;
use super::super::syntax::{Expr, ExprKind, Kind, Module, Statement, StatementKind};
use super::super::text::{indent_at, line_start, lines_of, lists};
use super::super::value::{DefId, Env, Value};

/// How deep calls of the program's functions are followed.
const MAX_CALLS: usize = 3;
/// What else of `multiprocessing` uses the default start method, and so sets it.
const SETTERS: &str = "set_start_method get_start_method Pool Manager Process().start";

fn is_setter(name: &str) -> bool {
    lists(SETTERS, name) || lists(BOUND, name)
}

/// Finds the first statement that sets it: in the suite of the one that fails, at the top, or of an imported module.
pub(in super::super) fn first_set(eval: &Eval, frames: &Frames) -> Option<Found> {
    let stops = eval.stops(frames);
    let Stop { env, statement } = stops.last()?;
    let is_call =
        |e: &Rc<Expr>| matches!(called(eval, e, env).as_deref(), Some("set_start_method"));
    if !statement.exprs.iter().any(is_call) {
        return None;
    }
    let mut around = stops.iter().rev();
    let (own, (first, setter)) = around
        .find_map(|stop| Some((stop.env.at, set_before(eval, stop)?)))
        .or_else(|| set_by_import(eval, frames))?;
    let id = own.module;
    let is_own = own == env.at && first.suite == statement.suite;
    let module = eval.project.module(id);
    let plan = if setter == "set_start_method" {
        Err("the program sets it twice, and which one is meant is for you to say".to_owned())
    } else if setter == "get_start_method" && !is_own {
        asks_only(&module, &first)
    } else if is_own {
        above(&module, &first, statement)
    } else {
        Err("what sets it first is not beside it".to_owned())
    };
    let head = module.first_line(first.head).trim();
    Some(Found::likely(
        head.trim_end_matches(':').to_owned(),
        "which sets the start method first",
        (id, first.at),
        plan,
    ))
}

/// Returns the first statement of a scope that sets it before another, and by what.
fn set_before(eval: &Eval, stop: &Stop) -> Option<(Statement, String)> {
    let Stop { env, statement } = stop;
    let module = eval.project.module(env.at.module);
    // `if get_start_method() != "spawn":` around it is before it, too.
    let is_around = |s: &Statement| s.kind == StatementKind::If && s.at.holds(statement.at);
    let all = module.defs[env.at.def].statements.iter();
    let before = all.filter(|s| s.at.end <= statement.at.start || is_around(s));
    first_of(eval, before, env)
}

/// Returns the first statement that sets it while a module is imported that is in no frame.
fn set_by_import(eval: &Eval, frames: &Frames) -> Option<(DefId, (Statement, String))> {
    let mut others = eval
        .project
        .defs()
        .filter(|(of, _)| of.def == 0 && frames.iter().all(|(id, _)| *id != of.module));
    others.find_map(|(of, module)| {
        let all = module.defs[0].statements.iter();
        let run = all.filter(|s| !module.is_guarded(s.at));
        Some((of, first_of(eval, run, &eval.scope(of))?))
    })
}

/// Returns the first of some statements that sets it, and by what.
fn first_of<'s>(
    eval: &Eval,
    mut all: impl Iterator<Item = &'s Statement>,
    env: &Env,
) -> Option<(Statement, String)> {
    all.find_map(|s| {
        let mut setters = s.exprs.iter().filter_map(|e| sets(eval, e, env, 0));
        Some((s.clone(), setters.next()?))
    })
}

/// Returns which part of `multiprocessing` an expression calls.
fn called(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> Option<String> {
    let call = expr.call()?;
    match eval.eval(&call.func, env) {
        Value::Outside(name, _) => name.strip_prefix("multiprocessing.").map(str::to_owned),
        _ => None,
    }
}

/// Returns what sets the start method in an expression, or in a function that it calls.
fn sets(eval: &Eval, expr: &Rc<Expr>, env: &Env, depth: usize) -> Option<String> {
    if let Some(name) = called(eval, expr, env).filter(|name| is_setter(name)) {
        return Some(name);
    }
    if let Some(call) = expr.call()
        && depth < MAX_CALLS
        && let Some(id) = eval.called(call, env)
    {
        let module = eval.project.module(id.module);
        let def = &module.defs[id.def];
        let inner = eval.scope(id);
        let mut all = def.exprs().filter(|_| def.kind == Kind::Function);
        if let Some(name) = all.find_map(|e| sets(eval, e, &inner, depth + 1)) {
            return Some(name);
        }
    }
    let mut parts = expr.parts().into_iter();
    parts.find_map(|p| sets(eval, p, env, depth))
}

/// Lets the condition of an `if` ask for the method without setting it.
fn asks_only(module: &Module, first: &Statement) -> Planned {
    const SETS: &str = "get_start_method()";
    let head = module.slice(first.head);
    let at = head
        .find(SETS)
        .ok_or("what sets it first is not beside it")?;
    // Of the answer `None` only this says what it said of `fork`.
    if first.kind != StatementKind::If || !head.contains("!=") {
        return Err("what the condition says of `None` is for you to say".to_owned());
    }
    let start = first.head.start as usize + at + SETS.len() - 1;
    let asks = "allow_none=True";
    let (before, behind) = head.split_at(at + SETS.len() - 1);
    let text = "Ask without setting it (the answer is `None` where nothing has set it):";
    let code = format!("{before}{asks}{behind}").trim_end().to_owned();
    Ok(Plan::new(
        module.id,
        text,
        code,
        vec![Edit::insert(start, asks)],
    ))
}

/// Moves the statement above the one that sets the method first.
fn above(module: &Module, first: &Statement, own: &Statement) -> Planned {
    module.is_parsed()?;
    let ExprKind::Call(call) = &own.exprs.first().ok_or("it is no call")?.kind else {
        return Err("it is no statement of its own".to_owned());
    };
    let is_plain = own.kind == StatementKind::Expr
        && call
            .args
            .iter()
            .all(|a| matches!(a.value.kind, ExprKind::Text(_) | ExprKind::Constant));
    let Range { start, end } = lines_of(module, own.at);
    let to = line_start(module, first.at.start as usize);
    let is_line = module.text[start..own.at.start as usize].trim().is_empty()
        && module.text[to..first.at.start as usize].trim().is_empty()
        && !module.slice(own.at).contains(';');
    if !is_plain || !is_line {
        return Err("its line cannot be moved as it is".to_owned());
    }
    let line = &module.text[start..end];
    let indent = indent_at(module, own.at.start);
    let edits = vec![Edit::insert(to, line), Edit::replace(start..end, "")];
    let shown = module.first_line(first.at);
    let text = format!("Set it before anything uses it: move the line above `{shown}`:");
    let code = format!("{}\n{shown}", line.trim_start_matches(&indent).trim_end());
    Ok(Plan::new(module.id, text, code, edits))
}
