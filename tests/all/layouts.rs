//! What loggers, pages and collectors make of a traceback's lines: the failure is told with its place,
//! and once.

use crate::common::{CORPUS, filter, filter_text};
use pickfix::input::scripted::Scripted;
use pickfix::reader::incidents;
use pickfix::traceback;

const FRAME: &str = "  File \"/app/main.py\", line 37, in main\n    p.start()\n";
const FINAL: &str = "TypeError: cannot pickle '_thread.RLock' object\n";

/// Returns the id and the line of the user's frame (0: none is known) of each incident; what the filter
/// tells must not depend on how the text is cut.
fn told(text: &str) -> Vec<(String, u32)> {
    let whole = filter_text(text.as_bytes()).text();
    for size in [1, 7, 64] {
        let cut = filter(Scripted::cut(text.as_bytes(), size)).text();
        assert_eq!(cut, whole, "in pieces of {size} bytes");
    }
    let roots = incidents(&CORPUS, text.as_bytes(), None).into_iter();
    let roots = roots.map(|incident| incident.root);
    let known = roots.filter_map(|root| Some((root.id()?.to_owned(), root.facts.user_frame)));
    known
        .map(|(id, frame)| (id, frame.map_or(0, |frame| frame.line)))
        .collect()
}

/// Asserts that a text tells of a lock, at this line.
fn tells_of_lock_at(line: u32, text: &str) {
    assert_eq!(
        told(text),
        [("unpicklable-lock".to_owned(), line)],
        "{text}"
    );
}

