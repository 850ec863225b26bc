//! A global that only the main guard sets: a worker that imports the script does not run that part; what is set beside it,
//! and will be missed next.

use std::rc::Rc;

use crate::object::Edit;
use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::{
    Plan, Planned, given, is_changed_in_functions, is_of_threads, is_stepped, of_its_own,
    same_state, starts_empty, stays_here, takes_next,
};
use super::super::effects::{
    acts, calls_once, changes, differs, gives_away, has_call, is_call_on, seeds,
};
use super::super::eval::{Eval, bindings_of};
use super::super::loggers::{holds_logger, is_logger};
use super::super::project::{Frames, ModuleId};
use super::super::syntax::{
    Binding, Expr, Kind, Module, Name, Place, Source, Statement, StatementKind, Target,
};
use super::super::text::{at_top, in_string, line_start, lines_of, newline};
use super::super::value::{DefId, Env, Value};
use super::unset::{calls_it, is_empty, is_local, setters};

/// What starts workers, as it is written.
const STARTS: &[&str] = &["Pool(", "Executor(", ".start(", "Manager(", "Parallel("];

/// Finds where the script sets a name under its main guard, if nothing else does and no worker was
/// started before: then one that does not know it was not forked.
pub(in super::super) fn global(
    eval: &Eval,
    frames: &Frames,
    script: Option<ModuleId>,
    (name, via): (&str, Option<Via>),
) -> Option<Found> {
    let (id, _) = *frames.last()?;
    let module = eval.project.module(id);
    let top = &module.defs[0];
    let guard = module.main_guard()?;
    let bound: Vec<&Binding> = bindings_of(top, name).collect();
    let first = *bound.first()?;
    let is_deleted = bound.iter().any(|b| matches!(b.source, Source::Nothing));
    let is_elsewhere = module.has_global(name);
    let has_star = bindings_of(top, "*").next().is_some();
    let env = eval.scope(DefId::top(id));
    let is_run = || {
        let mut own = top.statements.iter().filter(|s| guard.at.holds(s.at));
        let calls = |s: &Statement| s.exprs.iter().any(|e| calls_starter(eval, e, &env));
        script.is_none() && own.any(calls)
    };
    if !(is_script(&module, guard, script) || is_run())
        || is_deleted
        || is_elsewhere
        || has_star
        || !bound.iter().all(|b| guard.at.holds(b.at))
    {
        return None;
    }
    let before = top.inside(guard).filter(|s| s.head.start < first.at.start);
    for statement in before.filter(|s| s.at != first.at) {
        if starts(module.slice(statement.head)) {
            return None;
        }
        if statement.exprs.iter().any(|e| calls_starter(eval, e, &env)) {
            return None;
        }
    }
    Some(Found::certain(
        name.to_owned(),
        "set under the main guard alone",
        (id, first.at),
        plan(eval, frames, &module, &bound, guard, via),
    ))
}

/// Plans to set it for all processes: above the guard, or for each worker while it starts.
fn plan(
    eval: &Eval,
    frames: &Frames,
    module: &Module,
    bound: &[&Binding],
    guard: &Statement,
    via: Option<Via>,
) -> Planned {
    let (first, is_one) = (bound[0], bound.len() == 1 && !module.has_errors);
    let Target::Name(name) = &first.target else {
        return Err("it is not set by an assignment".to_owned());
    };
    match &first.source {
        Source::Def(number) if is_one => {
            return super::late::above_guard(module, &module.defs[*number], guard);
        }
        Source::Import(_) | Source::From(..) if is_one => {
            return import_above(eval, module, first, guard);
        }
        _ => {}
    }
    let given = || {
        let own = frames.iter().filter(|(other, _)| *other == module.id);
        let ran: Vec<usize> = own.map(|(_, line)| module.def_at(*line)).collect();
        let mut names = vec![(Rc::clone(name), first.at)];
        names.extend(beside(eval, module.id, (name, 0), &ran));
        given(eval, module.id, &names, guard.at, via)
    };
    // What a call gives may be another thing in each process.
    let is_called = matches!(&first.source, Source::Value(value) if has_call(value));
    match is_one.then(given) {
        Some(Ok(given)) if is_called => Ok(given),
        given => above_guard(eval, module, bound, guard).or_else(|why| {
            let own = |why| of_its_own(eval, DefId::top(module.id), (name, first), via).ok_or(why);
            match given {
                Some(Ok(given)) => Ok(given),
                Some(Err(why)) if via == Some(Via::Process) => own(why),
                _ => own(why),
            }
        }),
    }
}

