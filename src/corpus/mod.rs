//! All the rules, and the way from an exception to its rule.
//!
//! An exception is looked up in an index by its type and by literals of the rules' templates; only
//! what the index picks is parsed and compiled, once. `corpus/README.md` tells how to write a rule.

mod authoring;
mod built_in;
mod matching;
mod rule;
mod slot;

use std::collections::BTreeMap;
use std::fmt;
use std::iter;
use std::path::PathBuf;
use std::ptr;
use std::sync::OnceLock;

use serde::Serialize;

use crate::bug;
use crate::gate::Gate;
use crate::python_name::is_own_exception;
use crate::traceback::log_line::told_by;
use crate::traceback::{Evidence, Traceback};

use matching::ask::Condition;
use matching::message::Messages;
use matching::precedence::chains;
use rule::file;
use rule::index::{Key, RuleEntry, Subject, rule_files, selects};
use rule::lookup::{Lookup, MatchIndex};
use slot::Slot;

pub use authoring::code::is_shell;
#[cfg(test)]
pub(crate) use authoring::code::python_words;
pub(crate) use authoring::lint::is_kebab;
pub use authoring::page::{OtherCause, Page, PageFix, RuleForm};
pub use authoring::scaffold::scaffold;
pub use authoring::verify::{Diagnose, Verification, verify};
pub(crate) use authoring::words::{Findable, spaced, stems};
pub use matching::diagnosis::Diagnosis;
pub use matching::failure::Failure;
pub(crate) use matching::version_range::VersionRange;
pub use rule::advice::{Advice, FixAdvice};
pub use rule::error::RuleError;
pub(crate) use rule::error::{Fault, is_slip, nearest};
pub use rule::file::{Confidence, Severity};
pub(crate) use rule::interpolation::takes_an;
pub(crate) use rule::words::Words;
pub use rule::{Fix, RootName, Rule};

/// All the rules.
#[derive(Debug, Default)]
pub struct Corpus {
    /// Those of built-in rules in their order, then those of the user's.
    slots: Vec<Slot>,
    /// Made when it is first needed: a log without a failure needs none.
    own_rules: OnceLock<OwnRules>,
    gate: OnceLock<Gate>,
}

/// In what these rules are others than the built-in ones.
#[derive(Debug)]
struct OwnRules {
    /// Those of the user, each counted behind all built-in ones.
    lookup: Option<Lookup>,
    /// The built-in rules that are left out, in order.
    left_out: Vec<usize>,
}

impl Corpus {
    /// Returns the rules that ship with the program.
    pub fn built_in() -> Self {
        Self::of(Slot::built_in())
    }

    /// Returns the built-in rules and those of the user's folders.
    ///
    /// A user's rule replaces a built-in one of its name, and one of an earlier folder. What cannot
    /// be read is left out and reported.
    pub fn load(folders: &[PathBuf]) -> (Self, Vec<RuleError>) {
        let mut own = Vec::new();
        let mut errors = Vec::new();
        for folder in folders {
            if !folder.is_dir() {
                errors.push(RuleError::at(
                    &folder.display().to_string(),
                    "",
                    0,
                    "no such folder of rules",
                ));
            }
            for path in rule_files(folder) {
                match Slot::read(&path, folder) {
                    Ok(slot) => own.push(slot),
                    Err(error) => errors.push(error),
                }
            }
        }
        (Self::of(Slot::built_in_but(own)), errors)
    }

    fn of(slots: Vec<Slot>) -> Self {
        Self {
            slots,
            own_rules: OnceLock::new(),
            gate: OnceLock::new(),
        }
    }

    fn own_rules(&self) -> &OwnRules {
        self.own_rules.get_or_init(|| OwnRules::of(&self.slots))
    }

    /// Returns what the rules are looked up in. A place in it may be that of a rule that is left out.
    fn lookups(&self) -> impl Iterator<Item = &Lookup> {
        iter::once(&built_in::LOOKUP).chain(&self.own_rules().lookup)
    }

    /// Returns the rule at a place of a lookup, by its index; `None` if it is left out.
    fn slot_at(&self, n: usize) -> Option<usize> {
        let left_out = &self.own_rules().left_out;
        if n >= built_in::RULES.len() {
            return Some(n - left_out.len());
        }
        left_out.binary_search(&n).err().map(|before| n - before)
    }

    /// Keeps only these rules: ids, former ids or `family/*`.
    pub fn select(&mut self, names: &[String]) -> Result<(), UnknownRule> {
        self.retain_by(names, true)
    }

