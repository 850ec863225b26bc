//! What could not be pickled: a search over what was sent, and what to change.

use std::collections::HashSet;

use crate::object::{Attribute, Certainty, Change, Object};
use crate::traceback::facts::Via;

use super::answer::{Inquiry, leave, named, object_at, with_change};
use super::causes::{self, is_exception};
use super::change::{self, Loss, Planned};
use super::effects::says_spawn;
use super::eval::{Eval, bindings_of};
use super::loggers::is_bare;
use super::naming::{by_name, tell_apart};
use super::only::only;
use super::project::{ModuleId, Project};
use super::sent::{Pickler, Sending, Stop};
use super::syntax::{Def, ExprKind, Kind, Source};
use super::value::DefId;
use super::verdict::{Verdict, decide};
use super::walk::{Suspect, Walk};
use super::wanted::Wanted;

/// Types that are made as a rule's code makes them.
const MADE_AS_RULES_SAY: [&str; 3] = ["threading.Lock", "threading.RLock", "threading.local"];

/// Finds what could not be pickled.
pub(super) fn unpicklable(inquiry: &Inquiry, wanted: &Wanted) -> Option<Object> {
    let Inquiry { eval, question, .. } = inquiry;
    let is_feeder = inquiry.frames.is_empty() && question.via == Some(Via::Queue);
    if is_feeder {
        // The thread that feeds a queue has no frame of the program: its scripts are searched.
        eval.project.add_scripts();
    } else if inquiry.frames.is_empty() {
        return None;
    }
    let stops = eval.stops(&inquiry.frames);
    let sendings = eval.sendings(&stops, question.via);
    let verdict = walk_all(inquiry, &sendings, wanted);
    let verdict = verdict.or_else(|| by_name(eval, wanted));
    let Some(mut verdict) = verdict else {
        let is_task = !question.is_result && matches!(wanted, Wanted::Type(_));
        let found = is_task.then(|| change::unbound(eval, &sendings)).flatten();
        return found.map(|found| named(eval.project, found));
    };
    // A class that could not be read in time would count as a library's.
    if eval.project.is_cut.get() && verdict.certainty == Certainty::Likely {
        return None;
    }
    if is_feeder && verdict.certainty == Certainty::Certain {
        verdict.certainty = Certainty::Likely;
    }
    tell_apart(eval, &mut verdict.suspects);
    let mut found = changed(inquiry, &verdict, &sendings, &stops);
    if found.change.is_none() {
        // What a rule says of a lock would be wrong of what holds one.
        let of = &*found.type_name;
        let is_so = MADE_AS_RULES_SAY.contains(&of) || of.starts_with("multiprocessing.");
        found.attribute = found.attribute.filter(|_| is_so);
    }
    Some(found)
}

/// Returns the object of a verdict, with the best change that there is.
pub(super) fn changed(
    inquiry: &Inquiry,
    verdict: &Verdict,
    sendings: &[Sending],
    stops: &[Stop],
) -> Object {
    let Inquiry { eval, question, .. } = inquiry;
    let first = &verdict.suspects[0];
    let is_one = verdict.certainty != Certainty::OneOf;
    // Made again, a bar would begin once more in each task.
    let bar = change::bar(eval, first, sendings).filter(|_| is_one);
    let read = (question.is_result).then(|| read_by_the_parent(eval, verdict));
    let read = read.flatten();
    let plan = if let Some(name) = &read {
        Err(format!("the program reads `{name}` of the result"))
    } else if !is_one {
        change::plan_all(eval, &verdict.suspects, question.via)
    } else if bar.is_some() {
        Err("a bar counts in the process that shows it".to_owned())
    } else {
        plan(inquiry, first, sendings)
    };
    let plan = plan.and_then(|plan| is_rebuilt(inquiry, first).map(|()| plan));
    let class = first.holder.as_ref().map(|h| h.class);
    let plan = plan.and_then(|plan| match change::missed(eval, sendings, &plan, class) {
        Some(why) => Err(why),
        None => Ok(plan),
    });
    let mut found = with_change(eval.project, object(eval.project, verdict), plan);
    leave(&mut found, loss(inquiry, first, sendings));
    let is_sent = !matches!(question.via, None | Some(Via::Dump | Via::Deepcopy));
    let is_new = is_sent && (question.is_spawned || says_spawn(eval));
    if let (Some(change), Some(class)) = (&mut found.change, class.filter(|_| is_new))
        && is_bare(eval, class, &change::workers(eval, sendings, Some(class)))
    {
        let words =
            "Its logger has no level and no handlers in a new process: set it up there, too.";
        change.text = format!("{words} {}", change.text);
    }
    found.change = (found.change)
        .or(bar)
        .or_else(|| change::executor(eval, first, sendings))
        .or_else(|| change::own_module(eval, first, sendings).filter(|_| is_one));
    if found.change.is_none() && is_one && read.is_none() {
        let why = found.refusal.as_deref();
        found.change = sketch(inquiry, verdict, stops, why);
    }
    found
}

