//! Subclasses of Python's containers, which pickle makes by a call and fills itself.

use std::rc::Rc;

use super::super::eval::Eval;
use super::super::syntax::{Name, ParamKind};
use super::super::text::lists;
use super::super::value::Instance;
use super::left::Left;

/// Returns the call by which pickle makes an object of a container's subclass, if its `__init__` wants something
/// else.
/// Source: `__reduce__` of `OrderedDict`, `defaultdict`, `deque`, `set` and `Counter`.
pub(super) fn made_by_call(eval: &Eval, instance: &Instance) -> Option<String> {
    const MADE: &str = "OrderedDict defaultdict deque Counter set frozenset";
    const ITEMS: &str = "items iterable values data default_factory factory";
    let line = eval.line(instance.class, &instance.class_env);
    let names = line.outside.iter();
    let mut names = names.filter_map(|o| o.trim_end_matches("()").rsplit('.').next());
    let given = usize::from(names.find(|name| lists(MADE, name))? != "OrderedDict");
    let init = eval.method(&line, "__init__")?;
    let module = eval.project.module(init.id.module);
    let params = module.defs[init.id.def].params.get(1..)?;
    let wanted = params.iter().filter(|p| {
        p.default.is_none() && matches!(p.kind, ParamKind::Plain | ParamKind::KeywordOnly)
    });
    let takes = given == 0
        || params.first().is_some_and(|p| {
            p.kind == ParamKind::Rest || p.kind == ParamKind::Plain && lists(ITEMS, &p.name)
        });
    let class = &eval.project.module(instance.class.module).defs[instance.class.def].name;
    let args = if given == 0 { "" } else { "…" };
    (wanted.count() > given || !takes).then(|| format!("{class}({args})"))
}

/// Returns the method by which pickle fills a dict or list again, before it sets the attributes, if the
/// class has one of its own that uses what is left out.
/// Source: `load_setitems` and `load_appends` in `Lib/pickle.py`.
pub(super) fn fills_first(eval: &Eval, instance: &Instance, left: &[Left]) -> Option<Name> {
    const FILLS: &[&str] = &["__setitem__", "append", "extend"];
    const FILLED: &str = "dict list OrderedDict defaultdict Counter deque";
    let line = eval.line(instance.class, &instance.class_env);
    let is_filled = |base: &Rc<str>| {
        let name = base.rsplit('.').next().unwrap_or(base);
        lists(FILLED, name.trim_end_matches("()"))
    };
    if !line.outside.iter().any(is_filled) {
        return None;
    }
    line.own.iter().find_map(|(id, _)| {
        let module = eval.project.module(id.module);
        let mut methods = module.defs().filter(|(_, d)| d.parent == id.def);
        methods.find_map(|(_, d)| {
            let text = module.code(d.at);
            let uses = left
                .iter()
                .any(|l| text.contains(&format!("self.{}", l.name)));
            (FILLS.contains(&&*d.name) && uses).then(|| Rc::clone(&d.name))
        })
    })
}
