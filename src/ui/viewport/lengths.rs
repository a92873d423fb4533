//! Lines from tips to what they keep their distance to: slack, at length, exceeded.

use super::figure::Figure;
use super::ink::Ink;
use crate::rig::{BoneId, Pose, WorldPose};
use crate::session::Session;
use crate::stage::Shot;
use crate::stage::overlay::{Reach, reach};
use crate::ui::Cx;
use crate::ui::kit::paint::faded;
use crate::ui::kit::tokens::stroke;
use glam::Vec3;

/// Opacity of a slack line, and of every line while none is meant.
const SLACK: f32 = 0.55;
const ALL: f32 = 0.65;

/// A tip and what it is tied to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tie {
    /// Whose tip.
    pub bone: BoneId,
    /// Tip and target, metres in the world.
    pub ends: [Vec3; 2],
    pub reach: Reach,
}

/// The ties of joints for which `wanted` is true, as they are now against the rest pose.
pub(super) fn ties(session: &Session, wanted: impl Fn(BoneId) -> bool) -> Vec<Tie> {
    let resolved = session.resolved();
    let joints = resolved.systems.iter().flat_map(|s| &s.joints);
    let mut tied = joints.filter(|j| !j.length_targets.is_empty() && wanted(j.bone)).peekable();
    if tied.peek().is_none() {
        return Vec::new();
    }
    let rest = WorldPose::of(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
    let mut found = Vec::new();
    for joint in tied {
        let Some(tip) = session.shown_tip(joint.bone) else { continue };
        let offset = session.joint_index(joint.bone).and_then(|index| session.play().world().tip_offset(index));
        let Some((offset, at_rest)) = offset.zip(rest.frames.get(joint.bone.index())) else { continue };
        let rest_tip = at_rest.position + at_rest.rotation * offset;
        for target in &joint.length_targets {
            let frames = [&rest, session.shown()].map(|pose| pose.frames.get(target.bone.index()));
            let [Some(before), Some(now)] = frames else { continue };
            let reach = reach(tip.distance(now.position), rest_tip.distance(before.position));
            found.push(Tie { bone: joint.bone, ends: [tip, now.position], reach });
        }
    }
    found
}

/// Draws those of selected joints, or of all where none is selected.
pub(super) fn show(ink: &Ink<'_>, shot: &Shot, figure: &Figure, cx: &Cx<'_>) {
    let c = ink.theme.color;
    let any = figure.joints.iter().any(|j| j.selected);
    let wanted = |bone| !any || figure.joint(bone).is_some_and(|j| j.selected);
    for tie in ties(cx.session(), wanted) {
        let [Some(a), Some(b)] = tie.ends.map(|p| shot.project(p)) else { continue };
        let (color, width) = match tie.reach {
            Reach::Slack => (faded(c.ghost, SLACK), stroke::HAIRLINE),
            Reach::AtLength => (c.spring, stroke::BONE),
            Reach::Exceeded => (c.limit, stroke::BONE_SELECTED),
        };
        if any {
            ink.line(&[a.pixel, b.pixel], width, color);
        } else {
            // All at once: a net of them must not bury what hangs in it.
            ink.thin(&[a.pixel, b.pixel], width, faded(color, ALL));
        }
    }
}
