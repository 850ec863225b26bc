//! Who may name whom: each library is met in one place, and modules name only those below them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, iter};

/// Each library with the places that may name it: files, or folders with all that is in them.
const LIBRARIES: &[(&str, &[&str])] = &[
    ("aho_corasick", &["gate"]),
    ("bzip2", &["check/open"]),
    ("clap", &["cli"]),
    ("clap_complete", &["cli"]),
    ("clap_mangen", &["cli/manual"]),
    ("flate2", &["check/open"]),
    ("globset", &["check/walk"]),
    ("indicatif", &["cli/check"]),
    ("lzma_rust2", &["check/open"]),
    ("maud", &["render/report/html"]),
    (
        "memchr",
        &[
            "check/open",
            "corpus/matching",
            "corpus/rule/interpolation",
            "gate",
            "line",
            "position",
            "out",
            "run",
            "search",
            "traceback",
        ],
    ),
    ("nom", &["traceback/grammar", "traceback/line"]),
    ("regex_automata", &["corpus/matching/capture_test"]),
    ("regex_syntax", &["corpus/matching/capture_test"]),
    ("ruzstd", &["check/open"]),
    (
        "serde",
        &["corpus", "object", "render", "source/objects", "state"],
    ),
    ("shlex", &["cli/pager"]),
    ("similar", &["cli/fix"]),
    ("strsim", &["corpus/rule/error"]),
    ("termcolor", &["render"]),
    (
        "toml",
        &["corpus", "cli/config", "cli/settings", "source/objects"],
    ),
    // The check of a rule's code needs every identifier, and stands below `source`, whose syntax
    // leaves out what a search for objects has no use for: the types of `except`, patterns.
    ("tree_sitter", &["corpus/authoring/code", "source/parse"]),
    (
        "tree_sitter_python",
        &["corpus/authoring/code", "source/parse"],
    ),
    ("walkdir", &["check/walk"]),
];

/// The modules from the top down; a module may name those in its own row and below.
const LEVELS: &[&[&str]] = &[
    &["main"],
    &["cli"],
    &["filter", "check", "run"],
    &["reader", "explain", "search"],
    &["input", "out", "render", "signals", "state"],
    &["candidate_lines", "engine"],
    &["pipe", "position"],
    &["incident", "source"],
    &["corpus"],
    &["traceback"],
    &[
        "bug",
        "file_id",
        "gate",
        "history",
        "line",
        "object",
        "python_name",
        "regular",
        "visible",
    ],
    &["named"],
];

/// Modules of one row, of which the first may name the second.
const SIDEWAYS: &[(&str, &str)] = &[
    // A signal is one of the things that can happen next.
    ("input", "signals"),
    ("signals", "input"),
    // Errors of the system are worded in one place.
    ("out", "input"),
    // Ctrl-C ends a write that is stuck.
    ("out", "signals"),
];

/// A Rust file below `src/`: its module path (`traceback/grammar/cpython`) and its text.
struct Source {
    module: String,
    text: String,
}

impl Source {
    /// Returns the module at the top that it belongs to.
    fn top(&self) -> &str {
        self.module.split('/').next().unwrap_or_default()
    }

