//! Regular expressions on captures: the one place that knows them.
//!
//! To compile one takes longer than all else that a rule needs, and most are lists of what a capture
//! may be: `sqlite3\\.\\w+|pyodbc\\.\\w+|Cursor`. So each alternative is one by itself, and is compiled when
//! a capture begins as it must and holds what it must.

mod shape;

use std::sync::OnceLock;

use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::nfa::thompson::{self, NFA, WhichCaptures};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use shape::{Beginning, Then, alternatives, beginnings, is_simple, required};

/// The limit on a compiled expression, in bytes.
const SIZE_LIMIT: usize = 1 << 18;
/// An expression of so many bytes without a count (`{900}`) is far below it.
const MAX_SMALL: usize = 1 << 10;

/// A regular expression on a capture, anchored at both ends.
#[derive(Debug)]
pub(crate) struct CaptureTest {
    expression: String,
    /// Told apart when it is first asked.
    alternatives: OnceLock<Vec<Alternative>>,
}

/// One of the alternatives.
#[derive(Debug)]
struct Alternative {
    expression: String,
    /// All that it fits begins with one of these.
    beginnings: Vec<Beginning>,
    /// All that it fits holds this.
    required: String,
    /// Whether it asks for that alone: `.*<lambda>.*`.
    is_around: bool,
    /// Compiled when it is first asked.
    regex: OnceLock<Result<PikeVM, String>>,
}

impl CaptureTest {
    /// Takes a user's expression, right or wrong.
    pub(crate) fn new(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            alternatives: OnceLock::new(),
        }
    }

    fn alternatives(&self) -> &[Alternative] {
        let whole = || vec![Alternative::whole(&self.expression)];
        let each = |all: Vec<&str>| all.into_iter().map(Alternative::new).collect();
        let all = || alternatives(&self.expression).map_or_else(whole, each);
        self.alternatives.get_or_init(all)
    }

    /// Returns whether all of a capture matches; what is no expression never does.
    pub(crate) fn holds(&self, value: &str) -> bool {
        let mut all = self.alternatives().iter();
        all.any(|alternative| alternative.holds(value))
    }

    /// Checks that it compiles, without doing so where that is sure: to parse takes a third as long.
    ///
    /// # Errors
    /// Where it does not: what is wrong with it.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.expression.len() <= MAX_SMALL && !self.expression.contains('{') {
            if is_simple(&self.expression) {
                return Ok(());
            }
            return parsed(&self.expression).map(drop);
        }
        let mut all = self.alternatives().iter().filter(|a| !a.is_plain());
        all.try_for_each(|a| a.regex().map(|_| ()).map_err(String::clone))
    }
}

impl Alternative {
    fn new(expression: &str) -> Self {
        let required = required(expression);
        Self {
            beginnings: beginnings(expression),
            is_around: expression == format!(".*{required}.*"),
            required,
            ..Self::whole(expression)
        }
    }

    /// Makes one of an expression of which nothing is known.
    fn whole(expression: &str) -> Self {
        Self {
            expression: expression.to_owned(),
            beginnings: vec![Beginning::new("", Then::Unknown)],
            required: String::new(),
            is_around: false,
            regex: OnceLock::new(),
        }
    }

    /// Returns whether its beginnings say all.
    fn is_plain(&self) -> bool {
        self.beginnings.iter().all(|b| b.then != Then::Unknown)
    }

    fn holds(&self, value: &str) -> bool {
        let mut begun = self
            .beginnings
            .iter()
            .filter_map(|b| Some((b.then, value.strip_prefix(&*b.text)?)))
            .peekable();
        begun.peek().is_some()
            && value.contains(&self.required)
            && begun.any(|(then, rest)| match then {
                Then::End => rest.is_empty(),
                Then::Anything => !rest.contains('\n'),
                Then::Only(class) => !rest.is_empty() && rest.bytes().all(|byte| class.has(byte)),
                Then::Unknown if self.is_around => !value.contains('\n'),
                Then::Unknown => self
                    .regex()
                    .is_ok_and(|r| r.is_match(&mut r.create_cache(), value)),
            })
    }

    fn regex(&self) -> Result<&PikeVM, &String> {
        // Captures are short: what is fast on long texts takes longest to make, and is kept.
        let compile = || {
            let config = thompson::Config::new()
                .utf8(false)
                .nfa_size_limit(Some(SIZE_LIMIT))
                .which_captures(WhichCaptures::None);
            let mut compiler = NFA::compiler();
            let compiler = compiler.configure(config);
            let nfa = compiler.build_from_hir(&parsed(&self.expression)?);
            nfa.and_then(PikeVM::new_from_nfa)
                .map_err(|error| fault(&error))
        };
        self.regex.get_or_init(compile).as_ref()
    }
}

/// Parses an expression, anchored at both ends.
fn parsed(expression: &str) -> Result<Hir, String> {
    let mut parser = ParserBuilder::new().unicode(false).utf8(false).build();
    let parsed = parser.parse(&format!("^(?:{expression})$"));
    parsed.map_err(|error| fault(&error))
}

