//! An exception that is rebuilt as `Class(*args)`, which its `__init__` does not take.

use std::rc::Rc;

use crate::object::{Certainty, Edit};

use super::super::answer::Found;
use super::super::change::{Plan, Planned};
use super::super::eval::{Eval, bindings_of};
use super::super::syntax::{
    Arg, Call, Def, Expr, ExprKind, Kind, Module, Name, ParamKind, Place, Source, Target,
};
use super::super::text::{indent_at, method_after, names_in, unit};
use super::super::value::DefId;
use super::rebuilt::rebuilt;

/// The most classes that are named.
const MAX_NAMED: usize = 3;

/// Finds the exceptions whose `__init__` would miss these arguments when they are rebuilt.
pub(in super::super) fn exception(
    eval: &Eval,
    class: Option<&str>,
    missing: &[String],
    are_named: bool,
) -> Vec<Found> {
    let mut found = Vec::new();
    for id in eval.project.ids() {
        let module = eval.project.module(id);
        for (number, def) in module.defs() {
            let is_named = class.is_none_or(|c| c == def.qualname || c == &*def.name);
            if def.kind != Kind::Class
                || !is_named
                || !is_exception(
                    eval,
                    DefId {
                        module: id,
                        def: number,
                    },
                )
            {
                continue;
            }
            let Some(init) = init_of(&module, number) else {
                continue;
            };
            let class = DefId {
                module: id,
                def: number,
            };
            let wanted = required(init, are_named);
            let count = if are_named {
                Some(0)
            } else {
                given(eval, class)
            };
            let Some(lost) = count.and_then(|count| wanted.get(count..)) else {
                continue;
            };
            let names = lost.iter().map(|n| &***n);
            if lost.is_empty() || !names.eq(missing.iter().map(String::as_str)) {
                continue;
            }
            let of = match wanted.len() - lost.len() {
                _ if are_named => "which wants arguments by name".to_owned(),
                0 => format!("which keeps none of its {} arguments", wanted.len()),
                n => format!("which keeps {n} of its {} arguments", wanted.len()),
            };
            found.push(Found {
                path: def.name.to_string(),
                of,
                module: id,
                at: init.head,
                certainty: Certainty::Certain,
                plan: keep_all(eval, class, init)
                    .or_else(|why| rebuilt(eval, class, init).ok_or(why)),
            });
        }
    }
    if found.len() > MAX_NAMED {
        return Vec::new();
    }
    if found.len() > 1 {
        for one in &mut found {
            one.certainty = Certainty::OneOf;
            one.plan = Err("it is one of several".to_owned());
        }
    }
    found
}

/// Returns whether a text reads the `args` of what it has caught, as these are written mostly.
fn reads_args(text: &str) -> bool {
    let caught = ["e", "ex", "exc", "err", "error", "exception"];
    text.contains(".args[")
        || text.match_indices(".args").any(|(at, _)| {
            let word = text[..at].rsplit(|c: char| !c.is_alphanumeric() && c != '_');
            word.into_iter().next().is_some_and(|w| caught.contains(&w))
        })
}

fn is_exception(eval: &Eval, class: DefId) -> bool {
    let line = eval.line_of(class);
    let has_own_way = ["__reduce__", "__reduce_ex__"]
        .iter()
        .any(|name| eval.method(&line, name).is_some());
    let is_error = |name: &Rc<str>| {
        ["Error", "Exception", "Warning", "Exit", "Interrupt"]
            .iter()
            .any(|end| name.ends_with(end))
    };
    !has_own_way && line.outside.iter().any(is_error)
}

pub(super) fn init_of(module: &Module, class: usize) -> Option<&Def> {
    let binding = bindings_of(&module.defs[class], "__init__").last()?;
    match binding.source {
        Source::Def(def) => Some(&module.defs[def]),
        _ => None,
    }
}

/// Returns the parameters without a default, but for `self`: by position, or those by name.
fn required(init: &Def, are_named: bool) -> Vec<&Name> {
    let all = init.params.iter().skip(1);
    let kind = if are_named {
        ParamKind::KeywordOnly
    } else {
        ParamKind::Plain
    };
    all.filter(|p| p.kind == kind && p.default.is_none())
        .map(|p| &p.name)
        .collect()
}

