//! The keys of `[[match]]`, `when` and `unless`, asked of one exception in its traceback.
//!
//! Both [`Condition::new`] and [`Condition::any_is`] take their struct apart without `..`, so a
//! new key that is forgotten in one of them does not compile.

use crate::corpus::rule::error::nearest;
use crate::traceback::facts::{Platform, StartMethod, Via};
use crate::traceback::{Dialect, Frame, Raised, Stack};

use super::comparison::Comparison;
use super::frame_pattern::FramePattern;
use super::message::Message;
use super::pattern::{CaptureTest, Filled, Pattern, Start};
use super::scene::{Found, Scene};
use super::type_name::TypeName;
use super::version_range::VersionRange;
use crate::corpus::rule::file::{Keys, Presence, Quoted, Texts, ThreadKeys};

/// What is wrong with a key, with the byte offset of its value.
pub(crate) type Fault = (usize, String);

/// The keys, ready to be asked; `None` and empty lists are keys that were not written.
#[derive(Debug, Default)]
pub(crate) struct Condition {
    exception: Option<Vec<TypeName>>,
    message: Option<Vec<Pattern>>,
    log_line: Option<Vec<Pattern>>,
    captures: Vec<(String, Vec<CaptureTest>)>,
    compare: Option<Vec<Comparison>>,
    frame: Option<Vec<FramePattern>>,
    function: Option<Vec<String>>,
    last_frame: Option<Vec<FramePattern>>,
    last_function: Option<Vec<String>>,
    source: Option<Vec<Pattern>>,
    last_source: Option<Vec<Pattern>>,
    heading: Option<Vec<Pattern>>,
    above: Option<Vec<Pattern>>,
    dialect: Option<Vec<Dialect>>,
    chain: Option<Vec<Other>>,
    note: Option<Vec<Pattern>>,
    quoted: Option<Other>,
    via: Option<Vec<Via>>,
    start_method: Option<Vec<StartMethod>>,
    platform: Option<Vec<Platform>>,
    python: Option<Vec<VersionRange>>,
    notebook: Option<bool>,
    ended_process: Option<bool>,
    rank: Option<Presence>,
    worker: Option<Presence>,
    pid: Option<Presence>,
    user_frame: Option<Presence>,
    thread: Vec<ThreadCondition>,
    unless: Option<Box<Condition>>,
}

/// Another exception of the traceback: `Type: template`.
#[derive(Debug, Default)]
struct Other {
    exception: Option<Vec<TypeName>>,
    message: Option<Vec<Pattern>>,
}

#[derive(Debug)]
struct ThreadCondition {
    name: Option<Vec<Pattern>>,
    state: Option<Vec<Pattern>>,
    last_frame: Option<Vec<FramePattern>>,
    frame: Option<Vec<FramePattern>>,
}

impl Condition {
    /// Compiles the keys of a rule file.
    pub(crate) fn new(keys: &Keys) -> Result<Self, Fault> {
        let Keys {
            exception,
            message,
            log_line,
            captures,
            compare,
            frame,
            function,
            last_frame,
            last_function,
            source,
            last_source,
            heading,
            above,
            dialect,
            chain,
            note,
            quoted,
            via,
            start_method,
            platform,
            python,
            notebook,
            ended_process,
            rank,
            worker,
            pid,
            user_frame,
            thread,
            unless,
        } = keys;
        let word = |w: &str| Ok(w.to_string());
        let tests =
            |(name, texts): (&String, &Texts)| Ok((name.clone(), each(texts, CaptureTest::new)?));
        Ok(Self {
            exception: list(exception.as_ref(), TypeName::new)?,
            message: list(message.as_ref(), line_pattern)?,
            log_line: list(log_line.as_ref(), log_line_pattern)?,
            captures: captures.iter().map(tests).collect::<Result<_, Fault>>()?,
            compare: list(compare.as_ref(), Comparison::new)?,
            frame: list(frame.as_ref(), FramePattern::new)?,
            function: list(function.as_ref(), word)?,
            last_frame: list(last_frame.as_ref(), FramePattern::new)?,
            last_function: list(last_function.as_ref(), word)?,
            source: list(source.as_ref(), line_pattern)?,
            last_source: list(last_source.as_ref(), line_pattern)?,
            heading: list(heading.as_ref(), line_pattern)?,
            above: list(above.as_ref(), line_pattern)?,
            dialect: list(dialect.as_ref(), dialect_of)?,
            chain: list(chain.as_ref(), Other::new)?,
            note: list(note.as_ref(), line_pattern)?,
            quoted: quoted.as_ref().map(Other::quoted).transpose()?,
            via: list(via.as_ref(), |n| value_of(Via::NAMES, n))?,
            start_method: list(start_method.as_ref(), |n| value_of(StartMethod::NAMES, n))?,
            platform: list(platform.as_ref(), |n| value_of(Platform::NAMES, n))?,
            python: list(python.as_ref(), VersionRange::new)?,
            notebook: *notebook,
            ended_process: *ended_process,
            rank: *rank,
            worker: *worker,
            pid: *pid,
            user_frame: *user_frame,
            thread: thread
                .iter()
                .map(ThreadCondition::new)
                .collect::<Result<_, _>>()?,
            unless: unless.as_deref().map(Self::new).transpose()?.map(Box::new),
        })
    }

