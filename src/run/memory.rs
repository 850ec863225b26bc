//! The memory that the command and all beside it may use, as control groups tell of it.

use std::fs;
use std::path::{Path, PathBuf};

/// The control group of this process.
#[derive(Debug, Default)]
pub(super) struct MemoryGroup {
    /// The file that counts the processes that were killed: of version 2, else of version 1.
    kills: Option<PathBuf>,
    /// The files, there or not, that limit it: its own and those of the groups above.
    limits: Vec<PathBuf>,
    /// The file that tells the most that was used, where the kernel has one.
    peak: Option<PathBuf>,
    /// How many processes of it had been killed when the command was started.
    before: u64,
}

impl MemoryGroup {
    /// Finds the group of this process.
    pub(super) fn of_this_process() -> Self {
        let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::find(&groups, Path::new("/sys/fs/cgroup"))
    }

    fn find(groups: &str, root: &Path) -> Self {
        let below = |root: PathBuf, path: &str| root.join(path.trim_start_matches('/'));
        let mut group = Self::default();
        for line in groups.lines() {
            let mut fields = line.splitn(3, ':');
            let (Some(number), Some(names), Some(path)) =
                (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            // In a container the path may be that of the host, and the group at the root.
            let folders = if number == "0" {
                [below(root.to_owned(), path), root.to_owned()]
            } else if names.split(',').any(|name| name == "memory") {
                [below(root.join("memory"), path), root.join("memory")]
            } else {
                continue;
            };
            for folder in folders {
                group.add(&folder, root);
            }
        }
        group.before = group.count();
        group
    }

    /// Adds the files of a folder, where they are there.
    fn add(&mut self, folder: &Path, root: &Path) {
        let there = |name: &str| Some(folder.join(name)).filter(|path| path.is_file());
        let is_first = self.kills.is_none();
        self.kills = self
            .kills
            .take()
            .or_else(|| there("memory.events").or_else(|| there("memory.oom_control")));
        if is_first && self.kills.is_some() {
            self.peak = there("memory.peak").or_else(|| there("memory.max_usage_in_bytes"));
            // What a group above may not use, this one may not.
            for folder in folder
                .ancestors()
                .take_while(|above| above.starts_with(root))
            {
                let files = ["memory.max", "memory.limit_in_bytes"];
                self.limits.extend(files.map(|name| folder.join(name)));
            }
        }
    }

    /// Returns how many processes of it the out-of-memory killer has ended since the start.
    pub(super) fn kills(&self) -> u64 {
        self.count().saturating_sub(self.before)
    }

    fn count(&self) -> u64 {
        let Some(path) = &self.kills else { return 0 };
        let text = fs::read_to_string(path).unwrap_or_default();
        let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        count
            .and_then(|count| count.trim().parse().ok())
            .unwrap_or(0)
    }

    /// Returns how much memory it may use, in bytes; `None` for as much as there is.
    pub(super) fn limit(&self) -> Option<u64> {
        // Version 1 writes a number near 2^63 for none.
        let limits = self.limits.iter().filter_map(|path| number(path));
        limits.filter(|limit| *limit < 1 << 60).min()
    }

    /// Returns the most memory that it has used, in bytes.
    pub(super) fn peak(&self) -> Option<u64> {
        number(self.peak.as_deref()?)
    }
}

fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Writes an amount of memory as people do: `1.9 GiB`.
pub(super) fn amount(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    match mebibytes {
        size if size >= 1024.0 => format!("{:.1} GiB", size / 1024.0),
        size if size >= 10.0 => format!("{size:.0} MiB"),
        size => format!("{size:.1} MiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(name: &str, files: &[(&str, &str)]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("pickfix-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    #[test]
    fn version_2_counts_kills_and_a_limit_above_holds() {
        let events = |kills| format!("low 0\nhigh 0\nmax 9\noom 1\noom_kill {kills}\n");
        let root = files(
            "cgroup2",
            &[
                ("job/memory.max", "2147483648\n"),
                ("job/step/memory.max", "max\n"),
                ("job/step/memory.peak", "2147479552\n"),
                ("job/step/memory.events", &events(3)),
            ],
        );
        let group = MemoryGroup::find("0::/job/step\n", &root);
        assert_eq!((group.kills(), group.limit()), (0, Some(2 << 30)));
        assert_eq!(group.peak().map(amount).as_deref(), Some("2.0 GiB"));
        fs::write(root.join("job/step/memory.events"), events(5)).unwrap();
        assert_eq!(group.kills(), 2);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn version_1_counts_kills_too() {
        let root = files(
            "cgroup1",
            &[
                (
                    "memory/a/memory.oom_control",
                    "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n",
                ),
                ("memory/a/memory.limit_in_bytes", "67108864\n"),
                ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ],
        );
        let group = MemoryGroup::find("5:cpu:/a\n4:memory:/a\n0::/\n", &root);
        assert_eq!((group.count(), group.limit()), (1, Some(64 << 20)));
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn without_groups_nothing_is_known() {
        let group = MemoryGroup::find("", Path::new("/nowhere"));
        assert_eq!(
            (group.kills(), group.limit(), group.peak()),
            (0, None, None)
        );
    }
}
