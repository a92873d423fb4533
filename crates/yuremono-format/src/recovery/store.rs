//! The folder with recovery journals: one locked file per window.
//!
//! Each window owns files with the same random stem: `<id>.lock`, `<id>.journal` while edits are unsaved, `<id>.project`
//! with the path of the open project, and `<id>.opening` while a project loads. The window holds a lock on the first
//! file. The system releases the lock when the process ends in any way, so files without a locked lock file belong to a
//! window that ended without closing.
//!
//! Listing the journals of ended windows changes no journal. A window that adopts a journal writes the journal again,
//! and keeps a damaged journal as `<id>.journal-damaged` until the window closes or the artist discards the edits.

use super::background_flush::BackgroundFlush;
use super::on_disk::ProjectOnDisk;
use super::{Journal, JournalWriter};
use crate::fs::{self, File, OpenOptions};
use crate::source::{io_error_text, remove_temp_files_of_ended_processes};
use std::collections::BTreeSet;
use std::fs::TryLockError;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

const LOCK_EXTENSION: &str = "lock";
const JOURNAL_EXTENSION: &str = "journal";
const PROJECT_EXTENSION: &str = "project";
const OPENING_EXTENSION: &str = "opening";
/// Extension of a journal that is being written, before it replaces the present journal.
const NEW_EXTENSION: &str = "journal-new";
/// Extension of the copy of a journal with lines that cannot be used.
const DAMAGED_EXTENSION: &str = "journal-damaged";
const ALL_EXTENSIONS: [&str; 6] =
    [LOCK_EXTENSION, JOURNAL_EXTENSION, PROJECT_EXTENSION, OPENING_EXTENSION, NEW_EXTENSION, DAMAGED_EXTENSION];
/// A journal larger than this, in bytes, is compacted if that halves it.
const COMPACT_SIZE: usize = 1 << 20;
/// Maximum size of a journal that is read, in bytes.
const MAX_JOURNAL_BYTES: u64 = 512 << 20;

/// Returns the folder of the journals in the folder for user data.
pub fn path_in(user_data: &Path) -> PathBuf {
    user_data.join("recovery")
}

/// Reserves a project for a window while the project loads, or ends the reservation. If two windows reserve one project
/// at the same time, both find the project open in another window. `lock` is the lock file of the window.
pub fn reserve_project(lock: &Path, project: Option<&Path>) -> Result<(), Diagnostic> {
    store_project(&lock.with_extension(OPENING_EXTENSION), project)
}

/// Writes the path of a project to a file, or deletes the file.
fn store_project(file: &Path, project: Option<&Path>) -> Result<(), Diagnostic> {
    let Some(project) = project else { return remove_if_exists(file) };
    fs::write(file, absolute(project).as_os_str().as_encoded_bytes()).map_err(|error| write_error(file, &error))
}

/// Whether a running window has a project open or loads it. `own_lock` is the lock file of the window that asks.
pub fn is_open_in_other_window(folder: &Path, own_lock: &Path, project: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let project = absolute(project);
    entries.flatten().map(|entry| entry.path()).any(|path| {
        let is_other = path.extension().is_some_and(|extension| extension == LOCK_EXTENSION) && path != own_lock;
        let names_project = || {
            [PROJECT_EXTENSION, OPENING_EXTENSION].into_iter().any(|extension| {
                let name = fs::read(path.with_extension(extension));
                name.is_ok_and(|name| name == project.as_os_str().as_encoded_bytes())
            })
        };
        let is_running =
            || File::open(&path).is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
        is_other && names_project() && is_running()
    })
}

/// Removes what a kill during a save of a project left in its folder.
fn remove_unfinished_saves(project: Option<&Path>) {
    if let Some(folder) = project.and_then(Path::parent) {
        remove_temp_files_of_ended_processes(folder);
    }
}

fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path).or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

/// A journal that an ended window left behind.
#[derive(Debug)]
pub struct AbandonedJournal {
    /// The files of the window.
    pub file: JournalFile,
    pub journal: Journal,
    /// The project file, when the journal was read.
    pub project_on_disk: ProjectOnDisk,
}

