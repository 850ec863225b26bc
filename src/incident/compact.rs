//! Failures cut to what is worth remembering.

use super::Failure;
use crate::traceback::facts::Facts;

/// The bytes that the texts of one remembered failure may have in all.
const MAX_BYTES: usize = 1024;
/// The most steps of an object path.
const MAX_STEPS: usize = 16;

/// Cuts the longest texts of a failure until all together have at most 1 KiB.
pub(super) fn compact(failure: &mut Failure) {
    if let Failure::Known(diagnosis) = failure
        && let Some(path) = &mut diagnosis.object_path
    {
        path.steps.truncate(MAX_STEPS);
    }
    let mut texts = texts(failure);
    let mut lengths: Vec<usize> = texts.iter().map(|text| text.len()).collect();
    lengths.sort_unstable();
    let mut left = MAX_BYTES;
    for (i, length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - i);
        if *length > share {
            for text in &mut texts {
                cut(text, share);
            }
            break;
        }
        left -= length;
    }
    for text in texts {
        text.shrink_to_fit();
    }
}

fn texts<'a>(failure: &'a mut Failure) -> Vec<&'a mut String> {
    match failure {
        Failure::Known(d) => {
            let mut texts: Vec<&'a mut String> = vec![&mut d.message];
            texts.extend(
                [&mut d.exception, &mut d.prefix, &mut d.heading]
                    .into_iter()
                    .flatten(),
            );
            texts.extend(d.captures.values_mut());
            if let Some(path) = &mut d.object_path {
                texts.push(&mut path.display);
                texts.extend(
                    [&mut path.holder, &mut path.attribute, &mut path.reached]
                        .into_iter()
                        .flatten(),
                );
                texts.extend(&mut path.steps);
            }
            texts.extend(frame_texts(&mut d.facts));
            texts
        }
        Failure::Unknown {
            exception,
            message,
            facts,
            prefix,
            at: _,
            time: _,
        } => {
            let mut texts = vec![exception, message];
            texts.extend(prefix);
            texts.extend(frame_texts(facts));
            texts
        }
    }
}

fn frame_texts(facts: &mut Facts) -> impl Iterator<Item = &mut String> {
    let frame = facts.user_frame.as_mut();
    frame.into_iter().flat_map(|f| {
        [f.path.text_mut(), &mut f.function]
            .into_iter()
            .chain(&mut f.source)
    })
}

/// Cuts a text to at most `max` bytes, an ellipsis at its end.
fn cut(text: &mut String, max: usize) {
    const ELLIPSIS: &str = "…";
    if text.len() > max {
        let keep = max.saturating_sub(ELLIPSIS.len());
        text.truncate(
            (0..=keep)
                .rev()
                .find(|i| text.is_char_boundary(*i))
                .unwrap_or(0),
        );
        text.push_str(ELLIPSIS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traceback::{Frame, Span};

    #[test]
    fn the_longest_texts_are_cut_first() {
        let frame = Frame {
            path: "train.py".into(),
            source: Some("ä".repeat(4000)),
            ..Frame::default()
        };
        let mut failure = Failure::Unknown {
            exception: "E".repeat(2000),
            facts: Facts {
                user_frame: Some(frame),
                ..Facts::default()
            },
            message: String::new(),
            at: Span::default(),
            time: None,
            prefix: Some("[rank0]: ".into()),
        };
        compact(&mut failure);
        let sizes: Vec<usize> = texts(&mut failure).iter().map(|t| t.len()).collect();
        assert!(sizes.iter().sum::<usize>() <= MAX_BYTES, "{sizes:?}");
        assert!(
            sizes.contains(&"[rank0]: ".len()) && sizes.contains(&"train.py".len()),
            "{sizes:?}"
        );
        assert!(sizes.iter().filter(|s| **s > 400).count() == 2, "{sizes:?}");
    }
}
