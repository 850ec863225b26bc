//! Lines that keep their indentation wherever code is moved: those that begin in a text of several lines.

/// Returns for each line whether it begins in a text that is no docstring, whose indentation is its own.
pub(super) fn verbatim(code: &str) -> Vec<bool> {
    let mut lines = vec![false];
    let mut rest = Rest {
        code: code.as_bytes(),
        at: 0,
    };
    let (mut depth, mut before) = (0_usize, b':');
    while let Some(c) = rest.next() {
        match c {
            b'\n' => lines.push(false),
            b'#' => {
                while rest.peek().is_some_and(|c| c != b'\n') {
                    rest.at += 1;
                }
            }
            b'"' | b'\'' => {
                let is_docstring = depth == 0 && before == b':';
                let length = rest.quote(c);
                let ended = rest.text(c, length);
                lines.extend(std::iter::repeat_n(!is_docstring, ended));
                before = c;
            }
            b'(' | b'[' | b'{' => (depth, before) = (depth + 1, c),
            b')' | b']' | b'}' => (depth, before) = (depth.saturating_sub(1), c),
            c if c.is_ascii_whitespace() => {}
            // A prefix: `r"""`.
            b'r' | b'R' | b'u' | b'U' if matches!(rest.peek(), Some(b'"' | b'\'')) => {}
            c => before = c,
        }
    }
    lines
}

/// What is left of the code.
struct Rest<'c> {
    code: &'c [u8],
    at: usize,
}

impl Rest<'_> {
    fn peek(&self) -> Option<u8> {
        self.code.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    /// Reads the rest of a quote, and returns whether it is of three or of one.
    fn quote(&mut self, c: u8) -> usize {
        let is_triple = self.code[self.at..].starts_with(&[c, c]);
        self.at += if is_triple { 2 } else { 0 };
        if is_triple { 3 } else { 1 }
    }

    /// Reads a text to its end, and returns how many of its lines end in it.
    fn text(&mut self, quote: u8, length: usize) -> usize {
        let mut ended = 0;
        while let Some(c) = self.next() {
            match c {
                b'\\' => {
                    // `\r\n` is one line's end.
                    if self.code[self.at..].starts_with(b"\r\n") {
                        self.at += 1;
                    }
                    ended += usize::from(self.next() == Some(b'\n'));
                }
                // One that is not closed ends with its line.
                b'\n' if length == 1 => {
                    self.at -= 1;
                    break;
                }
                b'\n' => ended += 1,
                c if c == quote && length == 1 => break,
                c if c == quote && self.code[self.at..].starts_with(&[c, c]) => {
                    self.at += 2;
                    break;
                }
                _ => {}
            }
        }
        ended
    }
}

/// Returns code one step to the right, line by line.
pub(super) fn indented(code: &str, unit: &str) -> String {
    let kept = verbatim(code);
    let lines = code.split_inclusive('\n').zip(kept);
    lines
        .map(|(line, is_kept)| match line.trim() {
            "" => line.to_owned(),
            _ if is_kept => line.to_owned(),
            _ => format!("{unit}{line}"),
        })
        .collect()
}

/// Returns the lines of code without the indentation that they share.
pub(super) fn dedented<'c>(code: &'c str, indent: &str) -> Vec<&'c str> {
    let lines = code.lines().zip(verbatim(code));
    lines
        .map(|(line, is_kept)| match line.strip_prefix(indent) {
            Some(rest) if !is_kept => rest,
            _ => line,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line that begins in a text, and one that does not.
    #[test]
    fn lines_that_begin_in_a_text() {
        for (code, lines) in [
            ("a = 1\nb = 2", [false, false]),
            ("a = '''x\ny'''", [false, true]),
            ("a = f(\"\"\"x\n  y\"\"\")", [false, true]),
            ("a = 'x' # '''\nb = 2", [false, false]),
            ("a = 'x\\\ny'", [false, true]),
            ("a = '\\''\nb = ''", [false, false]),
            ("a = ''\nb = ''''''", [false, false]),
            ("a = 'it\nb = 1", [false, false]),
            ("'''Doc.\n'''", [false, false]),
            ("def f(): r'''Doc.\n'''", [false, false]),
            ("d = {1: '''x\n'''}", [false, true]),
            ("a = '''x''' + \\\n'''y'''", [false, false]),
        ] {
            assert_eq!(verbatim(code), lines, "{code}");
        }
    }

    #[test]
    fn code_moves_and_texts_stay() {
        let code = "    x = '''a\n    b'''\n\n    y = 1\n";
        assert_eq!(
            dedented(code, "    "),
            ["x = '''a", "    b'''", "", "y = 1"]
        );
        let right = indented("x = '''a\nb'''\r\n\r\ny = 1", "\t");
        assert_eq!(right, "\tx = '''a\nb'''\r\n\r\n\ty = 1");
    }
}
