//! A range of Python versions as a rule writes it: `>=3.8,<3.12`.

use std::cmp::Ordering::{self, Equal, Greater, Less};

/// A range of Python versions, `>=3.8,<3.12`: its bounds, and how a version may compare to each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VersionRange(Vec<(&'static [Ordering], (u8, u8))>);

/// The signs of comparisons, those of two characters first.
const SIGNS: [(&str, &[Ordering]); 6] = [
    (">=", &[Greater, Equal]),
    ("<=", &[Less, Equal]),
    (">", &[Greater]),
    ("<", &[Less]),
    ("==", &[Equal]),
    ("", &[Equal]),
];

impl VersionRange {
    /// Takes a range as written.
    pub(crate) fn new(range: &str) -> Result<Self, String> {
        let fault =
            || format!("\"{range}\" is no version; write \">=3.14\", \"3.12\" or \">=3.8,<3.12\"");
        let mut bounds = Vec::new();
        for bound in range.split(',').map(str::trim) {
            let (rest, orderings) = SIGNS
                .iter()
                .find_map(|(sign, orderings)| Some((bound.strip_prefix(sign)?, *orderings)))
                .ok_or_else(fault)?;
            let (major, minor) = rest.trim().split_once('.').ok_or_else(fault)?;
            let number = |n: &str| n.parse::<u8>().map_err(|_| fault());
            bounds.push((orderings, (number(major)?, number(minor)?)));
        }
        Ok(Self(bounds))
    }

    /// Returns whether a version lies in it.
    pub(crate) fn holds(&self, version: (u8, u8)) -> bool {
        let mut bounds = self.0.iter();
        bounds.all(|(orderings, bound)| orderings.contains(&version.cmp(bound)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        let holds = |range, version| VersionRange::new(range).unwrap().holds(version);
        assert!(holds(">=3.14", (3, 14)) && !holds(">=3.14", (3, 9)));
        assert!(holds(">=3.8,<3.12", (3, 10)) && !holds(">=3.8, <3.12", (3, 12)));
        assert!(holds("3.12", (3, 12)) && holds("==3.12", (3, 12)) && holds("<3.8", (2, 7)));
        assert!(VersionRange::new("3").is_err() && VersionRange::new(">=x.1").is_err());
    }
}
