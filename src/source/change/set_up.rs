//! What a method does to an attribute after it has made it: `self.db.row_factory = sqlite3.Row`.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::effects::{calls_on, is_harmless};
use super::super::eval::{Eval, bindings_of, is_decorated};
use super::super::syntax::{
    Binding, Call, Def, Expr, ExprKind, Module, Name, Place, Source, Statement, StatementKind,
    Target,
};
use super::super::text::lists;
use super::super::value::{Attribute, DefId, Instance, Setting, Value};
use super::connection::{sets_connection, sql_of, unrepeated};
use super::login::{is_client, is_request, login};
use super::remake::Remade;
use super::worded::worded;

/// What opens a file, whose place in it a new one does not have.
const FILES: &str = "open io.open pathlib.Path().open codecs.open gzip.open bz2.open lzma.open";
/// Methods of a file that leave a reader's place as it is.
const WRITES: &[&str] = &["write", "writelines", "flush", "close", "fileno", "isatty"];
/// Methods that write rows to one.
const ROWS: &[&str] = &["writerow", "writerows", "writeheader"];
/// Methods without which a new socket is of no use.
const CONNECTS: &[&str] = &["connect", "bind", "listen"];
/// Methods that leave another place behind them, in a file, a capture, a queue.
const READS: &[&str] = &["read", "readline", "readlines", "grab", "recv", "__next__"];
/// Clients of a server, which keeps what is set by them.
const CLIENTS: &[&str] = &["redis.", "boto3.", "pymongo.", "elasticsearch.", "kafka."];
/// How the names of methods begin that set something up.
const SETS: &[&str] = &["set", "add", "load_", "create_", "register_", "enable_"];
/// Methods that set something up which no server keeps.
const KEPT: &str =
    "subscribe psubscribe register register_first register_last set_response_callback";
/// Methods that tell a consumer of a queue where to read on.
const PLACED: &[&str] = &["assign", "seek"];
/// Methods whose effect is not missed in a new object, besides those that have none.
const UNMISSED: &str = "writelines writerow writerows writeheader start release cancel submit map put update append extend";
/// Methods that set up what an object holds: `self.session.headers.update(…)`.
const FILLS: &[&str] = &["update", "append", "add", "extend"];
/// Objects on which nothing is repeated: a new one is not started.
const NOT_STARTED: &[&str] = &["threading.Thread", "threading.Timer"];

/// Adds the lines that set the attribute up again; refuses where that cannot be done in words of
/// `self`.
pub(super) fn set_up(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
    (setting, value): (&Setting, &Value),
    mut remade: Remade,
) -> Result<Remade, String> {
    let module = eval.project.module(setting.module);
    let method = &module.defs[setting.method];
    let Some(own) = method.params.first().filter(|_| setting.class.is_some()) else {
        return Ok(remade);
    };
    let is_any = |names: &[&str]| is_made_by(value, names);
    if is_any(NOT_STARTED) {
        return Ok(remade);
    }
    let is_local = is_any(&["threading.local"]);
    let is_variable = is_any(&["contextvars."]);
    let is_of_server = is_any(CLIENTS);
    let sets = |method: &str| {
        let is_of_consumer = is_of_server && PLACED.contains(&method);
        let is_other = is_setter(method) || is_variable && method == "set";
        is_kept(method) || is_of_consumer || !is_of_server && is_other
    };
    let logs_in = || is_client(value).then(|| login(eval, &attribute.name))?;
    let elsewhere = set_up_elsewhere(eval, setting, &attribute.name, (is_local, &sets));
    if let Some(line) = elsewhere.or_else(logs_in) {
        return Err(format!("a new one would be without `{line}`"));
    }
    if value.alternatives().iter().all(is_read) && is_sought(&module, method, &attribute.name) {
        return Ok(remade);
    }
    let suite = method.statements.iter().find(|s| s.at == setting.at);
    let suite = suite.map(|s| s.suite);
    let is_it = |e: &Expr| is_own(e, &own.name, &attribute.name);
    let later = method.statements.iter();
    for statement in later.filter(|s| s.at.start >= setting.at.end) {
        let line = line_of(&module, statement);
        if let Some(why) = left_behind(&module, method, statement, &is_it, value) {
            return Err(why);
        }
        let Some(given) = given(&module, method, statement, &is_it) else {
            continue;
        };
        let lost = || format!("a new one would be without `{line}`");
        let is_plain = !given.is_empty() && Some(statement.suite) == suite && &*own.name == "self";
        let text = module.slice(statement.at);
        if !is_plain || text.contains('\n') || setting.module != instance.class.module {
            return Err(lost());
        }
        // From behind, so that the places before stay.
        let mut text = text.to_owned();
        for value in given.into_iter().rev() {
            let is_late =
                |name: &Name| bindings_of(method, name).any(|b| b.at.start > setting.at.start);
            if value.names().any(|(n, _)| is_late(n)) {
                return Err(lost());
            }
            let said = worded(eval, instance, setting, &value)?;
            let Place { start, end } = value.at;
            let at = |offset: u32| (offset - statement.at.start) as usize;
            text.replace_range(at(start)..at(end), &said.text);
            Edit::add(&mut remade.edits, said.edits);
        }
        remade.then.push(text);
    }
    let name = &attribute.name;
    match unrepeated(eval, instance, (setting, name), value, &remade.then) {
        Some(line) => Err(format!("a new one would be without `{line}`")),
        None => Ok(remade),
    }
}

