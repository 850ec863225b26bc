//! The expression that makes an attribute again.

use std::rc::Rc;

use crate::object::Edit;

use super::super::eval::{Eval, bindings_of};
use super::super::objects::inside;
use super::super::project::ModuleId;
use super::super::syntax::{
    Def, Expr, ExprKind, Module, Name, Place, Source, StatementKind, Target,
};
use super::super::text::{has_lambda, imported, indent_at, line_start, names_in, newline};
use super::super::value::{Attribute, DefId, Instance, Later, Setting, Value};
use super::left::{cannot_travel, is_all_bound, is_bound, is_filled_with};

/// Things that are made again in another process without harm.
const MADE_AGAIN: &[&str] = &[
    "threading.Lock",
    "threading.RLock",
    "threading.Condition",
    "threading.Event",
    "threading.Semaphore",
    "threading.BoundedSemaphore",
    "threading.Barrier",
    "threading.local",
    "threading.Thread",
    "threading.Timer",
    "concurrent.futures.ThreadPoolExecutor",
    "sqlite3.connect",
    "psycopg",
    "pymysql.",
    "MySQLdb.",
    "mysql.",
    "duckdb.",
    "pyodbc.",
    "redis.",
    "boto3.",
    "httpx.",
    "openai.",
    "anthropic.",
    "sqlalchemy.create_engine",
    "ssl.",
    "open",
    "io.open",
    "logging.",
    "socket.socket",
    "tqdm.",
    "h5py.File",
    "lmdb.open",
    "pymongo.",
    "zmq.Context",
    "grpc.",
    "asyncio.new_event_loop",
    "asyncio.Lock",
    "asyncio.Event",
    "asyncio.Queue",
    "asyncio.Semaphore",
    "joblib.Parallel",
    "rich.",
    "filelock.",
    "struct.Struct",
    "ctypes.CDLL",
    "contextvars.ContextVar",
    "zipfile.ZipFile",
    "tarfile.open",
    "gzip.open",
    "bz2.open",
    "lzma.open",
    "h5py.Dataset",
    "functools.lru_cache()",
    "functools.cache",
    "importlib.import_module",
    "urllib3.",
    "psutil.Process",
    "cv2.VideoCapture",
    "paramiko.",
    "kafka.",
    "elasticsearch.",
];

/// Things that a process started by one of them has no use for.
const NOT_IN_WORKERS: &[&str] = &[
    "concurrent.futures.ProcessPoolExecutor",
    "multiprocessing.Manager",
];

/// What makes an attribute again.
#[derive(Clone, Debug)]
pub(super) struct Remade {
    /// An expression of `self`; empty where it is made again by itself.
    pub(super) text: String,
    /// What `__init__` has to keep for it.
    pub(super) edits: Vec<Edit>,
}

impl Remade {
    fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            edits: Vec::new(),
        }
    }
}

/// Returns an expression that makes an attribute again, or why there is none.
pub(super) fn remake(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
) -> Result<Remade, String> {
    if attribute.set.iter().any(|s| s.is_cached) {
        return Ok(Remade::plain(""));
    }
    let (later, setting) = setting(eval, instance, attribute).ok_or("it is set nowhere")?;
    let module = eval.project.module(setting.module);
    let place = setting.value.ok_or("it is not set by an assignment")?;
    let text = module.slice(place);
    let value = eval.force(later);
    if is_filled_with(eval, &value) {
        // `self.pending = {}`, filled with futures later.
        return Ok(Remade::plain(text));
    }
    let is_pool = |v: &Value| matches!(v, Value::Made(m) if NOT_IN_WORKERS.contains(&&*m.of));
    if value.alternatives().iter().any(is_pool) {
        return Ok(Remade::plain("None"));
    }
    if is_all_bound(eval, &value) {
        let Value::Items(items) = &value else {
            return Err("what it is cannot be read with certainty".to_owned());
        };
        for (_, later) in items.iter() {
            may_be_made_again(&eval.force(later))?;
        }
    } else {
        may_be_made_again(&value)?;
    }
    if setting.is_field {
        // `field(default_factory=threading.Lock)`
        let is_name = text
            .chars()
            .all(|c| c.is_alphanumeric() || "._".contains(c));
        return is_name
            .then(|| Remade::plain(format!("{text}()")))
            .ok_or_else(|| "its factory is no plain name".to_owned());
    }
    if text == "None" {
        return Ok(Remade::plain(text));
    }
    let method = &module.defs[setting.method];
    let expr = value_of(method, setting).ok_or("it is not set by an assignment")?;
    repeated(eval, instance, setting, &value, &expr)
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
    if empties(expr) {
        return Err("opening it again would empty the file".to_owned());
    }
    if in_memory(eval, value, &module, expr) {
        return Err("a new database in memory would be empty".to_owned());
    }
    if has_lambda(expr) {
        return Err("a lambda is part of it".to_owned());
    }
    worded(eval, instance, setting, &module, expr)
}

