//! What a traceback says about its circumstances, read once.
//!
//! - [`frames`]: what its frames show, in one pass; [`sender`]: how an object was being sent;
//! - [`writer`]: which process wrote it, and whether that ended it.
//!
//! The names of the facts and the words for their values are here, in the one table that rules, texts
//! and JSON ask. `corpus/README.md` and `schema/incident.schema.json` are held to it by tests.

mod frames;
mod sender;
mod writer;

use super::{Exception, Frame, Traceback};
use frames::{Shown, user_frame};
use sender::innermost;
use writer::{ended_process, pid, rank, worker};

/// What the text says about the circumstances; `None` where it does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// How the object was being sent.
    pub via: Option<Via>,
    /// How processes are started.
    pub start_method: Option<StartMethod>,
    /// The operating system.
    pub platform: Option<Platform>,
    /// Python's version, major and minor.
    pub python: Option<(u8, u8)>,
    /// The rank that wrote it.
    pub rank: Option<u32>,
    /// The number of the DataLoader or pool worker.
    pub worker: Option<u32>,
    /// The process that wrote it.
    pub pid: Option<u32>,
    /// Whether code ran in a notebook (a kernel's cell).
    pub notebook: bool,
    /// Whether it is the failure of a process, not of a thread, a log call or a handler.
    pub ended_process: bool,
    /// The frame that the user can change.
    pub user_frame: Option<super::Frame>,
    /// The frames of the exception, innermost first; of a deep stack the nearest.
    pub stack: FramePlaces,
}

/// The frames of an exception, each as a hash of its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FramePlaces(Vec<u64>);

/// How many frames of an exception are kept as its stack.
const MOST_OF_STACK: usize = 48;

impl FramePlaces {
    fn of(exception: &Exception) -> Self {
        let innermost = exception.frames.iter().rev().take(MOST_OF_STACK);
        Self(innermost.map(place).collect())
    }

    /// Returns whether one of its frames is in the other, too.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        self.0.iter().any(|place| other.0.contains(place))
    }

    /// Returns whether it holds no frame.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether all of its frames are in the other, too; of a deep stack nobody knows.
    pub(crate) fn is_part_of(&self, other: &Self) -> bool {
        let is_whole = |stack: &Self| stack.0.len() < MOST_OF_STACK;
        is_whole(self) && is_whole(other) && self.0.iter().all(|place| other.0.contains(place))
    }
}

impl Facts {
    /// Reads the facts out of a traceback; `raised` is the exception that is diagnosed.
    pub fn read(traceback: &Traceback, raised: usize) -> Self {
        let own = traceback.exceptions.get(raised);
        let shown = Shown::by(traceback);
        Self {
            via: own.and_then(innermost).or(shown.via),
            start_method: shown.start_method,
            platform: shown.platform,
            python: shown.python,
            rank: rank(traceback),
            worker: worker(traceback),
            pid: pid(traceback),
            notebook: shown.notebook,
            ended_process: ended_process(traceback),
            user_frame: user_frame(traceback, raised).cloned(),
            stack: own.map(FramePlaces::of).unwrap_or_default(),
        }
    }
}

/// Returns what tells a frame from the others of a log: its line, and the ends of its names. To hash all
/// of them costs more than the rest of the facts.
fn place(frame: &Frame) -> u64 {
    let (path, function) = (frame.path.as_str().as_bytes(), frame.function.as_bytes());
    let end = |text: &[u8]| text.last_chunk().map_or(0, |end| u64::from_le_bytes(*end));
    let lens = [path.len() as u64, function.len() as u64];
    [end(path), end(function), lens[0], lens[1]]
        .into_iter()
        .fold(u64::from(frame.line), |hash, part| {
            (hash ^ part)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(29)
        })
}

/// A fact, as it is asked for and told of.
#[derive(Debug)]
pub struct Fact {
    /// Its name in rules, texts and JSON.
    pub name: &'static str,
    /// What kind of thing it is.
    pub kind: FactKind,
}

