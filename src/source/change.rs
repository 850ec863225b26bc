//! What to change, in the program's own names: as code to show, and as edits of its files.

use std::rc::Rc;

use crate::object::Edit;

use super::eval::{Eval, bindings_of, is_decorated};
use super::objects::inside;
use super::project::ModuleId;
use super::syntax::{Def, Expr, ExprKind, Kind, Module, Name, Place, Source, Target};
use super::value::{Attribute, DefId, Instance, Setting, Value};
use super::walk::{Holder, Suspect};

/// A change of the program.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What to do, in words.
    pub(super) text: String,
    /// The code to put there.
    pub(super) code: String,
    /// The edits that do it, in one file.
    pub(super) edits: Vec<Edit>,
    pub(super) module: ModuleId,
}

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
    "queue.",
    "concurrent.futures.ThreadPoolExecutor",
    "concurrent.futures.ProcessPoolExecutor",
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
    "asyncio.Lock",
    "asyncio.Event",
    "asyncio.Queue",
    "asyncio.Semaphore",
    "joblib.Parallel",
    "rich.",
    "filelock.",
    "struct.Struct",
    "ctypes.CDLL",
    "urllib3.",
    "psutil.Process",
    "cv2.VideoCapture",
    "paramiko.",
    "kafka.",
    "elasticsearch.",
];

/// Plans a change for what was found; `None` where none is known to be safe.
pub(super) fn plan(eval: &Eval, suspect: &Suspect) -> Option<Plan> {
    if let Some(id) = suspect.def {
        return if eval.project.module(id.module).defs[id.def].kind == Kind::Lambda {
            lambda(eval, suspect, id)
        } else {
            local(eval, id)
        };
    }
    let holder = suspect.holder.as_ref().filter(|h| h.is_itself)?;
    state(eval, holder)
}

/// Leaves attributes out of the bytes, and makes them again.
#[expect(clippy::too_many_lines, reason = "one text, from top to bottom")]
fn state(eval: &Eval, holder: &Holder) -> Option<Plan> {
    let id = holder.setting.class.unwrap_or(holder.class);
    let module = eval.project.module(id.module);
    let class = &module.defs[id.def];
    let env = eval.scope(DefId {
        def: class.parent,
        ..id
    });
    let line = eval.line(id, &env);
    let has_own = |name: &str| eval.method(&line, name).is_some();
    let is_strange = [
        "__getstate__",
        "__setstate__",
        "__reduce__",
        "__reduce_ex__",
        "__deepcopy__",
    ]
    .iter()
    .any(|name| has_own(name));
    let has_slots = bindings_of(class, "__slots__").next().is_some();
    let frozen = class
        .decorators
        .iter()
        .any(|d| module.slice(d.at).contains("frozen=True"));
    if is_strange || has_slots || line.is_open {
        return None;
    }
    let Value::Instance(instance) = eval.any_instance(id, Rc::clone(&env)) else {
        return None;
    };
    let mut dropped = Vec::new();
    let attributes = eval.attributes(&instance);
    for attribute in attributes.iter() {
        let is_the_one = attribute.name == holder.attribute;
        if !is_the_one && !cannot_travel(eval, attribute) {
            continue;
        }
        match remake(eval, &instance, attribute) {
            Some(again) => dropped.push((attribute, again)),
            None if is_the_one => return None,
            None => {}
        }
    }
    if !dropped.iter().any(|(a, _)| a.name == holder.attribute) {
        return None;
    }
    let unit = unit(&module, class);
    let mut lines = vec![
        "def __getstate__(self):".to_owned(),
        format!("{unit}state = self.__dict__.copy()"),
    ];
    for (attribute, _) in &dropped {
        lines.push(if attribute.set.iter().any(|s| s.is_sure) {
            format!("{unit}del state[\"{}\"]", attribute.name)
        } else {
            format!("{unit}state.pop(\"{}\", None)", attribute.name)
        });
    }
    lines.push(format!("{unit}return state"));
    lines.push(String::new());
    lines.push("def __setstate__(self, state):".to_owned());
    lines.push(format!("{unit}self.__dict__.update(state)"));
    for (attribute, again) in &dropped {
        lines.push(if frozen {
            format!("{unit}self.__dict__[\"{}\"] = {again}", attribute.name)
        } else {
            format!("{unit}self.{} = {again}", attribute.name)
        });
    }
    let names: Vec<String> = dropped
        .iter()
        .map(|(a, _)| format!("`{}`", a.name))
        .collect();
    let them = if names.len() == 1 { "it" } else { "them" };
    let text = format!(
        "Leave {} out of the bytes, and make {them} again in the other process. In class `{}`:",
        join(&names),
        class.name
    );
    let outer = indent_at(&module, class.head.start);
    let end = end_of_text(&module, class.at.end as usize);
    let newline = newline(&module);
    let mut inserted = String::new();
    if !module.text[..end].ends_with('\n') {
        inserted.push_str(newline);
    }
    for line in std::iter::once("").chain(lines.iter().map(String::as_str)) {
        if !line.is_empty() {
            inserted.push_str(&outer);
            inserted.push_str(&unit);
            inserted.push_str(line);
        }
        inserted.push_str(newline);
    }
    Some(Plan {
        text,
        code: lines.join("\n"),
        edits: vec![Edit {
            start: end,
            end,
            text: inserted,
        }],
        module: id.module,
    })
}

