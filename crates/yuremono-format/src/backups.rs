//! The last saves of each project, in a folder that the caller passes.
//!
//! Every project has a folder of its own, named after the file and a checksum of its path. Each save is one project
//! file, named by its time. Projects are small, so the files are not compressed.

use super::fs;
use super::source::{read_limited, write_atomic};
use std::path::{Path, PathBuf};
use yuremono_sim::diagnostics::Diagnostic;

/// Maximum number of saves per project.
const MAX_SAVES: usize = 10;
/// Maximum size of all saves of a project, in bytes. The newest save is kept at any size.
const MAX_BYTES: u64 = 64 << 20;
const EXTENSION: &str = "yure";

/// An earlier save of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    pub path: PathBuf,
    /// Time of the save, in milliseconds since 1970-01-01 UTC.
    pub time_ms: u64,
    /// Size of the file, in bytes.
    pub size: u64,
}

/// Returns the folder of all backups in the folder for user data.
pub fn path_in(user_data: &Path) -> PathBuf {
    user_data.join("backups")
}

/// Stores the bytes of a save, unless the newest backup has the same bytes, and deletes the oldest backups beyond the
/// limits. `time_ms` is in milliseconds since 1970-01-01 UTC.
pub fn store(folder: &Path, project: &Path, bytes: &[u8], time_ms: u64) -> Result<(), Diagnostic> {
    let saves = list(folder, project);
    if saves.first().is_some_and(|newest| read_limited(&newest.path).is_ok_and(|known| known == bytes)) {
        return Ok(());
    }
    let own = project_folder(folder, project);
    // Writing reports a folder that cannot be created.
    fs::create_dir_all(&own).ok();
    // A clock that was set back must not make the new save older than the others.
    let time_ms = saves.first().map_or(time_ms, |newest| time_ms.max(newest.time_ms + 1));
    write_atomic(&own.join(format!("{time_ms}.{EXTENSION}")), bytes)?;
    let mut total = bytes.len() as u64;
    for (at, save) in saves.iter().enumerate() {
        total += save.size;
        if at + 1 >= MAX_SAVES || total > MAX_BYTES {
            // A file that cannot be deleted is deleted by a later save.
            fs::remove_file(&save.path).ok();
        }
    }
    Ok(())
}

/// Returns the backups of a project, newest first.
pub fn list(folder: &Path, project: &Path) -> Vec<Backup> {
    let Ok(entries) = fs::read_dir(project_folder(folder, project)) else { return Vec::new() };
    let backup = |entry: fs::DirEntry| {
        let path = entry.path();
        let time_ms = path.file_stem()?.to_str()?.parse().ok()?;
        path.extension().is_some_and(|extension| extension == EXTENSION).then_some(())?;
        Some(Backup { time_ms, size: entry.metadata().ok()?.len(), path })
    };
    let mut saves: Vec<Backup> = entries.flatten().filter_map(backup).collect();
    saves.sort_by_key(|save| std::cmp::Reverse(save.time_ms));
    saves
}

fn project_folder(folder: &Path, project: &Path) -> PathBuf {
    let whole =
        fs::canonicalize(project).or_else(|_| std::path::absolute(project)).unwrap_or_else(|_| project.to_owned());
    let stem = whole.file_stem().unwrap_or_default().to_string_lossy();
    // The checksum already distinguishes projects, so a long name can be cut.
    let stem: String = stem.chars().take(40).collect();
    folder.join(format!("{stem}-{:08x}", crc32fast::hash(whole.as_os_str().as_encoded_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ten_different_saves_are_kept_newest_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("hair.yure");
        for time in 0..25_u64 {
            // Each content is saved twice.
            store(folder.path(), &project, format!("{}", time / 2).as_bytes(), time).expect("written");
        }
        let saves = list(folder.path(), &project);
        let contents: Vec<String> =
            saves.iter().map(|save| std::fs::read_to_string(&save.path).expect("readable")).collect();
        assert_eq!(contents, ["12", "11", "10", "9", "8", "7", "6", "5", "4", "3"]);
        assert_eq!(list(folder.path(), &folder.path().join("other/hair.yure")), []);
    }

    #[test]
    fn the_size_of_all_saves_is_limited_but_the_newest_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("hair.yure");
        for time in 1..=4_u8 {
            store(folder.path(), &project, &vec![time; 30 << 20], u64::from(time)).expect("written");
        }
        assert_eq!(list(folder.path(), &project).len(), 2);
        store(folder.path(), &project, &vec![5; 65 << 20], 5).expect("written");
        assert_eq!(list(folder.path(), &project).iter().map(|save| save.size).collect::<Vec<_>>(), [65 << 20]);
    }

    #[test]
    fn a_clock_that_was_set_back_keeps_the_order_of_saves() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("hair.yure");
        store(folder.path(), &project, b"first", 1000).expect("written");
        store(folder.path(), &project, b"second", 10).expect("written");
        let newest = &list(folder.path(), &project)[0];
        assert_eq!(std::fs::read(&newest.path).expect("readable"), b"second");
    }
}
