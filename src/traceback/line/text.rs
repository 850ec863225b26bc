//! The view of a line that the grammar reads: without colour codes, redraws and stray bytes.

use std::borrow::Cow;

use memchr::{memchr_iter, memrchr};

use super::codes::{without_bare_sgr, without_entities, without_escapes, without_tags};
use super::prefix::Prefix;
use super::record::{event, logged_line, quoted_line, recorded_line, told_by_dask};
use crate::line::find;
use crate::traceback::grammar::exception::{bare_exception, exception_line, looks_named};

/// The head with its colon, as it stands at the end of a line.
const HEAD_AND_COLON: &str = "Traceback (most recent call last):";

/// A line as the grammar sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clean<'a> {
    /// The text, lossily decoded, without escape sequences, NUL bytes and the final `\r`.
    pub(crate) text: Cow<'a, str>,
    /// The first byte of the raw line, where the text does not start with it: a colour code, a
    /// JSON object, an escaped character.
    pub(crate) hidden_first_byte: Option<u8>,
    /// Whether it is a traceback's line that a record held.
    pub(crate) is_recorded: bool,
}

impl<'a> Clean<'a> {
    /// Reads a raw line (with or without its line end).
    pub(crate) fn of(raw: &'a [u8]) -> Self {
        Self::below(raw, false)
    }

    /// Reads the same below such a record, if `is_recorded`: what the next one holds may be the final line.
    pub(crate) fn below(raw: &'a [u8], mut is_recorded: bool) -> Self {
        let text = plain(raw, &mut is_recorded);
        let first = raw.first().copied();
        Self {
            hidden_first_byte: first.filter(|b| {
                !matches!(b, b'\r' | b'\n') && text.as_bytes().first() != first.as_ref()
            }),
            text,
            is_recorded,
        }
    }
}

/// Returns a raw line as text. `is_recorded` says whether the line before was a record's, and then whether
/// this one is.
fn plain<'a>(raw: &'a [u8], is_recorded: &mut bool) -> Cow<'a, str> {
    let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
    let raw = trim_returns(raw);
    // Without an early end, so that many bytes are looked at at once.
    let is_special = |b: u8| b >= 0x80 || matches!(b, 0x1b | 0 | b'\r' | 0x08 | b'&' | b'{');
    let is_plain = |raw: &[u8]| !raw.iter().fold(false, |any, b| any | is_special(*b));
    let ascii = "without special bytes it is ASCII";
    let is_below = std::mem::take(is_recorded);
    if is_plain(raw) {
        let text = str::from_utf8(raw).expect(ascii);
        if let Some(line) = quoted_line(text, is_below) {
            *is_recorded = true;
            return Cow::Owned(line);
        }
        return match unmarked(text).or_else(|| logged_line(text)) {
            None => Cow::Borrowed(without_break(text)),
            Some(plain) => unbroken(plain).into(),
        };
    }
    let kept = without_escapes(raw);
    if is_plain(&kept) {
        // Colours are all that most such lines have.
        let text = String::from_utf8(kept).expect(ascii);
        return unbroken(unmarked(&text).unwrap_or(text)).into();
    }
    let mut text = decoded(raw, &kept);
    if let Some(inner) = recorded_line(&text, is_below).or_else(|| quoted_line(&text, is_below)) {
        *is_recorded = true;
        text = inner;
    }
    unusual(text).into()
}

/// Returns what a text without escapes says that has entities, was redrawn, or is no ASCII.
fn unusual(mut text: String) -> String {
    if let Some(unescaped) = without_entities(&text) {
        text = unescaped;
    }
    // Mails and wikis keep indentation so.
    if text.contains('\u{a0}') {
        text = text.replace('\u{a0}', " ");
    }
    // What chats put where a line may be broken.
    if text.contains('\u{200b}') {
        text = text.replace('\u{200b}', "");
    }
    // `报错：NCCL error in: …`
    if text.contains('\u{ff1a}') {
        text = text.replace('\u{ff1a}', ": ");
    }
    if text.contains('\r') {
        text = last_drawing(&text);
    }
    if let Some(straight) = with_straight_quotes(&text) {
        text = straight;
    }
    unbroken(unmarked(&text).unwrap_or(text))
}

