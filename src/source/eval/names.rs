//! Names: what binds them, in their scope, the scopes around it, and other modules.

use std::rc::Rc;

use super::super::objects::canonical;
use super::super::only::only;
use super::super::project::ModuleId;
use super::super::syntax::{Binding, Def, ExprKind, Kind, Module, Name, Place, Source, Target};
use super::super::value::{DefId, Env, Value};
use super::Eval;

impl Eval<'_> {
    /// Works out a name; `at` is where it is used, if that is in the scope itself.
    pub(in crate::source) fn name(&self, name: &Name, env: &Env, at: Option<Place>) -> Value {
        let mut env = Rc::clone(env);
        let mut at = at;
        let mut is_first = true;
        loop {
            if let Some(later) = env.names.get(name) {
                let later = later.clone();
                let value = self.force(&later);
                return self.with_contents(value, name, &env);
            }
            if let Some(outer) = env.outer.as_ref().filter(|o| o.at == env.at) {
                env = Rc::clone(outer);
                continue;
            }
            let module = self.project.module(env.at.module);
            let def = &module.defs[env.at.def];
            if def.declares(name) {
                let top = self.scope(env.at.beside(0));
                return self.global(name, &top);
            }
            // What a function sets by `global` may have taken the place of what the module has.
            if def.kind == Kind::Module && module.has_global(name) {
                return self.global(name, &env);
            }
            // The names of a class are not seen from its methods.
            if (def.kind != Kind::Class || is_first)
                && let Some(value) = self.local(name, &env, def, at)
            {
                return self.with_contents(value, name, &env);
            }
            if def.kind == Kind::Module {
                return self.global(name, &env);
            }
            let parent = env.at.beside(def.parent);
            env = match &env.outer {
                Some(outer) => Rc::clone(outer),
                None => self.scope(parent),
            };
            is_first = false;
            at = None;
        }
    }

    /// Works out a name of a module that the module itself may not bind.
    pub(in crate::source) fn global(&self, name: &Name, top: &Env) -> Value {
        let module = self.project.module(top.at.module);
        let mut values = Vec::new();
        if let Some(value) = self.local(name, top, &module.defs[0], None) {
            values.push(value);
        }
        for (id, def) in module.defs().filter(|(_, d)| d.declares(name)) {
            let env = self.scope(top.at.beside(id));
            for binding in bindings_of(def, name) {
                values.push(self.source(&binding.source, &env));
            }
        }
        if !values.is_empty() {
            return self.with_contents(Value::one_of(values), name, top);
        }
        for binding in bindings_of(&module.defs[0], "*") {
            if let Source::From(from, _) = &binding.source
                && let Some(found) = self.project.import(top.at.module, from)
            {
                let other = self.project.module(found);
                if bindings_of(&other.defs[0], name).next().is_some() {
                    let env = self.scope(DefId::top(found));
                    return self.global(name, &env);
                }
            }
        }
        if matches!(
            &**name,
            "True" | "False" | "None" | "__name__" | "__file__" | "__doc__"
        ) {
            return Value::Plain;
        }
        Value::Outside(Rc::clone(name), None)
    }

    /// Works out a name that a scope binds itself; `None` if it does not.
    pub(super) fn local(
        &self,
        name: &Name,
        env: &Env,
        def: &Def,
        at: Option<Place>,
    ) -> Option<Value> {
        let mut found = Vec::new();
        let mut is_settled = false;
        let bindings: Vec<&Binding> = bindings_of(def, name).collect();
        let holds_use = |b: &Binding| match (&b.source, at) {
            (Source::Value(e) | Source::Element(e) | Source::Entered(e), Some(at)) => {
                e.at.holds(at)
            }
            _ => false,
        };
        let is_before = |b: &&&Binding| at.is_none_or(|at| b.at.start < at.start) && !holds_use(b);
        let mut before: Vec<&Binding> = bindings.iter().filter(is_before).copied().collect();
        if before.is_empty() && !def.has_param(name) {
            // In a loop, what is bound further down.
            before = bindings.iter().filter(|b| !holds_use(b)).copied().collect();
        }
        for binding in before.iter().rev() {
            let value = match &binding.source {
                Source::Nothing => match &binding.annotation {
                    Some(annotation) => self.annotated(annotation, env),
                    None => continue,
                },
                source => self.source(source, env),
            };
            let value = match (&value, &binding.annotation) {
                (Value::Unknown, Some(annotation)) => self.annotated(annotation, env),
                _ => value,
            };
            found.push(value);
            let settles = match at {
                Some(at) => binding.suite.holds(at),
                None => {
                    binding.suite.holds(def.at)
                        || binding.suite.start <= def.at.start
                        || is_body(def, binding)
                }
            };
            if settles {
                is_settled = true;
                break;
            }
        }
        if !is_settled && def.has_param(name) {
            found.push(self.param(name, env, def));
        }
        if found.is_empty() {
            return (!bindings.is_empty()).then_some(Value::Unknown);
        }
        found.reverse();
        Some(Value::one_of(found))
    }

    pub(super) fn import(&self, name: &str, from: ModuleId) -> Value {
        match self.project.import(from, name) {
            Some(id) => Value::Module(id),
            None => Value::OutsideModule(Rc::from(canonical(name.to_owned()))),
        }
    }

    pub(super) fn import_from(&self, module: &str, name: &Name, from: ModuleId) -> Value {
        // `from . import models` of a package's `__init__.py` is not its own name.
        let other = self.project.import(from, module).filter(|id| *id != from);
        if let Some(id) = other {
            let found = self.project.module(id);
            let is_bound = bindings_of(&found.defs[0], name).next().is_some()
                || bindings_of(&found.defs[0], "*").next().is_some();
            if is_bound {
                return self.global(name, &self.scope(DefId::top(id)));
            }
        }
        let dot = if module.ends_with('.') { "" } else { "." };
        let full = format!("{module}{dot}{name}");
        if let Some(id) = self.project.import(from, &full) {
            return Value::Module(id);
        }
        if module.starts_with('.') || self.project.import(from, module).is_some() {
            return Value::Unknown;
        }
        let full = canonical(full);
        // What is imported from a package is a module of it more often than not where it is one.
        Value::Outside(Rc::from(full), None)
    }
}

