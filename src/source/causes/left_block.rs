//! A pool or executor that is given tasks when its `with` block has ended.

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::Eval;
use super::super::only::only;
use super::super::project::Frames;
use super::super::syntax::{Binding, Call, Module, Source, Statement, StatementKind, Target};
use super::super::text::unit;
use super::super::value::DefId;
use super::set_there::set_on;

/// Finds the block whose end ended what the last frame gives a task.
pub(in super::super) fn left_block(eval: &Eval, frames: &Frames) -> Option<Found> {
    let (stop, module) = eval.innermost(frames)?;
    let (by, used) = (stop.env.at, &stop.statement);
    let def = &module.defs[by.def];
    let mut calls = used.calls();
    let path = calls.find_map(|call| called(call))?;
    let is_own = |b: &&Binding| b.name().is_some_and(|name| **name == *path);
    let blocks = def.bindings.iter().filter(is_own);
    if let Some(binding) = only(blocks) {
        let block = block_of(&module, by.def, binding)?;
        if used.at.start < block.at.end || def.loops(block.at).next().is_some() {
            return None;
        }
        let head = module.slice(block.head).trim_end().to_owned();
        let inside = format!(
            "{}{}",
            unit(&module, def),
            module.first_line(used.at).trim()
        );
        let text = format!("Do this inside the `with` block, whose end is the end of `{path}`:");
        let code = format!("{head}\n{}...\n{inside}", unit(&module, def));
        return Some(found(by, path, block, (&text, &code)));
    }
    // `with Pool() as self.pool:` in a method that has returned.
    let (own, attribute) = path.split_once('.')?;
    let class = by.beside(def.parent);
    if module.own_name(def).is_none_or(|name| **name != *own) {
        return None;
    }
    let set = set_on(eval, attribute).into_iter();
    let (at, binding, _) = only(set)?;
    let method = &eval.project.module(at.module).defs[at.def];
    if at.module != class.module || method.parent != class.def || at.def == by.def {
        return None;
    }
    let block = block_of(&module, at.def, &binding)?;
    let lines = frames.iter().filter(|(id, _)| *id == by.module);
    let (first, last) = (module.line_of(block.at.start), module.line_of(block.at.end));
    if lines
        .into_iter()
        .any(|(_, line)| (first..=last).contains(line))
    {
        return None;
    }
    let Source::Entered(made) = &binding.source else {
        return None;
    };
    let end = if module.slice(made.at).contains("Executor") {
        "shutdown"
    } else {
        "terminate"
    };
    let text = format!(
        "The `with` block in `{}` ends it there. Make it without `with`, and end it when all is done:",
        method.name
    );
    let code = format!(
        "{path} = {}  # in `{}`\n...\n{path}.{end}()  # when all is done",
        module.slice(made.at),
        method.name
    );
    Some(found(by, path, block, (&text, &code)))
}

/// Returns what a call is made on, as it is written.
fn called(call: &Call) -> Option<String> {
    call.method()?.0.dotted()
}

/// Returns the block that gives a name or attribute.
fn block_of<'m>(module: &'m Module, def: usize, binding: &Binding) -> Option<&'m Statement> {
    let is_entered = matches!(binding.source, Source::Entered(_));
    let is_target = matches!(binding.target, Target::Name(_) | Target::Attribute(..));
    let mut statements = module.defs[def].statements.iter();
    let is_it = |s: &&Statement| s.kind == StatementKind::With && s.at == binding.at;
    statements.find(is_it).filter(|_| is_entered && is_target)
}

fn found(by: DefId, path: String, block: &Statement, (text, code): (&str, &str)) -> Found {
    let plan = Plan::new(by.module, text, code, Vec::new());
    let of = "whose `with` block has ended";
    Found::certain(path, of, (by.module, block.at), Ok(plan))
}
