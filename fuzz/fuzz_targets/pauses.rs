//! The filter with pauses between its reads.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/invariants.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod invariants;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: &[u8]| invariants::pauses_hold(script));
