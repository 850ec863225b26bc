//! A large file in parts, which several threads sift at once.
//!
//! A thread reads a part, notes which lines of it may matter and counts the others; the bytes are
//! dropped. The one thread that reads lines takes the notes in order, and reads again only what is
//! around those lines, which the system still has in memory. So few words go from thread to thread.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use super::scan::{Scanner, Sifted};
use crate::analysis::Failures;
use crate::gate::Gate;
use crate::lines::{HISTORY_BYTES, last_line_end, line_end};

/// The size of a part, in bytes: one message from thread to thread.
pub(super) const PART: u64 = 8 * 1024 * 1024;
/// How much is read at once, in bytes: it stays in the second cache while it is sifted.
const BLOCK: usize = 512 * 1024;
/// The size of a stretch, in bytes: so much is read again for a line that matters.
const STRETCH: usize = 64 * 1024;
/// From this size on, in bytes, a file is worth several threads.
pub(super) const LARGE: u64 = 2 * PART;
/// How many parts wait to be read.
const PARTS_AHEAD: usize = 2;

/// Some whole lines of the file; the last one of the file may lack its newline.
#[derive(Debug)]
struct Stretch {
    /// Where they start, in bytes.
    offset: u64,
    len: u64,
    /// What is known of them; `None` if a line is too long for that.
    sifted: Option<Sifted>,
}

/// How a file is read: so many bytes of it, in parts of a size, by so many threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) len: u64,
    pub(super) part: u64,
    pub(super) threads: usize,
}

/// Reads a file line by line, with the help of other threads.
pub(super) fn read<'c>(
    file: &File,
    plan: Plan,
    gate: &Gate,
    scanner: &mut Scanner<'c>,
    mut passed: impl FnMut(u64),
    found: &mut dyn FnMut(Failures<'c>),
) -> io::Result<()> {
    let next = AtomicU64::new(0);
    let sifter = Sifter { file, plan, gate };
    thread::scope(|scope| {
        let (done, ready) = sync_channel(PARTS_AHEAD);
        for _ in 0..plan.threads.max(1) {
            let (sifter, next, done) = (&sifter, &next, done.clone());
            scope.spawn(move || sifter.work(next, &done));
        }
        drop(done);
        let mut reader = Reader {
            file,
            gate,
            scanner,
            block: Vec::new(),
            has_passed: false,
        };
        let mut early = BTreeMap::new();
        let mut turn = 0;
        for (number, part) in ready {
            early.insert(number, part);
            while let Some(part) = early.remove(&turn) {
                turn += 1;
                for stretch in part? {
                    passed(stretch.len);
                    reader.read(&stretch, found)?;
                }
            }
        }
        Ok(())
    })
}

/// Reads the lines that matter.
struct Reader<'f, 's, 'c> {
    file: &'f File,
    gate: &'f Gate,
    scanner: &'s mut Scanner<'c>,
    block: Vec<u8>,
    /// Whether lines were passed whose bytes were not seen.
    has_passed: bool,
}

impl<'c> Reader<'_, '_, 'c> {
    fn read(&mut self, stretch: &Stretch, found: &mut dyn FnMut(Failures<'c>)) -> io::Result<()> {
        if let Some(sifted) = &stretch.sifted
            && sifted.is_empty()
            && self.scanner.is_idle()
        {
            self.scanner.pass(stretch.len, sifted.newlines());
            self.has_passed = true;
            return Ok(());
        }
        if self.has_passed {
            self.has_passed = false;
            let before = stretch.offset.min(HISTORY_BYTES as u64);
            self.fill(stretch.offset - before, before)?;
            self.scanner.remember(&self.block);
        }
        let mut at = stretch.offset;
        let end = stretch.offset + stretch.len;
        while at < end {
            let len = (end - at).min(BLOCK as u64);
            self.fill(at, len)?;
            if self.block.is_empty() {
                // The file has shrunk.
                return Ok(());
            }
            at += self.block.len() as u64;
            match &stretch.sifted {
                Some(sifted) if self.block.len() as u64 == stretch.len => {
                    self.scanner.chunk(&self.block, sifted, found);
                }
                _ => {
                    let mut sifted = Sifted::default();
                    sifted.sift(self.gate, &self.block);
                    self.scanner.chunk(&self.block, &sifted, found);
                }
            }
        }
        Ok(())
    }

    fn fill(&mut self, offset: u64, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).expect("a block or less");
        self.block.resize(len, 0);
        let read = read_at(self.file, &mut self.block, offset)?;
        self.block.truncate(read);
        Ok(())
    }
}

