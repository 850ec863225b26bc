//! A list or dict that a pool's tasks alone add to: what they return instead, the parent adds.

use crate::object::Edit;

use super::super::change::{POOLS, Plan};
use super::super::eval::Eval;
use super::super::only::only;
use super::super::project::ModuleId;
use super::super::syntax::{
    Arg, Binding, Def, Expr, ExprKind, Module, Name, Place, Statement, StatementKind, Target,
};
use super::super::text::{above, after, free_name, indent_at, lines_of, lists, unit};
use super::super::value::{DefId, Made, Value};
use super::alone::Workers;
use super::unset::is_local;

/// The list or dict: a global of this scope, or an attribute, which counts on whatever object it is.
pub(super) struct List<'n> {
    pub(super) owner: DefId,
    pub(super) name: &'n Name,
    pub(super) is_attribute: bool,
}

impl List<'_> {
    /// Returns whether an expression of a function is it, by its name alone.
    fn is(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => !self.is_attribute && name == self.name,
            ExprKind::Attribute(_, name) => self.is_attribute && name == self.name,
            _ => false,
        }
    }
}

/// The statement that gives a pool a function's tasks: all at once, or one in each round of a loop.
struct Sent {
    at: Place,
    /// The loop, and the method that fetches the result of one task.
    rounds: Option<(Place, &'static str)>,
    /// The scope that it is in.
    def: usize,
    /// What the function is a method of, as it is written there.
    of: Option<String>,
}

/// Lets a task return what its last line adds to a list or dict, a global of its module or an attribute of its object,
/// and the parent add what the pool brings back; `None` where the task does more with the list, or is sent in another way.
pub(super) fn collected(eval: &Eval, list: &List, (by, at): (DefId, Place)) -> Option<Plan> {
    let module = eval.project.module(by.module);
    let task = &module.defs[by.def];
    let added = added(&module, task, list, at)?;
    let sent = sent(eval, by)?;
    if is_read_in_workers(eval, list, by) {
        return None;
    }
    let name = list.name;
    let path = match &sent.of {
        Some(of) if list.is_attribute => format!("{of}.{name}"),
        None if list.owner == DefId::top(by.module) && !is_local(&module, sent.def, name) => {
            name.to_string()
        }
        _ => return None,
    };
    if added.value.contains('\n') {
        return None;
    }
    let change = Collecting {
        module: &module,
        id: by.module,
        task: &task.name,
        path,
        added,
        at,
        sent: sent.at,
    };
    match sent.rounds {
        None => Some(change.at_once()),
        Some((rounds, get)) => change.in_rounds(rounds, get),
    }
}

/// The change: the task returns what it adds, and the parent adds that.
struct Collecting<'m> {
    module: &'m Module,
    id: ModuleId,
    /// The task's name.
    task: &'m Name,
    /// The list or dict, as it is written where the tasks are sent.
    path: String,
    added: Added,
    /// The statement that adds.
    at: Place,
    /// The call that sends the tasks.
    sent: Place,
}

