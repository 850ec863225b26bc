//! A program that has gone silent: whether it has stopped working, and what each process waits for.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::probe::StackFiles;
use super::processes::{Process, seconds};
use super::role::Role;
use super::wait::WaitReason;

/// The share of one processor that a program which waits may use.
const IDLE: f64 = 0.02;
/// The most processes whose stacks are asked for.
const MAX_STACKS: usize = 8;
/// The longest that a stack may take.
const STACK_TIME: Duration = Duration::from_secs(2);
/// The most that is read of a stack, in bytes.
const MAX_STACK: u64 = 256 * 1024;

/// The only file of the thread that redraws the bars of tqdm, each ten seconds.
const MONITOR: &str = "/tqdm/_monitor.py";

/// Looks for a stall.
pub(super) struct Stall {
    after: Duration,
    /// Where the stacks are, where the probe is loaded.
    stacks: Option<StackFiles>,
    /// When something was printed last.
    stirred: Duration,
    /// When it was looked, and the processor time used by then, in ticks.
    used: VecDeque<(Duration, u64)>,
    is_told: bool,
    /// When stacks were asked for, to find out whether it is a stall.
    asked: Option<Duration>,
}

impl Stall {
    pub(super) fn new(after: Duration, stacks: Option<StackFiles>) -> Self {
        Self {
            after,
            stacks,
            stirred: Duration::ZERO,
            used: VecDeque::new(),
            is_told: false,
            asked: None,
        }
    }

    /// Takes note that something was printed or typed.
    pub(super) fn stir(&mut self, now: Duration) {
        self.stirred = now;
        self.is_told = false;
        self.used.clear();
    }

    /// Looks at the processes; says once of a stall what they wait for.
    pub(super) fn look(&mut self, now: Duration, processes: &[Process], lines: &mut Vec<String>) {
        let ticks = processes.iter().map(|process| process.ticks).sum();
        self.used.push_back((now, ticks));
        while self
            .used
            .get(1)
            .is_some_and(|(at, _)| *at + self.after <= now)
        {
            self.used.pop_front();
        }
        if self.is_told || !self.is_still(now, processes) {
            return;
        }
        let waits: Vec<Waiting> = processes
            .iter()
            .filter(|process| process.state != 'Z')
            .map(|process| (process, WaitReason::of_threads(process.pid)))
            .collect();
        let mut stacks = BTreeMap::new();
        if !is_stall(&waits) && !self.is_stall_but_for_monitors(now, &waits, &mut stacks) {
            return;
        }
        self.is_told = true;
        let mut places = BTreeMap::new();
        let python = waits
            .iter()
            .filter(|(process, _)| process.name.contains("python"));
        for (process, _) in python.take(MAX_STACKS) {
            let known = stacks.remove(&process.pid);
            // The keyboard waits meanwhile: without one stack in time, none is asked for any more.
            let Some(stack) = known.or_else(|| self.stack(process.pid)) else {
                break;
            };
            places.insert(process.pid, place(&stack).unwrap_or_default());
            lines.push(format!("Process {}: {}", process.pid, process.name));
            lines.extend(stack);
        }
        let roles = waits
            .iter()
            .filter_map(|(process, _)| Some((process.pid, Role::of(process)?)))
            .collect();
        lines.push(format!(
            "pickfix run: stalled without an Exception; seconds: {}; waits: {}",
            now.saturating_sub(self.stirred).as_secs(),
            told(&waits, &roles, &places)
        ));
    }

    /// Returns whether it is a stall but for threads that sleep and only look after progress bars, which
    /// their stacks tell; asks for these once in a while.
    fn is_stall_but_for_monitors(
        &mut self,
        now: Duration,
        waits: &[Waiting],
        stacks: &mut BTreeMap<i32, Vec<String>>,
    ) -> bool {
        let without = waits.iter().map(|(process, waits)| {
            let mut waits = waits.clone();
            let main = waits.drain(..waits.len().min(1)).collect::<Vec<_>>();
            waits.retain(|wait| *wait != WaitReason::Sleep);
            (*process, [main, waits].concat())
        });
        let without: Vec<Waiting> = without.collect();
        if !is_stall(&without) || self.asked.is_some_and(|asked| now < asked + self.after) {
            return false;
        }
        self.asked = Some(now);
        let counts = waits.iter().zip(&without);
        for ((process, all), (_, rest)) in counts.filter(|(all, rest)| all.1.len() > rest.1.len()) {
            let Some(stack) = self.stack(process.pid) else {
                return false;
            };
            let monitors = stack.iter().filter(|line| line.contains(MONITOR)).count();
            if monitors != all.len() - rest.len() {
                return false;
            }
            stacks.insert(process.pid, stack);
        }
        true
    }

    /// Returns the stacks of a Python process; `None` where nobody can tell them.
    fn stack(&self, pid: i32) -> Option<Vec<String>> {
        let own = self.stacks.as_ref().and_then(|stacks| stacks.of(pid));
        own.or_else(|| py_spy(pid))
    }

