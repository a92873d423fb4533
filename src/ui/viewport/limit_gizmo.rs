//! The gizmos for angle limits (fans) and VRM limits (cones): visibility, handles and drags.

use super::handle_drag::{AngleDrag, DragModifiers, SNAP_DEGREES, degrees_text, rounded_to};
use super::joint_aim::{AimGrip, AimRange};
use super::overlay_painter::OverlayPainter;
use super::pickables::{PickableJoint, Pickables};
use crate::stage::CameraView;
use crate::stage::overlay::{self, LIVE_LINE_SHARE, LimitFan, SwingOutline, SwingRange};
use crate::tr;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use crate::ui::{Highlight, UiContext};
use egui::{Align2, Rect, Sense, Stroke, StrokeKind, Ui, pos2};
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::{FRAC_PI_2, PI};
use yuremono_session::{Command, Session, TuningScope, ValueSummary};
use yuremono_sim::params::{ParamId, ParamMeaning};
use yuremono_sim::rig::BoneId;
use yuremono_sim::rig::LimitPlane;
use yuremono_sim::{JointSetup, SwingLimit, SwingShape};

/// Minimum length of a fan in points, and its length as a share of the joint's length.
const FAN_MIN_LENGTH: f32 = 76.0;
const FAN_LENGTH_SHARE: f32 = 1.15;
/// Handle radius in points: normal handles, hovered handles, and handles of the secondary fan.
const HANDLE_RADIUS: f32 = 4.5;
const HANDLE_RADIUS_HOT: f32 = 6.0;
const HANDLE_RADIUS_MINOR: f32 = 3.2;
/// A fan is edge-on if the sine of the angle between its plane and the view direction is smaller than this value.
const EDGE_ON_SINE: f32 = 0.3;
/// Minimum distance between two ends, in points, that leaves space for labels between them.
const MIN_LABEL_GAP: f32 = 26.0;
/// Distances from the end of a limit to its label, and to the tag while the end is dragged, in points.
const LABEL_OFFSET: f32 = 9.0;
const TAG_OFFSET: f32 = 18.0;
/// Distance from the grip at the current direction to the button that turns the view, in points.
const FACE_BUTTON_OFFSET: f32 = 28.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LimitHandle {
    pub bone: BoneId,
    /// The parameter of this end. `other_param` is the parameter of the other end.
    pub param: ParamId,
    pub other_param: ParamId,
    /// Whether this end is the lower limit.
    pub is_low: bool,
    pub side: LimitPlane,
    /// Head of the joint in the world, in metres.
    pub head: Vec3,
    /// Rotation of the pivot in the world.
    pub pivot: Quat,
    /// Angle of the limit, in degrees.
    pub value: f32,
    pub pixel: Vec2,
    /// Whether the end belongs to the fan that faces the eye.
    pub is_main: bool,
}

#[derive(Clone, Debug)]
pub(super) struct LimitGizmo {
    fan: LimitFan,
    pub handles: [LimitHandle; 2],
    pub grip: AimGrip,
    is_main: bool,
    highlighted: bool,
    /// The normal of an edge-on fan, towards the eye, unit length.
    edge_on_normal: Option<Vec3>,
}

/// Draws buttons at the edge-on fans of the active joint. A click turns the view until the fan faces the eye.
pub(super) fn face_limit_ui(ui: &mut Ui, rect: Rect, view: &CameraView, fans: &[LimitGizmo], cx: &mut UiContext<'_>) {
    let active = cx.selection().active;
    for shown in fans.iter().filter(|shown| Some(shown.handles[0].bone) == active) {
        let (Some(normal), head) = (shown.edge_on_normal, shown.handles[0].head) else { continue };
        let out = shown.fan.middle() - shown.fan.head;
        let away = shown.fan.head + out * LIVE_LINE_SHARE + out.normalize_or(Vec2::X) * FACE_BUTTON_OFFSET;
        let at = pos2(rect.left() + away.x, rect.top() + away.y);
        let button_rect = Rect::from_center_size(at, egui::Vec2::splat(size::HIT_MIN));
        if !rect.shrink(space::M).contains_rect(button_rect) || view.project(head).is_none() {
            continue;
        }
        let side = if shown.handles[0].side == LimitPlane::Y { "y" } else { "z" };
        let name = tr!(cx, "View this angle limit from the front");
        let response = ui.interact(button_rect, ui.scope_id().with(("face_limit", side)), Sense::click());
        let c = cx.theme.color;
        ui.painter().rect(
            button_rect,
            radius::BUTTON,
            c.popup,
            Stroke::new(stroke::EDGE, c.border_strong),
            StrokeKind::Inside,
        );
        let button =
            IconButton { icon_size: size::ICON_SMALL, color: Some(c.limit), ..IconButton::new(icons::EYE, &name) };
        if button.show_at(ui, button_rect, response).clicked() {
            cx.state.view_direction_wanted = Some([head, normal]);
        }
    }
}