/// Returns how many arguments reach Python's own `__init__`, which become `args`; `None` where that
/// is not called or is given `*args`.
fn given(eval: &Eval, class: DefId) -> Option<usize> {
    let mut count = None;
    for class in with_init(eval, class) {
        let module = eval.project.module(class.module);
        let call = super_init(init_of(&module, class.def)?)?;
        let args = args_of(&call);
        count = args
            .iter()
            .all(|a| a.stars == 0 && a.label.is_none())
            .then_some(args.len());
    }
    count
}

/// Returns a class and the bases of it that have an `__init__` of their own.
pub(super) fn with_init(eval: &Eval, class: DefId) -> Vec<DefId> {
    let line = eval.line_of(class);
    let all = line.own.iter().map(|(c, _)| *c);
    let has_init = |c: &DefId| init_of(&eval.project.module(c.module), c.def).is_some();
    all.filter(has_init).collect()
}

/// Returns the one call of a base class's `__init__`.
pub(super) fn super_init(init: &Def) -> Option<Rc<Call>> {
    let mut calls = Vec::new();
    for expr in init.statements.iter().flat_map(|s| &s.exprs) {
        init_calls(expr, &mut calls);
    }
    match calls.as_slice() {
        [call] => Some(Rc::clone(call)),
        _ => None,
    }
}

/// Returns the arguments of such a call, without the `self` of `Base.__init__(self, …)`.
pub(super) fn args_of(call: &Call) -> &[Arg] {
    let skipped = usize::from(!is_super(call));
    call.args.get(skipped..).unwrap_or_default()
}

fn is_super(call: &Call) -> bool {
    matches!(&call.func.kind, ExprKind::Attribute(base, _) if matches!(base.kind, ExprKind::Call(_)))
}

fn init_calls(expr: &Rc<Expr>, found: &mut Vec<Rc<Call>>) {
    if let ExprKind::Call(call) = &expr.kind
        && matches!(&call.func.kind, ExprKind::Attribute(_, name) if &**name == "__init__")
    {
        found.push(Rc::clone(call));
    }
    for part in expr.parts() {
        init_calls(part, found);
    }
}

/// Gives `super().__init__` all arguments, and makes the text in `__str__`.
fn keep_all(eval: &Eval, id: DefId, init: &Def) -> Planned {
    let call = super_init(init).ok_or("`super().__init__` is not called once")?;
    let is_super = is_super(&call);
    let args: Vec<&Rc<Expr>> = args_of(&call).iter().map(|a| &a.value).collect();
    let module = eval.project.module(id.module);
    let class = &module.defs[id.def];
    let line = eval.line(
        id,
        &eval.scope(DefId {
            def: class.parent,
            ..id
        }),
    );
    let own = init.params.first().map_or("self", |p| &*p.name);
    let own_params = || init.params.iter().skip(1);
    let params = own_params().filter(|p| p.kind == ParamKind::Plain);
    let params: Vec<&Name> = params.map(|p| &p.name).collect();
    // What those by name set on the exception comes back with its `__dict__`.
    let is_plain = own_params().all(|p| {
        p.kind == ParamKind::Plain || p.kind == ParamKind::KeywordOnly && p.default.is_some()
    });
    if !is_plain {
        return Err("its `__init__` has arguments by name".to_owned());
    }
    if with_init(eval, id).len() > 1 {
        return Err("a base class has an `__init__` of its own".to_owned());
    }
    if args.iter().any(|a| has_call(a)) {
        return Err("its text may be another one elsewhere".to_owned());
    }
    let modules = eval.project.modules();
    if modules.iter().any(|m| reads_args(&m.text)) {
        return Err("the program reads its `args`".to_owned());
    }
    if eval.method(&line, "__str__").is_some() {
        return Err("the class has a `__str__` of its own".to_owned());
    }
    let text = match args.as_slice() {
        [] => None,
        [one] => Some(in_words(&module, init, one, 0)?),
        _ => return Err("`super().__init__` is given several arguments".to_owned()),
    };
    let all: Vec<&str> = params.iter().map(|p| &***p).collect();
    let first = if is_super {
        String::new()
    } else {
        format!("{own}, ")
    };
    let func = module.slice(call.func.at);
    let new = format!("{func}({first}{})", all.join(", "));
    let mut edits = vec![Edit {
        start: call.at.start as usize,
        end: call.at.end as usize,
        text: new.clone(),
    }];
    let unit = unit(&module, class);
    let mut code = vec![format!("{new}  # in __init__")];
    if let Some(text) = text {
        let method = [
            format!("def __str__({own}):"),
            format!("{unit}return {text}"),
        ];
        let indent = indent_at(&module, init.head.start);
        edits.push(method_after(
            &module,
            init.at.end as usize,
            &indent,
            &method,
        ));
        code.push(String::new());
        code.extend(method);
    }
    Ok(Plan {
        text: format!(
            "Give `{func}` all arguments of `{}`, and make the text in `__str__`:",
            class.name
        ),
        code: code.join("\n"),
        edits,
        module: id.module,
    })
}

