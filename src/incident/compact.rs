//! Failures cut to what is worth remembering.

use crate::corpus::Failure;

/// The bytes that the texts of one remembered failure may have in all.
const MAX_BYTES: usize = 1024;
/// The most steps of an object path.
const MAX_STEPS: usize = 16;

/// Cuts the longest texts of a failure until all together have at most 1 KiB.
pub(super) fn compact(failure: &mut Failure) {
    if let Some(diagnosis) = &mut failure.diagnosis
        && let Some(path) = &mut diagnosis.object_path
    {
        path.steps.truncate(MAX_STEPS);
    }
    if let Some(frame) = &mut failure.facts.user_frame {
        frame.around = Vec::new();
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

fn texts<'f>(failure: &'f mut Failure) -> Vec<&'f mut String> {
    let mut texts: Vec<&'f mut String> = Vec::with_capacity(8);
    texts.push(&mut failure.message);
    let lines = [
        &mut failure.exception,
        &mut failure.prefix,
        &mut failure.heading,
    ];
    texts.extend(lines.into_iter().flatten());
    if let Some(diagnosis) = &mut failure.diagnosis {
        texts.extend(diagnosis.captures.values_mut());
        if let Some(path) = &mut diagnosis.object_path {
            texts.push(&mut path.display);
            let names = [&mut path.holder, &mut path.attribute, &mut path.reached];
            texts.extend(names.into_iter().flatten());
            texts.extend(&mut path.steps);
        }
    }
    if let Some(frame) = &mut failure.facts.user_frame {
        texts.extend([frame.path.text_mut(), &mut frame.function]);
        texts.extend(&mut frame.source);
    }
    texts
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
    use crate::traceback::Frame;

    #[test]
    fn the_longest_texts_are_cut_first() {
        let frame = Frame {
            path: "train.py".into(),
            source: Some("ä".repeat(4000)),
            ..Frame::default()
        };
        let mut failure = Failure {
            exception: Some("E".repeat(2000)),
            prefix: Some("[rank0]: ".into()),
            ..Failure::default()
        };
        failure.facts.user_frame = Some(frame);
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
