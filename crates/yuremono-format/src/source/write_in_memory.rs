//! Writes files in a browser: into the memory of the page, and then to the artist, as a download or into a chosen file.

use super::write_failure;
use crate::fs;
use std::io;
use std::path::{Path, PathBuf};
use yuremono_sim::diagnostics::{Diagnostic, Location};

/// A file that replaces the file at its path when it is complete.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl AtomicFile {
    /// Starts an empty file.
    pub fn create(path: &Path) -> Result<Self, Diagnostic> {
        Ok(Self { path: path.to_owned(), bytes: Vec::new() })
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Diagnostic> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Replaces the file at the path, and hands the new file to the artist.
    pub fn commit(self) -> Result<(), Diagnostic> {
        let Self { path, bytes } = self;
        fs::save(&path, bytes)
            .map_err(|error| Diagnostic::error(Location::file(path.display().to_string()), write_failure(&error)))
    }
}

impl io::Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Does nothing: a page leaves no temporary files.
pub fn remove_temp_files_of_ended_processes(_folder: &Path) {}

/// Does nothing: a page leaves no temporary files.
pub fn remove_unfinished_files() {}
