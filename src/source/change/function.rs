//! A name at the top of the module for a function, class or lambda made elsewhere.

use std::rc::Rc;

use crate::object::{Change, Edit};

use super::super::eval::{Eval, bindings_of};
use super::super::syntax::{Expr, ExprKind, Kind, Module, Place, Source, Target};
use super::super::text::{
    at_top, end_of_text, free_name, has_lambda, in_string, indent_at, join, line_start, names_in,
    newline, statement_suite, unit,
};
use super::super::value::DefId;
use super::super::walk::Suspect;
use super::captured::{bound, called, captured};
use super::wrapper::{is_wrapper, wraps};
use super::{Plan, Planned};

/// Makes a function at the top of the module of a lambda.
pub(super) fn lambda(eval: &Eval, suspect: &Suspect, id: DefId) -> Planned {
    lambda_beside(eval, suspect, id, &[])
}

/// The same, under another name than these.
fn lambda_beside(eval: &Eval, suspect: &Suspect, id: DefId, taken: &[String]) -> Planned {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let body = def.returns.first().ok_or("it has no body")?;
    if module.has_errors {
        return Err("the file does not parse".to_owned());
    }
    if has_lambda(body) {
        return Err("another lambda is in it".to_owned());
    }
    let newline = newline(&module);
    let body_text = module.slice(body.at);
    let body_text = if body_text.contains('\n') {
        format!("({body_text})")
    } else {
        body_text.to_owned()
    };
    let head = Place {
        start: def.at.start,
        end: body.at.start,
    };
    let params = lambda_params(module.slice(head));
    // `double = lambda x: 2 * x` at the top, or in a class.
    let parent = &module.defs[def.parent];
    if matches!(parent.kind, Kind::Module | Kind::Class) {
        let named = parent
            .bindings
            .iter()
            .find_map(|b| match (&b.target, &b.source) {
                (Target::Name(name), Source::Value(value))
                    if value.at == def.at && b.annotation.is_none() =>
                {
                    Some((Rc::clone(name), b.at))
                }
                _ => None,
            });
        if let Some((name, at)) = named {
            let indent = indent_at(&module, at.start);
            let unit = unit(&module, parent);
            let code = format!("def {name}({params}):\n{unit}return {body_text}");
            let lines: Vec<&str> = code.lines().collect();
            let text = lines.join(&format!("{newline}{indent}"));
            return Ok(Plan {
                text:
                    "Write it with `def`, so that it has a name that the other process can look up:"
                        .to_string(),
                code,
                edits: vec![Edit {
                    start: at.start as usize,
                    end: at.end as usize,
                    text,
                }],
                module: id.module,
            });
        }
    }
    if is_in_partial_member(eval, id) {
        return Err("the enum's member would not be found by its value".to_owned());
    }
    let captured = captured(eval, &module, id)?;
    if !captured.is_empty()
        && let Some(plan) = given(&module, id, body)
    {
        return Ok(plan);
    }
    let params = lambda_params(&captured.without_defaults(&module, def, head));
    let wanted = name_for(suspect);
    let wanted = format!("_{}", wanted.trim_start_matches('_'));
    let numbered = (2..).map(|n| format!("{wanted}_{n}"));
    let mut names = std::iter::once(wanted.clone()).chain(numbered);
    let name = names.find(|n| !taken.contains(n)).unwrap_or_default();
    let name = free_name(&module, &name);
    let all: Vec<String> = captured
        .names
        .iter()
        .cloned()
        .chain((!params.is_empty()).then(|| params.clone()))
        .collect();
    let unit = unit(&module, &module.defs[0]);
    let code = format!("def {name}({}):\n{unit}return {body_text}", all.join(", "));
    let (new, import) = bound(&module, &name, &captured);
    let place = with_parentheses(&module, def.at);
    let mut edits = vec![
        at_top(&module, def.at, &code)?,
        Edit {
            start: place.start as usize,
            end: place.end as usize,
            text: new.clone(),
        },
    ];
    edits.extend(import);
    edits.sort_by_key(|e| e.start);
    Ok(Plan {
        text: format!(
            "Make it a function at the top of the module, and write `{new}` in its place:"
        ),
        code,
        edits,
        module: id.module,
    })
}

