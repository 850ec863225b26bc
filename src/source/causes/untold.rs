//! A process that is joined and waits for what never comes: the `None` that another one took, a change of a flag of which
//! it has a copy, the end of a pipe whose other end it holds open.

use std::rc::Rc;

use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::effects::says_spawn;
use super::super::eval::{Eval, bindings_of, binds};
use super::super::only::only;
use super::super::sent::argument;
use super::super::syntax::{
    Binding, Call, Def, ExprKind, Kind, Module, Place, Source, Statement, StatementKind,
};
use super::super::text::free_name;
use super::super::value::{DefId, Value};
use super::alone::{Workers, is_dynamic, run_by};
use super::joined::{ENDED, ENDS};
use super::set_there::set_on;
use super::unset::mentions;

/// What sets a flag in a process from within it, unseen by its calls.
const UNSEEN: [&str; 2] = ["signal.signal(", "Thread("];

/// Finds the one `None` that is put, where several processes like this one each wait for one.
pub(super) fn starved(eval: &Eval, joining: DefId, process: &Value) -> Option<Found> {
    let id = run_by(eval, process)?;
    let Value::Made(made) = process else {
        return None;
    };
    let own = eval.project.module(id.module);
    let task = &own.defs[id.def];
    let nones = nones(eval).into_iter();
    let (by, at) = only(nones)?;
    let module = eval.project.module(by.module);
    let is_repeated =
        |of: DefId, at: Place| eval.project.module(of.module).defs[of.def].repeats(at);
    let is_single = || {
        let starts = eval.all_made().filter(|m| m.is_process());
        let of_it = starts.filter(|m| run_by(eval, &Value::Made(Rc::clone(m))) == Some(by));
        let starts: Vec<_> = of_it.map(|m| (m.env.at, m.call.at)).collect();
        only(starts).is_some_and(|(of, at)| !is_repeated(of, at))
    };
    let is_one = by == joining || is_called_once(eval, joining, by) || is_single();
    let is_one = is_one && !is_repeated(by, at);
    // `tasks + [None] * 3`
    let has_more = eval.project.says("[None]") || eval.project.is_cut.get();
    // Each may have a queue of its own.
    let has_own = argument(&made.call, 3, "args").is_some_and(|args| {
        let mut given = args.value.walk();
        given.any(|e| match eval.eval(e, &made.env) {
            Value::Made(queue) => {
                queue.of.ends_with("Queue") && is_repeated(queue.env.at, queue.call.at)
            }
            _ => matches!(e.kind, ExprKind::Subscript(..)),
        })
    });
    if !is_one
        || has_own
        || has_more
        || !ends_at_none(&own, task)
        || !is_repeated(made.env.at, made.call.at)
    {
        return None;
    }
    let text = "Put a `None` for each of these processes: each takes one, and ends.";
    let put = module.slice(at);
    let code = format!("for _ in range(2):  # the number of processes\n    {put}");
    Some(Found::certain(
        format!("{}()", task.qualname),
        "which waits for a `None`: one is put for several processes",
        (by.module, at),
        Ok(Plan::new(by.module, text, code, Vec::new())),
    ))
}

/// Returns whether the program names a function only where this other one calls it, once.
fn is_called_once(eval: &Eval, by: DefId, of: DefId) -> bool {
    let module = eval.project.module(of.module);
    let name = &*module.defs[of.def].name;
    let modules = eval.project.modules();
    let named = modules.iter().map(|m| places_of(&m.code, name).count());
    let own = eval.project.module(by.module);
    let within = &own.defs[by.def];
    let env = eval.scope(by);
    let call = within
        .calls()
        .find(|call| eval.called(call, &env) == Some(of));
    // Its definition, and the call.
    named.sum::<usize>() == 2 && call.is_some_and(|call| !within.repeats(call.at))
}

/// Returns the places where a `None` is put into a queue.
fn nones(eval: &Eval) -> Vec<(DefId, Place)> {
    let puts = |module: &Module, call: &Call| {
        let is_put = call
            .method()
            .is_some_and(|(_, name)| name.starts_with("put"));
        let mut args = call.args.iter();
        is_put && args.any(|a| module.slice(a.value.at) == "None")
    };
    let mut found = Vec::new();
    for (by, module) in eval.project.defs() {
        let calls = module.defs[by.def].calls();
        let of_none = calls.filter(|call| puts(&module, call));
        found.extend(of_none.map(|call| (by, call.at)));
    }
    found
}

/// Returns whether a function waits for a `None` and leaves at it, and does not put it back for others.
fn ends_at_none(own: &Module, task: &Def) -> bool {
    let code = own.code(task.at);
    if code.contains("timeout") || code.contains("get_nowait") {
        return false;
    }
    let receivers = |is_it: &dyn Fn(&Call, &str) -> bool| -> Vec<&str> {
        let calls = task.calls();
        let of = calls.filter_map(|call| call.method().filter(|(_, name)| is_it(call, name)));
        of.map(|(of, _)| own.slice(of.at)).collect()
    };
    let taken = receivers(&|call, name| name == "get" && call.args.is_empty());
    let put = receivers(&|_, name| name.starts_with("put"));
    let leaves = |text: &str| ["break", "return"].iter().any(|word| mentions(text, word));
    let is_left =
        |s: &Statement| own.slice(s.head).ends_with(" is None:") && leaves(own.code(s.at));
    !taken.is_empty()
        && !taken.iter().any(|of| put.contains(of))
        && task.of_kind(StatementKind::If).any(is_left)
}

