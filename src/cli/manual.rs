//! `pickfix completions` and `pickfix man`: both come from the definition of the command line.

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use super::args::Args;
use crate::corpus::Corpus;

/// What stands for the ids of rules where clap writes the values of an argument: one id, and several
/// with commas between them.
const ONE_ID: &str = "PICKFIX_ONE_ID";
const SEVERAL_IDS: &str = "PICKFIX_SEVERAL_IDS";

/// The options that take ids.
const TAKE_SEVERAL: [&str; 3] = ["select", "ignore", "id"];

/// Returns the completions of a shell. `explain`, `--select`, `--ignore` and `--id` are completed with the
/// ids of the built-in rules, in the shells whose completions of clap's have values; what else they take,
/// they take all the same.
pub(super) fn completions(shell: Shell) -> String {
    let mut command = with_ids(Args::command()).mut_subcommand("explain", |explain| {
        explain.mut_arg("what", |what| what.value_parser([ONE_ID]))
    });
    if shell == Shell::Zsh {
        command = without_files(&command);
    }
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "pickfix", &mut text);
    let text = String::from_utf8(text).expect("clap writes text");
    let corpus = Corpus::built_in();
    let ids: Vec<&str> = corpus.rules().map(|rule| rule.id.as_str()).collect();
    let ids = ids.join(" ");
    match shell {
        Shell::Bash => {
            let text = text.replace(ONE_ID, "$(_pickfix_ids)");
            text.replace(SEVERAL_IDS, "$(_pickfix_ids)") + &BASH_IDS.replace("IDS", &ids)
        }
        Shell::Zsh => {
            let text = text.replace(&format!("({ONE_ID})"), "_pickfix_ids");
            let text = text.replace(&format!("({SEVERAL_IDS})"), "_sequence _pickfix_ids");
            let text = text.replacen(ZSH_COMMANDS, ZSH_FIRST_WORD, 1);
            let (head, rest) = text.split_once("\n\n").expect("#compdef comes first");
            format!("{head}\n{}\n{rest}", ZSH_IDS.replace("IDS", &ids))
        }
        Shell::Fish => {
            let several = format!("{SEVERAL_IDS}\\t''");
            text.replace(&several, "(__fish_complete_list , __fish_pickfix_ids)")
                + &FISH_IDS.replace("IDS", &ids)
        }
        _ => text,
    }
}

const BASH_IDS: &str = r#"
_pickfix_ids() {
    local id before="${cur%"${cur##*,}"}"
    for id in IDS; do
        echo "$before$id"
    done
}
"#;

/// What zsh completes the first word with: the commands, and the files that may stand there instead.
const ZSH_COMMANDS: &str = r#"":: :_pickfix_commands""#;
const ZSH_FIRST_WORD: &str = r#"":: :{ _pickfix_commands; _files }""#;

const ZSH_IDS: &str = r#"
_pickfix_ids() {
    compadd "$@" - IDS
}
"#;

const FISH_IDS: &str = r#"
function __fish_pickfix_ids
    string split ' ' 'IDS'
end
complete -c pickfix -n "__fish_pickfix_using_subcommand explain" -f -a "(__fish_pickfix_ids)"
"#;

/// Leaves out the filter's own files: zsh would take the command for one of them.
fn without_files(command: &Command) -> Command {
    let options = command.get_arguments().filter(|arg| !arg.is_positional());
    Command::new("pickfix")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_flag(true)
        .disable_version_flag(true)
        .disable_help_subcommand(true)
        .args(options.cloned())
        .subcommands(command.get_subcommands().cloned())
}

/// Lets the options of a command and of those below it have ids for values.
fn with_ids(command: Command) -> Command {
    let command = command.mut_args(|arg| match arg.get_long() {
        Some(name) if TAKE_SEVERAL.contains(&name) => arg.value_parser([SEVERAL_IDS]),
        _ => arg,
    });
    command.mut_subcommands(with_ids)
}

/// Shows what `-h` leaves out: of an option that it hides, a man page would have the name alone.
fn in_full(command: Command) -> Command {
    let command = command.mut_args(|arg| arg.hide_short_help(false));
    command.mut_subcommands(in_full)
}

/// Returns the man page of a command, the program's own if there are no words.
pub(super) fn page(words: &[String]) -> Result<String, String> {
    // The pages are files of the project: they do not say how this program was built.
    let mut command = in_full(Args::command().version(env!("CARGO_PKG_VERSION")));
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
