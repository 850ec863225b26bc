//! The command line: what was typed ([`args`]), what was meant ([`settings`]), and what is done.

mod args;
mod check;
mod config;
mod environment;
mod explain;
mod pager;
mod report;
mod rules;
mod settings;
mod show;

pub use args::Format;
pub use environment::Environment;
pub use settings::{Annotate, Check, Command, Explain, Filter, Look, Print, Selection};

use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;

use crate::corpus::Corpus;
use crate::filter::{self, FilterError, Work};
use crate::incident::Mode;
use crate::input::{Input, Signal};
use crate::out::{Out, Stdout};
use crate::render::{Annotator, Colour, Glyphs};
use report::Report;

/// The exit status of trouble: a bad option, a file that cannot be read.
pub const TROUBLE: u8 = 2;

/// The program that names the unpicklable parts of an object.
const FINDER: &str = include_str!("../../corpus/finder/find_unpicklable.py");

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
    let config = match environment.folder.as_deref().map(config::find).transpose() {
        Ok(config) => config.unwrap_or_default(),
        Err(message) => return trouble(&message),
    };
    match settings::resolve(args, &config, environment) {
        Ok(Command::Filter(settings)) => filter(settings),
        Ok(Command::Check(settings)) => check::check(*settings),
        Ok(Command::Show(text)) => {
            pager::print(text.as_bytes());
            End::Status(0)
        }
        Ok(Command::Finder) => {
            pager::print(FINDER.as_bytes());
            End::Status(0)
        }
        Ok(Command::Explain(what)) => explain::explain(&what, environment),
        Ok(Command::List(format, selection)) => rules::list(format, &selection),
        Ok(Command::Test(what, selection)) => rules::test(&what, selection),
        Ok(Command::New(id, from)) => rules::new(&id, from.as_deref()),
        Err(message) => trouble(&message),
    }
}

/// Filters the input to the output.
fn filter(settings: Filter) -> End {
    if settings.files.is_empty() && io::stdin().is_terminal() {
        say(
            "reading from the terminal: paste a traceback and press Ctrl-D \
             (usual: python train.py 2>&1 | pickfix)",
        );
    }
    let corpus = match corpus(&settings.selection) {
        Ok(corpus) => corpus,
        Err(message) => return trouble(&message),
    };
    let mut report = match settings.report.as_deref().map(Report::create).transpose() {
        Ok(report) => report,
        Err(message) => return trouble(&message),
    };
    let has_failed = Rc::new(Cell::new(false));
    let failed = Rc::clone(&has_failed);
    let on_error = Box::new(move |error| {
        failed.set(true);
        say(&format!("{error}"));
    });
    let mut input = match Input::new(settings.files, on_error) {
        Ok(input) => input,
        Err(error) => return trouble(&crate::input::plain(&error)),
    };
    let mut out = Out::new(Stdout::default());
    let writes = settings.annotate != Annotate::Never;
    let work = Work {
        analysis: (writes || report.is_some()).then_some((&corpus, Mode::Stream)),
        annotator: writes.then(|| annotator(settings.look)),
        spare_json: settings.annotate == Annotate::UnlessJson,
        report: &mut |incident| {
            if let Some(report) = &mut report {
                report.write(incident);
            }
        },
        complain: &mut |message| say(message),
    };
    let result = filter::run(&mut input, &mut out, work);
    if let Some(message) = report.and_then(Report::failure) {
        return trouble(&message);
    }
    match result {
        Ok(summary) => match summary.end {
            filter::End::Stopped(signal) => End::Signal(signal),
            filter::End::OutputClosed => End::Signal(Signal::Pipe),
            filter::End::Eof if has_failed.get() => End::Status(TROUBLE),
            filter::End::Eof => End::Status(u8::from(settings.exit_code && summary.diagnosed)),
        },
        Err(FilterError::Read(error)) => trouble(&crate::input::plain(&error)),
        Err(FilterError::Write(error)) => trouble(&error.to_string()),
    }
}

/// Builds the corpus: the built-in rules, the user's own, without what was not selected.
fn corpus(selection: &Selection) -> Result<Corpus, String> {
    let [rules, select, ignore] = &selection.origins;
    for folder in &selection.rules {
        if !folder.is_dir() {
            return Err(format!("{rules} {}: no such folder", folder.display()));
        }
    }
    let (mut corpus, errors) = Corpus::load(&selection.rules);
    for error in errors {
        say(&format!("{error} (this rule is skipped)"));
    }
    if !selection.select.is_empty() {
        corpus
            .select(&selection.select)
            .map_err(|e| format!("{select}: {e}"))?;
    }
    corpus
        .ignore(&selection.ignore)
        .map_err(|e| format!("{ignore}: {e}"))?;
    Ok(corpus)
}

fn annotator(look: Look) -> Annotator {
    Annotator {
        width: look.width,
        glyphs: if look.ascii {
            Glyphs::Ascii
        } else {
            Glyphs::Unicode
        },
        colour: if look.color { Colour::On } else { Colour::Off },
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
