//! What in it cannot travel: a walk over all that pickling would take, in its order.

use std::rc::Rc;

use super::eval::Eval;
use super::instance::State;
use super::objects::{inside, is_type};
use super::project::ModuleId;
use super::sent::{Part, Pickler};
use super::syntax::{Expr, ExprKind, Kind, Name, Place, Source};
use super::value::{DefId, Env, Function, Instance, Later, Made, Setting, Value};
use super::wanted::{Wanted, plain_name};

/// How deep parts of parts are followed.
const MAX_DEPTH: usize = 16;
/// The most parts that are looked at.
const MAX_SEEN: usize = 4_000;

/// A place in the source that can hold what could not travel.
#[derive(Clone, Debug)]
pub(super) struct Suspect {
    /// The way to it, as the reader would write it.
    pub(super) path: String,
    /// What it is: `threading.Lock`, `a lambda`.
    pub(super) of: String,
    pub(super) module: ModuleId,
    /// The expression or definition.
    pub(super) at: Place,
    /// The attribute that it is, or is in.
    pub(super) holder: Option<Holder>,
    /// The function, class or lambda that it is.
    pub(super) def: Option<DefId>,
    /// The function whose name it goes by, being another one.
    pub(super) named_as: Option<DefId>,
    /// Whether it is there in every run.
    pub(super) is_sure: bool,
}

/// An attribute of an instance.
#[derive(Clone, Debug)]
pub(super) struct Holder {
    pub(super) class: DefId,
    pub(super) attribute: Name,
    pub(super) setting: Setting,
    /// Whether the attribute itself is the suspect, not something within it.
    pub(super) is_itself: bool,
}

/// What the walk came upon, in order.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// It fits.
    Suspect(Suspect),
    /// Something of a library that may hold anything.
    Library(Suspect),
    /// Something that could not be made out.
    Unknown,
}

/// Where the walk is.
#[derive(Clone)]
struct At {
    path: String,
    /// Whether the path has a name of its own; else the class's name stands for it.
    is_named: bool,
    holder: Option<Holder>,
    module: ModuleId,
    place: Place,
    is_sure: bool,
    depth: usize,
}

/// A walk over what is sent.
pub(super) struct Walk<'e, 'p> {
    eval: &'e Eval<'p>,
    wanted: &'e Wanted,
    pickler: Pickler,
    /// The script: `cloudpickle` takes its functions along.
    script: Option<ModuleId>,
    pub(super) events: Vec<Event>,
    instances: Vec<(DefId, usize)>,
    functions: Vec<DefId>,
    seen: usize,
}

impl<'e, 'p> Walk<'e, 'p> {
    pub(super) fn new(
        eval: &'e Eval<'p>,
        wanted: &'e Wanted,
        pickler: Pickler,
        script: Option<ModuleId>,
    ) -> Self {
        Self {
            eval,
            wanted,
            pickler,
            script,
            events: Vec::new(),
            instances: Vec::new(),
            functions: Vec::new(),
            seen: 0,
        }
    }

    /// Walks over one part of what is sent.
    pub(super) fn part(&mut self, part: &Part) {
        if part.is_element {
            return self.elements(&part.expr, &part.env, &part.value);
        }
        if let Later::Value(value) = &part.value {
            let at = self.start(&part.expr, &part.env);
            return self.value(value, &at);
        }
        self.root(&part.expr, &part.env);
    }

    /// Walks over what a task returned.
    pub(super) fn result(&mut self, function: &Function, value: &Value) {
        let module = self.eval.project.module(function.id.module);
        let def = &module.defs[function.id.def];
        let at = At {
            path: format!("{}()", def.name),
            is_named: false,
            holder: None,
            module: function.id.module,
            place: def.returns.first().map_or(def.head, |r| r.at),
            is_sure: def.returns.len() == 1,
            depth: 0,
        };
        // Each part of a returned tuple under its own name.
        let env = self.eval.scope(function.id);
        match def.returns.as_slice() {
            [one]
                if matches!(one.kind, ExprKind::Items(_) | ExprKind::Dict(_))
                    && def.yields.is_empty() =>
            {
                self.root(one, &env);
            }
            _ => self.value(value, &at),
        }
    }

