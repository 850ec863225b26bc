//! Whether workers alone run a function, and how the parent gets what it finds.

use super::super::change::{DELAYED, POOLS, Plan, Planned, workers};
use super::super::eval::Eval;
use super::super::objects::PROCESS;
use super::super::sent::argument;
use super::super::syntax::{Expr, ExprKind, Module, Place, Source, Target};
use super::super::text::free_name;
use super::super::value::{DefId, Value};

/// What sets attributes by names that are not written so.
const DYNAMIC: [&str; 3] = ["setattr(", "__dict__", "vars("];

/// Where joblib's tasks stay in the process.
const HERE: &str = "\"thread 'thread sharedmem sequential n_jobs=1) Parallel()";

/// Returns whether the program sets attributes by names that are not written so.
pub(super) fn is_dynamic(eval: &Eval) -> bool {
    let is_in = |text: &str| DYNAMIC.iter().any(|word| text.contains(word));
    eval.project.any(|m| is_in(&m.code))
}

/// The functions that run in workers.
pub(super) struct Workers(Vec<DefId>);

impl Workers {
    /// Finds them; a method of this class may be what is called on an unknown object.
    pub(super) fn of(eval: &Eval, class: Option<DefId>) -> Self {
        let all = workers(eval, &[], class).into_iter();
        Self(all.map(|w| w.0).collect())
    }

    /// Returns whether a function, or one around it, is one of them.
    pub(super) fn has(&self, eval: &Eval, by: DefId) -> bool {
        let module = eval.project.module(by.module);
        let at = module.defs[by.def].at;
        let mut all = self.0.iter().filter(|w| w.module == by.module);
        all.any(|w| module.defs[w.def].at.holds(at))
    }

    /// Returns whether a function is one of them, and nothing in the parent calls it, or gives it to a thread.
    pub(super) fn run_alone(&self, eval: &Eval, by: DefId) -> bool {
        let module = eval.project.module(by.module);
        let name = &module.defs[by.def].name;
        let is_named = |e: &Expr| e.last_name() == Some(name);
        self.has(eval, by)
            && eval.project.defs().all(|(at, module)| {
                let env = eval.scope(at);
                let may_be = |value: Value| match value {
                    Value::Function(f) | Value::Method(_, f) => f.id == by,
                    Value::Unknown => true,
                    _ => false,
                };
                let mut calls = module.defs[at.def].calls();
                calls.all(|call| {
                    let is_given = call.args.iter().any(|a| is_named(&a.value));
                    if !is_given && !is_named(&call.func) {
                        return true;
                    }
                    let func = eval.eval(&call.func, &env);
                    if is_given {
                        return starts(eval, &func);
                    }
                    self.has(eval, at) || !func.alternatives().into_iter().any(may_be)
                })
            })
    }
}

/// Returns whether a call of this runs what it is given in another process.
fn starts(eval: &Eval, func: &Value) -> bool {
    let is_here = || {
        eval.project
            .any(|m| HERE.split(' ').any(|word| m.text.contains(word)))
    };
    matches!(func, Value::Outside(of, _)
        if &**of == PROCESS
            || POOLS.iter().any(|p| of.starts_with(p))
            || &**of == DELAYED && !is_here())
}

/// Tells how what a function of a worker sets or fills comes to the parent: a process returns it to nobody.
pub(super) fn brought_back(eval: &Eval, by: DefId, at: Place) -> Planned {
    let module = eval.project.module(by.module);
    let def = &module.defs[by.def];
    let is_process = || eval.line_of(by.beside(def.parent)).derives_from(PROCESS);
    let is_run = &*def.name == "run" && module.is_method(def) && is_process();
    let set: Vec<_> = def.bound_at(at).collect();
    // `self.a, self.b = 1, 2` sets more than one value.
    let one = match set.as_slice() {
        [one] => Some(one),
        _ => None,
    };
    let was = module.first_line(at);
    if &*def.name == "__getitem__" {
        let text =
            "Let `__getitem__` return it with the sample; the loop over the loader has it then:";
        let code = format!(
            "return sample, found  # in `__getitem__`, was: {was}\n\nfor samples, found in loader:  # of a batch"
        );
        return Ok(Plan::new(by.module, text, code, Vec::new()));
    }
    let (value, was) = match one.map(|b| &b.target) {
        // All that the loop has put there.
        Some(Target::Content(of, _)) if def.loops(at).next().is_some() => {
            (Some(of.subscripted().0), "")
        }
        // `found[n] += 1` counts.
        _ => (
            one.filter(|_| !was.contains("+= "))
                .and_then(|b| put(&b.source)),
            was,
        ),
    };
    let value = value.map(|e| module.slice(e.at));
    let value = value.filter(|text| !text.contains('\n'));
    // What a loop puts there may be what other tasks did, too.
    let sent = given_to_pool(eval, by).filter(|_| !was.is_empty());
    if !is_run && (value.is_none() || sent.is_none() && !is_target(eval, by)) {
        return Err(format!("`{}` is to return what it finds", def.name));
    }
    // `found[n] = n`
    let mut own = def.statements.iter().filter(|s| s.at == at);
    let key = own.find_map(|s| match &s.exprs.first()?.kind {
        ExprKind::Subscript(_, key) => Some(module.slice(key.at)),
        _ => None,
    });
    let value = match (key, value) {
        (Some(key), Some(value)) if !was.is_empty() => format!("({key}, {value})"),
        (_, value) => value.unwrap_or("result").to_owned(),
    };
    if let Some(call) = sent.filter(|_| !is_run && !is_target(eval, by)) {
        let text = format!(
            "Let `{}` return it; the parent gets it from the pool:",
            def.name
        );
        let code = format!("return {value}  # in `{}`, was: {was}\n{call}", def.name);
        return Ok(Plan::new(by.module, text, code.trim_end(), Vec::new()));
    }
    Ok(by_queue(&module, by, &value, was))
}

