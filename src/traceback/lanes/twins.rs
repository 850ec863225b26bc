//! Two writers that failed of one thing, their lines mixed: all frames stand with one of them.

use super::Completed;
use crate::traceback::Exception;

/// Returns which are no more than head and final line, and say what one that is complete at the same line says,
/// which has the frames.
pub fn bare_twins(completed: &[Completed]) -> Vec<usize> {
    if completed.len() < 2 {
        return Vec::new();
    }
    let is_twin = |one: &&Completed| {
        let bare = only(one).filter(|raised| raised.frames.is_empty());
        bare.is_some_and(|bare| {
            let mut others = completed.iter().filter_map(only);
            others.any(|other| !other.frames.is_empty() && says_same(other, bare))
        })
    };
    let all = completed.iter().enumerate();
    all.filter(|(_, one)| is_twin(one))
        .map(|(at, _)| at)
        .collect()
}

/// Returns the only exception of a traceback.
fn only(one: &Completed) -> Option<&Exception> {
    match one {
        Completed::Traceback(traceback) => match &traceback.exceptions[..] {
            [raised] => Some(raised),
            _ => None,
        },
        Completed::Line(_) => None,
    }
}

fn says_same(one: &Exception, other: &Exception) -> bool {
    one.type_name.is_some() && (&one.type_name, &one.message) == (&other.type_name, &other.message)
}
