//! What a worker gets from a function, or by another name, and is still `None` there.

use super::*;

/// Returns what is named where `work` uses `got` in a worker.
fn object(text: &str) -> Option<Object> {
    let frame = frame(text, line_of(text, "return got"), "work");
    let failure = format!(
        "multiprocessing.pool.RemoteTraceback: \n\"\"\"\nTraceback (most recent call last):\n  \
         File \"/python/lib/python3.11/multiprocessing/pool.py\", line 48, in worker\n    \
         return list(map(*args))\n{frame}\
         TypeError: 'NoneType' object is not subscriptable\n\"\"\"\n\n\
         The above exception was the direct cause of the following exception:\n\n\
         TypeError: 'NoneType' object is not subscriptable\n"
    );
    named_of(text, &failure)
}

/// Returns the same of a program whose parent calls `load`, with what sets it.
fn of(program: &str) -> Option<(String, String)> {
    let is_method = program.contains("class Settings");
    let load = if is_method { "Settings.load" } else { "load" };
    let object = object(&format!(
        "import multiprocessing as mp\n{program}\nif __name__ == '__main__':\n    {load}('a=1')\n    \
         with mp.get_context('spawn').Pool(2) as pool:\n        print(pool.map(work, ['a']))\n"
    ))?;
    Some((object.path, object.type_name))
}

#[test]
fn what_a_function_gives_is_followed() {
    let class = "class Settings:\n    kept = None\n    @classmethod\n    def get(cls):\n        return cls.kept\n    \
                 @classmethod\n    def load(cls, text):\n        cls.kept = dict([text.split('=')])";
    let global = "kept = None\ndef get():\n    return kept\ndef load(text):\n    global kept\n    \
                  kept = dict([text.split('=')])";
    for (set, work, path, by) in [
        (
            class,
            "got = Settings.get()\n    return got[k]",
            "cls.kept",
            "set in Settings.load()",
        ),
        (
            global,
            "got = get()\n    return got[k]",
            "kept",
            "set in load()",
        ),
        (
            global,
            "got = kept\n    return got[k]",
            "kept",
            "set in load()",
        ),
    ] {
        let text = format!("{set}\ndef work(k):\n    {work}");
        let (named, of) = of(&text).expect(work);
        assert_eq!((named.as_str(), of.as_str()), (path, by), "{work}");
    }
    // What is set where it is got, and what one of several lines gives.
    for get in [
        "def get():\n    load('a=1')\n    return kept",
        "def get():\n    if kept:\n        return kept\n    return None",
    ] {
        let text = global.replace("def get():\n    return kept", get);
        let text = format!("{text}\ndef work(k):\n    got = get()\n    return got[k]");
        assert_eq!(of(&text), None, "{get}");
    }
}

/// What the same function fills, a worker would miss next.
#[test]
fn a_value_is_not_given_without_what_is_filled_beside_it() {
    let of = |used: &str| {
        let object = object(&format!(
            "import multiprocessing as mp\nfilled = {{}}\ngot = None\ndef load(conf):\n    global got\n    \
             filled.update(conf)\n    got = (conf['a'], 2)\ndef work(k):\n    return got[k]{used}\ndef main():\n    \
             conf = {{'a': 1}}\n    load(conf)\n    conf['a'] = 3\n    \
             with mp.get_context('spawn').Pool(2) as pool:\n        print(pool.map(work, [0]))\n\
             if __name__ == '__main__':\n    main()\n"
        ));
        let object = object.expect(used);
        let has_edit = is_patched(&object);
        (has_edit, object.refusal)
    };
    assert_eq!(of(""), (true, None));
    let (has_edit, why) = of(" + filled['a']");
    assert!(!has_edit, "{why:?}");
    // Its own items go with it.
    let own = object(
        "import multiprocessing as mp\ngot = None\ndef load(n):\n    global got\n    got = [0] * n\n    got[0] = 3\n\
         def work(k):\n    return got[k]\ndef main():\n    load(2)\n    with mp.get_context('spawn').Pool(2) as pool:\n        \
         print(pool.map(work, [0]))\nif __name__ == '__main__':\n    main()\n",
    );
    assert!(is_patched(&own.unwrap()));
}
