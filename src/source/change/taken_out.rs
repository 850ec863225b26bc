//! An argument that is taken out of the calls which hand it to another process, and out of the parameters of the
//! function that runs there.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::eval::{Eval, only_binding};
use super::super::objects::PROCESS;
use super::super::project::ModuleId;
use super::super::sent::argument;
use super::super::syntax::{
    Binding, Call, Def, Expr, ExprKind, Kind, Module, Name, ParamKind, Place, Source, Statement,
    StatementKind,
};
use super::super::text::{above, after, closing, indent_at, parted};
use super::super::value::{DefId, Made, Value};
use super::call::{dropped, rewritten};

/// What takes the place of an argument: an expression of the caller, and the parameter for it.
pub(super) type Instead = (String, Name);

/// A function and the calls that give something to it.
pub(super) struct Taken {
    /// The scope of the calls.
    pub(super) by: DefId,
    /// The function that runs in the other process.
    pub(super) to: usize,
    /// The name that it has there.
    pub(super) param: Name,
    /// The calls.
    pub(super) sites: Vec<Site>,
    /// The statement that takes a tuple apart which holds it, if one does.
    unpacking: Option<Statement>,
}

/// A call that gives it to a function.
pub(super) struct Site {
    pub(super) call: Rc<Call>,
    /// Whether a pool's workers call the function while they start.
    pub(super) is_initializer: bool,
    pub(super) is_partial: bool,
    /// How many arguments stand before the function's own.
    head: usize,
    func: Rc<Expr>,
    given: Given,
    at: usize,
}

