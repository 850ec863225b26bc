//! What a function made in another one uses of it, and how it is handed over.

use std::rc::Rc;

use crate::python_name::{is_word, places_of};
use crate::traceback::facts::Via;

use super::super::effects::{changes, is_shared, says_spawn};
use super::super::eval::{self, Eval, bindings_of, binds, is_under_guard, only_binding};
use super::super::instance::State;
use super::super::loggers::holds_logger;
use super::super::objects::{PROCESS, holds_any};
use super::super::syntax::{
    Binding, Def, Expr, Kind, Module, Name, Place, Source, Statement, StatementKind, Target,
};
use super::super::text::lists;
use super::super::value::{Attribute, DefId, Value};
use super::bound::cannot_travel;
use super::defaults::{comprehends, defaults, is_around, loop_names, overrides};
use super::helper::{Helper, attributes_read, helper, made_before};
use super::looped::{is_bound_again, is_sender, is_sent};
use super::lost::{is_stepped, same_state, steps, takes_next};
use super::method::BOUND;
use super::shared::reaches_workers;

/// What a definition uses of the functions around it.
pub(super) struct Captured {
    /// What becomes a parameter in front of its own.
    pub(super) names: Vec<String>,
    /// Parameters whose default is made of such names (`n=n`), with it: they lose it, and are given it.
    pub(super) defaults: Vec<(Name, String)>,
    /// Attributes that become parameters instead of their object: `self` and `rate`.
    pub(super) attributes: Vec<(Name, Name)>,
    /// Functions beside it that it calls, which go to the top as well.
    pub(super) helpers: Vec<Helper>,
    /// Imports of the function around it, which it makes itself.
    pub(super) imports: Vec<String>,
    /// Whether it calls itself.
    pub(super) is_recursive: bool,
}

impl Captured {
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.defaults.is_empty() && self.attributes.is_empty()
    }

    /// Returns the parameters that it gets in front of its own.
    pub(super) fn params(&self) -> Vec<String> {
        let attributes = self.attributes.iter().map(|(_, name)| name.to_string());
        self.names.iter().cloned().chain(attributes).collect()
    }

    /// Returns what it is given for them.
    pub(super) fn given(&self) -> Vec<String> {
        let attributes = self.attributes.iter();
        let attributes = attributes.map(|(own, name)| format!("{own}.{name}"));
        self.names.iter().cloned().chain(attributes).collect()
    }

    /// Returns a stretch of the definition without the defaults that it loses.
    pub(super) fn without_defaults(&self, module: &Module, def: &Def, place: Place) -> String {
        let mut text = module.slice(place).to_owned();
        for param in def.params.iter().rev() {
            let Some(default) = param.default.as_ref() else {
                continue;
            };
            if !self.defaults.iter().any(|(n, _)| *n == param.name) || !place.holds(default.at) {
                continue;
            }
            let at = |offset: u32| (offset - place.start) as usize;
            let start = text[..at(default.at.start)].rfind('=').unwrap_or_default();
            let start = text[..start].trim_end().len();
            text.replace_range(start..at(default.at.end), "");
        }
        text
    }

    /// Adds a name that a scope around the definition binds, or says why it cannot be handed over.
    fn add(
        &mut self,
        eval: &Eval,
        module: &Rc<Module>,
        (id, binder): (DefId, usize),
        name: &Name,
        via: Option<Via>,
    ) -> Result<(), String> {
        let (def, scope) = (&module.defs[id.def], &module.defs[binder]);
        if *name == def.name && bindings_of(scope, name).count() == 1 {
            self.is_recursive = true;
            return Ok(());
        }
        if let Some(other) = made_before(module, def, name, scope) {
            let helper = helper(eval, id.beside(other), via, name)?;
            if !helper.moved.keeps_name {
                self.names.push(name.to_string());
            }
            self.helpers.push(helper);
            return Ok(());
        }
        if let Some(import) = import_of(module, def, name, scope) {
            if !self.imports.contains(&import) {
                self.imports.push(import);
            }
            return Ok(());
        }
        settled(module, def, name, scope)?;
        match sendable(eval, module, (id, binder), name, via) {
            Ok(()) => self.names.push(name.to_string()),
            Err(why) => {
                let read = read_of(eval, module, (id, binder), name).ok_or(why)?;
                let read = read
                    .into_iter()
                    .map(|attribute| (Rc::clone(name), attribute));
                self.attributes.extend(read);
            }
        }
        Ok(())
    }
}

