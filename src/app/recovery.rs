//! Offers the unsaved changes of crashed windows.
//!
//! The journals stay on disk, locked by this window, until the artist chooses. A recovered document continues its
//! journal, so a second crash loses nothing either.

use super::App;
use super::adaptive_quality::FrameQuality;
use super::autosave::{AbandonedJournal, AutosaveState, ContentKey, SavedDocument};
use super::background::BackgroundTask;
use super::character_canvas::{CanvasLook, CanvasPicture, CharacterCanvas, PictureSlot};
use super::clock::since_1970;
use super::files::ProjectToOpen;
use crate::stage::{CameraView, OrbitCamera, ViewRect};
use crate::ui::{RecoveryChoice, RecoveryState, RecoveryView};
use egui::{Rect, Shape};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use yuremono_format::open::{self, OpenedCharacter, file_name};
use yuremono_format::project::{self, Project, ProjectMetadata};
use yuremono_format::recovery::on_disk::ProjectOnDisk;
use yuremono_format::recovery::store::JournalFile;
use yuremono_session::{Command, Session};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// The journals that wait for the artist's choice, newest first. The first one is shown.
#[derive(Default)]
pub(super) struct Recovery {
    waiting: VecDeque<OfferedJournal>,
    pictures: RecoveryPictures,
    /// The folder of the journals.
    folder: Option<PathBuf>,
    /// Whether the document of a journal is being opened.
    is_opening: bool,
}

struct OfferedJournal {
    abandoned: AbandonedJournal,
    recovered: Project,
    saved: Project,
    /// Absolute path of the character; `None` for the sample.
    character: Option<PathBuf>,
    character_name: String,
    project_name: Option<String>,
}

/// The character with the saved and with the recovered setup.
#[derive(Default)]
enum RecoveryPictures {
    #[default]
    NotStarted,
    Loading(BackgroundTask<Result<OpenedCharacter, Vec<Diagnostic>>>),
    Ready(Box<RecoveryScene>),
    Failed,
}

struct RecoveryScene {
    canvas: CharacterCanvas,
    saved: Session,
    recovered: Session,
}

impl Recovery {
    /// Locks the journals of ended windows. Returns problems, for the message log.
    pub(super) fn find(folder: &Path) -> (Self, Vec<Diagnostic>) {
        let (journals, mut diagnostics) = JournalFile::abandoned(folder);
        let mut waiting = VecDeque::new();
        for journal in journals {
            match OfferedJournal::new(journal) {
                Ok(offer) => waiting.push_back(offer),
                Err(more) => diagnostics.extend(more),
            }
        }
        (Self { waiting, folder: Some(folder.to_owned()), ..Self::default() }, diagnostics)
    }

