//! `pickfix explain`: which rule is meant, and its page.

use std::io::{self, IsTerminal, Read};

use super::args::PageFormat;
use super::environment::Environment;
use super::resolve::ExplainSettings;
use super::{Exit, corpus, pager, say};
use crate::corpus::{Corpus, Diagnosis, Failure, Page};
use crate::explain::{DiagnosedSample, list, page};
use crate::reader::root_failures;
use crate::render::page::{Element, markdown, text};
use crate::render::{Annotator, json};
use crate::search::{Hit, Search, is_clear};

/// The most rules that a search shows.
const MAX_HITS: usize = 3;
/// The most that is read of a message on standard input, in bytes.
const MAX_MESSAGE: u64 = 16 << 20;

/// Shows a rule, or all.
pub(super) fn explain(asked: &ExplainSettings, environment: &Environment) -> Result<Exit, String> {
    let corpus = corpus(&asked.selection)?;
    let pages = Pages {
        corpus,
        format: asked.format,
        annotator: &asked.annotator,
        environment,
    };
    let typed = asked
        .what
        .as_deref()
        .map(str::trim)
        .filter(|what| *what != "-");
    let status = match typed.map(str::to_owned).or_else(pasted) {
        None => pages.list(),
        Some(what) => {
            if let Some(page) = corpus.page(what.trim()) {
                pages.rule(&page, None)
            } else if is_id(&what) && what.contains(['-', '/', '*']) {
                return Err(unknown_id(corpus, &what));
            } else {
                match answer(corpus, &what) {
                    Answer::Failures(found) => pages.failures(&found),
                    Answer::Hits(hits) => pages.hits(hits),
                }
            }
        }
    };
    Ok(Exit::Status(status))
}

/// Writes pages in the form that was asked for; each returns the exit status.
struct Pages<'c> {
    corpus: &'c Corpus,
    format: PageFormat,
    annotator: &'c Annotator,
    environment: &'c Environment,
}

impl<'c> Pages<'c> {
    fn list(&self) -> u8 {
        let rules = || json::rules(self.corpus.rules());
        self.write(|| list(self.corpus), rules);
        0
    }

    fn rule(&self, of: &Page, failure: Option<Failure<'c>>) -> u8 {
        let elements = || page(of, failure, example(self.corpus, of));
        self.write(elements, || json::rule(of));
        0
    }

    /// Writes the page of the first failure's rule, and names the other ones.
    fn failures(&self, found: &[Failure<'c>]) -> u8 {
        let mut ids = found.iter().filter_map(Failure::id);
        let id = ids
            .next()
            .expect("an answer has a failure that a rule knows");
        let page = self.corpus.page(id).expect("its rule has been read");
        let status = self.rule(&page, found.first().cloned());
        let others: Vec<&str> = ids.collect();
        if !others.is_empty() {
            say(&format!("this fits too: {}", others.join(", ")));
        }
        status
    }

    fn hits(&self, hits: Vec<Hit>) -> u8 {
        if hits.is_empty() {
            say("no rule has these words; `pickfix explain` lists all that there are");
            return 1;
        }
        let is_clear = is_clear(&hits);
        let rows = hits.into_iter().take(MAX_HITS);
        let rows = rows.map(|hit| Element::Row(hit.id, hit.title));
        let more = Element::Text("One of them in full: `pickfix explain ID`.".to_owned());
        let rows: Vec<Element> = rows.chain([more]).collect();
        let json = ids(&rows);
        self.write(|| rows, || json);
        u8::from(!is_clear)
    }

    /// Writes elements, or the JSON that says the same.
    fn write(&self, elements: impl FnOnce() -> Vec<Element<'c>>, json: impl FnOnce() -> String) {
        let bytes = match self.format {
            PageFormat::Text => text(&elements(), self.annotator),
            PageFormat::Markdown => markdown(&elements(), self.annotator).into_bytes(),
            PageFormat::Json => json().into_bytes(),
        };
        if self.format == PageFormat::Text && self.environment.has_terminal {
            pager::show(&bytes, self.environment.pager.as_deref());
        } else {
            pager::print(&bytes);
        }
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

/// What a text leads to.
#[derive(Debug)]
enum Answer<'c> {
    /// The failures that it shows, the first of each rule; one at least.
    Failures(Vec<Failure<'c>>),
    /// The rules that it is about, the best first.
    Hits(Vec<Hit>),
}

/// Finds what a text shows; if that is nothing, what it is about.
///
/// A message without its type is tried with each type that rules look for. `lock cannot be pickled`
/// fits a rule for what no other knows so: then that rule must be the one that the words are about.
fn answer<'c>(corpus: &'c Corpus, what: &str) -> Answer<'c> {
    let text = format!("{}\n", what.trim_end());
    let found = first_of_each(root_failures(corpus, text.as_bytes()));
    if !found.is_empty() {
        return Answer::Failures(found);
    }
    let guessed = guessed(corpus, text.trim_start());
    answer_by_guess(corpus, what, guessed)
}

/// Chooses between the failures that a text shows with some type and the rules that it is about.
fn answer_by_guess<'c>(corpus: &'c Corpus, what: &str, mut found: Vec<Failure<'c>>) -> Answer<'c> {
    let is_last_resort =
        |failure: &Failure| (failure.diagnosis.as_ref()).is_some_and(|known| known.rule.fallback);
    found.sort_by_key(is_last_resort);
    if found.first().is_some_and(|first| !is_last_resort(first)) {
        return Answer::Failures(found);
    }
    let hits = Search::new(corpus).find(what);
    let meant = hits.first().map(|hit| hit.id.as_str());
    if meant.is_some() && found.first().and_then(Failure::id) == meant {
        Answer::Failures(found)
    } else {
        Answer::Hits(hits)
    }
}

/// Finds the failures that a message without its type shows, with any that rules look for.
fn guessed<'c>(corpus: &'c Corpus, message: &str) -> Vec<Failure<'c>> {
    let types = corpus.exceptions_with(message).into_iter();
    let typed = types.map(|name| format!("{name}: {message}"));
    first_of_each(
        typed
            .flat_map(|text| root_failures(corpus, text.as_bytes()))
            .collect(),
    )
}

/// Keeps the first failure of each rule.
fn first_of_each(mut found: Vec<Failure>) -> Vec<Failure> {
    let mut ids = std::collections::BTreeSet::new();
    found.retain(|failure| failure.id().is_some_and(|id| ids.insert(id.to_owned())));
    found
}

/// Returns the shortest example that shows this failure and no other; better one of the general case
/// than of a special one.
fn example<'c>(corpus: &'c Corpus, page: &Page) -> Option<DiagnosedSample<'c>> {
    let mut samples = page.examples.clone();
    samples.sort_by_key(|sample| sample.input.lines().count());
    let examples = samples.into_iter().filter_map(|sample| {
        let mut found = root_failures(corpus, sample.input.as_bytes());
        let is_it = found.len() == 1 && found[0].id() == Some(&page.id);
        is_it.then(|| DiagnosedSample {
            sample,
            failure: found.remove(0),
        })
    });
    let is_general = |example: &DiagnosedSample| {
        let known = example.failure.diagnosis.as_ref();
        known.is_some_and(Diagnosis::is_general)
    };
    let mut shortest = None;
    for example in examples {
        if is_general(&example) {
            return Some(example);
        }
        shortest = shortest.or(Some(example));
    }
    shortest
}

#[cfg(test)]
mod tests;
