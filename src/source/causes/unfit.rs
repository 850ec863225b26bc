//! What a worker is given to call, where that is a result, or takes another number of arguments:
//! `submit(square(3))`, `Process(target=work, args=(1,))`, `pool.map(add, first, second)`.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::Eval;
use super::super::objects::PROCESS;
use super::super::only::only;
use super::super::project::Frames;
use super::super::sent::argument;
use super::super::syntax::{Arg, Call, Expr, ExprKind, Module, Name};
use super::super::text::{edited, imported};
use super::super::value::{Made, Value};
use super::spread::{found, renamed, shown, takes};

/// Finds the one process, or call of torch's `spawn`, whose function takes another number of arguments than it is given;
/// or the pool whose initializer or task does.
pub(super) fn unfit(eval: &Eval, name: &str) -> Option<Found> {
    let found = eval.all_made().filter_map(|giving| {
        let call = &giving.call;
        let (target, args) = called_with(&giving)?;
        let target = target?;
        // `spawn` puts the number of the process before them.
        let numbers = usize::from(&*giving.of == SPAWN);
        let (least, most) = takes(eval, &eval.eval(&target.value, &giving.env), Some(name))?;
        let (count, arg) = match args {
            None => (numbers, target),
            Some(args) => (listed(args)? + numbers, args),
        };
        let of_apply = giving.of.contains("().apply");
        let is_open = call.labelled("kwargs").is_some()
            || of_apply && argument(call, 2, "kwds").is_some()
            || call.args.iter().any(|a| a.stars > 0);
        let is_given = (least..=most).contains(&count) || is_open;
        let module = eval.project.module(giving.env.at.module);
        let label = arg
            .label
            .as_ref()
            .map_or_else(String::new, |l| format!("{l}="));
        let path = format!("{label}{}", module.slice(arg.value.at));
        let wants = match (least, most) {
            (_, usize::MAX) => format!("at least {least}"),
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least} to {most}"),
        };
        let given = match count {
            _ if arg.value.at == target.value.at => {
                let label = target.label.as_deref();
                let is_first = label == Some("initializer");
                format!("without `{}`", if is_first { "initargs" } else { "args" })
            }
            1 => "which gives 1 argument".to_owned(),
            _ if numbers > 0 => format!("{count} with the process's number"),
            _ => format!("which gives {count} arguments"),
        };
        let of = format!("{given}, where `{name}` takes {wants}");
        let plan = Err("which arguments are right is for its author to say".to_owned());
        (!is_given).then(|| self::found(&giving, arg, (path, &of), plan))
    });
    only(found)
}

/// Returns what a call has another process call, and the arguments that it gives in one tuple.
pub(super) fn called_with(giving: &Made) -> Option<(Option<&Arg>, Option<&Arg>)> {
    let call = &giving.call;
    let (function, args) = match &*giving.of {
        PROCESS => ((1, "target"), (3, "args")),
        SPAWN => ((0, "fn"), (1, "args")),
        "multiprocessing.Pool().apply" | "multiprocessing.Pool().apply_async" => {
            ((0, "func"), (1, "args"))
        }
        "multiprocessing.Pool" => ((1, "initializer"), (2, "initargs")),
        "concurrent.futures.ProcessPoolExecutor" => ((2, "initializer"), (3, "initargs")),
        _ => return None,
    };
    let of = |(position, label)| argument(call, position, label);
    Some((of(function), of(args)))
}

/// Returns how many arguments a tuple or list holds, as it is written.
fn listed(args: &Arg) -> Option<usize> {
    let ExprKind::Items(items) = &args.value.kind else {
        return None;
    };
    let is_star = |i: &Rc<Expr>| matches!(i.kind, ExprKind::Starred(_));
    (!items.iter().any(is_star)).then_some(items.len())
}

