//! The window face of the library.
//!
//! [`App`] owns the clock, the dialogs, the threads and the files, and wires session, ui and view together. It draws
//! no widget and does no maths; what it is asked for comes back from `crate::ui::MainWindow::set_character`.

mod character_canvas;
mod clock;
mod dialogs;
mod files;
mod motion_fit;
mod presets;
mod requests;
mod settings;
#[cfg(test)]
mod tests;
mod watch;
mod window_fit;

use crate::diagnostics::{Diagnostic, Location};
use crate::document::Document;
use crate::feel::convert::SwingComparison;
use crate::format::open::{self, OpenedCharacter};
use crate::format::source::{SourceFile, no_siblings};
use crate::session::{Command, Motion, Session};
use crate::sim::SolverKind;
use crate::ui::kit::i18n::Lang;
use crate::ui::{AppRequest, FileView, MainWindow, Prefs, UiInput, UiOutput};
use character_canvas::CharacterCanvas;
use clock::Clock;
use dialogs::{FileDialogs, FileRequest};
use eframe::CreationContext;
use files::OpenFiles;
use motion_fit::MotionFitTask;
pub use presets::user_preset_folder as preset_folder;
use settings::WindowSettings;
use std::path::PathBuf;
use window_fit::WindowFit;

/// What the system calls the program, and the folder of its data.
const APP_ID: &str = "yuremono";
/// Name of the bundled character in the window.
const SAMPLE_NAME: &str = "sample.vrm";
/// The bundled character.
pub(crate) const SAMPLE_BYTES: &[u8] = include_bytes!("../assets/sample.vrm");
const PREFS_KEY: &str = "prefs";
const RECENT_KEY: &str = "recent";

/// The running window.
pub struct App {
    session: Session,
    ui: MainWindow,
    character_canvas: CharacterCanvas,
    files: OpenFiles,
    dialogs: FileDialogs,
    clock: Clock,
    motion_fit: MotionFitTask,
    /// What waits until the artist has said what happens to unsaved work.
    pending_action: Option<PendingAction>,
    /// The project's file has contents that were not read or saved here, and the artist must say what becomes of them.
    asks_to_replace_project: bool,
    /// What a typed path will be taken for, and one that has a file already.
    pending_path: Option<(FileRequest, Option<PathBuf>)>,
    /// How far chains swing in a character that was saved, compared frame by frame: with the document that was saved, and
    /// the name of the file.
    swing_comparison: Option<(SwingComparison, Document, String)>,
    /// What was said of the files of presets when they were read last.
    reported_preset_findings: Vec<Diagnostic>,
    /// `None` where nothing is kept from run to run.
    settings: Option<WindowSettings>,
    window_fit: WindowFit,
    /// The title of the system's window.
    title: String,
}

/// What would lose unsaved work.
#[derive(Debug)]
enum PendingAction {
    /// Closing the window.
    Close,
    /// Opening something in place of the open character.
    Open(AppRequest, String),
    /// Saving means into a VRM 0.x file.
    SaveAverages(PathBuf),
}

/// Opens the window, on `file` where there is one, and returns when it is closed.
pub fn run(file: Option<PathBuf>) -> anyhow::Result<()> {
    if let Some(file) = file.as_deref().filter(|file| !file.exists()) {
        anyhow::bail!("{}: there is no such file, and no such command", file.display());
    }
    let viewport = egui::ViewportBuilder::default()
        .with_title("Yuremono")
        .with_app_id(APP_ID)
        .with_inner_size(window_fit::DEFAULT_WINDOW_SIZE)
        .with_min_inner_size(crate::ui::kit::tokens::min_size::WINDOW)
        .with_drag_and_drop(true);
    let (settings, said) = eframe::storage_dir(APP_ID).and_then(|folder| WindowSettings::open(&folder)).unzip();
    let options = eframe::NativeOptions {
        viewport,
        persistence_path: settings.as_ref().map(WindowSettings::working_copy),
        depth_buffer: 24,
        multisampling: 4,
        renderer: eframe::Renderer::Glow,
        ..eframe::NativeOptions::default()
    };
    let start = move |cc: &CreationContext<'_>| -> Box<dyn eframe::App> {
        let mut app = App::new(cc, file);
        app.settings = settings;
        for said in said.into_iter().flatten() {
            app.session.handle(Command::AddMessage(said));
        }
        Box::new(app)
    };
    eframe::run_native(APP_ID, options, Box::new(move |cc| Ok(start(cc)))).map_err(|err| {
        log::error!("{err}");
        anyhow::anyhow!("the window could not be opened; is there a display with OpenGL 3.3 or OpenGL ES 3.0?")
    })
}

impl App {
    /// A window with the bundled character, or on its way to `file`.
    pub fn new(cc: &CreationContext<'_>, file: Option<PathBuf>) -> Self {
        crate::ui::kit::fonts::install(&cc.egui_ctx);
        let stored = cc.storage;
        let prefs: Prefs = stored.and_then(|s| eframe::get_value(s, PREFS_KEY)).unwrap_or_else(default_prefs);
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
        if let Some(message) = app.character_canvas.error() {
            app.session.handle(Command::AddDiagnostic(Diagnostic::warning(Location::default(), message)));
        }
        if let Some(file) = file {
            app.handle_request(AppRequest::OpenPath(file), &cc.egui_ctx);
        }
        app
    }

    /// What is being tuned.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Makes a freshly read character the open one.
    fn set_opened_character(&mut self, opened: OpenedCharacter) {
        self.motion_fit.stop();
        self.asks_to_replace_project = false;
        self.replace_session(Session::new(opened.character, opened.document));
        for diagnostic in opened.diagnostics {
            self.session.handle(Command::AddDiagnostic(diagnostic));
        }
    }

    /// Puts a session of another character in place of the open one; the camera goes to her front.
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
            bounds: picture.bounds(),
            step_seconds: self.clock.step_seconds(),
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
        eframe::set_value(storage, RECENT_KEY, &self.files.recent());
        if let Some(Err(said)) = self.settings.as_mut().map(|settings| settings.save(storage)) {
            log::error!("{said}");
            self.session.handle(Command::AddDiagnostic(said));
        }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("session", &self.session).finish_non_exhaustive()
    }
}

/// The bundled character, breathing.
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

/// Preferences of the first start: the system's language.
fn default_prefs() -> Prefs {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| std::env::var(name).ok());
    Prefs { lang: Lang::from_locale(&locale.unwrap_or_default()), ..Prefs::default() }
}
