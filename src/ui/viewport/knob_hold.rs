//! The knob of a hinge or a body in the hand.

use super::grips::{Keys, rounded};
use super::ink::Ink;
use super::knobs::{Knob, KnobKind, axle_reach, side_out};
use crate::schema::Row;
use crate::session::{Command, Session, Values};
use crate::sim::solver::{anim_dynamics as body, hinge};
use crate::stage::overlay::Ball;
use crate::stage::{Constraint, Drag, Shot};
use egui::Align2;
use glam::{Quat, Vec2, Vec3};

/// What Ctrl snaps lengths to, and what they are rounded to without; metres.
const SNAP: f32 = 1e-3;
const FINEST: f32 = 1e-4;
/// What parts of an axis are rounded to.
const AXIS_STEP: f32 = 1e-3;

/// A knob that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KnobHold {
    pub knob: Knob,
    drag: Drag,
    /// The rows that it changes as they were.
    start: Vec3,
    /// The box's turn then, and metres in the world for one of its numbers.
    turn: Quat,
    size: f32,
    /// The axis leaves its ball on the side of the eye.
    faces: bool,
    /// Where the pointer was last, and where it would be had it moved as slowly as Shift asks.
    pointer: Vec2,
    aim: Vec2,
    /// Whether anything was asked for yet, so that there is a step to take back.
    pub changed: bool,
}

/// The rows that a knob changes.
fn rows(kind: KnobKind) -> [Row; 3] {
    match kind {
        KnobKind::Axis => hinge::AXIS_OF,
        KnobKind::Side(..) => body::BOX_EXTENTS,
        KnobKind::Joint | KnobKind::Body => body::LOCAL_JOINT_OFFSET,
    }
}

fn values(session: &Session, knob: Knob) -> Option<Vec3> {
    let index = session.joint_index(knob.bone)?;
    let joint = session.resolved().systems.get(index.system as usize)?.joints.get(index.joint as usize)?;
    Some(Vec3::from(rows(knob.kind).map(|row| joint.values.get(row))))
}

impl KnobHold {
    /// With the pointer at a pixel; nothing leaps there.
    pub(super) fn new(session: &Session, shot: &Shot, knob: Knob, at: Vec2) -> Option<Self> {
        let start = values(session, knob)?;
        let own = Self {
            knob,
            drag: Drag::begin(knob.at, at, Constraint::View),
            start,
            turn: Quat::IDENTITY,
            size: 1.0,
            faces: true,
            pointer: at,
            aim: at,
            changed: false,
        };
        if knob.kind == KnobKind::Axis {
            let hinge = session.hinge(knob.bone)?;
            let ball = Ball::new(shot, hinge.head, axle_reach(shot, hinge.head))?;
            let faces = ball.faces(hinge.axle());
            return Some(Self { start: hinge.axis, faces, aim: ball.pixel(hinge.axle()), ..own });
        }
        let seen = session.body_box(knob.bone)?;
        let constraint = match knob.kind {
            KnobKind::Side(axis, positive) => Constraint::Axis(side_out(&seen, axis, positive)),
            _ => Constraint::View,
        };
        Some(Self { drag: Drag::begin(knob.at, at, constraint), turn: seen.rotation, size: seen.size, ..own })
    }

    /// Whether it still has what it holds: a hinge or a body on the bone.
    pub(super) fn is_there(&self, session: &Session) -> bool {
        match self.knob.kind {
            KnobKind::Axis => session.hinge(self.knob.bone).is_some(),
            _ => session.body_box(self.knob.bone).is_some(),
        }
    }

