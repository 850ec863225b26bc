//! The finder for Pythons before 3.14, over the objects of `tests/finder/zoo.py`.
//!
//! Runs with every Python that is on the path under a name of its own, and with `python3`.

use std::process::Command;

/// Runs the checks with a Python; `None`, said aloud, where there is none of that name.
fn check(python: &str) -> Option<String> {
    let checks = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/finder/check.py");
    let works = Command::new(python)
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success());
    if !works {
        println!("SKIPPED: no {python} here");
        return None;
    }
    let run = Command::new(python)
        .arg(checks)
        .output()
        .expect("it has told its version");
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&run.stderr)
    );
    assert!(run.status.success(), "{python}:\n{said}");
    Some(said)
}

#[test]
fn finds_every_unpicklable_part_and_no_other() {
    if let Some(said) = check("python3") {
        println!("{said}");
    }
}

#[test]
fn finds_them_on_each_python_at_hand() {
    for minor in (6..14).chain([15]) {
        if let Some(said) = check(&format!("python3.{minor}")) {
            println!("{said}");
        }
    }
}

/// From 3.14 on `check.py` holds the paths against the notes that Python itself adds.
#[test]
fn agrees_with_the_notes_of_python_3_14() {
    if let Some(said) = check("python3.14") {
        println!("{said}");
    }
}
