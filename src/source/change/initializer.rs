//! What a pool's workers are given while they start: values and arrays that no task can carry.

use crate::object::{Change, Edit};
use crate::python_name::{is_word, places_of};
use crate::traceback::facts::Via;

use super::super::effects::{
    calls_changing, changes, gives_away, is_call_on, is_shared, opens_to_write,
};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::loggers::{holds_logger, is_logger};
use super::super::project::ModuleId;
use super::super::sent::Stop;
use super::super::syntax::{
    Binding, Call, Def, ExprKind, Kind, Module, Name, Place, Statement, StatementKind,
};
use super::super::text::{at_top, free_name, quoted, unit};
use super::super::value::{DefId, Value};
use super::super::walk::Suspect;
use super::captured::stays_here;
use super::contexts::{is_of_other_context, of_other_context};
use super::defaults::is_another;
use super::emptied::starts_empty;
use super::lost::{is_of_threads, is_stepped, same_state, takes_next};
use super::method::maker;
use super::passed::passed;
use super::{Plan, Planned};

/// What a manager has no equal of.
const GIVEN: &[&str] = &["multiprocessing.Value", "multiprocessing.Array"];

/// Returns code that gives them to the workers, in the program's own names; the task's own
/// parameters are left to its author.
pub(in super::super) fn initializer(
    eval: &Eval,
    suspects: &[Suspect],
    stops: &[Stop],
    via: Option<Via>,
) -> Option<Change> {
    let all = suspects
        .iter()
        .filter(|s| s.of.starts_with("multiprocessing."));
    let names: Vec<String> = all.map(|s| s.path.clone()).collect();
    let is_plain = names.iter().all(|n| n.chars().all(is_word));
    let has_value = suspects.iter().any(|s| GIVEN.contains(&&*s.of));
    let is_pool = matches!(via, Some(Via::Pool | Via::Executor));
    if !is_plain || !has_value || !is_pool {
        return None;
    }
    let maker = maker(eval, stops, via).ok()?;
    let module = eval.project.module(maker.env.at.module);
    let open = opened(&module, &maker.call).ok()?;
    let given = names.join(", ");
    let params: Vec<String> = names.iter().map(|n| format!("shared_{n}")).collect();
    let params = params.join(", ");
    let one = if names.len() == 1 { "," } else { "" };
    let (them, kind) = match names.len() {
        1 => ("it", "a global"),
        _ => ("them", "globals"),
    };
    Some(Change::new(
        format!(
            "Give {} to the workers while they start, and take {them} out of the tasks; the function finds {them} as {kind}:",
            quoted(&names)
        ),
        format!(
            "def init_worker({params}):\n    global {given}\n    {given} = {params}\n\n{open}initializer=init_worker, initargs=({given}{one}))"
        ),
    ))
}

/// Returns the call that makes a module's one pool, and its text up to where an initializer can be added.
pub(in super::super) fn open_maker(
    eval: &Eval,
    id: ModuleId,
    via: Option<Via>,
) -> Result<(Place, String), String> {
    let (of, call, open) = open_pool(eval, via)?;
    if of != id {
        return Err("the pool is made in another module".to_owned());
    }
    Ok((call, open))
}

/// Returns the program's one pool: its module, the call that makes it, and the text of that up to where
/// an initializer can be added.
pub(in super::super) fn open_pool(
    eval: &Eval,
    via: Option<Via>,
) -> Result<(ModuleId, Place, String), String> {
    if via == Some(Via::Process) {
        return Err("a `Process` has no initializer, but arguments".to_owned());
    }
    let maker = maker(eval, &[], via)?;
    let id = maker.env.at.module;
    Ok((
        id,
        maker.call.at,
        opened(&eval.project.module(id), &maker.call)?,
    ))
}

/// Returns the text of a call that makes a pool, up to where an initializer can be added.
fn opened(module: &Module, call: &Call) -> Result<String, String> {
    let text = module.slice(call.at);
    // `Pool(2, init)`, `ProcessPoolExecutor(2, context, init)`
    let placed = call.args.iter().filter(|a| a.label.is_none()).count();
    let most = match call.func.last_name() {
        Some(name) if name.ends_with("Pool") => 1,
        _ => 2,
    };
    let has_none = !text.contains("initializer") && placed <= most;
    let is_open = has_none && !text.contains('\n');
    let is_plain = is_open && call.args.iter().all(|a| a.stars == 0);
    let open = text.strip_suffix(')').filter(|_| is_plain);
    let open = open.ok_or("the pool has an initializer, or is made over several lines")?;
    let open = open.trim_end().trim_end_matches(',');
    let comma = if call.args.is_empty() { "" } else { ", " };
    Ok(format!("{open}{comma}"))
}

