//! Messages that people meet, as their libraries print them: each gets its rule, or is silent for a
//! reason that is written down (`tests/known/messages.toml`).

use std::collections::BTreeSet;

use pickfix::corpus::{Corpus, Failure};
use pickfix::reader::root_failures;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    message: Vec<Message>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    about: String,
    text: String,
    id: Option<String>,
    silent: Option<String>,
}

fn table() -> Vec<Message> {
    let text = include_str!("../known/messages.toml");
    let table: Table = toml::from_str(text).expect("a table of messages");
    table.message
}

#[test]
fn each_message_gets_its_rule_or_none_for_a_reason() {
    let corpus = Corpus::built_in();
    let mut wrong = Vec::new();
    let messages = table();
    for message in &messages {
        let found = root_failures(&corpus, message.text.trim_start_matches('\n').as_bytes());
        let ids: BTreeSet<&str> = found.iter().filter_map(Failure::id).collect();
        let expected: BTreeSet<&str> = message.id.as_deref().into_iter().collect();
        if ids != expected {
            wrong.push(format!("{}: {ids:?}, not {expected:?}", message.about));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let known = messages.iter().filter(|m| m.id.is_some()).count();
    println!("{known} of {} messages have a rule", messages.len());
}

#[test]
fn each_message_has_either_a_rule_or_a_reason() {
    let mut told = BTreeSet::new();
    for message in table() {
        let has_one = message.id.is_some() != message.silent.is_some();
        assert!(has_one, "{}", message.about);
        assert!(
            told.insert(message.about.clone()),
            "{} twice",
            message.about
        );
    }
}
