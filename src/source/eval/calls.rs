//! Calls: of the program's functions and classes, of libraries, and of decorators.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::objects::canonical;
use super::super::sent::is_remote;
use super::super::syntax::{Arg, Call, Def, Expr, ExprKind, Kind, Name};
use super::super::value::{
    DefId, Env, Function, Generator, Instance, Later, Made, Scope, Step, Value,
};
use super::{Eval, MAX_DEPTH};

impl Eval<'_> {
    /// Returns the scope of one run of a function.
    pub(in crate::source) fn run(
        function: &Function,
        names: HashMap<Name, Later>,
        is_call: bool,
    ) -> Env {
        Rc::new(Scope {
            at: function.id,
            names,
            outer: Some(Rc::clone(&function.env)),
            is_call,
        })
    }

    /// Works out what a function gives; with no call, its arguments are not known.
    pub(in crate::source) fn results(
        &self,
        function: &Function,
        receiver: Option<&Rc<Value>>,
        call: Option<(&Rc<Call>, &Env)>,
    ) -> Value {
        let module = self.project.module(function.id.module);
        let def = &module.defs[function.id.def];
        let depth = self.depth.get() + 3;
        if depth > MAX_DEPTH {
            return Value::Unknown;
        }
        self.depth.set(depth);
        let receiver = receiver.map(|r| Later::Value((**r).clone()));
        let env = match call {
            Some((call, env)) => Self::run(function, self.bind(def, call, env, receiver), true),
            None => Self::run(function, own_alone(def, receiver), false),
        };
        let later = |e: &Rc<Expr>| Later::Expr(Rc::clone(e), Rc::clone(&env));
        let is_generator = !def.yields.is_empty();
        let value = if is_generator || def.is_async {
            Value::Generator(Rc::new(Generator {
                type_name: match (def.is_async, is_generator) {
                    (true, true) => "async_generator",
                    (true, false) => "coroutine",
                    _ => "generator",
                },
                module: function.id.module,
                at: call.map_or(def.head, |(call, _)| call.at),
                elements: def.yields.iter().map(later).collect(),
                returns: def.returns.iter().map(later).collect(),
                of: format!("{}()", def.name),
            }))
        } else {
            Value::one_of(def.returns.iter().map(|r| self.eval(r, &env)).collect())
        };
        self.depth.set(depth - 3);
        value
    }

    /// Returns the function of the program that a call runs; of a class its `__init__`.
    pub(in crate::source) fn called(&self, call: &Call, env: &Env) -> Option<DefId> {
        match self.eval(&call.func, env) {
            Value::Class(class, _) => self.method(&self.line_of(class), "__init__").map(|f| f.id),
            value => value.function().map(|f| f.id),
        }
    }

    /// Works out a call.
    pub(in crate::source) fn call(&self, func: &Value, call: &Rc<Call>, env: &Env) -> Value {
        match func {
            Value::Class(class, class_env) => Value::Instance(Rc::new(Instance {
                class: *class,
                class_env: Rc::clone(class_env),
                made: Some((Rc::clone(call), Rc::clone(env))),
            })),
            Value::Function(function) => self.results(function, None, Some((call, env))),
            Value::Method(of, function) => self.results(function, Some(of), Some((call, env))),
            Value::Outside(name, from) => self.outside_call(name, from.as_ref(), call, env),
            Value::Made(made) => {
                let of = canonical(format!("{}()", made.of));
                Value::made(&of, Some(Rc::new(func.clone())), call, env)
            }
            Value::Instance(_) => match self.attribute(func, "__call__") {
                Value::Method(of, function) => {
                    self.results(&function, Some(&of), Some((call, env)))
                }
                _ => Value::Unknown,
            },
            Value::OneOf(values) => Value::one_of(
                values
                    .iter()
                    .take(8)
                    .map(|v| self.call(v, call, env))
                    .collect(),
            ),
            Value::Plain => Value::Plain,
            _ => Value::Unknown,
        }
    }

    pub(super) fn outside_call(
        &self,
        name: &Rc<str>,
        from: Option<&Rc<Value>>,
        call: &Rc<Call>,
        env: &Env,
    ) -> Value {
        let arg = |n: usize| call.args.get(n).map(|a| &a.value);
        if name.ends_with(".__new__")
            && let Some(Value::Class(class, class_env)) = arg(0).map(|a| self.eval(a, env))
        {
            return Value::Instance(self.instance_in(class, class_env));
        }
        match &**name {
            "list" | "tuple" | "set" | "frozenset" | "sorted" => match arg(0) {
                Some(inner) => match self.eval(inner, env) {
                    Value::Items(items) => Value::Items(items),
                    Value::Plain => Value::Plain,
                    Value::Filled(base, extra) => Value::Filled(base, extra),
                    _ => {
                        let element = Later::Element(Rc::clone(inner), Rc::clone(env));
                        Value::Items(Rc::new(vec![(Step::Any, element)]))
                    }
                },
                None => Value::Items(Rc::default()),
            },
            "dict" => self.dict_of(call, env),
            "copy.copy" | "copy.deepcopy" => arg(0).map_or(Value::Unknown, |a| self.eval(a, env)),
            "dataclasses.replace" => self.replaced(call, env),
            "vars" => match arg(0).map(|a| self.eval(a, env)) {
                Some(value @ Value::Instance(_)) => self.attribute(&value, "__dict__"),
                _ => Value::Unknown,
            },
            "getattr" => match (arg(0), arg(1).map(|a| &a.kind)) {
                (Some(base), Some(ExprKind::Text(text))) => {
                    let base = self.eval(base, env);
                    self.attribute(&base, text)
                }
                _ => Value::Unknown,
            },
            "next" => arg(0).map_or(Value::Unknown, |a| self.element_of(&self.eval(a, env))),
            "min" | "max" | "random.choice" => {
                arg(0).map_or(Value::Plain, |a| self.element_of(&self.eval(a, env)))
            }
            "super" => self.super_of(env).unwrap_or(Value::Unknown),
            "dict.get" | "dict.pop" | "dict.setdefault" | "dict.popitem" => {
                from.map_or(Value::Unknown, |of| match arg(0) {
                    Some(key) => self.subscript(of, key, env),
                    None => self.element_of(of),
                })
            }
            "dict.copy" => from.map_or(Value::Unknown, |of| (**of).clone()),
            "asyncio.run" | "asyncio.get_event_loop().run_until_complete" => {
                match arg(0).map(|a| self.eval(a, env)) {
                    Some(Value::Generator(g)) => self.any_of(&g.returns),
                    _ => Value::Unknown,
                }
            }
            other => Value::made(other, from.cloned(), call, env),
        }
    }

    /// Returns what `dict(items, name=value)` gives.
    fn dict_of(&self, call: &Rc<Call>, env: &Env) -> Value {
        let mut items = Vec::new();
        for arg in &call.args {
            let later = Later::Expr(Rc::clone(&arg.value), Rc::clone(env));
            match &arg.label {
                Some(label) => items.push((Step::Key(label.to_string()), later)),
                None => match self.eval(&arg.value, env) {
                    Value::Items(inner) => items.extend(inner.iter().cloned()),
                    other => items.push((Step::Any, Later::Value(self.element_of(&other)))),
                },
            }
        }
        Value::Items(Rc::new(items))
    }

    /// Returns what `dataclasses.replace(config, fold=1)` gives: what it was given, if only data is
    /// replaced by data.
    fn replaced(&self, call: &Rc<Call>, env: &Env) -> Value {
        let Some((first, rest)) = call.args.split_first() else {
            return Value::Unknown;
        };
        let base = self.eval(&first.value, env);
        let is_plain = |value: &Value| matches!(value, Value::Plain);
        let is_data = |arg: &Arg| {
            arg.label.as_ref().is_some_and(|label| {
                is_plain(&self.attribute(&base, label)) && is_plain(&self.eval(&arg.value, env))
            })
        };
        if rest.iter().all(is_data) {
            base.clone()
        } else {
            Value::Unknown
        }
    }

    /// Returns what `super()` is in a method.
    pub(super) fn super_of(&self, env: &Env) -> Option<Value> {
        let mut env = Rc::clone(env);
        loop {
            let module = self.project.module(env.at.module);
            let def = &module.defs[env.at.def];
            let parent = &module.defs[def.parent];
            if def.kind == Kind::Function && parent.kind == Kind::Class {
                let class = env.at.beside(def.parent);
                let own = def.params.first()?;
                let own = self.name(&own.name, &env, None);
                return Some(match self.bases(class).into_iter().next() {
                    Some(Value::Class(base, base_env)) => match own {
                        Value::Instance(instance) => {
                            let made = instance.made.clone();
                            let of_base = Rc::new(Instance {
                                class: base,
                                class_env: base_env,
                                made,
                            });
                            self.share_attributes(&instance, &of_base);
                            Value::Instance(of_base)
                        }
                        _ => Value::Class(base, base_env),
                    },
                    Some(Value::Outside(name, _)) => Value::outside(format!("{name}()"), None),
                    None => Value::outside("object()", None),
                    _ => Value::Unknown,
                });
            }
            env = Rc::clone(env.outer.as_ref()?);
        }
    }

    /// Works out a class or function with its decorators.
    pub(in crate::source) fn def_value(&self, id: DefId, env: &Env) -> Value {
        let module = self.project.module(id.module);
        let def = &module.defs[id.def];
        let mut value = if def.kind == Kind::Class {
            Value::Class(id, Rc::clone(env))
        } else {
            Value::Function(Function::new(id, Rc::clone(env)))
        };
        for decorator in def.decorators.iter().rev() {
            let task = |of: &Rc<str>, value| {
                Value::Made(Rc::new(Made {
                    of: Rc::clone(of),
                    from: None,
                    call: no_call(decorator),
                    env: Rc::clone(env),
                    wrapped: Some(Rc::new(value)),
                }))
            };
            value = match self.eval(decorator, env) {
                Value::Made(made) if &*made.of == "functools.wraps" => {
                    let given = made.call.args.first();
                    let wraps = given.map(|a| Rc::new(self.eval(&a.value, &made.env)));
                    match value {
                        Value::Function(f) => Value::Function(Function { wraps, ..f }),
                        other => other,
                    }
                }
                Value::Outside(name, _) if is_remote(&name) => task(&name, value),
                Value::Made(made) if is_remote(&made.of) => task(&made.of, value),
                Value::Function(decorate) => self.decorated(&decorate, None, value),
                Value::Method(of, decorate) => self.decorated(&decorate, Some(&of), value),
                _ => value,
            };
        }
        value
    }

    pub(super) fn decorated(
        &self,
        decorate: &Function,
        receiver: Option<&Rc<Value>>,
        value: Value,
    ) -> Value {
        let module = self.project.module(decorate.id.module);
        let def = &module.defs[decorate.id.def];
        let given = receiver.map(|r| Later::Value((**r).clone()));
        let all = given.into_iter().chain([Later::Value(value)]);
        let names = def
            .params
            .iter()
            .map(|p| Rc::clone(&p.name))
            .zip(all)
            .collect();
        let env = Self::run(decorate, names, true);
        Value::one_of(def.returns.iter().map(|r| self.eval(r, &env)).collect())
    }
}

/// Returns the names in a run of a method of which only its own object is known.
pub(in crate::source) fn own_alone(def: &Def, own: Option<Later>) -> HashMap<Name, Later> {
    let own = def.params.first().zip(own);
    let own = own.map(|(param, own)| (Rc::clone(&param.name), own));
    own.into_iter().collect()
}

/// Returns a call of an expression without arguments.
pub(in crate::source) fn no_call(at: &Rc<Expr>) -> Rc<Call> {
    Rc::new(Call {
        func: Rc::clone(at),
        args: Vec::new(),
        at: at.at,
    })
}
