//! Whether two failures are the same one.
//!
//! The same are those of one rule with the same captures and the same user frame, in the same part
//! of what is read. Captures that vary by writer (a pid, a port) do not count, nor do addresses
//! inside the others.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::corpus::{Confidence, Failure};
use crate::traceback::Frame;

/// The captures that vary by writer, and the line of a library's source that wrote a message.
const VARYING: &[&str] = &[
    "pid", "pids", "worker", "rank", "port", "address", "size", "line",
];

/// What equal failures have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identity {
    /// A hash of the rule and the captures, or of the unknown exception's type.
    pub(super) what: u64,
    /// A hash of the rule alone, or of the unknown exception's type.
    pub(super) rule: u64,
    /// A hash of the user frame, if there is one.
    pub(super) frame: Option<u64>,
    /// Whether text may be missing, the user frame with it.
    damaged: bool,
}

impl Identity {
    pub(super) fn of(failure: &Failure, part: u32) -> Self {
        let mut what = DefaultHasher::new();
        part.hash(&mut what);
        let rule;
        if let Some(diagnosis) = &failure.diagnosis {
            diagnosis.rule.id.hash(&mut what);
            rule = what.clone();
            for (name, value) in &diagnosis.captures {
                if !VARYING.contains(&name.as_str()) {
                    name.hash(&mut what);
                    without_addresses(value).for_each(|part| part.hash(&mut what));
                }
            }
        } else {
            failure.exception.hash(&mut what);
            rule = what.clone();
        }
        let confidence = failure.diagnosis.as_ref().map(|d| d.confidence);
        let hash = |Frame {
                        path,
                        line,
                        function,
                        source: _,
                        around: _,
                        marked: _,
                    }: &Frame| {
            let mut frame = DefaultHasher::new();
            (path.as_str(), line, function).hash(&mut frame);
            frame.finish()
        };
        Self {
            what: what.finish(),
            rule: rule.finish(),
            frame: failure.facts.user_frame.as_ref().map(hash),
            damaged: confidence == Some(Confidence::Likely),
        }
    }

    /// Returns whether the two have the rule, the captures and the frame in common.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.what == other.what && self.frame == other.frame
    }

    /// Returns whether text of one of the two may be missing, so that they may be the same in spite of the
    /// frames: writers that mix their lines tear tracebacks apart.
    pub(super) fn is_torn(&self, other: &Self) -> bool {
        let torn =
            (self.damaged || other.damaged) && (self.frame.is_none() || other.frame.is_none());
        // The captures of a message that was cut may be missing too.
        let is_bare = |one: &Self| one.damaged && one.frame.is_none() && one.what == one.rule;
        let is_one =
            self.what == other.what || self.rule == other.rule && (is_bare(self) || is_bare(other));
        is_one && torn
    }

    /// Returns whether the two have the rule and the captures in common, but for those of a message that lost
    /// its end.
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        let has_none = |one: &Self| one.what == one.rule;
        self.what == other.what || self.rule == other.rule && (has_none(self) || has_none(other))
    }

    /// Returns what those may have in common that are the same though text is missing.
    pub(super) fn keys(&self) -> impl Iterator<Item = u64> {
        let rule = (self.rule != self.what).then_some(self.rule);
        std::iter::once(self.what).chain(rule)
    }
}

/// Returns the parts of a text between addresses such as `0x7f5b3c833480`.
fn without_addresses(text: &str) -> impl Iterator<Item = &str> {
    let mut parts = text.split("0x");
    let first = parts.next();
    first
        .into_iter()
        .chain(parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_hexdigit())))
}

#[cfg(test)]
mod tests {
    use super::without_addresses;

    #[test]
    fn addresses_do_not_count() {
        let parts = |text| without_addresses(text).collect::<Vec<_>>();
        let a = "<function train.<locals>.<lambda> at 0x7f5b3c833480>";
        let b = "<function train.<locals>.<lambda> at 0x55d1>";
        assert_eq!(parts(a), parts(b));
        assert_ne!(parts("0x1 a"), parts("0x1 b"));
    }
}
