//! What a text claims, against what its rule asks for; and how it is worded.

use std::iter;

use toml::Spanned;

use crate::corpus::rule::error::Fault;
use crate::corpus::rule::file::{Keys, RuleFile, Value, WhenKeys};

/// Words that claim something, and what the keys must hold for it.
struct ClaimWords {
    /// Any of these, in lower case.
    words: &'static [&'static str],
    /// Pieces of a key or its value, in lower case; one of them must be there.
    keys: &'static [&'static str],
    /// The same below `unless`.
    unless: &'static [&'static str],
    /// Whether a fix makes it too: some words are a claim in a cause and an order in a fix.
    in_fixes: bool,
    /// What to write.
    advice: &'static str,
}

/// What is in a child only by a fork: a module `__main__` with its file, a process object of the
/// parent, an import lock and OpenMP's threads.
const FORK_KEYS: &[&str] = &[
    "fork",
    "captures.origin",
    "child process",
    "_modulelock",
    "libgomp",
];

/// The claims that have been wrong.
const CLAIMS: &[ClaimWords] = &[
    ClaimWords {
        words: &[
            "was forked",
            "were forked",
            "is forked",
            "are forked",
            "a forked ",
        ],
        keys: FORK_KEYS,
        unless: &[],
        in_fixes: true,
        advice: "start_method = \"fork\", or a heading or frame of a fork",
    },
    ClaimWords {
        words: &[
            "forked worker",
            "forked child",
            "it forked",
            "by fork",
            "by `fork`",
            "before the fork",
            "after the fork",
            "at the fork",
        ],
        keys: FORK_KEYS,
        unless: &[],
        in_fixes: false,
        advice: "start_method = \"fork\", or a heading or frame of a fork",
    },
    ClaimWords {
        words: &[
            "written by another program",
            "saved by another program",
            "made by another program",
        ],
        keys: &[
            "torch/serialization.py",
            "pickle_compat.py",
            "numpy_pickle.py",
            "load(",
        ],
        unless: &["spawn", "pool", "executor"],
        in_fixes: true,
        advice: "a key that tells the two programs apart",
    },
    ClaimWords {
        words: &[
            "this notebook",
            "the notebook",
            "the cell ",
            "its cell",
            "jupyter",
            "colab",
        ],
        keys: &["notebook", "ipython", "jupyter", "colab"],
        unless: &[],
        in_fixes: true,
        advice: "notebook = true",
    },
    ClaimWords {
        words: &["was typed", "were typed", "you typed"],
        // What was typed has no file: a new process says so, or the label instead of a name.
        keys: &["spawn", "captures.origin", "captures.name=", "notebook"],
        unless: &[],
        in_fixes: true,
        advice: "start_method = \"spawn\", or a capture that shows a session without a file",
    },
    ClaimWords {
        words: &[
            "memory ran out",
            "ran out of memory",
            "out of memory",
            "was killed",
            "were killed",
            "oom killer",
        ],
        keys: &[
            "memory",
            "kill",
            "oom",
            "137",
            "-9",
            "1455",
            "allocate",
            "alloc_failed",
        ],
        unless: &[],
        in_fixes: false,
        advice: "a key that shows the signal, the exit code or the allocation",
    },
    ClaimWords {
        words: &[
            "another process holds",
            "this process alone fills",
            "no other process",
        ],
        keys: &[
            "captures.held",
            "captures.used",
            "compare=",
            "captures.free",
            "in use",
        ],
        unless: &[],
        in_fixes: false,
        advice: "a capture or comparison of the numbers",
    },
    ClaimWords {
        words: &["nvidia-smi"],
        keys: &[
            "cuda",
            "nvidia",
            "nvml",
            "nccl",
            "cublas",
            "cudnn",
            "vllm",
            "gpu memory",
        ],
        unless: &["mps", "hip", "rocm"],
        in_fixes: true,
        advice: "a key with CUDA, or one that excludes MPS and HIP",
    },
];

/// Words by which a sentence claims nothing: it asks, supposes, or tells of a case.
const HEDGES: &str = "\
    if when where unless may might can could usually often mostly perhaps whether most typically \
    sometimes or";

/// Phrases that no native would write, and what to write.
const PHRASES: &[(&str, &str)] = &[
    ("anew", "again"),
    ("by and by", "gradually"),
    ("for ever", "never returns"),
    ("in place of", "instead of"),
    ("mend", "fix"),
    ("means something", "say what it means"),
    ("nobody answers", "say what does not answer"),
    ("takes all of", "say what is pickled with it"),
    ("without a word", "silently"),
];

/// The most words of a cause.
const MAX_WORDS: usize = 45;

