//! The items of a generator or of a dict's view, sent as a list.

use std::rc::Rc;

use crate::object::{Change, Edit};
use crate::python_name::is_word;

use super::super::effects::changes;
use super::super::eval::{Eval, is_decorated};
use super::super::only::only;
use super::super::sent::Sending;
use super::super::syntax::{
    Binding, Call, Def, Expr, ExprKind, Kind, Module, Name, Param, ParamKind, Place, Statement,
    StatementKind,
};
use super::super::text::{after, free_name, imported, line_start, unit};
use super::super::value::Value;
use super::super::walk::Suspect;
use super::between::differs_by_then;
use super::call::call_at;
use super::{Plan, Planned};

/// What a generator without an end is made with.
const ENDLESS: &[&str] = &["while ", "count(", "cycle(", "repeat(", " iter("];
/// What no list takes, but an iterator over one does.
const ONLY_ITERATORS: &[&str] = &["next(", ".__next__"];
/// Methods that of all iterators a generator alone has.
const ONLY_GENERATORS: &[&str] = &["send", "throw"];
/// What a view of a dict can do that no list can.
const OF_VIEWS: [&str; 2] = [".isdisjoint(", ".mapping"];
/// What it can do with a set on either side of it.
const OF_SETS: [&str; 10] = [
    " & ", " | ", " - ", " ^ ", " <= ", " >= ", " < ", " > ", " == ", " != ",
];

/// A function or method beside a generator function, which gives all of it.
struct Whole {
    name: String,
    text: String,
    code: String,
    /// Where the generator function ends.
    end: usize,
    /// What its lines begin with.
    indent: String,
}

/// Returns a function that makes a list of it, for a task that is a generator function.
pub(in super::super) fn task(eval: &Eval, suspect: &Suspect) -> Option<Change> {
    let whole = whole(eval, suspect)?;
    Some(Change::new(whole.text, whole.code))
}

/// Sends such a function in the place of the task; `None` where the generator may have no end, or the
/// task is not sent by its name.
pub(in super::super) fn used_up(
    eval: &Eval,
    suspect: &Suspect,
    sendings: &[Sending],
) -> Option<Plan> {
    let whole = whole(eval, suspect)?;
    let sending = only(sendings)?;
    // A coroutine may use what belongs to the loop of the parent.
    if suspect.of == "a coroutine" {
        return None;
    }
    let task = sending.task.as_ref().filter(|_| sending.is_exact)?;
    let module = eval.project.module(suspect.module);
    let sent = match &task.expr.kind {
        ExprKind::Name(_) => whole.name,
        // `self.parse`
        ExprKind::Attribute(of, _) if matches!(of.kind, ExprKind::Name(_)) => {
            let of = eval
                .project
                .module(task.env.at.module)
                .slice(of.at)
                .to_owned();
            format!("{of}.{}", whole.name)
        }
        _ => return None,
    };
    let mut only = ONLY_ITERATORS.iter();
    let is_endless = ENDLESS.iter().any(|w| module.slice(suspect.at).contains(w));
    if is_endless
        || task.env.at.module != suspect.module
        || only.any(|word| eval.project.says(word))
        || takes_generators(eval, suspect).is_some()
    {
        return None;
    }
    let lines = whole.code.lines().map(str::to_owned);
    let blank = vec![String::new(); if whole.indent.is_empty() { 2 } else { 1 }];
    let lines: Vec<String> = blank.into_iter().chain(lines).collect();
    let edits = vec![
        after(&module, whole.end, &whole.indent, &lines),
        Edit::replace(task.expr.at, sent),
    ];
    Some(Plan::new(suspect.module, whole.text, whole.code, edits))
}

