//! What the width of a figure means, and how times and spans are written.

use super::Mark;
use crate::render::report::number;
use crate::traceback::stamp::Stamp;

/// What the width means.
pub(super) enum Axis {
    /// From the first stamp on, so many seconds.
    Time(Stamp, f64),
    /// From the first line on, so many lines.
    Line(u64),
}

impl Axis {
    /// Gives where a mark stands, from 0 to 1; `None` if it has no time.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a thousandth of the width is enough"
    )]
    pub(super) fn place(&self, mark: &Mark) -> Option<f64> {
        match self {
            Self::Time(start, width) => Some(mark.time?.seconds_after(*start)? / width),
            Self::Line(last) => Some(mark.line as f64 / *last as f64),
        }
    }

    /// Writes what stands below.
    pub(super) fn scale(&self) -> String {
        let (start, end) = match self {
            Self::Time(start, width) => (clock(*start), span(*width)),
            Self::Line(last) => ("line 1".to_owned(), format!("line {}", number(*last))),
        };
        format!(
            "<div class=\"axis\"><span></span><span class=\"scale\"><span>{start}</span><span>{end}</span></span></div>\n"
        )
    }
}

/// Writes a point in time as people do: `2026-05-01 10:00:03`.
pub(in crate::render::report::html) fn clock(time: Stamp) -> String {
    time.to_string().replacen('T', " ", 1)
}

/// Writes a span of time: `+ 31 min 5 s`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a span is not negative, and centuries of seconds fit"
)]
fn span(seconds: f64) -> String {
    if seconds < 10.0 {
        return format!("+ {seconds:.2} s");
    }
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("+ {seconds} s"),
        (0, minutes, seconds) => format!("+ {minutes} min {seconds} s"),
        (hours, minutes, _) => format!("+ {hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_written_as_people_say_them() {
        let spans = [0.5, 12.3, 1865.0, 11_000.0].map(span);
        assert_eq!(spans, ["+ 0.50 s", "+ 12 s", "+ 31 min 5 s", "+ 3 h 3 min"]);
    }
}
