//! Handles of gizmos: their ids, their shapes in the view, and the movement of a dragged handle.

use super::overlay_painter::OverlayPainter;
use crate::stage::overlay::arrow_head;
use crate::stage::{CameraView, ConstrainedDrag, DragConstraint, distance_to_segment, drag_angle_about, fan_angle};
use crate::ui::kit::tokens::{Palette, stroke};
use egui::{Align2, Color32, Stroke};
use glam::{Quat, Vec2, Vec3};
use yuremono_session::{Command, SceneObject, Session, ValueSummary};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, LimitPlane};

/// Pick distances of dots and lines, in points.
const DOT_PICK_DISTANCE: f32 = 9.0;
pub(super) const LINE_PICK_DISTANCE: f32 = 6.0;
/// Grid for angles of limits while Ctrl is held, in degrees.
pub(super) const SNAP_DEGREES: f32 = 5.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandleTarget {
    Bone(BoneId),
    Object(SceneObject),
}

/// What a drag of a handle changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HandleKind {
    /// The position of an object, parallel to the view plane.
    Move,
    /// The position of an object along an axis of its node.
    MoveAlong(usize),
    /// The rotation of an object around an axis of its node.
    Rotate(usize),
    /// A field of a collider shape, by field index.
    Field(usize),
    /// The axis of a hinge.
    HingeAxis,
    /// A face of the box of a rigid body. Holds the axis, and whether the face is at the positive end of the axis.
    BoxFace(usize, bool),
    /// The joint of a rigid body. If the joint is at the head of the bone, the handle is [`Self::Body`] instead.
    BodyJoint,
    Body,
    /// An end of an angle limit, by the parameter of the end.
    LimitEnd(ParamId),
    /// The direction of a joint within its limit. If the limit is a fan, the direction stays in this plane.
    Aim(Option<LimitPlane>),
}

impl HandleKind {
    /// Returns the effects of a drag and of Ctrl, and whether Shift makes the drag finer.
    pub(super) const fn hints(self) -> (MessageText, MessageText, bool) {
        match self {
            Self::Move | Self::MoveAlong(_) => (message!("move"), message!("snap"), true),
            Self::Rotate(_) => (message!("rotate"), message!("snap"), true),
            Self::Field(_) => (message!("resize"), message!("snap"), true),
            Self::HingeAxis => (message!("rotate the axis"), message!("snap to bone axes"), true),
            Self::BoxFace(..) => (message!("resize the box"), message!("whole millimetres"), true),
            Self::BodyJoint => (message!("move the joint"), message!("whole millimetres"), true),
            Self::Body => (message!("move the body"), message!("whole millimetres"), true),
            Self::LimitEnd(_) => (message!("change the limit"), message!("snap"), false),
            Self::Aim(_) => (message!("rotate the joint within its limit"), message!("snap"), true),
        }
    }

