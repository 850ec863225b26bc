//! What a worker alone sets, in its copy of a global or of an object: in the parent it is still `None`.

use std::rc::Rc;

use super::super::answer::Found;
use super::super::asked::Use;
use super::super::change::{Plan, may_be, workers};
use super::super::eval::{Eval, bindings_of, only_binding};
use super::super::only::only;
use super::super::project::{Frames, ModuleId};
use super::super::sent::Stop;
use super::super::syntax::{
    Binding, Def, Expr, ExprKind, Kind, Module, Name, Place, StatementKind,
};
use super::super::value::{DefId, Instance, Setting, Value};
use super::alone::{Workers, brought_back, given_back, is_dynamic};
use super::ran::place_of;
use super::unset::{self, lacking, setters};

/// The most names and attributes of an assertion that are looked at.
const MAX_ASSERTED: usize = 6;

/// What is `None`, as it is written, and where it is set to anything else.
type Unset = (String, Vec<(DefId, Place)>);
/// The same of an attribute, with the class of its object.
type OfObject = (String, DefId, Vec<(DefId, Place)>);
/// The class of what is counted in an attribute, and where that is done.
type Counting = (Option<DefId>, Vec<(DefId, Place)>);

/// Finds what sets the global or attribute that the parent's innermost line uses, if workers alone do.
pub(in super::super) fn set_there(eval: &Eval, frames: &Frames, used: &Use) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let id = stop.env.at.module;
    let text = module.slice(stop.statement.head);
    let names = lacking(&module, stop.env.at.def, used, text);
    let globals = names.into_iter().map(|name| {
        let all = setters(&module, name).into_iter();
        let places = all.map(|(of, binding)| (DefId::new(id, of), binding.at));
        (name.to_owned(), places.collect())
    });
    let own = attributes(eval, &stop, text, used).into_iter();
    let own = own.map(|(path, _, places)| (path, places));
    let found: Vec<Unset> = globals.chain(own).collect();
    let (path, places) = only(&found)?;
    told(eval, frames, path.clone(), (places, None))
}

/// Finds what counts the global or attribute, 0 in the parent, by which its innermost line divides, or of which it
/// asserts something, if workers alone do.
pub(in super::super) fn counted(eval: &Eval, frames: &Frames) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let head = stop.statement.head;
    let is_asserted = module.slice(head).starts_with("assert ");
    let all = stop.statement.walk();
    let is_it = |e: &Rc<Expr>| is_asserted || divides(&module, head, e);
    let mut all = all.filter(|e| e.dotted().is_some() && is_it(e));
    let most = if is_asserted { MAX_ASSERTED } else { 1 };
    all.by_ref().take(most).find_map(|expr| {
        let (class, places) = counting(eval, &stop, expr, is_asserted)?;
        told(eval, frames, expr.dotted()?, (&places, class))
    })
}

/// Returns whether a statement divides by an expression in it: `hits / (hits + misses)`.
pub(super) fn divides(module: &Module, head: Place, by: &Expr) -> bool {
    let before = &module.text[head.start as usize..by.at.start as usize];
    before.trim_end_matches([' ', '(']).ends_with('/')
}

/// Returns what counts a global or attribute, or sets it to another value than that which it begins with: 0, or,
/// of an attribute that is asserted, any that `__init__` gives it.
fn counting(eval: &Eval, stop: &Stop, expr: &Rc<Expr>, is_asserted: bool) -> Option<Counting> {
    let (id, at) = (stop.env.at.module, stop.env.at.def);
    let module = eval.project.module(id);
    let is_zero = |of: ModuleId, b: &Binding| {
        let module = eval.project.module(of);
        let value = b.source.given();
        value.is_some_and(|v| matches!(module.slice(v.at), "0" | "0.0"))
    };
    let is_first = |by: DefId, b: &Binding| {
        let module = eval.project.module(by.module);
        is_zero(by.module, b) || is_asserted && &*module.defs[by.def].name == "__init__"
    };
    let begins = |of: DefId, name: &Name| {
        let module = eval.project.module(of.module);
        only_binding(&module.defs[of.def], name).is_some_and(|b| is_zero(of.module, b))
    };
    let (name, class, mut places) = match &expr.kind {
        ExprKind::Attribute(base, name) => {
            let class = match eval.eval(base, &eval.env_of(stop, base.at)) {
                Value::Class(class, _) => class,
                of => of.instance()?.class,
            };
            let mut all = set_on(eval, name);
            all.retain(|(by, _, base)| may_be(eval, &eval.eval(base, &eval.scope(*by)), class));
            let count = all.len() + usize::from(begins(class, name));
            all.retain(|(by, b, _)| !is_first(*by, b));
            (count == all.len() + 1 && !is_dynamic(eval)).then_some(())?;
            let set = all.into_iter().map(|(by, b, _)| (by, b.at));
            (name, Some(class), set.collect())
        }
        ExprKind::Name(name)
            if begins(DefId::top(id), name) && (at == 0 || !unset::is_local(&module, at, name)) =>
        {
            let set = setters(&module, name).into_iter();
            let set = set.map(|(of, b)| (DefId::new(id, of), b.at));
            (name, None, set.collect::<Vec<_>>())
        }
        _ => return None,
    };
    let counts = |def: &Def, text: &str| {
        let left = text.split_once("+=").map(|(left, _)| left.trim_end());
        left.is_some_and(|left| match class {
            Some(_) => left.ends_with(&format!(".{name}")),
            None => *left == **name && (def.kind == Kind::Module || def.declares(name)),
        })
    };
    let all = eval.project.defs();
    for (by, of) in all.filter(|(by, _)| class.is_some() || by.module == id) {
        let def = &of.defs[by.def];
        let all = def.of_kind(StatementKind::Assign);
        let all = all.filter(|s| counts(def, of.slice(s.at)));
        places.extend(all.map(|s| (by, s.at)));
    }
    Some((class, places))
}

