//! Where the program calls what: an index of each module's calls, by name.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::project::ModuleId;
use super::super::syntax::{Call, Comprehension, Expr, ExprKind, Module, Name};
use super::super::value::{DefId, Env};
use super::Eval;

/// The calls of a module by the names that they call, or hand over.
pub(super) type Sites = HashMap<Name, Vec<Site>>;

/// A call and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Site {
    call: Rc<Call>,
    def: usize,
    /// The comprehensions around it, the outermost first.
    within: Vec<Rc<Comprehension>>,
}

impl Eval<'_> {
    /// Calls `seen` with each call of something of this name, until it says no.
    pub(in crate::source) fn calls_of(
        &self,
        name: &str,
        seen: &mut dyn FnMut(&Rc<Call>, &Env) -> bool,
    ) {
        for id in self.project.ids() {
            let sites = self.sites(id);
            for site in sites.get(name).into_iter().flatten() {
                let mut env = self.scope(DefId::new(id, site.def));
                for inner in &site.within {
                    env = self.overlay(inner, &env);
                }
                if !seen(&site.call, &env) {
                    return;
                }
            }
        }
    }

    fn sites(&self, id: ModuleId) -> Rc<Sites> {
        if let Some(known) = self.sites.borrow().get(&id) {
            return Rc::clone(known);
        }
        let sites = Rc::new(of(&self.project.module(id)));
        self.sites.borrow_mut().insert(id, Rc::clone(&sites));
        sites
    }
}

fn of(module: &Module) -> Sites {
    let mut sites = Sites::new();
    for (number, def) in module.defs() {
        for expr in def.exprs() {
            collect(expr, number, &mut Vec::new(), &mut sites);
        }
    }
    sites
}

fn collect(expr: &Rc<Expr>, def: usize, within: &mut Vec<Rc<Comprehension>>, sites: &mut Sites) {
    if let ExprKind::Comprehension(inner) = &expr.kind {
        within.push(Rc::clone(inner));
        collect(&inner.element, def, within, sites);
        within.pop();
        for (_, iter) in &inner.loops {
            collect(iter, def, within, sites);
        }
        return;
    }
    if let Some(call) = expr.call() {
        // `Process(target=f, args=(a,))` and the like call with what they are given.
        let given = call.args.iter().filter_map(|a| a.value.last_name());
        let names = call.func.last_name().into_iter().chain(given);
        let mut names: Vec<Name> = names.cloned().collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            sites.entry(name).or_default().push(Site {
                call: Rc::clone(call),
                def,
                within: within.clone(),
            });
        }
    }
    for part in expr.parts() {
        collect(part, def, within, sites);
    }
}
