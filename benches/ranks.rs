//! A log of 64 ranks that write line by line in turn, beside the same lines of one writer after
//! the other: speed and memory of the whole filter.
//!
//! `cargo bench --bench ranks`

use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use pickfix::corpus::Corpus;
use pickfix::filter::{self, Work};
use pickfix::incident::{Incident, Mode};
use pickfix::input::scripted::{Scripted, Step};
use pickfix::out::Out;
use pickfix::render::{Annotator, Colour, Glyphs};

const RANKS: usize = 64;
const CHUNK: usize = 64 * 1024;
/// Rounds of each measure; the fastest counts.
const ROUNDS: usize = 5;

fn main() {
    let corpus = Corpus::built_in();
    let healthy: String = (0..20_000).fold(String::new(), |mut text, step| {
        let _ = writeln!(
            text,
            "step {step} loss 0.{step} lr 3e-4 tokens/s 81234 grad norm 1.25"
        );
        text
    });
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cpython");
    let capture = std::fs::read_to_string(folder.join("unpicklable-lock--deepcopy-py38.in"))
        .expect("the golden lies there");
    let failing = capture.repeat(100);
    // A failure among healthy lines: what a log of a job looks like.
    let job = format!("{}{capture}{}", &healthy, &healthy);
    for (name, text, failures) in [
        ("healthy lines", &healthy, false),
        ("one failure each", &job, true),
        ("nothing but tracebacks", &failing, true),
    ] {
        let one_by_one = ranks(text, false);
        let in_turn = ranks(text, true);
        println!("{name}, {} MiB", in_turn.len() >> 20);
        let plain = report("one after the other", &corpus, &one_by_one, failures);
        let mixed = report("in turn", &corpus, &in_turn, failures);
        println!("  ratio {:.2}", mixed.as_secs_f64() / plain.as_secs_f64());
    }
}

/// Returns the text once for each rank, with its mark on each line.
fn ranks(text: &str, in_turn: bool) -> Vec<u8> {
    let mut out = String::new();
    let mut line = |rank: usize, line: &str| {
        let _ = writeln!(out, "[rank{rank}]: {line}");
    };
    if in_turn {
        for text in text.lines() {
            (0..RANKS).for_each(|rank| line(rank, text));
        }
    } else {
        for rank in 0..RANKS {
            text.lines().for_each(|text| line(rank, text));
        }
    }
    out.into_bytes()
}

fn report(name: &str, corpus: &Corpus, log: &[u8], failures: bool) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let (took, ids) = run(corpus, log);
        assert_eq!(ids > 0, failures, "{ids} incidents");
        took
    });
    let took = rounds.min().expect("some rounds");
    // Bytes a microsecond are MB a second.
    let rate = log.len() as u128 / took.as_micros().max(1);
    println!(
        "  {name:22} {:8.1} ms  {rate:6} MB/s  peak {}",
        took.as_secs_f64() * 1e3,
        peak()
    );
    took
}

fn run(corpus: &Corpus, log: &[u8]) -> (Duration, usize) {
    let mut source = Scripted::new(log.chunks(CHUNK).map(|c| Step::Bytes(c.to_vec())));
    let mut out = Out::new(io::sink());
    let mut ids = 0;
    let mut report = |_: &Incident| ids += 1;
    let mut complain = |message: &str| panic!("{message}");
    let work = Work {
        analysis: Some((corpus, Mode::Stream)),
        annotator: Some(Annotator::new(88, Glyphs::Unicode, Colour::Off)),
        ..Work::new(&mut report, &mut complain)
    };
    let start = Instant::now();
    filter::run(&mut source, &mut out, work).expect("a sink takes all");
    (start.elapsed(), ids)
}

/// The most memory that the process has held, the log itself included; Linux only.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |l| l.trim().to_owned())
}