/// How a call gives it.
enum Given {
    /// In a tuple, which is this argument.
    Packed(Rc<Expr>, &'static str),
    /// In tuples that a pool's method spreads or, if it does not, gives as they are.
    Items(Vec<Rc<Expr>>, bool),
    /// As an argument of this name, or by position.
    Direct(Option<Name>),
}

/// Finds the calls of one scope that give a name to a function of the same module, which nothing else calls.
pub(super) fn taken(eval: &Eval, id: ModuleId, name: &str) -> Result<Taken, String> {
    let all = eval.all_made().filter(|m| m.env.at.module == id);
    let mut by = None;
    let mut sites = Vec::new();
    let mut of = None;
    let another = || "it is given to several functions".to_owned();
    for made in all {
        let Some(site) = site(eval, &made, name) else {
            continue;
        };
        if !site.is_given_once(name) {
            return Err(format!("`{name}` is given more than once"));
        }
        let function = eval.eval(&site.func, &made.env);
        let (function, shift) = match function {
            Value::Function(f) => (f.id, 0),
            Value::Method(_, f) => (f.id, 1),
            _ => return Err("the function that gets it could not be made out".to_owned()),
        };
        if *of.get_or_insert((function, shift)) != (function, shift)
            || *by.get_or_insert(made.env.at) != made.env.at
        {
            return Err(another());
        }
        sites.push(site);
    }
    let missing = || "the call that gives it could not be made out".to_owned();
    let ((function, shift), by) = of.zip(by).ok_or_else(missing)?;
    let module = eval.project.module(id);
    if function.module != id {
        return Err("the function that gets it is in another module".to_owned());
    }
    let def = &module.defs[function.def];
    let mut calls: Vec<Place> = sites.iter().map(|s| s.func.at).collect();
    calls.dedup();
    let modules = eval.project.modules();
    let mut all = modules.iter().flat_map(|m| &m.defs);
    let is_another = |d: &Def| d.name == def.name && d.at != def.at;
    let is_named = sites.iter().all(|s| s.func.last_name() == Some(&def.name));
    if all.any(is_another) || !is_named || uses(eval, &def.name) != calls.len() {
        return Err(format!("`{}` is used elsewhere, too", def.name));
    }
    let (param, unpacking) = received(&module, def, &sites, shift)?;
    Ok(Taken {
        by,
        to: function.def,
        param,
        sites,
        unpacking,
    })
}

/// Returns how often the program speaks of a function or method, by its name.
fn uses(eval: &Eval, name: &Name) -> usize {
    let is_it = |e: &&Rc<Expr>| e.last_name() == Some(name);
    let imports = |b: &&Binding| matches!(&b.source, Source::From(_, what) if what == name);
    let modules = eval.project.modules();
    let uses = modules
        .iter()
        .map(|m| m.exprs().filter(is_it).count() + m.bindings().filter(imports).count());
    uses.sum()
}

/// Returns how a call gives a name to a function, if it does.
fn site(eval: &Eval, made: &Made, name: &str) -> Option<Site> {
    let call = &made.call;
    let packed = |(func, label): (usize, &str), (args, args_label): (usize, &'static str)| {
        let func = &argument(call, func, label)?.value;
        let args = &argument(call, args, args_label)?.value;
        let at = index(args, name)?;
        Some((
            Rc::clone(func),
            Given::Packed(Rc::clone(args), args_label),
            at,
        ))
    };
    // `loop.run_in_executor(pool, work, db)`
    let head = if made.of.ends_with(".run_in_executor") {
        2
    } else {
        1
    };
    let is_initializer = matches!(
        &*made.of,
        "multiprocessing.Pool" | "concurrent.futures.ProcessPoolExecutor"
    );
    let (func, given, at) = match &*made.of {
        PROCESS => packed((1, "target"), (3, "args")),
        "multiprocessing.Pool" => packed((1, "initializer"), (2, "initargs")),
        "concurrent.futures.ProcessPoolExecutor" => packed((2, "initializer"), (3, "initargs")),
        "multiprocessing.Pool().apply" | "multiprocessing.Pool().apply_async" => {
            packed((0, "func"), (1, "args"))
        }
        of if is_submitted(of) => {
            let rest = call.args.get(head..)?;
            let func = &call.args[head - 1];
            let at = rest.iter().position(|a| a.value.is_name(name))?;
            let is_spread = rest[..at].iter().any(|a| a.stars > 0);
            let label = rest[at].label.clone();
            (!is_spread).then(|| (Rc::clone(&func.value), Given::Direct(label), at))
        }
        of => {
            let method = of.strip_prefix("multiprocessing.Pool().")?;
            let is_spread = method.starts_with("starmap");
            let is_map = method.starts_with("map") || method.starts_with("imap");
            if !is_spread && !is_map {
                return None;
            }
            let items = &argument(call, 1, "iterable")?.value;
            let items = tuples(eval, items, made)?;
            let at = index(items.first()?, name)?;
            let is_same = |e: &Rc<Expr>| index(e, name) == Some(at);
            let func = Rc::clone(&argument(call, 0, "func")?.value);
            let is_it = items.iter().all(is_same);
            is_it.then_some((func, Given::Items(items, is_spread), at))
        }
    }?;
    Some(Site {
        call: Rc::clone(call),
        is_initializer,
        head,
        is_partial: &*made.of == "functools.partial",
        func,
        given,
        at,
    })
}

/// Returns whether a call takes a function's arguments one by one.
fn is_submitted(of: &str) -> bool {
    let names = [
        "concurrent.futures.ProcessPoolExecutor().submit",
        "functools.partial",
    ];
    names.contains(&of) || of.starts_with("asyncio") && of.ends_with(".run_in_executor")
}

/// Returns which item of a tuple a name is.
fn index(items: &Expr, name: &str) -> Option<usize> {
    let ExprKind::Items(items) = &items.kind else {
        return None;
    };
    let is_spread = |e: &Rc<Expr>| matches!(e.kind, ExprKind::Starred(_));
    let at = items.iter().position(|e| e.is_name(name))?;
    (!items.iter().any(is_spread)).then_some(at)
}

/// Returns the expressions that make the tuples which are run over, here or in the line that sets a name.
fn tuples(eval: &Eval, items: &Rc<Expr>, made: &Made) -> Option<Vec<Rc<Expr>>> {
    let module = eval.project.module(made.env.at.module);
    let set = match &items.kind {
        // What is run over elsewhere, too, stays as it is.
        ExprKind::Name(name) if places_of(&module.code, name).count() > 2 => return None,
        ExprKind::Name(name) => only_binding(&module.defs[made.env.at.def], name)?
            .source
            .given()?,
        _ => items,
    };
    match &set.kind {
        ExprKind::Comprehension(inner) => Some(vec![Rc::clone(&inner.element)]),
        ExprKind::Items(all) => Some(all.clone()),
        _ => None,
    }
}

/// Returns the name that a function has for it, and the statement that takes it out of a tuple.
fn received(
    module: &Module,
    def: &Def,
    sites: &[Site],
    shift: usize,
) -> Result<(Name, Option<Statement>), String> {
    let other = || format!("`{}` takes it in another way", def.name);
    if def.kind != Kind::Function || !def.decorators.is_empty() || def.is_async {
        return Err(other());
    }
    let mut all = sites.iter().map(|site| match &site.given {
        Given::Items(_, false) => unpacked(module, def, shift, site.at),
        Given::Direct(Some(label)) => {
            let mut params = def.params.iter();
            let param = params.find(|p| p.name == *label)?;
            Some((Rc::clone(&param.name), None))
        }
        _ => {
            let param = def.params.get(site.at + shift)?;
            let is_plain = param.kind == ParamKind::Plain && param.default.is_none();
            is_plain.then(|| (Rc::clone(&param.name), None))
        }
    });
    let (name, statement) = all.next().flatten().ok_or_else(other)?;
    let is_same = |found: Option<(Name, Option<Statement>)>| {
        found.is_some_and(|(n, s)| n == name && s.is_some() == statement.is_some())
    };
    let bound = def.bindings.iter().filter(|b| b.name() == Some(&name));
    let is_set = bound.count() > usize::from(statement.is_some());
    if !all.all(is_same) || is_set || def.declares(&name) {
        return Err(other());
    }
    Ok((name, statement))
}

/// Returns the name that a part of the only parameter gets: `conn, row = args`.
fn unpacked(
    module: &Module,
    def: &Def,
    shift: usize,
    at: usize,
) -> Option<(Name, Option<Statement>)> {
    let param = &def.params.get(shift)?.name;
    let is_it = |of: &Source| matches!(of, Source::Value(e) if e.is_name(param));
    let mut parts = def.bindings.iter();
    let part = parts.find(|b| matches!(&b.source, Source::Part(of, n) if *n == at && is_it(of)))?;
    let mut statements = def.statements.iter();
    let statement = statements.find(|s| s.at == part.at && s.kind == StatementKind::Assign)?;
    let is_alone = places_of(module.code(def.at), param).count() == 2;
    let is_rest = module.slice(statement.at).contains('*');
    let name = part.name().filter(|_| is_alone && !is_rest)?;
    Some((Rc::clone(name), Some(statement.clone())))
}

impl Taken {
    /// Returns the edits that take it out, with what is given instead.
    pub(super) fn out(&self, module: &Module, instead: &[Instead]) -> Option<Vec<Edit>> {
        let given: Vec<&str> = instead.iter().map(|(text, _)| text.as_str()).collect();
        let given = given.join(", ");
        let mut edits = Vec::new();
        for site in &self.sites {
            Edit::add(&mut edits, site.without(module, instead, &given)?);
        }
        let def = &module.defs[self.to];
        let params: Vec<&str> = instead.iter().map(|(_, name)| &**name).collect();
        let places = match &self.unpacking {
            Some(statement) => targets(module, statement)?,
            None => params_of(module, def)?,
        };
        let at = places.iter().position(|place| {
            let text = module.slice(*place);
            let name = text.split([':', '=']).next().unwrap_or_default();
            name.trim() == &*self.param
        })?;
        edits.push(replaced(&places, at, &params.join(", ")));
        Some(edits)
    }

