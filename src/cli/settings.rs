//! The settings: options that a file of the project may set too, one entry of a table each.
//!
//! What a file says becomes words of the command line, unless the same was typed. So clap checks
//! both, and they are resolved in one place.

use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Component, Path};

use clap::ArgMatches;
use clap::parser::ValueSource;
use toml::Spanned;
use toml::de::DeValue;

use super::args;
use super::config::Config;
use super::environment::Environment;
use super::resolve::{ascii, own_rules, width};
use crate::corpus::Fault;
use crate::visible::{toml_string, visible};

/// A setting.
#[derive(Debug)]
pub(super) struct Setting {
    /// Its key in a file; its option has `--` before it.
    pub(super) name: &'static str,
    kind: ValueKind,
    /// Whether it is the filter's and `run`'s alone, though other commands have an option of this name.
    is_filters: bool,
    /// What `--show-config` says of a value that is written nowhere.
    default: &'static str,
    /// Where the surroundings decide on the default.
    found: Option<FindDefault>,
}

/// Returns a default as TOML, and what it comes from.
type FindDefault = fn(&Environment) -> (String, &'static str);

/// What a file may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Flag,
    Number,
    Word,
    /// A text or a list of them.
    Words,
    /// Folders, which must be there.
    Folders,
    /// A file to write to, below the folder of the settings.
    Report,
}

/// All settings, in the order of `--show-config`. To add one, give it an option of this name too.
pub(super) const SETTINGS: [Setting; 14] = [
    setting("select", ValueKind::Words, "default: all"),
    setting("ignore", ValueKind::Words, "default: none"),
    setting("rules", ValueKind::Folders, "default: none"),
    setting(
        "source-root",
        ValueKind::Words,
        "default: the current folder",
    ),
    setting("no-source", ValueKind::Flag, "default"),
    setting("no-state", ValueKind::Flag, "default"),
    setting("annotate", ValueKind::Word, "default"),
    setting("annotation", ValueKind::Word, "default"),
    setting("fold", ValueKind::Flag, "default"),
    setting("exit-code", ValueKind::Flag, "default"),
    Setting {
        is_filters: true,
        ..setting("report", ValueKind::Report, "default: none")
    },
    setting("color", ValueKind::Word, "default"),
    Setting {
        found: Some(|around| (ascii(None, around).to_string(), "the locale")),
        ..setting("ascii", ValueKind::Flag, "")
    },
    Setting {
        found: Some(|around| {
            let is_known = around.columns.is_some();
            let origin = if is_known { "the terminal" } else { "default" };
            (width(None, around).to_string(), origin)
        }),
        ..setting("width", ValueKind::Number, "")
    },
];

const fn setting(name: &'static str, kind: ValueKind, default: &'static str) -> Setting {
    Setting {
        name,
        kind,
        is_filters: false,
        default,
        found: None,
    }
}

impl Setting {
    /// Reads a value of a file as words of the command line; paths are taken from `folder`.
    pub(super) fn read(
        &self,
        value: &Spanned<DeValue>,
        folder: &Path,
        faults: &mut Vec<Fault>,
    ) -> Option<Vec<OsString>> {
        let at = value.span().start;
        let Some(texts) = texts(self.kind, value.get_ref()) else {
            let expected = self.kind.expected();
            faults.push((at, format!("{}: expected {expected}", self.name)));
            return None;
        };
        let mut words = Vec::new();
        for text in texts {
            match self.kind.word(&text, folder) {
                Ok(word) => words.push(word),
                Err(fault) => faults.push((at, fault)),
            }
        }
        if let Err(fault) = args::accepts(self.name, &words) {
            faults.push((at, format!("{}: {fault}", self.name)));
            return None;
        }
        Some(words)
    }
}

/// Returns the texts of a value, unless it is of another kind.
fn texts(kind: ValueKind, value: &DeValue) -> Option<Vec<String>> {
    let one = match (kind, value) {
        (ValueKind::Flag, DeValue::Boolean(flag)) => flag.to_string(),
        (ValueKind::Number, DeValue::Integer(number)) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            number.ok()?.to_string()
        }
        (ValueKind::Flag | ValueKind::Number, _) => return None,
        (_, DeValue::String(text)) => text.to_string(),
        (ValueKind::Words | ValueKind::Folders, DeValue::Array(all)) => {
            let texts = all.iter().map(|text| text.get_ref().as_str());
            return texts.map(|text| text.map(str::to_owned)).collect();
        }
        _ => return None,
    };
    Some(vec![one])
}

impl ValueKind {
    fn expected(self) -> &'static str {
        match self {
            Self::Flag => "true or false",
            Self::Number => "a number",
            Self::Word | Self::Report => "a text in quotes",
            Self::Words | Self::Folders => "a text in quotes or a list of them",
        }
    }

    /// Returns a text as it would be typed, or what is wrong with it.
    fn word(self, text: &str, folder: &Path) -> Result<OsString, String> {
        match self {
            Self::Folders if !folder.join(text).is_dir() => {
                Err(format!("there is no folder \"{text}\" here"))
            }
            // A file that came with someone's project must not name files elsewhere to write to.
            Self::Report if !is_below(Path::new(text)) => Err(
                "a report named here is in this folder or below it; for another place write --report FILE"
                    .to_owned(),
            ),
            Self::Folders | Self::Report => Ok(folder.join(text).into_os_string()),
            _ => Ok(text.into()),
        }
    }

    /// Writes values in TOML.
    fn toml<'a>(self, values: impl Iterator<Item = &'a OsStr>) -> String {
        let plain = |value: &'a OsStr| value.to_string_lossy().into_owned();
        match self {
            Self::Flag | Self::Number => values.map(plain).collect(),
            // Nothing, where none is set.
            Self::Word | Self::Report => values.map(plain).map(|text| toml_string(&text)).collect(),
            Self::Words | Self::Folders => {
                let texts: Vec<String> = values.map(plain).map(|text| toml_string(&text)).collect();
                format!("[{}]", texts.join(", "))
            }
        }
    }
}

