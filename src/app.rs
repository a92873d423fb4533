//! The window application.
//!
//! [`App`] owns the clock, the dialogs, the threads and the files, and connects the session, the ui and the renderer.
//! `App` draws no widget and computes nothing. [`MainWindow::show`] returns what the user requested.

mod adaptive_quality;
pub mod autosave;
mod background;
mod bake;
#[cfg(target_arch = "wasm32")]
pub mod browser;
mod character_canvas;
mod character_export;
mod clock;
mod compare;
#[cfg(windows)]
pub mod console;
mod contact_sheet;
mod dialogs;
mod drop;
mod environment;
mod files;
mod live;
mod live_export;
mod motions;
mod recovery;
mod requests;
#[cfg(not(target_arch = "wasm32"))]
mod settings;
#[cfg(test)]
mod tests;
mod versions;
mod viewport_capture;
mod watch;
mod window_fit;

use crate::renderer::PictureQuality;
use crate::ui::kit::i18n::Lang;
use crate::ui::{
    AppRequest, BakeResult, ClippingResult, DocumentId, FileView, IS_PAGE, MainWindow, PictureStatus, Prefs, Question,
    SpringChanges, UiInput, UiOutput,
};
use adaptive_quality::{AdaptiveQuality, FrameQuality};
use autosave::Autosave;
use background::TaskState;
use character_canvas::{CanvasLook, CanvasPicture, CharacterCanvas, PictureSlot};
use character_export::CharacterSave;
use clock::{Clock, FrameClock};
use contact_sheet::ContactSheetTask;
use dialogs::{FileDialogs, FileRequest};
use drop::HoveredFiles;
use eframe::{CreationContext, glow};
use files::{OpenFiles, ProjectToOpen};
use live::LiveMotion;
use live_export::LiveExports;
use recovery::Recovery;
#[cfg(not(target_arch = "wasm32"))]
use settings::WindowSettings;
use std::path::PathBuf;
use viewport_capture::ViewportCapture;
use window_fit::WindowFit;
use yuremono_format::backups;
use yuremono_format::open::{self, OpenedCharacter};
use yuremono_format::recovery::store;
use yuremono_format::source::{SourceFile, no_siblings};
use yuremono_model::feel::convert::motion_fit::MotionFitResult;
use yuremono_session::{Command, Motion, MotionFindings, Session};
use yuremono_sim::SolverKind;
#[cfg(not(target_arch = "wasm32"))]
use yuremono_sim::diagnostics::message;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText};

/// Name that identifies the application to the system, and name of its data folder.
#[cfg(not(target_arch = "wasm32"))]
const APP_ID: &str = "yuremono";
/// Name of the bundled character in the window.
const SAMPLE_NAME: &str = "sample.vrm";
/// The bundled character.
pub(crate) static SAMPLE_BYTES: &[u8] = include_bytes!("../assets/sample.vrm");
const PREFS_KEY: &str = "prefs";
const RECENT_KEY: &str = "recent";

/// Returns the folder for presets, settings and recovery journals, or `None` if the system has none.
pub fn user_data_folder() -> Option<PathBuf> {
    #[cfg(not(target_arch = "wasm32"))]
    {
        eframe::storage_dir(APP_ID)
    }
    #[cfg(target_arch = "wasm32")]
    Some(browser::user_data_folder())
}

