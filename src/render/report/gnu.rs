//! `file:line: error: …`, the form that editors jump along (GNU Coding Standards, "Formatting Error
//! Messages").

use std::io::{self, Write};

use super::{Target, log_place};
use crate::corpus::Severity;
use crate::incident::Incident;
use crate::render::Glyphs;
use crate::render::visible::visible;

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
    let title = visible(&diagnosis.advice().title, Glyphs::Unicode);
    let file = visible(file, Glyphs::Unicode);
    let id = &diagnosis.rule.id;
    let log = visible(&log_place(incident), Glyphs::Unicode);
    writeln!(out, "{file}:{line}: {kind}: {title} [{id}] ({log})")
}
