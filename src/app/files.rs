//! The open files, the file being loaded, recent files, and changes on disk.

use super::background::BackgroundTask;
use super::watch::{ContentWatch, FileWatch};
use crate::diagnostics::{Diagnostic, Location, message};
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
use std::time::Instant;

/// Largest number of recent files.
const MAX_RECENT: usize = 10;

/// The files of the session.
#[derive(Default)]
pub(super) struct OpenFiles {
    character: Option<PathBuf>,
    pub(super) character_name: String,
    /// The file of the open project.
    project: Option<ContentWatch>,
    /// The content of the project file besides the document, for the next save.
    pub(super) metadata: ProjectMetadata,
    pub(super) recent: Vec<PathBuf>,
    loading: Option<FileLoad>,
    pub(super) character_watch: FileWatch,
    /// Their clips are the last clips of the character.
    pub(super) motions: LoadedMotions,
    /// The motions in the file of the open project.
    saved_motions: Vec<PathBuf>,
    /// Motions to load, one after the other.
    pub(super) queued_motions: VecDeque<PathBuf>,
    watched_table: Option<ContentWatch>,
    /// The table that the import dialog showed last.
    pub(super) offered_table: Option<PathBuf>,
}

/// A file that a thread loads.
struct FileLoad {
    name: String,
    /// The path of a motion for the open character.
    motion: Option<PathBuf>,
    task: BackgroundTask<Result<LoadedFile, Vec<Diagnostic>>>,
    started: Instant,
}

/// The motion files of a character, each with its number of clips.
pub(super) type LoadedMotions = Vec<(PathBuf, usize)>;

