//! Python's syntax as far as the search needs it: scopes, what binds their names, expressions.
//!
//! A module is a flat list of [`Def`]s, each a scope (the first is the module itself); each knows
//! its statements in order, nested blocks flattened, and which suite each of them is in.
//!
//! - [`expr`]: expressions, and what is asked of one.

mod expr;

use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use super::project::ModuleId;

pub(super) use expr::{Arg, Call, Comprehension, Expr, ExprKind};

/// A name in the source.
pub(super) type Name = Rc<str>;

/// A stretch of the text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl Place {
    pub(super) fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Returns whether another place lies within this one.
    pub(super) fn holds(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

impl From<Place> for Range<usize> {
    fn from(place: Place) -> Self {
        place.start as usize..place.end as usize
    }
}

/// A parsed file.
#[derive(Debug)]
pub(super) struct Module {
    /// Its number in the program.
    pub(super) id: ModuleId,
    /// The file, as it is opened.
    pub(super) path: PathBuf,
    /// The file as a reader knows it: below the root, or as the traceback prints it.
    pub(super) shown: String,
    pub(super) text: String,
    /// The same with blanks for its comments and docstrings, which do nothing.
    pub(super) code: String,
    /// The offset of each line's first byte.
    pub(super) lines: Vec<u32>,
    /// The scopes; the first is the module.
    pub(super) defs: Vec<Def>,
    /// The names whose values get something from outside: `x[k] = …`, `x.append(…)`, `x.a = …`.
    pub(super) filled: HashSet<Name>,
    /// Whether a part of it could not be parsed.
    pub(super) has_errors: bool,
}

impl Module {
    /// Returns the 1-based line of an offset.
    pub(super) fn line_of(&self, offset: u32) -> u32 {
        let line = self.lines.partition_point(|start| *start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }

    /// Returns the text of a line without its end; empty where there is no such line.
    pub(super) fn line(&self, number: u32) -> &str {
        let index = number.saturating_sub(1) as usize;
        let Some(start) = self.lines.get(index).filter(|_| number > 0) else {
            return "";
        };
        let rest = &self.text[*start as usize..];
        rest.split('\n').next().unwrap_or("").trim_end_matches('\r')
    }

    /// Returns the text of a place.
    pub(super) fn slice(&self, place: Place) -> &str {
        self.text.get(Range::from(place)).unwrap_or("")
    }

    /// Returns the text of a place without its comments and docstrings.
    pub(super) fn code(&self, place: Place) -> &str {
        self.code.get(Range::from(place)).unwrap_or("")
    }

    /// Returns the first line of a place.
    pub(super) fn first_line(&self, place: Place) -> &str {
        self.slice(place).lines().next().unwrap_or_default()
    }

    /// Returns the arguments of a call as they are written, with their parentheses.
    pub(super) fn arguments(&self, call: &Call) -> &str {
        self.text
            .get(call.func.at.end as usize..call.at.end as usize)
            .unwrap_or("")
    }

    /// Returns an error if a part of it could not be parsed: no edit of it is sure.
    pub(super) fn is_parsed(&self) -> Result<(), String> {
        if self.has_errors {
            return Err("the file does not parse".to_owned());
        }
        Ok(())
    }

    /// Returns the scopes with their numbers.
    pub(super) fn defs(&self) -> impl Iterator<Item = (usize, &Def)> {
        self.defs.iter().enumerate()
    }

    /// Returns the expressions of all scopes, each with what is in it.
    pub(super) fn exprs(&self) -> impl Iterator<Item = &Rc<Expr>> {
        self.defs.iter().flat_map(Def::walk)
    }

    /// Returns the calls of all scopes.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Rc<Call>> {
        self.exprs().filter_map(|e| e.call())
    }

    /// Returns what all scopes bind.
    pub(super) fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.defs.iter().flat_map(|d| &d.bindings)
    }

    /// Returns whether a function of it declares a name `global`.
    pub(super) fn has_global(&self, name: &str) -> bool {
        self.defs.iter().any(|d| d.declares(name))
    }

    /// Returns the functions that stand in the body of a class, with their numbers.
    pub(super) fn methods(&self, class: usize) -> impl Iterator<Item = (usize, &Def)> {
        self.defs()
            .filter(move |(_, d)| d.parent == class && d.kind == Kind::Function)
    }

    /// Returns whether a function stands in the body of a class.
    pub(super) fn is_method(&self, def: &Def) -> bool {
        self.defs[def.parent].kind == Kind::Class
    }

    /// Returns the name that a method has for its own object: `self`.
    pub(super) fn own_name<'d>(&self, def: &'d Def) -> Option<&'d Name> {
        let first = def.params.first().filter(|_| self.is_method(def))?;
        Some(&first.name)
    }

    /// Returns the scopes within a place.
    pub(super) fn within(&self, place: Place) -> impl Iterator<Item = &Def> {
        self.defs.iter().filter(move |d| place.holds(d.at))
    }

    /// Returns the main guard: `if __name__ == "__main__":`.
    pub(super) fn main_guard(&self) -> Option<&Statement> {
        self.main_guards().next()
    }

    /// Returns all of them, where a script has several.
    pub(super) fn main_guards(&self) -> impl Iterator<Item = &Statement> {
        let all = self.defs[0].statements.iter();
        all.filter(|s| s.kind == StatementKind::If && self.slice(s.head).contains("__name__"))
    }

    /// Returns whether a place is under the main guard.
    pub(super) fn is_guarded(&self, at: Place) -> bool {
        self.main_guard().is_some_and(|guard| guard.at.holds(at))
    }

    /// Returns a scope and those around it, with their numbers, but not the module itself.
    pub(super) fn outwards(&self, def: usize) -> impl Iterator<Item = (usize, &Def)> {
        let around = |at: &usize| Some(self.defs[*at].parent).filter(|at| *at != 0);
        let all = std::iter::successors(Some(def).filter(|at| *at != 0), around);
        all.map(|at| (at, &self.defs[at]))
    }

    /// Returns the innermost function or module that a place begins in.
    pub(super) fn def_around(&self, place: Place) -> usize {
        self.def_at(self.line_of(place.start))
    }

    /// Returns the innermost function or module whose text includes a line.
    pub(super) fn def_at(&self, line: u32) -> usize {
        let within = |def: &&(usize, &Def)| {
            let (first, last) = (self.line_of(def.1.at.start), self.line_of(def.1.at.end));
            first <= line && line <= last && matches!(def.1.kind, Kind::Function)
        };
        let found = self.defs().filter(|d| within(&d));
        found.last().map_or(0, |(id, _)| id)
    }
}