    fn start(&self, expr: &Rc<Expr>, env: &Env) -> At {
        let (path, is_named) = if let Some(label) = self.label(expr, env) {
            (label, true)
        } else {
            let module = self.eval.project.module(env.at.module);
            let text = module
                .slice(expr.at)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let short: String = text.chars().take(48).collect();
            (
                if short.len() < text.len() {
                    format!("{short}…")
                } else {
                    text
                },
                false,
            )
        };
        At {
            path,
            is_named,
            holder: None,
            module: env.at.module,
            place: expr.at,
            is_sure: true,
            depth: 0,
        }
    }

    /// Returns a dotted name as the reader would write it; the class's name for `self`.
    fn label(&self, expr: &Rc<Expr>, env: &Env) -> Option<String> {
        let dotted = expr.dotted()?;
        let (first, rest) = dotted
            .split_once('.')
            .map_or((dotted.as_str(), None), |(f, r)| (f, Some(r)));
        if matches!(first, "self" | "cls") {
            let value = self.eval.name(&Rc::from(first), env, None);
            let class = match &value {
                Value::Instance(instance) => Some(instance.class),
                Value::Class(class, _) => Some(*class),
                _ => None,
            };
            if let Some(class) = class {
                let module = self.eval.project.module(class.module);
                let name = &module.defs[class.def].name;
                return Some(rest.map_or(name.to_string(), |rest| format!("{name}.{rest}")));
            }
        }
        Some(dotted)
    }

    /// Walks over an expression that is sent as it is; its literal parts go by their own names.
    fn root(&mut self, expr: &Rc<Expr>, env: &Env) {
        if self.seen > MAX_SEEN {
            return;
        }
        match &expr.kind {
            ExprKind::Items(items) => {
                for item in items {
                    match &item.kind {
                        ExprKind::Starred(inner) => {
                            let later = Later::Element(Rc::clone(inner), Rc::clone(env));
                            self.elements(inner, env, &later);
                        }
                        _ => self.root(item, env),
                    }
                }
            }
            ExprKind::Dict(items) => {
                for (_, value) in items {
                    self.root(value, env);
                }
            }
            ExprKind::Comprehension(inner) if !inner.is_generator => {
                let overlay = self.eval.overlay(inner, env);
                self.root(&inner.element, &overlay);
            }
            ExprKind::Attribute(base, _) => {
                let value = self.eval.eval(expr, env);
                let mut at = self.start(expr, env);
                let all = value.alternatives();
                if all.iter().all(|v| matches!(v, Value::Method(..))) {
                    // A method takes along what it is taken from.
                    let start = self.start(base, env);
                    (at.path, at.is_named) = (start.path, start.is_named);
                }
                self.value(&value, &at);
            }
            ExprKind::Call(call) => {
                let func = self.eval.eval(&call.func, env);
                let is_wrapper = matches!(&func, Value::Outside(name, _)
                    if matches!(&**name, "functools.partial" | "list" | "tuple" | "dict" | "set" | "zip" | "enumerate" | "itertools.repeat"));
                if is_wrapper {
                    for arg in &call.args {
                        self.root(&arg.value, env);
                    }
                    return;
                }
                let value = self.eval.call(&func, call, env);
                let at = self.start(expr, env);
                self.value(&value, &at);
            }
            _ => {
                let value = self.eval.eval(expr, env);
                let at = self.start(expr, env);
                self.value(&value, &at);
            }
        }
    }

    fn elements(&mut self, expr: &Rc<Expr>, env: &Env, later: &Later) {
        match &expr.kind {
            ExprKind::Items(items) => {
                for item in items {
                    self.root(item, env);
                }
            }
            ExprKind::Comprehension(inner) => {
                let overlay = self.eval.overlay(inner, env);
                self.root(&inner.element, &overlay);
            }
            ExprKind::Call(call)
                if call.func.dotted().is_some_and(|d| {
                    matches!(
                        d.as_str(),
                        "zip"
                            | "enumerate"
                            | "list"
                            | "tuple"
                            | "itertools.repeat"
                            | "repeat"
                            | "itertools.product"
                            | "product"
                            | "sorted"
                    )
                }) =>
            {
                let is_repeat = call.func.dotted().is_some_and(|d| d.ends_with("repeat"));
                for arg in call.args.iter().filter(|a| a.label.is_none()) {
                    let later = Later::Element(Rc::clone(&arg.value), Rc::clone(env));
                    if is_repeat {
                        self.root(&arg.value, env);
                    } else {
                        self.elements(&arg.value, env, &later);
                    }
                }
            }
            _ => {
                let value = self.eval.force(later);
                let mut at = self.start(expr, env);
                at.path.push_str("[...]");
                at.is_named = false;
                // What a name holds was put into it somewhere: under that name, if it has one.
                self.value(&value, &at);
            }
        }
    }

