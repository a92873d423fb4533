//! Saves a contact sheet. The simulation and the encoding run on a thread; the images are drawn with the window's own
//! OpenGL context, one image per frame, so that the window stays responsive.

use super::App;
use super::background::BackgroundTask;
use crate::contact_sheet::{
    ContactSheet, ContactSheetJob, DEFAULT_MOMENTS, DEFAULT_PICTURE_SIZE, SheetColors, SheetError, SheetOptions,
};
use crate::renderer::{OffscreenTarget, SUPERSAMPLING};
use crate::ui::SheetProgress;
use crate::ui::kit::theme::ThemeMode;
use std::path::{Path, PathBuf};
use yuremono_format::open::file_name;
use yuremono_format::source::write_atomic;
use yuremono_format::tables::has_extension;
use yuremono_session::{Message, all_motions};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, message};

/// Smallest side of an image, in pixels. A sheet of very many motions has smaller images.
const MIN_PICTURE_SIDE: u32 = 40;
/// Shares of the progress: the simulation, and the simulation with the drawing.
const SIMULATED: f32 = 0.5;
const DRAWN: f32 = 0.95;

/// A contact sheet that is simulated, drawn or written.
#[derive(Debug, Default)]
pub(super) enum ContactSheetTask {
    #[default]
    Idle,
    Running(Box<RunningSheet>),
}

#[derive(Debug)]
pub(super) struct RunningSheet {
    path: PathBuf,
    name: String,
    step: SheetStep,
}

#[derive(Debug)]
enum SheetStep {
    Simulating(BackgroundTask<Option<ContactSheet>>),
    Drawing { sheet: Box<ContactSheet>, target: OffscreenTarget },
    Writing(BackgroundTask<Result<(), Diagnostic>>),
}

impl ContactSheetTask {
    pub(super) fn view(&self) -> Option<SheetProgress<'_>> {
        let Self::Running(running) = self else { return None };
        let progress = match &running.step {
            SheetStep::Simulating(task) => SIMULATED * task.progress(),
            SheetStep::Drawing { sheet, .. } => {
                let share = sheet.drawn_count() as f32 / sheet.picture_count().max(1) as f32;
                SIMULATED + (DRAWN - SIMULATED) * share
            }
            SheetStep::Writing(_) => DRAWN,
        };
        Some(SheetProgress { name: &running.name, progress })
    }
}

impl App {
    /// Starts a contact sheet of all motions, from the direction of the viewport and in the colours of the window.
    pub(super) fn start_contact_sheet(&mut self, path: PathBuf, ctx: &egui::Context) {
        let name = file_name(&path);
        if !has_extension(&path, &["png"]) {
            return self.report_sheet_error(&path, message!("a contact sheet is a .png"));
        }
        if self.character_canvas.gl().is_none() {
            return self.report_sheet_error(&path, message!("the window has no OpenGL; nothing was drawn"));
        }
        match self.contact_sheet_job() {
            Ok(job) => {
                self.report_sheet_warnings(&name, job.warnings());
                let step = SheetStep::Simulating(BackgroundTask::start(ctx, move |progress| job.run(progress)));
                self.contact_sheet = ContactSheetTask::Running(Box::new(RunningSheet { path, name, step }));
            }
            Err(error) => self.report_sheet_error(&path, error.message()),
        }
    }

    fn contact_sheet_job(&mut self) -> Result<ContactSheetJob, SheetError> {
        let light = self.ui.prefs().look.key_light();
        let prefs = self.ui.prefs();
        let mut options = SheetOptions {
            title: self.files.character_name.clone(),
            lang: prefs.lang,
            picture_size: DEFAULT_PICTURE_SIZE,
            moments: DEFAULT_MOMENTS,
            smooth: SUPERSAMPLING,
            colors: match prefs.mode {
                ThemeMode::Dark => SheetColors::DARK,
                ThemeMode::Light => SheetColors::LIGHT,
            },
            camera: self.ui.viewport_mut().camera(),
            visible: self.ui.state_mut().mesh_visibility.clone(),
            light,
        };
        let motions = all_motions(&self.session);
        loop {
            let job = ContactSheetJob::new(&self.session, &motions, options.clone());
            let smaller = options.picture_size.map(|side| side / 2);
            if !matches!(job, Err(SheetError::TooLarge { .. })) || smaller.iter().any(|side| *side < MIN_PICTURE_SIDE) {
                return job;
            }
            options.picture_size = smaller;
        }
    }

