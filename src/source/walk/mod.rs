//! What in it cannot travel: a walk over all that pickling would take, in its order.
//!
//! - [`roots`]: what is sent, as it is written;
//! - [`functions`]: what goes by a name; [`instances`]: what an object takes along;
//! - [`made`]: what a library made; [`options`]: what a parser of arguments gives.

mod functions;
mod instances;
mod made;
mod options;
mod roots;

use super::eval::Eval;
use super::objects::{inside, is_named_so, is_type};
use super::project::ModuleId;
use super::sent::Pickler;
use super::syntax::{Def, Kind, Name, Place};
use super::value::{Attribute, DefId, Generator, Later, Setting, Value};
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

impl Suspect {
    /// Returns whether it is what a walk is at.
    fn is_at(&self, at: &At) -> bool {
        self.module == at.module && self.at == at.place && self.path == at.path
    }
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

impl Holder {
    /// Returns an attribute of the instances of a class; `None` if it is set nowhere.
    pub(super) fn of(class: DefId, attribute: &Attribute) -> Option<Self> {
        Some(Self {
            class,
            attribute: Name::clone(&attribute.name),
            setting: attribute.set.first()?.clone(),
            is_itself: true,
        })
    }
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

impl At {
    /// Returns where the walk is one step deeper.
    fn inner(&self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self.clone()
        }
    }
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
                // A method of something takes along what it is taken from.
                let is_method = |from: &Value| {
                    name.ends_with(".__self__")
                        || matches!(from, Value::Made(_) | Value::Instance(_))
                };
                if self.holds(name) {
                    self.suspect(name.to_string(), at, None);
                } else if let Some(from) = from.as_deref().filter(|from| is_method(from)) {
                    let before = self.events.len();
                    self.value(from, at);
                    if name.ends_with(".__wrapped__") {
                        self.events[before..].iter_mut().for_each(unwrapped);
                    }
                }
            }
            Value::OutsideModule(name) => self.a_module(name, at),
            Value::Module(id) => {
                let module = self.eval.project.module(*id);
                let name = module.path.file_stem().map(|s| s.to_string_lossy());
                self.a_module(&name.unwrap_or_default(), at);
            }
            Value::Made(made) => self.made(made, at),
            Value::Class(class, _) => self.named(*class, None, at),
            Value::Function(function) => self.function(function, at),
            Value::Method(of, _) => {
                // `cls.method` is taken by name.
                if !matches!(**of, Value::Class(..)) {
                    self.value(of, at);
                }
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
            Value::Generator(generator) => self.generator(generator, at),
            Value::OneOf(values) => {
                let mut at = at.clone();
                at.is_sure = false;
                for value in values.iter().take(12) {
                    self.value(value, &at);
                }
            }
        }
    }

    fn a_module(&mut self, name: &str, at: &At) {
        if !self.is_wanted("module") {
            return;
        }
        let is_named = |of: &str| of.starts_with("the module ");
        let mut known = self.events.iter_mut().filter_map(|e| match e {
            Event::Suspect(known) if known.is_at(at) && is_named(&known.of) => Some(&mut known.of),
            _ => None,
        });
        match known.next() {
            // `try: import simplejson as json`
            Some(known) => {
                let mut names = known["the module ".len()..].split(" or ");
                if !names.any(|n| n == name) {
                    *known = format!("{known} or {name}");
                }
            }
            None => self.suspect(format!("the module {name}"), at, None),
        }
    }

    fn generator(&mut self, generator: &Generator, at: &At) {
        if !self.is_wanted(generator.type_name) {
            return;
        }
        let mut at = at.clone();
        (at.module, at.place) = (generator.module, generator.at);
        let kind = generator.type_name.replace('_', " ");
        let of = if generator.of == at.path {
            format!("a {kind}")
        } else if generator.of.ends_with(')') {
            format!("the {kind} {}", generator.of)
        } else {
            generator.of.clone()
        };
        self.suspect(of, &at, None);
    }

    fn inner(&mut self, later: &Later, step: &str, at: &At, is_sure: bool) {
        let mut inner = at.inner();
        inner.path.push_str(step);
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
        matches!(self.wanted, Wanted::Type(wanted) if is_type(name, wanted))
    }

    /// Returns whether a thing of this name holds what is looked for.
    fn holds(&self, name: &str) -> bool {
        if matches!(self.wanted, Wanted::Type(wanted) if is_named_so(name, wanted)) {
            return true;
        }
        let Some(inside) = inside(name) else {
            return false;
        };
        let mut held = inside.holds.iter().filter(|h| h.is_in(self.python));
        match self.wanted {
            Wanted::Type(wanted) => held.any(|h| is_type(&h.type_name, wanted)),
            Wanted::Named(wanted) => held.any(|h| h.type_name == *wanted),
            Wanted::Same(_) | Wanted::In(_) => false,
        }
    }

    fn suspect(&mut self, of: String, at: &At, def: Option<DefId>) {
        let mut all = self.events.iter();
        if !all.any(|e| matches!(e, Event::Suspect(known) if known.is_at(at))) {
            self.events.push(Event::Suspect(new_suspect(of, at, def)));
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

/// Says of a function that it is the one under its cache.
fn unwrapped(event: &mut Event) {
    if let Event::Suspect(suspect) = event {
        suspect.of = format!("the function under {}", suspect.of);
    }
}

/// Says what a function, class or lambda is.
pub(super) fn describe(def: &Def, all: &[Def]) -> String {
    let parent = &all[def.parent];
    match (def.kind, parent.kind) {
        (Kind::Lambda, _) => "a lambda".to_owned(),
        (Kind::Class, _) => format!("a class made in {}()", parent.name),
        (_, Kind::Module) => "a function".to_owned(),
        (_, Kind::Class) => format!("a method of {}", parent.name),
        _ => format!("a function made in {}()", parent.name),
    }
}
