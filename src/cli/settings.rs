//! What was meant: the words of the command line and the environment, resolved once.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::args::{self, Args, Format, OwnRules, Rules, RulesVerb, Verb};
use super::config::{Config, Stated};
use super::environment::Environment;
use super::show;
use crate::render::report::Form;

/// The widest an annotation gets by itself: longer lines are hard to read.
const WIDEST: u16 = 100;

/// The width where there is no terminal.
const NO_TERMINAL: u16 = 88;

/// The narrowest: no word would fit below it.
const NARROWEST: u16 = 20;

/// Words that are not read as the first FILE: commands will have these names.
const RESERVED: [&str; 4] = ["run", "init", "completions", "man"];

/// The commands that there are; they stand before any option.
const COMMANDS: [&str; 4] = ["check", "explain", "rules", "finder"];

/// The folder of rules in that of the user's settings.
const OWN_RULES: &str = "pickfix/rules";

/// What pickfix is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Copy and annotate.
    Filter(Filter),
    /// Read saved logs and report.
    Check(Box<Check>),
    /// Show this text: the settings.
    Show(String),
    /// Show a rule, or all.
    Explain(Explain),
    /// List all rules.
    List(Format, Selection),
    /// Test rules: the folders and ids to look at; none means all.
    Test(Vec<PathBuf>, Selection),
    /// Print the program that finds unpicklable parts.
    Finder,
    /// Print the beginning of a rule: its id, and the log to take it from.
    New(String, Option<PathBuf>),
}

/// What `explain` is to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explain {
    /// The id or message; none if it was not typed.
    pub what: Option<String>,
    /// How it is written.
    pub format: Format,
    /// How it looks.
    pub look: Look,
    /// Which rules there are.
    pub selection: Selection,
}

/// The settings of the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The FILE arguments in order, `-` for standard input; none means standard input.
    pub files: Vec<OsString>,
    /// Which rules count.
    pub selection: Selection,
    /// How an annotation looks.
    pub look: Look,
    /// Whether annotations are written.
    pub annotate: Annotate,
    /// Whether an error or warning that was annotated makes the exit status 1.
    pub exit_code: bool,
    /// The file that gets a line of JSON for each incident.
    pub report: Option<PathBuf>,
}

/// The settings of `check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Files, folders, `-` for standard input.
    pub paths: Vec<OsString>,
    /// Patterns of names, as typed.
    pub globs: Vec<String>,
    /// Which rules count.
    pub selection: Selection,
    /// Whether to go on with logs that grow.
    pub follow: bool,
    /// The form of the report.
    pub form: Form,
    /// Whether the JSON forms tell of failures that no rule knows.
    pub unknown: bool,
    /// How much is printed.
    pub print: Print,
    /// How pickfix's own text looks.
    pub look: Look,
    /// Where relative names start, if places in the report can be clicked at.
    pub links: Option<PathBuf>,
    /// Whether what was found makes the exit status 1.
    pub exit_zero: bool,
    /// The file that gets a line of JSON for each incident.
    pub report: Option<PathBuf>,
    /// How many threads read.
    pub threads: usize,
}

/// How much `check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Print {
    /// The report.
    Report,
    /// Its last line.
    Summary,
    /// Nothing.
    Nothing,
}

/// Which rules count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Folders with rules of the user's own.
    pub rules: Vec<PathBuf>,
    /// Ids and `family/*`; none means all.
    pub select: Vec<String>,
    /// Ids and `family/*` that are left out of those.
    pub ignore: Vec<String>,
    /// Where `rules`, `select` and `ignore` are written, for messages.
    pub origins: [String; 3],
}

/// How an annotation looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether it is coloured.
    pub color: bool,
    /// Whether it holds ASCII characters only.
    pub ascii: bool,
    /// The columns it is wrapped at; at least 20.
    pub width: usize,
}

/// Whether annotations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotate {
    /// Always: a person looks at the output.
    Always,
    /// Unless the stream consists of JSON lines: the output goes to a file or another program.
    UnlessJson,
    /// Never.
    Never,
}

