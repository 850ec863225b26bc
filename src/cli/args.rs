//! What was typed. The doc comment of a field is its text in `--help`; its first paragraph is the
//! one in `-h`.

#![expect(clippy::doc_markdown, reason = "these comments are read in a terminal")]

mod check;
mod init;
mod manual;
mod rules;
mod run;
mod shared;

use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::topics;
pub(super) use check::{CheckArgs, GroupArg};
pub(super) use init::InitArgs;
pub(super) use manual::{CompletionsArgs, ManArgs};
pub(super) use rules::{ExplainArgs, PageFormat, RulesArgs, RulesVerb};
pub(super) use run::RunArgs;
use shared::HelpFlag;
pub(super) use shared::{
    AnnotateArg, AppearanceArgs, ColorArg, FilterArgs, LengthArg, OwnRulesArgs, SelectionArgs,
    SourceArgs,
};

const LOOK_FOR: &str = "What to look for";
const PRINT: &str = "What to print";
const SCRIPTS: &str = "For scripts";
const ABOUT: &str = "About pickfix";

/// Says under each Python traceback why it happened and what to type.
///
/// Copies its input to its output, unchanged, and finds the Python tracebacks in it. Under each
/// failure that it knows it writes an annotation: where it is, its cause and its fix, on lines
/// that start with `▎`.
#[derive(Debug, Parser)]
#[command(
    name = "pickfix",
    version = concat!(env!("CARGO_PKG_VERSION"), " (", env!("PICKFIX_BUILD"), ")"),
    override_usage = "python train.py 2>&1 | pickfix [OPTIONS]\n       pickfix [OPTIONS] FILE...\n       pickfix COMMAND",
    subcommand_help_heading = "Commands",
    disable_help_subcommand = true,
    args_conflicts_with_subcommands = true,
    after_help = "More about each option: pickfix --help",
    after_long_help = AFTER,
    max_term_width = 100,
    disable_help_flag = true,
    disable_version_flag = true,
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Verb>,

    /// A log to read instead of standard input; several are read one after the other
    ///
    /// `-` is standard input. A file with the name of a command is ./check.
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<OsString>,

    #[command(flatten)]
    pub(super) filter: FilterArgs,

    /// End with status 1 if an error or a warning was annotated
    #[arg(long, display_order = 0, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, help_heading = SCRIPTS)]
    pub(super) exit_code: bool,

    /// Show the settings in effect and where each comes from, then exit
    #[arg(long, help_heading = ABOUT)]
    pub(super) show_config: bool,

    /// End with status 2 if the file of settings is wrong, instead of a warning
    #[arg(long, hide_short_help = true, global = true, help_heading = ABOUT)]
    pub(super) strict_config: bool,

    /// Show help: `-h` in short, `--help` in full
    #[arg(short, long, action = clap::ArgAction::Help, help_heading = ABOUT)]
    help: Option<bool>,

    /// Show the version
    #[arg(short = 'V', long, action = clap::ArgAction::Version, help_heading = ABOUT)]
    version: Option<bool>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Read saved logs, files and folders, and report what went wrong in them
    ///
    /// Each failure is reported once, its root first, with where it is in the log and in the program,
    /// how often and on which ranks it was seen, and what followed from it. Files of one job, one
    /// for each rank, are read as one (torchrun --log-dir, Slurm's %t, rank3.log).
    Check(Box<CheckArgs>),
    /// Run a command and explain what it prints, on a terminal of its own
    ///
    /// Colours, progress bars, prompts, the size of the window, Ctrl-C, Ctrl-Z and the exit status are
    /// the command's own, as if it ran without pickfix. Where stdout goes to a file or a pipe, so does
    /// the command's, and stderr stays apart. It also says what only the parent process can know:
    /// which signal ended it, and whether memory ran out.
    Run(Box<RunArgs>),
    /// Show a failure in full, the one that fits a message, or the list of all
    Explain(ExplainArgs),
    /// List the rules, test them, or begin a new one
    Rules(RulesArgs),
    /// Print a diff that fixes the program, or write it
    ///
    /// For failures that the program's own source explains: an attribute that cannot be sent, a
    /// lambda, a function or class made in another one. Without LOG, for those of the last run of
    /// `python … | pickfix`. Nothing is run, and only files that have not changed since are written.
    Fix(FixArgs),
    /// Show the failures of the last run in full
    ///
    /// Those of the last `python … | pickfix`, which keeps them in a file of the user's own
    /// ($XDG_STATE_HOME, else ~/.local/state; --no-state switches it off).
    Last(LastArgs),
    /// Print shell code that runs Python's commands through pickfix
    ///
    /// `eval "$(pickfix init bash)"` in ~/.bashrc, the same with zsh in ~/.zshrc, and
    /// `pickfix init fish | source` in ~/.config/fish/config.fish. Each command becomes a function that
    /// calls `pickfix run`: only in an interactive shell, only where stdout is a terminal, and not for
    /// interactive sessions (python alone, python -i, ipython). `command python` bypasses it.
    Init(InitArgs),
    /// Print a Python program that names every unpicklable part of an object
    ///
    /// For Pythons before 3.14, which do not name the part; it needs Python 3.6 or later and
    /// nothing else. `pickfix finder > find_unpicklable.py`, and then in Python:
    /// `from find_unpicklable import explain; explain(dataset)`.
    Finder(FinderArgs),
    /// Print the completions of a shell: bash, zsh, fish, powershell or elvish
    ///
    /// `eval "$(pickfix completions bash)"` in ~/.bashrc, `source <(pickfix completions zsh)` in
    /// ~/.zshrc, `pickfix completions fish | source` in fish's config.fish.
    Completions(CompletionsArgs),
    /// Print the man page of pickfix, or of a command
    ///
    /// `pickfix man check | man -l -` shows it. `pip install` puts all of them below the
    /// environment's share/man.
    Man(ManArgs),
    /// Show the help of a command in full, or about a topic
    Help(HelpArgs),
}

