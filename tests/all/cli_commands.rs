//! The commands of the built program, and the settings of a project.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Runs it in a folder, with nothing of the user's own around it.
fn pickfix(folder: &Path, words: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pickfix"))
        .args(words)
        .current_dir(folder)
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .env("XDG_STATE_HOME", folder.join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may end without reading.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("text")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("text")
}

fn folder(name: &str) -> PathBuf {
    crate::folders::with_settings(&format!("commands/{name}"))
}

const LOG: &str = "starting\nTraceback (most recent call last):\n  File \"job.py\", line 9, in <module>\n    run()\n  File \"job.py\", line 3, in run\n    raise Broken(\"no layer 3\")\nmodels.Broken: no layer 3\nended\n";

#[test]
fn a_rule_is_shown_in_full() {
    let folder = folder("full");
    let page = pickfix(&folder, &["explain", "unpicklable-lock"], "");
    for part in [
        "unpicklable-lock: a lock",
        "WHY",
        "HOW TO RECOGNISE IT",
        "WHAT TO DO",
        "__getstate__",
        "EXAMPLE",
        "▎ pickfix:",
        "LINKS",
        "https://",
    ] {
        assert!(
            stdout(&page).contains(part),
            "no {part} in\n{}",
            stdout(&page)
        );
    }
    assert_eq!((page.status.code(), stderr(&page)), (Some(0), ""));
    assert!(!stdout(&page).contains('\u{1b}'), "a pipe gets no colour");
    // What holds in general comes first, and each line that it is known by once.
    let at = |part| stdout(&page).find(part).expect(part);
    assert!(at("WHY") < at("WHAT TO DO") && at("WHAT TO DO") < at("EXAMPLE"));
    assert!(at("EXAMPLE") < at("SPECIAL CASES") && at("SPECIAL CASES") < at("HOW TO RECOGNISE IT"));
    let (_, forms) = stdout(&page).split_once("HOW TO RECOGNISE IT\n").unwrap();
    let mut forms: Vec<&str> = forms.lines().take_while(|line| !line.is_empty()).collect();
    let count = forms.len();
    forms.sort_unstable();
    forms.dedup();
    assert_eq!(forms.len(), count);
    let page = pickfix(
        &folder,
        &["explain", "--format", "markdown", "unpicklable-lock"],
        "",
    );
    assert!(stdout(&page).starts_with("# unpicklable-lock: "));
    let page = pickfix(
        &folder,
        &["explain", "--format=json", "unpicklable-lock"],
        "",
    );
    let json: serde_json::Value = serde_json::from_str(stdout(&page)).expect("JSON");
    assert_eq!(json["id"], "unpicklable-lock");
    assert!(json["fixes"][0]["text"].is_string());
}

#[test]
fn a_message_finds_its_rule_typed_or_through_a_pipe() {
    let folder = folder("message");
    let message = "TypeError: cannot pickle '_thread.lock' object";
    let typed = pickfix(&folder, &["explain", message], "");
    let piped = pickfix(&folder, &["explain"], message);
    assert!(stdout(&typed).starts_with("unpicklable-lock: "));
    assert!(stdout(&typed).contains("YOUR MESSAGE"));
    assert_eq!(stdout(&typed), stdout(&piped));
    let unknown = pickfix(&folder, &["explain", "zorkmid: xyzzy"], "");
    assert_eq!((unknown.status.code(), stdout(&unknown)), (Some(1), ""));
}

#[test]
fn without_an_argument_all_rules_are_listed() {
    let list = pickfix(&folder("list"), &["explain"], "");
    assert!(stdout(&list).contains("\nPICKLE\n"), "{}", stdout(&list));
    assert!(stdout(&list).contains("\n  unpicklable-lock  "));
}

#[test]
fn a_mistyped_id_gets_the_near_ones() {
    let output = pickfix(&folder("typo"), &["explain", "unpickable-lock"], "");
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(
        told.contains("unknown rule \"unpickable-lock\"")
            && told.contains("\n  pickfix explain unpicklable-lock\n"),
        "{told}"
    );
}

#[test]
fn a_new_rule_is_made_from_a_log_tested_and_used() {
    let folder = folder("new");
    fs::write(folder.join("job.log"), LOG).unwrap();
    let made = pickfix(
        &folder,
        &["rules", "new", "my-broken", "--from", "job.log"],
        "",
    );
    assert_eq!((made.status.code(), stderr(&made)), (Some(0), ""));
    fs::create_dir(folder.join("mine")).unwrap();
    let path = folder.join("mine/my-broken.toml");
    fs::write(&path, stdout(&made)).unwrap();

    let tested = pickfix(&folder, &["rules", "test", "my-broken", "mine"], "");
    assert_eq!(tested.status.code(), Some(1), "{}", stdout(&tested));
    assert!(
        stdout(&tested).contains("mine/my-broken.toml:3:9: this is still to be written"),
        "{}",
        stdout(&tested)
    );
    assert!(
        !stdout(&tested).contains("nothing was diagnosed"),
        "{}",
        stdout(&tested)
    );

    let filtered = pickfix(&folder, &["--rules", "mine"], LOG);
    assert!(
        stdout(&filtered).contains("[my-broken]"),
        "{}",
        stdout(&filtered)
    );

    fs::write(&path, "title = \"x\"\ntilte = \"y\"\n").unwrap();
    let tested = pickfix(
        &folder,
        &["rules", "test", "my-broken", "--rules", "mine"],
        "",
    );
    assert_eq!(
        tested.status.code(),
        Some(2),
        "a bad rule is no rule: {}",
        stderr(&tested)
    );
    let tested = pickfix(&folder, &["rules", "test", "mine", "unpicklable-lock"], "");
    assert_eq!(tested.status.code(), Some(2));
    assert!(
        stdout(&tested)
            .starts_with("mine/my-broken.toml:2:1: unknown key \"tilte\", did you mean \"title\"?"),
        "{}",
        stdout(&tested)
    );
    let filtered = pickfix(&folder, &["--rules", "mine"], LOG);
    assert_eq!((filtered.status.code(), stdout(&filtered)), (Some(0), LOG));
    assert_eq!(stderr(&filtered).matches("this rule is skipped").count(), 1);
}

#[test]
fn what_cannot_be_made_into_a_rule_is_told() {
    let folder = folder("not-new");
    fs::write(folder.join("quiet.log"), "all is well\n").unwrap();
    for (words, message) in [
        (&["rules", "new", "My_Rule"][..], "\"My_Rule\" is no id"),
        (
            &["rules", "new", "a", "--from", "none.log"],
            "none.log: No such file",
        ),
        (
            &["rules", "new", "a", "--from", "quiet.log"],
            "quiet.log: there is no traceback in it",
        ),
        (
            &["rules", "test", "unpicklable-lok"],
            "\"unpicklable-lok\" is neither a folder nor the id of a rule; did you mean \"unpicklable-lock\"?",
        ),
    ] {
        let output = pickfix(&folder, words, "");
        assert!(
            stderr(&output).starts_with(&format!("pickfix: {message}")),
            "{}",
            stderr(&output)
        );
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn rules_are_listed_for_people_and_programs() {
    let folder = folder("rules-list");
    let list = pickfix(&folder, &["rules", "list"], "");
    let line = stdout(&list)
        .lines()
        .find(|l| l.starts_with("unpicklable-lock "))
        .expect("a line");
    assert_eq!(
        line.split_whitespace().take(3).collect::<Vec<_>>(),
        ["unpicklable-lock", "pickle", "error"]
    );
    let json = pickfix(&folder, &["rules", "list", "--format", "json"], "");
    let rules: serde_json::Value = serde_json::from_str(stdout(&json)).expect("JSON");
    assert_eq!(
        rules.as_array().expect("an array").len(),
        stdout(&list).lines().count()
    );
}

#[test]
fn settings_come_from_the_project_and_the_command_line_wins() {
    let folder = folder("settings");
    fs::remove_file(folder.join("pickfix.toml")).unwrap();
    fs::write(
        folder.join("pyproject.toml"),
        "[tool.pickfix]\nselect = [\"cuda/*\"]\nwidth = 50\n",
    )
    .unwrap();
    let inner = folder.join("a/b");
    fs::create_dir_all(&inner).unwrap();
    let message = "TypeError: cannot pickle '_thread.lock' object\n";
    let output = pickfix(&inner, &[], message);
    assert_eq!(stdout(&output), message, "only CUDA is looked for");
    let output = pickfix(&inner, &["--select", "pickle/*"], message);
    assert!(stdout(&output).contains("[unpicklable-lock]"));
    let output = pickfix(&inner, &["--show-config", "--width", "70"], "");
    assert!(
        stdout(&output).contains("select = [\"cuda/*\"]"),
        "{}",
        stdout(&output)
    );
    assert!(
        stdout(&output).contains("# pyproject.toml:2\n"),
        "{}",
        stdout(&output)
    );
    let width = stdout(&output)
        .lines()
        .find(|l| l.starts_with("width = 70 "));
    assert!(
        width.is_some_and(|line| line.ends_with("# command line")),
        "{}",
        stdout(&output)
    );
}

#[test]
fn flags_of_the_project_can_be_switched_off() {
    let folder = folder("flags");
    fs::write(
        folder.join("pickfix.toml"),
        "exit-code = true\nascii = true\n",
    )
    .unwrap();
    let message = "TypeError: cannot pickle '_thread.lock' object\n";
    let output = pickfix(&folder, &[], message);
    assert!(stdout(&output).contains("#| pickfix:"));
    assert_eq!(output.status.code(), Some(1));
    let output = pickfix(&folder, &["--ascii=false", "--exit-code=false"], message);
    assert!(stdout(&output).contains("▎ pickfix:"));
    assert_eq!(output.status.code(), Some(0));
    let output = pickfix(&folder, &["explain", "unpicklable-lock"], "");
    assert!(
        stdout(&output).contains("#| pickfix:"),
        "other commands too"
    );
}

/// Runs it with a file of settings that has a fault, and returns the warning.
fn warned(folder: &Path, words: &[&str]) -> String {
    let message = "TypeError: cannot pickle '_thread.lock' object\n";
    let output = pickfix(folder, words, message);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).starts_with(message), "{}", stdout(&output));
    assert!(
        stdout(&output).contains("[unpicklable-lock]"),
        "{}",
        stdout(&output)
    );
    let warning = stderr(&output).to_owned();
    assert_eq!(warning.lines().count(), 1, "{warning}");
    assert!(warning.starts_with("pickfix: warning: "), "{warning}");
    let strict = pickfix(folder, &[words, &["--strict-config"]].concat(), message);
    assert_eq!((strict.status.code(), stdout(&strict)), (Some(2), ""));
    assert_eq!(stderr(&strict), warning.replace("warning: ", ""));
    warning
}

#[test]
fn a_fault_in_the_settings_costs_a_warning_and_no_more() {
    let folder = folder("faulty");
    for (text, ending) in [
        (
            "\ncolour = \"never\"\n",
            "pickfix.toml:2:1: unknown key \"colour\", did you mean \"color\"?\n",
        ),
        (
            "width = \"wide\"\nascii = 1\n",
            "pickfix.toml:1:9: width: expected a number (and 1 more: pickfix --show-config)\n",
        ),
        (
            "ascii = false\nwidth\n",
            "pickfix.toml:2:6: key with no value, expected `=`\n",
        ),
        (
            "ignore = [\"unpicklable-lok\"]\n",
            "pickfix.toml:1: ignore: unknown rule \"unpicklable-lok\", did you mean \"unpicklable-lock\"?\n",
        ),
        (
            "select = [\"no-such-rule-at-all\", \"pickle/*\"]\n",
            "pickfix.toml:1: select: unknown rule \"no-such-rule-at-all\"; `pickfix rules list` shows them all\n",
        ),
        (
            "report = \"none/found.jsonl\"\n",
            "none/found.jsonl: No such file or directory\n",
        ),
    ] {
        fs::write(folder.join("pickfix.toml"), text).unwrap();
        let warning = warned(&folder, &[]);
        assert!(warning.ends_with(ending), "{warning}");
    }
    fs::write(folder.join("pickfix.toml"), b"width = \xff\n").unwrap();
    let warning = warned(&folder, &[]);
    assert!(
        warning.contains("pickfix.toml: stream did not contain valid UTF-8"),
        "{warning}"
    );
    fs::write(folder.join("pickfix.toml"), "widht = 1\nwidth = 60\n").unwrap();
    let shown = pickfix(&folder, &["--show-config"], "");
    assert!(
        stdout(&shown).contains("\n# skipped: "),
        "{}",
        stdout(&shown)
    );
    assert!(
        stdout(&shown).contains("\nwidth = 60 "),
        "{}",
        stdout(&shown)
    );
    let checked = pickfix(&folder, &["check", "-"], "all is well\n");
    assert_eq!(checked.status.code(), Some(0));
    assert!(stderr(&checked).contains("unknown key \"widht\""));
    let strict = pickfix(&folder, &["check", "--strict-config", "-"], "all is well\n");
    assert_eq!(strict.status.code(), Some(2));
    // A command without settings reads none.
    assert_eq!(stderr(&pickfix(&folder, &["finder"], "")), "");
}

#[test]
fn what_was_typed_must_be_right() {
    let folder = folder("typed");
    for (words, message) in [
        (
            &["--select", "unpicklable-lok"][..],
            "--select: unknown rule",
        ),
        (&["--rules", "nowhere"], "--rules nowhere: no such folder"),
        (&["--report", "none/x"], "--report: none/x: No such file"),
        (
            &["check", "--width", "3", "-"],
            "invalid value '3' for '--width <N>'",
        ),
        (
            &["chekc", "logs"],
            "'chekc' is neither a file nor a command; did you mean pickfix check?",
        ),
    ] {
        let output = pickfix(&folder, words, "text\n");
        assert_eq!((output.status.code(), stdout(&output)), (Some(2), ""));
        assert!(
            stderr(&output).starts_with(&format!("pickfix: {message}")),
            "{}",
            stderr(&output)
        );
    }
}

#[test]
fn help_is_a_command_too() {
    let folder = folder("help-command");
    for words in [&[][..], &["check"], &["rules", "test"]] {
        let asked = pickfix(&folder, &[&["help"], words].concat(), "");
        let option = pickfix(&folder, &[words, &["--help"]].concat(), "");
        assert_eq!(
            (asked.status.code(), stdout(&asked)),
            (Some(0), stdout(&option))
        );
    }
}

#[test]
fn help_tells_about_topics_and_what_may_have_been_meant() {
    let folder = folder("help-topics");
    let help = pickfix(&folder, &["--help"], "");
    let (_, topics) = stdout(&help)
        .split_once("More: pickfix help ")
        .expect("topics");
    let topics: Vec<&str> = topics.trim().split(", ").collect();
    assert_eq!(topics.len(), 5);
    for topic in topics {
        let shown = pickfix(&folder, &["help", topic], "");
        assert_eq!(shown.status.code(), Some(0), "{topic}");
        assert!(
            stdout(&shown).lines().all(|line| line.len() <= 100),
            "{topic}"
        );
    }
    for (typed, meant) in [
        ("chekc", "pickfix help check"),
        ("setings", "pickfix help settings"),
    ] {
        let shown = pickfix(&folder, &["help", typed], "");
        assert_eq!(shown.status.code(), Some(2));
        assert!(
            stderr(&shown).contains(&format!("did you mean {meant}?")),
            "{}",
            stderr(&shown)
        );
    }
    let shown = pickfix(&folder, &["help", "unpicklable-lock"], "");
    let last = stderr(&shown).lines().next_back();
    let expected = "  about a failure: pickfix explain unpicklable-lock";
    assert_eq!(last, Some(expected));
}

#[test]
fn a_pager_may_have_quoted_words() {
    let folder = folder("pager");
    let Ok(script) = Command::new("script").arg("--version").output() else {
        eprintln!("SKIPPED: no script here, which makes a terminal");
        return;
    };
    assert!(script.status.success());
    let shell = format!("{} explain unpicklable-lock", env!("CARGO_BIN_EXE_pickfix"));
    let output = Command::new("script")
        .args(["-qec", &shell, "/dev/null"])
        .current_dir(&folder)
        .env(
            "PAGER",
            "sh -c 'cat >paged; echo \"$0\" >>paged' 'two words'",
        )
        .stdin(Stdio::null())
        .output()
        .expect("it ends");
    assert!(output.status.success());
    let paged = fs::read_to_string(folder.join("paged")).unwrap_or_default();
    assert!(paged.ends_with("\ntwo words\n"), "{paged:?}");
}

#[test]
fn rules_in_the_users_folder_are_always_used() {
    let folder = folder("own");
    fs::create_dir_all(folder.join("config/pickfix/rules")).unwrap();
    fs::write(folder.join("job.log"), LOG).unwrap();
    let made = pickfix(&folder, &["rules", "new", "mine", "--from", "job.log"], "");
    fs::write(folder.join("config/pickfix/rules/mine.toml"), stdout(&made)).unwrap();
    let output = pickfix(&folder, &["job.log"], "");
    assert!(stdout(&output).contains("[mine]"), "{}", stdout(&output));
}

#[test]
fn the_finder_is_a_python_program() {
    let program = pickfix(&folder("finder"), &["finder"], "");
    assert!(stdout(&program).starts_with("\"\"\"Find the parts of an object"));
    assert!(stdout(&program).contains("\ndef explain("));
}

/// `pickfix fix` takes its change from what is kept of the last run.
#[test]
fn the_change_is_offered_where_the_run_is_kept() {
    let folder = folder("offered");
    let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/picture");
    for name in ["train.py", "data.py", "run.log"] {
        let text = fs::read_to_string(picture.join(name)).expect("a file of the picture");
        let here = format!("{}/", folder.display());
        fs::write(
            folder.join(name),
            text.replace("/home/user/project/", &here),
        )
        .expect("a copy");
    }
    let kept = pickfix(&folder, &["run.log"], "");
    assert!(stdout(&kept).contains("pickfix fix ·"), "{}", stdout(&kept));
    let diff = pickfix(&folder, &["fix"], "");
    assert!(
        stdout(&diff).contains("+    def __getstate__"),
        "{}",
        stderr(&diff)
    );
    let not_kept = pickfix(&folder, &["--no-state", "run.log"], "");
    assert!(stdout(&not_kept).contains("pickfix explain"));
    assert!(!stdout(&not_kept).contains("pickfix fix"));
}

#[test]
fn failures_that_are_too_many_to_be_kept_are_not_said_to_be_none() {
    let folder = folder("many");
    let name = |i: u8| char::from(b'A' + i);
    let names = (0..26).flat_map(|a| (0..26).map(move |b| [a, b]));
    let names = names.flat_map(|[a, b]| (0..2).map(move |c| [a, b, c].map(name)));
    let log: String = names
        .take(1001)
        .map(|name| LOG.replace("Broken", &String::from_iter(name)))
        .collect();
    let shown = pickfix(&folder, &["check", "--limit", "1000", "-"], &log);
    let left = stdout(&shown).lines().find(|line| line.contains("more;"));
    let expected = "and many more; `--format jsonl --unknown` lists all";
    assert_eq!(left.map(str::trim), Some(expected));
}
