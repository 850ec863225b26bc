//! What a Ctrl-C means: it goes to the program in front of the pipe, and pickfix stays for that
//! program's last words, unless nobody is left to say any.

use std::time::Duration;

/// A press this soon after the one before belongs to it: an impatient double press is one wish.
const APART: Duration = Duration::from_secs(1);

/// Remembers the last Ctrl-C, and whether input came since.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    pressed: Option<Duration>,
}

impl Patience {
    /// Notes that input came: whoever wrote it is still there.
    pub(crate) fn input(&mut self) {
        self.pressed = None;
    }

    /// Notes a Ctrl-C at this time; returns whether it is the one that ends pickfix.
    pub(crate) fn is_over(&mut self, now: Duration) -> bool {
        let before = self.pressed.replace(now);
        before.is_some_and(|before| now.saturating_sub(before) >= APART)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_single_press_never_ends_it() {
        assert!(!Patience::default().is_over(at(60_000)));
    }

    #[test]
    fn a_second_press_a_second_later_ends_it() {
        let mut patience = Patience::default();
        assert!(!patience.is_over(at(5_000)));
        assert!(patience.is_over(at(6_000)));
    }

    #[test]
    fn a_hasty_double_press_counts_as_one() {
        let mut patience = Patience::default();
        assert!(!patience.is_over(at(5_000)));
        assert!(!patience.is_over(at(5_999)));
        assert!(patience.is_over(at(6_999)));
    }

    #[test]
    fn input_between_two_presses_shows_that_somebody_is_there() {
        let mut patience = Patience::default();
        assert!(!patience.is_over(at(5_000)));
        patience.input();
        assert!(!patience.is_over(at(9_000)));
        assert!(patience.is_over(at(10_000)));
    }
}
