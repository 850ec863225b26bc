//! A pipe whose end a process waits for, and whose other end it has open itself.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::{Eval, binds, only_binding};
use super::super::only::only;
use super::super::project::Frames;
use super::super::syntax::{
    Binding, Call, Def, Expr, Kind, Module, Name, Place, Source, Statement, StatementKind,
};
use super::super::text::{after, indent_at};
use super::super::value::{DefId, Made, Value};
use super::alone::run_by;
use super::got::argument_of;
use super::joined::ENDS;
use super::unset::mentions;

/// What `recv()` raises at the end of a pipe.
const AT_END: &str = "EOFError";
/// What starts further processes, each of which may have a copy of an end.
const STARTERS: [&str; 7] = [
    "Pool(",
    "PoolExecutor(",
    "Manager(",
    "Parallel(",
    "DataLoader(",
    "fork(",
    "spawn(",
];

/// What a process waits for another one by.
const WAITS: [&str; 4] = [".recv(", ".get()", ".wait(", ".join()"];

/// Finds the other end of the pipe that the innermost line reads until it ends, where only processes are given it.
pub(in super::super) fn own_end(eval: &Eval, frames: &Frames) -> Option<Found> {
    eval.project.add_imports();
    let stops = eval.stops(frames);
    let (last, before) = stops.split_last()?;
    let reader = eval.project.module(last.env.at.module);
    let reads = |c: &&Rc<Call>| c.func.is_attribute("recv") && c.args.is_empty();
    let mut calls = last.statement.calls();
    let recv = calls.find(reads)?;
    let read: Name = Rc::from(recv.method()?.0.dotted()?);
    if !waits_for_end(&reader, &reader.defs[last.env.at.def], recv.at) {
        return None;
    }
    let (at, reading, read) = if end_of(eval, last.env.at, &read).is_some() {
        (last.env.at, last.statement.at, read)
    } else {
        let (at, reading, name) = argument_of(eval, before.last()?, last.env.at, &read)?;
        (at, reading, Rc::from(name))
    };
    let (pipe, part) = end_of(eval, at, &read)?;
    let module = eval.project.module(at.module);
    let def = &module.defs[at.def];
    let other = |b: &&Binding| {
        let name = b.name().filter(|n| **n != read);
        let of_it = |name| end_of(eval, at, name).filter(|(of, n)| *of == pipe && *n != part);
        name.and_then(of_it).is_some()
    };
    let binding = def.bindings.iter().find(other)?;
    let end = binding.name()?;
    let given = givings(eval, at, end);
    let is_given = |e: &Expr| given.iter().any(|made| made.call.at.holds(e.at));
    let is_bound = |e: &Expr| {
        def.statements
            .iter()
            .any(|s| s.at.holds(pipe) && s.at.holds(e.at))
    };
    let mut uses = def.walk().filter(|e| e.is_name(end));
    if given.is_empty()
        || given.iter().any(|made| goes_on(eval, made))
        || !uses.all(|e| is_given(e) || is_bound(e))
        || is_used_below(&module, at, end)
        || at.def == 0
            && eval
                .project
                .any(|m| m.id != module.id && mentions(&m.code, end))
    {
        return None;
    }
    let close = format!("{end}.close()");
    let is_last = |s: &&Statement| s.at.end <= reading.start;
    let start = only_start(eval, (&module, def), &given).filter(is_last);
    let (code, edits) = match start {
        Some(start) => {
            let indent = indent_at(&module, start.at.start);
            let lines = std::slice::from_ref(&close);
            let edit: Edit = after(&module, start.at.end as usize, &indent, lines);
            (format!("{}\n{close}", module.slice(start.at)), vec![edit])
        }
        None => (format!("{close}  # below `start()`"), Vec::new()),
    };
    let text = format!(
        "Close this process's `{end}` when the other one has started: `recv()` raises `{AT_END}` when all copies of it are closed:"
    );
    Some(Found::certain(
        end.to_string(),
        "which stays open in this process",
        (at.module, binding.at),
        Ok(Plan::new(at.module, text, code, edits)),
    ))
}

