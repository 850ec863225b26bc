//! `pickfix check`: it finds what the filter finds, in any number of threads, and sees the files of
//! a job as one.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use pickfix::check::{Follower, Globs, Listener, Outputs, Progress, Request, run};
use pickfix::corpus::Corpus;
use pickfix::incident::{Grouping, Incident};
use proptest::prelude::*;

use crate::common::goldens;
use crate::reports::{check, check_within, difference, filtered};

/// Returns what `check` reports of a text that lies in a file.
fn checked(text: &[u8], threads: usize) -> Vec<String> {
    // A folder of its own for each test that runs at the same time.
    let folder = folder(&format!("same-{:?}", thread::current().id()));
    crate::reports::checked(&folder.join("a.log"), text, threads)
}

fn id(incident: &Incident) -> Option<String> {
    incident.root.id().map(str::to_owned)
}

fn logs(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/logs")
        .join(name)
}

fn folder(name: &str) -> PathBuf {
    crate::folders::empty(&format!("check/{name}"))
}

/// The inputs of all goldens.
fn inputs() -> Vec<Vec<u8>> {
    goldens().into_iter().map(|(_, _, input)| input).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_finds_what_the_filter_finds(
        picks in prop::collection::vec((any::<prop::sample::Index>(), 0..60_usize), 1..120),
        repeats in 1..3_usize,
    ) {
        let inputs = inputs();
        let mut text = Vec::new();
        for (pick, lines) in picks.iter().cycle().take(picks.len() * repeats) {
            let input: &Vec<u8> = pick.get(&inputs);
            text.extend_from_slice(input);
            for line in 0..*lines {
                text.extend_from_slice(format!("2026-01-01 10:00:00,123 INFO step {line} loss 0.5\n").as_bytes());
            }
        }
        if let Some(difference) = difference(&checked(&text, 2), &filtered(&text)) {
            return Err(TestCaseError::fail(difference));
        }
    }
}

/// The same few tracebacks over and over, as a loop logs them; a large file is read in parts.
#[test]
fn a_failure_that_comes_again_is_counted_again() {
    let tracebacks: [&str; 6] = [
        "Traceback (most recent call last):\n  File \"train.py\", line 7, in <module>\n    main()\n  File \"train.py\", line 3, in main\n    send(lock)\n    ^^^^^^^^^^\n  File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 60, in dump\n    ForkingPickler(file, protocol).dump(obj)\nTypeError: cannot pickle '_thread.lock' object\n",
        "Traceback (most recent call last):\n  File \"train.py\", line 9, in f\n    x()\nValueError: no\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x()\nKeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3, in g\n    y()\nRuntimeError: b\n",
        "Process SpawnProcess-1:\n",
        "2026-01-01 10:00:00,123 INFO all is well\n",
        "\n",
    ];
    let order = [
        0, 0, 1, 0, 4, 2, 0, 3, 0, 1, 1, 5, 2, 2, 4, 0, 4, 4, 1, 3, 2, 0,
    ];
    let mut text = Vec::new();
    for round in 0..24 {
        for at in order {
            text.extend_from_slice(tracebacks[(at + round / 6) % tracebacks.len()].as_bytes());
        }
    }
    let wanted = filtered(&text);
    assert!(
        wanted
            .iter()
            .any(|line| line.contains("\"id\":\"unpicklable-lock\""))
    );
    assert_eq!(checked(&text, 1), wanted);
    // A file that is worth several threads: every part begins somewhere in it.
    let clean = b"step 7 loss 0.5 all is well\n".repeat(64 * 1024);
    let large = [&text[..], &clean].concat().repeat(18);
    assert_eq!(checked(&large, 3), checked(&large, 1));
}

