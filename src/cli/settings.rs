//! What was meant: the words of the command line and the environment, resolved once.

mod look;
mod selection;

use std::ffi::OsString;
use std::path::PathBuf;

use super::args::{self, Args, Format, OwnRules, Rules, RulesVerb, Verb};
use super::config::{Config, Stated};
use super::environment::Environment;
use super::show;
use crate::render::report::Form;

pub use look::Look;
pub(super) use look::look;
pub use selection::Selection;
pub(super) use selection::rules;
use selection::selection;

/// Words that are not read as the first FILE: commands will have these names.
const RESERVED: [&str; 4] = ["run", "init", "completions", "man"];

/// The commands that there are; they stand before any option.
const COMMANDS: [&str; 4] = ["check", "explain", "rules", "finder"];

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
    let own = |typed: OwnRules| selection::of_all(typed, config, environment);
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
        selection: selection(args.choice, config, environment),
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
        selection: selection(args.choice, config, environment),
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

fn value<T: Clone>(stated: Option<&Stated<T>>) -> Option<T> {
    stated.map(|stated| stated.value.clone())
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
}