/// Takes off what pages put round each line of a text of one's own, which is copied only if something is.
fn unbroken(text: String) -> String {
    let inner = without_break(&text);
    if inner.len() < text.len() {
        return inner.to_owned();
    }
    text
}

/// Returns what is kept of a raw line, and what is no UTF-8 as `?`.
fn decoded(raw: &[u8], kept: &[u8]) -> String {
    let text = String::from_utf8_lossy(kept).into_owned();
    if text.contains('\u{FFFD}') && !raw.contains(&0xEF) {
        // Windows consoles write their own code page; only ASCII matters to the grammar.
        return text.replace('\u{FFFD}', "?");
    }
    text
}

/// Takes off what pages put round each line: tags, Markdown's `\`, and the back quote that closes
/// a head or a frame (the one in front is a prefix); and the right side of a box.
fn without_break(text: &str) -> &str {
    /// From here on a `\` is the source's own, as in `total = first + \`.
    const SOURCE_INDENT: usize = 4;
    let line = text.trim_end();
    match line.as_bytes().last() {
        _ if line.starts_with('[')
            && let Some(event) = without_source(line) =>
        {
            event
        }
        Some(b'>') => without_tags(line).unwrap_or(text),
        // Ray's, behind a line that other processes printed, too.
        Some(b']' | b')') if let Some(inner) = without_count(line) => inner,
        Some(b'\\') if line.len() - line.trim_start().len() < SOURCE_INDENT => {
            &line[..line.len() - 1]
        }
        Some(b'*') if let Some(inner) = bold(line) => inner,
        Some(b'`') if let Some(inner) = quoted_record(line) => inner,
        Some(b'`' | b'"' | b'*' | b'_' | b'|' | b'}' | b']') => {
            without_closing(line).unwrap_or(text)
        }
        Some(b'0'..=b'9') => without_rank(line).unwrap_or(text),
        // How editors show a `\r`.
        Some(b'M') => line.strip_suffix("^M").unwrap_or(text),
        _ => without_border(line).unwrap_or(text),
    }
}

/// Takes off the right side of a box, or the border of a terminal's pane: `TypeError: x      │`.
fn without_border(line: &str) -> Option<&str> {
    let inner = line.strip_suffix('│')?;
    let is_pane = || inner.ends_with("  ") && !inner.contains('│');
    (line.starts_with('│') || is_pane()).then(|| inner.trim_end())
}

/// Returns a frame or a final line whose quotes a page has made typographic as Python prints it:
/// `File “x.py”, line 3`, `Can’t pickle local object ‘f.<locals>.g’`.
fn with_straight_quotes(text: &str) -> Option<String> {
    const SINGLE: [char; 2] = ['\u{2018}', '\u{2019}'];
    const DOUBLE: [char; 2] = ['\u{201C}', '\u{201D}'];
    let is_frame = || text.contains("File \u{201C}") && text.contains("\u{201D}, line ");
    let is_curly = text.contains(SINGLE) || text.contains(DOUBLE);
    let bears = |line: &str| bare_exception(line).is_some();
    let is_final = || bears(text.trim_start()) || bears(&text[Prefix::plain_len(text)..]);
    (is_curly && (is_frame() || is_final()))
        .then(|| text.replace(SINGLE, "'").replace(DOUBLE, "\""))
}

/// Takes off what Airflow 3 writes behind a line of a task's log: `[…] ERROR - TypeError: bad source=task.stderr`,
/// up to 3.0 `[…] ERROR - TypeError: bad: chan="stderr": source="task"`.
/// Source: Airflow, `ui/src/components/renderStructuredLog.tsx`.
fn without_source(line: &str) -> Option<&str> {
    let is_field = |word: &str| {
        let named = |key: &str| word.strip_prefix(key).is_some_and(|w| w.starts_with('='));
        ["source", "chan", "loc"].into_iter().any(named)
    };
    let mut event = line;
    while let Some(blank) = memrchr(b' ', event.as_bytes())
        && let word = &event[blank + 1..]
        && is_field(word.trim_end_matches(':'))
    {
        event = event[..blank].trim_end_matches(' ');
        if word.contains('"') {
            event = event.strip_suffix(':')?;
        }
    }
    (event.len() < line.len()).then_some(event)
}

