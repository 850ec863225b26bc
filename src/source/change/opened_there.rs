//! A connection or an open file that is an argument itself: opened by the function that runs in the other process.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::{is_word, places_of};
use crate::traceback::facts::Via;

use super::super::eval::{Eval, bindings_of, binds, only_binding};
use super::super::syntax::{
    Arg, Binding, Call, Def, Expr, Kind, Module, Source, Statement, StatementKind,
};
use super::super::text::{edited, edited_line, lines_of, unit};
use super::super::value::{DefId, Value};
use super::super::walk::Suspect;
use super::taken_out::{Taken, taken};
use super::unlike::has_transactions;
use super::{Plan, Planned};

/// Clients that another process opens by the same call, besides what has transactions.
const CLIENTS: &[&str] = &["redis.", "pymongo.", "boto3."];

/// `path.open()`
pub(super) const OF_PATH: &str = "pathlib.Path().open";
/// Files, and what may be asked of one that the other process opens anew.
pub(super) const FILES: &[(&str, &[&str])] = &[
    ("open", &[]),
    ("io.open", &[]),
    ("gzip.open", &[]),
    ("bz2.open", &[]),
    ("lzma.open", &[]),
    (OF_PATH, &[]),
    ("zipfile.ZipFile", &["namelist", "infolist", "getinfo"]),
    ("tarfile.open", &["getnames", "getmembers"]),
    ("h5py.File", &["keys", "get", "items", "values"]),
];

/// A thing that is opened, and how.
pub(super) struct Opened<'a> {
    pub(super) eval: &'a Eval<'a>,
    pub(super) module: &'a Module,
    /// The name that it has where it is given away.
    pub(super) name: &'a str,
    pub(super) of: &'a str,
    pub(super) taken: Taken,
    /// The scope that opens it.
    pub(super) scope: DefId,
    pub(super) expr: Rc<Expr>,
    /// The function that does nothing else, which that calls.
    pub(super) helper: Option<usize>,
    /// The connection or file that it is made on: its name, and the call that opens it.
    pub(super) base: Option<(String, Rc<Expr>)>,
}

/// Plans to open it in the function that gets it; `None` where it is no such thing.
pub(in super::super) fn opened_there(
    eval: &Eval,
    suspect: &Suspect,
    via: Option<Via>,
) -> Option<Planned> {
    let is_name = suspect.path.chars().all(is_word);
    let is_alone = suspect.holder.is_none() && suspect.def.is_none() && is_name;
    let is_sent = matches!(via, Some(Via::Process | Via::Pool | Via::Executor));
    let of = suspect.of.trim_end_matches("().cursor");
    // What is queued or subscribed to would be gone.
    let is_redis_part = of.starts_with("redis.") && of.contains("()");
    let is_known = is_database(of) && !is_redis_part || is_file(of) || is_csv(of);
    if !is_alone || !is_sent || !is_known || !suspect.is_sure {
        return None;
    }
    Some(planned(eval, suspect, of))
}

/// Returns the mode that a call opens a file in, where it is given one.
pub(super) fn mode_of<'c>(of: &str, call: &'c Call) -> Option<&'c Arg> {
    // `path.open("w")`
    let placed = call.args.get(usize::from(of != OF_PATH));
    let placed = placed.filter(|a| a.label.is_none());
    call.labelled("mode").or(placed)
}

fn is_file(of: &str) -> bool {
    FILES.iter().any(|(file, _)| of == *file)
}

/// Returns whether it is made of a file: `csv.writer(file)`.
fn is_csv(of: &str) -> bool {
    matches!(
        of,
        "csv.reader" | "csv.writer" | "csv.DictReader" | "csv.DictWriter"
    )
}

pub(super) fn is_database(of: &str) -> bool {
    has_transactions(of) || CLIENTS.iter().any(|name| of.starts_with(name))
}

