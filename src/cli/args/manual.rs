//! What is typed behind `completions` and `man`.

use clap_complete::Shell;

use super::shared::HelpFlag;

/// What `completions` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(in crate::cli) shell: Shell,

    #[command(flatten)]
    help: HelpFlag,
}

/// What `man` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ManArgs {
    /// The command, as it is typed: `check`, `rules test`
    #[arg(value_name = "COMMAND")]
    pub(in crate::cli) command: Vec<String>,

    #[command(flatten)]
    help: HelpFlag,
}
