//! Where a line has got what it uses from: `settings = get_settings()`, or an argument: `Filter(limit).keep(n)`.

use super::super::asked::Use;
use super::super::eval::{Eval, bindings_of, only_binding};
use super::super::only::only;
use super::super::project::{Frames, ModuleId};
use super::super::sent::{self, Stop};
use super::super::syntax::{Call, Def, ExprKind, Module, Name, Place};
use super::super::value::{DefId, Env, Value};

/// Finds the line that gives a name, or returns from a function, what a worker's innermost line uses in this way.
pub(in super::super) fn got(eval: &Eval, frames: &Frames, used: &Use) -> Option<(ModuleId, u32)> {
    let (Stop { env, statement }, module) = eval.innermost(frames)?;
    let id = env.at.module;
    let text = module.slice(statement.head);
    let mut all = statement.walk();
    all.find_map(|expr| {
        let value = match &expr.kind {
            ExprKind::Name(name) => only_binding(&module.defs[env.at.def], name)
                .filter(|_| env.at.def != 0)?
                .source
                .given()?,
            ExprKind::Call(_) => expr,
            _ => return None,
        };
        if !used.is_in(text, module.slice(expr.at)) {
            return None;
        }
        let Some(call) = value.call() else {
            return value.dotted().map(|_| (id, module.line_of(value.at.start)));
        };
        let getter = eval.called(call, &env)?;
        let of = eval.project.module(getter.module);
        match of.defs[getter.def].returns.as_slice() {
            [one] if one.dotted().is_some() => Some((getter.module, of.line_of(one.at.start))),
            _ => None,
        }
    })
}

/// Finds the arguments, names in the calls of frames, that may be what a worker's innermost line uses in this way: by a
/// parameter of its function, or an attribute that `__init__` sets to one. Returns how many frames lead to each call,
/// and the names.
pub(in super::super) fn given_as(eval: &Eval, frames: &Frames, used: &Use) -> Vec<(usize, String)> {
    let stops = eval.stops(frames);
    // Each frame has its stop.
    let Some((last, before)) = stops.split_last().filter(|_| stops.len() == frames.len()) else {
        return Vec::new();
    };
    let (env, statement) = (&last.env, &last.statement);
    let module = eval.project.module(env.at.module);
    let text = module.slice(statement.head);
    let all = statement.walk();
    let used = all.filter(|e| used.is_in(text, module.slice(e.at)));
    let given = used.filter_map(|expr| {
        let given = match &expr.kind {
            ExprKind::Name(name) => argument_of(eval, before.last()?, env.at, name),
            ExprKind::Attribute(own, name) => kept(eval, &eval.eval(own, env), name),
            _ => None,
        };
        let (of, at, name) = given?;
        let is_there = |stop: &Stop| stop.env.at == of && stop.statement.at.holds(at);
        Some((before.iter().rposition(is_there)? + 1, name))
    });
    given.collect()
}

/// Returns the argument that `__init__` keeps as an attribute of an object.
fn kept(eval: &Eval, of: &Value, name: &Name) -> Option<Given> {
    let Value::Instance(of) = of else {
        return None;
    };
    let (call, env) = of.made.as_ref()?;
    let attribute = eval.attribute_named(of, name)?;
    let setting = only(&attribute.set)?;
    let module = eval.project.module(setting.module);
    let init = &module.defs[setting.method];
    let text = setting.value.map(|at| module.slice(at));
    let param = init.params.iter().find(|p| text == Some(&*p.name))?;
    argument(call, env, (&module, init), &param.name)
}

/// An argument that is a name, with the scope and the place of its call.
type Given = (DefId, Place, String);

/// Returns the name that a frame's call of a function gives for a parameter.
pub(super) fn argument_of(eval: &Eval, caller: &Stop, of: DefId, name: &Name) -> Option<Given> {
    let module = eval.project.module(of.module);
    let mut calls = caller.statement.calls();
    let call = calls.find(|c| eval.called(c, &caller.env) == Some(of))?;
    argument(call, &caller.env, (&module, &module.defs[of.def]), name)
}

/// Returns the name that a call gives for a parameter of a function that binds it nowhere else.
fn argument(call: &Call, env: &Env, (module, def): (&Module, &Def), name: &Name) -> Option<Given> {
    if bindings_of(def, name).next().is_some() || call.args.iter().any(|a| a.stars > 0) {
        return None;
    }
    let at = def.params.iter().position(|p| p.name == *name)?;
    let is_static = def.decorators.iter().any(|d| d.is_name("staticmethod"));
    let own = usize::from(module.is_method(def) && !is_static);
    let given = sent::argument(call, at.checked_sub(own)?, name)?;
    match &given.value.kind {
        ExprKind::Name(name) => Some((env.at, call.at, name.to_string())),
        _ => None,
    }
}
