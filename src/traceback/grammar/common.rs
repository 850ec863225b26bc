//! What the grammars of several dialects are made of.

use nom::branch::alt;
use nom::bytes::complete::take_till1;
use nom::character::complete::{char, digit1, one_of, satisfy};
use nom::combinator::{all_consuming, map_res, opt, peek, recognize, verify};
use nom::error::Error;
use nom::{IResult, Parser};

/// Reads a whole line; `None` where the parser fails or leaves something.
pub(crate) fn line<'a, O>(
    parser: impl Parser<&'a str, Output = O, Error = Error<&'a str>>,
    text: &'a str,
) -> Option<O> {
    let (_, found) = all_consuming(parser).parse(text).ok()?;
    Some(found)
}

/// `47`.
pub(crate) fn number(input: &str) -> IResult<&str, u32> {
    map_res(digit1, str::parse).parse(input)
}

/// `/home/user/x.py`, `C:\x.py`: a path up to the colon behind it.
pub(crate) fn path(input: &str) -> IResult<&str, &str> {
    let drive = (
        satisfy(|c| c.is_ascii_alphabetic()),
        char(':'),
        peek(one_of("\\/")),
    );
    recognize((opt(drive), take_till1(|c| c == ':'))).parse(input)
}

/// The rest of a line, which is one word.
pub(crate) fn word_to_end(input: &str) -> IResult<&str, &str> {
    verify(nom::combinator::rest, |word: &str| !word.contains(' ')).parse(input)
}

/// The end of a line, or a blank.
pub(crate) fn boundary(input: &str) -> IResult<&str, &str> {
    alt((nom::combinator::eof, peek(nom::bytes::complete::tag(" ")))).parse(input)
}

/// Takes off what stands behind a function's name: a progress bar of another writer, an editor's mark of
/// the frame where it stopped, the source line, where a paste has joined the two.
pub(super) fn function_name(name: &str) -> &str {
    let name = name.trim();
    if name.starts_with('<') {
        return name.find('>').map_or(name, |end| &name[..=end]);
    }
    let is_of_bar = |c| matches!(c, '\u{2580}'..='\u{259f}');
    let name = name.split(is_of_bar).next().unwrap_or(name);
    // Nearly all names have none, and a search for four is dear.
    if !name.contains(' ') {
        return name;
    }
    let name = name.split("    ").next().unwrap_or(name);
    name.strip_suffix(" (Current frame)").unwrap_or(name)
}
