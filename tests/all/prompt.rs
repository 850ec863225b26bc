//! Prompt: what was read is written before more is waited for, and an annotation comes as soon as
//! its traceback is complete.

use std::time::Duration;

use crate::common::{Run, filter, filter_to, goldens, without_annotations};
use pickfix::input::scripted::{Scripted, Step, Tape};

const TRACEBACK: &str = "Traceback (most recent call last):
  File \"/home/user/project/train.py\", line 9, in <module>
    pickle.dumps(job)
TypeError: cannot pickle '_thread.lock' object
";

/// Filters the steps and asserts before each read that all of the input so far is out.
fn promptly(steps: Vec<Step>) -> Run {
    let tape = Tape::default();
    let seen = tape.clone();
    let source = Scripted::new(steps).before_each(move |delivered| {
        assert_eq!(
            String::from_utf8_lossy(&without_annotations(&seen.bytes())),
            String::from_utf8_lossy(delivered),
            "a read may block, and not all is written"
        );
    });
    filter_to(source, &tape)
}

#[test]
fn all_that_was_read_is_written_before_the_next_read() {
    for (_, _, input) in goldens() {
        promptly(input.chunks(53).map(|c| Step::Bytes(c.to_vec())).collect());
    }
}

#[test]
fn unfinished_lines_do_not_wait() {
    let run = promptly(vec![
        Step::text("train:  10%|#"),
        Step::text("\rtrain:  20%|##"),
        Step::text("\nname? "),
    ]);
    assert_eq!(run.text(), "train:  10%|#\rtrain:  20%|##\nname? ");
}

#[test]
fn a_closing_line_lets_the_annotation_stand_before_it() {
    let run = promptly(vec![Step::text(TRACEBACK), Step::text("epoch 2\n")]);
    let text = run.text();
    let annotation = text.find("▎ pickfix: ").expect("an annotation");
    assert!(annotation < text.find("epoch 2").expect("the line after"));
}

#[test]
fn a_bar_that_follows_stands_below_the_annotation() {
    let run = promptly(vec![
        Step::text(TRACEBACK),
        Step::text("\rtrain:  46%|####"),
        Step::Quiet,
    ]);
    let text = run.text();
    assert!(
        text.find("▎ pickfix: ").expect("an annotation") < text.find("\rtrain").expect("the bar")
    );
    assert!(!text.contains('⏎'));
}

#[test]
fn quiet_completes_a_traceback() {
    let tape = Tape::default();
    let seen = tape.clone();
    let mut reads = 0;
    let source = Scripted::new([
        Step::text(TRACEBACK),
        Step::Advance(Duration::from_millis(150)),
        Step::text("more\n"),
    ])
    .before_each(move |_| {
        reads += 1;
        if reads == 3 {
            let text = String::from_utf8(seen.bytes()).expect("text");
            assert!(
                text.contains("▎ pickfix: "),
                "after 100 ms of quiet: {text}"
            );
        }
    });
    assert_eq!(filter_to(source, &tape).annotations(), 1);
}

#[test]
fn quiet_inside_a_line_that_may_be_the_messages_goes_behind_it() {
    let run = promptly(vec![
        Step::text(TRACEBACK),
        Step::text("    and"),
        Step::Quiet,
        Step::text(" more\n"),
    ]);
    assert!(
        run.text().contains("    and\n▎⏎ pickfix: "),
        "{}",
        run.text()
    );
}

#[test]
fn the_end_of_the_input_completes_a_traceback_without_newline() {
    let run = promptly(vec![Step::text(TRACEBACK.trim_end())]);
    assert!(
        run.text().contains("object\n▎⏎ pickfix: "),
        "{}",
        run.text()
    );
}

#[test]
fn quiet_does_not_end_an_open_traceback() {
    let (head, rest) = TRACEBACK.split_at(TRACEBACK.find("TypeError").expect("it is there"));
    let run = promptly(vec![
        Step::text(head),
        Step::Advance(Duration::from_secs(5)),
        Step::text(rest),
    ]);
    assert_eq!(run.annotations(), 1);
}

#[test]
fn quiet_between_the_members_of_a_group_does_not_end_it() {
    let (_, _, group) = goldens()
        .into_iter()
        .find(|(_, path, _)| path.ends_with("dialect-group-py314.in"))
        .expect("the golden lies there");
    let lines = group.split_inclusive(|b| *b == b'\n');
    let steps = lines.flat_map(|l| [Step::Bytes(l.to_vec()), Step::Quiet]);
    let run = promptly(steps.collect());
    assert_eq!(run.ids, ["unpicklable-lock"]);
    assert_eq!(run.annotations(), 1);
}

#[test]
fn a_log_that_never_falls_quiet_gets_its_annotation_within_200_lines() {
    // One of eight ranks fails, seven log on; no read is ever quiet.
    let mut steps = Vec::new();
    for line in TRACEBACK.lines() {
        steps.push(Step::Bytes(format!("[rank3]: {line}\n").into_bytes()));
        steps.push(Step::text("[rank5]: step 1 loss 0.5\n"));
    }
    for step in 0..400 {
        let rank = [0, 1, 2, 4, 5, 6, 7][step % 7];
        steps.push(Step::Bytes(
            format!("[rank{rank}]: step {step} loss 0.25\n").into_bytes(),
        ));
    }
    let run = promptly(steps);
    assert_eq!(run.annotations(), 1);
    let text = run.text();
    let before = text[..text.find("▎ pickfix").expect("an annotation")]
        .lines()
        .count();
    assert!(
        (200..240).contains(&before),
        "the annotation came after {before} lines"
    );
}

#[test]
fn an_annotation_never_stands_between_a_frame_and_its_source() {
    for (_, path, input) in goldens() {
        let steps = input
            .split_inclusive(|b| *b == b'\n')
            .flat_map(|l| [Step::Bytes(l.to_vec()), Step::Quiet]);
        let text = filter(Scripted::new(steps)).text();
        let lines: Vec<&str> = text.lines().collect();
        for (n, pair) in lines.windows(2).enumerate() {
            let frame = pair[0].trim_start().starts_with("File \"") && pair[0].contains(", line ");
            let open = n > 0 && frame && pair[1].starts_with('▎');
            assert!(
                !open,
                "{}: inside a frame entry: {}",
                path.display(),
                pair[0]
            );
        }
    }
}
