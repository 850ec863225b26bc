//! Compressed files, damaged or not.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/reports.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod reports;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reports::decompression_holds(bytes));
