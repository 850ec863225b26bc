//! The wrapper that a decorator makes, which goes by the name of what it wraps.

use std::rc::Rc;

use crate::object::Edit;

use super::super::eval::{Eval, bindings_of, is_decorated};
use super::super::syntax::{
    Binding, Call, Def, Expr, Kind, Module, Name, ParamKind, Place, Source, Target,
};
use super::super::text::{above, imported, unit};
use super::super::value::{DefId, Env, Value};
use super::super::walk::Suspect;
use super::lost::{Loss, lost_by_calls};
use super::methods::at_the_end;
use super::{Plan, Planned};

/// Methods by which a class has its objects pickled.
const OWN_WAYS: &[&str] = &["__reduce__", "__reduce_ex__", "__getstate__", "__getattr__"];

/// Binds a wrapper to the name that it goes by, too: `fetch = download = retry(3)(download)`.
pub(super) fn renamed(eval: &Eval, suspect: &Suspect, named_as: DefId) -> Planned {
    let module = eval.project.module(suspect.module);
    let name = &eval.project.module(named_as.module).defs[named_as.def]
        .name
        .clone();
    let top = module.defs[0].bindings.iter();
    let mut named = top.filter_map(Binding::named_value);
    let is_at_top = named.any(|(_, value)| value.at == suspect.at);
    let is_here = named_as.module == suspect.module
        && module.defs[module.defs[named_as.def].parent].kind == Kind::Module;
    if !is_at_top || !is_here {
        return Err("it is not made at the top of the module of what it wraps".to_owned());
    }
    let uses_elsewhere = eval.project.ids().into_iter().any(|id| {
        let other = eval.project.module(id);
        let mut names = other.defs.iter().flat_map(Def::names);
        let is_other =
            |(n, at): (&Name, Place)| n == name && !(id == suspect.module && suspect.at.holds(at));
        names.any(is_other)
            || id != suspect.module
                && other.defs[0]
                    .bindings
                    .iter()
                    .any(|b| matches!(&b.source, Source::From(_, imported) if imported == name))
    });
    if uses_elsewhere {
        return Err(format!("`{name}` itself is used in other places"));
    }
    let line = module.line(module.line_of(suspect.at.start));
    let value = module.slice(suspect.at);
    let code = line.trim().replacen(value, &format!("{name} = {value}"), 1);
    let text = format!("Let `{name}` mean the wrapper, which goes by that name:");
    let edits = vec![Edit::insert(
        suspect.at.start as usize,
        format!("{name} = "),
    )];
    Ok(Plan::new(suspect.module, text, code, edits))
}

/// A function that a decorator makes of another one.
struct Decorator<'m> {
    /// The name by which it decorates.
    name: &'m Name,
    /// What it is in.
    outer: usize,
    /// The parameter that is the function it wraps.
    function: &'m Name,
}

/// Returns what makes a wrapper: `def retry(func)`, what `def retry(times)` returns, or a class's
/// `__call__(self, func)`.
fn decorator<'m>(module: &'m Module, def: &Def) -> Option<Decorator<'m>> {
    let maker = &module.defs[def.parent];
    let around = &module.defs[maker.parent];
    let is_method = around.kind == Kind::Class;
    let mut params = maker.params.iter().skip(usize::from(is_method));
    let function = params.next().filter(|p| p.kind == ParamKind::Plain)?;
    let outer = match around.kind {
        Kind::Class if &*maker.name != "__call__" => return None,
        Kind::Class | Kind::Function if params.next().is_none() => maker.parent,
        Kind::Module => def.parent,
        _ => return None,
    };
    Some(Decorator {
        name: &module.defs[outer].name,
        outer,
        function: &function.name,
    })
}

/// Returns whether a function goes by the name of another one, which it calls: what a decorator in
/// use makes.
pub(super) fn is_wrapper(eval: &Eval, module: &Module, def: &Def) -> bool {
    let Some(decorator) = decorator(module, def) else {
        return false;
    };
    let is_used = || {
        eval.project.any(|other| {
            other.defs.iter().any(|d| {
                // In a class it is a static method that goes by its name.
                let of_class =
                    other.defs[d.parent].kind == Kind::Class && is_decorated(d, "staticmethod");
                d.kind == Kind::Function
                    && (other.defs[d.parent].kind == Kind::Module || of_class)
                    && is_decorated(d, decorator.name)
            })
        })
    };
    let all = module.within(def.at).flat_map(Def::statement_exprs);
    // It is called, or goes to what calls it.
    let is_it = |e: &Expr| e.is_name(decorator.function);
    let is_use = |c: &Rc<Call>| is_it(&c.func) || c.args.iter().any(|a| is_it(&a.value));
    all.flat_map(Expr::calls).any(is_use) && is_used()
}

/// Returns the name of the decorator that makes a function.
pub(in super::super) fn wrapper_of<'m>(module: &'m Module, def: &Def) -> Option<&'m Name> {
    let is_inner = module.defs[def.parent].kind == Kind::Function;
    decorator(module, def).filter(|_| is_inner).map(|d| d.name)
}

