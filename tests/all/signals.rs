//! Signals and stuck pipes: nothing gets in the way, and whatever hangs can be ended.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::{
    PROMPT, SIGINT, SIGPIPE, SIGTERM, binary, ended_by, ends_within, folder, noise, pickfix,
    receive, send, signal, started,
};

#[test]
fn a_closed_output_ends_it_as_it_ends_cat() {
    let mut child = started(&mut pickfix());
    drop(child.stdout.take());
    // Again and again: a process that another test starts meanwhile may hold the pipe for a moment.
    let mut stdin = child.stdin.take().unwrap();
    while stdin.write_all(b"nobody reads this\n").is_ok() {
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(ended_by(&mut child), Some(SIGPIPE));
    let mut message = String::new();
    child.stderr.unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(message, "");
}

#[test]
fn sigterm_ends_it_while_it_waits_for_input() {
    let mut child = started(&mut pickfix());
    signal(&child, SIGTERM);
    assert_eq!(ended_by(&mut child), Some(SIGTERM));
}

#[test]
fn what_lies_in_the_pipe_at_sigterm_is_still_copied() {
    let mut child = started(&mut pickfix());
    signal(&child, 19); // SIGSTOP, so that all of this comes at once
    send(&mut child, "last words");
    signal(&child, SIGTERM);
    signal(&child, 18);
    assert_eq!(ended_by(&mut child), Some(SIGTERM));
    assert_eq!(receive(&mut child, 10), "last words");
}

#[test]
fn a_second_sigterm_ends_it_though_a_write_is_stuck() {
    let mut child = started(&mut pickfix());
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || stdin.write_all(&noise(4_000_000)));
    assert_eq!(ended_by_a_later(SIGTERM, &mut child), Some(SIGTERM));
    assert!(writer.join().unwrap().is_err());
}

#[test]
fn ctrl_c_leaves_the_programs_last_words_their_time() {
    let mut child = started(&mut pickfix());
    // One `kill` for both: they must come at once.
    let id = child.id().to_string();
    let pressed = Command::new("kill").args(["-2", &id, &id]).status();
    assert!(pressed.expect("kill is there").success());
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
    assert_eq!(ended_by(&mut child), Some(SIGINT));
}

#[test]
fn a_ctrl_c_that_the_parent_ignores_stays_ignored() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' INT; exec \"$0\"", &binary()]);
    let mut child = started(shell.stdout(Stdio::piped()));
    signal(&child, SIGINT);
    thread::sleep(Duration::from_millis(1100));
    signal(&child, SIGINT);
    send(&mut child, "still here\n");
    assert_eq!(receive(&mut child, 11), "still here\n");
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// The time that a process has used of a processor.
#[cfg(target_os = "linux")]
fn processor_time(id: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).expect("it is running");
    let (_, rest) = stat.rsplit_once(')').expect("the name is in brackets");
    let ticks = rest.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.map(|n| n.parse::<u64>().expect("a number")).sum();
    // Linux tells a hundred a second, whatever it counts.
    Duration::from_millis(10 * ticks)
}

#[test]
#[cfg(target_os = "linux")]
fn a_parent_that_ignores_all_signals_gets_its_copy() {
    for (command, rest) in [("", ""), ("check --follow", "a.log")] {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            &format!("trap '' HUP INT TERM; exec \"$0\" {command} {rest}"),
            &binary(),
        ]);
        shell.current_dir(folder("all-ignored"));
        shell.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = if command.is_empty() {
            let mut child = started(&mut shell);
            for number in [1, SIGINT, SIGTERM] {
                signal(&child, number);
            }
            send(&mut child, "still here\n");
            assert_eq!(receive(&mut child, 11), "still here\n");
            child
        } else {
            shell.spawn().expect("it starts")
        };
        thread::sleep(Duration::from_secs(1));
        let used = processor_time(child.id());
        assert!(used < Duration::from_millis(500), "{command}: {used:?}");
        child.kill().expect("it is ours");
        child.wait().expect("it has ended");
    }
}

/// Sends a signal that ends it if it is stuck while two of them come, with the time between that
/// makes the second Ctrl-C count; again and again, since nothing tells when its pipes are full.
fn ended_by_a_later(number: i32, child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < PROMPT {
        signal(child, number);
        if let Some(status) = ends_within(child, Duration::from_millis(1100)) {
            return status.signal();
        }
    }
    ended_by(child)
}

#[test]
fn a_later_ctrl_c_ends_it_though_a_write_is_stuck() {
    let mut child = started(&mut pickfix());
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let writer = thread::spawn(move || stdin.write_all(&noise(4_000_000)));
    assert_eq!(ended_by_a_later(SIGINT, &mut child), Some(SIGINT));
    assert!(writer.join().expect("no panic").is_err());
}

