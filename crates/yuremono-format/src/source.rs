//! Reads and writes files, without knowledge of file formats.
//!
//! A format reader receives a [`SourceFile`]: the bytes of one file, and a function that reads other files in the same
//! folder. [`safe_relative_path`] checks each relative name in a file first, so the function only receives plain names
//! inside the folder. [`Folder`] also checks the resolved path on the disk.

mod external_files;
mod folder;
#[cfg(not(target_arch = "wasm32"))]
mod write;
#[cfg(target_arch = "wasm32")]
#[path = "source/write_in_memory.rs"]
mod write;

pub use external_files::copy_external_files;
pub use folder::{Fingerprint, Folder, MAX_FILE_BYTES, read_limited, read_stream};
pub use write::{AtomicFile, remove_temp_files_of_ended_processes, remove_unfinished_files};

use percent_encoding::percent_decode_str;
use std::path::Path;
use std::{fmt, io};
use thiserror::Error;
use yuremono_sim::diagnostics::{Diagnostic, MessageText, message};

/// Writes `bytes` to `path` atomically. If writing fails, an existing file stays unchanged.
///
/// The bytes are written to a temporary file in the same folder, flushed to the disk, and renamed to `path`. The new
/// file keeps the mode of an existing file, and also its owner and group if the system permits. A symbolic link is
/// followed; a link with a missing target is rejected. The error names the file and the cause.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), Diagnostic> {
    let mut file = AtomicFile::create(path)?;
    file.append(bytes)?;
    file.commit()
}

/// The payload of Yuremono's own I/O errors. Its text can be translated.
#[derive(Debug, Error)]
#[error("{0}")]
struct TranslatedError(MessageText);

fn io_error(kind: io::ErrorKind, text: MessageText) -> io::Error {
    io::Error::new(kind, TranslatedError(text))
}

/// Returns the text of an I/O error. Texts of the operating system are not translated.
pub(super) fn io_error_text(error: &io::Error) -> MessageText {
    let own = error.get_ref().and_then(|inner| inner.downcast_ref::<TranslatedError>());
    own.map_or_else(|| error.to_string().into(), |own| own.0.clone())
}

/// Returns the message of a failed write: the cause, that nothing was saved, and what the user can do.
pub(super) fn write_failure(error: &io::Error) -> MessageText {
    use io::ErrorKind as Kind;
    let step = match error.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => {
            message!("free some space, or save to another drive")
        }
        Kind::NotFound | Kind::NotADirectory => message!("choose a folder that exists"),
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            message!("save to another folder, or change the permissions")
        }
        Kind::StaleNetworkFileHandle
        | Kind::NotConnected
        | Kind::TimedOut
        | Kind::HostUnreachable
        | Kind::NetworkUnreachable
        | Kind::NetworkDown => message!("connect the drive again, or save to another drive"),
        _ => message!("save under another name"),
    };
    message!("cannot be written: {error}. Nothing was saved; {step}", error = io_error_text(error), step)
}

/// A file that the caller provides.
pub struct SourceFile<'a> {
    /// File name without folder, for messages.
    pub name: &'a str,
    /// The whole file.
    pub bytes: &'a [u8],
    /// Reads a file in the same folder. Called only with names that [`safe_relative_path`] returned. The images of an FBX
    /// are also read from folders with a usual name beside its folder, for example `../Textures/hair.png`.
    pub read_sibling: &'a (dyn Fn(&str) -> io::Result<Vec<u8>> + Sync),
}

impl fmt::Debug for SourceFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).field("bytes", &self.bytes.len()).finish_non_exhaustive()
    }
}

/// Whether bytes are compressed by gzip, as a package of Unity is.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x1f\x8b")
}

/// Whether a path has one of these extensions. Case is ignored.
pub fn has_extension(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|ending| endings.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

fn parent_folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A `read_sibling` function that always fails.
pub fn no_siblings(_name: &str) -> io::Result<Vec<u8>> {
    Err(io_error(io::ErrorKind::Unsupported, message!("files next to this one are not read here")))
}

/// Decodes a relative URI and returns a plain relative name.
///
/// The error is the reason for the rejection: a scheme or drive, an absolute path, `..`, a backslash, a control
/// character, or text that is not UTF-8.
pub fn safe_relative_path(uri: &str) -> Result<String, &'static str> {
    let Ok(decoded) = percent_decode_str(uri).decode_utf8() else {
        return Err("is not UTF-8 once percent signs are decoded");
    };
    if decoded.chars().any(char::is_control) {
        return Err("contains a control character");
    }
    if decoded.contains(':') {
        return Err("has a scheme or a drive; only files in the same folder are read");
    }
    if decoded.contains('\\') {
        return Err("contains a backslash; only files in the same folder are read");
    }
    if decoded.starts_with('/') {
        return Err("is an absolute path; only files in the same folder are read");
    }
    let mut parts = Vec::new();
    for part in decoded.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err("leaves the folder of the file"),
            part => parts.push(part),
        }
    }
    if parts.is_empty() { Err("names no file") } else { Ok(parts.join("/")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(uri: &str, expected: Option<&str>) {
        assert_eq!(safe_relative_path(uri).ok().as_deref(), expected, "{uri}");
    }

    #[test]
    fn names_inside_the_folder_pass() {
        check("a.bin", Some("a.bin"));
        check("./textures//hair%20front.png", Some("textures/hair front.png"));
        check("%E9%AB%AA.png", Some("髪.png"));
        check("a%252e.bin", Some("a%2e.bin"));
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        let outside = [
            "/etc/passwd",
            "../a.bin",
            "a/../../b",
            "%2e%2e/a",
            "file:///etc/passwd",
            "http://x/y",
            "C:/a",
            "c%3a/a",
            "\\\\host\\a",
            "a\\..\\b",
            "..%5ca",
            "a%00.bin",
            "%ff%fe",
            "",
            ".",
            "%2Fetc/passwd",
        ];
        for uri in outside {
            check(uri, None);
        }
    }
}
