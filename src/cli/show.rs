//! `--show-config`: the settings that hold, each with where it comes from.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::args::{Annotate, Args, Color, OwnRules};
use super::config::{Config, Stated};
use super::environment::Environment;
use super::settings;

/// A setting: its name, its value as TOML, where that comes from.
struct Row {
    name: &'static str,
    value: String,
    origin: String,
}

/// Writes the settings as they could stand in `pickfix.toml`, with their origins as comments.
pub(super) fn settings(args: &Args, config: &Config, environment: &Environment) -> String {
    let mut text = match &config.file {
        Some(file) => format!("# {}\n", file.display()),
        None => "# no pickfix.toml and no [tool.pickfix] in a pyproject.toml from here upwards\n"
            .to_owned(),
    };
    let mut rows = what(args, config);
    rows.extend(look(args, config, environment));
    let lines: Vec<(String, String)> = rows.into_iter().map(Row::line).collect();
    let width = lines.iter().map(|(line, _)| line.len()).max().unwrap_or(0);
    for (line, origin) in lines {
        let _ = writeln!(text, "{line:<width$}  # {origin}");
    }
    for folder in settings::rules(OwnRules::default(), &Config::default(), environment) {
        let _ = writeln!(
            text,
            "# rules of your own, always used: {}",
            folder.display()
        );
    }
    text
}

/// Gives what to look for, and what to do with it.
fn what(args: &Args, config: &Config) -> Vec<Row> {
    let setting = Setting { config };
    let typed = |items: &[String]| (!items.is_empty()).then(|| list(items));
    let rules = (!args.choice.own.rules.is_empty()).then(|| paths(&args.choice.own.rules));
    let select = stated(config.select.as_ref(), |ids| list(ids));
    let ignore = stated(config.ignore.as_ref(), |ids| list(ids));
    let own = stated(config.rules.as_ref(), |folders| paths(folders));
    let annotated = stated(config.annotate.as_ref(), |when| annotate(*when));
    let exit_code = stated(config.exit_code.as_ref(), bool::to_string);
    let report = stated(config.report.as_ref(), |report| path(report));
    vec![
        setting.row(
            "select",
            typed(&args.choice.select),
            select,
            ("[]", "default: all"),
        ),
        setting.row(
            "ignore",
            typed(&args.choice.ignore),
            ignore,
            ("[]", "default: none"),
        ),
        setting.row("rules", rules, own, ("[]", "default: none")),
        setting.row(
            "annotate",
            args.annotate.map(annotate),
            annotated,
            ("\"auto\"", "default"),
        ),
        setting.row(
            "exit-code",
            flag(args.exit_code),
            exit_code,
            ("false", "default"),
        ),
        setting.row(
            "report",
            args.report.as_deref().map(path),
            report,
            ("", "default: none"),
        ),
    ]
}

/// Gives how pickfix's own text looks.
fn look(args: &Args, config: &Config, environment: &Environment) -> Vec<Row> {
    let setting = Setting { config };
    let meant = settings::look(&args.look, config, environment);
    let (ascii, width) = (meant.ascii.to_string(), meant.width.to_string());
    let from = if environment.columns.is_some() {
        "the terminal"
    } else {
        "default"
    };
    let colour = stated(config.color.as_ref(), |when| color(*when));
    let stated_ascii = stated(config.ascii.as_ref(), bool::to_string);
    let stated_width = stated(config.width.as_ref(), u16::to_string);
    let typed_width = args.look.width.map(|width| width.to_string());
    vec![
        setting.row(
            "color",
            args.look.color.map(color),
            colour,
            ("\"auto\"", "default"),
        ),
        setting.row(
            "ascii",
            flag(args.look.ascii),
            stated_ascii,
            (&ascii, "the locale"),
        ),
        setting.row("width", typed_width, stated_width, (&width, from)),
    ]
}

/// Decides between the command line, the file and the default.
struct Setting<'a> {
    config: &'a Config,
}

impl Setting<'_> {
    fn row(
        &self,
        name: &'static str,
        typed: Option<String>,
        stated: Option<(String, usize)>,
        usual: (&str, &str),
    ) -> Row {
        let file = self
            .config
            .file
            .as_deref()
            .and_then(Path::file_name)
            .unwrap_or_default();
        let (value, origin) = match (typed, stated) {
            (Some(value), _) => (value, "command line".to_owned()),
            (None, Some((value, line))) => (value, format!("{}:{line}", file.display())),
            (None, None) => (usual.0.to_owned(), usual.1.to_owned()),
        };
        Row {
            name,
            value,
            origin,
        }
    }
}

impl Row {
    /// Gives the setting and its origin; TOML has no word for one that is not set.
    fn line(self) -> (String, String) {
        let Self {
            name,
            value,
            origin,
        } = self;
        let line = if value.is_empty() {
            format!("# {name}")
        } else {
            format!("{name} = {value}")
        };
        (line, origin)
    }
}

fn stated<T>(stated: Option<&Stated<T>>, write: impl Fn(&T) -> String) -> Option<(String, usize)> {
    stated.map(|stated| (write(&stated.value), stated.line))
}

fn flag(typed: bool) -> Option<String> {
    typed.then(|| "true".to_owned())
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
    format!("[{}]", items.join(", "))
}

fn paths(paths: &[PathBuf]) -> String {
    list(
        &paths
            .iter()
            .map(|path| path.display().to_string())
            .collect::<Vec<_>>(),
    )
}

fn path(path: &Path) -> String {
    quoted(&path.display().to_string())
}

fn color(color: Color) -> String {
    quoted(match color {
        Color::Auto => "auto",
        Color::Always => "always",
        Color::Never => "never",
    })
}

fn annotate(annotate: Annotate) -> String {
    quoted(match annotate {
        Annotate::Auto => "auto",
        Annotate::Never => "never",
    })
}

/// Writes a text in TOML; paths may hold backslashes.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
