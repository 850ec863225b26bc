//! Numbers of things, as they are written for people.

use std::fmt;

/// A number, a comma between its thousands: `1,200`.
#[derive(Clone, Copy)]
pub struct Number(pub u64);

/// A number of things, named in the singular: `1 file`, `1,200 files`.
#[derive(Clone, Copy)]
pub struct Count<'a>(pub u64, pub &'a str);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Count<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, name) = self;
        let plural = if *count == 1 { "" } else { "s" };
        write!(f, "{} {name}{plural}", Number(*count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart_and_one_is_singular() {
        let counts = [0, 1, 999, 1200, 1_000_000].map(|n| Count(n, "file").to_string());
        assert_eq!(
            counts,
            [
                "0 files",
                "1 file",
                "999 files",
                "1,200 files",
                "1,000,000 files"
            ]
        );
    }
}
