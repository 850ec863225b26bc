//! Which rules count, and where that is written.

use std::path::PathBuf;

use crate::cli::args::{OwnRulesArgs, SelectionArgs};
use crate::cli::environment::Environment;
use crate::cli::settings::Origins;

/// The folder of rules in that of the user's settings.
const OWN_RULES: &str = "pickfix/rules";

/// Which rules count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) struct Selection {
    /// Folders with rules of the user's own.
    pub rules: Vec<PathBuf>,
    /// Ids and `family/*`; none means all.
    pub select: Vec<String>,
    /// Ids and `family/*` that are left out of those.
    pub ignore: Vec<String>,
    /// Where these are written.
    pub origins: Origins,
}

impl Selection {
    /// Resolves which rules count.
    pub(super) fn new(typed: SelectionArgs, origins: &Origins, environment: &Environment) -> Self {
        Self {
            select: ids(&typed.select),
            ignore: ids(&typed.ignore),
            ..Self::of_all(typed.own, origins, environment)
        }
    }

    /// Resolves which rules there are, for a command that chooses none among them.
    pub(super) fn of_all(
        typed: OwnRulesArgs,
        origins: &Origins,
        environment: &Environment,
    ) -> Self {
        Self {
            // The user's own give way to those that were named.
            rules: own_rules(environment)
                .into_iter()
                .chain(typed.rules)
                .collect(),
            origins: origins.clone(),
            ..Self::default()
        }
    }
}

/// Returns the folder of the user's own rules, if it is there.
pub(in crate::cli) fn own_rules(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.settings_folder.as_ref()?.join(OWN_RULES);
    folder.is_dir().then_some(folder)
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
        let typed = SelectionArgs {
            select: ["a", "", "b"].map(str::to_owned).into(),
            ignore: ["", ""].map(str::to_owned).into(),
            own: OwnRulesArgs::default(),
        };
        let meant = Selection::new(typed, &Origins::default(), &Environment::default());
        assert_eq!(meant.select, ["a", "b"]);
        assert_eq!(meant.ignore, Vec::<String>::new());
    }
}