/// Returns whether an attribute is something that no pickle takes.
fn cannot_travel(eval: &Eval, attribute: &Attribute) -> bool {
    attribute
        .values
        .iter()
        .flat_map(|v| eval.force(v).alternatives())
        .any(|value| match value {
            Value::Made(made) => {
                !made.of.starts_with("multiprocessing.")
                    && inside(&made.of).is_some_and(|i| !i.holds.is_empty() && !i.keeps)
            }
            Value::OutsideModule(_) => true,
            _ => false,
        })
}

/// Returns an expression that makes an attribute again; `None` if there is none.
fn remake(eval: &Eval, instance: &Rc<Instance>, attribute: &Attribute) -> Option<String> {
    let all = attribute.values.iter().zip(&attribute.set);
    let sure = all.clone().rfind(|(_, s)| s.is_sure);
    let (later, setting) = sure.or_else(|| all.clone().next())?;
    let is_again = eval
        .force(later)
        .alternatives()
        .iter()
        .all(|value| match value {
            Value::Made(made) => MADE_AGAIN.iter().any(|name| {
                *made.of == **name
                    || name.ends_with('.') && made.of.starts_with(name)
                    || made.of.starts_with(&format!("{name}."))
                    || !name.contains('.') && *name != "open" && made.of.starts_with(name)
            }),
            Value::OutsideModule(_) | Value::Plain => true,
            _ => false,
        });
    if !is_again {
        return None;
    }
    let module = eval.project.module(setting.module);
    let place = setting.value?;
    let text = module.slice(place);
    if setting.is_field {
        // `field(default_factory=threading.Lock)`
        return text
            .chars()
            .all(|c| c.is_alphanumeric() || "._".contains(c))
            .then(|| format!("{text}()"));
    }
    // A file that is opened anew must not be emptied.
    if text.contains("open(")
        && ["\"w", "'w", "\"x", "'x", "mode=\"w", "mode='w"]
            .iter()
            .any(|m| text.contains(m))
    {
        return None;
    }
    let method = &module.defs[setting.method];
    let own = method.params.first()?;
    let expr = value_of(method, setting)?;
    let mut names = Vec::new();
    names_in(&expr, &mut names);
    let mut swaps: Vec<(Place, String)> = Vec::new();
    for (name, at) in names {
        if name == own.name {
            if &*name != "self" {
                swaps.push((at, "self".to_owned()));
            }
            continue;
        }
        let is_param = method.params.iter().any(|p| p.name == name);
        let is_local = bindings_of(method, &name).next().is_some();
        if is_local {
            return None;
        }
        if is_param {
            swaps.push((at, kept_as(eval, instance, method, &own.name, &name)?));
        }
    }
    if matches!(expr.kind, ExprKind::Lambda(_)) || has_lambda(&expr) {
        return None;
    }
    swaps.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
    let mut made = text.to_owned();
    for (at, new) in swaps {
        let (start, end) = (
            (at.start - place.start) as usize,
            (at.end - place.start) as usize,
        );
        made.replace_range(start..end, &new);
    }
    let lines: Vec<&str> = made.lines().map(str::trim).collect();
    Some(lines.join(" ").replace("( ", "(").replace(", )", ")"))
}

