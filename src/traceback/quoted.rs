//! Whether a line was printed by a failing program, or is merely quoted.

/// Whether a line without frames looks quoted: inside a fence, source code, a table, a diff.
///
/// `above` are the lines before it, oldest first.
pub(crate) fn is_quoted(line: &str, above: &[String]) -> bool {
    let text = line.trim();
    let fences = above
        .iter()
        .filter(|l| l.trim_start().starts_with("```"))
        .count();
    // Mails and issues quote whole logs line by line: that mark is a prefix like any other.
    let text = text.strip_prefix("> ").unwrap_or(text);
    let text = text
        .strip_prefix("# ")
        .filter(|rest| rest.starts_with('['))
        .unwrap_or(text);
    fences % 2 == 1 || marked(text) || in_code(text)
}

/// A bullet, a table row, a heading, a diff, a shell prompt, a comment.
fn marked(text: &str) -> bool {
    const MARKS: [&str; 14] = [
        "- ", "* ", "+ ", "| ", "# ", "## ", "// ", "> ", "$ ", "% ", "• ", "-- ", "\"", "'",
    ];
    MARKS.iter().any(|m| text.starts_with(m)) || quotes_code(text)
}

/// Back quotes around words of prose; the assertion of a GPU kernel spells its own.
fn quotes_code(text: &str) -> bool {
    text.matches('`').count() >= 2 && !text.contains("Assertion `")
}

/// A line of source: it raises, asserts or assigns the words.
fn in_code(text: &str) -> bool {
    const CODE: [&str; 10] = [
        "raise ",
        "assert ",
        "except ",
        "return ",
        "print(",
        "match=",
        "pytest.raises",
        "warnings.warn(",
        "logger.",
        "logging.",
    ];
    CODE.iter().any(|c| text.starts_with(c))
        || text.ends_with("\",")
        || text.ends_with("',")
        || text.ends_with("\")")
        || text.ends_with("';")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_tables_and_fences_quote() {
        for line in [
            "| TypeError: x | a lock |",
            "- TypeError: x",
            "raise TypeError(\"x\")",
            "use `pickle` and `dill`",
        ] {
            assert!(is_quoted(line, &[]), "{line}");
        }
        assert!(is_quoted("TypeError: x", &["```text".to_owned()]));
        assert!(!is_quoted(
            "TypeError: cannot pickle '_thread.lock' object",
            &[]
        ));
    }
}
