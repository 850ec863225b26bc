//! The built program among real processes: pipes, files, exit statuses.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::process::{folder, noise, pickfix, receive, send, started, stderr};

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

/// Into a pipe, a stream of JSON lines is only copied; none is what begins with a dict or an object over
/// several lines that a program prints, or holds a plain line.
#[test]
fn a_stream_of_json_lines_is_only_copied() {
    let failure = "Traceback (most recent call last):\n  File \"a.py\", line 2, in <module>\n    pickle.dumps(lock)\n\
                   TypeError: cannot pickle '_thread.lock' object\n";
    let escaped = failure.replace('"', "\\\"").replace('\n', "\\n");
    let record = format!("{{\"level\": \"error\", \"exception\": \"{escaped}\"}}\n");
    for (first, failure, is_annotated) in [
        ("{'host': 'a', 'port': 1}\n", failure, true),
        ("{\"host\": \"a\"}\n", &record, false),
        ("{\n  \"host\": 1}\n", &record, true),
        ("{\"host\": 1}\nstep 1\n", &record, true),
        ("{}\n", &record, false),
        ("{\"host\": \"a\"}\n", failure, true),
        ("step 1\n", &record, true),
    ] {
        let mut child = pickfix().stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin
            .write_all(format!("{first}{failure}").as_bytes())
            .unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            text.contains("▎ pickfix: "),
            is_annotated,
            "{first}{failure}"
        );
    }
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
