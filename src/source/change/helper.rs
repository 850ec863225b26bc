//! What a function that goes to the top of the module takes along: the functions beside it that it calls, and
//! attributes of an object that cannot be sent.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;
use crate::traceback::facts::Via;

use super::super::effects::changes;
use super::super::eval::{Eval, only_binding};
use super::super::syntax::{Def, Kind, Module, Name, Source};
use super::super::text::quoted;
use super::super::value::{Attribute, DefId, Instance, Value};
use super::bound::cannot_travel;
use super::captured::stays_here;
use super::local::{Moved, moved_up};

/// A function beside another one, which goes to the top of the module as well.
pub(super) struct Helper {
    pub(super) name: Name,
    pub(super) moved: Moved,
}

/// Returns the number of a function that a name stands for, made in the same function before another one; `None`
/// if it may be anything else.
pub(super) fn made_before(module: &Module, def: &Def, name: &Name, scope: &Def) -> Option<usize> {
    let Source::Def(number) = only_binding(scope, name)?.source else {
        return None;
    };
    let other = &module.defs[number];
    let is_before = other.at.end <= def.at.start && scope.kind == Kind::Function;
    (is_before && other.kind == Kind::Function && other.decorators.is_empty()).then_some(number)
}

/// Returns the function that a name stands for, at the top of the module.
pub(super) fn helper(
    eval: &Eval,
    id: DefId,
    via: Option<Via>,
    name: &Name,
) -> Result<Helper, String> {
    let moved = moved_up(eval, id, via).map_err(|why| format!("it calls `{name}`, and {why}"))?;
    Ok(Helper {
        name: Rc::clone(name),
        moved,
    })
}

/// Returns the code of helpers above that of what calls them.
pub(super) fn below_helpers(helpers: &[Helper], code: String) -> String {
    let codes = helpers.iter().map(|h| h.moved.code.clone());
    codes.chain([code]).collect::<Vec<_>>().join("\n\n\n")
}

/// Returns how helpers are told of, in parentheses; nothing where there are none.
pub(super) fn with_helpers(helpers: &[Helper]) -> String {
    if helpers.is_empty() {
        return String::new();
    }
    let names = quoted(helpers.iter().map(|h| &h.name));
    format!(" (and {names}, which it calls, as well)")
}

/// Adds edits to those of the helpers.
pub(super) fn all_edits(helpers: Vec<Helper>, edits: Vec<Edit>) -> Vec<Edit> {
    let mut all = Vec::new();
    for helper in helpers {
        Edit::add(&mut all, helper.moved.plan.edits);
    }
    Edit::add(&mut all, edits);
    all
}

/// Returns the attributes of an object that a function reads, if it uses nothing else of the object, and each of
/// them is data that is set once.
pub(super) fn attributes_read(
    eval: &Eval,
    module: &Module,
    def: &Def,
    own: &Name,
    instance: &Rc<Instance>,
) -> Option<Vec<Name>> {
    let text = module.code(def.at);
    let all: Vec<Name> = module
        .within(def.at)
        .flat_map(Def::exprs)
        .flat_map(|e| e.attributes_of(own))
        .map(|(name, _)| Rc::clone(name))
        .collect();
    // An attribute that is set, or spoken of in a text, counts as one more.
    if places_of(text, own).count() != all.len() {
        return None;
    }
    let mut names: Vec<Name> = Vec::new();
    for name in all {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let attributes = eval.attributes(instance);
    let is_data = |name: &Name| {
        let mut found = attributes.iter().filter(|a| a.name == *name);
        found.next().is_some_and(|a| is_set_once(eval, a))
            && !changes(text, &format!(".{name}"))
            // It would be a parameter of this name.
            && places_of(text, name).count() == text.matches(&format!("{own}.{name}")).count()
    };
    names.iter().all(is_data).then_some(names)
}

/// Returns whether an attribute is data that `__init__` alone sets.
fn is_set_once(eval: &Eval, attribute: &Attribute) -> bool {
    let ([setting], [later]) = (attribute.set.as_slice(), attribute.values.as_slice()) else {
        return false;
    };
    let module = eval.project.module(setting.module);
    let is_made = matches!(
        &*module.defs[setting.method].name,
        "__init__" | "__post_init__"
    );
    let stays = |value: &Value| match value {
        Value::Plain | Value::Unknown => false,
        Value::Items(_) => cannot_travel(eval, attribute),
        Value::Instance(_) => stays_here(eval, value, None),
        _ => true,
    };
    is_made && setting.is_sure && !eval.force(later).may_be(stays)
}

/// Returns code in which attributes of an object are names of their own.
pub(super) fn as_names(code: &str, attributes: &[(Name, Name)]) -> String {
    attributes
        .iter()
        .fold(code.to_owned(), |code, (own, name)| {
            let old = format!("{own}.{name}");
            let mut new = String::new();
            let mut at = 0;
            for place in places_of(&code, &old) {
                new.push_str(&code[at..place]);
                new.push_str(name);
                at = place + old.len();
            }
            new.push_str(&code[at..]);
            new
        })
}
