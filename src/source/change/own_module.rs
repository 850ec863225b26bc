//! A global of the script that joblib sends along with the functions that use it: those of another module go by name.

use crate::object::Change;
use crate::traceback::facts::Via;

use super::super::eval::{Eval, only_binding};
use super::super::only::only;
use super::super::sent::{Pickler, Sending};
use super::super::walk::Suspect;

/// Returns code that puts a global, and the task that uses it, into a module of their own.
pub(in super::super) fn own_module(
    eval: &Eval,
    suspect: &Suspect,
    sendings: &[Sending],
) -> Option<Change> {
    let sending = only(sendings)?;
    let (module, name) = (eval.project.module(suspect.module), &suspect.path);
    let is_sent = sending.pickler == Pickler::Cloud && sending.via == Via::Joblib;
    let binding = only_binding(&module.defs[0], name).filter(|b| b.at.holds(suspect.at))?;
    if !is_sent || suspect.holder.is_some() || module.is_guarded(binding.at) {
        return None;
    }
    let task = eval.force(&sending.task.as_ref()?.value);
    let task = &task.function()?.id;
    let def = &module.defs[task.def];
    if task.module != suspect.module || def.parent != 0 {
        return None;
    }
    let line = module.first_line(binding.at).trim();
    let text = format!(
        "joblib sends the functions of a script with the globals that they use, those of another module by name. Put `{name}` and the functions that use it into one; each worker then makes its own:"
    );
    let code = format!(
        "# tasks.py\n{line}\n\ndef {}(...):\n    ...\n\n# {}\nfrom tasks import {}",
        def.name, module.shown, def.name
    );
    Some(Change::new(text, code))
}
