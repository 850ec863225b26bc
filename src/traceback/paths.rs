//! What the path of a frame tells: whose file it is, of which Python, on which system.

use std::borrow::Cow;

use super::Frame;

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
const PACKAGES: [&str; 12] = [
    "torch",
    "joblib",
    "ray",
    "pyspark",
    "multiprocess",
    "loky",
    "cloudpickle",
    "dill",
    "IPython",
    "ipykernel",
    "pytorch_lightning",
    "billiard",
];

/// Whether a frame is in a file of the user's own.
pub(super) fn is_users(frame: &Frame) -> bool {
    let file = frame.file.as_str();
    if is_cell(file) {
        return true;
    }
    !file.is_empty()
        && !file.starts_with(['<', '('])
        && !file.ends_with(".pyx")
        && !file.ends_with(".pxi")
        && !is_native(file)
        && !is_library(file)
}

/// Whether a file is compiled, as in `py-spy dump --native`: `libgomp.so.1`, `selectmodule.c`.
fn is_native(file: &str) -> bool {
    let name = parts(file).next_back().unwrap_or(file);
    let ends = [
        ".so", ".dylib", ".dll", ".pyd", ".c", ".h", ".cc", ".cpp", ".cu", ".rs",
    ];
    name.contains(".so.") || ends.iter().any(|end| name.ends_with(end))
}

/// Whether a file is a cell of a notebook.
pub(super) fn is_cell(file: &str) -> bool {
    file.starts_with("<ipython-input")
        || file.starts_with("Cell In")
        || file.starts_with("Input In")
        || file.contains("ipykernel_")
}

/// Whether a file lies in the standard library or in an installed package.
pub(super) fn is_library(file: &str) -> bool {
    let lower = if file.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(file.to_ascii_lowercase())
    } else {
        Cow::Borrowed(file)
    };
    let parts: Vec<&str> = parts(&lower).collect();
    let Some((name, folders)) = parts.split_last() else {
        return false;
    };
    let is_in = |folder: &str| folders.contains(&folder);
    let is_in_lib = |(at, part): (usize, &&str)| {
        let below = &parts[at + 1..];
        // `/usr/lib/python3.11/…`, `…/lib/python3.8/…`, `C:/…/lib/multiprocessing/…`,
        // `…/python38.zip/…`.
        let has_python = below.len() >= 2 && below[0].starts_with("python");
        at > 0
            && (*part == "lib" && is_standard(below)
                || matches!(*part, "lib" | "lib64") && has_python)
    };
    is_in("site-packages")
        || is_in("dist-packages")
        || folders.iter().enumerate().any(is_in_lib)
        || is_standard(&parts)
        || folders.iter().any(|part| part.ends_with("multiprocessing"))
        || folders
            .windows(2)
            .any(|pair| pair[0].ends_with("concurrent") && pair[1] == "futures")
        || folders.is_empty() && ALONE.contains(name)
        || self::folders(file).any(|folder| PACKAGES.contains(&folder))
        // A launcher: `/home/user/venv/bin/torchrun`.
        || folders.iter().skip(1).any(|part| *part == "bin") && !file.ends_with(".py")
}

/// Whether a path from the library's folder on is one of the standard library.
fn is_standard(parts: &[&str]) -> bool {
    match parts {
        [file] => STANDARD_FILES.iter().any(|name| file.starts_with(name)),
        ["concurrent", "futures", _, ..] => true,
        ["logging", file, ..] => file.starts_with("__init__.py"),
        [folder, ..] => STANDARD_FOLDERS.contains(folder),
        [] => false,
    }
}

/// Gives the folders and the file of a path.
fn parts(file: &str) -> impl DoubleEndedIterator<Item = &str> {
    file.split(['/', '\\'])
}

/// Gives the folders of a path.
pub(super) fn folders(file: &str) -> impl Iterator<Item = &str> {
    let mut parts = parts(file);
    parts.next_back();
    parts
}

/// Whether a path ends in these components, `\\` read as `/`.
pub(super) fn ends(file: &str, end: &str) -> bool {
    let Some(before) = file.len().checked_sub(end.len()) else {
        return false;
    };
    let bytes = file.as_bytes();
    let same = bytes[before..]
        .iter()
        .zip(end.as_bytes())
        .all(|(a, b)| a == b || (*a == b'\\' && *b == b'/'));
    same && (before == 0
        || matches!(bytes[before - 1], b'/' | b'\\')
        || !end.contains('/') && end.starts_with("popen"))
}

/// Reads the version out of a path: `/usr/lib/python3.11/…`, `…\\Python311\\lib\\…`, `/versions/3.8.18/`.
pub(super) fn python_of(file: &str) -> Option<(u8, u8)> {
    const NAME: &[u8] = b"python";
    let behind_name = |(at, bytes): (usize, &[u8])| {
        let is_name = bytes.eq_ignore_ascii_case(NAME);
        is_name.then(|| version_at(&file[at + NAME.len()..]))?
    };
    let mut places = (0..).zip(file.as_bytes().windows(NAME.len()));
    places.find_map(behind_name).or_else(|| {
        let mut rest = file.split("/versions/").skip(1);
        rest.find_map(version_at)
    })
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

    fn frame(file: &str) -> Frame {
        Frame {
            file: file.to_owned(),
            ..Frame::default()
        }
    }

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
            assert_eq!(python_of(file), Some(version), "{file}");
        }
        assert_eq!(python_of("/home/user/python/train.py"), None);
    }

    #[test]
    fn library_files_are_told_from_the_users() {
        for file in [
            "/usr/lib/python3.14/multiprocessing/process.py",
            "C:\\Users\\me\\anaconda3\\lib\\multiprocessing\\spawn.py",
            "/home/user/venv/lib/python3.11/site-packages/x/y.py",
            "<string>",
            "<frozen runpy>",
            "/home/user/venv/bin/torchrun",
            "_torch_library.pyx",
        ] {
            assert!(!is_users(&frame(file)), "{file}");
        }
        for file in [
            "/home/user/project/train.py",
            "train.py",
            "C:\\work\\train.py",
            "<ipython-input-3-0a>",
            "/home/me/datasets/coco.py",
        ] {
            assert!(is_users(&frame(file)), "{file}");
        }
    }
}
