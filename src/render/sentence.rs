//! Phrases as sentences begin: titles and circumstances are written in lower case.

/// Begins a phrase as a sentence.
pub(crate) fn capitalised(phrase: &str) -> String {
    let mut letters = phrase.chars();
    match letters.next() {
        Some(first) if !is_name(phrase) => first.to_uppercase().chain(letters).collect(),
        _ => phrase.to_owned(),
    }
}

/// Returns whether a phrase begins with a name: in code (`pickle.dumps of a view`), or one that is
/// written in its own way (`vLLM's engine`).
fn is_name(phrase: &str) -> bool {
    let word = phrase
        .split([' ', ',', ':', '\''])
        .next()
        .unwrap_or_default();
    let is_own = |c: char| c.is_ascii_uppercase() || ".`(=_".contains(c);
    word.chars().skip(1).any(is_own)
}

#[cfg(test)]
mod tests {
    use super::capitalised;

    #[test]
    fn a_name_stays_as_it_is_written() {
        for (phrase, sentence) in [
            ("a lock cannot be sent", "A lock cannot be sent"),
            ("vLLM's engine died", "vLLM's engine died"),
            ("pickle.dumps of a view", "pickle.dumps of a view"),
            ("`fork` was chosen", "`fork` was chosen"),
            ("über", "Über"),
            ("", ""),
        ] {
            assert_eq!(capitalised(phrase), sentence);
        }
    }
}
