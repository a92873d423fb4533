//! Angle limits as fans, and how far bodies swing: which are shown, where their edges can be held, what a drag changes.

use super::handle_drag::{DragModifiers, rounded_to};
use super::overlay_painter::OverlayPainter;
use super::pickables::{PickableJoint, Pickables};
use crate::params::{ParamId, ParamMeaning};
use crate::rig::BoneId;
use crate::session::{Command, Session, TuningScope, ValueSummary};
use crate::sim::{JointSetup, SwingLimit, SwingShape};
use crate::stage::overlay::{self, FanPlane, LimitFan, SwingOutline, SwingRange};
use crate::stage::{CameraView, drag_angle_about, fan_angle};
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use crate::ui::{Highlight, UiContext};
use egui::{Align2, Rect, Sense, Stroke, StrokeKind, Ui, pos2};
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::{FRAC_PI_2, PI};

/// Length of a fan at least, points, and as a share of its joint.
const FAN_MIN_LENGTH: f32 = 76.0;
const FAN_LENGTH_SHARE: f32 = 1.15;
/// Radius of an edge's handle; of one that is pointed at; of one of the quieter fan.
const HANDLE_RADIUS: f32 = 4.5;
const HANDLE_RADIUS_HOT: f32 = 6.0;
const HANDLE_RADIUS_MINOR: f32 = 3.2;
/// A fan whose plane is seen at less than this sine of an angle is as good as a line.
const EDGE_ON_SINE: f32 = 0.3;
/// Ends nearer to each other than this have no room for words between them, points.
const MIN_LABEL_GAP: f32 = 26.0;
/// From an end to its degrees, and to the tag with them while the end is dragged and the pointer covers it; points.
const LABEL_OFFSET: f32 = 9.0;
const TAG_OFFSET: f32 = 18.0;
/// From the round edge of a fan to the button that turns the view square to it, points.
const FACE_BUTTON_OFFSET: f32 = 22.0;

/// One end of a limit, to be held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LimitHandle {
    /// The joint.
    pub bone: BoneId,
    /// Whose number it is; and that of the other end.
    pub param: ParamId,
    pub other_param: ParamId,
    /// The least angle, not the greatest.
    pub is_low: bool,
    pub side: FanPlane,
    /// Head of the joint, metres in the world.
    pub head: Vec3,
    /// Rotation of its pivot.
    pub pivot: Quat,
    /// Degrees.
    pub value: f32,
    /// Where it is drawn.
    pub pixel: Vec2,
    /// Belongs to the fan that faces the eye.
    pub is_main: bool,
}

/// A fan as it is shown now.
#[derive(Clone, Debug)]
pub(super) struct LimitGizmo {
    fan: LimitFan,
    pub handles: [LimitHandle; 2],
    is_main: bool,
    highlighted: bool,
    /// Across the fan's plane, unit length, towards the side of the eye; only of a fan that is seen edge-on.
    edge_on_normal: Option<Vec3>,
}

/// Buttons at the fans of the active joint that are seen edge-on: each turns the view square to its fan.
pub(super) fn face_limit_ui(ui: &mut Ui, rect: Rect, shot: &CameraView, fans: &[LimitGizmo], cx: &mut UiContext<'_>) {
    let active = cx.session().selection().active;
    for shown in fans.iter().filter(|shown| Some(shown.handles[0].bone) == active) {
        let (Some(normal), head) = (shown.edge_on_normal, shown.handles[0].head) else { continue };
        let out = (shown.fan.middle() - shown.fan.head).normalize_or(Vec2::X);
        let away = shown.fan.middle() + out * FACE_BUTTON_OFFSET;
        let at = pos2(rect.left() + away.x, rect.top() + away.y);
        let place = Rect::from_center_size(at, egui::Vec2::splat(size::HIT_MIN));
        if !rect.shrink(space::M).contains_rect(place) || shot.project(head).is_none() {
            continue;
        }
        let side = if shown.handles[0].side == FanPlane::Y { "y" } else { "z" };
        let name = cx.tr("viewport.face_limit");
        let response = ui.interact(place, ui.scope_id().with(("face_limit", side)), Sense::click());
        let c = cx.theme.color;
        ui.painter().rect(
            place,
            radius::BUTTON,
            c.popup,
            Stroke::new(stroke::EDGE, c.border_strong),
            StrokeKind::Inside,
        );
        let button =
            IconButton { icon_size: size::ICON_SMALL, color: Some(c.limit), ..IconButton::new(icons::EYE, &name) };
        if button.show_at(ui, place, response).clicked() {
            cx.state.view_direction_wanted = Some([head, normal]);
        }
    }
}

