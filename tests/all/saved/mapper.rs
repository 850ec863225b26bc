//! `check` as a mapper: many calls over parts of a folder find what one call over all of it finds.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;

use super::program::{check, command, folder, logs, pickfix, project, stdout, write};

/// A folder of logs that have nothing to do with each other: the captures whose failures name a
/// line of their program, each of a program of its own.
fn independent_logs(name: &str) -> PathBuf {
    static CHOSEN: OnceLock<Vec<(String, String)>> = OnceLock::new();
    let folder = folder(name);
    let own = |(i, (name, text)): (usize, (String, Vec<u8>))| {
        let text = String::from_utf8_lossy(&text).replace("/home/user/", &format!("/job{i}/"));
        let output = pickfix(
            &folder,
            &["check", "--format", "jsonl", "-"],
            text.as_bytes(),
        );
        let found = objects(stdout(&output));
        let is_own = |v: &Value| {
            let file = v["user_frame"]["file"].as_str();
            file.is_some_and(|file| file.contains("/job"))
        };
        found
            .iter()
            .all(is_own)
            .then(|| (format!("logs/{name}"), text))
    };
    let chosen = CHOSEN.get_or_init(|| logs().into_iter().enumerate().filter_map(own).collect());
    write(
        &folder,
        chosen.iter().map(|(name, text)| (name.as_str(), text)),
    );
    folder
}

fn objects(text: &str) -> Vec<Value> {
    let object = |line| serde_json::from_str(line).expect("each line is whole");
    text.lines().map(object).collect()
}

/// Sorts lines, which come in any order.
fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Returns what tells incidents apart: the id, the file, the line.
fn keys(found: &[Value]) -> Vec<(String, String, u64)> {
    let text = |v: &Value| v.as_str().expect("text").to_owned();
    let key = |v: &Value| {
        let line = v["line"].as_u64().expect("a number");
        (text(&v["id"]), text(&v["file"]), line)
    };
    let mut keys: Vec<_> = found.iter().map(key).collect();
    keys.sort();
    keys
}

fn files_below(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("a readable one").path());
    paths
        .map(|path| if path.is_dir() { files_below(&path) } else { 1 })
        .sum()
}

/// The `PATH` with the built program in front.
fn path() -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_pickfix"));
    let folder = program.parent().expect("a folder").display();
    format!("{folder}:{}", std::env::var("PATH").unwrap_or_default())
}

#[test]
#[cfg(unix)]
fn xargs_with_several_processes_finds_what_one_call_finds() {
    let folder = independent_logs("xargs");
    assert!(files_below(&folder.join("logs")) >= 60);
    let one = check(&folder, &["--format", "jsonl", "logs"]);
    let page = fs::read_to_string(project().join("docs/logs.md")).expect("the page");
    let shown = page
        .lines()
        .find(|line| line.starts_with("find logs -type f"))
        .expect("the command is on the page");
    for (shown, status) in [
        (shown.to_owned(), 0),
        ("find logs -type f -print0 | xargs -0 -P2 -n8 pickfix check --format jsonl > found.jsonl".to_owned(), 123),
        ("find logs -type f -print0 | xargs -0 -P4 -n1 pickfix check --format jsonl --exit-zero > found.jsonl".to_owned(), 0),
    ] {
        let run = Command::new("sh")
            .args(["-c", &shown])
            .current_dir(&folder)
            .env("PATH", path())
            .env("XDG_CONFIG_HOME", folder.join("config"))
            .status()
            .expect("a shell");
        assert_eq!(run.code(), Some(status), "{shown}");
        let many = fs::read_to_string(folder.join("found.jsonl")).expect("lines");
        assert_eq!(sorted(&many), sorted(&one), "{shown}");
        assert_eq!(keys(&objects(&many)).len(), one.lines().count());
    }
}

#[test]
#[cfg(unix)]
fn lines_of_processes_that_share_a_file_stay_whole() {
    let folder = independent_logs("shared-file");
    let to = folder.join("found.jsonl");
    let file = File::options()
        .create(true)
        .append(true)
        .open(&to)
        .expect("a file");
    let run = || {
        command(&folder)
            .args(["check", "--format", "jsonl", "logs"])
            .stdout(Stdio::from(file.try_clone().expect("a handle")))
            .spawn()
            .expect("it starts")
    };
    let children: Vec<_> = (0..4).map(|_| run()).collect();
    for mut child in children {
        child.wait().expect("it ends");
    }
    let one = check(&folder, &["--format", "jsonl", "logs"]);
    let found = objects(&fs::read_to_string(to).expect("lines"));
    assert_eq!(found.len(), 4 * one.lines().count());
}

/// Wants `PySpark` in `$PYSPARK_PYTHON`, or else in `python3`, and Java.
#[test]
#[cfg(unix)]
fn spark_finds_what_one_call_finds() {
    let python = std::env::var("PYSPARK_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = |program: &str, words: &[&str]| {
        let run = Command::new(program).args(words).output();
        run.is_ok_and(|run| run.status.success())
    };
    if !has("java", &["-version"]) || !has(&python, &["-c", "import pyspark"]) {
        eprintln!("SKIPPED: no PySpark in {python} ($PYSPARK_PYTHON), or no Java here");
        return;
    }
    let folder = independent_logs("spark");
    let logs = folder.join("logs");
    let output = Command::new(&python)
        .arg(project().join("tests/saved/spark.py"))
        .arg(&logs)
        .current_dir(&folder)
        .env("PATH", path())
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("PYSPARK_PYTHON", &python)
        .env("PYSPARK_DRIVER_PYTHON", &python)
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let logs = logs.to_str().expect("a plain name");
    let one = check(&folder, &["--format", "jsonl", logs]);
    let of = |way: &str| -> String {
        let lines = stdout(&output).lines();
        let lines = lines.filter_map(|line| line.strip_prefix(way)?.strip_prefix(' '));
        lines.map(|line| line.to_owned() + "\n").collect()
    };
    assert_eq!(sorted(&of("names")), sorted(&one));
    assert_eq!(keys(&objects(&of("texts"))), keys(&objects(&one)));
}