/// Notes which lines of a part may matter.
struct Sifter<'f> {
    file: &'f File,
    plan: Plan,
    gate: &'f Gate,
}

type Part = io::Result<Vec<Stretch>>;

impl Sifter<'_> {
    /// Sifts parts until there are no more.
    fn work(&self, next: &AtomicU64, done: &SyncSender<(u64, Part)>) {
        let mut block = vec![0; BLOCK];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number * self.plan.part >= self.plan.len {
                return;
            }
            let part = self.part(number, &mut block);
            if done.send((number, part)).is_err() {
                return;
            }
        }
    }

    /// Sifts the lines that start in a part.
    fn part(&self, number: u64, block: &mut [u8]) -> Part {
        let start = number * self.plan.part;
        let end = (start + self.plan.part).min(self.plan.len);
        let mut stretches = Vec::new();
        let Some(mut at) = self.line_start(start, end, block)? else {
            return Ok(stretches);
        };
        while at < end {
            let wanted = usize::try_from(self.plan.len - at).map_or(BLOCK, |left| left.min(BLOCK));
            let len = read_at(self.file, &mut block[..wanted], at)?;
            if len == 0 {
                break;
            }
            let is_end = at + len as u64 >= self.plan.len || len < wanted;
            // Up to the last line that starts in this part.
            let mut whole = if is_end {
                len
            } else {
                last_line_end(&block[..len])
            };
            if at + whole as u64 > end {
                let inside = usize::try_from(end - at).expect("less than a block");
                let last = inside.saturating_sub(1);
                whole = line_end(&block[last..whole]).map_or(whole, |len| last + len);
            }
            if whole == 0 {
                at = self.long_line(at, block, &mut stretches)?;
                continue;
            }
            self.sift(at, &block[..whole], &mut stretches);
            at += whole as u64;
        }
        Ok(stretches)
    }

    /// Finds the first line that starts in a part.
    fn line_start(&self, start: u64, end: u64, block: &mut [u8]) -> io::Result<Option<u64>> {
        if start == 0 {
            return Ok(Some(0));
        }
        // A newline just before the part makes a line start at its first byte.
        let mut at = start - 1;
        while at + 1 < end {
            let len = read_at(self.file, &mut block[..STRETCH], at)?;
            if len == 0 {
                break;
            }
            if let Some(found) = line_end(&block[..len]) {
                let found = at + found as u64;
                return Ok((found < end).then_some(found));
            }
            at += len as u64;
        }
        Ok(None)
    }

    /// Passes over a line that is longer than a block; gives where the next one starts.
    fn long_line(&self, start: u64, block: &mut [u8], to: &mut Vec<Stretch>) -> io::Result<u64> {
        let mut at = start;
        loop {
            let len = read_at(self.file, block, at)?;
            let end = line_end(&block[..len]);
            at += end.unwrap_or(len) as u64;
            if end.is_some() || len == 0 || at >= self.plan.len {
                to.push(Stretch {
                    offset: start,
                    len: at - start,
                    sifted: None,
                });
                // Nothing more can be read: the part is over.
                return Ok(if len == 0 { u64::MAX } else { at });
            }
        }
    }

    /// Sifts whole lines, stretch by stretch; neighbours become one, unless just one of the two has a
    /// line that matters.
    fn sift(&self, offset: u64, lines: &[u8], to: &mut Vec<Stretch>) {
        let mut at = 0;
        while at < lines.len() {
            let rest = &lines[at..];
            let len = match rest.get(..STRETCH).map(last_line_end) {
                None => rest.len(),
                Some(0) => line_end(rest).unwrap_or(rest.len()),
                Some(len) => len,
            };
            let mut sifted = Sifted::default();
            sifted.sift(self.gate, &rest[..len]);
            let stretch = Stretch {
                offset: offset + at as u64,
                len: len as u64,
                sifted: Some(sifted),
            };
            at += len;
            let joins = to.last_mut().is_some_and(|last| last.joins(&stretch));
            if !joins {
                to.push(stretch);
            }
        }
    }
}

