//! The settings of a project: `pickfix.toml`, or `[tool.pickfix]` in `pyproject.toml`.
//!
//! The nearest of them counts, from the current folder upwards. Its keys are the names of the
//! options, and the command line wins over it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::args::{Annotate, Color};
use crate::corpus::{RuleError, words_of_toml};

/// The file that holds nothing else.
const OWN: &str = "pickfix.toml";
/// The file in which the settings are a table.
const PYPROJECT: &str = "pyproject.toml";
/// The narrowest width, as on the command line.
const NARROWEST: u16 = 20;

/// What a file says, and where.
#[derive(Clone, Debug, Default)]
pub(super) struct Config {
    /// The file, absolute or as the current folder is named; `None`: there is none.
    pub(super) file: Option<PathBuf>,
    pub(super) color: Option<Stated<Color>>,
    pub(super) ascii: Option<Stated<bool>>,
    pub(super) width: Option<Stated<u16>>,
    pub(super) rules: Option<Stated<Vec<PathBuf>>>,
    pub(super) select: Option<Stated<Vec<String>>>,
    pub(super) ignore: Option<Stated<Vec<String>>>,
    pub(super) annotate: Option<Stated<Annotate>>,
    pub(super) report: Option<Stated<PathBuf>>,
    pub(super) exit_code: Option<Stated<bool>>,
}

/// A value with its line in the file, 1-based.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stated<T> {
    pub(super) value: T,
    pub(super) line: usize,
}

