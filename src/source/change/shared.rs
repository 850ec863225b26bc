//! What one process tells another by: a queue or lock that a manager holds goes through a pool, an
//! event or lock of `multiprocessing` works in a process that it is given to; what a lock keeps others out of.

use std::rc::Rc;

use crate::object::{Change, Edit};
use crate::python_name::places_of;
use crate::traceback::facts::Via;

use super::super::effects::opens_to_write;
use super::super::eval::{Eval, binds};
use super::super::syntax::{
    Binding, Call, Expr, ExprKind, Kind, Module, Place, Statement, StatementKind,
};
use super::super::text::{below_imports, imported, lists, unit};
use super::super::value::{DefId, Value};
use super::super::walk::Suspect;
use super::call::call_at;
use super::once::{NOT_ONCE, is_made_once};
use super::set_up::is_made_by;
use super::workers::{is_asked_early, is_read_late, workers};
use super::{Plan, Planned};

/// What changes something outside of the process, besides opening a file to write.
const WRITES: &str = ".write_text( .write_bytes( os.replace( os.rename( os.remove( .unlink( shutil. subprocess. os.system( \
    .post( .to_csv( .to_parquet( np.save numpy.save savefig( \"r+ 'r+";
/// How deep calls of the program's functions are followed.
const MAX_CALLS: usize = 3;

/// What a manager has under the same name.
const SHARED: &str =
    "Queue JoinableQueue Lock RLock Semaphore BoundedSemaphore Condition Event Barrier";
/// What a manager's own do not have.
const ONLY_HERE: &[&str] = &[
    "join_thread(",
    "cancel_join_thread(",
    "get_lock(",
    "get_obj(",
    "get_value(",
    "acquire(block=",
];

/// What threads of one process tell each other something by.
const SIGNALS: &str = "threading.Event threading.Condition threading.Barrier";

/// What threads of one process keep each other out by.
pub(super) const LOCKS: &[&str] = &[
    "threading.Lock",
    "threading.RLock",
    "threading.Semaphore",
    "threading.BoundedSemaphore",
];
/// What those of `multiprocessing` do not have, or call otherwise.
const ONLY_IN_THREADS: &[&str] = &[".locked(", "blocking="];

/// What counts how many are let in.
const SEMAPHORES: &[&str] = &["threading.Semaphore", "threading.BoundedSemaphore"];

/// Returns whether a manager has such a thing.
pub(super) fn is_shared(of: &str) -> bool {
    of.strip_prefix("multiprocessing.")
        .is_some_and(|name| lists(SHARED, name))
}

/// What is called on them where somebody waits, or is told; a condition on which nobody waits is a lock.
const HEARD: &[&str] = &["wait", "wait_for", "is_set", "set"];

/// What asks whether somebody else holds a lock.
const TRIED: &[&str] = &["locked(", "acquire(False", "acquire(blocking=False"];

/// Returns whether something goes to a worker that would wait for what it is told.
pub(super) fn reaches_workers(via: Option<Via>) -> bool {
    !matches!(via, Some(Via::Deepcopy | Via::Dump) | None)
}

/// Returns whether a new one under this name would not do the same in another process.
pub(super) fn is_signal(eval: &Eval, of: &str, name: &str) -> bool {
    let calls = |call: String| eval.project.says(&call);
    SEMAPHORES.contains(&of)
        || lists(SIGNALS, of) && HEARD.iter().any(|m| calls(format!("{name}.{m}(")))
        || LOCKS.contains(&of) && TRIED.iter().any(|m| calls(format!("{name}.{m}")))
}

/// Returns whether something is a lock or queue that was made outside of all classes, so that those
/// who are given it share it.
pub(super) fn is_common(eval: &Eval, suspect: &Suspect) -> bool {
    let module = eval.project.module(suspect.module);
    let mut around = module.outwards(module.def_around(suspect.at));
    let in_class = around.any(|(_, d)| d.kind == Kind::Class);
    // `obj.lock = Lock()` makes one for each.
    let is_own = |at: Place| at.holds(suspect.at);
    if suspect
        .holder
        .as_ref()
        .and_then(|h| h.setting.value)
        .is_some_and(is_own)
    {
        return false;
    }
    let is_queue = suspect.of == "queue.Queue";
    (is_queue || LOCKS.contains(&suspect.of.as_str())) && !in_class
}