    /// Returns the journal that the window shows. `crash_report` is the path of the report of the crash.
    pub(super) fn view<'a>(
        &'a self,
        crash_report: Option<&'a str>,
        draw: &'a dyn Fn(Rect, RecoveryState) -> Option<Shape>,
    ) -> Option<RecoveryView<'a>> {
        let offer = self.waiting.front()?;
        Some(RecoveryView {
            character: &offer.character_name,
            project: offer.project_name.as_deref(),
            edits: offer.abandoned.journal.edits(),
            age_seconds: since_1970().as_secs().saturating_sub(offer.abandoned.journal.time()),
            others: self.waiting.len() - 1,
            project_changed: matches!(offer.abandoned.project_on_disk, ProjectOnDisk::Other { .. }),
            can_draw: !matches!(self.pictures, RecoveryPictures::Failed),
            crash_report,
            draw,
        })
    }

    /// Loads the character of the shown journal, and moves both characters.
    pub(super) fn advance(&mut self, seconds: f64, canvas: impl FnOnce() -> CharacterCanvas, ctx: &egui::Context) {
        let Some(offer) = self.waiting.front() else { return };
        match &mut self.pictures {
            RecoveryPictures::NotStarted => {
                let path = offer.character.clone();
                self.pictures = RecoveryPictures::Loading(BackgroundTask::start(ctx, move |progress| match path {
                    Some(path) => open::character(&path, progress),
                    None => Ok(super::open_sample()),
                }));
            }
            RecoveryPictures::Loading(task) => {
                self.pictures = match task.poll() {
                    None => return,
                    Some(Ok(Ok(opened))) => {
                        RecoveryPictures::Ready(Box::new(RecoveryScene::new(offer, &opened, canvas())))
                    }
                    Some(_) => RecoveryPictures::Failed,
                };
            }
            RecoveryPictures::Ready(scene) => {
                scene.saved.advance(seconds);
                scene.recovered.advance(seconds);
            }
            RecoveryPictures::Failed => {}
        }
        ctx.request_repaint();
    }

    /// Replaces the character of the shown journal, whose file was moved, with the character at `path`.
    pub(super) fn replace_character(&mut self, path: &Path) {
        let Some(offer) = self.waiting.front_mut() else { return };
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        offer.character_name = file_name(&path);
        for project in [&mut offer.saved, &mut offer.recovered] {
            project.metadata.character_path = path.to_string_lossy().into_owned();
            project.metadata.character_name.clone_from(&offer.character_name);
        }
        offer.character = Some(path);
        self.pictures = RecoveryPictures::default();
    }

    /// Returns whether an image has changed since the last call.
    pub(super) fn take_changed(&self) -> bool {
        matches!(&self.pictures, RecoveryPictures::Ready(scene) if scene.canvas.take_changed())
    }

    /// Returns the shape that draws the character of the shown journal.
    pub(super) fn shape(
        &self,
        rect: Rect,
        state: RecoveryState,
        look: CanvasLook,
        quality: FrameQuality,
    ) -> Option<Shape> {
        let RecoveryPictures::Ready(scene) = &self.pictures else { return None };
        let (slot, session) = match state {
            RecoveryState::Saved => (PictureSlot::First, &scene.saved),
            RecoveryState::Recovered => (PictureSlot::Second, &scene.recovered),
        };
        let visible = session.character().mesh_visibility();
        let picture = CanvasPicture::new(scene.camera(rect)?, &visible, session, look);
        scene.canvas.shape(slot, rect, picture, quality)
    }
}

impl RecoveryScene {
    fn new(offer: &OfferedJournal, opened: &OpenedCharacter, mut canvas: CharacterCanvas) -> Self {
        // If the character cannot be drawn, the images stay empty. Opening the character reports the reason.
        canvas.set_character(&opened.character);
        let session = |project: &Project| {
            let (document, _) = project.clone().into_document(&opened.character);
            Session::new(opened.character.clone(), document)
        };
        Self { canvas, saved: session(&offer.saved), recovered: session(&offer.recovered) }
    }

    fn camera(&self, rect: Rect) -> Option<CameraView> {
        let [low, high] = self.canvas.bounds?;
        let rect = ViewRect::uncovered(glam::vec2(rect.width(), rect.height()));
        let mut camera = OrbitCamera::new(self.saved.character().facing);
        camera.frame(low, high, &rect);
        Some(camera.view(&rect))
    }
}

impl OfferedJournal {
    fn new(abandoned: AbandonedJournal) -> Result<Self, Vec<Diagnostic>> {
        let journal = &abandoned.journal;
        let (recovered, saved) = (journal.recovered()?, journal.saved()?);
        let metadata = &recovered.metadata;
        let project = journal.project_path();
        let character = project::absolute_path(project.unwrap_or(Path::new("")), &metadata.character_path);
        Ok(Self {
            character: (!metadata.character_path.is_empty()).then_some(character),
            character_name: metadata.character_name.clone(),
            project_name: project.map(file_name),
            recovered,
            saved,
            abandoned,
        })
    }

    /// Returns the project to open. Saving asks first if the project file is not the one that the artist had edited.
    fn into_project(mut self, as_copy: bool) -> ProjectToOpen {
        let journal = &mut self.abandoned.journal;
        if as_copy {
            if let Some(path) = journal.project_path() {
                self.recovered.make_paths_absolute(path);
            }
            journal.detach_from_project();
        }
        if let ProjectOnDisk::WithoutEdits(fingerprint) = self.abandoned.project_on_disk {
            self.recovered.fingerprint = fingerprint;
        }
        ProjectToOpen {
            path: journal.project_path().map(Path::to_path_buf),
            is_unsaved: true,
            is_read_only: journal.is_read_only(),
            recovered_from: Some(self.abandoned),
            ..ProjectToOpen::new(self.recovered)
        }
    }
}

