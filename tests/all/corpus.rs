//! The built-in rules hold: their form, their examples and their non-examples. The schema of
//! incidents knows the facts.

use std::io::Write as _;
use std::process::{Command, Stdio};

use pickfix::corpus::{Corpus, is_shell, verify};
use pickfix::reader::root_failures;
use pickfix::traceback::facts::{FACTS, FactKind};

#[test]
fn every_rule_holds() {
    let found = verify(&Corpus::built_in(), &[], root_failures);
    let faults: Vec<String> = found.faults.iter().map(ToString::to_string).collect();
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    println!("{} rules, {} samples", found.rules, found.samples);
}

#[test]
fn the_schema_of_incidents_has_every_fact_and_tells_its_words() {
    let schema = include_str!("../../schema/incident.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).expect("JSON");
    let facts = &schema["properties"]["facts"];
    let mut names = Vec::new();
    for fact in FACTS {
        let words = match &fact.kind {
            FactKind::Word(_, words) => *words,
            FactKind::Version(_) | FactKind::Number(_) => &[],
            // Not in the object of facts.
            FactKind::Flag(..) | FactKind::Frame(_) => continue,
        };
        let told = facts["properties"][fact.name]["description"].as_str();
        let told = told.unwrap_or_else(|| panic!("{} is not in the schema", fact.name));
        for word in words {
            assert!(told.contains(&format!("`{}`", word.name)), "{}", word.name);
        }
        names.push(fact.name);
    }
    assert_eq!(facts["required"], serde_json::json!(names));
    let in_schema = facts["properties"].as_object().map(serde_json::Map::len);
    assert_eq!(in_schema, Some(names.len()));
}

/// What Python itself says about code that `rules test` reads with a grammar of its own.
#[test]
fn each_piece_of_code_compiles() {
    const COMPILE: &str = "import ast, json, sys\n\
        for place, code in json.load(sys.stdin):\n    \
            try: compile(code, place, 'exec', ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)\n    \
            except SyntaxError as error: print(f'{place}: {error}')\n";
    let corpus = Corpus::built_in();
    let mut blocks = Vec::new();
    for page in corpus.ids().filter_map(|id| corpus.page(id)) {
        for (n, fix) in (1..).zip(page.fixes) {
            let name = fix.told.name.unwrap_or_else(|| n.to_string());
            let place = format!("corpus/{}/{}.toml, fix {name}", page.family, page.id);
            let code = fix.told.code.filter(|code| !is_shell(code));
            blocks.extend(code.map(|code| (place, code)));
        }
    }
    assert!(blocks.len() > 100);
    let python = Command::new("python3")
        .args(["-c", COMPILE])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut python) = python else {
        println!("SKIPPED: no python3 here");
        return;
    };
    let json = serde_json::to_vec(&blocks).expect("texts can be written");
    let stdin = python.stdin.as_mut().expect("a pipe");
    stdin.write_all(&json).expect("python3 reads");
    let output = python.wait_with_output().expect("python3 ends");
    assert!(output.status.success());
    let found = String::from_utf8_lossy(&output.stdout);
    assert!(found.is_empty(), "{found}");
}
