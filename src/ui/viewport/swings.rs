//! Limits to all sides, as cones, fans and patches about a joint's rest direction.

use super::figure::{Figure, Joint};
use super::ink::Ink;
use crate::schema::Idea;
use crate::session::{Scope, Session};
use crate::sim::{SwingLimit, SwingShape};
use crate::stage::Shot;
use crate::stage::overlay::{self, Opening, Swing};
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::{alpha, stroke};
use crate::ui::{Cx, Lit};
use glam::Vec3;
use std::f32::consts::{FRAC_PI_2, PI};

/// Length of a limit at least, points, and as a share of its joint.
const LEAST: f32 = 60.0;
const SHARE: f32 = 1.1;

/// A limit as it is shown now.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    swing: Swing,
    is_fan: bool,
    lit: bool,
}

/// The limits of the joints that are tuned one by one, or of the active one of a chain.
pub(super) fn swings(cx: &Cx<'_>, shot: &Shot, figure: &Figure) -> Vec<Shown> {
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
    seen.filter_map(|(joint, limit)| of_joint(session, shot, joint, &limit, lit)).collect()
}

fn of_joint(session: &Session, shot: &Shot, seen: &Joint, limit: &SwingLimit, lit: bool) -> Option<Shown> {
    let skeleton = &session.resolved().skeleton;
    let offset = session.play().world().tip_offset(session.joint_index(seen.bone)?)?;
    let rest = skeleton.bones().get(seen.bone.index())?.rest.rotation;
    let parent = skeleton.parent_of(seen.bone).and_then(|p| session.shown().frames.get(p.index()));
    let parent = parent.map_or(glam::Quat::IDENTITY, |frame| frame.rotation);
    let turn = parent * limit.in_parent(rest, offset.normalize_or(Vec3::Y));
    let reach = (seen.head.distance(seen.tip) * SHARE).max(shot.metres_per_pixel(seen.head) * LEAST);
    // As the solver takes them.
    let opening = match limit.shape {
        SwingShape::Cone { angle } => Opening::Cone(angle.clamp(0.0, PI)),
        SwingShape::Hinge { angle } => Opening::Fan(angle.clamp(0.0, PI)),
        SwingShape::Spherical { pitch, yaw } => Opening::Patch([pitch.clamp(0.0, PI), yaw.clamp(0.0, FRAC_PI_2)]),
    };
    let swing = overlay::swing(shot, (seen.head, turn), opening, (seen.tip - seen.head, reach))?;
    Some(Shown { swing, is_fan: matches!(opening, Opening::Fan(_)), lit })
}

/// Draws limits.
pub(super) fn show(ink: &Ink<'_>, swings: &[Shown]) {
    let color = ink.theme.color.limit;
    for Shown { swing, is_fan, lit } in swings {
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
