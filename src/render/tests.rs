//! Annotations as they look; `UPDATE_GOLDENS=1 cargo test render` rewrites the goldens.

use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use unicode_width::UnicodeWidthStr;

use super::{Annotator, BlockStart, Colour, Glyphs, Length, Seen, json};
use crate::corpus::{Confidence, Corpus, Failure, Rule, is_shell, python_words};
use crate::incident::{Mode, Moment, Notice, RankSet, RootPlace, Tracker};
use crate::traceback::facts::{StartMethod, Via};
use crate::traceback::notes::ObjectPath;
use crate::traceback::{Exception, Frame, Span};

const LOCK: &str = r#"
title = "a lock cannot be sent to another process"
cause = "Starting a DataLoader worker with `spawn` pickles the dataset, and a lock works only inside the process that made it."
links = ["https://docs.python.org/3/library/pickle.html#handling-stateful-objects"]
[[match]]
exception = "TypeError"
message = "cannot pickle '{type}' object"
[[fix]]
name = "dataloader"
text = "Leave the lock out when the dataset is pickled, and make a new one in the worker:"
code = '''
def __getstate__(self):
    state = self.__dict__.copy()
    state.pop("«attribute|_lock»", None)
    return state
'''
check = "`pickle.dumps(dataset)` succeeds"
not = "`num_workers=0` only hides it; `fork`, which torch suggests above, fails once CUDA is in use"
[[fix]]
name = "initializer"
text = "Make the lock in each worker, in the function that you give as `worker_init_fn`."
"#;

const LEAK: &str = r#"
title = "semaphores were left behind"
severity = "warning"
cause = "A process that made semaphores was killed before it could remove them."
[[match]]
exception = "E"
[[fix]]
text = "Nothing to do, unless it happens at every run: then close the pool with `with Pool() as pool:`."
"#;

fn golden(name: &str, drawn: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/annotation")
        .join(name);
    let drawn = spelt(std::str::from_utf8(drawn).expect("annotations are UTF-8"));
    if env::var_os("UPDATE_GOLDENS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder can be made");
        fs::write(&path, &drawn).expect("the golden can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(drawn, expected, "{}", path.display());
}

/// Spells colours out: `[bold]`.
fn spelt(drawn: &str) -> String {
    let mut text = drawn.to_owned();
    for (code, name) in [
        ("0", "/"),
        ("1", "bold"),
        ("2", "faint"),
        ("31", "red"),
        ("35", "magenta"),
    ] {
        text = text.replace(&format!("\x1b[{code}m"), &format!("[{name}]"));
    }
    assert!(!text.contains('\x1b'), "{text:?}");
    text
}

fn annotator(width: usize) -> Annotator {
    Annotator::new(width, Glyphs::Unicode, Colour::Off)
}

fn lock() -> Failure<'static> {
    let mut failure = Failure::of(Rule::of("pickle", "unpicklable-lock", LOCK));
    failure.exception = Some("TypeError".to_owned());
    failure.message = "cannot pickle '_thread.lock' object".to_owned();
    failure
        .diagnosis_mut()
        .captures
        .insert("type".to_owned(), "_thread.lock".to_owned());
    failure.at = Span {
        line: 3,
        end_line: 41,
        offset: 200,
        end_offset: 3000,
    };
    let facts = &mut failure.facts;
    facts.via = Some(Via::DataLoader);
    facts.start_method = Some(StartMethod::Spawn);
    facts.python = Some((3, 14));
    facts.ended_process = true;
    facts.user_frame = Some(Frame {
        path: "/home/user/project/torch_spawn_dataset.py".into(),
        line: 100,
        function: "main".to_owned(),
        source: Some("for b in loader:".to_owned()),
        ..Frame::default()
    });
    failure.diagnosis_mut().object_path = path(
        &[
            "dict item 'cache_lock'",
            "Records state",
            "Records object",
            "list item 0",
            "tuple item 1",
            "dict item '_args'",
            "multiprocessing.context.SpawnProcess state",
            "multiprocessing.context.SpawnProcess object",
        ],
        "torch/utils/data/dataloader.py",
    );
    failure
}

fn path(notes: &[&str], file: &str) -> Option<ObjectPath> {
    ObjectPath::read(&Exception {
        notes: notes
            .iter()
            .map(|note| format!("when serializing {note}"))
            .collect(),
        frames: vec![Frame {
            path: file.into(),
            ..Frame::default()
        }],
        ..Exception::default()
    })
}

