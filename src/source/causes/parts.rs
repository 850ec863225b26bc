//! A part that workers alone set in their copies: an item of a dict that is 0 in the parent, an array of zeros, a key or
//! column of what a task is given.

use std::rc::Rc;

use super::super::answer::Found;
use super::super::asked::Lack;
use super::super::eval::Eval;
use super::super::project::Frames;
use super::super::syntax::{Call, Def, Expr, ExprKind, Target};
use super::super::text::lists;
use super::alone::{Workers, given_back};
use super::ran::place_of;
use super::set_there::divides;
use super::stayed::kept_there;

/// What is asked of an array as a whole.
const OF_ARRAYS: &str = "sum any all max min mean count_nonzero";
/// How one of zeros is made.
const ZEROS: [&str; 3] = [".zeros(", ".zeros_like(", ".empty("];

/// Finds the place in a worker that counts in an item of a dict, 0 in the parent, by which its innermost line divides, or
/// sets what the line asserts of that, or of an array of zeros.
pub(in super::super) fn zeros(eval: &Eval, frames: &Frames, lack: &Lack) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let head = stop.statement.head;
    let is_asserted = module.slice(head).starts_with("assert ");
    let mut all = stop.statement.walk();
    all.find_map(|e| match &e.kind {
        ExprKind::Subscript(dict, key) if is_asserted || divides(&module, head, e) => {
            let key = key.text()?;
            let zero = [format!("\"{key}\": 0"), format!("'{key}': 0")];
            let is_made =
                |text: &str| text.starts_with('{') && zero.iter().any(|z| text.contains(z));
            kept_there(eval, &eval.env_of(&stop, e.at), dict, &is_made)
        }
        ExprKind::Call(call) if is_asserted => {
            let is_made = |text: &str| ZEROS.iter().any(|zeros| text.contains(zeros));
            kept_there(eval, &eval.env_of(&stop, e.at), array(call)?, &is_made)
        }
        _ => None,
    })
    .filter(|_| *lack == Lack::Any)
}

/// Returns the array of which a call asks something: `grid.sum()`, `np.sum(grid)`.
fn array(call: &Call) -> Option<&Rc<Expr>> {
    let (of, _) = call.method().filter(|(_, name)| lists(OF_ARRAYS, name))?;
    Some(call.args.first().map_or(of, |a| &a.value))
}

/// Finds the place in a task that sets the key or column, in what the task is given, which the parent's innermost line
/// misses, if nothing else in the program sets it.
pub(in super::super) fn column(eval: &Eval, frames: &Frames, lack: &Lack) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let own = stop.statement.exprs.iter();
    // `max(rows, key=lambda row: row["score"])`
    let inner = module.within(stop.statement.head).flat_map(Def::exprs);
    let mut all = own.chain(inner).flat_map(Expr::walk);
    let (asked, key) = all.find_map(|e| match &e.kind {
        ExprKind::Subscript(_, key) if lack.may_be(key) => Some((e, key.text()?)),
        _ => None,
    })?;
    let mut set = Vec::new();
    for (by, of) in eval.project.defs() {
        for binding in &of.defs[by.def].bindings {
            if let Target::Content(base, Some(k)) = &binding.target
                && k == key
            {
                set.push((by, binding.at, Rc::clone(base)));
            }
        }
    }
    let &(by, at, ref base) = set.first()?;
    let own = eval.project.module(by.module);
    let def = &own.defs[by.def];
    let given = def.params.iter().find(|p| base.is_name(&p.name))?;
    let is_other = |e: &&Rc<Expr>| e.text() == Some(key);
    let is_key =
        |e: &&Rc<Expr>| matches!(&e.kind, ExprKind::Subscript(_, k) if k.text() == Some(key));
    let modules = eval.project.modules();
    // `frame.assign(ratio=1)`
    let label = format!("{key}=");
    let is_elsewhere = modules.iter().any(|m| {
        m.code.contains(&label)
            || m.exprs().filter(is_other).count() > m.exprs().filter(is_key).count()
    });
    let is_known = set.iter().all(|(other, ..)| *other == by)
        && def.returns.is_empty()
        && def.yields.is_empty();
    if is_elsewhere
        || !is_known
        || eval.project.is_cut.get()
        || !Workers::of(eval, None).run_alone(eval, by)
    {
        return None;
    }
    let plan = given_back(eval, by, &given.name)?;
    Some(Found::certain(
        module.slice(asked.at).to_owned(),
        format!("set {}", place_of(eval, by)),
        (by.module, at),
        Ok(plan),
    ))
}
