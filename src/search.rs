//! From any words, or a piece of a message, to the rules that they are about.
//!
//! A rule is known by the templates of its messages, its id, title and types of exceptions, and a
//! little by its other words. Rare words count for more. Of a template, the words that stand in the
//! query in the same order count; so a message may be cut, wrapped or quoted in any way.

use std::collections::{HashMap, HashSet};

use crate::corpus::{Corpus, is_slip};

/// How many times the score of the second that of the first is, where it is meant beyond doubt.
const FAR: f64 = 1.4;
/// What a query must reach: the worth of one rare word.
const ENOUGH: f64 = 2.0;
/// The most words of a query that count.
const MAX_WORDS: usize = 200;
/// The shortest word that may be misspelt, in bytes.
const LEAST_MISSPELT: usize = 5;
/// What people say, and the words that rules have for it.
const SYNONYMS: [(&str, &[&str]); 12] = [
    ("stuck", &["hang"]),
    ("freeze", &["hang"]),
    ("stall", &["hang"]),
    ("deadlock", &["hang"]),
    ("oom", &["out", "of", "memory"]),
    ("vram", &["cuda", "memory"]),
    ("gpu", &["cuda"]),
    ("jupyter", &["notebook"]),
    ("colab", &["notebook"]),
    ("segfault", &["segmentation", "fault"]),
    ("serializable", &["pickle"]),
    ("shm", &["shared", "memory"]),
];

/// A rule that a query may mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    score: f64,
}

/// What is known of a rule.
struct Known {
    id: String,
    title: String,
    /// The words of each template, in order.
    templates: Vec<Vec<String>>,
    /// The words of its id, title and types.
    names: HashSet<String>,
    /// All its words.
    all: HashSet<String>,
}

/// The rules, ready to be asked.
pub struct Search {
    rules: Vec<Known>,
    /// How many rules have a word.
    rules_with: HashMap<String, usize>,
}

#[expect(clippy::cast_precision_loss, reason = "a count of rules is small")]
impl Search {
    /// Reads what is known of all rules.
    pub fn new(corpus: &Corpus) -> Self {
        let rules: Vec<Known> = corpus.words().map(Known::new).collect();
        let mut rules_with = HashMap::new();
        for word in rules.iter().flat_map(|rule| &rule.all) {
            *rules_with.entry(word.clone()).or_insert(0) += 1;
        }
        Self { rules, rules_with }
    }

    /// Returns the rules that have something of a query, the best first.
    pub fn find(&self, query: &str) -> Vec<Hit> {
        let mut words = words(query);
        words.truncate(MAX_WORDS);
        self.complete(&mut words);
        for word in &mut words {
            self.correct(word);
        }
        add_synonyms(&mut words);
        let worth: Vec<f64> = words.iter().map(|word| self.worth(word)).collect();
        let mut hits: Vec<Hit> = self
            .rules
            .iter()
            .map(|rule| Hit {
                id: rule.id.clone(),
                title: rule.title.clone(),
                score: rule.score(&words, &worth),
            })
            .filter(|hit| hit.score >= ENOUGH)
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        hits
    }

    /// Returns what a word tells: much if few rules have it, nothing if none has.
    fn worth(&self, word: &str) -> f64 {
        match self.rules_with.get(word) {
            Some(&count) => ((self.rules.len() as f64 + 1.0) / count as f64).ln(),
            None => 0.0,
        }
    }

    /// Puts the word that was meant for one that no rule has: the commonest with the same first
    /// letter that one slip makes of it.
    fn correct(&self, word: &mut String) {
        if word.len() < LEAST_MISSPELT || self.rules_with.contains_key(word) {
            return;
        }
        let may_be_meant =
            |known: &str| known.as_bytes()[0] == word.as_bytes()[0] && is_slip(word, known);
        let meant = self
            .rules_with
            .iter()
            .filter(|(known, _)| may_be_meant(known));
        if let Some((meant, _)) =
            meant.max_by_key(|(known, count)| (**count, std::cmp::Reverse(*known)))
        {
            word.clone_from(meant);
        }
    }

    /// Makes the first and the last word whole, where the query was cut inside one, and joins what a
    /// line break has split.
    fn complete(&self, words: &mut Vec<String>) {
        let mut at = 0;
        while at + 1 < words.len() {
            let joined = format!("{}{}", words[at], words[at + 1]);
            let is_split = !self.rules_with.contains_key(&words[at])
                || !self.rules_with.contains_key(&words[at + 1]);
            if is_split && self.rules_with.contains_key(&joined) {
                words[at] = joined;
                words.remove(at + 1);
            }
            at += 1;
        }
        let known = |is_part: &dyn Fn(&str) -> bool| {
            let found = self.rules_with.iter().filter(|(word, _)| is_part(word));
            found.max_by_key(|(word, count)| (**count, std::cmp::Reverse((word.len(), *word))))
        };
        if let Some(last) = words.last_mut()
            && last.len() >= 3
            && !self.rules_with.contains_key(last)
            && let Some((whole, _)) = known(&|word| word.starts_with(last.as_str()))
        {
            last.clone_from(whole);
        }
        if let Some(first) = words.first_mut()
            && first.len() >= 3
            && !self.rules_with.contains_key(first)
            && let Some((whole, _)) = known(&|word| word.ends_with(first.as_str()))
        {
            first.clone_from(whole);
        }
    }
}

/// Returns whether the first of several is meant beyond doubt.
pub fn is_clear(hits: &[Hit]) -> bool {
    match hits {
        [] => false,
        [_] => true,
        [first, second, ..] => first.score >= FAR * second.score,
    }
}

