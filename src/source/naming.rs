//! Functions, classes and lambdas by the names that they have in the source.

use crate::object::Certainty;

use super::change::is_bound;
use super::eval::Eval;
use super::only::only;
use super::syntax::{Def, Expr, ExprKind, Kind, Module, Place, Source, Target};
use super::value::Value;
use super::verdict::Verdict;
use super::walk::{Holder, Suspect, describe};
use super::wanted::{Wanted, plain_name};

/// Finds a function, class or lambda by its name alone, or what cannot be pickled in objects of a class.
pub(super) fn by_name(eval: &Eval, wanted: &Wanted) -> Option<Verdict> {
    let name = match wanted {
        Wanted::Named(name) => name,
        Wanted::In(class) => return within(eval, class),
        _ => return None,
    };
    let mut suspects = Vec::new();
    eval.project.add_imports();
    for (id, module) in eval.project.defs() {
        let def = &module.defs[id.def];
        let is_local = def.qualname.contains("<locals>") || def.kind == Kind::Lambda;
        if is_local && plain_name(&def.qualname) == *name {
            suspects.push(Suspect {
                path: bound_to(&module, def).unwrap_or_else(|| def.name.to_string()),
                of: describe(def, &module.defs),
                module: id.module,
                at: def.head,
                holder: None,
                def: Some(id),
                named_as: None,
                is_sure: false,
            });
        }
    }
    let is_one = suspects.len() == 1;
    // Lambdas at the top of a module all have one name.
    let is_lambda = name == "<lambda>";
    if suspects.is_empty() || suspects.len() > 3 {
        return None;
    }
    let certainty = match (is_one, is_lambda) {
        (true, false) => Certainty::Certain,
        (true, true) => Certainty::Likely,
        _ => Certainty::OneOf,
    };
    Some(Verdict::of(suspects, certainty))
}

/// Finds the first attribute of objects of a class that cannot be pickled.
fn within(eval: &Eval, class: &str) -> Option<Verdict> {
    let name = class.rsplit('.').next()?;
    let is_it = |def: &Def| def.kind == Kind::Class && &*def.name == name;
    let classes = eval.project.defs().filter(|(id, m)| is_it(&m.defs[id.def]));
    let (id, module) = only(classes)?;
    let attributes = eval.attributes(&eval.instance(id));
    let suspects = attributes.iter().filter_map(|attribute| {
        let Some(Value::Made(made)) = eval.values(attribute).into_iter().find(is_bound) else {
            return None;
        };
        let holder = Holder::of(id, attribute)?;
        let setting = &holder.setting;
        Some(Suspect {
            path: format!("{}.{}", module.defs[id.def].name, attribute.name),
            of: made.of.to_string(),
            module: setting.module,
            at: setting.value.unwrap_or(setting.at),
            holder: Some(holder),
            def: None,
            named_as: None,
            is_sure: attribute.is_sure,
        })
    });
    let mut suspects: Vec<Suspect> = suspects.collect();
    suspects.truncate(1);
    (!suspects.is_empty()).then(|| Verdict::of(suspects, Certainty::Certain))
}

/// Gives suspects that are reached by one way the names under which they are made, where they have
/// any: `SCORERS["mse"]`.
pub(super) fn tell_apart(eval: &Eval, suspects: &mut [Suspect]) {
    let paths: Vec<String> = suspects.iter().map(|s| s.path.clone()).collect();
    for suspect in suspects {
        let is_shared = paths.iter().filter(|p| **p == suspect.path).count() > 1;
        if let (true, Some(id)) = (is_shared, suspect.def) {
            let module = eval.project.module(id.module);
            if let Some(name) = bound_to(&module, &module.defs[id.def]) {
                suspect.path = name;
            }
        }
    }
}

/// Returns what a lambda is bound to, as the reader would call it: `Net.act` for `self.act = lambda …`
/// in a method of `Net`, `SCORERS["mse"]` for one in a dict.
fn bound_to(module: &Module, def: &Def) -> Option<String> {
    let parent = &module.defs[def.parent];
    let mut bindings = parent.bindings.iter();
    let (target, keys) = bindings.find_map(|binding| match &binding.source {
        Source::Value(value) => Some((&binding.target, keys_to(value, def.at)?)),
        _ => None,
    })?;
    let name = named_target(module, parent, target)?;
    Some(format!("{name}{keys}"))
}

/// Returns the subscripts that lead to a place in a display of dicts: `["mse"]`; empty for the place
/// itself.
fn keys_to(value: &Expr, at: Place) -> Option<String> {
    if value.at == at {
        return Some(String::new());
    }
    let ExprKind::Dict(items) = &value.kind else {
        return None;
    };
    items
        .iter()
        .find_map(|(key, inner)| match &key.as_ref()?.kind {
            ExprKind::Text(key) => Some(format!("[\"{key}\"]{}", keys_to(inner, at)?)),
            _ => None,
        })
}

/// Returns a target as the reader would call it.
fn named_target(module: &Module, parent: &Def, target: &Target) -> Option<String> {
    match target {
        Target::Name(name) => Some(name.to_string()),
        Target::Attribute(base, name) => {
            let base = module.slice(base.at);
            let class = &module.defs[parent.parent];
            let is_self = parent.params.first().is_some_and(|p| *p.name == *base);
            let owner = if is_self && class.kind == Kind::Class {
                &class.name
            } else {
                base
            };
            Some(format!("{owner}.{name}"))
        }
        Target::Content(..) => None,
    }
}
