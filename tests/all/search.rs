//! `explain MESSAGE`: any piece of a message leads to its rule.

use std::collections::HashMap;

use crate::common::{CORPUS, side_by_side};
use pickfix::search::Search;
use toml::{Table, Value};
use walkdir::WalkDir;

/// The keys of a `[[match]]` that hold templates of lines.
const LINES: [&str; 6] = ["message", "log_line", "heading", "above", "chain", "note"];

/// What each value of a message is, here.
const VALUE: &str = "xq17";
/// The least of a piece, in words that are no values.
const LEAST_WORDS: usize = 5;
/// The most pieces whose rule is not among the first three, in per cent.
const MOST_MISSED: usize = 2;

/// Numbers that are the same in each run (an LCG of Knuth's).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % end
    }
}

/// Returns the templates of all lines that the built-in rules look for, each with the rule's id.
fn templates() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in WalkDir::new("corpus").sort_by_file_name() {
        let entry = entry.expect("corpus/ can be read");
        let path = entry.path();
        if path.extension().is_none_or(|end| end != "toml") || path.starts_with("corpus/objects") {
            continue;
        }
        let id = path.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(path).expect("a rule");
        let rule: Table = text.parse().expect("TOML");
        let matches = rule.get("match").and_then(Value::as_array);
        for one in matches.into_iter().flatten() {
            let quoted = one.get("quoted").into_iter();
            let lines = quoted.chain([one]).flat_map(lines);
            found.extend(lines.map(|line| (id.clone().into_owned(), line)));
        }
    }
    found
}

/// Returns the templates of one table.
fn lines(table: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for key in LINES {
        match table.get(key) {
            Some(Value::String(text)) => found.push(text.clone()),
            Some(Value::Array(texts)) => {
                found.extend(texts.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    found
}

/// Fills a template as a message would, in one line.
fn filled(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        text += &rest[..open];
        rest = &rest[open + 1..];
        if let Some(literal) = rest.strip_prefix('{') {
            text.push('{');
            rest = literal;
        } else if let Some((_, after)) = rest.split_once('}') {
            text += VALUE;
            rest = after;
        }
    }
    text += rest;
    let text = text.replace("}}", "}").replace("...", " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Counts the words that a message of its template always has, and their rests.
fn own_words(text: &str) -> usize {
    text.split_whitespace()
        .filter(|word| !word.contains(VALUE))
        .count()
}

/// Cuts a piece out of a message, inside words as well.
fn piece(text: &str, numbers: &mut Numbers) -> String {
    let words = own_words(text);
    let chars: Vec<char> = text.chars().collect();
    loop {
        let (a, b) = (numbers.below(chars.len()), numbers.below(chars.len()) + 1);
        let piece: String = chars[a.min(b)..a.max(b)].iter().collect();
        if own_words(&piece) >= LEAST_WORDS.min(words) {
            return piece;
        }
    }
}

/// Returns a piece without the words that it was cut in.
fn core(piece: &str) -> &str {
    let inner = piece.split_once(' ').map_or(piece, |(_, rest)| rest);
    inner.rsplit_once(' ').map_or(inner, |(rest, _)| rest)
}

#[test]
fn a_piece_of_any_template_leads_to_its_rule() {
    let search = Search::new(&CORPUS);
    let mut owners: HashMap<String, Vec<String>> = HashMap::new();
    for (id, template) in templates() {
        let text = filled(&template);
        if text.split(' ').count() >= LEAST_WORDS {
            owners.entry(text).or_default().push(id);
        }
    }
    let mut texts: Vec<_> = owners.iter().collect();
    texts.sort();
    let mut numbers = Numbers(7);
    let pieces = texts
        .into_iter()
        .map(|(text, ids)| (piece(text, &mut numbers), ids));
    let pieces: Vec<_> = pieces.collect();
    let missed = side_by_side(&pieces, |(piece, ids)| {
        let hits = search.find(piece);
        // A short piece may be one of several rules' messages, and each of them is right.
        let fits = |id: &String| {
            let mut all = owners.iter().filter(|(_, ids)| ids.contains(id));
            ids.contains(id) || all.any(|(text, _)| text.contains(core(piece)))
        };
        let first: Vec<&String> = hits.iter().take(3).map(|hit| &hit.id).collect();
        let is_missed = !first.iter().any(|id| fits(id));
        is_missed.then(|| format!("{piece:?}: {first:?}, not {ids:?}"))
    });
    let missed: Vec<String> = missed.into_iter().flatten().collect();
    let asked = pieces.len();
    println!("{} of {asked} pieces missed", missed.len());
    assert!(
        missed.len() * 100 <= asked * MOST_MISSED,
        "{} of {asked}:\n{}",
        missed.len(),
        missed.join("\n")
    );
}