    /// Continues the contact sheet: draws one image, or starts the next step.
    pub(super) fn update_contact_sheet(&mut self, ctx: &egui::Context) {
        let ContactSheetTask::Running(running) = std::mem::take(&mut self.contact_sheet) else { return };
        ctx.request_repaint();
        let RunningSheet { path, name, step } = *running;
        let next = match step {
            SheetStep::Simulating(task) => match task.poll() {
                None => Some(SheetStep::Simulating(task)),
                Some(Ok(Some(sheet))) => self.start_drawing(&path, sheet),
                Some(Ok(None)) => None,
                Some(Err(_)) => {
                    self.report_sheet_error(
                        &path,
                        message!("the simulation stopped because of an internal error; try again"),
                    );
                    None
                }
            },
            SheetStep::Drawing { sheet, target } => self.draw_picture(&path, sheet, target, ctx),
            SheetStep::Writing(task) => match task.poll() {
                None => Some(SheetStep::Writing(task)),
                Some(result) => {
                    match result {
                        Ok(Ok(())) => {
                            self.add_message(Message::Done(message!("{name} saved", name = name.clone())));
                        }
                        Ok(Err(diagnostic)) => self.report_all(vec![diagnostic]),
                        Err(_) => self.report_sheet_error(
                            &path,
                            message!("writing stopped because of an internal error; try again"),
                        ),
                    }
                    None
                }
            },
        };
        if let Some(step) = next {
            self.contact_sheet = ContactSheetTask::Running(Box::new(RunningSheet { path, name, step }));
        }
    }

    fn start_drawing(&mut self, path: &Path, sheet: ContactSheet) -> Option<SheetStep> {
        self.report_sheet_warnings(&file_name(path), sheet.warnings());
        let [width, height] = sheet.target_size();
        match self.character_canvas.with_scene(|scene| OffscreenTarget::new(scene, width, height))? {
            Ok(target) => Some(SheetStep::Drawing { sheet: Box::new(sheet), target }),
            Err(error) => {
                self.report_sheet_error(path, error.message());
                None
            }
        }
    }

    fn draw_picture(
        &mut self,
        path: &Path,
        mut sheet: Box<ContactSheet>,
        target: OffscreenTarget,
        ctx: &egui::Context,
    ) -> Option<SheetStep> {
        match self.character_canvas.with_scene(|scene| sheet.draw_next(scene, &target))? {
            Ok(true) => Some(SheetStep::Drawing { sheet, target }),
            Ok(false) => {
                let path = path.to_path_buf();
                let write = move |_: &(dyn Fn(f32) -> bool + Sync)| {
                    let bytes = sheet.to_png().map_err(|error| {
                        Diagnostic::error(Location::file(file_name(&path)), MessageText::from(error.to_string()))
                    })?;
                    write_atomic(&path, &bytes)
                };
                Some(SheetStep::Writing(BackgroundTask::start(ctx, write)))
            }
            Err(error) => {
                self.report_sheet_error(path, error.message());
                None
            }
        }
    }

    fn report_sheet_error(&mut self, path: &Path, message: MessageText) {
        self.report_all(vec![Diagnostic::error(Location::file(file_name(path)), message)]);
    }

    fn report_sheet_warnings(&mut self, name: &str, warnings: &[MessageText]) {
        let warning = |message: &MessageText| Diagnostic::warning(Location::file(name), message.clone());
        self.report_all(warnings.iter().map(warning).collect());
    }
}
