//! From a question to the object: what was sent, what in it fits, and what to change.

use crate::object::{Certainty, Change, Edit, Fingerprint, Object, Patch};
use crate::traceback::Frame;
use crate::traceback::facts::Via;

use super::asked::{Asked, Use};
use super::causes::{self, Lacking};
use super::change::{self, Loss, Plan, Planned};
use super::dropped::dropped;
use super::effects::says_spawn;
use super::eval::Eval;
use super::only::only;
use super::parse::parse;
use super::project::{Frames, ModuleId, Project};
use super::question::Question;
use super::syntax::{Module, Place, Source, Target};
use super::text::below_imports;
use super::unpicklable::{found_as, unpicklable};
use super::wanted::Wanted;

/// The most places that are named.
const MAX_NAMED: usize = 3;

/// Something found, and the plan that changes it.
pub(super) struct Found {
    pub(super) path: String,
    pub(super) of: String,
    pub(super) module: ModuleId,
    pub(super) at: Place,
    pub(super) certainty: Certainty,
    pub(super) plan: Planned,
}

impl Found {
    /// Returns something of which nothing else can be meant.
    pub(super) fn certain(
        path: String,
        of: impl Into<String>,
        (module, at): (ModuleId, Place),
        plan: Planned,
    ) -> Self {
        Self {
            path,
            of: of.into(),
            module,
            at,
            certainty: Certainty::Certain,
            plan,
        }
    }

    /// Returns the same where something else may be meant.
    pub(super) fn likely(
        path: String,
        of: impl Into<String>,
        place: (ModuleId, Place),
        plan: Planned,
    ) -> Self {
        Self {
            certainty: Certainty::Likely,
            ..Self::certain(path, of, place, plan)
        }
    }
}

/// Returns what was found in several places, as one of these; nothing where they are too many to name.
pub(super) fn one_of(mut found: Vec<Found>) -> Vec<Found> {
    if found.len() > MAX_NAMED {
        return Vec::new();
    }
    let is_one = found.len() == 1;
    for one in found.iter_mut().filter(|_| !is_one) {
        one.certainty = Certainty::OneOf;
        one.plan = std::mem::replace(&mut one.plan, Err(String::new()))
            .and(Err("it is one of several".to_owned()));
    }
    found
}

/// Answers a question; `None` if the source does not tell.
pub(super) fn answer(project: &Project, question: &Question) -> Option<Object> {
    let is_unchanged = question.quoted.iter().all(|f| still_there(project, f));
    if !is_unchanged {
        return None;
    }
    let eval = Eval::new(project);
    let inquiry = Inquiry {
        eval: &eval,
        question,
        frames: places(project, &question.frames),
        script: script(project, question),
    };
    let found = match &question.asked {
        Asked::Object(wanted) => return unpicklable(&inquiry, wanted),
        Asked::Dropped => return dropped(&inquiry),
        Asked::Type { module, name } => match inquiry.renamed(module, name) {
            Some(found) => vec![found],
            None => return unpicklable(&inquiry, &Wanted::read(&question.message)?),
        },
        other => inquiry.found(other)?,
    };
    let is_definition = matches!(
        question.asked,
        Asked::Type { .. } | Asked::Definition { .. }
    );
    let is_misfit = matches!(question.asked, Asked::Misfit(_) | Asked::Keyword(_));
    let mut objects = found.into_iter().map(|f| {
        let loss = inquiry.main_alone(f.module).filter(|_| is_definition);
        let loss =
            loss.or_else(|| change::lost_there(&eval).filter(|_| is_definition || is_misfit));
        let mut object = named(project, f);
        leave(&mut object, loss);
        object
    });
    let mut first = objects.next()?;
    first.others = objects.collect();
    Some(first)
}

/// Returns the modules and lines of frames whose files can be read.
fn places(project: &Project, frames: &[Frame]) -> Vec<(ModuleId, u32)> {
    let place = |f: &Frame| Some((project.file(f.path.as_str())?, f.line));
    frames.iter().filter_map(place).collect()
}

/// Returns the module that was run.
fn script(project: &Project, question: &Question) -> Option<ModuleId> {
    let script = question.quoted.iter().find(|f| f.function == "<module>")?;
    project.file(script.path.as_str())
}

