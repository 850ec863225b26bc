//! What `check` and its reports make of any file, for tests and fuzz targets alike.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use pickfix::check::{Globs, Listener, Outputs, Progress, Request, run};
use pickfix::corpus::Corpus;
use pickfix::filter::{self, Work};
use pickfix::incident::{Grouping, Incident, Mode};
use pickfix::input::scripted::Scripted;
use pickfix::object::{Edit, Fingerprint};
use pickfix::out::Out;
use pickfix::render::json;
use pickfix::render::report::{ReadTotals, Report, ReportFormat, ReportOptions};
use pickfix::render::{Annotator, Colour, Glyphs};
use pickfix::source::{Root, Sources};
use pickfix::visible::is_hidden;

use super::common::CORPUS;

/// Returns a folder that this process alone has.
pub(crate) fn own_folder(name: &str) -> PathBuf {
    let name = format!("pickfix-{}-{name}", std::process::id());
    // A fuzz target has no folder of cargo's.
    let root = option_env!("CARGO_TARGET_TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = root.join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// Reads paths, and gives what was found and what could not be read.
pub(crate) fn check<T>(
    paths: &[&Path],
    globs: &[&str],
    threads: usize,
    note: impl FnMut(&Incident) -> T,
) -> (Vec<T>, Vec<String>) {
    check_within(Grouping::All, paths, globs, threads, note)
}

/// The same, with what counts as one failure.
pub(crate) fn check_within<T>(
    grouping: Grouping,
    paths: &[&Path],
    globs: &[&str],
    threads: usize,
    mut note: impl FnMut(&Incident) -> T,
) -> (Vec<T>, Vec<String>) {
    let globs: Vec<String> = globs.iter().map(|&glob| glob.to_owned()).collect();
    let what = Request {
        paths: paths.iter().map(|path| OsString::from(*path)).collect(),
        globs: Globs::new(&globs).expect("a right pattern"),
        outputs: Outputs::default(),
        threads,
        sources: None,
        grouping,
    };
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    let listener = Listener {
        report: &mut |incident| found.push(note(&incident)),
        complain: &mut |error| failed.push(error.to_string()),
    };
    run(&CORPUS, &what, &Progress::default(), listener);
    (found, failed)
}

/// Returns what the filter reports of a text, as of a saved one.
pub(crate) fn filtered(text: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut report = |incident: &Incident| found.push(json::any_line(incident));
    let mut complain = |message: &str| panic!("{message}");
    let work = Work {
        analysis: Some((&CORPUS, Mode::Saved)),
        ..Work::new(&mut report, &mut complain)
    };
    let mut source = Scripted::cut(text, 64 * 1024);
    filter::run(&mut source, &mut Out::new(io::sink()), work).expect("a sink takes all");
    found
}

/// Returns what `check` reports of a text that lies in this file.
pub(crate) fn checked(path: &Path, text: &[u8], threads: usize) -> Vec<String> {
    fs::write(path, text).expect("it can be written");
    let (found, failed) = check(&[path], &[], threads, json::any_line);
    assert_eq!(failed, Vec::<String>::new());
    let name = serde_json::to_string(path).expect("text");
    found
        .iter()
        .map(|line| line.replace(&name, "\"-\""))
        .collect()
}

/// Says in what two reports differ first, in short.
pub(crate) fn difference(left: &[String], right: &[String]) -> Option<String> {
    let fields = |line: &String| serde_json::from_str::<serde_json::Map<_, _>>(line).unwrap();
    for (left, right) in left.iter().zip(right).filter(|(left, right)| left != right) {
        let (left, right) = (fields(left), fields(right));
        for (name, value) in &left {
            if right[name] != *value {
                let place = (&left["id"], &left["line"]);
                return Some(format!("{place:?} {name}: {value} and {}", right[name]));
            }
        }
    }
    let (left, right) = (left.len(), right.len());
    (left != right).then(|| format!("{left} and {right} incidents"))
}

/// `check` finds in a saved text what the filter finds.
pub(crate) fn check_is_filter(text: &[u8]) {
    if text.is_empty() || text.starts_with(b"PK") || text.contains(&0) {
        return; // no text
    }
    let path = own_folder("same").join("a.log");
    if let Some(difference) = difference(&checked(&path, text, 1), &filtered(text)) {
        panic!("{difference}");
    }
}

/// What is decompressed, or not, ends; a damaged file is told of.
pub(crate) fn decompression_holds(bytes: &[u8]) {
    let path = own_folder("packed").join("a.log");
    fs::write(&path, bytes).expect("it can be written");
    let (_, failed) = check(&[&path], &[], 1, |_| ());
    for message in failed {
        assert!(!message.contains("a bug"), "{message}");
    }
}

/// Every form of the report is harmless: no hidden character, JSON that can be read, one record for
/// each failure, no markup and no link of the log's own.
pub(crate) fn formats_hold(text: &[u8]) {
    let incidents = pickfix::reader::incidents(&CORPUS, text, None);
    let known = incidents
        .iter()
        .filter(|i| i.root.diagnosis.is_some())
        .count();
    // A Ctrl-C is in no report.
    let told = incidents.iter().filter(|i| !i.root.is_interrupt()).count();
    for form in ReportFormat::ALL {
        let mut out = Vec::new();
        let options = ReportOptions {
            form,
            annotator: Annotator::new(88, Glyphs::Unicode, Colour::Off),
            unknown: true,
            summary: false,
            limit: 10,
            section: None,
            is_live: false,
            log: None,
        };
        let mut report = Report::new(&mut out, options).expect("it can be written");
        for incident in &incidents {
            report.incident(incident).expect("it can be written");
        }
        report
            .end(ReadTotals::default())
            .expect("it can be written");
        let text = String::from_utf8(out).expect("text");
        let name = form.name();
        assert!(
            !text.contains(|c| c != '\n' && is_hidden(c)),
            "{name}: {text:?}"
        );
        let json = |text: &str| -> serde_json::Value {
            let read = serde_json::from_str(text);
            read.unwrap_or_else(|e| panic!("{name}: {e}: {text}"))
        };
        match form {
            ReportFormat::Text => {}
            ReportFormat::Json => {
                assert_eq!(json(&text).as_array().unwrap().len(), told);
            }
            ReportFormat::Jsonl => {
                assert_eq!(text.lines().map(json).count(), told);
            }
            ReportFormat::Sarif => {
                let results = &json(&text)["runs"][0]["results"];
                for result in results.as_array().unwrap() {
                    let message = result["message"]["text"].as_str().unwrap();
                    assert!(!has_link(message), "{message}");
                }
            }
            ReportFormat::Github | ReportFormat::Gnu => {
                assert_eq!(text.lines().count(), known, "{name}: {text}");
                let is_command = |l: &str| {
                    ["::error ", "::warning ", "::notice "]
                        .iter()
                        .any(|c| l.starts_with(c))
                };
                assert!(
                    form == ReportFormat::Gnu || text.lines().all(is_command),
                    "{text}"
                );
            }
            ReportFormat::Html => {
                let scripts = text.matches("<script").count();
                assert_eq!(scripts, 1, "{text}");
                for tag in ["<img", "<a href=\"j", "<iframe", "onerror=\"", "<svg"] {
                    assert!(!text.contains(tag), "{tag}: {text}");
                }
            }
        }
    }
}

/// Returns whether SARIF takes a piece of a message for a link: `[text](destination)`.
fn has_link(message: &str) -> bool {
    message
        .match_indices("](")
        .any(|(at, _)| !message[..at].ends_with('\\'))
}

/// A rule file is read or refused, and one that is read can be asked.
pub(crate) fn rules_hold(rule: &str, log: &str) {
    let folder = own_folder("rules");
    fs::write(folder.join("a-rule.toml"), rule).expect("it can be written");
    let (corpus, errors) = Corpus::load(&[folder]);
    for error in &errors {
        assert!(error.line >= 1 && error.column >= 1, "{error}");
    }
    if corpus.ids().any(|id| id == "a-rule") {
        for incident in pickfix::reader::incidents(&corpus, log.as_bytes(), None) {
            assert!(!json::any_line(&incident).contains('\n'));
        }
    }
}

/// Messages that the search in the source is asked about.
const MESSAGES: [&str; 8] = [
    "TypeError: cannot pickle '_thread.lock' object",
    "TypeError: cannot pickle '_thread.RLock' object",
    "TypeError: cannot pickle 'sqlite3.Connection' object",
    "TypeError: cannot pickle 'module' object",
    "TypeError: cannot pickle 'generator' object",
    "_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f00>: attribute lookup <lambda> on __main__ failed",
    "AttributeError: Can't get local object 'f.<locals>.g'",
    "RuntimeError: \n        An attempt has been made to start a new process before the\n        current process has finished its bootstrapping phase.",
];

/// The search in any source ends, and a change that it makes belongs to the text.
pub(crate) fn source_holds(line: u8, message: u8, text: &str) {
    let folder = own_folder("source");
    let path = folder.join("x.py");
    fs::write(&path, text).expect("it can be written");
    let lines: Vec<&str> = text.split('\n').collect();
    let number = usize::from(line) % lines.len();
    let quoted = lines[number].trim();
    let message = MESSAGES[usize::from(message) % MESSAGES.len()];
    let log = format!(
        "Traceback (most recent call last):\n  File \"{}\", line {}, in <module>\n    {quoted}\n  File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 60, in dump\n    ForkingPickler(file, protocol).dump(obj)\n{message}\n",
        path.display(),
        number + 1,
    );
    let root = Root {
        local: folder.clone(),
        recorded: None,
    };
    let sources = Sources::new(vec![root], folder);
    for incident in pickfix::reader::incidents(&CORPUS, log.as_bytes(), Some(sources)) {
        let diagnosis = incident.root.diagnosis.as_ref();
        let object = diagnosis.and_then(|d| d.object.as_ref());
        let patch = object.and_then(|o| o.change.as_ref()?.patch.as_ref());
        if let Some(patch) = patch {
            assert!(patch.of == Fingerprint::of(text), "of another text");
            let new = Edit::all(text, &patch.edits).expect("the edits belong to the text");
            assert_ne!(new, text);
        }
    }
}
