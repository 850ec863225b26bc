//! Texts and lists of the index: those of built-in rules as places in what the program holds of all.
//!
//! A reference to each would be set at every start of the program, wherever the system loads it to.

use std::ops::Deref;

use super::index::Key;
use crate::corpus::built_in;

/// A text or a list of one rule.
#[derive(Debug)]
pub(crate) enum Portion<T: Stored + ?Sized> {
    /// Where it stands among those of all built-in rules, `start` inclusive, `end` exclusive: bytes of
    /// texts, elements of lists.
    BuiltIn { start: u32, end: u32 },
    /// That of a user's rule, or of one that is being built in.
    Own(Box<T>),
}

/// A text of one rule.
pub(crate) type Text = Portion<str>;

/// What the program holds of all built-in rules.
pub(crate) trait Stored: 'static {
    /// Returns the part of it that one rule has.
    fn built_in(start: usize, end: usize) -> &'static Self;
}

impl Stored for str {
    fn built_in(start: usize, end: usize) -> &'static Self {
        &built_in::TEXTS[start..end]
    }
}

impl Stored for [Key] {
    fn built_in(start: usize, end: usize) -> &'static Self {
        &built_in::KEYS[start..end]
    }
}

impl<T: Stored + ?Sized> Deref for Portion<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match self {
            Self::BuiltIn { start, end } => T::built_in(*start as usize, *end as usize),
            Self::Own(own) => own,
        }
    }
}

impl<T: Stored + PartialEq + ?Sized> PartialEq for Portion<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Stored + Eq + ?Sized> Eq for Portion<T> {}

impl<T: Stored + ?Sized> Portion<T> {
    /// Returns one that stands by itself.
    pub(crate) fn own(own: impl Into<Box<T>>) -> Self {
        Self::Own(own.into())
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::BuiltIn { start: 0, end: 0 }
    }
}
