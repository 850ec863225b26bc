//! What another process would miss of a connection or file that it opens anew: what sets it up, what is not committed,
//! where it has been read to.

use std::rc::Rc;

use super::super::syntax::{
    Binding, Call, Def, Expr, Module, Place, Source, Statement, StatementKind, Target,
};
use super::connection::{heads, sets_connection, sql_of};
use super::folder::TAKES;
use super::opened_there::{FILES, Opened};

/// Statements of SQL that a transaction keeps to itself until it is committed.
const WRITES: &[&str] = &["insert ", "update ", "delete ", "replace "];

/// Statements that some databases keep to a transaction, too.
const DEFINES: &[&str] = &["create ", "drop ", "alter ", "truncate "];

/// Names of connections.
const CALLED: &[&str] = &["con", "conn", "connection", "db"];

/// What a connection is given besides SQL.
const OPTIONS: &str = ".row_factory .text_factory .isolation_level .create_function( .create_aggregate( .create_collation( \
    .create_window_function( .load_extension( .enable_load_extension( .set_authorizer( .autocommit \
    .set_session( .set_isolation_level( .set_client_encoding( .cursor_factory .select_db( setattr(";

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
                let is_option = OPTIONS.split(' ').any(|option| head.contains(option));
                if !is_option && !statement.walk().any(sets) {
                    continue;
                }
                // What is in a temporary table would be gone.
                let is_lasting = !head.to_ascii_lowercase().contains("temp");
                let is_own = is_lasting
                    && number == taken.by.def
                    && own.iter().any(|s| s.at == statement.at);
                let names = statement.names();
                let mut names = names.filter(|(n, _)| ***n != *self.name);
                let is_always = || {
                    let is_above = statement.at.end <= taken.start();
                    is_above && taken.places().all(|p| statement.suite.holds(p))
                };
                let is_plain = head.starts_with(self.name) && !head.contains('\n') && is_always();
                if !is_own || !is_plain || !names.all(|(n, _)| self.is_known(n)) {
                    let first = head.lines().next().unwrap_or_default();
                    return Err(format!("`{first}` sets it up, and would be missing there"));
                }
                lines.push(head.replacen(self.name, &taken.param, 1));
            }
        }
        self.is_set_up_here(own).map(|()| lines)
    }

    /// Returns an error if a function that is not here may set it up: `register_vector(conn)`.
    fn is_set_up_here(&self, own: &[Statement]) -> Result<(), String> {
        let Self {
            eval,
            module,
            taken,
            ..
        } = self;
        let gets = |call: &&Rc<Call>| {
            let is_given = call.args.iter().any(|a| a.value.is_name(self.name));
            let called = eval.called(call, &eval.scope(taken.by));
            is_given && called.is_none_or(|id| id.module != self.scope.module)
        };
        let mut alone = own.iter().filter(|s| s.kind == StatementKind::Expr);
        let given = alone.find_map(|s| s.calls().find(gets));
        let why = |at: Place| format!("`{}` may set it up, too", module.slice(at));
        given.map_or(Ok(()), |call| Err(why(call.at)))
    }

    /// Returns an error if the parent still reads rows while the other process writes, which a lock of `sqlite3` prevents.
    pub(super) fn is_read_out(&self, own: &[Statement]) -> Result<(), String> {
        let Self { module, taken, .. } = self;
        let there = heads(module, &module.defs[taken.to]).to_ascii_lowercase();
        let head = |s: &Statement| module.slice(s.head).to_ascii_lowercase();
        let ends = ["fetchall(", "fetchone(", "list("];
        let reads = |s: &&Statement| {
            let head = head(s);
            head.contains("select ") && !ends.iter().any(|e| head.contains(e))
        };
        let writes = WRITES.iter().any(|w| there.contains(w));
        let is_fetched = heads(module, &module.defs[taken.by.def]).contains("fetchall(");
        let read = own.iter().find(reads);
        let read = read.filter(|_| self.of.starts_with("sqlite3.") && writes && !is_fetched);
        let why = |at: Place| format!("`{}` still reads from it", module.slice(at));
        read.map_or(Ok(()), |s| Err(why(s.head)))
    }

    /// Returns an error if one process would not see what the other has written into a database.
    pub(super) fn is_committed(&self) -> Result<(), String> {
        let Self { module, taken, .. } = self;
        let others = ["redis.", "pymongo.", "boto3."];
        let is_sql = !others.iter().any(|of| self.of.starts_with(of));
        let begins = |m: &Module| {
            let text = m.code.to_ascii_lowercase();
            text.contains("\"begin") || text.contains("'begin")
        };
        let is_each = || self.commits(module.slice(self.expr.at)) && !begins(module);
        if !is_sql || is_each() {
            return Ok(());
        }
        let to = &module.defs[taken.to];
        let body = to.statements.first().map(|s| s.suite);
        let there = to.statements.iter().any(|s| {
            let is_always = s.kind == StatementKind::With || Some(s.suite) == body;
            is_always && self.commits(module.slice(s.head))
        });
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
        let is_held = self.of.starts_with("psycopg") || self.of.starts_with("pyodbc");
        let defines = if is_held { DEFINES } else { &[] };
        let writes = |s: &&Statement| {
            let text = head(s).to_ascii_lowercase();
            let mut words = WRITES.iter().chain(defines);
            words.any(|w| text.contains(w)) && !text.contains(".executescript(")
        };
        let Some(last) = statements.iter().rposition(writes) else {
            return true;
        };
        let is_around = |s: &&&Statement| s.at.holds(statements[last].at);
        let mut around = statements.iter().filter(is_around);
        let behind = statements[last..].iter();
        let mut behind = behind.take_while(|s| s.kind != StatementKind::Return);
        behind.any(|s| self.commits(head(s)) && s.suite.holds(statements[last].at))
            || around.any(|s| self.commits(head(s)))
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
            let uses = statement.walk();
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
            let within = by.statements.iter();
            let within = within.filter(|s| s.head.holds(made.at) && s.at != s.head);
            let within = within.map(|s| s.at).next().unwrap_or(by.at);
            let names = by.names();
            let uses = names.filter(|(n, at)| ***n == **base && within.holds(*at));
            let is_own = |at: Place| {
                self.expr.at.holds(at) || module.text[at.end as usize..].starts_with(".close(")
            };
            if !uses.map(|(_, at)| at).all(is_own) {
                return Err(format!("the program does more with `{base}`"));
            }
        }
        let to = &module.defs[taken.to];
        let there = module.code(to.at);
        let set = self.binding();
        let is_opening = set.is_some_and(|b| match &b.source {
            Source::Value(made) | Source::Entered(made) => made.at == self.expr.at,
            _ => false,
        });
        if !is_opening {
            return Err(format!("`{}` goes by another name, too", self.name));
        }
        self.is_left_alone()?;
        let moves = [".seek(", ".truncate(", ".tell("];
        if self.is_written() && moves.iter().any(|m| there.contains(m)) {
            return Err("it is not written from end to end".to_owned());
        }
        let keeps = |b: &Binding| {
            let is_it = |e: &Rc<Expr>| e.names().any(|(n, _)| *n == taken.param);
            let is_kept = !matches!(b.target, Target::Name(_));
            is_kept && b.source.given().is_some_and(is_it)
        };
        if self.is_written() && (to.bindings.iter().any(keeps) || there.contains("os._exit(")) {
            return Err("a worker would end without writing what it holds back".to_owned());
        }
        let is_placed = self.is_placed(to, set);
        if asks.is_empty() && !self.is_written() && !is_placed {
            return Err("each would read it from its start".to_owned());
        }
        Ok(())
    }

    /// Returns whether it is read from a place that the function goes to, or from its start once.
    fn is_placed(&self, to: &Def, set: Option<&Binding>) -> bool {
        let Self { module, taken, .. } = self;
        let there = module.code(to.at);
        let is_once = || set.is_some_and(|b| taken.is_once(module, b.at));
        let is_param = |e: &Rc<Expr>| e.is_name(&taken.param);
        let kept = to.bindings.iter();
        let kept: Vec<&Binding> = kept
            .filter(|b| b.source.given().is_some_and(is_param))
            .collect();
        let is_kept = taken.is_initializer() && (there.contains("global ") || !kept.is_empty());
        if is_kept {
            let seeks = |b: &&Binding| {
                let name = b.name().map(|name| format!("{name}.seek("));
                name.is_some_and(|seek| module.code.contains(&seek))
            };
            !kept.is_empty() && kept.iter().all(seeks)
        } else {
            let seeks = || self.starts_with(".seek(") && !there.contains(".tell(");
            taken.is_initializer() || seeks() || is_once()
        }
    }

    /// Returns an error if its path is taken away before another process opens it.
    fn is_left_alone(&self) -> Result<(), String> {
        let Self { module, taken, .. } = self;
        let by = &module.defs[taken.by.def];
        let mut calls = by.calls();
        let takes = calls.find(|call| {
            let is_between = call.at.start > self.expr.at.end && call.at.end <= taken.start();
            let name = call.func.last_name();
            is_between && name.is_some_and(|n| TAKES.contains(&&**n))
        });
        let why = |at: Place| format!("`{}` takes its path away", module.slice(at));
        takes.map_or(Ok(()), |call| Err(why(call.at)))
    }
}
