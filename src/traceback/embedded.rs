//! Exceptions that stand inside the message of another one.

use super::line::told;
use super::{Exception, Link, Traceback};

/// Reads the reason out of each exception that quotes one, and adds it as a [`Link::Quoted`] exception.
pub(crate) fn read_reasons(traceback: &mut Traceback) {
    for index in 0..traceback.exceptions.len() {
        let raised = &traceback.exceptions[index];
        let reason = match raised.short_type() {
            Some("MaybeEncodingError") => reason(&raised.message.join("\n")),
            Some("UnexpectedStatusException" | "UnexpectedStatusError") => {
                raised.message.iter().find_map(|line| summed_up(line))
            }
            _ => None,
        };
        let Some((exception, text)) = reason else {
            continue;
        };
        traceback.exceptions.push(Exception {
            type_name: Some(exception),
            message: vec![text],
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
fn summed_up(line: &str) -> Option<(String, String)> {
    let told = told::summed_up(line.trim())?;
    Some((told.type_name.to_owned(), told.message?.to_owned()))
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
