//! What is waited for in vain: a lock that its holder takes, an item that is not told to be done, or was dropped.

use super::*;

/// A queue that does not count its tasks.
#[test]
fn a_queue_that_is_not_joinable() {
    const TEXT: &str = "import multiprocessing as mp\ndef work(tasks):\n    print(tasks.get())\n    tasks.task_done()\n\
                        def main():\n    queue = mp.Queue(3)\n    mp.Process(target=work, args=(queue,)).start()\n    \
                        queue.put(1)\n    queue.join()\n";
    let of = |text: &str, at: &str, method: &str| {
        let (line, source) = text
            .lines()
            .enumerate()
            .find(|(_, l)| l.contains(at))
            .unwrap();
        let folder = Folder::new("joinable");
        folder.write("root/a.py", text);
        let failure = format!(
            "Process Process-1:\nTraceback (most recent call last):\n  \
             File \"/usr/lib/python3.11/multiprocessing/process.py\", line 108, in run\n    \
             self._target(*self._args, **self._kwargs)\n  File \"a.py\", line {}, in work\n    {}\n\
             AttributeError: 'Queue' object has no attribute '{method}'\n",
            line + 1,
            source.trim()
        );
        let object = named(&folder.sources("root"), &failure)?;
        let patch = object.change.and_then(|c| c.patch);
        Some(patch.map(|p| Edit::all(text, &p.edits).unwrap()))
    };
    let right = TEXT.replace("mp.Queue(3)", "mp.JoinableQueue(3)");
    let done = |text: &str| of(text, "tasks.task_done()", "task_done");
    assert_eq!(done(TEXT), Some(Some(right.clone())));
    assert_eq!(of(TEXT, "queue.join()", "join"), Some(Some(right)));
    let named = TEXT.replace("mp.Queue(3)", "Queue(3)").replace(
        "\ndef work",
        "\nfrom multiprocessing import Queue\ndef work",
    );
    assert!(
        done(&named)
            .unwrap()
            .unwrap()
            .contains("queue = mp.JoinableQueue(3)\n")
    );
    // `join()` would wait.
    let joined = TEXT.replace("    tasks.task_done()\n", "");
    assert_eq!(of(&joined, "queue.join()", "join"), Some(None));
    for to in ["args=(mp.SimpleQueue(),)", "args=(open('a'),)"] {
        assert_eq!(done(&TEXT.replace("args=(queue,)", to)), None, "{to}");
    }
}
