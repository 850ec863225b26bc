//! Fields of dataclasses and the like.

use std::rc::Rc;

use super::super::eval::{Eval, is_decorated};
use super::super::syntax::{Call, Expr, ExprKind, Name, Place, Source, Target};
use super::super::value::{DefId, Instance, Later, Setting, Value};
use super::{Line, Settings};

/// What a class calls to say more of a field than its default.
pub(in super::super) const FIELDS: [&str; 6] =
    ["field", "Field", "PrivateAttr", "ib", "attrib", "Factory"];

/// A field of a dataclass: its name, default, class, place and annotation.
type Field = (Name, Option<Rc<Expr>>, DefId, Place, Option<Rc<Expr>>);

impl Eval<'_> {
    /// Collects the fields of a dataclass and the like.
    #[expect(clippy::too_many_lines, reason = "the forms of one thing")]
    pub(super) fn fields(&self, instance: &Rc<Instance>, line: &Line, settings: &mut Settings) {
        let has_init = self.method(line, "__init__").is_some();
        let mut fields: Vec<Field> = Vec::new();
        for (class, _) in line.own.iter().rev() {
            let module = self.project.module(class.module);
            let def = &module.defs[class.def];
            let is_decorated_so = [
                "dataclass",
                "define",
                "frozen",
                "mutable",
                "attrs",
                "s",
                "attr",
            ]
            .iter()
            .any(|d| is_decorated(def, d));
            let has_base = line.outside.iter().any(|o| {
                o.ends_with("BaseModel")
                    || o.ends_with("NamedTuple")
                    || o.ends_with("BaseSettings")
                    || o.ends_with("Struct")
            });
            if !is_decorated_so && !has_base {
                continue;
            }
            for binding in &def.bindings {
                let Target::Name(name) = &binding.target else {
                    continue;
                };
                let value = match &binding.source {
                    Source::Value(value) => Some(Rc::clone(value)),
                    Source::Nothing => None,
                    _ => continue,
                };
                let is_attr = value.as_ref().is_some_and(|v| matches!(&v.kind, ExprKind::Call(c)
                    if c.func.dotted().is_some_and(|d| d.ends_with("attr.ib") || d.ends_with("attrib") || d.ends_with("attr.field"))));
                if binding.annotation.is_none() && !is_attr {
                    continue;
                }
                let is_class_var = binding.annotation.as_ref().is_some_and(|a| {
                    module.slice(a.at).contains("ClassVar")
                        || module.slice(a.at).contains("InitVar")
                });
                if is_class_var {
                    continue;
                }
                fields.retain(|f| f.0 != *name);
                fields.push((
                    Rc::clone(name),
                    value,
                    *class,
                    binding.at,
                    binding.annotation.clone(),
                ));
            }
        }
        let mut position = 0;
        for (name, value, class, at, annotation) in fields {
            let scope = self.scope(class);
            let as_field = value.as_ref().and_then(|v| match &v.kind {
                ExprKind::Call(call) => {
                    let name = call.func.dotted()?;
                    let last = name.rsplit('.').next()?;
                    FIELDS.contains(&last).then(|| Rc::clone(call))
                }
                _ => None,
            });
            let label = |wanted: &str| {
                as_field.as_ref().and_then(|c| {
                    c.args
                        .iter()
                        .find(|a| a.label.as_deref() == Some(wanted))
                        .map(|a| Rc::clone(&a.value))
                })
            };
            let is_init = !label("init").is_some_and(|e| matches!(e.kind, ExprKind::Constant))
                && !name.starts_with('_')
                || label("init").is_none() && as_field.is_none();
            let given = match &instance.made {
                Some((call, env)) if is_init && !has_init => {
                    let named = call.args.iter().find(|a| a.label.as_ref() == Some(&name));
                    let placed = call
                        .args
                        .iter()
                        .filter(|a| a.label.is_none() && a.stars == 0)
                        .nth(position);
                    named
                        .or(placed)
                        .map(|a| Later::Expr(Rc::clone(&a.value), Rc::clone(env)))
                }
                _ => None,
            };
            position += usize::from(is_init);
            let is_given = given.is_some();
            let factory = label("default_factory").or_else(|| label("factory"));
            let later = if let Some(given) = given {
                given
            } else if let Some(factory) = &factory {
                let of = self.eval(factory, &scope);
                let call = Rc::new(Call {
                    func: Rc::clone(factory),
                    args: Vec::new(),
                    at: factory.at,
                });
                Later::Value(self.call(&of, &call, &scope))
            } else if let Some(default) = label("default") {
                Later::Expr(default, Rc::clone(&scope))
            } else if let (Some(value), None) = (&value, &as_field) {
                Later::Expr(Rc::clone(value), Rc::clone(&scope))
            } else if let Some(annotation) = &annotation {
                Later::Value(self.annotated(annotation, &scope))
            } else {
                Later::Value(Value::Unknown)
            };
            let setting = Setting {
                module: class.module,
                at,
                class: Some(class),
                method: class.def,
                value: factory
                    .as_ref()
                    .map(|f| f.at)
                    .or(value.as_ref().map(|v| v.at))
                    .filter(|_| !is_given),
                is_field: true,
                is_cached: false,
                is_sure: true,
            };
            settings.found.push((name, later, setting, true));
        }
    }
}