impl App {
    pub(super) fn choose_recovery(&mut self, choice: RecoveryChoice, ctx: &egui::Context) {
        let Some(offer) = self.recovery.waiting.pop_front() else { return };
        self.recovery.pictures = RecoveryPictures::default();
        match choice {
            RecoveryChoice::Recover | RecoveryChoice::OpenCopy => {
                // The other journals are offered again at the next start.
                self.recovery.waiting.clear();
                self.recovery.is_opening = true;
                let character = offer.character.clone();
                let mut project = offer.into_project(choice == RecoveryChoice::OpenCopy);
                self.reserve_project(project.path.as_deref());
                let is_open_elsewhere = |path: &Path| self.autosave.is_open_elsewhere(path);
                project.is_read_only |= project.path.as_deref().is_some_and(is_open_elsewhere);
                self.files.open(character, Some(project), ctx);
            }
            RecoveryChoice::Discard => offer.abandoned.file.delete(),
            RecoveryChoice::Later => {
                let message = message!("the unsaved changes are offered again at the next start");
                let file = Location::file(offer.project_name.unwrap_or(offer.character_name));
                self.session.handle(Command::AddDiagnostic(Diagnostic::info(file, message)));
            }
        }
    }

    /// Offers the journals again if the document of a journal could not be opened.
    pub(super) fn offer_recovery_again(&mut self) {
        if !std::mem::take(&mut self.recovery.is_opening) {
            return;
        }
        if let Some(folder) = self.recovery.folder.clone() {
            let (recovery, diagnostics) = Recovery::find(&folder);
            self.recovery = recovery;
            self.report_all(diagnostics);
        }
    }

