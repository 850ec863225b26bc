//! `--show-config`: the settings that hold, each with where it comes from.

use std::fmt::Write;
use std::path::Path;

use super::args::{Annotate, Args, Color};
use super::config::{Config, Stated};
use super::environment::Environment;
use super::settings;

/// Writes the settings as they could stand in `pickfix.toml`, with their origins as comments.
pub(super) fn settings(args: &Args, config: &Config, environment: &Environment) -> String {
    let look = settings::look(&args.look, config, environment);
    let file = config.file.as_deref();
    let mut rows: Vec<(&str, String, String)> = Vec::new();
    let mut row =
        |name, typed: Option<String>, stated: Option<(String, usize)>, usual: (String, &str)| {
            let (value, origin) = match (typed, stated) {
                (Some(value), _) => (value, "command line".to_owned()),
                (None, Some((value, line))) => (value, origin(file, line)),
                (None, None) => (usual.0, usual.1.to_owned()),
            };
            rows.push((name, value, origin));
        };
    let list = |items: &[String]| {
        let items: Vec<String> = items.iter().map(|item| quoted(item)).collect();
        format!("[{}]", items.join(", "))
    };
    let paths = |paths: &[std::path::PathBuf]| {
        list(
            &paths
                .iter()
                .map(|p| p.display().to_string())
                .collect::<Vec<_>>(),
        )
    };
    let typed_list = |items: &[String]| (!items.is_empty()).then(|| list(items));
    let (select, ignore) = (&args.select, &args.ignore);
    row(
        "select",
        typed_list(select),
        stated(&config.select, |s| list(s)),
        (list(&[]), "default: all"),
    );
    row(
        "ignore",
        typed_list(ignore),
        stated(&config.ignore, |s| list(s)),
        (list(&[]), "default: none"),
    );
    let typed = (!args.own.rules.is_empty()).then(|| paths(&args.own.rules));
    row(
        "rules",
        typed,
        stated(&config.rules, |r| paths(r)),
        (list(&[]), "default: none"),
    );
    let typed = args.annotate.map(annotate);
    row(
        "annotate",
        typed,
        stated(&config.annotate, |a| annotate(*a)),
        (quoted("auto"), "default"),
    );
    let typed = args.look.color.map(color);
    row(
        "color",
        typed,
        stated(&config.color, |c| color(*c)),
        (quoted("auto"), "default"),
    );
    let typed = args.look.ascii.then(|| "true".to_owned());
    row(
        "ascii",
        typed,
        stated(&config.ascii, bool::to_string),
        (look.ascii.to_string(), "the locale"),
    );
    let from = if environment.columns.is_some() {
        "the terminal"
    } else {
        "default"
    };
    let typed = args.look.width.map(|width| width.to_string());
    row(
        "width",
        typed,
        stated(&config.width, u16::to_string),
        (look.width.to_string(), from),
    );
    let typed = args.exit_code.then(|| "true".to_owned());
    row(
        "exit-code",
        typed,
        stated(&config.exit_code, bool::to_string),
        ("false".to_owned(), "default"),
    );
    let path = |path: &Path| quoted(&path.display().to_string());
    let typed = args.report.as_deref().map(path);
    row(
        "report",
        typed,
        stated(&config.report, |r| path(r)),
        (quoted(""), "default: none"),
    );

    let mut text = match file {
        Some(file) => format!("# {}\n", file.display()),
        None => "# no pickfix.toml and no [tool.pickfix] in a pyproject.toml from here upwards\n"
            .to_owned(),
    };
    let width = rows
        .iter()
        .map(|(name, value, _)| name.len() + value.len())
        .max()
        .unwrap_or(0);
    for (name, value, origin) in rows {
        let is_unset = name == "report" && value == "\"\"";
        let line = if is_unset {
            format!("# {name}")
        } else {
            format!("{name} = {value}")
        };
        let _ = writeln!(text, "{line:<0$}  # {origin}", width + 3);
    }
    let own = settings::rules(
        super::args::OwnRules::default(),
        &Config::default(),
        environment,
    );
    for folder in own {
        let _ = writeln!(
            text,
            "# rules of your own, always used: {}",
            folder.display()
        );
    }
    text
}

fn stated<T>(stated: &Option<Stated<T>>, write: impl Fn(&T) -> String) -> Option<(String, usize)> {
    stated
        .as_ref()
        .map(|stated| (write(&stated.value), stated.line))
}

fn origin(file: Option<&Path>, line: usize) -> String {
    let name = file.and_then(Path::file_name).unwrap_or_default();
    format!("{}:{line}", name.display())
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
