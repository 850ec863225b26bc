//! Options that several commands have.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{ABOUT, LOOK_FOR, PRINT, SCRIPTS};

/// The help of a command.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct HelpFlag {
    /// Show help: `-h` in short, `--help` in full
    #[arg(short, long, action = clap::ArgAction::Help, help_heading = ABOUT)]
    help: Option<bool>,
}

/// What the filter takes, alone and behind `run`.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct FilterArgs {
    #[command(flatten)]
    pub(in crate::cli) choice: SelectionArgs,

    #[command(flatten)]
    pub(in crate::cli) source: SourceArgs,

    /// Write annotations: auto (the default) or never
    ///
    /// `never` copies only, for use with --report. `auto` annotates, but writes nothing into JSON
    /// lines that go to a file or a pipe, where a program reads them.
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true, help_heading = PRINT)]
    pub(in crate::cli) annotate: AnnotateArg,

    /// Fold the frames of libraries
    ///
    /// Each run of such frames becomes one line, `… 9 frames in multiprocessing, torch`; your own are
    /// marked. A traceback is held back until it is complete, and nothing else is. Without this
    /// option every byte is written as it came.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, help_heading = PRINT)]
    pub(in crate::cli) fold: bool,

    #[command(flatten)]
    pub(in crate::cli) appearance: AppearanceArgs,

    /// Write each failure to this file too, as a line of JSON
    #[arg(long, value_name = "FILE", help_heading = SCRIPTS)]
    pub(in crate::cli) report: Option<PathBuf>,

    /// Keep nothing of this run for `pickfix last` and `pickfix fix`
    #[arg(long, hide_short_help = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, help_heading = SCRIPTS)]
    pub(in crate::cli) no_state: bool,
}

/// Which failures to look for.
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::cli) struct SelectionArgs {
    /// Look for these failures only: ids, or `family/*` for all of a family
    #[arg(long, value_name = "ID,...", value_delimiter = ',', help_heading = LOOK_FOR)]
    pub(in crate::cli) select: Vec<String>,

    /// Do not look for these
    ///
    /// Ids, or `family/*` for all of a family; wins over --select.
    #[arg(long, value_name = "ID,...", value_delimiter = ',', help_heading = LOOK_FOR)]
    pub(in crate::cli) ignore: Vec<String>,

    #[command(flatten)]
    pub(in crate::cli) own: OwnRulesArgs,
}

/// The folders of the user's own rules.
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::cli) struct OwnRulesArgs {
    /// Use the rules in this folder too; may be given several times
    ///
    /// A rule there replaces a built-in one of the same id. Those in pickfix/rules of the user's
    /// folder of settings ($XDG_CONFIG_HOME, else ~/.config) are always used.
    #[arg(long, value_name = "DIR", help_heading = LOOK_FOR)]
    pub(in crate::cli) rules: Vec<PathBuf>,
}

/// Where the program's own source may be read.
#[derive(Clone, Debug, Default, clap::Args)]
pub(in crate::cli) struct SourceArgs {
    /// Read the program's source below this folder, to name the object
    ///
    /// May be given several times. RECORDED=LOCAL: paths that begin with RECORDED in the log are below
    /// LOCAL here. By default the filter reads below the current folder and the script's own, and
    /// `check` reads none. Only .py files are read, and nothing is run.
    #[arg(long, value_name = "DIR", help_heading = LOOK_FOR)]
    pub(in crate::cli) source_root: Vec<String>,

    /// Do not read the program's source
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", hide_default_value = true, hide_possible_values = true, help_heading = LOOK_FOR)]
    pub(in crate::cli) no_source: bool,
}

/// How pickfix's own text looks.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct AppearanceArgs {
    /// Colour pickfix's own text: auto (the default), always or never
    ///
    /// `auto` colours on a terminal. In the environment, NO_COLOR switches that off, and
    /// FORCE_COLOR or CLICOLOR_FORCE on. What the program coloured itself stays as it is.
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_default_value = true, hide_possible_values = true, help_heading = PRINT)]
    pub(in crate::cli) color: ColorArg,

    /// Use ASCII characters only: `#|` instead of `▎`
    ///
    /// This is the default where the locale (LC_ALL, LC_CTYPE or LANG) is not UTF-8.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", hide_possible_values = true, help_heading = PRINT)]
    pub(in crate::cli) ascii: Option<bool>,

    /// How much to say of a failure: short (the default) or full
    ///
    /// `short` is where it happened, why, and what to type; `full` adds other ways out, how to check,
    /// and links. `pickfix last` shows the failures of the last run in full, `pickfix explain ID` a
    /// rule.
    #[arg(long, value_name = "LENGTH", default_value = "short", hide_default_value = true, hide_possible_values = true, help_heading = PRINT)]
    pub(in crate::cli) annotation: LengthArg,

    /// Wrap pickfix's own text at this column
    ///
    /// The default is the width of the terminal, at most 100, and 88 where there is none.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(20..), help_heading = PRINT)]
    pub(in crate::cli) width: Option<u16>,
}

/// When to annotate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum AnnotateArg {
    Auto,
    Never,
}

/// How much to say of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LengthArg {
    Short,
    Full,
}

/// When to colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ColorArg {
    Auto,
    Always,
    Never,
}
