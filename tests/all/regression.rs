//! Inputs that went wrong once, each under the name of what was wrong.

use crate::common::{filter, filter_text, without_annotations};
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

/// The end of a traceback as `IPython` prints it, below a head that was cut off.
const CELL: &str = "\
~/miniconda3/lib/python3.7/multiprocessing/reduction.py in dump(obj, file, protocol)
     58 def dump(obj, file, protocol=None):
     59     '''Replacement for pickle.dump() using ForkingPickler.'''
---> 60     ForkingPickler(file, protocol).dump(obj)
     61 \n\
TypeError: can't pickle _thread.lock objects
";
const PLAIN: &str = "\
Traceback (most recent call last):
  File \"/home/me/train.py\", line 9, in main
    p.start()
TypeError: cannot pickle '_thread.lock' object
";

#[test]
fn a_traceback_is_read_out_of_the_records_that_hold_its_lines() {
    let each = |record: fn(usize, &str) -> String| -> String {
        let lines = PLAIN.lines().enumerate();
        lines.map(|(n, line)| record(n, line)).collect()
    };
    let quoted = |line: &str| line.replace('\\', "\\\\").replace('"', "\\\"");
    let escaped = quoted(PLAIN).replace('\n', "\\n");
    for input in [
        each(|_, l| format!("{{\"log\": {l:?}, \"stream\": \"stderr\"}}\n")),
        each(|n, l| format!(",{{\"stream_name\":\"stderr\",\"time\":{n}.5,\"data\":{l:?}}}\n")),
        each(|n, l| format!("{{\"insertId\":\"{n}\",\"textPayload\":{l:?}}}\n")),
        each(|n, l| format!("{}.5s {} {l}\n", n + 9, n + 8)),
        each(|_, l| format!("{{\"jsonPayload\":{{\"message\":{l:?}}},\"severity\":\"ERROR\"}}\n")),
        each(|_, l| format!("{{\"kubernetes\":{{\"pod\":\"a\"}},\"log\":{l:?}}}\n")),
        each(|_, l| format!("time=\"10:00\" level=error msg={l:?}\n")),
        each(|n, l| format!("a/x.log{}{l}\n", if n == 0 { ':' } else { '-' })),
        each(|n, l| format!("{}{}{l}\n", n + 96, if n == 0 { ':' } else { '-' })),
        format!(
            "failed: [{}]\n",
            each(|_, l| format!("{:?}, ", format!("{l}\n"))).trim_end_matches(", ")
        ),
        format!("ERROR job 3 failed: {escaped}\n"),
        format!("job[7]: {}\n", PLAIN.trim_end().replace('\n', "#012")),
    ] {
        let run = filter_text(input.as_bytes());
        assert_eq!(run.ids, ["unpicklable-lock"], "{input}");
        assert!(run.text().contains("train.py:9"), "{}", run.text());
    }
}

#[test]
fn the_end_of_a_notebooks_traceback_has_its_frame() {
    let run = filter_text(CELL.as_bytes());
    assert_eq!(run.ids, ["unpicklable-lock"]);
    assert!(!run.text().contains("likely"), "{}", run.text());
}

#[test]
fn the_end_of_a_box_has_its_frames_and_the_whole_command() {
    const BOX: &str = "\
│ /usr/lib/python3.10/site-packages/accelerate/commands/launch.py:567 in simple_launcher           │
│                                                                                                  │
│   566 │   if process.returncode != 0:                                                            │
│ ❱ 567 │   │   raise subprocess.CalledProcessError(returncode=process.returncode, cmd=cmd)        │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
CalledProcessError: Command '['/usr/bin/python3', 'train_network.py', 
'--dataset_config=/content/drive/MyDrive/Loras/test_lora/dataset_config.toml', 
'--lowram', '--xformers',
'--config_file=/content/drive/MyDrive/Loras/test_lora/training_config.toml']' returned non-zero
exit status 1.
";
    let run = filter_text(BOX.as_bytes());
    assert_eq!(run.ids, ["ranks-child-failed"]);
    assert!(run.text().starts_with(BOX), "{}", run.text());
    let without_frame = BOX.split_once('\n').expect("a first line").1;
    assert!(filter_text(without_frame.as_bytes()).ids.is_empty());
}

#[test]
fn lambdas_error_is_read_from_its_json_in_one_line_or_several() {
    const FRAMES: &str = r#"["  File \"/var/task/app.py\", line 7, in handler\n    pool = Pool(2)\n",
    "  File \"/var/lang/lib/python3.11/multiprocessing/synchronize.py\", line 57, in __init__\n    sl = self._semlock = _multiprocessing.SemLock(\n"]"#;
    let object = format!(
        r#"{{"errorMessage": "[Errno 38] Function not implemented", "errorType": "OSError", "stackTrace": {FRAMES}}}"#
    );
    let one_line = object.replace(",\n   ", ",");
    let several = object
        .replace("{\"", "{\n  \"")
        .replace(", \"errorType\"", ",\n  \"errorType\"")
        .replace(", \"stackTrace\": [", ",\n  \"stackTrace\": [\n    ")
        .replace("]}", "\n  ]\n}");
    for input in [one_line, several] {
        let run = filter_text(format!("{input}\n").as_bytes());
        assert_eq!(run.ids, ["no-semaphores"], "{input}");
        assert!(run.text().contains("app.py:7"), "{}", run.text());
    }
}

