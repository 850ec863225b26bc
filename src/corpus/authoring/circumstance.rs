//! The keys of a `when` in words for a reader: `sent by a DataLoader, on Windows`.

use std::iter;

use crate::corpus::rule::file::{Keys, Presence, Quoted, Texts, ThreadKeys};

/// How many entries of a list are told.
const MAX_ENTRIES: usize = 3;

/// Tells under which circumstances keys hold; empty if they always do.
pub(crate) fn circumstance(keys: &Keys) -> String {
    let mut told = conditions(keys);
    if let Some(unless) = &keys.unless {
        let excluded = conditions(unless);
        if !excluded.is_empty() {
            told.push(format!("unless {}", excluded.join(" or ")));
        }
    }
    told.join("; ")
}

fn conditions(keys: &Keys) -> Vec<String> {
    let Keys {
        exception,
        message,
        log_line,
        captures,
        compare,
        frame,
        function,
        last_frame,
        last_function,
        source,
        last_source,
        heading,
        above,
        dialect,
        chain,
        note,
        quoted,
        via,
        start_method,
        platform,
        python,
        notebook,
        ended_process,
        rank,
        worker,
        pid,
        user_frame,
        thread,
        unless: _,
    } = keys;
    let mut told = Vec::new();
    let mut tell = |words: &str, texts: &Option<Texts>| {
        told.extend(
            texts
                .as_ref()
                .map(|texts| words.replace("{}", &any_of(texts))),
        );
    };
    tell("sent by {}", &via.as_ref().map(|v| renamed(v, SENDERS)));
    tell("under {}", start_method);
    tell("on {}", &platform.as_ref().map(|p| renamed(p, SYSTEMS)));
    tell("on Python {}", python);
    tell("the exception is {}", exception);
    tell("the message says {}", message);
    tell("the line says {}", log_line);
    tell("raised in {}", last_frame);
    tell("raised in {}", last_function);
    tell("raised at {}", last_source);
    tell("{} is in the traceback", frame);
    tell("{} is in the traceback", function);
    tell("a frame's source is {}", source);
    tell("headed {}", heading);
    tell("below a line {}", above);
    tell("printed by {}", dialect);
    tell("{} is in the same traceback", chain);
    tell("a note says {}", note);
    for (name, tests) in captures {
        told.push(format!("`<{name}>` is {}", any_of(&readable(tests))));
    }
    if let Some(compare) = compare {
        told.push(any_of(compare));
    }
    if let Some(Quoted { exception, message }) = quoted {
        let types = exception.as_ref().map(any_of);
        let words = message
            .as_ref()
            .map(|m| format!("{} as its message", any_of(m)));
        let both: Vec<String> = types.into_iter().chain(words).collect();
        told.push(format!("the message quotes {}", both.join(" with ")));
    }
    let yes_or_no = |is: &Option<bool>, yes: &str, no: &str| {
        is.map(|is| if is { yes.to_owned() } else { no.to_owned() })
    };
    told.extend(yes_or_no(notebook, "in a notebook", "outside notebooks"));
    told.extend(yes_or_no(
        ended_process,
        "it ended its process",
        "its process went on",
    ));
    let presences = [
        ("rank", rank),
        ("worker", worker),
        ("process id", pid),
        ("line of your code", user_frame),
    ];
    for (what, presence) in presences {
        match presence {
            Some(Presence::Any) => told.push(format!("the {what} is known")),
            Some(Presence::None) => told.push(format!("no {what} is known")),
            None => {}
        }
    }
    told.extend(thread.iter().map(thread_words));
    told
}

/// Spells a `via` as Python people do, with its article.
const SENDERS: &[(&str, &str)] = &[
    ("dataloader", "a DataLoader"),
    ("pool", "a Pool"),
    ("executor", "a ProcessPoolExecutor"),
    ("joblib", "joblib"),
    ("ray", "Ray"),
    ("dask", "Dask"),
    ("spark", "Spark"),
    ("datasets", "Hugging Face datasets"),
    ("manager", "a Manager"),
    ("queue", "a multiprocessing queue"),
    ("process", "starting a Process"),
    ("dump", "pickle itself"),
    ("deepcopy", "copy.deepcopy"),
];

/// Spells a platform as people do.
const SYSTEMS: &[(&str, &str)] = &[
    ("linux", "Linux"),
    ("macos", "macOS"),
    ("windows", "Windows"),
];

