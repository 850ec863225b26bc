//! What is opened and what is written: no log is destroyed, nothing waits for a FIFO, and no name
//! reaches a terminal as it is.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use crate::process::{SIGINT, ended_by, folder, pickfix, signal, stderr};

const FAILURE: &str = "Traceback (most recent call last):\n  File \"/a/t.py\", line 3, in f\n    g()\nTypeError: cannot pickle '_thread.lock' object\n";

/// A rule that is right, but for its name perhaps.
const RULE: &str = "title = 'a'\ncause = 'b'\nlinks = []\n[[match]]\nexception = 'MyError'\nmessage = 'x'\n[[fix]]\ntext = 't'\n";

/// A name with all that a terminal or a CI job would obey.
const HOSTILE: &str = "x\u{1b}]0;pwned\u{7}\u{9b}2J\n  ::error::pwned\n::error::pwned\u{202e}";

/// Runs it on an input, in a folder; it must end soon.
fn run(folder: &Path, words: &[&OsStr], input: &str) -> Output {
    let mut command = pickfix();
    command
        .args(words)
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .stdin(std::process::Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // It may end without reading.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes());
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let read = |from: &mut dyn std::io::Read| {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("it writes");
        bytes
    };
    let (stdout, stderr) = thread::scope(|scope| {
        let stdout = scope.spawn(|| read(&mut out));
        let stderr = scope.spawn(|| read(&mut err));
        ended_by(&mut child);
        (stdout.join().unwrap(), stderr.join().unwrap())
    });
    Output {
        status: child.wait().expect("it has ended"),
        stdout,
        stderr,
    }
}

/// Runs it until it has complained, and for some looks more.
fn follow(folder: &Path, words: &[&OsStr]) -> Output {
    let mut child = pickfix()
        .args(words)
        .current_dir(folder)
        .spawn()
        .expect("it starts");
    let mut said = [0];
    let mut err = child.stderr.take().expect("a pipe");
    std::io::Read::read_exact(&mut err, &mut said).expect("it complains");
    thread::sleep(Duration::from_millis(600));
    signal(&child, SIGINT);
    assert_eq!(ended_by(&mut child), Some(SIGINT));
    let mut stderr = said.to_vec();
    std::io::Read::read_to_end(&mut err, &mut stderr).expect("it has ended");
    Output {
        stderr,
        ..child.wait_with_output().expect("it has ended")
    }
}

fn words(line: &str) -> Vec<&OsStr> {
    line.split_whitespace().map(OsStr::new).collect()
}

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo is there").success());
}

#[test]
fn a_report_onto_what_is_read_is_refused() {
    let folder = folder("report-input");
    fs::create_dir(folder.join("logs")).unwrap();
    fs::write(folder.join("logs/a.log"), FAILURE).unwrap();
    fs::hard_link(folder.join("logs/a.log"), folder.join("hard")).unwrap();
    symlink("logs/a.log", folder.join("soft")).unwrap();
    for line in [
        "--report logs/a.log logs/a.log",
        "--report hard logs/a.log",
        "--report soft logs/a.log",
        "check --report logs/a.log logs/a.log",
        "check --report hard logs/a.log",
        "check --report soft logs/a.log",
        "check --report logs/a.log logs",
        "check --follow --report hard logs/a.log",
    ] {
        let output = run(&folder, &words(line), "");
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert_eq!(
            stderr(&output).lines().count(),
            1,
            "{line}: {}",
            stderr(&output)
        );
        let log = fs::read_to_string(folder.join("logs/a.log")).unwrap();
        assert_eq!(log, FAILURE, "{line}");
    }
    // What a report was before may be one again, also among the logs.
    for _ in 0..2 {
        let output = run(&folder, &words("check --report logs/report.jsonl logs"), "");
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    }
}

