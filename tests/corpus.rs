//! The built-in rules hold: their form, their examples and their non-examples. The schema of
//! incidents knows the facts.

use pickfix::corpus::{Corpus, verify};
use pickfix::reader::root_failures;
use pickfix::traceback::facts::{FACTS, Kind};

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
    let schema = include_str!("../schema/incident.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).expect("JSON");
    let facts = &schema["properties"]["facts"];
    let mut names = Vec::new();
    for fact in FACTS {
        let words = match &fact.kind {
            Kind::Word(_, words) => *words,
            Kind::Version(_) | Kind::Number(_) => &[],
            // Not in the object of facts.
            Kind::Flag(..) | Kind::Frame(_) => continue,
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
