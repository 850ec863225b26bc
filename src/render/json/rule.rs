//! A rule as a JSON object, and all rules as an array.

use serde::Serialize;

use super::SCHEMA;
use crate::corpus::{OtherCause, Page, PageFix, Rule, RuleForm, Sample};
use crate::visible;

/// Returns all that is to be said about a rule as one JSON object.
pub fn rule(page: &Page) -> String {
    let object = RuleObject {
        schema: SCHEMA,
        id: &page.id,
        family: &page.family,
        title: &page.title,
        severity: page.severity.name(),
        confidence: page.confidence.name(),
        cause: &page.cause,
        causes: &page.causes,
        forms: &page.forms,
        fixes: page.fixes.iter().map(fix).collect(),
        explain: page.explain.as_deref(),
        examples: &page.examples,
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
            let row = RuleRow {
                id: &rule.id,
                family: &rule.family,
                title: rule.title_words(),
                severity: rule.severity.name(),
                confidence: rule.confidence.name(),
            };
            visible::json(serde_json::to_string(&row).expect("strings can be written"))
        })
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[derive(Serialize)]
struct RuleObject<'a> {
    schema: u32,
    id: &'a str,
    family: &'a str,
    title: &'a str,
    severity: &'static str,
    confidence: &'static str,
    cause: &'a str,
    causes: &'a [OtherCause],
    forms: &'a [RuleForm],
    fixes: Vec<FixObject<'a>>,
    explain: Option<&'a str>,
    examples: &'a [Sample],
    links: &'a [String],
    formerly: &'a [String],
}

#[derive(Serialize)]
struct RuleRow<'a> {
    id: &'a str,
    family: &'a str,
    title: String,
    severity: &'static str,
    confidence: &'static str,
}

#[derive(Serialize)]
struct FixObject<'a> {
    name: Option<&'a str>,
    when: &'a str,
    also: bool,
    text: &'a str,
    code: Option<&'a str>,
    check: Option<&'a str>,
    not: Option<&'a str>,
}

fn fix(fix: &PageFix) -> FixObject<'_> {
    FixObject {
        name: fix.told.name.as_deref(),
        when: &fix.when,
        also: fix.also,
        text: &fix.told.text,
        code: fix.told.code.as_deref(),
        check: fix.told.check.as_deref(),
        not: fix.told.not.as_deref(),
    }
}
