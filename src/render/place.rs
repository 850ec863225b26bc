//! Where a failure happened, and with which object: the first rows of an annotation.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::corpus::{Failure, takes_an};
use crate::object::{Certainty, Object};
use crate::traceback::Frame;

/// A row of an annotation: its label, what it says, and a remark on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) label: String,
    pub(super) name: String,
    pub(super) remark: String,
    /// What stands for the remark where that is too wide.
    #[serde(default)]
    pub(super) core: String,
}

impl Row {
    fn new(label: &str, name: String, remark: String) -> Self {
        Self {
            label: label.to_owned(),
            name,
            remark,
            core: String::new(),
        }
    }
}

/// Returns the rows that tell where it happened and with which object; files below `folder` are
/// named from there.
pub(super) fn places(failure: &Failure, folder: Option<&Path>) -> Vec<Row> {
    let mut rows = Vec::from_iter(place(failure, folder));
    rows.extend(objects(failure, folder));
    rows
}

/// Returns the row of the place: the user's frame, or else the script and what the heading tells;
/// and the rank.
fn place(failure: &Failure, folder: Option<&Path>) -> Option<Row> {
    let facts = &failure.facts;
    let frame = facts.user_frame.as_ref();
    let mut parts = Vec::new();
    if let Some(frame) = frame {
        parts.push(location(frame, folder));
    } else {
        let heading = failure.heading.as_deref().map(|h| without_dots(h.trim()));
        let heading = heading.filter(|h| is_place(h));
        parts.extend(script(failure).map(|path| short_path(path, folder)));
        parts.extend(heading.map(|h| h.trim_end_matches(':').to_owned()));
    }
    parts.extend(facts.rank.map(|rank| format!("rank {rank}")));
    if parts.is_empty() {
        return None;
    }
    let source = frame.and_then(|frame| frame.source.clone());
    let core = frame.and_then(Frame::expression).unwrap_or_default();
    Some(Row {
        core: core.to_owned(),
        ..Row::new("where", parts.join(", "), source.unwrap_or_default())
    })
}

/// Returns the rows of the object: by the way that the notes tell, else as the source shows it.
fn objects(failure: &Failure, folder: Option<&Path>) -> Vec<Row> {
    let Some(diagnosis) = &failure.diagnosis else {
        return Vec::new();
    };
    let found = diagnosis.object.as_deref();
    let Some(path) = &diagnosis.object_path else {
        let frame = failure.facts.user_frame.as_ref();
        let shown = frame.map(|frame| line_of(frame, folder));
        return found.map_or_else(Vec::new, |found| found_rows(found, shown.as_deref()));
    };
    let of = diagnosis.captures.get("type").map(|of| with_article(of));
    let short = |holder: &str| holder.rsplit('.').next().unwrap_or(holder).to_owned();
    // `Trainer._lock` says what holds it.
    let holder = path
        .holder
        .as_deref()
        .filter(|h| !path.display.starts_with(&(short(h) + ".")));
    let holder = holder.map(|holder| format!("in {}", with_article(holder)));
    let remark: Vec<String> = of.into_iter().chain(holder).collect();
    let remark = remark.join(", ");
    let remark = match found {
        Some(found) => format!("{remark}   {}", found_at(found)),
        None => remark,
    };
    vec![Row::new("object", path.display.clone(), remark)]
}

/// Leaves out the marks of the tests that passed: `.....[gw1] node down: `.
fn without_dots(heading: &str) -> &str {
    let behind = heading.trim_start_matches('.');
    if behind.starts_with('[') {
        behind
    } else {
        heading
    }
}

/// Returns whether a heading tells a place: a process, a thread, Ray's task, pytest-xdist's worker; not
/// what else may stand before a head: a log record, a time, a word, a progress bar.
fn is_place(heading: &str) -> bool {
    let starts = ["Process ", "Exception in thread ", "ray::", "[gw"];
    starts.iter().any(|start| heading.starts_with(start))
}

/// Returns the path of the main script that a message names: `<module '__main__' from 'train.py'>`.
fn script<'f>(failure: &'f Failure) -> Option<&'f str> {
    let captures = &failure.diagnosis.as_ref()?.captures;
    let module = captures.get("module")?;
    let origin = captures.get("origin")?;
    let is_main = matches!(&**module, "__main__" | "__mp_main__");
    let path = origin.strip_prefix("from '")?.strip_suffix('\'')?;
    is_main.then_some(path)
}

/// Returns the rows of an object that the source shows, one for each that it can be; the line that is
/// `shown` above them is not shown again.
fn found_rows(object: &Object, shown: Option<&str>) -> Vec<Row> {
    let named = |object: &Object| {
        let kind = kind_of(&object.type_name);
        if object.path == "<lambda>" {
            return kind;
        }
        format!("{}, {kind}", object.path)
    };
    let first = match object.certainty {
        Certainty::Certain => named(object),
        Certainty::Likely => format!("most likely {}", named(object)),
        Certainty::OneOf => format!("one of {}", named(object)),
    };
    let others = object.others.iter();
    let others = others.map(|other| Row::new("", format!("or {}", named(other)), found_at(other)));
    let is_shown = shown == Some(&format!("{}:{}", object.file, object.line));
    let found_at = if is_shown {
        String::new()
    } else {
        found_at(object)
    };
    std::iter::once(Row::new("object", first, found_at))
        .chain(others)
        .collect()
}

