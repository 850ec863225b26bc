//! What the message says could not be pickled.

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// An object of this type.
    Type(String),
    /// A function, class or lambda by its qualified name, without the parts of comprehensions.
    Named(String),
    /// Whatever cannot be pickled in an object of this class.
    In(String),
    /// What goes by this full name without being what the name leads to.
    Same(String),
}

impl Wanted {
    /// Reads a message.
    pub(super) fn read(message: &str) -> Option<Self> {
        let first = message.lines().find(|l| !l.trim().is_empty())?;
        // A pool's `Reason: 'TypeError("cannot pickle ...")'` quotes the message.
        let whole = message.lines().take(40).collect::<Vec<_>>().join(" ");
        let rest = Some(whole.as_str()).filter(|whole| *whole != first);
        for text in [Some(first), rest].into_iter().flatten() {
            let found = Self::same(text).or_else(|| Self::within(text));
            let found = found.or_else(|| Self::local(text));
            if let Some(found) = found.or_else(|| Self::typed(text)) {
                return Some(found);
            }
        }
        None
    }

    fn same(text: &str) -> Option<Self> {
        let rest = after(text, "it's not the same object as ")?;
        let is_part = |c: char| c.is_alphanumeric() || "._<>".contains(c);
        let name = rest.split(|c| !is_part(c)).next()?;
        (!name.is_empty()).then(|| Self::Same(name.to_owned()))
    }

    /// Reads Dask's `Object <__main__.Writer object at 0x7f0357f004d0> cannot be deterministically hashed`.
    fn within(text: &str) -> Option<Self> {
        let rest = after(text, "Object <")?;
        let (class, rest) = rest.split_once(" object at 0x")?;
        let is_it = rest.contains("> cannot be deterministically hashed");
        (is_it && !class.contains(' ')).then(|| Self::In(class.to_owned()))
    }

    fn local(text: &str) -> Option<Self> {
        for lead in [
            "pickle local object ",
            "get local object ",
            "pickle local class ",
        ] {
            if let Some(name) = after(text, lead).and_then(unquoted) {
                return Some(Self::Named(plain_name(name)));
            }
        }
        // `pickle local object <…`: Python 3.14 shows the object itself.
        let shown = after(text, "pickle <").or_else(|| after(text, "pickle local object <"))?;
        let function =
            (shown.strip_prefix("function ")).or_else(|| shown.strip_prefix("cyfunction "));
        if let Some(rest) = function {
            let name = match rest.split_once(" at 0x") {
                Some((name, _)) => name,
                None => rest.rsplit_once('>')?.0,
            };
            let name = name.rsplit_once("__main__.").map_or(name, |(_, n)| n);
            return Some(Self::Named(plain_name(name)));
        }
        if let Some(rest) = shown.strip_prefix("class ") {
            let name = unquoted(rest)?;
            if let Some(at) = name.find(".<locals>.") {
                // `package.module.Class.method.<locals>.Inner`: its name begins with a class, or the function.
                let parts: Vec<&str> = name[..at].split('.').collect();
                let class = parts.iter().position(|p| p.starts_with(char::is_uppercase));
                let before = &parts[..class.unwrap_or(parts.len() - 1)];
                let start: usize = before.iter().map(|part| part.len() + 1).sum();
                return Some(Self::Named(plain_name(&name[start..])));
            }
            // `c_double * 4` is a type of its own, made by that.
            let is_array = name.rsplit_once("_Array_").is_some_and(|(_, count)| {
                !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit())
            });
            if is_array && !name.starts_with("multiprocessing.") {
                return Some(Self::Type("ctypes array".to_owned()));
            }
            return Some(Self::Type(name.to_owned()));
        }
        None
    }

    fn typed(text: &str) -> Option<Self> {
        for lead in [
            "cannot pickle ",
            "can't pickle ",
            "cannot serialize ",
            "can\\'t pickle ",
        ] {
            let Some(rest) = after(text, lead) else {
                continue;
            };
            if rest.starts_with(['\'', '\\', '"']) {
                return unquoted(rest).map(|t| Self::Type(t.to_owned()));
            }
            if let Some((name, _)) = rest.split_once(" object")
                && !name.contains(' ')
            {
                return Some(Self::Type(name.to_owned()));
            }
        }
        if let Some((before, _)) =
            text.split_once(" objects should only be shared between processes through")
        {
            let name = before.rsplit([' ', '"', '\'', '(']).next()?;
            return Some(Self::Type(name.to_owned()));
        }
        let fixed = [
            ("pool objects cannot be passed between processes", "pool"),
            (
                "Pickling an AuthenticationString object",
                "AuthenticationString",
            ),
            ("h5py objects cannot be pickled", "h5py"),
            // cloudpickle sends files by what is in them, if they were opened for reading.
            (
                "Cannot pickle files that are not opened for reading",
                "_io.TextIOWrapper",
            ),
            ("logger cannot be pickled", "logger"),
            (
                "ctypes objects containing pointers",
                "ctypes objects containing pointers",
            ),
        ];
        fixed
            .iter()
            .find(|(lead, _)| after(text, lead).is_some())
            .map(|(_, name)| Self::Type((*name).to_owned()))
    }
}

