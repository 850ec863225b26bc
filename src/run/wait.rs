//! What a thread waits for, by the system call that it is in.

use std::fs;

use super::files::ProcessFiles;
use super::processes::threads;

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WaitReason {
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
    /// One of several files, into which only the program itself can put something.
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
    Epoll,
    Accept,
    Child,
    Sleep,
    FileLock,
}

impl WaitReason {
    /// Returns what the threads of a process wait for, the main one first.
    pub(super) fn of_threads(pid: i32) -> Vec<Self> {
        let files = ProcessFiles::of(pid);
        let wait = |thread| {
            let call = fs::read_to_string(format!("/proc/{pid}/task/{thread}/syscall"));
            Self::read(&call.unwrap_or_default(), &files)
        };
        threads(pid).into_iter().map(wait).collect()
    }

    /// Reads `/proc/PID/task/TID/syscall`: the number of the call and its arguments.
    fn read(call: &str, files: &ProcessFiles) -> Self {
        let mut words = call.split_whitespace();
        let number = words.next().and_then(|number| number.parse().ok());
        let Some(call) = number.and_then(call_of) else {
            return Self::Other;
        };
        let hexadecimal = |word: &str| u64::from_str_radix(word.trim_start_matches("0x"), 16);
        let arguments: Vec<u64> = words.map_while(|word| hexadecimal(word).ok()).collect();
        let argument = |at: usize| arguments.get(at).copied().unwrap_or_default();
        let is_pipe = || {
            let name = files.name(argument(0));
            name.is_some_and(|name| name.starts_with("pipe:"))
        };
        match call {
            // The fourth is the time at which it gives up.
            Call::Futex if argument(3) == 0 => Self::Lock,
            Call::Futex | Call::Sleep => Self::Sleep,
            Call::Child => Self::Child,
            Call::FileLock => Self::FileLock,
            // Before 3.11, Python sleeps by waiting for no file at all.
            Call::Select if argument(0) == 0 => Self::Sleep,
            Call::Poll if argument(1) == 0 => Self::Sleep,
            Call::Select => {
                let sets = [argument(1), argument(2), argument(3)];
                Self::of_files(files.selected(sets, argument(0)), files)
            }
            Call::Poll => Self::of_files(files.polled(argument(0), argument(1)), files),
            Call::Epoll => Self::of_files(files.registered(argument(0)), files),
            Call::Accept => Self::of_files(Some(vec![argument(0)]), files),
            Call::Read if argument(0) == 0 => Self::Stdin,
            Call::Read if is_pipe() => Self::Pipe,
            // Its outputs, which pickfix reads.
            Call::Write if argument(0) > 2 && is_pipe() => Self::FullPipe,
            Call::Read | Call::Write => Self::Other,
        }
    }

    /// Returns what it is to wait for one of these files; nobody knows where they cannot be read.
    fn of_files(fds: Option<Vec<u64>>, files: &ProcessFiles) -> Self {
        match fds {
            Some(fds) if !fds.is_empty() && fds.iter().all(|fd| files.is_inner(*fd)) => Self::Poll,
            _ => Self::Other,
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

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn call_of(number: i64) -> Option<Call> {
    Some(match number {
        202 => Call::Futex,
        0 | 17 | 19 => Call::Read,
        1 | 18 | 20 => Call::Write,
        7 | 271 => Call::Poll,
        23 | 270 => Call::Select,
        232 | 281 => Call::Epoll,
        43 | 288 => Call::Accept,
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
        22 => Call::Epoll,
        202 | 242 => Call::Accept,
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
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    /// What a call of this process is, with `FD` for the number of one of its files.
    fn read(call: &str, fd: &impl AsRawFd) -> WaitReason {
        let fd = format!("{:#x}", fd.as_raw_fd());
        let files = ProcessFiles::of(std::process::id().cast_signed());
        WaitReason::read(&call.replace("FD", &fd), &files)
    }

    #[test]
    fn calls_are_told_apart_by_their_arguments() {
        let (pipe, writer) = std::io::pipe().unwrap();
        let file = std::fs::File::open("/dev/null").unwrap();
        let rest = "0x0 0x0 0x0 0x7ffd 0x7f3a";
        for (call, wait) in [
            (
                "202 0x7f 0x189 0x0 0x0 0x0 0xffffffff 0x7ffd 0x7f3a",
                WaitReason::Lock,
            ),
            (
                "202 0x7f 0x189 0x0 0x7ffd10 0x0 0xffffffff 0x7ffd 0x7f3a",
                WaitReason::Sleep,
            ),
            (&format!("0 FD 0x7f 0x4 {rest}"), WaitReason::Pipe),
            (&format!("0 0x0 0x7f 0x4 {rest}"), WaitReason::Stdin),
            (
                "230 0x1 0x1 0x7f 0x0 0x0 0x0 0x7ffd 0x7f3a",
                WaitReason::Sleep,
            ),
            (
                "23 0x0 0x0 0x0 0x0 0x7f 0x0 0x7ffd 0x7f3a",
                WaitReason::Sleep,
            ),
            (
                "7 0x0 0x0 0x1388 0x0 0x0 0x0 0x7ffd 0x7f3a",
                WaitReason::Sleep,
            ),
            (
                "61 0x2a 0x7f 0x0 0x0 0x0 0x0 0x7ffd 0x7f3a",
                WaitReason::Child,
            ),
            (&format!("1 0x1 0x7f 0x4 {rest}"), WaitReason::Other),
            ("running", WaitReason::Other),
            ("", WaitReason::Other),
        ] {
            assert_eq!(read(call, &pipe), wait, "{call}");
        }
        assert_eq!(
            read(&format!("0 FD 0x7f 0x4 {rest}"), &file),
            WaitReason::Other
        );
        assert_eq!(
            read(&format!("1 FD 0x7f 0x4 {rest}"), &writer),
            WaitReason::FullPipe
        );
    }

    #[test]
    fn of_a_poll_it_counts_what_is_polled() {
        let (pipe, _writer) = std::io::pipe().unwrap();
        let (socket, _other) = UnixStream::pair().unwrap();
        let polled = |fds: &[&dyn AsRawFd]| {
            let entries: Vec<[i32; 2]> = fds.iter().map(|fd| [fd.as_raw_fd(), 1]).collect();
            let call = format!(
                "7 {:#x} {:#x} 0x1388",
                entries.as_ptr() as usize,
                entries.len()
            );
            read(&call, &pipe)
        };
        assert_eq!(
            polled(&[&pipe]),
            WaitReason::Poll,
            "a socket is open, but not waited for"
        );
        assert_eq!(polled(&[&pipe, &socket]), WaitReason::Other);
    }
}
