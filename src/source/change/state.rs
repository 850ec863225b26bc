//! Leaves attributes out of the bytes, and makes them again in the other process.

use std::rc::Rc;

use crate::object::Edit;
use crate::traceback::facts::Via;

use super::super::eval::{Eval, bindings_of};
use super::super::instance::{Line, State};
use super::super::objects::inside;
use super::super::text::{join, unit};
use super::super::value::{Attribute, DefId, Instance, Step, Value};
use super::super::walk::Holder;
use super::methods::{Lines, Methods};
use super::remake::{Remade, remake};
use super::shared::{is_signal, reaches_workers};
use super::{Plan, Planned};

/// Methods that pickle asks instead of `__getstate__`.
const OWN_WAYS: &[&str] = &["__reduce__", "__reduce_ex__", "__deepcopy__", "__copy__"];
/// Bases whose own ways of pickling pass over `__getstate__`, by the ends of their names.
const STRANGE_BASES: &[&str] = &[
    "Exception",
    "Error",
    "Warning",
    "BaseModel",
    "BaseSettings",
    "NamedTuple",
    "Struct",
    "Enum",
    "Structure",
];

/// Plans it for the attribute, and for all others of the class that cannot travel.
pub(super) fn state(eval: &Eval, holder: &Holder, via: Option<Via>) -> Planned {
    let methods = methods(eval, holder)?;
    let id = methods.class;
    let module = eval.project.module(id.module);
    let class = &module.defs[id.def];
    let def = class.parent;
    let env = eval.scope(DefId { def, ..id });
    let Value::Instance(instance) = eval.any_instance(id, env) else {
        return Err("its class cannot be read".to_owned());
    };
    let has_getstate = methods.getstate.is_some() || methods.base_getstate;
    let is_taken = |attribute: &Attribute| {
        attribute.name == holder.attribute
            || match eval.state(&instance, false) {
                State::Without(names) => !names.iter().any(|n| **n == *attribute.name),
                _ => false,
            }
    };
    let dropped = dropped(eval, holder, &instance, via, &is_taken)?;
    let decorators = class.decorators.iter();
    let frozen = decorators
        .map(|d| module.slice(d.at))
        .any(|d| d.contains("frozen=True"));
    let outs = dropped.iter().map(|(a, _)| leave_out(a, has_getstate));
    let again = dropped.iter().filter(|(_, made)| !made.text.is_empty());
    let again = again.map(|(a, made)| make_again(a, made, frozen));
    let mut edits = kept(&dropped);
    if frozen && !edits.is_empty() {
        return Err("the class is frozen".to_owned());
    }
    let keeping: Vec<&str> = edits.iter().map(|e| e.text.trim()).collect();
    let keeping = if keeping.is_empty() {
        String::new()
    } else {
        format!(" (`{}` goes into `__init__`)", keeping.join("; "))
    };
    let lines = Lines {
        unit: unit(&module, class),
        outs: outs.collect(),
        again: again.collect(),
    };
    let code = lines.put(&module, class, &methods, &mut edits)?;
    let names: Vec<String> = dropped
        .iter()
        .map(|(a, _)| format!("`{}`", a.name))
        .collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    let rest = if lines.again.is_empty() {
        format!("; the property makes {them} again in the other process")
    } else {
        format!(", and make {them} again in the other process")
    };
    edits.sort();
    Ok(Plan {
        text: format!(
            "Leave {} out of the bytes{rest}. In class `{}`{keeping}:",
            join(&names),
            class.name
        ),
        code,
        edits,
        module: id.module,
    })
}

/// Returns a line that makes an attribute again.
fn make_again(attribute: &Attribute, made: &Remade, frozen: bool) -> String {
    if frozen {
        format!("self.__dict__[\"{}\"] = {}", attribute.name, made.text)
    } else {
        format!("self.{} = {}", attribute.name, made.text)
    }
}

/// Returns the edits by which `__init__` keeps what they are made of.
fn kept(dropped: &[(Attribute, Remade)]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for edit in dropped.iter().flat_map(|(_, made)| &made.edits) {
        if !edits.contains(edit) {
            edits.push(edit.clone());
        }
    }
    edits
}

