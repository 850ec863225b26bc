//! A dict or list that workers alone fill: each fills a copy of its own, and the parent finds it empty.

use std::rc::Rc;

use crate::object::Edit;

use super::super::answer::Found;
use super::super::asked::Lack;
use super::super::change::{Plan, Planned, is_made_once, params, sent};
use super::super::effects::CHANGES;
use super::super::eval::{Eval, binds, only_binding};
use super::super::project::Frames;
use super::super::syntax::{
    Arg, Binding, Call, Expr, ExprKind, Kind, Module, Name, Place, Source, Target,
};
use super::super::text::{imported, lists};
use super::super::value::{DefId, Env, Value};
use super::alone::{Workers, brought_back, is_dynamic};
use super::collected::{List, collected, sets_more};
use super::filled::{asked, measures, origin};
use super::ran::place_of;
use super::set_there::is_made_there;

/// Values that are empty, as they are written.
const EMPTY: &str = "{} [] dict() list() set() Counter() collections.Counter()";
/// Functions that read what they are given and keep none of it, beside those that measure it.
const READERS: &str = "sum sorted print list dict set tuple enumerate str repr any all isinstance \
                       Counter json.dump json.dumps np.array numpy.array np.sum np.mean np.any np.all np.max np.min pd.DataFrame";
/// Those that give the same whichever item came first.
const ORDERLESS: [&str; 8] = ["len", "max", "min", "sum", "sorted", "set", "any", "all"];
/// A dict or list: the scope that makes it, and its name there.
#[derive(PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) owner: DefId,
    pub(super) name: Name,
    /// Whether it is an attribute, which counts on whatever object it is.
    is_attribute: bool,
}

impl Kept {
    fn of_name(owner: DefId, name: Name) -> Self {
        Self {
            owner,
            name,
            is_attribute: false,
        }
    }

    /// Returns whether an expression of a scope is it.
    fn is(&self, eval: &Eval, at: DefId, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => {
                !self.is_attribute && kept(eval, at, name).as_ref() == Some(self)
            }
            ExprKind::Attribute(_, name) => self.is_attribute && *name == self.name,
            _ => false,
        }
    }
}

/// A function in another process, and its parameter that is given the dict or list.
pub(super) type Given = (DefId, Name);

/// A place that fills it.
pub(super) struct Filling {
    pub(super) by: DefId,
    pub(super) at: Place,
    /// Whether something is set within an item.
    pub(super) is_within: bool,
    /// Whether an item of it is set, and nothing within an item.
    is_plain: bool,
}

/// Finds the place in a worker that fills the dict or list in which the parent's innermost line misses an
/// item, if nothing in the parent does.
pub(in super::super) fn stayed(eval: &Eval, frames: &Frames, lack: &Lack) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let base = asked(&module, &stop.statement, lack)?;
    let is_empty =
        |text: &str| lists(EMPTY, text) || text.contains("defaultdict(") && !text.contains(',');
    kept_there(eval, &eval.env_of(&stop, base.at), base, &is_empty)
}

/// Finds the place in a worker that fills the slots of a list, which are `None` in the parent.
pub(super) fn slots(eval: &Eval, env: &Env, list: &Expr) -> Option<Found> {
    kept_there(eval, env, list, &|text: &str| is_slots(text))
}

fn is_slots(text: &str) -> bool {
    text.starts_with("[None] * ") || text.starts_with("[None for ")
}

/// Finds the place in a worker that fills a dict or list which is made like this, if nothing in the parent does.
pub(super) fn kept_there(
    eval: &Eval,
    env: &Env,
    base: &Expr,
    is_made: &dyn Fn(&str) -> bool,
) -> Option<Found> {
    let module = eval.project.module(env.at.module);
    let (kept, made, class) = match &base.kind {
        ExprKind::Name(name) => {
            let kept = kept(eval, env.at, name)?;
            let owner = eval.project.module(kept.owner.module);
            let binding = only_binding(&owner.defs[kept.owner.def], &kept.name)?;
            let made = binding.source.given()?.at;
            (kept, made, None)
        }
        ExprKind::Attribute(of, name) => attribute(eval, &eval.eval(of, env), name)?,
        _ => return None,
    };
    let owner = eval.project.module(kept.owner.module);
    if !is_made(owner.slice(made)) || is_bound_elsewhere(eval, &kept) {
        return None;
    }
    let given = given(eval, &kept)?;
    let fills = fills(eval, &kept, &given);
    let workers = Workers::of(eval, class);
    let first = fills.first()?;
    // Of an object that a worker makes itself, it is another one.
    let of_object = class.filter(|class| kept.is_attribute && kept.owner != *class);
    if of_object.is_some_and(|class| is_made_there(eval, &workers, class)) {
        return None;
    }
    if eval.project.is_cut.get() || !fills.iter().all(|f| workers.run_alone(eval, f.by)) {
        return None;
    }
    Some(Found::certain(
        module.slice(base.at).to_owned(),
        format!("filled {}", place_of(eval, first.by)),
        (first.by.module, first.at),
        managed(eval, &kept, (made, class), &fills),
    ))
}

