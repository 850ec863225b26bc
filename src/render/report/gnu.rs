//! `file:line: error: …`, the form that editors jump along (GNU Coding Standards, "Formatting Error
//! Messages").

use std::io::{self, Write};

use super::{JumpTarget, log_place};
use crate::incident::Incident;
use crate::visible::visible;

/// Writes one line.
pub(super) fn incident(incident: &Incident, out: &mut impl Write) -> io::Result<()> {
    let root = &incident.root;
    let Some(id) = root.id() else {
        return Ok(());
    };
    let JumpTarget { file, line } = JumpTarget::of(incident);
    let kind = root.severity().name();
    let title = root.advice().title;
    let log = log_place(incident);
    let text = format!("{file}:{line}: {kind}: {title} [{id}] ({log})");
    writeln!(out, "{}", visible(&text))
}