/// Returns the causes of a rule, each with its keys.
fn causes(file: &RuleFile) -> impl Iterator<Item = (&Spanned<String>, Option<&WhenKeys>)> {
    let causes = file.cause_when.iter();
    iter::once((&file.cause, None)).chain(causes.map(|c| (&c.text, Some(&c.when))))
}

/// Returns the fixes of a rule, each with its keys.
fn fixes(file: &RuleFile) -> impl Iterator<Item = (&Spanned<String>, Option<&WhenKeys>)> {
    let fixes = file.fix.iter().map(Spanned::get_ref);
    fixes.map(|fix| (&fix.text, fix.when.as_ref()))
}

/// Returns all that a reader is told, without its keys.
fn texts(file: &RuleFile) -> impl Iterator<Item = &Spanned<String>> {
    let fixes = file.fix.iter().map(Spanned::get_ref);
    let others = fixes.flat_map(|fix| fix.check.iter().chain(&fix.not));
    let first = causes(file).chain(self::fixes(file));
    first.map(|(text, _)| text).chain(others)
}

/// Returns what is wrong in the causes and fixes of a rule, with its place: claims that no key
/// shows, causes that are too long, texts that begin with “Or”.
pub(super) fn faults(file: &RuleFile) -> Vec<Fault> {
    let mut found = Vec::new();
    for (text, _) in causes(file) {
        let words = text.get_ref().split_whitespace().count();
        if words > MAX_WORDS {
            let message = format!("{words} words, and a cause has at most {MAX_WORDS}");
            found.push((text.span().start, message));
        }
    }
    let causes = causes(file).map(|(text, when)| (text, when, false));
    let fixes = fixes(file).map(|(text, when)| (text, when, true));
    for (text, when, is_fix) in causes.chain(fixes) {
        for claim in CLAIMS.iter().filter(|claim| claim.in_fixes || !is_fix) {
            if claim.is_made(text.get_ref()) && !claim.is_backed(file, when) {
                let words = claim.words_in(&text.get_ref().to_lowercase());
                let message = format!(
                    "\"{}\" is claimed, and no key shows it; write \"if\", or {}",
                    words.unwrap_or_default().trim_end(),
                    claim.advice
                );
                found.push((text.span().start, message));
            }
        }
    }
    for text in texts(file) {
        if text.get_ref().trim_start().starts_with("Or ") {
            let message = "leave out \"Or\": another way out is shown as one, with `also = true`";
            found.push((text.span().start, message.to_owned()));
        }
    }
    found
}

/// Returns what should be worded better, with its place.
pub(super) fn warnings(file: &RuleFile) -> Vec<Fault> {
    let mut found = Vec::new();
    for text in texts(file) {
        for (phrase, instead) in PHRASES {
            if has_words(text.get_ref(), phrase) {
                found.push((text.span().start, format!("\"{phrase}\": {instead}")));
            }
        }
    }
    found
}

impl ClaimWords {
    fn words_in(&self, text: &str) -> Option<&'static str> {
        let mut words = self.words.iter().copied();
        words.find(|words| text.contains(words))
    }

    /// Returns whether a sentence of the text makes the claim: it does not hedge before it, and
    /// does not name it as one of several.
    fn is_made(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        text.split_inclusive(['.', ';', ':', '?'])
            .filter_map(|sentence| sentence.split_once(self.words_in(sentence)?))
            .any(|(before, after)| {
                let mut words = before.split(|c: char| !c.is_alphanumeric());
                let is_hedge = |word| HEDGES.split(' ').any(|hedge| hedge == word);
                !words.any(is_hedge) && !after.contains(" or ")
            })
    }

    /// Returns whether the keys of the text, or those of every `[[match]]`, show what is claimed.
    fn is_backed(&self, file: &RuleFile, when: Option<&WhenKeys>) -> bool {
        let shows = |keys: &Keys| {
            let mut written = Vec::new();
            write("", keys, &mut written);
            written.iter().any(|text| {
                let pieces = if text.starts_with("unless") {
                    self.unless
                } else {
                    self.keys
                };
                pieces.iter().any(|piece| text.contains(piece))
            })
        };
        when.is_some_and(|when| when.0.iter().all(shows))
            || file.matches.iter().all(|keys| shows(keys.get_ref()))
    }
}

/// Writes keys as `start_method=fork`, `unless.message=…`, in lower case.
fn write(path: &str, keys: &Keys, to: &mut Vec<String>) {
    for (key, value) in &keys.0 {
        write_value(&format!("{path}{}", key.get_ref()), value.get_ref(), to);
    }
}

