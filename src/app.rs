//! The window face of the library.
//!
//! [`App`] owns the clock, the dialogs, the threads and the files, and wires session, ui and view together. It draws
//! no widget and does no maths; what it is asked for comes back from [`crate::ui::Ui::show`].

mod clock;
mod dialogs;
mod files;
mod matching;
mod picture;
mod presets;
mod requests;
mod settings;
#[cfg(test)]
mod tests;
mod watch;
mod window_fit;

use crate::document::Document;
use crate::feel::convert::SwingComparison;
use crate::format::open::{self, Opened};
use crate::format::source::{Source, no_siblings};
use crate::report::{Diagnostic, Place};
use crate::session::{Command, Motion, Session};
use crate::sim::SolverKind;
use crate::ui::kit::words::Lang;
use crate::ui::{FileView, Input, Output, Prefs, Request, Ui};
use clock::Clock;
use dialogs::{Asked, Dialogs};
use eframe::CreationContext;
use files::Files;
use matching::Matching;
use picture::Picture;
pub use presets::folder as preset_folder;
use settings::Settings;
use std::path::PathBuf;
use window_fit::WindowFit;

/// What the system calls the program, and the folder of its data.
const ID: &str = "yuremono";
/// Name of the bundled character in the window.
const SAMPLE_NAME: &str = "sample.vrm";
/// The bundled character.
pub(crate) const SAMPLE: &[u8] = include_bytes!("../assets/sample.vrm");
const PREFS: &str = "prefs";
const RECENT: &str = "recent";

/// The running window.
pub struct App {
    session: Session,
    ui: Ui,
    picture: Picture,
    files: Files,
    dialogs: Dialogs,
    clock: Clock,
    matching: Matching,
    /// What waits until the artist has said what happens to unsaved work.
    question: Option<Question>,
    /// The project's file has contents that were not read or saved here, and the artist must say what becomes of them.
    replacing: bool,
    /// What a typed path will be taken for, and one that has a file already.
    path_for: Option<(Asked, Option<PathBuf>)>,
    /// How far chains swing in a character that was saved, compared frame by frame: with the document that was saved, and
    /// the name of the file.
    saved_swing: Option<(SwingComparison, Document, String)>,
    /// What was said of the files of presets when they were read last.
    presets_said: Vec<Diagnostic>,
    /// `None` where nothing is kept from run to run.
    settings: Option<Settings>,
    window_fit: WindowFit,
    /// The title of the system's window.
    title: String,
}

/// What would lose unsaved work.
#[derive(Debug)]
enum Question {
    /// Closing the window.
    Close,
    /// Opening something in place of the open character.
    Open(Request, String),
    /// Saving means into a VRM 0.x file.
    Average(PathBuf),
}

/// Opens the window, on `file` where there is one, and returns when it is closed.
pub fn run(file: Option<PathBuf>) -> anyhow::Result<()> {
    if let Some(file) = file.as_deref().filter(|file| !file.exists()) {
        anyhow::bail!("{}: there is no such file, and no such command", file.display());
    }
    let viewport = egui::ViewportBuilder::default()
        .with_title("Yuremono")
        .with_app_id(ID)
        .with_inner_size(window_fit::USUAL)
        .with_min_inner_size(crate::ui::kit::tokens::least::WINDOW)
        .with_drag_and_drop(true);
    let (settings, said) = eframe::storage_dir(ID).and_then(|folder| Settings::open(&folder)).unzip();
    let options = eframe::NativeOptions {
        viewport,
        persistence_path: settings.as_ref().map(Settings::working_copy),
        depth_buffer: 24,
        multisampling: 4,
        renderer: eframe::Renderer::Glow,
        ..eframe::NativeOptions::default()
    };
    let start = move |cc: &CreationContext<'_>| -> Box<dyn eframe::App> {
        let mut app = App::new(cc, file);
        app.settings = settings;
        for said in said.into_iter().flatten() {
            app.session.handle(Command::Say(said));
        }
        Box::new(app)
    };
    eframe::run_native(ID, options, Box::new(move |cc| Ok(start(cc)))).map_err(|err| {
        log::error!("{err}");
        anyhow::anyhow!("the window could not be opened; is there a display with OpenGL 3.3 or OpenGL ES 3.0?")
    })
}