/// Resolves what was typed, in these surroundings.
pub(super) fn resolve(
    args: Args,
    config: &Config,
    environment: &Environment,
) -> Result<Command, String> {
    let own = |own: OwnRules| Selection {
        rules: rules(own, config, environment),
        origins: origins(config),
        ..Selection::default()
    };
    match args.command {
        None => {}
        Some(Verb::Explain(args)) => {
            return Ok(Command::Explain(Explain {
                what: (!args.what.is_empty()).then(|| args.what.join(" ")),
                format: args.format,
                look: look(&args.look, config, environment),
                selection: own(args.own),
            }));
        }
        Some(Verb::Check(args)) => {
            return check(*args, config, environment).map(|check| Command::Check(Box::new(check)));
        }
        Some(Verb::Finder(_)) => return Ok(Command::Finder),
        Some(Verb::Rules(RulesVerb { verb, .. })) => {
            return Ok(match verb {
                Rules::List {
                    format, own: typed, ..
                } => Command::List(format, own(typed)),
                Rules::Test {
                    what, own: typed, ..
                } => Command::Test(what, own(typed)),
                Rules::New { id, from, .. } => Command::New(id, from),
            });
        }
    }
    if args.show_config {
        return Ok(Command::Show(show::settings(&args, config, environment)));
    }
    if let Some(word) = args.files.first().and_then(|file| file.to_str()) {
        if RESERVED.contains(&word) {
            return Err(format!(
                "'{word}' is kept for a command and is no FILE here; the file of that name is ./{word}"
            ));
        }
        if COMMANDS.contains(&word) {
            return Err(format!(
                "'{word}' is a command, and its options stand behind it: pickfix {word} …; the file of that name is ./{word}"
            ));
        }
    }
    Ok(Command::Filter(filter(args, config, environment)))
}

/// Resolves the settings of the filter.
fn filter(args: Args, config: &Config, environment: &Environment) -> Filter {
    let annotate = args.annotate.or(value(config.annotate.as_ref()));
    Filter {
        files: args.files,
        look: look(&args.look, config, environment),
        selection: selection(&args.select, &args.ignore, args.own, config, environment),
        annotate: match annotate {
            Some(args::Annotate::Never) => Annotate::Never,
            _ if environment.has_terminal => Annotate::Always,
            _ => Annotate::UnlessJson,
        },
        exit_code: args.exit_code || value(config.exit_code.as_ref()) == Some(true),
        report: args.report.or_else(|| value(config.report.as_ref())),
    }
}

/// Resolves the settings of `check`.
fn check(args: args::Check, config: &Config, environment: &Environment) -> Result<Check, String> {
    let form = match args.format.unwrap_or(args::CheckFormat::Text) {
        args::CheckFormat::Text => Form::Text,
        args::CheckFormat::Json => Form::Json,
        args::CheckFormat::Jsonl => Form::Jsonl,
        args::CheckFormat::Sarif => Form::Sarif,
        args::CheckFormat::Github => Form::Github,
        args::CheckFormat::Gnu => Form::Gnu,
        args::CheckFormat::Html => Form::Html,
    };
    let is_json = matches!(form, Form::Json | Form::Jsonl);
    if args.unknown && !is_json {
        return Err(
            "--unknown is for --format json and jsonl; the text lists them anyway".to_owned(),
        );
    }
    if args.summary && form != Form::Text {
        return Err("--summary is for the text; the other forms are for programs".to_owned());
    }
    if args.follow && form != Form::Text {
        return Err("--follow writes text; for JSON lines at its end, --report FILE".to_owned());
    }
    let look = look(&args.look, config, environment);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Check {
        paths: args.paths,
        globs: args.glob,
        selection: selection(&args.select, &args.ignore, args.own, config, environment),
        follow: args.follow,
        form,
        unknown: args.unknown,
        print: match (args.quiet, args.summary) {
            (true, _) => Print::Nothing,
            (_, true) => Print::Summary,
            _ => Print::Report,
        },
        links: environment
            .folder
            .clone()
            .filter(|_| look.color && environment.has_terminal && environment.has_links),
        look,
        exit_zero: args.exit_zero,
        report: args.report,
        threads: args.threads.map_or(threads, usize::from),
    })
}

/// Resolves which rules count.
fn selection(
    select: &[String],
    ignore: &[String],
    own: OwnRules,
    config: &Config,
    environment: &Environment,
) -> Selection {
    let mut origins = origins(config);
    for (origin, typed, option) in [
        (0, !own.rules.is_empty(), "--rules"),
        (1, !select.is_empty(), "--select"),
        (2, !ignore.is_empty(), "--ignore"),
    ] {
        if typed {
            option.clone_into(&mut origins[origin]);
        }
    }
    Selection {
        rules: rules(own, config, environment),
        select: ids(&typed_or(ids(select), config.select.as_ref())),
        ignore: ids(&typed_or(ids(ignore), config.ignore.as_ref())),
        origins,
    }
}

