//! What a `Process` is given as arguments: globals that its function would miss.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::eval::{Eval, binds};
use super::super::only::only;
use super::super::project::ModuleId;
use super::super::sent::argument;
use super::super::syntax::{
    Arg, Binding, Call, Def, Expr, ExprKind, Kind, Module, Name, Param, ParamKind, Place, Source,
};
use super::super::text::{closing, edited, quoted, unit};
use super::super::value::Made;
use super::call::added;
use super::initializer::{can_be_given, is_set_before};
use super::{Plan, Planned};

/// Gives globals of the script, each with the place that sets it, to its processes as arguments: where the function
/// that they run is the only one that uses them.
pub(super) fn passed(eval: &Eval, id: ModuleId, names: &[(Name, Place)]) -> Planned {
    let module = eval.project.module(id);
    let (first, rest) = names.split_first().ok_or("nothing is missing")?;
    let starts = |made: &Rc<Made>| made.env.at.module == id && made.is_process();
    let all = eval.all_made().filter(starts);
    let mut calls: Vec<Rc<Call>> = all.map(|made| Rc::clone(&made.call)).collect();
    let user = only_user(&module, &first.0, &calls);
    let elsewhere = || "it is used in other functions than the process's own".to_owned();
    let (number, def) = user.ok_or_else(elsewhere)?;
    let is_target =
        |c: &Rc<Call>| argument(c, 1, "target").is_some_and(|a| a.value.is_name(&def.name));
    calls.retain(is_target);
    if calls.is_empty() {
        return Err(elsewhere());
    }
    // A text or comment may have its name, too: `print(f"worker {n}")`.
    let is_it = |e: &&Rc<Expr>| e.last_name() == Some(&def.name);
    let is_import = |b: &Binding| matches!(&b.source, Source::From(_, name) if *name == def.name);
    let modules = eval.project.modules();
    let uses = modules.iter().map(|m| m.exprs().filter(is_it).count());
    if uses.sum::<usize>() != calls.len() || modules.iter().any(|m| m.bindings().any(is_import)) {
        return Err(format!("`{}` is used for more than processes", def.name));
    }
    // A script that ends takes its locks along, before a new process has opened them.
    if !waits(&module, def) {
        return Err("the script does not wait for the process".to_owned());
    }
    let is_given = |(name, set): &&(Name, Place)| {
        only_user(&module, name, &calls).is_some_and(|(n, _)| n == number)
            && calls
                .iter()
                .all(|c| is_set_before(&module, c.at, name, *set))
    };
    let names: Vec<(Name, Place)> = std::iter::once(first)
        .chain(rest.iter().filter(is_given))
        .cloned()
        .collect();
    let listed: Vec<String> = names.iter().map(|(name, _)| name.to_string()).collect();
    let text = format!("Give {} to the process as arguments:", quoted(&listed));
    let listed = listed.join(", ");
    let mut edits = vec![with_params(&module, def, &listed)?];
    for call in &calls {
        can_be_given(eval, id, call.at, &names)?;
        edits.push(with_args(&module, call, def.params.len(), &listed)?);
    }
    let head = edited(&module, def.head, &edits[..1]);
    let head = head.lines().next().unwrap_or_default();
    let call = edited(&module, calls[0].at, &edits[1..2]);
    let code = format!("{head}\n{}...\n\n{call}", unit(&module, def));
    Ok(Plan::new(id, text, code, edits))
}

/// Returns whether a script waits for processes that run a function: `p.join(5)`, not `", ".join(words)`.
fn waits(module: &Module, task: &Def) -> bool {
    let is_time = |a: &Arg| a.label.is_some() || matches!(a.value.kind, ExprKind::Constant);
    module.calls().any(|call| {
        let method = call.method().map(|(_, name)| &**name);
        matches!(method, Some("join" | "get" | "recv"))
            && !task.at.holds(call.at)
            && call.args.iter().all(is_time)
    })
}

/// Returns the one function that uses a global, but for those that set it or make a process.
fn only_user<'m>(module: &'m Module, name: &Name, calls: &[Rc<Call>]) -> Option<(usize, &'m Def)> {
    let makes = |def: &Def| calls.iter().any(|c| def.at.holds(c.at));
    let users = module.defs().filter(|(_, def)| {
        let is_outer = def.kind == Kind::Function && module.defs[def.parent].kind != Kind::Function;
        let sets = binds(def, name) || def.declares(name);
        is_outer && !sets && !makes(def) && places_of(module.code(def.at), name).next().is_some()
    });
    only(users)
}

/// Returns the edit that gives a function more parameters, behind its own.
fn with_params(module: &Module, def: &Def, listed: &str) -> Result<Edit, String> {
    let is_plain = |p: &Param| p.kind == ParamKind::Plain && p.default.is_none();
    let is_at_top = module.defs[def.parent].kind == Kind::Module;
    if !is_at_top || !def.decorators.is_empty() || !def.params.iter().all(is_plain) {
        return Err(format!(
            "`{}` cannot be given more parameters as it is",
            def.name
        ));
    }
    let text = module.slice(def.head);
    let open = text.find('(').ok_or("its head is of another form")? + 1;
    let close = open + closing(&text[open..]).ok_or("its head is of another form")?;
    let start = def.head.start as usize;
    behind(&text[open..close], start + open, listed).map(|(edit, _)| edit)
}

/// Returns the edit that puts names behind what is listed at a place, and whether there is something.
fn behind(inner: &str, start: usize, listed: &str) -> Result<(Edit, bool), String> {
    if inner.contains('#') {
        return Err("there is a comment among what it is given".to_owned());
    }
    let kept = inner.trim_end().trim_end_matches(',');
    let has_more = !kept.trim().is_empty();
    let comma = if has_more { ", " } else { "" };
    let rest = &inner[kept.len()..];
    let end = if rest.contains('\n') {
        kept.len()
    } else {
        inner.len()
    };
    let place = start + kept.len()..start + end;
    Ok((Edit::replace(place, format!("{comma}{listed}")), has_more))
}

/// Returns the edit that adds names to the arguments of a process, which are so many.
fn with_args(module: &Module, call: &Call, count: usize, listed: &str) -> Result<Edit, String> {
    let is_one = !listed.contains(',');
    let Some(args) = argument(call, 3, "args") else {
        let has_more = count > 0 || call.args.iter().any(|a| a.stars > 0);
        let one = if is_one { "," } else { "" };
        return if has_more {
            Err("its arguments are given in another way".to_owned())
        } else {
            Ok(added(call, &format!("args=({listed}{one})")))
        };
    };
    let text = module.slice(args.value.at);
    let is_listed = matches!(&args.value.kind, ExprKind::Items(items) if items.len() == count
        && items.iter().all(|i| !matches!(i.kind, ExprKind::Starred(_))));
    let inner = ['(', '['].iter().find_map(|open| text.strip_prefix(*open));
    let inner = inner.map(|inner| &inner[..inner.len() - 1]);
    let inner = inner.filter(|_| is_listed && call.labelled("kwargs").is_none());
    let inner = inner.ok_or("its arguments are given in another way")?;
    let (mut edit, has_more) = behind(inner, args.value.at.start as usize + 1, listed)?;
    if !has_more && is_one && text.starts_with('(') {
        edit.text.push(',');
    }
    Ok(edit)
}
