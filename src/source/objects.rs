//! What objects hold inside: the tables of `corpus/objects`.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;

use crate::corpus::VersionRange;

const TABLES: [&str; 3] = [
    include_str!("../../corpus/objects/standard.toml"),
    include_str!("../../corpus/objects/libraries.toml"),
    include_str!("../../corpus/objects/plain.toml"),
];

/// The class of processes.
pub(super) const PROCESS: &str = "multiprocessing.Process";

/// Names under which the same things go.
const ALIASES: &str = "torch.multiprocessing=multiprocessing multiprocess=multiprocessing billiard=multiprocessing \
    multiprocessing.get_context()=multiprocessing multiprocessing.pool.Pool=multiprocessing.Pool \
    multiprocessing.process.Process=multiprocessing.Process \
    multiprocessing.context.Process=multiprocessing.Process \
    multiprocessing.context.SpawnProcess=multiprocessing.Process \
    multiprocessing.queues.Queue=multiprocessing.Queue \
    multiprocessing.synchronize.Lock=multiprocessing.Lock \
    multiprocessing.managers.SyncManager=multiprocessing.Manager \
    multiprocessing.managers.BaseManager=multiprocessing.Manager \
    concurrent.futures.process.ProcessPoolExecutor=concurrent.futures.ProcessPoolExecutor \
    concurrent.futures.thread.ThreadPoolExecutor=concurrent.futures.ThreadPoolExecutor \
    torch.utils.data.dataloader.DataLoader=torch.utils.data.DataLoader \
    torch_geometric.loader.DataLoader=torch.utils.data.DataLoader builtins= \
    _thread.allocate_lock=threading.Lock cPickle=pickle dill=pickle tensorflow.keras=keras";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default, rename = "type")]
    types: Vec<Entry>,
    #[serde(default)]
    plain: Vec<String>,
    #[serde(default)]
    keeps: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    of: Vec<String>,
    holds: Vec<String>,
    /// The versions of Python in which it does; all, where none is given.
    python: Option<String>,
    /// Whether it holds its arguments too.
    #[serde(default)]
    keeps: bool,
}

/// What is known of the result of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inside {
    /// The types that a message can name.
    pub(super) holds: Vec<HeldType>,
    /// Whether it holds the arguments.
    pub(super) keeps: bool,
}

/// A type that a message can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeldType {
    pub(super) type_name: String,
    python: Option<VersionRange>,
}

impl HeldType {
    /// Returns whether this version of Python can name it; an unknown one can.
    pub(super) fn is_in(&self, python: Option<(u8, u8)>) -> bool {
        match (&self.python, python) {
            (Some(range), Some(version)) => range.holds(version),
            _ => true,
        }
    }
}

/// Returns whether a call of this name gives plain data, which holds none of its arguments either.
pub(super) fn is_data(name: &str) -> bool {
    inside(name).is_some_and(|inside| inside.holds.is_empty() && !inside.keeps)
}

/// Returns whether a call of this name gives what holds something that a message can name.
pub(super) fn holds_any(name: &str) -> bool {
    inside(name).is_some_and(|inside| !inside.holds.is_empty())
}

/// Returns whether a call of this name gives a generator.
pub(super) fn is_generator(name: &str) -> bool {
    let holds = inside(name).map_or(&[][..], |inside| &inside.holds);
    !holds.is_empty() && holds.iter().all(|held| held.type_name == "generator")
}

/// Returns what is known of an object that a call of this name gives; `None` if nothing is.
pub(super) fn inside(name: &str) -> Option<&'static Inside> {
    static KNOWN: OnceLock<HashMap<String, Inside>> = OnceLock::new();
    let known = KNOWN.get_or_init(read);
    if let Some(found) = known.get(name) {
        return Some(found);
    }
    let mut rest = name;
    while let Some(at) = rest.rfind('.').max(rest.rfind("()")) {
        rest = &rest[..at];
        // A part of what holds something, such as `redis.Redis().get()`, is another thing.
        if let Some(found) = known.get(rest) {
            return found.holds.is_empty().then_some(found);
        }
    }
    None
}

