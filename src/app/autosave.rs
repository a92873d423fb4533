//! Writes every change of the document to a recovery journal, on a thread.
//!
//! The window sends at most one copy of the document per [`SEND_INTERVAL`], so that a drag does not copy the document in
//! every frame. The thread serializes the copy and appends the difference to the journal, so disks never delay a frame.

use super::clock::since_1970;
use crate::diagnostics::Diagnostic;
use crate::document::Document;
use crate::format::project::{self, ProjectMetadata};
use crate::format::recovery::store::{JournalFile, is_open_in_other_window};
use crate::format::recovery::{Journal, JournalWriter};
use crate::rig::Character;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Minimum time between two copies of the document. With the time of a frame and of writing, a change reaches the disk
/// well within one second.
const SEND_INTERVAL: Duration = Duration::from_millis(250);

/// A journal that an ended window left behind, with the files that hold it.
pub(super) type AbandonedJournal = (JournalFile, Journal);

/// What the journal stores: the parts of a project.
#[derive(Clone, Debug)]
pub(super) struct AutosaveState {
    pub(super) character: Arc<Character>,
    pub(super) document: Document,
    /// With absolute paths and without a view.
    pub(super) metadata: ProjectMetadata,
}

impl AutosaveState {
    fn to_bytes(&self) -> Vec<u8> {
        project::write(&self.document, &self.character.skeleton, &self.metadata)
    }
}

enum Job {
    /// The state is saved or was just opened. `adopted` continues the journal of an ended window instead.
    Begin { project: Option<PathBuf>, state: Box<AutosaveState>, adopted: Option<Box<AbandonedJournal>> },
    /// The document changed.
    Change { state: Box<AutosaveState>, edits: usize },
    /// The window closes and nothing is unsaved.
    End,
}

/// The thread that writes the journal. The default writes nothing.
#[derive(Default)]
pub(super) struct Autosave {
    jobs: Option<Sender<Job>>,
    failures: Option<Receiver<Diagnostic>>,
    thread: Option<JoinHandle<()>>,
    /// The folder of the journals, and the lock file of this window.
    files: Option<(PathBuf, PathBuf)>,
    /// State number of the document that was sent last.
    sent_state: u64,
    sent_at: Option<Instant>,
}

impl Autosave {
    /// Starts the thread. `folder` contains the journals of all windows.
    pub(super) fn start(folder: PathBuf) -> Result<Self, Diagnostic> {
        let file = JournalFile::create(&folder)?;
        let files = Some((folder, file.lock_path().to_path_buf()));
        let (report, failures) = channel();
        let (jobs, received) = channel();
        let thread = std::thread::spawn(move || write_journal(file, &received, &report));
        let (jobs, failures, thread) = (Some(jobs), Some(failures), Some(thread));
        Ok(Self { jobs, failures, thread, files, sent_state: 0, sent_at: None })
    }

    /// Whether another running window has a project open.
    pub(super) fn is_open_elsewhere(&self, project: &Path) -> bool {
        self.files.as_ref().is_some_and(|(folder, own_lock)| is_open_in_other_window(folder, own_lock, project))
    }

    /// Call after a document was opened or saved. `state_number` is the state number of the document. `adopted` is the
    /// journal from which the document was recovered.
    pub(super) fn begin(
        &mut self,
        project: Option<PathBuf>,
        state: AutosaveState,
        state_number: u64,
        adopted: Option<AbandonedJournal>,
    ) {
        self.sent_state = state_number;
        if let (Some((_, own_lock)), Some((file, _))) = (&mut self.files, &adopted) {
            file.lock_path().clone_into(own_lock);
        }
        self.send(Job::Begin { project, state: Box::new(state), adopted: adopted.map(Box::new) });
    }

    /// Sends the document if it changed. Returns the time after which the window must call this method again.
    #[expect(clippy::disallowed_methods, reason = "the interval limits copies of the document")]
    pub(super) fn update(
        &mut self,
        state_number: u64,
        edits: usize,
        state: impl FnOnce() -> AutosaveState,
    ) -> Option<Duration> {
        if state_number == self.sent_state || self.jobs.is_none() {
            return None;
        }
        let now = Instant::now();
        let left = self.sent_at.and_then(|at| SEND_INTERVAL.checked_sub(now - at)).unwrap_or_default();
        if !left.is_zero() {
            return Some(left);
        }
        (self.sent_state, self.sent_at) = (state_number, Some(now));
        self.send(Job::Change { state: Box::new(state()), edits });
        None
    }

    fn send(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // Sending fails only after the thread failed, which was reported.
            jobs.send(job).ok();
        }
    }

    /// Returns the next failure since the last call. Each kind of failure is reported once until a write succeeds.
    pub(super) fn failure(&self) -> Option<Diagnostic> {
        self.failures.as_ref()?.try_recv().ok()
    }

    /// Writes the last state and ends the thread. The journal stays, for the next start.
    pub(super) fn keep(&mut self, state: AutosaveState, edits: usize) {
        self.send(Job::Change { state: Box::new(state), edits });
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed already.
            thread.join().ok();
        }
    }

    /// Deletes the journal and ends the thread. Call when the window closes and nothing is unsaved.
    pub(super) fn finish(&mut self) {
        self.send(Job::End);
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was printed already.
            thread.join().ok();
        }
    }
}

/// The thread: handles jobs until the window closes. If the window ends in another way, the files stay.
fn write_journal(mut file: JournalFile, jobs: &Receiver<Job>, report: &Sender<Diagnostic>) {
    // Sending fails only if the window was closed.
    let report = |diagnostic| report.send(diagnostic).unwrap_or_default();
    let mut writer: Option<JournalWriter> = None;
    let mut has_failed = false;
    while let Ok(mut job) = jobs.recv() {
        // A newer state includes the changes of the older states.
        while matches!(job, Job::Change { .. })
            && let Ok(newer) = jobs.try_recv()
        {
            job = newer;
        }
        let result = match job {
            Job::Begin { project, state, adopted: None } => {
                let is_stored = file.set_project(project.as_deref());
                writer = Some(JournalWriter::new(project, &state.to_bytes()));
                file.clear().and(is_stored)
            }
            Job::Begin { project, adopted: Some(adopted), .. } => {
                let (adopted_file, journal) = *adopted;
                std::mem::replace(&mut file, adopted_file).delete();
                writer = Some(journal.writer);
                file.set_project(project.as_deref())
            }
            Job::End => return file.delete(),
            Job::Change { state, edits } => append(&mut file, writer.as_mut(), &state.to_bytes(), edits),
        };
        match result {
            Ok(()) => has_failed = false,
            // One report is enough for a disk that stays full.
            Err(diagnostic) if !std::mem::replace(&mut has_failed, true) => report(diagnostic),
            Err(_) => {}
        }
    }
}

fn append(
    file: &mut JournalFile,
    writer: Option<&mut JournalWriter>,
    project: &[u8],
    edits: usize,
) -> Result<(), Diagnostic> {
    let Some(writer) = writer else { return Ok(()) };
    let time = since_1970().as_secs();
    match writer.append(project, edits, time) {
        Some(line) => file.append(writer, &line, edits, time),
        None => Ok(()),
    }
}
