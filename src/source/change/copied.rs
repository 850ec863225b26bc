//! Copies that share what an object holds: `copy.copy` asks the same methods as pickle.

use super::super::eval::Eval;
use super::super::value::{DefId, Value};
use super::handed::may_be;

/// Returns an error if the program makes shallow copies of objects of a class, or of what cannot be told.
pub(super) fn copied(eval: &Eval, class: DefId) -> Result<(), String> {
    let is_copy = |value| matches!(value, Value::Outside(name, _) if &*name == "copy.copy");
    let found = eval.calls().find(|(call, env)| {
        let given = call.args.first();
        is_copy(eval.eval(&call.func, env))
            && given.is_some_and(|a| may_be(eval, &eval.eval(&a.value, env), class))
    });
    found.map_or(Ok(()), |(call, env)| {
        let module = eval.project.module(env.at.module);
        Err(format!(
            "`{}` would have its own too",
            module.slice(call.at)
        ))
    })
}