/// Returns code for a lock or queue at the top of a module, where no manager can be started.
pub(in super::super) fn managed(
    eval: &Eval,
    suspect: &Suspect,
    via: Option<Via>,
) -> Option<Change> {
    let module = eval.project.module(suspect.module);
    let is_pool = matches!(via, Some(Via::Pool | Via::Executor));
    let is_alone = suspect.holder.is_none() && suspect.def.is_none();
    let of = module.defs[0]
        .bindings
        .iter()
        .filter_map(Binding::named_value)
        .find(|(name, value)| value.at == suspect.at && ***name == *suspect.path);
    let of = of.and_then(|_| suspect.of.rsplit('.').next());
    let is_one = is_shared(&suspect.of) || is_common(eval, suspect);
    let of = of.filter(|_| is_pool && is_alone && is_one)?;
    let name = &suspect.path;
    let unit = unit(&module, &module.defs[0]);
    let call = call_at(&module, suspect.at)?;
    let args = module.arguments(&call);
    let (manager, import) = imported(&module, "multiprocessing", "Manager");
    Some(Change::new(
        format!(
            "{}Let a manager hold it, which is started under the main guard; what it gives can be sent through a pool:",
            why_not_its_own(&suspect.of, "each worker")
        ),
        below_imports(
            &import,
            &format!("if __name__ == \"__main__\":\n{unit}{name} = {manager}().{of}{args}"),
        ),
    ))
}

/// Returns code for what each worker needs the same of, where each object of its class would start a
/// manager for it: one manager makes it, and the class is given it.
pub(super) fn passed_in(eval: &Eval, suspect: &Suspect) -> Option<Change> {
    let holder = suspect.holder.as_ref()?;
    let module = eval.project.module(suspect.module);
    let call = call_at(&module, suspect.at)?;
    // Main does not know what `Semaphore(self.size)` is given.
    let maker = &module.defs[module.def_around(suspect.at)];
    let mut names = call.args.iter().flat_map(|a| a.value.names());
    let args = if names.any(|(n, _)| binds(maker, n)) {
        "(...)"
    } else {
        module.arguments(&call)
    };
    let name = suspect.of.rsplit('.').next()?;
    let class = &eval.project.module(holder.class.module).defs[holder.class.def].name;
    let (manager, import) = imported(&module, "multiprocessing", "Manager");
    let unit = unit(&module, &module.defs[0]);
    let kept = &holder.attribute;
    let variable = kept.trim_start_matches('_');
    Some(Change::new(
        format!(
            "Each worker needs the same `{kept}`. Start one manager in main, and pass what it makes to `{class}`:"
        ),
        below_imports(
            &import,
            &format!(
                "if __name__ == \"__main__\":\n{unit}manager = {manager}()\n\
             {unit}{variable} = manager.{name}{args}  # pass it to `{class}`, for `self.{kept}`"
            ),
        ),
    ))
}

/// Returns what goes wrong if each process makes its own, and a space; a worker has none of what processes share.
pub(super) fn why_not_its_own(of: &str, place: &str) -> String {
    if of.starts_with("multiprocessing.") && place == "each worker" {
        return String::new();
    }
    let fault = if LOCKS.contains(&of) {
        "keep nobody else out"
    } else if of == "queue.Queue" {
        "be empty, and nobody else would read it"
    } else {
        "not hear what this one is told"
    };
    format!("A new `{of}` in {place} would {fault}. ")
}

