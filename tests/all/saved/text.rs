//! The report that people read, held against `tests/golden/report`. `UPDATE_GOLDENS=1` rewrites it.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use super::html::{PEER, job};
use super::program::{
    LOCK, check, command, folder, folder_of_logs, pickfix, project, stderr, write,
};

/// A folder as `torchrun --log-dir` writes it: rank 1 fails, the others lose it, each in its file.
fn torchrun() -> PathBuf {
    let folder = folder("text-torchrun");
    for rank in 0..4 {
        let file = |stream: &str| format!("logs/none_x/attempt_0/{rank}/{stream}.log");
        let text = if rank == 1 { LOCK } else { PEER };
        write(
            &folder,
            [
                (file("stderr").as_str(), text),
                (file("stdout").as_str(), "step 1\n"),
            ],
        );
    }
    folder
}

/// A log with failures that no rule knows, and no other.
fn unknown() -> PathBuf {
    let folder = folder("text-unknown");
    let mut log = String::new();
    for turn in 0..12 {
        let line = 40 + turn % 2;
        let _ = write!(
            log,
            "Traceback (most recent call last):\n  File \"/home/ada/project/models/encoder.py\", line {line}, in forward\n    x = self.layers[7](x)\nValueError: the shapes of the query (3, 224, 224) and of the key (3, 224, 200) of layer 7 do not fit together\n"
        );
    }
    log += "Traceback (most recent call last):\n  File \"/home/ada/project/train.py\", line 3, in main\n    assert ok\nAssertionError\n";
    write(&folder, [("train.log", log)]);
    folder
}

/// Logs of several jobs, with failures that some of them share.
fn several() -> PathBuf {
    let folder = folder("text-several");
    let lambda = "Traceback (most recent call last):\n  File \"eval.py\", line 12, in main\n    pool.map(lambda x: x, xs)\nAttributeError: Can't pickle local object 'main.<locals>.<lambda>'\n";
    let key = "Traceback (most recent call last):\n  File \"train.py\", line 8, in load\n    d['wd']\nKeyError: 'wd'\n";
    let other = LOCK.replace("train.py\", line 47", "tune.py\", line 5");
    let logs = [
        ("a/train.log", LOCK.to_owned()),
        ("a/eval.log", lambda.to_owned() + key),
        ("b/train.log", "step 1\n".to_owned() + LOCK),
        ("b/tune.log", other),
        ("c/train-1234-0.log", key.to_owned()),
        ("c/train-1234-1.log", LOCK.to_owned()),
    ];
    write(&folder, logs);
    folder
}

#[test]
fn the_report_reads_as_it_should() {
    let looks: [(&str, &[&str]); 6] = [
        ("60", &["--width", "60"]),
        ("80", &["--width", "80"]),
        ("100", &["--width", "100"]),
        ("200", &["--width", "200"]),
        ("80-coloured", &["--width", "80", "--color", "always"]),
        ("80-ascii", &["--width", "80", "--ascii"]),
    ];
    let goldens = project().join("tests/golden/report");
    for (case, folder, more) in [
        ("torchrun", torchrun(), &[][..]),
        ("ranks", job("text-ranks"), &[]),
        ("unknown", unknown(), &[]),
        ("several", several(), &[]),
        ("by-file", several(), &["--group-by", "file"]),
        ("by-job", several(), &["--group-by", "job"]),
    ] {
        for (look, words) in looks {
            let text = check(&folder, &[words, more, &["--glob", "*.log", "."]].concat());
            let path = goldens.join(format!("{case}-{look}.txt"));
            if std::env::var_os("UPDATE_GOLDENS").is_some() {
                fs::create_dir_all(&goldens).expect("the folder can be made");
                fs::write(&path, &text).expect("it can be written");
            }
            let golden = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(text, golden, "{}", path.display());
            assert!(look != "80-ascii" || text.is_ascii(), "{text}");
        }
    }
}

#[test]
fn a_failure_of_many_logs_is_told_once_with_its_places() {
    let text = check(&several(), &["--glob", "*.log", "."]);
    let headlines = text
        .lines()
        .filter(|line| line.ends_with("[unpicklable-lock]"));
    assert_eq!(headlines.count(), 1, "{text}");
    assert!(
        text.contains("seen    4 times, at 2 places; the others:"),
        "{text}"
    );
    assert!(text.starts_with("  4×  unpicklable-lock "), "{text}");
}

