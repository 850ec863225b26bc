//! What a rule says, with everything filled in.

use serde::{Deserialize, Serialize};

/// The words of a rule with everything filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Advice {
    /// The fault.
    pub title: String,
    /// The mechanism.
    pub cause: String,
    /// The chosen way out, then the others that apply beside it.
    pub fixes: Vec<FixAdvice>,
    /// Pages to read.
    pub links: Vec<String>,
}

/// One way out with everything filled in; reports write it so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixAdvice {
    /// Its name within the rule.
    pub name: Option<String>,
    /// Whether it is the one to try first.
    pub chosen: bool,
    /// What to do now.
    pub text: String,
    /// Python to paste, without a newline at its ends.
    pub code: Option<String>,
    /// How to see that it worked.
    pub check: Option<String>,
    /// What does not help.
    pub not: Option<String>,
}
