//! pickfix copies a stream through untouched, finds the Python tracebacks in it and writes under
//! each one why it happened and what to type to fix it.
//!
//! ```text
//!  input ──Event──► filter ──────────────────────────────────────────► out ──► stdout
//!         Bytes       │  gate: can a line of this chunk matter?         ▲ forward
//!         Quiet       ▼                                                 │ annotate
//!         Eof      reader (the only loop over lines) ──place, failure──►┤
//!                     │  engine: lines ─► traceback::lanes ─► Traceback │
//!                     │             corpus::diagnose ─► Failure         │
//!                     └────► incident::Tracker ─► Notice ──► render ────┘
//! ```
//!
//! - [`input`]: where bytes come from, as events; [`signals`]: Ctrl-C and SIGTERM among them.
//! - [`filter`]: the order of forwarding and annotating; [`check`]: saved logs.
//! - [`gate`]: the search that lets most of a log pass unread; [`candidate_lines`]: what it leaves.
//! - [`reader`]: the only loop over lines; [`position`]: where in the stream it is; [`mod@line`]: the
//!   ground floor.
//! - [`engine`]: from lines to failures; the one engine of all commands.
//! - [`traceback`]: lanes, the grammar of each dialect, facts, the object path of 3.14's notes.
//! - [`corpus`]: the rules, their matching and their verification.
//! - [`incident`]: failures with their repeats and consequences.
//! - [`run`]: a command with a terminal of its own, in front of the filter.
//! - [`render`]: annotations and JSON lines; [`out`]: the only writer to stdout.
//! - [`explain`]: a rule as a page, and the rule that fits a pasted message; [`search`]: from words
//!   to rules.
//! - [`source`]: the program's own Python: which [`object`] could not travel, and what to change.
//! - [`state`]: what the last run found, for `fix` and `last`.
//! - [`named`]: enums with their names, in one table; [`python_name`]: names of Python in a text.
//! - [`bug`]: panics, caught and reported once.
//! - [`file_id`]: what tells a file from others; [`regular`]: files that are opened only if they are
//!   regular ones.
//! - [`history`]: the last bytes that passed; [`pipe`]: the size of the pipes that they pass through.
//! - [`visible`]: text that others wrote, made harmless before it is printed.
//! - [`cli`]: the command line, the settings, and what each command does.
//!
//! Two things differ from what one might expect. Whether an annotation goes before a closing line
//! or behind it is decided by the first byte of that line alone: its bytes are forwarded as they
//! come, and the output must not depend on how the input was cut. And the lines above a head are
//! read only when the gate has found the head, out of the last 16 KiB that passed.

pub mod bug;
mod candidate_lines;
pub mod check;
pub mod cli;
pub mod corpus;
mod engine;
mod explain;
mod file_id;
pub mod filter;
pub mod gate;
mod history;
pub mod incident;
pub mod input;
pub mod line;
mod named;
pub mod object;
pub mod out;
#[cfg(unix)]
mod pipe;
pub mod position;
mod python_name;
pub mod reader;
mod regular;
pub mod render;
#[cfg(unix)]
mod run;
pub mod search;
pub mod signals;
pub mod source;
mod state;
pub mod traceback;
pub mod visible;
