//! Incidents: one failure, one annotation, whichever of its tracebacks is printed first.
//!
//! The outputs are real ones; each is also read with the blocks of its writers in every other order.

use std::fs;

use crate::common::{filter_text, golden_folder};
use pickfix::corpus::Corpus;
use pickfix::incident::Incident;
use pickfix::reader::incidents;

fn golden(name: &str) -> String {
    fs::read_to_string(golden_folder().join(name).with_extension("in")).expect("it lies there")
}

/// Cuts a text before each traceback of its own: a head that continues no chain, a line of the
/// launcher. What stands above the first is the first block.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut before = "";
    for line in text.split_inclusive('\n') {
        let chained = before.ends_with("exception:") || before.ends_with("\"\"\"");
        let head = line
            .trim_end()
            .ends_with("Traceback (most recent call last):");
        let nested = line.contains("Original Traceback") || line.contains("  traceback : ");
        let heading = line.starts_with("Process ");
        let below_heading = before.starts_with("Process ");
        let launcher = line.contains("elastic/multiprocessing") && line.contains("api.py:");
        let launched = before.contains("elastic/multiprocessing/api.py:");
        if head && !chained && !nested && !below_heading && !launched
            || heading
            || launcher && !launched
        {
            blocks.push(String::new());
        }
        blocks.last_mut().expect("there is one").push_str(line);
        if !line.trim().is_empty() {
            before = line.trim_end();
        }
    }
    blocks
}

/// Returns all orders of up to five things; of more, the order itself and the reverse.
fn orders(count: usize) -> Vec<Vec<usize>> {
    if count > 5 {
        return vec![(0..count).collect(), (0..count).rev().collect()];
    }
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                let rest = (0..count)
                    .filter(|n| !order.contains(n))
                    .collect::<Vec<_>>();
                rest.into_iter()
                    .map(move |n| [order.clone(), vec![n]].concat())
            })
            .collect();
    }
    all
}

/// Returns the text with the blocks of its writers in every order.
fn orders_of(text: &str) -> Vec<String> {
    let blocks = blocks(text);
    let (above, writers) = blocks.split_first().expect("there is one");
    let orders = orders(writers.len()).into_iter();
    orders
        .map(|order| {
            let rest = order.iter().map(|n| writers[*n].as_str());
            above.clone() + &rest.collect::<String>()
        })
        .collect()
}

/// Asserts that a text, in every order of its writers, has one root with these consequences.
fn one_root(name: &str, id: &str, count: u64, consequences: &[&str], check: impl Fn(&Incident)) {
    let corpus = Corpus::built_in();
    let text = golden(name);
    let orders = orders_of(&text);
    assert!(orders.len() > 1, "{name}: one writer has no order");
    for text in orders {
        let found = incidents(&corpus, text.as_bytes(), None);
        let known: Vec<&Incident> = found.iter().filter(|i| i.root.id().is_some()).collect();
        let ids: Vec<&str> = known.iter().filter_map(|i| i.root.id()).collect();
        assert_eq!(ids, [id], "{name}:\n{text}");
        let root = known[0];
        assert_eq!(root.seen.count, count, "{name}:\n{text}");
        let mut said: Vec<&str> = root.consequences.iter().map(|c| c.id).collect();
        said.sort_unstable();
        said.dedup();
        assert_eq!(said, consequences, "{name}:\n{text}");
        check(root);
        let run = filter_text(text.as_bytes());
        assert_eq!(run.annotations(), 1, "{name}:\n{}", run.text());
        assert_eq!(run.ids, [id], "{name}:\n{}", run.text());
    }
}

/// Asserts that nothing is said of a text in any order of its writers.
fn silent(name: &str) {
    let text = golden(name);
    for text in orders_of(&text) {
        assert_eq!(filter_text(text.as_bytes()).text(), text, "{name}");
    }
}

#[test]
fn a_broken_executor_points_to_the_missing_main_guard() {
    one_root(
        "cpython/missing-main-guard--executor--spawn-py311",
        "missing-main-guard",
        2,
        &["broken-process-pool"],
        |_| (),
    );
}

