//! The form of a rule file, beyond what makes it readable; [`samples`] and [`titles`] are looked at apart.

mod samples;
pub(super) mod titles;

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;

use super::{code, prose};
use crate::corpus::built_in;
use crate::corpus::matching::ask::{Ask, Condition};
use crate::corpus::matching::comparison::Comparison;
use crate::corpus::matching::pattern::Pattern;
use crate::corpus::matching::when::When;
use crate::corpus::rule::CheckedRule;
use crate::corpus::rule::error::{Fault, RuleError, nearest};
use crate::corpus::rule::file::{FixFile, Keys, RuleFile, WhenKeys};
use crate::corpus::rule::index::RuleEntry;
use crate::corpus::rule::interpolation::{self, DottedPart, TextPart, code_parts, text_parts};
use crate::gate;

/// The most characters of a fix's text, check and not.
const MAX_CHARS: usize = 240;

/// The rules around a rule, as far as its form depends on them.
pub(crate) struct Neighbours<'a> {
    /// All ids.
    pub(crate) ids: BTreeSet<&'a str>,
    /// All families.
    pub(crate) families: BTreeSet<&'a str>,
}

/// Looks over one rule file; returns its faults, and what should be better and is none yet.
pub(crate) fn lint(
    entry: &RuleEntry,
    file: &RuleFile,
    checked: &CheckedRule,
    neighbours: &Neighbours,
) -> (Vec<RuleError>, Vec<RuleError>) {
    let mut lint = Lint {
        file,
        checked,
        neighbours,
        faults: Vec::new(),
        warnings: prose::warnings(file),
    };
    lint.names(entry);
    lint.unwritten(entry);
    lint.titles();
    lint.references();
    lint.matches();
    lint.log_lines(entry);
    lint.texts();
    lint.told_twice();
    lint.fixes(entry);
    lint.samples();
    lint.faults.extend(prose::faults(file));
    let text = entry.text();
    let at = |(offset, message)| RuleError::at(&entry.file, &text, offset, message);
    (
        lint.faults.into_iter().map(at).collect(),
        lint.warnings.into_iter().map(at).collect(),
    )
}

struct Lint<'a> {
    file: &'a RuleFile,
    checked: &'a CheckedRule,
    neighbours: &'a Neighbours<'a>,
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
}

