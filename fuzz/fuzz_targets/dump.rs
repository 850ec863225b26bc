//! One line as the grammar of `dump` reads it.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../tests/common/invariants.rs"]
#[allow(dead_code, reason = "each target uses a part of it")]
mod invariants;

use libfuzzer_sys::fuzz_target;
use pickfix::traceback::Dialect;

fuzz_target!(|line: &str| invariants::pieces_stand_in_the_line(Dialect::Dump, line));
