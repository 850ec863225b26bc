//! The ways into pickfix that are not its command line: what a shell completes, man pages, and the
//! Python package with its doors for notebooks and pytest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the wheel installs below the environment's folder.
const SHARE: &str = "python/pickfix.data/data/share";

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pickfix(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_pickfix"))
        .args(words)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the words of each command, those of commands below it included.
fn commands(words: &[String], into: &mut Vec<Vec<String>>) {
    let mut line: Vec<&str> = words.iter().map(String::as_str).collect();
    line.push("--help");
    let help = pickfix(&line);
    let rows = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    for row in rows.lines().take_while(|row| !row.is_empty()) {
        let name = row.strip_prefix("  ").filter(|row| !row.starts_with(' '));
        if let Some(name) = name.and_then(|row| row.split_whitespace().next()) {
            commands(&[words, &[name.to_owned()]].concat(), into);
        }
    }
    into.push(words.to_vec());
}

/// Returns the files that the command line writes about itself, by their names below share/.
fn written() -> BTreeMap<String, String> {
    let completions = [
        ("bash", "bash-completion/completions/pickfix"),
        ("zsh", "zsh/site-functions/_pickfix"),
        ("fish", "fish/vendor_completions.d/pickfix.fish"),
    ];
    let completions = completions
        .into_iter()
        .map(|(shell, name)| (name.to_owned(), pickfix(&["completions", shell])));
    let mut found = Vec::new();
    commands(&[], &mut found);
    let pages = found.iter().map(|words| {
        let name = [&["pickfix".to_owned()], &words[..]].concat().join("-");
        let line: Vec<&str> = ["man"]
            .into_iter()
            .chain(words.iter().map(String::as_str))
            .collect();
        (format!("man/man1/{name}.1"), pickfix(&line))
    });
    completions.chain(pages).collect()
}

/// Returns the files below a folder, by their names below it.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is below");
                let name = name.to_str().expect("a name").replace('\\', "/");
                found.insert(name, fs::read_to_string(&path).expect("text"));
            }
        }
    }
    found
}

#[test]
fn completions_and_man_pages_are_those_of_this_command_line() {
    let folder = project().join(SHARE);
    let written = written();
    assert!(written.len() > 12, "{:?}", written.keys());
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        let _ = fs::remove_dir_all(&folder);
        for (name, text) in &written {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
            fs::write(&path, text).expect("it can be written");
        }
    }
    let kept = files(&folder);
    assert!(
        kept.keys().eq(written.keys()),
        "{:?}\nUPDATE_GOLDENS=1 cargo test --test all doors writes them",
        kept.keys()
    );
    for (name, text) in &written {
        assert!(
            kept[name].replace("\r\n", "\n") == *text,
            "{SHARE}/{name} is not what the command line is now; UPDATE_GOLDENS=1 cargo test --test all doors writes it"
        );
    }
}

#[test]
fn a_page_of_no_command_is_an_error_and_the_version_tells_the_build() {
    let output = Command::new(env!("CARGO_BIN_EXE_pickfix"))
        .args(["man", "rules", "teste"])
        .output()
        .expect("it starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("no command \"rules teste\""), "{message}");
    let version = pickfix(&["--version"]);
    let rules = pickfix(&["rules", "list"]).lines().count();
    assert!(
        version.starts_with(concat!("pickfix ", env!("CARGO_PKG_VERSION"), " ("))
            && version.contains(&format!("({rules} rules, ")),
        "{version}"
    );
}

#[test]
fn each_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = pickfix(&["completions", shell]);
        for word in ["check", "explain", "exit-code", "annotation"] {
            assert!(text.contains(word), "{shell} completes no {word}");
        }
    }
}

/// Runs a shell's own completion; none if the shell is not here.
fn completed(shell: &str, script: &str) -> Option<String> {
    let Ok(output) = Command::new(shell)
        .args(["-c", script])
        .current_dir(project())
        .output()
    else {
        eprintln!("SKIPPED: no {shell} here");
        return None;
    };
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{shell}: {error}");
    Some(String::from_utf8(output.stdout).expect("text"))
}

