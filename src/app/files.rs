//! What is open, what is being opened, what was open, and whether it changed on disk.

use super::watch::{TableWatch, Watch};
use crate::format::open::{self, Opened, file_name};
use crate::format::project::{self, Project, Surroundings};
use crate::report::Diagnostic;
use crate::session::Session;
use crate::ui::{FileView, Opening};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Instant;

/// As many recent files as are remembered.
const MOST_RECENT: usize = 10;

/// The files round the session.
pub(super) struct Files {
    character: Option<PathBuf>,
    character_name: String,
    project: Option<PathBuf>,
    project_name: Option<String>,
    /// What the project file says beside the document, kept for the next save.
    surroundings: Surroundings,
    recent: Vec<PathBuf>,
    opening: Option<InProgress>,
    watch: Watch,
    /// The table that was read or written last.
    table: Option<TableWatch>,
    /// The table that was shown to the artist last.
    offered: Option<PathBuf>,
}

/// A character that a thread is reading.
struct InProgress {
    path: PathBuf,
    name: String,
    reload: bool,
    progress: Arc<AtomicU32>,
    cancelled: Arc<AtomicBool>,
    result: Receiver<Result<Opened, Vec<Diagnostic>>>,
    since: Instant,
    /// What is authored on it, where a project says so.
    project: Option<(PathBuf, Project)>,
}

/// A character that was read.
pub(super) struct Arrived {
    pub(super) path: PathBuf,
    pub(super) reload: bool,
    pub(super) project: Option<(PathBuf, Project)>,
    pub(super) result: Result<Opened, Vec<Diagnostic>>,
}

impl Files {
    pub(super) fn new(recent: Vec<PathBuf>) -> Self {
        Self {
            character: None,
            character_name: super::SAMPLE_NAME.to_owned(),
            project: None,
            project_name: None,
            surroundings: Surroundings::default(),
            recent,
            opening: None,
            watch: Watch::default(),
            table: None,
            offered: None,
        }
    }

