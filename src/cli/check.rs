//! `pickfix check`: saved logs to a report.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::report::Report as Lines;
use super::settings::{Check, Print};
use super::{End, TROUBLE, annotator, corpus, say, trouble};
use crate::check::{Follower, Globs, Hooks, Outputs, Progress, What, excerpt, run};
use crate::corpus::Corpus;
use crate::incident::Incident;
use crate::input::Signal;
use crate::render::report::{Form, Read, Report, Style};
use crate::signals::Signals;

/// How long it takes before a progress bar is shown, and how often it moves.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);
/// How often a log that grows is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Reads saved logs and reports.
pub(super) fn check(settings: Check) -> End {
    let corpus = match corpus(&settings.selection) {
        Ok(corpus) => corpus,
        Err(message) => return trouble(&message),
    };
    let globs = match Globs::new(&settings.globs) {
        Ok(globs) => globs,
        Err(message) => return trouble(&message),
    };
    let mut lines = match settings.report.as_deref().map(Lines::create).transpose() {
        Ok(lines) => lines,
        Err(message) => return trouble(&message),
    };
    let mut outputs = Outputs::default();
    #[cfg(unix)]
    {
        outputs.add(io::stdout());
        if let Some(lines) = &lines {
            outputs.add(lines.file());
        }
    }
    let what = What {
        paths: settings.paths,
        globs,
        outputs,
        threads: settings.threads,
    };
    let style = Style {
        form: match settings.print {
            Print::Nothing => Form::Jsonl,
            Print::Report | Print::Summary => settings.form,
        },
        look: annotator(settings.look),
        links: settings.links,
        unknown: settings.unknown,
        summary: settings.print == Print::Summary,
        log: Some(excerpt),
    };
    let out: Box<dyn Write> = match settings.print {
        Print::Nothing => Box::new(io::sink()),
        Print::Report | Print::Summary => Box::new(BufWriter::new(io::stdout())),
    };
    let mut report = match Report::new(out, style) {
        Ok(report) => report,
        Err(error) => return closed(&error),
    };
    if settings.follow {
        return follow(&corpus, &what, report, lines);
    }
    let progress = Progress::default();
    let (mut written, mut failed) = (Ok(()), 0);
    while_shown(&progress, |bar| {
        let hooks = Hooks {
            report: &mut |incident| {
                if let Some(lines) = &mut lines {
                    lines.write(&incident);
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
        run(&corpus, &what, &progress, hooks);
    });
    let read = Read {
        files: progress.files(),
        failed,
        bytes: progress.bytes(),
    };
    let counts = match written.and_then(|()| report.end(read)) {
        Ok(counts) => counts,
        Err(error) => return closed(&error),
    };
    if let Some(message) = lines.and_then(Lines::failure) {
        return trouble(&message);
    }
    match (failed, counts.found()) {
        (1.., _) => End::Status(TROUBLE),
        (0, 1..) if !settings.exit_zero => End::Status(1),
        _ => End::Status(0),
    }
}

/// Reads logs as they grow, until a signal ends it.
fn follow(
    corpus: &Corpus,
    what: &What,
    mut report: Report<Box<dyn Write>>,
    mut lines: Option<Lines>,
) -> End {
    if what.paths.iter().any(|path| path == "-") {
        return trouble("--follow is for files; a pipe is followed by itself: … | pickfix");
    }
    let mut signals = match Signals::install() {
        Ok(signals) => signals,
        Err(error) => return trouble(&crate::input::plain(&error)),
    };
    let clock = Instant::now();
    let mut follower = Follower::new(corpus, what.paths.iter().map(PathBuf::from));
    let mut tell = |new: Vec<Incident>| {
        let mut told = new.into_iter().map(|incident| report.incident(&incident));
        told.try_for_each(|written| written)?;
        report.flush()
    };
    let signal = loop {
        let new = follower.look(clock.elapsed(), &mut |error| say(&error.to_string()));
        if let Err(error) = tell(new) {
            return closed(&error);
        }
        if let Some(signal) = signals.wait(LOOK) {
            break signal;
        }
    };
    let bytes = follower.bytes();
    let (new, all) = follower.finish(clock.elapsed());
    let read = Read {
        files: what.paths.len() as u64,
        failed: 0,
        bytes,
    };
    if let Some(lines) = &mut lines {
        for incident in &all {
            lines.write(incident);
        }
    }
    let written = tell(new).and_then(|()| report.end(read));
    if let Some(message) = lines.and_then(Lines::failure) {
        return trouble(&message);
    }
    match written {
        Ok(_) => End::Signal(signal),
        Err(error) => closed(&error),
    }
}

/// Ends as `cat` does where nobody reads the output any more; tells of other faults.
fn closed(error: &io::Error) -> End {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return End::Signal(Signal::Pipe);
    }
    trouble(&format!("standard output: {}", crate::input::plain(error)))
}

/// Does some work; on a terminal, shows how far it is if it takes longer than a second.
fn while_shown(progress: &Progress, work: impl FnOnce(&ProgressBar)) {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    if !io::stderr().is_terminal() {
        return work(&bar);
    }
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        let shown = bar.clone();
        let is_done = &is_done;
        let shower = scope.spawn(move || {
            thread::park_timeout(PATIENCE);
            if is_done.load(Ordering::Acquire) {
                return;
            }
            shown.set_draw_target(ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                shown.set_style(style);
            }
            while !is_done.load(Ordering::Acquire) {
                let (files, bytes) = (progress.files(), HumanBytes(progress.bytes()));
                let plural = if files == 1 { "" } else { "s" };
                shown.set_message(format!("{files} file{plural}, {bytes} read"));
                shown.tick();
                thread::park_timeout(TICK);
            }
            shown.finish_and_clear();
        });
        work(&bar);
        is_done.store(true, Ordering::Release);
        shower.thread().unpark();
    });
}