/// Returns the setting to repeat: what `__init__` sets, or what takes the place of its `None`.
fn setting<'a>(
    eval: &Eval,
    instance: &Instance,
    attribute: &'a Attribute,
) -> Option<(&'a Later, &'a Setting)> {
    let all = || attribute.values.iter().zip(&attribute.set);
    let sure = all().rfind(|(_, s)| s.is_sure);
    let Some((later, setting)) = sure else {
        return all().next();
    };
    let module = eval.project.module(setting.module);
    let is_none = setting.value.is_some_and(|v| module.slice(v) == "None");
    if !is_none {
        return Some((later, setting));
    }
    let others = || all().filter(|(_, s)| !s.is_sure);
    let is_lazy = others().any(|(_, s)| is_lazy(eval, s, &attribute.name));
    let made = others().find(|(l, _)| is_bound(&eval.force(l)));
    let is_thread = |(l, _): &(&Later, &Setting)| matches!(eval.force(l), Value::Made(m) if m.of.starts_with("threading.T"));
    let _ = instance;
    // A thread that a method starts is started again by that method.
    match made {
        Some(made) if !is_lazy && !is_thread(&made) => Some(made),
        _ => Some((later, setting)),
    }
}

/// Returns whether a setting is under a test of the attribute itself: `if self.db is None:`.
fn is_lazy(eval: &Eval, setting: &Setting, name: &Name) -> bool {
    let module = eval.project.module(setting.module);
    let method = &module.defs[setting.method];
    let is_attribute = |e: &Expr| mentions(e, name);
    method.statements.iter().any(|s| {
        let is_test = s.kind == StatementKind::If && s.exprs.iter().any(|e| is_attribute(e));
        // `if self.db is not None: return` leaves the rest of the body.
        is_test && (s.at.holds(setting.at) || s.at.end <= setting.at.start)
    })
}

fn mentions(expr: &Expr, name: &Name) -> bool {
    matches!(&expr.kind, ExprKind::Attribute(_, n) if n == name)
        || expr.parts().into_iter().any(|p| mentions(p, name))
}

