//! How pickfix's own text looks: colour, characters, width.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use crate::cli::args::{self, ColorArg, LengthArg};
use crate::cli::environment::Environment;
use crate::render::{Annotator, Colour, Glyphs, Length, NARROWEST, WIDEST};

/// The width where there is no terminal.
const NO_TERMINAL: u16 = 88;

/// Resolves how pickfix's own text looks.
pub(super) fn annotator(typed: &args::AppearanceArgs, environment: &Environment) -> Annotator {
    let is_coloured = has_color(typed.color, environment);
    let glyphs = if ascii(typed.ascii, environment) {
        Glyphs::Ascii
    } else {
        Glyphs::Unicode
    };
    let colour = if is_coloured { Colour::On } else { Colour::Off };
    Annotator {
        length: match typed.annotation {
            LengthArg::Short => Length::Short,
            LengthArg::Full => Length::Full,
        },
        folder: environment.folder.as_deref().map(Arc::from),
        links: is_coloured && environment.has_terminal && environment.has_links,
        ..Annotator::new(width(typed.width, environment).into(), glyphs, colour)
    }
}

/// Returns whether ASCII characters have to do: by default where the locale is not UTF-8.
pub(in crate::cli) fn ascii(typed: Option<bool>, environment: &Environment) -> bool {
    typed.unwrap_or_else(|| !has_utf8(environment))
}

/// Decides on colour as Python 3.13 does: the command line, then `NO_COLOR`, then `FORCE_COLOR`,
/// then the terminal. A variable that is set to nothing does not count.
fn has_color(typed: ColorArg, environment: &Environment) -> bool {
    let is_set = |value: &Option<OsString>| value.as_ref().is_some_and(|value| !value.is_empty());
    match typed {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => {
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

/// Returns whether the locale writes UTF-8. No locale at all is `C`, which does not; Windows has
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

/// Returns the columns: by default those of the terminal, within what is legible.
pub(in crate::cli) fn width(typed: Option<u16>, environment: &Environment) -> u16 {
    typed.unwrap_or_else(|| match environment.columns {
        Some(columns) => columns.clamp(NARROWEST, WIDEST),
        None => NO_TERMINAL,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(words: &str, environment: &Environment) -> Annotator {
        let words = std::iter::once("pickfix").chain(words.split_whitespace());
        let (args, _) = args::parse(words.map(OsString::from).collect()).unwrap();
        annotator(&args.filter.appearance, environment)
    }

    #[expect(clippy::unnecessary_wraps, reason = "what the fields take")]
    fn set(word: &str) -> Option<OsString> {
        Some(OsString::from(word))
    }

    #[test]
    fn auto_colours_a_terminal_alone() {
        assert!(meant("", &Environment::of_a_terminal()).is_coloured());
        assert!(!meant("", &Environment::default()).is_coloured());
        let term = set("dumb");
        assert!(
            !meant(
                "",
                &Environment {
                    term,
                    ..Environment::of_a_terminal()
                }
            )
            .is_coloured()
        );
    }

    #[test]
    fn variables_decide_before_the_terminal_and_the_option_before_them() {
        let no_color = set("1");
        let without = Environment {
            no_color,
            ..Environment::of_a_terminal()
        };
        assert!(!meant("", &without).is_coloured());
        assert!(meant("--color always", &without).is_coloured());
        for name in [0, 1] {
            let mut forced = Environment::default();
            *[&mut forced.force_color, &mut forced.clicolor_force][name] = set("1");
            assert!(meant("", &forced).is_coloured());
            assert!(!meant("--color never", &forced).is_coloured());
            forced.no_color = set("1");
            assert!(!meant("", &forced).is_coloured(), "NO_COLOR wins");
            forced.no_color = set("");
            assert!(
                meant("", &forced).is_coloured(),
                "an empty NO_COLOR says nothing"
            );
        }
        let clicolor_force = set("0");
        let off = Environment {
            clicolor_force,
            ..Environment::default()
        };
        assert!(!meant("", &off).is_coloured());
    }

    #[test]
    fn ascii_follows_the_first_locale_variable_that_says_anything() {
        let is_ascii = |words: &str, locale| {
            let environment = Environment {
                locale,
                ..Environment::of_a_terminal()
            };
            meant(words, &environment).glyphs == Glyphs::Ascii
        };
        for (locale, is_it) in [
            (["", "", "en_US.UTF-8"], false),
            (["", "C.utf8", "C"], false),
            (["C", "", "en_US.UTF-8"], true),
            (["", "", "de_DE.ISO-8859-1"], true),
        ] {
            assert_eq!(is_ascii("", locale.map(set)), is_it, "{locale:?}");
        }
        assert!(is_ascii("--ascii", [None, None, set("C.UTF-8")]));
        assert!(!is_ascii("--ascii=false", [None, None, None]));
        assert_eq!(is_ascii("", [None, None, None]), cfg!(unix));
    }

    #[test]
    fn the_width_is_the_terminals_up_to_a_hundred() {
        let columns = |columns| Environment {
            columns,
            ..Environment::default()
        };
        assert_eq!(meant("", &columns(Some(72))).width, 72);
        assert_eq!(meant("", &columns(Some(240))).width, 100);
        assert_eq!(meant("", &columns(Some(3))).width, 20);
        assert_eq!(meant("", &columns(None)).width, 88);
        assert_eq!(meant("--width 240", &columns(Some(72))).width, 240);
    }
}
