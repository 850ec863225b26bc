//! Arguments that a call puts together otherwise than the worker's function takes them:
//! `pool.map(add, [(1, 2)])`, `args=("bob")`.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::misfit::Misfit;
use super::super::only::only;
use super::super::project::Frames;
use super::super::sent::argument;
use super::super::syntax::{Arg, Call, Expr, ExprKind, Module, Name, ParamKind, Place};
use super::super::text::{edited, lists};
use super::super::value::{DefId, Later, Made, Step, Value};
use super::ended::handles;
use super::unfit::{EXECUTOR_MAP, SPAWN, called, called_with, kept, several, undelayed, unfit};

/// What gives a text.
const TEXTS: &str = "str input os.path.join os.path.abspath os.path.realpath os.path.dirname os.path.basename os.getcwd \
    tempfile.mkdtemp tempfile.gettempdir";

/// The longest call that is shown as a whole.
const MAX_SHOWN: usize = 76;

/// Finds the call whose arguments do not fit, and the argument that holds them.
pub(in super::super) fn spread(eval: &Eval, frames: &Frames, misfit: &Misfit) -> Option<Found> {
    let all = if frames.is_empty() {
        eval.project.add_scripts();
        eval.all_made().collect()
    } else {
        at_last(eval, frames)
    };
    let found = all.into_iter().filter_map(|giving| match misfit {
        Misfit::Packed(name) => packed(eval, &giving, name),
        Misfit::Starred(of_text) => starred(eval, &giving, *of_text),
        Misfit::Several(is_list) => several(eval, &giving, *is_list),
        Misfit::Alone => alone(eval, &giving, None),
        Misfit::Letters(name, count) => alone(eval, &giving, Some((name, *count))),
        Misfit::Lacking(_) | Misfit::Called | Misfit::Undelayed => None,
    });
    let found: Vec<Found> = found.collect();
    match misfit {
        // Nothing tells which future it is whose result is asked for.
        Misfit::Packed(name) if found.is_empty() => submitted(eval, name),
        Misfit::Lacking(name) => unfit(eval, name),
        Misfit::Letters(name, _) if found.is_empty() => unfit(eval, name),
        Misfit::Called => called(eval),
        Misfit::Undelayed => undelayed(eval, frames),
        _ => only(found),
    }
}

/// Returns the calls of the statement that the last frame is at, and those whose results it waits for.
fn at_last(eval: &Eval, frames: &Frames) -> Vec<Rc<Made>> {
    let stops = eval.stops(frames);
    let Some(stop) = stops.last() else {
        return Vec::new();
    };
    let mut all: Vec<Rc<Made>> = Vec::new();
    for expr in &stop.statement.exprs {
        for call in expr.calls() {
            all.extend(eval.made(call, &stop.env));
        }
        let mut waited = Vec::new();
        handles(eval, expr, &stop.env, &mut waited);
        all.extend(waited);
    }
    let mut known = Vec::new();
    all.retain(|giving| {
        let place = (giving.env.at.module, giving.call.at);
        let is_new = !known.contains(&place);
        known.push(place);
        is_new
    });
    all
}

/// Finds tuples that the function gets as one argument each.
fn packed(eval: &Eval, giving: &Made, name: &str) -> Option<Found> {
    let Made { of, call, env, .. } = giving;
    let method = of.rsplit('.').next()?;
    let is_pool = of.starts_with("multiprocessing.Pool().");
    let is_executor = &**of == EXECUTOR_MAP;
    let is_map = is_pool && matches!(method, "map" | "map_async" | "imap" | "imap_unordered");
    if !is_map && !is_executor {
        return None;
    }
    let (function, at) = (argument(call, 0, "func"), argument(call, 1, "iterable"));
    let function = function.or_else(|| argument(call, 0, "fn"))?;
    let (least, most) = takes(eval, &eval.eval(&function.value, env), Some(name))?;
    let items = at?;
    let given = eval.eval(&items.value, env);
    let Some(length) = length(eval, &given) else {
        return is_pool.then(|| kept(eval, giving, (least, most), false))?;
    };
    let module = eval.project.module(env.at.module);
    let whole = module.slice(items.value.at).to_owned();
    let others = call.args.iter().filter(|a| a.label.is_none()).count();
    if let Some(lacking) = apart(eval, &eval.eval(&function.value, env), &given) {
        let text = format!(
            "`{name}` takes the tuple as one argument and lacks `{lacking}`, which is to be bound:"
        );
        let bound = module.slice(function.value.at);
        let code = format!("functools.partial({bound}, {lacking}=...)");
        let plan = Plan::new(env.at.module, text, code, Vec::new());
        return Some(found(
            giving,
            function,
            (bound.to_owned(), "which lacks an argument"),
            Ok(plan),
        ));
    }
    let plan = if !(least..=most).contains(&length) {
        Err(format!("its items are not tuples of {least}"))
    } else if is_executor {
        (others == 2)
            .then(|| {
                let edit = Edit::replace(items.value.at, format!("*zip(*{whole})"));
                shown(
                    &module,
                    giving,
                    "An executor's `map` takes one list for each parameter; `zip(*...)` makes these of the tuples:",
                    vec![edit],
                )
            })
            .ok_or_else(|| "it is given several lists".to_owned())
    } else if let Some(edit) = renamed(&module, call, method) {
        Ok(shown(
            &module,
            giving,
            &format!(
                "`{method}` gives the function each item as it is; `star{method}` spreads it:"
            ),
            vec![edit],
        ))
    } else {
        Err(format!("`{method}` has no form that spreads a tuple"))
    };
    Some(found(
        giving,
        items,
        (whole, "whose items are tuples"),
        plan,
    ))
}