/// Finds what sets an attribute that an object of the one class of this name lacks in the parent, if workers
/// alone do.
pub(in super::super) fn lacks(
    eval: &Eval,
    frames: &Frames,
    (class, name): (&str, &str),
) -> Option<Found> {
    let (path, id, places) = missing(eval, frames, (class, name))?;
    told(eval, frames, path, (&places, Some(id)))
}

/// Returns the attribute of this name that the objects of the one class of this name lack, as the innermost line has it,
/// with all that sets it.
pub(super) fn missing(
    eval: &Eval,
    frames: &Frames,
    (class, name): (&str, &str),
) -> Option<OfObject> {
    let id = eval.only_class(class)?;
    let own = eval.attribute_named(&eval.instance(id), name);
    let mut places: Vec<_> = own.iter().flat_map(|a| &a.set).map(place).collect();
    // On an object that is not known another line may set it, too: that may be this one.
    let mut others = set_elsewhere(eval, name);
    let is_one = |v: &Value| matches!(v, Value::Instance(i) if i.class == id);
    let is_known = |of: &Value| of.may_be(is_one);
    others.sort_by_key(|(_, _, of)| !is_known(of));
    let is_set = others.first().is_some_and(|(_, _, of)| is_known(of));
    if places.is_empty() && !is_set || is_dynamic(eval) {
        return None;
    }
    others.retain(|(by, at, _)| !places.contains(&(*by, *at)));
    places.extend(others.into_iter().map(|(by, at, _)| (by, at)));
    let (stop, _) = eval.innermost(frames)?;
    let mut all = stop.statement.walk();
    let path = all.find(|e| e.is_attribute(name))?.dotted();
    Some((
        path.unwrap_or_else(|| format!("{class}.{name}")),
        id,
        places,
    ))
}

/// Tells where workers set what the parent misses, if they alone do.
fn told(
    eval: &Eval,
    frames: &Frames,
    path: String,
    (places, class): (&[(DefId, Place)], Option<DefId>),
) -> Option<Found> {
    let (by, at) = *places.first()?;
    let workers = Workers::of(eval, class);
    let here =
        |(id, line): &(ModuleId, u32)| DefId::new(*id, eval.project.module(*id).def_at(*line));
    let is_there = frames.iter().any(|frame| workers.has(eval, here(frame)));
    // What a worker sets may be on an object that it has made itself.
    let is_own = || class.is_some_and(|class| is_made_there(eval, &workers, class));
    let is_known = !eval.project.is_cut.get() && !is_there && !is_own();
    if !is_known || !places.iter().all(|(by, _)| workers.run_alone(eval, *by)) {
        return None;
    }
    Some(Found::certain(
        path,
        format!("set {}", place_of(eval, by)),
        (by.module, at),
        brought_back(eval, by, at).or_else(|why| {
            let of_task = class.and_then(|class| of_task(eval, by, class));
            of_task.ok_or(why)
        }),
    ))
}

/// Returns whether a worker makes objects of a class.
pub(super) fn is_made_there(eval: &Eval, workers: &Workers, class: DefId) -> bool {
    eval.calls().any(|(call, env)| {
        let is_it = |v: Value| matches!(v, Value::Class(of, _) if of == class);
        workers.has(eval, env.at) && is_it(eval.eval(&call.func, &env))
    })
}

