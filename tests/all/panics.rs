//! A bug in any stage ends that stage alone: the stream is copied, what was found before is still
//! told and reported, and the bug is told of once, in one line.
//!
//! `PICKFIX_PANIC=STAGE:TEXT` makes the built program fail. `PICKFIX_BINARY` names another one: that
//! of the release, which unwinds and inlines otherwise.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::{PROMPT, SIGTERM, ended_by, folder, pickfix, signal, stderr};

/// What is found before the bug, after which it comes, and after it.
const BEFORE: &str = "Traceback (most recent call last):\n  File \"/a/before.py\", line 3, in f\n    g()\nTypeError: cannot pickle '_thread.lock' object\nepoch 1\n";
const BUG: &str = "Traceback (most recent call last):\n  File \"/a/bug.py\", line 4, in f\n    g()\nTypeError: cannot pickle 'sqlite3.Connection' object\nepoch 2\n";
const AFTER: &str = "Traceback (most recent call last):\n  File \"/a/after.py\", line 5, in f\n    g()\nAttributeError: Can't get local object 'f.<locals>.g'\nepoch 3\n";

/// The stages, each with the text at which it fails.
const STAGES: [&str; 5] = [
    "diagnose:sqlite3",
    "track:sqlite3",
    "draw:sqlite3",
    "report:sqlite3",
    "source:sqlite3",
];

fn filter(folder: &Path, stage: &str, words: &[&str], chunks: &[&str]) -> Output {
    let mut child = pickfix()
        .args(["--color", "never", "--report", "report.jsonl"])
        .args(words)
        .env("LC_ALL", "C.UTF-8")
        .env("PICKFIX_PANIC", stage)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    for chunk in chunks {
        stdin.write_all(chunk.as_bytes()).expect("it reads");
        thread::sleep(Duration::from_millis(if chunks.len() > 3 { 1 } else { 20 }));
    }
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

/// Returns the text without annotations.
fn copied(text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.starts_with('▎')).collect()
}

/// Returns the frames of the failures that a report tells of.
fn reported(folder: &Path) -> Vec<String> {
    let report = fs::read_to_string(folder.join("report.jsonl")).expect("there is a report");
    let file = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
        value["user_frame"]["file"]
            .as_str()
            .expect("a frame")
            .to_owned()
    };
    report.lines().map(file).collect()
}

/// Asserts that a bug was told of once, and in harmless letters.
fn assert_told_once(said: &str, stage: &str) {
    assert_eq!(said.matches("(a bug").count(), 1, "{stage}: {said}");
    assert_eq!(said.lines().count(), 1, "{stage}: {said}");
    assert!(
        said.contains(".rs:") && said.contains("provoked \\x1b[2J"),
        "{stage}: {said}"
    );
    assert!(
        said.starts_with("pickfix: ") && !said.contains('\u{1b}'),
        "{stage}: {said}"
    );
}

#[test]
fn the_filter_copies_on_and_reports_what_it_found() {
    let folder = folder("panic-filter");
    let text = [BEFORE, BUG, AFTER].concat();
    let bytes: Vec<String> = text.chars().map(String::from).collect();
    for stage in STAGES {
        for chunks in [
            vec![text.as_str()],
            vec![BEFORE, BUG, AFTER],
            bytes.iter().map(String::as_str).collect(),
        ] {
            let output = filter(&folder, stage, &[], &chunks);
            let printed = String::from_utf8(output.stdout.clone()).expect("text");
            assert_eq!(copied(&printed), text, "{stage}");
            assert!(printed.contains("before.py:3"), "{stage}: {printed}");
            assert_eq!(output.status.code(), Some(0), "{stage}");
            let reported = reported(&folder);
            let own = |file: &str| reported.iter().any(|f| f.ends_with(file));
            assert!(own("before.py"), "{stage}: {reported:?}");
            match stage.split(':').next() {
                // It may go on without: nothing is said of it.
                Some("source") => {
                    assert_eq!(stderr(&output), "");
                    assert!(own("bug.py") && own("after.py"));
                }
                Some("report") => {
                    assert_told_once(&stderr(&output), stage);
                    assert!(!own("bug.py") && own("after.py"), "{reported:?}");
                }
                _ => {
                    assert_told_once(&stderr(&output), stage);
                    assert!(!own("after.py"), "{reported:?}");
                }
            }
        }
    }
}