#[test]
fn a_narrow_terminal_may_break_a_message_anywhere() {
    for message in [
        "Can't pickle local object\n<function build.<locals>.step at 0x7f1c>",
        "Can't pickle local object <function\nbuild.<locals>.step at 0x7f1c>",
        "Can't pickle local object 'build.<locals>.\nstep'",
    ] {
        let run = filter_text(format!("AttributeError: {message}\n").as_bytes());
        assert!(run.text().contains("`step` was made"), "{}", run.text());
    }
}

#[test]
fn the_error_of_an_actor_inside_a_tasks_error_has_its_cause() {
    let run = filter_text(
        b"Traceback (most recent call last):\n  \
          File \"/usr/lib/python3/dist-packages/ray/_private/worker.py\", line 871, in get_objects\n    \
          raise value.as_instanceof_cause()\n\
          ray.exceptions.RayTaskError(ActorDiedError): ray::Manager.run() (pid=829, ip=192.0.2.1, actor_id=ba)\n  \
          File \"/home/u/x.py\", line 10, in run\n    \
          ray.get(self.actor.generate.remote(x))\n\
          ray.exceptions.ActorDiedError: The actor died because of an error raised in its creation task, ray::Writer.__init__() (pid=831, ip=192.0.2.1)\n  \
          File \"/home/u/x.py\", line 4, in __init__\n    \
          self.copy = pickle.dumps(threading.Lock())\n\
          TypeError: cannot pickle '_thread.lock' object\n",
    );
    assert_eq!(run.ids, ["unpicklable-lock"]);
    assert!(run.text().contains("x.py:4"), "{}", run.text());
}

#[test]
fn a_message_that_was_cut_inside_a_quotation_is_known() {
    let run =
        filter_text(b"AttributeError: Can't pickle local object 'get_dataset.<locals>.Data\n");
    assert_eq!(run.ids, ["unpicklable-local-object"]);
    assert!(run.text().contains("likely"), "{}", run.text());
}

#[test]
fn a_record_that_ends_in_a_head_tells_the_message() {
    let record = "(Worker pid=7) ERROR 12-03 18:49:03 utils.py:231] Exception in worker Worker while processing method init_device: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method, Traceback (most recent call last):\n";
    let cut = format!(
        "{record}(Worker pid=7) ERROR 12-03 18:49:03 utils.py:231]     torch._C._cuda_setDevice(device)\n"
    );
    assert_eq!(filter_text(cut.as_bytes()).ids, ["cuda-fork"]);
}

#[test]
fn a_notebook_copied_from_vs_code_has_its_frames() {
    let run = filter_text(
        b"TypeError                                 Traceback (most recent call last)\n\
          File [d:\\proj\\train.py:31](file:///D:/proj/train.py:31), in main(args)\n     \
          [30](file:///d:/proj/train.py:30)     loader = make()\n\
          ---> [31](file:///d:/proj/train.py:31)     for batch in loader:\n\
          \n\
          TypeError: cannot pickle '_thread.lock' object\n",
    );
    assert_eq!(run.ids, ["unpicklable-lock"]);
    assert!(run.text().contains("train.py:31"), "{}", run.text());
}

#[test]
fn a_librarys_line_that_looks_like_an_exception_is_known() {
    let line = "Error: Process completed with exit code 137.\n";
    assert_eq!(
        filter_text(line.as_bytes()).ids,
        ["container-out-of-memory"]
    );
}

#[test]
fn what_is_left_of_the_same_exception_is_no_root() {
    let end = "  File \"/x/python3.10/multiprocessing/connection.py\", line 630, in SocketClient\n    s.connect(address)\nFileNotFoundError: [Errno 2] No such file or directory\n";
    let log = format!(
        "    c = SocketClient(address)\n{end}Process Process-504:\nTraceback (most recent call last):\n  \
         File \"/x/python3.10/multiprocessing/managers.py\", line 810, in _callmethod\n    \
         conn = self._tls.connection\n\
         AttributeError: 'ForkAwareLocal' object has no attribute 'connection'\n\n\
         During handling of the above exception, another exception occurred:\n\n\
         Traceback (most recent call last):\n  \
         File \"/x/python3.10/multiprocessing/managers.py\", line 801, in _connect\n    \
         conn = self._Client(self._token.address, authkey=self._authkey)\n{end}"
    );
    assert_eq!(filter_text(log.as_bytes()).ids, ["peer-process-gone"]);
}

