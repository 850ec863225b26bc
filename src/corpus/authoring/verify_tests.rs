use std::fmt::Write as _;

use super::*;
use crate::corpus::authoring::lint::titles::is_capitalised;
use crate::corpus::slot::Slot;
use crate::corpus::tests::corpus;

fn sample(line: &str) -> String {
    format!("Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n{line}\n")
}

/// Returns the text of a rule for exception `A` whose parts can be replaced.
fn rule(change: impl Fn(&mut Parts)) -> String {
    let mut parts = Parts {
        top: String::new(),
        keys: "exception = 'A'\nmessage = 'the {n} is wrong'\n".to_string(),
        fixes: "[[fix]]\nname = 'do'\ntext = 'Do `{n}`.'\n".to_string(),
        example: "fix = 'do'\ncaptures.n = 'x'\nsays = ['Do `x`']\n".to_string(),
        input: sample("A: the x is wrong"),
        other: sample("A: right"),
    };
    change(&mut parts);
    let Parts {
        top,
        keys,
        fixes,
        example,
        input,
        other,
    } = parts;
    let mut text = format!("{top}[[match]]\n{keys}{fixes}");
    let _ = write!(
        text,
        "[[example]]\nname = 'e'\n{example}input = '''\n{input}'''\n"
    );
    let _ = write!(
        text,
        "[[non_example]]\nwhy = 'w'\ninput = '''\n{other}'''\n"
    );
    text
}

struct Parts {
    top: String,
    keys: String,
    fixes: String,
    example: String,
    input: String,
    other: String,
}

fn faults(rules: &[(&str, String)]) -> Vec<String> {
    let rules: Vec<(&str, &str)> = rules.iter().map(|(n, t)| (*n, t.as_str())).collect();
    let found = verify(&corpus(&rules), &[], by_words);
    assert_eq!((found.rules, found.samples), (rules.len(), 2 * rules.len()));
    found.faults.iter().map(ToString::to_string).collect()
}

/// Expects a fault of the only rule at this line.
fn fault(change: impl Fn(&mut Parts), line: usize, words: &str) {
    let found = faults(&[("x/a", rule(change))]);
    let place = format!("x/a.toml:{line}:");
    assert!(
        found
            .iter()
            .any(|f| f.starts_with(&place) && f.contains(words)),
        "{place} {words}: {found:#?}"
    );
}

#[test]
fn a_rule_whose_samples_hold_has_no_fault() {
    assert_eq!(faults(&[("x/a", rule(|_| {}))]), [""; 0]);
}

#[test]
fn an_example_must_be_diagnosed_with_its_captures_its_fix_and_its_words() {
    fault(
        |p| p.example = "captures.n = 'y'\n".into(),
        9,
        "captures.n is \"x\", expected \"y\"",
    );
    fault(
        |p| p.example = "says = 'nothing'\n".into(),
        9,
        "does not say \"nothing\"",
    );
    let other = "[[fix]]\nname = 'do'\nwhen.via = 'pool'\ntext = 't'\n[[fix]]\ntext = 'Do `x`'\n";
    let found = faults(&[("x/a", rule(|p| p.fixes = other.into()))]);
    assert!(
        found
            .iter()
            .any(|f| f.contains("the fix \"do\" was expected, and one without a name"))
    );
    let found = faults(&[("x/a", rule(|p| p.example = "also = 'b'\n".into()))]);
    assert!(
        found
            .iter()
            .any(|f| f.contains("\"b\" is in `also` and was not diagnosed"))
    );
}

#[test]
fn an_example_that_is_not_matched_is_a_fault() {
    let found = faults(&[("x/a", rule(|p| p.input = sample("B: x")))]);
    assert!(
        found
            .iter()
            .any(|f| f.contains("example \"e\": nothing was diagnosed")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|f| f.contains("no example chooses the fix \"do\"")),
        "{found:?}"
    );
}

#[test]
fn a_non_example_that_is_matched_is_a_fault() {
    fault(
        |p| p.other = sample("A: the y is wrong"),
        20,
        "non-example \"w\": this rule matches it",
    );
}

#[test]
fn a_sample_that_another_rule_claims_is_a_fault() {
    let greedy = rule(|p| {
        p.top = "beats = 'a'\n".into();
        p.keys = "exception = 'A'\nmessage = 'the {n} is ...'\n".into();
    });
    let found = faults(&[("x/a", rule(|_| {})), ("y/b", greedy.clone())]);
    assert!(
        found[1].starts_with("x/a.toml") && found[1].contains("\"b\" was diagnosed instead"),
        "{found:?}"
    );
}

