//! A function at the top of the module in the place of a lambda.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::is_word;
use crate::traceback::facts::Via;

use super::super::eval::{Eval, bindings_of, binds};
use super::super::syntax::{Def, Expr, ExprKind, Kind, Module, Name, Place, Source};
use super::super::text::{at_top, free_name, has_lambda, indent_at, join, lists, newline, unit};
use super::super::value::{DefId, Value};
use super::super::walk::Suspect;
use super::captured::{Captured, captured};
use super::helper::{all_edits, as_names, below_helpers, with_helpers};
use super::partial::{bound, called};
use super::{Plan, Planned};

/// Makes a function at the top of the module of a lambda.
pub(super) fn lambda(eval: &Eval, suspect: &Suspect, id: DefId, via: Option<Via>) -> Planned {
    lambda_beside(eval, suspect, (id, via), &[])
}

/// The same, under another name than these.
fn lambda_beside(
    eval: &Eval,
    suspect: &Suspect,
    (id, via): (DefId, Option<Via>),
    taken: &[String],
) -> Planned {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let body = def.returns.first().ok_or("it has no body")?;
    module.is_parsed()?;
    is_its_own(eval, id, body)?;
    let body_text = module.slice(body.at).replace("\r\n", "\n");
    let body_text = if body_text.contains('\n') && !is_enclosed(&body_text) {
        format!("({body_text})")
    } else {
        body_text
    };
    let head = Place::new(def.at.start, body.at.start);
    let params = lambda_params(module.slice(head));
    if let Some(plan) = with_def(&module, id, &params, &body_text) {
        return Ok(plan);
    }
    if is_in_partial_member(eval, id) {
        return Err("the enum's member would not be found by its value".to_owned());
    }
    let captured = captured(eval, &module, id, via)?;
    if !captured.is_empty()
        && !uses_of_module(eval, &module, id, body)
        && let Some(mut plan) = given(&module, id, body)
    {
        let with = with_helpers(&captured.helpers);
        plan.text = plan.text.replace(':', &format!("{with}:"));
        plan.code = below_helpers(&captured.helpers, plan.code);
        plan.edits = all_edits(captured.helpers, plan.edits);
        return Ok(plan);
    }
    let body_text = as_names(&body_text, &captured.attributes);
    let params = lambda_params(&captured.without_defaults(&module, def, head));
    let wanted = name_for(suspect, labelled(&module, def));
    let name = new_name(&module, &wanted, &captured, taken);
    at_the_top(&module, id, &name, (params, &body_text), captured)
}

/// Returns a name for a function that neither the module nor what goes to its top has.
fn new_name(module: &Module, wanted: &str, captured: &Captured, taken: &[String]) -> String {
    let wanted = format!("_{}", wanted.trim_start_matches('_'));
    let numbered = (2..).map(|n| format!("{wanted}_{n}"));
    let names = std::iter::once(wanted.clone()).chain(numbered);
    let mut names = names.map(|name| free_name(module, &name));
    let is_taken = |name: &String| {
        let head = format!("def {name}(");
        let mut helpers = captured.helpers.iter();
        taken.contains(name) || helpers.any(|h| h.moved.plan.code.contains(&head))
    };
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// Puts a function of these parameters and this body at the top of the module, and its name in the lambda's
/// place.
fn at_the_top(
    module: &Module,
    id: DefId,
    name: &str,
    (params, body): (String, &str),
    captured: Captured,
) -> Planned {
    let at = module.defs[id.def].at;
    let all: Vec<String> = captured
        .params()
        .into_iter()
        .chain((!params.is_empty()).then_some(params))
        .collect();
    let unit = unit(module, &module.defs[0]);
    let imports = captured.imports.iter().map(|i| format!("{unit}{i}\n"));
    let code = format!(
        "def {name}({}):\n{}{unit}return {body}",
        all.join(", "),
        imports.collect::<String>()
    );
    let (new, import) = bound(module, name, &captured);
    let place = with_parentheses(module, at);
    let mut edits = vec![
        at_top(module, at, &code)?,
        Edit::replace(place, new.clone()),
    ];
    let code = below_helpers(&captured.helpers, code);
    edits.extend(import);
    let with = with_helpers(&captured.helpers);
    let edits = all_edits(captured.helpers, edits);
    let text = format!(
        "Make the lambda a function at the top of the module{with}, and write `{new}` in its place:"
    );
    Ok(Plan::new(id.module, text, code, edits))
}

/// Returns an error if a lambda is part of what makes another function of it.
fn is_its_own(eval: &Eval, id: DefId, body: &Rc<Expr>) -> Result<(), String> {
    if has_lambda(body) {
        return Err("another lambda is in it".to_owned());
    }
    match compiled_by(eval, id).as_deref() {
        None => Ok(()),
        Some("re.Scanner") => {
            Err("a `re.Scanner` cannot be sent, with named functions either".to_owned())
        }
        Some(compiler) => Err(format!("`{compiler}` makes another function of it")),
    }
}

/// Writes a lambda that has a name with `def`: `double = lambda x: 2 * x` at the top, or in a class.
fn with_def(module: &Module, id: DefId, params: &str, body: &str) -> Option<Plan> {
    let def = &module.defs[id.def];
    let parent = &module.defs[def.parent];
    if !matches!(parent.kind, Kind::Module | Kind::Class) {
        return None;
    }
    let mut bindings = parent.bindings.iter();
    let (name, at) = bindings.find_map(|b| {
        let (name, value) = b.named_value()?;
        (value.at == def.at && b.annotation.is_none()).then_some((name, b.at))
    })?;
    // A worker that imports the script does not run what is under the guard; `f = g = lambda: 1` has two names.
    if module.is_guarded(at) || parent.bound_at(at).count() > 1 {
        return None;
    }
    let indent = indent_at(module, at.start);
    let unit = unit(module, parent);
    let code = format!("def {name}({params}):\n{unit}return {body}");
    let lines: Vec<&str> = code.lines().collect();
    let text = lines.join(&format!("{}{indent}", newline(module)));
    let words = "Write it with `def`, so that it has a name that the other process can look up:";
    Some(Plan::new(
        id.module,
        words,
        code,
        vec![Edit::replace(at, text)],
    ))
}

/// Returns whether one pair of parentheses holds all of a text.
fn is_enclosed(text: &str) -> bool {
    let mut depth = 0_i32;
    let closes = text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(at)
    });
    text.starts_with('(') && closes == Some(text.len() - 1)
}

