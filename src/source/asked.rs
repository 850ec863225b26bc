//! What a failure asks for, as its message tells.

use std::rc::Rc;

use crate::traceback::{Exception, Frame};

use super::causes::KEYWORDS;
use super::misfit::Misfit;
use super::syntax::{Expr, ExprKind, Source};
use super::text::lists;
use super::wanted::Wanted;

/// What Python says where a script starts processes outside of a main guard.
pub(super) const BOOTSTRAPPING: &str = "has finished its bootstrapping phase";

/// Where queues between processes are.
const QUEUES: &str = "multiprocessing/queues.py";

/// What Python says of a `None` that is to be a number or a text.
const GIVEN: [&str; 8] = [
    "must be real number, not NoneType",
    " is required, not NoneType",
    "unsupported format string passed to NoneType.__format__",
    "() argument must be a string",
    "type NoneType doesn't define __round__ method",
    "can only concatenate str (not \"NoneType\") to str",
    " expected str instance, NoneType found",
    "bad operand type for ",
];

/// What DDP and Lightning say of parameters without a gradient.
const WITHOUT_GRADIENT: [&str; 2] = [
    "Expected to have finished reduction in the prior iteration",
    "parameters that were not used in producing the loss",
];

/// What Python and its libraries say where there is nothing to take, or to put together.
const OF_EMPTY: [&str; 6] = [
    " is an empty sequence",
    " iterable argument is empty",
    ", got 0)",
    "need at least one array to ",
    "No objects to concatenate",
    "zero-size array to reduction operation",
];

/// How a message speaks of what a result is fetched through.
const HANDLES: [&str; 3] = ["ApplyResult", "MapResult", "Future"];

/// What DDP adds where it has looked for unused parameters: these are none.
const FOUND: &str = "Since `find_unused_parameters=True` is enabled";

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// What could not be pickled.
    Object(Wanted),
    /// The statement that starts processes outside of a main guard.
    Start {
        /// Whether it is in a module that the child's task is from, which no guard of its own helps.
        of_task: bool,
    },
    /// The definition that another process did not find in the script, whose file older messages name.
    Definition { name: String, file: Option<String> },
    /// The exception whose `__init__` is given other arguments than it takes; its class, where it is told.
    Arguments { class: Option<String>, amiss: Amiss },
    /// What gives a sample that is `None`.
    Sample,
    /// What used CUDA before the process was forked.
    Cuda,
    /// The call that is given a start method by this word.
    Keyword(String),
    /// The type that is not found under this name in its module.
    Type { module: String, name: String },
    /// What sets the start method before it can be chosen.
    FirstSet,
    /// The pool that is joined while it takes tasks.
    Unclosed,
    /// The pool that is given tasks and has ended.
    NotRunning,
    /// The call of a pool that has ended, whose results are waited for.
    Ended,
    /// The process that is waited for.
    Joined,
    /// The queue whose items are waited for.
    Undone,
    /// What takes from the full queue that is waited for.
    Full,
    /// The queue of threads that is waited for.
    ThreadsOnly,
    /// What is put into the queue that is waited for, and cannot be pickled.
    Dropped,
    /// The lock that its holder takes once more.
    Retaken,
    /// The pipe whose end is waited for.
    OwnEnd,
    /// The attribute of a process that hides this one.
    Hidden(&'static str),
    /// What sets a global that a worker does not have.
    Unset(Use),
    /// What fills a dict or list in which a worker does not find this.
    Unfilled(Lack),
    /// What fills a dict or list in which the parent does not find this.
    Stayed(Lack),
    /// What sets a global or attribute that is `None` in the parent.
    SetThere(Use),
    /// What a `__getattr__` that calls itself reads.
    Endless,
    /// The class that leaves this attribute out of its bytes.
    LeftOut { class: String, name: String },
    /// The call that gives a worker's function its arguments.
    Misfit(Misfit),
    /// The call whose result is used before it is fetched.
    Unfetched,
    /// The process that is daemonic and starts others, or the pool that a task of a pool (`true`) makes.
    Daemonic(bool),
    /// The queue or lock of another start method than the process that it is given to.
    Mixed,
    /// The task that returns a tensor with its graph.
    Graph,
    /// The layers without a gradient; the names of their parameters, where they are told.
    Unread(Option<String>),
}