/// What kind of thing a fact is, with the phrase that asks for it.
#[derive(Debug)]
pub enum FactKind {
    /// One of several words: `sent by {}`.
    Word(&'static str, &'static [Word]),
    /// A version, major and minor: `on Python {}`.
    Version(&'static str),
    /// A number, by its noun: `rank`.
    Number(&'static str),
    /// Something that is so or is not: the phrases for both.
    Flag(&'static str, &'static str),
    /// A frame, by its noun.
    Frame(&'static str),
}

/// A value of a fact in words.
#[derive(Debug)]
pub struct Word {
    /// As rules and JSON write it: `dataloader`.
    pub name: &'static str,
    /// As people do: `DataLoader`.
    pub spelling: &'static str,
    /// In a sentence, code in back quotes: `a DataLoader`.
    pub phrase: &'static str,
}

/// What is known of a fact.
#[derive(Clone, Copy, Debug)]
pub enum FactValue<'a> {
    /// One of its words.
    Word(Option<&'static Word>),
    /// A version, major and minor.
    Version(Option<(u8, u8)>),
    /// A number.
    Number(Option<u32>),
    /// Whether it is so.
    Flag(bool),
    /// A frame.
    Frame(Option<&'a Frame>),
}

/// The number of facts.
const COUNT: usize = 10;

impl Facts {
    /// Returns all facts, each with what is known of it, in the order in which they are told.
    pub fn list(&self) -> impl Iterator<Item = (&'static Fact, FactValue<'_>)> {
        FACTS.iter().zip(self.values())
    }

    /// Returns what is known of each fact, in the order of [`FACTS`].
    pub fn values(&self) -> [FactValue<'_>; COUNT] {
        // Without `..`: a fact that is forgotten here does not compile.
        let Self {
            via,
            start_method,
            platform,
            python,
            rank,
            worker,
            pid,
            notebook,
            ended_process,
            user_frame,
            // It is compared, not told.
            stack: _,
        } = self;
        [
            FactValue::Word(via.map(Via::word)),
            FactValue::Word(start_method.map(StartMethod::word)),
            FactValue::Word(platform.map(Platform::word)),
            FactValue::Version(*python),
            FactValue::Number(*rank),
            FactValue::Number(*worker),
            FactValue::Number(*pid),
            FactValue::Flag(*notebook),
            FactValue::Flag(*ended_process),
            FactValue::Frame(user_frame.as_ref()),
        ]
    }
}

/// The facts, in the order of [`Facts::values`].
pub const FACTS: &[Fact; COUNT] = &[
    Fact {
        name: "via",
        kind: FactKind::Word("sent by {}", Via::WORDS),
    },
    Fact {
        name: "start_method",
        kind: FactKind::Word("under {}", StartMethod::WORDS),
    },
    Fact {
        name: "platform",
        kind: FactKind::Word("on {}", Platform::WORDS),
    },
    Fact {
        name: "python",
        kind: FactKind::Version("on Python {}"),
    },
    Fact {
        name: "rank",
        kind: FactKind::Number("rank"),
    },
    Fact {
        name: "worker",
        kind: FactKind::Number("worker"),
    },
    Fact {
        name: "pid",
        kind: FactKind::Number("process id"),
    },
    Fact {
        name: "notebook",
        kind: FactKind::Flag("in a notebook", "outside notebooks"),
    },
    Fact {
        name: "ended_process",
        kind: FactKind::Flag("it ended its process", "its process went on"),
    },
    Fact {
        name: "user_frame",
        kind: FactKind::Frame("line of your code"),
    },
];

/// Makes an enum of the values of a fact, each with its words.
macro_rules! words {
    ($(#[$doc:meta])* $of:ident: $($value:ident = $name:literal, $spelling:literal, $phrase:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $of {
            $(
                #[doc = $phrase]
                $value
            ),*
        }

        impl $of {
            /// The words for all values.
            pub const WORDS: &'static [Word] = &[
                $(Word { name: $name, spelling: $spelling, phrase: $phrase }),*
            ];

            /// Returns the value of a name in JSON.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$value),)*
                    _ => None,
                }
            }

            /// Returns the words for it.
            pub const fn word(self) -> &'static Word {
                &Self::WORDS[self as usize]
            }
        }
    };
}

words! {
    #[expect(clippy::doc_markdown, reason = "a phrase for people, as it is printed")]
    /// How an object was being sent when the failure struck, outermost first.
    Via:
    DataLoader = "dataloader", "DataLoader", "a DataLoader";
    Pool = "pool", "Pool", "a Pool";
    Executor = "executor", "ProcessPoolExecutor", "a ProcessPoolExecutor";
    Joblib = "joblib", "joblib", "joblib";
    Ray = "ray", "Ray", "Ray";
    Dask = "dask", "Dask", "Dask";
    Spark = "spark", "Spark", "Spark";
    Datasets = "datasets", "datasets", "Hugging Face datasets";
    Manager = "manager", "Manager", "a Manager";
    Queue = "queue", "Queue", "a multiprocessing queue";
    Process = "process", "Process", "starting a Process";
    Dump = "dump", "pickle", "pickle itself";
    Deepcopy = "deepcopy", "deepcopy", "copy.deepcopy";
}

words! {
    /// How a child process was started; of two that a traceback shows, the greater one counts.
    StartMethod:
    Fork = "fork", "fork", "`fork`";
    Spawn = "spawn", "spawn", "`spawn`";
    Forkserver = "forkserver", "forkserver", "`forkserver`";
}

words! {
    /// The operating system that the paths and frames show.
    Platform:
    Linux = "linux", "Linux", "Linux";
    Macos = "macos", "macOS", "macOS";
    Windows = "windows", "Windows", "Windows";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fact_has_a_value_of_its_kind_and_its_own() {
        let facts = Facts {
            rank: Some(1),
            worker: Some(2),
            pid: Some(3),
            notebook: true,
            ..Facts::default()
        };
        for (fact, value) in facts.list() {
            let is_its_own = match (&fact.kind, value) {
                (FactKind::Word(..), FactValue::Word(None))
                | (FactKind::Version(_), FactValue::Version(None))
                | (FactKind::Frame(_), FactValue::Frame(None)) => true,
                (FactKind::Number(_), FactValue::Number(number)) => {
                    let at = ["rank", "worker", "pid"]
                        .iter()
                        .position(|n| *n == fact.name);
                    number.map(|n| n as usize) == at.map(|at| at + 1)
                }
                (FactKind::Flag(..), FactValue::Flag(is)) => is == (fact.name == "notebook"),
                _ => false,
            };
            assert!(is_its_own, "{}", fact.name);
        }
    }
}
