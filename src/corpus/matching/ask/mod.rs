//! The keys of `[[match]]`, `when` and `unless`, asked of one exception in its traceback.
//!
//! A new key is a variant of [`Ask`] and a row of [`KEYS`]; all that must be known of it is an
//! exhaustive `match` here or in [`describe`]. A fact needs neither: each of [`FACTS`] is a key.

pub(crate) mod describe;
pub(crate) mod keys;
mod parts;

use std::slice;

use toml::Spanned;

use super::any_of::AnyOf;
use super::capture_test::CaptureTest;
use super::comparison::Comparison;
use super::context::{Captures, MatchContext};
use super::frame_pattern::FramePattern;
use super::message::Fill;
use super::pattern::Pattern;
use super::type_name::TypeName;
use crate::corpus::rule::error::Fault;
use crate::corpus::rule::file::Value;
use crate::traceback::Dialect;
use crate::traceback::facts::{FACTS, Fact, FactKind};
use keys::{
    above_pattern, dialect, function, keys, line_pattern, list, log_line_pattern, tables, text,
};
use parts::{FactTest, OtherException, ThreadAsk, is_any_type, is_at};

/// The keys of one table, all of which must hold.
#[derive(Debug, Default)]
pub(crate) struct Condition(Vec<Ask>);

/// One key.
#[derive(Debug)]
pub(crate) enum Ask {
    /// The exception's type, compared by its last dotted part, and by as many parts as the rule
    /// writes and the text shows.
    Exception(AnyOf<TypeName>),
    /// Which printer wrote it.
    Dialect(AnyOf<Dialect>),
    /// A fact, by its place among all.
    Fact(usize, FactTest),
    /// The innermost frame, or its function: `path/end.py:function`, `:function`.
    LastFrame(AnyOf<FramePattern>),
    /// Any frame of the chain, or its function.
    Frame(AnyOf<FramePattern>),
    /// A template that fills a line of the message; one of several lines fills lines in that order.
    Message(AnyOf<Pattern>),
    /// A template that fills a line outside tracebacks.
    LogLine(AnyOf<Pattern>),
    /// A template that fills the innermost frame's source line.
    LastSource(AnyOf<Pattern>),
    /// A template that fills any frame's source line.
    Source(AnyOf<Pattern>),
    /// A template that fills the heading: `Process {process}:`.
    Heading(AnyOf<Pattern>),
    /// A template that fills a line directly above the head, behind a prefix too.
    Above(AnyOf<Pattern>),
    /// A template that fills a line of the notes.
    Note(AnyOf<Pattern>),
    /// Another exception of the same traceback: `Type` or `Type: template`.
    Chain(AnyOf<OtherException>),
    /// The exception that was read out of the message (the reason of `MaybeEncodingError`).
    Quoted(OtherException),
    /// Threads of a dump: each entry must fit one of them.
    Thread(Vec<ThreadAsk>),
    /// A regular expression that the whole of a capture must match.
    Capture(String, AnyOf<CaptureTest>),
    /// A captured amount against another.
    Compare(AnyOf<Comparison>),
    /// None of these may hold.
    Unless(Condition),
    /// Always holds, and captures this by the name of [`CASE`]: what the match is a case of.
    Case(String),
}

/// The key by which a match names its case, and the capture that it gives.
pub(crate) const CASE: &str = "case";

/// Reads the value of a key.
type Read = fn(&Spanned<Value>) -> Result<Vec<Ask>, Fault>;

/// The keys in the order in which they are asked: what costs least first, templates before what
/// looks at their captures. Facts, which cost most, come behind [`BEFORE_FACTS`] of them.
pub(crate) const KEYS: &[(&str, Read)] = &[
    ("exception", |v| list(Ask::Exception, v, TypeName::new)),
    ("dialect", |v| list(Ask::Dialect, v, dialect)),
    ("last_frame", |v| list(Ask::LastFrame, v, FramePattern::new)),
    ("last_function", |v| list(Ask::LastFrame, v, function)),
    ("frame", |v| list(Ask::Frame, v, FramePattern::new)),
    ("function", |v| list(Ask::Frame, v, function)),
    ("last_source", |v| list(Ask::LastSource, v, line_pattern)),
    ("message", |v| list(Ask::Message, v, line_pattern)),
    ("log_line", |v| list(Ask::LogLine, v, log_line_pattern)),
    ("source", |v| list(Ask::Source, v, line_pattern)),
    ("heading", |v| list(Ask::Heading, v, line_pattern)),
    ("above", |v| list(Ask::Above, v, above_pattern)),
    ("note", |v| list(Ask::Note, v, line_pattern)),
    ("chain", |v| list(Ask::Chain, v, OtherException::new)),
    ("quoted", |v| {
        Ok(vec![Ask::Quoted(OtherException::quoted(keys(v)?)?)])
    }),
    ("thread", |v| {
        let all = tables(v)?.into_iter().map(ThreadAsk::new);
        Ok(vec![Ask::Thread(all.collect::<Result<_, _>>()?)])
    }),
    ("captures", |v| {
        // Each is a key of its own: under `unless` one that holds is enough.
        let test = |(name, tests): &(Spanned<String>, Spanned<Value>)| {
            let tests = AnyOf::new(tests, |test| Ok(CaptureTest::new(test)))?;
            Ok(Ask::Capture(name.get_ref().clone(), tests))
        };
        keys(v)?.0.iter().map(test).collect()
    }),
    ("compare", |v| list(Ask::Compare, v, Comparison::new)),
    ("unless", |v| {
        Ok(vec![Ask::Unless(Condition::new(keys(v)?)?)])
    }),
    (CASE, |v| Ok(vec![Ask::Case(text(v)?.to_owned())])),
];

