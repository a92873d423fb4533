//! What is open, what is being opened, what was open, and whether it changed on disk.

use super::watch::{ContentWatch, FileWatch};
use crate::diagnostics::Diagnostic;
use crate::format::motion::RetargetedMotions;
use crate::format::open::{self, OpenedCharacter, file_name};
use crate::format::project::{self, Project, ProjectMetadata};
use crate::format::source::Fingerprint;
use crate::format::tables::FileKind;
use crate::rig::Character;
use crate::session::Session;
use crate::ui::{DiskStatus, FileView, OpenProgress};
use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Instant;

/// As many recent files as are remembered.
const MAX_RECENT: usize = 10;

/// The files round the session.
pub(super) struct OpenFiles {
    character: Option<PathBuf>,
    character_name: String,
    /// The open project's file.
    project: Option<ContentWatch>,
    /// What the project file says beside the document, kept for the next save.
    surroundings: ProjectMetadata,
    recent: Vec<PathBuf>,
    loading: Option<FileLoad>,
    character_watch: FileWatch,
    /// The motions that were loaded onto the character: each file, and how many clips it gave. Their clips are the
    /// character's last ones.
    motions: LoadedMotions,
    /// The motions that the open project's file lists.
    saved_motions: Vec<PathBuf>,
    /// Motions to read, one after the other.
    queued_motions: VecDeque<PathBuf>,
    /// The table that was read or written last.
    watched_table: Option<ContentWatch>,
    /// The table that was shown to the artist last.
    offered_table: Option<PathBuf>,
}

/// A file that a thread is reading.
struct FileLoad {
    name: String,
    /// Its path, where it is a motion for the open character.
    motion: Option<PathBuf>,
    progress: Arc<AtomicU32>,
    cancelled: Arc<AtomicBool>,
    result: Receiver<Result<LoadedFile, Vec<Diagnostic>>>,
    started: Instant,
}

/// The motion files that were loaded onto a character: each file, and how many clips it gave.
pub(super) type LoadedMotions = Vec<(PathBuf, usize)>;

/// What a thread has read.
pub(super) enum LoadedFile {
    /// A character to open (`None`: the sample), and what is authored on it where a project says so.
    Character {
        path: Option<PathBuf>,
        opened: OpenedCharacter,
        motions: LoadedMotions,
        project: Option<Box<(PathBuf, Project)>>,
    },
    /// A newer version of the open character.
    Reloaded { opened: OpenedCharacter, motions: LoadedMotions },
    /// A motion for the open character.
    Motion { path: PathBuf, motions: RetargetedMotions },
}

impl OpenFiles {
    pub(super) fn new(recent: Vec<PathBuf>) -> Self {
        Self {
            character: None,
            character_name: super::SAMPLE_NAME.to_owned(),
            project: None,
            surroundings: ProjectMetadata::default(),
            recent,
            loading: None,
            character_watch: FileWatch::default(),
            motions: Vec::new(),
            saved_motions: Vec::new(),
            queued_motions: VecDeque::new(),
            watched_table: None,
            offered_table: None,
        }
    }

