//! Loggers that a worker does not know: they go to it by name, without their level and handlers.

use super::globals::unset;
use super::{Folder, named};

/// Returns what is written for a program whose worker does not know `RATE`, or why nothing is.
fn given(text: &str) -> Result<String, Option<String>> {
    let folder = Folder::new("loggers");
    folder.write("root/a.py", text);
    let line = |what: &str| text.lines().position(|l| l.contains(what)).unwrap() + 1;
    let log = unset("a.py")
        .replace("line 3", &format!("line {}", line("return")))
        .replace("line 7", &format!("line {}", line("print(")));
    let object = named(&folder.sources("root"), &log).expect(text);
    let change = object.change.filter(|c| c.patch.is_some());
    change.map(|c| c.code).ok_or(object.refusal)
}

#[test]
fn a_logger_is_set_up_in_each_worker() {
    let pool = "    with mp.get_context('spawn').Pool(2) as pool:\n        print(pool.map(convert, [1, 2]))\n";
    let work =
        "import logging\nimport multiprocessing as mp\ndef convert(x):\n    return x * RATE\n";
    let setup = "def setup(level):\n    global RATE\n    RATE = logging.getLogger('app')\n    RATE.setLevel(level)\n";
    let main = "if __name__ == '__main__':\n";
    let code = given(&format!(
        "{work}{setup}{main}    setup(logging.INFO)\n{pool}"
    ))
    .unwrap();
    assert!(
        code.contains("initializer=setup, initargs=(logging.INFO,)"),
        "{code}"
    );
    let own = "    logging.basicConfig()\n    RATE = logging.getLogger()\n";
    let why = given(&format!("{work}{main}{own}{pool}")).unwrap_err();
    assert_eq!(
        why.as_deref(),
        Some("a worker's logger would have no level and no handlers")
    );
    let global = format!("def main():\n    global RATE\n{own}{pool}{main}    main()\n");
    let why = given(&format!("{work}{global}")).unwrap_err();
    assert_eq!(
        why.as_deref(),
        Some("`RATE` goes to a worker by its name alone, without its level and handlers")
    );
}
