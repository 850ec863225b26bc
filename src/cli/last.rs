//! `pickfix last`: the failures of the last run, in full.

use std::path::PathBuf;

use super::environment::Environment;
use super::resolve::LastSettings;
use super::{Exit, pager, say};
use crate::render::card::Card;
use crate::render::{Annotator, Length};
use crate::state::{LastFailure, LastRun};

/// What is shown of each failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastForm {
    /// All that is known.
    Text,
    /// The code of its fix.
    Code,
}

/// Shows the failures of the last run.
pub(super) fn last(settings: &LastSettings, environment: &Environment) -> Exit {
    let path = settings.state.as_ref();
    let run = path.and_then(|path| LastRun::read(path));
    let Some(run) = run.filter(|run| !run.found.is_empty()) else {
        say(
            "the last run of `python … | pickfix` found nothing, or kept nothing (--no-state, or a folder that cannot be written)",
        );
        return Exit::Status(1);
    };
    let text = match settings.form {
        LastForm::Text => text(&run, &settings.annotator, environment),
        LastForm::Code => code(&run),
    };
    if text.is_empty() {
        say("the fixes of the last run come without code");
        return Exit::Status(1);
    }
    if settings.form == LastForm::Text && environment.has_terminal {
        pager::show(&text, environment.pager.as_deref());
    } else {
        pager::print(&text);
    }
    Exit::Status(0)
}

fn text(run: &LastRun, annotator: &Annotator, environment: &Environment) -> Vec<u8> {
    let full = Annotator {
        length: Length::Full,
        ..annotator.clone()
    };
    let mut text = Vec::new();
    let here: PathBuf = environment.folder.clone().unwrap_or_default();
    if run.folder != here {
        let folder = crate::visible::visible(&run.folder.to_string_lossy());
        text.extend(format!("In {folder}:\n\n").into_bytes());
    }
    for (n, card) in run.found.iter().filter_map(card).enumerate() {
        if n > 0 {
            text.push(b'\n');
        }
        text.extend(full.draw_card(&card));
    }
    text
}

/// Returns the code of all fixes, each once.
fn code(run: &LastRun) -> Vec<u8> {
    let mut codes: Vec<String> = Vec::new();
    for card in run.found.iter().filter_map(card) {
        let code = card.code().map(crate::visible::lines);
        codes.extend(code.filter(|code| !codes.contains(code)));
    }
    match codes.join("\n\n") {
        code if code.is_empty() => Vec::new(),
        code => (code + "\n").into_bytes(),
    }
}

fn card(entry: &LastFailure) -> Option<Card> {
    serde_json::from_value(entry.card.clone()).ok()
}
