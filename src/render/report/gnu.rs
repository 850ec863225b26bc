//! `file:line: error: …`, the form that editors jump along (GNU Coding Standards, "Formatting Error
//! Messages").

use std::io::{self, Write};

use super::{Target, log_place};
use crate::corpus::Severity;
use crate::incident::Incident;
use crate::visible::visible;

/// Writes one line.
pub(super) fn incident(incident: &Incident, out: &mut impl Write) -> io::Result<()> {
    let Some(diagnosis) = incident.root.known() else {
        return Ok(());
    };
    let Target { file, line } = Target::of(diagnosis, incident);
    let kind = match diagnosis.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let (title, id) = (diagnosis.advice().title, &diagnosis.rule.id);
    let log = log_place(incident);
    let text = format!("{file}:{line}: {kind}: {title} [{id}] ({log})");
    writeln!(out, "{}", visible(&text))
}
