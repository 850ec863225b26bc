//! Panics: bugs of pickfix itself. A stage that fails ends alone, and is reported once.

use std::fmt;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What a test wants to go wrong: `STAGE:TEXT`, a stage that fails where it meets that text.
const PROVOKE: &str = "PICKFIX_PANIC";

/// Where the last panic was, and what it said.
static LAST: Mutex<String> = Mutex::new(String::new());

/// A panic that was caught.
#[derive(Clone, Debug)]
pub struct Bug {
    place: String,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => f.write_str("a bug: please report it with the log"),
            place => write!(f, "a bug, {place}: please report it with the log"),
        }
    }
}

/// Notes where a panic was, for whoever catches it; prints nothing.
pub fn note(info: &PanicHookInfo<'_>) {
    let payload = info.payload();
    let what = match payload.downcast_ref::<String>() {
        Some(what) => what.as_str(),
        None => payload.downcast_ref::<&str>().unwrap_or(&"no message"),
    };
    // That of the thread itself came before.
    if what != "a scoped thread panicked" {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        *last() = format!("at {place}: {what}");
    }
}

/// Does some work; a panic in it is caught, and what it was doing is given up.
///
/// # Errors
/// Where it panicked.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Bug> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Bug {
        place: std::mem::take(&mut *last()),
    })
}

fn last() -> std::sync::MutexGuard<'static, String> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Panics where a test wants it, so that the program that ships is the one that is tested.
pub(crate) fn provoke<T: AsRef<str>>(stage: &str, texts: impl IntoIterator<Item = T>) {
    static WANTED: OnceLock<Option<(String, String)>> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| {
        let wanted = std::env::var(PROVOKE).ok()?;
        let (stage, text) = wanted.split_once(':')?;
        Some((stage.to_owned(), text.to_owned()))
    });
    if let Some((at, text)) = wanted
        && at == stage
    {
        let is_met = texts.into_iter().any(|t| t.as_ref().contains(text));
        assert!(!is_met, "provoked \u{1b}[2J at {stage}");
    }
}