/// Finds the scope that makes what a name stands for; `None` for a parameter.
pub(super) fn kept(eval: &Eval, at: DefId, name: &Name) -> Option<Kept> {
    let module = eval.project.module(at.module);
    let mut def = at.def;
    loop {
        let own = &module.defs[def];
        if own.kind == Kind::Module {
            let (of, name) = origin(eval, at.module, name, 0)?;
            return Some(Kept::of_name(of, name));
        }
        let is_global = own.declares(name);
        if own.kind != Kind::Class && !is_global && binds(own, name) {
            let is_param = own.has_param(name);
            return (!is_param).then(|| Kept::of_name(at.beside(def), Rc::clone(name)));
        }
        def = if is_global { 0 } else { own.parent };
    }
}

/// Finds the attribute of an object or class that is set in one place: with what it is set to, and the class.
fn attribute(eval: &Eval, of: &Value, name: &Name) -> Option<(Kept, Place, Option<DefId>)> {
    if let Value::Class(class, _) = of {
        let module = eval.project.module(class.module);
        let bound = only_binding(&module.defs[class.def], name)?
            .source
            .given()?;
        let kept = Kept {
            is_attribute: true,
            ..Kept::of_name(*class, Rc::clone(name))
        };
        return Some((kept, bound.at, Some(*class)));
    }
    let instance = of.instance()?;
    let attributes = eval.attributes(&instance);
    let [setting] = attributes.iter().find(|a| a.name == *name)?.set.as_slice() else {
        return None;
    };
    let kept = Kept {
        owner: DefId::new(setting.module, setting.method),
        name: Rc::clone(name),
        is_attribute: true,
    };
    Some((kept, setting.value?, Some(instance.class)))
}

/// Returns whether another function may give the name another value.
fn is_bound_elsewhere(eval: &Eval, kept: &Kept) -> bool {
    if kept.is_attribute {
        let all = eval.project.modules();
        let bound = all.iter().flat_map(|m| m.bindings());
        let owner = eval.project.module(kept.owner.module);
        let own = usize::from(owner.defs[kept.owner.def].kind != Kind::Class);
        return bound
            .filter(|b| b.sets_attribute(&kept.name))
            .nth(own)
            .is_some()
            || is_dynamic(eval);
    }
    let module = eval.project.module(kept.owner.module);
    module.has_global(&kept.name) || module.code.contains("nonlocal ")
}

/// Returns the functions in other processes that are given it; `None` where something else may fill it.
pub(super) fn given(eval: &Eval, kept: &Kept) -> Option<Vec<Given>> {
    let mut found = Vec::new();
    let mut is_known = true;
    for (at, module) in eval.project.defs() {
        let is_it = |e: &Expr| kept.is(eval, at, e);
        let def = &module.defs[at.def];
        // Who is given an attribute may fill it.
        let gives = |e: &Rc<Expr>| match &e.kind {
            ExprKind::Items(parts) => parts.iter().any(|part| is_it(part)),
            _ => is_it(e),
        };
        is_known &= !kept.is_attribute || !def.returns.iter().any(gives);
        // `rows = results`
        let is_other_name = |b: &Binding| b.source.given().is_some_and(|e| is_it(e));
        is_known &= !def.bindings.iter().any(is_other_name);
        let all: Vec<&Rc<Expr>> = def.walk().collect();
        let calls: Vec<&Rc<Call>> = def.calls().collect();
        // `callback=results.append`
        let is_called = |e: &Rc<Expr>| calls.iter().any(|c| c.func.at == e.at);
        is_known &= !all.iter().any(|e| {
            e.attribute()
                .is_some_and(|(of, method)| is_it(of) && lists(CHANGES, method) && !is_called(e))
        });
        for call in calls {
            let has_it = |a: &Arg| a.value.walk().any(|e| is_it(e));
            let within = |a: &Arg| a.value.calls().any(|c| c.args.iter().any(has_it));
            if !call.args.iter().any(|a| has_it(a) && !within(a)) {
                continue;
            }
            match sent(eval, at, call) {
                Some((task, args)) => found.extend(params(eval, task, &args, &is_it)),
                None => is_known &= is_reader(&call.func) || takes_items_alone(call, &is_it),
            }
        }
    }
    is_known.then_some(found)
}

/// Returns whether a function reads what it is given and keeps none of it, or sends it.
fn is_reader(func: &Expr) -> bool {
    let name = func.dotted().unwrap_or_default();
    let is_one = |last: &Name| measures(last) || matches!(&**last, "send" | "put");
    func.last_name().is_some_and(is_one) || lists(READERS, &name)
}

