//! A function or class made in a function, at the top of the module.

use std::ops::Range;
use std::rc::Rc;

use crate::object::{Change, Edit};
use crate::traceback::facts::Via;

use super::super::causes;
use super::super::effects::changes;
use super::super::eval::{Eval, bindings_of, binds};
use super::super::syntax::{Arg, Binding, Def, Expr, ExprKind, Kind, Module, Name, Place, Source};
use super::super::text::{
    at_top, closing, free_name, indent_at, line_start, lines_of, lists, newline, top_of, unit,
};
use super::super::value::{DefId, Value};
use super::super::verbatim::dedented;
use super::captured::{Captured, captured};
use super::helper::{all_edits, as_names, below_helpers, with_helpers};
use super::partial::bound;
use super::wrapper::{is_wrapper, wraps};
use super::{Plan, Planned};

/// Decorators that make methods of what is in a class.
const COMPLETE: &str = "dataclasses.dataclass functools.total_ordering enum.unique attr.s attr.define attr.frozen \
    attrs.define attrs.frozen";

/// What goes to the top of the module.
pub(super) struct Moved {
    pub(super) plan: Plan,
    /// Whether it goes by its own name there, and needs nothing of the function around it.
    pub(super) keeps_name: bool,
    /// The definition as it stands there.
    pub(super) code: String,
}

/// Brings a function or class that was made in a function to the top of the module.
pub(super) fn local(eval: &Eval, id: DefId, via: Option<Via>) -> Planned {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let is_in_function = module.defs[def.parent].kind == Kind::Function;
    let wraps_another = def.kind == Kind::Function && is_wrapper(eval, &module, def);
    if is_in_function && wraps_another && !module.has_errors {
        // As a partial it would take along what goes by its name.
        return wraps(eval, &module, id);
    }
    let told = || causes::told(eval, id.beside(def.parent)).filter(|_| def.kind == Kind::Class);
    let moved = moved_up(eval, id, via).map(|moved| moved.plan);
    moved.or_else(|why| told().ok_or(why))
}

/// Returns it with what is known of it there.
pub(super) fn moved_up(eval: &Eval, id: DefId, via: Option<Via>) -> Result<Moved, String> {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let parent = &module.defs[def.parent];
    can_leave(&module, def)?;
    let decorator = registering(eval, &module, id)?;
    let captured = captured(eval, &module, id, via)?;
    can_stand_at_top(&module, def, &captured)?;
    // `op = None` above `if fast: def op(x):` makes it a name of the function around it.
    let is_set_there =
        parent.has_param(&def.name) || bindings_of(parent, &def.name).nth(1).is_some();
    let is_free = !binds(&module.defs[0], &def.name) && !is_set_there;
    let keeps_name = captured.is_empty() && is_free;
    if !def.decorators.is_empty() && !keeps_name {
        return Err("it has a decorator, and uses names of the function around it".to_owned());
    }
    if captured.is_recursive && !keeps_name {
        return Err("it calls itself".to_owned());
    }
    let name = if keeps_name {
        def.name.to_string()
    } else {
        free_name(&module, &format!("_{}", def.name.trim_start_matches('_')))
    };
    let own = moved(&module, def, &captured, &name)?;
    let (new, import) = bound(&module, &name, &captured);
    let kind = if def.kind == Kind::Class {
        "class"
    } else {
        "function"
    };
    let (around, top) = (&parent.name, "to the top of the module");
    let out = format!("Move the {kind} `{name}` out of `{around}()`, {top}");
    let (text, left) = match decorator {
        Some(decorator) => (out, Some(format!("{decorator}({name})"))),
        None if keeps_name => (out, None),
        None => (
            format!("Move it {top}, what it used of `{around}()` as parameters"),
            Some(format!("{} = {new}", def.name)),
        ),
    };
    let written = left
        .iter()
        .map(|left| format!(", and write `{left}` in its place"));
    let text = format!(
        "{text}{}{}:",
        written.collect::<String>(),
        with_helpers(&captured.helpers)
    );
    let mut edits = vec![at_top(&module, def.at, &own)?, replaced(&module, def, left)];
    let code = below_helpers(&captured.helpers, own.clone());
    edits.extend(import);
    let edits = all_edits(captured.helpers, edits);
    Ok(Moved {
        plan: Plan::new(id.module, text, code, edits),
        keeps_name,
        code: own,
    })
}

/// Returns an error if a definition cannot be taken out of the function around it.
fn can_leave(module: &Module, def: &Def) -> Result<(), String> {
    module.is_parsed()?;
    match module.defs[def.parent].kind {
        Kind::Function => {}
        Kind::Class => return Err("it is a method: its class is to move".to_owned()),
        _ => return Err("it is not made in a function".to_owned()),
    }
    if module.code(def.at).contains("nonlocal ") {
        return Err("it changes names of the function around it".to_owned());
    }
    Ok(())
}

