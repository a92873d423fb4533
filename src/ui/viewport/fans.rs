//! Angle limits as fans, and how far bodies swing: which are shown, where their edges can be held, what a drag changes.

use super::figure::{Figure, Joint};
use super::ink::Ink;
use super::pull::{Keys, rounded};
use crate::rig::BoneId;
use crate::schema::{Idea, Row};
use crate::session::{Command, Scope, Session, Values};
use crate::sim::{JointSetup, SwingLimit, SwingShape};
use crate::stage::overlay::{self, Fan, FanSide, Opening, Swing};
use crate::stage::{Shot, fan_angle, turned_about};
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use crate::ui::{Cx, Lit};
use egui::{Align2, Rect, Sense, Stroke, StrokeKind, Ui, pos2};
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::{FRAC_PI_2, PI};

/// Length of a fan at least, points, and as a share of its joint.
const FAN_LEAST: f32 = 76.0;
const FAN_SHARE: f32 = 1.15;
/// Radius of an edge's handle; of one that is pointed at; of one of the quieter fan.
const DOT: f32 = 4.5;
const DOT_LIT: f32 = 6.0;
const DOT_QUIET: f32 = 3.2;
/// A fan whose plane is seen at less than this sine of an angle is as good as a line.
const EDGE_ON: f32 = 0.3;
/// Ends nearer to each other than this have no room for words between them, points.
const WORDS_APART: f32 = 26.0;
/// From an end to its degrees, and to the tag with them while the end is dragged and the pointer covers it; points.
const WORDS_GAP: f32 = 9.0;
const TAG_GAP: f32 = 18.0;
/// From the round edge of a fan to the button that turns the view square to it, points.
const FACE_AWAY: f32 = 22.0;

/// One end of a limit, to be held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FanEnd {
    /// The joint.
    pub bone: BoneId,
    /// Whose number it is; and that of the other end.
    pub row: Row,
    pub other: Row,
    /// The least angle, not the greatest.
    pub is_low: bool,
    pub side: FanSide,
    /// Head of the joint, metres in the world.
    pub head: Vec3,
    /// Rotation of its pivot.
    pub pivot: Quat,
    /// Degrees.
    pub value: f32,
    /// Where it is drawn.
    pub pixel: Vec2,
    /// Belongs to the fan that faces the eye.
    pub main: bool,
}

/// A fan as it is shown now.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    fan: Fan,
    pub ends: [FanEnd; 2],
    main: bool,
    lit: bool,
    /// Across the fan's plane, unit length, towards the side of the eye; only of a fan that is seen edge-on.
    edge_on: Option<Vec3>,
}

/// Buttons at the fans of the active joint that are seen edge-on: each turns the view square to its fan.
pub(super) fn face_ui(ui: &mut Ui, rect: Rect, shot: &Shot, fans: &[Shown], cx: &mut Cx<'_>) {
    let active = cx.session().selection().active;
    for shown in fans.iter().filter(|shown| Some(shown.ends[0].bone) == active) {
        let (Some(normal), head) = (shown.edge_on, shown.ends[0].head) else { continue };
        let out = (shown.fan.middle() - shown.fan.head).normalize_or(Vec2::X);
        let away = shown.fan.middle() + out * FACE_AWAY;
        let at = pos2(rect.left() + away.x, rect.top() + away.y);
        let place = Rect::from_center_size(at, egui::Vec2::splat(size::HIT_MIN));
        if !rect.shrink(space::M).contains_rect(place) || shot.project(head).is_none() {
            continue;
        }
        let side = if shown.ends[0].side == FanSide::Y { "y" } else { "z" };
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
            cx.state.look_wanted = Some([head, normal]);
        }
    }
}

/// The fans of the joints that are tuned one by one, or of the active one of a chain.
pub(super) fn fans(cx: &Cx<'_>, shot: &Shot, figure: &Figure) -> Vec<Shown> {
    let session = cx.session();
    let lit = cx.state.lit == Some(Lit::Idea(Idea::Limit));
    if !cx.state.prefs.toggles.limits && !lit {
        return Vec::new();
    }
    let mut found = Vec::new();
    let resolved = session.resolved();
    let tuned = resolved.systems.iter().zip(&resolved.ids).filter(|(_, id)| **id == session.inspection().system_id());
    for joint in tuned.flat_map(|(system, _)| &system.joints) {
        let single = session.selection().scope == Scope::Joints;
        let is_meant = single || session.selection().active == Some(joint.bone);
        if let Some(seen) = figure.joint(joint.bone).filter(|j| j.selected && is_meant) {
            found.extend(of_joint(session, shot, joint, seen, lit));
        }
    }
    found
}