/// The fans of the joints that are tuned one by one, or of the active one of a chain.
pub(super) fn limit_gizmos(cx: &UiContext<'_>, shot: &CameraView, figure: &Pickables) -> Vec<LimitGizmo> {
    let session = cx.session();
    let lit = cx.state.highlight == Some(Highlight::Meaning(ParamMeaning::Limit));
    if !cx.state.prefs.toggles.limits && !lit {
        return Vec::new();
    }
    let mut found = Vec::new();
    let resolved = session.resolved();
    let tuned =
        resolved.systems.iter().zip(&resolved.system_ids).filter(|(_, id)| **id == session.inspection().system_id());
    for joint in tuned.flat_map(|(system, _)| &system.joints) {
        let single = session.selection().scope == TuningScope::Joints;
        let is_meant = single || session.selection().active == Some(joint.bone);
        if let Some(seen) = figure.joint(joint.bone).filter(|j| j.selected && is_meant) {
            found.extend(joint_limit_gizmos(session, shot, joint, seen, lit));
        }
    }
    found
}

/// Where the fans of a joint begin, and the turn that they are measured in.
pub(super) fn fan_frame(session: &Session, joint: &JointSetup) -> Option<(Vec3, Quat)> {
    if let Some(hinge) = session.inspection().hinge(joint.bone) {
        return Some((hinge.head, overlay::hinge_pivot(hinge.world_axis(), hinge.zero_direction)?));
    }
    let frame = |bone: BoneId| session.playback().displayed_pose().frames.get(bone.index());
    Some((frame(joint.bone)?.position, frame(joint.pivot?)?.rotation))
}

/// The limits that a joint has: their sides, and the rows of the least and the greatest angle.
fn limits(session: &Session, joint: &JointSetup) -> Vec<(FanPlane, [ParamId; 2])> {
    if let Some(hinge) = session.inspection().hinge(joint.bone) {
        return hinge.limits.map(|_| (FanPlane::Y, hinge.limit_params)).into_iter().collect();
    }
    session
        .inspection()
        .pivot_limits()
        .filter(|(_, limits)| joint.values.get(limits.active) != 0.0)
        .map(|(side, limits)| (side, [limits.min, limits.max]))
        .collect()
}

fn joint_limit_gizmos(
    session: &Session,
    shot: &CameraView,
    joint: &JointSetup,
    seen: &PickableJoint,
    lit: bool,
) -> Vec<LimitGizmo> {
    let Some((_, pivot)) = fan_frame(session, joint) else { return Vec::new() };
    let reach =
        (seen.head.distance(seen.tip) * FAN_LENGTH_SHARE).max(shot.metres_per_pixel(seen.head) * FAN_MIN_LENGTH);
    let mut found = Vec::new();
    for (side, [min, max]) in limits(session, joint) {
        let degrees = [min, max].map(|row| joint.values.get(row));
        let place = (seen.head, pivot);
        let Some(fan) = overlay::limit_fan(shot, place, side, degrees, (seen.tip - seen.head, reach)) else { continue };
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
        let (normal, sight) = (forward.cross(across), (seen.head - shot.eye).normalize_or(shot.forward));
        let is_edge_on = normal.dot(sight).abs() < EDGE_ON_SINE;
        let edge_on = is_edge_on.then_some(if normal.dot(sight) > 0.0 { -normal } else { normal });
        found.push(LimitGizmo {
            handles: [end(0), end(1)],
            fan,
            is_main: false,
            highlighted: lit,
            edge_on_normal: edge_on,
        });
    }
    // Of two planes the one that faces the eye speaks; the other stays quiet, or they would hide each other.
    found.sort_by(|a, b| a.fan.area().total_cmp(&b.fan.area()));
    if let Some(last) = found.last_mut() {
        last.is_main = true;
        last.handles.iter_mut().for_each(|end| end.is_main = true);
    }
    found
}

