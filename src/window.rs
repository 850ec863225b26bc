//! The last bytes of what has passed.

/// How many of the last bytes are remembered.
pub(crate) const WINDOW: usize = 4 * 1024;

/// Old bytes are dropped all at once, when this many are kept.
const ROOM: usize = 16 * WINDOW;

/// Remembers the last [`WINDOW`] bytes, however they came.
#[derive(Debug, Default)]
pub(crate) struct Window(Vec<u8>);

impl Window {
    /// Notes bytes that pass. Of many, no more than the last are touched.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let last = &bytes[bytes.len().saturating_sub(WINDOW)..];
        if last.len() == WINDOW {
            self.0.clear();
        } else if self.0.len() + last.len() > ROOM {
            self.0.drain(..self.0.len() - WINDOW);
        }
        self.0.extend_from_slice(last);
    }

    /// Gives the last bytes: `WINDOW` of them, or all that ever passed.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0[self.0.len().saturating_sub(WINDOW)..]
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
        for size in [1, 100, WINDOW - 1, WINDOW, WINDOW + 1, 70_000] {
            let mut window = Window::default();
            for end in (0..text.len()).step_by(size) {
                assert!(
                    window.bytes() == &text[end.saturating_sub(WINDOW)..end],
                    "{size}"
                );
                window.push(&text[end..text.len().min(end + size)]);
            }
            assert!(window.0.capacity() <= 2 * ROOM);
        }
    }
}