/// What `fix` takes.
#[derive(Debug, clap::Args)]
pub(super) struct FixArgs {
    /// The log of the failure, or what --report wrote of it, - for standard input; by default the last run
    #[arg(value_name = "LOG")]
    pub(super) log: Option<PathBuf>,

    /// Write the changes, each file's old text kept as NAME.orig; all or none
    #[arg(long, conflicts_with = "list", help_heading = PRINT)]
    pub(super) apply: bool,

    /// List the failures, with the files that would change, or why none does
    #[arg(long, help_heading = PRINT)]
    pub(super) list: bool,

    /// Fix these failures only, by the ids of their rules
    #[arg(long, value_name = "ID,...", value_delimiter = ',', help_heading = LOOK_FOR)]
    pub(super) id: Vec<String>,

    #[command(flatten)]
    pub(super) own: OwnRulesArgs,

    #[command(flatten)]
    pub(super) source: SourceArgs,

    #[command(flatten)]
    help: HelpFlag,
}

/// What `last` takes.
#[derive(Debug, clap::Args)]
pub(super) struct LastArgs {
    /// Print the code of the fixes alone, to be pasted
    #[arg(long, help_heading = PRINT)]
    pub(super) code: bool,

    #[command(flatten)]
    pub(super) appearance: AppearanceArgs,

    #[command(flatten)]
    help: HelpFlag,
}

/// What `finder` takes.
#[derive(Debug, clap::Args)]
pub(super) struct FinderArgs {
    #[command(flatten)]
    help: HelpFlag,
}

/// What `help` takes.
#[derive(Debug, clap::Args)]
pub(super) struct HelpArgs {
    /// The command, as it is typed: `check`, `rules test`; or a topic: pipes, settings, status,
    /// source, formats
    #[arg(value_name = "COMMAND or TOPIC")]
    command: Vec<OsString>,

    #[command(flatten)]
    help: HelpFlag,
}

const AFTER: &str = "\
Exit status: 0; with --exit-code 1 if an error or a warning was annotated; 2 for a bad option or a
file that cannot be read. In `python … | pickfix` the shell sees this status and not Python's;
after `set -o pipefail` it sees a failure of either.

Python buffers its output when it goes into a pipe; PYTHONUNBUFFERED=1 lets it through at once.

Settings: pickfix.toml, or [tool.pickfix] in pyproject.toml, from the current folder upwards, with
the names of the options as keys; the command line wins. pickfix --show-config shows what is set.
What is wrong there costs a warning and no more.

Ctrl-C goes to the program, and pickfix stays until the program has said its last word. If nothing
more comes, another Ctrl-C a second later stops pickfix too.

More: pickfix help pipes, settings, status, source, formats";

/// Why the command line leads no further.
#[derive(Debug)]
pub(super) enum Stop {
    /// This was asked for: the help, the version.
    Show(String),
    /// This is wrong with it.
    Wrong(String),
}

/// Reads the words of the command line, the program's name first.
pub(super) fn parse(words: Vec<OsString>) -> Result<(Args, ArgMatches), Stop> {
    let read = Args::command().try_get_matches_from(words.iter().cloned());
    let read = read.and_then(|matches| Ok((Args::from_arg_matches(&matches)?, matches)));
    let (args, matches) = read.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Stop::Show(error.render().to_string())
        }
        _ => Stop::Wrong(message(&error.render().to_string())),
    })?;
    match args.command {
        Some(Verb::Help(of)) => {
            let name = of.command.first().and_then(|word| word.to_str());
            let commands = commands();
            let is_command = |name: &&str| commands.iter().any(|command| command == name);
            if let Some(name) = name.filter(|name| !is_command(name)) {
                return Err(topics::topic(name).map_or_else(
                    || Stop::Wrong(topics::unknown(name, &commands)),
                    |text| Stop::Show(text.to_owned()),
                ));
            }
            let program = words.into_iter().take(1);
            parse(program.chain(of.command).chain(["--help".into()]).collect())
        }
        _ => Ok((args, matches)),
    }
}

