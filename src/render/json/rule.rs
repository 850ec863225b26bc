//! A rule as a JSON object, and all rules as an array.

use serde::Serialize;

use super::SCHEMA;
use crate::corpus::{Confidence, Page, Rule, Severity};
use crate::visible;

/// Returns all that is to be said about a rule as one JSON object.
pub fn rule(page: &Page) -> String {
    let object = Object {
        schema: SCHEMA,
        id: &page.id,
        family: &page.family,
        title: &page.title,
        severity: severity(page.severity),
        confidence: confidence(page.confidence),
        cause: &page.cause,
        causes: page
            .causes
            .iter()
            .map(|c| Case {
                when: &c.when,
                text: &c.text,
            })
            .collect(),
        forms: page
            .forms
            .iter()
            .map(|f| Form {
                lines: &f.lines,
                when: &f.when,
            })
            .collect(),
        fixes: page.fixes.iter().map(fix).collect(),
        explain: page.explain.as_deref(),
        examples: page.examples.iter().map(example).collect(),
        links: &page.links,
        formerly: &page.formerly,
    };
    let json = serde_json::to_string_pretty(&object);
    visible::json(json.expect("strings and numbers can be written")) + "\n"
}

/// Returns rules as an array of JSON objects, one on each line.
pub fn rules<'c>(rules: impl Iterator<Item = &'c Rule>) -> String {
    let lines: Vec<String> = rules
        .map(|rule| {
            let row = Row {
                id: &rule.id,
                family: &rule.family,
                title: rule.title_words(),
                severity: severity(rule.severity),
                confidence: confidence(rule.confidence),
            };
            visible::json(serde_json::to_string(&row).expect("strings can be written"))
        })
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[derive(Serialize)]
struct Object<'a> {
    schema: u32,
    id: &'a str,
    family: &'a str,
    title: &'a str,
    severity: &'static str,
    confidence: &'static str,
    cause: &'a str,
    causes: Vec<Case<'a>>,
    forms: Vec<Form<'a>>,
    fixes: Vec<Fix<'a>>,
    explain: Option<&'a str>,
    examples: Vec<Example<'a>>,
    links: &'a [String],
    formerly: &'a [String],
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    family: &'a str,
    title: String,
    severity: &'static str,
    confidence: &'static str,
}

#[derive(Serialize)]
struct Case<'a> {
    when: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct Form<'a> {
    lines: &'a [String],
    when: &'a str,
}

#[derive(Serialize)]
struct Fix<'a> {
    name: Option<&'a str>,
    when: &'a str,
    also: bool,
    text: &'a str,
    code: Option<&'a str>,
    check: Option<&'a str>,
    not: Option<&'a str>,
}

#[derive(Serialize)]
struct Example<'a> {
    name: &'a str,
    python: Option<&'a str>,
    input: &'a str,
}

fn fix(fix: &crate::corpus::PageFix) -> Fix<'_> {
    Fix {
        name: fix.told.name.as_deref(),
        when: &fix.when,
        also: fix.also,
        text: &fix.told.text,
        code: fix.told.code.as_deref(),
        check: fix.told.check.as_deref(),
        not: fix.told.not.as_deref(),
    }
}

fn example(sample: &crate::corpus::Sample) -> Example<'_> {
    Example {
        name: &sample.name,
        python: sample.python.as_deref(),
        input: &sample.input,
    }
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

pub(super) fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Likely => "likely",
        Confidence::Certain => "certain",
    }
}
