//! Which paths are those of the standard library.

use super::{ends_with, split_folder, starts_with};

/// Folders of the standard library that failures of processes pass through.
const STANDARD_FOLDERS: [&str; 3] = ["multiprocessing", "asyncio", "importlib"];

/// Files of the standard library that failures of processes pass through.
const STANDARD_FILES: [&str; 9] = [
    "threading.py",
    "pickle.py",
    "copy.py",
    "runpy.py",
    "contextlib.py",
    "socket.py",
    "selectors.py",
    "subprocess.py",
    "traceback.py",
];

/// Further modules of the standard library in the folder `Lib` of Python for Windows, which the path of
/// no other system has; without those whose names a program's own files have: `code`, `test`, `token`.
const WINDOWS_MODULES: &str = "_bootlocale _collections_abc _pyio _strptime _weakrefset abc argparse ast base64 \
    bdb bz2 cProfile codecs collections configparser contextvars copyreg csv ctypes dataclasses datetime \
    decimal distutils email encodings enum fractions ftplib functools genericpath getpass glob gzip hashlib \
    heapq hmac html http imaplib imp inspect io ipaddress json linecache locale logging lzma mimetypes \
    ntpath optparse os pathlib pdb pkgutil posixpath pprint queue random re reprlib runpy sched shelve \
    shlex shutil signal smtplib socketserver sqlite3 sre_compile sre_parse ssl struct sysconfig tarfile \
    tempfile textwrap timeit tkinter typing unittest urllib uuid venv warnings weakref webbrowser wsgiref \
    xml xmlrpc zipfile zipimport zoneinfo";

/// How the folder begins that Python for Windows is installed in, its version behind: `Python39`,
/// `python-3.7.4.amd64`.
const WINDOWS_ROOTS: [&str; 5] = ["python", "anaconda", "miniconda", "miniforge", "mambaforge"];

/// The same of what is installed by uv, by the Store, and beside a program.
const NAMED_ROOTS: [&str; 3] = ["cpython-", "PythonSoftwareFoundation.", "python_embed"];

/// Folders whose folders are Pythons: conda's, and those of pyenv.
const FOLDERS_OF_ROOTS: [&str; 2] = ["envs", "versions"];

/// Returns whether what lies in a folder is the standard library: `…/lib/python3.8/…`,
/// `C:/…/lib/multiprocessing/…`, `…/python38.zip/…`, `…/concurrent/futures/…`.
pub(super) fn is_library_folder(
    path: &str,
    folder: &str,
    above: &str,
    below: &str,
    depth: usize,
) -> bool {
    let is = |name: &str| folder.eq_ignore_ascii_case(name);
    let holds_python = || {
        let inner = split_folder(below);
        inner.is_some_and(|(next, _)| starts_with(next, "python"))
    };
    let is_windows = || {
        let before = path.len() - below.len() - folder.len() - 1;
        depth > 0
            && path.contains('\\')
            && (is_windows_module(below) || is_windows_root(&path[..before - 1]))
    };
    depth > 0 && (is("lib") && is_standard(below) || (is("lib") || is("lib64")) && holds_python())
        || is("lib") && is_windows()
        || ends_with(folder, "multiprocessing")
        || is("futures") && ends_with(above, "concurrent")
        || is_standard_zip(folder)
}

/// Returns whether a file holds the standard library, as Python without an installation has it: `python38.zip`.
fn is_standard_zip(name: &str) -> bool {
    let version = name
        .strip_prefix("python")
        .and_then(|v| v.strip_suffix(".zip"));
    version.is_some_and(|v| !v.is_empty() && v.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns whether what is below `Lib` of Python for Windows is a module of the standard library.
fn is_windows_module(below: &str) -> bool {
    let name = split_folder(below).map(|(package, _)| package);
    let name = name.or_else(|| below.strip_suffix(".py"));
    let is = |name: &str| {
        WINDOWS_MODULES
            .split(' ')
            .any(|m| m.eq_ignore_ascii_case(name))
    };
    name.is_some_and(is)
}

/// Returns whether Python for Windows is installed in a folder.
fn is_windows_root(folder: &str) -> bool {
    let mut names = folder.rsplit(['/', '\\']);
    let (root, above) = (
        names.next().unwrap_or_default(),
        names.next().unwrap_or_default(),
    );
    let name_behind = |name: &&str| starts_with(root, name).then(|| &root[name.len()..]);
    let version = WINDOWS_ROOTS.iter().find_map(name_behind);
    let is_version = |v: &str| v.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    version.is_some_and(is_version)
        || NAMED_ROOTS.iter().any(|name| starts_with(root, name))
        || FOLDERS_OF_ROOTS
            .iter()
            .any(|name| above.eq_ignore_ascii_case(name))
}

/// Returns whether a path from the library's folder on is one of the standard library.
pub(super) fn is_standard(path: &str) -> bool {
    let Some((folder, below)) = split_folder(path) else {
        return STANDARD_FILES.iter().any(|name| starts_with(path, name));
    };
    let is = |name: &str| folder.eq_ignore_ascii_case(name);
    STANDARD_FOLDERS.iter().any(|name| is(name))
        || is("logging") && starts_with(below, "__init__.py")
        || is("concurrent") && starts_with(&below.replace('\\', "/"), "futures/")
}