/// Returns what a definition uses of the functions around it, or why that cannot be handed over.
///
/// What `multiprocessing` made goes along with a process that is being started (`via`).
pub(super) fn captured(
    eval: &Eval,
    module: &Rc<Module>,
    id: DefId,
    via: Option<Via>,
) -> Result<Captured, String> {
    let def = &module.defs[id.def];
    stays_in_its_class(module, def)?;
    let defaults = defaults(module, def)?;
    if !defaults.is_empty() && overrides(eval, id, def.params.len() - defaults.len()) {
        return Err("a call may give it what its default stands for".to_owned());
    }
    let looped = loop_names(module, def);
    let mut captured = Captured {
        names: Vec::new(),
        defaults,
        attributes: Vec::new(),
        helpers: Vec::new(),
        imports: Vec::new(),
        is_recursive: false,
    };
    let mut met: Vec<Name> = Vec::new();
    for name in used(module, def) {
        if met.contains(&name) {
            continue;
        }
        met.push(Rc::clone(&name));
        let is_own = is_own(module, def, &name);
        if !is_own && looped.contains(&name) {
            // A call that sends it does so before the next one is made.
            if !is_sent(module, &module.defs[0], def, &[]) {
                return Err(format!(
                    "it uses `{name}`, which the comprehension around it changes"
                ));
            }
            captured.names.push(name.to_string());
            continue;
        }
        let Some(binder) = binder(module, def, &name) else {
            if !is_own && says_spawn(eval) && is_set_by_main(eval, module, &name) {
                return Err(format!(
                    "it uses `{name}`, which a new process has as the module's top sets it"
                ));
            }
            continue;
        };
        if !is_own || name == def.name {
            captured.add(eval, module, (id, binder), &name, via)?;
        }
    }
    if captured.is_recursive && !captured.is_empty() {
        return Err("it calls itself".to_owned());
    }
    if !captured.is_empty()
        && let Some(asked) = asks_of_functions(eval)
    {
        return Err(format!(
            "the program uses `{asked}`, which a function with arguments given does not keep"
        ));
    }
    Ok(captured)
}

/// Returns the statement by which the function around a function imports a name, if nothing else binds it there.
fn import_of(module: &Module, def: &Def, name: &Name, scope: &Def) -> Option<String> {
    let binding = only_binding(scope, name)?;
    let is_import = matches!(binding.source, Source::Import(_) | Source::From(..));
    let is_there = |s: &&Statement| s.at == binding.at && s.kind == StatementKind::Import;
    let statement = scope.statements.iter().find(is_there)?;
    let text = module.slice(statement.at);
    let is_body = scope.kind == Kind::Function && def.kind != Kind::Class;
    let is_plain = is_import && !text.contains('\n') && !scope.has_param(name);
    (is_body && is_plain).then(|| text.to_owned())
}

/// Returns the attributes that can go in place of an object which cannot be sent.
fn read_of(
    eval: &Eval,
    module: &Module,
    (id, binder): (DefId, usize),
    name: &Name,
) -> Option<Vec<Name>> {
    let value = eval.name(name, &eval.scope(id.beside(binder)), None);
    let Value::Instance(instance) = value else {
        return None;
    };
    attributes_read(eval, module, &module.defs[id.def], name, &instance)
}

/// Returns an error if a definition would mean another thing at the top of the module.
fn stays_in_its_class(module: &Module, def: &Def) -> Result<(), String> {
    if def.kind != Kind::Class {
        let text = module.code(def.at);
        if let Some(name) = private_name(text) {
            return Err(format!("it uses `{name}`, which is private to its class"));
        }
        if let Some(word) = of_class(text) {
            return Err(format!("it uses `{word}`, which is of its class"));
        }
    }
    annotated(module, def).map_or(Ok(()), |name| {
        Err(format!(
            "its annotations use `{name}` of the function around it"
        ))
    })
}

/// Returns whether a definition, or one in it, binds a name itself.
fn is_own(module: &Module, def: &Def, name: &Name) -> bool {
    let mut inner = module.within(def.at);
    inner.any(|d| eval::is_own(d, name)) || comprehends(def, module, name)
}

/// Returns the scope around a definition that binds a name, if another process does not have that.
fn binder(module: &Module, def: &Def, name: &Name) -> Option<usize> {
    let mut around = module.outwards(def.parent);
    let found = around.find(|(_, d)| binds(d, name) && d.kind != Kind::Class);
    let found = found.map(|(number, _)| number);
    found.or_else(|| (module.is_guarded(def.at) && is_under_guard(module, name)).then_some(0))
}

/// Returns whether a global is set to one thing in every process, and to another by what a new one does not run.
fn is_set_by_main(eval: &Eval, module: &Module, name: &Name) -> bool {
    let bound = || bindings_of(&module.defs[0], name);
    let is_set = |d: &Def| d.declares(name) && binds(d, name);
    let is_none = |b: &Binding| (b.source.given()).is_some_and(|v| module.slice(v.at) == "None");
    bound().any(|b| !module.is_guarded(b.at) && !is_none(b))
        && (bound().any(|b| module.is_guarded(b.at))
            || module.defs.iter().any(is_set) && !eval.project.says("initializer"))
}