    /// Returns whether nothing was printed and next to nothing computed for so long.
    fn is_still(&self, now: Duration, processes: &[Process]) -> bool {
        let (Some((from, first)), Some((_, last))) = (self.used.front(), self.used.back()) else {
            return false;
        };
        let length = now.saturating_sub(*from);
        length >= self.after
            && now.saturating_sub(self.stirred) >= self.after
            && seconds(last.saturating_sub(*first)) < IDLE * length.as_secs_f64()
            && processes.iter().any(|process| process.state != 'Z')
            // Running, or waiting for a disk; stopped by somebody, who knows.
            && !processes.iter().any(|process| matches!(process.state, 'R' | 'D' | 'T' | 't'))
    }
}

/// A process with what its threads wait for, the main one first.
type Waiting<'a> = (&'a Process, Vec<WaitReason>);

/// Returns whether processes wait for each other, and for nothing and nobody else. Who sleeps, or
/// waits for the keyboard or for something that may come from outside, does so of its own.
fn is_stall(waiting: &[Waiting]) -> bool {
    let waits = || waiting.iter().flat_map(|(_, waits)| waits);
    waits().any(|wait| wait.is_inner()) && !waits().any(|wait| wait.is_outer())
}

/// Tells what each process waits for, those that wait for the same together, without the helpers.
fn told(
    waiting: &[Waiting],
    roles: &BTreeMap<i32, Role>,
    places: &BTreeMap<i32, String>,
) -> String {
    let mut groups: BTreeMap<_, Vec<i32>> = BTreeMap::new();
    for (process, waits) in waiting {
        let main = match waits.as_slice() {
            // A queue's own thread, which the main one waits for at the end.
            [WaitReason::Lock, rest @ ..] if rest.contains(&WaitReason::FullPipe) => {
                WaitReason::FullPipe
            }
            waits => waits.first().copied().unwrap_or(WaitReason::Other),
        };
        let place = places.get(&process.pid).map_or("", String::as_str);
        let role = roles.get(&process.pid).copied();
        if role == Some(Role::Helper) {
            continue;
        }
        let kind = (process.name.as_str(), role, main, waits.len(), place);
        let group = groups.entry(kind).or_default();
        group.push(process.pid);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, pids)| pids[0]);
    let told = groups
        .iter()
        .map(|((name, role, wait, threads, place), pids)| {
            let role = role.map_or(String::new(), |role| format!(", {}", role.words()));
            let threads = match threads {
                0 | 1 => String::new(),
                threads => format!(", {threads} threads"),
            };
            let pids = match pids.as_slice() {
                [pid] => pid.to_string(),
                [first, .., last] if pids.len() > 3 => {
                    format!("{first} to {last}, {} processes", pids.len())
                }
                pids => pids
                    .iter()
                    .map(i32::to_string)
                    .collect::<Vec<_>>()
                    .join(", "),
            };
            let place = match *place {
                "" => String::new(),
                place => format!(" at {place}"),
            };
            format!("{name} ({pids}{role}{threads}) for {}{place}", wait.words())
        });
    told.collect::<Vec<_>>().join("; ")
}

/// Returns the innermost line of the program's own that the main thread is at, of stacks as py-spy or
/// faulthandler writes them, most recent call first:
///
/// ```text
/// Thread 4711 (idle): "MainThread"        Thread 0x00007f3a5c2b4740 (most recent call first):
///     work (/home/user/train.py:6)          File "/home/user/train.py", line 6 in work
/// ```
fn place(stack: &[String]) -> Option<String> {
    let is_main = |line: &String| line.starts_with("Thread ") && line.ends_with("\"MainThread\"");
    // faulthandler begins with the newest thread.
    let is_any = |line: &String| line.ends_with(" (most recent call first):");
    let main = stack.iter().position(is_main);
    let main = main.or_else(|| stack.iter().rposition(is_any))?;
    let frames = stack[main + 1..]
        .iter()
        .take_while(|line| line.starts_with(' '));
    frames.map(|line| line.trim()).find_map(|line| {
        let (file, line, function) = frame(line)?;
        let is_own = !file.contains("/lib/python") && !file.starts_with('<');
        let name = file.rsplit('/').next()?;
        is_own.then(|| format!("{name}:{line} in {function}"))
    })
}

/// Reads a frame of either form: its file, line and function.
fn frame(line: &str) -> Option<(&str, &str, &str)> {
    if let Some(rest) = line.strip_prefix("File \"") {
        let (file, rest) = rest.rsplit_once("\", line ")?;
        let (line, function) = rest.split_once(" in ")?;
        return Some((file, line, function));
    }
    let (function, rest) = line.split_once(" (")?;
    let (file, line) = rest.strip_suffix(')')?.rsplit_once(':')?;
    Some((file, line, function))
}

