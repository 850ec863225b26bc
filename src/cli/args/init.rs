//! What is typed behind `init`.

use super::shared::HelpFlag;
use super::{LOOK_FOR, PRINT};
use crate::cli::init::Shell;

/// What `init` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct InitArgs {
    /// The shell: bash, zsh or fish
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub(in crate::cli) shell: Shell,

    /// The commands that are run through pickfix
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', default_value = "python,python3,torchrun,accelerate,deepspeed,pytest", help_heading = LOOK_FOR)]
    pub(in crate::cli) command: Vec<String>,

    /// Use a pipe, `python … 2>&1 | pickfix`, instead of `pickfix run`
    ///
    /// The program then sees that it does not write to a terminal: many leave out their colours.
    #[arg(long, help_heading = PRINT)]
    pub(in crate::cli) pipe: bool,

    #[command(flatten)]
    help: HelpFlag,
}
