//! The built-in rules hold: their form, their examples and their non-examples.

use pickfix::corpus::{Corpus, verify};
use pickfix::reader::root_failures;

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
