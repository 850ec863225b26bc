//! `re.Scanner`, which no pickle brings back: its pattern is not what `re.compile` makes.

use std::rc::Rc;

use crate::object::Change;

use super::super::eval::Eval;
use super::super::syntax::{Kind, Target};
use super::super::value::DefId;
use super::super::walk::{Holder, Suspect};
use super::{lambda, sketch};

/// What is said of one.
pub(super) const WHY: &str = "a `re.Scanner` cannot be sent, with named functions either";

/// Returns code that leaves the scanner out of the bytes in which a lambda is.
pub(in super::super) fn scanner(eval: &Eval, suspect: &Suspect) -> Option<Change> {
    let id = suspect.def?;
    let is_lambda = eval.project.module(id.module).defs[id.def].kind == Kind::Lambda;
    if !is_lambda || lambda::compiled_by(eval, id)? != "re.Scanner" {
        return None;
    }
    let (text, code) = sketch::sketch(eval, &holder(eval, id)?, WHY)?;
    Some(Change::new(text, code))
}

/// Returns the attribute that a lambda is in.
fn holder(eval: &Eval, id: DefId) -> Option<Holder> {
    let module = eval.project.module(id.module);
    let lambda = &module.defs[id.def];
    let method = &module.defs[lambda.parent];
    let class = id.beside(method.parent);
    let attribute = method.bindings.iter().find_map(|b| match &b.target {
        Target::Attribute(_, name) if b.at.holds(lambda.at) => Some(Rc::clone(name)),
        _ => None,
    })?;
    Holder::of(
        class,
        &eval.attribute_named(&eval.instance(class), &attribute)?,
    )
}
