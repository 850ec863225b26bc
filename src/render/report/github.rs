//! GitHub's workflow commands: `::error file=…,line=…,title=…::…` becomes an annotation of a run
//! (<https://docs.github.com/actions/reference/workflow-commands-for-github-actions>).

use std::io::{self, Write};

use super::{JumpTarget, advice, log_place};
use crate::corpus::Severity;
use crate::incident::Incident;
use crate::visible::{lines, visible};

/// Writes one command.
pub(super) fn incident(incident: &Incident, out: &mut impl Write) -> io::Result<()> {
    let root = &incident.root;
    let Some(id) = root.id() else {
        return Ok(());
    };
    let JumpTarget { file, line } = JumpTarget::of(incident);
    let command = match root.severity() {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let told = root.advice();
    let text = format!(
        "{}\n\n{}; more: pickfix explain {id}",
        advice(&told),
        log_place(incident)
    );
    let title = format!("{} [{id}]", told.title);
    writeln!(
        out,
        "::{command} file={},line={line},title={}::{}",
        property(&visible(file)),
        property(&visible(&title)),
        data(&lines(&text))
    )
}

/// Escapes what a message must not hold.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes what the value of a property must not hold.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