/// What a scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Module,
    Class,
    Function,
    Lambda,
}

/// A scope: a module, class, function or lambda.
#[derive(Debug)]
pub(super) struct Def {
    pub(super) kind: Kind,
    pub(super) name: Name,
    /// As Python spells it: `f.<locals>.g`.
    pub(super) qualname: String,
    /// The scope around it, by index.
    pub(super) parent: usize,
    /// All of it, decorators included.
    pub(super) at: Place,
    /// From `def` or `class` on, without decorators; of a lambda all of it.
    pub(super) head: Place,
    pub(super) params: Vec<Param>,
    /// What stands behind `->`.
    pub(super) return_type: Option<Rc<Expr>>,
    /// Base classes and keywords of a class.
    pub(super) bases: Vec<Arg>,
    pub(super) decorators: Vec<Rc<Expr>>,
    pub(super) is_async: bool,
    pub(super) bindings: Vec<Binding>,
    /// Names declared `global`.
    pub(super) globals: Vec<Name>,
    pub(super) statements: Vec<Statement>,
    /// What it returns; of a lambda its body.
    pub(super) returns: Vec<Rc<Expr>>,
    pub(super) yields: Vec<Rc<Expr>>,
}

impl Def {
    /// Returns a definition whose parts are still to be read.
    pub(super) fn empty(
        kind: Kind,
        name: Name,
        qualname: String,
        parent: usize,
        at: Place,
    ) -> Self {
        Self {
            kind,
            name,
            qualname,
            parent,
            at,
            head: at,
            params: Vec::new(),
            return_type: None,
            bases: Vec::new(),
            decorators: Vec::new(),
            is_async: false,
            bindings: Vec::new(),
            globals: Vec::new(),
            statements: Vec::new(),
            returns: Vec::new(),
            yields: Vec::new(),
        }
    }

