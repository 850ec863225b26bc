//! What was meant: the words of the command line and the environment, resolved once.

mod appearance;
mod command;
mod selection;

use std::path::Path;
use std::time::Duration;

use super::args::{self, Args, GroupArg, OwnRulesArgs, RulesArgs, RulesVerb, Verb};
use super::environment::Environment;
use super::init::{InitSettings, Wrapping};
use super::last::LastForm;
use super::settings::Origins;
use crate::corpus::nearest;
use crate::incident::Grouping;
use crate::render::Glyphs;
use crate::render::report::ReportFormat;
use crate::traceback::fold::FoldSigns;

use appearance::annotator;
pub(super) use appearance::{ascii, width};
pub(super) use command::{
    AnnotationPolicy, CheckSettings, Command, ExplainSettings, FilterSettings, FixSettings,
    LastSettings, RunSettings, SourceFolders, Verbosity,
};
pub(super) use selection::{Selection, own_rules};

/// Resolves what was typed, in these surroundings.
pub(super) fn resolve(
    args: Args,
    origins: &Origins,
    environment: &Environment,
) -> Result<Command, String> {
    let own = |typed: OwnRulesArgs| Selection::of_all(typed, origins, environment);
    Ok(match args.command {
        None => {
            if let Some(word) = args.files.first().and_then(|file| file.to_str()) {
                is_file(word)?;
            }
            Command::Filter(FilterSettings {
                files: args.files,
                exit_code: args.exit_code,
                ..filter(args.filter, origins, environment)
            })
        }
        Some(Verb::Init(args)) => Command::Init(init(args)?),
        Some(Verb::Run(args)) => Command::Run(Box::new(run(*args, origins, environment))),
        Some(Verb::Explain(args)) => Command::Explain(ExplainSettings {
            what: (!args.what.is_empty()).then(|| args.what.join(" ")),
            format: args.format,
            annotator: annotator(&args.appearance, environment),
            selection: own(args.own),
        }),
        Some(Verb::Check(args)) => Command::Check(Box::new(check(*args, origins, environment)?)),
        Some(Verb::Fix(args)) => Command::Fix(FixSettings {
            log: args.log,
            state: environment.state_file.clone(),
            is_applied: args.apply,
            is_list: args.list,
            ids: args.id,
            selection: own(args.own),
            source: folders(args.source),
        }),
        Some(Verb::Last(args)) => Command::Last(LastSettings {
            state: environment.state_file.clone(),
            form: if args.code {
                LastForm::Code
            } else {
                LastForm::Text
            },
            annotator: annotator(&args.appearance, environment),
        }),
        Some(Verb::Finder(_)) => Command::Finder,
        Some(Verb::Completions(typed)) => Command::Completions(typed.shell),
        Some(Verb::Man(typed)) => Command::Man(typed.command),
        Some(Verb::Help(_)) => unreachable!("it has been read as --help"),
        Some(Verb::Rules(RulesArgs { verb, .. })) => match verb {
            RulesVerb::List {
                format, own: typed, ..
            } => Command::List(format, own(typed)),
            RulesVerb::Test {
                what, own: typed, ..
            } => Command::Test(what, own(typed)),
            RulesVerb::New { id, from, .. } => Command::New(id, from),
        },
    })
}

/// Rejects a first FILE that is a command, or is no file and was probably meant as one.
fn is_file(word: &str) -> Result<(), String> {
    let commands = args::commands();
    let mut names = commands.iter().map(String::as_str);
    if names.any(|name| name == word) {
        return Err(format!(
            "'{word}' is a command, and its options stand behind it: pickfix {word} …; the file of that name is ./{word}"
        ));
    }
    let is_word = word.chars().all(|c| c.is_ascii_lowercase());
    let meant = nearest(word, commands.iter().map(String::as_str));
    match meant.filter(|_| is_word && !Path::new(word).exists()) {
        Some(meant) => Err(format!(
            "'{word}' is neither a file nor a command; did you mean pickfix {meant}?"
        )),
        None => Ok(()),
    }
}

fn folders(typed: args::SourceArgs) -> SourceFolders {
    SourceFolders {
        roots: typed.source_root,
        is_off: typed.no_source,
    }
}

/// Resolves what `init` is to write.
fn init(args: args::InitArgs) -> Result<InitSettings, String> {
    for name in &args.command {
        super::init::check(name)?;
    }
    Ok(InitSettings {
        shell: args.shell,
        wrapping: if args.pipe {
            Wrapping::Pipe
        } else {
            Wrapping::Run
        },
        commands: args.command,
    })
}

/// Resolves the settings of `run`.
fn run(args: args::RunArgs, origins: &Origins, environment: &Environment) -> RunSettings {
    let of_stderr = Environment {
        has_terminal: environment.has_error_terminal,
        ..environment.clone()
    };
    RunSettings {
        words: args.words,
        stdout: filter(args.filter.clone(), origins, environment),
        stderr: filter(args.filter, origins, &of_stderr),
        stall: args
            .stall
            .map(|seconds| Duration::from_secs(seconds.into())),
        probe: args.probe,
    }
}

