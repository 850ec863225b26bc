//! `pickfix fix` and the options that say which source may be read.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = "\
import pickle
import threading


class Box:
    def __init__(self):
        self.lock = threading.Lock()


print(pickle.dumps(Box()))
";

/// A folder with a program and the log of its failure, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pickfix-fix-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        let folder = Self(path.canonicalize().unwrap());
        folder.write("a.py", PROGRAM);
        folder.write("job.log", &log("a.py"));
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn run(&self, words: &[&str]) -> Output {
        self.run_in(&self.0, words)
    }

    fn run_in(&self, folder: &Path, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pickfix"))
            .args(words)
            .current_dir(folder)
            .env("LC_ALL", "C.UTF-8")
            .env("XDG_CONFIG_HOME", self.0.join("config"))
            .env("XDG_STATE_HOME", self.0.join("state"))
            .output()
            .expect("it starts")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn log(file: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"{file}\", line 10, in <module>\n    \
         print(pickle.dumps(Box()))\nTypeError: cannot pickle '_thread.lock' object\n"
    )
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The path of the object that `check` reports; empty without one.
fn reported(folder: &Folder, words: &[&str]) -> String {
    let all = [&["check", "--format", "jsonl"], words].concat();
    let text = stdout(&folder.run(&all));
    let incident: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    incident["object"]["path"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn check_reads_source_only_where_it_is_told_to() {
    let folder = Folder::new("check");
    assert_eq!(reported(&folder, &["job.log"]), "");
    assert_eq!(
        reported(&folder, &["--source-root", ".", "job.log"]),
        "Box.lock"
    );
    assert_eq!(
        reported(&folder, &["--source-root", ".", "--no-source", "job.log"]),
        ""
    );
    folder.write("far.log", &log("/srv/app/a.py"));
    assert_eq!(reported(&folder, &["--source-root", ".", "far.log"]), "");
    let mapped = ["--source-root", "/srv/app=.", "far.log"];
    assert_eq!(reported(&folder, &mapped), "Box.lock");
    // `/srv/application` is not below `/srv/app`.
    folder.write("near.log", &log("/srv/application/a.py"));
    let mapped = ["--source-root", "/srv/app=.", "near.log"];
    assert_eq!(reported(&folder, &mapped), "");
}

#[test]
fn the_filter_reads_below_the_current_folder_alone() {
    let folder = Folder::new("filter");
    let found = stdout(&folder.run(&["job.log"]));
    assert!(found.contains("object  Box.lock"), "{found}");
    let not_read = stdout(&folder.run(&["--no-source", "job.log"]));
    assert!(not_read.contains("[unpicklable-lock]") && !not_read.contains("Box.lock"));
    // The script lies above: it is no `<module>` frame of a script of the user's here.
    folder.write("sub/job.log", &log("../a.py"));
    let above = stdout(&folder.run_in(&folder.0.join("sub"), &["job.log"]));
    assert!(above.contains("[unpicklable-lock]"), "{above}");
}

#[test]
fn a_change_is_written_and_the_file_kept_as_it_was() {
    let folder = Folder::new("apply");
    fs::set_permissions(folder.0.join("a.py"), fs::Permissions::from_mode(0o750)).unwrap();
    let diff = stdout(&folder.run(&["fix", "job.log"]));
    assert!(diff.starts_with("--- a/a.py\n+++ b/a.py\n@@ "), "{diff}");
    assert_eq!(folder.text("a.py"), PROGRAM);
    let done = folder.run(&["fix", "--apply", "job.log"]);
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(
        folder
            .text("a.py")
            .contains("    def __setstate__(self, state):")
    );
    assert_eq!(folder.text("a.py.orig"), PROGRAM);
    let mode = fs::metadata(folder.0.join("a.py"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o750);
    // The line that the log quotes has moved: nothing is said of the file any more.
    let again = folder.run(&["fix", "--apply", "job.log"]);
    assert_eq!(again.status.code(), Some(1), "{}", stderr(&again));
    assert_eq!(folder.text("a.py.orig"), PROGRAM);
}

#[test]
fn a_change_of_a_file_that_has_changed_since_is_refused() {
    let folder = Folder::new("since");
    folder.run(&["job.log"]);
    let since = PROGRAM.replace("class Box:", "class Box:  # mine");
    folder.write("a.py", &since);
    let refused = folder.run(&["fix", "--apply"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("a.py: has changed since the failure"));
    assert_eq!(folder.text("a.py"), since);
    assert!(!folder.0.join("a.py.orig").exists());
}

#[test]
fn a_link_that_was_laid_meanwhile_is_not_written_through() {
    let folder = Folder::new("link");
    folder.run(&["job.log"]);
    folder.write("outside.txt", PROGRAM);
    fs::remove_file(folder.0.join("a.py")).unwrap();
    symlink(folder.0.join("outside.txt"), folder.0.join("a.py")).unwrap();
    let refused = folder.run(&["fix", "--apply"]);
    assert!(!refused.status.success());
    assert_eq!(folder.text("outside.txt"), PROGRAM);
    fs::remove_file(folder.0.join("a.py")).unwrap();
    folder.write("a.py", PROGRAM);
    symlink(
        folder.0.join("outside.txt"),
        folder.0.join("a.py.pickfix-new"),
    )
    .unwrap();
    let _ = folder.run(&["fix", "--apply"]);
    assert_eq!(folder.text("outside.txt"), PROGRAM);
}

#[test]
fn all_files_are_changed_or_none() {
    let folder = Folder::new("all");
    folder.write("b.py", PROGRAM);
    let both = log("a.py") + "done\n" + &log("b.py");
    folder.write("job.log", &both);
    fs::set_permissions(folder.0.join("b.py"), fs::Permissions::from_mode(0o444)).unwrap();
    let refused = folder.run(&["fix", "--apply", "job.log"]);
    assert_eq!(refused.status.code(), Some(2), "{}", stderr(&refused));
    assert!(stderr(&refused).contains("b.py: may not be written"));
    assert_eq!(folder.text("a.py"), PROGRAM);
    assert!(!folder.0.join("a.py.orig").exists());
}

#[test]
fn only_the_failures_that_are_asked_for() {
    let folder = Folder::new("id");
    let other = folder.run(&["fix", "--id", "unpicklable-file", "job.log"]);
    assert_eq!(other.status.code(), Some(1));
    let listed = stdout(&folder.run(&["fix", "--list", "job.log"]));
    assert_eq!(listed, "unpicklable-lock  a.py:10  changes a.py\n");
}

/// In a file without imports both stand at its beginning.
#[test]
fn an_import_goes_above_the_function_that_needs_it() {
    let folder = Folder::new("import");
    let program = "\
def make(sep):
    def parse(line):
        return line.split(sep)
    return parse
";
    folder.write("a.py", program);
    let main =
        "import multiprocessing as mp\nimport a\nprint(mp.Pool(2).map(a.make(','), ['x']))\n";
    folder.write("main.py", main);
    let log = "\
Traceback (most recent call last):
  File \"main.py\", line 3, in <module>
    print(mp.Pool(2).map(a.make(','), ['x']))
  File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 540, in _handle_tasks
    put(task)
  File \"/usr/lib/python3.11/multiprocessing/connection.py\", line 206, in send
    self._send_bytes(_ForkingPickler.dumps(obj))
AttributeError: Can't pickle local object 'make.<locals>.parse'
";
    folder.write("job.log", log);
    let shown = stdout(&folder.run(&["fix", "job.log"]));
    let diff: Vec<&str> = shown.lines().filter(|l| l.starts_with('+')).collect();
    assert_eq!(diff.get(1), Some(&"+import functools"), "{shown}");
}
