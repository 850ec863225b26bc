//! `.to(device)` out of the dataset: workers give CPU tensors, and the loop moves the batch.

use std::rc::Rc;

use crate::object::Edit;

use super::super::causes::datasets;
use super::super::eval::{Eval, bindings_of};
use super::super::project::ModuleId;
use super::super::sent::argument;
use super::super::syntax::{
    Def, Expr, ExprKind, Kind, Module, Name, Place, Source, Statement, StatementKind, Target,
};
use super::super::text::{end_of_text, indent_at, line_start, names_in, newline};
use super::super::value::{DefId, Env, Made, Value};
use super::{Plan, Planned, call};

/// Calls around a loader that hand on its batches.
const AROUND: &[&str] = &["enumerate", "tqdm", "track", "trange"];

/// A call that brings a tensor onto the device.
struct Move {
    at: Place,
    /// What does the same to a batch: `.to("cuda")`.
    text: String,
    /// The names that it uses.
    names: Vec<Name>,
    edit: Edit,
    /// Whether it moves what the object keeps.
    is_kept: bool,
}

/// Plans it for the function of a dataset, or the `collate_fn`, that a worker's frames show.
pub(in super::super) fn device(eval: &Eval, frames: &[(ModuleId, u32)]) -> Planned {
    let (id, def) = frames
        .iter()
        .rev()
        .find_map(|(id, line)| {
            let module = eval.project.module(*id);
            let def = module.def_at(*line);
            let is_method = &*module.defs[def].name == "__getitem__";
            let at = DefId { module: *id, def };
            (is_method || is_collate(eval, at)).then_some((*id, def))
        })
        .ok_or("neither `__getitem__` nor the `collate_fn` is in view")?;
    let module = eval.project.module(id);
    let own = DefId { module: id, def };
    let function = &module.defs[def];
    if module.has_errors {
        return Err("the file does not parse".to_owned());
    }
    let moves = moves(&module, function)?;
    let first = moves.first().ok_or("it is moved in another function")?;
    if moves.iter().any(|m| m.text != first.text) {
        return Err("it goes to several devices".to_owned());
    }
    if moves.iter().any(|m| m.is_kept) {
        return Err("what the object keeps is moved there".to_owned());
    }
    let class = function.parent;
    let is_method = module.defs[class].kind == Kind::Class;
    if is_method {
        for (number, other) in module.defs().filter(|(_, d)| d.parent == class) {
            if number != def && !self::moves(&module, other)?.is_empty() {
                return Err(format!("`{}` uses the device too", other.name));
            }
        }
    }
    let [returned] = function.returns.as_slice() else {
        return Err("it returns in several places".to_owned());
    };
    let on_device = carried(function, &moves);
    let parts = parts(returned, &on_device);
    let loops = loops(eval, own, is_method.then_some(DefId { def: class, ..own }))?;
    let mut edits: Vec<Edit> = moves
        .iter()
        .map(|m| taken_out(&module, function, m))
        .collect();
    let mut shown = Vec::new();
    for Loop {
        env,
        statement,
        made,
    } in &loops
    {
        if env.at.module != id {
            return Err("the dataset and the loop are in two files".to_owned());
        }
        if is_method && argument(&made.call, 6, "collate_fn").is_some() {
            return Err("a `collate_fn` makes the batch".to_owned());
        }
        let target = target(&module, statement)?;
        let moved = in_scope(eval, &module, first, env, made, statement)?;
        let lines = batch(&target, &parts, &moved)?;
        let body = module.defs[env.at.def]
            .statements
            .iter()
            .find(|s| statement.at.holds(s.at) && s.at.start > statement.head.end)
            .ok_or("the loop is empty")?;
        let start = line_start(&module, body.at.start as usize);
        if start <= statement.at.start as usize {
            return Err("the loop is on one line".to_owned());
        }
        let indent = indent_at(&module, body.at.start);
        let newline = newline(&module);
        let text: Vec<String> = lines
            .iter()
            .map(|l| format!("{indent}{l}{newline}"))
            .collect();
        edits.push(Edit {
            start,
            end: start,
            text: text.concat(),
        });
        if shown.is_empty() {
            shown.push(module.slice(statement.head).trim().to_owned());
            shown.extend(lines.iter().map(|l| format!("    {l}")));
        }
    }
    edits.sort();
    let name = if is_method {
        format!("{}.{}", module.defs[class].name, function.name)
    } else {
        function.name.to_string()
    };
    let taken = moves.iter().map(|m| format!("`{}`", m.text));
    let mut taken: Vec<String> = taken.collect();
    taken.dedup();
    Ok(Plan {
        text: format!(
            "Let the workers give CPU tensors: take {} out of `{name}`, and move the batch in the loop:",
            taken.join(", ")
        ),
        code: shown.join("\n"),
        edits,
        module: id,
    })
}