/// Resolves the settings of a filter that reads standard input and ends with status 0.
fn filter(args: args::FilterArgs, origins: &Origins, environment: &Environment) -> FilterSettings {
    let annotator = annotator(&args.appearance, environment);
    FilterSettings {
        files: Vec::new(),
        folding: args.fold.then(|| fold_signs(annotator.glyphs)),
        follows_screen: environment.has_terminal && args.appearance.width.is_none(),
        annotator,
        selection: Selection::new(args.choice, origins, environment),
        screen: environment
            .rows
            .filter(|_| environment.has_terminal)
            .map(u64::from),
        annotate: match args.annotate {
            args::AnnotateArg::Never => AnnotationPolicy::Never,
            args::AnnotateArg::Auto if environment.has_terminal => AnnotationPolicy::Always,
            args::AnnotateArg::Auto => AnnotationPolicy::UnlessJson,
        },
        exit_code: false,
        report: args.report,
        source: folders(args.source),
        state: environment.state_file.clone().filter(|_| !args.no_state),
    }
}

/// Returns the signs of folded tracebacks, by the characters of the annotations.
fn fold_signs(glyphs: Glyphs) -> FoldSigns {
    match glyphs {
        Glyphs::Unicode => FoldSigns::Unicode,
        Glyphs::Ascii => FoldSigns::Ascii,
    }
}

/// Resolves the settings of `check`.
fn check(
    args: args::CheckArgs,
    origins: &Origins,
    environment: &Environment,
) -> Result<CheckSettings, String> {
    let form = args.format;
    let is_json = matches!(form, ReportFormat::Json | ReportFormat::Jsonl);
    if args.unknown && !is_json {
        return Err(
            "--unknown is for --format json and jsonl; the text lists them anyway".to_owned(),
        );
    }
    if args.summary && form != ReportFormat::Text {
        return Err("--summary is for the text; the other forms are for programs".to_owned());
    }
    if args.follow && form != ReportFormat::Text {
        return Err("--follow writes text; for JSON lines at its end, --report FILE".to_owned());
    }
    let threads = default_threads();
    Ok(CheckSettings {
        paths: args.paths,
        globs: args.glob,
        selection: Selection::new(args.choice, origins, environment),
        follow: args.follow,
        form,
        unknown: args.unknown,
        print: match (args.quiet, args.summary) {
            (true, _) => Verbosity::Nothing,
            (_, true) => Verbosity::Summary,
            _ => Verbosity::Report,
        },
        grouping: match args.group_by {
            GroupArg::Id => Grouping::All,
            GroupArg::Job => Grouping::Job,
            GroupArg::File => Grouping::File,
        },
        limit: args.limit.into(),
        annotator: annotator(&args.appearance, environment),
        exit_zero: args.exit_zero,
        report: args.report,
        threads: args.threads.map_or(threads, usize::from),
        source: folders(args.source),
    })
}

/// What of a limited address space a thread is given, in bytes: glibc sets 64 MiB aside for its memory.
const BYTES_OF_A_THREAD: u64 = 128 * 1024 * 1024;

/// Returns how many threads read: one for each processor, as far as `ulimit -v` leaves room for them.
fn default_threads() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    #[cfg(unix)]
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    #[cfg(not(unix))]
    let limit = None;
    threads_within(processors, limit)
}

fn threads_within(processors: usize, limit: Option<u64>) -> usize {
    let room = limit.and_then(|bytes| usize::try_from(bytes / BYTES_OF_A_THREAD).ok());
    room.map_or(processors, |room| processors.min(room.max(1)))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn meant(words: &str, environment: &Environment) -> FilterSettings {
        let words = std::iter::once("pickfix").chain(words.split_whitespace());
        let (args, _) = args::parse(words.map(OsString::from).collect()).unwrap();
        match resolve(args, &Origins::default(), environment) {
            Ok(Command::Filter(filter)) => filter,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn json_lines_are_spared_where_no_person_looks() {
        assert_eq!(
            meant("", &Environment::of_a_terminal()).annotate,
            AnnotationPolicy::Always
        );
        assert_eq!(
            meant("", &Environment::default()).annotate,
            AnnotationPolicy::UnlessJson
        );
        assert_eq!(
            meant("--annotate never", &Environment::of_a_terminal()).annotate,
            AnnotationPolicy::Never
        );
    }

    #[test]
    fn threads_have_room_in_a_limited_address_space() {
        assert_eq!(threads_within(64, None), 64);
        assert_eq!(threads_within(64, Some(4 << 30)), 32);
        assert_eq!(threads_within(2, Some(4 << 30)), 2);
        assert_eq!(threads_within(2, Some(64 << 20)), 1);
    }

    #[test]
    fn the_name_of_a_command_is_no_first_file() {
        let file = |words: &str| {
            let words = ["pickfix"].into_iter().chain(words.split_whitespace());
            let (args, _) = args::parse(words.map(OsString::from).collect()).unwrap();
            resolve(args, &Origins::default(), &Environment::default())
        };
        let message = file("--ascii explain x").unwrap_err();
        assert!(message.contains("options stand behind it"), "{message}");
        for word in args::commands() {
            let message = file(&format!("--ascii {word}")).unwrap_err();
            assert!(message.contains(&format!("./{word}")), "{message}");
            assert!(file(&format!("./{word}")).is_ok());
            assert!(file(&format!("a.log {word}")).is_ok());
        }
        let message = file("chekc logs").unwrap_err();
        assert!(
            message.ends_with("did you mean pickfix check?"),
            "{message}"
        );
        assert!(file("src").is_ok() && file("chekc.log").is_ok());
    }
}
