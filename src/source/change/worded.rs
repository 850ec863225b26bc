//! An expression of one method in words that another method of the object can say: of `self`.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::is_word;

use super::super::effects::{calls_once, changes, differs};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::objects::inside;
use super::super::syntax::{Def, Expr, ExprKind, Kind, Module, Name, Place, Source, Target};
use super::super::text::{above, imported};
use super::super::value::{DefId, Instance, Later, Setting, Value};
use super::bound::cannot_travel;
use super::remake::Remade;
use super::told::{reads_environment, told};

/// Attributes that classes of Python's library have for themselves: of a `Process`, a `Thread`, a `Handler`.
const OF_BASES: [&str; 14] = [
    "_name",
    "_config",
    "_identity",
    "_target",
    "_args",
    "_kwargs",
    "_popen",
    "_parent_pid",
    "_daemonic",
    "_started",
    "name",
    "level",
    "lock",
    "daemon",
];

/// Methods in which a class says itself how it is copied.
const OWN_WAYS: [&str; 6] = [
    "__getstate__",
    "__setstate__",
    "__reduce__",
    "__reduce_ex__",
    "__copy__",
    "__deepcopy__",
];

/// Why an expression cannot be put into words of `self`.
#[derive(Debug)]
pub(super) enum Unworded {
    /// The object keeps nothing that this name was.
    NotKept(Name),
    /// Anything else, in words.
    Other(String),
}

impl From<Unworded> for String {
    fn from(why: Unworded) -> Self {
        match why {
            Unworded::NotKept(name) => format!("the object does not keep `{name}`"),
            Unworded::Other(why) => why,
        }
    }
}

