//! The forces that act on a joint, as its solver reports them, drawn at its tip.

use super::figure::Figure;
use super::ink::Ink;
use crate::schema::{Idea, Kind, ParamDef, Row, rows};
use crate::session::Session;
use crate::stage::Shot;
use crate::stage::overlay;
use crate::ui::kit::theme::Role;
use crate::ui::kit::tokens::stroke;
use crate::ui::{Cx, Lit};
use glam::Vec2;

/// Metres per second squared that one metre per second is drawn as: half a second of the present movement. At a step's
/// length the arrow would always be the longest.
const SPEED_AS_FORCE: f32 = 2.0;

/// One arrow at the tip of the active joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrow {
    pub role: Role,
    idea: Idea,
    line: [Vec2; 2],
}

/// The arrows of the active joint; none for a force that is too weak to be drawn.
pub(super) fn arrows(session: &Session, shot: &Shot, figure: &Figure) -> Vec<Arrow> {
    let active = session.selection().active.and_then(|bone| figure.joint(bone));
    let Some((joint, forces)) = active.and_then(|joint| Some((joint, session.tip_forces(joint.bone)?))) else {
        return Vec::new();
    };
    let all = [
        (Role::Gravity, Idea::Gravity, forces.gravity),
        (Role::Spring, Idea::Restore, forces.spring),
        (Role::Inertia, Idea::Drag, forces.speed * SPEED_AS_FORCE),
    ];
    let seen = all.into_iter().filter_map(|(role, idea, force)| {
        overlay::arrow(shot, joint.tip, force).map(|line| Arrow { role, idea, line })
    });
    seen.collect()
}

/// Draws them.
pub(super) fn show(ink: &Ink<'_>, arrows: &[Arrow], cx: &Cx<'_>) {
    for arrow in arrows {
        let color = ink.theme.role(arrow.role);
        let lit = if cx.state.lit == Some(Lit::Idea(arrow.idea)) { 1.5 } else { 0.0 };
        ink.line(&arrow.line, stroke::ARROW + lit, color);
        ink.area(&overlay::arrow_head(arrow.line), 0.5, color, color);
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