/// Finds lists of which all but the first are taken for another parameter of `map`, a number.
pub(super) fn several(eval: &Eval, giving: &Made, is_list: bool) -> Option<Found> {
    let Made { of, call, env, .. } = giving;
    let method = match &**of {
        EXECUTOR_MAP => "map",
        of => of.strip_prefix("multiprocessing.Pool().")?,
    };
    let [function, first, rest @ ..] = call.args.as_slice() else {
        return None;
    };
    let last = rest.last()?;
    let of = eval.eval(&function.value, env);
    let (least, most) = takes(eval, &of, None)?;
    if !is_list {
        return kept(eval, giving, (least, most), true);
    }
    let is_plain = call.args.iter().all(|a| a.label.is_none() && a.stars == 0);
    let is_number = matches!(eval.eval(&last.value, env), Value::Plain);
    if is_number || !is_plain || !(least..=most).contains(&(1 + rest.len())) {
        return None;
    }
    let module = eval.project.module(env.at.module);
    let star = renamed(&module, call, method);
    let plan = if is_whole(eval, &of) {
        Err("whether each item of it is meant, or all, is for its author to say".to_owned())
    } else if star.is_some() || matches!(method, "starmap" | "starmap_async") {
        let mut edits = vec![
            Edit::insert(first.value.at.start as usize, "zip("),
            Edit::insert(last.value.at.end as usize, ")"),
        ];
        edits.extend(star);
        let text = "A pool's method takes one list; `zip` makes pairs of several, which `starmap` spreads:";
        Ok(shown(&module, giving, text, edits))
    } else {
        Err(format!("`{method}` has no form that spreads a tuple"))
    };
    let path = module.slice(last.value.at).to_owned();
    Some(found(giving, last, (path, TAKEN_FOR_CHUNKSIZE), plan))
}

/// Returns whether a function looks into a parameter after its first, which may be the same for all items.
fn is_whole(eval: &Eval, function: &Value) -> bool {
    let Some(id) = function.function().map(|f| f.id) else {
        return false;
    };
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let text = module.code(def.at);
    let first = 1 + usize::from(module.is_method(def));
    let others = def.params.iter().skip(first);
    let looks = |name: &Name, at: usize| {
        let before = &text[..at];
        text[at + name.len()..].starts_with('[')
            || ["in ", "len("].iter().any(|word| before.ends_with(word))
    };
    let mut others = others;
    others.any(|p| places_of(text, &p.name).any(|at| looks(&p.name, at)))
}

const TAKEN_FOR_CHUNKSIZE: &str = "which is taken for `chunksize`";
const CALLED: &str = "which is called at once";
const NO_LIST: &str = "which is no list";
/// What starts processes of torch.
pub(super) const SPAWN: &str = "multiprocessing.spawn";
/// What takes a list for each parameter.
pub(super) const EXECUTOR_MAP: &str = "concurrent.futures.ProcessPoolExecutor().map";

/// Finds a value that is to be the same for all items, and is taken for another parameter: `pool.map(add, items, 5)`.
/// Without what the message tells of it, the items are not to be tuples.
pub(super) fn kept(
    eval: &Eval,
    giving: &Made,
    takes: (usize, usize),
    is_told: bool,
) -> Option<Found> {
    let Made { call, env, .. } = giving;
    let [function, items, value] = call.args.as_slice() else {
        return None;
    };
    let is_executor = &*giving.of == EXECUTOR_MAP;
    let given = eval.eval(&items.value, env);
    // It may be the first one that is no list.
    let is_first = matches!(given, Value::Plain)
        || !matches!(eval.eval(&value.value, env), Value::Plain)
        || value.value.text().is_some();
    let is_plain = call.args.iter().all(|a| a.label.is_none() && a.stars == 0);
    if is_executor && (is_first || !is_plain) {
        return None;
    }
    let module = eval.project.module(env.at.module);
    let same = module.slice(value.value.at);
    if is_executor && takes == (1, 1) {
        return Some(found(
            giving,
            value,
            (same.to_owned(), NO_LIST),
            Ok(by_label(&module, giving, value)),
        ));
    }
    let item = eval.element_of(&given);
    let of = eval.eval(&function.value, env);
    let task = of.function()?.id;
    let own = eval.project.module(task.module);
    let def = &own.defs[task.def];
    let name = &def.params.get(1 + usize::from(own.is_method(def)))?.name;
    // `def add(a, b, /)` takes no name, and the size of the chunks may be what is meant.
    let is_other = own.slice(def.head).contains('/') || same.to_lowercase().contains("chunk");
    if takes.0 != 2 || !is_plain || is_other || !is_told && !matches!(item, Value::Plain) {
        return None;
    }
    let (partial, import) = imported(&module, "functools", "partial");
    let func = module.slice(function.value.at);
    let end = module.text[..value.value.at.start as usize].rfind(',')?;
    let mut edits = vec![
        Edit::replace(
            function.value.at,
            format!("{partial}({func}, {name}={same})"),
        ),
        Edit::replace(end..value.value.at.end as usize, ""),
    ];
    edits.extend(import);
    let (amiss, reason) = if is_executor {
        (NO_LIST, format!("`map` wants a list of `{name}`"))
    } else {
        let reason = format!(
            "the pool takes the third argument for the size of its chunks, not for `{name}`"
        );
        (TAKEN_FOR_CHUNKSIZE, reason)
    };
    let text =
        format!("What is the same for all items goes in with `functools.partial`; {reason}:");
    let plan = shown(&module, giving, &text, edits);
    Some(found(giving, value, (same.to_owned(), amiss), Ok(plan)))
}

