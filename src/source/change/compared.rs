//! Objects that the program compares by what they hold: a new lock is not equal to the old one.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::objects::is_data;
use super::super::syntax::{Expr, ExprKind, Target};
use super::super::value::{Attribute, DefId, Env, Instance, Value};

/// Methods that compare what they are given.
const COMPARE: &[&str] = &["remove", "index", "count"];

/// What gives results, which may be such objects.
const RESULTS: &[&str] = &["multiprocessing.", "concurrent.", "joblib.", "copy."];

/// Returns an error if `==` of two such objects looks at an attribute, and the program asks it.
pub(super) fn compared(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
) -> Result<(), String> {
    let line = eval.line(instance.class, &instance.class_env);
    if eval.method(&line, "__eq__").is_some() || !attribute.set.iter().any(|s| s.is_field) {
        return Ok(());
    }
    let asks = |how: &str| {
        let name = &attribute.name;
        format!("`==` compares `{name}` too, and a new one is another{how}")
    };
    let is_model = line.outside.iter().any(|o| o.ends_with("BaseModel"));
    if is_model && compares(eval) {
        return Err(asks(""));
    }
    let ways = [
        ("dataclass", "compare=False"),
        ("attr", "eq=False"),
        ("define", "eq=False"),
        ("mutable", "eq=False"),
        ("frozen", "eq=False"),
    ];
    for (class, _) in &line.own {
        let head = decorators(eval, *class);
        let way = ways.iter().find(|(word, _)| head.contains(word));
        let Some((_, way)) = way.filter(|_| !head.contains("eq=False")) else {
            continue;
        };
        // What is frozen has a hash, and is a key or in a set mostly.
        let is_asked = head.contains("frozen") || head.contains("hash=True") || compares(eval);
        if !is_set_with(eval, *class, attribute, way) && is_asked {
            return Err(asks(&format!(": give the field `{way}`")));
        }
    }
    Ok(())
}

fn decorators(eval: &Eval, class: DefId) -> String {
    let module = eval.project.module(class.module);
    let decorators = module.defs[class.def].decorators.iter();
    let texts: Vec<&str> = decorators.map(|d| module.code(d.at)).collect();
    texts.join("\n")
}

/// Returns whether a class sets a field in words that hold these, or sets it not at all.
fn is_set_with(eval: &Eval, class: DefId, attribute: &Attribute, words: &str) -> bool {
    let module = eval.project.module(class.module);
    let bound = module.defs[class.def].bindings.iter();
    let mut fields =
        bound.filter(|b| matches!(&b.target, Target::Name(name) if *name == attribute.name));
    fields.all(|b| module.slice(b.at).contains(words))
}

/// Returns whether the program compares things of which nothing is known to be plain data.
fn compares(eval: &Eval) -> bool {
    let mut found = false;
    eval.each_expression(&mut |expr, env| {
        found = found || compares_objects(eval, expr, env);
    });
    found
}

fn compares_objects(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> bool {
    let may_be_one = |e: &Rc<Expr>| !is_plain(eval, e, env);
    match &expr.kind {
        ExprKind::Data(parts) if parts.len() > 1 => {
            let module = eval.project.module(env.at.module);
            let between = parts.windows(2).any(|pair| {
                let text = &module.text[pair[0].at.end as usize..pair[1].at.start as usize];
                let word = text.trim().trim_matches(['(', ')']).trim();
                ["==", "!=", "in", "not in"].contains(&word)
            });
            between && parts.iter().all(may_be_one)
        }
        ExprKind::Call(call) => {
            let is_method = matches!(&call.func.kind, ExprKind::Attribute(base, name)
                if COMPARE.contains(&&**name) && may_be_one(base));
            is_method && call.args.len() == 1 && call.args.iter().all(|a| may_be_one(&a.value))
        }
        _ => false,
    }
}

fn is_plain(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> bool {
    match &expr.kind {
        ExprKind::Text(_) | ExprKind::Constant | ExprKind::Data(_) => true,
        ExprKind::Items(items) => items.iter().all(|i| is_plain(eval, i, env)),
        ExprKind::Name(name) if name.starts_with("__") => true,
        _ => match eval.eval(expr, env) {
            Value::Plain | Value::Outside(..) => true,
            Value::Made(made) => {
                let is_result = RESULTS.iter().any(|r| made.of.starts_with(r));
                !is_result && is_data(&made.of)
            }
            Value::Items(items) => items
                .iter()
                .all(|(_, later)| matches!(eval.force(later), Value::Plain)),
            _ => false,
        },
    }
}
