//! Reads regular files of limited size, and restricts relative names to one folder.

use super::{io_error, io_error_text, parent_folder};
use crate::fs;
use std::{
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// Maximum size of a file, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 30;

/// Maximum number of entries of a folder that are compared with a name.
const MAX_ENTRIES: usize = 10_000;

/// Reads files of one folder for a [`SourceFile`](super::SourceFile).
///
/// Rejects files that are not regular, links to files outside the folder, and more than [`MAX_FILE_BYTES`] bytes in
/// total.
#[derive(Debug)]
pub struct Folder {
    /// Canonical path, so that a link to a file outside the folder is detected.
    root: PathBuf,
    bytes_left: AtomicU64,
}

impl Folder {
    /// Creates a reader for the folder of the file at `path`.
    pub fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { root: fs::canonicalize(parent_folder(path))?, bytes_left: AtomicU64::new(MAX_FILE_BYTES) })
    }

    /// Creates a reader for the folder above.
    pub fn parent(&self) -> Option<Self> {
        let root = self.root.parent()?.to_owned();
        Some(Self { root, bytes_left: AtomicU64::new(MAX_FILE_BYTES) })
    }

    /// Reads a file by its name relative to the folder.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = fs::canonicalize(self.root.join(name)).map_err(explain_missing)?;
        if !path.starts_with(&self.root) {
            return Err(io_error(io::ErrorKind::PermissionDenied, message!("it is outside the folder of the file")));
        }
        let bytes = read_regular_file(&path, self.bytes_left.load(Ordering::Relaxed))?;
        self.bytes_left.fetch_sub(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes)
    }

    /// Reads a file like [`Folder::read`], or else the first file whose name differs only in case.
    pub fn read_ignoring_case(&self, name: &str) -> io::Result<Vec<u8>> {
        let found = self.read(name);
        if !matches!(&found, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            return found;
        }
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let wanted = file.to_lowercase();
        let entries = fs::read_dir(self.root.join(folder))?.take(MAX_ENTRIES).flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut same: Vec<String> = names.filter(|other| other.to_lowercase() == wanted).collect();
        // The order of a folder differs between systems.
        same.sort();
        let path = |other: &String| if folder.is_empty() { other.clone() } else { format!("{folder}/{other}") };
        same.first().map_or(found, |other| self.read(&path(other)))
    }
}

/// Explains a missing file. A page has no folders: the files of a character must be opened together.
fn explain_missing(error: io::Error) -> io::Error {
    if cfg!(target_arch = "wasm32") && error.kind() == io::ErrorKind::NotFound {
        return io_error(
            io::ErrorKind::NotFound,
            message!("it is not open in this page; open it together with the file that uses it"),
        );
    }
    error
}

/// Reads a whole regular file of at most [`MAX_FILE_BYTES`] bytes. The error names the file and the cause.
pub fn read_limited(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    read_regular_file(path, MAX_FILE_BYTES).map_err(|error| {
        Diagnostic::error(
            Location::file(path.display().to_string()),
            message!("cannot be read: {error}", error = io_error_text(&error)),
        )
    })
}

/// Reads a stream of at most [`MAX_FILE_BYTES`] bytes to its end. `name` appears in messages.
pub fn read_stream(stream: impl io::Read, name: &str) -> Result<Vec<u8>, Diagnostic> {
    read_at_most(stream, MAX_FILE_BYTES).map_err(|error| {
        Diagnostic::error(Location::file(name), message!("cannot be read: {error}", error = io_error_text(&error)))
    })
}

fn read_at_most(stream: impl io::Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large_error(most)) } else { Ok(bytes) }
}

fn read_regular_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // The type is checked before opening, because opening a pipe would block until a writer connects.
    check_is_regular_file(&fs::metadata(path)?, most)?;
    let file = fs::File::open(path)?;
    let metadata = file.metadata()?;
    check_is_regular_file(&metadata, most)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large_error(most)) } else { Ok(bytes) }
}

fn check_is_regular_file(metadata: &fs::Metadata, most: u64) -> io::Result<()> {
    if metadata.is_dir() {
        Err(io_error(io::ErrorKind::IsADirectory, message!("it is a folder, not a file")))
    } else if !metadata.is_file() {
        Err(io_error(io::ErrorKind::InvalidInput, message!("it is a device or pipe, not a regular file")))
    } else if metadata.len() > most {
        Err(too_large_error(most))
    } else {
        Ok(())
    }
}

fn too_large_error(most: u64) -> io::Error {
    let mib = most >> 20;
    io_error(io::ErrorKind::FileTooLarge, message!("it is larger than the {mib} MiB that may still be read", mib))
}

/// Identifies the content of a file: equal bytes have equal fingerprints. Do not store fingerprints, because the hash
/// may differ between builds of Yuremono.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Returns the fingerprint of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        Self(hasher.finish())
    }

    /// Returns the fingerprint of a file, or `None` if the file cannot be read.
    pub fn of_file(path: &Path) -> Option<Self> {
        read_limited(path).ok().map(|bytes| Self::of(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_folder_is_read_and_one_outside_is_not() {
        let outer = tempfile::tempdir().expect("temp folder");
        let inner = outer.path().join("inner");
        std::fs::create_dir(&inner).expect("made");
        std::fs::write(inner.join("a.bin"), b"abc").expect("written");
        std::fs::write(outer.path().join("secret"), b"no").expect("written");
        let folder = Folder::of(&inner.join("x.gltf")).expect("exists");
        assert_eq!(folder.read("a.bin").expect("inside"), b"abc");
        assert!(folder.read("../secret").is_err());
        assert_eq!(folder.read("missing").expect_err("absent").kind(), io::ErrorKind::NotFound);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret", inner.join("link")).expect("linked");
            assert_eq!(
                folder.read("link").expect_err("the link leaves the folder").kind(),
                io::ErrorKind::PermissionDenied
            );
        }
    }

    #[test]
    fn a_stream_that_is_too_long_is_refused() {
        assert_eq!(read_at_most(&b"abc"[..], 3).expect("short enough"), b"abc");
        assert_eq!(read_at_most(io::repeat(0), 3).expect_err("endless").kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn folders_and_devices_are_refused_with_their_reason() {
        let dir = tempfile::tempdir().expect("temp folder");
        let message = read_limited(dir.path()).expect_err("a folder").to_string();
        assert!(message.ends_with("cannot be read: it is a folder, not a file"), "{message}");
        #[cfg(unix)]
        {
            let message = read_limited(Path::new("/dev/zero")).expect_err("endless").to_string();
            assert_eq!(message, "/dev/zero: cannot be read: it is a device or pipe, not a regular file");
        }
    }
}
