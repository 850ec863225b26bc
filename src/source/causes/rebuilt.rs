//! How an exception is rebuilt of what it keeps, as its `__reduce__` says it.

use std::rc::Rc;

use super::super::change::{Plan, Planned};
use super::super::eval::{Eval, bindings_of};
use super::super::syntax::{Def, Expr, Kind, Module, Name, ParamKind, Target};
use super::super::text::{at_top, free_name, imported, indent_at, lists, method_after, unit};
use super::super::value::DefId;
use super::exception::{args_of, given, has_call, init_of, super_init, with_init};

/// Python's exceptions whose `__init__` keeps more than `args`: `errno`, `code`, `value`, `name`.
const WITH_FIELDS: &str = "BlockingIOError BrokenPipeError ChildProcessError ConnectionAbortedError ConnectionError \
    ConnectionRefusedError ConnectionResetError EnvironmentError FileExistsError FileNotFoundError \
    IOError ImportError IndentationError InterruptedError IsADirectoryError ModuleNotFoundError \
    NotADirectoryError OSError PermissionError ProcessLookupError StopIteration SyntaxError SystemExit \
    TabError TimeoutError UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError";

/// Says in `__reduce__` how it is rebuilt.
pub(super) fn rebuilt(eval: &Eval, class: DefId, init: &Def) -> Planned {
    let plan = by_arguments(eval, class, init);
    plan.map_or_else(|| without_init(eval, class, init), Ok)
}

/// Rebuilds it without its `__init__`, which a class below it may have with other arguments: of what Python
/// keeps of every exception.
fn without_init(eval: &Eval, id: DefId, init: &Def) -> Planned {
    let module = eval.project.module(id.module);
    let class = &module.defs[id.def];
    let own = init.params.first().ok_or("its `__init__` has no `self`")?;
    let own = &*own.name;
    let outside = eval.line_of(id).outside;
    let with_fields = outside.iter().find(|name| lists(WITH_FIELDS, name));
    let restored = match with_fields {
        // Of three or more, `args` has two.
        Some(_) if given(eval, id).is_none_or(|count| count > 2) => {
            return Err("its base keeps more than `args`".to_owned());
        }
        Some(base) => format!("{base}.__init__(error, *args)"),
        None => "error.args = args".to_owned(),
    };
    let unit = unit(&module, class);
    let name = free_name(&module, "_restored");
    let function = [
        format!("def {name}(cls, args, state):"),
        format!("{unit}error = cls.__new__(cls)"),
        format!("{unit}{restored}"),
        format!("{unit}error.__dict__.update(state)"),
        format!("{unit}return error"),
    ]
    .join("\n");
    let method = [
        format!("def __reduce__({own}):"),
        format!("{unit}return {name}, (type({own}), {own}.args, {own}.__dict__)"),
    ];
    let indent = indent_at(&module, init.head.start);
    let end = init.at.end as usize;
    let edits = vec![
        at_top(&module, class.at, &function)?,
        method_after(&module, end, &indent, &method),
    ];
    let text = format!(
        "Say in `{}` how it is rebuilt, without its `__init__`, by a function above the class:",
        class.name
    );
    let code = format!("{function}\n\n# in the class\n{}", method.join("\n"));
    Ok(Plan::new(id.module, text, code, edits))
}

/// Rebuilds it by its `__init__`, of what the exception keeps of its arguments; `None` where that does more
/// than to keep them.
fn by_arguments(eval: &Eval, class: DefId, init: &Def) -> Option<Plan> {
    if is_made_below(eval, class) {
        return None;
    }
    // `super().__init__(f"worker {os.getpid()}: …")` would say another text where it is rebuilt.
    let call = super_init(init)?;
    let all = init.statements.iter().flat_map(|s| &s.exprs);
    if all.filter(|e| e.at != call.at).any(has_call)
        || args_of(&call).iter().any(|a| has_call(&a.value))
    {
        return None;
    }
    let module = eval.project.module(class.module);
    let own = &init.params.first()?.name;
    let (placed, named) = arguments(eval, class, init)?;
    let one = if placed.len() == 1 { "," } else { "" };
    let placed = placed.join(", ");
    let unit = unit(&module, &module.defs[class.def]);
    let mut method = vec![format!("def __reduce__({own}):")];
    let (mut made, mut import) = (format!("type({own})"), None);
    // In one line it would be too long to be shown.
    if !named.is_empty() {
        let (partial, added) = imported(&module, "functools", "partial");
        method.push(format!(
            "{unit}make = {partial}({made}, {})",
            named.join(", ")
        ));
        (made, import) = ("make".to_owned(), added);
    }
    method.push(format!(
        "{unit}return {made}, ({placed}{one}), {own}.__dict__"
    ));
    let indent = indent_at(&module, init.head.start);
    let end = init.at.end as usize;
    let mut edits = vec![method_after(&module, end, &indent, &method)];
    let code = method.join("\n");
    edits.extend(import);
    let text = format!(
        "Say in `{}` how it is rebuilt, with the arguments that its `__init__` wants:",
        module.defs[class.def].name
    );
    Some(Plan::new(class.module, text, code, edits))
}

