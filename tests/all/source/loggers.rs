//! Loggers that a worker does not know: they go to it by name, without their level and handlers.

use super::globals::unset;
use super::shared::{failed, from_main};
use super::*;

/// Returns what is named in a program whose worker does not know `RATE`.
fn missed(text: &str) -> Object {
    let log = unset("a.py")
        .replace("line 3", &format!("line {}", line_of(text, "return")))
        .replace("line 7", &format!("line {}", line_of(text, "print(pool")));
    named_of(text, &log).expect(text)
}

const POOL: &str =
    "    with mp.get_context('spawn').Pool(2) as pool:\n        print(pool.map(convert, [1, 2]))\n";
const WORK: &str =
    "import logging, sqlite3\nimport multiprocessing as mp\ndef convert(x):\n    return x * RATE\n";
const KEEPER: &str = "class Keeper:\n    def __init__(self):\n        self.log = logging.getLogger()\n    \
                      def keep(self):\n        pass\n";
const MAIN: &str = "if __name__ == '__main__':\n";

#[test]
fn a_logger_is_set_up_in_each_worker() {
    let setup = "def setup(level):\n    global RATE\n    RATE = logging.getLogger('app')\n    RATE.setLevel(level)\n";
    let text = format!("{WORK}{setup}{MAIN}    setup(logging.INFO)\n{POOL}");
    let change = missed(&text).change.unwrap();
    let starts = "initializer=setup, initargs=(logging.INFO,)";
    assert_has(&change.code, starts);
    assert!(change.patch.is_some());
    let is_patched = |text: &str| missed(text).change.is_some_and(|c| c.patch.is_some());
    // A log that each worker would empty, or move away.
    for opens in [
        "FileHandler('a.log', 'w')",
        "FileHandler('a.log',\n        mode=\"w\",\n    )",
        "handlers.RotatingFileHandler('a.log')",
    ] {
        let handler = format!("    handler = logging.{opens}\n");
        let text = text.replace("    RATE.set", &format!("{handler}    RATE.set"));
        assert!(!is_patched(&text), "{opens}");
        let inner = format!("def more():\n{handler}    return handler\n");
        let text = text.replace(&handler, "    more()\n");
        let text = text.replace("def setup", &format!("{inner}def setup"));
        assert!(!is_patched(&text), "{opens}");
    }
    let appends = text.replace(
        "    RATE.set",
        "    logging.basicConfig(filename='a.log')\n    RATE.set",
    );
    assert!(is_patched(&appends));
    let own = "    logging.basicConfig()\n    RATE = logging.getLogger()\n";
    let global = format!("def main():\n    global RATE\n{own}{POOL}{MAIN}    main()\n");
    for text in [
        format!("{WORK}{MAIN}{own}{POOL}"),
        format!("{WORK}{global}"),
    ] {
        let change = missed(&text).change.unwrap();
        let made = "RATE = logging.getLogger()\n    # and its level and handlers";
        assert_has(&change.code, made);
        assert_eq!(change.patch, None);
    }
}

/// What holds a logger is no better handed over, nor made again, where the parent sets it up.
#[test]
fn a_logger_of_another_kind() {
    let of = |before: &str, made: &str| {
        let own = format!("{before}    RATE = {made}\n");
        missed(&format!("{WORK}{KEEPER}{MAIN}{own}{POOL}"))
    };
    let config = "    logging.basicConfig()\n";
    for made in [
        "logging.getLogger().getChild('app')",
        "logging.LoggerAdapter(logging.getLogger(), {})",
    ] {
        let change = of(config, made).change.unwrap();
        assert!(!change.code.contains("initargs"), "{}", change.code);
        assert_eq!(change.patch, None);
    }
    for made in ["{'log': logging.getLogger()}", "Keeper()", "[Keeper()]"] {
        assert_eq!(of(config, made).change, None, "{made}");
        let change = of("", made).change.expect(made);
        assert!(change.patch.is_some(), "{made}");
    }
    // Its own bytes have none.
    let own = KEEPER.replace("keep", "__getstate__");
    let own = own.replace("pass", "return {}");
    let text = format!("{WORK}{own}{MAIN}{config}    RATE = Keeper()\n{POOL}");
    assert!(missed(&text).change.is_some());
}