/// Gives globals of the script, each with the place that sets it, to the workers of its one pool while
/// they start, or to a process as arguments; those behind the first only where they are set by then.
pub(in super::super) fn given(
    eval: &Eval,
    id: ModuleId,
    names: &[(Name, Place)],
    guard: Place,
    via: Option<Via>,
) -> Planned {
    if via == Some(Via::Process) {
        return passed(eval, id, names);
    }
    let module = eval.project.module(id);
    let (call, open) = open_maker(eval, id, via)?;
    let (first, rest) = names.split_first().ok_or("nothing is missing")?;
    can_be_given(eval, id, call, names)?;
    let is_set = |name: &Name, set: Place| is_set_before(&module, call, name, set);
    let rest = rest.iter().filter(|(name, set)| is_set(name, *set));
    let names: Vec<String> = std::iter::once(first)
        .chain(rest)
        .map(|(name, _)| name.to_string())
        .collect();
    at_start(&module, &names, guard, (call, &open))
}

/// Gives what a function has set as a local above the pool that it makes to the workers, as a global of that name.
pub(in super::super) fn given_local(
    eval: &Eval,
    id: ModuleId,
    local: (Name, Place),
    guard: Place,
    (call, open): (Place, &str),
) -> Planned {
    let module = eval.project.module(id);
    let name = local.0.to_string();
    can_be_copied(eval, id, call, &[local])?;
    at_start(&module, &[name], guard, (call, open))
}

/// Plans an initializer that makes globals of what the pool's maker has under these names.
fn at_start(
    module: &Module,
    names: &[String],
    guard: Place,
    (call, open): (Place, &str),
) -> Planned {
    let init = free_name(module, "init_worker");
    let (given, stars) = match names.len() {
        1 => ("value", ""),
        _ => ("values", "*"),
    };
    let given = if names.iter().any(|n| n == given) {
        "given"
    } else {
        given
    };
    let unit = unit(module, &module.defs[0]);
    let listed = names.join(", ");
    let code =
        format!("def {init}({stars}{given}):\n{unit}global {listed}\n{unit}{listed} = {given}");
    let one = if names.len() == 1 { "," } else { "" };
    let new = format!("{open}initializer={init}, initargs=({listed}{one}))");
    let edits = vec![
        at_top(module, guard, &code)?,
        Edit::replace(call, new.clone()),
    ];
    let text = format!("Give {} to the workers while they start:", quoted(names));
    Ok(Plan::new(
        module.id,
        text,
        format!("{code}\n\n{new}"),
        edits,
    ))
}

/// Returns code for a global that cannot be handed to workers, for each to make its own while it starts; `None`
/// where that takes names that it would not know.
pub(in super::super) fn of_its_own(
    eval: &Eval,
    scope: DefId,
    (name, binding): (&str, &Binding),
    via: Option<Via>,
) -> Option<Plan> {
    let module = eval.project.module(scope.module);
    let value = binding.source.given()?;
    let made = eval.eval(value, &eval.scope(scope));
    let is_logger = is_logger(&made);
    let stays = |v: &Value| stays_here(eval, v, Some(Via::Process));
    let is_known = |n: &Name| {
        let mut top = bindings_of(&module.defs[0], n);
        let is_own = scope.def != 0 && binds(&module.defs[scope.def], n);
        !is_own && top.all(|b| !module.is_guarded(b.at))
    };
    let text = module.slice(value.at);
    let is_plain = !text.contains('\n') && value.names().all(|(n, _)| is_known(n));
    // Another one would be empty, or empty the parent's; another lock locks nothing.
    let empties = |v: &Value| match v {
        Value::Made(made) => starts_empty(&made.of, text) || is_of_threads(made),
        other => matches!(other, Value::Generator(_)),
    };
    let all = made.alternatives();
    let is_lost = opens_to_write(text) || all.iter().any(empties);
    if !is_plain || is_lost || !(is_logger || all.iter().any(stays)) {
        return None;
    }
    let (_, _, open) = open_pool(eval, via).ok()?;
    let unit = unit(&module, &module.defs[0]);
    let more = if is_logger {
        format!("\n{unit}# and its level and handlers, as in the parent")
    } else {
        String::new()
    };
    let init = free_name(&module, "init_worker");
    let words =
        format!("`{name}` cannot be handed to workers. Let each make its own while it starts:");
    let code = format!(
        "def {init}():\n{unit}global {name}\n{unit}{name} = {text}{more}\n\n{open}initializer={init})"
    );
    Some(Plan::new(scope.module, words, code, Vec::new()))
}

