//! The drag of a gizmo handle: modifier keys, constraint, rounding, and the tag next to the pointer.

use super::overlay_painter::OverlayPainter;
use crate::stage::{CameraView, ConstrainedDrag, DragConstraint};
use egui::{Align2, Color32, Stroke};
use glam::{Vec2, Vec3};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DragModifiers {
    /// Shift reduces the movement to a tenth.
    pub fine: bool,
    /// Ctrl rounds to a grid.
    pub snap: bool,
}

impl DragModifiers {
    /// Returns the handle movement per pixel of pointer movement.
    pub(super) const fn speed(self) -> f32 {
        if self.fine { 0.1 } else { 1.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HandleDrag {
    drag: ConstrainedDrag,
    /// Pointer position in the last frame, in pixels.
    pointer: Vec2,
    /// Effective pointer position in pixels. Shift slows its movement down.
    pub effective_pointer: Vec2,
    /// Whether the drag has changed the document and therefore made an undo step.
    pub changed: bool,
}

impl HandleDrag {
    /// Starts a drag. `from` is the position of the handle in metres; `at` is the pointer position in pixels.
    pub(super) fn new(from: Vec3, at: Vec2, constraint: DragConstraint) -> Self {
        Self { drag: ConstrainedDrag::begin(from, at, constraint), pointer: at, effective_pointer: at, changed: false }
    }

    /// Returns the effective pointer position before and after the movement.
    pub(super) fn update(&mut self, at: Vec2, keys: DragModifiers) -> [Vec2; 2] {
        let before = self.effective_pointer;
        self.effective_pointer += (at - self.pointer) * keys.speed();
        self.pointer = at;
        [before, self.effective_pointer]
    }

    /// Returns the movement of the handle, in metres.
    pub(super) fn moved(&self, view: &CameraView) -> Vec3 {
        self.drag.position_at(view, self.effective_pointer) - self.drag.start
    }

    /// Returns the movement along the axis, in metres. Returns `None` for a free handle.
    pub(super) fn moved_along(&self, view: &CameraView) -> Option<f32> {
        let DragConstraint::Axis(axis) = self.drag.constraint else { return None };
        Some(self.moved(view).dot(axis))
    }

    pub(super) const fn start(&self) -> Vec3 {
        self.drag.start
    }

    pub(super) fn paint_tag(&self, overlay: &OverlayPainter<'_>, words: &str) {
        let at = overlay.screen_pos(self.pointer + Vec2::new(16.0, -14.0));
        overlay.tag(at, Align2::LEFT_BOTTOM, words.replace('-', "−"), None);
    }
}

pub(super) fn rounded_to(value: f32, step: f32) -> f32 {
    let step = f64::from(step);
    ((f64::from(value) / step).round() * step) as f32
}

pub(super) fn all_rounded_to(values: Vec3, step: f32) -> Vec3 {
    values.to_array().map(|value| rounded_to(value, step)).into()
}

pub(super) fn paint_handle(overlay: &OverlayPainter<'_>, at: Vec2, color: Color32, is_hot: bool) {
    let c = overlay.theme.color;
    let (radius, rim) = if is_hot { (6.0, c.bone) } else { (4.5, c.bone_halo) };
    overlay.dot(at, radius, color, Stroke::new(1.5, rim));
}
