//! A pool that is joined while it still takes tasks.

use crate::object::{Certainty, Edit};

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::sent::Stop;
use super::super::syntax::{ExprKind, Module, Statement, StatementKind};
use super::super::text::{indent_at, line_start, newline};

/// Finds the `pool.join()` of the last frame.
pub(in super::super) fn unclosed(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Found> {
    let stops = eval.stops(frames);
    let Stop { env, statement } = stops.last()?;
    let id = env.at.module;
    let module = eval.project.module(id);
    let [expr] = statement.exprs.as_slice() else {
        return None;
    };
    let ExprKind::Call(call) = &expr.kind else {
        return None;
    };
    let ExprKind::Attribute(base, method) = &call.func.kind else {
        return None;
    };
    let pool = base.dotted().filter(|_| &**method == "join")?;
    Some(Found {
        path: pool.clone(),
        of: "which still takes tasks".to_owned(),
        module: id,
        at: statement.at,
        certainty: Certainty::Certain,
        plan: closed(&module, id, statement, &pool),
    })
}

/// Closes the pool on the line above.
fn closed(module: &Module, id: ModuleId, statement: &Statement, pool: &str) -> Planned {
    let start = line_start(module, statement.at.start as usize);
    let before = &module.text[start..statement.at.start as usize];
    if statement.kind != StatementKind::Expr || module.has_errors || !before.trim().is_empty() {
        return Err("it does not stand on a line of its own".to_owned());
    }
    let close = format!("{pool}.close()");
    let indent = indent_at(module, statement.at.start);
    Ok(Plan {
        text: "Call `close()` before `join()`: the workers then end when the tasks are done:"
            .to_owned(),
        code: format!("{close}\n{}", module.slice(statement.at)),
        edits: vec![Edit {
            start,
            end: start,
            text: format!("{indent}{close}{}", newline(module)),
        }],
        module: id,
    })
}