    pub(super) fn view<'a>(&'a self, session: &Session) -> FileView<'a> {
        FileView {
            name: &self.character_name,
            is_sample: self.character.is_none(),
            project: self.project_name.as_deref(),
            dirty: session.history().is_dirty(),
            opening: self.opening.as_ref().map(|o| Opening {
                name: &o.name,
                progress: f32::from_bits(o.progress.load(Ordering::Relaxed)),
                seconds: o.since.elapsed().as_secs_f32(),
            }),
            changed_on_disk: self.watch.changed(),
            changed_table: self.table.as_ref().filter(|t| t.is_other()).map(TableWatch::name),
            recent: &self.recent,
            asks_to_close: false,
            asks_to_average: false,
            asks_before: None,
        }
    }

    /// Name of the open character.
    pub(super) fn name(&self) -> &str {
        &self.character_name
    }

    pub(super) fn recent(&self) -> &[PathBuf] {
        &self.recent
    }

    pub(super) fn forget_recent(&mut self) {
        self.recent.clear();
    }

    pub(super) fn character(&self) -> Option<&Path> {
        self.character.as_deref()
    }

    pub(super) fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    pub(super) fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// A table was read or written here: from now on another program's changes to it are heard.
    pub(super) fn heed_table(&mut self, path: &Path, ctx: &egui::Context) {
        self.table = Some(TableWatch::new(path, ctx));
    }

    /// This table is shown to the artist, who may want it read otherwise.
    pub(super) fn offer(&mut self, path: &Path) {
        self.offered = Some(path.to_path_buf());
    }

    /// The table that was shown last.
    pub(super) fn offered(&self) -> Option<&Path> {
        self.offered.as_deref()
    }

    /// Looks whether a table that was written anew says anything else.
    pub(super) fn look_at_table(&mut self) {
        if let Some(table) = &mut self.table {
            table.look();
        }
    }

    /// The table that another program changed, to be read again; from now on it counts as known.
    pub(super) fn take_changed_table(&mut self) -> Option<PathBuf> {
        let table = self.table.as_mut().filter(|t| t.is_other())?;
        table.acknowledge();
        Some(table.path().to_path_buf())
    }

    /// The character's file was written here: from now on it counts as known.
    pub(super) fn expect_change(&mut self, ctx: &egui::Context) {
        if let Some(path) = &self.character {
            self.watch = Watch::new(path, ctx);
        }
    }

    pub(super) fn ignore_change(&mut self) {
        self.watch.acknowledge();
    }

    /// Reads a character on a thread; a reading under way is dropped.
    #[expect(clippy::disallowed_methods, reason = "the progress bar shows after a while")]
    pub(super) fn open(
        &mut self,
        path: PathBuf,
        reload: bool,
        project: Option<(PathBuf, Project)>,
        ctx: &egui::Context,
    ) {
        self.cancel();
        let (progress, cancelled) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (sender, result) = channel();
        let (thread_progress, thread_cancelled) = (Arc::clone(&progress), Arc::clone(&cancelled));
        let (thread_path, thread_ctx) = (path.clone(), ctx.clone());
        std::thread::spawn(move || {
            let hear = |share: f32| {
                thread_progress.store(share.to_bits(), Ordering::Relaxed);
                !thread_cancelled.load(Ordering::Relaxed)
            };
            // The window may be gone or may have asked for something else by now.
            let _ = sender.send(open::character(&thread_path, &hear));
            thread_ctx.request_repaint();
        });
        let name = file_name(&path);
        let since = Instant::now();
        self.opening = Some(InProgress { path, name, reload, progress, cancelled, result, since, project });
    }

    pub(super) fn cancel(&mut self) {
        if let Some(opening) = self.opening.take() {
            opening.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// The character that a thread has finished, once.
    pub(super) fn arrived(&mut self) -> Option<Arrived> {
        let opening = self.opening.take()?;
        match opening.result.try_recv() {
            Ok(result) => {
                Some(Arrived { path: opening.path, reload: opening.reload, project: opening.project, result })
            }
            Err(TryRecvError::Empty) => {
                self.opening = Some(opening);
                None
            }
            Err(TryRecvError::Disconnected) => {
                let place = crate::report::Place::file(opening.name);
                let lost = Diagnostic::error(place, "reading it ended without a result");
                Some(Arrived { path: opening.path, reload: opening.reload, project: None, result: Err(vec![lost]) })
            }
        }
    }

    /// This character (`None`: the sample) is the open one.
    pub(super) fn opened(&mut self, path: Option<PathBuf>, ctx: &egui::Context) {
        self.watch = path.as_deref().map_or_else(Watch::default, |path| Watch::new(path, ctx));
        self.character_name = path.as_deref().map_or_else(|| super::SAMPLE_NAME.to_owned(), file_name);
        if let Some(path) = &path {
            self.remember(path.clone());
        }
        self.character = path;
        self.table = None;
        self.surroundings = Surroundings::default();
        self.set_project(None);
    }

    pub(super) fn set_project(&mut self, path: Option<PathBuf>) {
        self.project_name = path.as_deref().map(file_name);
        if let Some(path) = &path {
            self.remember(path.clone());
        }
        self.project = path;
    }

    /// What a project at `path` says of the character: its path from there, where there is one.
    pub(super) fn surroundings(&self, path: &Path, view: serde_json::Value) -> Surroundings {
        let character_path = self.character.as_deref().map_or_else(String::new, |character| {
            let whole = |p: &Path| std::path::absolute(p).unwrap_or_else(|_| p.to_path_buf());
            project::relative_path(&whole(path), &whole(character))
        });
        Surroundings {
            character_path,
            character_name: self.character_name.clone(),
            view,
            unknown: self.surroundings.unknown.clone(),
        }
    }

    /// Keeps what was read for the next save.
    pub(super) fn keep_surroundings(&mut self, surroundings: Surroundings) {
        self.surroundings = surroundings;
    }

    fn remember(&mut self, path: PathBuf) {
        let path = std::path::absolute(&path).unwrap_or(path);
        self.recent.retain(|p| *p != path);
        self.recent.insert(0, path);
        self.recent.truncate(MOST_RECENT);
    }
}