fn whole(eval: &Eval, suspect: &Suspect) -> Option<Whole> {
    let module = eval.project.module(suspect.module);
    let is_it = |d: &&Def| d.head == suspect.at && d.is_async == d.yields.is_empty();
    let def = module.defs.iter().find(is_it)?;
    let is_plain = |p: &Param| p.kind == ParamKind::Plain && p.default.is_none();
    let is_method = match module.defs[def.parent].kind {
        Kind::Module => false,
        Kind::Class if def.decorators.is_empty() => true,
        _ => return None,
    };
    if !def.params.iter().all(is_plain) {
        return None;
    }
    let (end, words) = if def.is_async {
        ("now", "Let the worker run the coroutine")
    } else {
        ("all", "Use it up in the worker")
    };
    let name = free_name(&module, &format!("{}_{end}", def.name));
    let params: Vec<&str> = def.params.iter().map(|p| &*p.name).collect();
    let (of, given) = match params.split_first() {
        Some((own, given)) if is_method => (format!("{own}."), given.join(", ")),
        _ => (String::new(), params.join(", ")),
    };
    let params = params.join(", ");
    let gives = if def.is_async {
        imported(&module, "asyncio", "run").0
    } else {
        "list".to_owned()
    };
    let unit = unit(&module, &module.defs[0]);
    let start = def.at.start as usize;
    Some(Whole {
        text: format!(
            "{words}. Put this below `{}`, and send `{name}` in its place:",
            def.name
        ),
        code: format!(
            "def {name}({params}):\n{unit}return {gives}({of}{}({given}))",
            def.name
        ),
        name,
        end: def.at.end as usize,
        indent: module.text[line_start(&module, start)..start].to_owned(),
    })
}

/// Returns a method that the program calls on what may be a generator, and no list has: not `send` of the pipe that
/// sends it.
fn takes_generators(eval: &Eval, suspect: &Suspect) -> Option<Name> {
    let module = eval.project.module(suspect.module);
    let sends = |call: &&Rc<Call>| call.args.iter().any(|a| a.value.at == suspect.at);
    let pipe = module
        .calls()
        .find(sends)
        .and_then(|c| c.method()?.0.dotted());
    let is_other = |v: &Value| matches!(v, Value::Made(made) if !made.of.starts_with("iter"));
    eval.calls().find_map(|(call, env)| {
        let (base, name) = call.method()?;
        let is_it = ONLY_GENERATORS.contains(&&**name) && (pipe.is_none() || base.dotted() != pipe);
        let values = || eval.eval(base, &env).alternatives();
        (is_it && !values().iter().all(is_other)).then(|| Rc::clone(name))
    })
}

/// Returns whether a method gives the object itself to those who iterate: `return self.rows` in
/// `__iter__`.
fn gives_iterator(def: &Def, suspect: &Suspect) -> bool {
    let holder = suspect.holder.as_ref();
    let is_it = |e: &Rc<Expr>| holder.is_some_and(|h| e.is_attribute(&h.attribute));
    &*def.name == "__iter__" && def.returns.iter().any(is_it)
}

/// Makes a list of what a generator gives, where it is made; one that may have no end is left.
pub(super) fn listed(eval: &Eval, suspect: &Suspect) -> Planned {
    let module = eval.project.module(suspect.module);
    let text = module.slice(suspect.at);
    let is_endless = |text: &str| ENDLESS.iter().any(|word| text.contains(word));
    // What is kept may be read in several places, each of which goes on where the last one ended.
    let mut is_iterator = suspect.holder.is_some();
    if let Some(method) = takes_generators(eval, suspect) {
        return Err(format!(
            "the program uses `.{method}(`, which only a generator takes"
        ));
    }
    for other in eval.project.modules() {
        is_iterator |= ONLY_ITERATORS.iter().any(|w| other.code.contains(*w))
            || other.defs.iter().any(|d| gives_iterator(d, suspect));
        let generators = || other.defs.iter().filter(|d| !d.yields.is_empty());
        let goes_on = |d: &Def| is_endless(other.code(d.at)) || calls_itself(d);
        if is_endless(text) || generators().any(goes_on) {
            return Err("a generator of the program may have no end".to_owned());
        }
        if is_huge(text) || generators().any(|d| is_huge(other.code(d.at))) {
            return Err("a generator of the program gives more than a list can hold".to_owned());
        }
    }
    if suspect.holder.is_some()
        && let Some(name) = changed_later(eval, &module, suspect)
    {
        return Err(format!(
            "`self.{name}` is filled later, and a list would not follow"
        ));
    }
    if let Some(name) = read_again(&module, suspect) {
        return Err(format!(
            "`{name}` is used up by the first that reads it, and is read again"
        ));
    }
    if let Some(why) = differs_by_then(eval, suspect) {
        return Err(why);
    }
    let (words, new) = if let Some(call) = call_at(&module, suspect.at) {
        let (ExprKind::Name(last) | ExprKind::Attribute(_, last)) = &call.func.kind else {
            return Err("what is called has no name".to_owned());
        };
        if eval.project.any(|m| is_manager(m, last)) {
            if suspect.holder.is_some() {
                return Err("it is a context manager: enter it where it is used".to_owned());
            }
            let words = format!(
                "`{last}` makes a context manager: send what it is called with, and enter it where it is used:"
            );
            let code = format!("with {text}:");
            return Ok(Plan::new(suspect.module, words, code, Vec::new()));
        }
        let words = format!(
            "Send its items as a list; if that is too much, send what `{last}` is called with, and call it where they are used:"
        );
        (words, format!("list({text})"))
    } else {
        let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
        let inner = inner.ok_or("the call that makes it cannot be found")?;
        ("Send a list in its place:".to_owned(), format!("[{inner}]"))
    };
    // `send(x for x in rows)`: its parentheses are those of the call.
    let before = &module.text[..suspect.at.start as usize];
    let is_of_call = before.ends_with(|c| is_word(c) || matches!(c, ')' | ']'));
    let new = if is_of_call && new.starts_with('[') {
        format!("({new})")
    } else {
        new
    };
    let new = if is_iterator {
        format!("iter({new})")
    } else {
        new
    };
    Ok(in_place(&module, suspect, words, new))
}

