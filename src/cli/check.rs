//! `pickfix check`: saved logs to a report.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::environment::Environment;
use super::report::{ReportFile, Streams};
use super::resolve::{CheckSettings, Verbosity};
use super::{Exit, TROUBLE, corpus, pager, report, say, sources};
use crate::bug;
use crate::check::{Follower, Globs, Listener, Outputs, Progress, Request, excerpt, job_name, run};
use crate::corpus::Corpus;
use crate::incident::{Grouping, Incident};
use crate::input::{FileError, Signal, plain};
use crate::render::count::Count;
use crate::render::report::{ReadTotals, Report, ReportFormat, ReportOptions};
use crate::signals::{SecondInterrupt, Signals, abort_as};
use crate::source::Sources;

/// How long it takes before a progress bar is shown, and how often it moves.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);
/// How often a log that grows is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Where the report goes.
enum ReportOutput {
    /// To the standard output.
    Stdout(BufWriter<io::Stdout>),
    /// To a terminal, through a pager: the whole text, and the pager.
    Screen(Vec<u8>, Option<String>),
    /// Nowhere.
    Nowhere,
}

impl Write for ReportOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::Screen(text, _) => text.write(bytes),
            Self::Nowhere => Ok(bytes.len()),
        }
    }

    /// Writes what was kept back; a screen shows its text, once, when all of it is there.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::Screen(text, pager) => {
                pager::show(&std::mem::take(text), pager.as_deref());
                Ok(())
            }
            Self::Nowhere => Ok(()),
        }
    }
}

/// Reads saved logs and reports.
pub(super) fn check(settings: CheckSettings, environment: &Environment) -> Result<Exit, String> {
    // With the same status as any other trouble, and no core file.
    abort_as(TROUBLE).map_err(|e| plain(&e))?;
    let corpus = corpus(&settings.selection)?;
    let streams = Streams::new(&settings.paths);
    let origins = &settings.selection.origins;
    let mut file = report(settings.report.as_deref(), &streams, origins)?;
    let what = what(&settings, file.as_ref())?;
    let install = || Signals::install(SecondInterrupt::Ends);
    let signals = settings.follow.then(install).transpose();
    let signals = signals.map_err(|e| plain(&e))?;
    let is_zero = settings.exit_zero;
    let ended = begin(settings, environment).and_then(|report| match signals {
        Some(signals) => follow(corpus, &what, report, &mut file, signals),
        None => read(corpus, &what, report, &mut file).map(|found| status(found, is_zero)),
    });
    file.map_or(Ok(()), ReportFile::end)?;
    ended.or_else(|error| closed(&error))
}

/// Returns which logs to read, and what must not be among them.
fn what(settings: &CheckSettings, file: Option<&ReportFile>) -> Result<Request, String> {
    if settings.follow && settings.paths.iter().any(|path| path == "-") {
        return Err("--follow is for files; a pipe is followed by itself: … | pickfix".to_owned());
    }
    let mut outputs = Outputs::default();
    #[cfg(unix)]
    {
        outputs.add(io::stdout());
        if let Some(file) = file {
            outputs.add(file.file());
        }
    }
    Ok(Request {
        paths: settings.paths.clone(),
        globs: Globs::new(&settings.globs)?,
        outputs,
        threads: settings.threads,
        sources: sources(&settings.source, false).map(Sources::patient),
        grouping: settings.grouping,
    })
}

/// Begins the report.
fn begin(settings: CheckSettings, environment: &Environment) -> io::Result<Report<ReportOutput>> {
    let is_quiet = settings.print == Verbosity::Nothing;
    let is_read = settings.print == Verbosity::Report && settings.form == ReportFormat::Text;
    let is_paged = is_read && !settings.follow && environment.has_terminal;
    let options = ReportOptions {
        form: if is_quiet {
            ReportFormat::Jsonl
        } else {
            settings.form
        },
        annotator: settings.annotator,
        unknown: settings.unknown,
        summary: settings.print == Verbosity::Summary,
        limit: settings.limit,
        section: match settings.grouping {
            Grouping::All => None,
            Grouping::Job => Some(job_name),
            Grouping::File => Some(str::to_owned),
        },
        is_live: settings.follow,
        log: Some(excerpt),
    };
    let out = match (is_quiet, is_paged) {
        (true, _) => ReportOutput::Nowhere,
        (_, true) => ReportOutput::Screen(Vec::new(), environment.pager.clone()),
        _ => ReportOutput::Stdout(BufWriter::new(io::stdout())),
    };
    Report::new(out, options)
}

