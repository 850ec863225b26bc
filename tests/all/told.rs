//! What a program tells of an exception in its own words, without a traceback or above it.

use crate::common::{Run, filter, filter_text};
use pickfix::input::scripted::Scripted;

/// As `logger.exception(f"…: {e}")` prints them, the traceback directly below.
const TRACEBACK: &str = "\
Traceback (most recent call last):
  File \"/home/user/train.py\", line 12, in main
    p.start()
  File \"/usr/lib/python3.11/multiprocessing/process.py\", line 121, in start
    self._popen = self._Popen(self)
  File \"/usr/lib/python3.11/multiprocessing/reduction.py\", line 60, in dump
    ForkingPickler(file, protocol).dump(obj)
TypeError: cannot pickle '_thread.RLock' object
";
/// How torchrun ends, below its line of the rank that failed first.
const BOX: &str = "\
Traceback (most recent call last):
  File \"/home/user/venv/bin/torchrun\", line 8, in <module>
    sys.exit(main())
  File \"/home/user/venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py\", line 246, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: 
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-21_00:40:37
  host      : node1
  rank      : 3 (local_rank: 0)
  exitcode  : 1 (pid: 2806)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
";
const MESSAGE: &str = "cannot pickle '_thread.RLock' object";

fn told(text: &str) -> Run {
    filter_text(text.as_bytes())
}

/// Returns the line of the output above the first annotation.
fn line_above(run: &Run) -> String {
    let text = run.text();
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|l| l.starts_with("▎ pickfix: "));
    lines[at.expect("an annotation") - 1].to_owned()
}

#[test]
fn a_message_is_known_behind_a_programs_words_with_its_type_or_without() {
    for before in [
        "Error: ",
        "ERROR:root:",
        "[ERROR] ",
        "ERROR - ",
        "Training failed: ",
        "2024-05-01 10:00:00,123 - train - ERROR - job 3: ",
        "2024-05-01 10:00:00.123 | ERROR    | __main__:main:30 - ",
    ] {
        for message in [
            MESSAGE.to_owned(),
            format!("TypeError: {MESSAGE}"),
            format!("TypeError(\"{MESSAGE}\")"),
        ] {
            let run = told(&format!("step 1\n{before}{message}\nbye\n"));
            assert_eq!(run.ids, ["unpicklable-lock"], "{before}{message}");
            assert_eq!(run.annotations(), 1);
            // Behind a mark the text may go on in the next line.
            if before.starts_with('E') {
                assert_eq!(line_above(&run), format!("{before}{message}"));
            }
        }
    }
}

#[test]
fn what_anybody_may_say_is_no_failure_of_ours() {
    for line in [
        // Celery's error has a type of its own; `json` says the same.
        "Error: Object of type set is not JSON serializable",
        "Error: list index out of range",
        "ERROR:root:failed: [Errno 2] No such file or directory: 'x'",
        // The program went on.
        "WARNING:root:failed: cannot pickle '_thread.RLock' object",
        "save failed, skipped: cannot pickle '_thread.RLock' object",
        // A text tells of it.
        "Raises: TypeError: cannot pickle '_thread.RLock' object",
        "TODO: TypeError: cannot pickle '_thread.RLock' object",
        "### TypeError: cannot pickle '_thread.RLock' object",
        "2. TypeError: cannot pickle '_thread.RLock' object",
        // Nothing says that it failed.
        "note: cannot pickle '_thread.RLock' object",
    ] {
        assert_eq!(told(&format!("{line}\nbye\n")).annotations(), 0, "{line}");
    }
}

#[test]
fn a_message_alone_in_its_line_is_known_if_it_is_long() {
    const LONG: &str = "Can't pickle local object 'build.<locals>.<lambda>'";
    assert_eq!(told(&format!("{LONG}\n")).ids, ["unpicklable-lambda"]);
    let traceback = TRACEBACK.replace(
        &format!("TypeError: {MESSAGE}"),
        &format!("AttributeError: {LONG}"),
    );
    let run = told(&format!("{LONG}\n{traceback}"));
    assert_eq!(run.annotations(), 1);
    assert!(!run.text().contains("likely"), "{}", run.text());
    for quoted in [
        format!("- {LONG}"),
        format!("# {LONG}"),
        format!("| {LONG} |"),
        format!("`{LONG}`"),
        format!("\"{LONG}\","),
        format!("    {LONG}"),
        format!("the message {LONG} says no more"),
        "The detected CUDA version ({0}) mismatches the version that was used to compile"
            .to_owned(),
    ] {
        assert_eq!(told(&format!("{quoted}\n")).annotations(), 0, "{quoted}");
    }
}

