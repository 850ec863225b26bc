//! The README and the pages in docs/ against the program: what they name is there, and what is
//! there is named.

mod catalogue;
mod picture;
mod recipes;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pickfix::render::report::ReportFormat;

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    fs::read_to_string(project().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Returns the pages written by hand, each with its name.
fn pages() -> Vec<(String, String)> {
    let files = fs::read_dir(project().join("docs")).expect("docs");
    let files = files.map(|file| file.expect("a file").file_name());
    let names = files.map(|name| format!("docs/{}", name.to_str().expect("a name")));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".md")).collect();
    names.sort();
    names.insert(0, "README.md".to_owned());
    let page = |name: String| (name.clone(), read(&name));
    names.into_iter().map(page).collect()
}

/// Compares a generated file with what it should be, or writes it where `UPDATE_GOLDENS` is set.
fn hold(name: &str, text: &str) {
    let path = project().join(name);
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(&path, text).expect("it can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept.replace("\r\n", "\n") == text,
        "{name} is not what the program prints now; UPDATE_GOLDENS=1 cargo test --test all docs writes it"
    );
}

/// Runs the program in a folder, with nothing of the user's own around it.
fn pickfix(folder: &Path, words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_pickfix"))
        .args(words)
        .current_dir(folder)
        .env("LC_ALL", "C.UTF-8")
        .env("XDG_CONFIG_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("NO_COLOR")
        .output()
        .expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*stderr), (Some(0), ""), "{words:?}");
    String::from_utf8(output.stdout).expect("text")
}

fn folder(name: &str) -> PathBuf {
    crate::folders::with_settings(&format!("docs/{name}"))
}

/// Returns the commands that a help lists.
fn listed(help: &str) -> Vec<String> {
    let rows = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let rows = rows.lines().take_while(|line| !line.is_empty());
    let names = rows.filter(|row| row.starts_with("  ") && !row.starts_with("   "));
    names
        .filter_map(|row| row.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// Returns the help of a command and of those below it, in full.
fn helps(folder: &Path, words: &[&str], into: &mut Vec<String>) {
    let help = pickfix(folder, &[words, &["--help"]].concat());
    for command in listed(&help).iter().filter(|command| *command != "help") {
        helps(folder, &[words, &[command]].concat(), into);
    }
    into.push(help);
}

#[test]
fn the_pages_tell_what_there_is_and_nothing_else() {
    let folder = folder("help");
    let mut all = Vec::new();
    helps(&folder, &[], &mut all);
    let commands = listed(all.last().expect("the program's own"));
    assert!(commands.len() >= 7, "{commands:?}");
    let readme = read("README.md");
    let table: String = readme.lines().filter(|l| l.starts_with('|')).collect();
    for command in &commands {
        assert!(
            table.contains(&format!("`pickfix {command}")),
            "the table of the README does not tell of {command}"
        );
    }
    let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
    for (name, page) in pages() {
        let code = page.split("```").skip(1).step_by(2).flat_map(str::lines);
        let typed = code.filter_map(|l| l.strip_prefix("pickfix ")?.split_whitespace().next());
        for word in typed.filter(|word| word.chars().all(is_name) && !word.starts_with('-')) {
            assert!(
                commands.iter().any(|command| command == word),
                "{name} tells of {word}"
            );
        }
        let after = page.split("pickfix").skip(1);
        let after = after.filter_map(|text| text.lines().next());
        let words = after.flat_map(|line| line.split(['`', ' ', ',', '(', ')', '|', '"', '=']));
        let options = words
            .filter(|w| w.starts_with("--") && !w.starts_with("---") && w.chars().all(is_name));
        for option in options.filter(|option| option.len() > 2) {
            assert!(
                all.iter().any(|help| help.contains(option)),
                "{name} tells of {option}"
            );
        }
    }
}

#[test]
fn every_form_of_the_report_is_told_where_a_reader_looks_for_it() {
    let folder = folder("forms");
    let page = read("docs/formats.md");
    let rows: String = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    let help = pickfix(&folder, &["check", "-h"]);
    let help = help.split("--format").nth(1).expect("an option");
    let help = help.split(" is the default").next().unwrap_or_default();
    let topic = pickfix(&folder, &["help", "formats"]);
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.map(str::to_owned).collect()
    };
    for (place, told) in [
        ("docs/formats.md", words(&rows)),
        ("the help of check", words(help)),
        ("the topic", words(&topic)),
    ] {
        for form in ReportFormat::ALL {
            assert!(
                told.iter().any(|word| word == form.name()),
                "{place} does not tell of {}",
                form.name()
            );
        }
    }
}

#[test]
fn the_settings_on_their_page_hold() {
    let page = read("docs/settings.md");
    let example = page.split("```toml\n").nth(1);
    let example = example
        .and_then(|t| t.split("```").next())
        .expect("an example");
    let folder = folder("settings");
    fs::create_dir_all(folder.join("tools/pickfix-rules")).unwrap();
    fs::write(folder.join("pickfix.toml"), example).unwrap();
    fs::write(folder.join("log"), "text\n").unwrap();
    assert_eq!(pickfix(&folder, &["log"]), "text\n");
    let keys = page.split("The keys: ").nth(1);
    let keys = keys.and_then(|t| t.split(".\n").next()).expect("the keys");
    let keys: Vec<&str> = keys.split('`').skip(1).step_by(2).collect();
    let shown = pickfix(&folder, &["--show-config"]);
    let rows = shown.lines().skip(1);
    let known = rows.filter_map(|line| line.trim_start_matches("# ").split_whitespace().next());
    assert_eq!(known.collect::<Vec<_>>(), keys, "{shown}");
}

#[test]
fn links_between_the_pages_lead_somewhere() {
    let mut count = 0;
    for (name, page) in pages() {
        let targets = page.split("](").skip(1).filter_map(|t| t.split(')').next());
        for target in targets.filter(|target| !target.starts_with("http")) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let here = project().join(&name);
            let file = match file {
                "" => here,
                file => here.parent().expect("a folder").join(file),
            };
            assert!(file.exists(), "{name} links to {target}");
            let text = fs::read_to_string(&file).unwrap_or_default();
            let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
            let mut anchors = headings.map(|h| anchor(h.trim_start_matches('#')));
            assert!(
                heading.is_empty() || anchors.any(|anchor| anchor == heading),
                "{name} links to {target}"
            );
            count += 1;
        }
    }
    assert!(count > 10, "{count} links");
}

/// Returns the anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