/// Returns why a lock of threads cannot be replaced by one of processes, if it cannot.
fn replaceable(eval: &Eval, of: &str) -> Result<(), String> {
    let releases = |text: &str| {
        text.match_indices(".release(")
            .any(|(at, m)| !text[at + m.len()..].starts_with(')'))
    };
    if SEMAPHORES.contains(&of) && eval.project.any(|m| releases(&m.code)) {
        return Err("another kind is not released several times at once".to_owned());
    }
    match ONLY_IN_THREADS.iter().find(|word| eval.project.says(word)) {
        Some(found) if LOCKS.contains(&of) => Err(format!("the program uses `{found}` of a lock")),
        _ => Ok(()),
    }
}

/// Returns the call that makes something, where another one can take its place.
fn replaced(eval: &Eval, suspect: &Suspect) -> Result<(Rc<Module>, Rc<Call>), String> {
    let module = eval.project.module(suspect.module);
    let call = call_at(&module, suspect.at).ok_or("the call that makes it cannot be found")?;
    made_in_one_process(&module, suspect)?;
    replaceable(eval, &suspect.of)?;
    if suspect.of.ends_with(".Condition") && !call.args.is_empty() {
        return Err("its lock would have to be of the same kind".to_owned());
    }
    Ok((module, call))
}

/// Returns whether the program calls any of these.
fn calls(eval: &Eval, words: &[&str]) -> bool {
    words.iter().any(|word| eval.project.says(word))
}

/// Lets `multiprocessing` make what a new process is given.
pub(super) fn between(eval: &Eval, suspect: &Suspect) -> Planned {
    let (module, call) = replaced(eval, suspect)?;
    let name = match suspect.of.rsplit('.').next().unwrap_or_default() {
        // The other one has no `task_done`.
        "Queue" if calls(eval, &[".task_done("]) => "JoinableQueue",
        name => name,
    };
    let method = start_method(eval)?;
    let (new, import) = match &method {
        Some(method) => {
            let (context, import) = imported(&module, "multiprocessing", "get_context");
            (format!("{context}({method}).{name}"), import)
        }
        None => imported(&module, "multiprocessing", name),
    };
    let args = module.arguments(&call);
    let why = why_not_its_own(&suspect.of, "the process");
    let code = format!("{new}{args}");
    let edits = swapped(&call, new, import);
    if suspect.of == "queue.Queue" && is_read_late(eval, suspect) {
        let text = format!(
            "{why}Let `multiprocessing` make it, and take what comes before `join()`, without `empty()`: a process ends when all that it put is read:"
        );
        let code = below_imports(&edits, &code);
        return Ok(Plan::new(suspect.module, text, code, Vec::new()));
    }
    let is_early = suspect.of == "queue.Queue" && is_asked_early(eval, suspect);
    let (how, edits) = if is_early {
        let how = ", and put a `None` for each reader at the end, which leaves its loop there, without `empty()`: what was put is there a little later";
        (how, Vec::new())
    } else {
        (", for processes and threads", edits)
    };
    let text = format!("{why}Let `multiprocessing` make it{how}:");
    Ok(Plan::new(suspect.module, text, code, edits))
}

/// Returns the one start method that the program's contexts have, as it is written; `None` if all
/// is of the default one.
fn start_method(eval: &Eval) -> Result<Option<String>, String> {
    let contexts = eval
        .all_made()
        .filter(|made| &*made.of == "multiprocessing.get_context");
    let methods = contexts.map(|made| {
        let given = made.call.args.first().filter(|a| a.value.text().is_some());
        let module = eval.project.module(made.env.at.module);
        given.map(|a| module.slice(a.value.at).to_owned())
    });
    let mut found: Vec<Option<String>> = methods.collect();
    found.dedup();
    match found.as_slice() {
        [] => Ok(None),
        [Some(one)] => Ok(Some(one.clone())),
        _ => Err("its start method must be that of the process".to_owned()),
    }
}

/// Returns why a thing would be made in each process, if it would.
fn made_in_one_process(module: &Module, suspect: &Suspect) -> Result<(), String> {
    let in_function = module.def_around(suspect.at) != 0;
    let under_guard = module.main_guards().any(|g| g.at.holds(suspect.at));
    // Each object of a dataclass calls `field(default_factory=lambda: Semaphore(2))`.
    let is_factory = module.defs.iter().any(|d| {
        let before = &module.text[..d.at.start as usize];
        d.at.holds(suspect.at) && before.trim_end().ends_with("default_factory=")
    });
    if !in_function && !under_guard && !is_factory {
        return Err("other processes make it again when they import the module".to_owned());
    }
    Ok(())
}

