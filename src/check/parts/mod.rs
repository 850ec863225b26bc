//! A large file in parts, which several threads sift at once.
//!
//! A thread reads a part, notes which lines of it may matter and counts the others; the bytes are
//! dropped. The one thread that reads lines takes the notes in order, and reads again only what is
//! around those lines, which the system still has in memory. So few words go from thread to thread.
//!
//! - [`sift`]: which lines of a part may matter; [`read`](mod@read): those lines to failures.

mod read;
mod sift;

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use super::blocks::{BLOCK, read_up_to};
use crate::gate::Gate;
use crate::reader::{LineReader, Sink};
use read::PartReader;
use sift::{Sifter, Stretch};

/// The size of a part, in bytes: one message from thread to thread, with what was found in it.
pub(super) const PART: u64 = 2 * 1024 * 1024;
/// From this size on, in bytes, a file is worth several threads.
pub(super) const LARGE: u64 = 4 * PART;
/// How many parts of each thread wait to be read.
const PARTS_AHEAD: usize = 2;

/// How a file is read: so many bytes of it, in parts of a size, by so many threads, at least one.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartPlan {
    pub(super) len: u64,
    pub(super) part: u64,
    pub(super) threads: usize,
}

/// Reads a file line by line; other threads sift it.
pub(super) fn read<'c>(
    file: &File,
    plan: PartPlan,
    gate: &Gate,
    lines: &mut LineReader<'c>,
    mut passed: impl FnMut(u64),
    sink: &mut impl Sink<'c, Error = Infallible>,
) -> io::Result<()> {
    let sifter = Sifter { file, plan, gate };
    let parts = plan.len.div_ceil(plan.part);
    thread::scope(|scope| {
        // Each thread sifts its own parts in order and waits with a few of them, so that what is
        // kept stays small.
        let start = |first| {
            let (done, sifted) = sync_channel(PARTS_AHEAD);
            let sifter = &sifter;
            scope.spawn(move || {
                let mut block = vec![0; BLOCK];
                let mut own = (0..parts).skip(first).step_by(plan.threads);
                own.try_for_each(|part| done.send(sifter.part(part, &mut block)))
            });
            sifted
        };
        let threads: Vec<Receiver<_>> = (0..plan.threads).map(start).collect();
        let mut reader = PartReader::new(file, lines);
        for (_, thread) in (0..parts).zip(threads.iter().cycle()) {
            // One that panicked sends nothing more; the scope hands the panic on.
            let Ok(stretches) = thread.recv() else { break };
            let stretches: Vec<Stretch> = stretches?;
            passed(stretches.iter().map(|s| s.len).sum());
            for stretch in stretches {
                reader.read(&stretch, sink)?;
            }
        }
        Ok(())
    })
}

/// A file that is read from an offset on, by many at once.
struct At<'f> {
    file: &'f File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let len = std::os::unix::fs::FileExt::read_at(self.file, buffer, self.offset)?;
        #[cfg(windows)]
        let len = std::os::windows::fs::FileExt::seek_read(self.file, buffer, self.offset)?;
        self.offset += len as u64;
        Ok(len)
    }
}

/// Reads from anywhere, until the buffer is full or the file ends.
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    read_up_to(&mut At { file, offset }, buffer)
}

#[cfg(test)]
mod tests;