/// Gives a decorator's wrapper the name of what it wraps.
pub(in super::super) fn wraps(eval: &Eval, module: &Rc<Module>, id: DefId) -> Planned {
    // It would show the signature of what it wraps, too.
    const SIGNATURES: [&str; 3] = ["signature(", "getfullargspec(", "get_type_hints("];
    if let Some(word) = SIGNATURES.iter().find(|word| eval.project.says(word)) {
        return Err(format!(
            "the program uses `{word}…)`, which would see what it wraps"
        ));
    }
    let def = &module.defs[id.def];
    let asks = ["__name__", "__qualname__"].map(|word| format!("{}.{word}", def.name));
    if let Some(word) = asks.iter().find(|word| module.code.contains(&***word)) {
        return Err(format!(
            "the program reads `{word}`, which would be another"
        ));
    }
    let decorator = decorator(module, def).ok_or("no decorator makes it")?;
    let mut decorators = def.decorators.iter();
    let has_wraps = decorators.any(|d| module.code(d.at).contains("wraps"));
    if has_wraps {
        return Err("it goes by the name of what it wraps".to_owned());
    }
    let is_it = |e: &Rc<Expr>| e.is_name(&def.name);
    if !module.defs[def.parent].returns.iter().any(is_it) {
        return Err("the decorator returns another one".to_owned());
    }
    let (wraps, import) = imported(module, "functools", "wraps");
    let line = format!("@{wraps}({})", decorator.function);
    let mut edits =
        vec![above(module, def.at.start, &[&line]).ok_or("its head is of another form")?];
    let code = format!(
        "{line}\n{}",
        module.line(module.line_of(def.head.start)).trim()
    );
    edits.extend(import);
    let outer = &module.defs[decorator.outer];
    let place = if outer.kind == Kind::Class {
        format!("class `{}`", decorator.name)
    } else {
        format!("`{}()`", decorator.name)
    };
    let text = format!(
        "Give the wrapper the name of the function that it wraps, for the other process to find. In {place}:"
    );
    Ok(Plan::new(id.module, text, code, edits))
}

/// Returns what a function sets on itself, `wrapper.calls += 1`, or the object of a class that decorates it.
pub(in super::super) fn set_on_itself(eval: &Eval, suspect: &Suspect) -> Option<Loss> {
    // `timed(work)` that goes by another name
    let wrapper = || {
        suspect.named_as?;
        let top = eval.scope(DefId::top(suspect.module));
        Some(
            eval.name(&Name::from(&*suspect.path), &top, None)
                .function()?
                .id,
        )
    };
    let Some(id) = suspect.def.or_else(wrapper) else {
        let (_, class, _) = decorated(eval, suspect).ok()?;
        return lost_by_calls(eval, class);
    };
    let module = eval.project.module(id.module);
    let def = &module.defs[id.def];
    let mut set = def.bindings.iter().filter_map(|b| match &b.target {
        Target::Content(of, _) => of.attribute(),
        _ => b.attribute(),
    });
    let (_, name) = set.find(|(base, _)| base.is_name(&def.name))?;
    Some(Loss::of(&def.name, name))
}

/// Returns the class that decorates a function, and whether that is at the top of its module.
fn decorated(eval: &Eval, suspect: &Suspect) -> Result<(bool, DefId, Env), String> {
    let module = eval.project.module(suspect.module);
    let is_it = |d: &&Def| d.head == suspect.at && d.kind == Kind::Function;
    let def = module.defs.iter().find(is_it).ok_or("it is no function")?;
    let [decorator] = def.decorators.as_slice() else {
        return Err("it has several decorators".to_owned());
    };
    let is_at_top = module.defs[def.parent].kind == Kind::Module;
    match eval.eval(decorator, &eval.scope(DefId::top(suspect.module))) {
        Value::Class(id, env) => Ok((is_at_top, id, env)),
        _ => Err("its decorator is no class".to_owned()),
    }
}

/// Lets an object that a class makes of a function, as its decorator, be looked up by the function's
/// name: `@Memo` above `def load`.
pub(super) fn looked_up(eval: &Eval, suspect: &Suspect) -> Planned {
    let (is_at_top, id, env) = decorated(eval, suspect)?;
    let line = eval.line(id, &env);
    let is_plain = line.own.len() == 1 && line.outside.is_empty() && !line.is_open;
    let has_own_way = OWN_WAYS.iter().any(|n| eval.method(&line, n).is_some());
    if !is_at_top || !is_plain || has_own_way {
        return Err("its class may pickle in a way of its own".to_owned());
    }
    let of = eval.project.module(id.module);
    let class = &of.defs[id.def];
    let init = bindings_of(class, "__init__").last().map(|b| &b.source);
    let Some(Source::Def(init)) = init else {
        return Err("its class has no `__init__`".to_owned());
    };
    let init = &of.defs[*init];
    let [own, function, ..] = init.params.as_slice() else {
        return Err("its class takes no function".to_owned());
    };
    let kept = init
        .bindings
        .iter()
        .find_map(|b| match (&b.target, &b.source) {
            (Target::Attribute(_, name), Source::Value(value)) if value.is_name(&function.name) => {
                Some((name, b.at))
            }
            _ => None,
        });
    let (kept, set) = kept.ok_or("its class does not keep the function")?;
    let unit = unit(&of, class);
    let method = [
        "def __reduce__(self):".to_owned(),
        format!("{unit}return self.{kept}.__qualname__"),
    ];
    let mut edits = vec![at_the_end(&of, class, &unit, &method)];
    let mut code = method.join("\n");
    // Pickle looks in the module that the object names.
    if id.module != suspect.module && !of.code(init.at).contains("update_wrapper(") {
        let (update, import) = imported(&of, "functools", "update_wrapper");
        let call = format!("{update}({}, {})", own.name, function.name);
        edits.push(above(&of, set.start, &[&call]).ok_or("its `__init__` is of another form")?);
        code = format!("{call}  # in __init__\n\n{code}");
        edits.extend(import);
    }
    let text = format!(
        "Let it be looked up by the name of the function, as functions are. In class `{}`:",
        class.name
    );
    Ok(Plan::new(id.module, text, code, edits))
}
