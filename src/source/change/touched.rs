//! What a function changes in place: `self.total += n`, `self.rows[k].append(n)`, `heappush(self.queue, n)`; or by what
//! it was given: `on_fail(n)`, which is `self.failed.append`.

use std::rc::Rc;

use super::super::effects::{CHANGES, changes_itself};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::syntax::{Def, Expr, ExprKind, Name, Place, StatementKind, Target};
use super::super::text::lists;
use super::super::value::{Env, Value};

/// Methods of arrays that change them.
const OF_ARRAYS: &[&str] = &["fill", "put", "resize", "partition", "itemset"];
/// Functions that change their first argument.
const FUNCTIONS: &str = "heappush heappop heapify heapreplace heappushpop insort insort_left insort_right shuffle copyto next";

/// Methods that are given to what calls them.
const GIVEN: &str =
    "append appendleft extend add update insert discard setdefault __setitem__ __delitem__";

/// Told of each attribute, by what it is an attribute of and its name, and of each global.
type Seen<'s> = &'s mut dyn FnMut(Option<&Rc<Expr>>, &Name);

/// Calls `seen` with each attribute or global that a function changes, or something in it.
pub(super) fn touched(eval: &Eval, def: &Def, env: &Env, seen: Seen) {
    for binding in &def.bindings {
        match &binding.target {
            Target::Attribute(base, name) => {
                seen(Some(base), name);
                steps(def, base, seen);
            }
            Target::Content(of, key) => {
                if let (Some(whole), Some(key)) = (object_of(of), key) {
                    seen(Some(whole), &Name::from(&**key));
                }
                steps(def, of, seen);
            }
            Target::Name(_) => {}
        }
    }
    for expr in def.of_kind(StatementKind::Delete).flat_map(|s| &s.exprs) {
        if matches!(expr.kind, ExprKind::Subscript(..)) {
            steps(def, expr, seen);
        }
    }
    for call in def.calls() {
        if let Some((of, method)) = call.method() {
            let is_own = || matches!(eval.eval(&call.func, env), Value::Method(_, f) if changes_itself(eval, f.id));
            if lists(CHANGES, method) || OF_ARRAYS.contains(&&**method) || is_own() {
                steps(def, of, seen);
            }
            let whole = object_of(of).filter(|_| &**method == "update");
            for name in call.args.iter().filter_map(|a| a.label.as_ref()) {
                if whole.is_some() {
                    seen(whole, name);
                }
            }
        }
        // `executor.submit(self.rows.append, row)`
        for given in call.args.iter().filter_map(|a| a.value.attribute()) {
            if lists(GIVEN, given.1) {
                steps(def, given.0, seen);
            }
        }
        let is_function = call.func.last_name().is_some_and(|n| lists(FUNCTIONS, n));
        if let Some(first) = call.args.first().filter(|_| is_function) {
            steps(def, &first.value, seen);
        }
    }
}

/// Returns the object whose attributes an expression is: `self.__dict__`, `vars(self)`.
fn object_of(expr: &Rc<Expr>) -> Option<&Rc<Expr>> {
    let attribute = expr.attribute().filter(|(_, name)| &***name == "__dict__");
    let call = expr.call().filter(|c| c.func.is_name("vars"));
    attribute
        .map(|(of, _)| of)
        .or_else(|| call?.args.first().map(|a| &a.value))
}

/// Calls `seen` with the attributes on the way to what is changed, and the global that it begins with.
fn steps(def: &Def, expr: &Rc<Expr>, seen: Seen) {
    match &expr.kind {
        ExprKind::Attribute(base, name) => {
            seen(Some(base), name);
            steps(def, base, seen);
        }
        ExprKind::Subscript(base, _) => steps(def, base, seen),
        ExprKind::Name(name) if !binds(def, name) => seen(None, name),
        // `rows = self.rows`
        ExprKind::Name(name) => {
            let values = bindings_of(def, name).filter_map(|b| b.source.given());
            for value in values.filter(|v| matches!(v.kind, ExprKind::Attribute(..))) {
                steps(def, value, seen);
            }
        }
        _ => {}
    }
}

/// Returns what a function changes by methods that were given away, which it calls by another name, each with its
/// scope: `self.failed` for `Retry(2, self.failed.append)`. What a pool calls back runs in the parent.
pub(super) fn called_back(eval: &Eval, def: &Def, env: &Env) -> Vec<(Rc<Expr>, Env)> {
    let mut methods: Vec<String> = Vec::new();
    for call in def.calls() {
        for value in eval.eval(&call.func, env).alternatives() {
            let Value::Outside(full, Some(_)) = value else {
                continue;
            };
            let method = full.rsplit('.').next().unwrap_or_default();
            let is_own = call.func.last_name().is_some_and(|n| **n == *method);
            if !is_own && lists(GIVEN, method) {
                methods.push(method.to_owned());
            }
        }
    }
    if methods.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (id, module) in eval.project.defs() {
        let def = &module.defs[id.def];
        let calls = || def.calls();
        let is_called_back = |label: &Name| label.ends_with("callback");
        let args = calls().flat_map(|call| &call.args);
        let of_pool = args.filter(|a| a.label.as_ref().is_some_and(is_called_back));
        let of_pool = of_pool.map(|a| a.value.at);
        let passed_over: Vec<Place> = of_pool.chain(calls().map(|c| c.func.at)).collect();
        let all = def.walk();
        let given = all.filter(|e| !passed_over.contains(&e.at));
        let of = given.filter_map(|e| {
            e.attribute()
                .filter(|(_, m)| methods.iter().any(|n| **n == ***m))
        });
        found.extend(of.map(|(of, _)| (Rc::clone(of), eval.scope(id))));
    }
    found
}