/// Returns `data.py:14   self.lock = threading.Lock()`; only the place where its path is that line.
fn found_at(object: &Object) -> String {
    if object.path == object.source {
        return format!("{}:{}", object.file, object.line);
    }
    format!("{}:{}   {}", object.file, object.line, object.source)
}

/// What `corpus/objects` knows by a name that is no call.
const NOT_CALLED: [&str; 6] = [
    "loguru.logger",
    "os.environ",
    "sys.stderr",
    "sys.stdin",
    "sys.stdout",
    "sys.stdout.buffer",
];

/// Says what a thing is: `a threading.Lock`, `from sqlite3.connect()`, `a lambda`, `sys.stdout`.
fn kind_of(type_name: &str) -> String {
    let last = type_name.rsplit('.').next().unwrap_or(type_name);
    if type_name.contains(' ') || NOT_CALLED.contains(&type_name) {
        return type_name.to_owned();
    }
    if last.starts_with(char::is_uppercase) {
        return with_article(type_name);
    }
    format!("from {type_name}()")
}

/// Returns `train.py:47 in train()`.
pub(super) fn location(frame: &Frame, folder: Option<&Path>) -> String {
    let place = line_of(frame, folder);
    match frame.function.as_str() {
        "" | "<module>" => place,
        function if function.ends_with(['>', ')']) => format!("{place} in {function}"),
        function => format!("{place} in {function}()"),
    }
}

/// Returns `train.py:47`.
pub(super) fn line_of(frame: &Frame, folder: Option<&Path>) -> String {
    let file = short_path(frame.path.as_str(), folder);
    match frame.line {
        0 => file,
        line => format!("{file}:{line}"),
    }
}

/// Returns the file of a frame, if it is one here.
pub(super) fn file_of(frame: &Frame, folder: Option<&Path>) -> Option<PathBuf> {
    let path = frame.path.as_str();
    let file = folder?.join(path.strip_prefix("./").unwrap_or(path));
    file.is_file().then_some(file)
}

/// Shortens a path: from the folder on if it lies below that, else to the file and its own folder;
/// the whole of it is in the traceback above.
fn short_path(path: &str, folder: Option<&Path>) -> String {
    const MAX_PATH: usize = 40;
    const MAX_ABSOLUTE: usize = 24;
    let path = path.strip_prefix("./").unwrap_or(path);
    let below = folder.and_then(|folder| Path::new(path).strip_prefix(folder).ok());
    let path = below.and_then(Path::to_str).unwrap_or(path);
    let is_absolute = path.starts_with(['/', '\\', '~']) || path.get(1..2) == Some(":");
    let max = if is_absolute { MAX_ABSOLUTE } else { MAX_PATH };
    if path.len() <= max || below.is_some() {
        return path.to_owned();
    }
    match path.rmatch_indices(['/', '\\']).nth(1) {
        Some((at, _)) => format!("…{}", &path[at..]),
        None => path.to_owned(),
    }
}

/// Returns `a _thread.lock`, `an _io.TextIOWrapper`.
fn with_article(of: &str) -> String {
    let article = if takes_an(of) { "an" } else { "a" };
    format!("{article} {of}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_named_as_a_call_only_where_it_is_one() {
        assert_eq!(kind_of("threading.Lock"), "a threading.Lock");
        assert_eq!(kind_of("sqlite3.connect"), "from sqlite3.connect()");
        assert_eq!(kind_of("sys.stdout"), "sys.stdout");
    }

    #[test]
    fn a_time_or_a_record_is_no_place() {
        for (heading, is_place) in [
            ("056444Z", false),
            ("12:01:55.120", false),
            ("Process SpawnPoolWorker-1:", true),
            (
                "[E socket.cpp:922] [c10d] The client socket has timed out",
                false,
            ),
            ("Predicting: |   | 0/? [00:00<?, ?it/s]", false),
            (": java.io.IOException", false),
            ("org.apache.spark.api.python.PythonException:", false),
        ] {
            assert_eq!(super::is_place(heading), is_place, "{heading}");
        }
    }

    #[test]
    fn a_path_is_named_from_the_folder_or_by_its_last_two_names() {
        let folder = Some(Path::new("/home/ann/project"));
        for (path, shown) in [
            ("/home/ann/project/etl/steps.py", "etl/steps.py"),
            ("./etl/steps.py", "etl/steps.py"),
            ("etl/steps.py", "etl/steps.py"),
            ("/home/bob/project/etl/steps.py", "…/etl/steps.py"),
            ("/app/train.py", "/app/train.py"),
            (
                "C:\\Users\\ann\\work\\big project\\a.py",
                "…\\big project\\a.py",
            ),
        ] {
            assert_eq!(short_path(path, folder), shown);
        }
    }
}