/// How many of the keys are asked before the facts.
const BEFORE_FACTS: usize = 16;

/// Returns the names of all keys.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let keys = KEYS.iter().map(|(name, _)| *name);
    keys.chain(FACTS.iter().map(|fact| fact.name))
}

impl Condition {
    /// Returns the keys, in the order in which they are asked.
    pub(crate) fn asks(&self) -> &[Ask] {
        &self.0
    }

    /// Returns whether all keys hold; what they captured is added to `captured`.
    pub(crate) fn holds(&self, context: &MatchContext, captured: &mut Captures) -> bool {
        let mut asks = self.0.iter().filter(|ask| !self.is_allowed(ask));
        asks.all(|ask| ask.holds(self, context, captured))
    }

    /// Returns whether the words of a log line hold, whatever the other keys say.
    pub(crate) fn has_words(&self, context: &MatchContext) -> bool {
        let mut asks = self.0.iter().filter(|ask| matches!(ask, Ask::LogLine(_)));
        asks.all(|ask| ask.holds(self, context, &mut Captures::default()))
    }

    /// Returns whether a key is a test that [`allows`](Self::allows) has made: of what each template
    /// of the message captures.
    fn is_allowed(&self, ask: &Ask) -> bool {
        let Ask::Capture(name, _) = ask else {
            return false;
        };
        let mut messages = self.messages().peekable();
        messages.peek().is_some() && messages.all(|p| p.captures(name))
    }

    /// Returns whether one of the keys holds; what was cut off is no reason against a rule.
    fn any_holds(&self, context: &MatchContext, captured: &mut Captures) -> bool {
        let is_missing = |ask: &Ask, captured: &Captures| matches!(ask, Ask::Capture(name, _) if captured.shown(name).is_none());
        let mut asks = self.0.iter();
        asks.any(|ask| !is_missing(ask, captured) && ask.holds(self, context, captured))
    }

    /// Returns whether what a template captured passes the tests: if not, the line is left to the
    /// next template. Where the end was cut off, what is tested must still be shown.
    fn allows(&self, pattern: &Pattern, fill: &Fill) -> bool {
        let shown = |name: &str| {
            let mut all = fill.filled.iter().chain(&fill.begun);
            all.find_map(|(own, value)| (*own == name).then_some(*value))
        };
        self.0.iter().all(|ask| match ask {
            Ask::Capture(name, tests) if pattern.captures(name) => match shown(name) {
                Some(value) => tests.any(|t| t.holds(value)),
                None => !fill.was_cut,
            },
            _ => true,
        })
    }

    /// Returns the templates of the message or log line.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Pattern> {
        let of = |ask| match ask {
            &Ask::Message(ref all) | &Ask::LogLine(ref all) => Some(all.iter()),
            _ => None,
        };
        self.0.iter().filter_map(of).flatten()
    }

    /// Returns the names of what its templates capture, those of `unless` left out.
    pub(crate) fn captured(&self) -> impl Iterator<Item = &str> {
        let patterns = self.0.iter().flat_map(Ask::patterns);
        let is_case = |ask: &Ask| matches!(ask, Ask::Case(_));
        let case = self.0.iter().any(is_case).then_some(CASE);
        patterns.flat_map(Pattern::names).chain(case)
    }

    /// Returns whether one of its keys captures a name whatever template of it fits.
    pub(crate) fn fills(&self, name: &str) -> bool {
        self.0.iter().any(|ask| ask.fills(name))
    }

    /// Returns whether it asks for this fact or capture, so that it is known where it holds.
    pub(crate) fn guarantees(&self, name: &str) -> bool {
        self.0.iter().any(|ask| ask.guarantees(name))
    }

    /// Checks the expressions on captures.
    ///
    /// # Errors
    /// Where one does not compile: the expression, and what is wrong with it.
    pub(crate) fn check(&self) -> Result<(), (&str, String)> {
        let tests = self.all_asks().filter_map(|ask| match ask {
            Ask::Capture(_, tests) => Some(tests.iter().zip(tests.written())),
            _ => None,
        });
        let mut tests = tests.flatten();
        tests.try_for_each(|(test, written)| test.check().map_err(|message| (written, message)))
    }

    /// Returns its keys and those of its `unless`.
    pub(crate) fn all_asks(&self) -> impl Iterator<Item = &Ask> {
        self.0.iter().flat_map(|ask| match ask {
            Ask::Unless(keys) => keys.0.as_slice(),
            ask => slice::from_ref(ask),
        })
    }
}