/// Takes off what Ray writes behind a line that other processes printed, too: `[repeated 3x across cluster]`.
/// Source: Ray, `python/ray/_private/ray_logging/__init__.py`, `LogDeduplicator`.
fn without_count(line: &str) -> Option<&str> {
    const ENDS: [&str; 2] = [" across cluster]", " for more options.)"];
    // Most lines of source end in a bracket, and this says fast that they are none.
    let is_counted = ENDS.iter().any(|end| line.ends_with(end));
    let (event, _) = is_counted.then(|| line.rsplit_once(" [repeated "))??;
    Some(event.trim_end())
}

/// Takes off what text-generation-inference writes behind the final line of a shard: `TypeError: bad rank=0`.
fn without_rank(line: &str) -> Option<&str> {
    let named = line.trim_end_matches(|c: char| c.is_ascii_digit());
    let event = named.strip_suffix(" rank=")?;
    bare_exception(event).map(|_| event)
}

/// Takes off the marks that make a whole line bold, and the indentation in front.
fn bold(line: &str) -> Option<&str> {
    let inner = line.trim_start().strip_prefix("**")?.strip_suffix("**")?;
    (!inner.is_empty() && !inner.starts_with('*')).then_some(inner)
}

/// Takes off the back quotes around a whole line that its writer marked: nobody quotes the mark without the line.
/// `` `[09/08/23 10:36:29] CRITICAL WORKER TIMEOUT (pid:4585)` ``.
fn quoted_record(line: &str) -> Option<&str> {
    let inner = line.trim_start().strip_prefix('`')?.strip_suffix('`')?;
    let is_marked = inner.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '[' | '('));
    (is_marked && !inner.contains('`') && Prefix::plain_len(inner) > 0).then_some(inner)
}

/// The marks that pages and tables put at both ends of each line, the longer ones first.
pub(super) const MARKS: [&str; 7] = ["**", "``", "`", "\"", "*", "_", "|"];

/// Takes off the mark that closes a head or a frame, if it opens the line, too; and that which closes a paste
/// of several lines behind its final line.
fn without_closing(line: &str) -> Option<&str> {
    const OF_PASTE: [&str; 6] = ["```", "**", "{code}", "{noformat}", "[/code]", "[/quote]"];
    let closed = |mark: &&str| {
        let inner = line.strip_suffix(*mark)?.trim_end();
        let opening = match inner.strip_suffix(HEAD_AND_COLON) {
            Some(before) => before,
            None => inner.split_once("File \"")?.0,
        };
        opening.trim_end().ends_with(*mark).then_some(inner)
    };
    let last = |mark: &&str| {
        let inner = line.strip_suffix(*mark)?;
        bare_exception(inner).map(|_| inner)
    };
    // A message may end in such a quote.
    let alone = || {
        let inner = line.strip_suffix('`')?;
        let found = exception_line(inner).filter(|found| found.message.is_none())?;
        looks_named(found.type_name).then_some(inner)
    };
    let mut found = MARKS.iter().filter_map(closed);
    let of_paste = || OF_PASTE.iter().find_map(last);
    found.next().or_else(of_paste).or_else(alone)
}

/// Returns what a terminal shows in the end of a line that was redrawn. A message may hold a `\r` of
/// its own: a final line is kept whole. AWS Lambda writes it for each line break of a traceback.
fn last_drawing(text: &str) -> String {
    if text.contains("(most recent call last):\r") && text.contains("\r  File \"") {
        return text.replace('\r', "\n");
    }
    let first = text.split('\r').next().unwrap_or_default();
    if bare_exception(first).is_some() {
        return text.replace('\r', " ");
    }
    text.rsplit('\r').next().unwrap_or_default().to_owned()
}

/// Drops final carriage returns: CRLF, and the `\r\r\n` of a terminal inside a terminal.
fn trim_returns(mut raw: &[u8]) -> &[u8] {
    while let Some(rest) = raw.strip_suffix(b"\r") {
        raw = rest;
    }
    raw
}

