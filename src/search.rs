//! From any words, or a piece of a message, to the rules that they are about.
//!
//! A rule is known by the lines that it looks for, its id, title and types of exceptions, and a
//! little by its other words. Rare words count for more, and a rule that has all of a query for
//! more than one that has half. Of a line, the words that the query has in the same order count; so
//! a message may be cut, wrapped or quoted in any way. A question has words in common with what the
//! author of a rule expects to be asked. Of rules that fit alike, the one that is met more often is
//! meant: it has more samples.
//!
//! The words of all rules are cut to their stems at the build. A query counts once how many rules have
//! each, and searches those of a rule as text. [`mod@query`]: how well a rule fits one.

mod query;

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::corpus::{Corpus, Findable, is_slip, spaced, stems};
use query::{FILLER, Query, QueryWord};

/// How many times the score of the second that of the first is, where it is meant beyond doubt.
const FAR: f64 = 1.4;
/// What a query must reach: the worth of one rare word.
const ENOUGH: f64 = 2.0;
/// The most words of a query that count.
const MAX_WORDS: usize = 200;
/// The shortest word that may be misspelt, in bytes.
const LEAST_MISSPELT: usize = 5;
/// The shortest word that may be the rest of a longer one, in bytes.
const LEAST_CUT: usize = 3;
/// Words that tell nothing.
const FILLERS: &str = "a after an and any are at be been but by can do does for from get has have how i if in \
                       into is it its just many me my never no not of on only or some still that the there \
                       this time to use using was what when where which while why will with you your";
