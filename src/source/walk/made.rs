//! What a call of a library gave, and the arguments that it keeps.

use std::rc::Rc;

use super::super::objects::inside;
use super::super::sent::Pickler;
use super::super::syntax::{Expr, ExprKind};
use super::super::value::{Env, Made};
use super::super::wanted::Wanted;
use super::options::PARSES;
use super::{At, Event, Walk, new_suspect};

impl Walk<'_, '_> {
    pub(super) fn made(&mut self, made: &Rc<Made>, at: &At) {
        let mut here = at.clone();
        (here.module, here.place) = made.place();
        if let Some(wrapped) = &made.wrapped {
            return self.value(wrapped, at);
        }
        if &*made.of == "threading.Condition" && !made.call.args.is_empty() {
            return self.condition(made, &here, at);
        }
        let is_cache = made.of.starts_with("functools.lru_cache") || &*made.of == "functools.cache";
        if let (true, Wanted::Same(_), Some(arg)) = (is_cache, self.wanted, made.call.args.first())
        {
            let cached = self.eval.eval(&arg.value, &made.env);
            if cached.function().is_some_and(|f| self.goes_by(f.id)) {
                let of = made.of.trim_end_matches("()").to_owned();
                return self.suspect(of, &here, None);
            }
        }
        if self.pickler == Pickler::Cloud && is_read_as_text(made) {
            return;
        }
        if self.holds(&made.of) {
            return self.suspect(made.of.to_string(), &here, None);
        }
        if &*made.of == "open" || made.of.ends_with(".open") {
            return;
        }
        if &*made.of == PARSES {
            self.options(&here);
        }
        let args = || made.call.args.iter();
        // A delayed call brings its function too.
        if let (Some(from), true) = (&made.from, made.of.starts_with("dask.delayed")) {
            self.value(from, at);
        }
        if let Some(known) = inside(&made.of) {
            if known.keeps {
                for (n, arg) in args().enumerate() {
                    let mut within = here.clone();
                    if &*made.of == "collections.defaultdict" && n == 0 {
                        within.path.push_str(".default_factory");
                    }
                    if let (true, Some(label)) = (made.of.ends_with("Namespace"), &arg.label) {
                        within.path = format!("{}.{label}", within.path);
                    }
                    self.argument(&arg.value, &made.env, &within, true);
                }
            }
        } else {
            for arg in args() {
                self.argument(&arg.value, &made.env, &here, false);
            }
            // A function gives data more often than not; a class gives an object.
            let last = made.of.rsplit('.').next().unwrap_or_default();
            let is_taken = made.of.contains("()") || !last.starts_with(char::is_uppercase);
            let suspect = new_suspect(made.of.to_string(), &here, None);
            self.events.push(if is_taken {
                Event::Unknown
            } else {
                Event::Library(suspect)
            });
        }
    }

    /// Walks over a condition: it is the lock that it was given; `Condition(Lock())` is made with its own.
    fn condition(&mut self, made: &Made, here: &At, at: &At) {
        let before = self.events.len();
        for arg in &made.call.args {
            self.argument(&arg.value, &made.env, at, true);
        }
        for event in &mut self.events[before..] {
            if let Event::Suspect(found) = event
                && made.call.at.holds(found.at)
                && found.module == here.module
            {
                *found = new_suspect(made.of.to_string(), here, None);
            }
        }
    }

    /// Walks over an argument that an object keeps.
    pub(super) fn argument(&mut self, expr: &Rc<Expr>, env: &Env, at: &At, is_sure: bool) {
        let mut inner = at.inner();
        inner.is_sure &= is_sure;
        (inner.module, inner.place) = (env.at.module, expr.at);
        if let Some(holder) = &mut inner.holder {
            holder.is_itself = false;
        }
        if inner.holder.is_none()
            && let Some(label) = self.label(expr, env)
        {
            (inner.path, inner.is_named) = (label, true);
        }
        let before = self.events.len();
        let value = self.eval.eval(expr, env);
        self.value(&value, &inner);
        if !is_sure {
            // An argument that may not be kept says nothing where it is not known.
            let mut found = self.events.split_off(before);
            found.retain(|e| matches!(e, Event::Suspect(_)));
            self.events.extend(found);
        }
    }
}

/// Returns whether a call opens a file whose text `cloudpickle` sends along.
fn is_read_as_text(made: &Made) -> bool {
    // Of a path, only the mode is given.
    let of_path = &*made.of == "pathlib.Path().open";
    let placed = made.call.args.get(usize::from(!of_path));
    let placed = placed.filter(|a| a.label.is_none());
    let mode = made.call.labelled("mode").or(placed);
    let mode = mode.map(|a| &a.value.kind);
    let is_open = of_path || matches!(&*made.of, "open" | "io.open");
    is_open
        && match mode {
            None => true,
            Some(ExprKind::Text(mode)) => !mode.contains('b') && mode.contains(['r', '+']),
            _ => false,
        }
}