/// Returns what the program would go on to lose; what a task returns comes back with its changes.
fn loss(inquiry: &Inquiry, first: &Suspect, sendings: &[Sending]) -> Option<Loss> {
    let Inquiry { eval, question, .. } = inquiry;
    if question.is_result {
        return None;
    }
    let class = first.holder.as_ref().map(|h| h.class);
    change::lost(eval, sendings, class)
        .or_else(|| change::set_on_itself(eval, first))
        .or_else(|| change::folder_gone(eval, sendings, class?))
        .or_else(|| of_main(inquiry, first))
}

/// Returns what goes wrong with an object that is of the script, or by a name of it.
fn of_main(inquiry: &Inquiry, first: &Suspect) -> Option<Loss> {
    let by_name = |script: &ModuleId| {
        let module = inquiry.eval.project.module(*script);
        bindings_of(&module.defs[0], &first.path).any(|b| matches!(b.source, Source::Def(_)))
    };
    let script = inquiry.script.filter(by_name);
    inquiry.main_alone(script.unwrap_or(first.module))
}

/// Plans the change of the one object that cannot be sent.
fn plan(inquiry: &Inquiry, suspect: &Suspect, sendings: &[Sending]) -> Planned {
    let Inquiry { eval, question, .. } = inquiry;
    let is_of_processes = suspect.of.starts_with("multiprocessing.");
    if is_of_processes {
        let values = found_as(inquiry, sendings, &VALUES);
        if matches!(values.as_slice(), [one] if one.at == suspect.at) {
            return change::at_start(eval, suspect, question.via);
        }
        if !values.is_empty() {
            return Err("a manager's `Value` and `Array` have no lock that goes along".to_owned());
        }
    }
    if question.is_result {
        let plan = change::plan(eval, suspect, question.via);
        let why = |why| {
            if suspect.holder.is_some() || suspect.def.is_some() {
                why
            } else {
                "what the task returns instead is for its author to say".to_owned()
            }
        };
        return plan.or_else(|no| change::used_up(eval, suspect, sendings).ok_or_else(|| why(no)));
    }
    let spared = || change::spared(eval, suspect, sendings, question.via);
    // What no task waits for needs no manager.
    let signal = spared().filter(|_| change::is_signal(eval, suspect));
    let plan = signal.map_or_else(|| change::plan(eval, suspect, question.via), Ok);
    let plan = plan.or_else(|why| spared().ok_or(why));
    plan.or_else(|why| {
        let opened = change::opened_there(eval, suspect, question.via);
        opened.unwrap_or(Err(why))
    })
}

