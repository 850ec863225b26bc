//! What code does besides what it gives, and what is changed later: whether it may run in another
//! process as well.

use std::rc::Rc;

use crate::python_name::is_word;

use super::eval::Eval;
use super::syntax::{Binding, Call, Expr, Name, Statement, StatementKind};
use super::text::lists;
use super::value::{DefId, Env, Value};

/// Methods that say, send or ask something and leave their object as it was.
const HARMLESS: &str = "debug info warning error write flush execute executemany executescript commit rollback close ping \
    get";

/// Calls whose results differ from process to process.
const DIFFER: &str = "tempfile. uuid.uuid time. datetime.datetime.now datetime.datetime.today datetime.datetime.utcnow \
    datetime.date.today random. numpy.random. secrets. os.getpid os.urandom os.listdir os.scandir \
    os.path.exists os.path.getsize os.path.getmtime os.stat glob. socket.gethostname threading.get_ident \
    threading.current_thread multiprocessing.current_process torch.nn. torch.rand sys.stdin. input next \
    id";

/// What makes these give the same everywhere, where it is given a number.
const SEEDS: [&str; 4] = ["seed(", "default_rng(", "RandomState(", "Random("];

/// The same as they are written, where a function as a whole is looked at.
const DIFFER_WRITTEN: &str = "random. shuffle( tempfile. uuid .now() time.time( getpid( urandom( secrets. .stdin. input( next(";

/// Calls that change what is outside of the process, as they are written.
const ACTS: &str = "rmtree( os.remove( .unlink( mkdir( makedirs( os.rename( os.replace( shutil. .write_text( \
    .write_bytes( .write( .writerow .touch( .to_csv( .to_parquet( savefig( .save( .dump( .executemany( \
    .executescript( .commit( subprocess. os.system( .post( .kill( .terminate( input(";

/// Calls that open a log, by the mode that they are given.
const LOGS: [&str; 2] = ["FileHandler(", "basicConfig("];

/// How a program asks for workers that are new processes.
const SPAWNING: [&str; 4] = ["\"spawn\"", "'spawn'", "\"forkserver\"", "'forkserver'"];

/// Statements of SQL that change nothing.
const ASKS: &[&str] = &["select", "pragma", "show", "explain"];

/// Methods that change what they are called on.
pub(super) const CHANGES: &str = "append appendleft extend add update insert remove discard pop popitem clear setdefault sort reverse";

/// How deep calls of the program's functions are followed.
const MAX_CALLS: usize = 3;

/// Returns whether a method leaves its object as it was.
pub(super) fn is_harmless(method: &str) -> bool {
    lists(HARMLESS, method)
}

/// Returns the calls in a statement of methods of something, with the methods' names.
pub(super) fn calls_on<'s>(
    statement: &'s Statement,
    is_it: &dyn Fn(&Expr) -> bool,
) -> Vec<(&'s Rc<Call>, &'s Name)> {
    let calls = statement.calls();
    let on_it = calls.filter_map(|call| {
        let (base, name) = call.method()?;
        is_it(base).then_some((call, name))
    });
    on_it.collect()
}

/// Returns whether an expression may give something else in each process: a name, a number or the time.
pub(super) fn differs(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> bool {
    expr.calls().any(|call| match eval.eval(&call.func, env) {
        // A name without a module is Python's own.
        Value::Outside(name, _) if !name.ends_with("seed") => DIFFER
            .split(' ')
            .any(|d| &*name == d || d.contains('.') && name.starts_with(d)),
        Value::Made(made) => DIFFER.split(' ').any(|d| made.of.starts_with(d)),
        _ => false,
    })
}

/// Returns whether a text sets the start of random numbers: `random.seed(7)`, `default_rng(7)`.
pub(super) fn seeds(text: &str) -> bool {
    SEEDS.iter().any(|call| {
        let mut given = text
            .match_indices(call)
            .map(|(at, _)| &text[at + call.len()..]);
        given.any(|given| !given.starts_with(')'))
    })
}

/// Returns whether an expression calls a function of the program, or makes an object of a class of it,
/// that must not be done twice or does another thing in each process.
pub(super) fn calls_once(eval: &Eval, expr: &Rc<Expr>, env: &Env) -> bool {
    expr.calls()
        .any(|call| eval.called(call, env).is_some_and(|id| is_once(eval, id)))
}

/// Returns whether a call is part of an expression: it may read what is outside of the process.
pub(super) fn has_call(expr: &Rc<Expr>) -> bool {
    expr.calls().next().is_some()
}

/// Returns whether a text of Python changes what is outside of its process: files, a database.
pub(super) fn acts(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.contains("exist_ok"));
    lines.any(|line| ACTS.split(' ').any(|call| line.contains(call)))
        || opens_to_write(text)
        || executes(text)
}

