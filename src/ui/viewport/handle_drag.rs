//! The pull at a handle: how the pointer moves it, finer with Shift, and the dot and the tag that handles share.

use super::overlay_painter::OverlayPainter;
use crate::stage::{CameraView, ConstrainedDrag, DragConstraint};
use egui::{Align2, Color32, Stroke};
use glam::{Vec2, Vec3};

/// The keys that go with a drag.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DragModifiers {
    /// Ten times finer.
    pub fine: bool,
    /// To round numbers.
    pub snap: bool,
}

impl DragModifiers {
    /// Pixels that count for one that the pointer moves.
    pub(super) const fn speed(self) -> f32 {
        if self.fine { 0.1 } else { 1.0 }
    }
}

/// A handle on its way with the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HandleDrag {
    drag: ConstrainedDrag,
    /// Where the pointer was last.
    pointer: Vec2,
    /// Where the pointer would be had it moved as slowly as Shift asks.
    pub effective_pointer: Vec2,
    /// Whether the drag has changed anything, so that there is a step to undo.
    pub changed: bool,
}

impl HandleDrag {
    /// A handle at `from`, metres, with the pointer at a pixel.
    pub(super) fn new(from: Vec3, at: Vec2, constraint: DragConstraint) -> Self {
        Self { drag: ConstrainedDrag::begin(from, at, constraint), pointer: at, effective_pointer: at, changed: false }
    }

    /// Follows the pointer; returns where it aimed before and where it aims now.
    pub(super) fn update(&mut self, at: Vec2, keys: DragModifiers) -> [Vec2; 2] {
        let before = self.effective_pointer;
        self.effective_pointer += (at - self.pointer) * keys.speed();
        self.pointer = at;
        [before, self.effective_pointer]
    }

    /// Metres that the handle has moved.
    pub(super) fn moved(&self, shot: &CameraView) -> Vec3 {
        self.drag.position_at(shot, self.effective_pointer) - self.drag.start
    }

    /// Metres that the handle has moved along its axis; `None` for a handle that moves freely.
    pub(super) fn moved_along(&self, shot: &CameraView) -> Option<f32> {
        let DragConstraint::Axis(axis) = self.drag.constraint else { return None };
        Some(self.moved(shot).dot(axis))
    }

    /// Where the handle was, metres.
    pub(super) const fn start(&self) -> Vec3 {
        self.drag.start
    }

    /// Writes the changed numbers on a tag beside the pointer.
    pub(super) fn paint_tag(&self, ink: &OverlayPainter<'_>, words: &str) {
        let at = ink.screen_pos(self.pointer + Vec2::new(16.0, -14.0));
        ink.tag(at, Align2::LEFT_BOTTOM, words.replace('-', "−"), None);
    }
}

/// The nearest multiple of `step`.
pub(super) fn rounded_to(value: f32, step: f32) -> f32 {
    let step = f64::from(step);
    ((f64::from(value) / step).round() * step) as f32
}

/// [`rounded_to`] of each number.
pub(super) fn all_rounded_to(values: Vec3, step: f32) -> Vec3 {
    values.to_array().map(|value| rounded_to(value, step)).into()
}

/// The dot of a handle; `is_hot` while it is pointed at or held.
pub(super) fn paint_handle(ink: &OverlayPainter<'_>, at: Vec2, color: Color32, is_hot: bool) {
    let c = ink.theme.color;
    let (radius, rim) = if is_hot { (6.0, c.bone) } else { (4.5, c.bone_halo) };
    ink.dot(at, radius, color, Stroke::new(1.5, rim));
}
