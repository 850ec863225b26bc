//! What a function changes in place: `self.total += n`, `self.rows[k].append(n)`, `heappush(self.queue, n)`.

use std::rc::Rc;

use super::super::effects::{CHANGES, changes_itself};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::syntax::{Def, Expr, ExprKind, Name, StatementKind, Target};
use super::super::text::lists;
use super::super::value::{Env, Value};

/// Methods of arrays that change them.
const OF_ARRAYS: &[&str] = &["fill", "put", "resize", "partition", "itemset"];
/// Functions that change their first argument.
const FUNCTIONS: &str = "heappush heappop heapify heapreplace heappushpop insort insort_left insort_right shuffle copyto next";

/// Methods that are given to what calls them.
const GIVEN: &str = "append appendleft extend add update insert discard setdefault";

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
            Target::Content(of, _) => steps(def, of, seen),
            Target::Name(_) => {}
        }
    }
    for expr in def.of_kind(StatementKind::Delete).flat_map(|s| &s.exprs) {
        if matches!(expr.kind, ExprKind::Subscript(..)) {
            steps(def, expr, seen);
        }
    }
    for call in def.exprs().flat_map(Expr::calls) {
        if let Some((of, method)) = call.method() {
            let is_own = || matches!(eval.eval(&call.func, env), Value::Method(_, f) if changes_itself(eval, f.id));
            if lists(CHANGES, method) || OF_ARRAYS.contains(&&**method) || is_own() {
                steps(def, of, seen);
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
