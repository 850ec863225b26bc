//! What a function made in another one uses of it, and how it is handed over.

use std::rc::Rc;

use crate::object::Edit;

use super::super::eval::{Eval, bindings_of};
use super::super::objects::inside;
use super::super::syntax::{Def, Expr, ExprKind, Kind, Module, Name, Place, Source, Target};
use super::super::text::{imported, names_in};
use super::super::value::{DefId, Value};

/// Returns the names of the functions around it that a definition uses, or why they cannot be
/// handed over.
pub(super) fn captured(eval: &Eval, module: &Rc<Module>, id: DefId) -> Result<Vec<String>, String> {
    let def = &module.defs[id.def];
    let mut used: Vec<(Name, Place)> = Vec::new();
    for inner in module
        .defs
        .iter()
        .filter(|d| def.at.holds(d.at) && d.kind != Kind::Module)
    {
        for expr in inner
            .statements
            .iter()
            .flat_map(|s| &s.exprs)
            .chain(&inner.returns)
        {
            names_in(expr, &mut used);
        }
        for default in inner.params.iter().filter_map(|p| p.default.as_ref()) {
            names_in(default, &mut used);
        }
        for arg in &inner.bases {
            names_in(&arg.value, &mut used);
        }
        for binding in &inner.bindings {
            if let Target::Attribute(base, _) | Target::Content(base, _) = &binding.target {
                names_in(base, &mut used);
            }
        }
    }
    let mut names = Vec::new();
    for (name, _) in used {
        let is_own = module.defs.iter().filter(|d| def.at.holds(d.at)).any(|d| {
            d.params.iter().any(|p| p.name == name)
                || bindings_of(d, &name).next().is_some() && !d.globals.contains(&name)
        }) || comprehends(def, module, &name);
        let mut around = def.parent;
        let mut binder = None;
        while module.defs[around].kind != Kind::Module {
            let scope = &module.defs[around];
            let binds = scope.params.iter().any(|p| p.name == name)
                || bindings_of(scope, &name).next().is_some();
            if binds && scope.kind != Kind::Class {
                binder = Some(around);
                break;
            }
            around = scope.parent;
        }
        let Some(binder) = binder.filter(|_| !names.contains(&name.to_string())) else {
            continue;
        };
        if is_own && name != def.name {
            continue;
        }
        let scope = &module.defs[binder];
        let bindings: Vec<_> = bindings_of(scope, &name).collect();
        // It calls itself, or another local definition, or what changes later.
        let is_late = bindings.iter().any(|b| b.at.start > def.at.start) || bindings.len() > 1;
        let is_def = bindings.iter().any(|b| matches!(b.source, Source::Def(_)));
        let is_import = bindings
            .iter()
            .any(|b| matches!(b.source, Source::Import(_) | Source::From(..)));
        if name == def.name {
            return Err("it calls itself".to_owned());
        }
        if is_late || is_def || is_import {
            return Err(format!(
                "it uses `{name}`, which may change or is made beside it"
            ));
        }
        let value = eval.name(&name, &eval.scope(DefId { def: binder, ..id }), None);
        let is_bad = value.alternatives().iter().any(|v| match v {
            Value::Made(made) => inside(&made.of).is_some_and(|i| !i.holds.is_empty()),
            Value::Generator(_) | Value::OutsideModule(_) | Value::Module(_) => true,
            Value::Function(f) => {
                f.id.def != 0
                    && eval.project.module(f.id.module).defs[f.id.def]
                        .qualname
                        .contains('<')
            }
            _ => false,
        });
        if is_bad {
            return Err(format!("it uses `{name}`, which cannot be sent either"));
        }
        names.push(name.to_string());
    }
    Ok(names)
}

/// Returns whether a name is one that a comprehension in a definition binds.
fn comprehends(def: &Def, module: &Module, name: &Name) -> bool {
    fn binds(expr: &Expr, name: &Name) -> bool {
        if let ExprKind::Comprehension(inner) = &expr.kind {
            let mut names = Vec::new();
            for (target, _) in &inner.loops {
                names_in(target, &mut names);
            }
            if names.iter().any(|(n, _)| n == name) {
                return true;
            }
        }
        expr.parts().into_iter().any(|p| binds(p, name))
    }
    let all = module.defs.iter().filter(|d| def.at.holds(d.at));
    all.flat_map(|d| d.statements.iter().flat_map(|s| &s.exprs).chain(&d.returns))
        .any(|e| binds(e, name))
}

/// Returns what stands for a function with some arguments given, and the import that it needs.
pub(super) fn bound(module: &Module, name: &str, captured: &[String]) -> (String, Option<Edit>) {
    if captured.is_empty() {
        return (name.to_owned(), None);
    }
    let (partial, import) = imported(module, "functools", "partial");
    (
        format!("{partial}({name}, {})", captured.join(", ")),
        import,
    )
}