/// A bound method as the target of a process.
fn method() -> Failure<'static> {
    let mut failure = lock();
    failure.facts.via = Some(Via::Process);
    failure.facts.user_frame = Some(Frame {
        path: "/home/user/project/unpicklable_lock_process_method.py".into(),
        line: 23,
        function: "<module>".to_owned(),
        source: Some("Trainer(multiprocessing.get_context(sys.argv[1] if len(sys.argv) > 1 else None)).train()".to_owned()),
        ..Frame::default()
    });
    let notes = [
        "dict item '_lock'",
        "Trainer state",
        "Trainer object",
        "tuple item 0",
        "method reconstructor arguments",
        "method object",
        "dict item '_target'",
        "multiprocessing.context.SpawnProcess state",
        "multiprocessing.context.SpawnProcess object",
    ];
    failure.diagnosis_mut().object_path = path(&notes, "multiprocessing/process.py");
    failure
}

/// The same failure on Python 3.11, on a rank.
fn unnamed() -> Failure<'static> {
    let mut failure = lock();
    failure.diagnosis_mut().object_path = None;
    failure.facts.python = Some((3, 11));
    failure.facts.rank = Some(3);
    failure.diagnosis_mut().confidence = Confidence::Likely;
    failure
}

fn full(annotator: Annotator) -> Annotator {
    Annotator {
        length: Length::Full,
        ..annotator
    }
}

fn root(failure: Failure<'static>) -> Notice<'static> {
    Notice::Root(Box::new(failure))
}

#[test]
fn an_annotation_is_wrapped_to_the_width() {
    for (name, failure) in [
        ("lock", lock()),
        ("method", method()),
        ("unnamed", unnamed()),
    ] {
        let notice = root(failure);
        for width in [60, 80, 100, 200] {
            let drawn = annotator(width).draw(&notice, BlockStart::Line, Seen::New);
            golden(&format!("{name}-{width}.txt"), &drawn);
        }
        let drawn = full(annotator(80)).draw(&notice, BlockStart::Line, Seen::New);
        golden(&format!("{name}-full.txt"), &drawn);
        let again: Vec<u8> = [Seen::Before, Seen::Gone(1), Seen::Gone(23)]
            .into_iter()
            .flat_map(|seen| annotator(80).draw(&notice, BlockStart::Line, seen))
            .collect();
        golden(&format!("{name}-again.txt"), &again);
    }
    golden(
        "lock-30.txt",
        &annotator(30).draw(&root(lock()), BlockStart::Line, Seen::New),
    );
}

#[test]
fn code_moves_to_the_left_where_it_then_fits() {
    let indent = |width| {
        let drawn = annotator(width).draw(&root(lock()), BlockStart::Line, Seen::New);
        let text = String::from_utf8(drawn).expect("UTF-8");
        let line = text.lines().find(|line| line.contains(".pop("));
        line.and_then(|line| line.find("state")).expect("the code") - "▎".len()
    };
    // The line is 29 columns wide, and stands 4 deeper than the others.
    assert_eq!([60, 49, 48, 44, 37].map(indent), [19, 19, 18, 14, 7]);
    let drawn = full(annotator(32)).draw(&root(lock()), BlockStart::Line, Seen::New);
    let text = String::from_utf8(drawn).expect("UTF-8");
    let pasted = "▎       state.pop(\"cache_lock\",\n▎           None)\n";
    assert!(text.contains(pasted), "{text}");
}

#[test]
fn colours_and_ascii_are_spelt_out() {
    let coloured = Annotator {
        colour: Colour::On,
        ..annotator(88)
    };
    golden(
        "lock-coloured.txt",
        &coloured.draw(&root(lock()), BlockStart::Line, Seen::New),
    );
    let ascii = Annotator {
        glyphs: Glyphs::Ascii,
        ..annotator(88)
    };
    let mut failure = method();
    failure.message.push('→');
    let drawn = ascii.draw(&root(failure), BlockStart::Broken, Seen::New);
    assert!(drawn.is_ascii());
    golden("method-ascii-broken.txt", &drawn);
}

#[test]
fn short_lines_are_one_line() {
    let mut ranks = RankSet::default();
    (0..8).for_each(|rank| ranks.insert(rank));
    let id = "unpicklable-lock";
    let title = || "a lock cannot be sent to another process".to_owned();
    let says = [
        Notice::Again {
            id,
            count: 4,
            ranks: RankSet::default(),
        },
        Notice::Again {
            id,
            count: 32,
            ranks,
        },
        Notice::Consequence {
            id: "unpickle-ran-out-of-input",
            root_title: title(),
            place: RootPlace::Above,
        },
        Notice::Consequence {
            id: "unpickle-ran-out-of-input",
            root_title: title(),
            place: RootPlace::FarAbove(120),
        },
        Notice::Consequence {
            id: "unpickle-ran-out-of-input",
            root_title: title(),
            place: RootPlace::Below,
        },
        root(Failure::of(Rule::of("start", "leaked-semaphores", LEAK))),
    ];
    let drawn: Vec<u8> = says
        .iter()
        .flat_map(|say| annotator(100).draw(say, BlockStart::Line, Seen::New))
        .collect();
    golden("short.txt", &drawn);
    let coloured = Annotator {
        colour: Colour::On,
        ..annotator(100)
    };
    let drawn: Vec<u8> = says
        .iter()
        .flat_map(|say| coloured.draw(say, BlockStart::Line, Seen::New))
        .collect();
    golden("short-coloured.txt", &drawn);
    let broken = annotator(100).draw(&says[0], BlockStart::Broken, Seen::New);
    assert!(broken.starts_with("▎⏎ pickfix: same failure again, 4 times".as_bytes()));
}

#[test]
fn the_finder_is_shown_only_where_the_object_is_not_known() {
    let finder = "[[fix]]\nname = 'find'\ntext = 'Look for it:'\ncode = 'look()'\n";
    let rule = Rule::of("pickle", "unpicklable-lock", &format!("{LOCK}{finder}"));
    let draw = |failure: Failure<'static>| {
        let failure = lock_of(rule, failure);
        String::from_utf8(annotator(88).draw(&root(failure), BlockStart::Line, Seen::New))
            .expect("UTF-8")
    };
    assert!(!draw(lock()).contains("find_unpicklable"));
    let unnamed = draw(unnamed());
    let row = "▎   find    `pickfix finder > find_unpicklable.py`, then `explain(loader)`\n";
    assert!(unnamed.contains(row), "{unnamed}");
    assert!(!unnamed.contains("Look for it"), "{unnamed}");
}

