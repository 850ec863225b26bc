//! Standard output without a buffer: one `write` for each call.
//!
//! Rust's own `stdout()` keeps back what follows the last newline, and a progress bar with it.

use std::io;

#[cfg(unix)]
use crate::pipe::Widener;
#[cfg(unix)]
use crate::signals::WriteWatch;

/// Writes to file descriptor 1. Where that is non-blocking (some programs leave a terminal or a
/// pipe so), it waits until it can be written to.
#[derive(Debug, Default)]
pub struct Stdout {
    #[cfg(unix)]
    pipe: Widener,
    #[cfg(unix)]
    watch: WriteWatch,
}

#[cfg(unix)]
impl io::Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.watch.around(|| write(bytes))?;
        self.pipe.saw(count, rustix::stdio::stdout());
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(not(unix))]
impl io::Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stdout = io::stdout().lock();
        let count = stdout.write(bytes)?;
        stdout.flush()?;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(unix)]
fn write(bytes: &[u8]) -> io::Result<usize> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    use rustix::stdio::stdout;

    loop {
        match rustix::io::write(stdout(), bytes) {
            Err(Errno::AGAIN) => {
                let mut fds = [PollFd::from_borrowed_fd(stdout(), PollFlags::OUT)];
                match poll(&mut fds, None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            written => return Ok(written?),
        }
    }
}