/// A question in the program that it is asked of.
pub(super) struct Inquiry<'a> {
    pub(super) eval: &'a Eval<'a>,
    pub(super) question: &'a Question,
    /// Where the question's frames are.
    pub(super) frames: Vec<(ModuleId, u32)>,
    /// The module that was run.
    pub(super) script: Option<ModuleId>,
}

impl Inquiry<'_> {
    /// Finds what is asked for, where it is no object that could not be pickled.
    fn found(&self, asked: &Asked) -> Option<Vec<Found>> {
        let Self { eval, question, .. } = self;
        let (project, via) = (eval.project, question.via);
        let one = match asked {
            Asked::Start { of_task } => start(eval, &self.frames, *of_task),
            Asked::Definition { name, file } => self.definition(name, file.as_deref()),
            Asked::Arguments { class, amiss } => {
                if self.frames.is_empty() {
                    project.add_scripts();
                }
                project.add_imports();
                return Some(causes::exception(eval, class.as_deref(), amiss));
            }
            Asked::Sample => return Some(causes::sample(eval, &self.frames, via)),
            Asked::FirstSet => {
                project.add_imports();
                causes::first_set(eval, &self.frames)
            }
            Asked::Unclosed => causes::unclosed(eval, &self.frames),
            Asked::NotRunning => causes::left_block(eval, &self.frames),
            Asked::Ended => causes::ended(eval, &self.frames),
            Asked::Undone => causes::undone(eval, &self.frames),
            Asked::Joined => causes::joined(eval, &self.frames, question.is_spawned),
            Asked::Full => causes::unstarted(eval, &self.frames),
            Asked::Retaken => causes::retaken(eval, &self.frames),
            Asked::OwnEnd => causes::own_end(eval, &self.frames),
            Asked::Hidden(name) => causes::hidden(eval, name),
            Asked::ThreadsOnly => {
                project.add_imports();
                let sendings = eval.sendings(&[], Some(Via::Process));
                let given = found_as(self, &sendings, &["_thread.lock"]);
                causes::threads_only(eval, &self.frames, &given)
            }
            Asked::Unset(used) => self.unset(used),
            Asked::Unfilled(lack) => {
                project.add_imports();
                causes::filled(eval, &self.frames, lack, (via, question.is_spawned))
            }
            Asked::Stayed(lack) => {
                project.add_imports();
                causes::stayed(eval, &self.frames, lack)
                    .or_else(|| causes::nested(eval, &self.frames, lack))
                    .or_else(|| causes::counted(eval, &self.frames))
                    .or_else(|| causes::zeros(eval, &self.frames, lack))
                    .or_else(|| causes::column(eval, &self.frames, lack))
            }
            Asked::SetThere(used) => {
                project.add_imports();
                causes::set_there(eval, &self.frames, used)
                    .or_else(|| causes::unreturned(eval, &self.frames, used))
                    .or_else(|| self.in_caller(used))
            }
            Asked::Endless => causes::endless(eval, &self.frames),
            Asked::LeftOut { class, name } => self.left_out(class, name),
            Asked::Graph if question.is_result => causes::graph(eval, &self.frames, via),
            Asked::Unread(told) => causes::unread(eval, told.as_deref()),
            Asked::Unfetched => causes::unfetched(eval, &self.frames),
            Asked::Daemonic(of_pool) => causes::daemonic(eval, &self.frames, *of_pool),
            Asked::Mixed => {
                project.add_imports();
                causes::mixed(eval, &self.frames)
            }
            Asked::Misfit(misfit) => causes::spread(eval, &self.frames, misfit),
            Asked::Keyword(label) => causes::keyword(eval, &self.frames, label),
            Asked::Cuda => {
                let parent = places(project, &question.outer);
                causes::first_use(eval, &parent, &self.frames, via)
            }
            Asked::Object(_) | Asked::Dropped | Asked::Type { .. } | Asked::Graph => None,
        };
        Some(vec![one?])
    }

    /// Returns what goes wrong with what a module defines, if it is a `__main__.py` that was run: a new process
    /// does not import it.
    pub(super) fn main_alone(&self, of: ModuleId) -> Option<Loss> {
        let is_new = self.question.is_spawned || says_spawn(self.eval);
        let path = &self.eval.project.module(of).path;
        let is_main = path.file_name().is_some_and(|name| name == "__main__.py");
        (is_main && is_new).then(|| Loss {
            why: "a new process does not import `__main__.py`".to_owned(),
            text:
                "Put what is sent into another module: a new process does not import `__main__.py`."
                    .to_owned(),
        })
    }

    /// Finds what another process did not find in the script.
    fn definition(&self, name: &str, file: Option<&str>) -> Option<Found> {
        let project = self.eval.project;
        if let Some(file) = file {
            return causes::definition(self.eval, project.file(file)?, name);
        }
        if self.frames.is_empty() {
            project.add_scripts();
        }
        let ids = project.ids().into_iter();
        let found = ids.filter_map(|id| causes::definition(self.eval, id, name));
        only(found)
    }

    /// Finds the type that has another name in its module.
    fn renamed(&self, module: &str, name: &str) -> Option<Found> {
        self.eval.project.add_imports();
        causes::renamed(self.eval, self.script, module, name)
    }

    /// Finds what is not set in a worker.
    fn unset(&self, used: &Use) -> Option<Found> {
        let found = self.unset_at(&self.frames, used);
        let found = found.or_else(|| {
            let got = causes::got(self.eval, &self.frames, used)?;
            self.unset_at(&[&self.frames[..], &[got]].concat(), &Use::Itself)
        });
        found.or_else(|| {
            let given = causes::given_as(self.eval, &self.frames, used).into_iter();
            let mut given = given.map(|(frames, name)| (frames, Use::Argument(name)));
            given.find_map(|(frames, used)| self.unset_at(&self.frames[..frames], &used))
        })
    }

    /// Finds what a caller of the innermost line gave it that came back as `None`.
    fn in_caller(&self, used: &Use) -> Option<Found> {
        let given = causes::given_as(self.eval, &self.frames, used).into_iter();
        let mut given = given.map(|(frames, name)| (frames, Use::Argument(name)));
        given
            .find_map(|(frames, used)| causes::unreturned(self.eval, &self.frames[..frames], &used))
    }

    /// Finds what is not set where these frames end.
    fn unset_at(&self, frames: &Frames, used: &Use) -> Option<Found> {
        let (eval, via) = (self.eval, self.question.via);
        let under_guard = match used {
            Use::Name(name) => causes::global(eval, frames, self.script, (name, via)),
            _ => None,
        };
        let unset = || causes::unset(eval, frames, self.script, (used, via));
        if let Some(found) = under_guard.or_else(unset) {
            return Some(found);
        }
        if !matches!(used, Use::Name(_)) {
            eval.project.add_imports();
        }
        causes::of_module(eval, frames, (used, via))
            .or_else(|| causes::of_class(eval, frames, (Lacking::None(used), via)))
            .or_else(|| causes::of_object(eval, frames, (Lacking::None(used), via)))
            .or_else(|| causes::blank(eval, frames, used, (via, self.question.is_spawned)))
    }

    /// Finds what leaves an attribute out of a copy.
    fn left_out(&self, class: &str, name: &str) -> Option<Found> {
        let (eval, question) = (self.eval, self.question);
        if class == "Queue" && matches!(name, "task_done" | "join") {
            eval.project.add_imports();
            if let Some(found) = causes::unjoinable(eval, &self.frames, name) {
                return Some(found);
            }
        }
        // A worker that reads a task has no frame of the program.
        let is_read = question.frames.is_empty();
        if is_read {
            eval.project.add_scripts();
        }
        if let Some(found) = causes::uncalled(eval, &self.frames, (class, name)) {
            return Some(found);
        }
        // Before `__init__` has set it, it is missing for another reason.
        let is_early = |f: &Frame| matches!(&*f.function, "__init__" | "__new__" | "__del__");
        if question.frames.iter().any(is_early) {
            return None;
        }
        eval.project.add_imports();
        let lacking = Lacking::Missing(class, name);
        let misnamed = || is_read.then(|| causes::misnamed(eval, class, name))?;
        causes::private(eval, class, name)
            .or_else(misnamed)
            .or_else(|| causes::left_out(eval, class, name))
            .or_else(|| causes::of_class(eval, &self.frames, (lacking, question.via)))
            .or_else(|| causes::lacks(eval, &self.frames, (class, name)))
            .or_else(|| causes::of_object(eval, &self.frames, (lacking, question.via)))
    }
}

