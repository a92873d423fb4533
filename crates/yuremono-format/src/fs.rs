//! The file system: of the computer, or in a browser a file system in memory with the same functions.

#[cfg(target_arch = "wasm32")]
mod memory;

#[cfg(target_arch = "wasm32")]
pub use memory::*;
#[cfg(not(target_arch = "wasm32"))]
pub use std::fs::*;

use std::io;
use std::path::{Path, PathBuf};

/// Returns whether there is a file or a folder at `path`.
pub fn is_present(path: &Path) -> bool {
    metadata(path).is_ok()
}

/// Returns whether there is a folder at `path`.
pub fn is_folder(path: &Path) -> bool {
    metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Returns whether there is a regular file at `path`.
pub fn is_regular_file(path: &Path) -> bool {
    metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// A file without a name, which is deleted when it is dropped.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) type TemporaryFile = File;
/// A file without a name, which is deleted when it is dropped.
#[cfg(target_arch = "wasm32")]
pub(crate) type TemporaryFile = io::Cursor<Vec<u8>>;

/// Creates an empty temporary file on the drive of `folder`.
pub(crate) fn create_temporary(folder: &Path) -> io::Result<TemporaryFile> {
    #[cfg(not(target_arch = "wasm32"))]
    {
        tempfile::tempfile_in(folder)
    }
    #[cfg(target_arch = "wasm32")]
    {
        let _ = folder;
        Ok(TemporaryFile::default())
    }
}

/// Creates a file in `folder` with a new name and the given extension.
pub(crate) fn create_with_new_name(folder: &Path, extension: &str) -> io::Result<(File, PathBuf)> {
    #[cfg(not(target_arch = "wasm32"))]
    {
        let suffix = format!(".{extension}");
        let file = tempfile::Builder::new().prefix("").suffix(&suffix).rand_bytes(12).tempfile_in(folder)?;
        file.keep().map_err(|failed| failed.error)
    }
    #[cfg(target_arch = "wasm32")]
    memory::create_with_new_name(folder, extension)
}
