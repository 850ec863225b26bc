//! Exact: the output without its annotations is the input, whatever comes and however it is cut.

use std::time::Duration;

use crate::common::{filter, filter_as, filter_text, goldens, side_by_side, without_annotations};
use pickfix::input::scripted::{Scripted, Step, Tape};
use proptest::prelude::*;

/// Pieces of which random streams are made: what the parsers look for, and what they do not.
const PIECES: [&str; 24] = [
    "Traceback (most recent call last):\n",
    "  File \"/home/user/train.py\", line 3, in main\n",
    "    p.start()\n",
    "    ^^^^^^^^^\n",
    "TypeError: cannot pickle '_thread.lock' object\n",
    "when serializing dict item 'lock'\n",
    "\nThe above exception was the direct cause of the following exception:\n\n",
    "\nDuring handling of the above exception, another exception occurred:\n\n",
    "\"\"\"\n",
    "multiprocessing.pool.RemoteTraceback: \n",
    "Process SpawnProcess-1:\n",
    "[rank0]: Traceback (most recent call last):\n",
    "[rank0]:   File \"x.py\", line 1, in f\n",
    "[rank0]: RuntimeError: x\n",
    "\r 10%|#   | 1/10",
    "\x1b[31mred",
    "\x1b[0m",
    "  + Exception Group Traceback (most recent call last):\n",
    "  +-+---------------- 1 ----------------\n",
    "    | ValueError: x\n",
    "{\"exception\": \"Traceback (most recent call last):\\nTypeError: x\"}\n",
    "epoch 1 loss 0.5\n",
    "\r\n",
    "▎ pickfix: something  [id]\n",
];

fn piece() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => prop::sample::select(&PIECES[..]).prop_map(|p| p.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => prop::sample::select(&PIECES[..]).prop_flat_map(|p| (0..p.len()).prop_map(move |n| p.as_bytes()[..n].to_vec())),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => piece().prop_map(Step::Bytes),
        1 => Just(Step::Quiet),
        1 => (0_u64..2000).prop_map(|ms| Step::Advance(Duration::from_millis(ms))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_streams_come_through(steps in prop::collection::vec(step(), 0..60)) {
        let input: Vec<u8> = steps.iter().flat_map(|s| match s { Step::Bytes(b) => b.clone(), _ => Vec::new() }).collect();
        // pickfix's own lines in the input cannot be told from those it writes.
        prop_assume!(!String::from_utf8_lossy(&input).contains('▎'));
        let run = filter(Scripted::new(steps));
        prop_assert!(run.complaints.is_empty(), "{:?}", run.complaints);
        let kept = without_annotations(&run.output);
        prop_assert_eq!(String::from_utf8_lossy(&kept), String::from_utf8_lossy(&input));
        prop_assert!(kept == input);
    }

    #[test]
    fn without_quiet_the_cuts_do_not_matter(pieces in prop::collection::vec(piece(), 0..40), size in 1_usize..50) {
        let input: Vec<u8> = pieces.concat();
        let whole = filter_text(&input);
        let cut = filter(Scripted::cut(&input, size));
        prop_assert_eq!(String::from_utf8_lossy(&whole.output), String::from_utf8_lossy(&cut.output));
    }
}

/// Asserts that each golden gives the same in two reads, cut at so many places of it, and in many.
fn goldens_hold_in_two_reads(places: usize) {
    side_by_side(&goldens(), |(_, path, input)| {
        let whole = filter_text(input).output;
        for at in (0..input.len()).step_by(1 + input.len() / places) {
            let steps = [
                Step::Bytes(input[..at].to_vec()),
                Step::Bytes(input[at..].to_vec()),
            ];
            let cut = filter(Scripted::new(steps)).output;
            assert!(cut == whole, "{} cut at {at}", path.display());
        }
        for size in [1, 64] {
            let cut = filter(Scripted::cut(input, size)).output;
            assert!(cut == whole, "{} in reads of {size}", path.display());
        }
    });
}

#[test]
fn goldens_give_the_same_wherever_they_are_cut() {
    goldens_hold_in_two_reads(8);
}

#[test]
#[ignore = "a minute; .ci/run runs it"]
fn goldens_give_the_same_cut_at_a_hundred_places() {
    goldens_hold_in_two_reads(100);
}

/// Into a pipe, nothing is written into JSON lines, and all is annotated from a plain line on.
#[test]
fn the_cuts_do_not_matter_to_what_counts_as_json_lines() {
    const FAILURE: &str = "Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    \
                           pickle.dumps(job)\nTypeError: cannot pickle '_thread.lock' object\n";
    const RECORD: &str = r#"{"exception": "Traceback (most recent call last):\n  File \"a.py\", line 2, in f\n    pickle.dumps(g)\nTypeError: cannot pickle 'generator' object"}"#;
    // What gunicorn's images print, and then its own line.
    const SERVER: &str =
        "{\"workers\": 2}\n[2026-01-02 10:00:00 +0000] [7] [CRITICAL] WORKER TIMEOUT (pid:9)\n";
    for (input, annotations) in [
        (format!("{RECORD}\n{FAILURE}epoch 1\n"), 1),
        (format!("{{'a': 1}}\n{FAILURE}epoch 1\n"), 1),
        (format!("{{ \n\"a\": 1}}\n{RECORD}\n"), 1),
        (format!("{{\"a\": 1}}\n\r\n{RECORD}\n"), 0),
        (SERVER.to_owned(), 1),
    ] {
        for size in [input.len(), 1, 2, 3, 7, 50] {
            let source = Scripted::cut(input.as_bytes(), size);
            let run = filter_as(|work| work.spare_json = true, source, &Tape::default());
            assert_eq!(run.complaints, Vec::<String>::new());
            let output = String::from_utf8(run.output).expect("text");
            let found = output.matches("▎ pickfix: ").count();
            assert_eq!(found, annotations, "in reads of {size}:\n{output}");
        }
    }
}
