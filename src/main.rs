//! Exit codes and panics; all else is in the library.

fn main() {}
