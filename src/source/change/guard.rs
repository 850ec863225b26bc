//! A script that starts processes outside of a main guard: what must go below one.

use std::rc::Rc;

use crate::object::Edit;

use super::super::effects::{acts, has_call};
use super::super::eval::{Eval, binds};
use super::super::project::ModuleId;
use super::super::syntax::{
    Expr, ExprKind, Kind, Module, Name, Place, Source, Statement, StatementKind, Target,
};
use super::super::text::{end_of_text, in_string, names_in, newline, unit};
use super::super::value::{DefId, Env, Value};
use super::{Plan, Planned};

/// The statement that starts processes, and the change that puts it under a guard.
pub(in super::super) struct Unguarded {
    pub(in super::super) at: Place,
    pub(in super::super) plan: Planned,
}

/// Finds the statement at the top of a script that a line is in; `None` if it has a guard.
pub(in super::super) fn unguarded(eval: &Eval, id: ModuleId, line: u32) -> Option<Unguarded> {
    let module = eval.project.module(id);
    let tops = tops(&module);
    let holds = |s: &&Statement| {
        let (first, last) = (module.line_of(s.at.start), module.line_of(s.at.end));
        first <= line && line <= last
    };
    let found = tops.iter().position(|s| holds(&s))?;
    let is_guard =
        |s: &Statement| s.kind == StatementKind::If && module.slice(s.head).contains("__name__");
    if tops.iter().any(is_guard)
        || matches!(tops[found].kind, StatementKind::Def | StatementKind::Import)
    {
        return None;
    }
    if let Some(plan) = always_true(&module, id, &tops[found]) {
        return Some(Unguarded {
            at: tops[found].head,
            plan: Ok(plan),
        });
    }
    let env = eval.scope(DefId { module: id, def: 0 });
    let starts = |s: &Statement| s.exprs.iter().any(|e| starts_processes(eval, e, &env));
    let first = tops[..found].iter().position(starts).unwrap_or(found);
    // Left above the guard, it would be done again in each process.
    let acts_outside = |s: &Statement| {
        !matches!(s.kind, StatementKind::Def | StatementKind::Import) && acts(module.slice(s.at))
    };
    let first = tops[..first].iter().position(acts_outside).unwrap_or(first);
    Some(Unguarded {
        at: tops[found].head,
        plan: plan(eval, &module, id, &tops, first),
    })
}

/// Mends `if "__main__":`, which is true in every process.
fn always_true(module: &Module, id: ModuleId, statement: &Statement) -> Option<Plan> {
    let head = module.slice(statement.head);
    let test = head.trim_end().trim_end_matches(':').strip_prefix("if ")?;
    if !matches!(test.trim(), "\"__main__\"" | "'__main__'") || module.has_errors {
        return None;
    }
    let at = statement.head.start as usize + head.find(test)?;
    let new = "__name__ == \"__main__\"";
    Some(Plan {
        text: "The test is always true. Compare the name of the module with it:".to_owned(),
        code: format!("if {new}:"),
        edits: vec![Edit {
            start: at,
            end: at + test.len(),
            text: new.to_owned(),
        }],
        module: id,
    })
}

/// Returns the statements at the top, without those in them.
fn tops(module: &Module) -> Vec<Statement> {
    let mut tops: Vec<Statement> = Vec::new();
    for statement in &module.defs[0].statements {
        if !tops.iter().any(|t| t.at.holds(statement.at)) {
            tops.push(statement.clone());
        }
    }
    tops
}

