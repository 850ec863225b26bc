//! A script that starts processes outside of a main guard: what must go below one.

use std::rc::Rc;

use crate::object::Edit;

use super::super::effects::{acts, calls_once, changes, differs, has_call, seeds};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::objects::PROCESS;
use super::super::project::ModuleId;
use super::super::syntax::{
    Binding, Def, Expr, ExprKind, Kind, Module, Name, Place, Source, Statement, StatementKind,
    Target,
};
use super::super::text::{end_of_text, newline, unit};
use super::super::value::{DefId, Env, Value};
use super::super::verbatim::indented;
use super::set_method::{pool, start_method};
use super::set_up::is_made_by;
use super::{Plan, Planned};

/// The statement that starts processes, and the change that puts it under a guard.
pub(in super::super) struct Unguarded {
    pub(in super::super) at: Place,
    pub(in super::super) plan: Planned,
}

/// Finds the statement at the top of a script that a line is in; `None` if it has a guard.
pub(in super::super) fn unguarded(eval: &Eval, id: ModuleId, line: u32) -> Option<Unguarded> {
    let module = eval.project.module(id);
    let tops = tops(&module);
    let holds = |s: &&Statement| {
        let (first, last) = (module.line_of(s.at.start), module.line_of(s.at.end));
        first <= line && line <= last
    };
    let found = tops.iter().position(|s| holds(&s))?;
    let is_code = tops[found].is_code();
    if let Some(guard) = module.main_guard() {
        let is_outside = is_code && !module.is_guarded(tops[found].at);
        let outside = (&*tops, &tops[found]);
        let plan = start_method(eval, &module, outside, guard)
            .or_else(|| pool(eval, &module, outside, guard).filter(|_| is_outside))
            .or_else(|| {
                let why = "what the script does above its main guard belongs in it";
                is_outside.then(|| Err(why.to_owned()))
            })?;
        return Some(Unguarded {
            at: tops[found].head,
            plan,
        });
    }
    if !is_code {
        return None;
    }
    if let Some(plan) = always_true(&module, &tops[found]) {
        return Some(Unguarded {
            at: tops[found].head,
            plan: Ok(plan),
        });
    }
    let env = eval.scope(DefId::top(id));
    let starts = |s: &Statement| s.exprs.iter().any(|e| starts_processes(eval, e, &env));
    let first = tops[..found].iter().position(starts).unwrap_or(found);
    // Left above the guard, it would be done again in each process.
    let acts_outside = |s: &Statement| {
        s.is_code()
            && (acts(module.code(s.at)) || s.exprs.iter().any(|e| calls_once(eval, e, &env)))
    };
    let first = tops[..first].iter().position(acts_outside).unwrap_or(first);
    let plan_from = |first: usize| match another_in_each(eval, &module, &tops[..first], &env) {
        Some(name) => Err(format!("each process would have another `{name}`")),
        None => match filled_before(&module, &tops[first..found]) {
            Some(name) => Err(missing(&name)),
            None => plan(eval, &module, &tops, first),
        },
    };
    // Each process would say it again; where that cannot be helped, it does no harm.
    let said = tops[..first].iter().position(says);
    let plan = said
        .and_then(|said| plan_from(said).ok())
        .map_or_else(|| plan_from(first), Ok);
    Some(Unguarded {
        at: tops[found].head,
        plan,
    })
}

/// Returns whether a statement does nothing but to print.
fn says(statement: &Statement) -> bool {
    let is_print = |e: &Rc<Expr>| e.call().is_some_and(|call| call.func.is_name("print"));
    statement.kind == StatementKind::Expr && statement.exprs.iter().all(is_print)
}

