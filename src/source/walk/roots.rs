//! What is sent, as it is written: each of its literal parts goes by its own name.

use std::rc::Rc;

use super::super::sent::Part;
use super::super::syntax::{Expr, ExprKind};
use super::super::text::lists;
use super::super::value::{DefId, Env, Function, Later, Value};
use super::{At, MAX_SEEN, Walk};

/// What hands on its arguments, each as a part.
const WRAPPERS: &str = "functools.partial list tuple dict set zip enumerate itertools.repeat";
/// What gives the items of its arguments, by the names under which it is called.
const ITERATORS: &str =
    "zip enumerate list tuple itertools.repeat repeat itertools.product product sorted";

impl Walk<'_, '_> {
    /// Walks over one part of what is sent.
    pub(in crate::source) fn part(&mut self, part: &Part) {
        match &part.value {
            Later::Element(..) => self.elements(&part.expr, &part.env, &part.value),
            Later::Value(value) => {
                let at = self.start(&part.expr, &part.env);
                self.value(value, &at);
            }
            _ => self.root(&part.expr, &part.env),
        }
    }

    /// Walks over what a task returned.
    pub(in crate::source) fn result(&mut self, function: &Function, value: &Value) {
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
        let is_told = |e: &Expr| {
            matches!(
                e.kind,
                ExprKind::Items(_) | ExprKind::Dict(_) | ExprKind::Name(_)
            )
        };
        match def.returns.as_slice() {
            [one] if is_told(one) && def.yields.is_empty() && !def.is_async => self.root(one, &env),
            _ => self.value(value, &at),
        }
    }

    /// Walks over an exception that a task raised.
    pub(in crate::source) fn raised(&mut self, class: DefId) {
        let module = self.eval.project.module(class.module);
        let def = &module.defs[class.def];
        let at = At {
            path: def.name.to_string(),
            is_named: true,
            holder: None,
            module: class.module,
            place: def.head,
            is_sure: true,
            depth: 0,
        };
        self.instance(&self.eval.instance(class), &at);
    }

    fn start(&self, expr: &Rc<Expr>, env: &Env) -> At {
        let (path, is_named) = if let Some(label) = self.label(expr, env) {
            (label, true)
        } else {
            let module = self.eval.project.module(env.at.module);
            let words: Vec<&str> = module.slice(expr.at).split_whitespace().collect();
            let text = words.join(" ");
            let short: String = text.chars().take(48).collect();
            let is_cut = short.len() < text.len();
            (if is_cut { format!("{short}…") } else { text }, false)
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
    pub(super) fn label(&self, expr: &Rc<Expr>, env: &Env) -> Option<String> {
        // A method takes along what it is taken from.
        if let Some((base, _)) = expr.attribute() {
            let all = self.eval.eval(expr, env).alternatives();
            let is_method = |v: &Value| matches!(v, Value::Method(..));
            let is_data = |v: &Value| matches!(v, Value::Plain);
            if all.iter().any(is_method) && all.iter().all(|v| is_method(v) || is_data(v)) {
                return self.label(base, env);
            }
        }
        let dotted = expr.dotted()?;
        let (first, rest) = dotted.split_at(dotted.find('.').unwrap_or(dotted.len()));
        if !matches!(first, "self" | "cls") {
            return Some(dotted);
        }
        let class = match self.eval.name(&Rc::from(first), env, None) {
            Value::Instance(instance) => instance.class,
            Value::Class(class, _) => class,
            _ => return Some(dotted),
        };
        let module = self.eval.project.module(class.module);
        Some(format!("{}{rest}", module.defs[class.def].name))
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
                let is_wrapper = matches!(&func, Value::Outside(name, _) if lists(WRAPPERS, name));
                if is_wrapper {
                    for arg in &call.args {
                        // `list(rows(3))` holds what the generator gives, not the generator.
                        let given = self.eval.eval(&arg.value, env);
                        if matches!(given, Value::Generator(_)) && !is_partial(&func) {
                            let later = Later::Element(Rc::clone(&arg.value), Rc::clone(env));
                            self.elements(&arg.value, env, &later);
                        } else {
                            self.root(&arg.value, env);
                        }
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
            ExprKind::Call(call) if call.func.dotted().is_some_and(|d| lists(ITERATORS, &d)) => {
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
}

/// Returns whether a call keeps its arguments as they are.
fn is_partial(func: &Value) -> bool {
    matches!(func, Value::Outside(name, _) if &**name == "functools.partial")
}
