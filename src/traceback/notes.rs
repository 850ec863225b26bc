//! The `when serializing …` notes of Python 3.14, read into the path of the object.
//!
//! The pickler adds a note for each level that it leaves, innermost first:
//!
//! ```text
//! TypeError: cannot pickle '_thread.lock' object
//! when serializing dict item '_lock'
//! when serializing Trainer state
//! when serializing Trainer object
//! when serializing tuple item 0
//! when serializing method reconstructor arguments
//! when serializing method object
//! when serializing dict item '_target'
//! when serializing multiprocessing.context.SpawnProcess state
//! when serializing multiprocessing.context.SpawnProcess object
//! ```
//!
//! Read from the end, that is `Trainer._lock`. The containers that the libraries wrap around the
//! user's object (process, task, batch) are told apart by type and frame in [`root`].

mod open_files;
mod probed;
mod root;
#[cfg(test)]
mod tests;

use super::{Exception, Traceback};
use crate::python_name::is_name;
pub use open_files::OpenFiles;
pub use probed::Probed;

/// What only who runs a program knows of its failures; its tracebacks get it as notes.
#[derive(Clone, Debug, Default)]
pub struct RunNotes {
    /// What the probe found, where it is loaded.
    pub probed: Option<Probed>,
    /// How many files the program may open.
    pub open_files: Option<OpenFiles>,
}

impl RunNotes {
    /// Adds the notes to the exceptions that they belong to.
    pub(crate) fn add_to(&self, traceback: &mut Traceback) {
        if let Some(probed) = &self.probed {
            probed.add_notes(traceback);
        }
        if let Some(open_files) = self.open_files {
            open_files.add_notes(traceback);
        }
    }
}

/// The way from the object that was sent down to the part that cannot be pickled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectPath {
    /// The steps from the outermost object inwards: `["process", "_target", "_lock"]`.
    pub steps: Vec<String>,
    /// The path as Python people write it: `dataset[0].cache_lock`.
    pub display: String,
    /// The type that the user can change and that holds the part, directly or further down:
    /// `Records`. If all types on the way belong to libraries, the one that holds the part.
    pub holder: Option<String>,
    /// The attribute of `holder` that leads to the part: `cache_lock`. `None` if `holder` belongs
    /// to a library, for then leaving the attribute out is nothing the user can do.
    pub attribute: Option<String>,
    /// How the object is reached, where that says more than `display`:
    /// `process → _target (bound method of Trainer) → _lock`.
    pub reached: Option<String>,
}

/// What each note begins with.
const SERIALIZING: &str = "when serializing ";
/// What each note begins with that the probe found, on a Python that adds none.
const PROBED: &str = "found by the probe: when serializing ";
/// More notes than this are a runaway recursion, whose middle the assembler has dropped.
const MAX_NOTES: usize = 150;
/// The longest display, in characters; the middle of a longer one is left out.
const MAX_DISPLAY: usize = 160;

/// The first part of the modules whose classes a user cannot change.
const LIBRARIES: &str = "\
    _io _thread _weakrefset asyncio builtins cloudpickle collections concurrent contextlib \
    contextvars ctypes dask datasets dill distributed functools h5py http io itertools joblib jax \
    keras lightning lightning_fabric lmdb logging loky multiprocess multiprocessing numpy pandas \
    pathlib PIL pyarrow pymongo pytorch_lightning queue random ray re redis requests scipy select \
    selectors sklearn socket sqlalchemy sqlite3 ssl subprocess tempfile tensorflow threading \
    tokenizers torch torchvision tqdm transformers types typing unittest urllib urllib3 wandb \
    weakref zipfile";