fn is_collate(eval: &Eval, at: DefId) -> bool {
    let mut found = false;
    each_loader(eval, &mut |made| {
        if let Some(arg) = argument(&made.call, 6, "collate_fn") {
            let all = eval.eval(&arg.value, &made.env).alternatives();
            let is_it =
                |v: &Value| matches!(v, Value::Function(f) | Value::Method(_, f) if f.id == at);
            found |= all.iter().any(is_it);
        }
    });
    found
}

/// Calls back for each `DataLoader(…)` of the program.
fn each_loader(eval: &Eval, seen: &mut dyn FnMut(&Made)) {
    fn within(eval: &Eval, expr: &Rc<Expr>, env: &Env, seen: &mut dyn FnMut(&Made)) {
        if matches!(expr.kind, ExprKind::Call(_))
            && let Value::Made(made) = eval.eval(expr, env)
            && is_loader(&made)
            && made.call.at == expr.at
        {
            seen(&made);
        }
        for part in expr.parts() {
            within(eval, part, env, seen);
        }
    }
    for id in eval.project.ids() {
        let module = eval.project.module(id);
        for (number, def) in module.defs() {
            let env = eval.scope(DefId {
                module: id,
                def: number,
            });
            for expr in def.statements.iter().flat_map(|s| &s.exprs) {
                within(eval, expr, &env, seen);
            }
        }
    }
}

fn is_loader(made: &Made) -> bool {
    &*made.of == "torch.utils.data.DataLoader"
}

/// Finds what brings tensors onto the device in a function.
fn moves(module: &Module, def: &Def) -> Result<Vec<Move>, String> {
    let mut found = Vec::new();
    for expr in def.statements.iter().flat_map(|s| &s.exprs) {
        moves_in(module, def, expr, &mut found)?;
    }
    Ok(found)
}

fn moves_in(
    module: &Module,
    def: &Def,
    expr: &Rc<Expr>,
    found: &mut Vec<Move>,
) -> Result<(), String> {
    for part in expr.parts() {
        moves_in(module, def, part, found)?;
    }
    let ExprKind::Call(call) = &expr.kind else {
        return Ok(());
    };
    let names = |arg: &Rc<Expr>| {
        let mut names = Vec::new();
        names_in(arg, &mut names);
        names.into_iter().map(|(n, _)| n).collect()
    };
    if let ExprKind::Attribute(base, name) = &call.func.kind {
        let given = argument(call, 0, "device");
        let is_move = match &**name {
            "cuda" => true,
            "to" => given.is_some_and(|a| is_device(module, &a.value)),
            _ => false,
        };
        if is_move {
            let own = def.params.first().filter(|_| def.kind == Kind::Function);
            let mut of_base = Vec::new();
            names_in(base, &mut of_base);
            let is_kept = matches!(&base.kind, ExprKind::Attribute(of, _)
                if own.is_some_and(|o| matches!(&of.kind, ExprKind::Name(n) if *n == o.name)));
            found.push(Move {
                at: expr.at,
                text: module
                    .slice(Place {
                        start: base.at.end,
                        end: expr.at.end,
                    })
                    .to_owned(),
                names: given.map(|a| names(&a.value)).unwrap_or_default(),
                edit: Edit {
                    start: base.at.end as usize,
                    end: expr.at.end as usize,
                    text: String::new(),
                },
                is_kept,
            });
            return Ok(());
        }
    }
    let given = call
        .args
        .iter()
        .find(|a| a.label.as_deref() == Some("device"));
    if let Some(given) = given {
        let edit = call::dropped(module, call, "device").ok_or("its `device` cannot be read")?;
        found.push(Move {
            at: expr.at,
            text: format!(".to({})", module.slice(given.value.at)),
            names: names(&given.value),
            edit,
            is_kept: false,
        });
    }
    Ok(())
}

