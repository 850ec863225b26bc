//! What is in a container, and what is put into it elsewhere.

use std::rc::Rc;

use super::super::syntax::{Expr, ExprKind, Name, Target};
use super::super::text::lists;
use super::super::value::{Env, Instance, Later, Made, Step, Value};
use super::Eval;
use super::names::bindings_of;

/// Containers of `collections` that classes derive from.
const COLLECTIONS: &str = "UserDict UserList OrderedDict defaultdict deque";

impl Eval<'_> {
    /// Works out what `with expr as` binds.
    pub(super) fn entered(&self, expr: &Rc<Expr>, env: &Env) -> Value {
        let value = self.eval(expr, env);
        match &value {
            Value::Instance(_) => self.result(&value, "__enter__").unwrap_or(Value::Unknown),
            Value::Generator(generator) => self.any_of(&generator.elements),
            _ => value,
        }
    }

    /// Returns the n-th part of what is unpacked.
    pub(super) fn part(&self, value: &Value, n: usize) -> Value {
        match value {
            Value::Items(items) => {
                let fixed = items.iter().all(|(step, _)| matches!(step, Step::Index(_)));
                match items.get(n).filter(|_| fixed) {
                    Some((_, later)) => self.force(later),
                    None => self.element_of(value),
                }
            }
            Value::Made(made) if &*made.of == "multiprocessing.Pipe" => {
                Value::Made(Rc::clone(made))
            }
            Value::Made(made) if n == 0 && made.of.ends_with("().parse_known_args") => {
                let of = "argparse.ArgumentParser().parse_args";
                Value::made(of, made.from.clone(), &made.call, &made.env)
            }
            Value::Plain => Value::Plain,
            Value::OneOf(values) => Value::one_of(values.iter().map(|v| self.part(v, n)).collect()),
            Value::Made(_) | Value::Generator(_) | Value::Filled(..) => self.element_of(value),
            _ => Value::Unknown,
        }
    }

    pub(super) fn subscript(&self, base: &Value, key: &Rc<Expr>, env: &Env) -> Value {
        match (base, &key.kind) {
            (Value::Made(made), _) if made.of.starts_with("h5py.") => {
                within_hdf5(made, base, key, env)
            }
            (Value::Items(items) | Value::Filled(_, items), ExprKind::Text(text)) => {
                let found = items.iter().find(|(s, _)| *s == Step::Key(text.clone()));
                match found {
                    Some((_, later)) => self.force(later),
                    None => self.element_of(base),
                }
            }
            // `Optional[Net]`, `list[int]`
            (Value::Outside(..) | Value::Class(..), _) => base.clone(),
            (Value::OneOf(values), _) => {
                Value::one_of(values.iter().map(|v| self.subscript(v, key, env)).collect())
            }
            (Value::Instance(_), _) => self.result(base, "__getitem__").unwrap_or(Value::Unknown),
            _ => self.element_of(base),
        }
    }

    /// Returns what iterating over a value gives; of a dict its values too.
    pub(in crate::source) fn element_of(&self, value: &Value) -> Value {
        self.step(|| self.element_of_kind(value))
    }

    fn element_of_kind(&self, value: &Value) -> Value {
        match value {
            Value::Plain => Value::Plain,
            Value::Items(items) => {
                let items = items.iter().take(32);
                Value::one_of(items.map(|(_, later)| self.force(later)).collect())
            }
            Value::Filled(base, extra) => {
                let first = match &**base {
                    Value::Items(items) if items.is_empty() => None,
                    Value::Instance(_) => None,
                    other => Some(self.element_of(other)),
                };
                let within = extra
                    .iter()
                    .filter(|(s, _)| !matches!(s, Step::Attribute(_)));
                let rest = within
                    .take(16)
                    .map(|(step, later)| self.within(step, later));
                Value::one_of(first.into_iter().chain(rest).collect())
            }
            Value::Generator(generator) => self.any_of(&generator.elements),
            Value::OneOf(values) => {
                Value::one_of(values.iter().map(|v| self.element_of(v)).collect())
            }
            Value::Instance(_) => {
                let iterated = self
                    .result(value, "__iter__")
                    .map(|all| self.element_of(&all));
                let item = || self.result(value, "__getitem__");
                iterated.or_else(item).unwrap_or(Value::Unknown)
            }
            Value::Made(made) => self.made_element(made),
            _ => Value::Unknown,
        }
    }

    /// Returns what a method of an object gives, whatever it is given; `None` if it has no such method.
    fn result(&self, of: &Value, method: &str) -> Option<Value> {
        match self.attribute(of, method) {
            Value::Method(of, function) => Some(self.results(&function, Some(&of), None)),
            _ => None,
        }
    }

    /// Returns what a container gives that holds something this way; with several keys, other containers.
    fn within(&self, step: &Step, later: &Later) -> Value {
        let keys = match step {
            Step::Keys(keys) => keys.matches('[').count(),
            _ => 1,
        };
        let held = |value| Value::Items(Rc::new(vec![(Step::Any, Later::Value(value))]));
        (1..keys).fold(self.force(later), |value, _| held(value))
    }

    pub(super) fn made_element(&self, made: &Rc<Made>) -> Value {
        let arg = |n: usize| Some(self.eval(&made.call.args.get(n)?.value, &made.env));
        let element_of = |of: Option<Value>| of.map_or(Value::Unknown, |v| self.element_of(&v));
        let content = || element_of(made.from.as_deref().cloned());
        match &*made.of {
            "enumerate" => pair(Value::Plain, element_of(arg(0))),
            "dict.items" => pair(Value::Plain, content()),
            "dict.values" => content(),
            "dict.keys" => Value::Plain,
            "os.scandir" => Value::made("os.DirEntry", None, &made.call, &made.env),
            "pathlib.Path().iterdir" | "pathlib.Path().glob" | "pathlib.Path().rglob" => {
                Value::made("pathlib.Path", None, &made.call, &made.env)
            }
            "zip" => {
                let parts = made.call.args.iter().enumerate();
                let items = parts.map(|(n, a)| {
                    let later = Later::Element(Rc::clone(&a.value), Rc::clone(&made.env));
                    (Step::Index(n), later)
                });
                Value::Items(Rc::new(items.collect()))
            }
            "map" => match (arg(0), made.call.args.get(1)) {
                (Some(Value::Function(function)), _) => self.results(&function, None, None),
                _ => Value::Unknown,
            },
            "filter" | "concurrent.futures.wait" => element_of(arg(1).or_else(|| arg(0))),
            of if of.ends_with("tqdm")
                || of.ends_with("track")
                || of.starts_with("itertools.")
                || matches!(
                    of,
                    "concurrent.futures.as_completed"
                        | "asyncio.as_completed"
                        | "reversed"
                        | "iter"
                        | "sorted"
                        | "collections.deque"
                        | "random.sample"
                        | "random.choices"
                ) =>
            {
                element_of(arg(0))
            }
            of => match super::super::objects::inside(of) {
                Some(inside) if inside.holds.is_empty() && !inside.keeps => Value::Plain,
                // Its parts hold what it holds: `random_split(dataset, …)`.
                Some(inside) if inside.keeps => Value::Made(Rc::clone(made)),
                _ => Value::Unknown,
            },
        }
    }

    /// Adds what is put into a container, or set on an object of a library, under this name.
    pub(super) fn with_contents(&self, value: Value, name: &Name, env: &Env) -> Value {
        let module = self.project.module(env.at.module);
        if !module.filled.contains(name) {
            return value;
        }
        let takes = match &value {
            Value::Items(_) | Value::Made(_) | Value::Plain => true,
            Value::Instance(instance) => self.is_container(instance),
            _ => false,
        };
        if !takes {
            return value;
        }
        let is_name = |e: &Expr| e.is_name(name);
        let mut extra = Vec::new();
        for (id, def) in module.defs() {
            let at = env.at.beside(id);
            let is_same = at == env.at;
            let is_below = env.at.def == 0 && bindings_of(def, name).next().is_none();
            if !is_same && !is_below {
                continue;
            }
            for binding in &def.bindings {
                let step = match &binding.target {
                    Target::Content(base, key) if is_name(base.subscripted().0) => {
                        content_step(base, key.as_deref())
                    }
                    Target::Attribute(base, attribute)
                        if is_name(base) && matches!(value, Value::Made(_)) =>
                    {
                        Step::Attribute(Rc::clone(attribute))
                    }
                    _ => continue,
                };
                let scope = if is_same {
                    Rc::clone(env)
                } else {
                    self.scope(at)
                };
                extra.push((step, Later::Source(binding.source.clone(), scope)));
            }
        }
        if extra.is_empty() {
            return value;
        }
        Value::Filled(Rc::new(value), Rc::new(extra))
    }

    /// Returns whether a class derives from a list, dict or the like.
    pub(super) fn is_container(&self, instance: &Instance) -> bool {
        let line = self.line(instance.class, &instance.class_env);
        line.outside.iter().any(|name| {
            let last = name.strip_prefix("collections.");
            matches!(&**name, "dict" | "list" | "set")
                || last.is_some_and(|last| lists(COLLECTIONS, last))
        })
    }
}

