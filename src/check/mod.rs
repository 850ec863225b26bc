//! Saved logs: files, folders and compressed ones, to incidents.
//!
//! ```text
//! walk ─► files in order ─► workers: open ─► blocks ─► sift (the gate) ─► scan ─► failures
//!                                                                                   │
//!               one tracker, in the order of the files ◄────────────────────────────┘
//! ```
//!
//! - [`walk`]: which files; [`job`]: which of them are one job's;
//! - [`open`]: plain or compressed;
//! - [`blocks`]: a file in blocks, which are sifted; [`parts`]: a large one, by several threads;
//! - [`scan`]: the lines of a file to its failures; [`memo`]: those that come again;
//! - [`follow`]: a log that still grows.
//!
//! Files are read at once, and told of in order; what was found in a file waits in a channel of a
//! few batches until its turn has come, so that memory does not grow with the number of files.

mod blocks;
mod follow;
mod job;
mod memo;
mod open;
mod parts;
mod scan;
mod walk;

use std::ffi::OsString;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::analysis::{Detection, Failures, gate};
use crate::corpus::Corpus;
use crate::gate::Gate;
use crate::incident::{Failure, Incident, Mode, Moment, Tracker};
use crate::input::FileError;
use open::Opened;
use walk::{Item, walk};

pub use follow::Follower;
pub use open::excerpt;
pub use walk::{Globs, Outputs};

/// How many files may be read ahead of the one that is told of.
const FILES_AHEAD: usize = 64;
/// How many tracebacks go through a channel at once.
const BATCH: usize = 64;
/// How many batches of a file wait for their turn.
const BATCHES_AHEAD: usize = 4;

/// How much each thread may take for failures that come again, in bytes.
const ROOM: usize = 4 * 1024 * 1024;

/// What is to be read.
#[derive(Clone, Debug)]
pub struct What {
    /// Files, folders, and `-` for the standard input.
    pub paths: Vec<OsString>,
    /// Which files of the folders.
    pub globs: Globs,
    /// Which files are not read, because they are written.
    pub outputs: Outputs,
    /// How many threads read; at least one.
    pub threads: usize,
}

/// How far it is, for whoever looks from another thread.
#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    files: AtomicU64,
}

impl Progress {
    /// Gives how many bytes were read, after decompression.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Gives how many files were begun.
    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }
}

/// What was read, and by whom it is told of.
pub struct Hooks<'a, 'c> {
    /// Takes each incident, once: at the end, or when it is dropped from memory.
    pub report: &'a mut dyn FnMut(Incident<'c>),
    /// Takes what could not be read; all else still is.
    pub complain: &'a mut dyn FnMut(FileError),
}

/// Reads everything and tells the incidents.
pub fn run<'c>(corpus: &'c Corpus, what: &What, progress: &Progress, hooks: Hooks<'_, 'c>) {
    let gate = gate(corpus);
    let items = Mutex::new(walk(&what.paths, &what.globs, &what.outputs).fuse());
    let (announce, announced) = sync_channel(FILES_AHEAD);
    let pool = Pool {
        corpus,
        gate,
        progress,
        threads: what.threads,
    };
    thread::scope(|scope| {
        for _ in 0..what.threads.max(1) {
            let (pool, items, announce) = (&pool, &items, announce.clone());
            scope.spawn(move || pool.work(items, &announce));
        }
        drop(announce);
        tell(announced, hooks);
    });
}

/// A file whose turn will come, and what comes of it.
type Announced<'c> = Result<(Item, Receiver<Told<'c>>), FileError>;

/// What a worker tells of a file.
enum Told<'c> {
    /// The failures of some tracebacks, in order.
    Found(Vec<Failures<'c>>),
    /// It could not be read, or not to its end.
    Failed(io::Error),
}

/// Takes what was found, file by file, to the tracker.
fn tell<'c>(announced: Receiver<Announced<'c>>, hooks: Hooks<'_, 'c>) {
    let mut tracker = Tracker::new(Mode::Saved);
    let mut job: Option<String> = None;
    for file in announced {
        let (item, told) = match file {
            Ok(file) => file,
            Err(error) => {
                (hooks.complain)(error);
                continue;
            }
        };
        let name = item.path.as_ref().map(|_| Arc::from(item.name.as_str()));
        if item.member.job.is_some() && item.member.job == job {
            tracker.begin_beside(name);
        } else {
            tracker.begin(name);
        }
        job.clone_from(&item.member.job);
        for told in told {
            match told {
                Told::Found(found) => {
                    for mut failures in found {
                        if let Some(rank) = item.member.rank {
                            for failure in &mut failures {
                                on_rank(failure, rank);
                            }
                        }
                        tracker.push(failures, Moment::default());
                    }
                    tracker
                        .take_dropped()
                        .into_iter()
                        .for_each(&mut *hooks.report);
                }
                Told::Failed(error) => {
                    let name = item.name.clone();
                    (hooks.complain)(FileError { name, error });
                }
            }
        }
    }
    tracker.finish();
    tracker
        .take_dropped()
        .into_iter()
        .for_each(&mut *hooks.report);
    tracker.into_incidents().into_iter().for_each(hooks.report);
}

