use crate::report::{Diagnostic, Place};
use std::fs::Metadata;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// Puts `bytes` at `path`, all or nothing: on any failure the file that was there stays whole.
///
/// The bytes go to a new file in the same folder, are flushed to the disk, and then take the old name in one
/// step. Permissions of an existing file are kept, and a link is followed. The message names the file and the
/// cause.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let mut file = FreshFile::create(path)?;
    file.write_all(bytes).map_err(|error| cannot(path, &error))?;
    file.keep()
}

/// A file that is written bit by bit and takes its name only when it is whole, as [`write_atomic`] does it; dropped
/// before, it leaves nothing behind.
#[derive(Debug)]
pub struct FreshFile {
    /// As the caller calls it.
    path: PathBuf,
    /// Where it will be: a link keeps pointing where it did, and what it points to is replaced.
    target: PathBuf,
    existing: Option<Metadata>,
    file: NamedTempFile,
}

impl FreshFile {
    /// Begins the file that shall be at `path`. Refused where nothing can be put there.
    pub fn create(path: &Path) -> Result<Self, Diagnostic> {
        Self::begin(path).map_err(|error| cannot(path, &error))
    }

    /// Puts it in place.
    pub fn keep(self) -> Result<(), Diagnostic> {
        let path = self.path.clone();
        self.persist().map_err(|error| cannot(&path, &error))
    }

    fn begin(path: &Path) -> io::Result<Self> {
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let existing = std::fs::metadata(&target).ok();
        if let Some(metadata) = &existing {
            if metadata.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "there is a folder of that name"));
            }
            if !metadata.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a device or pipe, not a regular file"));
            }
            // Renaming over a read-only file would succeed; the artist locked it on purpose.
            if metadata.permissions().readonly() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file there is read-only"));
            }
        }
        let mut builder = Builder::new();
        builder.prefix(".yuremono-");
        #[cfg(unix)]
        let fresh = {
            use std::os::unix::fs::PermissionsExt as _;
            // The process's umask still applies, as with any new file.
            std::fs::Permissions::from_mode(0o666)
        };
        #[cfg(unix)]
        builder.permissions(fresh);
        let file = builder.tempfile_in(folder(&target)).map_err(|error| without_path(&error))?;
        Ok(Self { path: path.to_owned(), target, existing, file })
    }

    fn persist(self) -> io::Result<()> {
        if let Some(metadata) = self.existing {
            self.file.as_file().set_permissions(metadata.permissions())?;
        }
        self.file.as_file().sync_all()?;
        self.file.persist(&self.target).map_err(|failed| without_path(&failed.error))?;
        #[cfg(unix)]
        if let Ok(folder) = std::fs::File::open(folder(&self.target)) {
            // The new name is in place already; where a file system cannot flush folders there is nothing to undo.
            folder.sync_all().ok();
        }
        Ok(())
    }
}

impl io::Write for FreshFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
}

fn cannot(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error(Place::file(path.display().to_string()), format!("cannot be written: {error}"))
}

fn folder(target: &Path) -> &Path {
    target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The temporary file's own name would only confuse.
fn without_path(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let cause = text.split(" at path ").next().unwrap_or(&text);
    io::Error::new(error.kind(), cause.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_and_existing_files_are_written_and_nothing_is_left_beside_them() {
        let dir = tempfile::tempdir().expect("temp folder");
        let path = dir.path().join("hair.csv");
        write_atomic(&path, b"one").expect("new");
        write_atomic(&path, b"two").expect("existing");
        assert_eq!(std::fs::read(&path).expect("there"), b"two");
        assert_eq!(std::fs::read_dir(dir.path()).expect("folder").count(), 1);
    }

    #[test]
    fn a_failure_names_the_file_and_keeps_what_was_there() {
        let dir = tempfile::tempdir().expect("temp folder");
        let taken = dir.path().join("taken");
        std::fs::create_dir(&taken).expect("made");
        let message = write_atomic(&taken, b"x").expect_err("a folder is there").to_string();
        assert_eq!(message, format!("{}: cannot be written: there is a folder of that name", taken.display()));
        assert!(taken.is_dir());

        let locked = dir.path().join("locked");
        std::fs::write(&locked, b"old").expect("written");
        let mut permissions = std::fs::metadata(&locked).expect("there").permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&locked, permissions).expect("locked");
        let message = write_atomic(&locked, b"x").expect_err("read-only").to_string();
        assert!(message.ends_with("cannot be written: the file there is read-only"), "{message}");
        assert_eq!(std::fs::read(&locked).expect("there"), b"old");

        let nowhere = dir.path().join("no/such/folder/a");
        let message = write_atomic(&nowhere, b"x").expect_err("no folder").to_string();
        assert!(message.contains("cannot be written: No such file"), "{message}");
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing_behind() {
        let dir = tempfile::tempdir().expect("temp folder");
        let mut file = FreshFile::create(&dir.path().join("film.gif")).expect("a new file");
        file.write_all(b"half").expect("written");
        drop(file);
        assert_eq!(std::fs::read_dir(dir.path()).expect("folder").count(), 0);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_not_replaced() {
        assert!(write_atomic(Path::new("/dev/full"), b"x").is_err());
    }
}