    /// Follows the pointer; gives back what is to be changed, if anything.
    pub(super) fn follow(&mut self, session: &Session, shot: &Shot, at: Vec2, keys: Keys) -> Option<Command> {
        self.aim += (at - self.pointer) * keys.pace();
        self.pointer = at;
        let step = if keys.snap { SNAP } else { FINEST };
        let now = values(session, self.knob)?;
        let command = match self.knob.kind {
            KnobKind::Axis => {
                let hinge = session.hinge(self.knob.bone)?;
                let wanted = self.axis(&hinge, shot, keys)?;
                put(session, "hinge_axis", self.knob.kind, wanted, hinge.axis)?
            }
            KnobKind::Side(axis, _) => self.side(session, shot, axis, (now[axis], step))?,
            KnobKind::Joint | KnobKind::Body => {
                let moved = self.turn.inverse() * (self.drag.to(shot, self.aim) - self.drag.start) / self.size;
                let moved = if self.knob.kind == KnobKind::Body { -moved } else { moved };
                let wanted = (self.start + moved).to_array().map(|n| rounded(n, step)).into();
                put(session, "body_joint", self.knob.kind, wanted, now)?
            }
        };
        self.changed = true;
        Some(command)
    }

    /// The axis that is wanted, in the bone's space; with Ctrl the nearest of the bone's own.
    fn axis(&self, hinge: &crate::session::HingeView, shot: &Shot, keys: Keys) -> Option<Vec3> {
        let ball = Ball::new(shot, hinge.head, axle_reach(shot, hinge.head))?;
        let wanted = hinge.unturned.inverse() * ball.direction(self.aim, self.faces);
        if keys.snap {
            let own = Vec3::AXES.into_iter().max_by(|a, b| wanted.dot(*a).abs().total_cmp(&wanted.dot(*b).abs()))?;
            return Some(own * wanted.dot(own).signum());
        }
        Some(wanted.to_array().map(|n| rounded(n, AXIS_STEP)).into())
    }

    /// A side's length: both faces move, so that it gains twice what the knob does. Lengths that differ along what is
    /// tuned keep their proportion.
    fn side(&self, session: &Session, shot: &Shot, axis: usize, (now, step): (f32, f32)) -> Option<Command> {
        let Constraint::Axis(out) = self.drag.constraint else { return None };
        let moved = (self.drag.to(shot, self.aim) - self.drag.start).dot(out) / self.size;
        // The solver takes no shorter one, so that the drag starts from what is drawn.
        let start = self.start[axis].max(body::LEAST_SIDE);
        let row = body::BOX_EXTENTS[axis];
        let wanted = rounded(start + 2.0 * moved, step).clamp(body::LEAST_SIDE, session.system().def(row).range.1);
        if (wanted - now).abs() < 1e-6 || (moved == 0.0 && !self.changed) {
            return None;
        }
        let view = session.row_view(row);
        let differs = view.curved || matches!(view.values, Values::Mixed { .. });
        Some(if differs && now > 0.0 { Command::Scale(row, wanted / now) } else { Command::Set(row, wanted) })
    }

    /// Shows what it makes on a tag beside the pointer.
    pub(super) fn show(&self, ink: &Ink<'_>, session: &Session) {
        let Some(now) = values(session, self.knob).filter(|_| self.changed) else { return };
        let words = match self.knob.kind {
            KnobKind::Axis => format!("X {:.2}  Y {:.2}  Z {:.2}", now.x, now.y, now.z),
            KnobKind::Side(axis, _) => format!("{:.1} mm", now[axis] * 1000.0),
            KnobKind::Joint | KnobKind::Body => {
                let mm = now * 1000.0;
                format!("X {:.1}  Y {:.1}  Z {:.1} mm", mm.x, mm.y, mm.z)
            }
        };
        let at = ink.at(self.pointer + Vec2::new(16.0, -14.0));
        ink.tag(at, Align2::LEFT_BOTTOM, words.replace('-', "−"), None);
    }
}

/// Writes three rows as one, unless they are so already.
fn put(session: &Session, what: &'static str, kind: KnobKind, wanted: Vec3, now: Vec3) -> Option<Command> {
    // An axis counts by its direction alone.
    let near = if kind == KnobKind::Axis { 2e-3 } else { 1e-6 };
    if !wanted.is_finite() || wanted.distance(now) < near {
        return None;
    }
    let pairs: Vec<(Row, f32)> = rows(kind).into_iter().zip(wanted.to_array()).collect();
    let (edit, label) = session.set_rows(what, &pairs);
    Some(Command::Apply(edit, label))
}
