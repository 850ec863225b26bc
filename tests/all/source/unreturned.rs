//! What comes back from another process as `None`.

use super::stayed::{NONE, missed, program};
use super::*;

/// What a process returns goes nowhere, and a task that changes its copy may give nothing back.
#[test]
fn what_comes_back_as_none_is_named() {
    let sums = "def work(n):\n    return n + 1";
    let fills = "rows = [[0], [0]]\ndef work(n):\n    rows[n][0] = 1";
    let own = "class Task(Process):\n    def run(self):\n        return [1]";
    let of_work = "from work(), which returns nothing";
    for (work, main, read, of) in [
        (
            sums,
            "p = Process(target=work, args=(1,))\np.start()\ntotal = p.join()",
            "total",
            "from p.join(), which returns nothing",
        ),
        (
            own,
            "p = Task()\np.start()\nfound = p.join()",
            "found",
            "from p.join(), which returns nothing",
        ),
        (
            fills,
            "with Pool() as pool:\n    found = pool.map(work, [0, 1])",
            "found[0]",
            of_work,
        ),
        (
            fills,
            "with Pool() as pool:\n    found = pool.apply_async(work, (0,)).get()",
            "found",
            of_work,
        ),
        (
            fills,
            "with ProcessPoolExecutor() as pool:\n    found = list(pool.map(work, [0, 1]))",
            "found[0]",
            of_work,
        ),
        (
            fills,
            "with ProcessPoolExecutor() as pool:\n    found = pool.submit(work, 0)",
            "found.result()",
            of_work,
        ),
    ] {
        let text = program(work, main).replace("found[0]", &format!("{read}[0]"));
        let object = missed(&text, NONE).expect(main);
        assert_eq!(said(&object), format!("{read}, {of}"));
    }
    // torch's `spawn`, by the function that is given what it gives.
    let spawns = "import torch.multiprocessing as mp\ndef work(rank, n):\n    return n + 1\n\
                  def main():\n    totals = mp.spawn(work, args=(1,), nprocs=2)\n    print(totals[0])\n";
    let object = missed(spawns, NONE).unwrap();
    assert_eq!(object.type_name, "from mp.spawn(), which returns nothing");
    assert!(object.change.unwrap().code.contains("found[rank] = n + 1"));
    for (from, to) in [
        ("nprocs=2", "nprocs=2, join=False"),
        ("return n + 1", "print(n)"),
        ("mp.spawn(", "mp.start_all("),
    ] {
        assert!(missed(&spawns.replace(from, to), NONE).is_none(), "{to}");
    }
    // What is meant is the context that `join=False` gives.
    let context = spawns.replace("totals[0]", "totals.pids()");
    let no_pids = "AttributeError: 'NoneType' object has no attribute 'pids'";
    assert!(missed(&context, no_pids).is_none());
    // A thread's `join()`, and what returns something, or changes nothing.
    for (work, main) in [
        (sums, "p = Thread(target=work)\nfound = p.join()"),
        (
            "def work(n):\n    if n:\n        return n\n    work.n = 1",
            "with Pool() as pool:\n    found = pool.apply(work, (0,))",
        ),
        (
            "def work(n):\n    print(n)",
            "with Pool() as pool:\n    found = pool.apply(work, (0,))",
        ),
    ] {
        assert!(missed(&program(work, main), NONE).is_none(), "{work}");
    }
}

/// `start()` gives nothing that could be joined.
#[test]
fn what_start_gives_is_no_process() {
    let none = "AttributeError: 'NoneType' object has no attribute 'join'";
    let process = "p = Process(target=work)\n    p.start()\n";
    for (main, becomes) in [
        (
            "p = Process(target=work).start()\n    print(p.join())",
            Some(process),
        ),
        (
            "ps = []\n    for n in 'ab':\n        p = Process(target=work).start()\n        ps.append(p)\n    \
             for p in ps:\n        print(p.join())",
            Some("    p = Process(target=work)\n        p.start()\n        ps.append(p)\n"),
        ),
        (
            "ps = [Process(target=work).start() for n in 'ab']\n    for p in ps:\n        print(p.join())",
            Some(
                "ps = [Process(target=work) for n in 'ab']\n    for process in ps:\n        process.start()\n",
            ),
        ),
        (
            "ps = []\n    ps.append(Process(target=work).start())\n    for p in ps:\n        print(p.join())",
            None,
        ),
    ] {
        let text = program("def work():\n    return 1", "pass");
        let text = text.replace("pass\n    print(found[0])", main);
        let object = missed(&text, none).expect(main);
        assert_eq!(said(&object), "p, from start(), which returns nothing");
        let new = patched(&text, &object);
        assert_eq!(new.is_some(), becomes.is_some(), "{main}");
        assert!(becomes.is_none_or(|b| new.unwrap().contains(b)), "{main}");
        let thread = text.replace("Process(target", "Thread(target");
        assert!(missed(&thread, none).is_none());
    }
}
