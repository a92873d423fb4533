//! Writes files atomically: readers see either the complete old file or the complete new file.

use super::{io_error, parent_folder, write_failure};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tempfile::{Builder, NamedTempFile};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// Writes a file in parts. As with [`write_atomic`](super::write_atomic), the file appears under its name only when it
/// is complete. If the value is dropped before [`commit`](Self::commit), the file is discarded.
///
/// A killed process cannot remove its temporary file. Each new `AtomicFile` therefore removes old temporary files in
/// its folder that no process has locked.
#[derive(Debug)]
pub struct AtomicFile {
    /// The path from the caller, for messages.
    path: PathBuf,
    /// The final path. If `path` is a link, the target of the link is replaced and the link is kept.
    resolved_path: PathBuf,
    replaced_metadata: Option<Metadata>,
    temp_file: NamedTempFile,
    /// Held until the temporary file is gone.
    #[expect(dead_code, reason = "held for its destructor")]
    unfinished: UnfinishedFile,
}

/// The temporary files of this process, which [`remove_unfinished_files`] removes.
static UNFINISHED_FILES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Lists a temporary file while it exists.
#[derive(Debug)]
struct UnfinishedFile(PathBuf);

impl UnfinishedFile {
    fn new(path: &Path) -> Self {
        UNFINISHED_FILES.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for UnfinishedFile {
    fn drop(&mut self) {
        UNFINISHED_FILES.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

/// Removes the temporary files of all unfinished [`AtomicFile`]s of this process. Call this before a signal ends the
/// process, which drops nothing.
pub fn remove_unfinished_files() {
    for path in UNFINISHED_FILES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        std::fs::remove_file(path).ok();
    }
}

impl AtomicFile {
    /// Creates the temporary file for `path`. Fails if `path` cannot be replaced.
    pub fn create(path: &Path) -> Result<Self, Diagnostic> {
        Self::create_temp_file(path).map_err(|error| write_error(path, &error))
    }

    /// Appends bytes. The error names the file and the cause.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Diagnostic> {
        self.write_all(bytes).map_err(|error| write_error(&self.path, &error))
    }

    /// Flushes the temporary file and renames it to its final path.
    pub fn commit(self) -> Result<(), Diagnostic> {
        let path = self.path.clone();
        self.persist().map_err(|error| write_error(&path, &error))
    }

    fn create_temp_file(path: &Path) -> io::Result<Self> {
        let target = resolve_link(path)?;
        let existing = std::fs::metadata(&target).ok();
        if let Some(metadata) = &existing {
            if metadata.is_dir() {
                return Err(io_error(io::ErrorKind::IsADirectory, message!("there is a folder of that name")));
            }
            if !metadata.is_file() {
                return Err(io_error(
                    io::ErrorKind::InvalidInput,
                    message!("it is a device or pipe, not a regular file"),
                ));
            }
            // Renaming would replace a read-only file, which the user protected on purpose.
            if metadata.permissions().readonly() {
                return Err(io_error(io::ErrorKind::PermissionDenied, message!("the file there is read-only")));
            }
        }
        let mut builder = Builder::new();
        builder.prefix(TEMP_FILE_PREFIX).rand_bytes(TEMP_FILE_RANDOM_CHARS);
        #[cfg(unix)]
        let fresh = {
            use std::os::unix::fs::PermissionsExt as _;
            // The umask of the process still applies, as for any new file.
            std::fs::Permissions::from_mode(0o666)
        };
        #[cfg(unix)]
        builder.permissions(fresh);
        let file = builder.tempfile_in(parent_folder(&target)).map_err(|error| without_temp_path(&error))?;
        // The lock is held until the file is closed, even if the process is killed. Some network drives do not support
        // locks; `remove_stale_temp_files` removes nothing on such a drive.
        file.as_file().try_lock().ok();
        remove_stale_temp_files(&file);
        let unfinished = UnfinishedFile::new(file.path());
        Ok(Self {
            path: path.to_owned(),
            resolved_path: target,
            replaced_metadata: existing,
            temp_file: file,
            unfinished,
        })
    }

    fn persist(self) -> io::Result<()> {
        if let Some(metadata) = self.replaced_metadata {
            #[cfg(unix)]
            copy_owner(self.temp_file.as_file(), &metadata)?;
            // The mode is set after the owner, because changing the owner may clear bits of the mode.
            self.temp_file.as_file().set_permissions(metadata.permissions())?;
        }
        self.temp_file.as_file().sync_all()?;
        self.temp_file.persist(&self.resolved_path).map_err(|failed| without_temp_path(&failed.error))?;
        #[cfg(unix)]
        if let Ok(folder) = File::open(parent_folder(&self.resolved_path)) {
            // The rename is already complete, so the error of a file system that cannot flush folders is ignored.
            folder.sync_all().ok();
        }
        Ok(())
    }
}

impl io::Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.temp_file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.temp_file.as_file_mut().flush()
    }
}