impl App {
    /// A window with the bundled character, or on its way to `file`.
    pub fn new(cc: &CreationContext<'_>, file: Option<PathBuf>) -> Self {
        crate::ui::kit::fonts::install(&cc.egui_ctx);
        let stored = cc.storage;
        let prefs: Prefs = stored.and_then(|s| eframe::get_value(s, PREFS)).unwrap_or_else(first_prefs);
        let recent = stored.and_then(|s| eframe::get_value(s, RECENT)).unwrap_or_default();
        let mut app = Self {
            session: sample(),
            ui: Ui::new(prefs),
            picture: Picture::new(cc.gl.clone()),
            files: Files::new(recent),
            dialogs: Dialogs::default(),
            clock: Clock::default(),
            matching: Matching::default(),
            question: None,
            replacing: false,
            path_for: None,
            saved_swing: None,
            presets_said: Vec::new(),
            settings: None,
            window_fit: WindowFit::default(),
            title: String::new(),
        };
        app.read_presets();
        app.picture.show(app.session.character());
        if let Some(message) = app.picture.trouble() {
            app.session.handle(Command::Report(Diagnostic::warning(Place::default(), message)));
        }
        if let Some(file) = file {
            app.request(Request::OpenPath(file), &cc.egui_ctx);
        }
        app
    }

    /// What is being tuned.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Makes a freshly read character the open one.
    fn adopt(&mut self, opened: Opened) {
        self.matching.stop();
        self.replacing = false;
        self.show_session(Session::new(opened.character, opened.document));
        for diagnostic in opened.diagnostics {
            self.session.handle(Command::Report(diagnostic));
        }
    }

    /// Puts a session of another character in place of the open one; the camera goes to her front.
    fn show_session(&mut self, session: Session) {
        self.session = session;
        self.saved_swing = None;
        self.picture.show(self.session.character());
        self.ui.character_changed();
    }

    fn draw(&mut self, ui: &mut egui::Ui) -> Output {
        let mode = self.ui.prefs().mode;
        let (session, picture) = (&self.session, &self.picture);
        let input = Input {
            session,
            file: FileView {
                asks_to_close: self.question.is_some(),
                asks_to_replace: self.replacing,
                asks_before: match &self.question {
                    Some(Question::Open(_, name)) => Some(name),
                    _ => None,
                },
                asks_to_average: matches!(self.question, Some(Question::Average(_))),
                ..self.files.view(session)
            },
            scene: &|rect, shot, meshes| picture.shape(rect, shot, meshes, session, mode),
            bounds: picture.bounds(),
            step_seconds: self.clock.step_seconds(),
            matching: self.matching.view(),
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
        self.take_news(&ctx);
        self.clock.advance(&mut self.session);
        let output = self.draw(ui);
        for command in output.commands {
            self.session.handle(command);
        }
        for request in output.requests {
            self.request(request, &ctx);
        }
        if ctx.input(|i| i.viewport().close_requested()) && !self.may_close() {
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            self.question = Some(Question::Close);
        }
        if self.session.playback().is_moving() || self.files.is_opening() || self.matching.is_running() {
            ctx.request_repaint();
        }
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, PREFS, self.ui.prefs());
        eframe::set_value(storage, RECENT, &self.files.recent());
        if let Some(Err(said)) = self.settings.as_mut().map(|settings| settings.keep(storage)) {
            log::error!("{said}");
            self.session.handle(Command::Report(said));
        }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("session", &self.session).finish_non_exhaustive()
    }
}

/// The bundled character, breathing.
fn sample() -> Session {
    let opened = open_sample();
    let idle = opened.character.clips.iter().position(|clip| clip.name == "Idle");
    let mut session = Session::new(opened.character, opened.document);
    if let Some(idle) = idle {
        session.handle(Command::SetMotion(Motion::Clip(idle)));
        session.handle(Command::ResetPose);
    }
    session
}

fn open_sample() -> Opened {
    let source = Source { name: SAMPLE_NAME, bytes: SAMPLE, sibling: &no_siblings };
    let opened = open::character_from(&source, &|_| true).expect("the bundled character is tested to load");
    opened.under(SolverKind::default())
}

/// Preferences of the first start: the system's language.
fn first_prefs() -> Prefs {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().find_map(|name| std::env::var(name).ok());
    Prefs { lang: Lang::from_locale(&locale.unwrap_or_default()), ..Prefs::default() }
}
