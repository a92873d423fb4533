//! The edge of an angle limit in the hand.

use super::fans::{FanEnd, place};
use super::figure::Figure;
use super::grips::Keys;
use crate::session::{Command, Session, Values};
use crate::stage::{Shot, fan_angle, turned_about};
use glam::{Quat, Vec2, Vec3};

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
    pub(super) fn under(figure: &Figure, at: Vec2) -> Option<FanEnd> {
        let ends = figure.fans.iter().flat_map(|fan| fan.ends);
        let near = ends.filter(|end| end.pixel.distance(at) <= if end.main { PICK } else { PICK_QUIET });
        let order = |end: &FanEnd| if end.main { end.pixel.distance(at) } else { PICK + end.pixel.distance(at) };
        near.min_by(|a, b| order(a).total_cmp(&order(b)))
    }

    /// Follows the pointer; gives back what is to be changed, if anything. A limit never passes the other one. Values
    /// that differ along what is tuned keep their proportion.
    pub(super) fn follow(&mut self, session: &Session, shot: &Shot, at: Vec2, keys: Keys) -> Option<Command> {
        let index = session.joint_index(self.end.bone)?;
        let joint = session.resolved().systems.get(index.system as usize)?.joints.get(index.joint as usize)?;
        let (head, pivot) = place(session, joint)?;
        self.end = FanEnd { head, pivot, ..self.end };
        let step = if keys.snap { SNAP } else { 0.1 };
        let angle = self.aim((head, pivot), shot, at, keys);
        let angle = ((f64::from(angle) / f64::from(step)).round() * f64::from(step)) as f32;
        if !self.changed && (joint.values.get(self.end.other) - self.end.value).abs() < 0.5 {
            // Both edges lie on one spot: the one that opens that way is meant.
            let is_low = angle < self.end.value;
            if is_low != self.end.is_low {
                self.end = FanEnd { row: self.end.other, other: self.end.row, is_low, ..self.end };
            }
        }
        let other = joint.values.get(self.end.other);
        let angle = if self.end.is_low { angle.min(other) } else { angle.max(other) };
        let range = session.system().def(self.end.row).range;
        let angle = angle.clamp(range.0, range.1);
        let now = joint.values.get(self.end.row);
        if (angle - now).abs() < 1e-3 {
            return None;
        }
        self.end.value = angle;
        self.changed = true;
        let view = session.row_view(self.end.row);
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
