//! The settings of a project: `pickfix.toml`, or `[tool.pickfix]` in `pyproject.toml`.
//!
//! The nearest of them counts, from the current folder upwards. Whatever is wrong with it costs a
//! warning and the setting that is wrong; no output is held back for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use super::settings::{SETTINGS, Setting};
use crate::corpus::{Fault, RuleError, nearest};
use crate::regular;

/// The file that holds nothing else.
const OWN: &str = "pickfix.toml";
/// The file in which the settings are a table.
const PYPROJECT: &str = "pyproject.toml";

/// The largest file of settings, in bytes.
const MAX_FILE: u64 = 16 * 1024 * 1024;

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// The file, absolute or as the current folder is named; `None`: there is none.
    pub(super) file: Option<PathBuf>,
    /// What it sets.
    pub(super) assigned: Vec<Assignment>,
    /// What is wrong with it, each with its place.
    pub(super) faults: Vec<String>,
}

/// A setting in a file.
#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) setting: &'static Setting,
    /// Its values, as they would be typed.
    pub(super) words: Vec<OsString>,
    /// Its line in the file, 1-based.
    pub(super) line: usize,
}

/// Reads the nearest file of settings from `folder` upwards.
pub(super) fn find(folder: &Path) -> Config {
    for folder in folder.ancestors() {
        let own = folder.join(OWN);
        if own.is_file() {
            return Config::read(own);
        }
        let pyproject = folder.join(PYPROJECT);
        // A mere mention of pickfix, and another tool's fault, are none of ours.
        let text = regular::read_to_string(&pyproject, MAX_FILE).unwrap_or_default();
        if text.contains("tool.pickfix") || has_table(&text) {
            return Config::read(pyproject);
        }
    }
    Config::default()
}

/// Returns what is wrong with the text of a `pickfix.toml`, each fault with its place.
pub fn faults(text: &str) -> Vec<String> {
    let mut config = Config::default();
    config.read_text(Path::new(OWN), text);
    config.faults
}

fn has_table(pyproject: &str) -> bool {
    let is_candidate = pyproject.contains("pickfix");
    is_candidate && table_of(&DeTable::parse_recoverable(pyproject).0.into_inner()).is_some()
}

/// Returns `[tool.pickfix]`.
fn table_of<'a, 'i>(pyproject: &'a DeTable<'i>) -> Option<&'a DeTable<'i>> {
    let tool = pyproject.get("tool")?.get_ref().as_table()?;
    tool.get("pickfix")?.get_ref().as_table()
}

impl Config {
    fn read(file: PathBuf) -> Self {
        let mut config = Self::default();
        match regular::read_to_string(&file, MAX_FILE) {
            Ok(text) => config.read_text(&file, &text),
            Err(error) => {
                let error = crate::input::plain(&error);
                config.faults.push(format!("{}: {error}", file.display()));
            }
        }
        config.file = Some(file);
        config
    }

    fn read_text(&mut self, file: &Path, text: &str) {
        let (document, errors) = DeTable::parse_recoverable(text);
        let document = document.into_inner();
        let mut faults: Vec<Fault> = Vec::new();
        // From a fault in the TOML on, what the parser makes of the text is a guess.
        let mut end = text.len();
        if let Some(error) = errors.first() {
            let at = error.span().map_or(0, |span| span.start).min(text.len());
            end = text.as_bytes()[..at]
                .iter()
                .rposition(|b| *b == b'\n')
                .unwrap_or(0);
            faults.push((at, error.message().replace('\n', ", ")));
        }
        let is_own = file.ends_with(OWN);
        let table = if is_own {
            Some(&document)
        } else {
            table_of(&document)
        };
        let folder = file.parent().unwrap_or(Path::new(""));
        let pairs = table.into_iter().flatten();
        for (key, value) in pairs.filter(|(key, value)| key.span().end.max(value.span().end) <= end)
        {
            let setting = SETTINGS
                .iter()
                .find(|setting| setting.name == key.get_ref());
            let Some(setting) = setting else {
                faults.push((key.span().start, unknown(key.get_ref())));
                continue;
            };
            if let Some(words) = setting.read(value, folder, &mut faults) {
                let line = text[..key.span().start].matches('\n').count() + 1;
                self.assigned.push(Assignment {
                    setting,
                    words,
                    line,
                });
            }
        }
        faults.sort();
        let name = file.display().to_string();
        let place = |(at, fault)| RuleError::at(&name, text, at, fault).to_string();
        self.faults = faults.into_iter().map(place).collect();
    }

    /// Returns the file's name; empty if there is none.
    pub(super) fn name(&self) -> String {
        let file = self.file.as_deref();
        file.map(|f| f.display().to_string()).unwrap_or_default()
    }

    /// Returns what is wrong, in one line.
    pub(super) fn fault(&self) -> Option<String> {
        let first = self.faults.first()?;
        Some(match self.faults.len() - 1 {
            0 => first.clone(),
            more => format!("{first} (and {more} more: pickfix --show-config)"),
        })
    }
}

