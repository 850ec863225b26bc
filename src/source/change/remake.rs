//! The expression that makes an attribute again.

use std::rc::Rc;

use crate::object::Edit;

use super::super::eval::{Eval, bindings_of};
use super::super::instance::FIELDS;
use super::super::syntax::{
    Def, Expr, ExprKind, Kind, Name, Place, Source, Statement, StatementKind,
};
use super::super::text::{has_lambda, imported, lists};
use super::super::value::{Attribute, Instance, Later, Setting, Value};
use super::blank::{is_certain, is_none, is_unset};
use super::bound::{is_all_bound, is_bound, is_filled_with, is_process};
use super::compared::compared;
use super::emptied::{adds_to_archive, empties, in_memory};
use super::folder::{leads_elsewhere, taken_away};
use super::own_thread::counts_on;
use super::renewed::renewed;
use super::set_up::set_up;
use super::unlike::unlike;
use super::worded::{Unworded, is_set_below, worded};

/// Things besides [`HANDLES`] that are made again in another process without harm.
const MADE_AGAIN: &str = "threading.Lock threading.RLock threading.Condition threading.Event threading.Semaphore \
    threading.BoundedSemaphore threading.Barrier threading.local threading.Thread threading.Timer \
    concurrent.futures.ThreadPoolExecutor sqlalchemy.create_engine sqlalchemy.orm.sessionmaker \
    csv.writer csv.DictWriter open io.open pathlib.Path().open logging. tqdm. asyncio.new_event_loop \
    asyncio.Lock asyncio.Event asyncio.Queue asyncio.Semaphore joblib.Parallel rich. filelock. \
    struct.Struct ctypes.CDLL contextvars.ContextVar zipfile.ZipFile tarfile.open gzip.open bz2.open \
    lzma.open functools.lru_cache() functools.cache importlib.import_module urllib3. psutil.Process \
    kafka. elasticsearch.";

/// Things that a process started by one of them has no use for.
const NOT_IN_WORKERS: &str = "concurrent.futures.ProcessPoolExecutor multiprocessing.Manager multiprocessing.Pool \
    asyncio.get_running_loop asyncio.get_event_loop concurrent.futures.ProcessPoolExecutor().submit \
    concurrent.futures.ThreadPoolExecutor().submit multiprocessing.Pool().apply_async \
    multiprocessing.Pool().map_async multiprocessing.Pool().starmap_async";

/// Connections and the like, which the same call opens again in another process.
const HANDLES: &str = "sqlite3.connect psycopg pymysql. MySQLdb. mysql. duckdb. pyodbc. redis. boto3. httpx. openai. \
    anthropic. ssl. socket.socket h5py.File h5py.Dataset lmdb.open pymongo. zmq.Context grpc. \
    cv2.VideoCapture paramiko.";

/// Why what a caller gives is not made again.
const HANDED_IN: &str = "it is handed in from outside";

/// Modules whose other handles the same call may not open again.
const HANDLE_MODULES: &[&str] = &["sqlite3.", "socket.", "h5py.", "lmdb.", "zmq.", "mmap."];

/// Returns whether a thing is a connection or the like, which each process opens for itself.
pub(super) fn is_handle(of: &str) -> bool {
    let mut names = HANDLES.split(' ').chain(HANDLE_MODULES.iter().copied());
    names.any(|name| of.starts_with(name))
}

/// What makes an attribute again.
#[derive(Clone, Debug)]
pub(super) struct Remade {
    /// An expression of `self`; empty where it is made again by itself.
    pub(super) text: String,
    /// Lines that set it up, as the program does.
    pub(super) then: Vec<String>,
    /// What `__init__` has to keep for it.
    pub(super) edits: Vec<Edit>,
}

impl Remade {
    pub(super) fn new(text: String, edits: Vec<Edit>) -> Self {
        Self {
            text,
            then: Vec::new(),
            edits,
        }
    }

    fn plain(text: impl Into<String>) -> Self {
        Self::new(text.into(), Vec::new())
    }
}

