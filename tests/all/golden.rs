//! Real outputs, annotated: each `<dialect>/<case>.in` gives its `.out`.
//!
//! `UPDATE_GOLDENS=1 cargo test --test all golden` rewrites the `.out` files; read the diff.

use std::collections::BTreeSet;
use std::fs;

use crate::common::{filter_text, goldens, without_annotations};
use pickfix::traceback::Dialect;

#[test]
fn every_golden_gives_its_output() {
    let update = std::env::var_os("UPDATE_GOLDENS").is_some();
    let mut wrong = Vec::new();
    for (_, path, input) in goldens() {
        let run = filter_text(&input);
        assert_eq!(
            without_annotations(&run.output),
            input,
            "{}",
            path.display()
        );
        let expected = path.with_extension("out");
        if update {
            fs::write(&expected, &run.output).expect("a writable golden");
        } else if fs::read(&expected).unwrap_or_default() != run.output {
            wrong.push(format!("{}: {:?}", path.display(), run.ids));
        }
    }
    assert!(
        wrong.is_empty(),
        "differ from their .out (UPDATE_GOLDENS=1 rewrites them):\n{}",
        wrong.join("\n")
    );
}

#[test]
fn every_dialect_has_goldens() {
    let have: BTreeSet<String> = goldens()
        .into_iter()
        .map(|(dialect, _, _)| dialect)
        .collect();
    let mixed = [
        "silent",
        "interleaved",
        "prefixed",
        "damaged",
        "first",
        "frameworks",
        "loguru",
    ];
    let dialects = Dialect::ALL.iter().map(|dialect| dialect.name());
    let wanted: BTreeSet<String> = dialects.chain(mixed).map(str::to_owned).collect();
    assert_eq!(have, wanted);
}

#[test]
fn text_without_a_known_failure_stays_as_it_is() {
    for (dialect, path, input) in goldens() {
        if dialect == "silent" {
            assert_eq!(filter_text(&input).output, input, "{}", path.display());
        }
    }
}
