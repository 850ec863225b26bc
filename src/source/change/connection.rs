//! Statements of SQL that change the connection, not the database: a new one would be without them.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Def, Expr, ExprKind, Kind, Module, Name, Statement};
use super::super::text::lists;
use super::super::value::{DefId, Instance, Made, Setting, Value};

/// What opens a connection to a database, or makes what does.
const CONNECTIONS: &str =
    "sqlite3.connect duckdb. sqlalchemy.create_engine psycopg pymysql. MySQLdb. mysql. pyodbc.";
/// Pragmas that only tell something, or that the file keeps.
const NOT_OF_CONNECTION: &str = "JOURNAL_MODE USER_VERSION APPLICATION_ID SCHEMA_VERSION ENCODING PAGE_SIZE AUTO_VACUUM TABLE_INFO \
    TABLE_XINFO TABLE_LIST INDEX_LIST INDEX_INFO FOREIGN_KEY_LIST FOREIGN_KEY_CHECK INTEGRITY_CHECK \
    QUICK_CHECK WAL_CHECKPOINT INCREMENTAL_VACUUM OPTIMIZE";

/// Attributes of a connection by which it gives other rows, or commits in another way.
const OPTIONS: &str = "row_factory text_factory isolation_level autocommit";

/// Returns whether a script of SQL has a statement that changes the connection.
pub(super) fn sets_connection(script: &str) -> bool {
    script.split(';').any(|statement| {
        let sql = statement.trim().to_ascii_uppercase();
        if let Some(rest) = sql.strip_prefix("PRAGMA ") {
            let name = rest
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .next();
            let is_other = name.is_some_and(|n| lists(NOT_OF_CONNECTION, n));
            return !is_other && rest.contains(['=', '(', '{']);
        }
        sql.starts_with("ATTACH ") && sql.contains(" AS ")
            || sql.starts_with("CREATE TEMP ")
            || sql.starts_with("CREATE TEMPORARY ")
    })
}

/// Returns whether a statement changes the session of a database that has such.
fn sets_session(sql: &str) -> bool {
    let sql = sql.trim().to_ascii_uppercase();
    ["SET ", "USE ", "LOAD "]
        .iter()
        .any(|word| sql.starts_with(word))
}

/// Returns a line that does so to a connection, and that is not among those which are repeated.
pub(super) fn unrepeated(
    eval: &Eval,
    instance: &Instance,
    (setting, name): (&Setting, &Name),
    value: &Value,
    then: &[String],
) -> Option<String> {
    let values = value.alternatives();
    let made = values.iter().find_map(|v| match v {
        Value::Made(made) if CONNECTIONS.split(' ').any(|c| made.of.starts_with(c)) => Some(made),
        _ => None,
    })?;
    let line = eval.line_of(instance.class);
    let making = DefId::new(setting.module, setting.method);
    eval.project.defs().find_map(|(id, module)| {
        let def = &module.defs[id.def];
        let is_other =
            || has_its_own(eval, made, &module, def) || is_called_by(eval, made, making, def);
        let is_far = class_of(&module, def).is_some_and(|c| !line.has(id.beside(c)))
            && !heads(&module, def).contains(&format!(".{name}"));
        if is_far || id != making && is_other() {
            return None;
        }
        let mut lines = def.statements.iter();
        lines.find_map(|s| line_of(&module, s, made, then))
    })
}

/// Returns the line of a statement that changes a connection, unless it is repeated.
fn line_of(module: &Module, statement: &Statement, made: &Made, then: &[String]) -> Option<String> {
    let head = module.slice(statement.head);
    let is_run = || [".execute(", ".sql("].iter().any(|run| head.contains(run));
    let is_session = |sql: &str| !made.of.starts_with("sqlite3.") && sets_session(sql) && is_run();
    let is_set = |option: &&str| {
        let ways = [
            format!(".{option} ="),
            format!(".{option},"),
            format!("\"{option}\","),
        ];
        let is_repeated = || then.iter().any(|line| line.contains(*option));
        ways.iter().any(|way| head.contains(way.as_str())) && !is_repeated()
    };
    let is_statement = statement.at == statement.head;
    if is_statement && OPTIONS.split(' ').any(|option| is_set(&option)) {
        return head.lines().next().map(str::to_owned);
    }
    let mut texts = statement.walk();
    texts.find_map(|e| {
        let sql = sql_of(module, e)?;
        let is_it = sets_connection(sql) || is_session(sql);
        let is_repeated = || then.iter().any(|line| line.contains(sql));
        let first = sql.trim().lines().next().unwrap_or_default();
        let line = head.lines().find(|l| l.contains(first)).unwrap_or(head);
        (is_it && !is_repeated()).then(|| line.trim().to_owned())
    })
}

/// Returns the SQL that an expression is, `f"pragma {name} = {value}"` too.
pub(super) fn sql_of<'m>(module: &'m Module, expr: &'m Expr) -> Option<&'m str> {
    match &expr.kind {
        ExprKind::Text(text) => Some(text),
        ExprKind::Data(_) => {
            let text = module.slice(expr.at).strip_prefix(['f', 'F'])?;
            Some(text.trim_matches(['"', '\'']))
        }
        _ => None,
    }
}

/// Returns the statements of a scope without what is in its functions.
pub(super) fn heads(module: &Module, def: &Def) -> String {
    let heads = def.statements.iter().map(|s| module.slice(s.head));
    heads.collect::<Vec<_>>().join("\n")
}

/// Returns the class that a scope is in.
fn class_of(module: &Module, def: &Def) -> Option<usize> {
    let mut around = module.outwards(def.parent);
    around
        .find(|(_, d)| d.kind == Kind::Class)
        .map(|(number, _)| number)
}

/// Returns whether a function opens a connection of its own, or is told of each that is opened.
fn has_its_own(eval: &Eval, made: &Made, module: &Module, def: &Def) -> bool {
    let maker = eval.project.module(made.env.at.module);
    let opens = format!("{}(", maker.slice(made.call.func.at));
    let mut decorators = def.decorators.iter().map(|d| module.code(d.at));
    heads(module, def).contains(&opens) || decorators.any(|d| d.contains("listens_for"))
}

/// Returns whether the function that makes the connection calls this one, which is done again then.
fn is_called_by(eval: &Eval, made: &Rc<Made>, making: DefId, def: &Def) -> bool {
    let maker = eval.project.module(made.env.at.module);
    let text = heads(&maker, &maker.defs[made.env.at.def]);
    made.env.at != making && def.kind == Kind::Function && text.contains(&format!("{}(", def.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_of_the_connection() {
        for sql in [
            "pragma foreign_keys = on",
            "create table t (n); PRAGMA cache_size(-2000)",
            "attach 'other.db' as other",
            "create temp table ids (name text)",
        ] {
            assert!(sets_connection(sql), "{sql}");
        }
        for sql in [
            "pragma foreign_keys",
            "pragma journal_mode = wal",
            "pragma table_info(t)",
            "Attach a handler to the root.",
            "create table temp (n)",
        ] {
            assert!(!sets_connection(sql), "{sql}");
        }
    }
}
