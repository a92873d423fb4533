//! What is open, what is being opened, what was open, and whether it changed on disk.

use super::watch::{ContentWatch, Watch};
use crate::format::motion::Motions;
use crate::format::open::{self, Opened, file_name};
use crate::format::project::{self, Project, Surroundings};
use crate::format::source::Fingerprint;
use crate::format::tables::FileKind;
use crate::report::Diagnostic;
use crate::rig::Character;
use crate::session::Session;
use crate::ui::{FileView, OnDisk, Opening};
use std::collections::VecDeque;
use std::ops::Range;
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
    /// The open project's file.
    project: Option<ContentWatch>,
    /// What the project file says beside the document, kept for the next save.
    surroundings: Surroundings,
    recent: Vec<PathBuf>,
    opening: Option<InProgress>,
    watch: Watch,
    /// The motions that were loaded onto the character: each file, and how many clips it gave. Their clips are the
    /// character's last ones.
    motions: LoadedMotions,
    /// The motions that the open project's file lists.
    saved_motions: Vec<PathBuf>,
    /// Motions to read, one after the other.
    waiting: VecDeque<PathBuf>,
    /// The table that was read or written last.
    table: Option<ContentWatch>,
    /// The table that was shown to the artist last.
    offered: Option<PathBuf>,
}

/// A file that a thread is reading.
struct InProgress {
    name: String,
    /// Its path, where it is a motion for the open character.
    motion: Option<PathBuf>,
    progress: Arc<AtomicU32>,
    cancelled: Arc<AtomicBool>,
    result: Receiver<Result<Arrived, Vec<Diagnostic>>>,
    since: Instant,
}

/// The motion files that were loaded onto a character: each file, and how many clips it gave.
pub(super) type LoadedMotions = Vec<(PathBuf, usize)>;

/// What a thread has read.
pub(super) enum Arrived {
    /// A character to open (`None`: the sample), and what is authored on it where a project says so.
    Character {
        path: Option<PathBuf>,
        opened: Opened,
        motions: LoadedMotions,
        project: Option<Box<(PathBuf, Project)>>,
    },
    /// A newer version of the open character.
    Reloaded { opened: Opened, motions: LoadedMotions },
    /// A motion for the open character.
    Motion { path: PathBuf, motions: Motions },
}

impl Files {
    pub(super) fn new(recent: Vec<PathBuf>) -> Self {
        Self {
            character: None,
            character_name: super::SAMPLE_NAME.to_owned(),
            project: None,
            surroundings: Surroundings::default(),
            recent,
            opening: None,
            watch: Watch::default(),
            motions: Vec::new(),
            saved_motions: Vec::new(),
            waiting: VecDeque::new(),
            table: None,
            offered: None,
        }
    }

