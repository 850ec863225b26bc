//! An exception's message as templates see it: trimmed lines, without what others append.

use std::cell::OnceCell;

use crate::traceback::{Dialect, Exception, Traceback};

use super::pattern::{Filled, Pattern};

/// A message made ready to be compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    /// Its lines, trimmed, blank ones left out, without the suffixes that Python and Ray add.
    text: String,
    /// The same with the suffixes, if there were any.
    whole: Option<String>,
    /// All in one line, where the dialect may have wrapped it.
    unwrapped: Option<String>,
    /// The text without the dots where the dialect cut it.
    cut: Option<String>,
    /// The first of several arguments, where the message is a tuple of them.
    first: Option<String>,
}

/// The messages of a traceback's exceptions, each made ready when it is first asked for.
#[derive(Debug)]
pub(crate) struct Messages<'a> {
    traceback: &'a Traceback,
    ready: Vec<OnceCell<Message>>,
    /// Stands for that of an exception that is not there.
    none: Message,
}

impl<'a> Messages<'a> {
    /// Makes the messages of a traceback.
    pub(crate) fn new(traceback: &'a Traceback) -> Self {
        Self {
            traceback,
            ready: vec![OnceCell::new(); traceback.exceptions.len()],
            none: Message::default(),
        }
    }

    /// Returns the traceback that they are of.
    pub(crate) fn traceback(&self) -> &'a Traceback {
        self.traceback
    }

    /// Returns the message of an exception, by its index.
    pub(crate) fn of(&self, exception: usize) -> &Message {
        let Some(ready) = self.ready.get(exception) else {
            return &self.none;
        };
        let traceback = self.traceback;
        ready.get_or_init(|| Message::of(&traceback.exceptions[exception], traceback.dialect))
    }
}

/// How a template was filled.
pub(crate) struct Fill<'a> {
    /// The captures.
    pub(crate) filled: Filled<'a>,
    /// What is left of the captures behind the longest literal, where the message was cut.
    pub(crate) begun: Filled<'a>,
    /// Whether the end of the message was cut off.
    pub(crate) was_cut: bool,
}

impl Message {
    /// Makes an exception's message ready.
    fn of(exception: &Exception, dialect: Dialect) -> Self {
        let mut lines: Vec<&str> = trimmed(&exception.message).collect();
        if let Some(first) = lines.first_mut() {
            *first = without_address(first);
        }
        if let Some(last) = lines.last_mut() {
            *last = without_closing_quote(last);
        }
        let bare: Vec<&str> = lines.iter().map(|l| without_suffix(l)).collect();
        let text = bare.join("\n");
        let wraps = dialect.wraps_messages() && lines.len() > 1;
        let cut = ["...", "…"]
            .iter()
            .find_map(|dots| text.strip_suffix(dots))
            .map(|t| t.trim_end().to_string())
            .or_else(|| ends_in_quotation(&text).then(|| text.clone()));
        let first = first_argument(&text);
        Self {
            first,
            unwrapped: wraps.then(|| without_suffix(&lines.join(" ")).to_string()),
            whole: (bare != lines).then(|| lines.join("\n")),
            text,
            cut,
        }
    }

    /// Returns the text that is shown of it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns its forms: as it is shown, with the suffixes, in one line, without further arguments.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let others = [&self.unwrapped, &self.whole, &self.first]
            .into_iter()
            .flatten();
        std::iter::once(&self.text)
            .chain(others)
            .map(String::as_str)
    }

    /// Returns whether its end was cut off, as far as it shows.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// Fills a template from the whole of it.
    pub(crate) fn fill<'a>(&'a self, pattern: &'a Pattern) -> Option<Fill<'a>> {
        let filled = self.texts().find_map(|t| pattern.fill(t))?;
        Some(Fill {
            filled,
            begun: Filled::new(),
            was_cut: false,
        })
    }

    /// Fills a template from what is left of it, where its end was cut off.
    pub(crate) fn fill_cut<'a>(&'a self, pattern: &'a Pattern) -> Option<Fill<'a>> {
        let cut = self.cut.as_ref()?;
        Some(Fill {
            filled: pattern.fill_beginning(cut)?,
            begun: pattern.begun_captures(cut).unwrap_or_default(),
            was_cut: true,
        })
    }
}