#[test]
fn lines_that_bear_its_own_gutter_are_left_out_and_counted() {
    let failure = "Traceback (most recent call last):\n  File \"/a/t.py\", line 3, in f\n    g()\nTypeError: cannot pickle '_thread.lock' object\n";
    let hidden: String = failure
        .lines()
        .flat_map(|line| ["▎ ", line, "\n"])
        .collect();
    let filler = "step 7 loss 0.5 all is well\n";
    for (text, own, count) in [
        (failure.to_owned(), 0, 1),
        (format!("{filler}{hidden}{filler}"), 3, 0),
        (format!("{hidden}{filler}{failure}{hidden}"), 6, 1),
        (hidden.repeat(3) + &filler.repeat(400_000), 9, 0),
    ] {
        let path = folder("own").join("a.log");
        fs::write(&path, &text).unwrap();
        for threads in [1, 3] {
            let what = Request {
                paths: vec![path.clone().into_os_string()],
                globs: Globs::new(&[]).unwrap(),
                outputs: Outputs::default(),
                threads,
                sources: None,
                grouping: Grouping::All,
            };
            let (progress, mut found) = (Progress::default(), 0);
            let listener = Listener {
                report: &mut |_| found += 1,
                complain: &mut |error| panic!("{error}"),
            };
            run(&Corpus::built_in(), &what, &progress, listener);
            assert_eq!((progress.own_lines(), found), (own, count), "{threads}");
        }
    }
}

#[test]
fn what_the_other_ranks_died_of_follows_from_the_first() {
    // Rank 1 raises a ValueError, which no rule knows; ranks 0 and 2 lose their connection to it.
    let (found, failed) = check(&[&logs("torchrun-raise")], &[], 2, |incident| {
        let ranks: Vec<u32> = incident.seen.ranks.iter().collect();
        let consequences = incident
            .consequences
            .iter()
            .map(|c| (c.id.to_owned(), c.first.rank));
        (id(incident), ranks, consequences.collect::<Vec<_>>())
    });
    let lost = |rank| ("ranks-child-failed".to_owned(), Some(rank));
    assert_eq!(found, [(None, vec![1], vec![lost(0), lost(2)])]);
    assert_eq!(failed, Vec::<String>::new());
    // One file alone tells of the lost connection, and that it follows from something.
    let alone = logs("torchrun-raise/attempt_0/0/stderr.log");
    let (found, _) = check(&[&alone], &[], 2, id);
    assert_eq!(found, [Some("ranks-child-failed".to_owned())]);
}

#[test]
fn the_rank_that_failed_is_the_root() {
    let (found, _) = check(&[&logs("torchrun-collate")], &[], 2, |incident| {
        (
            id(incident),
            incident.seen.ranks.to_string(),
            incident.root.time.map(|t| t.to_string()),
        )
    });
    let wanted = (
        Some("collate-size-mismatch".to_owned()),
        "3".to_owned(),
        Some("2026-11-21T23:54:55.246".to_owned()),
    );
    assert_eq!(found, [wanted]);
}

/// A rank's log: a lost connection, or a failure of its own, at a time.
fn rank_log(time: &str, last: &str) -> String {
    format!(
        "{time} INFO step 1\nTraceback (most recent call last):\n  File \"train.py\", line 9, in main\n    dist.all_reduce(t)\n{last}\n"
    )
}

const LOST: &str = "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.1]:39999";

#[test]
fn time_stamps_tell_which_rank_was_first() {
    let root = |time| rank_log(time, "ValueError: loss is nan");
    for (folder_name, of_lost, of_root, follows) in [
        (
            "later",
            "2026-01-01 10:00:30,000",
            "2026-01-01 10:00:00,000",
            true,
        ),
        (
            "earlier",
            "2026-01-01 09:00:00,000",
            "2026-01-01 10:00:00,000",
            false,
        ),
        (
            "other clocks",
            "Jan 01 09:00:00",
            "2026-01-01 10:00:00,000",
            true,
        ),
    ] {
        let folder = folder(folder_name);
        fs::write(folder.join("rank0.log"), rank_log(of_lost, LOST)).unwrap();
        fs::write(folder.join("rank1.log"), root(of_root)).unwrap();
        let (mut found, _) = check(&[&folder], &[], 2, |i| (id(i), i.consequences_count));
        found.sort();
        let lost = Some("ranks-child-failed".to_owned());
        let wanted = if follows {
            vec![(None, 1)]
        } else {
            vec![(None, 0), (lost, 0)]
        };
        assert_eq!(found, wanted, "{folder_name}");
    }
}

