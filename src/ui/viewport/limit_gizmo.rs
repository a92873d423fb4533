//! The gizmos for angle limits (fans) and VRM limits (cones): visibility, handles and drags.

use super::aim_grip::{AimFan, AimGrip};
use super::gizmo::{Gizmo, PickLayer};
use super::handle::{
    ActiveHandle, Handle, HandleDrag, HandleId, HandleKind, HandleTarget, SNAP_DEGREES, degrees_text, param_command,
    rounded_to,
};
use super::overlay_painter::OverlayPainter;
use super::pickables::{PickableJoint, Pickables};
use crate::stage::CameraView;
use crate::stage::overlay::{self, LIVE_LINE_SHARE, LimitFan, SwingOutline, SwingRange};
use crate::tr;
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use crate::ui::{Highlight, UiContext};
use egui::{Align2, Color32, Rect, Sense, Stroke, StrokeKind, Ui, pos2};
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::{FRAC_PI_2, PI};
use yuremono_session::{Command, Session, TuningScope};
use yuremono_sim::params::{ParamId, ParamMeaning};
use yuremono_sim::rig::{BoneId, LimitPlane};
use yuremono_sim::{JointSetup, SwingLimit, SwingShape, TipPart};

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
/// Pick distance for an end of the main fan, and for an end of the other fan, in pixels.
const PICK_DISTANCE: f32 = 10.0;
const PICK_DISTANCE_MINOR: f32 = 7.0;

/// The limit of a joint in a plane.
#[derive(Clone, Debug)]
struct FanShape {
    fan: LimitFan,
    plane: LimitPlane,
    /// The parameters of the lower and the upper limit, and their angles in degrees.
    params: [ParamId; 2],
    degrees: [f32; 2],
    grip: AimGrip,
    /// Whether the fan is the fan of the joint that faces the eye.
    is_main: bool,
    /// The normal of an edge-on fan, towards the eye, unit length.
    edge_on_normal: Option<Vec3>,
}

/// The limits of joints that are tuned individually, or of the active joint of a chain.
#[derive(Debug, Default)]
pub(super) struct LimitGizmo {
    fans: Vec<FanShape>,
    swings: Vec<SwingLimitShape>,
    handles: Vec<Handle>,
    is_highlighted: bool,
}

/// Returns whether the limits are highlighted.
pub(super) fn highlights_limits(cx: &UiContext<'_>) -> bool {
    cx.state.highlight == Some(Highlight::Meaning(ParamMeaning::Limit))
}

impl LimitGizmo {
    pub(super) fn of(cx: &UiContext<'_>, view: &CameraView, pickables: &Pickables) -> Self {
        let session = cx.session();
        let is_highlighted = highlights_limits(cx);
        if !cx.state.prefs.toggles.limits && !is_highlighted {
            return Self::default();
        }
        let selection = session.selection();
        let shown = |joint: &JointSetup| {
            let is_tuned = selection.scope == TuningScope::Joints || selection.active == Some(joint.bone);
            pickables.joint(joint.bone).filter(|joint| joint.selected && is_tuned)
        };
        let resolved = session.resolved();
        let systems = resolved.systems.iter().zip(&resolved.system_ids);
        let tuned = systems.filter(|(_, id)| **id == session.inspection().system_id());
        let joints = tuned.flat_map(|(system, _)| &system.joints);
        let seen = joints.filter_map(|joint| Some((joint, shown(joint)?)));
        let fans: Vec<FanShape> = seen.flat_map(|(joint, seen)| joint_fans(session, view, joint, seen)).collect();
        let vrm = resolved.systems.iter().flat_map(|system| system.joints.iter().zip(&system.vrm));
        let swings = vrm.filter_map(|(joint, vrm)| joint_swing_limit(session, view, shown(joint)?, &vrm.limit?));
        Self {
            swings: swings.collect(),
            handles: fans.iter().flat_map(FanShape::handles).collect(),
            fans,
            is_highlighted,
        }
    }

    pub(super) fn grips(&self) -> impl Iterator<Item = &AimGrip> {
        self.fans.iter().map(|fan| &fan.grip).chain(self.swings.iter().map(|swing| &swing.grip))
    }

    /// Returns the hovered or dragged end, or the end that the dragged joint has reached.
    fn active_end(&self, active: Option<ActiveHandle>) -> Option<ActiveHandle> {
        let active = active?;
        match active.id.kind {
            HandleKind::LimitEnd(_) => Some(active),
            HandleKind::Aim(_) if active.is_held => {
                let fan = self.fans.iter().find(|fan| fan.grip.id() == active.id)?;
                let end = [0, 1].into_iter().find(|end| fan.grip.is_at(fan.degrees[*end]))?;
                Some(ActiveHandle { id: fan.end_id(end), is_held: false })
            }
            _ => None,
        }
    }
}

impl Gizmo for LimitGizmo {
    fn layer(&self) -> PickLayer {
        PickLayer::Limit
    }

    fn handles(&self) -> &[Handle] {
        &self.handles
    }

