//! Templates compiled: the one place that knows regular expressions.
//!
//! Literals are escaped, `{name}` becomes a lazy gap, and nothing else can get in. There are no
//! Unicode classes: what is matched is bytes, and a capture ends where a literal starts.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::template::{Line, Piece, Template};

/// The limit on a compiled expression, in bytes.
const SIZE_LIMIT: usize = 1 << 18;

/// What stands before a log line: `[rank0]: `, `2026-01-01 10:00:00 | `, `WARNING: `.
const LOG_PREFIX: &str = r"(?:.*?[\]:|>)-][ \t]+)?";

/// What a capture was filled with, by its name.
pub(super) type Filled = Vec<(String, String)>;

/// A template that can be matched; compiled when it is first needed.
#[derive(Debug)]
pub(super) struct Pattern {
    template: Template,
    literal: String,
    start: Start,
    whole: OnceLock<Option<Compiled>>,
    beginning: OnceLock<Option<Compiled>>,
    lines: OnceLock<Vec<Option<Compiled>>>,
}

/// Where a template may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// At the start of a line.
    Line,
    /// After the prefix of a log line too.
    Prefix,
}

#[derive(Debug)]
struct Compiled {
    regex: Regex,
    /// The capture that each group fills.
    names: Vec<String>,
}

/// A regular expression on a capture, anchored at both ends.
#[derive(Debug)]
pub(super) struct CaptureTest(Regex);

impl CaptureTest {
    /// Compiles a user's expression.
    pub(super) fn new(expression: &str) -> Result<Self, String> {
        build(&format!("^(?:{expression})$"))
            .map(Self)
            .map_err(|error| {
                let text = error.to_string();
                let text = text
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim_start_matches("error: ");
                format!("no regular expression: {text}")
            })
    }

    /// Whether all of a capture matches.
    pub(super) fn holds(&self, value: &str) -> bool {
        self.0.is_match(value.as_bytes())
    }
}

/// The literals of several patterns, searched for at once.
#[derive(Debug)]
pub(super) struct Literals(Option<Regex>);

impl Literals {
    pub(super) fn new<'p>(patterns: impl Iterator<Item = &'p Pattern>) -> Self {
        let literals: Vec<String> = patterns.map(|p| regex::escape(&p.literal)).collect();
        let any = (!literals.is_empty()).then(|| literals.join("|"));
        Self(any.and_then(|any| build(&any).ok()))
    }

    /// Whether a line holds one of them; without it, none of the patterns fits the line.
    pub(super) fn are_in(&self, line: &str) -> bool {
        self.0
            .as_ref()
            .is_some_and(|any| any.is_match(line.as_bytes()))
    }
}

impl Pattern {
    /// Makes a pattern of a template.
    pub(super) fn new(template: &str, start: Start) -> Result<Self, String> {
        let template = Template::parse(template)?;
        let literal = template.longest_literal().to_string();
        let (whole, beginning, lines) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Ok(Self {
            template,
            literal,
            start,
            whole,
            beginning,
            lines,
        })
    }

    /// Gives the names of its captures.
    pub(super) fn names(&self) -> Vec<&str> {
        self.template.names()
    }

    /// Gives its longest literal.
    pub(super) fn literal(&self) -> &str {
        &self.literal
    }

    /// Counts the bytes of its literals.
    pub(super) fn literal_bytes(&self) -> usize {
        self.template.literal_bytes()
    }

    /// Whether it can be compiled; only a template beyond all measure cannot.
    pub(super) fn compiles(&self) -> bool {
        self.whole().is_some()
    }

    /// Fills the template from a text whose lines are trimmed and not blank.
    pub(super) fn fill(&self, text: &str) -> Option<Filled> {
        if !text.contains(&self.literal) {
            return None;
        }
        self.whole()?.fill(text)
    }

    /// Fills what a cut text still shows of the template: its longest literal at least.
    pub(super) fn fill_beginning(&self, text: &str) -> Option<Filled> {
        if self.literal.is_empty() || !text.contains(&self.literal) {
            return None;
        }
        let beginning = self.beginning.get_or_init(|| self.compile_beginning());
        beginning.as_ref()?.fill(text)
    }

    /// Gives the lines of the template.
    pub(super) fn lines(&self) -> &[Line] {
        &self.template.lines
    }

