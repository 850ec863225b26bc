//! The program's own source: which object could not be sent, and where it is made.
//!
//! A traceback before Python 3.14 names a type, not an object. The [`Sources`] read the files of
//! its frames and what these import, follow the expression that was sent to all that pickling
//! takes of it, and tell which part is of that type. Nothing is imported or run.
//!
//! - [`files`]: which files may be read; [`project`]: the modules, as imports find them;
//! - [`parse`] makes [`syntax`] of them; [`eval`] and [`instance`] work out what a [`value`] is;
//! - [`wanted`]: what the message names; [`sent`]: what travels; [`walk`]: what in it fits;
//! - [`objects`]: what the objects of libraries hold; [`verdict`]: what is said of it.

mod attached;
mod change;
mod eval;
mod files;
mod instance;
mod objects;
mod parse;
mod project;
mod sent;
mod syntax;
mod value;
mod verdict;
mod walk;
mod wanted;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::object::{Certainty, Change, Edit, Fingerprint, Object, Patch};
use crate::traceback::facts::{Facts, Via};
use crate::traceback::{Exception, Frame, Traceback};

use change::{Plan, Planned};
use eval::Eval;
use files::Files;
pub use files::Root;
use project::{ModuleId, Project};
use sent::{Pickler, Sending};
use value::DefId;
use verdict::{Verdict, decide};
use walk::{Suspect, Walk};
use wanted::{Wanted, plain_name};

/// How long the stream waits for an answer.
const DEADLINE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 5000 } else { 200 });
/// What Python says where a script starts processes outside of a main guard.
const BOOTSTRAPPING: &str = "has finished its bootstrapping phase";
/// The most answers that are remembered.
const MAX_KNOWN: usize = 64;
/// The stack of the thread that searches: expressions nest.
const STACK: usize = 32 * 1024 * 1024;

/// Where source may be read, and how.
#[derive(Clone, Debug)]
pub struct Sources {
    roots: Vec<Root>,
    here: PathBuf,
    /// Whether the folder of the script counts too, if it is the user's own.
    with_script: bool,
    /// A search that has not come back: the disk is slow.
    is_stuck: Arc<AtomicBool>,
    /// The last answers: a worker that fails at each batch asks the same each time.
    known: Arc<Mutex<HashMap<u64, Option<Object>>>>,
}

/// What is asked: a failure with its frames.
#[derive(Clone, Debug)]
struct Question {
    message: String,
    frames: Vec<Frame>,
    /// All user frames, of outer exceptions too.
    quoted: Vec<Frame>,
    via: Option<Via>,
    is_result: bool,
    /// Whether a child that imports the script again starts processes.
    is_unguarded: bool,
}

impl Sources {
    /// Reads source below these folders.
    pub fn new(roots: Vec<Root>, here: PathBuf) -> Self {
        Self {
            roots,
            here,
            with_script: false,
            is_stuck: Arc::default(),
            known: Arc::default(),
        }
    }

    /// Reads source below the current folder, and below the script's own if the user owns it.
    pub fn of_user(here: PathBuf) -> Self {
        let root = Root {
            local: here.clone(),
            recorded: None,
        };
        Self {
            with_script: true,
            ..Self::new(vec![root], here)
        }
    }

    /// Returns the object that a failure speaks of; `None` if the source does not tell.
    ///
    /// It is looked for in a thread of its own, for at most a fifth of a second.
    pub fn object(&self, traceback: &Traceback, raised: usize, facts: &Facts) -> Option<Object> {
        let question = Question::of(traceback, raised, facts)?;
        let is_asked = question.is_unguarded || Wanted::read(&question.message).is_some();
        if !is_asked || self.is_stuck.load(Ordering::Relaxed) {
            return None;
        }
        let key = question.key();
        if let Some(known) = self.known().get(&key) {
            return known.clone();
        }
        let (answer, answered) = mpsc::channel();
        let sources = self.clone();
        let search = move || {
            let found = catch_unwind(AssertUnwindSafe(|| sources.search(&question)));
            let _ = answer.send(found.ok().flatten());
            sources.is_stuck.store(false, Ordering::Relaxed);
        };
        let thread = thread::Builder::new()
            .name("source".to_owned())
            .stack_size(STACK);
        if thread.spawn(search).is_err() {
            return None;
        }
        let Ok(found) = answered.recv_timeout(DEADLINE) else {
            self.is_stuck.store(true, Ordering::Relaxed);
            // It may have come just then.
            if answered.try_recv().is_ok() {
                self.is_stuck.store(false, Ordering::Relaxed);
            }
            return None;
        };
        let mut known = self.known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, found.clone());
        found
    }

    fn known(&self) -> MutexGuard<'_, HashMap<u64, Option<Object>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn project(&self, question: &Question) -> Project {
        let mut roots = self.roots.clone();
        if self.with_script {
            let script = question.quoted.iter().find(|f| f.function == "<module>");
            let folder = script.and_then(|f| {
                self.here
                    .join(f.path.as_str())
                    .parent()
                    .map(Path::to_path_buf)
            });
            let is_below = |f: &PathBuf| roots.iter().any(|r| f.starts_with(&r.local));
            if let Some(local) = folder.filter(|f| !is_below(f) && is_own(f)) {
                roots.push(Root {
                    local,
                    recorded: None,
                });
            }
        }
        Project::new(Files::new(roots, self.here.clone()))
    }

    fn search(&self, question: &Question) -> Option<Object> {
        let is_unguarded = question.is_unguarded;
        let wanted = Wanted::read(&question.message);
        if wanted.is_none() && !is_unguarded {
            return None;
        }
        let project = self.project(question);
        let is_unchanged = question.quoted.iter().all(|f| still_there(&project, f));
        if !is_unchanged {
            return None;
        }
        let script = question.quoted.iter().find(|f| f.function == "<module>");
        let script = script.and_then(|f| project.file(f.path.as_str()));
        let eval = Eval::new(&project);
        let frames: Vec<(ModuleId, u32)> = question
            .frames
            .iter()
            .filter_map(|f| Some((project.file(f.path.as_str())?, f.line)))
            .collect();
        if is_unguarded {
            return start(&eval, &frames);
        }
        let wanted = wanted?;
        if frames.is_empty() {
            return None;
        }
        let stops = eval.stops(&frames);
        let sendings = eval.sendings(&stops, question.via);
        let verdict = walk_all(&eval, &sendings, &wanted, script, question)
            .or_else(|| by_name(&eval, &wanted))?;
        let plan = match verdict.certainty {
            Certainty::OneOf => Err("it is one of several".to_owned()),
            _ => change::plan(&eval, &verdict.suspects[0], question.via),
        };
        Some(with_change(&project, object(&project, &verdict), plan))
    }
}

