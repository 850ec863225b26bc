//! The filter over inputs that hold lines of pickfix's own. The first byte says how they are cut.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/invariants.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod invariants;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    if let Some((size, input)) = input.split_first() {
        invariants::gutters_hold(input, usize::from(*size));
    }
});
