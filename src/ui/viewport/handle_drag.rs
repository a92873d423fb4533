//! The drag of a gizmo handle: modifier keys, constraint, rounding, angle, and the tag next to the pointer.

use super::overlay_painter::OverlayPainter;
use crate::stage::{CameraView, ConstrainedDrag, DragConstraint, drag_angle_about, fan_angle};
use egui::{Align2, Color32, Stroke};
use glam::{Quat, Vec2, Vec3};
use yuremono_sim::rig::LimitPlane;

/// Grid for angles of limits while Ctrl is held, in degrees.
pub(super) const SNAP_DEGREES: f32 = 5.0;

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

    pub(super) fn paint_tag(&self, overlay: &OverlayPainter<'_>, text: &str) {
        let at = overlay.screen_pos(self.pointer + Vec2::new(16.0, -14.0));
        overlay.tag(at, Align2::LEFT_BOTTOM, text.replace('-', "−"), None);
    }
}

/// An angle that the pointer moves in the plane of a fan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AngleDrag {
    pointer: Vec2,
    /// The target angle, and the angle from the target to the pointer, in degrees.
    target_degrees: f32,
    pointer_lead: Option<f32>,
}

impl AngleDrag {
    pub(super) const fn new(at: Vec2, degrees: f32) -> Self {
        Self { pointer: at, target_degrees: degrees, pointer_lead: None }
    }

    /// Moves the target angle with the pointer, independently of the joint's motion, and returns the angle in degrees.
    /// The angle counts full turns. Shift reduces the movement to a tenth. `head` is the centre of the fan, and
    /// `pivot` is the rotation of the fan.
    pub(super) fn update(
        &mut self,
        head: Vec3,
        pivot: Quat,
        plane: LimitPlane,
        view: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> f32 {
        let from = std::mem::replace(&mut self.pointer, at);
        let [before, now] = [from, at].map(|pixel| fan_angle(view, head, pivot, plane, pixel));
        let (Some(before), Some(now)) = (before, now) else {
            // The handles of an edge-on fan are dragged like a ring.
            let [forward, across] = plane.axes(pivot);
            let turned = drag_angle_about(view, head, forward.cross(across), from, at);
            self.target_degrees += turned.to_degrees() * keys.speed();
            self.pointer_lead = None;
            return self.target_degrees;
        };
        let ahead = *self.pointer_lead.get_or_insert(before - self.target_degrees);
        if keys.fine {
            self.target_degrees += wrap_degrees(now - before) * keys.speed();
            self.pointer_lead = Some(now - self.target_degrees);
        } else {
            // Limits of a hinge may exceed 180°.
            self.target_degrees += wrap_degrees(now - ahead - self.target_degrees);
        }
        self.target_degrees
    }
}

/// Returns the angle wrapped to the range −180° to 180°.
fn wrap_degrees(degrees: f32) -> f32 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

pub(super) fn degrees_text(value: f32) -> String {
    let sign = if value <= -0.05 { "−" } else { "" };
    let decimals = usize::from((value - value.round()).abs() > 0.04);
    format!("{sign}{:.decimals$}°", value.abs())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_written_with_a_minus_sign_and_without_zero_decimals() {
        for (value, text) in [(-50.0, "−50°"), (0.0, "0°"), (-0.01, "0°"), (12.3, "12.3°")] {
            assert_eq!(degrees_text(value), text);
        }
    }
}