/// Returns the object of something found, with its change.
pub(super) fn named(project: &Project, found: Found) -> Object {
    let object = object_at(
        &project.module(found.module),
        found.at,
        (found.path, found.of),
        found.certainty,
    );
    with_change(project, object, found.plan)
}

/// Returns an object by its path and type, which is set at a place.
pub(super) fn object_at(
    module: &Module,
    at: Place,
    (path, type_name): (String, String),
    certainty: Certainty,
) -> Object {
    let line = module.line_of(at.start);
    Object {
        path,
        type_name,
        file: module.shown.clone(),
        line,
        source: module.line(line).trim().to_owned(),
        certainty,
        attribute: None,
        others: Vec::new(),
        change: None,
        refusal: None,
    }
}

/// Returns the statement that starts processes outside of a main guard.
fn start(eval: &Eval, frames: &Frames, of_task: bool) -> Option<Found> {
    let is_top = |(id, line): &&(ModuleId, u32)| eval.project.module(*id).def_at(*line) == 0;
    let tops: Vec<_> = frames.iter().filter(is_top).collect();
    let (id, line) = **tops.last()?;
    let mut found = change::unguarded(eval, id, line)?;
    // A guard in a module that is imported would never be true.
    if of_task || tops.iter().any(|(other, _)| *other != id) {
        found.plan = Err("it is in a module that is imported".to_owned());
    }
    let module = eval.project.module(id);
    let head = module.first_line(found.at);
    Some(Found::certain(
        head.trim().to_owned(),
        "outside of a main guard",
        (id, found.at),
        found.plan,
    ))
}