/// Returns an expression that makes an attribute again, or why there is none.
pub(super) fn remake(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
) -> Result<Remade, String> {
    if attribute.set.iter().any(|s| s.is_cached) || is_lazy_of_class(eval, instance, attribute) {
        return Ok(Remade::plain(""));
    }
    let (later, setting) = setting(eval, attribute).ok_or("it is set nowhere")?;
    if !setting.is_sure && is_asked_for(eval, &attribute.name) {
        return Err("the program asks whether it is there".to_owned());
    }
    let module = eval.project.module(setting.module);
    let place = setting.value.ok_or("it is not set by an assignment")?;
    let text = module.slice(place);
    let value = eval.force(later);
    would_be_seen(eval, instance, attribute, setting, &value)?;
    if is_filled_with(eval, &value) {
        let why = "it is filled elsewhere, and a new one would be empty";
        let may_be_empty = may_be_empty(eval, &attribute.name, &value);
        return may_be_empty
            .then(|| Remade::plain(text))
            .ok_or_else(|| why.to_owned());
    }
    let is_pool = |v: &Value| matches!(v, Value::Made(m) if lists(NOT_IN_WORKERS, &m.of));
    if value.may_be(is_pool) {
        return Ok(Remade::plain("None"));
    }
    if is_all_bound(eval, &value) {
        let Value::Items(items) = &value else {
            return Err("pickfix cannot tell how it is made".to_owned());
        };
        for (_, later) in items.iter() {
            may_be_made_again(&eval.force(later))?;
        }
    } else if let Some(renewed) = renewed(eval, attribute, &value) {
        renewed?;
    } else {
        may_be_made_again(&value)?;
    }
    if is_none(setting, text) {
        return Ok(Remade::plain("None"));
    }
    if set_otherwise(eval, attribute, text) || is_set_below(eval, instance.class, &attribute.name) {
        return Err("it is set in more than one way".to_owned());
    }
    let method = &module.defs[setting.method];
    if let Some(remade) = stream(eval, instance, &value) {
        return Ok(remade);
    }
    let expr = value_of(method, setting);
    if setting.is_field && expr.as_ref().is_none_or(|e| is_call_of_field(e)) {
        // `field(default_factory=threading.Lock)`
        let is_name = text
            .chars()
            .all(|c| c.is_alphanumeric() || "._".contains(c));
        return is_name
            .then(|| Remade::plain(format!("{text}()")))
            .ok_or_else(|| "its factory is no plain name".to_owned());
    }
    let expr = expr.ok_or("it is not set by an assignment")?;
    let remade = repeated(eval, instance, setting, &value, &expr)?;
    set_up(eval, instance, attribute, (setting, &value), remade)
}

/// Returns an error if the program would see that it is another one, or is there at all.
fn would_be_seen(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
    setting: &Setting,
    value: &Value,
) -> Result<(), String> {
    let module = eval.project.module(setting.module);
    let method = &module.defs[setting.method].name;
    let is_blank = |s: &Setting| s.is_field && !is_certain(eval, s);
    let makes = method.ends_with("init__") || method.ends_with("_init");
    if attribute.set.iter().any(is_blank) && !makes {
        return Err("it may not be set yet".to_owned());
    }
    unlike(eval, attribute, value)?;
    counts_on(eval, instance, attribute)?;
    compared(eval, instance, attribute)
}

/// Returns whether something else than `None` takes the place of what an expression makes.
fn set_otherwise(eval: &Eval, attribute: &Attribute, text: &str) -> bool {
    let text_of = |s: &Setting| {
        let module = eval.project.module(s.module);
        s.value.map(|at| module.slice(at).to_owned())
    };
    let mut others = attribute.set.iter().filter(|s| !s.is_field);
    others.any(|s| text_of(s).is_none_or(|other| other != text && other != "None"))
}

/// Returns whether an attribute may be `None` in place of what is made again.
pub(super) fn may_be_none(eval: &Eval, attribute: &Attribute) -> bool {
    attribute.set.iter().any(|s| {
        let module = eval.project.module(s.module);
        s.value.is_some_and(|at| {
            let text = module.slice(at);
            is_none(s, text)
        })
    })
}

/// Returns whether the program asks for an attribute that may be missing: `hasattr(self, "lock")`.
fn is_asked_for(eval: &Eval, name: &Name) -> bool {
    let asks = ["hasattr(", "getattr("];
    eval.project.any(|module| {
        let quoted = [format!("\"{name}\""), format!("'{name}'")];
        let mut lines = module.text.lines();
        lines.any(|l| {
            asks.iter().any(|a| l.contains(a)) && quoted.iter().any(|q| l.contains(q.as_str()))
        })
    })
}

