//! Things that a new one stands for only by what the program does with them.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Expr, Kind, Name, Target};
use super::super::value::{Attribute, Instance, Value};

/// Dictionaries that forget what nothing else holds.
const FORGETTING: &[&str] = &["weakref.WeakValueDictionary", "weakref.WeakKeyDictionary"];

/// Returns whether a new one does the same; `None` for things that this tells nothing of.
pub(super) fn renewed(
    eval: &Eval,
    attribute: &Attribute,
    value: &Value,
) -> Option<Result<(), String>> {
    let value = match value {
        Value::Filled(base, _) => base,
        other => other,
    };
    match value {
        Value::Made(made) if made.of.starts_with("hashlib.") || &*made.of == "hmac.new" => {
            Some(if is_fed(eval, &attribute.name) {
                Err("a new one would lack what it was fed".to_owned())
            } else {
                Ok(())
            })
        }
        Value::Made(made) if made.of.ends_with(".connect().cursor") => {
            let of = made.call.func.dotted().unwrap_or_default();
            Some(if !of.starts_with("self.") {
                Err("a new one would be of the same connection".to_owned())
            } else if fetches_alone(eval, &attribute.name) {
                Err("a new one would be without the rows that it is at".to_owned())
            } else {
                Ok(())
            })
        }
        Value::Made(made) if FORGETTING.contains(&&*made.of) => {
            let is_new = made.call.args.is_empty() && is_cache(eval, attribute);
            Some(is_new.then_some(()).ok_or_else(|| {
                "a new one would be empty, and may be asked for what is in this one".to_owned()
            }))
        }
        Value::Instance(instance) if is_thread(eval, instance) => Some(Ok(())),
        _ => None,
    }
}

/// Returns whether an object is of a class that derives from `threading.Thread`.
pub(super) fn is_thread(eval: &Eval, instance: &Instance) -> bool {
    let line = eval.line(instance.class, &instance.class_env);
    line.derives_from("threading.Thread")
}

/// Returns whether a function takes rows from a cursor of this name that another one has asked for.
fn fetches_alone(eval: &Eval, name: &Name) -> bool {
    let takes = [format!(".{name}.fetch"), format!(" in self.{name}:")];
    let asks = format!(".{name}.execute");
    eval.project.any(|m| {
        let mut functions = m.defs.iter().filter(|d| d.kind == Kind::Function);
        functions.any(|d| {
            let text = m.code(d.at);
            takes.iter().any(|t| text.contains(t.as_str())) && !text.contains(&asks)
        })
    })
}

/// Returns whether an attribute of this name is given data anywhere: `self.digest.update(chunk)`.
fn is_fed(eval: &Eval, name: &Name) -> bool {
    let is_update = |e: &Rc<Expr>| {
        let (base, method) = e.attribute().unzip();
        method.is_some_and(|m| &**m == "update") && base.is_some_and(|b| b.is_attribute(name))
    };
    eval.project.any(|m| m.exprs().any(is_update))
}

/// Returns whether a method asks whether something is in the dictionary, and puts it there if not.
fn is_cache(eval: &Eval, attribute: &Attribute) -> bool {
    let Some(class) = attribute.set.first().and_then(|s| s.class) else {
        return false;
    };
    let module = eval.project.module(class.module);
    let mut methods = module.methods(class.def);
    let is_it = |e: &Expr| e.is_attribute(&attribute.name);
    methods.any(|(_, method)| {
        let mut bindings = method.bindings.iter();
        let puts = bindings.any(|b| matches!(&b.target, Target::Content(base, _) if is_it(base)));
        let text = module.code(method.at);
        let own = method.params.first().map_or("self", |p| &*p.name);
        let named = format!("{own}.{}", attribute.name);
        let asks = [
            format!("{named}.get("),
            format!("in {named}:"),
            "except KeyError".to_owned(),
        ];
        puts && asks.iter().any(|ask| text.contains(ask.as_str()))
    })
}
