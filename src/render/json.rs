//! JSON (provisional).
use crate::incident::Incident;
/// Writes an incident as one line.
pub fn write_line(to: &mut impl std::io::Write, incident: &Incident<'_>) -> std::io::Result<()> {
    let Some(d) = incident.root.known() else { return Ok(()) };
    writeln!(to, "{}", serde_json::json!({"schema": 1, "id": d.rule.id, "line": d.at.line, "count": incident.count, "confidence": format!("{:?}", d.confidence)}))
}
