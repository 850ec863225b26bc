//! What of an object is left out of its bytes: attributes, parts of a dict, weak references.

use std::rc::Rc;

use crate::object::Edit;
use crate::traceback::facts::Via;

use super::super::eval::Eval;
use super::super::only::only;
use super::super::syntax::{Def, Expr, Module, StatementKind};
use super::super::text::mangled;
use super::super::value::{Attribute, DefId, Instance, Later, Step, Value};
use super::super::walk::Holder;
use super::blank::is_certain;
use super::bound::{cannot_travel, is_all_bound, is_bound, is_filled_with};
use super::captured::stays_here;
use super::handed::{given, handed_on, only_uses};
use super::own_thread::counts_on;
use super::remake::{Remade, may_be_none, remake, remake_part, setting, value_of};
use super::shared::{guards_shared, is_signal, reaches_workers};
use super::shown::shown;
use super::slots::Slots;
use super::state::is_property;
use super::unneeded::Needs;

/// What becomes of an attribute on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It is made again.
    Made,
    /// Its property makes it again when it is asked for.
    Cached,
    /// It is `None` in the other process.
    Empty,
    /// The same, where no task uses it.
    Unneeded,
    /// What the weak reference points at goes along.
    Weak,
    /// The dict that it shows goes along.
    Shown,
}

/// An attribute that is not pickled as it is.
pub(super) struct Left {
    /// What is left out, as a reader would write it: `lock`, `state["lock"]`.
    pub(super) name: String,
    pub(super) way: Way,
    /// Lines of `__getstate__`.
    pub(super) outs: Vec<String>,
    /// Lines of `__setstate__`.
    pub(super) again: Vec<String>,
    /// What `__init__` has to keep for them.
    pub(super) edits: Vec<Edit>,
}

/// How the lines of the methods are written.
pub(super) struct Form<'m> {
    pub(super) module: &'m Rc<Module>,
    /// The class that gets the methods.
    pub(super) class: DefId,
    pub(super) unit: String,
    pub(super) frozen: bool,
    pub(super) has_getstate: bool,
    pub(super) slots: Slots,
    /// Whether pickle is asked by nothing else than two new methods, and takes `__dict__`.
    pub(super) is_plain: bool,
    /// What the tasks use, where it decides what can be done without.
    pub(super) needs: Option<&'m Needs>,
}

impl Form<'_> {
    /// Returns a line that sets an attribute.
    pub(super) fn set(&self, name: &str, value: &str) -> String {
        if self.frozen && self.slots != Slots::None {
            return format!("object.__setattr__(self, \"{}\", {value})", self.key(name));
        }
        format!("{} = {value}", self.target(name))
    }

    /// Returns how an attribute is set.
    fn target(&self, name: &str) -> String {
        if self.frozen {
            format!("self.__dict__[\"{}\"]", self.key(name))
        } else {
            format!("self.{name}")
        }
    }

    /// Returns the name by which `__dict__` has an attribute.
    pub(super) fn key(&self, name: &str) -> String {
        mangled(&self.module.defs[self.class.def].name, name)
    }

    /// Returns whether the methods of the class can name an attribute: what begins with two underscores
    /// belongs to the class that sets it.
    fn may_name(&self, attribute: &Attribute) -> bool {
        *self.key(&attribute.name) == *attribute.name
            || attribute.set.iter().all(|s| s.class == Some(self.class))
    }
}