    pub(super) fn view<'a>(&'a self, session: &Session) -> FileView<'a> {
        FileView {
            name: &self.character_name,
            is_sample: self.character.is_none(),
            project: self.project.as_ref().map(ContentWatch::name),
            has_unsaved_changes: session.history().is_dirty() || self.has_unsaved_motions(),
            opening: self.loading.as_ref().map(|o| OpenProgress {
                name: &o.name,
                progress: f32::from_bits(o.progress.load(Ordering::Relaxed)),
                elapsed_seconds: o.started.elapsed().as_secs_f32(),
            }),
            changed_on_disk: self.character_watch.changed(),
            changed_table: self
                .watched_table
                .as_ref()
                .filter(|t| t.unreported_change() == DiskStatus::Changed)
                .map(ContentWatch::name),
            project_on_disk: self.project.as_ref().map_or(DiskStatus::Unchanged, ContentWatch::unreported_change),
            confirm_overwrite: false,
            recent: &self.recent,
            confirm_close: false,
            confirm_average: false,
            pending_open: None,
        }
    }

    /// Name of the open character.
    pub(super) fn name(&self) -> &str {
        &self.character_name
    }

    pub(super) fn recent(&self) -> &[PathBuf] {
        &self.recent
    }

    pub(super) fn clear_recent(&mut self) {
        self.recent.clear();
    }

    pub(super) fn character(&self) -> Option<&Path> {
        self.character.as_deref()
    }

    pub(super) fn project(&self) -> Option<&Path> {
        self.project.as_ref().map(ContentWatch::path)
    }

    pub(super) fn is_loading(&self) -> bool {
        self.loading.is_some() || !self.queued_motions.is_empty()
    }

    /// Whether the open project lists other motions than the character has. Without a project, a motion is no work to lose.
    pub(super) fn has_unsaved_motions(&self) -> bool {
        self.project.is_some() && !self.motions.iter().map(|(path, _)| path).eq(&self.saved_motions)
    }

    /// The motions of the character count as saved.
    pub(super) fn mark_motions_saved(&mut self) {
        self.saved_motions = self.motions.iter().map(|(path, _)| path.clone()).collect();
    }

    /// A table was read or written here: from now on another program's changes to it are heard.
    pub(super) fn watch_table(&mut self, path: &Path, ctx: &egui::Context) {
        self.watched_table = Some(ContentWatch::with_current_contents(path, ctx));
    }

    /// This table is shown to the artist, who may want it read otherwise.
    pub(super) fn set_offered_table(&mut self, path: &Path) {
        self.offered_table = Some(path.to_path_buf());
    }

    /// The table that was shown last.
    pub(super) fn offered_table(&self) -> Option<&Path> {
        self.offered_table.as_deref()
    }

    /// Compares the table and the project with what is known of them, where the system has told of a change.
    pub(super) fn check_for_changes(&mut self) {
        self.watched_table.iter_mut().chain(&mut self.project).for_each(ContentWatch::compare_if_notified);
    }

    /// Compares the open project's file with what was last read from it or saved to it, now.
    pub(super) fn compare_project(&mut self) -> DiskStatus {
        let Some(project) = &mut self.project else { return DiskStatus::Unchanged };
        project.compare();
        project.on_disk()
    }

    /// The change of the project on disk is not shown any more; saving still asks.
    pub(super) fn dismiss_project_change(&mut self) {
        if let Some(project) = &mut self.project {
            project.dismiss();
        }
    }

    /// The table that another program changed, to be read again; from now on it counts as known.
    pub(super) fn take_changed_table(&mut self) -> Option<PathBuf> {
        let table = self.watched_table.as_mut().filter(|t| t.unreported_change() == DiskStatus::Changed)?;
        table.acknowledge();
        Some(table.path().to_path_buf())
    }

    /// The character's file was written here: from now on it counts as known.
    pub(super) fn restart_character_watch(&mut self, ctx: &egui::Context) {
        if let Some(path) = &self.character {
            self.character_watch = FileWatch::new(path, ctx);
        }
    }

    pub(super) fn ignore_change(&mut self) {
        self.character_watch.acknowledge();
    }

    /// Reads a character (`None`: the sample) and the motions of its project on a thread.
    pub(super) fn open(&mut self, path: Option<PathBuf>, project: Option<(PathBuf, Project)>, ctx: &egui::Context) {
        let name = path.as_deref().map_or_else(|| super::SAMPLE_NAME.to_owned(), file_name);
        let motions: Vec<PathBuf> = project.iter().flat_map(|(file, project)| project.motion_paths(file)).collect();
        self.start_loading(name, None, ctx, move |progress| {
            let mut opened = match &path {
                Some(path) => open::character(path, progress)?,
                None => super::open_sample(),
            };
            let motions = opened.add_motions(motions);
            Ok(LoadedFile::Character { path, opened, motions, project: project.map(Box::new) })
        });
    }

    /// Reads the open character and its motions again on a thread.
    pub(super) fn reload(&mut self, ctx: &egui::Context) {
        let Some(path) = self.character.clone() else { return };
        let motions: Vec<PathBuf> = self.motions.iter().map(|(path, _)| path.clone()).collect();
        self.start_loading(file_name(&path), None, ctx, move |progress| {
            let mut opened = open::character(&path, progress)?;
            let motions = opened.add_motions(motions);
            Ok(LoadedFile::Reloaded { opened, motions })
        });
    }

    /// Reads a motion for the open character, as soon as nothing else is read.
    pub(super) fn load_motion(&mut self, path: PathBuf) {
        self.queued_motions.push_back(path);
    }

    /// The motion to read now.
    pub(super) fn next_motion(&mut self) -> Option<PathBuf> {
        if self.loading.is_some() { None } else { self.queued_motions.pop_front() }
    }

    /// Reads a motion for this character on a thread.
    pub(super) fn read_motion(&mut self, path: PathBuf, character: Arc<Character>, ctx: &egui::Context) {
        self.start_loading(file_name(&path), Some(path.clone()), ctx, move |progress| {
            let motions = open::motions(&path, &character, progress)?;
            Ok(LoadedFile::Motion { path, motions })
        });
    }

    /// Reads something on a thread. A character under way is dropped, a motion under way waits for its turn again.
    #[expect(clippy::disallowed_methods, reason = "the progress bar shows after a while")]
    fn start_loading(
        &mut self,
        name: String,
        motion: Option<PathBuf>,
        ctx: &egui::Context,
        read: impl FnOnce(&(dyn Fn(f32) -> bool + Sync)) -> Result<LoadedFile, Vec<Diagnostic>> + Send + 'static,
    ) {
        if let Some(dropped) = self.cancel_loading() {
            self.queued_motions.push_front(dropped);
        }
        let (progress, cancelled) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (sender, result) = channel();
        let (thread_progress, thread_cancelled) = (Arc::clone(&progress), Arc::clone(&cancelled));
        let thread_ctx = ctx.clone();
        std::thread::spawn(move || {
            let hear = |share: f32| {
                thread_progress.store(share.to_bits(), Ordering::Relaxed);
                !thread_cancelled.load(Ordering::Relaxed)
            };
            // The window may be gone or may have asked for something else by now.
            let _ = sender.send(read(&hear));
            thread_ctx.request_repaint();
        });
        self.loading = Some(FileLoad { name, motion, progress, cancelled, result, started: Instant::now() });
    }

    /// Stops reading; the motion that was being read, if it was one.
    pub(super) fn cancel_loading(&mut self) -> Option<PathBuf> {
        let opening = self.loading.take()?;
        opening.cancelled.store(true, Ordering::Relaxed);
        opening.motion
    }

    /// What a thread has read, once.
    pub(super) fn poll_loaded(&mut self) -> Option<Result<LoadedFile, Vec<Diagnostic>>> {
        let opening = self.loading.take()?;
        match opening.result.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => {
                self.loading = Some(opening);
                None
            }
            Err(TryRecvError::Disconnected) => {
                let place = crate::diagnostics::Location::file(opening.name);
                Some(Err(vec![Diagnostic::error(place, "reading it ended without a result")]))
            }
        }
    }

    /// This character (`None`: the sample) is the open one.
    pub(super) fn set_character(&mut self, path: Option<PathBuf>, ctx: &egui::Context) {
        self.character_watch = path.as_deref().map_or_else(FileWatch::default, |path| FileWatch::new(path, ctx));
        self.character_name = path.as_deref().map_or_else(|| super::SAMPLE_NAME.to_owned(), file_name);
        if let Some(path) = &path {
            self.add_recent(path.clone());
        }
        self.character = path;
        self.watched_table = None;
        self.motions.clear();
        self.surroundings = ProjectMetadata::default();
        self.project = None;
    }

    /// The motions that are on the character now.
    pub(super) fn set_motions(&mut self, motions: LoadedMotions) {
        self.motions = motions;
    }

    /// Which of the character's clips a motion file has given; those behind the last where it is new. `count` are all.
    pub(super) fn clips_of_motion(&self, path: &Path, count: usize) -> Range<usize> {
        let of = |motions: &[(PathBuf, usize)]| motions.iter().map(|(_, clips)| clips).sum::<usize>();
        let at = self.motions.iter().position(|(other, _)| other == path).unwrap_or(self.motions.len());
        let start = count.saturating_sub(of(&self.motions[at..]));
        start..start + self.motions.get(at).map_or(0, |(_, clips)| *clips)
    }

    /// A motion file was loaded onto the character.
    pub(super) fn add_loaded_motion(&mut self, path: PathBuf, clips: usize) {
        match self.motions.iter_mut().find(|(other, _)| *other == path) {
            Some((_, count)) => *count = clips,
            None => self.motions.push((path.clone(), clips)),
        }
        // A recent file is opened by its ending: others would take the character's place.
        if is_motion(&path) {
            self.add_recent(path);
        }
    }

    /// The project at `path` is the open one; the file has these contents as far as is known here.
    pub(super) fn set_project(&mut self, path: PathBuf, contents: Fingerprint, ctx: &egui::Context) {
        let mut project = ContentWatch::new(&path, Some(contents), ctx);
        // The character may have taken long to load.
        project.compare();
        self.project = Some(project);
        self.mark_motions_saved();
        self.add_recent(path);
    }

    /// What a project at `path` says of the character: its path from there, where there is one.
    pub(super) fn surroundings(&self, path: &Path, view: serde_json::Value) -> ProjectMetadata {
        let named = |file: &Path| project::relative_path(path, file);
        ProjectMetadata {
            character_path: self.character.as_deref().map_or_else(String::new, named),
            character_name: self.character_name.clone(),
            motions: self.motions.iter().map(|(motion, _)| named(motion)).collect(),
            view,
            unknown_fields: self.surroundings.unknown_fields.clone(),
        }
    }

    /// Keeps what was read for the next save.
    pub(super) fn set_surroundings(&mut self, surroundings: ProjectMetadata) {
        self.surroundings = surroundings;
    }

    fn add_recent(&mut self, path: PathBuf) {
        let path = std::path::absolute(&path).unwrap_or(path);
        self.recent.retain(|p| *p != path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
    }
}

/// Whether a file is a motion by its name and nothing else.
pub(super) fn is_motion(path: &Path) -> bool {
    FileKind::from_path(path) == Some(FileKind::Motion)
}
