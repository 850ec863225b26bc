//! The program; see the library.
fn main() {}
