//! What to change, in the program's own names: as code to show, and as edits of its files.
//!
//! - [`state`]: attributes that are [`left`] out of the bytes, as they are [`bound`] to their process, by [`methods`]
//!   of the class, with [`slots`] or without; [`mod@sketch`]: where nothing is known to make them again;
//!   [`remake`]: how they are made again and [`set_up`], [`worded`] in terms of `self`, with what the program has [`told`];
//!   [`renewed`]: whether a new one does the same, [`emptied`]: whether it is empty, [`unlike`],
//!   [`compared`], [`own_thread`]: whether the program would see that it is another one;
//!   [`connection`]: what SQL sets on one, [`login`]: what a client is given by a request,
//!   [`mod@handed`]: who else has it, [`folder`]: where its path starts; [`unneeded`]: what no task uses;
//!   [`blank`]: whether it is there at all; [`shown`]: a read-only view; [`containers`]: what pickle
//!   fills;
//! - [`lambda`], [`local`]: a lambda, or what is made in a function, that gets a name at the top of
//!   its module, with what it has [`captured`] and its [`defaults`], unless it is [`looped`] over, as a [`partial`], and each [`helper`] that it calls;
//!   [`wrapper`]: a function that a decorator makes, which goes by another's name;
//! - [`shared`]: a queue, lock or event that another process can have too, if its class is made [`once`], and what a lock guards;
//! - [`mod@initializer`]: what a pool's workers are given while they start; [`passed`]: what a process is;
//!   [`mod@opened_there`]: what it opens itself, [`opened_with`] the same, if it is [`opened_anew`] as it was, or gets
//!   [`mod@at_start`], [`taken_out`] of its arguments;
//! - [`generator`]: the items of a generator, as a list, where nothing [`between`] would change them;
//! - [`guard`]: statements that go under a main guard; [`set_method`]: into the one that is there;
//! - [`method`]: another start method, where nothing is [`inherited`]; [`contexts`]: which one makes a lock;
//! - [`mod@device`]: tensors that only the [`loops`] bring onto the GPU, instead of the [`moves`] there;
//! - [`mod@bar`]: a progress bar, kept in the parent;
//! - [`mod@lost`]: what [`mod@workers`] change on a copy, by what they have [`touched`]; [`missed`]: what they would miss;
//! - [`mod@executor`]: one that is sent to its own workers; [`mod@unbound`]: a method that goes without its object; [`mod@own_module`]: a global that a function of a script brings along;
//! - [`call`]: arguments of a call, [`arguments`] of a function in another process.

mod arguments;
mod at_start;
mod bar;
mod between;
mod blank;
mod bound;
pub(super) mod call;
mod captured;
mod compared;
mod connection;
mod containers;
mod contexts;
mod defaults;
mod device;
mod emptied;
mod executor;
mod folder;
mod generator;
mod guard;
mod handed;
mod helper;
mod inherited;
mod initializer;
mod lambda;
mod left;
mod local;
mod login;
mod looped;
mod loops;
mod lost;
mod method;
mod methods;
mod moves;
mod once;
mod opened_anew;
mod opened_there;
mod opened_with;
mod own_module;
mod own_thread;
mod partial;
mod passed;
mod remake;
mod renewed;
mod set_method;
mod set_up;
mod shared;
mod shown;
mod sketch;
mod slots;
mod state;
mod taken_out;
mod told;
mod touched;
mod unbound;
mod unlike;
mod unneeded;
mod worded;
mod workers;
mod wrapper;

use std::iter;

use crate::object::{Change, Edit};
use crate::python_name::is_word;
use crate::traceback::facts::Via;

use super::eval::{Eval, only_binding};
use super::objects::is_generator;
use super::project::ModuleId;
use super::sent::Sending;
use super::syntax::{Call, ExprKind, Kind, Module, Place};
use super::text::{edited_line, imported, lists};
use super::value::{DefId, Made};
use super::walk::{Holder, Suspect, UNDECORATED};