impl Stretch {
    /// Takes another stretch in, if neither has a line that matters, or both have and the two can be
    /// read at once.
    fn joins(&mut self, next: &Self) -> bool {
        let (Some(own), Some(next_sifted)) = (&mut self.sifted, &next.sifted) else {
            return false;
        };
        let fit = own.is_empty() || self.len + next.len <= BLOCK as u64;
        if own.is_empty() != next_sifted.is_empty() || !fit || !own.join(next_sifted) {
            return false;
        }
        self.len += next.len;
        true
    }
}

/// Reads from anywhere, until the buffer is full or the file ends.
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    use std::os::unix::fs::FileExt;
    #[cfg(windows)]
    use std::os::windows::fs::FileExt;

    let mut len = 0;
    while len < buffer.len() {
        let at = offset + len as u64;
        #[cfg(unix)]
        let read = file.read_at(&mut buffer[len..], at);
        #[cfg(windows)]
        let read = file.seek_read(&mut buffer[len..], at);
        match read {
            Ok(0) => break,
            Ok(count) => len += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::analysis::Detection;
    use crate::analysis::gate;
    use crate::corpus::Corpus;

    const FAILURE: &str = "Traceback (most recent call last):\n  File \"train.py\", line 3, in f\n    g()\nTypeError: cannot pickle '_thread.lock' object\n";

    /// A size of parts that tests can fill.
    const SMALL: u64 = 1024 * 1024;

    /// Gives id, line and offset of all that is found in a text, read in parts.
    fn found(text: &[u8], threads: usize) -> Vec<(String, u64, u64)> {
        let corpus = Corpus::built_in();
        let gate = gate(&corpus);
        let mut scanner = Scanner::new(Detection::new(&corpus, gate.clone()));
        let mut all = Vec::new();
        let mut note = |failures: Failures| {
            for failure in failures {
                let id = failure.known().map(|d| d.rule.id.clone());
                let at = failure.at();
                all.push((id.unwrap_or_default(), at.line, at.offset));
            }
        };
        let mut file = tempfile(text);
        file.flush().unwrap();
        let plan = Plan {
            len: text.len() as u64,
            part: SMALL,
            threads,
        };
        let read = read(&file, plan, &gate, &mut scanner, |_| (), &mut note);
        read.unwrap();
        scanner.finish(&mut note);
        all
    }

    fn tempfile(text: &[u8]) -> File {
        use std::sync::atomic::AtomicU32;
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "pickfix-parts-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, text).unwrap();
        let file = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        file
    }

    #[test]
    fn a_failure_is_found_wherever_a_part_ends() {
        let part = usize::try_from(SMALL).unwrap();
        let line = "step 1 loss 0.5 all is well\n";
        for shift in [0, 1, 17, 34, 35, 80, FAILURE.len() - 1, FAILURE.len()] {
            let mut text = line.repeat(part / line.len() + 1).into_bytes();
            text.truncate(part - shift);
            *text.last_mut().unwrap() = b'\n';
            let (lines, offset) = (crate::lines::Position::newlines(&text), text.len() as u64);
            text.extend_from_slice(FAILURE.as_bytes());
            text.extend_from_slice(line.repeat(99).as_bytes());
            let wanted = [("unpicklable-lock".to_owned(), lines + 1, offset)];
            for threads in [1, 3] {
                assert_eq!(found(&text, threads), wanted, "{shift}");
            }
        }
    }

    #[test]
    fn a_line_longer_than_a_part_is_passed() {
        let part = usize::try_from(SMALL).unwrap();
        let mut text = vec![b'x'; 2 * part + 5];
        text.push(b'\n');
        let offset = text.len() as u64;
        text.extend_from_slice(FAILURE.as_bytes());
        let wanted = [("unpicklable-lock".to_owned(), 2, offset)];
        assert_eq!(found(&text, 2), wanted);
        text.truncate(2 * part + 1);
        assert_eq!(found(&text, 2), []);
    }
}