/// What is wrong with the arguments of an `__init__`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Amiss {
    /// It wants these too, by position.
    Placed(Vec<String>),
    /// The same, by name.
    Named(Vec<String>),
    /// It takes at most so many, with `self`, and is given so many.
    Surplus(usize, usize),
}

/// What is not in a dict or list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// A key, as Python prints it.
    Key(String),
    /// The item at an index.
    Index,
    /// Any item: its `max()` is asked for, or divided by its `len()`, or its parts are put together.
    Any,
}

/// How a line uses a global that is not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// By this name, which is not bound.
    Name(String),
    /// It is `None`, and asked for this attribute.
    Attribute(String),
    /// The same: for an item.
    Item,
    /// It is called.
    Call,
    /// It is looped over, or spread.
    Items,
    /// It is entered.
    With,
    /// It is a part of a sum, a comparison, a `len()`.
    Operand,
    /// It is to be a number or a text, as an argument, an item, or in a format.
    Given,
    /// It is returned as it is, or given another name.
    Itself,
    /// It is given on as an argument, by this name.
    Argument(String),
}

impl Asked {
    /// Reads it out of a message; `None` where the source can tell nothing more.
    pub(super) fn read(own: &Exception, message: &str) -> Option<Self> {
        let told = Self::context(own, message)
            .or_else(|| Self::lookup(message))
            .or_else(|| Wanted::read(message).map(Self::Object))
            .or_else(|| Self::of_torch(message));
        if told.is_some() {
            return told;
        }
        if message.contains("NoneType") {
            return Self::of_none(own, message);
        }
        Self::of_frames(own, message)
            .or_else(|| Self::lacking(own, message))
            .or_else(|| Self::misused(own, message))
            .or_else(|| Misfit::of(own, message).map(Self::Misfit))
            .or_else(|| Self::definition(message))
            .or_else(|| Self::keyword(message))
            .or_else(|| Self::arguments(message))
            .or_else(|| Use::of_name(message).map(Self::Unset))
            .or_else(|| Self::left_out(message))
    }

    /// Reads what Python says where a script starts processes, or sets how, at a wrong time.
    fn context(own: &Exception, message: &str) -> Option<Self> {
        let is_set = message.contains("context has already been set");
        let is_imported = |f: &Frame| f.function.starts_with("_fixup_main_from");
        if message.contains(BOOTSTRAPPING) || is_set && own.frames.iter().any(is_imported) {
            return Some(Self::Start {
                of_task: is_read(own),
            });
        }
        is_set.then_some(Self::FirstSet)
    }

    /// Reads what torch, DDP and Lightning say.
    fn of_torch(message: &str) -> Option<Self> {
        if message.contains("in forked subprocess") && message.contains("re-initialize") {
            return Some(Self::Cuda);
        }
        if WITHOUT_GRADIENT.iter().any(|w| message.contains(w)) && !message.contains(FOUND) {
            let told = message.split_once("Parameters which did not receive grad for rank ");
            let told = told.and_then(|(_, rest)| rest.lines().next()?.split_once(": "));
            return Some(Self::Unread(told.map(|(_, names)| names.to_owned())));
        }
        let is_graph = message.contains("Cowardly refusing to serialize non-leaf tensor");
        is_graph.then_some(Self::Graph)
    }

    /// Reads what Python says of a `None`, by who has it.
    fn of_none(own: &Exception, message: &str) -> Option<Self> {
        let collates = |f: &Frame| f.path.ends("_utils/collate.py");
        if own.frames.iter().any(collates) {
            return Some(Self::Sample);
        }
        let asked = if is_in_task(own) {
            Self::Unset
        } else {
            Self::SetThere
        };
        Use::of_none(message).map(asked)
    }

