//! What `pickfix help TOPIC` shows: what no single command or option can tell.

use crate::corpus::nearest;

/// The topics: what each is called, and its text.
const TOPICS: &[(&str, &str)] = &[
    (
        "pipes",
        "\
python train.py 2>&1 | pickfix

2>&1               sends the tracebacks through the pipe too; Python writes them to stderr
PYTHONUNBUFFERED=1 or python -u: Python writes its lines at once, and not 8 KiB at a time
set -o pipefail    the shell then sees Python's exit status too (bash, zsh). In fish, which has
                   no such option: python train.py 2>&1 | pickfix; echo $pipestatus[1]
FORCE_COLOR=1      brings back the colours that a program leaves out of a pipe (rich, Python 3.13's
                   tracebacks); PY_COLORS=1 those of pytest

Ctrl-C goes to the program, and pickfix stays until the program has said its last word. If nothing
more comes, another Ctrl-C a second later stops pickfix too.
",
    ),
    (
        "settings",
        "\
pickfix.toml, or [tool.pickfix] in pyproject.toml; the nearest one from the current folder upwards
counts. The keys are the names of the options, paths are taken from the file's folder, and the
command line wins:

  ignore = [\"tokenizers-fork\", \"frameworks/*\"]
  rules = [\"tools/pickfix-rules\"]
  width = 100

pickfix --show-config shows what is set, and where each value comes from. What is wrong in the file
costs a warning; with --strict-config it ends with status 2.
",
    ),
    (
        "status",
        "\
pickfix            0; with --exit-code 1 if an error or a warning was annotated
pickfix check      0 nothing known found, 1 an error or a warning; with --exit-zero 0 for both
pickfix explain    0 if one rule is meant beyond doubt, 1 if several may be, or none
every command      2 for trouble: a bad option, a file that cannot be read
",
    ),
    (
        "source",
        "\
The filter reads the .py files that a traceback names, and the modules of the same project that
these import, to name the object that cannot be sent and to write the fix. It reads regular files
below the current folder and the script's own, or below --source-root DIR; RECORDED=LOCAL says that
paths of the log that begin with RECORDED are below LOCAL here. A file that has changed since is
left alone. pickfix check reads none without --source-root. Nothing is run. --no-source reads none.
",
    ),
    (
        "formats",
        "\
pickfix check --format FORM:

text    a report for people, the default: a table, then each failure once
json    an array of objects; jsonl: one object a line, as --report writes it too
sarif   SARIF 2.1.0, for code scanning
github  annotations in a GitHub workflow
gnu     train.py:47: error: …, for editors
html    a page that needs nothing but itself

schema/incident.schema.json describes the objects; fields are only ever added.
",
    ),
];

/// Returns the text of a topic.
pub(super) fn topic(name: &str) -> Option<&'static str> {
    let found = TOPICS.iter().find(|(topic, _)| *topic == name);
    found.map(|(_, text)| *text)
}

/// Says what may have been meant by a topic that there is not.
pub(super) fn unknown(name: &str, commands: &[String]) -> String {
    let topics = TOPICS.iter().map(|(topic, _)| *topic);
    let all: Vec<&str> = commands.iter().map(String::as_str).chain(topics).collect();
    match nearest(name, all.iter().copied()) {
        Some(meant) => format!("no help on '{name}'; did you mean pickfix help {meant}?"),
        None => format!(
            "no help on '{name}'; there is: {}\n  about a failure: pickfix explain {name}",
            all.join(", ")
        ),
    }
}
