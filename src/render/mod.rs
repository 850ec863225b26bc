//! What users see: the annotation in the stream, the JSON line in a report.
//!
//! - [`card`]: what is said of a failure, as data; [`place`]: where it happened;
//! - [`annotation`]: a card into rows: in short, in full, or once more;
//! - [`block`]: rows into lines of a width, with the gutter;
//! - [`finder`]: how to find the object, where nothing names it;
//! - [`count`]: numbers of things in words;
//! - [`sentence`]: phrases as sentences; [`wrap`]: words into lines;
//! - [`visible`]: text of the log, made harmless;
//! - [`uri`]: paths as URIs;
//! - [`paint`]: lines into bytes, the only place that knows of colour;
//! - [`page`]: a page to be read, of headings, paragraphs and code;
//! - [`report`]: what `check` writes, in its several forms;
//! - [`json`]: an incident as one line of JSON, a rule as an object.

mod annotation;
mod block;
pub mod card;
pub mod count;
pub(crate) mod finder;
pub mod json;
pub mod page;
mod paint;
mod place;
pub mod report;
mod sentence;
#[cfg(test)]
mod tests;
mod uri;
mod visible;
mod wrap;

use std::path::Path;
use std::sync::Arc;

use crate::bug;
use crate::incident::Notice;
use block::Block;
use card::{Card, Own};
use place::{file_of, line_of};
pub(crate) use sentence::capitalised;

/// The widest an annotation gets by itself: longer lines are hard to read.
pub const WIDEST: u16 = 100;

/// The narrowest: no word would fit below it.
pub const NARROWEST: u16 = 20;

/// Draws annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotator {
    /// The columns that lines are wrapped at; links are never wrapped.
    pub width: usize,
    /// The characters that pickfix's own lines are made of.
    pub glyphs: Glyphs,
    /// Whether there is colour.
    pub colour: Colour,
    /// How much is said of a failure.
    pub length: Length,
    /// The folder that files are named from.
    pub folder: Option<Arc<Path>>,
    /// Whether the place of a failure is a link to its file.
    pub links: bool,
    /// Whether `pickfix last` will have the failure in full.
    pub is_kept: bool,
}

/// How much an annotation says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// What a reader in a hurry needs.
    #[default]
    Short,
    /// All but what is on the rule's page.
    Full,
}

/// What was said before of a failure that is a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing.
    New,
    /// The same cause and fix, of another failure.
    Before,
    /// All of it, so long ago that it has left the screen; the failure has come so often in all.
    Gone(u64),
}

/// The characters that an annotation may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyphs {
    /// All; the gutter is `▎ `.
    Unicode,
    /// ASCII; the gutter is `#| `.
    Ascii,
}

/// Whether an annotation has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// The eight colours of every terminal, as bold or faint as it can.
    On,
    /// None.
    Off,
}

/// Where an annotation begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockStart {
    /// At the start of a line.
    Line,
    /// Behind an unfinished line, after a newline that is not the input's. The first line of the
    /// block then says so: `▎⏎ pickfix:`.
    Broken,
}

impl Annotator {
    /// Draws short annotations; files are named as they were printed.
    pub fn new(width: usize, glyphs: Glyphs, colour: Colour) -> Self {
        Self {
            width,
            glyphs,
            colour,
            length: Length::default(),
            folder: None,
            links: false,
            is_kept: false,
        }
    }

    /// Wraps lines for a screen of so many columns.
    pub fn fit(&mut self, columns: u16) {
        self.width = columns.clamp(NARROWEST, WIDEST).into();
    }

    /// Returns whether its annotations have colours.
    pub fn is_coloured(&self) -> bool {
        self.colour == Colour::On
    }

    /// Draws what is to be said: whole lines, each with the gutter and a newline.
    ///
    /// Does not bring the newline that [`BlockStart::Broken`] tells of.
    pub fn draw(&self, notice: &Notice, start: BlockStart, seen: Seen) -> Vec<u8> {
        let mut block = self.block(start);
        let folder = self.folder.as_deref();
        let (Notice::Root(failure) | Notice::LateRoot(failure)) = notice else {
            annotation::one_line(notice, folder, &mut block);
            return paint::paint(&block, self.glyphs, self.colour, start);
        };
        let far_line = matches!(notice, Notice::LateRoot(_)).then_some(failure.at.line);
        bug::provoke("draw", [&failure.message]);
        if failure.diagnosis.is_none() {
            return Vec::new();
        }
        if seen == Seen::Before && self.length == Length::Short {
            annotation::again(failure, far_line, folder, &mut block);
        } else if let Some(card) = Card::new(failure, folder) {
            if let Seen::Gone(count) = seen {
                card.gone(count, &mut block);
            } else {
                card.headline(far_line, &mut block);
                self.rows(&card, &mut block);
            }
        }
        let drawn = paint::paint(&block, self.glyphs, self.colour, start);
        let frame = failure.facts.user_frame.as_ref().filter(|_| self.links);
        match frame.and_then(|frame| Some((line_of(frame, folder), file_of(frame, folder)?))) {
            Some((place, file)) => paint::linked(&drawn, &place, &file),
            None => drawn,
        }
    }

    /// Draws a failure of an earlier run in full.
    pub fn draw_card(&self, card: &Card) -> Vec<u8> {
        let mut block = self.block(BlockStart::Line);
        card.headline(None, &mut block);
        self.rows(card, &mut block);
        paint::paint(&block, self.glyphs, self.colour, BlockStart::Line)
    }

    fn block(&self, start: BlockStart) -> Block {
        let gutter = paint::gutter_width(self.glyphs, start);
        Block::new(self.width.saturating_sub(gutter), self.glyphs)
    }

    /// Puts what is said of a failure below its headline into a block.
    fn rows(&self, card: &Card, block: &mut Block) {
        match self.length {
            Length::Short => card.short(block),
            Length::Full => {
                block.blank();
                card.full(block);
            }
        }
        let explain = format!("pickfix explain {}", card.id);
        let is_more = self.is_kept && self.length == Length::Short;
        // It takes the change from what is kept of the run.
        let is_fixed = self.is_kept && card.own == Own::Patch;
        let fix = is_fixed.then(|| "pickfix fix".to_owned());
        let last = is_more.then(|| "pickfix last".to_owned());
        // Where they do not all fit, the first ones are left out.
        let commands: Vec<String> = last.into_iter().chain(fix).chain([explain]).collect();
        block.commands("more", &commands);
    }
}
