use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::corpus::Corpus;
use crate::engine::{Engine, Failures};
use crate::incident::Moment;

const FAILURE: &str = "Traceback (most recent call last):\n  File \"train.py\", line 3, in f\n    g()\nTypeError: cannot pickle '_thread.lock' object\n";

/// A size of parts that tests can fill.
const SMALL: u64 = 1024 * 1024;

/// Notes all that is found.
#[derive(Default)]
struct Notes<'c>(Vec<Failures<'c>>);

impl<'c> Sink<'c> for Notes<'c> {
    type Error = Infallible;

    fn failures(&mut self, failures: Failures<'c>, _: Moment) {
        self.0.push(failures);
    }
}

/// Returns all that is found in a text, read in parts of a size.
fn failures<'c>(corpus: &'c Corpus, text: &[u8], part: u64, threads: usize) -> Vec<Failures<'c>> {
    let mut lines = LineReader::new(Engine::new(corpus));
    let mut notes = Notes::default();
    let len = text.len() as u64;
    let plan = PartPlan { len, part, threads };
    let (file, gate) = (tempfile(text), corpus.gate());
    read(&file, plan, gate, &mut lines, |_| (), &mut notes).unwrap();
    lines.end(Duration::ZERO, &mut notes);
    notes.0
}

/// Returns id, line and offset of all that is found in a text, read in parts.
fn found(text: &[u8], threads: usize) -> Vec<(String, u64, u64)> {
    let corpus = Corpus::built_in();
    let found = failures(&corpus, text, SMALL, threads);
    let places = found.iter().flatten().map(|failure| {
        let id = failure.id().map(str::to_owned);
        let at = failure.at;
        (id.unwrap_or_default(), at.line, at.offset)
    });
    places.collect()
}

fn tempfile(text: &[u8]) -> File {
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "pickfix-parts-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).unwrap();
    let file = File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    file
}

#[test]
fn the_first_line_names_the_columns_of_what_is_read_in_parts() {
    let size = usize::try_from(SMALL).unwrap();
    let row = |text: &str| format!("2024-05-14 09:12:33,\"{}\",a\n", text.replace('"', "\"\""));
    let rows: String = FAILURE.lines().map(row).collect();
    let passed = row("step 1, loss 0.1").repeat(3 * size / 40);
    let text = format!("time,message,stream\n{passed}{rows}{passed}");
    let all = found(text.as_bytes(), 2);
    let ids: Vec<&str> = all.iter().map(|(id, ..)| id.as_str()).collect();
    assert_eq!(ids, ["unpicklable-lock"]);
}

#[test]
fn a_failure_is_found_wherever_a_part_ends() {
    let part = usize::try_from(SMALL).unwrap();
    let line = "step 1 loss 0.5 all is well\n";
    for shift in [0, 1, 17, 34, 35, 80, FAILURE.len() - 1, FAILURE.len()] {
        let mut text = line.repeat(part / line.len() + 1).into_bytes();
        text.truncate(part - shift);
        *text.last_mut().unwrap() = b'\n';
        let (lines, offset) = (crate::line::newlines(&text), text.len() as u64);
        text.extend_from_slice(FAILURE.as_bytes());
        text.extend_from_slice(line.repeat(99).as_bytes());
        let wanted = [("unpicklable-lock".to_owned(), lines + 1, offset)];
        for threads in [1, 3] {
            assert_eq!(found(&text, threads), wanted, "{shift}");
        }
    }
}

#[test]
fn a_line_longer_than_a_part_is_passed() {
    let part = usize::try_from(SMALL).unwrap();
    let mut text = vec![b'x'; 2 * part + 5];
    text.push(b'\n');
    let offset = text.len() as u64;
    text.extend_from_slice(FAILURE.as_bytes());
    let wanted = [("unpicklable-lock".to_owned(), 2, offset)];
    assert_eq!(found(&text, 2), wanted);
    text.truncate(2 * part + 1);
    assert_eq!(found(&text, 2), []);
}

/// Inputs of the rules' own samples, one behind the other, some of them with a rank before each
/// line.
fn samples() -> impl Strategy<Value = Vec<u8>> {
    let corpus = Corpus::built_in();
    let ids: Vec<&str> = corpus.ids().collect();
    let inputs = ids.iter().flat_map(|id| corpus.examples(id));
    let inputs: Vec<String> = inputs.map(|sample| sample.input).collect();
    let sample = (prop::sample::select(inputs), 0_u32..12);
    prop::collection::vec(sample, 400..600).prop_map(|samples| {
        let mut text = String::new();
        for (input, rank) in samples {
            let prefix = if rank < 4 {
                format!("[rank{rank}]: ")
            } else {
                String::new()
            };
            for line in input.lines() {
                text.extend([&prefix, line, "\n"]);
            }
        }
        text.into_bytes()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 0, ..ProptestConfig::with_cases(2) })]

    #[test]
    fn a_file_in_parts_gives_what_it_gives_whole(
        text in samples(),
        part in 20_000_u64..300_000,
    ) {
        let corpus = Corpus::built_in();
        let whole = failures(&corpus, &text, text.len() as u64, 1);
        prop_assert!(whole.len() > 250);
        let in_parts = failures(&corpus, &text, part, 3);
        prop_assert_eq!(format!("{in_parts:?}"), format!("{whole:?}"));
    }
}