/// Returns the first line of a statement.
fn line_of<'m>(module: &'m Module, statement: &Statement) -> &'m str {
    let line = module.first_line(statement.head);
    line.trim().trim_end_matches(':')
}

/// Returns why what a statement does is not done to a new one, where it can be repeated in no words.
fn left_behind(
    module: &Module,
    method: &Def,
    statement: &Statement,
    is_it: &dyn Fn(&Expr) -> bool,
    value: &Value,
) -> Option<String> {
    let line = line_of(module, statement);
    let is_any = |names: &[&str]| is_made_by(value, names);
    let calls = calls_on(statement, is_it);
    let is_call = |names: &[&str]| calls.iter().any(|(_, name)| names.contains(&&***name));
    let writes = || !calls.is_empty() && calls.iter().all(|(_, n)| WRITES.contains(&&***n));
    let is_file = value.may_be(is_read);
    let mut all = statement.walk();
    if is_file && all.any(|e| is_it(e)) && !writes() || is_call(READS) {
        let line = reading(module, method, statement).unwrap_or(line);
        return Some(format!("a new one would not be where `{line}` leaves it"));
    }
    let is_late = || is_call(&WRITES[..2]) || is_any(&["csv."]) && is_call(ROWS);
    if is_buffered(value) && is_late() && !is_flushed(module, method, statement) {
        return Some(format!("what `{line}` writes may still be in the buffer"));
    }
    let is_lost = is_any(&["socket."]) && is_call(CONNECTS)
        || is_client(value) && calls.iter().any(|(_, name)| is_request(name))
        || goes_by_another_name(module, method, statement, is_it)
        || loops_over(method, statement, is_it);
    is_lost.then(|| format!("a new one would be without `{line}`"))
}

/// Returns whether others go to a place in a file before they read it, which [`super::unlike`] asks of each of them:
/// where the method that opens it leaves it is nothing to them.
fn is_sought(module: &Module, method: &Def, name: &Name) -> bool {
    let seek = format!(".{name}.seek(");
    let count = |text: &str| text.matches(&seek).count();
    let writes = module.code.contains(&format!(".{name}.write"));
    !writes && count(&module.code) > count(module.code(method.at))
}

/// Returns the values that a statement sets the attribute up with, none where they cannot be told; `None` if it
/// sets nothing up.
fn given(
    module: &Module,
    method: &Def,
    statement: &Statement,
    is_it: &dyn Fn(&Expr) -> bool,
) -> Option<Vec<Rc<Expr>>> {
    let calls = calls_on(statement, is_it);
    let is_set = |(call, name): &(&Rc<Call>, &Name)| {
        let holds = |e: &Expr| e.attribute().is_some_and(|(base, _)| is_inner(base, is_it));
        let sql = || sql_of(module, &call.args.first()?.value);
        SETS.iter().any(|s| name.starts_with(s))
            || FILLS.contains(&&***name) && holds(&call.func)
            || &***name == "execute" && sql().is_some_and(sets_connection)
    };
    let is_missed = |(_, name): &(&Rc<Call>, &Name)| is_missed(name);
    let is_alone = statement.kind == StatementKind::Expr;
    match (assigned(method, statement, is_it), calls.as_slice()) {
        (Some(value), _) => Some(vec![value]),
        (None, [one]) if is_set(one) && is_alone => {
            Some(one.0.args.iter().map(|a| Rc::clone(&a.value)).collect())
        }
        (None, calls) => {
            let is_any = calls.iter().any(is_set) || is_alone && calls.iter().any(is_missed);
            is_any.then(Vec::new)
        }
    }
}

