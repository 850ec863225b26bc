//! `pickfix explain`: which rule is meant, and its page.

use std::io::{self, IsTerminal, Read};

use super::args::PageFormat;
use super::environment::Environment;
use super::resolve::ExplainSettings;
use super::{Exit, annotator, corpus, pager, say};
use crate::corpus::{Corpus, Failure, Page};
use crate::explain::{Example, list, page};
use crate::reader::{root_failures, root_failures_of_each};
use crate::render::page::{Element, markdown, text};
use crate::render::{Annotator, json};
use crate::search::{Search, is_clear};

/// The most rules that a search shows.
const MAX_HITS: usize = 3;
/// The most that is read of a message on standard input, in bytes.
const MAX_MESSAGE: u64 = 16 << 20;

/// Shows a rule, or all.
pub(super) fn explain(asked: &ExplainSettings, environment: &Environment) -> Result<Exit, String> {
    let corpus = corpus(&asked.selection)?;
    let show = |text: &[u8]| {
        if asked.format == PageFormat::Text && environment.has_terminal {
            pager::show(text, environment.pager.as_deref());
        } else {
            pager::print(text);
        }
        Ok(Exit::Status(0))
    };
    let annotator = annotator(&asked.appearance);
    let write_page = |of: &Page, failure: Option<Failure>| {
        let elements = || page(of, failure, example(&corpus, of));
        write(asked.format, &annotator, elements, || json::rule(of))
    };
    let typed = asked
        .what
        .as_deref()
        .map(str::trim)
        .filter(|what| *what != "-");
    let Some(what) = typed.map(str::to_owned).or_else(pasted) else {
        return show(&write(
            asked.format,
            &annotator,
            || list(&corpus),
            || json::rules(corpus.rules()),
        ));
    };
    if let Some(page) = corpus.page(what.trim()) {
        return show(&write_page(&page, None));
    }
    if is_id(&what) && what.contains(['-', '/', '*']) {
        return Err(unknown_id(&corpus, &what));
    }
    let found = fitting(&corpus, &what);
    let Some((first, id)) = found.first().and_then(|f| Some((f, f.id()?))) else {
        let hits = Search::new(&corpus).find(&what);
        if hits.is_empty() {
            say("no rule has these words; `pickfix explain` lists all that there are");
            return Ok(Exit::Status(1));
        }
        let is_clear = is_clear(&hits);
        let rows = hits.into_iter().take(MAX_HITS);
        let rows = rows.map(|hit| Element::Row(hit.id, hit.title));
        let more = Element::Text("One of them in full: `pickfix explain ID`.".to_owned());
        let rows: Vec<Element> = rows.chain([more]).collect();
        let json = ids(&rows);
        show(&write(asked.format, &annotator, || rows, || json))?;
        return Ok(Exit::Status(u8::from(!is_clear)));
    };
    let page = corpus.page(id).expect("its rule has been read");
    let end = show(&write_page(&page, Some(first.clone())));
    let others: Vec<&str> = found[1..].iter().filter_map(Failure::id).collect();
    if !others.is_empty() {
        say(&format!("this fits too: {}", others.join(", ")));
    }
    end
}

/// Writes elements of a page, or the JSON that says the same.
fn write<'c>(
    format: PageFormat,
    annotator: &Annotator,
    elements: impl FnOnce() -> Vec<Element<'c>>,
    json: impl FnOnce() -> String,
) -> Vec<u8> {
    match format {
        PageFormat::Text => text(&elements(), annotator),
        PageFormat::Markdown => markdown(&elements(), annotator).into_bytes(),
        PageFormat::Json => json().into_bytes(),
    }
}

/// Returns what came through a pipe; none if nothing did.
fn pasted() -> Option<String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut bytes = Vec::new();
    // What cannot be read is nothing: a closed standard input, a folder.
    let _ = stdin.lock().take(MAX_MESSAGE).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.trim().is_empty()).then_some(text)
}