/// Workers do not say again what the parent has said, where they can be given what it found.
#[test]
fn what_is_printed_is_not_said_again() {
    for (said, starts) in [
        ("pass", "initializer=setup)"),
        ("print('ready')", "initargs=(RATE,))"),
    ] {
        let setup = format!("def setup():\n    global RATE\n    {said}\n    RATE = 3\n");
        let change = missed(&format!("{WORK}{setup}{MAIN}    setup()\n{POOL}")).change;
        let code = change.unwrap().code;
        assert!(code.ends_with(starts), "{code}");
    }
    // A logger cannot be handed over.
    let setup =
        "def setup():\n    global RATE\n    RATE = logging.getLogger()\n    print('ready')\n";
    let change = missed(&format!("{WORK}{setup}{MAIN}    setup()\n{POOL}")).change;
    assert!(change.unwrap().code.ends_with("initializer=setup)"));
}

/// What cannot be handed over, each worker makes for itself; a new one may be empty, or empty the parent's.
#[test]
fn a_connection_is_made_in_each_worker() {
    let code = |made: &str| {
        let set =
            format!("def connect(path):\n    global RATE\n    RATE = {made}\n    return RATE\n");
        let main = "    db = connect(input())\n    db.commit()\n";
        missed(&format!("{WORK}{set}{MAIN}{main}{POOL}")).change
    };
    let change = code("sqlite3.connect('a.db')").unwrap();
    assert_has(&change.code, "initializer=init_worker)");
    let made = "global RATE\n    RATE = sqlite3.connect('a.db')\n";
    assert_has(&change.code, made);
    for made in [
        "sqlite3.connect(path)",
        "sqlite3.connect(':memory:')",
        "open('a.txt', 'w')",
    ] {
        assert_eq!(code(made), None, "{made}");
    }
}

/// A logger that the object's class sets up is bare in a new process, which is said beside the change.
#[test]
fn a_logger_of_what_is_sent() {
    let class = "class Job:\n    def __init__(self):\n        self.lock = threading.Lock()\n        \
                 self.log = logging.getLogger('job')\n        self.log.setLevel('INFO')\n    \
                 def get(self, n):\n        self.log.info(n)\n        return n";
    let said = |class: &str, to: &str| {
        let text = from_main(class, "box = Job()").replace("import ", "import logging, ");
        let object = failed(&text.replace("mp.Pool(2)", to), "_thread.lock");
        let change = object.change.filter(|c| c.patch.is_some()).expect(class);
        change
            .text
            .starts_with("Its logger has no level and no handlers in a new process")
    };
    assert!(said(class, "mp.set_start_method('spawn') or mp.Pool(2)"));
    assert!(!said(class, "mp.Pool(2)"));
    let sets = class.replace(
        "        return n",
        "        logging.basicConfig()\n        return n",
    );
    let quiet = class.replace("        self.log.info(n)\n", "");
    for class in [sets, quiet] {
        assert!(!said(&class, "mp.set_start_method('spawn') or mp.Pool(2)"));
    }
}

/// loguru's logger is imported, not sent.
#[test]
fn a_logger_of_loguru() {
    let class = "from loguru import logger\ndef get(log):\n    log.info('a')";
    let text = from_main(class, "pass").replace("box.get, [1]", "get, [logger]");
    let change = failed(&text, "_io.TextIOWrapper").change.unwrap();
    assert!(
        change.code.starts_with("from loguru import logger\n"),
        "{}",
        change.code
    );
    assert_eq!(change.patch, None);
}