    /// Whether a line of the template fits a line of text.
    pub(super) fn line_fits(&self, at: usize, line: &str) -> bool {
        let lines = self.lines.get_or_init(|| {
            let line = |l: &Line| compile(std::slice::from_ref(l), Start::Line, End::Line);
            self.template.lines.iter().map(line).collect()
        });
        lines[at].as_ref().is_some_and(|c| c.fill(line).is_some())
    }

    fn whole(&self) -> Option<&Compiled> {
        self.whole
            .get_or_init(|| compile(&self.template.lines, self.start, End::Line))
            .as_ref()
    }

    /// Compiles the template up to its longest literal.
    fn compile_beginning(&self) -> Option<Compiled> {
        let mut lines = Vec::new();
        for line in &self.template.lines {
            let Line::Pieces(pieces) = line else {
                lines.push(line.clone());
                continue;
            };
            let is_longest = |p: &Piece| matches!(p, Piece::Literal(text) if *text == self.literal);
            if let Some(i) = pieces.iter().position(is_longest) {
                lines.push(Line::Pieces(pieces[..=i].to_vec()));
                break;
            }
            lines.push(line.clone());
        }
        compile(&lines, self.start, End::Anywhere)
    }
}

/// Where a template must end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Line,
    Anywhere,
}

impl Compiled {
    fn fill(&self, text: &str) -> Option<Filled> {
        let found = self.regex.captures(text.as_bytes())?;
        let mut filled = Filled::new();
        for (i, name) in self.names.iter().enumerate() {
            let value = String::from_utf8_lossy(found.get(i + 1)?.as_bytes()).into_owned();
            match filled.iter().find(|(n, _)| n == name) {
                Some((_, before)) if *before == value => {}
                Some(_) => return None,
                None => filled.push((name.clone(), value)),
            }
        }
        Some(filled)
    }
}

fn compile(lines: &[Line], start: Start, end: End) -> Option<Compiled> {
    let mut expression = String::from("(?m:^)");
    let mut names = Vec::new();
    if start == Start::Prefix {
        expression.push_str(LOG_PREFIX);
    }
    let mut first = true;
    for line in lines {
        match line {
            Line::Any => expression.push_str(r"(?:\n.*)*?"),
            Line::Pieces(pieces) => {
                if !first {
                    expression.push_str(r"\n");
                }
                first = false;
                for piece in pieces {
                    match piece {
                        Piece::Literal(text) => expression.push_str(&regex::escape(text)),
                        Piece::Anything => expression.push_str(".*?"),
                        Piece::Capture(name) => {
                            names.push(name.clone());
                            expression.push_str("(.+?)");
                        }
                    }
                }
            }
        }
    }
    if end == End::Line {
        expression.push_str("(?m:$)");
    }
    build(&expression)
        .ok()
        .map(|regex| Compiled { regex, names })
}

fn build(expression: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(expression)
        .unicode(false)
        .size_limit(SIZE_LIMIT)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str, text: &str) -> Option<Vec<String>> {
        let filled = Pattern::new(template, Start::Line).unwrap().fill(text)?;
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
            Pattern::new("cannot pickle '{type}' object of {owner}", Start::Line).unwrap();
        assert_eq!(
            pattern.fill_beginning("cannot pickle '_thread.lo"),
            Some(Vec::new())
        );
        assert_eq!(pattern.fill_beginning("cannot pick"), None);
        assert_eq!(pattern.fill_beginning("we cannot pickle 'x"), None);
    }

    #[test]
    fn a_log_line_may_have_a_prefix_and_prose_may_not_go_before() {
        let pattern = Pattern::new(
            "terminate called without an active exception",
            Start::Prefix,
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

    #[test]
    fn a_test_of_a_capture_is_anchored_at_both_ends() {
        let test = CaptureTest::new(r"(_?thread\.)?(lock|RLock)").unwrap();
        assert!(test.holds("_thread.lock") && test.holds("RLock"));
        assert!(!test.holds("_thread.lock2") && !test.holds("my lock"));
        assert!(
            CaptureTest::new("(")
                .unwrap_err()
                .starts_with("no regular expression: ")
        );
        assert!(CaptureTest::new("[a-z]{900}{900}").is_err());
    }
}