    /// Returns the statement that it begins with, behind its docstring.
    pub(super) fn begin(&self) -> Option<&Statement> {
        self.statements.iter().find(|s| !s.is_text())
    }

    /// Returns its statements of a kind.
    pub(super) fn of_kind(&self, kind: StatementKind) -> impl Iterator<Item = &Statement> {
        self.statements.iter().filter(move |s| s.kind == kind)
    }

    /// Returns what the statement at a place binds.
    pub(super) fn bound_at(&self, at: Place) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |b| b.at == at)
    }

    /// Returns whether it has a parameter of this name.
    pub(super) fn has_param(&self, name: &str) -> bool {
        self.params.iter().any(|p| *p.name == *name)
    }

    /// Returns whether it declares a name `global`.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.globals.iter().any(|g| **g == *name)
    }

    /// Returns the statements within another one.
    pub(super) fn inside(&self, outer: &Statement) -> impl Iterator<Item = &Statement> {
        let at = outer.at;
        let inside = move |s: &&Statement| at.holds(s.at) && s.at != at;
        self.statements.iter().filter(inside)
    }

    /// Returns its loops around a place that is no loop itself.
    pub(super) fn loops(&self, at: Place) -> impl Iterator<Item = &Statement> {
        let around = move |s: &&Statement| s.is_loop() && s.at != at && s.at.holds(at);
        self.statements.iter().filter(around)
    }

    /// Returns whether it does what is at a place again and again: in a loop, or in a comprehension.
    pub(super) fn repeats(&self, at: Place) -> bool {
        let is_listed = |e: &Rc<Expr>| matches!(e.kind, ExprKind::Comprehension(_));
        self.loops(at).next().is_some() || self.walk().any(|e| is_listed(e) && e.at.holds(at))
    }

    /// Returns the expressions of its statements.
    pub(super) fn statement_exprs(&self) -> impl Iterator<Item = &Rc<Expr>> {
        self.statements.iter().flat_map(|s| &s.exprs)
    }

    /// Returns the annotations of its head, which are read when it is made.
    pub(super) fn annotations(&self) -> impl Iterator<Item = &Rc<Expr>> {
        let of_params = self.params.iter().filter_map(|p| p.annotation.as_ref());
        of_params.chain(&self.return_type)
    }

    /// Returns its expressions: those of its statements, and the body of a lambda.
    pub(super) fn exprs(&self) -> impl Iterator<Item = &Rc<Expr>> {
        // What a function returns is in a statement.
        let body = self.returns.iter().filter(|_| self.kind == Kind::Lambda);
        self.statement_exprs().chain(body)
    }

    /// Returns its expressions, each with what is in it.
    pub(super) fn walk(&self) -> impl Iterator<Item = &Rc<Expr>> {
        self.exprs().flat_map(Expr::walk)
    }

    /// Returns the calls in it.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Rc<Call>> {
        self.exprs().flat_map(Expr::calls)
    }

    /// Returns the names in it, with their places.
    pub(super) fn names(&self) -> impl Iterator<Item = (&Name, Place)> {
        self.exprs().flat_map(Expr::names)
    }
}

/// A parameter.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub(super) name: Name,
    pub(super) kind: ParamKind,
    pub(super) annotation: Option<Rc<Expr>>,
    pub(super) default: Option<Rc<Expr>>,
}

/// How a parameter takes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParamKind {
    Plain,
    KeywordOnly,
    /// `*args`
    Rest,
    /// `**kwargs`
    Keywords,
}

/// What gives a name, or an attribute, its value.
#[derive(Clone, Debug)]
pub(super) struct Binding {
    pub(super) target: Target,
    pub(super) source: Source,
    /// The statement.
    pub(super) at: Place,
    /// The suite that the statement is in.
    pub(super) suite: Place,
    pub(super) annotation: Option<Rc<Expr>>,
}

impl Binding {
    /// Returns the name that is bound; `None` for an attribute, or what is put into something.
    pub(super) fn name(&self) -> Option<&Name> {
        match &self.target {
            Target::Name(name) => Some(name),
            _ => None,
        }
    }

