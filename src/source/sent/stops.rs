//! The frames of a traceback as scopes and statements of the program.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::syntax::{Expr, ExprKind, Kind, Module, Place, Statement, StatementKind};
use super::super::value::{DefId, Env, Later, Value};

/// A user frame in a scope of the program.
#[derive(Clone, Debug)]
pub(in crate::source) struct Stop {
    pub(in crate::source) env: Env,
    pub(in crate::source) statement: Statement,
}

impl Eval<'_> {
    /// Finds the scopes and statements of frames, the outermost first; later ones know the
    /// arguments that earlier ones gave.
    pub(in crate::source) fn stops(&self, frames: &Frames) -> Vec<Stop> {
        let mut stops: Vec<Stop> = Vec::new();
        for (id, line) in frames {
            let module = self.project.module(*id);
            let def = module.def_at(*line);
            let Some(statement) = statement_at(&module, *line) else {
                continue;
            };
            let at = DefId::new(*id, def);
            let called = stops.last().and_then(|last| {
                let mut exprs = last.statement.exprs.iter();
                exprs.find_map(|expr| self.call_to(expr, &last.env, at))
            });
            let env = called.unwrap_or_else(|| self.scope(at));
            stops.push(Stop { env, statement });
        }
        stops
    }

    /// Returns the innermost of some frames, of whose scope nothing is known but its source, and its module.
    pub(in crate::source) fn innermost(&self, frames: &Frames) -> Option<(Stop, Rc<Module>)> {
        let stop = self.stops(&[*frames.last()?]).pop()?;
        Some((stop.clone(), self.project.module(stop.env.at.module)))
    }

    /// Returns the scope of a place in the statement of a frame, in its comprehensions too.
    pub(in crate::source) fn env_of(&self, stop: &Stop, at: Place) -> Env {
        let all = stop.statement.walk();
        let around = all.filter(|e| e.at.holds(at));
        around.fold(Rc::clone(&stop.env), |env, e| match &e.kind {
            ExprKind::Comprehension(inner) => self.overlay(inner, &env),
            _ => env,
        })
    }

    /// Finds a call of a function in an expression, and returns the scope of its run.
    fn call_to(&self, expr: &Rc<Expr>, env: &Env, at: DefId) -> Option<Env> {
        if let ExprKind::Comprehension(inner) = &expr.kind {
            let overlay = self.overlay(inner, env);
            if let Some(found) = self.call_to(&inner.element, &overlay, at) {
                return Some(found);
            }
        }
        if let Some(call) = expr.call() {
            let module = self.project.module(at.module);
            let def = &module.defs[at.def];
            for value in self.eval(&call.func, env).alternatives() {
                let (function, receiver) = match value {
                    Value::Function(f) if f.id == at => (f, None),
                    Value::Method(of, f) if f.id == at => (f, Some(Later::Value((*of).clone()))),
                    Value::Class(class, class_env) if &*def.name == "__init__" => {
                        let line = self.line(class, &class_env);
                        let Some(init) = self.method(&line, "__init__").filter(|f| f.id == at)
                        else {
                            continue;
                        };
                        let own = self.call(&Value::Class(class, class_env), call, env);
                        (init, Some(Later::Value(own)))
                    }
                    _ => continue,
                };
                let names = self.bind(def, call, env, receiver);
                return Some(Eval::run(&function, names, true));
            }
        }
        let mut parts = expr.parts().into_iter();
        parts.find_map(|part| self.call_to(part, env, at))
    }
}

/// Returns the innermost statement whose head is at a line.
pub(in crate::source) fn statement_at(module: &Module, line: u32) -> Option<Statement> {
    let spans = |s: &&Statement| {
        let first = module.line_of(s.head.start);
        let last = module.line_of(s.head.end.max(s.head.start + 1) - 1);
        first <= line && line <= last
    };
    let scopes = module.defs.iter().filter(|d| d.kind != Kind::Lambda);
    let all = scopes.flat_map(|d| &d.statements);
    all.filter(spans)
        // `def f(x): return x`: its body fails.
        .min_by_key(|s| (s.kind == StatementKind::Def, s.head.end - s.head.start))
        .cloned()
}
