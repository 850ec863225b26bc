//! What was asked, and how well a rule fits it.

use memchr::memmem;

use super::Search;
use crate::corpus::{Findable, Words, stems};

/// What a word is worth, in parts of its full worth, that is in a rule's texts only.
const IN_TEXT: f64 = 0.3;
/// The same of a word that types of exceptions have.
const IN_TYPES: f64 = 0.7;
/// The same of a synonym.
const SYNONYM: f64 = 0.5;
/// The same of a word that tells nothing by itself.
pub(super) const FILLER: f64 = 0.3;
/// How many times as much the order of words counts where the query is a line.
const WHOLE: f64 = 2.0;
/// How many times as much the words of a question count that its author expects to be asked.
const QUESTION: f64 = 4.0;
/// The samples of a usual rule, in bytes.
const USUAL_SAMPLES: f64 = 3_000.0;
/// The power of the size of its samples, in usual ones and one more, that multiplies a rule's score.
const MET: f64 = 0.12;
/// The shortest query that means the rules which say it letter by letter, in bytes.
const LEAST_SAID: usize = 10;
/// What a word at an end of the query is worth where it is a piece of a line's word.
const PIECE: f64 = 2.5;
/// The shortest such piece, in bytes.
const LEAST_PIECE: usize = 2;
/// How many times as much a word counts whose neighbour in the query is its neighbour in a line.
const NEIGHBOUR: f64 = 2.5;
/// What is left of the score of a rule that has no word of the query.
const UNCOVERED: f64 = 0.4;

/// A word of a query.
pub(super) struct QueryWord {
    /// Its stem.
    stem: String,
    /// The stem between two spaces, as rules have it.
    needle: memmem::Finder<'static>,
    /// What it tells: much if few rules have it, nothing if none has.
    pub(super) worth: f64,
    /// Whether it tells nothing but in its place in a line.
    pub(super) is_filler: bool,
}

impl QueryWord {
    pub(super) fn new(stem: &str) -> Self {
        Self {
            stem: stem.to_owned(),
            needle: memmem::Finder::new(&format!(" {stem} ")).into_owned(),
            worth: 0.0,
            is_filler: false,
        }
    }

    pub(super) fn worth_alone(&self) -> f64 {
        self.worth * if self.is_filler { FILLER } else { 1.0 }
    }

    fn is_in(&self, spaced: &str) -> bool {
        self.needle.find(spaced.as_bytes()).is_some()
    }
}

