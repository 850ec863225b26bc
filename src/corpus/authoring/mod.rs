//! What serves the authors of rules: is a rule well made, what does it say, how does a new one begin?

pub(crate) mod code;
pub(crate) mod lint;
pub(crate) mod page;
mod prose;
#[cfg(test)]
mod readme_tests;
pub(crate) mod scaffold;
pub(crate) mod verify;
pub(crate) mod words;
