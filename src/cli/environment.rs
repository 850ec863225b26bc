//! What the process finds around it: variables and terminals, gathered so that tests can fake it.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

/// The surroundings that settings depend on. The default has no variable and no terminal.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// `NO_COLOR`: any words switch colour off.
    pub no_color: Option<OsString>,
    /// `FORCE_COLOR`: any words switch colour on.
    pub force_color: Option<OsString>,
    /// `CLICOLOR_FORCE`: any words but `0` switch colour on.
    pub clicolor_force: Option<OsString>,
    /// `TERM`: `dumb` knows no colour.
    pub term: Option<OsString>,
    /// `LC_ALL`, `LC_CTYPE` and `LANG`: the first that says anything is the locale.
    pub locale: [Option<OsString>; 3],
    /// `PAGER`: what shows texts of several screens.
    pub pager: Option<String>,
    /// The current folder.
    pub folder: Option<PathBuf>,
    /// The folder of the user's settings: `XDG_CONFIG_HOME`, else `.config` in the home folder.
    pub settings_folder: Option<PathBuf>,
    /// The file of the last run: in `XDG_STATE_HOME`, else `.local/state` in the home folder.
    pub state_file: Option<PathBuf>,
    /// Whether the terminal says that it knows links (OSC 8).
    pub has_links: bool,
    /// Whether standard output is a terminal.
    pub has_terminal: bool,
    /// Whether standard error is a terminal.
    pub has_error_terminal: bool,
    /// The columns of the terminal that standard output, or else standard error, writes to.
    pub columns: Option<u16>,
    /// Its lines.
    pub rows: Option<u16>,
}

impl Environment {
    /// Looks around.
    pub(super) fn of_this_process() -> Self {
        let (columns, rows) = size().unzip();
        Self {
            no_color: env::var_os("NO_COLOR"),
            force_color: env::var_os("FORCE_COLOR"),
            clicolor_force: env::var_os("CLICOLOR_FORCE"),
            term: env::var_os("TERM"),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].map(env::var_os),
            pager: env::var("PAGER").ok(),
            folder: env::current_dir().ok(),
            settings_folder: user_folder("XDG_CONFIG_HOME", ".config"),
            state_file: user_folder("XDG_STATE_HOME", ".local/state")
                .map(|folder| folder.join("pickfix/last.jsonl")),
            has_links: has_links(),
            has_terminal: io::stdout().is_terminal(),
            has_error_terminal: io::stderr().is_terminal(),
            // A terminal that does not know its size says 0: a serial line, some containers.
            columns: columns.filter(|columns| *columns > 0),
            rows: rows.filter(|rows| *rows > 0),
        }
    }

    /// A terminal, and no variable.
    #[cfg(test)]
    pub(super) fn of_a_terminal() -> Self {
        Self {
            has_terminal: true,
            columns: Some(80),
            ..Self::default()
        }
    }
}

/// Returns a folder that a variable names, else one in the home folder. A relative path does not
/// count, as the XDG specification says.
fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let folder = |name| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    folder(variable).or_else(|| Some(folder("HOME")?.join(in_home)))
}

/// Looks for a terminal that is known to know links; others would print what they do not know.
fn has_links() -> bool {
    let is = |name: &str, known: &[&str]| env::var(name).is_ok_and(|v| known.contains(&v.as_str()));
    let has = |name: &str| env::var_os(name).is_some();
    let vte = env::var("VTE_VERSION")
        .ok()
        .and_then(|v| v.parse::<u32>().ok());
    is(
        "TERM_PROGRAM",
        &["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"],
    ) || is(
        "TERM",
        &["xterm-kitty", "alacritty", "foot", "xterm-ghostty"],
    ) || ["WT_SESSION", "KONSOLE_VERSION", "KITTY_WINDOW_ID"]
        .into_iter()
        .any(has)
        || vte.is_some_and(|version| version >= 5000)
}

/// Returns the columns and lines of the terminal.
#[cfg(unix)]
fn size() -> Option<(u16, u16)> {
    use rustix::stdio::{stderr, stdout};
    use rustix::termios::tcgetwinsize;

    let size = tcgetwinsize(stdout())
        .or_else(|_| tcgetwinsize(stderr()))
        .ok()?;
    Some((size.ws_col, size.ws_row))
}

#[cfg(not(unix))]
fn size() -> Option<(u16, u16)> {
    None
}