#[test]
fn a_manager_without_process_points_to_the_missing_main_guard() {
    for start in ["spawn", "forkserver"] {
        let name = format!("cpython/missing-main-guard--manager--{start}-py311");
        one_root(
            &name,
            "missing-main-guard",
            1,
            &["spawn-broken-pipe"],
            |_| (),
        );
    }
}

#[test]
fn a_dead_worker_points_to_the_missing_main_guard() {
    one_root(
        "cpython/missing-main-guard--torch-loader-py311",
        "missing-main-guard",
        2,
        &["worker-exited"],
        |_| (),
    );
}

#[test]
fn ranks_and_torchrun_point_to_the_rank_that_failed() {
    let consequences = ["ranks-child-failed"];
    // torch 1.13 prints no ranks.
    let name = "cpython/unpicklable-lock--torchrun-py310";
    one_root(name, "unpicklable-lock", 1, &consequences, |root| {
        assert!(root.consequences_count >= 2);
    });
    let name = "cpython/unpicklable-lock--torchrun-py311";
    one_root(name, "unpicklable-lock", 1, &consequences, |root| {
        assert!(root.consequences_count >= 2);
        assert_eq!(root.seen.ranks.iter().collect::<Vec<_>>(), [1]);
    });
}

#[test]
fn a_job_points_to_the_worker_that_failed() {
    one_root(
        "prefixed/collate-size-mismatch--job-py311",
        "collate-size-mismatch",
        1,
        &["ranks-child-failed"],
        |root| assert_eq!(root.seen.ranks.iter().collect::<Vec<_>>(), [3]),
    );
}

#[test]
fn the_consequences_of_an_unknown_failure_are_silent() {
    for name in [
        "all4-py311",
        "all4-tee-py311",
        "raise-py310",
        "redirects-py311",
        "syntaxerror-py311",
        "no-such-script-py311",
    ] {
        silent(&format!("silent/none--torchrun-{name}"));
    }
    silent("silent/two-ranks-two-errors");
}

#[test]
fn the_rank_that_took_others_down_is_named_in_any_order() {
    for name in ["key-error", "raise-py311", "record-py311", "tee-py311"] {
        let text = golden(&format!("first/torchrun-{name}"));
        for text in orders_of(&text) {
            let run = filter_text(text.as_bytes());
            let said = run
                .text()
                .matches("consequences of rank 1, which failed first")
                .count();
            assert_eq!((said, run.annotations()), (1, 1), "{name}:\n{}", run.text());
            assert!(run.ids.is_empty(), "{name}: {:?}", run.ids);
        }
    }
}

#[test]
fn gunicorn_says_no_more_of_a_worker_whose_own_failure_no_rule_knows() {
    let text = "\
[2026-03-02 09:11:01 +0000] [7] [ERROR] Exception in worker process
Traceback (most recent call last):
  File \"/usr/lib/python3.11/site-packages/gunicorn/arbiter.py\", line 608, in spawn_worker
    worker.init_process()
  File \"/app/shop/wsgi.py\", line 12, in <module>
    KEY = os.environ[\"SHOP_KEY\"]
KeyError: 'SHOP_KEY'
[2026-03-02 09:11:01 +0000] [7] [INFO] Worker exiting (pid: 7)
[2026-03-02 09:11:01 +0000] [1] [ERROR] Worker (pid:7) exited with code 3
[2026-03-02 09:11:01 +0000] [1] [ERROR] Shutting down: Master
[2026-03-02 09:11:01 +0000] [1] [ERROR] Reason: Worker failed to boot.
";
    assert_eq!(filter_text(text.as_bytes()).annotations(), 0);
    // Its own words missing, gunicorn's are all that there is.
    let (_, below) = text.split_once("'SHOP_KEY'\n").expect("they follow");
    assert_eq!(filter_text(below.as_bytes()).annotations(), 1);
}