/// Returns the parameter that is lacking where the function takes the one before apart, and the tuples are of data.
fn apart(eval: &Eval, function: &Value, items: &Value) -> Option<Name> {
    let id = function.function()?.id;
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let skipped = usize::from(matches!(function, Value::Method(..)));
    let [tuple, lacking, ..] = def.params.get(skipped..)? else {
        return None;
    };
    let text = module.code(def.at);
    let is_apart = places_of(text, &tuple.name).any(|at| {
        let (before, after) = (&text[..at], &text[at + tuple.name.len()..]);
        let line = before.rsplit('\n').next().unwrap_or_default();
        after.starts_with('[')
            || line.contains(',') && line.ends_with("= ") && after.starts_with('\n')
    });
    let is_data = |item: &Value| {
        matches!(item, Value::Items(parts)
            if parts.first().is_some_and(|(_, first)| matches!(eval.force(first), Value::Plain)))
    };
    let all = eval.element_of(items).alternatives();
    (is_apart && all.iter().all(is_data)).then(|| Rc::clone(&lacking.name))
}

/// Finds the tuple that the function gets as one argument, where it is submitted once: `submit(add, (1, 2))`,
/// `submit(add, args=(1, 2))`.
fn submitted(eval: &Eval, name: &str) -> Option<Found> {
    let all: Vec<_> = eval.all_made().collect();
    let takes_them = |g: &Made| {
        let function = g.call.args.first()?;
        takes(eval, &eval.eval(&function.value, &g.env), Some(name))
    };
    let all = all
        .iter()
        .filter(|g| &*g.of == "concurrent.futures.ProcessPoolExecutor().submit")
        .filter_map(|giving| Some((giving, takes_them(giving)?)));
    let (giving, (least, most)) = only(all)?;
    let [function, args] = giving.call.args.as_slice() else {
        return None;
    };
    let has_own = |(id, module): (DefId, Rc<Module>)| {
        let def = &module.defs[id.def];
        *def.name == *name && def.has_param("args")
    };
    let is_args = args.label.as_ref().is_none_or(|label| &**label == "args");
    let ExprKind::Items(items) = &args.value.kind else {
        return None;
    };
    let is_amiss = least > 1 && (least..=most).contains(&items.len());
    if !is_args || args.stars > 0 || !is_amiss || eval.project.defs().any(has_own) {
        return None;
    }
    let module = eval.project.module(giving.env.at.module);
    let (inner, is_wrapped) = unwrapped(&module, args);
    // `args=(1, 2)`: the label, too.
    let before = &module.text[function.value.at.end as usize..args.value.at.start as usize];
    let start = function.value.at.end as usize
        + before
            .find(|c: char| c != ',' && !c.is_whitespace())
            .unwrap_or(before.len());
    let edit = Edit::replace(
        start..args.value.at.end as usize,
        inner.trim_end_matches(',').to_owned(),
    );
    let is_plain = is_wrapped && !inner.contains('#');
    let plan = is_plain
        .then(|| {
            let text = "Give `submit` the arguments one by one, without the tuple:";
            shown(&module, giving, text, vec![edit])
        })
        .ok_or_else(|| "it is no tuple in parentheses".to_owned());
    let whole = module.slice(args.value.at).to_owned();
    Some(found(giving, args, (whole, "which is one argument"), plan))
}

/// Returns the edit that spreads the items: `map` becomes `starmap`.
pub(super) fn renamed(module: &Module, call: &Call, method: &str) -> Option<Edit> {
    let end = call.func.at.end as usize;
    let start = end.checked_sub(method.len())?;
    let is_written = module.text.get(start..end) == Some(method);
    (is_written && method.starts_with("map")).then(|| Edit::insert(start, "star"))
}

