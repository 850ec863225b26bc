//! The gate: with the log lines of all built-in rules its search stays the fast one; over a folder
//! of labelled captures it lets each labelled failure through, and few lines of clean logs.
//!
//! The folder is named by the variable `PICKFIX_CAPTURES` and holds `index.tsv` with the columns
//! `file`, `expected_id` and `notes`. Without it the test says that it is skipped.

use std::fs;
use std::path::Path;

use pickfix::corpus::Corpus;
use pickfix::gate::Gate;

#[test]
fn the_built_in_rules_keep_the_gate_fast() {
    let corpus = Corpus::built_in();
    let literals: Vec<&str> = corpus.log_line_literals().collect();
    assert!(literals.len() > 20, "rules that match log lines");
    let gate = Gate::new(&literals);
    // Where there is no SIMD no gate is fast, whatever its needles.
    if Gate::new(&[]).is_fast() {
        assert!(
            gate.is_fast(),
            "more needles than the search takes: choose one that covers several literals"
        );
    }
    for literal in literals {
        assert!(gate.find(b"", literal.as_bytes()).is_some(), "{literal}");
    }
}

#[test]
fn every_labelled_capture_passes_the_gate() {
    let Some(folder) = std::env::var_os("PICKFIX_CAPTURES") else {
        eprintln!("SKIPPED: PICKFIX_CAPTURES names no folder of labelled captures");
        return;
    };
    let folder = Path::new(&folder);
    let index = fs::read_to_string(folder.join("index.tsv")).expect("the index can be read");
    let mut rows = index.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let header = rows.next().expect("the index has a header");
    let column = |name| header.iter().position(|title| *title == name).expect(name);
    let (file, expected) = (column("file"), column("expected_id"));
    let notes = column("notes");

    let gate = Gate::new(&[]);
    let (mut stopped, mut passed) = (Vec::new(), 0);
    let (mut clean_lines, mut clean_bytes) = (0, 0);
    for row in rows {
        let Ok(text) = fs::read(folder.join(row[file])) else {
            continue;
        };
        let hits = text.split(|&byte| byte == b'\n');
        let hits = hits.filter(|line| gate.find(b"", line).is_some()).count();
        if row[expected] == "none" {
            clean_lines += hits;
            clean_bytes += text.len();
        } else if hits == 0 && !row[notes].starts_with("no failure") {
            stopped.push(row[file]);
        } else {
            passed += 1;
        }
    }
    eprintln!("{passed} labelled captures pass");
    eprintln!("{clean_lines} lines of {clean_bytes} bytes labelled `none` pass too");
    assert!(stopped.is_empty(), "the gate stops {stopped:#?}");
    assert!(passed > 0, "no capture was found");
}
