//! What a call gives to a function in another process, and the parameters that get it there.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::objects::PROCESS;
use super::super::sent::argument;
use super::super::syntax::{Arg, Binding, Call, Expr, ExprKind, Name, ParamKind, Source};
use super::super::value::{DefId, Env, Value};
use super::workers::POOLS;

/// An argument, with its name where it is given by one.
type Labelled = (Option<Name>, Rc<Expr>);

/// Returns the function that a call starts in another process, and what it is given there.
pub(in super::super) fn sent(
    eval: &Eval,
    at: DefId,
    call: &Rc<Call>,
) -> Option<(DefId, Vec<Labelled>)> {
    let env = eval.scope(at);
    let of = &eval.made(call, &env)?.of;
    let pool = POOLS.iter().find_map(|pool| of.strip_prefix(pool));
    let (task, args) = match pool {
        Some("submit") => {
            let rest = call.args.iter().skip(1);
            let rest = rest.map(|a| (a.label.clone(), Rc::clone(&a.value)));
            (call.args.first(), rest.collect())
        }
        Some("apply" | "apply_async") => (call.args.first(), placed(argument(call, 1, "args"))),
        Some("starmap" | "starmap_async") => {
            let items = argument(call, 1, "iterable");
            (call.args.first(), items.map_or_else(Vec::new, elements))
        }
        Some("map" | "map_async" | "imap" | "imap_unordered") => {
            let task = eval.eval(&call.args.first()?.value, &env).function()?.id;
            return Some((task, taken_apart(eval, task, call.args.get(1)?)?));
        }
        None if &**of == PROCESS => {
            let mut args = placed(argument(call, 3, "args"));
            let named = argument(call, 4, "kwargs").map(|a| &a.value.kind);
            if let Some(ExprKind::Dict(items)) = named {
                args.extend(items.iter().filter_map(|(key, value)| {
                    match key.as_ref().map(|k| &k.kind) {
                        Some(ExprKind::Text(key)) => {
                            Some((Some(Rc::from(&**key)), Rc::clone(value)))
                        }
                        _ => None,
                    }
                }));
            }
            (argument(call, 1, "target"), args)
        }
        _ => return None,
    };
    let task = eval.eval(&task?.value, &env).function()?.id;
    Some((task, args))
}

/// Returns the items of a tuple or list of arguments.
fn placed(args: Option<&Arg>) -> Vec<Labelled> {
    args.map_or_else(Vec::new, |a| each(&a.value))
}

fn each(tuple: &Rc<Expr>) -> Vec<Labelled> {
    match &tuple.kind {
        ExprKind::Items(items) => items.iter().map(|e| (None, Rc::clone(e))).collect(),
        _ => Vec::new(),
    }
}

/// Returns the items of a task's one argument, by the names to which it gives all of them: `found, n = job`.
fn taken_apart(eval: &Eval, task: DefId, items: &Arg) -> Option<Vec<Labelled>> {
    let module = eval.project.module(task.module);
    let def = &module.defs[task.def];
    let job = &def.params.get(usize::from(module.is_method(def)))?.name;
    let parts = elements(items).into_iter().enumerate();
    let named = parts.map(|(n, (_, value))| {
        let is_part = |b: &&Binding| {
            matches!(&b.source, Source::Part(of, at)
                if *at == n && of.given().is_some_and(|e| e.is_name(job)))
        };
        let name = def.bindings.iter().find(is_part)?.name()?;
        Some((Some(Rc::clone(name)), value))
    });
    named.collect()
}

/// Returns the arguments of each task: `(results, n)` of `[(results, n) for n in range(9)]`.
fn elements(items: &Arg) -> Vec<Labelled> {
    match &items.value.kind {
        ExprKind::Comprehension(inner) => each(&inner.element),
        ExprKind::Items(tasks) => tasks.first().map_or_else(Vec::new, each),
        _ => Vec::new(),
    }
}

/// Returns the parameters of a function that are given it.
pub(in super::super) fn params(
    eval: &Eval,
    task: DefId,
    args: &[Labelled],
    is_it: &dyn Fn(&Expr) -> bool,
) -> Vec<(DefId, Name)> {
    let module = eval.project.module(task.module);
    let def = &module.defs[task.def];
    let is_method = module.is_method(def);
    let plain = def.params.iter().filter(|p| p.kind == ParamKind::Plain);
    let plain: Vec<&Name> = plain
        .map(|p| &p.name)
        .skip(usize::from(is_method))
        .collect();
    let given = args
        .iter()
        .enumerate()
        .filter(|(_, (_, value))| is_it(value));
    let names = given.filter_map(|(n, (label, _))| match label {
        Some(label) => Some(Name::clone(label)),
        None => plain.get(n).map(|name| Name::clone(name)),
    });
    names.map(|name| (task, name)).collect()
}

/// Returns what an expression is, where it is a parameter by what other processes are given for it, too:
/// `Process(target=work, args=(queue,))`.
pub(in super::super) fn known(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> Vec<Value> {
    let value = eval.eval(expr, env);
    let ExprKind::Name(name) = &expr.kind else {
        return value.alternatives();
    };
    if !matches!(value, Value::Unknown) {
        return value.alternatives();
    }
    let mut found = Vec::new();
    for (at, module) in eval.project.defs() {
        let calls = module.defs[at.def].calls();
        let of_it = calls.filter_map(|call| sent(eval, at, call).filter(|s| s.0 == env.at));
        for (task, args) in of_it {
            let is_named = |value: &Rc<Expr>| {
                let params = params(eval, task, &args, &|e| e.at == value.at);
                params.iter().any(|(_, param)| param == name)
            };
            let given = args.iter().map(|(_, value)| value);
            let given = given.filter(|value| is_named(value));
            let values = given.flat_map(|value| eval.eval(value, &eval.scope(at)).alternatives());
            found.extend(values);
        }
    }
    found
}
