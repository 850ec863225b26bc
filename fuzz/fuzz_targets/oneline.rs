//! One line as the grammar of `oneline` unfolds it.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/invariants.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod invariants;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| invariants::unfolding_adds_nothing(line));
