//! What pickfix is to do: each command with its settings.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::Selection;
use crate::cli::args::PageFormat;
use crate::cli::init::InitSettings;
use crate::cli::last::LastForm;
use crate::incident::Grouping;
use crate::render::Annotator;
use crate::render::report::ReportFormat;
use crate::traceback::fold::FoldSigns;

/// What pickfix is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Command {
    /// Copy and annotate.
    Filter(FilterSettings),
    /// Read saved logs and report.
    Check(Box<CheckSettings>),
    /// Print shell code that wraps commands.
    Init(InitSettings),
    /// Run a command.
    Run(Box<RunSettings>),
    /// Show a rule, or all.
    Explain(ExplainSettings),
    /// List all rules.
    List(PageFormat, Selection),
    /// Test rules: the folders and ids to look at; none means all.
    Test(Vec<PathBuf>, Selection),
    /// Show what the last run found.
    Last(LastSettings),
    /// Print or write what fixes the program.
    Fix(FixSettings),
    /// Print the program that finds unpicklable parts.
    Finder,
    /// Print the beginning of a rule: its id, and the log to take it from.
    New(String, Option<PathBuf>),
    /// Print the completions of a shell.
    Completions(clap_complete::Shell),
    /// Print the man page of a command, the program's own if there are no words.
    Man(Vec<String>),
}

/// What `explain` is to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct ExplainSettings {
    /// The id or message; none if it was not typed.
    pub what: Option<String>,
    /// How it is written.
    pub format: PageFormat,
    /// What draws it.
    pub annotator: Annotator,
    /// Which rules there are.
    pub selection: Selection,
}

/// The settings of the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct FilterSettings {
    /// The FILE arguments in order, `-` for standard input; none means standard input.
    pub files: Vec<OsString>,
    /// Which rules count.
    pub selection: Selection,
    /// What draws annotations.
    pub annotator: Annotator,
    /// The lines of the screen that the output goes to.
    pub screen: Option<u64>,
    /// Whether annotations are written.
    pub annotate: AnnotationPolicy,
    /// Whether annotations are as wide as the screen when that changes its size.
    pub follows_screen: bool,
    /// The signs of folded tracebacks, if they are folded.
    pub folding: Option<FoldSigns>,
    /// Whether an error or warning that was annotated makes the exit status 1.
    pub exit_code: bool,
    /// The file that gets a line of JSON for each incident.
    pub report: Option<PathBuf>,
    /// Where the program's own source may be read.
    pub source: SourceFolders,
    /// The file that keeps what was found, if any does.
    pub state: Option<PathBuf>,
}

/// The settings of `run`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct RunSettings {
    /// The command, its name first.
    pub words: Vec<OsString>,
    /// How its stdout is filtered, and its stderr where that goes to the same place.
    pub stdout: FilterSettings,
    /// How its stderr is filtered where that goes elsewhere.
    pub stderr: FilterSettings,
    /// After how much silence it is looked at.
    pub stall: Option<Duration>,
    /// Whether its Pythons load the probe.
    pub probe: bool,
}

/// The settings of `last`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct LastSettings {
    /// The file of the last run.
    pub state: Option<PathBuf>,
    /// What is shown of each failure.
    pub form: LastForm,
    /// What draws it.
    pub annotator: Annotator,
}

/// The settings of `fix`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct FixSettings {
    /// The log; none means the last run.
    pub log: Option<PathBuf>,
    /// The file of the last run.
    pub state: Option<PathBuf>,
    /// Whether the changes are written.
    pub is_applied: bool,
    /// Whether the failures are listed.
    pub is_list: bool,
    /// The ids to fix; none means all.
    pub ids: Vec<String>,
    /// Which rules count.
    pub selection: Selection,
    /// Where the program's own source may be read.
    pub source: SourceFolders,
}

/// Where source may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct SourceFolders {
    /// Folders as typed: `DIR` or `RECORDED=LOCAL`.
    pub roots: Vec<String>,
    /// Whether none is read.
    pub is_off: bool,
}

/// The settings of `check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct CheckSettings {
    /// Files, folders, `-` for standard input.
    pub paths: Vec<OsString>,
    /// Patterns of names, as typed.
    pub globs: Vec<String>,
    /// Which rules count.
    pub selection: Selection,
    /// Whether to go on with logs that grow.
    pub follow: bool,
    /// The form of the report.
    pub form: ReportFormat,
    /// Whether the JSON forms include failures that no rule knows.
    pub unknown: bool,
    /// How much is printed.
    pub print: Verbosity,
    /// Within what the same failure is reported once.
    pub grouping: Grouping,
    /// How many failures the text shows.
    pub limit: usize,
    /// What draws the text.
    pub annotator: Annotator,
    /// Whether the exit status is 0 whatever was found.
    pub exit_zero: bool,
    /// The file that gets a line of JSON for each incident.
    pub report: Option<PathBuf>,
    /// How many threads read.
    pub threads: usize,
    /// Where the programs' own source may be read.
    pub source: SourceFolders,
}

/// How much `check` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Verbosity {
    /// The report.
    Report,
    /// Its last line.
    Summary,
    /// Nothing.
    Nothing,
}

/// Whether annotations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum AnnotationPolicy {
    /// Always: a person looks at the output.
    Always,
    /// Unless the stream consists of JSON lines: the output goes to a file or another program.
    UnlessJson,
    /// Never.
    Never,
}
