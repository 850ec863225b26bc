//! Writes the index of the built-in rules; see `src/corpus/rule/index.rs`.
//!
//! A rule file that cannot be read fails the build, with its file, line and column.

#![allow(dead_code, unreachable_pub)] // the shared modules have more in them than is used here

#[path = "src/corpus"]
mod corpus {
    pub mod matching {
        pub mod template;
    }
    // The program's own has the rules; here they are only about to be built in.
    pub mod built_in {
        pub const TEXTS: &str = "";
        pub const KEYS: &[super::rule::index::Key] = &[];
    }
    pub mod rule {
        pub mod error;
        pub mod file;
        pub mod index;
        pub mod lookup;
        pub mod portion;
        pub mod words;
    }
}

#[path = "src/named.rs"]
mod named;

use std::collections::HashSet;
use std::fmt::{Debug, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use corpus::rule::index::{Key, RuleEntry, Strings, Subject, rule_files};
use corpus::rule::lookup::{Lookup, Rows};
use corpus::rule::words::Words;

fn main() {
    println!("cargo::rerun-if-changed=corpus");
    println!("cargo::rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut faults = 0;
    let mut ids = HashSet::new();
    let mut entries = Vec::new();
    for path in rule_files(&root.join("corpus")) {
        match entry(&root, &path) {
            Ok(entry) if !ids.insert(entry.id.to_string()) => {
                println!(
                    "cargo::error={}: another family has a rule of this name",
                    &*entry.file
                );
                faults += 1;
            }
            Ok(entry) => entries.push(entry),
            Err(fault) => {
                println!("cargo::error={fault}");
                faults += 1;
            }
        }
    }
    if faults > 0 {
        process::exit(1);
    }
    let mut index = Index::default();
    let heads: Vec<_> = entries.iter().map(|e| index.text(&e.head)).collect();
    let samples: Vec<_> = entries.iter().map(|e| index.text(&e.samples)).collect();
    for ((entry, head), samples) in entries.iter().zip(&heads).zip(&samples) {
        index.add(entry, head, samples);
    }
    let Index {
        texts, rules, keys, ..
    } = index;
    let code = format!(
        "pub(super) static RULES: &[RuleEntry] = &[\n{rules}];\n\
         pub(super) static KEYS: &[Key] = &[\n{keys}];\n\
         pub(super) static LOOKUP: Lookup = {};\n",
        lookup(&Lookup::of(entries.iter().enumerate())),
    );
    for (name, text) in [("corpus_index.rs", code), ("corpus_texts.txt", texts)] {
        fs::write(out.join(name), text).expect("OUT_DIR can be written");
    }
    println!("cargo::rustc-env=PICKFIX_BUILD={}", build(entries.len()));
}

/// Returns what `--version` says of this build; a release names its commit in `PICKFIX_COMMIT`.
fn build(rules: usize) -> String {
    println!("cargo::rerun-if-env-changed=PICKFIX_COMMIT");
    let target = env::var("TARGET").expect("cargo sets it");
    let commit = env::var("PICKFIX_COMMIT").unwrap_or_default();
    let commit: String = commit.chars().take(12).collect();
    let comma = if commit.is_empty() { "" } else { ", " };
    format!("{rules} rules, {target}{comma}{commit}")
}

/// Reads the entry of one rule.
fn entry(root: &Path, path: &Path) -> Result<RuleEntry, String> {
    let name =
        |p: Option<&std::ffi::OsStr>| p.and_then(|s| s.to_str()).unwrap_or_default().to_string();
    let id = name(path.file_stem());
    let family = name(path.parent().and_then(Path::file_name));
    let file = path
        .strip_prefix(root)
        .unwrap_or(path)
        .display()
        .to_string()
        .replace('\\', "/");
    let text = fs::read_to_string(path).map_err(|e: io::Error| format!("{file}: {e}"))?;
    let (mut entry, rule) =
        RuleEntry::read(&id, &family, &file, &text).map_err(|e| e.to_string())?;
    entry.words = Some(Words::of(&id, &rule));
    Ok(entry)
}

/// The rules as constants; each has the places of its texts among those of all, and of its keys.
#[derive(Default)]
struct Index {
    texts: String,
    rules: String,
    keys: String,
    key_count: usize,
}

impl Index {
    /// Adds a text, and returns its place as code.
    fn text(&mut self, text: &str) -> String {
        let start = self.texts.len();
        self.texts.push_str(text);
        format!("at({start}, {})", self.texts.len())
    }

    fn strings(&mut self, texts: &Strings) -> String {
        format!("Strings({})", self.text(&texts.0))
    }

    fn add(&mut self, entry: &RuleEntry, head: &str, samples: &str) {
        let keys = self.key_count;
        for key in entry.keys.iter() {
            self.add_key(key);
        }
        let words = entry.words.as_ref();
        let words = words.expect("each entry was given its words");
        let (id, family) = (self.text(&entry.id), self.text(&entry.family));
        let file = self.text(&entry.file);
        let formerly = self.strings(&entry.formerly);
        let beats = self.strings(&entry.beats);
        let title = self.text(&words.title);
        let lines = self.strings(&words.lines);
        let asked = self.strings(&words.asked);
        let names = self.text(&words.names);
        let exceptions = self.text(&words.exceptions);
        let all = self.text(&words.all);
        let fallback = entry.fallback;
        let key_count = self.key_count;
        let _ = writeln!(
            self.rules,
            "    RuleEntry {{ id: {id}, family: {family}, file: {file}, formerly: {formerly}, \
             fallback: {fallback}, beats: {beats}, keys: at({keys}, {key_count}), \
             words: Some(Words {{ title: {title}, lines: {lines}, asked: {asked}, \
             names: {names}, exceptions: {exceptions}, all: {all} }}), head: {head}, samples: {samples} }},",
        );
    }

    fn add_key(&mut self, key: &Key) {
        let kind = match key.kind {
            Subject::Exception => "Exception",
            Subject::LogLine => "LogLine",
            Subject::Threads => "Threads",
        };
        let exceptions = self.strings(&key.exceptions);
        let literals = self.strings(&key.literals);
        let marks = self.strings(&key.marks);
        let outlines = self.strings(&key.outlines);
        let (several_lines, table) = (key.several_lines, key.table);
        let _ = writeln!(
            self.keys,
            "    Key {{ kind: Subject::{kind}, exceptions: {exceptions}, literals: {literals}, \
             marks: {marks}, outlines: {outlines}, several_lines: {several_lines}, table: {table:?} }},",
        );
        self.key_count += 1;
    }
}

/// Returns a lookup as a constant.
fn lookup(lookup: &Lookup) -> String {
    let Lookup {
        literals,
        by_mark,
        by_exception,
        any_exception,
        log_lines_without_literal,
        threads_without_literal,
        outlines,
        of_several_lines,
    } = lookup;
    format!(
        "Lookup {{\n    literals: Literals {{ rarest: {}, hashes: {} }},\n    \
         by_mark: {},\n    by_exception: {},\n    any_exception: {},\n    \
         log_lines_without_literal: {},\n    threads_without_literal: {},\n    \
         outlines: {},\n    of_several_lines: {},\n}}",
        rows(&literals.rarest),
        list(&literals.hashes),
        rows(by_mark),
        rows(by_exception),
        list(any_exception),
        list(log_lines_without_literal),
        list(threads_without_literal),
        rows(outlines),
        rows(of_several_lines),
    )
}

fn rows<T: Clone + Debug>(rows: &Rows<T>) -> String {
    let Rows { last, rows } = rows;
    format!("Rows {{ last: {}, rows: {} }}", list(last), list(rows))
}

fn list<T: Debug>(list: &[T]) -> String {
    format!("Cow::Borrowed(&{list:?})")
}
