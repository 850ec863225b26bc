//! The modules of a program, read as they are asked for.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::files::{Files, Spot};
use super::parse::parse;
use super::syntax::{Module, Source};
use super::value::DefId;

/// A module by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ModuleId(pub(super) usize);

/// The modules and lines of a traceback's frames, the outermost first.
pub(super) type Frames = [(ModuleId, u32)];

/// The modules of a program.
pub(super) struct Project {
    files: Files,
    /// The folders that absolute imports start from.
    paths: RefCell<Vec<Spot>>,
    modules: RefCell<Vec<(Spot, Rc<Module>)>>,
    known: RefCell<HashMap<Spot, Option<ModuleId>>>,
    spent: Cell<Duration>,
    /// How long the reading and parsing of one search may take.
    max_time: Duration,
    /// Whether something was left unread for want of time.
    pub(super) is_cut: Cell<bool>,
}

impl Project {
    /// Makes a program of which nothing is read yet.
    pub(super) fn new(files: Files, max_time: Duration) -> Self {
        let paths = RefCell::new(files.root_folders());
        Self {
            files,
            paths,
            modules: RefCell::default(),
            known: RefCell::default(),
            spent: Cell::default(),
            max_time,
            is_cut: Cell::new(false),
        }
    }

    /// Reads the file that a traceback names.
    pub(super) fn file(&self, printed: &str) -> Option<ModuleId> {
        self.files.spots(printed).iter().find_map(|spot| {
            let id = self.load(spot)?;
            self.add_paths(spot);
            Some(id)
        })
    }

    /// Reads the scripts that lie in the roots themselves, if there are but a few.
    pub(super) fn add_scripts(&self) {
        for spot in self.files.scripts() {
            self.load(&spot);
        }
    }

    /// Reads what the modules read so far import, and what these do.
    pub(super) fn add_imports(&self) {
        let mut next = 0;
        while let Some(id) = self.ids().get(next).copied() {
            let module = self.module(id);
            for binding in module.bindings() {
                match &binding.source {
                    Source::Import(name) => {
                        self.import(id, name);
                    }
                    Source::From(name, what) => {
                        let dot = if name.ends_with('.') { "" } else { "." };
                        if self.import(id, name).is_none() || name.ends_with('.') {
                            self.import(id, &format!("{name}{dot}{what}"));
                        }
                    }
                    _ => {}
                }
            }
            next += 1;
        }
    }

    /// Returns a module.
    pub(super) fn module(&self, id: ModuleId) -> Rc<Module> {
        Rc::clone(&self.modules.borrow()[id.0].1)
    }

    /// Returns the modules that were read so far.
    pub(super) fn ids(&self) -> Vec<ModuleId> {
        (0..self.modules.borrow().len()).map(ModuleId).collect()
    }

    /// Returns all scopes of the modules read so far, each with its module.
    pub(super) fn defs(&self) -> impl Iterator<Item = (DefId, Rc<Module>)> {
        self.ids().into_iter().flat_map(|id| {
            let module = self.module(id);
            (0..module.defs.len()).map(move |def| (DefId::new(id, def), Rc::clone(&module)))
        })
    }

    /// Returns their text and what was read of it.
    pub(super) fn modules(&self) -> Vec<Rc<Module>> {
        let modules = self.modules.borrow();
        let all = modules.iter().map(|(_, module)| Rc::clone(module));
        all.collect()
    }

    /// Returns whether something holds for one of them.
    pub(super) fn any(&self, is_it: impl FnMut(&Rc<Module>) -> bool) -> bool {
        self.modules().iter().any(is_it)
    }

    /// Returns whether a text is written in one of them.
    pub(super) fn says(&self, text: &str) -> bool {
        self.any(|m| m.code.contains(text))
    }

    /// Imports are resolved from the folder of a script, or above the packages that a file is in.
    fn add_paths(&self, spot: &Spot) {
        let mut folder = Files::folder(spot);
        let mut folders = vec![folder.clone()];
        // Only a few levels: a package in a package in a package.
        for _ in 0..8 {
            let init = Files::within(&folder, &["__init__.py"]);
            let is_package = init.is_some_and(|i| self.files.path(&i).is_file());
            let above = Files::folder(&folder);
            if !is_package || above == folder {
                break;
            }
            folder = above;
            folders.push(folder.clone());
        }
        let mut paths = self.paths.borrow_mut();
        if let Some(above) = folders.last().filter(|f| !paths.contains(f)) {
            paths.insert(0, above.clone());
        }
    }

    fn load(&self, spot: &Spot) -> Option<ModuleId> {
        if let Some(known) = self.known.borrow().get(spot) {
            return *known;
        }
        if self.spent.get() > self.max_time {
            self.is_cut.set(true);
            return None;
        }
        let start = Instant::now();
        let next = ModuleId(self.modules.borrow().len());
        let read = || {
            let text = self.files.read(spot)?;
            parse(next, self.files.path(spot), self.files.shown(spot), text)
        };
        let id = read().map(|module| {
            let module = (spot.clone(), Rc::new(module));
            self.modules.borrow_mut().push(module);
            next
        });
        self.spent.set(self.spent.get() + start.elapsed());
        self.known.borrow_mut().insert(spot.clone(), id);
        id
    }

    /// Resolves `import name` (dots in front count levels) as the module `from` would.
    pub(super) fn import(&self, from: ModuleId, name: &str) -> Option<ModuleId> {
        let rest = name.trim_start_matches('.');
        let level = name.len() - rest.len();
        let names: Vec<&str> = rest.split('.').filter(|n| !n.is_empty()).collect();
        if names.is_empty() && level == 0 {
            return None;
        }
        let starts: Vec<Spot> = if level > 0 {
            let mut folder = Files::folder(&self.modules.borrow()[from.0].0);
            for _ in 1..level {
                folder = Files::folder(&folder);
            }
            vec![folder]
        } else {
            // A script in a package finds what lies beside it, unless the library has it.
            let own = Files::folder(&self.modules.borrow()[from.0].0);
            let paths = self.paths.borrow();
            let is_beside = !paths.contains(&own) && !super::objects::is_outside(names[0]);
            paths
                .iter()
                .cloned()
                .chain(is_beside.then_some(own))
                .collect()
        };
        starts
            .iter()
            .find_map(|start| self.module_below(start, &names))
    }

    fn module_below(&self, folder: &Spot, names: &[&str]) -> Option<ModuleId> {
        if let Some((last, folders)) = names.split_last() {
            let file = format!("{last}.py");
            let as_file: Vec<&str> = folders.iter().copied().chain([file.as_str()]).collect();
            if let Some(id) = Files::within(folder, &as_file).and_then(|s| self.load(&s)) {
                return Some(id);
            }
        }
        let as_package: Vec<&str> = names.iter().copied().chain(["__init__.py"]).collect();
        Files::within(folder, &as_package).and_then(|s| self.load(&s))
    }
}
