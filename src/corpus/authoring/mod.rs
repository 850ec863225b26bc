//! What serves the authors of rules: is a rule well made, what does it say, how does a new one begin?

pub(crate) mod circumstance;
mod lint;
pub(crate) mod page;
pub(crate) mod scaffold;
pub(crate) mod verify;
