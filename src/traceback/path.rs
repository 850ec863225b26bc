//! The path of a frame: whose file it is, of which Python, on which system.

mod standard;

use std::fmt;

use memchr::memchr2_iter;

use standard::{is_library_folder, is_standard};

/// Short forms that py-spy and warnings print: the module's file alone.
const ALONE: [&str; 7] = [
    "threading.py",
    "queue.py",
    "selectors.py",
    "socket.py",
    "pickle.py",
    "copy.py",
    "runpy.py",
];

/// Installed packages that show even where no site-packages stands in the path.
const PACKAGES: [&str; 14] = [
    "torch",
    "joblib",
    "ray",
    "pyspark",
    "py4j",
    "multiprocess",
    "loky",
    "cloudpickle",
    "dill",
    "IPython",
    "ipykernel",
    "pytorch_lightning",
    "billiard",
    "PyInstaller",
];

/// Packages whose names the user's own folders may have: known only where packages are installed,
/// or at the start of a path that is shown from there on.
const COMMON_NAMES: [&str; 2] = ["dask", "distributed"];

/// How the names of cells begin that are written as those of files: IPython's before 8, Databricks'.
pub(crate) const CELLS: [&str; 2] = ["<ipython-input", "<command-"];

/// What the names of cells hold that Visual Studio Code writes, before the cell's number.
pub(crate) const NOTEBOOK_CELL: &str = ".ipynb Cell ";

/// What compiled code ends in, as in `py-spy dump --native`: `libgomp.so.1`, `selectmodule.c`.
const NATIVE: [&str; 13] = [
    ".so", ".dylib", ".dll", ".pyd", ".c", ".h", ".cc", ".cpp", ".cu", ".rs", ".pyx", ".pxd",
    ".pxi",
];

/// What Cython before 3 calls the code that it makes: `File "stringsource", line 2, in …`.
const CYTHON_MADE: &str = "stringsource";

/// The path of a frame as printed, and whose file it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SourcePath {
    text: String,
    owner: Owner,
}

/// Whose file a frame is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Owner {
    /// The user.
    User,
    /// The user, in a cell of a notebook.
    Cell,
    /// The standard library.
    Stdlib,
    /// An installed package: its name where pickfix knows it, else empty.
    Package(&'static str),
    /// Compiled code.
    Native,
    /// Nobody: `<string>`, `<frozen runpy>`.
    #[default]
    Nobody,
}

impl SourcePath {
    /// Takes a path as printed; one that `repr` wrote, `C:\\\\work\\\\x.py`, as it was before.
    pub fn new(text: &str) -> Self {
        let text = if text.as_bytes().get(1..4) == Some(b":\\\\") {
            text.replace("\\\\", "\\")
        } else {
            text.to_owned()
        };
        Self {
            owner: owner(&text),
            text,
        }
    }

    /// Takes the path of a frame in this function. Cython compiles files of Python, too, and names a
    /// function with its module: `File "src/gevent/greenlet.py", line 906, in
    /// gevent._gevent_cgreenlet.Greenlet.run`.
    pub(crate) fn of_frame(text: &str, function: &str) -> Self {
        let mut path = Self::new(text);
        if path.owner == Owner::User
            && let Some((package, inner)) = function.split_once('.')
            && inner.contains('.')
            && text.split(['/', '\\']).any(|part| part == package)
        {
            path.owner = Owner::Native;
        }
        path
    }

    /// Returns the path as printed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text to be cut for its length; whose file it is stays as it was.
    pub(crate) fn text_mut(&mut self) -> &mut String {
        &mut self.text
    }

    /// Returns its last component.
    pub(crate) fn file_name(&self) -> &str {
        file_name(&self.text)
    }

    /// Returns whose file it is.
    pub fn owner(&self) -> Owner {
        self.owner
    }

    /// Returns whether it is a file that the user can change.
    pub(crate) fn is_users(&self) -> bool {
        matches!(self.owner, Owner::User | Owner::Cell)
    }

    /// Returns whether it is a file of the standard library or of an installed package.
    pub(crate) fn is_library(&self) -> bool {
        matches!(self.owner, Owner::Stdlib | Owner::Package(_))
    }

