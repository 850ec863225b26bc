//! What instances of the program's classes hold, and what pickling takes of it.
//!
//! - [`settings`]: what methods set on `self`, [`spread`]: all at once; [`fields`]: of dataclasses;
//!   [`state`]: what is pickled.

mod fields;
mod settings;
mod spread;
mod state;

use std::collections::HashMap;
use std::rc::Rc;

use super::eval::{Eval, bindings_of, binds, is_decorated, own_alone};
use super::objects::canonical;
use super::only::only;
use super::syntax::{ExprKind, Kind, Name, Source};
use super::text::lists;
use super::value::{Attribute, DefId, Env, Function, Instance, Later, Setting, Step, Value};

pub(super) use fields::FIELDS;

/// How deep calls from `__init__` are followed.
const MAX_CALLS: usize = 4;

/// A class with the classes that it derives from.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Classes of the program, the class itself first.
    pub(super) own: Vec<(DefId, Env)>,
    /// Classes from outside.
    pub(super) outside: Vec<Rc<str>>,
    /// Whether a base could not be made out.
    pub(super) is_open: bool,
}

impl Line {
    /// Returns whether a class of the program is among them.
    pub(super) fn has(&self, class: DefId) -> bool {
        self.own.iter().any(|(id, _)| *id == class)
    }

    /// Returns whether a class from outside is among them.
    pub(super) fn derives_from(&self, name: &str) -> bool {
        self.outside.iter().any(|of| **of == *name)
    }
}

/// What pickling takes of an instance.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// Its attributes but for these.
    Without(Vec<String>),
    /// What a method of its own gives.
    Given(Value),
    /// It cannot be made out.
    Open,
}

/// What is set on an instance, in the order in which it is.
pub(super) struct Settings<'a> {
    pub(super) own: &'a Value,
    pub(super) line: &'a Line,
    pub(super) found: Vec<(Name, Later, Setting)>,
    visited: Vec<DefId>,
}

/// Dicts of the standard library, and their methods that give a view.
const DICTS: &str = "dict collections.Counter collections.OrderedDict collections.defaultdict";
const VIEWS: [&str; 3] = ["keys", "values", "items"];

/// Returns the name of an attribute of what a class of a library makes.
fn member(of: &str, name: &str) -> String {
    if lists(DICTS, of) && VIEWS.contains(&name) {
        format!("dict.{name}")
    } else {
        canonical(format!("{of}().{name}"))
    }
}