/// Finds the class that gets the methods; refuses where pickle would not ask them.
fn methods(eval: &Eval, holder: &Holder) -> Result<Methods, String> {
    let own = holder.setting.class.unwrap_or(holder.class);
    let line_of = |id: DefId| {
        let module = eval.project.module(id.module);
        let def = module.defs[id.def].parent;
        eval.line(id, &eval.scope(DefId { def, ..id }))
    };
    let line = line_of(holder.class);
    check(eval, &line)?;
    let of = |line: &Line, name: &str| {
        eval.method(line, name).map(|f| {
            let module = eval.project.module(f.id.module);
            let class = DefId {
                def: module.defs[f.id.def].parent,
                ..f.id
            };
            (class, f.id.def)
        })
    };
    let getstate = of(&line, "__getstate__");
    let setstate = of(&line, "__setstate__");
    let class = match (getstate, setstate) {
        (Some((class, _)), _) | (None, Some((class, _))) => {
            let holds = |line: &Line, id: DefId| line.own.iter().any(|(c, _)| *c == id);
            if holds(&line_of(class), own) {
                // Every instance of that class has the attribute.
                class
            } else if holds(&line_of(own), class) {
                own
            } else {
                holder.class
            }
        }
        (None, None) => own,
    };
    let in_class = |found: Option<(DefId, usize)>| found.filter(|(c, _)| *c == class);
    let base = |found: Option<(DefId, usize)>| found.is_some_and(|(c, _)| c != class);
    Ok(Methods {
        class,
        getstate: in_class(getstate).map(|(_, number)| number),
        setstate: in_class(setstate).map(|(_, number)| number),
        base_getstate: base(getstate),
        base_setstate: base(setstate),
    })
}

fn check(eval: &Eval, line: &Line) -> Result<(), String> {
    if line.is_open {
        return Err("a base class cannot be read".to_owned());
    }
    for outside in &line.outside {
        let last = outside.rsplit('.').next().unwrap_or_default();
        let is_strange = STRANGE_BASES.iter().any(|end| last.ends_with(end));
        if is_strange || inside(outside).is_none() {
            return Err(format!(
                "its base class `{outside}` may pickle in a way of its own"
            ));
        }
    }
    if let Some(name) = OWN_WAYS
        .iter()
        .find(|name| eval.method(line, name).is_some())
    {
        return Err(format!("the class has a `{name}` of its own"));
    }
    for (id, _) in &line.own {
        let module = eval.project.module(id.module);
        let class = &module.defs[id.def];
        let has_slots = bindings_of(class, "__slots__").next().is_some()
            || class.decorators.iter().any(|d| {
                let text = module.slice(d.at);
                text.contains("slots=True")
                    || ["define", "mutable", "attr.s", "attrs.frozen"]
                        .iter()
                        .any(|name| text.contains(name))
            });
        if has_slots {
            return Err(format!("the class `{}` has slots", class.name));
        }
    }
    Ok(())
}

/// Returns the attributes to leave out, with what makes them again.
fn dropped(
    eval: &Eval,
    holder: &Holder,
    instance: &Rc<Instance>,
    via: Option<Via>,
    is_taken: &dyn Fn(&Attribute) -> bool,
) -> Result<Vec<(Attribute, Remade)>, String> {
    let mut dropped = Vec::new();
    for attribute in eval.attributes(instance).iter() {
        let is_the_one = attribute.name == holder.attribute;
        // What tells workers something is for a change of its own.
        let signals = || {
            let all = attribute.values.iter();
            all.flat_map(|v| eval.force(v).alternatives())
                .any(|v| matches!(v, Value::Made(m) if is_signal(eval, &m.of, &attribute.name)))
        };
        let is_left = || reaches_workers(via) && signals();
        let goes_too = || cannot_travel(eval, attribute) && is_taken(attribute) && !is_left();
        if !is_the_one && !goes_too() {
            continue;
        }
        let made = remake(eval, instance, attribute).map_err(|why| {
            if is_the_one {
                why
            } else {
                format!("`{}` would be left: {why}", attribute.name)
            }
        })?;
        dropped.push((attribute.clone(), made));
    }
    if dropped.iter().any(|(a, _)| a.name == holder.attribute) {
        Ok(dropped)
    } else {
        Err(format!(
            "`{}` is set on other objects too",
            holder.attribute
        ))
    }
}

/// Returns a line that takes an attribute out of `state`, in which it need not be.
fn leave_out(attribute: &Attribute, has_getstate: bool) -> String {
    if !has_getstate && attribute.set.iter().any(|s| s.is_sure && s.class.is_some()) {
        format!("del state[\"{}\"]", attribute.name)
    } else {
        format!("state.pop(\"{}\", None)", attribute.name)
    }
}

/// Returns whether an attribute is something that no pickle takes.
pub(super) fn cannot_travel(eval: &Eval, attribute: &Attribute) -> bool {
    let all = attribute.values.iter();
    all.flat_map(|v| eval.force(v).alternatives())
        .any(|value| is_bound(&value) || is_filled_with(eval, &value))
}

/// Returns whether a value belongs to its process.
pub(super) fn is_bound(value: &Value) -> bool {
    match value {
        Value::Made(made) => {
            !made.of.starts_with("multiprocessing.")
                && inside(&made.of).is_some_and(|i| !i.holds.is_empty() && !i.keeps)
        }
        Value::OutsideModule(_) => true,
        _ => false,
    }
}

/// Returns whether a container holds nothing but such values, put into it later.
pub(super) fn is_filled_with(eval: &Eval, value: &Value) -> bool {
    let Value::Filled(base, extra) = value else {
        return false;
    };
    matches!(&**base, Value::Items(items) if items.is_empty())
        && extra.iter().all(|(step, later)| {
            !matches!(step, Step::Attribute(_)) && is_bound(&eval.force(later))
        })
}
