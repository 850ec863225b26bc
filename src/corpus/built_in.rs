//! The rules that ship with the program, as `build.rs` found them.

#![allow(clippy::unreadable_literal, reason = "`build.rs` writes it")]

use std::borrow::Cow;

use super::rule::index::{Key, RuleEntry, Strings, Subject};
use super::rule::lookup::{Literals, Lookup, Rows};
use super::rule::portion::{Portion, Stored};
use super::rule::words::Words;

/// All texts of the rules: what a run reads of most, words and literals, stands together at the end.
pub(super) static TEXTS: &str = include_str!(concat!(env!("OUT_DIR"), "/corpus_texts.txt"));

include!(concat!(env!("OUT_DIR"), "/corpus_index.rs"));

const fn at<T: Stored + ?Sized>(start: u32, end: u32) -> Portion<T> {
    Portion::BuiltIn { start, end }
}
