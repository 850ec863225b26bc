//! What must be known of every rule before any is parsed.
//!
//! `build.rs` writes one [`RuleEntry`] for each built-in rule; a user's rules get theirs at start.

use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

use toml::Spanned;

use super::error::{Fault, RuleError};
use super::file::{Keys, RuleFile, read, read_match};
use super::lookup::ANY;
use super::portion::{Portion, Text};
use super::words::Words;
use crate::corpus::matching::template::Template;

/// Texts one behind the other, each after a character whose code is its length in bytes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Strings(pub(crate) Text);

impl Strings {
    /// Puts texts one behind the other.
    ///
    /// # Panics
    /// Where one has more than 55,000 bytes, which no line of a rule has.
    pub(crate) fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = String::new();
        for text in texts {
            let len = u32::try_from(text.len()).ok().and_then(char::from_u32);
            all.push(len.expect("a text of a rule is short"));
            all.push_str(text);
        }
        Self(Portion::own(all))
    }

    /// Returns the texts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        texts(&self.0)
    }

    /// Returns the texts, each with its place.
    pub(crate) fn places(&self) -> impl Iterator<Item = (usize, &str)> + Clone {
        let all = &*self.0;
        let mut rest = all;
        iter::from_fn(move || {
            let place = all.len() - rest.len();
            let text;
            (text, rest) = first_text(rest)?;
            Some((place, text))
        })
    }

    /// Returns the text at a place.
    pub(crate) fn at(&self, place: usize) -> &str {
        first_text(&self.0[place..]).map_or("", |(text, _)| text)
    }

    /// Returns whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Returns the texts of [`Strings`].
pub(crate) fn texts(all: &str) -> impl Iterator<Item = &str> {
    let mut rest = all;
    iter::from_fn(move || {
        let text;
        (text, rest) = first_text(rest)?;
        Some(text)
    })
}

/// Splits the first text off [`Strings`]; `None` if there is none.
pub(crate) fn first_text(all: &str) -> Option<(&str, &str)> {
    let mut rest = all.chars();
    let len = rest.next()? as usize;
    Some(rest.as_str().split_at(len))
}

/// One rule in the index.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RuleEntry {
    /// Its name: the file's.
    pub(crate) id: Text,
    /// Its family: the folder's.
    pub(crate) family: Text,
    /// Its file, for messages.
    pub(crate) file: Text,
    /// Names that it had before.
    pub(crate) formerly: Strings,
    /// Whether any other rule is preferred.
    pub(crate) fallback: bool,
    /// Ids and `family/*` that give way to it.
    pub(crate) beats: Strings,
    /// One for each `[[match]]`, in order.
    pub(crate) keys: Portion<[Key]>,
    /// What a search finds it by; that of a user's rule is taken out of it when somebody searches.
    pub(crate) words: Option<Words>,
    /// The file's text up to the first sample.
    pub(crate) head: Text,
    /// The rest of the file.
    pub(crate) samples: Text,
}

/// What a `[[match]]` can be looked up by.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// What it looks at.
    pub(crate) kind: Subject,
    /// The last dotted parts of the types that it wants; empty: any.
    pub(crate) exceptions: Strings,
    /// One of these must be in the text; empty: no condition.
    pub(crate) literals: Strings,
    /// One of these the traceback must show, for an exception's key: `file.py:function`, `file.py:`, `:function`
    /// of a frame, [`HEADING`]; empty: no condition.
    pub(crate) marks: Strings,
    /// The outlines of the message templates of one line: each is the [`Strings`] of its literals.
    pub(crate) outlines: Strings,
    /// Whether a message template has several lines.
    pub(crate) several_lines: bool,
    /// Where its table stands in the file, in bytes.
    pub(crate) table: (usize, usize),
}

impl Key {
    /// Returns whether it wants exceptions of this type, by its last dotted part.
    pub(crate) fn names(&self, exception: &str) -> bool {
        self.exceptions.iter().any(|own| own == exception)
    }

    /// Returns the same; one that wants exceptions of any type wants this one, too.
    pub(crate) fn may_name(&self, exception: &str) -> bool {
        self.exceptions.is_empty() || self.names(exception)
    }

    /// Returns the types that it wants, or [`ANY`].
    pub(crate) fn names_or_any(&self) -> impl Iterator<Item = &str> {
        let any = self.exceptions.is_empty().then_some(ANY);
        self.exceptions.iter().chain(any)
    }
}

/// The mark of a heading; no frame has it.
pub(crate) const HEADING: &str = "heading";

