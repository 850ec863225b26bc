//! Whether workers alone run a function.

use super::super::change::{POOLS, workers};
use super::super::eval::Eval;
use super::super::syntax::Expr;
use super::super::value::{DefId, Value};

/// The functions that run in workers.
pub(super) struct Workers(Vec<DefId>);

impl Workers {
    /// Finds them; a method of this class may be what is called on an unknown object.
    pub(super) fn of(eval: &Eval, class: Option<DefId>) -> Self {
        let all = workers(eval, &[], class).into_iter();
        Self(all.map(|w| w.0).collect())
    }

    /// Returns whether a function, or one around it, is one of them.
    pub(super) fn has(&self, eval: &Eval, by: DefId) -> bool {
        let module = eval.project.module(by.module);
        let at = module.defs[by.def].at;
        let mut all = self.0.iter().filter(|w| w.module == by.module);
        all.any(|w| module.defs[w.def].at.holds(at))
    }

    /// Returns whether a function is one of them, and nothing in the parent calls it, or gives it to a thread.
    pub(super) fn run_alone(&self, eval: &Eval, by: DefId) -> bool {
        let module = eval.project.module(by.module);
        let name = &module.defs[by.def].name;
        let is_named = |e: &Expr| e.last_name() == Some(name);
        self.has(eval, by)
            && eval.project.defs().all(|(at, module)| {
                let env = eval.scope(at);
                let may_be = |value: Value| match value {
                    Value::Function(f) | Value::Method(_, f) => f.id == by,
                    Value::Unknown => true,
                    _ => false,
                };
                let mut calls = module.defs[at.def].exprs().flat_map(Expr::calls);
                calls.all(|call| {
                    let is_given = call.args.iter().any(|a| is_named(&a.value));
                    if !is_given && !is_named(&call.func) {
                        return true;
                    }
                    let func = eval.eval(&call.func, &env);
                    if is_given {
                        return starts(&func);
                    }
                    self.has(eval, at) || !func.alternatives().into_iter().any(may_be)
                })
            })
    }
}

/// Returns whether a call of this runs what it is given in another process.
fn starts(func: &Value) -> bool {
    matches!(func, Value::Outside(of, _)
        if &**of == "multiprocessing.Process" || POOLS.iter().any(|p| of.starts_with(p)))
}
