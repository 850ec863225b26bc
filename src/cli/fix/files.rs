//! Files before and after their changes: as a diff, or written, all or none.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::object::{Edit, Fingerprint, Patch};
use crate::regular;
use crate::state::private;

/// The lines around a change in a diff.
const CONTEXT: usize = 3;

/// A file with its text before and after.
pub(super) struct Rewrite {
    path: PathBuf,
    pub(super) shown: String,
    old: String,
    new: String,
}

/// Joins the changes of each file.
pub(super) fn rewrites(patches: impl Iterator<Item = Patch>) -> Result<Vec<Rewrite>, String> {
    let mut files: BTreeMap<PathBuf, (Patch, Vec<Edit>)> = BTreeMap::new();
    for patch in patches {
        let (first, edits) = files
            .entry(patch.path.clone())
            .or_insert_with(|| (patch.clone(), Vec::new()));
        if first.of != patch.of {
            continue;
        }
        let is_new = |edit: &&Edit| !edits.contains(edit);
        let new: Vec<Edit> = patch.edits.iter().filter(is_new).cloned().collect();
        // A second change of the same place comes with the next run.
        let overlaps = |a: &Edit| {
            edits
                .iter()
                .any(|b| a.start < b.end && b.start < a.end || a.start == b.start && a.end == b.end)
        };
        // The same name twice: one of the two would do the other's work.
        let names_again =
            |a: &Edit| defined(a).any(|n| edits.iter().any(|b| defined(b).any(|m| m == n)));
        if !new.iter().any(|edit| overlaps(edit) || names_again(edit)) {
            edits.extend(new);
        }
    }
    let mut all = Vec::new();
    for (path, (patch, mut edits)) in files {
        // Those of one place stay in their order: an import above what needs it.
        edits.sort_by_key(|edit| (edit.start, edit.end));
        let old = regular::read_to_string(&path, regular::MOST_AT_ONCE)
            .map_err(|e| format!("{}: {}", patch.shown, crate::input::plain(&e)))?;
        let new = Edit::all(&old, &edits);
        let Some(new) = new.filter(|_| Fingerprint::of(&old) == patch.of) else {
            return Err(format!(
                "{}: has changed since the failure; run the program again",
                patch.shown
            ));
        };
        all.push(Rewrite {
            path,
            shown: patch.shown,
            old,
            new,
        });
    }
    Ok(all)
}

/// Returns the functions and classes that an edit puts to the top of a module.
fn defined(edit: &Edit) -> impl Iterator<Item = &str> {
    let lines = edit.text.lines();
    let heads = lines.filter_map(|l| l.strip_prefix("def ").or_else(|| l.strip_prefix("class ")));
    heads.filter_map(|head| head.split(['(', ':']).next())
}

/// Returns a unified diff.
pub(super) fn diff(rewrite: &Rewrite) -> String {
    let diff = TextDiff::from_lines(&rewrite.old, &rewrite.new);
    let names = [
        format!("a/{}", rewrite.shown),
        format!("b/{}", rewrite.shown),
    ];
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT).header(&names[0], &names[1]);
    unified.to_string()
}

/// Writes all files or none; what they were is kept beside them.
pub(super) fn apply(rewrites: &[Rewrite]) -> Result<(), String> {
    let fault = |r: &Rewrite, e: &io::Error| format!("{}: {}", r.shown, crate::input::plain(e));
    for rewrite in rewrites {
        let about = fs::symlink_metadata(&rewrite.path).map_err(|e| fault(rewrite, &e))?;
        if !about.is_file() {
            return Err(format!("{}: is no regular file", rewrite.shown));
        }
        if about.permissions().readonly() {
            return Err(format!("{}: may not be written", rewrite.shown));
        }
    }
    let mut done: Vec<&Rewrite> = Vec::new();
    for rewrite in rewrites {
        if let Err(error) = write(rewrite) {
            for before in done {
                let _ = fs::write(&before.path, &before.old);
            }
            return Err(fault(rewrite, &error));
        }
        done.push(rewrite);
    }
    Ok(())
}

/// Writes one file by another one that takes its place. Neither what it was nor what it will be is
/// written through a link that somebody laid there meanwhile, or can be read by others than it.
fn write(rewrite: &Rewrite) -> io::Result<()> {
    let beside = |end: &str| {
        let mut name = rewrite.path.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    let about = fs::metadata(&rewrite.path)?;
    let make = |path: &Path, text: &str| {
        let mut file = private(path)?;
        let written = io::Write::write_all(&mut file, text.as_bytes())
            .and_then(|()| keep_owner(&file, &about))
            .and_then(|()| file.set_permissions(about.permissions()));
        written.inspect_err(|_| {
            let _ = fs::remove_file(path);
        })
    };
    let kept = beside(".orig");
    if fs::symlink_metadata(&kept).is_err() {
        make(&kept, &rewrite.old)?;
    }
    let new = beside(".pickfix-new");
    make(&new, &rewrite.new)?;
    fs::rename(&new, &rewrite.path).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

/// Gives a file to the owner of another one: what root changes stays the user's.
#[cfg(unix)]
fn keep_owner(file: &fs::File, of: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    if own.gid() != of.gid() {
        // Who is not of the group may still write the file.
        let _ = fchown(file, None, Some(of.gid()));
    }
    if own.uid() != of.uid() {
        fchown(file, Some(of.uid()), None)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_owner(_: &fs::File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    use super::*;

    #[test]
    fn of_two_functions_of_one_name_the_second_comes_with_the_next_run() {
        let folder = std::env::temp_dir().join(format!("pickfix-names-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("train.py");
        let old = "a = 1\nb = 2\n";
        fs::write(&path, old).unwrap();
        let patch = |start, text: &str| Patch {
            path: path.clone(),
            shown: "train.py".to_owned(),
            of: Fingerprint::of(old),
            edits: vec![Edit {
                start,
                end: start,
                text: text.to_owned(),
            }],
        };
        let first = patch(0, "def _task(x):\n    return x\n");
        let second = patch(6, "def _task(x):\n    return 2 * x\n");
        let other = patch(6, "def _task_2(x):\n    return 2 * x\n");
        let written = |patches: [Patch; 2]| rewrites(patches.into_iter()).unwrap().remove(0).new;
        assert!(!written([first.clone(), second]).contains("2 * x"));
        assert!(written([first, other]).contains("2 * x"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_changed_file_and_its_copy_keep_owner_and_mode() {
        let name = format!("pickfix-owner-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("train.py");
        fs::write(&path, "a").unwrap();
        // Only root may give a file away; for others it is their own.
        let _ = chown(&path, Some(65_534), Some(65_534));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let about = |path: &Path| {
            let about = fs::metadata(path).unwrap();
            (about.uid(), about.gid(), about.mode())
        };
        let before = about(&path);
        let rewrite = Rewrite {
            path: path.clone(),
            shown: "train.py".to_owned(),
            old: "a".to_owned(),
            new: "b".to_owned(),
        };
        apply(&[rewrite]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "b");
        assert_eq!(about(&path), before);
        assert_eq!(about(&folder.join("train.py.orig")), before);
        fs::remove_dir_all(&folder).unwrap();
    }
}