/// Returns whether a function, or one that it calls, does another thing in each process, or one that
/// must not be done twice.
pub(super) fn is_once(eval: &Eval, of: DefId) -> bool {
    let differs = |text: &str| DIFFER_WRITTEN.split(' ').any(|call| text.contains(call));
    does(eval, of, &|text| acts(text) || differs(text), 0)
}

/// Returns whether a function, or one that it calls, has a text of this kind.
fn does(eval: &Eval, of: DefId, is_it: &dyn Fn(&str) -> bool, depth: usize) -> bool {
    let module = eval.project.module(of.module);
    let def = &module.defs[of.def];
    if is_it(module.code(def.at)) {
        return true;
    }
    let env = eval.scope(of);
    let mut calls = def.calls();
    depth < MAX_CALLS
        && calls.any(|call| {
            let called = eval.eval(&call.func, &env);
            called
                .function()
                .is_some_and(|f| f.id != of && does(eval, f.id, is_it, depth + 1))
        })
}

/// Returns whether a function, or one that it calls, opens a log that another process must not open again: it is
/// emptied, or moved away by one of them.
pub(super) fn opens_own_log(eval: &Eval, of: DefId) -> bool {
    let opens = |text: &str| {
        LOGS.iter().any(|open| {
            text.match_indices(open).any(|(at, _)| {
                // The arguments, over several lines perhaps, as far as the call is simple.
                let given = text[at..].split_inclusive(")\n").next().unwrap_or_default();
                let modes = ["\"w\"", "'w'", "\"x\"", "'x'"];
                modes.iter().any(|mode| given.contains(mode))
            })
        }) || text.contains("RotatingFileHandler(")
    };
    does(eval, of, &opens, 0)
}

/// Returns whether the program asks for new processes.
pub(super) fn says_spawn(eval: &Eval) -> bool {
    let says = |text: &str| SPAWNING.iter().any(|word| text.contains(word));
    eval.project.any(|m| says(&m.code))
}

/// Returns whether a text opens a file other than to read it.
pub(super) fn opens_to_write(text: &str) -> bool {
    text.match_indices("open(").any(|(at, _)| {
        let line = text[at..].lines().next().unwrap_or_default();
        let quoted = line.split(['"', '\'']).skip(1).step_by(2);
        let is_mode = |text: &str| {
            text.len() <= 3
                && text.starts_with(['w', 'a', 'x'])
                && text[1..].chars().all(|c| "bt+".contains(c))
        };
        quoted.into_iter().any(is_mode)
    })
}

/// Returns whether a text executes SQL that changes something, or may do so.
fn executes(text: &str) -> bool {
    text.match_indices(".execute(").any(|(at, call)| {
        let given = text[at + call.len()..].trim_start_matches(|c: char| {
            c.is_whitespace() || c == 'f' || c == 'r' || c == '"' || c == '\''
        });
        let word = given.split(|c: char| !c.is_alphabetic()).next();
        let word = word.unwrap_or_default().to_ascii_lowercase();
        !ASKS.contains(&&*word)
    })
}

/// Returns whether a text changes something of this name, as it is written (`rows`, `self.rows`, `.rows`):
/// `rows.append(…)`, `rows[0] = …`, `rows += …`.
pub(super) fn changes(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let rest = &text[at + name.len()..];
        let is_whole = name.starts_with('.') || !text[..at].ends_with(|c| is_word(c) || c == '.');
        if !is_whole || rest.starts_with(is_word) {
            return false;
        }
        // `rows[0][1] = …`, `rows[0].append(…)`
        let mut rest = rest.lines().next().unwrap_or_default();
        let is_part = rest.starts_with('[');
        while rest.starts_with('[') {
            rest = behind_bracket(rest);
        }
        if let Some(rest) = rest.strip_prefix('.') {
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            return rest[end..].starts_with('(') && lists(CHANGES, &rest[..end]);
        }
        is_part && is_assigned(rest) || is_added_to(rest)
    })
}

