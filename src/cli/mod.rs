//! The command line: what was typed ([`args`]), what was meant ([`settings`]), and what is done.

mod args;
mod environment;
mod settings;

pub use environment::Environment;
pub use settings::{Annotate, Command, Filter, Look, Selection};

use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;

use crate::input::{Event, Input, Signal, Source, Wait};
use crate::out::{Out, OutError, Stdout};

/// The exit status of trouble: a bad option, a file that cannot be read.
pub const TROUBLE: u8 = 2;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With this exit status.
    Status(u8),
    /// By this signal, as `cat` would end.
    Signal(Signal),
}

/// Does what the command line of this process asks for.
pub fn main() -> End {
    run(
        std::env::args_os().collect(),
        &Environment::of_this_process(),
    )
}

fn run(words: Vec<OsString>, environment: &Environment) -> End {
    let args = match args::parse(words) {
        Ok(args) => args,
        Err(args::Stop::Show(text)) => {
            // A closed output (`pickfix --help | head -1`) is no fault.
            let _ = io::stdout().write_all(text.as_bytes());
            return End::Status(0);
        }
        Err(args::Stop::Wrong(message)) => return trouble(&message),
    };
    match settings::resolve(args, environment) {
        Ok(Command::Filter(filter)) => copy(filter),
        Err(message) => trouble(&message),
    }
}

/// Copies the input to the output.
fn copy(filter: Filter) -> End {
    if filter.files.is_empty() && io::stdin().is_terminal() {
        say(
            "reading from the terminal: paste a traceback and press Ctrl-D \
             (usual: python train.py 2>&1 | pickfix)",
        );
    }
    let has_failed = Rc::new(Cell::new(false));
    let failed = Rc::clone(&has_failed);
    let on_error = Box::new(move |error| {
        failed.set(true);
        say(&format!("{error}"));
    });
    let mut input = match Input::new(filter.files, on_error) {
        Ok(input) => input,
        Err(error) => return trouble(&crate::input::plain(&error)),
    };
    let mut out = Out::new(Stdout::default());
    loop {
        let result = match input.next(Wait::Forever) {
            Ok(Event::Bytes(bytes)) => out.forward(bytes),
            Ok(Event::Quiet | Event::NextFile(_)) => Ok(()),
            Ok(Event::Eof) if has_failed.get() => return End::Status(TROUBLE),
            Ok(Event::Eof) => return End::Status(0),
            Ok(Event::Stopped(signal)) => return End::Signal(signal),
            Err(error) => return trouble(&crate::input::plain(&error)),
        };
        match result {
            Ok(()) => {}
            Err(OutError::Closed) => return End::Signal(Signal::Pipe),
            Err(error) => return trouble(&error.to_string()),
        }
    }
}

fn trouble(message: &str) -> End {
    say(message);
    End::Status(TROUBLE)
}

/// Prints a message; where stderr is closed, nobody wants it.
fn say(message: &str) {
    let _ = io::stderr().write_all(format!("pickfix: {message}\n").as_bytes());
}
