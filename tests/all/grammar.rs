//! The grammars over lines of any kind: what they take out of a line stands in it.

use crate::common::goldens;
use crate::invariants::{
    pieces_stand_in_the_line, prefixes_hold, stream_holds, unfolding_adds_nothing,
};
use pickfix::traceback::Dialect;
use proptest::prelude::*;

/// Words of all dialects, of which lines are made.
const WORDS: [&str; 64] = [
    "Traceback (most recent call last)",
    ":",
    "File \"",
    "\", line ",
    ", in ",
    " in ",
    "<module>",
    "3",
    "0x7f",
    "TypeError",
    "ValueError: ",
    ": ",
    "x.py",
    "~/x.py",
    "Cell In[",
    "]",
    ", line 2",
    "----> ",
    "-",
    "E   ",
    "E  ",
    "│ ",
    "❱ ",
    "╭─ ",
    "─╮",
    "> ",
    "| ",
    "  | ",
    "  + ",
    "+-+-",
    "Exception Group ",
    "Original ",
    "Thread ",
    "Thread 0x",
    "Current thread 0x",
    " (most recent call first):",
    " (idle)",
    ": \"MainThread\"",
    "(",
    ")",
    "{\"log\":\"",
    "\\n",
    "\\\"",
    "\\u001b[0m",
    "\"exc_type\": \"",
    "\"filename\": \"",
    "b'",
    "'",
    "\"",
    "\\",
    "\\x1b[",
    "2024-05-01T10:00:00.1Z",
    "2024-05-01 10:00:00,123 ",
    "May  1 10:00:00 ",
    "ERROR ",
    "[rank",
    "(f pid=",
    "E0501 ",
    " ",
    "  ",
    "    ",
    "\t",
    "é",
    "when serializing ",
];

fn line() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        1 => "[^\\n]{0,6}",
    ];
    prop::collection::vec(word, 0..14).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_of_random_lines_stand_in_them(line in line()) {
        for dialect in Dialect::ALL {
            pieces_stand_in_the_line(dialect, &line);
        }
        unfolding_adds_nothing(&line);
    }

    #[test]
    fn random_prefixes_come_off(prefix in line(), line in line()) {
        prefixes_hold(&prefix, &line);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_lines_make_a_stream_that_holds(lines in prop::collection::vec(line(), 0..12), size in 1_usize..60) {
        stream_holds(lines.join("\n").as_bytes(), size);
    }
}

#[test]
fn pieces_of_real_lines_stand_in_them() {
    for (_, _, input) in goldens() {
        for line in String::from_utf8_lossy(&input).lines() {
            for dialect in Dialect::ALL {
                pieces_stand_in_the_line(dialect, line);
            }
            unfolding_adds_nothing(line);
        }
    }
}
