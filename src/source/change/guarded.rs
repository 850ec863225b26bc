//! What a lock keeps others out of: with one of its own, a process would not keep out the other ones.

use super::super::effects::opens_to_write;
use super::super::eval::Eval;
use super::super::syntax::{Expr, ExprKind, Kind, Module, Statement, StatementKind};
use super::super::value::DefId;
use super::shared::LOCKS;

/// What changes a file, besides opening it to write.
const WRITES: &[&str] = &[".write_text(", ".write_bytes(", "os.replace(", "os.rename("];

/// Returns whether a class writes files while it holds a lock of this name.
pub(super) fn guards_files(eval: &Eval, class: DefId, of: &str, name: &str) -> bool {
    LOCKS.contains(&of)
        && eval.line_of(class).own.iter().any(|(class, _)| {
            let module = eval.project.module(class.module);
            let methods = module.defs.iter();
            let mut methods = methods.filter(|d| d.kind == Kind::Function && d.parent == class.def);
            methods.any(|def| {
                let mut held = def.statements.iter().filter(|s| holds(s, name));
                held.any(|s| writes(eval, *class, &module, s))
            })
        })
}

/// Returns whether a statement holds a lock: `with self.lock:`.
fn holds(statement: &Statement, name: &str) -> bool {
    let is_it = |e: &Expr| matches!(&e.kind, ExprKind::Attribute(_, n) if **n == *name);
    statement.kind == StatementKind::With && statement.exprs.iter().any(|e| is_it(e))
}

/// Returns whether a statement changes a file, or calls a method that does.
fn writes(eval: &Eval, class: DefId, module: &Module, statement: &Statement) -> bool {
    let acts = |text: &str| opens_to_write(text) || WRITES.iter().any(|w| text.contains(w));
    let line = eval.line_of(class);
    let text = module.slice(statement.at);
    let mut calls = text.split("self.").skip(1);
    acts(text)
        || calls.any(|call| {
            let name = call.split('(').next().unwrap_or_default();
            eval.method(&line, name).is_some_and(|method| {
                let module = eval.project.module(method.id.module);
                acts(module.slice(module.defs[method.id.def].at))
            })
        })
}
