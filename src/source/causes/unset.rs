//! A global that a function sets, or the main guard, which has not run in a worker; an initializer that leaves it as it
//! was: it sets a local, or is called where it is to be given.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::{is_word, places_of};
use crate::traceback::facts::Via;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::{Plan, Planned, given, given_local, handed, of_its_own, open_maker};
use super::super::eval::{Eval, bindings_of, binds, is_own, only_binding};
use super::super::only::only;
use super::super::project::{Frames, ModuleId};
use super::super::sent::{Stop, argument};
use super::super::syntax::{
    Binding, Call, Def, Expr, Kind, Module, Param, ParamKind, Place, Source, Target,
};
use super::super::text::above;
use super::super::value::{DefId, Value};
use super::global::{beside, is_script, starts};
use super::of_module::begun;
use super::ran::{is_repeatable, may_have_run, place_of};

/// A place that sets the global: the scope, by index, and its binding.
type Setter<'m> = (usize, &'m Binding);

/// Finds what sets the global that a worker's innermost line uses, if it cannot have run there.
pub(in super::super) fn unset(
    eval: &Eval,
    frames: &Frames,
    script: Option<ModuleId>,
    (used, via): (&Use, Option<Via>),
) -> Option<Found> {
    let (Stop { env, statement }, module) = eval.innermost(frames)?;
    let id = env.at.module;
    let text = module.slice(statement.head);
    let found = lacking(&module, env.at.def, used, text).into_iter();
    let name = only(found)?;
    let setters = setters(&module, name);
    let Some((of, first)) = setters.first().copied() else {
        return set_local(&module, name).or_else(|| local_of_maker(eval, id, name, via));
    };
    let functions: Vec<usize> = setters.iter().map(|(of, _)| *of).collect();
    let own = frames.iter().filter(|(other, _)| *other == id);
    let ran: Vec<usize> = own.map(|(_, line)| module.def_at(*line)).collect();
    let is_method = |of: usize| module.defs[module.defs[of].parent].kind == Kind::Class;
    if functions.iter().any(|of| is_method(*of)) {
        // Who calls a method may be anywhere.
        eval.project.add_imports();
        if eval.project.is_cut.get() {
            return None;
        }
    }
    let has_run = |of: &usize| *of != 0 && may_have_run(eval, DefId::new(id, *of), frames);
    if functions.iter().any(has_run) {
        return called_early(&module, &functions);
    }
    // A guard that nobody ran is the fault of another import.
    let guard = module.main_guard();
    let has_guard = || guard.is_some_and(|g| is_script(&module, g, script));
    if functions.contains(&0) && !has_guard() {
        return None;
    }
    let setter = DefId::new(id, of);
    Some(Found::certain(
        name.to_owned(),
        format!("set {}", place_of(eval, setter)),
        (id, first.at),
        plan(eval, id, (name, &setters), &ran, via).or_else(|why| {
            let is_one = setters.len() == 1 && of != 0;
            let begun = is_one.then(|| begun(eval, setter, via));
            let begun = begun.and_then(Result::ok);
            let is_one = is_one && fills_too(&module, (of, name), &ran).is_none();
            begun
                .or_else(|| {
                    is_one.then(|| {
                        let lines = [format!("global {name}"), format!("{name} = value")];
                        handed_over(eval, (name, &lines), (setter, first), via).ok()
                    })?
                })
                .or_else(|| of_its_own(eval, setter, (name, first), via).filter(|_| is_one))
                .ok_or(why)
        }),
    ))
}