/// Makes a list of each of several generators of one module.
pub(super) fn all_listed(eval: &Eval, suspects: &[Suspect]) -> Planned {
    let mut all: Option<Plan> = None;
    for suspect in suspects {
        let plan = listed(eval, suspect)?;
        match &mut all {
            Some(all) => Edit::add(&mut all.edits, plan.edits),
            None => all = Some(plan),
        }
    }
    all.ok_or_else(|| "it is one of several".to_owned())
}

/// Returns whether a generator function calls itself whatever it is given: not in a loop or below an `if`.
fn calls_itself(def: &Def) -> bool {
    let suite = def.statements.first().map(|s| s.suite);
    let body = def.statements.iter().filter(|s| Some(s.suite) == suite);
    let plain = body.filter(|s| matches!(s.kind, StatementKind::Expr | StatementKind::Return));
    let mut calls = plain.flat_map(Statement::calls);
    calls.any(|call| call.func.last_name() == Some(&def.name))
}

/// Returns whether a text counts up to thousands of millions: `range(10 ** 12)`.
fn is_huge(text: &str) -> bool {
    text.split("range(").skip(1).any(|rest| {
        let given = rest.split(')').next().unwrap_or_default();
        let digits = |word: &str| word.chars().filter(char::is_ascii_digit).count();
        let mut numbers = given.split(|c: char| !is_word(c));
        given.contains("**") || given.contains("maxsize") || numbers.any(|n| digits(n) > 8)
    })
}

/// Returns the name of a generator of which a list would be read more than once, and it only once; `next` takes an
/// item of either.
fn read_again(module: &Module, suspect: &Suspect) -> Option<Name> {
    let def = &module.defs[module.def_around(suspect.at)];
    let is_made = |b: &&Binding| b.source.given().is_some_and(|e| e.at == suspect.at);
    let mut made = def.bindings.iter().filter(is_made);
    let name = made.find_map(|b| b.name().cloned())?;
    let inner = module.defs.iter().filter(|d| def.at.holds(d.at));
    let all = inner.flat_map(Def::names);
    let is_read =
        |at: Place| !suspect.at.holds(at) && !module.text[..at.start as usize].ends_with("next(");
    let read = all.filter(|(other, at)| **other == name && is_read(*at));
    (read.count() > 1).then_some(name)
}

/// Returns an attribute that what is given is taken from, and that the program changes.
fn changed_later(eval: &Eval, module: &Module, suspect: &Suspect) -> Option<String> {
    let own = module.slice(suspect.at);
    let called = words(own, "self.").find_map(|name| {
        let mut methods = module.defs.iter().filter(|d| !d.yields.is_empty());
        methods.find(|d| *d.name == *name)
    });
    let text = called.map_or(own, |def| module.code(def.at));
    let is_changed = |name: &&str| {
        let inner = format!(".{name}");
        eval.project.any(|m| changes(&m.code, &inner))
    };
    words(text, "self.").find(is_changed).map(str::to_owned)
}