/// Prefixes that are told by the lines above alone, which bear them too.
const SHARED_PREFIXES: [&str; 8] = [
    "train-worker-0 pytorch ",
    "train-worker-0 pytorch 2024-05-14T09:12:33.901234567+02:00 ",
    "2024-05-14T09:12:33.901234+00:00 train/trainer/4a1b2c3d4e5f ",
    "ERROR\t2024-05-14 09:12:33 +0200\tworkerpool0-0\t\t",
    "<11>1 2024-05-14T09:12:33.901234Z gpu01 trainer 4711 - - ",
    "scheduler | ",
    "[train] ",
    "Fri Sep 25 16:52:53 2020[0]<stderr>:",
];

fn behind(prefix: &str, text: &str) -> String {
    let lines = text.split_inclusive('\n');
    lines.flat_map(|line| [prefix, line]).collect()
}

#[test]
fn a_prefix_of_any_form_that_the_lines_above_bear_too_hides_nothing() {
    let report = "    def test_load():\n>       pool.map(f, x)\n\ntests/test_x.py:9: \n\
        _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n\n    def dumps(cls, obj):\n\
        >       cls(buf, protocol).dump(obj)\nE       TypeError: cannot pickle '_thread.RLock' object\n\n\
        /usr/lib/python3.10/multiprocessing/reduction.py:51: TypeError\n";
    for prefix in SHARED_PREFIXES {
        let run = filter_text(behind(prefix, report).as_bytes());
        assert_eq!(run.ids, ["unpicklable-lock"], "{prefix}");
        assert!(
            run.text().contains("where   tests/test_x.py:9"),
            "{}",
            run.text()
        );
        for (line, id) in [
            (
                "zmq.error.ZMQError: Address already in use",
                "zmq-port-taken",
            ),
            (
                "Memory access fault by GPU node-2 (Agent handle: 0x7f1c) on address 0x42. Reason: Page not present or supervisor privilege.",
                "rocm-gpu-fault",
            ),
        ] {
            let text = behind(prefix, &format!("loading data\nstep 1\n{line}\nbye\n"));
            assert_eq!(filter_text(text.as_bytes()).ids, [id], "{prefix}");
        }
    }
}

#[test]
fn what_a_program_said_twice_is_no_prefix() {
    for words in [
        "handled: ",
        "[3] INFO ",
        "[3] retrying: ",
        "gpu-01: ignored: ",
    ] {
        let line = format!("{words}TypeError: cannot pickle '_thread.RLock' object\n");
        let run = filter_text(line.repeat(3).as_bytes());
        assert_eq!(run.ids, [""; 0], "{words}");
    }
}

#[test]
fn what_mixed_lines_tore_apart_is_one_failure() {
    let inner = "  File \"/app/main.py\", line 37, in main\n    pool.map(f, x)\n";
    let outer = "  File \"/app/main.py\", line 42, in <module>\n";
    let head = "Traceback (most recent call last):\n";
    let end = "TypeError: cannot pickle '_thread.RLock' object\n";
    for torn in [
        format!("{head}{outer}{head}{outer}    main()\n    main()\n{inner}{inner}{end}{end}bye\n"),
        format!(
            "{head}{head}  File \"/app/main.py\", line 37, in main\n{inner}    pool.map(f, x)\n{end}{end}bye\n"
        ),
    ] {
        let run = filter_text(torn.as_bytes());
        assert_eq!(run.ids, ["unpicklable-lock"], "{torn}");
    }
}

#[test]
fn a_report_above_a_last_line_without_a_newline_is_read_whole() {
    same_for_all_cuts(
        b"    def test_load():\n>       pool.map(f, x)\n\ntests/test_x.py:9: \n_ _ _ _ _ _ _ _ _ _ _ _ _ \n\n    \
        def dumps(cls, obj):\n>       cls(buf, protocol).dump(obj)\nE       TypeError: cannot pickle \
        '_thread.RLock' object",
    );
}

#[test]
fn a_line_with_half_a_tag_is_no_page_without_end() {
    same_for_all_cuts(
        b"Traceback (most recent call last):\nx<br[31mFile \"/app/x.py\", line 20, in f<br>\n    \
        g() <brFile \"/app/x.py\", line 3, in g\nTypeError: cannot pickle '_thread.lock' object\n",
    );
}

#[test]
fn records_within_records_without_end_are_read_to_a_depth() {
    let mut line =
        "Traceback (most recent call last):\n  File \"/app/x.py\", line 3, in f\n    g()\n\
                    TypeError: cannot pickle '_thread.lock' object\n"
            .to_owned();
    for depth in 1..12 {
        line = format!("{{\"log\": {}}}", serde_json::to_string(&line).unwrap());
        let ids = filter_text(format!("{line}\n").as_bytes()).ids;
        assert!(depth > 3 || ids == ["unpicklable-lock"], "{depth}: {ids:?}");
    }
}
