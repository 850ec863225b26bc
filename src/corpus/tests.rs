use crate::traceback::{Dialect, Evidence, Exception, Frame, Link, Span};

use std::fs;

use super::rule::CheckedRule;
use super::*;

/// Makes a corpus of rules given as `family/id` and text.
pub(super) fn corpus(rules: &[(&str, &str)]) -> Corpus {
    let slots = rules.iter().map(|(name, text)| {
        let (family, id) = name.split_once('/').unwrap();
        let text = format!("title = 'the {id}'\ncause = 'c'\n{text}");
        let (entry, _) = RuleEntry::read(id, family, &format!("{name}.toml"), &text).unwrap();
        let slot = Slot::of_user(entry);
        Rule::new(&slot.entry).unwrap_or_else(|e| panic!("{e}"));
        slot
    });
    Corpus::of(slots.collect())
}

fn raised(text: &str) -> Exception {
    let (exception, message) = text.split_once(": ").unwrap_or((text, ""));
    Exception {
        type_name: Some(exception.to_string()),
        message: message.lines().map(str::to_string).collect(),
        frames: vec![Frame {
            path: "a.py".into(),
            line: 3,
            function: "f".into(),
            source: Some("g(x)".into()),
            ..Frame::default()
        }],
        ..Exception::default()
    }
}

fn linked(text: &str, link: Link, other: usize) -> Exception {
    Exception {
        link: Some((link, other)),
        ..raised(text)
    }
}

fn traceback(exceptions: Vec<Exception>) -> Traceback {
    Traceback {
        exceptions,
        at: Span {
            line: 1,
            end_line: 4,
            offset: 0,
            end_offset: 90,
        },
        ..Traceback::default()
    }
}

fn log_line(line: &str) -> Traceback {
    let raised = Exception {
        message: vec![line.to_string()],
        ..Exception::default()
    };
    Traceback {
        dialect: Dialect::LogLine,
        evidence: Evidence::Line,
        exceptions: vec![raised],
        ..Traceback::default()
    }
}

/// Returns the diagnoses as `id@raised`, with `?` if they are only likely.
fn found(corpus: &Corpus, traceback: &Traceback) -> Vec<String> {
    let show = |failure: Failure| {
        let d = failure.diagnosis.expect("a rule knows it");
        let mark = if d.confidence == Confidence::Likely {
            "?"
        } else {
            ""
        };
        format!("{}@{}{mark}", d.rule.id, d.exception)
    };
    corpus.diagnose(traceback).into_iter().map(show).collect()
}

fn captured<'f>(failure: &'f Failure, name: &str) -> &'f str {
    &failure
        .diagnosis
        .as_ref()
        .expect("a rule knows it")
        .captures[name]
}

const A: (&str, &str) = (
    "x/a",
    "[[match]]\nexception = 'A'\nmessage = 'the message of {n}'\n",
);
const B: (&str, &str) = ("x/b", "[[match]]\nexception = 'B'\n");

#[test]
fn a_built_in_rule_knows_its_exception() {
    let corpus = Corpus::built_in();
    let traceback = traceback(vec![raised(
        "TypeError: cannot pickle '_thread.lock' object",
    )]);
    let failures = corpus.diagnose(&traceback);
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].id(), Some("unpicklable-lock"));
    assert_eq!(captured(&failures[0], "type"), "_thread.lock");
    assert_eq!(failures[0].at.end_line, 4);
    let told = failures[0].advice();
    assert!(told.cause.contains("_thread.lock"), "{}", told.cause);
    assert!(told.fixes[0].chosen);
    let examples = corpus.examples("unpicklable-lock");
    assert!(examples.iter().any(|e| e.input.contains("TypeError")));
}

#[test]
fn every_built_in_rule_compiles() {
    let corpus = Corpus::built_in();
    for slot in &corpus.slots {
        Rule::new(&slot.entry).unwrap_or_else(|e| panic!("{e}"));
        let id = &*slot.entry.id;
        assert_eq!(slot.conditions().count(), slot.entry.keys.len(), "{id}");
    }
}

