//! What the first bytes of a line tell before any of it is read.

use memchr::{memchr_iter, memmem};

/// How much of a line [`needs_report`] looks at, in bytes: colours, or a writer's prefix, and the mark.
pub(crate) const REPORT_MARK_BYTES: usize = 96;

/// Returns whether a line ends a report whose frames stand above: `E   TypeError: …` of pytest.
pub(crate) fn needs_report(line: &[u8]) -> bool {
    begins_with_mark(line, b"E  ")
}

/// Returns whether a report begins at or below this line: `____ test_save ____`, `==== FAILURES ====`,
/// or the end of the one above.
pub(crate) fn is_report_edge(line: &[u8]) -> bool {
    needs_report(line) || begins_with_mark(line, b"____") || begins_with_mark(line, b"====")
}

/// Returns whether a line is a row of a box, or one of a notebook's traceback, whose head may have been cut off:
/// `│ /app/x.py:3 in f     │`, `File ~/x.py:3, in f()`, `---> 3     g()`, `     4 `, `~/x.py in f()`.
pub(crate) fn is_row(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let starts = |marks: &[&[u8]]| marks.iter().any(|mark| text.starts_with(mark));
    let is_numbered = || line[0] == b' ' && text[0].is_ascii_digit();
    let is_old = || text.ends_with(b")") && memmem::find(text, b" in ").is_some();
    text.is_empty()
        || starts(&[b"File ", b"Cell In", b"Input In", b"--", b"(...)"])
        || is_numbered()
        || is_old()
        || begins_with_mark(line, "│".as_bytes())
}

/// Returns whether a line begins with a mark, behind colours or a writer's prefix perhaps.
fn begins_with_mark(line: &[u8], mark: &[u8]) -> bool {
    let head = &line[..line.len().min(REPORT_MARK_BYTES)];
    let at = memchr_iter(mark[0], head).find(|at| head[*at..].starts_with(mark));
    at.is_some_and(|at| at == 0 || matches!(line[at - 1], b'm' | b' ' | b'\t' | b':'))
}

/// Returns the first byte of a line, `None` if it is empty.
pub(crate) fn first_byte(line: &[u8]) -> Option<u8> {
    line.first().copied().filter(|b| *b != b'\n')
}
