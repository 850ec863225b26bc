//! A traceback with the frames of libraries folded away.
//!
//! Only lines of Python's own form are touched: `File` lines with what hangs below them, and the
//! sentences that join two exceptions. All others stay as they are, byte for byte.

use std::fmt::Write;

use super::grammar::cpython::{self, CAUSE, CONTEXT};
use super::line::text::Clean;
use super::path::{Owner, SourcePath};

/// The most libraries that a folded line names.
const MAX_NAMES: usize = 4;

/// The signs by which a folded traceback shows what was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldSigns {
    /// `…` and `▸`.
    Unicode,
    /// `...` and `>`.
    Ascii,
}

/// A `File` line and the lines that hang below it.
struct FrameEntry<'a> {
    /// What stands before `File`: a prefix, and the indentation.
    before: String,
    path: SourcePath,
    lines: Vec<&'a [u8]>,
}

/// What is written so far, and the entries of libraries that may be folded.
struct Folder<'a> {
    signs: FoldSigns,
    out: Vec<u8>,
    /// Entries of libraries, one after the other, with nothing between.
    run: Vec<FrameEntry<'a>>,
    /// Whether the last entry is still open.
    is_open: bool,
    /// The entry of the user that is open: what stands before its `File`.
    users: Option<String>,
    /// Where the empty lines begin that end `out`.
    blank_from: Option<usize>,
    /// Whether a sentence that joins two exceptions came last.
    is_joined: bool,
}

/// Folds the text of a traceback, which may have lines of others between its own. `is_begun` says
/// that its first lines are missing: they have gone out already.
pub fn fold(text: &[u8], is_begun: bool, signs: FoldSigns) -> Vec<u8> {
    let mut folder = Folder {
        signs,
        out: Vec::with_capacity(text.len()),
        run: Vec::new(),
        is_open: false,
        users: None,
        blank_from: None,
        is_joined: false,
    };
    let mut lines = text.split_inclusive(|b| *b == b'\n').peekable();
    // Without a head, what the first line is was known only when the second had come; by then the
    // first may have gone out.
    let is_entry = |line: &&[u8]| entry(&Clean::of(line).text).is_some();
    if let Some(line) = lines.next_if(|line| !is_begun && is_entry(line)) {
        folder.write(line);
    }
    for line in lines {
        folder.line(line);
    }
    folder.end_run();
    folder.out
}

impl<'a> Folder<'a> {
    fn line(&mut self, raw: &'a [u8]) {
        let clean = Clean::of(raw);
        let text = &*clean.text;
        if let Some((before, path)) = entry(text) {
            self.entry(raw, before, path);
            return;
        }
        if self.is_open
            && let Some(entry) = self.run.last_mut()
            && hangs_below(&entry.before, text)
        {
            entry.lines.push(raw);
            return;
        }
        if self.users.as_ref().is_some_and(|u| hangs_below(u, text)) {
            self.write(raw);
            return;
        }
        self.end_run();
        self.users = None;
        self.other(raw, text);
    }

    fn entry(&mut self, raw: &'a [u8], before: &str, path: SourcePath) {
        self.is_joined = false;
        if path.is_users() {
            self.end_run();
            self.users = Some(before.to_owned());
            self.write_marked(raw);
            return;
        }
        self.users = None;
        let last = self.run.last();
        if last.is_some_and(|last| !is_alike(&last.before, before)) {
            self.end_run();
        }
        self.is_open = true;
        self.run.push(FrameEntry {
            before: before.to_owned(),
            path,
            lines: vec![raw],
        });
    }

    /// Writes a line that is part of no entry.
    fn other(&mut self, raw: &[u8], text: &str) {
        let words = text.trim();
        let is_sentence = words.ends_with(CAUSE) || words.ends_with(CONTEXT);
        if words.is_empty() {
            if !self.is_joined {
                let from = self.blank_from.unwrap_or(self.out.len());
                self.write(raw);
                self.blank_from = Some(from);
            }
            return;
        }
        if is_sentence && let Some(from) = self.blank_from {
            self.out.truncate(from);
        }
        self.write(raw);
        self.is_joined = is_sentence;
    }

