//! The folder with recovery journals: one locked file per window.
//!
//! Each window owns files with the same random stem: `<id>.lock`, `<id>.journal` while edits are unsaved, and
//! `<id>.project` with the path of the open project. The window holds a lock on the first file. The system releases the
//! lock when the process ends in any way, so a lock file that is not locked belongs to a window that ended without
//! closing.

use super::background_flush::BackgroundFlush;
use super::{Journal, JournalWriter};
use crate::diagnostics::{Diagnostic, Location, message};
use crate::format::source::{io_error_text, remove_temp_files_of_ended_processes};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const LOCK_EXTENSION: &str = "lock";
const JOURNAL_EXTENSION: &str = "journal";
const PROJECT_EXTENSION: &str = "project";
/// Extension of a journal that is being written, before it replaces the present journal.
const NEW_EXTENSION: &str = "journal-new";
/// A journal larger than this, in bytes, is compacted if that halves it.
const COMPACT_SIZE: usize = 1 << 20;
/// Maximum size of a journal that is read, in bytes.
const MAX_JOURNAL_BYTES: u64 = 512 << 20;

/// Returns the folder of the journals in the folder for user data.
pub fn path_in(user_data: &Path) -> PathBuf {
    user_data.join("recovery")
}

/// Whether a running window has a project open. `own_lock` is the lock file of the window that asks.
pub fn is_open_in_other_window(folder: &Path, own_lock: &Path, project: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let project = absolute(project);
    entries.flatten().map(|entry| entry.path()).any(|path| {
        let is_other = path.extension().is_some_and(|extension| extension == LOCK_EXTENSION) && path != own_lock;
        let names_project = || {
            let text = std::fs::read_to_string(path.with_extension(PROJECT_EXTENSION));
            text.is_ok_and(|text| Path::new(&text) == project)
        };
        let is_running =
            || File::open(&path).is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        is_other && names_project() && is_running()
    })
}

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

/// The files of one window. The lock is held until this value is dropped.
#[derive(Debug)]
pub struct JournalFile {
    lock_path: PathBuf,
    _lock: File,
    /// The open journal, its length and its length after the last compaction; `None` without unsaved edits.
    open: Option<OpenJournal>,
    flush: BackgroundFlush,
}

#[derive(Debug)]
struct OpenJournal {
    file: File,
    length: usize,
    compacted_length: usize,
}

impl JournalFile {
    /// Creates the lock file of a new window. Creates the folder if it is missing.
    pub fn create(folder: &Path) -> Result<Self, Diagnostic> {
        let create = || -> io::Result<Self> {
            std::fs::create_dir_all(folder)?;
            loop {
                let suffix = format!(".{LOCK_EXTENSION}");
                let temp = tempfile::Builder::new().prefix("").suffix(&suffix).rand_bytes(12).tempfile_in(folder)?;
                let (lock, lock_path) = temp.keep().map_err(|failed| failed.error)?;
                let is_locked = match lock.try_lock() {
                    Ok(()) => true,
                    Err(TryLockError::WouldBlock) => false,
                    Err(TryLockError::Error(error)) => return Err(error),
                };
                // Another window that starts now can lock and delete the file before this window locks it.
                if is_locked && lock_path.exists() {
                    return Ok(Self { lock_path, _lock: lock, open: None, flush: BackgroundFlush::default() });
                }
            }
        };
        create().map_err(|error| folder_error(folder, &error))
    }