#[test]
fn an_exception_that_no_rule_names_is_no_diagnosis() {
    let corpus = corpus(&[A, B]);
    assert!(found(&corpus, &traceback(vec![raised("C: the message of 1")])).is_empty());
    assert!(found(&corpus, &traceback(vec![raised("A: another message")])).is_empty());
    assert!(found(&corpus, &traceback(vec![])).is_empty());
}

#[test]
fn the_cause_is_diagnosed_before_what_came_of_it() {
    let corpus = corpus(&[A, B]);
    let chain = |link| traceback(vec![raised("B"), linked("A: the message of 1", link, 0)]);
    assert_eq!(found(&corpus, &chain(Link::Cause)), ["b@0"]);
    assert_eq!(found(&corpus, &chain(Link::Remote)), ["b@0"]);
    // Both are known: no doubt that the first is what went wrong.
    assert_eq!(found(&corpus, &chain(Link::Context)), ["b@0"]);
}

#[test]
fn a_handled_exception_before_an_unknown_one_is_only_likely() {
    let corpus = corpus(&[A, B]);
    let context = traceback(vec![raised("B"), linked("ValueError: x", Link::Context, 0)]);
    assert_eq!(found(&corpus, &context), ["b@0?"]);
    let cause = traceback(vec![raised("B"), linked("ValueError: x", Link::Cause, 0)]);
    assert_eq!(found(&corpus, &cause), ["b@0"]);
    let last = traceback(vec![raised("KeyError: x"), linked("B", Link::Context, 0)]);
    assert_eq!(found(&corpus, &last), ["b@1"]);
}

#[test]
fn beats_decides_also_between_exceptions_and_by_family() {
    let chain = traceback(vec![
        raised("B"),
        linked("A: the message of 1", Link::Cause, 0),
    ]);
    let a_beats = format!("beats = 'x/*'\n{}", A.1);
    assert_eq!(found(&corpus(&[("x/a", &a_beats), B]), &chain), ["a@1"]);
    let a_beats = format!("beats = ['b']\n{}", A.1);
    assert_eq!(found(&corpus(&[("y/a", &a_beats), B]), &chain), ["a@1"]);
}

#[test]
fn two_rules_that_beat_each_other_do_not_silence_both() {
    let chain = traceback(vec![
        raised("B"),
        linked("A: the message of 1", Link::Cause, 0),
    ]);
    let (a, b) = (
        format!("beats = 'b'\n{}", A.1),
        format!("beats = 'a'\n{}", B.1),
    );
    assert_eq!(found(&corpus(&[("x/a", &a), ("x/b", &b)]), &chain), ["b@0"]);
}

#[test]
fn a_fallback_gives_way_to_any_other_rule() {
    let b = format!("fallback = true\n{}", B.1);
    let chain = traceback(vec![
        raised("B"),
        linked("A: the message of 1", Link::Cause, 0),
    ]);
    assert_eq!(found(&corpus(&[A, ("x/b", &b)]), &chain), ["a@1"]);
    assert_eq!(
        found(&corpus(&[A, ("x/b", &b)]), &traceback(vec![raised("B")])),
        ["b@0"]
    );
}

#[test]
fn each_member_of_a_group_has_its_own_diagnosis() {
    let corpus = corpus(&[A, B]);
    let group = traceback(vec![
        raised("ExceptionGroup: three (3 sub-exceptions)"),
        linked("A: the message of 1", Link::GroupMember, 0),
        linked("B", Link::GroupMember, 0),
        linked("ValueError: x", Link::GroupMember, 0),
    ]);
    assert_eq!(found(&corpus, &group), ["a@1", "b@2"]);
}