#[expect(clippy::cast_precision_loss, reason = "a count of words is small")]
impl Known {
    fn new(rule: crate::corpus::RuleWords) -> Self {
        let templates: Vec<Vec<String>> = rule.templates.iter().map(|text| words(text)).collect();
        let names = [&rule.id, &rule.title].into_iter().chain(&rule.exceptions);
        let names: HashSet<String> = names.flat_map(|text| words(text)).collect();
        let mut all: HashSet<String> = words(&rule.prose).into_iter().collect();
        all.extend(templates.iter().flatten().cloned());
        all.extend(names.iter().cloned());
        Self {
            id: rule.id,
            title: rule.title,
            templates,
            names,
            all,
        }
    }

    fn score(&self, asked: &[String], worth: &[f64]) -> f64 {
        let of = |set: &HashSet<String>| -> f64 {
            let mut seen = HashSet::new();
            let found = asked.iter().zip(worth);
            let found = found.filter(|(word, _)| set.contains(*word) && seen.insert(*word));
            found.map(|(_, worth)| worth).sum()
        };
        let templates = self.templates.iter();
        let best = templates
            .map(|template| in_order(template, asked, worth))
            .fold(0.0, f64::max);
        // Of rules with the word, that one is meant whose id says little else.
        let id: HashSet<String> = words(&self.id).into_iter().collect();
        // One word alone is hardly a piece of a message.
        let said = if asked.len() > 1 { 2.0 } else { 0.5 };
        said * best + of(&self.names) + 0.3 * of(&self.all) + of(&id) / id.len() as f64
    }
}

/// Returns the worth of the words that a template and a query have in common, in one order; a
/// little more where they are neighbours in both.
fn in_order(template: &[String], words: &[String], worth: &[f64]) -> f64 {
    const NEIGHBOUR: f64 = 0.25;
    let mut before = vec![0.0_f64; words.len() + 1];
    let mut run_before = vec![false; words.len() + 1];
    for expected in template {
        let mut row = vec![0.0_f64; words.len() + 1];
        let mut run = vec![false; words.len() + 1];
        for (n, word) in words.iter().enumerate() {
            row[n + 1] = row[n].max(before[n + 1]);
            if word == expected {
                let bonus = if run_before[n] { 1.0 + NEIGHBOUR } else { 1.0 };
                row[n + 1] = row[n + 1].max(before[n] + worth[n] * bonus);
                run[n + 1] = true;
            }
        }
        (before, run_before) = (row, run);
    }
    before.last().copied().unwrap_or_default()
}

/// Adds the words that rules have for what people say.
fn add_synonyms(words: &mut Vec<String>) {
    for (said, meant) in SYNONYMS {
        if words.iter().any(|word| word == said) {
            words.extend(meant.iter().map(|word| (*word).to_owned()));
        }
    }
}

/// Returns a word without the ending of a plural or of the third person.
fn singular(word: &str) -> &str {
    let is_other =
        |word: &str| word.len() < 4 || ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let Some(stem) = word.strip_suffix('s').filter(|_| !is_other(word)) else {
        return word;
    };
    let stem_of_es = stem.strip_suffix('e');
    let is_es = |stem: &&str| {
        ["ss", "x", "ch", "sh"]
            .iter()
            .any(|end| stem.ends_with(end))
    };
    stem_of_es.filter(is_es).unwrap_or(stem)
}

/// Splits a text into words: small letters, digits and `_`, each in its singular.
fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for word in text.split(|c: char| !is_word(c)).filter(|w| !w.is_empty()) {
        let word = word.trim_matches('_');
        // An address, a number of many digits: no rule names it.
        let is_number = word.len() > 6 && word.chars().all(|c| c.is_ascii_hexdigit());
        if word.is_empty() || is_number || word.len() > 60 {
            continue;
        }
        found.push(singular(&word.to_lowercase()).to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_in_the_singular() {
        for (word, stem) in [
            ("workers", "worker"),
            ("hangs", "hang"),
            ("processes", "process"),
            ("process", "process"),
            ("status", "status"),
            ("this", "this"),
            ("nfs", "nfs"),
        ] {
            assert_eq!(singular(word), stem);
        }
    }

    #[test]
    fn a_template_cut_anywhere_finds_its_rule_among_the_first_three() {
        let corpus = Corpus::built_in();
        let search = Search::new(&corpus);
        let rules: Vec<_> = corpus.words().collect();
        let (mut found, mut all) = (0, 0);
        let mut missed = Vec::new();
        for rule in &rules {
            for (n, template) in rule.templates.iter().enumerate() {
                let chars: Vec<char> = template.chars().collect();
                if words(template).len() < 4 {
                    continue;
                }
                // Three quarters of it, from another place each time.
                let length = chars.len() * 3 / 4;
                let start = (n * 7) % (chars.len() - length + 1);
                let piece: String = chars[start..start + length].iter().collect();
                let hits = search.find(&piece);
                // Rules that share a template are told apart by what the message names.
                let is_one = |hit: &Hit| {
                    let of = rules.iter().find(|rule| rule.id == hit.id);
                    of.is_some_and(|rule| rule.templates.contains(template))
                };
                all += 1;
                if hits.iter().take(3).any(is_one) {
                    found += 1;
                } else {
                    missed.push(format!("{}: {piece}", rule.id));
                }
            }
        }
        assert!(
            found * 100 >= all * 98,
            "{found} of {all}\n{}",
            missed.join("\n")
        );
    }
}