    /// Locks and returns the files of all windows that ended without closing, each with its journal. Files without
    /// unsaved edits are deleted. A journal that cannot be read is kept and reported.
    pub fn abandoned(folder: &Path) -> (Vec<(Self, Journal)>, Vec<Diagnostic>) {
        let (mut found, mut diagnostics) = (Vec::new(), Vec::new());
        let Ok(entries) = std::fs::read_dir(folder) else { return (found, diagnostics) };
        let is_lock = |path: &PathBuf| path.extension().is_some_and(|extension| extension == LOCK_EXTENSION);
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_lock).collect();
        paths.sort();
        for lock_path in paths {
            let Ok(lock) = OpenOptions::new().write(true).open(&lock_path) else { continue };
            if lock.try_lock().is_err() || !lock_path.exists() {
                continue;
            }
            let mut file = Self { lock_path, _lock: lock, open: None, flush: BackgroundFlush::default() };
            std::fs::remove_file(file.with_extension(NEW_EXTENSION)).ok();
            match file.read() {
                Ok(Some(journal)) if journal.has_edits() => {
                    if let Some(folder) = journal.project_path().and_then(Path::parent) {
                        remove_temp_files_of_ended_processes(folder);
                    }
                    found.push((file, journal));
                }
                Ok(_) => file.delete(),
                Err(diagnostic) => diagnostics.push(diagnostic),
            }
        }
        found.sort_by_key(|(_, journal)| std::cmp::Reverse(journal.time));
        (found, diagnostics)
    }

    /// Reads the journal, and cuts off an incomplete end so that entries can be appended. Returns `None` if there is no
    /// journal.
    fn read(&mut self) -> Result<Option<Journal>, Diagnostic> {
        let path = self.journal_path();
        let read = || -> io::Result<Option<(File, Vec<u8>)>> {
            let file = match OpenOptions::new().read(true).append(true).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            if file.metadata()?.len() > MAX_JOURNAL_BYTES {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let mut bytes = Vec::new();
            io::Read::read_to_end(&mut &file, &mut bytes)?;
            Ok(Some((file, bytes)))
        };
        let read = read().map_err(|error| file_error(&path, &error))?;
        let Some((file, bytes)) = read else { return Ok(None) };
        // The header is written before the journal gets its name, so an empty file has no edits.
        let journal = Journal::read(&bytes, &path.display().to_string())?;
        file.set_len(journal.complete_length as u64).map_err(|error| file_error(&path, &error))?;
        let length = journal.complete_length;
        self.open = Some(OpenJournal { file, length, compacted_length: length });
        Ok(Some(journal))
    }

    /// Appends a line to the journal, and flushes it to the disk on a thread. The first line creates the journal. `compacted` is the
    /// shorter form of the whole journal.
    pub fn append(&mut self, writer: &JournalWriter, line: &[u8], edits: usize, time: u64) -> Result<(), Diagnostic> {
        let is_long = |open: &OpenJournal| open.length > COMPACT_SIZE.max(2 * open.compacted_length);
        let result = match &mut self.open {
            Some(open) if !is_long(open) => {
                open.length += line.len();
                open.file.write_all(line).and_then(|()| self.flush.request(&open.file))
            }
            _ => self.replace(&writer.compacted(edits, time)),
        };
        result.map_err(|error| {
            // A line may be incomplete, so the next line starts a new journal.
            self.open = None;
            file_error(&self.journal_path(), &error)
        })
    }

    /// Replaces the journal atomically.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        let new_path = self.with_extension(NEW_EXTENSION);
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).open(&new_path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&new_path, self.journal_path())?;
        self.open = Some(OpenJournal { file, length: bytes.len(), compacted_length: bytes.len() });
        Ok(())
    }

    /// Deletes the journal, because all edits are saved or the artist discarded them.
    pub fn clear(&mut self) -> Result<(), Diagnostic> {
        self.open = None;
        let path = self.journal_path();
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(file_error(&path, &error)),
            _ => Ok(()),
        }
    }

    /// Returns the path of the lock file, which identifies the window.
    pub fn lock_path(&self) -> &Path {
        &self.lock_path
    }

    /// Stores which project the window has open. Other windows then open the project read-only or as a copy.
    pub fn set_project(&self, project: Option<&Path>) -> Result<(), Diagnostic> {
        let path = self.with_extension(PROJECT_EXTENSION);
        let result = match project {
            Some(project) => std::fs::write(&path, absolute(project).to_string_lossy().as_bytes()),
            None => std::fs::remove_file(&path).or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            }),
        };
        result.map_err(|error| file_error(&path, &error))
    }

    /// Deletes all files of the window. Files that cannot be deleted are offered again at the next start.
    pub fn delete(mut self) {
        if self.set_project(None).and_then(|()| self.clear()).is_ok() {
            std::fs::remove_file(&self.lock_path).ok();
        }
    }

    fn journal_path(&self) -> PathBuf {
        self.with_extension(JOURNAL_EXTENSION)
    }

    fn with_extension(&self, extension: &str) -> PathBuf {
        self.lock_path.with_extension(extension)
    }
}

fn folder_error(folder: &Path, error: &io::Error) -> Diagnostic {
    let message = message!(
        "the folder for recovery cannot be used: {error}; a crash loses unsaved edits, so save often",
        error = io_error_text(error)
    );
    Diagnostic::warning(Location::file(folder.display().to_string()), message)
}