/// Returns the words that stand behind another in a text.
fn words<'t>(text: &'t str, before: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(before).skip(1).map(move |rest| {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        &rest[..end]
    })
}

/// Returns whether a generator function of this name is for `with`.
fn is_manager(module: &Module, name: &str) -> bool {
    let managers = ["contextmanager", "asynccontextmanager"];
    let mut named = module.defs.iter().filter(|d| &*d.name == name);
    named.any(|d| managers.iter().any(|m| is_decorated(d, m)))
}

/// Makes a list of a view of a dict, where it is made.
pub(super) fn of_view(eval: &Eval, suspect: &Suspect) -> Planned {
    let module = eval.project.module(suspect.module);
    let name = suspect.path.rsplit('.').next().unwrap_or_default();
    let sending = module.line(module.line_of(suspect.at.start));
    for other in eval.project.modules() {
        // A function that is sent with it may know it by another name.
        let is_sent = |d: &&Def| d.kind == Kind::Function && sending.contains(&*d.name);
        let in_task = other.defs.iter().filter(is_sent).any(|d| {
            let mut params = d.params.iter();
            params.any(|p| is_used_as_set(other.code(d.at), &p.name))
        });
        if in_task || is_used_as_set(&other.code, name) {
            return Err("a list is no set, and the program uses it as one".to_owned());
        }
    }
    if suspect.holder.is_some() {
        let is_filled = |dict: &String| eval.project.any(|m| changes(&m.code, dict));
        if let Some(dict) = viewed(&module, suspect).into_iter().find(is_filled) {
            let dict = dict.trim_start_matches('.');
            return Err(format!(
                "`{dict}` is filled later, and a list would not follow"
            ));
        }
    }
    if let Some(why) = differs_by_then(eval, suspect) {
        return Err(why);
    }
    let words = "Make a list of it (which does not follow later changes of the dict):".to_owned();
    let new = format!("list({})", module.slice(suspect.at));
    Ok(in_place(&module, suspect, words, new))
}

/// Returns whether a text does with what has this name what it could not do with a list.
fn is_used_as_set(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, rest) = (&text[..at], &text[at + name.len()..]);
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let before = before.trim_end_matches(is_path);
        let mut all = OF_VIEWS.iter().chain(&OF_SETS);
        all.any(|used| rest.starts_with(used)) || OF_SETS.iter().any(|o| before.ends_with(o))
    })
}

/// Returns the names of the dict whose view something is: `.data` of `self.data.keys()`, of a name the attributes that
/// keep it, too.
fn viewed(module: &Module, suspect: &Suspect) -> Vec<String> {
    let text = module.slice(suspect.at);
    let (dict, _) = text.rsplit_once('.').unwrap_or_default();
    if let Some((_, name)) = dict.rsplit_once('.') {
        return vec![format!(".{name}")];
    }
    let def = &module.defs[module.def_around(suspect.at)];
    let is_it = |b: &&Binding| b.source.given().is_some_and(|e| e.is_name(dict));
    let kept = def.bindings.iter().filter(is_it);
    let kept = kept.filter_map(|b| Some(format!(".{}", b.attribute()?.1)));
    std::iter::once(dict.to_owned()).chain(kept).collect()
}

/// Puts an expression in the place of the one that makes it.
fn in_place(module: &Module, suspect: &Suspect, text: String, new: String) -> Plan {
    let mut statements = module.defs.iter().flat_map(|d| &d.statements);
    let set = statements
        .find(|s| s.kind == StatementKind::Assign && s.exprs.iter().any(|e| e.at == suspect.at));
    let old = module.slice(suspect.at);
    let code = set.map(|s| module.slice(s.at).replacen(old, &new, 1));
    let code = code.unwrap_or_else(|| new.clone());
    let edit = Edit::replace(suspect.at, new);
    Plan::new(suspect.module, text, code, vec![edit])
}