const TEMP_FILE_PREFIX: &str = ".yuremono-";
const TEMP_FILE_RANDOM_CHARS: usize = 6;
/// A save keeps temporary files that were last written less than this long ago.
const STALE_AGE: Duration = Duration::from_mins(5);

/// Returns the file that a save replaces: the target of a symbolic link, or the path itself.
fn resolve_link(path: &Path) -> io::Result<PathBuf> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    match path.canonicalize() {
        Ok(target) => Ok(target),
        Err(error) if is_link && error.kind() == io::ErrorKind::NotFound => {
            let to = std::fs::read_link(path)?;
            let message = message!(
                "it is a symbolic link to \"{to}\", which does not exist; remove the link or create that file",
                to = to.display().to_string()
            );
            Err(io_error(io::ErrorKind::NotFound, message))
        }
        Err(error) if is_link => Err(error),
        Err(_) => Ok(path.to_owned()),
    }
}

/// Copies the owner and group of the replaced file to the new file. Usually only the administrator may change the
/// owner, so missing permissions are ignored.
#[cfg(unix)]
fn copy_owner(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let new = file.metadata()?;
    if new.gid() != old.gid() {
        fchown(file, None, Some(old.gid())).ok();
    }
    if new.uid() != old.uid() {
        fchown(file, Some(old.uid()), None).ok();
    }
    Ok(())
}

/// Removes temporary files that killed processes left in the folder of `fresh`.
///
/// A file is stale if its name has the pattern of Yuremono's temporary files, it was last written more than
/// [`STALE_AGE`] before `fresh`, and no process has locked it. The temporary file of another running process is
/// therefore kept. Errors are ignored, because the save does not depend on this cleanup.
fn remove_stale_temp_files(fresh: &NamedTempFile) {
    let Some(now) = fresh.as_file().metadata().ok().and_then(|metadata| metadata.modified().ok()) else { return };
    remove_temp_files(parent_folder(fresh.path()), |metadata| {
        let age = metadata.modified().ok().and_then(|written| now.duration_since(written).ok());
        age.is_some_and(|age| age > STALE_AGE)
    });
}

/// Removes all unlocked temporary files in `folder`, whatever their age. Call this for the folder of a process that was
/// killed.
pub fn remove_temp_files_of_ended_processes(folder: &Path) {
    remove_temp_files(folder, |_| true);
}

fn remove_temp_files(folder: &Path, is_stale: impl Fn(&Metadata) -> bool) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| is_temp_file_name(&entry.file_name())) {
        // For a link, `metadata` describes the link itself.
        let is_stale = entry.metadata().is_ok_and(|metadata| metadata.is_file() && is_stale(&metadata));
        let is_free = || File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_stale && is_free() {
            std::fs::remove_file(entry.path()).ok();
        }
    }
}

