//! Exit codes and panics; all else is in the library.

use std::panic::{self, PanicHookInfo};
use std::process::ExitCode;

use pickfix::cli::{self, Exit};

fn main() -> ExitCode {
    panic::set_hook(Box::new(report));
    match panic::catch_unwind(cli::main) {
        Ok(Exit::Status(status)) => ExitCode::from(status),
        Ok(Exit::Signal(signal)) => pickfix::signals::end_by(signal),
        Ok(Exit::Killed(signal)) => pickfix::signals::end_as(signal),
        Err(_) => ExitCode::from(cli::TROUBLE),
    }
}

/// Prints a bug of pickfix in one line, in place of Rust's four.
fn report(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let what = match payload.downcast_ref::<String>() {
        Some(what) => what.as_str(),
        None => payload.downcast_ref::<&str>().unwrap_or(&"no message"),
    };
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let what = pickfix::visible::visible(what);
    // Not `eprintln!`, which panics where stderr is closed.
    let line = format!("pickfix: this is a bug in pickfix, at {place}: {what}\n");
    let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
}