/// Returns whether an expression makes what starts processes, or sets how they are started.
fn starts_processes(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> bool {
    if let ExprKind::Call(call) = &expr.kind
        && let Value::Outside(name, _) = eval.eval(&call.func, env)
    {
        let rest = name.strip_prefix("multiprocessing.").unwrap_or_default();
        let is_class = rest.starts_with(char::is_uppercase) && !rest.contains("()");
        if is_class
            || rest == "set_start_method"
            || &*name == "concurrent.futures.ProcessPoolExecutor"
        {
            return true;
        }
    }
    expr.parts()
        .into_iter()
        .any(|p| starts_processes(eval, p, env))
}

fn plan(
    eval: &Eval,
    module: &Rc<Module>,
    id: ModuleId,
    tops: &[Statement],
    first: usize,
) -> Planned {
    if module.has_errors {
        return Err("the file does not parse".to_owned());
    }
    let (before, after) = tops.split_at(first);
    let start = before
        .last()
        .map_or(0, |s| end_of_text(module, s.at.end as usize));
    let mut moved_names: Vec<Name> = Vec::new();
    let (mut kept, mut moved) = (String::new(), String::new());
    let mut has_values = false;
    let mut at = start;
    for statement in after {
        let end = end_of_text(module, statement.at.end as usize);
        let text = &module.text[at..end];
        at = end;
        if stays(module, statement, &moved_names) {
            let early = used_early(module, statement.at);
            if early.iter().any(|n| moved_names.contains(n)) {
                return Err("a definition needs what has to go under the guard".to_owned());
            }
            has_values |= statement.kind == StatementKind::Assign;
            kept.push_str(text);
            continue;
        }
        if in_string(text) {
            return Err("a text of several lines would have to be indented".to_owned());
        }
        moved.push_str(text);
        for binding in module.defs[0]
            .bindings
            .iter()
            .filter(|b| statement.at.holds(b.at))
        {
            if let Target::Name(name) = &binding.target {
                moved_names.push(Rc::clone(name));
                let is_made = matches!(
                    &binding.source,
                    Source::Value(_) | Source::Entered(_) | Source::Element(_)
                );
                let env = eval.scope(DefId { module: id, def: 0 });
                let of_processes = match eval.name(name, &env, None) {
                    Value::Made(made) => {
                        made.of.starts_with("multiprocessing.")
                            || made.of.starts_with("concurrent.")
                    }
                    _ => false,
                };
                // A function that runs in the other process would miss it there.
                if is_made && !of_processes && is_used_in_functions(module, name) {
                    return Err(format!(
                        "functions use `{name}`, which would be missing in the other process"
                    ));
                }
            }
        }
    }
    moved.push_str(&module.text[at..]);
    let newline = newline(module);
    let unit = unit(module, &module.defs[0]);
    let mut guarded = String::new();
    let body = moved.trim_start_matches(['\n', '\r']);
    for line in body.split_inclusive('\n') {
        if !line.trim().is_empty() {
            guarded.push_str(&unit);
        }
        guarded.push_str(line);
    }
    let head = format!("if __name__ == \"__main__\":{newline}");
    let gap = gap(module, start, &kept);
    let kept_text = kept.trim_end();
    let kept_end = if kept_text.is_empty() {
        String::new()
    } else {
        format!("{kept_text}{newline}")
    };
    let shown: Vec<&str> = guarded.lines().take(6).collect();
    let dots = if guarded.lines().count() > 6 {
        format!("\n{unit}...")
    } else {
        String::new()
    };
    let stay = if has_values {
        "functions and classes, and the values that they use, stay above it"
    } else {
        "functions and classes stay above it"
    };
    Ok(Plan {
        text: format!(
            "Put line {} and what comes after it under a guard; {stay}:",
            module.line_of(after.first().map_or(0, |s| s.at.start))
        ),
        code: format!("{}{}{dots}", head.replace("\r\n", "\n"), shown.join("\n")),
        edits: vec![Edit {
            start,
            end: module.text.len(),
            text: format!("{kept_end}{gap}{head}{guarded}"),
        }],
        module: id,
    })
}

/// Returns the empty lines above the guard.
fn gap(module: &Module, start: usize, kept: &str) -> String {
    let is_kept = !kept.trim().is_empty();
    if module.text[..start].trim().is_empty() && !is_kept {
        return String::new();
    }
    let blank = if is_kept {
        "\n\n"
    } else {
        &module.text[start..]
    };
    let blanks = blank.len() - blank.trim_start_matches(['\n', '\r']).len();
    newline(module).repeat(blanks.clamp(1, 2))
}

/// Returns whether a statement may stay above the guard.
fn stays(module: &Module, statement: &Statement, moved: &[Name]) -> bool {
    match statement.kind {
        StatementKind::Def | StatementKind::Import => true,
        StatementKind::Assign => {
            let mut names = Vec::new();
            statement.exprs.iter().for_each(|e| names_in(e, &mut names));
            let is_needed = |name: &Name| {
                is_used_in_functions(module, name)
                    || used_early(module, module.defs[0].at).contains(name)
                    || is_used_in_values(module, statement, name)
            };
            let mut bound = module.defs[0].bindings.iter();
            let is_plain = !statement.exprs.iter().any(|e| has_call(e));
            is_plain
                && !names.iter().any(|(n, _)| moved.contains(n))
                && bound.any(|b| {
                    let is_name = |name: &Target| matches!(name, Target::Name(n) if is_needed(n));
                    statement.at.holds(b.at) && is_name(&b.target)
                })
        }
        _ => false,
    }
}

/// Returns the names that the definitions in a place need when they are made.
fn used_early(module: &Module, place: Place) -> Vec<Name> {
    let mut names = Vec::new();
    for def in module
        .defs
        .iter()
        .filter(|d| place.holds(d.at) && d.kind != Kind::Module)
    {
        def.decorators.iter().for_each(|d| names_in(d, &mut names));
        def.bases
            .iter()
            .for_each(|b| names_in(&b.value, &mut names));
        def.params
            .iter()
            .filter_map(|p| p.default.as_ref())
            .for_each(|d| names_in(d, &mut names));
        if def.kind == Kind::Class {
            def.statements
                .iter()
                .flat_map(|s| &s.exprs)
                .for_each(|e| names_in(e, &mut names));
        }
    }
    names.into_iter().map(|(n, _)| n).collect()
}

/// Returns whether another value at the top, which may stay as well, is made of a name.
fn is_used_in_values(module: &Module, own: &Statement, name: &Name) -> bool {
    let mut others = module.defs[0].statements.iter();
    others.any(|s| {
        let mut names = Vec::new();
        s.exprs.iter().for_each(|e| names_in(e, &mut names));
        let is_value = s.kind == StatementKind::Assign && s.at.start > own.at.start;
        is_value && !s.exprs.iter().any(|e| has_call(e)) && names.iter().any(|(n, _)| n == name)
    })
}

fn is_used_in_functions(module: &Module, name: &Name) -> bool {
    let functions = module
        .defs
        .iter()
        .filter(|d| matches!(d.kind, Kind::Function | Kind::Lambda))
        // A name of its own is another one.
        .filter(|d| !binds(d, name) || d.globals.contains(name));
    let mut all =
        functions.flat_map(|d| d.statements.iter().flat_map(|s| &s.exprs).chain(&d.returns));
    all.any(|expr| {
        let mut names = Vec::new();
        names_in(expr, &mut names);
        names.iter().any(|(n, _)| n == name)
    })
}