    /// Reads what the frames tell more of than the message: a loop without end, or a wait.
    fn of_frames(own: &Exception, message: &str) -> Option<Self> {
        let asks = own.frames.last().filter(|f| f.function == "__getattr__");
        if let Some(last) = asks.filter(|_| message.starts_with("maximum recursion depth")) {
            // A bar that was sent with the stream that it writes to.
            let of_bar = || Self::Object(Wanted::Type("_io.TextIOWrapper".to_owned()));
            let is_bar = last.path.ends("tqdm/utils.py");
            return Some(if is_bar { of_bar() } else { Self::Endless });
        }
        let of_process = (own.frames.last()).filter(|f| f.path.ends("multiprocessing/process.py"));
        if let Some(source) = of_process.and_then(|f| f.source.as_deref()) {
            if source == "self.run()" && message.ends_with(" object is not callable") {
                return Some(Self::Hidden("run"));
            }
            // Without `Process.__init__` there is none yet.
            if source.contains("self._config") && !message.contains("has no attribute '_config'") {
                return Some(Self::Hidden("_config"));
            }
        }
        if message.starts_with("Pool is still running") {
            return Some(Self::Unclosed);
        }
        if message == "Pool not running" || message == "cannot schedule new futures after shutdown"
        {
            return Some(Self::NotRunning);
        }
        if waits_for_pool(own) {
            return Some(Self::Ended);
        }
        let is_of =
            |f: &Frame, file: &str, function: &str| f.function == function && f.path.ends(file);
        let is_last = |file, function| own.frames.last().is_some_and(|f| is_of(f, file, function));
        let has = |file, function| own.frames.iter().any(|f| is_of(f, file, function));
        if own.type_name.as_deref() == Some("KeyboardInterrupt") {
            if is_last(QUEUES, "put") {
                return Some(Self::Full);
            }
            if has(QUEUES, "join") {
                return Some(Self::Undone);
            }
            if has("multiprocessing/process.py", "join") {
                return Some(Self::Joined);
            }
            if is_last("multiprocessing/synchronize.py", "__enter__") {
                return Some(Self::Retaken);
            }
            if has("multiprocessing/connection.py", "recv") {
                return Some(Self::OwnEnd);
            }
        }
        let takes = |f: &Frame| f.path.ends("queue.py") && f.function.starts_with("get");
        let is_wait = matches!(
            own.type_name.as_deref(),
            Some("KeyboardInterrupt" | "_queue.Empty" | "queue.Empty")
        );
        if is_wait && has(QUEUES, "get") {
            return Some(Self::Dropped);
        }
        (is_wait && own.frames.iter().any(takes)).then_some(Self::ThreadsOnly)
    }

    /// Reads what is not in a dict or list.
    fn lacking(own: &Exception, message: &str) -> Option<Self> {
        let asked = if is_in_task(own) {
            Self::Unfilled
        } else {
            Self::Stayed
        };
        Lack::of(own, message).map(asked)
    }

    /// Reads what `multiprocessing` says of processes of two kinds, and what Python says of a handle.
    fn misused(own: &Exception, message: &str) -> Option<Self> {
        if message.starts_with("A SemLock created in a fork context is being shared") {
            return Some(Self::Mixed);
        }
        if message.starts_with("daemonic processes are not allowed") {
            let of_task = |f: &Frame| {
                f.path.ends("multiprocessing/pool.py")
                    && matches!(&*f.function, "get" | "next" | "worker")
            };
            return Some(Self::Daemonic(own.frames.iter().any(of_task)));
        }
        let is_own = own.frames.last().is_some_and(|f| f.path.is_users());
        let is_used = is_own && HANDLES.iter().any(|handle| message.contains(handle));
        is_used.then_some(Self::Unfetched)
    }