/// One note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Note<'a> {
    /// `tuple item 0`, `dict item 'key'`: the type of the container and the index or the key's repr.
    Item(&'a str, &'a str),
    /// `set element`.
    Element(&'a str),
    /// `T object`.
    Object(&'a str),
    /// `T state`: what `__getstate__` gave or the `__dict__`.
    State(&'a str),
    /// `T reconstructor arguments`: the second part of what `__reduce__` gave.
    Arguments(&'a str),
    /// `T __new__ arguments`: what `__getnewargs__` gave.
    NewArguments(&'a str),
    /// `T class`, `T reconstructor`, `T state setter`, with the last words.
    Part(&'a str, &'a str),
}

impl<'a> Note<'a> {
    /// Returns the type of the object that the note speaks of.
    fn of(self) -> &'a str {
        match self {
            Self::Item(of, _)
            | Self::Element(of)
            | Self::Object(of)
            | Self::State(of)
            | Self::Arguments(of)
            | Self::NewArguments(of)
            | Self::Part(of, _) => of,
        }
    }
}

/// Reads one note; `None` for a note of the user's own.
fn note(line: &str) -> Option<Note<'_>> {
    let line = line.trim_end();
    let prefixes = [SERIALIZING, PROBED];
    let told = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix));
    let (of, what) = told?.split_once(' ')?;
    Some(match what {
        "element" => Note::Element(of),
        "object" => Note::Object(of),
        "state" => Note::State(of),
        "reconstructor arguments" => Note::Arguments(of),
        "__new__ arguments" => Note::NewArguments(of),
        "class" | "reconstructor" | "state setter" => Note::Part(of, what),
        _ => Note::Item(of, what.strip_prefix("item ")?),
    })
}

impl ObjectPath {
    /// Reads the path out of an exception's notes; `None` where there are none of 3.14's.
    pub fn read(exception: &Exception) -> Option<Self> {
        if exception.notes.len() > MAX_NOTES {
            return None;
        }
        let notes: Vec<Note> = exception
            .notes
            .iter()
            .rev()
            .filter_map(|line| note(line))
            .collect();
        if notes.is_empty() {
            return None;
        }
        let mut walk = NoteWalk {
            notes: &notes,
            ..NoteWalk::default()
        };
        walk.root(&exception.frames);
        while let Some(note) = walk.next() {
            walk.step(note);
        }
        Some(walk.path())
    }
}

/// A walk along the notes from the outermost one inwards.
#[derive(Default)]
struct NoteWalk<'a> {
    notes: &'a [Note<'a>],
    at: usize,
    steps: Vec<String>,
    display: String,
    reached: Vec<String>,
    /// Whether `reached` says more than `display`.
    winding: bool,
    /// The innermost type with a state, and the innermost one of the user with its attribute.
    holder: Option<&'a str>,
    own: Option<(&'a str, Option<String>)>,
}