/// Returns the attribute that holds what a parameter was: `self.path` for `path`.
fn kept_as(
    eval: &Eval,
    instance: &Rc<Instance>,
    method: &Def,
    own: &Name,
    param: &Name,
) -> Option<String> {
    let kept = method
        .bindings
        .iter()
        .find_map(|b| match (&b.target, &b.source) {
            (Target::Attribute(base, name), Source::Value(value))
                if matches!(&base.kind, ExprKind::Name(n) if n == own)
                    && matches!(&value.kind, ExprKind::Name(n) if n == param) =>
            {
                Some(Rc::clone(name))
            }
            _ => None,
        })?;
    // It must still hold it.
    let attributes = eval.attributes(instance);
    let found = attributes.iter().find(|a| a.name == kept)?;
    let travels = !cannot_travel(eval, found);
    (found.set.len() == 1 && travels).then(|| format!("self.{kept}"))
}

fn value_of(method: &Def, setting: &Setting) -> Option<Rc<Expr>> {
    method.bindings.iter().find_map(|b| match &b.source {
        Source::Value(value) if b.at == setting.at && Some(value.at) == setting.value => {
            Some(Rc::clone(value))
        }
        _ => None,
    })
}

/// Makes a function at the top of the module of a lambda.
fn lambda(eval: &Eval, suspect: &Suspect, id: DefId) -> Option<Plan> {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let body = def.returns.first()?;
    if has_lambda(body) || module.has_errors {
        return None;
    }
    let newline = newline(&module);
    let body_text = module.slice(body.at);
    let body_text = if body_text.contains('\n') {
        format!("({body_text})")
    } else {
        body_text.to_owned()
    };
    let params = lambda_params(&module, def, body);
    // `double = lambda x: 2 * x` at the top, or in a class.
    let parent = &module.defs[def.parent];
    if matches!(parent.kind, Kind::Module | Kind::Class) {
        let named = parent
            .bindings
            .iter()
            .find_map(|b| match (&b.target, &b.source) {
                (Target::Name(name), Source::Value(value))
                    if value.at == def.at && b.annotation.is_none() =>
                {
                    Some((Rc::clone(name), b.at))
                }
                _ => None,
            });
        if let Some((name, at)) = named {
            let indent = indent_at(&module, at.start);
            let unit = unit(&module, parent);
            let code = format!("def {name}({params}):\n{unit}return {body_text}");
            let lines: Vec<&str> = code.lines().collect();
            let text = lines.join(&format!("{newline}{indent}"));
            return Some(Plan {
                text:
                    "Write it with `def`, so that it has a name that the other process can look up:"
                        .to_string(),
                code,
                edits: vec![Edit {
                    start: at.start as usize,
                    end: at.end as usize,
                    text,
                }],
                module: id.module,
            });
        }
    }
    let captured = captured(eval, &module, id)?;
    let wanted = suspect.holder.as_ref().map(|h| h.attribute.to_string());
    let wanted = wanted.unwrap_or_else(|| "task".to_owned());
    let name = free_name(&module, &format!("_{}", wanted.trim_start_matches('_')));
    let all: Vec<String> = captured
        .iter()
        .cloned()
        .chain((!params.is_empty()).then(|| params.clone()))
        .collect();
    let unit = unit(&module, &module.defs[0]);
    let code = format!("def {name}({}):\n{unit}return {body_text}", all.join(", "));
    let (new, import) = bound(&module, &name, &captured);
    let top = top_of(&module, def.at)?;
    let mut edits = vec![
        Edit {
            start: top,
            end: top,
            text: format!("{}{newline}{newline}{newline}", code.replace('\n', newline)),
        },
        Edit {
            start: def.at.start as usize,
            end: def.at.end as usize,
            text: new.clone(),
        },
    ];
    edits.extend(import);
    edits.sort_by_key(|e| e.start);
    Some(Plan {
        text: format!(
            "Make it a function at the top of the module, and write `{new}` in its place:"
        ),
        code,
        edits,
        module: id.module,
    })
}