    /// Returns whether it ends in these components, `\` read as `/`; every path ends in none. With a `/`
    /// at their end they are those of the file's folder.
    pub(crate) fn ends(&self, end: &str) -> bool {
        let name = if end.ends_with('/') {
            self.file_name().len()
        } else {
            0
        };
        let path = &self.text.as_bytes()[..self.text.len() - name];
        let Some(before) = path.len().checked_sub(end.len()) else {
            return false;
        };
        let (before, own) = path.split_at(before);
        let same = |(a, b): (&u8, &u8)| a == b || *a == b'\\' && *b == b'/';
        // Few ends are as long as whole components are, and that is found out first.
        (end.is_empty() || before.last().is_none_or(|b| matches!(b, b'/' | b'\\')))
            && own.iter().zip(end.as_bytes()).all(same)
    }

    /// Returns the version of Python that the path names: `/usr/lib/python3.11/…`,
    /// `…\Python311\lib\…`, `/versions/3.8.18/`.
    pub(crate) fn python(&self) -> Option<(u8, u8)> {
        let text = &self.text;
        let behind = |at: usize, name: &str| {
            let rest = text.get(at..).filter(|rest| starts_with(rest, name))?;
            version_at(&rest[name.len()..])
        };
        // Their second letters: of the first ones a path has many.
        let places = |small, large| {
            let seconds = memchr2_iter(small, large, text.as_bytes());
            seconds.filter_map(|at| at.checked_sub(1))
        };
        let python = places(b'y', b'Y').find_map(|at| behind(at, "python"));
        python.or_else(|| places(b'v', b'V').find_map(|at| behind(at, "/versions/")))
    }
}

