//! What loggers, pages and collectors make of a traceback's lines: the failure is told with its place,
//! and once.

mod common;

use common::{CORPUS, filter, filter_text};
use pickfix::input::scripted::Scripted;
use pickfix::reader::incidents;

const FRAME: &str = "  File \"/app/main.py\", line 37, in main\n    p.start()\n";
const FINAL: &str = "TypeError: cannot pickle '_thread.RLock' object\n";

/// Returns the id and the line of the user's frame (0: none is known) of each incident; what the filter
/// tells must not depend on how the text is cut.
fn told(text: &str) -> Vec<(String, u32)> {
    let whole = filter_text(text.as_bytes()).text();
    for size in [1, 7, 64] {
        let cut = filter(Scripted::cut(text.as_bytes(), size)).text();
        assert_eq!(cut, whole, "in pieces of {size} bytes");
    }
    let roots = incidents(&CORPUS, text.as_bytes(), None).into_iter();
    let roots = roots.map(|incident| incident.root);
    let known = roots.filter_map(|root| Some((root.id()?.to_owned(), root.facts.user_frame)));
    known
        .map(|(id, frame)| (id, frame.map_or(0, |frame| frame.line)))
        .collect()
}

/// Asserts that a text tells of a lock, at this line.
fn tells_of_lock_at(line: u32, text: &str) {
    assert_eq!(
        told(text),
        [("unpicklable-lock".to_owned(), line)],
        "{text}"
    );
}

#[test]
fn frames_below_a_final_line_are_its_own() {
    for text in [
        format!("{FINAL}{FRAME}"),
        format!("step 3\n{FINAL}{FRAME}step 4\nValueError: no\n"),
        format!(
            "[rank3]: {FINAL}[rank3]: {}",
            FRAME.replace("\n ", "\n[rank3]:  ")
        ),
        // Dagster, which tells of the outer one first.
        format!(
            "dagster.StepError: in op \"train\":\n\n{FINAL}\nStack Trace:\n{FRAME}\n\
             The above exception was caused by the following exception:\n"
        ),
        // Sentry, which lists a chain, and leaves outer frames out.
        format!("{FINAL}(2 additional frame(s) were not displayed)\n...\n{FRAME}"),
        format!(
            "{FINAL}{FRAME}ValueError: no\n{}",
            FRAME.replace("37", "39")
        ),
        format!("ERROR:root:job 3 failed: {FINAL}{FRAME}bye\n"),
        // The final line that frames without a head have comes below them, whatever stands above.
        format!("RuntimeError: another writer's\n{FRAME}{FINAL}"),
        format!("{FINAL}{FRAME}{FINAL}"),
    ] {
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn what_stands_below_such_frames_is_not_read_as_theirs() {
    let text = format!("ValueError: no\n{FRAME}Epoch 3\n{FINAL}");
    tells_of_lock_at(0, &text);
    let text = format!("ValueError: no\n\n\n{FRAME}");
    assert_eq!(told(&text), []);
}

#[test]
fn a_page_or_a_table_may_have_laid_out_each_line() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let each = |write: &dyn Fn(&str) -> String| traceback.lines().map(write).collect::<String>();
    let row = |line: &str| line.replace('"', "\"\"");
    for text in [
        each(&|line| format!("<p>{}</p>\n", line.replace("  ", "&nbsp;&nbsp;"))),
        each(&|line| format!("<span class=\"ansi-red\">{line}</span>\n")),
        format!("<p>{}</p>\n", traceback.trim_end().replace('\n', "<br>")),
        format!("<pre><code>{traceback}</code></pre>\n"),
        each(&|line| format!("^[[31m{line}^[[0m\n")),
        each(&|line| format!("#033[34m{line}#033[0m\n")),
        each(&|line| format!("\"2024-05-14T09:12:33Z\",\"{}\"\n", row(line))),
        format!("id,error\n17,\"{}\"\n18,\n", row(traceback.trim_end())),
        format!("ErrorMessage \"{}\"\n", traceback.trim_end()),
        traceback.replace("  File", " 36%|#6   | 73/200 [00:01<00:02, 55.2it/s]  File"),
    ] {
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn a_line_behind_a_progress_bar_is_read() {
    let bar = "  1%|▊    | 985/102000 [00:01<01:54, 882.92it/s, loss=0.3]";
    for (line, id) in [
        ("Killed", "program-killed"),
        ("Aborted (core dumped)", "program-crashed"),
    ] {
        assert_eq!(told(&format!("{bar}{line}\n")), [(id.to_owned(), 0)]);
    }
}

#[test]
fn seconds_may_stand_before_each_line() {
    for stamp in ["42.SSS ", "[12.SSSs] ", "1715677953.SSS "] {
        let lines = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
        let lines = lines.lines().zip(100..);
        let text = lines.map(|(line, n)| stamp.replace("SSS", &n.to_string()) + line + "\n");
        tells_of_lock_at(37, &text.collect::<String>());
    }
}

#[test]
fn a_first_frame_is_read_behind_a_prefix_that_its_form_tells() {
    let prefix = "[pod/train-0/main] 2024-05-14T09:12:33.901234567Z ";
    let lines = format!("{FRAME}{FINAL}");
    let text = lines.lines().map(|line| format!("{prefix}{line}\n"));
    tells_of_lock_at(37, &text.collect::<String>());
}

#[test]
fn a_line_of_a_report_is_read_behind_the_prefix_that_all_of_it_bears() {
    for (lines, id) in [
        (
            "[1]+  Killed                  python train.py",
            "program-killed",
        ),
        (
            "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\nwith errorcode 1.",
            "ranks-child-failed",
        ),
        (
            "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.\nExited with exit code 143.",
            "job-out-of-memory",
        ),
    ] {
        for prefix in ["trainer-1  | ", "2024-05-14T09:12:33.9Z "] {
            let text = lines.lines().map(|line| format!("{prefix}{line}\n"));
            assert_eq!(
                told(&text.collect::<String>()),
                [(id.to_owned(), 0)],
                "{prefix}{lines}"
            );
        }
    }
}

#[test]
fn what_sys_exc_info_returned_tells_the_exception() {
    let tuple = format!(
        "(<class 'TypeError'>, TypeError(\"{}\"), <traceback object at 0x7f1a2b3c4d00>)",
        FINAL.trim_end().trim_start_matches("TypeError: ")
    );
    tells_of_lock_at(0, &format!("{tuple}\n"));
    tells_of_lock_at(0, &format!("Unexpected error: {tuple}\n"));
    assert_eq!(told(&format!("skipped: {tuple}\n")), []);
}

#[test]
fn the_record_of_a_task_that_failed_in_dask_tells_its_exception() {
    let message = FINAL.trim_end().trim_start_matches("TypeError: ");
    let text = format!(
        "2024-05-14 09:12:33,123 - distributed.worker - WARNING - Compute Failed\n\
         Key:       load-0a1b2c\nException: \"TypeError(\\\"{message}\\\")\"\n\n"
    );
    tells_of_lock_at(0, &text);
}

#[test]
fn django_writes_the_final_line_in_two_halves() {
    let message = FINAL.trim_end().trim_start_matches("TypeError: ");
    let text = format!(
        "Traceback (most recent call last):\n{FRAME}\n\
         Exception Type: TypeError at /run/\nException Value: {message}\nRaised during: app.views.run\n"
    );
    tells_of_lock_at(37, &text);
}
