//! pickfix copies a stream through untouched, finds the Python tracebacks in it and writes under
//! each one why it happened and what to type to fix it.

pub mod corpus;
pub mod incident;
pub mod traceback;