impl fmt::Display for SourcePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<&str> for SourcePath {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

fn owner(path: &str) -> Owner {
    let is_cell = CELLS.iter().any(|start| path.starts_with(start))
        || path.starts_with("Cell In")
        || path.starts_with("Input In")
        || !path.ends_with(".py") && path.contains(NOTEBOOK_CELL)
        || is_cell_file(path);
    if is_cell {
        return Owner::Cell;
    }
    if let Some(library) = library(path) {
        return library;
    }
    let is_native = || {
        let name = file_name(path);
        name.contains(".so.") || NATIVE.iter().any(|end| name.ends_with(end))
    };
    if path.is_empty() || path.starts_with(['<', '(']) || path == CYTHON_MADE {
        Owner::Nobody
    } else if !path.ends_with(".py") && is_native() {
        Owner::Native
    } else {
        Owner::User
    }
}

/// Returns whether a path is a cell's file, `/tmp/ipykernel_77/12.py`, at Databricks
/// `/root/.ipykernel/77/command-1-2`; `ipykernel_launcher.py` is none.
fn is_cell_file(path: &str) -> bool {
    const FOLDER: &str = "ipykernel_";
    path.starts_with("/root/.ipykernel/")
        || path.contains(FOLDER)
            && path.match_indices(FOLDER).any(|(at, _)| {
                let behind = path.as_bytes().get(at + FOLDER.len());
                behind.is_some_and(u8::is_ascii_digit)
            })
}

/// Returns whether a folder is not the package of its name but Ray's own `/tmp/ray/session_…`, which
/// holds the program's code.
fn is_session(folder: &str, below: &str) -> bool {
    folder == "ray" && below.starts_with("session_")
}

/// Finds the library that a path lies in, going through its folders once.
fn library(path: &str) -> Option<Owner> {
    let is = |folder: &str, name: &str| folder.eq_ignore_ascii_case(name);
    if is_standard(path) {
        return Some(Owner::Stdlib);
    }
    let mut found = None;
    let (mut above, mut rest, mut depth) = ("", path, 0);
    while let Some((folder, below)) = split_folder(rest) {
        // `pymodules` is what Debian had before `dist-packages`.
        let installed = ["site-packages", "dist-packages", "pymodules"]
            .iter()
            .any(|name| is(folder, name))
            || folder.ends_with(".egg");
        let is_root = || depth == 0 || ends_with(above, "-packages");
        let named = |names: &[&'static str]| names.iter().copied().find(|name| *name == folder);
        let known = named(&PACKAGES).or_else(|| named(&COMMON_NAMES).filter(|_| is_root()));
        if let Some(name) = known
            && !is_session(folder, below)
        {
            return Some(Owner::Package(name));
        }
        // Their images run these from a checkout: `/sgl-workspace/sglang/python/sglang/srt/…`,
        // `/usr/src/homeassistant/homeassistant/…`.
        match (above, folder) {
            ("sglang", "srt") => return Some(Owner::Package("sglang")),
            ("homeassistant", "homeassistant") => return Some(Owner::Package("")),
            _ => {}
        }
        if installed {
            found = Some(Owner::Package(""));
        } else if found.is_none() && is_library_folder(path, folder, above, below, depth) {
            found = Some(Owner::Stdlib);
        }
        (above, rest, depth) = (folder, below, depth + 1);
    }
    // In `app.dist` Nuitka puts the standard library beside the program.
    if (depth == 0 || ends_with(above, ".dist")) && ALONE.iter().any(|name| is(rest, name)) {
        return Some(Owner::Stdlib);
    }
    // A launcher: `/home/user/venv/bin/torchrun`, `C:\venv\Scripts\torchrun.exe\__main__.py`.
    let is_launcher = || {
        !path.ends_with(".py") && path.split(['/', '\\']).skip(1).any(|f| is(f, "bin"))
            || ends_with(above, ".exe") && rest == "__main__.py"
    };
    found.or_else(|| is_launcher().then_some(Owner::Package("")))
}

/// Takes the first folder off a path.
fn split_folder(path: &str) -> Option<(&str, &str)> {
    // Folders have short names: to look at each byte takes less than to prepare a search.
    let at = path.bytes().position(|b| matches!(b, b'/' | b'\\'))?;
    Some((&path[..at], &path[at + 1..]))
}

/// Returns the last component of a path.
fn file_name(path: &str) -> &str {
    let at = path.bytes().rposition(|b| matches!(b, b'/' | b'\\'));
    at.map_or(path, |at| &path[at + 1..])
}

fn starts_with(text: &str, start: &str) -> bool {
    let own = text.as_bytes().get(..start.len());
    own.is_some_and(|own| own.eq_ignore_ascii_case(start.as_bytes()))
}

fn ends_with(text: &str, end: &str) -> bool {
    let at = text.len().checked_sub(end.len());
    at.is_some_and(|at| text.as_bytes()[at..].eq_ignore_ascii_case(end.as_bytes()))
}

/// `3.11`, `311`, `2.7`, `38-32`.
fn version_at(text: &str) -> Option<(u8, u8)> {
    let major = text.bytes().next().filter(|b| matches!(b, b'2' | b'3'))? - b'0';
    let rest = &text[1..];
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let minor: u8 = rest.get(..digits)?.parse().ok()?;
    ((1..=2).contains(&digits) && minor < 30).then_some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_paths() {
        for (file, version) in [
            ("/usr/lib/python3.14/multiprocessing/process.py", (3, 14)),
            (
                "C:\\Users\\me\\AppData\\Local\\Programs\\Python\\Python311\\lib\\copy.py",
                (3, 11),
            ),
            ("/home/user/.pyenv/versions/3.8.18/lib/x.py", (3, 8)),
            ("/usr/lib/python2.7/pickle.py", (2, 7)),
        ] {
            assert_eq!(SourcePath::new(file).python(), Some(version), "{file}");
        }
        assert_eq!(SourcePath::new("/home/user/python/train.py").python(), None);
    }

    #[test]
    fn the_owner_of_a_file_is_told_by_its_path() {
        let owners: [(Owner, &[&str]); 10] = [
            (
                Owner::Stdlib,
                &[
                    "/usr/lib/python3.14/multiprocessing/process.py",
                    "C:\\Users\\me\\anaconda3\\lib\\multiprocessing\\spawn.py",
                    "/usr/lib/python3.8/concurrent/futures/process.py",
                    "concurrent\\futures\\process.py",
                    "D:\\Anaconda3\\envs\\mm\\lib\\os.py",
                    "C:\\Python39\\lib\\signal.py",
                    "C:\\\\Python39\\\\lib\\\\signal.py",
                    "c:\\programdata\\miniconda3\\lib\\socketserver.py",
                    "D:\\Python\\lib\\logging\\handlers.py",
                    "C:\\Users\\me\\.conda\\envs\\mm\\lib\\types.py",
                    "C:\\uv\\python\\cpython-3.11.13-windows-x86_64-none\\Lib\\types.py",
                    "D:\\WPy64\\python-3.7.4.amd64\\lib\\types.py",
                    "E:\\ComfyUI\\python_embeded\\Lib\\types.py",
                    "python311.zip\\copyreg.py",
                    "threading.py",
                    "C:\\tools\\app.dist\\pickle.py",
                ],
            ),
            (
                Owner::User,
                &[
                    "/yarn/job_python.zip/tools/copyreg.py",
                    "D:\\work\\lib\\types.py",
                    "C:\\work\\pythonic\\lib\\data.py",
                    "D:\\work\\lib\\data.py",
                    "/home/user/project/lib/queue.py",
                    "C:\\tools\\app.dist\\runner.py",
                    "/sgl-workspace/sglang/examples/run.py",
                    "/config/custom_components/homeassistant/a.py",
                    "/home/user/project/train.py",
                    "train.py",
                    "C:\\work\\train.py",
                    "/home/me/datasets/coco.py",
                    "/home/me/dask/train.py",
                    "/tmp/ray/session_2024-05-03_18-47-21_547848_55/runtime_resources/working_dir_files/_ray_pkg_1f/train.py",
                ],
            ),
            (
                Owner::Package(""),
                &[
                    "/home/user/venv/lib/python3.11/site-packages/x/y.py",
                    "/usr/lib/pymodules/python2.6/django/db/models/base.py",
                    "/usr/src/homeassistant/homeassistant/core.py",
                    "/srv/eggs/celery-3.1-py2.7.egg/celery/app.py",
                    "/home/user/venv/bin/torchrun",
                    "C:\\venv\\Scripts\\accelerate.EXE\\__main__.py",
                    "/opt/venv/lib/python3.11/site-packages/ipykernel_launcher.py",
                ],
            ),
            (
                Owner::Package("dask"),
                &["/opt/venv/lib/python3.11/site-packages/dask/base.py"],
            ),
            (
                Owner::Package("torch"),
                &["torch/utils/data/_utils/worker.py"],
            ),
            (
                Owner::Package("sglang"),
                &["/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py"],
            ),
            (
                Owner::Native,
                &[
                    "_torch_library.pyx",
                    "zmq/backend/cython/checkrc.pxd",
                    "libgomp.so.1",
                ],
            ),
            (
                Owner::Nobody,
                &["stringsource", "<string>", "<frozen runpy>", ""],
            ),
            (
                Owner::Cell,
                &[
                    "<ipython-input-3-0a>",
                    "/tmp/ipykernel_77/12.py",
                    "c:\\work\\fit.ipynb Cell 29",
                    "<command-1776681754735778>",
                    "/root/.ipykernel/1122/command-3427-99",
                ],
            ),
            (
                Owner::Package("py4j"),
                &["/opt/spark/python/lib/py4j-0.10.9-src.zip/py4j/protocol.py"],
            ),
        ];
        for (owner, files) in owners {
            for file in files {
                assert_eq!(SourcePath::new(file).owner(), owner, "{file}");
            }
        }
    }

    #[test]
    fn what_cython_compiled_is_not_the_users() {
        for (file, function, owner) in [
            (
                "zmq/backend/cython/_zmq.py",
                "zmq.backend.cython._zmq.Socket.bind",
                Owner::Native,
            ),
            (
                "src/gevent/greenlet.py",
                "gevent._gevent_cgreenlet.Greenlet.run",
                Owner::Native,
            ),
            (
                "zmq\\backend\\cython\\_zmq.py",
                "zmq.backend.cython._zmq.Socket.bind",
                Owner::Native,
            ),
            ("zmq/serve.py", "main", Owner::User),
            ("server/serve.py", "server.run", Owner::User),
        ] {
            let path = SourcePath::of_frame(file, function);
            assert_eq!(path.owner(), owner, "{file}");
        }
    }

    #[test]
    fn a_path_ends_in_whole_components() {
        let path = SourcePath::new("C:\\Python\\lib\\multiprocessing\\queues.py");
        assert!(path.ends("multiprocessing/queues.py") && path.ends("queues.py") && path.ends(""));
        assert!(!path.ends("processing/queues.py") && !path.ends("ues.py"));
    }
}
