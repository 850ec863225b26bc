//! Templates and what may be matched with them.

use memchr::arch::all::packedpair::Pair;
use memchr::{memchr_iter, memchr2, memchr2_iter};

use super::template::{Template, TemplateLine, TemplatePiece, literal_bytes};
use super::template_match::{self, CaptureValues, TemplateEnd};

/// The least that a cut text must show of a template, in bytes: `[Errno 2] ` is that of many a message.
const LEAST_CUT: usize = 12;

/// What captures were filled with, by their names, each name once.
pub(crate) type Filled<'a> = CaptureValues<'a, 'a>;

/// A template that can be matched.
#[derive(Debug)]
pub(crate) struct Pattern {
    template: Template,
    literal: String,
    /// Where in the longest literal its rarest byte is, which lines are searched for.
    rarest: u8,
    start: Anchor,
}

/// Where a template may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// At the start of a line.
    Line,
    /// After the prefix of a log line too.
    Prefix,
}

impl Pattern {
    /// Makes a pattern of a template.
    pub(crate) fn new(template: &str, start: Anchor) -> Result<Self, String> {
        let template = Template::parse(template)?;
        let literal = template.longest_literal().to_string();
        let rarest = Pair::new(literal.as_bytes()).map_or(0, |pair| pair.index1());
        Ok(Self {
            template,
            literal,
            rarest,
            start,
        })
    }

    /// Returns the names of its captures.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.template.names()
    }

    /// Returns whether it captures something by this name.
    pub(crate) fn captures(&self, name: &str) -> bool {
        self.template.captures(name)
    }

    /// Returns its literals.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        self.template.literals()
    }

    /// Returns its longest literal.
    pub(crate) fn literal(&self) -> &str {
        &self.literal
    }

    /// Counts the bytes of its literals.
    pub(crate) fn literal_bytes(&self) -> usize {
        literal_bytes(&self.template.lines)
    }

    /// Fills the template from a text whose lines are trimmed and not blank.
    pub(crate) fn fill<'a>(&'a self, text: &'a str) -> Option<Filled<'a>> {
        filled(self.lay(&self.template.lines, TemplateEnd::Line, text)?)
    }

    /// Fills what a cut text still shows of the template: its longest literal at least, and half of what is fixed
    /// in it: many a message has the head `An error occurred while calling `.
    pub(crate) fn fill_beginning<'a>(&'a self, text: &'a str) -> Option<Filled<'a>> {
        if self.literal.len() < LEAST_CUT || !self.may_fit(text) {
            return None;
        }
        let lines = &self.template.lines;
        let shown = match self.start {
            Anchor::Line => template_match::shown(lines, text, |_| std::iter::once(0)),
            Anchor::Prefix => template_match::shown(lines, text, behind_prefixes),
        }?;
        if 2 * shown < self.literal_bytes() {
            return None;
        }
        let beginning = self.up_to_literal();
        let values = self.lay(&beginning, TemplateEnd::Anywhere, text)?;
        let own = |name| self.names().into_iter().find(|own| *own == name);
        let values = values.into_iter();
        filled(
            values
                .filter_map(|(name, value)| Some((own(name)?, value)))
                .collect(),
        )
    }

    /// Returns what a cut text shows of the captures behind the longest literal: rules that share the
    /// template are told apart by them. Only the last may be a beginning.
    pub(crate) fn begun_captures<'a>(&'a self, text: &'a str) -> Option<Filled<'a>> {
        let [TemplateLine::Pieces(pieces)] = self.template.lines.as_slice() else {
            return None;
        };
        let is_longest =
            |p: &TemplatePiece| matches!(p, TemplatePiece::Literal(text) if *text == self.literal);
        let mut at = pieces.iter().position(is_longest)? + 1;
        let mut rest = &text[text.find(&self.literal)? + self.literal.len()..];
        let mut begun = Filled::new();
        while let Some(TemplatePiece::Capture(name)) = pieces.get(at) {
            let Some(TemplatePiece::Literal(next)) = pieces.get(at + 1) else {
                begun.push((name.as_str(), rest));
                break;
            };
            let Some(end) = rest.find(next.as_str()) else {
                let end = next.chars().next().and_then(|c| rest.find(c));
                begun.push((name.as_str(), &rest[..end.unwrap_or(rest.len())]));
                break;
            };
            begun.push((name.as_str(), &rest[..end]));
            rest = &rest[end + next.len()..];
            at += 2;
        }
        Some(begun)
    }

    fn lay<'p, 't>(
        &self,
        lines: &'p [TemplateLine],
        end: TemplateEnd,
        text: &'t str,
    ) -> Option<CaptureValues<'p, 't>> {
        if !self.may_fit(text) {
            return None;
        }
        match self.start {
            Anchor::Line => template_match::fill(lines, end, text, |_| std::iter::once(0)),
            Anchor::Prefix => template_match::fill(lines, end, text, behind_prefixes),
        }
    }

    /// Makes it one of a line that a prefix may stand before.
    pub(super) fn behind_prefixes(self) -> Self {
        Self {
            start: Anchor::Prefix,
            ..self
        }
    }

    /// Returns whether a text holds its longest literal: nearly all that it does not fit lack that.
    pub(crate) fn may_fit(&self, text: &str) -> bool {
        let (text, literal) = (text.as_bytes(), self.literal.as_bytes());
        let before = usize::from(self.rarest);
        let (Some(rarest), Some(behind)) = (literal.get(before), text.get(before..)) else {
            return literal.is_empty();
        };
        let mut starts = memchr_iter(*rarest, behind);
        starts.any(|start| text[start..].starts_with(literal))
    }

    /// Returns the lines of the template.
    pub(crate) fn lines(&self) -> &[TemplateLine] {
        &self.template.lines
    }

    /// Returns whether a line of the template fits a line of text.
    pub(crate) fn line_fits(&self, at: usize, line: &str) -> bool {
        template_match::line_fits(&self.template.lines[at], line)
    }

    /// Returns the template up to its longest literal.
    fn up_to_literal(&self) -> Vec<TemplateLine> {
        let mut lines = Vec::new();
        for line in &self.template.lines {
            let TemplateLine::Pieces(pieces) = line else {
                lines.push(line.clone());
                continue;
            };
            let is_longest = |p: &TemplatePiece| matches!(p, TemplatePiece::Literal(text) if *text == self.literal);
            if let Some(i) = pieces.iter().position(is_longest) {
                lines.push(TemplateLine::Pieces(pieces[..=i].to_vec()));
                break;
            }
            lines.push(line.clone());
        }
        lines
    }
}

