//! Inputs that went wrong once, each under the name of what was wrong.

mod common;

use common::{filter, filter_text, without_annotations};
use pickfix::input::scripted::{Scripted, Step};

/// Asserts that a text gives the same wherever it is cut.
fn same_for_all_cuts(input: &[u8]) {
    let whole = filter_text(input);
    assert!(without_annotations(&whole.output) == input);
    assert!(whole.complaints.is_empty(), "{:?}", whole.complaints);
    for at in 1..input.len() {
        let (first, second) = input.split_at(at);
        let steps = [Step::Bytes(first.to_vec()), Step::Bytes(second.to_vec())];
        let cut = filter(Scripted::new(steps));
        assert_eq!(cut.text(), whole.text(), "cut at {at}");
    }
    for size in 1..input.len() {
        let cut = filter(Scripted::cut(input, size));
        assert_eq!(cut.text(), whole.text(), "in reads of {size}");
    }
}

#[test]
fn a_line_that_closes_all_that_was_open_is_one_among_others() {
    same_for_all_cuts(
        b"TError:^\nThread 0 (t)\n File \"multiprocessing/spawn.py\", line 7 in _fixup_main_from_path\nM",
    );
}

#[test]
fn what_stands_above_a_long_line_is_not_forgotten_while_it_comes() {
    let long = "x".repeat(3000);
    let above = format!("Exception in thread Thread-1:\n{long}\n");
    let line = format!(
        "{long}Traceback (most recent call last):\n  File \"/a/t.py\", line 3, in f\n    g()\nTypeError: cannot pickle '_thread.lock' object\n"
    );
    let input = format!("{above}{line}");
    let whole = filter_text(input.as_bytes()).output;
    for at in (1..input.len()).step_by(101) {
        let (first, second) = input.as_bytes().split_at(at);
        let steps = [Step::Bytes(first.to_vec()), Step::Bytes(second.to_vec())];
        assert!(filter(Scripted::new(steps)).output == whole, "cut at {at}");
    }
}

#[test]
fn a_block_of_its_own_in_ascii_is_not_analysed_though_the_gate_passes_its_head() {
    let quoted = "#| Traceback (most recent call last):\n#|   File \"/a/t.py\", line 3, in f\n#|     g()\n#| TypeError: cannot pickle '_thread.lock' object\n";
    for head in ["#| pickfix: x\n", "#|+ pickfix: x\n"] {
        for middle in ["", &"#|   more\n".repeat(40)] {
            for before in ["", "loss 0.5\n", &"epoch 1 loss 0.5\n".repeat(2000)] {
                let input = format!("{before}{head}{middle}{quoted}done\n");
                let run = filter_text(input.as_bytes());
                assert_eq!(run.text(), input);
                let cut = filter(Scripted::cut(input.as_bytes(), 7));
                assert_eq!(cut.text(), input);
            }
        }
    }
    // What stands below such a block, and what only looks like one.
    for text in [
        format!("#| pickfix: x\nloss 0.5\n{quoted}"),
        format!("#| loss 0.5\n{quoted}"),
    ] {
        assert_eq!(filter_text(text.as_bytes()).annotations(), 1, "{text}");
    }
}

#[test]
fn a_worker_whose_exception_only_announces_another_process() {
    same_for_all_cuts(
        b"  File \"/venv/lib/python3.11/site-packages/ray/_private/worker.py\", line 1053, in get_objects\n\
        ray.exceptions.RayTaskError(TypeError): \x1b[36mray::f()\x1b[39m (pid=15626, ip=192.0.2.2)\n\x20 \
        File \"/venv/lib/python3.11/site-packages/ray/cloudpickle/cloudpickle.py\", line 1544, in dumps\n\x20\
        multiprocessing.pool.RemoteTraceback: \n\"\"\"\n",
    );
}

#[test]
fn a_report_below_a_line_that_is_still_open_is_read_whole() {
    same_for_all_cuts(
        b"a\x1b[31mmost     try:\n>           saState())\n\nting.py:38: \n_ _ __ _ _ _ _ _(s\n>.k' object\n\n\
        test_traing.py\neakpole\n_tvice'\nteError: module 'torch._C' has no attribute '_cuda_setDeve'\n_ _ \n\
        :st^\nE       TypeError: cannot pickle '_thread.lock' object\n\ntest_trae\n",
    );
}

/// A name that is not defined anywhere, in the initializer of a pool: the rule of globals needs the
/// program's source, and that of initializers knows it without.
#[test]
fn what_the_source_does_not_confirm_may_be_another_rules() {
    let run = filter_text(
        b"Process ForkPoolWorker-1:\n\
        Traceback (most recent call last):\n  \
        File \"/usr/lib/python3.11/multiprocessing/process.py\", line 314, in _bootstrap\n    self.run()\n  \
        File \"/usr/lib/python3.11/multiprocessing/process.py\", line 108, in run\n    \
        self._target(*self._args, **self._kwargs)\n  \
        File \"/usr/lib/python3.11/multiprocessing/pool.py\", line 109, in worker\n    \
        initializer(*initargs)\n  \
        File \"/home/user/project/train.py\", line 5, in init\n    config = load()\n             ^^^^\n\
        NameError: name 'load' is not defined\n",
    );
    assert_eq!(run.ids, ["pool-initializer-failed"]);
}

#[test]
fn a_worker_of_gunicorn_that_macos_ended_was_not_killed_for_memory() {
    let input = b"objc[54127]: +[NSCharacterSet initialize] may have been in progress in another thread when fork() was called. We cannot safely call it or ignore it in the fork() child process. Crashing instead. Set a breakpoint on objc_initializeAfterForkError to debug.\n\
        [2024-09-17 08:45:16 -0400] [54123] [ERROR] Worker (pid:54127) was sent SIGKILL! Perhaps out of memory?\n";
    let text = filter_text(input).text();
    assert!(text.contains("[fork-macos-objc]"), "{text}");
    assert!(text.contains("consequence of"), "{text}");
    assert!(!text.contains("memory limit"), "{text}");
}

#[test]
fn an_exception_above_a_head_is_no_place() {
    let input = b"OSError: [Errno 22] Invalid argument\n\
        Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n  \
        File \"D:\\py\\lib\\multiprocessing\\spawn.py\", line 116, in spawn_main\n    exitcode = _main(fd, parent_sentinel)\n  \
        File \"D:\\py\\lib\\multiprocessing\\spawn.py\", line 126, in _main\n    self = reduction.pickle.load(from_parent)\n\
        _pickle.UnpicklingError: pickle data was truncated\n";
    let text = filter_text(input).text();
    assert!(text.contains("[unpickle-corrupt]"), "{text}");
    assert!(!text.contains("where"), "{text}");
}
