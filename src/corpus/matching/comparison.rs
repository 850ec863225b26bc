//! Whether one captured amount is larger than another: `in_use > 0.9 * total`.

use super::context::Captures;

/// Two captures and how their amounts compare; the right one may be taken times a factor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison {
    left: String,
    is_greater: bool,
    factor: f64,
    right: String,
}

impl Comparison {
    /// Parses `a > b`, `a < b` or `a > 0.9 * b`.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "\"{text}\" is no comparison; write \"free < requested\" or \"in_use > 0.9 * total\""
            )
        };
        let is_greater = text.contains('>');
        let (left, right) = text
            .split_once(if is_greater { '>' } else { '<' })
            .ok_or_else(wrong)?;
        let (factor, right) = match right.split_once('*') {
            Some((factor, right)) => (factor.trim().parse().map_err(|_| wrong())?, right),
            None => (1.0, right),
        };
        let (left, right) = (left.trim(), right.trim());
        if !super::template::is_name(left) || !super::template::is_name(right) {
            return Err(wrong());
        }
        Ok(Self {
            left: left.to_owned(),
            is_greater,
            factor,
            right: right.to_owned(),
        })
    }

    /// Returns the names of the captures that it compares.
    pub(crate) fn names(&self) -> [&str; 2] {
        [&self.left, &self.right]
    }

    /// Returns whether it holds of what was captured; without one of the two amounts it does not.
    pub(crate) fn holds(&self, captures: &Captures) -> bool {
        let amount_of = |name: &str| captures.get(name).and_then(amount);
        let (Some(left), Some(right)) = (amount_of(&self.left), amount_of(&self.right)) else {
            return false;
        };
        let right = self.factor * right;
        if self.is_greater {
            left > right
        } else {
            left < right
        }
    }
}

/// Reads a number with or without a unit of size, in bytes where it has one: `79.15 GiB`, `512MB`,
/// `1,024`.
fn amount(text: &str) -> Option<f64> {
    const UNITS: &[(&str, f64)] = &[
        ("", 1.0),
        ("b", 1.0),
        ("byte", 1.0),
        ("bytes", 1.0),
        ("k", 1024.0),
        ("kb", 1e3),
        ("kib", 1024.0),
        ("m", 1_048_576.0),
        ("mb", 1e6),
        ("mib", 1_048_576.0),
        ("g", 1_073_741_824.0),
        ("gb", 1e9),
        ("gib", 1_073_741_824.0),
        ("t", 1_099_511_627_776.0),
        ("tb", 1e12),
        ("tib", 1_099_511_627_776.0),
    ];
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.replace(',', "").parse().ok()?;
    let unit = unit.trim().to_ascii_lowercase();
    let (_, bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(number * bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(comparison: &str, captures: &[(&str, &str)]) -> bool {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let captures = Captures {
            values: captures.iter().map(owned).collect(),
            ..Captures::default()
        };
        Comparison::new(comparison).unwrap().holds(&captures)
    }

    #[test]
    fn sizes_are_compared_by_their_bytes() {
        for (left, right) in [
            ("2.00 GiB", "1.10 GiB"),
            ("1 GiB", "1023.99 MiB"),
            ("1GiB", "1 GB"),
            ("1.5", "1"),
            ("2,000 bytes", "1.9 KiB"),
            ("1 TiB", "1000 G"),
        ] {
            let captures = [("a", left), ("b", right)];
            assert!(holds("a > b", &captures), "{left} > {right}");
            assert!(!holds("a < b", &captures), "{left} < {right}");
        }
    }

    #[test]
    fn a_factor_belongs_to_the_right_side() {
        let captures = [("in_use", "77.90 GiB"), ("total", "79.15 GiB")];
        assert!(holds("in_use > 0.9 * total", &captures));
        assert!(!holds("in_use > 0.99*total", &captures));
    }

    #[test]
    fn an_amount_that_is_missing_or_no_number_holds_never() {
        for captures in [&[("a", "1 GiB")][..], &[("a", "1 GiB"), ("b", "much")]] {
            assert!(!holds("a > b", captures) && !holds("a < b", captures));
        }
        assert!(!holds("a < b", &[("a", "1 furlong"), ("b", "2")]));
    }

    #[test]
    fn what_is_no_comparison_is_an_error() {
        for text in [
            "a",
            "a = b",
            "a > 1 GiB",
            "a > b * 2",
            "a > x * b",
            "> b",
            "a >= b",
        ] {
            assert!(Comparison::new(text).is_err(), "{text}");
        }
    }
}