/// Returns the parameters of a lambda as they are written.
fn lambda_params(module: &Module, def: &Def, body: &Expr) -> String {
    let all = module.slice(Place {
        start: def.at.start,
        end: body.at.start,
    });
    let inner = all.strip_prefix("lambda").unwrap_or(all);
    let inner = inner.trim_end().trim_end_matches('(').trim_end();
    inner.strip_suffix(':').unwrap_or(inner).trim().to_owned()
}

/// Brings a function or class that was made in a function to the top of the module.
#[expect(clippy::too_many_lines, reason = "one text, from top to bottom")]
fn local(eval: &Eval, id: DefId) -> Option<Plan> {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let parent = &module.defs[def.parent];
    if module.has_errors || parent.kind != Kind::Function {
        return None;
    }
    if def.kind == Kind::Function
        && let Some(plan) = wraps(eval, &module, id)
    {
        return Some(plan);
    }
    if !def.decorators.is_empty() || module.slice(def.at).contains("nonlocal ") {
        return None;
    }
    let captured = captured(eval, &module, id)?;
    let is_class = def.kind == Kind::Class;
    if is_class && !captured.is_empty() {
        return None;
    }
    let is_free = bindings_of(&module.defs[0], &def.name).next().is_none();
    let keeps_name = captured.is_empty() && is_free;
    let name = if keeps_name {
        def.name.to_string()
    } else {
        free_name(&module, &format!("_{}", def.name.trim_start_matches('_')))
    };
    let newline = newline(&module);
    let indent = indent_at(&module, def.head.start);
    let text = module.slice(def.head);
    let mut lines: Vec<String> = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let line = if n == 0 {
            line
        } else {
            line.strip_prefix(indent.as_str()).unwrap_or(line)
        };
        lines.push(line.to_owned());
    }
    if in_string(text) {
        return None;
    }
    let old = if is_class {
        format!("class {}", def.name)
    } else {
        format!("def {}(", def.name)
    };
    let first = lines.first_mut()?;
    let at = first.find(&old)?;
    if !is_class {
        let has_params = !def.params.is_empty();
        let comma = if has_params && !captured.is_empty() {
            ", "
        } else {
            ""
        };
        let new = format!("def {name}({}{comma}", captured.join(", "));
        first.replace_range(at..at + old.len(), &new);
    } else if !keeps_name {
        first.replace_range(at..at + old.len(), &format!("class {name}"));
    }
    let code = lines.join("\n");
    let top = top_of(&module, def.at)?;
    let (new, import) = bound(&module, &name, &captured);
    // The whole lines of the old definition.
    let start = line_start(&module, def.at.start as usize);
    let end = end_of_text(&module, def.at.end as usize);
    let is_only = parent
        .statements
        .iter()
        .filter(|s| s.suite == statement_suite(parent, def))
        .count()
        == 1;
    let replacement = if keeps_name {
        if is_only {
            format!("{indent}pass{newline}")
        } else {
            String::new()
        }
    } else {
        format!("{indent}{} = {new}{newline}", def.name)
    };
    let mut edits = vec![
        Edit {
            start: top,
            end: top,
            text: format!("{}{newline}{newline}{newline}", code.replace('\n', newline)),
        },
        Edit {
            start,
            end,
            text: replacement,
        },
    ];
    edits.extend(import);
    edits.sort_by_key(|e| e.start);
    let kind = if is_class { "class" } else { "function" };
    let text = if keeps_name {
        format!(
            "Move the {kind} `{}` out of `{}()`, to the top of the module:",
            def.name, parent.name
        )
    } else {
        format!(
            "Move it to the top of the module, what it used of `{}()` as parameters, and write `{} = {new}` in its place:",
            parent.name, def.name
        )
    };
    Some(Plan {
        text,
        code,
        edits,
        module: id.module,
    })
}