/// Returns whether a value is shared between processes, as a manager's is: what one puts into it the
/// others see.
pub(super) fn is_shared(value: &Value) -> bool {
    match value {
        Value::Filled(base, _) => is_shared(base),
        Value::Made(made) => made.of.starts_with("multiprocessing."),
        _ => false,
    }
}

/// Returns whether a statement is a call of a method of what a name stands for: `model.fit(rows)`.
pub(super) fn is_call_on(statement: &Statement, name: &Name) -> bool {
    let is_call = |e: &Rc<Expr>| {
        let on = e.call().and_then(|call| call.method());
        on.is_some_and(|(of, _)| of.is_name(name))
    };
    statement.kind == StatementKind::Expr && statement.exprs.iter().any(is_call)
}

/// Returns whether an expression gives what a name stands for to a function or class of the program, which
/// may change it: `train(model, rows)`.
pub(super) fn gives_away(eval: &Eval, expr: &Rc<Expr>, name: &Name, env: &Env) -> bool {
    let is_own = |value| {
        matches!(
            value,
            Value::Function(_) | Value::Method(..) | Value::Class(..)
        )
    };
    expr.calls().any(|call| {
        call.args.iter().any(|a| a.value.is_name(name)) && is_own(eval.eval(&call.func, env))
    })
}

/// Returns whether an expression calls a method of the program, on what a name stands for, that changes it:
/// `stats.record(n)`.
pub(super) fn calls_changing(eval: &Eval, expr: &Rc<Expr>, name: &Name, env: &Env) -> bool {
    expr.calls().any(|call| {
        call.method().is_some_and(|(of, _)| of.is_name(name))
            && matches!(eval.eval(&call.func, env), Value::Method(_, f) if changes_itself(eval, f.id))
    })
}

/// Returns whether a method sets something of its object.
pub(super) fn changes_itself(eval: &Eval, method: DefId) -> bool {
    let module = eval.project.module(method.module);
    let def = &module.defs[method.def];
    let Some(own) = def.params.first().map(|p| &p.name) else {
        return false;
    };
    let is_own = |of: &Expr| {
        of.dotted()
            .is_some_and(|d| d.split('.').next() == Some(own))
    };
    let mut changed = def.bindings.iter().filter_map(Binding::changed);
    changed.any(|of| is_own(of.subscripted().0))
}

/// Returns what is behind a bracket that a text begins with.
fn behind_bracket(text: &str) -> &str {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

fn is_assigned(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('=') && !text.starts_with("==") || is_added_to(text)
}

/// Returns whether a text goes on with `+=` or the like.
fn is_added_to(text: &str) -> bool {
    let text = text.trim_start();
    let rest = text.trim_start_matches(['+', '-', '*', '/', '|', '&', '^', '%']);
    rest.len() < text.len() && rest.starts_with('=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_outside_is_seen() {
        for text in [
            "open(path, \"w\")",
            "open(p, mode='ab')",
            "conn.execute(\"delete from a\")",
            "conn.execute(sql)",
            "shutil.rmtree(OUT)",
        ] {
            assert!(acts(text), "{text}");
        }
        for text in [
            "open(path)",
            "open('w.txt')",
            "conn.execute(\"SELECT 1\")",
            "conn.execute(f'pragma {x}')",
            "len(rows)",
        ] {
            assert!(!acts(text), "{text}");
        }
    }

    #[test]
    fn what_is_changed_in_place_is_seen() {
        for text in [
            "rows.append(1)",
            "rows [0] = 1",
            "rows[0] = 1",
            "rows[a[0]] += 1",
            "rows[0][1] = a[2]",
            "rows[n % 2].append(n)",
            "rows += [1]",
            "x = rows.pop()",
        ] {
            let spaced = text.contains("rows [");
            assert_eq!(changes(text, "rows"), !spaced, "{text}");
        }
        for text in [
            "rows == 1",
            "rows[0] == 1",
            "my_rows.append(1)",
            "x.rows.append(1)",
            "rows_2 += 1",
            "rows.copy()",
            "f(rows[0], k=1)",
            "rows = []",
        ] {
            assert!(!changes(text, "rows"), "{text}");
        }
        assert!(changes("self.cfg[\"db\"] = 1", ".cfg"));
        assert!(changes("self.serial += 1", ".serial"));
    }
}