fn file_error(path: &Path, error: &io::Error) -> Diagnostic {
    let message = message!(
        "the recovery journal cannot be written: {error}; a crash loses unsaved edits, so save the project",
        error = io_error_text(error)
    );
    Diagnostic::warning(Location::file(path.display().to_string()), message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(value: usize) -> Vec<u8> {
        serde_json::to_vec(&serde_json::json!({ "value": value })).expect("JSON")
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path().extension().expect("an extension").display().to_string())
            .collect();
        names.sort();
        names
    }

    /// A window with unsaved edits, which still runs.
    fn edited(folder: &Path, edits: usize) -> (JournalFile, JournalWriter) {
        let mut file = JournalFile::create(folder).expect("created");
        let mut writer = JournalWriter::new(None, &project(0));
        for value in 1..=edits {
            let line = writer.append(&project(value), value, value as u64).expect("a change");
            file.append(&writer, &line, value, value as u64).expect("written");
        }
        (file, writer)
    }

    #[test]
    fn only_journals_of_ended_windows_are_offered_newest_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let running = edited(folder.path(), 4);
        drop(edited(folder.path(), 2));
        drop(edited(folder.path(), 3));
        let (found, diagnostics) = JournalFile::abandoned(folder.path());
        assert_eq!(diagnostics, []);
        assert_eq!(found.iter().map(|(_, journal)| journal.edits).collect::<Vec<_>>(), [3, 2]);
        let (offered_twice, _) = JournalFile::abandoned(folder.path());
        assert_eq!(offered_twice.len(), 0, "another window must not offer the same journals");
        drop(running);
        assert_eq!(JournalFile::abandoned(folder.path()).0.len(), 1);
    }

    #[test]
    fn a_recovered_journal_is_continued() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(edited(folder.path(), 2));
        let (mut found, _) = JournalFile::abandoned(folder.path());
        let (mut file, mut journal) = found.pop().expect("a journal");
        let line = journal.writer.append(&project(9), 3, 9).expect("a change");
        file.append(&journal.writer, &line, 3, 9).expect("written");
        drop(file);
        let (found, _) = JournalFile::abandoned(folder.path());
        assert_eq!((found[0].1.edits, found[0].1.time), (3, 9));
    }

    #[test]
    fn windows_without_unsaved_edits_leave_no_file() {
        let folder = tempfile::tempdir().expect("a folder");
        edited(folder.path(), 2).0.delete();
        assert_eq!(names(folder.path()), Vec::<String>::new());
        drop(JournalFile::create(folder.path()).expect("created"));
        std::fs::write(folder.path().join("x.lock"), "").expect("written");
        std::fs::write(folder.path().join("x.journal-new"), "{").expect("written");
        assert_eq!(JournalFile::abandoned(folder.path()).0.len(), 0);
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_project_is_open_elsewhere_only_while_another_window_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("hair.yure");
        std::fs::write(&project, "{}").expect("written");
        let (first, second) = (
            JournalFile::create(folder.path()).expect("created"),
            JournalFile::create(folder.path()).expect("created"),
        );
        first.set_project(Some(&project)).expect("written");
        let is_open = |own: &JournalFile| is_open_in_other_window(folder.path(), own.lock_path(), &project);
        assert!(is_open(&second));
        assert!(!is_open(&first), "the window itself does not count");
        drop(first);
        assert!(!is_open(&second), "a window that ended does not count");
    }

    #[test]
    fn an_unreadable_journal_is_reported_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("x.lock"), "").expect("written");
        std::fs::write(folder.path().join("x.journal"), "{}\n").expect("written");
        let (found, diagnostics) = JournalFile::abandoned(folder.path());
        assert_eq!((found.len(), diagnostics.len()), (0, 1));
        assert_eq!(names(folder.path()), ["journal", "lock"]);
    }

    #[test]
    fn long_journals_are_compacted() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = JournalFile::create(folder.path()).expect("created");
        let long = |value: usize| format!("{{\"value\": \"{value}{}\"}}", "x".repeat(200_000)).into_bytes();
        let mut writer = JournalWriter::new(None, &long(0));
        for value in 1..=30 {
            let line = writer.append(&long(value), value, 1).expect("a change");
            file.append(&writer, &line, value, 1).expect("written");
        }
        let size = std::fs::metadata(file.journal_path()).expect("a journal").len();
        assert!(size < 2_000_000, "{size} bytes");
        drop(file);
        assert_eq!(JournalFile::abandoned(folder.path()).0[0].1.edits, 30);
    }
}
