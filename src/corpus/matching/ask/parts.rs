//! What is asked of a fact, of another exception, of a thread.

use toml::Spanned;

use super::keys::{fields, line_pattern, optional};
use crate::corpus::matching::any_of::{AnyOf, named};
use crate::corpus::matching::context::{Captures, MatchContext};
use crate::corpus::matching::frame_pattern::FramePattern;
use crate::corpus::matching::pattern::Pattern;
use crate::corpus::matching::type_name::TypeName;
use crate::corpus::matching::version_range::VersionRange;
use crate::corpus::rule::error::Fault;
use crate::corpus::rule::file::{Keys, Value};
use crate::traceback::facts::{self, FactKind, Word};
use crate::traceback::{Exception, Frame, Stack};

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

impl FactTest {
    /// Reads what is asked of a fact of this kind.
    pub(super) fn new(kind: &FactKind, value: &Spanned<Value>) -> Result<Self, Fault> {
        match kind {
            FactKind::Word(_, words) => {
                let valid = words.iter().map(|word| (word.name, word));
                AnyOf::new(value, |name| named(name, valid.clone())).map(Self::Word)
            }
            FactKind::Version(_) => AnyOf::new(value, VersionRange::new).map(Self::Version),
            FactKind::Flag(..) => match value.get_ref() {
                Value::Flag(is) => Ok(Self::Is(*is)),
                _ => Err((value.span().start, "expected true or false".to_owned())),
            },
            FactKind::Number(_) | FactKind::Frame(_) => {
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
    pub(super) fn holds(&self, value: facts::FactValue) -> bool {
        use facts::FactValue::{Flag, Frame, Number, Version, Word};
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
    pub(super) fn new(text: &str) -> Result<Self, String> {
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

    pub(super) fn quoted(keys: &Keys) -> Result<Self, Fault> {
        let [exception, message] = fields(keys, ["exception", "message"])?;
        Ok(Self {
            exception: optional(exception, TypeName::new)?,
            message: optional(message, line_pattern)?,
        })
    }

    /// Returns whether an exception of the traceback, by its index, is this one.
    pub(super) fn is(&self, context: &MatchContext, index: usize, captured: &mut Captures) -> bool {
        let Self { exception, message } = self;
        let Some(raised) = context.traceback.exceptions.get(index) else {
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
        let own = (captured.was_cut, captured.literal_bytes);
        let is = captured.fill_message(message, context.messages.of(index), |_, _| true);
        (captured.was_cut, captured.literal_bytes) = own;
        is
    }

    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        self.message.iter().flat_map(AnyOf::iter)
    }
}

impl ThreadAsk {
    pub(super) fn new(keys: &Keys) -> Result<Self, Fault> {
        let [name, state, last_frame, frame] =
            fields(keys, ["name", "state", "last_frame", "frame"])?;
        Ok(Self {
            name: optional(name, line_pattern)?,
            state: optional(state, line_pattern)?,
            last_frame: optional(last_frame, FramePattern::new)?,
            frame: optional(frame, FramePattern::new)?,
        })
    }

    pub(super) fn is(&self, stack: &Stack, captured: &mut Captures) -> bool {
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
    pub(super) fn patterns(&self) -> impl Iterator<Item = &AnyOf<Pattern>> {
        self.name.iter().chain(&self.state)
    }
}

pub(super) fn is_any_type(types: &AnyOf<TypeName>, raised: &Exception) -> bool {
    let printed = raised.type_name.as_deref();
    printed.is_some_and(|printed| types.any(|t| t.is(printed)))
}

pub(super) fn is_at(places: &AnyOf<FramePattern>, frame: &Frame) -> bool {
    places.any(|place| place.holds(frame))
}