/// What was asked, with the worth of each word.
pub(super) struct Query {
    /// The stems of all words, as rules have those of a line.
    spaced: String,
    /// The words in order.
    words: Vec<QueryWord>,
    /// The places of each of them, once, and those of its synonyms.
    once: Vec<(usize, Vec<usize>)>,
    /// What rules say for the words, where the query itself does not.
    synonyms: Vec<QueryWord>,
    /// How much the order of the words in a line counts.
    order: f64,
    /// The worth of all words.
    worth: f64,
    /// The query as it was written, and its parts between words that no rule has, where these are long
    /// enough to tell something; with their worth.
    said: Vec<(memmem::Finder<'static>, f64)>,
}

impl Query {
    pub(super) fn new(
        written: &str,
        words: Vec<QueryWord>,
        spaced: String,
        search: &Search,
    ) -> Self {
        let mut synonyms: Vec<QueryWord> = Vec::new();
        let mut once: Vec<(usize, Vec<usize>)> = Vec::new();
        for (n, word) in words.iter().enumerate() {
            if once.iter().any(|(n, _)| words[*n].stem == word.stem) {
                continue;
            }
            let mut meant = Vec::new();
            for stem in search.synonyms_of(&word.stem) {
                if words.iter().any(|word| word.stem == *stem) {
                    continue;
                }
                let known = synonyms.iter().position(|synonym| synonym.stem == *stem);
                meant.push(known.unwrap_or(synonyms.len()));
                if known.is_none() {
                    let mut synonym = search.asked(stem);
                    synonym.worth *= SYNONYM;
                    synonyms.push(synonym);
                }
            }
            once.push((n, meant));
        }
        // One word alone is hardly a piece of a message, and a few may be.
        let order = match words.len() {
            0 | 1 => 0.5,
            2..=4 => 1.2,
            _ => 2.6,
        };
        let worth_of = |is_part: &dyn Fn(&QueryWord) -> bool| -> f64 {
            let all = once.iter().map(|(n, _)| &words[*n]);
            all.filter(|w| is_part(w)).map(QueryWord::worth_alone).sum()
        };
        let worth = worth_of(&|_| true);
        let said = parts(written, search).into_iter().map(|part| {
            let own = stems(part);
            let worth = worth_of(&|w| own.contains(&w.stem));
            (memmem::Finder::new(part).into_owned(), worth)
        });
        let whole = Some(written.trim()).filter(|said| said.len() >= LEAST_SAID);
        let whole = whole.map(|said| (memmem::Finder::new(said).into_owned(), worth));
        let said = said.chain(whole).collect();
        Self {
            spaced,
            words,
            once,
            synonyms,
            order,
            worth,
            said,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of words and samples are small"
    )]
    pub(super) fn score(&self, rule: &Findable, id: &[String], search: &Search) -> f64 {
        let words = rule.words;
        let once = self.once.iter().map(|(n, _)| &self.words[*n]);
        let all = once.chain(&self.synonyms);
        let found: Vec<&QueryWord> = all.filter(|asked| asked.is_in(&words.all)).collect();
        if found.is_empty() {
            return 0.0;
        }
        let of = |asked: &&QueryWord| {
            let by_name = if asked.is_in(&words.names) {
                1.0
            } else if asked.is_in(&words.exceptions) {
                IN_TYPES
            } else {
                0.0
            };
            asked.worth_alone() * (by_name + IN_TEXT)
        };
        let by_words: f64 = found.iter().map(of).sum();
        let by_line = self.by_line(words);
        // What is all of a line, or of what its author expects to be asked, is meant.
        let is_whole = words.texts().any(|text| text == self.spaced);
        let by_line = if is_whole { WHOLE * by_line } else { by_line };
        // A message that was cut inside words stands in the rule all the same.
        let said = self.said.iter().filter(|(part, worth)| {
            WHOLE * worth > by_line && part.find(rule.text.as_bytes()).is_some()
        });
        let by_line = said.fold(by_line, |most, (_, worth)| most.max(WHOLE * worth));
        // Of rules with the word, that one is meant whose id says little else.
        let in_id = found.iter().filter(|asked| id.contains(&asked.stem));
        let by_id = in_id.map(|asked| asked.worth_alone()).sum::<f64>() / id.len() as f64;
        let share = self.share(&words.all);
        let by_line = (self.order * by_line).max(self.by_question(words, search));
        let met = (1.0 + rule.met as f64 / USUAL_SAMPLES).powf(MET);
        met * (by_words + by_line + by_id) * (UNCOVERED + (1.0 - UNCOVERED) * share)
    }

    /// Returns what the text that is likest to the query is worth, of those that its author expects to be
    /// asked: what both have in common, the less the more of the text is left.
    fn by_question(&self, words: &Words, search: &Search) -> f64 {
        let like = words.asked.iter().map(|text| {
            let stems = text.split_ascii_whitespace();
            let worth = |stem| search.worth_alone(stem);
            let all: f64 = stems.clone().map(worth).sum();
            let common: f64 = stems.map(|stem| self.part_in(stem) * worth(stem)).sum();
            common * common / all.max(f64::MIN_POSITIVE)
        });
        QUESTION * like.fold(0.0, f64::max)
    }

    /// Returns how much of a stem the query has: itself or a synonym.
    fn part_in(&self, stem: &str) -> f64 {
        let is_it = |word: &QueryWord| word.stem == stem;
        if self.words.iter().any(is_it) {
            1.0
        } else if self.synonyms.iter().any(is_it) {
            SYNONYM
        } else {
            0.0
        }
    }

    /// Returns how much of the query some words are about, by themselves or by a synonym.
    fn share(&self, spaced: &str) -> f64 {
        let is_covered = |(n, meant): &&(usize, Vec<usize>)| {
            let mut synonyms = meant.iter().map(|m| &self.synonyms[*m]);
            self.words[*n].is_in(spaced) || synonyms.any(|synonym| synonym.is_in(spaced))
        };
        let covered = self.once.iter().filter(is_covered);
        let covered: f64 = covered.map(|(n, _)| self.words[*n].worth_alone()).sum();
        covered / self.worth.max(f64::MIN_POSITIVE)
    }