/// Returns a name that functions use and that these statements give something else in each process.
fn another_in_each(
    eval: &Eval,
    module: &Module,
    statements: &[Statement],
    env: &Env,
) -> Option<Name> {
    let all = statements.iter();
    let mut unseeded = all.take_while(|s| !seeds(module.code(s.at)));
    unseeded.find_map(|statement| {
        if !statement.is_code() || !statement.exprs.iter().any(|e| differs(eval, e, env)) {
            return None;
        }
        let mut names = bound_in(module, statement);
        let calls = statement.calls();
        let given = calls
            .flat_map(|call| &call.args)
            .flat_map(|a| a.value.names());
        names.extend(given.map(|(name, _)| Rc::clone(name)));
        names.into_iter().find(|n| is_used_in_functions(module, n))
    })
}

/// Returns a name that functions use and that these statements, which would go under the guard, change in
/// place: `table[i] = i`, `names.append("a")`.
fn filled_before(module: &Module, statements: &[Statement]) -> Option<Name> {
    let names = module.defs[0].bindings.iter().filter_map(Binding::name);
    statements.iter().filter(|s| s.is_code()).find_map(|s| {
        let text = module.slice(s.at);
        let is_it = |n: &&Name| changes(text, n) && is_used_in_functions(module, n);
        names.clone().find(is_it).cloned()
    })
}

/// Returns the names that a statement at the top binds.
pub(super) fn bound_in(module: &Module, statement: &Statement) -> Vec<Name> {
    let bindings = module.defs[0].bindings.iter();
    let own = bindings.filter(|b| statement.at.holds(b.at));
    own.filter_map(|b| match &b.target {
        Target::Name(name) => Some(Rc::clone(name)),
        _ => None,
    })
    .collect()
}

/// Mends `if "__main__":`, which is true in every process.
fn always_true(module: &Module, statement: &Statement) -> Option<Plan> {
    let head = module.slice(statement.head);
    let test = head.trim_end().trim_end_matches(':').strip_prefix("if ")?;
    if !matches!(test.trim(), "\"__main__\"" | "'__main__'") || module.has_errors {
        return None;
    }
    let at = statement.head.start as usize + head.find(test)?;
    let new = "__name__ == \"__main__\"";
    let text = "The test is always true. Compare the name of the module with it:";
    Some(Plan::new(
        module.id,
        text,
        format!("if {new}:"),
        vec![Edit::replace(at..at + test.len(), new)],
    ))
}

/// Returns the statements at the top, without those in them.
fn tops(module: &Module) -> Vec<Statement> {
    let mut tops: Vec<Statement> = Vec::new();
    for statement in &module.defs[0].statements {
        if tops.last().is_none_or(|t| !t.at.holds(statement.at)) {
            tops.push(statement.clone());
        }
    }
    tops
}