/// Whether `name` has the pattern of Yuremono's temporary files.
fn is_temp_file_name(name: &OsStr) -> bool {
    let letters = name.to_str().and_then(|name| name.strip_prefix(TEMP_FILE_PREFIX));
    letters.is_some_and(|letters| {
        letters.len() == TEMP_FILE_RANDOM_CHARS && letters.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn write_error(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(Location::file(path.display().to_string()), write_failure(error))
}

/// Removes the path of the temporary file from an error text, because the path means nothing to the user.
fn without_temp_path(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let cause = text.split(" at path ").next().unwrap_or(&text);
    io::Error::new(error.kind(), cause.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::write_atomic;

    #[test]
    fn writing_leaves_no_temporary_files() {
        let dir = tempfile::tempdir().expect("temp folder");
        let path = dir.path().join("hair.csv");
        write_atomic(&path, b"one").expect("new");
        write_atomic(&path, b"two").expect("existing");
        assert_eq!(std::fs::read(&path).expect("there"), b"two");
        assert_eq!(std::fs::read_dir(dir.path()).expect("folder").count(), 1);
    }

    #[test]
    fn a_failed_write_names_the_file_and_keeps_its_content() {
        let dir = tempfile::tempdir().expect("temp folder");
        let taken = dir.path().join("taken");
        std::fs::create_dir(&taken).expect("made");
        let message = write_atomic(&taken, b"x").expect_err("a folder is there").to_string();
        let expected = "cannot be written: there is a folder of that name. Nothing was saved; save under another name";
        assert_eq!(message, format!("{}: {expected}", taken.display()));
        assert!(taken.is_dir());

        let locked = dir.path().join("locked");
        std::fs::write(&locked, b"old").expect("written");
        let mut permissions = std::fs::metadata(&locked).expect("there").permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&locked, permissions).expect("locked");
        let message = write_atomic(&locked, b"x").expect_err("read-only").to_string();
        let expected = "cannot be written: the file there is read-only. Nothing was saved; save to another folder, or \
                        change the permissions";
        assert!(message.ends_with(expected), "{message}");
        assert_eq!(std::fs::read(&locked).expect("there"), b"old");

        let nowhere = dir.path().join("no/such/folder/a");
        let message = write_atomic(&nowhere, b"x").expect_err("no folder").to_string();
        assert!(message.contains("cannot be written: No such file"), "{message}");
        assert!(message.ends_with(". Nothing was saved; choose a folder that exists"), "{message}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn every_refusal_of_the_system_names_the_next_step() {
        // ENOSPC, EDQUOT, EFBIG, EACCES, EROFS, ESTALE, ETIMEDOUT, EHOSTUNREACH.
        for (code, step) in [
            (28, "free some space"),
            (122, "free some space"),
            (27, "free some space"),
            (13, "change the permissions"),
            (30, "change the permissions"),
            (116, "connect the drive again"),
            (110, "connect the drive again"),
            (113, "connect the drive again"),
        ] {
            let message = write_error(Path::new("/mnt/share/a.yure"), &io::Error::from_raw_os_error(code)).to_string();
            assert!(message.starts_with("/mnt/share/a.yure: cannot be written: "), "{message}");
            assert!(message.contains(step), "{code}: {message}");
        }
    }

    #[test]
    fn a_dropped_file_leaves_nothing_behind() {
        let dir = tempfile::tempdir().expect("temp folder");
        let mut file = AtomicFile::create(&dir.path().join("film.gif")).expect("a new file");
        file.write_all(b"half").expect("written");
        drop(file);
        assert_eq!(std::fs::read_dir(dir.path()).expect("folder").count(), 0);
    }

    /// Creates a file with this name that was last written `age` seconds ago.
    fn create_aged_file(folder: &Path, name: &str, age: u64) -> PathBuf {
        let path = folder.join(name);
        std::fs::write(&path, b"half").expect("written");
        let file = File::options().write(true).open(&path).expect("opened");
        let written = file.metadata().and_then(|metadata| metadata.modified()).expect("a time");
        file.set_modified(written - Duration::from_secs(age)).expect("set");
        path
    }

    #[test]
    fn a_save_removes_only_stale_temporary_files() {
        let dir = tempfile::tempdir().expect("temp folder");
        let left = create_aged_file(dir.path(), ".yuremono-aB3xYz", 3600);
        let held = create_aged_file(dir.path(), ".yuremono-ccccc1", 3600);
        let owner = File::open(&held).expect("opened");
        owner.try_lock().expect("free");
        let kept = [
            held,
            create_aged_file(dir.path(), ".yuremono-aB3xY0", 10),
            create_aged_file(dir.path(), ".yuremono-notes.txt", 3600),
            create_aged_file(dir.path(), ".yuremono-short", 3600),
            create_aged_file(dir.path(), "yuremono-aB3xYz", 3600),
        ];
        write_atomic(&dir.path().join("hair.csv"), b"one").expect("written");
        assert!(!left.exists(), "the file of a killed process still exists");
        for path in kept {
            assert!(path.exists(), "{} was removed", path.display());
        }
    }

    #[test]
    fn a_file_that_is_being_written_holds_its_lock() {
        let dir = tempfile::tempdir().expect("temp folder");
        let film = AtomicFile::create(&dir.path().join("film.gif")).expect("a new file");
        let other = File::open(film.temp_file.path()).expect("opened");
        assert!(other.try_lock().is_err(), "another program could remove it");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_dangling_links_are_rejected() {
        let dir = tempfile::tempdir().expect("temp folder");
        let (real, link, dangling) = (dir.path().join("real"), dir.path().join("link"), dir.path().join("dangling"));
        std::fs::write(&real, b"old").expect("written");
        std::os::unix::fs::symlink("real", &link).expect("linked");
        std::os::unix::fs::symlink("nowhere", &dangling).expect("linked");
        write_atomic(&link, b"new").expect("followed");
        assert_eq!(std::fs::read(&real).expect("there"), b"new");
        assert!(std::fs::symlink_metadata(&link).expect("there").is_symlink());
        let message = write_atomic(&dangling, b"new").expect_err("refused").to_string();
        assert!(message.contains("a symbolic link to \"nowhere\", which does not exist"), "{message}");
        assert!(std::fs::symlink_metadata(&dangling).expect("there").is_symlink());
        assert!(!dir.path().join("nowhere").exists());
    }

    #[cfg(unix)]
    #[test]
    fn mode_and_owner_of_a_replaced_file_are_kept() {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
        let dir = tempfile::tempdir().expect("temp folder");
        let path = dir.path().join("hair.csv");
        std::fs::write(&path, b"old").expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("set");
        // Only the administrator may change the owner. For other users, the owner does not change, and the assertions
        // also hold.
        chown(&path, Some(12_345), Some(12_345)).ok();
        let old = std::fs::metadata(&path).expect("there");
        write_atomic(&path, b"new").expect("written");
        let new = std::fs::metadata(&path).expect("there");
        assert_eq!((new.mode(), new.uid(), new.gid()), (old.mode(), old.uid(), old.gid()));
        assert_ne!(new.ino(), old.ino(), "the file was written in place");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_not_replaced() {
        assert!(write_atomic(Path::new("/dev/full"), b"x").is_err());
    }
}
