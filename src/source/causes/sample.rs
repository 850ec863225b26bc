//! A `__getitem__` that returns `None` for some samples.

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::super::answer::{Found, one_of};
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::syntax::{Def, Expr, ExprKind, Module, Place, StatementKind};
use super::super::value::{DefId, Later, Value};

/// Finds the statements that return `None`, in the dataset that a loader was given.
pub(in super::super) fn sample(eval: &Eval, frames: &Frames, via: Option<Via>) -> Vec<Found> {
    let stops = eval.stops(frames);
    let sendings = eval.sendings(&stops, via.or(Some(Via::DataLoader)));
    let mut classes = Vec::new();
    for sending in &sendings {
        if let Some(part) = sending.parts.first() {
            datasets(eval, &eval.force(&part.value), &mut classes, 0);
        }
    }
    let mut found = Vec::new();
    for class in classes {
        let line = eval.line_of(class);
        let Some(method) = eval.method(&line, "__getitem__") else {
            continue;
        };
        let module = eval.project.module(method.id.module);
        let def = &module.defs[method.id.def];
        let class = &eval.project.module(class.module).defs[class.def].name;
        let whole = nones(&module, def).into_iter().map(|at| {
            (
                at,
                format!("{class}.__getitem__"),
                "which returns None here",
            )
        });
        let parts = lacking(eval, method.id).into_iter().map(|at| {
            let path = module.slice(at).to_owned();
            (at, path, "which is None where the key is missing")
        });
        for (at, path, of) in whole.chain(parts) {
            let plan = Err("what to return instead is for you to say".to_owned());
            found.push(Found::likely(path, of, (module.id, at), plan));
        }
    }
    one_of(found)
}

/// Collects the classes of the program whose instances a dataset is, or is made of.
pub(in super::super) fn datasets(eval: &Eval, value: &Value, found: &mut Vec<DefId>, depth: usize) {
    if depth > 4 {
        return;
    }
    match value {
        Value::Instance(instance) if !found.contains(&instance.class) => {
            found.push(instance.class);
        }
        Value::Made(made) => {
            for arg in &made.call.args {
                let later = Later::Expr(Rc::clone(&arg.value), Rc::clone(&made.env));
                datasets(eval, &eval.force(&later), found, depth + 1);
            }
        }
        Value::OneOf(values) => {
            for value in values.iter() {
                datasets(eval, value, found, depth + 1);
            }
        }
        Value::Items(items) => {
            for (_, later) in items.iter().take(8) {
                datasets(eval, &eval.force(later), found, depth + 1);
            }
        }
        _ => {}
    }
}

/// Returns the statements of a function that return `None`.
fn nones(module: &Module, def: &Def) -> Vec<Place> {
    let is_none = |e: &Rc<Expr>| module.slice(e.at) == "None";
    def.of_kind(StatementKind::Return)
        .filter(|s| match s.exprs.first() {
            None => true,
            Some(expr) => {
                is_none(expr)
                    || matches!(&expr.kind, ExprKind::Either(parts, _) if parts.iter().any(is_none))
            }
        })
        .map(|s| s.head)
        .collect()
}

/// Returns the parts of what a function returns that ask a dict for a key, without a default.
fn lacking(eval: &Eval, id: DefId) -> Vec<Place> {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let parts = def.returns.iter().flat_map(|whole| match &whole.kind {
        ExprKind::Dict(items) => items.iter().map(|(_, value)| value).collect(),
        ExprKind::Items(_) => whole.parts(),
        _ => Vec::new(),
    });
    let asks = |part: &&Rc<Expr>| {
        part.call().is_some_and(|call| {
            let of = call.func.attribute().filter(|(_, name)| &***name == "get");
            let is_dict = |of| {
                let value = eval.eval(of, &eval.scope(id));
                !matches!(value, Value::Module(_) | Value::OutsideModule(_))
            };
            of.is_some_and(|(of, _)| is_dict(of))
                && matches!(call.args.as_slice(), [key] if key.label.is_none() && key.stars == 0)
        })
    };
    parts.filter(asks).map(|part| part.at).collect()
}