/// What people say, and the words that rules have for it.
const SYNONYMS: [(&str, &str); 27] = [
    ("allreduce", "collective"),
    ("colab", "notebook"),
    ("connect", "reach answer"),
    ("crash", "die"),
    ("ddp", "rank"),
    ("deadlock", "hang wait"),
    ("die", "kill crash end"),
    ("different", "mismatch"),
    ("freeze", "hang"),
    ("frozen", "hang"),
    ("full", "space"),
    ("gpu", "cuda"),
    ("hang", "wait timeout"),
    ("jupyter", "notebook"),
    ("kill", "sigkill die"),
    ("multiprocessing", "process"),
    ("oom", "out of memory"),
    ("port", "address"),
    ("segfault", "segmentation fault crash"),
    ("serializable", "pickle"),
    ("serialize", "pickle"),
    ("shm", "shared memory"),
    ("stall", "hang"),
    ("stuck", "hang wait"),
    ("torchrun", "rank"),
    ("twice", "already"),
    ("vram", "cuda memory"),
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

/// The rules, ready to be asked.
pub struct Search<'c> {
    /// Each behind the stems of its id.
    rules: Vec<(Vec<String>, Findable<'c>)>,
    /// How many rules have each stem.
    known: HashMap<&'c str, usize>,
    /// The stems of what tells nothing.
    fillers: Vec<String>,
    /// The stem of what people say, and those of what rules have for it.
    synonyms: Vec<(String, Vec<String>)>,
}

impl<'c> Search<'c> {
    /// Makes a search through all rules.
    pub fn new(corpus: &'c Corpus) -> Self {
        let synonyms = SYNONYMS.iter().map(|(said, meant)| {
            let said = stems(said).into_iter().next();
            (said.expect("a word has a stem"), stems(meant))
        });
        let with_id = |rule: Findable<'c>| (stems(rule.id), rule);
        let rules: Vec<_> = corpus.findable().map(with_id).collect();
        let words = rules.iter().map(|(_, rule)| rule.words);
        let mut known = HashMap::new();
        for stem in words.flat_map(|words| words.all.split_ascii_whitespace()) {
            *known.entry(stem).or_default() += 1;
        }
        Self {
            rules,
            known,
            fillers: stems(FILLERS),
            synonyms: synonyms.collect(),
        }
    }

    /// Returns the rules that have something of a query, the best first.
    pub fn find(&self, query: &str) -> Vec<Hit> {
        let mut words = stems(query);
        words.truncate(MAX_WORDS);
        // One letter at an end is what was left of a word; a small number in front, of a value.
        let is_letter = |word: &String| word.len() == 1 && word.as_bytes()[0].is_ascii_alphabetic();
        let is_digits = |word: &String| word.len() <= 2 && word.bytes().all(|b| b.is_ascii_digit());
        if words.len() > 1 && words.last().is_some_and(is_letter) {
            words.pop();
        }
        if words.len() > 1 && words.first().is_some_and(|w| is_letter(w) || is_digits(w)) {
            words.remove(0);
        }
        self.complete(&mut words);
        for word in &mut words {
            self.correct(word);
        }
        let spaced = spaced(&words);
        let asked: Vec<QueryWord> = words.iter().map(|word| self.asked(word)).collect();
        let query = Query::new(query, asked, spaced, self);
        let rules = self.rules.iter();
        let hits = rules.map(|(id, rule)| (query.score(rule, id, self), rule));
        let mut hits: Vec<_> = hits.filter(|(score, _)| *score >= ENOUGH).collect();
        hits.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.id.cmp(other.id)));
        let hit = |(score, rule): (f64, &Findable)| Hit {
            id: rule.id.to_owned(),
            title: rule.title(),
            score,
        };
        hits.into_iter().map(hit).collect()
    }

    fn asked(&self, stem: &str) -> QueryWord {
        let mut asked = QueryWord::new(stem);
        asked.worth = self.worth(stem);
        asked.is_filler = self.is_filler(stem);
        asked
    }

    /// Returns what a stem tells: much if few rules have it, nothing if none has.
    #[expect(clippy::cast_precision_loss, reason = "a count of rules is small")]
    fn worth(&self, stem: &str) -> f64 {
        let with = self.known.get(stem);
        with.map_or(0.0, |with| {
            ((self.rules.len() as f64 + 1.0) / *with as f64).ln()
        })
    }

    /// Returns what a stem tells in no line.
    fn worth_alone(&self, stem: &str) -> f64 {
        self.worth(stem) * if self.is_filler(stem) { FILLER } else { 1.0 }
    }

    fn is_filler(&self, stem: &str) -> bool {
        self.fillers.iter().any(|filler| filler == stem)
    }

    /// Returns the stems that rules have for a stem of the query.
    fn synonyms_of(&self, stem: &str) -> impl Iterator<Item = &String> {
        let of = self.synonyms.iter().filter(move |(said, _)| said == stem);
        of.flat_map(|(_, meant)| meant)
    }

    fn is_known(&self, word: &str) -> bool {
        self.known.contains_key(word)
    }

    /// Returns the commonest word of the rules that may be meant; of several the shortest.
    fn commonest(&self, may_be_meant: impl Fn(&str) -> bool) -> Option<String> {
        let meant = self.known.iter().filter(|(word, _)| may_be_meant(word));
        let meant = meant.map(|(word, with)| (with, Reverse((word.len(), word))));
        let (_, Reverse((_, word))) = meant.max()?;
        Some((*word).to_owned())
    }

    /// Puts the word that was meant for one that no rule has: the commonest with the same first
    /// letter that one slip makes of it.
    fn correct(&self, word: &mut String) {
        if word.len() < LEAST_MISSPELT || self.is_known(word) {
            return;
        }
        let first = word.as_bytes()[0];
        let meant = self.commonest(|known| known.as_bytes()[0] == first && is_slip(word, known));
        if let Some(meant) = meant {
            *word = meant;
        }
    }

    /// Makes the first and the last word whole, where the query was cut inside one, and joins what a
    /// line break has split.
    fn complete(&self, words: &mut Vec<String>) {
        let mut at = 0;
        while at + 1 < words.len() {
            let is_split = !self.is_known(&words[at]) || !self.is_known(&words[at + 1]);
            if is_split {
                let joined = stems(&format!("{}{}", words[at], words[at + 1]));
                if let [joined] = joined.as_slice()
                    && self.is_known(joined)
                {
                    words[at].clone_from(joined);
                    words.remove(at + 1);
                }
            }
            at += 1;
        }
        let is_cut = |word: &str| word.len() >= LEAST_CUT && !self.is_known(word);
        if let Some(last) = words.last_mut().filter(|word| is_cut(word))
            && let Some(whole) = self.commonest(|word| word.starts_with(last.as_str()))
        {
            *last = whole;
        }
        if let Some(first) = words.first_mut().filter(|word| is_cut(word))
            && let Some(whole) = self.commonest(|word| word.ends_with(first.as_str()))
        {
            *first = whole;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_no_rule_has_finds_nothing() {
        let corpus = Corpus::built_in();
        assert!(Search::new(&corpus).find("xyzzy zorkmid").is_empty());
    }

    #[test]
    fn a_question_finds_what_is_met_most() {
        let corpus = Corpus::built_in();
        let search = Search::new(&corpus);
        for (query, id) in [
            (
                "training freezes after the first epoch with a dataloader",
                "worker-hang",
            ),
            (
                "my program opens itself again and again on Windows",
                "missing-main-guard",
            ),
            (
                "why is my variable unchanged after process join",
                "changes-stay-in-worker",
            ),
            ("threading lock cannot be pickled", "unpicklable-lock"),
            ("torch cuda fork error", "cuda-fork"),
            (
                "docker shared memory too small for pytorch",
                "worker-shared-memory",
            ),
            ("port 29500 already used", "ranks-address-in-use"),
            ("child process of a pool wants a pool", "daemonic-children"),
            ("macos python crashes after fork", "fork-macos-objc"),
            ("celery task killed, out of memory", "celery-worker-lost"),
        ] {
            let hits = search.find(query);
            let first: Vec<&str> = hits.iter().take(3).map(|hit| hit.id.as_str()).collect();
            assert!(first.contains(&id), "{query}: {first:?}");
        }
    }

    #[test]
    fn a_misspelt_and_a_split_word_are_understood() {
        let corpus = Corpus::built_in();
        let search = Search::new(&corpus);
        for query in ["semaphroe leaked", "leaked sema phore", "leaked semaph"] {
            let hits = search.find(query);
            assert_eq!(hits[0].id, "leaked-semaphores", "{query}");
        }
    }
}
