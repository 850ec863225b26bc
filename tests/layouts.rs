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
        // Sentry, which lists a chain.
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