impl<'a> NoteWalk<'a> {
    fn peek(&self, ahead: usize) -> Option<Note<'a>> {
        self.notes.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<Note<'a>> {
        let note = self.peek(0)?;
        self.at += 1;
        Some(note)
    }

    /// Takes the next note if it is an item of a tuple, and gives its index.
    fn tuple_item(&mut self) -> Option<&'a str> {
        match self.peek(0) {
            Some(Note::Item("tuple", index)) => {
                self.at += 1;
                Some(index)
            }
            _ => None,
        }
    }

    /// Goes one step down: `step` names it alone, `suffix` is what the display gains.
    fn down(&mut self, step: &str, suffix: &str) {
        self.steps.push(step.to_owned());
        match self.reached.last_mut() {
            Some(last) if step.starts_with('[') && !last.ends_with(')') => last.push_str(step),
            _ => self.reached.push(step.to_owned()),
        }
        self.display.push_str(suffix);
    }

    fn attribute(&mut self, name: &str) {
        self.down(name, &format!(".{name}"));
    }

    fn index(&mut self, key: &str) {
        let key = format!("[{}]", shorten(key, 60));
        self.down(&key, &key);
    }

    fn step(&mut self, note: Note<'a>) {
        match note {
            Note::Item(_, key) => self.index(key),
            Note::Element(_) => self.index("…"),
            Note::Object("method" | "builtin_function_or_method") => self.bound_method(),
            Note::Object(_) => {}
            Note::State(of) => self.state(of),
            Note::Arguments(of) => self.arguments(of),
            Note::NewArguments(_) => {
                if let Some(index) = self.tuple_item() {
                    let step = format!("__getnewargs__()[{index}]");
                    self.attribute(&step);
                }
            }
            Note::Part(of, what) => {
                self.winding = true;
                self.reached.push(format!("{what} of {}", short(of)));
            }
        }
    }

    /// Goes from an object to what its state holds: an attribute, as a rule.
    fn state(&mut self, of: &'a str) {
        self.holder = Some(of);
        // The state of a class with `__slots__` is a pair of dictionaries.
        let ahead = match (self.peek(0), self.peek(1)) {
            (Some(Note::Item("dict", key)), _) => Some((1, key)),
            (Some(Note::Item("tuple", "0" | "1")), Some(Note::Item("dict", key))) => Some((2, key)),
            _ => None,
        };
        if let Some((taken, key)) = ahead {
            self.at += taken;
            let name = identifier(key);
            if is_users(of) {
                self.own = Some((of, name.map(str::to_owned)));
            }
            match name {
                Some(name) => self.attribute(name),
                None => self.index(key),
            }
        } else if let Some(index) = self.tuple_item() {
            match (of, index) {
                ("functools.partial", "0" | "1" | "2") => self.partial(index),
                _ => self.attribute(&format!("__getstate__()[{index}]")),
            }
        }
    }

    /// Goes from an object to one of the arguments that it is made from.
    fn arguments(&mut self, of: &'a str) {
        let Some(index) = self.tuple_item() else {
            return;
        };
        match (short(of), index) {
            ("partial", "0" | "1" | "2") => self.partial(index),
            ("cell", "0") => self.attribute("cell_contents"),
            ("defaultdict", "0") => self.attribute("default_factory"),
            ("_ExceptionWithTraceback", "0") => {}
            ("BatchedCalls", "0") => self.joblib_batch(),
            (name, _) if name.ends_with("Error") || name.ends_with("Exception") => {
                self.attribute(&format!("args[{index}]"));
            }
            _ => self.attribute(&format!("__reduce__()[1][{index}]")),
        }
    }

    fn partial(&mut self, index: &str) {
        self.remark("a partial");
        match index {
            "0" => self.attribute("func"),
            "1" => self.attribute("args"),
            _ => self.attribute("keywords"),
        }
    }

    /// Goes from a bound method to its object, whose type then begins the display.
    fn bound_method(&mut self) {
        if !matches!(self.peek(0), Some(Note::Arguments(_)))
            || !matches!(self.peek(1), Some(Note::Item("tuple", "0")))
        {
            return;
        }
        self.at += 2;
        if let Some(Note::Object(of) | Note::Item(of, _)) = self.peek(0) {
            self.remark(&format!("bound method of {}", short(of)));
            self.display = short(of).to_owned();
        } else {
            self.remark("bound method");
            self.display.push_str(".__self__");
        }
    }

    /// Puts a remark behind the last step: `_target (bound method of Trainer)`.
    fn remark(&mut self, remark: &str) {
        self.winding = true;
        match self.reached.last_mut() {
            Some(last) => *last = format!("{last} ({remark})"),
            None => self.reached.push(remark.to_owned()),
        }
    }

    fn path(self) -> ObjectPath {
        let (holder, attribute) = match self.own {
            Some((of, attribute)) => (Some(of), attribute),
            None => (self.holder, None),
        };
        let reached = self
            .winding
            .then(|| shorten(&self.reached.join(" → "), 2 * MAX_DISPLAY));
        ObjectPath {
            steps: self.steps,
            display: shorten(&self.display, MAX_DISPLAY),
            holder: holder.map(|of| shorten(of, 80)),
            attribute,
            reached,
        }
    }
}

/// Returns whether a type (`Records`, `mymodule.Records`) is the user's own.
fn is_users(of: &str) -> bool {
    of.split_once('.')
        .is_none_or(|(module, _)| LIBRARIES.split(' ').all(|name| name != module))
}

/// Returns the last part of a type's name: `Record` of `main.<locals>.Record`.
fn short(of: &str) -> &str {
    of.rsplit('.').next().unwrap_or(of)
}

/// Returns the identifier in the repr of a key: `lock` of `'lock'`.
fn identifier(key: &str) -> Option<&str> {
    let name = key.strip_prefix('\'')?.strip_suffix('\'')?;
    is_name(name).then_some(name)
}

/// Leaves out the middle of a text of more than `max` characters.
fn shorten(text: &str, max: usize) -> String {
    let count = text.chars().count();
    if count <= max {
        return text.to_owned();
    }
    let half = max / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}…{tail}")
}