/// Returns what compiles a lambda that it is given: its result is sent, by the name of what it was given, or
/// cannot be.
fn compiled_by(eval: &Eval, id: DefId) -> Option<String> {
    const COMPILERS: &str = "jax. torch.compile torch.jit. torch.func. numba. re.Scanner";
    let module = eval.project.module(id.module);
    let around = &module.defs[module.defs[id.def].parent];
    let env = eval.around(id);
    let at = module.defs[id.def].at;
    let calls = around.calls();
    let mut calls = calls.filter(|c| c.args.iter().any(|a| a.value.at.holds(at)));
    calls.find_map(|call| match eval.eval(&call.func, &env) {
        Value::Outside(name, _) if COMPILERS.split(' ').any(|c| name.starts_with(c)) => {
            Some(name.to_string())
        }
        _ => None,
    })
}

/// Returns whether a lambda is in a member of an enum, within a call: a partial equals no other, by
/// which the member would be looked up.
fn is_in_partial_member(eval: &Eval, id: DefId) -> bool {
    let module = eval.project.module(id.module);
    let class = id.beside(module.defs[id.def].parent);
    let def = &module.defs[class.def];
    if def.kind != Kind::Class {
        return false;
    }
    let is_enum = |name: &str| name.starts_with("enum.");
    let place = module.defs[id.def].at;
    let is_call = |e: &Expr| matches!(e.kind, ExprKind::Call(_)) && e.at.holds(place);
    let mut bound = def.bindings.iter();
    bound.any(|b| matches!(&b.source, Source::Value(value) if is_call(value)))
        && eval.line_of(class).outside.iter().any(|o| is_enum(o))
}

/// Returns whether a lambda's body uses what the module holds and may change: each process has its own, and
/// what is given is a copy.
fn uses_of_module(eval: &Eval, module: &Module, id: DefId, body: &Rc<Expr>) -> bool {
    let env = eval.scope(id);
    let is_of_module = |name: &Name| {
        let mut bound = bindings_of(&module.defs[0], name);
        bound.any(|b| matches!(b.source, Source::Value(_)))
    };
    let is_fixed = |value: &Value| {
        matches!(
            value,
            Value::Plain | Value::Function(_) | Value::Class(..) | Value::Outside(..)
        )
    };
    let around = &module.defs[module.defs[id.def].parent];
    body.names().any(|(name, at)| {
        !binds(around, name) && is_of_module(name) && !is_fixed(&eval.name(name, &env, Some(at)))
    })
}

