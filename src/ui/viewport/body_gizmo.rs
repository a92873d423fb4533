//! The axis of a hinge and the box of a body: what is drawn of them, by which knobs they are held, what a drag changes.

use super::handle_drag::{DragModifiers, HandleDrag, all_rounded_to, paint_handle, rounded_to};
use super::overlay_painter::OverlayPainter;
use super::pickables::{PickableJoint, Pickables};
use crate::params::{ParamId, ParamMeaning};
use crate::rig::BoneId;
use crate::session::{BoxView, Command, HingeView, Session, TuningScope, ValueSummary};
use crate::sim::solver::{anim_dynamics as body, hinge};
use crate::stage::overlay::{DirectionBall, WireBox, project_all, wire_box};
use crate::stage::{CameraView, DragConstraint};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, stroke};
use crate::ui::{Highlight, UiContext};
use glam::{Quat, Vec2, Vec3};

/// From the head of a hinge to the knob of its axis, points.
const AXIS_HANDLE_DISTANCE: f32 = 68.0;
/// From a side of a box to its knob, points: knobs of a small box would lie on one spot.
const FACE_HANDLE_OFFSET: f32 = 18.0;
/// How near the pointer must be.
const PICK_DISTANCE: f32 = 9.0;
/// An axis seen at more than this cosine of an angle cannot be dragged along.
const END_ON_COSINE: f32 = 0.85;

/// What a knob changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyHandleKind {
    /// The axis of a hinge.
    Axis,
    /// A side of a box, by its axis; towards its + or its −.
    BoxFace(usize, bool),
    /// Where a body hangs, or, with its joint on the bone, where it is.
    Joint,
    Body,
}

/// A knob as it can be held now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyHandle {
    pub bone: BoneId,
    pub kind: BodyHandleKind,
    /// Metres in the world.
    pub at: Vec3,
    pub pixel: Vec2,
}

#[derive(Clone, Debug)]
enum BodyShape {
    /// The axis from end to end.
    HingeAxis([Vec2; 2]),
    Box {
        lines: WireBox,
        leads: Vec<(usize, [Vec2; 2])>,
        lever: [Vec2; 2],
    },
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyGizmo {
    shapes: Vec<BodyShape>,
    pub handles: Vec<BodyHandle>,
}

/// How far the knob of an axis stands from the head, metres.
pub(super) fn axis_handle_distance(shot: &CameraView, head: Vec3) -> f32 {
    shot.metres_per_pixel(head) * AXIS_HANDLE_DISTANCE
}

impl BodyGizmo {
    /// Those of the joints that are tuned one by one, or of the active one of a chain.
    pub(super) fn of(cx: &UiContext<'_>, shot: &CameraView, figure: &Pickables) -> Self {
        let mut found = Self::default();
        let session = cx.session();
        let lit = cx.state.highlight == Some(Highlight::Meaning(ParamMeaning::Limit));
        let toggles = cx.state.prefs.toggles;
        for joint in figure.joints.iter().filter(|j| j.selected && shows_gizmo(session, j)) {
            if let Some(hinge) = session.inspection().hinge(joint.bone).filter(|_| toggles.limits || lit) {
                found.add_hinge_axis(shot, joint.bone, &hinge);
            }
            if let Some(body) = session.inspection().body_box(joint.bone).filter(|_| toggles.handles) {
                found.add_box(shot, joint.bone, &body);
            }
        }
        found
    }

    fn add_hinge_axis(&mut self, shot: &CameraView, bone: BoneId, hinge: &HingeView) {
        let arm = hinge.world_axis() * axis_handle_distance(shot, hinge.head);
        let Some(line) = project_all(shot, [hinge.head - arm, hinge.head + arm]) else { return };
        self.handles.push(BodyHandle { bone, kind: BodyHandleKind::Axis, at: hinge.head + arm, pixel: line[1] });
        self.shapes.push(BodyShape::HingeAxis([line[0], line[1]]));
    }