/// Returns whether an argument of `.to()` is a device, and no type of numbers.
fn is_device(module: &Module, expr: &Expr) -> bool {
    let text = module.slice(expr.at).to_lowercase();
    ["device", "cuda", "gpu", "rank"]
        .iter()
        .any(|word| text.contains(word))
}

/// Returns the edit that takes a move out: with its line, where that does nothing else.
fn taken_out(module: &Module, def: &Def, moved: &Move) -> Edit {
    let own = def.bindings.iter().find(|b| {
        matches!((&b.target, &b.source), (Target::Name(name), Source::Value(value))
            if value.at == moved.at && module.slice(Place { start: moved.at.start, end: offset(moved.edit.start) }) == &**name)
    });
    let suite = def
        .statements
        .iter()
        .filter(|s| own.is_some_and(|b| s.suite == b.suite));
    let Some(own) = own.filter(|_| suite.count() > 1) else {
        return moved.edit.clone();
    };
    Edit {
        start: line_start(module, own.at.start as usize),
        end: end_of_text(module, own.at.end as usize),
        text: String::new(),
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Returns the names that hold what was moved, or what is made of it.
fn carried(def: &Def, moves: &[Move]) -> impl Fn(&Expr) -> bool {
    let places: Vec<Place> = moves.iter().map(|m| m.at).collect();
    let mut names: Vec<Name> = Vec::new();
    for binding in &def.bindings {
        let (Target::Name(name), Source::Value(value)) = (&binding.target, &binding.source) else {
            continue;
        };
        if !names.contains(name) && holds(value, &places, &names) {
            names.push(Rc::clone(name));
        }
    }
    move |expr: &Expr| holds(expr, &places, &names)
}

fn holds(expr: &Expr, places: &[Place], names: &[Name]) -> bool {
    let is_number = matches!(&expr.kind, ExprKind::Call(call) if matches!(&call.func.kind,
        ExprKind::Name(n) if matches!(&**n, "int" | "float" | "str" | "len" | "bool")));
    if is_number {
        return false;
    }
    places.contains(&expr.at)
        || matches!(&expr.kind, ExprKind::Name(n) if names.contains(n))
        || expr.parts().into_iter().any(|p| holds(p, places, names))
}

/// Which parts of a sample are on the device.
enum Parts {
    Whole,
    /// By position, of so many.
    Items(Vec<usize>, usize),
    Keys(Vec<String>),
    None,
}

fn parts(returned: &Expr, on_device: &dyn Fn(&Expr) -> bool) -> Parts {
    match &returned.kind {
        ExprKind::Items(items) => {
            let all = items.iter().enumerate();
            let moved = all.filter(|(_, e)| on_device(e)).map(|(n, _)| n);
            Parts::Items(moved.collect(), items.len())
        }
        ExprKind::Dict(items) => {
            let key = |e: &Expr| match &e.kind {
                ExprKind::Text(text) => Some(text.clone()),
                _ => None,
            };
            let moved = items.iter().filter(|(_, v)| on_device(v));
            let keys = moved.map(|(k, _)| k.as_ref().and_then(|k| key(k)));
            keys.collect::<Option<_>>().map_or(Parts::None, Parts::Keys)
        }
        _ if on_device(returned) => Parts::Whole,
        _ => Parts::None,
    }
}

/// A loop over a loader.
struct Loop {
    env: Env,
    statement: Statement,
    made: Rc<Made>,
}

/// Finds the loops over the loaders that use a function; refuses where one is read in another way.
fn loops(eval: &Eval, own: DefId, class: Option<DefId>) -> Result<Vec<Loop>, String> {
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
            all.iter()
                .any(|v| !matches!(v, Value::Function(f) | Value::Method(_, f) if f.id != own))
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
        eval.eval(expr, env)
            .alternatives()
            .into_iter()
            .find_map(|v| match v {
                Value::Made(made) if is_loader(&made) && uses(&made) => Some(made),
                _ => None,
            })
    };
    let mut found: Vec<Loop> = Vec::new();
    for id in eval.project.ids() {
        let module = eval.project.module(id);
        for (number, def) in module.defs() {
            let env = eval.scope(DefId {
                module: id,
                def: number,
            });
            for statement in &def.statements {
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
    }
    if found.is_empty() {
        return Err("the loop over the loader cannot be found".to_owned());
    }
    Ok(found)
}

/// Returns what a loop runs over, without `enumerate` and progress bars.
fn inner(expr: &Rc<Expr>) -> &Rc<Expr> {
    let mut at = expr;
    while let ExprKind::Call(call) = &at.kind
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
fn reads(
    eval: &Eval,
    expr: &Rc<Expr>,
    env: &Env,
    loader: &dyn Fn(&Rc<Expr>, &Env) -> Option<Rc<Made>>,
    class: Option<DefId>,
) -> bool {
    let is_read = match &expr.kind {
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
    };
    is_read
        || expr
            .parts()
            .into_iter()
            .any(|p| reads(eval, p, env, loader, class))
}

/// Returns the names that a `for` binds a batch to.
fn target(module: &Module, statement: &Statement) -> Result<Vec<String>, String> {
    let strange = || "the loop is of another form".to_owned();
    let over = statement.exprs.first().ok_or_else(strange)?;
    let head = module.slice(Place {
        start: statement.at.start,
        end: over.at.start,
    });
    let text = head.trim().strip_prefix("for ").ok_or_else(strange)?;
    let text = text
        .trim_end()
        .strip_suffix(" in")
        .ok_or_else(strange)?
        .trim();
    let is_counted = matches!(&over.kind, ExprKind::Call(c)
        if c.func.dotted().is_some_and(|d| d == "enumerate"));
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
    let is_name = |n: &String| !n.is_empty() && n.chars().all(|c| c.is_alphanumeric() || c == '_');
    names
        .iter()
        .all(is_name)
        .then_some(names)
        .ok_or_else(strange)
}

/// Returns the call that moves a batch in the words of the loop.
fn in_scope(
    eval: &Eval,
    module: &Module,
    moved: &Move,
    env: &Env,
    made: &Made,
    statement: &Statement,
) -> Result<String, String> {
    let unseen = |name: &str| format!("the loop does not know `{name}`");
    let mut text = moved.text.clone();
    for name in &moved.names {
        if &**name == "self" {
            let over = statement.exprs.first().map(inner);
            let loader = over
                .and_then(|e| e.dotted())
                .ok_or_else(|| unseen("self"))?;
            let dataset =
                argument(&made.call, 0, "dataset").map(|a| eval.eval(&a.value, &made.env));
            if !matches!(dataset, Some(Value::Instance(_))) {
                return Err(unseen("self"));
            }
            text = text.replace("self.", &format!("{loader}.dataset."));
            continue;
        }
        let is_global = bindings_of(&module.defs[0], name).next().is_some();
        let scope = &module.defs[env.at.def];
        let is_shadowed = env.at.def != 0
            && (scope.params.iter().any(|p| p.name == *name)
                || bindings_of(scope, name).next().is_some());
        if !is_global || is_shadowed {
            return Err(unseen(name));
        }
    }
    Ok(text)
}

/// Returns the lines that move a batch.
fn batch(target: &[String], parts: &Parts, moved: &str) -> Result<Vec<String>, String> {
    let strange = || "the loop and the samples have different parts".to_owned();
    match (parts, target) {
        (Parts::None, _) => Err("what it returns is not what it moves".to_owned()),
        (Parts::Whole, [one]) => Ok(vec![format!("{one} = {one}{moved}")]),
        (Parts::Items(all, _), [one]) => Ok(all
            .iter()
            .map(|n| format!("{one}[{n}] = {one}[{n}]{moved}"))
            .collect()),
        (Parts::Items(all, count), names) if names.len() == *count => Ok(all
            .iter()
            .map(|n| format!("{0} = {0}{moved}", names[*n]))
            .collect()),
        (Parts::Keys(keys), [one]) => Ok(keys
            .iter()
            .map(|k| format!("{one}[\"{k}\"] = {one}[\"{k}\"]{moved}"))
            .collect()),
        _ => Err(strange()),
    }
}