/// Returns the edits that call something else.
fn swapped(call: &Call, new: String, import: Option<Edit>) -> Vec<Edit> {
    let mut edits = vec![Edit::replace(call.func.at, new)];
    edits.extend(import);
    edits
}

/// What waits for tasks.
const WAITS: &str = ".get( .result( .join( .wait( map( as_completed( .apply( Executor(";

/// Returns whether the function that makes it waits for the tasks: with the last of what it gave a
/// manager ends.
fn is_awaited(module: &Module, suspect: &Suspect) -> bool {
    let def = &module.defs[module.def_around(suspect.at)];
    let text = module.code(def.at);
    def.kind == Kind::Module
        || !text.contains("_async(")
        || WAITS.split(' ').any(|w| text.contains(w))
}

/// Returns whether nothing holds an object of a class once a call has sent it: `pool.apply_async(Job().work)`.
fn is_dropped(eval: &Eval, class: DefId) -> bool {
    let name = &eval.project.module(class.module).defs[class.def]
        .name
        .clone();
    let makes = |call: &Call| call.func.last_name() == Some(name);
    eval.project.defs().any(|(id, module)| {
        let def = &module.defs[id.def];
        let calls: Vec<&Rc<Call>> = def.calls().collect();
        let is_sent = |call: &&&Rc<Call>| {
            let name = call.func.last_name();
            name.is_some_and(|n| n.ends_with("_async"))
        };
        let is_in_call = calls.iter().filter(is_sent).any(|sent| {
            let mut within = sent.args.iter().flat_map(|a| a.value.calls());
            within.any(|c| makes(c))
        });
        let is_sent_here = def.kind == Kind::Function && calls.iter().any(|c| is_sent(&c));
        let is_made_here = || calls.iter().any(|c| makes(c));
        let waits = || WAITS.split(' ').any(|w| module.code(def.at).contains(w));
        is_in_call || is_sent_here && is_made_here() && !waits()
    })
}

/// Returns whether a function in a worker returns an object of a class, which may outlive the one that was sent.
fn comes_back(eval: &Eval, class: DefId) -> bool {
    let is_one = |v: &Value| matches!(v, Value::Instance(i) if i.class == class);
    workers(eval, &[], Some(class)).iter().any(|(id, _)| {
        let module = eval.project.module(id.module);
        let env = eval.scope(*id);
        let mut returned = module.defs[id.def].returns.iter();
        returned.any(|e| eval.eval(e, &env).may_be(is_one))
    })
}

/// Returns whether the program asks for the type that a manager's has not: `isinstance(stop, Event)`.
fn is_asked_for(eval: &Eval, name: &str) -> bool {
    let modules = eval.project.modules();
    let mut lines = modules.iter().flat_map(|m| m.code.lines());
    lines.any(|l| {
        let asked = l.split_once("isinstance(");
        asked.is_some_and(|(_, of)| places_of(of, name).next().is_some())
    })
}

