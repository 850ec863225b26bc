//! The JSON lines against the schema that ships with the project.

use std::fs;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::program::{check, folder, folder_of_logs, logs, pickfix, project, write};

/// Makes an object unsound.
type Break = fn(&mut Value);

fn schema() -> Value {
    let path = project().join("schema/incident.schema.json");
    serde_json::from_str(&fs::read_to_string(path).expect("a schema")).expect("JSON")
}

fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .expect("a sound schema")
}

/// Makes a schema that knows no fields but those that it names.
fn closed(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut closed: serde_json::Map<String, Value> =
                fields.iter().map(|(k, v)| (k.clone(), closed(v))).collect();
            if fields.contains_key("required") {
                closed.insert("additionalProperties".to_owned(), json!(false));
            }
            Value::Object(closed)
        }
        Value::Array(items) => items.iter().map(closed).collect(),
        other => other.clone(),
    }
}

fn assert_valid(validator: &Validator, text: &str) -> usize {
    for line in text.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        let faults: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert!(faults.is_empty(), "{}\n{line}", faults.join("\n"));
    }
    text.lines().count()
}

#[test]
fn the_schema_is_sound_and_tells_what_each_field_is() {
    let schema = schema();
    assert!(jsonschema::draft202012::meta::is_valid(&schema));
    let fields = schema["properties"].as_object().expect("fields");
    for (name, field) in fields {
        assert!(field["description"].is_string(), "{name}");
    }
    let required = schema["required"].as_array().expect("a list");
    assert_eq!(required.len(), fields.len(), "what is not known is null");
}

#[test]
fn all_that_check_writes_is_valid() {
    let folder = folder_of_logs("schema");
    let validator = validator(&closed(&schema()));
    let known = assert_valid(&validator, &check(&folder, &["--format", "jsonl", "."]));
    let text = check(&folder, &["--format", "jsonl", "--unknown", "."]);
    let all = assert_valid(&validator, &text);
    assert!(known > 30 && all > known, "{known} {all}");
    assert!(text.contains("\"id\":null") && text.contains("\"consequences\":[{"));
    let array: Value =
        serde_json::from_str(&check(&folder, &["--format", "json", "--unknown", "."]))
            .expect("JSON");
    let objects = array.as_array().expect("an array");
    let lines: Vec<String> = objects.iter().map(Value::to_string).collect();
    assert_eq!(assert_valid(&validator, &lines.join("\n")), all);
}

#[test]
fn all_that_the_filter_reports_is_valid() {
    let folder = folder("schema-filter");
    let validator = validator(&closed(&schema()));
    let logs = logs();
    let all: Vec<u8> = logs.iter().flat_map(|(_, text)| text.clone()).collect();
    pickfix(&folder, &["--report", "stdin.jsonl"], &all);
    write(&folder, [("a.log", &logs[0].1), ("b.log", &logs[1].1)]);
    pickfix(&folder, &["--report", "files.jsonl", "a.log", "b.log"], b"");
    let count = |name: &str| {
        let text = fs::read_to_string(folder.join(name)).expect("a report");
        assert_valid(&validator, &text)
    };
    assert!(count("stdin.jsonl") > 20);
    assert!(count("files.jsonl") > 0);
}

#[test]
fn a_broken_object_is_not_valid() {
    let folder = folder_of_logs("schema-broken");
    let text = check(&folder, &["--format", "jsonl", "."]);
    let line = text
        .lines()
        .find(|line| line.contains("\"consequences\":[{"))
        .expect("an incident with consequences");
    let sound: Value = serde_json::from_str(line).expect("JSON");
    let validator = validator(&schema());
    assert!(validator.is_valid(&sound));
    let breaks: [(&str, Break); 12] = [
        ("no title", |v| v["title"] = Value::Null),
        ("a number as id", |v| v["id"] = json!(3)),
        ("line 0", |v| v["line"] = json!(0)),
        ("a negative offset", |v| v["offset"] = json!(-1)),
        ("a strange severity", |v| v["severity"] = json!("fatal")),
        ("a time of another form", |v| v["time"] = json!("10:00")),
        ("a fraction of ranks", |v| v["ranks"] = json!([0.5])),
        ("a rank twice", |v| v["ranks"] = json!([1, 1])),
        ("no fixes", |v| v["fixes"] = json!([])),
        ("a consequence without a file", |v| {
            v["consequences"][0]
                .as_object_mut()
                .expect("an object")
                .remove("file");
        }),
        ("another version", |v| v["schema"] = json!(2)),
        ("no id, but a cause", |v| v["id"] = Value::Null),
    ];
    for (what, break_it) in breaks {
        let mut broken = sound.clone();
        break_it(&mut broken);
        assert!(!validator.is_valid(&broken), "{what} is let through");
    }
    for field in sound.as_object().expect("an object").keys() {
        let mut broken = sound.clone();
        broken.as_object_mut().expect("an object").remove(field);
        assert!(!validator.is_valid(&broken), "{field} may be missing");
    }
    let mut newer = sound;
    newer["a_field_of_later"] = json!(1);
    assert!(validator.is_valid(&newer), "fields may be added");
}
