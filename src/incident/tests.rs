//! Failures in the order in which real jobs print them, and what is said of them.

use std::fmt::Write;
use std::time::Duration;

use super::{Incident, Mode, Moment, Notice, RootPlace, Tracker};
use crate::corpus::{Confidence, Failure, Rule};
use crate::traceback::stamp::Stamp;
use crate::traceback::{Frame, Span};

/// Makes a rule that follows from others.
fn rule(id: &str, consequence_of: &[&str]) -> &'static Rule {
    rule_of(id, &format!("consequence_of = {consequence_of:?}"))
}

fn rule_of(id: &str, keys: &str) -> &'static Rule {
    let text = format!(
        "title = 'the {id}'\ncause = 'c'\n{keys}\n[[match]]\nexception = 'E'\n[[fix]]\ntext = 't'\n"
    );
    Rule::of("family", id, &text)
}

/// Makes a failure that stood at a line.
fn known(rule: &'static Rule, line: u64) -> Failure<'static> {
    let mut failure = Failure::of(rule);
    failure.exception = Some("TypeError".to_owned());
    failure.facts.ended_process = true;
    failure
        .diagnosis_mut()
        .captures
        .insert("type".to_owned(), "_thread.lock".to_owned());
    failure.at = Span {
        line,
        end_line: line + 10,
        ..Span::default()
    };
    failure
}

fn in_frame(mut failure: Failure<'static>, line: u32) -> Failure<'static> {
    let frame = Frame {
        path: "train.py".into(),
        line,
        function: "train".to_owned(),
        source: None,
        ..Frame::default()
    };
    failure.facts.user_frame = Some(frame);
    failure
}

fn on_rank(mut failure: Failure<'static>, rank: u32) -> Failure<'static> {
    failure.facts.rank = Some(rank);
    failure.prefix = Some(format!("[rank{rank}]: "));
    failure
}

fn unknown(line: u64, rank: Option<u32>) -> Failure<'static> {
    let mut failure = Failure {
        exception: Some("ValueError".to_owned()),
        prefix: rank.map(|rank| format!("[rank{rank}]: ")),
        ..Failure::default()
    };
    failure.facts.ended_process = true;
    failure.facts.rank = rank;
    failure.at.line = line;
    failure
}

/// A tracker and all that it said, a word or two each.
struct Story {
    tracker: Tracker<'static>,
    said: Vec<String>,
    millis: u64,
}

impl Story {
    fn new(mode: Mode) -> Self {
        Self {
            tracker: Tracker::new(mode),
            said: Vec::new(),
            millis: 0,
        }
    }

    fn note(&mut self, notices: Vec<Notice<'static>>) {
        self.said
            .extend(notices.into_iter().map(|notice| match notice {
                Notice::Root(failure) => failure.id().unwrap_or("?").to_owned(),
                Notice::LateRoot(failure) => {
                    format!(
                        "{} of line {}",
                        failure.id().unwrap_or("?"),
                        failure.at.line
                    )
                }
                Notice::First { rank, victims, .. } => format!("rank {rank} first, then {victims}"),
                Notice::Again { id, count, ranks } => format!("{count} {id} [{ranks}]"),
                Notice::Consequence {
                    id,
                    root_title,
                    place: RootPlace::Above,
                } => format!("{id} of {root_title}"),
                Notice::Consequence {
                    id,
                    root_title,
                    place: RootPlace::FarAbove(line),
                } => format!("{id} of {root_title} at line {line}"),
                Notice::Consequence {
                    id,
                    root_title,
                    place: RootPlace::Below,
                } => {
                    format!("{id} of {root_title} after it")
                }
            }));
    }

    fn push(&mut self, failure: Failure<'static>) {
        let moment = Moment {
            line: failure.at.line + 10,
            time: Duration::from_millis(self.millis),
        };
        let notices = self.tracker.push(vec![failure], moment);
        self.note(notices);
    }

    fn wait(&mut self, line: u64, millis: u64) {
        self.millis += millis;
        let notices = self.tracker.tick(Moment {
            line,
            time: Duration::from_millis(self.millis),
        });
        self.note(notices);
    }

    fn pause(&mut self) {
        let notices = self.tracker.pause(Moment {
            line: 0,
            time: Duration::from_millis(self.millis),
        });
        self.note(notices);
    }

    /// Ends the input; returns what was said and the incidents as `id×count consequence×count`.
    fn end(mut self) -> (Vec<String>, Vec<String>) {
        let notices = self.tracker.finish();
        self.note(notices);
        let incidents = self.tracker.into_incidents();
        (self.said, incidents.iter().map(report).collect())
    }
}

fn report(incident: &Incident) -> String {
    let id = incident.root.id().unwrap_or("?");
    let mut text = format!("{id}×{}", incident.seen.count);
    for consequence in &incident.consequences {
        write!(text, " {}×{}", consequence.id, consequence.count).expect("a string takes all");
    }
    let listed: u64 = incident.consequences.iter().map(|c| c.count).sum();
    assert!(listed <= incident.consequences_count);
    text
}

#[test]
fn a_failure_of_32_workers_is_told_once_and_counted() {
    let lock = rule("lock", &[]);
    let seen_by = |rank: u32| {
        let mut failure = on_rank(in_frame(known(lock, 100 + u64::from(rank)), 47), rank);
        failure
            .diagnosis_mut()
            .captures
            .insert("pid".to_owned(), rank.to_string());
        failure
            .diagnosis_mut()
            .captures
            .insert("repr".to_owned(), format!("<function f at 0x7f{rank}>"));
        failure
    };
    let mut story = Story::new(Mode::Stream);
    for rank in 0..32 {
        story.push(seen_by(rank));
    }
    assert_eq!(story.said, ["lock"]);
    story.pause();
    story.push(seen_by(5));
    story.pause();
    story.push(in_frame(known(lock, 300), 48));
    let (said, incidents) = story.end();
    // Of the 33rd there is nothing to say; another line is another failure.
    assert_eq!(said, ["lock", "32 lock [0–31]", "lock"]);
    assert_eq!(incidents, ["lock×33", "lock×1"]);
}

#[test]
fn a_repeat_is_told_at_2_10_100() {
    let lock = rule("lock", &[]);
    let mut story = Story::new(Mode::Stream);
    for line in 0..120 {
        story.push(known(lock, line));
        story.pause();
    }
    assert_eq!(
        story.said,
        ["lock", "2 lock []", "10 lock []", "100 lock []"]
    );
}

#[test]
fn a_consequence_points_to_a_root_however_long_ago() {
    let (guard, pipe) = (rule("guard", &[]), rule("pipe", &["guard"]));
    let mut story = Story::new(Mode::Stream);
    story.push(known(guard, 1));
    story.wait(1_000_000, 3_600_000);
    story.push(known(pipe, 1_000_000));
    story.push(known(pipe, 1_000_100));
    let (said, incidents) = story.end();
    assert_eq!(said, ["guard", "pipe of the guard at line 1"]);
    assert_eq!(incidents, ["guard×1 pipe×2"]);
}

#[test]
fn a_consequence_waits_a_second_for_its_root() {
    // On Windows the child's EOFError may be printed before the parent's TypeError.
    let (lock, eof) = (rule("lock", &[]), rule("eof", &["family/*"]));
    let mut story = Story::new(Mode::Stream);
    story.push(known(eof, 1));
    assert_eq!(story.tracker.next_deadline(), Some(Duration::from_secs(1)));
    story.wait(20, 999);
    story.push(known(lock, 20));
    assert_eq!(story.tracker.next_deadline(), None);
    let (said, incidents) = story.end();
    assert_eq!(said, ["lock", "eof of the lock after it"]);
    assert_eq!(incidents, ["lock×1 eof×1"]);
}

#[test]
fn of_two_that_follow_from_any_the_one_on_the_earlier_line_is_the_root() {
    // A traceback with a prefix is known to have ended only when more of its prefix comes.
    let (engine, nccl) = (rule("engine", &["*"]), rule("nccl", &["*"]));
    for lines in [[20, 1], [1, 20]] {
        let mut story = Story::new(Mode::Stream);
        story.push(known(if lines[0] == 20 { engine } else { nccl }, lines[0]));
        story.push(known(if lines[0] == 20 { nccl } else { engine }, lines[1]));
        let (said, incidents) = story.end();
        let root = if lines[0] == 1 {
            "nccl of line 1"
        } else {
            "nccl"
        };
        assert_eq!(said, [root, "engine of the nccl"]);
        assert_eq!(incidents, ["nccl×1 engine×1"]);
    }
}

#[test]
fn of_two_that_follow_from_each_other_the_clearer_claim_counts() {
    let (trials, memory) = (
        rule("trials", &["*", "memory"]),
        rule("memory", &["family/*"]),
    );
    let mut story = Story::new(Mode::Stream);
    story.push(known(trials, 1));
    story.push(known(memory, 20));
    let (said, incidents) = story.end();
    assert_eq!(said, ["memory", "trials of the memory after it"]);
    assert_eq!(incidents, ["memory×1 trials×1"]);
}

#[test]
fn a_consequence_without_a_root_stands_alone() {
    let (lock, eof) = (rule("lock", &[]), rule("eof", &["lock"]));
    for (line, millis) in [(20, 1000), (211, 0)] {
        let mut story = Story::new(Mode::Stream);
        story.push(known(eof, 1));
        assert_eq!(story.said, [""; 0]);
        story.wait(line, millis);
        assert_eq!(story.said, ["eof"]);
        // If its root comes later still, only the report tells.
        story.push(known(lock, 300));
        let (said, incidents) = story.end();
        assert_eq!(said, ["eof", "lock"]);
        assert_eq!(incidents, ["lock×1 eof×1"]);
    }
}

#[test]
fn what_waited_in_vain_says_its_line_if_another_failure_came_below_it() {
    let eof = rule("eof", &["lock"]);
    for (below, said) in [
        (unknown(30, None), "eof of line 1"),
        (known(eof, 30), "eof"),
    ] {
        let mut story = Story::new(Mode::Stream);
        story.push(known(eof, 1));
        story.push(below);
        story.wait(40, 1000);
        assert_eq!(story.said, [said]);
    }
}

#[test]
fn in_a_saved_log_a_consequence_waits_to_the_end() {
    let (lock, eof) = (rule("lock", &[]), rule("eof", &["lock"]));
    let mut story = Story::new(Mode::Saved);
    story.push(known(eof, 1));
    story.push(known(eof, 50));
    assert_eq!(story.tracker.next_deadline(), None);
    story.wait(9_000, 9_000);
    story.push(known(lock, 9_000));
    let (said, incidents) = story.end();
    assert_eq!(said, ["lock", "eof of the lock after it"]);
    assert_eq!(incidents, ["lock×1 eof×2"]);

    let mut story = Story::new(Mode::Saved);
    story.push(known(eof, 1));
    assert_eq!(story.end().0, ["eof"]);
}

#[test]
fn a_handled_failure_takes_only_what_names_it_nearby() {
    let lock = rule("lock", &[]);
    let (named, any) = (rule("named", &["lock"]), rule("any", &["*"]));
    let mut story = Story::new(Mode::Stream);
    let mut logged = known(lock, 1);
    logged.facts.ended_process = false;
    story.push(logged);
    story.push(known(named, 20));
    story.push(known(any, 21));
    story.push(known(named, 5_000));
    assert_eq!(story.end().1, ["lock×1 named×1", "any×1", "named×1"]);
}

#[test]
fn a_note_has_no_consequences_and_a_warning_only_named_ones() {
    let note = rule_of("note", "severity = 'note'");
    let warning = rule_of("warn", "severity = 'warning'");
    let (any, named) = (rule("any", &["*", "note"]), rule("named", &["warn"]));
    let mut story = Story::new(Mode::Stream);
    story.push(known(note, 1));
    story.push(known(warning, 2));
    story.push(known(any, 3));
    story.push(known(named, 4));
    assert_eq!(story.end().1, ["note×1", "warn×1 named×1", "any×1"]);
}

#[test]
fn of_an_unknown_root_and_its_consequences_the_end_tells_which_rank_was_first() {
    let (lost, summary) = (rule("lost-peer", &["*"]), rule("summary", &["*"]));
    for swapped in [false, true] {
        let mut story = Story::new(Mode::Stream);
        let lost = on_rank(known(lost, if swapped { 1 } else { 20 }), 0);
        if swapped {
            story.push(lost.clone());
        }
        story.push(unknown(10, Some(1)));
        if !swapped {
            story.push(lost);
        }
        story.push(known(summary, 40));
        assert_eq!(story.said, [""; 0]);
        let (said, incidents) = story.end();
        assert_eq!(said, ["rank 1 first, then 1"]);
        assert_eq!(incidents, ["?×1 lost-peer×1 summary×1"]);
    }
}

#[test]
fn which_rank_was_first_is_said_only_where_it_is_certain() {
    let (lost, summary) = (rule("lost-peer", &["*"]), rule("summary", &["*"]));
    let peers = |ranks: &[u32]| {
        let mut story = Story::new(Mode::Saved);
        for rank in ranks {
            story.push(on_rank(known(lost, 20 + u64::from(*rank)), *rank));
        }
        story.push(known(summary, 40));
        story
    };
    let certain = |mut story: Story, failures: Vec<Failure<'static>>| {
        for failure in failures {
            story.push(failure);
        }
        story.end().0.iter().any(|said| said.contains("first"))
    };
    let first = unknown(10, Some(1));
    assert!(certain(peers(&[0, 2, 3]), vec![first.clone()]));
    // Nobody died of it but the launcher, or only the same rank again.
    assert!(!certain(peers(&[]), vec![first.clone()]));
    assert!(!certain(peers(&[1]), vec![first.clone()]));
    // No rank is told.
    assert!(!certain(peers(&[0]), vec![unknown(10, None)]));
    // Another rank failed for itself, or with the same error.
    let mut other = unknown(12, Some(2));
    other.exception = Some("IndexError".to_owned());
    assert!(!certain(peers(&[0]), vec![first.clone(), other]));
    assert!(!certain(
        peers(&[0]),
        vec![first.clone(), unknown(12, Some(2))]
    ));
    // It may follow from something itself.
    let mut lost_too = first.clone();
    lost_too.message = "Connection lost".to_owned();
    assert!(!certain(peers(&[0]), vec![lost_too]));
    // It was logged, and the rank went on.
    let mut handled = first;
    handled.facts.ended_process = false;
    assert!(!certain(peers(&[0]), vec![handled]));
}

#[test]
fn a_time_before_the_root_contradicts_that_it_was_first() {
    let lost = rule("lost-peer", &["*"]);
    let at = |time: &str| {
        let text = format!(
            "{time} Traceback (most recent call last):\n{time}   File \"a.py\", line 1, in f\n{time}     g()\n{time} E: e\n"
        );
        Stamp::of(&crate::traceback::read(text.as_bytes())[0]).expect("a time")
    };
    for (time, said) in [("10:00:00", 1), ("10:00:09", 1), ("09:59:58", 0)] {
        let mut story = Story::new(Mode::Saved);
        let mut root = unknown(10, Some(1));
        root.time = Some(at("2024-05-01T10:00:00Z"));
        let mut peer = on_rank(known(lost, 20), 0);
        peer.time = Some(at(&format!("2024-05-01T{time}Z")));
        story.push(root);
        story.push(peer);
        assert_eq!(story.end().0.len(), said, "{time}");
    }
}

#[test]
fn which_rank_was_first_is_said_at_the_end_of_each_job_and_once() {
    let lost = rule("lost-peer", &["*"]);
    let mut story = Story::new(Mode::Saved);
    story.push(unknown(10, Some(1)));
    story.push(on_rank(known(lost, 20), 0));
    let notices = story.tracker.begin(Some("b.log".into()));
    story.note(notices);
    assert_eq!(story.said, ["rank 1 first, then 1"]);
    assert_eq!(story.end().0.len(), 1);
}

#[test]
fn the_ranks_that_lose_a_crashed_one_and_the_launcher_point_to_its_failure() {
    let (lock, lost, summary) = (
        rule("lock", &[]),
        rule("lost-peer", &["*"]),
        rule("summary", &["*"]),
    );
    let mut story = Story::new(Mode::Stream);
    story.push(on_rank(known(lock, 10), 3));
    for rank in [0, 1, 2, 4, 5, 6, 7] {
        story.push(on_rank(
            in_frame(known(lost, 20 + u64::from(rank)), 30 + rank),
            rank,
        ));
    }
    // A rank may notice half an hour later.
    story.wait(200_000, 1_800_000);
    story.push(on_rank(known(rule("time-out", &["*"]), 200_000), 1));
    story.push(known(summary, 200_100));
    let (said, incidents) = story.end();
    let expected = [
        "lock",
        "lost-peer of the lock",
        "time-out of the lock at line 10",
        "summary of the lock at line 10",
    ];
    assert_eq!(said, expected);
    assert_eq!(incidents.len(), 1);
    assert!(
        incidents[0].starts_with("lock×1 lost-peer×1"),
        "{incidents:?}"
    );
}

#[test]
fn a_lost_peer_whose_crash_nobody_printed_is_told_once() {
    let (lost, summary) = (rule("lost-peer", &["*"]), rule("summary", &["*"]));
    let mut story = Story::new(Mode::Stream);
    for rank in 0..7 {
        story.push(on_rank(
            in_frame(known(lost, 10 + u64::from(rank)), 30 + rank),
            rank,
        ));
    }
    story.wait(40, 1000);
    story.push(on_rank(in_frame(known(lost, 60), 99), 7));
    story.push(known(summary, 80));
    let (said, incidents) = story.end();
    assert_eq!(
        said,
        [
            "lost-peer",
            "summary of the lost-peer at line 10",
            "8 lost-peer [0–7]"
        ]
    );
    assert_eq!(incidents, ["lost-peer×8 summary×1"]);
}

#[test]
fn a_later_job_in_the_same_log_is_another_one() {
    let summary = rule("summary", &["*"]);
    let mut story = Story::new(Mode::Saved);
    story.push(unknown(10, Some(1)));
    story.push(known(summary, 40));
    // The second job's ranks wrote elsewhere.
    story.push(known(summary, 90_000));
    assert_eq!(story.end().1, ["?×1 summary×1", "summary×1"]);

    // Nor does a script that failed long before end a job, or one of another service.
    let mut story = Story::new(Mode::Saved);
    story.push(unknown(10, None));
    story.push(known(summary, 5_000));
    let mut trainer = known(rule("lock", &[]), 9_005);
    trainer.prefix = Some("trainer-1  | ".to_owned());
    let mut other = known(rule("other", &["*"]), 9_010);
    other.prefix = Some("web-1  | ".to_owned());
    story.push(trainer);
    story.push(other);
    assert_eq!(story.end().1, ["?×1", "lock×1", "summary×1", "other×1"]);
}

#[test]
fn a_consequence_of_a_consequence_belongs_to_the_root() {
    let (guard, broken, leak) = (
        rule("guard", &[]),
        rule("broken-pool", &["guard"]),
        rule("leak", &["broken-pool"]),
    );
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    for mode in [Mode::Stream, Mode::Saved] {
        for order in orders {
            let mut story = Story::new(mode);
            for (i, line) in order.into_iter().zip([10, 20, 30]) {
                story.push(known([guard, broken, leak][i], line));
            }
            let (said, incidents) = story.end();
            assert_eq!(
                said.iter().filter(|s| !s.contains(" of ")).count(),
                1,
                "{order:?} {said:?}"
            );
            assert_eq!(incidents.len(), 1, "{order:?} {incidents:?}");
            assert!(
                incidents[0].starts_with("guard×1"),
                "{order:?} {incidents:?}"
            );
        }
    }
}

#[test]
fn of_two_that_wait_the_one_that_is_named_stands() {
    let (broken, leak) = (
        rule("broken-pool", &["guard"]),
        rule("leak", &["broken-pool"]),
    );
    let mut story = Story::new(Mode::Stream);
    story.push(known(leak, 10));
    story.push(known(broken, 20));
    let (said, incidents) = story.end();
    assert_eq!(said, ["broken-pool", "leak of the broken-pool after it"]);
    assert_eq!(incidents, ["broken-pool×1 leak×1"]);
}

#[test]
fn torn_tracebacks_of_writers_that_mix_are_the_same_failure() {
    let guard = rule("guard", &[]);
    let mut torn = known(guard, 20);
    torn.diagnosis_mut().confidence = Confidence::Likely;
    let mut story = Story::new(Mode::Stream);
    story.push(torn.clone());
    story.push(in_frame(known(guard, 40), 6));
    story.push(torn.clone());
    assert_eq!(story.said, ["guard"]);
    // Far away it may be another one.
    torn.at.line = 50_000;
    let mut story = Story::new(Mode::Stream);
    story.push(in_frame(known(guard, 40), 6));
    story.push(torn);
    assert_eq!(story.said, ["guard", "guard"]);
}

#[test]
fn nothing_follows_from_another_file() {
    let (guard, pipe) = (rule("guard", &[]), rule("pipe", &["guard"]));
    let mut story = Story::new(Mode::Saved);
    let notices = story.tracker.begin(Some("a.log".into()));
    story.note(notices);
    story.push(known(guard, 1));
    let notices = story.tracker.begin(Some("b.log".into()));
    story.note(notices);
    story.push(known(pipe, 1));
    let notices = story.tracker.begin(Some("c.log".into()));
    story.note(notices);
    // But where the root is seen again, what follows from it there does.
    story.push(known(guard, 1));
    story.push(known(pipe, 20));
    let incidents = story.tracker.into_incidents();
    assert_eq!(incidents[0].seen.file.as_deref(), Some("a.log"));
    let incidents: Vec<String> = incidents.iter().map(report).collect();
    assert_eq!(incidents, ["guard×2 pipe×1", "pipe×1"]);
    assert_eq!(story.said, ["guard", "pipe", "pipe of the guard"]);
}

#[test]
fn failures_without_end_are_bounded_and_each_is_handed_out_once() {
    let lock = rule("lock", &[]);
    let mut tracker = Tracker::new(Mode::Stream);
    let mut seen = 0;
    for line in 0..6_000_u32 {
        // Each below the other: tracebacks whose lines overlap are mixed.
        let at = u64::from(line) * 20;
        let moment = Moment {
            line: at,
            time: Duration::ZERO,
        };
        let mut failure = in_frame(known(lock, at), line);
        failure.message = "x".repeat(16 << 10);
        tracker.push(vec![failure], moment);
        let dropped = tracker.take_dropped();
        seen += dropped.len();
    }
    assert!(tracker.take_dropped().is_empty());
    let left = tracker.into_incidents();
    assert!(left.len() <= 512 && left.len() > 400, "{}", left.len());
    assert_eq!(seen + left.len(), 6_000);
    assert!(left.iter().all(|i| i.root.message.len() < 1024));
}

#[test]
fn held_consequences_are_bounded() {
    let eof = rule("eof", &["lock"]);
    let mut tracker = Tracker::new(Mode::Saved);
    let mut roots = 0;
    for line in 0..2_000_u32 {
        let failure = in_frame(known(eof, line.into()), line);
        roots += tracker.push(vec![failure], Moment::default()).len();
    }
    assert_eq!(roots, 2_000 - 256);
    assert_eq!(tracker.finish().len(), 256);
}

#[test]
fn what_a_rule_says_is_told_in_several_forms_is_one_incident() {
    let crash = rule("crash", &["crash"]);
    let log_line = |line| {
        let mut failure = known(crash, line);
        failure.exception = None;
        failure
    };
    // A worker's own line, then the traceback of the main process, which tells where.
    let mut story = Story::new(Mode::Stream);
    story.push(log_line(10));
    story.push(in_frame(known(crash, 12), 7));
    story.push(log_line(400));
    let (said, incidents) = story.end();
    assert_eq!(said, ["crash"]);
    assert_eq!(incidents, ["crash×1"]);
    // A stream cannot wait for long; what comes then is told of in the report.
    let mut story = Story::new(Mode::Stream);
    story.push(log_line(10));
    story.push(in_frame(known(crash, 400), 7));
    story.push(in_frame(known(crash, 500), 7));
    let notices = story.tracker.finish();
    story.note(notices);
    assert_eq!(story.said, ["crash of line 10", "2 crash []"]);
    let incidents = story.tracker.into_incidents();
    let [Incident { root, seen, .. }] = incidents.as_slice() else {
        panic!("{incidents:?}");
    };
    assert!(root.facts.user_frame.is_some());
    assert_eq!((seen.count, seen.first_line, root.at.line), (2, 10, 400));
    // Each rank has its own line of the script.
    let mut story = Story::new(Mode::Stream);
    story.push(in_frame(on_rank(known(crash, 10), 1), 22));
    story.push(in_frame(on_rank(known(crash, 30), 0), 20));
    let (said, incidents) = story.end();
    assert_eq!(said, ["crash", "2 crash [0, 1]"]);
    assert_eq!(incidents, ["crash×2"]);
    // Two places in one program are two failures.
    let mut story = Story::new(Mode::Stream);
    story.push(in_frame(known(crash, 10), 22));
    story.push(in_frame(known(crash, 30), 20));
    assert_eq!(story.end().0, ["crash", "crash"]);
}

#[test]
fn the_same_box_of_two_launchers_keeps_the_consequences_of_both() {
    let (torchrun, summary) = (rule("torchrun", &["*"]), rule("summary", &["torchrun"]));
    let mut story = Story::new(Mode::Saved);
    for file in ["a.out", "b.out"] {
        let notices = story.tracker.begin(Some(file.into()));
        story.note(notices);
        let mut of_torchrun = known(torchrun, 10);
        of_torchrun.exception = Some("ChildFailedError".to_owned());
        let captures = &mut of_torchrun.diagnosis_mut().captures;
        captures.insert("rank".to_owned(), "0".to_owned());
        story.push(of_torchrun);
        story.push(known(summary, 20));
    }
    let (_, incidents) = story.end();
    assert_eq!(incidents, ["torchrun×2 summary×1 summary×1"]);
}
