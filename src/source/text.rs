//! The text around a change: indentation, line ends, imports, names that are free.

use std::fmt::Display;
use std::ops::Range;
use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::syntax::{Def, Expr, ExprKind, Module, Place, Source, Statement, StatementKind, Target};

/// Returns whether a list, a text of words with blanks between, has a word.
pub(super) fn lists(words: &str, word: &str) -> bool {
    words.split(' ').any(|w| w == word)
}

/// Returns how a module calls a thing of the standard library, and the import that it needs.
pub(super) fn imported(module: &Module, from: &str, name: &str) -> (String, Option<Edit>) {
    let statements = &module.defs[0].statements;
    // Another process does not run it, or none does.
    let is_passed_over = |s: &Statement| {
        let head = module.slice(s.head);
        s.kind == StatementKind::If && (head.contains("__name__") || head.contains("TYPE_CHECKING"))
    };
    for binding in &module.defs[0].bindings {
        let Target::Name(bound) = &binding.target else {
            continue;
        };
        if statements
            .iter()
            .any(|s| s.at.holds(binding.at) && is_passed_over(s))
        {
            continue;
        }
        match &binding.source {
            Source::Import(full) if full == from => return (format!("{bound}.{name}"), None),
            // It has all that `multiprocessing` has.
            Source::Import(full)
                if from == "multiprocessing"
                    && &**full == "torch.multiprocessing"
                    && &**bound != "torch" =>
            {
                return (format!("{bound}.{name}"), None);
            }
            Source::From(full, what) if full == from && &**what == name => {
                return (bound.to_string(), None);
            }
            _ => {}
        }
    }
    let newline = newline(module);
    let is_future = |s: &&Statement| module.slice(s.head).starts_with("from __future__");
    let first = statements
        .iter()
        .filter(|s| !is_future(s) && line_start(module, s.at.start as usize) == s.at.start as usize)
        .find(|s| s.kind == StatementKind::Import);
    let at = if let Some(first) = first {
        first.at.start as usize
    } else {
        let after = statements
            .iter()
            .take_while(|s| is_future(s) || s.is_text());
        after
            .last()
            .map_or_else(|| begin(module), |s| end_of_text(module, s.at.end as usize))
    };
    let rest = &module.text[at..];
    let is_close = first.is_none() && !rest.is_empty() && !rest.starts_with(newline);
    let gap = if is_close {
        newline.repeat(2)
    } else {
        String::new()
    };
    let text = format!("import {from}{newline}{gap}");
    (format!("{from}.{name}"), Some(Edit::insert(at, text)))
}

/// Returns code to show, below the imports that its edits add.
pub(super) fn below_imports<'e>(edits: impl IntoIterator<Item = &'e Edit>, code: &str) -> String {
    let imports = edits.into_iter().filter(|e| e.is_import());
    let lines = imports.map(|e| format!("{}  # at the top of the file\n", e.text.trim_end()));
    let shown: String = lines.collect();
    let gap = if shown.is_empty() { "" } else { "\n" };
    shown + gap + code
}

/// Returns whether a name is private to its class: `__key`, not `__len__`.
pub(super) fn is_private(name: &str) -> bool {
    name.starts_with("__") && !name.ends_with("__")
}

/// Returns the name that `__dict__` has for an attribute: `_Job__lock` for `self.__lock` in class `Job`
/// ("private name mangling", The Python Language Reference, 6.2.1).
pub(super) fn mangled(class: &str, name: &str) -> String {
    match class.trim_start_matches('_') {
        class if is_private(name) && !class.is_empty() => format!("_{class}{name}"),
        _ => name.to_owned(),
    }
}