/// Returns an error if a name may be another thing by the time a definition is called.
fn settled(module: &Module, def: &Def, name: &Name, scope: &Def) -> Result<(), String> {
    let bindings: Vec<_> = bindings_of(scope, name).collect();
    // It calls itself, or another local definition, or what changes later.
    let is_late = bindings.iter().any(|b| b.at.start > def.at.start)
        || bindings.len() > 1
        || is_added_to(scope, name, def.at)
        || is_nonlocal(module.code(scope.at), name);
    let is_made = |s: &Source| matches!(s, Source::Def(_) | Source::Import(_) | Source::From(..));
    if *name == def.name {
        return Err("it calls itself".to_owned());
    }
    if is_late || bindings.iter().any(|b| is_made(&b.source)) {
        return Err(format!(
            "it uses `{name}`, which may change or is made beside it"
        ));
    }
    if is_bound_again(module, scope, name, def) {
        return Err(format!(
            "it uses `{name}` as the loop around it leaves it in the end"
        ));
    }
    Ok(())
}

/// Returns an error if a name stands for what cannot be sent, or must not be a copy.
fn sendable(
    eval: &Eval,
    module: &Module,
    (id, binder): (DefId, usize),
    name: &Name,
    via: Option<Via>,
) -> Result<(), String> {
    let def = &module.defs[id.def];
    let value = eval.name(name, &eval.scope(id.beside(binder)), None);
    if !is_shared(&value) && changes(module.code(def.at), name) {
        return Err(format!(
            "it changes `{name}`, of which each process would have a copy of its own"
        ));
    }
    let is_own_sender = |v: &Value| {
        let is_whole = |i| matches!(eval.state(i, false), State::Without(n) if n.is_empty());
        matches!(v, Value::Instance(i) if is_whole(i)) && is_put_into_own(module, name, def)
    };
    let stays = |v: &Value| stays_here(eval, v, via) || is_own_sender(v);
    if value.may_be(stays) {
        return Err(format!("it uses `{name}`, which cannot be sent either"));
    }
    let takes_step = value.may_be(is_stepped);
    if reaches_workers(via) && (takes_step || takes_next(module.code(def.at), name)) {
        return Err(same_state("task", name));
    }
    let has_tasks = reaches_workers(via) && !matches!(via, Some(Via::Process | Via::DataLoader));
    if has_tasks && let Some(stepped) = stepped_of(eval, &value, def, name) {
        return Err(same_state("task", &format!("{name}.{stepped}")));
    }
    if says_spawn(eval) && holds_logger(eval, &value) {
        return Err(format!(
            "it uses `{name}`, which comes to a worker without the logger's level and handlers"
        ));
    }
    Ok(())
}

/// Returns the attribute of an object that a function takes a step further: `rng` of `self.rng.random()`.
fn stepped_of(eval: &Eval, value: &Value, def: &Def, name: &Name) -> Option<Name> {
    let own = value.alternatives().into_iter().find_map(|v| match v {
        Value::Instance(own) => Some(own),
        _ => None,
    })?;
    let is_stepped_in = |of: &Name| {
        let is_own = |(base, attribute): (&Rc<Expr>, &Name)| base.is_name(name) && attribute == of;
        steps(def, &|e| e.attribute().is_some_and(is_own))
    };
    let attributes = eval.attributes(&own);
    let mut stepped = attributes
        .iter()
        .filter(|a| eval.values(a).iter().any(is_stepped));
    let found = stepped.find(|a| is_stepped_in(&a.name))?;
    Some(Name::clone(&found.name))
}

/// Returns what the program asks of functions that what `functools.partial` makes does not have.
fn asks_of_functions(eval: &Eval) -> Option<&'static str> {
    // `getattr(task, "__name__")`
    const ASKED: &str = ".__code__ .__defaults__ .__qualname__ isfunction( FunctionType getdoc( getsource( get_type_hints( \
        \"__name__\" '__name__' \"__doc__\" '__doc__'";
    // Of classes it is asked more often.
    let of_function = |text: &str, asked: &str| {
        text.match_indices(asked).any(|(at, _)| {
            let before = &text[..at];
            let mut words = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_');
            let word = words.next().unwrap_or_default();
            if word.is_empty() {
                // `tasks[0].__name__`; of `type(task)` it is the class's.
                let line = before.lines().next_back().unwrap_or_default();
                return before.ends_with([')', ']', '{']) && !line.contains("type(");
            }
            !["__class__", "cls", "klass", "self"].contains(&word)
        })
    };
    ASKED
        .split(' ')
        .find(|word| eval.project.says(word))
        .or_else(|| {
            // Of `functools.partial` itself that is another text.
            let is_asked = |asked: &&str| eval.project.any(|m| of_function(&m.code, asked));
            [".__name__", ".__doc__"].into_iter().find(is_asked)
        })
}

