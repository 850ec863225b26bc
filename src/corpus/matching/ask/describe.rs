//! The keys of a condition in words for a reader: `sent by a DataLoader, on Windows`.

use super::parts::{FactTest, OtherException, ThreadAsk};
use super::{Ask, CASE, Condition};
use crate::corpus::matching::any_of::AnyOf;
use crate::traceback::facts::{FACTS, FactKind};

/// How many entries of a list are told.
const MAX_ENTRIES: usize = 3;

impl Condition {
    /// Returns the circumstances under which it holds; empty if it always does.
    pub(crate) fn describe(&self) -> String {
        describe_all(self.asks().iter()).join("; ")
    }
}

/// Returns each of these in words: how it was sent, what was printed, all else, what excludes.
pub(crate) fn describe_all<'a>(asks: impl Iterator<Item = &'a Ask>) -> Vec<String> {
    let mut asks: Vec<&Ask> = asks.collect();
    asks.sort_by_key(|ask| match ask {
        Ask::Fact(_, FactTest::Word(_) | FactTest::Version(_)) => 0,
        Ask::Exception(_) | Ask::Message(_) | Ask::LogLine(_) => 1,
        Ask::Fact(_, FactTest::Is(_) | FactTest::Known(_)) => 3,
        Ask::Thread(_) => 4,
        Ask::Unless(_) => 5,
        _ => 2,
    });
    asks.into_iter().flat_map(Ask::describe).collect()
}

impl Ask {
    /// Returns it in words.
    fn describe(&self) -> Vec<String> {
        let one = |words: &str, entries: String| vec![words.replace("{}", &entries)];
        match self {
            Self::Exception(all) => one("the exception is {}", code(all)),
            Self::Dialect(all) => one("printed by {}", code(all)),
            Self::Fact(at, test) => vec![test.describe(&FACTS[*at].kind)],
            Self::LastFrame(all) => one("raised in {}", code(all)),
            Self::Frame(all) => one("{} is in the traceback", code(all)),
            Self::Message(all) => one("the message says {}", code(all)),
            Self::LogLine(all) => one("the line says {}", code(all)),
            Self::LastSource(all) => one("raised at {}", code(all)),
            Self::Source(all) => one("a frame's source is {}", code(all)),
            Self::Heading(all) => one("headed {}", code(all)),
            Self::Above(all) => one("below a line {}", code(all)),
            Self::Note(all) => one("a note says {}", code(all)),
            Self::Chain(all) => one("{} is in the same traceback", code(all)),
            Self::Quoted(OtherException { exception, message }) => {
                let types = exception.as_ref().map(code);
                let words = message
                    .as_ref()
                    .map(|m| format!("{} as its message", code(m)));
                let both: Vec<String> = types.into_iter().chain(words).collect();
                one("the message quotes {}", both.join(" with "))
            }
            Self::Thread(all) => all.iter().map(ThreadAsk::describe).collect(),
            Self::Capture(name, tests) if name == CASE => {
                vec![any_of(tests.written().map(readable))]
            }
            Self::Capture(name, tests) => {
                let tests = any_of(tests.written().map(|test| quoted(&readable(test))));
                vec![format!("`<{name}>` is {tests}")]
            }
            Self::Compare(all) => one("{}", code(all)),
            // What it is a case of, the other keys tell.
            Self::Case(_) => Vec::new(),
            Self::Unless(keys) => {
                vec![format!(
                    "unless {}",
                    describe_all(keys.asks().iter()).join(" or ")
                )]
            }
        }
    }
}

impl FactTest {
    fn describe(&self, kind: &FactKind) -> String {
        match (self, kind) {
            (Self::Word(all), FactKind::Word(asked, _)) => {
                let words = all.iter().map(|word| word.phrase.to_owned());
                asked.replace("{}", &any_of(words))
            }
            (Self::Version(all), FactKind::Version(asked)) => {
                asked.replace("{}", &any_of(all.written().map(str::to_owned)))
            }
            (Self::Is(true), FactKind::Flag(yes, _)) => (*yes).to_owned(),
            (Self::Is(false), FactKind::Flag(_, no)) => (*no).to_owned(),
            (Self::Known(true), FactKind::Number(noun) | FactKind::Frame(noun)) => {
                format!("the {noun} is known")
            }
            (Self::Known(false), FactKind::Number(noun) | FactKind::Frame(noun)) => {
                format!("no {noun} is known")
            }
            // A test is made by the kind of its fact.
            _ => String::new(),
        }
    }
}