/// Plans to give a number by its name, which an executor's `map` takes for the list of a parameter that the function does
/// not have: for the size of the chunks, if the program calls it so.
fn by_label(module: &Module, giving: &Made, value: &Arg) -> Plan {
    let same = module.slice(value.value.at);
    let edit = Edit::insert(value.value.at.start as usize, "chunksize=");
    let name = same.to_lowercase().replace('_', "");
    // `chunk_id` and `n_chunks` are something else, and `chunk` may be one of them.
    if name.ends_with("chunksize") || same == "CHUNK" {
        let text = "Give the size of the chunks by its name; what has none is a list for a parameter of the function:";
        return shown(module, giving, text, vec![edit]);
    }
    let text = "The function takes one argument, so this is none for it. `chunksize` and `timeout` go by their names:";
    let plan = shown(module, giving, text, vec![edit]);
    let edits = Vec::new();
    Plan { edits, ..plan }
}

/// Finds the one call that is given a function's result instead of the function.
pub(super) fn called(eval: &Eval) -> Option<Found> {
    let all: Vec<_> = eval.all_made().collect();
    let amiss = all.iter().filter_map(|giving| {
        let (position, label) = match giving.of.rsplit_once("().") {
            Some(("multiprocessing.Pool", _)) => (0, "func"),
            Some(("concurrent.futures.ProcessPoolExecutor", _)) => (0, "fn"),
            _ if &*giving.of == PROCESS => (1, "target"),
            _ if &*giving.of == "joblib.delayed" => (0, "function"),
            _ => return None,
        };
        let arg = argument(&giving.call, position, label)?;
        let values = eval.eval(&arg.value, &giving.env).alternatives();
        let is_callable = |v: &Value| match v {
            Value::Function(_) | Value::Method(..) | Value::Class(..) | Value::Instance(_) => true,
            Value::Made(made) => &*made.of == "functools.partial",
            Value::Outside(..) => arg.value.call().is_none(),
            _ => false,
        };
        (!values.iter().all(is_callable)).then_some((giving, arg))
    });
    // What is not known may be what cannot be called, too.
    let (giving, arg) = only(amiss)?;
    let inner = arg.value.call()?;
    let function = eval.eval(&inner.func, &giving.env);
    if !matches!(function, Value::Function(_) | Value::Method(..)) {
        return None;
    }
    let module = eval.project.module(giving.env.at.module);
    let path = module.slice(arg.value.at).to_owned();
    let plan = uncalled(&module, giving, arg, inner);
    let plan = plan.ok_or_else(|| "its arguments are for its author to place".to_owned());
    Some(found(giving, arg, (path, CALLED), plan))
}

