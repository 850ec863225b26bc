//! An expression of one method in words that another method of the object can say: of `self`.

use std::rc::Rc;

use crate::object::Edit;
use crate::python_name::is_word;

use super::super::effects::{calls_once, changes, differs};
use super::super::eval::{Eval, bindings_of, binds};
use super::super::objects;
use super::super::syntax::{Binding, Def, Expr, Kind, Module, Name, Place, Source};
use super::super::text::{above, imported, lists};
use super::super::value::{DefId, Env, Instance, Later, Setting, Value};
use super::bound::cannot_travel;
use super::remake::Remade;
use super::told::{reads_environment, told};

/// Attributes that classes of Python's library have for themselves: of a `Process`, a `Thread`, a `Handler`.
const OF_BASES: &str = "_name _config _identity _target _args _kwargs _popen _parent_pid _daemonic _started name level lock \
    daemon";

/// Methods in which a class says itself how it is copied.
const OWN_WAYS: &str = "__getstate__ __setstate__ __reduce__ __reduce_ex__ __copy__ __deepcopy__";

/// Why an expression cannot be put into words of `self`.
#[derive(Debug)]
pub(super) enum Unworded {
    /// The object keeps nothing that this name was.
    NotKept(Name),
    /// Anything else, in words.
    Other(String),
}

impl From<Unworded> for String {
    fn from(why: Unworded) -> Self {
        match why {
            Unworded::NotKept(name) => format!("the object does not keep `{name}`"),
            Unworded::Other(why) => why,
        }
    }
}

impl From<String> for Unworded {
    fn from(why: String) -> Self {
        Self::Other(why)
    }
}

/// An expression that sets an attribute, which another method of the object is to say.
struct Wording<'a> {
    eval: &'a Eval<'a>,
    instance: &'a Rc<Instance>,
    setting: &'a Setting,
    module: Rc<Module>,
    env: Env,
    /// What the method calls its own object (`self`), if it is one.
    own: Option<Name>,
}

/// Puts the expression into words of `self`.
pub(super) fn worded(
    eval: &Eval,
    instance: &Rc<Instance>,
    setting: &Setting,
    expr: &Rc<Expr>,
) -> Result<Remade, Unworded> {
    let module = eval.project.module(setting.module);
    let own = module.defs[setting.method].params.first();
    let own = own.filter(|_| setting.class.is_some());
    let wording = Wording {
        eval,
        instance,
        setting,
        env: eval.scope(DefId::new(setting.module, setting.method)),
        own: own.map(|p| Rc::clone(&p.name)),
        module,
    };
    wording.of(expr)
}