/// Moves an import above the guard.
fn import_above(eval: &Eval, module: &Module, binding: &Binding, guard: &Statement) -> Planned {
    let top = &module.defs[0];
    let statement = top.statements.iter().find(|s| s.at == binding.at);
    let statement = statement.ok_or("it is not imported by a statement")?;
    let text = module.slice(statement.at);
    if !is_movable(module, statement, guard) {
        return Err("its line cannot be moved as it is".to_owned());
    }
    // What the guard does before may be what the import needs: a path, a setting.
    let mut before = top.inside(guard).filter(|s| s.at.end <= statement.at.start);
    let is_import = |s: &Statement| s.kind == StatementKind::Import;
    let chooses = |s: &Statement| {
        let text = module.slice(s.at);
        text.contains("set_start_method(") || text.contains("freeze_support(")
    };
    if before.any(|s| !is_import(s) && !chooses(s)) {
        return Err("what the guard does before may be what the import needs".to_owned());
    }
    if let Source::Import(from) | Source::From(from, _) = &binding.source
        && let Some(own) = eval.project.import(module.id, from)
        && starts(&eval.project.module(own).code)
    {
        return Err("the module that it imports starts processes".to_owned());
    }
    let words = "Import it at the top level, above the guard, where every process does:";
    let edits = vec![
        at_top(module, guard.at, text)?,
        taken_out(module, statement, guard),
    ];
    Ok(Plan::new(module.id, words, text.to_owned(), edits))
}

/// Returns whether a statement is one line of its own directly under the guard.
fn is_movable(module: &Module, statement: &Statement, guard: &Statement) -> bool {
    let text = module.slice(statement.at);
    let start = line_start(module, statement.at.start as usize);
    let mut all = module.defs[0].statements.iter();
    let is_direct =
        all.all(|s| s.at == guard.at || s.at == statement.at || !s.at.holds(statement.at));
    let before = &module.text[start..statement.at.start as usize];
    let is_line = before.trim().is_empty();
    !module.has_errors && is_direct && is_line && !text.contains('\n') && !in_string(text)
}

/// Returns the edit that takes a statement out of the guard.
fn taken_out(module: &Module, statement: &Statement, guard: &Statement) -> Edit {
    let lines = lines_of(module, statement.at);
    let indent = &module.text[lines.start..statement.at.start as usize];
    let left = left_in(module, guard, indent);
    Edit::replace(lines, left)
}

/// Returns what is left of a guard that loses a statement: `pass`, if it was the only one.
pub(super) fn left_in(module: &Module, guard: &Statement, indent: &str) -> String {
    let within = |s: &&Statement| guard.at.holds(s.at) && s.at != guard.at;
    match module.defs[0].statements.iter().filter(within).count() {
        1 => format!("{indent}pass{}", newline(module)),
        _ => String::new(),
    }
}

/// Returns whether a module is the script: the parent's frames say so, or workers are started under
/// its guard alone.
pub(super) fn is_script(module: &Module, guard: &Statement, script: Option<ModuleId>) -> bool {
    if script.is_some() {
        return script == Some(module.id);
    }
    let (before, after) = module.text.split_at(guard.at.start as usize);
    let rest = &after[(guard.at.end - guard.at.start) as usize..];
    starts(module.slice(guard.at)) && !starts(before) && !starts(rest)
}

pub(super) fn starts(text: &str) -> bool {
    STARTS.iter().any(|word| text.contains(word))
}