/// Returns a name that the module does not use.
pub(super) fn free_name(module: &Module, wanted: &str) -> String {
    let is_used = |name: &str| places_of(&module.text, name).next().is_some();
    let numbered = (2..).map(|n| format!("{wanted}_{n}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|n| !is_used(n))
        .unwrap_or_default()
}

/// Returns where the statement at the top of the module begins that a place is in.
pub(super) fn top_of(module: &Module, place: Place) -> Option<usize> {
    let all = module.defs[0].statements.iter();
    // The largest that holds it: what is in it is listed too.
    let top = all
        .filter(|s| s.at.holds(place))
        .max_by_key(|s| s.at.end - s.at.start)?;
    let mut at = line_start(module, top.at.start as usize);
    // Comments right above belong to it.
    while at > begin(module) {
        let above = line_start(module, at - 1);
        if !module.text[above..at].starts_with('#') {
            break;
        }
        at = above;
    }
    Some(at)
}

/// Returns the edit that puts lines at the top of the module, above what a place is in.
pub(super) fn at_top(module: &Module, place: Place, code: &str) -> Result<Edit, String> {
    let top = top_of(module, place).ok_or("it is in no statement")?;
    let newline = newline(module);
    Ok(Edit::insert(
        top,
        format!("{}{newline}{newline}{newline}", code.replace('\n', newline)),
    ))
}

/// Returns where a file begins, behind what has to be first: a byte order mark, `#!`, `# coding: utf-8`.
fn begin(module: &Module) -> usize {
    let start = mark(module);
    let lines = module.text[start..].split_inclusive('\n').take(2);
    let is_first = |l: &&str| l.starts_with("#!") || l.starts_with('#') && l.contains("coding");
    start + lines.take_while(is_first).map(str::len).sum::<usize>()
}

/// Returns the length of a byte order mark.
fn mark(module: &Module) -> usize {
    module.text.len() - module.text.trim_start_matches('\u{feff}').len()
}

pub(super) fn line_start(module: &Module, at: usize) -> usize {
    let first = || mark(module).min(at);
    module.text[..at].rfind('\n').map_or_else(first, |n| n + 1)
}

/// Returns the end of the line that a text ends on, its newline included.
pub(super) fn end_of_text(module: &Module, end: usize) -> usize {
    let end = module.text[..end].trim_end().len();
    module.text[end..]
        .find('\n')
        .map_or(module.text.len(), |n| end + n + 1)
}

/// Returns the whole lines that a place is on, the last newline included.
pub(super) fn lines_of(module: &Module, place: Place) -> Range<usize> {
    line_start(module, place.start as usize)..end_of_text(module, place.end as usize)
}

/// Adds a method behind the line that a text ends on, with a blank line between.
pub(super) fn method_after(module: &Module, end: usize, indent: &str, method: &[String]) -> Edit {
    let blank = std::iter::once(String::new());
    let lines: Vec<String> = blank.chain(method.iter().cloned()).collect();
    after(module, end, indent, &lines)
}

/// Adds lines behind the line that a text ends on.
pub(super) fn after(module: &Module, end: usize, indent: &str, lines: &[String]) -> Edit {
    let end = end_of_text(module, end);
    let newline = newline(module);
    let mut text = String::new();
    if !module.text[..end].ends_with('\n') {
        text.push_str(newline);
    }
    for line in lines {
        if !line.is_empty() {
            text.push_str(indent);
            text.push_str(line);
        }
        text.push_str(newline);
    }
    Edit::insert(end, text)
}

/// Returns the indentation of the line that a place is on.
pub(super) fn indent_at(module: &Module, at: u32) -> String {
    let start = line_start(module, at as usize);
    module.text[start..at as usize]
        .chars()
        .take_while(|c| c.is_whitespace())
        .collect()
}

/// Adds lines above the line that a statement begins; `None` where something else stands before it.
pub(super) fn above(module: &Module, statement: u32, lines: &[impl AsRef<str>]) -> Option<Edit> {
    let at = line_start(module, statement as usize);
    let indent = &module.text[at..statement as usize];
    let newline = newline(module);
    let lines = lines
        .iter()
        .map(|line| [indent, line.as_ref(), newline].concat());
    indent
        .trim()
        .is_empty()
        .then(|| Edit::insert(at, lines.collect::<String>()))
}

/// Returns a text in the quotes of another, which may have a prefix: `u"fork"`.
pub(super) fn quoted_as(module: &Module, other: Place, text: &str) -> String {
    let quote = module.slice(other).chars().last().unwrap_or('"');
    format!("{quote}{text}{quote}")
}

/// Returns one step of indentation as the file has it.
pub(super) fn unit(module: &Module, scope: &Def) -> String {
    let outer = indent_at(module, scope.head.start);
    let all = module.defs.iter().flat_map(|d| &d.statements);
    let inner = |s: &Statement| {
        let indent = indent_at(module, s.at.start);
        indent
            .strip_prefix(outer.as_str())
            .filter(|i| !i.is_empty())
            .map(str::to_owned)
    };
    let own = all.clone().filter(|s| scope.at.holds(s.at)).find_map(inner);
    own.unwrap_or_else(|| "    ".to_owned())
}

pub(super) fn newline(module: &Module) -> &'static str {
    if module.text.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    }
}

