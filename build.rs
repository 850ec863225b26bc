//! Writes the index of the built-in rules; see `src/corpus/rule/index.rs`.
//!
//! A rule file that cannot be read fails the build, with its file, line and column.

#![allow(dead_code, unreachable_pub)] // the shared modules have more in them than is used here

#[path = "src/corpus"]
mod corpus {
    pub mod matching {
        pub mod template;
    }
    pub mod rule {
        pub mod error;
        pub mod file;
        pub mod index;
        pub mod words;
    }
}

#[path = "src/named.rs"]
mod named;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use corpus::rule::index::{Key, RuleEntry, Strings, Subject, rule_files};
use corpus::rule::words::Words;

fn main() {
    println!("cargo::rerun-if-changed=corpus");
    println!("cargo::rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut faults = 0;
    let mut rules = 0;
    let mut ids = HashSet::new();
    let mut code = String::from("&[\n");
    let (mut heads, mut samples) = (String::new(), String::new());
    for path in rule_files(&root.join("corpus")) {
        match entry(&root, &path) {
            Ok(entry) if !ids.insert(entry.id.to_string()) => {
                println!(
                    "cargo::error={}: another family has a rule of this name",
                    entry.file
                );
                faults += 1;
            }
            Ok(entry) => {
                rules += 1;
                write_entry(&mut code, &entry, heads.len(), samples.len());
                heads.push_str(&entry.head);
                samples.push_str(&entry.samples);
            }
            Err(fault) => {
                println!("cargo::error={fault}");
                faults += 1;
            }
        }
    }
    code.push_str("]\n");
    if faults > 0 {
        process::exit(1);
    }
    for (name, text) in [
        ("corpus_index.rs", code),
        ("corpus_heads.toml", heads),
        ("corpus_samples.toml", samples),
    ] {
        fs::write(out.join(name), text).expect("OUT_DIR can be written");
    }
    println!("cargo::rustc-env=PICKFIX_BUILD={}", build(rules));
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

/// Writes an entry as a constant; its text stands at these places among the texts of all.
fn write_entry(code: &mut String, entry: &RuleEntry, head_at: usize, samples_at: usize) {
    let RuleEntry {
        id,
        family,
        file,
        formerly,
        fallback,
        beats,
        keys,
        words,
        head,
        samples,
    } = entry;
    let Words {
        title,
        lines,
        names,
        exceptions,
        all,
    } = words.as_ref().expect("each entry was given its words");
    let words = format!(
        "Some(Words {{ title: Cow::Borrowed({title:?}), lines: {}, names: Cow::Borrowed({names:?}), \
         exceptions: Cow::Borrowed({exceptions:?}), all: Cow::Borrowed({all:?}) }})",
        texts(lines),
    );
    let _ = writeln!(
        code,
        "RuleEntry {{ id: Cow::Borrowed({id:?}), family: Cow::Borrowed({family:?}), file: Cow::Borrowed({file:?}), \
         formerly: {}, fallback: {fallback}, beats: {}, words: {words}, head: piece(HEADS, {head_at}, {}), \
         samples: piece(SAMPLES, {samples_at}, {}), keys: Cow::Borrowed(&[",
        texts(formerly),
        texts(beats),
        head_at + head.len(),
        samples_at + samples.len(),
    );
    for Key {
        kind,
        exceptions,
        literals,
        beginnings,
        several_lines,
        table,
    } in keys.iter()
    {
        let kind = match kind {
            Subject::Exception => "Exception",
            Subject::LogLine => "LogLine",
            Subject::Threads => "Threads",
        };
        let _ = writeln!(
            code,
            "    Key {{ kind: Subject::{kind}, exceptions: {}, literals: {}, beginnings: {}, several_lines: {several_lines}, table: {table:?} }},",
            texts(exceptions),
            texts(literals),
            texts(beginnings),
        );
    }
    code.push_str("]) },\n");
}

/// Writes texts as a constant.
fn texts(texts: &Strings) -> String {
    format!("Strings(Cow::Borrowed({:?}))", texts.0)
}