/// Returns whether a function reads in a loop which nothing leaves but the end of the pipe.
fn waits_for_end(module: &Module, def: &Def, at: Place) -> bool {
    let loops = def.loops(at).filter(|s| is_open(module, s));
    let Some(around) = loops.min_by_key(|s| s.at.end - s.at.start) else {
        return false;
    };
    let code = module.code(around.at);
    let ways = |text: &str| -> usize { ENDS.iter().map(|w| places_of(text, w).count()).sum() };
    match code.split_once(AT_END) {
        Some((within, rest)) => ways(within) == 0 && ways(rest) == 1,
        None => ways(code) == 0 && module.code(def.at).contains(AT_END),
    }
}

/// Returns whether a loop has no end of its own.
fn is_open(module: &Module, statement: &Statement) -> bool {
    let head = module.slice(statement.head).trim_end_matches(':');
    matches!(head, "while True" | "while 1")
}

/// Returns the call that makes a pipe, and which end of it a name of a function is.
fn end_of(eval: &Eval, at: DefId, name: &Name) -> Option<(Place, usize)> {
    let module = eval.project.module(at.module);
    let def = &module.defs[at.def];
    let Source::Part(of, part) = &only_binding(def, name)?.source else {
        return None;
    };
    let call = of.given()?.call()?;
    let made = eval.made(call, &eval.scope(at))?;
    (&*made.of == "multiprocessing.Pipe" && def.loops(call.at).next().is_none())
        .then_some((call.at, *part))
}

/// Returns the processes of a function that are given a name.
fn givings(eval: &Eval, at: DefId, name: &str) -> Vec<Rc<Made>> {
    let module = eval.project.module(at.module);
    let env = eval.scope(at);
    let calls = module.defs[at.def].calls();
    let given = calls.filter(|call| mentions(module.arguments(call), name));
    let made = given.filter_map(|call| eval.made(call, &env));
    made.filter(|made| made.is_process()).collect()
}

/// Returns whether another function may use a name of this scope.
fn is_used_below(module: &Module, at: DefId, name: &str) -> bool {
    module.defs().any(|(n, def)| {
        let is_own = n == at.def || def.at.holds(module.defs[at.def].at);
        matches!(def.kind, Kind::Function | Kind::Lambda)
            && !is_own
            && !binds(def, name)
            && mentions(module.code(def.at), name)
    })
}

/// Returns whether a process may go on: in a loop which nothing leaves, or as it waits for this process in turn.
fn goes_on(eval: &Eval, made: &Rc<Made>) -> bool {
    let Some(task) = run_by(eval, &Value::Made(Rc::clone(made))) else {
        return false;
    };
    let module = eval.project.module(task.module);
    let def = &module.defs[task.def];
    let is_left = |s: &Statement| {
        let code = module.code(s.at);
        ENDS.iter()
            .any(|word| places_of(code, word).next().is_some())
    };
    let mut loops = def.of_kind(StatementKind::While);
    let code = module.code(def.at);
    WAITS.iter().any(|word| code.contains(word))
        || loops.any(|s| is_open(&module, s) && !is_left(s))
}

/// Returns the statement that starts the one process of the program, outside of loops.
fn only_start<'d>(
    eval: &Eval,
    (module, def): (&Module, &'d Def),
    given: &[Rc<Made>],
) -> Option<&'d Statement> {
    let made = only(given)?;
    let mut values = def.bindings.iter().filter_map(Binding::named_value);
    let (name, _) = values.find(|(_, value)| value.at == made.call.at)?;
    let start = format!("{name}.start()");
    let mut starts = def.of_kind(StatementKind::Expr);
    let found = starts.find(|s| module.slice(s.at) == start)?;
    let project = &eval.project;
    let count = |m: &Rc<Module>| places_of(&m.code, "start").count();
    let is_once = project.modules().iter().map(count).sum::<usize>() == 1;
    let is_alone = !STARTERS.iter().any(|word| project.says(word)) && !project.is_cut.get();
    (is_once && is_alone && !def.repeats(found.at)).then_some(found)
}