/// Returns the fans of joints that are tuned individually, or of the active joint of a chain.
pub(super) fn limit_gizmos(cx: &UiContext<'_>, view: &CameraView, pickables: &Pickables) -> Vec<LimitGizmo> {
    let session = cx.session();
    let is_highlighted = cx.state.highlight == Some(Highlight::Meaning(ParamMeaning::Limit));
    if !cx.state.prefs.toggles.limits && !is_highlighted {
        return Vec::new();
    }
    let mut found = Vec::new();
    let resolved = session.resolved();
    let tuned =
        resolved.systems.iter().zip(&resolved.system_ids).filter(|(_, id)| **id == session.inspection().system_id());
    for joint in tuned.flat_map(|(system, _)| &system.joints) {
        let single = session.selection().scope == TuningScope::Joints;
        let is_meant = single || session.selection().active == Some(joint.bone);
        if let Some(seen) = pickables.joint(joint.bone).filter(|j| j.selected && is_meant) {
            found.extend(joint_limit_gizmos(session, view, joint, seen, is_highlighted));
        }
    }
    found
}

/// Returns the origin and the rotation of the fans of a joint.
pub(super) fn fan_frame(session: &Session, joint: &JointSetup) -> Option<(Vec3, Quat)> {
    if let Some(hinge) = session.inspection().hinge(joint.bone) {
        return Some((hinge.head, yuremono_sim::rig::hinge_pivot(hinge.world_axis(), hinge.zero_direction)?));
    }
    let frame = |bone: BoneId| session.playback().displayed_pose().frames.get(bone.index());
    Some((frame(joint.bone)?.position, frame(joint.pivot?)?.rotation))
}

/// Returns the limits of a joint: the plane, and the parameters of the lower and upper angles.
fn limits(session: &Session, joint: &JointSetup) -> Vec<(LimitPlane, [ParamId; 2])> {
    if let Some(hinge) = session.inspection().hinge(joint.bone) {
        return hinge.limits.map(|_| (LimitPlane::Y, hinge.limit_params)).into_iter().collect();
    }
    session
        .inspection()
        .pivot_limits()
        .filter(|(_, limits)| joint.values.get(limits.active) != 0.0)
        .map(|(side, limits)| (side, [limits.min, limits.max]))
        .collect()
}

/// Returns whether the artist can rotate a joint by its grip: only the active joint, and only if it is simulated.
fn is_movable_by_hand(session: &Session, bone: BoneId) -> bool {
    let is_simulated = session.inspection().joint_setup(bone).is_some_and(|joint| joint.enabled);
    session.selection().active == Some(bone) && is_simulated && !session.playback().is_held(bone)
}

fn joint_limit_gizmos(
    session: &Session,
    view: &CameraView,
    joint: &JointSetup,
    seen: &PickableJoint,
    is_highlighted: bool,
) -> Vec<LimitGizmo> {
    let Some((_, pivot)) = fan_frame(session, joint) else { return Vec::new() };
    let reach =
        (seen.head.distance(seen.tip) * FAN_LENGTH_SHARE).max(view.metres_per_pixel(seen.head) * FAN_MIN_LENGTH);
    let mut found = Vec::new();
    for (side, [min, max]) in limits(session, joint) {
        let degrees = [min, max].map(|param| joint.values.get(param));
        let Some(fan) = overlay::limit_fan(view, seen.head, pivot, side, degrees, seen.tip - seen.head, reach) else {
            continue;
        };
        let end = |i: usize| LimitHandle {
            bone: seen.bone,
            param: [min, max][i],
            other_param: [max, min][i],
            is_low: i == 0,
            side,
            head: seen.head,
            pivot,
            value: degrees[i],
            pixel: fan.ends()[i],
            is_main: false,
        };
        let [forward, across] = side.axes(pivot);
        let (normal, sight) = (forward.cross(across), (seen.head - view.eye).normalize_or(view.forward));
        let is_edge_on = normal.dot(sight).abs() < EDGE_ON_SINE;
        let edge_on = is_edge_on.then_some(if normal.dot(sight) > 0.0 { -normal } else { normal });
        found.push(LimitGizmo {
            handles: [end(0), end(1)],
            grip: AimGrip {
                bone: seen.bone,
                pixel: fan.current,
                outwards: (fan.current - fan.head).normalize_or(Vec2::Y),
                head: seen.head,
                direction: (seen.tip - seen.head).normalize_or(forward),
                reach: reach * LIVE_LINE_SHARE,
                range: AimRange::Fan { plane: side, pivot, limits: degrees },
                is_shown: false,
            },
            fan,
            is_main: false,
            highlighted: is_highlighted,
            edge_on_normal: edge_on,
        });
    }
    // Only the fan that faces the eye is prominent. Two prominent fans would hide each other.
    found.sort_by(|a, b| a.fan.area().total_cmp(&b.fan.area()));
    if let Some(last) = found.last_mut() {
        last.is_main = true;
        last.grip.is_shown = is_movable_by_hand(session, seen.bone);
        last.handles.iter_mut().for_each(|end| end.is_main = true);
    }
    found
}