/// Returns the captures, each name once; `None` if one that is there twice was not filled alike.
fn filled<'a>(mut values: CaptureValues<'a, 'a>) -> Option<Filled<'a>> {
    if !agree(&values) {
        return None;
    }
    for at in (1..values.len()).rev() {
        let is_same = |(name, _): &(&str, &str)| *name == values[at].0;
        if values[..at].iter().any(is_same) {
            values.remove(at);
        }
    }
    Some(values)
}

/// Returns whether each name that is there twice was filled alike.
fn agree(values: &CaptureValues) -> bool {
    values.iter().enumerate().all(|(at, (name, value))| {
        let mut before = values[..at].iter();
        before.all(|(other, own)| other != name || own == value)
    })
}

/// Returns where a log line may begin: behind a prefix (`[rank0]: `, `2026-01-01 10:00:00 | `,
/// `WARNING: `), the shortest first, and at the start of the line. Behind a quotation mark begins
/// what is quoted.
fn behind_prefixes(line: &str) -> impl Iterator<Item = usize> {
    let bytes = line.as_bytes();
    let unquoted = memchr2(b'"', b'`', bytes).unwrap_or(bytes.len());
    let is_behind_mark = |blank: &usize| {
        let before = blank.checked_sub(1).map(|at| bytes[at]);
        matches!(before, Some(b']' | b':' | b'|' | b'>' | b')' | b'-'))
    };
    let ends = memchr2_iter(b' ', b'\t', &bytes[..unquoted])
        .filter(is_behind_mark)
        .flat_map(move |first| {
            let blanks = bytes[first..].iter().take_while(|b| b" \t".contains(b));
            (1..=blanks.count()).rev().map(move |n| first + n)
        });
    ends.chain([0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str, text: &str) -> Option<Vec<String>> {
        let pattern = Pattern::new(template, Anchor::Line).unwrap();
        let filled = pattern.fill(text)?;
        Some(
            filled
                .into_iter()
                .map(|(n, v)| format!("{n}={v}"))
                .collect(),
        )
    }

    #[test]
    fn a_template_fills_a_whole_line() {
        assert_eq!(
            fill(
                "cannot pickle '{type}' object",
                "cannot pickle 'x.y' object"
            ),
            Some(vec!["type=x.y".into()])
        );
        assert_eq!(
            fill(
                "cannot pickle '{type}' object",
                "cannot pickle 'x.y' object here"
            ),
            None
        );
        assert_eq!(
            fill(
                "cannot pickle '{type}' object",
                "I cannot pickle 'x.y' object"
            ),
            None
        );
        assert_eq!(fill("b {n}", "a\nb 1\nc"), Some(vec!["n=1".into()]));
    }

    #[test]
    fn a_cut_text_shows_the_captures_behind_the_longest_literal() {
        let pattern = Pattern::new("no local object '{function}.<locals>.{name}'", Anchor::Line);
        let begun = |text| pattern.as_ref().unwrap().begun_captures(text);
        let both = Some(vec![("function", "f.g"), ("name", "Da")]);
        assert_eq!(begun("no local object 'f.g.<locals>.Da"), both);
        assert_eq!(begun("no local object 'f").unwrap().len(), 1);
    }

    #[test]
    fn signs_of_regular_expressions_are_plain_text() {
        assert_eq!(
            fill("a.b (c|d)* [{n}]", "a.b (c|d)* [1]"),
            Some(vec!["n=1".into()])
        );
        assert_eq!(fill("a.b", "axb"), None);
    }

    #[test]
    fn a_capture_is_not_empty_and_stays_in_its_line() {
        assert_eq!(fill("a{n}", "a"), None);
        assert_eq!(fill("a {n} b", "a x\ny b"), None);
        assert_eq!(fill("n {n}", "n Größe"), Some(vec!["n=Größe".into()]));
    }

    #[test]
    fn a_name_used_twice_must_be_equal() {
        assert_eq!(
            fill("{n} is not {n}", "a is not a"),
            Some(vec!["n=a".into()])
        );
        assert_eq!(fill("{n} is not {n}", "a is not b"), None);
    }

    #[test]
    fn lines_fill_lines_in_order_and_a_gap_takes_any_number() {
        assert_eq!(fill("a {n}\nb", "x\na 1\nb"), Some(vec!["n=1".into()]));
        assert_eq!(fill("a\nc", "a\nb\nc"), None);
        assert!(fill("a\n...\nc", "a\nb\nb\nc").is_some());
        assert!(fill("a\n...\nc", "a\nc").is_some());
        assert!(fill("...\nc", "a\nc").is_some());
    }

    #[test]
    fn a_cut_text_fills_the_beginning() {
        let pattern =
            Pattern::new("cannot pickle '{type}' object of {owner}", Anchor::Line).unwrap();
        assert_eq!(
            pattern.fill_beginning("cannot pickle '_thread.lo"),
            Some(Vec::new())
        );
        assert_eq!(pattern.fill_beginning("cannot pick"), None);
        assert_eq!(pattern.fill_beginning("we cannot pickle 'x"), None);
    }

    #[test]
    fn what_a_cut_text_shows_is_not_another() {
        let begins = |template: &str, text: &str| {
            let pattern = Pattern::new(template, Anchor::Line).unwrap();
            pattern.fill_beginning(text).is_some()
        };
        let heap = "An error occurred while calling {call}.\n: java.lang.OutOfMemoryError: Java heap space";
        assert!(!begins(heap, "An error occurred while calling o90.load"));
        assert!(!begins(
            heap,
            "An error occurred while calling o90.load.\n: java.lang.Ill"
        ));
        let sized =
            "stack expects tensors of equal size, but got {a} at entry 0 and {b} at entry {n}";
        assert!(begins(
            sized,
            "stack expects tensors of equal size, but got [3] at"
        ));
        assert!(!begins(
            sized,
            "stack expects tensors of equal size, but got [3]\nat"
        ));
    }

    #[test]
    fn a_log_line_may_have_a_prefix_and_prose_may_not_go_before() {
        let pattern = Pattern::new(
            "terminate called without an active exception",
            Anchor::Prefix,
        )
        .unwrap();
        assert!(
            pattern
                .fill("terminate called without an active exception")
                .is_some()
        );
        assert!(
            pattern
                .fill("[rank0]: terminate called without an active exception")
                .is_some()
        );
        assert!(
            pattern
                .fill("it says terminate called without an active exception")
                .is_none()
        );
    }
}