impl Use {
    /// Returns the names of the module's globals that it may be about.
    pub(super) fn names<'m>(&'m self, module: &'m Module) -> Vec<&'m str> {
        if let Self::Name(name) | Self::Argument(name) = self {
            return vec![name];
        }
        let all = module.defs[0].bindings.iter();
        let mut names: Vec<&str> = all
            .filter_map(|b| match &b.target {
                Target::Name(name) => Some(&**name),
                _ => None,
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns whether a statement uses a name in this way.
    pub(super) fn is_in(&self, text: &str, name: &str) -> bool {
        places_of(text, name).any(|at| {
            let (before, after) = (&text[..at], &text[at + name.len()..]);
            let attribute = |of: &str| {
                let rest = after.strip_prefix('.').and_then(|r| r.strip_prefix(of));
                rest.is_some_and(|rest| !rest.starts_with(is_word))
            };
            !before.ends_with('.')
                && match self {
                    Self::Name(_) | Self::Argument(_) => true,
                    Self::Attribute(of) => attribute(of),
                    Self::Item => after.starts_with('['),
                    Self::Call => after.starts_with('('),
                    Self::Items => before.ends_with("in ") || before.ends_with(['*', '(']),
                    Self::With => before.ends_with("with "),
                    Self::Operand => is_operand(before, after),
                    Self::Given => is_operand(before, after) || is_given(before, after),
                    Self::Itself => {
                        let is_got = ["= ", "return "].iter().any(|w| before.ends_with(w));
                        is_got && after.trim().is_empty()
                    }
                }
        })
    }
}

/// Returns whether what stands between two texts is part of a sum or a comparison, or has its length taken.
fn is_operand(before: &str, after: &str) -> bool {
    const SIGNS: [char; 10] = ['+', '-', '*', '/', '%', '<', '>', '|', '&', '@'];
    let before = before.trim_end();
    // `+=`, `<=`
    let signed = before.strip_suffix('=').unwrap_or_default();
    let words = [" in", "len("];
    let is_taken = after.starts_with(['.', '[', '(']);
    let is_left = || after.trim_start().starts_with(SIGNS);
    let is_right = || before.ends_with(SIGNS) || signed.ends_with(SIGNS);
    !is_taken && (is_left() || is_right() || words.iter().any(|w| before.ends_with(w)))
}

/// Returns whether what stands between two texts is an argument of what wants a number or a text, an item, or in
/// the braces of a text: not one of `print`, or of a function of the program, which would be the last frame.
fn is_given(before: &str, after: &str) -> bool {
    const TAKERS: [&str; 10] = [
        "abs", "complex", "divmod", "float", "format", "int", "join", "pow", "round", "sorted",
    ];
    let before = before.trim_end();
    if !before.ends_with(['(', ',', '[', '{']) || after.starts_with(['.', '[', '(']) {
        return false;
    }
    let mut depth = 0_usize;
    let opened = before.char_indices().rev().find(|(_, c)| {
        match *c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth == 0 => return true,
            '(' | '[' | '{' => depth -= 1,
            _ => {}
        }
        false
    });
    opened.is_some_and(|(at, bracket)| {
        let of = before[..at].trim_end();
        let word = &of[of.trim_end_matches(is_word).len()..];
        bracket != '('
            || word.is_empty()
            || TAKERS.contains(&word)
            || of[..of.len() - word.len()].ends_with("math.")
    })
}

/// Returns whether a function, or one around it, has a name of its own.
pub(super) fn is_local(module: &Module, at: usize, name: &str) -> bool {
    module.outwards(at).any(|(_, def)| is_own(def, name))
}

/// Returns the globals that a statement of a function uses in this way and that an import of the module leaves
/// empty.
pub(super) fn lacking<'m>(
    module: &'m Module,
    at: usize,
    used: &'m Use,
    text: &str,
) -> Vec<&'m str> {
    let mut names = used.names(module);
    names.retain(|name| {
        used.is_in(text, name) && !is_local(module, at, name) && is_empty(module, used, name)
    });
    names
}

/// Returns whether what an import of the module runs leaves a name as the worker finds it: unbound, or
/// `None`.
pub(super) fn is_empty(module: &Module, used: &Use, name: &str) -> bool {
    let mut plain = bindings_of(&module.defs[0], name).filter(|b| !module.is_guarded(b.at));
    let has_star = binds(&module.defs[0], "*");
    if let Use::Name(_) = used {
        return plain.next().is_none() && !has_star;
    }
    let mut plain = plain.peekable();
    plain.peek().is_some() && plain.all(|b| is_none(module, b))
}

pub(super) fn is_none(module: &Module, binding: &Binding) -> bool {
    matches!(&binding.source, Source::Value(value) if module.slice(value.at) == "None")
}

/// Returns what gives a global another value than `None`: functions, and the main guard.
pub(super) fn setters<'m>(module: &'m Module, name: &'m str) -> Vec<Setter<'m>> {
    let mut found = Vec::new();
    for (of, def) in module.defs() {
        let is_function = def.declares(name);
        for binding in bindings_of(def, name) {
            let is_guarded = of == 0 && module.is_guarded(binding.at);
            if (is_function || is_guarded) && !is_none(module, binding) {
                found.push((of, binding));
            }
        }
    }
    found
}

/// Returns whether a pool's workers begin with a function: `Pool(2, init)`, `initializer=init`.
pub(super) fn begins(module: &Module, name: &str) -> bool {
    let is_given = |call: &Rc<Call>| {
        let func = call.func.last_name();
        let makes = func.is_some_and(|f| f.ends_with("Pool") || f.ends_with("Executor"));
        call.args.iter().any(|a| {
            let is_label = matches!(a.label.as_deref(), Some("initializer" | "worker_init_fn"));
            (makes || is_label) && mentions(module.slice(a.value.at), name)
        })
    };
    let mut given = module.code.split("initializer").skip(1);
    given.any(|rest| mentions(rest.split([')', '\n']).next().unwrap_or_default(), name))
        || module.calls().any(is_given)
}