/// The files of one window. The lock is held until this value is dropped.
#[derive(Debug)]
pub struct JournalFile {
    lock_path: PathBuf,
    _lock: File,
    /// The open journal; `None` if the next line must replace the journal.
    open: Option<OpenJournal>,
    flush: BackgroundFlush,
    /// Whether the journal has lines that cannot be used, so that replacing the journal must keep a copy.
    is_damaged: bool,
}

#[derive(Debug)]
struct OpenJournal {
    file: File,
    length: usize,
    /// Length after the last compaction.
    compacted_length: usize,
}

impl JournalFile {
    /// Creates the lock file of a new window. Creates the folder if it is missing.
    pub fn create(folder: &Path) -> Result<Self, Diagnostic> {
        let create = || -> io::Result<Self> {
            fs::create_dir_all(folder)?;
            loop {
                let (lock, lock_path) = fs::create_with_new_name(folder, LOCK_EXTENSION)?;
                let is_locked = match lock.try_lock() {
                    Ok(()) => true,
                    Err(TryLockError::WouldBlock) => false,
                    Err(TryLockError::Error(error)) => return Err(error),
                };
                // Another window that starts now can lock and delete the file before this window locks it.
                if is_locked && fs::is_present(&lock_path) {
                    return Ok(Self::with_lock(lock_path, lock));
                }
            }
        };
        create().map_err(|error| folder_error(folder, &error))
    }

    fn with_lock(lock_path: PathBuf, lock: File) -> Self {
        Self { lock_path, _lock: lock, open: None, flush: BackgroundFlush::default(), is_damaged: false }
    }

    /// Locks and returns the journals of all crashed windows, newest first. Files without unsaved
    /// edits are deleted. A journal that cannot be read is kept and reported, as are lines that cannot be used.
    pub fn abandoned(folder: &Path) -> (Vec<AbandonedJournal>, Vec<Diagnostic>) {
        let (mut found, mut diagnostics) = (Vec::new(), Vec::new());
        for lock_path in lock_paths(folder) {
            // After a power cut, a journal can exist without its lock file.
            let lock = OpenOptions::new().create(true).write(true).truncate(false).open(&lock_path);
            let Ok(lock) = lock else { continue };
            if lock.try_lock().is_err() || !fs::is_present(&lock_path) {
                continue;
            }
            let mut file = Self::with_lock(lock_path, lock);
            let open_project = file.open_project();
            remove_unfinished_saves(open_project.as_deref());
            // This window holds the lock now, but does not have the project open.
            file.set_project(None).ok();
            reserve_project(&file.lock_path, None).ok();
            let journal = match file.read() {
                Ok(Some(journal)) => journal,
                Ok(None) => {
                    file.delete();
                    continue;
                }
                Err(diagnostic) => {
                    diagnostics.push(diagnostic);
                    continue;
                }
            };
            if open_project.is_none() {
                remove_unfinished_saves(journal.project_path());
            }
            let project_on_disk = ProjectOnDisk::of(&journal);
            let has_edits = journal.writer.has_edits() && project_on_disk != ProjectOnDisk::WithEdits;
            if journal.skipped_lines > 0 {
                diagnostics.push(skipped_lines_warning(&file.journal_path(), journal.skipped_lines));
            } else if !has_edits {
                file.delete();
                continue;
            }
            if has_edits {
                found.push(AbandonedJournal { file, journal, project_on_disk });
            }
        }
        found.sort_by_key(|found| std::cmp::Reverse(found.journal.time()));
        (found, diagnostics)
    }

    /// Reads the journal without changing it. Returns `None` if there is no journal.
    fn read(&mut self) -> Result<Option<Journal>, Diagnostic> {
        // If there is no journal, the window ended while it wrote the first one.
        for path in [self.journal_path(), self.with_extension(NEW_EXTENSION)] {
            let Some(bytes) = read_if_exists(&path)? else { continue };
            return match Journal::read(&bytes, &path.display().to_string()) {
                Ok(journal) => {
                    self.is_damaged = journal.skipped_lines > 0;
                    Ok(Some(journal))
                }
                // The header was not complete, so no edit was stored.
                Err(_) if path == self.with_extension(NEW_EXTENSION) => Ok(None),
                Err(diagnostic) => Err(diagnostic),
            };
        }
        Ok(None)
    }

