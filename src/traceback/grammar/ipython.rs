//! The form of `IPython` and Jupyter (`IPython/core/ultratb.py`), old and new.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{digit1, space0, space1};
use nom::combinator::{map_res, opt, rest};
use nom::sequence::{delimited, preceded};
use nom::{IResult, Parser};

use super::cpython::{self, HEAD};
use super::{Below, Columns, Layout, Stacks};
use crate::traceback::part::{FrameLine, Part};

pub(crate) const LAYOUT: Layout = Layout {
    stacks: Stacks::AboveException,
    columns: Columns::Loose,
    below: Below::Chain,
};

/// `TypeError                                 Traceback (most recent call last)`: no colon.
pub(crate) fn is_head(text: &str) -> bool {
    let Some(before) = text.trim_end().strip_suffix(HEAD) else {
        return false;
    };
    let name = before.trim();
    before.ends_with(' ')
        && !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
        && (before.len() > name.len() + 4 || cpython::looks_named(name))
}

/// Reads a line of such a traceback.
pub(crate) fn part(line: &str) -> Part<'_> {
    let text = line.trim_end();
    if text.trim_start().is_empty() {
        return Part::Blank;
    }
    match cpython::part(line) {
        Part::Text => {}
        // Context lines of the source may hold a head in a string.
        Part::Head { before, .. } if !before.trim().is_empty() => return Part::Context,
        other => return other,
    }
    if let Ok((_, frame)) = frame(text) {
        return Part::Frame(frame);
    }
    if let Ok((source, line)) = arrow(text) {
        return Part::Source { line, text: source };
    }
    if numbered(text).is_ok() || text.trim_start().starts_with("(...)") {
        return Part::Context;
    }
    Part::Text
}

/// `File ~/x.py:6, in f(a, b)`, `Cell In[9], line 3`, `Input In [3], in <cell line: 3>()`,
/// `<ipython-input-3-0a> in f(a)`, `~/x.py in f(a)`, `  File ~/x.py:12 in save` (mode Plain).
fn frame(text: &str) -> IResult<&str, FrameLine<'_>> {
    alt((file_colon, cell, old)).parse(text)
}

fn file_colon(text: &str) -> IResult<&str, FrameLine<'_>> {
    let (rest, _) = (space0, tag("File ")).parse(text)?;
    let Some(colon) = line_colon(rest) else {
        return Err(nom::Err::Error(nom::error::Error::new(
            text,
            nom::error::ErrorKind::Tag,
        )));
    };
    let (file, tail) = (&rest[..colon], &rest[colon + 1..]);
    let (tail, line) = number(tail)?;
    let (tail, function) = opt(preceded(
        alt((tag(", in "), tag(" in "))),
        take_while1(|_| true),
    ))
    .parse(tail)?;
    if !tail.is_empty() {
        return Err(nom::Err::Error(nom::error::Error::new(
            text,
            nom::error::ErrorKind::Tag,
        )));
    }
    Ok((
        "",
        FrameLine {
            indent: 0,
            file,
            line,
            function: Some(function.map_or("<module>", name_only)),
        },
    ))
}

/// The colon before the line number: the last one that digits follow, for `C:\x.py:3`.
fn line_colon(text: &str) -> Option<usize> {
    let end = text
        .find(", in ")
        .or_else(|| text.find(" in "))
        .unwrap_or(text.len());
    let colon = text[..end].rfind(':')?;
    text[colon + 1..end]
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then_some(colon)
        .filter(|_| colon + 1 < end)
}

fn cell(text: &str) -> IResult<&str, FrameLine<'_>> {
    let (tail, head) = nom::combinator::recognize((
        alt((tag("Cell In"), tag("Input In"))),
        space0,
        tag("["),
        take_while(|c: char| c.is_ascii_digit() || c == ' ' || c == '*'),
        tag("]"),
    ))
    .parse(text)?;
    let (tail, line) = opt(preceded(tag(", line "), number)).parse(tail)?;
    let (_, function) = opt(preceded(tag(", in "), rest)).parse(tail)?;
    Ok((
        "",
        FrameLine {
            indent: 0,
            file: head,
            line: line.unwrap_or(0),
            function: Some(function.map_or("<module>", name_only)),
        },
    ))
}

fn old(text: &str) -> IResult<&str, FrameLine<'_>> {
    let fail = || nom::Err::Error(nom::error::Error::new(text, nom::error::ErrorKind::Tag));
    let (file, function) = text.split_once(" in ").ok_or_else(fail)?;
    let pathlike = file.starts_with("<ipython-input")
        || file.ends_with(".py")
        || file.ends_with(".pyx")
        || file.ends_with(".pyc");
    let callable = function.ends_with(')') || function == "<module>";
    if !pathlike || !callable || file.starts_with(' ') || function.contains(" in ") {
        return Err(fail());
    }
    Ok((
        "",
        FrameLine {
            indent: 0,
            file,
            line: 0,
            function: Some(name_only(function)),
        },
    ))
}

/// `f(a, b)` → `f`; `<cell line: 3>()` → `<module>`.
fn name_only(function: &str) -> &str {
    if function.starts_with('<') {
        return "<module>";
    }
    function.split('(').next().unwrap_or(function).trim_end()
}

/// `----> 3     return x`: the line that raised; gives the source as the rest.
fn arrow(text: &str) -> IResult<&str, u32> {
    let (rest, _) = (space0, tag("--"), take_while(|c| c == '-'), tag("> ")).parse(text)?;
    let (rest, line) = delimited(space0, number, space0).parse(rest)?;
    Ok((rest, line))
}

/// `      2 def f():`.
fn numbered(text: &str) -> IResult<&str, u32> {
    let (tail, line) = preceded(space1, number).parse(text)?;
    if tail.is_empty() || tail.starts_with(' ') {
        Ok((tail, line))
    } else {
        Err(nom::Err::Error(nom::error::Error::new(
            text,
            nom::error::ErrorKind::Tag,
        )))
    }
}

fn number(input: &str) -> IResult<&str, u32> {
    map_res(digit1, str::parse).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_told_from_prose() {
        assert!(is_head(
            "TypeError                                 Traceback (most recent call last)"
        ));
        assert!(is_head("PicklingError Traceback (most recent call last)"));
        assert!(!is_head("see Traceback (most recent call last)"));
    }

    #[test]
    fn frames_of_all_generations_are_read() {
        for (text, file, line, function) in [
            ("File ~/x.py:6, in f(a, b)", "~/x.py", 6, "f"),
            ("Cell In[9], line 3", "Cell In[9]", 3, "<module>"),
            (
                "Input In [3], in <cell line: 3>()",
                "Input In [3]",
                0,
                "<module>",
            ),
            (
                "<ipython-input-3-0abc> in f(a)",
                "<ipython-input-3-0abc>",
                0,
                "f",
            ),
            (
                "~/lib/python3.8/copy.py in deepcopy(x, memo, _nil)",
                "~/lib/python3.8/copy.py",
                0,
                "deepcopy",
            ),
            (
                "  File ~/project/ipy_errors.py:12 in save",
                "~/project/ipy_errors.py",
                12,
                "save",
            ),
        ] {
            let Part::Frame(f) = part(text) else {
                panic!("{text}")
            };
            assert_eq!(
                (f.file, f.line, f.function),
                (file, line, Some(function)),
                "{text}"
            );
        }
        assert_eq!(
            part("---> 12     return pickle.dumps(x)"),
            Part::Source {
                line: 12,
                text: "return pickle.dumps(x)"
            }
        );
        assert_eq!(part("     11 def save(x):"), Part::Context);
    }
}