/// Returns whether a text has a name as a whole word.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    places_of(text, name).next().is_some()
}

pub(super) fn calls_it(text: &str, name: &str) -> bool {
    places_of(text, name).any(|at| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        after.starts_with('(') && !before.ends_with('.') && !before.ends_with("def ")
    })
}

/// Returns what the setter of a global fills besides, and a worker's functions would miss next: `settings.update(conf)`.
fn fills_too(module: &Module, (of, global): (usize, &str), ran: &[usize]) -> Option<String> {
    let is_read = |name: &str| {
        let mut text = ran.iter().map(|at| module.code(module.defs[*at].at));
        !is_local(module, of, name) && text.any(|text| mentions(text, name))
    };
    let mut all = module.defs[of].bindings.iter();
    all.find_map(|b| match &b.target {
        Target::Content(base, _) if of != 0 || module.is_guarded(b.at) => {
            base.dotted().filter(|name| name != global && is_read(name))
        }
        _ => None,
    })
}

/// Lets each worker set the global while it starts: by what sets it, or by its value.
fn plan(
    eval: &Eval,
    id: ModuleId,
    (name, setters): (&str, &[Setter]),
    ran: &[usize],
    via: Option<Via>,
) -> Planned {
    let module = eval.project.module(id);
    let [(of, binding)] = setters else {
        return Err("it is set in several places".to_owned());
    };
    let def = &module.defs[*of];
    let given_all = || {
        if let Some(filled) = fills_too(&module, (*of, name), ran) {
            return Err(format!("`{}` fills `{filled}` too", def.name));
        }
        let guard = module.main_guard().ok_or("the script has no main guard")?;
        let mut names = vec![(name.into(), binding.at)];
        names.extend(beside(eval, id, (name, *of), ran));
        given(eval, id, &names, guard.at, via)
    };
    if def.kind == Kind::Module || starts(module.code(def.at)) {
        return given_all();
    }
    let (call, open) = open_maker(eval, id, via)?;
    let setter = DefId::new(id, *of);
    if is_repeatable(eval, setter).is_err() {
        return given_all();
    }
    // Each worker would say it again, where the value can be handed over.
    let says = module.code(def.at).contains("print(");
    if let Some(given) = says.then(given_all).and_then(Result::ok) {
        return Ok(given);
    }
    let (brackets, given) = if needs_arguments(def) {
        // Who makes the pool has called it before.
        let around = &module.defs[module.def_around(call)];
        let above = &module.code[around.at.start as usize..call.start as usize];
        let is_method = module.is_method(def);
        let is_called =
            calls_it(above, &def.name) || is_method && above.contains(&format!(".{}(", def.name));
        if is_called && around.at != def.at {
            return given_all();
        }
        let given = by_name(&module, def, around, call)
            .ok_or_else(|| format!("`{}` takes what only its caller knows", def.name))?;
        (String::new(), format!(", initargs=({given})"))
    } else {
        ("()".to_owned(), String::new())
    };
    let new = format!("{open}initializer={}{given})", def.name);
    let text = format!(
        "Let each worker run `{}{brackets}` while it starts:",
        def.name
    );
    let edits = vec![Edit::replace(call, new.clone())];
    Ok(Plan::new(id, text, new, edits))
}

/// Hands what a function of the parent has set to the workers, by these lines in each of them.
pub(super) fn handed_over(
    eval: &Eval,
    given: (&str, &[String]),
    (by, binding): (DefId, &Binding),
    via: Option<Via>,
) -> Planned {
    let made = match &binding.source {
        Source::Value(value) => eval.eval(value, &eval.scope(by)),
        _ => Value::Unknown,
    };
    handed(eval, given, &made, (by, binding.at), via)
}

/// Returns the arguments of a function that nobody calls, where whoever makes the pool has set names like its
/// parameters: `arr = Array("d", 9)` above `Pool()`, of `def init(arr):`.
fn by_name(module: &Module, def: &Def, around: &Def, pool: Place) -> Option<String> {
    let is_set = |name: &str| {
        let mut set = bindings_of(around, name).filter(|b| b.at.end <= pool.start);
        around.has_param(name) || set.next().is_some()
    };
    let is_taken = |p: &Param| p.kind == ParamKind::Plain && p.default.is_none() && is_set(&p.name);
    let is_plain = def.kind == Kind::Function && !def.is_async && def.yields.is_empty();
    let is_called = places_of(&module.code, &def.name).nth(1).is_some();
    if !is_plain || is_called || module.is_method(def) || !def.params.iter().all(is_taken) {
        return None;
    }
    let names: Vec<&str> = def.params.iter().map(|p| &*p.name).collect();
    let one = if names.len() == 1 { "," } else { "" };
    Some(names.join(", ") + one)
}