/// Returns whether a path stays below the folder that it is taken from.
fn is_below(path: &Path) -> bool {
    path.components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Where the settings in effect are written, for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origins {
    /// The file.
    file: String,
    /// The settings that come from the file, with their lines.
    lines: Vec<(&'static str, usize)>,
    /// Whether a fault in the file is one of the command line.
    is_strict: bool,
}

impl Origins {
    /// Returns `--select`, or `pickfix.toml:3: select`.
    fn of(&self, name: &str) -> String {
        match self.line(name) {
            Some(line) => format!("{}:{line}: {name}", self.file),
            None => format!("--{name}"),
        }
    }

    /// Returns the line of the file that sets this; `None` if it does not or is overruled.
    fn line(&self, name: &str) -> Option<usize> {
        let found = self.lines.iter().find(|(of, _)| *of == name);
        found.map(|(_, line)| *line)
    }

    /// Reports a wrong value: as a warning if it stands in the file, else as the error.
    pub(super) fn tolerate(&self, name: &str, fault: &str) -> Result<(), String> {
        let message = format!("{}: {fault}", self.of(name));
        if self.line(name).is_none() || self.is_strict {
            return Err(message);
        }
        super::warn(&message);
        Ok(())
    }
}

/// Puts the settings of a file before what was typed, except those that were typed too; `None` where
/// there are none to put.
pub(super) fn with_file(
    mut words: Vec<OsString>,
    typed: &ArgMatches,
    config: &Config,
    is_strict: bool,
) -> (Option<Vec<OsString>>, Origins) {
    let mut origins = Origins {
        file: config.name(),
        lines: Vec::new(),
        is_strict,
    };
    if config.assigned.is_empty() {
        return (None, origins);
    }
    let command = args::command_of(typed);
    let mut added = Vec::new();
    for assigned in &config.assigned {
        let Setting {
            name, is_filters, ..
        } = assigned.setting;
        let has_option = command.options.contains(*name) && (!*is_filters || command.is_filter);
        if has_option && !is_typed(command.matches, name) {
            origins.lines.push((name, assigned.line));
            added.extend(assigned.words.iter().map(|word| option(name, word)));
        }
    }
    let place = (1 + command.depth).min(words.len());
    words.splice(place..place, added);
    (Some(words), origins)
}

/// Returns whether the command that was typed has any setting.
pub(super) fn has_any(typed: &ArgMatches) -> bool {
    let options = args::command_of(typed).options;
    SETTINGS
        .iter()
        .any(|setting| options.contains(setting.name))
}

/// Returns `--name=word`.
pub(super) fn option(name: &str, word: &OsStr) -> OsString {
    let mut option = OsString::from(format!("--{name}="));
    option.push(word);
    option
}

fn is_typed(matches: &ArgMatches, name: &str) -> bool {
    matches.value_source(&id(name)) == Some(ValueSource::CommandLine)
}

/// Returns clap's id of an option: the field's name.
fn id(name: &str) -> String {
    name.replace('-', "_")
}

/// Writes the settings in effect as they could stand in `pickfix.toml`, their origins as comments.
pub(super) fn show(
    matches: &ArgMatches,
    origins: &Origins,
    config: &Config,
    environment: &Environment,
) -> String {
    let mut text = match config.name().as_str() {
        "" => "# no pickfix.toml and no [tool.pickfix] in a pyproject.toml from here upwards\n"
            .to_owned(),
        file => format!("# {}\n", visible(file)),
    };
    for fault in &config.faults {
        let _ = writeln!(text, "# skipped: {}", visible(fault));
    }
    let file = config.file.as_deref().and_then(Path::file_name);
    let file = file.unwrap_or_default().to_string_lossy();
    let row = |setting: &Setting| {
        let name = setting.name;
        let values = matches.get_raw(&id(name)).into_iter().flatten();
        let mut value = setting.kind.toml(values);
        let origin = match (origins.line(name), setting.found) {
            (Some(line), _) => format!("{file}:{line}"),
            (None, _) if is_typed(matches, name) => "command line".to_owned(),
            (None, None) => setting.default.to_owned(),
            (None, Some(found)) => {
                let (found, origin) = found(environment);
                value = found;
                origin.to_owned()
            }
        };
        // TOML has no word for what is not set.
        let line = match value.as_str() {
            "" => format!("# {name}"),
            value => format!("{name} = {value}"),
        };
        (line, origin)
    };
    let rows = SETTINGS.each_ref().map(row);
    let width = rows.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    for (line, origin) in rows {
        let _ = writeln!(text, "{line:<width$}  # {origin}");
    }
    if let Some(folder) = own_rules(environment) {
        let _ = writeln!(
            text,
            "# rules of your own, always used: {}",
            visible(&folder.to_string_lossy())
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_setting_is_an_option_of_the_filter() {
        let matches = args::parse(vec!["pickfix".into()]).unwrap().1;
        let command = args::command_of(&matches);
        for setting in &SETTINGS {
            assert!(command.options.contains(setting.name), "{}", setting.name);
        }
    }
}
