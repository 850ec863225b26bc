//! Threads that an object has of its own, which no copy of it has in another process.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::super::effects::changes;
use super::super::eval::Eval;
use super::super::instance::Line;
use super::super::syntax::{Call, Def, ExprKind, Module, Name, Target};
use super::super::text::lists;
use super::super::value::{Attribute, Instance, Value};
use super::super::walk::Holder;
use super::renewed::is_thread;

/// How far calls of the object's methods are followed.
const MAX_CALLS: usize = 3;
/// What may be another one on each side, as long as it guards nothing else that both use.
const GUARDS: &str =
    "threading.Lock threading.RLock threading.Semaphore threading.BoundedSemaphore";
/// What changes without being set again.
const LIVE: &[&str] = &["queue.", "collections.", "threading."];

/// Returns an error if an attribute is a thread that works on what other methods use as well.
pub(super) fn counts_on(
    eval: &Eval,
    instance: &Rc<Instance>,
    attribute: &Attribute,
) -> Result<(), String> {
    let line = eval.line(instance.class, &instance.class_env);
    for (later, setting) in attribute.values.iter().zip(&attribute.set) {
        for value in eval.force(later).alternatives() {
            let module = eval.project.module(setting.module);
            let method = &module.defs[setting.method];
            let Some(call) = started(eval, &value, &module, method, &attribute.name) else {
                continue;
            };
            let Some(own) = method.params.first().map(|p| &p.name) else {
                continue;
            };
            let work = Work::of(eval, &line, &module, own, &call);
            if let Some((user, name)) = user_of(eval, instance, (&line, method), attribute, &work) {
                return Err(format!(
                    "no thread would work on `{name}` there, and `{user}` uses it"
                ));
            }
        }
    }
    Ok(())
}

/// Returns an error if threads of the object itself are among those that one of its attributes tells something.
pub(super) fn waits(eval: &Eval, holder: &Holder) -> Result<(), String> {
    let instance = eval.instance(holder.class);
    let attributes = eval.attributes(&instance);
    attributes
        .iter()
        .try_for_each(|a| counts_on(eval, &instance, a))
}

/// Returns the call that makes a thread which the program starts.
fn started(
    eval: &Eval,
    value: &Value,
    module: &Module,
    method: &Def,
    name: &Name,
) -> Option<Rc<Call>> {
    let call = match value {
        Value::Made(made) if made.of.starts_with("threading.T") => Rc::clone(&made.call),
        Value::Instance(thread) if is_thread(eval, thread) => Rc::clone(&thread.made.as_ref()?.0),
        _ => return None,
    };
    let start = format!(".{name}.start(");
    let is_started = eval.project.says(&start) || module.code(method.at).contains(".start()");
    is_started.then_some(call)
}

/// What a thread or a task does with the attributes of an object.
#[derive(Default)]
struct Work {
    /// Those that it uses, and the methods that it calls.
    uses: BTreeSet<Name>,
    /// Those of them that it sets or changes.
    changes: BTreeSet<Name>,
}

impl Work {
    /// Returns what a thread does by the call that makes it: its arguments, and the methods among them.
    fn of(eval: &Eval, line: &Line, module: &Module, own: &Name, call: &Rc<Call>) -> Self {
        let mut work = Self::default();
        for arg in call.args.iter().flat_map(|a| a.value.walk()) {
            match &arg.kind {
                ExprKind::Attribute(base, name) if base.is_name(own) => {
                    work.add(eval, line, name, 0);
                }
                ExprKind::Lambda(at) => {
                    work.add_function(eval, line, module, (&module.defs[*at], own), 0);
                }
                _ => {}
            }
        }
        work
    }

    /// Adds an attribute, and where it is a method what that does.
    fn add(&mut self, eval: &Eval, line: &Line, name: &Name, depth: usize) {
        if !self.uses.insert(Rc::clone(name)) || depth > MAX_CALLS {
            return;
        }
        let Some(method) = eval.method(line, name) else {
            return;
        };
        let module = eval.project.module(method.id.module);
        let def = &module.defs[method.id.def];
        if let Some(own) = def.params.first() {
            self.add_function(eval, line, &module, (def, &own.name), depth);
        }
    }

    fn add_function(
        &mut self,
        eval: &Eval,
        line: &Line,
        module: &Module,
        (def, own): (&Def, &Name),
        depth: usize,
    ) {
        let text = module.code(def.at);
        for inner in module.within(def.at) {
            self.changes.extend(set(inner, own));
            for name in used(inner, own) {
                if changes(text, &format!(".{name}")) {
                    self.changes.insert(Rc::clone(&name));
                }
                self.add(eval, line, &name, depth + 1);
            }
        }
    }
}

/// Returns the attributes of the object that a function uses or sets.
fn used(def: &Def, own: &Name) -> Vec<Name> {
    let read = def.exprs().flat_map(|e| e.attributes_of(own));
    let read = read.map(|(name, _)| Rc::clone(name));
    read.chain(set(def, own)).collect()
}

/// Returns those that it sets, or something in them.
fn set(def: &Def, own: &Name) -> Vec<Name> {
    let set = def.bindings.iter().filter_map(|b| match &b.target {
        Target::Content(of, _) => of.attribute(),
        _ => b.attribute(),
    });
    let own = set.filter(|(base, _)| base.is_name(own));
    own.map(|(_, name)| Rc::clone(name)).collect()
}

/// Returns a method that uses something which the thread works on, and which changes.
fn user_of(
    eval: &Eval,
    instance: &Rc<Instance>,
    (line, making): (&Line, &Def),
    thread: &Attribute,
    work: &Work,
) -> Option<(Name, Name)> {
    let attributes = eval.attributes(instance);
    let others = attributes.iter().filter(|a| a.name != thread.name);
    let is_changed = |a: &Attribute| {
        work.changes.contains(&a.name) || work.uses.contains(&a.name) && is_live(eval, a)
    };
    let changed: Vec<&Attribute> = others.filter(|a| is_changed(a)).collect();
    line.own.iter().find_map(|(class, _)| {
        let module = eval.project.module(class.module);
        let methods = module.methods(class.def).map(|(_, d)| d);
        let mut others = methods.filter(|d| {
            let text = module.code(d.at);
            // What ends the thread is for the process that has it.
            let ends = text.contains(".join(") && text.contains(&*thread.name);
            d.at != making.at && !d.name.starts_with("__") && !work.uses.contains(&d.name) && !ends
        });
        others.find_map(|def| {
            let own = &def.params.first()?.name;
            let all: Vec<Name> = module.within(def.at).flat_map(|d| used(d, own)).collect();
            let text = module.code(def.at);
            let only_tells = |a: &Attribute| {
                let told = format!(".{}.set()", a.name);
                text.matches(&format!(".{}", a.name)).count() == text.matches(&told).count()
            };
            let mut shared = changed.iter().filter(|a| all.contains(&a.name));
            let found = shared.find(|a| !only_tells(a))?;
            Some((Rc::clone(&def.name), Rc::clone(&found.name)))
        })
    })
}

/// Returns whether something may change without being set: a queue, an event, an object of the program.
fn is_live(eval: &Eval, attribute: &Attribute) -> bool {
    let is_live = |value: &Value| match value {
        Value::Made(made) => {
            !lists(GUARDS, &made.of) && LIVE.iter().any(|l| made.of.starts_with(l))
        }
        Value::Instance(_) => true,
        _ => false,
    };
    eval.values(attribute).iter().any(is_live)
}