/// The state of the window application.
pub struct App {
    session: Session,
    ui: MainWindow,
    character_canvas: CharacterCanvas,
    files: OpenFiles,
    dialogs: FileDialogs,
    clock: Clock,
    frame_clock: FrameClock,
    quality: AdaptiveQuality,
    motion_fit: TaskState<MotionFitResult>,
    /// The bake, or its result.
    bake: TaskState<BakeResult>,
    /// The search for clipping, or its result.
    clipping: TaskState<ClippingResult>,
    /// The motions that the Doctor plays, or what the Doctor has found.
    doctor: TaskState<MotionFindings>,
    contact_sheet: ContactSheetTask,
    /// The open document. Increases with each opened document.
    document_id: DocumentId,
    /// Action that waits until the user decides about unsaved changes.
    pending_action: Option<PendingAction>,
    /// Whether another program changed the project file and the user must choose a version.
    asks_to_replace_project: bool,
    /// The file request whose path the user types, and the existing file that the user was asked about replacing.
    pending_path: Option<(FileRequest, Option<PathBuf>)>,
    /// The character file that is being written.
    character_save: Option<CharacterSave>,
    /// Diagnostics that were reported when the preset files were last read.
    reported_preset_diagnostics: Vec<Diagnostic>,
    /// Writes unsaved changes to disk.
    autosave: Autosave,
    /// Number of unsaved edits in the document when it was recovered.
    recovered_edits: usize,
    /// Unsaved changes of windows that crashed or were killed.
    recovery: Recovery,
    live_exports: LiveExports,
    capture: ViewportCapture,
    live: LiveMotion,
    hovered_files: HoveredFiles,
    /// Folder for earlier saves of projects.
    backups: Option<PathBuf>,
    /// A requested project that is already open in another window. The artist must choose between a copy, read-only and
    /// cancel.
    project_of_other_window: Option<PathBuf>,
    /// `None` if settings cannot be stored. In a browser, eframe stores them.
    #[cfg(not(target_arch = "wasm32"))]
    settings: Option<WindowSettings>,
    window_fit: WindowFit,
    title: String,
    /// Version, system and graphics driver, for bug reports.
    environment: String,
    /// Path of the report of a crash before this start.
    crash_report: Option<String>,
}

/// An action that would lose unsaved changes or values.
enum PendingAction {
    /// Close the window.
    Close,
    /// Open another character. The question shows the name.
    Open(AppRequest, String),
    /// Open a version of the open project.
    OpenVersion(Box<ProjectToOpen>),
    /// Save springs into a character file, although they move differently there.
    SaveChangedSprings(PathBuf, SpringChanges),
}

/// Opens the window with `file`, and returns when the window closes. `lang` overrides the stored language.
#[cfg(not(target_arch = "wasm32"))]
pub fn run(file: Option<PathBuf>, lang: Option<Lang>) -> anyhow::Result<()> {
    if let Some(file) = file.as_deref().filter(|file| !file.exists()) {
        let file = file.display().to_string();
        return Err(anyhow::Error::msg(message!("{file}: there is no such file and no such command", file)));
    }
    // Make the path absolute: journals store it, and the current folder may differ at the next start.
    let file = file.map(|file| std::path::absolute(&file).unwrap_or(file));
    let viewport = egui::ViewportBuilder::default()
        .with_title("Yuremono")
        .with_app_id(APP_ID)
        .with_icon(icon())
        .with_inner_size(window_fit::DEFAULT_WINDOW_SIZE)
        .with_min_inner_size(crate::ui::kit::tokens::min_size::WINDOW)
        .with_drag_and_drop(true);
    let (settings, resets) = user_data_folder().and_then(|folder| WindowSettings::open(&folder)).unzip();
    let options = eframe::NativeOptions {
        viewport,
        persistence_path: settings.as_ref().map(WindowSettings::working_copy),
        // The character has its own framebuffer, with depth and samples. egui smooths its own edges.
        depth_buffer: 0,
        multisampling: 0,
        renderer: eframe::Renderer::Glow,
        ..eframe::NativeOptions::default()
    };
    // Creating the window keeps one core busy, so another core reads the bundled character.
    let sample = std::thread::spawn(sample_session);
    let start = move |cc: &CreationContext<'_>| -> Box<dyn eframe::App> {
        let session = sample.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let mut app = App::with_session(cc, session, lang);
        app.settings = settings;
        if let Some(data) = user_data_folder() {
            app.start_autosave(&data);
            environment::report_panics(store::path_in(&data), app.environment.clone());
        }
        for message in resets.into_iter().flatten() {
            app.session.handle(Command::AddMessage(message));
        }
        // Open the file only after autosave has started, because only then are other windows detected.
        if let Some(file) = file {
            app.handle_request(AppRequest::OpenPath(file), &cc.egui_ctx);
        }
        Box::new(app)
    };
    eframe::run_native(APP_ID, options, Box::new(move |cc| Ok(start(cc)))).map_err(|err| {
        log::error!("{err}");
        anyhow::Error::msg(message!(
            "the window could not be opened; it needs a display with OpenGL 3.3 or OpenGL ES 3.0"
        ))
    })
}

/// Returns the icon of the window. On Windows, it also replaces the icon of the executable in the task bar.
#[cfg(not(target_arch = "wasm32"))]
fn icon() -> egui::IconData {
    eframe::icon_data::from_png_bytes(include_bytes!("../assets/icon/icon.png")).expect("the bundled icon is a PNG")
}