/// Finds items that are no tuples and were to be spread; texts, if they were.
fn starred(eval: &Eval, giving: &Made, of_text: bool) -> Option<Found> {
    let Made { of, call, env, .. } = giving;
    let method = of.strip_prefix("multiprocessing.Pool().star")?;
    let (function, items) = (argument(call, 0, "func")?, argument(call, 1, "iterable")?);
    let is_text = |v: &Value| match v {
        Value::Plain => true,
        Value::Made(made) => lists(TEXTS, &made.of),
        _ => false,
    };
    let item = eval.element_of(&eval.eval(&items.value, env));
    if of_text && !item.alternatives().iter().all(is_text) {
        return None;
    }
    let one = takes(eval, &eval.eval(&function.value, env), None)?;
    if one != (1, 1) {
        return None;
    }
    let module = eval.project.module(env.at.module);
    let whole = module.slice(items.value.at).to_owned();
    let end = call.func.at.end as usize;
    let start = end.checked_sub(method.len() + "star".len())?;
    let is_written = module.text.get(start..end)?.strip_prefix("star") == Some(method);
    let plan = is_written
        .then(|| {
            let edit = Edit::replace(start..start + "star".len(), "");
            let text = format!(
                "`star{method}` spreads each item, and these are no tuples; `{method}` gives it as it is:"
            );
            shown(&module, giving, &text, vec![edit])
        })
        .ok_or_else(|| "its method is called by another name".to_owned());
    Some(found(
        giving,
        items,
        (whole, "whose items are no tuples"),
        plan,
    ))
}

/// Finds one argument where a tuple of arguments is wanted, which lacks its comma.
fn alone(eval: &Eval, giving: &Made, told: Option<(&str, usize)>) -> Option<Found> {
    let (function, args) = called_with(giving)?;
    let (function, args) = (function?, args?);
    let env = &giving.env;
    let name = told.map(|(name, _)| name);
    let one = 1 + usize::from(&*giving.of == SPAWN);
    let function = eval.eval(&function.value, env);
    let module = eval.project.module(env.at.module);
    let at = args.value.at;
    let (value, is_wrapped) = unwrapped(&module, args);
    // Parentheses around what is no list are meant for a tuple, whatever is called.
    let is_unknown = function.function().is_none() && args.value.call().is_none();
    let is_open = told.is_none() && is_wrapped && is_unknown;
    if !is_open && takes(eval, &function, name)? != (one, one) {
        return None;
    }
    let is_tuple = || {
        let values = eval.eval(&args.value, env).alternatives();
        // In parentheses a name is not a tuple to its author, unless it was made as one.
        let may_be = |v: &Value| match v {
            Value::Plain => false,
            Value::Made(made) if lists(TEXTS, &made.of) => !is_wrapped,
            Value::Unknown | Value::Outside(..) => !is_wrapped,
            Value::Items(items) => !is_wrapped || !is_list_of(eval, items),
            _ => true,
        };
        values.iter().any(may_be)
    };
    let is_one = match (&args.value.kind, told) {
        (ExprKind::Text(text), Some((_, count))) => text.chars().count() == count,
        (ExprKind::Items(items), Some(_)) => {
            is_wrapped && items.first().is_some_and(|e| is_list(&module, e.at))
        }
        (ExprKind::Items(_) | ExprKind::Starred(_) | ExprKind::Either(..), _) => false,
        (_, told) => told.is_none() || !is_tuple(),
    };
    if !is_one || args.stars > 0 {
        return None;
    }
    let edit = if is_wrapped {
        let inner = module.slice(at);
        let inner = inner[..inner.len() - 1].trim_end();
        Edit::insert(at.start as usize + inner.len(), ",")
    } else {
        Edit::replace(at, format!("({value},)"))
    };
    let label = args.label.as_ref();
    let label = label.map_or_else(String::new, |label| format!("{label}="));
    let why = match args.value.kind {
        ExprKind::Text(_) => "without it each letter becomes an argument",
        _ if is_wrapped => "without it the parentheses change nothing",
        _ => "this is no tuple",
    };
    let text = format!("A tuple of one argument has a comma; {why}:");
    let code = format!("{label}({value},)");
    let plan = Plan::new(env.at.module, text, code, vec![edit]);
    let path = format!("{label}{}", module.slice(at));
    let is_noted = module.slice(at).contains('\n') && module.slice(at).contains('#');
    let plan = (!is_noted)
        .then_some(plan)
        .ok_or("there is a comment in it");
    let plan = plan.map_err(str::to_owned);
    Some(found(giving, args, (path, "which is no tuple"), plan))
}

