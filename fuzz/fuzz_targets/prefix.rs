//! Two lines: the prefix that is learned from one, and the other stripped of it.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/invariants.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod invariants;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|lines: (&str, &str)| invariants::prefixes_hold(lines.0, lines.1));
