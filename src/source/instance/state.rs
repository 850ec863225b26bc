//! What pickling takes of an instance, by the methods of its class.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Expr, ExprKind};
use super::super::value::{Attribute, Function, Instance, Value};
use super::{Line, State};

impl Eval<'_> {
    /// Returns what pickling takes of an instance, by the methods of its class.
    pub(in crate::source) fn state(&self, instance: &Rc<Instance>, is_copy: bool) -> State {
        let line = self.line(instance.class, &instance.class_env);
        let own = Rc::new(Value::Instance(Rc::clone(instance)));
        let has = |name: &&str| self.method(&line, name).is_some();
        if is_copy && ["__deepcopy__", "__copy__"].iter().any(has) {
            return State::Open;
        }
        for name in ["__reduce_ex__", "__reduce__"] {
            if let Some(method) = self.method(&line, name) {
                return State::Given(self.results(&method, Some(&own), None));
            }
        }
        if let Some(method) = self.method(&line, "__getstate__") {
            return self.own_state(&method, &own, &line);
        }
        State::Without(Vec::new())
    }

    /// Returns whether `is_it` holds for an attribute that pickling takes of an instance; not where a method of its
    /// own gives something else.
    pub(in crate::source) fn sends_one(
        &self,
        instance: &Rc<Instance>,
        is_it: impl FnMut(&Attribute) -> bool,
    ) -> bool {
        let State::Without(names) = self.state(instance, false) else {
            return false;
        };
        let attributes = self.attributes(instance);
        let is_sent = |a: &&Attribute| !names.iter().any(|n| **n == *a.name);
        attributes.iter().filter(is_sent).any(is_it)
    }

    /// Reads a `__getstate__`.
    pub(super) fn own_state(&self, method: &Function, own: &Rc<Value>, line: &Line) -> State {
        let module = self.project.module(method.id.module);
        let def = &module.defs[method.id.def];
        let text = module.code(def.at);
        let takes_all = text.contains("__dict__")
            || text.contains("vars(")
            || text.contains("super().__getstate__")
            || text.contains("asdict(");
        if !takes_all {
            return State::Given(self.results(method, Some(own), None));
        }
        let mut without = Vec::new();
        for expr in def.exprs() {
            texts(expr, &mut without);
        }
        // `self._unpicklable`, a tuple of names on the class.
        for (class, _) in &line.own {
            let module = self.project.module(class.module);
            for binding in &module.defs[class.def].bindings {
                if let Some((name, value)) = binding.named_value()
                    && text.contains(&**name)
                {
                    texts(value, &mut without);
                }
            }
        }
        if (text.contains("startswith(\"_\")") || text.contains("startswith('_')"))
            && let Value::Instance(instance) = &**own
        {
            let attributes = self.attributes(instance);
            let private = attributes.iter().filter(|a| a.name.starts_with('_'));
            without.extend(private.map(|a| a.name.to_string()));
        }
        State::Without(without)
    }
}

/// Collects the texts in an expression: in a `__getstate__` they are the names that it leaves out.
fn texts(expr: &Rc<Expr>, found: &mut Vec<String>) {
    for part in expr.walk() {
        if let ExprKind::Text(text) = &part.kind
            && !found.contains(text)
        {
            found.push(text.clone());
        }
    }
}
