//! SARIF against the published schema.

use std::fs;

use serde_json::Value;

use super::program::{LOCK, check, folder, folder_of_logs, pickfix, project, stdout, write};

fn assert_valid(text: &str) -> Value {
    let path = project().join("tests/schemas/sarif-schema-2.1.0.json");
    let mut schema: Value =
        serde_json::from_str(&fs::read_to_string(path).expect("a schema")).expect("JSON");
    // The lone `]` in this pattern is a fault to a strict reader of regular expressions.
    for part in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][part]["properties"]["language"];
        language["pattern"] = "^[a-zA-Z]{2}(-[a-zA-Z]{2})?$".into();
    }
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a sound schema");
    let value: Value = serde_json::from_str(text).expect("JSON");
    let faults: Vec<String> = validator
        .iter_errors(&value)
        .map(|e| format!("{}: {e}", e.instance_path()))
        .take(10)
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    value
}

#[test]
fn the_logs_of_all_dialects_give_valid_sarif() {
    let folder = folder_of_logs("sarif");
    let sarif = assert_valid(&check(&folder, &["--format", "sarif", "."]));
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().expect("results");
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!(results.len() > 30);
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index");
        let index = usize::try_from(index).expect("a small one");
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let jsonl = check(&folder, &["--format", "jsonl", "."]);
    assert_eq!(results.len(), jsonl.lines().count());
    assert_eq!(run["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn nothing_found_is_valid_too() {
    let folder = folder("sarif-empty");
    write(&folder, [("a.log", "all is well\n")]);
    let sarif = assert_valid(&check(&folder, &["--format", "sarif", "a.log"]));
    assert_eq!(
        sarif["runs"][0]["results"].as_array().map(Vec::len),
        Some(0)
    );
    assert_eq!(sarif["version"], "2.1.0");
}

#[test]
fn odd_names_become_uris_and_trouble_a_notification() {
    let folder = folder("sarif-names");
    let odd = LOCK.replace("train.py", r"C:\run 7\träin#1.py");
    write(
        &folder,
        [("a b#%ä.log", odd.as_bytes()), ("x:y.log", LOCK.as_bytes())],
    );
    let words = [
        "check",
        "--format",
        "sarif",
        "a b#%ä.log",
        "x:y.log",
        "none.log",
    ];
    let output = pickfix(&folder, &words, b"");
    assert_eq!(output.status.code(), Some(2));
    let sarif = assert_valid(stdout(&output));
    let run = &sarif["runs"][0];
    let uri = |result: usize, list: &str| {
        let location = &run["results"][result][list][0]["physicalLocation"];
        location["artifactLocation"]["uri"]
            .as_str()
            .expect("a URI")
            .to_owned()
    };
    assert_eq!(uri(0, "locations"), "file:///C:/run%207/tr%C3%A4in%231.py");
    assert_eq!(uri(0, "relatedLocations"), "a%20b%23%25%C3%A4.log");
    assert_eq!(uri(1, "relatedLocations"), "./x:y.log");
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(
        invocation["toolExecutionNotifications"][0]["message"]["text"],
        "1 file could not be read"
    );
}