/// Returns a line outside of the method that makes an attribute which sets something on it, or calls what
/// does: `self.conn.row_factory = sqlite3.Row` in another method, in a subclass, in `main`.
fn set_up_elsewhere(
    eval: &Eval,
    setting: &Setting,
    name: &Name,
    (is_local, sets): (bool, &dyn Fn(&str) -> bool),
) -> Option<String> {
    // Each thread that finds it empty fills its own.
    let asks = ["hasattr(self.", "getattr(self."].map(|ask| format!("{ask}{name}"));
    if is_local && asks.iter().any(|ask| eval.project.says(ask)) {
        return None;
    }
    let modules = eval.project.modules();
    let mut names: Vec<Name> = vec![Rc::clone(name)];
    names.extend(modules.iter().flat_map(|m| properties(m, name)));
    for (id, module) in eval.project.defs() {
        let def = &module.defs[id.def];
        let is_making = id == DefId::new(setting.module, setting.method);
        if is_making || &*def.name == "__setstate__" {
            continue;
        }
        let is_named = |e: &Expr| names.iter().any(|name| is_named(e, name));
        let others = def.bindings.iter().filter_map(Binding::named_value);
        let others = others.filter(|(_, value)| is_named(value));
        let others: Vec<&Name> = others.map(|(other, _)| other).collect();
        let is_it = |e: &Expr| is_named(e) || others.iter().any(|other| e.is_name(other));
        let set = def.bindings.iter().filter(|b| match &b.target {
            Target::Attribute(base, _) => is_it(base),
            Target::Content(base, _) => is_inner(base, &is_it),
            Target::Name(_) => false,
        });
        let calls = def.statements.iter().filter(|s| {
            s.kind == StatementKind::Expr && s.exprs.iter().any(|e| sets_up(e, &is_it, sets))
        });
        let found = set.map(|b| b.at).chain(calls.map(|s| s.at)).next();
        if let Some(at) = found {
            let line = module.first_line(at);
            return Some(line.to_owned());
        }
    }
    None
}

/// Returns the properties that give an attribute of this name.
pub(super) fn properties<'m>(
    module: &'m Module,
    name: &'m Name,
) -> impl Iterator<Item = Name> + 'm {
    let gives = move |def: &&Def| {
        is_decorated(def, "property") && def.returns.iter().any(|e| is_named(e, name))
    };
    module.defs.iter().filter(gives).map(|d| Rc::clone(&d.name))
}

/// Returns whether what a method does to its object would be missed in a new one.
fn is_missed(method: &str) -> bool {
    !is_harmless(method) && !lists(UNMISSED, method)
}

/// Returns whether a statement gives the attribute another name, `c = self.conn`, which is used below it.
fn goes_by_another_name(
    module: &Module,
    method: &Def,
    statement: &Statement,
    is_it: &dyn Fn(&Expr) -> bool,
) -> bool {
    let below = module.slice(Place::new(statement.at.end, method.at.end));
    let mut named = method
        .bound_at(statement.at)
        .filter_map(Binding::named_value);
    named.any(|(name, value)| is_it(value) && places_of(below, name).next().is_some())
}

/// Returns whether a statement does something to, or reads from, each item: `for c in self.conns.values():`,
/// `[next(f) for f in self.files]`.
fn loops_over(method: &Def, statement: &Statement, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    let holds = |e: &Rc<Expr>| e.walk().any(|e| is_it(e));
    let is_used = |e: &Rc<Expr>, names: &[&Name]| {
        let mut calls = e.calls();
        calls.any(|call| {
            let is_item = |e: &Expr| names.iter().any(|n| e.is_name(n));
            let is_read = call.func.is_name("next");
            let on_it = matches!(&call.func.kind, ExprKind::Attribute(of, name)
                if is_item(of) && is_missed(name));
            on_it || is_read && call.args.iter().any(|a| is_item(&a.value))
        })
    };
    if statement.kind == StatementKind::For {
        let bound = method.bound_at(statement.at);
        let names: Vec<&Name> = bound.filter_map(Binding::name).collect();
        let is_item = |e: &Expr| names.iter().any(|n| e.is_name(n));
        let sets = method
            .bindings
            .iter()
            .any(|b| statement.at.holds(b.at) && b.changed().is_some_and(|of| is_item(of)));
        let mut within = method
            .statements
            .iter()
            .filter(|s| statement.at.holds(s.at));
        return statement.exprs.iter().any(holds)
            && (sets || within.any(|s| s.exprs.iter().any(|e| is_used(e, &names))));
    }
    let mut all = statement.walk();
    all.any(|e| match &e.kind {
        ExprKind::Comprehension(inner) => {
            let names = inner.loops.iter().flat_map(|(target, _)| target.names());
            let names: Vec<&Name> = names.map(|(name, _)| name).collect();
            inner.loops.iter().any(|(_, over)| holds(over)) && is_used(&inner.element, &names)
        }
        _ => false,
    })
}

