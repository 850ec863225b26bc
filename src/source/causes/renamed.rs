//! A type that a call made under another name than its variable, `Vertex = namedtuple("Point", …)`,
//! or in a function.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::only::only;
use super::super::project::ModuleId;
use super::super::syntax::{Call, Def, Expr, Kind, Module, Name, Source, StatementKind};
use super::super::text::{after, at_top, indent_at, line_start, lines_of, quoted_as};
use super::super::value::{DefId, Env, Value};
use super::ran::place_of;

/// What makes a type that goes by the name that it is given, with the word for such a type.
const MAKERS: &[(&str, &str)] = &[
    ("collections.namedtuple", "a namedtuple"),
    ("typing.NamedTuple", "a namedtuple"),
    ("enum.Enum", "an enum"),
    ("enum.IntEnum", "an enum"),
    ("enum.StrEnum", "an enum"),
    ("enum.Flag", "an enum"),
    ("enum.IntFlag", "an enum"),
    ("dataclasses.make_dataclass", DATACLASS),
    ("type", "a class"),
];
const DATACLASS: &str = "a dataclass";
/// Where dataclasses that a call made claim to be before Python 3.12, whatever calls it.
const BARE: &str = "types";

/// Finds the variable that a type of this name is bound to at the top of a module.
pub(in super::super) fn renamed(
    eval: &Eval,
    script: Option<ModuleId>,
    module: &str,
    name: &str,
) -> Option<Found> {
    let mut found = Vec::new();
    let is_it = |(_, kind): &(_, &str)| module != BARE || *kind == DATACLASS;
    for id in modules(eval, script, module) {
        let of = eval.project.module(id);
        let top = eval.scope(DefId::top(id));
        if module != BARE && binds(&of.defs[0], name) {
            return None;
        }
        for binding in &of.defs[0].bindings {
            let Some((bound, value)) = binding.named_value() else {
                continue;
            };
            if let Some((call, kind)) = making(eval, value, &top, name).filter(is_it) {
                found.push((id, Rc::clone(bound), call, kind));
            }
        }
    }
    let [(id, bound, call, kind)] = found.as_slice() else {
        return if found.is_empty() {
            local(eval, script, module, name)
        } else {
            None
        };
    };
    Some(Found::certain(
        bound.to_string(),
        if module == BARE {
            format!("{kind} that claims to be in `{BARE}`")
        } else {
            format!("{kind} that goes by the name `{name}`")
        },
        (*id, call.at),
        if module == BARE {
            in_module(&eval.project.module(*id), bound, call)
        } else {
            let module = eval.project.module(*id);
            let given = module.slice(call.args[0].value.at);
            let modules = eval.project.modules();
            let count: usize = modules.iter().map(|m| m.text.matches(given).count()).sum();
            if count > 1 {
                Err("the program asks for the old name".to_owned())
            } else if module.is_guarded(call.at) {
                Err("it is made under the main guard, which a worker does not run".to_owned())
            } else if modules.iter().any(|m| reads_names(m)) {
                Ok(twice(&module, bound, call))
            } else {
                Ok(plan(&module, bound, call))
            }
        },
    ))
}

/// Finds the one call in a function that makes a type of this name.
fn local(eval: &Eval, script: Option<ModuleId>, module: &str, name: &str) -> Option<Found> {
    let mut found = Vec::new();
    let is_it = |(_, kind): &(_, &str)| module != BARE || *kind == DATACLASS;
    for id in modules(eval, script, module) {
        let of = eval.project.module(id);
        let is_inner = |d: &Def| matches!(d.kind, Kind::Function | Kind::Class);
        for (number, def) in of.defs().filter(|(_, d)| is_inner(d)) {
            let env = eval.scope(DefId::new(id, number));
            let bound = def.bindings.iter().filter_map(|b| match &b.source {
                Source::Value(value) => Some(value),
                _ => None,
            });
            for value in bound.chain(&def.returns) {
                if let Some((call, kind)) = making(eval, value, &env, name).filter(is_it) {
                    found.push((id, number, call, kind));
                }
            }
        }
    }
    if found.is_empty() {
        return unnamed(eval, script, module, name);
    }
    let (id, number, call, kind) = only(&found)?;
    let of = eval.project.module(*id);
    Some(Found::certain(
        name.to_owned(),
        format!("{kind} made {}", place_of(eval, DefId::new(*id, *number))),
        (*id, call.at),
        if module == BARE {
            Err("its module has to be given too".to_owned())
        } else {
            let maker = DefId::new(*id, *number);
            to_the_top(&of, *number, call, name).or_else(|why| told(eval, maker).ok_or(why))
        },
    ))
}

