//! Leaves attributes out of the bytes, and makes them again in the other process.

use std::rc::Rc;

use crate::object::Edit;
use crate::traceback::facts::Via;

use super::super::effects::acts;
use super::super::eval::{Eval, is_decorated};
use super::super::instance::{Line, State};
use super::super::objects::inside;
use super::super::sent::Sending;
use super::super::syntax::ParamKind;
use super::super::text::{mangled, quoted, unit};
use super::super::value::{Attribute, DefId, Instance};
use super::super::walk::Holder;
use super::bound::cannot_travel;
use super::containers::{fills_first, made_by_call};
use super::handed::copied;
use super::left::{Form, Left, Way, left};
use super::methods::{Lines, Methods};
use super::remake::{Remade, remake};
use super::slots::{Slots, is_empty, private, slots};
use super::unneeded::{Needs, needs};
use super::{Plan, Planned};

/// Methods that pickle asks instead of `__getstate__`.
const OWN_WAYS: &[&str] = &["__reduce__", "__reduce_ex__", "__deepcopy__", "__copy__"];
/// Bases whose own ways of pickling pass over `__getstate__`, by the ends of their names.
const STRANGE_BASES: &str = "Exception Error Warning BaseModel BaseSettings NamedTuple Struct Enum Structure DataFrame Series \
    ndarray Session";

/// Returns whether a class's own `__setattr__` puts no attribute where pickle looks for them.
fn keeps_elsewhere(eval: &Eval, instance: &Instance) -> bool {
    const KEEPS: [&str; 2] = [".__setattr__(", "__dict__"];
    let line = eval.line(instance.class, &instance.class_env);
    eval.method(&line, "__setattr__").is_some_and(|own| {
        let module = eval.project.module(own.id.module);
        let text = module.code(module.defs[own.id.def].at);
        !KEEPS.iter().any(|way| text.contains(way))
    })
}

/// Plans it for the attribute, and for all others of the class that cannot travel.
pub(super) fn state(eval: &Eval, holder: &Holder, via: Option<Via>) -> Planned {
    without(eval, holder, via, None)
}

/// Plans it for an attribute that no task uses, and that cannot be made again.
pub(super) fn spared(
    eval: &Eval,
    holder: &Holder,
    sendings: &[Sending],
    via: Option<Via>,
) -> Option<Plan> {
    let needs = needs(eval, holder, sendings, via)?;
    let is_spared = needs.lack(&holder.attribute);
    is_spared.then(|| without(eval, holder, via, Some(&needs)).ok())?
}

fn without(eval: &Eval, holder: &Holder, via: Option<Via>, needs: Option<&Needs>) -> Planned {
    let methods = methods(eval, holder)?;
    if methods.slots == Slots::Private && via == Some(Via::Deepcopy) {
        return Err("pydantic has a `__deepcopy__` of its own".to_owned());
    }
    let id = methods.class;
    let module = eval.project.module(id.module);
    let class = &module.defs[id.def];
    if module.is_guarded(class.at) {
        return Err("its class is under the main guard: put it above".to_owned());
    }
    let instance = eval.instance(id);
    if keeps_elsewhere(eval, &instance) {
        return Err("its `__setattr__` keeps attributes elsewhere".to_owned());
    }
    copied(eval, id)?;
    let has_getstate = methods.getstate.is_some() || methods.base_getstate;
    let is_taken = |attribute: &Attribute| {
        attribute.name == holder.attribute
            || match eval.state(&instance, false) {
                State::Without(names) => {
                    let own = mangled(&class.name, &attribute.name);
                    !names.iter().any(|n| **n == *own)
                }
                _ => false,
            }
    };
    let frozen = is_frozen(eval, &instance, &methods);
    let form = Form {
        module: &module,
        class: id,
        unit: unit(&module, class),
        frozen,
        has_getstate,
        slots: methods.slots,
        is_plain: !has_getstate
            && methods.setstate.is_none()
            && !methods.base_setstate
            && methods.slots == Slots::None,
        needs,
    };
    let del = del_of(eval, &instance);
    ends_harmlessly(&del)?;
    let left = left(eval, holder, &instance, via, &form, &is_taken)?;
    let mut edits = kept(&left);
    can_have(eval, &instance, &form, (&left, &edits), &del)?;
    let keeping = keeping(&edits, &holder.attribute);
    let lines = Lines {
        unit: form.unit.clone(),
        outs: left.iter().flat_map(|l| l.outs.clone()).collect(),
        again: left.iter().flat_map(|l| l.again.clone()).collect(),
    };
    let code = lines.put(&module, class, &methods, &mut edits)?;
    let text = format!(
        "{} In class `{}`{keeping}:",
        in_words(&left, via),
        class.name
    );
    Ok(Plan::new(id.module, text, code, edits))
}