/// Writes the function that a lambda only calls, with its arguments, in the lambda's place.
fn given(module: &Module, id: DefId, body: &Expr) -> Option<Plan> {
    let def = &module.defs[id.def];
    let (new, import) = called(module, def, body)?;
    let place = with_parentheses(module, def.at);
    let mut edits = vec![Edit::replace(place, new.clone())];
    edits.extend(import);
    let text = "Write the function with its arguments instead of the lambda:";
    Some(Plan::new(id.module, text, new, edits))
}

/// Makes functions at the top of the module of all these lambdas.
pub(super) fn lambdas(eval: &Eval, suspects: &[Suspect], via: Option<Via>) -> Planned {
    let several = || "it is one of several".to_owned();
    let mut places = Vec::new();
    let mut codes: Vec<String> = Vec::new();
    let mut taken: Vec<String> = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    let module = suspects.first().ok_or_else(several)?.module;
    for suspect in suspects {
        let id = suspect.def.ok_or_else(several)?;
        let plan = lambda_beside(eval, suspect, (id, via), &taken)?;
        let mut written = plan.edits.iter().filter(|e| e.start < e.end);
        let new = written.next().ok_or_else(several)?.text.clone();
        let has_more = written.next().is_some();
        if plan.module != module || new.contains('\n') || has_more {
            return Err(several());
        }
        let mut heads = plan.code.lines().filter_map(|l| l.strip_prefix("def "));
        let head = heads.find_map(|head| head.split_once('('));
        taken.extend(head.map(|(name, _)| name.to_owned()));
        places.push(format!("`{new}`"));
        codes.push(plan.code);
        Edit::add(&mut edits, plan.edits);
    }
    let text = format!(
        "Make functions at the top of the module of them, and write {} in their places:",
        join(&places)
    );
    Ok(Plan::new(module, text, codes.join("\n\n"), edits))
}

/// Returns the place of a lambda with the parentheses around it, if they hold nothing else and stand
/// behind an operator: `transform or (lambda x: x)`. A name does without them.
fn with_parentheses(module: &Module, at: Place) -> Place {
    let before = &module.text[..at.start as usize];
    let after = &module.text[at.end as usize..];
    let operator = before.strip_suffix('(').and_then(|b| b.strip_suffix(' '));
    let is_behind = operator.is_some_and(|b| {
        [" or", " and", " else", "=", ",", ":"]
            .iter()
            .any(|end| b.ends_with(end))
    });
    if !is_behind || !after.starts_with(')') {
        return at;
    }
    Place::new(at.start - 1, at.end + 1)
}

/// Returns the parameters of a lambda as they are written, from its text up to the body.
fn lambda_params(head: &str) -> String {
    let inner = head.strip_prefix("lambda").unwrap_or(head);
    let inner = inner.trim_end().trim_end_matches('(').trim_end();
    inner.strip_suffix(':').unwrap_or(inner).trim().to_owned()
}

/// Returns the keyword by which a call is given a lambda, if it tells more than that it is called.
fn labelled(module: &Module, def: &Def) -> Option<String> {
    const CALLED: &str = "target func fn function default default_factory key";
    let mut calls = module.defs[def.parent].calls();
    let arg = calls.find_map(|call| call.args.iter().find(|a| a.value.at == def.at))?;
    let label = arg.label.as_deref().filter(|label| !lists(CALLED, label))?;
    Some(label.to_owned())
}

/// Returns a name for a lambda, from what holds it or the call that is given it: `_callback` for
/// `job.callback`.
fn name_for(suspect: &Suspect, labelled: Option<String>) -> String {
    let path = suspect.path.as_str();
    let (path, suffix) = match path.strip_suffix(".default_factory") {
        Some(path) => (path, "_default"),
        None => (path, ""),
    };
    let is_name = |text: &str| {
        !text.is_empty()
            && text.chars().all(is_word)
            && !text.starts_with(|c: char| c.is_ascii_digit())
    };
    let own = suspect.holder.as_ref().map(|h| h.attribute.to_string());
    // `task["fn"]`, `steps[...]`, `key`
    let key = path.strip_suffix("\"]").and_then(|p| p.rsplit_once("[\""));
    let last = key.map_or_else(
        || {
            let base = path.split('[').next().unwrap_or_default();
            base.rsplit('.').next().unwrap_or_default()
        },
        |(_, key)| key,
    );
    let found = Some(last.to_owned()).filter(|l| own.is_none() && is_name(l));
    let name = own
        .or(labelled)
        .or(found)
        .unwrap_or_else(|| "task".to_owned());
    format!("{name}{suffix}")
}
