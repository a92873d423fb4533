//! Writes every change of the document to a recovery journal, on a thread.
//!
//! The window sends at most one copy of the document per `SEND_INTERVAL`, so that a drag does not copy the document
//! in every frame. The thread serializes the copy and appends the difference to the journal, so disks never delay a
//! frame. After a failed write, the thread writes the newest state again every `RETRY_INTERVAL` until a write
//! succeeds.

use super::clock::since_1970;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::mpsc::RecvTimeoutError;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
#[cfg(not(target_arch = "wasm32"))]
use std::thread::JoinHandle;
use std::time::Duration;
use web_time::Instant;
use yuremono_format::project::{self, ProjectMetadata};
use yuremono_format::recovery::JournalWriter;
pub(super) use yuremono_format::recovery::store::AbandonedJournal;
use yuremono_format::recovery::store::{JournalFile, is_open_in_other_window, reserve_project};
use yuremono_model::document::Document;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};
use yuremono_sim::rig::Character;

/// Minimum time between two copies of the document. With the time of a frame and of writing, a change reaches the disk
/// well within one second.
const SEND_INTERVAL: Duration = Duration::from_millis(250);

/// Time after which the thread checks a running flush, and repeats a failed write.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// What the journal stores: the parts of a project.
#[derive(Clone, Debug)]
pub struct AutosaveState {
    pub character: Arc<Character>,
    pub document: Document,
    /// Without a view.
    pub metadata: ProjectMetadata,
}

impl AutosaveState {
    fn to_bytes(&self) -> Vec<u8> {
        project::write(&self.document, &self.character, &self.metadata)
    }
}

/// Identifies the content of a document. Equal keys mean equal content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentKey {
    /// State number of the undo history.
    pub state_number: u64,
    /// Hash of the motions.
    pub motions: u64,
}

/// A document at the start of its journal.
#[derive(Debug)]
pub struct SavedDocument {
    /// Absolute path of the project file; `None` for a document without a file.
    pub project: Option<PathBuf>,
    /// Whether the project was opened read-only.
    pub is_read_only: bool,
    /// The last saved state, which may differ from the present document.
    pub state: AutosaveState,
}

enum Job {
    /// A document was opened or saved.
    Begin(Box<SavedDocument>),
    /// A document was recovered from this journal.
    Adopt(Box<AbandonedJournal>),
    /// The document changed.
    Change { state: Box<AutosaveState>, edits: usize },
    /// The window closes and nothing is unsaved.
    End,
}

/// The thread that writes the journal. The default writes nothing.
#[derive(Debug, Default)]
pub struct Autosave {
    jobs: Option<JobQueue>,
    failures: Option<Receiver<Diagnostic>>,
    files: Option<WindowFiles>,
    /// The document that was sent last.
    sent: Option<ContentKey>,
    sent_at: Option<Instant>,
}

#[derive(Debug)]
struct WindowFiles {
    /// The folder with the journals of all windows.
    folder: PathBuf,
    /// The lock file of this window.
    lock: PathBuf,
}

impl Autosave {
    /// Starts the thread. `folder` contains the journals of all windows.
    pub fn start(folder: PathBuf) -> Result<Self, Diagnostic> {
        let file = JournalFile::create(&folder)?;
        let files = WindowFiles { folder, lock: file.lock_path().to_path_buf() };
        let (report, failures) = channel();
        let jobs = JobQueue::start(WindowJournal::new(file, report));
        Ok(Self { jobs: Some(jobs), failures: Some(failures), files: Some(files), sent: None, sent_at: None })
    }

    /// Whether another running window has a project open.
    pub(super) fn is_open_elsewhere(&self, project: &Path) -> bool {
        self.files.as_ref().is_some_and(|files| is_open_in_other_window(&files.folder, &files.lock, project))
    }

    /// Reserves a project that loads, so that no other window opens the project for writing. The reservation ends with
    /// [`Self::begin`], [`Self::adopt`] or `None`.
    pub(super) fn reserve(&self, project: Option<&Path>) -> Result<(), Diagnostic> {
        self.files.as_ref().map_or(Ok(()), |files| reserve_project(&files.lock, project))
    }

    /// Call after a document was opened or saved. `present` is the key of the present document if that document is the
    /// saved one. With `None`, the next [`Self::update`] writes the present document.
    pub fn begin(&mut self, saved: SavedDocument, present: Option<ContentKey>) {
        (self.sent, self.sent_at) = (present, None);
        self.send(Job::Begin(Box::new(saved)));
    }