#[test]
fn frames_below_a_final_line_are_its_own() {
    for text in [
        format!("{FINAL}{FRAME}"),
        format!("step 3\n{FINAL}{FRAME}step 4\nValueError: no\n"),
        format!(
            "[rank3]: {FINAL}[rank3]: {}",
            FRAME.replace("\n ", "\n[rank3]:  ")
        ),
        // Dagster, which tells of the outer one first.
        format!(
            "dagster.StepError: in op \"train\":\n\n{FINAL}\nStack Trace:\n{FRAME}\n\
             The above exception was caused by the following exception:\n"
        ),
        // Sentry, which lists a chain, and leaves outer frames out.
        format!("{FINAL}(2 additional frame(s) were not displayed)\n...\n{FRAME}"),
        format!(
            "{FINAL}{FRAME}ValueError: no\n{}",
            FRAME.replace("37", "39")
        ),
        format!("ERROR:root:job 3 failed: {FINAL}{FRAME}bye\n"),
        // The final line that frames without a head have comes below them, whatever stands above.
        format!("RuntimeError: another writer's\n{FRAME}{FINAL}"),
        format!("{FINAL}{FRAME}{FINAL}"),
    ] {
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn what_stands_below_such_frames_is_not_read_as_theirs() {
    let text = format!("ValueError: no\n{FRAME}Epoch 3\n{FINAL}");
    tells_of_lock_at(0, &text);
    let text = format!("ValueError: no\n\n\n{FRAME}");
    assert_eq!(told(&text), []);
}

#[test]
fn a_page_or_a_table_may_have_laid_out_each_line() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let each = |write: &dyn Fn(&str) -> String| traceback.lines().map(write).collect::<String>();
    let row = |line: &str| line.replace('"', "\"\"");
    for text in [
        each(&|line| format!("<p>{}</p>\n", line.replace("  ", "&nbsp;&nbsp;"))),
        each(&|line| format!("<span class=\"ansi-red\">{line}</span>\n")),
        format!("<p>{}</p>\n", traceback.trim_end().replace('\n', "<br>")),
        format!("<pre><code>{traceback}</code></pre>\n"),
        each(&|line| format!("^[[31m{line}^[[0m\n")),
        each(&|line| format!("#033[34m{line}#033[0m\n")),
        each(&|line| format!("\"2024-05-14T09:12:33Z\",\"{}\"\n", row(line))),
        each(&|line| format!("\"2024-05-14T09:12:33Z\",\"[rank3]: {}\"\n", row(line))),
        format!("id,error\n17,\"{}\"\n18,\n", row(traceback.trim_end())),
        format!("ErrorMessage \"{}\"\n", traceback.trim_end()),
        traceback.replace("  File", " 36%|#6   | 73/200 [00:01<00:02, 55.2it/s]  File"),
    ] {
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn a_page_may_have_marked_each_line_or_the_whole() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let traceback = traceback.trim_end();
    let each = |write: &dyn Fn(&str) -> String| traceback.lines().map(write).collect::<String>();
    let indented = |line: &str| line.len() - line.trim_start().len();
    for text in [
        each(&|line| format!("**{line}**\n")),
        each(&|line| format!("**{}** \n\n", line.trim_start())),
        each(&|line| format!("{}**{}**\n", &line[..indented(line)], line.trim_start())),
        each(&|line| format!("> **{}**\n>\n", line.trim_start())),
        each(&|line| format!("*{line}*\n")),
        each(&|line| format!("_{line}_\n")),
        each(&|line| format!("``{line}``\n")),
        each(&|line| format!("<tr><td>{line}</td></tr>\n")),
        each(&|line| format!("{line}\u{200b}\n")),
        each(&|line| format!("{line}^M\n")),
        format!("**{traceback}**\n"),
        format!("```{traceback}```\n"),
        format!("```py\n{traceback}```\n"),
        format!("{{noformat}}{traceback}{{noformat}}\n"),
        format!("{{code:python}}\n{traceback}{{code}}\n"),
        format!("[code]{traceback}[/code]\n"),
        format!("[quote]\n{traceback}[/quote]\n"),
        each(&|line| format!("\u{fffd}[31m{line}\u{fffd}[0m\n")),
        each(&|line| {
            format!(
                "{}\n",
                line.replace('"', "&amp;quot;").replace('\'', "&amp;#39;")
            )
        }),
        // JUnit's and Confluence's XML.
        format!("<error message=\"no\"><![CDATA[{traceback}]]></error></testcase>\n"),
        format!("<failure>{}</failure>\n", traceback.replace('"', "&quot;")),
        format!("<ac:plain-text-body><![CDATA[{traceback}]]></ac:plain-text-body>\n"),
    ] {
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn frames_may_stand_behind_tabs() {
    let text = format!("{FRAME}{FINAL}");
    let text = text.lines().map(|line| format!("\t\t{line}\n"));
    tells_of_lock_at(37, &text.collect::<String>());
}

#[test]
fn a_string_may_hold_a_traceback_whatever_wrote_it() {
    let remote =
        "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n";
    let cause = "\n\nThe above exception was the direct cause of the following exception:\n\n";
    let plain = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let chain = format!(
        "{remote}{FRAME}{FINAL}\"\"\"{cause}{}",
        plain.replace("37", "39")
    );
    for traceback in [&plain, &chain] {
        let escaped = traceback.replace('\n', "\\n").replace('"', "\\\"");
        let repr = traceback.replace('\n', "\\n").replace('\'', "\\'");
        for text in [
            format!("ERROR:root:job 3 failed: {escaped}\n"),
            format!("RuntimeError: worker 3: {escaped}\n"),
            format!("ERROR:root:AttributeError: no 'x' in \"y\"\\n\\n{escaped}\n"),
            format!("{{'job': 3, 'why': \"it's bad\", 'error': '{repr}', 'rc': 1}}\n"),
            format!("(1, '', '{repr}')\n"),
            format!("['step 1', '{repr}']\n"),
            format!("CompletedProcess(args=['a'], returncode=1, stderr=b'{repr}')\n"),
            format!(
                "CompletedProcess(returncode=1, stderr=b'{}')\n",
                repr.replace("\\n", "\\r\\n")
            ),
            format!("[09:12:33: ERROR/MainProcess] job 3 failed: '{repr}'\n"),
            format!(
                "{{\"job\": 3, \"payload\": \"{{\\\"error\\\": \\\"{}\\\"}}\"}}\n",
                escaped.replace('\\', "\\\\").replace("\\\\\"", "\\\\\\\"")
            ),
            format!(
                "::error file=main.py,line=3::{}\n",
                traceback.replace('\n', "%0A")
            ),
            format!("job 3 failed: {}\n", traceback.replace('\n', "\u{21b5}")),
        ] {
            tells_of_lock_at(37, &text);
        }
    }
    let lines: Vec<String> = plain.lines().map(|line| format!("{line:?}")).collect();
    tells_of_lock_at(
        37,
        &format!(
            "failed: [{}]\n",
            lines
                .join(", ")
                .replace('"', "'")
                .replace("\\'", "\"")
                .replace("'_thread.lock'", "\\'_thread.lock\\'")
                .replace("'_thread.RLock'", "\\'_thread.RLock\\'")
        ),
    );
}

#[test]
fn aws_lambda_prints_a_traceback_as_one_line() {
    let text = format!("[ERROR] {FINAL}Traceback (most recent call last):\n{FRAME}");
    let text = text.trim_end();
    let text = text.replace("\n    ", "\n\u{a0}\u{a0}\u{a0}\u{a0}");
    let text = text.replace("\n  ", "\n\u{a0}\u{a0}").replace('\n', "\r");
    for prefix in [
        "",
        "2024-05-14T09:12:33.9Z ",
        "2024-05-14T09:12:33.9+00:00 2024/05/14/[$LATEST]4a1b2c ",
    ] {
        let lines = ["START RequestId: 3", &text, "END RequestId: 3"];
        let text = lines.map(|line| format!("{prefix}{line}\n"));
        tells_of_lock_at(37, &text.concat());
    }
}

#[test]
fn what_became_one_line_is_read_whatever_its_breaks_became() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let traceback = traceback.trim_end();
    for text in [
        traceback.replace('\n', " "),
        traceback.replace('\n', ""),
        traceback.replace('\n', "\t"),
        traceback.replace('\n', " | "),
        format!("10:00|ERROR|job 3 failed|{}|", traceback.replace('\n', "|")),
        traceback.replace('\n', "\u{b6}"),
        format!("job 3 failed: {}", traceback.replace('\n', "; ")),
        format!("[rank3]: {}", traceback.replace('\n', "#012[rank3]: ")),
        format!("[rank3]: {}", traceback.replace('\n', "\u{2028}[rank3]: ")),
        format!(
            "17,failed,\"{}\",3",
            traceback.replace('\n', " ").replace('"', "\"\"")
        ),
    ] {
        tells_of_lock_at(37, &format!("{text}\n"));
    }
}

#[test]
fn a_record_of_each_line_needs_no_level() {
    let lines = format!("Traceback (most recent call last):\n{FRAME}{FINAL}step 4\n");
    for record in [
        "{\"file\":\"/x.log\",\"message\":\"LINE\",\"timestamp\":\"2024-05-14T09:12:33Z\"}",
        "{\"levelname\": \"ERROR\", \"message\": \"LINE\"}",
        "{\"ts\": 3, \"text\": \"LINE\"}",
        "2024-05-14 09:12:33.123 +0000 kube.trainer: {\"log\":\"LINE\\n\",\"stream\":\"stderr\"}",
        "[3] kube.var.log.trainer: [[1715677953.123456789, {}], {\"log\"=>\"LINE\", \"stream\"=>\"stderr\"}]",
        "[3] kube.var.log.trainer: [1715677953.123456789, {\"log\"=>\"LINE\", \"stream\"=>\"stderr\"}]",
        "{\"TimeStamp\": \"2024-05-14T09:12:33.123+00:00\", \"Log\": \"LINE\"}",
        "{\"@level\":\"error\",\"@message\":\"LINE\",\"@timestamp\":\"2024-05-14T09:12:33Z\"}",
        "{\"level\":\"info\",\"msg\":\"[rank3]: LINE\"}",
        "{\"_time\":\"2024-05-14T09:12:33Z\",\"_stream\":\"{app=\\\"a\\\"}\",\"_msg\":\"LINE\"}",
        "{\"body\":\"LINE\",\"severityText\":\"ERROR\",\"timeUnixNano\":\"1715677953123000000\"}",
    ] {
        let text = lines
            .lines()
            .map(|line| record.replace("LINE", &line.replace('"', "\\\"")) + "\n");
        tells_of_lock_at(37, &text.collect::<String>());
    }
    // Without such lines above it is data.
    let data = format!("{{\"ts\": 3, \"message\": \"{}\"}}\n", FINAL.trim_end());
    assert_eq!(told(&data), []);
}

#[test]
fn a_record_with_its_time_was_printed_also_where_a_page_shows_it() {
    const WORDS: &str = "WORKER TIMEOUT (pid:213)";
    let known = [("gunicorn-worker-timeout".to_owned(), 0)];
    for (line, expected) in [
        (
            format!("Apr  3 17:08:10 web-1 app CRITICAL {WORDS}"),
            &known[..],
        ),
        (format!("Wed Apr  3 17:08:10 2024 - {WORDS}"), &known[..]),
        // What a document quotes has none.
        (WORDS.to_owned(), &[]),
        (FINAL.trim_end().to_owned(), &[]),
    ] {
        let text = format!("All I see is\n```\n{line}\n```\n");
        assert_eq!(told(&text), expected, "{text}");
    }
}

#[test]
fn airflow_3_names_the_source_behind_each_line() {
    let lines = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    for record in [
        "[2025-05-14T09:12:33.9Z] ERROR - LINE source=task.stderr",
        "[2025-05-14, 09:12:33] ERROR - LINE: chan=\"stderr\": source=\"task\"",
    ] {
        let text = lines
            .lines()
            .map(|line| record.replace("LINE", line) + "\n");
        tells_of_lock_at(37, &text.collect::<String>());
    }
}

#[test]
fn a_server_names_the_rank_behind_the_final_line() {
    let text = format!(
        "2024-05-14T09:12:33.9Z ERROR shard-manager: text_generation_launcher: Shard complete standard error output:\n\n\
         Traceback (most recent call last):\n{FRAME}{} rank=0\n",
        FINAL.trim_end()
    );
    tells_of_lock_at(37, &text);
}

#[test]
fn frames_without_quotes_are_read() {
    let frame = "  File d:\\etl\\main.py:37 in main\n    p.start()\n\n";
    let library = "  File ~\\anaconda3\\lib\\multiprocessing\\process.py:121 in start\n    self._popen = self._Popen(self)\n\n";
    tells_of_lock_at(
        37,
        &format!("Traceback (most recent call last):\n\n{frame}{library}{FINAL}"),
    );
    let text = format!(
        "TypeError                                 Traceback (most recent call last)\n\
         File <command-4711>, line 37\n     36 p = ctx.Process(target=f)\n---> 37 p.start()\n\n{FINAL}"
    );
    tells_of_lock_at(37, &text);
}

#[test]
fn a_prefix_may_be_long() {
    let name = "x1".repeat(31);
    for prefix in [
        format!(
            "2024-05-14T09:12:33+02:00 {{app=\"trainer\", namespace=\"staging\", pod=\"{name}\"}} "
        ),
        format!("[pod/{name}/{name}] 2024-05-14T09:12:33.9Z "),
        "[ 4711.123456] ".to_owned(),
        "[ERROR] [1715677953.123456]: ".to_owned(),
    ] {
        for lines in [
            format!("Traceback (most recent call last):\n{FRAME}{FINAL}"),
            format!("{FRAME}{FINAL}"),
        ] {
            let text = lines.lines().map(|line| format!("{prefix}{line}\n"));
            tells_of_lock_at(37, &text.collect::<String>());
        }
    }
}

#[test]
fn a_summary_tells_the_final_line() {
    let last = FINAL.trim_end();
    for text in [
        format!("ErrorMessage \"{last}\"\nCommand \"python train.py\"\n"),
        format!("ErrorMessage \":{last}\n"),
        format!(
            "UnexpectedStatusException: Error for Training job j: Failed. Reason: AlgorithmError: ExecuteUserScriptError:\n\
             ExitCode 1\nErrorMessage \"{last}\"\nCommand \"python train.py\"\n"
        ),
        format!(
            "UnexpectedStatusException: Error for Training job j: Failed. Reason: AlgorithmError: ExecuteUserScriptError:\n\
             ExitCode 1\nErrorMessage \"raise TypeError(\n {last}\n 0%|          | 0/50 [00:00<?, ?it/s]\"\nCommand \"python train.py\"\n"
        ),
        format!(
            "UnexpectedStatusException: Error for Training job j: Failed. Reason: AlgorithmError: ExecuteUserScriptError: \
             ExitCode 1 ErrorMessage \"{last}\" Command \"python train.py\", exit code: 1\n"
        ),
        format!("Uncaught exception: {last}\n"),
        format!("2024-05-14 09:12:33 ERROR train: Uncaught Exception: {last}\n"),
    ] {
        tells_of_lock_at(0, &text);
    }
}

#[test]
fn an_import_hook_is_no_frame() {
    let text = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n  \
         File \"C:\\Python310\\lib\\multiprocessing\\spawn.py\", line 126, in _main\n    \
         self = reduction.pickle.load(from_parent)\n  \
         File \"C:\\PyCharm\\plugins\\python\\helpers\\pydev\\_pydev_bundle\\pydev_import_hook.py\", line 21, in do_import\n    \
         module = self._system_import(name, *args, **kwargs)\n\
         ModuleNotFoundError: No module named 'torch'\n";
    assert_eq!(told(text)[0].0, "unpickle-missing-module");
}

#[test]
fn a_line_behind_a_progress_bar_is_read() {
    let bar = "  1%|▊    | 985/102000 [00:01<01:54, 882.92it/s, loss=0.3]";
    for (line, id) in [
        ("Killed", "program-killed"),
        ("Aborted (core dumped)", "program-crashed"),
    ] {
        assert_eq!(told(&format!("{bar}{line}\n")), [(id.to_owned(), 0)]);
    }
}

#[test]
fn seconds_may_stand_before_each_line() {
    for stamp in ["42.SSS ", "[12.SSSs] ", "1715677953.SSS "] {
        let lines = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
        let lines = lines.lines().zip(100..);
        let text = lines.map(|(line, n)| stamp.replace("SSS", &n.to_string()) + line + "\n");
        tells_of_lock_at(37, &text.collect::<String>());
    }
}

#[test]
fn a_first_frame_is_read_behind_a_prefix_that_its_form_tells() {
    let prefix = "[pod/train-0/main] 2024-05-14T09:12:33.901234567Z ";
    let lines = format!("{FRAME}{FINAL}");
    let text = lines.lines().map(|line| format!("{prefix}{line}\n"));
    tells_of_lock_at(37, &text.collect::<String>());
}

#[test]
fn a_line_of_a_report_is_read_behind_the_prefix_that_all_of_it_bears() {
    for (lines, id) in [
        (
            "[1]+  Killed                  python train.py",
            "program-killed",
        ),
        (
            "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\nwith errorcode 1.",
            "ranks-child-failed",
        ),
        (
            "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.\nExited with exit code 143.",
            "job-out-of-memory",
        ),
    ] {
        for prefix in ["trainer-1  | ", "2024-05-14T09:12:33.9Z "] {
            let text = lines.lines().map(|line| format!("{prefix}{line}\n"));
            assert_eq!(
                told(&text.collect::<String>()),
                [(id.to_owned(), 0)],
                "{prefix}{lines}"
            );
        }
    }
}

#[test]
fn what_sys_exc_info_returned_tells_the_exception() {
    let tuple = format!(
        "(<class 'TypeError'>, TypeError(\"{}\"), <traceback object at 0x7f1a2b3c4d00>)",
        FINAL.trim_end().trim_start_matches("TypeError: ")
    );
    tells_of_lock_at(0, &format!("{tuple}\n"));
    tells_of_lock_at(0, &format!("Unexpected error: {tuple}\n"));
    assert_eq!(told(&format!("skipped: {tuple}\n")), []);
}

#[test]
fn the_record_of_a_task_that_failed_in_dask_tells_its_exception() {
    let message = FINAL.trim_end().trim_start_matches("TypeError: ");
    let text = format!(
        "2024-05-14 09:12:33,123 - distributed.worker - WARNING - Compute Failed\n\
         Key:       load-0a1b2c\nException: \"TypeError(\\\"{message}\\\")\"\n\n"
    );
    tells_of_lock_at(0, &text);
}

#[test]
fn django_writes_the_final_line_in_two_halves() {
    let message = FINAL.trim_end().trim_start_matches("TypeError: ");
    let text = format!(
        "Traceback (most recent call last):\n{FRAME}\n\
         Exception Type: TypeError at /run/\nException Value: {message}\nRaised during: app.views.run\n"
    );
    tells_of_lock_at(37, &text);
}

/// Returns a traceback as Celery's `redirect_stdouts` logs it: a record for each write, stripped. A frame
/// and its source are one write (Python 3) or two.
fn redirected(traceback: &str, writes_at_once: bool, collector: &str) -> String {
    let record = |(line, at): (&str, u32)| {
        let is_source = line.starts_with("    ") && writes_at_once;
        if is_source {
            format!("{collector}{line}\n")
        } else {
            let line = line.trim();
            format!("{collector}[2024-05-14 09:12:33,{at}: WARNING/ForkPoolWorker-1] {line}\n")
        }
    };
    traceback.lines().zip(100..).map(record).collect()
}

#[test]
fn a_logger_may_make_a_stripped_record_of_each_write() {
    let torn = FINAL.replace(": ", "\n:\n");
    for head in ["Traceback (most recent call last):\n", ""] {
        for last in [FINAL, &torn] {
            let traceback = format!("{head}{FRAME}{last}");
            for (writes_at_once, collector) in [
                (true, ""),
                (false, ""),
                (true, "celery-1  | "),
                (false, "celery-1  | "),
            ] {
                let text = redirected(&traceback, writes_at_once, collector);
                tells_of_lock_at(37, &text);
                let roots = incidents(&CORPUS, text.as_bytes(), None);
                let frame = roots[0].root.facts.user_frame.as_ref();
                let source = frame.and_then(|frame| frame.source.as_deref());
                assert_eq!(source, Some("p.start()"), "{text}");
            }
        }
    }
}

#[test]
fn a_colon_or_an_indented_line_below_other_lines_is_nothing() {
    // No source: the frame stands not directly above. No message: the final line has one.
    let record = "[2024-05-14 09:12:33,101: WARNING/Beat] ";
    let frame = format!("{record}File \"/app/main.py\", line 37, in main\n");
    let text = format!("{frame}{record}a = 3\n    p.start()\n{record}{FINAL}");
    tells_of_lock_at(37, &text);
    let text = format!(
        "{FRAME}ValueError: no\n: {}",
        FINAL.trim_start_matches("TypeError: ")
    );
    assert_eq!(told(&text), []);
    let prose = "see also File \"/app/main.py\", line 37, in main\n";
    assert_eq!(told(prose), []);
}

#[test]
fn a_notebook_shows_plain_frames_of_a_worker_and_those_of_compiled_modules() {
    let text = format!(
        "ProcessRaisedException                    Traceback (most recent call last)\n\
         <ipython-input-9-7f1e15e1b1b2> in <module>\n----> 6 launch(f)\n\n\
         ~/lib/_io.cpython-38-x86_64-linux-gnu.so in rasterio._io.Writer.close()\n\n\
         ProcessRaisedException: \n\n-- Process 1 terminated with the following error:\n\
         Traceback (most recent call last):\n{FRAME}{FINAL}"
    );
    let [found] = &traceback::read(text.as_bytes())[..] else {
        panic!("one traceback")
    };
    let [parent, worker] = &found.exceptions[..] else {
        panic!("two exceptions")
    };
    assert!(parent.frames[1].is_of("rasterio._io.Writer.close"));
    assert_eq!(worker.frames[0].source.as_deref(), Some("p.start()"));
}

#[test]
fn python_2_names_no_module_of_an_error_of_the_system() {
    let source = "return bool(select.select([self.reader], [], [], timeout, None)[0])";
    let text = format!(
        "Traceback (most recent call last):\n  File \"/a.py\", line 31, in poll\n    {source}\n\
         error: (9, 'Bad file descriptor')\n"
    );
    let found = traceback::read(text.as_bytes());
    let message = &found[0].exceptions[0].message;
    assert_eq!(message[..], ["(9, 'Bad file descriptor')"]);
}

#[test]
fn python_2_names_no_module_of_errors_below_long_source_either() {
    const LONG: &str = "    n = unpack_from(('%ss' % encoded_len).encode(), data, pos)[0]\n";
    let frames = format!("Traceback (most recent call last):\n{FRAME}{LONG}");
    for (last, told) in [
        (
            "error: unpack_from requires a buffer of at least 8 bytes",
            true,
        ),
        ("error: 'i' format requires -9 <= number <= 9", true),
        ("timeout: timed out", true),
        ("error: the rest of it\", n)", false),
        ("timeout: 30", false),
    ] {
        let found = traceback::read(format!("{frames}{last}\nbye\n").as_bytes());
        let raised = found.first().and_then(|t| t.exceptions.first());
        let name = raised.and_then(|raised| raised.type_name.as_deref());
        assert_eq!(
            name,
            told.then(|| last.split(':').next().unwrap()),
            "{last}"
        );
    }
}

#[test]
fn a_logger_may_wrap_a_plain_traceback_in_the_column_of_its_messages() {
    let text = "\
[05/14/24 09:12:33] ERROR    job failed                                 main.py:12
                             Traceback (most recent call last):
                               File
                             \"/home/ana/projects/etl/pipeline/main.py\",
                             line 37, in main
                                 p.start()
                               File
                             \"/home/ana/miniconda3/envs/etl/lib/python3
                             .10/multiprocessing/reduction.py\", line
                             60, in dump
                                 ForkingPickler(file,
                             protocol).dump(obj)
                             TypeError: cannot pickle '_thread.RLock'
                             object
                    INFO     bye                                        main.py:13
";
    tells_of_lock_at(37, text);
    let padded: Vec<String> = text.lines().map(|line| format!("{line:80}")).collect();
    tells_of_lock_at(37, &padded.join("\n"));
    let found = traceback::read(text.as_bytes());
    let message = &found[0].exceptions[0].message;
    assert!(message.iter().all(|line| !line.contains("INFO")));
}

#[test]
fn a_record_tells_the_exception_of_the_traceback_below_whose_end_is_missing() {
    let message = FINAL.trim_end().trim_start_matches("TypeError: ");
    let told_so = format!("TypeError(\"{message}\")");
    for (prefix, record) in [
        (
            "",
            format!(
                "[2024-05-14 09:12:33,1: ERROR/MainProcess] Task a[7] raised unexpected: {told_so}"
            ),
        ),
        ("celery-1  | ", format!("ERROR: job 3 failed: {told_so}")),
        (
            "",
            format!(
                "Task exception was never retrieved\n\
                 future: <Task finished coro=<f() done, defined at x.py:3> exception={told_so}>"
            ),
        ),
    ] {
        let text = format!("{record}\nTraceback (most recent call last):\n{FRAME}  File \"/li");
        let text = text.lines().map(|line| format!("{prefix}{line}\n"));
        tells_of_lock_at(37, &text.collect::<String>());
    }
}

#[test]
fn an_error_recorded_by_torchelastic_may_be_cut_in_its_stack() {
    let message = FINAL.trim_end();
    let stack = format!("Traceback (most recent call last):\n{FRAME}  File \"/li");
    let stack = stack.replace('"', "\\\"").replace('\n', "\\n");
    let text = format!(
        "ERROR:torch.distributed.elastic.multiprocessing.errors.error_handler:{{\n  \"message\": {{\n    \
         \"message\": \"{message}\",\n    \"extraInfo\": {{\n      \"py_callstack\": \"{stack}"
    );
    tells_of_lock_at(37, &text);
}

#[test]
fn another_writers_frame_may_stand_between_a_type_and_its_message() {
    let (type_name, message) = FINAL.split_once(": ").expect("both");
    let text = format!(
        "Traceback (most recent call last):\nTraceback (most recent call last):\n{FRAME}{FRAME}\
         {type_name}  File \"/app/data.py\", line 3, in load\n    pickle.load(f)\n: {message}"
    );
    tells_of_lock_at(37, &text);
    let prose = format!("see x: OSError  File \"/a.py\", line 3, in f\n: {message}");
    assert_eq!(told(&prose), []);
}

#[test]
fn lines_may_be_numbered() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    for (first, number) in [
        (9, "N"),
        (368, "N"),
        (9, "LN: "),
        (9, "out/train.log:N:"),
        (99, "  N │ "),
        (9, "#N "),
    ] {
        let lines = traceback.lines().zip(first..);
        let text = lines.map(|(line, n)| number.replace('N', &n.to_string()) + line + "\n");
        tells_of_lock_at(37, &text.collect::<String>());
    }
    // `grep -n -A 9 Traceback *.log`
    let lines = traceback.lines().zip(9..);
    let found = lines.map(|(line, n)| match n {
        9 => format!("train.log:9:{line}\n"),
        _ => format!("train.log-{n}-{line}\n"),
    });
    tells_of_lock_at(37, &found.collect::<String>());
}

#[test]
fn a_notebook_shows_the_blocks_and_the_rest_of_the_statement_that_a_frame_is_in() {
    let text = format!(
        "TypeError                                 Traceback (most recent call last)\n\
         <ipython-input-9-7f1e15e1b1b2> in f(a)\n      \
         8 def f(a):\n      9     b = a\n     10     with backend(\"dask\"):\n     11         c = b\n\
         ---> 12         g(c,\n     13           d=(1, 2))\n     14         h(c)\n\n{FINAL}"
    );
    let found = traceback::read(text.as_bytes());
    let frame = &found[0].exceptions[0].frames[0];
    assert_eq!(frame.source.as_deref(), Some("g(c,"));
    assert_eq!(frame.around, ["with backend(\"dask\"):", "d=(1, 2))"]);
}

#[test]
fn each_line_may_be_a_string_in_quotes() {
    let cause = "\nDuring handling of the above exception, another exception occurred:\n\n";
    let head = "Traceback (most recent call last):\n";
    let plain = format!("{head}{FRAME}{FINAL}");
    let chain =
        format!("{head}  File \"/app/a.py\", line 3, in f\n    g()\nKeyError: 3\n{cause}{plain}");
    for traceback in [&plain, &chain] {
        // As `repr` chooses its quotes.
        let repr = |line: &str, end: &str| match line.contains('\'') {
            true if line.contains('"') => format!("'{}{end}'", line.replace('\'', "\\'")),
            true => format!("\"{line}{end}\""),
            false => format!("'{line}{end}'"),
        };
        let each = |write: &dyn Fn(&str) -> String| {
            let lines = traceback.lines().map(|line| write(line) + "\n");
            lines.collect::<String>()
        };
        for text in [
            each(&|line| format!("b{}", repr(line, "\\n"))),
            each(&|line| format!("b{}", repr(line, "\\r\\n"))),
            each(&|line| format!("b{}", repr(line, ""))),
            each(&|line| format!("stderr: b{}", repr(line, "\\n"))),
            each(&|line| format!("2024-05-14 09:12:33,123 INFO train: b{}", repr(line, "\\n"))),
            each(&|line| repr(line, "\\n")),
            each(&|line| format!("\"{}\\n\"", line.replace('"', "\\\""))),
        ] {
            tells_of_lock_at(37, &text);
        }
        let lines = traceback
            .lines()
            .map(|line| format!("b{}", repr(line, "\\n")));
        let lines = lines.collect::<Vec<_>>().join(", ");
        tells_of_lock_at(37, &format!("stderr: [{lines}]\n"));
        // JavaScript, and Python's `pprint`.
        let lines: Vec<String> = traceback.lines().map(|line| repr(line, "\\n")).collect();
        for between in [" +\n    ", "\n           "] {
            let text = lines.join(between);
            tells_of_lock_at(37, &format!("{{'rc': 1,\n 'stderr': {text}}}\n"));
            tells_of_lock_at(37, &format!("{{\n  stderr: {text},\n  rc: 1\n}}\n"));
        }
    }
    // Without a head or a frame above them they are a program's own data.
    let text = format!("b\"{}\\n\"\n", FINAL.trim_end());
    assert_eq!(told(&text), []);
}

#[test]
fn a_list_of_lines_may_begin_with_another_process_s_text() {
    let text = "['multiprocessing.pool.RemoteTraceback: \\n\"\"\"\\nTraceback (most recent call last):\\n  \
        File \"/app/main.py\", line 37, in main\\n    p.start()\\nTypeError: cannot pickle \\'_thread.RLock\\' object\\n\"\"\"\\n', \
        '\\nThe above exception was the direct cause of the following exception:\\n\\n', \
        'Traceback (most recent call last):\\n', '  File \"/app/main.py\", line 39, in <module>\\n    main()\\n', \
        \"TypeError: cannot pickle '_thread.RLock' object\\n\"]\n";
    tells_of_lock_at(37, text);
}

#[test]
fn structlog_writes_context_behind_each_event() {
    let lines = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    for record in [
        "2024-05-14T09:12:33.123456Z [error    ] LINE [task.stderr]",
        "2024-05-14T09:12:33.123456Z [error    ] LINE          [train] job=3 step=4",
        "2024-05-14 09:12:33 [info     ] LINE      chan=stdout source=task",
    ] {
        let text = lines
            .lines()
            .map(|line| record.replace("LINE", line) + "\n");
        tells_of_lock_at(37, &text.collect::<String>());
    }
    let event = format!(
        "2024-05-14 09:12:33 [error    ] {}   [train] job=3\n",
        FINAL.trim_end()
    );
    tells_of_lock_at(0, &event);
}

#[test]
fn a_pane_or_a_table_may_have_a_border_behind_each_line() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let each = |write: &dyn Fn(&str) -> String| traceback.lines().map(write).collect::<String>();
    for text in [
        each(&|line| format!("{line:<90} │\n")),
        each(&|line| format!("│ {line:<90} │\n")),
        each(&|line| format!("| {line} |\n")),
        each(&|line| format!("| {line:<90} |\n")),
        each(&|line| format!("| 2024-05-14 09:12:33.123 | {line} |\n")),
    ] {
        tells_of_lock_at(37, &text);
    }
    // A row of a table that tells of it alone is documentation.
    assert_eq!(told(&format!("| {} |\n", FINAL.trim_end())), []);
}

#[test]
fn a_box_may_have_lost_its_head() {
    let row = |text: &str| format!("│ {text:<60} │\n");
    let frame = |place: &str, line: u32| {
        let rows = (line - 2..=line + 2).map(|n| {
            if n == line {
                row(&format!("❱ {n} │   p.start()"))
            } else {
                row(&format!("  {n} │   pass"))
            }
        });
        format!("{}{}{}", row(place), row(""), rows.collect::<String>())
    };
    let text = format!(
        "step 3\n{}{}╰{}╯\n{FINAL}",
        frame("/app/main.py:37 in main", 37),
        frame(
            "/usr/lib/python3.10/multiprocessing/process.py:121 in start",
            121
        ),
        "─".repeat(62)
    );
    tells_of_lock_at(37, &text);
}

#[test]
fn dask_tells_the_stack_below_the_exception() {
    let stack = FRAME.trim_end().replace('\n', "\\n");
    let text = format!(
        "2024-05-14 09:12:33,123 - distributed.worker - WARNING - Compute Failed\n\
         Key:       work-1\nState:     executing\nFunction:  work\nargs:      (1)\nkwargs:    {{}}\n\
         Exception: \"TypeError(\\\"cannot pickle '_thread.RLock' object\\\")\"\nTraceback: '{stack}\\n'\n\n"
    );
    tells_of_lock_at(37, &text);
}

#[test]
fn tensorflow_tells_within_a_message_where_a_node_was_defined() {
    let old = "    File \"/app/main.py\", line 12, in <module>\n      main()\n    \
               File \"/app/keras/training.py\", line 1685, in fit\n      f(x)\nNode: 'Reduce'\n";
    let new = "  File \"/app/main.py\", line 12, in <module>\n\n  \
               File \"/app/keras/training.py\", line 371, in fit\n\n";
    for stack in [old, new] {
        let text = format!(
            "Traceback (most recent call last):\n{FRAME}  File \"/opt/site-packages/tensorflow/python/eager/execute.py\", line 52, in quick_execute\n    \
             tensors = pywrap_tfe.TFE_Py_Execute(ctx._handle, device_name, op_name,\n\
             tensorflow.python.framework.errors_impl.UnavailableError: Graph execution error:\n\n\
             Detected at node 'Reduce' defined at (most recent call last):\n{stack}\
             Collective ops is aborted by: Connection reset by peer\n\
             The error could be from a previous operation. Restart your program to reset.\n\
             \t [[{{{{node Reduce}}}}]] [Op:__inference_train_function_1234]\n"
        );
        assert_eq!(told(&text), [("tf-task-lost".to_owned(), 37)], "{text}");
    }
}

#[test]
fn what_a_program_prints_of_a_worker_s_failure_is_told_once() {
    let worker = "Original Traceback (most recent call last):\n  \
        File \"/opt/site-packages/torch/utils/data/_utils/collate.py\", line 141, in default_collate\n    \
        return torch.stack(batch, 0, out=out)\n\
        RuntimeError: stack expects each tensor to be equal size, but got [3, 9] at entry 0 and [3, 8] at entry 1\n";
    let caught = "Caught RuntimeError in DataLoader worker process 0.";
    let raised =
        format!("Traceback (most recent call last):\n{FRAME}RuntimeError: {caught}\n{worker}");
    for words in [
        "Error: ",
        "2024-05-14 09:12:33,123 ERROR train: step failed: ",
    ] {
        let printed = format!("{words}{caught}\n{worker}\n");
        let id = "collate-size-mismatch".to_owned();
        assert_eq!(told(&printed), [(id.clone(), 0)]);
        assert_eq!(told(&format!("{printed}{raised}")), [(id, 37)]);
    }
}

#[test]
fn writers_that_take_turns_without_a_prefix_are_told_together() {
    let head = "Traceback (most recent call last):\n";
    let main = "  File \"/app/main.py\", line 41, in <module>\n    main()\n";
    let dump = "  File \"/usr/lib/python3.10/multiprocessing/reduction.py\", line 60, in dump\n    \
        ForkingPickler(file, protocol).dump(obj)\n";
    // The frames of one stand where the other's were to come.
    let text = format!("{head}{head}{main}{FRAME}{main}{dump}{FINAL}{FRAME}{dump}{FINAL}");
    assert_eq!(told(&text).len(), 1, "{text}");
    // One after the other they are two.
    let other = main.replace("41", "57");
    let text = format!("{head}{main}{FRAME}{FINAL}\n{head}{other}{FINAL}");
    assert_eq!(told(&text).len(), 2, "{text}");
}

#[test]
fn a_message_may_stand_below_the_line_of_its_type() {
    let (name, message) = FINAL.split_once(' ').expect("a type");
    for blank in ["", " "] {
        let text = format!("Traceback (most recent call last):\n{FRAME}{name}{blank}\n{message}");
        tells_of_lock_at(37, &text);
        tells_of_lock_at(37, &format!("{text}ValueError: no\n"));
        tells_of_lock_at(0, &format!("the run failed with\n{name}{blank}\n{message}"));
    }
    // An empty line is no message, and what stands below it is another's.
    let text = format!("Traceback (most recent call last):\n{FRAME}ValueError: \n\n{message}");
    assert_eq!(told(&text), []);
}

#[test]
fn what_a_page_set_in_bold_may_go_on_below() {
    let cause = "\n\nThe above exception was the direct cause of the following exception:";
    let head = "Traceback (most recent call last):\n";
    let last = FINAL.trim_end();
    let text = format!("{head}{FRAME}**{last}{cause}**\n\n{head}{FRAME}**RuntimeError: no**\n");
    tells_of_lock_at(37, &text);
}

#[test]
fn a_writer_s_name_may_stand_before_each_row_of_a_box() {
    let rule = "─".repeat(20);
    let rows = format!(
        "╭{rule} Traceback (most recent call last) {rule}╮\n│ /app/main.py:37 in main │\n│ ❱ 37 │   p.start() │\n\
         ╰{rule}╯\n{FINAL}"
    );
    for name in [
        "10.0.0.12: ",
        "node-7: ",
        "train | ",
        "[rank3]: ",
        "2024-05-14T09:12:33.123456+00:00 app[worker.1]: ",
        "May 14 09:12:33 trainer app/worker.1: ",
        "2024-05-14 09:12:33,123 - wandb.wandb_agent - INFO - ",
        "[Tue May 14 09:12:33.123456 2024] [wsgi:error] [pid 4711:tid 140234] [remote 10.0.0.7:51234] ",
    ] {
        let named = rows.replace('\n', &format!("\n{name}"));
        tells_of_lock_at(37, &format!("{name}{}", named.trim_end_matches(name)));
    }
    // Words before the head alone, and records.
    let stamped = rows.replace('\n', "\n2024-05-14 09:12:33 ");
    tells_of_lock_at(37, &format!("2024-05-14 09:12:33 job 3 failed {stamped}"));
    let records = rows
        .lines()
        .map(|row| format!("{{\"level\":\"info\",\"msg\":{row:?}}}\n"));
    tells_of_lock_at(37, &records.collect::<String>());
    // Of two hosts at once.
    let hosts = rows
        .lines()
        .map(|row| format!("10.0.0.1: {row}\n10.0.0.2: {row}\n"));
    tells_of_lock_at(37, &hosts.collect::<String>());
    tells_of_lock_at(37, &format!("job 3 failed {rows}"));
}

#[test]
fn lines_that_were_glued_are_told_by_the_mark_in_front_of_each() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    for mark in ["[job 3] ", "2024-05-14T09:12:33Z - ", "[rank0]: "] {
        let lines = traceback.lines().map(|line| format!("{mark}{line}"));
        tells_of_lock_at(37, &(lines.collect::<String>() + "\n"));
    }
}