/// Returns whether a global is set before a call that makes a pool, as far as the function around that tells.
pub(super) fn is_set_before(module: &Module, call: Place, name: &Name, set: Place) -> bool {
    let around = &module.defs[module.def_around(call)];
    let loops = |s: &Statement| s.at == set && s.kind == StatementKind::For && set.holds(call);
    let is_below = around.at.holds(set) && call.start < set.end;
    if is_another(module, call, name) || is_below && !around.statements.iter().any(loops) {
        return false;
    }
    // `pool = make_pool()` above `table = load()`.
    let (mut makers, mut scope) = (Vec::new(), around);
    while scope.kind != Kind::Module && !scope.at.holds(set) {
        makers.push(&scope.name);
        scope = &module.defs[scope.parent];
    }
    let above = module.defs[module.def_around(set)].statements.iter();
    let mut above = above.filter(|s| s.at.end <= set.start && s.kind != StatementKind::Def);
    let calls = |s: &Statement, m: &str| places_of(module.code(s.at), m).next().is_some();
    !above.any(|s| makers.iter().any(|m| calls(s, m)))
}

/// Returns an error if workers that are given globals would not have what the parent has.
pub(super) fn can_be_given(
    eval: &Eval,
    id: ModuleId,
    call: Place,
    names: &[(Name, Place)],
) -> Result<(), String> {
    let module = eval.project.module(id);
    let (first, set) = names.first().ok_or("nothing is missing")?;
    if !is_set_before(&module, call, first, *set) {
        return Err("it is not set where the workers are made".to_owned());
    }
    can_be_copied(eval, id, call, names)
}

/// Returns an error if copies of these in the workers would be other things than what the parent goes on with.
fn can_be_copied(
    eval: &Eval,
    id: ModuleId,
    call: Place,
    names: &[(Name, Place)],
) -> Result<(), String> {
    let module = eval.project.module(id);
    let (first, _) = names.first().ok_or("nothing is missing")?;
    let here = eval.scope(DefId::new(id, module.def_around(call)));
    let mut copied = names
        .iter()
        .filter(|(name, _)| !is_shared(&eval.name(name, &here, None)));
    if let Some((name, _)) = copied.find(|(name, _)| is_changed_in_functions(eval, id, name)) {
        return Err(format!("each worker would change a `{name}` of its own"));
    }
    let value = eval.name(first, &here, None);
    if !is_shared(&value) && is_changed_below(eval, here.at, call, first) {
        return Err(format!("`{first}` is changed after the workers are made"));
    }
    let is_guarded = |v: &Value| match v {
        Value::Function(f) => is_under_guard(eval, f.id),
        Value::Class(of, _) => is_under_guard(eval, *of),
        Value::Instance(of) => is_under_guard(eval, of.class),
        _ => false,
    };
    let all = value.alternatives();
    if all.iter().any(is_stepped) || takes_next(&module.code, first) {
        return Err(same_state("worker", first));
    }
    if (all.iter()).any(|v| stays_here(eval, v, Some(Via::Process)) || is_guarded(v)) {
        return Err(format!("`{first}` cannot be sent to a worker"));
    }
    names.iter().try_for_each(|(name, _)| {
        let value = eval.name(name, &here, None);
        arrives(eval, &module, call, (name, &value))
    })
}

/// Returns an error if a value that is handed to the workers of a pool would not be there what it is here.
fn arrives(
    eval: &Eval,
    module: &Module,
    call: Place,
    (name, value): (&str, &Value),
) -> Result<(), String> {
    let all = value.alternatives();
    if all.iter().any(is_logger) {
        return Err(format!(
            "`{name}` goes to a worker by its name alone, without its level and handlers"
        ));
    }
    if holds_logger(eval, value) {
        return Err(format!(
            "`{name}` holds a logger, which goes to a worker without its level and handlers"
        ));
    }
    if all
        .iter()
        .any(|v| is_of_other_context(eval, module, call, v))
    {
        return Err(of_other_context(name));
    }
    Ok(())
}

/// Returns whether a definition is under the main guard, where a worker that imports the script misses it.
fn is_under_guard(eval: &Eval, of: DefId) -> bool {
    let module = eval.project.module(of.module);
    module.is_guarded(module.defs[of.def].at)
}

/// Returns whether a function changes a global of this name in place.
pub(in super::super) fn is_changed_in_functions(eval: &Eval, id: ModuleId, name: &Name) -> bool {
    let module = eval.project.module(id);
    let functions = module.defs().filter(|(_, d)| d.kind == Kind::Function);
    let mut others = functions.filter(|(_, d)| !binds(d, name));
    others.any(|(number, def)| {
        let env = eval.scope(DefId::new(id, number));
        let mut all = def.statement_exprs().chain(&def.returns);
        changes(module.code(def.at), name)
            || all.any(|e| calls_changing(eval, e, name, &env))
            || def.bindings.iter().any(|b| sets_in(b, name))
    })
}

