//! A whole traceback on one line, as web pages paste it.

use super::cpython::{self, HEAD};
use crate::traceback::{Dialect, Evidence, Frame, Raised, Traceback};

/// Reads `Traceback (most recent call last): File "x.py", line 3, in f g() TypeError: bad`, the
/// head may be missing where there are two frames or more.
pub(crate) fn traceback(text: &str) -> Option<Traceback> {
    let first = text.find("File \"")?;
    let head = text[..first].contains(HEAD);
    let count = text.matches("File \"").count();
    if !head && count < 2 || head && !text[..first].trim_end().ends_with([':', ')']) {
        return None;
    }
    let mut frames = Vec::new();
    let mut last = "";
    for piece in text[first..].split("File \"").skip(1) {
        let (file, rest) = piece.split_once("\", line ")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let line = rest[..digits].parse().ok()?;
        let rest = rest[digits..].strip_prefix(", in ")?;
        let (function, source) = rest.split_once(' ').unwrap_or((rest, ""));
        last = source;
        frames.push(Frame {
            file: file.to_owned(),
            line,
            function: function.to_owned(),
            source: Some(source.trim().to_owned()).filter(|s| !s.is_empty()),
        });
    }
    let (source, exception, message) = final_part(last)?;
    if let Some(frame) = frames.last_mut() {
        frame.source = Some(source.trim().to_owned()).filter(|s| !s.is_empty());
    }
    Some(Traceback {
        dialect: Dialect::OneLine,
        evidence: if head {
            Evidence::Head
        } else {
            Evidence::Frames
        },
        raised: vec![Raised {
            exception: Some(exception.to_owned()),
            message: vec![message.to_owned()],
            frames,
            ..Raised::default()
        }],
        ..Traceback::default()
    })
}

/// Splits `return f(x) TypeError: cannot …` at the exception.
fn final_part(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    for word in text.split(' ') {
        let at = from;
        from += word.len() + 1;
        let Some(name) = word.strip_suffix(':') else {
            continue;
        };
        if cpython::looks_named(name) && cpython::raised(word).is_some() {
            return Some((&text[..at], name, text[from.min(text.len())..].trim()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_line_is_taken_apart() {
        let text = "Traceback (most recent call last): File \"a.py\", line 3, in <module> main() File \"b.py\", line 9, in main p.start() TypeError: cannot pickle '_thread.lock' object";
        let tb = traceback(text).expect("a traceback");
        assert_eq!(tb.raised[0].frames.len(), 2);
        assert_eq!(
            tb.raised[0].message,
            ["cannot pickle '_thread.lock' object"]
        );
        assert!(traceback("see File \"x.py\", line 3, in f").is_none());
    }
}