/// What a call found.
#[derive(Clone, Copy)]
struct CallCounts {
    /// The files that could not be read.
    failed: u64,
    /// The errors and warnings.
    known: u64,
}

/// Reads the logs and writes the report.
fn read(
    corpus: &Corpus,
    what: &Request,
    mut report: Report<ReportOutput>,
    file: &mut Option<ReportFile>,
) -> io::Result<CallCounts> {
    let progress = Progress::default();
    let (mut written, mut failed) = (Ok(()), 0);
    while_shown(&progress, |bar| {
        let listener = Listener {
            report: &mut |incident| {
                if let Some(file) = file {
                    file.write(&incident);
                }
                if written.is_ok() {
                    written = bar.suspend(|| report.incident(&incident));
                }
            },
            complain: &mut |error| {
                failed += 1;
                bar.suspend(|| say(&error.to_string()));
            },
        };
        run(corpus, what, &progress, listener);
    });
    written?;
    let counts = report.end(ReadTotals {
        files: progress.files(),
        failed,
        bytes: progress.bytes(),
        own_lines: progress.own_lines(),
    })?;
    let known = counts.found();
    Ok(CallCounts { failed, known })
}

fn status(found: CallCounts, is_zero: bool) -> Exit {
    Exit::Status(match found {
        CallCounts { failed: 1.., .. } => TROUBLE,
        CallCounts { known: 1.., .. } if !is_zero => 1,
        _ => 0,
    })
}

/// Reads logs as they grow, until a signal ends it.
fn follow(
    corpus: &Corpus,
    what: &Request,
    mut report: Report<ReportOutput>,
    file: &mut Option<ReportFile>,
    mut signals: Signals,
) -> io::Result<Exit> {
    let clock = Instant::now();
    let mut follower = Follower::new(corpus, what.paths.iter().map(PathBuf::from));
    let mut tell = |new: Vec<Incident>| {
        for incident in new {
            match bug::caught(|| report.incident(&incident)) {
                Ok(written) => written?,
                Err(bug) => say(&format!("a failure could not be told ({bug})")),
            }
        }
        report.flush()
    };
    if io::stderr().is_terminal() {
        let logs = Count(what.paths.len() as u64, "log");
        say(&format!("following {logs}; Ctrl-C ends it and sums up"));
    }
    let signal = loop {
        tell(follower.look(clock.elapsed(), &mut |error| say(&waiting(&error))))?;
        if let Some(signal) = signals.wait(LOOK) {
            break signal;
        }
    };
    let (bytes, own_lines) = (follower.bytes(), follower.own_lines());
    let (new, all) = follower.finish(clock.elapsed());
    if let Some(file) = file {
        for incident in &all {
            file.write(incident);
        }
    }
    tell(new)?;
    report.end(ReadTotals {
        files: what.paths.len() as u64,
        failed: 0,
        bytes,
        own_lines,
    })?;
    Ok(Exit::Signal(signal))
}

/// Says what cannot be read yet: a log that is not there is waited for.
fn waiting(fault: &FileError) -> String {
    if fault.error.kind() == io::ErrorKind::NotFound {
        format!("{}: not there yet, waiting for it", fault.name)
    } else {
        fault.to_string()
    }
}

/// Ends as `cat` does where nobody reads the output any more; other faults are errors.
fn closed(error: &io::Error) -> Result<Exit, String> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(Exit::Signal(Signal::Pipe)),
        _ => Err(format!("standard output: {}", plain(error))),
    }
}

/// Does some work; on a terminal, shows how far it is if it takes longer than a second.
fn while_shown(progress: &Progress, work: impl FnOnce(&ProgressBar)) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    if !io::stderr().is_terminal() {
        return work(&bar);
    }
    // It is dropped, and so tells the other end, even if the work panics.
    let (working, done) = sync_channel::<()>(0);
    thread::scope(move |scope| {
        let shown = bar.clone();
        scope.spawn(move || {
            let goes_on = |limit| done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if !goes_on(PATIENCE) {
                return;
            }
            shown.set_draw_target(ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                shown.set_style(style);
            }
            while goes_on(TICK) {
                let (files, bytes) = (progress.files(), HumanBytes(progress.bytes()));
                shown.set_message(format!("{}, {bytes} read", Count(files, "file")));
                shown.tick();
            }
            shown.finish_and_clear();
        });
        work(&bar);
        drop(working);
    });
}
