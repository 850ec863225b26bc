//! A range of Python versions as a rule writes it: `>=3.8,<3.12`.

/// A range of Python versions: `>=3.8,<3.12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VersionRange(Vec<(Comparison, (u8, u8))>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
}

impl VersionRange {
    /// Takes a range as written.
    pub(crate) fn new(range: &str) -> Result<Self, String> {
        let fault =
            || format!("\"{range}\" is no version; write \">=3.14\", \"3.12\" or \">=3.8,<3.12\"");
        let mut bounds = Vec::new();
        for bound in range.split(',').map(str::trim) {
            let signs = [
                (">=", Comparison::AtLeast),
                ("<=", Comparison::AtMost),
                (">", Comparison::Above),
                ("<", Comparison::Below),
                ("==", Comparison::Equal),
                ("", Comparison::Equal),
            ];
            let (rest, comparison) = signs
                .iter()
                .find_map(|(s, c)| Some((bound.strip_prefix(s)?, *c)))
                .ok_or_else(fault)?;
            let (major, minor) = rest.trim().split_once('.').ok_or_else(fault)?;
            let number = |n: &str| n.parse::<u8>().map_err(|_| fault());
            bounds.push((comparison, (number(major)?, number(minor)?)));
        }
        Ok(Self(bounds))
    }

    /// Returns whether a version lies in it.
    pub(crate) fn holds(&self, version: (u8, u8)) -> bool {
        self.0.iter().all(|(comparison, bound)| match comparison {
            Comparison::AtLeast => version >= *bound,
            Comparison::AtMost => version <= *bound,
            Comparison::Above => version > *bound,
            Comparison::Below => version < *bound,
            Comparison::Equal => version == *bound,
        })
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