    /// Leaves these rules out: ids, former ids or `family/*`.
    pub fn ignore(&mut self, names: &[String]) -> Result<(), UnknownRule> {
        self.retain_by(names, false)
    }

    fn retain_by(&mut self, names: &[String], keep: bool) -> Result<(), UnknownRule> {
        let is_called = |slot: &Slot, name: &str| {
            let RuleEntry {
                id,
                family,
                formerly,
                ..
            } = &*slot.entry;
            selects(name, id, family) || formerly.iter().any(|f| f == name)
        };
        for name in names {
            if !self.slots.iter().any(|s| is_called(s, name)) {
                let families = self.slots.iter().map(|s| format!("{}/*", &*s.entry.family));
                let valid: Vec<String> = families.chain(self.ids().map(str::to_string)).collect();
                let nearest = nearest(name, valid.iter().map(String::as_str)).map(str::to_string);
                return Err(UnknownRule {
                    name: name.clone(),
                    nearest,
                });
            }
        }
        let mut slots = std::mem::take(&mut self.slots);
        slots.retain(|s| names.iter().any(|n| is_called(s, n)) == keep);
        *self = Self::of(slots);
        Ok(())
    }

    /// Returns a rule by its id, or by one that it had before.
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        let is_former = |slot: &&Slot| slot.entry.formerly.iter().any(|former| former == id);
        let former = || self.slots.iter().find(is_former);
        self.slot(id).or_else(former)?.rule()
    }

    /// Returns what is known of a rule, by its id.
    fn slot(&self, id: &str) -> Option<&Slot> {
        self.slots.iter().find(|slot| *slot.entry.id == *id)
    }

    /// Returns all rules; parses those that were not needed before.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.slots.iter().filter_map(Slot::rule)
    }

    /// Returns what the `[[match]]`es of a rule ask for.
    fn conditions(&self, id: &str) -> impl Iterator<Item = &Condition> {
        self.slot(id).into_iter().flat_map(Slot::conditions)
    }

    /// Returns the ids of all rules.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().map(|s| s.entry.id.as_ref())
    }

    /// Returns the examples of a rule, in the order of the file; none if there is no such rule.
    pub fn examples(&self, id: &str) -> Vec<Sample> {
        let file = self
            .slot(id)
            .and_then(|s| file::read(&s.entry.file, &s.entry.text()).ok());
        let sample = |e: toml::Spanned<file::Example>| {
            let file::Example {
                name,
                python,
                input,
                ..
            } = e.into_inner();
            Sample {
                name,
                python,
                input,
            }
        };
        file.into_iter()
            .flat_map(|f| f.example)
            .map(sample)
            .collect()
    }

    /// Returns the gate that lets all lines through which these rules may want.
    pub fn gate(&self) -> &Gate {
        let gate = || Gate::new(&self.log_line_literals().collect::<Vec<_>>());
        self.gate.get_or_init(gate)
    }

    /// Returns a literal for each log line that a user's rule wants; a line without any of them is
    /// no match. The gate knows those of built-in rules.
    fn log_line_literals(&self) -> impl Iterator<Item = &str> {
        let own = self.slots.iter().filter(|slot| slot.is_users());
        own.flat_map(|slot| slot.entry.keys.iter())
            .filter(|key| key.kind == Subject::LogLine)
            .flat_map(|key| key.literals.iter())
    }

    /// Finds the failures that a traceback shows: at most one for each chain of exceptions.
    pub fn diagnose<'c>(&'c self, traceback: &Traceback) -> Vec<Failure<'c>> {
        self.diagnose_confirmed(traceback, |_| true)
    }

    /// The same, where the program's source has a word in it: what it does not confirm may be what a
    /// rule knows without it.
    pub fn diagnose_confirmed<'c>(
        &'c self,
        traceback: &Traceback,
        mut confirm: impl FnMut(&mut Failure<'c>) -> bool,
    ) -> Vec<Failure<'c>> {
        bug::provoke(
            "diagnose",
            traceback.exceptions.iter().flat_map(|e| &e.message),
        );
        let messages = Messages::new(traceback);
        let mut found = |chain: &[usize]| {
            let mut refused: Vec<&str> = Vec::new();
            loop {
                let mut failure = self.diagnose_chain(&messages, chain, &refused)?;
                if confirm(&mut failure) {
                    return Some(failure);
                }
                refused.push(&failure.diagnosis?.rule.id);
            }
        };
        if traceback.exceptions.is_empty() {
            // The stacks of a dump are asked as those of an exception that is not there.
            return found(&[0]).into_iter().collect();
        }
        let chains = chains(traceback);
        chains.iter().filter_map(|chain| found(chain)).collect()
    }

    /// Returns whether a line holds what some rule looks for, in a log line or in a message. Asked first:
    /// nearly all lines hold nothing.
    pub fn may_know(&self, line: &str) -> bool {
        let mut lookups = self.lookups();
        lookups.any(|lookup| lookup.may_know(line, |place| self.key(place)))
    }

    /// Finds the failure whose message a line tells without its type: all types that its rule knows the
    /// message with must lead to it, and no other rule may. Where a library's type alone says whose words
    /// they are, few words may be anybody's: `Binding port 8080 failed`.
    pub fn diagnose_message<'c>(&'c self, line: &Traceback, message: &str) -> Vec<Failure<'c>> {
        /// The fewest bytes of such a message.
        const MIN_BYTES: usize = 40;
        let told = |name| told_by(line, Evidence::Message, name, Some(message));
        let nameless = told(None);
        let messages = Messages::new(&nameless);
        let key = |place| self.key(place);
        let rules = self
            .lookups()
            .flat_map(|lookup| lookup.exceptions_with(messages.of(0), key));
        // Many rules know a message with the same types, and to ask for one is dear.
        let mut told_with: BTreeMap<Option<&str>, Option<Failure>> = BTreeMap::new();
        let mut known = Vec::new();
        for (n, types) in rules {
            let Some(n) = self.slot_at(n) else { continue };
            let id = self.slots[n].entry.id.as_ref();
            let mut leads_to_it = |name: Option<&'c str>| {
                let diagnose = || self.diagnose(&told(name)).pop();
                let failure = told_with.entry(name).or_insert_with(diagnose);
                failure.as_ref().and_then(Failure::id) == Some(id)
            };
            if types.iter().all(|name| leads_to_it(*name)) {
                let is_own = types.iter().any(|name| name.is_none_or(is_own_exception));
                known.extend(types.first().map(|name| (*name, is_own)));
            }
        }
        let [(name, is_own)] = known[..] else {
            return Vec::new();
        };
        let mut known = Vec::from_iter(told_with.remove(&name).flatten());
        let shows = |name: &str| {
            let mut shown = line.exceptions.iter().flat_map(|e| &e.message);
            message.contains(name) || shown.any(|text| text.contains(name))
        };
        let is_own = is_own || name.is_some_and(shows);
        known.retain(|failure| is_own || failure.message.len() >= MIN_BYTES);
        for failure in &mut known {
            failure.exception = None;
        }
        known
    }

    /// Returns the key at a place of a lookup, though its rule may be left out.
    fn key(&self, (n, k): MatchIndex) -> &Key {
        let own = || &*self.slots[n - self.own_rules().left_out.len()].entry;
        &built_in::RULES.get(n).unwrap_or_else(own).keys[k]
    }
}

