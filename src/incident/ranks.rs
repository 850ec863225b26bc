//! A compact set of ranks.

use std::fmt;

/// The most runs that are kept; ranks beyond them are left out.
const MAX_RUNS: usize = 64;

/// A set of ranks, kept as runs: `0–7, 12`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankSet {
    /// Disjoint runs, first and last rank, ascending and never adjacent.
    runs: Vec<(u32, u32)>,
}

impl RankSet {
    /// Adds a rank; leaves it out if it would need a 65th run.
    pub fn insert(&mut self, rank: u32) {
        let at = self.runs.partition_point(|&(_, last)| last < rank);
        let joins_next = self
            .runs
            .get(at)
            .is_some_and(|&(first, _)| first <= rank.saturating_add(1));
        let joins_last = at > 0 && self.runs[at - 1].1.checked_add(1) == Some(rank);
        match (joins_last, joins_next) {
            (_, true) if self.runs[at].0 <= rank => {}
            (true, true) => {
                self.runs[at - 1].1 = self.runs[at].1;
                self.runs.remove(at);
            }
            (true, false) => self.runs[at - 1].1 = rank,
            (false, true) => self.runs[at].0 = rank,
            (false, false) if self.runs.len() < MAX_RUNS => self.runs.insert(at, (rank, rank)),
            (false, false) => {}
        }
    }

    /// Adds all ranks of another set.
    pub fn extend(&mut self, other: &Self) {
        other.iter().for_each(|rank| self.insert(rank));
    }

    /// Returns whether a rank is in it.
    pub fn contains(&self, rank: u32) -> bool {
        let at = self.runs.partition_point(|&(_, last)| last < rank);
        self.runs.get(at).is_some_and(|&(first, _)| first <= rank)
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Returns whether there is exactly one.
    pub fn is_one(&self) -> bool {
        matches!(self.runs[..], [(first, last)] if first == last)
    }

    /// Returns the ranks in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.runs.iter().flat_map(|&(first, last)| first..=last)
    }
}

impl fmt::Display for RankSet {
    /// Writes `0–3, 7`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (first, last)) in self.runs.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            match last - first {
                0 => write!(f, "{comma}{first}")?,
                1 => write!(f, "{comma}{first}, {last}")?,
                _ => write!(f, "{comma}{first}–{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::RankSet;

    fn set(ranks: &[u32]) -> RankSet {
        let mut set = RankSet::default();
        for &rank in ranks {
            set.insert(rank);
        }
        set
    }

    #[test]
    fn runs_join_in_any_order() {
        assert_eq!(set(&[]).to_string(), "");
        assert_eq!(set(&[3]).to_string(), "3");
        assert_eq!(set(&[7, 0, 2, 1, 3, 6, 5, 4, 0, 7]).to_string(), "0–7");
        assert_eq!(set(&[5, 0, 1, 9, 8, 10]).to_string(), "0, 1, 5, 8–10");
        assert_eq!(
            [3, 4, 8].map(|rank| set(&[1, 2, 4, 5, 9]).contains(rank)),
            [false, true, false]
        );
        assert_eq!(
            set(&[0, u32::MAX, u32::MAX]).iter().collect::<Vec<_>>(),
            [0, u32::MAX]
        );
    }

    #[test]
    fn scattered_ranks_are_bounded() {
        let scattered: Vec<u32> = (0..10_000).map(|r| r * 2).collect();
        assert_eq!(set(&scattered).iter().count(), 64);
    }
}
