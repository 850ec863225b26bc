//! A line before it is anything in a traceback: its clean text, its prefix, its time stamp, and
//! whether it merely mentions a failure.

pub(super) mod codes;
pub(super) mod mention;
pub(super) mod prefix;
pub(super) mod prefix_form;
pub(super) mod record;
pub(super) mod shared;
pub(super) mod table;
pub(super) mod text;
pub mod time_stamp;
pub(super) mod told;