#[test]
fn a_report_onto_a_stream_is_refused() {
    let folder = folder("report-stream");
    fs::write(folder.join("in.log"), FAILURE).unwrap();
    let open = |name: &str| {
        let mut options = fs::OpenOptions::new();
        options.read(true).append(true).create(true);
        options.open(folder.join(name)).unwrap()
    };
    for (command, report) in [("", "in.log"), ("", "out.log"), ("check -", "out.log")] {
        let output = pickfix()
            .args(command.split_whitespace())
            .args(["--report", report])
            .current_dir(&folder)
            .stdin(open("in.log"))
            .stdout(open("out.log"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{command} {report}");
        assert!(stderr(&output).contains("is the input or the output too"));
        assert_eq!(fs::read_to_string(folder.join("in.log")).unwrap(), FAILURE);
        assert_eq!(fs::read_to_string(folder.join("out.log")).unwrap(), "");
    }
}

#[test]
fn the_state_of_a_run_is_not_kept_in_what_it_writes() {
    let folder = folder("state-output");
    fs::create_dir(folder.join("pickfix")).unwrap();
    let state = folder.join("pickfix/last.jsonl");
    let mut child = pickfix()
        .env("XDG_STATE_HOME", &folder)
        .stdin(std::process::Stdio::piped())
        .stdout(fs::File::create(&state).unwrap())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(FAILURE.as_bytes()).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let kept = fs::read_to_string(&state).unwrap();
    assert!(kept.starts_with(FAILURE), "{kept}");
}

#[test]
fn what_is_no_regular_file_is_not_opened() {
    let folder = folder("irregular");
    for name in ["rules", "zero", "deep"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fifo(&folder.join("report"));
    fifo(&folder.join("rules/a-fifo.toml"));
    symlink("/dev/zero", folder.join("zero/a-device.toml")).unwrap();
    fs::write(folder.join("deep/pickfix.toml"), "report = 'fifo'\n").unwrap();
    fifo(&folder.join("deep/fifo"));
    fs::create_dir(folder.join("project")).unwrap();
    fifo(&folder.join("project/pyproject.toml"));
    fs::write(folder.join("a.log"), FAILURE).unwrap();
    for (place, line, status, message) in [
        (".", "--report report", 2, "report: is no regular file"),
        (
            ".",
            "--report /dev/zero",
            2,
            "/dev/zero: is no regular file",
        ),
        (
            ".",
            "check --report report a.log",
            2,
            "report: is no regular file",
        ),
        ("deep", "", 0, "warning: "),
        (".", "--rules rules", 0, "warning: "),
        (".", "--rules zero", 0, "warning: "),
        (
            ".",
            "--rules rules check a.log",
            2,
            "options stand behind it",
        ),
        (".", "check --rules rules a.log", 1, "warning: "),
        (".", "rules test rules", 2, "is no regular file"),
        (".", "fix report", 2, "report: is no regular file"),
        ("project", "", 0, ""),
    ] {
        let output = run(&folder.join(place), &words(line), FAILURE);
        let said = stderr(&output) + &String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(message), "{line}: {said}");
        assert_eq!(output.status.code(), Some(status), "{line}: {said}");
        if status == 0 {
            assert!(said.contains("cannot pickle"), "{line}: {said}");
        }
    }
}

#[test]
fn a_log_that_is_followed_must_be_a_file() {
    let folder = folder("follow-fifo");
    fifo(&folder.join("log"));
    let output = follow(&folder, &words("check --follow log"));
    assert_eq!(
        stderr(&output),
        "pickfix: log: is no regular file; --follow is for files\n"
    );
}

/// Asserts that nothing of a text moves the cursor, hides, or begins a line but pickfix itself.
fn assert_harmless(text: &str, what: &str) {
    for line in text.split_terminator('\n') {
        assert!(line.starts_with("pickfix: "), "{what}: {text:?}");
        assert!(
            !line.chars().any(pickfix::visible::is_hidden),
            "{what}: {text:?}"
        );
    }
}

#[test]
fn no_name_reaches_standard_error_as_it_is() {
    let folder = folder("names");
    let named = |end: &str| folder.join(format!("{HOSTILE}{end}"));
    fs::write(named(".gz"), b"\x1f\x8b\x08bad").unwrap();
    fs::write(named(".toml"), RULE).unwrap();
    fs::create_dir(named("")).unwrap();
    let hostile = OsStr::new(HOSTILE);
    let (gz, toml) = (named(".gz"), named(".toml"));
    let check = OsStr::new("check");
    for words in [
        vec![check, gz.as_os_str()],
        vec![check, OsStr::new(".")],
        vec![check, OsStr::new("nothing\n  ::error::pwned")],
        vec![
            check,
            OsStr::new("--glob"),
            OsStr::new("[\n  ::error::pwned"),
            OsStr::new("."),
        ],
        vec![check, OsStr::new("--follow"), hostile],
        vec![OsStr::new("nothing\n::error::pwned")],
        vec![OsStr::new("--select"), hostile],
        vec![
            OsStr::new("--rules"),
            OsStr::new("nothing\n  ::error::pwned"),
        ],
        vec![OsStr::new("--rules"), OsStr::new(".")],
        vec![OsStr::new("--report"), OsStr::new("no/\n  ::error::pwned")],
        vec![OsStr::new("--report"), hostile],
        vec![OsStr::new("--width"), OsStr::new("\n  ::error::pwned")],
        vec![OsStr::new("rules"), OsStr::new("test"), toml.as_os_str()],
        vec![OsStr::new("rules"), OsStr::new("new"), hostile],
        vec![
            OsStr::new("explain"),
            OsStr::new("zzz\n  ::error::pwned\u{1b}"),
        ],
        vec![OsStr::new("fix"), hostile],
    ] {
        let what = format!("{words:?}");
        let follows = words.contains(&OsStr::new("--follow"));
        let output = if follows {
            follow(&folder, &words)
        } else {
            run(&folder, &words, "")
        };
        let own_lines = [
            "\n  tip: ",
            "\n  [possible values: ",
            "\n  for all options: ",
        ];
        let mut said = stderr(&output);
        for line in own_lines {
            said = said.replace(line, " ");
        }
        assert!(!said.is_empty() || !output.stdout.is_empty(), "{what}");
        assert_harmless(&said, &what);
        let printed = String::from_utf8_lossy(&output.stdout);
        let is_hidden = |c: char| c != '\n' && pickfix::visible::is_hidden(c);
        assert!(!printed.contains(is_hidden), "{what}: {printed:?}");
        assert!(
            !printed
                .lines()
                .any(|l| l.trim_start().starts_with("::error::")),
            "{what}: {printed}"
        );
    }
}

#[test]
fn no_name_of_a_log_reaches_a_report_as_it_is() {
    let folder = folder("log-names");
    let log = folder.join(format!("{HOSTILE}.log"));
    let check = OsStr::new("check");
    fs::write(&log, FAILURE).unwrap();
    for format in ["text", "github", "gnu", "json", "jsonl", "sarif", "html"] {
        let words = [
            check,
            log.as_os_str(),
            OsStr::new("--format"),
            OsStr::new(format),
        ];
        let printed = String::from_utf8(run(&folder, &words, "").stdout).unwrap();
        let is_hidden = |c: char| c != '\n' && pickfix::visible::is_hidden(c);
        assert!(!printed.contains(is_hidden), "{format}: {printed:?}");
        assert!(!printed.contains("\n::error::pwned"), "{format}: {printed}");
        assert!(
            !printed.contains("\n  ::error::pwned"),
            "{format}: {printed}"
        );
    }
}

#[test]
fn no_key_and_no_folder_of_settings_reaches_a_terminal_as_it_is() {
    let folder = folder("setting-names").join(HOSTILE);
    fs::create_dir(&folder).unwrap();
    let key: String = HOSTILE
        .chars()
        .map(|c| match u32::from(c) {
            code if pickfix::visible::is_hidden(c) => format!("\\u{code:04x}"),
            _ => c.to_string(),
        })
        .collect();
    fs::write(folder.join("pickfix.toml"), format!("\"{key}\" = 1\n")).unwrap();
    let output = run(&folder, &[], "text\n");
    assert_harmless(&stderr(&output), "the settings' folder and a key");
    assert!(stderr(&output).contains("unknown key"));
    let output = run(&folder, &[OsStr::new("--show-config")], "");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(!printed.contains(|c: char| c != '\n' && pickfix::visible::is_hidden(c)));
    assert!(
        !printed
            .lines()
            .any(|l| l.trim_start().starts_with("::error::")),
        "{printed}"
    );
}

#[test]
fn a_rule_has_a_name_that_can_be_shown() {
    let folder = folder("rule-names");
    for (name, is_one) in [
        ("my-error", true),
        ("my-error2", true),
        ("My-error", false),
        ("my error", false),
        ("my\u{1b}[2J\nerror", false),
        ("▎", false),
    ] {
        let rules = folder.join("rules");
        let _ = fs::remove_dir_all(&rules);
        fs::create_dir(&rules).unwrap();
        fs::write(rules.join(format!("{name}.toml")), RULE).unwrap();
        let log = FAILURE.replace(
            "TypeError: cannot pickle '_thread.lock' object",
            "MyError: x",
        );
        let output = run(&folder, &words("--rules rules"), &log);
        let text = String::from_utf8(output.stdout.clone()).unwrap();
        let is_told = text.contains(&format!("[{name}]"));
        assert_eq!(is_told, is_one, "{name}: {text}");
        assert_eq!(stderr(&output).contains("kebab-case"), !is_one, "{name}");
    }
}
