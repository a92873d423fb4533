//! Offers the unsaved changes of windows that ended without closing.
//!
//! The journals stay on disk, locked by this window, until the artist chooses. A recovered document continues its
//! journal, so a second crash loses nothing either.

use super::App;
use super::autosave::{AbandonedJournal, AutosaveState};
use super::background::BackgroundTask;
use super::character_canvas::CharacterCanvas;
use super::clock::since_1970;
use super::files::ProjectToOpen;
use crate::diagnostics::{Diagnostic, Location, message};
use crate::format::open::{self, OpenedCharacter, file_name};
use crate::format::project::Project;
use crate::format::recovery::store::JournalFile;
use crate::session::{Command, Session};
use crate::stage::{CameraView, OrbitCamera, ViewRect};
use crate::ui::kit::theme::ThemeMode;
use crate::ui::{RecoveryChoice, RecoveryState, RecoveryView};
use egui::{Rect, Shape};
use std::path::{Path, PathBuf};

/// The name that diagnostics give to the content of a journal.
const JOURNAL_NAME: &str = "recovery";

/// The journals that wait for the artist's choice. The last one is shown.
#[derive(Default)]
pub(super) struct Recovery {
    waiting: Vec<OfferedJournal>,
    pictures: RecoveryPictures,
    /// The folder of the journals.
    folder: Option<PathBuf>,
    /// Whether the document of a journal is being opened.
    is_opening: bool,
}

struct OfferedJournal {
    journal: AbandonedJournal,
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
        let mut waiting = Vec::new();
        for journal in journals {
            match OfferedJournal::new(journal) {
                Ok(offer) => waiting.push(offer),
                Err(more) => diagnostics.extend(more),
            }
        }
        // The newest journal is shown first.
        waiting.reverse();
        (Self { waiting, folder: Some(folder.to_owned()), ..Self::default() }, diagnostics)
    }

    /// Returns the journal that the window shows.
    pub(super) fn view<'a>(
        &'a self,
        draw: &'a dyn Fn(Rect, RecoveryState) -> Option<Shape>,
    ) -> Option<RecoveryView<'a>> {
        let offer = self.waiting.last()?;
        Some(RecoveryView {
            character: &offer.character_name,
            project: offer.project_name.as_deref(),
            edits: offer.journal.1.edits,
            age_seconds: since_1970().as_secs().saturating_sub(offer.journal.1.time),
            others: self.waiting.len() - 1,
            can_draw: !matches!(self.pictures, RecoveryPictures::Failed),
            draw,
        })
    }

    /// Loads the character of the shown journal, and moves both characters.
    pub(super) fn advance(&mut self, seconds: f64, canvas: impl FnOnce() -> CharacterCanvas, ctx: &egui::Context) {
        let Some(offer) = self.waiting.last() else { return };
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

    /// Returns the shape that draws the character of the shown journal.
    pub(super) fn shape(&self, rect: Rect, state: RecoveryState, mode: ThemeMode) -> Option<Shape> {
        let RecoveryPictures::Ready(scene) = &self.pictures else { return None };
        let session = match state {
            RecoveryState::Saved => &scene.saved,
            RecoveryState::Recovered => &scene.recovered,
        };
        scene.canvas.shape(rect, scene.camera(rect)?, &[], session, mode)
    }
}