/// Returns the attribute of a result that cannot be sent and that the program reads where the result
/// arrives, by its name: without it the result would be of no use.
fn read_by_the_parent(eval: &Eval, verdict: &Verdict) -> Option<String> {
    let first = verdict.suspects.first()?;
    // A list, or a function with a name, takes the place of these.
    let is_replaced = change::can_be_listed(first) || first.def.is_some();
    let holder = first.holder.as_ref().filter(|_| !is_replaced)?;
    let name = &holder.attribute;
    let mut is_read = false;
    eval.each_expression(&mut |expr, env| {
        is_read |= matches!(&expr.kind, ExprKind::Attribute(of, n)
            if n == name
                && !of.is_name("self")
                && change::may_be(eval, &eval.eval(of, env), holder.class));
    });
    is_read.then(|| name.to_string())
}

/// What a manager has no equal of.
const VALUES: [&str; 2] = ["Synchronized", "SynchronizedArray"];

/// Returns code to show where none can be written.
fn sketch(
    inquiry: &Inquiry,
    verdict: &Verdict,
    stops: &[Stop],
    why: Option<&str>,
) -> Option<Change> {
    let Inquiry { eval, question, .. } = inquiry;
    let first = &verdict.suspects[0];
    let managed = || change::managed(eval, first, question.via).filter(|_| !question.is_result);
    if !first.of.starts_with("multiprocessing.") {
        let why = why?;
        if question.is_result
            && let Some(change) = change::task(eval, first)
        {
            return Some(change);
        }
        let sent = |change: Option<Change>| change.filter(|_| !question.is_result);
        return change::sketch(eval, first, why)
            .or_else(|| sent(change::made_there(eval, first)))
            .or_else(managed);
    }
    // What else workers cannot be sent is of other types.
    let sendings = eval.sendings(stops, question.via);
    let mut all = vec![first.clone()];
    all.extend(found_as(inquiry, &sendings, &VALUES));
    all.extend(found_as(inquiry, &sendings, &["Lock", "Queue", "Event"]));
    let mut known = Vec::new();
    all.retain(|s| {
        let is_new = !known.contains(&(s.module, s.at));
        known.push((s.module, s.at));
        is_new
    });
    change::initializer(eval, &all, stops, question.via).or_else(managed)
}

/// Returns what was sent of some types.
pub(super) fn found_as(inquiry: &Inquiry, sendings: &[Sending], types: &[&str]) -> Vec<Suspect> {
    let mut found = Vec::new();
    for name in types {
        let wanted = Wanted::Type((*name).to_owned());
        let verdict = walk_all(inquiry, sendings, &wanted).into_iter();
        found.extend(verdict.flat_map(|v| v.suspects.into_iter().chain(v.rest)));
    }
    found
}

/// Walks over all that was sent: to a worker, or back from it.
pub(super) fn walk_all(
    inquiry: &Inquiry,
    sendings: &[Sending],
    wanted: &Wanted,
) -> Option<Verdict> {
    let handled = &inquiry.question.handled;
    let raised = raised(inquiry, |def| {
        let is_it = |name: &String| name.rsplit('.').next() == Some(&*def.name);
        handled.iter().any(is_it)
    });
    if let &[class] = raised.as_slice() {
        return walk_raised(inquiry, class, wanted);
    }
    // A task that raised has returned nothing.
    let has_raised = inquiry.question.message.contains("ExceptionWithTraceback");
    let returned = || walk_sent(inquiry, sendings, wanted);
    (!has_raised).then(returned).flatten().or_else(|| {
        let raised = self::raised(inquiry, |_| true).into_iter();
        let found = raised.filter_map(|class| walk_raised(inquiry, class, wanted));
        let one = only(found)?;
        let certainty = match wanted {
            Wanted::Named(_) => one.certainty,
            _ => Certainty::Likely,
        };
        Some(Verdict { certainty, ..one })
    })
}

