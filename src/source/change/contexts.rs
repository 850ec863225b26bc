//! Contexts of `multiprocessing`, whose locks and queues only processes of the same start method take.

use super::super::eval::Eval;
use super::super::syntax::{Arg, Module, Place};
use super::super::value::{Made, Value};
use super::call::call_at;
use super::method::is_of_method;

/// Returns whether a lock, queue or the like comes from another context than a pool: `mp.Queue()` beside
/// `mp.get_context("spawn").Pool()`.
pub(super) fn is_of_other_context(
    eval: &Eval,
    module: &Module,
    call: Place,
    value: &Value,
) -> bool {
    match value {
        Value::Made(made) => other_context(eval, module, call, made).is_some(),
        Value::Instance(of) => {
            let mut made = eval.kept(of).into_iter();
            made.any(|v| matches!(v, Value::Made(_)) && is_of_other_context(eval, module, call, &v))
        }
        _ => false,
    }
}

/// Returns the context that makes a pool, as it is written, if something is made by another.
pub(super) fn other_context(
    eval: &Eval,
    module: &Module,
    call: Place,
    made: &Made,
) -> Option<String> {
    if !is_of_method(made) {
        return None;
    }
    let own = eval.project.module(made.env.at.module);
    let head = module.slice(call);
    let pool = match context_of(module, call) {
        Some(context) => context.to_owned(),
        None => head
            .find("Pool")
            .or_else(|| head.find("Process"))
            .map_or_else(String::new, |at| taken_from(&head[..at]).to_owned()),
    };
    let thing = taken_from(own.slice(made.call.func.at));
    let is_other = pool != thing
        && (is_context(module, &pool) || is_context(module, thing))
        && !module.code.contains("set_start_method(");
    is_other.then_some(pool)
}

/// Returns what a function is taken from, as it is written: `ctx` for `ctx.Queue`.
pub(in super::super) fn taken_from(func: &str) -> &str {
    func.rsplit_once('.').map_or("", |(of, _)| of.trim())
}

/// Returns whether a name is that of a context, or an expression that gives one.
pub(in super::super) fn is_context(module: &Module, name: &str) -> bool {
    let sets = format!("{name} = ");
    let is_line = |l: &str| l.trim_start().starts_with(&sets) && l.contains("get_context(");
    name.contains("get_context(") || !name.is_empty() && module.code.lines().any(is_line)
}

/// Returns the context that an executor is made with, as it is written.
fn context_of(module: &Module, call: Place) -> Option<&str> {
    let call = call_at(module, call)?;
    let is_it = |a: &&Arg| a.label.as_deref() == Some("mp_context");
    let context = call.args.iter().find(is_it)?;
    Some(module.slice(context.value.at))
}

/// Returns whether a line above a place makes a context of this name.
pub(in super::super) fn is_made_above(module: &Module, name: &str, at: Place) -> bool {
    let sets = format!("{name} = ");
    let mut before = module.text[..at.start as usize].lines();
    before.any(|l| l.trim_start().starts_with(&sets))
}

/// Returns why such a thing is not given to workers.
pub(super) fn of_other_context(name: &str) -> String {
    format!("`{name}` is made in another context than the workers")
}
