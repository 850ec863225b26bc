//! An item that a process puts into a queue at its end, and that cannot be pickled: it is dropped silently.

use crate::object::{Certainty, Object};
use crate::traceback::facts::Via;

use super::answer::Inquiry;
use super::causes::QUEUES;
use super::change::{known, workers};
use super::effects::changes_itself;
use super::eval::Eval;
use super::project::ModuleId;
use super::question::Question;
use super::sent::Sending;
use super::syntax::{ExprKind, Kind, Name, Place, Statement, StatementKind, Target};
use super::text::lists;
use super::unpicklable::{changed, walk_all};
use super::value::{DefId, Value};
use super::walk::Suspect;
use super::wanted::{Wanted, plain_name};

/// Types that cannot be pickled and that people put into a queue, by mistake.
const TYPES: [&str; 6] = [
    "_thread.lock",
    "_thread.RLock",
    "_io.TextIOWrapper",
    "generator",
    "module",
    "sqlite3.Connection",
];
/// Calls of libraries that keep what they are given as it is.
const KEEPS: &str = "dict list tuple functools.partial";
/// The most functions and classes without a name of their own that are looked for.
const MAX_LOCAL: usize = 16;

/// Finds what a worker puts into the queue that the last frame takes from, if it surely cannot be pickled.
pub(super) fn dropped(inquiry: &Inquiry) -> Option<Object> {
    let eval = inquiry.eval;
    eval.project.add_imports();
    // What teaches pickle more.
    if ["copyreg", "ForkingPickler"]
        .iter()
        .any(|word| eval.project.says(word))
    {
        return None;
    }
    let stops = eval.stops(&inquiry.frames);
    let stop = stops.last()?;
    let gets = stop.statement.calls();
    let of = gets.filter_map(|c| c.method().filter(|(_, name)| name.starts_with("get")));
    let mut queues = of.flat_map(|(of, _)| known(eval, of, &stop.env));
    let queue = queues.find_map(|value| place(&value))?;
    let workers = workers(eval, &[], None);
    let is_it = |sending: &Sending| {
        let by = sending.parts.first().map(|part| part.env.at);
        let env = eval.scope(by?);
        let of = sending.call.method()?.0;
        let values = known(eval, of, &env);
        let is_work = workers.iter().any(|(id, _)| Some(*id) == by);
        Some(is_work && matches!(values.as_slice(), [one] if place(one) == Some(queue)))
    };
    let mut sendings = eval.sendings(&[], Some(Via::Queue));
    sendings.retain(|s| s.via == Via::Queue && is_it(s) == Some(true));
    let question = Question {
        via: Some(Via::Queue),
        ..inquiry.question.clone()
    };
    let inquiry = Inquiry {
        eval,
        question: &question,
        frames: inquiry.frames.clone(),
        script: inquiry.script,
    };
    let types = TYPES.iter().map(|name| Wanted::Type((*name).to_owned()));
    let wanted: Vec<Wanted> = local(&inquiry).into_iter().chain(types).collect();
    sendings.into_iter().find_map(|mut sending| {
        sending.is_exact = true;
        let one = [sending];
        wanted.iter().find_map(|wanted| {
            let verdict = walk_all(&inquiry, &one, wanted)?;
            let is_sure = verdict.certainty == Certainty::Certain
                && is_kept(eval, &one[0], &verdict.suspects[0])
                && is_put(eval, &one[0]) == Some(true);
            is_sure.then(|| changed(&inquiry, &verdict, &one, &stops))
        })
    })
}

/// Returns where a queue between processes is made.
fn place(value: &Value) -> Option<(ModuleId, Place)> {
    match value {
        Value::Made(made) => QUEUES.contains(&&*made.of).then(|| made.place()),
        Value::Filled(inner, _) => place(inner),
        _ => None,
    }
}

/// Returns the lambdas of the program, and what its functions define, by their names.
fn local(inquiry: &Inquiry) -> Vec<Wanted> {
    let all = inquiry.eval.project.defs();
    let local = all.filter_map(|(id, module)| {
        let def = &module.defs[id.def];
        let is_local = def.kind == Kind::Lambda || def.qualname.contains("<locals>");
        is_local.then(|| Wanted::Named(plain_name(&def.qualname)))
    });
    local.take(MAX_LOCAL).collect()
}

/// Returns whether a process puts its item in any case, and as it was made: not below an `if` or in an `except`, nor
/// where something was taken out of it.
fn is_put(eval: &Eval, sending: &Sending) -> Option<bool> {
    let at = sending.call.at;
    let by = sending.parts.first()?.env.at;
    let module = eval.project.module(by.module);
    let def = &module.defs[by.def];
    let text = module.code(def.at);
    let is_open = |s: &Statement| match s.kind {
        StatementKind::If => false,
        StatementKind::Try => {
            let mut inner = def.inside(s);
            inner.any(|i| i.at.holds(at) && i.suite == s.suite)
        }
        _ => true,
    };
    let mut around = def.statements.iter().filter(|s| s.at.holds(at));
    let env = eval.scope(by);
    let is_changed = |name: &Name| {
        let mut calls = def.calls();
        calls.any(|call| {
            let is_of_it = call.method().is_some_and(|(of, _)| of.is_name(name));
            is_of_it
                && matches!(eval.eval(&call.func, &env), Value::Method(_, f) if changes_itself(eval, f.id))
        })
    };
    let is_same = |name: &Name| {
        let taken = [".pop", ".clear(", ".remove("].map(|method| format!("{name}{method}"));
        let set = def.bindings.iter().filter(|b| match &b.target {
            Target::Name(own) => own == name,
            Target::Content(of, _) | Target::Attribute(of, _) => of.subscripted().0.is_name(name),
        });
        let is_taken = taken.iter().any(|t| text.contains(t));
        set.count() <= 1 && !is_changed(name) && !is_taken && !text.contains(&format!("del {name}"))
    };
    let items = sending.call.args.iter().flat_map(|a| a.value.walk());
    let mut names = items.filter_map(|e| match &e.kind {
        ExprKind::Name(name) => Some(name),
        _ => None,
    });
    Some(around.all(is_open) && names.all(is_same))
}

/// Returns whether an item holds something as it is: no call of a library makes something else of it, such as
/// `list(map(lambda n: n + 1, found))`.
fn is_kept(eval: &Eval, sending: &Sending, suspect: &Suspect) -> bool {
    let module = eval.project.module(suspect.module);
    let of = DefId::new(suspect.module, module.def_around(suspect.at));
    let env = eval.scope(of);
    let calls = module.defs[of.def].calls();
    let own = [suspect.at, sending.call.at];
    let mut around = calls.filter(|c| c.at.holds(suspect.at) && !own.contains(&c.at));
    around.all(|call| match eval.eval(&call.func, &env) {
        Value::Class(..) => true,
        Value::Outside(of, _) => lists(KEEPS, &of),
        _ => false,
    })
}
