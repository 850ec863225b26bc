//! The form of `IPython` and Jupyter (`IPython/core/ultratb.py`), old and new.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_until, take_while};
use nom::character::complete::{char, digit1, space0, space1};
use nom::combinator::{opt, recognize, rest, verify};
use nom::sequence::{preceded, separated_pair};
use nom::{IResult, Parser};

use super::common::{self, boundary, number, path};
use super::cpython::{self, HEAD};
use super::exception::looks_named;
use super::{Below, Columns, Layout, Stacks};
use crate::traceback::part::{FrameLine, Part};
use crate::traceback::path::{CELLS, NOTEBOOK_CELL};

pub(crate) const LAYOUT: Layout = Layout {
    stacks: Stacks::AboveException,
    columns: Columns::Loose,
    below: Below::Chain,
};

/// `TypeError                                 Traceback (most recent call last)`: no colon. Returns the type.
pub(crate) fn head(text: &str) -> Option<&str> {
    let before = text.trim_end().strip_suffix(HEAD)?;
    let name = before.trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let is_head = before.ends_with(' ')
        && !name.is_empty()
        && name.chars().all(is_name)
        && (before.len() > name.len() + 4 || looks_named(name));
    is_head.then_some(name)
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
    if let Some(frame) = common::line(alt((place, cell, editors_cell, old)), text) {
        return Part::Frame(frame);
    }
    if let Some((line, text)) = common::line(arrow, text) {
        return Part::Source { line, text };
    }
    if let Some(text) = common::line(numbered, text) {
        return Part::Beside(text);
    }
    if text.trim_start().starts_with("(...)") {
        return Part::Context;
    }
    Part::Text
}

/// `File ~/x.py:6, in f(a, b)`, `  File ~/x.py:12 in save` (mode Plain), `File <command-4711>, line 31`
/// (Databricks).
pub(super) fn place(input: &str) -> IResult<&str, FrameLine<'_>> {
    let start = (space0, tag("File "));
    let function = preceded(alt((tag(", in "), tag(" in "))), rest);
    let with_colon = (path, preceded(char(':'), number));
    let with_word = (take_until(", line "), preceded(tag(", line "), number));
    let parser = (preceded(start, alt((with_colon, with_word))), opt(function))
        .map(|((file, line), function)| (file, line, function));
    let frame = |(file, line, function)| frame(file, line, function);
    parser.map(frame).parse(input)
}

/// `Cell In[9], line 3`, `Input In [3], in <cell line: 3>()`.
fn cell(input: &str) -> IResult<&str, FrameLine<'_>> {
    let index = take_while(|c: char| c.is_ascii_digit() || c == ' ' || c == '*');
    let name = alt((tag("Cell In"), tag("Input In")));
    let cell = recognize((name, space0, tag("["), index, tag("]")));
    let line = opt(preceded(tag(", line "), number));
    let parser = (cell, line, opt(preceded(tag(", in "), rest)), rest);
    let frame = |(file, line, function, _)| frame(file, Option::unwrap_or(line, 0), function);
    parser.map(frame).parse(input)
}

/// `/home/me/x.ipynb Cell 29 line 1`, `/home/me/x.ipynb Cell 3 in f(a)`, `c:\x.ipynb Cell 3' in <module>`:
/// Visual Studio Code's. The arrow below tells the line; what stands here may be a part of its number.
fn editors_cell(input: &str) -> IResult<&str, FrameLine<'_>> {
    let cell = recognize((take_until(NOTEBOOK_CELL), tag(NOTEBOOK_CELL), digit1));
    let line = recognize((tag(" line "), number)).map(|_| None);
    let function = preceded((opt(char('\'')), tag(" in ")), rest).map(Some);
    let parser = (cell, alt((line, function)));
    let frame = |(file, function)| frame(file, 0, function);
    parser.map(frame).parse(input)
}

/// `<ipython-input-3-0a> in f(a)`, `~/x.py in f(a)`, `~/x.cpython-36m-x86_64-linux-gnu.so in x.f()`.
fn old(input: &str) -> IResult<&str, FrameLine<'_>> {
    let is_path = |file: &&str| {
        let is_file = [".py", ".pyx", ".pyc", ".so", ".pyd"]
            .iter()
            .any(|end| file.ends_with(end));
        let is_cell = || CELLS.iter().any(|start| file.starts_with(start));
        (is_file || is_cell()) && !file.starts_with(' ')
    };
    let is_call =
        |call: &&str| (call.ends_with(')') || *call == "<module>") && !call.contains(" in ");
    let file = verify(take_until(" in "), move |file: &str| is_path(&file));
    let call = verify(rest, move |call: &str| is_call(&call));
    let parser = separated_pair(file, tag(" in "), call);
    parser
        .map(|(file, call)| frame(file, 0, Some(call)))
        .parse(input)
}

fn frame<'a>(file: &'a str, line: u32, function: Option<&'a str>) -> FrameLine<'a> {
    // Python 2 names the compiled file.
    let is_compiled = file.ends_with(".pyc");
    FrameLine {
        indent: 0,
        file: &file[..file.len() - usize::from(is_compiled)],
        line,
        function: Some(function.map_or("<module>", name_only)),
    }
}

/// `f(a, b)` → `f`; `<cell line: 3>()` → `<module>`.
fn name_only(function: &str) -> &str {
    if function.starts_with('<') {
        return "<module>";
    }
    function.split('(').next().unwrap_or(function).trim_end()
}

/// `----> 3     return x`: the line that raised, and its source.
fn arrow(input: &str) -> IResult<&str, (u32, &str)> {
    let arrow = (
        space0,
        tag("--"),
        take_while(|c| c == '-'),
        tag("> "),
        space0,
    );
    (preceded(arrow, number), rest).parse(input)
}

/// `      2 def f():`.
fn numbered(input: &str) -> IResult<&str, &str> {
    preceded((space1, number, boundary), rest).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_told_from_prose() {
        let wide = "TypeError                                 Traceback (most recent call last)";
        assert_eq!(head(wide), Some("TypeError"));
        let narrow = "PicklingError Traceback (most recent call last)";
        assert_eq!(head(narrow), Some("PicklingError"));
        assert_eq!(head("see Traceback (most recent call last)"), None);
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
                "/usr/lib/python2.7/multiprocessing/managers.pyc in start(self)",
                "/usr/lib/python2.7/multiprocessing/managers.py",
                0,
                "start",
            ),
            (
                "c:\\work\\fit.ipynb Cell 29 line 1",
                "c:\\work\\fit.ipynb Cell 29",
                0,
                "<module>",
            ),
            (
                "/home/me/fit.ipynb Cell 3' in <cell line: 1>()",
                "/home/me/fit.ipynb Cell 3",
                0,
                "<module>",
            ),
            (
                "/home/me/fit.ipynb Cell 3 in train(model, epochs)",
                "/home/me/fit.ipynb Cell 3",
                0,
                "train",
            ),
            ("<command-17> in <module>", "<command-17>", 0, "<module>"),
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
                "~/lib/rasterio/_io.cpython-36m-x86_64-linux-gnu.so in rasterio._io.Writer.close()",
                "~/lib/rasterio/_io.cpython-36m-x86_64-linux-gnu.so",
                0,
                "rasterio._io.Writer.close",
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
                text: "     return pickle.dumps(x)"
            }
        );
        assert_eq!(part("     11 def save(x):"), Part::Beside(" def save(x):"));
    }
}