/// Returns whether something is set in what a name stands for: `model.rate += 2`, `rows[0].n = 3`.
fn sets_in(binding: &Binding, name: &str) -> bool {
    let Some(mut root) = binding.changed() else {
        return false;
    };
    while let ExprKind::Attribute(base, _) | ExprKind::Subscript(base, _) = &root.kind {
        root = base;
    }
    root.is_name(name)
}

/// Returns whether what a name stands for may be changed below a place: `model.fit(rows)`,
/// `train(model, rows)`, `model.rate = 2`.
fn is_changed_below(eval: &Eval, scope: DefId, place: Place, name: &Name) -> bool {
    let module = eval.project.module(scope.module);
    let around = &module.defs[scope.def];
    let env = eval.scope(scope);
    let is_below = |at: Place| at.start > place.end;
    let is_set = (around.bindings.iter()).any(|b| is_below(b.at) && sets_in(b, name));
    let mut all = around.statements.iter().filter(|s| is_below(s.at));
    is_set
        || all.any(|s| {
            let mut exprs = s.exprs.iter();
            is_call_on(s, name) || exprs.any(|e| gives_away(eval, e, name, &env))
        })
}

/// Hands the workers of the one pool while they start what the parent put into something which they have as the import
/// leaves it: `value` (`LIMITS`, `vars(config)`), which may be one of these, with the lines that put it there; `by` the
/// scope that did so in the parent, and where. Without edits where the pool may be made before it is there.
pub(in super::super) fn handed(
    eval: &Eval,
    (value, lines): (&str, &[String]),
    made: &Value,
    (by, at): (DefId, Place),
    via: Option<Via>,
) -> Planned {
    let all = made.alternatives();
    if all.iter().any(|v| stays_here(eval, v, Some(Via::Process))) {
        return Err(format!("`{value}` cannot be sent to a worker"));
    }
    let (id, call, open) = open_pool(eval, via)?;
    let module = eval.project.module(id);
    let number = module.def_around(call);
    let around = &module.defs[number];
    let root = value.trim_start_matches("vars(");
    let root = &Name::from(root.split(['.', ')']).next().unwrap_or_default());
    let here = DefId::new(id, number);
    arrives(eval, &module, call, (value, made))?;
    if all.iter().any(is_stepped) {
        return Err(same_state("worker", value));
    }
    if lines[0].starts_with("global ") {
        if !is_shared(made) && is_changed_in_functions(eval, by.module, root) {
            return Err(format!("each worker would change a `{root}` of its own"));
        }
        if is_changed_below(eval, here, call, root) {
            return Err(format!("`{root}` is changed after the pool is made"));
        }
    }
    let is_known = binds(&module.defs[0], root);
    let is_global = around.kind == Kind::Module || around.declares(root);
    let is_own = !is_global && bindings_of(around, root).next().is_some();
    if !is_known || is_own {
        return Err(format!("`{root}` is not known where the pool is made"));
    }
    let top = guard_or(&module, around)?;
    let init = free_name(&module, "init_worker");
    let unit = unit(&module, &module.defs[0]);
    let lines: Vec<String> = lines.iter().map(|l| format!("\n{unit}{l}")).collect();
    let code = format!("def {init}(value):{}", lines.concat());
    let new = format!("{open}initializer={init}, initargs=({value},))");
    let is_there = if by == here {
        at.end <= call.start
    } else {
        let start = if number == 0 { 0 } else { around.at.start };
        let above = &module.code[start as usize..call.start as usize];
        let of = eval.project.module(by.module);
        calls(above, &of.defs[by.def].name)
    };
    let edits = if is_there {
        let new = Edit::replace(call, new.clone());
        vec![at_top(&module, top, &code)?, new]
    } else {
        Vec::new()
    };
    let when = if is_there { "" } else { ", once it is there" };
    let text = format!("Give `{value}` to the workers while they start{when}:");
    Ok(Plan::new(id, text, format!("{code}\n\n{new}"), edits))
}

/// Returns the main guard, or without one the function that makes the pool.
pub(super) fn guard_or(module: &Module, around: &Def) -> Result<Place, String> {
    match module.main_guard() {
        Some(guard) => Ok(guard.at),
        None if around.kind == Kind::Module => Err("there is no main guard".to_owned()),
        None => Ok(around.at),
    }
}

/// Returns whether a text calls a function, or a method of its name.
fn calls(text: &str, name: &str) -> bool {
    let call = format!("{name}(");
    let mut all = text.match_indices(&call);
    all.any(|(at, _)| !text[..at].ends_with(is_word))
}
