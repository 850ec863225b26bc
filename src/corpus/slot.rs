//! One rule in the corpus: its entry in the index, and what of it was parsed so far.

use std::collections::BTreeSet;
use std::ops::Deref;
use std::path::Path;
use std::sync::OnceLock;

use crate::regular;

use super::authoring::lint::{is_kebab, not_kebab};
use super::built_in;
use super::matching::ask::Condition;
use super::rule::error::RuleError;
use super::rule::file;
use super::rule::index::RuleEntry;
use super::rule::words::Words;
use super::rule::{CheckedRule, Rule};

/// The largest file of a rule, in bytes.
const MAX_RULE: u64 = 16 * 1024 * 1024;

/// A rule, parsed when it is first needed. Every start makes one for each rule, so they are small.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) entry: SlotEntry,
    /// What its `[[match]]`es ask for, each parsed when it is first asked.
    conditions: OnceLock<Vec<OnceLock<Option<Condition>>>>,
    rule: OnceLock<Option<Box<Rule>>>,
    /// Those of a user's rule; the entry of a built-in one has them.
    words: OnceLock<Box<Words>>,
}

/// Where the entry of a rule is.
#[derive(Debug)]
pub(super) enum SlotEntry {
    BuiltIn(&'static RuleEntry),
    Users(Box<RuleEntry>),
}

impl Deref for SlotEntry {
    type Target = RuleEntry;

    fn deref(&self) -> &RuleEntry {
        match self {
            Self::BuiltIn(entry) => entry,
            Self::Users(entry) => entry,
        }
    }
}

impl Slot {
    /// Returns those of the rules that ship with the program.
    pub(super) fn built_in() -> Vec<Self> {
        let entries = built_in::RULES.iter().map(SlotEntry::BuiltIn);
        entries.map(Self::new).collect()
    }

    /// Returns those of the rules that ship with the program and a user's, of each id the last.
    pub(super) fn built_in_but(mut own: Vec<Self>) -> Vec<Self> {
        let mut ids = BTreeSet::new();
        own.reverse();
        own.retain(|slot| ids.insert(slot.entry.id.to_string()));
        own.reverse();
        let mut slots = Self::built_in();
        // Nearly always there are none, and each start would look at all rules.
        if !ids.is_empty() {
            slots.retain(|slot| !ids.contains(&*slot.entry.id));
        }
        slots.append(&mut own);
        slots
    }

    fn new(entry: SlotEntry) -> Self {
        Self {
            entry,
            conditions: OnceLock::new(),
            rule: OnceLock::new(),
            words: OnceLock::new(),
        }
    }

    /// Returns that of a user's rule.
    pub(super) fn of_user(entry: RuleEntry) -> Self {
        Self::new(SlotEntry::Users(Box::new(entry)))
    }

    /// Returns whether it is a user's rule.
    pub(super) fn is_users(&self) -> bool {
        matches!(self.entry, SlotEntry::Users(_))
    }

    /// Reads a user's rule in full.
    pub(super) fn read(path: &Path, root: &Path) -> Result<Self, RuleError> {
        let name = |p: Option<&Path>| {
            p.and_then(Path::file_stem)
                .and_then(|s| s.to_str())
                .unwrap_or_default()
                .to_string()
        };
        let file = path.display().to_string();
        let text = regular::read_to_string(path, MAX_RULE)
            .map_err(|e| RuleError::at(&file, "", 0, e.to_string()))?;
        let folder = path.parent().filter(|p| *p != root);
        let family = folder.map_or_else(|| "own".to_string(), |f| name(Some(f)));
        let id = name(Some(path));
        for (what, name) in [("file", &id), ("folder", &family)] {
            // They go into annotations, into JSON and onto the command line.
            if !is_kebab(name) {
                let message = not_kebab(what, name);
                return Err(RuleError::at(&file, "", 0, message));
            }
        }
        let (entry, read) = RuleEntry::read(&id, &family, &file, &text)?;
        let CheckedRule { rule, matches } = CheckedRule::new(&entry, read)?;
        let conditions = matches.into_iter().map(|m| OnceLock::from(Some(m)));
        Ok(Self {
            conditions: OnceLock::from(conditions.collect::<Vec<_>>()),
            rule: OnceLock::from(Some(Box::new(rule))),
            ..Self::of_user(entry)
        })
    }

    /// Returns what one of its `[[match]]`es asks for.
    pub(super) fn condition(&self, k: usize) -> Option<&Condition> {
        let parsed = || Condition::new(&file::read_match(self.entry.table(k))?).ok();
        let none = || self.entry.keys.iter().map(|_| OnceLock::new()).collect();
        self.conditions.get_or_init(none)[k]
            .get_or_init(parsed)
            .as_ref()
    }

    /// Returns what its `[[match]]`es ask for.
    pub(super) fn conditions(&self) -> impl Iterator<Item = &Condition> {
        (0..self.entry.keys.len()).filter_map(|k| self.condition(k))
    }

    /// Returns what a search finds the rule by.
    pub(super) fn words(&self) -> &Words {
        let RuleEntry { id, file, head, .. } = &*self.entry;
        let read = || file::read(file, head).map(|rule| Words::of(id, &rule));
        let own = || {
            &**self
                .words
                .get_or_init(|| Box::new(read().unwrap_or_default()))
        };
        self.entry.words.as_ref().unwrap_or_else(own)
    }

    /// Returns the rule; one that does not compile (a test sees to it that none ships) is none.
    pub(super) fn rule(&self) -> Option<&Rule> {
        self.rule
            .get_or_init(|| Rule::new(&self.entry).ok().map(Box::new))
            .as_deref()
    }
}
