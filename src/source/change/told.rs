//! What another part of the program sets while it runs: a value of a module or class, of what a module
//! holds, of the environment. A new process has it as the import leaves it.

use std::rc::Rc;

use super::super::effects::changes;
use super::super::eval::{Eval, bindings_of, binds};
use super::super::syntax::{Expr, ExprKind, Kind, Module, Name, Target};
use super::super::value::{DefId, Env, Value};

/// How what reads the environment begins, as it is written.
const ENVIRONMENT: [&str; 5] = [
    "os.environ",
    "environ[",
    "environ.",
    "os.getenv(",
    "getenv(",
];

/// Returns the parts of an expression that are told so, none within another.
pub(super) fn told(eval: &Eval, module: &Module, expr: &Rc<Expr>, env: &Env) -> Vec<Rc<Expr>> {
    if is_told(eval, module, expr, env) {
        return vec![Rc::clone(expr)];
    }
    let parts = expr.parts().into_iter();
    parts.flat_map(|p| told(eval, module, p, env)).collect()
}

/// Returns whether a function reads what is told so, which a new process does not have.
pub(in super::super) fn reads_told(eval: &Eval, of: DefId) -> bool {
    let module = eval.project.module(of.module);
    let env = eval.scope(of);
    let def = &module.defs[of.def];
    // What it sets itself it may read.
    let is_own = |e: &Expr| matches!(&e.kind, ExprKind::Name(name) if def.globals.contains(name));
    let mut read = def.exprs().flat_map(|e| told(eval, &module, e, &env));
    read.any(|e| !is_own(&e))
}

fn is_told(eval: &Eval, module: &Module, expr: &Rc<Expr>, env: &Env) -> bool {
    let is_global = |name: &Name| !binds(&module.defs[env.at.def], name);
    match &expr.kind {
        ExprKind::Subscript(base, _) if reads_environment(module, expr) => {
            changes_environment(eval) && base.dotted().is_some()
        }
        ExprKind::Call(_) if reads_environment(module, expr) => changes_environment(eval),
        ExprKind::Name(name) => {
            is_global(name) && (is_set_again(module, name) || is_set_in(eval, env, name))
        }
        ExprKind::Attribute(base, name) => match eval.eval(base, env) {
            Value::Module(id) => {
                is_set_again(&eval.project.module(id), name) || is_set(eval, module, name)
            }
            Value::Class(..) => is_set(eval, module, name),
            // `get_settings().db`
            Value::Instance(_) => {
                matches!(&base.kind, ExprKind::Call(_)) && is_set(eval, module, name)
            }
            _ => false,
        },
        ExprKind::Subscript(..) => {
            let (root, _) = expr.subscripted();
            let modules = eval.project.modules();
            root.last_name().is_some_and(|name| {
                let is_own = matches!(&root.kind, ExprKind::Name(name) if !is_global(name));
                let is_of_module = match &root.kind {
                    ExprKind::Attribute(base, _) => {
                        matches!(eval.eval(base, env), Value::Module(_))
                    }
                    _ => true,
                };
                let dotted = format!(".{name}");
                !is_own
                    && is_of_module
                    && modules
                        .iter()
                        .any(|m| changes(&m.text, name) || changes(&m.text, &dotted))
            })
        }
        _ => false,
    }
}

/// Returns whether an expression reads the environment, whose values are texts.
pub(super) fn reads_environment(module: &Module, expr: &Expr) -> bool {
    let text = module.slice(expr.at);
    ENVIRONMENT.iter().any(|start| text.starts_with(start))
}

fn changes_environment(eval: &Eval) -> bool {
    let modules = eval.project.modules();
    let mut texts = modules.iter().map(|m| &m.text);
    texts.any(|text| changes(text, ".environ") || changes(text, "environ"))
}

/// Returns whether a module sets a name more than once, or a function of it does.
fn is_set_again(module: &Module, name: &Name) -> bool {
    module.defs.iter().any(|d| d.globals.contains(name))
        || bindings_of(&module.defs[0], name).nth(1).is_some()
}

/// Returns whether another module sets a name of the one that a scope is in: `store.PATH = path`.
fn is_set_in(eval: &Eval, of: &Env, name: &Name) -> bool {
    let is_module = |value| matches!(value, Value::Module(id) if id == of.at.module);
    eval.project.ids().into_iter().any(|id| {
        let module = eval.project.module(id);
        module.defs().any(|(number, def)| {
            def.bindings.iter().any(|b| {
                matches!(&b.target, Target::Attribute(base, n) if n == name
                    && is_module(eval.eval(base, &eval.scope(DefId::new(id, number)))))
            })
        })
    })
}

/// Returns whether the program sets an attribute of this name other than on a method's own object.
fn is_set(eval: &Eval, module: &Module, name: &Name) -> bool {
    let modules = eval.project.modules();
    let others = modules.iter().map(|m| &**m);
    let mut all = others.chain([module]);
    all.any(|module| {
        module.defs.iter().any(|def| {
            let is_method = module.defs[def.parent].kind == Kind::Class;
            let own = def.params.first().filter(|_| is_method).map(|p| &p.name);
            let is_own = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if Some(n) == own);
            def.bindings.iter().any(
                |b| matches!(&b.target, Target::Attribute(base, n) if n == name && !is_own(base)),
            )
        })
    })
}
