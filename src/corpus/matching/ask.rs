//! The words of `[[match]]`, `when` and `unless`, asked of one exception in its traceback.
//!
//! A new word is a variant of [`Ask`] and a row of [`WORDS`]; all that must be known of it is an
//! exhaustive `match` here or in [`describe`](super::describe). A fact needs neither: each of
//! [`FACTS`] is a word of its name.

use std::slice;

use toml::Spanned;

use super::any_of::{AnyOf, Fault, named};
use super::comparison::Comparison;
use super::context::{Captures, MatchContext};
use super::frame_pattern::FramePattern;
use super::pattern::{CaptureTest, Filled, Pattern, Start};
use super::type_name::TypeName;
use super::version_range::VersionRange;
use crate::corpus::rule::error::nearest;
use crate::corpus::rule::file::{Keys, Value};
use crate::traceback::facts::{self, FACTS, Fact, Kind, Word};
use crate::traceback::{Dialect, Frame, Raised, Stack};

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
    /// The innermost frame: `path/end.py:function`.
    LastFrame(AnyOf<FramePattern>),
    /// The innermost frame's function.
    LastFunction(AnyOf<String>),
    /// Any frame of the chain.
    Frame(AnyOf<FramePattern>),
    /// The function of any frame.
    Function(AnyOf<String>),
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
    /// A template that fills a line directly above the head.
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
}

/// What is asked of a fact.
#[derive(Debug)]
pub(crate) enum FactTest {
    /// It is one of these words.
    Word(AnyOf<&'static Word>),
    /// It lies in one of these ranges.
    Version(AnyOf<VersionRange>),
    /// It is so, or is not.
    Is(bool),
    /// It is known, or is not.
    Known(bool),
}

/// Another exception; what is not written may be anything.
#[derive(Debug, Default)]
pub(crate) struct OtherException {
    pub(crate) exception: Option<AnyOf<TypeName>>,
    pub(crate) message: Option<AnyOf<Pattern>>,
}

/// A thread of a dump; what is not written may be anything.
#[derive(Debug)]
pub(crate) struct ThreadAsk {
    pub(crate) name: Option<AnyOf<Pattern>>,
    pub(crate) state: Option<AnyOf<Pattern>>,
    pub(crate) last_frame: Option<AnyOf<FramePattern>>,
    pub(crate) frame: Option<AnyOf<FramePattern>>,
}

/// Reads the value of a key.
type Read = fn(&Spanned<Value>) -> Result<Vec<Ask>, Fault>;

/// The words in the order in which they are asked: what costs least first, templates before what
/// looks at their captures. Facts come behind [`BEFORE_FACTS`] of them.
pub(crate) const WORDS: &[(&str, Read)] = &[
    ("exception", |v| list(Ask::Exception, v, TypeName::new)),
    ("dialect", |v| list(Ask::Dialect, v, dialect)),
    ("last_frame", |v| list(Ask::LastFrame, v, FramePattern::new)),
    ("last_function", |v| list(Ask::LastFunction, v, word)),
    ("frame", |v| list(Ask::Frame, v, FramePattern::new)),
    ("function", |v| list(Ask::Function, v, word)),
    ("message", |v| list(Ask::Message, v, line_pattern)),
    ("log_line", |v| list(Ask::LogLine, v, log_line_pattern)),
    ("last_source", |v| list(Ask::LastSource, v, line_pattern)),
    ("source", |v| list(Ask::Source, v, line_pattern)),
    ("heading", |v| list(Ask::Heading, v, line_pattern)),
    ("above", |v| list(Ask::Above, v, line_pattern)),
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
            let tests = AnyOf::new(tests, CaptureTest::new)?;
            Ok(Ask::Capture(name.get_ref().clone(), tests))
        };
        keys(v)?.0.iter().map(test).collect()
    }),
    ("compare", |v| list(Ask::Compare, v, Comparison::new)),
    ("unless", |v| {
        Ok(vec![Ask::Unless(Condition::new(keys(v)?)?)])
    }),
];

/// How many of the words are asked before the facts.
const BEFORE_FACTS: usize = 2;

/// Returns the names of all keys.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let words = WORDS.iter().map(|(name, _)| *name);
    words.chain(FACTS.iter().map(|fact| fact.name))
}

impl Condition {
    /// Compiles the keys of a rule file.
    pub(crate) fn new(keys: &Keys) -> Result<Self, Fault> {
        let mut asks = Vec::with_capacity(keys.0.len());
        for (key, value) in &keys.0 {
            let name = key.get_ref().as_str();
            if let Some(at) = FACTS.iter().position(|fact| fact.name == name) {
                let test = FactTest::new(&FACTS[at].kind, value)?;
                asks.push(((BEFORE_FACTS, at), Ask::Fact(at, test)));
            } else if let Some(at) = WORDS.iter().position(|(word, _)| *word == name) {
                let place = if at < BEFORE_FACTS { at } else { at + 1 };
                asks.extend(WORDS[at].1(value)?.into_iter().map(|ask| ((place, 0), ask)));
            } else {
                return Err(unknown_key(key, names()));
            }
        }
        asks.sort_by_key(|(place, _)| *place);
        Ok(Self(asks.into_iter().map(|(_, ask)| ask).collect()))
    }