/// Finds the flag that the loop of a process asks, where only the parent sets it: the process has a copy.
pub(super) fn flagged(eval: &Eval, process: &Value) -> Option<Found> {
    let id = run_by(eval, process)?;
    let own = eval.project.module(id.module);
    let task = &own.defs[id.def];
    let mut others = ENDED.iter().chain(&UNSEEN);
    if others.any(|w| eval.project.says(w)) || is_dynamic(eval) {
        return None;
    }
    let workers = Workers::of(eval, Some(id.beside(task.parent)));
    task.of_kind(StatementKind::While).find_map(|s| {
        let head = own.slice(s.head);
        let asked = head.trim_end_matches(':').strip_prefix("while ")?;
        let (flag, end) = match asked.strip_prefix("not ") {
            Some(flag) => (flag, "True"),
            None => (asked, "False"),
        };
        let set = flag_set(eval, id, flag)?;
        let text_of =
            |(by, at): &&(DefId, Place)| eval.project.module(by.module).slice(*at).ends_with(end);
        let (by, at) = *set.iter().find(text_of)?;
        let is_left = ENDS.iter().any(|word| mentions(own.code(s.at), word));
        if is_left || set.iter().any(|(by, _)| workers.has(eval, *by)) {
            return None;
        }
        let event = free_name(&own, "stopped");
        let (of, place) = match flag.rsplit_once('.') {
            Some((of, _)) => (format!("{of}."), "in `__init__`"),
            None => (String::new(), "given to the process"),
        };
        let was = eval.project.module(by.module).first_line(at).to_owned();
        let text = "Ask an event instead of a variable: all processes share it.";
        let code = format!(
            "{of}{event} = multiprocessing.Event()  # {place}\n\n\
             while not {of}{event}.is_set():  # was: {head}\n    ...\n\n\
             {of}{event}.set()  # was: {was}"
        );
        Some(Found::certain(
            flag.to_owned(),
            format!("of which {}() has a copy", task.qualname),
            (id.module, s.at),
            Ok(Plan::new(id.module, text, code, Vec::new())),
        ))
    })
}

/// Returns where a flag that a function asks, a global or an attribute of its object, is set after its begin; `None` where
/// it is anything but true or false.
fn flag_set(eval: &Eval, id: DefId, flag: &str) -> Option<Vec<(DefId, Place)>> {
    let own = eval.project.module(id.module);
    let task = &own.defs[id.def];
    let all = if let Some((of, name)) = flag.split_once('.') {
        own.own_name(task).filter(|own| ***own == *of)?;
        let all = set_on(eval, name).into_iter();
        all.map(|(by, binding, _)| (by, binding))
            .collect::<Vec<_>>()
    } else {
        let is_global = |d: &Def| d.kind == Kind::Module || d.declares(flag);
        let defs = own.defs().filter(|(_, d)| is_global(d));
        let all =
            defs.flat_map(|(n, d)| bindings_of(d, flag).map(move |b| (id.beside(n), b.clone())));
        all.filter(|_| !binds(task, &Rc::from(flag))).collect()
    };
    let is_plain = |by: DefId, source: &Source| {
        let module = eval.project.module(by.module);
        let value = source.given().map(|e| module.slice(e.at));
        value.is_some_and(|text| matches!(text, "True" | "False"))
    };
    let is_first = |by: DefId, b: &Binding| {
        let module = eval.project.module(by.module);
        let is_top = by.def == 0 && !module.is_guarded(b.at);
        is_top || &*module.defs[by.def].name == "__init__"
    };
    if !all.iter().all(|(by, b)| is_plain(*by, &b.source)) {
        return None;
    }
    let later = all.into_iter().filter(|(by, b)| !is_first(*by, b));
    Some(later.map(|(by, b)| (by, b.at)).collect())
}

/// Finds the end of a pipe that the joining function closes, and of which a process that waits for the pipe's end has a
/// copy: it was forked.
pub(super) fn kept_open(eval: &Eval, joining: DefId, process: &Value) -> Option<Found> {
    let id = run_by(eval, process)?;
    let Value::Made(made) = process else {
        return None;
    };
    let own = eval.project.module(id.module);
    let task = &own.defs[id.def];
    let code = own.code(task.at);
    let waits = code.contains(".recv(") && code.contains("except EOFError");
    if !waits || code.contains(".close(") || says_spawn(eval) {
        return None;
    }
    let module = eval.project.module(joining.module);
    let def = &module.defs[joining.def];
    let env = eval.scope(joining);
    let is_end = |name: &str| {
        let mut bound = bindings_of(def, name).filter_map(|b| match &b.source {
            Source::Part(of, _) => of.given()?.call(),
            _ => None,
        });
        bound.any(
            |call| matches!(eval.made(call, &env), Some(m) if &*m.of == "multiprocessing.Pipe"),
        )
    };
    let mut calls = def.calls();
    let (call, end) = calls.find_map(|call| {
        let (of, _) = call.method().filter(|(_, name)| &***name == "close")?;
        let name = of.dotted().filter(|name| is_end(name))?;
        Some((call, name))
    })?;
    if mentions(module.arguments(&made.call), &end) {
        return None;
    }
    let name = &task.name;
    let text = format!(
        "A forked process has a copy of `{end}`, and the pipe ends when all are closed: give it to `{name}`, too, which closes it first:"
    );
    let code = format!("{end}.close()  # in `{name}`, before `recv()`");
    Some(Found::certain(
        end,
        format!("of which {}() has a copy that is open", task.qualname),
        (joining.module, call.at),
        Ok(Plan::new(id.module, text, code, Vec::new())),
    ))
}