impl ThreadAsk {
    fn describe(&self) -> String {
        let Self {
            name,
            state,
            last_frame,
            frame,
        } = self;
        let parts = [
            name.as_ref().map(|all| format!("named {}", code(all))),
            state.as_ref().map(|all| format!("in state {}", code(all))),
            last_frame
                .as_ref()
                .map(|all| format!("that stands in {}", code(all))),
            frame
                .as_ref()
                .map(|all| format!("with a frame in {}", code(all))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        format!("a thread {}", parts.join(", "))
    }
}

/// Returns the entries as they were written, in back quotes.
fn code<T>(all: &AnyOf<T>) -> String {
    any_of(all.written().map(quoted))
}

/// Returns “a DataLoader or a Pool”, “`copy.py:deepcopy` or 4 more”.
fn any_of(entries: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = entries.collect();
    if all.len() > MAX_ENTRIES + 1 {
        let more = all.len() - MAX_ENTRIES;
        all.truncate(MAX_ENTRIES);
        all.push(format!("{more} more"));
    }
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Writes an entry as code, several lines of it in one.
fn quoted(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    format!("`{}`", shown_template(&lines.join(" … ")))
}

/// Writes a regular expression for a reader: `…` for `.*`, a point for `\\.`.
fn readable(test: &str) -> String {
    let shown = test
        .replace("\\.", "\u{0}")
        .replace(".*", "…")
        .replace(".+", "…");
    shown.replace('\u{0}', ".")
}

/// Writes a template for a reader: `<name>` for a capture, `…` for anything.
pub(crate) fn shown_template(template: &str) -> String {
    let mut shown = String::new();
    let mut rest = template.trim();
    while let Some(at) = rest.find(['{', '}']) {
        shown.push_str(&rest[..at].replace("...", "…"));
        let sign = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(sign) {
            shown.push_str(sign);
            rest = after;
        } else if let Some((name, after)) = rest.split_once('}').filter(|_| sign == "{") {
            shown.extend(["<", name, ">"]);
            rest = after;
        } else {
            shown.push_str(sign);
        }
    }
    shown + &rest.replace("...", "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(keys: &str) -> String {
        let keys = toml::from_str(keys).expect("keys");
        Condition::new(&keys).expect("a condition").describe()
    }

    #[test]
    fn facts_are_told_in_the_words_of_people() {
        assert_eq!(
            told(
                "via = [\"dataloader\", \"pool\"]\nplatform = \"windows\"\nstart_method = \"spawn\""
            ),
            "sent by a DataLoader or a Pool; under `spawn`; on Windows"
        );
        assert_eq!(
            told("python = \">=3.14\"\nnotebook = true"),
            "on Python >=3.14; in a notebook"
        );
        assert_eq!(told(""), "");
    }

    #[test]
    fn an_expression_is_made_readable() {
        assert_eq!(
            told("captures.type = '_asyncio\\..*|a'"),
            "`<type>` is `_asyncio.…|a`"
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        assert_eq!(
            told("last_frame = [\"a.py:f\", \"b.py\", \"c.py\", \"d.py\", \"e.py\"]"),
            "raised in `a.py:f`, `b.py`, `c.py` or 2 more"
        );
    }

    #[test]
    fn what_excludes_is_told_too() {
        assert_eq!(
            told("via = \"dataloader\"\nunless.worker = \"any\"\nunless.via = \"joblib\""),
            "sent by a DataLoader; unless sent by joblib or the worker is known"
        );
    }

    #[test]
    fn a_template_is_shown_without_its_signs() {
        assert_eq!(shown_template("a '{type}' ... {{x}}"), "a '<type>' … {x}");
    }
}
