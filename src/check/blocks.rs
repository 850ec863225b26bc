//! A file in blocks, each searched by the gate before its lines are read.

use std::io::{self, Read};

use super::open::LogReader;
use crate::candidate_lines::CandidateLines;
use crate::gate::Gate;

/// The size of a block, in bytes: it fits into the second cache together with what searches it.
pub(super) const BLOCK: usize = 512 * 1024;

/// Hands all of a file to `take`, block by block; `block` is what it reads into.
///
/// What was read before an error is handed on too.
pub(super) fn read(
    mut reader: LogReader,
    gate: &Gate,
    block: &mut Vec<u8>,
    mut take: impl FnMut(&[u8], &CandidateLines),
) -> io::Result<()> {
    block.resize(BLOCK, 0);
    let mut candidates = CandidateLines::default();
    loop {
        let (len, result) = fill(&mut reader, block);
        candidates.find(gate, &block[..len]);
        take(&block[..len], &candidates);
        if result? {
            return Ok(());
        }
    }
}

/// Fills a buffer; returns how much of it, all of it unless the file ended.
pub(super) fn read_up_to(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let (len, result) = fill(from, buffer);
    result.map(|_| len)
}

/// Fills a block; returns how much was read, and whether the file ended.
fn fill(reader: &mut impl Read, block: &mut [u8]) -> (usize, io::Result<bool>) {
    let mut len = 0;
    while len < block.len() {
        match reader.read(&mut block[len..]) {
            Ok(0) => return (len, Ok(true)),
            Ok(count) => len += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (len, Err(error)),
        }
    }
    (len, Ok(false))
}