/// Returns whether a class below this one, with an `__init__` of its own, would be rebuilt so too.
fn is_made_below(eval: &Eval, class: DefId) -> bool {
    eval.project.defs().any(|(id, module)| {
        module.defs[id.def].kind == Kind::Class
            && init_of(&module, id.def).is_some()
            && id != class
            && with_init(eval, id).contains(&class)
    })
}

/// Returns the arguments of an `__init__`, by place and by name, as the exception keeps them.
fn arguments(eval: &Eval, class: DefId, init: &Def) -> Option<(Vec<String>, Vec<String>)> {
    let own = &init.params.first()?.name;
    let inits = with_init(eval, class);
    let (mut placed, mut named) = (Vec::new(), Vec::new());
    for param in init.params.iter().skip(1) {
        let is_optional = param.default.is_some();
        match param.kind {
            ParamKind::Plain => {
                placed.push(format!("{own}.{}", kept_as(eval, &inits, &param.name)?));
            }
            // What those that may be missing set comes back with `__dict__`, but for the text.
            ParamKind::KeywordOnly => match kept_as(eval, &inits, &param.name) {
                Some(kept) => named.push(format!("{}={own}.{kept}", param.name)),
                None if is_optional => {}
                None => return None,
            },
            _ => return None,
        }
    }
    Some((placed, named))
}

/// Returns what an `__init__`, or the base's that it calls, keeps a parameter in: an attribute, or
/// one of the `args` of Python's own exceptions.
fn kept_as(eval: &Eval, inits: &[DefId], name: &Name) -> Option<String> {
    let (class, bases) = inits.split_first()?;
    let module = eval.project.module(class.module);
    let init = init_of(&module, class.def)?;
    if bindings_of(init, name).next().is_some() {
        return None;
    }
    let is_it = |e: &Expr| e.is_name(name);
    let kept = init
        .bindings
        .iter()
        .find_map(|b| match (&b.target, b.source.given()) {
            (Target::Attribute(_, attribute), Some(value)) if is_it(value) => Some(attribute),
            _ => None,
        });
    if let Some(kept) = kept {
        return (set(eval, *class, kept) == 1).then(|| kept.to_string());
    }
    let call = super_init(init)?;
    let args = args_of(&call);
    let at = args.iter().position(|a| a.stars == 0 && is_it(&a.value))?;
    let Some(base) = bases.first() else {
        let is_placed = args.iter().all(|a| a.stars == 0 && a.label.is_none());
        return (is_placed && is_builtin(eval, *class)).then(|| format!("args[{at}]"));
    };
    let of = eval.project.module(base.module);
    let params = &init_of(&of, base.def)?.params;
    let param = match &args[at].label {
        Some(label) => label,
        None => {
            &params
                .get(at + 1)
                .filter(|p| p.kind == ParamKind::Plain)?
                .name
        }
    };
    kept_as(eval, bases, param)
}

/// Returns whether all bases from outside are exceptions of Python itself.
fn is_builtin(eval: &Eval, class: DefId) -> bool {
    let line = eval.line_of(class);
    !line.is_open && line.outside.iter().all(|name| !name.contains('.'))
}

/// Returns how many places set an attribute of this name on what may be such an exception.
fn set(eval: &Eval, class: DefId, attribute: &Name) -> usize {
    let all = eval.project.defs().map(|(id, module)| {
        let is_set = |target: &Target| match target {
            Target::Attribute(base, name) => {
                name == attribute && !is_of_other(eval, &module, class, id, base)
            }
            _ => false,
        };
        let bound = module.defs[id.def].bindings.iter();
        bound.filter(|b| is_set(&b.target)).count()
    });
    all.sum()
}

/// Returns whether an expression is the `self` of a class that has nothing to do with this one.
fn is_of_other(eval: &Eval, module: &Module, class: DefId, id: DefId, base: &Rc<Expr>) -> bool {
    let method = &module.defs[id.def];
    let own = method.params.first().map(|p| &p.name);
    let is_self = own.is_some_and(|own| base.is_name(own));
    if !is_self || module.defs[method.parent].kind != Kind::Class {
        return false;
    }
    let other = id.beside(method.parent);
    let derives = |id, from| eval.line_of(id).has(from);
    !derives(other, class) && !derives(class, other)
}
