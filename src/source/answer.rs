//! From a question to the object: what was sent, what in it fits, and what to change.

use crate::object::{Attribute, Certainty, Change, Edit, Fingerprint, Object, Patch};
use crate::python_name::is_word;
use crate::traceback::Frame;
use crate::traceback::facts::Via;

use super::causes::{self, Lacking};
use super::change::{self, Plan, Planned};
use super::eval::Eval;
use super::naming::{by_name, tell_apart};
use super::parse::parse;
use super::project::{ModuleId, Project};
use super::question::{Asked, Question, Use};
use super::sent::{Pickler, Sending, Stop};
use super::syntax::Place;
use super::verdict::{Verdict, decide};
use super::walk::{Suspect, Walk};
use super::wanted::Wanted;

/// Something found, and the plan that changes it.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) of: String,
    pub(super) module: ModuleId,
    pub(super) at: Place,
    pub(super) certainty: Certainty,
    pub(super) plan: Planned,
}

/// Answers a question; `None` if the source does not tell.
pub(super) fn answer(project: &Project, question: &Question) -> Option<Object> {
    let is_unchanged = question.quoted.iter().all(|f| still_there(project, f));
    if !is_unchanged {
        return None;
    }
    let script = question.quoted.iter().find(|f| f.function == "<module>");
    let script = script.and_then(|f| project.file(f.path.as_str()));
    let eval = Eval::new(project);
    let places = |frames: &[Frame]| -> Vec<(ModuleId, u32)> {
        let found = frames.iter();
        found
            .filter_map(|f| Some((project.file(f.path.as_str())?, f.line)))
            .collect()
    };
    let frames = places(&question.frames);
    let found = match &question.asked {
        Asked::Object(wanted) => return unpicklable(&eval, question, wanted, &frames, script),
        Asked::Start => vec![start(&eval, &frames)?],
        Asked::Definition { name, file } => {
            let id = project.file(file)?;
            vec![causes::definition(&eval, id, name)?]
        }
        Asked::Arguments {
            class,
            missing,
            are_named,
        } => {
            if frames.is_empty() {
                project.add_scripts();
            }
            project.add_imports();
            causes::exception(&eval, class.as_deref(), missing, *are_named)
        }
        Asked::Sample => causes::sample(&eval, &frames, question.via),
        Asked::Type { module, name } => {
            project.add_imports();
            if let Some(found) = causes::renamed(&eval, script, module, name) {
                vec![found]
            } else {
                let wanted = Wanted::read(&question.message)?;
                return unpicklable(&eval, question, &wanted, &frames, script);
            }
        }
        Asked::FirstSet => vec![causes::first_set(&eval, &frames)?],
        Asked::Unclosed => vec![causes::unclosed(&eval, &frames)?],
        Asked::Unset(used) => {
            let under_guard = match used {
                Use::Name(name) => causes::global(&eval, &frames, script, (name, question.via)),
                _ => None,
            };
            let found =
                under_guard.or_else(|| causes::unset(&eval, &frames, script, (used, question.via)));
            if found.is_none() && !matches!(used, Use::Name(_)) {
                project.add_imports();
            }
            let found = found
                .or_else(|| causes::of_module(&eval, &frames, (used, question.via)))
                .or_else(|| causes::of_class(&eval, &frames, (Lacking::None(used), question.via)));
            vec![found?]
        }
        Asked::Unfilled(lack) => {
            project.add_imports();
            let how = (question.via, question.is_spawned);
            vec![causes::filled(&eval, &frames, lack, how)?]
        }
        Asked::Endless => vec![causes::endless(&eval, &frames)?],
        Asked::LeftOut { class, name } => {
            // A worker that reads a task has no frame of the program.
            let is_read = question.frames.is_empty();
            if is_read {
                project.add_scripts();
            }
            // Before `__init__` has set it, it is missing for another reason.
            let is_early = |f: &Frame| matches!(&*f.function, "__init__" | "__new__" | "__del__");
            if question.frames.iter().any(is_early) {
                return None;
            }
            project.add_imports();
            let mut found = causes::private(&eval, class, name);
            if is_read && found.is_none() {
                found = causes::misnamed(&eval, class, name);
            }
            let lacking = Lacking::Missing(class, name);
            let found = found
                .or_else(|| causes::left_out(&eval, class, name))
                .or_else(|| causes::of_class(&eval, &frames, (lacking, question.via)));
            vec![found?]
        }
        Asked::Keyword(label) => vec![causes::keyword(&eval, &frames, label)?],
        Asked::Cuda => {
            let parent = places(&question.outer);
            vec![causes::first_use(&eval, &parent, &frames, question.via)?]
        }
    };
    let mut objects = found.into_iter().map(|f| named(project, f));
    let mut first = objects.next()?;
    first.others = objects.collect();
    Some(first)
}