/// Returns whether items stand in brackets or braces, not in parentheses: `[1, 2]`.
fn is_list_of(eval: &Eval, items: &[(Step, Later)]) -> bool {
    matches!(items.first(), Some((_, Later::Expr(first, env)))
        if is_list(&eval.project.module(env.at.module), first.at))
}

/// Returns whether an item is the first one in brackets or braces.
fn is_list(module: &Module, first: Place) -> bool {
    let before = module.text[..first.start as usize].trim_end();
    before.ends_with(['[', '{'])
}

/// Returns a value without the parentheses around it, and whether it has them.
fn unwrapped<'m>(module: &'m Module, arg: &Arg) -> (&'m str, bool) {
    let text = module.slice(arg.value.at);
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    match inner.filter(|inner| is_balanced(inner)) {
        Some(inner) => (inner.trim(), true),
        None => (text, false),
    }
}

/// Returns whether no parenthesis closes one outside of a text: not so in `a)(b`.
fn is_balanced(text: &str) -> bool {
    let (mut depth, mut quote) = (0_usize, None);
    text.chars().all(|c| {
        match (quote, c) {
            (Some(open), _) => quote = quote.filter(|_| c != open),
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return false,
            (None, ')') => depth -= 1,
            _ => {}
        }
        true
    })
}

/// Returns how many positional arguments a function of the program takes, at least and at most.
pub(super) fn takes(eval: &Eval, value: &Value, name: Option<&str>) -> Option<(usize, usize)> {
    let function = value.function()?;
    let module = eval.project.module(function.id.module);
    let def = &module.defs[function.id.def];
    let is_static = |d: &[Rc<Expr>]| matches!(d, [one] if one.is_name("staticmethod"));
    let own: usize = match value {
        _ if is_static(&def.decorators) => 0,
        _ if !def.decorators.is_empty() => return None,
        Value::Method(of, _) if matches!(**of, Value::Instance(_)) => 1,
        // An item would become `self`.
        _ if module.is_method(def) => return None,
        _ => 0,
    };
    if name.is_some_and(|name| *name != *def.name) {
        return None;
    }
    let is_given = |kind: ParamKind| def.params.iter().filter(move |p| p.kind == kind);
    if is_given(ParamKind::KeywordOnly).any(|p| p.default.is_none()) {
        return None;
    }
    let all = is_given(ParamKind::Plain).count().checked_sub(own)?;
    let needed = is_given(ParamKind::Plain).filter(|p| p.default.is_none());
    let needed = needed.count().checked_sub(own)?;
    let has_rest = is_given(ParamKind::Rest).next().is_some();
    Some((needed, if has_rest { usize::MAX } else { all }))
}

/// Returns the length of the tuples that a list is made of, if they all have one.
fn length(eval: &Eval, items: &Value) -> Option<usize> {
    if let Value::Made(made) = items {
        let args = &made.call.args;
        let is_plain = args.iter().all(|a| a.stars == 0 && a.label.is_none());
        return match &*made.of {
            "zip" | "itertools.product" if is_plain => Some(args.len()),
            "enumerate" | "dict.items" => Some(2),
            "list" | "tuple" if args.len() == 1 => {
                length(eval, &eval.eval(&args[0].value, &made.env))
            }
            _ => None,
        };
    }
    let lengths = eval
        .element_of(items)
        .alternatives()
        .into_iter()
        .map(|item| {
            let Value::Items(parts) = item else {
                return None;
            };
            let is_at = |(n, step): (usize, &Step)| *step == Step::Index(n);
            let mut steps = parts.iter().map(|(step, _)| step).enumerate();
            steps.all(is_at).then_some(parts.len())
        });
    let lengths: Option<Vec<usize>> = lengths.collect();
    let lengths = lengths?;
    let first = lengths.first().copied()?;
    (lengths.iter().all(|n| *n == first)).then_some(first)
}

/// Returns a plan that shows the call as it becomes.
pub(super) fn shown(module: &Module, giving: &Made, text: &str, edits: Vec<Edit>) -> Plan {
    let at = giving.call.at;
    let code = edited(module, at, &edits);
    let head = code.split('(').next().unwrap_or_default();
    let is_short = !code.contains('\n') && code.len() <= MAX_SHOWN;
    let code = if is_short {
        code.clone()
    } else {
        format!("{head}(...)")
    };
    Plan::new(giving.env.at.module, text.to_owned(), code, edits)
}

/// Returns what was found of an argument: as it is written, and what is wrong with it.
pub(super) fn found(giving: &Made, arg: &Arg, (path, of): (String, &str), plan: Planned) -> Found {
    Found::certain(
        path.lines().next().unwrap_or_default().to_owned(),
        of,
        (giving.env.at.module, arg.value.at),
        plan,
    )
}
