//! Saved logs: files, folders and compressed ones, to incidents.
//!
//! ```text
//! walk ─► files in order ─► workers: open ─► blocks ─► gate ─► LineReader ─► failures
//!                                                                                │
//!                      one tracker, in the order of the files ◄──────────────────┘
//! ```
//!
//! - [`mod@walk`]: which files; [`job`]: which of them are one job's;
//! - [`open`]: plain or compressed;
//! - [`blocks`]: a file in blocks; [`parts`]: a large one, which several threads search;
//! - [`follow`]: a log that still grows.
//!
//! Files are read in parallel and reported in order; what was found in a file waits in a channel of
//! a few batches until its turn comes, so that memory does not grow with the number of files.

mod blocks;
mod follow;
mod job;
mod open;
mod parts;
mod utf16;
mod walk;

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use crate::bug::{self, Bug};
use crate::corpus::{Corpus, Failure};
use crate::engine::{Engine, Failures};
use crate::incident::{Grouping, Incident, Mode, Moment, Tracker};
use crate::input::FileError;
use crate::reader::{LineReader, Sink};
use crate::source::Sources;
use job::Member;
use open::Opened;
use walk::{Item, walk};

pub use follow::Follower;
pub use job::job_name;
pub use open::excerpt;
pub use walk::{Globs, Outputs};

/// The name of the standard input.
const STDIN: &str = "-";
/// How many files may be read ahead of the one that is being reported.
const FILES_AHEAD: usize = 64;
/// How many tracebacks go through a channel at once.
const BATCH: usize = 64;
/// How many batches of a file wait for their turn.
const BATCHES_AHEAD: usize = 4;

/// What is to be read.
#[derive(Clone, Debug)]
pub struct Request {
    /// Files, folders, and `-` for the standard input.
    pub paths: Vec<OsString>,
    /// Which files of the folders.
    pub globs: Globs,
    /// Which files are not read, because they are written.
    pub outputs: Outputs,
    /// How many threads read; at least one.
    pub threads: usize,
    /// Where the programs' own source may be read.
    pub sources: Option<Sources>,
    /// Within what the same failure is reported once.
    pub grouping: Grouping,
}

/// How far it has come, to be read from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    files: AtomicU64,
    own_lines: AtomicU64,
}

impl Progress {
    /// Returns how many bytes were read, after decompression.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns how many files were begun.
    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// Returns how many lines were left out because they bear pickfix's own gutter.
    pub fn own_lines(&self) -> u64 {
        self.own_lines.load(Ordering::Relaxed)
    }
}

/// Who hears of what was found.
pub struct Listener<'a, 'c> {
    /// Takes each incident, once: at the end, or when it is dropped from memory.
    pub report: &'a mut dyn FnMut(Incident<'c>),
    /// Takes what could not be read; the rest is read all the same.
    pub complain: &'a mut dyn FnMut(FileError),
}

/// Reads everything and reports the incidents.
pub fn run<'c>(
    corpus: &'c Corpus,
    request: &Request,
    progress: &Progress,
    listener: Listener<'_, 'c>,
) {
    let items = Mutex::new(Items {
        walk: walk(&request.paths, &request.globs, &request.outputs).fuse(),
        takes: 0,
        threads: request.threads,
    });
    let (announce, announced) = sync_channel(FILES_AHEAD);
    let pool = WorkerPool {
        corpus,
        progress,
        threads: request.threads,
        sources: request.sources.as_ref(),
    };
    thread::scope(|scope| {
        for _ in 0..request.threads {
            let (pool, items, announce) = (&pool, &items, announce.clone());
            scope.spawn(move || pool.work(items, &announce));
        }
        drop(announce);
        tell(announced, request.grouping, listener);
    });
}

/// What comes of some files, whose turn will come.
type FileEvents<'c> = Receiver<Vec<FileEvent<'c>>>;

/// What a worker reports of a file.
enum FileEvent<'c> {
    /// A file begins.
    File(Item),
    /// The failures of some tracebacks in it, in order.
    Found(Vec<Failures<'c>>),
    /// It could not be read, or not to its end.
    Failed(FileError),
}

/// Takes what was found, file by file, to the tracker.
fn tell<'c>(announced: Receiver<FileEvents<'c>>, grouping: Grouping, listener: Listener<'_, 'c>) {
    let Listener { report, complain } = listener;
    let mut tracker = Tracker::new(Mode::Saved).within(grouping);
    let mut member = Member::default();
    let mut file = STDIN.to_owned();
    let mut report = |incidents: Vec<Incident<'c>>, complain: &mut dyn FnMut(FileError)| {
        for incident in incidents {
            let file = incident.seen.file.clone();
            if let Err(bug) = bug::caught(|| report(incident)) {
                complain(failed(file.as_deref().unwrap_or(STDIN), &bug));
            }
        }
    };
    for told in announced.into_iter().flatten().flatten() {
        match told {
            FileEvent::File(item) => {
                let name = item.path.as_ref().map(|_| Arc::from(item.name.as_str()));
                if item.member.job.is_some() && item.member.job == member.job {
                    tracker.begin_beside(name);
                } else {
                    tracker.begin(name);
                }
                if item.member.rank.is_some() {
                    tracker.set_of_ranks();
                }
                member = item.member;
                file = item.name;
            }
            FileEvent::Found(found) => {
                for mut failures in found {
                    if let Some(rank) = member.rank {
                        for failure in &mut failures {
                            on_rank(failure, rank);
                        }
                    }
                    if let Err(bug) = bug::caught(|| tracker.push(failures, Moment::default())) {
                        complain(failed(&file, &bug));
                    }
                }
                report(tracker.take_dropped(), complain);
            }
            FileEvent::Failed(error) => complain(error),
        }
    }
    match bug::caught(|| tracker.into_incidents()) {
        Ok(rest) => report(rest, complain),
        Err(bug) => complain(failed(&file, &bug)),
    }
}