/// Returns the attributes to leave out, with what makes them again.
pub(super) fn left(
    eval: &Eval,
    holder: &Holder,
    instance: &Rc<Instance>,
    via: Option<Via>,
    form: &Form,
    is_taken: &dyn Fn(&Attribute) -> bool,
) -> Result<Vec<Left>, String> {
    let mut all: Vec<Left> = Vec::new();
    let mut has_it = false;
    let attributes = eval.attributes(instance);
    for attribute in in_order(eval, &attributes) {
        let is_the_one = attribute.name == holder.attribute;
        // What tells workers something is for a change of its own.
        let signals = || {
            eval.values(attribute).iter().any(|v| {
                matches!(v, Value::Made(m) if is_signal(eval, &m.of, &attribute.name)
                    || guards_shared(eval, instance.class, &m.of, &attribute.name))
            })
        };
        let is_left = || reaches_workers(via) && signals();
        let is_made_of = || all.iter().any(|l| is_made_of(eval, attribute, &l.name));
        let goes_too = || {
            (cannot_travel(eval, attribute) || is_made_of()) && is_taken(attribute) && !is_left()
        };
        if !is_the_one && !goes_too() {
            continue;
        }
        has_it |= is_the_one;
        if !form.may_name(attribute) {
            return Err(format!("`{}` is private to another class", attribute.name));
        }
        if is_property(eval, &eval.line_of(holder.class), &attribute.name) {
            return Err(format!("`{}` is a property", attribute.name));
        }
        if form.slots == Slots::Private && !attribute.name.starts_with('_') {
            return Err(format!("`{}` is a field of a model", attribute.name));
        }
        let is_whole = !is_the_one || holder.is_itself || is_bound_whole(eval, attribute);
        let one = if let Some(unneeded) = unneeded(eval, instance, attribute, form) {
            Ok(unneeded)
        } else if form.slots == Slots::Private {
            whole_left(eval, instance, attribute, form)
        } else if !is_whole {
            parts_left(eval, instance, attribute, form)
        } else if let Some(kept) = weak(eval, attribute, form) {
            kept
        } else if let Some(shown) = shown(eval, instance, attribute, form) {
            shown
        } else {
            whole_left(eval, instance, attribute, form)
        };
        all.push(one.map_err(|why| {
            if is_the_one {
                why
            } else {
                format!("`{}` cannot be sent either: {why}", attribute.name)
            }
        })?);
    }
    if has_it {
        parted(eval, instance, &all)?;
        together(eval, instance, &mut all, form);
        Ok(all)
    } else {
        Err(format!(
            "`{}` is set on other objects too",
            holder.attribute
        ))
    }
}

/// Returns attributes in the order in which they are made: one may be made of another.
fn in_order<'a>(eval: &Eval, attributes: &'a [Attribute]) -> Vec<&'a Attribute> {
    let mut all: Vec<&Attribute> = attributes.iter().collect();
    let made = |a: &Attribute| setting(eval, a).map(|(_, made)| (made.module, made.at.start));
    let places: Vec<_> = all.iter().filter_map(|a| made(a)).collect();
    if places.iter().all(|(module, _)| *module == places[0].0) {
        all.sort_by_key(|a| made(a).map(|(_, start)| start));
    }
    all
}

/// What is made of something that is left out, and can be made again with it.
const MADE_OF: &[&str] = &[
    "sqlalchemy.orm.sessionmaker",
    "csv.writer",
    "csv.DictWriter",
];

/// Returns whether an attribute is made of one that is left out: `sessionmaker(bind=self.engine)`.
fn is_made_of(eval: &Eval, attribute: &Attribute, other: &str) -> bool {
    let is_such = |v: Value| matches!(v, Value::Made(made) if MADE_OF.contains(&&*made.of));
    eval.values(attribute).into_iter().any(is_such) && has(eval, attribute, other)
}

/// Returns whether an attribute's own lines hand it another of its object.
fn has(eval: &Eval, attribute: &Attribute, other: &str) -> bool {
    attribute.set.iter().any(|setting| {
        let module = eval.project.module(setting.module);
        let def = &module.defs[setting.method];
        value_of(def, setting).is_some_and(|e| is_handed(&e, def, other))
    })
}

/// Returns an error if something is handed on that would be another one in the other process: to what
/// another attribute is made of (`[Shelf(n, self.lock) for n in names]`), or in a call
/// (`self.log.addHandler(self.handler)`).
fn parted(eval: &Eval, instance: &Rc<Instance>, all: &[Left]) -> Result<(), String> {
    let attributes = eval.attributes(instance);
    let is_left = |name: &str| all.iter().any(|l| l.name == name);
    let is_used = |name: &str| all.iter().any(|l| l.name == name && l.way != Way::Unneeded);
    for attribute in attributes.iter().filter(|a| is_used(&a.name)) {
        let name = &attribute.name;
        for other in attributes.iter().filter(|a| !is_left(&a.name)) {
            if has(eval, other, name) {
                return Err(format!("`{}` has the same `{name}`", other.name));
            }
        }
        for setting in &attribute.set {
            let module = eval.project.module(setting.module);
            let def = &module.defs[setting.method];
            let alone = def.of_kind(StatementKind::Expr);
            let below = alone.filter(|s| s.at.start > setting.at.start);
            for expr in below.flat_map(|s| &s.exprs) {
                if is_handed(expr, def, name) && !is_use(expr) {
                    return Err(format!("`{}` has it too", module.slice(expr.at)));
                }
            }
        }
        if let Some(call) = handed_on(eval, instance, name) {
            return Err(format!("`{call}` has it too"));
        }
    }
    Ok(())
}

