//! The gate: over a folder of labelled captures it lets each labelled failure through, and few lines
//! of clean logs.
//!
//! The folder is named by the variable `PICKFIX_CAPTURES` and holds `index.tsv` with the columns
//! `file`, `expected_id` and `notes`. Without it the test says that it is skipped.

use std::fs;
use std::path::Path;

use pickfix::gate::Gate;

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