#[test]
fn a_quoted_exception_counts_only_where_the_outer_one_is_unknown() {
    let outer = (
        "x/outer",
        "[[match]]\nexception = 'MaybeEncodingError'\nquoted.exception = 'A'\nquoted.message = 'the message of {what}'\n",
    );
    let text = vec![
        raised("multiprocessing.pool.MaybeEncodingError: Error"),
        linked("A: the message of 1", Link::Quoted, 0),
    ];
    let with_outer = corpus(&[A, outer]);
    assert_eq!(found(&with_outer, &traceback(text.clone())), ["outer@0"]);
    assert_eq!(
        captured(&with_outer.diagnose(&traceback(text.clone()))[0], "what"),
        "1"
    );
    assert_eq!(found(&corpus(&[A]), &traceback(text)), ["a@1"]);
}

#[test]
fn a_line_alone_needs_twelve_literal_bytes_and_is_only_likely() {
    let short = ("x/s", "[[match]]\nexception = 'A'\nmessage = 'short {n}'\n");
    let alone = |text| Traceback {
        evidence: Evidence::Line,
        ..traceback(vec![raised(text)])
    };
    let corpus = corpus(&[A, B, short]);
    assert_eq!(found(&corpus, &alone("A: the message of 1")), ["a@0?"]);
    assert!(found(&corpus, &alone("A: short 1")).is_empty());
    assert!(found(&corpus, &alone("B")).is_empty());
    let frames = Traceback {
        evidence: Evidence::Frames,
        ..traceback(vec![raised("A: the message of 1")])
    };
    assert_eq!(found(&corpus, &frames), ["a@0"]);
}

#[test]
fn a_template_that_fits_the_whole_message_goes_before_one_that_fits_a_part() {
    let corpus = corpus(&[(
        "x/a",
        "[[match]]\nexception = 'A'\nmessage = ['no answer at all from {host} Trying in {n} s...', \
         'no answer at all from {host} trying in {n} s...']\n",
    )]);
    let raised = raised("A: no answer at all from b trying in 3 s...");
    assert_eq!(found(&corpus, &traceback(vec![raised])), ["a@0"]);
}

#[test]
fn a_cut_message_is_only_likely() {
    let corpus = corpus(&[(
        "x/a",
        "[[match]]\nexception = 'A'\nmessage = 'cannot pickle {n} object'\ncaptures.n = 'x'\n",
    )]);
    assert_eq!(
        found(
            &corpus,
            &traceback(vec![raised("A: cannot pickle x ob...")])
        ),
        ["a@0?"]
    );
    assert!(
        found(
            &corpus,
            &traceback(vec![raised("A: cannot pickle y object")])
        )
        .is_empty()
    );
}

#[test]
fn a_log_line_is_asked_of_log_line_rules_alone() {
    let line = (
        "x/l",
        "[[match]]\nlog_line = '...terminate called without an active exception'\n",
    );
    let any = ("x/m", "[[match]]\nmessage = '...terminate called ...'\n");
    let corpus = corpus(&[line, any]);
    assert_eq!(
        found(
            &corpus,
            &log_line("terminate called without an active exception")
        ),
        ["l@0"]
    );
    assert_eq!(
        found(
            &corpus,
            &traceback(vec![raised(
                "X: terminate called without an active exception"
            )])
        ),
        ["m@0"]
    );
    assert_eq!(
        corpus.log_line_literals().collect::<Vec<_>>(),
        ["terminate called without an active exception"]
    );
}

#[test]
fn an_expression_that_does_not_compile_is_named_with_its_place() {
    let text = "title='t'\ncause='c'\n[[match]]\nmessage='{n} x'\ncaptures.n = '('\n";
    let (entry, file) = RuleEntry::read("an-id", "fam", "a.toml", text).unwrap();
    let error = CheckedRule::new(&entry, file).unwrap_err();
    assert_eq!((error.line, error.column), (5, 15), "{error}");
    assert!(error.message.contains("regular expression"), "{error}");
}

