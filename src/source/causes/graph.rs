//! A task that returns a tensor with the graph that it was computed in.

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::{Eval, bindings_of};
use super::super::only::only;
use super::super::project::Frames;
use super::super::syntax::{Call, Def, Expr, ExprKind, Module, Name, Source};
use super::super::text::{above, imported};
use super::super::value::{DefId, Value};

/// What needs the graph of what a function computes.
const NEEDS_GRAPH: &str =
    ".backward( autograd enable_grad set_grad_enabled torch.func torch.optim zero_grad";
/// What gives a part of a container as it is.
const TAKERS: [&str; 5] = ["get", "items", "pop", "setdefault", "values"];
/// What makes a container of its arguments as they are.
const HOLDERS: [&str; 5] = ["dict", "list", "sorted", "tuple", "zip"];
/// The most steps from what is returned to where it was made.
const MAX_STEPS: usize = 16;

/// Finds the one task whose result is sent.
pub(in super::super) fn graph(eval: &Eval, frames: &Frames, via: Option<Via>) -> Option<Found> {
    let sendings = eval.sendings(&eval.stops(frames), via);
    let mut tasks = sendings
        .iter()
        .filter_map(|s| eval.returned(s.task.as_ref()?));
    let (function, _) = tasks.next()?;
    if tasks.any(|(other, _)| other.id != function.id) {
        return None;
    }
    let module = eval.project.module(function.id.module);
    let def = &module.defs[function.id.def];
    let is_computed = |e: &&Rc<Expr>| !matches!(e.kind, ExprKind::Constant | ExprKind::Text(_));
    let returned = def.returns.iter().filter(is_computed);
    let returned = only(returned)?;
    Some(Found::likely(
        module.slice(returned.at).to_owned(),
        format!("returned by {}()", def.name),
        (module.id, returned.at),
        if was_there(eval, function.id, returned, 0) {
            Err("it may be there before the task begins".to_owned())
        } else {
            without_graph(eval, &module, def)
        },
    ))
}

/// Returns whether what a function returns may be there before it is called: a global, what one holds, what a
/// cache has.
fn was_there(eval: &Eval, id: DefId, expr: &Rc<Expr>, steps: usize) -> bool {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let again = |e: &Rc<Expr>| was_there(eval, id, e, steps + 1);
    match &expr.kind {
        _ if steps > MAX_STEPS => true,
        ExprKind::Name(name) if def.has_param(name) => false,
        ExprKind::Name(name) if bindings_of(def, name).next().is_some() => bindings_of(def, name)
            .any(|b| match &b.source {
                Source::Value(value) | Source::Element(value) => again(value),
                Source::Part(of, _) => match &**of {
                    Source::Value(value) | Source::Element(value) => again(value),
                    _ => true,
                },
                _ => true,
            }),
        ExprKind::Name(name) => !matches!(eval.name(name, &eval.scope(id), None), Value::Plain),
        ExprKind::Call(call) => gives_what_was_there(eval, id, call, steps),
        ExprKind::Comprehension(inner) => {
            let is_own = |name: &Name| {
                let mut targets = inner.loops.iter().map(|(target, _)| target);
                targets.any(|t| t.names().any(|(n, _)| n == name))
            };
            match &inner.element.kind {
                ExprKind::Name(name) if is_own(name) => inner.loops.iter().any(|(_, of)| again(of)),
                _ => again(&inner.element),
            }
        }
        ExprKind::Items(_) | ExprKind::Dict(_) | ExprKind::Either(..) => {
            expr.parts().into_iter().any(again)
        }
        ExprKind::Attribute(of, _)
        | ExprKind::Subscript(of, _)
        | ExprKind::Await(of)
        | ExprKind::Starred(of)
        | ExprKind::Named(of) => again(of),
        _ => false,
    }
}

/// Returns the same for what a call gives.
fn gives_what_was_there(eval: &Eval, id: DefId, call: &Call, steps: usize) -> bool {
    let again = |e: &Rc<Expr>| was_there(eval, id, e, steps + 1);
    let is_holder = match eval.eval(&call.func, &eval.scope(id)) {
        Value::Function(of) | Value::Method(_, of) => {
            let module = eval.project.module(of.id.module);
            let def = &module.defs[of.id.def];
            let mut returns = def.returns.iter();
            return !def.decorators.is_empty()
                || returns.any(|e| was_there(eval, of.id, e, steps + 1));
        }
        Value::Class(..) => true,
        _ => matches!(&call.func.kind, ExprKind::Name(name) if HOLDERS.contains(&&**name)),
    };
    let takes = |(of, name): (&Rc<Expr>, &Name)| TAKERS.contains(&&**name) && again(of);
    is_holder && call.args.iter().any(|a| again(&a.value)) || call.method().is_some_and(takes)
}

/// Lets a task compute without a graph: whatever holds the tensor that it returns.
fn without_graph(eval: &Eval, module: &Module, def: &Def) -> Planned {
    eval.project.add_imports();
    if NEEDS_GRAPH.split(' ').any(|n| eval.project.says(n)) {
        return Err("the program computes gradients".to_owned());
    }
    let (name, import) = imported(module, "torch", "no_grad");
    let decorator = format!("@{name}()");
    let edit = above(module, def.head.start, &[&decorator])
        .filter(|_| def.decorators.is_empty() && !def.is_async && def.yields.is_empty())
        .ok_or("it is decorated, or stands on no line of its own")?;
    let head = module.first_line(def.head);
    let text = format!("Let `{}` compute without a graph:", def.name);
    let code = format!("{decorator}\n{head}");
    Ok(Plan::new(
        module.id,
        text,
        code,
        import.into_iter().chain([edit]).collect(),
    ))
}
