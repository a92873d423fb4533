//! The gizmos for the axis of a hinge and for the box of a rigid body: drawing, handles and drags.

use super::handle_drag::{DragModifiers, HandleDrag, all_rounded_to, paint_handle, rounded_to};
use super::overlay_painter::OverlayPainter;
use super::pickables::{PickableJoint, Pickables};
use crate::stage::overlay::{DirectionBall, WireBox, project_all, wire_box};
use crate::stage::{CameraView, DragConstraint};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, stroke};
use crate::ui::{Highlight, UiContext};
use glam::{Quat, Vec2, Vec3};
use yuremono_session::{BoxView, Command, HingeView, Session, TuningScope, ValueSummary};
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamId, ParamMeaning};
use yuremono_sim::rig::BoneId;
use yuremono_sim::solver::{anim_dynamics as body, hinge};

/// Distance from the head of a hinge to the handle of the hinge axis, in points.
const AXIS_HANDLE_DISTANCE: f32 = 68.0;
/// Distance from a box face to the handle of the face, in points. Handles directly on the faces of a small box would
/// overlap.
const FACE_HANDLE_OFFSET: f32 = 18.0;
const PICK_DISTANCE: f32 = 9.0;
/// Maximum cosine of the angle between an axis and the view direction. An axis closer to the view direction cannot be
/// dragged usefully.
const END_ON_COSINE: f32 = 0.85;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyHandleKind {
    Axis,
    /// A face of a box. Holds the axis, and whether the face is at the positive end of the axis.
    BoxFace(usize, bool),
    /// The joint of a body. If the joint is at the head of the bone, the handle is [`Self::Body`] instead.
    Joint,
    Body,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyHandle {
    pub bone: BoneId,
    pub kind: BodyHandleKind,
    /// Handle position in the world, in metres.
    pub at: Vec3,
    pub pixel: Vec2,
}

#[derive(Clone, Debug)]
enum BodyShape {
    /// Both ends of the axis.
    HingeAxis([Vec2; 2]),
    Box {
        lines: WireBox,
        handle_lines: Vec<(usize, [Vec2; 2])>,
        lever: [Vec2; 2],
    },
}

#[derive(Clone, Debug, Default)]
pub(super) struct BodyGizmo {
    shapes: Vec<BodyShape>,
    pub handles: Vec<BodyHandle>,
}

/// Returns the distance between the head of a hinge and the handle of the hinge axis, in metres.
pub(super) fn axis_handle_distance(view: &CameraView, head: Vec3) -> f32 {
    view.metres_per_pixel(head) * AXIS_HANDLE_DISTANCE
}

impl BodyGizmo {
    /// Returns gizmos for joints that are tuned individually, or for the active joint of a chain.
    pub(super) fn of(cx: &UiContext<'_>, view: &CameraView, pickables: &Pickables) -> Self {
        let mut found = Self::default();
        let session = cx.session();
        let is_highlighted = cx.state.highlight == Some(Highlight::Meaning(ParamMeaning::Limit));
        let toggles = cx.state.prefs.toggles;
        for joint in pickables.joints.iter().filter(|j| j.selected && shows_gizmo(session, j)) {
            if let Some(hinge) = session.inspection().hinge(joint.bone).filter(|_| toggles.limits || is_highlighted) {
                found.add_hinge_axis(view, joint.bone, &hinge);
            }
            if let Some(body) = session.inspection().body_box(joint.bone).filter(|_| toggles.handles) {
                found.add_box(view, joint.bone, &body);
            }
        }
        found
    }

    fn add_hinge_axis(&mut self, view: &CameraView, bone: BoneId, hinge: &HingeView) {
        let arm = hinge.world_axis() * axis_handle_distance(view, hinge.head);
        let Some(line) = project_all(view, [hinge.head - arm, hinge.head + arm]) else { return };
        self.handles.push(BodyHandle { bone, kind: BodyHandleKind::Axis, at: hinge.head + arm, pixel: line[1] });
        self.shapes.push(BodyShape::HingeAxis([line[0], line[1]]));
    }

    fn add_box(&mut self, view: &CameraView, bone: BoneId, body: &BoxView) {
        let Some(lines) = wire_box(view, body.center, body.rotation, body.extents) else { return };
        let Some(lever) = project_all(view, [body.center, body.joint_position]) else { return };
        let (kind, at) = if body.joint_on_bone {
            (BodyHandleKind::Body, body.center)
        } else {
            (BodyHandleKind::Joint, body.joint_position)
        };
        let pixel = lever[usize::from(!body.joint_on_bone)];
        self.handles.push(BodyHandle { bone, kind, at, pixel });
        let sight = (body.center - view.eye).normalize_or(view.forward);
        let offset = view.metres_per_pixel(body.center) * FACE_HANDLE_OFFSET;
        let mut handle_lines = Vec::new();
        for (axis, positive) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, false), (axis, true)]) {
            let out = box_face_normal(body, axis, positive);
            let face = body.center + out * body.extents[axis] * 0.5;
            let at = face + out * offset;
            if let Some(line) = project_all(view, [face, at]).filter(|_| out.dot(sight).abs() < END_ON_COSINE) {
                self.handles.push(BodyHandle {
                    bone,
                    kind: BodyHandleKind::BoxFace(axis, positive),
                    at,
                    pixel: line[1],
                });
                handle_lines.push((axis, [line[0], line[1]]));
            }
        }
        self.shapes.push(BodyShape::Box { lines, handle_lines, lever: [lever[0], lever[1]] });
    }

    pub(super) fn pick(&self, at: Vec2) -> Option<BodyHandle> {
        let near = self.handles.iter().filter(|handle| handle.pixel.distance(at) <= PICK_DISTANCE);
        near.min_by(|a, b| a.pixel.distance(at).total_cmp(&b.pixel.distance(at))).copied()
    }

    /// Draws the gizmo. `hot` is the hovered or dragged handle.
    pub(super) fn show(&self, overlay: &OverlayPainter<'_>, hot: Option<BodyHandle>) {
        let c = overlay.theme.color;
        let axes = [c.axis_x, c.axis_y, c.axis_z];
        for drawn in &self.shapes {
            match drawn {
                BodyShape::HingeAxis(line) => overlay.line(line, stroke::FAN_EDGE, c.limit),
                BodyShape::Box { lines, handle_lines, lever } => {
                    lines.edges.iter().for_each(|edge| overlay.line(edge, stroke::HAIRLINE, c.bone));
                    for (axis, line) in handle_lines {
                        overlay.line(line, stroke::HAIRLINE, faded(axes[*axis], alpha::HANDLE_IDLE));
                    }
                    if lever[0].distance(lever[1]) > 1.0 {
                        overlay.dashed_segment(lever[0], lever[1], 1.25, c.limit);
                    }
                }
            }
        }
        for handle in &self.handles {
            let is_hot = hot.is_some_and(|hot| hot.bone == handle.bone && hot.kind == handle.kind);
            let color = match handle.kind {
                BodyHandleKind::BoxFace(axis, _) => axes[axis],
                BodyHandleKind::Axis | BodyHandleKind::Joint | BodyHandleKind::Body => c.limit,
            };
            paint_handle(overlay, handle.pixel, color, is_hot);
        }
    }
}

