//! The probe: a small module that the program's Pythons load, by a folder in their `PYTHONPATH`.
//!
//! The folder is the user's alone, and is gone when the command has ended; that of a pickfix that was
//! killed goes when the next one starts. Into it the module writes what it finds, so that nothing of the
//! program's output changes.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, geteuid, kill_process};

use super::files::ProcessFiles;
use crate::signals::{is_in, mask};
use crate::traceback::notes::Probed;

/// The module: what each Python loads, and what it loads in turn when it is needed.
const FILES: [(&str, &str); 4] = [
    ("sitecustomize.py", include_str!("probe/sitecustomize.py")),
    ("_pickfix_probe.py", include_str!("probe/_pickfix_probe.py")),
    ("_pickfix_path.py", include_str!("probe/_pickfix_path.py")),
    (
        "_pickfix_find.py",
        include_str!("../../corpus/finder/find_unpicklable.py"),
    ),
];
/// Where it writes what it finds, and the stacks of a process.
const FOUND: &str = "found";
const STACKS: &str = "stacks";
/// What it leaves where it was loaded.
const LOADED: &str = "loaded";
/// What the name of its folder begins with.
const NAME: &str = "pickfix-probe-";
/// How often a name is tried for the folder.
const TRIES: u32 = 100;
/// A folder that nobody has locked is left over when it is as old as this: locking comes after making.
const LEFT_OVER: Duration = Duration::from_secs(60);
/// How many entries of the folder for temporary files are looked at for such.
const MAX_ENTRIES: usize = 20_000;

/// The folder of the probe; it goes when this does.
pub(crate) struct Probe {
    folder: PathBuf,
    /// The folder itself, locked: the system lets go of the lock however this process ends.
    _lock: Option<File>,
}

impl Probe {
    /// Writes the module; `has_stacks` if it is to tell where a process hangs.
    ///
    /// # Errors
    /// Where there is no folder for temporary files that can be written to.
    pub(crate) fn new(has_stacks: bool) -> io::Result<Self> {
        remove_left_over(&std::env::temp_dir());
        let folder = private_folder()?;
        let probe = Self {
            _lock: locked(&folder),
            folder,
        };
        for (name, text) in FILES {
            fs::write(probe.folder.join(name), text)?;
        }
        fs::create_dir(probe.folder.join(FOUND))?;
        if has_stacks {
            fs::create_dir(probe.folder.join(STACKS))?;
        }
        Ok(probe)
    }

    /// Returns what it finds.
    pub(crate) fn probed(&self) -> Probed {
        Probed::new(self.folder.join(FOUND))
    }

    /// Returns whether a Python has loaded it.
    pub(crate) fn is_loaded(&self) -> bool {
        self.folder.join(LOADED).exists()
    }

    /// Returns where the stacks are.
    pub(super) fn stacks(&self) -> StackFiles {
        StackFiles(self.folder.join(STACKS))
    }

