//! The launcher's file and the files of its ranks, which are read as jobs of their own.
//!
//! With `torchrun --log-dir` each rank prints into a file of its own, and the launcher's output, the
//! box that says which rank ended how, goes where the caller sends it. When all logs are read, the
//! box is joined with the ranks' job that it is about: it follows from what its rank printed, or
//! else (a signal, `os._exit`) what the other ranks died of follows from it.

use std::collections::{HashMap, HashSet};

use super::Grouping;
use super::entry::IncidentEntry;
use super::identity::Identity;
use super::memory::{IncidentNumber, Memory};
use super::relation::{Origin, claim_by_name, is_consequence};
use crate::corpus::{Failure, Rule};

/// The exception whose message is the box.
const BOX: &str = "ChildFailedError";

/// Returns whether a failure may yet be joined with one of another file, and so is not the same as one
/// of another job before all are read.
pub(super) fn joins(failure: &Failure, origin: Origin) -> bool {
    if origin.has_ranks {
        is_left_behind(failure)
    } else {
        is_box(failure)
    }
}

/// Returns whether a failure is the box of torchrun, which names the rank that ended first.
fn is_box(failure: &Failure) -> bool {
    let exception = failure.exception.as_deref();
    exception.is_some_and(|e| e.ends_with(BOX)) && rank_in_box(failure).is_some()
}

fn rank_in_box(failure: &Failure) -> Option<u32> {
    let diagnosis = failure.diagnosis.as_ref()?;
    diagnosis.captures.get("rank")?.parse().ok()
}

/// Returns the script that a box is about: `train.py FAILED` is its title.
fn script_in_box<'f>(failure: &'f Failure<'_>) -> Option<&'f str> {
    let mut lines = failure.message.lines().map(str::trim);
    lines.find_map(|line| line.strip_suffix(" FAILED"))
}

/// Returns the exit code of the rank, unless a signal ended it.
fn exit_code<'f>(failure: &'f Failure) -> Option<&'f str> {
    let captures = &failure.diagnosis.as_ref()?.captures;
    captures.get("exit").map(String::as_str)
}

