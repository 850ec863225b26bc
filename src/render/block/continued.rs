//! A line of code that is too wide, as several lines that mean the same.

use crate::render::wrap::width_of;

/// What the lines below the first are indented by, against it.
const DEEPER: usize = 4;

/// The language of a block of code; in both, a backslash at a line's end lets it go on in the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// Inside brackets a line goes on without one.
    Python,
    /// Brackets do not matter.
    Shell,
}

/// A place where a line may be broken.
#[derive(Clone, Copy)]
struct Break {
    /// The byte with which the next line may begin.
    at: usize,
    /// What the line must then end in.
    end: &'static str,
}

/// Breaks a line where its language lets it go on in the next one, so that all of them can be pasted.
///
/// Returns none where it cannot be broken so that each is at most `width` columns wide.
pub(super) fn continued(line: &str, width: usize, language: Language) -> Option<Vec<String>> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let levels = if line.ends_with(':') { 2 } else { 1 };
    let prefix = if line[indent.len()..].starts_with('#') {
        format!("{indent}# ")
    } else {
        format!("{indent}{}", " ".repeat(levels * DEEPER))
    };
    let breaks = breaks(line, language)?;
    let mut lines = Vec::new();
    let mut start = 0;
    loop {
        let before = if start == 0 { "" } else { &*prefix };
        let rest = format!("{before}{}", &line[start..]);
        if width_of(&rest) <= width {
            lines.push(rest);
            return Some(lines);
        }
        let piece = |b: &Break| format!("{before}{}{}", line[start..b.at].trim_end(), b.end);
        let fits = |b: &&Break| b.at > start && width_of(&piece(b)) <= width;
        let mut fitting = breaks.iter().rev().filter(fits);
        let last = fitting.clone().next()?;
        let chosen = fitting.find(|b| b.end.is_empty()).unwrap_or(last);
        lines.push(piece(chosen));
        start = chosen.at;
    }
}

/// Returns where a line may be broken; none if it cannot be told.
fn breaks(line: &str, language: Language) -> Option<Vec<Break>> {
    let is_comment = line.trim_start().starts_with('#');
    let indent = line.len() - line.trim_start().len();
    let mut breaks = Vec::new();
    let mut depth = 0_u32;
    let mut quote = None;
    let mut is_escaped = false;
    for (at, c) in line.char_indices().skip_while(|(at, _)| *at < indent) {
        if std::mem::take(&mut is_escaped) {
            continue;
        }
        let at = at + c.len_utf8();
        match (c, quote) {
            (' ', None) => {
                let goes_on = is_comment || language == Language::Python && depth > 0;
                let end = if goes_on { "" } else { " \\" };
                breaks.push(Break { at, end });
            }
            _ if is_comment => {}
            // In a shell's single quotes it is a backslash.
            ('\\', _) if language == Language::Python || quote != Some('\'') => is_escaped = true,
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('#', None) => break,
            ('(' | '[' | '{', None) => {
                depth += 1;
                if language == Language::Python {
                    breaks.push(Break { at, end: "" });
                }
            }
            (')' | ']' | '}', None) => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    quote.is_none().then_some(breaks)
}

#[cfg(test)]
mod tests {
    use super::{Language, continued};

    #[test]
    fn python_goes_on_inside_brackets() {
        let line = "    with Pool(2, initializer=begin, initargs=(array,)) as pool:";
        let shown = continued(line, 40, Language::Python);
        let expected = [
            "    with Pool(2, initializer=begin,",
            "            initargs=(array,)) as pool:",
        ];
        assert_eq!(shown.expect("brackets"), expected);
        let line = "state[\"__private__\"] = private = dict(self.__private__)";
        let expected = [
            "state[\"__private__\"] = private = dict(",
            "    self.__private__)",
        ];
        assert_eq!(
            continued(line, 48, Language::Python).expect("brackets"),
            expected
        );
    }

    #[test]
    fn python_goes_on_behind_a_backslash_where_there_are_none() {
        let line = "from torch.utils.data import DistributedSampler";
        let expected = ["from torch.utils.data import \\", "    DistributedSampler"];
        assert_eq!(
            continued(line, 40, Language::Python).expect("a blank"),
            expected
        );
    }

    #[test]
    fn what_cannot_go_on_is_left() {
        let refused = |line| continued(line, 20, Language::Python).is_none();
        assert!(refused("a_name.another_name.a_third_one"));
        assert!(refused("print(\"a text that is longer than a line\")"));
        assert!(refused("'it is not the end of a text, (but) more"));
        assert!(refused("    a third one, in brackets)"));
    }

    #[test]
    fn a_command_goes_on_behind_a_backslash() {
        let line = "docker run --shm-size=8g -e 'NAME=a b' image python train.py";
        let expected = [
            "docker run --shm-size=8g \\",
            "    -e 'NAME=a b' image \\",
            "    python train.py",
        ];
        assert_eq!(
            continued(line, 26, Language::Shell).expect("blanks"),
            expected
        );
    }

    #[test]
    fn a_comment_goes_on_as_a_comment() {
        let expected = ["  # one of them for", "  # each process"];
        for language in [Language::Python, Language::Shell] {
            let shown = continued("  # one of them for each process", 20, language);
            assert_eq!(shown.expect("a comment"), expected);
        }
    }
}
