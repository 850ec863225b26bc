//! Where a line has got what it uses from: `settings = get_settings()`.

use super::super::asked::Use;
use super::super::eval::{Eval, only_binding};
use super::super::project::ModuleId;
use super::super::sent::Stop;
use super::super::syntax::{Expr, ExprKind};

/// Finds the line that gives a name, or returns from a function, what a worker's innermost line uses in this way.
pub(in super::super) fn got(
    eval: &Eval,
    frames: &[(ModuleId, u32)],
    used: &Use,
) -> Option<(ModuleId, u32)> {
    let (Stop { env, statement }, module) = eval.innermost(frames)?;
    let id = env.at.module;
    let text = module.slice(statement.head);
    let mut all = statement.exprs.iter().flat_map(Expr::walk);
    all.find_map(|expr| {
        let value = match &expr.kind {
            ExprKind::Name(name) => only_binding(&module.defs[env.at.def], name)
                .filter(|_| env.at.def != 0)?
                .source
                .given()?,
            ExprKind::Call(_) => expr,
            _ => return None,
        };
        if !used.is_in(text, module.slice(expr.at)) {
            return None;
        }
        let Some(call) = value.call() else {
            return value.dotted().map(|_| (id, module.line_of(value.at.start)));
        };
        let getter = eval.called(call, &env)?;
        let of = eval.project.module(getter.module);
        match of.defs[getter.def].returns.as_slice() {
            [one] if one.dotted().is_some() => Some((getter.module, of.line_of(one.at.start))),
            _ => None,
        }
    })
}