/// Draws fans and returns the labels. The caller paints the labels after bones and rings. `hot` is the hovered end, or
/// the dragged end if `held` is set, or the end that a joint has reached by hand.
pub(super) fn show_limit_gizmos(
    overlay: &OverlayPainter<'_>,
    fans: &[LimitGizmo],
    hot: Option<LimitHandle>,
    held: bool,
) -> Vec<DegreesLabel> {
    let mut labels = Vec::new();
    for shown in fans {
        // While an end is dragged or hovered, the other ends are fainter.
        let others =
            hot.is_some_and(|hot| shown.handles.iter().all(|end| end.bone == hot.bone && end.side != hot.side));
        shown.paint(overlay, hot, held, others, &mut labels);
    }
    labels
}

impl LimitGizmo {
    fn paint(
        &self,
        overlay: &OverlayPainter<'_>,
        hot: Option<LimitHandle>,
        held: bool,
        quiet: bool,
        labels: &mut Vec<DegreesLabel>,
    ) {
        let color = overlay.theme.color.limit;
        let is_hot = |end: &LimitHandle| hot.is_some_and(|hot| hot.param == end.param && hot.bone == end.bone);
        let main = (self.is_main && !quiet) || self.handles.iter().any(is_hot);
        let brighter = if self.highlighted { 1.6 } else { 1.0 };
        let (fill, line) = if main { (alpha::FAN_FILL, 1.0) } else { (alpha::FAN_FILL_IDLE, 0.45) };
        let (fill, line) = (fill * brighter, (line * brighter).min(1.0));
        let fan = &self.fan;
        overlay.slice(fan.head, &fan.arc, faded(color, fill));
        let mut edge = vec![fan.head];
        edge.extend(&fan.arc);
        edge.push(fan.head);
        if main {
            overlay.line(&edge, stroke::FAN_EDGE, color);
            overlay.dashed_segment(fan.head, fan.current, 1.25, color);
        } else {
            overlay.line(&edge, stroke::HAIRLINE, faded(color, line));
        }
        // Ends at the same position get labels in opposite directions. The ends meet if the fan is edge-on, almost
        // closed, or almost full.
        let close = self.handles[0].pixel.distance(self.handles[1].pixel) < MIN_LABEL_GAP;
        for end in &self.handles {
            let hot = is_hot(end);
            let radius = match (hot, main) {
                (true, _) => HANDLE_RADIUS_HOT,
                (false, true) => HANDLE_RADIUS,
                (false, false) => HANDLE_RADIUS_MINOR,
            };
            let rim = if hot { Stroke::new(1.5, overlay.theme.color.bone) } else { Stroke::NONE };
            overlay.dot(end.pixel, radius, faded(color, if main { 1.0 } else { 0.7 }), rim);
            if main {
                let is_held = held && hot;
                let gap = if is_held { TAG_OFFSET } else { LABEL_OFFSET };
                let (anchor, shift) = match (close, end.is_low) {
                    (true, true) => (Align2::RIGHT_CENTER, Vec2::new(-gap, 0.0)),
                    (true, false) => (Align2::LEFT_CENTER, Vec2::new(gap, 0.0)),
                    (false, _) => anchor_of(end.pixel - fan.middle(), gap),
                };
                labels.push(DegreesLabel { at: end.pixel + shift, anchor, text: degrees_text(end.value), is_held });
            }
        }
    }
}

/// The degrees at the end of a limit, painted on top of all other shapes.
pub(super) struct DegreesLabel {
    at: Vec2,
    anchor: Align2,
    text: String,
    is_held: bool,
}