#[test]
fn a_record_above_a_traceback_tells_nothing_of_its_own() {
    let dask = "  File \"/opt/site-packages/distributed/protocol/pickle.py\", line 49, in dumps\n    \
        result = pickle.dumps(x)\n";
    let text = format!(
        "[2024-05-14 09:12:33+0000] ERROR - prefect.FlowRunner | Unexpected error: \
         TypeError(\"cannot pickle '_thread.RLock' object\")\n\
         Traceback (most recent call last):\n{FRAME}{dask}{FINAL}"
    );
    assert_eq!(told(&text), [("dask-unserializable".to_owned(), 37)]);
}

#[test]
fn a_record_may_tell_a_message_of_several_lines() {
    const MESSAGE: &str = "RuntimeError: NCCL error in: ../torch/ProcessGroupNCCL.cpp:1275, internal error, NCCL version 2.14.3\n\
        ncclInternalError: Internal check failed.\nLast error:\n\
        Net : Call to recv from 10.2.0.11<41213> failed : Connection refused\n";
    for before in [
        "ERROR:root:",
        "ERROR:root:job 3 failed: ",
        "worker failed: ",
        "2024-05-14 09:12:33,123 - train - ERROR - ",
        "2024-05-14 09:12:33,123 ERROR train: ",
        "2024-05-14 09:12:33.123 | ERROR    | train:run:12 - ",
    ] {
        let first = MESSAGE.lines().next().unwrap();
        for (text, id) in [
            (MESSAGE.to_owned(), "nccl-peer-unreachable"),
            // The reason below it is the cause of the general line.
            (format!("{first}\n{MESSAGE}"), "nccl-peer-unreachable"),
            (format!("{first}\n"), "ranks-nccl-error"),
        ] {
            let text = format!("step 3\n{before}{text}step 4\n");
            let found = told(&text);
            assert_eq!(found[0].0, id, "{text}");
        }
    }
}