    /// Continues the journal of an ended window. Writes the journal again, because `journal` may lack damaged lines of
    /// the file and may have another project.
    pub fn adopt(&mut self, journal: &Journal) -> Result<(), Diagnostic> {
        let (path, new_path) = (self.journal_path(), self.with_extension(NEW_EXTENSION));
        if !fs::is_present(&path) {
            // Writing the journal overwrites the new file, which is the only copy.
            fs::rename(new_path, &path).map_err(|error| write_error(&path, &error))?;
        }
        self.rewrite(&journal.writer)
    }

    /// Appends a line to the journal, and flushes the line to the disk on a thread. Writes the whole journal again if
    /// the journal does not exist, is long, or could not be written or flushed. `writer` has the state after the line.
    pub fn append(&mut self, writer: &JournalWriter, line: &[u8]) -> Result<(), Diagnostic> {
        let is_long = |open: &OpenJournal| open.length > COMPACT_SIZE.max(2 * open.compacted_length);
        if self.flush.poll().is_err() {
            // Earlier lines may be missing on the disk.
            self.open = None;
        }
        match &mut self.open {
            Some(open) if !is_long(open) => {
                open.length += line.len();
                let result = open.file.write_all(line).and_then(|()| self.flush.request(&open.file));
                self.check(result)
            }
            _ => self.rewrite(writer),
        }
    }

    /// Replaces the journal by the shorter form of the whole journal.
    pub fn rewrite(&mut self, writer: &JournalWriter) -> Result<(), Diagnostic> {
        let result = self.replace(&writer.compacted());
        self.check(result)
    }

    /// Returns whether all lines are flushed to the disk. Returns the error of a failed flush once.
    pub fn poll_flush(&mut self) -> Result<bool, Diagnostic> {
        let result = self.flush.poll();
        self.check(result)
    }

    fn check<T>(&mut self, result: io::Result<T>) -> Result<T, Diagnostic> {
        result.map_err(|error| {
            // A line may be incomplete or missing, so the next line replaces the journal.
            self.open = None;
            write_error(&self.journal_path(), &error)
        })
    }

    /// Replaces the journal atomically.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (path, new_path) = (self.journal_path(), self.with_extension(NEW_EXTENSION));
        if self.is_damaged {
            let damaged = self.with_extension(DAMAGED_EXTENSION);
            fs::copy(&path, &damaged)?;
            OpenOptions::new().write(true).open(&damaged)?.sync_all()?;
            self.is_damaged = false;
        }
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).open(&new_path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new_path, &path)?;
        sync_folder_of(&path);
        self.open = Some(OpenJournal { file, length: bytes.len(), compacted_length: bytes.len() });
        Ok(())
    }

    /// Deletes the journal, because all edits are saved or the artist discarded them.
    pub fn clear(&mut self) -> Result<(), Diagnostic> {
        self.open = None;
        // The new file is deleted first, because it is offered if there is no journal.
        remove_if_exists(&self.with_extension(NEW_EXTENSION))?;
        remove_if_exists(&self.journal_path())
    }

    /// Returns the path of the lock file, which identifies the window.
    pub fn lock_path(&self) -> &Path {
        &self.lock_path
    }

    /// Stores which project the window has open. Other windows then open the project read-only or as a copy.
    pub fn set_project(&self, project: Option<&Path>) -> Result<(), Diagnostic> {
        store_project(&self.with_extension(PROJECT_EXTENSION), project)
    }

    /// Returns the project that the window has open. A path that is not UTF-8 counts as no project.
    fn open_project(&self) -> Option<PathBuf> {
        let path = fs::read(self.with_extension(PROJECT_EXTENSION)).ok()?;
        String::from_utf8(path).ok().map(PathBuf::from)
    }

    /// Deletes all files of the window. Files that cannot be deleted are offered again at the next start.
    pub fn delete(mut self) {
        let damaged = self.with_extension(DAMAGED_EXTENSION);
        let is_deleted = self
            .set_project(None)
            .and_then(|()| reserve_project(&self.lock_path, None))
            .and_then(|()| remove_if_exists(&damaged))
            .and_then(|()| self.clear());
        if is_deleted.is_ok() {
            fs::remove_file(&self.lock_path).ok();
        }
    }

    fn journal_path(&self) -> PathBuf {
        self.with_extension(JOURNAL_EXTENSION)
    }

    fn with_extension(&self, extension: &str) -> PathBuf {
        self.lock_path.with_extension(extension)
    }
}

