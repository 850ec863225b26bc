//! Which line a template of several lines wants next.

use super::pattern::Pattern;
use super::template::TemplateLine;

/// How many lines a line `...` may take from the output of others.
const MAX_GAP_LINES: usize = 4;

/// Returns whether the template wants `next` after these lines of a message, or any line if there is none.
pub(crate) fn expects(pattern: &Pattern, message: &[&str], next: Option<&str>) -> bool {
    let taken = pattern.lines().iter().map(|line| match line {
        TemplateLine::Any => MAX_GAP_LINES,
        TemplateLine::Pieces(_) => 1,
    });
    let earliest = message.len().saturating_sub(taken.sum());
    (earliest..message.len()).any(|start| expects_from(pattern, 0, &message[start..], next))
}

/// Returns whether `next` can be the first line of a message that starts below its exception.
pub(crate) fn expects_first(pattern: &Pattern, next: Option<&str>) -> bool {
    matches!(pattern.lines().first(), Some(TemplateLine::Pieces(_)))
        && next.is_none_or(|n| pattern.line_fits(0, n))
}

/// Returns whether the template's lines from `at` on fill `message` to its end and then want `next`.
fn expects_from(pattern: &Pattern, at: usize, message: &[&str], next: Option<&str>) -> bool {
    match (pattern.lines().get(at), message) {
        (None, _) => false,
        (Some(TemplateLine::Any), _) => {
            let gaps = 0..=message.len().min(MAX_GAP_LINES);
            let is_complete = gaps
                .clone()
                .any(|n| is_filled(pattern, at + 1, &message[n..]));
            let mut after = gaps.map(|n| expects_from(pattern, at + 1, &message[n..], next));
            !is_complete && (message.len() < MAX_GAP_LINES || after.any(|a| a))
        }
        (Some(TemplateLine::Pieces(_)), []) => {
            at > 0 && next.is_none_or(|n| pattern.line_fits(at, n))
        }
        (Some(TemplateLine::Pieces(_)), [first, rest @ ..]) => {
            pattern.line_fits(at, first) && expects_from(pattern, at + 1, rest, next)
        }
    }
}

/// Returns whether the template's lines from `at` on are all there at the start of `message`.
fn is_filled(pattern: &Pattern, at: usize, message: &[&str]) -> bool {
    match (pattern.lines().get(at), message) {
        (None, _) => true,
        (Some(TemplateLine::Any), _) => {
            (0..=message.len()).any(|n| is_filled(pattern, at + 1, &message[n..]))
        }
        (Some(TemplateLine::Pieces(_)), []) => false,
        (Some(TemplateLine::Pieces(_)), [first, rest @ ..]) => {
            pattern.line_fits(at, first) && is_filled(pattern, at + 1, rest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::matching::pattern::Anchor;

    const CUDA: &str = "CUDA error: {what}\nCUDA kernel errors ...\n...\nCompile with {flag}";

    fn expects(template: &str, message: &[&str], next: Option<&str>) -> bool {
        super::expects(
            &Pattern::new(template, Anchor::Line).unwrap(),
            message,
            next,
        )
    }

    #[test]
    fn the_next_line_of_the_template_is_wanted_and_no_other() {
        let first = ["CUDA error: x"];
        assert!(expects(CUDA, &first, Some("CUDA kernel errors might")));
        assert!(expects(CUDA, &first, None));
        assert!(!expects(CUDA, &first, Some("epoch 1")));
        assert!(!expects(CUDA, &["other"], Some("CUDA kernel errors might")));
        assert!(!expects(CUDA, &[], Some("CUDA error: x")));
    }

    #[test]
    fn a_gap_wants_a_few_lines_and_not_more() {
        let message = [
            "CUDA error: x",
            "CUDA kernel errors might",
            "1",
            "2",
            "3",
            "4",
        ];
        assert!(expects(CUDA, &message[..2], Some("For debugging")));
        assert!(!expects(CUDA, &message, Some("epoch 1")));
        assert!(expects(CUDA, &message, Some("Compile with A")));
    }

    #[test]
    fn the_first_line_may_stand_below_the_exception() {
        let first = |template: &str, next| {
            expects_first(&Pattern::new(template, Anchor::Line).unwrap(), next)
        };
        assert!(first(CUDA, None));
        assert!(first(CUDA, Some("CUDA error: x")));
        assert!(!first(CUDA, Some("epoch 1")));
    }

    #[test]
    fn a_template_that_is_filled_wants_nothing() {
        let message = [
            "CUDA error: x",
            "CUDA kernel errors might",
            "Compile with A",
        ];
        assert!(!expects(CUDA, &message, None));
        assert!(!expects("a\nb\n...", &["a", "b"], None));
        assert!(!expects("...\na", &["b"], None));
    }
}