/// Puts the spelling of people in place of that of rule files.
fn renamed(texts: &Texts, spellings: &[(&str, &str)]) -> Texts {
    let mut texts = texts.clone();
    for text in &mut texts.0 {
        let name = text.get_ref().clone();
        if let Some((_, spelling)) = spellings.iter().find(|(of, _)| *of == name) {
            (*spelling).clone_into(text.get_mut());
        }
    }
    texts
}

/// Writes regular expressions for a reader: `…` for `.*`, a point for `\\.`.
fn readable(tests: &Texts) -> Texts {
    let mut tests = tests.clone();
    for test in &mut tests.0 {
        let shown = test
            .get_ref()
            .replace("\\.", "\u{0}")
            .replace(".*", "…")
            .replace(".+", "…");
        *test.get_mut() = shown.replace('\u{0}', ".");
    }
    tests
}

/// Gives “a DataLoader or a Pool”, “`copy.py:deepcopy` or 4 more”: code in back quotes.
fn any_of(texts: &Texts) -> String {
    let is_words = |text: &str| {
        SENDERS
            .iter()
            .chain(SYSTEMS)
            .any(|(_, words)| *words == text)
            || text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '<' | '>' | '='))
    };
    let quoted = |text: &str| {
        if is_words(text) {
            text.to_owned()
        } else {
            let lines: Vec<&str> = text
                .lines()
                .map(str::trim)
                .filter(|l| !l.is_empty())
                .collect();
            format!("`{}`", shown_template(&lines.join(" … ")))
        }
    };
    let count = texts.0.len();
    let shown = if count > MAX_ENTRIES + 1 {
        MAX_ENTRIES
    } else {
        count
    };
    let more = (count > shown).then(|| format!("{} more", count - shown));
    let all: Vec<String> = texts.iter().take(shown).map(quoted).chain(more).collect();
    match all.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

fn thread_words(keys: &ThreadKeys) -> String {
    let ThreadKeys {
        name,
        state,
        last_frame,
        frame,
    } = keys;
    let part = |words: &str, texts: &Option<Texts>| {
        texts
            .as_ref()
            .map(|texts| format!("{words} {}", any_of(texts)))
    };
    let parts = iter::empty()
        .chain(part("named", name))
        .chain(part("in state", state))
        .chain(part("that stands in", last_frame))
        .chain(part("with a frame in", frame));
    format!("a thread {}", parts.collect::<Vec<_>>().join(", "))
}

/// Writes a template for a reader: `<name>` for a capture, `…` for anything.
pub(crate) fn shown_template(template: &str) -> String {
    let mut shown = String::new();
    let mut rest = template.trim();
    while let Some(at) = rest.find(['{', '}']) {
        shown.push_str(&rest[..at].replace("...", "…"));
        let sign = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(sign) {
            shown.push_str(sign);
            rest = after;
        } else if let Some((name, after)) = rest.split_once('}').filter(|_| sign == "{") {
            shown.extend(["<", name, ">"]);
            rest = after;
        } else {
            shown.push_str(sign);
        }
    }
    shown + &rest.replace("...", "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(keys: &str) -> String {
        circumstance(&toml::from_str(keys).expect("keys"))
    }

    #[test]
    fn facts_are_told_in_the_words_of_people() {
        assert_eq!(
            told(
                "via = [\"dataloader\", \"pool\"]\nplatform = \"windows\"\nstart_method = \"spawn\""
            ),
            "sent by a DataLoader or a Pool; under `spawn`; on Windows"
        );
        assert_eq!(
            told("python = \">=3.14\"\nnotebook = true"),
            "on Python >=3.14; in a notebook"
        );
        assert_eq!(told(""), "");
    }

    #[test]
    fn an_expression_is_made_readable() {
        assert_eq!(
            told("captures.type = '_asyncio\\..*|a'"),
            "`<type>` is `_asyncio.…|a`"
        );
    }

    #[test]
    fn a_long_list_is_cut() {
        assert_eq!(
            told("last_frame = [\"a.py:f\", \"b.py\", \"c.py\", \"d.py\", \"e.py\"]"),
            "raised in `a.py:f`, `b.py`, `c.py` or 2 more"
        );
    }

    #[test]
    fn what_excludes_is_told_too() {
        assert_eq!(
            told("via = \"dataloader\"\nunless.worker = \"any\"\nunless.via = \"joblib\""),
            "sent by a DataLoader; unless sent by joblib or the worker is known"
        );
    }

    #[test]
    fn a_template_is_shown_without_its_signs() {
        assert_eq!(shown_template("a '{type}' ... {{x}}"), "a '<type>' … {x}");
    }
}