/// A literal of fewer bytes is no condition.
pub(crate) const MIN_LITERAL: usize = 4;

/// What a `[[match]]` looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// An exception.
    Exception,
    /// A line outside tracebacks.
    LogLine,
    /// The threads of a dump.
    Threads,
}

impl Subject {
    fn of(keys: &Keys) -> Self {
        if keys.get("log_line").is_some() {
            Self::LogLine
        } else if keys.get("thread").is_none() {
            Self::Exception
        } else {
            Self::Threads
        }
    }
}

impl RuleEntry {
    /// Makes the entry of a rule file; returns what was read with it.
    pub(crate) fn read(
        id: &str,
        family: &str,
        file: &str,
        text: &str,
    ) -> Result<(Self, RuleFile), RuleError> {
        let rule = read(file, text)?;
        let head = head(file, text, &rule)?;
        let key = |found| key(found, &text[..head]);
        let keys: Result<Vec<_>, Fault> = rule.matches.iter().map(key).collect();
        let keys = keys.map_err(|(offset, message)| RuleError::at(file, text, offset, message))?;
        let entry = Self {
            id: Portion::own(id),
            family: Portion::own(family),
            file: Portion::own(file),
            formerly: Strings::of(rule.formerly.iter()),
            fallback: rule.fallback,
            beats: Strings::of(rule.beats.iter()),
            keys: Portion::own(keys),
            words: None,
            head: Portion::own(&text[..head]),
            samples: Portion::own(&text[head..]),
        };
        Ok((entry, rule))
    }

    /// Returns whether another rule gives way to this one when both match a traceback.
    pub(crate) fn beats(&self, other: &Self) -> bool {
        let mut beats = self.beats.iter();
        self.id != other.id && beats.any(|s| selects(s, &other.id, &other.family))
    }

    /// Returns the text of one `[[match]]`.
    pub(crate) fn table(&self, k: usize) -> &str {
        let (start, end) = self.keys[k].table;
        &self.head[start..end]
    }

    /// Returns the head without its `[[match]]`es: what a rule says once one of them holds.
    pub(crate) fn advice(&self) -> String {
        let mut advice = String::with_capacity(self.head.len());
        let mut from = 0;
        for (start, end) in self.keys.iter().map(|key| key.table) {
            advice += &self.head[from..start];
            from = end;
        }
        advice + &self.head[from..]
    }

    /// Returns the whole file.
    pub(crate) fn text(&self) -> String {
        [&*self.head, &*self.samples].concat()
    }
}

/// Returns the rule files of a folder and of the folders in it, in order of their names.
pub(crate) fn rule_files(folder: &Path) -> Vec<PathBuf> {
    let paths = |f: &Path| {
        fs::read_dir(f)
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.path())
            .collect::<Vec<_>>()
    };
    let mut files = Vec::new();
    for path in paths(folder) {
        // What objects hold is no rule; `source` reads it.
        if path.file_name().is_some_and(|n| n == "objects") {
            continue;
        }
        if path.is_dir() {
            files.extend(paths(&path));
        } else {
            files.push(path);
        }
    }
    files.retain(|p| p.extension().is_some_and(|e| e == "toml") && !p.is_dir());
    files.sort();
    files
}

/// Makes the key of one `[[match]]` in the text of a file; an error comes with its offset.
fn key(found: &Spanned<Keys>, file: &str) -> Result<Key, Fault> {
    let keys = found.get_ref();
    let kind = Subject::of(keys);
    let mut literals = Vec::new();
    let mut outlines = Vec::new();
    let mut several_lines = false;
    for (offset, text) in keys.texts("log_line").chain(keys.texts("message")) {
        let template = Template::parse(text).map_err(|message| (offset, message))?;
        several_lines |= template.lines.len() > 1;
        literals.push(template.longest_literal().to_string());
        if kind != Subject::LogLine {
            outlines.extend(template.outline().map(Strings::of));
        }
    }
    if literals.iter().any(|literal| literal.len() < MIN_LITERAL) {
        literals.clear();
    }
    literals.sort();
    literals.dedup();
    let of_exception = (kind == Subject::Exception).then(|| marks(keys));
    let marks = of_exception.unwrap_or_default();
    let mut exceptions: Vec<&str> = keys
        .texts("exception")
        .map(|(_, name)| short_type(name))
        .collect();
    exceptions.sort_unstable();
    exceptions.dedup();
    Ok(Key {
        kind,
        exceptions: Strings::of(exceptions),
        literals: Strings::of(literals.iter().map(String::as_str)),
        marks: Strings::of(marks.iter().map(String::as_str)),
        outlines: Strings::of(outlines.iter().map(|outline| &*outline.0)),
        several_lines,
        table: table(found, file)?,
    })
}