#[test]
fn a_dump_is_known_by_its_threads() {
    let rule = "[[match]]\n[[match.thread]]\nname = 'Thread-{n}'\nlast_frame = 'queue.py:get'\n[[match.thread]]\nframe = ':main'\n";
    let corpus = corpus(&[("x/d", rule)]);
    let stack = |name: &str, file: &str, function: &str| crate::traceback::Stack {
        name: Some(name.to_string()),
        frames: vec![Frame {
            path: file.into(),
            function: function.into(),
            ..Frame::default()
        }],
        ..crate::traceback::Stack::default()
    };
    let dump = |threads| Traceback {
        dialect: Dialect::Dump,
        threads,
        ..Traceback::default()
    };
    let both = dump(vec![
        stack("Main", "a.py", "main"),
        stack("Thread-1", "/lib/queue.py", "get"),
    ]);
    assert_eq!(found(&corpus, &both), ["d@0"]);
    assert_eq!(captured(&corpus.diagnose(&both)[0], "n"), "1");
    assert!(
        found(
            &corpus,
            &dump(vec![stack("Thread-1", "/lib/queue.py", "get")])
        )
        .is_empty()
    );
}

#[test]
fn the_fix_is_the_first_whose_condition_holds_and_others_stand_beside_it_by_also() {
    let rule = "[[match]]\nexception = 'A'\nmessage = '{n}'\n\
        [[title_when]]\nwhen.captures.n = 'one'\ntext = 'of {n}'\n\
        [[cause_when]]\nwhen.captures.n = 'one'\ntext = 'by {n}'\n\
        [[fix]]\nname = 'other'\nwhen.captures.n = 'two'\ntext = 'o'\n\
        [[fix]]\nname = 'first'\nwhen.last_frame = 'a.py:f'\nwhen.unless.chain = 'B'\ntext = 'f'\n\
        [[fix]]\nname = 'beside'\nalso = true\nwhen.captures.n = 'one'\ntext = 'b'\n\
        [[fix]]\nname = 'always'\nalso = true\ntext = 'a'\n\
        [[fix]]\nname = 'last'\ntext = 'l'\n";
    let corpus = corpus(&[("x/a", rule)]);
    let told = |t: &Traceback| corpus.diagnose(t)[0].advice();
    let names = |t: &Advice| {
        t.fixes
            .iter()
            .map(|f| (f.name.clone().unwrap(), f.chosen))
            .collect::<Vec<_>>()
    };
    let expected = |names: &[&str]| {
        let names = names.iter().enumerate();
        names
            .map(|(n, name)| ((*name).to_string(), n == 0))
            .collect::<Vec<_>>()
    };
    let alone = told(&traceback(vec![raised("A: one")]));
    assert_eq!(names(&alone), expected(&["first", "beside", "always"]));
    assert_eq!(
        (alone.title.as_str(), alone.cause.as_str()),
        ("of one", "by one")
    );
    let chained = told(&traceback(vec![
        raised("A: three"),
        linked("B", Link::Cause, 0),
    ]));
    assert_eq!(names(&chained), expected(&["last", "always"]));
    assert_eq!(
        (chained.title.as_str(), chained.cause.as_str()),
        ("the a", "c")
    );
}

#[test]
fn captured_amounts_are_compared() {
    let rule = "[[match]]\nexception = 'A'\nmessage = ['tried {wanted}, {free} free', 'tried {wanted}']\n\
        [[fix]]\nname = 'less'\nwhen.compare = 'wanted > 10 * free'\ntext = 'l'\n\
        [[fix]]\nname = 'some'\nwhen.unless.compare = ['wanted < free', 'wanted > free']\ntext = 's'\n\
        [[fix]]\nname = 'last'\ntext = 'l'\n";
    let corpus = corpus(&[("x/a", rule)]);
    for (message, fix) in [
        ("A: tried 2.00 GiB, 10.00 MiB free", "less"),
        ("A: tried 2.00 GiB, 1.00 GiB free", "last"),
        ("A: tried 2.00 GiB", "some"),
    ] {
        let found = corpus.diagnose(&traceback(vec![raised(message)]));
        assert_eq!(
            found[0].advice().fixes[0].name.as_deref(),
            Some(fix),
            "{message}"
        );
    }
}