    /// Returns the edit that puts lines where the function has all that it is given.
    pub(super) fn first(&self, module: &Module, lines: &[String]) -> Option<Edit> {
        let def = &module.defs[self.to];
        if let Some(statement) = &self.unpacking {
            let indent = indent_at(module, statement.at.start);
            let end = statement.at.end as usize;
            let edit = after(module, end, &indent, lines);
            return Some(edit);
        }
        above(module, def.begin()?.at.start, lines)
    }

    /// Returns whether a pool's workers get it while they start.
    pub(super) fn is_initializer(&self) -> bool {
        self.sites.iter().any(|s| s.is_initializer)
    }

    /// Returns whether it is given away once, each time that a statement sets it.
    pub(super) fn is_once(&self, module: &Module, set: Place) -> bool {
        let [site] = self.sites.as_slice() else {
            return false;
        };
        let by = &module.defs[self.by.def];
        let repeats = |at: Place| at.holds(site.call.at) && !at.holds(set);
        let is_loop = |s: &Statement| s.is_loop() && repeats(s.at);
        let is_listed =
            |e: &Rc<Expr>| matches!(e.kind, ExprKind::Comprehension(_)) && repeats(e.at);
        let is_several = site.is_partial || matches!(site.given, Given::Items(..));
        !is_several && !by.statements.iter().any(is_loop) && !by.walk().any(is_listed)
    }

    /// Returns whether a place is within one of the calls, or what it is given.
    pub(super) fn is_given_at(&self, place: Place) -> bool {
        self.sites.iter().any(|site| match &site.given {
            Given::Items(all, _) => all.iter().any(|items| items.at.holds(place)),
            _ => site.call.at.holds(place),
        })
    }

    /// Returns whether the function takes it out of a tuple.
    pub(super) fn is_unpacked(&self) -> bool {
        self.unpacking.is_some()
    }

    /// Returns where it is given.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        self.sites.iter().flat_map(|site| match &site.given {
            Given::Items(all, _) => all.iter().map(|items| items.at).collect(),
            _ => vec![site.call.at],
        })
    }

    /// Returns where the first of the calls begins.
    pub(super) fn start(&self) -> u32 {
        let starts = self.sites.iter().map(|s| s.call.at.start);
        starts.min().unwrap_or(0)
    }
}

