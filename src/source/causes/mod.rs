//! What the source tells of failures that are not about an object that cannot be pickled.
//!
//! - [`late`]: a definition that another process does not find;
//! - [`mod@exception`]: an `__init__` that cannot be called with what the exception keeps; [`rebuilt`]:
//!   how it is rebuilt of that;
//! - [`mod@keyword`]: a start method given by a word that is not taken;
//! - [`mod@renamed`]: a type that a call made under another name; [`mod@first_set`]: what sets the start
//!   method before it can be chosen;
//! - [`mod@global`]: a global that only the main guard sets; [`mod@left_out`]: an attribute that
//!   `__getstate__` leaves out for good; [`mod@misnamed`]: a method that is looked up by the wrong name;
//!   [`mod@spread`]: arguments that do not fit a worker's function, [`unfit`]: of a process, or a result in its place;
//!   [`mod@ended`]: a pool whose results are read too late, or that is joined too early; [`mod@left_block`]: one that is given tasks then; [`mod@joined`]: a process, above its queue, or that never ends; [`untold`]: one that is not told to, [`signalled`]: too late; [`mod@unstarted`]: what starts them, below a full queue; [`passed_over`]: an item that is not told to be done;
//!   [`mod@retaken`]: a lock that its holder takes;
//!   [`mod@threads_only`]: a queue of threads that processes were given; [`mod@unjoinable`]: one that counts no tasks;
//!   [`mod@unfetched`]: a result that is used before it is fetched; [`mod@mixed`]: a queue of another start method;
//!   [`mod@daemonic`]: what starts processes in a process that may have none;
//! - [`mod@unset`]: a global that a function sets, which has not run in a worker, or an initializer that does not; [`mod@of_module`]: one of another module; [`mod@filled`]: what fills a dict or list;
//!   [`mod@got`]: what a function gives, or is given; [`mod@of_class`]: what sets an attribute of a class, [`mod@of_object`] of a
//!   global object; [`ran`]: whether that may have run there, and may again;
//! - [`mod@stayed`]: a dict or list that workers [`alone`] fill, each for itself; [`mod@set_there`]: what they set, and
//!   is `None` or missing in the parent; [`mod@unreturned`]: what they do not give back;
//!   [`mod@nested`]: what they change in a copy that a manager gave; [`parts`]: an item, a column, an array;
//! - [`mod@uncalled`]: an `__init__` of a process that does not call its base's first;
//! - [`mod@endless`]: a `__getattr__` that calls itself in an object that is still empty;
//! - [`mod@sample`]: what returns `None` for a sample; [`cuda`]: what uses CUDA before a fork;
//!   [`mod@unread`]: a layer that takes no part in the loss; [`mod@graph`]: a result with its graph.

mod alone;
mod collected;
mod cuda;
mod daemonic;
mod ended;
mod endless;
mod exception;
mod filled;
mod first_set;
mod global;
mod got;
mod graph;
mod joined;
mod keyword;
mod late;
mod left_block;
mod left_out;
mod misnamed;
mod mixed;
mod nested;
mod of_class;
mod of_module;
mod of_object;
mod parts;
mod passed_over;
mod ran;
mod rebuilt;
mod renamed;
mod retaken;
mod sample;
mod set_there;
mod signalled;
mod spread;
mod stayed;
mod threads_only;
mod uncalled;
mod unfetched;
mod unfit;
mod unjoinable;
mod unread;
mod unreturned;
mod unset;
mod unstarted;
mod untold;

pub(super) use cuda::first_use;
pub(super) use daemonic::daemonic;
pub(super) use ended::{ended, unclosed};
pub(super) use endless::endless;
pub(super) use exception::{exception, is_exception, is_rebuilt};
pub(super) use filled::{blank, filled};
pub(super) use first_set::first_set;
pub(super) use global::global;
pub(super) use got::{given_as, got};
pub(super) use graph::graph;
pub(super) use joined::{QUEUES, joined, undone};
pub(super) use keyword::{KEYWORDS, keyword};
pub(super) use late::definition;
pub(super) use left_block::left_block;
pub(super) use left_out::left_out;
pub(super) use misnamed::{misnamed, private};
pub(super) use mixed::mixed;
pub(super) use nested::nested;
pub(super) use of_class::{Lacking, of_class};
pub(super) use of_module::of_module;
pub(super) use of_object::of_object;
pub(super) use parts::{column, zeros};
pub(super) use renamed::{renamed, told};
pub(super) use retaken::retaken;
pub(super) use sample::{datasets, sample};
pub(super) use set_there::{counted, lacks, set_there};
pub(super) use spread::spread;
pub(super) use stayed::stayed;
pub(super) use threads_only::threads_only;
pub(super) use uncalled::uncalled;
pub(super) use unfetched::unfetched;
pub(super) use unjoinable::unjoinable;
pub(super) use unread::unread;
pub(super) use unreturned::unreturned;
pub(super) use unset::unset;
pub(super) use unstarted::unstarted;
