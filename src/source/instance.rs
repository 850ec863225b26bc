//! What instances of the program's classes hold, and what pickling takes of it.

use std::collections::HashMap;
use std::rc::Rc;

use super::eval::{Eval, bindings_of, content_step, is_decorated};
use super::objects::canonical;
use super::syntax::{Expr, ExprKind, Kind, Name, Place, Source, Target};
use super::value::{Attribute, DefId, Env, Function, Instance, Later, Setting, Step, Value};

/// How deep calls from `__init__` are followed.
const MAX_CALLS: usize = 4;

/// A field of a dataclass: its name, default, class, place and annotation.
type Field = (Name, Option<Rc<Expr>>, DefId, Place, Option<Rc<Expr>>);

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

/// Settings of attributes in the order in which they are made.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) found: Vec<(Name, Later, Setting, bool)>,
    visited: Vec<DefId>,
}

impl Eval<'_> {
    /// Returns a class's bases, as far as they can be made out.
    pub(super) fn bases(&self, class: DefId) -> Vec<Value> {
        let module = self.project.module(class.module);
        let def = &module.defs[class.def];
        let env = self.scope(DefId {
            def: def.parent,
            ..class
        });
        let bases = def.bases.iter().filter(|b| b.label.is_none());
        bases.map(|b| self.eval(&b.value, &env)).collect()
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
                let top = self.scope(DefId {
                    module: *id,
                    def: 0,
                });
                let module = self.project.module(*id);
                if bindings_of(&module.defs[0], name).next().is_none()
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
                Value::Outside(Rc::from(canonical(format!("{module}.{name}"))), None)
            }
            Value::Outside(of, from) => {
                Value::Outside(Rc::from(canonical(format!("{of}.{name}"))), from.clone())
            }
            Value::Made(made) => {
                let name = canonical(format!("{}().{name}", made.of));
                Value::Outside(Rc::from(name), Some(Rc::new(base.clone())))
            }
            Value::Function(_) | Value::Method(..) => Value::Outside(
                Rc::from(format!("function.{name}")),
                Some(Rc::new(base.clone())),
            ),
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
                Value::Outside(
                    Rc::from(format!("dict.{name}")),
                    Some(Rc::new(base.clone())),
                )
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
            let scope = self.scope(*id);
            let later = Later::Source(binding.source.clone(), scope);
            let value = match &binding.source {
                Source::Nothing => continue,
                _ => self.force(&later),
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
            Some(outside) if !line.is_open => {
                let name = canonical(format!("{outside}().{name}"));
                Value::Outside(Rc::from(name), of.map(|o| Rc::new(o.clone())))
            }
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
                let Target::Attribute(base, attribute) = &binding.target else {
                    continue;
                };
                let is_class = |n: &Name| *n == own || &**n == "cls" && Some(n) == first;
                if &**attribute == name && matches!(&base.kind, ExprKind::Name(n) if is_class(n)) {
                    let scope = self.scope(DefId { def: id, ..class });
                    found.push(self.force(&Later::Source(binding.source.clone(), scope)));
                }
            }
        }
        found
    }

    fn instance_attribute(&self, instance: &Rc<Instance>, base: &Value, name: &str) -> Value {
        if name == "__dict__" {
            let attributes = self.attributes(instance);
            let items = attributes.iter().map(|a| {
                let values = a.values.iter().map(|v| self.force(v)).collect();
                (
                    Step::Key(a.name.to_string()),
                    Later::Value(Value::one_of(values)),
                )
            });
            return Value::Items(Rc::new(items.collect()));
        }
        if name == "__class__" {
            return Value::Class(instance.class, Rc::clone(&instance.class_env));
        }
        let attributes = self.attributes(instance);
        if let Some(found) = attributes.iter().find(|a| &*a.name == name) {
            let values = found.values.iter().map(|v| self.force(v)).collect();
            return Value::one_of(values);
        }
        self.class_attribute(instance.class, &instance.class_env, name, Some(base))
    }

    /// Returns the attributes of an instance in the order in which they are set.
    pub(super) fn attributes(&self, instance: &Rc<Instance>) -> Rc<Vec<Attribute>> {
        if let Some(found) = instance.attributes.get() {
            return Rc::clone(found);
        }
        // Asked again from within: an attribute that is made of another one.
        let line = self.line(instance.class, &instance.class_env);
        let mut settings = Settings::default();
        self.fields(instance, &line, &mut settings);
        let own = Value::Instance(Rc::clone(instance));
        if let Some(init) = self.method(&line, "__init__") {
            let names = self.arguments(instance, &init, &own);
            self.simulate(&init, names, true, &own, &line, &mut settings, 0);
        }
        if let Some(init) = self.method(&line, "__post_init__") {
            self.simulate_plain(&init, true, &own, &line, &mut settings, 0);
        }
        for (class, _) in &line.own {
            let module = self.project.module(class.module);
            for (id, _) in module
                .defs()
                .filter(|(_, d)| d.parent == class.def && d.kind == Kind::Function)
            {
                let id = DefId { def: id, ..*class };
                let method = Function {
                    id,
                    env: self.scope(*class),
                    wraps: None,
                };
                // What unpickling sets says nothing of what is pickled.
                let is_state = &*module.defs[id.def].name == "__setstate__";
                if !settings.visited.contains(&id) && !is_state {
                    self.simulate_plain(&method, false, &own, &line, &mut settings, MAX_CALLS);
                }
            }
        }
        self.cached(&own, &line, &mut settings);
        let is_complete = self.attach(instance, &line, &mut settings);
        let mut attributes: Vec<Attribute> = Vec::new();
        for (name, later, setting, is_sure) in settings.found {
            if let Some(known) = attributes.iter_mut().find(|a| a.name == name) {
                // A field's default gives way to what `__init__` sets.
                if known.set.iter().all(|s| s.is_field) && is_sure {
                    *known = Attribute {
                        name,
                        values: vec![later],
                        set: vec![setting],
                        is_sure,
                    };
                    continue;
                }
                known.values.push(later);
                known.set.push(setting);
                known.is_sure = false;
            } else {
                attributes.push(Attribute {
                    name,
                    values: vec![later],
                    set: vec![setting],
                    is_sure,
                });
            }
        }
        let attributes = Rc::new(attributes);
        if is_complete {
            let _ = instance.attributes.set(Rc::clone(&attributes));
        }
        attributes
    }

    /// Collects what a `cached_property` leaves among the attributes.
    fn cached(&self, own: &Value, line: &Line, settings: &mut Settings) {
        for (class, _) in &line.own {
            let module = self.project.module(class.module);
            for (number, def) in module.defs().filter(|(_, d)| d.parent == class.def) {
                let [returned] = def.returns.as_slice() else {
                    continue;
                };
                if !is_decorated(def, "cached_property") {
                    continue;
                }
                let id = DefId {
                    def: number,
                    ..*class
                };
                let method = Function {
                    id,
                    env: self.scope(*class),
                    wraps: None,
                };
                let first = def.params.first().map(|p| Rc::clone(&p.name));
                let names = first.map(|f| (f, Later::Value(own.clone())));
                let env = Self::run(&method, names.into_iter().collect(), false);
                let setting = Setting {
                    module: class.module,
                    at: returned.at,
                    class: Some(*class),
                    method: number,
                    value: Some(returned.at),
                    is_field: false,
                    is_cached: true,
                    is_sure: false,
                };
                let later = Later::Expr(Rc::clone(returned), env);
                settings
                    .found
                    .push((Rc::clone(&def.name), later, setting, false));
            }
        }
    }

    /// Returns the method of this name.
    pub(super) fn method(&self, line: &Line, name: &str) -> Option<Function> {
        line.own.iter().find_map(|(class, _)| {
            let module = self.project.module(class.module);
            let binding = bindings_of(&module.defs[class.def], name).last()?;
            let Source::Def(def) = binding.source else {
                return None;
            };
            (module.defs[def].kind == Kind::Function).then(|| Function {
                id: DefId { def, ..*class },
                env: self.scope(*class),
                wraps: None,
            })
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
        if let Some((call, env)) = &instance.made {
            (self.bind(def, call, env, Some(receiver)), true)
        } else {
            let own = def.params.first().map(|p| (Rc::clone(&p.name), receiver));
            (own.into_iter().collect(), false)
        }
    }

    fn simulate_plain(
        &self,
        method: &Function,
        is_sure: bool,
        own: &Value,
        line: &Line,
        settings: &mut Settings,
        depth: usize,
    ) {
        let module = self.project.module(method.id.module);
        let first = module.defs[method.id.def]
            .params
            .first()
            .map(|p| Rc::clone(&p.name));
        let names = first
            .map(|f| (f, Later::Value(own.clone())))
            .into_iter()
            .collect();
        self.simulate(method, (names, false), is_sure, own, line, settings, depth);
    }

    /// Collects what a method sets on `self`, and the methods that it calls on it.
    #[expect(clippy::too_many_arguments, reason = "one walk with its state")]
    fn simulate(
        &self,
        method: &Function,
        (names, is_call): (HashMap<Name, Later>, bool),
        is_sure: bool,
        own: &Value,
        line: &Line,
        settings: &mut Settings,
        depth: usize,
    ) {
        if settings.visited.contains(&method.id) {
            return;
        }
        settings.visited.push(method.id);
        let module = self.project.module(method.id.module);
        let def = &module.defs[method.id.def];
        let Some(me) = def.params.first().map(|p| Rc::clone(&p.name)) else {
            return;
        };
        if is_decorated(def, "classmethod") || is_decorated(def, "staticmethod") {
            return;
        }
        let env = Eval::run(method, names, is_call);
        let body = def.statements.first().map_or(def.at, |s| s.suite);
        for statement in &def.statements {
            let is_here = is_sure && statement.suite == body;
            if depth < MAX_CALLS {
                for expr in &statement.exprs {
                    self.follow_calls(expr, &me, &env, is_here, own, line, settings, depth, method);
                }
            }
            let bindings = def.bindings.iter().filter(|b| b.at == statement.at);
            for binding in bindings {
                let Target::Attribute(base, name) = &binding.target else {
                    continue;
                };
                if !matches!(&base.kind, ExprKind::Name(n) if *n == me) {
                    continue;
                }
                let later = match &binding.source {
                    Source::Nothing => continue,
                    source => Later::Source(source.clone(), Rc::clone(&env)),
                };
                let later = self.filled(later, name, line, &env);
                let value = match &binding.source {
                    Source::Value(e) => Some(e.at),
                    _ => None,
                };
                let setting = Setting {
                    module: method.id.module,
                    at: binding.at,
                    class: Some(DefId {
                        def: def.parent,
                        ..method.id
                    }),
                    method: method.id.def,
                    value,
                    is_field: false,
                    is_cached: false,
                    is_sure: is_here,
                };
                settings
                    .found
                    .push((Rc::clone(name), later, setting, is_here));
            }
        }
    }

    /// Adds what methods put into the container that an attribute is.
    fn filled(&self, later: Later, attribute: &Name, line: &Line, env: &Env) -> Later {
        let mut extra = Vec::new();
        for (class, _) in &line.own {
            let module = self.project.module(class.module);
            for (id, def) in module
                .defs()
                .filter(|(_, d)| d.parent == class.def && d.kind == Kind::Function)
            {
                let Some(own) = def.params.first() else {
                    continue;
                };
                for binding in &def.bindings {
                    let Target::Content(base, key) = &binding.target else {
                        continue;
                    };
                    let ExprKind::Attribute(of, name) = &base.subscripted().0.kind else {
                        continue;
                    };
                    if name == attribute && matches!(&of.kind, ExprKind::Name(n) if *n == own.name)
                    {
                        let at = DefId { def: id, ..*class };
                        let scope = if at == env.at {
                            Rc::clone(env)
                        } else {
                            self.scope(at)
                        };
                        let step = content_step(base, key.as_deref());
                        extra.push((step, Later::Source(binding.source.clone(), scope)));
                    }
                }
            }
        }
        if extra.is_empty() {
            return later;
        }
        let value = self.force(&later);
        match value {
            Value::Items(_) | Value::Made(_) | Value::Plain => {
                Later::Value(Value::Filled(Rc::new(value), Rc::new(extra)))
            }
            other => Later::Value(other),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one walk with its state")]
    fn follow_calls(
        &self,
        expr: &Rc<Expr>,
        me: &Name,
        env: &Env,
        is_sure: bool,
        own: &Value,
        line: &Line,
        settings: &mut Settings,
        depth: usize,
        method: &Function,
    ) {
        if let ExprKind::Call(call) = &expr.kind
            && let ExprKind::Attribute(base, name) = &call.func.kind
        {
            let is_me = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if n == me);
            let is_super = matches!(&base.kind, ExprKind::Call(c) if matches!(&c.func.kind, ExprKind::Name(n) if &**n == "super"));
            let target = if is_me(base) {
                self.method(line, name).map(|f| (f, 0))
            } else if is_super {
                let class = {
                    let module = self.project.module(method.id.module);
                    DefId {
                        def: module.defs[method.id.def].parent,
                        ..method.id
                    }
                };
                self.method_after(line, class, name).map(|f| (f, 0))
            } else if call.args.first().is_some_and(|a| is_me(&a.value)) {
                match self.eval(base, env) {
                    Value::Class(class, class_env) => {
                        let above = self.line(class, &class_env);
                        self.method(&above, name).map(|f| (f, 1))
                    }
                    _ => None,
                }
            } else {
                None
            };
            if let Some((target, skip)) = target {
                let module = self.project.module(target.id.module);
                let def = &module.defs[target.id.def];
                let mut inner = (**call).clone();
                inner.args.drain(..skip.min(inner.args.len()));
                let receiver = Some(Later::Value(own.clone()));
                let names = self.bind(def, &inner, env, receiver);
                self.simulate(
                    &target,
                    (names, true),
                    is_sure,
                    own,
                    line,
                    settings,
                    depth + 1,
                );
            }
        }
        for part in expr.parts() {
            self.follow_calls(part, me, env, is_sure, own, line, settings, depth, method);
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

    /// Collects the fields of a dataclass and the like.
    #[expect(clippy::too_many_lines, reason = "the forms of one thing")]
    fn fields(&self, instance: &Rc<Instance>, line: &Line, settings: &mut Settings) {
        let has_init = self.method(line, "__init__").is_some();
        let mut fields: Vec<Field> = Vec::new();
        for (class, _) in line.own.iter().rev() {
            let module = self.project.module(class.module);
            let def = &module.defs[class.def];
            let is_decorated_so = [
                "dataclass",
                "define",
                "frozen",
                "mutable",
                "attrs",
                "s",
                "attr",
            ]
            .iter()
            .any(|d| is_decorated(def, d));
            let has_base = line.outside.iter().any(|o| {
                o.ends_with("BaseModel")
                    || o.ends_with("NamedTuple")
                    || o.ends_with("BaseSettings")
                    || o.ends_with("Struct")
            });
            if !is_decorated_so && !has_base {
                continue;
            }
            for binding in &def.bindings {
                let Target::Name(name) = &binding.target else {
                    continue;
                };
                let value = match &binding.source {
                    Source::Value(value) => Some(Rc::clone(value)),
                    Source::Nothing => None,
                    _ => continue,
                };
                let is_attr = value.as_ref().is_some_and(|v| matches!(&v.kind, ExprKind::Call(c)
                    if c.func.dotted().is_some_and(|d| d.ends_with("attr.ib") || d.ends_with("attrib") || d.ends_with("attr.field"))));
                if binding.annotation.is_none() && !is_attr {
                    continue;
                }
                let is_class_var = binding.annotation.as_ref().is_some_and(|a| {
                    module.slice(a.at).contains("ClassVar")
                        || module.slice(a.at).contains("InitVar")
                });
                if is_class_var {
                    continue;
                }
                fields.retain(|f| f.0 != *name);
                fields.push((
                    Rc::clone(name),
                    value,
                    *class,
                    binding.at,
                    binding.annotation.clone(),
                ));
            }
        }
        let mut position = 0;
        for (name, value, class, at, annotation) in fields {
            let scope = self.scope(class);
            let as_field = value.as_ref().and_then(|v| match &v.kind {
                ExprKind::Call(call) => {
                    let name = call.func.dotted()?;
                    let last = name.rsplit('.').next()?;
                    matches!(
                        last,
                        "field" | "Field" | "PrivateAttr" | "ib" | "attrib" | "Factory"
                    )
                    .then(|| Rc::clone(call))
                }
                _ => None,
            });
            let label = |wanted: &str| {
                as_field.as_ref().and_then(|c| {
                    c.args
                        .iter()
                        .find(|a| a.label.as_deref() == Some(wanted))
                        .map(|a| Rc::clone(&a.value))
                })
            };
            let is_init = !label("init").is_some_and(|e| matches!(e.kind, ExprKind::Constant))
                && !name.starts_with('_')
                || label("init").is_none() && as_field.is_none();
            let given = match &instance.made {
                Some((call, env)) if is_init && !has_init => {
                    let named = call.args.iter().find(|a| a.label.as_ref() == Some(&name));
                    let placed = call
                        .args
                        .iter()
                        .filter(|a| a.label.is_none() && a.stars == 0)
                        .nth(position);
                    named
                        .or(placed)
                        .map(|a| Later::Expr(Rc::clone(&a.value), Rc::clone(env)))
                }
                _ => None,
            };
            position += usize::from(is_init);
            let is_given = given.is_some();
            let factory = label("default_factory").or_else(|| label("factory"));
            let later = if let Some(given) = given {
                given
            } else if let Some(factory) = &factory {
                let of = self.eval(factory, &scope);
                let call = Rc::new(super::syntax::Call {
                    func: Rc::clone(factory),
                    args: Vec::new(),
                    at: factory.at,
                });
                Later::Value(self.call(&of, &call, &scope))
            } else if let Some(default) = label("default") {
                Later::Expr(default, Rc::clone(&scope))
            } else if let (Some(value), None) = (&value, &as_field) {
                Later::Expr(Rc::clone(value), Rc::clone(&scope))
            } else if let Some(annotation) = &annotation {
                Later::Value(self.annotated(annotation, &scope))
            } else {
                Later::Value(Value::Unknown)
            };
            let setting = Setting {
                module: class.module,
                at,
                class: Some(class),
                method: class.def,
                value: factory
                    .as_ref()
                    .map(|f| f.at)
                    .or(value.as_ref().map(|v| v.at))
                    .filter(|_| !is_given),
                is_field: true,
                is_cached: false,
                is_sure: true,
            };
            settings.found.push((name, later, setting, true));
        }
    }

    /// Returns what pickling takes of an instance, by the methods of its class.
    pub(super) fn state(&self, instance: &Rc<Instance>, is_copy: bool) -> State {
        let line = self.line(instance.class, &instance.class_env);
        let own = Rc::new(Value::Instance(Rc::clone(instance)));
        if is_copy
            && (self.method(&line, "__deepcopy__").is_some()
                || self.method(&line, "__copy__").is_some())
        {
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

    /// Reads a `__getstate__`.
    fn own_state(&self, method: &Function, own: &Rc<Value>, line: &Line) -> State {
        let module = self.project.module(method.id.module);
        let def = &module.defs[method.id.def];
        let text = module.slice(def.at);
        let takes_all = text.contains("__dict__")
            || text.contains("vars(")
            || text.contains("super().__getstate__")
            || text.contains("asdict(");
        if !takes_all {
            return State::Given(self.results(method, Some(own), None));
        }
        let mut without = Vec::new();
        for statement in &def.statements {
            for expr in &statement.exprs {
                texts(expr, &mut without);
            }
        }
        // `self._unpicklable`, a tuple of names on the class.
        for (class, _) in &line.own {
            let module = self.project.module(class.module);
            for binding in &module.defs[class.def].bindings {
                if let (Target::Name(name), Source::Value(value)) =
                    (&binding.target, &binding.source)
                    && text.contains(&**name)
                {
                    texts(value, &mut without);
                }
            }
        }
        if (text.contains("startswith(\"_\")") || text.contains("startswith('_')"))
            && let Value::Instance(instance) = &**own
        {
            let private = self.attributes(instance);
            without.extend(
                private
                    .iter()
                    .filter(|a| a.name.starts_with('_'))
                    .map(|a| a.name.to_string()),
            );
        }
        State::Without(without)
    }
}

/// Collects the texts in an expression: in a `__getstate__` they are the names that it leaves out.
fn texts(expr: &Expr, found: &mut Vec<String>) {
    if let ExprKind::Text(text) = &expr.kind
        && !found.contains(text)
    {
        found.push(text.clone());
    }
    for part in expr.parts() {
        texts(part, found);
    }
}
