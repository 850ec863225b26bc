//! What the frames of a traceback are told by, as hashes. Few of the frames that rules ask for are there.

use crate::corpus::rule::index::{HEADING, last_part};
use crate::corpus::rule::lookup::{of_more, of_name};
use crate::traceback::Frame;

/// The marks of a chain of exceptions: `file.py:`, `file.py:function` and `:function` of each frame, and
/// that it has a heading.
#[derive(Debug)]
pub(crate) struct Marks {
    all: Vec<usize>,
    /// A bit for each of them: one that is not set tells that a mark is missing.
    bits: [u64; WORDS],
}

/// How many words of bits there are: for some dozen frames few are set.
const WORDS: usize = 16;

impl Marks {
    /// Finds those of some frames.
    pub(crate) fn of<'f>(
        frames: impl Iterator<Item = &'f Frame> + Clone,
        has_heading: bool,
    ) -> Self {
        let of_frame = |frame: &Frame| {
            let file = of_more(of_name(frame.path.file_name()), ":");
            let function = last_part(&frame.function);
            [
                file,
                of_more(file, function),
                of_more(of_name(":"), function),
            ]
        };
        let mut all = Vec::with_capacity(3 * frames.clone().count() + 1);
        frames.for_each(|frame| all.extend(of_frame(frame)));
        all.extend(has_heading.then(|| of_name(HEADING)));
        let mut marks = Self {
            all,
            bits: [0; WORDS],
        };
        for mark in &marks.all {
            let (word, bit) = bit_of(*mark);
            marks.bits[word] |= bit;
        }
        marks
    }

    /// Returns all of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> {
        self.all.iter().copied()
    }

    /// Returns whether a mark may be among them.
    pub(crate) fn may_have(&self, mark: usize) -> bool {
        let (word, bit) = bit_of(mark);
        self.bits[word] & bit != 0
    }
}

/// Returns the mark of a frame of this file and function, by which the index finds it too; either name may be
/// empty.
pub(crate) fn mark(file: &str, function: &str) -> usize {
    of_more(of_more(of_name(file), ":"), function)
}

/// Returns the place of a mark's bit.
fn bit_of(mark: usize) -> (usize, u64) {
    // The last bytes of a name are in all bits, the first ones in the high ones alone.
    let mixed = mark ^ (mark >> 16);
    (mixed / 64 % WORDS, 1 << (mixed % 64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::matching::frame_pattern::FramePattern;

    #[test]
    fn a_frame_has_the_mark_of_each_place_that_it_is_in() {
        let frame = Frame {
            path: r"C:\Python\lib\multiprocessing\queues.py".into(),
            function: "Queue._feed".into(),
            ..Frame::default()
        };
        let marks = Marks::of([&frame].into_iter(), false);
        for place in ["multiprocessing/queues.py:_feed", "queues.py", ":_feed"] {
            let place = FramePattern::new(place).unwrap();
            let mark = place.mark().unwrap();
            assert!(place.holds(&frame) && marks.may_have(mark), "{place:?}");
            assert!(marks.all().any(|own| own == mark), "{place:?}");
        }
        let folder = FramePattern::new("lib/multiprocessing/").unwrap();
        assert_eq!((folder.holds(&frame), folder.mark()), (true, None));
        let other = FramePattern::of_function("_handle_tasks").mark();
        assert!(!marks.may_have(other.unwrap()));
    }
}