/// Returns the names that a definition uses, those within it too, its own among them.
fn used(module: &Module, def: &Def) -> Vec<Name> {
    let mut all: Vec<&Rc<Expr>> = Vec::new();
    for inner in module.within(def.at).filter(|d| d.kind != Kind::Module) {
        all.extend(inner.exprs());
        let params = inner.params.iter().filter(|_| inner.at != def.at);
        all.extend(params.filter_map(|p| p.default.as_ref()));
        all.extend(inner.bases.iter().map(|b| &b.value));
        all.extend(inner.bindings.iter().filter_map(Binding::changed));
    }
    let names = all.into_iter().flat_map(Expr::names);
    names.map(|(name, _)| Rc::clone(name)).collect()
}

/// Returns whether a function within a text sets a name of the function around it.
fn is_nonlocal(text: &str, name: &str) -> bool {
    let mut declared = text
        .lines()
        .filter_map(|l| l.trim_start().strip_prefix("nonlocal "));
    declared.any(|names| places_of(names, name).next().is_some())
}

/// Returns a word in a text that means something in a class's own functions alone.
fn of_class(text: &str) -> Option<&'static str> {
    ["__class__", "super()"]
        .into_iter()
        .find(|word| text.contains(word))
}

/// Returns the first attribute in a text that Python looks up by the name of the class around: `.__key`.
fn private_name(text: &str) -> Option<&str> {
    text.match_indices(".__").find_map(|(at, _)| {
        let name = &text[at + 1..];
        let end = name.find(|c| !is_word(c));
        let name = &name[..end.unwrap_or(name.len())];
        (!name.ends_with("__")).then_some(name)
    })
}

/// Returns a name of the functions around a definition that its head's annotations use.
fn annotated(module: &Module, def: &Def) -> Option<Name> {
    if module.text.contains("from __future__ import annotations") {
        return None;
    }
    let names = def.annotations().flat_map(Expr::names);
    let mut names = names.map(|(name, _)| name);
    names.find(|name| is_around(module, def, name)).cloned()
}

/// Returns whether a name is changed in place behind a definition: `offset += step`.
fn is_added_to(scope: &Def, name: &Name, at: Place) -> bool {
    let is_assigned = |b: &Binding| {
        let mut assigned = scope.statements.iter();
        assigned.any(|s| s.kind == StatementKind::Assign && s.at == b.at)
    };
    scope.bindings.iter().any(|b| {
        matches!(&b.target, Target::Content(of, None) if of.is_name(name))
            && b.at.start > at.start
            && is_assigned(b)
    })
}

/// Returns whether a value cannot go to another process.
pub(in super::super) fn stays_here(eval: &Eval, value: &Value, via: Option<Via>) -> bool {
    match value {
        Value::Made(made) => {
            let name = made.of.strip_prefix("multiprocessing.");
            let is_given = via == Some(Via::Process) && name.is_some_and(|n| lists(BOUND, n));
            !is_given && holds_any(&made.of)
        }
        Value::Generator(_) | Value::OutsideModule(_) | Value::Module(_) => true,
        // `self`, with what it holds, or a base of it does: a `unittest.TestCase`.
        Value::Instance(instance) => {
            let line = eval.line(instance.class, &instance.class_env);
            let holds = |base: &Rc<str>| &**base != PROCESS && holds_any(base);
            line.outside.iter().any(holds)
                || eval.sends_one(instance, |a| {
                    cannot_travel(eval, a) || is_of_processes(eval, a, via)
                })
        }
        Value::Function(f) => {
            f.id.def != 0
                && eval.project.module(f.id.module).defs[f.id.def]
                    .qualname
                    .contains('<')
        }
        _ => false,
    }
}

/// Returns whether an attribute is a queue or the like, which goes only to a process that is started.
fn is_of_processes(eval: &Eval, attribute: &Attribute, via: Option<Via>) -> bool {
    let is_one = |v: &Value| matches!(v, Value::Made(_)) && stays_here(eval, v, via);
    eval.values(attribute).iter().any(is_one)
}

/// Returns whether something that holds what is called sends a function along with itself:
/// `self.q.put(lambda: self.k)`.
fn is_put_into_own(module: &Module, name: &Name, def: &Def) -> bool {
    let inner = format!("{name}.");
    let mut calls = module.calls();
    calls.any(|call| {
        let of = call.func.dotted().unwrap_or_default();
        let is_inner = of
            .strip_prefix(&*inner)
            .is_some_and(|rest| rest.contains('.'));
        is_inner && is_sender(&call.func) && call.args.iter().any(|a| a.value.at.holds(def.at))
    })
}