fn is_use(expr: &Expr) -> bool {
    expr.call().is_some_and(|call| only_uses(call))
}

/// Returns whether an expression hands an attribute of the object itself to a call.
fn is_handed(expr: &Rc<Expr>, def: &Def, name: &str) -> bool {
    let own = def.params.first().map(|p| &p.name);
    let is_it = |e: &Expr| match e.attribute() {
        Some((base, n)) => **n == *name && own.is_some_and(|own| base.is_name(own)),
        None => false,
    };
    let mut all = expr.calls().flat_map(|call| given(call));
    all.any(|(_, e)| is_it(e))
}

/// Lets attributes that one statement sets be one thing again: `self.read = self.write = RLock()`.
fn together(eval: &Eval, instance: &Rc<Instance>, all: &mut [Left], form: &Form) {
    let attributes = eval.attributes(instance);
    let place = |name: &str| {
        let attribute = attributes.iter().find(|a| &*a.name == name)?;
        let setting = only(&attribute.set)?;
        Some((setting.module, setting.at, setting.value?))
    };
    for at in 1..all.len() {
        let (before, rest) = all.split_at_mut(at);
        let Some(own) = place(&rest[0].name) else {
            continue;
        };
        if let Some(first) = before.iter().find(|l| place(&l.name) == Some(own)) {
            let again = form.set(&rest[0].name, &format!("self.{}", first.name));
            rest[0].again = vec![again];
        }
    }
}

/// Leaves an attribute out, and makes it again.
fn whole_left(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
    form: &Form,
) -> Result<Left, String> {
    let Remade { text, then, edits } = remake(eval, instance, attribute)?;
    let again = form.set(&attribute.name, &text);
    let way = match text.as_str() {
        "" => Way::Cached,
        "None" => Way::Empty,
        _ => Way::Made,
    };
    let out = leave_out(eval, attribute, form);
    let again: Vec<String> = (!text.is_empty())
        .then_some(again)
        .into_iter()
        .chain(then)
        .collect();
    let (outs, again) = if way == Way::Made && may_be_none(eval, attribute) {
        where_made(attribute, form, &again)?
    } else {
        (vec![out], again)
    };
    Ok(Left {
        name: attribute.name.to_string(),
        way,
        outs,
        again,
        edits,
    })
}

/// Leaves an attribute out that no task uses, nor anything of the object that is made again of it.
fn unneeded(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
    form: &Form,
) -> Option<Left> {
    let needs = form.needs?;
    let attributes = eval.attributes(instance);
    let is_part = |o: &Attribute| {
        let of_it = has(eval, o, &attribute.name) && cannot_travel(eval, o);
        !needs.lack(&o.name) && (of_it || is_made_of(eval, o, &attribute.name))
    };
    let is_spare =
        || !attributes.iter().any(is_part) && counts_on(eval, instance, attribute).is_ok();
    (needs.lack(&attribute.name) && form.slots != Slots::Private && is_spare()).then(|| Left {
        name: attribute.name.to_string(),
        way: Way::Unneeded,
        outs: vec![leave_out(eval, attribute, form)],
        again: vec![form.set(&attribute.name, "None")],
        edits: Vec::new(),
    })
}

/// Leaves an attribute out, and makes it again, where it is not `None`.
fn where_made(
    attribute: &Attribute,
    form: &Form,
    again: &[String],
) -> Result<(Vec<String>, Vec<String>), String> {
    if !form.is_plain {
        return Err("it may be `None`".to_owned());
    }
    let key = form.key(&attribute.name);
    let within = |line: &str| format!("{}{line}", form.unit);
    let outs = vec![
        format!("if state.get(\"{key}\") is not None:"),
        within(&format!("del state[\"{key}\"]")),
    ];
    let test = format!("if \"{key}\" not in state:");
    let again = again.iter().map(|line| within(line));
    Ok((outs, std::iter::once(test).chain(again).collect()))
}