/// Returns whether a function is called in an expression: `os.getpid()`.
pub(super) fn has_call(expr: &Rc<Expr>) -> bool {
    let is_format = |c: &Call| matches!(&c.func.kind, ExprKind::Attribute(of, name) if &**name == "format" && matches!(of.kind, ExprKind::Text(_)));
    matches!(&expr.kind, ExprKind::Call(c) if !is_format(c))
        || expr.parts().into_iter().any(has_call)
}

/// Returns an expression of parameters as one of what `self` keeps of them.
fn in_words(module: &Module, init: &Def, expr: &Rc<Expr>, depth: usize) -> Result<String, String> {
    let own = init.params.first().map(|p| Rc::clone(&p.name));
    let mut names: Vec<(Name, Place)> = Vec::new();
    names_in(expr, &mut names);
    names.sort_by_key(|(_, at)| std::cmp::Reverse(at.start));
    let mut text = module.slice(expr.at).to_owned();
    if text.contains('\n') {
        return Err("its text goes over several lines".to_owned());
    }
    for (name, at) in names {
        if Some(&name) == own.as_ref() {
            continue;
        }
        let (start, end) = (at.start - expr.at.start, at.end - expr.at.start);
        let position = init.params.iter().skip(1).position(|p| p.name == name);
        let mut bound = bindings_of(init, &name);
        let Some(position) = position.filter(|_| bindings_of(init, &name).next().is_none()) else {
            match (bound.next().map(|b| &b.source), bound.next()) {
                (None, _) => {}
                // `message = "…"`, made for this alone.
                (Some(Source::Value(value)), None) if position.is_none() && depth < 3 => {
                    let inner = in_words(module, init, value, depth + 1)?;
                    let is_whole = expr.at == at;
                    let inner = if is_whole {
                        inner
                    } else {
                        format!("({inner})")
                    };
                    text.replace_range(start as usize..end as usize, &inner);
                }
                _ => return Err(format!("its text is made of `{name}`")),
            }
            continue;
        };
        let kept = init.bindings.iter().find_map(|b| match (&b.target, &b.source) {
            (Target::Attribute(_, attribute), Source::Value(value))
                if matches!(&value.kind, ExprKind::Name(n) if *n == name) =>
            {
                Some(attribute)
            }
            _ => None,
        });
        let own = own.as_deref().unwrap_or("self");
        let is_placed = init.params[position + 1].kind == ParamKind::Plain;
        let is_asked = text[end as usize..].starts_with(['.', '[', '(']);
        let new = match kept {
            Some(kept) => format!("{own}.{kept}"),
            // A connection, whose number of changes is told.
            None if is_asked => return Err(format!("its text is made of what `{name}` has")),
            None if !is_placed => return Err(format!("its text is made of `{name}`")),
            None => format!("{own}.args[{position}]"),
        };
        text.replace_range(start as usize..end as usize, &new);
    }
    Ok(text)
}