/// Where the fans of a joint begin, and the turn that they are measured in.
pub(super) fn place(session: &Session, joint: &JointSetup) -> Option<(Vec3, Quat)> {
    if let Some(hinge) = session.inspection().hinge(joint.bone) {
        return Some((hinge.head, overlay::hinge_pivot(hinge.axle(), hinge.zero)?));
    }
    let frame = |bone: BoneId| session.playback().shown().frames.get(bone.index());
    Some((frame(joint.bone)?.position, frame(joint.pivot?)?.rotation))
}

/// The limits that a joint has: their sides, and the rows of the least and the greatest angle.
fn limits(session: &Session, joint: &JointSetup) -> Vec<(FanSide, [Row; 2])> {
    if let Some(hinge) = session.inspection().hinge(joint.bone) {
        return hinge.limits.map(|_| (FanSide::Y, hinge.rows)).into_iter().collect();
    }
    session
        .inspection()
        .pivot_limits()
        .filter(|(_, limits)| joint.values.get(limits.active) != 0.0)
        .map(|(side, limits)| (side, [limits.min, limits.max]))
        .collect()
}

fn of_joint(session: &Session, shot: &Shot, joint: &JointSetup, seen: &Joint, lit: bool) -> Vec<Shown> {
    let Some((_, pivot)) = place(session, joint) else { return Vec::new() };
    let reach = (seen.head.distance(seen.tip) * FAN_SHARE).max(shot.metres_per_pixel(seen.head) * FAN_LEAST);
    let mut found = Vec::new();
    for (side, [min, max]) in limits(session, joint) {
        let degrees = [min, max].map(|row| joint.values.get(row));
        let place = (seen.head, pivot);
        let Some(fan) = overlay::fan(shot, place, side, degrees, (seen.tip - seen.head, reach)) else { continue };
        let end = |i: usize| FanEnd {
            bone: seen.bone,
            row: [min, max][i],
            other: [max, min][i],
            is_low: i == 0,
            side,
            head: seen.head,
            pivot,
            value: degrees[i],
            pixel: fan.ends()[i],
            main: false,
        };
        let [forward, across] = side.axes(pivot);
        let (normal, sight) = (forward.cross(across), (seen.head - shot.eye).normalize_or(shot.forward));
        let is_edge_on = normal.dot(sight).abs() < EDGE_ON;
        let edge_on = is_edge_on.then_some(if normal.dot(sight) > 0.0 { -normal } else { normal });
        found.push(Shown { ends: [end(0), end(1)], fan, main: false, lit, edge_on });
    }
    // Of two planes the one that faces the eye speaks; the other stays quiet, or they would hide each other.
    found.sort_by(|a, b| a.fan.area().total_cmp(&b.fan.area()));
    if let Some(last) = found.last_mut() {
        last.main = true;
        last.ends.iter_mut().for_each(|end| end.main = true);
    }
    found
}

/// Draws fans; gives back the degrees, which are written when bones and rings are there. `hot` is the edge that is
/// pointed at, or dragged where `held`.
pub(super) fn show(ink: &Ink<'_>, fans: &[Shown], hot: Option<FanEnd>, held: bool) -> Vec<Degrees> {
    let mut words = Vec::new();
    for shown in fans {
        // While one is held or pointed at, the others stay quiet.
        let others = hot.is_some_and(|hot| shown.ends.iter().all(|end| end.bone == hot.bone && end.side != hot.side));
        shown.paint(ink, (hot, held), others, &mut words);
    }
    words
}

impl Shown {
    fn paint(&self, ink: &Ink<'_>, (hot, held): (Option<FanEnd>, bool), quiet: bool, words: &mut Vec<Degrees>) {
        let color = ink.theme.color.limit;
        let is_hot = |end: &FanEnd| hot.is_some_and(|hot| hot.row == end.row && hot.bone == end.bone);
        let main = (self.main && !quiet) || self.ends.iter().any(is_hot);
        let brighter = if self.lit { 1.6 } else { 1.0 };
        let (fill, line) = if main { (alpha::FAN_FILL, 1.0) } else { (alpha::FAN_FILL_IDLE, 0.45) };
        let (fill, line) = (fill * brighter, (line * brighter).min(1.0));
        let fan = &self.fan;
        ink.slice(fan.head, &fan.arc, faded(color, fill));
        let mut edge = vec![fan.head];
        edge.extend(&fan.arc);
        edge.push(fan.head);
        if main {
            ink.line(&edge, stroke::FAN_EDGE, color);
            ink.dashes(fan.head, fan.live, 1.25, color);
        } else {
            ink.line(&edge, stroke::HAIRLINE, faded(color, line));
        }
        // Words at one spot lead away from each other: a fan seen as a line, or one that is nearly shut or a full round.
        let close = self.ends[0].pixel.distance(self.ends[1].pixel) < WORDS_APART;
        for end in &self.ends {
            let hot = is_hot(end);
            let radius = match (hot, main) {
                (true, _) => DOT_LIT,
                (false, true) => DOT,
                (false, false) => DOT_QUIET,
            };
            let rim = if hot { Stroke::new(1.5, ink.theme.color.bone) } else { Stroke::NONE };
            ink.dot(end.pixel, radius, faded(color, if main { 1.0 } else { 0.7 }), rim);
            if main {
                let is_held = held && hot;
                let gap = if is_held { TAG_GAP } else { WORDS_GAP };
                let (anchor, shift) = match (close, end.is_low) {
                    (true, true) => (Align2::RIGHT_CENTER, Vec2::new(-gap, 0.0)),
                    (true, false) => (Align2::LEFT_CENTER, Vec2::new(gap, 0.0)),
                    (false, _) => anchor_of(end.pixel - fan.middle(), gap),
                };
                words.push(Degrees { at: end.pixel + shift, anchor, words: degrees(end.value), is_held });
            }
        }
    }
}

