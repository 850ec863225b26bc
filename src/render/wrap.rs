//! Words into lines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Code in back quotes is kept on one line if it is at most this wide.
const MAX_UNBROKEN: usize = 40;

/// Wraps a text at `width` columns, at blanks only; a wider word has a line of its own.
///
/// Short code in back quotes is one word.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in words(text, width) {
        if !line.is_empty() && line.width() + 1 + word.width() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Cuts a text to `width` columns, the sign `ellipsis` at its end.
pub(super) fn cut(text: &str, width: usize, ellipsis: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(ellipsis.width());
    let fits = |c: &char| {
        let rest = left.checked_sub(c.width().unwrap_or(0));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let kept: String = text.chars().take_while(fits).collect();
    kept.trim_end().to_owned() + ellipsis
}

/// Splits a text at blanks, but not inside short code, unless the word is then wider than `width`.
fn words(text: &str, width: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    let mut is_inside = false;
    while !rest.is_empty() {
        let end = word_end(rest, width, &mut is_inside);
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

/// Returns the end of the first word, which does not begin with a blank.
///
/// `is_inside` tells whether the text begins, and then whether it goes on, inside long code: the
/// back quote that ends that begins none.
fn word_end(text: &str, width: usize, is_inside: &mut bool) -> usize {
    let mut end = 0;
    while let Some(c) = text[end..].chars().next().filter(|c| *c != ' ') {
        end += c.len_utf8();
        if c != '`' {
        } else if *is_inside {
            *is_inside = false;
        } else if let Some(length) = text[end..].find('`') {
            let behind = end + length + 1;
            // The comma behind it belongs to the word.
            let tail = text[behind..].find([' ', '`']).map(|len| behind + len);
            let word = &text[..tail.unwrap_or(text.len())];
            if text[end..behind].width() < MAX_UNBROKEN && word.width() <= width {
                end = behind;
            } else {
                *is_inside = true;
            }
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_by_columns() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("  a   b ", 7), ["a b"]);
        assert_eq!(wrap("日本 語語 ab", 7), ["日本", "語語 ab"]);
        assert_eq!(
            wrap("a https://example.org/a/b c", 8),
            ["a", "https://example.org/a/b", "c"]
        );
        assert_eq!(wrap("", 8), [""]);
    }

    #[test]
    fn short_code_stays_whole() {
        assert_eq!(
            wrap("use `a b c` (or `d`) now", 9),
            ["use", "`a b c`", "(or `d`)", "now"]
        );
        assert_eq!(wrap("`a b c`, d", 7), ["`a b", "c`, d"]);
        assert_eq!(wrap("an open ` quote", 8), ["an open", "` quote"]);
        let two = "`a/very/long/name.py:of_a_function` or `b`";
        assert_eq!(
            wrap(two, 12),
            ["`a/very/long/name.py:of_a_function`", "or `b`"]
        );
        let long = format!("`{}`", "word ".repeat(20));
        assert!(wrap(&long, 30).len() > 3);
    }

    #[test]
    fn a_cut_says_so() {
        assert_eq!(cut("for batch in loader:", 12, "…"), "for batch i…");
        assert_eq!(cut("short", 12, "…"), "short");
        assert_eq!(cut("日本語", 5, "…"), "日本…");
    }
}