/// Writes the ids of rows as a JSON array.
fn ids(rows: &[Element]) -> String {
    let ids = rows.iter().filter_map(|row| match row {
        Element::Row(id, _) => Some(format!("\"{id}\"")),
        _ => None,
    });
    format!("[{}]\n", ids.collect::<Vec<_>>().join(","))
}

/// Returns whether something is written as an id is, so that it is no message.
fn is_id(what: &str) -> bool {
    what.chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_' | '/' | '*'))
}

fn unknown_id(corpus: &Corpus, id: &str) -> String {
    let near = corpus.near_misses(id);
    if near.is_empty() {
        return format!("unknown rule \"{id}\"; `pickfix explain` lists all that there are");
    }
    let near: Vec<String> = near
        .iter()
        .map(|id| format!("  pickfix explain {id}"))
        .collect();
    let near = near.join("\n");
    format!("unknown rule \"{id}\"; did you mean one of these?\n{near}")
}

/// Finds the failures that a text shows, the first of each rule.
///
/// A message without its type is tried with each type that rules look for.
pub(super) fn fitting<'c>(corpus: &'c Corpus, what: &str) -> Vec<Failure<'c>> {
    let text = format!("{}\n", what.trim_end());
    let mut found = root_failures(corpus, text.as_bytes());
    if found.is_empty() {
        let message = text.trim_start();
        let typed = corpus
            .exceptions()
            .into_iter()
            .map(|of| format!("{of}: {message}"));
        found = root_failures_of_each(corpus, typed);
    }
    let mut ids = std::collections::BTreeSet::new();
    found.retain(|failure| ids.insert(failure.id()));
    found
}