impl App {
    /// Opens the bundled character, and starts to load `file`.
    pub fn new(cc: &CreationContext<'_>, file: Option<PathBuf>, lang: Option<Lang>) -> Self {
        let mut app = Self::with_session(cc, sample_session(), lang);
        if let Some(file) = file {
            app.handle_request(AppRequest::OpenPath(file), &cc.egui_ctx);
        }
        app
    }

    /// Shows a session, which has no file yet.
    fn with_session(cc: &CreationContext<'_>, session: Session, lang: Option<Lang>) -> Self {
        let install_fonts =
            if cfg!(test) { crate::ui::kit::fonts::install_unhinted } else { crate::ui::kit::fonts::install };
        install_fonts(&cc.egui_ctx);
        let stored = cc.storage;
        let mut prefs: Prefs = stored.and_then(|s| eframe::get_value(s, PREFS_KEY)).unwrap_or_else(default_prefs);
        prefs.lang = lang.unwrap_or(prefs.lang);
        // The files of a page are gone after a reload.
        let recent = stored.filter(|_| !IS_PAGE).and_then(|s| eframe::get_value(s, RECENT_KEY)).unwrap_or_default();
        let character_canvas = CharacterCanvas::new(cc.gl.clone());
        let environment = environment::describe(&character_canvas);
        let mut app = Self {
            session,
            ui: MainWindow::new(prefs),
            quality: AdaptiveQuality::new(character_canvas.is_software()),
            character_canvas,
            files: OpenFiles::new(recent),
            dialogs: FileDialogs::default(),
            clock: Clock::default(),
            frame_clock: FrameClock::default(),
            motion_fit: TaskState::default(),
            bake: TaskState::default(),
            clipping: TaskState::default(),
            doctor: TaskState::default(),
            contact_sheet: ContactSheetTask::default(),
            document_id: DocumentId::default(),
            pending_action: None,
            asks_to_replace_project: false,
            pending_path: None,
            character_save: None,
            reported_preset_diagnostics: Vec::new(),
            autosave: Autosave::default(),
            recovered_edits: 0,
            recovery: Recovery::default(),
            live_exports: LiveExports::default(),
            capture: ViewportCapture::default(),
            live: LiveMotion::default(),
            hovered_files: HoveredFiles::default(),
            backups: None,
            project_of_other_window: None,
            #[cfg(not(target_arch = "wasm32"))]
            settings: None,
            window_fit: WindowFit::default(),
            title: String::new(),
            environment,
            crash_report: None,
        };
        app.character_canvas.defer_upload(app.session.character());
        app.reload_presets();
        app.restore_motion(true);
        app
    }