/// Lets the task give back the object of a class that it is given, and that this function changes for it.
fn of_task(eval: &Eval, by: DefId, class: DefId) -> Option<Plan> {
    let all = workers(eval, &[], Some(class));
    let (_, task) = all.into_iter().find(|(id, _)| *id == by)?;
    let module = eval.project.module(task.module);
    let def = &module.defs[task.def];
    let given = def.params.first().filter(|_| !module.is_method(def))?;
    let value = match eval.name(&given.name, &eval.scope(task), None) {
        Value::Unknown => mapped(eval, task, &def.name),
        known => known,
    };
    let is_it = |v: &Value| matches!(v, Value::Instance(of) if of.class == class);
    let is_given = def.returns.is_empty() && value.may_be(is_it);
    given_back(eval, task, &given.name).filter(|_| is_given)
}

/// Returns the attributes that a statement uses in this way, which `__init__` sets to `None`.
pub(super) fn attributes(eval: &Eval, stop: &Stop, text: &str, used: &Use) -> Vec<OfObject> {
    let mut found: Vec<OfObject> = Vec::new();
    for expr in stop.statement.walk() {
        let Some((base, name)) = expr.attribute() else {
            continue;
        };
        let is_new = |path: &String| found.iter().all(|(known, ..)| known != path);
        let path = expr.dotted().filter(|path| used.is_in(text, path));
        let Some(path) = path.filter(is_new) else {
            continue;
        };
        if let Some(of) = eval.eval(base, &eval.env_of(stop, base.at)).instance()
            && let Some(places) = later_set(eval, &of, name)
        {
            found.push((path, of.class, places));
        }
    }
    found
}

/// Returns where an attribute of objects gets another value than `None`.
fn later_set(eval: &Eval, instance: &Rc<Instance>, name: &Name) -> Option<Vec<(DefId, Place)>> {
    let is_none = |s: &Setting| {
        let module: Rc<Module> = eval.project.module(s.module);
        s.value.is_some_and(|at| module.slice(at) == "None")
    };
    let own = eval.attribute_named(instance, name);
    let own = own.as_ref().map_or(&[][..], |a| a.set.as_slice());
    let (none, set): (Vec<&Setting>, Vec<&Setting>) = own.iter().partition(|s| is_none(s));
    let module = eval.project.module(instance.class.module);
    let mut of_class = bindings_of(&module.defs[instance.class.def], name).peekable();
    let is_blank = of_class.peek().is_some() && of_class.all(|b| unset::is_none(&module, b));
    let mut places: Vec<_> = set.iter().map(|s| place(s)).collect();
    // What is set on a parameter may be set on this one.
    let is_other = |v: &Value| matches!(v, Value::Instance(i) if i.class != instance.class);
    for (by, at, of) in set_elsewhere(eval, name) {
        if !places.contains(&(by, at)) && !of.alternatives().iter().all(is_other) {
            places.push((by, at));
        }
    }
    (is_blank || none.iter().any(|s| s.is_sure)).then_some(places)
}

/// Returns the places that set an attribute of this name to anything but `None`, but on the method's own object: the
/// scope, and what it is set on.
fn set_elsewhere(eval: &Eval, name: &str) -> Vec<(DefId, Place, Value)> {
    let all = set_on(eval, name).into_iter();
    let elsewhere = all.filter_map(|(by, binding, base)| {
        let module = eval.project.module(by.module);
        let def = &module.defs[by.def];
        let is_own = module.own_name(def).is_some_and(|own| base.is_name(own));
        let of = match eval.eval(&base, &eval.scope(by)) {
            Value::Unknown => mapped(eval, by, &def.name),
            of => of,
        };
        (!is_own).then_some((by, binding.at, of))
    });
    elsewhere.collect()
}

/// Returns what sets an attribute of this name to anything but `None`: the scope, how, and what it is set on.
pub(super) fn set_on(eval: &Eval, name: &str) -> Vec<(DefId, Binding, Rc<Expr>)> {
    let mut found = Vec::new();
    for (by, module) in eval.project.defs() {
        for binding in &module.defs[by.def].bindings {
            if let Some((base, n)) = binding.attribute()
                && **n == *name
                && !unset::is_none(&module, binding)
            {
                found.push((by, binding.clone(), Rc::clone(base)));
            }
        }
    }
    found
}

/// Returns an item of what a function is mapped over: `pool.map(work, rows)`.
fn mapped(eval: &Eval, by: DefId, name: &str) -> Value {
    let mut found = Value::Unknown;
    eval.calls_of(name, &mut |call, env| {
        let [task, items, ..] = call.args.as_slice() else {
            return true;
        };
        let is_it = eval
            .eval(&task.value, env)
            .function()
            .is_some_and(|f| f.id == by);
        if is_it {
            found = eval.element_of(&eval.eval(&items.value, env));
        }
        !is_it
    });
    found
}

/// Returns the function that sets it, and where.
fn place(setting: &Setting) -> (DefId, Place) {
    (DefId::new(setting.module, setting.method), setting.at)
}
