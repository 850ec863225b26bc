//! Logs that still grow: they are read as they grow, and what is found is reported at once.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::bug;
use crate::candidate_lines::CandidateLines;
use crate::corpus::Corpus;
use crate::engine::Engine;
use crate::file_id::FileId;
use crate::incident::{Incident, Mode, Moment, ReadPlace, Tracker};
use crate::input::FileError;
use crate::reader::LineReader;
use crate::regular;

/// How much is read at once, in bytes.
const BLOCK: usize = 256 * 1024;

/// Follows logs. Time is what the caller says it is.
pub struct Follower<'c> {
    corpus: &'c Corpus,
    tracker: Tracker<'c>,
    logs: Vec<Log<'c>>,
    block: Vec<u8>,
    bytes: u64,
    own_lines: u64,
}

/// One log.
struct Log<'c> {
    path: PathBuf,
    name: Arc<str>,
    place: ReadPlace,
    open: Option<OpenLog>,
    lines: LineReader<'c>,
    /// Whether it was reported that it cannot be read.
    is_told: bool,
}

/// An open file, and how far it was read.
struct OpenLog {
    file: File,
    id: FileId,
    read: u64,
}

impl<'c> Follower<'c> {
    /// Begins before the first byte of each log; one that is not there yet is waited for.
    pub fn new(corpus: &'c Corpus, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut tracker = Tracker::new(Mode::Stream);
        let logs = paths.into_iter().map(|path| {
            let name: Arc<str> = Arc::from(path.display().to_string());
            tracker.begin(Some(Arc::clone(&name)));
            Log {
                path,
                name,
                place: tracker.place(),
                open: None,
                lines: lines(corpus),
                is_told: false,
            }
        });
        let logs = logs.collect();
        Self {
            corpus,
            tracker,
            logs,
            block: vec![0; BLOCK],
            bytes: 0,
            own_lines: 0,
        }
    }

    /// Reads what is new, and returns the incidents that began with it. What cannot be read is
    /// reported once, and tried again.
    pub fn look(
        &mut self,
        now: Duration,
        complain: &mut dyn FnMut(FileError),
    ) -> Vec<Incident<'c>> {
        for at in 0..self.logs.len() {
            self.tracker.resume(&self.logs[at].place);
            let looked = bug::caught(|| self.look_at(at, now)).unwrap_or_else(|bug| {
                self.logs[at].lines = lines(self.corpus);
                complain(super::failed(&self.logs[at].name, &bug));
                Ok(())
            });
            if let Err(error) = looked {
                let log = &mut self.logs[at];
                log.open = None;
                if !log.is_told {
                    log.is_told = true;
                    let name = log.name.to_string();
                    complain(FileError { name, error });
                }
            }
        }
        let line = 0;
        self.tracker.tick(Moment { line, time: now });
        self.tracker.take_new()
    }

    fn look_at(&mut self, at: usize, now: Duration) -> io::Result<()> {
        let was_quiet = !self.read_on(at, now)?;
        let log = &self.logs[at];
        let status = match std::fs::metadata(&log.path) {
            Ok(status) => status,
            // Being rotated: the next look finds the new one.
            Err(error) if error.kind() == io::ErrorKind::NotFound && log.open.is_some() => {
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let id = FileId::of(&log.path, &status);
        let is_same = |open: &OpenLog| open.id == id && open.read <= status.len();
        if log.open.as_ref().is_some_and(is_same) {
            if was_quiet {
                let Self { logs, tracker, .. } = self;
                logs[at].lines.quiet(now, tracker);
            }
            return Ok(());
        }
        // Another file has this name now, or this one was emptied.
        self.begin(at, now)?;
        self.read_on(at, now)?;
        Ok(())
    }

    /// Begins a file from its start.
    fn begin(&mut self, at: usize, now: Duration) -> io::Result<()> {
        let (log, tracker) = (&mut self.logs[at], &mut self.tracker);
        log.lines.end(now, tracker);
        let file = regular::open(&log.path).map_err(|e| match e.kind() {
            io::ErrorKind::Other => io::Error::other(format!("{e}; --follow is for files")),
            _ => e,
        })?;
        let status = file.metadata()?;
        let lines = lines(self.corpus);
        self.own_lines += std::mem::replace(&mut log.lines, lines).own_lines();
        log.is_told = false;
        log.open = Some(OpenLog {
            file,
            id: FileId::of(&log.path, &status),
            read: 0,
        });
        Ok(())
    }

    /// Reads to the end of what there is; returns whether there was anything.
    fn read_on(&mut self, at: usize, now: Duration) -> io::Result<bool> {
        let (log, tracker) = (&mut self.logs[at], &mut self.tracker);
        let Some(open) = &mut log.open else {
            return Ok(false);
        };
        let before = open.read;
        let mut candidates = CandidateLines::default();
        loop {
            let len = match open.file.read(&mut self.block) {
                Ok(0) => return Ok(open.read > before),
                Ok(len) => len,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            open.read += len as u64;
            self.bytes += len as u64;
            let chunk = &self.block[..len];
            candidates.find(self.corpus.gate(), chunk);
            let Ok(()) = log.lines.chunk(chunk, &candidates, now, tracker);
        }
    }

    /// Returns how many bytes were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns how many lines were left out because they bear pickfix's own gutter.
    pub fn own_lines(&self) -> u64 {
        let open = self.logs.iter().map(|log| log.lines.own_lines());
        self.own_lines + open.sum::<u64>()
    }

    /// Ends it; returns the last incidents that are new, and all.
    pub fn finish(mut self, now: Duration) -> (Vec<Incident<'c>>, Vec<Incident<'c>>) {
        for log in &mut self.logs {
            let tracker = &mut self.tracker;
            tracker.resume(&log.place);
            log.lines.end(now, tracker);
        }
        self.tracker.finish();
        let new = self.tracker.take_new();
        (new, self.tracker.into_incidents())
    }
}

/// Returns a reader before the first line of a log.
fn lines(corpus: &Corpus) -> LineReader<'_> {
    LineReader::new(Engine::new(corpus))
}
