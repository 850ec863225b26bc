//! Exceptions that stand inside the message of another one.

use std::iter;

use super::line::told;
use super::{Exception, Link, Traceback};

/// The exception of torchrun, whose message is a box of several lines.
const BOX: &str = "ChildFailedError";

/// Reads the reason out of each exception that quotes one, and adds it as a [`Link::Quoted`] exception.
pub(crate) fn read_reasons(traceback: &mut Traceback) {
    for index in 0..traceback.exceptions.len() {
        let raised = &traceback.exceptions[index];
        let reason = match raised.short_type() {
            Some("MaybeEncodingError") => reason(&raised.message.join("\n")),
            Some("UnexpectedStatusException" | "UnexpectedStatusError" | "FailedStatusError") => {
                summed_up(&raised.message)
            }
            _ => None,
        };
        let Some((exception, text)) = reason else {
            continue;
        };
        traceback.exceptions.push(Exception {
            type_name: Some(exception),
            message: text.lines().map(str::to_owned).collect(),
            link: Some((Link::Quoted, index)),
            ..Exception::default()
        });
    }
}

/// `Error sending result: '[…]'. Reason: 'TypeError("cannot pickle 'generator' object")'`
/// (`Lib/multiprocessing/pool.py`; 3.6 writes a comma before the parenthesis).
fn reason(message: &str) -> Option<(String, String)> {
    let (_, reason) = message.rsplit_once("Reason: '")?;
    call_form(reason.trim_end().trim_end_matches('\''))
}

/// `ErrorMessage "TypeError: cannot pickle 'generator' object"`: what `SageMaker` passes on of a job that failed.
///
/// From the first line on that names an exception, often a `raise`, the toolkit quotes all that was printed,
/// each line without the blanks and colons around it, all but the first behind one blank (`watch` in
/// `sagemaker_training/process.py`).
fn summed_up(message: &[String]) -> Option<(String, String)> {
    let mut lines = message.iter().map(|line| line.trim());
    let first = lines.find_map(|line| line.split_once(told::SUMMARY));
    let (_, first) = first?;
    // All may stand in one line.
    let first = first.split("\" Command \"").next()?;
    let mut quoted = iter::once(first)
        .chain(lines)
        .take_while(|line| !line.starts_with("Command \""));
    while let Some(line) = quoted.next() {
        if line.ends_with(BOX) {
            let told: Vec<&str> = quoted.map(|line| line.trim_end_matches('"')).collect();
            return Some((line.to_owned(), told.join("\n")));
        }
        if let Some(told) = told::in_summary(line) {
            return Some((told.type_name.to_owned(), told.message?.to_owned()));
        }
    }
    None
}

/// Reads `TypeError("bad",)` as the type and its message.
fn call_form(text: &str) -> Option<(String, String)> {
    let (name, rest) = text.split_once('(')?;
    if name.is_empty()
        || !name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
    {
        return None;
    }
    let inner = rest.trim_end_matches(')').trim_end_matches(',');
    let quote = inner.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = inner.strip_prefix(quote)?;
    let inner = inner.strip_suffix(quote).unwrap_or(inner);
    Some((
        name.to_owned(),
        inner
            .replace("\\'", "'")
            .replace("\\\"", "\"")
            .replace("\\n", "\n"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_read_in_the_forms_of_all_versions() {
        for reason in [
            r#"TypeError("cannot pickle 'generator' object")"#,
            r#"TypeError("cannot pickle 'generator' object",)"#,
        ] {
            assert_eq!(
                call_form(reason),
                Some((
                    "TypeError".into(),
                    "cannot pickle 'generator' object".into()
                ))
            );
        }
    }
}