impl From<String> for Unworded {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

/// Puts the expression into words of `self`.
pub(super) fn worded(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    module: &Rc<Module>,
    expr: &Rc<Expr>,
) -> Result<Remade, Unworded> {
    let not_kept = |name: &Name| Unworded::NotKept(Rc::clone(name));
    let method = &module.defs[setting.method];
    let own = own_name(module, setting);
    if setting.class.is_none() && setting.module != instance.class.module {
        return elsewhere(eval, instance, setting, module, expr)
            .ok_or_else(|| "it is set in another file".to_owned().into());
    }
    let env = eval.scope(DefId::new(setting.module, setting.method));
    if differs(eval, expr, &env) || calls_once(eval, expr, &env) {
        let why = "it would be made of another name or time there";
        return Err(why.to_owned().into());
    }
    let mut swaps: Vec<(Place, String)> = Vec::new();
    let mut edits: Vec<Edit> = Vec::new();
    for (part, is_kept) in changing(eval, instance, setting, module, expr) {
        let text = module.slice(part);
        let kept = is_kept.then(|| keep(eval, instance, setting, module, text));
        let (kept, edit) = kept
            .flatten()
            .ok_or_else(|| format!("`{text}` is set again while the program runs"))?;
        swaps.push((part, kept));
        Edit::add(&mut edits, [edit]);
    }
    let is_swapped = |at: &Place| swaps.iter().any(|(part, _)| part.holds(*at));
    let names = expr.names().filter(|(_, at)| !is_swapped(at));
    let names: Vec<(&Name, Place)> = names.collect();
    for (name, at) in names {
        if Some(name) == own.as_ref() {
            if &**name != "self" {
                swaps.push((at, "self".to_owned()));
            }
            continue;
        }
        if !binds(method, name) {
            if setting.module != instance.class.module {
                edits.extend(brought(eval, instance, module, name)?);
            }
            continue;
        }
        let Some(own) = &own else {
            return Err(not_kept(name));
        };
        if let Some(kept) = kept_as(eval, instance, (setting, method), own, name) {
            let value = eval.name(name, &env, Some(at));
            let is_container = matches!(value, Value::Items(_) | Value::Filled(..));
            if is_container && is_changed(eval, setting, &Name::from(&kept["self.".len()..])) {
                return Err(format!("`{kept}` is changed while the program runs").into());
            }
            swaps.push((at, kept));
            continue;
        }
        let (kept, edit) =
            keep_name(eval, instance, setting, module, name).ok_or_else(|| not_kept(name))?;
        swaps.push((at, kept));
        Edit::add(&mut edits, [edit]);
    }
    let text = in_one_line(&swapped(module, expr.at, swaps))?;
    Ok(Remade::new(text, edits))
}

/// Returns the text of a place, with what is swapped in it.
fn swapped(module: &Module, place: Place, mut swaps: Vec<(Place, String)>) -> String {
    swaps.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
    let mut text = module.slice(place).to_owned();
    for (at, new) in swaps {
        let (start, end) = (
            (at.start - place.start) as usize,
            (at.end - place.start) as usize,
        );
        text.replace_range(start..end, &new);
    }
    text
}

/// Returns the parts of an expression that may be others by the time the object is sent, and whether it can
/// keep what they are.
fn changing(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    module: &Rc<Module>,
    expr: &Rc<Expr>,
) -> Vec<(Place, bool)> {
    let env = eval.scope(DefId::new(setting.module, setting.method));
    let own = own_name(module, setting);
    let mut parts = own.as_ref().map_or_else(Vec::new, |own| {
        changed_later(eval, instance, setting, own, expr)
    });
    parts.extend(told(eval, module, expr, &env).into_iter().map(|part| {
        let is_text = reads_environment(module, &part);
        let is_kept = own.is_some() && (is_text || is_data(eval, &eval.eval(&part, &env)));
        (part.at, is_kept)
    }));
    parts
}

/// Returns what a method calls its own object (`self`), if it is one.
fn own_name(module: &Module, setting: &Setting) -> Option<Name> {
    let method = &module.defs[setting.method];
    let own = method.params.first().map(|p| Rc::clone(&p.name));
    own.filter(|_| setting.class.is_some())
}

/// Returns the attributes of the object in an expression that may be others by the time the object is sent,
/// and whether it can keep what they are.
fn changed_later(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    own: &Name,
    expr: &Rc<Expr>,
) -> Vec<(Place, bool)> {
    let changed = expr.attributes_of(own).filter_map(|(name, at)| {
        let attributes = eval.attributes(instance);
        let found = attributes.iter().find(|a| a.name == *name)?;
        let is_before = |s: &Setting| {
            (s.module, s.method) == (setting.module, setting.method)
                && s.at.start < setting.at.start
        };
        let is_settled = found.set.len() == 1 && !is_after(&found.set[0], setting)
            || found.set.iter().all(is_before);
        let is_settled = is_settled && !is_changed(eval, setting, name);
        // Above the line that sets it up, it may not be what it is there.
        let is_data = |later: &Later| is_data(eval, &eval.force(later));
        let is_kept = setting.at.holds(at) && found.values.iter().all(is_data);
        (!is_settled).then_some((at, is_kept))
    });
    changed.collect()
}

/// Returns whether an attribute of this name is set from outside of its class, or changed in place, other
/// than in a method before the place that uses it.
fn is_changed(eval: &Eval, setting: &Setting, name: &Name) -> bool {
    let inner = format!(".{name}");
    eval.project.ids().into_iter().any(|id| {
        let module = eval.project.module(id);
        let text = &module.text;
        let is_here = id == setting.module;
        let in_place = if is_here {
            let method = module.defs[setting.method].at;
            let (before, after) = (method.start as usize, setting.at.end as usize);
            changes(&text[..before], &inner) || changes(&text[after..], &inner)
        } else {
            changes(text, &inner)
        };
        in_place
            || module.defs.iter().any(|def| {
                let is_method = module.is_method(def);
                let own = def.params.first().filter(|_| is_method).map(|p| &p.name);
                def.bindings.iter().any(|b| {
                    matches!(&b.target, Target::Attribute(base, n) if n == name
                        && !matches!(&base.kind, ExprKind::Name(o) if Some(o) == own))
                })
            })
    })
}

/// Returns whether a place in the same method comes after another.
fn is_after(one: &Setting, other: &Setting) -> bool {
    (one.module, one.method) == (other.module, other.method) && one.at.start > other.at.start
}

/// Writes an expression of several lines in one.
fn in_one_line(expr: &str) -> Result<String, String> {
    let Some((first, rest)) = expr.split_once('\n') else {
        return Ok(expr.to_owned());
    };
    if expr.contains('#') {
        return Err("a comment is within it".to_owned());
    }
    if expr.contains("\"\"\"") || expr.contains("'''") || expr.contains("\\\n") {
        return Err("a text of several lines is within it".to_owned());
    }
    let mut text = first.trim_end().to_owned();
    for line in rest.lines().map(str::trim) {
        let is_close = line.starts_with([')', ']', '}']);
        if is_close && is_call(&text) {
            text.truncate(text.trim_end_matches(',').len());
        }
        if !is_close && !text.ends_with(['(', '[', '{']) {
            text.push(' ');
        }
        text.push_str(line);
    }
    Ok(text)
}

/// Returns whether the innermost bracket that is open at the end of a text is that of a call: a comma
/// before its end says nothing, where it makes a tuple of other brackets.
fn is_call(text: &str) -> bool {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' => return text[..at].ends_with(is_word),
            '[' | '{' => return false,
            _ => {}
        }
    }
    false
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
    let call = expr.call()?;
    let mut names = call.args.iter().flat_map(|a| a.value.names());
    let env = eval.scope(DefId::new(setting.module, setting.method));
    let Value::Outside(full, None) = eval.eval(&call.func, &env) else {
        return None;
    };
    let (from, name) = full.rsplit_once('.').filter(|_| names.next().is_none())?;
    let own = eval.project.module(instance.class.module);
    let (func, import) = imported(&own, from, name);
    let args = module.arguments(call);
    let text = format!("{func}{args}");
    (!args.contains('\n')).then(|| Remade::new(text, import.into_iter().collect()))
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
    (setting, method): (&Setting, &Def),
    own: &Name,
    name: &Name,
) -> Option<String> {
    let is_own = |e: &Expr| e.is_name(&own);
    let is_name = |e: &Expr| e.is_name(name);
    let (kept, at) = method
        .bindings
        .iter()
        .find_map(|b| match (&b.target, b.source.given()) {
            (Target::Attribute(base, attribute), Some(value)) if is_own(base) && is_name(value) => {
                Some((Rc::clone(attribute), b.at))
            }
            _ => None,
        })?;
    // `self.path = path`, then `path = path + ".db"`
    let between = at.start.min(setting.at.start)..at.start.max(setting.at.start);
    if bindings_of(method, name).any(|b| between.contains(&b.at.start)) {
        return None;
    }
    if method
        .bindings
        .iter()
        .any(|b| b.at == setting.at && matches!(&b.target, Target::Attribute(_, a) if *a == kept))
    {
        return None;
    }
    // It must still hold it.
    let attributes = eval.attributes(instance);
    let found = attributes.iter().find(|a| a.name == kept)?;
    let travels = !cannot_travel(eval, found);
    (found.set.len() == 1 && travels).then(|| format!("self.{kept}"))
}

