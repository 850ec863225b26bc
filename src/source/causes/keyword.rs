//! A start method given by a word that what is called does not take.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{BOUND, Plan, Planned, call};
use super::super::eval::Eval;
use super::super::only::only;
use super::super::project::Frames;
use super::super::syntax::{Arg, Call, ExprKind, Module};
use super::super::text::{imported, lists};
use super::super::value::{Env, Value};

/// Words for a start method or a context.
pub(in super::super) const KEYWORDS: &str =
    "mp_context multiprocessing_context context ctx start_method";

/// What a context has besides what a process is given.
const OF_CONTEXT: &str = "Pool Process Manager Pipe";

/// Returns the word by which what starts processes takes a context; none where it is a context's own.
fn word_of(name: &str) -> Option<&'static str> {
    match name {
        "concurrent.futures.ProcessPoolExecutor" => Some("mp_context"),
        "torch.utils.data.DataLoader" => Some("multiprocessing_context"),
        _ => {
            let name = name.strip_prefix("multiprocessing.")?;
            (lists(OF_CONTEXT, name) || lists(BOUND, name)).then_some("")
        }
    }
}

/// Finds the call that is given a word which it does not take.
pub(in super::super) fn keyword(eval: &Eval, frames: &Frames, label: &str) -> Option<Found> {
    let stops = eval.stops(frames);
    let stop = stops.last()?;
    let calls = stop.statement.calls();
    let calls = calls.filter(|c| c.labelled(label).is_some());
    let found = calls.filter_map(|call| {
        let Value::Outside(name, _) = eval.eval(&call.func, &stop.env) else {
            return None;
        };
        let word = word_of(&name)?;
        (word != label).then_some((call, name, Some(word).filter(|w| !w.is_empty())))
    });
    let (call, name, word) = only(found)?;
    let id = stop.env.at.module;
    let module = eval.project.module(id);
    let arg = call.labelled(label)?;
    Some(Found::certain(
        format!("{label}={}", module.slice(arg.value.at)),
        format!("which {name} does not take"),
        (id, arg.value.at),
        plan(eval, &module, &stop.env, call, arg, word),
    ))
}

fn plan(
    eval: &Eval,
    module: &Module,
    env: &Env,
    call: &Rc<Call>,
    arg: &Arg,
    word: Option<&str>,
) -> Planned {
    module.is_parsed()?;
    let label = arg.label.as_deref().unwrap_or_default();
    let value = module.slice(arg.value.at);
    let is_name = matches!(arg.value.kind, ExprKind::Text(_));
    let is_context = eval
        .eval(&arg.value, env)
        .may_be(|v| matches!(v, Value::Made(made) if made.of.ends_with("get_context")));
    if !is_name && !is_context {
        return Err("whether it is a context cannot be read".to_owned());
    }
    let mut edits: Vec<Edit> = Vec::new();
    // A loader takes the name too.
    let context = if is_name && word != Some("multiprocessing_context") {
        let (get, import) = imported(module, "multiprocessing", "get_context");
        edits.extend(import);
        format!("{get}({value})")
    } else {
        value.to_owned()
    };
    let (text, code) = if let Some(word) = word {
        let new = format!("{word}={context}");
        let edit = call::rewritten(module, call, label, new.clone());
        edits.push(edit.ok_or("its argument cannot be found")?);
        (format!("It goes by the name `{word}` here:"), new)
    } else {
        let func = module.slice(call.func.at);
        let last = func.rsplit('.').next().unwrap_or_default();
        let new = format!("{context}.{last}");
        edits.push(Edit::replace(call.func.at, new.clone()));
        let edit = call::dropped(module, call, label);
        edits.push(edit.ok_or("its argument cannot be found")?);
        let text = format!("A context has a `{last}` of its own; call that, without `{label}`:");
        (text, format!("{new}(...)"))
    };
    Ok(Plan::new(env.at.module, text, code, edits))
}