/// Returns the normal of a box face in the world, unit length.
pub(super) fn box_face_normal(body: &BoxView, axis: usize, positive: bool) -> Vec3 {
    body.rotation * Vec3::AXES[axis] * if positive { 1.0 } else { -1.0 }
}

/// Whether a selected joint shows a gizmo: only if the joint is tuned individually, or is the active joint.
pub(super) fn shows_gizmo(session: &Session, joint: &PickableJoint) -> bool {
    let selection = session.selection();
    let tuned = session.document().find_joint(joint.bone).and_then(|(id, _)| session.document().chains.get(&id));
    tuned.is_some_and(|chain| chain.system == session.inspection().system_id())
        && (selection.scope == TuningScope::Joints || selection.active == Some(joint.bone))
}

/// Grid for lengths while Ctrl is held, and rounding step otherwise, in metres.
const SNAP_LENGTH: f32 = 1e-3;
const LENGTH_STEP: f32 = 1e-4;
/// Rounding step for the components of an axis.
const AXIS_STEP: f32 = 1e-3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyDrag {
    pub handle: BodyHandle,
    pub drag: HandleDrag,
    /// Values of the three parameters before the drag.
    start_values: Vec3,
    /// Rotation of the box before the drag, and metres in the world per unit of a parameter.
    start_rotation: Quat,
    metres_per_unit: f32,
    /// Whether the axis points to the side of the sphere that faces the eye.
    axis_faces_eye: bool,
}

