//! `pickfix fix`: the changes that fix the program, as a diff or written.

mod files;
mod recorded;

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::Path;

use files::{apply, diff, rewrites};

use super::pager::print;
use super::resolve::FixSettings;
use super::{Exit, corpus, say, sources};
use crate::incident::Incident;
use crate::object::{Object, Patch};
use crate::reader::incidents;
use crate::regular;
use crate::source::Sources;
use crate::state::LastRun;
use crate::visible::{lines, visible};

/// A change that fixes a failure.
struct Remedy {
    id: String,
    place: String,
    patch: Option<Patch>,
    /// Why there is none, where that is known.
    refusal: Option<String>,
}

impl Remedy {
    fn new(id: String, place: String, object: Option<Object>) -> Self {
        let refusal = object.as_ref().and_then(Object::why_not);
        let patch = object.and_then(|o| o.change?.patch);
        Self {
            id,
            place,
            patch,
            refusal,
        }
    }

    /// Says what would be changed, or why nothing is.
    fn what(&self) -> String {
        match (&self.patch, &self.refusal) {
            (Some(patch), _) => format!("changes {}", patch.shown),
            (None, Some(why)) => format!("no change: {why}"),
            (None, None) => "no change: the source does not show what to change".to_owned(),
        }
    }
}

/// Prints or writes the changes.
pub(super) fn fix(settings: &FixSettings) -> Result<Exit, String> {
    let mut remedies = match &settings.log {
        Some(log) => of_log(log, settings)?,
        None => of_last_run(settings)?,
    };
    if !settings.ids.is_empty() {
        remedies.retain(|r| settings.ids.contains(&r.id));
    }
    if settings.is_list {
        let mut text = String::new();
        for remedy in &remedies {
            let what = remedy.what();
            let line = format!("{}  {}  {what}", remedy.id, remedy.place);
            let _ = writeln!(text, "{}", visible(&line));
        }
        print(text.as_bytes());
        return Ok(Exit::Status(0));
    }
    let rewrites = rewrites(remedies.into_iter().filter_map(|r| r.patch))?;
    if rewrites.is_empty() {
        say("there is nothing here that can be fixed by itself (pickfix fix --list tells why)");
        return Ok(Exit::Status(1));
    }
    if settings.is_applied {
        apply(&rewrites)?;
        for rewrite in &rewrites {
            say(&format!(
                "changed {} (as it was: {}.orig)",
                rewrite.shown, rewrite.shown
            ));
        }
        return Ok(Exit::Status(0));
    }
    let diffs: String = rewrites.iter().map(diff).collect();
    // What a file holds is made harmless for a terminal; for `patch` it must be exact.
    if io::stdout().is_terminal() {
        print(lines(&diffs).as_bytes());
    } else {
        print(diffs.as_bytes());
    }
    Ok(Exit::Status(0))
}

/// Finds the changes for the failures of a log, or of a report that tells of one.
fn of_log(log: &Path, settings: &FixSettings) -> Result<Vec<Remedy>, String> {
    let fault = |e: io::Error| format!("{}: {}", log.display(), crate::input::plain(&e));
    let text = regular::read_log(log).map_err(fault)?;
    let corpus = corpus(&settings.selection)?;
    let sources = sources(&settings.source, true).map(Sources::patient);
    if let Some(incidents) = recorded::incidents(&text) {
        let of = |incident| recorded::remedy(incident, sources.as_ref());
        return Ok(incidents.iter().map(of).collect());
    }
    let incidents = incidents(corpus, &text, sources);
    let known = incidents.into_iter().filter_map(|Incident { root, .. }| {
        let id = root.id()?.to_owned();
        let frame = root.facts.user_frame.as_ref();
        let place = frame.map_or_else(String::new, |f| format!("{}:{}", f.path.as_str(), f.line));
        let object = root.diagnosis.and_then(|d| d.object);
        Some(Remedy::new(id, place, object.map(|o| *o)))
    });
    Ok(known.collect())
}

/// Finds the changes for the failures of the last run.
fn of_last_run(settings: &FixSettings) -> Result<Vec<Remedy>, String> {
    let run = settings.state.as_deref().and_then(LastRun::read);
    let run = run.ok_or(
        "no failure of a last run is known; run `python … 2>&1 | pickfix`, or name a log: pickfix fix LOG",
    )?;
    let entries = run.found.into_iter().map(|entry| {
        let [id, place] = recorded::id_and_place(&entry.incident);
        Remedy {
            id,
            place,
            patch: entry.patch,
            refusal: entry.refusal,
        }
    });
    Ok(entries.collect())
}
