//! A template laid on a text: literals in their order, with gaps between them.
//!
//! A gap takes anything that stays in its line, and takes the least that lets the rest fit. So the
//! first place of a literal is as good as any later one, and one pass over a line is enough.

use memchr::memchr;

use super::template::{TemplateLine, TemplatePiece, literal_bytes};
use crate::line::find;

/// What captures were filled with, in the order of the template; a name may be there twice.
pub(crate) type CaptureValues<'p, 't> = Vec<(&'p str, &'t str)>;

/// Where a template must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TemplateEnd {
    /// At the end of a line.
    Line,
    /// Behind its last literal, wherever that is: what follows was cut off.
    Anywhere,
}

/// Fills the lines of a template from the lines of a text, from the first one on where they fit.
/// `starts` gives the places in that line, in bytes, where the template may start.
pub(crate) fn fill<'p, 't, S>(
    template: &'p [TemplateLine],
    end: TemplateEnd,
    text: &'t str,
    starts: impl Fn(&'t str) -> S,
) -> Option<CaptureValues<'p, 't>>
where
    S: Iterator<Item = usize>,
{
    let mut values = CaptureValues::new();
    let mut next = Some(text);
    while let Some(lines) = next {
        let (first, rest) = split_line(lines);
        for start in starts(first) {
            values.clear();
            if lines_fit(template, end, &lines[start..], &mut values) {
                return Some(values);
            }
        }
        next = rest;
    }
    None
}

/// Returns how many bytes of a template's fixed text are in a text whose end was cut off; `None` where it shows
/// another one.
pub(crate) fn shown<'t, S>(
    template: &[TemplateLine],
    text: &'t str,
    starts: impl Fn(&'t str) -> S,
) -> Option<usize>
where
    S: Iterator<Item = usize>,
{
    let all = each_line(text).flat_map(|lines| {
        let (first, _) = split_line(lines);
        starts(first).filter_map(|start| shown_lines(template, &lines[start..]))
    });
    all.max()
}

/// Returns the same for a template that begins where these lines do.
fn shown_lines(template: &[TemplateLine], lines: &str) -> Option<usize> {
    let Some((line, more)) = template.split_first() else {
        return Some(0);
    };
    let TemplateLine::Pieces(pieces) = line else {
        // Any lines may be all that is left of it.
        let found = each_line(lines).find_map(|lines| shown_lines(more, lines));
        return Some(found.unwrap_or(0));
    };
    let (first, rest) = split_line(lines);
    let Some(rest) = rest else {
        return shown_pieces(pieces, first);
    };
    let end = TemplateEnd::Line;
    let is_whole = pieces_fit(pieces, end, first, &mut CaptureValues::new());
    let own = literal_bytes(std::slice::from_ref(line));
    Some(own + shown_lines(more, rest).filter(|_| is_whole)?)
}

/// Returns the same for a line that was cut.
fn shown_pieces(pieces: &[TemplatePiece], line: &str) -> Option<usize> {
    let (mut rest, mut is_gap, mut shown) = (line, false, 0);
    for piece in pieces {
        let TemplatePiece::Literal(literal) = piece else {
            is_gap = true;
            continue;
        };
        let at = if is_gap {
            find(rest, literal)
        } else {
            rest.starts_with(literal.as_str()).then_some(0)
        };
        let Some(at) = at else {
            let is_begun = is_gap || literal.starts_with(rest);
            let begun = if is_gap { 0 } else { rest.len() };
            return is_begun.then_some(shown + begun);
        };
        rest = &rest[at + literal.len()..];
        shown += literal.len();
        is_gap = false;
    }
    (is_gap || rest.is_empty()).then_some(shown)
}

/// Returns a text from each of its lines on.
fn each_line(text: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(text), |lines| split_line(lines).1)
}

/// Returns whether a line of a template fits a line of text.
pub(crate) fn line_fits(line: &TemplateLine, text: &str) -> bool {
    lines_fit(
        std::slice::from_ref(line),
        TemplateEnd::Line,
        text,
        &mut CaptureValues::new(),
    )
}