    fn add_box(&mut self, shot: &CameraView, bone: BoneId, body: &BoxView) {
        let Some(lines) = wire_box(shot, body.center, body.rotation, body.extents) else { return };
        let Some(lever) = project_all(shot, [body.center, body.joint_position]) else { return };
        let (kind, at) = if body.joint_on_bone {
            (BodyHandleKind::Body, body.center)
        } else {
            (BodyHandleKind::Joint, body.joint_position)
        };
        let pixel = lever[usize::from(!body.joint_on_bone)];
        self.handles.push(BodyHandle { bone, kind, at, pixel });
        let sight = (body.center - shot.eye).normalize_or(shot.forward);
        let lead = shot.metres_per_pixel(body.center) * FACE_HANDLE_OFFSET;
        let mut leads = Vec::new();
        for (axis, positive) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, false), (axis, true)]) {
            let out = box_face_normal(body, axis, positive);
            let face = body.center + out * body.extents[axis] * 0.5;
            let at = face + out * lead;
            if let Some(line) = project_all(shot, [face, at]).filter(|_| out.dot(sight).abs() < END_ON_COSINE) {
                self.handles.push(BodyHandle {
                    bone,
                    kind: BodyHandleKind::BoxFace(axis, positive),
                    at,
                    pixel: line[1],
                });
                leads.push((axis, [line[0], line[1]]));
            }
        }
        self.shapes.push(BodyShape::Box { lines, leads, lever: [lever[0], lever[1]] });
    }

    /// The knob under a place.
    pub(super) fn pick(&self, at: Vec2) -> Option<BodyHandle> {
        let near = self.handles.iter().filter(|knob| knob.pixel.distance(at) <= PICK_DISTANCE);
        near.min_by(|a, b| a.pixel.distance(at).total_cmp(&b.pixel.distance(at))).copied()
    }

    /// Draws them; the one that is pointed at or held stands out.
    pub(super) fn show(&self, ink: &OverlayPainter<'_>, hot: Option<BodyHandle>) {
        let c = ink.theme.color;
        let axes = [c.axis_x, c.axis_y, c.axis_z];
        for drawn in &self.shapes {
            match drawn {
                BodyShape::HingeAxis(line) => ink.line(line, stroke::FAN_EDGE, c.limit),
                BodyShape::Box { lines, leads, lever } => {
                    lines.edges.iter().for_each(|edge| ink.line(edge, stroke::HAIRLINE, c.bone));
                    for (axis, line) in leads {
                        ink.line(line, stroke::HAIRLINE, faded(axes[*axis], alpha::HANDLE_IDLE));
                    }
                    if lever[0].distance(lever[1]) > 1.0 {
                        ink.dashed_segment(lever[0], lever[1], 1.25, c.limit);
                    }
                }
            }
        }
        for knob in &self.handles {
            let is_hot = hot.is_some_and(|hot| hot.bone == knob.bone && hot.kind == knob.kind);
            let color = match knob.kind {
                BodyHandleKind::BoxFace(axis, _) => axes[axis],
                BodyHandleKind::Axis | BodyHandleKind::Joint | BodyHandleKind::Body => c.limit,
            };
            paint_handle(ink, knob.pixel, color, is_hot);
        }
    }
}

/// Which way a side of a box faces, unit length in the world.
pub(super) fn box_face_normal(body: &BoxView, axis: usize, positive: bool) -> Vec3 {
    body.rotation * Vec3::AXES[axis] * if positive { 1.0 } else { -1.0 }
}

/// Whether a selected joint shows what is its own: it is tuned by itself, or the active one of what tuning reaches.
pub(super) fn shows_gizmo(session: &Session, joint: &PickableJoint) -> bool {
    let selection = session.selection();
    let tuned = session.document().find_joint(joint.bone).and_then(|(id, _)| session.document().chains.get(&id));
    tuned.is_some_and(|chain| chain.system == session.inspection().system_id())
        && (selection.scope == TuningScope::Joints || selection.active == Some(joint.bone))
}

/// What Ctrl snaps lengths to, and what they are rounded to without; metres.
const SNAP_LENGTH: f32 = 1e-3;
const LENGTH_STEP: f32 = 1e-4;
/// What parts of an axis are rounded to.
const AXIS_STEP: f32 = 1e-3;

/// A knob that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyDrag {
    pub handle: BodyHandle,
    pub drag: HandleDrag,
    /// The rows that it changes as they were.
    start_values: Vec3,
    /// The box's turn then, and metres in the world for one of its numbers.
    start_rotation: Quat,
    metres_per_unit: f32,
    /// The axis leaves its ball on the side of the eye.
    axis_faces_eye: bool,
}

/// The rows that a knob changes.
fn params_of(kind: BodyHandleKind) -> [ParamId; 3] {
    match kind {
        BodyHandleKind::Axis => hinge::HINGE_AXIS,
        BodyHandleKind::BoxFace(..) => body::BOX_EXTENTS,
        BodyHandleKind::Joint | BodyHandleKind::Body => body::LOCAL_JOINT_OFFSET,
    }
}

fn param_values(session: &Session, knob: BodyHandle) -> Option<Vec3> {
    let index = session.playback().joint_index(knob.bone)?;
    let joint = session.resolved().systems.get(index.system as usize)?.joints.get(index.joint as usize)?;
    Some(Vec3::from(params_of(knob.kind).map(|row| joint.values.get(row))))
}

