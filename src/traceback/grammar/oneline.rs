//! A whole traceback on one line, as web pages paste it.

use std::fmt::Write;
use std::iter;

use super::cpython::{CAUSE, CONTEXT, HEAD};
use super::exception::{exception_line, looks_named};
use crate::line::find;
use crate::traceback::line::codes::{BREAK_TAGS, without_tags};
use crate::traceback::line::record::string;

/// How the frame of a plain traceback begins.
pub(crate) const FILE: &str = "File \"";

/// What begins a line of its own, wherever it stands.
const BREAKS: [&str; 6] = [
    "Original Traceback (most recent call last):",
    "Traceback (most recent call last):",
    CAUSE,
    CONTEXT,
    FILE,
    "when serializing ",
];

/// Lays out `Traceback (most recent call last): File "x.py", line 3, in f g() TypeError: bad` as it
/// was printed; the head may be missing where the line begins with a frame, or has two or more.
pub(crate) fn unfold(text: &str) -> Option<String> {
    find(text, FILE)?;
    if BREAK_TAGS.iter().any(|tag| text.contains(tag)) {
        return Some(of_page(text));
    }
    let without_ranks = without_ranks(text);
    let text = without_ranks.as_deref().unwrap_or(text);
    let quoted = in_quotes(text);
    let text = quoted.as_deref().unwrap_or(text);
    let first = text.find(FILE)?;
    let head = text[..first].rfind(HEAD);
    let directly = head.is_some_and(|at| {
        let between = text[at + HEAD.len()..first].trim();
        matches!(between, "" | ":")
    });
    let has_frames = text.trim_start().starts_with(FILE) || text.matches(FILE).count() >= 2;
    if !directly && (head.is_some() || !has_frames) {
        return None;
    }
    let mut out = String::new();
    let mut has_final = false;
    let mut pieces = pieces(text).peekable();
    while let Some(piece) = pieces.next() {
        if let Some(frame) = piece.strip_prefix(FILE) {
            has_final |= write_entry(&mut out, frame, pieces.peek().is_none())?;
        } else {
            let _ = writeln!(out, "{}", piece.trim());
        }
    }
    has_final.then_some(out)
}

/// Splits a text before each of [`BREAKS`].
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    // Where each stands next, so that a text is searched once for one that it does not hold.
    let mut places = BREAKS.map(|mark| text.find(mark));
    let mut start = 0;
    iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.is_empty())?;
        let mark = BREAKS.iter().find(|mark| rest.starts_with(**mark));
        let from = start + mark.map_or(0, |mark| mark.len());
        for (place, mark) in places.iter_mut().zip(BREAKS) {
            if place.is_some_and(|at| at < from) {
                *place = text[from..].find(mark).map(|at| from + at);
            }
        }
        let end = places.iter().flatten().min().copied();
        let piece = &text[start..end.unwrap_or(text.len())];
        start += piece.len();
        Some(piece)
    })
}