/// Returns whether a container may begin empty in the other process: what is put into it is under way
/// in this one (`self.pending = {}` of futures), or is put there where it is missed.
fn may_be_empty(eval: &Eval, name: &Name, value: &Value) -> bool {
    let Value::Filled(_, extra) = value else {
        return false;
    };
    extra.iter().all(|(_, later)| {
        let value = eval.force(later);
        let is_under_way = matches!(&value, Value::Made(m) if lists(NOT_IN_WORKERS, &m.of) || m.of.starts_with("threading.T"));
        is_under_way || is_process(&value) || is_put_when_missed(eval, name, later)
    })
}

/// Returns whether what is put into a container is put there after a look at it: `if key not in self.locks:`.
fn is_put_when_missed(eval: &Eval, name: &Name, later: &Later) -> bool {
    let (at, env) = match later {
        Later::Expr(expr, env) | Later::Source(Source::Value(expr), env) => (expr.at, env),
        _ => return false,
    };
    let module = eval.project.module(env.at.module);
    let def = &module.defs[env.at.def];
    let sets_default =
        |s: &Statement| s.at.holds(at) && module.slice(s.head).contains(".setdefault(");
    is_under_test(def, at, name) || def.statements.iter().any(sets_default)
}

/// Returns whether an expression says more of a field than its default.
fn is_call_of_field(expr: &Expr) -> bool {
    let Some(call) = expr.call() else {
        return false;
    };
    let name = call.func.dotted().unwrap_or_default();
    let last = name.rsplit('.').next();
    last.is_some_and(|l| FIELDS.contains(&l))
}

/// Returns what every process has by the same name, however it came there: `sys.stdout`.
fn stream(eval: &Eval, instance: &Instance, value: &Value) -> Option<Remade> {
    let Value::Outside(name, None) = value else {
        return None;
    };
    let (from, stream) = name.split_once('.')?;
    if !(from == "sys" && stream.starts_with("std") || &**name == "os.environ") {
        return None;
    }
    let module = eval.project.module(instance.class.module);
    let (text, import) = imported(&module, from, stream);
    Some(Remade::new(text, import.into_iter().collect()))
}

/// Returns what makes a part of an attribute again, by the expression in its literal.
pub(super) fn remake_part(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    expr: &Rc<Expr>,
    value: &Value,
) -> Result<Remade, String> {
    may_be_made_again(value)?;
    repeated(eval, instance, setting, value, expr)
}

/// Repeats an expression in words of `self`, where that does no harm.
fn repeated(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    value: &Value,
    expr: &Rc<Expr>,
) -> Result<Remade, String> {
    let module = eval.project.module(setting.module);
    if empties(eval, expr) {
        return Err("opening it again would empty the file".to_owned());
    }
    if adds_to_archive(value, expr) {
        return Err("several processes cannot write one archive".to_owned());
    }
    if in_memory(eval, value, &module, expr) {
        return Err("a new database in memory would be empty".to_owned());
    }
    if leads_elsewhere(eval, value, &module, expr) {
        return Err("the program changes the folder that its path starts from".to_owned());
    }
    if let Some(call) = taken_away(eval, setting, value) {
        return Err(format!("`{call}` takes away what it is opened by"));
    }
    if has_lambda(expr) {
        return Err("a lambda is part of it".to_owned());
    }
    let is_name = matches!(expr.kind, ExprKind::Name(_));
    let handed_in = || {
        let params = &module.defs[setting.method].params;
        let local = expr
            .names()
            .find(|(n, _)| !params.iter().any(|p| p.name == **n));
        local.map_or_else(
            || HANDED_IN.to_owned(),
            |(name, _)| format!("it is made under another name, `{name}`"),
        )
    };
    let keeps = |e: &Edit| !e.is_import();
    let remade = worded(eval, instance, setting, expr);
    match remade {
        Ok(remade) if is_name && remade.edits.iter().any(keeps) => Err(handed_in()),
        Err(Unworded::NotKept(_)) if is_name => Err(handed_in()),
        remade => Ok(remade?),
    }
}

