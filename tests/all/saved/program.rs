//! The built program, and logs for it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::folders;

/// The folder of the project.
pub(crate) fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A new folder for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    folders::with_settings(&format!("saved/{name}"))
}

/// The program with nothing of the user's own around it.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pickfix"));
    command
        .current_dir(folder)
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_CONFIG_HOME", folder.join("config"));
    command
}

/// Runs it in a folder.
pub(crate) fn pickfix(folder: &Path, words: &[&str], input: &[u8]) -> Output {
    let mut child = command(folder)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may end without reading.
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // In a thread, since the program writes while it reads.
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it ends");
    // It may have ended without reading all of it.
    let _ = writer.join().expect("the writer does not panic");
    output
}

/// Runs `check` over a folder; fails if there is trouble.
pub(crate) fn check(folder: &Path, words: &[&str]) -> String {
    let output = pickfix(folder, &[&["check"], words].concat(), b"");
    assert!(
        matches!(output.status.code(), Some(0 | 1)),
        "{words:?}: {}",
        stderr(&output)
    );
    stdout(&output).to_owned()
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

/// The inputs of the goldens, as `dialect/case.log`: captures of real runs in all dialects.
pub(crate) fn logs() -> Vec<(String, Vec<u8>)> {
    let root = project().join("tests/golden");
    let mut logs = Vec::new();
    for folder in fs::read_dir(&root).expect("the goldens lie there") {
        let folder = folder.expect("a readable folder").path();
        for file in fs::read_dir(&folder).into_iter().flatten() {
            let path = file.expect("a readable folder").path();
            if path.extension().is_some_and(|e| e == "in") {
                let name = path.strip_prefix(&root).expect("it lies below");
                let name = name.with_extension("log").to_string_lossy().into_owned();
                logs.push((name, fs::read(&path).expect("a readable golden")));
            }
        }
    }
    logs.sort();
    assert!(logs.len() > 50, "{} goldens", logs.len());
    logs
}

/// Writes files below a folder.
pub(crate) fn write<'a, T: AsRef<[u8]>>(
    folder: &Path,
    files: impl IntoIterator<Item = (&'a str, T)>,
) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(path, text).expect("it can be written");
    }
}

/// Makes a folder of all logs.
pub(crate) fn folder_of_logs(name: &str) -> PathBuf {
    let folder = folder(name);
    let logs = logs();
    write(
        &folder,
        logs.iter().map(|(name, text)| (name.as_str(), text)),
    );
    folder
}

/// A traceback that a rule knows, of a capture with Python 3.11.
pub(crate) const LOCK: &str = "\
Traceback (most recent call last):
  File \"train.py\", line 47, in train
    for batch in loader:
  File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 60, in dump
    ForkingPickler(file, protocol).dump(obj)
TypeError: cannot pickle '_thread.lock' object
";