    /// Call after a document was recovered from a journal. `present` is the key of the recovered document.
    pub(super) fn adopt(&mut self, journal: AbandonedJournal, present: ContentKey) {
        (self.sent, self.sent_at) = (Some(present), None);
        if let Some(files) = &mut self.files {
            journal.file.lock_path().clone_into(&mut files.lock);
        }
        self.send(Job::Adopt(Box::new(journal)));
    }

    /// Sends the document if it changed. Returns the time after which the window must call this method again.
    #[expect(clippy::disallowed_methods, reason = "the interval limits copies of the document")]
    pub fn update(
        &mut self,
        present: ContentKey,
        edits: usize,
        state: impl FnOnce() -> AutosaveState,
    ) -> Option<Duration> {
        let jobs = self.jobs.as_ref()?;
        if self.sent == Some(present) {
            return jobs.retry();
        }
        let now = Instant::now();
        let left = self.sent_at.and_then(|at| SEND_INTERVAL.checked_sub(now - at)).unwrap_or_default();
        if !left.is_zero() {
            return Some(left);
        }
        (self.sent, self.sent_at) = (Some(present), Some(now));
        self.send(Job::Change { state: Box::new(state()), edits });
        self.jobs.as_ref()?.retry()
    }

    fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            jobs.send(job);
        }
    }

    /// Returns the next failure since the last call. Each kind of failure is reported once until a write succeeds. An
    /// unexpected end of the thread is reported once.
    pub(super) fn failure(&mut self) -> Option<Diagnostic> {
        match self.failures.as_ref()?.try_recv() {
            Ok(diagnostic) => Some(diagnostic),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                (self.jobs, self.failures) = (None, None);
                let folder = self.files.as_ref().map_or_else(String::new, |files| files.folder.display().to_string());
                let message =
                    message!("the recovery journal is no longer written; save the project and restart Yuremono");
                Some(Diagnostic::error(Location::file(folder), message))
            }
        }
    }

    /// Writes the last state and ends the thread. The journal stays, for the next start.
    pub(super) fn keep(&mut self, state: AutosaveState, edits: usize) {
        self.end(Job::Change { state: Box::new(state), edits });
    }

    /// Deletes the journal and ends the thread. Call when the window closes and nothing is unsaved.
    pub fn finish(&mut self) {
        self.end(Job::End);
    }

    fn end(&mut self, last: Job) {
        self.send(last);
        self.failures = None;
        if let Some(jobs) = self.jobs.take() {
            jobs.end();
        }
    }
}

/// Hands jobs to the thread.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug)]
struct JobQueue {
    jobs: Sender<Job>,
    thread: JoinHandle<()>,
}

#[cfg(not(target_arch = "wasm32"))]
impl JobQueue {
    fn start(journal: WindowJournal) -> Self {
        let (jobs, received) = channel();
        Self { jobs, thread: std::thread::spawn(move || run_thread(journal, &received)) }
    }

    fn send(&self, job: Job) {
        // Sending fails only after the thread ended unexpectedly, which `failure` reports.
        self.jobs.send(job).ok();
    }

    /// The thread repeats a failed write.
    #[expect(clippy::unused_self, reason = "a page has another queue")]
    const fn retry(&self) -> Option<Duration> {
        None
    }

    /// Waits until all jobs are done.
    fn end(self) {
        drop(self.jobs);
        // A panic of the thread was printed already.
        self.thread.join().ok();
    }
}

/// Runs jobs at once: only the main thread of a page can use the storage of the browser, which does not wait for a disk.
#[cfg(target_arch = "wasm32")]
#[derive(Debug)]
struct JobQueue {
    journal: std::cell::RefCell<Option<WindowJournal>>,
    failed_at: std::cell::Cell<Option<Instant>>,
}

#[cfg(target_arch = "wasm32")]
impl JobQueue {
    fn start(journal: WindowJournal) -> Self {
        Self { journal: Some(journal).into(), failed_at: None.into() }
    }

    fn send(&self, job: Job) {
        self.run(Some(job));
    }

    /// Repeats a failed write. Returns the time until the next attempt.
    fn retry(&self) -> Option<Duration> {
        let left = RETRY_INTERVAL.saturating_sub(self.failed_at.get()?.elapsed());
        if !left.is_zero() {
            return Some(left);
        }
        self.run(None);
        self.failed_at.get().map(|_| RETRY_INTERVAL)
    }

