//! The report that people read, held against `tests/golden/report`. `PICKFIX_BLESS=1` rewrites it.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::html::{PEER, job};
use crate::program::{LOCK, check, folder, project, write};

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

#[test]
fn the_report_reads_as_it_should() {
    let looks: [(&str, &[&str]); 5] = [
        ("60", &["--width", "60"]),
        ("80", &["--width", "80"]),
        ("200", &["--width", "200"]),
        ("80-coloured", &["--width", "80", "--color", "always"]),
        ("80-ascii", &["--width", "80", "--ascii"]),
    ];
    let goldens = project().join("tests/golden/report");
    for (case, folder) in [
        ("torchrun", torchrun()),
        ("ranks", job("text-ranks")),
        ("unknown", unknown()),
    ] {
        for (look, words) in looks {
            let text = check(&folder, &[words, &["--glob", "*.log", "."]].concat());
            let path = goldens.join(format!("{case}-{look}.txt"));
            if std::env::var_os("PICKFIX_BLESS").is_some() {
                fs::create_dir_all(&goldens).expect("the folder can be made");
                fs::write(&path, &text).expect("it can be written");
            }
            let golden = fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(text, golden, "{}", path.display());
            assert!(look != "80-ascii" || text.is_ascii(), "{text}");
        }
    }
}