    /// Whether all keys hold; what they captured is added to `found`.
    pub(crate) fn holds(&self, scene: &Scene, found: &mut Found) -> bool {
        !self.any_is(false, scene, found)
    }

    /// Gives the templates of the message or log line.
    pub(crate) fn messages(&self) -> impl Iterator<Item = &Pattern> {
        self.message.iter().chain(&self.log_line).flatten()
    }

    /// Gives every template outside of `unless`, message templates included.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let others = [
            &self.source,
            &self.last_source,
            &self.heading,
            &self.above,
            &self.note,
        ];
        let quoted = self.quoted.iter().chain(self.chain.iter().flatten());
        let threads = self.thread.iter().flat_map(|t| [&t.name, &t.state]);
        self.messages()
            .chain(others.into_iter().flatten().flatten())
            .chain(quoted.flat_map(|o| o.message.iter().flatten()))
            .chain(threads.flatten().flatten())
    }

    /// Whether one of its keys captures a name whatever template of it fits.
    pub(crate) fn fills(&self, name: &str) -> bool {
        let keys = [
            &self.message,
            &self.log_line,
            &self.source,
            &self.last_source,
        ];
        let keys = keys
            .into_iter()
            .chain([&self.heading, &self.above, &self.note]);
        let others = self
            .chain
            .iter()
            .flatten()
            .chain(&self.quoted)
            .map(|o| &o.message);
        let threads = self.thread.iter().flat_map(|t| [&t.name, &t.state]);
        keys.chain(others)
            .chain(threads)
            .flatten()
            .any(|patterns| patterns.iter().all(|p| p.names().contains(&name)))
    }

    /// Gives the names of the captures that it tests.
    pub(crate) fn tested_captures(&self) -> impl Iterator<Item = &str> {
        let unless = self.unless.iter().flat_map(|u| &u.captures);
        self.captures
            .iter()
            .chain(unless)
            .map(|(name, _)| name.as_str())
    }

    /// Returns the names of the captures whose amounts it compares.
    pub(crate) fn compared_captures(&self) -> impl Iterator<Item = &str> {
        let unless = self.unless.iter().filter_map(|u| u.compare.as_ref());
        let all = self.compare.iter().chain(unless).flatten();
        all.flat_map(Comparison::names)
    }

    /// Whether it asks for this fact, so that the fact is known where it holds.
    pub(crate) fn guarantees(&self, fact: &str) -> bool {
        match fact {
            "via" => self.via.is_some(),
            "start_method" => self.start_method.is_some(),
            "platform" => self.platform.is_some(),
            "python" => self.python.is_some(),
            "rank" => self.rank == Some(Presence::Any),
            "worker" => self.worker == Some(Presence::Any),
            "pid" => self.pid == Some(Presence::Any),
            "user_file" | "user_line" | "user_function" => self.user_frame == Some(Presence::Any),
            "exception" => self.exception.is_some(),
            "message" => self.message.is_some() || self.log_line.is_some(),
            capture => self.captures.iter().any(|(name, _)| name == capture),
        }
    }

    /// Whether the answer to one of the keys that were written is this one.
    fn any_is(&self, answer: bool, scene: &Scene, found: &mut Found) -> bool {
        let Self {
            exception,
            message,
            log_line,
            captures,
            compare,
            frame,
            function,
            last_frame,
            last_function,
            source,
            last_source,
            heading,
            above,
            dialect,
            chain,
            note,
            quoted,
            via,
            start_method,
            platform,
            python,
            notebook,
            ended_process,
            rank,
            worker,
            pid,
            user_frame,
            thread,
            unless,
        } = self;
        /// Asks one key, if it was written, and goes home with the answer that was sought.
        macro_rules! ask {
            ($key:expr, $k:ident => $holds:expr) => {
                if let Some($k) = $key
                    && ($holds) == answer
                {
                    return true;
                }
            };
        }
        let traceback = scene.traceback;
        let raised = scene.raised();
        let last = raised.and_then(|r| r.frames.last());
        let last_line = last.and_then(|f| f.source.as_deref());
        let is_log_line = traceback.dialect == Dialect::LogLine;
        let is_known = |wanted: &Presence, is: bool| is == (*wanted == Presence::Any);
        let is_at = |places: &[FramePattern], f: &Frame| places.iter().any(|p| p.holds(f));
        // A template whose captures fail the tests leaves the line to the next template.
        let allowed = |filled: &Filled| {
            filled.iter().all(|(name, value)| {
                let mut tests = captures.iter().filter(|(n, _)| n == name);
                tests.all(|(_, tests)| tests.iter().any(|t| t.holds(value)))
            })
        };

        // What costs least first.
        ask!(exception, types => raised.is_some_and(|r| is_any_type(types, r)));
        ask!(dialect, d => d.contains(&traceback.dialect));
        ask!(via, v => scene.facts().via.is_some_and(|f| v.contains(&f)));
        ask!(start_method, v => scene.facts().start_method.is_some_and(|f| v.contains(&f)));
        ask!(platform, v => scene.facts().platform.is_some_and(|f| v.contains(&f)));
        ask!(python, v => scene.facts().python.is_some_and(|f| v.iter().any(|r| r.holds(f))));
        ask!(notebook, n => scene.facts().notebook == *n);
        ask!(ended_process, e => scene.facts().ended_process == *e);
        ask!(rank, p => is_known(p, scene.facts().rank.is_some()));
        ask!(worker, p => is_known(p, scene.facts().worker.is_some()));
        ask!(pid, p => is_known(p, scene.facts().pid.is_some()));
        ask!(user_frame, p => is_known(p, scene.facts().user_frame.is_some()));
        ask!(last_frame, places => last.is_some_and(|f| is_at(places, f)));
        ask!(last_function, names => last.is_some_and(|f| names.contains(&f.function)));
        ask!(frame, places => scene.frames().any(|f| is_at(places, f)));
        ask!(function, names => scene.frames().any(|f| names.contains(&f.function)));
        // Templates before `captures`, which tests what they filled.
        ask!(message, p => !is_log_line && found.fill_message(p, scene.message, allowed));
        ask!(log_line, p => is_log_line && found.fill_message(p, scene.message, allowed));
        ask!(last_source, p => last_line.is_some_and(|s| found.fill_line(p, s)));
        ask!(source, p => scene.sources().any(|s| found.fill_line(p, s)));
        ask!(heading, p => traceback.heading.as_ref().is_some_and(|h| found.fill_line(p, h)));
        ask!(above, p => traceback.above.iter().any(|l| found.fill_line(p, l)));
        ask!(note, p => scene.notes().any(|n| found.fill_line(p, n)));
        ask!(chain, others => others.iter().any(|o| {
            scene.others().any(|r| o.is(r, traceback.dialect, found))
        }));
        ask!(quoted, o => scene.quoted().any(|r| o.is(r, traceback.dialect, found)));
        ask!((!thread.is_empty()).then_some(thread), all => all.iter().all(|t| {
            traceback.threads.iter().any(|s| t.is(s, found))
        }));
        // Each is a key of its own: under `unless` one that holds is enough.
        for (name, tests) in captures {
            ask!(Some(tests), tests => test_capture(name, tests, found));
        }
        ask!(compare, c => c.iter().any(|c| c.holds(&found.captures)));
        ask!(unless, u => !u.any_is(true, scene, &mut found.clone()));
        false
    }
}

