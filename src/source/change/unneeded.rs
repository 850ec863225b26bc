//! What the tasks do without of the object that is sent with them: `pool.map(self.measure, names)`.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::python_name::{is_word, places_of};
use crate::traceback::facts::Via;

use super::super::eval::{Eval, bindings_of};
use super::super::instance::Line;
use super::super::objects::PROCESS;
use super::super::sent::{Pickler, Sending};
use super::super::syntax::{Call, Def, Expr, ExprKind, Kind, Module, Name, Place, Source, Target};
use super::super::text::lists;
use super::super::value::{DefId, Value};
use super::super::walk::{Holder, Suspect};

/// Bases from outside that use no attribute of the program's.
const BASES: &str = "object abc.ABC typing.Generic typing.Protocol multiprocessing.Process";
/// Decorators that leave a method's object alone.
const DECORATORS: &str = "property setter staticmethod classmethod abstractmethod override";
/// Methods that see attributes which are not named.
const SEES_ALL: &[&str] = &["__getattr__", "__getattribute__", "__setattr__"];

/// The attributes and methods that tasks use of the object that is sent with them.
pub(super) struct Needs(BTreeSet<String>);

impl Needs {
    /// Returns whether no task uses an attribute.
    pub(super) fn lack(&self, name: &str) -> bool {
        !self.0.contains(name)
    }
}

/// Returns the attribute of the object that is sent with its method which leads to what cannot be sent: `writer` of
/// `job.writer.file`; what is directly on the object is its own.
pub(super) fn leads_to(eval: &Eval, suspect: &Suspect, sendings: &[Sending]) -> Option<Holder> {
    let own = suspect.holder.as_ref()?;
    let (root, rest) = suspect.path.split_once('.')?;
    let name = rest.split(['.', '[']).next()?;
    let mut found: Vec<Holder> = Vec::new();
    for sending in sendings {
        let task = eval.force(&sending.task.as_ref()?.value);
        for value in task.alternatives() {
            let of = match value {
                Value::Method(of, _) => (*of).clone(),
                other => other,
            };
            let Value::Instance(instance) = of else {
                return None;
            };
            let attribute = eval.attribute_named(&instance, name)?;
            found.push(Holder::of(instance.class, &attribute)?);
        }
    }
    let first = found.pop()?;
    let is_same = found.iter().all(|h| h.class == first.class);
    let is_name = root.chars().all(is_word) && !name.is_empty();
    if is_same && is_name && rest != name {
        return Some(first);
    }
    own.is_itself.then(|| own.clone())
}

/// Returns what the tasks use, if each of them is a method of the object whose attribute cannot be sent, and all
/// that they do with it can be read.
pub(super) fn needs(
    eval: &Eval,
    holder: &Holder,
    sendings: &[Sending],
    via: Option<Via>,
) -> Option<Needs> {
    if !matches!(via, Some(Via::Pool | Via::Executor | Via::Process)) {
        return None;
    }
    let mut tasks = BTreeSet::new();
    for sending in sendings {
        tasks.extend(tasks_of(eval, sending, holder)?);
    }
    let line = eval.line_of(holder.class);
    let is_known = |of: &Rc<str>| lists(BASES, of);
    let has = |name: &&&str| eval.method(&line, name).is_some();
    if tasks.is_empty()
        || line.is_open
        || !line.outside.iter().all(is_known)
        || SEES_ALL.iter().any(|name| has(&name))
        || is_held(eval, &line)
    {
        return None;
    }
    tasks.extend(told_by_name(eval, &line));
    used(eval, &line, tasks)
}

/// Returns the methods of the holder's class that a call sends as tasks; `None` if it may send anything else that
/// uses the object.
fn tasks_of(eval: &Eval, sending: &Sending, holder: &Holder) -> Option<Vec<String>> {
    if sending.pickler != Pickler::Plain {
        return None;
    }
    let is_it = |value: &Value| matches!(value, Value::Instance(other) if eval.line(other.class, &other.class_env).has(holder.class));
    let task = sending.task.as_ref()?;
    let mut names = Vec::new();
    for value in eval.force(&task.value).alternatives() {
        match &value {
            Value::Method(of, function) if is_it(of) => {
                let module = eval.project.module(function.id.module);
                names.push(module.defs[function.id.def].name.to_string());
            }
            Value::Instance(instance) if is_it(&value) => {
                let line = eval.line(instance.class, &instance.class_env);
                let runs = line.derives_from(PROCESS);
                names.push(if runs { "run" } else { "__call__" }.to_owned());
            }
            _ => return None,
        }
    }
    let mut others = sending.parts.iter().skip(1);
    let is_among = others.any(|part| {
        // `self.rows` and `range(len(self))` are sent without `self`.
        let bases = part.expr.walk().filter_map(|e| match &e.kind {
            ExprKind::Attribute(base, _) => Some(base.at),
            ExprKind::Call(call) if call.func.is_name("len") => Some(call.args.first()?.value.at),
            _ => None,
        });
        let bases: Vec<Place> = bases.collect();
        let all = part.expr.walk().filter(|e| !bases.contains(&e.at));
        let mut values = all.flat_map(|e| eval.eval(e, &part.env).alternatives());
        let given = eval.force(&part.value);
        let within = eval.element_of(&given).alternatives();
        let mut sent = given.alternatives().into_iter().chain(within);
        values.any(|value| is_it(&value)) || sent.any(|value| is_it(&value))
    });
    (!is_among).then_some(names)
}