    fn write(&mut self, raw: &[u8]) {
        self.out.extend_from_slice(raw);
        self.blank_from = None;
    }

    /// Writes a `File` line of the user with a mark in its indentation, where there is room.
    fn write_marked(&mut self, raw: &[u8]) {
        let place = raw.windows(7).position(|bytes| bytes == b"  File ");
        let Some(at) = place else {
            self.write(raw);
            return;
        };
        let mark = match self.signs {
            FoldSigns::Unicode => "▸ ",
            FoldSigns::Ascii => "> ",
        };
        self.write(&[&raw[..at], mark.as_bytes(), &raw[at + 2..]].concat());
    }

    /// Writes the entries of libraries, as one line where that is shorter.
    fn end_run(&mut self) {
        self.is_open = false;
        let run = std::mem::take(&mut self.run);
        let count: usize = run.iter().map(|entry| entry.lines.len()).sum();
        let Some(first) = run.first() else {
            return;
        };
        if count == 1 {
            self.write(first.lines[0]);
            return;
        }
        let mut line = format!("{}{}", first.before, self.told(&run));
        let is_crlf = first.lines[0].ends_with(b"\r\n");
        line.push_str(if is_crlf { "\r\n" } else { "\n" });
        self.write(line.as_bytes());
        // The last line of a text may be unfinished.
        let last = run.last().and_then(|entry| entry.lines.last());
        if last.is_some_and(|line| !line.ends_with(b"\n")) {
            self.out
                .truncate(self.out.len() - if is_crlf { 2 } else { 1 });
        }
    }

