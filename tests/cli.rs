//! The built program among real processes: pipes, files, signals, exit statuses.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const SIGINT: i32 = 2;
const SIGPIPE: i32 = 13;
const SIGTERM: i32 = 15;

/// The longest that anything prompt may take, on a machine that is busy with other tests.
const PROMPT: Duration = Duration::from_secs(5);

fn pickfix() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pickfix"));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Starts it between two pipes, and waits until it copies.
fn started(command: &mut Command) -> Child {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    send(&mut child, "ready\n");
    assert_eq!(receive(&mut child, 6), "ready\n");
    child
}

fn send(child: &mut Child, text: &str) {
    let stdin = child.stdin.as_mut().expect("stdin is a pipe");
    stdin.write_all(text.as_bytes()).expect("it reads");
}

fn receive(child: &mut Child, length: usize) -> String {
    let mut bytes = vec![0; length];
    let stdout = child.stdout.as_mut().expect("stdout is a pipe");
    stdout.read_exact(&mut bytes).expect("it writes");
    String::from_utf8(bytes).expect("text came in")
}

fn signal(child: &Child, number: i32) {
    let status = Command::new("kill")
        .args([format!("-{number}"), child.id().to_string()])
        .status();
    assert!(status.expect("kill is there").success());
}

/// Waits for its end without reading what is left.
fn ended_by(child: &mut Child, limit: Duration) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait().expect("it is our child") {
            return status.signal();
        }
        thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    panic!("it has not ended after {limit:?}");
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Bytes of every value, in lines of all lengths; always the same.
fn noise(size: usize) -> Vec<u8> {
    let mut seed = 7_u32;
    let next = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed.to_be_bytes()[0]
    };
    (0..size).map(next).collect()
}

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

#[test]
fn every_byte_comes_through() {
    let input = noise(3_000_000);
    let mut child = pickfix().stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn({
        let input = input.clone();
        move || stdin.write_all(&input).unwrap()
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(output.stdout == input);
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(0), "")
    );
}

