//! Message templates, taken apart: `cannot pickle '{type}' object`.

/// A template as written: one or more lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    /// Its lines, blank ones left out.
    pub(crate) lines: Vec<TemplateLine>,
}

/// One line of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplateLine {
    /// A line `...`: any number of lines.
    Any,
    /// A line that must be there.
    Pieces(Vec<TemplatePiece>),
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplatePiece {
    /// Text that must be there.
    Literal(String),
    /// `{name}`: the shortest text that fits, at least one character.
    Capture(String),
    /// `...`: anything, or nothing.
    Anything,
}

impl Template {
    /// Takes a template apart.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        // Most have one line, and all are kept.
        let mut lines = Vec::with_capacity(text.lines().count());
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
            lines.push(if line == "..." {
                TemplateLine::Any
            } else {
                TemplateLine::Pieces(pieces(line)?)
            });
        }
        // A template may start and end anywhere among the lines of a message as it is.
        while lines.first() == Some(&TemplateLine::Any) {
            lines.remove(0);
        }
        while lines.last() == Some(&TemplateLine::Any) {
            lines.pop();
        }
        if lines.is_empty() {
            return Err("an empty template would fit everything".to_string());
        }
        Ok(Self { lines })
    }

    /// Returns the longest literal; empty if there is none.
    pub(crate) fn longest_literal(&self) -> &str {
        // The first of equals: it is more likely to be left in a message that was cut.
        self.literals().rev().max_by_key(|l| l.len()).unwrap_or("")
    }

    /// Returns what is fixed in a template of one line that begins with text: its literals, and behind them an
    /// empty one if it ends with a gap.
    pub(crate) fn outline(&self) -> Option<impl Iterator<Item = &str>> {
        let [TemplateLine::Pieces(pieces)] = self.lines.as_slice() else {
            return None;
        };
        let is_literal = |piece: Option<&_>| matches!(piece, Some(TemplatePiece::Literal(_)));
        let end = (!is_literal(pieces.last())).then_some("");
        is_literal(pieces.first()).then(|| self.literals().chain(end))
    }

    /// Returns the names of the captures, in order, each once.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for piece in self.pieces() {
            if let TemplatePiece::Capture(name) = piece
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }

    /// Returns whether a capture has this name.
    pub(crate) fn captures(&self, name: &str) -> bool {
        let mut pieces = self.pieces();
        pieces.any(|piece| matches!(piece, TemplatePiece::Capture(own) if own == name))
    }

    /// Returns the literals, in order.
    pub(crate) fn literals(&self) -> impl DoubleEndedIterator<Item = &str> {
        literals(&self.lines)
    }

    fn pieces(&self) -> impl DoubleEndedIterator<Item = &TemplatePiece> {
        pieces_of(&self.lines)
    }
}

/// Counts the bytes of all literals of some lines together.
pub(crate) fn literal_bytes(lines: &[TemplateLine]) -> usize {
    literals(lines).map(str::len).sum()
}

fn literals(lines: &[TemplateLine]) -> impl DoubleEndedIterator<Item = &str> {
    pieces_of(lines).filter_map(|p| match p {
        TemplatePiece::Literal(text) => Some(text.as_str()),
        TemplatePiece::Capture(_) | TemplatePiece::Anything => None,
    })
}

fn pieces_of(lines: &[TemplateLine]) -> impl DoubleEndedIterator<Item = &TemplatePiece> {
    lines.iter().flat_map(|l| match l {
        TemplateLine::Any => [].iter(),
        TemplateLine::Pieces(pieces) => pieces.iter(),
    })
}

