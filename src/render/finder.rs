//! How to find the part that cannot be pickled, where Python does not name it: before 3.14.

use crate::corpus::{Advice, Failure};
use crate::traceback::facts::{Facts, Via};

/// What the ids of the rules begin with whose object may be anywhere in what is sent.
const RULES: &str = "unpicklable-";
/// The name of a rule's fix that tells how to find the object.
pub(crate) const FINDER: &str = "find";
/// The Pythons that do not name the part, and that the finder runs on.
const FINDERS: std::ops::Range<(u8, u8)> = (3, 6)..(3, 14);
/// What stands for it where the source line does not name it.
const UNNAMED: &str = "WHAT_IS_SENT";
/// Calls whose first argument is what gets pickled.
const CALLS: &[&str] = &["dumps(", "dump(", "save(", "deepcopy(", "put(", "send("];
/// Calls of a pool or an executor: a function, and what it is called with.
const TASKS: &[&str] = &[
    ".map(",
    ".imap(",
    ".imap_unordered(",
    ".starmap(",
    ".apply(",
    ".submit(",
    ".map_async(",
    ".starmap_async(",
    ".apply_async(",
];

/// Returns what to call the finder's `explain` with, if neither the failure nor the first fix says
/// which part of an object it is.
pub(super) fn object(failure: &Failure, told: &Advice) -> Option<String> {
    let first = told.fixes.first()?;
    if first.name.as_deref() == Some(FINDER) {
        return None;
    }
    let Facts {
        via,
        python,
        user_frame,
        ..
    } = &failure.facts;
    let diagnosis = failure.diagnosis.as_ref()?;
    let id = diagnosis.rule.id.as_str();
    let is_named = diagnosis.object_path.is_some() || diagnosis.object.is_some();
    if is_named
        || python.is_some_and(|python| !FINDERS.contains(&python))
        || !id.starts_with(RULES)
        || !leaves_open_which(&failure.message)
    {
        return None;
    }
    let source = user_frame.as_ref().and_then(|f| f.source.as_deref());
    if source.is_some_and(|s| s.contains("lambda")) && id == "unpicklable-lambda" {
        return None;
    }
    let object = source.and_then(|s| sent_by(s, *via));
    Some(object.unwrap_or_else(|| UNNAMED.to_owned()))
}

/// Returns how to find the part, in a line of 68 columns for a short name.
pub(super) fn briefly(object: &str) -> String {
    format!("`pickfix finder > find_unpicklable.py`, then `explain({object})`")
}

/// Returns how to find the part, in full: as text and code.
pub(super) fn fully(object: &str) -> (String, String) {
    let place = if object == UNNAMED {
        "with what is sent or saved"
    } else {
        "before the line that fails"
    };
    (
        format!(
            "Python before 3.14 does not say which part it is. A program that does: `pickfix finder > find_unpicklable.py`, then, {place}:"
        ),
        format!("from find_unpicklable import explain\nexplain({object})"),
    )
}

/// Returns whether a message tells a type, or that it is a lambda, but not which one: `cannot pickle
/// '_thread.lock' object`, unlike `Can't pickle <function f at 0x…>`.
fn leaves_open_which(message: &str) -> bool {
    !message.contains('<') || message.contains("<lambda>")
}

/// Reads out of a line of source what it sends: `loader` of `for batch in loader:`.
fn sent_by(source: &str, via: Option<Via>) -> Option<String> {
    match via? {
        Via::DataLoader => iterated(source).map(str::to_owned),
        Via::Process => {
            let process = source.trim().strip_suffix(".start()").filter(is_dotted)?;
            Some(process.to_owned())
        }
        Via::Pool | Via::Executor => task(source),
        Via::Dump | Via::Deepcopy | Via::Queue | Via::Manager => {
            let (_, arguments) = CALLS.iter().find_map(|call| source.split_once(call))?;
            let end = arguments.find([',', ')'])?;
            Some(arguments[..end].trim())
                .filter(is_dotted)
                .map(str::to_owned)
        }
        _ => None,
    }
}

/// Reads what a pool is given: the bound method, which takes its object along, or else what a
/// function of a module is called with.
fn task(source: &str) -> Option<String> {
    let (_, arguments) = TASKS.iter().find_map(|call| source.split_once(call))?;
    let mut arguments = arguments.split([',', ')']).map(str::trim);
    let function = arguments.next().filter(is_dotted)?;
    let sent = match arguments.next().filter(|items| !items.is_empty()) {
        Some(items) if !function.contains('.') => Some(items).filter(is_dotted)?,
        _ => function,
    };
    Some(sent.to_owned())
}

/// Returns what a `for` or an `iter` goes over: `loader` of `for i, x in enumerate(loader):`.
fn iterated(source: &str) -> Option<&str> {
    let source = source.trim();
    let over = match source.strip_prefix("for ") {
        Some(rest) => rest.split_once(" in ")?.1.strip_suffix(':')?,
        None => source.split_once("iter(")?.1,
    };
    let end = over.find([',', ')']).unwrap_or(over.len());
    let over = &over[..end];
    let innermost = over.rsplit('(').next()?.trim();
    Some(innermost).filter(is_dotted)
}

/// Returns whether a text is a name or a path of names, and so may be put into code: `self.model`.
fn is_dotted(text: &&str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    text.len() <= 60 && text.split('.').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_read_out_of_the_source() {
        for (source, via, sent) in [
            ("for batch in loader:", Via::DataLoader, "loader"),
            (
                "for i, (x, y) in enumerate(self.train_loader):",
                Via::DataLoader,
                "self.train_loader",
            ),
            (
                "for b in tqdm(enumerate(loader, 1), total=9):",
                Via::DataLoader,
                "loader",
            ),
            ("x, y = next(iter(loader))", Via::DataLoader, "loader"),
            ("writer.start()", Via::Process, "writer"),
            ("pool.map(self.evaluate, runs)", Via::Pool, "self.evaluate"),
            (
                "for r in pool.imap_unordered(execute, runs):",
                Via::Pool,
                "runs",
            ),
            ("f = executor.submit(work, job, 3)", Via::Executor, "job"),
            ("pool.apply_async(work)", Via::Pool, "work"),
            ("pickle.dump(self.model, f)", Via::Dump, "self.model"),
            ("torch.save(model, 'm.pt')", Via::Dump, "model"),
            ("ema = copy.deepcopy(model)", Via::Deepcopy, "model"),
        ] {
            assert_eq!(
                sent_by(source, Some(via)).as_deref(),
                Some(sent),
                "{source}"
            );
        }
    }

    #[test]
    fn what_is_no_name_is_not_put_into_code() {
        for (source, via) in [
            ("for batch in make_loader():", Via::DataLoader),
            ("trainer.fit(model, loader)", Via::DataLoader),
            ("workers[0].start()", Via::Process),
            ("pickle.dumps({'loop': loop})", Via::Dump),
            ("pickle.dumps(a\u{202e}b)", Via::Dump),
            ("pool.map(partial(work, 3), items)", Via::Pool),
            // What is sent is in the list; the function is clean.
            ("pool.map(load, [Prefetcher(1)])", Via::Pool),
        ] {
            assert_eq!(sent_by(source, Some(via)), None, "{source}");
        }
    }
}
