//! The character in the middle of the window, what is drawn over it, and the hands that grab it.

use super::Cx;
use crate::stage::{OrbitCamera, Pane};
use egui::Ui;

/// What it keeps.
#[derive(Debug, Default)]
pub struct Viewport {
    camera: Option<OrbitCamera>,
}

impl Viewport {
    /// What a project keeps: the camera.
    pub fn state(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    /// Looks again from where a project says; nonsense changes nothing.
    pub fn restore(&mut self, _state: &serde_json::Value) {}

    /// Draws it into all that is left.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let rect = ui.available_rect_before_wrap();
        let camera = *self.camera.get_or_insert_with(|| OrbitCamera::new(cx.session().character().facing));
        let pane = Pane::whole(glam::vec2(rect.width(), rect.height()));
        if let Some(shape) = (cx.input.scene)(rect, camera.shot(&pane), &cx.state.meshes) {
            ui.painter().add(shape);
        }
    }
}
