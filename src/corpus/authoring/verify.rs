//! Whether the corpus holds: the form of each rule, and what its samples are diagnosed as.
//!
//! `cargo test` and `pickfix rules test` run the same code.

use std::collections::BTreeSet;

use super::lint::{Neighbours, lint};
use crate::corpus::rule::CheckedRule;
use crate::corpus::rule::error::RuleError;
use crate::corpus::rule::file::{Example, RuleFile, read};
use crate::corpus::rule::index::RuleEntry;
use crate::corpus::{Advice, Corpus, Failure};

/// Turns a text into the diagnoses that are roots of incidents.
pub type Diagnose = for<'c> fn(&'c Corpus, &[u8]) -> Vec<Failure<'c>>;

/// What a verification looked at and found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// The number of rules.
    pub rules: usize,
    /// The number of samples: examples and non-examples.
    pub samples: usize,
    /// What is wrong, in the order of the files.
    pub faults: Vec<RuleError>,
    /// What should be better and is no fault yet, in the order of the files.
    pub warnings: Vec<RuleError>,
}

/// Verifies the rules of these ids, or all; samples are always diagnosed with the whole corpus.
pub fn verify(corpus: &Corpus, ids: &[String], diagnose: Diagnose) -> Verification {
    let neighbours = Neighbours {
        ids: corpus.ids().collect(),
        families: corpus
            .slots
            .iter()
            .map(|s| s.entry.family.as_ref())
            .collect(),
    };
    let mut verification = Verification::default();
    for slot in &corpus.slots {
        let entry = &*slot.entry;
        if !ids.is_empty() && ids.iter().all(|id| **id != *entry.id) {
            continue;
        }
        verification.rules += 1;
        let (file, checked) = match parts(entry) {
            Ok(parts) => parts,
            Err(error) => {
                verification.faults.push(error);
                continue;
            }
        };
        let (faults, warnings) = lint(entry, &file, &checked, &neighbours);
        verification.warnings.extend(warnings);
        let faults = faults.into_iter().chain(beats_back(corpus, entry, &file));
        let faults = faults.chain(samples(corpus, entry, &file, diagnose));
        verification.faults.extend(faults);
        verification.samples += file.example.len() + file.non_example.len();
    }
    verification.faults.sort();
    verification.warnings.sort();
    verification
}

/// Reads a rule file in full, samples too.
fn parts(entry: &RuleEntry) -> Result<(RuleFile, CheckedRule), RuleError> {
    let file = read(&entry.file, &entry.text())?;
    let head = read(&entry.file, &entry.head)?;
    Ok((file, CheckedRule::new(entry, head)?))
}

/// Finds rules that beat each other.
fn beats_back(corpus: &Corpus, entry: &RuleEntry, file: &RuleFile) -> Option<RuleError> {
    let mut others = corpus.slots.iter().map(|slot| &*slot.entry);
    let other = others.find(|other| entry.beats(other) && other.beats(entry))?;
    let offset = file.beats.0.first()?.span().start;
    let message = format!(
        "\"{}\" beats this rule, and this rule beats it; one must give way",
        &*other.id
    );
    Some(RuleError::at(&entry.file, &entry.head, offset, message))
}

/// Diagnoses a text by its words alone: no sample has the program's source beside it.
fn by_words<'c>(corpus: &'c Corpus, text: &[u8]) -> Vec<Failure<'c>> {
    let tracebacks = crate::traceback::read(text);
    tracebacks.iter().flat_map(|t| corpus.diagnose(t)).collect()
}

/// Diagnoses the samples of a rule.
fn samples(
    corpus: &Corpus,
    entry: &RuleEntry,
    file: &RuleFile,
    diagnose: Diagnose,
) -> Vec<RuleError> {
    let mut faults = Vec::new();
    let mut shown = BTreeSet::new();
    let text = entry.text();
    let at = |offset, message| RuleError::at(&entry.file, &text, offset, message);
    let diagnose = if file.needs_source {
        by_words
    } else {
        diagnose
    };
    for example in &file.example {
        let found = diagnose(corpus, example.get_ref().input.as_bytes());
        let offset = example.span().start;
        let name = &example.get_ref().name;
        let check = check(entry, example.get_ref(), &found, &mut shown);
        let say = |message| at(offset, format!("example \"{name}\": {message}"));
        faults.extend(check.into_iter().map(say));
    }
    for sample in &file.non_example {
        let found = diagnose(corpus, sample.get_ref().input.as_bytes());
        if found.iter().any(|f| f.id() == Some(&entry.id)) {
            let why = &sample.get_ref().why;
            let message =
                format!("non-example \"{why}\": this rule matches it; add a key to its [[match]]");
            faults.push(at(sample.span().start, message));
        }
    }
    for fix in &file.fix {
        if let Some(name) = &fix.get_ref().name
            && !shown.contains(name.as_str())
        {
            let verb = if fix.get_ref().also {
                "shows"
            } else {
                "chooses"
            };
            let message =
                format!("no example {verb} the fix \"{name}\"; add one, or take its name away");
            faults.push(at(fix.span().start, message));
        }
    }
    faults
}

