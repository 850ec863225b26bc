//! What comments and docstrings say, which does nothing.

use super::*;

/// What is searched for in programs, and more is done with it where it is code.
const WORDS: &str = "setattr(x) __dict__ vars( nonlocal fork 'fork' \"fork\" set_start_method( \
                     .terminate() print( wait( .start() initializer getattr( lambda yield seek( \
                     next( super( global open( reset self wait_for( exec( globals( __getstate__";

/// Returns a program with a comment at the end, and behind each line that begins a function and is not in a
/// traceback, about all that is searched for and all its functions.
fn noted(program: &str, traceback: &str) -> String {
    let defs = program.lines().filter_map(|line| {
        let name = line.trim_start().strip_prefix("def ")?.split('(').next()?;
        Some(format!(" {name} {name}()"))
    });
    let note = format!("  # {WORDS}{}\n", defs.collect::<String>());
    let is_head = |line: &str| {
        let line = line.trim();
        line.starts_with("def ") && line.ends_with("):") && !traceback.contains(line)
    };
    let lines = program.lines().map(|line| {
        let end = if is_head(line) { &*note } else { "\n" };
        format!("{line}{end}")
    });
    lines.collect::<String>() + note.trim_start()
}

/// Each program of one file finds the same, and the same change, with comments.
#[test]
fn comments_change_nothing() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/source");
    let folder = Folder::new("notes");
    let mut different = Vec::new();
    for entry in fs::read_dir(here.join("tracebacks")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let file = format!("{name}.py");
        let Ok(program) = fs::read_to_string(here.join("programs").join(&file)) else {
            continue;
        };
        let text = fs::read_to_string(&path).unwrap();
        let found = |program: &str| {
            folder.write(&format!("{name}/{file}"), program);
            let root = Root {
                local: folder.0.join(&name),
                recorded: Some("/project".to_owned()),
            };
            let object = named(&Sources::new(vec![root], folder.0.join(&name)), &text)?;
            let change = object.change;
            let is_written = change.as_ref().is_some_and(|c| c.patch.is_some());
            Some((object.path, object.line, change.map(|c| c.text), is_written))
        };
        if found(&program) != found(&noted(&program, &text)) {
            different.push(name);
        }
    }
    assert_eq!(different, Vec::<String>::new());
}

/// The docstring of a script may name the functions that it speaks of.
#[test]
fn a_docstring_calls_nothing() {
    let text = super::globals::unset("a.py")
        .replace("line 3", "line 4")
        .replace("line 7", "line 11");
    let program = "\"\"\"Sets the rate in load(), and converts.\"\"\"\nimport multiprocessing as mp\n\
                   def convert(x):\n    return x * RATE\ndef load():\n    global RATE; RATE = 3\n\
                   if __name__ == \"__main__\":\n    load()\n    mp.set_start_method(\"spawn\")\n    \
                   with mp.Pool(2) as pool:\n        print(pool.map(convert, [1, 2]))\n";
    let found = named_in(&Folder::new("docstring"), program, &text);
    assert_eq!(found, Some(("RATE".to_owned(), 6)));
}