fn params_of(kind: BodyHandleKind) -> [ParamId; 3] {
    match kind {
        BodyHandleKind::Axis => hinge::HINGE_AXIS,
        BodyHandleKind::BoxFace(..) => body::BOX_EXTENTS,
        BodyHandleKind::Joint | BodyHandleKind::Body => body::LOCAL_JOINT_OFFSET,
    }
}

fn param_values(session: &Session, handle: BodyHandle) -> Option<Vec3> {
    let index = session.playback().joint_index(handle.bone)?;
    let joint = session.resolved().systems.get(index.system as usize)?.joints.get(index.joint as usize)?;
    Some(Vec3::from(params_of(handle.kind).map(|param| joint.values.get(param))))
}

impl BodyDrag {
    /// Starts a drag. `at` is the pixel of the pointer. The value does not jump at the start.
    pub(super) fn new(session: &Session, view: &CameraView, handle: BodyHandle, at: Vec2) -> Option<Self> {
        let start = param_values(session, handle)?;
        let base = Self {
            handle,
            drag: HandleDrag::new(handle.at, at, DragConstraint::View),
            start_values: start,
            start_rotation: Quat::IDENTITY,
            metres_per_unit: 1.0,
            axis_faces_eye: true,
        };
        if handle.kind == BodyHandleKind::Axis {
            let hinge = session.inspection().hinge(handle.bone)?;
            let ball = DirectionBall::new(view, hinge.head, axis_handle_distance(view, hinge.head))?;
            let faces = ball.is_front_facing(hinge.world_axis());
            let mut axle = Self { start_values: hinge.axis, axis_faces_eye: faces, ..base };
            axle.drag.effective_pointer = ball.pixel(hinge.world_axis());
            return Some(axle);
        }
        let seen = session.inspection().body_box(handle.bone)?;
        let constraint = match handle.kind {
            BodyHandleKind::BoxFace(axis, positive) => DragConstraint::Axis(box_face_normal(&seen, axis, positive)),
            _ => DragConstraint::View,
        };
        Some(Self {
            drag: HandleDrag::new(handle.at, at, constraint),
            start_rotation: seen.rotation,
            metres_per_unit: seen.world_scale,
            ..base
        })
    }

    /// Whether the bone still has a hinge or a body.
    pub(super) fn target_exists(&self, session: &Session) -> bool {
        match self.handle.kind {
            BodyHandleKind::Axis => session.inspection().hinge(self.handle.bone).is_some(),
            _ => session.inspection().body_box(self.handle.bone).is_some(),
        }
    }

