//! What is asked of the source: a failure, in so far as the program tells more of it.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::traceback::facts::{Facts, Platform, StartMethod, Via};
use crate::traceback::{Exception, Frame, Traceback};

use super::asked::{Asked, BOOTSTRAPPING};
use super::wanted::Wanted;

/// A failure with its frames.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) asked: Asked,
    pub(super) message: String,
    /// The user frames of the exception that the user can do something about.
    pub(super) frames: Vec<Frame>,
    /// All user frames, of outer exceptions too.
    pub(super) quoted: Vec<Frame>,
    /// The user frames of the parent, from the script on; empty where a worker's alone are told.
    pub(super) outer: Vec<Frame>,
    pub(super) via: Option<Via>,
    /// The version of Python, where the text tells it.
    pub(super) python: Option<(u8, u8)>,
    pub(super) is_result: bool,
    /// The exceptions that it was raised in handling of, by name.
    pub(super) handled: Vec<String>,
    /// Whether the text tells that workers are new processes, no copies.
    pub(super) is_spawned: bool,
}

impl Question {
    /// Returns what a failure asks; `None` if the source can tell nothing of it.
    pub(super) fn of(traceback: &Traceback, exception: usize, facts: &Facts) -> Option<Self> {
        let own = traceback.exceptions.get(exception)?;
        let user = |frames: &[Frame]| -> Vec<Frame> {
            let own = frames.iter().filter(|f| f.path.is_users());
            own.cloned().collect()
        };
        let all = traceback.exceptions.iter();
        let quoted = all.clone().flat_map(|e| user(&e.frames)).collect();
        let at = facts.user_frame.as_ref();
        let of = at.and_then(|at| all.clone().rev().find(|e| e.frames.contains(at)));
        let from_script = |frames: &Vec<Frame>| frames.iter().any(|f| f.function == "<module>");
        let mut outer = all.clone().rev().map(|e| user(&e.frames));
        let outer = outer.find(from_script);
        let message = told(traceback, own);
        let asked = Asked::read(own, &message)?;
        Some(Self {
            asked,
            frames: user(&of.unwrap_or(own).frames),
            quoted,
            outer: outer.unwrap_or_default(),
            via: facts.via,
            python: facts.python,
            is_result: is_result(traceback, own),
            handled: all
                .filter(|e| *e != own)
                .filter_map(|e| e.type_name.clone())
                .collect(),
            is_spawned: is_spawned(facts),
            message,
        })
    }

    /// Returns a hash of all that the answer depends on.
    pub(super) fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        // An address differs from one object to the next.
        self.message.split(" at 0x").next().hash(&mut hasher);
        self.message.len().hash(&mut hasher);
        (self.is_result, self.is_spawned).hash(&mut hasher);
        self.handled.hash(&mut hasher);
        self.python.hash(&mut hasher);
        self.via.map(|via| via as u8).hash(&mut hasher);
        for frame in self.frames.iter().chain(&self.quoted) {
            (frame.path.as_str(), frame.line).hash(&mut hasher);
            (&frame.function, &frame.source).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// Returns whether the facts tell that workers are new processes.
fn is_spawned(facts: &Facts) -> bool {
    let starts_new = matches!(
        facts.start_method,
        Some(StartMethod::Spawn | StartMethod::Forkserver)
    );
    let by_default = matches!(facts.platform, Some(Platform::Windows | Platform::Macos));
    // The default of Linux from then on.
    starts_new || by_default || facts.python.is_some_and(|version| version >= (3, 14))
}

/// Returns whether it is a task's result that could not be sent.
fn is_result(traceback: &Traceback, own: &Exception) -> bool {
    let puts_result = |f: &Frame| {
        let source = f.source.as_deref().unwrap_or_default();
        f.function == "worker" && source.contains("put((job, i,")
    };
    let name = own.type_name.as_deref().unwrap_or_default();
    let in_worker = own.frames.iter().any(|f| {
        matches!(f.function.as_str(), "_sendback_result" | "_process_worker") || puts_result(f)
    });
    let mut messages = traceback.exceptions.iter().flat_map(|e| &e.message);
    in_worker
        || name.ends_with("MaybeEncodingError")
        || messages.any(|m| m.contains("Error sending result"))
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
