//! `pickfix init`: shell code that runs Python's commands through pickfix.

use clap::ValueEnum;

/// A shell that code can be written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Shell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// Fish.
    Fish,
}

/// How the commands are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrapping {
    /// By `pickfix run`.
    Run,
    /// With a pipe into the filter.
    Pipe,
}

/// What `init` writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InitSettings {
    /// The shell that reads it.
    pub shell: Shell,
    /// How the commands are run.
    pub wrapping: Wrapping,
    /// The commands.
    pub commands: Vec<String>,
}

/// The code of a shell, with its comments.
struct Code {
    /// The code above and below the functions: only in an interactive shell.
    head: &'static str,
    tail: &'static str,
    /// What decides whether a call is a session.
    session: &'static str,
    /// What runs a command.
    run: &'static str,
    /// The same, with a pipe.
    pipe: &'static str,
    /// The function of a command.
    function: &'static str,
}

/// Returns the code. Each command becomes a function, which looks for the command at each call, so
/// that a virtual environment, pyenv's shims or conda may change it; `command python` goes past it.
/// A function of the user's own of that name stays.
pub(super) fn code(settings: &InitSettings) -> String {
    let code = match settings.shell {
        Shell::Bash => BASH,
        Shell::Zsh => ZSH,
        Shell::Fish => FISH,
    };
    let wrapper = match settings.wrapping {
        Wrapping::Run => code.run,
        Wrapping::Pipe => code.pipe,
    };
    let functions = settings
        .commands
        .iter()
        .map(|name| code.function.replace("NAME", name));
    let functions = functions.collect::<String>();
    [code.head, code.session, wrapper, &functions, code.tail].concat()
}

/// Says what is wrong with a name that is to be a function, if anything is.
pub(super) fn check(name: &str) -> Result<(), String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if name.is_empty() || name.starts_with(['-', '.']) || !name.chars().all(is_plain) {
        return Err(format!(
            "--command {name}: expected the name of a program, of letters, digits, `_`, `-` and `.`"
        ));
    }
    Ok(())
}

const IS_SESSION: &str = r"# Returns whether a call begins a session that one types into: python, python -i, ipython.
_pickfix_is_session() {
    local word rest
    case ${1##*/} in
        ipython*|bpython*|ptpython*) return 0 ;;
        python*) shift ;;
        *) return 1 ;;
    esac
    [[ -n ${PYTHONINSPECT-} ]] && return 0
    while [[ $# -gt 0 ]]; do
        word=$1
        shift
        case $word in
            --) [[ $# -gt 0 ]] && return 1 ;;
            -) break ;;
            --check-hash-based-pycs) [[ $# -gt 0 ]] && shift ;;
            --*) return 1 ;;
            -*)
                rest=${word#-}
                while [[ -n $rest ]]; do
                    word=${rest:0:1}
                    rest=${rest:1}
                    case $word in
                        i) return 0 ;;
                        c|m|V|h|'?') return 1 ;;
                        W|X)
                            [[ -z $rest && $# -gt 0 ]] && shift
                            break ;;
                    esac
                done ;;
            *) return 1 ;;
        esac
    done
    [[ -t 0 ]]
}
";

const RUN: &str = r#"_pickfix_wrap() {
    if [[ ! -t 1 ]] || _pickfix_is_session "$@" || ! command -v pickfix >/dev/null 2>&1; then
        command "$@"
    else
        command pickfix run -- "$@"
    fi
}
"#;

/// The function that pipes; what the shell calls the status of a pipe's first command is its own.
macro_rules! piped {
    ($status:literal) => {
        concat!(
            r#"_pickfix_wrap() {
    if [[ ! -t 1 || ! -t 2 ]] || _pickfix_is_session "$@" || ! command -v pickfix >/dev/null 2>&1; then
        command "$@"
    else
        PYTHONUNBUFFERED=1 command "$@" 2>&1 | command pickfix
        return ""#,
            $status,
            r#""
    fi
}
"#
        )
    };
}