    /// Returns the places of the query's words that `spaced` has; those of its ends also where pieces of
    /// words may be meant.
    fn places(&self, spaced: &str, of: impl Iterator<Item = usize>) -> Vec<usize> {
        let is_piece = |n: usize| {
            let is_end = n == 0 || n + 1 == self.words.len();
            is_end && memmem::find(spaced.as_bytes(), self.words[n].stem.as_bytes()).is_some()
        };
        let is_there = |n: &usize| self.words[*n].is_in(spaced) || is_piece(*n);
        of.filter(is_there).collect()
    }

    /// Returns the most that the order of the query's words is worth in one of a rule's lines, the less the
    /// more of the query is not in it: of a question, other than of a piece of a message, a line has little.
    fn by_line(&self, words: &Words) -> f64 {
        let in_rule = self.places(&words.all, 0..self.words.len());
        let mut best = 0.0_f64;
        for line in words.texts() {
            let places = self.places(line, in_rule.iter().copied());
            let most = places.iter().map(|n| self.words[*n].worth.max(PIECE));
            if most.sum::<f64>() * NEIGHBOUR > best {
                let covered: f64 = places.iter().map(|n| self.words[*n].worth_alone()).sum();
                let cover = (covered / self.worth.max(f64::MIN_POSITIVE)).min(1.0);
                best = best.max(self.in_order(line, &places) * cover * cover);
            }
        }
        best
    }

    /// Returns the worth of the words that a line and the query have in common, in one order;
    /// more where they are neighbours in both. Of the query's words only those at `places` count.
    fn in_order(&self, line: &str, places: &[usize]) -> f64 {
        let count = places.len();
        let (mut before, mut run_before) = (vec![0.0_f64; count + 1], vec![false; count + 1]);
        for expected in line.split(' ').filter(|word| !word.is_empty()) {
            if places.iter().all(|n| self.worth_as(*n, expected).is_none()) {
                run_before.fill(false);
                continue;
            }
            let (mut row, mut run) = (vec![0.0_f64; count + 1], vec![false; count + 1]);
            for (k, n) in places.iter().enumerate() {
                row[k + 1] = row[k].max(before[k + 1]);
                if let Some(worth) = self.worth_as(*n, expected) {
                    let is_next = run_before[k] && places[k - 1] + 1 == *n;
                    let bonus = if is_next { NEIGHBOUR } else { 1.0 };
                    row[k + 1] = row[k + 1].max(before[k] + worth * bonus);
                    run[k + 1] = true;
                }
            }
            (before, run_before) = (row, run);
        }
        before.last().copied().unwrap_or_default()
    }

    /// Returns what a word of the query is worth as a word of a line; `None` if it is another one. At
    /// its ends the query may have been cut inside a word.
    fn worth_as(&self, n: usize, expected: &str) -> Option<f64> {
        let word = &self.words[n];
        if word.stem == expected {
            return Some(word.worth);
        }
        let piece = word.stem.as_str();
        let is_piece = self.words.len() > 1
            && piece.len() >= LEAST_PIECE
            && (n == 0 && expected.ends_with(piece)
                || n + 1 == self.words.len() && expected.starts_with(piece));
        is_piece.then_some(PIECE)
    }
}

/// Returns the parts of a query between words that no rule has, such as a reader's own names; at its
/// ends these may be the rest of others.
fn parts<'q>(written: &'q str, search: &Search) -> Vec<&'q str> {
    let written = written.trim();
    let is_own = |word: &str| stems(word).iter().any(|stem| !search.is_known(stem));
    let (mut found, mut from, mut at) = (Vec::new(), 0, 0);
    for word in written.split_inclusive(char::is_whitespace) {
        let is_end = at == 0 || at + word.len() == written.len();
        if !is_end && is_own(word) {
            found.push(&written[from..at]);
            from = at + word.len();
        }
        at += word.len();
    }
    if from > 0 {
        found.push(&written[from..]);
    }
    // What an end is the rest of may be a name, too; two words alone are no piece of a message.
    let inner = written.split_once(' ').map_or("", |(_, rest)| rest);
    let both = inner.rsplit_once(' ').map(|(inner, _)| inner);
    let is_piece = |part: &&str| part.split_whitespace().count() > 2;
    found.extend([inner].into_iter().chain(both).filter(is_piece));
    found.retain(|part| part.trim().len() >= LEAST_SAID);
    found.into_iter().map(str::trim).collect()
}
