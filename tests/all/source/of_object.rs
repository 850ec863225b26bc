//! What a worker does not know of the one object of a class that a module makes.

use super::globals::raises;
use super::*;

const CONFIG: &str = "class Config:\n    def __init__(self):\n        self.rate = None\n    \
                      def load(self, rate):\n        self.rate = rate\nconfig = Config()\n";
const MAIN: &str = "import multiprocessing as mp; from config import config\ndef convert(x):\n    \
                    return x * config.rate\nif __name__ == \"__main__\":\n    config.load(3)\n    \
                    with mp.get_context(\"spawn\").Pool(2) as pool:\n        print(pool.map(convert, [1, 2]))\n";

#[test]
fn an_attribute_of_the_one_object_that_the_parent_sets() {
    let folder = Folder::new("of-object");
    let text = raises(
        "x * config.rate",
        "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'",
    );
    let found = |main: &str, config: &str| -> Option<(String, Option<String>)> {
        folder.write("root/a.py", main);
        folder.write("root/config.py", config);
        let object = named(&folder.sources("root"), &text)?;
        let said = said(&object);
        let patched = object.change.filter(|c| c.patch.is_some());
        let code = patched.and_then(|c| c.code.lines().nth(1).map(|l| l.trim().to_owned()));
        Some((said, code))
    };
    let path = "config.rate, set in Config.load()".to_owned();
    let line = Some("config.rate = value".to_owned());
    assert_eq!(found(MAIN, CONFIG), Some((path.clone(), line.clone())));
    // What the method sets besides goes along.
    let two = CONFIG.replace("= rate", "= rate; self.of = 2");
    let all = Some("vars(config).update(value)".to_owned());
    assert_eq!(found(MAIN, &two), Some((path.clone(), all)));
    let guarded = MAIN.replace("config.load(3)", "config.rate = 3");
    let of_guard = "config.rate, set under the main guard".to_owned();
    let plain = CONFIG.split("    def load").next().unwrap();
    let plain = format!("{plain}config = Config()\n");
    assert_eq!(found(&guarded, &plain), Some((of_guard, line)));
    let opened = CONFIG.replace("= rate", "= open(rate)");
    assert_eq!(found(MAIN, &opened), Some((path, None)));
    for (what, main, config) in [
        (
            "another object",
            MAIN.replace("config.load(3)", "config.load(3); other = type(config)()"),
            format!("{CONFIG}other = Config()\n"),
        ),
        (
            "loaded by the import",
            MAIN.to_owned(),
            format!("{CONFIG}config.load(3)\n"),
        ),
        (
            "loaded by the worker",
            MAIN.replace("(x):", "(x, of=lambda: config.load(1)):"),
            CONFIG.to_owned(),
        ),
        (
            "loaded by nobody",
            MAIN.replace("config.load(3)", "pass"),
            CONFIG.to_owned(),
        ),
        (
            "not `None`",
            MAIN.to_owned(),
            CONFIG.replace("= None", "= 2"),
        ),
    ] {
        assert_eq!(found(&main, &config), None, "{what}");
    }
}

/// The same of one that the class does not set at all.
#[test]
fn an_attribute_that_the_one_object_lacks() {
    let folder = Folder::new("of-object-lacks");
    let text = raises(
        "x * config.rate",
        "AttributeError: 'Config' object has no attribute 'rate'",
    );
    let found = |main: &str, config: &str| -> Option<(String, Option<String>)> {
        folder.write("root/a.py", main);
        folder.write("root/config.py", config);
        let object = named(&folder.sources("root"), &text)?;
        let said = said(&object);
        let patched = object.change.filter(|c| c.patch.is_some());
        let code = patched.and_then(|c| c.code.lines().nth(1).map(|l| l.trim().to_owned()));
        Some((said, code))
    };
    let class = CONFIG.replace("self.rate = None", "self.name = 2");
    found(MAIN, &class);
    let sources = Some(folder.sources("root"));
    let incidents = pickfix::reader::incidents(&CORPUS, text.as_bytes(), sources);
    let ids: Vec<_> = incidents.iter().filter_map(|i| i.root.id()).collect();
    assert_eq!(ids, ["global-not-set-in-worker"]);
    let line = |text: &str| Some(text.to_owned());
    let by_method = line("config.rate, set in Config.load()");
    let method = found(MAIN, &class).unwrap();
    assert_eq!(
        (Some(method.0), method.1),
        (by_method, line("config.rate = value"))
    );
    // The name by which the script knows it.
    let set = MAIN.replace("config.load(3)", "c.config.rate = 3");
    let set = set.replace("as mp;", "as mp; import config as c;");
    let guarded = found(&set, &class.replace("self.rate =", "self.of =")).unwrap();
    assert_eq!(guarded.0, "config.rate, set under the main guard");
    assert_eq!(guarded.1, line("c.config.rate = value"));
    for (what, main, config) in [
        (
            "set by the import",
            MAIN.to_owned(),
            format!("{class}config.load(3)\n"),
        ),
        (
            "set by nothing",
            MAIN.to_owned(),
            class.replace("self.rate =", "self.of ="),
        ),
        (
            "another object",
            MAIN.to_owned(),
            format!("{class}other = Config()\n"),
        ),
        (
            "set by any name",
            MAIN.replace("config.load(3)", "setattr(config, 'rate', 3)"),
            class.clone(),
        ),
    ] {
        assert_eq!(found(&main, &config), None, "{what}");
    }
}
