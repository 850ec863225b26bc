//! The small languages of the keys: types, places of frames, versions, names of facts.

use crate::traceback::Frame;

use super::error::nearest;

/// The type of an exception as a rule writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypeName(String);

impl TypeName {
    /// Takes a name as written; any dotted name will do.
    pub(super) fn new(name: &str) -> Result<Self, String> {
        let is_part = |p: &str| !p.is_empty() && p.chars().all(|c| c.is_alphanumeric() || c == '_');
        let bare = name.split('(').next().unwrap_or(name);
        if bare.split('.').all(is_part) {
            Ok(Self(name.to_string()))
        } else {
            Err(format!(
                "\"{name}\" is no type; write it as a traceback shows it: \"pickle.PicklingError\""
            ))
        }
    }

    /// Whether a printed type is this one, as far as both tell.
    pub(super) fn is(&self, printed: &str) -> bool {
        let (rule, rule_inner) = split_inner(&self.0);
        let (text, text_inner) = split_inner(printed);
        rule.rsplit('.').zip(text.rsplit('.')).all(|(a, b)| a == b)
            && (rule_inner.is_none() || rule_inner == text_inner)
    }
}

/// Splits `RayTaskError(TypeError)` and takes `__main__.` off.
fn split_inner(name: &str) -> (&str, Option<&str>) {
    let (name, inner) = match name.split_once('(') {
        Some((name, inner)) => (name, Some(inner.trim_end_matches(')'))),
        None => (name, None),
    };
    (name.strip_prefix("__main__.").unwrap_or(name), inner)
}

/// The place of a frame: `path/end.py:function`, `path/end.py` or `:function`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FramePlace {
    /// The last components of the path, joined with `/`; empty: any.
    path: String,
    /// The function; empty: any.
    function: String,
}

impl FramePlace {
    /// Takes a place as written.
    pub(super) fn new(place: &str) -> Result<Self, String> {
        let (path, function) = place.rsplit_once(':').unwrap_or((place, ""));
        if path.is_empty() && function.is_empty()
            || path.starts_with('/')
            || place.contains(char::is_whitespace)
        {
            return Err(format!(
                "\"{place}\" is no frame; write \"multiprocessing/queues.py:_feed\""
            ));
        }
        Ok(Self {
            path: path.replace('\\', "/"),
            function: function.to_string(),
        })
    }

    /// Whether a frame is there: whole components of the path, `\` read as `/`.
    pub(super) fn holds(&self, frame: &Frame) -> bool {
        (self.function.is_empty() || self.function == frame.function) && self.is_end_of(&frame.file)
    }

    fn is_end_of(&self, file: &str) -> bool {
        let same = |a: u8, b: u8| a == b || (a == b'/' && b == b'\\');
        let (end, file) = (self.path.as_bytes(), file.as_bytes());
        let Some(start) = file.len().checked_sub(end.len()) else {
            return false;
        };
        end.iter().zip(&file[start..]).all(|(a, b)| same(*a, *b))
            && (end.is_empty() || start == 0 || matches!(file[start - 1], b'/' | b'\\'))
    }
}

/// A range of Python versions: `>=3.8,<3.12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Versions(Vec<(Comparison, (u8, u8))>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
}

impl Versions {
    /// Takes a range as written.
    pub(super) fn new(range: &str) -> Result<Self, String> {
        let fault =
            || format!("\"{range}\" is no version; write \">=3.14\", \"3.12\" or \">=3.8,<3.12\"");
        let mut bounds = Vec::new();
        for bound in range.split(',').map(str::trim) {
            let signs = [
                (">=", Comparison::AtLeast),
                ("<=", Comparison::AtMost),
                (">", Comparison::Above),
                ("<", Comparison::Below),
                ("==", Comparison::Equal),
                ("", Comparison::Equal),
            ];
            let (rest, comparison) = signs
                .iter()
                .find_map(|(s, c)| Some((bound.strip_prefix(s)?, *c)))
                .ok_or_else(fault)?;
            let (major, minor) = rest.trim().split_once('.').ok_or_else(fault)?;
            let number = |n: &str| n.parse::<u8>().map_err(|_| fault());
            bounds.push((comparison, (number(major)?, number(minor)?)));
        }
        Ok(Self(bounds))
    }

