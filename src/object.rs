//! The part of an object that could not be sent, as the program's own source shows it.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::named::named;

/// A place in the program's source that holds what the message speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The way to it, as the reader would write it: `dataset.cache_lock`.
    pub path: String,
    /// What it is: `threading.RLock`, `a lambda`.
    pub type_name: String,
    /// The file, from the current folder on where it is below that.
    pub file: String,
    /// The line, 1-based.
    pub line: u32,
    /// The source line, without indentation.
    pub source: String,
    /// How sure it is.
    pub certainty: Certainty,
    /// The attribute that it is, where it is one.
    pub attribute: Option<Attribute>,
    /// The other places, where it is one of several.
    pub others: Vec<Object>,
    /// What to change in the program's own words, where that is known.
    pub change: Option<Change>,
    /// Why no change of the program can be written, where that is known.
    pub refusal: Option<String>,
}

/// How a refusal begins that tells what the function itself does.
const TOLD: [&str; 4] = ["it uses ", "it changes ", "it calls ", "each task "];

impl Object {
    /// Returns why no change of the program can be written, where that is known.
    pub fn why_not(&self) -> Option<String> {
        let is_shown = self.change.as_ref().is_some_and(|c| c.patch.is_none());
        let shown = || "the report shows what to write; where is for its author to say".to_owned();
        self.refusal.clone().or_else(|| is_shown.then(shown))
    }

    /// Returns why a function has to be moved by hand, where nothing else is told of it.
    pub fn why_by_hand(&self) -> Option<&str> {
        let is_function = self.type_name == "a lambda" || self.type_name.starts_with("a function ");
        let is_told = |why: &&str| TOLD.iter().any(|start| why.starts_with(start));
        let why = self.refusal.as_deref().filter(is_told);
        why.filter(|_| is_function && self.change.is_none() && self.others.is_empty())
    }
}

/// An attribute of a class of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The class.
    pub class: String,
    /// Its name.
    pub name: String,
}

named! {
    /// How sure it is that a place is the one, as JSON writes it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Certainty {
        /// Nothing else can be.
        Certain = "certain",
        /// It fits, but something else could not be made out.
        Likely = "likely",
        /// It is one of two or three.
        OneOf = "one-of",
    }
}

/// A change of the program, in its own names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What to do.
    pub text: String,
    /// Python to put there.
    pub code: String,
    /// The file as it is and as it would be, where the change can be written.
    pub patch: Option<Patch>,
}

impl Change {
    /// Returns a change that is for the reader to make.
    pub(crate) fn new(text: String, code: String) -> Self {
        Self {
            text,
            code,
            patch: None,
        }
    }
}

/// A change of a file; the file of the last run holds it so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patch {
    /// The file on this machine.
    pub path: PathBuf,
    /// Its name as a reader knows it.
    pub shown: String,
    /// The length and a hash of the text that the edits belong to.
    #[serde(flatten)]
    pub of: Fingerprint,
    /// The edits, in order; they do not overlap.
    pub edits: Vec<Edit>,
}

/// What tells whether a text has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Its length in bytes.
    pub length: u64,
    /// FNV-1a, 64 bits.
    pub hash: u64,
}

/// A stretch of a file that is replaced; written as `[0, 1, "y"]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "(usize, usize, String)")]
pub struct Edit {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
    /// What comes there.
    pub text: String,
}

impl From<Edit> for (usize, usize, String) {
    fn from(Edit { start, end, text }: Edit) -> Self {
        (start, end, text)
    }
}

impl Fingerprint {
    /// Returns that of a text.
    pub fn of(text: &str) -> Self {
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self {
            length: text.len() as u64,
            hash,
        }
    }
}

impl Edit {
    /// Returns the edit that puts a text in place of another.
    pub(crate) fn replace(range: impl Into<Range<usize>>, text: impl Into<String>) -> Self {
        let Range { start, end } = range.into();
        let text = text.into();
        Self { start, end, text }
    }

    /// Returns whether it imports what another edit uses.
    pub(crate) fn is_import(&self) -> bool {
        self.text.starts_with("import ")
    }

    /// Returns the edit that adds a text.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }

    /// Adds edits to others, each once.
    pub(crate) fn add(all: &mut Vec<Self>, new: impl IntoIterator<Item = Self>) {
        for edit in new {
            if !all.contains(&edit) {
                all.push(edit);
            }
        }
    }

    /// Returns a text with edits made, which are in order and do not overlap; `None` if they do not
    /// belong to it.
    pub fn all(text: &str, edits: &[Self]) -> Option<String> {
        let mut new = String::new();
        let mut at = 0;
        for edit in edits {
            new.push_str(text.get(at..edit.start)?);
            new.push_str(&edit.text);
            at = edit.end;
        }
        new.push_str(text.get(at..)?);
        Some(new)
    }
}
