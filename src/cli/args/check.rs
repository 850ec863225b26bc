//! What is typed behind `check`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::shared::{AppearanceArgs, HelpFlag, SelectionArgs, SourceArgs};
use super::{LOOK_FOR, PRINT, SCRIPTS};
use crate::render::report::ReportFormat;

/// What `check` takes.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
#[command(
    after_help = "Exit status: 0 nothing known found, 1 an error or a warning, 2 trouble: a file that cannot be\nread, a bad option."
)]
pub(in crate::cli) struct CheckArgs {
    /// A log, a folder of logs, or - for standard input
    ///
    /// Logs that are compressed (gzip, zstd, xz, bzip2) are known by their content. In a folder,
    /// hidden and binary files are left out.
    #[arg(value_name = "PATH", required = true)]
    pub(in crate::cli) paths: Vec<OsString>,

    /// Read only these files of a folder: `*.log`, `rank*/*.err`; with `!` not these
    ///
    /// May be given several times. A pattern without `/` is matched against the name of the file.
    #[arg(long, value_name = "PATTERN", help_heading = LOOK_FOR)]
    pub(in crate::cli) glob: Vec<String>,

    #[command(flatten)]
    pub(in crate::cli) choice: SelectionArgs,

    #[command(flatten)]
    pub(in crate::cli) source: SourceArgs,

    /// Keep reading a log that still grows, until Ctrl-C; report what is found at once
    ///
    /// Works with logs that are rotated (renamed and begun again, or emptied).
    #[arg(short, long, help_heading = LOOK_FOR)]
    pub(in crate::cli) follow: bool,

    /// Write text, json, jsonl, sarif, github, gnu or html; text is the default
    ///
    /// json is an array and jsonl one object a line; sarif is version 2.1.0, for code scanning;
    /// github are workflow commands, gnu is `file:line: error: …` for editors; html is a page that
    /// needs nothing but itself.
    #[arg(long, value_name = "FORM", default_value = "text", hide_default_value = true, hide_possible_values = true, help_heading = PRINT)]
    pub(in crate::cli) format: ReportFormat,

    /// In json and jsonl, include failures that no rule knows, with `"id": null`
    #[arg(long, help_heading = PRINT)]
    pub(in crate::cli) unknown: bool,

    /// Report the same failure once: by id (over all logs, the default), in each job, or in each file
    ///
    /// With `job` and `file` the text begins with a table for each of them.
    #[arg(long, value_name = "PART", default_value = "id", conflicts_with = "follow", hide_default_value = true, hide_possible_values = true, help_heading = PRINT)]
    pub(in crate::cli) group_by: GroupArg,

    /// Show at most this many failures in the text; it says what it leaves out
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "follow", value_parser = clap::value_parser!(u16).range(1..=1000), help_heading = PRINT)]
    pub(in crate::cli) limit: u16,

    /// Print only the last line, which sums up
    #[arg(long, conflicts_with = "quiet", help_heading = PRINT)]
    pub(in crate::cli) summary: bool,

    /// Print nothing: the exit status tells
    #[arg(short, long, help_heading = PRINT)]
    pub(in crate::cli) quiet: bool,

    #[command(flatten)]
    pub(in crate::cli) appearance: AppearanceArgs,

    /// End with status 0 whatever was found; with 2 if there was trouble
    #[arg(long, help_heading = SCRIPTS)]
    pub(in crate::cli) exit_zero: bool,

    /// Write each failure to this file too, as a line of JSON
    #[arg(long, value_name = "FILE", help_heading = SCRIPTS)]
    pub(in crate::cli) report: Option<PathBuf>,

    /// Read with this many threads; the default is one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = SCRIPTS)]
    pub(in crate::cli) threads: Option<u16>,

    #[command(flatten)]
    help: HelpFlag,
}

/// What failures are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum GroupArg {
    Id,
    File,
    Job,
}

impl ValueEnum for ReportFormat {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}
