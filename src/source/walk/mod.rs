//! What in it cannot travel: a walk over all that pickling would take, in its order.
//!
//! - [`functions`]: what goes by a name; [`instances`]: what an object takes along;
//! - [`made`]: what a library made; [`options`]: what a parser of arguments gives.

mod functions;
mod instances;
mod made;
mod options;

use std::rc::Rc;

use super::eval::Eval;
use super::objects::{inside, is_type};
use super::project::ModuleId;
use super::sent::{Part, Pickler};
use super::syntax::{Expr, ExprKind, Kind, Name, Place};
use super::value::{DefId, Env, Function, Later, Setting, Value};
use super::wanted::Wanted;

/// How deep parts of parts are followed.
const MAX_DEPTH: usize = 16;
/// A function that its decorator has put something else in the place of.
pub(super) const UNDECORATED: &str = "the function without its decorator";
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
    python: Option<(u8, u8)>,
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
        python: Option<(u8, u8)>,
        script: Option<ModuleId>,
    ) -> Self {
        Self {
            eval,
            wanted,
            pickler,
            python,
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
                if matches!(
                    one.kind,
                    ExprKind::Items(_) | ExprKind::Dict(_) | ExprKind::Name(_)
                ) && def.yields.is_empty() =>
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
        // A method takes along what it is taken from.
        if let ExprKind::Attribute(base, _) = &expr.kind {
            let all = self.eval.eval(expr, env).alternatives();
            let is_method = |v: &Value| matches!(v, Value::Method(..));
            let is_data = |v: &Value| matches!(v, Value::Plain);
            if all.iter().any(is_method) && all.iter().all(|v| is_method(v) || is_data(v)) {
                return self.label(base, env);
            }
        }
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
                if !at.is_named && all.iter().all(|v| matches!(v, Value::Method(..))) {
                    at.path = self.start(base, env).path;
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
                    let of = if generator.of == at.path {
                        format!("a {}", generator.type_name.replace('_', " "))
                    } else if generator.of.ends_with(')') {
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
        let mut held = inside.holds.iter().filter(|h| h.is_in(self.python));
        match self.wanted {
            Wanted::Type(wanted) => held.any(|h| is_type(&h.type_name, wanted)),
            Wanted::Named(wanted) => held.any(|h| h.type_name == *wanted),
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
