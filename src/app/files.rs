//! The open files, the file that is loading, the recent files, and changes on disk.

use super::autosave::AbandonedJournal;
use super::background::BackgroundTask;
use super::watch::{ContentWatch, FileWatch};
use crate::ui::{DiskStatus, FileView, OpenProgress};
use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use web_time::Instant;
use yuremono_format::fs;
use yuremono_format::motion::RetargetedMotions;
use yuremono_format::open::{self, OpenedCharacter, UnityProject, file_name};
use yuremono_format::project::{self, Project, ProjectMetadata};
use yuremono_format::source::Fingerprint;
use yuremono_format::tables::FileKind;
use yuremono_session::Session;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};
use yuremono_sim::rig::Character;

/// Maximum number of recent files.
const MAX_RECENT: usize = 10;
/// Maximum number of motion files of a folder that are listed.
const MAX_FOLDER_MOTIONS: usize = 200;

/// The files that belong to the session.
#[derive(Default)]
pub(super) struct OpenFiles {
    character: Option<PathBuf>,
    pub(super) character_name: String,
    /// The file of the open project.
    project: Option<ContentWatch>,
    /// Whether another window has the project open, so this window must not write the file.
    pub(super) is_read_only: bool,
    /// Content of the project file other than the document, for the next save.
    pub(super) metadata: ProjectMetadata,
    pub(super) recent: Vec<PathBuf>,
    loading: Option<FileLoad>,
    pub(super) character_watch: FileWatch,
    /// The clips of these motions are the last clips of the character.
    pub(super) motions: LoadedMotions,
    /// Motions that the project file contains.
    saved_motions: Vec<PathBuf>,
    /// Motion files in the folder of the last motion file, for the list of motions.
    folder_motions: Vec<PathBuf>,
    /// A motion file and the name of its clip to play once the file is loaded. Other files play their first clip.
    pub(super) wanted_clip: Option<(PathBuf, String)>,
    /// Motions that will be loaded one after another.
    pub(super) queued_motions: VecDeque<PathBuf>,
    watched_table: Option<ContentWatch>,
    /// The table that the import dialog showed last.
    pub(super) import_dialog_table: Option<PathBuf>,
}

/// A file that is loading on a thread.
struct FileLoad {
    name: String,
    /// The path if the file is a motion for the open character.
    motion: Option<PathBuf>,
    task: BackgroundTask<Result<LoadedFile, Vec<Diagnostic>>>,
    started: Instant,
}

/// A project that is opened together with its character.
pub(super) struct ProjectToOpen {
    /// `None` for a recovered document without a file.
    pub(super) path: Option<PathBuf>,
    pub(super) project: Project,
    /// Whether the document differs from the project file.
    pub(super) is_unsaved: bool,
    /// Whether saving asks for another file.
    pub(super) is_read_only: bool,
    /// The journal of an ended window, if the project was recovered.
    pub(super) recovered_from: Option<AbandonedJournal>,
}

impl ProjectToOpen {
    /// A saved project without a file.
    pub(super) fn new(project: Project) -> Self {
        Self { path: None, project, is_unsaved: false, is_read_only: false, recovered_from: None }
    }

    fn motion_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.project.motion_paths(self.path.as_deref().unwrap_or(Path::new("")))
    }
}

/// The motion files of a character, each with its number of clips.
pub(super) type LoadedMotions = Vec<(PathBuf, usize)>;

pub(super) enum LoadedFile {
    /// A character to open, with its project. Without `path`, the character is the sample.
    Character {
        path: Option<PathBuf>,
        opened: OpenedCharacter,
        motions: LoadedMotions,
        project: Option<Box<ProjectToOpen>>,
    },
    /// The open character, read again.
    Reloaded { opened: OpenedCharacter, motions: LoadedMotions },
    /// A motion for the open character.
    Motion { path: PathBuf, motions: RetargetedMotions },
    /// The model of a Unity project with its setup. Without a model, there can be a setup for the open character.
    UnityProject { path: PathBuf, project: Option<UnityProject> },
}

impl OpenFiles {
    pub(super) fn new(recent: Vec<PathBuf>) -> Self {
        Self { character_name: super::SAMPLE_NAME.to_owned(), recent, ..Self::default() }
    }

