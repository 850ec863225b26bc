//! SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>): results as they
//! come, and the rules that they name behind them.

use std::io::{self, Write};

use serde::Serialize;

use super::{Count, JumpTarget, ReadTotals, advice};
use crate::corpus::Rule;
use crate::incident::Incident;
use crate::render::capitalised;
use crate::render::uri::uri;
use crate::visible;

/// The most results that are written: more of one run, GitHub refuses.
const MAX_RESULTS: usize = 25_000;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What is kept for the end.
#[derive(Default)]
pub(super) struct SarifReport {
    rules: Vec<ReportingDescriptor>,
    results: usize,
    left_out: u64,
}

/// Writes all up to the first result.
pub(super) fn begin(out: &mut impl Write) -> io::Result<SarifReport> {
    let schema = json(SCHEMA);
    write!(
        out,
        "{{\"$schema\":{schema},\"version\":\"2.1.0\",\"runs\":[{{\"columnKind\":\"unicodeCodePoints\",\"results\":["
    )?;
    Ok(SarifReport::default())
}

/// Writes a result.
pub(super) fn incident(
    state: &mut SarifReport,
    incident: &Incident,
    out: &mut impl Write,
) -> io::Result<()> {
    let root = &incident.root;
    let Some(rule) = root.rule() else {
        return Ok(());
    };
    if state.results >= MAX_RESULTS {
        state.left_out += 1;
        return Ok(());
    }
    let told = root.advice();
    let id = &rule.id;
    let index = state.rules.iter().position(|rule| rule.id == *id);
    let rule_index = index.unwrap_or_else(|| {
        state.rules.push(ReportingDescriptor::of(rule));
        state.rules.len() - 1
    });
    let text = format!("{}. {}", capitalised(&told.title), advice(&told));
    let text = without_links(visible::lines(&text));
    let target = JumpTarget::of(incident);
    let log = JumpTarget::in_log(incident);
    let result = SarifResult {
        rule_id: id,
        rule_index,
        level: root.severity().name(),
        message: SarifMessage { text },
        locations: [SarifLocation::of(&target, None)],
        related_locations: [SarifLocation::of(&log, Some("where the log tells of it"))],
        occurrence_count: incident.seen.count.max(1),
        partial_fingerprints: Fingerprints {
            failure: format!("{id}:{}:{}", target.file, target.line),
        },
    };
    let comma = if state.results > 0 { "," } else { "" };
    state.results += 1;
    write!(out, "{comma}\n{}", json(&result))
}

/// Writes all behind the last result.
pub(super) fn end(state: SarifReport, read: ReadTotals, out: &mut impl Write) -> io::Result<()> {
    let tool = Tool {
        driver: Driver {
            name: "pickfix",
            version: env!("CARGO_PKG_VERSION"),
            semantic_version: env!("CARGO_PKG_VERSION"),
            rules: state.rules,
        },
    };
    let mut notifications = Vec::new();
    if state.left_out > 0 {
        let text = format!("{} left out", Count(state.left_out, "further failure"));
        notifications.push(Notification {
            level: "warning",
            message: SarifMessage { text },
        });
    }
    if read.failed > 0 {
        let text = format!("{} could not be read", Count(read.failed, "file"));
        notifications.push(Notification {
            level: "error",
            message: SarifMessage { text },
        });
    }
    let invocation = Invocation {
        execution_successful: read.failed == 0,
        tool_execution_notifications: notifications,
    };
    let (tool, invocation) = (json(&tool), json(&[invocation]));
    writeln!(out, "\n],\"tool\":{tool},\"invocations\":{invocation}}}]}}")
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    visible::json(serde_json::to_string(value).expect("strings and numbers can be written"))
}

/// Writes a message so that nothing in it is a link: `[text](destination)` is one (3.11.6), and a
/// log may hold it.
fn without_links(text: String) -> String {
    if !text.contains("](") {
        return text;
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    message: SarifMessage,
    locations: [SarifLocation; 1],
    related_locations: [SarifLocation; 1],
    occurrence_count: u64,
    partial_fingerprints: Fingerprints,
}

#[derive(Serialize)]
struct SarifMessage {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<SarifMessage>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    region: Region,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
}

#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "pickfixFailure/v1")]
    failure: String,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    version: &'static str,
    semantic_version: &'static str,
    rules: Vec<ReportingDescriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportingDescriptor {
    id: String,
    short_description: SarifMessage,
    help: SarifMessage,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    default_configuration: Configuration,
    properties: Properties,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Properties {
    tags: [String; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: SarifMessage,
}

impl ReportingDescriptor {
    fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id.clone(),
            short_description: SarifMessage {
                text: capitalised(&visible::visible(&rule.title_words())),
            },
            help: SarifMessage {
                text: format!("pickfix explain {}", rule.id),
            },
            help_uri: rule.links.first().cloned(),
            default_configuration: Configuration {
                level: rule.severity.name(),
            },
            properties: Properties {
                tags: [rule.family.clone()],
            },
        }
    }
}

impl SarifLocation {
    fn of(target: &JumpTarget, message: Option<&str>) -> Self {
        Self {
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation {
                    uri: uri(target.file),
                },
                region: Region {
                    start_line: target.line.max(1),
                },
            },
            message: message.map(|text| SarifMessage {
                text: text.to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_makes_no_link() {
        assert_eq!(without_links("a[0] is b".to_owned()), "a[0] is b");
        assert_eq!(
            without_links("cannot pickle 'x[more](https://evil.example)\\'".to_owned()),
            "cannot pickle 'x\\[more\\](https://evil.example)\\\\'"
        );
    }
}