/// Returns the shortest example that shows this failure and no other.
fn example<'c>(corpus: &'c Corpus, page: &Page) -> Option<Example<'c>> {
    let mut samples = page.examples.clone();
    samples.sort_by_key(|sample| sample.input.lines().count());
    samples.into_iter().find_map(|sample| {
        let mut found = root_failures(corpus, sample.input.as_bytes());
        let is_it = found.len() == 1 && found[0].id() == Some(&page.id);
        is_it.then(|| Example {
            sample,
            failure: found.remove(0),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of messages as people paste them, with the rule that is meant.
    const PASTED: &[(&str, &str)] = &[
        (
            "Cannot re-initialize CUDA in forked subprocess",
            "cuda-fork",
        ),
        ("BrokenProcessPool", "broken-process-pool"),
        (
            "A process in the process pool was terminated abruptly",
            "broken-process-pool",
        ),
        ("Can't pickle local object", "unpicklable-local-object"),
        (
            "An attempt has been made to start a new process before the current process has finished its bootstrapping phase.",
            "missing-main-guard",
        ),
        ("Too many open files", "too-many-open-files"),
        ("unable to allocate shared memory", "worker-shared-memory"),
        (
            "stack expects each tensor to be equal size",
            "collate-size-mismatch",
        ),
        ("CUDA out of memory", "cuda-out-of-memory"),
        (
            "Expected to have finished reduction in the prior iteration",
            "ddp-unused-parameters",
        ),
        (
            "environment variable RANK expected, but not set",
            "launcher-missing",
        ),
        (
            "Default process group has not been initialized",
            "ranks-not-initialized",
        ),
        (
            "Watchdog caught collective operation timeout",
            "ranks-collective-timeout",
        ),
        ("NCCL error", "ranks-nccl-error"),
        (
            "Cowardly refusing to serialize non-leaf tensor",
            "pickle-non-leaf-tensor",
        ),
        ("KilledWorker", "dask-killed-worker"),
        ("MaybeEncodingError", "pool-result-encoding"),
        ("leaked semaphore objects", "leaked-semaphores"),
        (
            "it\u{2019}s not the same object as __main__.download",
            "pickle-not-same-object",
        ),
        ("DataLoader worker exited unexpectedly", "worker-exited"),
        (
            "Can't get attribute 'clean' on <module '__main__'",
            "unpickle-missing-attribute",
        ),
        ("exitcode : -9 (pid: 4242)", "ranks-child-signal"),
        (
            "huggingface/tokenizers: The current process just got forked",
            "tokenizers-fork",
        ),
        ("freeze_support", "missing-main-guard"),
        ("lock", "unpicklable-lock"),
        ("cannot pickle '_thread.RLock' object", "unpicklable-lock"),
        ("can't pickle _thread.lock objects", "unpicklable-lock"),
        (
            "PicklingError: Can't pickle <function <lambda> at 0x7f1c2a>: attribute lookup <lambda> on __main__ failed",
            "unpicklable-lambda",
        ),
        ("cannot pickle 'generator' object", "unpicklable-generator"),
        ("sqlite3.Connection pickle", "unpicklable-database"),
        ("cannot pickle 'module' object", "unpicklable-module"),
        ("cannot pickle 'dict_keys' object", "unpicklable-view"),
        (
            "cannot pickle 'weakref.ReferenceType' object",
            "unpicklable-weakref",
        ),
        (
            "cannot pickle '_io.TextIOWrapper' object",
            "unpicklable-file",
        ),
        ("cannot pickle 'socket' object", "unpicklable-socket"),
        (
            "daemonic processes are not allowed to have children",
            "daemonic-children",
        ),
        ("context has already been set", "start-method-already-set"),
        (
            "maximum recursion depth exceeded while pickling an object",
            "pickle-recursion",
        ),
        ("EOFError: Ran out of input", "unpickle-ran-out-of-input"),
        (
            "DataLoader worker (pid(s) 1234) exited unexpectedly",
            "worker-exited",
        ),
        (
            "Caught KeyError in DataLoader worker process 0.",
            "dataloader-worker-exception",
        ),
        (
            "Synchronized objects should only be shared between processes through inheritance",
            "unpicklable-mp-primitive",
        ),
        ("Pool not running", "pool-not-running"),
        ("Weights only load failed", "torch-weights-only"),
        (
            "__init__() missing 1 required positional argument",
            "pickle-exception-args",
        ),
        (
            "A task has failed to un-serialize",
            "joblib-task-unserialize",
        ),
        ("WorkerLostError", "celery-worker-lost"),
        ("cannot find context for 'fork'", "start-method-unavailable"),
        (
            "can only join a child process",
            "process-handle-wrong-parent",
        ),
        ("Could not serialize object", "spark-unserializable"),
        ("gloo connection closed by peer", "ranks-child-failed"),
        ("address already in use port 29500", "ranks-address-in-use"),
    ];

    #[test]
    fn a_piece_of_a_message_finds_its_rule_among_the_first_three() {
        assert_eq!(PASTED.len(), 52);
        let corpus = Corpus::built_in();
        let search = Search::new(&corpus);
        let mut missed = Vec::new();
        for (query, id) in PASTED {
            let fitting = fitting(&corpus, query);
            let fitting = fitting.iter().filter_map(Failure::id).map(str::to_owned);
            let mut found: Vec<String> = fitting.take(1).collect();
            if found.is_empty() {
                let hits = search.find(query).into_iter().take(MAX_HITS);
                found.extend(hits.map(|hit| hit.id));
            }
            if !found.iter().any(|found| found == id) {
                missed.push(format!("{query}: {found:?}, not {id}"));
            }
        }
        assert!(missed.is_empty(), "{}", missed.join("\n"));
    }

    #[test]
    fn a_message_finds_its_rule_with_its_type_and_without() {
        let corpus = Corpus::built_in();
        for message in [
            "TypeError: cannot pickle '_thread.lock' object",
            "cannot pickle '_thread.lock' object",
            "  cannot pickle '_thread.lock' object\n\n",
        ] {
            let found = fitting(&corpus, message);
            assert_eq!(
                found.first().and_then(Failure::id),
                Some("unpicklable-lock"),
                "{message}"
            );
        }
        assert!(fitting(&corpus, "everything is well").is_empty());
    }

    #[test]
    fn the_example_of_a_page_shows_its_rule_and_no_other() {
        let corpus = Corpus::built_in();
        let page = corpus.page("unpicklable-lock").expect("a page");
        let shown = example(&corpus, &page).expect("an example");
        assert_eq!(shown.failure.id(), Some("unpicklable-lock"));
    }
}
