//! What is said of an incident, row by row.

use super::block::{Block, Mark};
use super::finder::{FINDER, find};
use crate::corpus::{Advice, Confidence, Failure, FixAdvice, Severity};
use crate::incident::{Notice, Place, RankSet};
use crate::object::{Certainty, Object};
use crate::traceback::Frame;

/// What stands for the type of an exception that is missing.
pub(super) const CUT_OFF: &str = "a traceback that is cut off";
/// From how many on ranks are not counted.
const MANY: u64 = 64;

/// Puts what is to be said into a block.
pub(super) fn write(say: &Notice, block: &mut Block) {
    match say {
        Notice::Root(failure) => root(failure, block),
        Notice::First {
            rank,
            failure,
            victims,
        } => {
            let before = format!("consequences of rank {rank}, which failed first: ");
            let place = failure.facts.user_frame.as_ref().map(location);
            let place = place
                .map(|place| format!(" at {place}"))
                .unwrap_or_default();
            let after = format!("{place} ({} of it)", died(*victims));
            block.one_line([&before, &said(failure), &after], "");
        }
        Notice::Again { id, count, ranks } => {
            let ranks = on_ranks(ranks);
            block.one_line(
                [
                    "same failure again",
                    "",
                    &format!(", {count} times in all{ranks}"),
                ],
                id,
            );
        }
        Notice::Consequence {
            id,
            root_title,
            place: Place::Above,
        } => {
            block.one_line(["consequence of “", root_title, "” above"], id);
        }
        Notice::Consequence {
            id,
            root_title,
            place: Place::Below,
        } => {
            block.one_line(
                ["consequence of “", root_title, "” above, printed before it"],
                id,
            );
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

/// Puts a root into a block, in the words of its rule.
fn root(failure: &Failure, block: &mut Block) {
    let Some(diagnosis) = &failure.diagnosis else {
        return;
    };
    let told = failure.advice();
    block.mark = match failure.severity() {
        Severity::Error => Mark::Error,
        Severity::Warning => Mark::Warning,
        Severity::Note => Mark::Quiet,
    };
    block.title(
        kind(failure.severity(), diagnosis.confidence),
        &told.title,
        &diagnosis.rule.id,
    );
    block.blank();
    rows(failure, &told, block);
    let change = diagnosis.object.as_ref().and_then(|o| o.change.as_ref());
    if change.is_some_and(|c| c.patch.is_some()) {
        block.unwrapped("patch", "pickfix fix");
    }
}

/// Puts the rows of a root into a block: where, with which object, why, and the ways out.
pub(super) fn rows(failure: &Failure, told: &Advice, block: &mut Block) {
    block.columns(&places(failure));
    let path = failure.diagnosis.as_ref();
    let path = path.and_then(|d| d.object_path.as_ref());
    if let Some(reached) = path.and_then(|path| path.reached.as_deref()) {
        block.words("", &format!("reached as {reached}"));
    }
    block.words("why", &told.cause);
    if let Some((first, others)) = told.fixes.split_first() {
        fix("fix", first, block);
        if let Some(find) = find(failure, told) {
            block.words("find", &find.text);
            block.code(&find.code);
        }
        let is_another = |fix: &&FixAdvice| {
            fix.name.as_deref() != Some(FINDER) && (fix.code.is_none() || fix.code != first.code)
        };
        // What is said in the program's own words needs no example beside it.
        let object = failure.diagnosis.as_ref().and_then(|d| d.object.as_ref());
        let is_own = object.is_some_and(|o| o.change.is_some());
        if let Some(other) = others.iter().find(is_another).filter(|_| !is_own) {
            or(other, block);
        }
    }
    if let Some(link) = told.links.first() {
        block.unwrapped("link", link);
    }
    if let Some(id) = failure.id() {
        block.unwrapped("more", &format!("pickfix explain {id}"));
    }
}

/// Returns the words before a title.
pub(super) fn kind(severity: Severity, confidence: Confidence) -> &'static str {
    match (severity, confidence) {
        (Severity::Error, Confidence::Certain) => "",
        (Severity::Error, Confidence::Likely) => "likely: ",
        (Severity::Warning, Confidence::Certain) => "warning: ",
        (Severity::Warning, Confidence::Likely) => "warning, likely: ",
        (Severity::Note, Confidence::Certain) => "note: ",
        (Severity::Note, Confidence::Likely) => "note, likely: ",
    }
}

/// Returns the rows that tell where it happened and with which object.
pub(super) fn places(failure: &Failure) -> Vec<(&'static str, String, String)> {
    let mut rows = Vec::new();
    let facts = &failure.facts;
    let rank = facts.rank.map(|rank| format!("rank {rank}"));
    if let Some(frame) = &facts.user_frame {
        let place = [Some(location(frame)), rank]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ");
        rows.push(("where", place, frame.source.clone().unwrap_or_default()));
    } else if let Some(heading) = &failure.heading {
        let heading = heading.trim().trim_end_matches(':').to_owned();
        let place = [Some(heading), rank]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ");
        rows.push(("where", place, String::new()));
    } else if let Some(rank) = rank {
        rows.push(("where", rank, String::new()));
    }
    if let Some(diagnosis) = &failure.diagnosis
        && let Some(path) = &diagnosis.object_path
    {
        let of = diagnosis.captures.get("type").map(|of| with_article(of));
        let short = |holder: &str| holder.rsplit('.').next().unwrap_or(holder).to_owned();
        // `Trainer._lock` says what holds it.
        let holder = path
            .holder
            .as_deref()
            .filter(|h| !path.display.starts_with(&(short(h) + ".")));
        let holder = holder.map(|holder| format!("in {}", with_article(holder)));
        let remark = [of, holder]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ");
        let found = diagnosis.object.as_ref();
        let remark = match found {
            Some(found) => format!("{remark}   {}", found_at(found)),
            None => remark,
        };
        rows.push(("object", path.display.clone(), remark));
    } else if let Some(object) = failure.diagnosis.as_ref().and_then(|d| d.object.as_ref()) {
        rows.extend(objects(object));
    }
    rows
}

/// Returns the rows of an object that the source shows, one for each that it can be.
fn objects(object: &Object) -> Vec<(&'static str, String, String)> {
    let named = |object: &Object| format!("{}, {}", object.path, kind_of(&object.type_name));
    let first = match object.certainty {
        Certainty::Certain => named(object),
        Certainty::Likely => format!("most likely {}", named(object)),
        Certainty::OneOf => format!("one of {}", named(object)),
    };
    let others = object.others.iter();
    let others = others.map(|other| ("", format!("or {}", named(other)), found_at(other)));
    std::iter::once(("object", first, found_at(object)))
        .chain(others)
        .collect()
}

/// Returns `data.py:14   self.lock = threading.Lock()`.
fn found_at(object: &Object) -> String {
    format!("{}:{}   {}", object.file, object.line, object.source)
}

/// Says what a thing is: `a threading.Lock`, `from sqlite3.connect()`, `a lambda`.
fn kind_of(type_name: &str) -> String {
    let last = type_name.rsplit('.').next().unwrap_or(type_name);
    if type_name.contains(' ') {
        return type_name.to_owned();
    }
    if last.starts_with(char::is_uppercase) {
        return with_article(type_name);
    }
    format!("from {type_name}()")
}

/// Returns `train.py:47 in train()`.
pub(super) fn location(frame: &Frame) -> String {
    let Frame {
        path,
        line,
        function,
        source: _,
    } = frame;
    let file = short_path(path.as_str());
    let line = if *line == 0 {
        String::new()
    } else {
        format!(":{line}")
    };
    match function.as_str() {
        "" | "<module>" => format!("{file}{line}"),
        function if function.ends_with(['>', ')']) => format!("{file}{line} in {function}"),
        function => format!("{file}{line} in {function}()"),
    }
}

/// Shortens a path to what tells files apart; the whole of it stands in the traceback above.
fn short_path(path: &str) -> &str {
    const MAX_PATH: usize = 40;
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.get(1..2) == Some(":");
    if !is_absolute && path.len() <= MAX_PATH {
        return path;
    }
    let mut names = path
        .rmatch_indices(['/', '\\'])
        .map(|(at, _)| &path[at + 1..]);
    let Some(name) = names.next() else {
        return path;
    };
    let tells_nothing = matches!(name, "__init__.py" | "__main__.py");
    names.next().filter(|_| tells_nothing).unwrap_or(name)
}

/// Returns `a _thread.lock`, `an _io.TextIOWrapper`.
fn with_article(of: &str) -> String {
    let first = of
        .chars()
        .find(|c| c.is_alphanumeric())
        .map(|c| c.to_ascii_lowercase());
    let article = if matches!(first, Some('a' | 'e' | 'i' | 'o' | 'u')) {
        "an"
    } else {
        "a"
    };
    format!("{article} {of}")
}

/// Adds a way out with its code, its check and what does not help.
fn fix(label: &str, fix: &FixAdvice, block: &mut Block) {
    block.words(label, &fix.text);
    if let Some(code) = &fix.code {
        block.code(code);
    }
    if let Some(check) = &fix.check {
        block.words("check", check);
    }
    if let Some(not) = &fix.not {
        block.words("not", not);
    }
}

/// Adds another way out in short; `pickfix explain` has it in full.
fn or(fix: &FixAdvice, block: &mut Block) {
    block.words("or", &fix.text);
    if let Some(code) = fix.code.as_ref().filter(|_| fix.text.ends_with(':')) {
        block.code(code);
    }
}
