//! Which rules count, and where that is written.

use std::path::PathBuf;

use super::value;
use crate::cli::args::{Choice, OwnRules};
use crate::cli::config::{Config, Stated};
use crate::cli::environment::Environment;

/// The folder of rules in that of the user's settings.
const OWN_RULES: &str = "pickfix/rules";

/// Which rules count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Folders with rules of the user's own.
    pub rules: Vec<PathBuf>,
    /// Ids and `family/*`; none means all.
    pub select: Vec<String>,
    /// Ids and `family/*` that are left out of those.
    pub ignore: Vec<String>,
    /// Where `rules`, `select` and `ignore` are written, for messages.
    pub origins: [String; 3],
}

/// Resolves which rules count.
pub(super) fn selection(typed: Choice, config: &Config, environment: &Environment) -> Selection {
    let Choice {
        select,
        ignore,
        own,
    } = typed;
    let mut origins = origins(config);
    for (origin, typed, option) in [
        (0, !own.rules.is_empty(), "--rules"),
        (1, !select.is_empty(), "--select"),
        (2, !ignore.is_empty(), "--ignore"),
    ] {
        if typed {
            option.clone_into(&mut origins[origin]);
        }
    }
    Selection {
        rules: rules(own, config, environment),
        select: ids(&typed_or(ids(&select), config.select.as_ref())),
        ignore: ids(&typed_or(ids(&ignore), config.ignore.as_ref())),
        origins,
    }
}

/// Resolves which rules there are, for a command that chooses none among them.
pub(super) fn of_all(typed: OwnRules, config: &Config, environment: &Environment) -> Selection {
    Selection {
        rules: rules(typed, config, environment),
        origins: origins(config),
        ..Selection::default()
    }
}

/// Gives the folders of rules: the user's, which gives way, then those that were named.
pub(in crate::cli) fn rules(
    typed: OwnRules,
    config: &Config,
    environment: &Environment,
) -> Vec<PathBuf> {
    let own = environment
        .settings_folder
        .as_ref()
        .map(|folder| folder.join(OWN_RULES));
    let named = typed_or(typed.rules, config.rules.as_ref());
    own.into_iter()
        .filter(|folder| folder.is_dir())
        .chain(named)
        .collect()
}

/// Gives a list that was typed, or else the one of the file of settings.
fn typed_or<T: Clone>(typed: Vec<T>, stated: Option<&Stated<Vec<T>>>) -> Vec<T> {
    if typed.is_empty() {
        value(stated).unwrap_or_default()
    } else {
        typed
    }
}

/// Tells where lists are written that were not typed.
fn origins(config: &Config) -> [String; 3] {
    let line = |name: &str, line: Option<usize>| match (&config.file, line) {
        (Some(file), Some(line)) => format!("{}:{line}: {name}", file.display()),
        _ => format!("--{name}"),
    };
    [
        line("rules", config.rules.as_ref().map(|s| s.line)),
        line("select", config.select.as_ref().map(|s| s.line)),
        line("ignore", config.ignore.as_ref().map(|s| s.line)),
    ]
}

/// Drops what `a, b,` has too much.
fn ids(typed: &[String]) -> Vec<String> {
    let trimmed = typed.iter().map(|id| id.trim());
    trimmed
        .filter(|id| !id.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_no_empty_ids() {
        let typed = Choice {
            select: ["a", "", "b"].map(str::to_owned).into(),
            ignore: ["", ""].map(str::to_owned).into(),
            own: OwnRules::default(),
        };
        let meant = selection(typed, &Config::default(), &Environment::default());
        assert_eq!(meant.select, ["a", "b"]);
        assert_eq!(meant.ignore, Vec::<String>::new());
    }
}
