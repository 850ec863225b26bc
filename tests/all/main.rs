//! All tests of the library and of the program but `tests/installed.rs`, as one program: each further one
//! would be linked with the whole library again.

mod bounded;
mod check;
mod cli;
mod cli_commands;
#[path = "../common/mod.rs"]
mod common;
mod corpus;
mod damage;
mod docs;
mod doors;
mod e2e;
mod exact;
mod files;
mod finder;
mod fix;
mod fold;
#[path = "../common/folder.rs"]
mod folders;
mod gate;
mod golden;
mod grammar;
mod hostile;
mod incidents;
#[path = "../common/invariants.rs"]
mod invariants;
mod known;
mod layering;
mod layouts;
mod panics;
#[path = "../common/process.rs"]
mod process;
mod prompt;
mod regression;
#[path = "../common/reports.rs"]
mod reports;
mod run;
mod saved;
mod search;
mod signals;
mod source;
mod told;