/// Checks the values of an option; the message says what is wrong with them.
pub(super) fn accepts(name: &str, values: &[OsString]) -> Result<(), String> {
    let words = values
        .iter()
        .map(|value| super::settings::option(name, value));
    let words = std::iter::once("pickfix".into()).chain(words);
    let Err(error) = Args::command().try_get_matches_from(words) else {
        return Ok(());
    };
    Err(
        match (
            error.get(ContextKind::InvalidValue),
            error.get(ContextKind::ValidValue),
        ) {
            (Some(ContextValue::String(value)), Some(ContextValue::Strings(valid))) => {
                format!(
                    "unknown value \"{value}\", expected one of: {}",
                    valid.join(", ")
                )
            }
            _ => error
                .source()
                .map_or_else(|| message(&error.to_string()), ToString::to_string),
        },
    )
}

/// The command that was typed.
pub(super) struct CommandOf<'a> {
    /// How many words name it: 0 for the filter, 2 for `rules list`.
    pub(super) depth: usize,
    /// Whether it is the filter, or runs it.
    pub(super) is_filter: bool,
    /// The names of its options, without `--`.
    pub(super) options: BTreeSet<String>,
    pub(super) matches: &'a ArgMatches,
}

/// Returns the command that was typed, the innermost one.
pub(super) fn command_of(mut matches: &ArgMatches) -> CommandOf<'_> {
    let (mut command, mut depth) = (Args::command(), 0);
    let is_filter = matches.subcommand_name().is_none_or(|name| name == "run");
    while let Some((name, inner)) = matches.subcommand() {
        let found = command.find_subcommand(name);
        command = found.expect("what was matched is a command").clone();
        (matches, depth) = (inner, depth + 1);
    }
    let options = command.get_arguments().filter_map(clap::Arg::get_long);
    CommandOf {
        depth,
        is_filter,
        options: options.map(str::to_owned).collect(),
        matches,
    }
}

/// Returns the names of the commands.
pub(super) fn commands() -> Vec<String> {
    let command = Args::command();
    command
        .get_subcommands()
        .map(|c| c.get_name().to_owned())
        .collect()
}

/// Makes one message of what clap prints: its fault and its tips, without the usage.
fn message(rendered: &str) -> String {
    let text = rendered.strip_prefix("error: ").unwrap_or(rendered);
    let kept = text
        .split("\n\n")
        .filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more information"))
        .map(str::trim_end);
    let mut lines: Vec<&str> = kept.flat_map(str::lines).collect();
    let command = rendered
        .split_once("\nUsage: ")
        .and_then(|(_, usage)| command(usage));
    let all = format!(
        "  for all options: pickfix {}--help",
        command.unwrap_or_default()
    );
    lines.push(&all);
    lines.join("\n")
}

/// Returns the commands that a usage begins with: `rules test ` of `pickfix rules test [DIR]`.
fn command(usage: &str) -> Option<String> {
    let words = usage
        .lines()
        .next()?
        .strip_prefix("pickfix ")?
        .split_whitespace();
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    Some(
        words
            .take_while(is_name)
            .flat_map(|word| [word, " "])
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &str) -> Result<Args, Stop> {
        let words = std::iter::once("pickfix").chain(words.split_whitespace());
        parse(words.map(OsString::from).collect()).map(|(args, _)| args)
    }

    fn wrong(words: &str) -> String {
        match typed(words) {
            Err(Stop::Wrong(message)) => message,
            other => panic!("{words} gives {other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn lists_are_split_at_commas_and_may_stand_several_times() {
        let args = typed("--select a,pickle/* --select b --rules x --rules y f -").unwrap();
        assert_eq!(args.filter.choice.select, ["a", "pickle/*", "b"]);
        assert_eq!(
            args.filter.choice.own.rules,
            [PathBuf::from("x"), PathBuf::from("y")]
        );
        assert_eq!(args.files, ["f", "-"]);
    }

    #[test]
    fn a_wrong_option_gives_one_message_with_the_way_out() {
        assert_eq!(
            wrong("--slect a"),
            "unexpected argument '--slect' found\n  \
             tip: a similar argument exists: '--select'\n  \
             for all options: pickfix --help"
        );
        assert_eq!(
            wrong("--color sometimes"),
            "invalid value 'sometimes' for '--color <WHEN>'\n  \
             [possible values: auto, always, never]\n  \
             for all options: pickfix --help"
        );
        assert!(wrong("--width 5").starts_with("invalid value '5' for '--width <N>': 5 is not in"));
    }

    #[test]
    fn the_short_help_fits_on_a_screen_and_each_option_has_a_group() {
        let Err(Stop::Show(text)) = typed("-h") else {
            panic!("no help");
        };
        assert!(text.lines().count() <= 50, "{text}");
        let Err(Stop::Show(text)) = typed("--help") else {
            panic!("no help");
        };
        for heading in [LOOK_FOR, PRINT, SCRIPTS, ABOUT] {
            assert!(text.contains(&format!("\n{heading}:\n")), "{text}");
        }
    }
}
