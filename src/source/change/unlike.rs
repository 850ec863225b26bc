//! What a new one does not stand for, by what the rest of the program does with the old one.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Kind, Name};
use super::super::value::{Attribute, Value};
use super::set_up::{is_read, properties};

/// What opens a connection that keeps its changes to itself until it commits.
const TRANSACTIONS: &[&str] = &[
    "sqlite3.connect",
    "psycopg",
    "pymysql.",
    "MySQLdb.",
    "mysql.",
    "pyodbc.",
];
/// Statements of SQL that begin a transaction, besides `update … set`.
const CHANGES_ROWS: &[&str] = &["insert into", "insert or", "replace into", "delete from"];
/// Methods that commit too early or too late for what is changed in between.
const ONCE: &[&str] = &[
    "__init__", "close", "stop", "shutdown", "__exit__", "__del__",
];

/// What reads on, with `_` for the name of a file.
const READS: &[&str] = &["._.read", "next(self._)", " in self._:", "(self._)"];

/// Returns an error if the program would see that it is another one.
pub(super) fn unlike(eval: &Eval, attribute: &Attribute, value: &Value) -> Result<(), String> {
    let values = value.alternatives();
    let made: Vec<_> = values
        .iter()
        .filter_map(|v| match v {
            Value::Made(made) => Some(&*made.of),
            _ => None,
        })
        .collect();
    let name = &attribute.name;
    if !made.is_empty() && is_asked_whether_closed(eval, name) {
        return Err("the program asks whether it is closed, and a new one is open".to_owned());
    }
    if let Some(reader) = values
        .iter()
        .any(is_read)
        .then(|| reader(eval, name))
        .flatten()
    {
        return Err(format!("a new one would not be where `{reader}` leaves it"));
    }
    let is_transaction = |of: &&str| TRANSACTIONS.iter().any(|t| of.starts_with(t));
    if made.iter().any(is_transaction) && is_uncommitted(eval, name) {
        return Err("a new connection sees only what is committed".to_owned());
    }
    Ok(())
}

fn is_asked_whether_closed(eval: &Eval, name: &Name) -> bool {
    let asked = format!(".{name}.closed");
    let mut modules = eval.project.modules().into_iter();
    modules.any(|m| m.text.contains(&asked))
}

/// Returns a function that reads on in a file, from wherever another call has left it.
fn reader(eval: &Eval, name: &Name) -> Option<Name> {
    let modules = eval.project.modules();
    let other = modules.iter().flat_map(|m| properties(m, name));
    let names: Vec<Name> = std::iter::once(Rc::clone(name)).chain(other).collect();
    modules.iter().find_map(|m| {
        let functions = m.defs.iter().filter(|d| d.kind == Kind::Function);
        let mut readers = functions.filter(|d| {
            let text = m.slice(d.at);
            let has = |ways: &[&str]| {
                let all = ways
                    .iter()
                    .flat_map(|w| names.iter().map(move |n| w.replace('_', n)));
                all.into_iter().any(|way| text.contains(&way))
            };
            &*d.name != "__init__" && has(READS) && !has(&["._.seek("])
        });
        readers.next().map(|d| Rc::clone(&d.name))
    })
}

/// Returns whether a function changes rows, and neither it nor another one commits that while the object
/// is in use.
fn is_uncommitted(eval: &Eval, name: &Name) -> bool {
    let modules = eval.project.modules();
    let never = ["isolation_level=None", "autocommit"];
    if modules
        .iter()
        .any(|m| never.iter().any(|n| m.text.contains(n)))
    {
        return false;
    }
    let entered = format!("with self.{name}:");
    let all = modules
        .iter()
        .flat_map(|m| m.defs.iter().map(move |d| (m, d)));
    let own = all.map(|(m, d)| {
        let heads: Vec<&str> = d.statements.iter().map(|s| m.slice(s.head)).collect();
        (Rc::clone(&d.name), heads.join("\n"))
    });
    let own: Vec<(Name, String)> = own.collect();
    let commits = |text: &str| text.contains(".commit(") || text.contains(&entered);
    let is_committed = own
        .iter()
        .any(|(name, text)| !ONCE.contains(&&**name) && commits(text));
    let changes = |text: &str| {
        let text = text.to_ascii_lowercase();
        CHANGES_ROWS.iter().any(|c| text.contains(c))
            || text.contains("update ") && text.contains(" set ")
    };
    own.iter()
        .any(|(_, text)| changes(text) && !commits(text) && !is_committed)
}
