//! Paths that start from the current folder, which the program changes.

use super::super::eval::Eval;
use super::super::syntax::{Expr, Module};
use super::super::value::Value;

/// What opens something by its path.
const OPENS: &[&str] = &[
    "open",
    "io.open",
    "codecs.open",
    "gzip.",
    "bz2.",
    "lzma.",
    "pathlib.Path().open",
    "sqlite3.connect",
    "duckdb.connect",
    "sqlalchemy.create_engine",
    "h5py.File",
    "lmdb.open",
    "zipfile.ZipFile",
    "tarfile.open",
    "logging.",
];
/// What makes a path one from the root.
const WHOLE: &[&str] = &["abspath(", ".resolve(", "__file__", "\"/", "'/"];

/// Returns whether a path that something is opened by may lead elsewhere by then.
pub(super) fn leads_elsewhere(eval: &Eval, value: &Value, module: &Module, expr: &Expr) -> bool {
    let opens = |of: &str| {
        let mut names = OPENS.iter();
        names.any(|name| of == *name || name.contains('.') && of.starts_with(name))
    };
    let values = value.alternatives();
    let mut values = values.iter();
    let is_opened = values.any(|v| matches!(v, Value::Made(made) if opens(&made.of)));
    let text = module.slice(expr.at);
    let modules = eval.project.modules();
    is_opened
        && !WHOLE.iter().any(|w| text.contains(w))
        && modules.iter().any(|m| m.text.contains("chdir("))
}
