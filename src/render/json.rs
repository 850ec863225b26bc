//! An incident as one line of JSON, for reports.
//!
//! Fields are only ever added; what is not known is `null`.

mod rule;

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::bug;
use crate::corpus::{Advice, FixAdvice};
use crate::incident::{Consequence, Incident};
use crate::traceback::Frame;
use crate::traceback::facts::{FactValue, Facts};
use crate::traceback::stamp::host;
use crate::visible;

pub use rule::{rule, rules};

/// The version of the form.
const SCHEMA: u32 = 1;
/// What stands for the standard input.
const STDIN: &str = "-";
/// The most ranks that are listed.
const MAX_RANKS: usize = 4096;

/// Returns an incident as one line of JSON without a newline; `None` if no rule knows its root.
pub fn line(incident: &Incident) -> Option<String> {
    incident.root.rule().map(|_| any_line(incident))
}

/// Returns an incident as one line of JSON without a newline; `"id": null` if no rule knows its
/// root.
pub fn any_line(incident: &Incident) -> String {
    bug::provoke("report", [&incident.root.message]);
    serde_json::to_string(&IncidentObject::new(incident, &incident.root.advice()))
        .map(visible::json)
        .expect("strings and numbers can be written")
}

/// The incident in the order of its fields.
#[derive(Serialize)]
struct IncidentObject<'a> {
    schema: u32,
    id: Option<&'a str>,
    family: Option<&'a str>,
    title: Option<&'a str>,
    severity: Option<&'static str>,
    confidence: Option<&'static str>,
    file: &'a str,
    line: u64,
    end_line: u64,
    offset: u64,
    end_offset: u64,
    time: Option<String>,
    host: Option<&'a str>,
    prefix: Option<&'a str>,
    heading: Option<&'a str>,
    exception: ExceptionObject<'a>,
    user_frame: Option<UserFrame<'a>>,
    facts: FactsObject<'a>,
    captures: Option<&'a BTreeMap<String, String>>,
    object_path: Option<&'a [String]>,
    object: Option<FoundObject<'a>>,
    cause: Option<&'a str>,
    fixes: &'a [FixAdvice],
    links: &'a [String],
    count: u64,
    first_line: u64,
    last_line: u64,
    ranks: Vec<u32>,
    consequences_count: u64,
    consequences: Vec<ConsequenceObject<'a>>,
    files: u64,
}

#[derive(Serialize)]
struct ExceptionObject<'a> {
    #[serde(rename = "type")]
    of: Option<&'a str>,
    message: &'a str,
}

#[derive(Serialize)]
struct UserFrame<'a> {
    file: &'a str,
    line: u32,
    function: &'a str,
    source: Option<&'a str>,
}

/// The facts that have a value to be named, by their names.
struct FactsObject<'a>(&'a Facts);

/// What the source shows.
#[derive(Serialize)]
struct FoundObject<'a> {
    path: &'a str,
    #[serde(rename = "type")]
    of: &'a str,
    file: &'a str,
    line: u32,
    source: &'a str,
    certainty: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<FoundObject<'a>>,
}

impl<'a> FoundObject<'a> {
    fn new(object: &'a crate::object::Object) -> Self {
        Self {
            path: &object.path,
            of: &object.type_name,
            file: &object.file,
            line: object.line,
            source: &object.source,
            certainty: object.certainty.name(),
            others: object.others.iter().map(Self::new).collect(),
        }
    }
}

#[derive(Serialize)]
struct ConsequenceObject<'a> {
    id: &'a str,
    exception: Option<&'a str>,
    rank: Option<u32>,
    file: &'a str,
    line: u64,
    count: u64,
}

impl<'a> IncidentObject<'a> {
    fn new(incident: &'a Incident, told: &'a Advice) -> Self {
        let root = &incident.root;
        let (at, facts, diagnosis) = (root.at, &root.facts, root.diagnosis.as_ref());
        let rule = root.rule();
        let prefix = root.prefix.as_deref();
        let time = root.time.filter(|time| time.has_year());
        let path = diagnosis.and_then(|d| d.object_path.as_ref());
        Self {
            schema: SCHEMA,
            id: rule.map(|rule| rule.id.as_str()),
            family: rule.map(|rule| rule.family.as_str()),
            title: rule.map(|_| told.title.as_str()),
            severity: rule.map(|_| root.severity().name()),
            confidence: diagnosis.map(|d| d.confidence.name()),
            file: incident.seen.file.as_deref().unwrap_or(STDIN),
            line: at.line,
            end_line: at.end_line,
            offset: at.offset,
            end_offset: at.end_offset,
            time: time.map(|time| time.to_string()),
            host: prefix.and_then(host),
            prefix,
            heading: diagnosis.and(root.heading.as_deref()),
            exception: ExceptionObject {
                of: root.exception.as_deref(),
                message: &root.message,
            },
            user_frame: facts.user_frame.as_ref().map(UserFrame::new),
            facts: FactsObject(facts),
            captures: diagnosis.map(|d| &d.captures),
            object_path: path.map(|path| path.steps.as_slice()),
            object: diagnosis
                .and_then(|d| d.object.as_ref())
                .map(|o| FoundObject::new(o)),
            cause: rule.map(|_| told.cause.as_str()),
            fixes: &told.fixes,
            links: &told.links,
            count: incident.seen.count,
            first_line: incident.seen.first_line,
            last_line: incident.seen.last_line,
            ranks: incident.seen.ranks.iter().take(MAX_RANKS).collect(),
            consequences_count: incident.consequences_count,
            consequences: incident
                .consequences
                .iter()
                .map(ConsequenceObject::new)
                .collect(),
            files: incident.seen.files,
        }
    }
}

impl<'a> UserFrame<'a> {
    fn new(frame: &'a Frame) -> Self {
        let Frame {
            path,
            line,
            function,
            source,
            around: _,
            marked: _,
        } = frame;
        Self {
            file: path.as_str(),
            line: *line,
            function,
            source: source.as_deref(),
        }
    }
}

impl Serialize for FactsObject<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for (fact, value) in self.0.list() {
            match value {
                FactValue::Word(word) => map.serialize_entry(fact.name, &word.map(|w| w.name))?,
                FactValue::Version(version) => {
                    let text = version.map(|(major, minor)| format!("{major}.{minor}"));
                    map.serialize_entry(fact.name, &text)?;
                }
                FactValue::Number(number) => map.serialize_entry(fact.name, &number)?,
                // They decide what is said, and the frame is an object of its own.
                FactValue::Flag(_) | FactValue::Frame(_) => {}
            }
        }
        map.end()
    }
}

impl<'a> ConsequenceObject<'a> {
    fn new(consequence: &'a Consequence) -> Self {
        let Consequence {
            id,
            exception,
            first,
            count,
        } = consequence;
        Self {
            id,
            exception: exception.as_deref(),
            rank: first.rank,
            file: first.file.as_deref().unwrap_or(STDIN),
            line: first.line,
            count: *count,
        }
    }
}
