//! `--fold`: tracebacks are rewritten and no other byte is, and nothing is held for long.

use crate::common::{filter_as, goldens, without_annotations};
use pickfix::input::scripted::{Scripted, Step, Tape};
use pickfix::traceback::fold::FoldSigns;

const KNOWN: &str = r#"Traceback (most recent call last):
  File "/home/ada/train.py", line 9, in <module>
    pool.map(work, jobs)
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 367, in map
    return self._map_async(func, iterable, mapstar, chunksize).get()
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 774, in get
    raise self._value
TypeError: cannot pickle '_thread.lock' object
"#;

fn folded_to(source: Scripted, tape: &Tape) -> String {
    let run = filter_as(|work| work.folding = Some(FoldSigns::Unicode), source, tape);
    assert_eq!(run.complaints, Vec::<String>::new());
    String::from_utf8_lossy(&run.output).into_owned()
}

fn folded(steps: Vec<Step>) -> String {
    folded_to(Scripted::new(steps), &Tape::default())
}

/// Returns the output without annotations.
fn text(output: &str) -> String {
    String::from_utf8_lossy(&without_annotations(output.as_bytes())).into_owned()
}

#[test]
fn frames_of_libraries_are_one_line_and_the_annotation_is_below() {
    let log = format!("epoch 1\n{KNOWN}epoch 2\n");
    let output = folded(vec![Step::text(&log)]);
    let expected = r#"epoch 1
Traceback (most recent call last):
▸ File "/home/ada/train.py", line 9, in <module>
    pool.map(work, jobs)
  … 2 frames in multiprocessing
TypeError: cannot pickle '_thread.lock' object
epoch 2
"#;
    assert_eq!(text(&output), expected);
    let annotation = output.find("▎ pickfix: ").expect("an annotation");
    assert!(output.find("TypeError").unwrap() < annotation);
    assert!(annotation < output.find("epoch 2").unwrap());
}

#[test]
fn what_is_no_traceback_stays_byte_for_byte() {
    for log in [
        "",
        "epoch 1\r\nepoch 2 \x1b[1mbold\x1b[0m\n\n\n  10%|#   |\r  20%|##  |\rname? ",
        "  File \"x.py\" has 3 lines\nTraceback (most recent call\n\nThe end\n",
    ] {
        let output = folded(vec![Step::text(log)]);
        assert_eq!(output, log);
    }
}

/// Its heads, `~~~ Stack of …`, hold nothing that the gate looks for: the first frame tells of them,
/// and a cut inside that frame lets it go.
const TOLD_BY_FRAME: &str = "pytest-timeout-thread-py311.in";

/// All lines but those of frames come out as they came, in their order, and however the input
/// was cut.
#[test]
fn no_line_is_lost_but_those_of_frames() {
    for (_, path, input) in goldens() {
        let whole = folded(vec![Step::Bytes(input.clone())]);
        let is_told_by_frame = path.ends_with(TOLD_BY_FRAME);
        for size in [1, 53, 4096].into_iter().filter(|_| !is_told_by_frame) {
            let cut = folded_to(Scripted::cut(&input, size), &Tape::default());
            let differs = whole.lines().zip(cut.lines()).find(|(a, b)| a != b);
            let what = format!("{} in pieces of {size}: {differs:?}", path.display());
            assert!(cut == whole, "{what}");
        }
        let input = String::from_utf8_lossy(&input).into_owned();
        let mut left = input.lines().filter(|l| !l.trim().is_empty());
        for line in text(&whole).lines().filter(|l| !l.trim().is_empty()) {
            if line.contains("… ") || line.contains('▸') || line.starts_with('▎') {
                continue;
            }
            let found = left.any(|l| l == line);
            assert!(found, "{}: {line:?} is new or out of order", path.display());
        }
    }
}

#[test]
fn text_goes_out_at_once_and_a_traceback_when_it_is_quiet() {
    let tape = Tape::default();
    let seen = tape.clone();
    let mut reads = 0;
    let source = Scripted::new([
        Step::text("name? "),
        Step::text("ada\n"),
        Step::text(&KNOWN[..200]),
        Step::Quiet,
        Step::text(&KNOWN[200..]),
        Step::Quiet,
    ])
    .before_each(move |delivered| {
        reads += 1;
        let out = without_annotations(&seen.bytes());
        if reads == 2 {
            assert_eq!(out, b"name? ");
        }
        if reads == 5 {
            assert_eq!(
                out, delivered,
                "a traceback that stays open is not held forever"
            );
        }
    });
    let output = folded_to(source, &tape);
    assert!(output.contains("▎ pickfix: "));
    assert!(output.contains("TypeError: cannot pickle '_thread.lock' object\n"));
}
