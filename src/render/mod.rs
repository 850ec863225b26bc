//! What users see: the annotation in the stream, the JSON line in a report.
//!
//! - [`annotation`]: what is said of an incident, row by row;
//! - [`block`]: rows into lines of a width, with the gutter;
//! - [`count`]: numbers of things in words;
//! - [`wrap`]: words into lines;
//! - [`visible`]: text of the log, made harmless;
//! - [`paint`]: lines into bytes, the only place that knows of colour;
//! - [`page`]: a page to be read, of headings, paragraphs and code;
//! - [`report`]: what `check` writes, in its several forms;
//! - [`json`]: an incident as one line of JSON, a rule as an object.

mod annotation;
mod block;
pub mod count;
mod finder;
pub mod json;
pub mod page;
mod paint;
pub mod report;
#[cfg(test)]
mod tests;
mod visible;
mod wrap;

use crate::incident::Notice;
use block::Block;

/// Draws annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotator {
    /// The columns that lines are wrapped at; code and links are never wrapped.
    pub width: usize,
    /// The characters that pickfix's own lines are made of.
    pub glyphs: Glyphs,
    /// Whether there is colour.
    pub colour: Colour,
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
pub enum Start {
    /// At the start of a line.
    Line,
    /// Behind an unfinished line, after a newline that is not the input's. The first line of the
    /// block then says so: `▎⏎ pickfix:`.
    Broken,
}

impl Annotator {
    /// Returns whether its annotations have colours.
    pub fn is_coloured(&self) -> bool {
        self.colour == Colour::On
    }

    /// Draws what is to be said: whole lines, each with the gutter and a newline.
    ///
    /// Does not bring the newline that [`Start::Broken`] tells of.
    pub fn draw(&self, say: &Notice, start: Start) -> Vec<u8> {
        let width = self
            .width
            .saturating_sub(paint::gutter_width(self.glyphs, start));
        let mut block = Block::new(width, self.glyphs);
        annotation::write(say, &mut block);
        paint::paint(&block, self.glyphs, self.colour, start)
    }
}