/// Degrees at the end of a limit, to be written over everything else.
pub(super) struct Degrees {
    at: Vec2,
    anchor: Align2,
    words: String,
    /// The end is being dragged.
    is_held: bool,
}

impl Degrees {
    /// Writes them, on a tag while the end is dragged.
    pub(super) fn write(self, ink: &Ink<'_>) {
        if self.is_held {
            ink.tag(ink.at(self.at), self.anchor, self.words, None);
        } else {
            ink.words(self.at, self.anchor, &self.words, ink.theme.color.limit);
        }
    }
}

fn degrees(value: f32) -> String {
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
const PICK: f32 = 10.0;
const PICK_QUIET: f32 = 7.0;
/// What Ctrl snaps to, degrees.
const SNAP: f32 = 5.0;

/// The edge of a limit that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FanHold {
    pub end: FanEnd,
    /// Where the pointer was last.
    pointer: Vec2,
    /// Where the edge is wanted, and how far the pointer is ahead of it; degrees.
    aim: f32,
    ahead: Option<f32>,
    /// Whether anything was asked for yet, so that there is a step to take back.
    pub changed: bool,
}

impl FanHold {
    /// With the pointer at a pixel; nothing leaps there.
    pub(super) const fn new(end: FanEnd, at: Vec2) -> Self {
        Self { end, pointer: at, aim: end.value, ahead: None, changed: false }
    }

    /// The edge that lies under a place; of two fans that of the one that faces the eye.
    pub(super) fn under(fans: &[Shown], at: Vec2) -> Option<FanEnd> {
        let ends = fans.iter().flat_map(|fan| fan.ends);
        let near = ends.filter(|end| end.pixel.distance(at) <= if end.main { PICK } else { PICK_QUIET });
        let order = |end: &FanEnd| if end.main { end.pixel.distance(at) } else { PICK + end.pixel.distance(at) };
        near.min_by(|a, b| order(a).total_cmp(&order(b)))
    }

    /// Follows the pointer; gives back what is to be changed, if anything. A limit never passes the other one. Values
    /// that differ along what is tuned keep their proportion.
    pub(super) fn follow(&mut self, session: &Session, shot: &Shot, at: Vec2, keys: Keys) -> Option<Command> {
        let index = session.playback().joint_index(self.end.bone)?;
        let joint = session.resolved().systems.get(index.system as usize)?.joints.get(index.joint as usize)?;
        let (head, pivot) = place(session, joint)?;
        self.end = FanEnd { head, pivot, ..self.end };
        let step = if keys.snap { SNAP } else { 0.1 };
        let angle = self.aim((head, pivot), shot, at, keys);
        let angle = rounded(angle, step);
        if !self.changed && (joint.values.get(self.end.other) - self.end.value).abs() < 0.5 {
            // Both edges lie on one spot: the one that opens that way is meant.
            let is_low = angle < self.end.value;
            if is_low != self.end.is_low {
                self.end = FanEnd { row: self.end.other, other: self.end.row, is_low, ..self.end };
            }
        }
        let other = joint.values.get(self.end.other);
        let angle = if self.end.is_low { angle.min(other) } else { angle.max(other) };
        let range = session.inspection().system().def(self.end.row).range;
        let angle = angle.clamp(range.0, range.1);
        let now = joint.values.get(self.end.row);
        if (angle - now).abs() < 1e-3 {
            return None;
        }
        self.end.value = angle;
        self.changed = true;
        let view = session.inspection().row_view(self.end.row);
        let differs = view.curved || matches!(view.values, Values::Mixed { .. });
        // A factor of 0 would make all values equal for good.
        let command = if differs && now.abs() > 0.05 && angle / now > 1e-2 {
            Command::Scale(self.end.row, angle / now)
        } else {
            Command::Set(self.end.row, angle)
        };
        Some(command)
    }

