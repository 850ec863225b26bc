//! Attributes that are set all at once from a dict: `self.__dict__.update(options)`.

use std::rc::Rc;

use super::super::eval::{Eval, only_binding};
use super::super::syntax::{Def, Expr, ExprKind, Name, Source, Statement};
use super::super::value::{Env, Function, Setting, Step, Value};
use super::Settings;

impl Eval<'_> {
    /// Collects what a statement sets on `self` of the keys of a dict.
    pub(super) fn spread(
        &self,
        statement: &Statement,
        (me, env): (&Name, &Env),
        is_sure: bool,
        method: &Function,
        settings: &mut Settings,
    ) {
        let module = self.project.module(method.id.module);
        let def = &module.defs[method.id.def];
        let given = statement.exprs.iter().find_map(|e| spread_in(e, me, def));
        let Some(given) = given else {
            return;
        };
        let items = match self.eval(&given, env) {
            Value::Items(items) => items,
            Value::Filled(base, _) => match &*base {
                Value::Items(items) => Rc::clone(items),
                _ => return,
            },
            _ => return,
        };
        for (step, later) in items.iter() {
            let Step::Key(key) = step else {
                continue;
            };
            let setting = Setting {
                class: (module.is_method(def)).then_some(method.id.beside(def.parent)),
                ..Setting::new(method.id, statement.at, is_sure)
            };
            let name: Name = Rc::from(key.as_str());
            settings.found.push((name, later.clone(), setting));
        }
    }
}

/// Returns the dict whose keys a call sets on `self`.
fn spread_in(expr: &Rc<Expr>, me: &Name, def: &Def) -> Option<Rc<Expr>> {
    let call = expr.call()?;
    let is_me = |e: &Expr| e.is_name(me);
    let args = || call.args.iter().map(|a| &a.value);
    match &call.func.kind {
        // `self.__dict__.update(options)`, `vars(self).update(**options)`
        ExprKind::Attribute(base, name) if &**name == "update" => {
            let is_own = match &base.kind {
                ExprKind::Attribute(of, name) => &**name == "__dict__" && is_me(of),
                ExprKind::Call(inner) => {
                    inner.func.is_name("vars")
                        && inner.args.first().is_some_and(|a| is_me(&a.value))
                }
                _ => false,
            };
            let one = args().next().filter(|_| call.args.len() == 1 && is_own)?;
            (call.args[0].label.is_none() && call.args[0].stars != 1).then(|| Rc::clone(one))
        }
        // `for key, value in options.items(): setattr(self, key, value)`
        ExprKind::Name(name) if &**name == "setattr" => {
            let args: Vec<&Rc<Expr>> = args().collect();
            let [own, key, value] = args.as_slice() else {
                return None;
            };
            let ExprKind::Call(items) = &element(key, 0, def)?.kind else {
                return None;
            };
            let is_same = element(value, 1, def)?.call()?.at == items.at;
            let (dict, name) = items.method()?;
            (&**name == "items" && is_me(own) && is_same).then(|| Rc::clone(dict))
        }
        _ => None,
    }
}

/// Returns what a name is the first or second part of an element of: `for key, value in …`.
fn element(expr: &Expr, part: usize, def: &Def) -> Option<Rc<Expr>> {
    let ExprKind::Name(name) = &expr.kind else {
        return None;
    };
    match &only_binding(def, name)?.source {
        Source::Part(of, n) if *n == part => match &**of {
            Source::Element(all) => Some(Rc::clone(all)),
            _ => None,
        },
        _ => None,
    }
}
