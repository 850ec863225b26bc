//! Damaged text: of what mails, pages and log collectors leave of a traceback, the failure is
//! still told, or nothing is; never another one.
//!
//! Each kind of damage is applied to examples of all rules. `cargo test --test all damage --
//! --nocapture` prints what was found. The variable `PICKFIX_DAMAGE` names a kind whose misses are
//! to be listed; `PICKFIX_CAPTURES` a folder of labelled captures (see `tests/all/gate.rs`) that is
//! damaged as well.

mod kinds;
mod mentions;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use crate::common::{CORPUS, golden_folder, side_by_side};
use kinds::{KINDS, Kind};
use mentions::MENTIONS;
use pickfix::reader::incidents;
use pickfix::traceback::{Evidence, read};

/// How many examples of each rule are damaged.
const EXAMPLES: usize = 2;

/// Rules for the same message that only frames tell apart, or a name that the damage took: the one
/// that is left, and the right one.
const ALIKE: [(&str, &str); 13] = [
    ("process-handle-wrong-parent", "worker-cleanup-assert"),
    ("start-method-already-set", "missing-main-guard"),
    ("pickle-lookup-failed", "unpicklable-lambda"),
    ("peer-process-gone", "megatron-save-worker-died"),
    ("wrapped-model-attribute", "apex-ddp-unprepared"),
    ("peer-process-gone", "dask-nanny-pipe-broken"),
    ("celery-beat-damaged", "celery-beat-new-file"),
    ("unpickle-ran-out-of-input", "celery-beat-new-file"),
    // The same last line, without the feeder's frames; the same message, without the lines between.
    ("lock-released-too-often", "queue-closed-under-feeder"),
    ("dask-future-cancelled", "dask-scheduler-lost"),
    // Without the blank lines, the other worker's words are its message.
    ("jax-out-of-memory", "jax-memory-taken"),
    // The same among ranks.
    ("file-locks-missing", "file-lock-held"),
    // The shell's word, which stands alone there.
    ("program-killed", "leaked-semaphores"),
];

/// What is damaged for the goldens of `damaged/`.
const GOLDEN: &str = "cpython/unpicklable-lock--process-method--spawn-py314.in";

/// A text, and what is found in it while it is whole.
struct Sample {
    name: String,
    text: String,
    /// The ids of its roots.
    roots: BTreeSet<String>,
    /// Those and the ids of their consequences: the text tells these too.
    told: BTreeSet<String>,
    /// Whether it is more than lines that stand alone.
    has_frames: bool,
}

impl Sample {
    fn new(name: String, text: String) -> Self {
        let mut told = roots(&text);
        let roots = told.clone();
        for incident in incidents(&CORPUS, text.as_bytes(), None) {
            let consequences = incident.consequences.iter();
            told.extend(consequences.map(|c| c.id.to_owned()));
        }
        let has_frames = read(text.as_bytes())
            .iter()
            .any(|t| t.evidence != Evidence::Line);
        Self {
            name,
            text,
            roots,
            told,
            has_frames,
        }
    }

    /// Whether a rule gives way to one of those that the whole text shows.
    fn gives_way(&self, id: &str) -> bool {
        if ALIKE
            .iter()
            .any(|(less, right)| *less == id && self.told.contains(*right))
        {
            return true;
        }
        let rule = CORPUS.rule(id).expect("it was just found");
        let told = self.told.iter().filter_map(|t| CORPUS.rule(t));
        self.told.contains(id) || told.into_iter().any(|t| t.beats(rule) || rule.fallback)
    }
}

fn roots(text: &str) -> BTreeSet<String> {
    let roots = incidents(&CORPUS, text.as_bytes(), None).into_iter();
    roots
        .filter_map(|incident| incident.root.id().map(str::to_owned))
        .collect()
}

/// What became of the samples under one kind of damage.
#[derive(Default)]
struct Score {
    /// The failure is told, and nothing else.
    found: usize,
    /// Something true that says less: only a consequence, or a rule that gives way to the right one
    /// where the text shows more.
    less: Vec<String>,
    silent: Vec<String>,
    /// One failure is told as two.
    twice: Vec<String>,
    /// Another failure is told.
    wrong: Vec<String>,
}

impl Score {
    fn of(samples: &[Sample], kind: &Kind) -> Self {
        let mut score = Self::default();
        let counting = samples
            .iter()
            .filter(|s| s.has_frames || !kind.needs_frames);
        for sample in counting {
            let found = roots(&(kind.damage)(&sample.text));
            let line = || format!("{}: {found:?}, not {:?}", sample.name, sample.roots);
            let is_found = found.iter().any(|id| sample.roots.contains(id));
            if found.is_subset(&sample.told) {
                if is_found {
                    score.found += 1;
                } else if !found.is_empty() {
                    score.less.push(line());
                } else if !sample.roots.is_empty() {
                    score.silent.push(line());
                }
            } else if found.iter().all(|id| sample.gives_way(id)) {
                if is_found {
                    score.twice.push(line());
                } else {
                    score.less.push(line());
                }
            } else {
                score.wrong.push(line());
            }
        }
        score
    }