    /// Offers to recover the unsaved changes of earlier windows, and starts the autosave of this window. `data` is the
    /// folder for user data.
    fn start_autosave(&mut self, data: &std::path::Path) {
        let folder = store::path_in(data);
        let (recovery, mut diagnostics) = Recovery::find(&folder);
        #[cfg(not(target_arch = "wasm32"))]
        {
            self.crash_report = environment::take_crash_report(&folder).map(|path| path.display().to_string());
            diagnostics.extend(self.crash_report.clone().map(crash_notice));
        }
        self.recovery = recovery;
        match Autosave::start(folder) {
            Ok(autosave) => self.autosave = autosave,
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
        self.backups = Some(backups::path_in(data));
        self.report_all(diagnostics);
        self.begin_autosave(None);
    }

    /// Hands saved files to the artist, and asks before a page with unsaved changes is closed.
    #[cfg(target_arch = "wasm32")]
    fn update_page(&mut self) {
        let failures = browser::hand_over_saved_files();
        if failures.iter().any(browser::is_of_project) {
            self.session.mark_unsaved();
        }
        self.report_all(failures);
        let is_writing = self.character_save.is_some() || self.capture.is_working();
        browser::set_unsaved(!self.may_close() || is_writing);
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Starts a session for a character.
    fn set_opened_character(&mut self, opened: OpenedCharacter) {
        self.motion_fit.stop();
        self.replace_session(Session::new(opened.character, opened.document));
        for diagnostic in opened.diagnostics {
            self.session.handle(Command::AddDiagnostic(diagnostic));
        }
    }

    /// Uploads the character of the session to the GPU, or reports why the character cannot be drawn.
    fn upload_character(&mut self) {
        self.character_canvas.set_character(self.session.character());
        self.report_undrawn(self.character_canvas.error.clone());
    }

    /// Reports why the character cannot be drawn.
    fn report_undrawn(&mut self, failure: Option<MessageText>) {
        self.report_all(failure.map(|text| Diagnostic::warning(Location::default(), text)).into_iter().collect());
    }

    /// Replaces the session, and moves the camera to the front of the new character.
    fn replace_session(&mut self, session: Session) {
        self.session = session;
        // Questions and typed paths belong to the document for which they were asked.
        self.document_id.0 += 1;
        (self.pending_action, self.pending_path) = (None, None);
        (self.asks_to_replace_project, self.project_of_other_window) = (false, None);
        self.ui.dialogs_mut().forget_document();
        self.bake.stop();
        self.clipping.stop();
        self.doctor.stop();
        self.contact_sheet = ContactSheetTask::Idle;
        self.upload_character();
        self.continue_live();
        self.ui.forget_character();
    }

    /// Judges the last frame. Returns the qualities of the pictures of this frame.
    fn begin_frame(&mut self, ctx: &egui::Context) -> FrameQuality {
        if let Some(time) = self.frame_clock.begin_frame(ctx.cumulative_frame_nr()) {
            self.quality.add_frame(time);
        }
        self.quality.set_still_for(self.frame_clock.seconds_since_change());
        // Saved pictures do not show how fast this computer is.
        if self.capture.view().is_active { FrameQuality::FULL } else { self.quality.quality() }
    }

    /// Ends the preparation of a frame. Requests the next frame if the picture moves, or if it stands still with reduced
    /// quality.
    fn end_frame(&mut self, quality: FrameQuality, ctx: &egui::Context) {
        let is_moving = self.session.playback().is_moving();
        let has_changed = self.character_canvas.take_changed() | self.recovery.take_changed();
        self.frame_clock.end_preparation(has_changed && !self.capture.view().is_active, is_moving);
        let until_still = self.quality.set_still_for(self.frame_clock.seconds_since_change());
        let drawn = if has_changed { quality.changed } else { quality.unchanged };
        let works = self.files.is_loading() || self.motion_fit.is_running() || self.bake.is_running();
        let works = works || self.clipping.is_running() || self.doctor.is_running() || self.live.is_on();
        let works = works || self.character_save.is_some() || self.character_canvas.is_upload_pending();
        if works || is_moving {
            ctx.request_repaint();
        } else if drawn != PictureQuality::FULL {
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(until_still));
        }
    }

    /// Returns the question that the user must answer first.
    fn question(&self) -> Option<Question> {
        if self.asks_to_replace_project {
            return Some(Question::ProjectChanged);
        }
        if let Some(path) = &self.project_of_other_window {
            return Some(Question::OpenElsewhere { name: open::file_name(path) });
        }
        self.pending_action.as_ref().map(|action| match action {
            PendingAction::Close => Question::UnsavedChanges { other: None },
            PendingAction::Open(_, name) => Question::UnsavedChanges { other: Some(name.clone()) },
            PendingAction::OpenVersion(_) => {
                Question::UnsavedChanges { other: self.files.project_name().map(str::to_owned) }
            }
            PendingAction::SaveChangedSprings(_, changes) => Question::SaveChangedSprings(changes.clone()),
        })
    }

    fn draw(&mut self, ui: &mut egui::Ui, quality: FrameQuality) -> UiOutput {
        let look = CanvasLook::of(self.ui.prefs());
        let question = self.question();
        let (session, canvas, recovery) = (&self.session, &self.character_canvas, &self.recovery);
        // The pictures to compare are small.
        let draw_recovery = |rect, state| recovery.shape(rect, state, look, FrameQuality::FULL);
        let draw_character = |rect, view, meshes: &[bool]| {
            canvas.shape(PictureSlot::First, rect, CanvasPicture::new(view, meshes, session, look), quality)
        };
        let input = UiInput {
            session,
            file: FileView {
                question: question.as_ref(),
                document: self.document_id,
                recovery: recovery.view(self.crash_report.as_deref(), &draw_recovery),
                contact_sheet: self.contact_sheet.view(),
                live_exports: &self.live_exports.files,
                live_exports_on: self.live_exports.is_on,
                ..self.files.view(session)
            },
            draw_character: &draw_character,
            bounds: canvas.bounds,
            step_seconds: self.clock.step_seconds,
            picture: PictureStatus {
                per_second: self.frame_clock.pictures_per_second(),
                is_reduced: self.quality.is_reduced(),
            },
            motion_fit: self.motion_fit.status(),
            bake: self.bake.status(),
            clipping: self.clipping.status(),
            doctor: self.doctor.status(),
            capture: self.capture.view(),
            live: self.live.view(),
            environment: &self.environment,
            hovered_files: self.hovered_files.entries(),
        };
        let title = input.file.window_title(self.ui.prefs().lang);
        if title != self.title {
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
        self.ui.show(ui, &input)
    }
}

impl eframe::App for App {
    /// Runs before each frame, and also while the window is hidden (for example minimized) and draws no frames.
    fn logic(&mut self, ctx: &egui::Context, _frame: &mut eframe::Frame) {
        self.poll_tasks(ctx);
        self.update_autosave(ctx);
        self.update_live_exports(ctx);
        if ctx.input(|i| i.viewport().close_requested()) {
            if !self.may_close() {
                ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
                // A hidden window cannot show the question.
                ctx.send_viewport_cmd(egui::ViewportCommand::Minimized(false));
                ctx.send_viewport_cmd(egui::ViewportCommand::Focus);
                self.pending_action = Some(PendingAction::Close);
            } else if self.postpone_close() || self.close_after_save() {
                ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            }
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        let quality = self.begin_frame(&ctx);
        if self.character_canvas.is_upload_pending() && ctx.cumulative_frame_nr() > 0 {
            self.upload_character();
            self.clock.restart();
        }
        self.report_undrawn(self.character_canvas.take_failure());
        self.window_fit.update(&ctx);
        self.hovered_files.update(&ctx);
        self.open_dropped_files(&ctx);
        let seconds = f64::from(ctx.input(|i| i.stable_dt));
        let gl = self.character_canvas.gl();
        self.recovery.advance(seconds, || CharacterCanvas::new(gl), &ctx);
        self.begin_capture_frame(&ctx);
        let now = ctx.input(|input| input.time);
        self.receive_live(now);
        if !self.capture.is_recording() {
            self.clock.advance(&mut self.session);
        }
        self.live.send(now, &self.session);
        let output = self.draw(ui, quality);
        for command in output.commands {
            self.session.handle(command);
        }
        for request in output.requests {
            self.handle_request(request, &ctx);
        }
        self.end_capture_frame(&ctx);
        self.update_contact_sheet(&ctx);
        // If the window was just hidden, there is no further frame.
        self.update_autosave(&ctx);
        self.update_live_exports(&ctx);
        self.end_frame(quality, &ctx);
        #[cfg(target_arch = "wasm32")]
        self.update_page();
    }

    /// The window closes. If the system closes the window without the question about unsaved changes, the changes stay
    /// in the journal.
    fn on_exit(&mut self, _gl: Option<&glow::Context>) {
        self.abort_clip();
        if self.may_close() {
            self.autosave.finish();
        } else {
            self.keep_journal();
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, PREFS_KEY, self.ui.prefs());
        if !IS_PAGE {
            eframe::set_value(storage, RECENT_KEY, &self.files.recent);
        }
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(Err(diagnostic)) = self.settings.as_mut().map(|settings| settings.save(storage)) {
            log::error!("{diagnostic}");
            self.session.handle(Command::AddDiagnostic(diagnostic));
        }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Opens the bundled character and plays its idle animation.
fn sample_session() -> Session {
    let opened = open_sample();
    let idle = opened.character.clips.iter().position(|clip| clip.name == "Idle");
    let mut session = Session::new(opened.character, opened.document);
    if let Some(idle) = idle {
        session.handle(Command::SetMotion(Motion::Clip(idle)));
        session.handle(Command::ResetPose);
    }
    session
}

fn open_sample() -> OpenedCharacter {
    let source = SourceFile { name: SAMPLE_NAME, bytes: SAMPLE_BYTES, read_sibling: &no_siblings };
    let opened = open::character_from_source(&source, &|_| true).expect("the bundled character is tested to load");
    opened.converted_to(SolverKind::default())
}

/// Tells the artist about the report of a crash.
#[cfg(not(target_arch = "wasm32"))]
fn crash_notice(report: String) -> Diagnostic {
    let text = message!(
        "Yuremono stopped because of an internal error. This file describes the error: attach it to a bug report"
    );
    Diagnostic::warning(Location::file(report), text)
}

/// Returns the default preferences of the first start, with the language of the system.
fn default_prefs() -> Prefs {
    Prefs { lang: Lang::from_env(), ..Prefs::default() }
}