/// Returns whether a lambda is in a member of an enum, within a call: a partial equals no other, by
/// which the member would be looked up.
fn is_in_partial_member(eval: &Eval, id: DefId) -> bool {
    let module = eval.project.module(id.module);
    let class = DefId {
        def: module.defs[id.def].parent,
        ..id
    };
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

/// Writes the function that a lambda only calls, with its arguments, in the lambda's place.
fn given(module: &Module, id: DefId, body: &Expr) -> Option<Plan> {
    let def = &module.defs[id.def];
    let (new, import) = called(module, def, body)?;
    let code = match &import {
        Some(import) => format!("{}\n\n{new}", import.text.trim_end()),
        None => new.clone(),
    };
    let place = with_parentheses(module, def.at);
    let mut edits = vec![Edit {
        start: place.start as usize,
        end: place.end as usize,
        text: new,
    }];
    edits.extend(import);
    edits.sort_by_key(|e| e.start);
    Some(Plan {
        text: "Write the function with its arguments instead of the lambda:".to_owned(),
        code,
        edits,
        module: id.module,
    })
}

/// Makes functions at the top of the module of all these lambdas.
pub(super) fn lambdas(eval: &Eval, suspects: &[Suspect]) -> Planned {
    let several = || "it is one of several".to_owned();
    let mut places = Vec::new();
    let mut codes: Vec<String> = Vec::new();
    let mut taken: Vec<String> = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    let module = suspects.first().ok_or_else(several)?.module;
    for suspect in suspects {
        let plan = lambda_beside(eval, suspect, suspect.def.ok_or_else(several)?, &taken)?;
        let mut written = plan.edits.iter().filter(|e| e.start < e.end);
        let new = written.next().ok_or_else(several)?.text.clone();
        if plan.module != module || new.contains('\n') {
            return Err(several());
        }
        let head = plan
            .code
            .strip_prefix("def ")
            .and_then(|c| c.split_once('('));
        taken.extend(head.map(|(name, _)| name.to_owned()));
        places.push(format!("`{new}`"));
        codes.push(plan.code);
        for edit in plan.edits {
            // Each of them may need the same import.
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
    }
    edits.sort_by_key(|e| (e.start, e.end));
    Ok(Plan {
        text: format!(
            "Make functions at the top of the module of them, and write {} in their places:",
            join(&places)
        ),
        code: codes.join("\n\n"),
        edits,
        module,
    })
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
    Place {
        start: at.start - 1,
        end: at.end + 1,
    }
}

/// Returns the parameters of a lambda as they are written, from its text up to the body.
fn lambda_params(head: &str) -> String {
    let inner = head.strip_prefix("lambda").unwrap_or(head);
    let inner = inner.trim_end().trim_end_matches('(').trim_end();
    inner.strip_suffix(':').unwrap_or(inner).trim().to_owned()
}

/// Returns a name for a lambda, from what holds it: `_callback` for `job.callback`.
fn name_for(suspect: &Suspect) -> String {
    let path = suspect.path.as_str();
    let (path, suffix) = match path.strip_suffix(".default_factory") {
        Some(path) => (path, "_default"),
        None => (path, ""),
    };
    let is_name = |text: &str| {
        !text.is_empty()
            && text.chars().all(|c| c.is_alphanumeric() || c == '_')
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
    let name = own.or(found).unwrap_or_else(|| "task".to_owned());
    format!("{name}{suffix}")
}

/// Brings a function or class that was made in a function to the top of the module.
#[expect(clippy::too_many_lines, reason = "one text, from top to bottom")]
pub(super) fn local(eval: &Eval, id: DefId) -> Planned {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let parent = &module.defs[def.parent];
    if module.has_errors {
        return Err("the file does not parse".to_owned());
    }
    if parent.kind != Kind::Function {
        return Err("it is not made in a function".to_owned());
    }
    if def.kind == Kind::Function && is_wrapper(eval, &module, def) {
        // As a partial it would take along what goes by its name.
        return wraps(&module, id);
    }
    let decorator = match def.decorators.as_slice() {
        [] => None,
        [one] if def.kind == Kind::Function && is_only_registered(&module, id) => Some(one.at),
        _ => return Err("it has decorators".to_owned()),
    };
    if module.slice(def.at).contains("nonlocal ") {
        return Err("it changes names of the function around it".to_owned());
    }
    let captured = captured(eval, &module, id)?;
    let is_class = def.kind == Kind::Class;
    if is_class && !captured.is_empty() {
        return Err(format!(
            "the class uses `{}` of the function around it",
            captured.names.first().map_or("a default", String::as_str)
        ));
    }
    let is_free = bindings_of(&module.defs[0], &def.name).next().is_none();
    let keeps_name = captured.is_empty() && is_free;
    if decorator.is_some() && !keeps_name {
        return Err("it has a decorator, and uses names of the function around it".to_owned());
    }
    let name = if keeps_name {
        def.name.to_string()
    } else {
        free_name(&module, &format!("_{}", def.name.trim_start_matches('_')))
    };
    let newline = newline(&module);
    let indent = indent_at(&module, def.head.start);
    let text = captured.without_defaults(&module, def, def.head);
    let text = text.as_str();
    let mut lines: Vec<String> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = if n == 0 {
            line
        } else {
            line.strip_prefix(indent.as_str()).unwrap_or(line)
        };
        lines.push(line.to_owned());
    }
    if in_string(text) {
        return Err("a text of several lines is in it".to_owned());
    }
    let old = if is_class {
        format!("class {}", def.name)
    } else {
        format!("def {}(", def.name)
    };
    let first = lines.first_mut().ok_or("it is empty")?;
    let at = first.find(&old).ok_or("its head is of another form")?;
    if !is_class {
        let has_params = !def.params.is_empty();
        let comma = if has_params && !captured.names.is_empty() {
            ", "
        } else {
            ""
        };
        let new = format!("def {name}({}{comma}", captured.names.join(", "));
        first.replace_range(at..at + old.len(), &new);
    } else if !keeps_name {
        first.replace_range(at..at + old.len(), &format!("class {name}"));
    }
    let code = lines.join("\n");
    let (new, import) = bound(&module, &name, &captured);
    // The whole lines of the old definition.
    let start = line_start(&module, def.at.start as usize);
    let end = end_of_text(&module, def.at.end as usize);
    let is_only = parent
        .statements
        .iter()
        .filter(|s| s.suite == statement_suite(parent, def))
        .count()
        == 1;
    let replacement = if let Some(at) = decorator {
        format!("{indent}{}({name}){newline}", module.slice(at))
    } else if keeps_name {
        if is_only {
            format!("{indent}pass{newline}")
        } else {
            String::new()
        }
    } else {
        format!("{indent}{} = {new}{newline}", def.name)
    };
    let mut edits = vec![
        at_top(&module, def.at, &code)?,
        Edit {
            start,
            end,
            text: replacement,
        },
    ];
    edits.extend(import);
    edits.sort_by_key(|e| e.start);
    let kind = if is_class { "class" } else { "function" };
    let text = if let Some(at) = decorator {
        format!(
            "Move the function `{}` out of `{}()`, to the top of the module, and write `{}({name})` in its place:",
            def.name,
            parent.name,
            module.slice(at)
        )
    } else if keeps_name {
        format!(
            "Move the {kind} `{}` out of `{}()`, to the top of the module:",
            def.name, parent.name
        )
    } else {
        format!(
            "Move it to the top of the module, what it used of `{}()` as parameters, and write `{} = {new}` in its place:",
            parent.name, def.name
        )
    };
    Ok(Plan {
        text,
        code,
        edits,
        module: id.module,
    })
}

/// Returns code for a class that uses names of the function around it: they become arguments.
pub(super) fn with_arguments(eval: &Eval, id: DefId) -> Option<Change> {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let parent = &module.defs[def.parent];
    let captured = captured(eval, &module, id).ok()?;
    if def.kind != Kind::Class || captured.names.is_empty() || !captured.defaults.is_empty() {
        return None;
    }
    // `class Tracked(cls):` needs `cls` before any `__init__` runs.
    let mut above = Vec::new();
    for base in &def.bases {
        names_in(&base.value, &mut above);
    }
    if above
        .iter()
        .any(|(n, _)| captured.names.iter().any(|c| **c == **n))
    {
        return None;
    }
    let names = captured.names.join(", ");
    let init = bindings_of(def, "__init__").last();
    let params = match init.map(|b| &b.source) {
        None => names,
        Some(Source::Def(init)) => {
            let init = &module.defs[*init];
            let head = module.slice(init.head).lines().next()?;
            let own = head.strip_prefix("def __init__(")?;
            let own = own.trim_end().strip_suffix("):")?;
            let rest = own
                .strip_prefix("self")
                .filter(|r| r.is_empty() || r.starts_with(", "))?;
            format!("{names}{rest}")
        }
        Some(_) => return None,
    };
    let unit = unit(&module, parent);
    let head = module.slice(def.head).lines().next()?.trim_end();
    let sets = captured.names.iter();
    let mut sets: Vec<String> = sets
        .map(|n| format!("{unit}{unit}self.{n} = {n}"))
        .collect();
    if init.is_some() {
        sets.push(format!("{unit}{unit}# the rest as before"));
    }
    Some(Change {
        text: format!(
            "Move the class `{}` out of `{}()` to the top of the module. What it used there becomes arguments, and `self.{}` in its methods:",
            def.name, parent.name, captured.names[0]
        ),
        code: format!(
            "{head}\n{unit}def __init__(self, {params}):\n{}",
            sets.join("\n")
        ),
        patch: None,
    })
}

/// Returns whether a function made in another one is only handed to its decorator there.
fn is_only_registered(module: &Module, id: DefId) -> bool {
    let def = &module.defs[id.def];
    let parent = &module.defs[def.parent];
    let mut names = Vec::new();
    for scope in module.defs.iter().filter(|d| parent.at.holds(d.at)) {
        for expr in scope
            .statements
            .iter()
            .flat_map(|s| &s.exprs)
            .chain(&scope.returns)
        {
            names_in(expr, &mut names);
        }
    }
    let is_line = !module.slice(def.decorators[0].at).contains('\n');
    is_line && names.iter().all(|(n, _)| *n != def.name)
}