impl Wording<'_> {
    /// Returns the method that sets the attribute.
    fn method(&self) -> &Def {
        &self.module.defs[self.setting.method]
    }

    /// Returns it in words of `self`.
    fn of(&self, expr: &Rc<Expr>) -> Result<Remade, Unworded> {
        let (eval, instance, setting) = (self.eval, self.instance, self.setting);
        let not_kept = |name: &Name| Unworded::NotKept(Rc::clone(name));
        let method = self.method();
        if setting.class.is_none() && setting.module != instance.class.module {
            return self
                .elsewhere(expr)
                .ok_or_else(|| "it is set in another file".to_owned().into());
        }
        if differs(eval, expr, &self.env) || calls_once(eval, expr, &self.env) {
            let why = "it would be made of another name or time there";
            return Err(why.to_owned().into());
        }
        let mut swaps: Vec<(Place, String)> = Vec::new();
        let mut edits: Vec<Edit> = Vec::new();
        for (part, is_kept) in self.changing(expr) {
            let text = self.module.slice(part);
            let kept = is_kept.then(|| self.keep(text));
            let (kept, edit) = kept
                .flatten()
                .ok_or_else(|| format!("`{text}` is set again while the program runs"))?;
            swaps.push((part, kept));
            Edit::add(&mut edits, [edit]);
        }
        let is_swapped = |at: &Place| swaps.iter().any(|(part, _)| part.holds(*at));
        let names = expr.names().filter(|(_, at)| !is_swapped(at));
        let names: Vec<(&Name, Place)> = names.collect();
        for (name, at) in names {
            if Some(name) == self.own.as_ref() {
                if &**name != "self" {
                    swaps.push((at, "self".to_owned()));
                }
                continue;
            }
            if !binds(method, name) {
                if setting.module != instance.class.module {
                    edits.extend(self.brought(name)?);
                }
                continue;
            }
            let Some(own) = &self.own else {
                return Err(not_kept(name));
            };
            if let Some(kept) = self.kept_as(own, name) {
                let value = eval.name(name, &self.env, Some(at));
                let is_container = matches!(value, Value::Items(_) | Value::Filled(..));
                if is_container && self.is_changed(&kept["self.".len()..]) {
                    return Err(format!("`{kept}` is changed while the program runs").into());
                }
                swaps.push((at, kept));
                continue;
            }
            let (kept, edit) = self.keep_name(name).ok_or_else(|| not_kept(name))?;
            swaps.push((at, kept));
            Edit::add(&mut edits, [edit]);
        }
        let text = in_one_line(&swapped(&self.module, expr.at, swaps))?;
        Ok(Remade::new(text, edits))
    }

    /// Returns the parts of an expression that may be others by the time the object is sent, and whether it can
    /// keep what they are.
    fn changing(&self, expr: &Rc<Expr>) -> Vec<(Place, bool)> {
        let eval = self.eval;
        let own = self.own.as_ref();
        let mut parts = own.map_or_else(Vec::new, |own| self.changed_later(own, expr));
        let told = told(eval, &self.module, expr, &self.env).into_iter();
        parts.extend(told.map(|part| {
            let is_text = reads_environment(&self.module, &part);
            let is_kept = own.is_some() && (is_text || is_data(eval, &eval.eval(&part, &self.env)));
            (part.at, is_kept)
        }));
        parts
    }

    /// Returns the attributes of the object in an expression that may be others by the time the object is sent,
    /// and whether it can keep what they are.
    fn changed_later(&self, own: &Name, expr: &Rc<Expr>) -> Vec<(Place, bool)> {
        let (eval, instance, setting) = (self.eval, self.instance, self.setting);
        let changed = expr.attributes_of(own).filter_map(|(name, at)| {
            let found = eval.attribute_named(instance, name)?;
            let is_before = |s: &Setting| {
                (s.module, s.method) == (setting.module, setting.method)
                    && s.at.start < setting.at.start
            };
            let is_settled = found.set.len() == 1 && !is_after(&found.set[0], setting)
                || found.set.iter().all(is_before);
            let is_settled = is_settled && !self.is_changed(name) && !self.is_set_elsewhere(name);
            // Above the line that sets it up, it may not be what it is there.
            let is_data = |later: &Later| is_data(eval, &eval.force(later));
            let is_kept = setting.at.holds(at) && found.values.iter().all(is_data);
            (!is_settled).then_some((at, is_kept))
        });
        changed.collect()
    }

    /// Puts a call of the standard library that another file makes, with no names among its arguments,
    /// into words of the file that the class is in.
    fn elsewhere(&self, expr: &Rc<Expr>) -> Option<Remade> {
        let (eval, instance) = (self.eval, self.instance);
        let call = expr.call()?;
        let mut names = call.args.iter().flat_map(|a| a.value.names());
        let Value::Outside(full, None) = eval.eval(&call.func, &self.env) else {
            return None;
        };
        let (from, name) = full.rsplit_once('.').filter(|_| names.next().is_none())?;
        let own = eval.project.module(instance.class.module);
        let (func, import) = imported(&own, from, name);
        let args = self.module.arguments(call);
        let text = format!("{func}{args}");
        (!args.contains('\n')).then(|| Remade::new(text, import.into_iter().collect()))
    }

    /// Returns the import that a name of another file needs in the file of the class.
    fn brought(&self, name: &Name) -> Result<Option<Edit>, String> {
        let (eval, instance) = (self.eval, self.instance);
        let own = eval.project.module(instance.class.module);
        let Some(binding) = bindings_of(&self.module.defs[0], name).last() else {
            // A name of Python itself.
            return Ok(None);
        };
        let other = || format!("it uses `{name}` of another file");
        let Source::Import(full) = &binding.source else {
            return Err(other());
        };
        let is_other = |b: &Binding| !matches!(&b.source, Source::Import(f) if f == full);
        if **name != **full || bindings_of(&own.defs[0], name).any(is_other) {
            return Err(other());
        }
        Ok(imported(&own, full, "").1)
    }

    /// Returns the attribute that holds what a name was: `self.path` for `path`.
    fn kept_as(&self, own: &Name, name: &Name) -> Option<String> {
        let (eval, instance, setting) = (self.eval, self.instance, self.setting);
        let method = self.method();
        let (kept, at) = method.bindings.iter().find_map(|b| {
            let (base, attribute) = b.attribute()?;
            let is_it = base.is_name(own) && b.source.given()?.is_name(name);
            is_it.then(|| (Rc::clone(attribute), b.at))
        })?;
        // `self.path = path`, then `path = path + ".db"`
        let between = at.start.min(setting.at.start)..at.start.max(setting.at.start);
        if bindings_of(method, name).any(|b| between.contains(&b.at.start)) {
            return None;
        }
        if method.bound_at(setting.at).any(|b| b.sets_attribute(&kept)) {
            return None;
        }
        // It must still hold it.
        let found = eval.attribute_named(instance, &kept)?;
        let travels = !cannot_travel(eval, &found);
        let is_one = found.set.len() == 1 && travels && !self.is_set_elsewhere(&kept);
        is_one.then(|| format!("self.{kept}"))
    }

    /// Returns whether anything but the class sets an attribute.
    fn is_set_elsewhere(&self, name: &Name) -> bool {
        self.eval.project.defs().any(|(id, module)| {
            let def = &module.defs[id.def];
            let own = module.own_name(def);
            let mut set = sets(def, name);
            set.any(|of| own.is_none_or(|own| !of.is_name(own)))
        }) || is_set_below(self.eval, self.instance.class, name)
    }

    /// Returns whether an attribute is changed in place, other than in the method before the place that uses it.
    fn is_changed(&self, name: &str) -> bool {
        let (setting, inner) = (self.setting, format!(".{name}"));
        self.eval.project.ids().into_iter().any(|id| {
            let module = self.eval.project.module(id);
            let (before, after) = if id == setting.module {
                (self.method().at.start, setting.at.end)
            } else {
                (0, 0)
            };
            changes(&module.code[..before as usize], &inner)
                || changes(&module.code[after as usize..], &inner)
        })
    }

    /// Keeps what a name is, if that is plain data, in a new attribute.
    fn keep_name(&self, name: &Name) -> Option<(String, Edit)> {
        let (eval, setting) = (self.eval, self.setting);
        let method = self.method();
        let is_once = bindings_of(method, name).count() + usize::from(method.has_param(name)) == 1;
        if !is_once {
            return None;
        }
        let is_kept = is_data(eval, &eval.name(name, &self.env, Some(setting.value?)));
        is_kept.then(|| self.keep(name))?
    }

    /// Keeps what an expression is in a new attribute, where every instance gets it.
    fn keep(&self, text: &str) -> Option<(String, Edit)> {
        let (eval, instance, setting) = (self.eval, self.instance, self.setting);
        let own = self.method().params.first()?;
        // What the program does with all attributes it would do with a new one, too.
        let shows_all = |m: &Module| {
            let mut functions = m.defs.iter().filter(|d| d.kind == Kind::Function);
            functions.any(|d| {
                let text = m.code(d.at);
                !lists(OWN_WAYS, &d.name) && (text.contains("vars(") || text.contains(".__dict__"))
            })
        };
        if !setting.is_sure || eval.project.any(|m| shows_all(m)) {
            return None;
        }
        let attributes = eval.attributes(instance);
        let line = eval.line(instance.class, &instance.class_env);
        let is_free = |wanted: &str| {
            let is_bases = !line.outside.is_empty() && lists(OF_BASES, wanted);
            !is_bases
                && attributes.iter().all(|a| &*a.name != wanted)
                && eval.project.modules().iter().all(|module| {
                    let is_bound = |d: &Def| bindings_of(d, wanted).next().is_some();
                    !module.text.contains(&format!("self.{wanted}"))
                        && !module
                            .defs
                            .iter()
                            .any(|d| d.kind == Kind::Class && is_bound(d))
                })
        };
        let mut words = text
            .split(|c| !is_word(c))
            .filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()));
        let last = words.next_back()?.to_lowercase();
        let bare = last.trim_start_matches('_');
        let kept = [last.clone(), format!("_{bare}"), format!("_kept_{bare}")];
        let kept = kept.into_iter().find(|k| is_free(k))?;
        let line = format!("{}.{kept} = {text}", own.name);
        let edit = above(&self.module, setting.at.start, &[line])?;
        Some((format!("self.{kept}"), edit))
    }
}

