//! A layer of a model that nothing in the program reads: DDP waits for its gradient.

use std::collections::HashSet;
use std::rc::Rc;

use super::super::answer::Found;
use super::super::change::Plan;
use super::super::eval::Eval;
use super::super::only::only;
use super::super::syntax::{Binding, Expr, Kind, Name, Source, Target};
use super::super::text::{join, quoted};
use super::super::value::{DefId, Value};

/// The most layers that are named.
const MAX_NAMED: usize = 4;
/// The most models within one another that are looked into.
const MAX_DEPTH: usize = 3;
/// How the names of modules begin that have weights of their own.
/// Source: <https://docs.pytorch.org/docs/stable/nn.html>
const WITH_WEIGHTS: &str = "BatchNorm Bilinear Conv Embedding GRU GroupNorm LSTM LayerNorm Lazy Linear MultiheadAttention \
    Parameter RNN Transformer";
/// What reads the layers of a model without their names.
const READS_ALL: &str =
    "children( _modules getattr( __getattr__( attrgetter( __dict__ eval(f get_submodule( vars(";

/// Finds the layers of a model of the program that are made and not read; those that a message `told` alone.
pub(in super::super) fn unread(eval: &Eval, told: Option<&str>) -> Option<Found> {
    eval.project.add_imports();
    if eval.project.is_cut.get() || READS_ALL.split(' ').any(|r| eval.project.says(r)) {
        return None;
    }
    let names = eval.calls().map(|(call, _)| call.func.last_name().cloned());
    let (read, called): (_, HashSet<Name>) = (read(eval), names.flatten().collect());
    let is_told = |name: &Name| {
        let steps = |names: &str| names.split(['.', ',', ' ']).any(|step| *step == **name);
        told.is_none_or(steps)
    };
    let found = eval.project.defs().filter_map(|(id, module)| {
        let def = &module.defs[id.def];
        if def.kind != Kind::Class || !called.contains(&def.name) || !is_model(eval, id) {
            return None;
        }
        let mut layers = layers(eval, id, 0);
        layers.retain(|(name, _)| !read.contains(name) && is_told(name));
        (!layers.is_empty()).then_some((id, layers))
    });
    // Of two models it is not known which one was trained.
    let (id, layers) = only(found)?;
    (layers.len() <= MAX_NAMED).then(|| named(eval, id, &layers))
}

/// Says which they are, and what to write.
fn named(eval: &Eval, id: DefId, layers: &[(Name, Binding)]) -> Found {
    let module = eval.project.module(id.module);
    let class = &module.defs[id.def].name;
    let paths: Vec<_> = layers.iter().map(|(n, _)| format!("{class}.{n}")).collect();
    let frozen = layers
        .iter()
        .map(|(n, _)| format!("self.{n}.requires_grad_(False)"));
    let made = layers.iter().map(|(_, b)| module.slice(b.at).to_owned());
    let names = quoted(layers.iter().map(|(name, _)| name));
    let them = if layers.len() == 1 { "it" } else { "them" };
    let text = format!(
        "Use {names} in `forward` and in the loss, or remove {them}. Where a checkpoint holds {them}, freeze {them} instead:"
    );
    let code = made.chain(frozen).collect::<Vec<_>>().join("\n");
    Found::likely(
        join(&paths),
        "which nothing reads",
        (id.module, layers[0].1.at),
        Ok(Plan::new(id.module, text, code, Vec::new())),
    )
}

/// Returns the names of the attributes that the program reads, of whatever object, or has as texts:
/// `name.startswith("extra.")`.
fn read(eval: &Eval) -> HashSet<Name> {
    let mut read = HashSet::new();
    let mut add = |expr: &Rc<Expr>| {
        read.extend(expr.attribute().map(|(_, name)| Rc::clone(name)));
        read.extend(
            expr.text()
                .into_iter()
                .flat_map(|t| t.split('.'))
                .map(Rc::from),
        );
    };
    eval.each_expression(&mut |expr, _| add(expr));
    let modules = eval.project.modules();
    for binding in modules.iter().flat_map(|m| m.bindings()) {
        let changed = binding.changed().into_iter();
        changed.flat_map(Expr::walk).for_each(&mut add);
    }
    read
}

/// Returns whether a class is a model whose layers are read by the program alone: a base of a library's
/// may read them too.
fn is_model(eval: &Eval, class: DefId) -> bool {
    let line = eval.line_of(class);
    let is_plain =
        |base: &Rc<str>| base.ends_with("nn.Module") || base.ends_with(".LightningModule");
    !line.is_open
        && !line.outside.is_empty()
        && line.outside.iter().all(is_plain)
        && eval.method(&line, "forward").is_some()
}

/// Returns the attributes that the `__init__` of a class sets, once and in any case, to something with weights.
/// `depth` counts the models around it.
fn layers(eval: &Eval, class: DefId, depth: usize) -> Vec<(Name, Binding)> {
    let module = eval.project.module(class.module);
    let mut methods = module.methods(class.def);
    let Some((init, def)) = methods.find(|(_, def)| &*def.name == "__init__") else {
        return Vec::new();
    };
    let layer = |binding: &Binding| match (&binding.target, &binding.source) {
        (Target::Attribute(base, name), Source::Value(value))
            if base.is_name("self") && has_weights(eval, class.beside(init), value, depth) =>
        {
            Some((Rc::clone(name), binding.clone()))
        }
        _ => None,
    };
    let body = def.statements.first().map(|s| s.suite);
    let is_sure = |(name, binding): &(Name, Binding)| {
        let all = def.bindings.iter().filter(|b| b.sets_attribute(name));
        Some(binding.suite) == body && all.count() == 1
    };
    let layers = def.bindings.iter().filter_map(layer);
    layers.filter(is_sure).collect()
}

/// Returns whether an expression of a scope makes weights.
fn has_weights(eval: &Eval, scope: DefId, value: &Rc<Expr>, depth: usize) -> bool {
    let env = eval.scope(scope);
    value.calls().any(|call| match eval.eval(&call.func, &env) {
        Value::Outside(name, _) => {
            let of_torch = name.strip_prefix("torch.nn.");
            of_torch.is_some_and(|n| WITH_WEIGHTS.split(' ').any(|with| n.starts_with(with)))
                || name.starts_with("torchvision.models.")
        }
        // A model may hold one of its own class.
        Value::Class(id, _) if depth < MAX_DEPTH => {
            is_model(eval, id) && !layers(eval, id, depth + 1).is_empty()
        }
        _ => false,
    })
}
