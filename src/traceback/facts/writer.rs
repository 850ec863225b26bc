//! Who wrote a traceback: rank, worker, process.

use crate::traceback::Traceback;

pub(super) fn rank(traceback: &Traceback) -> Option<u32> {
    let prefix = traceback.prefix.as_deref()?;
    for mark in ["rank", "Rank ", "default", "[1,", "RANK="] {
        if let Some(found) = number_after(prefix, mark) {
            return Some(found);
        }
    }
    // srun -l: `3: `.
    let digits = prefix
        .trim_start()
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    let rest = &prefix.trim_start()[digits..];
    (digits > 0 && rest.starts_with(':') && rest.trim() == ":")
        .then(|| prefix.trim_start()[..digits].parse().ok())
        .flatten()
}

pub(super) fn worker(traceback: &Traceback) -> Option<u32> {
    let first_lines = || traceback.raised.iter().filter_map(|r| r.message.first());
    first_lines()
        .find_map(|m| number_after(m, "in DataLoader worker process "))
        .or_else(|| {
            traceback
                .raised
                .iter()
                .flat_map(|r| &r.message)
                .find_map(|m| number_after(m, "-- Process "))
        })
        .or_else(|| {
            traceback
                .heading
                .as_deref()
                .and_then(|h| number_after(h, "PoolWorker-"))
        })
}

pub(super) fn pid(traceback: &Traceback) -> Option<u32> {
    let mut texts = traceback.prefix.iter().chain(&traceback.heading);
    texts
        .find_map(|t| number_after(t, "pid="))
        .or_else(|| {
            let mut messages = traceback.raised.iter().filter_map(|r| r.message.first());
            messages.find_map(|m| {
                number_after(m, "(pid ")
                    .or_else(|| number_after(m, "(pid(s) "))
                    .or_else(|| number_after(m, "(pid="))
            })
        })
        .or_else(|| traceback.threads.iter().find_map(|t| t.pid))
}

fn number_after(text: &str, mark: &str) -> Option<u32> {
    let rest = &text[text.find(mark)? + mark.len()..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_read_from_prefixes() {
        for (prefix, expected) in [
            ("[rank3]: ", Some(3)),
            ("[default1]:[rank1]: ", Some(1)),
            ("[1,5]<stderr>:", Some(5)),
            ("7: ", Some(7)),
            ("12:30:01 ", None),
        ] {
            let traceback = Traceback {
                prefix: Some(prefix.to_owned()),
                ..Traceback::default()
            };
            assert_eq!(rank(&traceback), expected, "{prefix}");
        }
    }
}