/// Returns whether a scope has a name of its own: a parameter, or what it binds.
pub(in crate::source) fn binds(scope: &Def, name: &str) -> bool {
    scope.has_param(name) || bindings_of(scope, name).next().is_some()
}

/// Returns whether a scope has a name of its own, which it does not declare `global`.
pub(in crate::source) fn is_own(scope: &Def, name: &str) -> bool {
    binds(scope, name) && !scope.declares(name)
}

/// Returns what binds a name in a scope, in order.
pub(in crate::source) fn bindings_of<'d>(
    def: &'d Def,
    name: &'d str,
) -> impl Iterator<Item = &'d Binding> {
    def.bindings
        .iter()
        .filter(move |b| matches!(&b.target, Target::Name(n) if &**n == name))
}

/// Returns what binds a name in a scope, if only one place does.
pub(in crate::source) fn only_binding<'d>(def: &'d Def, name: &'d str) -> Option<&'d Binding> {
    only(bindings_of(def, name))
}

/// Returns whether only the suite of the main guard binds a name.
pub(in crate::source) fn is_under_guard(module: &Module, name: &str) -> bool {
    let mut bound = bindings_of(&module.defs[0], name).peekable();
    bound.peek().is_some() && bound.all(|b| module.is_guarded(b.at))
}

/// Returns whether a function has a decorator of this name.
pub(in crate::source) fn is_decorated(def: &Def, name: &str) -> bool {
    def.decorators.iter().any(|d| {
        let d = match &d.kind {
            ExprKind::Call(call) => &call.func,
            _ => d,
        };
        d.dotted()
            .is_some_and(|d| d == name || d.ends_with(&format!(".{name}")))
    })
}

/// Returns whether a binding stands directly in the body of a scope.
pub(in crate::source) fn is_body(def: &Def, binding: &Binding) -> bool {
    def.statements
        .first()
        .is_some_and(|first| first.suite == binding.suite)
}
