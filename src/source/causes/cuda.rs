//! What used CUDA in the parent before it forked.

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::change;
use super::super::eval::Eval;
use super::super::project::{Frames, ModuleId};
use super::super::sent::Stop;
use super::super::syntax::{Expr, Kind, Place, Statement};
use super::super::text::lists;
use super::super::value::{DefId, Env, Value};

/// How deep calls are followed.
const MAX_CALLS: usize = 4;
/// What of `torch.cuda` leaves the driver alone.
const HARMLESS: &str = "amp manual_seed manual_seed_all is_initialized Stream Event nvtx";

/// Finds the first use on the way to the statement that starts the workers; where the parent's
/// frames are not told, the first use of the worker's script.
pub(in super::super) fn first_use(
    eval: &Eval,
    parent: &Frames,
    worker: &Frames,
    via: Option<Via>,
) -> Option<Found> {
    let child = worker.first().map(|(id, _)| *id);
    let (id, at) = used(eval, parent, child)?;
    let plan = if via == Some(Via::DataLoader) {
        change::device(eval, worker)
    } else {
        let script = parent.first().map(|(id, _)| *id).or(child);
        change::spawned(eval, &eval.stops(parent), worker, script, via)
    };
    let path = eval.project.module(id).slice(at).to_owned();
    let of = "which uses CUDA before the fork";
    Some(Found::likely(path, of, (id, at), plan))
}

fn used(eval: &Eval, parent: &Frames, child: Option<ModuleId>) -> Option<(ModuleId, Place)> {
    let stops = eval.stops(parent);
    for Stop { env, statement } in &stops {
        let module = eval.project.module(env.at.module);
        let all = module.defs[env.at.def].statements.iter();
        let mut before = all.take_while(|s| s.at.start < statement.at.start);
        if let Some(found) = before.find_map(|s| in_statement(eval, s, env, 0)) {
            return Some(found);
        }
    }
    let script = child.filter(|_| stops.is_empty())?;
    let env = eval.scope(DefId::top(script));
    let module = eval.project.module(script);
    let mut all = module.defs[0].statements.iter();
    all.find_map(|s| in_statement(eval, s, &env, 0))
}

fn in_statement(
    eval: &Eval,
    statement: &Statement,
    env: &Env,
    depth: usize,
) -> Option<(ModuleId, Place)> {
    statement
        .exprs
        .iter()
        .find_map(|e| in_expr(eval, e, env, depth))
}

fn in_expr(eval: &Eval, expr: &Rc<Expr>, env: &Env, depth: usize) -> Option<(ModuleId, Place)> {
    // Arguments are worked out before the call.
    for part in expr.parts() {
        if let Some(found) = in_expr(eval, part, env, depth) {
            return Some(found);
        }
    }
    let call = expr.call()?;
    let is_device = |e: &Rc<Expr>| e.text().is_some_and(|text| text.starts_with("cuda"));
    let to_device = call.args.iter().any(|a| {
        is_device(&a.value) && (a.label.is_none() || a.label.as_deref() == Some("device"))
    });
    let method = call.method().map_or("", |(_, name)| &**name);
    let func = eval.eval(&call.func, env);
    let here = Some((env.at.module, call.at));
    for value in func.alternatives() {
        match value {
            Value::Outside(name, _) => {
                let is_cuda = name.strip_prefix("torch.cuda.").is_some_and(|rest| {
                    !lists(HARMLESS, rest.split('.').next().unwrap_or_default())
                });
                let makes = to_device && name.starts_with("torch.") && &*name != "torch.device";
                let moves = method == "cuda" || method == "to" && to_device;
                if is_cuda || makes || moves {
                    return here;
                }
            }
            Value::Function(f) => {
                if let Some(found) = in_def(eval, f.id, depth) {
                    return Some(found);
                }
            }
            Value::Method(_, f) => {
                if let Some(found) = in_def(eval, f.id, depth) {
                    return Some(found);
                }
                if method == "to" && to_device {
                    return here;
                }
            }
            Value::Class(class, class_env) => {
                let init = eval.method(&eval.line(class, &class_env), "__init__");
                if let Some(found) = init.and_then(|f| in_def(eval, f.id, depth)) {
                    return Some(found);
                }
            }
            _ if method == "cuda" && call.args.is_empty() || method == "to" && to_device => {
                return here;
            }
            _ => {}
        }
    }
    None
}

fn in_def(eval: &Eval, id: DefId, depth: usize) -> Option<(ModuleId, Place)> {
    if depth >= MAX_CALLS {
        return None;
    }
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    if def.kind != Kind::Function || !def.yields.is_empty() {
        return None;
    }
    let env = eval.scope(id);
    def.statements
        .iter()
        .find_map(|s| in_statement(eval, s, &env, depth + 1))
}