impl Eval<'_> {
    /// Returns a class's bases, as far as they can be made out.
    pub(super) fn bases(&self, class: DefId) -> Vec<Value> {
        let module = self.project.module(class.module);
        let def = &module.defs[class.def];
        let env = self.around(class);
        let bases = def.bases.iter().filter(|b| b.label.is_none());
        bases.map(|b| self.eval(&b.value, &env)).collect()
    }

    /// Returns the one class of this name.
    pub(super) fn only_class(&self, name: &str) -> Option<DefId> {
        let found = self.project.defs().filter(|(id, module)| {
            let def = &module.defs[id.def];
            def.kind == Kind::Class && *def.name == *name
        });
        only(found).map(|(class, _)| class)
    }

    /// Returns the scope that a class or function is made in.
    pub(super) fn around(&self, id: DefId) -> Env {
        let def = self.project.module(id.module).defs[id.def].parent;
        self.scope(id.beside(def))
    }

    /// Returns a class with its bases, as it is found in the scope that it is made in.
    pub(super) fn line_of(&self, class: DefId) -> Line {
        self.line(class, &self.around(class))
    }

    /// Returns a class with its bases, in the order in which attributes are looked up, nearly.
    pub(super) fn line(&self, class: DefId, env: &Env) -> Line {
        let mut line = Line::default();
        self.add_to_line(class, env, &mut line);
        line
    }

    fn add_to_line(&self, class: DefId, env: &Env, line: &mut Line) {
        if line.own.iter().any(|(id, _)| *id == class) || line.own.len() > 24 {
            return;
        }
        line.own.push((class, Rc::clone(env)));
        for base in self.bases(class) {
            match base {
                Value::Class(id, env) => self.add_to_line(id, &env, line),
                Value::Outside(name, _) => line.outside.push(name),
                Value::Made(made) => line.outside.push(Rc::clone(&made.of)),
                _ => line.is_open = true,
            }
        }
    }

    /// Works out an attribute of a value.
    pub(super) fn attribute(&self, base: &Value, name: &str) -> Value {
        match base {
            Value::Instance(instance) => self.instance_attribute(instance, base, name),
            Value::Class(class, env) => self.class_attribute(*class, env, name, None),
            Value::Module(id) => {
                let top = self.scope(DefId::top(*id));
                let module = self.project.module(*id);
                if !binds(&module.defs[0], name)
                    && let Some(inner) = self.project.import(*id, &format!(".{name}"))
                {
                    return Value::Module(inner);
                }
                match self.global(&Rc::from(name), &top) {
                    Value::Outside(..) => Value::Unknown,
                    value => value,
                }
            }
            Value::OutsideModule(module) => {
                Value::outside(canonical(format!("{module}.{name}")), None)
            }
            Value::Outside(of, from) => {
                Value::Outside(Rc::from(canonical(format!("{of}.{name}"))), from.clone())
            }
            Value::Made(made) => Value::outside(member(&made.of, name), Some(base)),
            Value::Function(_) | Value::Method(..) => {
                Value::outside(format!("function.{name}"), Some(base))
            }
            Value::Items(_) | Value::Filled(..) => {
                if let Value::Filled(inner, extra) = base {
                    let set = extra
                        .iter()
                        .rfind(|(s, _)| matches!(s, Step::Attribute(n) if &**n == name));
                    if let Some((_, later)) = set {
                        return self.force(later);
                    }
                    if !matches!(**inner, Value::Items(_)) {
                        return self.attribute(inner, name);
                    }
                }
                Value::outside(format!("dict.{name}"), Some(base))
            }
            Value::OneOf(values) => {
                let all = values.iter().take(8).map(|v| self.attribute(v, name));
                Value::one_of(all.collect())
            }
            Value::Plain => Value::Plain,
            Value::Generator(_) | Value::Unknown => Value::Unknown,
        }
    }

    fn class_attribute(&self, class: DefId, env: &Env, name: &str, of: Option<&Value>) -> Value {
        let line = self.line(class, env);
        for (id, _) in &line.own {
            let module = self.project.module(id.module);
            let def = &module.defs[id.def];
            let Some(binding) = bindings_of(def, name).last() else {
                continue;
            };
            let value = match &binding.source {
                Source::Nothing => continue,
                source => self.source(source, &self.scope(*id)),
            };
            let value = match value {
                // `cls._instance = cls()` of a classmethod.
                Value::Plain | Value::Unknown => {
                    let mut all = self.class_settings(*id, name);
                    all.push(value);
                    Value::one_of(all)
                }
                other => other,
            };
            let Value::Function(function) = &value else {
                return value;
            };
            let method = self.project.module(function.id.module);
            let method = &method.defs[function.id.def];
            if is_decorated(method, "staticmethod") || method.kind == Kind::Lambda && of.is_none() {
                return value;
            }
            if is_decorated(method, "classmethod") {
                let class = Value::Class(class, Rc::clone(env));
                return Value::Method(Rc::new(class), function.clone());
            }
            let Some(of) = of else { return value };
            if is_decorated(method, "property") || is_decorated(method, "cached_property") {
                return self.results(function, Some(&Rc::new(of.clone())), None);
            }
            return Value::Method(Rc::new(of.clone()), function.clone());
        }
        match line.outside.first() {
            Some(outside) if !line.is_open => Value::outside(member(outside, name), of),
            _ => Value::Unknown,
        }
    }

    /// Returns what methods set an attribute of their class to.
    fn class_settings(&self, class: DefId, name: &str) -> Vec<Value> {
        let module = self.project.module(class.module);
        let own = Rc::clone(&module.defs[class.def].name);
        let mut found = Vec::new();
        for (id, def) in module.defs().filter(|(_, d)| d.parent == class.def) {
            let first = def.params.first().map(|p| &p.name);
            for binding in &def.bindings {
                let is_class = |n: &Name| *n == own || &**n == "cls" && Some(n) == first;
                if let Some((base, attribute)) = binding.attribute()
                    && &**attribute == name
                    && matches!(&base.kind, ExprKind::Name(n) if is_class(n))
                {
                    found.push(self.source(&binding.source, &self.scope(class.beside(id))));
                }
            }
        }
        found
    }

    fn instance_attribute(&self, instance: &Rc<Instance>, base: &Value, name: &str) -> Value {
        if name == "__dict__" {
            let attributes = self.attributes(instance);
            let items = attributes.iter().map(|a| {
                let value = Later::Value(self.any_of(&a.values));
                (Step::Key(a.name.to_string()), value)
            });
            return Value::Items(Rc::new(items.collect()));
        }
        if name == "__class__" {
            return Value::Class(instance.class, Rc::clone(&instance.class_env));
        }
        if let Some(found) = self.attribute_named(instance, name) {
            return self.any_of(&found.values);
        }
        self.class_attribute(instance.class, &instance.class_env, name, Some(base))
    }

    /// Returns what the attributes of an instance may be.
    pub(super) fn kept(&self, instance: &Rc<Instance>) -> Vec<Value> {
        let attributes = self.attributes(instance);
        attributes.iter().flat_map(|a| self.values(a)).collect()
    }

    /// Returns what an attribute may be.
    pub(super) fn values(&self, attribute: &Attribute) -> Vec<Value> {
        let all = attribute.values.iter();
        all.flat_map(|v| self.force(v).alternatives()).collect()
    }

    /// Returns the attribute of an instance that has this name.
    pub(super) fn attribute_named(&self, instance: &Rc<Instance>, name: &str) -> Option<Attribute> {
        let attributes = self.attributes(instance);
        attributes.iter().find(|a| *a.name == *name).cloned()
    }

    /// Returns the attributes of an instance in the order in which they are set.
    pub(super) fn attributes(&self, instance: &Rc<Instance>) -> Rc<Vec<Attribute>> {
        if let Some((_, found)) = self.attributes.borrow().get(&Rc::as_ptr(instance)) {
            return Rc::clone(found);
        }
        // Asked again from within: an attribute that is made of another one.
        let line = self.line(instance.class, &instance.class_env);
        let mut settings = Settings {
            own: &Value::Instance(Rc::clone(instance)),
            line: &line,
            found: Vec::new(),
            visited: Vec::new(),
        };
        self.fields(instance, &mut settings);
        self.given_by_decorators(&mut settings);
        if let Some(init) = self.method(&line, "__init__") {
            let names = self.arguments(instance, &init, settings.own);
            self.simulate(&init, names, true, &mut settings, 0);
        }
        if let Some(init) = self.method(&line, "__post_init__") {
            self.simulate_plain(&init, true, &mut settings, 0);
        }
        for (class, _) in &line.own {
            let module = self.project.module(class.module);
            for (id, _) in module.methods(class.def) {
                let id = class.beside(id);
                let method = Function::new(id, self.scope(*class));
                // What unpickling sets says nothing of what is pickled.
                let is_state = &*module.defs[id.def].name == "__setstate__";
                if !settings.visited.contains(&id) && !is_state {
                    self.simulate_plain(&method, false, &mut settings, MAX_CALLS);
                }
            }
        }
        self.cached(&mut settings);
        let is_complete = self.attach(instance, &mut settings);
        let mut attributes: Vec<Attribute> = Vec::new();
        for (name, later, setting) in settings.found {
            let is_sure = setting.is_sure;
            let attribute = Attribute {
                name,
                values: vec![later],
                set: vec![setting],
                is_sure,
            };
            match attributes.iter_mut().find(|a| a.name == attribute.name) {
                // A field's default gives way to what `__init__` sets.
                Some(known) if is_sure && known.set.iter().all(|s| s.is_field) => {
                    *known = attribute;
                }
                Some(known) => {
                    known.values.extend(attribute.values);
                    known.set.extend(attribute.set);
                    known.is_sure = false;
                }
                None => attributes.push(attribute),
            }
        }
        let attributes = Rc::new(attributes);
        if is_complete {
            self.keep_attributes(instance, &attributes);
        }
        attributes
    }

    /// Gives an instance, as an object of a base class, the attributes that are known of it.
    pub(super) fn share_attributes(&self, instance: &Rc<Instance>, of_base: &Rc<Instance>) {
        let known = self.attributes.borrow().get(&Rc::as_ptr(instance)).cloned();
        if let Some((_, attributes)) = known {
            self.keep_attributes(of_base, &attributes);
        }
    }

    fn keep_attributes(&self, instance: &Rc<Instance>, attributes: &Rc<Vec<Attribute>>) {
        let mut known = self.attributes.borrow_mut();
        let kept = || (Rc::clone(instance), Rc::clone(attributes));
        known.entry(Rc::as_ptr(instance)).or_insert_with(kept);
    }

    /// Returns the method of this name.
    pub(super) fn method(&self, line: &Line, name: &str) -> Option<Function> {
        line.own.iter().find_map(|(class, _)| {
            let module = self.project.module(class.module);
            let binding = bindings_of(&module.defs[class.def], name).last()?;
            let Source::Def(def) = binding.source else {
                return None;
            };
            (module.defs[def].kind == Kind::Function)
                .then(|| Function::new(class.beside(def), self.scope(*class)))
        })
    }

    /// Returns the arguments of `__init__`.
    fn arguments(
        &self,
        instance: &Instance,
        init: &Function,
        own: &Value,
    ) -> (HashMap<Name, Later>, bool) {
        let module = self.project.module(init.id.module);
        let def = &module.defs[init.id.def];
        let receiver = Later::Value(own.clone());
        match &instance.made {
            Some((call, env)) => (self.bind(def, call, env, Some(receiver)), true),
            None => (own_alone(def, Some(receiver)), false),
        }
    }

    /// Returns the method of this name in the classes behind one.
    fn method_after(&self, line: &Line, class: DefId, name: &str) -> Option<Function> {
        let at = line.own.iter().position(|(id, _)| *id == class)?;
        let rest = Line {
            own: line.own[at + 1..].to_vec(),
            ..Line::default()
        };
        self.method(&rest, name)
    }
}
