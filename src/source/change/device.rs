//! `.to(device)` out of the dataset: workers give CPU tensors, and the loop moves the batch.

use crate::object::Edit;

use super::super::eval::{Eval, binds};
use super::super::project::Frames;
use super::super::sent::argument;
use super::super::syntax::{Expr, ExprKind, Kind, Module, Statement};
use super::super::text::above;
use super::super::value::{DefId, Env, Made, Value};
use super::loops::{Loop, inner, loaders, loops, target};
use super::moves::{Move, carried, moves, taken_out};
use super::{Plan, Planned};

/// Plans it for the function of a dataset, or the `collate_fn`, that a worker's frames show.
pub(in super::super) fn device(eval: &Eval, frames: &Frames) -> Planned {
    let own =
        in_view(eval, frames).ok_or("neither `__getitem__` nor the `collate_fn` is in view")?;
    let id = own.module;
    let module = eval.project.module(id);
    let function = &module.defs[own.def];
    module.is_parsed()?;
    let moves = moves(&module, function)?;
    let first = moves.first().ok_or("it is moved in another function")?;
    if moves.iter().any(|m| m.text != first.text) {
        return Err("it goes to several devices".to_owned());
    }
    if moves.iter().any(|m| m.is_kept) {
        return Err("what the object keeps is moved there".to_owned());
    }
    let class = function.parent;
    let is_method = module.defs[class].kind == Kind::Class;
    if is_method {
        only_one(&module, own.def)?;
    }
    let mut edits: Vec<Edit> = moves
        .iter()
        .map(|m| taken_out(&module, function, m))
        .collect();
    let (moved, shown) = moved_in_loops(eval, own, &moves, is_method)?;
    edits.extend(moved);
    let name = if is_method {
        format!("{}.{}", module.defs[class].name, function.name)
    } else {
        function.name.to_string()
    };
    let taken = moves.iter().map(|m| format!("`{}`", m.text));
    let mut taken: Vec<String> = taken.collect();
    taken.dedup();
    let text = format!(
        "Let the workers give CPU tensors: take {} out of `{name}`, and move the batch in the loop:",
        taken.join(", ")
    );
    Ok(Plan::new(id, text, shown, edits))
}

/// Returns the lines that move the batch at the top of each loop, and the first of these loops as it will be.
fn moved_in_loops(
    eval: &Eval,
    own: DefId,
    moves: &[Move],
    is_method: bool,
) -> Result<(Vec<Edit>, String), String> {
    let module = eval.project.module(own.module);
    let function = &module.defs[own.def];
    let [returned] = function.returns.as_slice() else {
        return Err("it returns in several places".to_owned());
    };
    let parts = parts(returned, &carried(function, moves));
    let class = is_method.then_some(own.beside(function.parent));
    let mut edits = Vec::new();
    let mut shown = String::new();
    for Loop {
        env,
        statement,
        made,
    } in &loops(eval, own, class)?
    {
        if env.at.module != own.module {
            return Err("the dataset and the loop are in two files".to_owned());
        }
        if is_method && argument(&made.call, 6, "collate_fn").is_some() {
            return Err("a `collate_fn` makes the batch".to_owned());
        }
        let target = target(&module, statement)?;
        let moved = in_scope(eval, &module, &moves[0], env, made, statement)?;
        let lines = batch(&target, &parts, &moved)?;
        let mut inside = module.defs[env.at.def].inside(statement);
        let body = inside
            .find(|s| s.at.start > statement.head.end)
            .ok_or("the loop is empty")?;
        edits.push(above(&module, body.at.start, &lines).ok_or("the loop is on one line")?);
        if shown.is_empty() {
            let head = module.slice(statement.head).trim();
            shown = format!("{head}\n    {}", lines.join("\n    "));
        }
    }
    Ok((edits, shown))
}

/// Returns the function of the dataset, or the `collate_fn`, that is in the innermost frame of those.
fn in_view(eval: &Eval, frames: &Frames) -> Option<DefId> {
    frames.iter().rev().find_map(|(id, line)| {
        let module = eval.project.module(*id);
        let at = DefId::new(*id, module.def_at(*line));
        let is_method = &*module.defs[at.def].name == "__getitem__";
        (is_method || is_collate(eval, at)).then_some(at)
    })
}