/// Returns whether an expression makes what starts processes, or sets how they are started.
pub(super) fn starts_processes(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> bool {
    expr.calls().any(|call| {
        let Value::Outside(name, _) = eval.eval(&call.func, env) else {
            return false;
        };
        let rest = name.strip_prefix("multiprocessing.").unwrap_or_default();
        let is_class = rest.starts_with(char::is_uppercase) && !rest.contains("()");
        is_class || rest == "set_start_method" || &*name == "concurrent.futures.ProcessPoolExecutor"
    })
}

/// What becomes of the statements from the first one that starts processes on.
#[derive(Default)]
struct Split {
    /// The text of those that stay above the guard.
    kept: String,
    /// The text of those that go under it.
    moved: String,
    /// The names that these bind.
    moved_names: Vec<Name>,
    /// Whether one of these does more than to set names.
    has_acted: bool,
    /// Whether values stay above the guard, beside functions and classes.
    has_values: bool,
}

impl Split {
    /// Keeps a statement above the guard, unless it may need what goes under it.
    fn keep(&mut self, module: &Module, statement: &Statement, text: &str) -> Result<(), String> {
        let early = used_early(module, statement.at);
        let mut needed = self.moved_names.iter();
        if needed.any(|n| early.contains(n)) {
            return Err("a definition needs what has to go under the guard".to_owned());
        }
        if let Some(name) = set_again(module, statement) {
            return Err(format!("`{name}` is set more than once"));
        }
        // `sys.path.append("lib")` above `import helper`
        if self.has_acted && statement.kind == StatementKind::Import {
            return Err("an import may need what has to go under the guard".to_owned());
        }
        if self.has_acted && statement.exprs.iter().any(reads_more) {
            return Err("a value may be made of what has to go under the guard".to_owned());
        }
        self.has_values |= statement.kind == StatementKind::Assign;
        self.kept.push_str(text);
        Ok(())
    }

    /// Puts a statement under the guard, unless a function that runs in the other process would miss what it
    /// binds.
    fn take(
        &mut self,
        eval: &Eval,
        module: &Module,
        statement: &Statement,
        text: &str,
    ) -> Result<(), String> {
        self.moved.push_str(text);
        let names = bound_in(module, statement);
        let sets = statement.kind == StatementKind::Assign && !names.is_empty();
        self.has_acted |= !sets && !says(statement);
        let env = eval.scope(DefId::top(module.id));
        let bindings = module.defs[0].bindings.iter();
        for binding in bindings.filter(|b| statement.at.holds(b.at)) {
            let Target::Name(name) = &binding.target else {
                continue;
            };
            match binding.source {
                Source::Nothing => {}
                // `if fast: def work(n):`
                Source::Def(_) => {
                    return Err(format!("`{name}` would be missing in the other process"));
                }
                _ if is_of_processes(&eval.name(name, &env, None)) => {}
                _ if is_used_in_functions(module, name) => return Err(missing(name)),
                _ => {}
            }
        }
        self.moved_names.extend(names);
        Ok(())
    }
}

fn missing(name: &Name) -> String {
    format!("functions use `{name}`, which would be missing in the other process")
}

/// Returns whether a value is a pool or the like, which no other process uses.
pub(super) fn is_of_processes(value: &Value) -> bool {
    const MADE: [&str; 4] = [
        "multiprocessing.Pool",
        PROCESS,
        "multiprocessing.get_context",
        "concurrent.",
    ];
    is_made_by(value, &MADE)
}

fn plan(eval: &Eval, module: &Rc<Module>, tops: &[Statement], first: usize) -> Planned {
    module.is_parsed()?;
    let (before, after) = tops.split_at(first);
    let start = before
        .last()
        .map_or(0, |s| end_of_text(module, s.at.end as usize));
    let mut split = Split::default();
    let (mut at, mut was_kept) = (start, true);
    for statement in after {
        let is_kept = stays(module, statement, &split.moved_names);
        if (statement.at.start as usize) < at && is_kept != was_kept {
            return Err("what stays and what has to go under the guard are on one line".to_owned());
        }
        was_kept = is_kept;
        let end = end_of_text(module, statement.at.end as usize);
        let text = &module.text[at..end];
        at = end;
        if is_kept {
            split.keep(module, statement, text)?;
        } else {
            split.take(eval, module, statement, text)?;
        }
    }
    split.moved.push_str(&module.text[at..]);
    let Split {
        kept,
        moved,
        has_values,
        ..
    } = split;
    let newline = newline(module);
    let unit = unit(module, &module.defs[0]);
    let body = moved.trim_start_matches(['\n', '\r']);
    let guarded = indented(body, &unit);
    let head = format!("if __name__ == \"__main__\":{newline}");
    let gap = gap(module, start, &kept);
    let kept_text = kept.trim_end();
    let kept_end = if kept_text.is_empty() {
        String::new()
    } else {
        format!("{kept_text}{newline}")
    };
    let shown: Vec<&str> = guarded.lines().take(6).collect();
    let dots = if guarded.lines().count() > 6 {
        format!("\n{unit}...")
    } else {
        String::new()
    };
    let stay = if has_values {
        "functions and classes, and the values that they use, stay above it"
    } else {
        "functions and classes stay above it"
    };
    let text = format!(
        "Put line {} and what comes after it under a guard; {stay}:",
        module.line_of(after.first().map_or(0, |s| s.at.start))
    );
    let code = format!("{}{}{dots}", head.replace("\r\n", "\n"), shown.join("\n"));
    let edits = vec![Edit::replace(
        start..module.text.len(),
        format!("{kept_end}{gap}{head}{guarded}"),
    )];
    Ok(Plan::new(module.id, text, code, edits))
}

/// Returns the empty lines above the guard.
fn gap(module: &Module, start: usize, kept: &str) -> String {
    let is_kept = !kept.trim().is_empty();
    if module.text[..start].trim().is_empty() && !is_kept {
        return String::new();
    }
    let blank = if is_kept {
        "\n\n"
    } else {
        &module.text[start..]
    };
    let blanks = blank.len() - blank.trim_start_matches(['\n', '\r']).len();
    newline(module).repeat(blanks.clamp(1, 2))
}

/// Returns whether a statement may stay above the guard.
fn stays(module: &Module, statement: &Statement, moved: &[Name]) -> bool {
    match statement.kind {
        StatementKind::Def | StatementKind::Import => true,
        StatementKind::Assign => {
            let mut names = statement.names();
            let is_needed = |name: &Name| {
                is_used_in_functions(module, name)
                    || used_early(module, module.defs[0].at).contains(name)
                    || is_used_in_values(module, statement, name)
            };
            let mut bound = module.defs[0].bindings.iter();
            let is_plain = !statement.exprs.iter().any(has_call);
            is_plain
                && !names.any(|(n, _)| moved.contains(n))
                && bound.any(|b| {
                    let is_name = |name: &Target| matches!(name, Target::Name(n) if is_needed(n));
                    statement.at.holds(b.at) && is_name(&b.target)
                })
        }
        _ => false,
    }
}

/// Returns a name that a value above the guard would be given, and that something else sets too.
fn set_again(module: &Module, statement: &Statement) -> Option<Name> {
    let is_value = statement.kind == StatementKind::Assign;
    let names = is_value.then(|| bound_in(module, statement));
    let is_again = |name: &Name| bindings_of(&module.defs[0], name).nth(1).is_some();
    names?.into_iter().find(is_again)
}

/// Returns whether an expression reads what an object holds: `os.environ["HOME"]`.
fn reads_more(expr: &Rc<Expr>) -> bool {
    let reads = |e: &Rc<Expr>| matches!(e.kind, ExprKind::Attribute(..) | ExprKind::Subscript(..));
    expr.walk().any(reads)
}

/// Returns the names that the definitions in a place need when they are made.
pub(super) fn used_early(module: &Module, place: Place) -> Vec<Name> {
    let mut exprs: Vec<&Rc<Expr>> = Vec::new();
    for def in module.within(place).filter(|d| d.kind != Kind::Module) {
        exprs.extend(&def.decorators);
        exprs.extend(def.bases.iter().map(|b| &b.value));
        exprs.extend(def.params.iter().filter_map(|p| p.default.as_ref()));
        exprs.extend(def.annotations());
        if def.kind == Kind::Class {
            exprs.extend(def.bindings.iter().filter_map(|b| b.annotation.as_ref()));
            exprs.extend(def.statement_exprs());
        }
    }
    let names = exprs.into_iter().flat_map(Expr::names);
    names.map(|(name, _)| Rc::clone(name)).collect()
}

/// Returns whether another value at the top, which may stay as well, is made of a name.
fn is_used_in_values(module: &Module, own: &Statement, name: &Name) -> bool {
    let mut others = module.defs[0].statements.iter();
    others.any(|s| {
        let mut names = s.names();
        let is_value = s.kind == StatementKind::Assign && s.at.start > own.at.start;
        is_value && !s.exprs.iter().any(has_call) && names.any(|(n, _)| n == name)
    })
}

fn is_used_in_functions(module: &Module, name: &Name) -> bool {
    let functions = module
        .defs
        .iter()
        .filter(|d| matches!(d.kind, Kind::Function | Kind::Lambda))
        // A name of its own is another one.
        .filter(|d| !binds(d, name) || d.declares(name));
    // `total += n` reads it, too.
    let mut declared = functions.clone().flat_map(|d| &d.globals);
    let mut names = functions.flat_map(Def::names);
    declared.any(|n| n == name) || names.any(|(n, _)| n == name)
}
