//! Loggers: they go to another process by their name alone, without their level and handlers.

use super::eval::Eval;
use super::syntax::Module;
use super::value::{DefId, Later, Value};

/// How deep what a value holds is looked into.
const MAX_DEPTH: usize = 3;
/// What gives a logger a level or handlers.
const SETTERS: &str = "basicConfig( setLevel( addHandler( dictConfig( fileConfig(";
/// What writes to one.
const WRITERS: &str = ".debug( .info( .warning( .error( .exception(";

/// Returns whether a value is a logger.
pub(super) fn is_logger(value: &Value) -> bool {
    match value {
        Value::Made(made) => match made.of.strip_prefix("logging.getLogger") {
            Some(rest) => rest.is_empty() || rest.ends_with(".getChild"),
            None => &*made.of == "logging.LoggerAdapter",
        },
        Value::Outside(of, _) => &**of == "logging.root",
        _ => false,
    }
}

/// Returns whether a value is or holds a logger, in a program that sets one up where a new process does not.
pub(super) fn holds_logger(eval: &Eval, value: &Value) -> bool {
    holds(eval, value, 0) && eval.project.any(|m| sets_up(m))
}

/// Returns whether workers write to the logger of a class's object, which nothing sets up in a new process.
pub(super) fn is_bare(eval: &Eval, class: DefId, workers: &[(DefId, DefId)]) -> bool {
    let has = |words: &str| {
        workers.iter().any(|(id, _)| {
            let module = eval.project.module(id.module);
            let text = module.code(module.defs[id.def].at);
            words.split(' ').any(|word| text.contains(word))
        })
    };
    has(WRITERS)
        && !has(SETTERS)
        && !eval.project.says("initializer")
        && holds_logger(eval, &Value::Instance(eval.instance(class)))
}

/// Returns whether a module gives a logger its level or handlers in a function, or under the main guard.
fn sets_up(module: &Module) -> bool {
    let functions = module.defs.iter().skip(1).map(|d| d.at);
    let mut places = functions.chain(module.main_guards().map(|g| g.at));
    places.any(|at| {
        SETTERS
            .split(' ')
            .any(|word| module.slice(at).contains(word))
    })
}

fn holds(eval: &Eval, value: &Value, depth: usize) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let is_in = |part: &Later| holds(eval, &eval.force(part), depth + 1);
    match value {
        Value::OneOf(all) => all.iter().any(|v| holds(eval, v, depth)),
        Value::Items(items) => items.iter().any(|(_, part)| is_in(part)),
        Value::Filled(base, items) => {
            holds(eval, base, depth) || items.iter().any(|(_, part)| is_in(part))
        }
        Value::Instance(instance) => eval.sends_one(instance, |a| a.values.iter().any(is_in)),
        _ => is_logger(value),
    }
}
