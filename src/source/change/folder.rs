//! Paths that lead elsewhere by the time that they are opened again: the program changes the current folder, or
//! takes away what is there.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::sent::Sending;
use super::super::syntax::{Binding, Call, Expr, ExprKind, Kind, Module, Name, StatementKind};
use super::super::value::{DefId, Setting, Value};
use super::lost::Loss;

/// What opens something by its path.
const OPENS: &str = "open io.open codecs.open gzip. bz2. lzma. pathlib.Path().open sqlite3.connect duckdb.connect \
    sqlalchemy.create_engine h5py.File lmdb.open zipfile.ZipFile tarfile.open logging.";
/// What makes a path one from the root.
const WHOLE: &[&str] = &["abspath(", ".resolve(", "__file__", "\"/", "'/"];

/// What takes away, or moves, what is at a path: functions, and methods of a path.
pub(super) const TAKES: &[&str] = &["unlink", "remove", "rename", "replace", "move", "rmtree"];
const OF_PATHS: &[&str] = &["unlink", "rename", "replace"];

/// Returns whether a value is opened by a path.
fn is_opened(value: &Value) -> bool {
    let opens = |of: &str| {
        let mut names = OPENS.split(' ');
        names.any(|name| of == name || name.contains('.') && of.starts_with(name))
    };
    let values = value.alternatives();
    values
        .iter()
        .any(|v| matches!(v, Value::Made(made) if opens(&made.of)))
}

/// Returns whether a path that something is opened by may lead elsewhere by then.
pub(super) fn leads_elsewhere(eval: &Eval, value: &Value, module: &Module, expr: &Expr) -> bool {
    let text = module.slice(expr.at);
    is_opened(value) && !WHOLE.iter().any(|w| text.contains(w)) && eval.project.says("chdir(")
}

/// Returns a call that takes away what was opened: in the method that opens it, below, or in another method.
pub(super) fn taken_away(eval: &Eval, setting: &Setting, value: &Value) -> Option<String> {
    let module = eval.project.module(setting.module);
    let making = &module.defs[setting.method];
    let methods = module
        .defs
        .iter()
        .filter(|d| d.kind == Kind::Function && d.parent == making.parent);
    let calls = methods.flat_map(super::super::syntax::Def::calls);
    let mut calls =
        calls.filter(|call| !making.at.holds(call.at) || call.at.start > setting.at.end);
    let takes = |call: &&Rc<Call>| match &call.func.kind {
        ExprKind::Attribute(of, name) if of.is_name("os") || of.is_name("shutil") => {
            TAKES.contains(&&**name)
        }
        // `path.replace(other)`: of a text it takes two arguments.
        ExprKind::Attribute(of, name) => {
            let of = match &of.kind {
                ExprKind::Call(made) => made.func.last_name(),
                _ => of.last_name(),
            };
            let is_path = of.is_some_and(|n| n.to_lowercase().ends_with("path"));
            is_path && OF_PATHS.contains(&&**name) && call.args.len() <= 1
        }
        _ => false,
    };
    let found = calls.find(takes).filter(|_| is_opened(value))?;
    Some(module.first_line(found.at).to_owned())
}

/// Returns what goes wrong where an object is made of a temporary folder, and sent when that is gone.
pub(in super::super) fn folder_gone(
    eval: &Eval,
    sendings: &[Sending],
    class: DefId,
) -> Option<Loss> {
    let instance = eval.instance(class);
    let (call, env) = instance.made.as_ref()?;
    let module = eval.project.module(env.at.module);
    let uses = |name: &Name| {
        call.args
            .iter()
            .any(|a| a.value.names().any(|(n, _)| n == name))
    };
    let gone = module.defs[env.at.def].statements.iter().find(|s| {
        let bound = module.defs[env.at.def].bindings.iter();
        let bound = bound.filter(|b| b.at == s.at);
        let mut names = bound.filter_map(Binding::name);
        let is_temporary = module.slice(s.head).contains("TemporaryDirectory(");
        s.kind == StatementKind::With && is_temporary && s.at.holds(call.at) && names.any(uses)
    })?;
    let is_here = |s: &&Sending| s.parts.iter().any(|part| part.env.at == env.at);
    let mut sent = sendings.iter().filter(is_here);
    sent.any(|s| !gone.at.holds(s.call.at)).then(|| Loss {
        why: "its temporary folder is gone when it is sent".to_owned(),
        text: "Send it inside the `with` block of its temporary folder, which is gone behind it."
            .to_owned(),
    })
}
