//! The window application.
//!
//! [`App`] owns the clock, the dialogs, the threads and the files, and connects session, ui and renderer. It draws no widget
//! and computes nothing. [`MainWindow::show`] returns the requests of the user.

mod background;
mod character_canvas;
mod clock;
mod dialogs;
mod files;
mod requests;
mod settings;
#[cfg(test)]
mod tests;
mod watch;
mod window_fit;

use crate::diagnostics::{Diagnostic, Location, message};
use crate::document::Document;
use crate::feel::convert::SwingComparison;
use crate::format::open::{self, OpenedCharacter};
use crate::format::source::{SourceFile, no_siblings};
use crate::session::{Command, Motion, Session};
use crate::sim::SolverKind;
use crate::ui::kit::i18n::Lang;
use crate::ui::{AppRequest, FileView, MainWindow, Prefs, UiInput, UiOutput};
use background::MotionFitTask;
use character_canvas::CharacterCanvas;
use clock::Clock;
use dialogs::{FileDialogs, FileRequest};
use eframe::CreationContext;
use files::OpenFiles;
pub use requests::user_preset_folder as preset_folder;
use settings::WindowSettings;
use std::path::PathBuf;
use window_fit::WindowFit;

/// Name of the application for the system, and of its data folder.
const APP_ID: &str = "yuremono";
/// Name of the bundled character in the window.
const SAMPLE_NAME: &str = "sample.vrm";
/// The bundled character.
pub(crate) const SAMPLE_BYTES: &[u8] = include_bytes!("../assets/sample.vrm");
const PREFS_KEY: &str = "prefs";
const RECENT_KEY: &str = "recent";

/// The state of the window application.
pub struct App {
    session: Session,
    ui: MainWindow,
    character_canvas: CharacterCanvas,
    files: OpenFiles,
    dialogs: FileDialogs,
    clock: Clock,
    motion_fit: MotionFitTask,
    /// The action that waits for an answer about unsaved changes.
    pending_action: Option<PendingAction>,
    /// The project file was changed by another program, and the user must choose a version.
    asks_to_replace_project: bool,
    /// The request that a typed path answers, and an existing file that may be replaced.
    pending_path: Option<(FileRequest, Option<PathBuf>)>,
    /// The comparison of a saved character with the session, the saved document, and the name of the file.
    swing_comparison: Option<(SwingComparison, Document, String)>,
    /// The diagnostics of the last reading of preset files.
    reported_preset_findings: Vec<Diagnostic>,
    /// `None` if settings cannot be stored.
    settings: Option<WindowSettings>,
    window_fit: WindowFit,
    title: String,
}

/// An action that would lose unsaved changes or values.
#[derive(Debug)]
enum PendingAction {
    /// Closing the window.
    Close,
    /// Opening another character; the name is shown in the question.
    Open(AppRequest, String),
    /// Saving mean values into a VRM 0.x file.
    SaveAverages(PathBuf),
}