impl DegreesLabel {
    /// Paints a label, or a tag while the end is dragged.
    pub(super) fn paint(self, overlay: &OverlayPainter<'_>) {
        if self.is_held {
            overlay.tag(overlay.screen_pos(self.at), self.anchor, self.text, None);
        } else {
            overlay.text(self.at, self.anchor, &self.text, overlay.theme.color.limit);
        }
    }
}

/// Returns the anchor and the offset of a label that points outwards. The label is at least `gap` points from the end.
fn anchor_of(out: Vec2, gap: f32) -> (Align2, Vec2) {
    let out = out.normalize_or(Vec2::X);
    if out.x.abs() < 0.3 {
        (Align2::CENTER_CENTER, out * (gap + 6.0))
    } else if out.x < 0.0 {
        (Align2::RIGHT_CENTER, Vec2::new(-gap, out.y * 6.0))
    } else {
        (Align2::LEFT_CENTER, Vec2::new(gap, out.y * 6.0))
    }
}

/// Pick distance for an end of the main fan, and for an end of the other fan, in pixels.
const PICK_DISTANCE: f32 = 10.0;
const PICK_DISTANCE_MINOR: f32 = 7.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LimitDrag {
    pub handle: LimitHandle,
    angle: AngleDrag,
    /// Whether the drag has issued a command and therefore made an undo step.
    pub changed: bool,
}

/// Returns the end at a pixel. The fan that faces the eye has priority.
pub(super) fn pick_limit_handle(fans: &[LimitGizmo], at: Vec2) -> Option<LimitHandle> {
    let ends = fans.iter().flat_map(|fan| fan.handles);
    let near =
        ends.filter(|end| end.pixel.distance(at) <= if end.is_main { PICK_DISTANCE } else { PICK_DISTANCE_MINOR });
    let order = |end: &LimitHandle| {
        if end.is_main { end.pixel.distance(at) } else { PICK_DISTANCE + end.pixel.distance(at) }
    };
    near.min_by(|a, b| order(a).total_cmp(&order(b)))
}

impl LimitDrag {
    pub(super) const fn new(end: LimitHandle, at: Vec2) -> Self {
        Self { handle: end, angle: AngleDrag::new(at, end.value), changed: false }
    }

    /// Keeps the lower limit at or below the upper limit. Values that vary along a chain keep their ratios.
    pub(super) fn update(
        &mut self,
        session: &Session,
        view: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        let joint = session.inspection().joint_setup(self.handle.bone)?;
        let (head, pivot) = fan_frame(session, joint)?;
        self.handle = LimitHandle { head, pivot, ..self.handle };
        let step = if keys.snap { SNAP_DEGREES } else { 0.1 };
        let angle = self.angle.update(head, pivot, self.handle.side, view, at, keys);
        let angle = rounded_to(angle, step);
        if !self.changed && (joint.values.get(self.handle.other_param) - self.handle.value).abs() < 0.5 {
            // If both ends are at the same position, the direction of the drag selects the end.
            let is_low = angle < self.handle.value;
            if is_low != self.handle.is_low {
                self.handle = LimitHandle {
                    param: self.handle.other_param,
                    other_param: self.handle.param,
                    is_low,
                    ..self.handle
                };
            }
        }
        let other = joint.values.get(self.handle.other_param);
        let angle = if self.handle.is_low { angle.min(other) } else { angle.max(other) };
        let range = session.inspection().system().def(self.handle.param).range;
        let angle = angle.clamp(range.0, range.1);
        let now = joint.values.get(self.handle.param);
        if (angle - now).abs() < 1e-3 {
            return None;
        }
        self.handle.value = angle;
        self.changed = true;
        let view = session.inspection().param_view(self.handle.param);
        let differs = view.has_curve() || matches!(view.values, ValueSummary::Mixed { .. });
        // A factor of 0 would make all values equal permanently.
        let command = if differs && now.abs() > 0.05 && angle / now > 1e-2 {
            Command::ScaleParam(self.handle.param, angle / now)
        } else {
            Command::SetParam(self.handle.param, angle)
        };
        Some(command)
    }
}

/// Minimum length of a limit in points, and its length as a share of the joint's length.
const SWING_MIN_LENGTH: f32 = 60.0;
const SWING_LENGTH_SHARE: f32 = 1.1;

#[derive(Clone, Debug)]
pub(super) struct SwingLimitShape {
    swing: SwingOutline,
    pub grip: AimGrip,
    is_fan: bool,
    highlighted: bool,
}