/// Gives a decorator's wrapper the name of what it wraps.
fn wraps(eval: &Eval, module: &Rc<Module>, id: DefId) -> Option<Plan> {
    let def = &module.defs[id.def];
    let decorator = &module.defs[def.parent];
    let has_wraps = def
        .decorators
        .iter()
        .any(|d| module.slice(d.at).contains("wraps"));
    let function = decorator
        .params
        .first()
        .filter(|_| decorator.params.len() == 1)?;
    let mut outer = def.parent;
    if module.defs[decorator.parent].kind == Kind::Function {
        outer = decorator.parent;
    }
    let name = &module.defs[outer].name;
    let is_used = eval.project.ids().into_iter().any(|other| {
        let other = eval.project.module(other);
        other.defs.iter().any(|d| {
            d.kind == Kind::Function
                && other.defs[d.parent].kind == Kind::Module
                && is_decorated(d, name)
        })
    });
    let mut names = Vec::new();
    for inner in module.defs.iter().filter(|d| def.at.holds(d.at)) {
        for expr in inner.statements.iter().flat_map(|s| &s.exprs) {
            names_in(expr, &mut names);
        }
    }
    if has_wraps || !is_used || !names.iter().any(|(n, _)| *n == function.name) {
        return None;
    }
    let indent = indent_at(module, def.at.start);
    let newline = newline(module);
    let (wraps, import) = imported(module, "functools", "wraps");
    let line = format!("@{wraps}({})", function.name);
    let at = line_start(module, def.at.start as usize);
    let mut edits = vec![Edit {
        start: at,
        end: at,
        text: format!("{indent}{line}{newline}"),
    }];
    edits.extend(import);
    edits.sort_by_key(|e| e.start);
    Some(Plan {
        text: format!(
            "Give the wrapper the name of the function that it wraps, for the other process to find. In `{name}()`:"
        ),
        code: format!(
            "{line}\n{}",
            module.line(module.line_of(def.head.start)).trim()
        ),
        edits,
        module: id.module,
    })
}