#[test]
fn a_message_that_was_cut_inside_a_capture_is_its_rules_alone() {
    let of = |kind| {
        format!(
            "[[match]]\nexception = 'A'\nmessage = \"cannot pickle '{{n}}' object\"\ncaptures.n = '{kind}'\n"
        )
    };
    let (file, lock) = (of("io"), of("_thread.lock"));
    let corpus = corpus(&[("x/file", &file), ("x/lock", &lock)]);
    let ids = |text: &str| found(&corpus, &traceback(vec![raised(text)]));
    assert_eq!(ids("A: cannot pickle '_thread.lock..."), ["lock@0?"]);
    assert_eq!(ids("A: cannot pickle '_thread.lock' o..."), ["lock@0?"]);
    assert_eq!(ids("A: cannot pickle '_thread.lo..."), Vec::<String>::new());
}

#[test]
fn what_was_cut_off_tells_no_cause() {
    let rule = "[[match]]\nexception = 'A'\nmessage = 'the value is too large in {m} of {n}'\n\
        [[cause_when]]\nwhen.captures.n = 'one'\ntext = 'by {n}'\n\
        [[fix]]\ntext = 'l'\n";
    let corpus = corpus(&[("x/a", rule)]);
    let cut = corpus.diagnose(&traceback(vec![raised(
        "A: the value is too large in a tab...",
    )]));
    let cut_off = cut[0].diagnosis.as_ref().expect("a rule knows it");
    assert_eq!(cut_off.confidence, Confidence::Likely);
    assert!(!cut_off.has_own_cause());
}

#[test]
fn what_is_tested_of_a_log_line_must_not_be_cut_off() {
    let rule =
        "[[match]]\nlog_line = 'the value is too large in {m} of {n}'\ncaptures.n = 'one|two'\n";
    let corpus = corpus(&[("x/a", rule)]);
    let found = |text: &str| found(&corpus, &log_line(text));
    assert_eq!(found("the value is too large in a tab of one"), ["a@0"]);
    assert!(found("the value is too large in a tab...").is_empty());
}

#[test]
fn a_warning_that_ended_its_process_is_an_error() {
    let rule = "severity = 'warning'\n[[match]]\nexception = ['A', 'KeyboardInterrupt']\n[[fix]]\ntext = 'l'\n";
    let corpus = corpus(&[("x/a", rule)]);
    let severity = |text: &str| corpus.diagnose(&traceback(vec![raised(text)]))[0].severity();
    assert_eq!(severity("A: x"), Severity::Error);
    assert_eq!(severity("KeyboardInterrupt"), Severity::Warning);
}

#[test]
fn a_line_of_pythons_warnings_is_a_warning() {
    let rule = "[[match]]\nlog_line = '...the pool is still open'\n[[fix]]\ntext = 'l'\n";
    let corpus = corpus(&[("x/a", rule)]);
    let severity = |text: &str| corpus.diagnose(&log_line(text))[0].severity();
    let line = "/a/t.py:3: ResourceWarning: the pool is still open";
    assert_eq!(severity(line), Severity::Warning);
    assert_eq!(severity("t: the pool is still open"), Severity::Error);
}

#[test]
fn each_key_of_unless_is_a_reason_against() {
    let corpus = corpus(&[(
        "x/a",
        "[[match]]\nexception = 'A'\nunless.message = 'x'\nunless.function = 'g'\n",
    )]);
    assert!(found(&corpus, &traceback(vec![raised("A: x")])).is_empty());
    assert_eq!(found(&corpus, &traceback(vec![raised("A: y")])), ["a@0"]);
}

#[test]
fn a_template_of_several_lines_expects_its_next_line() {
    let corpus = corpus(&[
        A,
        (
            "x/c",
            "[[match]]\nexception = 'RuntimeError'\nmessage = '''\nCUDA error: {n}\nCompile with ...\n'''\n",
        ),
    ]);
    let message = ["CUDA error: initialization error".to_string()];
    assert!(corpus.expects("RuntimeError", &message, "Compile with `X`"));
    assert!(!corpus.expects("RuntimeError", &message, "epoch 1"));
    assert!(!corpus.expects("A", &message, "Compile with `X`"));
}