/// Returns the marks of one of the keys, one of which a traceback must show; any file of a folder has none.
fn marks(keys: &Keys) -> Vec<String> {
    let mark = |path, function| {
        let names = frame_names(path, function);
        names.map(|(file, function)| format!("{file}:{function}"))
    };
    let of_frames = |name| {
        let places = keys.texts(name).map(|(_, place)| place);
        let places = places.map(|place| place.rsplit_once(':').unwrap_or((place, "")));
        let marks = places.map(|(path, function)| mark(path, function));
        marks.collect::<Option<Vec<_>>>().unwrap_or_default()
    };
    let of_functions = |name| {
        let names = keys.texts(name).map(|(_, name)| name);
        names.filter_map(|name| mark("", name)).collect()
    };
    let heading = keys.get("heading").map(|_| HEADING.to_owned());
    let all: [Vec<String>; 5] = [
        of_frames("last_frame"),
        of_frames("frame"),
        of_functions("last_function"),
        of_functions("function"),
        heading.into_iter().collect(),
    ];
    let mut all = all.into_iter();
    all.find(|marks| !marks.is_empty()).unwrap_or_default()
}

/// Returns what tells a frame of this path and function, either of which may be empty: the file's name and the
/// last part of the function's; `None` for one of a folder.
pub(crate) fn frame_names<'t>(path: &'t str, function: &'t str) -> Option<(&'t str, &'t str)> {
    let names = (
        path.rsplit(['/', '\\']).next().unwrap_or(path),
        last_part(function),
    );
    (names != ("", "")).then_some(names)
}

/// Finds the table of one `[[match]]`, the tables in it with it.
fn table(found: &Spanned<Keys>, file: &str) -> Result<(usize, usize), Fault> {
    let start = found.span().start;
    let last = found.get_ref().end().unwrap_or(start);
    let end = file[last..]
        .find('\n')
        .map_or(file.len(), |at| last + at + 1);
    let apart = || read_match(&file[start..end]).as_ref() != Some(found.get_ref());
    if file[start + 1..end].contains("\n[") && apart() {
        let message = "the tables of this [[match]] do not stand together; move them below it";
        return Err((start, message.to_owned()));
    }
    Ok((start, end))
}

/// Finds where the samples start, and that nothing but samples comes after.
fn head(file: &str, text: &str, rule: &RuleFile) -> Result<usize, RuleError> {
    let samples = rule
        .example
        .iter()
        .map(toml::Spanned::span)
        .chain(rule.non_example.iter().map(toml::Spanned::span));
    let Some(first) = samples.map(|s| s.start).min() else {
        return Ok(text.len());
    };
    let first = text[..first].rfind('\n').map_or(0, |i| i + 1);
    let matches = rule.matches.iter().map(Spanned::span);
    let words = rule.title_when.iter().chain(&rule.cause_when);
    let words = words.map(|words| words.text.span());
    let fixes = rule.fix.iter().map(Spanned::span);
    if matches.chain(words).chain(fixes).all(|s| s.start < first) {
        Ok(first)
    } else {
        let message = "a [[match]], [[title_when]], [[cause_when]] or [[fix]] stands below an example; move the examples to the end";
        Err(RuleError::at(file, text, first, message))
    }
}

/// Returns the last dotted part of a type's name: `RayTaskError` of `ray.exceptions.RayTaskError(os.error)`.
pub(crate) fn short_type(name: &str) -> &str {
    last_part(name.split('(').next().unwrap_or(name).trim())
}

/// Returns the last dotted part of a name.
pub(crate) fn last_part(name: &str) -> &str {
    // Names are short: to look at each byte takes less than to prepare a search.
    let dot = name.bytes().rposition(|b| b == b'.');
    dot.map_or(name, |at| &name[at + 1..])
}

