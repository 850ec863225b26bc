//! Real Python programs through the built binary: the output minus the annotations is the
//! program's own, and the annotation is the right one, under each start method where it occurs.

#![cfg(unix)]

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::without_annotations;

/// Finds a Python 3; `None`, said aloud, where there is none.
fn python() -> Option<&'static str> {
    let works = Command::new("python3")
        .arg("--version")
        .output()
        .is_ok_and(|o| o.status.success());
    if !works {
        println!("SKIPPED: no python3 here");
    }
    works.then_some("python3")
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// Runs a program and gives what it prints to stdout and stderr, in one pipe.
fn printed(python: &str, program: &Path, arguments: &[&str]) -> Vec<u8> {
    let command = format!("exec {python} \"$@\" 2>&1");
    let output = Command::new("sh")
        .args(["-c", &command, "sh"])
        .arg(program.file_name().expect("a program has a name"))
        .args(arguments)
        .current_dir(program.parent().expect("a program lies in a folder"))
        .env("PYTHONUNBUFFERED", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::null())
        // Some signal their whole process group.
        .process_group(0)
        .output()
        .expect("sh runs");
    output.stdout
}

/// Filters a text with the built binary: its output, and the ids that it reports. No other text of the
/// tests has this name.
fn filtered(text: &[u8], name: &str) -> (Vec<u8>, Vec<String>) {
    let report = format!("pickfix-{}-{name}.jsonl", std::process::id());
    let report = std::env::temp_dir().join(report);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pickfix"))
        .args(["--color", "never", "--width", "88", "--report"])
        .arg(&report)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    let bytes = text.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all");
    let lines = fs::read_to_string(&report).expect("the report is there");
    let _ = fs::remove_file(&report);
    let ids = lines
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
            value["id"].as_str().expect("it has an id").to_owned()
        })
        .collect();
    (output.stdout, ids)
}

/// What a program needs besides the standard library: `# needs: torch` in its first lines.
fn needs(program: &Path) -> Option<String> {
    let text = fs::read_to_string(program).expect("a readable program");
    let line = text
        .lines()
        .take(3)
        .find_map(|l| l.strip_prefix("# needs: "))?;
    Some(line.trim().to_owned())
}

/// What is to be typed runs where it says; `tests/programs/paste` does the same with libraries.
#[test]
fn the_code_of_each_fix_can_be_pasted() {
    let Some(python) = python() else { return };
    let has_toml = Command::new(python).args(["-c", "import tomllib"]).output();
    if !has_toml.is_ok_and(|o| o.status.success()) {
        println!("SKIPPED: this Python has no tomllib (3.11)");
        return;
    }
    let paste = Command::new(python)
        .arg(programs().join("paste"))
        .args([
            "--pickfix",
            env!("CARGO_BIN_EXE_pickfix"),
            "--python",
            python,
        ])
        .args(["--jobs", "6"])
        .output()
        .expect("python3 has told its version");
    let told = String::from_utf8_lossy(&paste.stdout);
    println!("{told}");
    assert!(
        paste.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&paste.stderr)
    );
}

/// The start methods that a program is run with: `# methods: spawn fork` in its first lines, or
/// spawn.
fn methods_of(program: &Path) -> Vec<String> {
    let text = fs::read_to_string(program).expect("a readable program");
    let line = text
        .lines()
        .take(3)
        .find_map(|l| l.strip_prefix("# methods: "))
        .unwrap_or("spawn");
    line.split_whitespace().map(str::to_owned).collect()
}

/// Runs all programs of an id: `broken*.py` give exactly the id, `fixed*.py` give nothing.
/// `tests/programs/run` does the same with those that need libraries.
fn check(id: &str) {
    let Some(python) = python() else { return };
    let folder = programs().join(id);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|f| f.expect("a readable folder").path())
        .filter(|f| f.extension().is_some_and(|e| e == "py"))
        .collect();
    files.sort();
    for file in files {
        let name = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let broken = name.starts_with("broken");
        if !broken && !name.starts_with("fixed") {
            continue;
        }
        if let Some(needed) = needs(&file) {
            println!("SKIPPED: {id}/{name}.py needs {needed}");
            continue;
        }
        for method in methods_of(&file) {
            let text = printed(python, &file, &[&method]);
            let (output, ids) = filtered(&text, &format!("{id}-{name}-{method}"));
            let shown = String::from_utf8_lossy(&text);
            assert_eq!(
                without_annotations(&output),
                text,
                "{id}/{name} {method}: bytes changed"
            );
            let harmless = method == "fork" && !shown.contains("Traceback");
            if broken && !harmless {
                assert_eq!(ids, [id], "{id}/{name}.py {method} printed:\n{shown}");
            } else {
                assert!(
                    ids.is_empty(),
                    "{id}/{name}.py {method} is still diagnosed {ids:?}:\n{shown}"
                );
            }
        }
    }
}

#[test]
fn a_lock_is_told_under_each_start_method() {
    check("unpicklable-lock");
}

#[test]
fn a_local_object_is_told_under_each_start_method() {
    check("unpicklable-local-object");
}

#[test]
fn a_lambda_is_told_under_each_start_method() {
    check("unpicklable-lambda");
}

#[test]
fn a_missing_main_guard_is_told_under_each_start_method() {
    check("missing-main-guard");
}

#[test]
fn cuda_in_a_forked_child_is_told() {
    check("cuda-fork");
}

/// The other ids whose programs need the standard library alone.
#[test]
fn every_other_program_gets_its_rule() {
    const OWN_TESTS: [&str; 5] = [
        "unpicklable-lock",
        "unpicklable-local-object",
        "unpicklable-lambda",
        "missing-main-guard",
        "cuda-fork",
    ];
    let mut ids: Vec<String> = fs::read_dir(programs())
        .expect("the programs lie there")
        .map(|f| f.expect("a readable folder"))
        .filter(|f| f.path().is_dir())
        .map(|f| f.file_name().to_string_lossy().into_owned())
        .filter(|id| !OWN_TESTS.contains(&id.as_str()) && id != "__pycache__")
        .collect();
    ids.sort();
    // They wait more than they compute.
    let next = AtomicUsize::new(0);
    let failed_of_one = || {
        std::iter::from_fn(|| ids.get(next.fetch_add(1, Ordering::Relaxed)))
            .filter(|id| std::panic::catch_unwind(|| check(id)).is_err())
            .collect::<Vec<_>>()
    };
    let failed = std::thread::scope(|scope| {
        let workers = [(); 6].map(|()| scope.spawn(failed_of_one));
        workers.map(|worker| worker.join().expect("what panics is caught"))
    })
    .concat();
    assert!(
        failed.is_empty(),
        "the programs of {failed:?} (each is told above)"
    );
}

/// Some thousand errors that have nothing to do with processes, also where a pool carries them.
#[test]
#[ignore = "makes and reads 18,000 tracebacks, for half a minute"]
fn ordinary_errors_get_no_annotation() {
    let Some(python) = python() else { return };
    let program = programs().with_file_name("ordinary").join("errors.py");
    for place in ["plain", "thread", "pool", "executor"] {
        let text = printed(python, &program, &[place]);
        let heads = text
            .split(|&b| b == b'\n')
            .filter(|l| l.starts_with(b"Traceback (most"));
        assert!(heads.count() > 3_000, "{place} printed too little");
        let (output, ids) = filtered(&text, place);
        assert!(output == text, "{place}: something is said");
        assert_eq!(ids, [""; 0], "{place}");
    }
}
