//! What holds of any input, for tests and fuzz targets alike.

use std::time::Duration;

use pickfix::input::scripted::{Scripted, Step, Tape};
use pickfix::render::Glyphs;
use pickfix::traceback::Dialect;
use pickfix::traceback::pieces::{pieces, stripped, unfolded};
use pickfix::visible::is_hidden;

use super::common::{filter_in, filter_text, filter_to, without_annotations};

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
        // structlog's form is laid out again, with words of its own around each frame.
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
    for line in whole.text().lines().filter(|l| l.starts_with('▎')) {
        assert!(!line.contains(is_hidden), "{line:?}");
    }
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

/// Exact, whatever pauses are between the reads: `\x01` is quiet, `\x02` a while in which nothing
/// comes, `\x03` a cut.
pub(crate) fn pauses_hold(script: &[u8]) {
    let is_mark = |byte: &u8| (1..=3).contains(byte);
    // A mark may stand inside the gutter.
    let input: Vec<u8> = script.iter().copied().filter(|b| !is_mark(b)).collect();
    if String::from_utf8_lossy(&input).contains('▎') {
        return;
    }
    let mut steps = Vec::new();
    for piece in script.split_inclusive(is_mark) {
        let (bytes, mark) = match piece.split_last() {
            Some((mark, bytes)) if is_mark(mark) => (bytes, *mark),
            _ => (piece, 0),
        };
        steps.push(Step::Bytes(bytes.to_vec()));
        match mark {
            1 => steps.push(Step::Quiet),
            2 => steps.push(Step::Advance(Duration::from_millis(350))),
            _ => {}
        }
    }
    let run = filter_to(Scripted::new(steps), &Tape::default());
    assert!(run.complaints.is_empty(), "{:?}", run.complaints);
    assert!(without_annotations(&run.output) == input, "not exact");
}

/// Exact and the same for all cuts, also where the input has lines of pickfix's own: a line of the
/// output is the input's next one, or one that pickfix wrote.
pub(crate) fn gutters_hold(input: &[u8], size: usize) {
    for (glyphs, gutter, broken) in [(Glyphs::Unicode, "▎", "▎⏎"), (Glyphs::Ascii, "#|", "#|+")]
    {
        let run = |source| filter_in(glyphs, source, &Tape::default());
        let whole = run(Scripted::new([Step::Bytes(input.to_vec())]));
        assert!(whole.complaints.is_empty(), "{:?}", whole.complaints);
        let cut = run(Scripted::cut(input, size.max(1)));
        assert!(cut.output == whole.output, "in reads of {size}");
        let mut rest = input;
        let mut lines = whole.output.split_inclusive(|b| *b == b'\n');
        while let Some(line) = lines.next() {
            if rest.starts_with(line) {
                rest = &rest[line.len()..];
            } else if !rest.is_empty() && line.strip_suffix(b"\n") == Some(rest) {
                // A block behind a last line without a newline brings one.
                let next = lines.next().unwrap_or_default();
                assert!(next.starts_with(broken.as_bytes()), "a newline too many");
                rest = b"";
            } else {
                let text = String::from_utf8_lossy(line);
                assert!(text.starts_with(gutter), "{text:?} is not in the input");
                assert!(!text.trim_end_matches('\n').contains(is_hidden), "{text:?}");
            }
        }
        assert!(
            rest.is_empty(),
            "{:?} is missing",
            String::from_utf8_lossy(rest)
        );
    }
}
