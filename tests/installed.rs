//! The search in the source over every module that is installed: no panic, and its changes parse.

mod common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::panic;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use common::CORPUS;
use pickfix::object::{Edit, Object};
use pickfix::source::{Root, Sources};
use pickfix::traceback::read;

/// What panicked, and where.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// How long it may take: `PICKFIX_SECONDS`, else 20.
fn limit() -> Duration {
    let seconds = std::env::var("PICKFIX_SECONDS").ok();
    Duration::from_secs(seconds.and_then(|s| s.parse().ok()).unwrap_or(20))
}

/// The Python whose modules are read: `PICKFIX_PYTHON`, else `python3`.
fn python() -> Command {
    let name = std::env::var("PICKFIX_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(name);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source/plant.py"));
    command
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sources(local: &Path) -> Sources {
    let root = Root {
        local: local.to_path_buf(),
        recorded: None,
    };
    Sources::new(vec![root], local.to_path_buf()).patient()
}

fn object(sources: &Sources, file: &str, line: u32, source: &str) -> Option<Object> {
    let text = format!(
        "Traceback (most recent call last):\n  File \"{file}\", line {line}, in <module>\n    \
         {source}\nTypeError: cannot pickle '_thread.lock' object\n"
    );
    read(text.as_bytes()).iter().find_map(|traceback| {
        let failures = CORPUS.diagnose(traceback);
        failures.iter().find_map(|failure| {
            let raised = failure.diagnosis.as_ref()?.exception;
            sources.object(traceback, raised, &failure.facts)
        })
    })
}

/// Every module is parsed where it lies; a lock that is planted in copies of their classes is named
/// or not, never another object; and each change gives a file that Python reads.
#[test]
#[ignore = "reads all installed modules, for 20 seconds"]
fn modules_that_are_installed() {
    let folder = std::env::temp_dir().join(format!("pickfix-installed-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let folder = Folder(folder.canonicalize().unwrap());
    panic::set_hook(Box::new(|info| {
        PANICS.lock().unwrap().push(info.to_string());
    }));
    let start = Instant::now();
    let seconds = limit().as_secs().to_string();
    let mut plant = python();
    plant.arg("plant").arg(&folder.0).arg(&seconds);
    let Ok(mut child) = plant.stdout(Stdio::piped()).spawn() else {
        eprintln!("SKIPPED: there is no Python here");
        return;
    };
    let (mut modules, mut planted, mut named, mut changed) = (0, 0, 0, 0);
    let (mut wrong, mut slowest) = (Vec::new(), Duration::ZERO);
    let copies = sources(&folder.0);
    let written = BufReader::new(child.stdout.take().unwrap());
    for line in written.split(b'\n').map(Result::unwrap) {
        if start.elapsed() > limit() {
            break;
        }
        let line = String::from_utf8_lossy(&line).into_owned();
        let parts: Vec<&str> = line.split('\t').collect();
        match parts.as_slice() {
            ["module", path] => {
                modules += 1;
                let above = Path::new(path).parent().unwrap();
                // The quoted line is not there: it is parsed, and nothing is said of it.
                assert_eq!(object(&sources(above), path, 1, "no such line"), None);
            }
            ["planted", file, number, source] => {
                planted += 1;
                let asked = Instant::now();
                let found = object(&copies, file, number.parse().unwrap(), source);
                slowest = slowest.max(asked.elapsed());
                let Some(found) = found else { continue };
                let all = std::iter::once(&found).chain(&found.others);
                // A base class may hold a lock of its own: `class Monitor(Thread)`.
                let is_right = |o: &Object| {
                    o.source.contains("planted_lock") || o.source.starts_with("class ")
                };
                if !all.clone().any(is_right) {
                    wrong.push(format!(
                        "{file}: {}:{} {}",
                        found.file, found.line, found.source
                    ));
                }
                named += 1;
                if let Some(patch) = found.change.and_then(|c| c.patch) {
                    changed += 1;
                    let old = fs::read_to_string(&patch.path).unwrap();
                    let new = Edit::all(&old, &patch.edits).unwrap();
                    let lines = |text: &str, end: &str| text.matches(end).count();
                    if lines(&old, "\r\n") == lines(&old, "\n") {
                        assert_eq!(lines(&new, "\r\n"), lines(&new, "\n"), "{file}");
                    }
                    fs::write(folder.0.join(file).with_extension("new.py"), new).unwrap();
                }
            }
            _ => {}
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    let _ = panic::take_hook();
    let checked = python().arg("check").arg(&folder.0).output().unwrap();
    eprintln!(
        "{modules} modules, {planted} planted, {named} named, {changed} changed in {:?}; the slowest took {slowest:?}",
        start.elapsed()
    );
    if modules < 500 {
        eprintln!("SKIPPED: few modules are installed here");
    }
    assert_eq!(*PANICS.lock().unwrap(), Vec::<String>::new());
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(String::from_utf8_lossy(&checked.stdout), "");
    assert!(checked.status.success());
}

/// Sources hold the words of failures, in doc strings, comments and tests; none of them is one.
#[test]
#[ignore = "reads all installed sources"]
fn sources_that_are_installed_hold_no_failure() {
    const FOLDERS: &str = "import sysconfig; paths = sysconfig.get_paths(); \
                           print(paths['stdlib'], paths['purelib'], sep='\\n')";
    let name = std::env::var("PICKFIX_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let Ok(told) = Command::new(&name).args(["-c", FOLDERS]).output() else {
        println!("SKIPPED: no {name} here");
        return;
    };
    let folders = String::from_utf8(told.stdout).expect("paths are UTF-8 here");
    assert_eq!(folders.lines().count(), 2, "{folders}");
    for folder in folders.lines() {
        let check = Command::new(env!("CARGO_BIN_EXE_pickfix"))
            .args([
                "check",
                "--no-source",
                "--glob",
                "*.py",
                "--format",
                "jsonl",
            ])
            .args(["--exit-zero", folder])
            .output()
            .expect("the program runs");
        let found = String::from_utf8_lossy(&check.stdout);
        assert_eq!(found, "", "alarms below {folder}");
    }
}
