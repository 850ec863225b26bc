//! Results of a pool that are read behind its `with` block, whose end stops the workers; a pool that is joined while it
//! still takes tasks.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::only::only;
use super::super::project::{Frames, ModuleId};
use super::super::sent::Stop;
use super::super::syntax::{Def, Expr, ExprKind, Kind, Module, Place, Statement, StatementKind};
use super::super::text::{above, lists};
use super::super::value::{Env, Made, Value};

/// Calls of a pool that give something to wait with.
const HANDLES: &str = "imap imap_unordered apply_async map_async starmap_async";
/// How deep lists of such are looked into.
const MAX_DEPTH: usize = 4;

/// Finds the call whose results the last frame waits for, where its block has ended.
pub(in super::super) fn ended(eval: &Eval, frames: &Frames) -> Option<Found> {
    let stops = eval.stops(frames);
    let Stop { env, statement } = stops.last()?;
    let mut found = Vec::new();
    for expr in &statement.exprs {
        handles(eval, expr, env, &mut found);
    }
    let (first, rest) = found.split_first()?;
    if rest.iter().any(|other| other.call.at != first.call.at) {
        return None;
    }
    let id = first.env.at.module;
    let module = eval.project.module(id);
    let block = block_of(&module, first)?;
    let is_within = |(at, line): &(ModuleId, u32)| {
        let lines = module.line_of(block.at.start)..=module.line_of(block.at.end);
        *at == id && lines.contains(line)
    };
    // A generator's block waits with it.
    if frames.iter().any(is_within) || !module.defs[first.env.at.def].yields.is_empty() {
        return None;
    }
    let method = module.slice(first.call.func.at);
    Some(Found::certain(
        format!("{method}()"),
        "whose `with` block has ended",
        (id, first.call.at),
        read_inside(eval, &module, first),
    ))
}

/// Collects the calls that gave the results which an expression may wait for.
pub(super) fn handles(eval: &Eval, expr: &Rc<Expr>, env: &Env, found: &mut Vec<Rc<Made>>) {
    match &expr.kind {
        ExprKind::Comprehension(inner) => {
            handles(eval, &inner.element, &eval.overlay(inner, env), found);
        }
        ExprKind::Name(_)
        | ExprKind::Attribute(..)
        | ExprKind::Call(_)
        | ExprKind::Subscript(..) => {
            note(eval, &eval.eval(expr, env), found, MAX_DEPTH);
        }
        _ => {}
    }
    for part in expr.parts() {
        handles(eval, part, env, found);
    }
}

/// Notes a value that is such a handle, or is made of them.
fn note(eval: &Eval, value: &Value, found: &mut Vec<Rc<Made>>, depth: usize) {
    for value in value.alternatives().into_iter().filter(|_| depth > 0) {
        match value {
            Value::Made(made) if is_handle(&made) => found.push(made),
            Value::Items(_) | Value::Filled(..) => {
                note(eval, &eval.element_of(&value), found, depth - 1);
            }
            _ => {}
        }
    }
}

fn is_handle(made: &Made) -> bool {
    let method = made.of.strip_prefix("multiprocessing.Pool().");
    method.is_some_and(|method| lists(HANDLES, method))
}

/// Returns the block that a call is in and whose end stops its pool.
pub(super) fn block_of<'m>(module: &'m Module, made: &Made) -> Option<&'m Statement> {
    let Some(Value::Made(pool)) = made.from.as_deref() else {
        return None;
    };
    let is_pool = |e: &Rc<Expr>| e.at == pool.call.at;
    let mut statements = module.defs[made.env.at.def].statements.iter();
    statements.find(|s| {
        s.kind == StatementKind::With && s.at.holds(made.call.at) && s.exprs.iter().any(is_pool)
    })
}

/// Makes a list of the results inside the block.
fn read_inside(eval: &Eval, module: &Module, made: &Made) -> Planned {
    let call = module.slice(made.call.at);
    let is_lazy = made.of.contains("().imap");
    let code = if is_lazy {
        format!("list({call})")
    } else if made.of.ends_with("().apply_async") {
        fetched(module, made).ok_or("all tasks are to be started before one is waited for")?
    } else {
        format!("{call}.get()")
    };
    // A list has no `next`.
    let mut edits = Vec::new();
    if is_lazy && !eval.project.says("next(") {
        let Place { start, end } = made.call.at;
        edits.push(Edit::insert(start as usize, "list("));
        edits.push(Edit::insert(end as usize, ")"));
    }
    let text = "Read the results inside the `with` block, whose end stops the workers:";
    Ok(Plan::new(made.env.at.module, text, code, edits))
}

/// Returns the line that fetches what a list of calls started: `parts = [part.get() for part in parts]`.
fn fetched(module: &Module, made: &Made) -> Option<String> {
    let mut bound = module.defs[made.env.at.def].bindings.iter();
    bound.find_map(|b| {
        let (name, value) = b.named_value()?;
        let is_list = matches!(&value.kind, ExprKind::Comprehension(c)
            if !c.is_dict && c.element.at == made.call.at);
        is_list.then(|| format!("{name} = [result.get() for result in {name}]"))
    })
}

/// Finds the `pool.join()` of the last frame.
pub(in super::super) fn unclosed(eval: &Eval, frames: &Frames) -> Option<Found> {
    let stops = eval.stops(frames);
    let Stop { env, statement } = stops.last()?;
    let id = env.at.module;
    let module = eval.project.module(id);
    let expr = only(&statement.exprs)?;
    let call = expr.call()?;
    let (base, method) = call.method()?;
    let pool = base.dotted().filter(|_| &**method == "join")?;
    Some(Found::certain(
        pool.clone(),
        "which still takes tasks",
        (id, statement.at),
        closed(&module, statement, &pool),
    ))
}

/// What is in the names of methods after which nothing more is done.
const ENDS: [&str; 7] = [
    "close", "end", "exit", "finish", "shutdown", "stop", "__del__",
];

/// Closes the pool on the line above.
fn closed(module: &Module, statement: &Statement, pool: &str) -> Planned {
    let close = format!("{pool}.close()");
    // In a loop, or in front of more tasks, it would be closed too early.
    let again = ["apply", "map", "starmap", "imap"].map(|m| format!("{pool}.{m}"));
    let mut defs = module.defs.iter();
    let loops = defs.any(|d| d.loops(statement.at).next().is_some());
    let rest = &module.code[statement.at.end as usize..];
    // A pool that an object keeps may be given tasks again by its other methods.
    let functions = module.defs.iter().filter(|d| d.kind == Kind::Function);
    let (own, others): (Vec<&Def>, Vec<&Def>) = functions.partition(|d| d.at.holds(statement.at));
    let ends = own
        .iter()
        .any(|d| ENDS.iter().any(|end| d.name.contains(end)));
    let submits = |d: &&Def| again.iter().any(|a| module.code(d.at).contains(a.as_str()));
    let is_kept = pool.contains('.') && !ends && others.iter().any(submits);
    if loops || is_kept || again.iter().any(|a| rest.contains(a.as_str())) {
        return Err("the pool is used again after it".to_owned());
    }
    let edit = above(module, statement.at.start, &[&close])
        .filter(|_| statement.kind == StatementKind::Expr && !module.has_errors)
        .ok_or("it does not stand on a line of its own")?;
    let text = "Call `close()` before `join()`: the workers then end when the tasks are done:";
    let code = format!("{close}\n{}", module.slice(statement.at));
    Ok(Plan::new(module.id, text, code, vec![edit]))
}
