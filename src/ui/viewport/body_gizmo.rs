//! The gizmo for the axes of hinges and for the boxes of rigid bodies.

use super::gizmo::{Gizmo, PickLayer};
use super::handle::{
    ActiveHandle, Handle, HandleDrag, HandleId, HandleKind, HandleTarget, all_rounded_to, axis_colors, param_command,
    rounded_to,
};
use super::limit_gizmo::highlights_limits;
use super::overlay_painter::OverlayPainter;
use super::pickables::{PickableJoint, Pickables};
use crate::stage::CameraView;
use crate::stage::overlay::{DirectionBall, project_all, wire_box};
use crate::ui::UiContext;
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{Palette, alpha, stroke};
use egui::Color32;
use glam::{Vec2, Vec3};
use yuremono_session::{BoxView, Command, HingeView, Session, TuningScope};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;
use yuremono_sim::solver::{anim_dynamics as body, hinge};

/// Distance from the head of a hinge to the handle of the hinge axis, in points.
const AXIS_HANDLE_DISTANCE: f32 = 68.0;
/// Distance from a box face to the handle of the face, in points. Handles directly on the faces of a small box would
/// overlap.
const FACE_HANDLE_OFFSET: f32 = 18.0;
/// Maximum cosine of the angle between an axis and the view direction. An axis closer to the view direction cannot be
/// dragged usefully.
const END_ON_COSINE: f32 = 0.85;

#[derive(Clone, Debug)]
struct BodyLine {
    ends: [Vec2; 2],
    width: f32,
    color: Color32,
    is_dashed: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct BodyGizmo {
    lines: Vec<BodyLine>,
    handles: Vec<Handle>,
}

/// Returns the distance between the head of a hinge and the handle of the hinge axis, in metres.
fn axis_handle_distance(view: &CameraView, head: Vec3) -> f32 {
    view.metres_per_pixel(head) * AXIS_HANDLE_DISTANCE
}

impl BodyGizmo {
    /// Returns gizmos for joints that are tuned individually, or for the active joint of a chain.
    pub(super) fn of(cx: &UiContext<'_>, view: &CameraView, pickables: &Pickables) -> Self {
        let mut found = Self::default();
        let session = cx.session();
        let toggles = cx.state.prefs.toggles;
        let shows_axes = toggles.limits || highlights_limits(cx);
        let c = cx.theme.color;
        for joint in pickables.joints.iter().filter(|j| j.selected && shows_gizmo(session, j)) {
            if let Some(hinge) = session.inspection().hinge(joint.bone).filter(|_| shows_axes) {
                found.add_hinge_axis(view, joint.bone, &hinge, c.limit);
            }
            if let Some(body) = session.inspection().body_box(joint.bone).filter(|_| toggles.handles) {
                found.add_box(view, joint.bone, &body, c);
            }
        }
        found
    }

    fn add_hinge_axis(&mut self, view: &CameraView, bone: BoneId, hinge: &HingeView, color: Color32) {
        let arm = hinge.world_axis() * axis_handle_distance(view, hinge.head);
        let Some(line) = project_all(view, [hinge.head - arm, hinge.head + arm]) else { return };
        let id = HandleId::bone(bone, HandleKind::HingeAxis);
        self.handles.push(Handle::dot(id, hinge.head + arm, line[1], color));
        self.add_line([line[0], line[1]], stroke::FAN_EDGE, color);
    }

    fn add_line(&mut self, ends: [Vec2; 2], width: f32, color: Color32) {
        self.lines.push(BodyLine { ends, width, color, is_dashed: false });
    }