    pub(super) fn update(
        &mut self,
        session: &Session,
        view: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        self.drag.update(at, keys);
        let step = if keys.snap { SNAP_LENGTH } else { LENGTH_STEP };
        let now = param_values(session, self.handle)?;
        match self.handle.kind {
            BodyHandleKind::Axis => {
                let hinge = session.inspection().hinge(self.handle.bone)?;
                let wanted = self.target_axis(&hinge, view, keys)?;
                set_params(message!("Hinge axis"), self.handle.kind, wanted, hinge.axis)
            }
            BodyHandleKind::BoxFace(axis, _) => self.side_command(session, view, axis, now[axis], step),
            BodyHandleKind::Joint | BodyHandleKind::Body => {
                let moved = self.start_rotation.inverse() * self.drag.moved(view) / self.metres_per_unit;
                let moved = if self.handle.kind == BodyHandleKind::Body { -moved } else { moved };
                let wanted = all_rounded_to(self.start_values + moved, step);
                set_params(message!("Joint offset of body"), self.handle.kind, wanted, now)
            }
        }
    }

    /// Returns the dragged axis in the space of the bone. While Ctrl is held, returns the nearest axis of the bone.
    fn target_axis(&self, hinge: &HingeView, view: &CameraView, keys: DragModifiers) -> Option<Vec3> {
        let ball = DirectionBall::new(view, hinge.head, axis_handle_distance(view, hinge.head))?;
        let wanted =
            hinge.rotation_before_hinge.inverse() * ball.direction(self.drag.effective_pointer, self.axis_faces_eye);
        if keys.snap {
            let nearest =
                Vec3::AXES.into_iter().max_by(|a, b| wanted.dot(*a).abs().total_cmp(&wanted.dot(*b).abs()))?;
            return Some(nearest * wanted.dot(nearest).signum());
        }
        Some(all_rounded_to(wanted, AXIS_STEP))
    }

    /// Returns the command that resizes the box. Both faces move, so the side length changes by twice the handle's
    /// movement. Values that vary along a chain keep their ratios.
    fn side_command(&self, session: &Session, view: &CameraView, axis: usize, now: f32, step: f32) -> Option<Command> {
        let moved = self.drag.moved_along(view)? / self.metres_per_unit;
        // The solver clamps the length. The drag starts from the size of the drawn box.
        let start = self.start_values[axis].max(body::MIN_BOX_SIDE);
        let param = body::BOX_EXTENTS[axis];
        let wanted = rounded_to(start + 2.0 * moved, step)
            .clamp(body::MIN_BOX_SIDE, session.inspection().system().def(param).range.1);
        if (wanted - now).abs() < 1e-6 || (moved == 0.0 && !self.drag.changed) {
            return None;
        }
        let view = session.inspection().param_view(param);
        let differs = view.has_curve() || matches!(view.values, ValueSummary::Mixed { .. });
        Some(if differs && now > 0.0 {
            Command::ScaleParam(param, wanted / now)
        } else {
            Command::SetParam(param, wanted)
        })
    }

    /// Returns the changed values with their unit.
    pub(super) fn tag_text(&self, session: &Session) -> Option<String> {
        let now = param_values(session, self.handle)?;
        Some(match self.handle.kind {
            BodyHandleKind::Axis => format!("X {:.2}  Y {:.2}  Z {:.2}", now.x, now.y, now.z),
            BodyHandleKind::BoxFace(axis, _) => format!("{:.1} mm", now[axis] * 1000.0),
            BodyHandleKind::Joint | BodyHandleKind::Body => {
                let mm = now * 1000.0;
                format!("X {:.1}  Y {:.1}  Z {:.1} mm", mm.x, mm.y, mm.z)
            }
        })
    }
}

/// Returns the edit that sets three parameters together. Returns `None` if the parameters have these values already.
fn set_params(text: MessageText, kind: BodyHandleKind, wanted: Vec3, now: Vec3) -> Option<Command> {
    // Only the direction of an axis has an effect, so the comparison of axes uses a larger tolerance.
    let near = if kind == BodyHandleKind::Axis { 2e-3 } else { 1e-6 };
    if !wanted.is_finite() || wanted.distance(now) < near {
        return None;
    }
    let pairs: Vec<(ParamId, f32)> = params_of(kind).into_iter().zip(wanted.to_array()).collect();
    Some(Command::SetParams(text, pairs))
}