/// Finds the one function that `Parallel` is given the results of, where it wants `delayed` calls.
pub(super) fn undelayed(eval: &Eval, frames: &Frames) -> Option<Found> {
    let stop = eval.innermost(frames);
    let is_parallel = |v: Value| matches!(v, Value::Made(made) if &*made.of == "joblib.Parallel");
    let is_delayed =
        |v: &Value| matches!(v, Value::Made(made) if made.of.starts_with("joblib.delayed"));
    let found = eval.calls().filter_map(|(outer, env)| {
        let is_here = stop.as_ref().is_none_or(|(stop, module)| {
            module.id == env.at.module && stop.statement.at.holds(outer.at)
        });
        let [tasks] = outer.args.as_slice() else {
            return None;
        };
        let ExprKind::Comprehension(inner) = &tasks.value.kind else {
            return None;
        };
        let call = inner.element.call()?;
        if !is_parallel(eval.eval(&outer.func, &env)) {
            return None;
        }
        let env = eval.overlay(inner, &env);
        let function = eval.eval(&call.func, &env);
        let task = function.function()?.id;
        let given = eval.eval(&inner.element, &env).alternatives();
        let def = &eval.project.module(task.module).defs[task.def];
        let is_bare = def.decorators.is_empty() && !given.iter().any(is_delayed);
        let is_method = matches!(function, Value::Method(..));
        let (element, func) = (Rc::clone(&inner.element), call.func.at);
        (is_here && is_bare && !def.is_async).then_some((env.at.module, element, func, is_method))
    });
    let (id, element, func, is_method) = only(found)?;
    let module = eval.project.module(id);
    let (delayed, import) = imported(&module, "joblib", "delayed");
    let mut edits = vec![Edit::replace(
        func,
        format!("{delayed}({})", module.slice(func)),
    )];
    let code = edited(&module, element.at, &edits);
    edits.extend(import);
    let text = "Wrap the function, and give the arguments behind it:";
    let path = match module.slice(element.at) {
        call if call.contains('\n') => format!("{}(…)", module.slice(func)),
        call => call.to_owned(),
    };
    // Its object would be sent too.
    let edits = if is_method { Vec::new() } else { edits };
    let plan = Ok(Plan::new(id, text, code, edits));
    Some(Found::certain(path, CALLED, (id, element.at), plan))
}

/// Plans to give the function, and its arguments beside it.
fn uncalled(module: &Module, giving: &Made, arg: &Arg, inner: &Call) -> Option<Plan> {
    let text = module.slice(arg.value.at);
    let func = module.slice(inner.func.at);
    let args = text
        .strip_prefix(func)?
        .trim_start()
        .strip_prefix('(')?
        .strip_suffix(')')?;
    let args = args.trim().trim_end_matches(',');
    let is_placed = inner.args.iter().all(|a| a.label.is_none() && a.stars == 0);
    let one = if inner.args.len() == 1 { "," } else { "" };
    let is_alone = giving.call.args.len() == 1 && (arg.label.is_none() || args.is_empty());
    let new = match giving.of.rsplit('.').next()? {
        _ if args.contains('#') => return None,
        "delayed" => {
            let mut edits = vec![Edit::replace(arg.value.at, func)];
            edits.push(Edit::insert(
                giving.call.at.end as usize,
                format!("({args})"),
            ));
            let code = format!("{}({func})({args})", module.slice(giving.call.func.at));
            let text = "Wrap the function, and give the arguments behind it:";
            return Some(Plan::new(giving.env.at.module, text, code, edits));
        }
        _ if args.is_empty() => func.to_owned(),
        "submit" if is_alone => format!("{func}, {args}"),
        "apply" | "apply_async" if is_alone && is_placed => format!("{func}, ({args}{one})"),
        "Process"
            if is_placed && arg.label.is_some() && argument(&giving.call, 3, "args").is_none() =>
        {
            format!("{func}, args=({args}{one})")
        }
        _ => return None,
    };
    let edit = Edit::replace(arg.value.at, new);
    let text = "Give the function, and its arguments beside it; the worker calls it:";
    let code = edited(module, giving.call.at, std::slice::from_ref(&edit));
    Some(Plan::new(giving.env.at.module, text, code, vec![edit]))
}
