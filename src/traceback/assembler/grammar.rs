//! What the rules expect of a message, as the assembler asks for it.

/// What the rules' templates expect of a message.
pub trait MessageGrammar {
    /// Returns what may follow a message as it stands.
    fn continuation(&self, exception: &str, message: &[String]) -> Continuation;
    /// Returns whether some template of a rule for this exception wants `next` as its next line.
    fn expects(&self, exception: &str, message: &[String], next: &str) -> bool;
    /// Joins `next` to the last line of a message that was wrapped, where some rule wants that; `directly`
    /// if no empty line is between them.
    fn rejoin(
        &self,
        exception: &str,
        message: &[String],
        next: &str,
        directly: bool,
    ) -> Option<String>;
    /// Returns whether some rule may know a line outside tracebacks.
    fn may_know(&self, line: &str) -> bool;
}

/// What may follow a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Continuation {
    /// Some template of a rule for this exception has more lines than the message has.
    pub wants_lines: bool,
    /// The last line of the message is only a beginning of what some rule wants.
    pub is_begun: bool,
    /// So that the message may have been cut there: no other rule is content, or the line is long.
    pub is_cut: bool,
}

/// No template expects anything.
pub struct Nothing;

impl MessageGrammar for Nothing {
    fn continuation(&self, _: &str, _: &[String]) -> Continuation {
        Continuation::default()
    }
    fn expects(&self, _: &str, _: &[String], _: &str) -> bool {
        false
    }
    fn rejoin(&self, _: &str, _: &[String], _: &str, _: bool) -> Option<String> {
        None
    }
    fn may_know(&self, _: &str) -> bool {
        false
    }
}