#[test]
fn an_unfinished_line_does_not_wait_for_its_end() {
    let mut child = started(&mut pickfix());
    for bar in [
        "\r 10%|#         |",
        "\r 20%|##        |",
        "Continue? [y/N] ",
    ] {
        send(&mut child, bar);
        assert_eq!(receive(&mut child, bar.len()), bar);
    }
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_closed_output_ends_it_as_it_ends_cat() {
    let mut child = started(&mut pickfix());
    drop(child.stdout.take());
    // Again and again: a process that another test starts meanwhile may hold the pipe for a moment.
    let mut stdin = child.stdin.take().unwrap();
    while stdin.write_all(b"nobody reads this\n").is_ok() {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(ended_by(&mut child, PROMPT), Some(SIGPIPE));
    let mut message = String::new();
    child.stderr.unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(message, "");
}

#[test]
fn sigterm_ends_it_while_it_waits_for_input() {
    let mut child = started(&mut pickfix());
    signal(&child, SIGTERM);
    assert_eq!(ended_by(&mut child, PROMPT), Some(SIGTERM));
}

#[test]
fn what_lies_in_the_pipe_at_sigterm_is_still_copied() {
    let mut child = started(&mut pickfix());
    signal(&child, 19); // SIGSTOP, so that all of this comes at once
    send(&mut child, "last words");
    signal(&child, SIGTERM);
    signal(&child, 18);
    assert_eq!(ended_by(&mut child, PROMPT), Some(SIGTERM));
    assert_eq!(receive(&mut child, 10), "last words");
}

#[test]
fn a_second_sigterm_ends_it_though_a_write_is_stuck() {
    let mut child = started(&mut pickfix());
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || stdin.write_all(&noise(4_000_000)));
    // The pipe behind it is full once the one in front is too; nothing tells, so wait for it.
    thread::sleep(Duration::from_millis(300));
    signal(&child, SIGTERM);
    thread::sleep(Duration::from_millis(100));
    signal(&child, SIGTERM);
    assert_eq!(ended_by(&mut child, PROMPT), Some(SIGTERM));
    assert!(writer.join().unwrap().is_err());
}

#[test]
fn ctrl_c_leaves_the_programs_last_words_their_time() {
    let mut child = started(&mut pickfix());
    signal(&child, SIGINT);
    signal(&child, SIGINT);
    thread::sleep(Duration::from_millis(1100));
    send(&mut child, "KeyboardInterrupt\n");
    assert_eq!(receive(&mut child, 18), "KeyboardInterrupt\n");
    // There was input since, so this one is a first one again.
    signal(&child, SIGINT);
    send(&mut child, "bye\n");
    assert_eq!(receive(&mut child, 4), "bye\n");
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_later_ctrl_c_ends_it_when_orphans_hold_the_pipe() {
    let mut child = started(&mut pickfix());
    signal(&child, SIGINT);
    thread::sleep(Duration::from_millis(1100));
    assert!(child.try_wait().unwrap().is_none());
    signal(&child, SIGINT);
    assert_eq!(ended_by(&mut child, PROMPT), Some(SIGINT));
}

#[test]
fn a_ctrl_c_that_the_parent_ignores_stays_ignored() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "trap '' INT; exec \"$0\"",
        env!("CARGO_BIN_EXE_pickfix"),
    ]);
    let mut child = started(shell.stdout(Stdio::piped()));
    signal(&child, SIGINT);
    thread::sleep(Duration::from_millis(1100));
    signal(&child, SIGINT);
    send(&mut child, "still here\n");
    assert_eq!(receive(&mut child, 11), "still here\n");
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn non_blocking_pipes_lose_nothing() {
    let input = noise(3_000_000);
    let (mut feed, stdin) = UnixStream::pair().unwrap();
    let (mut drain, stdout) = UnixStream::pair().unwrap();
    stdin.set_nonblocking(true).unwrap();
    stdout.set_nonblocking(true).unwrap();
    let mut child = pickfix()
        .stdin(OwnedFd::from(stdin))
        .stdout(OwnedFd::from(stdout))
        .spawn()
        .unwrap();
    let writer = thread::spawn({
        let input = input.clone();
        move || {
            for part in input.chunks(100_000) {
                feed.write_all(part).unwrap();
                thread::sleep(Duration::from_millis(1));
            }
        }
    });
    // The reader starts late: by then the output is full.
    thread::sleep(Duration::from_millis(100));
    let mut found = Vec::new();
    drain.read_to_end(&mut found).unwrap();
    writer.join().unwrap();
    assert!(found == input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn files_are_read_one_after_the_other() {
    let folder = folder("files");
    fs::write(folder.join("a.log"), "a, no newline").unwrap();
    fs::write(folder.join("check"), "a file called like a command\n").unwrap();
    let mut child = pickfix()
        .current_dir(&folder)
        .args(["a.log", "-", "./check"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    send(&mut child, "|stdin|");
    drop(child.stdin.take());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "a, no newline|stdin|a file called like a command\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_the_others_still_come() {
    let folder = folder("unreadable");
    fs::write(folder.join("b.log"), "b\n").unwrap();
    let output = pickfix()
        .current_dir(&folder)
        .args(["a.log", ".", "b.log"])
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"b\n");
    assert_eq!(
        stderr(&output),
        "pickfix: a.log: No such file or directory\npickfix: .: Is a directory\n"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn it_does_not_read_what_it_writes() {
    let path = folder("loop").join("a.log");
    fs::write(&path, "a\n").unwrap();
    let appended = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let output = pickfix().arg(&path).stdout(appended).output().unwrap();
    assert!(stderr(&output).ends_with("a.log: the input is the output\n"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read(&path).unwrap(), b"a\n");
}

#[test]
fn a_full_disk_is_trouble() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        eprintln!("SKIPPED: there is no /dev/full");
        return;
    };
    let path = folder("full").join("a.log");
    fs::write(&path, "a\n").unwrap();
    let output = pickfix().arg(&path).stdout(full).output().unwrap();
    assert_eq!(
        stderr(&output),
        "pickfix: cannot write the output: No space left on device\n"
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_bad_command_line_is_one_message_and_status_2() {
    for (words, message) in [
        (&["--slect=a"][..], "unexpected argument '--slect' found"),
        (
            &["--width", "wide"],
            "invalid value 'wide' for '--width <N>'",
        ),
    ] {
        let output = pickfix().args(words).output().unwrap();
        let text = stderr(&output);
        assert!(text.starts_with(&format!("pickfix: {message}")), "{text}");
        assert_eq!(text.matches("pickfix: ").count(), 1, "{text}");
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(output.stdout, b"");
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    for (word, text) in [
        ("-h", "Usage:"),
        ("--help", "Exit status:"),
        ("-V", "pickfix "),
    ] {
        let output = pickfix().arg(word).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains(text));
        assert_eq!(
            (output.status.code(), stderr(&output).as_str()),
            (Some(0), "")
        );
    }
}