fn write_value(path: &str, value: &Value, to: &mut Vec<String>) {
    match value {
        Value::Text(text) => to.push(format!("{path}={text}").to_lowercase()),
        Value::Flag(is) => to.push(format!("{path}={is}")),
        Value::List(all) => {
            for value in all {
                write_value(path, value.get_ref(), to);
            }
        }
        Value::Keys(keys) => write(&format!("{path}."), keys, to),
    }
}

/// Returns whether words stand in a text, as whole words.
fn has_words(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    text.match_indices(words).any(|(at, _)| {
        let is_end = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        is_end(text[..at].chars().next_back()) && is_end(text[at + words.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::rule::file::read;

    fn found_in(look: fn(&RuleFile) -> Vec<Fault>, keys: &str, cause: &str) -> Vec<String> {
        let text = format!(
            "title = 't'\ncause = 'c'\n[[match]]\nexception = 'A'\n[[cause_when]]\n{keys}\ntext = \"{cause}\"\n"
        );
        let file = read("a.toml", &text).expect("a rule");
        look(&file)
            .into_iter()
            .map(|(_, message)| message)
            .collect()
    }

    fn faults_of(keys: &str, cause: &str) -> Vec<String> {
        found_in(faults, keys, cause)
    }

    #[test]
    fn a_claim_needs_a_key_that_shows_it() {
        let claim = "This worker was forked too early.";
        for keys in [
            "when.start_method = 'fork'",
            "when.heading = 'Process ForkProcess-1:'",
            "when.frame = 'multiprocessing/popen_fork.py'",
        ] {
            assert_eq!(faults_of(keys, claim), [""; 0], "{keys}");
        }
        for keys in ["when.via = 'pool'", "when.unless.start_method = 'fork'"] {
            let found = faults_of(keys, claim);
            assert!(
                found[0].starts_with("\"was forked\" is claimed"),
                "{found:?}"
            );
        }
        assert_eq!(
            faults_of("when.via = 'pool'", "If it was forked, so what."),
            [""; 0]
        );
    }

    #[test]
    fn what_a_cause_tells_of_this_very_run_needs_a_key() {
        for (claim, backed) in [
            (
                "As this worker was forked, it hangs.",
                "when.start_method = 'fork'",
            ),
            (
                "The file was opened before the fork.",
                "when.frame = 'multiprocessing/popen_fork.py'",
            ),
            (
                "In this worker memory ran out.",
                "when.log_line = 'worker was sent SIGKILL'",
            ),
            (
                "`f` was typed into a prompt.",
                "when.heading = 'Process SpawnPoolWorker-1:'",
            ),
            (
                "Another process holds the memory.",
                "when.captures.held = '.+'",
            ),
        ] {
            let found = faults_of("when.via = 'pool'", claim);
            assert_eq!(found.len(), 1, "{claim}: {found:?}");
            assert_eq!(faults_of(backed, claim), [""; 0], "{claim}");
        }
        for hedged in [
            "Usually memory ran out.",
            "The worker was killed, crashed, or was blocked.",
            "Either it crashed or was killed.",
        ] {
            assert_eq!(faults_of("when.via = 'pool'", hedged), [""; 0], "{hedged}");
        }
    }

    #[test]
    fn a_tool_of_nvidia_is_named_where_the_gpu_is_theirs() {
        let text = "See `nvidia-smi`.";
        assert_eq!(faults_of("when.message = 'CUDA error: ...'", text), [""; 0]);
        assert_eq!(
            faults_of("when.unless.message = 'MPS backend ...'", text),
            [""; 0]
        );
        assert_eq!(faults_of("when.via = 'pool'", text).len(), 1);
    }

    #[test]
    fn a_phrase_is_found_as_whole_words() {
        let found = found_in(
            warnings,
            "when.via = 'pool'",
            "Mend it in place of a recommendation.",
        );
        assert_eq!(found, ["\"in place of\": instead of", "\"mend\": fix"]);
        // In lower case `İ` takes a byte more.
        let found = found_in(warnings, "when.via = 'pool'", "İİİ mend");
        assert_eq!(found, ["\"mend\": fix"]);
    }

    #[test]
    fn a_cause_has_45_words_and_no_text_begins_with_or() {
        let words = |n: usize| vec!["word"; n].join(" ");
        assert_eq!(faults_of("when.via = 'pool'", &words(45)), [""; 0]);
        let found = faults_of("when.via = 'pool'", &words(46));
        assert_eq!(found, ["46 words, and a cause has at most 45"]);
        let found = faults_of("when.via = 'pool'", "Or it is another one.");
        assert!(found[0].starts_with("leave out \"Or\""), "{found:?}");
    }
}
