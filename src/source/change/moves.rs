//! What brings tensors onto a device in a function, and where they go from there.

use std::rc::Rc;

use crate::object::Edit;

use super::super::sent::argument;
use super::super::syntax::{Def, Expr, ExprKind, Kind, Module, Name, Place};
use super::super::text::lines_of;
use super::call;

/// A call that brings a tensor onto the device.
pub(super) struct Move {
    pub(super) at: Place,
    /// What does the same to a batch: `.to("cuda")`.
    pub(super) text: String,
    /// The names that it uses.
    pub(super) names: Vec<Name>,
    pub(super) edit: Edit,
    /// Whether it moves what the object keeps.
    pub(super) is_kept: bool,
}

/// Finds what brings tensors onto the device in a function.
pub(super) fn moves(module: &Module, def: &Def) -> Result<Vec<Move>, String> {
    let mut found = Vec::new();
    for expr in def.statement_exprs() {
        moves_in(module, def, expr, &mut found)?;
    }
    Ok(found)
}

fn moves_in(
    module: &Module,
    def: &Def,
    expr: &Rc<Expr>,
    found: &mut Vec<Move>,
) -> Result<(), String> {
    for part in expr.parts() {
        moves_in(module, def, part, found)?;
    }
    let Some(call) = expr.call() else {
        return Ok(());
    };
    let names = |arg: &Rc<Expr>| arg.names().map(|(n, _)| Rc::clone(n)).collect();
    if let Some((base, name)) = call.method() {
        let given = argument(call, 0, "device");
        let is_move = match &**name {
            "cuda" => true,
            "to" => given.is_some_and(|a| is_device(module, &a.value)),
            _ => false,
        };
        if is_move {
            let own = def.params.first().filter(|_| def.kind == Kind::Function);
            let of = base.attribute().zip(own);
            let is_kept = of.is_some_and(|((of, _), own)| of.is_name(&own.name));
            found.push(Move {
                at: expr.at,
                text: module
                    .slice(Place::new(base.at.end, expr.at.end))
                    .to_owned(),
                names: given.map(|a| names(&a.value)).unwrap_or_default(),
                edit: Edit::replace(base.at.end as usize..expr.at.end as usize, ""),
                is_kept,
            });
            return Ok(());
        }
    }
    let given = call.labelled("device");
    if let Some(given) = given {
        let edit = call::dropped(module, call, "device").ok_or("its `device` cannot be read")?;
        found.push(Move {
            at: expr.at,
            text: format!(".to({})", module.slice(given.value.at)),
            names: names(&given.value),
            edit,
            is_kept: false,
        });
    }
    Ok(())
}

/// Returns whether an argument of `.to()` is a device, and no type of numbers.
fn is_device(module: &Module, expr: &Expr) -> bool {
    let text = module.slice(expr.at).to_lowercase();
    let words = ["device", "cuda", "gpu", "rank"];
    words.iter().any(|word| text.contains(word))
}

/// Returns the edit that takes a move out: with its line, where that does nothing else.
pub(super) fn taken_out(module: &Module, def: &Def, moved: &Move) -> Edit {
    let own = def.bindings.iter().find(|b| {
        b.named_value().is_some_and(|(name, value)| {
            let before = &module.text[moved.at.start as usize..moved.edit.start];
            value.at == moved.at && *before == **name
        })
    });
    let suite = def.statements.iter();
    let suite = suite.filter(|s| own.is_some_and(|b| s.suite == b.suite));
    let Some(own) = own.filter(|_| suite.count() > 1) else {
        return moved.edit.clone();
    };
    Edit::replace(lines_of(module, own.at), "")
}

/// Returns the names that hold what was moved, or what is made of it.
pub(super) fn carried(def: &Def, moves: &[Move]) -> impl Fn(&Expr) -> bool {
    let places: Vec<Place> = moves.iter().map(|m| m.at).collect();
    let mut names: Vec<Name> = Vec::new();
    for binding in &def.bindings {
        let Some((name, value)) = binding.named_value() else {
            continue;
        };
        if !names.contains(name) && holds(value, &places, &names) {
            names.push(Rc::clone(name));
        }
    }
    move |expr: &Expr| holds(expr, &places, &names)
}

fn holds(expr: &Expr, places: &[Place], names: &[Name]) -> bool {
    let is_number = matches!(&expr.kind, ExprKind::Call(call) if matches!(&call.func.kind,
        ExprKind::Name(n) if matches!(&**n, "int" | "float" | "str" | "len" | "bool")));
    if is_number {
        return false;
    }
    places.contains(&expr.at)
        || matches!(&expr.kind, ExprKind::Name(n) if names.contains(n))
        || expr.parts().into_iter().any(|p| holds(p, places, names))
}