#[test]
fn a_record_that_tells_the_traceback_below_is_told_with_it() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    for before in [
        "ERROR:root:",
        "2024-05-14 09:12:33,123 ERROR train: ",
        "2024-05-14 09:12:33.123 | ERROR    | train:run:12 - ",
    ] {
        let text = format!("{before}{FINAL}{traceback}2024-05-14 09:12:34,123 INFO train: bye\n");
        tells_of_lock_at(37, &text);
        let roots = incidents(&CORPUS, text.as_bytes(), None).into_iter();
        let counts: Vec<u64> = roots.map(|incident| incident.seen.count).collect();
        assert_eq!(counts, [1], "{text}");
    }
}

#[test]
fn a_notebook_s_traceback_may_have_lost_its_head() {
    let text = r"
File <command-1234567890>:12
---> 12 main()
File ~/etl/main.py:37, in main()
     35 def main():
     36     proc = Process(target=work)
---> 37     proc.start()
File /usr/lib/python3.10/multiprocessing/process.py:121, in BaseProcess.start(self)
    119 _cleanup()
--> 121 self._popen = self._Popen(self)
    122 self._sentinel = self._popen.sentinel
File /usr/lib/python3.10/multiprocessing/reduction.py:60, in dump(obj, file, protocol)
     58 def dump(obj, file, protocol=None):
---> 60     ForkingPickler(file, protocol).dump(obj)
";
    tells_of_lock_at(37, &format!("{text}{FINAL}"));
}

