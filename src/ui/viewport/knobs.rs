//! The axis of a hinge and the box of a body: what is drawn of them, by which knobs they are held, what a drag changes.

use super::figure::{Figure, Joint};
use super::ink::Ink;
use super::pull::{Keys, Pull, all_rounded, dot, rounded};
use crate::rig::BoneId;
use crate::schema::{Idea, Row};
use crate::session::{BoxView, Command, HingeView, Scope, Session, Values};
use crate::sim::solver::{anim_dynamics as body, hinge};
use crate::stage::overlay::{Ball, WireBox, project_all, wire_box};
use crate::stage::{Constraint, Shot};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, stroke};
use crate::ui::{Cx, Lit};
use glam::{Quat, Vec2, Vec3};

/// From the head of a hinge to the knob of its axis, points.
const AXLE: f32 = 68.0;
/// From a side of a box to its knob, points: knobs of a small box would lie on one spot.
const LEAD: f32 = 18.0;
/// How near the pointer must be.
const PICK: f32 = 9.0;
/// An axis seen at more than this cosine of an angle cannot be dragged along.
const END_ON: f32 = 0.85;

/// What a knob changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnobKind {
    /// The axis of a hinge.
    Axis,
    /// A side of a box, by its axis; towards its + or its −.
    Side(usize, bool),
    /// Where a body hangs, or, with its joint on the bone, where it is.
    Joint,
    Body,
}

/// A knob as it can be held now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Knob {
    pub bone: BoneId,
    pub kind: KnobKind,
    /// Metres in the world.
    pub at: Vec3,
    pub pixel: Vec2,
}

#[derive(Clone, Debug)]
enum Drawn {
    /// The axis from end to end.
    Axle([Vec2; 2]),
    Box {
        lines: WireBox,
        leads: Vec<(usize, [Vec2; 2])>,
        lever: [Vec2; 2],
    },
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Knobs {
    drawn: Vec<Drawn>,
    pub all: Vec<Knob>,
}

/// How far the knob of an axis stands from the head, metres.
pub(super) fn axle_reach(shot: &Shot, head: Vec3) -> f32 {
    shot.metres_per_pixel(head) * AXLE
}

impl Knobs {
    /// Those of the joints that are tuned one by one, or of the active one of a chain.
    pub(super) fn of(cx: &Cx<'_>, shot: &Shot, figure: &Figure) -> Self {
        let mut found = Self::default();
        let session = cx.session();
        let lit = cx.state.lit == Some(Lit::Idea(Idea::Limit));
        let toggles = cx.state.prefs.toggles;
        for joint in figure.joints.iter().filter(|j| j.selected && is_meant(session, j)) {
            if let Some(hinge) = session.inspection().hinge(joint.bone).filter(|_| toggles.limits || lit) {
                found.axle(shot, joint.bone, &hinge);
            }
            if let Some(body) = session.inspection().body_box(joint.bone).filter(|_| toggles.handles) {
                found.body(shot, joint.bone, &body);
            }
        }
        found
    }

    fn axle(&mut self, shot: &Shot, bone: BoneId, hinge: &HingeView) {
        let arm = hinge.axle() * axle_reach(shot, hinge.head);
        let Some(line) = project_all(shot, [hinge.head - arm, hinge.head + arm]) else { return };
        self.all.push(Knob { bone, kind: KnobKind::Axis, at: hinge.head + arm, pixel: line[1] });
        self.drawn.push(Drawn::Axle([line[0], line[1]]));
    }

    fn body(&mut self, shot: &Shot, bone: BoneId, body: &BoxView) {
        let Some(lines) = wire_box(shot, body.center, body.rotation, body.sides) else { return };
        let Some(lever) = project_all(shot, [body.center, body.joint]) else { return };
        let (kind, at) = if body.joint_on_bone { (KnobKind::Body, body.center) } else { (KnobKind::Joint, body.joint) };
        let pixel = lever[usize::from(!body.joint_on_bone)];
        self.all.push(Knob { bone, kind, at, pixel });
        let sight = (body.center - shot.eye).normalize_or(shot.forward);
        let lead = shot.metres_per_pixel(body.center) * LEAD;
        let mut leads = Vec::new();
        for (axis, positive) in [0, 1, 2].into_iter().flat_map(|axis| [(axis, false), (axis, true)]) {
            let out = side_out(body, axis, positive);
            let face = body.center + out * body.sides[axis] * 0.5;
            let at = face + out * lead;
            if let Some(line) = project_all(shot, [face, at]).filter(|_| out.dot(sight).abs() < END_ON) {
                self.all.push(Knob { bone, kind: KnobKind::Side(axis, positive), at, pixel: line[1] });
                leads.push((axis, [line[0], line[1]]));
            }
        }
        self.drawn.push(Drawn::Box { lines, leads, lever: [lever[0], lever[1]] });
    }