impl Collecting<'_> {
    /// The parent adds what one call of the pool brings back.
    fn at_once(&self) -> Plan {
        let (path, method) = (&self.path, self.added.method);
        let call = self.module.slice(self.sent);
        let (one, unit) = (free_name(self.module, "part"), self.unit());
        let brought = |indent: &str| {
            if self.added.is_each {
                format!("for {one} in {call}:\n{indent}{unit}{path}.{method}({one})")
            } else {
                format!("{path}.{method}({call})")
            }
        };
        let indent = indent_at(self.module, self.sent.start);
        let edits = vec![self.returned(), Edit::replace(self.sent, brought(&indent))];
        let task = self.task;
        let text =
            format!("Return it from `{task}`, and add to `{path}` what the pool brings back:");
        let code = format!("{}\n\n{}", self.return_line(), brought(""));
        Plan::new(self.id, text, code, edits)
    }

    /// The parent keeps each round's task, and adds what it fetches by this method below the loop.
    fn in_rounds(&self, rounds: Place, get: &str) -> Option<Plan> {
        let (path, method, module) = (&self.path, self.added.method, self.module);
        let call = module.slice(self.sent);
        let tasks = free_name(module, "tasks");
        let (begin, keep) = (format!("{tasks} = []"), format!("{tasks}.append({call})"));
        let fetch = if self.added.is_each {
            let (one, unit) = (free_name(module, "task"), self.unit());
            vec![
                format!("for {one} in {tasks}:"),
                format!("{unit}{path}.{method}({one}.{get}())"),
            ]
        } else {
            vec![format!("{path}.{method}(task.{get}() for task in {tasks})")]
        };
        let indent = indent_at(module, rounds.start);
        let edits = vec![
            self.returned(),
            above(module, rounds.start, &[&begin])?,
            Edit::replace(self.sent, keep.clone()),
            after(module, rounds.end as usize, &indent, &fetch),
        ];
        let head = module.first_line(rounds);
        let code = format!("{begin}\n{head}\n    {keep}\n{}", fetch.join("\n"));
        let (task, was) = (self.task, module.slice(self.at));
        let (text, code) = if self.added.is_returned {
            let text =
                format!("`{task}` returns it: leave `{was}` out, and fetch it below the loop:");
            (text, code)
        } else {
            let text = format!("Return it from `{task}`, and fetch it below the loop:");
            (text, format!("{}\n\n{code}", self.return_line()))
        };
        Some(Plan::new(self.id, text, code, edits))
    }

    /// One step of indentation, as the module has it.
    fn unit(&self) -> String {
        unit(self.module, &self.module.defs[0])
    }

    /// Lets the task return it.
    fn returned(&self) -> Edit {
        if self.added.is_returned {
            Edit::replace(lines_of(self.module, self.at), "")
        } else {
            Edit::replace(self.at, format!("return {}", self.added.value))
        }
    }

    fn return_line(&self) -> String {
        let (value, was) = (&self.added.value, self.module.slice(self.at));
        format!("return {value}  # was: {was}")
    }
}

/// Returns whether another function that workers run mentions the list: there it would stay empty.
fn is_read_in_workers(eval: &Eval, list: &List, task: DefId) -> bool {
    let workers = Workers::of(eval, list.is_attribute.then_some(list.owner));
    eval.project.defs().any(|(id, module)| {
        let mentions = || {
            let mut all = module.defs[id.def].walk();
            all.any(|e| list.is(e))
        };
        id != task && workers.has(eval, id) && mentions()
    })
}

/// What gives an iterator or a view, which cannot be sent.
const LAZY: &str =
    "map filter zip enumerate reversed iter open items keys values finditer iterdir glob";

/// Returns whether a value can stand behind `return`, and be sent: no `a := b`, function or generator.
fn is_returned(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Named(_) | ExprKind::Lambda(_) | ExprKind::Starred(_) => false,
        ExprKind::Comprehension(of) => !of.is_generator,
        ExprKind::Call(call) => call.func.last_name().is_none_or(|n| !lists(LAZY, n)),
        _ => true,
    }
}

/// Returns whether a function sets a global or attribute in other places than this one: these would stay in the worker.
pub(super) fn sets_more(task: &Def, at: Place) -> bool {
    let is_set = |b: &Binding| match &b.target {
        Target::Attribute(..) => true,
        Target::Content(of, _) => matches!(of.kind, ExprKind::Attribute(..)),
        Target::Name(_) => false,
    };
    let mut others = task.bindings.iter().filter(|b| b.at != at);
    !task.globals.is_empty() || others.any(is_set)
}

/// What a task adds to a list or dict.
struct Added {
    value: String,
    /// The method that adds what the tasks bring back.
    method: &'static str,
    /// Whether it is called for each of them: they are lists or dicts in turn.
    is_each: bool,
    /// Whether a `return` of the same stands below.
    is_returned: bool,
}

