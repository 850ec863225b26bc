//! An event that a process waits for, and that is set below the `join()` which waits for the process.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::Eval;
use super::super::syntax::{Call, Def, ExprKind, Module, Place, Statement};
use super::super::text::{above, indent_at, lines_of};
use super::super::value::{Env, Value};
use super::alone::run_by;
use super::joined::ENDS;
use super::unset::mentions;

/// Finds the one `set()` of an event that a joined process waits for, where it stands below the statement that joins.
pub(super) fn signalled(
    eval: &Eval,
    env: &Env,
    process: &Value,
    (call, whole): (&Call, &Statement),
) -> Option<Found> {
    let id = run_by(eval, process)?;
    let Value::Made(made) = process else {
        return None;
    };
    let own = eval.project.module(id.module);
    let task = &own.defs[id.def];
    let ExprKind::Items(given) = &made.call.labelled("args")?.value.kind else {
        return None;
    };
    let module = eval.project.module(env.at.module);
    let def = &module.defs[env.at.def];
    let waited = task.params.iter().zip(given).filter(|(param, given)| {
        let value = eval.eval(given, &made.env);
        matches!(value, Value::Made(m) if &*m.of == EVENT) && waits(&own, task, &param.name)
    });
    let mut names = waited.filter_map(|(_, given)| given.dotted());
    let name = names.next()?;
    if eval.project.says(".is_set(") || made.env.at != env.at {
        return None;
    }
    let set = only_set(eval, &module, def, &name).filter(|s| s.at.start >= whole.at.end)?;
    let text = format!(
        "Call `{name}.set()` before `join()`: `{}` waits for it, and does not end without it:",
        task.name
    );
    let line = module.slice(set.at).to_owned();
    let indent = indent_at(&module, whole.at.start);
    let joining = module.slice(whole.at).lines();
    let joining = joining.map(|l| l.strip_prefix(&*indent).unwrap_or(l));
    let code = [&*line].into_iter().chain(joining.take(2));
    let code = code.collect::<Vec<_>>().join("\n");
    let is_apart = set.suite == whole.suite && !module.slice(whole.at).contains(".start(");
    let edits = above(&module, whole.at.start, &[line]).filter(|_| is_apart);
    let edits = edits.map_or_else(Vec::new, |put| {
        vec![put, Edit::replace(lines_of(&module, set.at), "")]
    });
    Some(Found::certain(
        format!("{name}.set()"),
        format!(
            "which {}() waits for, below `{}()`",
            task.qualname,
            module.slice(call.func.at)
        ),
        (env.at.module, set.at),
        Ok(Plan::new(env.at.module, &*text, code, edits)),
    ))
}

/// An event between processes.
const EVENT: &str = "multiprocessing.Event";

/// Returns whether a function waits for a parameter of its own in any case, and without a limit.
fn waits(module: &Module, task: &Def, param: &str) -> bool {
    let Some(first) = task.begin() else {
        return false;
    };
    let mut own = task.statements.iter().filter(|s| s.suite == first.suite);
    // Not so where it may have ended before: `if n > 2: return`
    let is_reached = |s: &Statement| {
        let before = module.code(Place::new(first.at.start, s.at.start));
        !ENDS.iter().any(|word| mentions(before, word))
    };
    own.any(|s| {
        let waits = |c: &Rc<Call>| {
            let of = c.method().filter(|(_, name)| &***name == "wait");
            c.args.is_empty() && of.is_some_and(|(of, _)| of.is_name(param))
        };
        s.at == s.head && is_reached(s) && s.calls().any(waits)
    })
}

/// Returns the statement that is the one `set()` of the program, of what a function has by this name.
fn only_set<'d>(eval: &Eval, module: &Module, def: &'d Def, name: &str) -> Option<&'d Statement> {
    let mut count = 0;
    eval.project.any(|m| {
        let mut all = places_of(&m.code, "set").map(|at| &m.code[..at]);
        count += all.by_ref().filter(|before| before.ends_with('.')).count();
        false
    });
    let wanted = format!("{name}.set()");
    let mut all = def.statements.iter();
    all.find(|s| module.slice(s.at) == wanted)
        .filter(|_| count == 1)
}
