//! What holds for every state that the golden inputs bring about.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{Completed, Lane, Lanes};
use crate::line::RawLine;
use crate::traceback::assembler::{Decision, Nothing, State};
use crate::traceback::line::text::Clean;
use crate::traceback::part::{Line, Part};
use crate::traceback::raw_line::first_byte;

fn inputs() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("a folder of goldens");
        entries.map(|e| e.expect("an entry").path()).collect()
    };
    let folders = entries(&root).into_iter().filter(|p| p.is_dir());
    let files = folders.flat_map(|f| entries(&f));
    let inputs = files.filter(|p| p.extension().is_some_and(|e| e == "in"));
    inputs
        .map(|p| std::fs::read(p).expect("a golden"))
        .collect()
}

/// Reads a text and shows the lanes that are open before each line.
fn walk(text: &[u8], see: &mut dyn FnMut(&[Box<Lane>])) -> Vec<Completed> {
    let mut lanes = Lanes::default();
    let mut completed = Vec::new();
    let mut offset = 0;
    for (number, bytes) in (1..).zip(text.split_inclusive(|b| *b == b'\n')) {
        see(&lanes.open);
        let end_offset = offset + bytes.len() as u64;
        let line = RawLine {
            bytes,
            number,
            offset,
            end_offset,
            may_matter: true,
        };
        lanes.begin_line(first_byte(bytes), &Nothing, &mut completed);
        lanes.line(line, Duration::ZERO, &Nothing, &mut completed);
        offset = end_offset;
    }
    lanes.finish(&mut completed);
    completed
}

/// What the first byte of a line refuses, the whole line would refuse too.
#[test]
fn a_line_that_may_not_continue_is_refused() {
    let inputs = inputs();
    let mut lines: BTreeSet<String> = BTreeSet::new();
    for input in &inputs {
        let text = String::from_utf8_lossy(input);
        lines.extend(
            text.lines()
                .filter(|l| !l.starts_with(' '))
                .map(str::to_owned),
        );
    }
    for input in &inputs {
        let mut own = String::from_utf8_lossy(input).into_owned();
        // Every so many lines of the others, lest it take minutes.
        let others = lines.iter().step_by(97).map(|l| format!("{l}\n"));
        own.extend(others);
        let mut seen = Vec::new();
        walk(input, &mut |open| {
            let pending = open
                .iter()
                .filter(|l| l.prefix.is_empty() && l.assembler.state() == State::Pending);
            seen.extend(pending.cloned());
        });
        for lane in seen.iter().step_by(1 + seen.len() / 40) {
            for text in own.lines() {
                let clean = Clean::of(text.as_bytes());
                let text: &str = &clean.text;
                let line = Line::read(lane.dialect(), text);
                let decision = lane.assembler.decide(&line, &Nothing);
                let may = lane.assembler.may_continue(text.bytes().next(), &Nothing);
                if !may {
                    assert_eq!(lane.decide(&line, &Nothing), Decision::Refuse, "{text}");
                    // Behind a prefix a separator may lack its empty line: journald drops those. A
                    // frame without its indentation is refused by the lane alone.
                    let is_exempt = matches!(line.part, Part::Separator(_) | Part::Frame(_));
                    assert!(
                        is_exempt || decision == Decision::Refuse,
                        "{text}: {decision:?}"
                    );
                }
            }
        }
    }
}

/// The line that tells that `12  ` was a prefix may itself complete something.
#[test]
fn what_the_line_completes_that_settles_a_prefix_is_kept() {
    let padding = "x".repeat(5000);
    let json = format!(
        r#"{{"pad": "{padding}", "exc": "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nTypeError: bad"}}"#
    );
    let text = format!("  12  Traceback (most recent call last):\n  13  {json}\n");
    let found = crate::traceback::read(text.as_bytes());
    let types: Vec<_> = found.iter().flat_map(|t| &t.exceptions).collect();
    assert_eq!(types.len(), 1, "{found:#?}");
    assert_eq!(types[0].type_name.as_deref(), Some("TypeError"));
}

#[test]
fn what_python_marks_of_a_source_line_is_its_expression() {
    let text = "Traceback (most recent call last):\n  \
        File \"a.py\", line 3, in f\n    \
          print(list(ex.map(square, range(4))))\n               \
                     ^^^^^^^^^^^^^^^^^^^^^^^^\n  \
        File \"a.py\", line 9, in g\n    \
          return a[0] + b\n           \
                 ~^^^\n  \
        File \"a.py\", line 12, in h\n    \
          raise KeyError(1)\n\
        KeyError: 1\n";
    let found = crate::traceback::read(text.as_bytes());
    let frames = found[0].exceptions[0].frames.iter();
    let expressions: Vec<_> = frames.map(|frame| frame.expression()).collect();
    assert_eq!(
        expressions,
        [Some("ex.map(square, range(4))"), Some("a[0]"), None]
    );
}

/// VS Code shows the message above the frames, and the innermost frame first.
#[test]
fn an_editors_frames_are_turned_round() {
    let head = "Exception has occurred: OSError       (note: paused at: f)\nno\n\nfile\n";
    let frames = "  File \"/a/b.py\", line 2, in g\n    open(x)\n  File \"/a/t.py\", line 8, in <module> (Current frame)\n    g()\n";
    for (text, message) in [
        (format!("{head}{frames}"), vec!["no", "", "file"]),
        (format!("{head}{frames}OSError: no\n"), vec!["no"]),
        (head.to_owned(), vec!["no", "", "file"]),
    ] {
        let completed = walk(text.as_bytes(), &mut |_| {});
        let [Completed::Traceback(read)] = completed.as_slice() else {
            panic!("not one traceback: {completed:?}")
        };
        let [exception] = read.exceptions.as_slice() else {
            panic!("not one exception: {read:?}")
        };
        assert_eq!(exception.type_name.as_deref(), Some("OSError"));
        assert_eq!(exception.message, message, "{text}");
        let functions: Vec<&str> = exception.frames.iter().map(|f| &*f.function).collect();
        let expected: &[&str] = if text == head {
            &[]
        } else {
            &["<module>", "g"]
        };
        assert_eq!(functions, expected);
    }
}