/// Leaves the parts of a dict that cannot travel out of it: `self.state = {"lock": Lock()}`.
fn parts_left(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
    form: &Form,
) -> Result<Left, String> {
    let other = || "it is not a dict that one line makes".to_owned();
    let ([later], [setting]) = (attribute.values.as_slice(), attribute.set.as_slice()) else {
        return Err(other());
    };
    let value = eval.force(later);
    let (items, extra) = match &value {
        Value::Items(items) => (items, None),
        Value::Filled(base, extra) => match &**base {
            Value::Items(items) => (items, Some(extra)),
            _ => return Err(other()),
        },
        _ => return Err("what it holds is made elsewhere".to_owned()),
    };
    let is_added = |later: &Later| eval.force(later).may_be(is_bound);
    if extra.is_some_and(|e| e.iter().any(|(_, later)| is_added(later))) {
        return Err("more such things are put into it later".to_owned());
    }
    let (name, state) = (&attribute.name, form.key(&attribute.name));
    let mut left = Left {
        name: String::new(),
        way: Way::Made,
        outs: vec![format!("state[\"{state}\"] = dict(self.{name})")],
        again: Vec::new(),
        edits: Vec::new(),
    };
    let mut names = Vec::new();
    for (step, later) in items.iter() {
        let value = eval.force(later);
        if !value.may_be(is_bound) {
            continue;
        }
        let (Step::Key(key), Later::Expr(expr, env)) = (step, later) else {
            return Err(other());
        };
        let is_here = setting.value.is_some_and(|v| v.holds(expr.at))
            && (env.at.module, env.at.def) == (setting.module, setting.method);
        if !is_here {
            return Err("it is made elsewhere".to_owned());
        }
        let Remade { text, edits, .. } = remake_part(eval, instance, setting, expr, &value)?;
        left.outs
            .push(format!("state[\"{state}\"].pop(\"{key}\", None)"));
        left.again.push(format!("self.{name}[\"{key}\"] = {text}"));
        left.edits.extend(edits);
        names.push(format!("{name}[\"{key}\"]"));
    }
    if names.is_empty() {
        return Err("it is deeper in it".to_owned());
    }
    left.name = names.join("`, `");
    Ok(left)
}

/// Sends what a weak reference points at; `None` if the attribute is anything else too.
fn weak(eval: &Eval, attribute: &Attribute, form: &Form) -> Option<Result<Left, String>> {
    let mut func = None;
    let all = attribute.values.iter().zip(&attribute.set);
    let all = all.flat_map(|(later, setting)| {
        let text = setting.value.map(|at| {
            let module = eval.project.module(setting.module);
            module.slice(at).to_owned()
        });
        let values = eval.force(later).alternatives();
        values.into_iter().map(move |v| (v, text.clone()))
    });
    for (value, text) in all {
        match value {
            // Of data only `None` is no weak reference on the other side.
            Value::Plain if text.is_some_and(|t| t.contains("None")) => {}
            // Without a callback, which is often a method of the object itself.
            Value::Made(m) if &*m.of == "weakref.ref" && m.call.args.len() == 1 => {
                let module = eval.project.module(m.env.at.module);
                if !Rc::ptr_eq(&module, form.module) {
                    return None;
                }
                let target = eval.eval(&m.call.args[0].value, &m.env);
                if stays_here(eval, &target, None) {
                    return Some(Err("what it points at cannot be sent".to_owned()));
                }
                func = Some(module.slice(m.call.func.at).to_owned());
            }
            _ => return None,
        }
    }
    let (func, name) = (func?, &attribute.name);
    let target = form.target(name);
    Some(Ok(Left {
        name: name.to_string(),
        way: Way::Weak,
        outs: vec![format!(
            "state[\"{}\"] = self.{name}() if self.{name} is not None else None",
            form.key(name)
        )],
        again: vec![
            format!("if self.{name} is not None:"),
            // In the other process nothing else may hold it.
            format!(
                "{}{} = self.{name}",
                form.unit,
                form.target(&format!("{name}_kept"))
            ),
            format!("{}{target} = {func}(self.{name})", form.unit),
        ],
        edits: Vec::new(),
    }))
}

/// Returns whether an attribute as a whole is what cannot travel.
fn is_bound_whole(eval: &Eval, attribute: &Attribute) -> bool {
    let all = attribute.values.iter();
    all.map(|v| eval.force(v))
        .any(|v| is_all_bound(eval, &v) || is_filled_with(eval, &v))
}

/// Returns a line that takes an attribute out of `state`, in which it need not be.
fn leave_out(eval: &Eval, attribute: &Attribute, form: &Form) -> String {
    let (key, state) = (form.key(&attribute.name), form.slots.holder());
    let deleted = format!("del self.{}", attribute.name);
    let may_lack = form.has_getstate || eval.project.says(&deleted);
    let is_private = form.slots == Slots::Private;
    if !may_lack && !is_private && attribute.set.iter().any(|s| is_certain(eval, s)) {
        format!("del {state}[\"{key}\"]")
    } else {
        format!("{state}.pop(\"{key}\", None)")
    }
}