/// The keys.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Keys {
    color: Option<Spanned<ColorWord>>,
    ascii: Option<Spanned<bool>>,
    width: Option<Spanned<u16>>,
    rules: Option<Spanned<OneOrMany>>,
    select: Option<Spanned<OneOrMany>>,
    ignore: Option<Spanned<OneOrMany>>,
    annotate: Option<Spanned<AnnotateWord>>,
    report: Option<Spanned<String>>,
    exit_code: Option<Spanned<bool>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ColorWord {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AnnotateWord {
    Auto,
    Never,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a text in quotes or a list of them")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// `pyproject.toml`, as far as it matters.
#[derive(Debug, Deserialize)]
struct PyProject {
    tool: Option<Tool>,
}

#[derive(Debug, Deserialize)]
struct Tool {
    pickfix: Option<Keys>,
}

/// Reads the nearest file of settings from `folder` upwards; the message names what is wrong in it.
pub(super) fn find(folder: &Path) -> Result<Config, String> {
    for folder in folder.ancestors() {
        let own = folder.join(OWN);
        if let Some(text) = read(&own)? {
            let keys = toml::from_str(&text).map_err(|e| fault(&own, &text, &e))?;
            return resolve(own, &text, keys);
        }
        let pyproject = folder.join(PYPROJECT);
        // Another tool's fault in it is none of ours.
        if let Ok(Some(text)) = read(&pyproject)
            && text.contains("pickfix")
        {
            let found: PyProject =
                toml::from_str(&text).map_err(|e| fault(&pyproject, &text, &e))?;
            if let Some(keys) = found.tool.and_then(|tool| tool.pickfix) {
                return resolve(pyproject, &text, keys);
            }
        }
    }
    Ok(Config::default())
}

/// Reads a file, if it is there and a file.
fn read(path: &Path) -> Result<Option<String>, String> {
    if !path.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(path);
    text.map(Some)
        .map_err(|e| format!("{}: {}", path.display(), crate::input::plain(&e)))
}

fn fault(path: &Path, text: &str, error: &toml::de::Error) -> String {
    let offset = error.span().map_or(0, |span| span.start);
    RuleError::at(
        &path.display().to_string(),
        text,
        offset,
        words_of_toml(error.message()),
    )
    .to_string()
}

/// Checks what was read; paths are taken from the folder of the file.
fn resolve(file: PathBuf, text: &str, keys: Keys) -> Result<Config, String> {
    let Keys {
        color,
        ascii,
        width,
        rules,
        select,
        ignore,
        annotate,
        report,
        exit_code,
    } = keys;
    let name = file.display().to_string();
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    let wrong =
        |offset, message: &str| Err(RuleError::at(&name, text, offset, message).to_string());
    if let Some(width) = width.as_ref().filter(|w| *w.get_ref() < NARROWEST) {
        return wrong(width.span().start, "a width is 20 or more");
    }
    if let Some(report) = &report
        && !is_below(Path::new(report.get_ref()))
    {
        // A file that came with someone's project must not name files elsewhere to write to.
        return wrong(
            report.span().start,
            "a report named here lies in this folder or below it; for another place write --report FILE",
        );
    }
    if let Some(rules) = &rules {
        let missing = list(rules.get_ref())
            .into_iter()
            .find(|rules| !folder.join(rules).is_dir());
        if let Some(missing) = missing {
            return wrong(
                rules.span().start,
                &format!("there is no folder \"{missing}\" here"),
            );
        }
    }
    let color = stated(text, color, |word| match word {
        ColorWord::Auto => Color::Auto,
        ColorWord::Always => Color::Always,
        ColorWord::Never => Color::Never,
    });
    let annotate = stated(text, annotate, |word| match word {
        AnnotateWord::Auto => Annotate::Auto,
        AnnotateWord::Never => Annotate::Never,
    });
    Ok(Config {
        color,
        ascii: stated(text, ascii, |is| is),
        width: stated(text, width, |width| width),
        rules: stated(text, rules, |r| {
            list(&r).into_iter().map(|r| folder.join(r)).collect()
        }),
        select: stated(text, select, |ids| list(&ids)),
        ignore: stated(text, ignore, |ids| list(&ids)),
        annotate,
        report: stated(text, report, |report| folder.join(report)),
        exit_code: stated(text, exit_code, |is| is),
        file: Some(file),
    })
}

fn stated<A, B>(
    text: &str,
    key: Option<Spanned<A>>,
    value: impl FnOnce(A) -> B,
) -> Option<Stated<B>> {
    let key = key?;
    let line = text[..key.span().start].matches('\n').count() + 1;
    Some(Stated {
        value: value(key.into_inner()),
        line,
    })
}

fn list(texts: &OneOrMany) -> Vec<String> {
    match texts {
        OneOrMany::One(text) => vec![text.clone()],
        OneOrMany::Many(texts) => texts.clone(),
    }
}

/// Whether a path stays below the folder that it is taken from.
fn is_below(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts files into a folder of the test's own, and gives the folder.
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

    fn error(name: &str, text: &str) -> String {
        let root = folder(name, &[(OWN, text)]);
        let message = find(&root).expect_err("a fault");
        let _ = fs::remove_dir_all(&root);
        message.rsplit('/').next().unwrap_or_default().to_owned()
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
        let config = find(&root.join("a/b/c")).unwrap();
        assert_eq!(config.file, Some(root.join("a/b/pyproject.toml")));
        assert_eq!(
            config.select,
            Some(Stated {
                value: vec!["pickle/*".to_owned()],
                line: 4
            })
        );
        assert!(config.width.is_none());
        let config = find(&root.join("a")).unwrap();
        assert_eq!(config.width, Some(Stated { value: 30, line: 1 }));
        let _ = fs::remove_dir_all(&root);
    }

    #[test]
    fn a_fault_is_named_with_its_line_and_the_way_out() {
        assert_eq!(
            error("typo", "width = 80\nexit_code = true\n"),
            "pickfix.toml:2:1: unknown key \"exit_code\", did you mean \"exit-code\"?"
        );
        assert_eq!(
            error("value", "color = \"sometimes\"\n"),
            "pickfix.toml:1:9: unknown value \"sometimes\", expected one of: auto, always, never"
        );
        assert_eq!(
            error("narrow", "width = 3\n"),
            "pickfix.toml:1:9: a width is 20 or more"
        );
        assert!(
            error("rules", "\nrules = [\"nowhere\"]\n")
                .starts_with("pickfix.toml:2:9: there is no folder")
        );
        assert!(error("list", "select = 3\n").contains("a text in quotes or a list of them"));
    }

    #[test]
    fn a_report_lies_below_the_file_that_names_it() {
        for path in ["/tmp/x", "../x", "a/../../x"] {
            assert!(
                error("report", &format!("report = \"{path}\"\n"))
                    .contains("pickfix.toml:1:10: a report")
            );
        }
    }

    #[test]
    fn another_tools_fault_is_none_of_ours() {
        let root = folder("other", &[("pyproject.toml", "[tool.x\n")]);
        assert!(find(&root).unwrap().file.is_none());
        let _ = fs::remove_dir_all(&root);
    }
}