    /// Lets the Pythons of a command load it.
    pub(super) fn load_in(&self, command: &mut Command) {
        let mut path = OsString::from(&self.folder);
        // An empty path would be the current folder.
        if let Some(old) = std::env::var_os("PYTHONPATH").filter(|old| !old.is_empty()) {
            path.push(":");
            path.push(old);
        }
        command.env("PYTHONPATH", path);
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Locks a folder; `None` where somebody else has.
fn locked(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

/// Removes the folders of those that were killed and could not.
fn remove_left_over(base: &Path) {
    let entries = fs::read_dir(base).into_iter().flatten().flatten();
    for entry in entries.take(MAX_ENTRIES) {
        if !entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(NAME.as_bytes())
        {
            continue;
        }
        let Ok(found) = fs::symlink_metadata(entry.path()) else {
            continue;
        };
        let age = found.modified().ok().and_then(|time| time.elapsed().ok());
        let is_ours = found.is_dir() && found.uid() == geteuid().as_raw();
        if is_ours && age.is_some_and(|age| age >= LEFT_OVER) && locked(&entry.path()).is_some() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Makes a folder that nobody else may look into.
fn private_folder() -> io::Result<PathBuf> {
    let base = std::env::temp_dir();
    let id = std::process::id();
    for _ in 0..TRIES {
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let time = time.map_or(0, |time| time.subsec_nanos());
        let folder = base.join(format!("{NAME}{id}-{time:x}"));
        // What is there already is somebody else's.
        match DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| folder),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// The longest that a process may take for its stacks.
const STACK_TIME: Duration = Duration::from_millis(500);
/// How often it is looked whether they are there, and how long nothing is added to what is complete.
const STACK_LOOK: Duration = Duration::from_millis(20);
/// The most that is read of them, in bytes.
const MAX_STACKS: u64 = 256 * 1024;

/// The files that processes write their stacks into.
#[derive(Debug)]
pub(super) struct StackFiles(PathBuf);

impl StackFiles {
    /// Asks a process for its stacks; `None` where it has not loaded the probe.
    pub(super) fn of(&self, pid: i32) -> Option<Vec<String>> {
        let path = self.0.join(pid.to_string());
        let mut file = File::open(&path).ok()?;
        let before = file.metadata().ok()?.len();
        // Another program, which took the process over, or one that closed all its files, does not have
        // it open.
        if !(ProcessFiles::of(pid).have(&path) && catches(pid, Signal::URG)) {
            return None;
        }
        kill_process(Pid::from_raw(pid)?, Signal::URG).ok()?;
        let start = Instant::now();
        let mut length = before;
        loop {
            sleep(STACK_LOOK);
            let now = file.metadata().ok()?.len();
            if now > before && now == length || start.elapsed() > STACK_TIME {
                break;
            }
            length = now;
        }
        file.seek(SeekFrom::Start(before)).ok()?;
        let mut text = Vec::new();
        file.take(MAX_STACKS).read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text);
        Some(text.lines().map(str::to_owned).collect())
    }
}

/// Returns whether a process has a handler for a signal.
fn catches(pid: i32, signal: Signal) -> bool {
    is_in(mask(&pid.to_string(), "SigCgt:"), signal.as_raw())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn its_folder_is_private_and_goes_with_it() {
        let probe = Probe::new(true).unwrap();
        let folder = probe.folder.clone();
        let mode = fs::metadata(&folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert!(!probe.is_loaded() && folder.join("stacks").is_dir());
        drop(probe);
        assert!(!folder.exists());
    }

    #[test]
    fn what_a_killed_one_left_goes_and_what_is_in_use_stays() {
        let base = std::env::temp_dir().join(format!("pickfix-left-{}", std::process::id()));
        let old = SystemTime::now() - 2 * LEFT_OVER;
        let folder = |name: &str, time| {
            let folder = base.join(name);
            fs::create_dir_all(folder.join("found")).unwrap();
            File::open(&folder).unwrap().set_modified(time).unwrap();
            folder
        };
        let left = folder("pickfix-probe-1-a", old);
        let used = folder("pickfix-probe-2-b", old);
        let lock = locked(&used);
        let young = folder("pickfix-probe-3-c", SystemTime::now());
        let other = folder("another", old);
        remove_left_over(&base);
        assert!(!left.exists());
        assert!(lock.is_some() && used.exists() && young.exists() && other.exists());
        fs::remove_dir_all(base).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_who_waits_for_the_signal_is_asked() {
        let own = std::process::id().cast_signed();
        assert!(!catches(own, Signal::URG));
        let folder = std::env::temp_dir().join(format!("pickfix-stacks-{own}"));
        fs::create_dir_all(&folder).unwrap();
        let file = File::create(folder.join(own.to_string())).unwrap();
        assert!(ProcessFiles::of(own).have(folder.join(own.to_string())));
        assert_eq!(StackFiles(folder.clone()).of(own), None);
        drop(file);
        fs::remove_dir_all(folder).unwrap();
    }
}
