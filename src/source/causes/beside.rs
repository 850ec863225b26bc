//! What is set beside a global that a worker misses, and will be missed next.

use std::rc::Rc;

use super::super::asked::Use;
use super::super::change::stays_here;
use super::super::eval::{Eval, bindings_of};
use super::super::project::ModuleId;
use super::super::syntax::{Binding, Kind, Module, Name, Place, Source, Target};
use super::super::value::DefId;
use super::unset::{calls_it, is_empty, is_local, setters};
use crate::traceback::facts::Via;

/// Returns the other globals that the same scope sets, which the worker's functions use and do not have
/// either, and which can be sent; each with the place that sets it.
pub(super) fn beside(
    eval: &Eval,
    id: ModuleId,
    (name, of): (&str, usize),
    ran: &[usize],
) -> Vec<(Name, Place)> {
    let module = eval.project.module(id);
    let reached = reached(&module, ran);
    let is_missed = |other: &str| {
        let none = is_empty(&module, &Use::Call, other);
        (none || is_empty(&module, &Use::Name(other.to_owned()), other))
            && reached.iter().any(|at| {
                let text = module.code(module.defs[*at].at);
                Use::Name(other.to_owned()).is_in(text, other) && !is_local(&module, *at, other)
            })
    };
    let scope = eval.scope(DefId::new(id, of));
    let mut found: Vec<(Name, Place)> = Vec::new();
    for (other, binding) in candidates(&module, of) {
        let [(only, set)] = setters(&module, other)[..] else {
            continue;
        };
        let is_here =
            only == of && set.at == binding.at && bindings_of(&module.defs[of], other).count() == 1;
        let is_known = **other == *name || found.iter().any(|(n, _)| n == other);
        if !is_here || is_known || !is_missed(other) {
            continue;
        }
        let value = eval.name(other, &scope, None);
        let mut all = value.alternatives().into_iter();
        if !all.any(|v| stays_here(eval, &v, Some(Via::Process))) {
            found.push((Rc::clone(other), binding.at));
        }
    }
    found
}

/// Returns the names that a scope gives a value by an assignment.
fn candidates(module: &Module, of: usize) -> impl Iterator<Item = (&Name, &Binding)> {
    module.defs[of].bindings.iter().filter_map(|b| {
        let is_value = matches!(b.source, Source::Value(_) | Source::Part(..));
        match &b.target {
            Target::Name(name) if is_value => Some((name, b)),
            _ => None,
        }
    })
}

/// Returns functions of the module and those that they call.
fn reached(module: &Module, from: &[usize]) -> Vec<usize> {
    let mut found: Vec<usize> = from.iter().copied().filter(|of| *of != 0).collect();
    let mut at = 0;
    while at < found.len() {
        let text = module.code(module.defs[found[at]].at);
        for (other, def) in module.defs() {
            let is_new = def.kind == Kind::Function && !found.contains(&other);
            if is_new && calls_it(text, &def.name) {
                found.push(other);
            }
        }
        at += 1;
    }
    found
}
