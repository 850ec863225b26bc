//! The type of an exception as a rule writes it: as many dotted parts as are needed.

use memchr::memchr;

use crate::python_name::is_word;

/// The type of an exception as a rule writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeName(String);

impl TypeName {
    /// Takes a name as written; any dotted name will do.
    pub(crate) fn new(name: &str) -> Result<Self, String> {
        let is_part = |p: &str| !p.is_empty() && p.chars().all(is_word);
        let bare = name.split('(').next().unwrap_or(name);
        if bare.split('.').all(is_part) {
            Ok(Self(name.to_string()))
        } else {
            Err(format!(
                "\"{name}\" is no type; write it as a traceback shows it: \"pickle.PicklingError\""
            ))
        }
    }

    /// Returns whether a printed type is this one, as far as both tell.
    pub(crate) fn is(&self, printed: &str) -> bool {
        // Nearly always, for rules are looked up by it.
        if self.0 == printed {
            return true;
        }
        let (rule, rule_inner) = split_inner(&self.0);
        let (text, text_inner) = split_inner(printed);
        (ends(rule, text) || ends(text, rule)) && (rule_inner.is_none() || rule_inner == text_inner)
    }
}

/// Splits `RayTaskError(TypeError)` and takes `__main__.` off.
fn split_inner(name: &str) -> (&str, Option<&str>) {
    let (name, inner) = match memchr(b'(', name.as_bytes()) {
        Some(at) => (&name[..at], Some(name[at + 1..].trim_end_matches(')'))),
        None => (name, None),
    };
    (name.strip_prefix("__main__.").unwrap_or(name), inner)
}

/// Returns whether the last dotted parts of a name are those of the other.
fn ends(name: &str, end: &str) -> bool {
    let before = name.strip_suffix(end);
    before.is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(rule: &str, printed: &str) -> bool {
        TypeName::new(rule).unwrap().is(printed)
    }

    #[test]
    fn types_are_compared_as_far_as_both_tell() {
        assert!(is("OutOfMemoryError", "torch.cuda.OutOfMemoryError"));
        assert!(is("torch.cuda.OutOfMemoryError", "OutOfMemoryError"));
        assert!(is(
            "pool.MaybeEncodingError",
            "multiprocessing.pool.MaybeEncodingError"
        ));
        assert!(!is("pickle.PicklingError", "_pickle.PicklingError"));
        assert!(!is("Error", "OSError"));
        assert!(is("MyError", "__main__.MyError"));
        assert!(is(
            "RayTaskError",
            "ray.exceptions.RayTaskError(pickle.PicklingError)"
        ));
        assert!(!is(
            "RayTaskError(TypeError)",
            "ray.exceptions.RayTaskError(KeyError)"
        ));
        assert!(TypeName::new("Type Error").is_err());
    }
}
