//! What a thread waits for, by the system call that it is in.

use std::fs;
use std::path::Path;

use super::processes::threads;

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Wait {
    /// A lock, or another thread, for as long as it takes.
    Lock,
    /// Data from a pipe.
    Pipe,
    /// Room in a pipe.
    FullPipe,
    /// A lock on a file.
    FileLock,
    /// A child process.
    Child,
    /// One of several files, none of which is a socket.
    Poll,
    /// A time, with or without something else.
    Sleep,
    /// The keyboard, or what else stdin is.
    Stdin,
    /// Something from outside, or that the system does not say.
    Other,
}

/// A system call that waits, of those that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Futex,
    Read,
    Write,
    Poll,
    Select,
    Child,
    Sleep,
    FileLock,
}

impl Wait {
    /// Returns what the threads of a process wait for, the main one first.
    pub(super) fn of_threads(pid: i32) -> Vec<Self> {
        let process = format!("/proc/{pid}");
        let has_sockets = has_sockets(Path::new(&process));
        let wait = |thread| {
            let call = fs::read_to_string(format!("{process}/task/{thread}/syscall"));
            Self::read(&call.unwrap_or_default(), has_sockets, |fd| {
                let file = fs::read_link(format!("{process}/fd/{fd}")).ok()?;
                file.to_str().map(str::to_owned)
            })
        };
        threads(pid).into_iter().map(wait).collect()
    }

    /// Reads `/proc/PID/task/TID/syscall`: the number of the call and its arguments.
    fn read(call: &str, has_sockets: bool, file: impl Fn(u64) -> Option<String>) -> Self {
        let mut words = call.split_whitespace();
        let number = words.next().and_then(|number| number.parse().ok());
        let Some(call) = number.and_then(call_of) else {
            return Self::Other;
        };
        let hexadecimal = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16);
        let arguments: Vec<u64> = words.map_while(|word| hexadecimal(word).ok()).collect();
        let argument = |at: usize| arguments.get(at).copied().unwrap_or_default();
        match call {
            // The fourth is the time at which it gives up.
            Call::Futex if argument(3) == 0 => Self::Lock,
            Call::Futex | Call::Sleep => Self::Sleep,
            Call::Child => Self::Child,
            Call::FileLock => Self::FileLock,
            // Before 3.11, Python sleeps by waiting for no file at all.
            Call::Select if argument(0) == 0 => Self::Sleep,
            Call::Poll if argument(1) == 0 => Self::Sleep,
            Call::Select | Call::Poll if has_sockets => Self::Other,
            Call::Select | Call::Poll => Self::Poll,
            Call::Read if argument(0) == 0 => Self::Stdin,
            // Its outputs, which pickfix reads.
            Call::Write if argument(0) <= 2 => Self::Other,
            Call::Write => match file(argument(0)) {
                Some(file) if file.starts_with("pipe:") => Self::FullPipe,
                _ => Self::Other,
            },
            Call::Read => match file(argument(0)) {
                Some(file) if file.starts_with("pipe:") => Self::Pipe,
                _ => Self::Other,
            },
        }
    }

    /// Returns whether only another process or thread of the program can end the wait.
    pub(super) fn is_inner(self) -> bool {
        matches!(
            self,
            Self::Lock | Self::Pipe | Self::FullPipe | Self::FileLock
        )
    }

    /// Returns whether it may end by itself or from outside.
    pub(super) fn is_outer(self) -> bool {
        matches!(self, Self::Sleep | Self::Stdin | Self::Other)
    }

    /// Returns it in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Lock => "a lock or a thread (futex)",
            Self::Pipe => "data from a pipe (read)",
            Self::FullPipe => "somebody to read from a pipe (write)",
            Self::FileLock => "a lock on a file (flock)",
            Self::Child => "a child process (wait4)",
            Self::Poll => "one of several pipes or processes (poll)",
            Self::Sleep => "a time (sleep)",
            Self::Stdin => "its input (read)",
            Self::Other => "something else",
        }
    }
}

/// Returns whether a process has a socket open, so that what it waits for may come from outside.
fn has_sockets(process: &Path) -> bool {
    let files = fs::read_dir(process.join("fd"));
    let mut files = files.into_iter().flatten().flatten();
    files.any(|file| {
        let to = fs::read_link(file.path()).unwrap_or_default();
        to.to_string_lossy().starts_with("socket:")
    })
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn call_of(number: i64) -> Option<Call> {
    Some(match number {
        202 => Call::Futex,
        0 | 17 | 19 => Call::Read,
        1 | 18 | 20 => Call::Write,
        7 | 271 => Call::Poll,
        23 | 270 => Call::Select,
        61 | 247 => Call::Child,
        35 | 230 => Call::Sleep,
        73 => Call::FileLock,
        _ => return None,
    })
}

#[cfg(all(target_os = "linux", target_arch = "aarch64"))]
fn call_of(number: i64) -> Option<Call> {
    Some(match number {
        98 => Call::Futex,
        63 | 65 | 67 => Call::Read,
        64 | 66 | 68 => Call::Write,
        73 => Call::Poll,
        72 => Call::Select,
        95 | 260 => Call::Child,
        101 | 115 => Call::Sleep,
        32 => Call::FileLock,
        _ => return None,
    })
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn call_of(_: i64) -> Option<Call> {
    None
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    fn read(call: &str) -> Wait {
        Wait::read(call, false, |fd| {
            Some(if fd == 5 { "pipe:[42]" } else { "/a" }.to_owned())
        })
    }

    #[test]
    fn calls_are_told_apart_by_their_arguments() {
        assert_eq!(
            read("202 0x7f 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd 0x7f3a"),
            Wait::Lock
        );
        assert_eq!(
            read("202 0x7f 0x189 0x0 0x7ffd10 0x0 0xffffffff 0x7ffd 0x7f3a"),
            Wait::Sleep
        );
        assert_eq!(read("0 0x5 0x7f 0x4 0x0 0x0 0x0 0x7ffd 0x7f3a"), Wait::Pipe);
        assert_eq!(
            read("0 0x6 0x7f 0x4 0x0 0x0 0x0 0x7ffd 0x7f3a"),
            Wait::Other
        );
        assert_eq!(
            read("0 0x0 0x7f 0x4 0x0 0x0 0x0 0x7ffd 0x7f3a"),
            Wait::Stdin
        );
        assert_eq!(
            read("230 0x1 0x1 0x7f 0x0 0x0 0x0 0x7ffd 0x7f3a"),
            Wait::Sleep
        );
        assert_eq!(
            read("23 0x0 0x0 0x0 0x0 0x7f 0x0 0x7ffd 0x7f3a"),
            Wait::Sleep
        );
        assert_eq!(
            read("7 0x7f 0x2 0x1388 0x0 0x0 0x0 0x7ffd 0x7f3a"),
            Wait::Poll
        );
        assert_eq!(
            read("61 0x2a 0x7f 0x0 0x0 0x0 0x0 0x7ffd 0x7f3a"),
            Wait::Child
        );
        assert_eq!(
            read("1 0x5 0x7f 0x4 0x0 0x0 0x0 0x7ffd 0x7f3a"),
            Wait::FullPipe
        );
        assert_eq!(
            read("1 0x1 0x7f 0x4 0x0 0x0 0x0 0x7ffd 0x7f3a"),
            Wait::Other
        );
        assert_eq!(read("running"), Wait::Other);
        assert_eq!(read(""), Wait::Other);
        let polled = Wait::read("7 0x7f 0x2 0x1388", true, |_| None);
        assert_eq!(polled, Wait::Other);
    }
}
