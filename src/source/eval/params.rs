//! Parameters: from their callers, their annotations, and the arguments of a call.

use std::collections::HashMap;
use std::rc::Rc;

use crate::python_name::is_word;

use super::super::objects::is_data;
use super::super::only::only;
use super::super::syntax::{Arg, Call, Def, Expr, ExprKind, Kind, Name, ParamKind};
use super::super::text::lists;
use super::super::value::{DefId, Env, Instance, Later, Step, Value};
use super::names::is_decorated;
use super::{Eval, MAX_CALLERS};

/// What an annotation wraps round the type of the value itself.
const WRAPPERS: &str = "typing.Optional typing.Annotated typing.Final typing.ClassVar";

/// What holds values of the types in its brackets.
const CONTAINERS: &str =
    "list dict tuple set typing.List typing.Dict typing.Tuple typing.Sequence typing.Iterable";

impl Eval<'_> {
    /// Works out a parameter whose argument is not known from the call.
    pub(super) fn param(&self, name: &Name, env: &Env, def: &Def) -> Value {
        let Some(index) = def.params.iter().position(|p| p.name == *name) else {
            return Value::Unknown;
        };
        let param = &def.params[index];
        if param.kind == ParamKind::Rest || param.kind == ParamKind::Keywords {
            let none = Value::Items(Rc::default());
            return if env.is_call { none } else { Value::Unknown };
        }
        let default = || {
            let outer = self.around(env.at);
            param.default.as_ref().map(|d| self.eval(d, &outer))
        };
        if env.is_call {
            return default().unwrap_or(Value::Unknown);
        }
        if index == 0
            && def.kind == Kind::Function
            && let Some(value) = self.own(env, def)
        {
            return value;
        }
        let called = self.called_with(name, env.at, def);
        if let Some(annotation) = &param.annotation {
            let outer = self.around(env.at);
            let annotated = self.annotated(annotation, &outer);
            return match (&annotated, called) {
                (_, Some(called)) if !matches!(called, Value::Unknown) => called,
                (Value::Unknown, _) => default()
                    .filter(|d| !matches!(d, Value::Plain))
                    .unwrap_or(Value::Unknown),
                _ => annotated,
            };
        }
        let called = called.or_else(|| self.of_command(def).filter(|_| index == 0));
        called.or_else(default).unwrap_or(Value::Unknown)
    }

    /// Returns what a command of the program is called with: `parser.set_defaults(func=run)`.
    fn of_command(&self, def: &Def) -> Option<Value> {
        let is_it = |a: &Arg| a.label.is_some() && a.value.is_name(&def.name);
        let sets = |c: &Call| c.func.is_attribute("set_defaults") && c.args.iter().any(is_it);
        let (call, env) = (self.calls().any(|(c, _)| sets(&c))).then(|| {
            self.calls()
                .find(|(c, _)| c.func.is_attribute("parse_args"))
        })??;
        self.made(&call, &env).map(Value::Made)
    }

    /// Returns what `self` or `cls` is in a method.
    pub(super) fn own(&self, env: &Env, def: &Def) -> Option<Value> {
        let module = self.project.module(env.at.module);
        if module.defs[def.parent].kind != Kind::Class {
            return None;
        }
        let class = env.at.beside(def.parent);
        let class_env = self.around(class);
        if is_decorated(def, "staticmethod") {
            return None;
        }
        if is_decorated(def, "classmethod") || &*def.name == "__new__" {
            return Some(Value::Class(class, class_env));
        }
        Some(Value::Instance(self.instance_in(class, class_env)))
    }

    /// Returns an instance of a class, as the only call of it makes it, if there is just one.
    pub(in crate::source) fn instance(&self, class: DefId) -> Rc<Instance> {
        self.instance_in(class, self.around(class))
    }

    /// Returns an instance of a class that is made in a scope.
    pub(super) fn instance_in(&self, class: DefId, class_env: Env) -> Rc<Instance> {
        let module = self.project.module(class.module);
        let name = Rc::clone(&module.defs[class.def].name);
        let mut calls = Vec::new();
        let asked = (class, Rc::clone(&name));
        if !self.asked.borrow().contains(&asked) {
            self.asked.borrow_mut().push(asked);
            self.calls_of(&name, &mut |call, env| {
                if let Value::Class(id, _) = self.eval(&call.func, env)
                    && id == class
                {
                    calls.push((Rc::clone(call), Rc::clone(env)));
                }
                calls.len() <= 1
            });
            self.asked.borrow_mut().pop();
        }
        let made = only(calls);
        Rc::new(Instance {
            class,
            class_env,
            made,
        })
    }

    /// Works out a parameter from the places that call the function.
    pub(super) fn called_with(&self, name: &Name, id: DefId, def: &Def) -> Option<Value> {
        let asked = (id, Rc::clone(name));
        if self.asked.borrow().len() > 3
            || self.asked.borrow().contains(&asked)
            || def.kind == Kind::Lambda
        {
            return None;
        }
        self.asked.borrow_mut().push(asked);
        let module = self.project.module(id.module);
        let is_init = &*def.name == "__init__" && module.is_method(def);
        let called = if is_init {
            &module.defs[def.parent]
        } else {
            def
        };
        let mut values = Vec::new();
        let mut count = 0;
        let mut seen = |call: &Rc<Call>, env: &Env| {
            let bound = match self.eval(&call.func, env) {
                Value::Function(f) if f.id == id => self.bind(def, call, env, None),
                Value::Method(of, f) if f.id == id => {
                    self.bind(def, call, env, Some(Later::Value((*of).clone())))
                }
                Value::Class(class, _)
                    if is_init && class.module == id.module && class.def == def.parent =>
                {
                    self.bind(def, call, env, Some(Later::Value(Value::Unknown)))
                }
                _ => return true,
            };
            count += 1;
            if let Some(later) = bound.get(name) {
                values.push(self.force(later));
            } else {
                let param = def.params.iter().find(|p| p.name == *name);
                let default = param.and_then(|p| p.default.as_ref());
                let default = default.map(|d| self.eval(d, &self.around(id)));
                values.push(default.unwrap_or(Value::Unknown));
            }
            count < MAX_CALLERS
        };
        self.calls_of(&called.name, &mut seen);
        if is_init {
            // `super().__init__(…)` of the classes below.
            self.calls_of("__init__", &mut seen);
        }
        self.asked.borrow_mut().pop();
        (!values.is_empty()).then(|| Value::one_of(values))
    }

    /// Returns what an annotation says that a value is.
    pub(in crate::source) fn annotated(&self, annotation: &Rc<Expr>, env: &Env) -> Value {
        let of = match &annotation.kind {
            // A name in quotes.
            ExprKind::Text(text) if text.chars().all(is_word) => {
                self.name(&Rc::from(text.as_str()), env, None)
            }
            ExprKind::Subscript(base, inner) => {
                let base = self.eval(base, env);
                let parts = match &inner.kind {
                    ExprKind::Items(items) => items.as_slice(),
                    _ => std::slice::from_ref(inner),
                };
                match &base {
                    Value::Outside(name, _) if lists(WRAPPERS, name) => {
                        return self.annotated(parts.first().unwrap_or(inner), env);
                    }
                    Value::Outside(name, _) if lists(CONTAINERS, name) => {
                        let items = parts
                            .iter()
                            .map(|p| (Step::Any, Later::Value(self.annotated(p, env))));
                        return Value::Items(Rc::new(items.collect()));
                    }
                    other => other.clone(),
                }
            }
            ExprKind::Operation(left, right) => {
                let sides = [left, right].map(|side| self.annotated(side, env));
                return Value::one_of(sides.to_vec());
            }
            ExprKind::Constant => return Value::Plain,
            _ => self.eval(annotation, env),
        };
        match of {
            Value::Class(class, class_env) => Value::Instance(self.instance_in(class, class_env)),
            Value::Outside(name, _) => {
                if is_data(&name) {
                    Value::Plain
                } else {
                    Value::Unknown
                }
            }
            _ => Value::Unknown,
        }
    }

    /// Matches the arguments of a call to the parameters of a function.
    pub(in crate::source) fn bind(
        &self,
        def: &Def,
        call: &Call,
        env: &Env,
        receiver: Option<Later>,
    ) -> HashMap<Name, Later> {
        let mut names = HashMap::new();
        let (positions, labelled) = self.arguments_of(def, call, env, receiver);
        let mut positions = positions.into_iter();
        for param in &def.params {
            match param.kind {
                ParamKind::Plain => {
                    if let Some(later) = positions.next() {
                        names.insert(Rc::clone(&param.name), later);
                    }
                }
                ParamKind::Rest => {
                    let rest = positions.by_ref().enumerate();
                    let items = rest.map(|(n, later)| (Step::Index(n), later)).collect();
                    let all = Later::Value(Value::Items(Rc::new(items)));
                    names.insert(Rc::clone(&param.name), all);
                }
                ParamKind::KeywordOnly | ParamKind::Keywords => {}
            }
        }
        let mut rest = Vec::new();
        for (label, later) in labelled {
            if def.params.iter().any(|p| p.name == label) {
                names.insert(label, later);
            } else {
                rest.push((Step::Key(label.to_string()), later));
            }
        }
        if let Some(param) = def.params.iter().find(|p| p.kind == ParamKind::Keywords) {
            let all = Later::Value(Value::Items(Rc::new(rest)));
            names.insert(Rc::clone(&param.name), all);
        }
        names
    }

    /// Returns the arguments of a call by position and by name, with `*` and `**` written out.
    fn arguments_of(
        &self,
        def: &Def,
        call: &Call,
        env: &Env,
        receiver: Option<Later>,
    ) -> (Vec<Later>, Vec<(Name, Later)>) {
        let mut positions: Vec<Later> = receiver.into_iter().collect();
        let mut labelled: Vec<(Name, Later)> = Vec::new();
        for Arg {
            label,
            stars,
            value,
        } in &call.args
        {
            let later = || Later::Expr(Rc::clone(value), Rc::clone(env));
            match (label, stars) {
                (Some(label), _) => labelled.push((Rc::clone(label), later())),
                (None, 0) => positions.push(later()),
                (None, 1) => match self.eval(value, env) {
                    Value::Items(items) => positions.extend(items.iter().map(|(_, l)| l.clone())),
                    other => {
                        let element = self.element_of(&other);
                        for _ in positions.len()..def.params.len() {
                            positions.push(Later::Value(element.clone()));
                        }
                    }
                },
                (None, _) => {
                    if let Value::Items(items) = self.eval(value, env) {
                        for (step, later) in items.iter() {
                            if let Step::Key(key) = step {
                                labelled.push((Rc::from(key.as_str()), later.clone()));
                            }
                        }
                    }
                }
            }
        }
        (positions, labelled)
    }
}
