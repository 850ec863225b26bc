//! What comes back from another process as `None`: from `join()`, or from a task that changes a copy instead.

use std::rc::Rc;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::{POOLS, Plan, Planned};
use super::super::eval::{Eval, bindings_of};
use super::super::objects::PROCESS;
use super::super::project::ModuleId;
use super::super::sent::{Stop, argument};
use super::super::syntax::{Binding, Call, Def, Expr, ExprKind, Module, Source, Target};
use super::super::value::{Env, Later, Made, Value};
use super::alone::brought_back;

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
    let is_one = matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Call(_) | ExprKind::Subscript(..)
    );
    if is_one
        && is_used(expr)
        && let Some(found) = joined(eval, expr, env).or_else(|| of_task(eval, expr, env))
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

/// Returns the one thing that a name is bound to, or the expression itself.
fn given(module: &Module, env: &Env, expr: &Rc<Expr>) -> Option<Source> {
    let ExprKind::Name(name) = &expr.kind else {
        return Some(Source::Value(Rc::clone(expr)));
    };
    match env.names.get(name) {
        Some(Later::Element(of, _)) => return Some(Source::Element(Rc::clone(of))),
        Some(_) => return None,
        None => {}
    }
    let mut bound = bindings_of(&module.defs[env.at.def], name);
    let one = bound.next().filter(|_| bound.next().is_none())?;
    Some(one.source.clone())
}

/// Finds the `join()` of a process whose function returns something.
fn joined(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> Option<Found> {
    let module = eval.project.module(env.at.module);
    let Source::Value(value) = given(&module, env, expr)? else {
        return None;
    };
    let call = value.call()?;
    let (of, _) = call
        .method()
        .filter(|(_, m)| matches!(&***m, "join" | "start"))?;
    let id = match eval.eval(of, env) {
        Value::Made(made) if &*made.of == PROCESS => {
            let target = argument(&made.call, 1, "target")?;
            eval.eval(&target.value, &made.env).function()?.id
        }
        Value::Instance(instance) => {
            let line = eval.line_of(instance.class);
            let run = eval
                .method(&line, "run")
                .filter(|_| line.derives_from(PROCESS));
            run?.id
        }
        _ => return None,
    };
    let task = eval.project.module(id.module);
    let def = &task.defs[id.def];
    let returned = def.returns.iter().find(|e| !is_none(&task, e))?;
    Some(Found::certain(
        module.slice(expr.at).to_owned(),
        format!(
            "from {}(), which returns nothing",
            module.slice(call.func.at)
        ),
        (env.at.module, call.at),
        queued(
            env.at.module,
            &module,
            (expr, call),
            (def, task.slice(returned.at)),
        ),
    ))
}

/// Lets the process put what it returns into a queue.
fn queued(
    id: ModuleId,
    module: &Module,
    (expr, call): (&Expr, &Call),
    (def, returned): (&Def, &str),
) -> Planned {
    if returned.contains('\n') {
        return Err(format!(
            "`{}` is to put what it returns into a queue",
            def.name
        ));
    }
    let text = format!(
        "What `{}` returns goes nowhere. Let it put that into a queue, which the parent reads before `join()`:",
        def.name
    );
    let (name, joins) = (module.slice(expr.at), module.slice(call.at));
    let is_name = matches!(expr.kind, ExprKind::Name(_));
    let name = if is_name { name } else { "result" };
    let code = format!(
        "found = multiprocessing.Queue()  # and give it to the process\n\n\
         found.put({returned})  # in `{}`, was: return {returned}\n\n\
         {name} = found.get()\n{joins}",
        def.name
    );
    Ok(Plan::new(id, text, code, Vec::new()))
}

/// Finds the task that returns nothing, and what it changes in its copy.
fn of_task(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> Option<Found> {
    let module = eval.project.module(env.at.module);
    let made = match (given(&module, env, expr)?, &expr.kind) {
        (Source::Value(_), ExprKind::Subscript(list, _)) => results(eval, &eval.eval(list, env)),
        (Source::Value(value), _) => result(eval, &eval.eval(&value, env)),
        (Source::Element(list), _) => results(eval, &eval.eval(&list, env)),
        _ => None,
    }?;
    let task = made.call.args.first()?;
    let id = eval.eval(&task.value, &made.env).function()?.id;
    let task = eval.project.module(id.module);
    let def = &task.defs[id.def];
    let is_plain = def.yields.is_empty() && !def.is_async && def.decorators.is_empty();
    if !is_plain || !def.returns.iter().all(|e| is_none(&task, e)) {
        return None;
    }
    let at = def.bindings.iter().find(|b| is_change(def, b))?.at;
    Some(Found::certain(
        module.slice(expr.at).to_owned(),
        format!("from {}(), which returns nothing", def.qualname),
        (id.module, at),
        brought_back(eval, id, at),
    ))
}

/// Returns whether a binding changes what was there before.
fn is_change(def: &Def, binding: &Binding) -> bool {
    match &binding.target {
        Target::Name(name) => def.globals.contains(name),
        Target::Attribute(..) | Target::Content(..) => true,
    }
}

/// Returns the call that gives tasks to a pool, where a value is what it gives or what is fetched of that, and the
/// pool's method.
fn pooled(eval: &Eval, value: &Value) -> Option<(Rc<Made>, Rc<str>)> {
    let Value::Made(made) = value else {
        return None;
    };
    let mut pools = POOLS.iter().filter_map(|pool| made.of.strip_prefix(pool));
    let method = pools.next()?;
    let fetched = method
        .strip_suffix("().get")
        .or_else(|| method.strip_suffix("().result"));
    if fetched.is_some() {
        let (of, _) = made.call.method()?;
        return pooled(eval, &eval.eval(of, &made.env));
    }
    Some((Rc::clone(made), method.into()))
}

/// Returns the call of a pool that gives a result.
fn result(eval: &Eval, value: &Value) -> Option<Rc<Made>> {
    let (made, method) = pooled(eval, value)?;
    matches!(&*method, "apply" | "apply_async" | "submit").then_some(made)
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
        other => {
            let (made, method) = pooled(eval, other)?;
            method.contains("map").then_some(made)
        }
    })
}

fn is_none(module: &Module, expr: &Expr) -> bool {
    module.slice(expr.at) == "None"
}