/// Returns an error if objects of a class cannot do without what is left out, or keep what makes it again.
fn can_have(
    eval: &Eval,
    instance: &Rc<Instance>,
    form: &Form,
    (left, edits): (&[Left], &[Edit]),
    del: &str,
) -> Result<(), String> {
    let mut empty = left
        .iter()
        .filter(|l| matches!(l.way, Way::Empty | Way::Unneeded))
        .map(|l| &l.name);
    if let Some(name) = empty.find(|name| del.contains(&format!("self.{name}."))) {
        return Err(format!("`__del__` uses `{name}`, which would be `None`"));
    }
    if form.frozen && !edits.is_empty() {
        return Err("the class is frozen".to_owned());
    }
    let is_kept = |e: &Edit| !e.is_import();
    if form.slots != Slots::None && edits.iter().any(is_kept) {
        return Err("no slot holds what makes it again".to_owned());
    }
    if form.slots != Slots::None && left.iter().any(|l| l.way == Way::Weak) {
        return Err("no slot holds what it points at".to_owned());
    }
    if let Some(call) = made_by_call(eval, instance) {
        return Err(format!(
            "pickle makes it by `{call}`, which its `__init__` does not take"
        ));
    }
    if let Some(method) = fills_first(eval, instance, left) {
        return Err(format!("`{method}` needs it before `__setstate__` has run"));
    }
    Ok(())
}

/// Returns whether the attributes of a class's instances cannot be set as usual.
pub(super) fn is_frozen(eval: &Eval, instance: &Instance, methods: &Methods) -> bool {
    let module = eval.project.module(methods.class.module);
    let decorators = module.defs[methods.class.def].decorators.iter();
    let mut texts = decorators.map(|d| module.code(d.at));
    let is_attrs = methods.slots == Slots::Attrs;
    texts.any(|d| d.contains("frozen=True") || is_attrs && d.contains("frozen"))
        || guards_its_attributes(eval, instance)
}

/// Returns an error if each copy of an object would change something outside when it is gone.
pub(super) fn is_harmless(eval: &Eval, class: DefId) -> Result<(), String> {
    ends_harmlessly(&del_of(eval, &eval.instance(class)))
}

/// Returns an error if a `__del__` changes something outside.
fn ends_harmlessly(del: &str) -> Result<(), String> {
    match del.lines().map(str::trim).find(|line| acts(line)) {
        Some(line) => Err(format!("each copy would do what `__del__` does: `{line}`")),
        None => Ok(()),
    }
}

/// Returns the text of the class's `__del__`, which runs for each copy in a worker as well.
fn del_of(eval: &Eval, instance: &Instance) -> String {
    let line = eval.line(instance.class, &instance.class_env);
    let text = eval.method(&line, "__del__").map(|del| {
        let module = eval.project.module(del.id.module);
        module.slice(module.defs[del.id.def].at).to_owned()
    });
    text.unwrap_or_default()
}

/// Returns whether a class of the program, or a base of it there, decides what may be set on its instances.
fn guards_its_attributes(eval: &Eval, instance: &Instance) -> bool {
    let line = eval.line(instance.class, &instance.class_env);
    eval.method(&line, "__setattr__").is_some()
}

