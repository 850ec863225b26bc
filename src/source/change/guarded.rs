//! What a lock keeps others out of: with one of its own, a process would not keep out the other ones.

use std::rc::Rc;

use super::super::effects::opens_to_write;
use super::super::eval::Eval;
use super::super::syntax::{Binding, Expr, Place, Statement, StatementKind, Target};
use super::super::value::DefId;
use super::set_up::is_made_by;
use super::shared::LOCKS;

/// What changes something outside of the process, besides opening a file to write.
const WRITES: &str = ".write_text( .write_bytes( os.replace( os.rename( os.remove( .unlink( shutil. subprocess. os.system( \
    .post( .to_csv( .to_parquet( np.save numpy.save savefig( \"r+ 'r+";
/// How deep calls of the program's functions are followed.
const MAX_CALLS: usize = 3;

/// Returns whether a class changes what others have too while it holds a lock of this name: a file, a shared value.
pub(super) fn guards_shared(eval: &Eval, class: DefId, of: &str, name: &str) -> bool {
    LOCKS.contains(&of)
        && eval.line_of(class).own.iter().any(|(class, _)| {
            let module = eval.project.module(class.module);
            module.methods(class.def).any(|(number, def)| {
                let mut held = def.statements.iter().filter(|s| holds(s, name));
                held.any(|s| writes(eval, class.beside(number), s.at, 0))
            })
        })
}

/// Returns whether a statement holds a lock: `with self.lock:`.
fn holds(statement: &Statement, name: &str) -> bool {
    let is_it = |e: &Expr| e.is_attribute(name);
    statement.kind == StatementKind::With && statement.exprs.iter().any(|e| is_it(e))
}

/// Returns whether a part of a function changes a file or what processes share, or calls a function of the program
/// that does.
fn writes(eval: &Eval, of: DefId, at: Place, depth: usize) -> bool {
    let module = eval.project.module(of.module);
    let text = module.slice(at);
    let env = eval.scope(of);
    let def = &module.defs[of.def];
    // `self.total.value += n`, `self.rows[k] = n`
    let is_shared = |base: &Rc<Expr>| is_made_by(&eval.eval(base, &env), &["multiprocessing."]);
    let mut bound = def.bindings.iter().filter(|b| at.holds(b.at));
    let sets_shared = |b: &Binding| match &b.target {
        Target::Attribute(base, _) | Target::Content(base, _) => is_shared(base),
        Target::Name(_) => false,
    };
    if opens_to_write(text) || WRITES.split(' ').any(|w| text.contains(w)) || bound.any(sets_shared)
    {
        return true;
    }
    let within = def.exprs().filter(|e| at.holds(e.at));
    let mut calls = within.flat_map(Expr::calls);
    depth < MAX_CALLS
        && calls.any(|call| {
            let called = eval.eval(&call.func, &env);
            called.function().filter(|f| f.id != of).is_some_and(|f| {
                let at = eval.project.module(f.id.module).defs[f.id.def].at;
                writes(eval, f.id, at, depth + 1)
            })
        })
}
