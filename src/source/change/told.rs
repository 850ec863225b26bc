//! What another part of the program sets while it runs: a value of a module or class, of what a module
//! holds, of the environment. A new process has it as the import leaves it.

use std::rc::Rc;

use super::super::effects::changes;
use super::super::eval::{Eval, bindings_of, binds};
use super::super::syntax::{Binding, Expr, ExprKind, Module, Name, Target};
use super::super::value::{DefId, Env, Value};

/// How what reads the environment begins, as it is written.
const ENVIRONMENT: &str = "os.environ environ[ environ. os.getenv( getenv(";

/// Returns the parts of an expression that are told so, none within another.
pub(super) fn told(eval: &Eval, module: &Module, expr: &Rc<Expr>, env: &Env) -> Vec<Rc<Expr>> {
    if is_told(eval, module, expr, env) {
        return vec![Rc::clone(expr)];
    }
    let parts = expr.parts().into_iter();
    parts.flat_map(|p| told(eval, module, p, env)).collect()
}

/// Returns the name that an expression begins with; `None` for a call.
fn root_of(expr: &Expr) -> Option<&Name> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Attribute(base, _) | ExprKind::Subscript(base, _) => root_of(base),
        _ => None,
    }
}

/// Returns whether the program sets things by names that are texts: `globals()["PATH"] = path`.
fn sets_by_name(eval: &Eval) -> bool {
    const WAYS: [&str; 4] = ["globals()[", "globals().update(", "vars(", ".__dict__"];
    let sets = |text: &str| WAYS.iter().any(|way| text.contains(way));
    eval.project.any(|m| {
        let bound = m.bindings();
        let mut filled = bound.filter_map(|b| match &b.target {
            Target::Content(of, _) => Some(m.slice(of.at)),
            _ => None,
        });
        filled.any(|of| sets(&format!("{of}[")) || sets(&format!("{of}.update(")))
    })
}

/// Returns whether a function reads what is told so, which a new process does not have.
pub(in super::super) fn reads_told(eval: &Eval, of: DefId) -> bool {
    let module = eval.project.module(of.module);
    let env = eval.scope(of);
    let def = &module.defs[of.def];
    // What it sets itself it may read, and it reads nothing of what it fills there.
    let is_filled = |of: &Expr| {
        let mut all = def.bindings.iter();
        all.any(|b| matches!(&b.target, Target::Content(base, _) if base.at == of.at))
    };
    let is_own = |e: &Expr| match &e.kind {
        ExprKind::Name(name) => def.declares(name),
        ExprKind::Subscript(of, _) => is_filled(of),
        _ => false,
    };
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
        // `current_path()`, `PATH.get()` of a context variable
        ExprKind::Call(call) => match eval.eval(&call.func, env) {
            Value::Function(f) => f.id != env.at && reads_told(eval, f.id),
            Value::Outside(of, _) => &*of == "contextvars.ContextVar().get",
            _ => false,
        },
        ExprKind::Name(name) => {
            let is_data = || matches!(eval.eval(expr, env), Value::Plain | Value::Unknown);
            is_global(name)
                && (is_set_again(module, name)
                    || is_set_in(eval, env, name)
                    || sets_by_name(eval) && is_data())
        }
        ExprKind::Attribute(base, name) => match eval.eval(base, env) {
            Value::Module(id) => {
                is_set_again(&eval.project.module(id), name)
                    || is_set(eval, module, name)
                    || sets_by_name(eval)
            }
            Value::Class(..) => is_set(eval, module, name),
            // `get_settings().db`, `settings.db`, `ARGS.db`
            Value::Instance(_) | Value::Function(_) | Value::Made(_) | Value::Filled(..) => {
                let is_own = |name: &Name| !is_global(name);
                let is_local = root_of(base).is_some_and(is_own);
                !is_local && (is_set(eval, module, name) || sets_by_name(eval))
            }
            _ => false,
        },
        ExprKind::Subscript(..) => {
            let (root, _) = expr.subscripted();
            root.last_name().is_some_and(|name| {
                let is_own = matches!(&root.kind, ExprKind::Name(name) if !is_global(name));
                let is_of_module = root
                    .attribute()
                    .is_none_or(|(of, _)| matches!(eval.eval(of, env), Value::Module(_)));
                let dotted = format!(".{name}");
                !is_own
                    && is_of_module
                    && eval
                        .project
                        .any(|m| changes(&m.code, name) || changes(&m.code, &dotted))
            })
        }
        _ => false,
    }
}

/// Returns whether an expression reads the environment, whose values are texts.
pub(super) fn reads_environment(module: &Module, expr: &Expr) -> bool {
    let text = module.slice(expr.at);
    ENVIRONMENT.split(' ').any(|start| text.starts_with(start))
}

fn changes_environment(eval: &Eval) -> bool {
    let modules = eval.project.modules();
    let mut texts = modules.iter().map(|m| &m.code);
    texts.any(|text| changes(text, ".environ") || changes(text, "environ"))
}

/// Returns whether a module sets a name more than once, or a function of it does.
pub(in super::super) fn is_set_again(module: &Module, name: &str) -> bool {
    module.has_global(name) || bindings_of(&module.defs[0], name).nth(1).is_some()
}

/// Returns whether another module sets a name of the one that a scope is in: `store.PATH = path`.
fn is_set_in(eval: &Eval, of: &Env, name: &Name) -> bool {
    let is_module = |value| matches!(value, Value::Module(id) if id == of.at.module);
    eval.project.defs().any(|(id, module)| {
        let mut set = module.defs[id.def]
            .bindings
            .iter()
            .filter_map(Binding::attribute);
        set.any(|(base, n)| n == name && is_module(eval.eval(base, &eval.scope(id))))
    })
}

/// Returns whether the program sets an attribute of this name other than on the own object of a method that
/// makes it.
fn is_set(eval: &Eval, module: &Module, name: &Name) -> bool {
    let modules = eval.project.modules();
    let others = modules.iter().map(|m| &**m);
    let mut all = others.chain([module]);
    all.any(|module| {
        module.defs.iter().any(|def| {
            let makes = def.name.ends_with("init__");
            let own = module.own_name(def).filter(|_| makes);
            let is_own = |e: &Expr| own.is_some_and(|own| e.is_name(own));
            let mut set = def.bindings.iter().filter_map(Binding::attribute);
            set.any(|(base, n)| n == name && !is_own(base))
        })
    })
}
