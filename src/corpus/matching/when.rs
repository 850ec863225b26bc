//! When a text of a rule is told.

use std::slice;

use super::ask::Condition;
use super::context::{Captures, MatchContext};
use crate::corpus::rule::error::Fault;
use crate::corpus::rule::file::WhenKeys;

/// The `when` of a text: one of these must hold.
#[derive(Debug)]
pub(crate) struct When(Vec<Condition>);

impl When {
    /// Compiles its tables.
    pub(crate) fn new(keys: &WhenKeys) -> Result<Self, Fault> {
        let conditions: Result<_, _> = keys.0.iter().map(Condition::new).collect();
        conditions.map(Self)
    }

    /// Returns its tables, in the order of the file.
    pub(crate) fn conditions(&self) -> slice::Iter<'_, Condition> {
        self.0.iter()
    }

    /// Returns whether one of them holds; what it captures is not kept.
    pub(crate) fn holds(&self, context: &MatchContext, captured: &mut Captures) -> bool {
        let mut holds = |one: &Condition| captured.beside(|c| one.holds(context, c));
        self.0.iter().any(&mut holds)
    }

    /// Returns whether a fact or capture is known whichever of them holds.
    pub(crate) fn guarantees(&self, name: &str) -> bool {
        self.0.iter().all(|one| one.guarantees(name))
    }

    /// Returns the circumstances under which it holds, in words for a reader.
    pub(crate) fn describe(&self) -> String {
        let each: Vec<String> = self.0.iter().map(Condition::describe).collect();
        each.join(", or else ")
    }
}