/// Returns whether a selector (`unpicklable-lock`, `pickle/*`) names a rule.
pub(crate) fn selects(selector: &str, id: &str, family: &str) -> bool {
    selector == id || selector.strip_suffix("/*").is_some_and(|f| f == family)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = "title = 't'\ncause = 'c'\nformerly = 'old'\n\
        [[match]]\nexception = ['a.B', 'C']\nmessage = ['x {n} long', '{n} end']\n\
        [[match]]\nlog_line = 'terminate called'\n\
        [[fix]]\ntext = 'f'\n";
    const SAMPLES: &str = "[[example]]\nname = 'n'\ninput = 'i'\n";

    #[test]
    fn an_entry_holds_types_and_longest_literals() {
        let (entry, _) = RuleEntry::read("an-id", "fam", "a.toml", RULE).unwrap();
        assert_eq!(entry.keys[0].exceptions, Strings::of(["B", "C"]));
        assert_eq!(entry.keys[0].literals, Strings::of([" end", " long"]));
        let outline = Strings::of(["x ", " long"]);
        assert_eq!(entry.keys[0].outlines, Strings::of([&*outline.0]));
        assert_eq!(entry.keys[1].kind, Subject::LogLine);
        assert_eq!(entry.formerly, Strings::of(["old"]));
        assert_eq!(&*entry.head, RULE);
    }

    #[test]
    fn a_key_without_a_literal_holds_what_a_traceback_must_show() {
        let marks = |keys: &str| {
            let rule = format!("title = 't'\ncause = 'c'\n[[match]]\n{keys}\n");
            let (entry, _) = RuleEntry::read("an-id", "fam", "a.toml", &rule).unwrap();
            let marks = entry.keys[0].marks.iter().map(str::to_owned);
            marks.collect::<Vec<_>>()
        };
        let frames = "frame = ['a/b.py:C.f', 'b.py', ':g']\nfunction = 'h'";
        assert_eq!(marks(frames), ["b.py:f", "b.py:", ":g"]);
        assert_eq!(marks("function = 'C.h'\nheading = 'x'"), [":h"]);
        assert_eq!(marks("frame = ['b.py', 'a/']\nfunction = 'h'"), [":h"]);
        assert_eq!(marks("frame = 'a/:f'"), [":f"]);
        assert_eq!(marks("heading = ['x', 'y']"), [HEADING]);
        assert_eq!(marks("frame = 'b.py'\nmessage = 'long enough'"), ["b.py:"]);
        assert_eq!(marks("unless.frame = 'b.py'\nvia = 'pool'").len(), 0);
    }

    #[test]
    fn a_text_is_found_by_its_place() {
        let long = "x".repeat(300);
        let lines = Strings::of(["one", "", &long, "three"]);
        for (at, text) in lines.places() {
            assert_eq!(lines.at(at), text);
        }
        assert_eq!(
            lines.iter().collect::<Vec<_>>(),
            ["one", "", &long, "three"]
        );
        assert!(Strings::of([]).is_empty() && Strings::default().iter().next().is_none());
    }

    #[test]
    fn the_head_ends_where_the_samples_start() {
        let (entry, _) =
            RuleEntry::read("an-id", "fam", "a.toml", &format!("{RULE}{SAMPLES}")).unwrap();
        assert_eq!(&*entry.head, RULE);
        assert_eq!(&*entry.samples, SAMPLES);
    }

    #[test]
    fn advice_is_the_head_without_its_matches() {
        let text = "title = 't'\ncause = 'c'\n\n[[match]]\nmessage = 'a'\n\n[[match]]\nmessage = 'b'\n\n[[fix]]\ntext = 'f'\n\n";
        let (entry, _) =
            RuleEntry::read("an-id", "fam", "a.toml", &format!("{text}{SAMPLES}")).unwrap();
        assert_eq!(
            entry.advice(),
            "title = 't'\ncause = 'c'\n\n\n\n[[fix]]\ntext = 'f'\n\n"
        );
    }

    #[test]
    fn a_fix_below_an_example_is_an_error() {
        let text = format!("{RULE}{SAMPLES}[[fix]]\ntext = 'g'\n");
        let error = RuleEntry::read("an-id", "fam", "a.toml", &text).unwrap_err();
        assert!(
            error.message.contains("move the examples to the end"),
            "{error}"
        );
        assert_eq!(error.line, 11);
    }

    #[test]
    fn a_template_with_a_lone_brace_is_an_error_with_its_line() {
        let error = RuleEntry::read(
            "an-id",
            "fam",
            "a.toml",
            "title='t'\ncause='c'\n[[match]]\nmessage = 'a { b'\n",
        )
        .unwrap_err();
        assert_eq!((error.line, error.column), (4, 11));
    }

    #[test]
    fn a_type_in_parentheses_is_no_part_of_the_name() {
        assert_eq!(
            short_type("ray.exceptions.RayTaskError(pickle.PicklingError)"),
            "RayTaskError"
        );
        assert_eq!(short_type("TypeError"), "TypeError");
    }
}