/// Returns the stacks of a Python process; `None` where py-spy is not installed or takes too long.
fn py_spy(pid: i32) -> Option<Vec<String>> {
    let mut child = Command::new("py-spy")
        .args([
            "dump",
            "--nonblocking",
            "--full-filenames",
            "--pid",
            &pid.to_string(),
        ])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = child.stdout.take()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let is_read = output.take(MAX_STACK).read_to_string(&mut text).is_ok();
        let _ = sender.send(if is_read { text } else { String::new() });
    });
    let text = receiver.recv_timeout(STACK_TIME);
    let _ = child.kill();
    let _ = child.wait();
    Some(text.ok()?.lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: i32, state: char, ticks: u64) -> Process {
        Process {
            pid,
            parent: 1,
            name: "python".to_owned(),
            state,
            ticks,
            resident: 0,
        }
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn it_is_still_after_silence_without_work() {
        let mut stall = Stall::new(at(3), None);
        stall.is_told = true;
        let quiet = [process(1, 'S', 100)];
        for second in 0..3 {
            stall.look(at(second), &quiet, &mut Vec::new());
            assert!(!stall.is_still(at(second), &quiet), "{second}");
        }
        stall.look(at(3), &quiet, &mut Vec::new());
        assert!(stall.is_still(at(3), &quiet));
        for state in ['R', 'D', 'T'] {
            assert!(!stall.is_still(at(3), &[process(1, state, 100)]));
        }
        stall.stir(at(4));
        assert!(!stall.is_still(at(5), &quiet));
    }

    #[test]
    fn a_program_that_works_silently_is_left_alone() {
        let mut stall = Stall::new(at(2), None);
        for second in 0..10 {
            let busy = [process(1, 'S', 100 + second * 50)];
            stall.look(at(second), &busy, &mut Vec::new());
            assert!(!stall.is_still(at(second), &busy));
        }
    }

    #[test]
    fn who_waits_for_each_other_stalls_and_who_sleeps_does_not() {
        let process = process(1, 'S', 0);
        let all = |waits: &[WaitReason]| {
            let waits: Vec<_> = waits.iter().map(|wait| (&process, vec![*wait])).collect();
            is_stall(&waits)
        };
        assert!(all(&[WaitReason::Child, WaitReason::Lock]));
        assert!(all(&[WaitReason::Pipe, WaitReason::Poll]));
        assert!(!all(&[WaitReason::Sleep]));
        assert!(!all(&[WaitReason::Child, WaitReason::Sleep]));
        assert!(!all(&[WaitReason::Stdin]));
        assert!(!all(&[WaitReason::Poll]));
        assert!(!all(&[WaitReason::Lock, WaitReason::Other]));
        assert!(
            !is_stall(&[(&process, vec![WaitReason::Lock, WaitReason::Sleep])]),
            "a thread sleeps"
        );
    }

    #[test]
    fn the_place_is_the_innermost_line_of_the_programs_own() {
        let stack = "\
Process 4711: python3 /home/user/train.py
Python v3.11.7 (/usr/bin/python3.11)

Thread 4713 (idle): \"Thread-1 (feed)\"
    feed (/home/user/feed.py:3)
Thread 4711 (idle): \"MainThread\"
    wait (/usr/lib/python3.11/threading.py:327)
    work (/home/user/train.py:6)
    <module> (/home/user/train.py:11)";
        let stack: Vec<String> = stack.lines().map(str::to_owned).collect();
        assert_eq!(place(&stack).as_deref(), Some("train.py:6 in work"));
        assert_eq!(place(&stack[..4]), None);
        let stack = "\
Thread 0x00007f3a5a1ff6c0 (most recent call first):
  File \"/home/user/feed.py\", line 3 in feed

Current thread 0x00007f3a5c2b4740 (most recent call first):
  File \"/usr/lib/python3.11/threading.py\", line 327 in wait
  File \"/home/user/train.py\", line 6 in work";
        let stack: Vec<String> = stack.lines().map(str::to_owned).collect();
        assert_eq!(place(&stack).as_deref(), Some("train.py:6 in work"));
    }

    #[test]
    fn a_queue_that_nobody_reads_is_what_its_process_waits_for() {
        let process = process(1, 'S', 0);
        let waits = [(&process, vec![WaitReason::Lock, WaitReason::FullPipe])];
        assert_eq!(
            told(&waits, &BTreeMap::new(), &BTreeMap::new()),
            "python (1, 2 threads) for somebody to read from a pipe (write)"
        );
    }

    #[test]
    fn processes_that_wait_for_the_same_are_told_together() {
        let processes = [1, 2, 3, 4, 5].map(|pid| process(pid, 'S', 0));
        let mut waits: Vec<_> = processes
            .iter()
            .map(|p| (p, vec![WaitReason::Pipe]))
            .collect();
        waits[0].1 = vec![WaitReason::Child, WaitReason::Lock];
        let roles = [2, 3, 4].map(|pid| (pid, Role::Forked));
        let mut roles = BTreeMap::from(roles);
        roles.insert(5, Role::Helper);
        assert_eq!(
            told(
                &waits,
                &roles,
                &BTreeMap::from([(1, "a.py:7 in main".to_owned())])
            ),
            "python (1, 2 threads) for a child process (wait4) at a.py:7 in main; \
             python (2, 3, 4, forked) for data from a pipe (read)"
        );
    }
}