    fn run(&self, job: Option<Job>) {
        let journal = self.journal.take().and_then(|journal| journal.run(job));
        let has_failed = journal.as_ref().is_some_and(|journal| journal.is_incomplete);
        self.failed_at.set(has_failed.then(Instant::now));
        self.journal.replace(journal);
    }

    fn end(self) {}
}

/// The thread: handles jobs until the window closes. If the window ends in another way, the files stay.
#[cfg(not(target_arch = "wasm32"))]
fn run_thread(mut journal: WindowJournal, jobs: &Receiver<Job>) {
    loop {
        let received = if journal.is_incomplete || !journal.is_flushed {
            jobs.recv_timeout(RETRY_INTERVAL)
        } else {
            jobs.recv().map_err(RecvTimeoutError::from)
        };
        let job = match received {
            Ok(job) => Some(newest(job, jobs)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        match journal.run(job) {
            Some(open) => journal = open,
            None => return,
        }
    }
}

/// Skips changes that a waiting job replaces: a newer state includes the changes of the older states.
#[cfg(not(target_arch = "wasm32"))]
fn newest(mut job: Job, jobs: &Receiver<Job>) -> Job {
    while matches!(job, Job::Change { .. })
        && let Ok(newer) = jobs.try_recv()
    {
        job = newer;
    }
    job
}

/// The journal of this window. After a method fails, [`Self::retry`] writes the files again.
#[derive(Debug)]
struct WindowJournal {
    file: JournalFile,
    /// The newest state; `None` until a document is open.
    writer: Option<JournalWriter>,
    /// Whether the last write failed.
    is_incomplete: bool,
    /// Whether no flush is running.
    is_flushed: bool,
    report: Sender<Diagnostic>,
}

impl WindowJournal {
    fn new(file: JournalFile, report: Sender<Diagnostic>) -> Self {
        Self { file, writer: None, is_incomplete: false, is_flushed: true, report }
    }

    /// Handles a job, or without a job repeats a failed write. Returns `None` after the end of the journal.
    fn run(mut self, job: Option<Job>) -> Option<Self> {
        let result = match job {
            Some(Job::Begin(saved)) => self.begin(*saved),
            Some(Job::Adopt(adopted)) => self.adopt(*adopted),
            Some(Job::Change { state, edits }) => self.append(&state.to_bytes(), edits),
            Some(Job::End) => {
                self.file.delete();
                return None;
            }
            None => self.retry(),
        };
        let was_incomplete = std::mem::replace(&mut self.is_incomplete, result.is_err());
        // One report is enough for a disk that stays full.
        if let Err(diagnostic) = result
            && !was_incomplete
        {
            // Sending fails only after the window was closed.
            self.report.send(diagnostic).ok();
        }
        Some(self)
    }

    fn begin(&mut self, saved: SavedDocument) -> Result<(), Diagnostic> {
        let state = saved.state.to_bytes();
        self.writer = Some(JournalWriter::new(saved.project, saved.is_read_only, &state));
        self.write_files()
    }

    fn adopt(&mut self, adopted: AbandonedJournal) -> Result<(), Diagnostic> {
        let AbandonedJournal { file, journal, .. } = adopted;
        std::mem::replace(&mut self.file, file).delete();
        let is_stored = store_open_project(&self.file, &journal.writer);
        let is_adopted = self.file.adopt(&journal);
        self.writer = Some(journal.writer);
        is_stored.and(is_adopted)
    }

    fn append(&mut self, project: &[u8], edits: usize) -> Result<(), Diagnostic> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let line = writer.append(project, edits, since_1970().as_secs());
        if self.is_incomplete {
            return self.write_files();
        }
        let Some(line) = line else { return Ok(()) };
        self.is_flushed = false;
        self.file.append(writer, &line)
    }

    fn retry(&mut self) -> Result<(), Diagnostic> {
        self.is_flushed = self.file.poll_flush()?;
        if self.is_incomplete { self.write_files() } else { Ok(()) }
    }

    /// Writes all files again.
    fn write_files(&mut self) -> Result<(), Diagnostic> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let is_stored = store_open_project(&self.file, writer);
        let is_written = if writer.has_edits() { self.file.rewrite(writer) } else { self.file.clear() };
        is_stored.and(is_written)
    }
}