    /// The knob under a place.
    pub(super) fn under(&self, at: Vec2) -> Option<Knob> {
        let near = self.all.iter().filter(|knob| knob.pixel.distance(at) <= PICK);
        near.min_by(|a, b| a.pixel.distance(at).total_cmp(&b.pixel.distance(at))).copied()
    }

    /// Draws them; the one that is pointed at or held stands out.
    pub(super) fn show(&self, ink: &Ink<'_>, hot: Option<Knob>) {
        let c = ink.theme.color;
        let axes = [c.axis_x, c.axis_y, c.axis_z];
        for drawn in &self.drawn {
            match drawn {
                Drawn::Axle(line) => ink.line(line, stroke::FAN_EDGE, c.limit),
                Drawn::Box { lines, leads, lever } => {
                    lines.edges.iter().for_each(|edge| ink.line(edge, stroke::HAIRLINE, c.bone));
                    for (axis, line) in leads {
                        ink.line(line, stroke::HAIRLINE, faded(axes[*axis], alpha::HANDLE_IDLE));
                    }
                    if lever[0].distance(lever[1]) > 1.0 {
                        ink.dashes(lever[0], lever[1], 1.25, c.limit);
                    }
                }
            }
        }
        for knob in &self.all {
            let is_hot = hot.is_some_and(|hot| hot.bone == knob.bone && hot.kind == knob.kind);
            let color = match knob.kind {
                KnobKind::Side(axis, _) => axes[axis],
                KnobKind::Axis | KnobKind::Joint | KnobKind::Body => c.limit,
            };
            dot(ink, knob.pixel, color, is_hot);
        }
    }
}

/// Which way a side of a box faces, unit length in the world.
pub(super) fn side_out(body: &BoxView, axis: usize, positive: bool) -> Vec3 {
    body.rotation * Vec3::AXES[axis] * if positive { 1.0 } else { -1.0 }
}

/// Whether a selected joint shows what is its own: it is tuned by itself, or the active one of what tuning reaches.
pub(super) fn is_meant(session: &Session, joint: &Joint) -> bool {
    let selection = session.selection();
    let tuned = session.document().joint_of(joint.bone).and_then(|(id, _)| session.document().chains.get(&id));
    tuned.is_some_and(|chain| chain.system == session.inspection().system_id())
        && (selection.scope == Scope::Joints || selection.active == Some(joint.bone))
}

/// What Ctrl snaps lengths to, and what they are rounded to without; metres.
const SNAP: f32 = 1e-3;
const FINEST: f32 = 1e-4;
/// What parts of an axis are rounded to.
const AXIS_STEP: f32 = 1e-3;

/// A knob that is being dragged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KnobHold {
    pub knob: Knob,
    pub pull: Pull,
    /// The rows that it changes as they were.
    start: Vec3,
    /// The box's turn then, and metres in the world for one of its numbers.
    turn: Quat,
    size: f32,
    /// The axis leaves its ball on the side of the eye.
    faces: bool,
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
    let index = session.playback().joint_index(knob.bone)?;
    let joint = session.resolved().systems.get(index.system as usize)?.joints.get(index.joint as usize)?;
    Some(Vec3::from(rows(knob.kind).map(|row| joint.values.get(row))))
}

impl KnobHold {
    /// With the pointer at a pixel; nothing leaps there.
    pub(super) fn new(session: &Session, shot: &Shot, knob: Knob, at: Vec2) -> Option<Self> {
        let start = values(session, knob)?;
        let own = Self {
            knob,
            pull: Pull::new(knob.at, at, Constraint::View),
            start,
            turn: Quat::IDENTITY,
            size: 1.0,
            faces: true,
        };
        if knob.kind == KnobKind::Axis {
            let hinge = session.inspection().hinge(knob.bone)?;
            let ball = Ball::new(shot, hinge.head, axle_reach(shot, hinge.head))?;
            let faces = ball.faces(hinge.axle());
            let mut axle = Self { start: hinge.axis, faces, ..own };
            axle.pull.aim = ball.pixel(hinge.axle());
            return Some(axle);
        }
        let seen = session.inspection().body_box(knob.bone)?;
        let constraint = match knob.kind {
            KnobKind::Side(axis, positive) => Constraint::Axis(side_out(&seen, axis, positive)),
            _ => Constraint::View,
        };
        Some(Self { pull: Pull::new(knob.at, at, constraint), turn: seen.rotation, size: seen.size, ..own })
    }