/// Returns why a class would go on using the device, if another of its methods does.
fn only_one(module: &Module, method: usize) -> Result<(), String> {
    let class = module.defs[method].parent;
    for (number, other) in module.defs().filter(|(_, d)| d.parent == class) {
        if number != method && !super::moves::moves(module, other)?.is_empty() {
            return Err(format!("`{}` uses the device too", other.name));
        }
    }
    Ok(())
}

fn is_collate(eval: &Eval, at: DefId) -> bool {
    loaders(eval).any(|made| {
        argument(&made.call, 6, "collate_fn").is_some_and(|arg| {
            let all = eval.eval(&arg.value, &made.env).alternatives();
            all.iter().any(|v| v.function().is_some_and(|f| f.id == at))
        })
    })
}

/// Which parts of a sample are on the device.
enum Parts {
    Whole,
    /// By position, of so many.
    Items(Vec<usize>, usize),
    Keys(Vec<String>),
    None,
}

fn parts(returned: &Expr, on_device: &dyn Fn(&Expr) -> bool) -> Parts {
    match &returned.kind {
        ExprKind::Items(items) => {
            let all = items.iter().enumerate();
            let moved = all.filter(|(_, e)| on_device(e)).map(|(n, _)| n);
            Parts::Items(moved.collect(), items.len())
        }
        ExprKind::Dict(items) => {
            let moved = items.iter().filter(|(_, v)| on_device(v));
            let keys = moved.map(|(k, _)| Some(k.as_ref()?.text()?.to_owned()));
            keys.collect::<Option<_>>().map_or(Parts::None, Parts::Keys)
        }
        _ if on_device(returned) => Parts::Whole,
        _ => Parts::None,
    }
}

/// Returns the call that moves a batch in the words of the loop.
fn in_scope(
    eval: &Eval,
    module: &Module,
    moved: &Move,
    env: &Env,
    made: &Made,
    statement: &Statement,
) -> Result<String, String> {
    let unseen = |name: &str| format!("the loop does not know `{name}`");
    let mut text = moved.text.clone();
    for name in &moved.names {
        if &**name == "self" {
            let over = statement.exprs.first().map(inner);
            let loader = over
                .and_then(|e| e.dotted())
                .ok_or_else(|| unseen("self"))?;
            let dataset =
                argument(&made.call, 0, "dataset").map(|a| eval.eval(&a.value, &made.env));
            if !matches!(dataset, Some(Value::Instance(_))) {
                return Err(unseen("self"));
            }
            text = text.replace("self.", &format!("{loader}.dataset."));
            continue;
        }
        let is_global = binds(&module.defs[0], name);
        let scope = &module.defs[env.at.def];
        let is_shadowed = env.at.def != 0 && binds(scope, name);
        if !is_global || is_shadowed {
            return Err(unseen(name));
        }
    }
    Ok(text)
}

/// Returns the lines that move a batch.
fn batch(target: &[String], parts: &Parts, moved: &str) -> Result<Vec<String>, String> {
    let strange = || "the loop and the samples have different parts".to_owned();
    match (parts, target) {
        (Parts::None, _) => Err("what it returns is not what it moves".to_owned()),
        (Parts::Whole, [one]) => Ok(vec![format!("{one} = {one}{moved}")]),
        (Parts::Items(all, _), [one]) => Ok(all
            .iter()
            .map(|n| format!("{one}[{n}] = {one}[{n}]{moved}"))
            .collect()),
        (Parts::Items(all, count), names) if names.len() == *count => Ok(all
            .iter()
            .map(|n| format!("{0} = {0}{moved}", names[*n]))
            .collect()),
        (Parts::Keys(keys), [one]) => Ok(keys
            .iter()
            .map(|k| format!("{one}[\"{k}\"] = {one}[\"{k}\"]{moved}"))
            .collect()),
        _ => Err(strange()),
    }
}
