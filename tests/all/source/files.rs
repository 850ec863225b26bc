//! Which files are read, and what is no source.

use super::*;

#[test]
fn a_file_below_the_root() {
    let object = named_of(PROGRAM, &failure("a.py")).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Box.lock", 7));
    assert_eq!(object.certainty, Certainty::Certain);
    let new = patched(PROGRAM, &object).unwrap();
    let change = object.change.unwrap();
    assert_has(&change.code, "self.lock = threading.Lock()");
    assert_has(
        &new,
        "    def __getstate__(self):\n        state = self.__dict__.copy()",
    );
}

#[test]
fn a_file_that_has_changed_says_nothing() {
    let moved = PROGRAM.replace("import pickle\n", "import pickle\n\n");
    assert_eq!(named_of(&moved, &failure("a.py")), None);
}

#[test]
fn paths_that_lead_out_of_the_root() {
    let folder = Folder::new("out");
    let outside = folder.write("outside/a.py", PROGRAM);
    folder.write("root/b.py", "");
    let sources = folder.sources("root");
    for file in [
        "../outside/a.py",
        "sub/../../outside/a.py",
        outside.to_str().unwrap(),
    ] {
        assert_eq!(named(&sources, &failure(file)), None, "{file}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(&outside, folder.0.join("root/link.py")).unwrap();
        symlink(folder.0.join("outside"), folder.0.join("root/folder")).unwrap();
        for file in ["link.py", "folder/a.py"] {
            assert_eq!(named(&sources, &failure(file)), None, "{file}");
        }
    }
}

#[test]
fn things_that_are_no_source_files() {
    let folder = Folder::new("strange");
    folder.write("root/a.txt", PROGRAM);
    folder.write("root/nul.py", &format!("{PROGRAM}\0"));
    folder.write(
        "root/huge.py",
        &format!("{PROGRAM}{}", "# long\n".repeat(400_000)),
    );
    fs::create_dir_all(folder.0.join("root/folder.py")).unwrap();
    let sources = folder.sources("root");
    let mut files = vec![
        "a.txt",
        "nul.py",
        "huge.py",
        "folder.py",
        "missing.py",
        "/dev/zero",
        "/proc/self/environ",
    ];
    #[cfg(unix)]
    {
        let fifo = folder.0.join("root/fifo.py");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.unwrap().success());
        files.push("fifo.py");
    }
    for file in files {
        assert_eq!(named(&sources, &failure(file)), None, "{file}");
    }
}

#[test]
fn sources_that_cannot_be_parsed_well() {
    let folder = Folder::new("broken");
    let half = format!("{PROGRAM}\n\ndef unfinished(:\n    x = (1,\n");
    folder.write("root/half.py", &half);
    folder.write(
        "root/deep.py",
        &format!(
            "{PROGRAM}x = {}{}\n",
            "[".repeat(20_000),
            "]".repeat(20_000)
        ),
    );
    fs::write(
        folder.0.join("root/latin.py"),
        [PROGRAM.as_bytes(), b"# caf\xe9\n"].concat(),
    )
    .unwrap();
    let sources = folder.sources("root");
    for file in ["half.py", "deep.py", "latin.py"] {
        let object = named(&sources, &failure(file));
        assert!(object.is_none_or(|o| o.path == "Box.lock"), "{file}");
    }
}

#[test]
fn classes_that_go_in_circles() {
    let text = "\
import pickle
import threading
class A(B): pass
class B(A):
    def __init__(self, other=None):
        self.other = other or B(self)
        self.me = self.me
        self.lock = threading.Lock()
x = y
y = x
print(pickle.dumps(B(x)))
";
    let failure = failure("a.py")
        .replace("line 10", "line 11")
        .replace("Box()", "B(x)");
    let object = named_of(text, &failure);
    assert!(object.is_none_or(|o| o.line == 8));
}

#[test]
fn packages_that_import_from_themselves() {
    let folder = Folder::new("imports");
    folder.write("root/shop/__init__.py", "from . import stock, prices\n");
    folder.write("root/shop/stock.py", "from .prices import lock\n");
    folder.write("root/shop/prices.py", "from .stock import lock\n");
    let text = PROGRAM
        .replace("import pickle\n", "import pickle, shop.stock as stock\n")
        .replace("threading.Lock()", "stock.lock or threading.Lock()");
    folder.write("root/a.py", &text);
    let object = named(&folder.sources("root"), &failure("a.py")).unwrap();
    assert_eq!((object.path.as_str(), object.line), ("Box.lock", 7));
}
