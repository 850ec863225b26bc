//! What comes back from another process as `None`: from `join()` or torch's `spawn`, or from a task that changes a copy
//! instead; what `start()` gives, taken for the process.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::{POOLS, Plan, Planned};
use super::super::eval::{Eval, only_binding};
use super::super::objects::PROCESS;
use super::super::project::Frames;
use super::super::sent::{Stop, argument};
use super::super::syntax::{
    Binding, Call, Def, Expr, ExprKind, Module, Place, Source, StatementKind, Target,
};
use super::super::text::{after, free_name, indent_at, unit};
use super::super::value::{DefId, Env, Later, Made, Value};
use super::alone::{brought_back, by_queue, run_by};
use super::stayed::slots;
use super::unfit::SPAWN;

/// What is told of it; a rule asks for these words.
const OF: &str = "from start(), which returns nothing";
/// What is asked of what torch's `spawn` gives where it does not wait.
const CONTEXT: [&str; 4] = [".join(", ".pids", ".processes", ".sentinels"];

/// Finds what the parent's innermost line uses in this way and got as `None` from another process.
pub(in super::super) fn unreturned(eval: &Eval, frames: &Frames, used: &Use) -> Option<Found> {
    let (Stop { env, statement }, module) = eval.innermost(frames)?;
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
        && let Some(found) = started(eval, expr, env)
    {
        return Some(found);
    }
    if is_used(expr)
        && let Some(source) = given(&eval.project.module(env.at.module), env, expr)
        && let Some(found) = joined(eval, expr, env, &source)
            .or_else(|| of_task(eval, expr, env, &source))
            .or_else(|| match &source {
                Source::Element(list) => slots(eval, env, list),
                _ => None,
            })
    {
        return Some(found);
    }
    // `sum(totals)`
    if let Some(call) = expr.call()
        && let (Some("sum" | "max" | "min" | "sorted"), [items]) =
            (call.func.last_name().map(|n| &**n), &call.args[..])
        && let Some(found) = slots(eval, env, &items.value)
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

/// Finds the `join()` of a process whose function returns something, or the call of torch's `spawn` that waits for such
/// processes.
fn joined(eval: &Eval, expr: &Expr, env: &Env, source: &Source) -> Option<Found> {
    let module = eval.project.module(env.at.module);
    let call = source.given()?.call()?;
    let joins = call.method().filter(|(_, name)| &***name == "join");
    let task = match joins {
        Some((of, _)) => run_by(eval, &eval.eval(of, env)),
        None => spawned_by(eval, call, env).filter(|_| {
            let behind = &module.text[expr.at.end as usize..];
            !CONTEXT.iter().any(|name| behind.starts_with(name))
        }),
    }?;
    let own = eval.project.module(task.module);
    let def = &own.defs[task.def];
    let mut returned = def.returns.iter().map(|e| own.slice(e.at));
    let value = returned.find(|text| *text != "None" && !text.contains('\n'))?;
    Some(Found::certain(
        module.slice(expr.at).to_owned(),
        format!(
            "from {}(), which returns nothing",
            module.slice(call.func.at)
        ),
        (env.at.module, call.at),
        Ok(match def.params.first().filter(|_| joins.is_none()) {
            Some(number) => by_dict(task, def, &number.name, value),
            None => by_queue(&own, task, value, &format!("return {value}")),
        }),
    ))
}

/// Lets a function that torch's `spawn` runs put what it returns into a manager's dict.
fn by_dict(task: DefId, def: &Def, number: &str, value: &str) -> Plan {
    let name = &def.name;
    let text = format!("Let `{name}` put it into a manager's dict, by the number of its process:");
    let code = format!(
        "found = multiprocessing.Manager().dict()  # one more of `args`\n\n\
         found[{number}] = {value}  # in `{name}`, was: return {value}\n\n\
         found.values()  # below `spawn`"
    );
    Plan::new(task.module, text, code, Vec::new())
}

/// Returns the function that a call of torch's `spawn` runs to its end; without the wait it gives a context.
fn spawned_by(eval: &Eval, call: &Rc<Call>, env: &Env) -> Option<DefId> {
    eval.made(call, env).filter(|made| &*made.of == SPAWN)?;
    let module = eval.project.module(env.at.module);
    let waits = argument(call, 3, "join").is_none_or(|join| module.slice(join.value.at) == "True");
    let task = argument(call, 0, "fn").filter(|_| waits)?;
    Some(eval.eval(&task.value, env).function()?.id)
}

/// Finds the task that returns nothing, and what it changes in its copy.
fn of_task(eval: &Eval, expr: &Expr, env: &Env, source: &Source) -> Option<Found> {
    let made = match source {
        Source::Value(value) => pooled(eval, &eval.eval(value, env), false),
        Source::Element(list) => pooled(eval, &eval.eval(list, env), true),
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
    let is_own = |t: &Target| matches!(t, Target::Name(name) if !def.declares(name));
    let at = def.bindings.iter().find(|b| !is_own(&b.target))?.at;
    Some(Found::certain(
        eval.project.module(env.at.module).slice(expr.at).to_owned(),
        format!("from {}(), which returns nothing", def.qualname),
        (id.module, at),
        brought_back(eval, id, at),
    ))
}

/// Returns the call that gives tasks to a pool, where a value is what it gives, or what is fetched of that: a list of
/// results, or one.
fn pooled(eval: &Eval, value: &Value, is_list: bool) -> Option<Rc<Made>> {
    match value {
        Value::OneOf(all) => all.iter().find_map(|v| pooled(eval, v, is_list)),
        Value::Filled(of, _) => pooled(eval, of, is_list),
        // `list(pool.map(work, rows))`
        Value::Items(items) => match items.as_slice() {
            [(_, Later::Element(list, env))] => pooled(eval, &eval.eval(list, env), is_list),
            _ => None,
        },
        Value::Made(made) => {
            let mut pools = POOLS.iter().filter_map(|pool| made.of.strip_prefix(pool));
            let method = pools.next()?;
            if method.ends_with("().get") || method.ends_with("().result") {
                let (of, _) = made.call.method()?;
                return pooled(eval, &eval.eval(of, &made.env), is_list);
            }
            (method.contains("map") == is_list).then(|| Rc::clone(made))
        }
        _ => None,
    }
}

/// Finds the `start()` of a process whose result the function keeps that a name is of.
fn started(eval: &Eval, expr: &Expr, env: &Env) -> Option<Found> {
    let module = eval.project.module(env.at.module);
    let def = &module.defs[env.at.def];
    let is_process = |of| match eval.eval(of, env) {
        Value::Made(made) => made.is_process(),
        Value::Instance(of) => eval.line_of(of.class).derives_from(PROCESS),
        _ => false,
    };
    let is_kept = |e: &Rc<Expr>| !def.of_kind(StatementKind::Expr).any(|s| s.at == e.at);
    let mut all = def.walk();
    let (value, of) = all.find_map(|e| {
        let (of, _) = e.call()?.method().filter(|(_, n)| &***n == "start")?;
        (is_kept(e) && is_process(of)).then_some((e, of))
    })?;
    matches!(expr.kind, ExprKind::Name(_)).then(|| {
        let plan = kept(&module, def, value, of.at);
        let path = module.slice(expr.at).to_owned();
        Found::certain(path, OF, (env.at.module, value.at), plan)
    })
}

/// Keeps the process, and starts it on a line of its own.
fn kept(module: &Module, def: &Def, value: &Rc<Expr>, of: Place) -> Planned {
    let mut set = def.of_kind(StatementKind::Assign);
    let set = set.find(|s| s.at.holds(value.at));
    let binding = set.and_then(|s| def.bound_at(s.at).next());
    let (name, all) = (binding.and_then(Binding::named_value)).ok_or("it is kept in a list")?;
    let one = free_name(module, "process");
    let lines = match &all.kind {
        _ if all.at == value.at => vec![format!("{name}.start()")],
        ExprKind::Comprehension(inner) if !inner.is_generator && !inner.is_dict => vec![
            format!("for {one} in {name}:"),
            format!("{}{one}.start()", unit(module, def)),
        ],
        _ => return Err("it is kept in a list".to_owned()),
    };
    let set = binding.map_or(value.at, |b| b.at);
    let head = module
        .slice(set)
        .replacen(module.slice(value.at), module.slice(of), 1);
    let edits = vec![
        Edit::replace(value.at, module.slice(of)),
        after(
            module,
            set.end as usize,
            &indent_at(module, set.start),
            &lines,
        ),
    ];
    let words = "Keep the process itself, and start it on a line of its own:";
    Ok(Plan::new(
        module.id,
        words,
        format!("{head}\n{}", lines.join("\n")),
        edits,
    ))
}