/// Says that there is no such key, and what was probably meant: a slip, or a key of a newer version.
fn unknown(key: &str) -> String {
    let names = SETTINGS.each_ref().map(|setting| setting.name);
    match nearest(key, names) {
        Some(meant) => format!("unknown key \"{key}\", did you mean \"{meant}\"?"),
        None => format!(
            "unknown key \"{key}\"; this is pickfix {}, whose keys are: {}",
            env!("CARGO_PKG_VERSION"),
            names.join(", ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Puts files into a folder of the test's own, and returns the folder.
    fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root =
            std::env::temp_dir().join(format!("pickfix-config-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        }
        root
    }

    /// Returns the faults of a file, and the names of the settings in it that hold.
    fn read(name: &str, text: &str) -> (Vec<String>, Vec<&'static str>) {
        let root = folder(name, &[(OWN, text), ("tools/x", "")]);
        let config = find(&root);
        let _ = fs::remove_dir_all(&root);
        let last = |fault: &String| fault.replace(&format!("{}/", root.display()), "");
        (
            config.faults.iter().map(last).collect(),
            config
                .assigned
                .iter()
                .map(|assigned| assigned.setting.name)
                .collect(),
        )
    }

    fn fault(name: &str, text: &str) -> String {
        let (faults, _) = read(name, text);
        assert_eq!(faults.len(), 1, "{faults:?}");
        faults.concat()
    }

    #[test]
    fn the_nearest_file_counts() {
        let files = [
            ("pickfix.toml", "width = 30\n"),
            ("a/pyproject.toml", "[project]\nname = \"pickfix-user\"\n"),
            (
                "a/b/pyproject.toml",
                "[tool.x]\n\n[tool.pickfix]\nselect = \"pickle/*\"\n",
            ),
            ("a/b/c/x", ""),
        ];
        let root = folder("nearest", &files);
        let said = |config: &Config| {
            let words = |s: &Assignment| (s.setting.name, s.words.clone(), s.line);
            config.assigned.iter().map(words).collect::<Vec<_>>()
        };
        let config = find(&root.join("a/b/c"));
        assert_eq!(config.file, Some(root.join("a/b/pyproject.toml")));
        assert_eq!(said(&config), [("select", vec!["pickle/*".into()], 4)]);
        let config = find(&root.join("a"));
        assert_eq!(said(&config), [("width", vec!["30".into()], 1)]);
        let _ = fs::remove_dir_all(&root);
    }

    #[test]
    fn a_fault_is_named_with_its_line_and_the_way_out() {
        assert_eq!(
            fault("typo", "width = 80\nexit_code = true\n"),
            "pickfix.toml:2:1: unknown key \"exit_code\", did you mean \"exit-code\"?"
        );
        assert_eq!(
            fault("value", "color = \"sometimes\"\n"),
            "pickfix.toml:1:9: color: unknown value \"sometimes\", expected one of: auto, always, never"
        );
        assert_eq!(
            fault("narrow", "width = 3\n"),
            "pickfix.toml:1:9: width: 3 is not in 20..=65535"
        );
        assert_eq!(
            fault("list", "select = 3\n"),
            "pickfix.toml:1:10: select: expected a text in quotes or a list of them"
        );
        assert_eq!(
            fault("kind", "ascii = 'yes'\n"),
            "pickfix.toml:1:9: ascii: expected true or false"
        );
        assert!(fault("newer", "probe = true\n").contains("this is pickfix 0."));
    }

    #[test]
    fn the_rest_of_a_faulty_file_counts() {
        let (faults, held) = read(
            "rest",
            "colour = 1\nrules = [\"nowhere\", \"tools\"]\nwidth = 3\nascii = true\n",
        );
        assert_eq!(faults.len(), 3);
        assert!(
            faults[1].starts_with("pickfix.toml:2:9: there is no folder"),
            "{faults:?}"
        );
        assert_eq!(held, ["ascii", "rules"]);
        for broken in [
            "width = = 3",
            "width = 3x",
            "width = [3",
            "width = \"",
            "[width",
            "width",
        ] {
            let (faults, held) = read(
                "broken",
                &format!("ascii = true\n{broken}\nexit-code = true\n"),
            );
            assert_eq!(
                (faults.len(), held),
                (1, vec!["ascii"]),
                "{broken}: {faults:?}"
            );
            // An open bracket is missed in the line below.
            let line = if broken == "width = [3" { 3 } else { 2 };
            assert!(
                faults[0].starts_with(&format!("pickfix.toml:{line}:")),
                "{faults:?}"
            );
        }
    }

    #[test]
    fn a_report_lies_below_the_file_that_names_it() {
        for path in ["/tmp/x", "../x", "a/../../x"] {
            assert!(
                fault("report", &format!("report = \"{path}\"\n"))
                    .contains("pickfix.toml:1:10: a report")
            );
        }
    }

    #[test]
    fn another_tools_fault_is_none_of_ours() {
        for text in ["[tool.x\n", "name = 'pickfix-user'\n[tool.x\n"] {
            let root = folder("other", &[("a/pyproject.toml", text), (OWN, "")]);
            let config = find(&root.join("a"));
            assert_eq!((config.file, config.faults), (Some(root.join(OWN)), vec![]));
            let _ = fs::remove_dir_all(&root);
        }
    }
}