    pub(super) fn view<'a>(&'a self, session: &Session) -> FileView<'a> {
        FileView {
            name: &self.character_name,
            is_sample: self.character.is_none(),
            project: self.project.as_ref().map(ContentWatch::name),
            dirty: session.history().is_dirty() || self.has_unsaved_motions(),
            opening: self.opening.as_ref().map(|o| Opening {
                name: &o.name,
                progress: f32::from_bits(o.progress.load(Ordering::Relaxed)),
                seconds: o.since.elapsed().as_secs_f32(),
            }),
            changed_on_disk: self.watch.changed(),
            changed_table: self.table.as_ref().filter(|t| t.news() == OnDisk::Changed).map(ContentWatch::name),
            project_on_disk: self.project.as_ref().map_or(OnDisk::Same, ContentWatch::news),
            asks_to_replace: false,
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
        self.project.as_ref().map(ContentWatch::path)
    }

    pub(super) fn is_opening(&self) -> bool {
        self.opening.is_some() || !self.waiting.is_empty()
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
    pub(super) fn heed_table(&mut self, path: &Path, ctx: &egui::Context) {
        self.table = Some(ContentWatch::of_present(path, ctx));
    }

    /// This table is shown to the artist, who may want it read otherwise.
    pub(super) fn offer(&mut self, path: &Path) {
        self.offered = Some(path.to_path_buf());
    }

    /// The table that was shown last.
    pub(super) fn offered(&self) -> Option<&Path> {
        self.offered.as_deref()
    }

    /// Compares the table and the project with what is known of them, where the system has told of a change.
    pub(super) fn look(&mut self) {
        self.table.iter_mut().chain(&mut self.project).for_each(ContentWatch::look);
    }

    /// Compares the open project's file with what was last read from it or saved to it, now.
    pub(super) fn compare_project(&mut self) -> OnDisk {
        let Some(project) = &mut self.project else { return OnDisk::Same };
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
        let table = self.table.as_mut().filter(|t| t.news() == OnDisk::Changed)?;
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

    /// Reads a character (`None`: the sample) and the motions of its project on a thread.
    pub(super) fn open(&mut self, path: Option<PathBuf>, project: Option<(PathBuf, Project)>, ctx: &egui::Context) {
        let name = path.as_deref().map_or_else(|| super::SAMPLE_NAME.to_owned(), file_name);
        let motions: Vec<PathBuf> = project.iter().flat_map(|(file, project)| project.motion_paths(file)).collect();
        self.read(name, None, ctx, move |progress| {
            let mut opened = match &path {
                Some(path) => open::character(path, progress)?,
                None => super::open_sample(),
            };
            let motions = opened.add_motions(motions);
            Ok(Arrived::Character { path, opened, motions, project: project.map(Box::new) })
        });
    }

    /// Reads the open character and its motions again on a thread.
    pub(super) fn reload(&mut self, ctx: &egui::Context) {
        let Some(path) = self.character.clone() else { return };
        let motions: Vec<PathBuf> = self.motions.iter().map(|(path, _)| path.clone()).collect();
        self.read(file_name(&path), None, ctx, move |progress| {
            let mut opened = open::character(&path, progress)?;
            let motions = opened.add_motions(motions);
            Ok(Arrived::Reloaded { opened, motions })
        });
    }

    /// Reads a motion for the open character, as soon as nothing else is read.
    pub(super) fn load_motion(&mut self, path: PathBuf) {
        self.waiting.push_back(path);
    }

    /// The motion to read now.
    pub(super) fn next_motion(&mut self) -> Option<PathBuf> {
        if self.opening.is_some() { None } else { self.waiting.pop_front() }
    }

    /// Reads a motion for this character on a thread.
    pub(super) fn read_motion(&mut self, path: PathBuf, character: Arc<Character>, ctx: &egui::Context) {
        self.read(file_name(&path), Some(path.clone()), ctx, move |progress| {
            let motions = open::motions(&path, &character, progress)?;
            Ok(Arrived::Motion { path, motions })
        });
    }

    /// Reads something on a thread. A character under way is dropped, a motion under way waits for its turn again.
    #[expect(clippy::disallowed_methods, reason = "the progress bar shows after a while")]
    fn read(
        &mut self,
        name: String,
        motion: Option<PathBuf>,
        ctx: &egui::Context,
        read: impl FnOnce(&(dyn Fn(f32) -> bool + Sync)) -> Result<Arrived, Vec<Diagnostic>> + Send + 'static,
    ) {
        if let Some(dropped) = self.cancel() {
            self.waiting.push_front(dropped);
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
        self.opening = Some(InProgress { name, motion, progress, cancelled, result, since: Instant::now() });
    }

    /// Stops reading; the motion that was being read, if it was one.
    pub(super) fn cancel(&mut self) -> Option<PathBuf> {
        let opening = self.opening.take()?;
        opening.cancelled.store(true, Ordering::Relaxed);
        opening.motion
    }

    /// What a thread has read, once.
    pub(super) fn arrived(&mut self) -> Option<Result<Arrived, Vec<Diagnostic>>> {
        let opening = self.opening.take()?;
        match opening.result.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => {
                self.opening = Some(opening);
                None
            }
            Err(TryRecvError::Disconnected) => {
                let place = crate::report::Place::file(opening.name);
                Some(Err(vec![Diagnostic::error(place, "reading it ended without a result")]))
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
        self.motions.clear();
        self.surroundings = Surroundings::default();
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
    pub(super) fn motion_loaded(&mut self, path: PathBuf, clips: usize) {
        match self.motions.iter_mut().find(|(other, _)| *other == path) {
            Some((_, count)) => *count = clips,
            None => self.motions.push((path.clone(), clips)),
        }
        // A recent file is opened by its ending: others would take the character's place.
        if is_motion(&path) {
            self.remember(path);
        }
    }

    /// The project at `path` is the open one; the file has these contents as far as is known here.
    pub(super) fn set_project(&mut self, path: PathBuf, contents: Fingerprint, ctx: &egui::Context) {
        let mut project = ContentWatch::new(&path, Some(contents), ctx);
        // The character may have taken long to load.
        project.compare();
        self.project = Some(project);
        self.mark_motions_saved();
        self.remember(path);
    }

    /// What a project at `path` says of the character: its path from there, where there is one.
    pub(super) fn surroundings(&self, path: &Path, view: serde_json::Value) -> Surroundings {
        let named = |file: &Path| project::relative_path(path, file);
        Surroundings {
            character_path: self.character.as_deref().map_or_else(String::new, named),
            character_name: self.character_name.clone(),
            motions: self.motions.iter().map(|(motion, _)| named(motion)).collect(),
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

/// Whether a file is a motion by its name and nothing else.
pub(super) fn is_motion(path: &Path) -> bool {
    FileKind::of(path) == Some(FileKind::Motion)
}