    /// Reads `'Cache' object has no attribute '_lock'`.
    fn left_out(message: &str) -> Option<Self> {
        let rest = message.strip_prefix("type object ").unwrap_or(message);
        let rest = rest.strip_prefix('\'')?;
        let (class, rest) = rest.split_once('\'')?;
        let rest = rest.strip_prefix(" object").unwrap_or(rest);
        let rest = rest.strip_prefix(" has no attribute '")?;
        let (name, _) = rest.split_once('\'')?;
        Some(Self::LeftOut {
            class: class.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Reads `Can't get attribute 'f' on <module '__main__' from '/project/train.py'>`, and
    /// `module '__main__' has no attribute 'f'` of Python 3.15.
    fn definition(message: &str) -> Option<Self> {
        let (name, module, file) =
            if let Some((_, rest)) = message.split_once("Can't get attribute '") {
                let (name, rest) = rest.split_once("' on <module '")?;
                let (module, rest) = rest.split_once("' from '")?;
                (name, module, Some(rest.split_once("'>")?.0))
            } else {
                let rest = message.strip_prefix("module '")?;
                let (module, rest) = rest.split_once("' has no attribute '")?;
                (rest.split_once('\'')?.0, module, None)
            };
        matches!(module, "__main__" | "__mp_main__").then(|| Self::Definition {
            name: name.to_owned(),
            file: file.map(str::to_owned),
        })
    }

    /// Reads `Can't pickle <class 'shapes.Point'>: attribute lookup Point on shapes failed`, and
    /// `…: it's not found as shapes.Point`.
    fn lookup(message: &str) -> Option<Self> {
        let (_, rest) = message.split_once("Can't pickle <")?;
        let (_, rest) = rest.split_once(">: ")?;
        let line = rest.lines().next()?;
        let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let (module, name) = if let Some(rest) = line.strip_prefix("attribute lookup ") {
            let (name, module) = rest.split_once(" on ")?;
            (module.split_once(" failed")?.0, name)
        } else {
            // A pool quotes it: `…Record")'`.
            let rest = line.strip_prefix("it's not found as ")?;
            rest.trim_end_matches(['"', '\'', ')']).rsplit_once('.')?
        };
        (name.chars().all(is_plain) && module.chars().all(is_plain)).then(|| Self::Type {
            module: module.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Reads `BaseContext.Pool() got an unexpected keyword argument 'mp_context'`.
    fn keyword(message: &str) -> Option<Self> {
        let (_, rest) = message.split_once("got an unexpected keyword argument '")?;
        let (word, _) = rest.split_once('\'')?;
        lists(KEYWORDS, word).then(|| Self::Keyword(word.to_owned()))
    }

    /// Reads `ApiError.__init__() missing 1 required positional argument: 'message'`.
    fn arguments(message: &str) -> Option<Self> {
        let (class, rest) = message.split_once("__init__() ")?;
        let class = class.rsplit([' ', '"', '\'']).next()?.trim_end_matches('.');
        let amiss = Amiss::surplus(rest).or_else(|| Amiss::missing(rest))?;
        Some(Self::Arguments {
            class: (!class.is_empty()).then(|| class.to_owned()),
            amiss,
        })
    }
}

impl Amiss {
    /// Reads `missing 1 required positional argument: 'message'`.
    fn missing(rest: &str) -> Option<Self> {
        let (lead, names) = rest.strip_prefix("missing ")?.split_once(':')?;
        let names = names.split('\'').skip(1).step_by(2).map(str::to_owned);
        if lead.contains("keyword-only") {
            return Some(Self::Named(names.collect()));
        }
        lead.contains("positional")
            .then(|| Self::Placed(names.collect()))
    }

    /// Reads `takes 1 positional argument but 2 were given`, and `takes from 1 to 2 …`.
    fn surplus(rest: &str) -> Option<Self> {
        let (most, given) = rest
            .strip_prefix("takes ")?
            .split_once(" positional argument")?;
        let most = most.rsplit(' ').next()?.parse().ok()?;
        let (_, given) = given.split_once(" but ")?;
        let given = given.split(" w").next()?.parse().ok()?;
        Some(Self::Surplus(most, given))
    }
}

impl Lack {
    /// Reads `KeyError: 'depth'`, `IndexError: list index out of range` and the like, raised by the program's
    /// own line.
    fn of(own: &Exception, message: &str) -> Option<Self> {
        let is_own = own.frames.last().is_some_and(|f| f.path.is_users());
        let is_of_pandas =
            |f: &Frame| f.function == "__getitem__" && f.path.as_str().contains("pandas");
        match own.type_name.as_deref()? {
            "KeyError" if is_own || own.frames.iter().any(is_of_pandas) => {
                Some(Self::Key(message.replacen("Column not found: ", "", 1)))
            }
            "IndexError" if is_own && message == "list index out of range" => Some(Self::Index),
            "ZeroDivisionError" | "AssertionError" if is_own => Some(Self::Any),
            "ValueError" if OF_EMPTY.iter().any(|words| message.contains(words)) => Some(Self::Any),
            "statistics.StatisticsError" => Some(Self::Any),
            _ => None,
        }
    }

    /// Returns the key, if it is a text.
    fn text(&self) -> Option<&str> {
        let Self::Key(key) = self else {
            return None;
        };
        let quote = key.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        key.strip_prefix(quote)?.strip_suffix(quote)
    }

    /// Returns whether the item with a key that is written so may be it.
    pub(super) fn may_be(&self, key: &Expr) -> bool {
        match &key.kind {
            ExprKind::Text(text) => self.text() == Some(text),
            ExprKind::Constant => self.text().is_none(),
            _ => true,
        }
    }

    /// Returns whether what fills a container puts it there.
    pub(super) fn is_put(&self, key: Option<&str>, source: &Source) -> bool {
        let Some(text) = self.text() else {
            return false;
        };
        let has_key = |items: &[(Option<Rc<Expr>>, Rc<Expr>)]| {
            let mut keys = items.iter().filter_map(|(key, _)| key.as_ref());
            keys.any(|k| k.text() == Some(text))
        };
        // `LIMITS.update({"depth": 3})`
        let updates = || matches!(source, Source::Element(e) if matches!(&e.kind, ExprKind::Dict(d) if has_key(d)));
        key == Some(text) || updates()
    }
}

impl Use {
    /// Reads `name 'settings' is not defined`.
    fn of_name(message: &str) -> Option<Self> {
        let rest = message.strip_prefix("name '")?;
        let (name, _) = rest.split_once("' is not defined")?;
        Some(Self::Name(name.to_owned()))
    }

    /// Reads `'NoneType' object has no attribute 'value'` and its like.
    fn of_none(message: &str) -> Option<Self> {
        let operands = [
            "unsupported operand type(s) for ",
            "argument of type 'NoneType' ",
            "object of type 'NoneType' has no len()",
        ];
        let compares = message.contains("not supported between instances of ");
        if compares || operands.iter().any(|words| message.starts_with(words)) {
            return Some(Self::Operand);
        }
        if message.contains("NoneType") && GIVEN.iter().any(|words| message.contains(words)) {
            return Some(Self::Given);
        }
        let rest = message.strip_prefix("'NoneType' object ")?;
        if let Some(rest) = rest.strip_prefix("has no attribute '") {
            let (name, _) = rest.split_once('\'')?;
            return Some(Self::Attribute(name.to_owned()));
        }
        let uses = [
            ("is not subscriptable", Self::Item),
            ("does not support item assignment", Self::Item),
            ("is not callable", Self::Call),
            ("is not iterable", Self::Items),
            ("does not support the context manager protocol", Self::With),
        ];
        let found = uses.into_iter().find(|(words, _)| rest.starts_with(words));
        found.map(|(_, used)| used)
    }
}

/// Returns whether a worker raised it that runs tasks.
fn is_in_task(own: &Exception) -> bool {
    let names = "_bootstrap worker _process_worker _worker_loop do_call";
    let mut frames = own.frames.iter();
    frames.any(|f| !f.path.is_users() && lists(names, &f.function))
}

/// Returns whether a new process raised it while it read its task: it runs the script before, in another call.
fn is_read(own: &Exception) -> bool {
    let first = own.frames.iter().position(|f| f.path.is_users());
    let before = first.and_then(|at| own.frames[..at].last());
    before.is_some_and(|f| matches!(&*f.function, "_main" | "main"))
}

/// Returns whether it ended a wait for results of a pool: Ctrl-C, or the time that the call gave it.
fn waits_for_pool(own: &Exception) -> bool {
    let is_of_pool = |f: &Frame| f.path.ends("multiprocessing/pool.py");
    let is_cut = match own.type_name.as_deref() {
        Some("KeyboardInterrupt") => true,
        Some(name) => name.ends_with("TimeoutError") && own.frames.last().is_some_and(is_of_pool),
        None => false,
    };
    let last = own.frames.iter().rposition(|f| f.path.is_users());
    let called = last.and_then(|at| own.frames.get(at + 1));
    is_cut && called.is_some_and(|f| is_of_pool(f) && matches!(&*f.function, "get" | "next"))
}