/// Returns whether an expression is an attribute of this name, of whatever.
fn is_named(expr: &Expr, name: &Name) -> bool {
    expr.is_attribute(name)
}

/// Returns whether an expression calls a method of something, or of what it holds, that sets something up.
fn sets_up(expr: &Expr, is_it: &dyn Fn(&Expr) -> bool, sets: &dyn Fn(&str) -> bool) -> bool {
    let Some(call) = expr.call() else {
        return false;
    };
    let Some((base, method)) = call.func.attribute() else {
        return false;
    };
    let mut base = base;
    // `self.s3.meta.events.register(…)`
    while let Some((of, _)) = base.attribute()
        && !is_it(base)
        && is_kept(method)
    {
        base = of;
    }
    is_it(base) && sets(method)
}

/// Returns whether a method of this name sets something up.
pub(super) fn is_setter(method: &str) -> bool {
    let begins = SETS
        .iter()
        .any(|s| method.starts_with(s) && method.len() > s.len());
    begins && method != "setdefault" || is_kept(method)
}

fn is_kept(method: &str) -> bool {
    lists(KEPT, method)
}

/// Returns the line that reads from what a statement makes: `self.header = next(self.reader)`.
fn reading<'m>(module: &'m Module, method: &Def, statement: &Statement) -> Option<&'m str> {
    let name = method
        .bound_at(statement.at)
        .find_map(|b| match &b.target {
            Target::Attribute(base, name) => Some(format!("next({}.{name}", base.dotted()?)),
            Target::Name(name) => Some(format!("next({name}")),
            Target::Content(..) => None,
        })?;
    let lines = method.statements.iter().map(|s| module.slice(s.head));
    let mut lines = lines.filter_map(|head| head.lines().next());
    lines.find(|line| line.contains(&name)).map(str::trim)
}

/// Returns whether a value is a file, or writes to one, that keeps what is written until there is enough.
fn is_buffered(value: &Value) -> bool {
    let is_plain = |call: &Call| {
        let is_size = |label: &Option<Name>| label.as_deref() == Some("buffering");
        !call.args.iter().any(|a| is_size(&a.label))
    };
    value.may_be(|v| {
        matches!(v, Value::Made(made)
        if made.of.starts_with("csv.") || lists(FILES, &made.of) && is_plain(&made.call))
    })
}

/// Returns whether a method flushes or closes something below a statement.
fn is_flushed(module: &Module, method: &Def, statement: &Statement) -> bool {
    let rest = module.slice(Place::new(statement.at.start, method.at.end));
    rest.contains(".flush(") || rest.contains(".close(")
}

/// Returns whether a value may be what something made whose name begins so.
pub(super) fn is_made_by(value: &Value, names: &[&str]) -> bool {
    let is_it = |of: &str| names.iter().any(|n| of.starts_with(n));
    let values = value.alternatives();
    values.iter().any(|v| match v {
        Value::Made(made) => is_it(&made.of),
        Value::Filled(of, _) => is_made_by(of, names),
        _ => false,
    })
}

/// Returns whether a value is a file that is not only added to.
pub(super) fn is_read(value: &Value) -> bool {
    let adds = |e: &Expr| matches!(e.text(), Some("a" | "ab" | "at"));
    matches!(value, Value::Made(made)
        if lists(FILES, &made.of) && !made.call.args.iter().any(|a| adds(&a.value)))
}

/// Returns whether an expression is the attribute, or something of it: `self.db`, `self.lib.add`.
fn is_own(expr: &Expr, own: &Name, attribute: &Name) -> bool {
    expr.attribute().is_some_and(|(base, name)| {
        name == attribute && base.is_name(own) || is_own(base, own, attribute)
    })
}

/// Returns whether an expression is something of the attribute, not the attribute itself.
fn is_inner(expr: &Expr, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    expr.attribute().is_some_and(|(base, _)| is_it(base))
}

/// Returns what a statement sets on the attribute.
fn assigned(
    method: &Def,
    statement: &Statement,
    is_it: &dyn Fn(&Expr) -> bool,
) -> Option<Rc<Expr>> {
    let mut bound = method.bound_at(statement.at);
    bound.find_map(|b| match (&b.target, &b.source) {
        (Target::Attribute(base, _), Source::Value(value)) if is_it(base) => Some(Rc::clone(value)),
        // `self.session.headers["Accept"] = kind`
        (Target::Content(base, _), Source::Value(value))
            if is_inner(base, is_it) && statement.kind == StatementKind::Assign =>
        {
            Some(Rc::clone(value))
        }
        _ => None,
    })
}