    pub(super) fn view<'a>(&'a self, session: &Session) -> FileView<'a> {
        FileView {
            name: &self.character_name,
            is_sample: self.character.is_none(),
            project: self.project_name(),
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
            is_read_only: self.is_read_only,
            recent: &self.recent,
            added_motions: &self.motions,
            folder_motions: &self.folder_motions,
            ..FileView::default()
        }
    }

    pub(super) fn character(&self) -> Option<&Path> {
        self.character.as_deref()
    }

    pub(super) fn project_name(&self) -> Option<&str> {
        self.project.as_ref().map(|file| &*file.name)
    }

    pub(super) fn project(&self) -> Option<&Path> {
        self.project.as_ref().map(|file| &*file.path)
    }

    /// Returns the file to which the document is saved without a question.
    pub(super) fn writable_project(&self) -> Option<&Path> {
        self.project().filter(|_| !self.is_read_only)
    }

    pub(super) fn is_loading(&self) -> bool {
        self.loading.is_some() || !self.queued_motions.is_empty()
    }

    /// Whether the project file lists other motions than those loaded. Without a project, motions need not be saved.
    pub(super) fn has_unsaved_motions(&self) -> bool {
        self.project.is_some() && !self.motions.iter().map(|(path, _)| path).eq(&self.saved_motions)
    }

    /// Must be called after the project was saved or its changes were discarded.
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

    /// Returns the contents of the project file that were last read or saved.
    pub(super) fn known_project_contents(&self) -> Option<Fingerprint> {
        self.project.as_ref()?.known_contents
    }

    /// Compares the project file with the contents that were last read or saved.
    pub(super) fn compare_project(&mut self) -> DiskStatus {
        let Some(project) = &mut self.project else { return DiskStatus::Unchanged };
        project.compare();
        project.on_disk()
    }

    /// Hides the change of the project file. Saving still asks for confirmation.
    pub(super) fn dismiss_project_change(&mut self) {
        if let Some(project) = &mut self.project {
            project.dismiss();
        }
    }

    /// Returns the path of the changed table, and treats its contents on disk as known.
    pub(super) fn take_changed_table(&mut self) -> Option<PathBuf> {
        let table = self.watched_table.as_mut().filter(|t| t.unreported_change() == DiskStatus::Changed)?;
        table.acknowledge();
        Some(table.path.clone())
    }

    /// Treats the contents of a watched table as known, because this window wrote them.
    pub(super) fn acknowledge_table(&mut self, path: &Path, ctx: &egui::Context) {
        if self.watched_table.as_ref().is_some_and(|table| table.path == path) {
            self.watch_table(path, ctx);
        }
    }

    /// Must be called after the character file was written.
    pub(super) fn restart_character_watch(&mut self, ctx: &egui::Context) {
        if let Some(path) = &self.character {
            self.character_watch = FileWatch::new(path, ctx);
        }
    }

    /// Loads a character and the motions of its project on a thread. Without `path`, loads the sample.
    pub(super) fn open(&mut self, path: Option<PathBuf>, project: Option<ProjectToOpen>, ctx: &egui::Context) {
        let name = path.as_deref().map_or_else(|| super::SAMPLE_NAME.to_owned(), file_name);
        let motions: Vec<PathBuf> = project.iter().flat_map(ProjectToOpen::motion_paths).collect();
        self.start_loading(name, None, ctx, move |progress| {
            let mut opened = match &path {
                Some(path) => open::character(path, progress)?,
                None => super::open_sample(),
            };
            let motions = opened.add_motions(motions);
            Ok(LoadedFile::Character { path, opened, motions, project: project.map(Box::new) })
        });
    }

    /// Loads the model of a Unity project with its setup on a thread.
    pub(super) fn open_unity_project(&mut self, project: PathBuf, ctx: &egui::Context) {
        self.start_loading(file_name(&project), None, ctx, move |progress| {
            let read = open::unity_project(&project, progress)?;
            Ok(LoadedFile::UnityProject { path: project, project: read })
        });
    }

    /// Reloads the open character and its motions on a thread.
    pub(super) fn reload(&mut self, ctx: &egui::Context) {
        let Some(path) = self.character.clone() else { return };
        let motions: Vec<PathBuf> = self.motions.iter().map(|(path, _)| path.clone()).collect();
        self.start_loading(file_name(&path), None, ctx, move |progress| {
            let mut opened = open::character(&path, progress)?;
            let motions = opened.add_motions(motions);
            Ok(LoadedFile::Reloaded { opened, motions })
        });
    }

    /// Returns the next queued motion if nothing is loading.
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

    /// Loads a file on a thread. Cancels a running load, and queues a cancelled motion again.
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

    /// Cancels the running load. Returns the path if the file was a motion.
    pub(super) fn cancel_loading(&mut self) -> Option<PathBuf> {
        self.loading.take()?.motion
    }

    /// Returns the result of the load once.
    pub(super) fn poll_loaded(&mut self) -> Option<Result<LoadedFile, Vec<Diagnostic>>> {
        let result = self.loading.as_ref()?.task.poll()?;
        let place = Location::file(self.loading.take()?.name);
        let failed = || {
            Diagnostic::error(
                place,
                message!("the file was not read because of an internal error; nothing was opened. Try again"),
            )
        };
        Some(result.unwrap_or_else(|_| Err(vec![failed()])))
    }

    /// Sets the open character and closes the project. Without `path`, the character is the sample.
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
        self.is_read_only = false;
    }

    /// Returns the index of a loaded motion file.
    pub(super) fn motion_index(&self, path: &Path) -> Option<usize> {
        let path = project::normalized_path(path);
        self.motions.iter().position(|(loaded, _)| project::normalized_path(loaded) == path)
    }

    /// Returns the range of a motion file's clips among the `count` clips of the character. For a new file, the range
    /// is empty and at the end.
    pub(super) fn clips_of_motion(&self, path: &Path, count: usize) -> Range<usize> {
        let of = |motions: &[(PathBuf, usize)]| motions.iter().map(|(_, clips)| clips).sum::<usize>();
        let at = self.motion_index(path).unwrap_or(self.motions.len());
        let start = count.saturating_sub(of(&self.motions[at..]));
        start..start + self.motions.get(at).map_or(0, |(_, clips)| *clips)
    }

    pub(super) fn add_loaded_motion(&mut self, path: PathBuf, clips: usize) {
        match self.motion_index(&path) {
            Some(at) => self.motions[at].1 = clips,
            None => self.motions.push((path.clone(), clips)),
        }
        // Recent files open by extension, so a motion in a .glb file would replace the character.
        if is_motion(&path) {
            self.add_recent(path);
        }
    }

    /// Lists the motion files of a folder that are not loaded yet. A folder that cannot be read has no files.
    pub(super) fn list_motion_folder(&mut self, folder: Option<&Path>) {
        let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
        let files = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| is_motion(path) && fs::is_regular_file(path));
        let mut files: Vec<PathBuf> = files.filter(|path| self.motion_index(path).is_none()).collect();
        files.sort();
        files.truncate(MAX_FOLDER_MOTIONS);
        self.folder_motions = files;
    }

    /// Sets the open project and the contents that its file is known to have.
    pub(super) fn set_project(&mut self, path: PathBuf, contents: Fingerprint, ctx: &egui::Context) {
        let mut project = ContentWatch::new(&path, Some(contents), ctx);
        // The file may have changed while the character was loading.
        project.compare();
        self.project = Some(project);
        self.mark_motions_saved();
        self.add_recent(path);
    }

    /// Returns the metadata for a project file at `path`. File paths are relative to the project.
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

    /// Returns metadata for a recovery journal, with absolute paths and without a view.
    pub(super) fn absolute_metadata(&self) -> ProjectMetadata {
        let absolute = |file: &Path| std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        let text = |file: &Path| absolute(file).to_string_lossy().into_owned();
        ProjectMetadata {
            character_path: self.character.as_deref().map_or_else(String::new, text),
            character_name: self.character_name.clone(),
            motions: self.motions.iter().map(|(motion, _)| text(motion)).collect(),
            view: serde_json::Value::Null,
            unknown_fields: self.metadata.unknown_fields.clone(),
        }
    }

    pub(super) fn add_recent(&mut self, path: PathBuf) {
        let path = std::path::absolute(&path).unwrap_or(path);
        self.recent.retain(|recent| project::normalized_path(recent) != project::normalized_path(&path));
        self.recent.insert(0, path);
        self.recent.truncate(MAX_RECENT);
    }
}

/// Whether the extension of a file is one that only motions have.
pub(super) fn is_motion(path: &Path) -> bool {
    FileKind::from_path(path) == Some(FileKind::Motion)
}
