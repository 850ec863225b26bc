//! What the probe of `pickfix run --probe` found: the notes of 3.14, for Pythons that add none.
//!
//! Each process of the program writes a file, one record for each object that could not be pickled:
//!
//! ```text
//! error TypeError: cannot pickle '_thread.lock' object
//! at reduction.py:60
//! at popen_spawn_posix.py:47
//! note dict item '_lock'
//! note Trainer state
//! note Trainer object
//! end
//! ```
//!
//! The frames come innermost first, the notes as 3.14 prints them. In all of it, `\` is `\\` and a line
//! break `\n`.

use std::path::PathBuf;

use super::super::{Exception, Frame, Traceback};
use super::{PROBED, SERIALIZING};
use crate::regular;

/// How many files are read, and how much of each, in bytes.
const MAX_FILES: usize = 4096;
const MAX_BYTES: u64 = 1 << 20;
/// How many of the innermost frames of a traceback must be those of a record.
const MIN_FRAMES: usize = 2;

/// What the probe has found so far, in a folder of its own.
#[derive(Clone, Debug)]
pub struct Probed {
    folder: PathBuf,
}

/// An object that could not be pickled.
#[derive(Debug, Default, PartialEq, Eq)]
struct Record {
    /// The error: its type, `: `, its message.
    error: String,
    /// `file:line` of each frame, innermost first.
    frames: Vec<String>,
    notes: Vec<String>,
}

impl Probed {
    /// Reads from this folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Adds the notes to the exceptions that they belong to.
    pub(super) fn add_notes(&self, traceback: &mut Traceback) {
        let records = self.read();
        for exception in &mut traceback.exceptions {
            if exception.notes.iter().any(|n| n.starts_with(SERIALIZING)) {
                continue;
            }
            if let Some(record) = of(exception, &records) {
                let notes = record.notes.iter().map(|note| format!("{PROBED}{note}"));
                exception.notes.extend(notes);
            }
        }
    }

    fn read(&self) -> Vec<Record> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten();
        let paths = files.flatten().take(MAX_FILES).map(|file| file.path());
        let texts = paths.filter_map(|path| regular::read_to_string(&path, MAX_BYTES).ok());
        texts.flat_map(|text| records(&text)).collect()
    }
}

/// Reads the records of a file; one that has no end yet is left out.
fn records(text: &str) -> Vec<Record> {
    let mut records = Vec::new();
    let mut record = Record::default();
    for line in text.lines() {
        match line.split_once(' ') {
            Some(("error", error)) => record.error = unescaped(error),
            Some(("at", frame)) => record.frames.push(unescaped(frame)),
            Some(("note", note)) => record.notes.push(unescaped(note)),
            None if line == "end" => records.push(std::mem::take(&mut record)),
            _ => {}
        }
    }
    records
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                other => other.unwrap_or('\\'),
            },
            (c, false) => c,
        });
    }
    plain
}

/// Returns the record of an exception: that of the same error which shares the most frames with it.
/// Where several share as many and differ in what they found, it is none.
fn of<'r>(exception: &Exception, records: &'r [Record]) -> Option<&'r Record> {
    let name = exception.type_name.as_deref()?.rsplit('.').next()?;
    let error = format!("{name}: {}", exception.message.join("\n"));
    let shared = |record: &Record| {
        let frames = exception.frames.iter().rev().map(place);
        let pairs = frames.zip(&record.frames);
        pairs.take_while(|(own, its)| own == *its).count()
    };
    let same = records.iter().filter(|record| record.error == error);
    let most = same.clone().map(shared).max()?;
    let mut best = same.filter(|record| shared(record) == most);
    let first = best.next().filter(|_| most >= MIN_FRAMES)?;
    best.all(|other| other.notes == first.notes)
        .then_some(first)
}

fn place(frame: &Frame) -> String {
    let name = frame.path.as_str().rsplit(['/', '\\']).next();
    format!("{}:{}", name.unwrap_or_default(), frame.line)
}

#[cfg(test)]
mod tests {
    use super::super::ObjectPath;
    use super::*;

    fn exception(message: &str, frames: &[(&str, u32)]) -> Exception {
        let frames = frames.iter().map(|(path, line)| Frame {
            path: (*path).into(),
            line: *line,
            ..Frame::default()
        });
        Exception {
            type_name: Some("_pickle.PicklingError".to_owned()),
            message: message.lines().map(str::to_owned).collect(),
            frames: frames.collect(),
            ..Exception::default()
        }
    }

    fn record(at: &[&str], notes: &[&str]) -> Record {
        let own = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        Record {
            error: "PicklingError: no\nlock".to_owned(),
            frames: own(at),
            notes: own(notes),
        }
    }

    #[test]
    fn records_are_read_up_to_the_last_that_is_complete() {
        let text = "error PicklingError: no\\nlock\nat a.py:1\nat b \\\\n.py:2\nnote dict item 'x'\n\
                    note R state\nend\nerror TypeError: x\nat a.py:1\n";
        let expected = record(&["a.py:1", "b \\n.py:2"], &["dict item 'x'", "R state"]);
        assert_eq!(records(text), [expected]);
    }

    #[test]
    fn a_record_belongs_to_the_error_that_was_raised_at_the_same_place() {
        let records = [
            record(&["reduction.py:60", "queues.py:9", "a.py:1"], &["R state"]),
            record(&["reduction.py:60", "queues.py:9", "b.py:2"], &["S state"]),
        ];
        let found = |line| {
            let frames = [("/x/b.py", line), ("q/queues.py", 9), ("reduction.py", 60)];
            of(&exception("no\nlock", &frames), &records).map(|r| r.notes[0].clone())
        };
        assert_eq!(found(2).as_deref(), Some("S state"));
        assert_eq!(found(3), None, "either may be it");
        let elsewhere = exception("no\nlock", &[("a.py", 1), ("b.py", 2)]);
        assert_eq!(of(&elsewhere, &records), None);
        let other = exception("no", &[("queues.py", 9), ("reduction.py", 60)]);
        assert_eq!(of(&other, &records), None);
        let alike = [records[0].frames.clone(), records[1].frames.clone()].map(|frames| Record {
            frames,
            ..record(&[], &["R state"])
        });
        let unsure = exception("no\nlock", &[("queues.py", 9), ("reduction.py", 60)]);
        assert!(of(&unsure, &alike).is_some(), "both found the same");
    }

    #[test]
    fn its_notes_are_read_as_those_of_3_14_and_prove_no_version() {
        let folder = std::env::temp_dir().join(format!("pickfix-probed-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = "error PicklingError: no\nat r.py:6\nat q.py:9\nnote dict item 'lock'\nnote Rec state\n\
                    note Rec object\nend\n";
        std::fs::write(folder.join("41"), text).unwrap();
        let mut traceback = Traceback {
            exceptions: vec![exception("no", &[("q.py", 9), ("r.py", 6)])],
            ..Traceback::default()
        };
        Probed::new(folder.clone()).add_notes(&mut traceback);
        std::fs::remove_dir_all(folder).unwrap();
        let path = ObjectPath::read(&traceback.exceptions[0]).unwrap();
        assert_eq!(path.display, "Rec.lock");
        let facts = crate::traceback::facts::Facts::read(&traceback, 0);
        assert_eq!(facts.python, None);
    }
}
