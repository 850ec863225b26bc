//! What was meant: the words of the command line and the environment, resolved once.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::args::{self, Args};
use super::environment::Environment;

/// The widest an annotation gets by itself: longer lines are hard to read.
const WIDEST: u16 = 100;

/// The width where there is no terminal.
const NO_TERMINAL: u16 = 88;

/// The narrowest: no word would fit below it.
const NARROWEST: u16 = 20;

/// Words that are not read as the first FILE: commands have these names, or will.
const RESERVED: [&str; 8] = [
    "check",
    "run",
    "explain",
    "rules",
    "finder",
    "init",
    "completions",
    "man",
];

/// What pickfix is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Copy and annotate.
    Filter(Filter),
}

/// The settings of the filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The FILE arguments in order, `-` for standard input; none means standard input.
    pub files: Vec<OsString>,
    /// Which rules count.
    pub selection: Selection,
    /// How an annotation looks.
    pub look: Look,
    /// Whether annotations are written.
    pub annotate: Annotate,
    /// Whether an error or warning that was annotated makes the exit status 1.
    pub exit_code: bool,
    /// The file that gets a line of JSON for each incident.
    pub report: Option<PathBuf>,
}

/// Which rules count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Folders with rules of the user's own.
    pub rules: Vec<PathBuf>,
    /// Ids and `family/*`; none means all.
    pub select: Vec<String>,
    /// Ids and `family/*` that are left out of those.
    pub ignore: Vec<String>,
}

/// How an annotation looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether it is coloured.
    pub color: bool,
    /// Whether it holds ASCII characters only.
    pub ascii: bool,
    /// The columns it is wrapped at; at least 20.
    pub width: usize,
}

/// Whether annotations are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Annotate {
    /// Always: a person looks at the output.
    Always,
    /// Unless the stream consists of JSON lines: the output goes to a file or another program.
    UnlessJson,
    /// Never.
    Never,
}

/// Resolves what was typed, in these surroundings.
pub(super) fn resolve(args: Args, environment: &Environment) -> Result<Command, String> {
    if let Some(word) = args.files.first().and_then(|file| file.to_str())
        && RESERVED.contains(&word)
    {
        return Err(format!(
            "'{word}' is kept for a command and is no FILE here; the file of that name is ./{word}"
        ));
    }
    let look = Look {
        color: has_color(args.color, environment),
        ascii: args.ascii || !has_utf8(environment),
        width: width(args.width, environment).into(),
    };
    Ok(Command::Filter(Filter {
        files: args.files,
        selection: Selection {
            rules: args.rules,
            select: ids(&args.select),
            ignore: ids(&args.ignore),
        },
        look,
        annotate: match args.annotate {
            args::Annotate::Never => Annotate::Never,
            args::Annotate::Auto if environment.has_terminal => Annotate::Always,
            args::Annotate::Auto => Annotate::UnlessJson,
        },
        exit_code: args.exit_code,
        report: args.report,
    }))
}

