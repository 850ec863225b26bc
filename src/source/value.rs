//! What an expression can be, as far as the source tells.

use std::collections::HashMap;
use std::rc::Rc;

use super::objects::PROCESS;
use super::project::ModuleId;
use super::syntax::{Call, Expr, Name, Place, Source};

/// A scope by module and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DefId {
    pub(super) module: ModuleId,
    pub(super) def: usize,
}

impl DefId {
    /// Returns the number of a scope of a module.
    pub(super) fn new(module: ModuleId, def: usize) -> Self {
        Self { module, def }
    }

    /// Returns the scope that is the module itself.
    pub(super) fn top(module: ModuleId) -> Self {
        Self::new(module, 0)
    }

    /// Returns another scope of the same module.
    pub(super) fn beside(self, def: usize) -> Self {
        Self::new(self.module, def)
    }
}

/// A scope with what its names are in one run of it.
pub(super) type Env = Rc<Scope>;

/// See [`Env`].
#[derive(Debug)]
pub(super) struct Scope {
    pub(super) at: DefId,
    /// Parameters, and what a comprehension binds.
    pub(super) names: HashMap<Name, Later>,
    /// The scope around it: of the function that made it, or the same one without a comprehension.
    pub(super) outer: Option<Env>,
    /// Whether the arguments of the call are known; a parameter without one has its default.
    pub(super) is_call: bool,
}

/// Returns whether a scope is that of a comprehension's element.
pub(super) fn is_within_comprehension(env: &Scope) -> bool {
    env.outer.as_ref().is_some_and(|outer| outer.at == env.at)
}

/// A value that is worked out when it is asked for.
#[derive(Clone, Debug)]
pub(super) enum Later {
    Value(Value),
    Expr(Rc<Expr>, Env),
    Source(Source, Env),
    /// What iterating over an expression gives.
    Element(Rc<Expr>, Env),
}

/// What an expression can be.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Data that can be pickled.
    Plain,
    /// Anything.
    Unknown,
    /// A thing of a library or of Python, by its full name, and what it was taken from.
    Outside(Rc<str>, Option<Rc<Value>>),
    /// A module of a library.
    OutsideModule(Rc<str>),
    /// What a call of a thing outside gave.
    Made(Rc<Made>),
    Module(ModuleId),
    Class(DefId, Env),
    Function(Function),
    /// A function taken from an instance or class.
    Method(Rc<Value>, Function),
    Instance(Rc<Instance>),
    /// A list, tuple, set or dict.
    Items(Rc<Vec<(Step, Later)>>),
    /// A container or an object of a library, and what is put into it elsewhere.
    Filled(Rc<Value>, Rc<Vec<(Step, Later)>>),
    Generator(Rc<Generator>),
    OneOf(Rc<Vec<Value>>),
}

/// A function or lambda.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) id: DefId,
    /// The scope in which it was made.
    pub(super) env: Env,
    /// What `functools.wraps` gave it the name of.
    pub(super) wraps: Option<Rc<Value>>,
}

impl Function {
    /// Returns a function as it is made in a scope.
    pub(super) fn new(id: DefId, env: Env) -> Self {
        let wraps = None;
        Self { id, env, wraps }
    }
}

/// What a call of a thing outside gave.
#[derive(Debug)]
pub(super) struct Made {
    /// The full name of what was called.
    pub(super) of: Rc<str>,
    /// What it was taken from.
    pub(super) from: Option<Rc<Value>>,
    pub(super) call: Rc<Call>,
    pub(super) env: Env,
    /// A thing that a decorator was applied to.
    pub(super) wrapped: Option<Rc<Value>>,
}

impl Made {
    /// Returns where the program makes it.
    pub(super) fn place(&self) -> (ModuleId, Place) {
        (self.env.at.module, self.call.at)
    }

    /// Returns whether it is a process of the standard library.
    pub(super) fn is_process(&self) -> bool {
        &*self.of == PROCESS
    }
}

/// An instance of a class of the program.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) class: DefId,
    pub(super) class_env: Env,
    /// The call that made it, where it is known.
    pub(super) made: Option<(Rc<Call>, Env)>,
}

/// An instance, and its attributes in the order in which they are set.
pub(super) type WithAttributes = (Rc<Instance>, Rc<Vec<Attribute>>);