/// Makes an attribute again that `__getstate__` leaves out, in the class that has that method.
pub(in super::super) fn again(eval: &Eval, getstate: DefId, name: &str) -> Planned {
    let module = eval.project.module(getstate.module);
    let id = getstate.beside(module.defs[getstate.def].parent);
    let instance = eval.instance(id);
    let attribute = eval.attribute_named(&instance, name);
    let attribute = attribute.ok_or("a class that derives from it sets it")?;
    let holder = Holder::of(id, &attribute).ok_or("it is set nowhere")?;
    let methods = methods(eval, &holder)?;
    if methods.class != id {
        return Err("it is set in another class".to_owned());
    }
    let Remade {
        text,
        then,
        mut edits,
    } = remake(eval, &instance, &attribute)?;
    let class = &module.defs[id.def];
    let lines = Lines {
        unit: unit(&module, class),
        outs: Vec::new(),
        again: std::iter::once(format!("self.{name} = {text}"))
            .chain(then)
            .collect(),
    };
    let code = lines.put(&module, class, &methods, &mut edits)?;
    let text = format!(
        "Make `{name}` again where the object arrives. In class `{}`:",
        class.name
    );
    Ok(Plan::new(id.module, text, code, edits))
}

/// Returns where the new lines go that keep what makes it again, in words.
fn keeping(edits: &[Edit], attribute: &str) -> String {
    let kept = edits.iter().filter(|e| !e.is_import());
    let kept: Vec<&str> = kept.map(|e| e.text.trim()).collect();
    if kept.is_empty() {
        return String::new();
    }
    format!(
        " (`{}` goes above the line that sets `{attribute}`)",
        kept.join("; ")
    )
}

/// Returns what is done with the attributes, in words.
fn in_words(left: &[Left], via: Option<Via>) -> String {
    let there = match via {
        Some(Via::Deepcopy) => "in the copy",
        _ => "in the other process",
    };
    let ways = [
        Way::Made,
        Way::Cached,
        Way::Empty,
        Way::Unneeded,
        Way::Weak,
        Way::Shown,
    ];
    let said = ways.into_iter().filter_map(|way| {
        let names = left.iter().filter(|l| l.way == way).map(|l| &l.name);
        let (it, is) = match names.clone().count() {
            0 => return None,
            1 => ("it", "it is"),
            _ => ("them", "they are"),
        };
        let names = quoted(names);
        Some(match way {
            Way::Made => format!(
                "Leave {names} out of the bytes, and make {it} again {there}."
            ),
            Way::Cached => format!(
                "Leave {names} out of the bytes; the property makes {it} again {there}."
            ),
            Way::Empty => format!(
                "Leave {names} out of the bytes; {is} `None` {there}."
            ),
            Way::Unneeded => format!(
                "Leave {names} out of the bytes: the task does not use {it}, and {is} `None` {there}."
            ),
            Way::Shown => format!(
                "Send the contents of {names}, and make {it} read-only again where the object arrives."
            ),
            Way::Weak => format!(
                "Send what {names} points at, and make the weak reference again where it arrives."
            ),
        })
    });
    let mut said: Vec<String> = said.collect();
    for more in said.iter_mut().skip(1) {
        *more = more.replacen("out of the bytes", "out, too", 1);
    }
    said.join(" ")
}

/// Returns the edits by which instances keep what they are made of.
fn kept(left: &[Left]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    Edit::add(&mut edits, left.iter().flat_map(|l| l.edits.clone()));
    edits
}