    /// Whether a version lies in it.
    pub(super) fn holds(&self, version: (u8, u8)) -> bool {
        self.0.iter().all(|(comparison, bound)| match comparison {
            Comparison::AtLeast => version >= *bound,
            Comparison::AtMost => version <= *bound,
            Comparison::Above => version > *bound,
            Comparison::Below => version < *bound,
            Comparison::Equal => version == *bound,
        })
    }
}

/// Finds the value of a name in a table of them.
pub(super) fn value_of<T: Copy>(table: &[(&'static str, T)], name: &str) -> Result<T, String> {
    if let Some((_, value)) = table.iter().find(|(n, _)| *n == name) {
        return Ok(*value);
    }
    let names: Vec<&str> = table.iter().map(|(n, _)| *n).collect();
    Err(match nearest(name, names.iter().copied()) {
        Some(meant) => format!("unknown value \"{name}\", did you mean \"{meant}\"?"),
        None => format!(
            "unknown value \"{name}\", expected one of: {}",
            names.join(", ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(rule: &str, printed: &str) -> bool {
        TypeName::new(rule).unwrap().is(printed)
    }

    #[test]
    fn types_are_compared_as_far_as_both_tell() {
        assert!(is("OutOfMemoryError", "torch.cuda.OutOfMemoryError"));
        assert!(is("torch.cuda.OutOfMemoryError", "OutOfMemoryError"));
        assert!(is(
            "pool.MaybeEncodingError",
            "multiprocessing.pool.MaybeEncodingError"
        ));
        assert!(!is("pickle.PicklingError", "_pickle.PicklingError"));
        assert!(!is("Error", "OSError"));
        assert!(is("MyError", "__main__.MyError"));
        assert!(is(
            "RayTaskError",
            "ray.exceptions.RayTaskError(pickle.PicklingError)"
        ));
        assert!(!is(
            "RayTaskError(TypeError)",
            "ray.exceptions.RayTaskError(KeyError)"
        ));
        assert!(TypeName::new("Type Error").is_err());
    }

    #[test]
    fn a_frame_is_found_by_whole_components() {
        let frame = Frame {
            file: r"C:\Python\lib\multiprocessing\queues.py".into(),
            function: "_feed".into(),
            ..Frame::default()
        };
        let holds = |place| FramePlace::new(place).unwrap().holds(&frame);
        assert!(holds("multiprocessing/queues.py:_feed") && holds("queues.py") && holds(":_feed"));
        assert!(!holds("processing/queues.py:_feed") && !holds("queues.py:get"));
        assert!(FramePlace::new(":").is_err() && FramePlace::new("/lib/a.py").is_err());
        let frozen = Frame {
            file: "<frozen runpy>".into(),
            function: "f".into(),
            ..Frame::default()
        };
        assert!(!FramePlace::new("runpy:f").unwrap().holds(&frozen));
    }

    #[test]
    fn versions_compare_by_number() {
        let holds = |range, version| Versions::new(range).unwrap().holds(version);
        assert!(holds(">=3.14", (3, 14)) && !holds(">=3.14", (3, 9)));
        assert!(holds(">=3.8,<3.12", (3, 10)) && !holds(">=3.8, <3.12", (3, 12)));
        assert!(holds("3.12", (3, 12)) && holds("==3.12", (3, 12)) && holds("<3.8", (2, 7)));
        assert!(Versions::new("3").is_err() && Versions::new(">=x.1").is_err());
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let table = [("fork", 1), ("spawn", 2)];
        assert_eq!(value_of(&table, "spawn"), Ok(2));
        assert_eq!(
            value_of(&table, "spwan").unwrap_err(),
            "unknown value \"spwan\", did you mean \"spawn\"?"
        );
        assert_eq!(
            value_of(&table, "threads").unwrap_err(),
            "unknown value \"threads\", expected one of: fork, spawn"
        );
    }
}