fn may_be_made_again(value: &Value) -> Result<(), String> {
    for value in value.alternatives() {
        match value {
            Value::Made(made) => {
                let is_known = MADE_AGAIN.iter().any(|name| {
                    *made.of == **name
                        || name.ends_with('.') && made.of.starts_with(name)
                        || made.of.starts_with(&format!("{name}."))
                        || !name.contains('.') && *name != "open" && made.of.starts_with(name)
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
            Value::Outside(name, _) if name.starts_with("sys.std") => {}
            _ => return Err("what it is cannot be read with certainty".to_owned()),
        }
    }
    Ok(())
}

/// Returns whether a call opens a file for writing from the start.
fn empties(expr: &Expr) -> bool {
    let is_mode = |text: &str| {
        text.starts_with(['w', 'x'])
            && text.len() <= 4
            && text.chars().all(|c| "wxbt+|:gz".contains(c))
    };
    if let ExprKind::Call(call) = &expr.kind
        && call
            .args
            .iter()
            .any(|a| matches!(&a.value.kind, ExprKind::Text(t) if is_mode(t)))
    {
        return true;
    }
    expr.parts().into_iter().any(|p| empties(p))
}

/// Returns whether a database may be one in memory.
fn in_memory(eval: &Eval, value: &Value, module: &Module, expr: &Expr) -> bool {
    let is_database = value.alternatives().iter().any(|v| {
        matches!(v, Value::Made(m) if m.of.starts_with("sqlite3.") || m.of.starts_with("duckdb."))
    });
    let is_literal = module.slice(expr.at).contains(['"', '\'']);
    let says_so = |id: &ModuleId| eval.project.module(*id).text.contains(":memory:");
    is_database
        && (module.slice(expr.at).contains(":memory:")
            || !is_literal && eval.project.ids().iter().any(says_so))
}

/// Puts the expression into words of `self`.
fn worded(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    module: &Rc<Module>,
    expr: &Rc<Expr>,
) -> Result<Remade, String> {
    let method = &module.defs[setting.method];
    let own = method.params.first().map(|p| Rc::clone(&p.name));
    let own = own.filter(|_| setting.class.is_some());
    if setting.class.is_none() && setting.module != instance.class.module {
        return elsewhere(eval, instance, setting, module, expr)
            .ok_or_else(|| "it is set in another file".to_owned());
    }
    let mut names = Vec::new();
    names_in(expr, &mut names);
    let mut swaps: Vec<(Place, String)> = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    for (name, at) in names {
        if Some(&name) == own.as_ref() {
            if &*name != "self" {
                swaps.push((at, "self".to_owned()));
            }
            continue;
        }
        let is_local = method.params.iter().any(|p| p.name == name)
            || bindings_of(method, &name).next().is_some();
        if !is_local {
            if setting.module != instance.class.module {
                edits.extend(brought(eval, instance, module, &name)?);
            }
            continue;
        }
        let Some(own) = &own else {
            return Err(format!("the object does not keep `{name}`"));
        };
        if let Some(kept) = kept_as(eval, instance, method, own, &name) {
            swaps.push((at, kept));
            continue;
        }
        if matches!(expr.kind, ExprKind::Name(_)) {
            return Err("it is handed in from outside".to_owned());
        }
        let (kept, edit) = keep(eval, instance, setting, module, &name)
            .ok_or_else(|| format!("the object does not keep `{name}`"))?;
        swaps.push((at, kept));
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    swaps.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
    let place = expr.at;
    let mut made = module.slice(place).to_owned();
    for (at, new) in swaps {
        let (start, end) = (
            (at.start - place.start) as usize,
            (at.end - place.start) as usize,
        );
        made.replace_range(start..end, &new);
    }
    if made.contains('#') && made.contains('\n') {
        return Err("a comment is within it".to_owned());
    }
    let lines: Vec<&str> = made.lines().map(str::trim).collect();
    let text = lines
        .join(" ")
        .replace("( ", "(")
        .replace(", )", ")")
        .replace(" )", ")");
    Ok(Remade { text, edits })
}

/// Puts a call of the standard library that another file makes, with no names among its arguments,
/// into words of the file that the class is in.
fn elsewhere(
    eval: &Eval,
    instance: &Instance,
    setting: &Setting,
    module: &Module,
    expr: &Rc<Expr>,
) -> Option<Remade> {
    let ExprKind::Call(call) = &expr.kind else {
        return None;
    };
    let mut names = Vec::new();
    for arg in &call.args {
        names_in(&arg.value, &mut names);
    }
    let env = eval.scope(DefId {
        module: setting.module,
        def: setting.method,
    });
    let Value::Outside(full, None) = eval.eval(&call.func, &env) else {
        return None;
    };
    let (from, name) = full.rsplit_once('.').filter(|_| names.is_empty())?;
    let own = eval.project.module(instance.class.module);
    let (func, import) = imported(&own, from, name);
    let args = &module.text[call.func.at.end as usize..call.at.end as usize];
    (!args.contains('\n')).then(|| Remade {
        text: format!("{func}{args}"),
        edits: import.into_iter().collect(),
    })
}

/// Returns the import that a name of another file needs in the file of the class.
fn brought(
    eval: &Eval,
    instance: &Instance,
    module: &Module,
    name: &Name,
) -> Result<Option<Edit>, String> {
    let own = eval.project.module(instance.class.module);
    let Some(binding) = bindings_of(&module.defs[0], name).last() else {
        // A name of Python itself.
        return Ok(None);
    };
    let other = || format!("it uses `{name}` of another file");
    let Source::Import(full) = &binding.source else {
        return Err(other());
    };
    if **name != **full {
        return Err(other());
    }
    if bindings_of(&own.defs[0], name).any(|b| !matches!(&b.source, Source::Import(f) if f == full))
    {
        return Err(other());
    }
    Ok(imported(&own, full, "").1)
}

/// Returns the attribute that holds what a name was: `self.path` for `path`.
fn kept_as(
    eval: &Eval,
    instance: &Rc<Instance>,
    method: &Def,
    own: &Name,
    name: &Name,
) -> Option<String> {
    let is_own = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if n == own);
    let is_name = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if n == name);
    let kept = method
        .bindings
        .iter()
        .find_map(|b| match (&b.target, &b.source) {
            (Target::Attribute(base, attribute), Source::Value(value))
                if is_own(base) && is_name(value) =>
            {
                Some(Rc::clone(attribute))
            }
            _ => None,
        })?;
    // It must still hold it.
    let attributes = eval.attributes(instance);
    let found = attributes.iter().find(|a| a.name == kept)?;
    let travels = !cannot_travel(eval, found);
    (found.set.len() == 1 && travels).then(|| format!("self.{kept}"))
}

/// Keeps what a name is, if that is plain data, in a new attribute, where every instance gets it.
fn keep(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    module: &Rc<Module>,
    name: &Name,
) -> Option<(String, Edit)> {
    let method = &module.defs[setting.method];
    let own = method.params.first()?;
    let is_once = bindings_of(method, name).count()
        + usize::from(method.params.iter().any(|p| p.name == *name))
        == 1;
    if !setting.is_sure || !is_once {
        return None;
    }
    let env = eval.scope(DefId {
        module: setting.module,
        def: setting.method,
    });
    if !is_data(eval, &eval.name(name, &env, Some(setting.value?))) {
        return None;
    }
    let attributes = eval.attributes(instance);
    let is_free = |wanted: &str| {
        attributes.iter().all(|a| &*a.name != wanted)
            && eval.project.ids().iter().all(|id| {
                let module = eval.project.module(*id);
                let is_bound = |d: &Def| bindings_of(d, wanted).next().is_some();
                !module.text.contains(&format!("self.{wanted}"))
                    && !module
                        .defs
                        .iter()
                        .any(|d| d.kind == super::super::syntax::Kind::Class && is_bound(d))
            })
    };
    let kept = [
        name.to_string(),
        format!("_{}", name.trim_start_matches('_')),
    ];
    let kept = kept.into_iter().find(|k| is_free(k))?;
    let at = line_start(module, setting.at.start as usize);
    let indent = indent_at(module, setting.at.start);
    if module.text[at..setting.at.start as usize].trim() != "" {
        return None;
    }
    let text = format!("{indent}{}.{kept} = {name}{}", own.name, newline(module));
    let edit = Edit {
        start: at,
        end: at,
        text,
    };
    Some((format!("self.{kept}"), edit))
}

/// Returns whether a value is data, as calls of the tables' plain functions give it too.
fn is_data(eval: &Eval, value: &Value) -> bool {
    match value {
        Value::Plain => true,
        Value::Items(items) => items.iter().all(|(_, l)| is_data(eval, &eval.force(l))),
        Value::Made(made) => inside(&made.of).is_some_and(|i| i.holds.is_empty() && !i.keeps),
        Value::OneOf(values) => values.iter().all(|v| is_data(eval, v)),
        _ => false,
    }
}

fn value_of(method: &Def, setting: &Setting) -> Option<Rc<Expr>> {
    method.bindings.iter().find_map(|b| match &b.source {
        Source::Value(value) if b.at == setting.at && Some(value.at) == setting.value => {
            Some(Rc::clone(value))
        }
        _ => None,
    })
}
