//! The start method, set at the beginning of the guard that a script has, and the pool, made there.

use std::ops::Range;
use std::rc::Rc;

use crate::object::Edit;

use super::super::eval::{Eval, bindings_of};
use super::super::only::only;
use super::super::syntax::{Call, Expr, Module, Statement, StatementKind};
use super::super::text::{indent_at, line_start, lines_of, lists, newline, unit};
use super::super::value::{DefId, Value};
use super::guard::{bound_in, is_of_processes, starts_processes, used_early};
use super::{Plan, Planned};

/// What of `multiprocessing` does not set the start method.
const ASKS: &str = "cpu_count current_process parent_process active_children get_context get_all_start_methods \
    freeze_support get_logger log_to_stderr set_executable";

/// Plans to set the start method at the beginning of the guard that a script has, where that is what is outside of it;
/// `None` if it is anything else.
pub(super) fn start_method(
    eval: &Eval,
    module: &Module,
    (tops, outside): (&[Statement], &Statement),
    guard: &Statement,
) -> Option<Planned> {
    let env = eval.scope(DefId::top(module.id));
    let of = |call: &Call| match eval.eval(&call.func, &env) {
        Value::Outside(name, _) => Some(name),
        _ => None,
    };
    let sets_it =
        |call: &Rc<Call>| of(call).is_some_and(|n| &*n == "multiprocessing.set_start_method");
    let is_it = |e: &Rc<Expr>| e.call().is_some_and(sets_it);
    let text = module.slice(outside.at);
    let is_alone = outside.kind == StatementKind::Expr && outside.exprs.iter().all(is_it);
    if !is_alone || text.contains('\n') || outside.at.start > guard.at.start {
        return None;
    }
    // What is made outside would set the method before.
    let sets = |call: &Rc<Call>| {
        of(call).is_some_and(|name| {
            let what = name.strip_prefix("multiprocessing.");
            what.is_some_and(|what| !lists(ASKS, what))
        })
    };
    let mut others = tops
        .iter()
        .filter(|s| s.at != outside.at && s.at != guard.at);
    if module.has_errors || others.any(|s| s.calls().any(sets)) {
        return Some(Err(
            "something else outside of the guard sets it too".to_owned()
        ));
    }
    let words = "Set the start method under the guard, where the parent alone does:";
    Some(moved(module, outside, guard, words))
}

/// Plans to make a pool at the beginning of the guard that a script has, where that is all that starts processes
/// outside of it, and nothing else outside uses it; `None` if it is anything else.
pub(super) fn pool(
    eval: &Eval,
    module: &Module,
    (tops, outside): (&[Statement], &Statement),
    guard: &Statement,
) -> Option<Planned> {
    let env = eval.scope(DefId::top(module.id));
    let names = bound_in(module, outside);
    let name = only(&names)?;
    let is_pool =
        outside.kind == StatementKind::Assign && is_of_processes(&eval.name(name, &env, None));
    let text = module.slice(outside.at);
    let is_first = outside.at.end <= guard.at.start && !text.contains('\n');
    let is_set_again = bindings_of(&module.defs[0], name).nth(1).is_some();
    let others = || {
        let is_other = |s: &&Statement| s.at != outside.at && s.at != guard.at;
        tops.iter().filter(is_other).flat_map(|s| &s.exprs)
    };
    let is_used = others().flat_map(Expr::names).any(|(n, _)| n == name)
        || used_early(module, module.defs[0].at).contains(name);
    let is_alone = !others().any(|e| starts_processes(eval, e, &env));
    let sets_method = module.slice(guard.at).contains("set_start_method");
    if !is_pool
        || !is_first
        || is_set_again
        || is_used
        || !is_alone
        || sets_method
        || module.has_errors
    {
        return None;
    }
    let words = "Make it under the guard, where the parent alone does:";
    Some(moved(module, outside, guard, words))
}

/// Moves a statement to the beginning of the guard.
fn moved(module: &Module, outside: &Statement, guard: &Statement, words: &str) -> Planned {
    let mut statements = module.defs[0].statements.iter();
    let first = statements.find(|s| guard.at.holds(s.at) && s.at != guard.at);
    let first = first.ok_or("nothing stands under the guard")?;
    let text = module.slice(outside.at);
    let newline = newline(module);
    let Range { start, end } = lines_of(module, outside.at);
    if module.text[start..end].trim() != text {
        return Err("its line cannot be moved as it is".to_owned());
    }
    // Of the blank lines on both sides one is enough.
    let is_between = module.text[..start].ends_with(&newline.repeat(2));
    let is_blank = module.text[end..].starts_with(newline) && is_between;
    let end = if is_blank { end + newline.len() } else { end };
    let unit = unit(module, &module.defs[0]);
    let first_line = line_start(module, first.at.start as usize);
    let put = if first_line > guard.at.start as usize {
        let indent = indent_at(module, first.at.start);
        Edit::insert(first_line, format!("{indent}{text}{newline}"))
    } else {
        // `if __name__ == "__main__": main()`
        let colon = module.text[..first.at.start as usize].trim_end().len();
        let lines = format!("{newline}{unit}{text}{newline}{unit}");
        Edit::replace(colon..first.at.start as usize, lines)
    };
    let head = module.first_line(guard.head);
    Ok(Plan::new(
        module.id,
        words,
        format!("{}\n{unit}{text}", head.trim_end()),
        vec![Edit::replace(start..end, ""), put],
    ))
}