/// Returns what is in an HDF5 file or group under a key, or what is read of a dataset.
fn within_hdf5(of: &Rc<Made>, base: &Value, key: &Rc<Expr>, env: &Env) -> Value {
    let is_read = matches!(
        key.kind,
        ExprKind::Constant | ExprKind::Items(_) | ExprKind::Data(_) | ExprKind::Other(_)
    );
    let is_part = matches!(key.kind, ExprKind::Text(_)) || &*of.of == "h5py.File";
    if is_read {
        return Value::Plain;
    }
    if !is_part {
        return Value::Unknown;
    }
    let call = super::calls::no_call(key);
    Value::made("h5py.Dataset", Some(Rc::new(base.clone())), &call, env)
}

/// Returns the way from a container to what is put into it.
pub(in crate::source) fn content_step(base: &Expr, key: Option<&str>) -> Step {
    let (_, keys) = base.subscripted();
    match key {
        Some(key) if keys.is_empty() => Step::Key(key.to_owned()),
        Some(key) => Step::Keys(format!("{keys}[\"{key}\"]")),
        None if keys.is_empty() => Step::Any,
        None => Step::Keys(format!("{keys}[...]")),
    }
}

pub(super) fn pair(first: Value, second: Value) -> Value {
    let items = vec![
        (Step::Index(0), Later::Value(first)),
        (Step::Index(1), Later::Value(second)),
    ];
    Value::Items(Rc::new(items))
}
