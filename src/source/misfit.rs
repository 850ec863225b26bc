//! How arguments do not fit a worker's function, as a message tells it.

use crate::traceback::{Exception, Frame};

use super::text::lists;

/// What holds items, as a message names it.
const LISTS: &str = "list tuple range zip map filter generator dict_values";

/// How arguments do not fit a worker's function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// The function of this name gets a tuple as one argument: `pool.map(add, [(1, 2)])`.
    Packed(String),
    /// An item that is no tuple was to be spread: `pool.starmap(work, [1, 2])`; letter by letter (`true`).
    Starred(bool),
    /// More than one list is given to a pool's method: another one (`true`), `pool.map(add, first, second)`, or a
    /// value that is no list; that, to an executor's `map` too.
    Several(bool),
    /// One argument is there where a tuple of them is wanted: `args=(3)`.
    Alone,
    /// The same, where the function of this name gets so many: `args=("bob")`.
    Letters(String, usize),
    /// The function of this name gets too few from a process, or a worker's initializer.
    Lacking(String),
    /// What is to be called is a result: `submit(square(3))`.
    Called,
    /// A task of joblib's is a result: `Parallel(2)(square(x) for x in items)`.
    Undelayed,
}

impl Misfit {
    /// Reads `add() missing 1 required positional argument: 'b'` and its like, raised where a worker calls what
    /// it is given.
    pub(super) fn of(own: &Exception, message: &str) -> Option<Self> {
        let last = own.frames.last()?;
        let is_in = |file: &str, functions: &[&str]| {
            last.path.ends(file) && functions.contains(&last.function.as_str())
        };
        let in_pool = |functions: &[&str]| is_in("multiprocessing/pool.py", functions);
        let in_process = |function: &str| is_in("multiprocessing/process.py", &[function]);
        let in_run = || in_process("run") || is_in("torch/multiprocessing/spawn.py", &["_wrap"]);
        let in_executor = || {
            is_in(
                "concurrent/futures/process.py",
                &["<listcomp>", "_process_chunk", "_process_worker"],
            )
        };
        let in_start = || last.source.as_deref() == Some("initializer(*initargs)");
        let name = |text: &str| text.rsplit('.').next().map(str::to_owned);
        let compares = ["not supported between instances of ", "The truth value of "];
        let is_compared = compares.iter().any(|words| message.contains(words));
        let in_call = |f: &Frame| {
            let is_method = matches!(&*f.function, "__init__" | "imap" | "imap_unordered");
            is_method && f.path.ends("multiprocessing/pool.py")
        };
        if is_compared && own.frames.iter().any(in_call) {
            let of = message
                .split('\'')
                .nth(3)
                .filter(|_| !message.contains(compares[1]));
            return Some(Self::Several(of.is_none_or(|of| lists(LISTS, of))));
        }
        if let Some((function, rest)) = message.split_once("() missing ") {
            let is_placed = rest.contains("required positional argument");
            let is_mapped = !in_start() && (in_pool(&["mapstar", "worker"]) || in_executor());
            let packed = (is_placed && is_mapped).then(|| name(function).map(Self::Packed));
            let lacking = || (in_run() || in_start()).then(|| name(function).map(Self::Lacking));
            return packed.or_else(lacking)?;
        }
        if let Some((function, _)) =
            message.split_once("() got an unexpected keyword argument 'args'")
        {
            return in_executor().then(|| name(function).map(Self::Packed))?;
        }
        let zips = || is_in("concurrent/futures/process.py", &["_get_chunks", "map"]);
        let is_single = [" object is not iterable", " must support iteration"];
        if is_single.iter().any(|words| message.ends_with(words)) && zips() {
            return Some(Self::Several(false));
        }
        if message.ends_with(" object is not iterable") {
            return if in_pool(&["starmapstar"]) {
                Some(Self::Starred(false))
            } else {
                in_process("__init__").then_some(Self::Alone)
            };
        }
        if message.contains("after * must be an iterable") {
            return (in_pool(&["worker"]) || in_run() || in_start()).then_some(Self::Alone);
        }
        let in_joblib = |f: &Frame| f.path.ends("joblib/parallel.py");
        if let Some(of) = message.strip_prefix("cannot unpack non-iterable ")
            && in_joblib(last)
        {
            let is_function = of == "function object";
            return Some(if is_function {
                Self::Called
            } else {
                Self::Undelayed
            });
        }
        if message.ends_with(" object is not callable") {
            let is_called = in_process("run") || in_executor();
            let is_called = is_called || in_pool(&["worker", "mapstar", "starmapstar"]);
            return is_called.then_some(Self::Called);
        }
        let (function, rest) = message.split_once("() takes ")?;
        let (_, given) = rest.split_once(" but ")?;
        let count = given.split(' ').next()?.parse().ok()?;
        if in_pool(&["starmapstar"]) {
            return (count > 1).then_some(Self::Starred(true));
        }
        let is_called = in_run() || in_pool(&["worker"]) || in_start();
        is_called.then(|| name(function).map(|name| Self::Letters(name, count)))?
    }
}
