//! `corpus/README.md` against the words that there are.

use std::collections::BTreeSet;

use crate::corpus::matching::ask;
use crate::corpus::rule::interpolation;
use crate::traceback::Dialect;
use crate::traceback::facts::{FACTS, FactKind};

const README: &str = include_str!("../../../corpus/README.md");

/// Returns the part below a heading.
fn section(heading: &str) -> &'static str {
    let (_, below) = README.split_once(heading).expect("the heading");
    below.split("\n## ").next().unwrap_or(below)
}

/// Returns what stands in back quotes.
fn code(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// Returns the row of a key in the table of keys.
fn row(key: &str) -> &'static str {
    let rows = section("## Keys of `[[match]]`").lines();
    let mut rows = rows.filter(|line| line.starts_with('|'));
    let is_of = |row: &&str| code(row.split('|').nth(1).unwrap_or_default()).contains(key);
    rows.find(is_of)
        .unwrap_or_else(|| panic!("no row for {key}"))
}

#[test]
fn every_key_has_a_row_and_every_row_a_key() {
    let of_tables = |cell: &'static str| match cell {
        "[[match.thread]]" => "thread",
        cell => cell.split(['.', '<']).next().unwrap_or(cell),
    };
    let rows = section("## Keys of `[[match]]`").lines();
    let cells = rows.filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let in_readme: BTreeSet<&str> = cells
        .flat_map(code_of_cell)
        .map(of_tables)
        .chain(["unless"])
        .collect();
    assert_eq!(in_readme, ask::names().collect::<BTreeSet<_>>());
}

/// Returns the keys of the first cell of a row, whose first back quote is taken off.
fn code_of_cell(cell: &'static str) -> impl Iterator<Item = &'static str> {
    cell.split('`').step_by(2)
}

#[test]
fn every_word_of_a_fact_and_every_dialect_is_in_its_row() {
    for fact in FACTS {
        if let FactKind::Word(_, words) = &fact.kind {
            let told = code(row(fact.name));
            let missing: Vec<&str> = words.iter().map(|word| word.name).collect();
            assert!(
                missing.iter().all(|name| told.contains(name)),
                "{missing:?}"
            );
        }
    }
    let told = code(row("dialect"));
    for dialect in Dialect::ALL {
        assert!(told.contains(dialect.name()), "{}", dialect.name());
    }
}

#[test]
fn every_name_that_code_needs_not_define_is_told() {
    let (_, told) = README.split_once("stand for the reader's own").expect("it");
    let told = code(told.lines().next().unwrap_or_default());
    let names = super::code::READERS.split(' ');
    assert_eq!(told, names.collect::<BTreeSet<_>>());
}

#[test]
fn every_name_that_a_text_may_fill_in_is_told() {
    let told = code(section("## Texts"));
    for name in interpolation::names() {
        assert!(told.contains(name), "{name}");
    }
}
