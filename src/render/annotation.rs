//! What is said of a failure, row by row: in short, in full, and as one that came before.

use std::path::Path;

use super::block::{Block, Weight};
use super::card::{Card, is_endless, kind, mark};
use super::finder::{briefly, fully};
use super::place::{Row, location, places};
use super::wrap::fit;
use crate::corpus::{Failure, FixAdvice};
use crate::incident::{Notice, RankSet, RootPlace};

/// What stands for the type of an exception that is missing.
pub(super) const CUT_OFF: &str = "a traceback that is cut off";
/// From how many on ranks are not counted.
const MANY: u64 = 64;
/// The most lines of a cause in the short form.
const MAX_CAUSE: usize = 3;
/// The most lines of a fix's text in the short form, but for a sentence that is longer.
const MAX_FIX: usize = 2;
/// The most rows of code in the short form, and what it has at least.
const MAX_CODE: usize = 12;
const MIN_CODE: usize = 5;
/// The most rows of the short form, where the texts leave room for that.
const MAX_ROWS: usize = 24;

/// Puts what is said of a repeat or a consequence into a block; that of a root is on its [`Card`].
pub(super) fn one_line(notice: &Notice, folder: Option<&Path>, block: &mut Block) {
    match notice {
        Notice::Root(_) | Notice::LateRoot(_) => {}
        Notice::First {
            rank,
            failure,
            victims,
        } => {
            let before = format!("consequences of rank {rank}, which failed first: ");
            let place = failure.facts.user_frame.as_ref();
            let place = place
                .map(|frame| format!(" at {}", location(frame, folder)))
                .unwrap_or_default();
            let line = failure.at.line;
            let after = format!("{place} (line {line}; {} of it)", died(*victims));
            block.one_line([&before, &said(failure), &after], "");
        }
        Notice::Again { id, count, ranks } => {
            let ranks = on_ranks(ranks);
            let after = format!(", {count} times in all{ranks}");
            block.one_line(["same failure again", "", &after], id);
        }
        Notice::Consequence {
            id,
            root_title,
            place,
        } => {
            let after = match place {
                RootPlace::Above => "” above".to_owned(),
                RootPlace::FarAbove(line) => format!("” above (line {line})"),
                RootPlace::Below => "” above, printed before it".to_owned(),
            };
            block.one_line(["consequence of “", root_title, &after], id);
        }
    }
}

/// Returns `KeyError: 'wd'`, of a failure that no rule knows.
pub(super) fn said(failure: &Failure) -> String {
    let exception = failure.exception.as_deref().unwrap_or(CUT_OFF);
    match failure.message.as_str() {
        "" => exception.to_owned(),
        message => format!("{exception}: {message}"),
    }
}

/// Returns `7 others died`.
pub(super) fn died(victims: u64) -> String {
    match victims {
        1 => "1 other died".to_owned(),
        2..MANY => format!("{victims} others died"),
        _ => "many others died".to_owned(),
    }
}

/// Returns ` (ranks 0–7)`, or nothing where there are none.
pub(super) fn on_ranks(ranks: &RankSet) -> String {
    match (ranks.is_empty(), ranks.is_one()) {
        (true, _) => String::new(),
        (_, true) => format!(" (rank {ranks})"),
        _ => format!(" (ranks {ranks})"),
    }
}

/// Returns `further up, line 12: ` of a failure with another one below it.
fn further_up(line: Option<u64>) -> String {
    line.map(|line| format!("further up, line {line}: "))
        .unwrap_or_default()
}

/// Puts a failure into a block whose rule and fix were shown before; `far_line` is where it stands if
/// that is not directly above.
pub(super) fn again(
    failure: &Failure,
    far_line: Option<u64>,
    folder: Option<&Path>,
    block: &mut Block,
) {
    let (Some(diagnosis), Some(title)) = (&failure.diagnosis, failure.title()) else {
        return;
    };
    let severity = failure.severity();
    block.mark = mark(severity);
    let kind = further_up(far_line) + kind(severity, diagnosis.confidence);
    let words = words(title, is_endless(diagnosis));
    block.title(&kind, &words, &diagnosis.rule.id);
    places_again(places(failure, folder), block);
}

fn places_again(mut places: Vec<Row>, block: &mut Block) {
    for row in &mut places {
        if !block.fits(row) {
            row.remark.clear();
        }
    }
    block.columns(&places);
    block.words("fix", "as above");
}