    /// Returns the keys, in the order in which they are asked.
    pub(crate) fn asks(&self) -> &[Ask] {
        &self.0
    }

    /// Returns whether all keys hold; what they captured is added to `captured`.
    pub(crate) fn holds(&self, context: &MatchContext, captured: &mut Captures) -> bool {
        self.0.iter().all(|ask| ask.holds(self, context, captured))
    }

    /// Returns whether one of the keys holds.
    fn any_holds(&self, context: &MatchContext, mut captured: Captures) -> bool {
        let mut asks = self.0.iter();
        asks.any(|ask| ask.holds(self, context, &mut captured))
    }

    /// Returns whether what a template captured passes the tests: if not, the line is left to the
    /// next template.
    fn allows(&self, filled: &Filled) -> bool {
        filled.iter().all(|(name, value)| {
            self.0.iter().all(|ask| match ask {
                Ask::Capture(tested, tests) if tested == name => tests.any(|t| t.holds(value)),
                _ => true,
            })
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
        patterns.flat_map(Pattern::names)
    }

    /// Returns whether one of its keys captures a name whatever template of it fits.
    pub(crate) fn fills(&self, name: &str) -> bool {
        self.0.iter().any(|ask| ask.fills(name))
    }

    /// Returns whether it asks for this fact or capture, so that it is known where it holds.
    pub(crate) fn guarantees(&self, name: &str) -> bool {
        self.0.iter().any(|ask| ask.guarantees(name))
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
        let mut frames = context.frames();
        match self {
            Self::Exception(types) => context.raised().is_some_and(|r| is_any_type(types, r)),
            Self::Dialect(dialects) => dialects.any(|d| *d == traceback.dialect),
            Self::Fact(at, test) => test.holds(context.facts().values()[*at]),
            Self::LastFrame(places) => context.last_frame().is_some_and(|f| is_at(places, f)),
            Self::LastFunction(names) => {
                let last = context.last_frame();
                last.is_some_and(|f| names.any(|n| *n == f.function))
            }
            Self::Frame(places) => frames.any(|f| is_at(places, f)),
            Self::Function(names) => frames.any(|f| names.any(|n| *n == f.function)),
            Self::Message(all) => {
                !is_log_line && captured.fill_message(all, context.message(), |f| of.allows(f))
            }
            Self::LogLine(all) => {
                is_log_line && captured.fill_message(all, context.message(), |f| of.allows(f))
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
            Self::Capture(name, tests) => match captured.values.get(name) {
                Some(value) => tests.any(|t| t.holds(value)),
                // In a cut message it may be missing.
                None => captured.was_cut,
            },
            Self::Compare(all) => all.any(|c| c.holds(&captured.values)),
            Self::Unless(keys) => !keys.any_holds(context, captured.clone()),
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
            | Self::LastFunction(_)
            | Self::Frame(_)
            | Self::Function(_)
            | Self::Capture(..)
            | Self::Compare(_)
            | Self::Unless(_) => Vec::new(),
        }
    }

    /// Returns whether it captures a name whatever entry of it holds.
    fn fills(&self, name: &str) -> bool {
        let captures = |p: &Pattern| p.names().contains(&name);
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
            Self::Fact(at, test) => match (test, &FACTS[*at]) {
                (FactTest::Is(_) | FactTest::Known(false), _) => false,
                // Its source line may be missing.
                (
                    _,
                    Fact {
                        kind: Kind::Frame(_),
                        ..
                    },
                ) => ["user_file", "user_line", "user_function"].contains(&name),
                (_, fact) => fact.name == name,
            },
            Self::Compare(all) => all.iter().all(|c| c.names().contains(&name)),
            Self::Dialect(_)
            | Self::LastFrame(_)
            | Self::LastFunction(_)
            | Self::Frame(_)
            | Self::Function(_)
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

impl FactTest {
    /// Reads what is asked of a fact of this kind.
    fn new(kind: &Kind, value: &Spanned<Value>) -> Result<Self, Fault> {
        match kind {
            Kind::Word(_, words) => {
                let valid = words.iter().map(|word| (word.name, word));
                AnyOf::new(value, |name| named(name, valid.clone())).map(Self::Word)
            }
            Kind::Version(_) => AnyOf::new(value, VersionRange::new).map(Self::Version),
            Kind::Flag(..) => match value.get_ref() {
                Value::Flag(is) => Ok(Self::Is(*is)),
                _ => Err((value.span().start, "expected true or false".to_owned())),
            },
            Kind::Number(_) | Kind::Frame(_) => {
                let known = [("any", &true), ("none", &false)];
                let known = match value.get_ref() {
                    Value::Text(text) => named(text, known.into_iter()),
                    _ => named("", known.into_iter()),
                };
                let known = known.map_err(|message| (value.span().start, message))?;
                Ok(Self::Known(*known))
            }
        }
    }

    /// Returns whether what is known of the fact passes.
    fn holds(&self, value: facts::Value) -> bool {
        use facts::Value::{Flag, Frame, Number, Version, Word};
        match (self, value) {
            (Self::Word(all), Word(Some(word))) => all.any(|w| w.name == word.name),
            (Self::Version(all), Version(Some(version))) => all.any(|r| r.holds(version)),
            (Self::Is(is), Flag(flag)) => *is == flag,
            (Self::Known(known), Number(number)) => *known == number.is_some(),
            (Self::Known(known), Frame(frame)) => *known == frame.is_some(),
            _ => false,
        }
    }
}

impl OtherException {
    /// Takes `Type` or `Type: template` apart.
    fn new(text: &str) -> Result<Self, String> {
        let (exception, message) = match text.split_once(": ") {
            Some((exception, message)) => (exception, Some(message)),
            None => (text, None),
        };
        let message = message.map(|m| line_pattern(m).map(|p| AnyOf::one(p, m)));
        Ok(Self {
            exception: Some(AnyOf::one(TypeName::new(exception)?, exception)),
            message: message.transpose()?,
        })
    }

    fn quoted(keys: &Keys) -> Result<Self, Fault> {
        let [exception, message] = fields(keys, ["exception", "message"])?;
        Ok(Self {
            exception: optional(exception, TypeName::new)?,
            message: optional(message, line_pattern)?,
        })
    }

    /// Returns whether an exception of the traceback, by its index, is this one.
    fn is(&self, context: &MatchContext, index: usize, captured: &mut Captures) -> bool {
        let Self { exception, message } = self;
        let Some(raised) = context.traceback.raised.get(index) else {
            return false;
        };
        if !exception
            .as_ref()
            .is_none_or(|types| is_any_type(types, raised))
        {
            return false;
        }
        let Some(message) = message else { return true };
        // Neither that it was cut nor its length tells of the exception that is diagnosed.
        let mut inner = captured.clone();
        let is = inner.fill_message(message, context.messages.of(index), |_| true);
        if is {
            captured.values = inner.values;
        }
        is
    }

    fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.message.iter().flat_map(AnyOf::iter)
    }
}

impl ThreadAsk {
    fn new(keys: &Keys) -> Result<Self, Fault> {
        let [name, state, last_frame, frame] =
            fields(keys, ["name", "state", "last_frame", "frame"])?;
        Ok(Self {
            name: optional(name, line_pattern)?,
            state: optional(state, line_pattern)?,
            last_frame: optional(last_frame, FramePattern::new)?,
            frame: optional(frame, FramePattern::new)?,
        })
    }

    fn is(&self, stack: &Stack, captured: &mut Captures) -> bool {
        let Self {
            name,
            state,
            last_frame,
            frame,
        } = self;
        let mut fills = |patterns: &Option<AnyOf<Pattern>>, text: &Option<String>| {
            let mut patterns = patterns.iter();
            patterns.all(|all| captured.fill_any(all, text.as_deref()))
        };
        fills(name, &stack.name)
            && fills(state, &stack.state)
            && last_frame
                .iter()
                .all(|all| stack.frames.last().is_some_and(|f| is_at(all, f)))
            && frame
                .iter()
                .all(|all| stack.frames.iter().any(|f| is_at(all, f)))
    }

    /// Returns the templates, those of one key together.
    fn patterns(&self) -> impl Iterator<Item = &AnyOf<Pattern>> {
        self.name.iter().chain(&self.state)
    }
}

/// Reads a key that takes a list.
fn list<T>(
    ask: fn(AnyOf<T>) -> Ask,
    value: &Spanned<Value>,
    compile: fn(&str) -> Result<T, String>,
) -> Result<Vec<Ask>, Fault> {
    Ok(vec![ask(AnyOf::new(value, compile)?)])
}

fn optional<T>(
    value: Option<&Spanned<Value>>,
    compile: fn(&str) -> Result<T, String>,
) -> Result<Option<AnyOf<T>>, Fault> {
    value.map(|value| AnyOf::new(value, compile)).transpose()
}

/// Reads a key that takes a table.
fn keys(value: &Spanned<Value>) -> Result<&Keys, Fault> {
    match value.get_ref() {
        Value::Keys(keys) => Ok(keys),
        _ => Err((
            value.span().start,
            "expected keys below this one".to_owned(),
        )),
    }
}

/// Reads a key that takes several tables.
fn tables(value: &Spanned<Value>) -> Result<Vec<&Keys>, Fault> {
    match value.get_ref() {
        Value::List(all) => all.iter().map(keys).collect(),
        _ => Ok(vec![keys(value)?]),
    }
}

/// Returns the values of a table that has no keys but these.
fn fields<'k, const N: usize>(
    keys: &'k Keys,
    names: [&'static str; N],
) -> Result<[Option<&'k Spanned<Value>>; N], Fault> {
    match keys
        .0
        .iter()
        .find(|(key, _)| !names.contains(&key.get_ref().as_str()))
    {
        Some((key, _)) => Err(unknown_key(key, names.into_iter())),
        None => Ok(names.map(|name| keys.get(name))),
    }
}

fn unknown_key(key: &Spanned<String>, valid: impl Iterator<Item = &'static str>) -> Fault {
    let (typed, valid) = (key.get_ref(), valid.collect::<Vec<_>>());
    let message = match nearest(typed, valid.iter().copied()) {
        Some(meant) => format!("unknown key \"{typed}\", did you mean \"{meant}\"?"),
        None => format!(
            "unknown key \"{typed}\", expected one of: {}",
            valid.join(", ")
        ),
    };
    (key.span().start, message)
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "any word will do, and the others may not"
)]
fn word(word: &str) -> Result<String, String> {
    Ok(word.to_owned())
}

fn dialect(name: &str) -> Result<Dialect, String> {
    let all = Dialect::ALL.iter().map(|dialect| (dialect.name(), dialect));
    named(name, all).copied()
}

fn line_pattern(template: &str) -> Result<Pattern, String> {
    Pattern::new(template, Start::Line)
}

/// Makes the pattern of a log line, which anything may stand around of.
fn log_line_pattern(template: &str) -> Result<Pattern, String> {
    /// Fewer bytes would be found in every log.
    const MIN_LITERAL: usize = 8;
    let pattern = Pattern::new(template, Start::Prefix)?;
    if pattern.literal().len() < MIN_LITERAL {
        return Err(format!(
            "a log_line needs {MIN_LITERAL} characters of plain text in one piece"
        ));
    }
    Ok(pattern)
}

fn is_any_type(types: &AnyOf<TypeName>, raised: &Raised) -> bool {
    let printed = raised.exception.as_deref();
    printed.is_some_and(|printed| types.any(|t| t.is(printed)))
}

fn is_at(places: &AnyOf<FramePattern>, frame: &Frame) -> bool {
    places.any(|place| place.holds(frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the fault of these keys: the text at its place, and the message.
    fn fault(text: &str) -> (&str, String) {
        let keys: Keys = toml::from_str(text).expect("TOML");
        let (offset, message) = Condition::new(&keys).expect_err("a fault");
        (&text[offset..], message)
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place_and_the_right_one() {
        let (at, message) = fault("via = 'pool'\nmesage = 'x'");
        assert_eq!(at, "mesage = 'x'");
        assert_eq!(message, "unknown key \"mesage\", did you mean \"message\"?");
        for (text, meant) in [
            ("platfrom = 'linux'", "platform"),
            ("quoted.exeption = 'A'", "exception"),
            ("unless.vai = 'pool'", "via"),
        ] {
            let (_, message) = fault(text);
            assert!(
                message.ends_with(&format!("did you mean \"{meant}\"?")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_value_of_another_kind_is_named() {
        for (text, expected) in [
            ("via = true", "expected a text in quotes or a list of them"),
            (
                "message = []",
                "expected a text in quotes or a list of them",
            ),
            ("notebook = 'yes'", "expected true or false"),
            (
                "rank = 'some'",
                "unknown value \"some\", expected one of: any, none",
            ),
            ("quoted = 'A'", "expected keys below this one"),
            (
                "via = 'pol'",
                "unknown value \"pol\", did you mean \"pool\"?",
            ),
        ] {
            assert_eq!(fault(text).1, expected, "{text}");
        }
    }

    #[test]
    fn what_costs_least_is_asked_first_and_captures_after_their_templates() {
        let text = "captures.n = 'x'\nmessage = '{n}'\nrank = 'any'\nvia = 'pool'\nexception = 'A'\nunless.rank = 'none'";
        let keys: Keys = toml::from_str(text).expect("TOML");
        let condition = Condition::new(&keys).expect("a condition");
        assert!(matches!(
            condition.asks(),
            [
                Ask::Exception(_),
                Ask::Fact(0, _),
                Ask::Fact(4, _),
                Ask::Message(_),
                Ask::Capture(..),
                Ask::Unless(_)
            ]
        ));
    }
}