impl Site {
    /// Returns whether a call, or each of its tuples, speaks of a name once.
    fn is_given_once(&self, name: &str) -> bool {
        let times = |e: &Rc<Expr>| e.names().filter(|(n, _)| ***n == *name).count();
        match &self.given {
            Given::Items(all, _) => all.iter().all(|e| times(e) == 1),
            _ => {
                self.call
                    .args
                    .iter()
                    .map(|a| times(&a.value))
                    .sum::<usize>()
                    == 1
            }
        }
    }

    /// Returns the edits of the call.
    fn without(&self, module: &Module, instead: &[Instead], given: &str) -> Option<Vec<Edit>> {
        let call = &self.call;
        match &self.given {
            Given::Direct(_) if call.args.len() == 2 && given.is_empty() && self.is_partial => {
                Some(vec![Edit::replace(call.at, module.slice(self.func.at))])
            }
            Given::Direct(None) => {
                let places: Vec<Place> = call.args.iter().map(|a| a.value.at).collect();
                let at = self.at + self.head;
                // What comes behind it may have a name.
                let is_placed = call.args.get(at + 1).is_none_or(|a| a.label.is_none());
                is_placed.then(|| vec![replaced(&places, at, given)])
            }
            Given::Direct(Some(label)) if instead.is_empty() => {
                dropped(module, call, label).map(|edit| vec![edit])
            }
            Given::Direct(Some(label)) => {
                let all = instead.iter().map(|(text, name)| format!("{name}={text}"));
                let all: Vec<String> = all.collect();
                rewritten(module, call, label, all.join(", ")).map(|edit| vec![edit])
            }
            Given::Packed(items, label) => {
                let parts = parts(items);
                if parts.len() == 1 && given.is_empty() && call.labelled(label).is_some() {
                    return dropped(module, call, label).map(|edit| vec![edit]);
                }
                Some(vec![without(module, items, self.at, given, true)])
            }
            Given::Items(all, is_spread) => {
                let all = all.iter();
                let edits = all.map(|items| without(module, items, self.at, given, *is_spread));
                Some(edits.collect())
            }
        }
    }
}

/// Returns the items of a tuple or list.
fn parts(items: &Expr) -> &[Rc<Expr>] {
    match &items.kind {
        ExprKind::Items(parts) => parts,
        _ => &[],
    }
}

/// Returns the edit that takes an item out of a tuple, which is to stay one, or puts another text there.
fn without(module: &Module, items: &Expr, at: usize, given: &str, is_tuple: bool) -> Edit {
    let parts = parts(items);
    if given.is_empty()
        && let [one, two] = parts
    {
        let kept = module.slice(if at == 0 { two.at } else { one.at });
        let text = match (is_tuple, module.slice(items.at).starts_with('[')) {
            (false, _) => kept.to_owned(),
            (true, false) => format!("({kept},)"),
            (true, true) => format!("[{kept}]"),
        };
        return Edit::replace(items.at, text);
    }
    if given.is_empty() && parts.len() == 1 {
        return Edit::replace(items.at, "()");
    }
    let places: Vec<Place> = parts.iter().map(|e| e.at).collect();
    replaced(&places, at, given)
}

/// Returns the edit that puts another text in the place of one of several that commas part, or takes it out.
fn replaced(places: &[Place], at: usize, text: &str) -> Edit {
    let own = places[at];
    if !text.is_empty() {
        return Edit::replace(own, text);
    }
    let place = match (places.get(at + 1), at.checked_sub(1)) {
        (Some(next), _) => Place::new(own.start, next.start),
        (None, Some(before)) => Place::new(places[before].end, own.end),
        (None, None) => own,
    };
    Edit::replace(place, "")
}

/// Returns where the parameters of a function stand, each with its annotation.
fn params_of(module: &Module, def: &Def) -> Option<Vec<Place>> {
    let text = module.slice(def.head);
    let open = text.find('(')? + 1;
    let close = open + closing(&text[open..])?;
    let start = def.head.start as usize + open;
    let places = parted(&text[open..close], start)?;
    (places.len() == def.params.len()).then_some(places)
}

/// Returns where the names stand to which a statement gives the parts of a tuple: `conn, row = args`.
fn targets(module: &Module, statement: &Statement) -> Option<Vec<Place>> {
    let text = module.slice(statement.at);
    let (left, _) = text.split_once('=')?;
    let inner = left.trim_end().trim_end_matches(')');
    let open = inner.len() - inner.trim_start_matches('(').len();
    parted(&inner[open..], statement.at.start as usize + open)
}