    /// Returns words for entries: `… 9 frames in multiprocessing, torch`.
    fn told(&self, run: &[FrameEntry]) -> String {
        let dots = match self.signs {
            FoldSigns::Unicode => "…",
            FoldSigns::Ascii => "...",
        };
        let noun = if run.len() == 1 { "frame" } else { "frames" };
        let mut told = format!("{dots} {} {noun}", run.len());
        let mut names: Vec<String> = Vec::new();
        for name in run.iter().filter_map(|entry| library(&entry.path)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let more = names.len().saturating_sub(MAX_NAMES);
        names.truncate(MAX_NAMES);
        if !names.is_empty() {
            let _ = write!(told, " in {}", names.join(", "));
        }
        if more > 0 {
            let _ = write!(told, " and {more} more");
        }
        told
    }
}

/// Reads a `File` line: what stands before `File`, and the path.
fn entry(text: &str) -> Option<(&str, SourcePath)> {
    let at = text.find("File \"")?;
    let (before, line) = text.split_at(at);
    let frame = cpython::frame(line)?;
    Some((before, SourcePath::new(frame.file)))
}

/// Returns whether a line belongs to the entry whose `File` has this before it: it is indented
/// further, or says how often the frame was repeated.
fn hangs_below(before: &str, text: &str) -> bool {
    let (Some(start), Some(rest)) = (text.get(..before.len()), text.get(before.len()..)) else {
        return false;
    };
    is_alike(before, start)
        && (rest.starts_with("  ") || rest.starts_with("[Previous line repeated"))
}

/// Returns whether two texts are the same but for the digits of a time stamp.
fn is_alike(one: &str, other: &str) -> bool {
    let same = |(a, b): (u8, u8)| a == b || a.is_ascii_digit() && b.is_ascii_digit();
    one.len() == other.len() && one.bytes().zip(other.bytes()).all(same)
}

/// Returns whether libraries lie in folders of this name.
fn is_home(folder: &str) -> bool {
    let version = folder.strip_prefix("python").unwrap_or_default();
    matches!(folder, "site-packages" | "dist-packages" | "lib" | "Lib")
        || version.starts_with(|c: char| c.is_ascii_digit())
}

/// Names the library that a file belongs to, as it is imported: `torch`, `concurrent.futures`.
fn library(path: &SourcePath) -> Option<String> {
    let text = path.as_str();
    if let Some(frozen) = text
        .strip_prefix("<frozen ")
        .and_then(|t| t.strip_suffix('>'))
    {
        return frozen.split('.').next().map(str::to_owned);
    }
    if let Owner::Package(name) = path.owner()
        && !name.is_empty()
    {
        return Some(name.to_owned());
    }
    let parts: Vec<&str> = text.split(['/', '\\']).collect();
    let home = parts.iter().rposition(|part| is_home(part))?;
    let below = &parts[home + 1..];
    let name = below.first()?.trim_end_matches(".py");
    match below {
        ["concurrent", "futures", ..] => Some("concurrent.futures".to_owned()),
        _ if name.is_empty() => None,
        _ => Some(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str, signs: FoldSigns) -> String {
        String::from_utf8(fold(text.as_bytes(), false, signs)).unwrap()
    }

    const POOL: &str = r#"Traceback (most recent call last):
  File "/home/ada/train.py", line 20, in <module>
    main()
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 367, in map
    return self._map_async(func, iterable, mapstar, chunksize).get()
           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/multiprocessing/pool.py", line 774, in get
    raise self._value
  File "/venv/lib/python3.11/site-packages/torch/storage.py", line 9, in f
    g()
KeyError: 'wd'
"#;

    #[test]
    fn frames_of_libraries_become_one_line_and_the_users_are_marked() {
        let expected = r#"Traceback (most recent call last):
▸ File "/home/ada/train.py", line 20, in <module>
    main()
  … 3 frames in multiprocessing, torch
KeyError: 'wd'
"#;
        assert_eq!(folded(POOL, FoldSigns::Unicode), expected);
    }

    #[test]
    fn a_terminal_without_unicode_gets_signs_of_ascii() {
        let told = folded(POOL, FoldSigns::Ascii);
        assert!(told.contains("\n> File \"/home/ada/train.py\""), "{told}");
        assert!(told.contains("\n  ... 3 frames in"), "{told}");
    }

    #[test]
    fn a_chain_is_told_in_one_line() {
        let text = format!(
            "{POOL}\nDuring handling of the above exception, another exception occurred:\n\n{POOL}"
        );
        let told = folded(&text, FoldSigns::Unicode);
        assert!(
            told.contains("KeyError: 'wd'\nDuring handling of"),
            "{told}"
        );
        assert!(told.contains("occurred:\nTraceback"), "{told}");
    }

    #[test]
    fn a_prefix_is_kept_and_its_time_may_change() {
        let text = "12:00:01 [rank1]: Traceback (most recent call last):\r\n\
                    12:00:01 [rank1]:   File \"/usr/lib/python3.11/runpy.py\", line 1, in f\r\n\
                    12:00:01 [rank1]:     code\r\n\
                    12:00:02 [rank1]:   File \"/usr/lib/python3.11/threading.py\", line 1, in g\r\n\
                    12:00:02 [rank1]:     code\r\n\
                    [rank2]: other\n";
        assert_eq!(
            folded(text, FoldSigns::Unicode),
            "12:00:01 [rank1]: Traceback (most recent call last):\r\n\
             12:00:01 [rank1]:   … 2 frames in runpy, threading\r\n[rank2]: other\n"
        );
    }

    #[test]
    fn a_text_without_frames_of_libraries_stays_as_it_is() {
        for text in [
            "",
            "x",
            "a\n\nb\r\n",
            "ValueError: File \"x\"\n",
            "  File \"a\", line\n",
        ] {
            assert_eq!(folded(text, FoldSigns::Unicode), text);
        }
    }
}