/// Returns whether an expression calls a function of the program that starts workers.
fn calls_starter(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> bool {
    expr.calls().any(|call| {
        let of = match eval.eval(&call.func, env) {
            Value::Class(id, _) => Some(id),
            value => value.function().map(|f| f.id),
        };
        of.is_some_and(|id| {
            let module = eval.project.module(id.module);
            starts(&module.code) && id.module != env.at.module
                || starts(module.code(module.defs[id.def].at))
        })
    })
}

/// Moves the assignment above the guard.
fn above_guard(eval: &Eval, module: &Module, bound: &[&Binding], guard: &Statement) -> Planned {
    let [binding] = bound else {
        return Err("it is set in several places".to_owned());
    };
    let Source::Value(value) = &binding.source else {
        return Err("it is not set by an assignment".to_owned());
    };
    let mut all = module.defs[0].statements.iter();
    let statement = all.find(|s| s.at == binding.at);
    let statement = statement.ok_or("it is not set by an assignment")?;
    let text = module.slice(statement.at);
    if !is_movable(module, statement, guard) {
        return Err("its line cannot be moved as it is".to_owned());
    }
    if let Some(name) = needs(module, value, guard.at) {
        return Err(format!("it uses `{name}`, which is made under the guard"));
    }
    let env = eval.scope(DefId::top(module.id));
    is_the_same(eval, module, value, &env)?;
    if let Some(name) = binding.name().filter(|name| takes_next(&module.code, name)) {
        return Err(same_state("worker", name));
    }
    if is_of_argv(eval, module, value) {
        return Err("the script changes `sys.argv`, of which it is made".to_owned());
    }
    if is_filled(eval, module, binding, &env) {
        return Err("it is filled later".to_owned());
    }
    if has_call(value) && before(eval, module, guard, (statement.at, &env)) {
        return Err("what the guard does before may be what it reads".to_owned());
    }
    let words = "Set it at the top level, above the guard: every process that imports the script then does so, too:";
    let edits = vec![
        at_top(module, guard.at, text)?,
        taken_out(module, statement, guard),
    ];
    Ok(Plan::new(module.id, words, text.to_owned(), edits))
}

/// Returns an error if each process that works out a value would have another one.
fn is_the_same(eval: &Eval, module: &Module, value: &Rc<Expr>, env: &Env) -> Result<(), String> {
    let made = eval.eval(value, env);
    if is_logger(&made) || holds_logger(eval, &made) {
        return Err("a worker's logger would have no level and no handlers".to_owned());
    }
    // `random.Random()` differs in each.
    let is_counter = match &made {
        Value::Made(made) => made.of.starts_with("itertools."),
        other => matches!(other, Value::Generator(_)),
    };
    let has_seed = value.call().is_some_and(|call| !call.args.is_empty());
    if is_counter || is_stepped(&made) && has_seed {
        return Err(same_state("worker", module.slice(value.at)));
    }
    if let Value::Made(made) = made {
        if starts_empty(&made.of, module.slice(value.at)) {
            return Err("every process would make a new one, which is empty".to_owned());
        }
        if is_of_threads(&made) || made.of.starts_with("multiprocessing.") {
            return Err("every process would make one of its own, which shares nothing".to_owned());
        }
        if made.of.starts_with("socket.") {
            return Err("every process would make another one".to_owned());
        }
    }
    if !seeds(&module.code) && differs(eval, value, env) || calls_once(eval, value, env) {
        return Err("every process would make another one".to_owned());
    }
    Ok(())
}

/// Returns whether a value is made of arguments that the program changes: a new process begins with what is left.
pub(super) fn is_of_argv(eval: &Eval, module: &Module, value: &Rc<Expr>) -> bool {
    let is_told = |at: Place| {
        let text = module.slice(at);
        text.contains("argv") || text.contains("parse_args(")
    };
    let mut names = value.names();
    let is_one = |n: &Name| bindings_of(&module.defs[0], n).any(|b| is_told(b.at));
    (is_told(value.at) || names.any(|(n, _)| is_one(n))) && eval.project.any(|m| changes_argv(m))
}

/// Returns whether a module changes `sys.argv`, by this name or another.
fn changes_argv(module: &Module) -> bool {
    let text = &module.code;
    let is_argv = |e: &Expr| e.last_name().is_some_and(|n| &**n == "argv");
    let mut all = module.bindings();
    let is_changed = |b: &Binding| match &b.target {
        Target::Attribute(_, name) => &**name == "argv",
        // `words = sys.argv`
        Target::Name(name) => b.source.given().is_some_and(|e| is_argv(e)) && changes(text, name),
        Target::Content(..) => false,
    };
    let deletes = |line: &str| line.trim_start().starts_with("del ") && line.contains("argv");
    changes(text, ".argv")
        || changes(text, "argv")
        || text.lines().any(deletes)
        || all.any(is_changed)
}

/// Returns whether something is done with what a binding makes: `index = {}`, then `index[key] = …` under
/// the guard, or `index.add(key)` in a worker, whose own one it would be.
fn is_filled(eval: &Eval, module: &Module, binding: &Binding, env: &Env) -> bool {
    let Target::Name(name) = &binding.target else {
        return false;
    };
    let top = &module.defs[0];
    let mut set = top.bindings.iter();
    set.any(|b| b.attribute().is_some_and(|(of, _)| of.is_name(name)))
        || changes(&module.code, name)
        || is_changed_in_functions(eval, env.at.module, name)
        // A method or function of the program's own may do the same.
        || top.statements.iter().any(|s| {
            is_call_on(s, name) || s.exprs.iter().any(|e| gives_away(eval, e, name, env))
        })
}

/// Returns whether the guard changes something outside before a place in it.
fn before(eval: &Eval, module: &Module, guard: &Statement, (at, env): (Place, &Env)) -> bool {
    let all = module.defs[0].statements.iter();
    let mut above = all.filter(|s| guard.at.holds(s.at) && s.at.end <= at.start);
    above.any(|s| acts(module.code(s.at)) || s.exprs.iter().any(|e| calls_once(eval, e, env)))
}

/// Returns a name of an expression that only the guard's suite binds.
fn needs(module: &Module, value: &Rc<Expr>, guard: Place) -> Option<Name> {
    let mut names: Vec<&Name> = value.names().map(|(name, _)| name).collect();
    // A lambda's body is not among its parts.
    for lambda in module.within(value.at) {
        names.extend(lambda.names().map(|(name, _)| name));
        names.retain(|name| lambda.params.iter().all(|p| p.name != **name));
    }
    let is_under = |name: &&Name| bindings_of(&module.defs[0], name).any(|b| guard.holds(b.at));
    names.into_iter().find(is_under).cloned()
}

/// Returns the other globals that the same scope sets, which the worker's functions use and do not have
/// either, and which can be sent; each with the place that sets it.
pub(super) fn beside(
    eval: &Eval,
    id: ModuleId,
    (name, of): (&str, usize),
    ran: &[usize],
) -> Vec<(Name, Place)> {
    let module = eval.project.module(id);
    let reached = reached(&module, ran);
    let is_missed = |other: &str| {
        let none = is_empty(&module, &Use::Call, other);
        (none || is_empty(&module, &Use::Name(other.to_owned()), other))
            && reached.iter().any(|at| {
                let text = module.code(module.defs[*at].at);
                Use::Name(other.to_owned()).is_in(text, other) && !is_local(&module, *at, other)
            })
    };
    let scope = eval.scope(DefId::new(id, of));
    let mut found: Vec<(Name, Place)> = Vec::new();
    for (other, binding) in candidates(&module, of) {
        let [(only, set)] = setters(&module, other)[..] else {
            continue;
        };
        let is_here =
            only == of && set.at == binding.at && bindings_of(&module.defs[of], other).count() == 1;
        let is_known = **other == *name || found.iter().any(|(n, _)| n == other);
        if !is_here || is_known || !is_missed(other) {
            continue;
        }
        let value = eval.name(other, &scope, None);
        let mut all = value.alternatives().into_iter();
        if !all.any(|v| stays_here(eval, &v, Some(Via::Process))) {
            found.push((Rc::clone(other), binding.at));
        }
    }
    found
}

/// Returns the names that a scope gives a value by an assignment.
fn candidates(module: &Module, of: usize) -> impl Iterator<Item = (&Name, &Binding)> {
    module.defs[of].bindings.iter().filter_map(|b| {
        let is_value = matches!(b.source, Source::Value(_) | Source::Part(..));
        match &b.target {
            Target::Name(name) if is_value => Some((name, b)),
            _ => None,
        }
    })
}

/// Returns functions of the module and those that they call.
fn reached(module: &Module, from: &[usize]) -> Vec<usize> {
    let mut found: Vec<usize> = from.iter().copied().filter(|of| *of != 0).collect();
    let mut at = 0;
    while at < found.len() {
        let text = module.code(module.defs[found[at]].at);
        for (other, def) in module.defs() {
            let is_new = def.kind == Kind::Function && !found.contains(&other);
            if is_new && calls_it(text, &def.name) {
                found.push(other);
            }
        }
        at += 1;
    }
    found
}