/// Resolves how pickfix's own text looks.
pub(super) fn look(typed: &args::Look, config: &Config, environment: &Environment) -> Look {
    let color = typed.color.or(value(config.color.as_ref()));
    let ascii = typed.ascii.then_some(true).or(value(config.ascii.as_ref()));
    Look {
        color: has_color(color.unwrap_or(args::Color::Auto), environment),
        ascii: ascii.unwrap_or_else(|| !has_utf8(environment)),
        width: width(typed.width.or(value(config.width.as_ref())), environment).into(),
    }
}

/// Gives the folders of rules: the user's, which gives way, then those that were named.
pub(super) fn rules(typed: OwnRules, config: &Config, environment: &Environment) -> Vec<PathBuf> {
    let own = environment
        .settings_folder
        .as_ref()
        .map(|folder| folder.join(OWN_RULES));
    let named = typed_or(typed.rules, config.rules.as_ref());
    own.into_iter()
        .filter(|folder| folder.is_dir())
        .chain(named)
        .collect()
}

/// Gives a list that was typed, or else the one of the file of settings.
fn typed_or<T: Clone>(typed: Vec<T>, stated: Option<&Stated<Vec<T>>>) -> Vec<T> {
    if typed.is_empty() {
        value(stated).unwrap_or_default()
    } else {
        typed
    }
}

fn value<T: Clone>(stated: Option<&Stated<T>>) -> Option<T> {
    stated.map(|stated| stated.value.clone())
}

/// Tells where lists are written that were not typed.
fn origins(config: &Config) -> [String; 3] {
    let line = |name: &str, line: Option<usize>| match (&config.file, line) {
        (Some(file), Some(line)) => format!("{}:{line}: {name}", file.display()),
        _ => format!("--{name}"),
    };
    [
        line("rules", config.rules.as_ref().map(|s| s.line)),
        line("select", config.select.as_ref().map(|s| s.line)),
        line("ignore", config.ignore.as_ref().map(|s| s.line)),
    ]
}

