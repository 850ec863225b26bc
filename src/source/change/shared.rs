//! A queue or lock that goes through a pool: one that a manager holds can.

use std::rc::Rc;

use crate::object::Edit;

use super::super::eval::Eval;
use super::super::syntax::{Call, Expr, ExprKind, Module, StatementKind};
use super::super::text::imported;
use super::super::walk::Suspect;
use super::{Plan, Planned};

/// What a manager has under the same name.
const SHARED: &[&str] = &[
    "Queue",
    "JoinableQueue",
    "Lock",
    "RLock",
    "Semaphore",
    "BoundedSemaphore",
    "Condition",
    "Event",
    "Barrier",
];
/// What a manager's own do not have.
const ONLY_HERE: &[&str] = &[
    "join_thread(",
    "cancel_join_thread(",
    "get_lock(",
    "get_obj(",
];

/// Returns whether a manager has such a thing.
pub(super) fn is_shared(of: &str) -> bool {
    of.strip_prefix("multiprocessing.")
        .is_some_and(|name| SHARED.contains(&name))
}

/// Lets a manager make it.
pub(super) fn shared(eval: &Eval, suspect: &Suspect) -> Planned {
    let module = eval.project.module(suspect.module);
    let name = suspect.of.rsplit('.').next().unwrap_or_default();
    let call = call_at(&module, suspect).ok_or("the call that makes it cannot be found")?;
    let in_function = module.def_at(module.line_of(suspect.at.start)) != 0;
    let under_guard = module.defs[0].statements.iter().any(|s| {
        s.kind == StatementKind::If
            && module.slice(s.head).contains("__name__")
            && s.at.holds(suspect.at)
    });
    if !in_function && !under_guard {
        return Err("other processes make it again when they import the module".to_owned());
    }
    let last = suspect.path.rsplit('.').next().unwrap_or_default();
    let closes = format!("{last}.close(");
    let uses = |id| {
        let text = &eval.project.module(id).text;
        ONLY_HERE.iter().any(|u| text.contains(u)) || text.contains(&closes)
    };
    if eval.project.ids().into_iter().any(uses) {
        return Err(format!(
            "a manager's {name} lacks a method that the program calls"
        ));
    }
    let (manager, import) = match &call.func.kind {
        ExprKind::Attribute(base, _) => (format!("{}.Manager", module.slice(base.at)), None),
        ExprKind::Name(_) => imported(&module, "multiprocessing", "Manager"),
        _ => return Err("the call that makes it is of another form".to_owned()),
    };
    let new = format!("{manager}().{name}");
    let mut edits = vec![Edit {
        start: call.func.at.start as usize,
        end: call.func.at.end as usize,
        text: new.clone(),
    }];
    edits.extend(import);
    edits.sort();
    let args = &module.text[call.func.at.end as usize..call.at.end as usize];
    Ok(Plan {
        text: "Let a manager hold it; what it gives can be sent through a pool. Make it so:"
            .to_owned(),
        code: format!("{new}{args}"),
        edits,
        module: suspect.module,
    })
}

fn call_at(module: &Module, suspect: &Suspect) -> Option<Rc<Call>> {
    fn within(expr: &Rc<Expr>, suspect: &Suspect) -> Option<Rc<Call>> {
        match &expr.kind {
            ExprKind::Call(call) if call.at == suspect.at => Some(Rc::clone(call)),
            _ => expr.parts().into_iter().find_map(|p| within(p, suspect)),
        }
    }
    let all = module.defs.iter();
    all.flat_map(|d| d.statements.iter().flat_map(|s| &s.exprs).chain(&d.returns))
        .find_map(|e| within(e, suspect))
}