#[test]
#[cfg(unix)]
fn bash_and_fish_complete_commands_options_and_values() {
    let bash = |line: &str| {
        let last = line.split(' ').count() - 1;
        let before = last - 1;
        let script = format!(
            r#"source {SHARE}/bash-completion/completions/pickfix
            COMP_WORDS=({line}) COMP_CWORD={last}
            _pickfix pickfix "${{COMP_WORDS[{last}]}}" "${{COMP_WORDS[{before}]}}"
            printf '%s\n' "${{COMPREPLY[@]}}""#
        );
        completed("bash", &script)
    };
    let fish = |line: &str| {
        completed(
            "fish",
            &format!("source {SHARE}/fish/vendor_completions.d/pickfix.fish; complete -C '{line}'"),
        )
    };
    for (line, expected) in [
        ("pickfix ch", "check"),
        ("pickfix check --fol", "--follow"),
        ("pickfix check --format sa", "sarif"),
        ("pickfix rules t", "test"),
        ("pickfix check --select unpicklable-loc", "unpicklable-lock"),
        (
            "pickfix run --ignore a-b,too-many",
            "a-b,too-many-open-files",
        ),
        ("pickfix fix --id too-many", "too-many-open-files"),
        ("pickfix explain too-many", "too-many-open-files"),
    ] {
        for reply in [bash(line), fish(line)].into_iter().flatten() {
            let mut words = reply.lines().filter_map(|l| l.split_whitespace().next());
            assert!(words.any(|word| word == expected), "{line}: {reply:?}");
        }
    }
}

#[test]
#[cfg(unix)]
fn zsh_can_read_its_completions() {
    let path: PathBuf = project().join(SHARE).join("zsh/site-functions");
    let script = format!(
        "fpath=({path:?} $fpath); autoload -Uz compinit; compinit -D -u; echo $_comps[pickfix]"
    );
    if let Some(reply) = completed("zsh", &script) {
        assert_eq!(reply.trim(), "_pickfix");
    }
}

/// Types each line and a Tab into a zsh of its own, and prints what the line is then.
const ZSH_TAB: &str = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
typed() { zpty -w shell "$1"; zpty -r shell reply "*$2*" }
typed "PS1=; fpath=($SITE \$fpath); autoload -Uz compinit; compinit -D -u" ""
typed "show() { print -r -- \"<\$BUFFER>\"; BUFFER= }; zle -N show; bindkey '^G' show" ""
typed "unsetopt list_beep auto_list auto_menu; echo rea''dy" ready
for line in $LINES_TO_TYPE; do
    zpty -w -n shell "$line"$'\t\a'
    zpty -r shell reply $'*<*>*'
    print -r -- ${${reply##*<}%%>*}
done
zpty -d shell
"#;

#[test]
#[cfg(unix)]
fn zsh_completes_commands_options_and_ids() {
    let expected = [
        ("pickfix che", "pickfix check"),
        ("pickfix check --fol", "pickfix check --follow"),
        ("pickfix check --format sa", "pickfix check --format sarif"),
        (
            "pickfix run --ignore too-m",
            "pickfix run --ignore too-many-open-files,",
        ),
        (
            "pickfix --select a,too-m",
            "pickfix --select a,too-many-open-files,",
        ),
        (
            "pickfix fix --id too-m",
            "pickfix fix --id too-many-open-files,",
        ),
        (
            "pickfix explain too-m",
            "pickfix explain too-many-open-files",
        ),
    ];
    let path = project().join(SHARE).join("zsh/site-functions");
    let lines: Vec<String> = expected
        .iter()
        .map(|(line, _)| format!("{line:?}"))
        .collect();
    let script = format!(
        "SITE={path:?}\nLINES_TO_TYPE=({})\n{ZSH_TAB}",
        lines.join(" ")
    );
    if let Some(reply) = completed("zsh", &script) {
        let reply: Vec<&str> = reply.lines().map(str::trim_end).collect();
        assert_eq!(reply, expected.map(|(_, line)| line), "{reply:?}");
    }
}

/// Runs the package's own tests, with the Python of `PICKFIX_PYTHON`, else `python3`.
#[test]
#[cfg(unix)]
fn the_python_package_opens_its_doors() {
    let python = std::env::var("PICKFIX_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let program = Path::new(env!("CARGO_BIN_EXE_pickfix"));
    let mut path = vec![program.parent().expect("a folder").to_path_buf()];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let run = Command::new(&python)
        .arg(project().join("tests/doors/test_doors.py"))
        .env("PATH", std::env::join_paths(path).expect("a path"))
        .env("PYTHONPATH", project().join("python"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    let Ok(run) = run else {
        eprintln!("SKIPPED: no {python} here");
        return;
    };
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{python}:\n{text}");
    for line in text.lines().filter(|line| line.contains("skipped")) {
        eprintln!("SKIPPED: {line}");
    }
}
