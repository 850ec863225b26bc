//! A list under a key: any of its entries will do.

use crate::corpus::rule::error::{Fault, unknown};
use crate::corpus::rule::file::{Value, texts};
use toml::Spanned;

/// The entries of a key, each as it is asked and as it was written; never empty.
#[derive(Debug)]
pub(crate) struct AnyOf<T>(Vec<(T, String)>);

impl<T> AnyOf<T> {
    /// Makes a list of one.
    pub(crate) fn one(entry: T, written: &str) -> Self {
        Self(vec![(entry, written.to_owned())])
    }

    /// Compiles the texts of a value.
    pub(crate) fn new(
        value: &Spanned<Value>,
        compile: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Self, Fault> {
        let written = texts(value);
        let is_texts = match value.get_ref() {
            Value::List(list) => list.len() == written.len() && !list.is_empty(),
            _ => !written.is_empty(),
        };
        if !is_texts {
            let message = "expected a text in quotes or a list of them".to_owned();
            return Err((value.span().start, message));
        }
        // Most have one entry, and all are kept.
        let mut entries = Vec::with_capacity(written.len());
        for (offset, text) in written {
            let compiled = compile(text).map_err(|message| (offset, message))?;
            entries.push((compiled, text.to_owned()));
        }
        Ok(Self(entries))
    }

    /// Returns the entries as they are asked.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(entry, _)| entry)
    }

    /// Returns the entries as they were written.
    pub(crate) fn written(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, text)| text.as_str())
    }

    /// Returns whether one of the entries holds.
    pub(crate) fn any(&self, holds: impl FnMut(&T) -> bool) -> bool {
        self.iter().any(holds)
    }
}

/// Finds the value of a name among the valid ones.
pub(crate) fn named<'v, T>(
    name: &str,
    valid: impl Iterator<Item = (&'static str, &'v T)> + Clone,
) -> Result<&'v T, String> {
    if let Some((_, value)) = valid.clone().find(|(valid, _)| *valid == name) {
        return Ok(value);
    }
    let names: Vec<&str> = valid.map(|(name, _)| name).collect();
    Err(unknown("value", name, &names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let table = [("fork", 1), ("spawn", 2)];
        let named = |name| named(name, table.iter().map(|(n, v)| (*n, v)));
        assert_eq!(named("spawn"), Ok(&2));
        assert_eq!(
            named("spwan").unwrap_err(),
            "unknown value \"spwan\", did you mean \"spawn\"?"
        );
        assert_eq!(
            named("threads").unwrap_err(),
            "unknown value \"threads\", expected one of: fork, spawn"
        );
    }
}