pub(super) use arguments::{known, params, sent};
pub(super) use at_start::at_start;
pub(super) use bar::bar;
pub(super) use bound::is_bound;
pub(super) use captured::stays_here;
pub(super) use contexts::{is_context, is_made_above, taken_from};
pub(super) use device::device;
pub(super) use emptied::starts_empty;
pub(super) use executor::executor;
pub(super) use folder::folder_gone;
pub(super) use generator::{task, used_up};
pub(super) use guard::unguarded;
pub(super) use handed::may_be;
pub(super) use initializer::{
    given, given_local, handed, initializer, is_changed_in_functions, of_its_own, open_maker,
    open_pool,
};
pub(super) use lost::{Loss, is_of_threads, is_stepped, lost, lost_there, same_state, takes_next};
pub(super) use method::{BOUND, is_of_method, spawned};
pub(super) use once::is_made_once;
pub(super) use opened_there::opened_there;
pub(super) use own_module::own_module;
pub(super) use shared::managed;
pub(super) use state::again;
pub(super) use told::{is_set_again, reads_told};
pub(super) use unbound::unbound;
pub(super) use workers::{DELAYED, POOLS, missed, workers};
pub(super) use wrapper::{set_on_itself, wrapper_of, wraps};

use opened_there::mode_of;

/// A change of the program.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What to do, in words.
    pub(super) text: String,
    /// The code to put there.
    pub(super) code: String,
    /// The edits that do it, in one file; none where it is for the reader to do.
    pub(super) edits: Vec<Edit>,
    pub(super) module: ModuleId,
}

impl Plan {
    /// Returns edits of a module, with words and the code to show.
    pub(super) fn new(
        module: ModuleId,
        text: impl Into<String>,
        code: impl Into<String>,
        edits: Vec<Edit>,
    ) -> Self {
        let (text, code) = (text.into(), code.into());
        Self {
            text,
            code,
            edits,
            module,
        }
    }

    /// Returns edits of a module, shown by the line of a place as it becomes.
    pub(super) fn of_line(
        eval: &Eval,
        (module, at): (ModuleId, Place),
        text: impl Into<String>,
        mut edits: Vec<Edit>,
    ) -> Self {
        edits.sort();
        let code = edited_line(&eval.project.module(module), &edits, at);
        let text = text.into();
        Self {
            text,
            code,
            edits,
            module,
        }
    }

    /// Plans that a thing of `multiprocessing` is made by another class there: `mp.RLock()` for `mp.Lock()`.
    pub(super) fn made_as(eval: &Eval, made: &Made, class: &str, text: &str) -> Planned {
        let (id, at) = made.place();
        let func = &made.call.func;
        let edits = match &func.kind {
            // `mp.Lock`, `context.Lock`
            ExprKind::Attribute(base, _) => {
                let name = base.at.end as usize..func.at.end as usize;
                vec![Edit::replace(name, format!(".{class}"))]
            }
            ExprKind::Name(_) => {
                let (name, import) = imported(&eval.project.module(id), "multiprocessing", class);
                let edit = Edit::replace(func.at, name);
                iter::once(edit).chain(import).collect()
            }
            _ => return Err("the call that makes it is of another form".to_owned()),
        };
        Ok(Self::of_line(eval, (id, at), text, edits))
    }
}

/// A change, or why none is known to be safe.
pub(super) type Planned = Result<Plan, String>;

/// Plans a change for what was found.
pub(super) fn plan(eval: &Eval, suspect: &Suspect, via: Option<Via>) -> Planned {
    if let Some(id) = suspect.def {
        return if eval.project.module(id.module).defs[id.def].kind == Kind::Lambda {
            lambda::lambda(eval, suspect, id, via)
        } else {
            local::local(eval, id, via)
        };
    }
    if let Some(named_as) = suspect.named_as {
        return wrapper::renamed(eval, suspect, named_as);
    }
    if suspect.of == UNDECORATED {
        return wrapper::looked_up(eval, suspect);
    }
    let through_pool = matches!(via, Some(Via::Pool | Via::Executor));
    if through_pool && shared::is_shared(&suspect.of) {
        return shared::shared(eval, suspect);
    }
    let name = name_of(suspect);
    let is_signal = shared::reaches_workers(via) && is_signal(eval, suspect);
    let guards = |h: &Holder| shared::guards_shared(eval, h.class, &suspect.of, name);
    let is_guard = shared::reaches_workers(via) && suspect.holder.as_ref().is_some_and(guards);
    let is_given = matches!(via, Some(Via::Process | Via::Pool | Via::Executor))
        && shared::is_common(eval, suspect);
    let is_across = workers::leads_across(eval, suspect, via);
    // A process that is given a queue itself reads what others put into it.
    let is_read =
        via == Some(Via::Process) && suspect.of == "queue.Queue" && suspect.holder.is_none();
    if let Some(holder) = &suspect.holder {
        if is_signal || is_across {
            own_thread::waits(eval, holder)?;
        }
        if is_signal || is_across || is_guard {
            state::is_harmless(eval, holder.class)?;
        }
    }
    if is_signal || is_across || is_guard || is_given || is_read {
        let deaf = || {
            let why = shared::why_not_its_own(&suspect.of, "the worker");
            why.replacen('A', "a", 1)
                .trim_end_matches(['.', ' '])
                .to_owned()
        };
        return match via {
            Some(Via::Process) => shared::between(eval, suspect),
            Some(Via::Pool | Via::Executor) => shared::shared(eval, suspect),
            _ => Err(deaf()),
        }
        .map_err(|why| {
            let is_told = is_signal && !shared::LOCKS.contains(&&*suspect.of);
            if is_told && why != once::NOT_ONCE {
                deaf()
            } else {
                why
            }
        });
    }
    if gives_items(suspect) && shared::reaches_workers(via) {
        return generator::listed(eval, suspect);
    }
    if is_view(suspect) {
        return generator::of_view(eval, suspect);
    }
    let holder = suspect.holder.as_ref();
    state::state(
        eval,
        holder.ok_or("it is sent itself, and what to send instead is for its author to say")?,
        via,
    )
}