/// Returns the limits of joints that are tuned individually, or of the active joint of a chain.
pub(super) fn swing_limits(cx: &UiContext<'_>, view: &CameraView, pickables: &Pickables) -> Vec<SwingLimitShape> {
    let session = cx.session();
    let is_highlighted = cx.state.highlight == Some(Highlight::Meaning(ParamMeaning::Limit));
    if !cx.state.prefs.toggles.limits && !is_highlighted {
        return Vec::new();
    }
    let single = session.selection().scope == TuningScope::Joints;
    let limited = session.resolved().systems.iter().flat_map(|s| s.joints.iter().zip(&s.vrm));
    let limited = limited.filter_map(|(joint, vrm)| Some((joint.bone, vrm.limit?)));
    let meant = limited.filter(|(bone, _)| single || session.selection().active == Some(*bone));
    let seen = meant.filter_map(|(bone, limit)| Some((pickables.joint(bone).filter(|j| j.selected)?, limit)));
    seen.filter_map(|(joint, limit)| joint_swing_limit(session, view, joint, &limit, is_highlighted)).collect()
}

fn joint_swing_limit(
    session: &Session,
    view: &CameraView,
    seen: &PickableJoint,
    limit: &SwingLimit,
    is_highlighted: bool,
) -> Option<SwingLimitShape> {
    let skeleton = &session.resolved().skeleton;
    let offset = session.playback().world().tip_offset(session.playback().joint_index(seen.bone)?)?;
    let rest = skeleton.bones().get(seen.bone.index())?.rest.rotation;
    let parent = skeleton.get_parent(seen.bone).and_then(|p| session.playback().displayed_pose().frames.get(p.index()));
    let parent = parent.map_or(Quat::IDENTITY, |frame| frame.rotation);
    let turn = parent * limit.in_parent(rest, offset.normalize_or(Vec3::Y));
    let reach =
        (seen.head.distance(seen.tip) * SWING_LENGTH_SHARE).max(view.metres_per_pixel(seen.head) * SWING_MIN_LENGTH);
    // The solver clamps the angles in the same way.
    let opening = match limit.shape {
        SwingShape::Cone { angle } => SwingRange::Cone(angle.clamp(0.0, PI)),
        SwingShape::Hinge { angle } => SwingRange::Hinge(angle.clamp(0.0, PI)),
        SwingShape::Spherical { pitch, yaw } => {
            SwingRange::Spherical([pitch.clamp(0.0, PI), yaw.clamp(0.0, FRAC_PI_2)])
        }
    };
    let swing = overlay::swing_outline(view, seen.head, turn, opening, seen.tip - seen.head, reach)?;
    // A VRM hinge is a fan: its directions are in a plane.
    let fan = if let SwingRange::Hinge(angle) = opening { Some(angle.to_degrees()) } else { None };
    let plane = fan.zip(yuremono_sim::rig::hinge_pivot(turn * Vec3::X, turn * Vec3::Y));
    let grip = AimGrip {
        bone: seen.bone,
        pixel: swing.current,
        outwards: (swing.current - swing.head).normalize_or(Vec2::Y),
        head: seen.head,
        direction: (seen.tip - seen.head).normalize_or(turn * Vec3::Y),
        reach: reach * LIVE_LINE_SHARE,
        range: plane.map_or(AimRange::Directions, |(limit, pivot)| AimRange::Fan {
            plane: LimitPlane::Y,
            pivot,
            limits: [-limit, limit],
        }),
        is_shown: is_movable_by_hand(session, seen.bone),
    };
    Some(SwingLimitShape { swing, grip, is_fan: fan.is_some(), highlighted: is_highlighted })
}

pub(super) fn show_swing_limits(overlay: &OverlayPainter<'_>, swings: &[SwingLimitShape]) {
    let color = overlay.theme.color.limit;
    for SwingLimitShape { swing, is_fan, highlighted, .. } in swings {
        let fill = faded(color, alpha::FAN_FILL * if *highlighted { 1.6 } else { 1.0 });
        if *is_fan {
            overlay.slice(swing.head, &swing.rim, fill);
        } else {
            overlay.slice(swing.middle, &swing.rim, fill);
            overlay.slice(swing.head, &swing.rim, faded(color, alpha::FAN_FILL_IDLE));
        }
        for spoke in &swing.spokes {
            overlay.line(spoke, if *is_fan { stroke::FAN_EDGE } else { stroke::HAIRLINE }, color);
        }
        overlay.line(&swing.rim, stroke::FAN_EDGE, color);
        overlay.dashed_segment(swing.head, swing.current, 1.25, color);
    }
}
