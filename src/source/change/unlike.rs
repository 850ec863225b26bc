//! What a new one does not stand for, by what the rest of the program does with the old one.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Kind, Name};
use super::super::value::{Attribute, Value};
use super::emptied::starts_empty;
use super::set_up::{is_read, properties};

/// What opens a connection that keeps its changes to itself until it commits.
const TRANSACTIONS: &str = "sqlite3.connect psycopg pymysql. MySQLdb. mysql. pyodbc.";
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
    if !made.is_empty() && eval.project.says(&format!(".{name}.closed")) {
        return Err("the program asks whether it is closed, and a new one is open".to_owned());
    }
    if values.iter().any(is_read)
        && let Some(reader) = reader(eval, name)
    {
        return Err(format!("a new one would not be where `{reader}` leaves it"));
    }
    if made.iter().any(|of| has_transactions(of))
        && !is_empty(eval, &values)
        && is_uncommitted(eval, name)
    {
        return Err("a new connection sees only what is committed".to_owned());
    }
    Ok(())
}

/// Returns whether a connection keeps its changes to itself until it commits.
pub(super) fn has_transactions(of: &str) -> bool {
    TRANSACTIONS.split(' ').any(|name| of.starts_with(name))
}

/// Returns whether a database is in memory, of which more is to be said.
fn is_empty(eval: &Eval, values: &[Value]) -> bool {
    values.iter().any(|v| match v {
        Value::Made(made) => {
            let module = eval.project.module(made.env.at.module);
            starts_empty(&made.of, module.slice(made.call.at))
        }
        _ => false,
    })
}

/// Returns a function that reads on in a file, from wherever another call has left it.
fn reader(eval: &Eval, name: &Name) -> Option<Name> {
    let modules = eval.project.modules();
    let other = modules.iter().flat_map(|m| properties(m, name));
    let names: Vec<Name> = std::iter::once(Rc::clone(name)).chain(other).collect();
    modules.iter().find_map(|m| {
        let functions = m.defs.iter().filter(|d| d.kind == Kind::Function);
        let mut readers = functions.filter(|d| {
            let text = m.code(d.at);
            let has = |ways: &[&str]| {
                let all = ways
                    .iter()
                    .flat_map(|w| names.iter().map(move |n| w.replace('_', n)));
                all.into_iter().any(|way| text.contains(&way))
            };
            has(READS) && !has(&["._.seek("]) && !only_while_made(eval, &d.name)
        });
        readers.next().map(|d| Rc::clone(&d.name))
    })
}

/// Returns whether a method is called by no other than `__init__`.
fn only_while_made(eval: &Eval, name: &Name) -> bool {
    let call = format!("self.{name}(");
    let count = |text: &str| text.matches(&call).count();
    let modules = eval.project.modules();
    let in_init = modules.iter().map(|m| {
        let makes = m.defs.iter().filter(|d| &*d.name == "__init__");
        makes.map(|d| count(m.code(d.at))).sum::<usize>()
    });
    let in_init: usize = in_init.sum();
    // Handed over, or called from outside, it stands without the bracket or without `self`.
    let named = format!(".{name}");
    let all = modules.iter().map(|m| m.code.matches(&named).count());
    &**name == "__init__" || in_init > 0 && in_init == all.sum::<usize>()
}

/// Returns whether a function changes rows by a connection, and neither it nor another one commits that while
/// the object is in use.
fn is_uncommitted(eval: &Eval, name: &Name) -> bool {
    let modules = eval.project.modules();
    let never = ["isolation_level=None", "autocommit"];
    if never.iter().any(|n| eval.project.says(n)) {
        return false;
    }
    let uses = uses_of(eval, name);
    let entered = format!(".{name}:");
    let all = modules
        .iter()
        .flat_map(|m| m.defs.iter().map(move |d| (m, d)));
    let own = all.map(|(m, d)| {
        let heads: Vec<&str> = d.statements.iter().map(|s| m.slice(s.head)).collect();
        (Rc::clone(&d.name), heads.join("\n"))
    });
    let own: Vec<(Name, String)> = own.collect();
    let commits = |text: &str| {
        let mut lines = text.lines();
        text.contains(".commit(")
            || lines.any(|l| l.trim_start().starts_with("with ") && l.contains(&entered))
    };
    let is_committed = own
        .iter()
        .any(|(name, text)| !ONCE.contains(&&**name) && commits(before_workers(text)));
    let changes = |text: &str| {
        let is_here = uses.iter().any(|u| text.contains(u));
        let text = text.to_ascii_lowercase();
        let is_update = text.contains("update ") && text.contains(" set ");
        is_here && (is_update || CHANGES_ROWS.iter().any(|c| text.contains(c)))
    };
    own.iter()
        .any(|(_, text)| changes(text) && !commits(text) && !is_committed)
}

/// Returns what comes before workers are started, in the text of a function that starts some.
fn before_workers(text: &str) -> &str {
    const STARTS: [&str; 5] = ["Pool(", "Executor(", "Process(", ".map(", ".submit("];
    let start = STARTS.iter().filter_map(|word| text.find(word)).min();
    &text[..start.unwrap_or(text.len())]
}

/// Returns how a connection of this name is used, or a cursor of it that has a name of its own.
fn uses_of(eval: &Eval, name: &Name) -> Vec<String> {
    let cursor = format!(".{name}.cursor(");
    let modules = eval.project.modules();
    let cursors = modules.iter().flat_map(|m| {
        let bound = m.bindings().filter(|b| m.slice(b.at).contains(&cursor));
        bound.filter_map(|b| Some(Rc::clone(b.attribute()?.1)))
    });
    let all = std::iter::once(Rc::clone(name)).chain(cursors);
    all.map(|name| format!(".{name}.")).collect()
}