/// Returns the paths of the lock files of all windows with files in the folder. A lock file itself may be missing.
fn lock_paths(folder: &Path) -> BTreeSet<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return BTreeSet::new() };
    let is_own = |path: &PathBuf| path.extension().is_some_and(|found| ALL_EXTENSIONS.iter().any(|own| found == *own));
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_own);
    paths.map(|path| path.with_extension(LOCK_EXTENSION)).collect()
}

fn read_if_exists(path: &Path) -> Result<Option<Vec<u8>>, Diagnostic> {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() > MAX_JOURNAL_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut file, &mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(read_error(path, &error)),
    }
}

fn remove_if_exists(path: &Path) -> Result<(), Diagnostic> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(write_error(path, &error)),
        _ => Ok(()),
    }
}

/// Flushes the folder of a renamed file. Otherwise, a power cut can undo the rename.
fn sync_folder_of(path: &Path) {
    #[cfg(unix)]
    if let Some(Ok(folder)) = path.parent().map(File::open) {
        // The rename is already complete, so the error of a file system that cannot flush folders is ignored.
        folder.sync_all().ok();
    }
    #[cfg(not(unix))]
    let _ = path;
}

fn folder_error(folder: &Path, error: &io::Error) -> Diagnostic {
    let message = message!(
        "the folder for recovery cannot be used: {error}; a crash loses unsaved edits, so save often",
        error = io_error_text(error)
    );
    Diagnostic::error(Location::file(folder.display().to_string()), message)
}

fn read_error(path: &Path, error: &io::Error) -> Diagnostic {
    let message = message!("cannot be read: {error}", error = io_error_text(error));
    Diagnostic::warning(Location::file(path.display().to_string()), message)
}

fn write_error(path: &Path, error: &io::Error) -> Diagnostic {
    let message = message!(
        "the recovery journal cannot be written: {error}; a crash loses unsaved edits, so save the project",
        error = io_error_text(error)
    );
    Diagnostic::error(Location::file(path.display().to_string()), message)
}