/// Takes one line apart.
fn pieces(line: &str) -> Result<Vec<TemplatePiece>, String> {
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let is_special = |byte| matches!(byte, b'.' | b'{' | b'}');
        let plain = rest.bytes().position(is_special).unwrap_or(rest.len());
        if plain > 0 {
            literal.push_str(&rest[..plain]);
            rest = &rest[plain..];
            continue;
        }
        let dots = rest.len() - rest.trim_start_matches('.').len();
        // `....send(` is a gap before `.send(`: no line that a rule asks for begins with a dot.
        let begins = pieces.is_empty() && literal.is_empty();
        let (piece, taken) = if dots == 3 || dots == 4 && begins {
            (TemplatePiece::Anything, 3)
        } else if rest.starts_with("{{") || rest.starts_with("}}") {
            literal.push(c);
            rest = &rest[2..];
            continue;
        } else if c == '{' {
            let end = rest
                .find('}')
                .ok_or("\"{\" without \"}\"; write \"{{\" for a brace itself")?;
            let name = &rest[1..end];
            if !is_name(name) {
                return Err(format!(
                    "{{{name}}} is no name of a capture; write \"{{{{\" for a brace itself"
                ));
            }
            (TemplatePiece::Capture(name.to_string()), end + 1)
        } else if c == '}' {
            return Err("\"}\" without \"{\"; write \"}}\" for a brace itself".to_string());
        } else {
            literal.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        if !literal.is_empty() {
            pieces.push(TemplatePiece::Literal(std::mem::take(&mut literal)));
        }
        if let (TemplatePiece::Capture(name), Some(TemplatePiece::Capture(before))) =
            (&piece, pieces.last())
        {
            return Err(format!(
                "nothing tells {{{before}}} from {{{name}}}; write some text between them"
            ));
        }
        pieces.push(piece);
        rest = &rest[taken..];
    }
    if !literal.is_empty() {
        pieces.push(TemplatePiece::Literal(literal));
    }
    Ok(pieces)
}

/// Returns whether a word can name a capture: letters, digits and `_`, no digit first.
pub(crate) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && word
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(text: &str) -> TemplatePiece {
        TemplatePiece::Literal(text.to_string())
    }

    #[test]
    fn a_template_comes_apart_into_text_captures_and_gaps() {
        let template = Template::parse("can't {{}} '{type}' ...\n...\n  end").unwrap();
        assert_eq!(
            template.lines,
            [
                TemplateLine::Pieces(vec![
                    literal("can't {} '"),
                    TemplatePiece::Capture("type".to_string()),
                    literal("' "),
                    TemplatePiece::Anything
                ]),
                TemplateLine::Any,
                TemplateLine::Pieces(vec![literal("end")]),
            ]
        );
        assert_eq!(template.longest_literal(), "can't {} '");
        assert_eq!(template.names(), ["type"]);
    }

    #[test]
    fn the_last_three_of_more_dots_are_the_gap() {
        let template = Template::parse("on _thread....").unwrap();
        assert_eq!(
            template.lines,
            [TemplateLine::Pieces(vec![
                literal("on _thread."),
                TemplatePiece::Anything
            ])]
        );
    }

    #[test]
    fn the_first_three_of_four_dots_are_the_gap_where_a_line_begins() {
        let template = Template::parse("....send(").unwrap();
        assert_eq!(
            template.lines,
            [TemplateLine::Pieces(vec![
                TemplatePiece::Anything,
                literal(".send(")
            ])]
        );
    }

    #[test]
    fn a_lone_brace_is_an_error_that_says_how_to_write_it() {
        for text in ["a { b", "a } b", "{Type}", "{}"] {
            assert!(
                Template::parse(text)
                    .unwrap_err()
                    .contains("for a brace itself"),
                "{text}"
            );
        }
    }

    #[test]
    fn neighbouring_captures_are_an_error() {
        assert!(
            Template::parse("{a}{b}")
                .unwrap_err()
                .contains("write some text between")
        );
    }

    #[test]
    fn a_template_of_gaps_alone_is_an_error() {
        assert!(Template::parse("...\n...").is_err());
        assert!(Template::parse(" \n").is_err());
    }
}