    fn value(&mut self, value: &Value, at: &At) {
        self.seen += 1;
        if self.seen > MAX_SEEN || at.depth > MAX_DEPTH {
            self.events.push(Event::Unknown);
            return;
        }
        match value {
            Value::Plain => {}
            Value::Unknown => self.events.push(Event::Unknown),
            Value::Outside(name, from) => {
                if self.holds(name) {
                    self.suspect(name.to_string(), at, None);
                } else if let (Some(from), true) = (from, name.ends_with(".__self__")) {
                    self.value(from, at);
                } else if let Some(Value::Made(_) | Value::Instance(_)) = from.as_deref() {
                    // A method of something: it takes along what it is taken from.
                    if let Some(from) = from {
                        self.value(from, at);
                    }
                }
            }
            Value::OutsideModule(name) => {
                if self.is_wanted("module") {
                    self.suspect(format!("the module {name}"), at, None);
                }
            }
            Value::Module(id) => {
                if self.is_wanted("module") {
                    let module = self.eval.project.module(*id);
                    let name = module
                        .path
                        .file_stem()
                        .map(|s| s.to_string_lossy().into_owned());
                    self.suspect(format!("the module {}", name.unwrap_or_default()), at, None);
                }
            }
            Value::Made(made) => self.made(made, at),
            Value::Class(class, _) => self.named(*class, None, at),
            Value::Function(function) => self.function(function, at),
            Value::Method(of, function) => {
                // `cls.method` is taken by name.
                if let Value::Class(..) = **of {
                    return;
                }
                let _ = function;
                self.value(of, at);
            }
            Value::Instance(instance) => self.instance(instance, at),
            Value::Items(items) => {
                for (step, later) in items.iter().take(64) {
                    self.inner(later, &step.text(), at, at.is_sure);
                }
            }
            Value::Filled(base, extra) => {
                self.value(base, at);
                for (step, later) in extra.iter() {
                    self.inner(later, &step.text(), at, false);
                }
            }
            Value::Generator(generator) => {
                if self.is_wanted(generator.type_name) {
                    let mut at = at.clone();
                    (at.module, at.place) = (generator.module, generator.at);
                    let of = if generator.of.ends_with(')') {
                        format!(
                            "the {} {}",
                            generator.type_name.replace('_', " "),
                            generator.of
                        )
                    } else {
                        generator.of.clone()
                    };
                    self.suspect(of, &at, None);
                }
            }
            Value::OneOf(values) => {
                let mut at = at.clone();
                at.is_sure = false;
                for value in values.iter().take(12) {
                    self.value(value, &at);
                }
            }
        }
    }

    fn inner(&mut self, later: &Later, step: &str, at: &At, is_sure: bool) {
        let mut inner = at.clone();
        inner.path.push_str(step);
        inner.depth += 1;
        inner.is_sure = is_sure;
        if let Some(holder) = &mut inner.holder {
            holder.is_itself = false;
        }
        if let Later::Expr(expr, env) = later {
            (inner.module, inner.place) = (env.at.module, expr.at);
            if at.holder.is_none()
                && let Some(label) = self.label(expr, env)
            {
                (inner.path, inner.is_named) = (label, true);
            }
        }
        let value = self.eval.force(later);
        self.value(&value, &inner);
    }

    fn is_wanted(&self, name: &str) -> bool {
        match self.wanted {
            Wanted::Type(wanted) => is_type(name, wanted),
            Wanted::Named(_) | Wanted::Same(_) => false,
        }
    }

    /// Returns whether a thing of this name holds what is looked for.
    fn holds(&self, name: &str) -> bool {
        let Some(inside) = inside(name) else {
            return false;
        };
        match self.wanted {
            Wanted::Type(wanted) => inside.holds.iter().any(|h| is_type(h, wanted)),
            Wanted::Named(wanted) => inside.holds.iter().any(|h| h == wanted),
            Wanted::Same(_) => false,
        }
    }

    fn suspect(&mut self, of: String, at: &At, def: Option<DefId>) {
        let suspect = new_suspect(of, at, def);
        let is_known = self.events.iter().any(|e| {
            matches!(e, Event::Suspect(known) if known.module == suspect.module && known.at == suspect.at && known.path == suspect.path)
        });
        if !is_known {
            self.events.push(Event::Suspect(suspect));
        }
    }

