//! A class of processes whose `__init__` does not call `Process.__init__`, or calls it too late.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::{Eval, bindings_of};
use super::super::objects::PROCESS;
use super::super::project::{Frames, ModuleId};
use super::super::syntax::{Call, Def, Module, Name, Statement, StatementKind};
use super::super::text::{above, line_start, lines_of};
use super::super::value::{DefId, Value};
use super::exception::{calls_no_init, init_of, is_super, super_init, with_init};

/// What `Process.__init__` makes.
const MADE: [&str; 5] = ["_closed", "_popen", "_config", "_identity", "_parent_pid"];
/// What is called first.
const CALL: &str = "super().__init__()";

/// Finds the `__init__` that does not begin as one of a process does, of the one class of this name.
pub(in super::super) fn uncalled(
    eval: &Eval,
    frames: &Frames,
    (class, name): (&str, &str),
) -> Option<Found> {
    let id = eval.only_class(class)?;
    if !MADE.contains(&name) {
        return None;
    }
    let (own, called) = at_fault(eval, id, frames)?;
    let module = eval.project.module(own.module);
    let init = init_of(&module, own.def)?;
    let bases = eval.bases(own);
    let plan = match &called {
        Some(call) => moved(&module, init, call),
        None if matches!(bases.as_slice(), [base] if is_process(base)) => begun(&module, init),
        None => Err("its bases may want arguments".to_owned()),
    };
    let of = match called {
        Some(_) => "which calls its base's too late",
        None => "which calls no other",
    };
    let call = called.map_or(CALL, |call| module.slice(call.at));
    Some(Found::certain(
        init.qualname.clone(),
        of,
        (own.module, init.head),
        plan.map(|edits| Plan {
            text: format!("Call it first in `{}`:", init.qualname),
            code: format!("{}\n    {call}", head(&module, init)),
            edits,
            module: own.module,
        }),
    ))
}

/// Returns the class whose `__init__` calls none, or calls this one too late: behind the line that needs it.
fn at_fault(eval: &Eval, id: DefId, frames: &Frames) -> Option<(DefId, Option<Rc<Call>>)> {
    let inits = with_init(eval, id);
    let late = inits.iter().find_map(|own| {
        let module = eval.project.module(own.module);
        let init = init_of(&module, own.def)?;
        let call = super_init(init)?;
        let is_before = |(of, line): &(ModuleId, u32)| {
            *of == own.module
                && module.defs[module.def_at(*line)].head == init.head
                && *line < module.line_of(call.at.start)
        };
        frames.iter().any(is_before).then_some((*own, Some(call)))
    });
    let none = || {
        let calls_none = |own: &&DefId| {
            let module = eval.project.module(own.module);
            init_of(&module, own.def).is_some_and(calls_no_init)
        };
        let own = *inits.iter().find(calls_none)?;
        let derives = eval.line_of(own).derives_from(PROCESS);
        derives.then_some((own, None))
    };
    late.or_else(none)
}

fn is_process(base: &Value) -> bool {
    matches!(base, Value::Outside(of, _) if &**of == PROCESS)
}

/// Returns the first line of a function.
fn head<'m>(module: &'m Module, init: &Def) -> &'m str {
    module.first_line(init.head).trim_end()
}

/// Returns the statement that a function begins with, behind its docstring; `None` where it is on the line of
/// its `def`.
fn first<'d>(module: &Module, init: &'d Def) -> Option<&'d Statement> {
    let first = init.begin()?;
    let is_below = module.line_of(first.at.start) > module.line_of(init.head.start);
    is_below.then_some(first)
}

/// Puts the call at the beginning.
fn begun(module: &Module, init: &Def) -> Result<Vec<Edit>, String> {
    let first = first(module, init).and_then(|s| above(module, s.at.start, &[CALL]));
    Ok(vec![first.ok_or("it is on one line")?])
}

/// Moves the call to the beginning, if nothing that is set before goes into it.
fn moved(module: &Module, init: &Def, call: &Rc<Call>) -> Result<Vec<Edit>, String> {
    let first = first(module, init).ok_or("it is on one line")?;
    let mut alone = init.of_kind(StatementKind::Expr);
    let own = alone.find(|s| s.at == call.at && s.suite == first.suite);
    let own = own.ok_or("it is called under a condition")?;
    let lines = lines_of(module, own.at);
    if module.text[lines.clone()].trim() != module.slice(own.at) {
        return Err("something else stands on its line".to_owned());
    }
    let me = init.params.first().map(|p| &p.name);
    let is_set = |name: &Name| Some(name) == me || bindings_of(init, name).next().is_some();
    // `Process.__init__(self, name=name)`
    let used = call.args.iter().flat_map(|a| a.value.names());
    let mut used = used.skip(usize::from(!is_super(call)));
    if let Some((name, _)) = used.find(|(name, _)| is_set(name)) {
        return Err(format!("it is given `{name}`, which is set before"));
    }
    let text = &module.text[lines.clone()];
    let at = line_start(module, first.at.start as usize);
    Ok(vec![
        Edit::insert(at, text.to_owned()),
        Edit::replace(lines, ""),
    ])
}