impl Ask {
    /// Returns whether it holds; what it captured is added. `of` is the condition that it is of.
    fn holds(&self, of: &Condition, context: &MatchContext, captured: &mut Captures) -> bool {
        let traceback = context.traceback;
        let is_log_line = traceback.dialect == Dialect::LogLine;
        match self {
            Self::Exception(types) => context.exception().is_some_and(|r| is_any_type(types, r)),
            Self::Dialect(dialects) => dialects.any(|d| *d == traceback.dialect),
            Self::Fact(at, test) => test.holds(context.facts().values()[*at]),
            Self::LastFrame(places) => context.last_frame().is_some_and(|f| is_at(places, f)),
            Self::Frame(places) => context.has_frame(places),
            Self::Message(all) => {
                !is_log_line
                    && captured.fill_message(all, context.message(), |p, f| of.allows(p, f))
            }
            Self::LogLine(all) => {
                is_log_line && captured.fill_message(all, context.message(), |p, f| of.allows(p, f))
            }
            Self::LastSource(all) => {
                let line = context.last_frame().and_then(|f| f.source.as_deref());
                captured.fill_any(all, line)
            }
            Self::Source(all) => captured.fill_any(all, context.sources()),
            Self::Heading(all) => captured.fill_any(all, traceback.heading.as_deref()),
            Self::Above(all) => captured.fill_any(all, traceback.above.iter().map(String::as_str)),
            Self::Note(all) => captured.fill_any(all, context.notes()),
            Self::Chain(others) => {
                others.any(|o| context.others().any(|i| o.is(context, i, captured)))
            }
            Self::Quoted(other) => context.quoted().any(|i| other.is(context, i, captured)),
            Self::Thread(all) => all
                .iter()
                .all(|t| traceback.threads.iter().any(|s| t.is(s, captured))),
            Self::Capture(name, tests) => match captured.shown(name) {
                Some(value) => tests.any(|t| t.holds(value)),
                // In a cut message it may be missing.
                None => captured.was_cut,
            },
            Self::Compare(all) => all.any(|c| c.holds(captured)),
            Self::Unless(keys) => !captured.beside(|c| keys.any_holds(context, c)),
            Self::Case(name) => captured.add(vec![(CASE, name.as_str())]),
        }
    }

    /// Returns its templates, those of `unless` left out.
    fn patterns(&self) -> Vec<&Pattern> {
        match self {
            Self::Message(all)
            | Self::LogLine(all)
            | Self::LastSource(all)
            | Self::Source(all)
            | Self::Heading(all)
            | Self::Above(all)
            | Self::Note(all) => all.iter().collect(),
            Self::Chain(others) => others.iter().flat_map(OtherException::patterns).collect(),
            Self::Quoted(other) => other.patterns().collect(),
            Self::Thread(all) => {
                let keys = all.iter().flat_map(ThreadAsk::patterns);
                keys.flat_map(AnyOf::iter).collect()
            }
            Self::Exception(_)
            | Self::Dialect(_)
            | Self::Fact(..)
            | Self::LastFrame(_)
            | Self::Frame(_)
            | Self::Capture(..)
            | Self::Compare(_)
            | Self::Unless(_)
            | Self::Case(_) => Vec::new(),
        }
    }

    /// Returns whether it captures a name whatever entry of it holds.
    fn fills(&self, name: &str) -> bool {
        let captures = |p: &Pattern| p.captures(name);
        match self {
            Self::Chain(others) => others.iter().all(|o| {
                let mut patterns = o.patterns().peekable();
                patterns.peek().is_some() && patterns.all(captures)
            }),
            Self::Thread(all) => all
                .iter()
                .flat_map(ThreadAsk::patterns)
                .any(|p| p.iter().all(captures)),
            _ => {
                let patterns = self.patterns();
                !patterns.is_empty() && patterns.into_iter().all(captures)
            }
        }
    }

    /// Returns whether a fact or capture is known where it holds.
    fn guarantees(&self, name: &str) -> bool {
        match self {
            Self::Exception(_) => name == "exception",
            Self::Message(_) | Self::LogLine(_) => name == "message",
            Self::Capture(tested, _) => tested == name,
            Self::Case(_) => name == CASE,
            Self::Fact(at, test) => match (test, &FACTS[*at]) {
                (FactTest::Is(_) | FactTest::Known(false), _) => false,
                // Its source line may be missing.
                (
                    _,
                    Fact {
                        kind: FactKind::Frame(_),
                        ..
                    },
                ) => ["user_file", "user_line", "user_function"].contains(&name),
                (_, fact) => fact.name == name,
            },
            Self::Compare(all) => all.iter().all(|c| c.names().contains(&name)),
            Self::Dialect(_)
            | Self::LastFrame(_)
            | Self::Frame(_)
            | Self::LastSource(_)
            | Self::Source(_)
            | Self::Heading(_)
            | Self::Above(_)
            | Self::Note(_)
            | Self::Chain(_)
            | Self::Quoted(_)
            | Self::Thread(_)
            | Self::Unless(_) => false,
        }
    }
}
