//! A queue of threads on an object, by which workers and the rest of the program tell each other something.

use crate::traceback::facts::Via;

use super::super::eval::Eval;
use super::super::syntax::Kind;
use super::super::value::DefId;
use super::super::walk::Suspect;
use super::workers::workers;

/// Returns whether a queue leads from the program to its workers, or through a pool from these to the program.
pub(super) fn leads_across(eval: &Eval, suspect: &Suspect, via: Option<Via>) -> bool {
    let Some(holder) = suspect.holder.as_ref().filter(|h| h.is_itself) else {
        return false;
    };
    let name = &holder.attribute;
    let all = workers(eval, &[], Some(holder.class));
    let uses = |method: &str, by_worker: bool| {
        let call = format!(".{name}.{method}");
        eval.project.defs().any(|(id, module)| {
            let def = &module.defs[id.def];
            let is_worker = |id: DefId| all.iter().any(|(known, _)| *known == id);
            def.kind == Kind::Function
                && is_worker(id) == by_worker
                && module.code(def.at).contains(&call)
        })
    };
    // What only a queue in the same process has.
    let inner = [format!(".{name}.queue"), format!(".{name}.mutex")];
    let is_opened = || inner.iter().any(|i| eval.project.says(i));
    let is_fed = || uses("put", false) && uses("get", true);
    // Of a process that is joined before all is read, what it puts may never come.
    let gives = || uses("put", true) && uses("get", false);
    suspect.of == "queue.Queue"
        && !is_opened()
        && match via {
            Some(Via::Process) => is_fed() && !uses("put", true),
            Some(Via::Pool | Via::Executor) => is_fed() || gives(),
            _ => false,
        }
}
