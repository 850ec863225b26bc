//! `pickfix rules`: the list, the test, the beginning of a new rule.

use std::path::{Path, PathBuf};

use super::args::PageFormat;
use super::resolve::Selection;
use super::{Exit, check_folders, corpus, pager, say};
use crate::corpus::{Corpus, Failure, is_kebab, scaffold, verify};
use crate::reader::root_failures;
use crate::regular;
use crate::render::count::Count;
use crate::render::page::markdown;
use crate::render::{Annotator, Colour, Glyphs, json};
use crate::traceback::{Evidence, Traceback, read};
use crate::visible::visible;

/// Lists all rules.
pub(super) fn list(format: PageFormat, selection: &Selection) -> Result<Exit, String> {
    let corpus = corpus(selection)?;
    let annotator = Annotator::new(usize::MAX, Glyphs::Unicode, Colour::Off);
    let text = match format {
        PageFormat::Text => crate::explain::table(corpus),
        PageFormat::Markdown => markdown(&crate::explain::list(corpus), &annotator),
        PageFormat::Json => json::rules(corpus.rules()),
    };
    pager::print(text.as_bytes());
    Ok(Exit::Status(0))
}

/// Tests rules; what is wrong is listed on standard output, one line each.
pub(super) fn test(what: &[PathBuf], mut selection: Selection) -> Result<Exit, String> {
    let mut ids = Vec::new();
    for what in what {
        if what.is_dir() {
            selection.rules.push(what.clone());
        } else {
            ids.push(what.display().to_string());
        }
    }
    check_folders(&selection)?;
    let (corpus, unreadable) = Corpus::load(&selection.rules);
    for id in &ids {
        if corpus.ids().all(|known| known != id) {
            return Err(format!(
                "\"{id}\" is neither a folder nor the id of a rule{}",
                meant(&corpus, id)
            ));
        }
    }
    let found = verify(&corpus, &ids, root_failures);
    let faults = unreadable.iter().chain(&found.faults);
    let mut lines: Vec<String> = faults.map(|fault| visible(&fault.to_string())).collect();
    lines.extend(found.warnings.iter().map(|w| visible(&w.as_warning())));
    let count = unreadable.len() + found.faults.len();
    let verdict = match count {
        0 => "all is well".to_owned(),
        count => Count(count as u64, "fault").to_string(),
    };
    let rules = Count(found.rules as u64, "rule");
    let samples = Count(found.samples as u64, "sample");
    lines.push(format!("{rules}, {samples}: {verdict}\n"));
    pager::print(lines.join("\n").as_bytes());
    Ok(Exit::Status(if unreadable.is_empty() {
        u8::from(count > 0)
    } else {
        super::TROUBLE
    }))
}

fn meant(corpus: &Corpus, id: &str) -> String {
    let near = corpus.near_misses(id);
    near.first()
        .map(|near| format!("; did you mean \"{near}\"?"))
        .unwrap_or_default()
}

/// Prints the beginning of a rule file.
pub(super) fn new(id: &str, from: Option<&Path>) -> Result<Exit, String> {
    if !is_kebab(id) {
        return Err(format!(
            "\"{id}\" is no id; write it as in \"unpicklable-lock\""
        ));
    }
    let corpus = Corpus::built_in();
    if corpus.rule(id).is_some() {
        say(&format!(
            "note: a rule \"{id}\" is built in; one of your own replaces it"
        ));
    }
    let Some(from) = from else {
        pager::print(scaffold(None, "").as_bytes());
        return Ok(Exit::Status(0));
    };
    let name = from.display();
    let bytes =
        regular::read_log(from).map_err(|e| format!("{name}: {}", crate::input::plain(&e)))?;
    let traceback =
        last(read(&bytes)).ok_or_else(|| format!("{name}: there is no traceback in it"))?;
    let sample = sample(&bytes, &traceback);
    if let Some(known) = root_failures(&corpus, sample.as_bytes())
        .first()
        .and_then(Failure::id)
    {
        say(&format!(
            "note: the rule \"{known}\" knows this failure; see pickfix explain {known}"
        ));
    }
    pager::print(scaffold(Some(&traceback), &sample).as_bytes());
    Ok(Exit::Status(0))
}

/// Returns the last traceback that has a head, or else the last of any kind.
fn last(mut all: Vec<Traceback>) -> Option<Traceback> {
    let with_head = all.iter().rposition(|t| t.evidence == Evidence::Head);
    let at = with_head.or(all.len().checked_sub(1))?;
    Some(all.swap_remove(at))
}

/// Returns the lines of a traceback with its heading, as they stand in the log.
fn sample(bytes: &[u8], traceback: &Traceback) -> String {
    let place = |offset: u64| {
        usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(bytes.len())
    };
    let (start, end) = (place(traceback.at.offset), place(traceback.at.end_offset));
    let lines = String::from_utf8_lossy(&bytes[start.min(end)..end]);
    let heading = traceback
        .heading
        .as_deref()
        .filter(|heading| !lines.contains(heading.trim()));
    let heading = heading
        .map(|heading| format!("{}\n", heading.trim_end()))
        .unwrap_or_default();
    let end = if lines.ends_with('\n') { "" } else { "\n" };
    format!("{heading}{lines}{end}")
}
