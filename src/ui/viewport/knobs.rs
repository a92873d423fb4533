//! The axis of a hinge and the box of a body: what is drawn of them, and by which knobs they are held.

use super::figure::{Figure, Joint};
use super::ink::Ink;
use crate::rig::BoneId;
use crate::schema::Idea;
use crate::session::{BoxView, HingeView, Scope, Session};
use crate::stage::Shot;
use crate::stage::overlay::{WireBox, project_all, wire_box};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::stroke;
use crate::ui::{Cx, Lit};
use egui::Stroke;
use glam::{Vec2, Vec3};

/// From the head of a hinge to the knob of its axis, points.
const AXLE: f32 = 68.0;
/// From a side of a box to its knob, points: knobs of a small box would lie on one spot.
const LEAD: f32 = 18.0;
/// How near the pointer must be.
const PICK: f32 = 9.0;
/// An axis seen at more than this cosine of an angle cannot be dragged along.
const END_ON: f32 = 0.85;
/// Radius of a knob; of one that is pointed at.
const DOT: f32 = 4.5;
const DOT_LIT: f32 = 6.0;

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
            if let Some(hinge) = session.hinge(joint.bone).filter(|_| toggles.limits || lit) {
                found.axle(shot, joint.bone, &hinge);
            }
            if let Some(body) = session.body_box(joint.bone).filter(|_| toggles.handles) {
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
                        ink.line(line, stroke::HAIRLINE, faded(axes[*axis], 0.8));
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
            let (radius, rim) = if is_hot { (DOT_LIT, c.bone) } else { (DOT, c.bone_halo) };
            ink.dot(knob.pixel, radius, color, Stroke::new(1.5, rim));
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
    tuned.is_some_and(|chain| chain.system == session.system_id())
        && (selection.scope == Scope::Joints || selection.active == Some(joint.bone))
}
