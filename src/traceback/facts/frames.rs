//! What the frames of a traceback show, in one pass over them.

use super::sender::Sender;
use super::writer::started_by;
use super::{Platform, StartMethod, Via};
use crate::traceback::{Exception, Frame, Owner, Traceback};

/// How Linux paths begin.
const LINUX: [&str; 10] = [
    "/home/",
    "/usr/lib/",
    "/usr/local/lib",
    "/opt/conda",
    "/root/",
    "/mnt/",
    "/content/",
    "/kaggle/",
    "/databricks/",
    "/tmp/ipykernel_",
];

/// The files of Spyder's and `PyCharm`'s consoles, which run a script by `runfile`, though in IPython.
const RUN_SCRIPTS: [&str; 6] = [
    "spyder_kernels/customize/code_runner.py",
    "spyder_kernels/customize/spydercustomize.py",
    "spyder_kernels/customize/utils.py",
    "spyder_kernels/py3compat.py",
    "spyder/utils/site/sitecustomize.py",
    "_pydev_bundle/pydev_umd.py",
];

/// What the frames show, with what the texts around them say about the same facts.
#[derive(Default)]
pub(super) struct Shown {
    pub(super) via: Option<Via>,
    pub(super) start_method: Option<StartMethod>,
    pub(super) platform: Option<Platform>,
    pub(super) python: Option<(u8, u8)>,
    pub(super) notebook: bool,
}

impl Shown {
    /// Reads all frames once.
    pub(super) fn by(traceback: &Traceback) -> Self {
        let mut shown = Self::default();
        let mut sender = Sender::default();
        for frame in traceback.frames() {
            sender.frame(frame);
            shown.notebook |= frame.path.owner() == Owner::Cell;
            shown.python = shown.python.or_else(|| frame.path.python());
            // Linux is what a path says that another one may say better.
            if matches!(shown.platform, None | Some(Platform::Linux)) {
                shown.platform = platform(frame.path.as_str()).or(shown.platform);
            }
        }
        shown.notebook = shown.notebook && !traceback.frames().any(runs_script);
        sender.texts(traceback);
        shown.via = sender.via();
        if traceback.first_lines().any(|m| m.starts_with("[WinError")) {
            shown.platform = Some(Platform::Windows);
        }
        // The notes of 3.14 tell the least version, where no path does.
        let mut notes = traceback.exceptions.iter().flat_map(|r| &r.notes);
        let is_noted = |note: &String| note.starts_with("when serializing ");
        shown.python = shown
            .python
            .or_else(|| notes.any(is_noted).then_some((3, 14)));
        let of_frames = traceback.exceptions.iter().flat_map(|r| &r.frames);
        let method = of_frames.filter_map(method).chain(started_by(traceback));
        let on_windows = shown.platform == Some(Platform::Windows);
        shown.start_method = method.chain(on_windows.then_some(StartMethod::Spawn)).max();
        shown
    }
}

/// Returns whether a frame runs a script in a console.
fn runs_script(frame: &Frame) -> bool {
    let source = frame.source.as_deref().unwrap_or_default();
    let call = source.trim_start_matches('%').strip_prefix("runfile");
    call.is_some_and(|rest| rest.starts_with(['(', ' ']))
        || RUN_SCRIPTS.iter().any(|file| frame.path.ends(file))
}

/// Returns the start method that a frame proves.
fn method(frame: &Frame) -> Option<StartMethod> {
    let path = &frame.path;
    // A page may have eaten the `\` before the name.
    let is = |name: &str| path.as_str().ends_with(name);
    if is("popen_forkserver.py") || path.ends("multiprocessing/forkserver.py") {
        Some(StartMethod::Forkserver)
    } else if is("popen_spawn_posix.py")
        || is("popen_spawn_win32.py")
        || path.ends("multiprocessing/spawn.py")
    {
        Some(StartMethod::Spawn)
    } else {
        // All start methods of POSIX wait there, but fork alone starts there.
        (is("popen_fork.py") && frame.is_of("_launch")).then_some(StartMethod::Fork)
    }
}

