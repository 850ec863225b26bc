//! `pickfix run` with pipes and files; and, by scripts, on a real terminal and with programs that say
//! nothing.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};

const FAILS: &str = "import pickle, threading; print('before'); pickle.dumps(threading.Lock())";

fn pickfix(command: &[&str]) -> Command {
    let mut pickfix = Command::new(env!("CARGO_BIN_EXE_pickfix"));
    pickfix.args(["run", "--no-state", "--ascii=false"]);
    pickfix.args(command).stdin(Stdio::null());
    pickfix
}

fn output(command: &[&str]) -> Output {
    pickfix(command).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a script of `tests/run`, which says what it skips.
fn script(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/run")
        .join(name);
    let run = Command::new("python3")
        .arg(path)
        .arg(env!("CARGO_BIN_EXE_pickfix"))
        .output();
    match run {
        Ok(run) => {
            println!("{}", text(&run.stdout));
            assert!(
                run.status.success(),
                "{}{}",
                text(&run.stdout),
                text(&run.stderr)
            );
        }
        Err(_) => println!("SKIPPED: there is no python3 here"),
    }
}

fn has_python() -> bool {
    let has = Command::new("python3").arg("--version").output().is_ok();
    if !has {
        println!("SKIPPED: there is no python3 here");
    }
    has
}

fn folder(name: &str) -> PathBuf {
    crate::folders::empty(&format!("run/{name}"))
}

#[test]
fn on_a_terminal_all_is_as_without() {
    script("terminal.py");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_hangs_is_told_and_one_that_works_is_not() {
    script("silence.py");
}

#[test]
fn with_pipes_the_ending_is_the_commands_own() {
    let endings = [
        "true",
        "false",
        "exit 2",
        "exit 42",
        "exit 126",
        "exit 127",
        "exit 255",
        "kill -TERM $$",
        "kill -KILL $$",
        "kill -HUP $$",
        "kill -INT $$",
        "kill -QUIT $$",
        "kill -SEGV $$",
        "kill -BUS $$",
        "kill -ABRT $$",
        "kill -FPE $$",
        "kill -PIPE $$",
        "kill -USR1 $$",
        "kill -ALRM $$",
        "exec no-such-command",
    ];
    let key = |status: ExitStatus| (status.code(), status.signal());
    for ending in endings {
        let bare = Command::new("sh").args(["-c", ending]).output().unwrap();
        let run = output(&["sh", "-c", ending]);
        assert_eq!(key(run.status), key(bare.status), "{ending}");
    }
}

#[test]
fn what_cannot_be_started_is_said_in_one_line() {
    let run = output(&["no-such-command", "x"]);
    assert_eq!(run.status.code(), Some(127));
    assert_eq!(
        text(&run.stderr),
        "pickfix: no-such-command: command not found\n"
    );
    let run = output(&["/etc/passwd"]);
    assert_eq!(run.status.code(), Some(126));
    assert_eq!(text(&run.stderr).lines().count(), 1);
}

#[test]
fn two_streams_stay_two_and_the_annotation_is_on_its_own() {
    if !has_python() {
        return;
    }
    let run = output(&["python3", "-c", FAILS]);
    assert_eq!(text(&run.stdout), "before\n");
    let stderr = text(&run.stderr);
    assert!(
        stderr.contains("▎ pickfix: a lock cannot be copied"),
        "{stderr}"
    );
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn one_file_for_both_keeps_their_order() {
    let folder = folder("order");
    let log = folder.join("log");
    let file = fs::File::create(&log).unwrap();
    let status = pickfix(&[
        "sh",
        "-c",
        "for n in 1 2 3; do echo out$n; echo err$n >&2; done",
    ])
    .stdout(file.try_clone().unwrap())
    .stderr(file)
    .status()
    .unwrap();
    assert!(status.success());
    assert_eq!(
        fs::read_to_string(log).unwrap(),
        "out1\nerr1\nout2\nerr2\nout3\nerr3\n"
    );
}

#[test]
fn every_byte_goes_through_from_stdin_to_stdout() {
    let bytes: Vec<u8> = (0_u32..1_000_000)
        .flat_map(|n| (n ^ n >> 3).to_le_bytes())
        .collect();
    let mut run = pickfix(&["cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = run.stdin.take().unwrap();
    let sent = bytes.clone();
    let writer = std::thread::spawn(move || stdin.write_all(&sent));
    let mut received = Vec::new();
    run.stdout
        .take()
        .unwrap()
        .read_to_end(&mut received)
        .unwrap();
    writer.join().unwrap().unwrap();
    assert!(run.wait().unwrap().success());
    assert!(received == bytes);
}

#[test]
fn a_reader_that_leaves_ends_the_command_as_without() {
    let mut run = pickfix(&["yes"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut some = [0; 100];
    run.stdout.take().unwrap().read_exact(&mut some).unwrap();
    assert_eq!(run.wait().unwrap().signal(), Some(13));
}

#[test]
fn what_is_left_running_does_not_hold_it() {
    let run = output(&["sh", "-c", "sleep 600 & echo $!"]);
    let pid = text(&run.stdout).trim().to_owned();
    let stderr = text(&run.stderr);
    if cfg!(target_os = "linux") {
        assert!(
            stderr.contains(&format!("still holds its output: sleep ({pid})")),
            "{stderr}"
        );
    }
    // It runs still, so nobody waited for it.
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
}

#[test]
fn a_signal_is_handed_on() {
    let mut run = pickfix(&[
        "sh",
        "-c",
        "trap 'echo got; exit 5' TERM; echo ready; while :; do sleep 0.1; done",
    ])
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let mut stdout = run.stdout.take().unwrap();
    let mut ready = [0; 6];
    stdout.read_exact(&mut ready).unwrap();
    let pid = run.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .unwrap()
            .success()
    );
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(
        (rest.as_str(), run.wait().unwrap().code()),
        ("got\n", Some(5))
    );
}

#[test]
fn a_signal_that_leaves_no_word_is_explained() {
    let run = output(&["sh", "-c", "kill -KILL $$"]);
    let stdout = text(&run.stdout);
    assert!(
        stdout.starts_with("▎ pickfix: SIGKILL ended `sh`") && !stdout.contains("unknown"),
        "{stdout}"
    );
    let run = output(&["sh", "-c", "kill -TERM $$"]);
    assert_eq!(text(&run.stdout), "");
}

#[test]
fn failures_of_both_streams_are_in_the_report() {
    if !has_python() {
        return;
    }
    let folder = folder("report");
    let report = folder.join("report.jsonl");
    let code = "import pickle, threading, traceback, sys\n\
                try: pickle.dumps(threading.Lock())\n\
                except TypeError: traceback.print_exc(file=sys.stdout)\n\
                pickle.dumps(lambda: 0)";
    let options = format!("--report={}", report.display());
    output(&[&options, "python3", "-c", code]);
    let lines = fs::read_to_string(&report).unwrap();
    for id in ["unpicklable-lock", "unpicklable-lambda"] {
        assert!(lines.contains(&format!("\"id\":\"{id}\"")), "{lines}");
    }
}

#[test]
fn options_behind_the_command_are_its_own() {
    let run = output(&["echo", "--report", "x", "--", "-n"]);
    assert_eq!(text(&run.stdout), "--report x -- -n\n");
    let run = output(&["--", "sh", "-c", "echo $*", "--help", "--stall"]);
    assert_eq!(text(&run.stdout), "--stall\n");
}

#[test]
fn of_two_that_pass_on_a_failure_one_annotates() {
    if !has_python() {
        return;
    }
    let pickfix = env!("CARGO_BIN_EXE_pickfix");
    let inner = format!("{pickfix} run --no-state python3 -c \"{FAILS}\"");
    let count = |text: &[u8]| {
        text.windows("▎ pickfix:".len())
            .filter(|w| *w == "▎ pickfix:".as_bytes())
            .count()
    };
    let count = |run: &Output| count(&run.stdout) + count(&run.stderr);
    for command in [
        // In a command that is run, with the same streams.
        inner.clone(),
        format!("{inner} 2>&1"),
        // By a pipe, there and here.
        format!("python3 -c \"{FAILS}\" 2>&1 | {pickfix} --no-state"),
        format!("{inner} 2>&1 | {pickfix} --no-state"),
    ] {
        let run = output(&["sh", "-c", &command]);
        assert_eq!(
            count(&run),
            1,
            "{command}\n{}{}",
            text(&run.stdout),
            text(&run.stderr)
        );
    }
    let piped = format!("{inner} 2>&1 | {pickfix} --no-state | cat");
    let run = Command::new("sh").args(["-c", &piped]).output().unwrap();
    assert_eq!(count(&run), 1, "{}", text(&run.stdout));
    // What goes elsewhere is annotated there.
    let folder = folder("nested");
    let log = folder.join("log");
    let run = output(&["sh", "-c", &format!("{inner} > {} 2>&1", log.display())]);
    assert_eq!(count(&run), 0);
    assert!(fs::read_to_string(&log).unwrap().contains("▎ pickfix:"));
}

#[test]
fn the_probe_names_the_object_and_is_not_noticed() {
    script("probe.py");
}
