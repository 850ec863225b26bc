//! What the program does between the line that makes a generator, or a view of a dict, and the one that uses it: a
//! list that is made there would not know of it.

use std::rc::Rc;

use super::super::effects::{acts, calls_changing, changes, is_once};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::syntax::{Call, Def, Expr, Kind, Module, Name, Statement, StatementKind, Target};
use super::super::text::lists;
use super::super::value::{DefId, Env};
use super::super::walk::Suspect;

/// Functions that leave what they are given as it is.
const LEAVE: &str = "print len sum min max sorted list tuple set dict str repr range enumerate zip any all isinstance \
    type bool int float id reversed";

/// Returns why a list of what is made in a statement of its own would be another one than what its use gets.
pub(super) fn differs_by_then(eval: &Eval, suspect: &Suspect) -> Option<String> {
    let module = eval.project.module(suspect.module);
    let number = module.def_around(suspect.at);
    let def = &module.defs[number];
    let env = eval.scope(DefId::new(suspect.module, number));
    let is_made = |s: &&Statement| {
        s.kind == StatementKind::Assign && s.exprs.iter().any(|e| e.at == suspect.at)
    };
    let made = def.statements.iter().find(is_made)?;
    let bound = def.bindings.iter().find_map(|b| match &b.target {
        Target::Name(name) if b.at == made.at => Some(name),
        _ => None,
    });
    let between = between(def, made, bound);
    let source = made.exprs.iter().find(|e| e.at == suspect.at)?;
    let function = called(eval, source, &env);
    let own = function.map(|id| eval.project.module(id.module));
    let own = own.as_ref().zip(function);
    let body = own.map_or_else(
        || module.slice(suspect.at),
        |(m, id)| m.code(m.defs[id.def].at),
    );
    let does = |text: &str| text.contains("print(") || text.contains("open(") || acts(text);
    let is_done = |s: &&Statement| does(module.slice(s.head)) || calls_what_acts(eval, s, &env);
    if does(body) && between.iter().any(is_done) {
        return Some("what it does would be done earlier than what lies between".to_owned());
    }
    let mut read: Vec<Name> = source.names().map(|(name, _)| Rc::clone(name)).collect();
    read.extend(
        own.into_iter()
            .flat_map(|(m, id)| outer_names(m, &m.defs[id.def])),
    );
    let is_changed = |name: &&Name| {
        between
            .iter()
            .any(|s| may_change(eval, (def, &env), s, name))
    };
    let name = read.iter().find(is_changed)?;
    Some(format!(
        "`{name}` is changed later, and a list would not follow"
    ))
}

/// Returns the statements behind one, up to the first that speaks of what it binds.
fn between<'d>(def: &'d Def, made: &Statement, bound: Option<&Name>) -> Vec<&'d Statement> {
    let speaks = |s: &&Statement| {
        let mut names = s.names();
        bound.is_some_and(|bound| names.any(|(name, _)| name == bound))
    };
    let after = def.statements.iter();
    let mut after: Vec<&Statement> = after.filter(|s| s.head.start >= made.at.end).collect();
    after.sort_by_key(|s| s.head.start);
    after.into_iter().take_while(|s| !speaks(s)).collect()
}

/// Returns the generator function of the program that an expression calls.
fn called(eval: &Eval, source: &Rc<Expr>, env: &Env) -> Option<DefId> {
    let call = source.call()?;
    eval.eval(&call.func, env).function().map(|f| f.id)
}

/// Returns the names of the scopes around a function that it reads, and that do not stand for functions, classes and
/// modules.
fn outer_names(module: &Module, def: &Def) -> Vec<Name> {
    let names = def.names();
    let names = names.map(|(name, _)| Rc::clone(name));
    let is_data = |name: &Name| {
        let scopes = module.defs.iter().filter(|d| d.kind != Kind::Class);
        let mut all = scopes.flat_map(|scope| bindings_of(scope, name));
        !binds(def, name) && all.any(|b| b.source.given().is_some())
    };
    names.filter(is_data).collect()
}

/// Returns whether a statement may change what a name stands for, or what is in it.
fn may_change(eval: &Eval, (def, env): (&Def, &Env), statement: &Statement, name: &Name) -> bool {
    let is_bound = bindings_of(def, name).any(|b| b.at == statement.at);
    let module = eval.project.module(env.at.module);
    let is_given = |call: &Rc<Call>| {
        let leaves = call.func.last_name().is_some_and(|n| lists(LEAVE, n));
        !leaves && call.args.iter().any(|a| a.value.is_name(name))
    };
    let sets = |call: &Rc<Call>| {
        eval.eval(&call.func, env).function().is_some_and(|f| {
            let of = eval.project.module(f.id.module);
            let called = &of.defs[f.id.def];
            called.declares(name) || changes(of.code(called.at), name)
        })
    };
    let mut calls = statement.calls();
    is_bound
        || changes(module.slice(statement.head), name)
        || calls.any(|call| is_given(call) || sets(call))
        || (statement.exprs.iter()).any(|e| calls_changing(eval, e, name, env))
}

/// Returns whether a statement calls a function of the program that prints, or acts on what is outside.
fn calls_what_acts(eval: &Eval, statement: &Statement, env: &Env) -> bool {
    let mut calls = statement.calls();
    calls.any(|call| {
        eval.eval(&call.func, env).function().is_some_and(|f| {
            let module = eval.project.module(f.id.module);
            let text = module.code(module.defs[f.id.def].at);
            text.contains("print(") || is_once(eval, f.id)
        })
    })
}
