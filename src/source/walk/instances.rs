//! Instances of the program's classes: what pickling takes of them.

use std::rc::Rc;

use super::super::instance::State;
use super::super::objects::{PROCESS, inside};
use super::super::sent::Pickler;
use super::super::syntax::Name;
use super::super::value::{Instance, Later, Value};
use super::{At, Event, Holder, Walk};

impl Walk<'_, '_> {
    pub(super) fn instance(&mut self, instance: &Rc<Instance>, at: &At) {
        let made = instance.made.as_ref();
        let made = made.map_or(0, |(call, _)| Rc::as_ptr(call) as usize);
        let key = (instance.class, made);
        if self.instances.contains(&key) {
            return;
        }
        self.instances.push(key);
        let module = self.eval.project.module(instance.class.module);
        let class = &module.defs[instance.class.def];
        let mut at = at.clone();
        if !at.is_named && at.holder.is_none() {
            at.path = class.name.to_string();
        }
        at.is_named = true;
        self.named(instance.class, None, &at);
        let line = self.eval.line(instance.class, &instance.class_env);
        let is_copy = self.pickler == Pickler::Copy;
        let without = match self.eval.state(instance, is_copy) {
            State::Open => {
                self.events.push(Event::Unknown);
                return;
            }
            State::Given(value) => {
                let inner = at.inner();
                // What `__getstate__` gives goes by the attributes that it is made of.
                if let Value::Unknown = value {
                    self.events.push(Event::Unknown);
                } else {
                    self.given(&value, &inner, instance);
                }
                return;
            }
            State::Without(names) => names,
        };
        self.foreign_bases(instance, &line.outside, &at);
        if line.is_open {
            self.events.push(Event::Unknown);
        }
        self.attributes(instance, &without, &at);
    }

    /// Walks over what the classes of libraries, that this one inherits from, hold.
    fn foreign_bases(&mut self, instance: &Instance, bases: &[Name], at: &At) {
        let module = self.eval.project.module(instance.class.module);
        let class = &module.defs[instance.class.def];
        for outside in bases {
            // An exception holds what it was raised with, which its own attributes mostly are.
            let is_error = || outside.ends_with("Error") || outside.ends_with("Exception");
            if &**outside == PROCESS || !outside.contains('.') && is_error() {
                continue;
            }
            if self.holds(outside) {
                let mut here = at.clone();
                // An attribute is where it is set; else the class tells more than the place.
                if here.holder.as_ref().is_none_or(|h| !h.is_itself) {
                    (here.module, here.place) = (instance.class.module, class.head);
                }
                self.suspect(outside.to_string(), &here, None);
            } else if inside(outside).is_none() {
                self.events.push(Event::Unknown);
            }
        }
    }

    /// Walks over the attributes that pickling takes: all but those.
    fn attributes(&mut self, instance: &Rc<Instance>, without: &[String], at: &At) {
        for attribute in self.eval.attributes(instance).iter() {
            if without.iter().any(|w| *w == *attribute.name) {
                continue;
            }
            for (later, setting) in attribute.values.iter().zip(&attribute.set) {
                let mut inner = at.inner();
                inner.path = format!("{}.{}", at.path, attribute.name);
                inner.is_sure &= attribute.is_sure;
                (inner.module, inner.place) = (setting.module, setting.value.unwrap_or(setting.at));
                inner.holder = Some(Holder {
                    class: instance.class,
                    attribute: Rc::clone(&attribute.name),
                    setting: setting.clone(),
                    is_itself: true,
                });
                let value = self.eval.force(later);
                self.value(&value, &inner);
            }
        }
    }

    /// Walks over what a `__getstate__` or `__reduce__` gives; attributes keep their names.
    pub(super) fn given(&mut self, value: &Value, at: &At, instance: &Rc<Instance>) {
        match value {
            Value::Items(items) => {
                for (_, later) in items.iter() {
                    let mut inner = at.inner();
                    if let Later::Expr(expr, _) = later
                        && let Some((_, name)) = expr.attribute()
                    {
                        inner.path = format!("{}.{name}", at.path);
                        let found = self.eval.attribute_named(instance, name);
                        let holder = found.and_then(|a| Holder::of(instance.class, &a));
                        inner.holder = holder.or(inner.holder);
                    }
                    let value = self.eval.force(later);
                    match value {
                        Value::Items(_) => self.given(&value, &inner, instance),
                        Value::Class(..) | Value::Function(_) => {}
                        other => self.value(&other, &inner),
                    }
                }
            }
            Value::OneOf(values) => {
                let mut at = at.clone();
                at.is_sure = false;
                for value in values.iter() {
                    self.given(value, &at, instance);
                }
            }
            other => self.value(other, at),
        }
    }
}
