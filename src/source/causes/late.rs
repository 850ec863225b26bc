//! A function or class that another process does not find in the script.
//!
//! A forked worker has what was defined before the pool; a spawned one what lies above the guard.

use std::ops::Range;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::{Eval, bindings_of, only_binding};
use super::super::only::only;
use super::super::project::ModuleId;
use super::super::syntax::{
    Def, Expr, Kind, Module, Name, Place, Source, Statement, StatementKind, Target,
};
use super::super::text::{at_top, end_of_text, indent_at, line_start, lines_of, newline, top_of};
use super::super::value::{DefId, Value};
use super::super::verbatim::dedented;
use super::global::left_in;

/// Finds the one definition of a name at the top of a script; `None` if it is not the reason.
pub(in super::super) fn definition(eval: &Eval, id: ModuleId, name: &str) -> Option<Found> {
    let module = eval.project.module(id);
    let top = &module.defs[0];
    let first = name.split('.').next()?;
    let binding = only_binding(top, first)?;
    let Source::Def(number) = binding.source else {
        return None;
    };
    let def = &module.defs[number];
    let kind = if def.kind == Kind::Class {
        "class"
    } else {
        "function"
    };
    let guard = module.main_guards().find(|g| g.at.holds(def.at));
    // A worker that imports the script runs nothing under the guard, wherever the pool is.
    let pool =
        pool_before(eval, id, def).filter(|p| guard.is_none_or(|g| !g.at.holds(p.statement.at)));
    let (of, plan) = match (pool, guard) {
        (Some(pool), _) => (
            format!("a {kind} defined after the pool"),
            pool_below(&module, def, &pool),
        ),
        (None, Some(guard)) => (
            format!("a {kind} under the main guard"),
            above_guard(&module, def, guard),
        ),
        (None, None) => return None,
    };
    Some(Found::certain(first.to_owned(), of, (id, def.head), plan))
}

/// A statement that makes a pool, and the name that it gives it.
struct Pool {
    statement: Statement,
    name: Name,
}

/// Finds the pool that is made before a definition, in the same suite or around it.
fn pool_before(eval: &Eval, id: ModuleId, def: &Def) -> Option<Pool> {
    let module = eval.project.module(id);
    let top = &module.defs[0];
    let env = eval.scope(DefId::top(id));
    let found = top.bindings.iter().filter_map(|binding| {
        let Target::Name(name) = &binding.target else {
            return None;
        };
        let (Source::Value(value) | Source::Entered(value)) = &binding.source else {
            return None;
        };
        if binding.at.start > def.at.start || !starts_workers(&eval.eval(value, &env)) {
            return None;
        }
        let statement = top.statements.iter().find(|s| s.at == binding.at)?;
        Some(Pool {
            statement: statement.clone(),
            name: name.clone(),
        })
    });
    only(found)
}

fn starts_workers(value: &Value) -> bool {
    matches!(value, Value::Made(made) if matches!(
        &*made.of,
        "multiprocessing.Pool" | "concurrent.futures.ProcessPoolExecutor"
    ))
}

/// Moves the making of the pool below the definitions that follow it.
fn pool_below(module: &Module, def: &Def, pool: &Pool) -> Planned {
    let made = &pool.statement;
    if made.kind != StatementKind::Assign || module.has_errors {
        return Err("the pool is not made by an assignment of its own".to_owned());
    }
    let suite = module.defs[0].statements.iter();
    let after: Vec<&Statement> = suite
        .filter(|s| s.suite == made.suite && s.at.start >= made.at.end)
        .collect();
    let stays = |s: &&&Statement| {
        matches!(s.kind, StatementKind::Def | StatementKind::Import)
            || s.kind == StatementKind::Assign && module.slice(s.at).find('(').is_none()
    };
    let passed = after.iter().take_while(stays).count();
    let last = after[..passed].last().map(|s| s.at.end);
    if last.is_none_or(|end| end < def.at.end) {
        return Err("something between the pool and the definition may need the pool".to_owned());
    }
    let uses = |s: &&Statement| {
        let mut names = s.names();
        names.any(|(n, _)| *n == pool.name)
    };
    if after[..passed].iter().any(uses) {
        return Err("something between the pool and the definition needs the pool".to_owned());
    }
    let newline = newline(module);
    let Range { start, end } = lines_of(module, made.at);
    let line = module.text[start..end].trim_end();
    let at_top = indent_at(module, made.at.start).is_empty();
    let gap = if at_top {
        newline.repeat(2)
    } else {
        String::new()
    };
    let (to, text) = match after.get(passed) {
        Some(next) => {
            let to = top_or_line(module, next, at_top);
            (to, format!("{line}{newline}{gap}"))
        }
        None => (
            end_of_text(module, last.unwrap_or_default() as usize),
            format!("{gap}{line}{newline}"),
        ),
    };
    let edits = vec![Edit::replace(start..end, ""), Edit::insert(to, text)];
    let text = format!(
        "Make the pool after all that it runs is defined. Move line {} below `{}`:",
        module.line_of(made.at.start),
        def.name
    );
    Ok(Plan::new(
        module.id,
        text,
        line.trim_start().to_owned(),
        edits,
    ))
}

fn top_or_line(module: &Module, next: &Statement, at_top: bool) -> usize {
    let line = line_start(module, next.at.start as usize);
    if at_top {
        top_of(module, next.at).unwrap_or(line)
    } else {
        line
    }
}

/// Moves the definition above the guard.
pub(super) fn above_guard(module: &Module, def: &Def, guard: &Statement) -> Planned {
    let Range { start, end } = lines_of(module, def.at);
    let text = &module.text[start..end];
    module.is_parsed()?;
    if let Some(name) = needs(module, def, guard.at) {
        return Err(format!("it uses `{name}`, which is made under the guard"));
    }
    let indent = indent_at(module, def.at.start);
    let code = dedented(text.trim_end(), &indent);
    let left = left_in(module, guard, &indent);
    // The blank line behind it goes with it.
    let rest = &module.text[end..];
    let blank = rest.len() - rest.trim_start_matches(['\r', '\n']).len();
    let edits = vec![
        at_top(module, guard.at, &code.join("\n"))?,
        Edit::replace(start..end + blank, left),
    ];
    let text = format!(
        "Move `{}` above the guard, to the top level of the script:",
        def.name
    );
    Ok(Plan::new(module.id, text, code.join("\n"), edits))
}

/// Returns a name that a definition uses and that only the guard's suite binds.
fn needs(module: &Module, def: &Def, guard: Place) -> Option<Name> {
    let names = module.within(def.at).flat_map(|scope| {
        let defaults = scope.params.iter().filter_map(|p| p.default.as_ref());
        let bases = scope.bases.iter().map(|b| &b.value);
        let all = scope.exprs().chain(defaults).chain(bases);
        let all = all.chain(scope.annotations());
        all.chain(&scope.decorators).flat_map(Expr::names)
    });
    let is_under = |name: &Name| {
        let mut bound = bindings_of(&module.defs[0], name).peekable();
        bound.peek().is_some() && bound.all(|b| guard.holds(b.at)) && *name != def.name
    };
    names.map(|(n, _)| n).find(|n| is_under(n)).cloned()
}