/// Returns a failure of another rule in the same circumstances.
fn lock_of(rule: &'static Rule, of: Failure<'static>) -> Failure<'static> {
    let mut failure = Failure::of(rule);
    failure.message = of.message;
    failure.facts = of.facts;
    failure.diagnosis_mut().object_path = of.diagnosis.and_then(|d| d.object_path);
    failure
}

#[test]
fn every_line_has_the_gutter_and_no_words_leave_the_width() {
    let above = |place| Notice::Consequence {
        id: "unpickle-ran-out-of-input",
        root_title: "a lock cannot be sent to another process".to_owned(),
        place,
    };
    let again = Notice::Again {
        id: "unpicklable-lock",
        count: 32,
        ranks: RankSet::default(),
    };
    let places = [RootPlace::Above, RootPlace::FarAbove(120), RootPlace::Below];
    let mut says: Vec<_> = places.map(above).into();
    says.push(again);
    says.extend([lock(), method(), unnamed()].map(root));
    for width in 30..130 {
        for (glyphs, start, gutter) in [
            (Glyphs::Unicode, BlockStart::Line, "▎"),
            (Glyphs::Unicode, BlockStart::Broken, "▎⏎"),
            (Glyphs::Ascii, BlockStart::Line, "#|"),
            (Glyphs::Ascii, BlockStart::Broken, "#|+"),
        ] {
            let look = Annotator {
                glyphs,
                ..annotator(width)
            };
            for drawn in says.iter().map(|say| look.draw(say, start, Seen::New)) {
                let text = String::from_utf8(drawn).expect("UTF-8");
                assert!(text.ends_with('\n') && text.starts_with(gutter));
                for line in text.lines() {
                    let (mark, words) = line.split_once(' ').unwrap_or((line, ""));
                    assert!(gutter.starts_with(mark), "{line:?}");
                    assert_eq!(line, line.trim_end());
                    assert!(
                        words.contains("https://") || line.width() <= width,
                        "{width}: {line}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_the_log_says_is_shown_harmless() {
    let mut failure = lock();
    failure.facts.user_frame = Some(Frame {
        path: "a\u{1b}]0;x\u{7}.py".into(),
        line: 1,
        function: "f\u{202e}".to_owned(),
        source: Some("x\r\u{1b}[2Ky".to_owned()),
        ..Frame::default()
    });
    failure
        .diagnosis_mut()
        .captures
        .insert("type".to_owned(), "a\nb\u{9b}".to_owned());
    let drawn = String::from_utf8(annotator(100).draw(&root(failure), BlockStart::Line, Seen::New))
        .expect("UTF-8");
    let bad = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
    assert!(!drawn.contains(bad), "{drawn:?}");
    assert!(
        drawn.contains(r"a\x1b]0;x\x07.py:1 in f\u202e()"),
        "{drawn}"
    );
}

#[test]
fn the_report_has_the_fields_of_the_schema() {
    let mut tracker = Tracker::new(Mode::Saved);
    tracker.begin(Some(Arc::from("train.log")));
    let failures = vec![lock(), lock()];
    tracker.push(failures, Moment::default());
    let mut eof = Failure::of(Rule::of(
        "unpickle",
        "unpickle-ran-out-of-input",
        "title = 't'\ncause = 'c'\nconsequence_of = ['unpicklable-lock']\n[[match]]\nexception = 'E'\n[[fix]]\ntext = 't'\n",
    ));
    eof.at.line = 50;
    eof.exception = Some("EOFError".to_owned());
    tracker.push(vec![eof], Moment::default());
    let lines: Vec<String> = tracker
        .into_incidents()
        .iter()
        .filter_map(json::line)
        .collect();
    assert_eq!(lines.len(), 1);
    let value: serde_json::Value = serde_json::from_str(&lines[0]).expect("JSON");
    golden(
        "lock.json",
        (serde_json::to_string_pretty(&value).expect("JSON") + "\n").as_bytes(),
    );
    assert!(
        lines[0].starts_with(
            r#"{"schema":1,"id":"unpicklable-lock","family":"pickle","title":"a lock"#
        )
    );
    assert_eq!(value["consequences"][0]["line"], 50);
}

#[test]
fn code_in_short_counts_the_rows_that_it_takes() {
    let line = "pool = context.Pool(processes=workers, initializer=prepare, initargs=(queue,))\n";
    for (width, kept) in [(120, 5), (60, 2)] {
        let mut block = super::block::Block::new(width, Glyphs::Unicode);
        block.words("fix", "Do this:");
        block.code_in_short(&line.repeat(9), 6);
        let text = |line: &super::block::StyledLine| -> String {
            line.iter().map(|(_, text)| text.as_str()).collect()
        };
        let rows: Vec<String> = block.lines[1..].iter().map(text).collect();
        assert_eq!(rows.len(), if width > 80 { 6 } else { 5 }, "{rows:?}");
        let left = format!("… {} more lines", 9 - kept);
        assert_eq!(rows.last().map(|row| row.trim()), Some(left.as_str()));
    }
}

#[test]
fn the_code_of_all_rules_is_the_same_code_where_it_is_too_wide() {
    let corpus = Corpus::built_in();
    let pages = corpus.rules().filter_map(|rule| corpus.page(&rule.id));
    let mut folded = 0;
    for page in pages {
        for code in page.fixes.iter().filter_map(|fix| fix.told.code.as_ref()) {
            let Some(words) = python_words(code).filter(|_| !is_shell(code)) else {
                continue;
            };
            let mut block = super::block::Block::new(48, Glyphs::Unicode);
            block.code(code);
            let lines = block.lines.iter().map(|line| {
                let text = |(_, text): &(_, String)| text.clone();
                line.iter().map(text).collect::<String>()
            });
            let lines: Vec<String> = lines.collect();
            if lines.iter().any(|line| line.contains('↪')) {
                continue;
            }
            let indent = |line: &String| line.len() - line.trim_start().len();
            let full = lines.iter().filter(|line| !line.is_empty());
            let left = full.map(indent).min().unwrap_or(0);
            let lines = lines.iter().map(|line| line.get(left..).unwrap_or(""));
            let drawn = lines.collect::<Vec<_>>().join("\n");
            assert_eq!(
                python_words(&drawn).as_ref(),
                Some(&words),
                "{}: {drawn}",
                page.id
            );
            folded += 1;
        }
    }
    assert!(folded > 1_000, "{folded}");
}
