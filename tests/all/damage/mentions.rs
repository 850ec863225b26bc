//! Texts that mention a failure, as source, documents and logs of other programs do.

use pickfix::traceback::{Dialect, read};

use super::kinds::{Damage, json};

/// Texts that only mention the failure: nothing may be found in them.
pub(crate) const MENTIONS: &[(&str, Damage)] = &[
    ("raised in source", |t| {
        finals(t, |l| format!("        raise {}\n", call(l)))
    }),
    ("source found by grep", |t| {
        finals(t, |l| format!("src/pool.py:212:    raise {}\n", call(l)))
    }),
    ("source in a diff", |t| {
        finals(t, |l| format!("+    raise {}\n-    pass\n", call(l)))
    }),
    ("comment", |t| finals(t, |l| format!("    # {l}\n"))),
    ("bullet", |t| finals(t, |l| format!("- {l}\n"))),
    ("changelog", |t| {
        finals(t, |l| format!("* Fixed `{l}` on start (#123)\n"))
    }),
    ("table row", |t| {
        finals(t, |l| format!("| 3.11 | {l} | since 3.8 |\n"))
    }),
    ("back quotes", |t| finals(t, |l| format!("`{l}`\n"))),
    ("in a sentence", |t| {
        finals(t, |l| format!("It then fails with \"{l}\" on start.\n"))
    }),
    ("parametrised test", |t| {
        finals(t, |l| format!("    ({}, True),\n", quoted(l)))
    }),
    ("handled in a log", |t| {
        finals(t, |l| {
            format!("2024-05-01 10:00:00 INFO handled: {}\n", message(l))
        })
    }),
    ("fenced", |t| finals(t, |l| format!("```\n{l}\n```\n"))),
    ("heading", |t| finals(t, |l| format!("## {l}\n"))),
    ("printed by source", |t| {
        finals(t, |l| format!("    print({})\n", quoted(l)))
    }),
    ("assertRaises", |t| {
        finals(t, |l| {
            format!(
                "    with self.assertRaisesRegex(Exception, {}):\n",
                quoted(l)
            )
        })
    }),
];

/// Writes something for the final line of each traceback.
fn finals(text: &str, write: impl Fn(&str) -> String) -> String {
    let found = read(text.as_bytes());
    let lines = found
        .iter()
        .filter(|t| t.dialect != Dialect::Dump)
        .flat_map(|t| t.exceptions.iter())
        .filter_map(|r| {
            let message = r.message.iter().find(|m| !m.trim().is_empty())?;
            Some(format!("{}: {message}", r.type_name.as_deref()?))
        });
    lines.map(|line| write(&line)).collect()
}

fn message(line: &str) -> &str {
    line.split_once(": ").map_or(line, |(_, message)| message)
}

fn quoted(text: &str) -> String {
    json(text)
}

/// `TypeError: bad` as source: `TypeError("bad")`.
fn call(line: &str) -> String {
    let (exception, message) = line.split_once(": ").unwrap_or((line, ""));
    format!("{exception}({})", quoted(message))
}