/// Finds the one call that makes types of names which it is only given when it runs.
fn unnamed(eval: &Eval, script: Option<ModuleId>, module: &str, name: &str) -> Option<Found> {
    // Source that is made at run time may define it.
    if eval.project.says("exec(") {
        return None;
    }
    let mut found = Vec::new();
    for id in modules(eval, script, module) {
        let of = eval.project.module(id);
        if module != BARE
            && of
                .defs()
                .any(|(_, d)| *d.name == *name || binds(d, &Rc::from(name)))
        {
            return None;
        }
        for (number, def) in of.defs() {
            let at = DefId::new(id, number);
            let env = eval.scope(at);
            for call in def.calls() {
                let is_open = call.args.first().is_some_and(|a| a.value.text().is_none());
                // `type(x)` asks for one.
                let kind = kind_of(eval, call, &env).filter(|_| is_open && call.args.len() > 1);
                let kind = kind.filter(|kind| module != BARE || *kind == DATACLASS);
                found.extend(kind.map(|kind| (at, call.at, kind)));
            }
        }
    }
    let (at, call, kind) = only(found)?;
    let plan = Err("its name is told only when it runs".to_owned());
    let of = format!("{kind} made {}", place_of(eval, at));
    Some(Found::likely(name.to_owned(), of, (at.module, call), plan))
}

/// Tells the types that a function makes for the top level of a module by which names that keeps them:
/// `Point = record("x y")`.
pub(in super::super) fn told(eval: &Eval, maker: DefId) -> Option<Plan> {
    let mut tops = eval.project.defs().filter(|(at, _)| at.def == 0);
    tops.find_map(|(at, module)| {
        let env = eval.scope(at);
        let is_type = |v: Value| match v {
            Value::Class(..) => true,
            Value::Made(made) => MAKERS.iter().any(|(name, _)| *name == &*made.of),
            _ => false,
        };
        let makes = |v: &Rc<Expr>| {
            let func = v.call().map(|c| eval.eval(&c.func, &env));
            func.is_some_and(|f| f.function().is_some_and(|f| f.id == maker))
                && is_type(eval.eval(v, &env))
        };
        let all = module.defs[0].bindings.iter();
        let all = all.filter(|b| !module.is_guarded(b.at));
        let made = all.filter_map(|b| {
            let (name, _) = b.named_value().filter(|(_, v)| makes(v))?;
            let mut lines = vec![format!("{name}.__qualname__ = \"{name}\"")];
            if at.module != maker.module {
                lines.push(format!("{name}.__module__ = __name__"));
            }
            let indent = indent_at(&module, b.at.start);
            Some(after(&module, b.at.end as usize, &indent, &lines))
        });
        let edits: Vec<Edit> = made.collect();
        let code: String = edits.iter().map(|e| e.text.as_str()).collect();
        let text = "Tell the type by which name the module keeps it, for pickle to find it there:";
        (!edits.is_empty()).then(|| Plan::new(at.module, text, code.trim_end(), edits))
    })
}

/// Makes the type at the top of the module, if nothing in the call is of the function.
fn to_the_top(module: &Module, number: usize, call: &Call, name: &str) -> Planned {
    let def = &module.defs[number];
    if def.kind == Kind::Class {
        return Err("it is asked for by its class".to_owned());
    }
    let mut all = def.statements.iter();
    let statement =
        all.find(|s| s.kind == StatementKind::Assign && s.exprs.iter().any(|e| e.at == call.at));
    let statement = statement.ok_or("it is not set by an assignment")?;
    let mut bound = bindings_of(def, name);
    if !bound.any(|b| b.at == statement.at) || bindings_of(def, name).count() > 1 {
        return Err("its variable has another name".to_owned());
    }
    let text = module.slice(statement.at);
    let mut names = call.args.iter().flat_map(|a| a.value.names());
    if let Some((name, _)) = names.find(|(n, _)| binds(def, n)) {
        return Err(format!("it is made of `{name}`"));
    }
    let start = line_start(module, statement.at.start as usize);
    let is_alone = module.text[start..statement.at.start as usize]
        .trim()
        .is_empty();
    let in_suite = def.statements.iter().filter(|s| s.suite == statement.suite);
    if text.contains('\n')
        || !is_alone
        || in_suite.count() == 1
        || module.defs[def.parent].kind != Kind::Module
    {
        return Err("its line cannot be moved as it is".to_owned());
    }
    let words = "Make it at the top of the module, where every process finds it:";
    let edits = vec![
        at_top(module, statement.at, text)?,
        Edit::replace(lines_of(module, statement.at), ""),
    ];
    Ok(Plan::new(module.id, words, text.to_owned(), edits))
}