/// Returns the text of a place, with what is swapped in it.
fn swapped(module: &Module, place: Place, mut swaps: Vec<(Place, String)>) -> String {
    swaps.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
    let mut text = module.slice(place).to_owned();
    for (at, new) in swaps {
        let (start, end) = (
            (at.start - place.start) as usize,
            (at.end - place.start) as usize,
        );
        text.replace_range(start..end, &new);
    }
    text
}

/// Returns what a scope sets an attribute of this name on.
fn sets<'d>(def: &'d Def, name: &'d Name) -> impl Iterator<Item = &'d Rc<Expr>> {
    let set = def.bindings.iter().filter_map(Binding::attribute);
    set.filter_map(move |(of, n)| (n == name).then_some(of))
}

/// Returns whether a class that derives from this one sets an attribute, as it may below `super().__init__()`.
pub(super) fn is_set_below(eval: &Eval, class: DefId, name: &Name) -> bool {
    eval.project.defs().any(|(id, module)| {
        let def = &module.defs[id.def];
        let (own, other) = (module.own_name(def), id.beside(def.parent));
        let is_own = |of: &Rc<Expr>| own.is_some_and(|own| of.is_name(own));
        other != class && sets(def, name).any(is_own) && eval.line_of(other).has(class)
    })
}

/// Returns whether a place in the same method comes after another.
fn is_after(one: &Setting, other: &Setting) -> bool {
    (one.module, one.method) == (other.module, other.method) && one.at.start > other.at.start
}