/// Leaves a change to the reader where the program would go on to lose something.
pub(super) fn leave(found: &mut Object, lost: Option<Loss>) {
    if let (Some(change), Some(Loss { why, text })) = (&mut found.change, lost) {
        change.text = format!("{text} {}", change.text);
        change.patch = None;
        found.refusal = Some(why);
    }
}

/// Adds a plan in words, with the edits that carry it out, or why there is none.
pub(super) fn with_change(project: &Project, object: Object, plan: Planned) -> Object {
    let plan = plan.and_then(|mut plan| {
        // An import goes above a function that is put in the same place.
        plan.edits.sort_by_key(|e| {
            let import = e.is_import().then(|| e.text.clone());
            (e.start, e.end, import.is_none(), import)
        });
        if let Some(name) = plan
            .edits
            .iter()
            .find_map(|e| taken(project, plan.module, e))
        {
            Err(format!("the program has another `{name}`"))
        } else if parses(project, &plan) {
            Ok(plan)
        } else {
            Err("the file would not parse afterwards".to_owned())
        }
    });
    match plan {
        Ok(plan) => {
            let module = project.module(plan.module);
            let has_edits = !plan.edits.is_empty();
            let code = below_imports(&plan.edits, &plan.code);
            let patch = has_edits.then(|| Patch {
                path: module.path.clone(),
                shown: module.shown.clone(),
                of: Fingerprint::of(&module.text),
                edits: plan.edits,
            });
            let change = Change {
                text: plan.text,
                code,
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

/// Returns the module that an edit imports, if its name stands for something else too.
fn taken<'e>(project: &Project, id: ModuleId, edit: &'e Edit) -> Option<&'e str> {
    let name = edit
        .text
        .strip_prefix("import ")?
        .split('\n')
        .next()?
        .trim_end();
    let module = project.module(id);
    let is_it = |t: &Target| matches!(t, Target::Name(n) if **n == *name);
    let mut all = module.defs[0].bindings.iter();
    let is_other = |s: &Source| !matches!(s, Source::Import(full) if full == name);
    all.any(|b| is_it(&b.target) && is_other(&b.source))
        .then_some(name)
}

/// Returns whether a file can still be parsed after a change.
fn parses(project: &Project, plan: &Plan) -> bool {
    let module = project.module(plan.module);
    let Some(new) = Edit::all(&module.text, &plan.edits) else {
        return false;
    };
    let parsed = parse(module.id, module.path.clone(), module.shown.clone(), new);
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