/// Returns the files that a module of this name may be.
fn modules(eval: &Eval, script: Option<ModuleId>, module: &str) -> Vec<ModuleId> {
    let is_it = |id: &ModuleId| match module {
        "__main__" | "__mp_main__" => Some(*id) == script,
        BARE => true,
        _ => is_module(&eval.project.module(*id), module),
    };
    eval.project.ids().into_iter().filter(is_it).collect()
}

/// Returns the call that makes a type of this name, or gives the name to the function of its module that makes it,
/// with the word for such a type.
fn making(eval: &Eval, value: &Expr, env: &Env, name: &str) -> Option<(Rc<Call>, &'static str)> {
    let call = value.call()?;
    let first = |call: &Rc<Call>| call.args.first().map(|a| Rc::clone(&a.value));
    if first(call)?.text() != Some(name) {
        return None;
    }
    let kind = match eval.eval(&call.func, env) {
        Value::Function(f) if f.id.module == env.at.module => {
            let module = eval.project.module(f.id.module);
            let def = &module.defs[f.id.def];
            let given = &def.params.first()?.name;
            let within = eval.scope(f.id);
            let mut calls = def.calls();
            calls.find_map(|c| {
                kind_of(eval, c, &within).filter(|_| first(c).is_some_and(|e| e.is_name(given)))
            })
        }
        _ => kind_of(eval, call, env),
    };
    kind.map(|kind| (Rc::clone(call), kind))
}

/// Returns the word for the type that a call makes, if it makes one.
fn kind_of(eval: &Eval, call: &Rc<Call>, env: &Env) -> Option<&'static str> {
    let full = eval.made(call, env)?.of.clone();
    let (_, kind) = MAKERS.iter().find(|(m, _)| *m == &*full)?;
    Some(*kind)
}

/// Returns whether a module asks for the names of types.
fn reads_names(module: &Module) -> bool {
    let mut all = module.exprs();
    all.any(|e| e.is_attribute("__name__") || e.is_attribute("__qualname__"))
}

/// Binds the type to the name too that it has.
fn twice(module: &Module, bound: &Name, call: &Call) -> Plan {
    let given = module
        .slice(call.args[0].value.at)
        .trim_matches(['"', '\'']);
    let name = format!("{given} = ");
    let text = format!("Bind it to the name `{given}` as well, under which it is looked up:");
    let code = format!("{bound} = {name}{}", module.slice(call.at));
    let edits = vec![Edit::insert(call.at.start as usize, name)];
    Plan::new(module.id, text, code, edits)
}

/// Gives the type the name of its variable.
fn plan(module: &Module, bound: &Name, call: &Call) -> Plan {
    let given = call.args[0].value.at;
    let edit = Edit::replace(given, quoted_as(module, given, bound));
    let line = module.line(module.line_of(given.start));
    let code = line.trim().replacen(module.slice(given), &edit.text, 1);
    let text = "Give the type the name of its variable, under which it can be looked up:";
    Plan::new(module.id, text, code, vec![edit])
}

/// Says in which module the type is, and gives it the name of its variable.
fn in_module(module: &Module, bound: &Name, call: &Call) -> Planned {
    let has_namespace = call.args.iter().any(|a| {
        a.stars == 2
            || a.label
                .as_deref()
                .is_some_and(|l| matches!(l, "namespace" | "module"))
    });
    let text = module.slice(call.at);
    if has_namespace || text.contains('\n') || !text.ends_with(')') {
        return Err("its call is of another form".to_owned());
    }
    let Plan {
        mut code,
        mut edits,
        ..
    } = plan(module, bound, call);
    let inner = text[..text.len() - 1].trim_end();
    let comma = if inner.ends_with(',') { " " } else { ", " };
    let added = format!("{comma}namespace={{\"__module__\": __name__}}");
    let end = call.at.end as usize - 1;
    edits.push(Edit::insert(end, added.clone()));
    let new = Edit::all(&module.text, &edits).ok_or("its line cannot be changed")?;
    if let Some(line) = new.lines().nth(module.line_of(call.at.start) as usize - 1) {
        line.trim().clone_into(&mut code);
    }
    let text = "Say in which module the class is, and give it the name of its variable:";
    Ok(Plan::new(module.id, text, code, edits))
}

/// Returns whether a file is the module of this dotted name.
fn is_module(module: &Module, name: &str) -> bool {
    let path = module.path.with_extension("");
    let mut parts: Vec<_> = path.iter().map(|p| p.to_string_lossy()).collect();
    if parts.last().is_some_and(|p| p == "__init__") {
        parts.pop();
    }
    let mut names = name.rsplit('.');
    names.all(|n| parts.pop().is_some_and(|p| p == n))
}
