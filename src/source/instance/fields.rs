//! Fields of dataclasses and the like.

use std::rc::Rc;

use super::super::eval::{Eval, is_decorated, no_call};
use super::super::syntax::{
    Binding, Call, Def, Expr, ExprKind, Module, Name, Place, Source, Target,
};
use super::super::value::{DefId, Env, Instance, Later, Setting, Value};
use super::{Line, Settings};

/// What a class calls to say more of a field than its default.
pub(in super::super) const FIELDS: [&str; 6] =
    ["field", "Field", "PrivateAttr", "ib", "attrib", "Factory"];

/// Decorators that make a class's annotated names fields.
const DECORATORS: &str = "dataclass define frozen mutable attrs s attr";

/// Base classes that do.
const BASES: [&str; 4] = ["BaseModel", "NamedTuple", "BaseSettings", "Struct"];

/// A field of a dataclass or the like.
struct Field {
    name: Name,
    class: DefId,
    at: Place,
    annotation: Option<Rc<Expr>>,
    /// What is right of the `=`.
    value: Option<Rc<Expr>>,
    /// The value where it is `field(…)` or the like.
    call: Option<Rc<Call>>,
}

impl Field {
    fn read(class: DefId, module: &Module, binding: &Binding) -> Option<Self> {
        let Target::Name(name) = &binding.target else {
            return None;
        };
        let value = match &binding.source {
            Source::Value(value) => Some(Rc::clone(value)),
            Source::Nothing => None,
            _ => return None,
        };
        if let Some(annotation) = &binding.annotation {
            let annotation = module.slice(annotation.at);
            if annotation.contains("ClassVar") || annotation.contains("InitVar") {
                return None;
            }
        } else if !value.as_ref().is_some_and(|v| is_attrs(v)) {
            return None;
        }
        let call = value.as_ref().and_then(|v| field_call(v));
        Some(Self {
            name: Rc::clone(name),
            class,
            at: binding.at,
            annotation: binding.annotation.clone(),
            value,
            call,
        })
    }

    /// Returns an argument of `field(…)`.
    fn argument(&self, label: &str) -> Option<&Rc<Expr>> {
        let args = &self.call.as_ref()?.args;
        let arg = args.iter().find(|a| a.label.as_deref() == Some(label))?;
        Some(&arg.value)
    }

    fn factory(&self) -> Option<&Rc<Expr>> {
        self.argument("default_factory")
            .or_else(|| self.argument("factory"))
    }

    /// Returns whether the `__init__` that is made takes the field.
    fn is_init(&self) -> bool {
        match self.argument("init") {
            Some(init) => !matches!(init.kind, ExprKind::Constant) && !self.name.starts_with('_'),
            None => self.call.is_none() || !self.name.starts_with('_'),
        }
    }
}

impl Eval<'_> {
    /// Collects the fields of a dataclass and the like.
    pub(super) fn fields(&self, instance: &Rc<Instance>, settings: &mut Settings) {
        let line = settings.line;
        let has_init = self.method(line, "__init__").is_some();
        let mut position = 0;
        for field in self.fields_of(line) {
            let given = match &instance.made {
                Some((call, env)) if field.is_init() && !has_init => {
                    given(call, &field.name, position)
                        .map(|value| Later::Expr(Rc::clone(value), Rc::clone(env)))
                }
                _ => None,
            };
            position += usize::from(field.is_init());
            let default = field.factory().map(|f| f.at);
            let default = default.or(field.value.as_ref().map(|v| v.at));
            let setting = Setting {
                class: Some(field.class),
                value: default.filter(|_| given.is_none()),
                is_field: true,
                ..Setting::new(field.class, field.at, true)
            };
            let later = given.unwrap_or_else(|| self.default(&field));
            settings.found.push((field.name, later, setting));
        }
    }

    /// Returns the fields of a class and its bases; a class's own replaces its base's.
    fn fields_of(&self, line: &Line) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for (class, _) in line.own.iter().rev() {
            let module = self.project.module(class.module);
            let def = &module.defs[class.def];
            if !has_fields(def, line) {
                continue;
            }
            for binding in &def.bindings {
                if let Some(field) = Field::read(*class, &module, binding) {
                    fields.retain(|f| f.name != field.name);
                    fields.push(field);
                }
            }
        }
        fields
    }

    /// Returns what a field holds where the call that makes the instance does not give it.
    fn default(&self, field: &Field) -> Later {
        let scope: Env = self.scope(field.class);
        if let Some(factory) = field.factory() {
            let of = self.eval(factory, &scope);
            return Later::Value(self.call(&of, &no_call(factory), &scope));
        }
        if let Some(default) = field.argument("default") {
            return Later::Expr(Rc::clone(default), scope);
        }
        match (&field.value, &field.call, &field.annotation) {
            (Some(value), None, _) => Later::Expr(Rc::clone(value), scope),
            (_, _, Some(annotation)) => Later::Value(self.annotated(annotation, &scope)),
            _ => Later::Value(Value::Unknown),
        }
    }
}

/// Returns whether a class's annotated names are fields.
fn has_fields(def: &Def, line: &Line) -> bool {
    let is_base = |outside: &Rc<str>| BASES.iter().any(|b| outside.ends_with(b));
    DECORATORS.split(' ').any(|d| is_decorated(def, d)) || line.outside.iter().any(is_base)
}

/// Returns whether a value is a field of attrs, which needs no annotation.
fn is_attrs(value: &Expr) -> bool {
    let Some(call) = value.call() else {
        return false;
    };
    let name = call.func.dotted().unwrap_or_default();
    ["attr.ib", "attrib", "attr.field"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Returns `field(…)` or the like.
fn field_call(value: &Expr) -> Option<Rc<Call>> {
    let call = value.call()?;
    let last = call.func.last_name()?;
    FIELDS.contains(&&**last).then(|| Rc::clone(call))
}

/// Returns what a call gives for a parameter.
fn given<'c>(call: &'c Call, name: &Name, position: usize) -> Option<&'c Rc<Expr>> {
    let named = call.args.iter().find(|a| a.label.as_ref() == Some(name));
    let mut placed = (call.args.iter()).filter(|a| a.label.is_none() && a.stars == 0);
    let arg = named.or_else(|| placed.nth(position))?;
    Some(&arg.value)
}
