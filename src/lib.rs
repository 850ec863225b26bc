//! pickfix copies a stream through untouched, finds the Python tracebacks in it and writes under
//! each one why it happened and what to type to fix it.

pub mod analysis;
pub mod cli;
pub mod corpus;
pub mod explain;
pub mod filter;
pub mod gate;
pub mod incident;
pub mod input;
pub mod lines;
pub mod out;
#[cfg(unix)]
mod pipe;
pub mod render;
pub mod signals;
pub mod traceback;
mod window;