    fn add_box(&mut self, view: &CameraView, bone: BoneId, body: &BoxView, c: &Palette) {
        let Some(wire) = wire_box(view, body.center, body.rotation, body.extents) else { return };
        let Some(lever) = project_all(view, [body.center, body.joint_position]) else { return };
        let (kind, position, pixel) = if body.joint_on_bone {
            (HandleKind::Body, body.center, lever[0])
        } else {
            (HandleKind::BodyJoint, body.joint_position, lever[1])
        };
        self.handles.push(Handle::dot(HandleId::bone(bone, kind), position, pixel, c.limit));
        wire.edges.iter().for_each(|edge| self.add_line(*edge, stroke::HAIRLINE, c.bone));
        let sight = (body.center - view.eye).normalize_or(view.forward);
        let offset = view.metres_per_pixel(body.center) * FACE_HANDLE_OFFSET;
        for (axis, positive) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, false), (axis, true)]) {
            let out = body.rotation * Vec3::AXES[axis] * if positive { 1.0 } else { -1.0 };
            let face = body.center + out * body.extents[axis] * 0.5;
            let position = face + out * offset;
            if let Some(line) = project_all(view, [face, position]).filter(|_| out.dot(sight).abs() < END_ON_COSINE) {
                let (id, color) = (HandleId::bone(bone, HandleKind::BoxFace(axis, positive)), axis_colors(c)[axis]);
                self.handles.push(Handle { axis: out, ..Handle::dot(id, position, line[1], color) });
                self.add_line([line[0], line[1]], stroke::HAIRLINE, faded(color, alpha::HANDLE_IDLE));
            }
        }
        if lever[0].distance(lever[1]) > 1.0 {
            self.lines.push(BodyLine { ends: [lever[0], lever[1]], width: 1.25, color: c.limit, is_dashed: true });
        }
    }
}

impl Gizmo for BodyGizmo {
    fn layer(&self) -> PickLayer {
        PickLayer::Body
    }

    fn handles(&self) -> &[Handle] {
        &self.handles
    }

    fn start_drag(&self, id: HandleId, session: &Session, view: &CameraView, at: Vec2) -> Option<HandleDrag> {
        let mut drag = HandleDrag::new(self.handle(id)?.clone(), at);
        let HandleTarget::Bone(bone) = id.target else { return None };
        if id.kind == HandleKind::HingeAxis {
            let hinge = session.inspection().hinge(bone)?;
            let ball = axis_ball(view, &hinge)?;
            drag.faces_eye = ball.is_front_facing(hinge.world_axis());
            drag.pointer_offset = ball.pixel(hinge.world_axis()) - at;
        } else {
            let body = session.inspection().body_box(bone)?;
            drag.handle.value = param_values(session, bone, id.kind)?;
            drag.handle.rotation = body.rotation;
            drag.handle.metres_per_unit = body.world_scale;
        }
        Some(drag)
    }

    fn drag(&self, drag: &mut HandleDrag, session: &Session, view: &CameraView) -> Option<Command> {
        let HandleId { target: HandleTarget::Bone(bone), kind } = drag.handle.id else { return None };
        match kind {
            HandleKind::HingeAxis => {
                let hinge = session.inspection().hinge(bone)?;
                set_params(message!("Hinge axis"), kind, target_axis(drag, &hinge, view)?, hinge.axis)
            }
            HandleKind::BoxFace(axis, _) => {
                let now = param_values(session, bone, kind)?[axis];
                side_command(drag, session, axis, now, drag.moved_along(view)?)
            }
            HandleKind::BodyJoint | HandleKind::Body => {
                let now = param_values(session, bone, kind)?;
                let moved = drag.handle.rotation.inverse() * drag.moved(view) / drag.handle.metres_per_unit;
                let moved = if kind == HandleKind::Body { -moved } else { moved };
                let wanted = all_rounded_to(drag.handle.value + moved, drag.keys.step(SNAP_LENGTH, LENGTH_STEP));
                set_params(message!("Joint offset of body"), kind, wanted, now)
            }
            _ => None,
        }
    }

    fn tag_text(&self, drag: &HandleDrag, session: &Session) -> Option<String> {
        let HandleId { target: HandleTarget::Bone(bone), kind } = drag.handle.id else { return None };
        let now = param_values(session, bone, kind)?;
        Some(match kind {
            HandleKind::HingeAxis => format!("X {:.2}  Y {:.2}  Z {:.2}", now.x, now.y, now.z),
            HandleKind::BoxFace(axis, _) => format!("{:.1} mm", now[axis] * 1000.0),
            _ => {
                let mm = now * 1000.0;
                format!("X {:.1}  Y {:.1}  Z {:.1} mm", mm.x, mm.y, mm.z)
            }
        })
    }