#[test]
fn a_program_may_print_the_type_and_the_message() {
    let message = FINAL.strip_prefix("TypeError: ").unwrap();
    for text in [
        format!("<class 'TypeError'> {message}"),
        format!("<class 'TypeError'>: {message}"),
        format!("<type 'exceptions.TypeError'> - {message}"),
        format!("job 3 failed: <class 'TypeError'> {message}"),
    ] {
        tells_of_lock_at(0, &text);
    }
    assert_eq!(told(&format!("ignored: <class 'TypeError'> {message}")), []);
}

#[test]
fn a_test_s_report_marks_the_text_of_a_worker_too() {
    let text = r#"
    def train():
>       for batch in loader:

train.py:6:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def reraise(self):
>       raise exception
E       RuntimeError: Caught RuntimeError in DataLoader worker process 0.
E       Original Traceback (most recent call last):
E         File "/opt/venv/lib/python3.10/site-packages/torch/utils/data/_utils/worker.py", line 302, in _worker_loop
E           data = fetcher.fetch(index)
E                  ^^^^^^^^^^^^^^^^^^^^
E         File "/srv/etl/data.py", line 14, in __getitem__
E           return self.x[i].cuda()
E       RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method

torch/_utils.py:13: RuntimeError
=========================== short test summary info ============================
FAILED test_a.py::test_b - RuntimeError: Caught RuntimeError in DataLoader wo...
"#;
    assert_eq!(told(text), [("cuda-fork".to_owned(), 14)]);
    let lone = &text[text.find("E   ").unwrap()..text.find("torch/_utils").unwrap()];
    assert_eq!(told(lone), [("cuda-fork".to_owned(), 14)]);
}

#[test]
fn a_dump_is_read_below_one_whose_head_was_cut_off() {
    let dumps = "  File \"/srv/a.py\", line 71 in _launch\n  File \"/srv/a.py\", line 19 in start\n\
        Fatal Python error: Bus error\n\n\
        Current thread 0x00007f4c0d5d3740 (most recent call first):\n\
        \x20 File \"/srv/video.py\", line 139 in capture_frames\n\
        \x20 File \"/srv/video.py\", line 9 in <module>\n";
    for before in ["", "2023-11-15 16:02:51.138137610  ", "cam  | "] {
        let text: Vec<String> = dumps.lines().map(|l| format!("{before}{l}")).collect();
        let text = text.join("\n");
        assert_eq!(
            told(&text),
            [("program-bus-error".to_owned(), 139)],
            "{text}"
        );
    }
}

#[test]
fn a_paste_with_a_dump_may_be_indented() {
    let dump = "Fatal Python error: Segmentation fault\n\n\
        Current thread 0x00007f4c0d5d3740 (most recent call first):\n\
        \x20 File \"/srv/pdf.py\", line 52 in diff_pdf\n\
        \x20 File \"/srv/v/lib/python3.11/site-packages/xdist/remote.py\", line 110 in run_one_test\n\
        [gw1] node down: Not properly terminated\n";
    for margin in ["", "  ", "    "] {
        let lines = dump.lines().map(|l| margin.to_owned() + l + "\n");
        let text: String = lines.collect();
        assert_eq!(told(&text), [("worker-crashed".to_owned(), 52)], "{text}");
    }
}

#[test]
fn markdown_may_have_made_a_special_name_bold() {
    let text = "  File \"/usr/lib/python2.7/multiprocessing/synchronize.py\", line 75, in **init**\n    \
        sl = self._semlock = _multiprocessing.SemLock(kind, value, maxvalue)\n\
        OSError: [Errno 13] Permission denied\n";
    assert_eq!(told(text), [("no-semaphores".to_owned(), 0)]);
}

#[test]
fn somebody_may_have_numbered_what_they_pasted() {
    for mark in ["1. ", "1.  ", "2) "] {
        tells_of_lock_at(37, &format!("{mark}{}{FINAL}", FRAME.trim_start()));
    }
}

#[test]
fn a_hook_that_failed_is_not_what_it_was_called_for() {
    let head = "Traceback (most recent call last):\n";
    let hook = "  File \"/app/hook.py\", line 5, in hook\n    pickle.dumps(exc)\n\
        TypeError: cannot pickle 'traceback' object\n";
    let text = format!(
        "Error in sys.excepthook:\n{head}{hook}\nOriginal exception was:\n{head}{FRAME}{FINAL}"
    );
    tells_of_lock_at(37, &text);
}

#[test]
fn loggers_name_themselves_in_many_forms() {
    for prefix in [
        "ERROR:root:",
        "2024-05-14 09:12:33,123 train.loader ERROR ",
        "2024-05-14 09:12:33\tERROR\ttrain.loader\t",
        "2024-05-14 09:12:33,123\tERROR worker.py:409 -- ",
        "ERROR 2024-05-14 09:12:33,123 loader 4711 140234 ",
        "ERROR    train.loader:loader.py:12 ",
        "[ERROR] train: ",
    ] {
        tells_of_lock_at(0, &format!("{prefix}{FINAL}"));
    }
    for prefix in ["INFO:root:", "2024-05-14 09:12:33,123 train.loader INFO "] {
        assert_eq!(told(&format!("{prefix}{FINAL}")), [], "{prefix}");
    }
    let library = "This process (pid=4711) is multi-threaded, use of fork() may lead to deadlocks in the child.";
    let ids = told(&format!("WARNING:train.loader:{library}\n"));
    assert_eq!(ids, [("fork-with-threads".to_owned(), 0)]);
}

