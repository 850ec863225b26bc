//! What is empty when the same call makes it again: a file that is opened for writing, a database in
//! memory.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Call, Expr, ExprKind, Module};
use super::super::value::Value;

/// Returns whether a call opens a file for writing from the start, or may do so: its mode is a name, and the
/// program has such a mode.
pub(super) fn empties(eval: &Eval, expr: &Rc<Expr>) -> bool {
    let is_text = |e: &Rc<Expr>| e.text().is_some_and(is_emptying);
    let given = expr.calls().flat_map(|call| &call.args);
    let given = given.filter(|a| a.label.as_deref().is_none_or(|label| label == "mode"));
    if given.flat_map(|a| a.value.walk()).any(is_text) {
        return true;
    }
    let mut modes = expr.calls().filter_map(|call| mode_of(call));
    let is_open = modes.any(|mode| !matches!(mode.kind, ExprKind::Text(_)));
    is_open && eval.project.any(|m| has_emptying(m))
}

/// Returns whether a call opens an archive to add to it, which several processes cannot do.
pub(super) fn adds_to_archive(value: &Value, expr: &Rc<Expr>) -> bool {
    const ARCHIVES: [&str; 3] = ["zipfile.ZipFile", "tarfile.open", "h5py.File"];
    let is_archive = |v: &Value| matches!(v, Value::Made(m) if ARCHIVES.contains(&&*m.of));
    let adds = |e: &Expr| matches!(e.text(), Some("a" | "r+"));
    let mut args = expr.calls().flat_map(|call| &call.args);
    value.may_be(is_archive) && args.any(|a| adds(&a.value))
}

/// Returns the mode that a call opens a file in, where it is given one.
fn mode_of(call: &Call) -> Option<&Rc<Expr>> {
    let name = call.func.last_name()?;
    let opens = &**name == "open" || name.ends_with("FileHandler") || name.ends_with("ZipFile");
    let labelled = call.labelled("mode");
    let second = call.args.get(1).filter(|a| a.label.is_none());
    let mode = labelled.or(second).filter(|_| opens)?;
    Some(&mode.value)
}

/// Returns whether a text that is such a mode stands in a module.
fn has_emptying(module: &Module) -> bool {
    let exprs = module.defs.iter().flat_map(|d| {
        let defaults = d.params.iter().filter_map(|p| p.default.as_ref());
        d.exprs().chain(defaults)
    });
    let mut all = exprs.flat_map(Expr::walk);
    all.any(|e| e.text().is_some_and(is_emptying))
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
    let prefixes = ["sqlite3.", "duckdb.", "sqlalchemy.create_engine"];
    prefixes.iter().any(|p| of.starts_with(p))
}

/// Returns whether a call names a database in memory; `duckdb.connect()` and `create_engine("sqlite://")`
/// make one.
fn is_of_memory(call: &str) -> bool {
    call.contains(":memory:")
        || call.contains("sqlite://\"")
        || call.contains("sqlite://'")
        || call.contains("mode=memory")
        || ["connect('')", "connect(\"\")", "duckdb.connect()"]
            .iter()
            .any(|end| call.ends_with(end))
}

/// Returns whether a database may be one in memory.
pub(super) fn in_memory(eval: &Eval, value: &Value, module: &Module, expr: &Expr) -> bool {
    let mut alternatives = value.alternatives().into_iter();
    let is_database = alternatives.any(|v| matches!(v, Value::Made(m) if is_database(&m.of)));
    let call = module.slice(expr.at);
    let is_literal = expr
        .call()
        .is_some_and(|c| c.args.first().is_some_and(|a| a.value.text().is_some()));
    let says_so = || eval.project.any(|m| is_of_memory(&m.code));
    is_database && (is_of_memory(call) || !is_literal && says_so())
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