/// Lays out what a page wrote on one line: `<p>Traceback (most recent call last):<br>  File "x.py", …</p>`.
fn of_page(text: &str) -> String {
    let [first, others @ ..] = BREAK_TAGS;
    let others = others.into_iter();
    let text = others.fold(text.to_owned(), |text, tag| text.replace(tag, first));
    let lines = text
        .split(first)
        .map(|line| without_tags(line).unwrap_or(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Takes out what torchrun writes in front of each line, which a page then joined: `[rank0]:`.
fn without_ranks(text: &str) -> Option<String> {
    let is_rank = |word: &&str| {
        let number = word
            .strip_prefix("[rank")
            .and_then(|w| w.strip_suffix("]:"));
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    if !text.contains("[rank") {
        return None;
    }
    let words: Vec<&str> = text.split(' ').filter(|word| !is_rank(word)).collect();
    Some(words.join(" "))
}

/// Takes out what stands in quotes, as in a table or a record: `17,"Traceback (most recent call last): …",`.
/// Those of the frames may be escaped.
fn in_quotes(text: &str) -> Option<String> {
    let head = text.find(HEAD)?;
    let before = &text[..head];
    let quote = before.chars().last().filter(|c| matches!(c, '"' | '\''))?;
    // The border of another process's text is no quote.
    let inner = string(&text[head..], quote).filter(|_| !before.ends_with("\"\"\""))?;
    if inner.contains(FILE) {
        return Some(inner);
    }
    let (inner, _) = text[head..].rsplit_once(quote)?;
    Some(inner.to_owned())
}

/// Writes `x.py", line 3, in f g() TypeError: bad` as a frame, its source, and the final line if
/// it is there.
fn write_entry(out: &mut String, text: &str, is_last: bool) -> Option<bool> {
    let (file, rest) = text.split_once("\", line ")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (line, rest) = rest.split_at(digits);
    let (function, source) = match rest.strip_prefix(", in ") {
        Some(rest) => rest.split_once(' ').unwrap_or((rest, "")),
        // A `SyntaxError` shows the place without a function.
        None => ("", rest),
    };
    if line.is_empty() {
        return None;
    }
    let _ = write!(out, "  File \"{file}\", line {line}");
    if !function.is_empty() {
        let _ = write!(out, ", in {function}");
    }
    out.push('\n');
    let at = final_line(source, is_last);
    let code = &source[..at.unwrap_or(source.len())];
    let words = code
        .split([' ', '\t'])
        .filter(|w| !w.bytes().all(|b| matches!(b, b'~' | b'^')));
    let code = words.collect::<Vec<_>>().join(" ");
    if !code.is_empty() {
        let _ = writeln!(out, "    {code}");
    }
    if let Some(at) = at {
        // What a page joined may go on behind the fence.
        let last = &source[at..];
        let last = last.split_once(" ```").map_or(last, |(last, _)| last);
        let _ = writeln!(out, "{}", last.trim());
    }
    Some(at.is_some())
}

/// Finds where the final line starts in `return f(x) TypeError: cannot …`: at the first name of an
/// exception with a colon, or at one that ends the text.
fn final_line(text: &str, is_last: bool) -> Option<usize> {
    let mut from = 0;
    let end = text.trim_end().len();
    let is_of_name = |c: char| c.is_alphanumeric() || "_.<>".contains(c);
    for word in text.split([' ', '\t']) {
        let at = from;
        from += word.len() + 1;
        let ends = at + word.len() >= end;
        let name = word
            .strip_suffix(':')
            .or_else(|| (ends && (!is_last || at > 0)).then_some(word));
        // The line break before it may have become nothing: `main()TypeError: bad`.
        let name = name.map(|name| &name[name.trim_end_matches(is_of_name).len()..]);
        if let Some(name) = name.filter(|n| looks_named(n) && exception_line(n).is_some()) {
            return Some(at + word.trim_end_matches(':').len() - name.len());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_line_is_laid_out() {
        let text = "Traceback (most recent call last): File \"a.py\", line 3, in <module> main() ^^^^^^ File \"b.py\", line 9, in main p.start() TypeError: cannot pickle '_thread.lock' object";
        assert_eq!(
            unfold(text).as_deref(),
            Some(
                "Traceback (most recent call last):
  File \"a.py\", line 3, in <module>
    main()
  File \"b.py\", line 9, in main
    p.start()
TypeError: cannot pickle '_thread.lock' object
"
            )
        );
        let ranks = "Traceback (most recent call last): [rank0]: File \"a.py\", line 3, in f [rank0]: g() [rank0]: TypeError: bad";
        let lines = unfold(ranks).expect("a traceback");
        assert_eq!(lines.lines().last(), Some("TypeError: bad"), "{lines}");
        let cut = "File \"a.py\", line 3, in f g() TypeError: bad";
        assert_eq!(unfold(cut).map(|lines| lines.lines().count()), Some(3));
        assert_eq!(unfold("see File \"x.py\", line 3, in f"), None);
        assert_eq!(unfold("  File \"x.py\", line 3, in f"), None);
    }

    #[test]
    fn blanks_without_end_are_looked_at_once() {
        let blanks = " ".repeat(60_000);
        let text = format!("{HEAD}: File \"a.py\", line 3, in f g(){blanks}TypeError: bad");
        let lines = unfold(&text).expect("a traceback");
        assert_eq!(lines.lines().last(), Some("TypeError: bad"));
        assert_eq!(
            unfold(&format!("{HEAD}: File \"a.py\", line 3, in f g(){blanks}")),
            None
        );
    }

    #[test]
    fn frames_without_end_are_looked_at_once() {
        let frames = "File \"a.py\", line 3, in f g() ".repeat(40_000);
        let lines = unfold(&format!("{HEAD}: {frames}TypeError: bad")).expect("a traceback");
        assert_eq!(lines.lines().count(), 80_002);
    }

    #[test]
    fn a_chain_is_laid_out() {
        let text = format!(
            "Process SpawnProcess-1: {HEAD}: File \"a.py\", line 3, in f g() EOFError {CONTEXT} {HEAD}: File \"b.py\", line 9, in main OSError: x when serializing list item 0"
        );
        let lines = unfold(&text).expect("a traceback");
        assert_eq!(lines.lines().count(), 10, "{lines}");
    }
}
