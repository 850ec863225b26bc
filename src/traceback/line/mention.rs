//! Whether a line was printed by a failing program, or is merely quoted.

use super::prefix::Prefix;
use super::told::tells_repr;

/// Returns whether a line without frames looks quoted: inside a fence, source code, a table, a diff.
///
/// `type_name` is that of an exception line, whose message alone is `line`; `above` are the lines
/// before it, oldest first.
pub(crate) fn is_quoted(type_name: Option<&str>, line: &str, above: &[String]) -> bool {
    let text = line.trim();
    let is_fence = |l: &String| l.trim_start().starts_with("```");
    // Of the lines above only a few are known: directly below a fence counts as inside.
    let fenced =
        above.last().is_some_and(is_fence) || above.iter().filter(|l| is_fence(l)).count() % 2 == 1;
    // Source: `raise ImportError("""\`, and the text below.
    let is_text = above.last().is_some_and(|l| l.ends_with("(\"\"\"\\"));
    // Mails and issues quote whole logs line by line: that mark is a prefix like any other.
    let text = text.trim_start_matches("> ");
    let text = text
        .strip_prefix("# ")
        .filter(|rest| rest.starts_with('['))
        .unwrap_or(text);
    // Behind its type a message may begin with a quotation, and quote code.
    let is_prose = type_name.is_none() && (marked(text) || quotes_code(text) || is_template(text));
    fenced || is_text || is_prose || in_code(text) || is_handled(text) || is_listed(text)
}

/// An entry of a list that a tool prints: a commit, a test named after the words, a line that grep
/// found in a document.
fn is_listed(text: &str) -> bool {
    let text = text.strip_prefix("HEAD is now at ").unwrap_or(text);
    let Some((first, rest)) = text.split_once(' ') else {
        return false;
    };
    let all = |is_it: fn(u8) -> bool| first.bytes().all(is_it);
    let is_hex = all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let is_mixed = !all(|b| b.is_ascii_digit()) && !all(|b| b.is_ascii_lowercase());
    let is_commit = is_hex && (first.len() == 40 || (7..=10).contains(&first.len()) && is_mixed);
    // `FAILED x.py::test_y - TypeError: …` gives the reason; `x.py::test_y[…]` but names the test, if not in
    // quotes: `worker 'gw3' crashed while running 'x.py::test_y[1]'`.
    let names_test = text.split_once(".py::").is_some_and(|(file, name)| {
        let is_told = file
            .rsplit(' ')
            .next()
            .is_some_and(|path| path.starts_with('\''));
        let rest = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        !is_told && rest.starts_with('[') && !rest.contains(" - ")
    });
    let is_test = names_test || first.starts_with("test_") && rest.starts_with('(');
    let in_document = [".md:", ".rst:", ".md-", ".rst-"];
    is_commit || is_test || in_document.iter().any(|end| first.contains(end))
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
    let is_whole = |(at, _): (usize, &str)| !text[..at].ends_with(|c: char| c.is_alphanumeric());
    WORDS
        .iter()
        .any(|word| text.match_indices(word).any(is_whole))
}

/// A bullet, a table row, a heading, a diff, a shell prompt, a comment.
fn marked(text: &str) -> bool {
    const MARKS: [&str; 13] = [
        "- ", "* ", "+ ", "// ", "> ", "$ ", "% ", "• ", "-- ", "\"", "'", "f\"", "f'",
    ];
    // `    + CategoryInfo          : ObjectNotFound: (torchrun:String) [], CommandNotFoundException`
    let is_powershells = || text.starts_with("+ CategoryInfo");
    // A row has a second bar; one alone stands before a line that a console shows.
    let is_row = || {
        let behind = Prefix::plain_len(text).max(1);
        text.starts_with("| ") && text[behind..].contains('|')
    };
    let is_heading = || text.trim_start_matches('#').starts_with(' ') && text.starts_with('#');
    // `'torchrun' is not recognized as an internal or external command,`
    let is_shells = || is_powershells() || text.contains("' is not recognized as an ");
    // The list that Open MPI prints where a node did not start.
    let is_mpis = || text.starts_with("* not finding the required libraries");
    // What the system's libraries said, in the report of a crash that macOS 12 and later write.
    let is_apples = || text.starts_with("\"asi\" : {");
    let is_own = || is_shells() || is_mpis() || is_apples();
    let has_mark = MARKS.iter().any(|m| text.starts_with(m)) && !is_own();
    has_mark || is_row() || is_heading() || is_numbered(text)
}

/// An entry of a numbered list: `1. `, `12) `.
fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - rest.len();
    (1..=2).contains(&digits) && (rest.starts_with(". ") || rest.starts_with(") "))
}

/// How far into a line prose has quoted a word; what comes later belongs to a library's long message.
const SOON: usize = 160;

/// Back quotes around words of prose; the assertion of a GPU kernel spells its own, and so does Nextflow.
fn quotes_code(text: &str) -> bool {
    const OWN: [&str; 2] = ["Assertion `", "Process `"];
    let is_own = || OWN.iter().any(|own| text.contains(own));
    let quotes = text.matches('`').count() >= 2 && !is_own();
    quotes
        && text
            .find('`')
            .is_some_and(|at| at < SOON && !has_place(&text[..at]))
}