    /// Returns what an attribute is set on, and its name; `None` where anything else is bound.
    pub(super) fn attribute(&self) -> Option<(&Rc<Expr>, &Name)> {
        match &self.target {
            Target::Attribute(base, name) => Some((base, name)),
            _ => None,
        }
    }

    /// Returns whether an attribute of this name is set, on whatever.
    pub(super) fn sets_attribute(&self, name: &str) -> bool {
        self.attribute().is_some_and(|(_, n)| **n == *name)
    }

    /// Returns what is changed: what an attribute is set on, or something is put into; `None` for a name.
    pub(super) fn changed(&self) -> Option<&Rc<Expr>> {
        match &self.target {
            Target::Attribute(base, _) | Target::Content(base, _) => Some(base),
            Target::Name(_) => None,
        }
    }

    /// Returns the name that is bound to an expression: `name = value`.
    pub(super) fn named_value(&self) -> Option<(&Name, &Rc<Expr>)> {
        match (&self.target, &self.source) {
            (Target::Name(name), Source::Value(value)) => Some((name, value)),
            _ => None,
        }
    }
}

/// What is bound.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A name.
    Name(Name),
    /// `base.attribute`
    Attribute(Rc<Expr>, Name),
    /// Something within what a name or attribute holds: `base[k] = …`, `base.append(…)`; the key
    /// where it is a text.
    Content(Rc<Expr>, Option<String>),
}

/// Where a bound value comes from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// An expression.
    Value(Rc<Expr>),
    /// What iterating over an expression gives.
    Element(Rc<Expr>),
    /// What a `with` gives.
    Entered(Rc<Expr>),
    /// One part of what another source gives.
    Part(Box<Source>, usize),
    /// A class or function, by index.
    Def(usize),
    /// `import a.b` (binds `a`) or `import a.b as c` (binds `a.b`).
    Import(String),
    /// `from module import name`; dots in front count levels.
    From(String, Name),
    /// An annotation alone, `except … as e`, `del x`.
    Nothing,
}

impl Source {
    /// Returns the expression that it gives as it is: also `b` of `a, b`, as `self.x, self.y = a, b` has it.
    pub(super) fn given(&self) -> Option<&Rc<Expr>> {
        match self {
            Self::Value(value) => Some(value),
            Self::Part(of, at) => match &of.given()?.kind {
                ExprKind::Items(items) => {
                    let is_spread = |e: &Rc<Expr>| matches!(e.kind, ExprKind::Starred(_));
                    items.get(*at).filter(|_| !items.iter().any(is_spread))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// A statement without the statements in it.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    /// The whole of it, its suites included.
    pub(super) at: Place,
    /// Without its suites.
    pub(super) head: Place,
    /// The suite that it is in.
    pub(super) suite: Place,
    /// The expressions in it, in order.
    pub(super) exprs: Vec<Rc<Expr>>,
}

impl Statement {
    /// Returns whether it is a text alone: a docstring.
    pub(super) fn is_text(&self) -> bool {
        let is_text = |e: &Rc<Expr>| matches!(e.kind, ExprKind::Text(_));
        self.kind == StatementKind::Expr && self.exprs.iter().all(is_text)
    }

    /// Returns whether it is more than a definition, an import or a text.
    pub(super) fn is_code(&self) -> bool {
        !matches!(self.kind, StatementKind::Def | StatementKind::Import) && !self.is_text()
    }

    /// Returns its expressions, each with what is in it.
    pub(super) fn walk(&self) -> impl Iterator<Item = &Rc<Expr>> {
        self.exprs.iter().flat_map(Expr::walk)
    }

    /// Returns the calls in it.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Rc<Call>> {
        self.exprs.iter().flat_map(Expr::calls)
    }

    /// Returns the names in it, with their places.
    pub(super) fn names(&self) -> impl Iterator<Item = (&Name, Place)> {
        self.exprs.iter().flat_map(Expr::names)
    }

    /// Returns whether it does what is in it again and again.
    pub(super) fn is_loop(&self) -> bool {
        matches!(self.kind, StatementKind::For | StatementKind::While)
    }
}

/// What a statement is, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementKind {
    Import,
    Def,
    Assign,
    Return,
    If,
    For,
    While,
    With,
    Try,
    Delete,
    /// An expression alone, a call mostly.
    Expr,
    Other,
}
