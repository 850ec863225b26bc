//! What a process's `start()` gives, taken for the process: it gives nothing.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::Eval;
use super::super::objects::PROCESS;
use super::super::project::ModuleId;
use super::super::syntax::{Binding, Def, Expr, ExprKind, Module, Place, StatementKind};
use super::super::text::{after, free_name, indent_at, unit};
use super::super::value::{Env, Value};

/// What is told of it; a rule asks for these words.
const OF: &str = "from start(), which returns nothing";

/// Finds the `start()` of a process whose result the function keeps that a name is of.
pub(super) fn started(eval: &Eval, expr: &Expr, env: &Env) -> Option<Found> {
    let module = eval.project.module(env.at.module);
    let def = &module.defs[env.at.def];
    let is_process = |of| match eval.eval(of, env) {
        Value::Made(made) => &*made.of == PROCESS,
        Value::Instance(of) => eval.line_of(of.class).derives_from(PROCESS),
        _ => false,
    };
    let is_kept = |e: &Rc<Expr>| !def.of_kind(StatementKind::Expr).any(|s| s.at == e.at);
    let mut all = def.exprs().flat_map(Expr::walk);
    let (value, of) = all.find_map(|e| {
        let (of, _) = e.call()?.method().filter(|(_, n)| &***n == "start")?;
        (is_kept(e) && is_process(of)).then_some((e, of))
    })?;
    matches!(expr.kind, ExprKind::Name(_)).then(|| {
        let plan = kept(&module, env.at.module, def, value, of.at);
        let path = module.slice(expr.at).to_owned();
        Found::certain(path, OF, (env.at.module, value.at), plan)
    })
}

/// Keeps the process, and starts it on a line of its own.
fn kept(module: &Module, id: ModuleId, def: &Def, value: &Rc<Expr>, of: Place) -> Planned {
    let mut set = def.of_kind(StatementKind::Assign);
    let set = set.find(|s| s.at.holds(value.at));
    let binding = set.and_then(|s| def.bindings.iter().find(|b| b.at == s.at));
    let (name, all) = (binding.and_then(Binding::named_value)).ok_or("it is kept in a list")?;
    let one = free_name(module, "process");
    let lines = match &all.kind {
        _ if all.at == value.at => vec![format!("{name}.start()")],
        ExprKind::Comprehension(inner) if !inner.is_generator && !inner.is_dict => vec![
            format!("for {one} in {name}:"),
            format!("{}{one}.start()", unit(module, def)),
        ],
        _ => return Err("it is kept in a list".to_owned()),
    };
    let set = binding.map_or(value.at, |b| b.at);
    let head = module
        .slice(set)
        .replacen(module.slice(value.at), module.slice(of), 1);
    let edits = vec![
        Edit::replace(value.at, module.slice(of)),
        after(
            module,
            set.end as usize,
            &indent_at(module, set.start),
            &lines,
        ),
    ];
    let words = "Keep the process itself, and start it on a line of its own:";
    Ok(Plan::new(
        id,
        words,
        format!("{head}\n{}", lines.join("\n")),
        edits,
    ))
}
