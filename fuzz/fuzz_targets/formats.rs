//! Each form of the report of any text.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/reports.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod reports;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| reports::formats_hold(text));