    fn is_inside(&self, place: &str) -> bool {
        self.module == place || self.module.starts_with(&format!("{place}/"))
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    let source = |path: &PathBuf| {
        let module = path.strip_prefix(&root).unwrap().with_extension("");
        let module = module.to_str().unwrap().replace('\\', "/");
        let module = module.strip_suffix("/mod").unwrap_or(&module).to_string();
        Source {
            module,
            text: code(&fs::read_to_string(path).unwrap()),
        }
    };
    files.iter().map(source).collect()
}

/// Returns the text without comments and without its tests, which may name what they like.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = text
        .unwrap_or_default()
        .lines()
        .filter(|l| !l.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the first names of all paths (`nom` of `use nom::bytes` and of `nom::IResult`).
fn first_names(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let places = text.match_indices("::").map(|(at, _)| &text[..at]);
    let uses = text.lines().filter_map(|l| {
        l.trim()
            .strip_prefix("use ")?
            .strip_suffix(';')
            .filter(|u| u.chars().all(is_word))
    });
    let before = |text: &str| {
        let start = text.rfind(|c| !is_word(c)).map_or(0, |i| i + 1);
        let is_first = !text[..start].ends_with("::");
        is_first.then(|| text[start..].to_string())
    };
    places
        .filter_map(before)
        .chain(uses.map(str::to_string))
        .collect()
}

/// Returns the modules that a text names as `crate::module`, also within braces.
fn own_modules(text: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = BTreeSet::new();
    for root in ["crate::", "pickfix::"] {
        for (at, _) in text.match_indices(root) {
            let rest = &text[at + root.len()..];
            let group = rest
                .strip_prefix('{')
                .map(|g| top_level(g.split_once("};").map_or(g, |(g, _)| g)));
            for name in group.unwrap_or_else(|| vec![rest]) {
                names.insert(name.trim().chars().take_while(|c| is_word(*c)).collect());
            }
        }
    }
    names
}

/// Splits what stands in braces at the commas that stand in no further braces.
fn top_level(group: &str) -> Vec<&str> {
    let mut depth = 0;
    let mut cuts = vec![0];
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => cuts.push(at + 1),
            _ => {}
        }
    }
    let ends = cuts
        .iter()
        .skip(1)
        .map(|c| c - 1)
        .chain(iter::once(group.len()));
    cuts.iter()
        .zip(ends)
        .map(|(start, end)| &group[*start..end])
        .collect()
}

fn level(module: &str) -> Option<usize> {
    LEVELS.iter().position(|row| row.contains(&module))
}

#[test]
fn each_library_is_met_in_one_place() {
    let mut faults = Vec::new();
    for source in sources() {
        let names = first_names(&source.text);
        for (library, places) in LIBRARIES.iter().filter(|(l, _)| names.contains(*l)) {
            if !places.iter().any(|p| source.is_inside(p)) {
                let places = places.join(", ");
                faults.push(format!(
                    "src/{}.rs names {library}, which belongs to {places}",
                    source.module
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn modules_name_only_those_below_them() {
    let mut faults = Vec::new();
    for source in sources() {
        let Some(own) = level(source.top()) else {
            continue;
        };
        for name in own_modules(&source.text) {
            let is_sideways = SIDEWAYS.contains(&(source.top(), &name)) || name == source.top();
            let is_below = level(&name).is_none_or(|other| other > own);
            if !is_below && !is_sideways {
                faults.push(format!(
                    "src/{}.rs names {name}, which does not stand below it",
                    source.module
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_is_allowed_is_done() {
    let sources = sources();
    let mut unused = Vec::new();
    for (library, places) in LIBRARIES {
        let names_it = |s: &Source| first_names(&s.text).contains(*library);
        let is_used = |place: &str| sources.iter().any(|s| s.is_inside(place) && names_it(s));
        let of_it = places.iter().filter(|p| !is_used(p));
        unused.extend(of_it.map(|place| format!("{place} names no {library}")));
    }
    for (from, to) in SIDEWAYS {
        let names_it = |s: &Source| s.top() == *from && own_modules(&s.text).contains(*to);
        if !sources.iter().any(names_it) {
            unused.push(format!("{from} names no {to}"));
        }
    }
    assert!(unused.is_empty(), "{}", unused.join("\n"));
}

#[test]
fn every_module_has_a_level() {
    for source in sources().iter().filter(|s| s.top() != "lib") {
        assert!(
            level(source.top()).is_some(),
            "give src/{} a row in LEVELS",
            source.top()
        );
    }
}

#[test]
fn names_are_found_wherever_they_stand() {
    let text = "use nom::bytes::tag;\nfn f() -> std::io::Result<regex::Regex> {}\nuse clap;";
    let names: Vec<String> = first_names(text).into_iter().collect();
    assert_eq!(names, ["clap", "nom", "regex", "std"]);
    let text = "use crate::{corpus::{A, B}, lines};\nlet x: crate::gate::Gate;";
    let modules: Vec<String> = own_modules(text).into_iter().collect();
    assert_eq!(modules, ["corpus", "gate", "lines"]);
}