/// Says that the analysis of a file failed.
fn failed(file: &str, bug: &Bug) -> FileError {
    FileError {
        name: file.to_owned(),
        error: io::Error::other(format!("the analysis failed ({bug})")),
    }
}

/// Notes the rank in the name of a file, where the text has none.
fn on_rank(failure: &mut Failure, rank: u32) {
    failure.facts.rank.get_or_insert(rank);
}

/// What the workers share.
struct WorkerPool<'c, 'p> {
    corpus: &'c Corpus,
    progress: &'p Progress,
    threads: usize,
    sources: Option<&'p Sources>,
}

impl<'c> WorkerPool<'c, '_> {
    /// Reads files until there are no more.
    fn work(
        &self,
        items: &Mutex<Items<impl Iterator<Item = Result<Item, FileError>>>>,
        announce: &SyncSender<FileEvents<'c>>,
    ) {
        let mut space = Workspace {
            lines: self.lines(),
            block: Vec::new(),
        };
        loop {
            let (to, told) = sync_channel(BATCHES_AHEAD);
            // Announced under the lock, so that the order is that of the walk.
            let mut next = items.lock().expect("a walk does not panic");
            let some = next.take_some();
            if some.is_empty() || announce.send(told).is_err() {
                return;
            }
            drop(next);
            let mut outbox = Outbox {
                events: Vec::new(),
                failures: Vec::new(),
                to,
            };
            for item in some {
                match item {
                    Ok(item) => self.read(item, &mut space, &mut outbox),
                    Err(error) => outbox.events.push(FileEvent::Failed(error)),
                }
            }
            outbox.send();
        }
    }

    fn lines(&self) -> LineReader<'c> {
        let engine = Engine::new(self.corpus);
        LineReader::new(engine.with_sources(self.sources.cloned()))
    }

    /// Reads one file.
    fn read(&self, item: Item, space: &mut Workspace<'c>, to: &mut Outbox<'c>) {
        self.progress.files.fetch_add(1, Ordering::Relaxed);
        let (path, is_found) = (item.path.clone(), item.is_found);
        let name = item.name.clone();
        to.events.push(FileEvent::File(item));
        let own_before = space.lines.own_lines();
        let read = bug::caught(|| {
            let opened = match &path {
                Some(path) => open::file(path)?,
                None => open::stream(io::stdin())?,
            };
            let result = self.read_opened(opened, is_found, space, to);
            space.lines.end(Duration::ZERO, to);
            let own_lines = space.lines.own_lines() - own_before;
            let all = &self.progress.own_lines;
            all.fetch_add(own_lines, Ordering::Relaxed);
            result
        });
        to.pack();
        match read {
            Ok(Ok(())) => {}
            Ok(Err(error)) => to.events.push(FileEvent::Failed(FileError { name, error })),
            Err(bug) => {
                space.lines = self.lines();
                to.events.push(FileEvent::Failed(failed(&name, &bug)));
            }
        }
    }

    fn read_opened(
        &self,
        opened: Opened,
        is_found: bool,
        space: &mut Workspace<'c>,
        to: &mut Outbox<'c>,
    ) -> io::Result<()> {
        let Workspace { lines, block } = space;
        let passed = |bytes| {
            self.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
        };
        match opened {
            Opened::Binary(_) if is_found => Ok(()),
            Opened::Text(reader) | Opened::Binary(reader) => {
                blocks::read(reader, self.corpus.gate(), block, |block, candidates| {
                    passed(block.len() as u64);
                    let Ok(()) = lines.chunk(block, candidates, Duration::ZERO, to);
                })
            }
            Opened::Large(file, len) => {
                let plan = parts::PartPlan {
                    len,
                    part: parts::PART,
                    threads: self.threads,
                };
                parts::read(&file, plan, self.corpus.gate(), lines, passed, to)
            }
        }
    }
}

/// The files that are to be read.
struct Items<W> {
    walk: W,
    /// How often some were taken.
    takes: usize,
    threads: usize,
}

impl<W: Iterator<Item = Result<Item, FileError>>> Items<W> {
    /// Takes the next file; of many files several, so that threads need not wake each other for
    /// each.
    fn take_some(&mut self) -> Vec<W::Item> {
        self.takes += 1;
        // The first ones may be all, and large.
        let doublings = (self.takes / (4 * self.threads)).min(6);
        self.walk.by_ref().take(1 << doublings).collect()
    }
}

/// What a worker reads with, file after file.
struct Workspace<'c> {
    lines: LineReader<'c>,
    block: Vec<u8>,
}

/// What is to be reported and was not yet sent.
struct Outbox<'c> {
    events: Vec<FileEvent<'c>>,
    failures: Vec<Failures<'c>>,
    to: SyncSender<Vec<FileEvent<'c>>>,
}

impl<'c> Sink<'c> for Outbox<'c> {
    type Error = Infallible;

    fn failures(&mut self, failures: Failures<'c>, _: Moment) {
        self.failures.push(failures);
        if self.failures.len() >= BATCH {
            self.pack();
            self.send();
        }
    }
}

impl Outbox<'_> {
    /// Makes an event of what was found so far in the last file that was announced.
    fn pack(&mut self) {
        if !self.failures.is_empty() {
            let found = std::mem::take(&mut self.failures);
            self.events.push(FileEvent::Found(found));
        }
    }

    fn send(&mut self) {
        // Nobody listens any more when the whole program ends.
        let _ = self.to.send(std::mem::take(&mut self.events));
    }
}
