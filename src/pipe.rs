//! The size of the pipes that the stream comes and goes through.

use std::os::fd::AsFd;

/// A read or write of this many bytes shows that a pipe is full: Linux makes them 64 KiB.
const FULL: usize = 64 * 1024;

/// What a pipe is widened to when it has been full.
#[cfg(target_os = "linux")]
const WIDE: usize = 512 * 1024;

/// Widens a pipe, once, as soon as it proves to be busy.
///
/// A wider pipe makes for fewer switches between its two ends. A program that prints a line now
/// and then never fills one, and keeps it as it is.
#[derive(Debug, Default)]
pub(crate) struct Widener {
    is_done: bool,
}

impl Widener {
    /// Notes that so many bytes went through this end at once.
    pub(crate) fn saw(&mut self, count: usize, end: impl AsFd) {
        if count < FULL || self.is_done {
            return;
        }
        self.is_done = true;
        // What is no pipe, or may be no wider, stays as it is.
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(end, WIDE);
        #[cfg(not(target_os = "linux"))]
        let _ = end;
    }
}
