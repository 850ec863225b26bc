//! A global dict or list, or one on a class, that the parent fills: a worker's own is as the import of its module leaves
//! it.

use std::rc::Rc;

use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::asked::{Lack, Use};
use super::super::change::{Planned, handed};
use super::super::effects::says_spawn;
use super::super::eval::{Eval, bindings_of, only_binding};
use super::super::project::{Frames, ModuleId};
use super::super::sent::Stop;
use super::super::syntax::{
    Binding, Expr, ExprKind, Kind, Module, Name, Source, Statement, Target,
};
use super::super::text::{lists, mangled};
use super::super::value::{DefId, Value};
use super::of_module::{begun, is_set_outside};
use super::ran::{has_run, place_of};
use super::unset::{is_local, is_none};

/// The most modules through which a name is imported.
const MAX_IMPORTS: usize = 8;
/// What else misses a key, or an item, without a frame of its own.
const OTHERS: [&str; 6] = [".pop", ".remove(", "del ", ".format", "%(", ".group("];
/// What fails of an empty one, or gives 0 or nothing, and keeps none of it.
const MEASURES: &str = "max min len zip concat concatenate stack vstack hstack mean median stdev";
/// What gives the same items.
const LISTS: [&str; 3] = ["list", "tuple", "sorted"];
/// What shows a dict.
const VIEWS: [&str; 4] = ["keys", "values", "items", "most_common"];

/// What is filled: a global of a module, or what lies on a class.
type Global = (DefId, Name);

/// A place that fills it.
struct Fill {
    at: DefId,
    binding: Binding,
    /// Whether it puts the key that is missing there.
    is_key: bool,
}

/// Finds what fills the dict or list of which a worker's innermost line misses an item, if it cannot have
/// run there.
pub(in super::super) fn filled(
    eval: &Eval,
    frames: &Frames,
    lack: &Lack,
    (via, is_spawned): (Option<Via>, bool),
) -> Option<Found> {
    let (Stop { env, statement }, module) = eval.innermost(frames)?;
    let base = asked(&module, &statement, lack)?;
    let global = named(eval, env.at, base)?;
    let first = made_empty(eval, &global)?;
    let fills = fills(eval, &global, lack);
    if eval.project.is_cut.get() {
        return None;
    }
    let has_key = fills.iter().any(|f| f.is_key);
    let is_known = has_key || first && (is_spawned || are_new(eval, false));
    let mut of_it = fills.iter().filter(|f| f.is_key || !has_key).peekable();
    let fill = *of_it.peek()?;
    if !is_known || of_it.any(|f| has_run(eval, (f.at, f.binding.at), frames)) {
        return None;
    }
    Some(Found::certain(
        module.slice(base.at).to_owned(),
        format!("filled {}", place_of(eval, fill.at)),
        (fill.at.module, fill.binding.at),
        plan(eval, &global, &fills, fill, via),
    ))
}

/// Finds what fills an item that is `None` when its module is imported, and in a new worker: `state["model"]`.
pub(in super::super) fn blank(
    eval: &Eval,
    frames: &Frames,
    used: &Use,
    (via, is_spawned): (Option<Via>, bool),
) -> Option<Found> {
    let (Stop { env, statement }, module) = eval.innermost(frames)?;
    let text = module.slice(statement.head);
    let all = statement.walk();
    let mut keys = all.filter_map(|e| {
        let ExprKind::Subscript(base, key) = &e.kind else {
            return None;
        };
        let ((id, name), key) = (named(eval, env.at, base)?, key.text()?);
        let of = eval.project.module(id.module);
        let value = only_binding(&of.defs[id.def], &name)?.source.given()?;
        let ExprKind::Dict(items) = &value.kind else {
            return None;
        };
        let is_it = |k: &Option<Rc<Expr>>| k.as_ref().and_then(|k| k.text()) == Some(key);
        let mut items = items.iter().filter(|(k, _)| is_it(k));
        let is_none = items.any(|(_, v)| of.slice(v.at) == "None");
        (is_none && used.is_in(text, module.slice(e.at))).then(|| format!("'{key}'"))
    });
    match (keys.next(), keys.next()) {
        // A copy has what the parent's function gave: `None` too, perhaps.
        (Some(key), None) if are_new(eval, is_spawned) => {
            filled(eval, frames, &Lack::Key(key), (via, true))
        }
        _ => None,
    }
}

/// Returns the one dict or list of which a statement takes what is missing.
pub(super) fn asked<'s>(
    module: &Module,
    statement: &'s Statement,
    lack: &Lack,
) -> Option<&'s Rc<Expr>> {
    let text = module.slice(statement.head);
    if OTHERS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let all = || statement.walk();
    let spells = |key: &Expr| key.text().is_some() && lack.may_be(key);
    // Of `found[k]["n"]` it is the one that is written so.
    let is_spelt = all().any(|e| matches!(&e.kind, ExprKind::Subscript(_, key) if spells(key)));
    let mut asked = all().filter_map(|e| match &e.kind {
        ExprKind::Subscript(base, key) if *lack != Lack::Any && lack.may_be(key) => {
            (!is_spelt || spells(key)).then(|| viewed(base))
        }
        // `sum(found) / len(found)`
        ExprKind::Call(call) if *lack == Lack::Any => {
            let name = call.func.last_name()?;
            let of = &call.args.first()?.value;
            measures(name).then(|| viewed(of))
        }
        _ => None,
    });
    let first = asked.next()?;
    let is_same = |other: &Rc<Expr>| module.slice(other.at) == module.slice(first.at);
    asked.all(is_same).then_some(first)
}