/// Stores which project is open, and then ends its reservation.
fn store_open_project(file: &JournalFile, writer: &JournalWriter) -> Result<(), Diagnostic> {
    file.set_project(writer.project_path())?;
    reserve_project(file.lock_path(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(name: &str) -> AutosaveState {
        let session = crate::app::sample_session();
        let mut document = session.document().clone();
        name.clone_into(&mut document.setup.systems.values_mut().next().expect("a system").name);
        AutosaveState { character: session.character().clone(), document, metadata: ProjectMetadata::default() }
    }

    fn saved(name: &str) -> SavedDocument {
        SavedDocument { project: None, is_read_only: false, state: state(name) }
    }

    #[track_caller]
    fn wait_until(mut condition: impl FnMut() -> bool) {
        let is_so = (0..500).any(|_| {
            std::thread::sleep(Duration::from_millis(20));
            condition()
        });
        assert!(is_so);
    }

    fn key(state_number: u64) -> ContentKey {
        ContentKey { state_number, motions: 0 }
    }

    fn journal_of(autosave: &Autosave) -> PathBuf {
        autosave.files.as_ref().expect("files").lock.with_extension("journal")
    }

    /// Ends the thread as a crash of the window would.
    fn crash(mut autosave: Autosave) {
        let JobQueue { jobs, thread } = autosave.jobs.take().expect("a thread");
        drop(jobs);
        thread.join().expect("no panic");
    }

    /// Returns the number of edits in the only journal of an ended window.
    #[track_caller]
    fn recovered_edits(folder: &Path) -> usize {
        let (found, diagnostics) = JournalFile::abandoned(folder);
        assert_eq!((found.len(), diagnostics), (1, Vec::new()));
        found[0].journal.edits()
    }

    #[test]
    fn a_failed_write_is_repeated_without_a_further_edit() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut autosave = Autosave::start(folder.path().to_path_buf()).expect("started");
        autosave.begin(saved("saved"), Some(key(0)));
        let (journal, obstacle) = (journal_of(&autosave), journal_of(&autosave).with_extension("journal-new"));
        std::fs::create_dir(&obstacle).expect("created");
        autosave.update(key(1), 1, || state("edited"));
        wait_until(|| autosave.failure().is_some());
        std::fs::remove_dir(&obstacle).expect("removed");
        wait_until(|| journal.exists());
        assert!(autosave.failure().is_none());
        crash(autosave);
        assert_eq!(recovered_edits(folder.path()), 1);
    }

    #[test]
    fn an_unsaved_document_and_loaded_motions_are_written_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut autosave = Autosave::start(folder.path().to_path_buf()).expect("started");
        autosave.begin(saved("saved"), None);
        assert_eq!(autosave.update(key(0), 1, || state("restored")), None);
        let journal = journal_of(&autosave);
        wait_until(|| journal.exists());
        // Saving deletes the journal, and a motion starts the next journal.
        autosave.begin(saved("restored"), Some(key(0)));
        wait_until(|| !journal.exists());
        let with_motion = || {
            let mut state = state("restored");
            state.metadata.motions.push("walk.vrma".to_owned());
            state
        };
        assert_eq!(autosave.update(ContentKey { state_number: 0, motions: 7 }, 1, with_motion), None);
        wait_until(|| journal.exists());
        crash(autosave);
        assert_eq!(recovered_edits(folder.path()), 1);
    }

    #[test]
    fn an_unexpected_end_of_the_thread_is_reported_once() {
        let (_, failures) = channel();
        let jobs = JobQueue { jobs: channel().0, thread: std::thread::spawn(|| ()) };
        let mut autosave = Autosave { jobs: Some(jobs), failures: Some(failures), ..Autosave::default() };
        let text = autosave.failure().expect("a failure").to_string();
        assert!(text.contains("is no longer written"), "{text}");
        assert!(autosave.failure().is_none());

        let folder = tempfile::tempdir().expect("a folder");
        let mut closed = Autosave::start(folder.path().to_path_buf()).expect("started");
        closed.finish();
        assert!(closed.failure().is_none(), "a closed window has no failure");
    }

    #[cfg(unix)]
    #[test]
    fn edits_of_a_project_whose_path_is_not_unicode_are_written() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let project = Path::new(std::ffi::OsStr::from_bytes(b"/art/\xff.yure"));
        let mut autosave = Autosave::start(folder.path().to_path_buf()).expect("started");
        autosave.begin(SavedDocument { project: Some(project.to_path_buf()), ..saved("saved") }, Some(key(0)));
        autosave.update(key(1), 1, || state("edited"));
        let journal = journal_of(&autosave);
        wait_until(|| journal.exists());
        crash(autosave);
        let (found, _) = JournalFile::abandoned(folder.path());
        assert_eq!(found[0].journal.project_path(), Some(project));
    }
}
