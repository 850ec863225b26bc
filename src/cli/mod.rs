//! The command line: what was typed ([`args`]) or is in a file ([`config`], [`settings`]), what that
//! means ([`resolve`]), and what is done.

mod args;
mod check;
mod config;
mod environment;
mod explain;
mod fix;
mod init;
mod last;
mod manual;
mod pager;
mod records;
mod report;
mod resolve;
mod rules;
#[cfg(unix)]
mod run;
mod settings;
mod topics;

pub use config::faults as faults_of_settings;

use std::cell::Cell;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::rc::Rc;

use crate::corpus::{Corpus, UnknownRule};
use crate::filter::{self, Work};
use crate::incident::{Incident, Mode};
use crate::input::{Input, Signal, plain};
use crate::out::{Out, Stdout};
use crate::render::Annotator;
use crate::source::{Root, Sources};
use crate::visible::visible;
use config::Config;
use environment::Environment;
use records::Records;
use report::{ReportFile, Streams};
use resolve::{AnnotationPolicy, Command, FilterSettings, RunSettings, Selection, SourceFolders};
use settings::Origins;

/// The exit status of trouble: a bad option, a file that cannot be read.
pub const TROUBLE: u8 = 2;

/// The program that names the unpicklable parts of an object.
const FINDER: &str = include_str!("../../corpus/finder/find_unpicklable.py");

/// What the further lines of a message begin with.
const OWN_LINES: [&str; 5] = [
    "about a failure: ",
    "tip: ",
    "[possible values: ",
    "for all options: ",
    "pickfix explain ",
];

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// With this exit status.
    Status(u8),
    /// By this signal, as `cat` would end.
    Signal(Signal),
    /// By the signal of this number, as the command that was run ended.
    Killed(i32),
}

/// Does what the command line of this process asks for.
pub fn main() -> Exit {
    let environment = Environment::of_this_process();
    run(std::env::args_os().collect(), &environment).unwrap_or_else(|message| {
        say(&message);
        Exit::Status(TROUBLE)
    })
}

/// Does what was typed; an error is what it ends with, for stderr.
fn run(words: Vec<OsString>, environment: &Environment) -> Result<Exit, String> {
    let show = |text: &str| {
        pager::print(text.as_bytes());
        Ok(Exit::Status(0))
    };
    let (typed, matches) = match args::parse(words.clone()) {
        Ok(typed) => typed,
        Err(args::Stop::Show(text)) => return show(&text),
        Err(args::Stop::Wrong(message)) => return Err(message),
    };
    let found = environment.folder.as_deref().map(config::find);
    let is_for_this = |config: &Config| config.file.is_some() && settings::has_any(&matches);
    let config = found.filter(is_for_this).unwrap_or_default();
    match config.fault() {
        Some(fault) if typed.strict_config => return Err(fault),
        Some(fault) => warn(&fault),
        None => {}
    }
    let (words, origins) = settings::with_file(words, &matches, &config, typed.strict_config);
    let (args, matches) = match words {
        None => (typed, matches),
        Some(words) => match args::parse(words) {
            Ok(parsed) => parsed,
            Err(args::Stop::Show(message) | args::Stop::Wrong(message)) => return Err(message),
        },
    };
    if args.show_config {
        return show(&settings::show(&matches, &origins, &config, environment));
    }
    match resolve::resolve(args, &origins, environment)? {
        Command::Filter(settings) => filter(settings),
        Command::Check(settings) => check::check(*settings, environment),
        Command::Run(settings) => run_command(*settings),
        Command::Fix(settings) => fix::fix(&settings),
        Command::Finder => show(FINDER),
        Command::Completions(shell) => show(&manual::completions(shell)),
        Command::Man(words) => show(&manual::page(&words)?),
        Command::Init(settings) => show(&init::code(&settings)),
        Command::Last(settings) => Ok(last::last(&settings, environment)),
        Command::Explain(what) => explain::explain(&what, environment),
        Command::List(format, selection) => rules::list(format, &selection),
        Command::Test(what, selection) => rules::test(&what, selection),
        Command::New(id, from) => rules::new(&id, from.as_deref()),
    }
}

/// Filters the input to the output.
fn filter(mut settings: FilterSettings) -> Result<Exit, String> {
    if settings.files.is_empty() && io::stdin().is_terminal() {
        say(
            "reading from the terminal: paste a traceback and press Ctrl-D \
             (usual: python train.py 2>&1 | pickfix)",
        );
    }
    let corpus = corpus(&settings.selection)?;
    let mut records = Records::begin(&mut settings)?;
    let has_failed = Rc::new(Cell::new(false));
    let failed = Rc::clone(&has_failed);
    let on_error = Box::new(move |error| {
        failed.set(true);
        say(&format!("{error}"));
    });
    let mut input = Input::new(settings.files.clone(), on_error).map_err(|e| plain(&e))?;
    let mut out = Out::new(Stdout::default());
    let has_report = records.has_report();
    let mut report = |incident: &Incident| records.take(incident);
    let mut complain = |message: &str| say(message);
    let work = work(&settings, corpus, has_report, &mut report, &mut complain);
    let result = filter::run(&mut input, &mut out, work);
    records.end()?;
    let summary = result.map_err(|error| error.to_string())?;
    Ok(match summary.end {
        filter::StreamEnd::Stopped(signal) => Exit::Signal(signal),
        filter::StreamEnd::OutputClosed => Exit::Signal(Signal::Pipe),
        filter::StreamEnd::Eof if has_failed.get() => Exit::Status(TROUBLE),
        filter::StreamEnd::Eof => Exit::Status(u8::from(settings.exit_code && summary.diagnosed)),
    })
}