    /// The angle that is wanted: with the pointer, or with Shift by a tenth of its way, whatever the joint does below.
    fn aim(&mut self, place: (Vec3, Quat), shot: &Shot, at: Vec2, keys: Keys) -> f32 {
        let from = std::mem::replace(&mut self.pointer, at);
        let [before, now] = [from, at].map(|pixel| fan_angle(shot, place, self.end.side, pixel));
        let (Some(before), Some(now)) = (before, now) else {
            // Seen as a line it is turned like a ring.
            let [forward, across] = self.end.side.axes(place.1);
            let turned = turned_about(shot, place.0, forward.cross(across), from, at);
            self.aim += turned.to_degrees() * keys.pace();
            self.ahead = None;
            return self.aim;
        };
        let ahead = *self.ahead.get_or_insert(before - self.aim);
        if keys.fine {
            self.aim += shortest(now - before) * keys.pace();
            self.ahead = Some(now - self.aim);
        } else {
            // Limits of a hinge may lie beyond half a round.
            self.aim += shortest(now - ahead - self.aim);
        }
        self.aim
    }
}

/// The same turn within half a round, degrees.
fn shortest(degrees: f32) -> f32 {
    (degrees + 180.0).rem_euclid(360.0) - 180.0
}

/// Length of a limit at least, points, and as a share of its joint.
const LEAST: f32 = 60.0;
const SHARE: f32 = 1.1;

/// A limit as it is shown now.
#[derive(Clone, Debug)]
pub(super) struct SwingsShown {
    swing: Swing,
    is_fan: bool,
    lit: bool,
}

/// The limits of the joints that are tuned one by one, or of the active one of a chain.
pub(super) fn swings(cx: &Cx<'_>, shot: &Shot, figure: &Figure) -> Vec<SwingsShown> {
    let session = cx.session();
    let lit = cx.state.lit == Some(Lit::Idea(Idea::Limit));
    if !cx.state.prefs.toggles.limits && !lit {
        return Vec::new();
    }
    let single = session.selection().scope == Scope::Joints;
    let limited = session.resolved().systems.iter().flat_map(|s| s.joints.iter().zip(&s.vrm));
    let limited = limited.filter_map(|(joint, vrm)| Some((joint.bone, vrm.limit?)));
    let meant = limited.filter(|(bone, _)| single || session.selection().active == Some(*bone));
    let seen = meant.filter_map(|(bone, limit)| Some((figure.joint(bone).filter(|j| j.selected)?, limit)));
    seen.filter_map(|(joint, limit)| of_joint_swings(session, shot, joint, &limit, lit)).collect()
}

fn of_joint_swings(session: &Session, shot: &Shot, seen: &Joint, limit: &SwingLimit, lit: bool) -> Option<SwingsShown> {
    let skeleton = &session.resolved().skeleton;
    let offset = session.playback().world().tip_offset(session.playback().joint_index(seen.bone)?)?;
    let rest = skeleton.bones().get(seen.bone.index())?.rest.rotation;
    let parent = skeleton.parent_of(seen.bone).and_then(|p| session.playback().shown().frames.get(p.index()));
    let parent = parent.map_or(Quat::IDENTITY, |frame| frame.rotation);
    let turn = parent * limit.in_parent(rest, offset.normalize_or(Vec3::Y));
    let reach = (seen.head.distance(seen.tip) * SHARE).max(shot.metres_per_pixel(seen.head) * LEAST);
    // As the solver takes them.
    let opening = match limit.shape {
        SwingShape::Cone { angle } => Opening::Cone(angle.clamp(0.0, PI)),
        SwingShape::Hinge { angle } => Opening::Fan(angle.clamp(0.0, PI)),
        SwingShape::Spherical { pitch, yaw } => Opening::Patch([pitch.clamp(0.0, PI), yaw.clamp(0.0, FRAC_PI_2)]),
    };
    let swing = overlay::swing(shot, (seen.head, turn), opening, (seen.tip - seen.head, reach))?;
    Some(SwingsShown { swing, is_fan: matches!(opening, Opening::Fan(_)), lit })
}

/// Draws limits.
pub(super) fn show_swings(ink: &Ink<'_>, swings: &[SwingsShown]) {
    let color = ink.theme.color.limit;
    for SwingsShown { swing, is_fan, lit } in swings {
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
        ink.dashes(swing.head, swing.live, 1.25, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_have_a_true_minus_and_a_decimal_only_where_it_says_something() {
        for (value, words) in [(-50.0, "−50°"), (0.0, "0°"), (-0.01, "0°"), (12.3, "12.3°")] {
            assert_eq!(degrees(value), words);
        }
    }
}