#[test]
fn names_in_texts_need_a_source_and_words_where_it_may_be_dry() {
    let fix = |text: &str| format!("[[fix]]\nname = 'do'\ntext = 'Do `x`. {text}'\n");
    fault(|p| p.fixes = fix("{m}"), 8, "nothing fills \"m\"");
    fault(|p| p.fixes = fix("{via}"), 8, "write {via|words}");
    fault(
        |p| p.fixes = fix("{user_file}"),
        8,
        "write {user_file|words}",
    );
    fault(
        |p| p.fixes = fix("{usr_file|a}"),
        8,
        "did you mean \"user_file\"?",
    );
    fault(|p| p.fixes = fix("a { b"), 8, "for a brace itself");
    fault(|p| p.fixes = fix("«message|m»"), 8, "«» is for code");
    let code = "[[fix]]\nname = 'do'\ntext = 'Do `x`'\ncode = 'f(«n»)'\n";
    fault(|p| p.fixes = code.into(), 9, "write «n|words»");
    assert_eq!(
        faults(&[(
            "x/a",
            rule(|p| p.fixes = fix("{exception} {message} {via|v}"))
        )]),
        [""; 0]
    );
}

#[test]
fn the_form_of_texts_is_checked() {
    let fix = |text: &str| format!("[[fix]]\nname = 'do'\ntext = 'Do `x`. {text}'\n");
    fault(|p| p.fixes = fix("Just do it."), 8, "leave out \"just\"");
    fault(
        |p| p.fixes = fix(&"x".repeat(300)),
        8,
        "308 characters, and there is room for 240",
    );
    fault(
        |p| p.top = "links = ['http://a.b']\n".into(),
        3,
        "starts with https://",
    );
    assert_eq!(
        faults(&[(
            "x/a",
            rule(|p| p.fixes = fix("It says \"illegal\" and `just`."))
        )]),
        [""; 0]
    );
}

#[test]
fn rules_that_are_named_must_exist_and_not_beat_each_other() {
    fault(
        |p| p.top = "beats = ['aa']\n".into(),
        3,
        "there is no rule \"aa\", did you mean \"a\"?",
    );
    fault(
        |p| p.top = "consequence_of = ['z/*']\n".into(),
        3,
        "there is no rule \"z/*\"",
    );
    let beats = |other: &str, exception: &str| {
        let (top, exception) = (format!("beats = '{other}'\n"), exception.to_string());
        rule(move |p| {
            p.top.clone_from(&top);
            p.keys = format!("exception = '{exception}'\nmessage = 'the {{n}} is wrong'\n");
            p.input = sample(&format!("{exception}: the x is wrong"));
        })
    };
    let found = faults(&[("x/a", beats("b", "A")), ("x/b", beats("a", "B"))]);
    assert!(
        found.len() == 2 && found[0].contains("one must give way"),
        "{found:?}"
    );
}

#[test]
fn a_capture_that_is_tested_must_be_captured() {
    fault(
        |p| p.keys.push_str("captures.m = 'x'\n"),
        3,
        "captures.m is tested, but not every template",
    );
    fault(
        |p| p.keys.push_str("compare = 'n > m'\n"),
        3,
        "{m} is compared, but nothing captures it",
    );
    fault(
        |p| {
            p.fixes =
                "[[fix]]\nwhen.compare = 'm > n'\ntext = 'Do `x`.'\n[[fix]]\ntext = 't'\n".into();
        },
        6,
        "{m} is compared, but nothing captures it",
    );
}

#[test]
fn a_match_names_its_case_and_a_when_asks_for_it() {
    let two = |when: &str| {
        format!("[[fix]]\nwhen.{when} = 'a hole'\ntext = 'Do `x`.'\n[[fix]]\ntext = 't'\n")
    };
    fault(
        |p| p.fixes = two("case"),
        6,
        "a [[match]] names its case; ask for captures.case = 'a hole'",
    );
    fault(
        |p| p.fixes = two("captures.case"),
        6,
        "captures.case is tested, but nothing captures {case}",
    );
    let asked = rule(|p| {
        p.keys.push_str("case = 'a hole'\n");
        p.fixes = "[[fix]]\nname = 'do'\nwhen.captures.case = 'a hole'\ntext = 'Do `x`.'\n[[fix]]\nname = 'else'\ntext = 't'\n".into();
    });
    let found = faults(&[("x/a", asked)]);
    let expected = "no example chooses the fix \"else\"";
    assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
}

#[test]
fn a_when_holds_where_any_of_its_tables_does() {
    let two = |first: &str| {
        format!(
            "[[fix]]\nname = 'do'\nwhen = [{{ {first} }}, {{ message = 'the x is wrong' }}]\ntext = 'Do `x`.'\n[[fix]]\ntext = 't'\n"
        )
    };
    let asked = rule(|p| p.fixes = two("via = 'pool'"));
    assert_eq!(faults(&[("x/a", asked)]), [""; 0]);
    fault(
        |p| p.fixes = two("captures.case = 'a hole'"),
        6,
        "captures.case is tested, but nothing captures {case}",
    );
}

#[test]
fn what_is_told_under_two_conditions_stands_once() {
    let twice = "[[cause_when]]\nwhen.via = 'pool'\ntext = 'c'\n[[cause_when]]\nwhen.via = 'joblib'\ntext = 'c'\n";
    fault(
        |p| p.fixes.insert_str(0, twice),
        11,
        "this stands above already; give that a list: when = [{ … }, { … }]",
    );
}

