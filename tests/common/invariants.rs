//! What holds of any input, for tests and fuzz targets alike.

use pickfix::input::scripted::{Scripted, Step, Tape};
use pickfix::traceback::Dialect;
use pickfix::traceback::pieces::{pieces, stripped, unfolded};

use super::common::{filter_text, filter_to, without_annotations};

/// What a grammar takes out of a line stands in the line.
pub(crate) fn pieces_stand_in_the_line(dialect: Dialect, line: &str) {
    for piece in pieces(dialect, line) {
        assert!(line.contains(piece), "{piece:?} is not in {line:?}");
    }
}

/// What is unfolded of a pasted line has no character that the line does not have, and no other
/// order; strings are unescaped besides.
pub(crate) fn unfolding_adds_nothing(line: &str) {
    let is_escaped = line.contains('\\') || line.contains("\"exc_type\"");
    for text in unfolded(line) {
        // structlog's form is laid out anew, with words of its own around each frame.
        assert!(text.len() <= 8 * line.len() + 256, "{text:?} of {line:?}");
        if is_escaped {
            continue;
        }
        let mut rest = line.chars();
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            assert!(rest.any(|r| r == c), "{text:?} of {line:?}");
        }
    }
}

/// A prefix that is learned from a text comes off a line that starts with that text, and leaves the
/// rest; what it leaves of another line is the end of that line.
pub(crate) fn prefixes_hold(prefix: &str, line: &str) {
    let own = format!("{prefix}{line}");
    if let Some(rest) = stripped(prefix, &own) {
        assert!(
            own.ends_with(rest),
            "{prefix:?} off {own:?} leaves {rest:?}"
        );
    }
    if let Some(rest) = stripped(prefix, line) {
        assert!(
            line.ends_with(rest),
            "{prefix:?} off {line:?} leaves {rest:?}"
        );
    }
}

/// Exact, prompt, and the same however it is cut: into reads of `size` bytes.
pub(crate) fn stream_holds(input: &[u8], size: usize) {
    // pickfix's own lines cannot be told from those that it writes.
    if String::from_utf8_lossy(input).contains('▎') {
        return;
    }
    let whole = filter_text(input);
    assert!(whole.complaints.is_empty(), "{:?}", whole.complaints);
    assert!(without_annotations(&whole.output) == input, "not exact");
    let tape = Tape::default();
    let seen = tape.clone();
    let steps = input.chunks(size.max(1)).map(|c| Step::Bytes(c.to_vec()));
    let source = Scripted::new(steps).before_each(move |delivered| {
        assert!(
            without_annotations(&seen.bytes()) == delivered,
            "a read may block, and not all is written"
        );
    });
    let cut = filter_to(source, &tape);
    assert!(
        cut.output == whole.output,
        "in reads of {size}:\n{}\nwhole:\n{}",
        cut.text(),
        whole.text()
    );
}
