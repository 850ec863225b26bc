//! A task that returns a tensor with the graph that it was computed in.

use std::rc::Rc;

use crate::object::Certainty;
use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::project::ModuleId;
use super::super::syntax::{Def, Expr, ExprKind, Module};
use super::super::text::{above, below_import, imported};

/// What needs the graph of what a function computes.
const NEEDS_GRAPH: [&str; 3] = [".backward(", "autograd", "torch.func"];

/// Finds the one task whose result is sent.
pub(in super::super) fn graph(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    via: Option<Via>,
) -> Option<Found> {
    let sendings = eval.sendings(&eval.stops(frames), via);
    let mut tasks = sendings
        .iter()
        .filter_map(|s| eval.returned(s.task.as_ref()?));
    let (function, _) = tasks.next()?;
    if tasks.any(|(other, _)| other.id != function.id) {
        return None;
    }
    let id = function.id.module;
    let module = eval.project.module(id);
    let def = &module.defs[function.id.def];
    let is_computed = |e: &&Rc<Expr>| !matches!(e.kind, ExprKind::Constant | ExprKind::Text(_));
    let mut returned = def.returns.iter().filter(is_computed);
    let (Some(returned), None) = (returned.next(), returned.next()) else {
        return None;
    };
    Some(Found {
        path: module.slice(returned.at).to_owned(),
        of: format!("returned by {}()", def.name),
        module: id,
        at: returned.at,
        certainty: Certainty::Likely,
        plan: without_graph(eval, &module, id, def),
    })
}

/// Lets a task compute without a graph: whatever holds the tensor that it returns.
fn without_graph(eval: &Eval, module: &Module, id: ModuleId, def: &Def) -> Planned {
    let needs = |m: &Rc<Module>| NEEDS_GRAPH.iter().any(|n| m.text.contains(n));
    eval.project.add_imports();
    if eval.project.modules().iter().any(needs) {
        return Err("the program computes gradients".to_owned());
    }
    let (name, import) = imported(module, "torch", "no_grad");
    let decorator = format!("@{name}()");
    let edit = above(module, def.head.start, &[&decorator])
        .filter(|_| def.decorators.is_empty() && !def.is_async && def.yields.is_empty())
        .ok_or("it is decorated, or stands on no line of its own")?;
    let head = module.slice(def.head).lines().next().unwrap_or_default();
    Ok(Plan {
        text: format!("Let `{}` compute without a graph:", def.name),
        code: below_import(import.as_ref(), format!("{decorator}\n{head}")),
        edits: import.into_iter().chain([edit]).collect(),
        module: id,
    })
}