/// The root's id, the file it is in, and the ids and ranks of what followed.
type Told = (Option<String>, String, Vec<(String, Option<u32>)>);

fn told(incident: &Incident) -> Told {
    let file = incident.seen.file.as_deref().unwrap_or_default();
    let (_, file) = file.split_once("torchrun-launcher/").unwrap_or(("", file));
    let followed = incident.consequences.iter();
    let followed = followed.map(|c| (c.id.to_owned(), c.first.rank));
    (id(incident), file.to_owned(), followed.collect())
}

#[test]
fn the_launchers_file_is_joined_with_its_ranks() {
    let logs = logs("torchrun-launcher");
    let failed = |rank| ("ranks-child-failed".to_owned(), rank);
    let left_behind = [failed(Some(0)), failed(Some(2))];
    let rank_1 = "raise/logs/none_x/attempt_0/1/stderr.log";
    for (case, root, file, followed) in [
        (
            "raise",
            None,
            rank_1,
            [&left_behind[..], &[failed(None)]].concat(),
        ),
        (
            "kill",
            Some("ranks-child-signal"),
            "kill/launcher.out",
            left_behind.to_vec(),
        ),
        (
            "exit",
            Some("ranks-child-failed"),
            "exit/launcher.out",
            left_behind.to_vec(),
        ),
    ] {
        let (ranks, launcher) = (
            logs.join(case).join("logs"),
            logs.join(case).join("launcher.out"),
        );
        let wanted = (root.map(str::to_owned), file.to_owned(), followed);
        for paths in [
            &[ranks.as_path(), &launcher][..],
            &[launcher.as_path(), &ranks],
            &[logs.join(case).as_path()],
        ] {
            let (found, _) = check(paths, &[], 2, told);
            assert_eq!(found, std::slice::from_ref(&wanted), "{paths:?}");
        }
    }
    let (found, _) = check(&[&logs], &[], 2, told);
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn a_launchers_file_without_its_ranks_stands_alone() {
    let logs = logs("torchrun-launcher");
    let launcher = |case: &str| logs.join(case).join("launcher.out");
    let folder = folder("launchers");
    for n in 0..3 {
        fs::copy(launcher("raise"), folder.join(format!("job-{n}.out"))).unwrap();
    }
    let (found, _) = check(&[&folder], &[], 2, |i| (id(i), i.seen.count, i.seen.files));
    assert_eq!(found, [(Some("ranks-child-failed".to_owned()), 3, 3)]);
    // A box that has no frame of the user's is counted as well, and where asked for in each file.
    let killed: Vec<PathBuf> = ["one", "two"]
        .map(|name| folder.join(format!("{name}.out")))
        .into();
    for path in &killed {
        fs::copy(launcher("kill"), path).unwrap();
    }
    let paths: Vec<&Path> = killed.iter().map(PathBuf::as_path).collect();
    let signal = Some("ranks-child-signal".to_owned());
    for (grouping, counts) in [
        (Grouping::All, &[2][..]),
        (Grouping::Job, &[1, 1]),
        (Grouping::File, &[1, 1]),
    ] {
        let note = |i: &Incident| (id(i), i.seen.count);
        let (found, _) = check_within(grouping, &paths, &[], 2, note);
        let wanted = counts.iter().map(|&count| (signal.clone(), count));
        assert_eq!(found, wanted.collect::<Vec<_>>());
    }
    // The ranks of two jobs, and the box of a rank that was killed in one of them.
    for job in ["a", "b"] {
        for rank in 0..2 {
            let log = folder.join(format!("{job}-1234-{rank}.log"));
            fs::write(log, rank_log("x", LOST)).unwrap();
        }
    }
    fs::copy(launcher("kill"), folder.join("kill.out")).unwrap();
    let (found, _) = check(&[&folder], &["kill.out", "*.log"], 2, told);
    let signal = found
        .iter()
        .find(|told| told.0.as_deref() == Some("ranks-child-signal"));
    assert_eq!(signal.map(|told| told.2.len()), Some(0), "{found:?}");
}

#[test]
fn of_several_jobs_a_box_follows_from_the_one_that_more_speaks_for_or_from_none() {
    let logs = logs("torchrun-launcher");
    let folder = folder("several-jobs");
    let raised = "KeyError: 'wd'";
    let log = |script: &str| rank_log("x", raised).replace("train.py", script);
    assert!(log("ddp_bug.py").contains("ddp_bug.py"));
    fs::copy(logs.join("raise/launcher.out"), folder.join("launcher.out")).unwrap();
    let root_of_box = || {
        let (found, _) = check(&[&folder], &[], 2, |i| {
            let file = i.seen.file.as_deref().unwrap_or_default();
            let name = file.rsplit('/').next().unwrap_or_default().to_owned();
            (
                name,
                i.consequences.iter().any(|c| c.id == "ranks-child-failed"),
            )
        });
        found
            .into_iter()
            .find(|(_, has_box)| *has_box)
            .map(|(name, _)| name)
    };
    // The box names rank 1 and `ddp_bug.py`.
    fs::write(folder.join("a-1234-1.log"), log("train.py")).unwrap();
    fs::write(folder.join("b-1234-1.log"), log("ddp_bug.py")).unwrap();
    assert_eq!(root_of_box().as_deref(), Some("b-1234-1.log"));
    let elsewhere = log("ddp_bug.py").replace("line 9", "line 19");
    fs::write(folder.join("a-1234-1.log"), elsewhere).unwrap();
    assert_eq!(root_of_box(), None);
}

#[test]
fn files_of_other_jobs_stay_apart() {
    let folder = folder("apart");
    fs::write(
        folder.join("slurm-1234.out"),
        rank_log("a", "ValueError: loss is nan"),
    )
    .unwrap();
    fs::write(folder.join("slurm-1235.out"), rank_log("b", LOST)).unwrap();
    let (mut found, _) = check(&[&folder], &[], 2, |i| (id(i), i.consequences_count));
    found.sort();
    let lost = Some("ranks-child-failed".to_owned());
    assert_eq!(found, [(None, 0), (lost, 0)]);
}

#[test]
fn ranks_that_fail_alike_are_one_failure() {
    let folder = folder("alike");
    let lock = "TypeError: cannot pickle '_thread.lock' object";
    for rank in 0..12 {
        let log = rank_log("2026-01-01 10:00:00,000", lock);
        fs::write(folder.join(format!("rank_{rank}.err")), log).unwrap();
    }
    let (found, _) = check(&[&folder], &[], 3, |i| {
        let file = i
            .seen
            .file
            .as_deref()
            .and_then(|f| f.rsplit('/').next())
            .map(str::to_owned);
        (
            id(i),
            i.seen.count,
            i.seen.files,
            i.seen.ranks.to_string(),
            file,
        )
    });
    let wanted = (
        Some("unpicklable-lock".to_owned()),
        12,
        12,
        "0–11".to_owned(),
        Some("rank_0.err".to_owned()),
    );
    assert_eq!(found, [wanted]);
}

/// As PowerShell's `>` writes it.
#[test]
fn a_log_in_utf_16_is_read() {
    let folder = folder("wide");
    let failure = rank_log("a", "TypeError: cannot pickle '_thread.lock' object");
    let text = format!("\u{feff}{failure}");
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(folder.join("job.log"), wide).unwrap();
    let (found, failed) = check(&[&folder], &[], 1, id);
    assert_eq!(found, [Some("unpicklable-lock".to_owned())]);
    assert_eq!(failed, Vec::<String>::new());
}

#[test]
fn folders_are_read_but_for_what_is_hidden_or_no_text() {
    let folder = folder("walk");
    let failure = rank_log("a", "TypeError: cannot pickle '_thread.lock' object");
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    put("b/deep/x.err", failure.as_bytes());
    put("a.log", b"all is well\n");
    put(".hidden/x.log", failure.as_bytes());
    put(".hidden.log", failure.as_bytes());
    put(
        "model.bin",
        &[b"\x7fELF\0\0\0\0".as_slice(), failure.as_bytes()].concat(),
    );
    let names = |globs: &[&str]| {
        let note = |i: &Incident| i.seen.file.as_deref().unwrap_or("-").to_owned();
        let (found, failed) = check(&[&folder], globs, 2, note);
        assert_eq!(failed, Vec::<String>::new());
        let cut = folder.display().to_string() + "/";
        found
            .iter()
            .map(|name| name.replace(&cut, ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["b/deep/x.err"]);
    assert_eq!(names(&["*.err"]), ["b/deep/x.err"]);
    assert_eq!(names(&["*.log"]), Vec::<String>::new());
    assert_eq!(names(&["!b/**"]), Vec::<String>::new());
    assert_eq!(names(&["b/*/*.err", "!y.err"]), ["b/deep/x.err"]);
    assert!(
        Globs::new(&["[".to_owned()])
            .unwrap_err()
            .starts_with("--glob [: ")
    );
}

#[test]
fn a_log_that_grows_is_followed_through_rotation() {
    let folder = folder("follow");
    let path = folder.join("a.log");
    let corpus = Corpus::built_in();
    let mut follower = Follower::new(&corpus, [path.clone()]);
    let mut now = Duration::ZERO;
    let mut failed = Vec::new();
    let mut look = |follower: &mut Follower| {
        now += Duration::from_millis(250);
        let new = follower.look(now, &mut |error| failed.push(error.to_string()));
        new.iter()
            .map(|i| (id(i), i.seen.first_line))
            .collect::<Vec<_>>()
    };
    let lock = rank_log("a", "TypeError: cannot pickle '_thread.lock' object");
    let file = rank_log("a", "TypeError: cannot pickle '_io.TextIOWrapper' object");
    let found = |name: &str| vec![(Some(name.to_owned()), 2)];
    // It is waited for, and told of once.
    assert_eq!(look(&mut follower), []);
    assert_eq!(look(&mut follower), []);
    let (begin, rest) = lock.split_at(40);
    fs::write(&path, begin).unwrap();
    assert_eq!(look(&mut follower), []);
    append(&path, rest);
    // What was written is complete when nothing more comes.
    assert_eq!(look(&mut follower), []);
    assert_eq!(look(&mut follower), found("unpicklable-lock"));
    // Renamed and begun again.
    fs::rename(&path, folder.join("a.log.1")).unwrap();
    assert_eq!(look(&mut follower), []);
    fs::write(&path, &file).unwrap();
    assert_eq!(look(&mut follower), []);
    assert_eq!(look(&mut follower), found("unpicklable-file"));
    // Emptied, and the first failure again: it is counted, and not told twice.
    fs::write(&path, "").unwrap();
    assert_eq!(look(&mut follower), []);
    append(&path, &lock);
    assert_eq!(look(&mut follower), []);
    assert_eq!(look(&mut follower), []);
    let (new, all) = follower.finish(now);
    assert!(new.is_empty());
    let counts: Vec<_> = all.iter().map(|i| (id(i).unwrap(), i.seen.count)).collect();
    let wanted = [
        ("unpicklable-lock".to_owned(), 2),
        ("unpicklable-file".to_owned(), 1),
    ];
    assert_eq!(counts, wanted);
    assert_eq!(
        failed,
        [format!("{}: No such file or directory", path.display())]
    );
}

fn append(path: &Path, text: &str) {
    use std::io::Write;
    let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_others_are_done() {
    let folder = folder("missing");
    let log = folder.join("a.log");
    fs::write(
        &log,
        rank_log("a", "TypeError: cannot pickle '_thread.lock' object"),
    )
    .unwrap();
    let missing = folder.join("none.log");
    let (found, failed) = check(&[&missing, &log], &[], 2, id);
    assert_eq!(found, [Some("unpicklable-lock".to_owned())]);
    assert_eq!(
        failed,
        [format!("{}: No such file or directory", missing.display())]
    );
}