impl Other {
    /// Takes `Type` or `Type: template` apart.
    fn new(text: &str) -> Result<Self, String> {
        let (exception, message) = match text.split_once(": ") {
            Some((exception, message)) => (exception, Some(message)),
            None => (text, None),
        };
        Ok(Self {
            exception: Some(vec![TypeName::new(exception)?]),
            message: message
                .map(|m| line_pattern(m).map(|p| vec![p]))
                .transpose()?,
        })
    }

    fn quoted(keys: &Quoted) -> Result<Self, Fault> {
        let Quoted { exception, message } = keys;
        Ok(Self {
            exception: list(exception.as_ref(), TypeName::new)?,
            message: list(message.as_ref(), line_pattern)?,
        })
    }

    fn is(&self, raised: &Raised, dialect: Dialect, found: &mut Found) -> bool {
        let Self { exception, message } = self;
        let mut inner = found.clone();
        let is = exception
            .as_ref()
            .is_none_or(|types| is_any_type(types, raised))
            && message
                .as_ref()
                .is_none_or(|p| inner.fill_message(p, &Message::of(raised, dialect), |_| true));
        if is {
            found.captures = inner.captures;
        }
        is
    }
}

impl ThreadCondition {
    fn new(keys: &ThreadKeys) -> Result<Self, Fault> {
        let ThreadKeys {
            name,
            state,
            last_frame,
            frame,
        } = keys;
        Ok(Self {
            name: list(name.as_ref(), line_pattern)?,
            state: list(state.as_ref(), line_pattern)?,
            last_frame: list(last_frame.as_ref(), FramePattern::new)?,
            frame: list(frame.as_ref(), FramePattern::new)?,
        })
    }