/// Returns whether a call is given items of it, or their number, but not the dict or list: `print(results[3])`.
fn takes_items_alone(call: &Call, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    fn has_whole(e: &Rc<Expr>, is_it: &dyn Fn(&Expr) -> bool) -> bool {
        match &e.kind {
            ExprKind::Subscript(base, key) if is_it(base) => has_whole(key, is_it),
            ExprKind::Attribute(base, _) if is_it(base) => false,
            ExprKind::Data(_) => false,
            _ => is_it(e) || e.parts().into_iter().any(|part| has_whole(part, is_it)),
        }
    }
    !call.args.iter().any(|a| has_whole(&a.value, is_it))
}

/// Returns the places of the program that fill it.
pub(super) fn fills(eval: &Eval, kept: &Kept, given: &[Given]) -> Vec<Filling> {
    let mut found = Vec::new();
    for (by, module) in eval.project.defs() {
        for binding in &module.defs[by.def].bindings {
            let Target::Content(base, _) = &binding.target else {
                continue;
            };
            let (root, keys) = base.subscripted();
            let is_given = given
                .iter()
                .any(|(task, param)| *task == by && root.is_name(param));
            if is_given || kept.is(eval, by, root) {
                let text = module.slice(binding.at);
                found.push(Filling {
                    by,
                    at: binding.at,
                    is_within: !keys.is_empty(),
                    is_plain: keys.is_empty() && text.contains("] = "),
                });
            }
        }
    }
    found
}

/// Lets a manager hold it.
fn managed(
    eval: &Eval,
    kept: &Kept,
    (made, class): (Place, Option<DefId>),
    fills: &[Filling],
) -> Planned {
    let module = eval.project.module(kept.owner.module);
    let def = &module.defs[kept.owner.def];
    // Where others import the module, each would start a manager.
    let is_imported = def.kind != Kind::Function && !module.is_guarded(made);
    // A list would be filled in any order, and an item that is changed in place is a copy, too.
    let text = module.slice(made);
    let is_slots = is_slots(text);
    let is_keyed = is_slots || matches!(text, "{}" | "dict()");
    let is_alone = |f: &Filling| {
        let own = eval.project.module(f.by.module);
        f.is_plain && !sets_more(&own.defs[f.by.def], f.at)
    };
    let is_held = !is_imported && is_keyed && fills.iter().all(is_alone);
    let modules = eval.project.modules();
    let is_read = || modules.iter().all(|m| is_read_plainly(m, kept, is_slots));
    let is_one = |class| is_made_once(eval, class) && is_read();
    if !is_held || kept.is_attribute {
        let list = List {
            owner: kept.owner,
            name: &kept.name,
            is_attribute: kept.is_attribute,
        };
        let collected = match fills {
            [fill] => collected(eval, &list, (fill.by, fill.at)),
            _ => None,
        };
        if collected.is_some() || !is_held || !class.is_some_and(is_one) {
            return collected.map_or_else(|| brought_back(eval, fills[0].by, fills[0].at), Ok);
        }
    }
    let (manager, import) = imported(&module, "multiprocessing", "Manager");
    let new = if is_slots {
        format!("{manager}().list({text})")
    } else {
        format!("{manager}().dict()")
    };
    let mut edits = vec![Edit::replace(made, new.clone())];
    edits.extend(import);
    let text =
        "Let a manager hold it, so that all processes fill the same one. Replace its line with:";
    let code = if kept.is_attribute {
        format!("self.{} = {new}", kept.name)
    } else {
        format!("{} = {new}", kept.name)
    };
    let edits = if is_read_plainly(&module, kept, is_slots) {
        edits
    } else {
        Vec::new()
    };
    Ok(Plan::new(kept.owner.module, text, code, edits))
}

/// Returns whether all that reads it can read a manager's too, and asks for no order; what is put into slots has one.
fn is_read_plainly(module: &Module, kept: &Kept, is_slots: bool) -> bool {
    let is_it = |e: &Expr| match &e.kind {
        ExprKind::Attribute(_, name) => kept.is_attribute && *name == kept.name,
        _ => !kept.is_attribute && e.is_name(&kept.name),
    };
    let name = &kept.name;
    let compares = [
        format!("== {name}"),
        format!("{name} =="),
        format!("== self.{name}"),
    ];
    let mut bindings = module.bindings();
    let is_looped = |b: &Binding| matches!(&b.source, Source::Element(e) if is_it(e));
    let mut all = module.exprs();
    let is_plain = |e: &Rc<Expr>| match &e.kind {
        ExprKind::Attribute(of, method) if is_it(of) => &**method == "get",
        ExprKind::Call(call) if call.args.iter().any(|a| is_it(&a.value)) => {
            let name = call.func.last_name().map_or("", |n| &**n);
            name == "submit"
                || ORDERLESS.contains(&name)
                || is_slots && matches!(name, "enumerate" | "zip" | "list" | "print")
        }
        ExprKind::Data(parts) => !parts.iter().any(|part| is_it(part)),
        _ => true,
    };
    all.all(is_plain)
        && (is_slots || !bindings.any(is_looped))
        && !module
            .defs
            .iter()
            .flat_map(|d| &d.returns)
            .any(|e| is_it(e))
        && !compares.iter().any(|text| module.code.contains(text))
}
