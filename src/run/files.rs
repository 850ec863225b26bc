//! The open files of a process, by what may come through them: something from within the program, or
//! from outside.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The most files that a call is asked about.
const MAX_FILES: u64 = 1024;
/// How the sockets are called by which `multiprocessing` hands on files and starts processes: in its
/// own temporary folder, or (some releases of 3.9 to 3.11) without a file.
const OWN_SOCKETS: [&str; 2] = ["/pymp-", "@listener-"];

/// The open files of a process.
pub(super) struct ProcessFiles {
    process: PathBuf,
}

impl ProcessFiles {
    pub(super) fn of(pid: i32) -> Self {
        Self {
            process: format!("/proc/{pid}").into(),
        }
    }

    /// Returns what a file is: `pipe:[4711]`, `/dev/pts/3`.
    pub(super) fn name(&self, fd: u64) -> Option<String> {
        let name = fs::read_link(self.process.join(format!("fd/{fd}"))).ok()?;
        name.to_str().map(str::to_owned)
    }

    /// Returns whether one of them is this: a path, or a name as [`name`](Self::name) returns it.
    pub(super) fn have(&self, name: impl AsRef<Path>) -> bool {
        let files = fs::read_dir(self.process.join("fd"));
        let mut files = files.into_iter().flatten().flatten();
        files.any(|file| fs::read_link(file.path()).is_ok_and(|to| to == name.as_ref()))
    }

    /// Returns whether only the program itself can put something into a file.
    pub(super) fn is_inner(&self, fd: u64) -> bool {
        let Some(name) = self.name(fd).filter(|_| fd > 0) else {
            return false;
        };
        match name.strip_prefix("socket:[") {
            Some(inode) => self.is_own_listener(inode.trim_end_matches(']')),
            None => {
                name.starts_with("pipe:")
                    || matches!(name.as_str(), "anon_inode:[eventfd]" | "anon_inode:[pidfd]")
            }
        }
    }

    /// Returns whether a socket is one of those at which `multiprocessing` listens.
    fn is_own_listener(&self, inode: &str) -> bool {
        let table = fs::read_to_string(self.process.join("net/unix")).unwrap_or_default();
        is_own_listener(&table, inode)
    }

    /// Returns the files of an array of `struct pollfd` in the memory of the process.
    pub(super) fn polled(&self, at: u64, count: u64) -> Option<Vec<u64>> {
        let bytes = self.memory(at, count.min(MAX_FILES) * 8)?;
        let fds = bytes.chunks_exact(8).map(|entry| {
            let fd = i32::from_ne_bytes([entry[0], entry[1], entry[2], entry[3]]);
            u64::try_from(fd).ok()
        });
        // A negative one is not waited for.
        Some(fds.flatten().collect())
    }

    /// Returns the files of the sets of `select`, of so many files, in the memory of the process.
    pub(super) fn selected(&self, sets: [u64; 3], count: u64) -> Option<Vec<u64>> {
        let count = count.min(MAX_FILES);
        let mut fds = Vec::new();
        for set in sets.into_iter().filter(|set| *set != 0) {
            let bits = self.memory(set, count.div_ceil(8))?;
            let is_in = |fd: &u64| {
                let byte = usize::try_from(fd / 8).ok().and_then(|at| bits.get(at));
                byte.is_some_and(|byte| byte >> (fd % 8) & 1 == 1)
            };
            fds.extend((0..count).filter(is_in));
        }
        Some(fds)
    }

    /// Returns the files that are registered with an epoll file.
    pub(super) fn registered(&self, epoll: u64) -> Option<Vec<u64>> {
        let info = fs::read_to_string(self.process.join(format!("fdinfo/{epoll}"))).ok()?;
        let files = info.lines().filter_map(|line| line.strip_prefix("tfd:"));
        let fds = files.filter_map(|rest| rest.split_whitespace().next()?.parse().ok());
        Some(fds.collect())
    }

    fn memory(&self, at: u64, length: u64) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        let memory = File::open(self.process.join("mem")).ok()?;
        memory.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }
}

/// Reads `/proc/net/unix`: the inode is the seventh column, the name the eighth.
fn is_own_listener(table: &str, inode: &str) -> bool {
    table.lines().any(|line| {
        let mut columns = line.split_whitespace().skip(6);
        columns.next() == Some(inode)
            && columns
                .next()
                .is_some_and(|name| OWN_SOCKETS.iter().any(|own| name.contains(own)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_of_multiprocessing_are_known_by_their_names() {
        let table = "\
Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 41 /tmp/pymp-ab12cd34/listener-x_1
0000000000000000: 00000002 00000000 00010000 0001 01 42 /run/docker.sock
0000000000000000: 00000003 00000000 00000000 0001 03 43
0000000000000000: 00000002 00000000 00010000 0001 01 44 @listener-17-0
";
        for (inode, is_own) in [
            ("41", true),
            ("42", false),
            ("43", false),
            ("44", true),
            ("4", false),
        ] {
            assert_eq!(is_own_listener(table, inode), is_own, "{inode}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_files_of_a_call_are_read_where_the_call_has_them() {
        let files = ProcessFiles::of(std::process::id().cast_signed());
        let polled: [i32; 4] = [7, 1, -1, 1];
        let at = polled.as_ptr() as u64;
        assert_eq!(files.polled(at, 2), Some(vec![7]));
        let set = [0b1000_0100_u8, 0b1];
        let sets = [set.as_ptr() as u64, 0, 0];
        assert_eq!(files.selected(sets, 9), Some(vec![2, 7, 8]));
        assert_eq!(files.selected(sets, 8), Some(vec![2, 7]));
        assert_eq!(files.polled(8, 1), None, "there is no memory");
        let (pipe, _writer) = std::io::pipe().unwrap();
        let socket = std::os::unix::net::UnixStream::pair().unwrap();
        let fd = |file: &dyn std::os::fd::AsRawFd| u64::try_from(file.as_raw_fd()).unwrap();
        assert!(files.is_inner(fd(&pipe)));
        assert!(!files.is_inner(fd(&socket.0)));
    }
}
