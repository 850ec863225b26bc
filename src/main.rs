//! Exit codes and panics; all else is in the library.

use std::io::{self, Write};
use std::panic;
use std::process::ExitCode;

use pickfix::bug;
use pickfix::cli::{self, Exit};

fn main() -> ExitCode {
    panic::set_hook(Box::new(bug::note));
    match bug::caught(cli::main) {
        Ok(Exit::Status(status)) => ExitCode::from(status),
        Ok(Exit::Signal(signal)) => pickfix::signals::end_by(signal),
        Ok(Exit::Killed(signal)) => pickfix::signals::end_as(signal),
        Err(bug) => {
            let line = pickfix::visible::visible(&format!("pickfix: {bug}"));
            // Not `eprintln!`, which panics where stderr is closed.
            let _ = io::stderr().write_all((line + "\n").as_bytes());
            ExitCode::from(cli::TROUBLE)
        }
    }
}
