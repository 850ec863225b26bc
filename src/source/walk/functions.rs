//! Functions, lambdas and classes: those that go by a name, and what they take along.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::super::eval::{Eval, bindings_of, is_own};
use super::super::sent::Pickler;
use super::super::syntax::{Kind, Source};
use super::super::value::{DefId, Function, Value};
use super::super::wanted::{Wanted, plain_name};
use super::{At, Event, UNDECORATED, Walk, describe, new_suspect};

impl Walk<'_, '_> {
    /// Notes a function, lambda or class that is not found under its name.
    pub(super) fn named(&mut self, id: DefId, name: Option<&str>, at: &At) {
        let Wanted::Named(wanted) = self.wanted else {
            return;
        };
        let module = self.eval.project.module(id.module);
        let def = &module.defs[id.def];
        if self.pickler == Pickler::Copy || plain_name(name.unwrap_or(&def.qualname)) != *wanted {
            return;
        }
        let is_local = def.qualname.contains("<locals>");
        if !is_local && def.kind != Kind::Lambda {
            return;
        }
        let mut here = at.clone();
        (here.module, here.place) = (id.module, def.head);
        self.suspect(describe(def, &module.defs), &here, Some(id));
    }

    pub(super) fn function(&mut self, function: &Function, at: &At) {
        let module = self.eval.project.module(function.id.module);
        let def = &module.defs[function.id.def];
        if self.pickler == Pickler::Cloud {
            let is_by_value =
                self.script.is_none_or(|s| s == function.id.module) || def.qualname.contains('<');
            if is_by_value && !self.functions.contains(&function.id) {
                self.functions.push(function.id);
                self.used(function, at);
            }
            return;
        }
        if matches!(self.wanted, Wanted::Same(_)) {
            return self.other(function, at);
        }
        if function.wraps.is_some() {
            return;
        }
        self.named(function.id, None, at);
    }

    /// Returns whether a function is the one of the name that leads to another object.
    pub(super) fn goes_by(&self, id: DefId) -> bool {
        let Wanted::Same(full) = self.wanted else {
            return false;
        };
        let module = self.eval.project.module(id.module);
        let own = &module.defs[id.def].qualname;
        full.strip_suffix(own.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// Notes a wrapper that goes by the name of what it wraps, or what a decorator was given.
    pub(super) fn other(&mut self, function: &Function, at: &At) {
        let mut here = at.clone();
        if let Some(wrapped) = function.wraps.as_deref().and_then(Value::function) {
            if !self.goes_by(wrapped.id) {
                return;
            }
            let module = self.eval.project.module(at.module);
            let name = module.slice(at.place);
            // In the function that uses it, or at the top.
            let scopes = module.outwards(module.def_around(at.place));
            let mut scopes = scopes.map(|(_, d)| d).chain([&module.defs[0]]);
            let value = scopes.find_map(|d| match &bindings_of(d, name).last()?.source {
                Source::Value(value) => Some(value.at),
                _ => None,
            });
            here.place = value.unwrap_or(here.place);
            let wrapped_module = self.eval.project.module(wrapped.id.module);
            let name = &wrapped_module.defs[wrapped.id.def].name;
            let of = format!("a wrapper that goes by the name {name}");
            let mut suspect = new_suspect(of, &here, None);
            suspect.named_as = Some(wrapped.id);
            self.events.push(Event::Suspect(suspect));
            return;
        }
        let module = self.eval.project.module(function.id.module);
        let def = &module.defs[function.id.def];
        if self.goes_by(function.id) && !def.decorators.is_empty() {
            (here.module, here.place) = (function.id.module, def.head);
            here.path = def.name.to_string();
            self.suspect(UNDECORATED.to_owned(), &here, None);
        }
    }

    /// Walks over what a function uses from outside, as `cloudpickle` does.
    pub(super) fn used(&mut self, function: &Function, at: &At) {
        let module = self.eval.project.module(function.id.module);
        let all = module.defs().filter(|(id, d)| {
            *id == function.id.def
                || module.defs[function.id.def].at.holds(d.at) && *id > function.id.def
        });
        let mut seen = HashSet::new();
        let names = all.flat_map(|(_, d)| d.names());
        let names = names.filter(|(name, _)| seen.insert(Rc::clone(name)));
        let def = &module.defs[function.id.def];
        let env = Eval::run(function, HashMap::new(), false);
        for (name, place) in names {
            if is_own(def, name) {
                continue;
            }
            let value = self.eval.name(name, &env, None);
            let mut inner = at.inner();
            inner.holder = None;
            (inner.path, inner.is_named) = (name.to_string(), true);
            (inner.module, inner.place) = (function.id.module, place);
            let goes_by_name = matches!(
                value,
                Value::Outside(..) | Value::OutsideModule(_) | Value::Module(_) | Value::Class(..)
            );
            if !goes_by_name && !matches!(value, Value::Plain | Value::Unknown) {
                self.value(&value, &inner);
            }
        }
    }
}