/// Cuts a text at a character border, at most `max` bytes.
pub(crate) fn clip(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Removes what stands in brackets and is no part of the text, and the bar that a line was written
/// behind; `None` if nothing does.
fn unmarked(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut brackets = memchr_iter(b'[', bytes).peekable();
    let Some(first) = brackets.peek() else {
        return with_single_quotes(text).or_else(|| told_by_dask(text));
    };
    if let Some(event) = event(text, *first).or_else(|| told_by_dask(text)) {
        return Some(event);
    }
    // Nearly all lines with a bracket have no link.
    let linked = holds_pair(text, *b"](").then(|| without_links(text));
    let linked = linked.flatten();
    // A colour code and a bar's clock begin with a digit: `[rank3]: ` is neither.
    let is_number = |at| matches!(bytes.get(at + 1), Some(b'0'..=b':'));
    if !brackets.any(is_number) {
        return linked;
    }
    let plain = without_bare_sgr(linked.as_deref().unwrap_or(text)).or(linked);
    let behind = behind_bar(plain.as_deref().unwrap_or(text)).map(str::to_owned);
    behind.or(plain)
}

/// Returns whether a text holds these two bytes, one behind the other.
#[expect(clippy::needless_bitwise_bool, reason = "without an early end")]
fn holds_pair(text: &str, pair: [u8; 2]) -> bool {
    // Without an early end, so that many bytes are looked at at once.
    let pairs = text.bytes().zip(text.bytes().skip(1));
    pairs.fold(false, |any, (a, b)| any | ((a == pair[0]) & (b == pair[1])))
}

/// Returns a frame, a final line or the border of another process's text whose quotes a table in CSV has
/// doubled: `  File ""x.py"", line 3, in f`, `ImportError: no ""x""`.
fn with_single_quotes(text: &str) -> Option<String> {
    const BORDER: &str = "\"\"\"\"\"\"";
    if !holds_pair(text, *b"\"\"") {
        return None;
    }
    // Within a line that holds a whole traceback they border another process's text.
    let is_whole = || find(text, "(most recent call last)").is_some();
    let quoted =
        || text.matches("\"\"").count() >= 2 && bare_exception(text).is_some() && !is_whole();
    let is_doubled = text.contains("File \"\"") || text == BORDER || quoted();
    is_doubled.then(|| text.replace("\"\"", "\""))
}

/// Returns what was written behind a progress bar, which ends in no line break:
/// `36%|###6  | 73/200 [00:01<00:02, 55.2it/s]  File "x.py", line 3, in f`.
fn behind_bar(text: &str) -> Option<&str> {
    let is_clock = |at: &usize| {
        let clock = &text[at + 1..];
        let len = clock
            .bytes()
            .take_while(|b| b.is_ascii_digit() || *b == b':');
        let len = len.count();
        let behind = &clock[len..];
        len >= 5 && (behind.starts_with('<') || behind.starts_with(", ") && behind.contains("/s"))
    };
    let starts = text.rmatch_indices('[').map(|(at, _)| at);
    let bar = starts.filter(|at| *at > 0).find(is_clock)?;
    let (_, rest) = text[bar..].split_once(']')?;
    (!rest.trim().is_empty()).then_some(rest)
}

/// Puts the text of each link to a file in its place, as VS Code copies a notebook's tracebacks:
/// `File [d:\x.py:484](file:///d:/x.py:484), in f(self)`, `--> [484](file:///d:/x.py:484)     return g()`.
fn without_links(text: &str) -> Option<String> {
    const TARGETS: [&str; 5] = [
        "file:",
        "vscode-notebook-cell:",
        "https://file+.vscode-resource.",
        "http://localhost:",
        "https://localhost:",
    ];
    let (mut out, mut rest, mut from) = (String::new(), text, 0);
    while let Some(at) = rest[from..].find("](").map(|at| from + at) {
        let is_file = |target: &&str| rest[at + 2..].starts_with(target);
        if !TARGETS.iter().any(is_file) {
            from = at + 2;
            continue;
        }
        let open = rest[..at].rfind('[')?;
        let end = at + rest[at..].find(')')?;
        out.extend([&rest[..open], &rest[open + 1..at]]);
        (rest, from) = (&rest[end + 1..], 0);
    }
    out.push_str(rest);
    (rest.len() < text.len()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_nul_and_line_ends_are_dropped() {
        let line = Clean::of(b"\0\x1b[1;35mTypeError\x1b[0m: \x1b[35mbad\x1b[0m\r\n");
        assert_eq!(line.text, "TypeError: bad");
        assert_eq!(line.hidden_first_byte, Some(0));
        assert_eq!(Clean::of(b"\x1b[31mred").hidden_first_byte, Some(0x1b));
        assert_eq!(Clean::of(b"red\x1b[0m").hidden_first_byte, None);
    }

    #[test]
    fn a_redrawn_line_reads_as_its_last_drawing() {
        let line = Clean::of(b"\r 1/3\r 2/3 it/s]Traceback (most recent call last):\n");
        assert_eq!(line.text, " 2/3 it/s]Traceback (most recent call last):");
    }

    #[test]
    fn what_was_written_behind_a_bar_is_read_alone() {
        for (line, behind) in [
            ("9/9 [00:01<00:02,  2.16it/s]  File", Some("  File")),
            ("9it [01:01, 2.1it/s, loss=1]Killed", Some("Killed")),
            ("9/9 [00:01<00:02,  2.16it/s]", None),
            ("[10:00:01, x] a", None),
            ("a[00:01] b", None),
        ] {
            assert_eq!(behind_bar(line), behind, "{line}");
        }
    }

    #[test]
    fn links_to_files_are_their_text() {
        for (line, text) in [
            (
                "File [d:\\x.py:484](file:///d:/x.py:484), in f(self)",
                "File d:\\x.py:484, in f(self)",
            ),
            (
                "---> [4](vscode-notebook-cell:/c%3A/a.ipynb#W2?line=4) f([1](file:///x))",
                "---> 4 f(1)",
            ),
            (
                "File [~/dill.py:4](https://file+.vscode-resource.vscode-cdn.net/u/dill.py:4), in f()",
                "File ~/dill.py:4, in f()",
            ),
            ("a[0](x)", "a[0](x)"),
            ("see ](file:///x) there", "see ](file:///x) there"),
        ] {
            assert_eq!(Clean::of(line.as_bytes()).text, text);
        }
    }

    #[test]
    fn typographic_quotes_of_tracebacks_are_made_straight() {
        for (line, text) in [
            (
                "AttributeError: Can’t pickle local object ‘f.<locals>.g’",
                "AttributeError: Can't pickle local object 'f.<locals>.g'",
            ),
            ("File “x.py”, line 3, in f", "File \"x.py\", line 3, in f"),
            ("the “file” isn’t there", "the “file” isn’t there"),
        ] {
            assert_eq!(Clean::of(line.as_bytes()).text, text);
        }
    }

    #[test]
    fn what_pages_put_behind_a_line_is_taken_off() {
        for (line, text) in [
            ("TypeError: x<br>", "TypeError: x"),
            (
                "Traceback (most recent call last):<br />",
                "Traceback (most recent call last):",
            ),
            ("TypeError: x\\", "TypeError: x"),
            ("    total = a + \\", "    total = a + \\"),
            (
                "`  File \"a.py\", line 3, in f`",
                "`  File \"a.py\", line 3, in f",
            ),
            ("see `a` and `b`", "see `a` and `b`"),
            ("`[rank0]: TypeError: x`", "[rank0]: TypeError: x"),
            ("`10:36:29 TypeError: x`", "10:36:29 TypeError: x"),
            ("`[a] b` and `c`", "`[a] b` and `c`"),
            ("`TypeError: x`", "`TypeError: x`"),
            ("    x: List<br>", "    x: List"),
            ("│ TypeError: x     │", "│ TypeError: x"),
            ("a │ b │", "a │ b │"),
            ("<p>TypeError: x</p>", "TypeError: x"),
            ("<span class=\"a\">  f()</span><br/>", "  f()"),
            ("TypeError: x</pre>", "TypeError: x"),
            ("<pandas.Frame>", "<pandas.Frame>"),
            ("<param> a</p>", "<param> a"),
            (
                "\"a\",\"  File \"\"x.py\"\", line 3\"",
                "\"a\",\"  File \"x.py\", line 3",
            ),
            ("ValueError: a \"\"", "ValueError: a \"\""),
        ] {
            assert_eq!(Clean::of(line.as_bytes()).text, text);
        }
    }
}