/// Returns whether a line is the source of a message, its values still to be filled in.
fn is_template(text: &str) -> bool {
    const HOLES: [&str; 4] = ["{0}", "%r", "%s", ".format("];
    HOLES.iter().any(|hole| text.contains(hole))
}

/// Returns whether a line begins with the place in a file that its printer puts there:
/// `x.py:12: UserWarning: `, `2026-01-02 10:00:00.1: F external/xla/rendezvous.cc:59] `,
/// `[2026-01-02 10:00:00,263 E 90 98] rpc_client.h:204: `.
fn has_place(before: &str) -> bool {
    let is_warning = || before.contains(".py:") && before.contains("Warning: ");
    let is_native = |end: &str| {
        before
            .split_once(end)
            .is_some_and(|(place, rest)| rest.contains("] ") || place.contains("] "))
    };
    is_warning() || [".cc:", ".cpp:", ".h:"].into_iter().any(is_native) || has_level(before)
}

/// Returns whether a line begins as a log record does: `WARNING:tensorflow:`,
/// `2026-01-02 10:00:00,123 ERROR worker.py:12 -- `.
fn has_level(before: &str) -> bool {
    const LEVELS: [&str; 3] = ["WARNING", "ERROR", "CRITICAL"];
    LEVELS.iter().any(|level| {
        let named = before
            .strip_prefix(level)
            .and_then(|rest| rest.strip_prefix(':'));
        named.is_some_and(|rest| rest.contains(':'))
            || before.contains(level) && has_time(before.as_bytes())
    })
}

/// Returns whether a line begins with the time that its writer put there: `Wed Jul 27 07:25:07 2016 - `.
pub(crate) fn is_timed(line: &str) -> bool {
    const LONGEST_DATE: usize = 32;
    has_time(&line.as_bytes()[..line.len().min(LONGEST_DATE)])
}

/// Returns whether a text has a time of day: `10:00`.
fn has_time(text: &[u8]) -> bool {
    let mut parts = text.windows(5);
    parts.any(|w| w[2] == b':' && [w[0], w[1], w[3], w[4]].iter().all(u8::is_ascii_digit))
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
        || text.ends_with("\")") && !tells_repr(text) && !has_level(text)
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
            "### TypeError: x",
            "2. TypeError: x",
            "raise TypeError(\"x\")",
            "use `pickle` and `dill`",
            "tests/test_it.py::test_line[Worker (pid:1) was sent SIGKILL!] FAILED",
            "FAILED tests/test_it.py::test_line[Worker (pid:1) was sent SIGKILL!]",
            "test_kill (Worker (pid:1) was sent SIGKILL!) ... ok",
            "HEAD is now at 3a4b5c6 Worker (pid:1) was sent SIGKILL!",
            "docs/faq.md:8: TypeError: x",
            "README.rst-8-    TypeError: x",
            "The detected CUDA version ({0}) mismatches the version that was used to compile",
        ] {
            assert!(is_quoted(None, line, &[]), "{line}");
        }
        assert!(is_quoted(None, "TypeError: x", &["```text".to_owned()]));
        let opened = [r#"raise ImportError("""\"#.to_owned()];
        assert!(is_quoted(None, "This platform lacks", &opened));
        let fences = ["```", "x", "```", "```"].map(str::to_owned);
        assert!(is_quoted(None, "TypeError: x", &fences));
        assert!(is_quoted(
            None,
            "10:00 INFO handled: cannot pickle 'x' object",
            &[]
        ));
        assert!(!is_quoted(None, "job 3 raised unexpected: x", &[]));
        assert!(is_timed("Wed Jul 27 07:25:07 2016 - *** HARAKIRI"));
        assert!(!is_timed(
            "the docs of the worker say that at 10:00 it is killed"
        ));
        assert!(!is_quoted(
            None,
            "TypeError: cannot pickle '_thread.lock' object",
            &[]
        ));
        let message = "CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasSgemm(…)`";
        assert!(!is_quoted(Some("RuntimeError"), message, &[]));
        for line in [
            "/x/keras/engine.py:49: UserWarning: Using `workers` with `use_multiprocessing`",
            "2026-01-02 10:00:00.1: F xla/rendezvous.cc:59] Termination timeout for `a; b` exceeded",
            "WARNING:tensorflow:Using a generator with `use_multiprocessing=True` and `workers`",
            "FAILED tests/test_it.py::test_it - TypeError: cannot pickle 'x' object",
            "worker 'gw3' crashed while running 'tests/test_it.py::test_it[True]'",
            "deadbeef: x",
            "2026-01-02 10:00:00,1 ERROR trainer.py:9 -- set `ignore_worker_failures=True` in `a`",
            "  \"asi\" : {\"libsystem_c.dylib\":[\"crashed on child side of fork pre-exec\"]},",
        ] {
            assert!(!is_quoted(None, line, &[]), "{line}");
        }
        let long = "x".repeat(SOON);
        assert!(!is_quoted(
            None,
            &format!("{long} pass `a=True` to `b`"),
            &[]
        ));
    }
}