    fn made(&mut self, made: &Rc<Made>, at: &At) {
        let mut here = at.clone();
        (here.module, here.place) = (made.env.at.module, made.call.at);
        if let Some(wrapped) = &made.wrapped {
            return self.value(wrapped, at);
        }
        if &*made.of == "threading.Condition" && !made.call.args.is_empty() {
            // It is what it was given.
            for arg in &made.call.args {
                self.argument(&arg.value, &made.env, at, true);
            }
            return;
        }
        let is_cache = made.of.starts_with("functools.lru_cache") || &*made.of == "functools.cache";
        if let (true, Wanted::Same(_), Some(arg)) = (is_cache, self.wanted, made.call.args.first())
        {
            let cached = self.eval.eval(&arg.value, &made.env);
            if let Value::Function(f) | Value::Method(_, f) = cached
                && self.goes_by(f.id)
            {
                let of = made.of.trim_end_matches("()").to_owned();
                return self.suspect(of, &here, None);
            }
        }
        if self.holds(&made.of) {
            return self.suspect(made.of.to_string(), &here, None);
        }
        if &*made.of == "open" || made.of.ends_with(".open") {
            return;
        }
        let args = || made.call.args.iter();
        if let Some(known) = inside(&made.of) {
            if known.keeps {
                for arg in args() {
                    self.argument(&arg.value, &made.env, &here, true);
                }
            }
        } else {
            for arg in args() {
                self.argument(&arg.value, &made.env, &here, false);
            }
            // A function gives data more often than not; a class gives an object.
            let last = made.of.rsplit('.').next().unwrap_or_default();
            let is_taken = made.of.contains("()") || !last.starts_with(char::is_uppercase);
            let suspect = new_suspect(made.of.to_string(), &here, None);
            self.events.push(if is_taken {
                Event::Unknown
            } else {
                Event::Library(suspect)
            });
        }
    }

    /// Walks over an argument that an object keeps.
    fn argument(&mut self, expr: &Rc<Expr>, env: &Env, at: &At, is_sure: bool) {
        let mut inner = at.clone();
        inner.depth += 1;
        inner.is_sure &= is_sure;
        (inner.module, inner.place) = (env.at.module, expr.at);
        if let Some(holder) = &mut inner.holder {
            holder.is_itself = false;
        }
        if inner.holder.is_none()
            && let Some(label) = self.label(expr, env)
        {
            (inner.path, inner.is_named) = (label, true);
        }
        let before = self.events.len();
        let value = self.eval.eval(expr, env);
        self.value(&value, &inner);
        if !is_sure {
            // An argument that may not be kept says nothing where it is not known.
            let kept: Vec<Event> = self
                .events
                .drain(before..)
                .filter(|e| matches!(e, Event::Suspect(_)))
                .collect();
            self.events.extend(kept);
        }
    }

