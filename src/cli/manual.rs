//! `pickfix completions` and `pickfix man`: both come from the definition of the command line.

use clap::CommandFactory;
use clap::builder::PossibleValuesParser;
use clap_complete::Shell;
use clap_mangen::Man;

use super::args::Args;
use crate::corpus::Corpus;

/// Returns the completions of a shell. `explain` is completed with the ids of the built-in rules; what
/// else it takes, any message, it takes all the same.
pub(super) fn completions(shell: Shell) -> String {
    let corpus = Corpus::built_in();
    // clap keeps names that last; the program ends when it has printed them.
    let ids = corpus.rules().map(|rule| &*rule.id.clone().leak());
    let ids = PossibleValuesParser::new(ids.collect::<Vec<_>>());
    let mut command = Args::command().mut_subcommand("explain", |explain| {
        explain.mut_arg("what", |what| what.value_parser(ids))
    });
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "pickfix", &mut text);
    String::from_utf8(text).expect("clap writes text")
}

/// Returns the man page of a command, the program's own if there are no words.
pub(super) fn page(words: &[String]) -> Result<String, String> {
    // The pages are files of the project: they do not say how this program was built.
    let mut command = Args::command().version(env!("CARGO_PKG_VERSION"));
    command.build();
    let mut found = &command;
    for word in words {
        found = found.find_subcommand(word).ok_or_else(|| {
            let typed = words.join(" ");
            format!("there is no command \"{typed}\"; pickfix --help lists all that there are")
        })?;
    }
    let source = concat!("pickfix ", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    Man::new(found.clone())
        .source(source)
        .manual("pickfix")
        .render(&mut page)
        .expect("a vector takes all");
    Ok(String::from_utf8(page).expect("clap writes text"))
}