#[test]
fn selected_and_ignored_rules_are_named_by_id_former_id_or_family() {
    let rules = [
        A,
        B,
        ("y/c", "formerly = 'old'\n[[match]]\nexception = 'C'\n"),
    ];
    let ids = |c: &Corpus| c.ids().collect::<Vec<_>>().join(" ");
    let mut some = corpus(&rules);
    some.select(&["x/*".to_string()]).unwrap();
    assert_eq!(ids(&some), "a b");
    let mut some = corpus(&rules);
    some.ignore(&["old".to_string(), "a".to_string()]).unwrap();
    assert_eq!(ids(&some), "b");
    assert_eq!(corpus(&rules).rule("old").unwrap().id, "c");
    let error = corpus(&rules).select(&["y/".to_string()]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown rule \"y/\", did you mean \"y/*\"?"
    );
}

#[test]
fn a_rule_follows_from_ids_families_or_anything() {
    let corpus = corpus(&[
        A,
        B,
        (
            "y/c",
            "consequence_of = ['x/*']\n[[match]]\nexception = 'C'\n",
        ),
        ("y/d", "consequence_of = '*'\n[[match]]\nexception = 'D'\n"),
    ]);
    let rule = |id| corpus.rule(id).unwrap();
    let names = |id, root| rule(id).consequence_of.iter().any(|r| r.names(rule(root)));
    assert!(names("c", "a") && !names("c", "d") && !rule("c").follows_from_any());
    assert!(names("d", "a") && rule("d").follows_from_any());
}

#[test]
fn a_folder_of_rules_replaces_and_reports() {
    let folder = std::env::temp_dir().join(format!("pickfix-corpus-{}", std::process::id()));
    fs::create_dir_all(folder.join("pickle")).unwrap();
    fs::write(
        folder.join("pickle/unpicklable-lock.toml"),
        "title = 'mine'\ncause = 'c'\n",
    )
    .unwrap();
    fs::write(
        folder.join("my-rule.toml"),
        "title = 'm'\ncause = 'c'\n[[match]]\nexception = 'Mine'\n",
    )
    .unwrap();
    fs::write(
        folder.join("bad.toml"),
        "title = 'b'\ncause = 'c'\n[[match]]\nvia = 'dataloder'\n",
    )
    .unwrap();
    let missing = folder.join("missing");
    let (corpus, errors) = Corpus::load(&[folder.clone(), missing]);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(corpus.rule("unpicklable-lock").unwrap().title, "mine");
    assert_eq!(corpus.rule("my-rule").unwrap().family, "own");
    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert!(
        errors[0]
            .ends_with("bad.toml:4:7: unknown value \"dataloder\", did you mean \"dataloader\"?"),
        "{errors:?}"
    );
    assert!(errors[1].contains("no such folder"), "{errors:?}");
    assert_eq!(errors.len(), 2);
}

#[test]
fn what_a_worker_raised_is_placed_in_the_worker() {
    let text = "multiprocessing.pool.RemoteTraceback: \n\"\"\"\n\
        Traceback (most recent call last):\n  \
          File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 125, in worker\n    \
            result = (True, func(*args, **kwds))\n  \
          File \"bug.py\", line 5, in population\n    \
            return d[\"k\"]\n\
        KeyError: 'k'\n\"\"\"\n\n\
        The above exception was the direct cause of the following exception:\n\n\
        Traceback (most recent call last):\n  \
          File \"bug.py\", line 8, in main\n    \
            print(pool.map(population, range(3)))\n\
        KeyError: 'k'\n";
    let found = crate::traceback::read(text.as_bytes());
    let failure = super::Failure::unknown(&found[0]).expect("an exception");
    let place = failure.facts.user_frame.expect("a place");
    assert_eq!((place.line, place.function.as_str()), (5, "population"));
}