/// Returns a title with what the reader has to do at once.
fn words(title: String, is_endless: bool) -> String {
    if is_endless {
        format!("{title}; it will not end: press Ctrl-C")
    } else {
        title
    }
}

impl Card {
    /// Puts the headline into a block; `far_line` is where the failure stands if that is not directly
    /// above.
    pub(super) fn headline(&self, far_line: Option<u64>, block: &mut Block) {
        block.mark = self.mark;
        let kind = further_up(far_line) + &self.kind;
        block.title(&kind, &self.words(), &self.id);
    }

    /// Returns the title, with what the reader has to do at once.
    pub(super) fn words(&self) -> String {
        words(self.title.clone(), self.is_endless)
    }

    /// Puts all rows into a block.
    pub(super) fn full(&self, block: &mut Block) {
        block.columns(&self.places);
        if let Some(reached) = &self.reached {
            block.words("", &format!("reached as {reached}"));
        }
        block.words("why", &self.cause);
        if let Some(first) = self.fixes.first() {
            fix(first, block);
            if let Some(sent) = &self.sent {
                let (text, code) = fully(sent);
                block.words("find", &text);
                block.code(&code);
            }
            if let Some(other) = self.other_fix() {
                or(other, block);
            }
        }
        if let Some(link) = &self.link {
            block.weight = Weight::Second;
            block.unwrapped("link", link);
            block.weight = Weight::First;
        }
    }

    /// Puts the rows that come first into a block: what a reader in a hurry needs.
    pub(super) fn short(&self, block: &mut Block) {
        block.columns(&self.places);
        block.lines_of("why", &fit(&self.cause, block.text_width(), MAX_CAUSE).0);
        if let Some(sent) = &self.sent {
            block.words("find", &briefly(sent));
        }
        let Some(first) = self.fixes.first() else {
            return;
        };
        let (mut lines, is_cut) = fit(&first.text, block.text_width(), MAX_FIX);
        if is_cut {
            // The sentence that leads to the code is the last one.
            lines = fit(&first.text, block.text_width(), MAX_FIX + 2).0;
        }
        if let (None, Some(last)) = (&first.code, lines.last_mut())
            && last.ends_with(':')
        {
            last.pop();
            last.push('.');
        }
        block.lines_of("fix", &lines);
        if let Some(code) = &first.code {
            // The empty row above it and the commands below it have theirs.
            let room = MAX_ROWS.saturating_sub(block.lines.len() + 2);
            block.code_in_short(code, room.clamp(MIN_CODE, MAX_CODE));
        }
        if let Some(not) = first.not.as_deref().filter(|_| self.is_misled) {
            let (lines, _) = fit(not, block.text_width(), 1);
            block.lines_of("not", &lines);
        }
    }

    /// Puts the rows of a failure into a block whose rule and fix were shown before.
    pub(super) fn again(&self, block: &mut Block) {
        places_again(self.places.clone(), block);
    }

    /// Puts what is most needed into a block, for a reader from whose screen the rest has gone.
    pub(super) fn gone(&self, count: u64, block: &mut Block) {
        block.mark = self.mark;
        let before = match count {
            0 | 1 => "further up: ".to_owned(),
            count => format!("{count} times, first far above: "),
        };
        block.title(&format!("{before}{}", self.kind), &self.title, &self.id);
        block.columns(&self.places);
        if let Some(first) = self.fixes.first() {
            let text = first.text.strip_suffix(':');
            let text = text.map_or(first.text.clone(), |text| format!("{text}."));
            let (lines, _) = fit(&text, block.text_width(), 1);
            block.lines_of("fix", &lines);
        }
    }
}

/// Adds a way out with its code, its check and what does not help.
fn fix(fix: &FixAdvice, block: &mut Block) {
    block.words("fix", &fix.text);
    if let Some(code) = &fix.code {
        block.code(code);
    }
    if let Some(check) = &fix.check {
        block.words("check", check);
    }
    if let Some(not) = &fix.not {
        block.weight = Weight::Second;
        block.words("not", not);
        block.weight = Weight::First;
    }
}

/// Adds another way out in short; `pickfix explain` has it in full.
fn or(fix: &FixAdvice, block: &mut Block) {
    block.weight = Weight::Second;
    block.words("or", &fix.text);
    if let Some(code) = fix.code.as_ref().filter(|_| fix.text.ends_with(':')) {
        block.code(code);
    }
    block.weight = Weight::First;
}