/// Returns whether something else may keep an object of the class, and use it where it is sent along.
fn is_held(eval: &Eval, line: &Line) -> bool {
    let is_own = |value: &Value| matches!(value, Value::Instance(i) if line.has(i.class));
    let is_kept = eval.project.defs().any(|(id, module)| {
        let env = eval.scope(id);
        module.defs[id.def].bindings.iter().any(|b| {
            let is_part = !matches!(b.target, Target::Name(_));
            let given = b.source.given().filter(|_| is_part);
            given.is_some_and(|e| eval.eval(e, &env).may_be(is_own))
        })
    });
    is_kept
        || methods(eval, line).any(|(id, module)| {
            let def = &module.defs[id.def];
            let returned = |before: &str| before.trim_end().ends_with("return");
            let mut bare = bare(&module, def).into_iter();
            bare.any(|at| !returned(&module.text[..at]))
        })
}

/// Returns the methods of a class and of its bases in the program.
fn methods<'a>(
    eval: &'a Eval,
    line: &'a Line,
) -> impl Iterator<Item = (DefId, Rc<Module>)> + use<'a> {
    line.own.iter().flat_map(|(class, _)| {
        let module = eval.project.module(class.module);
        let own = module
            .methods(class.def)
            .map(|(number, _)| class.beside(number));
        let own: Vec<DefId> = own.collect();
        own.into_iter().map(move |id| (id, Rc::clone(&module)))
    })
}

/// Returns the name that a method has for its own object; `None` for a static one.
fn own_name(def: &Def) -> Option<&Name> {
    let is_static = def.decorators.iter().any(|d| d.is_name("staticmethod"));
    def.params.first().map(|p| &p.name).filter(|_| !is_static)
}

/// Returns where a method names its object as a whole: not for an attribute, and not as its parameter.
fn bare(module: &Module, def: &Def) -> Vec<usize> {
    let Some(own) = own_name(def) else {
        return Vec::new();
    };
    let start = def.head.start as usize;
    let text = module.code(def.head);
    let places = places_of(text, own).skip(1);
    let whole = places.filter(|at| !text[at + own.len()..].starts_with('.'));
    whole.map(|at| start + at).collect()
}

/// Returns the methods that the program speaks of without calling them: they may be tasks, or be called by others. A
/// thread's runs in the process that starts it.
fn told_by_name(eval: &Eval, line: &Line) -> Vec<String> {
    let mut found = Vec::new();
    for module in eval.project.modules() {
        for expr in module.defs.iter().flat_map(Def::exprs) {
            let of_thread = |call: &Rc<Call>| {
                let func = call.func.last_name();
                let runs = func.is_some_and(|n| matches!(&**n, "Thread" | "Timer"));
                let args = call.args.iter().filter(|_| runs);
                args.map(|a| a.value.at).collect::<Vec<_>>()
            };
            let called = expr.calls().map(|call| call.func.at);
            let called: Vec<_> = called.chain(expr.calls().flat_map(of_thread)).collect();
            for part in expr.walk().filter(|e| !called.contains(&e.at)) {
                if let Some((_, name)) = part.attribute()
                    && let Some(method) = eval.method(line, name)
                {
                    let of = eval.project.module(method.id.module);
                    let decorators = &of.defs[method.id.def].decorators;
                    let is_read = decorators.iter().any(|d| {
                        d.is_name("property") || d.last_name().is_some_and(|n| &**n == "setter")
                    });
                    found.extend((!is_read).then(|| name.to_string()));
                }
            }
        }
    }
    found
}

/// Returns what methods use, and those that they call; `None` where that cannot be read.
fn used(eval: &Eval, line: &Line, tasks: BTreeSet<String>) -> Option<Needs> {
    let mut all = tasks.clone();
    let mut left: Vec<String> = tasks.into_iter().collect();
    while let Some(name) = left.pop() {
        for (class, _) in &line.own {
            let module = eval.project.module(class.module);
            for binding in bindings_of(&module.defs[class.def], &name) {
                let def = match &binding.source {
                    Source::Def(def) => &module.defs[*def],
                    Source::Value(value) if matches!(value.kind, ExprKind::Constant) => continue,
                    Source::Value(value) if matches!(value.kind, ExprKind::Text(_)) => continue,
                    Source::Nothing => continue,
                    _ => return None,
                };
                for next in named_in(&module, def)? {
                    if all.insert(next.clone()) {
                        left.push(next);
                    }
                }
            }
        }
    }
    Some(Needs(all))
}

/// Returns what a method names of its object; `None` if it may use more than that.
fn named_in(module: &Module, def: &Def) -> Option<Vec<String>> {
    let is_plain = |d: &Rc<Expr>| d.last_name().is_some_and(|n| lists(DECORATORS, n));
    if def.kind != Kind::Function
        || !def.decorators.iter().all(is_plain)
        || !bare(module, def).is_empty()
    {
        return None;
    }
    let text = module.code(def.head);
    let own = own_name(def).map_or("", |own| &**own);
    let mut found = Vec::new();
    for of in [own, "super()"].into_iter().filter(|of| !of.is_empty()) {
        for (at, _) in text.match_indices(&format!("{of}.")) {
            if text[..at].ends_with(is_word) {
                continue;
            }
            let rest = &text[at + of.len() + 1..];
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let name = &rest[..end];
            // `self.__dict__`
            let is_special = name.starts_with("__") && name.ends_with("__");
            if name.is_empty() || is_special && name != "__class__" {
                return None;
            }
            found.push(name.to_owned());
        }
    }
    let others = text.replace("super().", "");
    (!others.contains("super(")).then_some(found)
}
