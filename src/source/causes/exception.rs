//! An exception that is rebuilt as `Class(*args)`, which its `__init__` does not take.

use std::rc::Rc;

use super::super::answer::{Found, one_of};
use super::super::asked::Amiss;
use super::super::eval::{Eval, bindings_of};
use super::super::only::only;
use super::super::syntax::{Arg, Call, Def, Expr, Kind, Module, Name, ParamKind, Source};
use super::super::value::DefId;
use super::rebuilt::rebuilt;

/// Finds the exceptions whose `__init__` is given so when they are rebuilt.
pub(in super::super) fn exception(eval: &Eval, class: Option<&str>, amiss: &Amiss) -> Vec<Found> {
    let mut found = Vec::new();
    for (id, module) in eval.project.defs() {
        let def = &module.defs[id.def];
        let is_named = class.is_none_or(|c| c == def.qualname || c == &*def.name);
        if def.kind != Kind::Class || !is_named || !is_exception(eval, id) {
            continue;
        }
        let Some(init) = init_of(&module, id.def) else {
            continue;
        };
        let Some(of) = at_odds(eval, id, init, amiss) else {
            continue;
        };
        found.push(Found::certain(
            def.name.to_string(),
            of,
            (id.module, init.head),
            rebuilt(eval, id, init),
        ));
    }
    one_of(found)
}

/// Returns how the arguments of an exception's `__init__` are not what it keeps; `None` if that is not what is
/// amiss.
fn at_odds(eval: &Eval, class: DefId, init: &Def, amiss: &Amiss) -> Option<String> {
    let (missing, are_named) = match amiss {
        Amiss::Placed(names) => (names, false),
        Amiss::Named(names) => (names, true),
        Amiss::Surplus(most, count) => {
            let is_given = |kind: ParamKind| init.params.iter().filter(move |p| p.kind == kind);
            let is_it = is_given(ParamKind::Plain).count() == *most
                && is_given(ParamKind::Rest).next().is_none()
                && given(eval, class)? + 1 == *count;
            return is_it
                .then(|| "which keeps more arguments than it takes by position".to_owned());
        }
    };
    let wanted = required(init, are_named);
    let count = if are_named {
        Some(0)
    } else if calls_no_init(init) {
        // Python keeps what it is raised with by position.
        wanted.len().checked_sub(missing.len())
    } else {
        given(eval, class)
    };
    let lost = wanted.get(count?..)?;
    let names = lost.iter().map(|n| &***n);
    if lost.is_empty() || !names.eq(missing.iter().map(String::as_str)) {
        return None;
    }
    Some(match wanted.len() - lost.len() {
        _ if are_named => "which wants arguments by name".to_owned(),
        0 => format!("which keeps none of its {} arguments", wanted.len()),
        n => format!("which keeps {n} of its {} arguments", wanted.len()),
    })
}

/// Returns whether a class is an exception that has no way of its own to be pickled.
pub(in super::super) fn is_exception(eval: &Eval, class: DefId) -> bool {
    let line = eval.line_of(class);
    let has_own_way = ["__reduce__", "__reduce_ex__"]
        .iter()
        .any(|name| eval.method(&line, name).is_some());
    let is_error = |name: &Rc<str>| {
        ["Error", "Exception", "Warning", "Exit", "Interrupt"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    !has_own_way && line.outside.iter().any(is_error)
}

pub(super) fn init_of(module: &Module, class: usize) -> Option<&Def> {
    let binding = bindings_of(&module.defs[class], "__init__").last()?;
    match binding.source {
        Source::Def(def) => Some(&module.defs[def]),
        _ => None,
    }
}

/// Returns the parameters without a default, but for `self`: by position, or those by name.
fn required(init: &Def, are_named: bool) -> Vec<&Name> {
    let all = init.params.iter().skip(1);
    let kind = if are_named {
        ParamKind::KeywordOnly
    } else {
        ParamKind::Plain
    };
    all.filter(|p| p.kind == kind && p.default.is_none())
        .map(|p| &p.name)
        .collect()
}

/// Returns how many arguments reach Python's own `__init__`, which become `args`; `None` where that
/// is not called or is given `*args`.
pub(super) fn given(eval: &Eval, class: DefId) -> Option<usize> {
    let mut count = None;
    for class in with_init(eval, class) {
        let module = eval.project.module(class.module);
        let call = super_init(init_of(&module, class.def)?)?;
        let args = args_of(&call);
        count = args
            .iter()
            .all(|a| a.stars == 0 && a.label.is_none())
            .then_some(args.len());
    }
    count
}

/// Returns a class and the bases of it that have an `__init__` of their own.
pub(super) fn with_init(eval: &Eval, class: DefId) -> Vec<DefId> {
    let line = eval.line_of(class);
    let all = line.own.iter().map(|(c, _)| *c);
    let has_init = |c: &DefId| init_of(&eval.project.module(c.module), c.def).is_some();
    all.filter(has_init).collect()
}

/// Returns whether an exception can be rebuilt of what it keeps: it gives its base what it is given.
pub(in super::super) fn is_rebuilt(eval: &Eval, class: DefId) -> bool {
    with_init(eval, class).iter().all(|class| {
        let module = eval.project.module(class.module);
        let Some(init) = init_of(&module, class.def) else {
            return true;
        };
        let Some(call) = super_init(init) else {
            return calls_no_init(init) && required(init, true).is_empty();
        };
        let params: Vec<&Name> = init.params.iter().skip(1).map(|p| &p.name).collect();
        let args = args_of(&call);
        args.len() == params.len()
            && args
                .iter()
                .zip(params)
                .all(|(arg, name)| arg.value.is_name(name))
    })
}

/// Returns whether an `__init__` calls none of a base class.
pub(super) fn calls_no_init(init: &Def) -> bool {
    init_calls(init).next().is_none()
}

fn init_calls(init: &Def) -> impl Iterator<Item = &Rc<Call>> {
    let calls = init.statement_exprs().flat_map(Expr::calls);
    calls.filter(|call| call.func.is_attribute("__init__"))
}

/// Returns the one call of a base class's `__init__`.
pub(super) fn super_init(init: &Def) -> Option<Rc<Call>> {
    only(init_calls(init)).cloned()
}

/// Returns the arguments of such a call, without the `self` of `Base.__init__(self, …)`.
pub(super) fn args_of(call: &Call) -> &[Arg] {
    let skipped = usize::from(!is_super(call));
    call.args.get(skipped..).unwrap_or_default()
}

pub(super) fn is_super(call: &Call) -> bool {
    call.method().is_some_and(|(of, _)| of.call().is_some())
}

/// Returns whether a function is called in an expression: `os.getpid()`.
pub(super) fn has_call(expr: &Rc<Expr>) -> bool {
    let is_text = |(of, name): (&Rc<Expr>, &Name)| &**name == "format" && of.text().is_some();
    let is_format = |c: &Call| c.method().is_some_and(is_text);
    expr.calls().any(|call| !is_format(call))
}