/// Returns whether a text has a string over several lines, which must keep its indentation.
pub(super) fn in_string(text: &str) -> bool {
    ["\"\"\"", "'''"].iter().any(|quote| {
        let mut parts = text.split(quote).skip(1).step_by(2);
        parts.any(|inside| inside.contains('\n'))
    })
}

pub(super) fn has_lambda(expr: &Rc<Expr>) -> bool {
    expr.walk().any(|e| matches!(e.kind, ExprKind::Lambda(_)))
}

/// Returns names in quotes of code, joined.
pub(super) fn quoted<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let names = names.into_iter().map(|name| format!("`{name}`"));
    join(&names.collect::<Vec<_>>())
}

/// Returns where a text has the parenthesis that closes the one before it.
pub(super) fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    text.find(|c| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return true,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        false
    })
}

/// Returns the parts of a text that begins at a place, by the commas between them; `None` with a comment in it.
pub(super) fn parted(text: &str, start: usize) -> Option<Vec<Place>> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_i32);
    let mut ends: Vec<usize> = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => ends.push(at),
            '#' => return None,
            _ => {}
        }
    }
    ends.push(text.len());
    for end in ends {
        let part = &text[from..end];
        let own = part.trim();
        if !own.is_empty() {
            let begin = start + from + (part.len() - part.trim_start().len());
            parts.push(Place::new(
                u32::try_from(begin).ok()?,
                u32::try_from(begin + own.len()).ok()?,
            ));
        }
        from = end + 1;
    }
    Some(parts)
}

/// Returns the text at a place, after the edits in it.
pub(super) fn edited(module: &Module, place: Place, edits: &[Edit]) -> String {
    let (start, end) = (place.start as usize, place.end as usize);
    let inner = edits.iter().filter(|e| start <= e.start && e.end <= end);
    let within = |e: &Edit| Edit::replace(e.start - start..e.end - start, e.text.clone());
    let inner: Vec<Edit> = inner.map(within).collect();
    Edit::all(module.slice(place), &inner).unwrap_or_default()
}

/// Returns the line of a place, after the edits in it.
pub(super) fn edited_line(module: &Module, edits: &[Edit], at: Place) -> String {
    let number = module.line_of(at.start);
    let start = module.lines[number as usize - 1];
    let end = start + u32::try_from(module.line(number).len()).unwrap_or(0);
    let line = edited(module, Place::new(start, end), edits);
    line.trim().to_owned()
}

pub(super) fn join(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::super::project::ModuleId;
    use super::*;

    #[test]
    fn a_prefix_of_a_string_is_not_its_quote() {
        for (text, new) in [("u'fork'", "'spawn'"), ("\"fork\"", "\"spawn\"")] {
            let module = parse(
                ModuleId(0),
                "a.py".into(),
                "a.py".to_owned(),
                text.to_owned(),
            )
            .unwrap();
            let at = module.defs[0].statements[0].at;
            assert_eq!(quoted_as(&module, at, "spawn"), new);
        }
    }
}
