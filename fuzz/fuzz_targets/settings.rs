//! The text of a `pickfix.toml`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for fault in pickfix::cli::faults_of_settings(text) {
        assert!(fault.starts_with("pickfix.toml:"), "{fault}");
    }
});
