//! The program's own source: which object could not be sent, and where it is made.
//!
//! A traceback before Python 3.14 names a type, not an object. The [`Sources`] read the files of
//! its frames and what these import, follow the expression that was sent to all that pickling
//! takes of it, and tell which part is of that type. Nothing is imported or run.
//!
//! - [`question`]: what is asked of a failure, [`asked`]: for what, [`misfit`]: which arguments;
//!   [`mod@answer`]: the object, with its change; [`unpicklable`]: the search for what cannot be sent, [`dropped`]: silently;
//!   [`naming`]: what has a name in the source alone;
//! - [`files`]: which files may be read; [`project`]: the modules, as imports find them;
//! - [`parse`] makes [`syntax`] of them; [`eval`] and [`instance`] work out what a [`value`] is;
//! - [`wanted`]: what the message names; [`sent`]: what travels; [`walk`]: what in it fits;
//! - [`causes`]: what the source tells of other failures; [`change`]: what to write, with [`text`] and
//!   [`verbatim`];
//! - [`loggers`]: what loses a logger's level and handlers on its way;
//! - [`objects`]: what the objects of libraries hold; [`verdict`]: what is said of it;
//! - [`only`]: one item without a second.

mod answer;
mod asked;
mod attached;
mod causes;
mod change;
mod dropped;
mod effects;
mod eval;
mod files;
mod instance;
mod loggers;
mod misfit;
mod naming;
mod objects;
mod only;
mod parse;
mod project;
mod question;
mod sent;
mod syntax;
mod text;
mod unpicklable;
mod value;
mod verbatim;
mod verdict;
mod walk;
mod wanted;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::bug;
use crate::object::Object;
use crate::traceback::Traceback;
use crate::traceback::facts::Facts;

use answer::answer;
use files::Files;
pub use files::Root;
use project::Project;
use question::Question;

/// How long a stream waits for an answer, and how long reading and parsing may take of it.
const IN_STREAM: (Duration, Duration) = if cfg!(debug_assertions) {
    (Duration::from_secs(5), Duration::from_secs(2))
} else {
    (Duration::from_millis(200), Duration::from_millis(20))
};
/// The same where nothing waits but the one who asks.
const ASKED_FOR: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(2));
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
    /// How long an answer may take, and reading and parsing of it.
    patience: (Duration, Duration),
    /// A search that has not come back: the disk is slow.
    is_stuck: Arc<AtomicBool>,
    /// The last answers: a worker that fails at each batch asks the same each time.
    known: Arc<Mutex<HashMap<u64, Option<Object>>>>,
}

/// Nothing was answered in time.
#[derive(Debug, PartialEq, Eq)]
struct NoAnswer;

impl Sources {
    /// Reads source below these folders.
    pub fn new(roots: Vec<Root>, here: PathBuf) -> Self {
        Self {
            roots,
            here,
            with_script: false,
            patience: IN_STREAM,
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

    /// Lets an answer take its time: no stream waits for it.
    #[must_use]
    pub fn patient(self) -> Self {
        Self {
            patience: ASKED_FOR,
            ..self
        }
    }

    /// Returns the object that a failure speaks of; `None` if the source does not tell.
    ///
    /// It is looked for in a thread of its own, for at most a fifth of a second in a stream.
    pub fn object(&self, traceback: &Traceback, raised: usize, facts: &Facts) -> Option<Object> {
        let question = Question::of(traceback, raised, facts)?;
        if self.is_stuck.load(Ordering::Relaxed) {
            return None;
        }
        let key = question.key();
        if let Some(known) = self.known().get(&key) {
            return known.clone();
        }
        let sources = self.clone();
        let found = self.in_time(move || sources.search(&question)).ok()?;
        let mut known = self.known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, found.clone());
        found
    }

    /// Returns what a search finds, or that it takes too long or no thread can be had for it.
    fn in_time(
        &self,
        search: impl FnOnce() -> Option<Object> + Send + 'static,
    ) -> Result<Option<Object>, NoAnswer> {
        let (answer, answered) = mpsc::channel();
        let is_stuck = Arc::clone(&self.is_stuck);
        let search = move || {
            let found = bug::caught(search);
            let _ = answer.send(found.ok().flatten());
            is_stuck.store(false, Ordering::Relaxed);
        };
        let thread = thread::Builder::new()
            .name("source".to_owned())
            .stack_size(STACK);
        thread.spawn(search).map_err(|_| NoAnswer)?;
        if let Ok(found) = answered.recv_timeout(self.patience.0) {
            return Ok(found);
        }
        self.is_stuck.store(true, Ordering::Relaxed);
        // It may have come just then.
        if answered.try_recv().is_ok() {
            self.is_stuck.store(false, Ordering::Relaxed);
        }
        Err(NoAnswer)
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
        Project::new(Files::new(roots, self.here.clone()), self.patience.1)
    }

    fn search(&self, question: &Question) -> Option<Object> {
        bug::provoke("source", [&question.message]);
        answer(&self.project(question), question)
    }
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn a_search_that_hangs_holds_nothing_up() {
        let patience = (Duration::from_millis(1), Duration::ZERO);
        let sources = Sources {
            patience,
            ..Sources::new(Vec::new(), PathBuf::new())
        };
        let (release, held) = mpsc::channel::<()>();
        let hang = move || {
            let _ = held.recv();
            None
        };
        assert_eq!(sources.in_time(hang), Err(NoAnswer));
        assert!(sources.is_stuck.load(Ordering::Relaxed));
        drop(release);
        while sources.is_stuck.load(Ordering::Relaxed) {
            thread::yield_now();
        }
        let patience = (Duration::from_secs(60), Duration::ZERO);
        let sources = Sources {
            patience,
            ..sources
        };
        assert_eq!(sources.in_time(|| None), Ok(None));
    }

    /// What an attribute is made of knows `self`.
    #[test]
    fn a_search_frees_what_it_made() {
        let folder = std::env::temp_dir().join(format!("pickfix-freed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let text =
            "class Box:\n    def __init__(self):\n        self.again = [self]\nbox = Box()\n";
        std::fs::write(folder.join("box.py"), text).expect("a file");
        let root = Root {
            local: folder.clone(),
            recorded: None,
        };
        let files = Files::new(vec![root], folder.clone());
        let project = Project::new(files, Duration::from_secs(60));
        let module = project.file("box.py").expect("it is a module");
        let eval = eval::Eval::new(&project);
        let scope = eval.scope(value::DefId::top(module));
        let value::Value::Instance(instance) = eval.name(&Rc::from("box"), &scope, None) else {
            panic!("an instance");
        };
        assert_eq!(eval.attributes(&instance).len(), 1);
        let freed = Rc::downgrade(&instance);
        drop((instance, scope, eval));
        assert!(freed.upgrade().is_none());
        std::fs::remove_dir_all(&folder).expect("it is removed");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_of_somebody_else_is_not_the_users_own() {
        let folder = std::env::temp_dir().join(format!("pickfix-own-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        assert!(is_own(&folder));
        assert!(!is_own(Path::new("/")));
        if std::os::unix::fs::chown(&folder, Some(12345), None).is_ok() {
            assert!(!is_own(&folder));
        } else {
            eprintln!("SKIPPED: only root can give a folder to somebody else");
        }
        std::fs::remove_dir(&folder).expect("it is removed");
    }
}