/// Says what is wrong with an expression: the last line of what its parser says.
fn fault(error: &impl ToString) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    let last = last.trim_start_matches("error: ");
    format!("no regular expression: {last}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::shape::MAX_BEGINNINGS;
    use super::*;

    #[test]
    fn a_test_is_anchored_at_both_ends() {
        let test = CaptureTest::new(r"(_?thread\.)?(lock|RLock)");
        assert!(test.holds("_thread.lock") && test.holds("RLock"));
        assert!(!test.holds("_thread.lock2") && !test.holds("my lock"));
        let wrong = CaptureTest::new("(");
        let message = wrong.check().unwrap_err();
        assert!(message.starts_with("no regular expression: "), "{message}");
        assert!(!wrong.holds("("));
        assert!(CaptureTest::new("[a-z]{900}{900}").check().is_err());
    }

    #[test]
    fn what_is_checked_compiles_and_faults_are_told_alike() {
        for expression in [
            "",
            "(",
            "[",
            "(?P<a>b)(?P<a>c)",
            r"\p{Greek}",
            r"\xFF",
            "é",
            "**",
        ] {
            let alternative = Alternative::whole(expression);
            let compiled = alternative.regex().map(|_| ()).map_err(String::clone);
            assert_eq!(
                CaptureTest::new(expression).check(),
                compiled,
                "{expression}"
            );
        }
        for widest in [r"\W", r"[^a]", "(?i)k", "(a|b)*", ".?", "é"] {
            let many = widest.repeat(MAX_SMALL / widest.len());
            assert!(Alternative::whole(&many).regex().is_ok(), "{widest}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_is_simple_compiles(expression in r"[ab .|*+?()\\dwx<>^$\[\]-]{0,12}") {
            if is_simple(&expression) {
                let compiled = Alternative::whole(&expression).regex().map(drop).map_err(String::clone);
                prop_assert_eq!(compiled, Ok(()));
            }
        }
    }

    #[test]
    fn many_pieces_that_may_be_missing_are_not_all_told_apart() {
        for many in ["a?", "(a|b)?", "(a|b)", "(a?|b?)"].map(|piece| piece.repeat(40)) {
            let alternative = Alternative::new(&many);
            assert!(alternative.beginnings.len() < 10 * MAX_BEGINNINGS, "{many}");
            assert!(
                !alternative.is_plain() && alternative.holds(&"a".repeat(40)),
                "{many}"
            );
        }
    }

    /// Holds each alternative by itself against the whole, compiled at once.
    #[test]
    fn the_alternatives_together_are_the_expression() {
        let expressions = [
            r"sqlite3\.\w+|_?sqlite3\.\w+|Cursor|",
            r"a|b(c|d)|[e|f]|\|",
            r"ab?|ab*c|a{2}|ab+",
            r"(?i)a|b",
            r"(?:a|b)c",
            r"[]a|]|b",
            r"[^]|]",
            r"[a[b|c]]|d",
            r"x[a[b]]|d",
            r"x[a[b]]|d",
            r"a.c|.*x|\.|\d+|\<a",
            r"é?|éa",
            r"^a$|a\b",
            "}|]|{",
            "a||b",
            r"\x61|\Qa\E",
            r"(a|b)?c|(d|)e|(f)(x)?",
            r"(_?a\.)?(b|c)x?|(a(b|c))*d",
            r"a??b|(a|b)??c|a{0,1}b|(a)+b",
            r"(\)|a)b|([)]|a)c",
            r"(a|[|)]b)c|x?y?z?",
            r"a.*|(b|x).*|x\..*|(a|b.*)c",
            r"(_?a\.)?(b|_?c)|(a|b?)+c",
            r"\w*[ab]c|(a\.)*bc\w*|([)]a)?b",
            r"\d+",
            r"a\w+|(b|x)\w+|x?\d+",
            r"\S+",
            r"ab\S+|\.\S+",
            ".*a.*",
            r".*.*|.*\..*",
            ".*Row.*|.*a.b.*",
        ];
        let values = [
            "",
            "a",
            "b",
            "c",
            "d",
            "A",
            "B",
            "ab",
            "abb",
            "abbc",
            "aa",
            "ac",
            "bc",
            "bd",
            "e",
            "f",
            "|",
            "]",
            "^",
            "x",
            "yx",
            ".",
            "7",
            "77",
            "<a",
            "é",
            "éa",
            "}",
            "{",
            "a.b",
            "_a.c",
            "a._c",
            "a.bc",
            "xbc",
            "x.",
            "a\nb",
            "sqlite3.Row",
            "_sqlite3.x",
            "sqlite3.",
            "Cursor",
            "Cursors",
            "\\",
            "axc",
            "a\n",
            "a b",
            "ab\u{b}c",
            "ab\u{c}",
            "x77",
            "b_7é",
            "a\nRow",
        ];
        for expression in expressions {
            let test = CaptureTest::new(expression);
            let whole = Alternative::whole(expression);
            assert_eq!(test.check().is_ok(), whole.regex().is_ok(), "{expression}");
            if whole.regex().is_ok() {
                for value in values {
                    assert_eq!(
                        test.holds(value),
                        whole.holds(value),
                        "{expression}: {value:?}"
                    );
                }
            }
        }
    }
}
