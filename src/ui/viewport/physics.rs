//! The forces that act on a joint, drawn at its tip.

use super::figure::{Figure, Joint};
use super::ink::Ink;
use crate::schema::{Idea, Kind, ParamDef, Row, Scope, rows};
use crate::session::Session;
use crate::sim::{JointSetup, SystemSetup};
use crate::stage::Shot;
use crate::stage::overlay;
use crate::ui::tokens::stroke;
use crate::ui::{Cx, Lit};
use egui::Color32;
use glam::Vec3;

/// What the shapes are drawn from.
pub(super) struct Physics<'a> {
    pub ink: &'a Ink<'a>,
    pub shot: &'a Shot,
    pub figure: &'a Figure,
}

impl Physics<'_> {
    /// What pulls at the tip of the active joint.
    pub(super) fn show_forces(&self, cx: &Cx<'_>) {
        let session = cx.session();
        let active = session.selection().active;
        for system in &session.resolved().systems {
            if let Some(joint) = system.joints.iter().find(|j| Some(j.bone) == active)
                && let Some(seen) = self.figure.joint(joint.bone)
            {
                self.forces(cx, system, joint, seen);
            }
        }
    }

    /// Inertia, spring and gravity at the tip, as accelerations.
    fn forces(&self, cx: &Cx<'_>, system: &SystemSetup, joint: &JointSetup, seen: &Joint) {
        let session = cx.session();
        let c = self.ink.theme.color;
        let table = session.system().table();
        let world = session.play().world();
        let Some(index) = session.joint_index(joint.bone) else { return };
        let (Some(tip), Some(before)) = (world.tip(index), world.previous_tip(index)) else { return };
        let mut gravity = Vec3::ZERO;
        let (mut restore, mut drag) = (0.0_f32, 0.0_f32);
        for (row, def) in rows(table) {
            let value = if def.scope == Scope::System { system.values.get(row) } else { joint.values.get(row) };
            match def.idea {
                Idea::Gravity => gravity += def.axis().map_or(Vec3::ZERO, |axis| Vec3::AXES[axis] * value),
                Idea::Restore if restore == 0.0 => restore = value,
                Idea::Drag => drag = value,
                _ => {}
            }
        }
        let spring = rest_tip(session, joint, seen).map_or(Vec3::ZERO, |rest| (rest - seen.tip) * restore);
        // Half a second of the present movement: at a step's length it would always be the longest.
        let inertia = (tip - before) / session.step_seconds() * (1.0 - drag) * 2.0;
        let forces: [(Idea, Vec3, Color32); 3] =
            [(Idea::Gravity, gravity, c.gravity), (Idea::Restore, spring, c.spring), (Idea::Drag, inertia, c.inertia)];
        for (idea, force, color) in forces {
            if let Some(line) = overlay::arrow(self.shot, seen.tip, force) {
                let lit = if cx.state.lit == Some(Lit::Idea(idea)) { 1.5 } else { 0.0 };
                self.ink.line(&line, stroke::ARROW + lit, color);
                self.ink.area(&overlay::arrow_head(line), 0.5, color, color);
            }
        }
    }
}

/// The hit radius of a joint, metres.
pub(super) fn hit_radius(session: &Session, bone: crate::rig::BoneId) -> f32 {
    let Some(row) = radius_row(session) else { return 0.0 };
    let Some(index) = session.joint_index(bone) else { return 0.0 };
    let system = session.resolved().systems.get(index.system as usize);
    system.and_then(|s| s.joints.get(index.joint as usize)).map_or(0.0, |j| j.values.get(row))
}

fn radius_row(session: &Session) -> Option<Row> {
    let is_radius = |def: &ParamDef| def.idea == Idea::Radius && !matches!(def.kind, Kind::Choice(_));
    rows(session.system().table()).find(|(_, def)| is_radius(def)).map(|(row, _)| row)
}

/// Where the tip would be if the joint hung at rest on its parent.
fn rest_tip(session: &Session, joint: &JointSetup, seen: &Joint) -> Option<Vec3> {
    let skeleton = &session.character().skeleton;
    let parent = skeleton.parent_of(joint.bone)?;
    let offset = session.play().world().tip_offset(session.joint_index(joint.bone)?)?;
    let rotation = session.shown().frames.get(parent.index())?.rotation * skeleton.bone(joint.bone).rest.rotation;
    Some(seen.head + rotation * offset)
}