/// Returns the names of the functions around it that a definition uses; `None` if they cannot be
/// handed over.
fn captured(eval: &Eval, module: &Rc<Module>, id: DefId) -> Option<Vec<String>> {
    let def = &module.defs[id.def];
    let mut used: Vec<(Name, Place)> = Vec::new();
    for inner in module
        .defs
        .iter()
        .filter(|d| def.at.holds(d.at) && d.kind != Kind::Module)
    {
        for expr in inner
            .statements
            .iter()
            .flat_map(|s| &s.exprs)
            .chain(&inner.returns)
        {
            names_in(expr, &mut used);
        }
        for default in inner.params.iter().filter_map(|p| p.default.as_ref()) {
            names_in(default, &mut used);
        }
        for arg in &inner.bases {
            names_in(&arg.value, &mut used);
        }
        for binding in &inner.bindings {
            if let Target::Attribute(base, _) | Target::Content(base) = &binding.target {
                names_in(base, &mut used);
            }
        }
    }
    let mut names = Vec::new();
    for (name, _) in used {
        let is_own = module.defs.iter().filter(|d| def.at.holds(d.at)).any(|d| {
            d.params.iter().any(|p| p.name == name)
                || bindings_of(d, &name).next().is_some() && !d.globals.contains(&name)
        }) || comprehends(def, module, &name);
        let mut around = def.parent;
        let mut binder = None;
        while module.defs[around].kind != Kind::Module {
            let scope = &module.defs[around];
            let binds = scope.params.iter().any(|p| p.name == name)
                || bindings_of(scope, &name).next().is_some();
            if binds && scope.kind != Kind::Class {
                binder = Some(around);
                break;
            }
            around = scope.parent;
        }
        let Some(binder) = binder.filter(|_| !names.contains(&name.to_string())) else {
            continue;
        };
        if is_own && name != def.name {
            continue;
        }
        let scope = &module.defs[binder];
        let bindings: Vec<_> = bindings_of(scope, &name).collect();
        // It calls itself, or another local definition, or what changes later.
        let is_late = bindings.iter().any(|b| b.at.start > def.at.start) || bindings.len() > 1;
        let is_def = bindings.iter().any(|b| matches!(b.source, Source::Def(_)));
        let is_import = bindings
            .iter()
            .any(|b| matches!(b.source, Source::Import(_) | Source::From(..)));
        if name == def.name || is_late || is_def || is_import {
            return None;
        }
        let value = eval.name(&name, &eval.scope(DefId { def: binder, ..id }), None);
        let is_bad = value.alternatives().iter().any(|v| match v {
            Value::Made(made) => inside(&made.of).is_some_and(|i| !i.holds.is_empty()),
            Value::Generator(_) | Value::OutsideModule(_) | Value::Module(_) => true,
            Value::Function(f) => {
                f.id.def != 0
                    && eval.project.module(f.id.module).defs[f.id.def]
                        .qualname
                        .contains('<')
            }
            _ => false,
        });
        if is_bad {
            return None;
        }
        names.push(name.to_string());
    }
    Some(names)
}

/// Returns whether a name is one that a comprehension in a definition binds.
fn comprehends(def: &Def, module: &Module, name: &Name) -> bool {
    fn binds(expr: &Expr, name: &Name) -> bool {
        if let ExprKind::Comprehension(inner) = &expr.kind {
            let mut names = Vec::new();
            for (target, _) in &inner.loops {
                names_in(target, &mut names);
            }
            if names.iter().any(|(n, _)| n == name) {
                return true;
            }
        }
        expr.parts().into_iter().any(|p| binds(p, name))
    }
    let all = module.defs.iter().filter(|d| def.at.holds(d.at));
    all.flat_map(|d| d.statements.iter().flat_map(|s| &s.exprs).chain(&d.returns))
        .any(|e| binds(e, name))
}

/// Returns what stands for a function with some arguments given, and the import that it needs.
fn bound(module: &Module, name: &str, captured: &[String]) -> (String, Option<Edit>) {
    if captured.is_empty() {
        return (name.to_owned(), None);
    }
    let (partial, import) = imported(module, "functools", "partial");
    (
        format!("{partial}({name}, {})", captured.join(", ")),
        import,
    )
}

/// Returns how a module calls a thing of the standard library, and the import that it needs.
fn imported(module: &Module, from: &str, name: &str) -> (String, Option<Edit>) {
    for binding in &module.defs[0].bindings {
        let Target::Name(bound) = &binding.target else {
            continue;
        };
        match &binding.source {
            Source::Import(full) if full == from => return (format!("{bound}.{name}"), None),
            Source::From(full, what) if full == from && &**what == name => {
                return (bound.to_string(), None);
            }
            _ => {}
        }
    }
    let newline = newline(module);
    let statements = &module.defs[0].statements;
    let is_future =
        |s: &&super::syntax::Statement| module.slice(s.head).starts_with("from __future__");
    let first = statements
        .iter()
        .filter(|s| !is_future(s))
        .find(|s| s.kind == super::syntax::StatementKind::Import);
    let at = if let Some(first) = first {
        first.at.start as usize
    } else {
        let after = statements.iter().take_while(|s| {
            is_future(s)
                || s.exprs.iter().all(|e| matches!(e.kind, ExprKind::Text(_)))
                    && s.kind == super::syntax::StatementKind::Expr
        });
        after
            .last()
            .map_or(0, |s| end_of_text(module, s.at.end as usize))
    };
    let text = format!("import {from}{newline}");
    (
        format!("{from}.{name}"),
        Some(Edit {
            start: at,
            end: at,
            text,
        }),
    )
}

