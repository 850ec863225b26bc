//! What a connection or file is opened with: what another process has too, as it is here, or is handed over to it.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;
use crate::traceback::facts::Via;

use super::super::eval::{bindings_of, binds};
use super::super::syntax::{Arg, Binding, Call, Def, Expr, ExprKind, Name, Place, Source, Target};
use super::super::text::{edited, lists};
use super::super::value::Value;
use super::captured::stays_here;
use super::emptied::in_memory;
use super::folder::leads_elsewhere;
use super::opened_there::{OF_PATH, Opened, is_database};
use super::taken_out::Instead;

/// Functions and methods that give the same in each process.
const SAME: &str = "ArgumentParser Path absolute abspath dict dirname expanduser format fspath getenv int join joinpath \
    list parse_args realpath resolve str tuple with_name with_suffix";

/// What gives the number of an open file, which another process lacks.
const NUMBERS: &[&str] = &["open", "dup", "fileno", "mkstemp", "pipe", "detach"];

impl Opened<'_> {
    /// Returns the call that opens it, as the function can make it, with what it has to be given for that.
    pub(super) fn repeated(
        &self,
        made: &Rc<Expr>,
        instead: &mut Vec<Instead>,
    ) -> Result<String, String> {
        let Self { eval, module, .. } = self;
        let env = eval.scope(self.scope);
        let value = eval.eval(made, &env);
        if in_memory(eval, &value, module, made) {
            return Err("a new database in memory would be empty".to_owned());
        }
        if leads_elsewhere(eval, &value, module, made) {
            return Err("the program changes the folder that its path starts from".to_owned());
        }
        let call = made.call().ok_or("pickfix cannot tell how it is opened")?;
        if module.slice(made.at).contains('\n') {
            return Err("it is opened over several lines".to_owned());
        }
        if !call.func.names().all(|(n, _)| self.is_known(n)) {
            return Err(self.unknown(&call.func));
        }
        self.keeps_all(made)?;
        let first = call.args.first();
        let is_number = |a: &Arg| matches!(a.value.kind, ExprKind::Constant);
        if !is_database(self.of) && self.of != OF_PATH && first.is_none_or(is_number) {
            return Err("pickfix cannot tell how it is opened".to_owned());
        }
        let mut edits: Vec<Edit> = self.mode(call)?.into_iter().collect();
        for arg in &call.args {
            if is_constant(arg) || arg.value.names().all(|(n, _)| self.is_known(n)) {
                continue;
            }
            let (text, name) = self.handed_over(&arg.value)?;
            let other = instead.iter().find(|(_, n)| *n == name);
            if other.is_some_and(|(t, _)| *t != text) {
                return Err(self.unknown(&arg.value));
            }
            if text != *name {
                edits.push(Edit::replace(arg.value.at, name.to_string()));
            }
            if other.is_none() {
                instead.push((text, name));
            }
        }
        Ok(edited(module, made.at, &edits))
    }

    fn unknown(&self, expr: &Rc<Expr>) -> String {
        let mut names = expr.names().filter(|(n, _)| !self.is_known(n));
        let name = names.next().map_or("", |(n, _)| n);
        format!("it is opened with `{name}`, which is not known there")
    }

    /// Returns what is given to the function in its place: an argument that it is opened with.
    fn handed_over(&self, value: &Rc<Expr>) -> Result<Instead, String> {
        let Self {
            eval,
            module,
            taken,
            ..
        } = self;
        let dotted = value.dotted().filter(|_| taken.by == self.scope);
        let (text, name) = dotted
            .zip(value.last_name())
            .ok_or_else(|| self.unknown(value))?;
        let def = &module.defs[self.scope.def];
        let root = text.split('.').next().unwrap_or_default();
        let is_param = def.has_param(root);
        let has_number = bindings_of(def, root).any(|b| is_number(&b.source));
        let bound = bindings_of(def, root).count();
        let is_one = bound + usize::from(is_param) == 1;
        let sent = eval.eval(value, &eval.scope(self.scope));
        let stays = |v: &Value| stays_here(eval, v, Some(Via::Process));
        if !is_database(self.of) && (has_number || name.contains("fd")) {
            return Err("it is opened by the number of a file of this process".to_owned());
        }
        if !is_one || taken.is_initializer() && text.contains("self.") || sent.may_be(stays) {
            return Err(self.unknown(value));
        }
        if !self.lasts(&text, root) {
            return Err(format!("`{text}` may be another one by then"));
        }
        let to = &module.defs[taken.to];
        if places_of(module.code(to.at), name).next().is_some() {
            return Err(format!("`{}` has another `{name}`", to.name));
        }
        Ok((text, Rc::clone(name)))
    }

    /// Returns whether the function knows a name as it is here.
    pub(super) fn is_known(&self, name: &Name) -> bool {
        let Self { module, taken, .. } = self;
        let top = &module.defs[0];
        let (scope, to) = (&module.defs[self.scope.def], &module.defs[taken.to]);
        let is_own = self.scope.def != 0 && binds(scope, name);
        let bound: Vec<&Binding> = bindings_of(top, name).collect();
        let is_set_later = module.has_global(name);
        let imports = |b: &&Binding| matches!(b.source, Source::Import(_) | Source::From(..));
        let is_there = match bound.as_slice() {
            [one] => {
                imports(one) || matches!(one.source, Source::Def(_)) || self.is_given_in_time(one)
            }
            all => all.iter().all(imports),
        };
        let is_early = bound.iter().all(|b| !module.is_guarded(b.at));
        !is_own
            && is_there
            && is_early
            && !self.is_added_to(top, name)
            && !binds(to, name)
            && !is_set_later
    }

    /// Returns whether a name of the module has its value before a pool's workers are forked.
    fn is_given_in_time(&self, binding: &Binding) -> bool {
        let Self { eval, module, .. } = self;
        let is_earlier = |at: Place| at.start < binding.at.start && !module.is_guarded(at);
        let mut pools = eval.all_made().filter(|m| {
            let is_here = m.env.at.module == self.scope.module && m.env.at.def == 0;
            is_here && (m.of.ends_with(".Pool") || m.of.ends_with(".ProcessPoolExecutor"))
        });
        binding.source.given().is_some() && !pools.any(|m| is_earlier(m.call.at))
    }

    /// Returns an error if what a call is given may be something else in the other process.
    pub(super) fn keeps_all(&self, made: &Rc<Expr>) -> Result<(), String> {
        let given = made.call().map_or(&[][..], |call| &call.args);
        let base = self.base.as_ref().map(|(name, _)| &**name);
        let is_base = |e: &Expr| base.is_some_and(|name| e.is_name(name));
        let mut given = given.iter().filter(|a| !is_base(&a.value));
        given.try_for_each(|arg| self.keeps(&arg.value))
    }

    /// Returns an error if a function that opens it may do something else the next time.
    pub(super) fn is_repeatable(&self, def: &Def) -> Result<(), String> {
        let is_own = |call: &Call| {
            let of = call.method().and_then(|(of, _)| of.dotted());
            call.at == self.expr.at || of.is_some_and(|of| binds(def, &of))
        };
        let mut calls = def.calls();
        let other = calls.find(|call| !is_own(call) && !is_same(call));
        let why = |call: &Rc<Call>| {
            let call = self.module.slice(call.at);
            format!("`{call}` may be another one there")
        };
        other.map_or_else(|| self.keeps_all(&self.expr), |call| Err(why(call)))
    }

    fn keeps(&self, value: &Rc<Expr>) -> Result<(), String> {
        let Self { eval, module, .. } = self;
        let differs = |of: &str| Err(format!("`{of}` may be another one there"));
        let other = |e: &Rc<Expr>| e.calls().find(|call| !is_same(call)).map(|c| c.at);
        if let Some(at) = other(value) {
            return differs(module.slice(at));
        }
        let own = &module.defs[self.scope.def];
        let is_own = |name: &Name| self.scope.def != 0 && binds(own, name);
        let of_top: Vec<&Name> = value
            .names()
            .map(|(n, _)| n)
            .filter(|n| !is_own(n))
            .collect();
        let tops = &module.defs[0];
        let given = of_top
            .iter()
            .flat_map(|n| bindings_of(tops, n).filter_map(|b| b.source.given()));
        let given: Vec<&Rc<Expr>> = given.collect();
        let is_dictated = || eval.project.says("globals()") && !given.is_empty();
        let is_changed = !of_top.is_empty() && (self.is_set_elsewhere(value) || is_dictated());
        if is_changed || given.into_iter().any(|e| other(e).is_some()) {
            return differs(module.slice(value.at));
        }
        Ok(())
    }

    /// Returns whether the program sets, or puts something into, what an expression speaks of.
    fn is_set_elsewhere(&self, value: &Rc<Expr>) -> bool {
        let is_part = |path: &str| value.walk().any(|e| e.dotted().as_deref() == Some(path));
        let ends = |name: &Name| value.walk().any(|e| e.is_attribute(name));
        let sets = |def: &Def, target: &Target| match target {
            Target::Content(of, _) => of.dotted().is_some_and(|path| is_part(&path)),
            Target::Attribute(_, name) => &*def.name != "__init__" && ends(name),
            Target::Name(_) => false,
        };
        let modules = self.eval.project.modules();
        let mut defs = modules.iter().flat_map(|m| &m.defs);
        defs.any(|d| d.bindings.iter().any(|b| sets(d, &b.target)) || d.globals.iter().any(ends))
    }

    /// Returns whether a name of the caller is, or holds, the same at each of the calls as where it is opened.
    fn lasts(&self, text: &str, root: &str) -> bool {
        let Self { module, taken, .. } = self;
        let by = &module.defs[taken.by.def];
        let places: Vec<Place> = taken.places().collect();
        let is_shadowed = |e: &Rc<Expr>| match &e.kind {
            ExprKind::Comprehension(inner) => {
                let mut names = inner.loops.iter().flat_map(|(target, _)| target.names());
                names.any(|(n, _)| **n == *root) && places.iter().any(|p| e.at.holds(*p))
            }
            _ => false,
        };
        let set = |b: &Binding| {
            by.statements
                .iter()
                .any(|s| s.is_loop() && s.at.holds(b.at))
        };
        let is_each = || {
            let all = |b: &Binding| places.iter().all(|p| b.suite.holds(*p));
            self.binding().is_some_and(all)
        };
        let last = text.rsplit('.').next().filter(|_| text.contains('.'));
        let is_last = |name: &str| last == Some(name);
        let is_set = |b: &Binding| match &b.target {
            Target::Attribute(_, name) => is_last(name) && b.at.start > self.expr.at.start,
            Target::Content(of, _) => of.is_name(root),
            Target::Name(_) => false,
        };
        let modules = self.eval.project.modules();
        let mut defs = modules.iter().flat_map(|m| &m.defs);
        !by.walk().any(is_shadowed)
            && (!bindings_of(by, root).any(set) || is_each())
            && !by.bindings.iter().any(is_set)
            && !self.is_added_to(by, root)
            && !defs.any(|d| is_last(&d.name))
    }

    /// Returns whether a scope changes what a name has: `path += ".db"`.
    fn is_added_to(&self, def: &Def, name: &str) -> bool {
        let operators = ['+', '-', '*', '/', '%', '|', '&'];
        def.statements.iter().any(|s| {
            let rest = self.module.slice(s.head).strip_prefix(name);
            let rest = rest.and_then(|r| r.trim_start().strip_prefix(operators));
            rest.is_some_and(|r| r.trim_start_matches(operators).starts_with('='))
        })
    }

    /// Returns whether the first that the function does with it is this.
    pub(super) fn starts_with(&self, method: &str) -> bool {
        let def = &self.module.defs[self.taken.to];
        let body = Place::new(
            def.statements.first().map_or(def.at.end, |s| s.at.start),
            def.at.end,
        );
        let body = self.module.slice(body);
        let mut places = places_of(body, &self.taken.param);
        let first = if self.taken.is_unpacked() {
            places.nth(1)
        } else {
            places.next()
        };
        first.is_some_and(|at| body[at + self.taken.param.len()..].starts_with(method))
    }
}

/// Returns whether a call gives the same in each process.
fn is_same(call: &Call) -> bool {
    let name = call.func.last_name();
    name.is_some_and(|n| lists(SAME, n))
        || matches!(
            call.func.dotted().as_deref(),
            Some("os.environ.get" | "environ.get")
        )
}

/// Returns whether a name is given the number of an open file.
fn is_number(source: &Source) -> bool {
    match source {
        Source::Part(of, _) => is_number(of),
        Source::Value(e) => e.calls().any(|call| {
            let name = call.func.last_name();
            name.is_some_and(|n| NUMBERS.contains(&&**n))
        }),
        _ => false,
    }
}

/// Returns whether an argument is plain text or a number, which every process has.
fn is_constant(arg: &Arg) -> bool {
    matches!(arg.value.kind, ExprKind::Text(_) | ExprKind::Constant)
}
