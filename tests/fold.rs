//! `--fold`: tracebacks are rewritten and no other byte is, and nothing is held for long.

mod common;

use common::{CORPUS, goldens, without_annotations};
use pickfix::filter::{self, Folding, Work};
use pickfix::incident::{Incident, Mode};
use pickfix::input::scripted::{Scripted, Step, Tape};
use pickfix::out::Out;
use pickfix::render::{Annotator, Colour, Glyphs};
use pickfix::traceback::fold::Fold;

const ALL: Folding = Folding {
    known: true,
    unknown: true,
    fold: Fold {
        is_ascii: false,
        is_only: false,
    },
};

const ONLY: Folding = Folding {
    fold: Fold {
        is_only: true,
        ..ALL.fold
    },
    ..ALL
};

const KNOWN: &str = r#"Traceback (most recent call last):
  File "/home/ada/train.py", line 9, in <module>
    pool.map(work, jobs)
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 367, in map
    return self._map_async(func, iterable, mapstar, chunksize).get()
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 774, in get
    raise self._value
TypeError: cannot pickle '_thread.lock' object
"#;

const UNKNOWN: &str = r#"Traceback (most recent call last):
  File "/home/ada/train.py", line 9, in <module>
    json.loads(text)
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode
    obj, end = self.raw_decode(s, idx=_w(s, 0).end())
KeyError: 'wd'
"#;

fn folded_to(source: Scripted, folding: Folding, tape: &Tape) -> String {
    let mut source = source;
    let mut out = Out::new(tape.clone());
    let mut report = |_: &Incident| ();
    let mut complain = |message: &str| panic!("{message}");
    let work = Work {
        analysis: Some((&CORPUS, Mode::Stream)),
        annotator: Some(Annotator::new(88, Glyphs::Unicode, Colour::Off)),
        folding: Some(folding),
        ..Work::new(&mut report, &mut complain)
    };
    filter::run(&mut source, &mut out, work).expect("a tape takes all");
    String::from_utf8_lossy(&tape.bytes()).into_owned()
}

fn folded(steps: Vec<Step>, folding: Folding) -> String {
    folded_to(Scripted::new(steps), folding, &Tape::default())
}

/// Returns the output without annotations.
fn text(output: &str) -> String {
    String::from_utf8_lossy(&without_annotations(output.as_bytes())).into_owned()
}

#[test]
fn frames_of_libraries_are_one_line_and_the_annotation_is_below() {
    let log = format!("epoch 1\n{KNOWN}epoch 2\n");
    let output = folded(vec![Step::text(&log)], ALL);
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
fn known_and_unknown_ones_can_be_chosen() {
    let log = format!("{KNOWN}between\n{UNKNOWN}end\n");
    let count = |known, unknown| {
        let folding = Folding {
            known,
            unknown,
            ..ALL
        };
        let output = text(&folded(vec![Step::text(&log)], folding));
        (
            output.contains("in multiprocessing"),
            output.contains("in json"),
        )
    };
    assert_eq!(count(true, false), (true, false));
    assert_eq!(count(false, true), (false, true));
    assert_eq!(count(true, true), (true, true));
}

#[test]
fn only_what_matters_is_left() {
    let log = format!("epoch 1\n{KNOWN}epoch 2\n{UNKNOWN}epoch 3\n");
    let output = text(&folded(vec![Step::text(&log)], ONLY));
    let expected = r#"▸ File "/home/ada/train.py", line 9, in <module>
    pool.map(work, jobs)
TypeError: cannot pickle '_thread.lock' object
▸ File "/home/ada/train.py", line 9, in <module>
    json.loads(text)
KeyError: 'wd'
"#;
    assert_eq!(output, expected);
}

#[test]
fn what_is_no_traceback_stays_byte_for_byte() {
    for log in [
        "",
        "epoch 1\r\nepoch 2 \x1b[1mbold\x1b[0m\n\n\n  10%|#   |\r  20%|##  |\rname? ",
        "  File \"x.py\" has 3 lines\nTraceback (most recent call\n\nThe end\n",
    ] {
        let output = folded(vec![Step::text(log)], ALL);
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
        let whole = folded(vec![Step::Bytes(input.clone())], ALL);
        let is_told_by_frame = path.ends_with(TOLD_BY_FRAME);
        for size in [1, 53, 4096].into_iter().filter(|_| !is_told_by_frame) {
            let cut = folded_to(Scripted::cut(&input, size), ALL, &Tape::default());
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
    let output = folded_to(source, ALL, &tape);
    assert!(output.contains("▎ pickfix: "));
    assert!(output.contains("TypeError: cannot pickle '_thread.lock' object\n"));
}