/// Returns an error if a definition means something else at the top of the module.
fn can_stand_at_top(module: &Module, def: &Def, captured: &Captured) -> Result<(), String> {
    if def.kind == Kind::Class && !captured.is_empty() {
        return Err(format!(
            "the class uses `{}` of the function around it",
            captured.given().first().map_or("a default", String::as_str)
        ));
    }
    let (kind, own) = match def.kind {
        Kind::Class => ("class", collects(module, def)),
        _ => ("function", gathers(module, def, captured)),
    };
    if let Some(name) = own {
        return Err(format!(
            "each call makes a {kind} with a `{name}` of its own"
        ));
    }
    // Where it will stand, a base that is made further down is not known yet.
    let top = top_of(module, def.at).unwrap_or_default();
    let mut bases = def.bases.iter().flat_map(|b| b.value.names());
    let is_below = |(name, _): &(&Name, Place)| {
        bindings_of(&module.defs[0], name).any(|b| b.at.end as usize > top)
    };
    if let Some((base, _)) = bases.find(is_below) {
        return Err(format!("its base `{base}` is made further down"));
    }
    Ok(())
}

/// Returns the edit that puts a line, or none, in the place of the whole lines of a definition.
fn replaced(module: &Module, def: &Def, left: Option<String>) -> Edit {
    let parent = &module.defs[def.parent];
    let own = parent.statements.iter().find(|s| s.at == def.at);
    let suite = own.map_or(parent.at, |s| s.suite);
    let others = parent.statements.iter();
    let mut others = others.filter(|s| s.suite == suite && s.at != def.at);
    let left = left.or_else(|| others.next().is_none().then(|| "pass".to_owned()));
    let (indent, newline) = (indent_at(module, def.head.start), newline(module));
    let left = left.map_or_else(String::new, |left| format!("{indent}{left}{newline}"));
    let Range { start, mut end } = lines_of(module, def.at);
    let above = &module.text[..start];
    let is_blank = above
        .lines()
        .next_back()
        .is_some_and(|l| l.trim().is_empty());
    let is_apart = is_blank || above.trim_end().ends_with(':');
    if left.is_empty() && is_apart && module.text[end..].starts_with(newline) {
        end += newline.len();
    }
    Edit::replace(start..end, left)
}

/// Returns a definition as it stands at the top of the module: by this name, and with what it used of
/// the function around it as parameters in front of its own.
fn moved(module: &Module, def: &Def, captured: &Captured, name: &str) -> Result<String, String> {
    let mut text = captured.without_defaults(module, def, def.head);
    if !captured.imports.is_empty() {
        let at = body_of(module, def).ok_or("it is one line, and uses what is imported there")?;
        let indent = indent_at(module, at);
        let lines = captured
            .imports
            .iter()
            .map(|i| format!("{i}{}{indent}", newline(module)));
        let from_end = (def.head.end - at) as usize;
        text.insert_str(text.len() - from_end, &lines.collect::<String>());
    }
    let text = as_names(&text, &captured.attributes);
    let indent = indent_at(module, def.head.start);
    let lines = dedented(&text, &indent);
    let (head, body) = lines.split_first().ok_or("it is empty")?;
    let (old, new) = if def.kind == Kind::Class {
        (format!("class {}", def.name), format!("class {name}"))
    } else {
        let given = captured.params().join(", ");
        let is_between = !def.params.is_empty() && !given.is_empty();
        let comma = if is_between { ", " } else { "" };
        (
            format!("def {}(", def.name),
            format!("def {name}({given}{comma}"),
        )
    };
    if !head.contains(&old) {
        return Err("its head is of another form".to_owned());
    }
    let head = head.replacen(&old, &new, 1);
    // A class keeps its decorators; that of a function goes on calling it where it was.
    let above = Place::new(def.at.start, def.head.start);
    let above = module.slice(above).trim_end();
    let is_kept = def.kind == Kind::Class && !above.is_empty();
    let above = if is_kept {
        dedented(above, &indent)
    } else {
        Vec::new()
    };
    Ok(above
        .into_iter()
        .chain([&*head])
        .chain(body.iter().copied())
        .collect::<Vec<_>>()
        .join("\n"))
}

/// Returns where a function's first statement is that is no text, if it begins a line of its own.
fn body_of(module: &Module, def: &Def) -> Option<u32> {
    let at = def.begin()?.at.start;
    let before = &module.text[line_start(module, at as usize)..at as usize];
    before.trim().is_empty().then_some(at)
}