    /// Whether a drag poses a joint until the button is released. Other drags edit the document in one undo step.
    pub(super) const fn poses_joint(self) -> bool {
        matches!(self, Self::Aim(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HandleId {
    pub target: HandleTarget,
    pub kind: HandleKind,
}

impl HandleId {
    pub(super) const fn bone(bone: BoneId, kind: HandleKind) -> Self {
        Self { target: HandleTarget::Bone(bone), kind }
    }

    pub(super) const fn object(object: SceneObject, kind: HandleKind) -> Self {
        Self { target: HandleTarget::Object(object), kind }
    }

    /// Whether the target still exists and still has what the handle changes.
    pub(super) fn is_valid(self, session: &Session) -> bool {
        match (self.target, self.kind) {
            (HandleTarget::Object(object), _) => object.is_in(session.document()),
            (HandleTarget::Bone(_), HandleKind::LimitEnd(_) | HandleKind::Aim(_)) => true,
            (HandleTarget::Bone(bone), HandleKind::HingeAxis) => session.inspection().hinge(bone).is_some(),
            (HandleTarget::Bone(bone), _) => session.inspection().body_box(bone).is_some(),
        }
    }
}

/// The hovered or dragged handle.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveHandle {
    pub id: HandleId,
    pub is_held: bool,
}

/// A handle in the current frame.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    pub id: HandleId,
    /// Position in the world, in metres.
    pub position: Vec3,
    /// Direction of the handle or of its movement, or axis of its rotation, unit length in the world.
    pub axis: Vec3,
    /// Movement of the handle per unit of its value, in metres.
    pub metres_per_unit: f32,
    /// The value at the start of a drag: a position, three parameters, or one number as `x`. Angles are in degrees.
    pub value: Vec3,
    /// Rotation at the start of a drag: of a node in its parent, or of a box or a pivot in the world.
    pub rotation: Quat,
    /// Shape in the view: a point, an arrow with two points, or a ring.
    pub line: Vec<Vec2>,
    /// Colour of a handle that [`Handle::paint`] draws.
    pub color: Color32,
    /// Maximum distance of the pointer, in points.
    pub pick_distance: f32,
    /// Whether other handles of the gizmo have priority.
    pub is_minor: bool,
}

impl Handle {
    pub(super) fn dot(id: HandleId, position: Vec3, pixel: Vec2, color: Color32) -> Self {
        Self {
            id,
            position,
            axis: Vec3::ZERO,
            metres_per_unit: 1.0,
            value: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            line: vec![pixel],
            color,
            pick_distance: DOT_PICK_DISTANCE,
            is_minor: false,
        }
    }

    /// Returns the distance to the shape, in pixels.
    pub(super) fn distance(&self, at: Vec2) -> f32 {
        match self.line.as_slice() {
            [dot] => dot.distance(at),
            line => {
                let segments = line.windows(2).map(|ends| distance_to_segment(at, ends[0], ends[1]));
                segments.min_by(f32::total_cmp).unwrap_or(f32::MAX)
            }
        }
    }

    pub(super) fn paint(&self, overlay: &OverlayPainter<'_>, active: Option<ActiveHandle>) {
        let c = overlay.theme.color;
        let is_hot = active.is_some_and(|active| active.id == self.id);
        let (color, width) = if is_hot { (c.bone, 2.5) } else { (self.color, stroke::FAN_EDGE) };
        match *self.line.as_slice() {
            [dot] => {
                let (radius, rim) = if is_hot { (6.0, c.bone) } else { (4.5, c.bone_halo) };
                overlay.dot(dot, radius, self.color, Stroke::new(1.5, rim));
            }
            [from, to] => {
                overlay.line(&[from, to], width, color);
                overlay.area(&arrow_head([from, to]), 0.5, color, color);
            }
            _ => overlay.line(&self.line, width, color),
        }
    }
}

pub(super) const fn axis_colors(palette: &Palette) -> [Color32; 3] {
    [palette.axis_x, palette.axis_y, palette.axis_z]
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DragModifiers {
    /// Shift reduces the movement to a tenth.
    pub fine: bool,
    /// Ctrl rounds to a grid.
    pub snap: bool,
}

impl DragModifiers {
    /// Returns the handle movement per pixel of pointer movement.
    const fn speed(self) -> f32 {
        if self.fine { 0.1 } else { 1.0 }
    }

    /// Returns the rounding step of a value: `grid` while Ctrl is held.
    pub(super) const fn step(self, grid: f32, fine_step: f32) -> f32 {
        if self.snap { grid } else { fine_step }
    }
}

/// The drag of a handle.
#[derive(Clone, Debug)]
pub(super) struct HandleDrag {
    /// The handle at the start of the drag.
    pub handle: Handle,
    movement: ConstrainedDrag,
    /// Positions of the pointer in the last frame and now, in pixels.
    pointer: [Vec2; 2],
    /// The same positions of a pointer that Shift slows down.
    slowed_pointer: [Vec2; 2],
    /// From the pointer to the dragged point at the start, in pixels.
    pub pointer_offset: Vec2,
    /// Whether a dragged axis points to the side of its sphere that faces the eye.
    pub faces_eye: bool,
    /// The dragged angle, and the angle from the dragged angle to the pointer, in degrees.
    pub degrees: f32,
    pointer_lead: Option<f32>,
    pub keys: DragModifiers,
    /// Whether the drag has issued a command and therefore made an undo step.
    pub changed: bool,
}

impl HandleDrag {
    /// Starts a drag. `at` is the pixel of the pointer. The value does not jump at the start.
    pub(super) fn new(handle: Handle, at: Vec2) -> Self {
        let constraint = match handle.id.kind {
            HandleKind::MoveAlong(_) | HandleKind::Field(_) | HandleKind::BoxFace(..) => {
                DragConstraint::Axis(handle.axis)
            }
            _ => DragConstraint::View,
        };
        Self {
            movement: ConstrainedDrag::begin(handle.position, at, constraint),
            pointer: [at; 2],
            slowed_pointer: [at; 2],
            pointer_offset: handle.line.first().map_or(Vec2::ZERO, |pixel| *pixel - at),
            faces_eye: true,
            degrees: handle.value.x,
            pointer_lead: None,
            keys: DragModifiers::default(),
            changed: false,
            handle,
        }
    }

    pub(super) fn move_pointer(&mut self, at: Vec2, keys: DragModifiers) {
        let ([_, last], [_, slowed]) = (self.pointer, self.slowed_pointer);
        self.pointer = [last, at];
        self.slowed_pointer = [slowed, slowed + (at - last) * keys.speed()];
        self.keys = keys;
    }

    pub(super) fn pointer(&self) -> Vec2 {
        self.pointer[1] + self.pointer_offset
    }

    pub(super) fn slowed_pointer(&self) -> Vec2 {
        self.slowed_pointer[1] + self.pointer_offset
    }

    /// Returns the movement of the handle, in metres.
    pub(super) fn moved(&self, view: &CameraView) -> Vec3 {
        self.movement.position_at(view, self.slowed_pointer[1]) - self.movement.start
    }

    /// Returns the movement along the axis of the handle, in units of the value. Returns `None` for a free handle.
    pub(super) fn moved_along(&self, view: &CameraView) -> Option<f32> {
        let DragConstraint::Axis(axis) = self.movement.constraint else { return None };
        Some(self.moved(view).dot(axis) / self.handle.metres_per_unit)
    }

    /// Rotates the handle around its axis.
    pub(super) fn turn(&mut self, view: &CameraView) {
        let [before, now] = self.slowed_pointer;
        self.degrees += drag_angle_about(view, self.movement.start, self.handle.axis, before, now).to_degrees();
    }

    /// Moves the dragged angle with the pointer in the plane of a fan, independently of the joint's motion, and returns
    /// the angle in degrees. The angle counts full turns. `head` is the centre of the fan, and `pivot` is the rotation
    /// of the fan.
    pub(super) fn turn_in_fan(&mut self, view: &CameraView, head: Vec3, plane: LimitPlane, pivot: Quat) -> f32 {
        let [before, now] = self.pointer.map(|pixel| fan_angle(view, head, pivot, plane, pixel));
        let (Some(before), Some(now)) = (before, now) else {
            // The handles of an edge-on fan are dragged like a ring.
            let [forward, across] = plane.axes(pivot);
            let turned = drag_angle_about(view, head, forward.cross(across), self.pointer[0], self.pointer[1]);
            self.degrees += turned.to_degrees() * self.keys.speed();
            self.pointer_lead = None;
            return self.degrees;
        };
        let ahead = *self.pointer_lead.get_or_insert(before - self.degrees);
        if self.keys.fine {
            self.degrees += wrap_degrees(now - before) * self.keys.speed();
            self.pointer_lead = Some(now - self.degrees);
        } else {
            // Limits of a hinge may exceed 180°.
            self.degrees += wrap_degrees(now - ahead - self.degrees);
        }
        self.degrees
    }

    pub(super) fn paint_tag(&self, overlay: &OverlayPainter<'_>, text: &str) {
        let at = overlay.screen_pos(self.pointer[1] + Vec2::new(16.0, -14.0));
        overlay.tag(at, Align2::LEFT_BOTTOM, text.replace('-', "−"), None);
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

/// Returns the command that sets a parameter. Values that vary along a chain keep their ratios if `factor` is given.
pub(super) fn param_command(session: &Session, param: ParamId, value: f32, factor: Option<f32>) -> Command {
    let view = session.inspection().param_view(param);
    let differs = view.has_curve() || matches!(view.values, ValueSummary::Mixed { .. });
    match factor.filter(|_| differs) {
        Some(factor) => Command::ScaleParam(param, factor),
        None => Command::SetParam(param, value),
    }
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