/// One rule may have several titles, each with a cause of its own.
#[test]
fn failures_with_other_titles_are_told_apart() {
    let folder = folder("text-titles");
    for (name, library) in [
        ("a", "libcudart.so.11.0"),
        ("b", "libcudnn.so.8"),
        ("c", "libcudnn.so.8"),
    ] {
        let text = format!(
            "Traceback (most recent call last):\n  File \"{name}.py\", line 3, in <module>\n    import flash_attn\n\
             ImportError: {library}: cannot open shared object file: No such file or directory\n"
        );
        fs::write(folder.join(format!("{name}.log")), text).unwrap();
    }
    let text = check(&folder, &["."]);
    let headlines: Vec<&str> = text
        .lines()
        .filter(|line| line.ends_with("[cuda-library-missing]"))
        .collect();
    assert_eq!(
        headlines,
        [
            "a CUDA library is missing (`libcudnn.so.8`)  [cuda-library-missing]",
            "a CUDA library is missing (`libcudart.so.11.0`)  [cuda-library-missing]",
        ],
        "{text}"
    );
}

#[test]
fn the_limit_says_what_it_leaves_out() {
    let folder = folder_of_logs("text-limit");
    let all = check(&folder, &["--limit", "1000", "."]);
    let text = check(&folder, &["--limit", "2", "."]);
    let headlines = |text: &str| text.matches("\n  more    pickfix explain ").count();
    assert_eq!(headlines(&text), 2, "{text}");
    let rules = headlines(&all);
    assert!(rules > 20, "{all}");
    for said in [
        format!("and {} more\n", rules - 2),
        format!("\n{} more failures, seen ", rules - 2),
        format!("`--limit {rules}` shows"),
        "more; `--limit ".to_owned(),
    ] {
        assert!(text.contains(&said), "{said}: {text}");
    }
    assert_eq!(all.lines().last(), text.lines().last());
}

#[test]
fn the_text_of_a_thousand_logs_is_short() {
    let folder = folder("text-thousand");
    for n in 0..1000 {
        let log = LOCK.replace("line 47", &format!("line {n}"));
        let odd = format!(
            "Traceback (most recent call last):\n  File \"a.py\", line {n}, in f\n    g()\nE{n}Error: {n}\n"
        );
        write(&folder, [(format!("{n}.log").as_str(), log + &odd)]);
    }
    for more in [&[][..], &["--group-by", "file"]] {
        let text = check(&folder, &[more, &["--glob", "*.log", "."]].concat());
        assert!(text.lines().count() < 120, "{text}");
        assert!(text.contains("1,000 times"), "{text}");
    }
}

#[test]
fn each_file_tells_its_own_failures_where_they_are_grouped_by_it() {
    let folder = several();
    let lines = |by: &str| {
        let words = [
            "--format",
            "jsonl",
            "--group-by",
            by,
            "--glob",
            "*.log",
            ".",
        ];
        let text = check(&folder, &words);
        text.matches("\"unpicklable-lock\"").count()
    };
    assert_eq!([lines("id"), lines("job"), lines("file")], [2, 4, 4]);
    let text = check(&folder, &["--group-by", "job", "--glob", "*.log", "."]);
    for job in ["a/train.log", "a/eval.log", "b/tune.log", "c/train-1234"] {
        assert!(
            text.contains(&format!("\n{job}\n")) || text.starts_with(job),
            "{text}"
        );
    }
    let output = pickfix(
        &folder,
        &["check", "--follow", "--limit", "3", "a/train.log"],
        b"",
    );
    assert!(
        stderr(&output).contains("cannot be used with"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_log_to_come_is_waited_for_and_its_failures_are_told_at_once() {
    let folder = folder("text-follow");
    let mut follower = command(&folder)
        .args(["check", "--follow", "train.log"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = String::new();
    let stderr = follower.stderr.take().expect("a pipe");
    BufReader::new(stderr).read_line(&mut said).expect("text");
    assert_eq!(said, "pickfix: train.log: not there yet, waiting for it\n");
    write(&folder, [("train.log", format!("{LOCK}done\n"))]);
    let mut told = String::new();
    let stdout = follower.stdout.take().expect("a pipe");
    BufReader::new(stdout).read_line(&mut told).expect("text");
    follower.kill().expect("it runs");
    follower.wait().expect("it ends");
    assert!(told.ends_with("[unpicklable-lock]\n"), "{told}");
}