/// Returns a qualified name without the scopes of comprehensions, which Python 3.12 does not have.
pub(super) fn plain_name(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').collect();
    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        if matches!(
            part,
            "<listcomp>" | "<genexpr>" | "<dictcomp>" | "<setcomp>"
        ) {
            continue;
        }
        if part == "<locals>" && kept.last() == Some(&"<locals>") {
            continue;
        }
        kept.push(part);
    }
    let start = usize::from(kept.first() == Some(&"<locals>"));
    kept[start..].join(".")
}

/// Returns what stands behind a lead. A search for it would cost most by being set up.
fn after<'t>(text: &'t str, lead: &str) -> Option<&'t str> {
    let mut firsts = text.match_indices(lead.chars().next()?);
    firsts.find_map(|(at, _)| text[at..].strip_prefix(lead))
}

/// Returns what is within the quotes that a text begins with.
fn unquoted(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\\');
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let inner = &text[1..];
    let end = inner.find(quote).unwrap_or(inner.len());
    Some(inner[..end].trim_end_matches('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_versions() {
        let is = |name: &str| Some(Wanted::Type(name.to_owned()));
        let named = |name: &str| Some(Wanted::Named(name.to_owned()));
        for (text, wanted) in [
            ("cannot pickle '_thread.lock' object", is("_thread.lock")),
            ("can't pickle _thread.RLock objects", is("_thread.RLock")),
            (
                "cannot serialize '_io.TextIOWrapper' object",
                is("_io.TextIOWrapper"),
            ),
            (
                "cannot pickle 'TextIOWrapper' instances",
                is("TextIOWrapper"),
            ),
            (
                "Queue objects should only be shared between processes through inheritance",
                is("Queue"),
            ),
            (
                "Can't pickle local object 'f.<locals>.<lambda>'",
                named("f.<locals>.<lambda>"),
            ),
            (
                "Can't get local object 'main.<locals>.<listcomp>.<lambda>'",
                named("main.<locals>.<lambda>"),
            ),
            (
                "Can't pickle <function <lambda> at 0x7f>: attribute lookup <lambda> on __main__ failed",
                named("<lambda>"),
            ),
            (
                "Can't pickle <class '__main__.main.<locals>.Record'>: it's not found",
                named("main.<locals>.Record"),
            ),
            (
                "Can't pickle local object <class '__main__.main.<locals>.Record'>",
                named("main.<locals>.Record"),
            ),
            (
                "Can't pickle local object <class 'ctypes.CDLL.__init__.<locals>._FuncPtr'>",
                named("CDLL.__init__.<locals>._FuncPtr"),
            ),
            (
                "Can't pickle local object <function Model.__init__.<locals>.<lambda> at 0x7f>",
                named("Model.__init__.<locals>.<lambda>"),
            ),
            (
                "Error sending result: '<x>'. Reason: 'TypeError(\"cannot pickle '_thread.lock' object\")'",
                is("_thread.lock"),
            ),
            (
                "Can't pickle <function load at 0x7f>: it's not the same object as __main__.load",
                Some(Wanted::Same("__main__.load".to_owned())),
            ),
            (
                "Can't pickle <class '__main__.c_double_Array_4'>: attribute lookup c_double_Array_4 on __main__ failed",
                is("ctypes array"),
            ),
            ("list index out of range", None),
        ] {
            assert_eq!(Wanted::read(text), wanted, "{text}");
        }
    }
}
