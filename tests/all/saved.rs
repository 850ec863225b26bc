//! `pickfix check` as a program: its forms against their schemas, its page in a browser, and what
//! the world may put in front of it.

mod hostile;
mod html;
mod lines;
mod mapper;
mod program;
mod sarif;
mod schema;
mod text;
