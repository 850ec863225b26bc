//! Runs a command and gives what it prints to the filter, with the terminal, the signals and the
//! exit status as if nobody stood in between.
//!
//! ```text
//!  keyboard ──► terminal (raw) ──► pty ──► command        stdin and stdout are terminals:
//!  screen   ◄── filter ◄────────── pty ◄──                a session of its own, led by `leader`
//!
//!  stdin ─────────────────────────────────► command       else: the command stays in our session,
//!  stdout   ◄── filter ◄── pipe or pty ◄──                and each output has a pipe, or a pty
//!  stderr   ◄── filter ◄── pipe or pty ◄──                where it goes to a terminal
//! ```
//!
//! - [`layout`]: which of the command's streams goes where;
//! - [`pty`]: a pseudo-terminal; [`terminal`]: the user's, raw and as it was;
//! - [`leader`]: the process that leads the command's session; [`command`]: the command, in either
//!   way of running it;
//! - [`signals`]: what is sent to pickfix and meant for the command;
//! - [`session`]: the main stream, the keyboard and the signals, as one [`Source`](crate::input::Source);
//!   [`chunk`]: what it reads at once; [`screen`]: what a full-screen program draws;
//!   [`side`]: a second stream;
//! - [`watch`]: what only the one who runs a command can know, from its [`processes`] and their
//!   [`memory`]; [`probe`]: what its Pythons can tell from within; [`stall`]: a program that has
//!   gone silent, the [`role`] of each process, what its threads [`wait`] for and through which
//!   [`files`];
//!   [`orphans`]: what it leaves behind;
//! - [`nested`]: another pickfix behind or in front.

mod chunk;
mod command;
mod files;
mod keyboard;
mod layout;
mod leader;
mod memory;
mod nested;
mod orphans;
mod probe;
mod processes;
mod pty;
mod role;
mod screen;
mod session;
mod side;
mod signals;
mod stall;
mod terminal;
mod wait;
mod watch;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Resource, getrlimit};

use crate::traceback::notes::OpenFiles;
use command::of_words;
pub(crate) use command::{Ending, StartError};
pub(crate) use layout::{Output, OwnStream};
pub(crate) use nested::is_read_by_pickfix;
pub(crate) use orphans::Orphan;
pub(crate) use probe::Probe;
pub(crate) use session::{Outcome, Session};
pub(crate) use side::Side;
use stall::Stall;
use watch::Watch;

/// How long a stream that others keep open is read after the command has ended.
const LINGER: Duration = Duration::from_secs(1);

/// Returns how many files the command may open: as many as this process.
pub(crate) fn open_files() -> Option<OpenFiles> {
    let limit = getrlimit(Resource::Nofile);
    Some(OpenFiles {
        limit: limit.current?,
        highest: limit.maximum,
    })
}

/// A command that is being run.
pub(crate) struct Run {
    /// What it prints on stdout, or on both of its outputs, with the keyboard and the signals.
    pub main: Session,
    /// Where the main stream goes to.
    pub to: Output,
    /// What it prints on stderr, where that goes elsewhere.
    pub side: Option<(Side, Output)>,
}

/// Starts a command, its name first; `stall` is the silence after which it is looked at, `probe` what
/// its Pythons load.
///
/// # Errors
/// Where there is no pseudo-terminal or no process for it. That the command itself cannot be
/// started is what [`Session::outcome`] says.
pub(crate) fn start(
    words: &[OsString],
    stall: Option<Duration>,
    probe: Option<&Probe>,
) -> io::Result<Run> {
    let name = Path::new(&words[0]).file_name().unwrap_or(&words[0]);
    let mut run = layout::start(of_words(words, probe))?;
    // What is counted before is read while the command is being loaded.
    let stall = stall.map(|after| Stall::new(after, probe.map(Probe::stacks)));
    let watch = Watch::new(name.to_string_lossy().into_owned()).with_stall(stall);
    run.main = run.main.watched_by(watch);
    Ok(run)
}