#[test]
fn ctrl_c_does_not_end_a_write_that_only_waits_a_moment() {
    let mut child = started(&mut pickfix());
    let input = noise(4_000_000);
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let writer = thread::spawn({
        let input = input.clone();
        move || stdin.write_all(&input)
    });
    thread::sleep(Duration::from_millis(300));
    signal(&child, SIGINT);
    thread::sleep(Duration::from_millis(1100));
    let mut copied = Vec::new();
    let mut stdout = child.stdout.take().expect("stdout is a pipe");
    // More than the pipe holds: the write that waited has ended by then.
    let mut first = vec![0; 2_000_000];
    stdout.read_exact(&mut first).expect("it writes");
    signal(&child, SIGINT);
    stdout.read_to_end(&mut copied).expect("it writes");
    writer.join().expect("no panic").expect("it reads all");
    child.wait().expect("it ends");
    assert!([first, copied].concat() == input);
}

#[test]
#[cfg(target_os = "linux")]
fn a_later_ctrl_c_ends_the_wait_for_the_writer_of_a_fifo() {
    let fifo = folder("fifo").join("log");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.expect("mkfifo is there").success());
    let mut child = pickfix().arg(&fifo).spawn().expect("it starts");
    thread::sleep(Duration::from_millis(300));
    assert_eq!(ended_by_a_later(SIGINT, &mut child), Some(SIGINT));
    // One that a writer comes to is copied.
    let child = pickfix().arg(&fifo).spawn().expect("it starts");
    thread::sleep(Duration::from_millis(100));
    fs::write(&fifo, "words\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(
        (output.stdout.as_slice(), output.status.code()),
        (&b"words\n"[..], Some(0))
    );
}

#[test]
fn a_second_ctrl_c_ends_following_though_the_output_is_stuck() {
    let folder = folder("follow-stuck");
    let failure = |n: usize| {
        format!(
            "Traceback (most recent call last):\n  File \"/a/t{n}.py\", line 3, in f\n    g()\nTypeError: cannot pickle '_thread.lock' object\n"
        )
    };
    let log: String = (0..300).map(failure).collect();
    fs::write(folder.join("a.log"), log).expect("it can be written");
    let mut child = pickfix()
        .current_dir(&folder)
        .args(["check", "--follow", "a.log"])
        .spawn()
        .expect("it starts");
    // Until the pipe is full, which nobody reads.
    thread::sleep(Duration::from_secs(2));
    assert_eq!(ended_by_a_later(SIGINT, &mut child), Some(SIGINT));
}

#[test]
#[cfg(target_os = "linux")]
fn with_few_descriptors_it_copies_all_the_same() {
    let log = folder("few").join("a.log");
    fs::write(&log, "words\n").expect("it can be written");
    for most in 4..9 {
        let script = format!("ulimit -n {most}; exec \"$0\" --no-state");
        let output = Command::new("sh")
            .args(["-c", &script, &binary()])
            .stdin(fs::File::open(&log).expect("it is there"))
            .output()
            .expect("it runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.stdout.as_slice(), &*told),
            (&b"words\n"[..], ""),
            "{most}"
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn without_memory_check_says_so_and_ends_as_in_any_trouble() {
    let log = folder("memory").join("a.log");
    let line = |n: u64| {
        format!(
            "Traceback (most recent call last):\n  File \"a{n}.py\", line {n}, in f{n}\n    g({n})\n\
             TypeError: cannot pickle 'T{n}' object\n"
        )
    };
    fs::write(&log, (0..5_000).map(line).collect::<String>()).expect("it can be written");
    fs::write(log.with_file_name("b.log"), "words\n").expect("it can be written");
    let run = |kib: u64, name: &str| {
        let script = format!("ulimit -v {kib}; exec \"$0\" check --exit-zero --summary {name}");
        Command::new("sh")
            .args(["-c", &script, &binary()])
            .current_dir(log.parent().expect("a folder"))
            .env_remove("RUST_BACKTRACE")
            .output()
            .expect("it runs")
    };
    // How little is too little depends on the build; so does what it takes to start at all.
    let starts = (1..30).find(|n| run(n * 10_240, "b.log").status.success());
    let mut fails = (starts.expect("it starts")..30)
        .map(|n| run(n * 10_240, "a.log"))
        .filter(|output| String::from_utf8_lossy(&output.stderr).contains("memory allocation of "));
    let output = fails.next().expect("at some limit it has too little");
    assert_eq!(output.status.code(), Some(2));
}