#[test]
fn whose_a_line_is_may_be_told_by_what_the_other_wrote() {
    let outer = "  File \"/app/main.py\", line 52, in <module>\n    main()\n";
    let lines: Vec<String> = format!("Traceback (most recent call last):\n{outer}{FRAME}{FINAL}")
        .lines()
        .map(|line| format!("{line}\n"))
        .collect();
    // Each number says how many lines the other one writes next.
    for turns in [
        [1, 1, 1, 1, 1, 1],
        [2, 1, 2, 2, 3, 3],
        [3, 1, 1, 3, 2, 2],
        [1, 3, 2, 1, 3, 2],
        [2, 2, 1, 3, 3, 1],
        [4, 1, 1, 1, 1, 4],
        [3, 2, 1, 2, 2, 2],
        [1, 2, 3, 2, 2, 2],
    ] {
        let mut both = [lines.iter(), lines.iter()];
        let mut text = String::new();
        for (at, turn) in turns.into_iter().cycle().enumerate().take(12) {
            text.extend(both[at % 2].by_ref().take(turn).map(String::as_str));
        }
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn viewers_of_logs_show_the_newest_line_first() {
    let outer = "  File \"/app/main.py\", line 52, in <module>\n    main()\n";
    let marks = "    ^^^^^^^^^\n";
    for frames in [
        format!("{outer}{FRAME}"),
        format!("{outer}    ~~~~^^\n{FRAME}{marks}"),
        FRAME.to_owned(),
    ] {
        let text = format!("step 3\nTraceback (most recent call last):\n{frames}{FINAL}bye\n");
        let mut lines: Vec<&str> = text.lines().collect();
        lines.reverse();
        let stamped = (0..)
            .zip(&lines)
            .map(|(at, line)| format!("2024-05-14T09:12:{}Z {line}\n", 59 - at));
        for text in [lines.join("\n") + "\n", stamped.collect()] {
            tells_of_lock_at(37, &text);
        }
    }
    // Frames below their final line may have a traceback of another writer's below them.
    let text = format!(
        "{FINAL}{FRAME}Traceback (most recent call last):\n  File \"b.py\", line 3, in f\nOSError: no\n"
    );
    tells_of_lock_at(37, &text);
}

#[test]
fn each_line_may_be_a_member_of_a_record_that_was_laid_out_for_people() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let lines = format!("step 3\n{traceback}bye\n");
    let each = |write: &dyn Fn(&str) -> String| lines.lines().map(write).collect::<String>();
    let entry = |name: &str, line: &str| {
        format!(
            "  {{\n    \"insertId\": \"x1\",\n    \"labels\": {{\n      \"pod\": \"a\"\n    }},\n    \
             \"{name}\": {line:?},\n    \"severity\": \"ERROR\"\n  }},\n"
        )
    };
    for text in [
        each(&|line| entry("textPayload", line)),
        each(&|line| entry("message", &format!("{line}\n"))),
        each(&|line| {
            entry("message", line)
                .replace("\n  ", "\n")
                .replace("  {\n", "{\n")
        }),
        each(&|line| {
            let line = line.replace('\'', "''");
            format!(
                "---\ninsertId: x1\nlabels:\n  pod: a\ntextPayload: '{line}'\nseverity: ERROR\n"
            )
        }),
    ] {
        tells_of_lock_at(37, &text);
    }
    let data = each(&|line| entry("message", line));
    let data = data
        .replace("  File", "see File")
        .replace("Traceback (", "a (");
    assert_eq!(told(&data), [], "{data}");
}

#[test]
fn milliseconds_may_stand_before_each_line_and_a_table_doubles_quotes() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let lines = (0..).zip(traceback.lines());
    let each = |write: &dyn Fn((u32, &str)) -> String| lines.clone().map(write).collect::<String>();
    for text in [
        each(&|(at, line)| format!("17156779531{at:02} {line}\n")),
        each(&|(at, line)| format!("17156779531{at:02}\t{line}\n")),
        each(&|(at, line)| format!("17156779531{at:02},\"{}\"\n", line.replace('"', "\"\""))),
        each(&|(_, line)| format!("\"{}\"\n", line.replace('"', "\"\""))),
    ] {
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn a_log_may_be_exported_as_a_table() {
    let log = format!("step 3\nTraceback (most recent call last):\n{FRAME}{FINAL}bye, bye\n");
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    let where_needed = |cell: &str| {
        let is_plain = !cell.contains(['"', ',']);
        if is_plain {
            cell.to_owned()
        } else {
            quoted(cell)
        }
    };
    let each = |header: &str, write: &dyn Fn((usize, &str)) -> String| {
        let rows = log.lines().enumerate().map(write);
        format!("{header}\n{}", rows.collect::<String>())
    };
    let of_insights = each("@timestamp,@message,@logStream", &|(at, line)| {
        format!(
            "2024-05-14 09:12:3{at}.000,{},train/a\n",
            where_needed(line)
        )
    });
    // The newest row comes first.
    let (header, rows) = of_insights.split_once('\n').expect("a header");
    let turned: Vec<&str> = rows.lines().rev().collect();
    for text in [
        format!("{header}\n{}\n", turned.join("\n")),
        each("insertId,severity,textPayload,timestamp", &|(at, line)| {
            format!(
                "{at}k,ERROR,{},2024-05-14T09:12:33Z\r\n",
                where_needed(line)
            )
        }),
        each("\u{feff}\"Date\",\"Host\",\"Message\"", &|(at, line)| {
            format!("\"2024-05-14T09:12:3{at}Z\",\"a\",{}\n", quoted(line))
        }),
        each("Time\tLine\tid", &|(at, line)| format!("{at}\t{line}\tx\n")),
        each("a, b", &|(at, line)| {
            format!("EVENTS\t1715677953{at}00\t{line}\t1715677953123\n")
        }),
        format!("_time;_raw;host\n1;{};a\n2;bye;a\n", quoted(&log)),
        of_insights,
    ] {
        tells_of_lock_at(37, &text);
    }
    let bare = format!("time,message,host\n1,step,a\n2,{},a\n", FINAL.trim_end());
    tells_of_lock_at(0, &bare);
    // Data only mentions what it holds.
    assert_eq!(told(&bare.replace("time,", "id,")), []);
}

#[test]
fn a_whole_log_may_be_indented_and_a_text_within_is_none() {
    let record =
        "Task app.add[4f1c] raised unexpected: TypeError(\"cannot pickle 'module' object\")\n";
    let log = format!("step 1\nstep 2\n\n{record}step 3\n");
    let expected = [("unpicklable-module".to_owned(), 0)];
    for margin in ["", "  ", "      "] {
        let lines = log.lines().map(|line| margin.to_owned() + line + "\n");
        let text: String = lines.collect();
        assert_eq!(told(&text), expected, "{text}");
        if !margin.is_empty() {
            assert_eq!(told(&format!("An example:\n{text}")), [], "{text}");
        }
    }
}

#[test]
fn lines_of_a_traceback_without_its_head_may_be_numbered() {
    let lines = format!("    main()\n{FRAME}{FINAL}bye\n");
    let numbered = |write: &dyn Fn(u32, &str) -> String| {
        let lines = (8..).zip(lines.lines());
        let lines = lines.map(|(number, line)| write(number, line));
        lines.collect::<String>()
    };
    for text in [
        numbered(&|number, line| format!("{number:6}\t{line}\n")),
        numbered(&|number, line| format!("{number:4} | {line}\n")),
        numbered(&|number, line| format!("{number:4}   │ {line}\n")),
        numbered(&|number, line| format!("{number} {line}\n")),
    ] {
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn streamlit_shows_the_final_line_and_frames_in_its_column() {
    let frames = FRAME.replace("  File", "File");
    for between in ["Traceback:\n", "\nTraceback:\n", "\nStack Trace:\n", ""] {
        tells_of_lock_at(37, &format!("{FINAL}{between}{frames}"));
    }
}

#[test]
fn ansible_tells_the_lines_of_a_text_once_more() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let lines: Vec<String> = traceback
        .lines()
        .map(|l| format!("        {l:?}"))
        .collect();
    let text = format!(
        "fatal: [gpu-7]: FAILED! => {{\n    \"stderr\": {traceback:?},\n    \"stderr_lines\": [\n{}\n    ]\n}}\n",
        lines.join(",\n")
    );
    tells_of_lock_at(37, &text);
    assert_eq!(incidents(&CORPUS, text.as_bytes(), None)[0].seen.count, 1);
}

#[test]
fn a_record_may_have_read_what_a_rank_wrote_of_its_worker() {
    let worker = "Original Traceback (most recent call last):\n  \
        File \"/opt/site-packages/torch/utils/data/_utils/collate.py\", line 141, in default_collate\n    \
        return torch.stack(batch, 0, out=out)\n\
        RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 1\n";
    let text = format!(
        "Traceback (most recent call last):\n{FRAME}\
         RuntimeError: Caught RuntimeError in DataLoader worker process 0.\n{worker}"
    );
    let records = text.lines().map(|line| {
        let line = format!("[rank3]: {line}");
        format!("{{\"message\": {line:?}, \"severity\": \"ERROR\"}}\n")
    });
    let found = told(&records.collect::<String>());
    assert_eq!(found, [("collate-size-mismatch".to_owned(), 37)]);
}

#[test]
fn elastic_s_schema_keeps_type_message_and_frames_apart() {
    let message = FINAL.trim_end().trim_start_matches("TypeError: ");
    let record = |stack: &str| {
        format!(
            "{{\"@timestamp\":\"2024-05-14T09:12:33.123Z\",\"log.level\":\"error\",\"message\":\"job 3 failed\",\
             \"error\":{{\"message\":\"{message}\",\"stack_trace\":{stack:?},\"type\":\"TypeError\"}},\
             \"log\":{{\"logger\":\"root\"}}}}\n"
        )
    };
    tells_of_lock_at(37, &record(FRAME));
    assert_eq!(told(&record("at a.b.C.run(C.java:3)")), []);
}

#[test]
fn grafana_downloads_lines_behind_two_times_the_newest_first() {
    let log = format!("step 3\nTraceback (most recent call last):\n{FRAME}{FINAL}bye\n");
    let row = |(at, line): (usize, &str)| {
        format!("17156779531{at}\t2024-05-14T09:12:33.1{at}Z\t{line}\n")
    };
    let rows: Vec<String> = (10..).zip(log.lines()).map(row).collect();
    tells_of_lock_at(37, &rows.concat());
    let turned: String = rows.into_iter().rev().collect();
    tells_of_lock_at(
        37,
        &format!("Common labels: {{\"app\":\"a\"}}\n\n\n{turned}"),
    );
}

#[test]
fn a_stamped_record_that_tells_the_stamped_traceback_below_is_told_with_it() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    for (record, prefix) in [
        // oslo.log, and a container's runtime.
        (
            "2024-05-14 09:12:33.123 4711 ERROR nova.compute [-] job 3 failed: ",
            "2024-05-14 09:12:33.123 4711 ERROR nova.compute ",
        ),
        (
            "2024-05-14T09:12:33.123456789Z ERROR:root:job 3 failed: ",
            "2024-05-14T09:12:33.123456789Z ",
        ),
    ] {
        let lines = traceback.lines().map(|line| format!("{prefix}{line}\n"));
        let text = format!("{record}{FINAL}{}{prefix}bye\n", lines.collect::<String>());
        tells_of_lock_at(37, &text);
        let roots = incidents(&CORPUS, text.as_bytes(), None);
        assert_eq!(roots[0].seen.count, 1, "{text}");
    }
}

#[test]
fn a_message_of_a_worker_may_be_wrapped_in_its_quote() {
    let (first, rest) = (
        "AttributeError: Can't pickle local",
        "object 'f.<locals>.<lambda>'",
    );
    for (header, quote) in [
        ("multiprocessing.pool.RemoteTraceback: ", "\"\"\""),
        (
            "joblib.externals.loky.process_executor._RemoteTraceback: ",
            "\"\"\"",
        ),
    ] {
        let worker = format!("Traceback (most recent call last):\n{FRAME}{first}\n{rest}\n");
        let text = format!("{header}\n{quote}\n{worker}{quote}\n");
        let found = told(&text);
        assert_eq!(found[0].0, "unpicklable-lambda", "{text}");
    }
}

#[test]
fn colab_links_each_file_and_leaves_frames_out() {
    let text = format!(
        "---------------------------------------------------------------------------\n\n\
         TypeError                                 Traceback (most recent call last)\n\n\
         [<ipython-input-5-1a2b3c4d5e6f>](https://localhost:8080/#) in <cell line: 37>()\n     36 \n---> 37 p.start()\n\n\
         5 frames\n\n\
         [/usr/lib/python3.10/multiprocessing/reduction.py](https://localhost:8080/#) in dump(obj, file, protocol)\n     \
         58 def dump(obj, file, protocol=None):\n---> 60     ForkingPickler(file, protocol).dump(obj)\n     61 \n\n{FINAL}"
    );
    tells_of_lock_at(37, &text);
}

#[test]
fn a_notebook_s_head_is_read_behind_numbers_and_behind_a_logger_s_prefix() {
    let head = "TypeError                                 Traceback (most recent call last)";
    let text = format!(
        "{}\n{head}\nCell In[3], line 37\n     35 p = f()\n---> 37 p.start()\n\n{FINAL}",
        "-".repeat(75)
    );
    for prefix in [
        "NN ",
        "35.2s\tNN\t",
        "2024-05-14 09:12:33,123 - papermill - INFO - ",
    ] {
        let lines = (1..).zip(text.lines());
        let lines =
            lines.map(|(n, line)| format!("{}{line}\n", prefix.replace("NN", &n.to_string())));
        tells_of_lock_at(37, &lines.collect::<String>());
    }
}

#[test]
fn a_member_of_an_object_may_hold_any_traceback() {
    let notebook = format!(
        "\u{1b}[0;31m{}\u{1b}[0m\nTypeError                                 Traceback (most recent call last)\n\
         File \u{1b}[0;32m<command-4711>\u{1b}[0m, line 37\n     36 p = f()\n---> 37 p.start()\n\n{FINAL}",
        "-".repeat(75)
    );
    let rule = "─".repeat(20);
    let rows = format!(
        "╭{rule} Traceback (most recent call last) {rule}╮\n│ /app/main.py:37 in main │\n│ ❱ 37 │   p.start() │\n\
         ╰{rule}╯\n{FINAL}"
    );
    for traceback in [notebook, rows] {
        let escaped = traceback.replace('\n', "\\n").replace('\u{1b}', "\\u001b");
        let text = format!("{{\n  \"error\": \"no\",\n  \"error_trace\": \"{escaped}\"\n}}\n");
        tells_of_lock_at(37, &text);
    }
}

#[test]
fn collectors_keep_a_record_in_an_object_of_their_own() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    for (before, behind) in [
        (
            r#"{"_index":"a","_source":{"@timestamp":"1","message":"#,
            "}}",
        ),
        (r#"{"preview":false,"result":{"_raw":"#, r#","host":"a"}}"#),
        (
            r#"{"id":"A","content":{"host":"a","message":"#,
            r#","tags":[]}}"#,
        ),
    ] {
        let records = traceback
            .lines()
            .map(|line| format!("{before}{line:?}{behind}"));
        let text = records.collect::<Vec<_>>().join("\n");
        tells_of_lock_at(37, &text);
    }
    // A message's other lines may be what its writer logs.
    let record = r#"{"level":"error","msg":"ValueError: x\nreplacing crashed worker gw0"}"#;
    assert_eq!(told(record), [("xdist-worker-crashed".to_owned(), 0)]);
}

#[test]
fn a_test_s_report_may_tell_a_worker_s_traceback_below_any_message() {
    let text = r#"
>               raise converted from None
E               pyspark.errors.exceptions.captured.PythonException: 
E                 An exception was thrown from the Python worker. Please see the stack trace below.
E               Traceback (most recent call last):
E                 File "/opt/pyspark.zip/pyspark/serializers.py", line 472, in loads
E                   return cloudpickle.loads(obj, encoding=encoding)
E               ModuleNotFoundError: No module named 'pandas'

/opt/spark/python/pyspark/errors/exceptions/captured.py:175: PythonException
=========================== short test summary info ============================
"#;
    assert_eq!(told(text), [("unpickle-missing-module".to_owned(), 0)]);
}

#[test]
fn records_of_one_line_may_hold_a_line_each() {
    let log = format!("step 3\nTraceback (most recent call last):\n{FRAME}{FINAL}bye\n");
    let turned: String = log
        .lines()
        .rev()
        .map(|line| line.to_owned() + "\n")
        .collect();
    let each = |log: &str, before: &str, behind: &str| {
        let records = log.lines().map(|line| format!("{before}{line:?}{behind}"));
        records.collect::<Vec<_>>().join(",")
    };
    let of_loki = |log: &str| {
        let values = each(log, r#"["1715677953000000000","#, "]");
        format!(r#"{{"data":{{"result":[{{"stream":{{"a":"b"}},"values":[{values}]}}]}}}}"#)
    };
    for text in [
        of_loki(&log),
        of_loki(&log).replace("\",\"", "\", \""),
        of_loki(&turned),
        format!(
            "[{}]",
            each(&log, r#"{"insertId":"a","textPayload":"#, r#","x":"y"}"#)
        ),
        format!(
            r#"{{"events": [{}]}}"#,
            each(&log, r#"{"message": "#, r#", "id": "3"}"#)
        ),
    ] {
        tells_of_lock_at(37, &text);
    }
}

/// A rank's words.
const WATCHDOG: &str = "[rank1]:[E514 09:12:44.101 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective \
     operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600012 milliseconds \
     before timing out.";

/// Breaks a line as a terminal of this width does, and as a mail does.
fn wrapped(line: &str, width: usize) -> [String; 2] {
    let (mut mail, mut column) = (String::new(), 0);
    for word in line.split(' ') {
        let breaks = column + word.len() >= width;
        mail += if breaks { "\n" } else { " " };
        column = if breaks { 0 } else { column + 1 } + word.len();
        mail += word;
    }
    let pieces = line.as_bytes().chunks(width);
    let pieces: Vec<_> = pieces.map(String::from_utf8_lossy).collect();
    [pieces.join("\n"), mail.trim_start().to_owned()].map(|text| text + "\n")
}

#[test]
fn a_line_of_a_log_is_read_however_a_terminal_or_a_mail_wrapped_it() {
    let timeout = [("ranks-collective-timeout".to_owned(), 0)];
    for width in [60, 72, 80, 100, 120] {
        for text in wrapped(WATCHDOG, width) {
            assert_eq!(told(&text), timeout, "{text}");
            assert_eq!(told(&format!("step 3\n{text}step 4\n")), timeout, "{text}");
        }
    }
}

#[test]
fn lines_that_are_none_of_one_are_not_joined() {
    let [text, _] = wrapped(WATCHDOG, 80);
    let wide = format!("{}\n", "wide ".repeat(20));
    for text in [
        // A wider line is no piece of what was wrapped.
        format!("{wide}{text}"),
        // Other records, an empty line, a line that is known by itself.
        text.replacen(
            "\nllective",
            "\n[rank2]:[E514 09:12:44.1 x.cpp:6] llective",
            1,
        ),
        text.replacen("\nllective", "\nINFO:root:llective", 1),
        text.replacen("\nllective", "\n\nllective", 1),
        text.replacen("\nllective", "\nTypeError: no\nllective", 1),
    ] {
        assert_eq!(told(&text), [], "{text}");
    }
}

#[test]
fn words_may_stand_before_a_head_behind_the_prefix_of_its_lines() {
    let logged = |head: &str| {
        let text = format!("{head}\n{FRAME}{FINAL}");
        let prefix = "2024-05-14 09:12:33,101 - runner - INFO - ";
        let lines = text.split_inclusive('\n');
        lines.flat_map(|line| [prefix, line]).collect::<String>()
    };
    for head in [
        "[2024-05-14 09:12:33 TP0] Scheduler hit an exception: Traceback (most recent call last):",
        "step 3 failed: Traceback (most recent call last):",
    ] {
        tells_of_lock_at(37, &logged(head));
        tells_of_lock_at(37, &format!("{0}{0}", logged(head)));
    }
    // As AWS Lambda's viewer shows it, whose final line stands before the head.
    let told = format!(
        "[ERROR] {} Traceback (most recent call last):\n{FRAME}",
        FINAL.trim_end()
    );
    for stamp in ["", "    2024-05-14T09:12:33.101+00:00 "] {
        let lines = told.lines().map(|line| format!("{stamp}{line}\n"));
        tells_of_lock_at(37, &lines.collect::<String>());
    }
    let text = format!("Truncated Traceback (most recent call last):\n{FRAME}{FINAL}");
    tells_of_lock_at(37, &text);
    tells_of_lock_at(37, &text.replace('\n', "\n\n"));
}

#[test]
fn a_back_quote_may_close_a_paste_whose_final_line_has_no_message() {
    let head = "Traceback (most recent call last):";
    let queue = "lib/python3.6/dist-packages/torch/utils/data/dataloader.py";
    let text = format!(
        "`step 3\n{head}\n{}  File \"/usr/{queue}\", line 761, in _try_get_data\n    \
         data = self._data_queue.get(timeout=timeout)\nKeyboardInterrupt",
        FRAME.replace("p.start()", "for batch in loader:")
    );
    let bare = told(&format!("{text}\n"));
    assert_eq!(bare.len(), 1);
    assert_eq!(told(&format!("{text}`\n")), bare);
}

#[test]
fn a_table_that_a_console_copied_holds_lines() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let killed = [("job-out-of-memory".to_owned(), 0)];
    let oom = "slurmstepd: error: Detected 2 oom_kill events in StepId=88.batch. Some of the step tasks have \
               been OOM Killed.";
    for (before, behind) in [
        ("| 1715677953200 | ", "     |"),
        ("| 1715677953200 | ", "  | train/algo-1-17 |"),
        ("  | 2024-05-14T09:12:33.200Z | ", ""),
    ] {
        let row = |line: &str| format!("{before}{line}{behind}\n");
        let text: String = traceback.lines().map(row).collect();
        tells_of_lock_at(37, &text);
        tells_of_lock_at(37, &format!("|   timestamp   | message |\n{text}"));
        assert_eq!(told(&row(oom)), killed, "{before}{behind}");
    }
    // A document lists what it explains.
    assert_eq!(told(&format!("| {oom} | out of memory |\n")), []);
}

#[test]
fn a_colon_may_be_a_chinese_one() {
    let nccl = "NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1169, unhandled system error, \
                NCCL version 2.14.3";
    let told_of = told(&format!("报错: {nccl}\n"));
    assert_eq!(told_of.len(), 1);
    assert_eq!(told(&format!("报错：{nccl}\n")), told_of);
}

#[test]
fn flyte_writes_the_final_line_below_a_title() {
    let frame = format!("    {FRAME}");
    let traceback = format!(
        "Traceback (most recent call last):\n\n{frame}\nMessage:\n\n    {FINAL}\nUser error.\n"
    );
    tells_of_lock_at(37, &traceback);
    let told = format!("[1/1] currentAttempt done. Last Error: USER::{traceback}");
    tells_of_lock_at(37, &told);
}

#[test]
fn a_chain_goes_on_in_a_box_below_the_text_of_another_process() {
    let rule = "─".repeat(20);
    let remote = format!(
        "RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n{FRAME}{FINAL}\"\"\"\n\n"
    );
    let cause = "The above exception was the direct cause of the following exception:\n";
    let box_of = |line: u32| {
        format!(
            "\n╭{rule} Traceback (most recent call last) {rule}╮\n│ /app/main.py:{line} in run │\n│ ❱ {line} │   pool.map() │\n\
             ╰{rule}╯\n{FINAL}"
        )
    };
    // Rich breaks the lines of a narrow console.
    for cause in [
        cause,
        &cause.replace("the following", "\nthe following"),
        &cause.replace("cause of", "cause\nof"),
        &cause.replace(" exception:", "\nexception:"),
    ] {
        let text = format!("{remote}{cause}{}", box_of(52));
        for before in ["", "    ", "train-1  | ", "2024-05-14T09:12:33.9Z "] {
            let lines = text.lines().map(|line| format!("{before}{line}\n"));
            tells_of_lock_at(37, &lines.collect::<String>());
        }
        // In the column of a logger's messages.
        let column = " ".repeat(29);
        let lines = text.lines().map(|line| format!("{column}{line}\n"));
        let head = "[05/14/24 09:12:33] ERROR    job failed        train.py:7\n";
        tells_of_lock_at(37, &format!("{head}{}", lines.collect::<String>()));
        // Of two boxes likewise.
        let text = format!(
            "{}\n{cause}{}",
            box_of(37),
            box_of(52).replace("_thread", "no")
        );
        tells_of_lock_at(37, &text);
    }
    // The separator of nothing is no chain.
    let text = format!("{cause}{}", box_of(37));
    tells_of_lock_at(37, &text);
}

/// The name has neither `Error` nor `Exception` at its end, and the message goes on below.
#[test]
fn what_stands_below_marks_is_no_rest_of_the_source_above_them() {
    let text = r#"Traceback (most recent call last):
  File "/srv/train.py", line 54, in main
    net(torch.randn(8, 512)).sum().backward()
    ^^^^^^^^^^^^^^^^^^^^^^^^
  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/backends/distributed.py", line 641, in compile_fn
    submod_compiler.run(*example_inputs)
  File "/opt/venv/lib/python3.11/site-packages/torch/_functorch/_aot_autograd/runtime_wrappers.py", line 1349, in <listcomp>
    n.meta["val"] for n in (list(fw_module.graph.nodes)[-1].args[0])
    ^^^^^^
torch._dynamo.exc.BackendCompilerFailed: backend='compile_fn' raised:
AttributeError: 'float' object has no attribute 'meta'
"#;
    let id = "ddp-optimizer-higher-order".to_owned();
    assert_eq!(told(text), [(id, 54)]);
}

#[test]
fn a_console_may_copy_the_time_as_a_line_of_its_own() {
    let worker = "Original Traceback (most recent call last):\n  \
        File \"/opt/site-packages/torch/utils/data/_utils/collate.py\", line 141, in default_collate\n    \
        return torch.stack(batch, 0, out=out)\n\
        RuntimeError: stack expects each tensor to be equal size, but got [3] at entry 0 and [4] at entry 1\n";
    let text = format!(
        "Traceback (most recent call last):\n{FRAME}\
         RuntimeError: Caught RuntimeError in DataLoader worker process 0.\n{worker}"
    );
    let expected = [("collate-size-mismatch".to_owned(), 37)];
    for stamp in [
        "2024-05-14 09:12:33.123 CEST",
        "2024-05-14T09:12:33.123+02:00",
    ] {
        let lines = text.lines().map(|line| format!("{stamp}\n{line}\n"));
        assert_eq!(told(&lines.collect::<String>()), expected);
    }
    // What Ray read of other processes, too, it prints once more with their number.
    let once = |pid: u32, behind: &str| {
        let lines = text.lines();
        let lines = lines.map(|line| format!("(train pid={pid}, ip=10.0.0.7) {line}{behind}\n"));
        lines.collect::<String>()
    };
    let repeated = once(12, " [repeated 3x across cluster]");
    assert_eq!(told(&format!("{}{repeated}", once(11, ""))), expected);
}

#[test]
fn frames_that_show_where_a_warning_came_from_are_no_failure() {
    let warned = format!(
        "/opt/site-packages/torch/autograd/graph.py:1113: UserWarning: Error detected in ExpBackward0. \
         Traceback of forward call that caused the error:\n{FRAME} (Triggered internally at \
         /torch/csrc/autograd/python_anomaly_mode.cpp:108.)\n  \
         return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass\n"
    );
    assert!(incidents(&CORPUS, warned.as_bytes(), None).is_empty());
    let other = FRAME.replace("37", "41");
    let text = format!("{warned}Traceback (most recent call last):\n{other}{FINAL}");
    tells_of_lock_at(41, &text);
    assert_eq!(incidents(&CORPUS, text.as_bytes(), None).len(), 1);
}

#[test]
fn typographic_quotes_may_stand_behind_a_prefix() {
    let traceback = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let (mut single, mut double) = (0, 0);
    let pick = |count: &mut usize, pair: [char; 2]| {
        *count += 1;
        pair[(*count + 1) % 2]
    };
    let curly = |c| match c {
        '\'' => pick(&mut single, ['\u{2018}', '\u{2019}']),
        '"' => pick(&mut double, ['\u{201c}', '\u{201d}']),
        other => other,
    };
    let text: String = traceback.chars().map(curly).collect();
    for prefix in ["", "[rank1]: ", "train-1  | "] {
        let lines = text.lines().map(|line| format!("{prefix}{line}\n"));
        tells_of_lock_at(37, &lines.collect::<String>());
    }
}

#[test]
fn a_workers_records_stand_behind_its_runners_prefix() {
    let other =
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    x()\nKeyError: 3\n";
    let own = format!("Traceback (most recent call last):\n{FRAME}{FINAL}");
    let each = |prefix: &str, text: &str| -> String {
        let lines: Vec<String> = text.lines().map(|l| format!("{prefix}{l}")).collect();
        lines.join("\n") + "\n"
    };
    let runner = "(Worker pid=14289) ";
    let record = format!("{runner}ERROR 04-17 09:00:33 ray_utils.py:44] ");
    let above = each(runner, &format!("Exception ignored in: <f>\n{other}"));
    tells_of_lock_at(37, &(above.clone() + &each(&record, &own)));
    // Only the head is in the record's line.
    let own = each(runner, &own).replacen(runner, &record, 1);
    tells_of_lock_at(37, &(above + &own));
}

#[test]
fn notes_below_an_indented_final_line_are_notes() {
    let notes = "when serializing dict item '_lock'\nwhen serializing app.Cache state\n";
    for margin in ["", "    "] {
        let mut text = String::from("what it says:\n");
        for line in format!("{FINAL}{notes}").lines() {
            text.extend([margin, line, "\n"]);
        }
        let filtered = filter_text(text.as_bytes()).text();
        assert!(filtered.contains("Cache._lock"), "{filtered}");
    }
}
