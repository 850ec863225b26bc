//! The recipes in docs/recipes.md, each tried as it is written there.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use regex::Regex;
use serde_json::Value;

use super::{folder, pickfix, project, read};

/// Returns the first block of code below a heading that is in this language.
fn code(heading: &str, language: &str) -> String {
    let page = read("docs/recipes.md");
    let (_, below) = page
        .split_once(&format!("\n## {heading}\n"))
        .expect("the heading");
    let (_, code) = below.split_once(&format!("```{language}\n")).expect("code");
    code.split("```").next().expect("it ends").to_owned()
}

/// Logs with an error, a warning and a note, one of them with a place in a folder of that name.
fn logs(folder: &Path) -> String {
    let mut all = String::new();
    for (id, examples) in [
        ("unpicklable-lock", 3),
        ("iterable-duplicated", 1),
        ("loader-many-workers", 1),
    ] {
        let corpus = pickfix::corpus::Corpus::built_in();
        let page = corpus.page(id).unwrap_or_else(|| panic!("no rule {id}"));
        for example in page.examples.iter().take(examples) {
            all.push_str(&example.input);
            all.push('\n');
        }
    }
    fs::write(folder.join("train.log"), all).expect("it can be written");
    pickfix(
        folder,
        &["check", "--format", "gnu", "--exit-zero", "train.log"],
    )
}

#[test]
fn the_problem_matcher_of_vs_code_takes_every_line() {
    let task: Value = serde_json::from_str(&code("VS Code", "json")).expect("JSON");
    let pattern = &task["tasks"][0]["problemMatcher"]["pattern"];
    let regexp = Regex::new(pattern["regexp"].as_str().expect("a text")).expect("an expression");
    let group =
        |name: &str| usize::try_from(pattern[name].as_u64().expect("a number")).expect("small");
    let words = task["tasks"][0]["args"].as_array().expect("words");
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let folder = folder("code");
    let shown = logs(&folder);
    assert_eq!(
        words,
        ["check", "--format", "gnu", "--exit-zero", "${input:log}"]
    );
    let mut severities = std::collections::BTreeSet::new();
    for line in shown.lines() {
        let found = regexp.captures(line).unwrap_or_else(|| panic!("{line}"));
        assert!(found[group("file")].ends_with(".py") || &found[group("file")] == "train.log");
        assert!(found[group("line")].parse::<u32>().is_ok(), "{line}");
        assert!(found[group("message")].contains(" ["), "{line}");
        severities.insert(found[group("severity")].to_owned());
    }
    let severities: Vec<String> = severities.into_iter().collect();
    assert_eq!(severities, ["error", "note", "warning"], "{shown}");
}

#[test]
#[cfg(unix)]
fn vim_jumps_to_each_failure() {
    let folder = folder("vim");
    let shown = logs(&folder);
    let compiler = read("docs/editors/pickfix.vim");
    let format = code("Vim", "vim").lines().count();
    assert_eq!(format, 2);
    let written = read("docs/recipes.md");
    let set = written
        .lines()
        .find_map(|line| line.strip_prefix("set errorformat="))
        .expect("the errorformat");
    assert!(compiler.contains(&format!("CompilerSet errorformat={set}\n")));
    fs::create_dir_all(folder.join("compiler")).expect("a folder");
    fs::write(folder.join("compiler/pickfix.vim"), &compiler).expect("it can be written");
    let list = "call writefile(map(getqflist(), {_, e -> join([bufname(e.bufnr), e.lnum, e.type, e.text], '|')}), 'list')";
    let program = Path::new(env!("CARGO_BIN_EXE_pickfix"));
    let path = std::env::var("PATH").unwrap_or_default();
    let run = Command::new("vim")
        .args(["-u", "NONE", "-i", "NONE", "-es", "--not-a-term"])
        .args(["-c", "set nocompatible runtimepath^=. shellpipe=>%s"])
        .args(["-c", "compiler pickfix", "-c", "silent make! train.log"])
        .args(["-c", list, "-c", "qa!"])
        .current_dir(&folder)
        .env(
            "PATH",
            format!("{}:{path}", program.parent().expect("a folder").display()),
        )
        .stdin(Stdio::null())
        .status();
    if run.is_err() {
        eprintln!("SKIPPED: no vim here");
        return;
    }
    let list = fs::read_to_string(folder.join("list")).expect("Vim wrote its list");
    let expected: Vec<String> = shown
        .lines()
        .map(|line| {
            let mut parts = line.splitn(4, ':');
            let mut part = || parts.next().expect("a part");
            let (file, line, kind, text) = (part(), part(), part(), part());
            format!("{file}|{line}|{}|{}", &kind[1..2], text.trim())
        })
        .collect();
    assert_eq!(list.lines().collect::<Vec<_>>(), expected);
}

#[test]
#[cfg(unix)]
fn a_slurm_script_says_what_went_wrong_and_keeps_its_status() {
    use std::os::unix::fs::PermissionsExt;

    let script = code("Slurm", "sh");
    for (name, ending, status) in [
        ("failed", "exit 3", Some(3)),
        ("cancelled", "kill -TERM $PPID; sleep 9", None),
    ] {
        let folder = folder(&format!("slurm-{name}"));
        let sample = project().join("tests/samples/dataloader-lock.log");
        fs::write(folder.join("job"), &script).expect("it can be written");
        let srun = folder.join("srun");
        fs::write(&srun, format!("#!/bin/sh\ncat {sample:?}\n{ending}\n"))
            .expect("it can be written");
        fs::set_permissions(&srun, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let program = Path::new(env!("CARGO_BIN_EXE_pickfix"))
            .parent()
            .expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let out = fs::File::create(folder.join("slurm-7.out")).expect("a file");
        let run = Command::new("bash")
            .arg("job")
            .current_dir(&folder)
            .env(
                "PATH",
                format!("{}:{}:{path}", folder.display(), program.display()),
            )
            .env("SLURM_JOB_ID", "7")
            .stdout(out.try_clone().expect("a handle"))
            .stderr(out)
            .status()
            .expect("bash");
        assert_eq!(run.code(), status, "{name}");
        let why = fs::read_to_string(folder.join("slurm-7.why")).expect("the report");
        assert!(why.contains("[unpicklable-lock]"), "{name}: {why}");
    }
}

#[test]
fn the_lines_of_mixed_pods_are_told_apart() {
    let sample = read("tests/samples/dataloader-lock.log");
    let mixed: String = sample
        .lines()
        .flat_map(|line| (0..2).map(move |pod| format!("[pod/train-{pod}/main] {line}\n")))
        .collect();
    let mut filter = Command::new(env!("CARGO_BIN_EXE_pickfix"))
        .arg("--no-state")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = filter.stdin.take().expect("a pipe");
    input.write_all(mixed.as_bytes()).expect("it reads");
    drop(input);
    let output = filter.wait_with_output().expect("it ends");
    let output = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.matches("▎   fix ").count(), 1, "{output}");
    assert!(
        output.contains("same failure again, 2 times in all"),
        "{output}"
    );
    let plain: String = output
        .lines()
        .filter(|line| !line.starts_with('▎'))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert_eq!(plain, mixed);
}