/// Draws fans; gives back the degrees, which are written when bones and rings are there. `hot` is the edge that is
/// pointed at, or dragged where `held`.
pub(super) fn show_limit_gizmos(
    ink: &OverlayPainter<'_>,
    fans: &[LimitGizmo],
    hot: Option<LimitHandle>,
    held: bool,
) -> Vec<DegreesLabel> {
    let mut words = Vec::new();
    for shown in fans {
        // While one is held or pointed at, the others stay quiet.
        let others =
            hot.is_some_and(|hot| shown.handles.iter().all(|end| end.bone == hot.bone && end.side != hot.side));
        shown.paint(ink, (hot, held), others, &mut words);
    }
    words
}

impl LimitGizmo {
    fn paint(
        &self,
        ink: &OverlayPainter<'_>,
        (hot, held): (Option<LimitHandle>, bool),
        quiet: bool,
        words: &mut Vec<DegreesLabel>,
    ) {
        let color = ink.theme.color.limit;
        let is_hot = |end: &LimitHandle| hot.is_some_and(|hot| hot.param == end.param && hot.bone == end.bone);
        let main = (self.is_main && !quiet) || self.handles.iter().any(is_hot);
        let brighter = if self.highlighted { 1.6 } else { 1.0 };
        let (fill, line) = if main { (alpha::FAN_FILL, 1.0) } else { (alpha::FAN_FILL_IDLE, 0.45) };
        let (fill, line) = (fill * brighter, (line * brighter).min(1.0));
        let fan = &self.fan;
        ink.slice(fan.head, &fan.arc, faded(color, fill));
        let mut edge = vec![fan.head];
        edge.extend(&fan.arc);
        edge.push(fan.head);
        if main {
            ink.line(&edge, stroke::FAN_EDGE, color);
            ink.dashed_segment(fan.head, fan.current, 1.25, color);
        } else {
            ink.line(&edge, stroke::HAIRLINE, faded(color, line));
        }
        // Words at one spot lead away from each other: a fan seen as a line, or one that is nearly shut or a full round.
        let close = self.handles[0].pixel.distance(self.handles[1].pixel) < MIN_LABEL_GAP;
        for end in &self.handles {
            let hot = is_hot(end);
            let radius = match (hot, main) {
                (true, _) => HANDLE_RADIUS_HOT,
                (false, true) => HANDLE_RADIUS,
                (false, false) => HANDLE_RADIUS_MINOR,
            };
            let rim = if hot { Stroke::new(1.5, ink.theme.color.bone) } else { Stroke::NONE };
            ink.dot(end.pixel, radius, faded(color, if main { 1.0 } else { 0.7 }), rim);
            if main {
                let is_held = held && hot;
                let gap = if is_held { TAG_OFFSET } else { LABEL_OFFSET };
                let (anchor, shift) = match (close, end.is_low) {
                    (true, true) => (Align2::RIGHT_CENTER, Vec2::new(-gap, 0.0)),
                    (true, false) => (Align2::LEFT_CENTER, Vec2::new(gap, 0.0)),
                    (false, _) => anchor_of(end.pixel - fan.middle(), gap),
                };
                words.push(DegreesLabel { at: end.pixel + shift, anchor, words: degrees_text(end.value), is_held });
            }
        }
    }
}

/// Degrees at the end of a limit, to be written over everything else.
pub(super) struct DegreesLabel {
    at: Vec2,
    anchor: Align2,
    words: String,
    /// The end is being dragged.
    is_held: bool,
}

impl DegreesLabel {
    /// Writes them, on a tag while the end is dragged.
    pub(super) fn paint(self, ink: &OverlayPainter<'_>) {
        if self.is_held {
            ink.tag(ink.screen_pos(self.at), self.anchor, self.words, None);
        } else {
            ink.text(self.at, self.anchor, &self.words, ink.theme.color.limit);
        }
    }
}

fn degrees_text(value: f32) -> String {
    let sign = if value <= -0.05 { "−" } else { "" };
    let decimals = usize::from((value - value.round()).abs() > 0.04);
    format!("{sign}{:.decimals$}°", value.abs())
}

/// Where words are placed so that they lead outwards, at least `gap` points from the end.
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

