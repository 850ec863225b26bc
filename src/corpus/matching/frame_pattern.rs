//! The place of a frame as a rule writes it: `multiprocessing/queues.py:_feed`.

use super::marks::mark;
use crate::corpus::rule::index::frame_names;
use crate::traceback::Frame;

/// The place of a frame: `path/end.py:function`, `path/end.py`, `folder/` (whatever file is directly in it) or
/// `:function`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FramePattern {
    /// The last components of the path, joined with `/`; empty: any.
    path: String,
    /// The same in `multiprocess`, the copy of `multiprocessing` that pathos and datasets use.
    in_copy: Option<String>,
    /// The function; empty: any.
    function: String,
    /// The mark that each such frame has; none for those of a folder.
    mark: Option<usize>,
}

impl FramePattern {
    /// Takes a place as written.
    pub(crate) fn new(place: &str) -> Result<Self, String> {
        let (path, function) = place.rsplit_once(':').unwrap_or((place, ""));
        if path.is_empty() && function.is_empty()
            || path.starts_with('/')
            || place.contains(char::is_whitespace)
        {
            return Err(format!(
                "\"{place}\" is no frame; write \"multiprocessing/queues.py:_feed\""
            ));
        }
        let path = path.replace('\\', "/");
        let own = path.strip_prefix("multiprocessing/");
        Ok(Self {
            mark: mark_of(&path, function),
            in_copy: own.map(|file| format!("multiprocess/{file}")),
            path,
            function: function.to_string(),
        })
    }

    /// Takes the name of a function as written.
    pub(crate) fn of_function(name: &str) -> Self {
        Self {
            path: String::new(),
            in_copy: None,
            function: name.to_owned(),
            mark: mark_of("", name),
        }
    }

    /// Returns the mark that each such frame has, among others.
    pub(crate) fn mark(&self) -> Option<usize> {
        self.mark
    }

    /// Returns whether a frame is there: whole components of the path, `\` read as `/`.
    pub(crate) fn holds(&self, frame: &Frame) -> bool {
        let is_in = |path: &String| frame.path.ends(path);
        (self.function.is_empty() || frame.is_of(&self.function))
            && (is_in(&self.path) || self.in_copy.as_ref().is_some_and(is_in))
    }
}

fn mark_of(path: &str, function: &str) -> Option<usize> {
    frame_names(path, function).map(|(file, function)| mark(file, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_found_by_whole_components() {
        let frame = Frame {
            path: r"C:\Python\lib\multiprocessing\queues.py".into(),
            function: "_feed".into(),
            ..Frame::default()
        };
        let holds = |place| FramePattern::new(place).unwrap().holds(&frame);
        assert!(holds("multiprocessing/queues.py:_feed") && holds("queues.py") && holds(":_feed"));
        assert!(holds("lib/multiprocessing/") && holds("multiprocessing/:_feed"));
        assert!(!holds("Python/lib/") && !holds("processing/"));
        assert!(!holds("processing/queues.py:_feed") && !holds("queues.py:get"));
        let copy = Frame {
            path: "/venv/lib/python3.11/site-packages/multiprocess/queues.py".into(),
            ..frame.clone()
        };
        let place = FramePattern::new("multiprocessing/queues.py:_feed").unwrap();
        assert!(place.holds(&copy) && place.holds(&frame));
        let place = FramePattern::new("multiprocess/queues.py").unwrap();
        assert!(place.holds(&copy) && !place.holds(&frame));
        assert!(FramePattern::new(":").is_err() && FramePattern::new("/lib/a.py").is_err());
        let frozen = Frame {
            path: "<frozen runpy>".into(),
            function: "f".into(),
            ..Frame::default()
        };
        assert!(!FramePattern::new("runpy:f").unwrap().holds(&frozen));
    }
}