/// Returns the object of something found, with its change.
fn named(project: &Project, found: Found) -> Object {
    let module = project.module(found.module);
    let line = module.line_of(found.at.start);
    let object = Object {
        path: found.path,
        type_name: found.of,
        file: module.shown.clone(),
        line,
        source: module.line(line).trim().to_owned(),
        certainty: found.certainty,
        attribute: None,
        others: Vec::new(),
        change: None,
        refusal: None,
    };
    with_change(project, object, found.plan)
}

/// Finds what could not be pickled.
fn unpicklable(
    eval: &Eval,
    question: &Question,
    wanted: &Wanted,
    frames: &[(ModuleId, u32)],
    script: Option<ModuleId>,
) -> Option<Object> {
    let is_feeder = frames.is_empty() && question.via == Some(Via::Queue);
    if is_feeder {
        // The thread that feeds a queue has no frame of the program: its scripts are searched.
        eval.project.add_scripts();
    } else if frames.is_empty() {
        return None;
    }
    let stops = eval.stops(frames);
    let sendings = eval.sendings(&stops, question.via);
    let verdict = walk_all(eval, &sendings, wanted, script, question);
    let mut verdict = verdict.or_else(|| by_name(eval, wanted))?;
    // A class that could not be read in time would count as a library's.
    if eval.project.is_cut.get() && verdict.certainty == Certainty::Likely {
        return None;
    }
    if is_feeder && verdict.certainty == Certainty::Certain {
        verdict.certainty = Certainty::Likely;
    }
    tell_apart(eval, &mut verdict.suspects);
    // Made again, a bar would begin once more in each task.
    let bar = change::bar(eval, &verdict.suspects[0], &sendings)
        .filter(|_| verdict.certainty != Certainty::OneOf);
    let read = question
        .is_result
        .then(|| read_by_the_parent(eval, &verdict))
        .flatten();
    let plan = match verdict.certainty {
        _ if let Some(name) = &read => Err(format!("the program reads `{name}` of the result")),
        Certainty::OneOf => change::plan_all(eval, &verdict.suspects, question.via),
        _ if bar.is_some() => Err("a bar counts in the process that shows it".to_owned()),
        _ => change::plan(eval, &verdict.suspects[0], question.via).or_else(|why| {
            let used_up = || change::used_up(eval, &verdict.suspects[0], &sendings);
            question.is_result.then(used_up).flatten().ok_or(why)
        }),
    };
    let mut found = with_change(eval.project, object(eval.project, &verdict), plan);
    found.change = found.change.or(bar);
    found.change = (found.change).or_else(|| change::scanner(eval, &verdict.suspects[0]));
    if found.change.is_none() && verdict.certainty != Certainty::OneOf && read.is_none() {
        found.change = sketch(eval, &verdict, &stops, question, found.refusal.as_deref());
    }
    if found.change.is_none() {
        // What a rule says of a lock would be wrong of what holds one.
        let made_as_rules_say = ["threading.Lock", "threading.RLock", "threading.local"];
        let is_so = made_as_rules_say.contains(&&*found.type_name)
            || found.type_name.starts_with("multiprocessing.");
        found.attribute = found.attribute.filter(|_| is_so);
    }
    Some(found)
}

/// Returns the attribute of a result that cannot be sent and that the program reads where the result
/// arrives, by its name: without it the result would be of no use.
fn read_by_the_parent(eval: &Eval, verdict: &Verdict) -> Option<String> {
    let first = verdict.suspects.first()?;
    // A list, or a function with a name, takes the place of these.
    let is_replaced = change::can_be_listed(first) || first.def.is_some();
    let holder = first.holder.as_ref().filter(|_| !is_replaced)?;
    let name = format!(".{}", holder.attribute);
    let is_read = |text: &str| {
        text.match_indices(&name).any(|(at, _)| {
            let behind = &text[at + name.len()..];
            !behind.starts_with(is_word) && !text[..at].ends_with("self")
        })
    };
    let modules = eval.project.modules();
    let has = modules.iter().any(|m| is_read(&m.text));
    has.then(|| holder.attribute.to_string())
}

/// Returns code to show where none can be written.
fn sketch(
    eval: &Eval,
    verdict: &Verdict,
    stops: &[Stop],
    question: &Question,
    why: Option<&str>,
) -> Option<Change> {
    let first = &verdict.suspects[0];
    if !first.of.starts_with("multiprocessing.") {
        let why = why?;
        if question.is_result
            && let Some(change) = change::task(eval, first)
        {
            return Some(change);
        }
        return change::sketch(eval, first, why)
            .or_else(|| change::made_there(eval, first))
            .or_else(|| change::managed(eval, first, question.via));
    }
    // What else workers cannot be sent is of other types.
    let sendings = eval.sendings(stops, question.via);
    let mut all = vec![first.clone()];
    for name in [
        "Synchronized",
        "SynchronizedArray",
        "Lock",
        "Queue",
        "Event",
    ] {
        let wanted = Wanted::Type(name.to_owned());
        let found = walk_all(eval, &sendings, &wanted, None, question);
        all.extend(
            found
                .into_iter()
                .flat_map(|v| v.suspects.into_iter().chain(v.rest)),
        );
    }
    let mut known = Vec::new();
    all.retain(|s| {
        let is_new = !known.contains(&(s.module, s.at));
        known.push((s.module, s.at));
        is_new
    });
    change::initializer(eval, &all, stops, question.via)
}

