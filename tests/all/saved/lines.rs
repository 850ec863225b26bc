//! The forms of one line each: GitHub's workflow commands and GNU's error messages.

use super::program::{LOCK, check, folder, folder_of_logs, write};

/// Reads a workflow command as the runner does: its properties and its message, unescaped.
fn command(line: &str) -> (String, Vec<(String, String)>, String) {
    let rest = line.strip_prefix("::").expect("a command");
    let (head, data) = rest.split_once("::").expect("a message");
    let (name, properties) = head.split_once(' ').expect("properties");
    let unescape = |text: &str| {
        text.replace("%0D", "\r")
            .replace("%0A", "\n")
            .replace("%3A", ":")
            .replace("%2C", ",")
            .replace("%25", "%")
    };
    let properties = properties
        .split(',')
        .map(|p| p.split_once('=').expect("a value"))
        .map(|(name, value)| (name.to_owned(), unescape(value)))
        .collect();
    (name.to_owned(), properties, unescape(data))
}

#[test]
fn each_failure_is_one_workflow_command() {
    let folder = folder_of_logs("github");
    let text = check(&folder, &["--format", "github", "."]);
    for line in text.lines() {
        let (name, properties, data) = command(line);
        assert!(
            matches!(name.as_str(), "error" | "warning" | "notice"),
            "{line}"
        );
        let names: Vec<&str> = properties.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["file", "line", "title"], "{line}");
        assert!(
            properties[1].1.parse::<u64>().is_ok_and(|n| n > 0),
            "{line}"
        );
        assert!(
            data.contains("\n\nFix: ") && data.contains("pickfix explain "),
            "{line}"
        );
    }
    let jsonl = check(&folder, &["--format", "jsonl", "."]);
    assert_eq!(text.lines().count(), jsonl.lines().count());
}

#[test]
fn nothing_in_a_log_ends_a_workflow_command() {
    let folder = folder("github-hostile");
    let name = "a,b::c%0A::error x.py";
    let log = LOCK.replace("train.py", name);
    write(&folder, [("job.log", log)]);
    let text = check(&folder, &["--format", "github", "job.log"]);
    assert_eq!(text.lines().count(), 1, "{text}");
    let (_, properties, _) = command(text.trim_end());
    assert_eq!(properties[0], ("file".to_owned(), name.to_owned()));
    assert!(properties[2].1.ends_with("[unpicklable-lock]"), "{text}");
}

#[test]
fn each_failure_is_one_line_for_editors() {
    let folder = folder_of_logs("gnu");
    let text = check(&folder, &["--format", "gnu", "."]);
    for line in text.lines() {
        let kind = [": error: ", ": warning: ", ": note: "]
            .into_iter()
            .find_map(|kind| line.split_once(kind));
        let (place, _) = kind.unwrap_or_else(|| panic!("{line}"));
        let (file, number) = place.rsplit_once(':').expect("a line");
        assert!(
            !file.is_empty() && number.parse::<u64>().is_ok_and(|n| n > 0),
            "{line}"
        );
        assert!(!line.contains(|c: char| c.is_control()), "{line}");
    }
    let jsonl = check(&folder, &["--format", "jsonl", "."]);
    assert_eq!(text.lines().count(), jsonl.lines().count());
}