/// Returns what a function adds to the list or dict in its last line, if that is all that it does with it.
fn added(module: &Module, task: &Def, list: &List, at: Place) -> Option<Added> {
    let mut own = task.statements.as_slice();
    let returned = match own {
        [rest @ .., last] if last.kind == StatementKind::Return && last.at.start > at.end => {
            own = rest;
            Some(module.slice(last.exprs.first()?.at))
        }
        _ => None,
    };
    let (first, last) = (own.first()?, own.last()?);
    // A bare `return` too: what the task skips would come back as `None`.
    let is_plain = own.iter().all(|s| s.kind != StatementKind::Return)
        && task.yields.is_empty()
        && task.decorators.is_empty()
        && !sets_more(task, at)
        && !task.is_async;
    let is_last = last.at == at && last.suite == first.suite;
    let inner = module.within(task.at).flat_map(Def::walk);
    let mentions = inner.filter(|e| list.is(e));
    if !is_plain || !is_last || mentions.count() != 1 {
        return None;
    }
    // `log.rows` of `self.log` would be another object's.
    let own = task.params.first().map(|p| &p.name);
    let is_own = |e: &Expr| match &e.kind {
        ExprKind::Attribute(base, _) => own.is_some_and(|own| base.is_name(own)),
        _ => true,
    };
    let is_it = |e: &Expr| list.is(e) && is_own(e);
    match (last.kind, last.exprs.as_slice()) {
        (StatementKind::Expr, [expr]) => {
            let call = expr.call()?;
            let (of, method) = call.method()?;
            let value = only(&call.args)?;
            let is_plain = value.label.is_none() && value.stars == 0 && is_returned(&value.value);
            let text = module.slice(value.value.at);
            let is_same = returned.is_none_or(|r| r == text && value.value.dotted().is_some());
            let (method, is_each) = match &**method {
                "append" => ("extend", false),
                "add" => ("update", false),
                "extend" => ("extend", true),
                "update" => ("update", true),
                _ => return None,
            };
            (is_it(of) && is_plain && is_same).then(|| Added {
                value: text.to_owned(),
                method,
                is_each,
                is_returned: returned.is_some(),
            })
        }
        // `sizes[name] = size`
        (StatementKind::Assign, [target, value]) if returned.is_none() => {
            let ExprKind::Subscript(of, key) = &target.kind else {
                return None;
            };
            let text = module.slice(value.at);
            // `found[n] = n, 2`, `found[n] = (n, 2), 3`
            let is_bare = matches!(value.kind, ExprKind::Items(_))
                && text.find([')', ']', '}']) != Some(text.len() - 1);
            // `found[n, 1]` has no place of its key alone.
            let is_set = key.at != target.at && module.slice(at).contains("] = ");
            let is_added = is_set && !is_bare && is_it(of) && is_returned(value);
            is_added.then(|| Added {
                value: format!("{}, {text}", module.slice(key.at)),
                method: "update",
                is_each: false,
                is_returned: false,
            })
        }
        _ => None,
    }
}

/// Returns the one statement that gives a pool a function's tasks, in the function's own module.
fn sent(eval: &Eval, task: DefId) -> Option<Sent> {
    let module = eval.project.module(task.module);
    let name = &module.defs[task.def].name;
    let is_it = |e: &Expr| e.last_name() == Some(name);
    let mentions = |m: &Module| {
        let all = m.exprs();
        all.filter(|e| is_it(e)).count()
    };
    let all = eval.project.modules();
    if all.iter().map(|m| mentions(m)).sum::<usize>() != 1 {
        return None;
    }
    module.defs().find_map(|(number, def)| {
        let env = eval.scope(task.beside(number));
        def.statements.iter().find_map(|s| {
            let expr = s.exprs.first().filter(|_| s.kind == StatementKind::Expr)?;
            let call = expr.call()?;
            let is_given = |a: &Arg| a.label.is_none() && is_it(&a.value);
            let given = call.args.first().filter(|a| is_given(a))?;
            let made = eval.made(call, &env)?;
            let mut methods = POOLS.iter().filter_map(|pool| made.of.strip_prefix(pool));
            let get = match methods.next()? {
                "map" | "starmap" => None,
                "apply_async" => Some("get"),
                "submit" => Some("result"),
                _ => return None,
            };
            let rounds = match get {
                Some(get) => Some((rounds(def, s, &made)?, get)),
                None => None,
            };
            Some(Sent {
                at: expr.at,
                rounds,
                def: number,
                of: match &given.value.kind {
                    ExprKind::Attribute(of, _) => Some(of.dotted()?),
                    _ => None,
                },
            })
        })
    })
}

/// Returns the one loop that a statement is in, whose rounds share a pool; no callback of a task is to be missed.
fn rounds(def: &Def, statement: &Statement, made: &Made) -> Option<Place> {
    let loops = def.loops(statement.at);
    let around = only(loops)?;
    let is_within =
        |pool: &Value| matches!(pool, Value::Made(pool) if around.at.holds(pool.call.at));
    let is_callback = |a: &Arg| a.label.as_ref().is_some_and(|l| l.ends_with("callback"));
    let has_callback = made.call.args.iter().any(is_callback);
    (!has_callback && !made.from.as_deref().is_some_and(is_within)).then_some(around.at)
}