/// Notes the rank that the name of a file tells, where the text does not.
fn on_rank(failure: &mut Failure, rank: u32) {
    let facts = match failure {
        Failure::Known(diagnosis) => &mut diagnosis.facts,
        Failure::Unknown { facts, .. } => facts,
    };
    facts.rank.get_or_insert(rank);
}

/// What the workers share.
struct Pool<'c, 'p> {
    corpus: &'c Corpus,
    gate: Arc<Gate>,
    progress: &'p Progress,
    threads: usize,
}

impl<'c> Pool<'c, '_> {
    /// Reads files until there are no more.
    fn work(
        &self,
        items: &Mutex<impl Iterator<Item = Result<Item, FileError>>>,
        announce: &SyncSender<Announced<'c>>,
    ) {
        loop {
            // Announced under the lock, so that the order is that of the walk.
            let mut next = items.lock().expect("a walk does not panic");
            let (item, to) = match next.next() {
                None => return,
                Some(Err(error)) => {
                    if announce.send(Err(error)).is_err() {
                        return;
                    }
                    continue;
                }
                Some(Ok(item)) => {
                    let (to, told) = sync_channel(BATCHES_AHEAD);
                    let path = item.path.clone();
                    let is_found = item.is_found;
                    if announce.send(Ok((item, told))).is_err() {
                        return;
                    }
                    ((path, is_found), to)
                }
            };
            drop(next);
            self.progress.files.fetch_add(1, Ordering::Relaxed);
            let (path, is_found) = item;
            let mut batch = Batch {
                failures: Vec::new(),
                to: &to,
            };
            let read = catch_unwind(AssertUnwindSafe(|| {
                let opened = match &path {
                    Some(path) => open::file(path)?,
                    None => open::stream(io::stdin())?,
                };
                self.read(opened, is_found, &mut batch)
            }));
            batch.send();
            let read = read.unwrap_or_else(|_| {
                Err(io::Error::other(
                    "the analysis failed (a bug: please report it with the log)",
                ))
            });
            if let Err(error) = read {
                // Nobody listens any more when the whole program ends.
                let _ = to.send(Told::Failed(error));
            }
        }
    }

    /// Reads one file.
    fn read(&self, opened: Opened, is_found: bool, to: &mut Batch<'_, 'c>) -> io::Result<()> {
        let detection = Detection::new(self.corpus, Arc::clone(&self.gate)).with_room(ROOM);
        let mut scanner = scan::Scanner::new(detection);
        let reader = match opened {
            Opened::Binary(_) if is_found => return Ok(()),
            Opened::Text(reader) | Opened::Binary(reader) => reader,
            Opened::Large(file, len) => {
                let result = parts::read(
                    &file,
                    parts::Plan {
                        len,
                        part: parts::PART,
                        threads: self.threads,
                    },
                    &self.gate,
                    &mut scanner,
                    |bytes| {
                        self.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
                    },
                    &mut |failures| to.add(failures),
                );
                scanner.finish(&mut |failures| to.add(failures));
                return result;
            }
        };
        let result = blocks::read(reader, &self.gate, |block, sifted| {
            self.progress
                .bytes
                .fetch_add(block.len() as u64, Ordering::Relaxed);
            scanner.chunk(block, sifted, &mut |failures| to.add(failures));
        });
        scanner.finish(&mut |failures| to.add(failures));
        result
    }
}

/// What was found and not yet sent.
struct Batch<'t, 'c> {
    failures: Vec<Failures<'c>>,
    to: &'t SyncSender<Told<'c>>,
}

impl<'c> Batch<'_, 'c> {
    fn add(&mut self, failures: Failures<'c>) {
        self.failures.push(failures);
        if self.failures.len() >= BATCH {
            self.send();
        }
    }

    fn send(&mut self) {
        if !self.failures.is_empty() {
            // Nobody listens any more when the whole program ends.
            let _ = self
                .to
                .send(Told::Found(std::mem::take(&mut self.failures)));
        }
    }
}