impl BodyDrag {
    /// With the pointer at a pixel; nothing leaps there.
    pub(super) fn new(session: &Session, shot: &CameraView, knob: BodyHandle, at: Vec2) -> Option<Self> {
        let start = param_values(session, knob)?;
        let own = Self {
            handle: knob,
            drag: HandleDrag::new(knob.at, at, DragConstraint::View),
            start_values: start,
            start_rotation: Quat::IDENTITY,
            metres_per_unit: 1.0,
            axis_faces_eye: true,
        };
        if knob.kind == BodyHandleKind::Axis {
            let hinge = session.inspection().hinge(knob.bone)?;
            let ball = DirectionBall::new(shot, hinge.head, axis_handle_distance(shot, hinge.head))?;
            let faces = ball.is_front_facing(hinge.world_axis());
            let mut axle = Self { start_values: hinge.axis, axis_faces_eye: faces, ..own };
            axle.drag.effective_pointer = ball.pixel(hinge.world_axis());
            return Some(axle);
        }
        let seen = session.inspection().body_box(knob.bone)?;
        let constraint = match knob.kind {
            BodyHandleKind::BoxFace(axis, positive) => DragConstraint::Axis(box_face_normal(&seen, axis, positive)),
            _ => DragConstraint::View,
        };
        Some(Self {
            drag: HandleDrag::new(knob.at, at, constraint),
            start_rotation: seen.rotation,
            metres_per_unit: seen.world_scale,
            ..own
        })
    }

    /// Whether it still has what it holds: a hinge or a body on the bone.
    pub(super) fn is_there(&self, session: &Session) -> bool {
        match self.handle.kind {
            BodyHandleKind::Axis => session.inspection().hinge(self.handle.bone).is_some(),
            _ => session.inspection().body_box(self.handle.bone).is_some(),
        }
    }

    /// Follows the pointer; gives back what is to be changed, if anything.
    pub(super) fn update(
        &mut self,
        session: &Session,
        shot: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        self.drag.update(at, keys);
        let step = if keys.snap { SNAP_LENGTH } else { LENGTH_STEP };
        let now = param_values(session, self.handle)?;
        match self.handle.kind {
            BodyHandleKind::Axis => {
                let hinge = session.inspection().hinge(self.handle.bone)?;
                let wanted = self.target_axis(&hinge, shot, keys)?;
                set_params("hinge_axis", self.handle.kind, wanted, hinge.axis)
            }
            BodyHandleKind::BoxFace(axis, _) => self.side_command(session, shot, axis, (now[axis], step)),
            BodyHandleKind::Joint | BodyHandleKind::Body => {
                let moved = self.start_rotation.inverse() * self.drag.moved(shot) / self.metres_per_unit;
                let moved = if self.handle.kind == BodyHandleKind::Body { -moved } else { moved };
                let wanted = all_rounded_to(self.start_values + moved, step);
                set_params("body_joint", self.handle.kind, wanted, now)
            }
        }
    }

    /// The axis that is wanted, in the bone's space; with Ctrl the nearest of the bone's own.
    fn target_axis(&self, hinge: &HingeView, shot: &CameraView, keys: DragModifiers) -> Option<Vec3> {
        let ball = DirectionBall::new(shot, hinge.head, axis_handle_distance(shot, hinge.head))?;
        let wanted =
            hinge.rotation_before_hinge.inverse() * ball.direction(self.drag.effective_pointer, self.axis_faces_eye);
        if keys.snap {
            let own = Vec3::AXES.into_iter().max_by(|a, b| wanted.dot(*a).abs().total_cmp(&wanted.dot(*b).abs()))?;
            return Some(own * wanted.dot(own).signum());
        }
        Some(all_rounded_to(wanted, AXIS_STEP))
    }

    /// A side's length: both faces move, so that it gains twice what the knob does. Lengths that differ along what is
    /// tuned keep their proportion.
    fn side_command(
        &self,
        session: &Session,
        shot: &CameraView,
        axis: usize,
        (now, step): (f32, f32),
    ) -> Option<Command> {
        let moved = self.drag.moved_along(shot)? / self.metres_per_unit;
        // The solver takes no shorter one, so that the drag starts from what is drawn.
        let start = self.start_values[axis].max(body::MIN_BOX_SIDE);
        let row = body::BOX_EXTENTS[axis];
        let wanted = rounded_to(start + 2.0 * moved, step)
            .clamp(body::MIN_BOX_SIDE, session.inspection().system().def(row).range.1);
        if (wanted - now).abs() < 1e-6 || (moved == 0.0 && !self.drag.changed) {
            return None;
        }
        let view = session.inspection().param_view(row);
        let differs = view.has_curve || matches!(view.values, ValueSummary::Mixed { .. });
        Some(if differs && now > 0.0 { Command::ScaleParam(row, wanted / now) } else { Command::SetParam(row, wanted) })
    }

    /// The numbers that are being changed, with their unit.
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

/// Writes three rows as one, unless they are so already.
fn set_params(what: &'static str, kind: BodyHandleKind, wanted: Vec3, now: Vec3) -> Option<Command> {
    // An axis counts by its direction alone.
    let near = if kind == BodyHandleKind::Axis { 2e-3 } else { 1e-6 };
    if !wanted.is_finite() || wanted.distance(now) < near {
        return None;
    }
    let pairs: Vec<(ParamId, f32)> = params_of(kind).into_iter().zip(wanted.to_array()).collect();
    Some(Command::SetParams(what, pairs))
}
