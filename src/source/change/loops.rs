//! The loops over a program's data loaders.

use std::rc::Rc;

use crate::python_name::is_word;

use super::super::causes::datasets;
use super::super::eval::{Eval, bindings_of};
use super::super::sent::argument;
use super::super::syntax::{Expr, ExprKind, Module, Place, Source, Statement, StatementKind};
use super::super::value::{DefId, Env, Made, Value};

/// Calls around a loader that hand on its batches.
const AROUND: &[&str] = &["enumerate", "tqdm", "track", "trange"];

/// Returns the loader that an expression is.
type Loader<'l> = dyn Fn(&Rc<Expr>, &Env) -> Option<Rc<Made>> + 'l;

/// A loop over a loader.
pub(super) struct Loop {
    pub(super) env: Env,
    pub(super) statement: Statement,
    pub(super) made: Rc<Made>,
}

/// Returns each `DataLoader(…)` of the program.
pub(super) fn loaders(eval: &Eval) -> impl Iterator<Item = Rc<Made>> {
    eval.calls().filter_map(|(call, env)| {
        match eval.call(&eval.eval(&call.func, &env), &call, &env) {
            Value::Made(made) if is_loader(&made) && made.call.at == call.at => Some(made),
            _ => None,
        }
    })
}

fn is_loader(made: &Made) -> bool {
    &*made.of == "torch.utils.data.DataLoader"
}

/// Finds the loops over the loaders that use a function; refuses where one is read in another way.
pub(super) fn loops(eval: &Eval, own: DefId, class: Option<DefId>) -> Result<Vec<Loop>, String> {
    let uses = |made: &Made| match class {
        Some(class) => {
            let mut classes = Vec::new();
            if let Some(arg) = argument(&made.call, 0, "dataset") {
                datasets(eval, &eval.eval(&arg.value, &made.env), &mut classes, 0);
            }
            classes.is_empty() || classes.contains(&class)
        }
        None => argument(&made.call, 6, "collate_fn").is_some_and(|arg| {
            let all = eval.eval(&arg.value, &made.env).alternatives();
            all.iter().any(|v| v.function().is_none_or(|f| f.id == own))
        }),
    };
    let is_batch = |expr: &Expr, env: &Env| {
        let ExprKind::Name(name) = &expr.kind else {
            return false;
        };
        let module = eval.project.module(env.at.module);
        bindings_of(&module.defs[env.at.def], name)
            .any(|b| matches!(b.source, Source::Element(_) | Source::Part(..)))
    };
    let loader = |expr: &Rc<Expr>, env: &Env| {
        if is_batch(expr, env) {
            return None;
        }
        let mut all = eval.eval(expr, env).alternatives().into_iter();
        all.find_map(|v| match v {
            Value::Made(made) if is_loader(&made) && uses(&made) => Some(made),
            _ => None,
        })
    };
    let mut found: Vec<Loop> = Vec::new();
    for (at, module) in eval.project.defs() {
        let env = eval.scope(at);
        for statement in &module.defs[at.def].statements {
            for expr in &statement.exprs {
                let is_for = statement.kind == StatementKind::For;
                let over = if is_for { inner(expr) } else { expr };
                if let (true, Some(made)) = (is_for, loader(over, &env)) {
                    found.push(Loop {
                        env: Rc::clone(&env),
                        statement: statement.clone(),
                        made,
                    });
                } else if reads(eval, expr, &env, &loader, class) {
                    return Err("its samples are also read outside of a `for` loop".to_owned());
                }
            }
        }
    }
    if found.is_empty() {
        return Err("the loop over the loader cannot be found".to_owned());
    }
    Ok(found)
}

/// Returns what a loop runs over, without `enumerate` and progress bars.
pub(super) fn inner(expr: &Rc<Expr>) -> &Rc<Expr> {
    let mut at = expr;
    while let Some(call) = at.call()
        && let Some(first) = call.args.first()
        && call
            .func
            .dotted()
            .is_some_and(|d| AROUND.contains(&d.rsplit('.').next().unwrap_or_default()))
    {
        at = &first.value;
    }
    at
}

/// Returns whether an expression takes samples or batches other than by a `for` statement.
fn reads(eval: &Eval, expr: &Rc<Expr>, env: &Env, loader: &Loader, class: Option<DefId>) -> bool {
    expr.walk().any(|e| match &e.kind {
        ExprKind::Comprehension(c) => c
            .loops
            .iter()
            .any(|(_, of)| loader(inner(of), env).is_some()),
        ExprKind::Call(call) => {
            let name = call.func.dotted().unwrap_or_default();
            matches!(
                name.as_str(),
                "iter" | "next" | "list" | "zip" | "itertools.cycle"
            ) && call.args.iter().any(|a| loader(&a.value, env).is_some())
        }
        ExprKind::Subscript(base, _) => matches!(eval.eval(base, env),
            Value::Instance(i) if Some(i.class) == class),
        _ => false,
    })
}

/// Returns the names that a `for` binds a batch to.
pub(super) fn target(module: &Module, statement: &Statement) -> Result<Vec<String>, String> {
    let strange = || "the loop is of another form".to_owned();
    let over = statement.exprs.first().ok_or_else(strange)?;
    let head = module.slice(Place::new(statement.at.start, over.at.start));
    let text = head.trim().strip_prefix("for ").ok_or_else(strange)?;
    let text = text
        .trim_end()
        .strip_suffix(" in")
        .ok_or_else(strange)?
        .trim();
    let is_counted = over.call().is_some_and(|c| c.func.is_name("enumerate"));
    let text = if is_counted {
        text.split_once(',').ok_or_else(strange)?.1.trim()
    } else {
        text
    };
    let text = text
        .strip_prefix(['(', '['])
        .and_then(|t| t.strip_suffix([')', ']']))
        .unwrap_or(text);
    let names: Vec<String> = text
        .trim_end_matches(',')
        .split(',')
        .map(|n| n.trim().to_owned())
        .collect();
    let is_name = |n: &String| !n.is_empty() && n.chars().all(is_word);
    names
        .iter()
        .all(is_name)
        .then_some(names)
        .ok_or_else(strange)
}