    /// Keeps the lower limit at or below the upper limit. Values that vary along a chain keep their ratios.
    fn drag(&self, drag: &mut HandleDrag, session: &Session, view: &CameraView) -> Option<Command> {
        let HandleId { target: HandleTarget::Bone(bone), kind: HandleKind::LimitEnd(param) } = drag.handle.id else {
            return None;
        };
        let joint = session.inspection().joint_setup(bone)?;
        let (head, pivot) = fan_frame(session, joint)?;
        let (plane, params) = limits(session, joint).into_iter().find(|(_, params)| params.contains(&param))?;
        let angle = rounded_to(drag.turn_in_fan(view, head, plane, pivot), drag.keys.step(SNAP_DEGREES, 0.1));
        let values = params.map(|param| joint.values.get(param));
        let start = drag.handle.value.x;
        let mut end = usize::from(param == params[1]);
        if !drag.changed && (values[1 - end] - start).abs() < 0.5 {
            // If both ends are at the same position, the direction of the drag selects the end.
            end = usize::from(angle >= start);
            drag.handle.id.kind = HandleKind::LimitEnd(params[end]);
        }
        let (param, now, other) = (params[end], values[end], values[1 - end]);
        let angle = if end == 0 { angle.min(other) } else { angle.max(other) };
        let range = session.inspection().system().def(param).range;
        let angle = angle.clamp(range.0, range.1);
        if (angle - now).abs() < 1e-3 {
            return None;
        }
        // A factor of 0 would make all values equal permanently.
        let factor = (now.abs() > 0.05 && angle / now > 1e-2).then_some(angle / now);
        Some(param_command(session, param, angle, factor))
    }

    fn show_behind(&self, overlay: &OverlayPainter<'_>, active: Option<ActiveHandle>) {
        let brighter = if self.is_highlighted { 1.6 } else { 1.0 };
        self.swings.iter().for_each(|swing| swing.paint(overlay, brighter));
        let hot = self.active_end(active);
        self.fans.iter().for_each(|fan| fan.paint(overlay, hot, brighter));
    }

    /// Draws the labels of the ends on top of bones and rings.
    fn show(&self, overlay: &OverlayPainter<'_>, active: Option<ActiveHandle>, _: &Session) {
        let hot = self.active_end(active);
        self.fans.iter().filter(|fan| fan.is_prominent(hot)).for_each(|fan| fan.paint_labels(overlay, hot));
    }

