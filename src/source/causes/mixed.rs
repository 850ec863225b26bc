//! A queue or lock of another start method than the process that it is given to: `mp.Queue()` beside
//! `mp.get_context("spawn").Process()`.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::{Plan, is_context, is_made_above, is_of_method, taken_from};
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::syntax::{Binding, Source};
use super::super::text::imported;
use super::super::value::Made;

/// Finds what is made by the default start method, and lets the process's own make it.
pub(in super::super) fn mixed(eval: &Eval, frames: &Frames) -> Option<Found> {
    // Two contexts: which one a process has is not told.
    let says = |word: &str| eval.project.says(word);
    if frames.is_empty() || says("\"fork\"") || says("'fork'") {
        return None;
    }
    let all: Vec<Rc<Made>> = eval.all_made().collect();
    let context = |made: &Made| {
        let module = eval.project.module(made.env.at.module);
        let name = taken_from(module.slice(made.call.func.at));
        is_context(&module, name).then(|| name.to_owned())
    };
    let is_default = |made: &&Rc<Made>| is_of_method(made) && context(made).is_none();
    let (first, rest) = {
        let mut made = all.iter().filter(is_default);
        (made.next()?, made)
    };
    let id = first.env.at.module;
    let module = eval.project.module(id);
    let is_one_file = rest.clone().all(|made| made.env.at.module == id);
    let (mut edits, mut is_named) = (Vec::new(), true);
    for made in std::iter::once(first).chain(rest) {
        let is_set = |name: &String| is_made_above(&module, name, made.call.at);
        let beside = all.iter().filter(|other| other.env.at == made.env.at);
        let own = beside.filter_map(|other| context(other)).find(is_set);
        let (get, import) = imported(&module, "multiprocessing", "get_context");
        edits.extend(import.filter(|i| own.is_none() && !edits.contains(i)));
        let own = own.unwrap_or_else(|| format!("{get}(\"spawn\")"));
        let name = made.of.rsplit('.').next()?;
        let written = made.call.func.last_name()?;
        // `from multiprocessing import Queue as Jobs`; a parameter may be something else, too.
        let is_import = |b: &Binding| {
            b.name() == Some(written)
                && matches!(&b.source, Source::From(_, what) if **what == *name)
        };
        is_named &= **written == *name || module.bindings().any(is_import);
        edits.push(Edit::replace(made.call.func.at, format!("{own}.{name}")));
    }
    let text = "Let the context that starts the process make it:";
    let plan = Plan::of_line(eval, (id, first.call.at), text, edits);
    let plan = if is_one_file {
        is_named
            .then_some(plan)
            .ok_or("what makes it may be something else")
    } else {
        Err("they are made in several files")
    };
    Some(Found::certain(
        format!("{}()", module.slice(first.call.func.at)),
        "of the default start method",
        (id, first.call.at),
        plan.map_err(str::to_owned),
    ))
}
