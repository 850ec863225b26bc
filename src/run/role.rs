//! What a process is to Python's multiprocessing, by its command line.

use std::fs;

use super::processes::Process;

/// What a process is to multiprocessing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// A Python that is a copy of its parent: `fork`.
    Forked,
    /// `spawn`.
    Spawned,
    /// Started by the server of `forkserver`.
    Forkserver,
    /// That server, or what deletes semaphores and shared memory that are left over: they wait all
    /// the time.
    Helper,
}

impl Role {
    /// Returns the role of a process; `None` for any other program.
    pub(super) fn of(process: &Process) -> Option<Self> {
        let own = CommandLine::of(process.pid)?;
        Self::read(&own, CommandLine::of(process.parent).as_ref())
    }

    /// Reads the role out of a command line: the texts that multiprocessing runs its helpers by stand
    /// in its `spawn.py`, `forkserver.py` and `resource_tracker.py`. Who is forked has the command line
    /// of its parent.
    fn read(own: &CommandLine, parent: Option<&CommandLine>) -> Option<Self> {
        if !own.program.starts_with("python") {
            return None;
        }
        let is_copy = parent == Some(own);
        let runs = |code: &str| own.line.contains(code);
        Some(if runs("from multiprocessing.spawn import spawn_main") {
            Self::Spawned
        } else if runs("from multiprocessing.forkserver import main") {
            if is_copy {
                Self::Forkserver
            } else {
                Self::Helper
            }
        } else if runs("from multiprocessing.resource_tracker import main") {
            Self::Helper
        } else if is_copy {
            Self::Forked
        } else {
            return None;
        })
    }

    /// Returns what is told of it.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Forked => "forked",
            Self::Spawned => "spawned",
            Self::Forkserver => "from the forkserver",
            Self::Helper => "a helper of multiprocessing",
        }
    }
}

/// What a process runs.
#[derive(Debug, PartialEq, Eq)]
struct CommandLine {
    /// The name of the program's file.
    program: String,
    /// Its words, each with a zero behind it.
    line: String,
}

impl CommandLine {
    fn of(pid: i32) -> Option<Self> {
        let program = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
        let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        Some(Self {
            program: program.file_name()?.to_string_lossy().into_owned(),
            line: String::from_utf8_lossy(&line).into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> CommandLine {
        CommandLine {
            program: line.split(' ').next().unwrap_or_default().to_owned(),
            line: line.replace(' ', "\0"),
        }
    }

    #[test]
    fn a_copy_of_its_parent_is_forked_and_helpers_are_known_by_their_code() {
        // As the helpers of Python 3.11 are started; a zero ends each word.
        let code = |text: &str| CommandLine {
            program: "python3.11".to_owned(),
            line: format!("/usr/bin/python3\0-c\0{text}\0"),
        };
        let train = command("python3.11 train.py");
        let spawned = "from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5)";
        let server = "from multiprocessing.forkserver import main; main(3, 4, ['__main__'])";
        let tracker = "from multiprocessing.resource_tracker import main;main(4)";
        for (own, parent, role) in [
            (&train, Some(&train), Some(Role::Forked)),
            (&train, None, None),
            (&train, Some(&command("torchrun train.py")), None),
            (&command("bash x"), Some(&command("bash x")), None),
            (&code(spawned), Some(&train), Some(Role::Spawned)),
            (&code(server), Some(&train), Some(Role::Helper)),
            (&code(server), Some(&code(server)), Some(Role::Forkserver)),
            (&code(tracker), Some(&train), Some(Role::Helper)),
        ] {
            assert_eq!(Role::read(own, parent), role, "{own:?}");
        }
    }
}