/// Drops what `a, b,` has too much.
fn ids(typed: &[String]) -> Vec<String> {
    let trimmed = typed.iter().map(|id| id.trim());
    trimmed
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Decides on colour as Python 3.13 does: the command line, then `NO_COLOR`, then `FORCE_COLOR`,
/// then the terminal. A variable that is set to nothing does not count.
fn has_color(typed: args::Color, environment: &Environment) -> bool {
    let is_set = |value: &Option<OsString>| value.as_ref().is_some_and(|value| !value.is_empty());
    match typed {
        args::Color::Always => true,
        args::Color::Never => false,
        args::Color::Auto => {
            if is_set(&environment.no_color) {
                return false;
            }
            let clicolor_force = &environment.clicolor_force;
            let is_forced = is_set(&environment.force_color)
                || is_set(clicolor_force) && clicolor_force.as_deref() != Some(OsStr::new("0"));
            let is_dumb = environment.term.as_deref() == Some(OsStr::new("dumb"));
            is_forced || environment.has_terminal && !is_dumb
        }
    }
}

/// Tells whether the locale writes UTF-8. No locale at all is `C`, which does not; Windows has
/// no such variables, and its terminals take UTF-8.
fn has_utf8(environment: &Environment) -> bool {
    let mut set = environment
        .locale
        .iter()
        .flatten()
        .filter(|value| !value.is_empty());
    match set.next() {
        Some(locale) => {
            let locale = locale.to_string_lossy().to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => cfg!(windows),
    }
}

fn width(typed: Option<u16>, environment: &Environment) -> u16 {
    typed.unwrap_or_else(|| match environment.columns {
        Some(columns) => columns.clamp(NARROWEST, WIDEST),
        None => NO_TERMINAL,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(words: &str, environment: &Environment) -> Filter {
        let words = std::iter::once("pickfix").chain(words.split_whitespace());
        let args = args::parse(words.map(OsString::from).collect()).unwrap();
        let Command::Filter(filter) = resolve(args, environment).unwrap();
        filter
    }

    fn terminal() -> Environment {
        Environment {
            has_terminal: true,
            columns: Some(80),
            ..Environment::default()
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "what the fields take")]
    fn set(word: &str) -> Option<OsString> {
        Some(OsString::from(word))
    }

    #[test]
    fn auto_colours_a_terminal_alone() {
        assert!(meant("", &terminal()).look.color);
        assert!(!meant("", &Environment::default()).look.color);
        let term = set("dumb");
        assert!(!meant("", &Environment { term, ..terminal() }).look.color);
    }

    #[test]
    fn variables_decide_before_the_terminal_and_the_option_before_them() {
        let no_color = set("1");
        let without = Environment {
            no_color,
            ..terminal()
        };
        assert!(!meant("", &without).look.color);
        assert!(meant("--color always", &without).look.color);
        for name in [0, 1] {
            let mut forced = Environment::default();
            *[&mut forced.force_color, &mut forced.clicolor_force][name] = set("1");
            assert!(meant("", &forced).look.color);
            assert!(!meant("--color never", &forced).look.color);
            forced.no_color = set("1");
            assert!(!meant("", &forced).look.color, "NO_COLOR wins");
            forced.no_color = set("");
            assert!(
                meant("", &forced).look.color,
                "an empty NO_COLOR says nothing"
            );
        }
        let clicolor_force = set("0");
        let off = Environment {
            clicolor_force,
            ..Environment::default()
        };
        assert!(!meant("", &off).look.color);
    }

    #[test]
    fn ascii_follows_the_first_locale_variable_that_says_anything() {
        let ascii = |all: &str, ctype: &str, lang: &str| {
            let locale = [set(all), set(ctype), set(lang)];
            meant(
                "",
                &Environment {
                    locale,
                    ..terminal()
                },
            )
            .look
            .ascii
        };
        assert!(!ascii("", "", "en_US.UTF-8"));
        assert!(!ascii("", "C.utf8", "C"));
        assert!(ascii("C", "", "en_US.UTF-8"));
        assert!(ascii("", "", "de_DE.ISO-8859-1"));
        let locale = [None, None, set("C.UTF-8")];
        let utf8 = Environment {
            locale,
            ..terminal()
        };
        assert!(!meant("", &utf8).look.ascii);
        assert!(meant("--ascii", &utf8).look.ascii);
        assert_eq!(meant("", &Environment::default()).look.ascii, cfg!(unix));
    }

    #[test]
    fn the_width_is_the_terminals_up_to_a_hundred() {
        let columns = |columns| Environment {
            columns,
            ..Environment::default()
        };
        assert_eq!(meant("", &columns(Some(72))).look.width, 72);
        assert_eq!(meant("", &columns(Some(240))).look.width, 100);
        assert_eq!(meant("", &columns(Some(3))).look.width, 20);
        assert_eq!(meant("", &columns(None)).look.width, 88);
        assert_eq!(meant("--width 240", &columns(Some(72))).look.width, 240);
    }

    #[test]
    fn json_lines_are_spared_where_no_person_looks() {
        assert_eq!(meant("", &terminal()).annotate, Annotate::Always);
        assert_eq!(
            meant("", &Environment::default()).annotate,
            Annotate::UnlessJson
        );
        assert_eq!(
            meant("--annotate never", &terminal()).annotate,
            Annotate::Never
        );
    }

    #[test]
    fn the_name_of_a_command_is_no_first_file() {
        let file = |words: &str| {
            let words = ["pickfix"].into_iter().chain(words.split_whitespace());
            let args = args::parse(words.map(OsString::from).collect()).unwrap();
            resolve(args, &Environment::default())
        };
        for word in RESERVED {
            let message = file(word).unwrap_err();
            assert!(message.contains(&format!("./{word}")), "{message}");
            assert!(file(&format!("./{word}")).is_ok());
            assert!(file(&format!("a.log {word}")).is_ok());
        }
    }

    #[test]
    fn lists_have_no_empty_ids() {
        let filter = meant("--select a,,b, --ignore ,", &terminal());
        assert_eq!(filter.selection.select, ["a", "b"]);
        assert_eq!(filter.selection.ignore, Vec::<String>::new());
    }
}