/// Returns the system that a path shows.
fn platform(path: &str) -> Option<Platform> {
    let is_drive =
        matches!(path.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    // A frozen program's paths are relative: `multiprocessing\spawn.py`.
    let has_backslashes = path.contains('\\') && !path.contains(['/', '<']);
    if is_drive || has_backslashes || path.ends_with("popen_spawn_win32.py") {
        return Some(Platform::Windows);
    }
    // `/mnt/c/Users/` is Linux, too.
    if LINUX.iter().any(|start| path.starts_with(start)) {
        return Some(Platform::Linux);
    }
    is_macos(path).then_some(Platform::Macos)
}

/// Returns whether a path has `/Users/`, `/Applications/`, `/opt/homebrew/`, `/var/folders/`,
/// `/Library/Frameworks/` or Homebrew's and Xcode's `/Python.framework/` in it.
fn is_macos(path: &str) -> bool {
    let Some((folders, _)) = path.rsplit_once('/') else {
        return false;
    };
    let mut above = "";
    folders.split('/').skip(1).any(|folder| {
        let is = match folder {
            "Users" | "Applications" | "Python.framework" | "Python3.framework" => true,
            "homebrew" => above == "opt",
            "folders" => above == "var",
            "Frameworks" => above == "Library",
            _ => false,
        };
        above = folder;
        is
    })
}

/// Finds the frame that the user can change: in the diagnosed exception, else in the outer ones.
pub(super) fn user_frame(traceback: &Traceback, raised: usize) -> Option<&Frame> {
    let mut order = vec![raised];
    // Those that hang on it, in turn.
    let mut at = 0;
    while at < order.len() {
        for (index, other) in traceback.exceptions.iter().enumerate() {
            if other.link.is_some_and(|(_, to)| to == order[at]) && !order.contains(&index) {
                order.push(index);
            }
        }
        if let Some((_, to)) = traceback.exceptions.get(order[at]).and_then(|r| r.link)
            && !order.contains(&to)
            && to < traceback.exceptions.len()
        {
            order.push(to);
        }
        at += 1;
    }
    order
        .iter()
        .filter_map(|&i| traceback.exceptions.get(i))
        .find_map(Exception::user_frame)
        .or_else(|| {
            let threads = || traceback.threads.iter().map(|t| t.frames.as_slice());
            let innermost = |frames: &'_ [Frame]| frames.iter().rposition(|f| f.path.is_users());
            // What crashed did so there, or in none of the user's lines.
            if let Some(current) = traceback.threads.iter().find(|t| t.is_current()) {
                return Some(&current.frames[innermost(&current.frames)?]);
            }
            // Where a worker stands tells more than where the main process waits for it.
            let in_worker = |frames: &[Frame]| {
                let at = frames.iter().rposition(|f| f.is_of("_worker_loop"))?;
                innermost(frames).filter(|user| *user > at)
            };
            let of_worker = threads().find_map(|frames| Some(&frames[in_worker(frames)?]));
            of_worker.or_else(|| threads().find_map(|frames| Some(&frames[innermost(frames)?])))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_shows_its_system() {
        for (path, shown) in [
            ("/home/me/train.py", Some(Platform::Linux)),
            ("/mnt/c/Users/me/train.py", Some(Platform::Linux)),
            ("/Users/me/train.py", Some(Platform::Macos)),
            (
                "/opt/homebrew/lib/python3.11/copy.py",
                Some(Platform::Macos),
            ),
            (
                "/usr/local/Cellar/python@3.12/3.12.4/Frameworks/Python.framework/Versions/3.12/lib/python3.12/copy.py",
                Some(Platform::Macos),
            ),
            ("C:\\Users\\me\\train.py", Some(Platform::Windows)),
            (
                "/var/folders/x2/T/ipykernel_311/1.py",
                Some(Platform::Macos),
            ),
            ("/tmp/ipykernel_311/1.py", Some(Platform::Linux)),
            ("multiprocessing\\spawn.py", Some(Platform::Windows)),
            ("train.py", None),
        ] {
            assert_eq!(platform(path), shown, "{path}");
        }
    }
}
