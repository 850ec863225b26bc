//! The part of an object that could not be sent, as the program's own source shows it.

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
    /// The other places, where it is one of several.
    pub others: Vec<Object>,
    /// What to change in the program's own words, where that is known.
    pub change: Option<Change>,
}

/// How sure it is that a place is the one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// Nothing else can be.
    Certain,
    /// It fits, but something else could not be made out.
    Likely,
    /// It is one of two or three.
    OneOf,
}

/// A change of the program, in its own names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What to do.
    pub text: String,
    /// Python to put there.
    pub code: String,
}

impl Certainty {
    /// Returns the name that JSON uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::OneOf => "one-of",
        }
    }
}
