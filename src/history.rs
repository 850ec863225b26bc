//! The last bytes of what has passed: the line above a head counts, and a colour that is still on.

/// How many of the last bytes are remembered: a test's report stands above its final line.
pub(crate) const HISTORY_BYTES: usize = 16 * 1024;

/// Old bytes are dropped all at once, when this many are kept.
const ROOM: usize = 4 * HISTORY_BYTES;

/// Remembers the last [`HISTORY_BYTES`] bytes, however they came.
#[derive(Debug, Default)]
pub(crate) struct History(Vec<u8>);

impl History {
    /// Notes bytes that pass. Of many, no more than the last are touched.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let last = &bytes[bytes.len().saturating_sub(HISTORY_BYTES)..];
        if last.len() == HISTORY_BYTES {
            self.0.clear();
        } else if self.0.len() + last.len() > ROOM {
            self.0.drain(..self.0.len() - HISTORY_BYTES);
        }
        self.0.extend_from_slice(last);
    }

    /// Returns the last bytes: `HISTORY_BYTES` of them, or all that ever passed.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0[self.0.len().saturating_sub(HISTORY_BYTES)..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_the_last_bytes_however_they_came() {
        let text: Vec<u8> = (0..100_000_u32)
            .map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1])
            .collect();
        for size in [
            1,
            100,
            HISTORY_BYTES - 1,
            HISTORY_BYTES,
            HISTORY_BYTES + 1,
            70_000,
        ] {
            let mut history = History::default();
            for end in (0..text.len()).step_by(size) {
                assert!(
                    history.bytes() == &text[end.saturating_sub(HISTORY_BYTES)..end],
                    "{size}"
                );
                history.push(&text[end..text.len().min(end + size)]);
            }
            assert!(history.0.capacity() <= 2 * ROOM);
        }
    }
}