/// Keeps what a name is, if that is plain data, in a new attribute.
fn keep_name(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    module: &Rc<Module>,
    name: &Name,
) -> Option<(String, Edit)> {
    let method = &module.defs[setting.method];
    let is_once = bindings_of(method, name).count()
        + usize::from(method.params.iter().any(|p| p.name == *name))
        == 1;
    if !is_once {
        return None;
    }
    let env = eval.scope(DefId::new(setting.module, setting.method));
    let is_kept = is_data(eval, &eval.name(name, &env, Some(setting.value?)));
    is_kept.then(|| keep(eval, instance, setting, module, name))?
}

/// Keeps what an expression is in a new attribute, where every instance gets it.
fn keep(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    module: &Rc<Module>,
    text: &str,
) -> Option<(String, Edit)> {
    let own = module.defs[setting.method].params.first()?;
    // What the program does with all attributes it would do with a new one, too.
    let shows_all = |m: &Module| {
        let mut functions = m.defs.iter().filter(|d| d.kind == Kind::Function);
        functions.any(|d| {
            let text = m.slice(d.at);
            !OWN_WAYS.contains(&&*d.name) && (text.contains("vars(") || text.contains(".__dict__"))
        })
    };
    if !setting.is_sure || eval.project.modules().iter().any(|m| shows_all(m)) {
        return None;
    }
    let attributes = eval.attributes(instance);
    let line = eval.line(instance.class, &instance.class_env);
    let is_free = |wanted: &str| {
        let is_bases = !line.outside.is_empty() && OF_BASES.contains(&wanted);
        !is_bases
            && attributes.iter().all(|a| &*a.name != wanted)
            && eval.project.ids().iter().all(|id| {
                let module = eval.project.module(*id);
                let is_bound = |d: &Def| bindings_of(d, wanted).next().is_some();
                !module.text.contains(&format!("self.{wanted}"))
                    && !module
                        .defs
                        .iter()
                        .any(|d| d.kind == Kind::Class && is_bound(d))
            })
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = text
        .split(|c| !is_word(c))
        .filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()));
    let last = words.next_back()?.to_lowercase();
    let bare = last.trim_start_matches('_');
    let kept = [last.clone(), format!("_{bare}"), format!("_kept_{bare}")];
    let kept = kept.into_iter().find(|k| is_free(k))?;
    let line = format!("{}.{kept} = {text}", own.name);
    let edit = above(module, setting.at.start, &[line])?;
    Some((format!("self.{kept}"), edit))
}

/// Returns whether a value is data, as calls of the tables' plain functions give it too.
fn is_data(eval: &Eval, value: &Value) -> bool {
    match value {
        Value::Plain => true,
        Value::Items(items) => items.iter().all(|(_, l)| is_data(eval, &eval.force(l))),
        Value::Made(made) => inside(&made.of).is_some_and(|i| i.holds.is_empty() && !i.keeps),
        // What the command line gave: `args.path`.
        Value::Outside(name, Some(_)) => {
            inside(name).is_some_and(|i| i.holds.is_empty() && !i.keeps)
        }
        // `logging.INFO`
        Value::Outside(name, None) => {
            let last = name.rsplit('.').next().unwrap_or_default();
            let is_constant = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            last.len() > 1 && last.chars().all(is_constant)
        }
        Value::OneOf(values) => values.iter().all(|v| is_data(eval, v)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::in_one_line;

    #[test]
    fn lines_are_joined_and_texts_stay() {
        for (lines, line) in [
            (
                "open(\n    path,\n    \"a ( b, )\",\n)",
                "open(path, \"a ( b, )\")",
            ),
            ("Box((\n    1,\n))", "Box((1,))"),
            ("f([\n    1,\n    2,\n], x)", "f([1, 2,], x)"),
            ("re.compile(\"( a )\")", "re.compile(\"( a )\")"),
        ] {
            assert_eq!(in_one_line(lines).as_deref(), Ok(line));
        }
        assert!(in_one_line("f(\"\"\"a\nb\"\"\")").is_err());
        assert!(in_one_line("f(a,  # one\nb)").is_err());
    }
}