fn skipped_lines_warning(path: &Path, skipped_lines: usize) -> Diagnostic {
    let message = message!(
        "the recovery journal is damaged; lines that cannot be used: {count}. The edits in them are not recovered",
        count = skipped_lines
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

    fn append(file: &mut JournalFile, writer: &mut JournalWriter, value: usize) {
        let line = writer.append(&project(value), value, value as u64).expect("a change");
        file.append(writer, &line).expect("written");
    }

    /// A window with unsaved edits, which still runs.
    fn edited(folder: &Path, edits: usize) -> (JournalFile, JournalWriter) {
        let mut file = JournalFile::create(folder).expect("created");
        let mut writer = JournalWriter::new(None, false, &project(0));
        for value in 1..=edits {
            append(&mut file, &mut writer, value);
        }
        (file, writer)
    }

    /// Returns the journal of the only ended window.
    #[track_caller]
    fn only_abandoned(folder: &Path) -> AbandonedJournal {
        let (mut found, diagnostics) = JournalFile::abandoned(folder);
        assert_eq!(diagnostics, []);
        assert_eq!(found.len(), 1);
        found.remove(0)
    }

    #[test]
    fn only_journals_of_ended_windows_are_offered_newest_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let running = edited(folder.path(), 4);
        drop(edited(folder.path(), 2));
        drop(edited(folder.path(), 3));
        let (found, diagnostics) = JournalFile::abandoned(folder.path());
        assert_eq!(diagnostics, []);
        assert_eq!(found.iter().map(|found| found.journal.edits()).collect::<Vec<_>>(), [3, 2]);
        let (offered_twice, _) = JournalFile::abandoned(folder.path());
        assert_eq!(offered_twice.len(), 0, "another window must not offer the same journals");
        drop(running);
        assert_eq!(JournalFile::abandoned(folder.path()).0.len(), 1);
    }

    #[test]
    fn a_recovered_journal_is_continued() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(edited(folder.path(), 2));
        let AbandonedJournal { mut file, mut journal, .. } = only_abandoned(folder.path());
        file.adopt(&journal).expect("written");
        append(&mut file, &mut journal.writer, 9);
        drop(file);
        let again = only_abandoned(folder.path());
        assert_eq!((again.journal.edits(), again.journal.time()), (9, 9));
    }

    #[test]
    fn a_journal_that_is_adopted_as_a_copy_is_stored_without_its_project() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = JournalFile::create(folder.path()).expect("created");
        let mut writer = JournalWriter::new(Some(PathBuf::from("/art/hair.yure")), true, &project(0));
        append(&mut file, &mut writer, 1);
        drop(file);
        let AbandonedJournal { mut file, mut journal, .. } = only_abandoned(folder.path());
        assert!(journal.is_read_only());
        journal.detach_from_project();
        file.adopt(&journal).expect("written");
        drop(file);
        let again = only_abandoned(folder.path()).journal;
        assert_eq!((again.project_path(), again.is_read_only(), again.edits()), (None, false, 1));
    }

    #[test]
    fn listing_changes_no_journal_and_reports_lines_that_cannot_be_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, _) = edited(folder.path(), 4);
        let (path, damaged_path) = (file.journal_path(), file.with_extension(DAMAGED_EXTENSION));
        drop(file);
        let mut bytes = std::fs::read(&path).expect("a journal");
        let third_line = bytes.split_inclusive(|byte| *byte == b'\n').take(2).map(<[u8]>::len).sum::<usize>();
        bytes[third_line] = b'?';
        bytes.extend(b"incomplete");
        std::fs::write(&path, &bytes).expect("written");

        let (mut found, diagnostics) = JournalFile::abandoned(folder.path());
        assert_eq!(std::fs::read(&path).expect("a journal"), bytes);
        assert_eq!(diagnostics.len(), 1);
        let text = diagnostics[0].to_string();
        assert!(text.contains(&*path.to_string_lossy()) && text.contains("cannot be used: 3"), "{text}");
        let AbandonedJournal { mut file, journal, .. } = found.remove(0);
        assert_eq!(journal.edits(), 1);
        // The window that continues the journal keeps the damaged journal until it closes.
        file.adopt(&journal).expect("written");
        assert_eq!(std::fs::read(&damaged_path).expect("a copy"), bytes);
        file.clear().expect("cleared");
        assert!(damaged_path.exists());
        file.delete();
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[test]
    fn a_journal_without_usable_lines_is_reported_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, writer) = edited(folder.path(), 0);
        let mut bytes = writer.compacted();
        bytes.extend(b"{}\n");
        std::fs::write(file.journal_path(), &bytes).expect("written");
        drop(file);
        let (found, diagnostics) = JournalFile::abandoned(folder.path());
        assert_eq!((found.len(), diagnostics.len()), (0, 1));
        assert_eq!(names(folder.path()), ["journal", "lock"]);
    }

    #[test]
    fn a_journal_is_offered_after_a_power_cut_between_its_first_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, _) = edited(folder.path(), 2);
        std::fs::rename(file.journal_path(), file.with_extension(NEW_EXTENSION)).expect("renamed");
        std::fs::remove_file(file.lock_path()).expect("removed");
        drop(file);
        assert_eq!(only_abandoned(folder.path()).journal.edits(), 2);
        assert_eq!(names(folder.path()), ["journal-new", "lock"]);
        let AbandonedJournal { mut file, journal, .. } = only_abandoned(folder.path());
        file.adopt(&journal).expect("written");
        assert_eq!(names(folder.path()), ["journal", "lock"]);
    }

    #[test]
    fn a_journal_whose_edits_are_in_the_project_file_is_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let project_path = folder.path().join("hair.yure");
        let bytes = |system: &str| {
            let setup = serde_json::json!({ "systems": { "1": { "name": system } } });
            let project = serde_json::json!({ "yuremono": 2, "character": { "path": "" }, "setup": setup });
            project.to_string().into_bytes()
        };
        let journals = path_in(folder.path());
        let mut file = JournalFile::create(&journals).expect("created");
        let mut writer = JournalWriter::new(Some(project_path.clone()), false, &bytes("saved"));
        let line = writer.append(&bytes("edited"), 1, 1).expect("a change");
        file.append(&writer, &line).expect("written");
        drop(file);
        std::fs::write(&project_path, bytes("other")).expect("written");
        assert_eq!(only_abandoned(&journals).project_on_disk, ProjectOnDisk::Other { is_newer: true });
        std::fs::write(&project_path, bytes("edited")).expect("written");
        assert_eq!(JournalFile::abandoned(&journals).0.len(), 0);
        assert_eq!(names(&journals), Vec::<String>::new());
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
    fn an_unfinished_save_of_an_ended_window_is_removed_even_without_a_journal() {
        let folder = tempfile::tempdir().expect("a folder");
        let journals = path_in(folder.path());
        let file = JournalFile::create(&journals).expect("created");
        file.set_project(Some(&folder.path().join("hair.yure"))).expect("written");
        let unfinished = folder.path().join(".yuremono-aB3xY9");
        std::fs::write(&unfinished, "{").expect("written");
        drop(file);
        assert_eq!(JournalFile::abandoned(&journals).0.len(), 0);
        assert!(!unfinished.exists());
        assert_eq!(names(&journals), Vec::<String>::new());
    }

    #[track_caller]
    fn check_open_elsewhere(project: &Path) {
        let folder = tempfile::tempdir().expect("a folder");
        let (first, second) = (
            JournalFile::create(folder.path()).expect("created"),
            JournalFile::create(folder.path()).expect("created"),
        );
        first.set_project(Some(project)).expect("written");
        let is_open = |own: &JournalFile| is_open_in_other_window(folder.path(), own.lock_path(), project);
        assert!(is_open(&second));
        assert!(!is_open(&first), "the window itself does not count");
        first.set_project(None).expect("deleted");
        assert!(!is_open(&second));
        reserve_project(first.lock_path(), Some(project)).expect("written");
        assert!(is_open(&second), "a window that loads the project counts");
        reserve_project(second.lock_path(), Some(project)).expect("written");
        assert!(is_open(&first) && is_open(&second));
        reserve_project(second.lock_path(), None).expect("deleted");
        drop(first);
        assert!(!is_open(&second), "a window that ended does not count");
        edited(folder.path(), 1).0.set_project(Some(project)).expect("written");
        let offered = JournalFile::abandoned(folder.path()).0;
        assert_eq!(offered.len(), 1);
        assert!(!is_open(&second), "a window that offers the journal does not count");
    }

    #[test]
    fn a_project_is_open_elsewhere_only_while_another_window_runs() {
        check_open_elsewhere(Path::new("/art/hair.yure"));
    }

    #[cfg(unix)]
    #[test]
    fn a_project_whose_path_is_not_unicode_can_be_open_elsewhere() {
        use std::os::unix::ffi::OsStrExt as _;
        check_open_elsewhere(Path::new(std::ffi::OsStr::from_bytes(b"/art/\xff.yure")));
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
        let mut writer = JournalWriter::new(None, false, &long(0));
        for value in 1..=30 {
            let line = writer.append(&long(value), value, 1).expect("a change");
            file.append(&writer, &line).expect("written");
        }
        let size = std::fs::metadata(file.journal_path()).expect("a journal").len();
        assert!(size < 2_000_000, "{size} bytes");
        drop(file);
        assert_eq!(only_abandoned(folder.path()).journal.edits(), 30);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_failed_flush_is_reported_without_a_further_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let (mut file, mut writer) = edited(folder.path(), 1);
        // Linux cannot flush this device.
        file.open.as_mut().expect("a journal").file =
            OpenOptions::new().write(true).open("/dev/null").expect("a device");
        append(&mut file, &mut writer, 2);
        let is_reported = (0..250).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            file.poll_flush().is_err()
        });
        assert!(is_reported);
        file.rewrite(&writer).expect("written");
        drop(file);
        assert_eq!(only_abandoned(folder.path()).journal.edits(), 2);
    }
}