impl OwnRules {
    fn of(slots: &[Slot]) -> Self {
        let own = slots.iter().filter(|slot| slot.is_users());
        let count = own.clone().count();
        let mut kept = slots[..slots.len() - count].iter().peekable();
        let mut is_left_out = |n: &usize| {
            let is_it =
                |slot: &&Slot| ptr::eq(&raw const *slot.entry, &raw const built_in::RULES[*n]);
            kept.next_if(is_it).is_none()
        };
        let all = 0..built_in::RULES.len();
        let left_out = all.filter(|n| is_left_out(n)).collect();
        let entries = (built_in::RULES.len()..).zip(own.map(|slot| &*slot.entry));
        let lookup = (count > 0).then(|| Lookup::of(entries));
        Self { lookup, left_out }
    }
}

/// A text that a rule recognises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Sample {
    /// What it shows.
    pub name: String,
    /// The Python version that printed it.
    pub python: Option<String>,
    /// The text, as it was printed.
    pub input: String,
}

/// A name that no rule has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// The name.
    pub name: String,
    /// The one that was probably meant.
    pub nearest: Option<String>,
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.nearest {
            Some(nearest) => write!(
                f,
                "unknown rule \"{}\", did you mean \"{nearest}\"?",
                self.name
            ),
            None => write!(
                f,
                "unknown rule \"{}\"; `pickfix rules list` shows them all",
                self.name
            ),
        }
    }
}

impl std::error::Error for UnknownRule {}

#[cfg(test)]
mod tests;
