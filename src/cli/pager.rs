//! A text of several screens on a terminal: through `$PAGER`, else `less -R`, else as it is.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

/// What pages where `PAGER` does not say.
const USUAL: &str = "less -R";

/// Shows a text through a pager; without it where that cannot be started.
pub(super) fn show(text: &[u8], pager: Option<&str>) {
    let command = pager.unwrap_or(USUAL);
    match start(command) {
        Some(mut child) => {
            // Ctrl-C is the pager's while it runs; pickfix ends when it does.
            crate::signals::leave_interrupts();
            if let Some(mut stdin) = child.stdin.take() {
                // Whoever leaves the pager early closes the pipe.
                let _ = stdin.write_all(text);
            }
            let _ = child.wait();
        }
        None => print(text),
    }
}

/// Prints a text; a closed output is no fault.
pub(super) fn print(text: &[u8]) {
    let mut out = io::stdout();
    let _ = out.write_all(text);
    let _ = out.flush();
}

/// Starts a pager; none if it is empty (`PAGER=`), not there, or has an open quote.
fn start(command: &str) -> Option<Child> {
    let mut words = shlex::split(command)?.into_iter();
    let mut command = Command::new(words.next()?);
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        // A page that fits on the screen is printed, and stays there.
        command.env("LESS", "FRX");
    }
    command.spawn().ok()
}