impl RecoveryScene {
    fn new(offer: &OfferedJournal, opened: &OpenedCharacter, mut canvas: CharacterCanvas) -> Self {
        canvas.set_character(&opened.character);
        let session = |project: &Project| {
            let (document, _) = project.clone().into_document(&opened.character.skeleton);
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
    fn new(journal: AbandonedJournal) -> Result<Self, Vec<Diagnostic>> {
        let (recovered, saved) = (journal.1.recovered(JOURNAL_NAME)?, journal.1.saved(JOURNAL_NAME)?);
        let metadata = &recovered.metadata;
        Ok(Self {
            character: (!metadata.character_path.is_empty()).then(|| PathBuf::from(&metadata.character_path)),
            character_name: metadata.character_name.clone(),
            project_name: journal.1.project_path().map(file_name),
            recovered,
            saved,
            journal,
        })
    }

    /// Returns the project to open. Saving asks first if the project file is not the one that the artist had edited.
    fn into_project(mut self, as_copy: bool) -> ProjectToOpen {
        if as_copy {
            self.journal.1.detach_from_project();
        }
        let path = self.journal.1.project_path().map(Path::to_path_buf);
        let on_disk = path.as_deref().and_then(|path| {
            let (mut project, _) = open::project(path).ok()?;
            project.make_paths_absolute(path);
            Some(project)
        });
        if let Some(project) = on_disk
            && project.has_equal_content(&self.saved)
        {
            self.recovered.fingerprint = project.fingerprint;
        }
        ProjectToOpen {
            path,
            is_unsaved: true,
            recovered_from: Some(self.journal),
            ..ProjectToOpen::new(self.recovered)
        }
    }
}

impl App {
    pub(super) fn choose_recovery(&mut self, choice: RecoveryChoice, ctx: &egui::Context) {
        let Some(offer) = self.recovery.waiting.pop() else { return };
        self.recovery.pictures = RecoveryPictures::default();
        match choice {
            RecoveryChoice::Recover | RecoveryChoice::OpenCopy => {
                // The other journals are offered again at the next start.
                self.recovery.waiting.clear();
                self.recovery.is_opening = true;
                let character = offer.character.clone();
                let mut project = offer.into_project(choice == RecoveryChoice::OpenCopy);
                let is_open_elsewhere = |path: &Path| self.autosave.is_open_elsewhere(path);
                project.is_read_only |= project.path.as_deref().is_some_and(is_open_elsewhere);
                self.files.open(character, Some(project), ctx);
            }
            RecoveryChoice::Discard => offer.journal.0.delete(),
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
        self.recovered_edits = recovered_from.as_ref().map_or(0, |(_, journal)| journal.edits);
        let project = self.files.project().map(Path::to_path_buf);
        let state = self.session.history().current_state();
        self.autosave.begin(project, self.autosave_state(), state, recovered_from);
    }

    /// Sends a changed document to the journal, and reports failures.
    pub(super) fn update_autosave(&mut self, ctx: &egui::Context) {
        let history = self.session.history();
        let (state, edits) = (history.current_state(), history.unsaved_steps() + self.recovered_edits);
        let mut autosave = std::mem::take(&mut self.autosave);
        if let Some(left) = autosave.update(state, edits, || self.autosave_state()) {
            ctx.request_repaint_after(left);
        }
        self.autosave = autosave;
        while let Some(diagnostic) = self.autosave.failure() {
            self.report_all(vec![diagnostic]);
        }
    }

    /// Ends the journal of a document with unsaved changes. The next start offers the changes.
    pub(super) fn keep_journal(&mut self) {
        let edits = self.session.history().unsaved_steps() + self.recovered_edits;
        let state = self.autosave_state();
        self.autosave.keep(state, edits);
    }

    fn autosave_state(&self) -> AutosaveState {
        AutosaveState {
            character: self.session.character().clone(),
            document: self.session.document().clone(),
            metadata: self.files.absolute_metadata(),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{
        click, run_until_loaded, send_request, set_tuned_value, tuned_value, wait_until, window,
    };
    use super::*;
    use crate::ui::AppRequest;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

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
        drop(window);
        // The thread of the window releases its lock.
        std::thread::sleep(std::time::Duration::from_millis(300));
    }

    #[test]
    fn a_crash_loses_no_edit_even_if_the_recovered_window_crashes_too() {
        let data = tempfile::tempdir().expect("a folder");
        let mut first = journaled_window(data.path(), None);
        set_tuned_value(&mut first, 0.125);
        crash(first, data.path());

        let mut second = journaled_window(data.path(), None);
        assert!(second.query_by_label_contains("Recover the unsaved changes").is_some());
        click(&mut second, "Recover");
        assert_eq!(tuned_value(&second), 0.125);
        assert!(!second.state().may_close(), "the recovered document is unsaved");
        set_tuned_value(&mut second, 0.25);
        crash(second, data.path());

        let mut third = journaled_window(data.path(), None);
        assert_eq!(journals(data.path()).len(), 1);
        click(&mut third, "Recover");
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
        click(&mut second, "Recover");
        send_request(&mut second, AppRequest::Save);
        assert!(second.state().asks_to_replace_project);
        assert_eq!(std::fs::read(&project).expect("the project"), theirs);
    }

    #[test]
    fn changes_are_kept_for_later_and_deleted_only_on_request() {
        let data = tempfile::tempdir().expect("a folder");
        let mut first = journaled_window(data.path(), None);
        set_tuned_value(&mut first, 0.125);
        crash(first, data.path());
        let mut second = journaled_window(data.path(), None);
        click(&mut second, "Later");
        drop(second);
        std::thread::sleep(std::time::Duration::from_millis(300));
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
        eframe::App::on_exit(window.state_mut(), None);
        assert_eq!(std::fs::read_dir(data.path().join("recovery")).expect("a folder").count(), 0);
    }
}