    fn recall(&self) -> usize {
        let missed = self.less.len() + self.silent.len() + self.twice.len() + self.wrong.len();
        let all = self.found + missed;
        (self.found * 100).checked_div(all).unwrap_or(100)
    }
}

/// Damages the samples in every way, prints the table, and gives what is not as it should be.
fn damaged(title: &str, samples: &[Sample], floors: bool) -> Vec<String> {
    let listed = std::env::var("PICKFIX_DAMAGE").unwrap_or_default();
    println!("{title}: {} texts", samples.len());
    println!("{:32} found  less  silent  twice  wrong", "damage");
    let mut faults = Vec::new();
    let scores = side_by_side(KINDS, |kind| Score::of(samples, kind));
    for (kind, score) in KINDS.iter().zip(scores) {
        println!(
            "{:32} {:>3} %  {:>4}  {:>6}  {:>5}  {:>5}",
            kind.name,
            score.recall(),
            score.less.len(),
            score.silent.len(),
            score.twice.len(),
            score.wrong.len()
        );
        if listed == kind.name || listed == "all" {
            println!("silent:\n  {}", score.silent.join("\n  "));
            println!("less:\n  {}", score.less.join("\n  "));
        }
        faults.extend(
            score
                .wrong
                .iter()
                .map(|w| format!("{}: wrong: {w}", kind.name)),
        );
        // Lines that stand alone each count: they show no chain. Of coloured words the gate lets
        // through little else.
        if floors
            && ![
                "exception line alone",
                "coloured words",
                "bare coloured words",
            ]
            .contains(&kind.name)
        {
            let twice = score.twice.iter();
            faults.extend(twice.map(|t| format!("{}: twice: {t}", kind.name)));
        }
        if floors && score.recall() < kind.floor {
            faults.push(format!(
                "{}: {} % found, {} % expected",
                kind.name,
                score.recall(),
                kind.floor
            ));
        }
    }
    faults
}

/// The examples that are damaged, for two tests.
static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let ids: Vec<&str> = CORPUS.ids().collect();
    let of_rule = |id: &&str| {
        let examples = CORPUS.examples(id).into_iter().take(EXAMPLES);
        let sample = |e: pickfix::corpus::Sample| Sample::new(format!("{id}: {}", e.name), e.input);
        examples.map(sample).collect::<Vec<_>>()
    };
    side_by_side(&ids, of_rule).into_iter().flatten().collect()
});

#[test]
fn damaged_failures_are_told_or_passed_over() {
    let faults = damaged("examples of the rules", &SAMPLES, true);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_only_mentions_a_failure_is_passed_over() {
    let mut alarms = Vec::new();
    for sample in &*SAMPLES {
        for (name, mention) in MENTIONS {
            let text = mention(&sample.text);
            for id in roots(&text) {
                alarms.push(format!("{name}: {id} in {:?} ({})", text, sample.name));
            }
        }
    }
    assert!(
        alarms.is_empty(),
        "{} alarms\n{}",
        alarms.len(),
        alarms.join("\n")
    );
}

/// `UPDATE_GOLDENS=1` writes the inputs; `tests/all/golden.rs` then the outputs.
#[test]
fn every_kind_of_damage_has_a_golden() {
    let folder = golden_folder();
    let whole = fs::read_to_string(folder.join(GOLDEN)).expect("it lies there");
    for kind in KINDS {
        let name = kind.name.replace('>', "-gt-").replace('#', "-hash-");
        let name = name.replace('|', "-bar-").to_lowercase();
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        let name = words
            .filter(|w| !w.is_empty())
            .collect::<Vec<_>>()
            .join("-");
        let path = folder.join("damaged").join(name).with_extension("in");
        let damaged = (kind.damage)(&whole);
        if std::env::var_os("UPDATE_GOLDENS").is_some() {
            fs::write(&path, &damaged).expect("a writable golden");
        }
        let golden = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            golden == damaged,
            "{} is not the {} text",
            path.display(),
            kind.name
        );
    }
}

#[test]
fn captures_may_be_damaged_too() {
    let Some(folder) = std::env::var_os("PICKFIX_CAPTURES") else {
        eprintln!("SKIPPED: PICKFIX_CAPTURES names no folder of labelled captures");
        return;
    };
    let index = fs::read_to_string(Path::new(&folder).join("index.tsv")).expect("an index");
    let (mut failing, mut healthy) = (Vec::new(), Vec::new());
    for row in index.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let (name, labels) = (columns[0], &columns[4..6]);
        let text = fs::read(Path::new(&folder).join(name)).unwrap_or_default();
        if text.len() > 64 * 1024 {
            continue;
        }
        let mut sample = Sample::new(name.to_owned(), String::from_utf8_lossy(&text).into_owned());
        let labels = labels.iter().flat_map(|l| l.split(','));
        sample.told.extend(labels.map(str::to_owned));
        if sample.roots.is_empty() {
            healthy.push(sample);
        } else {
            failing.push(sample);
        }
    }
    let mut faults = damaged("captures with a failure", &failing, false);
    faults.extend(damaged("captures without one", &healthy, false));
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
}