fn read() -> HashMap<String, Inside> {
    let mut known = HashMap::new();
    for text in TABLES {
        let table: Table = toml::from_str(text).expect("a test reads the tables");
        for entry in table.types {
            let range = |range| VersionRange::new(range).expect("a test reads the tables");
            let python = entry.python.as_deref().map(range);
            let held = |type_name: &String| HeldType {
                type_name: type_name.clone(),
                python: python.clone(),
            };
            for name in entry.of {
                let inside: &mut Inside = known.entry(name).or_default();
                inside.holds.extend(entry.holds.iter().map(held));
                inside.keeps |= entry.keeps;
            }
        }
        for (names, keeps) in [(table.plain, false), (table.keeps, true)] {
            for name in names {
                let entry: &mut Inside = known.entry(name).or_default();
                entry.keeps |= keeps;
            }
        }
    }
    known
}

/// Returns whether the tables know a module of this name.
pub(super) fn is_outside(module: &str) -> bool {
    inside(module).is_some() || TABLES.iter().any(|t| t.contains(&format!("\"{module}.")))
}

/// Returns the name under which the tables know a thing.
pub(super) fn canonical(name: String) -> String {
    let mut name = name;
    for (from, to) in ALIASES.split(' ').filter_map(|a| a.split_once('=')) {
        if let Some(rest) = name.strip_prefix(from)
            && (rest.is_empty() || rest.starts_with(['.', '(']))
        {
            name = if to.is_empty() {
                rest.trim_start_matches('.').to_owned()
            } else {
                format!("{to}{rest}")
            };
        }
    }
    name
}

/// Returns whether a type that a table lists is the one that a message names.
pub(super) fn is_type(listed: &str, named: &str) -> bool {
    if let Some(start) = listed.strip_suffix('*') {
        return named.starts_with(start);
    }
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    listed == named
        || (!listed.contains('<')
            && (!listed.contains('.') || !named.contains('.'))
            && last(listed) == last(named))
}

/// Returns whether a call of this name gives an object of the type, by their names alone: a class of the same name
/// in the same package, as in `spacy.Vocab` and `spacy.vocab.Vocab`.
pub(super) fn is_named_so(called: &str, type_name: &str) -> bool {
    ends(called).is_some_and(|of| ends(type_name) == Some(of))
}

/// Returns the first and the last part of a dotted name.
fn ends(name: &str) -> Option<(&str, &str)> {
    Some((name.split_once('.')?.0, name.rsplit_once('.')?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_told_by_its_name_and_package() {
        assert!(is_named_so("spacy.Vocab", "spacy.vocab.Vocab"));
        assert!(is_named_so("xml.sax.Parser", "xml.sax.Parser"));
        for (called, type_name) in [
            ("spacy.load", "spacy.vocab.Vocab"),
            ("a.Vocab", "spacy.vocab.Vocab"),
            ("Vocab", "Vocab"),
        ] {
            assert!(!is_named_so(called, type_name), "{called}");
        }
    }

    #[test]
    fn tables_can_be_read() {
        assert!(read().len() > 200);
        let holds = |name: &str, python| {
            let held = inside(name).unwrap().holds.iter();
            let named = held.filter(|h| h.is_in(python)).map(|h| &h.type_name[..]);
            named.collect::<Vec<_>>()
        };
        assert_eq!(holds("threading.Lock", None), ["_thread.lock"]);
        assert_eq!(holds("asyncio.Lock", Some((3, 11))), ["_asyncio.Future"]);
        assert_eq!(holds("asyncio.Lock", Some((3, 9))).len(), 2);
        assert!(inside("numpy.load().mean").unwrap().holds.is_empty());
        assert!(inside("redis.Redis().get").is_none());
        assert!(inside("somelib.Client").is_none());
    }

    #[test]
    fn types_are_compared_as_messages_spell_them() {
        assert!(is_type("_thread.lock", "lock"));
        assert!(is_type("_io.TextIOWrapper", "TextIOWrapper"));
        assert!(!is_type("_thread.lock", "_thread.RLock"));
        assert!(is_type("botocore.client.*", "botocore.client.S3"));
        assert!(!is_type("multiprocessing.synchronize.Lock", "_thread.Lock"));
    }
}