/// Returns whether a quotation is open at the end of a text, which was cut there:
/// `Can't pickle local object 'build.<locals>.Data`.
fn ends_in_quotation(text: &str) -> bool {
    let last = text.rfind(['\'', '"']);
    last.is_some_and(|at| text[..at].ends_with(' ') && at + 1 < text.len())
}

/// Returns the lines of a message as templates see them.
pub(crate) fn trimmed(message: &[String]) -> impl Iterator<Item = &str> {
    message.iter().map(|l| l.trim()).filter(|l| !l.is_empty())
}

/// Returns the first of an exception's arguments, where the message is a tuple of them: others were
/// added (joblib adds what it was hashing): `("Can't pickle …", 'PicklingError while hashing …')`, or
/// Python 2 or a log wrote all that there are: `('bad file',)`.
fn first_argument(text: &str) -> Option<String> {
    let arguments = text.strip_prefix('(')?.strip_suffix(')')?;
    let arguments = arguments.strip_prefix('u').unwrap_or(arguments);
    let quote = arguments
        .chars()
        .next()
        .filter(|c| matches!(c, '\'' | '"'))?;
    let mut first = String::new();
    let mut rest = arguments[1..].chars();
    loop {
        match rest.next()? {
            '\\' => match rest.next()? {
                'n' => first.push('\n'),
                escaped @ ('\'' | '"' | '\\') => first.push(escaped),
                _ => return None,
            },
            c if c == quote => break,
            c => first.push(c),
        }
    }
    let others = rest.as_str();
    (others == "," || others.starts_with(", ")).then(|| first.trim_end().to_owned())
}

/// Takes off the back quote that closes a whole paste: it has no partner in its line.
fn without_closing_quote(line: &str) -> &str {
    line.strip_suffix('`')
        .filter(|rest| rest.matches('`').count() % 2 == 0)
        .map_or(line, str::trim_end)
}

/// Takes off what Xoscar puts before a message that comes from another process:
/// `[address=0.0.0.0:43011, pid=412] `.
fn without_address(line: &str) -> &str {
    let behind = line
        .strip_prefix("[address=")
        .and_then(|rest| rest.split_once("] "));
    behind
        .filter(|(address, _)| address.contains(", pid="))
        .map_or(line, |(_, rest)| rest)
}

