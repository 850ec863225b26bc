//! A rule file and, behind the first NUL, a log that it is asked about.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/reports.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod reports;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (rule, log) = text.split_once('\0').unwrap_or((text, ""));
    reports::rules_hold(rule, log);
});
