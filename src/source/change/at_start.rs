//! A value or array that a task was to carry: given to the pool's workers while they start, and taken out of the task.

use crate::object::Edit;
use crate::traceback::facts::Via;

use super::super::eval::{Eval, bindings_of, binds, only_binding};
use super::super::syntax::{Binding, Def, Kind, Module};
use super::super::text::{at_top, edited_line, free_name, unit};
use super::super::value::{DefId, Value};
use super::super::walk::Suspect;
use super::contexts::{is_made_above, of_other_context, other_context};
use super::initializer::{guard_or, open_pool};
use super::taken_out::{Site, Taken, taken};
use super::{Plan, Planned};

/// Plans to give it to the workers of the program's one pool, where the function that it goes to has it as a global.
pub(in super::super) fn at_start(eval: &Eval, suspect: &Suspect, via: Option<Via>) -> Planned {
    let taken = taken(eval, suspect.module, &suspect.path)?;
    let (id, call, open) = open_pool(eval, via)?;
    let module = eval.project.module(id);
    let number = module.def_around(call);
    let around = &module.defs[number];
    let is_above = |b: &&Binding| b.at.end <= call.start && b.suite.holds(call);
    let set = only_binding(around, &suspect.path).filter(is_above);
    if DefId::new(id, number) != taken.by || set.is_none() {
        return Err("it is not set where the workers are made".to_owned());
    }
    if !is_of_tasks(&taken, &module) {
        return Err("it is given away in another way, too".to_owned());
    }
    let name = &suspect.path;
    // What else goes by the name would be gone in the workers.
    let is_other = |b: &Binding| {
        let mut all = around.bindings.iter();
        !all.any(|own| own.at == b.at && *name == *taken.param)
    };
    let is_own = binds(&module.defs[0], &taken.param);
    let to = &module.defs[taken.to];
    let is_used = |d: &Def| {
        let mut names = d.names();
        let is_apart = d.kind != Kind::Module && !to.at.holds(d.at) && !binds(d, &taken.param);
        is_apart && names.any(|(n, _)| *n == taken.param)
    };
    let is_builtin = !is_own && module.defs.iter().any(is_used);
    if is_builtin || bindings_of(&module.defs[0], &taken.param).any(is_other) {
        return Err(format!("the program has another `{}`", taken.param));
    }
    let top = guard_or(&module, around)?;
    let (param, to) = (&taken.param, &module.defs[taken.to]);
    let init = free_name(&module, "init_worker");
    let unit = unit(&module, &module.defs[0]);
    let code = format!("def {init}(shared):\n{unit}global {param}\n{unit}{param} = shared");
    let other = || format!("`{}` is written in another way", to.name);
    let mut edits = taken.out(&module, &[]).ok_or_else(other)?;
    let here = eval.scope(taken.by);
    if let Value::Made(made) = eval.name(&name.as_str().into(), &here, None)
        && let Some(context) = other_context(eval, &module, call, &made)
    {
        let at = made.call.func.at;
        let is_there = context.contains("get_context(") || is_made_above(&module, &context, at);
        let kind = made.of.strip_prefix("multiprocessing.");
        let kind = kind.filter(|_| is_there && made.env.at == taken.by);
        let kind = kind.ok_or_else(|| of_other_context(name))?;
        edits.push(Edit::replace(at, format!("{context}.{kind}")));
    }
    let new = format!("{open}initializer={init}, initargs=({name},))");
    edits.push(Edit::replace(call, new.clone()));
    edits.push(at_top(&module, top, &code)?);
    edits.sort();
    let text = format!(
        "Give `{name}` to the workers while they start, and take it out of the tasks; `{}` finds it as a global:",
        to.name
    );
    let head = edited_line(&module, &edits, to.head);
    let code = format!("{code}\n\n{head}\n{unit}...\n\n{new}");
    Ok(Plan::new(id, text, code, edits))
}

/// Returns whether all of the calls are of a pool's methods, with nothing that is kept.
fn is_of_tasks(taken: &Taken, module: &Module) -> bool {
    let is_kept = |site: &Site| {
        let mut given = module.bindings().filter_map(|b| b.source.given());
        site.is_partial && given.any(|e| e.at == site.call.at)
    };
    let is_process = |site: &Site| {
        site.call
            .func
            .last_name()
            .is_some_and(|n| n.ends_with("Process"))
    };
    let mut sites = taken.sites.iter();
    !taken.is_initializer() && !sites.any(|s| is_kept(s) || is_process(s))
}