/// An attribute of an instance.
#[derive(Clone, Debug)]
pub(super) struct Attribute {
    pub(super) name: Name,
    /// What it can be; one for each place that sets it, the first set first.
    pub(super) values: Vec<Later>,
    /// Where each of them is set.
    pub(super) set: Vec<Setting>,
    /// Whether every instance has it, with the one value.
    pub(super) is_sure: bool,
}

/// A place that sets an attribute.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) module: ModuleId,
    /// The statement.
    pub(super) at: Place,
    /// The class whose method it is in; none for one from outside.
    pub(super) class: Option<DefId>,
    /// The method.
    pub(super) method: usize,
    /// The right side.
    pub(super) value: Option<Place>,
    /// A dataclass's `field(default_factory=…)`.
    pub(super) is_field: bool,
    /// A `cached_property`, which is worked out again where it is missing.
    pub(super) is_cached: bool,
    /// Whether every new instance runs through it.
    pub(super) is_sure: bool,
}

impl Setting {
    /// Returns a place in a method that sets an attribute, of which nothing else is known.
    pub(super) fn new(method: DefId, at: Place, is_sure: bool) -> Self {
        Self {
            module: method.module,
            at,
            class: None,
            method: method.def,
            value: None,
            is_field: false,
            is_cached: false,
            is_sure,
        }
    }
}

/// A generator, coroutine or asynchronous generator.
#[derive(Debug)]
pub(super) struct Generator {
    pub(super) type_name: &'static str,
    pub(super) module: ModuleId,
    pub(super) at: Place,
    /// What it gives.
    pub(super) elements: Vec<Later>,
    /// What an `await` gives.
    pub(super) returns: Vec<Later>,
    pub(super) of: String,
}

/// A step from a container to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Index(usize),
    Key(String),
    /// `["io"]["lock"]`, as it is written.
    Keys(String),
    /// An attribute that is set from outside.
    Attribute(Name),
    /// One that need not be shown.
    Any,
}

impl Step {
    /// Returns the step as a reader would write it.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Index(n) => format!("[{n}]"),
            Self::Key(key) => format!("[\"{key}\"]"),
            Self::Keys(keys) => keys.clone(),
            Self::Attribute(name) => format!(".{name}"),
            Self::Any => "[...]".to_owned(),
        }
    }
}

impl Value {
    /// Returns what a call of a thing outside gave, which was taken from another.
    pub(super) fn made(of: &str, from: Option<Rc<Self>>, call: &Rc<Call>, env: &Env) -> Self {
        Self::Made(Rc::new(Made {
            of: Rc::from(of),
            from,
            call: Rc::clone(call),
            env: Rc::clone(env),
            wrapped: None,
        }))
    }

    /// Returns a thing of a library or of Python.
    pub(super) fn outside(name: impl Into<Rc<str>>, from: Option<&Self>) -> Self {
        Self::Outside(name.into(), from.map(|of| Rc::new(of.clone())))
    }

    /// Returns the function that it is, or that is taken from something.
    pub(super) fn function(&self) -> Option<&Function> {
        match self {
            Self::Function(function) | Self::Method(_, function) => Some(function),
            _ => None,
        }
    }

    /// Returns the object that it is, or one of several of one class.
    pub(super) fn instance(&self) -> Option<Rc<Instance>> {
        let mut all = self.alternatives().into_iter().map(|value| match value {
            Self::Instance(of) => Some(of),
            _ => None,
        });
        let first = all.next()??;
        all.all(|other| other.is_some_and(|o| o.class == first.class))
            .then_some(first)
    }

    /// Joins what a thing can be.
    pub(super) fn one_of(mut values: Vec<Self>) -> Self {
        if values.len() > 1 && values.iter().any(|v| !matches!(v, Self::Plain)) {
            let mut flat = Vec::new();
            for value in values {
                match value {
                    Self::OneOf(inner) => flat.extend(inner.iter().cloned()),
                    other => flat.push(other),
                }
            }
            return Self::OneOf(Rc::new(flat));
        }
        values.pop().unwrap_or(Self::Plain)
    }

    /// Returns what it can be, one by one.
    pub(super) fn alternatives(&self) -> Vec<Self> {
        match self {
            Self::OneOf(values) => values.to_vec(),
            other => vec![other.clone()],
        }
    }

    /// Returns whether it can be such a value.
    pub(super) fn may_be(&self, is_such: impl Fn(&Self) -> bool) -> bool {
        self.alternatives().iter().any(is_such)
    }
}
