//! What several tests share: the filter over a script, and the way back from its output.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses a part of it"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::thread;

use pickfix::corpus::Corpus;
use pickfix::filter::{self, Summary, Work};
use pickfix::incident::{Incident, Mode};
use pickfix::input::scripted::{Scripted, Step, Tape};
use pickfix::out::Out;
use pickfix::render::{Annotator, Colour, Glyphs};

pub const GUTTER: &str = "▎";

/// One corpus for all runs: a rule is compiled when it is first needed.
pub static CORPUS: LazyLock<Corpus> = LazyLock::new(Corpus::built_in);

/// What a run gave.
pub struct Run {
    pub output: Vec<u8>,
    /// The ids of the incidents whose root a rule knows, in order.
    pub ids: Vec<String>,
    pub complaints: Vec<String>,
    pub summary: Summary,
}

impl Run {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.output).into_owned()
    }

    /// How many annotations of a root there are.
    pub fn annotations(&self) -> usize {
        let text = self.text();
        text.lines()
            .filter(|l| l.starts_with("▎ pickfix: ") || l.starts_with("▎⏎ pickfix: "))
            .filter(|l| !l.contains("same failure again") && !l.contains("consequence of"))
            .count()
    }
}

/// Filters what the source plays, 88 columns wide, without colour.
pub fn filter(source: Scripted) -> Run {
    filter_to(source, &Tape::default())
}

/// The same, onto a tape that the test may look at meanwhile.
pub fn filter_to(source: Scripted, tape: &Tape) -> Run {
    filter_in(Glyphs::Unicode, source, tape)
}

/// The same, with gutters in these letters.
pub fn filter_in(glyphs: Glyphs, source: Scripted, tape: &Tape) -> Run {
    let annotator = Annotator::new(88, glyphs, Colour::Off);
    filter_as(|work| work.annotator = Some(annotator), source, tape)
}

/// The same, with settings of the test's own.
pub fn filter_as(set: impl FnOnce(&mut Work), mut source: Scripted, tape: &Tape) -> Run {
    let mut ids = Vec::new();
    let mut complaints = Vec::new();
    let mut out = Out::new(tape.clone());
    let mut report = |incident: &Incident| ids.extend(incident.root.id().map(str::to_owned));
    let mut complain = |message: &str| complaints.push(message.to_owned());
    let mut work = Work {
        analysis: Some((&CORPUS, Mode::Stream)),
        annotator: Some(Annotator::new(88, Glyphs::Unicode, Colour::Off)),
        ..Work::new(&mut report, &mut complain)
    };
    set(&mut work);
    let summary = filter::run(&mut source, &mut out, work).expect("a tape takes all");
    drop(out);
    Run {
        output: tape.bytes(),
        ids,
        complaints,
        summary,
    }
}

/// Filters a text that comes in one read.
pub fn filter_text(text: &[u8]) -> Run {
    filter(Scripted::new([Step::Bytes(text.to_vec())]))
}

/// Takes the annotations out of an output, and the newlines that blocks marked `▎⏎` brought.
pub fn without_annotations(output: &[u8]) -> Vec<u8> {
    let mut kept: Vec<u8> = Vec::with_capacity(output.len());
    for line in output.split_inclusive(|b| *b == b'\n') {
        if line.starts_with("▎⏎".as_bytes()) {
            assert_eq!(
                kept.pop(),
                Some(b'\n'),
                "a marked block stands behind a newline of its own"
            );
        } else if !line.starts_with(GUTTER.as_bytes()) {
            kept.extend_from_slice(line);
        }
    }
    kept
}

/// Does some work with each item, on all processors, and returns what came of it in the items' order.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = items.len().div_ceil(threads).max(1);
    let work_through = |items: &[T]| items.iter().map(&work).collect::<Vec<R>>();
    thread::scope(|scope| {
        let workers = items.chunks(share);
        let workers: Vec<_> = workers
            .map(|items| scope.spawn(|| work_through(items)))
            .collect();
        let results = workers.into_iter().map(thread::ScopedJoinHandle::join);
        results
            .flat_map(|done| done.expect("it was told above"))
            .collect()
    })
}

/// Returns the folder of the goldens.
pub fn golden_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Returns all golden inputs: the dialect, the path of the `.in` file, its bytes.
pub fn goldens() -> Vec<(String, PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in fs::read_dir(golden_folder()).expect("the goldens lie there") {
        let folder = folder.expect("a readable folder").path();
        if !folder.is_dir() {
            continue;
        }
        let dialect = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for file in fs::read_dir(&folder).expect("a readable folder") {
            let path = file.expect("a readable folder").path();
            if path.extension().is_some_and(|e| e == "in") {
                let bytes = fs::read(&path).expect("a readable golden");
                found.push((dialect.clone(), path, bytes));
            }
        }
    }
    found.sort_by(|a, b| a.1.cmp(&b.1));
    assert!(!found.is_empty());
    found
}