/// Checks what an example was diagnosed as; adds the names of the fixes that it shows.
fn check(
    entry: &RuleEntry,
    example: &Example,
    found: &[Failure],
    shown: &mut BTreeSet<String>,
) -> Vec<String> {
    let is_own = |failure: &&Failure| failure.id() == Some(&entry.id);
    let own: Vec<&Failure> = found.iter().filter(is_own).collect();
    let mut faults = wrong_ids(&entry.id, example, found);
    if own.is_empty() {
        return faults;
    }
    faults.extend(wrong_captures(example, &own));
    let told: Vec<Advice> = own.iter().map(|f| f.advice()).collect();
    faults.extend(wrong_fix(example, &told));
    faults.extend(unsaid(example, &told));
    let fixes = told.iter().flat_map(|t| &t.fixes);
    shown.extend(fixes.filter_map(|f| f.name.clone()));
    faults
}

/// Checks which rules an example was diagnosed by.
fn wrong_ids(own: &str, example: &Example, found: &[Failure]) -> Vec<String> {
    let ids: BTreeSet<&str> = found.iter().filter_map(Failure::id).collect();
    let mut faults = Vec::new();
    if ids.contains(own) {
        let is_expected = |id: &&&str| **id == own || example.also.iter().any(|also| also == **id);
        faults.extend(ids.iter().filter(|id| !is_expected(id)).map(|id| {
            format!("\"{id}\" was diagnosed as well; is it a consequence, or one of `also`?")
        }));
    } else {
        faults.push(match found.iter().find_map(Failure::id) {
            None => {
                "nothing was diagnosed; does a [[match]] fit its exception and message?".to_string()
            }
            Some(other) => format!(
                "\"{other}\" was diagnosed instead; let this rule beat it, or tell the two apart"
            ),
        });
    }
    let missing = example.also.iter().filter(|id| !ids.contains(id));
    faults.extend(missing.map(|id| format!("\"{id}\" is in `also` and was not diagnosed")));
    faults
}

/// Checks the captures that an example names.
fn wrong_captures(example: &Example, own: &[&Failure]) -> Vec<String> {
    let check = |(name, expected): (&String, &String)| {
        let known = own.iter().filter_map(|f| f.diagnosis.as_ref());
        let values: Vec<&String> = known.filter_map(|d| d.captures.get(name)).collect();
        let found = values
            .first()
            .map_or("nothing".to_string(), |v| format!("\"{v}\""));
        (!values.contains(&expected))
            .then(|| format!("captures.{name} is {found}, expected \"{expected}\""))
    };
    example.captures.iter().filter_map(check).collect()
}

/// Checks the fix that stands first.
fn wrong_fix(example: &Example, told: &[Advice]) -> Option<String> {
    let expected = example.fix.as_deref()?;
    let first = told.iter().filter_map(|t| t.fixes.first()?.name.as_deref());
    let fixes: Vec<&str> = first.collect();
    let found = fixes
        .first()
        .map_or("one without a name".to_string(), |f| format!("\"{f}\""));
    (!fixes.contains(&expected))
        .then(|| format!("the fix \"{expected}\" was expected, and {found} was chosen"))
}

/// Checks the words that an example expects in its annotation.
fn unsaid(example: &Example, told: &[Advice]) -> Vec<String> {
    let words: Vec<String> = told.iter().map(all_words).collect();
    let is_said = |expected: &&str| words.iter().any(|w| w.contains(*expected));
    let missing = example.says.iter().filter(|expected| !is_said(expected));
    let fault = |expected| format!("the annotation does not say \"{expected}\"");
    missing.map(fault).collect()
}

/// Returns all that is told, a line each.
fn all_words(told: &Advice) -> String {
    let Advice {
        title,
        cause,
        fixes,
        links,
    } = told;
    let mut words = vec![title.as_str(), cause];
    for fix in fixes {
        let others = [&fix.code, &fix.check, &fix.not];
        words.push(&fix.text);
        words.extend(others.into_iter().flatten().map(String::as_str));
    }
    words.extend(links.iter().map(String::as_str));
    words.join("\n")
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
