//! The whole window over a session, without a program around it: commands go to the session, requests are kept.

use super::glow_renderer::{GlowRenderer, headless_or_skip};
use egui::{UiBuilder, vec2};
use egui_kittest::Harness;
use std::path::PathBuf;
use yuremono::feel::convert::refine::Matched;
use yuremono::session::Session;
use yuremono::ui::{FileView, Input, MatchView, OnDisk, Opening, Prefs, Request, Ui};

#[expect(clippy::struct_excessive_bools, reason = "each says one thing about the file")]
/// What the window is shown with.
pub(crate) struct Bench {
    pub(crate) session: Session,
    pub(crate) ui: Ui,
    pub(crate) requests: Vec<Request>,
    pub(crate) is_sample: bool,
    pub(crate) dirty: bool,
    /// Name of the project file.
    pub(crate) project: Option<&'static str>,
    pub(crate) opening: Option<f32>,
    pub(crate) changed_on_disk: bool,
    pub(crate) changed_table: Option<&'static str>,
    pub(crate) asks_to_close: bool,
    pub(crate) asks_to_average: bool,
    pub(crate) asks_before: Option<&'static str>,
    pub(crate) project_on_disk: OnDisk,
    pub(crate) asks_to_replace: bool,
    pub(crate) recent: Vec<PathBuf>,
    /// How far a search for matching numbers is, and what it found.
    pub(crate) matching: Option<f32>,
    pub(crate) found: Option<Matched>,
}

impl Bench {
    /// A window over that session.
    pub(crate) fn new(session: Session, prefs: Prefs) -> Self {
        Self {
            session,
            ui: Ui::new(prefs),
            requests: Vec::new(),
            is_sample: false,
            dirty: false,
            project: None,
            opening: None,
            changed_on_disk: false,
            changed_table: None,
            asks_to_close: false,
            asks_to_average: false,
            asks_before: None,
            project_on_disk: OnDisk::Same,
            asks_to_replace: false,
            recent: Vec::new(),
            matching: None,
            found: None,
        }
    }

    /// One frame.
    pub(crate) fn show(&mut self, ui: &mut egui::Ui) {
        let name = if self.is_sample { "sample.vrm" } else { "girl.vrm" };
        let file = FileView {
            name,
            is_sample: self.is_sample,
            project: self.project,
            dirty: self.dirty || self.session.history().is_dirty(),
            opening: self.opening.map(|progress| Opening { name: "Fox.glb", progress, seconds: 1.0 }),
            changed_on_disk: self.changed_on_disk,
            changed_table: self.changed_table,
            recent: &self.recent,
            asks_to_close: self.asks_to_close,
            asks_to_average: self.asks_to_average,
            asks_before: self.asks_before,
            project_on_disk: self.project_on_disk,
            asks_to_replace: self.asks_to_replace,
        };
        let scene = |_, _, _: &[bool]| None;
        let matching = match (&self.found, self.matching) {
            (Some(found), _) => MatchView::Found(found),
            (None, Some(share)) => MatchView::Running(share),
            (None, None) => MatchView::None,
        };
        let (session, step_seconds) = (&self.session, 0.000_02);
        let input = Input { session, file, scene: &scene, bounds: None, step_seconds, matching };
        // The harness puts a margin around what it shows; the window has none.
        let whole = ui.ctx().content_rect();
        let mut root = ui.new_child(UiBuilder::new().max_rect(whole));
        root.set_clip_rect(whole);
        let output = self.ui.show(&mut root, &input);
        output.commands.into_iter().for_each(|command| self.session.handle(command));
        self.requests.extend(output.requests);
    }
}

/// A window of that size, to be worked through its labels.
pub(crate) fn window(bench: Bench, size: [f32; 2]) -> Harness<'static, Bench> {
    let builder =
        Harness::builder().with_size(vec2(size[0], size[1])).with_context_setup(yuremono::ui::kit::fonts::install);
    let mut harness = builder.build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench);
    harness.run_steps(3);
    harness
}

/// As [`window`], with a renderer; `None` where there is no GL.
pub(crate) fn painted(bench: Bench, size: [f32; 2], density: f32) -> Option<Harness<'static, Bench>> {
    let builder = Harness::builder()
        .with_size(vec2(size[0], size[1]))
        .with_pixels_per_point(density)
        .with_context_setup(yuremono::ui::kit::fonts::install)
        .renderer(GlowRenderer::new(headless_or_skip()?));
    let mut harness = builder.build_ui_state(|ui, bench: &mut Bench| bench.show(ui), bench);
    harness.run_steps(3);
    Some(harness)
}

/// Writes the picture where `YUREMONO_PICTURES` names a folder.
pub(crate) fn keep(harness: &mut Harness<'static, Bench>, name: &str) {
    let Some(folder) = std::env::var_os("YUREMONO_PICTURES") else { return };
    let picture = harness.render().expect("drawn");
    picture.save(PathBuf::from(folder).join(name)).expect("the folder can be written");
}