/// Finds the class that gets the methods; refuses where pickle would not ask them.
pub(super) fn methods(eval: &Eval, holder: &Holder) -> Result<Methods, String> {
    let own = holder.setting.class.unwrap_or(holder.class);
    let line = eval.line_of(holder.class);
    let slots = check(eval, &line, holder)?;
    // What a class below sets must be left out there.
    let is_split = || {
        let names = |id| {
            let all = eval.attributes(&eval.instance(id));
            let bound = all.iter().filter(|a| cannot_travel(eval, a));
            bound.map(|a| Rc::clone(&a.name)).collect::<Vec<_>>()
        };
        let above = names(own);
        names(holder.class).iter().any(|n| !above.contains(n))
    };
    let own = if own != holder.class && is_split() {
        holder.class
    } else {
        own
    };
    let of = |line: &Line, name: &str| {
        eval.method(line, name).map(|f| {
            let module = eval.project.module(f.id.module);
            let class = f.id.beside(module.defs[f.id.def].parent);
            (class, f.id.def)
        })
    };
    let getstate = of(&line, "__getstate__");
    let setstate = of(&line, "__setstate__");
    if slots != Slots::None && (getstate.is_some() || setstate.is_some()) {
        return Err("the class has slots, and methods of its own for them".to_owned());
    }
    let class = match (getstate, setstate) {
        (Some((class, _)), _) | (None, Some((class, _))) => {
            if eval.line_of(class).has(own) {
                // Every instance of that class has the attribute.
                class
            } else if eval.line_of(own).has(class) {
                own
            } else {
                holder.class
            }
        }
        (None, None) => own,
    };
    let in_class = |found: Option<(DefId, usize)>| found.filter(|(c, _)| *c == class);
    let base = |found: Option<(DefId, usize)>| found.is_some_and(|(c, _)| c != class);
    Ok(Methods {
        class,
        getstate: in_class(getstate).map(|(_, number)| number),
        setstate: in_class(setstate).map(|(_, number)| number),
        base_getstate: base(getstate),
        base_setstate: base(setstate),
        slots,
    })
}

/// Returns whether a class's own `__new__` wants arguments, which an object that is rebuilt does not give it.
fn wants_arguments(eval: &Eval, line: &Line) -> bool {
    let gives = ["__getnewargs__", "__getnewargs_ex__"];
    let new = eval.method(line, "__new__");
    new.is_some_and(|new| {
        let module = eval.project.module(new.id.module);
        let mut params = module.defs[new.id.def].params.iter().skip(1);
        params.any(|p| {
            p.default.is_none() && matches!(p.kind, ParamKind::Plain | ParamKind::KeywordOnly)
        })
    }) && !gives.iter().any(|name| eval.method(line, name).is_some())
}

/// Refuses where pickle would not ask the methods; returns how the attributes are kept.
fn check(eval: &Eval, line: &Line, holder: &Holder) -> Result<Slots, String> {
    if wants_arguments(eval, line) {
        return Err("its `__new__` wants arguments: give them in `__getnewargs__`".to_owned());
    }
    if line.is_open {
        return Err("a base class cannot be read".to_owned());
    }
    let is_model =
        |outside: &Rc<str>| matches!(&**outside, "pydantic.BaseModel" | "pydantic.main.BaseModel");
    let may_be_model = |outside: &Rc<str>| is_model(outside) || is_empty(outside);
    if line.outside.iter().any(is_model) && line.outside.iter().all(may_be_model) {
        return private(eval, line, &holder.attribute);
    }
    for outside in &line.outside {
        let last = outside.rsplit('.').next().unwrap_or_default();
        let is_strange = STRANGE_BASES.split(' ').any(|end| last.ends_with(end));
        if is_strange || inside(outside).is_none() {
            return Err(format!(
                "its base class `{outside}` may pickle in a way of its own"
            ));
        }
    }
    if let Some(name) = OWN_WAYS
        .iter()
        .find(|name| eval.method(line, name).is_some())
    {
        return Err(format!("the class has a `{name}` of its own"));
    }
    if is_property(eval, line, &holder.attribute) {
        return Err("a property of the class keeps it elsewhere".to_owned());
    }
    slots(eval, line)
}

/// Returns whether what an attribute is set to goes to a property of that name.
pub(super) fn is_property(eval: &Eval, line: &Line, name: &str) -> bool {
    eval.method(line, name).is_some_and(|f| {
        let def = &eval.project.module(f.id.module).defs[f.id.def];
        is_decorated(def, "property") || is_decorated(def, "setter")
    })
}