#[test]
fn of_pytests_summary_and_its_reports_only_the_reports_are_explained() {
    const SUMMARY: &str = "\
=========================== short test summary info ============================
FAILED tests/test_jobs.py::test_lambda[0] - AttributeError: Can't pickle local object 'te...
FAILED tests/test_jobs.py::test_lock - TypeError: cannot pickle '_thread.RLock' object
FAILED tests/test_jobs.py::test_sum - assert 1 == 2
3 failed in 0.33s
";
    let run = told(SUMMARY);
    assert_eq!(run.ids, ["unpicklable-local-object", "unpicklable-lock"]);
    let report = "\
__________________________________ test_lock ___________________________________

    def test_lock():
>       p.start()

tests/test_jobs.py:10: 
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ 
>       ForkingPickler(file, protocol).dump(obj)
E       TypeError: cannot pickle '_thread.RLock' object

/usr/lib/python3.11/multiprocessing/reduction.py:60: TypeError
";
    let run = told(&format!("{report}{SUMMARY}"));
    assert_eq!(run.ids, ["unpicklable-lock"]);
    assert_eq!(run.annotations(), 1);
}

#[test]
fn of_a_line_and_its_traceback_only_the_traceback_is_explained() {
    for (above, below) in [
        (format!("ERROR:root:job failed: {MESSAGE}\n"), ""),
        (format!("ERROR:root:job failed: TypeError: {MESSAGE}\n"), ""),
        (
            "step 1\n".to_owned(),
            "Error: cannot pickle '_thread.RLock' object\n",
        ),
    ] {
        let run = told(&format!("{above}{TRACEBACK}{below}bye\n"));
        assert_eq!(run.ids, ["unpicklable-lock"], "{above}");
        assert_eq!(line_above(&run), format!("TypeError: {MESSAGE}"));
        assert!(!run.text().contains("likely"), "{}", run.text());
        assert!(!run.text().contains("again"), "{}", run.text());
    }
    let text = format!("ERROR job failed: {MESSAGE}\n{TRACEBACK}bye");
    let run = told(&format!("[rank0]: {}\n", text.replace('\n', "\n[rank0]: ")));
    assert_eq!(run.annotations(), 1);
    assert!(!run.text().contains("likely"), "{}", run.text());
    assert!(!run.text().contains("again"), "{}", run.text());
}

#[test]
fn of_torchruns_line_and_its_box_only_the_box_is_explained() {
    let line = "E1121 00:40:37.267000 14061 torch/distributed/elastic/multiprocessing/api.py:988] failed (exitcode: 1) local_rank: 0 (pid: 2806) of binary: /usr/bin/python\n";
    let run = told(line);
    assert_eq!(run.ids, ["ranks-child-failed"]);
    let run = told(&format!("{line}{BOX}bye\n"));
    assert_eq!(run.ids, ["ranks-child-failed"]);
    assert!(run.text().contains("Rank 3 ended"), "{}", run.text());
    assert_eq!(run.annotations(), 1);
}

#[test]
fn of_a_line_above_another_traceback_both_are_explained() {
    let other = TRACEBACK.replace(MESSAGE, "cannot pickle 'generator' object");
    let run = told(&format!("ERROR:root:job failed: {MESSAGE}\n{other}bye\n"));
    assert_eq!(run.ids, ["unpicklable-lock", "unpicklable-generator"]);
}

#[test]
fn what_follows_a_line_is_seen_wherever_the_text_is_cut() {
    for text in [
        format!("ERROR:root:job failed: {MESSAGE}\n{TRACEBACK}bye\n"),
        format!("ERROR:root:job failed: {MESSAGE}\nTraining stopped\nTraining ended\n"),
        format!("Error: {MESSAGE}"),
    ] {
        let whole = told(&text).text();
        for size in [1, 2, 3, 7, 16, 64] {
            let cut = filter(Scripted::cut(text.as_bytes(), size)).text();
            assert_eq!(cut, whole, "in pieces of {size} bytes");
        }
    }
}

#[test]
fn a_warning_is_explained_below_the_source_that_python_quotes() {
    const WARNING: &str = "/usr/lib/python3.11/multiprocessing/resource_tracker.py:254: UserWarning: \
        resource_tracker: There appear to be 6 leaked semaphore objects to clean up at shutdown\n";
    const SOURCE: &str = "  warnings.warn('resource_tracker: There appear to be %d '";
    let run = told(&format!("{TRACEBACK}{WARNING}{SOURCE}\nbye\n"));
    let text = run.text();
    let below = text.split_once(SOURCE).expect("it is copied").1;
    assert!(below.starts_with("\n▎ pickfix: consequence of "), "{below}");
    assert!(below.ends_with("\nbye\n"), "{below}");
}