/// Opens the window with `file`, and returns when the window is closed. `lang` replaces the stored language.
pub fn run(file: Option<PathBuf>, lang: Option<Lang>) -> anyhow::Result<()> {
    if let Some(file) = file.as_deref().filter(|file| !file.exists()) {
        let file = file.display().to_string();
        return Err(anyhow::Error::msg(message!("{file}: there is no such file and no such command", file)));
    }
    let viewport = egui::ViewportBuilder::default()
        .with_title("Yuremono")
        .with_app_id(APP_ID)
        .with_inner_size(window_fit::DEFAULT_WINDOW_SIZE)
        .with_min_inner_size(crate::ui::kit::tokens::min_size::WINDOW)
        .with_drag_and_drop(true);
    let (settings, resets) = eframe::storage_dir(APP_ID).and_then(|folder| WindowSettings::open(&folder)).unzip();
    let options = eframe::NativeOptions {
        viewport,
        persistence_path: settings.as_ref().map(WindowSettings::working_copy),
        depth_buffer: 24,
        multisampling: 4,
        renderer: eframe::Renderer::Glow,
        ..eframe::NativeOptions::default()
    };
    let start = move |cc: &CreationContext<'_>| -> Box<dyn eframe::App> {
        let mut app = App::new(cc, file, lang);
        app.settings = settings;
        for message in resets.into_iter().flatten() {
            app.session.handle(Command::AddMessage(message));
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

impl App {
    /// Opens the bundled character, and starts to load `file`.
    pub fn new(cc: &CreationContext<'_>, file: Option<PathBuf>, lang: Option<Lang>) -> Self {
        crate::ui::kit::fonts::install(&cc.egui_ctx);
        let stored = cc.storage;
        let mut prefs: Prefs = stored.and_then(|s| eframe::get_value(s, PREFS_KEY)).unwrap_or_else(default_prefs);
        prefs.lang = lang.unwrap_or(prefs.lang);
        let recent = stored.and_then(|s| eframe::get_value(s, RECENT_KEY)).unwrap_or_default();
        let mut app = Self {
            session: sample_session(),
            ui: MainWindow::new(prefs),
            character_canvas: CharacterCanvas::new(cc.gl.clone()),
            files: OpenFiles::new(recent),
            dialogs: FileDialogs::default(),
            clock: Clock::default(),
            motion_fit: MotionFitTask::default(),
            pending_action: None,
            asks_to_replace_project: false,
            pending_path: None,
            swing_comparison: None,
            reported_preset_findings: Vec::new(),
            settings: None,
            window_fit: WindowFit::default(),
            title: String::new(),
        };
        app.reload_presets();
        app.character_canvas.set_character(app.session.character());
        if let Some(message) = app.character_canvas.error.clone() {
            app.session.handle(Command::AddDiagnostic(Diagnostic::warning(Location::default(), message)));
        }
        if let Some(file) = file {
            app.handle_request(AppRequest::OpenPath(file), &cc.egui_ctx);
        }
        app
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Opens a session for a character.
    fn set_opened_character(&mut self, opened: OpenedCharacter) {
        self.motion_fit.stop();
        self.asks_to_replace_project = false;
        self.replace_session(Session::new(opened.character, opened.document));
        for diagnostic in opened.diagnostics {
            self.session.handle(Command::AddDiagnostic(diagnostic));
        }
    }

    /// Replaces the session. The camera moves to the front of the new character.
    fn replace_session(&mut self, session: Session) {
        self.session = session;
        self.swing_comparison = None;
        self.character_canvas.set_character(self.session.character());
        self.ui.forget_character();
    }

    fn draw(&mut self, ui: &mut egui::Ui) -> UiOutput {
        let mode = self.ui.prefs().mode;
        let (session, picture) = (&self.session, &self.character_canvas);
        let input = UiInput {
            session,
            file: FileView {
                confirm_close: self.pending_action.is_some(),
                confirm_overwrite: self.asks_to_replace_project,
                pending_open: match &self.pending_action {
                    Some(PendingAction::Open(_, name)) => Some(name),
                    _ => None,
                },
                confirm_average: matches!(self.pending_action, Some(PendingAction::SaveAverages(_))),
                ..self.files.view(session)
            },
            draw_character: &|rect, shot, meshes| picture.shape(rect, shot, meshes, session, mode),
            bounds: picture.bounds,
            step_seconds: self.clock.step_seconds,
            motion_fit: self.motion_fit.view(),
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
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.window_fit.update(&ctx);
        self.poll_events(&ctx);
        self.clock.advance(&mut self.session);
        let output = self.draw(ui);
        for command in output.commands {
            self.session.handle(command);
        }
        for request in output.requests {
            self.handle_request(request, &ctx);
        }
        if ctx.input(|i| i.viewport().close_requested()) && !self.may_close() {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.pending_action = Some(PendingAction::Close);
        }
        if self.session.playback().is_moving() || self.files.is_loading() || self.motion_fit.is_running() {
            ctx.request_repaint();
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, PREFS_KEY, self.ui.prefs());
        eframe::set_value(storage, RECENT_KEY, &self.files.recent);
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

/// The bundled character with its idle animation.
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

/// Preferences of the first start, in the language of the system.
fn default_prefs() -> Prefs {
    Prefs { lang: Lang::from_env(), ..Prefs::default() }
}
