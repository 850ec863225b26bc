//! How fast the gate searches a clean log, beside a search for one literal and a count of lines.
//!
//! `cargo bench --bench gate`

use std::hint::black_box;
use std::time::{Duration, Instant};

use memchr::{memchr_iter, memmem};
use pickfix::gate::Gate;
use pickfix::line::last_line_end;
use pickfix::out::Out;
use pickfix::position::Position;

/// Rounds of each measure; the fastest counts.
const ROUNDS: usize = 9;

const CHUNK: usize = 64 * 1024;

fn main() {
    let log = clean_log(64 * 1024 * 1024);
    let newlines = memchr_iter(b'\n', &log).count();
    let gate = Gate::new(&[]);
    println!(
        "{} MiB, {newlines} lines, in chunks of {} KiB",
        log.len() >> 20,
        CHUNK >> 10
    );

    report("gate", log.len(), || {
        let mut before: &[u8] = b"";
        let mut hits = 0;
        for chunk in log.chunks(CHUNK) {
            hits += usize::from(gate.find(before, chunk).is_some());
            before = chunk;
        }
        assert_eq!(hits, 0, "the log is clean");
    });
    let finder = memmem::Finder::new("ost recent call");
    report("memmem of one literal", log.len(), || {
        let hits = log
            .chunks(CHUNK)
            .filter(|chunk| finder.find(chunk).is_some());
        assert_eq!(hits.count(), 0, "the log is clean");
    });
    report("lines skipped", log.len(), || {
        let mut position = Position::default();
        for chunk in log.chunks(CHUNK) {
            let end = last_line_end(chunk);
            position.skip(&chunk[..end]);
            position.remember(chunk);
        }
        assert!(position.number() > 1);
    });
    report("forwarded to nowhere", log.len(), || {
        let mut out = Out::new(std::io::sink());
        for chunk in log.chunks(CHUNK) {
            out.forward(chunk).expect("nowhere takes all");
        }
        assert!(!out.is_colour_open());
    });
}

/// Runs a measure, and prints the rate of its fastest round.
fn report(name: &str, bytes: usize, mut measure: impl FnMut()) {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        measure();
        best = best.min(black_box(start.elapsed()));
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = bytes as f64 / best.as_secs_f64() / 1e9;
    println!("{name:24} {rate:6.2} GB/s");
}

/// Makes a log of training as people know it: steps, records, bars; always the same.
fn clean_log(size: usize) -> Vec<u8> {
    use std::io::Write;
    let mut log = Vec::with_capacity(size + 200);
    let mut seed = 1_u32;
    let mut step = 0_u32;
    while log.len() < size {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        step += 1;
        let (noise, second) = (seed >> 8, step % 60);
        match noise % 4 {
            0 => writeln!(
                log,
                "2026-03-14 10:41:{second:02},{:03} INFO trainer: epoch {} step {step} loss {}.{:04} lr 0.0003",
                noise % 1000,
                step / 1000,
                noise % 7,
                noise % 10_000
            ),
            1 => writeln!(
                log,
                "[rank{}]: step {step}: {:.2} samples/s, {} MiB allocated, grad norm {}",
                noise % 8,
                f64::from(noise % 90_000) / 100.0,
                noise % 80_000,
                noise % 13
            ),
            2 => write!(log, "\r{:3}%|#####     | {step}/50000 [00:{second:02}<10:00, 31.4it/s]", step % 100),
            _ => writeln!(log, "validation: accuracy 0.{:04}, saved runs/a/checkpoint-{step}.pt", noise % 10_000),
        }
        .expect("a Vec takes all");
    }
    log.truncate(size);
    log
}