/// How near the pointer must be to the end of an edge; of one that does not face the eye.
const PICK_DISTANCE: f32 = 10.0;
const PICK_DISTANCE_MINOR: f32 = 7.0;
/// What Ctrl snaps to, degrees.
const SNAP_DEGREES: f32 = 5.0;

/// The edge of a limit that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LimitDrag {
    pub handle: LimitHandle,
    /// Where the pointer was last.
    pointer: Vec2,
    /// Where the edge is wanted, and how far the pointer is ahead of it; degrees.
    target_degrees: f32,
    pointer_lead: Option<f32>,
    /// Whether anything was asked for yet, so that there is a step to take back.
    pub changed: bool,
}

impl LimitDrag {
    /// With the pointer at a pixel; nothing leaps there.
    pub(super) const fn new(end: LimitHandle, at: Vec2) -> Self {
        Self { handle: end, pointer: at, target_degrees: end.value, pointer_lead: None, changed: false }
    }

    /// The edge that lies under a place; of two fans that of the one that faces the eye.
    pub(super) fn pick(fans: &[LimitGizmo], at: Vec2) -> Option<LimitHandle> {
        let ends = fans.iter().flat_map(|fan| fan.handles);
        let near =
            ends.filter(|end| end.pixel.distance(at) <= if end.is_main { PICK_DISTANCE } else { PICK_DISTANCE_MINOR });
        let order = |end: &LimitHandle| {
            if end.is_main { end.pixel.distance(at) } else { PICK_DISTANCE + end.pixel.distance(at) }
        };
        near.min_by(|a, b| order(a).total_cmp(&order(b)))
    }