/// Returns the setting to repeat: what `__init__` sets, or what takes the place of its `None`.
pub(super) fn setting<'a>(
    eval: &Eval,
    attribute: &'a Attribute,
) -> Option<(&'a Later, &'a Setting)> {
    let all = || attribute.values.iter().zip(&attribute.set);
    let sure = all().rfind(|(_, s)| s.is_sure);
    let Some((later, setting)) = sure else {
        return all().next();
    };
    let module = eval.project.module(setting.module);
    let text = setting.value.map_or("", |v| module.slice(v));
    if text != "None" && !is_unset(setting, text) {
        return Some((later, setting));
    }
    let others = || all().filter(|(_, s)| !s.is_sure);
    let is_lazy = others().any(|(_, s)| is_lazy(eval, s, &attribute.name));
    let made = others().find(|(l, _)| is_bound(&eval.force(l)));
    let is_thread = |(l, _): &(&Later, &Setting)| matches!(eval.force(l), Value::Made(m) if m.of.starts_with("threading.T"));
    // A thread that a method starts is started again by that method.
    match made {
        Some(made) if !is_lazy && !is_thread(&made) => Some(made),
        _ => Some((later, setting)),
    }
}

/// Returns whether an attribute is the class's own `None` until a method that asks for it makes it.
fn is_lazy_of_class(eval: &Eval, instance: &Instance, attribute: &Attribute) -> bool {
    let line = eval.line(instance.class, &instance.class_env);
    let is_none = line.own.iter().any(|(class, _)| {
        let module = eval.project.module(class.module);
        let mut bound = bindings_of(&module.defs[class.def], &attribute.name);
        bound.any(|b| matches!(&b.source, Source::Value(v) if module.slice(v.at) == "None"))
    });
    let mut methods = attribute.set.iter().filter(|s| {
        let module = eval.project.module(s.module);
        module.defs[s.method].kind == Kind::Function
    });
    is_none
        && methods.clone().next().is_some()
        && methods.all(|s| is_lazy(eval, s, &attribute.name))
}

/// Returns whether a setting is under a test of the attribute itself: `if self.db is None:`.
fn is_lazy(eval: &Eval, setting: &Setting, name: &Name) -> bool {
    let module = eval.project.module(setting.module);
    let method = &module.defs[setting.method];
    // They run only where an object is made.
    let makes = matches!(&*method.name, "__init__" | "__post_init__");
    !makes && is_under_test(method, setting.at, name)
}

/// Returns whether an `if` that looks at an attribute decides about a place in a function.
fn is_under_test(def: &Def, at: Place, name: &Name) -> bool {
    def.statements.iter().any(|s| {
        let is_it = |e: &Rc<Expr>| e.is_attribute(name);
        let is_test = s.kind == StatementKind::If && s.walk().any(is_it);
        // `if self.db is not None: return` leaves the rest of the body.
        is_test && (s.at.holds(at) || s.at.end <= at.start)
    })
}

fn may_be_made_again(value: &Value) -> Result<(), String> {
    for value in value.alternatives() {
        match value {
            Value::Made(made) => {
                let mut names = HANDLES.split(' ').chain(MADE_AGAIN.split(' '));
                let is_known = names.any(|name| {
                    *made.of == *name
                        || name.ends_with('.') && made.of.starts_with(name)
                        || made.of.starts_with(&format!("{name}."))
                        || !name.contains('.') && name != "open" && made.of.starts_with(name)
                });
                if made.of.starts_with("queue.") {
                    return Err(format!(
                        "a new `{}` would be empty, and nobody here would read it",
                        made.of
                    ));
                }
                if !is_known {
                    return Err(format!("a new `{}` may not do the same", made.of));
                }
            }
            Value::OutsideModule(_) | Value::Plain => {}
            Value::Generator(_) => {
                return Err("a new one would begin from the start".to_owned());
            }
            // `self.out = sys.stdout`
            Value::Outside(name, _) if name.starts_with("sys.std") || &*name == "os.environ" => {}
            Value::Filled(..) => {
                return Err("it is filled or set up elsewhere".to_owned());
            }
            _ => return Err("pickfix cannot tell how it is made".to_owned()),
        }
    }
    Ok(())
}

/// Returns the right side of the assignment that sets an attribute.
pub(super) fn value_of(method: &Def, setting: &Setting) -> Option<Rc<Expr>> {
    let mut given = method.bound_at(setting.at).filter_map(|b| b.source.given());
    given.find(|v| Some(v.at) == setting.value).cloned()
}
