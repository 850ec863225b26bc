//! A record of several lines, of which one holds a line of a traceback.
//!
//! ```text
//!   "traceback": [                                 {
//!     "  File \"x.py\", line 1, in f\n",              "severity": "ERROR",
//!     "    g()\n",                                     "textPayload": "  File \"x.py\", line 1, in f",
//! ```
//! On the left one list holds them all, as notebooks keep them; on the right each has a record of its own, as
//! `gcloud`, `aws` and `jq` lay them out for people, in YAML too.

use super::Lanes;
use crate::traceback::grammar::cpython::{self, HEAD};
use crate::traceback::grammar::exception::bare_exception;
use crate::traceback::grammar::oneline::FILE;
use crate::traceback::line::record::{entry, member, stack_of_dask};
use crate::traceback::part::Part;

/// What holds the lines of a traceback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// The entries of a list.
    List,
    /// The member of this name, in one record of JSON after the other.
    Json(String),
    /// The same in YAML.
    Yaml(String),
}

/// What a line holds.
pub(super) enum Held {
    /// It is no part of such a record.
    Nothing,
    /// Lines, unescaped.
    Lines(String),
    /// The rest of the record.
    Rest,
}

impl Lanes {
    /// Returns whether the lines above are records that hold one line each.
    pub(super) fn is_in_record(&self) -> bool {
        matches!(self.holder, Some(Holder::Json(_) | Holder::Yaml(_)))
    }

    /// Returns what a line holds as part of a record of several lines.
    pub(super) fn held(&mut self, text: &str) -> Held {
        // Few lines begin as one of these does.
        let first = text.trim_start().bytes().next();
        if self.holder.is_none() && !matches!(first, Some(b'"' | b't' | b'm' | b'T')) {
            return Held::Nothing;
        }
        if self.is_in_record() || matches!(first, Some(b'"' | b't' | b'm')) {
            match self.held_by_member(text) {
                Held::Nothing => {}
                held => return held,
            }
        }
        let entry = entry(text);
        let is_held = entry.as_ref().is_some_and(|entry| {
            self.holder == Some(Holder::List) || starts(entry) && self.is_below_list()
        });
        self.holder = is_held.then_some(Holder::List);
        let lines = entry.filter(|_| is_held).or_else(|| stack_of_dask(text));
        lines.map_or(Held::Nothing, Held::Lines)
    }

    fn held_by_member(&mut self, text: &str) -> Held {
        let found = member(text).filter(|(_, value)| !value.contains('\n'));
        let is_rest = match &self.holder {
            Some(Holder::Json(own) | Holder::Yaml(own))
                if let Some((name, value)) = &found
                    && own == name =>
            {
                return Held::Lines(format!("{value}\n"));
            }
            Some(Holder::Json(_)) => is_of_json(text),
            Some(Holder::Yaml(_)) => is_of_yaml(text),
            _ => false,
        };
        if is_rest {
            return Held::Rest;
        }
        let Some((name, value)) = found.filter(|(name, value)| begins(name, value)) else {
            return Held::Nothing;
        };
        let is_json = text.trim_start().starts_with('"');
        let holder = if is_json { Holder::Json } else { Holder::Yaml };
        self.holder = Some(holder(name.to_owned()));
        Held::Lines(value)
    }

    /// Returns whether the lines above are the first ones of a list in JSON.
    fn is_below_list(&self) -> bool {
        let mut above = self.recent.iter().rev().map(|r| r.text.as_str());
        let first = above.find(|text| entry(text).is_none());
        // Ansible's `stderr_lines` are those of its `stderr`.
        let opens = |text: &str| text.ends_with(": [") && !text.ends_with("_lines\": [");
        first.is_some_and(|text| text.trim_start().starts_with('"') && opens(text))
    }
}

/// Returns whether a traceback starts with what is held, or may have lost its head.
fn starts(held: &str) -> bool {
    held.contains(HEAD) || held.trim_start().starts_with(FILE)
}

/// Returns whether a traceback begins with what a member holds: a head, a frame, or where the newest line comes
/// first a final line, if the name says that a program printed it.
fn begins(name: &str, value: &str) -> bool {
    let is_printed = || matches!(name, "textPayload" | "log" | "MESSAGE");
    match cpython::part(value) {
        Part::Head { .. } | Part::Frame(_) => true,
        Part::Text => is_printed() && bare_exception(value).is_some(),
        _ => false,
    }
}

/// Returns whether a line may be one of an object in JSON.
fn is_of_json(text: &str) -> bool {
    let inner = text.trim();
    inner.starts_with('"') || inner.bytes().all(|b| b"{}[], ".contains(&b))
}

/// Returns whether a line may be one of a record in YAML: `severity: ERROR`.
fn is_of_yaml(text: &str) -> bool {
    let inner = text.trim();
    let name = inner.split_once(": ").map(|(name, _)| name);
    let name = name.or_else(|| inner.strip_suffix(':')).unwrap_or_default();
    let is_in_name = |c: char| c.is_ascii_alphanumeric() || "_-./@".contains(c);
    let is_name = !name.is_empty() && name.chars().all(is_in_name);
    inner == "---" || is_name && bare_exception(inner).is_none()
}
