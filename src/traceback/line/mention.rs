//! Whether a line was printed by a failing program, or is merely quoted.

/// Whether a line without frames looks quoted: inside a fence, source code, a table, a diff.
///
/// `above` are the lines before it, oldest first.
pub(crate) fn is_quoted(line: &str, above: &[String]) -> bool {
    let text = line.trim();
    let is_fence = |l: &String| l.trim_start().starts_with("```");
    // Of the lines above only a few are known: directly below a fence counts as inside.
    let fenced =
        above.last().is_some_and(is_fence) || above.iter().filter(|l| is_fence(l)).count() % 2 == 1;
    // Mails and issues quote whole logs line by line: that mark is a prefix like any other.
    let text = text.strip_prefix("> ").unwrap_or(text);
    let text = text
        .strip_prefix("# ")
        .filter(|rest| rest.starts_with('['))
        .unwrap_or(text);
    fenced || marked(text) || in_code(text) || is_handled(text)
}

/// A log line that says of itself that the failure was dealt with.
fn is_handled(text: &str) -> bool {
    const WORDS: [&str; 6] = [
        "handled: ",
        "caught: ",
        "ignored: ",
        "ignoring: ",
        "expected: ",
        "recovered from: ",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// A bullet, a table row, a heading, a diff, a shell prompt, a comment.
fn marked(text: &str) -> bool {
    const MARKS: [&str; 14] = [
        "- ", "* ", "+ ", "| ", "# ", "## ", "// ", "> ", "$ ", "% ", "• ", "-- ", "\"", "'",
    ];
    MARKS.iter().any(|m| text.starts_with(m)) || quotes_code(text)
}

/// How far into a line prose has quoted a word; what comes later belongs to a library's long message.
const SOON: usize = 160;

/// Back quotes around words of prose; the assertion of a GPU kernel spells its own.
fn quotes_code(text: &str) -> bool {
    let quotes = text.matches('`').count() >= 2 && !text.contains("Assertion `");
    quotes && text.find('`').is_some_and(|at| at < SOON)
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
        let fences = ["```", "x", "```", "```"].map(str::to_owned);
        assert!(is_quoted("TypeError: x", &fences));
        assert!(is_quoted(
            "10:00 INFO handled: cannot pickle 'x' object",
            &[]
        ));
        assert!(!is_quoted(
            "TypeError: cannot pickle '_thread.lock' object",
            &[]
        ));
        let long = "x".repeat(SOON);
        assert!(!is_quoted(&format!("{long} pass `a=True` to `b`"), &[]));
    }
}