/// Returns whether the template fits the beginning of these lines.
fn lines_fit<'p, 't>(
    template: &'p [TemplateLine],
    end: TemplateEnd,
    lines: &'t str,
    values: &mut CaptureValues<'p, 't>,
) -> bool {
    let Some((line, more)) = template.split_first() else {
        return true;
    };
    let TemplateLine::Pieces(pieces) = line else {
        return after_any(more, end, Some(lines), values);
    };
    let (first, rest) = split_line(lines);
    let own_end = if more.is_empty() {
        end
    } else {
        TemplateEnd::Line
    };
    pieces_fit(pieces, own_end, first, values)
        && match (more, rest) {
            ([], _) => true,
            ([TemplateLine::Any, more @ ..], rest) => after_any(more, end, rest, values),
            (more, Some(rest)) => lines_fit(more, end, rest, values),
            (_, None) => false,
        }
}

/// Returns whether the template fits after some of these lines, as few as may be.
fn after_any<'p, 't>(
    template: &'p [TemplateLine],
    end: TemplateEnd,
    lines: Option<&'t str>,
    values: &mut CaptureValues<'p, 't>,
) -> bool {
    let known = values.len();
    let mut next = lines;
    while let Some(lines) = next {
        if lines_fit(template, end, lines, values) {
            return true;
        }
        values.truncate(known);
        next = split_line(lines).1;
    }
    template.is_empty()
}

/// Returns whether the pieces of a line fit one line of text; what they captured is added.
fn pieces_fit<'p, 't>(
    pieces: &'p [TemplatePiece],
    end: TemplateEnd,
    line: &'t str,
    values: &mut CaptureValues<'p, 't>,
) -> bool {
    let mut rest = line;
    let mut pieces = pieces;
    loop {
        let gaps = pieces
            .iter()
            .take_while(|p| !matches!(p, TemplatePiece::Literal(_)));
        let (gap, behind) = pieces.split_at(gaps.count());
        let Some((TemplatePiece::Literal(literal), more)) = behind.split_first() else {
            return match (gap, end) {
                ([], TemplateEnd::Line) => rest.is_empty(),
                ([], TemplateEnd::Anywhere) => true,
                _ => fill_gap(gap, rest, values),
            };
        };
        let is_last = more.is_empty() && end == TemplateEnd::Line;
        let at = if gap.is_empty() {
            rest.starts_with(literal.as_str()).then_some(0)
        } else {
            place(literal, least_len(gap, rest), rest, is_last)
        };
        let Some(at) = at.filter(|at| fill_gap(gap, &rest[..*at], values)) else {
            return false;
        };
        rest = &rest[at + literal.len()..];
        pieces = more;
    }
}

/// Returns where a literal stands behind a gap of at least so many bytes: at the end of the line if it
/// is the last piece, else as early as it can.
fn place(literal: &str, least: Option<usize>, line: &str, is_last: bool) -> Option<usize> {
    let least = least?;
    if is_last {
        let at = line.len().checked_sub(literal.len())?;
        return (at >= least && line.ends_with(literal)).then_some(at);
    }
    find(&line[least..], literal).map(|at| least + at)
}

/// Returns how many bytes a gap takes at least: a character for each capture.
fn least_len(gap: &[TemplatePiece], text: &str) -> Option<usize> {
    let mut chars = text.chars();
    for piece in gap {
        if matches!(piece, TemplatePiece::Capture(_)) {
            chars.next()?;
        }
    }
    Some(text.len() - chars.as_str().len())
}

/// Fills the pieces of a gap: the last one takes what the others need not, a capture before `...` its
/// word.
fn fill_gap<'p, 't>(
    gap: &'p [TemplatePiece],
    text: &'t str,
    values: &mut CaptureValues<'p, 't>,
) -> bool {
    let mut rest = text;
    for (i, piece) in gap.iter().enumerate() {
        let TemplatePiece::Capture(name) = piece else {
            continue;
        };
        let Some(first) = rest.chars().next() else {
            return false;
        };
        let len = match gap.get(i + 1) {
            None => rest.len(),
            Some(TemplatePiece::Anything) => first.len_utf8().max(word_len(rest)),
            Some(_) => first.len_utf8(),
        };
        let (value, more) = rest.split_at(len);
        values.push((name, value));
        rest = more;
    }
    true
}

/// Returns the length of the word that a text begins with, without what punctuation ends it.
fn word_len(text: &str) -> usize {
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    let end = ['.', ',', ';', ':', ')', ']', '}', '\'', '"', '`'];
    word.trim_end_matches(end).len()
}