impl Lint<'_> {
    fn fault(&mut self, offset: usize, message: impl Into<String>) {
        self.faults.push((offset, message.into()));
    }

    fn names(&mut self, entry: &RuleEntry) {
        for (what, name) in [("file", &entry.id), ("folder", &entry.family)] {
            if !is_kebab(name) {
                self.fault(0, not_kebab(what, name));
            }
        }
        for former in &self.file.formerly.0 {
            if self.neighbours.ids.contains(former.get_ref().as_str()) {
                let message = format!("\"{}\" is the name of another rule", former.get_ref());
                self.fault(former.span().start, message);
            }
        }
    }

    /// Finds what `pickfix rules new` left to the author.
    fn unwritten(&mut self, entry: &RuleEntry) {
        for (offset, _) in entry.text().match_indices("\"TODO") {
            self.fault(offset, "this is still to be written; replace the TODO");
        }
    }

    fn references(&mut self) {
        for link in &self.file.links.0 {
            if !link.get_ref().starts_with("https://") {
                self.fault(link.span().start, "a link starts with https://");
            }
        }
        for selector in &self.file.beats.0 {
            self.selector(selector);
        }
        for selector in &self.file.consequence_of.0 {
            if selector.get_ref() != "*" {
                self.selector(selector);
            }
        }
    }

    fn selector(&mut self, selector: &Spanned<String>) {
        let (name, neighbours) = (selector.get_ref().as_str(), self.neighbours);
        let is_known = match name.strip_suffix("/*") {
            Some(family) => neighbours.families.contains(family),
            None => neighbours.ids.contains(name),
        };
        if is_known {
            return;
        }
        let meant = meant(name, neighbours.ids.iter().copied());
        self.fault(
            selector.span().start,
            format!("there is no rule \"{name}\"{meant}"),
        );
    }

    fn matches(&mut self) {
        if self.checked.matches.is_empty() {
            self.fault(0, "nothing is matched; write a [[match]]");
        }
        for (condition, keys) in self.checked.matches.iter().zip(&self.file.matches) {
            let offset = keys.span().start;
            if *keys.get_ref() == Keys::default() {
                self.fault(
                    offset,
                    "this [[match]] has no keys and would fit everything",
                );
            }
            for ask in condition.all_asks() {
                if let Ask::Capture(name, _) = ask
                    && !condition.fills(name)
                {
                    let message = format!(
                        "captures.{name} is tested, but not every template here has {{{name}}}; \
                         write a [[match]] of its own for those without"
                    );
                    self.fault(offset, message);
                }
            }
            self.compared(condition, offset);
        }
    }

    /// Looks for log lines that the gate stops. Of a user's rules it takes a few all the same.
    fn log_lines(&mut self, entry: &RuleEntry) {
        for (condition, keys) in self.checked.matches.iter().zip(&self.file.matches) {
            let lines = condition.asks().iter().filter_map(|ask| match ask {
                Ask::LogLine(all) => Some(all.iter()),
                _ => None,
            });
            let is_stopped = |line: &Pattern| !line.literals().any(gate::lets_through);
            for line in lines.flatten().filter(|line| is_stopped(line)) {
                let message = format!(
                    "a log is searched for none of the words of log_line \"…{}…\"; write more of the \
                     line, or another line of the same failure",
                    line.literal()
                );
                let fault = (keys.span().start, message);
                if is_built_in(&entry.id) {
                    self.faults.push(fault);
                } else {
                    self.warnings.push(fault);
                }
            }
        }
    }

    /// Looks for amounts that nothing captures.
    fn compared(&mut self, condition: &Condition, offset: usize) {
        let names = self.checked.capture_names();
        let compared = condition.all_asks().filter_map(|ask| match ask {
            Ask::Compare(all) => Some(all.iter().flat_map(Comparison::names)),
            _ => None,
        });
        for name in compared.flatten() {
            if !names.contains(name) && !condition.fills(name) {
                self.fault(
                    offset,
                    format!("{{{name}}} is compared, but nothing captures it"),
                );
            }
        }
    }

    fn texts(&mut self) {
        let (file, rule) = (self.file, &self.checked.rule);
        self.text(&file.title, None);
        self.text(&file.cause, None);
        let titles = file.title_when.iter().zip(&rule.titles);
        let causes = file.cause_when.iter().zip(&rule.causes);
        for (words, (when, _)) in titles.chain(causes) {
            self.text(&words.text, Some(when));
            self.whens(when, &words.when, words.text.span().start);
        }
        for (fix, compiled) in file.fix.iter().zip(&rule.fixes) {
            let compiled = compiled.when.as_ref();
            let FixFile {
                name: _,
                when,
                also: _,
                text,
                code,
                check,
                not,
            } = fix.get_ref();
            for text in [text].into_iter().chain(check).chain(not) {
                self.text(text, compiled);
                let words: Vec<&str> = text.get_ref().split_whitespace().collect();
                let length = words.join(" ").chars().count();
                if length > MAX_CHARS {
                    let message = format!("{length} characters, and there is room for {MAX_CHARS}");
                    self.fault(text.span().start, message);
                }
            }
            if let Some(code) = code {
                self.code(code);
            }
            if let (Some(compiled), Some(keys)) = (compiled, when) {
                self.whens(compiled, keys, fix.span().start);
            }
        }
    }

    /// Looks for words that stand twice, because they are told under two conditions.
    fn told_twice(&mut self) {
        let file = self.file;
        for words in [&file.title_when, &file.cause_when] {
            self.each_once(words.iter().map(|one| (one.text.span(), &one.text)));
        }
        let fixes = file.fix.iter().filter(|fix| fix.get_ref().when.is_some());
        self.each_once(fixes.map(|fix| {
            let FixFile {
                name: _,
                when: _,
                also,
                text,
                code,
                check,
                not,
            } = fix.get_ref();
            (fix.span(), (also, text, code, check, not))
        }));
    }

    fn each_once<T: PartialEq>(&mut self, told: impl Iterator<Item = (Range<usize>, T)>) {
        let mut known = Vec::new();
        for (span, words) in told {
            if known.contains(&words) {
                let message = "this stands above already; give that a list: when = [{ … }, { … }]";
                self.fault(span.start, message);
            }
            known.push(words);
        }
    }

    /// Looks over each table of a `when`.
    fn whens(&mut self, when: &When, keys: &WhenKeys, offset: usize) {
        for (condition, keys) in when.conditions().zip(&keys.0) {
            self.when(condition, keys, offset);
        }
    }

    /// Looks over a condition of a cause or fix.
    fn when(&mut self, when: &Condition, keys: &Keys, offset: usize) {
        let names = self.checked.capture_names();
        for ask in when.all_asks() {
            if let Ask::Case(name) = ask {
                let message =
                    format!("a [[match]] names its case; ask for captures.case = '{name}'");
                self.fault(offset, message);
            }
            if let Ask::Capture(name, _) = ask
                && !names.contains(name.as_str())
                && !when.fills(name)
            {
                self.fault(
                    offset,
                    format!("captures.{name} is tested, but nothing captures {{{name}}}"),
                );
            }
        }
        self.compared(when, offset);
        if *keys == Keys::default() {
            self.fault(offset, "an empty `when` always holds; leave it out");
        }
    }

    /// Looks over a text that is told where `when` holds.
    fn text(&mut self, text: &Spanned<String>, when: Option<&When>) {
        let offset = text.span().start;
        match text_parts(text.get_ref()) {
            Ok(parts) => self.holes(&parts, offset, |lint, name, part| {
                let message = || format!("write {{{name}|words}}: it is not always known here");
                let is_filled = part == DottedPart::Whole && lint.is_always_filled(name, when);
                (!is_filled).then(message)
            }),
            Err(message) => self.fault(offset, message),
        }
        if text.get_ref().contains('«') {
            self.fault(offset, "in a text write {name|words}: «» is for code");
        }
        let prose = without_quotations(text.get_ref());
        for word in ["simply", "just", "please", "illegal"] {
            let mut words = prose.split(|c: char| !c.is_alphanumeric());
            if words.any(|w| w.eq_ignore_ascii_case(word)) {
                self.fault(offset, format!("leave out \"{word}\""));
            }
        }
    }

    fn code(&mut self, block: &Spanned<String>) {
        let offset = block.span().start;
        match code_parts(block.get_ref()) {
            Ok(parts) => self.holes(&parts, offset, |_, name, _| {
                Some(format!(
                    "write «{name}|words»: what is no identifier is not put into code"
                ))
            }),
            Err(message) => self.fault(offset, message),
        }
        for message in code::faults(block.get_ref()) {
            self.fault(offset, message);
        }
        for line in block.get_ref().lines() {
            if line.contains('\t') {
                self.fault(offset, "indent code with blanks, not tabs");
            }
            if line.trim_start().starts_with(">>>") {
                self.fault(offset, "code is pasted: leave out the prompt \">>>\"");
            }
            if line.trim_end() != line {
                self.fault(
                    offset,
                    format!("blanks at the end of \"{}\"", line.trim_end()),
                );
            }
        }
    }

    /// Checks that what is filled in has a source, and words where `may_be_dry` tells of a name that it
    /// needs them.
    fn holes(
        &mut self,
        parts: &[TextPart],
        offset: usize,
        may_be_dry: impl Fn(&Self, &str, DottedPart) -> Option<String>,
    ) {
        let captures = self.checked.capture_names();
        let known = interpolation::names();
        for part in parts {
            let TextPart::Hole { name, part, words } = part else {
                continue;
            };
            if !captures.contains(name) && !known.contains(name) {
                let known = captures.iter().chain(&known).copied();
                let meant = meant(name, known);
                self.fault(offset, format!("nothing fills \"{name}\"{meant}"));
            } else if words.is_none()
                && let Some(message) = may_be_dry(self, name, *part)
            {
                self.fault(offset, message);
            }
        }
    }

    /// Returns whether a name has a value whatever matched, where `when` holds.
    fn is_always_filled(&self, name: &str, when: Option<&When>) -> bool {
        let mut matches = self.checked.matches.iter();
        when.is_some_and(|when| when.guarantees(name))
            || matches.all(|m| m.fills(name) || m.guarantees(name))
    }

    /// Looks for fixes that are never chosen; one of ours also needs a name, so that a sample
    /// must choose it.
    fn fixes(&mut self, entry: &RuleEntry) {
        let file = self.file;
        for fix in file.fix.iter().filter(|_| is_built_in(&entry.id)) {
            let (offset, fix) = (fix.span().start, fix.get_ref());
            if fix.name.is_none() && !fix.also {
                self.fault(offset, "give it a `name`; then an example must choose it");
            }
        }
        let mut to_choose = file.fix.iter().filter(|fix| !fix.get_ref().also);
        let Some(last) = to_choose.next_back() else {
            return self.fault(0, "there is nothing to do; write a [[fix]] without `also`");
        };
        if last.get_ref().when.is_some() {
            self.fault(
                last.span().start,
                "the last [[fix]] has a `when`; end with one that always applies",
            );
        }
        for fix in to_choose.filter(|fix| fix.get_ref().when.is_none()) {
            self.fault(
                fix.span().start,
                "no fix below this one is ever chosen; write a `when`, or also = true",
            );
        }
        let mut names = BTreeSet::new();
        for fix in &self.file.fix {
            if let Some(name) = &fix.get_ref().name
                && !names.insert(name)
            {
                self.fault(
                    fix.span().start,
                    format!("a second fix is named \"{name}\""),
                );
            }
        }
    }
}

/// Asks for the word that was probably meant; nothing if none is near.
fn meant<'a>(name: &str, valid: impl Iterator<Item = &'a str>) -> String {
    nearest(name, valid).map_or(String::new(), |meant| {
        format!(", did you mean \"{meant}\"?")
    })
}

/// Says that the name of a file or folder is not in kebab-case.
pub(crate) fn not_kebab(what: &str, name: &str) -> String {
    format!("the {what} \"{name}\" is not in kebab-case (\"unpicklable-lock\")")
}

/// Returns whether a rule of this name ships with the program.
fn is_built_in(id: &str) -> bool {
    built_in::RULES.iter().any(|entry| *entry.id == *id)
}

/// Returns whether a name is in kebab-case.
pub(crate) fn is_kebab(name: &str) -> bool {
    let is_word = |w: &str| {
        !w.is_empty()
            && w.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    name.split('-').all(is_word)
}

/// Leaves out what stands in back quotes or quotation marks.
fn without_quotations(text: &str) -> String {
    let outside =
        |text: &str, mark: char| text.split(mark).step_by(2).collect::<Vec<_>>().join(" ");
    outside(&outside(text, '`'), '"')
}