const FUNCTION: &str =
    "typeset -f NAME >/dev/null 2>&1 || function NAME { _pickfix_wrap NAME \"$@\"; }\n";

const BASH: Code = Code {
    head: "\
# pickfix explains what Python's commands print. In ~/.bashrc: eval \"$(pickfix init bash)\"
if [[ $- == *i* ]]; then
",
    session: IS_SESSION,
    run: RUN,
    pipe: piped!("${PIPESTATUS[0]}"),
    function: FUNCTION,
    tail: "fi\n",
};

const ZSH: Code = Code {
    head: "\
# pickfix explains what Python's commands print. In ~/.zshrc: eval \"$(pickfix init zsh)\"
if [[ -o interactive ]]; then
",
    session: IS_SESSION,
    run: RUN,
    pipe: piped!("${pipestatus[1]}"),
    function: FUNCTION,
    tail: "fi\n",
};

const FISH: Code = Code {
    head: "\
# pickfix explains what Python's commands print. In ~/.config/fish/config.fish: pickfix init fish | source
if status is-interactive
",
    session: r#"# Returns whether a call begins a session that one types into: python, python -i, ipython.
function _pickfix_is_session
    set -l words $argv
    set -l name (string replace -r '.*/' '' -- $words[1])
    set -e words[1]
    switch $name
        case 'ipython*' 'bpython*' 'ptpython*'
            return 0
        case 'python*'
        case '*'
            return 1
    end
    test -n "$PYTHONINSPECT"; and return 0
    while set -q words[1]
        set -l word $words[1]
        set -e words[1]
        switch $word
            case --
                set -q words[1]; and return 1
            case -
                break
            case --check-hash-based-pycs
                set -q words[1]; and set -e words[1]
            case '--*'
                return 1
            case '-*'
                set -l letters (string split '' -- (string sub -s 2 -- $word))
                while set -q letters[1]
                    set -l letter $letters[1]
                    set -e letters[1]
                    if test $letter = i
                        return 0
                    else if contains -- $letter c m V h '?'
                        return 1
                    else if contains -- $letter W X
                        not set -q letters[1]; and set -q words[1]; and set -e words[1]
                        break
                    end
                end
            case '*'
                return 1
        end
    end
    isatty stdin
end
"#,
    run: r"function _pickfix_wrap
    if not isatty stdout; or _pickfix_is_session $argv; or not command -q pickfix
        command $argv
    else
        command pickfix run -- $argv
    end
end
",
    pipe: r"function _pickfix_wrap
    if not isatty stdout; or not isatty stderr; or _pickfix_is_session $argv; or not command -q pickfix
        command $argv
    else
        PYTHONUNBUFFERED=1 command $argv 2>&1 | command pickfix
        return $pipestatus[1]
    end
end
",
    function: "functions -q NAME; or function NAME\n    _pickfix_wrap NAME $argv\nend\n",
    tail: "end\n",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_becomes_a_function_of_its_own() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            for wrapping in [Wrapping::Run, Wrapping::Pipe] {
                let commands = vec!["python".to_owned(), "torchrun".to_owned()];
                let text = code(&InitSettings {
                    shell,
                    wrapping,
                    commands,
                });
                for name in ["python", "torchrun"] {
                    assert!(text.contains(&format!("_pickfix_wrap {name} ")), "{text}");
                }
                assert!(!text.contains("NAME"), "{text}");
                assert_eq!(text.contains("pickfix run"), wrapping == Wrapping::Run);
            }
        }
    }

    #[test]
    fn only_a_plain_name_becomes_a_function() {
        assert!(check("python3.12").is_ok());
        for name in ["", "-x", "a b", "a;b", "a/b", "$x"] {
            assert!(check(name).is_err(), "{name}");
        }
    }
}