    /// Starts the journal of the present document. `recovered_from` is the journal that the document continues.
    pub(super) fn begin_autosave(&mut self, recovered_from: Option<AbandonedJournal>) {
        self.recovery.is_opening = false;
        self.recovered_edits = recovered_from.as_ref().map_or(0, |abandoned| abandoned.journal.edits());
        let present = self.content_key();
        if let Some(mut abandoned) = recovered_from {
            abandoned.journal.set_read_only(self.files.is_read_only);
            return self.autosave.adopt(abandoned, present);
        }
        let is_saved = !self.session.history().is_dirty();
        let saved = SavedDocument {
            project: self.files.project().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())),
            is_read_only: self.files.is_read_only,
            state: if is_saved { self.autosave_state() } else { self.state_on_disk() },
        };
        self.autosave.begin(saved, is_saved.then_some(present));
    }

    /// Sends a changed document to the journal, and reports failures.
    pub(super) fn update_autosave(&mut self, ctx: &egui::Context) {
        let (present, edits) = (self.content_key(), self.unsaved_edits());
        let mut autosave = std::mem::take(&mut self.autosave);
        if let Some(left) = autosave.update(present, edits, || self.autosave_state()) {
            ctx.request_repaint_after(left);
        }
        self.autosave = autosave;
        while let Some(diagnostic) = self.autosave.failure() {
            self.report_all(vec![diagnostic]);
        }
    }

    /// Ends the journal of a document with unsaved changes. The next start offers the changes.
    pub(super) fn keep_journal(&mut self) {
        let (state, edits) = (self.autosave_state(), self.unsaved_edits());
        self.autosave.keep(state, edits);
    }

    /// Returns the number of edits in the journal. Loaded motions and a restored version count as an edit.
    fn unsaved_edits(&self) -> usize {
        (self.session.history().unsaved_steps() + self.recovered_edits).max(1)
    }

    fn content_key(&self) -> ContentKey {
        let history = self.session.history();
        let mut motions = DefaultHasher::new();
        // Motions alone are unsaved changes only if the document has a project.
        if history.is_dirty() || self.files.has_unsaved_motions() {
            self.files.motions.hash(&mut motions);
        }
        ContentKey { state_number: history.current_state(), motions: motions.finish() }
    }

    fn autosave_state(&self) -> AutosaveState {
        AutosaveState {
            character: self.session.character().clone(),
            document: self.session.document().clone(),
            metadata: self.autosave_metadata(),
        }
    }

    fn autosave_metadata(&self) -> ProjectMetadata {
        match self.files.project().filter(|path| path.to_str().is_none()) {
            // Projects store paths as text, and only the relative paths of this project can be text.
            Some(path) => self.files.project_metadata(path, serde_json::Value::Null),
            None => self.files.absolute_metadata(),
        }
    }

    /// Returns the state in the project file, or an empty document if there is none.
    fn state_on_disk(&self) -> AutosaveState {
        let character = self.session.character().clone();
        let read = |path: &Path| {
            let (mut project, _) = open::project(path).ok()?;
            project.make_paths_absolute(path);
            let motions = std::mem::take(&mut project.metadata.motions);
            Some((project.into_document(&character).0, motions))
        };
        let (document, motions) = self.files.project().and_then(read).unwrap_or_default();
        AutosaveState { character, document, metadata: ProjectMetadata { motions, ..self.autosave_metadata() } }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{
        click, run_until_loaded, send_request, set_tuned_value, tuned_value, wait_until, window,
    };
    use super::*;
    use crate::ui::{AppRequest, FilePurpose};
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use yuremono_sim::params::find_param;

    /// Opens a window whose journals are in `data`.
    pub(in crate::app) fn journaled_window(data: &Path, file: Option<PathBuf>) -> Harness<'static, App> {
        let mut window = window(file);
        window.state_mut().start_autosave(data);
        window.run_steps(2);
        window
    }

    fn journals(data: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(data.join("recovery")).expect("the folder exists");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "journal")).collect()
    }

    /// Waits until the journal contains all edits, and ends the window as a crash would.
    fn crash(mut window: Harness<'static, App>, data: &Path) {
        let size = || journals(data).first().and_then(|path| Some(std::fs::metadata(path).ok()?.len()));
        let before = size();
        assert!(wait_until(&mut window, |_| size() > before), "the journal grows");
        end(window);
    }

    fn end(window: Harness<'static, App>) {
        drop(window);
        // The thread of the window releases its lock.
        std::thread::sleep(std::time::Duration::from_millis(300));
    }

    fn recover(window: &mut Harness<'static, App>) {
        click(window, "Recover");
        assert!(wait_until(window, |app| app.recovery.waiting.is_empty()), "the choice is handled");
        run_until_loaded(window);
    }

    #[test]
    fn a_crash_loses_no_edit_even_if_the_recovered_window_crashes_too() {
        let data = tempfile::tempdir().expect("a folder");
        let mut first = journaled_window(data.path(), None);
        set_tuned_value(&mut first, 0.125);
        crash(first, data.path());

        let mut second = journaled_window(data.path(), None);
        assert!(second.query_by_label_contains("Recover the unsaved changes").is_some());
        recover(&mut second);
        assert_eq!(tuned_value(&second), 0.125);
        assert!(!second.state().may_close(), "the recovered document is unsaved");
        set_tuned_value(&mut second, 0.25);
        crash(second, data.path());

        let mut third = journaled_window(data.path(), None);
        assert_eq!(journals(data.path()).len(), 1);
        recover(&mut third);
        assert_eq!(tuned_value(&third), 0.25);
        // Saving ends the journal.
        let project = data.path().join("hair.yure");
        send_request(&mut third, AppRequest::WriteTypedPath(project.clone()));
        assert!(wait_until(&mut third, |_| journals(data.path()).is_empty()));
        third.state_mut().autosave.finish();
        assert_eq!(std::fs::read_dir(data.path().join("recovery")).expect("a folder").count(), 0);
    }

    #[test]
    fn a_recovered_project_saves_to_its_file_and_a_copy_does_not() {
        for (button, keeps_file) in [("Recover", true), ("Open as a copy", false)] {
            let data = tempfile::tempdir().expect("a folder");
            let project = data.path().join("hair.yure");
            let mut first = journaled_window(data.path(), None);
            send_request(&mut first, AppRequest::WriteTypedPath(project.clone()));
            set_tuned_value(&mut first, 0.125);
            crash(first, data.path());
            let saved = std::fs::read(&project).expect("the project");

            let mut second = journaled_window(data.path(), None);
            click(&mut second, button);
            assert_eq!(tuned_value(&second), 0.125);
            assert_eq!(second.state().files.project().is_some(), keeps_file);
            assert_eq!(std::fs::read(&project).expect("the project"), saved, "only saving writes the project");
            if keeps_file {
                send_request(&mut second, AppRequest::Save);
                assert_ne!(std::fs::read(&project).expect("the project"), saved);
            }
        }
    }

    #[test]
    fn a_project_that_changed_after_the_crash_is_not_overwritten_without_a_question() {
        let data = tempfile::tempdir().expect("a folder");
        let project = data.path().join("hair.yure");
        let mut first = journaled_window(data.path(), None);
        send_request(&mut first, AppRequest::WriteTypedPath(project.clone()));
        set_tuned_value(&mut first, 0.125);
        crash(first, data.path());
        let mut other = window(Some(project.clone()));
        set_tuned_value(&mut other, 0.75);
        send_request(&mut other, AppRequest::Save);
        let theirs = std::fs::read(&project).expect("the project");

        let mut second = journaled_window(data.path(), None);
        assert!(second.query_by_label_contains("The project file has changed since").is_some());
        recover(&mut second);
        send_request(&mut second, AppRequest::Save);
        assert!(second.state().asks_to_replace_project);
        assert_eq!(std::fs::read(&project).expect("the project"), theirs);
    }

    #[test]
    fn a_restored_version_is_recovered_without_a_further_edit() {
        let data = tempfile::tempdir().expect("a folder");
        let mut first = journaled_window(data.path(), None);
        set_tuned_value(&mut first, 0.125);
        send_request(&mut first, AppRequest::WriteTypedPath(data.path().join("hair.yure")));
        set_tuned_value(&mut first, 0.25);
        send_request(&mut first, AppRequest::Save);
        assert!(wait_until(&mut first, |_| journals(data.path()).is_empty()));
        send_request(&mut first, AppRequest::ShowEarlierVersions);
        first.run_steps(2);
        click(&mut first, "Restore version");
        assert!(wait_until(&mut first, |_| !journals(data.path()).is_empty()));
        end(first);

        let mut second = journaled_window(data.path(), None);
        recover(&mut second);
        assert_eq!(tuned_value(&second), 0.125);
    }

    #[test]
    fn a_read_only_document_is_recovered_read_only() {
        let data = tempfile::tempdir().expect("a folder");
        let project = data.path().join("hair.yure");
        let mut first = journaled_window(data.path(), None);
        send_request(&mut first, AppRequest::WriteTypedPath(project.clone()));
        let mut second = journaled_window(data.path(), None);
        assert!(wait_until(&mut second, |app| app.autosave.is_open_elsewhere(&project)));
        send_request(&mut second, AppRequest::OpenPath(project));
        click(&mut second, "Open read-only");
        set_tuned_value(&mut second, 0.5);
        crash(second, data.path());
        end(first);

        let mut third = journaled_window(data.path(), None);
        recover(&mut third);
        assert_eq!(tuned_value(&third), 0.5);
        assert!(third.state().files.is_read_only);
    }

    #[test]
    fn two_windows_that_open_a_project_at_the_same_time_do_not_both_write_it() {
        let data = tempfile::tempdir().expect("a folder");
        let project = data.path().join("hair.yure");
        let mut author = window(None);
        send_request(&mut author, AppRequest::WriteTypedPath(project.clone()));
        let mut windows = [0, 1].map(|_| journaled_window(data.path(), None));
        for window in &mut windows {
            let ctx = window.ctx.clone();
            window.state_mut().handle_request(AppRequest::OpenPath(project.clone()), &ctx);
        }
        windows.iter_mut().for_each(run_until_loaded);
        let [first, second] = windows.each_ref().map(Harness::state);
        assert_eq!(first.files.writable_project(), Some(&*project));
        assert_eq!(second.project_of_other_window.as_deref(), Some(&*project), "the window asks");
        assert_eq!(second.files.project(), None);
    }

    #[test]
    fn a_project_that_cannot_be_read_is_not_reserved() {
        let data = tempfile::tempdir().expect("a folder");
        let project = data.path().join("hair.yure");
        std::fs::write(&project, "{").expect("written");
        let mut first = journaled_window(data.path(), None);
        send_request(&mut first, AppRequest::OpenPath(project.clone()));
        let second = journaled_window(data.path(), None);
        assert!(!second.state().autosave.is_open_elsewhere(&project));
    }

    #[test]
    fn a_document_whose_character_was_moved_is_recovered_with_the_located_character() {
        let data = tempfile::tempdir().expect("a folder");
        let [character, moved] = ["girl.vrm", "moved.vrm"].map(|name| data.path().join(name));
        std::fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/sample.vrm"), &character).expect("copied");
        let mut first = journaled_window(data.path(), Some(character.clone()));
        let session = &mut first.state_mut().session;
        let param = find_param(session.inspection().system().param_defs(), "stiffness").expect("a VRM parameter");
        session.handle(Command::SetParam(param, 0.125));
        crash(first, data.path());
        std::fs::rename(&character, &moved).expect("renamed");

        let mut second = journaled_window(data.path(), None);
        assert!(wait_until(&mut second, |app| matches!(app.recovery.pictures, RecoveryPictures::Failed)));
        second.run_steps(2);
        second.get_by_label("Locate character…");
        let ctx = second.ctx.clone();
        second.state_mut().use_chosen_path(FilePurpose::LocateCharacter, moved.clone(), &ctx);
        assert!(wait_until(&mut second, |app| matches!(app.recovery.pictures, RecoveryPictures::Ready(_))));
        recover(&mut second);
        let chains = &second.state().session.document().chains;
        assert!(chains.values().any(|chain| chain.values[param.index()].base == 0.125));
        assert_eq!(second.state().files.character(), Some(&*moved));
    }

    #[test]
    fn a_motion_that_a_project_lacks_is_written_without_an_edit() {
        let data = tempfile::tempdir().expect("a folder");
        let mut window = journaled_window(data.path(), None);
        send_request(&mut window, AppRequest::WriteTypedPath(data.path().join("hair.yure")));
        window.state_mut().files.add_loaded_motion(PathBuf::from("/motions/walk.vrma"), 0);
        assert!(wait_until(&mut window, |_| !journals(data.path()).is_empty()));
        let journal = std::fs::read_to_string(&journals(data.path())[0]).expect("a journal");
        assert!(journal.contains("walk.vrma"), "{journal}");
    }

    #[test]
    fn changes_are_kept_for_later_and_deleted_only_on_request() {
        let data = tempfile::tempdir().expect("a folder");
        let mut first = journaled_window(data.path(), None);
        set_tuned_value(&mut first, 0.125);
        crash(first, data.path());
        let mut second = journaled_window(data.path(), None);
        click(&mut second, "Later");
        end(second);
        assert_eq!(journals(data.path()).len(), 1);
        let mut third = journaled_window(data.path(), None);
        click(&mut third, "Discard");
        assert_eq!(journals(data.path()).len(), 0);
        run_until_loaded(&mut third);
        assert!(third.query_by_label_contains("Recover the unsaved changes").is_none());
    }

    #[test]
    fn a_window_that_closes_normally_leaves_no_file() {
        let data = tempfile::tempdir().expect("a folder");
        let mut window = journaled_window(data.path(), None);
        set_tuned_value(&mut window, 0.125);
        window.run_steps(3);
        window.state_mut().session.mark_saved();
        eframe::App::on_exit(window.state_mut(), None);
        assert_eq!(std::fs::read_dir(data.path().join("recovery")).expect("a folder").count(), 0);
    }
}