/// Returns code for a class that uses names of the function around it: they become arguments.
pub(super) fn with_arguments(eval: &Eval, id: DefId) -> Option<Change> {
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let parent = &module.defs[def.parent];
    // What a dataclass is made with are its fields.
    if !def.decorators.is_empty() {
        return None;
    }
    let captured = captured(eval, &module, id, None).ok()?;
    if def.kind != Kind::Class || captured.names.is_empty() || !captured.defaults.is_empty() {
        return None;
    }
    // `class Tracked(cls):` needs `cls` before any `__init__` runs, and so does the class's own body.
    let bases = def.bases.iter().map(|b| &b.value);
    let above = bases.chain(def.exprs());
    let is_captured = |name: &Name| captured.names.iter().any(|c| **c == **name);
    if above.flat_map(Expr::names).any(|(n, _)| is_captured(n)) {
        return None;
    }
    if !captured.helpers.is_empty()
        || !captured.attributes.is_empty()
        || !captured.imports.is_empty()
    {
        return None;
    }
    let names = captured.names.join(", ");
    let init = bindings_of(def, "__init__").last();
    let params = match init.map(|b| &b.source) {
        None if !def.bases.is_empty() => format!("{names}, *args, **kwargs"),
        None => names,
        Some(Source::Def(init)) => {
            let init = &module.defs[*init];
            let own = parameters(module.slice(init.head).strip_prefix("def __init__(")?)?;
            let rest = own
                .strip_prefix("self")
                .filter(|r| r.is_empty() || r.starts_with(", "))?;
            format!("{names}{rest}")
        }
        Some(_) => return None,
    };
    let unit = unit(&module, parent);
    let head = module.first_line(def.head).trim_end();
    let sets = captured.names.iter();
    let mut sets: Vec<String> = sets
        .map(|n| format!("{unit}{unit}self.{n} = {n}"))
        .collect();
    if init.is_some() {
        sets.push(format!("{unit}{unit}# the rest as before"));
    } else if !def.bases.is_empty() {
        sets.push(format!("{unit}{unit}super().__init__(*args, **kwargs)"));
    }
    Some(Change::new(
        format!(
            "Move the class `{}` out of `{}()` to the top of the module. What it used there becomes arguments, and `self.{}` in its methods:",
            def.name, parent.name, captured.names[0]
        ),
        format!(
            "{head}\n{unit}def __init__(self, {params}):\n{}",
            sets.join("\n")
        ),
    ))
}

/// Returns the parameters that a text begins with, up to the parenthesis that closes them, in one line; `None` if
/// there is a comment among them.
fn parameters(text: &str) -> Option<String> {
    let end = closing(text)?;
    let words: Vec<&str> = text[..end].split_whitespace().collect();
    let line = words.join(" ").trim_end_matches(',').to_owned();
    (!line.contains('#')).then_some(line)
}

/// Returns the decorator of a function, which must do no more than to register it; those of a class must do their
/// work anywhere.
fn registering<'m>(eval: &Eval, module: &'m Module, id: DefId) -> Result<Option<&'m str>, String> {
    let def = &module.defs[id.def];
    match def.decorators.as_slice() {
        [] => Ok(None),
        [one] if def.kind == Kind::Function && is_only_registered(module, id) => {
            Ok(Some(module.slice(one.at)))
        }
        all if def.kind == Kind::Class && all.iter().all(|d| completes(eval, d, id)) => Ok(None),
        _ => Err("it has decorators".to_owned()),
    }
}

/// Returns whether a decorator makes methods of what is in the class alone.
fn completes(eval: &Eval, decorator: &Rc<Expr>, id: DefId) -> bool {
    let (func, args) = match &decorator.kind {
        ExprKind::Call(call) => (&call.func, call.args.as_slice()),
        _ => (decorator, [].as_slice()),
    };
    let is_plain = |a: &Arg| a.stars == 0 && matches!(a.value.kind, ExprKind::Constant);
    matches!(eval.eval(func, &eval.around(id)), Value::Outside(name, _) if lists(COMPLETE, &name))
        && args.iter().all(is_plain)
}

/// Returns a container that a function makes as a default and changes, or what the function around it sets on it:
/// `def add(row, seen=[])`, `add.calls = 0`.
fn gathers<'m>(module: &'m Module, def: &'m Def, captured: &Captured) -> Option<&'m Name> {
    let text = module.slice(def.at);
    let is_given = |name: &Name| captured.defaults.iter().any(|(n, _)| n == name);
    let makes =
        |default: &Rc<Expr>| !matches!(default.kind, ExprKind::Constant | ExprKind::Text(_));
    let params = def.params.iter();
    let mut defaults = params.filter(|p| p.default.as_ref().is_some_and(makes));
    let changed = defaults.find(|p| !is_given(&p.name) && changes(text, &p.name));
    let set = module.defs[def.parent].bindings.iter();
    let mut set = set.filter_map(Binding::attribute);
    let set = || Some(set.find(|(base, _)| base.is_name(&def.name))?.1);
    changed.map(|p| &p.name).or_else(set)
}

/// Returns a container or counter of a class itself that its methods change.
fn collects<'d>(module: &Module, class: &'d Def) -> Option<&'d Name> {
    let text = module.slice(class.at);
    let bound = class.bindings.iter();
    let mut names = bound.filter_map(|b| Some(b.named_value()?.0));
    names.find(|name| changes(text, &format!(".{name}")))
}

/// Returns whether a function made in another one is only handed to its decorator there.
fn is_only_registered(module: &Module, id: DefId) -> bool {
    let def = &module.defs[id.def];
    let parent = &module.defs[def.parent];
    let mut names = module.within(parent.at).flat_map(Def::names);
    let is_line = !module.slice(def.decorators[0].at).contains('\n');
    is_line && names.all(|(n, _)| *n != def.name)
}
