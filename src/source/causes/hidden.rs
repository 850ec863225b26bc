//! An attribute of a process that hides one of `Process` itself: `self.run = True`.

use crate::object::Edit;
use crate::python_name::places_of;

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::{Eval, binds};
use super::super::objects::PROCESS;
use super::super::only::only;
use super::super::syntax::Kind;
use super::super::text::free_name;
use super::alone::is_dynamic;
use super::set_there::set_on;

/// Finds what sets the attribute of this name in a class of processes.
pub(in super::super) fn hidden(eval: &Eval, name: &str) -> Option<Found> {
    eval.project.add_scripts();
    let found = set_on(eval, name)
        .into_iter()
        .filter_map(|(by, binding, base)| {
            let module = eval.project.module(by.module);
            let def = &module.defs[by.def];
            module.own_name(def).filter(|own| base.is_name(own))?;
            let class = by.beside(def.parent);
            let is_process = module.defs[class.def].kind == Kind::Class
                && eval.line_of(class).derives_from(PROCESS);
            is_process.then_some((class, binding))
        });
    let mut found: Vec<_> = found.collect();
    found.dedup_by_key(|(class, _)| *class);
    let (class, binding) = &only(found)?;
    let module = eval.project.module(class.module);
    let at = module.defs[class.def].at;
    let new = match name {
        "run" => "running",
        _ => name.trim_start_matches('_'),
    };
    let new = free_name(&module, new);
    let start = at.start as usize;
    let code = module.code(at);
    // `def run(self)` and a call of it are of the method.
    let is_set = |at: &usize| {
        let line = code[..*at]
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .trim_start();
        let is_asked = ["while ", "if ", "elif "]
            .iter()
            .any(|word| line.starts_with(word));
        let rest = &code[at + name.len()..];
        code[..*at].ends_with("self.")
            && (name != "run" || rest.starts_with(" = ") || is_asked && !rest.starts_with('('))
    };
    let uses: Vec<usize> = places_of(code, name).filter(is_set).collect();
    let named = |text: &str| {
        places_of(text, name)
            .filter(|at| text[..*at].ends_with('.'))
            .count()
    };
    let edit = |at: usize| Edit::replace(start + at..start + at + name.len(), new.clone());
    let edits: Vec<Edit> = uses.iter().map(|at| edit(*at)).collect();
    let modules = eval.project.modules();
    let all: usize = modules.iter().map(|m| named(&m.code)).sum();
    let is_free = modules
        .iter()
        .all(|m| places_of(&m.code, &new).next().is_none());
    // Who else asks for it, or calls it, may mean either: a base from outside, a text.
    let line = eval.line_of(*class);
    let is_plain = line.own.len() == 1 && line.outside.len() == 1 && !line.is_open;
    let is_text = |q: &char| eval.project.says(&format!("{q}{name}{q}"));
    let is_said = ['"', '\''].iter().any(is_text) || is_dynamic(eval);
    // A class may begin with it.
    let is_begun = eval.project.defs().any(|(id, m)| {
        let def = &m.defs[id.def];
        def.kind == Kind::Class && name != "run" && binds(def, name)
    });
    let is_sure = is_free && is_plain && !is_said && !is_begun && !eval.project.is_cut.get();
    let edits = if is_sure && all == uses.len() {
        edits
    } else {
        Vec::new()
    };
    let line = module.first_line(binding.at);
    let code = format!(
        "{}  # was: {line}",
        line.replacen(&format!(".{name}"), &format!(".{new}"), 1)
    );
    let text = format!("Give the attribute another name; `{name}` is `Process`'s own:");
    Some(Found::certain(
        format!("self.{name}"),
        format!("which hides `Process.{name}`"),
        (class.module, binding.at),
        Ok(Plan::new(class.module, text, code, edits)),
    ))
}