/// Returns what is set, or put into a container.
fn put(source: &Source) -> Option<&Expr> {
    match source {
        Source::Element(of) => Some(of),
        other => other.given().map(|e| &**e),
    }
}

/// Returns whether a process runs a function.
fn is_target(eval: &Eval, by: DefId) -> bool {
    let mut all = eval.all_made();
    all.any(|made| run_by(eval, &Value::Made(made)) == Some(by))
}

/// Lets a task give back the parameter that it changes: to the pool, or, of a process, into a queue.
pub(super) fn given_back(eval: &Eval, by: DefId, given: &str) -> Option<Plan> {
    let module = eval.project.module(by.module);
    let name = &module.defs[by.def].name;
    let Some(call) = given_to_pool(eval, by) else {
        return is_target(eval, by).then(|| by_queue(&module, by, given, ""));
    };
    let text = format!("Let `{name}` return `{given}`, and go on with what the pool brings back:");
    let code = format!("return {given}  # at the end of `{name}`\n{call}");
    Some(Plan::new(by.module, text, code.trim_end(), Vec::new()))
}

/// Returns how the parent gets what a function returns that a pool, or joblib, is given as a task: the line with
/// `pool.map(…)`; nothing where that is for its author to say.
fn given_to_pool(eval: &Eval, by: DefId) -> Option<String> {
    eval.all_made().find_map(|made| {
        let method = POOLS.iter().find_map(|pool| made.of.strip_prefix(pool));
        if method.is_none() && &*made.of != DELAYED {
            return None;
        }
        let task = eval.eval(&made.call.args.first()?.value, &made.env);
        task.function().filter(|f| f.id == by)?;
        let module = eval.project.module(made.env.at.module);
        let call = module.slice(made.call.at);
        let found = free_name(&module, "found");
        Some(match method {
            _ if call.contains('\n') => String::new(),
            Some("map") if made.of.starts_with("concurrent.") => {
                format!("\n{found} = list({call})")
            }
            Some("map" | "starmap") => format!("\n{found} = {call}"),
            _ => String::new(),
        })
    })
}

/// Returns the function that a process runs.
pub(super) fn run_by(eval: &Eval, process: &Value) -> Option<DefId> {
    match process {
        Value::Made(made) if made.is_process() => {
            let target = argument(&made.call, 1, "target")?;
            Some(eval.eval(&target.value, &made.env).function()?.id)
        }
        Value::Instance(of) => {
            let line = eval.line_of(of.class);
            let run = eval.method(&line, "run");
            Some(run.filter(|_| line.derives_from(PROCESS))?.id)
        }
        _ => None,
    }
}

/// Lets a process put what it returns or sets into a queue.
pub(super) fn by_queue(module: &Module, by: DefId, value: &str, was: &str) -> Plan {
    let name = &*module.defs[by.def].name;
    let (own, place, read) = match name {
        "run" => ("self.", "in `__init__`", "process."),
        _ => ("", "given to the process", ""),
    };
    let put = match was {
        "" => format!("at the end of `{name}`"),
        was => format!("in `{name}`, was: {was}"),
    };
    let queue = free_name(module, "found");
    let text = format!("Let `{name}` put it into a queue, which the parent reads before `join()`:");
    let code = format!(
        "{own}{queue} = multiprocessing.Queue()  # {place}\n\n\
             {own}{queue}.put({value})  # {put}\n\n\
             {read}{queue}.get()  # in the parent"
    );
    Plan::new(by.module, text, code, Vec::new())
}
