//! A line whose prefix no open lane has: what of it is one.

use super::LINES_ABOVE;
use super::reader::LaneReader;
use crate::line::find;
use crate::traceback::Dialect;
use crate::traceback::grammar::{self, Columns, TracebackStart, cpython};
use crate::traceback::line::prefix::Prefix;
use crate::traceback::line::shared;
use crate::traceback::line::told::tells_of;
use crate::traceback::part::Part;

impl LaneReader<'_, '_> {
    /// Takes off the longest prefix that was learned before.
    pub(super) fn learned_prefix<'t>(&self, text: &'t str) -> Option<(Prefix, &'t str)> {
        self.lanes
            .learned
            .iter()
            .rev()
            .filter_map(|p| p.strip(text).map(|rest| (p.clone(), rest)))
            .min_by_key(|(_, r)| r.len())
    }

    /// Takes off the number of a line that is a frame, or `IPython`'s head, if the line above has the one before it.
    pub(super) fn number<'t>(&self, text: &'t str) -> Option<(Prefix, &'t str)> {
        let at_type = || {
            let before = text.trim_end().strip_suffix(cpython::HEAD)?.trim_end();
            Some(before.rfind([' ', '\t'])? + 1)
        };
        let (before, rest) = text.split_at(find(text, "  File \"").or_else(at_type)?);
        let above = self.lanes.recent.back()?;
        let prefix = Prefix::learn_numbered_below(&above.text, before)?;
        let is_frame = matches!(cpython::part(rest), Part::Frame(_));
        (is_frame || grammar::ipython::head(rest).is_some()).then_some((prefix, rest))
    }

    /// Takes off a prefix of any form that the lines above bear too, from a line that starts something
    /// behind it.
    pub(super) fn shared_prefix<'t>(
        &self,
        text: &'t str,
        prefix: &Prefix,
    ) -> Option<(Prefix, &'t str)> {
        if !prefix.is_empty() {
            return None;
        }
        let above = self.lanes.recent.iter().rev().take(LINES_ABOVE);
        let lens = shared::prefix_lens(text, above.map(|recent| recent.text.as_str()));
        let mut starts = lens.filter_map(|len| {
            let rest = &text[len..];
            // A rank's mark may stand behind it.
            let rest = plain_prefix(rest).map_or(rest, |(_, rest)| rest);
            starts_at_once(rest).then(|| text.len() - rest.len())
        });
        let (prefix, rest) = text.split_at(starts.next()?);
        Some((Prefix::learn(prefix), rest))
    }
}

/// Returns whether a traceback starts at a line's first character that is no blank.
fn starts_at_once(text: &str) -> bool {
    match grammar::start(text).filter(|_| !text.starts_with('\t')) {
        Some(TracebackStart::Head { before, .. } | TracebackStart::Frame { before, .. }) => {
            before.trim().is_empty()
        }
        start => start.is_some(),
    }
}

/// Takes off a prefix that is one by its form alone, from a line that starts something without a
/// plain head or frame: those teach their own.
pub(super) fn plain_prefix(text: &str) -> Option<(Prefix, &str)> {
    let len = Prefix::plain_len(text);
    if len == 0 {
        return indentation(text);
    }
    // s6, multilog and Jenkins write two blanks behind the time.
    let is_wide = text[len..].starts_with(' ') && !text[len..].starts_with("  ");
    let lens = [len + usize::from(is_wide), len].into_iter();
    let mut splits = lens.map(|len| text.split_at(len));
    let (prefix, rest, start) =
        splits.find_map(|(prefix, rest)| Some((prefix, rest, grammar::start(rest)?)))?;
    let teaches = match start {
        // What stands behind it before a box does so before each row.
        TracebackStart::Head {
            before, dialect, ..
        } => teaches_prefix(dialect) || !before.trim().is_empty(),
        TracebackStart::Frame { .. } => true,
        TracebackStart::Exception { .. }
        | TracebackStart::Editor { .. }
        | TracebackStart::Thread(_) => false,
    };
    (!teaches && !tells_of(&text[..len])).then(|| (Prefix::learn(prefix), rest))
}

/// Takes off the indentation of a list in Markdown, or of a tool that shows what another printed, from a
/// line of a notebook or a test, or the head of a thread's stack.
fn indentation(text: &str) -> Option<(Prefix, &str)> {
    const MOST: usize = 8;
    let rest = text.trim_start_matches(' ');
    let len = text.len() - rest.len();
    let is_own = || {
        let start = grammar::start(rest).map(|start| start.dialect());
        matches!(
            start,
            Some(Dialect::Pytest | Dialect::Ipython | Dialect::Dump)
        )
    };
    ((2..=MOST).contains(&len) && is_own()).then(|| (Prefix::learn(&text[..len]), rest))
}

/// Returns whether what stands before a head of this dialect may stand before its other lines too.
pub(super) fn teaches_prefix(dialect: Dialect) -> bool {
    dialect.layout().columns == Columns::Strict
}
