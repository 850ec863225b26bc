//! What is typed behind `run`.

use std::ffi::OsString;

use super::LOOK_FOR;
use super::shared::{FilterArgs, HelpFlag};

/// What `run` takes.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "pickfix run [OPTIONS] [--] COMMAND...",
    after_help = "Exit status: that of the command, 128+N if signal N ended it; 127 if there is no such command, 126\nif it cannot be executed, 2 for a bad option."
)]
pub(in crate::cli) struct RunArgs {
    /// The command with its arguments, as it is typed without pickfix
    #[arg(value_name = "COMMAND", required = true, trailing_var_arg = true, value_hint = clap::ValueHint::CommandWithArguments)]
    pub(in crate::cli) words: Vec<OsString>,

    #[command(flatten)]
    pub(in crate::cli) filter: FilterArgs,

    /// Say what each process waits for when nothing was printed for this many seconds
    ///
    /// Only where the program has stopped working: its processes use next to no processor, and none
    /// is about to. A program that computes or sleeps is left alone. Linux; where py-spy is
    /// installed, with the lines of Python. Nothing is stopped or changed.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), help_heading = LOOK_FOR)]
    pub(in crate::cli) stall: Option<u32>,

    /// Load a small module into the program's Pythons, to name the object that cannot be pickled
    ///
    /// And, with --stall, the line that each process hangs at. What the program prints, and how it
    /// ends, stays as it is. Python 3.6 to 3.13 (later ones name the object by themselves), through
    /// PYTHONPATH, so not with -I, -E or -S.
    #[arg(long, help_heading = LOOK_FOR)]
    pub(in crate::cli) probe: bool,

    #[command(flatten)]
    help: HelpFlag,
}
