//! What to change, in the program's own names: as code to show, and as edits of its files.
//!
//! - [`state`]: attributes that are [`left`] out of the bytes, by [`methods`] of the class;
//!   [`remake`]: how they are made again, [`worded`] in terms of `self`;
//! - [`function`]: a function, class or lambda that gets a name at the top of its module, with what
//!   it has [`captured`];
//! - [`shared`]: a queue, lock or event that another process can have too;
//! - [`initializer`]: what a pool's workers are given while they start;
//! - [`guard`]: statements that go under a main guard;
//! - [`method`]: another start method, where nothing is [`inherited`];
//! - [`device`]: tensors that only the [`loops`] bring onto the GPU, instead of the [`moves`] there;
//! - [`call`]: arguments of a call.

pub(super) mod call;
mod captured;
mod device;
mod function;
mod guard;
mod inherited;
mod initializer;
mod left;
mod loops;
mod method;
mod methods;
mod moves;
mod remake;
mod shared;
mod state;
mod worded;

use crate::object::{Change, Edit};
use crate::traceback::facts::Via;

use super::eval::Eval;
use super::project::ModuleId;
use super::syntax::Kind;
use super::walk::{Holder, Suspect};

pub(super) use device::device;
pub(super) use guard::unguarded;
pub(super) use initializer::initializer;
pub(super) use method::{BOUND, spawned};

/// A change of the program.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What to do, in words.
    pub(super) text: String,
    /// The code to put there.
    pub(super) code: String,
    /// The edits that do it, in one file.
    pub(super) edits: Vec<Edit>,
    pub(super) module: ModuleId,
}

/// A change, or why none is known to be safe.
pub(super) type Planned = Result<Plan, String>;

/// Plans a change for what was found.
pub(super) fn plan(eval: &Eval, suspect: &Suspect, via: Option<Via>) -> Planned {
    if let Some(id) = suspect.def {
        return if eval.project.module(id.module).defs[id.def].kind == Kind::Lambda {
            function::lambda(eval, suspect, id)
        } else {
            function::local(eval, id)
        };
    }
    if let Some(named_as) = suspect.named_as {
        return function::renamed(eval, suspect, named_as);
    }
    let through_pool = matches!(via, Some(Via::Pool | Via::Executor));
    if through_pool && shared::is_shared(&suspect.of) {
        return shared::shared(eval, suspect);
    }
    let name = suspect.path.rsplit('.').next().unwrap_or_default();
    let is_signal = shared::reaches_workers(via) && shared::is_signal(eval, &suspect.of, name);
    let is_given = matches!(via, Some(Via::Process | Via::Pool | Via::Executor))
        && shared::is_common(eval, suspect);
    if is_signal || is_given {
        return match via {
            Some(Via::Process) => shared::between(eval, suspect),
            Some(Via::Pool | Via::Executor) => shared::shared(eval, suspect),
            _ => Err(format!(
                "a new `{}` in the worker would not hear what this one is told",
                suspect.of
            )),
        };
    }
    let holder = suspect.holder.as_ref();
    state::state(eval, holder.ok_or("it is no attribute of its own")?, via)
}

/// Plans one change for suspects that are attributes of one class: whichever it is, none is left.
pub(super) fn plan_all(eval: &Eval, suspects: &[Suspect], via: Option<Via>) -> Planned {
    let several = || "it is one of several".to_owned();
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

/// Returns code for an attribute that only its author can make again, with the words for it.
pub(super) fn sketch(eval: &Eval, suspect: &Suspect, why: &str) -> Option<Change> {
    let is_named = suspect.def.is_some() || suspect.named_as.is_some();
    let is_all = |h: &&Holder| h.is_itself || suspect.path.ends_with(&format!(".{}", h.attribute));
    let holder = suspect.holder.as_ref().filter(|h| is_all(h) && !is_named)?;
    let (text, code) = state::sketch(eval, holder, why)?;
    Some(Change {
        text,
        code,
        patch: None,
    })
}
