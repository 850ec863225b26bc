//! The lines of a log that a failure was read from.

use std::sync::Arc;

use maud::{Markup, html};

use super::text::lines;
use crate::incident::Incident;
use crate::render::report::{Count, Number, ReadLog};
use crate::traceback::Span;

/// How much of a traceback is shown: of its beginning and of its end, in bytes.
const MAX_HEAD: usize = 5 * 1024;
const MAX_TAIL: usize = 3 * 1024;
/// The most bytes in which the lines of one writer are looked for.
const MAX_MIXED: u64 = 128 * 1024;
/// How much of all tracebacks is shown, in bytes.
const MAX_ALL: usize = 2 * 1024 * 1024;

/// Where the lines stood.
pub(super) struct ExcerptPlace {
    file: Option<Arc<str>>,
    at: Span,
    /// What the first of them begins with.
    prefix: Option<String>,
}

impl ExcerptPlace {
    pub(super) fn of(incident: &Incident) -> Self {
        Self {
            file: incident.seen.file.clone(),
            at: incident.root.at,
            prefix: incident.root.prefix.clone(),
        }
    }
}

/// Reads excerpts until there are enough of them.
pub(super) struct Excerpts {
    read: Option<ReadLog>,
    left: usize,
}

impl Excerpts {
    pub(super) fn new(read: Option<ReadLog>) -> Self {
        let left = MAX_ALL;
        Self { read, left }
    }

    /// Returns the lines; `None` if they cannot be had.
    pub(super) fn at(&mut self, place: &ExcerptPlace) -> Option<Markup> {
        let ExcerptPlace { file, at, prefix } = place;
        let (read, file) = (self.read?, file.as_deref()?);
        let len = at.end_offset.saturating_sub(at.offset);
        if len == 0 || self.left < MAX_HEAD + MAX_TAIL {
            return None;
        }
        let mut others = 0;
        let text = if len <= MAX_MIXED {
            let all = read(file, at.offset, at.end_offset)?;
            let (text, count) = of_one_writer(all, prefix.as_deref());
            others = count;
            without_middle(text)
        } else {
            let [head, tail] = [MAX_HEAD, MAX_TAIL].map(|max| max as u64);
            let first = read(file, at.offset, at.offset + head)?;
            let last = read(file, at.end_offset - tail, at.end_offset)?;
            joined(&first, len - head - tail, &last)
        };
        self.left -= self.left.min(text.len());
        let are = if others == 1 { "is" } else { "are" };
        Some(html! {
            @if others > 0 {
                p.quiet {
                    (Count(others, "line")) " between them, which others wrote, " (are) " left out."
                }
            }
            pre.log tabindex="0" aria-label={ "the log, lines " (at.line) " to " (at.end_line) } {
                code { (lines(&text)) }
            }
        })
    }
}

/// Drops the lines of others, where the writer is known by what its lines begin with; counts them.
///
/// A prefix with a time stamp differs from line to line: then the last line, which is the writer's
/// too, bears another one than the first, and all lines stay.
fn of_one_writer(text: String, prefix: Option<&str>) -> (String, u64) {
    let Some(prefix) = prefix.filter(|prefix| !prefix.trim().is_empty()) else {
        return (text, 0);
    };
    let is_own = |line: &&str| line.starts_with(prefix.trim_end());
    let ends = [text.lines().next(), text.lines().next_back()];
    if !ends.iter().flatten().all(is_own) {
        return (text, 0);
    }
    let own: Vec<&str> = text.lines().filter(is_own).collect();
    let others = text.lines().count() - own.len();
    (own.join("\n"), others as u64)
}

/// Leaves out the middle of what is too long.
fn without_middle(text: String) -> String {
    if text.len() <= MAX_HEAD + MAX_TAIL {
        return text;
    }
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (head, tail) = (boundary(MAX_HEAD), boundary(text.len() - MAX_TAIL));
    joined(&text[..head], (tail - head) as u64, &text[tail..])
}

fn joined(head: &str, left_out: u64, tail: &str) -> String {
    let head = head.trim_end();
    format!(
        "{head}\n… {} bytes are left out …\n{tail}",
        Number(left_out)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_other_writers_are_left_out_where_they_can_be_told() {
        let mixed = "[rank1]: a\n[rank2]: b\nc\n[rank1]:\n[rank1]: d";
        let own = "[rank1]: a\n[rank1]:\n[rank1]: d";
        assert_eq!(
            of_one_writer(mixed.to_owned(), Some("[rank1]: ")),
            (own.to_owned(), 2)
        );
        for prefix in [None, Some(""), Some("[rank2]: ")] {
            assert_eq!(
                of_one_writer(mixed.to_owned(), prefix),
                (mixed.to_owned(), 0)
            );
        }
        let stamped = "10:00:01.2 a\n10:00:01.3 b\n10:00:01.4 c";
        assert_eq!(
            of_one_writer(stamped.to_owned(), Some("10:00:01.2 ")),
            (stamped.to_owned(), 0)
        );
    }

    #[test]
    fn what_is_long_loses_its_middle_and_no_part_of_a_character() {
        assert_eq!(without_middle("short\n".to_owned()), "short\n");
        let cut = without_middle("aé".repeat(5000));
        assert!(cut.contains("\n… 6,8") && cut.len() < MAX_HEAD + MAX_TAIL + 100);
        assert!(cut.starts_with("aéa") && cut.ends_with("aé"));
    }
}
