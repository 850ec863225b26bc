//! A line outside tracebacks: what it tells behind what its writer puts in front.

use std::iter;

use super::line::prefix::Prefix;
use super::line::prefix_form::PrefixEnds;
use super::line::{shared, told};
use super::part::ExceptionLine;
use super::{Dialect, Evidence, Exception, Traceback};
use crate::line::find;

pub(crate) use super::grammar::exception::bare_exception;
pub(crate) use super::line::told::{bare_message, messages_in};

/// Reads a text of a line as the exception that it tells behind a program's own words, if it does.
pub(crate) fn told_exception(line: &Traceback, text: &str) -> Option<Traceback> {
    told::exception_in(text).map(|told| told_so(line, &told))
}

/// Reads a line of pytest's summary as the exception that it tells, if it is one.
pub(crate) fn told_in_summary(line: &Traceback, text: &str) -> Option<Traceback> {
    // It names a file: nearly all lines need not be read.
    find(text, ".py")?;
    told::summary(without_prefix(text)).map(|told| told_so(line, &told))
}

fn told_so(line: &Traceback, told: &ExceptionLine<'_>) -> Traceback {
    let type_name = Some(told.type_name);
    told_by(line, Evidence::Line, type_name, told.message)
}

/// Returns the exception of this type and message that a line tells.
pub(crate) fn told_by(
    line: &Traceback,
    evidence: Evidence,
    type_name: Option<&str>,
    message: Option<&str>,
) -> Traceback {
    let exception = Exception {
        type_name: type_name.map(str::to_owned),
        message: message.into_iter().map(str::to_owned).collect(),
        ..Exception::default()
    };
    Traceback {
        dialect: Dialect::Cpython,
        evidence,
        exceptions: vec![exception],
        ..line.clone()
    }
}

/// Takes off what at the start of a line is a prefix by its form alone, and what makes a line bold.
pub(crate) fn without_prefix(line: &str) -> &str {
    let rest = &line[Prefix::plain_len(line)..];
    told::without_bold(rest)
}

/// Takes off the same, read once, and then what else of it may be the prefix.
pub(crate) fn without_prefixes(line: &str) -> impl Iterator<Item = &str> {
    let ends = PrefixEnds::of(line);
    let others: Vec<_> = ends.others().map(|len| &line[len..]).collect();
    iter::once(told::without_bold(&line[ends.whole()..])).chain(others)
}

/// Takes off what Python's `logging` puts in front unless it is told otherwise: `WARNING:name:`.
pub(crate) fn without_logger(line: &str) -> Option<&str> {
    let says_failed = line.starts_with(['C', 'E', 'W']);
    let len = told::logged_len(line).filter(|_| says_failed)?;
    Some(&line[len..])
}

/// Takes off a prefix, learned from a line, from the lines above it that bear it.
pub(crate) fn strip_above(prefix: &str, above: &mut [String]) {
    let prefix = Prefix::learn(prefix);
    for text in above {
        if let Some(rest) = prefix.strip(text) {
            *text = rest.to_owned();
        }
    }
}

/// Takes off what at the start of a line the lines above bear too, up to a mark that ends a prefix.
pub(crate) fn without_shared_prefix<'t>(line: &'t str, above: &[String]) -> &'t str {
    let above = above.iter().map(String::as_str);
    let len = shared::prefix_lens(line, above).last();
    &line[len.unwrap_or(0)..]
}
