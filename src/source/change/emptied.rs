//! What is empty when the same call makes it again: a file that is opened for writing, a database in
//! memory.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::syntax::{Expr, ExprKind, Module};
use super::super::value::Value;

/// Returns whether a call opens a file for writing from the start.
pub(super) fn empties(expr: &Rc<Expr>) -> bool {
    let mut args = expr.calls().flat_map(|call| &call.args);
    args.any(|a| matches!(&a.value.kind, ExprKind::Text(t) if is_emptying(t)))
}

/// Returns whether a text is a mode that empties the file: `"w"`, `"xb"`.
fn is_emptying(text: &str) -> bool {
    text.starts_with(['w', 'x']) && text.len() <= 4 && text.chars().all(|c| "wxbt+|:gz".contains(c))
}

/// Returns whether a call, as it is written, makes something without what is in it: a database in
/// memory, a file that is emptied.
pub(in super::super) fn starts_empty(of: &str, call: &str) -> bool {
    let mut literals = call.split(['"', '\'']).skip(1).step_by(2);
    is_database(of) && is_of_memory(call) || literals.any(is_emptying)
}

fn is_database(of: &str) -> bool {
    of.starts_with("sqlite3.") || of.starts_with("duckdb.")
}

/// Returns whether a call names a database in memory; `duckdb.connect()` makes one.
fn is_of_memory(call: &str) -> bool {
    call.contains(":memory:") || call.contains("mode=memory") || call.ends_with("duckdb.connect()")
}

/// Returns whether a database may be one in memory.
pub(super) fn in_memory(eval: &Eval, value: &Value, module: &Module, expr: &Expr) -> bool {
    let mut alternatives = value.alternatives().into_iter();
    let is_database = alternatives.any(|v| matches!(v, Value::Made(m) if is_database(&m.of)));
    let call = module.slice(expr.at);
    let is_literal = call.contains(['"', '\'']);
    let says_so = |id: &ModuleId| eval.project.module(*id).text.contains(":memory:");
    is_database && (is_of_memory(call) || !is_literal && eval.project.ids().iter().any(says_so))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_again_and_empty() {
        for (of, call) in [
            ("sqlite3.connect", "sqlite3.connect(\":memory:\")"),
            (
                "sqlite3.connect",
                "sqlite3.connect('file:a?mode=memory', uri=True)",
            ),
            ("duckdb.connect", "duckdb.connect()"),
            ("h5py.File", "h5py.File(\"out.h5\", \"w\")"),
        ] {
            assert!(starts_empty(of, call), "{call}");
        }
        for (of, call) in [
            ("sqlite3.connect", "sqlite3.connect(\"w.db\")"),
            ("sqlite3.connect", "self._connect()"),
            ("h5py.File", "h5py.File('out.h5', 'r')"),
            ("redis.Redis", "redis.Redis()"),
        ] {
            assert!(!starts_empty(of, call), "{call}");
        }
    }
}
