//! What the world puts in front of `check`: bombs, cut and damaged archives, endless lines, files
//! that change, odd names. It ends with the right result or a clear message, in little memory.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pickfix::render::report::ReportFormat;
use pickfix::visible::is_hidden;

use super::program::{LOCK, check, command, folder, pickfix, stderr, stdout, write};

/// A log of some size with a failure in its middle.
fn middle() -> Vec<u8> {
    let mut text = String::new();
    let mut number: u32 = 7;
    for line in 0..60_000 {
        if line == 20_000 {
            text += LOCK;
        }
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let _ = writeln!(text, "step {line} loss {number}");
    }
    text.into_bytes()
}

/// What `check --format gnu` says of `LOCK` in a file.
fn told(file: &str, line: u64) -> String {
    format!(
        "train.py:47: error: a lock cannot be copied or sent \
         [unpicklable-lock] ({file}:{line})\n"
    )
}

fn python(code: &str, folder: &Path) -> bool {
    let run = Command::new("python3")
        .args(["-c", code])
        .current_dir(folder)
        .status();
    let works = run.is_ok_and(|status| status.success());
    if !works {
        eprintln!("SKIPPED: no python3 that can do this: {code}");
    }
    works
}

/// Writes a log in all kinds of archives; gives their names.
fn archives(folder: &Path, text: &[u8]) -> Vec<&'static str> {
    let file = |name: &str| File::create(folder.join(name)).expect("it can be made");
    let mut gz = flate2::write::GzEncoder::new(file("log.gz"), flate2::Compression::fast());
    gz.write_all(text).expect("it can be written");
    gz.finish().expect("it can be written");
    let mut bz2 = bzip2::write::BzEncoder::new(file("log.bz2"), bzip2::Compression::fast());
    bz2.write_all(text).expect("it can be written");
    bz2.finish().expect("it can be written");
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    ruzstd::encoding::compress(text, file("log.zst"), level);
    fs::write(folder.join("log"), text).expect("it can be written");
    let mut names = vec!["log.gz", "log.bz2", "log.zst"];
    if python(
        "import lzma; lzma.open('log.xz', 'wb', preset=0).write(open('log', 'rb').read())",
        folder,
    ) {
        names.push("log.xz");
    }
    names
}

#[test]
fn of_a_cut_archive_all_that_is_there_is_read() {
    let folder = folder("hostile-cut");
    let line = 20_001;
    for name in archives(&folder, &middle()) {
        assert_eq!(check(&folder, &["--format", "gnu", name]), told(name, line));
        let whole = fs::read(folder.join(name)).expect("an archive");
        let cut = format!("cut-{name}");
        write(&folder, [(cut.as_str(), &whole[..whole.len() * 9 / 10])]);
        let output = pickfix(&folder, &["check", "--format", "gnu", &cut, "log"], b"");
        assert_eq!(output.status.code(), Some(2), "{cut}");
        assert_eq!(stdout(&output), told(&cut, line), "{cut}");
        let kind = match name {
            "log.gz" => "gzip",
            "log.bz2" => "bzip2",
            "log.zst" => "zstd",
            _ => "xz",
        };
        assert_eq!(
            stderr(&output),
            format!("pickfix: {cut}: the {kind} data end too early: what stands before was read\n")
        );
    }
}

#[test]
fn a_small_cut_archive_is_read_to_where_it_ends() {
    let folder = folder("hostile-cut-small");
    let mut text = format!("start\n{LOCK}");
    let mut number: u32 = 7;
    for step in 0..200 {
        number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let _ = writeln!(text, "step {step} loss {number}");
    }
    // The others decode whole blocks, of 100 KB and more.
    let names = archives(&folder, text.as_bytes());
    for name in names
        .into_iter()
        .filter(|n| matches!(*n, "log.gz" | "log.xz"))
    {
        let whole = fs::read(folder.join(name)).expect("an archive");
        let cut = format!("cut-{name}");
        write(&folder, [(cut.as_str(), &whole[..whole.len() * 6 / 10])]);
        let output = pickfix(&folder, &["check", "--format", "gnu", &cut], b"");
        assert_eq!(output.status.code(), Some(2), "{cut}");
        assert_eq!(stdout(&output), told(&cut, 2), "{}", stderr(&output));
        assert!(stderr(&output).contains("end too early"), "{cut}");
    }
}

