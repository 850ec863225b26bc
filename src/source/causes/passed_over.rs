//! An item of a `JoinableQueue` that its reader takes and passes over: `continue` above `task_done()`.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, known};
use super::super::eval::Eval;
use super::super::only::only;
use super::super::syntax::{Def, Expr, Module, Place, Statement, StatementKind};
use super::super::text::above;
use super::super::value::{DefId, Value};

/// Finds the way through a loop that takes an item of a queue and does not tell that it is done. A `None` counts, too,
/// if it is put above the `join()` of the queue.
pub(super) fn passed_over(
    eval: &Eval,
    joining: (DefId, Place),
    joined: (&Value, &str),
) -> Option<Found> {
    // What the loop calls may tell it; so may what goes by another name: `done = tasks.task_done`
    let modules = eval.project.modules();
    let told = modules.iter().map(|m| m.code.matches("task_done").count());
    if told.sum::<usize>() != 1 {
        return None;
    }
    eval.project.defs().find_map(|(id, module)| {
        let def = &module.defs[id.def];
        let (queue, ways) = ways(&module, def, puts_none(eval, joining, joined.1))?;
        let values = known(eval, queue, &eval.scope(id));
        let is_it = |v: &Value| is_same(v, joined.0);
        let first = ways.first().filter(|_| values.iter().any(is_it))?;
        let done = format!("{}.task_done()", module.slice(queue.at));
        let put = |s: &&Statement| above(&module, s.at.start, &[&done]);
        let edits: Option<Vec<Edit>> = ways.iter().map(put).collect();
        let code = format!("{done}\n{}", module.slice(first.at));
        let text = "Tell the queue of the item that is passed over, too:";
        Some(Found::certain(
            format!("{}()", def.qualname),
            "which passes over `task_done()`",
            (id.module, first.at),
            Ok(Plan::new(id.module, text, code, edits.unwrap_or_default())),
        ))
    })
}

/// Returns whether two values are what one call makes.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    let (Value::Made(one), Value::Made(other)) = (one, other) else {
        return false;
    };
    one.place() == other.place()
}

/// Returns whether the function that joins a queue puts a `None` into it before.
pub(super) fn puts_none(eval: &Eval, (joining, join): (DefId, Place), queue: &str) -> bool {
    let module = eval.project.module(joining.module);
    let start = module.defs[joining.def].at.start;
    module
        .code(Place::new(start, join.start))
        .contains(&format!("{queue}.put(None)"))
}

/// Returns the queue whose items a function tells to be done, and the ways through its loop that pass over that.
pub(super) fn ways<'d>(
    module: &Module,
    def: &'d Def,
    counts_none: bool,
) -> Option<(&'d Rc<Expr>, Vec<&'d Statement>)> {
    let told = |s: &'d Statement| {
        let (of, method) = s.exprs.first()?.call()?.method()?;
        (&**method == "task_done").then_some((s, of))
    };
    let all = def.statements.iter().filter_map(told);
    let (done, queue) = only(all)?;
    let around = def.loops(done.at).min_by_key(|s| s.at.end - s.at.start)?;
    let within = || def.inside(around);
    // Not all ways lead to it.
    let parts = |s: &Statement| s.kind != StatementKind::Try && s.at != done.at;
    if within().any(|s| s.at.holds(done.at) && parts(s)) || !within().any(|s| s.suite == done.suite)
    {
        return None;
    }
    let get = format!("{}.get", module.slice(queue.at));
    // `held or tasks.get()` takes none where one was kept.
    let takes = |s: &&Statement| {
        let text = module.slice(s.head);
        let may_keep = [" or ", " and ", " if "]
            .iter()
            .any(|word| text.contains(word));
        s.suite == done.suite && s.at.end <= done.at.start && text.contains(&get) && !may_keep
    };
    let taken = if module.slice(around.head).contains(&get) {
        around.head
    } else {
        within().find(takes)?.at
    };
    // What did not take an item: `except Empty: continue`
    let in_clause = |way: &Statement| {
        within().any(|tried| {
            let holds_both = tried.at.holds(taken) && tried.at.holds(way.at);
            let mut inner = def.inside(tried);
            tried.kind == StatementKind::Try
                && holds_both
                && !inner.any(|s| s.at.holds(way.at) && s.suite == tried.suite)
        })
    };
    // One that is put back for the next reader is never done.
    let put_back = format!("{}.put(", module.slice(queue.at));
    let leaves_at_none = |way: &Statement| {
        let mut tests = def
            .of_kind(StatementKind::If)
            .filter(|s| s.at.holds(way.at));
        let is_none = |s: &Statement| {
            module.slice(s.head).ends_with(" is None:") && !module.code(s.at).contains(&put_back)
        };
        counts_none && tests.any(is_none)
    };
    let is_way = |way: &&Statement| {
        let is_between = taken.end <= way.at.start && way.at.end <= done.at.start;
        let leaves = match module.slice(way.at) {
            "continue" => true,
            "break" | "return" => leaves_at_none(way),
            _ => false,
        };
        let is_of_loop = || def.loops(way.at).all(|l| l.at.holds(around.at));
        is_between && leaves && is_of_loop() && !in_clause(way)
    };
    let found: Vec<&Statement> = within().filter(is_way).collect();
    (!found.is_empty()).then_some((queue, found))
}