fn name_of(suspect: &Suspect) -> &str {
    suspect.path.rsplit('.').next().unwrap_or_default()
}

/// Returns whether another process would wait for what a new one is never told.
pub(super) fn is_signal(eval: &Eval, suspect: &Suspect) -> bool {
    shared::is_signal(eval, &suspect.of, name_of(suspect))
}

/// Plans it for an attribute that cannot be made again, where no task uses it.
pub(super) fn spared(
    eval: &Eval,
    suspect: &Suspect,
    sendings: &[Sending],
    via: Option<Via>,
) -> Option<Plan> {
    let holder = unneeded::leads_to(eval, suspect, sendings)?;
    state::spared(eval, &holder, sendings, via)
}

/// Returns whether a list of its items can take the place of something.
pub(super) fn can_be_listed(suspect: &Suspect) -> bool {
    gives_items(suspect) || is_view(suspect)
}

fn gives_items(suspect: &Suspect) -> bool {
    suspect.of.starts_with("the generator")
        || matches!(&*suspect.of, "a generator" | "a generator expression")
        || is_generator(&suspect.of)
}

fn is_view(suspect: &Suspect) -> bool {
    matches!(&*suspect.of, "dict.keys" | "dict.values" | "dict.items")
}

/// Plans a change for a lambda, which goes by this path.
pub(super) fn lambda_of(eval: &Eval, path: &str, id: DefId) -> Planned {
    let module = eval.project.module(id.module);
    let suspect = Suspect {
        path: path.to_owned(),
        of: "a lambda".to_owned(),
        module: id.module,
        at: module.defs[id.def].at,
        holder: None,
        def: Some(id),
        named_as: None,
        is_sure: true,
    };
    lambda::lambda(eval, &suspect, id, None)
}

/// Plans one change for suspects that are attributes of one class, or lambdas: whichever it is, none
/// is left.
pub(super) fn plan_all(eval: &Eval, suspects: &[Suspect], via: Option<Via>) -> Planned {
    let several = || "it is one of several".to_owned();
    let is_lambda = |s: &Suspect| {
        let kind = |id: DefId| eval.project.module(id.module).defs[id.def].kind;
        s.def.is_some_and(|id| kind(id) == Kind::Lambda)
    };
    if suspects.iter().all(is_lambda) {
        return lambda::lambdas(eval, suspects, via);
    }
    if (suspects.iter())
        .all(|s| s.holder.is_none() && gives_items(s) && s.module == suspects[0].module)
    {
        return generator::all_listed(eval, suspects);
    }
    let holders = suspects.iter().map(|s| {
        let holder = s.holder.as_ref().filter(|h| h.is_itself);
        holder.filter(|_| s.def.is_none() && s.named_as.is_none())
    });
    let holders: Option<Vec<&Holder>> = holders.collect();
    let holders = holders.ok_or_else(several)?;
    let first = holders.first().ok_or_else(several)?;
    if holders.iter().any(|h| h.class != first.class) {
        return Err(several());
    }
    let plan = plan(eval, &suspects[0], via)?;
    let is_out = |h: &&Holder| plan.code.contains(&format!("\"{}\"", h.attribute));
    if holders.iter().all(is_out) {
        Ok(plan)
    } else {
        Err(several())
    }
}