fn planned(eval: &Eval, suspect: &Suspect, of: &str) -> Planned {
    let id = suspect.module;
    let module = eval.project.module(id);
    let number = module.def_around(suspect.at);
    let mut exprs = module.defs[number].walk();
    let expr = exprs.find(|e| e.at == suspect.at);
    let expr = Rc::clone(expr.ok_or("pickfix cannot tell how it is opened")?);
    let taken = taken(eval, id, &suspect.path)?;
    let mut opened = Opened {
        eval,
        module: &module,
        name: &suspect.path,
        of,
        taken,
        scope: DefId::new(id, number),
        expr,
        helper: None,
        base: None,
    };
    let makers = || eval.all_made().filter(|made| *made.of == *of).count();
    let is_param = bindings_of(&module.defs[opened.taken.by.def], &suspect.path)
        .next()
        .is_none();
    if opened.scope != opened.taken.by && (!is_database(of) || is_param && makers() != 1) {
        return Err("it is opened in another function".to_owned());
    }
    if let Some(call) = opened.call_of_helper() {
        opened.is_repeatable(&module.defs[number])?;
        opened.helper = Some(number);
        opened.scope = opened.taken.by;
        opened.expr = call;
    }
    opened.base = opened.base()?;
    let base = opened.base.as_ref().filter(|_| is_csv(of));
    let of_file = base.map(|(_, made)| eval.eval(made, &eval.scope(opened.scope)));
    match of_file {
        Some(Value::Made(made)) if is_file(&made.of) => {
            let of = Rc::clone(&made.of);
            Opened { of: &of, ..opened }.plan()
        }
        Some(_) => Err("pickfix cannot tell how its file is opened".to_owned()),
        None => opened.plan(),
    }
}