    /// Notes a function, lambda or class that is not found under its name.
    fn named(&mut self, id: DefId, name: Option<&str>, at: &At) {
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

    fn function(&mut self, function: &Function, at: &At) {
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
    fn goes_by(&self, id: DefId) -> bool {
        let Wanted::Same(full) = self.wanted else {
            return false;
        };
        let module = self.eval.project.module(id.module);
        let own = &module.defs[id.def].qualname;
        full.strip_suffix(own.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// Notes a wrapper that goes by the name of what it wraps, or what a decorator was given.
    fn other(&mut self, function: &Function, at: &At) {
        let mut here = at.clone();
        if let Some(Value::Function(wrapped)) = function.wraps.as_deref() {
            if !self.goes_by(wrapped.id) {
                return;
            }
            let module = self.eval.project.module(at.module);
            let name = module.slice(at.place);
            // In the function that uses it, or at the top.
            let mut scope = module.def_at(module.line_of(at.place.start));
            loop {
                let bound = super::eval::bindings_of(&module.defs[scope], name).last();
                if let Some(Source::Value(value)) = bound.map(|b| &b.source) {
                    here.place = value.at;
                    break;
                }
                if scope == 0 {
                    break;
                }
                scope = module.defs[scope].parent;
            }
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
            self.suspect("the function without its decorator".to_owned(), &here, None);
        }
    }

    /// Walks over what a function uses from outside, as `cloudpickle` does.
    fn used(&mut self, function: &Function, at: &At) {
        let module = self.eval.project.module(function.id.module);
        let mut names: Vec<(Name, Place)> = Vec::new();
        let all = module.defs().filter(|(id, d)| {
            *id == function.id.def
                || module.defs[function.id.def].at.holds(d.at) && *id > function.id.def
        });
        for (_, def) in all {
            let exprs = def
                .statements
                .iter()
                .flat_map(|s| &s.exprs)
                .chain(&def.returns);
            for expr in exprs {
                names_in(expr, &mut names);
            }
        }
        let def = &module.defs[function.id.def];
        let env = Eval::run(function, std::collections::HashMap::new(), false);
        for (name, place) in names {
            let is_own = def.params.iter().any(|p| p.name == name)
                || super::eval::bindings_of(def, &name).next().is_some()
                    && !def.globals.contains(&name);
            if is_own {
                continue;
            }
            let value = self.eval.name(&name, &env, None);
            let mut inner = at.clone();
            inner.depth += 1;
            inner.holder = None;
            (inner.path, inner.is_named) = (name.to_string(), true);
            (inner.module, inner.place) = (function.id.module, place);
            match value {
                Value::Outside(..)
                | Value::OutsideModule(_)
                | Value::Module(_)
                | Value::Plain
                | Value::Class(..)
                | Value::Unknown => {}
                other => self.value(&other, &inner),
            }
        }
    }

    fn instance(&mut self, instance: &Rc<Instance>, at: &At) {
        let key = (
            instance.class,
            instance
                .made
                .as_ref()
                .map_or(0, |(call, _)| Rc::as_ptr(call) as usize),
        );
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
                let mut inner = at.clone();
                inner.depth += 1;
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
        for outside in &line.outside {
            if &**outside == "multiprocessing.Process" {
                continue;
            }
            if self.holds(outside) {
                let mut here = at.clone();
                (here.module, here.place) = (instance.class.module, class.head);
                self.suspect(outside.to_string(), &here, None);
            } else if inside(outside).is_none() {
                self.events.push(Event::Unknown);
            }
        }
        if line.is_open {
            self.events.push(Event::Unknown);
        }
        for attribute in self.eval.attributes(instance).iter() {
            if without.iter().any(|w| *w == *attribute.name) {
                continue;
            }
            for (later, setting) in attribute.values.iter().zip(&attribute.set) {
                let mut inner = at.clone();
                inner.path = format!("{}.{}", at.path, attribute.name);
                inner.depth += 1;
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
    fn given(&mut self, value: &Value, at: &At, instance: &Rc<Instance>) {
        match value {
            Value::Items(items) => {
                for (step, later) in items.iter() {
                    let mut inner = at.clone();
                    let name = match (step, later) {
                        (_, Later::Expr(expr, _)) => match &expr.kind {
                            ExprKind::Attribute(_, name) => Some(name.to_string()),
                            _ => None,
                        },
                        _ => None,
                    };
                    if let Some(name) = name {
                        inner.path = format!("{}.{name}", at.path);
                        let attributes = self.eval.attributes(instance);
                        if let Some(found) = attributes.iter().find(|a| *a.name == *name)
                            && let Some(setting) = found.set.first()
                        {
                            inner.holder = Some(Holder {
                                class: instance.class,
                                attribute: Rc::clone(&found.name),
                                setting: setting.clone(),
                                is_itself: true,
                            });
                        }
                    }
                    inner.depth += 1;
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

fn new_suspect(of: String, at: &At, def: Option<DefId>) -> Suspect {
    Suspect {
        path: at.path.clone(),
        of,
        module: at.module,
        at: at.place,
        holder: at.holder.clone(),
        def,
        named_as: None,
        is_sure: at.is_sure,
    }
}

/// Says what a function, class or lambda is.
pub(super) fn describe(def: &super::syntax::Def, all: &[super::syntax::Def]) -> String {
    let parent = &all[def.parent];
    match (def.kind, parent.kind) {
        (Kind::Lambda, _) => "a lambda".to_owned(),
        (Kind::Class, _) => format!("a class made in {}()", parent.name),
        (_, Kind::Module) => "a function".to_owned(),
        _ => format!("a function made in {}()", parent.name),
    }
}

fn names_in(expr: &Rc<Expr>, found: &mut Vec<(Name, Place)>) {
    if let ExprKind::Name(name) = &expr.kind
        && !found.iter().any(|(n, _)| n == name)
    {
        found.push((Rc::clone(name), expr.at));
    }
    for part in expr.parts() {
        names_in(part, found);
    }
}
