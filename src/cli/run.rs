//! `pickfix run`: a command in front of the filter.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use super::records::Records;
use super::resolve::{FilterSettings, RunSettings, Selection};
use super::{Exit, corpus, say, warn, work};
use crate::corpus::Corpus;
use crate::filter::{self, Work};
use crate::input::{Source, plain};
use crate::out::{LineEnd, Out, Stdout};
use crate::run::{
    Ending, Orphan, Outcome, Output, OwnStream, Probe, Run, StartError, is_read_by_pickfix,
    open_files, start,
};
use crate::traceback::notes::RunNotes;
use crate::visible::visible;

/// What is said where the probe was for nothing.
const NOT_LOADED: &str = "--probe: no Python loaded it. With -I, -E or -S, and under sudo, Python does not read PYTHONPATH.";

/// What several streams share.
struct Shared<'c> {
    corpus: &'c Corpus,
    probe: Option<&'c Probe>,
    records: Mutex<Records>,
    /// What is wrong with our own work, to be said when the terminal is as it was.
    complaints: Mutex<Vec<String>>,
}

/// Runs a command, and ends as it does.
pub(super) fn run(mut settings: RunSettings) -> Result<Exit, String> {
    // Both take milliseconds, so the command goes first where nothing can be wrong with the rules.
    let words = &settings.words;
    let probe = settings.probe.then(|| Probe::new(settings.stall.is_some()));
    let probe = probe.and_then(|made| {
        let fault = |error| warn(&format!("--probe: no temporary folder: {}", plain(&error)));
        made.map_err(fault).ok()
    });
    let start = || {
        start(words, settings.stall, probe.as_ref())
            .map_err(|error| format!("the command cannot be started: {}", plain(&error)))
    };
    let records = Records::begin(&mut settings.stdout)?;
    let early = is_plain(&settings.stdout.selection)
        .then(start)
        .transpose()?;
    let corpus = corpus(&settings.stdout.selection)?;
    let shared = Shared {
        corpus,
        probe: probe.as_ref(),
        records: Mutex::new(records),
        complaints: Mutex::default(),
    };
    let Run { mut main, to, side } = early.map_or_else(start, Ok)?;
    std::thread::scope(|scope| {
        if let Some((mut source, to)) = side {
            let (shared, settings) = (&shared, &settings.stderr);
            scope.spawn(move || copy(&mut source, to, settings, shared));
        }
        copy(&mut main, to, &settings.stdout, &shared);
        main.abandon();
    });
    let (outcome, orphans) = main.close();
    let Shared {
        records,
        complaints,
        ..
    } = shared;
    for complaint in complaints
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        say(&complaint);
    }
    if !orphans.is_empty() {
        say(&left_behind(&orphans));
    }
    if let (Some(probe), Some(Outcome::Ended(_))) = (&probe, &outcome)
        && !probe.is_loaded()
    {
        say(NOT_LOADED);
    }
    let records = records.into_inner().unwrap_or_else(PoisonError::into_inner);
    records.end().unwrap_or_else(|message| say(&message));
    Ok(match outcome {
        Some(Outcome::Ended(Ending::Status(status))) => Exit::Status(status),
        Some(Outcome::Ended(Ending::Signal(signal))) => Exit::Killed(signal),
        Some(Outcome::NotStarted(error)) => {
            say(&not_started(&words[0].to_string_lossy(), &error));
            Exit::Status(error.status())
        }
        None => Exit::Status(super::TROUBLE),
    })
}

/// Returns whether only the built-in rules are used, all of them.
fn is_plain(selection: &Selection) -> bool {
    let Selection {
        rules,
        select,
        ignore,
        ..
    } = selection;
    rules.is_empty() && select.is_empty() && ignore.is_empty()
}

/// Filters a stream of the command to where it goes.
fn copy<S: Source>(source: &mut S, to: Output, settings: &FilterSettings, shared: &Shared) {
    let complain = |message: &str| lock(&shared.complaints).push(message.to_owned());
    let has_report = lock(&shared.records).has_report();
    let mut report = |incident: &_| lock(&shared.records).take(incident);
    let mut complain_of_analysis = complain;
    let work = Work {
        run_notes: RunNotes {
            probed: shared.probe.map(Probe::probed),
            open_files: open_files(),
        },
        is_annotated_behind: match to.target {
            OwnStream::Stdout => || is_read_by_pickfix(OwnStream::Stdout),
            OwnStream::Stderr => || is_read_by_pickfix(OwnStream::Stderr),
        },
        ..work(
            settings,
            shared.corpus,
            has_report,
            &mut report,
            &mut complain_of_analysis,
        )
    };
    let result = match to.target {
        OwnStream::Stdout => filter::run(source, &mut out(Stdout::default(), to), work),
        OwnStream::Stderr => filter::run(source, &mut out(io::stderr(), to), work),
    };
    if let Err(error) = result {
        complain(&error.to_string());
    }
}

fn out<W: Write>(to: W, output: Output) -> Out<W> {
    if !output.is_terminal {
        return Out::new(to);
    }
    let line_end = if output.is_raw {
        LineEnd::Raw
    } else {
        LineEnd::Newline
    };
    // Where nobody knows its size, nothing is known to fit into a line.
    Out::new(to).on_terminal(output.columns.unwrap_or(0), line_end)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn not_started(name: &str, error: &StartError) -> String {
    match error {
        StartError::Missing => format!("{name}: command not found"),
        StartError::Refused(error) => format!("{name}: cannot be executed: {}", plain(error)),
    }
}

fn left_behind(orphans: &[Orphan]) -> String {
    let named = orphans
        .iter()
        .map(|o| format!("{} ({})", visible(&o.name), o.pid));
    let named = named.collect::<Vec<_>>().join(", ");
    format!(
        "the command has ended; what it left running still holds its output: {named}. \
         What that prints from here on is not shown."
    )
}