fn split_line(lines: &str) -> (&str, Option<&str>) {
    match memchr(b'\n', lines.as_bytes()) {
        Some(at) => (&lines[..at], Some(&lines[at + 1..])),
        None => (lines, None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::bytes::Regex;

    use super::*;
    use crate::corpus::matching::template::Template;

    fn filled<'p, 't>(
        template: &'p Template,
        end: TemplateEnd,
        text: &'t str,
    ) -> Option<CaptureValues<'p, 't>> {
        fill(&template.lines, end, text, |_| std::iter::once(0))
    }

    /// The same in the words of regular expressions.
    fn expression(template: &Template, end: TemplateEnd) -> Regex {
        let mut text = String::from("(?m-u:^)");
        for (i, line) in template.lines.iter().enumerate() {
            let TemplateLine::Pieces(pieces) = line else {
                text.push_str(r"(?:\n.*)*?");
                continue;
            };
            text.push_str(if i > 0 { r"\n" } else { "" });
            for piece in pieces {
                match piece {
                    TemplatePiece::Literal(literal) => text.push_str(&regex::escape(literal)),
                    TemplatePiece::Anything => text.push_str(".*?"),
                    TemplatePiece::Capture(_) => text.push_str("(.+?)"),
                }
            }
        }
        text.push_str(if end == TemplateEnd::Line {
            "(?m-u:$)"
        } else {
            ""
        });
        Regex::new(&text).unwrap()
    }

    /// Returns of each capture whether a gap follows it.
    fn before_gaps(template: &Template) -> Vec<bool> {
        let pieces = template.lines.iter().map(|line| match line {
            TemplateLine::Pieces(pieces) => pieces.as_slice(),
            TemplateLine::Any => &[],
        });
        let captures = pieces.flat_map(|pieces| {
            let next = pieces.iter().skip(1).map(Some).chain([None]);
            let with_next = pieces.iter().zip(next);
            with_next.filter(|(piece, _)| matches!(piece, TemplatePiece::Capture(_)))
        });
        captures
            .map(|(_, next)| next == Some(&TemplatePiece::Anything))
            .collect()
    }

    fn line() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec!["a", "b", "ab", "{n}", "{m}c", "...a", "b..."]);
        prop_oneof![
            1 => Just("...".to_string()),
            4 => prop::collection::vec(piece, 1..5).prop_map(|pieces| pieces.concat()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn a_template_fits_as_its_regular_expression_does(
            mut lines in prop::collection::vec(line(), 1..4),
            text in "[abc\n]{0,14}",
            is_whole in any::<bool>(),
        ) {
            if !is_whole {
                lines.last_mut().unwrap().push('b');
            }
            let Ok(template) = Template::parse(&lines.join("\n")) else {
                return Ok(());
            };
            let end = if is_whole { TemplateEnd::Line } else { TemplateEnd::Anywhere };
            let wanted = expression(&template, end).captures(text.as_bytes()).map(|found| {
                let groups = found.iter().skip(1).flatten();
                groups.map(|g| String::from_utf8_lossy(g.as_bytes()).into_owned()).collect()
            });
            let values = filled(&template, end, &text);
            let of_words = before_gaps(&template);
            let values = values.map(|v| v.iter().map(|(_, v)| (*v).to_string()).collect());
            let (values, wanted): (Option<Vec<String>>, Option<Vec<String>>) = (values, wanted);
            prop_assert_eq!(values.is_some(), wanted.is_some());
            let pairs = values.iter().flatten().zip(wanted.iter().flatten());
            for ((value, least), is_word) in pairs.zip(of_words) {
                let is_right = value == least || is_word && value.starts_with(least);
                prop_assert!(is_right, "{value} for {least}");
            }
        }
    }

    #[test]
    fn a_capture_before_a_gap_takes_its_word() {
        for (template, text, value) in [
            ("on rank {a}...", "on rank 12. It left", "12"),
            ("({a}...", "(cuda:1), not on cpu", "cuda:1"),
            ("{a}... b", "ét b", "ét"),
            ("{a}...", ".", "."),
            ("{a}...", " x", " "),
        ] {
            let template = Template::parse(template).unwrap();
            let filled = filled(&template, TemplateEnd::Line, text);
            assert_eq!(filled, Some(vec![("a", value)]), "{text}");
        }
    }
}
