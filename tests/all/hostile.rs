//! Damaged, mixed and hostile logs, rules and programs: what holds of any input, over inputs that are
//! nearly real. The long runs are `cargo test --test all hostile -- --ignored`.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::goldens;
use crate::invariants::{gutters_hold, pauses_hold};
use crate::reports::{check_is_filter, formats_hold, rules_hold, source_holds};

static GOLDENS: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| goldens().into_iter().map(|(_, _, input)| input).collect());

/// What is put into logs besides other logs.
const PIECES: [&str; 16] = [
    "▎ pickfix: a lock cannot be sent to another process  [unpicklable-lock]\n",
    "▎⏎ pickfix: x\n",
    "▎\n",
    "#| pickfix: x\n",
    "#|+ pickfix: x\n",
    "#|   fix     y\n",
    "\r 10%|#   | 1/10",
    "\r\n",
    "\u{1b}[31m",
    "\u{1b}]8;;http://x\u{1b}\\",
    "\u{202e}\u{9b}\u{200b}\u{e0041}",
    "[a](https://evil.example)<script>alert(1)</script>",
    "::error file=x::y\n",
    "\n\nThe above exception was the direct cause of the following exception:\n\n",
    "Process SpawnProcess-1:\n",
    "TypeError: cannot pickle '_thread.lock' object\n",
];

/// One step of damage.
#[derive(Clone, Debug)]
enum Damage {
    Cut(prop::sample::Index),
    CutOff(prop::sample::Index),
    Flip(prop::sample::Index, u8),
    Insert(prop::sample::Index, usize),
    /// The lines of another log between its own, as two processes write them.
    Interleave(prop::sample::Index, Vec<bool>),
    Prefix(usize),
    Twice,
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        1 => at().prop_map(Damage::Cut),
        1 => at().prop_map(Damage::CutOff),
        1 => (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Flip(at, byte)),
        4 => (at(), 0..PIECES.len()).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        3 => (at(), prop::collection::vec(any::<bool>(), 1..40)).prop_map(|(at, turns)| Damage::Interleave(at, turns)),
        1 => (0..4_usize).prop_map(Damage::Prefix),
        1 => Just(Damage::Twice),
    ]
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

fn damaged(mut text: Vec<u8>, steps: &[Damage]) -> Vec<u8> {
    for step in steps {
        text = match step {
            Damage::Cut(at) => text[at.index(text.len() + 1)..].to_vec(),
            Damage::CutOff(at) => text[..at.index(text.len() + 1)].to_vec(),
            Damage::Flip(at, byte) => {
                let at = at.index(text.len() + 1);
                let (before, after) = text.split_at(at);
                [before, &[*byte], after.get(1..).unwrap_or_default()].concat()
            }
            Damage::Insert(at, piece) => {
                let (before, after) = text.split_at(at.index(text.len() + 1));
                [before, PIECES[*piece].as_bytes(), after].concat()
            }
            Damage::Interleave(other, turns) => {
                let other = other.get(&GOLDENS);
                let (mut own, mut others) = (lines(&text), lines(other));
                let mut mixed = Vec::new();
                for is_own in turns.iter().cycle() {
                    let next = if *is_own { own.next() } else { others.next() };
                    match next {
                        Some(line) => mixed.extend_from_slice(line),
                        None => break,
                    }
                }
                mixed.extend(own.chain(others).flatten());
                mixed
            }
            Damage::Prefix(which) => {
                let prefix = ["[rank0]: ", "(f pid=12) ", "▎ ", "#| "][*which].as_bytes();
                lines(&text)
                    .flat_map(|line| [prefix, line].concat())
                    .collect()
            }
            Damage::Twice => text.repeat(2),
        };
        text.truncate(60_000);
    }
    text
}

/// A log, shown as text where something does not hold.
struct Log(Vec<u8>);

impl std::fmt::Debug for Log {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

fn log() -> impl Strategy<Value = Log> {
    let steps = prop::collection::vec(damage(), 1..6);
    (any::<prop::sample::Index>(), steps)
        .prop_map(|(golden, steps)| Log(damaged(golden.get(&GOLDENS).clone(), &steps)))
}

/// Runs so many cases; each panics by itself.
fn run<T: std::fmt::Debug>(cases: u32, of: impl Strategy<Value = T>, holds: impl Fn(T)) {
    let config = ProptestConfig {
        cases,
        failure_persistence: None,
        max_shrink_iters: 50,
        ..ProptestConfig::default()
    };
    let result = TestRunner::new(config).run(&of, |value| {
        holds(value);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

fn logs_hold(cases: u32) {
    run(cases, (log(), 1..80_usize), |(Log(log), size)| {
        gutters_hold(&log, size);
    });
}

fn reports_hold(cases: u32) {
    run(cases, log(), |Log(log)| {
        formats_hold(&log);
        check_is_filter(&log);
    });
}

fn pauses_do(cases: u32) {
    let marks = prop::collection::vec((any::<prop::sample::Index>(), 1..4_u8), 0..40);
    run(cases, (log(), marks), |(Log(mut log), marks)| {
        log.retain(|byte| !(1..=3).contains(byte));
        for (at, mark) in marks {
            log.insert(at.index(log.len() + 1), mark);
        }
        pauses_hold(&log);
    });
}

fn rules_do(cases: u32) {
    let mut files = Vec::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for family in fs::read_dir(root).expect("the corpus").flatten() {
        for file in fs::read_dir(family.path()).into_iter().flatten().flatten() {
            files.extend(fs::read_to_string(file.path()));
        }
    }
    let steps = prop::collection::vec(damage(), 0..3);
    let rule = (prop::sample::select(files), steps, log());
    run(cases, rule, |(rule, steps, Log(log))| {
        let rule = damaged(rule.into_bytes(), &steps);
        rules_hold(
            &String::from_utf8_lossy(&rule),
            &String::from_utf8_lossy(&log),
        );
    });
}

fn sources_do(cases: u32) {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "py") {
                files.extend(fs::read_to_string(path));
            }
        }
    }
    let steps = prop::collection::vec(damage(), 0..3);
    let source = (prop::sample::select(files), steps, any::<u8>(), any::<u8>());
    run(cases, source, |(text, steps, line, message)| {
        let text = damaged(text.into_bytes(), &steps);
        source_holds(line, message, &String::from_utf8_lossy(&text));
    });
}

#[test]
fn damaged_logs_come_through_however_they_are_cut() {
    logs_hold(60);
}

#[test]
fn reports_of_damaged_logs_are_harmless_and_the_same() {
    reports_hold(60);
}

#[test]
fn pauses_change_no_byte() {
    pauses_do(60);
}

#[test]
fn damaged_rules_are_refused_or_work() {
    rules_do(40);
}

#[test]
fn damaged_programs_are_searched_without_harm() {
    sources_do(60);
}

#[test]
#[ignore = "minutes; .ci/run runs it"]
fn many_damaged_logs_rules_and_programs() {
    logs_hold(500);
    reports_hold(400);
    pauses_do(500);
    rules_do(200);
    sources_do(400);
}

/// Found by the target `same`.
#[test]
fn a_line_and_the_exception_that_says_the_same_count_once() {
    check_is_filter(
        b"\x20traceback : Signal 9 (SIGKILL) received by PID  is\n\
        tors.ChildFailedError: s100:38\n\
        \x20 host      : alhost\n\
        \x20rank      : 1 (local_rank: 1)\n\
        \x20exitcode  : -9 (pid: 116)\n\
        \x20 error_file: <N>\n\
        \x20 traceback : Signal 9 (SIGKILL) received by PID 11",
    );
}
