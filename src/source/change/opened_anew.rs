//! What another process would miss of a connection or file that it opens anew: what sets it up, what is not committed,
//! where it has been read to.

use std::rc::Rc;

use super::super::syntax::{Expr, Place, Statement};
use super::connection::{heads, sets_connection, sql_of};
use super::opened_there::{FILES, Opened};

/// Statements of SQL that a transaction keeps to itself until it is committed.
const WRITES: &[&str] = &["insert ", "update ", "delete ", "replace "];

/// Names of connections.
const CALLED: &[&str] = &["con", "conn", "connection", "db"];

/// What a connection is given besides SQL.
const OPTIONS: &[&str] = &[
    ".row_factory",
    ".text_factory",
    ".isolation_level",
    ".create_function(",
    ".create_aggregate(",
    ".create_collation(",
    ".load_extension(",
];

impl Opened<'_> {
    /// Returns the lines that set up a connection besides, or why they cannot be repeated.
    pub(super) fn set_up(&self, own: &[Statement]) -> Result<Vec<String>, String> {
        let Self { module, taken, .. } = self;
        let mut lines = Vec::new();
        for (number, def) in module
            .defs()
            .filter(|(n, _)| *n != taken.to && Some(*n) != self.helper)
        {
            for statement in def.statements.iter().filter(|s| s.at == s.head) {
                let head = module.slice(statement.head);
                let sets = |e: &Rc<Expr>| sql_of(module, e).is_some_and(sets_connection);
                let is_option = OPTIONS.iter().any(|option| head.contains(option));
                if !is_option && !statement.exprs.iter().flat_map(Expr::walk).any(sets) {
                    continue;
                }
                // What is in a temporary table would be gone.
                let is_lasting = !head.to_ascii_lowercase().contains("temp");
                let is_own = is_lasting
                    && number == taken.by.def
                    && own.iter().any(|s| s.at == statement.at);
                let names = statement.exprs.iter().flat_map(Expr::names);
                let mut names = names.filter(|(n, _)| ***n != *self.name);
                let is_plain = head.starts_with(self.name) && !head.contains('\n');
                if !is_own || !is_plain || !names.all(|(n, _)| self.is_known(n)) {
                    let first = head.lines().next().unwrap_or_default();
                    return Err(format!("`{first}` sets it up, and would be missing there"));
                }
                lines.push(head.replacen(self.name, &taken.param, 1));
            }
        }
        Ok(lines)
    }

    /// Returns an error if one process would not see what the other has written into a database.
    pub(super) fn is_committed(&self) -> Result<(), String> {
        let Self { module, taken, .. } = self;
        let is_sql = !["redis.", "pymongo.", "boto3."]
            .iter()
            .any(|of| self.of.starts_with(of));
        if !is_sql || self.commits(module.slice(self.expr.at)) {
            return Ok(());
        }
        let there = self.commits(&heads(module, &module.defs[taken.to]));
        let unseen = || "the other process would not see what is not committed".to_owned();
        for (number, def) in module.defs() {
            let is_here = number == taken.by.def || number == self.scope.def;
            let all: Vec<&Statement> = def.statements.iter().collect();
            if is_here {
                let is_before = |s: &&&Statement| s.at.end <= taken.start();
                let before: Vec<&Statement> = all.iter().filter(is_before).copied().collect();
                if !self.are_committed(&all) || !self.are_committed(&before) {
                    return Err(unseen());
                }
            } else if !(self.are_committed(&all) || number != taken.to && there) {
                return Err(format!("`{}` does not commit what it writes", def.name));
            }
        }
        Ok(())
    }

    /// Returns whether statements commit what they write: behind it, or in a block that does.
    fn are_committed(&self, statements: &[&Statement]) -> bool {
        let head = |s: &Statement| self.module.slice(s.head);
        let writes = |s: &&Statement| {
            let text = head(s).to_ascii_lowercase();
            WRITES.iter().any(|w| text.contains(w)) && !text.contains(".executescript(")
        };
        let Some(last) = statements.iter().rposition(writes) else {
            return true;
        };
        let is_around = |s: &&&Statement| s.at.holds(statements[last].at);
        let mut around = statements.iter().filter(is_around);
        let mut behind = statements[last..].iter();
        behind.any(|s| self.commits(head(s))) || around.any(|s| self.commits(head(s)))
    }

    /// Returns whether a text commits, or is the head of a block that does: `with conn:`.
    fn commits(&self, text: &str) -> bool {
        let ways = [".commit(", "isolation_level=None", "autocommit=True"];
        let is_it =
            |of: &str| [self.name, &*self.taken.param].contains(&of) || CALLED.contains(&of);
        let mut blocks = text.lines().filter_map(|l| l.trim().strip_prefix("with "));
        ways.iter().any(|way| text.contains(way)) || blocks.any(|l| is_it(l.trim_end_matches(':')))
    }

    /// Returns an error if the program does something with a file before it is given away.
    pub(super) fn is_as_opened(&self, own: &[Statement]) -> Result<(), String> {
        let known = FILES.iter().find(|(of, _)| *of == self.of);
        let asks = known.map_or(&[][..], |(_, asks)| asks);
        for statement in own {
            let uses = statement.exprs.iter().flat_map(Expr::walk);
            let mut all = uses.filter(|e| e.is_name(self.name) && !self.taken.is_given_at(e.at));
            let text = self.module.slice(statement.head);
            let is_asked = |e: &Rc<Expr>| {
                let rest = &self.module.text[e.at.end as usize..];
                let method = rest.strip_prefix('.').and_then(|r| r.split('(').next());
                method.is_some_and(|m| m == "close" || asks.contains(&m))
            };
            if !all.all(is_asked) {
                let first = text.lines().next().unwrap_or_default();
                return Err(format!("a new one would not be where `{first}` leaves it"));
            }
        }
        let Self { module, taken, .. } = self;
        // The file below it is left alone, too.
        if let Some((base, made)) = &self.base {
            let by = &module.defs[taken.by.def];
            let within = by
                .statements
                .iter()
                .filter(|s| s.head.holds(made.at) && s.at != s.head);
            let within = within.map(|s| s.at).next().unwrap_or(by.at);
            let names = by.exprs().flat_map(Expr::names);
            let uses = names.filter(|(n, at)| ***n == **base && within.holds(*at));
            let is_own = |at: Place| {
                self.expr.at.holds(at) || module.text[at.end as usize..].starts_with(".close(")
            };
            if !uses.map(|(_, at)| at).all(is_own) {
                return Err(format!("the program does more with `{base}`"));
            }
        }
        let there = module.slice(module.defs[taken.to].at);
        let set = self.binding();
        let is_once = || set.is_some_and(|b| taken.is_once(module, b.at));
        let is_kept = taken.is_initializer() && there.contains("global ");
        let is_placed = if is_kept {
            module.text.contains(".seek(")
        } else {
            taken.is_initializer() || there.contains(".seek(") || is_once()
        };
        if asks.is_empty() && !self.is_written() && !is_placed {
            return Err("each would read it from its start".to_owned());
        }
        Ok(())
    }
}
