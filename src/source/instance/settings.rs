//! What methods set on `self`, in the order in which they run.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::eval::{Eval, content_step, is_decorated, own_alone};
use super::super::syntax::{Binding, Call, ExprKind, Name, Place, Source, Target};
use super::super::value::{Env, Function, Later, Setting, Value};
use super::{Line, MAX_CALLS, Settings};

impl Eval<'_> {
    /// Does so for a method whose arguments are not known.
    pub(super) fn simulate_plain(
        &self,
        method: &Function,
        is_sure: bool,
        settings: &mut Settings,
        depth: usize,
    ) {
        let module = self.project.module(method.id.module);
        let own = Later::Value(settings.own.clone());
        let names = own_alone(&module.defs[method.id.def], Some(own));
        self.simulate(method, (names, false), is_sure, settings, depth);
    }

    /// Collects what a method sets on `self`, and the methods that it calls on it.
    pub(super) fn simulate(
        &self,
        method: &Function,
        (names, is_call): (HashMap<Name, Later>, bool),
        is_sure: bool,
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
        let mut bound: HashMap<Place, Vec<(&Name, &Binding)>> = HashMap::new();
        for binding in &def.bindings {
            if let Some((base, name)) = binding.attribute()
                && base.is_name(&me)
            {
                bound.entry(binding.at).or_default().push((name, binding));
            }
        }
        for statement in &def.statements {
            let is_here = is_sure && statement.suite == body;
            if depth < MAX_CALLS {
                for call in statement.calls() {
                    self.follow(call, (&me, &env), is_here, method, settings, depth);
                }
            }
            self.spread(statement, (&me, &env), is_here, method, settings);
            for (name, binding) in bound.get(&statement.at).into_iter().flatten() {
                let later = match &binding.source {
                    Source::Nothing => continue,
                    source => Later::Source(source.clone(), Rc::clone(&env)),
                };
                let later = self.filled(later, name, settings.line, &env);
                let setting = Setting {
                    class: (module.is_method(def)).then_some(method.id.beside(def.parent)),
                    value: binding.source.given().map(|e| e.at),
                    ..Setting::new(method.id, binding.at, is_here)
                };
                settings.found.push((Rc::clone(name), later, setting));
            }
        }
    }

    /// Collects what an `__init__` sets that a decorator gives a class: `cls.__init__ = __init__`.
    pub(super) fn given_by_decorators(&self, settings: &mut Settings) {
        for (class, _) in &settings.line.own {
            let module = self.project.module(class.module);
            let def = &module.defs[class.def];
            let scope = self.around(*class);
            for decorator in &def.decorators {
                let Value::Function(decorate) = self.eval(decorator, &scope) else {
                    continue;
                };
                let module = self.project.module(decorate.id.module);
                let def = &module.defs[decorate.id.def];
                let Some(given) = def.params.first().map(|p| &p.name) else {
                    continue;
                };
                for binding in &def.bindings {
                    if let (Target::Attribute(base, name), Source::Value(value)) =
                        (&binding.target, &binding.source)
                        && &**name == "__init__"
                        && base.is_name(given)
                        && let Value::Function(init) = self.eval(value, &self.scope(decorate.id))
                    {
                        self.simulate_plain(&init, true, settings, 0);
                    }
                }
            }
        }
    }

    /// Adds what methods put into the container that an attribute is.
    pub(super) fn filled(&self, later: Later, attribute: &Name, line: &Line, env: &Env) -> Later {
        let mut extra = Vec::new();
        for (class, _) in &line.own {
            let module = self.project.module(class.module);
            for (id, def) in module.methods(class.def) {
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
                    if name == attribute && of.is_name(&own.name) {
                        let at = class.beside(id);
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

    /// Collects what a call sets on `self`, if it is one of a method on it.
    fn follow(
        &self,
        call: &Call,
        (me, env): (&Name, &Env),
        is_sure: bool,
        method: &Function,
        settings: &mut Settings,
        depth: usize,
    ) {
        let Some((base, name)) = call.method() else {
            return;
        };
        let line = settings.line;
        let is_super = base.call().is_some_and(|c| c.func.is_name("super"));
        let (target, skip) = if base.is_name(me) {
            (self.method(line, name), 0)
        } else if is_super {
            let module = self.project.module(method.id.module);
            let class = method.id.beside(module.defs[method.id.def].parent);
            (self.method_after(line, class, name), 0)
        } else if call.args.first().is_some_and(|a| a.value.is_name(me))
            && let Value::Class(class, class_env) = self.eval(base, env)
        {
            (self.method(&self.line(class, &class_env), name), 1)
        } else {
            return;
        };
        if let Some(target) = target {
            let module = self.project.module(target.id.module);
            let def = &module.defs[target.id.def];
            let mut inner = call.clone();
            inner.args.drain(..skip.min(inner.args.len()));
            let receiver = Some(Later::Value(settings.own.clone()));
            let names = self.bind(def, &inner, env, receiver);
            self.simulate(&target, (names, true), is_sure, settings, depth + 1);
        }
    }

    /// Collects what a `cached_property` leaves among the attributes.
    pub(super) fn cached(&self, settings: &mut Settings) {
        for (class, _) in &settings.line.own {
            let module = self.project.module(class.module);
            for (number, def) in module.defs().filter(|(_, d)| d.parent == class.def) {
                let [returned] = def.returns.as_slice() else {
                    continue;
                };
                if !is_decorated(def, "cached_property") {
                    continue;
                }
                let id = class.beside(number);
                let method = Function::new(id, self.scope(*class));
                let own = Later::Value(settings.own.clone());
                let env = Self::run(&method, own_alone(def, Some(own)), false);
                let setting = Setting {
                    class: Some(*class),
                    value: Some(returned.at),
                    is_cached: true,
                    ..Setting::new(id, returned.at, false)
                };
                let later = Later::Expr(Rc::clone(returned), env);
                settings.found.push((Rc::clone(&def.name), later, setting));
            }
        }
    }
}
