//! What a pool's workers are given while they start: values and arrays that no task can carry.

use crate::object::{Change, Edit};
use crate::traceback::facts::Via;

use super::super::eval::{Eval, bindings_of};
use super::super::project::ModuleId;
use super::super::sent::Stop;
use super::super::syntax::{Call, Kind, Module, Place};
use super::super::text::{at_top, free_name, join, unit};
use super::super::walk::Suspect;
use super::method::maker;
use super::{Plan, Planned};

/// What a manager has no equal of.
const GIVEN: &[&str] = &["multiprocessing.Value", "multiprocessing.Array"];

/// Returns code that gives them to the workers, in the program's own names; the task's own
/// parameters are left to its author.
pub(in super::super) fn initializer(
    eval: &Eval,
    suspects: &[Suspect],
    stops: &[Stop],
    via: Option<Via>,
) -> Option<Change> {
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let all = suspects
        .iter()
        .filter(|s| s.of.starts_with("multiprocessing."));
    let names: Vec<String> = all.map(|s| s.path.clone()).collect();
    let is_plain = names.iter().all(|n| is_name(n));
    let has_value = suspects.first().is_some_and(|s| GIVEN.contains(&&*s.of));
    let is_pool = matches!(via, Some(Via::Pool | Via::Executor));
    if !is_plain || !has_value || !is_pool {
        return None;
    }
    let maker = maker(eval, stops, via).ok()?;
    let module = eval.project.module(maker.env.at.module);
    let open = opened(&module, &maker.call).ok()?;
    let given = names.join(", ");
    let params: Vec<String> = names.iter().map(|n| format!("shared_{n}")).collect();
    let params = params.join(", ");
    let one = if names.len() == 1 { "," } else { "" };
    let quoted: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    Some(Change {
        text: format!(
            "Give {} to the workers while they start, and take {them} out of the tasks; the function finds {them} as a global:",
            join(&quoted)
        ),
        code: format!(
            "def init_worker({params}):\n    global {given}\n    {given} = {params}\n\n{open}initializer=init_worker, initargs=({given}{one}))"
        ),
        patch: None,
    })
}

/// Returns the call that makes a module's one pool, and its text up to where an initializer can be added.
pub(in super::super) fn open_maker(
    eval: &Eval,
    id: ModuleId,
    via: Option<Via>,
) -> Result<(Place, String), String> {
    let maker = maker(eval, &[], via)?;
    if maker.env.at.module != id {
        return Err("the pool is made in another module".to_owned());
    }
    let module = eval.project.module(id);
    Ok((maker.call.at, opened(&module, &maker.call)?))
}

/// Returns the text of a call that makes a pool, up to where an initializer can be added.
fn opened(module: &Module, call: &Call) -> Result<String, String> {
    let text = module.slice(call.at);
    let is_open = !text.contains("initializer") && !text.contains('\n');
    let is_plain = is_open && call.args.iter().all(|a| a.stars == 0);
    let open = text.strip_suffix(')').filter(|_| is_plain);
    let open = open.ok_or("the pool has an initializer, or is made over several lines")?;
    let open = open.trim_end().trim_end_matches(',');
    let comma = if call.args.is_empty() { "" } else { ", " };
    Ok(format!("{open}{comma}"))
}

/// Gives a global of the script to the workers of its one pool while they start.
pub(in super::super) fn given(
    eval: &Eval,
    id: ModuleId,
    (name, set): (&str, Place),
    guard: Place,
    via: Option<Via>,
) -> Planned {
    let module = eval.project.module(id);
    let (call, open) = open_maker(eval, id, via)?;
    let around = &module.defs[module.def_at(module.line_of(call.start))];
    let is_global = around.globals.iter().any(|g| &**g == name);
    let is_own = around.kind != Kind::Module && bindings_of(around, name).next().is_some();
    if is_own && !is_global || around.at.holds(set) && call.start < set.end {
        return Err("the pool is made where it is not set".to_owned());
    }
    let init = free_name(&module, "init_worker");
    let value = if name == "value" { "given" } else { "value" };
    let unit = unit(&module, &module.defs[0]);
    let code = format!("def {init}({value}):\n{unit}global {name}\n{unit}{name} = {value}");
    let new = format!("{open}initializer={init}, initargs=({name},))");
    let mut edits = vec![
        at_top(&module, guard, &code)?,
        Edit {
            start: call.start as usize,
            end: call.end as usize,
            text: new.clone(),
        },
    ];
    edits.sort();
    Ok(Plan {
        text: format!("Give `{name}` to the workers while they start:"),
        code: format!("{code}\n\n{new}"),
        edits,
        module: id,
    })
}