/// Returns code for a handle in a name of its own, which the other process has to make.
pub(super) fn made_there(eval: &Eval, suspect: &Suspect) -> Option<Change> {
    let is_name = suspect.path.chars().all(is_word);
    let is_alone = suspect.holder.is_none() && suspect.def.is_none() && is_name;
    let module = eval.project.module(suspect.module);
    let made = module.slice(suspect.at);
    if !is_alone || made.contains('\n') {
        return None;
    }
    let name = &suspect.path;
    let call = call::call_at(&module, suspect.at);
    if call.is_some_and(|call| is_file_to_read(&suspect.of, &call)) {
        return Some(Change::new(
            format!(
                "Do not send `{name}`: send what it is opened with, and open it in the function that runs there:"
            ),
            format!("{name} = {made}"),
        ));
    }
    if suspect.of.starts_with("csv.") {
        return Some(Change::new(
            format!(
                "Do not send `{name}`: send the path of its file, and open the file and make it in the function that runs there:"
            ),
            format!("{name} = {made}"),
        ));
    }
    if !remake::is_handle(&suspect.of) || emptied::starts_empty(&suspect.of, made) {
        return None;
    }
    let of = made_of(&module, suspect)?;
    Some(Change::new(
        format!(
            "Do not send `{name}`: make it in the process that uses it, in the function that runs there (or in a pool's `initializer`):"
        ),
        format!("{of}{name} = {made}"),
    ))
}

/// Returns the lines that make what a call is made on, where that is a handle, too: the connection of a
/// cursor.
fn made_of(module: &Module, suspect: &Suspect) -> Option<String> {
    let def = &module.defs[module.def_around(suspect.at)];
    let call = def.walk().find(|e| e.at == suspect.at);
    let base = call.and_then(|e| e.call()?.method()?.0.dotted());
    let is_handle = suspect.of.matches("()").count() > 0;
    let Some(base) = base.filter(|_| is_handle) else {
        return Some(String::new());
    };
    let binding = only_binding(def, &base)?;
    let made = module.slice(binding.source.given()?.at);
    (!made.contains('\n')).then(|| format!("{base} = {made}\n"))
}

/// Returns whether a call opens a file for reading: by a mode that says so, or by none.
fn is_file_to_read(of: &str, call: &Call) -> bool {
    const FILES: &str = "open io.open pathlib.Path().open gzip.open bz2.open lzma.open";
    let reads = |mode: &str| mode.starts_with('r') && !mode.contains('+');
    lists(FILES, of) && mode_of(of, call).is_none_or(|m| m.value.text().is_some_and(reads))
}

/// Returns code for an attribute that only its author can make again, with the words for it.
pub(super) fn sketch(eval: &Eval, suspect: &Suspect, why: &str) -> Option<Change> {
    if let Some(id) = suspect.def {
        return local::with_arguments(eval, id);
    }
    // What it holds is data, which goes along in another form; of a mock the rule tells more.
    if suspect.of == "ctypes.Array" || suspect.of.starts_with("unittest.mock.") {
        return None;
    }
    if let Some(module) = suspect.of.strip_prefix("the module ") {
        return Some(Change::new(
            format!(
                "Keep no module in `{}`: import it in the function that uses it:",
                suspect.path
            ),
            format!("import {}", module.replacen(" or ", "  # or ", 1)),
        ));
    }
    if suspect.of.starts_with("loguru.") && suspect.holder.is_none() {
        let text = "Do not send the logger: import it where it is used, and under `spawn` add its sinks there, too:";
        let code = "from loguru import logger\n\nlogger.remove()\nlogger.add(...)  # in the function that runs there";
        return Some(Change::new(text.to_owned(), code.to_owned()));
    }
    let is_named = suspect.named_as.is_some();
    let path = suspect.path.trim_end_matches("[...]");
    let is_all = |h: &&Holder| h.is_itself || path.ends_with(&format!(".{}", h.attribute));
    let holder = suspect.holder.as_ref().filter(|h| is_all(h) && !is_named)?;
    if why == once::NOT_ONCE {
        return shared::passed_in(eval, suspect);
    }
    let (text, code) = sketch::sketch(eval, holder, why)?;
    Some(Change::new(text, code))
}
