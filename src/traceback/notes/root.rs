//! The outermost object of a path: what the libraries wrap around the user's own.

use super::super::Frame;
use super::{Note, NoteWalk, short};

/// The positional arguments that a library gives to `Process`, by the file that starts it: index
/// and the name that its users know. The order of torch's is that of 1.2 and all later versions.
const PROCESS_ARGS: &[(&str, &[(&str, &str)])] = &[
    (
        "torch/utils/data/dataloader.py",
        &[
            ("1", "dataset"),
            ("6", "collate_fn"),
            ("9", "worker_init_fn"),
        ],
    ),
    (
        "torch/multiprocessing/spawn.py",
        &[("0", "fn"), ("2", "args")],
    ),
    (
        "multiprocessing/pool.py",
        &[("2", "initializer"), ("3", "initargs")],
    ),
    (
        "concurrent/futures/process.py",
        &[("2", "initializer"), ("3", "initargs")],
    ),
    (
        "multiprocessing/managers.py",
        &[("5", "initializer"), ("6", "initargs")],
    ),
];

impl NoteWalk<'_> {
    /// Takes the notes of the outermost object and names it.
    pub(super) fn root(&mut self, frames: &[Frame]) {
        match (self.peek(0), self.peek(1), self.peek(2)) {
            (
                Some(Note::Object(_)),
                Some(Note::State(_)),
                Some(Note::Item("dict", key @ ("'_target'" | "'_args'" | "'_kwargs'"))),
            ) => {
                self.at += 3;
                self.process(key, frames);
            }
            (Some(Note::Object(of)), Some(Note::State(_)), Some(Note::Item("dict", key)))
                if matches!(short(of), "_CallItem" | "_ResultItem") =>
            {
                self.at += 3;
                let root = if short(of) == "_CallItem" {
                    "task"
                } else {
                    "answer"
                };
                self.name(root);
                let key = key.trim_matches('\'');
                self.down(key, key);
            }
            (Some(Note::Item("tuple", index)), ..) if frame(frames, "pool.py", "_handle_tasks") => {
                self.at += 1;
                self.pool_task(index, frames);
            }
            (Some(Note::Object("method")), ..) => self.name("method"),
            (Some(note), ..) => self.typed(note.of()),
            (None, ..) => {}
        }
    }

    /// Names the outermost object in the steps alone.
    fn name(&mut self, name: &str) {
        self.steps.push(name.to_owned());
        self.reached.push(name.to_owned());
    }

    /// Names the outermost object by its type.
    fn typed(&mut self, of: &str) {
        self.name(short(of));
        short(of).clone_into(&mut self.display);
        self.holder = None;
    }

    fn process(&mut self, key: &str, frames: &[Frame]) {
        self.name("process");
        if key != "'_args'" {
            // `_target` is what the user gave as `target`.
            let key = key.trim_matches('\'');
            self.down(key, key.trim_start_matches('_'));
            return;
        }
        let names = frames.iter().rev().find_map(|f| {
            PROCESS_ARGS
                .iter()
                .find(|(file, _)| f.path.ends(file))
                .map(|(_, names)| *names)
        });
        if let Some(Note::Item("tuple", index)) = self.peek(0)
            && let Some((_, name)) = names.unwrap_or_default().iter().find(|(i, _)| *i == index)
        {
            self.at += 1;
            self.down(name, name);
        } else {
            self.down("_args", "args");
        }
    }

    /// Reads the tuple `(job, i, func, args, kwds)` that `Pool` sends; for `map`, `func` is a
    /// library's and `args` is `((function, items),)`.
    fn pool_task(&mut self, index: &str, frames: &[Frame]) {
        self.name("task");
        let mapped = frame(frames, "pool.py", "map") || frame(frames, "pool.py", "starmap");
        match index {
            "2" => self.down("func", "func"),
            "3" if mapped && self.peek(0) == Some(Note::Item("tuple", "0")) => {
                self.at += 1;
                match self.tuple_item() {
                    Some("0") => self.down("func", "func"),
                    // The index is that in a chunk, which says nothing about the user's list.
                    Some(_) if self.tuple_item().is_some() => self.down("item", "item"),
                    _ => self.down("args", "args"),
                }
            }
            "3" => self.down("args", "args"),
            "4" => self.down("kwds", "kwds"),
            _ => self.down(&format!("[{index}]"), &format!("task[{index}]")),
        }
    }

    /// Reads joblib's batch, a list of `(function, args, kwargs)`.
    pub(super) fn joblib_batch(&mut self) {
        let (Some(Note::Item("list", _)), Some(Note::Item("tuple", part))) =
            (self.peek(0), self.peek(1))
        else {
            return;
        };
        self.at += 2;
        self.steps.truncate(1);
        self.reached.truncate(1);
        self.display.clear();
        match part {
            "0" => self.down("func", "func"),
            "1" => self.down("args", "args"),
            _ => self.down("kwargs", "kwargs"),
        }
    }
}

/// Returns whether some frame is that of `function` in a file whose path ends in `file`.
fn frame(frames: &[Frame], file: &str, function: &str) -> bool {
    frames
        .iter()
        .any(|f| f.is_of(function) && f.path.ends(file))
}