    /// Follows the pointer; gives back what is to be changed, if anything. A limit never passes the other one. Values
    /// that differ along what is tuned keep their proportion.
    pub(super) fn update(
        &mut self,
        session: &Session,
        shot: &CameraView,
        at: Vec2,
        keys: DragModifiers,
    ) -> Option<Command> {
        let index = session.playback().joint_index(self.handle.bone)?;
        let joint = session.resolved().systems.get(index.system as usize)?.joints.get(index.joint as usize)?;
        let (head, pivot) = fan_frame(session, joint)?;
        self.handle = LimitHandle { head, pivot, ..self.handle };
        let step = if keys.snap { SNAP_DEGREES } else { 0.1 };
        let angle = self.update_target((head, pivot), shot, at, keys);
        let angle = rounded_to(angle, step);
        if !self.changed && (joint.values.get(self.handle.other_param) - self.handle.value).abs() < 0.5 {
            // Both edges lie on one spot: the one that opens that way is meant.
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
        let differs = view.has_curve || matches!(view.values, ValueSummary::Mixed { .. });
        // A factor of 0 would make all values equal for good.
        let command = if differs && now.abs() > 0.05 && angle / now > 1e-2 {
            Command::ScaleParam(self.handle.param, angle / now)
        } else {
            Command::SetParam(self.handle.param, angle)
        };
        Some(command)
    }

    /// The angle that is wanted: with the pointer, or with Shift by a tenth of its way, whatever the joint does below.
    fn update_target(&mut self, place: (Vec3, Quat), shot: &CameraView, at: Vec2, keys: DragModifiers) -> f32 {
        let from = std::mem::replace(&mut self.pointer, at);
        let [before, now] = [from, at].map(|pixel| fan_angle(shot, place, self.handle.side, pixel));
        let (Some(before), Some(now)) = (before, now) else {
            // Seen as a line it is turned like a ring.
            let [forward, across] = self.handle.side.axes(place.1);
            let turned = drag_angle_about(shot, place.0, forward.cross(across), from, at);
            self.target_degrees += turned.to_degrees() * keys.speed();
            self.pointer_lead = None;
            return self.target_degrees;
        };
        let ahead = *self.pointer_lead.get_or_insert(before - self.target_degrees);
        if keys.fine {
            self.target_degrees += wrap_degrees(now - before) * keys.speed();
            self.pointer_lead = Some(now - self.target_degrees);
        } else {
            // Limits of a hinge may lie beyond half a round.
            self.target_degrees += wrap_degrees(now - ahead - self.target_degrees);
        }
        self.target_degrees
    }
}

/// The same turn within half a round, degrees.
fn wrap_degrees(degrees: f32) -> f32 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

/// Length of a limit at least, points, and as a share of its joint.
const SWING_MIN_LENGTH: f32 = 60.0;
const SWING_LENGTH_SHARE: f32 = 1.1;

/// A limit as it is shown now.
#[derive(Clone, Debug)]
pub(super) struct SwingLimitShape {
    swing: SwingOutline,
    is_fan: bool,
    highlighted: bool,
}

/// The limits of the joints that are tuned one by one, or of the active one of a chain.
pub(super) fn swing_limits(cx: &UiContext<'_>, shot: &CameraView, figure: &Pickables) -> Vec<SwingLimitShape> {
    let session = cx.session();
    let lit = cx.state.highlight == Some(Highlight::Meaning(ParamMeaning::Limit));
    if !cx.state.prefs.toggles.limits && !lit {
        return Vec::new();
    }
    let single = session.selection().scope == TuningScope::Joints;
    let limited = session.resolved().systems.iter().flat_map(|s| s.joints.iter().zip(&s.vrm));
    let limited = limited.filter_map(|(joint, vrm)| Some((joint.bone, vrm.limit?)));
    let meant = limited.filter(|(bone, _)| single || session.selection().active == Some(*bone));
    let seen = meant.filter_map(|(bone, limit)| Some((figure.joint(bone).filter(|j| j.selected)?, limit)));
    seen.filter_map(|(joint, limit)| joint_swing_limit(session, shot, joint, &limit, lit)).collect()
}

fn joint_swing_limit(
    session: &Session,
    shot: &CameraView,
    seen: &PickableJoint,
    limit: &SwingLimit,
    lit: bool,
) -> Option<SwingLimitShape> {
    let skeleton = &session.resolved().skeleton;
    let offset = session.playback().world().tip_offset(session.playback().joint_index(seen.bone)?)?;
    let rest = skeleton.bones().get(seen.bone.index())?.rest.rotation;
    let parent = skeleton.get_parent(seen.bone).and_then(|p| session.playback().displayed_pose().frames.get(p.index()));
    let parent = parent.map_or(Quat::IDENTITY, |frame| frame.rotation);
    let turn = parent * limit.in_parent(rest, offset.normalize_or(Vec3::Y));
    let reach =
        (seen.head.distance(seen.tip) * SWING_LENGTH_SHARE).max(shot.metres_per_pixel(seen.head) * SWING_MIN_LENGTH);
    // As the solver takes them.
    let opening = match limit.shape {
        SwingShape::Cone { angle } => SwingRange::Cone(angle.clamp(0.0, PI)),
        SwingShape::Hinge { angle } => SwingRange::Hinge(angle.clamp(0.0, PI)),
        SwingShape::Spherical { pitch, yaw } => {
            SwingRange::Spherical([pitch.clamp(0.0, PI), yaw.clamp(0.0, FRAC_PI_2)])
        }
    };
    let swing = overlay::swing_outline(shot, (seen.head, turn), opening, (seen.tip - seen.head, reach))?;
    Some(SwingLimitShape { swing, is_fan: matches!(opening, SwingRange::Hinge(_)), highlighted: lit })
}

/// Draws limits.
pub(super) fn show_swing_limits(ink: &OverlayPainter<'_>, swings: &[SwingLimitShape]) {
    let color = ink.theme.color.limit;
    for SwingLimitShape { swing, is_fan, highlighted: lit } in swings {
        let fill = faded(color, alpha::FAN_FILL * if *lit { 1.6 } else { 1.0 });
        if *is_fan {
            ink.slice(swing.head, &swing.rim, fill);
        } else {
            ink.slice(swing.middle, &swing.rim, fill);
            ink.slice(swing.head, &swing.rim, faded(color, alpha::FAN_FILL_IDLE));
        }
        for spoke in &swing.spokes {
            ink.line(spoke, if *is_fan { stroke::FAN_EDGE } else { stroke::HAIRLINE }, color);
        }
        ink.line(&swing.rim, stroke::FAN_EDGE, color);
        ink.dashed_segment(swing.head, swing.current, 1.25, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_written_with_a_minus_sign_and_without_zero_decimals() {
        for (value, words) in [(-50.0, "−50°"), (0.0, "0°"), (-0.01, "0°"), (12.3, "12.3°")] {
            assert_eq!(degrees_text(value), words);
        }
    }
}
