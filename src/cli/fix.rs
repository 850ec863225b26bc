//! `pickfix fix`: the changes that fix the program, as a diff or written.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::pager::print;
use super::resolve::FixSettings;
use super::{Exit, corpus, say, sources};
use crate::object::{Edit, Fingerprint, Patch};
use crate::reader::incidents_with;
use crate::regular;
use crate::state::{LastRun, private};
use crate::visible::{lines, visible};

/// The largest log that is read.
const MAX_LOG: u64 = 256 * 1024 * 1024;
/// The lines around a change in a diff.
const CONTEXT: usize = 3;

/// A change that fixes a failure.
struct Remedy {
    id: String,
    place: String,
    patch: Option<Patch>,
}

/// A file with its text before and after.
struct Rewrite {
    path: PathBuf,
    shown: String,
    old: String,
    new: String,
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
            let what = match &remedy.patch {
                Some(patch) => format!("changes {}", patch.shown),
                None => "no change is known to be safe".to_owned(),
            };
            let line = format!("{}  {}  {what}", remedy.id, remedy.place);
            let _ = writeln!(text, "{}", visible(&line));
        }
        print(text.as_bytes());
        return Ok(Exit::Status(0));
    }
    let rewrites = rewrites(remedies)?;
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

/// Finds the changes for the failures of a log.
fn of_log(log: &Path, settings: &FixSettings) -> Result<Vec<Remedy>, String> {
    let fault = |e: io::Error| format!("{}: {}", log.display(), crate::input::plain(&e));
    let mut text = Vec::new();
    if log.as_os_str() == "-" {
        io::stdin()
            .take(MAX_LOG)
            .read_to_end(&mut text)
            .map_err(fault)?;
    } else {
        let file = regular::open(log).map_err(fault)?;
        file.take(MAX_LOG).read_to_end(&mut text).map_err(fault)?;
    }
    let corpus = corpus(&settings.selection)?;
    let sources = sources(&settings.source, true);
    let incidents = incidents_with(&corpus, &text, sources);
    let known = incidents.into_iter().filter_map(|incident| {
        let root = incident.root;
        let id = root.id()?.to_owned();
        let frame = root.facts.user_frame.as_ref();
        let place = frame.map_or_else(String::new, |f| format!("{}:{}", f.path.as_str(), f.line));
        let object = root.diagnosis.and_then(|d| d.object);
        let patch = object.and_then(|o| o.change).and_then(|c| c.patch);
        Some(Remedy { id, place, patch })
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
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let frame = &entry.incident["user_frame"];
        Remedy {
            id: text(&entry.incident["id"]),
            place: match frame["line"].as_u64() {
                Some(line) => format!("{}:{line}", text(&frame["file"])),
                None => String::new(),
            },
            patch: entry.patch,
        }
    });
    Ok(entries.collect())
}

/// Joins the changes of each file.
fn rewrites(remedies: Vec<Remedy>) -> Result<Vec<Rewrite>, String> {
    let mut files: BTreeMap<PathBuf, (Patch, Vec<Edit>)> = BTreeMap::new();
    for patch in remedies.into_iter().filter_map(|r| r.patch) {
        let (first, edits) = files
            .entry(patch.path.clone())
            .or_insert_with(|| (patch.clone(), Vec::new()));
        if first.of != patch.of {
            continue;
        }
        let is_new = |edit: &&Edit| !edits.contains(edit);
        let new: Vec<Edit> = patch.edits.iter().filter(is_new).cloned().collect();
        // A second change of the same place comes with the next run.
        let overlaps = |a: &Edit| {
            edits
                .iter()
                .any(|b| a.start < b.end && b.start < a.end || a.start == b.start && a.end == b.end)
        };
        if !new.iter().any(overlaps) {
            edits.extend(new);
        }
    }
    let mut all = Vec::new();
    for (path, (patch, mut edits)) in files {
        edits.sort();
        let old = regular::read_to_string(&path, MAX_LOG)
            .map_err(|e| format!("{}: {}", patch.shown, crate::input::plain(&e)))?;
        let new = Edit::all(&old, &edits);
        let Some(new) = new.filter(|_| Fingerprint::of(&old) == patch.of) else {
            return Err(format!(
                "{}: has changed since the failure; run the program again",
                patch.shown
            ));
        };
        all.push(Rewrite {
            path,
            shown: patch.shown,
            old,
            new,
        });
    }
    Ok(all)
}

fn diff(rewrite: &Rewrite) -> String {
    let diff = TextDiff::from_lines(&rewrite.old, &rewrite.new);
    let names = [
        format!("a/{}", rewrite.shown),
        format!("b/{}", rewrite.shown),
    ];
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT).header(&names[0], &names[1]);
    unified.to_string()
}

/// Writes all files or none; what they were is kept beside them.
fn apply(rewrites: &[Rewrite]) -> Result<(), String> {
    let fault = |r: &Rewrite, e: &io::Error| format!("{}: {}", r.shown, crate::input::plain(e));
    for rewrite in rewrites {
        let about = fs::symlink_metadata(&rewrite.path).map_err(|e| fault(rewrite, &e))?;
        if !about.is_file() {
            return Err(format!("{}: is no regular file", rewrite.shown));
        }
        if about.permissions().readonly() {
            return Err(format!("{}: may not be written", rewrite.shown));
        }
    }
    let mut done: Vec<&Rewrite> = Vec::new();
    for rewrite in rewrites {
        if let Err(error) = write(rewrite) {
            for before in done {
                let _ = fs::write(&before.path, &before.old);
            }
            return Err(fault(rewrite, &error));
        }
        done.push(rewrite);
    }
    Ok(())
}

/// Writes one file by another one that takes its place. Neither what it was nor what it will be is
/// written through a link that somebody laid there meanwhile, or can be read by others than it.
fn write(rewrite: &Rewrite) -> io::Result<()> {
    let beside = |end: &str| {
        let mut name = rewrite.path.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    let permissions = fs::metadata(&rewrite.path)?.permissions();
    let make = |path: &Path, text: &str| {
        let mut file = private(path)?;
        let written = io::Write::write_all(&mut file, text.as_bytes())
            .and_then(|()| file.set_permissions(permissions.clone()));
        written.inspect_err(|_| {
            let _ = fs::remove_file(path);
        })
    };
    let kept = beside(".orig");
    if fs::symlink_metadata(&kept).is_err() {
        make(&kept, &rewrite.old)?;
    }
    let new = beside(".pickfix-new");
    make(&new, &rewrite.new)?;
    fs::rename(&new, &rewrite.path).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}
