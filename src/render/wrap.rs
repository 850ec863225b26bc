//! Words into lines.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Code in back quotes is kept on one line if it is at most this wide.
const MAX_UNBROKEN: usize = 40;

/// Wraps a text at `width` columns, at blanks; only a word that is wider is broken.
///
/// Short code in back quotes is one word.
pub(super) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::with_capacity(text.len().min(width));
    // The columns of the line.
    let mut filled = 0;
    for mut word in words(text, width) {
        let mut wide = width_of(word);
        if !line.is_empty() && filled + 1 + wide > width {
            lines.push(std::mem::take(&mut line));
            filled = 0;
        }
        if !line.is_empty() {
            line.push(' ');
            filled += 1;
        }
        while line.is_empty() && wide > width {
            let (head, rest) = word.split_at(column(word, width));
            lines.push(head.to_owned());
            word = rest;
            wide = width_of(word);
        }
        line.push_str(word);
        filled += wide;
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Wraps as many sentences as fill at most `max` lines, at least one; returns also whether any was left out.
///
/// Where all that fits is a sentence of one line, which alone says little, the next one may go on.
pub(super) fn fit(text: &str, width: usize, max: usize) -> (Vec<String>, bool) {
    let whole = wrap(text, width);
    if whole.len() <= max {
        return (whole, false);
    }
    let ends = sentence_ends(text);
    let head = |end: &usize| wrap(&text[..*end], width);
    let within = |max| ends.iter().rev().map(head).find(|lines| lines.len() <= max);
    let mut fitting = within(max);
    if max > 2 && fitting.as_ref().is_some_and(|lines| lines.len() == 1) {
        if whole.len() <= max + 2 {
            return (whole, false);
        }
        fitting = within(max + 2);
    }
    match fitting.or_else(|| ends.first().map(head)) {
        Some(lines) => (lines, true),
        None => (whole, false),
    }
}

/// Returns where the sentences of a text end, but for the last; a stop in code or in brackets is none.
fn sentence_ends(text: &str) -> Vec<usize> {
    let stops = text.match_indices(". ").map(|(at, _)| at + 1);
    let is_end = |end: &usize| {
        let begins = text[*end..].trim_start();
        let before = &text[..*end];
        let is_inside_code = before.matches('`').count() % 2 == 1;
        let is_bracketed = before.matches('(').count() > before.matches(')').count();
        !is_inside_code
            && !is_bracketed
            && begins.starts_with(|c: char| c.is_uppercase() || c == '`')
    };
    stops.filter(is_end).collect()
}

/// Breaks a line of code that is wider than `width`, at a blank if there is one in its second half.
pub(super) fn broken(line: &str, width: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while width_of(rest) > width {
        let end = column(rest, width);
        let blank = rest[..end].rfind(' ').filter(|at| *at > end / 2);
        let (piece, behind) = rest.split_at(blank.map_or(end, |at| at + 1));
        pieces.push(piece);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

/// Returns how many columns a text takes. ASCII needs no table.
pub(super) fn width_of(text: &str) -> usize {
    // Without an early end, so that many bytes are looked at at once.
    let is_plain = text
        .bytes()
        .fold(true, |all, b| all & matches!(b, b' '..=b'~'));
    if is_plain { text.len() } else { text.width() }
}

/// Returns the byte where `width` columns are full, after one character at least.
fn column(text: &str, width: usize) -> usize {
    let mut columns = 0;
    let mut ends = text.char_indices().skip_while(|(_, c)| {
        columns += c.width().unwrap_or(0);
        columns <= width
    });
    let first = text.chars().next().map_or(0, char::len_utf8);
    ends.next().map_or(text.len(), |(at, _)| at.max(first))
}

/// Cuts a text to `width` columns as [`cut`] does, but behind a word, if half of it is left then.
pub(super) fn cut_at_word(text: &str, width: usize, ellipsis: &str) -> String {
    let shown = cut(text, width, ellipsis);
    let Some(kept) = shown.strip_suffix(ellipsis).filter(|_| shown != text) else {
        return shown;
    };
    match kept.rfind(' ') {
        Some(blank) if !text[kept.len()..].starts_with(' ') && blank > kept.len() / 2 => {
            kept[..blank]
                .trim_end_matches([' ', ',', ':', ';'])
                .to_owned()
                + ellipsis
        }
        _ => shown,
    }
}

/// Cuts a text to `width` columns, the sign `ellipsis` at its end.
pub(super) fn cut(text: &str, width: usize, ellipsis: &str) -> String {
    if width_of(text) <= width {
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

/// Cuts a text to its last `width` columns, the sign `ellipsis` before them.
pub(super) fn cut_front(text: &str, width: usize, ellipsis: &str) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let mut left = width.saturating_sub(ellipsis.width());
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        match left.checked_sub(c.width().unwrap_or(0)) {
            Some(rest) => left = rest,
            None => break,
        }
        start = at;
    }
    ellipsis.to_owned() + &text[start..]
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
            if width_of(&text[end..behind]) < MAX_UNBROKEN && width_of(word) <= width {
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
            ["a", "https://", "example.", "org/a/b", "c"]
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
            ["`a/very/long", "/name.py:of_", "a_function`", "or `b`"]
        );
        let long = format!("`{}`", "word ".repeat(20));
        assert!(wrap(&long, 30).len() > 3);
    }

    #[test]
    fn what_fits_ends_with_a_sentence() {
        let bracketed = "One (a. B) two. Three four";
        assert_eq!(fit(bracketed, 15, 1).0, ["One (a. B) two."]);
        let text = "One `a. B` two. Three four. Five";
        assert_eq!(fit(text, 40, 1), (vec![text.to_owned()], false));
        let (lines, is_cut) = fit(text, 15, 2);
        assert_eq!(
            (lines.join(" ").as_str(), is_cut),
            ("One `a. B` two. Three four.", true)
        );
        let (lines, is_cut) = fit("Few words. A B C D E F G H. And more words here", 10, 3);
        assert_eq!((lines.len(), is_cut), (3, true));
        let (lines, is_cut) = fit(
            "Few words. A B C D E F G H I J K L M N. Q R S T U V W X",
            10,
            3,
        );
        assert_eq!((lines.len(), is_cut), (4, true));
        assert_eq!(fit("one two six", 4, 1).0.len(), 3);
        assert_eq!(fit("one two. Three four", 4, 1).0, ["one", "two."]);
    }

    #[test]
    fn long_code_is_broken_behind_a_blank() {
        assert_eq!(broken("call(one, two)", 20), ["call(one, two)"]);
        assert_eq!(broken("call(one, two, 3)", 12), ["call(one, ", "two, 3)"]);
        assert_eq!(broken("x".repeat(5).as_str(), 2), ["xx", "xx", "x"]);
    }

    #[test]
    fn a_cut_says_so() {
        assert_eq!(cut("for batch in loader:", 12, "…"), "for batch i…");
        assert_eq!(cut("short", 12, "…"), "short");
        assert_eq!(cut("日本語", 5, "…"), "日本…");
        assert_eq!(cut_front("logs/rank_2.log", 10, "…"), "…ank_2.log");
        assert_eq!(cut_front("日本語", 5, "…"), "…本語");
        assert_eq!(cut_front("short", 5, "…"), "short");
    }
}