/// Takes off what Python (`. Did you mean: 'x'?`), Ray (` [repeated 3x across cluster]`) and Beam append.
fn without_suffix(line: &str) -> &str {
    let mut line = line;
    if line.ends_with("across cluster]")
        && let Some(at) = line.rfind(" [repeated ")
    {
        line = line[..at].trim_end();
    }
    // Beam: `cannot pickle '_thread.RLock' object [while running 'ParDo(x)']`.
    if line.ends_with("']")
        && let Some(at) = line.rfind(" [while running '")
    {
        line = &line[..at];
    }
    if line.ends_with('?') {
        for hint in [
            ". Did you mean",
            ". Did you forget to import",
            "? Did you mean",
        ] {
            if let Some(at) = line.rfind(hint) {
                line = &line[..at];
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::matching::pattern::Anchor;

    fn message(lines: &[&str], dialect: Dialect) -> Message {
        let message = lines.iter().map(ToString::to_string).collect();
        Message::of(
            &Exception {
                message,
                ..Exception::default()
            },
            dialect,
        )
    }

    fn fill(template: &str, message: &Message) -> Option<(Vec<(String, String)>, bool)> {
        let pattern = Pattern::new(template, Anchor::Line).unwrap();
        let fill = message
            .fill(&pattern)
            .or_else(|| message.fill_cut(&pattern));
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        fill.map(|f| (f.filled.into_iter().map(owned).collect(), f.was_cut))
    }

    fn one(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.to_string(), value.to_string())]
    }

    #[test]
    fn hints_of_python_and_ray_are_no_part_of_the_message() {
        for line in [
            "no attribute 'x'. Did you mean: 'y'?",
            "no attribute 'x'. Did you mean '.inner.x' instead of '.x'?",
            "no attribute 'x'. Did you forget to import 'x'?",
            "no attribute 'x' [repeated 3x across cluster]",
            "no attribute 'x' [while running 'ParDo(load)']",
            "no attribute 'x'. Did you mean: 'y'? [repeated 3x across cluster]",
        ] {
            let found = fill("no attribute {name}", &message(&[line], Dialect::Cpython));
            assert_eq!(found, Some((one("name", "'x'"), false)), "{line}");
        }
    }

    #[test]
    fn a_back_quote_that_closes_a_paste_is_no_part_of_the_message() {
        for (line, name) in [("no 'x'`", "'x'"), ("no `x`", "`x`"), ("no 'x' `", "'x'")] {
            let found = fill("no {name}", &message(&[line], Dialect::Cpython));
            assert_eq!(found, Some((one("name", name), false)), "{line}");
        }
    }

    #[test]
    fn the_first_of_several_arguments_counts() {
        for (line, name) in [
            (r#"("no 'x'", 'while hashing {1: 2}')"#, Some("'x'")),
            (r"('no x', 3)", Some("x")),
            (r"('no \'x\'', 3)", Some("'x'")),
            (r"('no x',)", Some("x")),
            (r"(u'no x\n',)", Some("x")),
            (r"('no \x00', 3)", None),
            (r"('no x')", None),
            (r"('no x' 'y',)", None),
            (r"(no 'x', 3)", None),
        ] {
            let found = fill("no {name}", &message(&[line], Dialect::Cpython));
            assert_eq!(found, name.map(|n| (one("name", n), false)), "{line}");
        }
    }

    #[test]
    fn a_rule_may_still_ask_for_the_hint() {
        let message = message(&["no 'x'. Did you mean: 'y'?"], Dialect::Cpython);
        assert_eq!(
            fill("no 'x'. Did you mean: {hint}?", &message),
            Some((one("hint", "'y'"), false))
        );
    }

    #[test]
    fn a_message_that_rich_wrapped_is_joined() {
        let lines = ["cannot pickle '_thread.lock'", "object"];
        assert!(
            fill(
                "cannot pickle '{type}' object",
                &message(&lines, Dialect::Rich)
            )
            .is_some()
        );
        assert!(
            fill(
                "cannot pickle '{type}' object",
                &message(&lines, Dialect::Cpython)
            )
            .is_none()
        );
    }

    #[test]
    fn a_message_that_was_cut_still_counts_by_its_longest_literal() {
        let message = message(&["cannot pickle '_thread.lock' obj..."], Dialect::Pytest);
        assert_eq!(
            fill("cannot pickle '{type}' object", &message),
            Some((Vec::new(), true))
        );
    }

    #[test]
    fn a_record_that_ends_in_dots_shows_little_of_another() {
        let record = message(&["Worker-1 of shop.server: Saving..."], Dialect::LogLine);
        let template = "...of shop.server: {kind} has met its limit ({bytes}).";
        assert_eq!(fill(template, &record), None);
    }

    #[test]
    fn blank_lines_and_indentation_do_not_count() {
        let message = message(
            &["", "        An attempt", "", "        was made  "],
            Dialect::Cpython,
        );
        assert!(fill("An attempt\nwas made", &message).is_some());
        assert_eq!(message.text(), "An attempt\nwas made");
    }
}