/// Adds a plan in words, with the edits that carry it out, or why there is none.
fn with_change(project: &Project, object: Object, plan: Planned) -> Object {
    let plan = plan.and_then(|plan| {
        if parses(project, &plan) {
            Ok(plan)
        } else {
            Err("the file would not parse afterwards".to_owned())
        }
    });
    match plan {
        Ok(plan) => {
            let module = project.module(plan.module);
            let patch = Patch {
                path: module.path.clone(),
                shown: module.shown.clone(),
                of: Fingerprint::of(&module.text),
                edits: plan.edits,
            };
            let change = Change {
                text: plan.text,
                code: plan.code,
                patch: Some(patch),
            };
            Object {
                change: Some(change),
                ..object
            }
        }
        Err(why) => Object {
            refusal: Some(why),
            ..object
        },
    }
}

/// Returns the statement that starts processes outside of a main guard.
fn start(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Object> {
    let is_top = |(id, line): &&(ModuleId, u32)| eval.project.module(*id).def_at(*line) == 0;
    let tops: Vec<_> = frames.iter().filter(is_top).collect();
    let (id, line) = **tops.last()?;
    let mut found = change::unguarded(eval, id, line)?;
    // A guard in a module that the script imports would never be true.
    if tops.len() > 1 {
        found.plan = Err("it is in a module that the script imports".to_owned());
    }
    let module = eval.project.module(id);
    let line = module.line_of(found.at.start);
    let source = module.line(line).trim().to_owned();
    let object = Object {
        path: source.clone(),
        type_name: "outside of a main guard".to_owned(),
        file: module.shown.clone(),
        line,
        source,
        certainty: Certainty::Certain,
        others: Vec::new(),
        change: None,
        refusal: None,
    };
    Some(with_change(eval.project, object, found.plan))
}

impl Question {
    /// Returns a hash of all that the answer depends on.
    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        // An address differs from one object to the next.
        self.message.split(" at 0x").next().hash(&mut hasher);
        self.message.len().hash(&mut hasher);
        (self.is_result, self.is_unguarded).hash(&mut hasher);
        self.via.map(|via| via as u8).hash(&mut hasher);
        for frame in self.frames.iter().chain(&self.quoted) {
            (frame.path.as_str(), frame.line).hash(&mut hasher);
            (&frame.function, &frame.source).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn of(traceback: &Traceback, raised: usize, facts: &Facts) -> Option<Self> {
        let own = traceback.exceptions.get(raised)?;
        let user = facts.user_frame.as_ref()?;
        let all = traceback.exceptions.iter();
        let quoted: Vec<Frame> = all
            .flat_map(|r| &r.frames)
            .filter(|f| f.path.is_users())
            .cloned()
            .collect();
        let of = traceback
            .exceptions
            .iter()
            .rev()
            .find(|r| r.frames.contains(user));
        let frames = of
            .unwrap_or(own)
            .frames
            .iter()
            .filter(|f| f.path.is_users());
        let exception = own.type_name.clone().unwrap_or_default();
        let message = told(traceback, own);
        let in_worker = own.frames.iter().any(|f| {
            matches!(f.function.as_str(), "_sendback_result" | "_process_worker")
                || f.function == "worker"
                    && f.source
                        .as_deref()
                        .is_some_and(|s| s.contains("put((job, i,"))
        });
        let all_messages = traceback.exceptions.iter().flat_map(|r| &r.message);
        let is_result = in_worker
            || exception.ends_with("MaybeEncodingError")
            || all_messages
                .clone()
                .any(|m| m.contains("Error sending result"));
        let imports = own
            .frames
            .iter()
            .any(|f| f.function.starts_with("_fixup_main_from"));
        let is_unguarded = message.contains(BOOTSTRAPPING)
            || imports && message.contains("context has already been set");
        Some(Self {
            frames: frames.cloned().collect(),
            quoted,
            via: facts.via,
            is_result,
            is_unguarded,
            message,
        })
    }
}

/// Returns the message that names what could not be pickled: some exceptions only say that a task
/// could not be, and why is in the one before.
fn told(traceback: &Traceback, own: &Exception) -> String {
    let own = own.message.join("\n");
    if Wanted::read(&own).is_some() || own.contains(BOOTSTRAPPING) {
        return own;
    }
    let mut all = traceback.exceptions.iter().map(|r| r.message.join("\n"));
    all.find(|m| Wanted::read(m).is_some()).unwrap_or(own)
}

/// Walks over all that was sent.
fn walk_all(
    eval: &Eval,
    sendings: &[Sending],
    wanted: &Wanted,
    script: Option<ModuleId>,
    question: &Question,
) -> Option<Verdict> {
    let mut events = Vec::new();
    let is_exact = sendings.len() == 1 && sendings[0].is_exact && !eval.is_exhausted();
    for sending in sendings {
        let is_copy = question.via == Some(Via::Deepcopy);
        let pickler = if is_copy {
            Pickler::Copy
        } else {
            sending.pickler
        };
        let mut walk = Walk::new(eval, wanted, pickler, script);
        if question.is_result {
            if let Some((function, value)) = sending.task.as_ref().and_then(|t| eval.returned(t)) {
                walk.result(&function, &value);
            }
        } else {
            for part in &sending.parts {
                walk.part(part);
            }
        }
        events.extend(walk.events);
    }
    let is_named = matches!(wanted, Wanted::Named(_));
    decide(events, is_exact, is_named)
}

/// Finds a function, class or lambda by its name alone.
fn by_name(eval: &Eval, wanted: &Wanted) -> Option<Verdict> {
    let Wanted::Named(name) = wanted else {
        return None;
    };
    let mut suspects = Vec::new();
    for id in eval.project.ids() {
        let module = eval.project.module(id);
        for (number, def) in module.defs() {
            let is_local = def.qualname.contains("<locals>") || def.kind == syntax::Kind::Lambda;
            if is_local && plain_name(&def.qualname) == *name {
                suspects.push(Suspect {
                    path: def.name.to_string(),
                    of: walk::describe(def, &module.defs),
                    module: id,
                    at: def.head,
                    holder: None,
                    def: Some(DefId {
                        module: id,
                        def: number,
                    }),
                    is_sure: false,
                });
            }
        }
    }
    let is_one = suspects.len() == 1;
    // Lambdas at the top of a module all have one name.
    let is_lambda = name == "<lambda>";
    if suspects.is_empty() || suspects.len() > 3 {
        return None;
    }
    let certainty = match (is_one, is_lambda) {
        (true, false) => Certainty::Certain,
        (true, true) => Certainty::Likely,
        _ => Certainty::OneOf,
    };
    Some(Verdict {
        suspects,
        certainty,
    })
}

/// Puts a verdict into words.
fn object(project: &Project, verdict: &Verdict) -> Object {
    let certainty = verdict.certainty;
    let mut objects = verdict.suspects.iter().map(|suspect| {
        let module = project.module(suspect.module);
        let line = module.line_of(suspect.at.start);
        Object {
            path: suspect.path.clone(),
            type_name: suspect.of.clone(),
            file: module.shown.clone(),
            line,
            source: module.line(line).trim().to_owned(),
            certainty,
            others: Vec::new(),
            change: None,
            refusal: None,
        }
    });
    let mut first = objects.next().expect("a verdict names a suspect");
    first.others = objects.collect();
    first
}

/// Returns whether a file can still be parsed after a change.
fn parses(project: &Project, plan: &Plan) -> bool {
    let module = project.module(plan.module);
    let Some(new) = Edit::all(&module.text, &plan.edits) else {
        return false;
    };
    let parsed = parse::parse(module.path.clone(), module.shown.clone(), new);
    parsed.is_some_and(|m| !m.has_errors || module.has_errors)
}

/// Returns whether the line that a frame quotes is still in its file.
fn still_there(project: &Project, frame: &Frame) -> bool {
    let (Some(id), Some(source)) = (project.file(frame.path.as_str()), &frame.source) else {
        return true;
    };
    let module = project.module(id);
    let quoted = source.trim();
    let line = module.line(frame.line).trim();
    line == quoted || quoted.len() > 900 && line.starts_with(quoted)
}

/// Returns whether the user owns a folder.
#[cfg(unix)]
fn is_own(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid().as_raw();
    folder.parent().is_some()
        && std::fs::metadata(folder).is_ok_and(|m| m.is_dir() && m.uid() == own)
}

#[cfg(not(unix))]
fn is_own(folder: &Path) -> bool {
    folder.parent().is_some() && folder.is_dir()
}
