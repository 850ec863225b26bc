//! Names of Python in a text: whole words.

/// Returns whether a character can be part of a name.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether a word can be a name.
pub(crate) fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().all(is_word)
}

/// The exceptions of Python's own library that its processes meet.
const EXCEPTIONS: &str = "\
    ArithmeticError AssertionError AttributeError AuthenticationError BaseException BlockingIOError \
    BrokenBarrierError BrokenExecutor BrokenPipeError BrokenProcessPool BrokenThreadPool BufferError \
    BufferTooShort CalledProcessError CancelledError ChildProcessError ConnectionAbortedError \
    ConnectionError ConnectionRefusedError ConnectionResetError EOFError Empty EnvironmentError \
    Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError Full IOError \
    ImportError IndexError InterruptedError InvalidStateError IsADirectoryError JSONDecodeError \
    KeyError KeyboardInterrupt LookupError MaybeEncodingError MemoryError ModuleNotFoundError \
    NameError NotADirectoryError NotImplementedError OSError OverflowError PermissionError \
    PickleError PicklingError ProcessError ProcessLookupError RecursionError ReferenceError \
    RemoteError RuntimeError SSLError StopIteration SyntaxError SystemError SystemExit TimeoutError \
    TimeoutExpired TypeError UnicodeDecodeError UnicodeEncodeError UnpicklingError ValueError \
    WindowsError ZeroDivisionError error gaierror";

/// Returns whether an exception, by the last part of its name, is one of Python's own library.
pub(crate) fn is_own_exception(name: &str) -> bool {
    EXCEPTIONS.split_ascii_whitespace().any(|own| own == name)
}

/// Returns where a text has a name as a whole word.
pub(crate) fn places_of<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + use<'t> {
    let all = text.match_indices(name).map(|(at, _)| at);
    all.filter(move |at| {
        !text[..*at].ends_with(is_word) && !text[at + name.len()..].starts_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_whole_word() {
        let text = "rows, my_rows, rows2, f(rows)";
        assert_eq!(places_of(text, "rows").collect::<Vec<_>>(), [0, 24]);
    }
}
