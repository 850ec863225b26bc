//! The form of the titles: lower case, and within one line of the narrowest terminal.

use toml::Spanned;
use unicode_width::UnicodeWidthStr;

use super::Lint;
use crate::corpus::rule::interpolation::{TextPart, text_parts};

/// The most columns of `▎ pickfix: TITLE  [ID]`, and what of it is neither title nor id.
const MAX_HEADLINE: usize = 80;
const AROUND_TITLE: &str = "▎ pickfix:   []";
/// The columns of a name or number that a title leaves open without other words for it.
const HOLE: usize = 6;

impl Lint<'_> {
    pub(super) fn titles(&mut self) {
        let others = self.file.title_when.iter().map(|title| &title.text);
        for title in [&self.file.title].into_iter().chain(others) {
            self.title(title);
        }
    }

    fn title(&mut self, title: &Spanned<String>) {
        let (title, offset) = (title.get_ref(), title.span().start);
        if is_capitalised(title) {
            self.fault(offset, "start the title in lower case");
        }
        if title.trim_end().ends_with('.') {
            self.fault(offset, "end the title without a stop");
        }
        if title.contains('\n') {
            self.fault(offset, "write the title in one line");
        }
        let width = title_width(title) + self.checked.rule.id.width() + AROUND_TITLE.width();
        if width > MAX_HEADLINE {
            let over = width - MAX_HEADLINE;
            let message = format!(
                "shorten the title by {over}: with its id it is wider than {MAX_HEADLINE} columns"
            );
            self.fault(offset, message);
        }
    }
}

/// Returns how many columns a title has, where what it leaves open is short.
fn title_width(title: &str) -> usize {
    let parts = text_parts(title).unwrap_or_default();
    let width = |part: &TextPart| match part {
        TextPart::Plain(text) => text.width(),
        TextPart::Hole { words, .. } => words.map_or(HOLE, UnicodeWidthStr::width),
    };
    parts.iter().map(width).sum()
}

/// Returns whether a title starts like a sentence; names and code may be as they are.
pub(in crate::corpus::authoring) fn is_capitalised(title: &str) -> bool {
    const NAMES: &[&str] = &[
        "Celery",
        "Dask",
        "Docker",
        "Jupyter",
        "Lightning",
        "Linux",
        "Pickle",
        "Python",
        "Ray",
        "Slurm",
        "Spark",
        "Trainer",
        "Windows",
    ];
    let word = title
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase)
        && chars.next().is_some_and(char::is_lowercase)
        && chars.all(char::is_lowercase)
        && !NAMES.contains(&word)
}