    /// Whether it still has what it holds: a hinge or a body on the bone.
    pub(super) fn is_there(&self, session: &Session) -> bool {
        match self.knob.kind {
            KnobKind::Axis => session.inspection().hinge(self.knob.bone).is_some(),
            _ => session.inspection().body_box(self.knob.bone).is_some(),
        }
    }

    /// Follows the pointer; gives back what is to be changed, if anything.
    pub(super) fn follow(&mut self, session: &Session, shot: &Shot, at: Vec2, keys: Keys) -> Option<Command> {
        self.pull.follow(at, keys);
        let step = if keys.snap { SNAP } else { FINEST };
        let now = values(session, self.knob)?;
        match self.knob.kind {
            KnobKind::Axis => {
                let hinge = session.inspection().hinge(self.knob.bone)?;
                let wanted = self.axis(&hinge, shot, keys)?;
                put("hinge_axis", self.knob.kind, wanted, hinge.axis)
            }
            KnobKind::Side(axis, _) => self.side(session, shot, axis, (now[axis], step)),
            KnobKind::Joint | KnobKind::Body => {
                let moved = self.turn.inverse() * self.pull.moved(shot) / self.size;
                let moved = if self.knob.kind == KnobKind::Body { -moved } else { moved };
                let wanted = all_rounded(self.start + moved, step);
                put("body_joint", self.knob.kind, wanted, now)
            }
        }
    }

    /// The axis that is wanted, in the bone's space; with Ctrl the nearest of the bone's own.
    fn axis(&self, hinge: &HingeView, shot: &Shot, keys: Keys) -> Option<Vec3> {
        let ball = Ball::new(shot, hinge.head, axle_reach(shot, hinge.head))?;
        let wanted = hinge.unturned.inverse() * ball.direction(self.pull.aim, self.faces);
        if keys.snap {
            let own = Vec3::AXES.into_iter().max_by(|a, b| wanted.dot(*a).abs().total_cmp(&wanted.dot(*b).abs()))?;
            return Some(own * wanted.dot(own).signum());
        }
        Some(all_rounded(wanted, AXIS_STEP))
    }

    /// A side's length: both faces move, so that it gains twice what the knob does. Lengths that differ along what is
    /// tuned keep their proportion.
    fn side(&self, session: &Session, shot: &Shot, axis: usize, (now, step): (f32, f32)) -> Option<Command> {
        let moved = self.pull.moved_along(shot)? / self.size;
        // The solver takes no shorter one, so that the drag starts from what is drawn.
        let start = self.start[axis].max(body::LEAST_SIDE);
        let row = body::BOX_EXTENTS[axis];
        let wanted =
            rounded(start + 2.0 * moved, step).clamp(body::LEAST_SIDE, session.inspection().system().def(row).range.1);
        if (wanted - now).abs() < 1e-6 || (moved == 0.0 && !self.pull.changed) {
            return None;
        }
        let view = session.inspection().row_view(row);
        let differs = view.curved || matches!(view.values, Values::Mixed { .. });
        Some(if differs && now > 0.0 { Command::Scale(row, wanted / now) } else { Command::Set(row, wanted) })
    }

    /// The numbers that are being changed, with their unit.
    pub(super) fn words(&self, session: &Session) -> Option<String> {
        let now = values(session, self.knob)?;
        Some(match self.knob.kind {
            KnobKind::Axis => format!("X {:.2}  Y {:.2}  Z {:.2}", now.x, now.y, now.z),
            KnobKind::Side(axis, _) => format!("{:.1} mm", now[axis] * 1000.0),
            KnobKind::Joint | KnobKind::Body => {
                let mm = now * 1000.0;
                format!("X {:.1}  Y {:.1}  Z {:.1} mm", mm.x, mm.y, mm.z)
            }
        })
    }
}

/// Writes three rows as one, unless they are so already.
fn put(what: &'static str, kind: KnobKind, wanted: Vec3, now: Vec3) -> Option<Command> {
    // An axis counts by its direction alone.
    let near = if kind == KnobKind::Axis { 2e-3 } else { 1e-6 };
    if !wanted.is_finite() || wanted.distance(now) < near {
        return None;
    }
    let pairs: Vec<(Row, f32)> = rows(kind).into_iter().zip(wanted.to_array()).collect();
    Some(Command::SetRows(what, pairs))
}