pub(super) enum LoadedFile {
    /// A character to open (without `path`, the sample), with its project.
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
        Self { character_name: super::SAMPLE_NAME.to_owned(), recent, ..Self::default() }
    }

    pub(super) fn view<'a>(&'a self, session: &Session) -> FileView<'a> {
        FileView {
            name: &self.character_name,
            is_sample: self.character.is_none(),
            project: self.project.as_ref().map(|file| &*file.name),
            has_unsaved_changes: session.history().is_dirty() || self.has_unsaved_motions(),
            opening: self.loading.as_ref().map(|o| OpenProgress {
                name: &o.name,
                progress: o.task.progress(),
                elapsed_seconds: o.started.elapsed().as_secs_f32(),
            }),
            changed_on_disk: self.character_watch.changed(),
            changed_table: self
                .watched_table
                .as_ref()
                .filter(|t| t.unreported_change() == DiskStatus::Changed)
                .map(|file| &*file.name),
            project_on_disk: self.project.as_ref().map_or(DiskStatus::Unchanged, ContentWatch::unreported_change),
            recent: &self.recent,
            ..FileView::default()
        }
    }

    pub(super) fn character(&self) -> Option<&Path> {
        self.character.as_deref()
    }

    pub(super) fn project(&self) -> Option<&Path> {
        self.project.as_ref().map(|file| &*file.path)
    }

    pub(super) fn is_loading(&self) -> bool {
        self.loading.is_some() || !self.queued_motions.is_empty()
    }

    /// Whether the project file has other motions than the character. Without project, motions need not be saved.
    pub(super) fn has_unsaved_motions(&self) -> bool {
        self.project.is_some() && !self.motions.iter().map(|(path, _)| path).eq(&self.saved_motions)
    }

    /// Call after the project was saved or discarded.
    pub(super) fn mark_motions_saved(&mut self) {
        self.saved_motions = self.motions.iter().map(|(path, _)| path.clone()).collect();
    }

    /// Watches a table that was just read or written.
    pub(super) fn watch_table(&mut self, path: &Path, ctx: &egui::Context) {
        self.watched_table = Some(ContentWatch::with_current_contents(path, ctx));
    }

    /// Compares the table and the project with their known contents if the system reported a change.
    pub(super) fn check_for_changes(&mut self) {
        self.watched_table.iter_mut().chain(&mut self.project).for_each(ContentWatch::compare_if_notified);
    }

    /// Compares the project file with the contents that were last read or saved.
    pub(super) fn compare_project(&mut self) -> DiskStatus {
        let Some(project) = &mut self.project else { return DiskStatus::Unchanged };
        project.compare();
        project.on_disk()
    }

    /// Hides the change of the project file; saving still asks.
    pub(super) fn dismiss_project_change(&mut self) {
        if let Some(project) = &mut self.project {
            project.dismiss();
        }
    }

    /// The path of the changed table, whose contents then count as known.
    pub(super) fn take_changed_table(&mut self) -> Option<PathBuf> {
        let table = self.watched_table.as_mut().filter(|t| t.unreported_change() == DiskStatus::Changed)?;
        table.acknowledge();
        Some(table.path.clone())
    }

    /// Call after the character file was written.
    pub(super) fn restart_character_watch(&mut self, ctx: &egui::Context) {
        if let Some(path) = &self.character {
            self.character_watch = FileWatch::new(path, ctx);
        }
    }

    /// Loads a character (`None`: the sample) and the motions of its project on a thread.
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

    /// Loads the open character and its motions again on a thread.
    pub(super) fn reload(&mut self, ctx: &egui::Context) {
        let Some(path) = self.character.clone() else { return };
        let motions: Vec<PathBuf> = self.motions.iter().map(|(path, _)| path.clone()).collect();
        self.start_loading(file_name(&path), None, ctx, move |progress| {
            let mut opened = open::character(&path, progress)?;
            let motions = opened.add_motions(motions);
            Ok(LoadedFile::Reloaded { opened, motions })
        });
    }

    /// The next queued motion, if nothing else is loading.
    pub(super) fn next_motion(&mut self) -> Option<PathBuf> {
        if self.loading.is_some() { None } else { self.queued_motions.pop_front() }
    }

    /// Loads a motion for a character on a thread.
    pub(super) fn read_motion(&mut self, path: PathBuf, character: Arc<Character>, ctx: &egui::Context) {
        self.start_loading(file_name(&path), Some(path.clone()), ctx, move |progress| {
            let motions = open::motions(&path, &character, progress)?;
            Ok(LoadedFile::Motion { path, motions })
        });
    }

    /// Loads a file on a thread. Cancels a running load; a cancelled motion is queued again.
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
        let task = BackgroundTask::start(ctx, read);
        self.loading = Some(FileLoad { name, motion, task, started: Instant::now() });
    }

    /// Cancels the running load. Returns the path if it was a motion.
    pub(super) fn cancel_loading(&mut self) -> Option<PathBuf> {
        self.loading.take()?.motion
    }

    /// The result of the load, once.
    pub(super) fn poll_loaded(&mut self) -> Option<Result<LoadedFile, Vec<Diagnostic>>> {
        let result = self.loading.as_ref()?.task.poll()?;
        let place = Location::file(self.loading.take()?.name);
        let failed = || Diagnostic::error(place, message!("reading ended without a result; nothing was opened"));
        Some(result.unwrap_or_else(|_| Err(vec![failed()])))
    }

    /// Sets the open character (`None`: the sample) and closes the project.
    pub(super) fn set_character(&mut self, path: Option<PathBuf>, ctx: &egui::Context) {
        self.character_watch = path.as_deref().map_or_else(FileWatch::default, |path| FileWatch::new(path, ctx));
        self.character_name = path.as_deref().map_or_else(|| super::SAMPLE_NAME.to_owned(), file_name);
        if let Some(path) = &path {
            self.add_recent(path.clone());
        }
        self.character = path;
        self.watched_table = None;
        self.motions.clear();
        self.metadata = ProjectMetadata::default();
        self.project = None;
    }

    /// The clips of a motion file among the `count` clips of the character; an empty range after them for a new file.
    pub(super) fn clips_of_motion(&self, path: &Path, count: usize) -> Range<usize> {
        let of = |motions: &[(PathBuf, usize)]| motions.iter().map(|(_, clips)| clips).sum::<usize>();
        let at = self.motions.iter().position(|(other, _)| other == path).unwrap_or(self.motions.len());
        let start = count.saturating_sub(of(&self.motions[at..]));
        start..start + self.motions.get(at).map_or(0, |(_, clips)| *clips)
    }

    pub(super) fn add_loaded_motion(&mut self, path: PathBuf, clips: usize) {
        match self.motions.iter_mut().find(|(other, _)| *other == path) {
            Some((_, count)) => *count = clips,
            None => self.motions.push((path.clone(), clips)),
        }
        // Recent files open by extension: a .glb motion would replace the character.
        if is_motion(&path) {
            self.add_recent(path);
        }
    }

    /// Sets the open project and the known contents of its file.
    pub(super) fn set_project(&mut self, path: PathBuf, contents: Fingerprint, ctx: &egui::Context) {
        let mut project = ContentWatch::new(&path, Some(contents), ctx);
        // The file may have changed while the character was loading.
        project.compare();
        self.project = Some(project);
        self.mark_motions_saved();
        self.add_recent(path);
    }

    /// The metadata of a project at `path`, with paths relative to it.
    pub(super) fn project_metadata(&self, path: &Path, view: serde_json::Value) -> ProjectMetadata {
        let relative = |file: &Path| project::relative_path(path, file);
        ProjectMetadata {
            character_path: self.character.as_deref().map_or_else(String::new, relative),
            character_name: self.character_name.clone(),
            motions: self.motions.iter().map(|(motion, _)| relative(motion)).collect(),
            view,
            unknown_fields: self.metadata.unknown_fields.clone(),
        }
    }

    fn add_recent(&mut self, path: PathBuf) {
        let path = std::path::absolute(&path).unwrap_or(path);
        self.recent.retain(|p| *p != path);
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
    }
}

/// Whether a file is a motion by its extension and cannot be anything else.
pub(super) fn is_motion(path: &Path) -> bool {
    FileKind::from_path(path) == Some(FileKind::Motion)
}