#[test]
fn a_damaged_archive_is_named_and_the_others_are_read() {
    let folder = folder("hostile-damaged");
    for name in archives(&folder, &middle()) {
        let mut bytes = fs::read(folder.join(name)).expect("an archive");
        let at = bytes.len() * 3 / 4;
        bytes[at..at + 64].fill(0xa5);
        let bad = format!("bad-{name}");
        write(&folder, [(bad.as_str(), bytes)]);
        let output = pickfix(
            &folder,
            &["check", "--format", "gnu", &bad, "pickfix.toml"],
            b"",
        );
        assert_eq!(output.status.code(), Some(2), "{bad}");
        let said = stderr(&output);
        assert!(said.starts_with(&format!("pickfix: {bad}: ")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// Waits for a program; gives its status and the most memory that it took, in KiB.
#[cfg(target_os = "linux")]
fn watched(mut child: Child) -> (Option<i32>, u64) {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let now = line.and_then(|l| l.split_whitespace().next()?.parse().ok());
        peak = now.unwrap_or(peak);
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return (status.code(), peak);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(target_os = "linux")]
fn start(folder: &Path, words: &[&str]) -> Child {
    command(folder)
        .arg("check")
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

#[test]
#[cfg(target_os = "linux")]
fn bombs_and_endless_lines_take_little_memory() {
    const MEBIBYTE: usize = 1024 * 1024;
    let folder = folder("hostile-bomb");
    let zeros = vec![0; MEBIBYTE];
    let words: Vec<u8> = b"epoch 1 loss 0.25 "
        .iter()
        .copied()
        .cycle()
        .take(MEBIBYTE)
        .collect();
    let file = |name: &str| File::create(folder.join(name)).expect("it can be made");
    let mut gz = flate2::write::GzEncoder::new(file("bomb.gz"), flate2::Compression::fast());
    for _ in 0..128 {
        gz.write_all(&zeros).expect("it can be written");
    }
    gz.finish().expect("it can be written");
    assert!(fs::metadata(folder.join("bomb.gz")).is_ok_and(|s| s.len() < 2 << 20));
    // As long as a line of 1 GiB is to the memory that it might take.
    file("zeros.log").set_len(256 << 20).expect("a sparse file");
    let mut long = file("long.log");
    for _ in 0..192 {
        long.write_all(&words).expect("it can be written");
    }
    writeln!(long, "\n{LOCK}").expect("it can be written");
    for (name, status) in [("bomb.gz", 0), ("zeros.log", 0), ("long.log", 1)] {
        let (code, peak) = watched(start(&folder, &[name]));
        assert_eq!(code, Some(status), "{name}");
        assert!(peak < 64 * 1024, "{name}: {peak} KiB");
    }
    for name in ["bomb.gz", "zeros.log", "long.log"] {
        fs::remove_file(folder.join(name)).expect("it can be removed");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_log_that_shrinks_while_it_is_read_ends_where_it_ends() {
    let folder = folder("hostile-shrinks");
    let text: Vec<u8> = middle().repeat(24);
    let path = folder.join("log");
    for wait in [0, 1, 2, 4, 8] {
        fs::write(&path, &text).expect("it can be written");
        let child = start(&folder, &["log"]);
        std::thread::sleep(Duration::from_millis(wait * 3));
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_len(100_000))
            .expect("it can be cut");
        let (code, _) = watched(child);
        // What was read of it counts; that it got shorter is a fault only where it is noticed.
        assert!(matches!(code, Some(0..=2)), "{code:?}");
    }
}

#[test]
fn binary_files_are_read_only_if_they_are_named() {
    let folder = folder("hostile-binary");
    let binary = [
        b"\x7fELF\0\0\x01\0".as_slice(),
        &[0; 500],
        b"\n",
        LOCK.as_bytes(),
    ]
    .concat();
    write(
        &folder,
        [
            ("d/core.log", binary.as_slice()),
            ("d/a.log", LOCK.as_bytes()),
        ],
    );
    assert_eq!(
        check(&folder, &["--format", "gnu", "d"]),
        told("d/a.log", 1)
    );
    assert_eq!(
        check(&folder, &["--format", "gnu", "d/core.log"]),
        told("d/core.log", 2)
    );
}

#[test]
#[cfg(unix)]
fn links_that_go_round_end() {
    use std::os::unix::fs::symlink;
    let folder = folder("hostile-links");
    write(&folder, [("d/a/x.log", LOCK)]);
    let link = |to: &str, name: &str| symlink(to, folder.join(name)).expect("a link");
    link("..", "d/a/up");
    link("self", "d/self");
    link("a/x.log", "d/latest.log");
    link("/no/such/file", "d/dangling");
    assert_eq!(
        check(&folder, &["--format", "gnu", "d"]),
        told("d/a/x.log", 1)
    );
    link("d", "by-link");
    assert_eq!(
        check(&folder, &["--format", "gnu", "by-link"]),
        told("by-link/a/x.log", 1)
    );
    let output = pickfix(&folder, &["check", "d/self", "d/latest.log"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).starts_with("pickfix: d/self: Too many levels"),
        "{}",
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("log     d/latest.log:1"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_cannot_be_read_is_named_and_the_others_are_read() {
    let folder = folder("hostile-unreadable");
    write(
        &folder,
        [
            ("a.log", LOCK),
            ("z.log", "all is well\n"),
            ("sealed.log", LOCK),
        ],
    );
    let mut words = vec!["check", "--format", "gnu", "none.log", "a.log"];
    let mut faults = vec!["pickfix: none.log: No such file or directory"];
    #[cfg(target_os = "linux")]
    {
        // It can be opened, but not read from its start.
        words.push("/proc/self/mem");
        faults.push("pickfix: /proc/self/mem: Input/output error");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let sealed = folder.join("sealed.log");
        fs::set_permissions(&sealed, PermissionsExt::from_mode(0o000)).expect("a mode");
        if File::open(&sealed).is_err() {
            words.push("sealed.log");
            faults.push("pickfix: sealed.log: Permission denied");
        } else {
            eprintln!("SKIPPED: root may read all files");
        }
    }
    words.push("z.log");
    let output = pickfix(&folder, &words, b"");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output).lines().collect::<Vec<_>>(), faults);
    assert_eq!(stdout(&output), told("a.log", 1));
}

#[test]
#[cfg(unix)]
fn odd_names_are_read_and_shown_on_one_line() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder("hostile-names");
    let names = ["new\nline.log", "\u{1b}[31m.log", "-dash.log", "a b.log"];
    for (i, name) in names.iter().enumerate() {
        // A failure of its own each.
        let log = LOCK.replace("line 47", &format!("line {}", i + 1));
        fs::write(folder.join(name), log).expect("a file");
    }
    fs::write(folder.join(OsStr::from_bytes(b"bad\xff.log")), LOCK).expect("a file");
    let text = check(&folder, &["--format", "gnu", "."]);
    assert_eq!(text.lines().count(), 5, "{text}");
    for shown in [
        "(new line.log:1)",
        r"(\x1b[31m.log:1)",
        "(-dash.log:1)",
        "(bad\u{fffd}.log:1)",
    ] {
        assert!(text.contains(shown), "{shown} in {text}");
    }
    let jsonl = check(&folder, &["--format", "jsonl", "."]);
    assert!(jsonl.contains(r#""file":"new\nline.log""#), "{jsonl}");
    check(&folder, &["--format", "html", "."]);
    let named = check(
        &folder,
        &["--format", "gnu", "--", "-dash.log", "new\nline.log"],
    );
    assert_eq!(named.lines().count(), 2);
}

#[test]
#[cfg(unix)]
fn the_report_is_not_read_as_a_log() {
    let folder = folder("hostile-own-output");
    write(
        &folder,
        [("job.log", LOCK), ("report.txt", LOCK), ("found.jsonl", "")],
    );
    let run = |words: &[&str], to: &str| {
        let file = File::options()
            .append(true)
            .create(true)
            .open(folder.join(to));
        let mut child = command(&folder)
            .arg("check")
            .args(words)
            .stdout(file.expect("a file"))
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut said = String::new();
        let mut from = child.stderr.take().expect("a pipe");
        from.read_to_string(&mut said).expect("text");
        (child.wait().expect("it ends").code(), said)
    };
    let text = |name: &str| fs::read_to_string(folder.join(name)).expect("text");
    // The file holds a traceback, which a reader of it would tell of.
    assert_eq!(
        run(&["--format", "gnu", "."], "report.txt"),
        (Some(1), String::new())
    );
    assert_eq!(text("report.txt"), LOCK.to_owned() + &told("job.log", 1));
    let words = ["--format", "gnu", "job.log", "report.txt"];
    let (code, said) = run(&words, "report.txt");
    assert_eq!(code, Some(2));
    assert_eq!(said, "pickfix: report.txt: is where the report goes\n");
    fs::remove_file(folder.join("report.txt")).expect("it can be removed");
    run(
        &["--report", "found.jsonl", "--format", "gnu", "."],
        "again.txt",
    );
    assert_eq!(text("again.txt"), told("job.log", 1));
    assert_eq!(text("found.jsonl").lines().count(), 1);
}

#[test]
#[cfg(unix)]
fn a_pipe_in_a_folder_is_not_waited_for() {
    let folder: PathBuf = folder("hostile-pipe");
    write(&folder, [("d/a.log", LOCK)]);
    let made = Command::new("mkfifo").arg(folder.join("d/pipe")).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: no mkfifo here");
        return;
    }
    assert_eq!(
        check(&folder, &["--format", "gnu", "d"]),
        told("d/a.log", 1)
    );
}

/// Fails if a text holds a character that steers or hides others.
fn assert_visible(of: &str, text: &str) {
    let hidden = text.chars().find(|c| *c != '\n' && is_hidden(*c));
    assert_eq!(hidden, None, "{of}: {text}");
}

#[test]
#[cfg(unix)]
fn no_hidden_character_comes_through_in_any_form() {
    let folder = folder("hostile-hidden");
    let hidden = ('\u{1}'..=char::MAX).filter(|c| is_hidden(*c) && *c != '\n');
    let hidden: Vec<char> = hidden.collect();
    assert!(hidden.len() > 4000);
    let mut log = String::new();
    for (i, some) in hidden.chunks(40).enumerate() {
        let some: String = some.iter().collect();
        log += &LOCK
            .replace("train.py\", line 47", &format!("a{some}b.py\", line {i}"))
            .replace("in train", &format!("in train{some}"))
            .replace("for batch", &format!("for {some}batch"));
        let _ = writeln!(
            log,
            "Traceback (most recent call last):\n  File \"x.py\", line {i}, in f\n    g({some})\nOdd{some}: {some}"
        );
    }
    // Of each kind some, since a name has room for 255 bytes.
    let odd: String = "\u{1}\t\r\u{1b}\u{7f}\u{9b}\u{ad}\u{61c}\u{200b}\u{200d}\u{2028}\u{202e}\u{2060}\u{2066}\u{206a}\u{feff}\u{e0041}\n".into();
    let name = format!("a{odd}.log");
    let rule = format!("[[match]]\nmessage = 'x'\ntitle = 'a{}'\n", "\u{202e}");
    write(
        &folder,
        [(name.as_str(), &log), (&format!("rules/{odd}.toml"), &rule)],
    );
    let rules = ["--rules", "rules"];
    for form in ReportFormat::ALL {
        for more in [&[][..], &rules, &["--ascii", "--width", "40"]] {
            let words = [&["check", "--format", form.name()], more, &[".", &odd]].concat();
            let output = pickfix(&folder, &words, b"");
            assert!(stdout(&output).contains("202e"), "{}", form.name());
            assert_visible(form.name(), stdout(&output));
            assert_visible(form.name(), stderr(&output));
            assert!(stderr(&output).lines().count() <= 2, "{}", stderr(&output));
        }
    }
    let output = pickfix(
        &folder,
        &["check", "--unknown", "--format", "jsonl", "."],
        b"",
    );
    assert_visible("unknown", stdout(&output));
    let read: serde_json::Value =
        serde_json::from_str(stdout(&output).lines().next().expect("a line")).expect("JSON");
    assert_eq!(
        read["file"],
        name.as_str(),
        "programs get the name as it is"
    );
    let filtered = pickfix(&folder, &[&odd, &name], b"");
    let drawn = stdout(&filtered).lines().filter(|l| l.starts_with('▎'));
    let drawn = drawn.collect::<Vec<_>>().join("\n");
    assert!(drawn.contains("202e"), "{drawn}");
    assert_visible("filter", &drawn);
    assert_visible("filter", stderr(&filtered));
    for words in [
        &["rules", "test", "rules", "worker-killed"][..],
        &["rules", "list", "--rules", "rules"],
        &["explain", &odd],
        &[
            "explain",
            &format!("TypeError: cannot pickle '{odd}' object"),
        ],
        &["--rules", &odd],
        &["--select", &odd],
        &[&format!("--{odd}")],
        &["rules", "new", "a", "--from", &odd],
        &["--show-config", "--rules", &odd],
    ] {
        let output = pickfix(&folder, words, b"");
        assert_visible(&words.join(" "), stdout(&output));
        assert_visible(&words.join(" "), stderr(&output));
    }
}