    fn is(&self, stack: &Stack, found: &mut Found) -> bool {
        let Self {
            name,
            state,
            last_frame,
            frame,
        } = self;
        let is_at = |places: &[FramePattern], frame: &Frame| places.iter().any(|p| p.holds(frame));
        name.as_ref()
            .is_none_or(|p| stack.name.as_deref().is_some_and(|n| found.fill_line(p, n)))
            && state.as_ref().is_none_or(|p| {
                stack
                    .state
                    .as_deref()
                    .is_some_and(|s| found.fill_line(p, s))
            })
            && last_frame
                .as_ref()
                .is_none_or(|p| stack.frames.last().is_some_and(|f| is_at(p, f)))
            && frame
                .as_ref()
                .is_none_or(|p| stack.frames.iter().any(|f| is_at(p, f)))
    }
}

fn dialect_of(name: &str) -> Result<Dialect, String> {
    let table: Vec<_> = Dialect::ALL.iter().map(|d| (d.name(), *d)).collect();
    value_of(&table, name)
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

fn is_any_type(types: &[TypeName], raised: &Raised) -> bool {
    raised
        .exception
        .as_deref()
        .is_some_and(|e| types.iter().any(|t| t.is(e)))
}

/// Tests a capture; in a cut message it may be missing.
fn test_capture(name: &str, tests: &[CaptureTest], found: &Found) -> bool {
    match found.captures.get(name) {
        Some(value) => tests.iter().any(|t| t.holds(value)),
        None => found.was_cut,
    }
}

/// Compiles the entries of a list, if the key was written.
fn list<T>(
    texts: Option<&Texts>,
    compile: impl Fn(&str) -> Result<T, String>,
) -> Result<Option<Vec<T>>, Fault> {
    texts.map(|t| each(t, compile)).transpose()
}

fn each<T>(texts: &Texts, compile: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, Fault> {
    texts
        .0
        .iter()
        .map(|t| compile(t.get_ref()).map_err(|message| (t.span().start, message)))
        .collect()
}

/// Finds the value of a name in a table of them.
pub(crate) fn value_of<T: Copy>(table: &[(&'static str, T)], name: &str) -> Result<T, String> {
    if let Some((_, value)) = table.iter().find(|(n, _)| *n == name) {
        return Ok(*value);
    }
    let names: Vec<&str> = table.iter().map(|(n, _)| *n).collect();
    Err(match nearest(name, names.iter().copied()) {
        Some(meant) => format!("unknown value \"{name}\", did you mean \"{meant}\"?"),
        None => format!(
            "unknown value \"{name}\", expected one of: {}",
            names.join(", ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let table = [("fork", 1), ("spawn", 2)];
        assert_eq!(value_of(&table, "spawn"), Ok(2));
        assert_eq!(
            value_of(&table, "spwan").unwrap_err(),
            "unknown value \"spwan\", did you mean \"spawn\"?"
        );
        assert_eq!(
            value_of(&table, "threads").unwrap_err(),
            "unknown value \"threads\", expected one of: fork, spawn"
        );
    }
}