#[test]
fn the_last_fix_always_applies_and_names_are_given_once() {
    let one = "[[fix]]\nname = 'do'\nwhen.message = 'the x is wrong'\ntext = 'Do `x`.'\n";
    fault(|p| p.fixes = one.into(), 6, "the last [[fix]] has a `when`");
    fault(
        |p| p.fixes = format!("{one}[[fix]]\nname = 'do'\ntext = 't'\n"),
        10,
        "a second fix is named \"do\"",
    );
}

#[test]
fn a_fix_that_can_never_be_shown_is_a_fault() {
    let fixes =
        |also: &str| format!("[[fix]]\nname = 'do'\ntext = 'Do `x`.'\n{also}[[fix]]\ntext = 't'\n");
    fault(
        |p| p.fixes = fixes(""),
        6,
        "no fix below this one is ever chosen",
    );
    fault(
        |p| p.fixes = "[[fix]]\nalso = true\ntext = 't'\n".into(),
        1,
        "without `also`",
    );
    fault(
        |p| {
            p.fixes
                .push_str("[[fix]]\nname = 'b'\nalso = true\nwhen.via = 'pool'\ntext = 't'\n");
        },
        9,
        "no example shows the fix \"b\"",
    );
    let beside = "[[fix]]\nname = 'b'\nalso = true\ntext = 't'\n";
    assert_eq!(
        faults(&[("x/a", rule(|p| p.fixes.push_str(beside)))]),
        [""; 0]
    );
}

#[test]
fn a_text_that_begins_with_or_is_a_fault_and_a_phrase_is_warned_of() {
    fault(
        |p| {
            p.fixes = "[[fix]]\nname = 'do'\ntext = 'Or do `{n}`.'\n".into();
            p.example = "fix = 'do'\ncaptures.n = 'x'\nsays = ['do `x`']\n".into();
        },
        8,
        "leave out \"Or\"",
    );
    let text = rule(|p| p.fixes = "[[fix]]\nname = 'do'\ntext = 'Mend it. Do `{n}`.'\n".into());
    let found = verify(&corpus(&[("x/a", &text)]), &[], by_words);
    assert_eq!(found.faults, []);
    let warning = found.warnings[0].as_warning();
    assert!(
        warning.starts_with("x/a.toml:8:8: warning: \"mend\": fix"),
        "{warning}"
    );
}

#[test]
fn code_that_uses_what_it_does_not_import_is_a_fault() {
    fault(
        |p| {
            p.fixes =
                "[[fix]]\nname = 'do'\ntext = 'Do `{n}`.'\ncode = 'threading.Lock()'\n".into();
        },
        9,
        "`threading` is not defined",
    );
}

#[test]
fn titles_and_names_are_in_lower_case() {
    assert!(is_capitalised("Locks cannot be sent"));
    assert!(!is_capitalised("DataLoader worker died"));
    assert!(!is_capitalised("CUDA was used before fork"));
    assert!(!is_capitalised("a lock"));
    assert!(
        crate::corpus::authoring::lint::is_kebab("a-b2")
            && !crate::corpus::authoring::lint::is_kebab("A_b")
    );
}

#[test]
fn the_worked_example_of_the_readme_holds() {
    let readme = include_str!("../../../corpus/README.md").replace("\r\n", "\n");
    let mut blocks: Vec<&str> = readme
        .split("```toml\n")
        .skip(1)
        .filter_map(|b| b.split("\n```").next())
        .collect();
    blocks.sort_by_key(|b| !b.starts_with("title"));
    let read = RuleEntry::read(
        "unpicklable-view",
        "pickle",
        "README.md",
        &blocks.join("\n"),
    );
    let corpus = Corpus::of(vec![Slot::of_user(read.unwrap().0)]);
    assert_eq!(verify(&corpus, &[], by_words).faults, []);
}

#[test]
fn a_log_line_that_the_gate_stops_is_a_fault_of_ours_and_a_warning_to_users() {
    let text = |line: &str| {
        rule(|r| {
            r.keys = format!("log_line = '{line} {{n}}'\n");
            r.top = "severity = 'note'\n".to_string();
        })
    };
    let told = |name: &str, line: &str| {
        let corpus = corpus(&[(name, &text(line))]);
        let Verification {
            faults, warnings, ..
        } = verify(&corpus, &[], by_words);
        let is_stopped = |e: &&RuleError| e.message.starts_with("a log is searched for none");
        let count = |all: &[RuleError]| all.iter().filter(is_stopped).count();
        (count(&faults), count(&warnings))
    };
    assert_eq!(told("start/openmp-twice", "node drained by"), (1, 0));
    assert_eq!(told("own/drained", "node drained by"), (0, 1));
    assert_eq!(told("own/drained", "node drain failed on"), (0, 0));
}