    /// Shows buttons at the edge-on fans of the active joint. A click turns the view until the fan faces the eye.
    fn buttons_ui(&self, ui: &mut Ui, rect: Rect, view: &CameraView, cx: &mut UiContext<'_>) {
        let active = cx.selection().active;
        for shown in self.fans.iter().filter(|shown| Some(shown.grip.bone) == active) {
            let (Some(normal), head) = (shown.edge_on_normal, shown.grip.head) else { continue };
            let out = shown.fan.middle() - shown.fan.head;
            let away = shown.fan.head + out * LIVE_LINE_SHARE + out.normalize_or(Vec2::X) * FACE_BUTTON_OFFSET;
            let at = pos2(rect.left() + away.x, rect.top() + away.y);
            let button_rect = Rect::from_center_size(at, egui::Vec2::splat(size::HIT_MIN));
            if !rect.shrink(space::M).contains_rect(button_rect) || view.project(head).is_none() {
                continue;
            }
            let side = if shown.plane == LimitPlane::Y { "y" } else { "z" };
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

    fn mark(&self) -> Option<TipPart> {
        (!self.fans.is_empty() || !self.swings.is_empty()).then_some(TipPart::AngleLimit)
    }
}

/// Returns the origin and the rotation of the fans of a joint.
fn fan_frame(session: &Session, joint: &JointSetup) -> Option<(Vec3, Quat)> {
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

fn joint_fans(session: &Session, view: &CameraView, joint: &JointSetup, seen: &PickableJoint) -> Vec<FanShape> {
    let Some((_, pivot)) = fan_frame(session, joint) else { return Vec::new() };
    let reach =
        (seen.head.distance(seen.tip) * FAN_LENGTH_SHARE).max(view.metres_per_pixel(seen.head) * FAN_MIN_LENGTH);
    let mut found = Vec::new();
    for (plane, params) in limits(session, joint) {
        let degrees = params.map(|param| joint.values.get(param));
        let Some(fan) = overlay::limit_fan(view, seen.head, pivot, plane, degrees, seen.tip - seen.head, reach) else {
            continue;
        };
        let [forward, across] = plane.axes(pivot);
        let (normal, sight) = (forward.cross(across), (seen.head - view.eye).normalize_or(view.forward));
        let is_edge_on = normal.dot(sight).abs() < EDGE_ON_SINE;
        found.push(FanShape {
            grip: AimGrip {
                bone: seen.bone,
                pixel: fan.current,
                outwards: (fan.current - fan.head).normalize_or(Vec2::Y),
                head: seen.head,
                direction: (seen.tip - seen.head).normalize_or(forward),
                reach: reach * LIVE_LINE_SHARE,
                fan: Some(AimFan { plane, pivot, limits: degrees }),
                is_shown: false,
            },
            fan,
            plane,
            params,
            degrees,
            is_main: false,
            edge_on_normal: is_edge_on.then_some(if normal.dot(sight) > 0.0 { -normal } else { normal }),
        });
    }
    // Only the fan that faces the eye is prominent. Two prominent fans would hide each other.
    found.sort_by(|a, b| a.fan.area().total_cmp(&b.fan.area()));
    if let Some(last) = found.last_mut() {
        last.is_main = true;
        last.grip.is_shown = is_movable_by_hand(session, seen.bone);
    }
    found
}

impl FanShape {
    const fn end_id(&self, end: usize) -> HandleId {
        HandleId::bone(self.grip.bone, HandleKind::LimitEnd(self.params[end]))
    }

    fn handles(&self) -> [Handle; 2] {
        [0, 1].map(|end| Handle {
            value: Vec3::X * self.degrees[end],
            pick_distance: if self.is_main { PICK_DISTANCE } else { PICK_DISTANCE_MINOR },
            is_minor: !self.is_main,
            ..Handle::dot(self.end_id(end), self.grip.head, self.fan.ends()[end], Color32::PLACEHOLDER)
        })
    }

    /// Returns whether the fan is drawn with its labels. While an end is dragged or hovered, the other fans of the joint
    /// are fainter.
    fn is_prominent(&self, hot: Option<ActiveHandle>) -> bool {
        let Some(hot) = hot.filter(|hot| hot.id.target == HandleTarget::Bone(self.grip.bone)) else {
            return self.is_main;
        };
        [0, 1].into_iter().any(|end| self.end_id(end) == hot.id)
    }

    /// Draws the fan and its ends. `hot` is the hovered or dragged end, or the end that a joint has reached by hand.
    fn paint(&self, overlay: &OverlayPainter<'_>, hot: Option<ActiveHandle>, brighter: f32) {
        let color = overlay.theme.color.limit;
        let main = self.is_prominent(hot);
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
        for (end, pixel) in fan.ends().into_iter().enumerate() {
            let hot = hot.is_some_and(|hot| hot.id == self.end_id(end));
            let radius = match (hot, main) {
                (true, _) => HANDLE_RADIUS_HOT,
                (false, true) => HANDLE_RADIUS,
                (false, false) => HANDLE_RADIUS_MINOR,
            };
            let rim = if hot { Stroke::new(1.5, overlay.theme.color.bone) } else { Stroke::NONE };
            overlay.dot(pixel, radius, faded(color, if main { 1.0 } else { 0.7 }), rim);
        }
    }

    /// Draws the degrees at the ends, as a tag while an end is dragged.
    fn paint_labels(&self, overlay: &OverlayPainter<'_>, hot: Option<ActiveHandle>) {
        let ends = self.fan.ends();
        // Ends at the same position get labels in opposite directions. The ends meet if the fan is edge-on, almost
        // closed, or almost full.
        let close = ends[0].distance(ends[1]) < MIN_LABEL_GAP;
        for (end, pixel) in ends.into_iter().enumerate() {
            let is_held = hot.is_some_and(|hot| hot.is_held && hot.id == self.end_id(end));
            let gap = if is_held { TAG_OFFSET } else { LABEL_OFFSET };
            let (anchor, shift) = match (close, end) {
                (true, 0) => (Align2::RIGHT_CENTER, Vec2::new(-gap, 0.0)),
                (true, _) => (Align2::LEFT_CENTER, Vec2::new(gap, 0.0)),
                (false, _) => anchor_of(pixel - self.fan.middle(), gap),
            };
            let text = degrees_text(self.degrees[end]);
            if is_held {
                overlay.tag(overlay.screen_pos(pixel + shift), anchor, text, None);
            } else {
                overlay.text(pixel + shift, anchor, &text, overlay.theme.color.limit);
            }
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

/// Minimum length of a limit in points, and its length as a share of the joint's length.
const SWING_MIN_LENGTH: f32 = 60.0;
const SWING_LENGTH_SHARE: f32 = 1.1;

#[derive(Clone, Debug)]
struct SwingLimitShape {
    swing: SwingOutline,
    grip: AimGrip,
    is_fan: bool,
}

fn joint_swing_limit(
    session: &Session,
    view: &CameraView,
    seen: &PickableJoint,
    limit: &SwingLimit,
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
        fan: plane.map(|(limit, pivot)| AimFan { plane: LimitPlane::Y, pivot, limits: [-limit, limit] }),
        is_shown: is_movable_by_hand(session, seen.bone),
    };
    Some(SwingLimitShape { swing, grip, is_fan: fan.is_some() })
}

impl SwingLimitShape {
    fn paint(&self, overlay: &OverlayPainter<'_>, brighter: f32) {
        let color = overlay.theme.color.limit;
        let Self { swing, is_fan, .. } = self;
        let fill = faded(color, alpha::FAN_FILL * brighter);
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