    fn show(&self, overlay: &OverlayPainter<'_>, active: Option<ActiveHandle>, _: &Session) {
        for line in &self.lines {
            if line.is_dashed {
                overlay.dashed_segment(line.ends[0], line.ends[1], line.width, line.color);
            } else {
                overlay.line(&line.ends, line.width, line.color);
            }
        }
        self.handles.iter().for_each(|handle| handle.paint(overlay, active));
    }
}

/// Whether a selected joint shows a gizmo: only if the joint is tuned individually, or is the active joint.
fn shows_gizmo(session: &Session, joint: &PickableJoint) -> bool {
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

/// Returns the parameters that a handle changes. Returns `None` for the handles of other gizmos.
const fn params_of(kind: HandleKind) -> Option<[ParamId; 3]> {
    match kind {
        HandleKind::HingeAxis => Some(hinge::HINGE_AXIS),
        HandleKind::BoxFace(..) => Some(body::BOX_EXTENTS),
        HandleKind::BodyJoint | HandleKind::Body => Some(body::LOCAL_JOINT_OFFSET),
        _ => None,
    }
}

fn param_values(session: &Session, bone: BoneId, kind: HandleKind) -> Option<Vec3> {
    let index = session.playback().joint_index(bone)?;
    let joint = session.resolved().systems.get(index.system as usize)?.joints.get(index.joint as usize)?;
    Some(Vec3::from(params_of(kind)?.map(|param| joint.values.get(param))))
}

/// Returns the ball whose surface contains the handle of a hinge axis.
fn axis_ball(view: &CameraView, hinge: &HingeView) -> Option<DirectionBall> {
    DirectionBall::new(view, hinge.head, axis_handle_distance(view, hinge.head))
}

/// Returns the dragged axis in the space of the bone. While Ctrl is held, returns the nearest axis of the bone.
fn target_axis(drag: &HandleDrag, hinge: &HingeView, view: &CameraView) -> Option<Vec3> {
    let direction = axis_ball(view, hinge)?.direction(drag.slowed_pointer(), drag.faces_eye);
    let wanted = hinge.rotation_before_hinge.inverse() * direction;
    if drag.keys.snap {
        let nearest = Vec3::AXES.into_iter().max_by(|a, b| wanted.dot(*a).abs().total_cmp(&wanted.dot(*b).abs()))?;
        return Some(nearest * wanted.dot(nearest).signum());
    }
    Some(all_rounded_to(wanted, AXIS_STEP))
}

/// Returns the command that resizes the box. Both faces move, so the side length changes by twice the handle's
/// movement. Values that vary along a chain keep their ratios.
fn side_command(drag: &HandleDrag, session: &Session, axis: usize, now: f32, moved: f32) -> Option<Command> {
    // The solver clamps the length. The drag starts from the size of the drawn box.
    let start = drag.handle.value[axis].max(body::MIN_BOX_SIDE);
    let param = body::BOX_EXTENTS[axis];
    let wanted = rounded_to(start + 2.0 * moved, drag.keys.step(SNAP_LENGTH, LENGTH_STEP))
        .clamp(body::MIN_BOX_SIDE, session.inspection().system().def(param).range.1);
    if (wanted - now).abs() < 1e-6 || (moved == 0.0 && !drag.changed) {
        return None;
    }
    Some(param_command(session, param, wanted, (now > 0.0).then_some(wanted / now)))
}

/// Returns the edit that sets three parameters together. Returns `None` if the parameters have these values already.
fn set_params(text: MessageText, kind: HandleKind, wanted: Vec3, now: Vec3) -> Option<Command> {
    // Only the direction of an axis has an effect, so the comparison of axes uses a larger tolerance.
    let near = if kind == HandleKind::HingeAxis { 2e-3 } else { 1e-6 };
    if !wanted.is_finite() || wanted.distance(now) < near {
        return None;
    }
    Some(Command::SetParams(text, params_of(kind)?.into_iter().zip(wanted.to_array()).collect()))
}
