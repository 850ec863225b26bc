//! Bounded: memory does not grow with the input. The limits are read off what the filter keeps;
//! the whole process is measured in the end-to-end tests.

#![expect(clippy::format_push_string, reason = "the inputs of tests are short")]

use crate::common::{CORPUS, filter, filter_text, golden_folder, without_annotations};
use pickfix::input::scripted::{Scripted, Step};
use pickfix::traceback::read;

#[test]
fn a_traceback_that_never_ends_keeps_its_first_and_last_frames() {
    let mut text = String::from("Traceback (most recent call last):\n");
    for n in 0..20_000 {
        text += &format!("  File \"x.py\", line {n}, in f\n    f()\n");
    }
    text.push_str("RecursionError: maximum recursion depth exceeded\n");
    let found = read(text.as_bytes());
    let frames = &found[0].exceptions[0].frames;
    assert_eq!(frames.len(), 250);
    assert_eq!(
        (frames[0].line, frames[49].line, frames[249].line),
        (0, 49, 19_999)
    );
}

#[test]
fn a_message_that_never_ends_is_cut_and_comes_through() {
    let mut text =
        b"Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nValueError: x\n"
            .to_vec();
    for _ in 0..50_000 {
        text.extend_from_slice(b"    more of the message\n");
    }
    let found = read(&text);
    let kept: usize = found[0].exceptions[0].message.iter().map(String::len).sum();
    assert!(kept <= 17 * 1024, "{kept}");
    assert_eq!(filter_text(&text).output, text);
}

#[test]
fn empty_lines_count_as_part_of_a_message() {
    let mut text = String::from(
        "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\nValueError: x\n",
    );
    text += &"    more of the message\n\n\n".repeat(50_000);
    let found = read(text.as_bytes());
    let kept = found[0].exceptions[0].message.len();
    assert!(kept <= 17 * 1024, "{kept}");
}

#[test]
fn notes_keep_the_first_and_the_last() {
    let mut text = String::from(
        "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\n    pickle.dumps(x)\nRecursionError: deep\n",
    );
    for n in 0..14_000 {
        text += &format!("when serializing list item {n}\n");
    }
    let found = read(text.as_bytes());
    let notes = &found[0].exceptions[0].notes;
    assert_eq!(notes.len(), 200);
    assert_eq!(notes[0], "when serializing list item 0");
    assert_eq!(notes[199], "when serializing list item 13999");
}

#[test]
fn ten_thousand_prefixes_come_through() {
    let mut text = String::new();
    for n in 0..10_000 {
        text += &format!(
            "[job{n}]: Traceback (most recent call last):\n[job{n}]:   File \"x.py\", line {n}, in f\n"
        );
    }
    assert_eq!(filter_text(text.as_bytes()).output, text.as_bytes());
}

#[test]
fn many_distinct_diagnoses_are_all_reported() {
    let mut steps = Vec::new();
    for n in 0..3_000 {
        let text = format!(
            "Traceback (most recent call last):\n  File \"/home/user/job{n}.py\", line 9, in main\n    pickle.dumps(x)\nTypeError: cannot pickle '_thread.lock' object\n"
        );
        steps.push(Step::Bytes(text.into_bytes()));
    }
    let input: Vec<u8> = steps
        .iter()
        .flat_map(|s| match s {
            Step::Bytes(b) => b.clone(),
            _ => Vec::new(),
        })
        .collect();
    let run = filter(Scripted::new(steps));
    assert_eq!(without_annotations(&run.output), input);
    assert_eq!(run.ids.len(), 3_000);
}

/// Sixty-four ranks that write line by line in turn, from one capture; each line of a rank bears
/// its mark.
fn ranks_in_turn(traceback: &str, steps: usize) -> String {
    let mut text = String::new();
    for line in traceback.lines() {
        for rank in 0..64 {
            text += &format!("[rank{rank}]: {line}\n");
        }
    }
    for step in 0..steps {
        for rank in 0..64 {
            text += &format!("[rank{rank}]: step {step} loss 0.25\n");
        }
    }
    text
}

#[test]
fn sixty_four_ranks_in_turn_are_one_failure() {
    let folder = golden_folder().join("cpython");
    let capture = std::fs::read_to_string(folder.join("unpicklable-lock--deepcopy-py38.in"))
        .expect("it lies there");
    let head = capture.find("Traceback").expect("a head");
    let text = ranks_in_turn(&capture[head..], 20);
    let run = filter_text(text.as_bytes());
    assert_eq!(without_annotations(&run.output), text.as_bytes());
    assert_eq!(run.ids, ["unpicklable-lock"]);
    assert_eq!(run.annotations(), 1);
    let found = pickfix::reader::incidents(&CORPUS, text.as_bytes(), None);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].seen.count, 64);
    assert_eq!(found[0].seen.ranks.to_string(), "0–63");
}

#[test]
fn the_lanes_of_sixty_four_ranks_close() {
    use pickfix::line::RawLine;
    use pickfix::traceback::assembler::Nothing;
    use pickfix::traceback::lanes::Lanes;

    let text = ranks_in_turn(
        "Traceback (most recent call last):\n  File \"x.py\", line 1, in f\n    f()\nValueError: x",
        4,
    );
    let (mut lanes, mut found) = (Lanes::default(), Vec::new());
    let mut offset = 0;
    for (number, bytes) in (1..).zip(text.as_bytes().split_inclusive(|b| *b == b'\n')) {
        let end_offset = offset + bytes.len() as u64;
        lanes.begin_line(bytes.first().copied(), &Nothing, &mut found);
        let line = RawLine {
            bytes,
            number,
            offset,
            end_offset,
            may_matter: true,
        };
        lanes.line(line, std::time::Duration::ZERO, &Nothing, &mut found);
        offset = end_offset;
    }
    assert!(lanes.is_idle(), "every rank went on to other things");
}
