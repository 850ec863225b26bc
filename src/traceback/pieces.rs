//! What the grammars take out of one line: the view that tests and fuzz targets have of them.

use super::Dialect;
use super::grammar::{self, cpython};
use super::line::prefix::Prefix;
use super::part::{ExceptionLine, FrameLine, Part};

/// Returns all that the grammar of a dialect takes out of a line. Each piece is a part of the line.
pub fn pieces(dialect: Dialect, line: &str) -> Vec<&str> {
    let mut all = of_part(grammar::part(dialect, line));
    all.extend(grammar::start(line).into_iter().flat_map(of_start));
    if let Some(cpython::Margin::Text(_, text)) = cpython::margin(line) {
        all.push(text);
    }
    all.extend(cpython::heading(line));
    all.push(&line[Prefix::plain_len(line)..]);
    all
}

/// Returns the texts that a line holds folded up: strings with escaped line breaks, a traceback
/// pasted on one line.
pub fn unfolded(line: &str) -> Vec<String> {
    let texts = [
        grammar::json::traceback(line),
        grammar::oneline::unfold(line),
    ];
    texts.into_iter().flatten().collect()
}

/// Learns a prefix and takes it off a line; `None` if the line does not bear it.
pub fn stripped<'a>(prefix: &str, line: &'a str) -> Option<&'a str> {
    Prefix::learn(prefix).strip(line)
}

fn of_part(part: Part<'_>) -> Vec<&str> {
    match part {
        Part::Head { before, .. } => vec![before],
        Part::Frame(frame) => of_frame(&frame),
        Part::Quote(text)
        | Part::Function(text)
        | Part::Source { text, .. }
        | Part::PartialPath(text)
        | Part::Beside(text)
        | Part::Message(text) => vec![text],
        Part::Thread(head) => head.texts().collect(),
        Part::Exception(exception) => of_exception(exception),
        Part::Repeated(_)
        | Part::Elided
        | Part::Carets
        | Part::Separator(_)
        | Part::Border
        | Part::End
        | Part::Context
        | Part::Blank
        | Part::Text => Vec::new(),
    }
}

fn of_start(start: grammar::TracebackStart<'_>) -> Vec<&str> {
    match start {
        grammar::TracebackStart::Head { before, .. } => vec![before],
        grammar::TracebackStart::Frame { before, frame } => {
            let mut all = of_frame(&frame);
            all.push(before);
            all
        }
        grammar::TracebackStart::Exception { exception, .. } => of_exception(exception),
        grammar::TracebackStart::Editor { type_name } => vec![type_name],
        grammar::TracebackStart::Thread(head) => head.texts().collect(),
    }
}

fn of_frame<'a>(frame: &FrameLine<'a>) -> Vec<&'a str> {
    // `<module>` is what some dialects leave out.
    let function = frame.function.filter(|f| *f != "<module>");
    std::iter::once(frame.file).chain(function).collect()
}

fn of_exception(exception: ExceptionLine<'_>) -> Vec<&str> {
    std::iter::once(exception.type_name)
        .chain(exception.message)
        .collect()
}
