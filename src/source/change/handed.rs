//! Who else has an attribute, and keeps it or sets it up: `Redactor(job.handler)`.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Call, Expr, ExprKind, Name, StatementKind};
use super::super::text::lists;
use super::super::value::{DefId, Function, Instance, Value};
use super::connection::sets_connection;
use super::set_up::is_setter;

/// What uses a thing while it runs, and neither keeps it nor changes it.
const ONLY_USES: &str = "create_all drop_all dump print to_sql to_csv copyfileobj len repr wait";

/// Returns a call outside of the class's own methods that is given the attribute, and keeps it or sets it up.
pub(super) fn handed_on(eval: &Eval, instance: &Rc<Instance>, name: &Name) -> Option<String> {
    eval.project.defs().find_map(|(id, module)| {
        let def = &module.defs[id.def];
        let env = eval.scope(id);
        // The names that the methods around have for their own object.
        let owners = module
            .outwards(id.def)
            .filter_map(|(_, d)| module.own_name(d));
        let owners: Vec<&Name> = owners.collect();
        let is_it = |e: &Rc<Expr>, may_be_own: bool| match &e.kind {
            ExprKind::Attribute(base, n) if n == name => {
                let is_own = owners.iter().any(|own| base.is_name(own));
                (may_be_own || !is_own) && may_be(eval, &eval.eval(base, &env), instance.class)
            }
            _ => false,
        };
        let statements = def.statements.iter();
        let alone = statements.filter(|s| s.kind == StatementKind::Expr);
        let alone: Vec<_> = alone.flat_map(|s| &s.exprs).map(|e| e.at).collect();
        let mut calls = def.calls();
        let call = calls.find(|call| {
            given(call).any(|(_, e)| is_it(e, false))
                && keeps(eval, call, &eval.eval(&call.func, &env), &|e| {
                    is_it(e, false)
                })
                .unwrap_or_else(|| alone.contains(&call.at) && !only_uses(call))
        });
        // A decorator gives the function to what it is called with.
        let mut decorators = def.decorators.iter().flat_map(Expr::calls);
        let call = call.or_else(|| decorators.find(|c| given(c).any(|(_, e)| is_it(e, true))));
        call.map(|call| module.first_line(call.at).to_owned())
    })
}

/// Returns the arguments of a call, and what lies in their containers, with the numbers of the arguments.
pub(super) fn given(call: &Call) -> impl Iterator<Item = (usize, &Rc<Expr>)> {
    let args = call.args.iter().enumerate();
    args.flat_map(|(number, arg)| {
        let value = &arg.value;
        let within: Vec<&Rc<Expr>> = match &value.kind {
            ExprKind::Items(items) => items.iter().collect(),
            ExprKind::Dict(items) => items.iter().map(|(_, value)| value).collect(),
            ExprKind::Starred(inner) => vec![inner],
            _ => Vec::new(),
        };
        std::iter::once(value)
            .chain(within)
            .map(move |e| (number, e))
    })
}

/// Returns whether a call does something with what it is given and does not keep it.
pub(super) fn only_uses(call: &Call) -> bool {
    let name = call.func.last_name();
    name.is_some_and(|n| lists(ONLY_USES, n))
}

/// Returns whether a value may be an object of a class, or the class itself.
pub(in super::super) fn may_be(eval: &Eval, value: &Value, class: DefId) -> bool {
    let is_of = |a: DefId, b: DefId| eval.line_of(a).has(b);
    value.may_be(|value| match value {
        Value::Instance(other) => is_of(other.class, class) || is_of(class, other.class),
        Value::Class(other, _) => is_of(class, *other),
        Value::Unknown => true,
        _ => false,
    })
}

/// Returns whether a function of the program keeps or sets up what it is given; `None` for other ones.
fn keeps(
    eval: &Eval,
    call: &Call,
    func: &Value,
    is_it: &dyn Fn(&Rc<Expr>) -> bool,
) -> Option<bool> {
    let (function, before) = match func {
        Value::Function(function) => (function.clone(), 0),
        Value::Method(_, function) => (function.clone(), 1),
        // A dataclass keeps what it is given.
        Value::Class(class, _) => match eval.method(&eval.line_of(*class), "__init__") {
            Some(init) => (init, 1),
            None => return Some(true),
        },
        _ => return None,
    };
    let mut all = given(call).filter(|(_, e)| is_it(e));
    Some(all.any(|(number, _)| keeps_argument(eval, &function, call, (number, before))))
}

/// Returns whether a function keeps or sets up one of its arguments.
fn keeps_argument(
    eval: &Eval,
    function: &Function,
    call: &Call,
    (number, before): (usize, usize),
) -> bool {
    let module = eval.project.module(function.id.module);
    let def = &module.defs[function.id.def];
    let param = match &call.args[number].label {
        Some(label) => def.params.iter().find(|p| p.name == *label),
        None => def.params.get(number + before),
    };
    let Some(param) = param.map(|p| &p.name) else {
        return true;
    };
    let is_set = def.bindings.iter().any(|b| {
        let is_given = || b.source.given().is_some_and(|v| v.is_name(param));
        b.changed()
            .is_some_and(|base| base.is_name(param) || is_given())
    });
    let mut calls = def.calls();
    let sets_up = calls.any(|call| {
        let on = call.method();
        on.is_some_and(|(base, method)| base.is_name(param) && is_setter(method))
    });
    let mut texts = def.walk();
    is_set || sets_up || texts.any(|e| e.text().is_some_and(sets_connection))
}

/// Returns an error if the program makes shallow copies of objects of a class, or of what cannot be told.
pub(super) fn copied(eval: &Eval, class: DefId) -> Result<(), String> {
    let is_copy = |value| matches!(value, Value::Outside(name, _) if &*name == "copy.copy");
    let found = eval.calls().find(|(call, env)| {
        let given = call.args.first();
        is_copy(eval.eval(&call.func, env))
            && given.is_some_and(|a| may_be(eval, &eval.eval(&a.value, env), class))
    });
    found.map_or(Ok(()), |(call, env)| {
        let module = eval.project.module(env.at.module);
        Err(format!(
            "`{}` would have its own too",
            module.slice(call.at)
        ))
    })
}
