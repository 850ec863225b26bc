//! The built program as a process among others.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) use crate::folders::empty as folder;

pub(crate) const SIGINT: i32 = 2;
pub(crate) const SIGPIPE: i32 = 13;
pub(crate) const SIGTERM: i32 = 15;

/// What hangs takes longer, however busy the machine is.
pub(crate) const PROMPT: Duration = Duration::from_secs(60);

/// Returns the program's path: the one that was just built, or that of `PICKFIX_BINARY`.
pub(crate) fn binary() -> String {
    std::env::var("PICKFIX_BINARY").unwrap_or_else(|_| env!("CARGO_BIN_EXE_pickfix").to_owned())
}

/// Returns the program, between nothing and two pipes, with a state folder of its own.
///
/// A shell's background job ignores Ctrl-C, and so would all that it starts.
pub(crate) fn pickfix() -> Command {
    let exe = binary();
    let exe = exe.as_str();
    let mut command = if is_ignored(SIGINT) {
        let mut command = Command::new("env");
        command.args(["--default-signal=INT", exe]);
        command
    } else {
        Command::new(exe)
    };
    command
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns whether this process was started with a signal ignored.
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (number - 1)) != 0)
}

/// Starts it between two pipes, and waits until it copies.
pub(crate) fn started(command: &mut Command) -> Child {
    let mut child = command.stdin(Stdio::piped()).spawn().expect("it starts");
    send(&mut child, "ready\n");
    assert_eq!(receive(&mut child, 6), "ready\n");
    child
}

pub(crate) fn send(child: &mut Child, text: &str) {
    let stdin = child.stdin.as_mut().expect("stdin is a pipe");
    stdin.write_all(text.as_bytes()).expect("it reads");
}

pub(crate) fn receive(child: &mut Child, length: usize) -> String {
    let mut bytes = vec![0; length];
    let stdout = child.stdout.as_mut().expect("stdout is a pipe");
    stdout.read_exact(&mut bytes).expect("it writes");
    String::from_utf8(bytes).expect("text came in")
}

pub(crate) fn signal(child: &Child, number: i32) {
    let status = Command::new("kill")
        .args([format!("-{number}"), child.id().to_string()])
        .status();
    assert!(status.expect("kill is there").success());
}

/// Waits for its end without reading what is left.
pub(crate) fn ended_by(child: &mut Child) -> Option<i32> {
    let Some(status) = ends_within(child, PROMPT) else {
        let _ = child.kill();
        panic!("it has not ended after {PROMPT:?}");
    };
    status.signal()
}

/// Waits for its end, but no longer than this.
pub(crate) fn ends_within(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        let status = child.try_wait().expect("it is our child");
        if status.is_some() || start.elapsed() >= limit {
            return status;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Bytes of every value, in lines of all lengths; always the same.
pub(crate) fn noise(size: usize) -> Vec<u8> {
    let mut seed = 7_u32;
    let next = |_| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed.to_be_bytes()[0]
    };
    (0..size).map(next).collect()
}
