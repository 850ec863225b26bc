//! Attributes that are set from outside of an object's class: `config.log = open(path)`.

use std::rc::Rc;

use super::eval::Eval;
use super::instance::Settings;
use super::syntax::{Expr, ExprKind, Name, Source, Target};
use super::value::{Instance, Later, Setting, Value};

/// The most steps that may be spent on finding what they are set on.
const MAX_STEPS: u32 = 15_000;

/// One such setting, and what it is set on.
#[derive(Debug)]
pub(super) struct Attached {
    of: Rc<Instance>,
    name: Name,
    later: Later,
    setting: Setting,
    is_in_body: bool,
}

impl Eval<'_> {
    /// Adds what is set on an instance from outside; `false` while that is being found out.
    pub(super) fn attach(&self, instance: &Instance, settings: &mut Settings) -> bool {
        let count = self.project.ids().len();
        let known = self.attached.borrow().clone();
        let known = match known {
            Some((of, known)) if of == count => known,
            _ => {
                if self.is_attaching.replace(true) {
                    return false;
                }
                let found = Rc::new(self.all_attached());
                self.is_attaching.set(false);
                let count = self.project.ids().len();
                *self.attached.borrow_mut() = Some((count, Rc::clone(&found)));
                found
            }
        };
        for found in known.iter() {
            let is_class = settings.line.has(found.of.class)
                || self.line_of(found.of.class).has(instance.class);
            let is_call = match (&found.of.made, &instance.made) {
                (Some((a, _)), Some((b, _))) => Rc::ptr_eq(a, b).then_some(true),
                _ => Some(false),
            };
            if let (true, Some(is_same)) = (is_class, is_call) {
                let is_sure = is_same && found.is_in_body;
                let setting = Setting {
                    is_sure,
                    ..found.setting.clone()
                };
                let (name, later) = (Rc::clone(&found.name), found.later.clone());
                settings.found.push((name, later, setting));
            }
        }
        true
    }

    fn all_attached(&self) -> Vec<Attached> {
        let mut found = Vec::new();
        let before = self.steps();
        for (at, module) in self.project.defs() {
            let def = &module.defs[at.def];
            for binding in &def.bindings {
                let (Target::Attribute(base, name), Source::Value(value)) =
                    (&binding.target, &binding.source)
                else {
                    continue;
                };
                // `self` or `cls` of the method itself
                let is_own = module.own_name(def).is_some_and(|own| base.is_name(own));
                if is_own || is_data(value) {
                    continue;
                }
                if self.steps() > before + MAX_STEPS {
                    self.set_steps(before);
                    return found;
                }
                let env = self.scope(at);
                for of in self.eval(base, &env).alternatives() {
                    let Value::Instance(of) = of else { continue };
                    found.push(Attached {
                        of,
                        name: Rc::clone(name),
                        later: Later::Expr(Rc::clone(value), Rc::clone(&env)),
                        setting: Setting {
                            value: Some(value.at),
                            ..Setting::new(at, binding.at, false)
                        },
                        is_in_body: super::eval::is_body(def, binding),
                    });
                }
            }
        }
        self.set_steps(before);
        found
    }
}

fn is_data(value: &Expr) -> bool {
    matches!(
        value.kind,
        ExprKind::Constant | ExprKind::Text(_) | ExprKind::Data(_)
    )
}
