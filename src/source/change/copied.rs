//! Copies that share what an object holds: `copy.copy` asks the same methods as pickle.

use super::super::eval::Eval;
use super::super::syntax::ExprKind;
use super::super::value::{DefId, Value};
use super::handed::may_be;

/// Returns an error if the program makes shallow copies of objects of a class, or of what cannot be told.
pub(super) fn copied(eval: &Eval, class: DefId) -> Result<(), String> {
    let mut found = None;
    eval.each_expression(&mut |expr, env| {
        if let ExprKind::Call(call) = &expr.kind
            && found.is_none()
            && let Some(arg) = call.args.first()
            && matches!(eval.eval(&call.func, env), Value::Outside(name, _) if &*name == "copy.copy")
            && may_be(eval, &eval.eval(&arg.value, env), class)
        {
            let module = eval.project.module(env.at.module);
            found = Some(format!("`{}` would have its own too", module.slice(expr.at)));
        }
    });
    found.map_or(Ok(()), Err)
}