impl Opened<'_> {
    fn plan(&self) -> Planned {
        let Self { module, taken, .. } = self;
        let def = &module.defs[taken.to];
        let own = self.own_uses()?;
        let mut lines = Vec::new();
        let mut instead = Vec::new();
        let param = &taken.param;
        if let Some((base, made)) = &self.base {
            let made = self.repeated(made, &mut instead)?;
            if places_of(module.code(def.at), base).next().is_some() {
                return Err(format!("`{}` has another `{base}`", def.name));
            }
            let mut names = self.expr.names();
            if !names.all(|(n, _)| **n == **base || self.is_known(n)) {
                return Err("the function does not know what it is made with".to_owned());
            }
            self.keeps_all(&self.expr)?;
            lines.push(format!("{base} = {made}"));
            lines.push(format!("{param} = {}", module.slice(self.expr.at)));
        } else {
            let made = self.repeated(&self.expr, &mut instead)?;
            lines.push(format!("{param} = {made}"));
        }
        if is_database(self.of) {
            lines.extend(self.set_up(&own)?);
            self.is_read_out(&own)?;
            self.is_committed()?;
        } else {
            self.is_as_opened(&own)?;
        }
        let other = || format!("`{}` is written in another way", def.name);
        let mut edits = taken.out(module, &instead).ok_or_else(other)?;
        edits.push(taken.first(module, &lines).ok_or_else(other)?);
        edits.extend(self.unneeded(&own));
        edits.sort();
        let head = edited(module, def.head, &edits);
        let head = head.lines().next().filter(|line| line.ends_with(':'));
        let head = head.map_or_else(|| format!("def {}(...):", def.name), str::to_owned);
        let unit = unit(module, def);
        let body = lines.join(&format!("\n{unit}"));
        let call = taken.sites[0].call.at;
        let is_short = !module.slice(call).contains('\n');
        let call = is_short.then(|| edited_line(module, &edits, call));
        let call = call.map_or_else(String::new, |line| format!("\n\n{line}"));
        let text = format!(
            "Open `{param}` inside `{}()` instead of passing it in:",
            def.name
        );
        let code = format!("{head}\n{unit}{body}\n{unit}...{call}");
        Ok(Plan::new(self.scope.module, text, code, edits))
    }

    /// Returns the call of a function that only opens a connection: `conn = connect()`.
    fn call_of_helper(&self) -> Option<Rc<Expr>> {
        let Self { module, taken, .. } = self;
        let def = &module.defs[self.scope.def];
        let is_only = |s: &Statement| {
            let is_kind = matches!(s.kind, StatementKind::Assign | StatementKind::Return);
            let head = module.slice(s.head);
            is_kind && !head.contains(".execute") || s.exprs.iter().all(|e| e.text().is_some())
        };
        let is_plain = module.defs[def.parent].kind == Kind::Module && def.decorators.is_empty();
        let is_opener = is_plain && def.statements.iter().all(is_only) && is_database(self.of);
        if self.scope == taken.by || !is_opener {
            return None;
        }
        let set = only_binding(&module.defs[taken.by.def], self.name)?;
        let call = set.source.given()?;
        let is_it = call.call()?.func.is_name(&def.name);
        is_it.then(|| Rc::clone(call))
    }

    /// Returns what a cursor or a CSV writer is made on: its name, and the call that opens it.
    fn base(&self) -> Result<Option<(String, Rc<Expr>)>, String> {
        let call = self.expr.call();
        let method = call.and_then(|c| c.method());
        let cursor = method.filter(|(_, name)| &***name == "cursor");
        let first = call
            .and_then(|c| c.args.first())
            .filter(|_| is_csv(self.of));
        let Some(base) = cursor.map(|(of, _)| of).or(first.map(|a| &a.value)) else {
            return Ok(None);
        };
        if first.is_none() && !self.taken.is_initializer() && !self.starts_with(".execute") {
            return Err("a new cursor would have no rows".to_owned());
        }
        let unknown = match first {
            Some(_) => "pickfix cannot tell how its file is opened",
            None => "pickfix cannot tell how its connection is opened",
        };
        let name = base.dotted();
        let name = name.filter(|n| n.chars().all(is_word)).ok_or(unknown)?;
        let def = &self.module.defs[self.scope.def];
        let bound = bindings_of(def, &name);
        // The name may be another file's elsewhere.
        let is_before = |b: &&Binding| b.at.end <= self.expr.at.start || b.at.holds(self.expr.at);
        let set = bound.filter(is_before).last();
        let set = set.filter(|b| {
            matches!(b.source, Source::Entered(_)) || only_binding(def, &name).is_some()
        });
        let made = set.and_then(|b| match &b.source {
            Source::Entered(made) => Some(made),
            other => other.given(),
        });
        let made = Rc::clone(made.filter(|e| e.call().is_some()).ok_or(unknown)?);
        Ok(Some((name, made)))
    }

    fn mode_of<'c>(&self, call: &'c Call) -> Option<&'c Arg> {
        mode_of(self.of, call).filter(|_| !is_database(self.of))
    }

    /// Returns whether it is opened to write.
    pub(super) fn is_written(&self) -> bool {
        let opening = self.base.as_ref().map_or(&self.expr, |(_, made)| made);
        let mode = opening.call().and_then(|call| self.mode_of(call));
        let mode = mode.and_then(|a| a.value.text());
        mode.is_some_and(|m| m.starts_with(['w', 'x', 'a']))
    }

    /// Returns what binds its name where it is given away: one place, or the `with` around the calls.
    pub(super) fn binding(&self) -> Option<&Binding> {
        let by = &self.module.defs[self.taken.by.def];
        let is_around = |b: &&Binding| {
            let is_it = matches!(&b.source, Source::Entered(e) if e.at == self.expr.at);
            is_it && self.taken.sites.iter().all(|s| b.at.holds(s.call.at))
        };
        let mut bound = bindings_of(by, self.name);
        let around = bound.find(is_around).filter(|around| {
            let mut all = bindings_of(by, self.name);
            all.all(|b| b.at == around.at || !around.at.holds(b.at))
        });
        around.or_else(|| only_binding(by, self.name))
    }

    /// Returns the uses of its name but those that give it away: statements, in order.
    fn own_uses(&self) -> Result<Vec<Statement>, String> {
        let Self { module, taken, .. } = self;
        let by = &module.defs[taken.by.def];
        let binding = self.binding();
        let is_param = by.has_param(self.name);
        if binding.is_none() && !is_param {
            return Err(format!("`{}` is set in more than one way", self.name));
        }
        let is_chained = binding.is_some_and(|b| {
            let is_with = matches!(b.source, Source::Entered(_));
            !is_with && by.bindings.iter().filter(|o| o.at == b.at).count() > 1
        });
        if by.declares(self.name) {
            return Err(format!(
                "`{}` is a global of other functions, too",
                self.name
            ));
        }
        if is_chained {
            return Err(format!("`{}` goes by another name, too", self.name));
        }
        let inner = module.within(by.at).filter(|d| d.parent == taken.by.def);
        let mut inner =
            inner.filter(|d| d.kind != Kind::Module && d.at != module.defs[taken.to].at);
        let speaks = |d: &Def| places_of(module.code(d.at), self.name).next().is_some();
        let is_there = |d: &Def| speaks(d) && !binds(d, self.name);
        if inner.any(is_there) {
            return Err(format!("`{}` is used in a function, too", self.name));
        }
        let at = binding.map(|b| b.at);
        let is_use = |s: &&Statement| {
            let mut names = s.names();
            let mut set = by.bound_at(s.at).filter_map(Binding::attribute);
            names.any(|(n, place)| **n == *self.name && !taken.is_given_at(place))
                || set.any(|(of, _)| of.is_name(self.name))
        };
        // Outside of its `with` the name is another file's.
        let is_with = |b: &Binding| matches!(b.source, Source::Entered(_));
        let within = binding.filter(|b| is_with(b)).map_or(by.at, |b| b.at);
        let all = by.statements.iter();
        let all = all.filter(|s| Some(s.at) != at && within.holds(s.at));
        Ok(all.filter(is_use).cloned().collect())
    }

    /// Returns the edit of a mode that would empty the file again.
    pub(super) fn mode(&self, call: &Call) -> Result<Option<Edit>, String> {
        let Some(arg) = self.mode_of(call) else {
            return Ok(None);
        };
        let mode = arg.value.text().ok_or("its mode is not written there")?;
        if mode.starts_with('r') && !mode.contains('+') {
            return Ok(None);
        }
        let is_plain = matches!(mode, "w" | "wt" | "wb" | "a" | "at" | "ab");
        let is_text = matches!(self.of, "open" | "io.open" | OF_PATH);
        if !is_plain || !is_text {
            return Err("several processes cannot write it at a time".to_owned());
        }
        if self.taken.is_initializer() {
            return Err("a worker would end without writing what it holds back".to_owned());
        }
        let text = self.module.slice(arg.value.at);
        let appends = || Edit::replace(arg.value.at, text.replacen('w', "a", 1));
        Ok(mode.starts_with('w').then(appends))
    }

    /// Returns the edits that take out the lines which open and close it, where nothing else needs them.
    fn unneeded(&self, own: &[Statement]) -> Vec<Edit> {
        let Self { module, taken, .. } = self;
        let is_close = |s: &Statement| module.slice(s.at) == format!("{}.close()", self.name);
        let by = &module.defs[taken.by.def];
        let is_read = !self.is_written();
        let opening = self.binding().and_then(|b| {
            let is_it = |s: &&Statement| s.at == b.at && s.kind == StatementKind::Assign;
            by.statements
                .iter()
                .find(is_it)
                .filter(|_| matches!(&b.source, Source::Value(e) if e.at == self.expr.at))
        });
        let Some(opening) = opening.filter(|_| is_read && own.iter().all(is_close)) else {
            return Vec::new();
        };
        // A suite is not left empty, nor a line that holds more.
        let is_line =
            |s: &Statement| module.slice(s.at) == module.line(module.line_of(s.at.start)).trim();
        let gone: Vec<&Statement> = std::iter::once(opening).chain(own).collect();
        let is_gone = |line: u32| gone.iter().any(|g| module.line_of(g.at.start) == line);
        let is_blank = |line: &u32| {
            let text = module.line(*line).trim();
            text.is_empty() || text.starts_with('#')
        };
        let indent = |line: u32| {
            let text = module.line(line);
            text.len() - text.trim_start().len()
        };
        let last = module.line_of(u32::try_from(module.text.len()).unwrap_or(0));
        let is_left = |g: &&Statement| {
            let own = module.line_of(g.at.start);
            let before = (1..own).rev().find(|l| !is_blank(l));
            let next = (own + 1..=last).find(|l| !is_blank(l));
            let begins = before.is_none_or(|l| indent(l) < indent(own) || is_gone(l));
            let follows = next.is_some_and(|l| indent(l) == indent(own) && !is_gone(l));
            is_line(g) && (!begins || follows)
        };
        if !gone.iter().all(is_left) {
            return Vec::new();
        }
        let lines = gone.iter().map(|s| lines_of(module, s.at));
        lines.map(|lines| Edit::replace(lines, "")).collect()
    }
}
