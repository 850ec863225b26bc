//! What is typed behind `explain` and `rules`.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use super::PRINT;
use super::shared::{AppearanceArgs, HelpFlag, OwnRulesArgs};

/// What `explain` takes.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit status: 0; 1 if no rule fits the message, or several may; 2 for an id that no rule has."
)]
pub(in crate::cli) struct ExplainArgs {
    /// The id of a rule, or a message or traceback as it was printed
    ///
    /// A message can also come through a pipe: `xclip -o | pickfix explain`. Without either, all
    /// rules are listed by family.
    #[arg(value_name = "ID or MESSAGE")]
    pub(in crate::cli) what: Vec<String>,

    /// Write text, markdown or json; text is the default, paged on a terminal
    ///
    /// The pager is $PAGER, else `less -R`.
    #[arg(long, value_name = "FORM", default_value = "text", hide_default_value = true, hide_possible_values = true, help_heading = PRINT)]
    pub(in crate::cli) format: PageFormat,

    #[command(flatten)]
    pub(in crate::cli) appearance: AppearanceArgs,

    #[command(flatten)]
    pub(in crate::cli) own: OwnRulesArgs,

    #[command(flatten)]
    help: HelpFlag,
}

/// What `rules` takes.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct RulesArgs {
    #[command(subcommand)]
    pub(in crate::cli) verb: RulesVerb,

    #[command(flatten)]
    help: HelpFlag,
}

/// What `rules` can do.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum RulesVerb {
    /// List all rules: id, family, severity, title
    List {
        /// Write text, markdown or json; text is the default
        #[arg(
            long,
            value_name = "FORM",
            default_value = "text",
            hide_default_value = true,
            hide_possible_values = true,
            help_heading = PRINT
        )]
        format: PageFormat,

        #[command(flatten)]
        own: OwnRulesArgs,

        #[command(flatten)]
        help: HelpFlag,
    },
    /// Check the form of rules and whether their examples hold
    ///
    /// Without an argument, all rules: those built in and your own.
    #[command(after_help = "Exit status: 0; 1 if a rule does not hold; 2 if one cannot be read.")]
    Test {
        /// A folder with rules of your own, or the id of a rule
        #[arg(value_name = "DIR or ID")]
        what: Vec<PathBuf>,

        #[command(flatten)]
        own: OwnRulesArgs,

        #[command(flatten)]
        help: HelpFlag,
    },
    /// Print the beginning of a rule file
    New {
        /// The name of the rule, which is that of the file: `unpicklable-lock`
        id: String,

        /// Take the last traceback of this log; `-` is standard input
        #[arg(long, value_name = "LOG")]
        from: Option<PathBuf>,

        #[command(flatten)]
        help: HelpFlag,
    },
}

/// How something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum PageFormat {
    /// For people.
    Text,
    /// For pages.
    Markdown,
    /// For programs.
    Json,
}