/// Drops what `a, b,` has too much.
fn ids(typed: &[String]) -> Vec<String> {
    let trimmed = typed.iter().map(|id| id.trim());
    trimmed
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Decides on colour as Python 3.13 does: the command line, then `NO_COLOR`, then `FORCE_COLOR`,
/// then the terminal. A variable that is set to nothing does not count.
fn has_color(typed: args::Color, environment: &Environment) -> bool {
    let is_set = |value: &Option<OsString>| value.as_ref().is_some_and(|value| !value.is_empty());
    match typed {
        args::Color::Always => true,
        args::Color::Never => false,
        args::Color::Auto => {
            if is_set(&environment.no_color) {
                return false;
            }
            let clicolor_force = &environment.clicolor_force;
            let is_forced = is_set(&environment.force_color)
                || is_set(clicolor_force) && clicolor_force.as_deref() != Some(OsStr::new("0"));
            let is_dumb = environment.term.as_deref() == Some(OsStr::new("dumb"));
            is_forced || environment.has_terminal && !is_dumb
        }
    }
}

/// Tells whether the locale writes UTF-8. No locale at all is `C`, which does not; Windows has
/// no such variables, and its terminals take UTF-8.
fn has_utf8(environment: &Environment) -> bool {
    let mut set = environment
        .locale
        .iter()
        .flatten()
        .filter(|value| !value.is_empty());
    match set.next() {
        Some(locale) => {
            let locale = locale.to_string_lossy().to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(windows),
    }
}

fn width(typed: Option<u16>, environment: &Environment) -> u16 {
    typed.unwrap_or_else(|| match environment.columns {
        Some(columns) => columns.clamp(NARROWEST, WIDEST),
        None => NO_TERMINAL,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(words: &str, environment: &Environment) -> Filter {
        let words = std::iter::once("pickfix").chain(words.split_whitespace());
        let args = args::parse(words.map(OsString::from).collect()).unwrap();
        match resolve(args, &Config::default(), environment) {
            Ok(Command::Filter(filter)) => filter,
            other => panic!("{other:?}"),
        }
    }

    fn terminal() -> Environment {
        Environment {
            has_terminal: true,
            columns: Some(80),
            ..Environment::default()
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "what the fields take")]
    fn set(word: &str) -> Option<OsString> {
        Some(OsString::from(word))
    }

    #[test]
    fn auto_colours_a_terminal_alone() {
        assert!(meant("", &terminal()).look.color);
        assert!(!meant("", &Environment::default()).look.color);
        let term = set("dumb");
        assert!(!meant("", &Environment { term, ..terminal() }).look.color);
    }

    #[test]
    fn variables_decide_before_the_terminal_and_the_option_before_them() {
        let no_color = set("1");
        let without = Environment {
            no_color,
            ..terminal()
        };
        assert!(!meant("", &without).look.color);
        assert!(meant("--color always", &without).look.color);
        for name in [0, 1] {
            let mut forced = Environment::default();
            *[&mut forced.force_color, &mut forced.clicolor_force][name] = set("1");
            assert!(meant("", &forced).look.color);
            assert!(!meant("--color never", &forced).look.color);
            forced.no_color = set("1");
            assert!(!meant("", &forced).look.color, "NO_COLOR wins");
            forced.no_color = set("");
            assert!(
                meant("", &forced).look.color,
                "an empty NO_COLOR says nothing"
            );
        }
        let clicolor_force = set("0");
        let off = Environment {
            clicolor_force,
            ..Environment::default()
        };
        assert!(!meant("", &off).look.color);
    }

    #[test]
    fn ascii_follows_the_first_locale_variable_that_says_anything() {
        let ascii = |all: &str, ctype: &str, lang: &str| {
            let locale = [set(all), set(ctype), set(lang)];
            meant(
                "",
                &Environment {
                    locale,
                    ..terminal()
                },
            )
            .look
            .ascii
        };
        assert!(!ascii("", "", "en_US.UTF-8"));
        assert!(!ascii("", "C.utf8", "C"));
        assert!(ascii("C", "", "en_US.UTF-8"));
        assert!(ascii("", "", "de_DE.ISO-8859-1"));
        let locale = [None, None, set("C.UTF-8")];
        let utf8 = Environment {
            locale,
            ..terminal()
        };
        assert!(!meant("", &utf8).look.ascii);
        assert!(meant("--ascii", &utf8).look.ascii);
        assert_eq!(meant("", &Environment::default()).look.ascii, cfg!(unix));
    }

    #[test]
    fn the_width_is_the_terminals_up_to_a_hundred() {
        let columns = |columns| Environment {
            columns,
            ..Environment::default()
        };
        assert_eq!(meant("", &columns(Some(72))).look.width, 72);
        assert_eq!(meant("", &columns(Some(240))).look.width, 100);
        assert_eq!(meant("", &columns(Some(3))).look.width, 20);
        assert_eq!(meant("", &columns(None)).look.width, 88);
        assert_eq!(meant("--width 240", &columns(Some(72))).look.width, 240);
    }

    #[test]
    fn json_lines_are_spared_where_no_person_looks() {
        assert_eq!(meant("", &terminal()).annotate, Annotate::Always);
        assert_eq!(
            meant("", &Environment::default()).annotate,
            Annotate::UnlessJson
        );
        assert_eq!(
            meant("--annotate never", &terminal()).annotate,
            Annotate::Never
        );
    }

    #[test]
    fn the_name_of_a_command_is_no_first_file() {
        let file = |words: &str| {
            let words = ["pickfix"].into_iter().chain(words.split_whitespace());
            let args = args::parse(words.map(OsString::from).collect()).unwrap();
            resolve(args, &Config::default(), &Environment::default())
        };
        assert!(
            file("--ascii explain x")
                .unwrap_err()
                .contains("options stand behind it")
        );
        for word in RESERVED {
            let message = file(word).unwrap_err();
            assert!(message.contains(&format!("./{word}")), "{message}");
            assert!(file(&format!("./{word}")).is_ok());
            assert!(file(&format!("a.log {word}")).is_ok());
        }
    }

    #[test]
    fn the_command_line_wins_over_the_file() {
        let stated = |value: &str| {
            Some(Stated {
                value: vec![value.to_owned()],
                line: 3,
            })
        };
        let config = Config {
            file: Some(PathBuf::from("pickfix.toml")),
            select: stated("a"),
            ignore: stated("b"),
            width: Some(Stated { value: 40, line: 1 }),
            exit_code: Some(Stated {
                value: true,
                line: 2,
            }),
            ..Config::default()
        };
        let args = args::parse(
            ["pickfix", "--select", "c", "--width=60"]
                .map(OsString::from)
                .into(),
        );
        let meant = filter(args.unwrap(), &config, &Environment::default());
        assert_eq!((meant.look.width, meant.exit_code), (60, true));
        assert_eq!(meant.selection.select, ["c"]);
        assert_eq!(meant.selection.ignore, ["b"]);
        assert_eq!(
            meant.selection.origins[1..],
            ["--select", "pickfix.toml:3: ignore"]
        );
    }

    #[test]
    fn lists_have_no_empty_ids() {
        let filter = meant("--select a,,b, --ignore ,", &terminal());
        assert_eq!(filter.selection.select, ["a", "b"]);
        assert_eq!(filter.selection.ignore, Vec::<String>::new());
    }
}
