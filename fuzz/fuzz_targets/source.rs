//! Any Python, and a traceback that quotes it. The first two bytes choose line and message.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/reports.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod reports;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, u8, &str)| reports::source_holds(input.0, input.1, input.2));