impl Memory<'_> {
    /// Joins each box that has a file of its own with the job of its ranks; of what is left, the same
    /// is one failure, where all that was read counts together.
    pub(super) fn join_launchers(&mut self, grouping: Grouping) {
        let mut joined = HashSet::new();
        let boxes: Vec<IncidentNumber> = self.boxes().collect();
        for number in boxes {
            joined.extend(self.join(number, &joined));
        }
        if grouping != Grouping::All {
            return;
        }
        let mut first: HashMap<(u64, Option<u64>), IncidentNumber> = HashMap::new();
        let is_left = |entry: &IncidentEntry| joins(&entry.incident.root, entry.last_seen.origin);
        let left = self.iter().filter(|(_, entry)| is_left(entry));
        let left: Vec<(IncidentNumber, Identity)> = left
            .map(|(number, entry)| (number, Identity::of(&entry.incident.root, 0)))
            .collect();
        for (number, identity) in left {
            self.identify(number, identity);
            let Identity { what, frame, .. } = identity;
            let first = *first.entry((what, frame)).or_insert(number);
            if first != number {
                self.repeat(first, number);
            }
        }
    }

    /// Returns the boxes that no rank printed and that follow from nothing.
    fn boxes(&self) -> impl Iterator<Item = IncidentNumber> {
        let is_own = |entry: &IncidentEntry| {
            !entry.last_seen.origin.has_ranks && is_box(&entry.incident.root)
        };
        self.iter()
            .filter(move |(_, entry)| is_own(entry))
            .map(|(number, _)| number)
    }

    /// Joins a box with its ranks' job, if there is one; returns that.
    fn join(&mut self, number: IncidentNumber, joined: &HashSet<u32>) -> Option<u32> {
        let entry = self.get(number)?;
        let job = self.job_of(entry, joined)?;
        if let Some(root) = self.root_in(job, entry) {
            self.absorb(root, number);
        } else {
            for peer in self.left_behind(job) {
                self.absorb(number, peer);
            }
        }
        Some(job)
    }

    /// Finds the job whose ranks a box is about: the one whose files lie nearest to the box's. Of
    /// several, it is the one with a root for it that no other box has; of several of those, the one
    /// that more speaks for, and none where the same speaks for two.
    fn job_of(&self, of: &IncidentEntry, joined: &HashSet<u32>) -> Option<u32> {
        let mut jobs: Vec<(usize, u32)> = Vec::new();
        for (_, entry) in self.iter() {
            let origin = entry.last_seen.origin;
            if origin.has_ranks && !jobs.iter().any(|(_, job)| *job == origin.job) {
                let files =
                    [of, entry].map(|e| e.incident.seen.file.as_deref().unwrap_or_default());
                jobs.push((common_folders(files), origin.job));
            }
        }
        let nearest = jobs.iter().map(|(near, _)| *near).max()?;
        jobs.retain(|(near, _)| *near == nearest);
        if let [(_, job)] = jobs[..] {
            return Some(job);
        }
        exit_code(&of.incident.root)?;
        let jobs = jobs.into_iter().map(|(_, job)| job);
        let jobs = jobs.filter(|job| !joined.contains(job));
        let fitting = jobs.filter_map(|job| Some((self.evidence(self.root_in(job, of)?, of), job)));
        let fitting: Vec<(usize, u32)> = fitting.collect();
        let most = fitting.iter().map(|(evidence, _)| *evidence).max()?;
        let mut best = fitting.iter().filter(|(evidence, _)| *evidence == most);
        match (best.next(), best.next()) {
            (Some((_, job)), None) => Some(*job),
            _ => None,
        }
    }

    /// Returns how much speaks for a root of a box: the rank that it names, its script.
    fn evidence(&self, root: IncidentNumber, of: &IncidentEntry) -> usize {
        let Some(root) = self.get(root) else {
            return 0;
        };
        let rank = rank_in_box(&of.incident.root);
        let is_rank = rank.is_some_and(|rank| root.incident.seen.ranks.contains(rank));
        let frame = root.incident.root.facts.user_frame.as_ref();
        let script = script_in_box(&of.incident.root);
        let is_script = frame.zip(script).is_some_and(|(frame, script)| {
            frame.path.as_str().rsplit(['/', '\\']).next() == script.rsplit('/').next()
        });
        usize::from(is_rank) + usize::from(is_script)
    }

    /// Finds what a box follows from among the failures of a job: that of the rank that it names,
    /// or the only one.
    fn root_in(&self, job: u32, of: &IncidentEntry) -> Option<IncidentNumber> {
        let failure = &of.incident.root;
        let rule = failure.rule()?;
        let rank = rank_in_box(failure);
        // After any other exit code than that of an exception the program has chosen it.
        if exit_code(failure).is_some_and(|exit| exit != "1") {
            return None;
        }
        let is_root = |entry: &IncidentEntry| {
            let root = &entry.incident.root;
            let is_claimed = match root.rule() {
                Some(known) => claim_by_name(rule, known).is_some(),
                None => rule.follows_from_any() && !root.is_cut(),
            };
            entry.last_seen.origin.job == job
                && entry.is_fatal()
                && is_claimed
                && !is_left_behind(root)
        };
        let roots: Vec<_> = self.iter().filter(|(_, entry)| is_root(entry)).collect();
        let of_rank = roots.iter().find(|(_, e)| match rank {
            Some(rank) => e.incident.seen.ranks.contains(rank),
            None => false,
        });
        match (of_rank, roots.as_slice()) {
            (Some((number, _)), _) | (None, [(number, _)]) => Some(*number),
            _ => None,
        }
    }

    /// Returns the failures of a job that follow from another rank's, which printed none.
    fn left_behind(&self, job: u32) -> Vec<IncidentNumber> {
        let is_of_job = |entry: &IncidentEntry| entry.last_seen.origin.job == job;
        let found = self.iter();
        found
            .filter(|(_, e)| is_of_job(e) && is_left_behind(&e.incident.root))
            .map(|(number, _)| number)
            .collect()
    }
}

/// Returns whether a failure says no more than that another rank has ended.
fn is_left_behind(failure: &Failure) -> bool {
    is_consequence(failure) && failure.rule().is_some_and(Rule::follows_from_any)
}

/// Counts the folders that two files are both below.
fn common_folders([one, other]: [&str; 2]) -> usize {
    let folders = |path: &str| -> Vec<String> {
        let (folders, _) = path.rsplit_once('/').unwrap_or_default();
        let names = folders.split('/').filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    };
    let pairs = folders(one).into_iter().zip(folders(other));
    pairs.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::common_folders;

    #[test]
    fn files_are_near_that_share_folders() {
        assert_eq!(common_folders(["run/1/a.out", "run/1/x/0/stderr.log"]), 2);
        assert_eq!(common_folders(["run/1/a.out", "run/2/x/0/stderr.log"]), 1);
        assert_eq!(common_folders(["/run/1/a.out", "/run/1/0/stderr.log"]), 2);
        assert_eq!(common_folders(["a.out", "x/0/stderr.log"]), 0);
    }
}
