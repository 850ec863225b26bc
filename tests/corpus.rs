//! The built-in rules hold: their form, their examples and their non-examples.

use std::time::Duration;

use pickfix::corpus::{Corpus, Diagnosis, verify};
use pickfix::traceback::detector::Expect;
use pickfix::traceback::first_byte;
use pickfix::traceback::lanes::{Found, Lanes, RawLine};

struct Templates<'c>(&'c Corpus);

impl Expect for Templates<'_> {
    fn expects_more(&self, exception: &str, message: &[String]) -> bool {
        self.0.expects_more(exception, message)
    }

    fn expects(&self, exception: &str, message: &[String], next: &str) -> bool {
        self.0.expects(exception, message, next)
    }
}

/// Gives the diagnoses of a text that follow from no other one.
fn roots<'c>(corpus: &'c Corpus, text: &[u8]) -> Vec<Diagnosis<'c>> {
    let (mut lanes, mut found, mut offset) = (Lanes::default(), Vec::new(), 0);
    let more = Templates(corpus);
    for (number, bytes) in (1..).zip(text.split_inclusive(|b| *b == b'\n')) {
        let end_offset = offset + bytes.len() as u64;
        lanes.begin_line(first_byte(bytes), &more, &mut found);
        let line = RawLine {
            bytes,
            number,
            offset,
            end_offset,
        };
        lanes.line(line, Duration::ZERO, &more, &mut found);
        offset = end_offset;
    }
    lanes.finish(&mut found);
    let tracebacks = found.iter().map(|f| match f {
        Found::Traceback(traceback) | Found::Line(traceback) => traceback,
    });
    let all: Vec<Diagnosis> = tracebacks.flat_map(|t| corpus.diagnose(t)).collect();
    let follows = |d: &Diagnosis| all.iter().any(|root| d.rule.follows_from(root.rule));
    all.iter().filter(|d| !follows(d)).cloned().collect()
}

#[test]
fn every_rule_holds() {
    let corpus = Corpus::built_in();
    let found = verify(&corpus, &[], roots);
    let faults: Vec<String> = found.faults.iter().map(ToString::to_string).collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    println!("{} rules, {} samples", found.rules, found.samples);
}