/// Returns a name that the module does not use.
fn free_name(module: &Module, wanted: &str) -> String {
    let is_used = |name: &str| {
        module.text.match_indices(name).any(|(at, _)| {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            !module.text[..at].ends_with(is_word)
                && !module.text[at + name.len()..].starts_with(is_word)
        })
    };
    let numbered = (2..).map(|n| format!("{wanted}_{n}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|n| !is_used(n))
        .unwrap_or_default()
}

/// Returns where the statement at the top of the module begins that a place is in.
fn top_of(module: &Module, place: Place) -> Option<usize> {
    let all = module.defs[0].statements.iter();
    // The largest that holds it: what is in it is listed too.
    let top = all
        .filter(|s| s.at.holds(place))
        .max_by_key(|s| s.at.end - s.at.start)?;
    let mut at = line_start(module, top.at.start as usize);
    // Comments right above belong to it.
    while at > 0 {
        let above = line_start(module, at - 1);
        if !module.text[above..at].starts_with('#') {
            break;
        }
        at = above;
    }
    Some(at)
}

fn statement_suite(parent: &Def, def: &Def) -> Place {
    let own = parent.statements.iter().find(|s| s.at == def.at);
    own.map_or(parent.at, |s| s.suite)
}

fn line_start(module: &Module, at: usize) -> usize {
    module.text[..at].rfind('\n').map_or(0, |n| n + 1)
}

/// Returns the end of the line that a text ends on, its newline included.
pub(super) fn end_of_text(module: &Module, end: usize) -> usize {
    let end = module.text[..end].trim_end().len();
    module.text[end..]
        .find('\n')
        .map_or(module.text.len(), |n| end + n + 1)
}

fn indent_at(module: &Module, at: u32) -> String {
    let start = line_start(module, at as usize);
    module.text[start..at as usize]
        .chars()
        .take_while(|c| c.is_whitespace())
        .collect()
}

/// Returns one step of indentation as the file has it.
pub(super) fn unit(module: &Module, scope: &Def) -> String {
    let outer = indent_at(module, scope.head.start);
    let all = module.defs.iter().flat_map(|d| &d.statements);
    let inner = |s: &super::syntax::Statement| {
        let indent = indent_at(module, s.at.start);
        indent
            .strip_prefix(outer.as_str())
            .filter(|i| !i.is_empty())
            .map(str::to_owned)
    };
    let own = all.clone().filter(|s| scope.at.holds(s.at)).find_map(inner);
    own.unwrap_or_else(|| "    ".to_owned())
}

pub(super) fn newline(module: &Module) -> &'static str {
    if module.text.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    }
}

/// Returns whether a text has a string over several lines, which must keep its indentation.
pub(super) fn in_string(text: &str) -> bool {
    ["\"\"\"", "'''"].iter().any(|quote| {
        let mut parts = text.split(quote).skip(1).step_by(2);
        parts.any(|inside| inside.contains('\n'))
    })
}

fn has_lambda(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Lambda(_)) || expr.parts().into_iter().any(|p| has_lambda(p))
}

pub(super) fn names_in(expr: &Expr, found: &mut Vec<(Name, Place)>) {
    if let ExprKind::Name(name) = &expr.kind {
        found.push((Rc::clone(name), expr.at));
    }
    for part in expr.parts() {
        names_in(part, found);
    }
}

fn join(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