/// Puts together what the filter is to do.
fn work<'c, 'a>(
    settings: &FilterSettings,
    corpus: &'c Corpus,
    has_report: bool,
    report: &'a mut dyn FnMut(&Incident<'c>),
    complain: &'a mut dyn FnMut(&str),
) -> Work<'c, 'a> {
    let writes = settings.annotate != AnnotationPolicy::Never;
    Work {
        analysis: (writes || has_report || settings.folding.is_some())
            .then_some((corpus, Mode::Stream)),
        sources: sources(&settings.source, true),
        annotator: writes.then(|| Annotator {
            is_kept: settings.state.is_some(),
            ..settings.annotator.clone()
        }),
        is_annotated_behind,
        screen: settings.screen,
        follows_screen: settings.follows_screen,
        spare_json: settings.annotate == AnnotationPolicy::UnlessJson,
        folding: settings.folding,
        ..Work::new(report, complain)
    }
}

/// Returns whether another pickfix reads what this one writes to stdout, and annotates it.
fn is_annotated_behind() -> bool {
    #[cfg(unix)]
    let is_read = crate::run::is_read_by_pickfix(crate::run::OwnStream::Stdout);
    #[cfg(not(unix))]
    let is_read = false;
    is_read
}

#[cfg(unix)]
fn run_command(settings: RunSettings) -> Result<Exit, String> {
    run::run(settings)
}

#[cfg(not(unix))]
fn run_command(_: RunSettings) -> Result<Exit, String> {
    Err(
        "`run` is not available on this system yet; use the pipe: python train.py 2>&1 | pickfix"
            .to_owned(),
    )
}

/// Opens the file of `--report`; one that a file of settings names is no error.
fn report(
    path: Option<&Path>,
    streams: &Streams,
    origins: &Origins,
) -> Result<Option<ReportFile>, String> {
    let made = path.map(|path| ReportFile::create(path, streams));
    made.transpose().or_else(|fault| {
        origins.tolerate("report", &fault)?;
        Ok(None)
    })
}

/// Builds the corpus: the built-in rules, the user's own, without what was not selected. It stays until
/// the process ends: to give back its thousands of small parts would be for nothing.
fn corpus(selection: &Selection) -> Result<&'static Corpus, String> {
    check_folders(selection)?;
    let (mut corpus, errors) = Corpus::load(&selection.rules);
    for error in errors {
        warn(&format!("{error} (this rule is skipped)"));
    }
    let Selection {
        select,
        ignore,
        origins,
        ..
    } = selection;
    choose(origins, "select", select, |ids| corpus.select(ids))?;
    choose(origins, "ignore", ignore, |ids| corpus.ignore(ids))?;
    Ok(Box::leak(Box::new(corpus)))
}

/// Rejects a folder of rules that is not there.
fn check_folders(selection: &Selection) -> Result<(), String> {
    match selection.rules.iter().find(|folder| !folder.is_dir()) {
        Some(missing) => Err(format!("--rules {}: no such folder", missing.display())),
        None => Ok(()),
    }
}

/// Chooses among the rules by the ids that exist.
fn choose(
    origins: &Origins,
    name: &str,
    ids: &[String],
    mut choose: impl FnMut(&[String]) -> Result<(), UnknownRule>,
) -> Result<(), String> {
    let mut ids = ids.to_vec();
    while !ids.is_empty() {
        let Err(unknown) = choose(&ids) else { break };
        origins.tolerate(name, &unknown.to_string())?;
        ids.retain(|id| *id != unknown.name);
    }
    Ok(())
}

/// Returns where the program's own source may be read; by default below the current folder and the
/// script's own, where a program is being run.
fn sources(settings: &SourceFolders, is_running: bool) -> Option<Sources> {
    let here = std::env::current_dir().ok()?;
    if settings.is_off || !is_running && settings.roots.is_empty() {
        return None;
    }
    if settings.roots.is_empty() {
        return Some(Sources::of_user(here));
    }
    let roots = settings.roots.iter().map(|typed| root(typed, &here));
    Some(Sources::new(roots.collect(), here))
}

/// Reads `DIR` or `RECORDED=LOCAL`.
fn root(typed: &str, here: &Path) -> Root {
    let is_there = here.join(typed).is_dir();
    match typed.split_once('=').filter(|_| !is_there) {
        Some((recorded, local)) => Root {
            local: here.join(local),
            recorded: Some(recorded.to_owned()),
        },
        None => Root {
            local: here.join(typed),
            recorded: None,
        },
    }
}

/// Prints what is wrong with a file of the user's that pickfix can do without.
fn warn(message: &str) {
    say(&format!("warning: {message}"));
}

/// Prints a message; where stderr is closed, nobody wants it.
///
/// The further lines of pickfix's own are known by their first words; a name that has a line break
/// in it makes none, so that nothing in a log's name is a command to a CI job.
fn say(message: &str) {
    let mut text = String::from("pickfix: ");
    for (n, line) in message.split("\n  ").enumerate() {
        if n > 0 {
            let is_own = OWN_LINES.iter().any(|words| line.starts_with(words));
            text.push_str(if is_own { "\n  " } else { " " });
        }
        text.push_str(&visible(line));
    }
    text.push('\n');
    let _ = io::stderr().write_all(text.as_bytes());
}