/// Lets a manager make it.
pub(super) fn shared(eval: &Eval, suspect: &Suspect) -> Planned {
    let (module, call) = replaced(eval, suspect)?;
    let name = suspect.of.rsplit('.').next().unwrap_or_default();
    if is_asked_for(eval, name) {
        return Err(format!("the program asks whether it is a `{}`", suspect.of));
    }
    let maker = &module.defs[module.def_around(suspect.at)];
    let is_method = module.is_method(maker);
    let class = DefId::new(suspect.module, maker.parent);
    let of_field = suspect.holder.as_ref().filter(|h| h.setting.is_field);
    let class = of_field.map(|h| h.class).or(is_method.then_some(class));
    if class.is_some_and(|class| !is_made_once(eval, class)) {
        return Err(NOT_ONCE.to_owned());
    }
    if class.is_some_and(|class| is_dropped(eval, class)) {
        return Err("the manager would end with the object, before the task begins".to_owned());
    }
    if class.is_some_and(|class| comes_back(eval, class)) {
        return Err(
            "what tasks return would need the manager, which ends with the object".to_owned(),
        );
    }
    let last = suspect.path.rsplit('.').next().unwrap_or_default();
    if calls(eval, ONLY_HERE) || calls(eval, &[&format!("{last}.close(")]) {
        return Err(format!(
            "a manager's {name} lacks a method that the program calls"
        ));
    }
    let lock = format!("{last})");
    let modules = eval.project.modules();
    let mut conditions = modules
        .iter()
        .flat_map(|m| m.code.split("Condition(").skip(1));
    let is_of_it = |given: &str| {
        given
            .lines()
            .next()
            .is_some_and(|line| line.contains(&lock))
    };
    if conditions.any(is_of_it) {
        return Err("a condition is made of it, which a manager would have to make too".to_owned());
    }
    if suspect.holder.is_none() && !is_awaited(&module, suspect) {
        return Err("the manager would end before the tasks do".to_owned());
    }
    let (manager, import) = match &call.func.kind {
        ExprKind::Attribute(base, _) if suspect.of.starts_with("multiprocessing.") => {
            (format!("{}.Manager", module.slice(base.at)), None)
        }
        ExprKind::Attribute(..) | ExprKind::Name(_) => {
            imported(&module, "multiprocessing", "Manager")
        }
        _ => return Err("the call that makes it is of another form".to_owned()),
    };
    let new = format!("{manager}().{name}");
    let args = module.arguments(&call);
    let why = why_not_its_own(&suspect.of, "each worker");
    let text = format!(
        "{why}Let a manager hold it; what it gives can be sent through a pool. Replace the call with:"
    );
    Ok(Plan::new(
        suspect.module,
        text,
        format!("{new}{args}"),
        swapped(&call, new, import),
    ))
}

/// Returns whether a class changes what others have too while it holds a lock of this name: a file, a shared value.
pub(super) fn guards_shared(eval: &Eval, class: DefId, of: &str, name: &str) -> bool {
    LOCKS.contains(&of)
        && eval.line_of(class).own.iter().any(|(class, _)| {
            let module = eval.project.module(class.module);
            module.methods(class.def).any(|(number, def)| {
                let mut held = def.statements.iter().filter(|s| holds(s, name));
                held.any(|s| writes(eval, class.beside(number), s.at, 0))
            })
        })
}

/// Returns whether a statement holds a lock: `with self.lock:`.
fn holds(statement: &Statement, name: &str) -> bool {
    let is_it = |e: &Expr| e.is_attribute(name);
    statement.kind == StatementKind::With && statement.exprs.iter().any(|e| is_it(e))
}

/// Returns whether a part of a function changes a file or what processes share, or calls a function of the program
/// that does.
fn writes(eval: &Eval, of: DefId, at: Place, depth: usize) -> bool {
    let module = eval.project.module(of.module);
    let text = module.slice(at);
    let env = eval.scope(of);
    let def = &module.defs[of.def];
    // `self.total.value += n`, `self.rows[k] = n`
    let is_shared = |base: &Rc<Expr>| is_made_by(&eval.eval(base, &env), &["multiprocessing."]);
    let mut bound = def.bindings.iter().filter(|b| at.holds(b.at));
    let sets_shared = |b: &Binding| b.changed().is_some_and(is_shared);
    if opens_to_write(text) || WRITES.split(' ').any(|w| text.contains(w)) || bound.any(sets_shared)
    {
        return true;
    }
    let within = def.exprs().filter(|e| at.holds(e.at));
    let mut calls = within.flat_map(Expr::calls);
    depth < MAX_CALLS
        && calls.any(|call| {
            let called = eval.eval(&call.func, &env);
            called.function().filter(|f| f.id != of).is_some_and(|f| {
                let at = eval.project.module(f.id.module).defs[f.id.def].at;
                writes(eval, f.id, at, depth + 1)
            })
        })
}