/// Returns the statement that starts processes outside of a main guard.
fn start(eval: &Eval, frames: &[(ModuleId, u32)]) -> Option<Found> {
    let is_top = |(id, line): &&(ModuleId, u32)| eval.project.module(*id).def_at(*line) == 0;
    let tops: Vec<_> = frames.iter().filter(is_top).collect();
    let (id, line) = **tops.last()?;
    let mut found = change::unguarded(eval, id, line)?;
    // A guard in a module that the script imports would never be true.
    if tops.len() > 1 {
        found.plan = Err("it is in a module that the script imports".to_owned());
    }
    let module = eval.project.module(id);
    let head = module.slice(found.at).lines().next().unwrap_or_default();
    Some(Found {
        path: head.trim().to_owned(),
        of: "outside of a main guard".to_owned(),
        module: id,
        at: found.at,
        certainty: Certainty::Certain,
        plan: found.plan,
    })
}

/// Walks over all that was sent.
fn walk_all(
    eval: &Eval,
    sendings: &[Sending],
    wanted: &Wanted,
    script: Option<ModuleId>,
    question: &Question,
) -> Option<Verdict> {
    let mut events = Vec::new();
    let is_exact = sendings.len() == 1 && sendings[0].is_exact && !eval.is_exhausted();
    for sending in sendings {
        let is_copy = question.via == Some(Via::Deepcopy);
        let pickler = if is_copy {
            Pickler::Copy
        } else {
            sending.pickler
        };
        let mut walk = Walk::new(eval, wanted, pickler, question.python, script);
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

/// Puts a verdict into words.
fn object(project: &Project, verdict: &Verdict) -> Object {
    let certainty = verdict.certainty;
    let mut objects = verdict.suspects.iter().map(|suspect| {
        let module = project.module(suspect.module);
        let line = module.line_of(suspect.at.start);
        Object {
            path: suspect.path.clone(),
            type_name: suspect.of.clone(),
            file: module.shown.clone(),
            line,
            source: module.line(line).trim().to_owned(),
            certainty,
            attribute: attribute(project, suspect, certainty),
            others: Vec::new(),
            change: None,
            refusal: None,
        }
    });
    let mut first = objects.next().expect("a verdict names a suspect");
    first.others = objects.collect();
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

/// Adds a plan in words, with the edits that carry it out, or why there is none.
fn with_change(project: &Project, object: Object, plan: Planned) -> Object {
    let plan = plan.and_then(|mut plan| {
        // An import goes above a function that is put in the same place.
        let is_import = |e: &Edit| e.text.starts_with("import ");
        plan.edits.sort_by_key(|e| (e.start, e.end, !is_import(e)));
        if parses(project, &plan) {
            Ok(plan)
        } else {
            Err("the file would not parse afterwards".to_owned())
        }
    });
    match plan {
        Ok(plan) => {
            let module = project.module(plan.module);
            let has_edits = !plan.edits.is_empty();
            let patch = has_edits.then(|| Patch {
                path: module.path.clone(),
                shown: module.shown.clone(),
                of: Fingerprint::of(&module.text),
                edits: plan.edits,
            });
            let change = Change {
                text: plan.text,
                code: plan.code,
                patch,
            };
            Object {
                change: Some(change),
                ..object
            }
        }
        Err(why) => Object {
            refusal: Some(why),
            ..object
        },
    }
}

/// Returns whether a file can still be parsed after a change.
fn parses(project: &Project, plan: &Plan) -> bool {
    let module = project.module(plan.module);
    let Some(new) = Edit::all(&module.text, &plan.edits) else {
        return false;
    };
    let parsed = parse(module.path.clone(), module.shown.clone(), new);
    parsed.is_some_and(|m| !m.has_errors || module.has_errors)
}

/// Returns whether the line that a frame quotes is still in its file.
fn still_there(project: &Project, frame: &Frame) -> bool {
    let (Some(id), Some(source)) = (project.file(frame.path.as_str()), &frame.source) else {
        return true;
    };
    let module = project.module(id);
    let quoted = source.trim();
    let line = module.line(frame.line).trim();
    line == quoted || quoted.len() > 900 && line.starts_with(quoted)
}