/// Returns whether a function cannot be called as it is.
pub(super) fn needs_arguments(def: &Def) -> bool {
    def.is_async || !def.yields.is_empty() || def.params.iter().any(|p| p.default.is_none())
}

/// Finds the one initializer that sets a local of the global's name.
fn set_local(module: &Module, name: &str) -> Option<Found> {
    let all = module.defs.iter().filter_map(|def| {
        let is_param = def.has_param(name);
        let begins = def.kind == Kind::Function && begins(module, &def.name);
        let first = bindings_of(def, name).next()?;
        (begins && !is_param && !is_none(module, first)).then_some((def, first))
    });
    let (def, first) = only(all)?;
    let is_plain = first.source.given().is_some() && first.annotation.is_none();
    let plan = declared(module, def, name).filter(|_| is_plain);
    Some(Found::certain(
        name.to_owned(),
        format!("set in {}(), as a local", def.qualname),
        (module.id, first.at),
        plan.ok_or_else(|| format!("`{}` sets it in a way of its own", def.name)),
    ))
}

/// Finds the local of the global's name that is set where the one pool is made.
fn local_of_maker(eval: &Eval, id: ModuleId, name: &str, via: Option<Via>) -> Option<Found> {
    let module = eval.project.module(id);
    let (call, open) = open_maker(eval, id, via).ok()?;
    let def = &module.defs[module.def_around(call)];
    let first = only_binding(def, name)?;
    let is_set = def.kind == Kind::Function && first.at.end <= call.start;
    if !is_set || first.source.given().is_none() || is_none(&module, first) {
        return None;
    }
    let plan = || {
        let guard = module.main_guard().ok_or("the script has no main guard")?;
        given_local(eval, id, (name.into(), first.at), guard.at, (call, &open))
    };
    Some(Found::certain(
        name.to_owned(),
        format!("set in {}(), as a local", def.qualname),
        (id, first.at),
        plan(),
    ))
}

/// Declares the global in the function.
fn declared(module: &Module, def: &Def, name: &str) -> Option<Plan> {
    let line = format!("global {name}");
    let edit = above(module, def.begin()?.at.start, &[&line])?;
    let text = format!("Declare it in `{}`, or that name is local there:", def.name);
    let head = module.first_line(def.head);
    let code = format!("{head}\n    {line}");
    Some(Plan::new(module.id, text, code, vec![edit]))
}

/// Finds the pool that gets what the one setter returns, which the parent calls: `initializer=init(3)`.
fn called_early(module: &Module, setters: &[usize]) -> Option<Found> {
    let setter = only(setters)?;
    let def = &module.defs[*setter];
    let given = |pool: &Rc<Call>| {
        let at = 1 + usize::from(pool.func.last_name()?.ends_with("Executor"));
        let expr = &argument(pool, at, "initializer")?.value;
        let is_it = expr.call()?.func.is_name(&def.name) && def.returns.is_empty();
        is_it.then(|| (Rc::clone(pool), Rc::clone(expr)))
    };
    let (pool, expr) = module.calls().find_map(given)?;
    Some(Found::certain(
        module.slice(expr.at).to_owned(),
        "called in the parent: the pool gets `None`",
        (module.id, expr.at),
        apart(module, (&pool, &expr)),
    ))
}

/// Gives a pool the function and its arguments apart.
fn apart(module: &Module, (pool, expr): (&Call, &Expr)) -> Planned {
    let is_placed = |call: &&Rc<Call>| call.args.iter().all(|a| a.label.is_none() && a.stars == 0);
    let is_open = pool.labelled("initargs").is_none() && pool.labelled("initializer").is_some();
    let call = expr.call().filter(is_placed).filter(|_| is_open);
    let call = call.ok_or("its arguments are given in another way")?;
    let args = module.arguments(call);
    let args = args.strip_suffix(')').unwrap_or(args);
    let args = args.trim_end_matches([',', ' ']);
    let name = module.slice(call.func.at);
    let new = match call.args.len() {
        0 => name.to_owned(),
        1 => format!("{name}, initargs={args},)"),
        _ => format!("{name}, initargs={args})"),
    };
    let text = "Give the function and its arguments apart: each worker calls it.";
    let code = format!("initializer={new}");
    Ok(Plan::new(
        module.id,
        text,
        code,
        vec![Edit::replace(expr.at, new)],
    ))
}