/// Returns whether a function is one that fails of an empty list or dict.
pub(super) fn measures(name: &str) -> bool {
    lists(MEASURES, name)
}

/// Returns the dict of `counts.values()`, or of a list of it; anything else as it is.
fn viewed(expr: &Rc<Expr>) -> &Rc<Expr> {
    let Some(call) = expr.call() else {
        return expr;
    };
    match (call.method(), call.args.as_slice()) {
        (Some((of, view)), _) if VIEWS.contains(&&**view) => of,
        (None, [of]) if LISTS.iter().any(|list| call.func.is_name(list)) => viewed(&of.value),
        _ => expr,
    }
}

/// Returns what an expression names: `LIMITS`, `shared.LIMITS`, or `Rates.limits` of a class.
fn named(eval: &Eval, at: DefId, expr: &Expr) -> Option<Global> {
    let module = eval.project.module(at.module);
    match &expr.kind {
        ExprKind::Name(name) if !is_local(&module, at.def, name) => {
            origin(eval, at.module, name, 0)
        }
        ExprKind::Attribute(base, name) => match eval.eval(base, &eval.scope(at)) {
            Value::Module(of) => origin(eval, of, name, 0),
            Value::Class(of, _) => Some((of, Rc::clone(name))),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the module that makes what another imports.
pub(super) fn origin(eval: &Eval, id: ModuleId, name: &Name, depth: usize) -> Option<Global> {
    let module = eval.project.module(id);
    let first = only_binding(&module.defs[0], name)?;
    match &first.source {
        Source::From(from, what) if depth < MAX_IMPORTS => {
            let of = eval.project.import(id, from).filter(|of| *of != id)?;
            origin(eval, of, what, depth + 1)
        }
        Source::Value(_) => Some((DefId::top(id), Rc::clone(name))),
        _ => None,
    }
}

/// Returns whether the one value of a global is an empty container; `None` if it is not one, or is made
/// in another way.
fn made_empty(eval: &Eval, (of, name): &Global) -> Option<bool> {
    let module = eval.project.module(of.module);
    let first = only_binding(&module.defs[of.def], name)?;
    let is_set_again = match of.def {
        0 => module.has_global(name),
        _ => is_set_outside(eval, name),
    };
    let value = first.source.given()?;
    if is_set_again || module.is_guarded(first.at) {
        return None;
    }
    match &value.kind {
        ExprKind::Items(items) => Some(items.is_empty()),
        ExprKind::Dict(items) => Some(items.is_empty()),
        ExprKind::Call(call) => {
            let is_it = matches!(call.func.last_name().map(|n| &**n), Some("dict" | "list"));
            is_it.then_some(call.args.is_empty())
        }
        _ => None,
    }
}

/// Returns the places of the program that fill a global.
fn fills(eval: &Eval, global: &Global, lack: &Lack) -> Vec<Fill> {
    let mut found = Vec::new();
    for (at, module) in eval.project.defs() {
        for binding in &module.defs[at.def].bindings {
            let Target::Content(base, key) = &binding.target else {
                continue;
            };
            if named(eval, at, base).as_ref() == Some(global) && !is_none(&module, binding) {
                found.push(Fill {
                    at,
                    binding: binding.clone(),
                    is_key: lack.is_put(key.as_deref(), &binding.source),
                });
            }
        }
    }
    found
}

/// Returns whether workers are new processes, by default or as the program asks, which asks for no copies.
fn are_new(eval: &Eval, is_spawned: bool) -> bool {
    let says = |word: &str| eval.project.says(word);
    (is_spawned || says_spawn(eval)) && !says("\"fork\"") && !says("'fork'")
}

/// Lets each worker fill it while it starts: by what fills it, or by what is in it.
fn plan(eval: &Eval, global: &Global, fills: &[Fill], fill: &Fill, via: Option<Via>) -> Planned {
    let own = eval.project.module(fill.at.module);
    let is_function = own.defs[fill.at.def].kind == Kind::Function;
    let is_whole = is_function && fills.iter().all(|f| f.at == fill.at);
    if is_whole && let Ok(plan) = begun(eval, fill.at, via) {
        return Ok(plan);
    }
    let of = &global.0;
    let scope = eval.scope(*of);
    let value = eval.name(&global.1, &scope, None);
    let put = fills.iter().filter_map(|f| {
        let value = f.binding.source.given()?;
        Some(eval.eval(value, &eval.scope(f.at)))
    });
    let items = match &value {
        Value::Items(items) => items.iter().map(|(_, item)| eval.force(item)).collect(),
        _ => Vec::new(),
    };
    let held: Vec<Value> = items.into_iter().chain(put).collect();
    let made = eval.project.module(of.module);
    let mut first = bindings_of(&made.defs[of.def], &global.1).filter_map(|b| b.source.given());
    let is_list = first.any(|v| {
        ["[", "list("]
            .iter()
            .any(|l| made.slice(v.at).starts_with(l))
    });
    // `SIZES`, `settings.SIZES`, `Limits.sizes`
    let (Target::Content(base, _), module) = (&fill.binding.target, &own) else {
        return Err("it is filled in another way".to_owned());
    };
    let path = match module.slice(base.at) {
        path if path.starts_with("cls.") => {
            let class = &made.defs[of.def].name;
            format!("{class}.{}", mangled(class, &global.1))
        }
        path => path.to_owned(),
    };
    let line = if is_list {
        format!("{path}[:] = value")
    } else {
        format!("{path}.update(value)")
    };
    handed(
        eval,
        (&path, &[line]),
        &Value::one_of(held),
        (fill.at, fill.binding.at),
        via,
    )
}
