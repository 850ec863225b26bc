//! What is wrong with a rule file, and where.

use std::fmt;

/// What is wrong, with the byte offset where it stands.
pub(crate) type Fault = (usize, String);

/// A fault of a rule file, or of a file of settings: its place and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleError {
    /// The file, as it was named.
    pub file: String,
    /// The line, 1-based.
    pub line: usize,
    /// The column in characters, 1-based.
    pub column: usize,
    /// What is wrong and what is valid: a lower-case fragment without a stop.
    pub message: String,
}

impl RuleError {
    /// Makes an error that stands at a byte offset of the file's text.
    pub fn at(file: &str, text: &str, offset: usize, message: impl Into<String>) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Self {
            file: file.to_string(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }

    /// Returns it as a line that says it is no fault: `file:line:column: warning: message`.
    pub fn as_warning(&self) -> String {
        let message = format!("warning: {}", self.message);
        Self {
            message,
            ..self.clone()
        }
        .to_string()
    }
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}: {}",
            self.file, self.line, self.column, self.message
        )
    }
}

impl std::error::Error for RuleError {}

/// Returns the candidate that was probably meant, if one is near enough.
pub(crate) fn nearest<'a>(
    typed: &str,
    valid: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let limit = (typed.chars().count() / 3).max(1);
    valid
        .into_iter()
        .map(|v| (strsim::osa_distance(typed, v), v))
        .filter(|(d, v)| *d <= limit || (typed.len() >= 4 && v.contains(typed)))
        .min_by_key(|(d, _)| *d)
        .map(|(_, v)| v)
}

/// Says that a word is unknown, `what` it is, and which one was probably meant or which are valid.
pub(crate) fn unknown(what: &str, typed: &str, valid: &[&str]) -> String {
    match nearest(typed, valid.iter().copied()) {
        Some(meant) => format!("unknown {what} \"{typed}\", did you mean \"{meant}\"?"),
        None => format!(
            "unknown {what} \"{typed}\", expected one of: {}",
            valid.join(", ")
        ),
    }
}

/// Returns whether one slip makes a word of another: a letter too many, too few, wrong, or two swapped.
pub(crate) fn is_slip(typed: &str, meant: &str) -> bool {
    typed.len().abs_diff(meant.len()) <= 4 && strsim::osa_distance(typed, meant) == 1
}

/// Puts serde's words into ours: a *key*, with the one that was probably meant.
pub(super) fn words_of_toml(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    if message.starts_with("unknown field") {
        let typed = quoted.next().unwrap_or_default();
        let valid: Vec<&str> = quoted.collect();
        return unknown("key", typed, &valid);
    }
    if message.starts_with("unknown variant") {
        let typed = quoted.next().unwrap_or_default();
        let valid: Vec<&str> = quoted.collect();
        return format!(
            "unknown value \"{typed}\", expected one of: {}",
            valid.join(", ")
        );
    }
    if message.starts_with("missing field") {
        return format!(
            "the key \"{}\" is missing",
            quoted.next().unwrap_or_default()
        );
    }
    message.replace('\n', ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_counts_lines_and_characters_from_one() {
        let error = RuleError::at("a.toml", "ä = 1\nöö = 2\n", 11, "odd");
        assert_eq!(error.to_string(), "a.toml:2:3: odd");
    }

    #[test]
    fn a_slip_of_the_pen_is_recognised_and_a_stranger_is_not() {
        assert_eq!(nearest("mesage", ["message", "exception"]), Some("message"));
        assert_eq!(nearest("fraem", ["frame", "function"]), Some("frame"));
        assert_eq!(nearest("colour", ["message", "exception"]), None);
    }
}
