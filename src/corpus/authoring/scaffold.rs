//! The beginning of a new rule, made from a traceback.

use std::fmt::Write as _;

use crate::traceback::Traceback;
use crate::visible::toml_string;

/// Writes a rule file for a traceback, with its text as the example.
///
/// What only a person can write is marked `TODO`; until it is written, `pickfix rules test` names
/// it. Without a traceback the places of its parts are marked too.
pub fn scaffold(traceback: Option<&Traceback>, sample: &str) -> String {
    let raised = traceback.and_then(|t| t.exceptions.last());
    let exception = raised
        .and_then(|r| r.type_name.as_deref())
        .unwrap_or("TODO");
    let exception = exception.rsplit('.').next().unwrap_or(exception);
    let message = raised.and_then(|r| r.message.iter().find(|line| !line.trim().is_empty()));
    let mut text = String::from(
        "# How to write a rule: corpus/README.md of pickfix. Replace each TODO, then run\n\
         # `pickfix rules test FOLDER`.\n\
         title = \"TODO: the fault, in lower case, without a stop\"\n\
         cause = \"TODO: the mechanism, in one to three sentences.\"\n\
         links = []\n\n\
         [[match]]\n",
    );
    let _ = writeln!(text, "exception = {}", toml_string(exception));
    if raised.is_none() || message.is_some() {
        let template = message.map_or("TODO".to_owned(), |m| template(m.trim()));
        let _ = writeln!(
            text,
            "# `{{name}}` stands for what differs from case to case, `...` for anything."
        );
        let _ = writeln!(text, "message = {}", toml_string(&template));
    }
    text.push_str(
        "\n[[fix]]\n\
         text = \"TODO: what to do now, as an order to the reader:\"\n\
         code = \"\"\"\n# TODO: Python to paste, or take this away\n\"\"\"\n\
         check = \"TODO: how to see that it worked\"\n\n\
         [[example]]\n\
         name = \"TODO: where it comes from\"\n",
    );
    let sample = if sample.is_empty() {
        "TODO: the traceback\n"
    } else {
        sample
    };
    let _ = writeln!(text, "input = {}", block(sample));
    text.push_str(
        "\n[[non_example]]\n\
         why = \"TODO: what comes nearest to it and is another thing\"\n\
         input = '''\nTODO\n'''\n",
    );
    text
}

/// Makes a template of a message: what looks like a number or an address becomes `...`.
fn template(message: &str) -> String {
    let escaped = message.replace('{', "{{").replace('}', "}}");
    let words = escaped.split(' ').map(|word| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_number = !bare.is_empty() && bare.chars().all(|c| c.is_ascii_digit());
        if is_number || bare.starts_with("0x") {
            word.replace(bare, "...")
        } else {
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Writes a text of several lines in TOML: as it stands if TOML can hold it so.
fn block(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let is_plain = !text.contains("'''")
        && !text.ends_with('\'')
        && !text
            .chars()
            .any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    if is_plain {
        return format!("'''\n{text}\n'''");
    }
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            let line = toml_string(line);
            line[1..line.len() - 1].to_owned()
        })
        .collect();
    format!("\"\"\"\n{}\n\"\"\"", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::file::read;

    const SAMPLE: &str = "Traceback (most recent call last):\n  File \"job.py\", line 9, in <module>\n    run({1: 2})\nmodels.BadModel: no layer {x} at 0x7f00, 'a \"b\"'\n";

    #[test]
    fn it_can_be_read_and_recognises_its_sample() {
        let traceback = &crate::traceback::read(SAMPLE.as_bytes())[0];
        let text = scaffold(Some(traceback), SAMPLE);
        assert!(text.contains("exception = \"BadModel\""), "{text}");
        assert!(
            text.contains(r#"message = "no layer {{x}} at ..., 'a \"b\"'""#),
            "{text}"
        );
        let file = read("new.toml", &text).unwrap();
        assert_eq!(file.example[0].get_ref().input, SAMPLE);
        assert_eq!(file.matches.len(), 1);
        crate::corpus::Rule::of("own", "new", &text);
    }

    #[test]
    fn any_sample_can_be_written() {
        for sample in [
            "a '''b'''\n",
            "ends '\n",
            "\u{1b}[31mred\\\"\"\"\u{1b}[0m\r\nb\tc\n",
        ] {
            let text = scaffold(None, sample);
            let file = read("new.toml", &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(file.example[0].get_ref().input, sample);
        }
    }
}