#[test]
fn what_was_found_and_not_yet_said_is_said() {
    let folder = folder("panic-held");
    // The annotation of the one waits for a place behind the frame of the other.
    let text = "[rank1]: Traceback (most recent call last):\n[rank1]:   File \"/a/before.py\", line 3, in f\n[rank1]: TypeError: cannot pickle '_thread.lock' object\n[rank0]: Traceback (most recent call last):\n[rank0]:   File \"/a/bug.py\", line 4, in f\n[rank1]: epoch 1\n[rank0]: TypeError: cannot pickle 'sqlite3.Connection' object\n[rank0]: epoch 2\n";
    let output = filter(&folder, "diagnose:sqlite3", &["--exit-code"], &[text]);
    let printed = String::from_utf8(output.stdout.clone()).expect("text");
    assert_eq!(copied(&printed), text);
    assert!(printed.contains("before.py:3"), "{printed}");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(reported(&folder).len(), 1);
}

#[test]
fn a_folded_stream_is_let_go() {
    let folder = folder("panic-fold");
    for stage in ["diagnose:sqlite3", "track:sqlite3", "draw:sqlite3"] {
        let output = filter(&folder, stage, &["--fold"], &[BEFORE, BUG, AFTER]);
        let printed = String::from_utf8(output.stdout.clone()).expect("text");
        for line in ["before.py", "bug.py", "after.py", "epoch 3"] {
            assert!(printed.contains(line), "{stage}: {printed}");
        }
        assert_told_once(&stderr(&output), stage);
    }
}

#[test]
fn check_tells_of_the_other_files() {
    let folder = folder("panic-check");
    fs::create_dir(folder.join("logs")).expect("it can be made");
    let large = "epoch 1 loss 0.5 all is well so far\n".repeat(300_000);
    for (name, text) in [
        ("a.log", BEFORE.to_owned()),
        ("b.log", BUG.to_owned()),
        ("c.log", AFTER.to_owned()),
        ("large.log", format!("{large}{BUG}{large}")),
    ] {
        fs::write(folder.join("logs").join(name), text).expect("it can be written");
    }
    for (stage, format) in [
        ("diagnose:sqlite3", "text"),
        ("track:sqlite3", "jsonl"),
        ("report:sqlite3", "json"),
        ("report:sqlite3", "jsonl"),
    ] {
        let output = pickfix()
            .args([
                "check",
                "--format",
                format,
                "--report",
                "report.jsonl",
                "logs",
            ])
            .env("PICKFIX_PANIC", stage)
            .current_dir(&folder)
            .output()
            .expect("it ends");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.contains("before.py"), "{stage}: {printed}");
        assert!(printed.contains("after.py"), "{stage}: {printed}");
        assert_eq!(reported(&folder).len(), 2, "{stage}");
        assert_eq!(output.status.code(), Some(2), "{stage}");
        for said in stderr(&output).lines() {
            assert_told_once(said, stage);
        }
    }
}

#[test]
fn following_goes_on() {
    let folder = folder("panic-follow");
    let log = folder.join("a.log");
    let add = |text: &str| {
        let mut options = fs::OpenOptions::new();
        let mut file = options
            .append(true)
            .create(true)
            .open(&log)
            .expect("it can be written");
        file.write_all(text.as_bytes()).expect("it can be written");
    };
    for stage in ["diagnose:sqlite3", "track:sqlite3"] {
        let _ = fs::remove_file(&log);
        add(BEFORE);
        let mut child = pickfix()
            .args(["check", "--follow", "--report", "report.jsonl", "a.log"])
            .env("PICKFIX_PANIC", stage)
            .current_dir(&folder)
            .spawn()
            .expect("it starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        let mut seen = Vec::new();
        let begun = Instant::now();
        for (text, awaited) in [("", "before.py"), (BUG, ""), (AFTER, "after.py")] {
            add(text);
            if awaited.is_empty() {
                thread::sleep(Duration::from_millis(800));
            }
            while !String::from_utf8_lossy(&seen).contains(awaited) {
                assert!(begun.elapsed() < PROMPT, "{stage}: no {awaited}");
                let mut piece = [0; 4096];
                let len = stdout.read(&mut piece).expect("it writes");
                assert!(len > 0, "{stage}: it has ended before {awaited}");
                seen.extend_from_slice(&piece[..len]);
            }
        }
        signal(&child, SIGTERM);
        assert_eq!(ended_by(&mut child), Some(SIGTERM), "{stage}");
        let output = child.wait_with_output().expect("it has ended");
        assert_told_once(&stderr(&output), stage);
        assert_eq!(reported(&folder).len(), 2, "{stage}");
    }
}
