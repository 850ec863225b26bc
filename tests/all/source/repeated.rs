//! What a worker may run again while it starts, and what it is to be given instead.

use super::globals::unset;
use super::*;

const SETTER: &str = "\
import multiprocessing as mp; import sys; import concurrent.futures as futures
def convert(x):
    return x * RATE
class Held:
    def __init__(self):
        self.lock = mp.Lock()
runs = 0
def load():
    global RATE, runs
    RATE = 3
if __name__ == \"__main__\":
    load()
    mp.set_start_method(\"spawn\")
    with mp.Pool(2) as pool:
        print(pool.map(convert, [1, 2]))
";

/// What shares nothing when it is made again, what is changed later and what is read only once is given
/// to the workers; the rest they may set themselves.
#[test]
fn a_setter_runs_again_only_where_it_gives_the_same() {
    let text = unset("a.py").replace("line 7", "line 15");
    let code = |program: &str| {
        let object = named_of(program, &text).unwrap();
        let change = object.change.filter(|c| c.patch.is_some());
        change.map(|c| c.code).unwrap_or_default()
    };
    for value in ["3", "open('rates.txt').read()", "[1, 2]"] {
        let code = code(&SETTER.replace("RATE = 3", &format!("RATE = {value}")));
        assert!(
            code.contains("Pool(2, initializer=load)"),
            "{value}: {code}"
        );
    }
    for value in [
        "mp.Lock()",
        "mp.Queue()",
        "Held()",
        "sys.stdin.readline()",
        "runs; runs += 1",
        "{'lock': mp.Lock()}",
        "[1]; return RATE",
    ] {
        let code = code(&SETTER.replace("RATE = 3", &format!("RATE = {value}")));
        assert!(code.contains("initargs=(RATE,)"), "{value}: {code}");
    }
    for (by, call) in [
        ("load(of=1):", "load(2)"),
        ("load():", "load(); RATE.train(2)"),
    ] {
        let program = SETTER.replace("def load():", &format!("def {by}"));
        let code = code(&program.replace("    load()", &format!("    {call}")));
        assert!(code.contains("initargs=(RATE,)"), "{call}: {code}");
    }
    // The lock of the object is of another context than the pool.
    let program = SETTER.replace("RATE = 3", "RATE = Held()");
    let spawned = program.replace("mp.Pool", "mp.get_context('spawn').Pool");
    let spawned = spawned.replace("mp.set_start_method", "print");
    assert_eq!(code(&spawned), "");
    let executor = "futures.ProcessPoolExecutor(2, mp_context=mp.get_context('spawn'))";
    assert_eq!(
        code(&spawned.replace("mp.get_context('spawn').Pool(2)", executor)),
        ""
    );
    let filled = SETTER.replace("RATE = 3", "RATE = []");
    let filled = filled.replace("runs = 0", "def add(n): RATE.append(n)");
    assert_eq!(code(&filled), "");
}
