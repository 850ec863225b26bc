//! Read-only views of dicts.

use std::rc::Rc;

use super::super::eval::{Eval, bindings_of, binds};
use super::super::only::only;
use super::super::syntax::{Def, Expr, ExprKind, Name, Place, Target};
use super::super::value::{Attribute, Instance, Setting, Value};
use super::left::{Form, Left, Way};
use super::remake::{setting, value_of};
use super::worded::worded;

/// Shows the same dict of the object again, or a copy of one that nothing else holds; `None` if the
/// attribute is anything else too.
pub(super) fn shown(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
    form: &Form,
) -> Option<Result<Left, String>> {
    let func = func(eval, attribute, form)?;
    // Where only some instances have it, the lines would fail.
    if !attribute.set.iter().any(|s| s.is_sure && s.class.is_some()) {
        return None;
    }
    let (_, setting) = setting(eval, attribute)?;
    let module = eval.project.module(setting.module);
    let ExprKind::Call(call) = &value_of(&module.defs[setting.method], setting)?.kind else {
        return None;
    };
    let arg = only(&call.args)?;
    let name = &attribute.name;
    let key = form.key(name);
    let (way, out, of) = match shows(eval, instance, attribute, setting, &arg.value) {
        Ok(Some(of)) => (Way::Made, format!("del state[\"{key}\"]"), of),
        Ok(None) => {
            let copy = format!("state[\"{key}\"] = dict(self.{name})");
            (Way::Shown, copy, format!("self.{name}"))
        }
        Err(why) => return Some(Err(why)),
    };
    Some(Ok(Left {
        name: name.to_string(),
        way,
        outs: vec![out],
        again: vec![form.set(name, &format!("{func}({of})"))],
        edits: Vec::new(),
    }))
}

/// Returns how the program calls what makes such a view, if the attribute is nothing else.
fn func(eval: &Eval, attribute: &Attribute, form: &Form) -> Option<String> {
    let mut func = None;
    for value in eval.values(attribute) {
        let Value::Made(made) = value else {
            return None;
        };
        let module = eval.project.module(made.env.at.module);
        if &*made.of != "types.MappingProxyType" || !Rc::ptr_eq(&module, form.module) {
            return None;
        }
        func = Some(module.slice(made.call.func.at).to_owned());
    }
    func
}

/// Returns the attribute whose dict a view shows; `None` for a dict of which a copy does as well.
fn shows(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
    setting: &Setting,
    arg: &Rc<Expr>,
) -> Result<Option<String>, String> {
    let module = eval.project.module(setting.module);
    let method = &module.defs[setting.method];
    let others = || "others hold the dict that it shows".to_owned();
    let name = match &arg.kind {
        ExprKind::Name(name) if !binds(method, name) => return Ok(None),
        ExprKind::Name(name) => name,
        ExprKind::Attribute(base, of) => {
            let own = method.params.first().is_some_and(|p| base.is_name(&p.name));
            let found = eval.attribute_named(instance, of);
            let is_once = attribute.set.len() == 1 && found.is_some_and(|a| a.set.len() == 1);
            let shown = (own && is_once).then(|| Some(format!("self.{of}")));
            return shown.ok_or_else(others);
        }
        _ => return Ok(None),
    };
    let remade = worded(eval, instance, setting, arg);
    if let Ok(remade) = &remade
        && remade.edits.is_empty()
        && attribute.set.len() == 1
    {
        return Ok(Some(remade.text.clone()));
    }
    if is_held(method, name, arg.at) {
        return Err(others());
    }
    Ok(None)
}

/// Returns whether a method does something else with a name than to fill what it stands for.
fn is_held(method: &Def, name: &Name, at: Place) -> bool {
    let own = bindings_of(method, name).map(|b| b.at);
    let filled = method.bindings.iter().filter_map(|b| match &b.target {
        Target::Content(of, _) if of.is_name(name) => Some(b.at),
        _ => None,
    });
    let known: Vec<Place> = own.chain(filled).collect();
    let mut used = method.names();
    used.any(|(n, place)| n == name && place != at && !known.iter().any(|k| k.holds(place)))
}