/// Writes an expression of several lines in one.
fn in_one_line(expr: &str) -> Result<String, String> {
    let Some((first, rest)) = expr.split_once('\n') else {
        return Ok(expr.to_owned());
    };
    if expr.contains('#') {
        return Err("a comment is within it".to_owned());
    }
    if expr.contains("\"\"\"") || expr.contains("'''") || expr.contains("\\\n") {
        return Err("a text of several lines is within it".to_owned());
    }
    let mut text = first.trim_end().to_owned();
    for line in rest.lines().map(str::trim) {
        let is_close = line.starts_with([')', ']', '}']);
        if is_close && is_call(&text) {
            text.truncate(text.trim_end_matches(',').len());
        }
        if !is_close && !text.ends_with(['(', '[', '{']) {
            text.push(' ');
        }
        text.push_str(line);
    }
    Ok(text)
}

/// Returns whether the innermost bracket that is open at the end of a text is that of a call: a comma
/// before its end says nothing, where it makes a tuple of other brackets.
fn is_call(text: &str) -> bool {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' => return text[..at].ends_with(is_word),
            '[' | '{' => return false,
            _ => {}
        }
    }
    false
}

/// Returns whether a value is data, as calls of the tables' plain functions give it too.
fn is_data(eval: &Eval, value: &Value) -> bool {
    match value {
        Value::Plain => true,
        Value::Items(items) => items.iter().all(|(_, l)| is_data(eval, &eval.force(l))),
        Value::Made(made) => objects::is_data(&made.of),
        // What the command line gave: `args.path`.
        Value::Outside(name, Some(_)) => objects::is_data(name),
        // `logging.INFO`
        Value::Outside(name, None) => {
            let last = name.rsplit('.').next().unwrap_or_default();
            let is_constant = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            last.len() > 1 && last.chars().all(is_constant)
        }
        Value::OneOf(values) => values.iter().all(|v| is_data(eval, v)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::in_one_line;

    #[test]
    fn lines_are_joined_and_texts_stay() {
        for (lines, line) in [
            (
                "open(\n    path,\n    \"a ( b, )\",\n)",
                "open(path, \"a ( b, )\")",
            ),
            ("Box((\n    1,\n))", "Box((1,))"),
            ("f([\n    1,\n    2,\n], x)", "f([1, 2,], x)"),
            ("re.compile(\"( a )\")", "re.compile(\"( a )\")"),
        ] {
            assert_eq!(in_one_line(lines).as_deref(), Ok(line));
        }
        assert!(in_one_line("f(\"\"\"a\nb\"\"\")").is_err());
        assert!(in_one_line("f(a,  # one\nb)").is_err());
    }
}