fn walk_raised(inquiry: &Inquiry, class: DefId, wanted: &Wanted) -> Option<Verdict> {
    let Inquiry {
        eval,
        question,
        script,
        ..
    } = inquiry;
    let mut walk = Walk::new(eval, wanted, Pickler::Plain, question.python, *script);
    walk.raised(class);
    decide(walk.events, true, matches!(wanted, Wanted::Named(_)))
}

fn walk_sent(inquiry: &Inquiry, sendings: &[Sending], wanted: &Wanted) -> Option<Verdict> {
    let Inquiry {
        eval,
        question,
        script,
        ..
    } = inquiry;
    let mut events = Vec::new();
    let is_exact = sendings.len() == 1 && sendings[0].is_exact && !eval.is_exhausted();
    for sending in sendings {
        let is_copy = question.via == Some(Via::Deepcopy);
        let pickler = if is_copy {
            Pickler::Copy
        } else {
            sending.pickler
        };
        let mut walk = Walk::new(eval, wanted, pickler, question.python, *script);
        if question.is_result {
            if let Some((function, value)) = sending.task.as_ref().and_then(|t| eval.returned(t)) {
                walk.result(&function, &value);
            }
        } else {
            for part in &sending.parts {
                walk.part(part);
            }
        }
        events.extend(walk.events);
    }
    let is_named = matches!(wanted, Wanted::Named(_));
    decide(events, is_exact, is_named)
}

/// Returns the program's exceptions that a task may have raised and that could not be sent back.
fn raised(inquiry: &Inquiry, is_it: impl Fn(&Def) -> bool) -> Vec<DefId> {
    let Inquiry { eval, question, .. } = inquiry;
    if !question.is_result {
        return Vec::new();
    }
    let is_it = |def: &Def| def.kind == Kind::Class && is_it(def);
    let classes = eval.project.defs().filter(|(id, m)| is_it(&m.defs[id.def]));
    let ids = classes.map(|(id, _)| id);
    ids.filter(|id| is_exception(eval, *id)).collect()
}

/// Returns an error if what holds the object is an exception that could not be rebuilt either.
fn is_rebuilt(inquiry: &Inquiry, first: &Suspect) -> Result<(), String> {
    let of = first.path.split('.').next();
    let raised = raised(inquiry, |def| Some(&*def.name) == of);
    if raised
        .iter()
        .all(|id| causes::is_rebuilt(inquiry.eval, *id))
    {
        return Ok(());
    }
    let name = of.unwrap_or_default();
    Err(format!(
        "`{name}` could not be rebuilt: `super().__init__` is given other things than it is"
    ))
}

/// Puts a verdict into words.
fn object(project: &Project, verdict: &Verdict) -> Object {
    let certainty = verdict.certainty;
    let mut objects = verdict.suspects.iter().map(|suspect| {
        let module = project.module(suspect.module);
        let said = (suspect.path.clone(), suspect.of.clone());
        Object {
            attribute: attribute(project, suspect, certainty),
            ..object_at(&module, suspect.at, said, certainty)
        }
    });
    let mut first = objects.next().expect("a verdict names a suspect");
    // `[rows(1), rows(2)]`: two that a reader cannot tell apart are one.
    let key = |o: &Object| (o.path.clone(), o.type_name.clone(), o.file.clone(), o.line);
    let mut known = HashSet::from([key(&first)]);
    first.others = objects.filter(|o| known.insert(key(o))).collect();
    if first.others.is_empty() && certainty == Certainty::OneOf {
        first.certainty = Certainty::Certain;
    }
    first
}

/// Returns the attribute that a suspect is; `None` if it is one of several.
fn attribute(project: &Project, suspect: &Suspect, certainty: Certainty) -> Option<Attribute> {
    let holder = suspect.holder.as_ref();
    let holder = holder.filter(|h| h.is_itself && certainty != Certainty::OneOf)?;
    let module = project.module(holder.class.module);
    Some(Attribute {
        class: module.defs[holder.class.def].name.to_string(),
        name: holder.attribute.to_string(),
    })
}
