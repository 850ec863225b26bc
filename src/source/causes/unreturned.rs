//! What comes back from another process as `None`: from `join()`, or from a task that changes a copy instead.

use std::rc::Rc;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::POOLS;
use super::super::eval::{Eval, only_binding};
use super::super::objects::PROCESS;
use super::super::project::ModuleId;
use super::super::sent::{Stop, argument};
use super::super::syntax::{Expr, ExprKind, Module, Source, Target};
use super::super::value::{Env, Later, Made, Value};
use super::alone::{brought_back, by_queue};

/// Finds what the parent's innermost line uses in this way and got as `None` from another process.
pub(in super::super) fn unreturned(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    used: &Use,
) -> Option<Found> {
    let Stop { env, statement } = eval.innermost(frames)?;
    let module = eval.project.module(env.at.module);
    let text = module.slice(statement.head);
    let is_used = |e: &Expr| used.is_in(text, module.slice(e.at));
    let mut all = statement.exprs.iter();
    all.find_map(|expr| within(eval, expr, &env, &is_used))
}

/// Finds it in an expression, or in a part of it.
fn within(
    eval: &Eval,
    expr: &Rc<Expr>,
    env: &Env,
    is_used: &dyn Fn(&Expr) -> bool,
) -> Option<Found> {
    if is_used(expr)
        && let Some(source) = given(&eval.project.module(env.at.module), env, expr)
        && let Some(found) =
            joined(eval, expr, env, &source).or_else(|| of_task(eval, expr, env, &source))
    {
        return Some(found);
    }
    let inner = match &expr.kind {
        ExprKind::Comprehension(inner) => eval.overlay(inner, env),
        _ => Rc::clone(env),
    };
    let mut parts = expr.parts().into_iter();
    parts.find_map(|part| within(eval, part, &inner, is_used))
}

/// Returns the one thing that a name is bound to, an item of a list, or the expression itself.
fn given(module: &Module, env: &Env, expr: &Rc<Expr>) -> Option<Source> {
    match &expr.kind {
        ExprKind::Name(name) => match env.names.get(name) {
            Some(Later::Element(of, _)) => Some(Source::Element(Rc::clone(of))),
            Some(_) => None,
            None => Some(only_binding(&module.defs[env.at.def], name)?.source.clone()),
        },
        ExprKind::Subscript(list, _) => Some(Source::Element(Rc::clone(list))),
        _ => Some(Source::Value(Rc::clone(expr))),
    }
}

/// Finds the `join()` of a process whose function returns something.
fn joined(eval: &Eval, expr: &Expr, env: &Env, source: &Source) -> Option<Found> {
    let module = eval.project.module(env.at.module);
    let call = source.given()?.call()?;
    let (of, _) = call.method().filter(|(_, name)| &***name == "join")?;
    let task = match eval.eval(of, env) {
        Value::Made(made) if &*made.of == PROCESS => {
            let target = argument(&made.call, 1, "target")?;
            eval.eval(&target.value, &made.env).function()?.clone()
        }
        Value::Instance(of) => {
            let line = eval.line_of(of.class);
            eval.method(&line, "run")
                .filter(|_| line.derives_from(PROCESS))?
        }
        _ => return None,
    };
    let own = eval.project.module(task.id.module);
    let def = &own.defs[task.id.def];
    let mut returned = def.returns.iter().map(|e| own.slice(e.at));
    let value = returned.find(|text| *text != "None" && !text.contains('\n'))?;
    Some(Found::certain(
        module.slice(expr.at).to_owned(),
        format!(
            "from {}(), which returns nothing",
            module.slice(call.func.at)
        ),
        (env.at.module, call.at),
        Ok(by_queue(
            task.id,
            &def.name,
            value,
            &format!("return {value}"),
        )),
    ))
}

/// Finds the task that returns nothing, and what it changes in its copy.
fn of_task(eval: &Eval, expr: &Expr, env: &Env, source: &Source) -> Option<Found> {
    let made = match source {
        Source::Value(value) => result(eval, &eval.eval(value, env)),
        Source::Element(list) => results(eval, &eval.eval(list, env)),
        _ => None,
    }?;
    let id = eval
        .eval(&made.call.args.first()?.value, &made.env)
        .function()?
        .id;
    let own = eval.project.module(id.module);
    let def = &own.defs[id.def];
    let is_plain = def.yields.is_empty() && !def.is_async && def.decorators.is_empty();
    if !is_plain || !def.returns.iter().all(|e| own.slice(e.at) == "None") {
        return None;
    }
    let is_own = |t: &Target| matches!(t, Target::Name(name) if !def.globals.contains(name));
    let at = def.bindings.iter().find(|b| !is_own(&b.target))?.at;
    Some(Found::certain(
        eval.project.module(env.at.module).slice(expr.at).to_owned(),
        format!("from {}(), which returns nothing", def.qualname),
        (id.module, at),
        brought_back(eval, id, at),
    ))
}

/// Returns the call that gives tasks to a pool, where a value is what it gives or what is fetched of that, and
/// whether it gives a list of results.
fn pooled(eval: &Eval, value: &Value) -> Option<(Rc<Made>, bool)> {
    let Value::Made(made) = value else {
        return None;
    };
    let mut pools = POOLS.iter().filter_map(|pool| made.of.strip_prefix(pool));
    let method = pools.next()?;
    if method.ends_with("().get") || method.ends_with("().result") {
        let (of, _) = made.call.method()?;
        return pooled(eval, &eval.eval(of, &made.env));
    }
    let is_list = method.contains("map");
    (is_list || matches!(method, "apply" | "apply_async" | "submit"))
        .then(|| (Rc::clone(made), is_list))
}

/// Returns the call of a pool that gives a result.
fn result(eval: &Eval, value: &Value) -> Option<Rc<Made>> {
    let (made, is_list) = pooled(eval, value)?;
    (!is_list).then_some(made)
}

/// Returns the call of a pool that gives a list of results.
fn results(eval: &Eval, value: &Value) -> Option<Rc<Made>> {
    value.alternatives().iter().find_map(|value| match value {
        // `list(pool.map(work, rows))`, `[future.result() for future in futures]`
        Value::Items(items) => match items.as_slice() {
            [(_, Later::Element(list, env))] => results(eval, &eval.eval(list, env)),
            [(_, later)] => result(eval, &eval.force(later)),
            _ => None,
        },
        Value::Filled(of, _) => results(eval, of),
        other => pooled(eval, other)
            .filter(|(_, is_list)| *is_list)
            .map(|(made, _)| made),
    })
}
