//! The complete window with a session, but without the program: the session handles commands, and requests are
//! collected.

use super::glow_renderer::{GlowRenderer, headless_or_skip};
use egui::{UiBuilder, vec2};
use egui_kittest::Harness;
use std::path::PathBuf;
use yuremono::ui::DropEntry;
use yuremono::ui::{
    AppRequest, BakeResult, ClippingResult, DiskStatus, FileView, MainWindow, OpenProgress, OutlinerTab, PictureStatus,
    Prefs, Question, TaskStatus, UiInput,
};
use yuremono_model::feel::convert::motion_fit::MotionFitResult;
use yuremono_session::{MotionFindings, Session};

/// The inputs of the window.
pub(crate) struct WindowFixture {
    pub(crate) session: Session,
    pub(crate) ui: MainWindow,
    pub(crate) requests: Vec<AppRequest>,
    pub(crate) is_sample: bool,
    pub(crate) has_unsaved_changes: bool,
    /// Name of the project file.
    pub(crate) project_name: Option<&'static str>,
    pub(crate) open_progress: Option<f32>,
    pub(crate) changed_on_disk: bool,
    pub(crate) changed_table: Option<&'static str>,
    pub(crate) question: Option<Question>,
    pub(crate) project_on_disk: DiskStatus,
    pub(crate) recent_files: Vec<PathBuf>,
    /// Progress and result of a motion fit.
    pub(crate) motion_fit_progress: Option<f32>,
    pub(crate) motion_fit_result: Option<MotionFitResult>,
    pub(crate) bake_result: Option<BakeResult>,
    pub(crate) picture: PictureStatus,
    pub(crate) clipping_result: Option<ClippingResult>,
    pub(crate) hovered_files: Vec<DropEntry>,
    pub(crate) doctor_result: Option<MotionFindings>,
}

impl WindowFixture {
    /// Creates a window that shows a session.
    pub(crate) fn new(session: Session, prefs: Prefs) -> Self {
        let mut ui = MainWindow::new(prefs);
        // Most tests find bones in the tree.
        ui.state_mut().outliner_tab = OutlinerTab::Bones;
        Self {
            session,
            ui,
            requests: Vec::new(),
            is_sample: false,
            has_unsaved_changes: false,
            project_name: None,
            open_progress: None,
            changed_on_disk: false,
            changed_table: None,
            question: None,
            project_on_disk: DiskStatus::Unchanged,
            recent_files: Vec::new(),
            motion_fit_progress: None,
            motion_fit_result: None,
            bake_result: None,
            picture: PictureStatus::default(),
            clipping_result: None,
            hovered_files: Vec::new(),
            doctor_result: None,
        }
    }

    /// Shows one frame.
    pub(crate) fn show(&mut self, ui: &mut egui::Ui) {
        let name = if self.is_sample { "sample.vrm" } else { "girl.vrm" };
        let file = FileView {
            name,
            is_sample: self.is_sample,
            project: self.project_name,
            has_unsaved_changes: self.has_unsaved_changes || self.session.history().is_dirty(),
            opening: self.open_progress.map(|progress| OpenProgress {
                name: "Fox.glb",
                progress,
                elapsed_seconds: 1.0,
            }),
            changed_on_disk: self.changed_on_disk,
            changed_table: self.changed_table,
            recent: &self.recent_files,
            question: self.question.as_ref(),
            project_on_disk: self.project_on_disk,
            ..FileView::default()
        };
        let scene = |_, _, _: &[bool]| None;
        let matching = match (&self.motion_fit_result, self.motion_fit_progress) {
            (Some(found), _) => TaskStatus::Finished(found),
            (None, Some(share)) => TaskStatus::Running(share),
            (None, None) => TaskStatus::Idle,
        };
        let bake = self.bake_result.as_ref().map_or(TaskStatus::Idle, TaskStatus::Finished);
        let clipping = self.clipping_result.as_ref().map_or(TaskStatus::Idle, TaskStatus::Finished);
        let (session, step_seconds) = (&self.session, 0.000_02);
        let input = UiInput {
            session,
            file,
            draw_character: &scene,
            bounds: None,
            step_seconds,
            picture: self.picture,
            motion_fit: matching,
            bake,
            clipping,
            doctor: self.doctor_result.as_ref().map_or(TaskStatus::Idle, TaskStatus::Finished),
            capture: yuremono::ui::CaptureView::default(),
            live: yuremono::ui::LiveView::default(),
            environment: "",
            hovered_files: &self.hovered_files,
        };
        // The harness adds a margin around its content, but the window has no margin.
        let whole = ui.ctx().content_rect();
        let mut root = ui.new_child(UiBuilder::new().max_rect(whole));
        root.set_clip_rect(whole);
        let output = self.ui.show(&mut root, &input);
        output.commands.into_iter().for_each(|command| self.session.handle(command));
        self.requests.extend(output.requests.into_iter().map(|request| match request {
            AppRequest::Answer { request, .. } => *request,
            other => other,
        }));
    }
}

/// Returns a harness for a window of the given size, operated through its labels.
pub(crate) fn window_harness(fixture: WindowFixture, size: [f32; 2]) -> Harness<'static, WindowFixture> {
    let builder = Harness::builder()
        .with_size(vec2(size[0], size[1]))
        .with_context_setup(yuremono::ui::kit::fonts::install_unhinted);
    let mut harness = builder.build_ui_state(|ui, fixture: &mut WindowFixture| fixture.show(ui), fixture);
    harness.run_steps(3);
    harness
}

/// Like [`window_harness`], but with a renderer. Returns `None` without OpenGL.
pub(crate) fn painted_harness(
    fixture: WindowFixture,
    size: [f32; 2],
    density: f32,
) -> Option<Harness<'static, WindowFixture>> {
    let builder = Harness::builder()
        .with_size(vec2(size[0], size[1]))
        .with_pixels_per_point(density)
        .with_context_setup(yuremono::ui::kit::fonts::install)
        .renderer(GlowRenderer::new(headless_or_skip()?));
    let mut harness = builder.build_ui_state(|ui, fixture: &mut WindowFixture| fixture.show(ui), fixture);
    harness.run_steps(3);
    Some(harness)
}

/// Saves a picture if `YUREMONO_PICTURES` names a folder.
pub(crate) fn save_picture(harness: &mut Harness<'static, WindowFixture>, name: &str) {
    let Some(folder) = std::env::var_os("YUREMONO_PICTURES") else { return };
    let picture = harness.render().expect("drawn");
    picture.save(PathBuf::from(folder).join(name)).expect("the folder can be written");
}
